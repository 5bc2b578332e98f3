//! `crossarc bench`
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::eval::Reliability;
use crossarc::eval::reliability::score;
use crossarc::parser::{Approximate, ParseOptions};
use crossarc_lab::processor_time::thread_seconds;
use crossarc_lab::report::growth::Growth;
use rayon::prelude::*;

use crate::arguments::{Inputs, OpeningArgument, Threads, beam_width};
use crate::table::Table;

/// Measure a model: words per second, load time, memory, moves per word.
///
/// Sentences are read first and only parsing is timed; the best of several runs counts. With
/// `--growth` their words make sentences of 10 to 400 words, or more with `--longest`, and the power of
/// the length is fitted that time grows with.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc bench -m en.crossarc en-test.conllu\n  crossarc bench -m en.crossarc --beam 8 --json en-test.conllu\n  crossarc bench -m en.crossarc --growth -o growth.svg en-test.conllu"
)]
pub struct Bench {
    /// Model to measure
    #[arg(long, short, value_name = "FILE")]
    model: PathBuf,

    #[command(flatten)]
    opening: OpeningArgument,

    #[command(flatten)]
    inputs: Inputs,

    /// Width of the beam; what the model was trained for if not given
    #[arg(long, value_name = "N", value_parser = beam_width)]
    beam: Option<usize>,

    /// Exact search: graph parsers look at all heads, a beam drops nothing that has a place in it
    #[arg(long)]
    no_prune: bool,

    /// Graph parsers: crossing arcs by approximation: off, or by how much a change must gain
    #[arg(long, value_name = "off|T")]
    approximation: Option<Approximate>,

    /// How time grows with the length of a sentence, as a table
    #[arg(long)]
    growth: bool,

    /// Longest sentence of which growth is measured, up to 8000 words
    #[arg(long, value_name = "WORDS", requires = "growth", default_value_t = 400)]
    longest: usize,

    /// Growth also as an SVG chart
    #[arg(long, short, value_name = "FILE", requires = "growth")]
    output: Option<PathBuf>,

    /// Runs of which the best counts
    #[arg(long, value_name = "N", default_value_t = 5)]
    runs: usize,

    /// Figures as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    threads: Threads,
}

impl Bench {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let started = Instant::now();
        let model = Model::open_by(&self.model, self.opening.into())?;
        let load = started.elapsed().as_secs_f64() * 1e3;
        let (sentences, tally) = self.inputs.read_all(self.inputs.reading.options())?;
        let words: usize = sentences.iter().map(conll::Sentence::len).sum();
        anyhow::ensure!(words > 0, "there is nothing to parse");
        let options = AnnotateOptions {
            parse: ParseOptions {
                beam: self.beam,
                exact: self.no_prune,
                approximation: self.approximation,
                ..ParseOptions::default()
            },
            ..AnnotateOptions::default()
        };
        if self.growth {
            self.measure_growth(&model, &options, &sentences)?;
            return Ok(tally.exit_code());
        }
        let before = resident_megabytes();
        let (mut steps, mut proved) = (0, None);
        let mut one = f64::INFINITY;
        let mut processor = f64::INFINITY;
        for _ in 0..self.runs.max(1) {
            let mut copies = sentences.clone();
            let mut annotator = model.annotator(options.clone());
            (steps, proved) = (0, None);
            let (started, used) = (Instant::now(), thread_seconds().unwrap_or(0.0));
            for some in copies.chunks_mut(annotator.batch()) {
                for outcome in annotator.annotate_all(some) {
                    let summary = outcome?;
                    steps += summary.steps;
                    if let Some(yes) = summary.proved {
                        *proved.get_or_insert(0) += usize::from(yes);
                    }
                }
            }
            one = one.min(started.elapsed().as_secs_f64());
            processor = processor.min(thread_seconds().unwrap_or(0.0) - used);
        }
        let after = resident_megabytes();
        let threads = self.threads.count();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut all = f64::INFINITY;
        for _ in 0..self.runs.max(1) {
            let mut copies = sentences.clone();
            let started = Instant::now();
            pool.install(|| {
                copies.par_chunks_mut(64).for_each(|chunk| {
                    let mut annotator = model.annotator(options.clone());
                    // A sentence that cannot be parsed has stopped the first measurement.
                    let _ = annotator.annotate_all(chunk);
                });
            });
            all = all.min(started.elapsed().as_secs_f64());
        }
        let error = pool.install(|| calibration_error(&model, &options, &sentences));
        let rate = |seconds: f64| (words as f64 / seconds).round();
        let figures = serde_json::json!({
            "sentences": sentences.len(),
            "words": words,
            "words_per_second": rate(one),
            "words_per_cpu_second": if processor > 0.0 { Some(rate(processor)) } else { None },
            "threads": threads,
            "words_per_second_all_threads": rate(all),
            "moves_per_word": (steps as f64 / words as f64 * 1e3).round() / 1e3,
            "proved_sentences_percent": proved.map(|proved| (proved as f64 / sentences.len() as f64 * 1e3).round() / 10.0),
            "calibration_error_of_scores": error.map(|error| (error * 1e4).round() / 1e2),
            "load_milliseconds": (load * 10.0).round() / 10.0,
            "model_megabytes": (model.size as f64 / 1e5).round() / 10.0,
            "parsing_megabytes": after.zip(before).map(|(after, before)| ((after - before).max(0.0) * 10.0).round() / 10.0),
            "resident_megabytes": after.map(|megabytes| (megabytes * 10.0).round() / 10.0),
        });
        if self.json {
            anstream::println!("{figures:#}");
        } else if let Some(rows) = figures.as_object() {
            for (name, value) in rows {
                anstream::println!("{:<30}{value}", name.replace('_', " "));
            }
        }
        Ok(tally.exit_code())
    }
}

