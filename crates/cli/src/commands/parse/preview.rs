//! A look at the beginning of a file before it is parsed: is it what the model was made for? What is
//! wrong is told once, before the work; what only the whole input shows is told at its end.
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use conll::{ReadOptions, Reader, Sentence};
use crossarc::pipeline::{Familiarity, Steps};
use crossarc::tree::treebank::filling::{Filling, lacking};

use super::document::Course;
use super::inputs::Document;
use crate::progress::Progress;

/// Bytes that are looked at.
const BYTES: u64 = 1 << 16;

/// What has been told already.
#[derive(Default)]
pub struct Told {
    quiet: bool,
    columns: AtomicBool,
    words: AtomicBool,
}

impl Told {
    pub fn new(quiet: bool) -> Told {
        Told { quiet, ..Told::default() }
    }

    /// Tells that columns are missing, unless it has been told of another file.
    fn columns(&self, name: &str, progress: &Progress, what: Option<String>) {
        tell(&self.columns, name, progress, what);
    }

    /// The same at the end of an input that was not looked at before.
    pub fn filling(&self, name: &str, course: Course<'_>, filling: &Filling) {
        if self.quiet {
            return;
        }
        let parser = course.pipeline.parser.as_ref();
        let columns = parser.map_or(&[][..], |parser| &parser.header.training.columns);
        self.columns(name, course.progress, lacking(columns, filling));
    }

    /// Tells that words are unknown, unless it has been told before.
    pub fn words(&self, name: &str, course: Course<'_>, seen: Familiarity) {
        if self.quiet {
            return;
        }
        tell(&self.words, name, course.progress, course.pipeline.unfamiliar(seen));
    }

    /// Looks at the beginning of a treebank file. A file that cannot be read tells so later.
    pub fn treebank(
        &self,
        document: &Document,
        options: ReadOptions,
        course: Course<'_>,
        steps: Steps,
    ) {
        let (name, pipeline) = (document.input.as_str(), course.pipeline);
        let Some(mut bytes) = self.beginning(document) else { return };
        if bytes.len() as u64 == BYTES {
            let end = bytes.windows(2).rposition(|pair| pair == b"\n\n");
            bytes.truncate(end.map_or(0, |end| end + 2));
        }
        let Ok(mut reader) = Reader::from_bytes(name, bytes, options) else { return };
        let mut sentences = Vec::new();
        let mut seen = Familiarity::default();
        let mut sentence = Sentence::default();
        loop {
            match reader.read(&mut sentence) {
                Ok(true) => {
                    sentence.words().for_each(|word| pipeline.note_form(word.form(), &mut seen));
                    sentences.push(sentence.clone());
                }
                Err(error) if error.is_recoverable() => {}
                _ => break,
            }
        }
        self.columns(name, course.progress, pipeline.lacking(&sentences, steps));
        self.words(name, course, seen);
    }

    /// Looks at the beginning of a text.
    pub fn text(&self, document: &Document, course: Course<'_>) {
        let Some(bytes) = self.beginning(document) else { return };
        let text = String::from_utf8_lossy(&bytes);
        let mut seen = Familiarity::default();
        for piece in text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'') {
            course.pipeline.note_form(piece, &mut seen);
        }
        self.words(&document.input, course, seen);
    }

    /// The first bytes of a file; of other inputs nothing, they can be read only once.
    fn beginning(&self, document: &Document) -> Option<Vec<u8>> {
        let path = document.path.as_deref().filter(|path| !self.quiet && path.is_file())?;
        let mut bytes = Vec::new();
        conll::open_input(path).ok()?.take(BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

fn tell(told: &AtomicBool, name: &str, progress: &Progress, what: Option<String>) {
    if let Some(what) = what.filter(|_| !told.swap(true, Ordering::Relaxed)) {
        let name = conll::printable(name);
        progress.suspend(|| anstream::eprintln!("{name}: warning: {what}"));
    }
}
