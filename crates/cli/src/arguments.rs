//! Arguments that mean the same in every command, and what reading and writing have in common.
#![allow(dead_code, reason = "each command takes the groups it needs")]
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use conll::{AtomicFile, Format, Limits, ReadOptions, Reader, Roots, Sentence};
use crossarc::Abbreviations;
use crossarc::eval::{Punctuation, Settings};
use crossarc::model::Opening;
use crossarc::transition::searches::MOST_BEAM;

/// The files to read, and how.
#[derive(Args, Clone, Debug)]
pub struct Inputs {
    /// Files to read; none or `-` is standard input; gzip, xz and zstd are recognised
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub reading: Reading,
}

/// How to read.
#[derive(Args, Clone, Debug, Default)]
pub struct Reading {
    /// Format of the input: conllu, conllup, conllx or conll09; recognised by content if not given
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,

    /// What to do with a bad sentence: `stop`, or `skip` it and go on (exit code 1 at the end)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub on_error: OnError,

    /// How many words may have head 0: one in CoNLL-U and several in CoNLL-X (`format`), or
    /// everywhere `any` or `one`
    #[arg(long, value_name = "HOW-MANY", value_enum, default_value_t)]
    pub roots: RootsArgument,

    /// Take lemma, tag and features from the predicted columns (CoNLL-2009)
    #[arg(long)]
    pub predicted: bool,

    #[command(flatten)]
    pub unpacking: Unpacking,

    #[command(flatten)]
    pub quiet: Quiet,
}

/// The width of a beam.
pub fn beam_width(text: &str) -> Result<usize, String> {
    let width = text.parse().ok().filter(|width| (1..=MOST_BEAM).contains(width));
    width.ok_or_else(|| format!("a whole number from 1 (greedy) to {MOST_BEAM}"))
}

/// Reads a list of abbreviations; none if there is no file.
pub fn abbreviations(path: Option<&Path>) -> anyhow::Result<Abbreviations> {
    let Some(path) = path else { return Ok(Abbreviations::default()) };
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.parse().with_context(|| format!("in {}", path.display()))
}

/// What to do with a bad sentence.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnError {
    /// Stop at the first
    #[default]
    Stop,
    /// Report it, leave it out (or copy it untouched into CoNLL-U and its kin), and go on
    Skip,
}

/// How many words may have head 0.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RootsArgument {
    /// As the format says
    #[default]
    Format,
    /// Several
    Any,
    /// One
    One,
}

/// What an archive may become.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Unpacking {
    /// Bytes that an archive (gzip, xz, zstd) may unpack to; if not given, a thousand times its size, and
    /// always a gibibyte
    #[arg(long, value_name = "BYTES")]
    pub max_unpacked: Option<u64>,
}

/// Whether to tell anything but errors.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Quiet {
    /// No warnings and no progress, errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// Where the output goes.
#[derive(Args, Clone, Debug, Default)]
pub struct Output {
    /// Write to this file instead of standard output; it appears when it is complete
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// How a model comes into memory.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct OpeningArgument {
    /// Read the model file into memory instead of mapping it: for files that may be overwritten or cut off
    /// meanwhile, as on shared folders
    #[arg(long)]
    pub no_mmap: bool,
}

impl From<OpeningArgument> for Opening {
    fn from(argument: OpeningArgument) -> Opening {
        if argument.no_mmap { Opening::Read } else { Opening::Map }
    }
}

/// How many threads work.
#[derive(Args, Clone, Copy, Debug)]
pub struct Threads {
    /// Number of threads; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

impl Threads {
    /// The number of threads.
    pub fn count(self) -> usize {
        self.threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            usize::from,
        )
    }
}