/// By how many points scores differ from how often such arcs are right, if the sentences have heads.
fn calibration_error(
    model: &Model,
    options: &AnnotateOptions,
    gold: &[conll::Sentence],
) -> Option<f64> {
    let parse = ParseOptions { confidences: true, ..options.parse.clone() };
    let options = AnnotateOptions { parse, ..AnnotateOptions::default() };
    let judge = |chunk: &[conll::Sentence]| {
        let mut annotator = model.annotator(options.clone());
        let mut reliability = Reliability::default();
        for gold in chunk {
            let mut parsed = gold.clone();
            if annotator.annotate(&mut parsed).is_err() {
                continue;
            }
            for (gold, word) in gold.words().zip(parsed.words()) {
                if let (Some(head), Some(said)) = (gold.head(), score(word.misc())) {
                    let right = word.head() == Some(head) && word.deprel() == gold.deprel();
                    reliability.add(said, right);
                }
            }
        }
        reliability
    };
    let sum = |mut one: Reliability, other| {
        one += other;
        one
    };
    let all = gold.par_chunks(64).map(judge).reduce(Reliability::default, sum);
    all.expected_calibration_error()
}

/// Lengths at which growth is measured.
const LENGTHS: [usize; 15] =
    [10, 15, 25, 40, 60, 100, 150, 250, 400, 600, 1000, 1500, 2500, 4000, 8000];

impl Bench {
    fn measure_growth(
        &self,
        model: &Model,
        options: &AnnotateOptions,
        sentences: &[conll::Sentence],
    ) -> anyhow::Result<()> {
        let mut growth = Growth { name: model.header.parser.clone(), points: Vec::new() };
        let mut rows = Vec::new();
        for length in LENGTHS.into_iter().filter(|&length| length <= self.longest.max(LENGTHS[0])) {
            let sample = sentences_of(sentences, length)?;
            let mut annotator = model.annotator(options.clone());
            let (mut best, mut cheaper) = (f64::INFINITY, false);
            for _ in 0..self.runs.max(1) {
                let mut copies = sample.clone();
                let (started, used) = (Instant::now(), thread_seconds());
                for sentence in &mut copies {
                    cheaper |= annotator.annotate(sentence)?.cheaper;
                }
                let wall = started.elapsed().as_secs_f64();
                let spent = thread_seconds().zip(used).map_or(wall, |(now, then)| now - then);
                best = best.min(spent / sample.len() as f64);
            }
            growth.points.push((length as f64, best));
            rows.push((length, best, cheaper, resident_megabytes()));
        }
        let exponent = growth.exponent();
        if self.json {
            let rows: Vec<_> = rows.iter().map(|(words, seconds, cheaper, megabytes)| {
                serde_json::json!({ "words": words, "seconds": seconds, "cheaper_decoder": cheaper, "resident_megabytes": megabytes })
            }).collect();
            let figures =
                serde_json::json!({ "parser": growth.name, "lengths": rows, "exponent": exponent });
            anstream::println!("{figures:#}");
        } else {
            let mut table = Table::new([
                "words",
                "milliseconds",
                "words per CPU second",
                "resident MB",
                "decoder",
            ]);
            for (words, seconds, cheaper, megabytes) in rows {
                table.row([
                    words.to_string(),
                    format!("{:.3}", seconds * 1e3),
                    format!("{:.0}", words as f64 / seconds),
                    megabytes.map_or_else(|| "-".to_owned(), |megabytes| format!("{megabytes:.0}")),
                    if cheaper { "a cheaper one".to_owned() } else { growth.name.clone() },
                ]);
            }
            table.write(&mut anstream::stdout())?;
            if let Some(exponent) = exponent {
                anstream::println!("time grows as length ^ {exponent:.2}");
            }
        }
        if let Some(path) = &self.output {
            let mut file = conll::AtomicFile::create(path)?;
            file.write_all(growth.svg().as_bytes())?;
            file.finish()?;
        }
        Ok(())
    }
}

/// Sentences of a length, made of the words of others in their order: enough to be timed.
fn sentences_of(
    sentences: &[conll::Sentence],
    length: usize,
) -> anyhow::Result<Vec<conll::Sentence>> {
    use std::fmt::Write as _;
    const WORDS: usize = 800;
    let mut words = sentences.iter().flat_map(conll::Sentence::words).cycle();
    let mut text = String::new();
    for _ in 0..(WORDS / length).max(1) {
        for (number, word) in (1..=length).zip(&mut words) {
            let columns = [word.form(), word.lemma(), word.upos(), word.xpos(), word.feats()];
            let head = number - 1;
            let columns = columns.join("\t");
            writeln!(text, "{number}\t{columns}\t{head}\tdep\t_\t_")?;
        }
        text.push('\n');
    }
    Ok(conll::read_str(&text, conll::ReadOptions::default())?)
}

/// Memory of this process, where the system tells it.
fn resident_megabytes() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
