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
use serde_json::{Value, json};

use crate::limits::{Deadline, Limits};
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
    Ok(parsed)
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
    let beam = parser.header.graph.is_none() && wish.beam.unwrap_or(parser.header.beam) > 1;
    let ranks = parser.header.parser == "eisner" || (beam && parser.header.bundle.is_none());
    if !ranks || !parser.header.codec.transformations.is_empty() {
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
    for arc in drawing_of(sentence, "", Highlight::Crossing).arcs() {
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

/// A sentence as JSON: tokens with their places in the text, words with arcs, and the CoNLL-U.
pub fn json_of(sentence: &Sentence) -> Value {
    let crossing = crossing(sentence);
    let (mut tokens, mut words) = (Vec::new(), Vec::new());
    let mut covered = 0;
    let token = |form: &str, misc: &str, first: u32, last: u32| {
        let (start, end) = place_of(misc);
        let space_after = misc_value(misc, "SpaceAfter") != Some("No");
        json!({ "form": form, "words": [first, last], "start": start, "end": end, "space_after": space_after })
    };
    for row in sentence.rows() {
        match row {
            Row::Range { first, last, fields } => {
                tokens.push(token(fields.form(), fields.misc(), first, last));
                covered = last;
            }
            Row::Word(word) => {
                if word.id() > covered {
                    tokens.push(token(word.form(), word.misc(), word.id(), word.id()));
                }
                let score = misc_value(word.misc(), "Score").and_then(|n| n.parse::<f32>().ok());
                words.push(json!({
                    "id": word.id(),
                    "form": word.form(),
                    "lemma": given(word.lemma()),
                    "upos": given(word.upos()),
                    "xpos": given(word.xpos()),
                    "feats": given(word.feats()),
                    "head": word.head(),
                    "deprel": given(word.deprel()),
                    "misc": given(word.misc()),
                    "crossing": crossing.get(words.len()).copied().unwrap_or(false),
                    "score": score,
                }));
            }
            Row::Comment(_) | Row::Empty { .. } => {}
        }
    }
    json!({
        "id": sentence.comment_value("sent_id"),
        "text": sentence.comment_value("text"),
        "rank": sentence.comment_value("rank").and_then(|rank| rank.parse::<u64>().ok()),
        "score": sentence.comment_value("score").and_then(|score| score.parse::<f64>().ok()),
        "tokens": tokens,
        "words": words,
        "conllu": conllu_of(sentence),
    })
}
