//! `crossarc parse`
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use conll::parallel::{Item, map_jobs, map_ordered};
use conll::{Converter, Format, Reader, Sentence};
use crossarc::Pipeline;
use crossarc::annotate::AnnotateOptions;
use crossarc::parser::{Approximate, ParseOptions};
use crossarc::pipeline::text::TextChunk;
use crossarc::pipeline::{Components, Steps, TextError, TextFormat, TextOptions};
use crossarc::text::tokenize::document::Blocks;
use crossarc::text::tokenize::write::TokenNotes;
use crossarc::tree::treebank::filling::Filling;
use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::{
    OnError, Output, Quiet, Reading, RootsArgument, Sink, Tally, Threads, approximation, beam_width,
};

/// Parse text or sentences with a model.
///
/// Text is split into sentences and words, tagged, lemmatized and parsed, as far as the model can.
/// Of treebank files HEAD and DEPREL are written, and tags and lemmas where a sentence has none; all
/// else comes out as it went in. Everything streams through, in order, on all cores, and memory does
/// not depend on the size of the input.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc parse \"A hearing is scheduled on the issue today.\"\n  crossarc parse novel.txt -o novel.conllu\n  cat page.txt | crossarc parse | crossarc draw\n  crossarc parse -m hu.crossarc regény.txt -o regény.conllu\n  crossarc parse -m en.crossarc tagged.conllu -o parsed.conllu\n  zcat corpus.conllu.gz | crossarc parse -m en.crossarc > parsed.conllu\n  crossarc parse -m en.crossarc --tag --parse words.conllu\n  crossarc parse -m en.crossarc --from horizontal --to conllx tokenized.txt\n  crossarc parse -m en.crossarc --keep-heads half-annotated.conllu\n\nFormats of the input (--from):\n  text         raw text\n  lines        one sentence a line\n  horizontal   one sentence a line, blanks between words\n  vertical     one word a line, an empty line behind each sentence\n  conllu, conllup, conllx, conll09\n\nExit codes: 0 all is well, 1 a sentence was bad, 2 wrong usage"
)]
#[allow(clippy::struct_excessive_bools, reason = "switches")]
pub struct Parse {
    /// Model to parse with; the English one inside this program if not given
    #[arg(long, short, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Files to parse, or text: an argument that names no file and holds a blank is text. None or
    /// `-` is standard input; gzip, xz and zstd are recognised
    #[arg(value_name = "FILE|TEXT")]
    inputs: Vec<String>,

    /// Take all arguments for text
    #[arg(long)]
    text: bool,

    /// Format of the input; recognised by content if not given
    #[arg(long, value_name = "FORMAT", value_parser = source)]
    from: Option<Source>,

    #[command(flatten)]
    output: Output,

    /// Format of the output: conllu, conllup, conllx or conll09; that of the input, or conllu, if
    /// not given
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,

    /// Split text; with none of --tokenize, --tag and --parse all that is missing is done
    #[arg(long)]
    tokenize: bool,

    /// Find tags, features and lemmas, also where there are some
    #[arg(long)]
    tag: bool,

    /// Find heads and labels
    #[arg(long = "parse")]
    find_trees: bool,

    /// Refuse text that is not UTF-8 instead of replacing what cannot be read
    #[arg(long)]
    strict: bool,

    /// Leave out `SpacesAfter` and `SpacesBefore`, from which text can be rebuilt exactly
    #[arg(long)]
    no_spaces_after: bool,

    /// Put the place of every token in the text into MISC, as `TokenRange=0:5`, in characters
    #[arg(long)]
    token_range: bool,

    /// Width of the beam; what the model was trained for if not given
    #[arg(long, value_name = "N", value_parser = beam_width)]
    beam: Option<usize>,

    /// Exact search: graph parsers look at all heads, a beam drops nothing that has a place in it
    #[arg(long)]
    no_prune: bool,

    /// Graph parsers: crossing arcs by approximation: off, or by how much a change must gain
    #[arg(long, value_name = "off|T", value_parser = approximation)]
    approximation: Option<Approximate>,

    /// Parser `eisner`, or a beam: write the N best trees of each sentence, with rank and score as comments
    #[arg(long, value_name = "N", conflicts_with_all = ["keep_heads", "scores"])]
    kbest: Option<usize>,

