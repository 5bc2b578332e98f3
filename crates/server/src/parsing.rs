//! From what a request holds to annotated sentences: the only file that knows the parser.
//!
//! Sizes are checked before anything is parsed, and the deadline between sentences.
use conll::{Format, ReadOptions, Reader, Roots, Row, Sentence};
use crossarc::Pipeline;
use crossarc::annotate::AnnotateOptions;
use crossarc::draw::{Drawing, Highlight, Word};
use crossarc::parser::ParseOptions;
use crossarc::pipeline::{Steps, TextFormat, TextOptions};
use crossarc::text::tokenize::document::Blocks;
use crossarc::text::tokenize::write::TokenNotes;
use serde::{Serialize, Serializer};

use crate::limits::{Deadline, Limits};
use crate::models;
use crate::refusal::Refusal;

/// What is to be parsed.
#[derive(Clone, Debug)]
pub enum Input {
    /// Text of some layout.
    Text(String, TextFormat, TokenNotes),
    /// CoNLL-U.
    Treebank(String),
}

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Which columns are filled.
    pub steps: Steps,
    /// Width of the beam.
    pub beam: Option<usize>,
    /// Whether MISC gets scores.
    pub scores: bool,
    /// Whether heads that are there stay.
    pub keep_heads: bool,
    /// How many trees of each sentence.
    pub k_best: Option<usize>,
}

/// Sentences, and whether each begins a paragraph.
#[derive(Default)]
pub struct Parsed {
    /// The sentences.
    pub sentences: Vec<Sentence>,
    /// Whether a paragraph begins with the sentence of the same number.
    pub begins_paragraph: Vec<bool>,
    /// Number of words.
    pub words: usize,
}

fn read_options(limits: &Limits) -> ReadOptions {
    let sizes = conll::Limits {
        line_bytes: limits.bytes.max(1),
        words: limits.sentence_words,
        sentence_bytes: limits.bytes.max(1),
        unpacked_bytes: Some(limits.bytes as u64),
    };
    ReadOptions {
        format: Some(Format::ConllU),
        roots: Roots::Any,
        limits: sizes,
        ..ReadOptions::default()
    }
}

/// Reads the CoNLL-U of a request.
pub fn read_treebank(text: &str, limits: &Limits) -> Result<Vec<Sentence>, Refusal> {
    let refuse = |error: conll::Error| Refusal::bad(format!("{error}"));
    let mut reader =
        Reader::from_bytes("data", text.as_bytes(), read_options(limits)).map_err(refuse)?;
    let mut sentences = Vec::new();
    loop {
        let mut sentence = Sentence::default();
        if !reader.read(&mut sentence).map_err(refuse)? {
            return Ok(sentences);
        }
        sentences.push(sentence);
        check_number(sentences.len(), limits)?;
    }
}

fn check_number(sentences: usize, limits: &Limits) -> Result<(), Refusal> {
    if sentences > limits.sentences {
        return Err(Refusal::large(format!(
            "There are more than {} sentences: send fewer at a time.",
            limits.sentences
        )));
    }
    Ok(())
}

/// Splits and reads what a request holds.
fn sentences_of(
    pipeline: &Pipeline,
    input: Input,
    limits: &Limits,
    deadline: Deadline,
) -> Result<Parsed, Refusal> {
    let (text, format, notes) = match input {
        Input::Treebank(text) => {
            let sentences = read_treebank(&text, limits)?;
            return Ok(Parsed { sentences, ..Parsed::default() });
        }
        Input::Text(text, format, notes) => (text, format, notes),
    };
    if format.needs_tokenizer() && pipeline.components().tokenizer.is_none() {
        return Err(Refusal::bad(
            "The model has no tokenizer: send CoNLL-U, or words as horizontal or vertical input.",
        ));
    }
    let nothing = Steps { tag: Some(false), parse: false };
    let begins = begins_of_lines(&text, format);
    let options = TextOptions { format, notes };
    let mut worker =
        pipeline.components().text_worker(nothing, AnnotateOptions::default(), options, None);
    let mut blocks = Blocks::new(std::io::Cursor::new(text.into_bytes()), format.cut());
    let mut parsed = Parsed::default();
    // Reading from memory cannot fail.
    while let Ok(Some(block)) = blocks.next_block() {
        deadline.check()?;
        let mut longest = 0;
        let outcome = worker.sentences(&block, &mut |sentence, begins| {
            longest = longest.max(sentence.len());
            parsed.sentences.push(std::mem::take(sentence));
            parsed.begins_paragraph.push(begins);
        });
        outcome.map_err(|error| Refusal::bad(error.to_string()))?;
        check_number(parsed.sentences.len(), limits)?;
        if longest > limits.sentence_words {
            return Err(Refusal::large(format!(
                "A sentence has more than {} words: split it.",
                limits.sentence_words
            )));
        }
    }
    if begins.len() == parsed.sentences.len() {
        parsed.begins_paragraph = begins;
    }
    Ok(parsed)
}

