//! Blocks of text to annotated sentences.
use conll::{BuildError, Converter, Limits, Sentence, SentenceBuilder};

use super::{Components, Familiarity, PipelineWorker};
use crate::annotate::{AnnotateError, AnnotateOptions, Summary};
use crossarc_text::tokenize::document::{Block, Cut};
use crossarc_text::tokenize::layout::{Stretch, lines, stretches};
use crossarc_text::tokenize::write::{self, Surroundings, TokenNotes};
use crossarc_text::tokenize::{MOST_TOKENS, Segmenter, Sentences, Span};

/// What is known about a text.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum TextFormat {
    /// Nothing.
    #[default]
    Text,
    /// Each line is a sentence.
    Lines,
    /// Each line is a sentence, and blanks are between words.
    Horizontal,
    /// Each line is a word, and an empty line is behind each sentence.
    Vertical,
}

impl TextFormat {
    /// All formats with their names.
    pub const NAMES: [(&'static str, TextFormat); 4] = [
        ("text", TextFormat::Text),
        ("lines", TextFormat::Lines),
        ("horizontal", TextFormat::Horizontal),
        ("vertical", TextFormat::Vertical),
    ];

    /// Where blocks of this format may end.
    pub fn cut(self) -> Cut {
        match self {
            TextFormat::Text | TextFormat::Vertical => Cut::EmptyLine,
            TextFormat::Lines | TextFormat::Horizontal => Cut::Line,
        }
    }

    /// Whether tokens must be found.
    pub fn needs_tokenizer(self) -> bool {
        matches!(self, TextFormat::Text | TextFormat::Lines)
    }
}

/// How text is worked on.
#[derive(Copy, Clone, Debug)]
pub struct TextOptions {
    /// What is known about it.
    pub format: TextFormat,
    /// What MISC says about tokens.
    pub notes: TokenNotes,
}

/// What a block became.
#[derive(Clone, Debug, Default)]
pub struct TextChunk {
    /// The sentences one after the other, as they are written.
    pub text: Vec<u8>,
    /// Where each sentence starts, and whether a paragraph begins with it.
    pub sentences: Vec<(usize, bool)>,
    /// Number of words.
    pub words: u64,
    /// The line of the block, and how many sequences of bytes in it were no UTF-8.
    pub invalid: (u64, u64),
    /// The words that the model knows.
    pub seen: Familiarity,
    /// Tokens and sentences that were too long and were cut.
    pub cut: u64,
    /// Sentences that were too large for the search of the parser: a cheaper one was used.
    pub cheaper: u64,
}

/// Why a part of a text did not become sentences.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("text from line {line} on: {problem}")]
pub struct TextError {
    /// Line where the part of the text begins, from 1.
    pub line: u64,
    /// What is wrong.
    #[source]
    pub problem: TextProblem,
}

/// What can be wrong with a sentence of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextProblem {
    /// Its tokens make no sentence: the tokenizer of the model splits words into nothing, or they
    /// are too large.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// It cannot be annotated.
    #[error(transparent)]
    Annotate(#[from] AnnotateError),
}

/// One thread of a pipeline, for text.
pub struct TextWorker<'p> {
    pipeline: &'p Components,
    worker: PipelineWorker<'p>,
    segmenter: Option<Segmenter<'p>>,
    options: TextOptions,
    converter: Option<Converter>,
    stretches: Vec<Stretch>,
    spans: Vec<Span>,
    all: Vec<Span>,
    begins: Vec<bool>,
    builder: SentenceBuilder,
    /// Sentences that wait to be annotated together, and whether a paragraph begins with each; the first
    /// `waiting` count, the others are memory.
    sentences: Vec<Sentence>,
    paragraphs: Vec<bool>,
    waiting: usize,
    cut: u64,
    cheaper: u64,
}

/// Who gets the sentences of a text, and whether a paragraph begins with them.
type Found<'f> = dyn FnMut(&mut Sentence, bool) + 'f;