    /// Put into MISC how sure the parser is of each arc, as `Score=0.97`
    #[arg(long)]
    scores: bool,

    /// Keep heads and labels that are there already, and fill the gaps
    #[arg(long)]
    keep_heads: bool,

    /// What to do with a bad sentence: `stop`, or `skip` it and go on (exit code 1 at the end)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    on_error: OnError,

    /// How many words may have head 0: one in CoNLL-U and several in CoNLL-X (`format`), or
    /// everywhere `any` or `one`
    #[arg(long, value_name = "HOW-MANY", value_enum, default_value_t)]
    roots: RootsArgument,

    /// Take lemma, tag and features from the predicted columns (CoNLL-2009)
    #[arg(long)]
    predicted: bool,

    #[command(flatten)]
    quiet: Quiet,

    #[command(flatten)]
    threads: Threads,
}

/// A format of the input.
#[derive(Copy, Clone, Debug)]
enum Source {
    Text(TextFormat),
    Treebank(Format),
}

fn source(name: &str) -> Result<Source, String> {
    if let Some((_, format)) = TextFormat::NAMES.iter().find(|(known, _)| *known == name) {
        return Ok(Source::Text(*format));
    }
    name.parse().map(Source::Treebank).map_err(|_| {
        format!(
            "unknown format `{name}`, expected one of text, lines, horizontal, vertical, conllu, conllup, conllx, conll09"
        )
    })
}

/// What a chunk of the input became.
#[derive(Default)]
struct Chunk {
    text: Vec<u8>,
    sentences: u64,
    words: u64,
    cheaper: u64,
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

/// One input: its name in messages, its name in the output, what it holds.
struct Opened {
    name: String,
    document: Option<String>,
    content: Box<dyn Read + Send>,
    source: Kind,
}

/// Text, or a treebank whose format may be known.
enum Kind {
    Text(TextFormat),
    Treebank(Option<Format>),
}

impl Parse {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let pipeline = match &self.model {
            Some(path) => Pipeline::open(path)?,
            None => crossarc_english::pipeline().context("the model inside this program")?,
        };
        let pipeline = pipeline.components();
        self.check_ranking(pipeline)?;
        let mut out = self.output.create()?;
        let bar = self.bar();
        let mut tally = Tally::default();
        let mut text_sentences = 0;
        let mut cheaper = 0;
        for input in self.opened(pipeline)? {
            match input.source {
                Kind::Text(format) => {
                    self.text_input(pipeline, input, format, &mut text_sentences, &mut out, &bar)?;
                }
                Kind::Treebank(format) => {
                    cheaper +=
                        self.treebank(pipeline, input, format, &mut tally, &mut out, &bar)?;
                }
            }
        }
        bar.finish_and_clear();
        out.finish()?;
        if cheaper > 0 && !self.quiet.quiet {
            anstream::eprintln!(
                "{cheaper} sentences were too large for the search of this parser: a cheaper one was used"
            );
        }
        tally.report();
        Ok(tally.exit_code())
    }

    fn check_ranking(&self, pipeline: &Components) -> anyhow::Result<()> {
        let Some(parser) = pipeline.parser.as_ref().filter(|_| self.kbest.is_some()) else {
            return Ok(());
        };
        let beam = parser.header.graph.is_none() && self.beam.unwrap_or(parser.header.beam) > 1;
        anyhow::ensure!(
            parser.header.parser == "eisner" || (beam && parser.header.bundle.is_none()),
            "--kbest needs a model of the parser `eisner` or a transition parser with a beam; this one is of `{}`",
            parser.header.parser
        );
        anyhow::ensure!(
            parser.header.codec.transformations.is_empty(),
            "--kbest does not go with a model that transforms sentences"
        );
        Ok(())
    }

    fn steps(&self) -> Steps {
        if self.tokenize || self.tag || self.find_trees {
            return Steps { tag: Some(self.tag), parse: self.find_trees };
        }
        Steps::default()
    }

    fn annotate_options(&self) -> AnnotateOptions {
        AnnotateOptions {
            parse: ParseOptions {
                beam: self.beam,
                confidences: self.scores,
                exact: self.no_prune,
                approximation: self.approximation,
            },
            keep_heads: self.keep_heads,
        }
    }