/// For each sentence whether it begins a paragraph, where lines say what a sentence is: one empty line
/// parts paragraphs, and two where each word has a line, as in `UDPipe`.
fn begins_of_lines(text: &str, format: TextFormat) -> Vec<bool> {
    let gap = match format {
        TextFormat::Lines | TextFormat::Horizontal => 1,
        TextFormat::Vertical => 2,
        TextFormat::Text => return Vec::new(),
    };
    let mut begins = Vec::new();
    let (mut empty, mut inside) = (0, false);
    for line in text.lines() {
        if line.trim().is_empty() {
            empty += 1;
            inside = false;
        } else if !inside {
            begins.push(begins.is_empty() || empty >= gap);
            empty = 0;
            inside = format == TextFormat::Vertical;
        }
    }
    begins
}

/// Does what is wished for. Blocks.
pub fn parse(
    pipeline: &Pipeline,
    input: Input,
    wish: &Wish,
    limits: &Limits,
    deadline: Deadline,
) -> Result<Parsed, Refusal> {
    check_wish(pipeline, wish, limits)?;
    let mut parsed = sentences_of(pipeline, input, limits, deadline)?;
    let options = AnnotateOptions {
        parse: ParseOptions {
            beam: wish.beam,
            confidences: wish.scores,
            ..ParseOptions::default()
        },
        keep_heads: wish.keep_heads,
        headless: false,
    };
    let mut worker = pipeline.components().worker(wish.steps, options);
    let mut ranked = Vec::new();
    for (number, sentence) in parsed.sentences.iter_mut().enumerate() {
        deadline.check()?;
        parsed.words += sentence.len();
        if let Some(most) = wish.k_best {
            ranked.extend(worker.alternatives(sentence, most));
            check_number(ranked.len(), limits)?;
            continue;
        }
        worker
            .annotate(sentence)
            .map_err(|error| Refusal::bad(format!("Sentence {}: {error}", number + 1)))?;
    }
    if wish.k_best.is_some() {
        parsed.begins_paragraph = vec![false; ranked.len()];
        parsed.sentences = ranked;
    }
    Ok(parsed)
}

fn check_wish(pipeline: &Pipeline, wish: &Wish, limits: &Limits) -> Result<(), Refusal> {
    let parts = pipeline.components();
    if wish.beam.is_some_and(|beam| beam == 0 || beam > limits.beam) {
        return Err(Refusal::bad(format!("The beam must be 1 to {} wide.", limits.beam)));
    }
    if wish.steps.parse && parts.parser.is_none() {
        return Err(Refusal::bad("The model has no parser."));
    }
    if wish.steps.tag == Some(true) && parts.tagger.is_none() && parts.lemmatizer.is_none() {
        return Err(Refusal::bad("The model has no tagger."));
    }
    let Some(most) = wish.k_best else { return Ok(()) };
    if most == 0 || most > limits.k_best {
        return Err(Refusal::bad(format!("k_best must be 1 to {}.", limits.k_best)));
    }
    if wish.scores || wish.keep_heads || !wish.steps.parse {
        return Err(Refusal::bad(
            "k_best goes with neither scores nor keep_heads, and needs parsing.",
        ));
    }
    let Some(parser) = &parts.parser else { return Ok(()) };
    if !models::ranks(pipeline, wish.beam.unwrap_or(parser.header.beam())) {
        return Err(Refusal::bad(
            "This model cannot rank trees: leave out k_best, or ask for a beam.",
        ));
    }
    Ok(())
}

