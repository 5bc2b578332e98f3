//! One input, from the first sentence to the last.
use std::io::{Read, Write};

use anyhow::Context;
use conll::parallel::{Item, map_jobs, map_ordered_runs};
use conll::{Converter, Format, Reader, Sentence};
use crossarc::pipeline::text::TextChunk;
use crossarc::pipeline::{
    Components, Familiarity, PipelineWorker, TextError, TextFormat, TextOptions,
};
use crossarc::text::tokenize::document::Blocks;
use crossarc::text::tokenize::write::TokenNotes;
use crossarc::tree::treebank::filling::Filling;
use serde_json::{Map, Value};

use super::inputs::{Document, Kind, Opened};
use super::preview::Told;
use super::{Parse, Target};
use crate::arguments::{OnError, Sink, Tally};
use crate::export::Exporter;
use crate::progress::Progress;

/// What all documents share.
#[derive(Copy, Clone)]
pub struct Course<'c> {
    pub pipeline: &'c Components,
    /// Threads for one document.
    pub threads: usize,
    pub progress: &'c Progress,
    /// What has been told of the input.
    pub told: &'c Told,
}

/// Bad documents whose names are remembered.
const MOST_NAMES: usize = 10_000;

/// What became of documents.
#[derive(Default)]
pub struct Report {
    pub tally: Tally,
    /// Sentences that a cheaper search was used for.
    pub cheaper: u64,
    /// Tokens and sentences of text that were too long and were cut.
    pub cut: u64,
    /// Documents that were bad, and how many more there were.
    pub failed: Vec<String>,
    pub unnamed: u64,
}

impl Report {
    pub fn add(&mut self, other: Report) {
        self.tally.sentences += other.tally.sentences;
        self.tally.rejected += other.tally.rejected;
        self.cheaper += other.cheaper;
        self.cut += other.cut;
        self.unnamed += other.unnamed;
        other.failed.into_iter().for_each(|name| self.fail(name));
    }

    /// A document was bad.
    pub fn fail(&mut self, name: String) {
        if self.failed.len() < MOST_NAMES {
            self.failed.push(name);
        } else {
            self.unnamed += 1;
        }
    }

    /// Adds what a piece of text became.
    pub fn add_chunk(&mut self, chunk: &TextChunk) {
        self.cheaper += chunk.cheaper;
        self.cut += chunk.cut;
    }
}

/// Where sentences go, with what numbers them.
pub struct Outlet {
    sink: Sink,
    exporter: Option<Exporter>,
    /// Whether comments tell documents, paragraphs and sentences.
    comments: bool,
    /// The document that is written.
    name: Option<String>,
    begins: bool,
    /// Sentences of this document so far; of all documents without a name.
    sentences: u64,
    nameless: u64,
}

impl Outlet {
    pub fn new(sink: Sink, target: Option<Target>) -> Outlet {
        let exporter = match target {
            Some(Target::Export(kind)) => Some(Exporter::new(kind)),
            _ => None,
        };
        let comments = match target {
            Some(Target::Treebank(format)) => format.is_universal(),
            _ => true,
        };
        Outlet { sink, exporter, comments, name: None, begins: false, sentences: 0, nameless: 0 }
    }

    /// A document begins.
    pub fn begin_document(&mut self, name: Option<&str>) {
        self.name = name.map(str::to_owned);
        self.begins = true;
        self.sentences = if name.is_none() { self.nameless } else { 0 };
    }

    /// A document begins that has more than sentences.
    pub fn begin_document_with(
        &mut self,
        name: &str,
        fields: &Map<String, Value>,
    ) -> anyhow::Result<()> {
        self.begin_document(Some(name));
        if let Some(exporter) = &mut self.exporter {
            exporter.fields(fields.clone());
        } else if self.comments && !fields.is_empty() {
            writeln!(self.sink, "# newdoc id = {name}")?;
            for (key, value) in fields {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                writeln!(self.sink, "# meta::{} = {}", plain(key), plain(&value))?;
            }
            self.begins = false;
        }
        Ok(())
    }

    /// Sentences as they are to be written.
    pub fn add(&mut self, text: &[u8]) -> anyhow::Result<()> {
        match &mut self.exporter {
            Some(exporter) => {
                exporter.add_text(text)?;
                exporter.drain(&mut self.sink)?;
            }
            None => self.sink.write_all(text)?,
        }
        self.sink.pass_on().map_err(Into::into)
    }