    fn reading(&self, from: Option<Format>) -> Reading {
        Reading {
            from,
            on_error: self.on_error,
            roots: self.roots,
            predicted: self.predicted,
            quiet: self.quiet,
        }
    }

    /// Opens all inputs before anything is written.
    fn opened(&self, pipeline: &Components) -> anyhow::Result<Vec<Opened>> {
        let stdin = ["-".to_owned()];
        let inputs = if self.inputs.is_empty() { &stdin[..] } else { &self.inputs };
        inputs.iter().map(|input| self.open(pipeline, input)).collect()
    }

    fn open(&self, pipeline: &Components, input: &str) -> anyhow::Result<Opened> {
        let path = Path::new(input);
        if self.text || (input.contains(char::is_whitespace) && !path.exists()) {
            let source = match self.from {
                Some(Source::Text(format)) => format,
                _ => TextFormat::Text,
            };
            need_tokenizer(pipeline, source)?;
            return Ok(Opened {
                name: "text".to_owned(),
                document: None,
                content: Box::new(Cursor::new(input.as_bytes().to_vec())),
                source: Kind::Text(source),
            });
        }
        let is_stdin = input == "-";
        let name = if is_stdin { "stdin".to_owned() } else { input.to_owned() };
        let mut content = conll::open_input(path).with_context(|| name.clone())?;
        let source = match self.from {
            Some(Source::Text(format)) => Kind::Text(format),
            Some(Source::Treebank(format)) => Kind::Treebank(Some(format)),
            None if self.tokenize => Kind::Text(TextFormat::Text),
            None if pipeline.tokenizer.is_none() => Kind::Treebank(None),
            None => {
                let mut start = Vec::new();
                content
                    .by_ref()
                    .take(SNIFFED as u64)
                    .read_to_end(&mut start)
                    .with_context(|| name.clone())?;
                let treebank = start.is_empty() || looks_like_treebank(&start);
                content = Box::new(Cursor::new(start).chain(content));
                if treebank { Kind::Treebank(None) } else { Kind::Text(TextFormat::Text) }
            }
        };
        if let Kind::Text(format) = source {
            need_tokenizer(pipeline, format)?;
        }
        let stem =
            path.file_stem().map(|stem| stem.to_string_lossy().replace(char::is_whitespace, "_"));
        Ok(Opened { name, document: stem.filter(|_| !is_stdin), content, source })
    }

    fn treebank(
        &self,
        pipeline: &Components,
        input: Opened,
        format: Option<Format>,
        tally: &mut Tally,
        out: &mut Sink,
        bar: &ProgressBar,
    ) -> anyhow::Result<u64> {
        let mut cheaper = 0;
        let mut filling = Filling::default();
        let reading = self.reading(format);
        let (steps, options) = (self.steps(), self.annotate_options());
        let mut reader = Reader::from_read(&input.name, input.content, reading.options())?;
        let name = reader.name().to_owned();
        map_ordered(
            &mut reader,
            self.threads.count(),
            || (pipeline.worker(steps, options.clone()), self.to.map(Converter::new)),
            |(worker, converter), item, chunk: &mut Chunk| match item {
                Item::Sentence(sentence) => {
                    chunk.sentences += 1;
                    chunk.words += sentence.len() as u64;
                    if let Some(most) = self.kbest {
                        for one in worker.alternatives(sentence, most) {
                            write(&one, converter, &mut chunk.text);
                        }
                        return;
                    }
                    let annotated = worker.annotate(sentence);
                    chunk.filling.add(sentence);
                    match annotated {
                        Ok(summary) => chunk.cheaper += u64::from(summary.cheaper),
                        Err(error) => {
                            let line = sentence.first_line();
                            chunk.failures.push(format!("{name}:{line}: {error}"));
                        }
                    }
                    write(sentence, converter, &mut chunk.text);
                }
                Item::Rejected { error, text, .. } => {
                    chunk.errors.push(error);
                    if self.to.is_none() && !text.is_empty() {
                        chunk.text.extend_from_slice(text);
                        let end = if text.ends_with(b"\n") { &b"\n"[..] } else { b"\n\n" };
                        chunk.text.extend(end);
                    }
                }
            },
            |chunk| -> anyhow::Result<()> {
                tally.sentences += chunk.sentences;
                cheaper += chunk.cheaper;
                filling.merge(&chunk.filling);
                for error in chunk.errors {
                    tally.rejected += 1;
                    bar.suspend(|| reading.refuse(error))?;
                }
                for failure in chunk.failures {
                    anyhow::ensure!(self.on_error == OnError::Skip, "{failure}");
                    tally.rejected += 1;
                    bar.suspend(|| anstream::eprintln!("{failure}"));
                }
                out.write_all(&chunk.text)?;
                bar.inc(chunk.words);
                Ok(())
            },
        )?;
        bar.suspend(|| reading.warn(&reader));
        if let Some(parser) = pipeline.parser.as_ref().filter(|_| !self.quiet.quiet) {
            let columns = parser.header.training.columns.iter();
            for missed in columns.filter_map(|column| column.missed(&filling)) {
                bar.suspend(|| anstream::eprintln!("{name}: {missed}"));
            }
        }
        Ok(cheaper)
    }