/// The seed of everything random.
#[derive(Args, Clone, Copy, Debug)]
pub struct SeedArgument {
    /// Seed of everything random: the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// A sentence, or the text of one that was refused.
pub enum Item<'a> {
    /// A good sentence.
    Sentence(&'a mut Sentence),
    /// A bad one.
    Rejected(Rejected<'a>),
}

/// A sentence that was refused.
#[derive(Copy, Clone)]
pub struct Rejected<'a> {
    /// Its lines, untouched, without the blank line behind them; empty if there were too many.
    pub text: &'a [u8],
    /// The format of its file.
    pub format: Format,
}

/// How many sentences were read.
#[derive(Copy, Clone, Debug, Default)]
pub struct Tally {
    /// Good sentences.
    pub sentences: u64,
    /// Bad sentences that were skipped.
    pub rejected: u64,
}

impl Tally {
    /// Success if no sentence was bad.
    pub fn exit_code(self) -> ExitCode {
        ExitCode::from(u8::from(self.rejected > 0))
    }

    /// Says how many sentences were bad, if any.
    pub fn report(self) {
        if self.rejected > 0 {
            let all = self.sentences + self.rejected;
            anstream::eprintln!("crossarc: {} of {all} sentences were bad", self.rejected);
        }
    }
}

impl Reading {
    /// The options for the reader; add to them what the command needs.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.from,
            roots: match self.roots {
                RootsArgument::Format => Roots::ByFormat,
                RootsArgument::Any => Roots::Any,
                RootsArgument::One => Roots::One,
            },
            predicted: self.predicted,
            limits: Limits { unpacked_bytes: self.unpacking.max_unpacked, ..Limits::default() },
            ..ReadOptions::default()
        }
    }

    /// Hands every sentence of one file to `each`, reports bad ones as `--on-error` says, and tells
    /// the warnings at the end of the file.
    pub fn for_each_in(
        &self,
        path: &Path,
        options: ReadOptions,
        tally: &mut Tally,
        mut each: impl FnMut(Item<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut reader = Reader::open(path, options)?;
        let mut sentence = Sentence::default();
        loop {
            match reader.read(&mut sentence) {
                Ok(true) => {
                    tally.sentences += 1;
                    each(Item::Sentence(&mut sentence))?;
                }
                Ok(false) => break,
                Err(error) => {
                    self.refuse(error)?;
                    tally.rejected += 1;
                    let format = reader.format();
                    each(Item::Rejected(Rejected { text: reader.rejected(), format }))?;
                }
            }
        }
        self.warn(&reader);
        Ok(())
    }

    /// Passes the error on, or only tells it if bad sentences are skipped.
    pub fn refuse(&self, error: conll::Error) -> anyhow::Result<()> {
        if self.on_error == OnError::Stop || !error.is_recoverable() {
            return Err(error.into());
        }
        anstream::eprintln!("{error}");
        Ok(())
    }

    /// Tells the warnings of a reader.
    pub fn warn(&self, reader: &Reader) {
        if !self.quiet.quiet {
            for warning in reader.warnings() {
                anstream::eprintln!("{warning}");
            }
        }
    }
}

impl Inputs {
    /// The files, standard input if none is named.
    pub fn paths(&self) -> Vec<PathBuf> {
        if self.files.is_empty() { vec![PathBuf::from("-")] } else { self.files.clone() }
    }