    /// Sentences of a text, to be numbered.
    pub fn add_sentences(&mut self, chunk: &TextChunk) -> anyhow::Result<()> {
        if !self.comments {
            return self.add(&chunk.text);
        }
        let mut text = Vec::with_capacity(chunk.text.len() + 64 * chunk.sentences.len());
        for (at, &(start, begins_paragraph)) in chunk.sentences.iter().enumerate() {
            let end = chunk.sentences.get(at + 1).map_or(chunk.text.len(), |next| next.0);
            self.sentences += 1;
            if std::mem::take(&mut self.begins) {
                match &self.name {
                    Some(id) => writeln!(text, "# newdoc id = {id}")?,
                    None => writeln!(text, "# newdoc")?,
                }
            }
            if begins_paragraph {
                writeln!(text, "# newpar")?;
            }
            match &self.name {
                Some(id) => writeln!(text, "# sent_id = {id}-{}", self.sentences)?,
                None => writeln!(text, "# sent_id = {}", self.sentences)?,
            }
            text.extend(&chunk.text[start..end]);
        }
        if self.name.is_none() {
            self.nameless = self.sentences;
        }
        self.add(&text)
    }

    pub fn finish(mut self) -> anyhow::Result<()> {
        if let Some(exporter) = &mut self.exporter {
            exporter.finish(&mut self.sink)?;
        }
        self.sink.finish()
    }
}

/// What a chunk of the input became.
#[derive(Default)]
struct Chunk {
    text: Vec<u8>,
    sentences: u64,
    words: u64,
    cheaper: u64,
    seen: Familiarity,
    filling: Filling,
    errors: Vec<conll::Error>,
    failures: Vec<String>,
}

fn write(sentence: &Sentence, converter: &mut Option<Converter>, text: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = match converter {
        Some(converter) => converter.write(sentence, text),
        None => sentence.write_to(text),
    };
}

/// One thread on a treebank: sentences wait until there are as many as the parser likes to get at once.
struct Annotating<'p> {
    worker: PipelineWorker<'p>,
    converter: Option<Converter>,
    waiting: Vec<Sentence>,
}

impl Annotating<'_> {
    /// Annotates the sentences that wait.
    fn finish(&mut self, name: &str, chunk: &mut Chunk) {
        let Annotating { worker, converter, waiting } = self;
        let outcomes = worker.annotate_all(waiting);
        for (sentence, outcome) in waiting.drain(..).zip(outcomes) {
            chunk.filling.add(&sentence);
            match outcome {
                Ok(summary) => chunk.cheaper += u64::from(summary.cheaper),
                Err(error) => {
                    let line = sentence.first_line();
                    chunk.failures.push(format!("{name}:{line}: {error}"));
                }
            }
            write(&sentence, converter, &mut chunk.text);
        }
    }
}

impl Parse {
    /// Parses one input.
    pub(super) fn document(
        &self,
        course: Course<'_>,
        document: &Document,
        out: &mut Outlet,
    ) -> anyhow::Result<Report> {
        let Opened { content, source } = self.open(course.pipeline, document, course.progress)?;
        match source {
            Kind::Text(format) => self.text_input(course, document, content, format, out),
            Kind::JsonLines => self.json_lines(course, document, content, out),
            Kind::Treebank(format) => self.treebank(course, document, content, format, out),
        }
    }

    /// How text is worked on.
    pub(super) fn text_options(&self, format: TextFormat) -> TextOptions {
        let notes = TokenNotes { spaces: !self.no_spaces_after, ranges: self.token_range };
        TextOptions { format, notes }
    }