    fn text_input(
        &self,
        pipeline: &Components,
        input: Opened,
        format: TextFormat,
        sentences: &mut u64,
        out: &mut Sink,
        bar: &ProgressBar,
    ) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.kbest.is_none(),
            "--kbest takes sentences in a treebank format, not text"
        );
        let (steps, annotate) = (self.steps(), self.annotate_options());
        let notes = TokenNotes { spaces: !self.no_spaces_after, ranges: self.token_range };
        let options = TextOptions { format, notes };
        let mut blocks = Blocks::new(input.content, format.cut());
        let name = &input.name;
        let comments = self.to.is_none_or(Format::is_universal);
        let mut begins_document = true;
        let mut invalid = 0;
        map_jobs(
            self.threads.count(),
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
            || pipeline.text_worker(steps, annotate.clone(), options, self.to.map(Converter::new)),
            |worker, block| worker.work(&block),
            |chunk: Result<TextChunk, TextError>| -> anyhow::Result<()> {
                let chunk = chunk.with_context(|| name.clone())?;
                invalid += chunk.invalid.1;
                bar.inc(chunk.words);
                if !comments {
                    out.write_all(&chunk.text)?;
                    return Ok(());
                }
                for (at, &(start, begins_paragraph)) in chunk.sentences.iter().enumerate() {
                    let end = chunk.sentences.get(at + 1).map_or(chunk.text.len(), |next| next.0);
                    *sentences += 1;
                    if begins_document {
                        match &input.document {
                            Some(id) => writeln!(out, "# newdoc id = {id}")?,
                            None => writeln!(out, "# newdoc")?,
                        }
                        begins_document = false;
                    }
                    if begins_paragraph {
                        writeln!(out, "# newpar")?;
                    }
                    writeln!(out, "# sent_id = {sentences}")?;
                    out.write_all(&chunk.text[start..end])?;
                }
                Ok(())
            },
        )?;
        if invalid > 0 && !self.quiet.quiet {
            bar.suspend(|| {
                anstream::eprintln!(
                    "{name}: warning: {invalid} sequences of bytes were not UTF-8 and became U+FFFD"
                );
            });
        }
        Ok(())
    }

    fn bar(&self) -> ProgressBar {
        if self.quiet.quiet || self.output.output.is_none() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} words, {per_sec}") {
            bar.set_style(style);
        }
        bar
    }
}

fn need_tokenizer(pipeline: &Components, format: TextFormat) -> anyhow::Result<()> {
    anyhow::ensure!(
        pipeline.tokenizer.is_some() || !format.needs_tokenizer(),
        "the model has no tokenizer: train one with `crossarc train --pipeline`, or give sentences in CoNLL-U, or words with `--from horizontal` or `--from vertical`"
    );
    Ok(())
}

/// Bytes by which text is told from a treebank.
const SNIFFED: usize = 1 << 14;

/// Whether the first line that is no comment starts with a number and has tabs.
fn looks_like_treebank(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    if start.starts_with(b"# global.columns") {
        return true;
    }
    let mut lines = start
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"));
    lines.next().is_some_and(|line| {
        line.first().is_some_and(u8::is_ascii_digit)
            && line.split(|&byte| byte == b'\t').count() > 5
    })
}
