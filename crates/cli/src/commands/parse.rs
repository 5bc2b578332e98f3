//! `crossarc parse`
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use conll::parallel::{Item, map_ordered};
use conll::{Converter, Format, Reader, Sentence};
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::parser::{Approximate, ParseOptions};
use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::{Inputs, OnError, Output, Tally, Threads, approximation, beam_width};

/// Parse sentences with a model.
///
/// HEAD and DEPREL are written; all else comes out as it went in. Sentences stream through, in
/// order, on all cores, and memory does not depend on the size of the input.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc parse -m en.crossarc tagged.conllu -o parsed.conllu\n  zcat corpus.conllu.gz | crossarc parse -m en.crossarc > parsed.conllu\n  crossarc parse -m en.crossarc --keep-heads half-annotated.conllu\n  crossarc parse -m en.crossarc --scores test.conllu | crossarc draw\n\nExit codes: 0 all is well, 1 a sentence was bad, 2 wrong usage"
)]
pub struct Parse {
    /// Model to parse with
    #[arg(long, short, value_name = "FILE")]
    model: PathBuf,

    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    output: Output,

    /// Format of the output: conllu, conllup, conllx or conll09; that of the input if not given
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,

    /// Width of the beam; what the model was trained for if not given
    #[arg(long, value_name = "N", value_parser = beam_width)]
    beam: Option<usize>,

    /// Graph parsers: look at all arcs instead of pruning heads
    #[arg(long)]
    no_prune: bool,

    /// Graph parsers: crossing arcs by approximation: off, or by how much a change must gain
    #[arg(long, value_name = "off|T", value_parser = approximation)]
    approximation: Option<Approximate>,

    /// Parser `eisner`: write the N best trees of each sentence, with rank and score as comments
    #[arg(long, value_name = "N", conflicts_with_all = ["keep_heads", "scores"])]
    kbest: Option<usize>,

    /// Put into MISC how sure the parser is of each arc, as `Score=0.97`
    #[arg(long)]
    scores: bool,

    /// Keep heads and labels that are there already, and fill the gaps
    #[arg(long)]
    keep_heads: bool,

    #[command(flatten)]
    threads: Threads,
}

/// What a chunk of the input became.
#[derive(Default)]
struct Chunk {
    text: Vec<u8>,
    sentences: u64,
    words: u64,
    cheaper: u64,
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

impl Parse {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let model = Model::open(&self.model)?;
        let options = AnnotateOptions {
            parse: ParseOptions {
                beam: self.beam,
                confidences: self.scores,
                exact: self.no_prune,
                approximation: self.approximation,
            },
            keep_heads: self.keep_heads,
        };
        let mut out = self.output.create()?;
        let bar = self.bar();
        anyhow::ensure!(
            self.kbest.is_none() || model.header.parser == "eisner",
            "--kbest needs a model of the parser `eisner`; this one is of `{}`",
            model.header.parser
        );
        anyhow::ensure!(
            self.kbest.is_none() || model.header.codec.transformations.is_empty(),
            "--kbest does not go with a model that transforms sentences"
        );
        let mut tally = Tally::default();
        let mut cheaper = 0;
        for path in self.inputs.paths() {
            let mut reader = Reader::open(&path, self.inputs.reading.options())?;
            let name = reader.name().to_owned();
            map_ordered(
                &mut reader,
                self.threads.count(),
                || (model.annotator(options.clone()), self.to.map(Converter::new)),
                |(annotator, converter), item, chunk: &mut Chunk| match item {
                    Item::Sentence(sentence) => {
                        chunk.sentences += 1;
                        chunk.words += sentence.len() as u64;
                        if let Some(most) = self.kbest {
                            for one in annotator.alternatives(sentence, most) {
                                write(&one, converter, &mut chunk.text);
                            }
                            return;
                        }
                        match annotator.annotate(sentence) {
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
                            chunk.text.extend(if text.ends_with(b"\n") {
                                &b"\n"[..]
                            } else {
                                b"\n\n"
                            });
                        }
                    }
                },
                |chunk| -> anyhow::Result<()> {
                    tally.sentences += chunk.sentences;
                    cheaper += chunk.cheaper;
                    for error in chunk.errors {
                        tally.rejected += 1;
                        bar.suspend(|| self.inputs.reading.refuse(error))?;
                    }
                    for failure in chunk.failures {
                        anyhow::ensure!(self.inputs.reading.on_error == OnError::Skip, "{failure}");
                        tally.rejected += 1;
                        bar.suspend(|| anstream::eprintln!("{failure}"));
                    }
                    out.write_all(&chunk.text)?;
                    bar.inc(chunk.words);
                    Ok(())
                },
            )?;
            bar.suspend(|| self.inputs.reading.warn(&reader));
        }
        bar.finish_and_clear();
        out.finish()?;
        if cheaper > 0 && !self.inputs.reading.quiet.quiet {
            anstream::eprintln!(
                "{cheaper} sentences were too large for the search of this parser: a cheaper one was used"
            );
        }
        tally.report();
        Ok(tally.exit_code())
    }

    fn bar(&self) -> ProgressBar {
        if self.inputs.reading.quiet.quiet || self.output.output.is_none() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} words, {per_sec}") {
            bar.set_style(style);
        }
        bar
    }
}
