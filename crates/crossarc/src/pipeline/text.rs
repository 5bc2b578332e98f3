//! Blocks of text to annotated sentences.
use conll::{Converter, Limits, ReadOptions, Reader, Sentence};

use super::{Pipeline, PipelineWorker};
use crate::annotate::AnnotateOptions;
use crossarc_text::tokenize::document::{Block, Cut};
use crossarc_text::tokenize::layout::{Stretch, lines, stretches};
use crossarc_text::tokenize::write::{self, Surroundings, TokenNotes};
use crossarc_text::tokenize::{MOST_TOKENS, Segmenter, Sentences, Span};

/// What is known about a text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TextFormat {
    /// Nothing.
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
}

/// One thread of a pipeline, for text.
pub struct TextWorker<'p> {
    pipeline: &'p Pipeline,
    worker: PipelineWorker<'p>,
    segmenter: Option<Segmenter<'p>>,
    options: TextOptions,
    converter: Option<Converter>,
    stretches: Vec<Stretch>,
    spans: Vec<Span>,
    all: Vec<Span>,
    begins: Vec<bool>,
    sentence: Sentence,
}

impl Pipeline {
    /// Memory for one thread that works on text. `converter` writes the sentences in another
    /// format than CoNLL-U.
    pub fn text_worker(
        &self,
        steps: super::Steps,
        annotate: AnnotateOptions,
        options: TextOptions,
        converter: Option<Converter>,
    ) -> TextWorker<'_> {
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
            sentence: Sentence::default(),
        }
    }
}

impl TextWorker<'_> {
    /// Tokenizes and annotates a block. Without a tokenizer, words stand between blanks.
    pub fn work(&mut self, block: &Block) -> TextChunk {
        let mut text = String::with_capacity(block.text.len() * 6);
        self.begins.clear();
        match self.options.format {
            TextFormat::Text | TextFormat::Lines if self.segmenter.is_some() => {
                self.tokenize(block, &mut text);
            }
            TextFormat::Vertical => self.vertical(&block.text, &mut text),
            _ => self.horizontal(&block.text, &mut text),
        }
        let mut chunk =
            TextChunk { invalid: (block.first_line, block.invalid), ..TextChunk::default() };
        let limits = Limits { line_bytes: 1 << 26, words: 1 << 20, sentence_bytes: 1 << 27 };
        let options =
            ReadOptions { format: Some(conll::Format::ConllU), limits, ..ReadOptions::default() };
        let Ok(mut reader) = Reader::from_bytes("text", text, options) else { return chunk };
        let mut number = 0;
        while let Ok(true) = reader.read(&mut self.sentence) {
            let begins = self.begins.get(number).copied().unwrap_or(false);
            chunk.sentences.push((chunk.text.len(), begins));
            chunk.words += self.sentence.len() as u64;
            number += 1;
            // There are no given heads that could contradict each other.
            let _ = self.worker.annotate(&mut self.sentence);
            // Writing to memory cannot fail.
            let _ = match &mut self.converter {
                Some(converter) => converter.write(&self.sentence, &mut chunk.text).map(drop),
                None => self.sentence.write_to(&mut chunk.text),
            };
        }
        chunk
    }

    fn tokenize(&mut self, block: &Block, out: &mut String) {
        let (Some(segmenter), Some(tokenizer)) = (&mut self.segmenter, &self.pipeline.tokenizer)
        else {
            return;
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
        let mut first = 0;
        for sentence in self.all.split_inclusive(|span| span.ends_sentence) {
            let start = sentence[0].start;
            if self.options.notes.ranges {
                character += text[counted..start].chars().count() as u64;
                counted = start;
            }
            let next = self.all.get(first + sentence.len()).map_or(text.len(), |span| span.start);
            let last = sentence[sentence.len() - 1].end;
            let around = Surroundings {
                before: if first == 0 { &text[..start] } else { "" },
                after: &text[last..next],
                characters: character,
            };
            first += sentence.len();
            let rules = tokenizer.multiword();
            write::sentence(text, sentence, around, rules, self.options.notes, out);
        }
    }

    fn horizontal(&mut self, text: &str, out: &mut String) {
        let mut words = Vec::new();
        for line in lines(text) {
            words.clear();
            words.extend(text[line].split_whitespace());
            for part in words.chunks(MOST_TOKENS) {
                write::words(part.iter().copied(), out);
                self.begins.push(false);
            }
        }
    }

    fn vertical(&mut self, text: &str, out: &mut String) {
        let mut words: Vec<&str> = Vec::new();
        let end = text.len()..text.len();
        for line in lines(text).chain([end]) {
            let word = text[line].split('\t').next().unwrap_or_default().trim();
            if !word.is_empty() {
                words.push(word);
                continue;
            }
            for part in words.chunks(MOST_TOKENS) {
                write::words(part.iter().copied(), out);
                self.begins.push(false);
            }
            words.clear();
        }
    }
}