    /// Hands every sentence of every file to `each`, and the text of refused ones too if they are
    /// skipped; warnings and refusals are told on standard error.
    pub fn for_each_item(
        &self,
        options: ReadOptions,
        mut each: impl FnMut(Item<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Tally> {
        let mut tally = Tally::default();
        for path in self.paths() {
            self.reading.for_each_in(&path, options, &mut tally, &mut each)?;
        }
        tally.report();
        Ok(tally)
    }

    /// Hands every good sentence of every file to `each`.
    pub fn for_each(
        &self,
        options: ReadOptions,
        mut each: impl FnMut(&mut Sentence) -> anyhow::Result<()>,
    ) -> anyhow::Result<Tally> {
        self.for_each_item(options, |item| match item {
            Item::Sentence(sentence) => each(sentence),
            Item::Rejected(_) => Ok(()),
        })
    }

    /// All good sentences of all files, in memory.
    pub fn read_all(&self, options: ReadOptions) -> anyhow::Result<(Vec<Sentence>, Tally)> {
        let mut sentences = Vec::new();
        let tally = self.for_each(options, |sentence| {
            sentences.push(sentence.clone());
            Ok(())
        })?;
        Ok((sentences, tally))
    }
}

impl Output {
    /// Opens the output.
    pub fn create(&self) -> anyhow::Result<Sink> {
        Ok(match &self.output {
            Some(path) if path != Path::new("-") => {
                let file = AtomicFile::create(path);
                Sink::File(file.with_context(|| format!("cannot write {}", path.display()))?)
            }
            _ => Sink::Stdout(BufWriter::with_capacity(1 << 16, io::stdout())),
        })
    }
}

/// An open output; [`finish`](Sink::finish) must be called when all is written.
pub enum Sink {
    /// Standard output, buffered.
    Stdout(BufWriter<io::Stdout>),
    /// A file that appears when it is complete.
    File(AtomicFile),
    /// Nowhere.
    Nothing,
}

impl Sink {
    /// Writes what is left; a file appears under its name now.
    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Sink::Stdout(mut out) => out.flush()?,
            Sink::File(file) => file.finish()?,
            Sink::Nothing => {}
        }
        Ok(())
    }

    /// Hands on what is written, if somebody may wait for it.
    pub fn pass_on(&mut self) -> io::Result<()> {
        match self {
            Sink::Stdout(out) => out.flush(),
            Sink::File(_) | Sink::Nothing => Ok(()),
        }
    }

    /// Writes a sentence, or a refused one as it stood in its file.
    pub fn write_item(&mut self, item: &Item<'_>) -> anyhow::Result<()> {
        match item {
            Item::Sentence(sentence) => sentence.write_to(self)?,
            Item::Rejected(Rejected { text: [], .. }) => {}
            Item::Rejected(Rejected { text, .. }) => {
                self.write_all(text)?;
                self.write_all(if text.ends_with(b"\n") { b"\n" } else { b"\n\n" })?;
            }
        }
        Ok(())
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Stdout(out) => out.write(bytes),
            Sink::File(file) => file.write(bytes),
            Sink::Nothing => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Stdout(out) => out.flush(),
            Sink::File(file) => file.flush(),
            Sink::Nothing => Ok(()),
        }
    }
}

/// What counts when trees are compared.
#[derive(Args)]
pub struct Counting {
    /// Leave punctuation out
    #[arg(long)]
    no_punct: bool,

    /// Leave punctuation out, and by this rule: punctuation characters only as in eval.pl of
    /// CoNLL-X (`form`, the rule of --no-punct), or part of speech PUNCT (`tag`)
    #[arg(long, value_enum, value_name = "RULE")]
    punct_rule: Option<PunctuationRule>,

    /// Compare labels without subtype: `nsubj:pass` as `nsubj`
    #[arg(long)]
    no_subtypes: bool,
}

/// Which words are punctuation.
#[derive(Copy, Clone, ValueEnum)]
enum PunctuationRule {
    /// Punctuation characters only
    Form,
    /// Part of speech PUNCT
    Tag,
}

impl Counting {
    /// True if anything differs from the default.
    pub fn is_given(&self) -> bool {
        self.no_punct || self.punct_rule.is_some() || self.no_subtypes
    }

    /// As the library wants it.
    pub fn settings(&self) -> Settings {
        Settings {
            punctuation: match self.punct_rule {
                Some(PunctuationRule::Form) => Punctuation::WithoutByForm,
                Some(PunctuationRule::Tag) => Punctuation::WithoutByTag,
                None if self.no_punct => Punctuation::WithoutByForm,
                None => Punctuation::Counted,
            },
            ignore_subtypes: self.no_subtypes,
        }
    }
}