    fn treebank(
        &self,
        course: Course<'_>,
        document: &Document,
        content: Box<dyn Read + Send>,
        format: Option<Format>,
        out: &mut Outlet,
    ) -> anyhow::Result<Report> {
        let Course { pipeline, threads, progress, told } = course;
        let mut report = Report::default();
        let mut filling = Filling::default();
        let mut seen = Familiarity::default();
        let reading = self.reading(format);
        let (steps, options) = (self.steps(), self.annotate_options());
        told.treebank(document, reading.options(), course, steps);
        let mut reader = Reader::from_read(&document.input, content, reading.options())?;
        let name = reader.name().to_owned();
        let annotating = || Annotating {
            worker: pipeline.worker(steps, options.clone()),
            converter: self.format().map(Converter::new),
            waiting: Vec::new(),
        };
        map_ordered_runs(
            &mut reader,
            threads,
            annotating,
            |annotating, item, chunk: &mut Chunk| match item {
                Item::Sentence(sentence) => {
                    chunk.sentences += 1;
                    chunk.words += sentence.len() as u64;
                    let words = sentence.words();
                    words.for_each(|word| pipeline.note_form(word.form(), &mut chunk.seen));
                    if let Some(most) = self.kbest {
                        let Annotating { worker, converter, .. } = annotating;
                        for one in worker.alternatives(sentence, most) {
                            write(&one, converter, &mut chunk.text);
                        }
                        return;
                    }
                    annotating.waiting.push(std::mem::take(sentence));
                    if annotating.waiting.len() >= annotating.worker.batch() {
                        annotating.finish(&name, chunk);
                    }
                }
                Item::Rejected { error, text, .. } => {
                    annotating.finish(&name, chunk);
                    chunk.errors.push(error);
                    if self.target().is_none() && !text.is_empty() {
                        chunk.text.extend_from_slice(text);
                        let end = if text.ends_with(b"\n") { &b"\n"[..] } else { b"\n\n" };
                        chunk.text.extend(end);
                    }
                }
            },
            |annotating, chunk| annotating.finish(&name, chunk),
            |chunk| -> anyhow::Result<()> {
                report.tally.sentences += chunk.sentences;
                report.cheaper += chunk.cheaper;
                filling.merge(&chunk.filling);
                seen.merge(chunk.seen);
                for error in chunk.errors {
                    report.tally.rejected += 1;
                    progress.suspend(|| reading.refuse(error))?;
                }
                for failure in chunk.failures {
                    anyhow::ensure!(self.on_error == OnError::Skip, "{failure}");
                    report.tally.rejected += 1;
                    progress.suspend(|| anstream::eprintln!("{}", conll::printable(&failure)));
                }
                progress.words(chunk.words);
                out.add(&chunk.text)
            },
        )?;
        progress.suspend(|| reading.warn(&reader));
        told.filling(&document.input, course, &filling);
        told.words(&document.input, course, seen);
        Ok(report)
    }

    fn text_input(
        &self,
        course: Course<'_>,
        document: &Document,
        content: Box<dyn Read + Send>,
        format: TextFormat,
        out: &mut Outlet,
    ) -> anyhow::Result<Report> {
        let Course { pipeline, threads, progress, told } = course;
        anyhow::ensure!(
            self.kbest.is_none(),
            "--kbest takes sentences in a treebank format, not text"
        );
        let (steps, annotate) = (self.steps(), self.annotate_options());
        let options = self.text_options(format);
        let mut blocks = Blocks::new(content, format.cut());
        let name = &document.input;
        out.begin_document(document.name.as_deref());
        let mut invalid = 0;
        let mut report = Report::default();
        let mut seen = Familiarity::default();
        if !self.html {
            told.text(document, course);
        }
        map_jobs(
            threads,
            || -> anyhow::Result<_> {
                let block = blocks.next_block().with_context(|| name.clone())?;
                if let Some(block) = block.as_ref().filter(|block| self.strict && block.invalid > 0)
                {
                    anyhow::bail!(
                        "{name}:{}: the text is not UTF-8 here or in the lines that follow; convert it, or leave out --strict",
                        block.first_line
                    );
                }
                Ok(block)
            },
            || {
                pipeline.text_worker(
                    steps,
                    annotate.clone(),
                    options,
                    self.format().map(Converter::new),
                )
            },
            |worker, block| worker.work(&block),
            |chunk: Result<TextChunk, TextError>| -> anyhow::Result<()> {
                let chunk = chunk.with_context(|| name.clone())?;
                invalid += chunk.invalid.1;
                report.add_chunk(&chunk);
                seen.merge(chunk.seen);
                progress.words(chunk.words);
                out.add_sentences(&chunk)
            },
        )?;
        if invalid > 0 && !self.quiet.quiet {
            progress.suspend(|| {
                anstream::eprintln!(
                    "{}: warning: {invalid} sequences of bytes were not UTF-8 and became U+FFFD",
                    conll::printable(name)
                );
            });
        }
        told.words(name, course, seen);
        Ok(report)
    }
}