/// A sentence as CoNLL-U.
pub fn conllu_of(sentence: &Sentence) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = sentence.write_to(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A sentence as it is drawn.
pub fn drawing_of(sentence: &Sentence, title: &str, highlight: Highlight) -> Drawing {
    let universal = sentence.words().any(|word| word.upos() != "_");
    let words = sentence.words().map(|word| {
        let tag = if universal { word.upos() } else { word.xpos() };
        Word::new(word.form(), if tag == "_" { "" } else { tag })
    });
    let arcs: Vec<_> = sentence.words().map(|word| (word.head(), word.deprel())).collect();
    Drawing::new(title, words.collect(), &arcs, highlight)
}

/// For each word whether its arc crosses another one.
pub fn crossing(sentence: &Sentence) -> Vec<bool> {
    let mut flags = vec![false; sentence.len()];
    let words = vec![Word::new("", ""); sentence.len()];
    let arcs: Vec<_> = sentence.words().map(|word| (word.head(), "")).collect();
    for arc in Drawing::new("", words, &arcs, Highlight::Crossing).arcs() {
        flags[arc.dependent as usize - 1] = arc.highlighted;
    }
    flags
}

fn misc_value<'a>(misc: &'a str, key: &str) -> Option<&'a str> {
    misc.split('|').find_map(|part| part.strip_prefix(key)?.strip_prefix('='))
}

fn place_of(misc: &str) -> (Option<u64>, Option<u64>) {
    let range = misc_value(misc, "TokenRange").and_then(|range| range.split_once(':'));
    range.map_or((None, None), |(start, end)| (start.parse().ok(), end.parse().ok()))
}

fn given(value: &str) -> Option<&str> {
    (value != "_").then_some(value)
}

/// A token with its place in the text, in characters.
#[derive(Serialize)]
pub struct JsonToken<'a> {
    form: &'a str,
    /// Its first and its last word.
    words: [u32; 2],
    start: Option<u64>,
    end: Option<u64>,
    space_after: bool,
}

/// A word with its arc.
#[derive(Serialize)]
pub struct JsonWord<'a> {
    id: u32,
    form: &'a str,
    lemma: Option<&'a str>,
    upos: Option<&'a str>,
    xpos: Option<&'a str>,
    feats: Option<&'a str>,
    head: Option<u32>,
    deprel: Option<&'a str>,
    misc: Option<&'a str>,
    crossing: bool,
    score: Option<f32>,
}

/// A sentence as JSON: tokens with their places in the text, words with arcs, and the CoNLL-U.
#[derive(Serialize)]
pub struct JsonSentence<'a> {
    id: Option<&'a str>,
    text: Option<&'a str>,
    rank: Option<u64>,
    score: Option<f64>,
    tokens: Vec<JsonToken<'a>>,
    words: Vec<JsonWord<'a>>,
    conllu: String,
}

/// A sentence on its way to JSON.
pub fn json_of(sentence: &Sentence) -> JsonSentence<'_> {
    let crossing = crossing(sentence);
    let (mut tokens, mut words) = (Vec::new(), Vec::with_capacity(sentence.len()));
    let mut covered = 0;
    for row in sentence.rows() {
        match row {
            Row::Range { first, last, fields } => {
                tokens.push(token_of(fields.form(), fields.misc(), [first, last]));
                covered = last;
            }
            Row::Word(word) => {
                if word.id() > covered {
                    tokens.push(token_of(word.form(), word.misc(), [word.id(); 2]));
                }
                words.push(JsonWord {
                    id: word.id(),
                    form: word.form(),
                    lemma: given(word.lemma()),
                    upos: given(word.upos()),
                    xpos: given(word.xpos()),
                    feats: given(word.feats()),
                    head: word.head(),
                    deprel: given(word.deprel()),
                    misc: given(word.misc()),
                    crossing: crossing.get(words.len()).copied().unwrap_or(false),
                    score: misc_value(word.misc(), "Score").and_then(|score| score.parse().ok()),
                });
            }
            Row::Comment(_) | Row::Empty { .. } => {}
        }
    }
    JsonSentence {
        id: sentence.comment_value("sent_id"),
        text: sentence.comment_value("text"),
        rank: sentence.comment_value("rank").and_then(|rank| rank.parse().ok()),
        score: sentence.comment_value("score").and_then(|score| score.parse().ok()),
        tokens,
        words,
        conllu: conllu_of(sentence),
    }
}

fn token_of<'a>(form: &'a str, misc: &str, words: [u32; 2]) -> JsonToken<'a> {
    let (start, end) = place_of(misc);
    let space_after = misc_value(misc, "SpaceAfter") != Some("No");
    JsonToken { form, words, start, end, space_after }
}

/// Sentences that are written as JSON one by one.
pub struct JsonSentences(pub Vec<Sentence>);

impl Serialize for JsonSentences {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(json_of))
    }
}