impl Components {
    /// Memory for one thread that works on text. `converter` writes the sentences in another
    /// format than CoNLL-U.
    pub fn text_worker(
        &self,
        steps: super::Steps,
        annotate: AnnotateOptions,
        options: TextOptions,
        converter: Option<Converter>,
    ) -> TextWorker<'_> {
        let mut builder = SentenceBuilder::new();
        builder.limits(Limits {
            line_bytes: 1 << 26,
            words: 1 << 20,
            sentence_bytes: 1 << 27,
            ..Limits::default()
        });
        TextWorker {
            pipeline: self,
            worker: self.worker(steps, annotate),
            segmenter: self.tokenizer.as_ref().map(crossarc_text::tokenize::Tokenizer::segmenter),
            options,
            converter,
            stretches: Vec::new(),
            spans: Vec::new(),
            all: Vec::new(),
            begins: Vec::new(),
            builder,
            sentences: vec![Sentence::default()],
            paragraphs: Vec::new(),
            waiting: 0,
            cut: 0,
            cheaper: 0,
        }
    }
}

impl TextWorker<'_> {
    /// Tokenizes and annotates a block and writes its sentences. Without a tokenizer, words stand
    /// between blanks.
    pub fn work(&mut self, block: &Block) -> Result<TextChunk, TextError> {
        let mut converter = self.converter.take();
        let pipeline = self.pipeline;
        let mut chunk =
            TextChunk { invalid: (block.first_line, block.invalid), ..TextChunk::default() };
        let outcome = self.sentences(block, &mut |sentence, begins| {
            chunk.sentences.push((chunk.text.len(), begins));
            chunk.words += sentence.len() as u64;
            let words = sentence.words();
            words.for_each(|word| pipeline.note_form(word.form(), &mut chunk.seen));
            // Writing to memory cannot fail.
            let _ = match &mut converter {
                Some(converter) => converter.write(sentence, &mut chunk.text).map(drop),
                None => sentence.write_to(&mut chunk.text),
            };
        });
        self.converter = converter;
        chunk.cut = std::mem::take(&mut self.cut);
        chunk.cheaper = std::mem::take(&mut self.cheaper);
        outcome.map(|()| chunk)
    }

    /// Tokenizes and annotates a block and hands on its sentences.
    pub fn sentences(&mut self, block: &Block, found: &mut Found<'_>) -> Result<(), TextError> {
        self.begins.clear();
        self.waiting = 0;
        let outcome = match self.options.format {
            TextFormat::Text | TextFormat::Lines if self.segmenter.is_some() => {
                self.tokenize(block, found)
            }
            TextFormat::Vertical => self.vertical(&block.text, found),
            _ => self.horizontal(&block.text, found),
        };
        let outcome = outcome.and_then(|()| self.annotate_waiting(found));
        outcome.map_err(|problem| TextError { line: block.first_line, problem })
    }

    /// Annotates a sentence whose words are known.
    pub fn annotate(&mut self, sentence: &mut Sentence) -> Result<(), AnnotateError> {
        self.worker.annotate(sentence).map(drop)
    }

    /// Annotates sentences whose words are known.
    pub(crate) fn annotate_all(
        &mut self,
        sentences: &mut [Sentence],
    ) -> Vec<Result<Summary, AnnotateError>> {
        self.worker.annotate_all(sentences)
    }

    /// The best analyses of a sentence.
    pub(crate) fn alternatives(&mut self, sentence: &mut Sentence, most: usize) -> Vec<Sentence> {
        self.worker.alternatives(sentence, most)
    }

    /// Annotates words as they are.
    pub(crate) fn words<'a>(
        &mut self,
        forms: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Sentence, TextProblem> {
        write::words(forms, &mut self.builder);
        self.waiting = 0;
        self.end(false, &mut |_, _| ())?;
        self.annotate_waiting(&mut |_, _| ())?;
        Ok(std::mem::take(&mut self.sentences[0]))
    }

    /// The sentence in the builder is complete.
    fn end(&mut self, begins: bool, found: &mut Found<'_>) -> Result<(), TextProblem> {
        if self.waiting == 0 {
            self.paragraphs.clear();
        }
        if self.waiting == self.sentences.len() {
            self.sentences.push(Sentence::default());
        }
        self.builder.build_into(&mut self.sentences[self.waiting])?;
        self.paragraphs.push(begins);
        self.waiting += 1;
        if self.waiting < self.worker.batch() { Ok(()) } else { self.annotate_waiting(found) }
    }

    /// Annotates the sentences that wait, and hands them on.
    fn annotate_waiting(&mut self, found: &mut Found<'_>) -> Result<(), TextProblem> {
        let sentences = &mut self.sentences[..std::mem::take(&mut self.waiting)];
        let outcomes = self.worker.annotate_all(sentences);
        for ((sentence, outcome), &begins) in
            sentences.iter_mut().zip(outcomes).zip(&self.paragraphs)
        {
            self.cheaper += u64::from(outcome?.cheaper);
            found(sentence, begins);
        }
        Ok(())
    }

    fn tokenize(&mut self, block: &Block, found: &mut Found<'_>) -> Result<(), TextProblem> {
        let (Some(segmenter), Some(tokenizer)) = (&mut self.segmenter, &self.pipeline.tokenizer)
        else {
            return Ok(());
        };
        let text = block.text.as_str();
        let sentences = if self.options.format == TextFormat::Lines {
            self.stretches.clear();
            let line = |range| Stretch { range, begins_paragraph: false };
            self.stretches.extend(lines(text).map(line));
            Sentences::One
        } else {
            stretches(text, &mut self.stretches);
            Sentences::Found
        };
        self.all.clear();
        for (at, stretch) in self.stretches.iter().enumerate() {
            segmenter.segment(&text[stretch.range.clone()], sentences, &mut self.spans);
            self.cut += segmenter.take_cuts();
            let shift = stretch.range.start;
            let mut begins = stretch.begins_paragraph && !(at == 0 && block.continues);
            for span in &self.spans {
                let Span { start, end, ends_sentence } = *span;
                self.all.push(Span { start: start + shift, end: end + shift, ends_sentence });
                if ends_sentence {
                    self.begins.push(begins);
                    begins = false;
                }
            }
        }
        let mut character = block.first_character;
        let mut counted = 0;
        let (mut first, mut before) = (0, 0);
        let all = std::mem::take(&mut self.all);
        for (number, sentence) in all.split_inclusive(|span| span.ends_sentence).enumerate() {
            let start = sentence[0].start;
            if self.options.notes.ranges {
                character += text[counted..start].chars().count() as u64;
                counted = start;
            }
            let next = all.get(first + sentence.len()).map_or(text.len(), |span| span.start);
            let last = sentence[sentence.len() - 1].end;
            // Empty lines between lines belong to the next one: who waits for an answer to a line
            // has not sent them yet.
            let line_end = (self.options.format == TextFormat::Lines && next < text.len())
                .then(|| text[last..next].find('\n').map(|at| last + at + 1))
                .flatten();
            let behind = line_end.unwrap_or(next);
            let around = Surroundings {
                before: &text[before..start],
                after: &text[last..behind],
                characters: character,
            };
            before = behind;
            first += sentence.len();
            let rules = tokenizer.multiword();
            write::sentence(text, sentence, around, rules, self.options.notes, &mut self.builder);
            self.end(self.begins.get(number).copied().unwrap_or(false), found)?;
        }
        self.all = all;
        Ok(())
    }

    /// Words of one sentence, or of several if they are too many.
    fn in_pieces(&mut self, words: &[&str], found: &mut Found<'_>) -> Result<(), TextProblem> {
        for (at, part) in words.chunks(MOST_TOKENS).enumerate() {
            self.cut += u64::from(at > 0);
            write::words(part.iter().copied(), &mut self.builder);
            self.end(false, found)?;
        }
        Ok(())
    }

    fn horizontal(&mut self, text: &str, found: &mut Found<'_>) -> Result<(), TextProblem> {
        let mut words = Vec::new();
        for line in lines(text) {
            words.clear();
            // A blank that does not break is within a word, as the horizontal format writes it.
            let is_gap = |letter: char| letter.is_whitespace() && letter != '\u{a0}';
            words.extend(text[line].split(is_gap).filter(|word| !word.is_empty()));
            self.in_pieces(&words, found)?;
        }
        Ok(())
    }

    fn vertical(&mut self, text: &str, found: &mut Found<'_>) -> Result<(), TextProblem> {
        let mut words: Vec<&str> = Vec::new();
        let end = text.len()..text.len();
        for line in lines(text).chain([end]) {
            let word = text[line].split('\t').next().unwrap_or_default().trim();
            if !word.is_empty() {
                words.push(word);
                continue;
            }
            self.in_pieces(&words, found)?;
            words.clear();
        }
        Ok(())
    }
}
