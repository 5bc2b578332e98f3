//! `crossarc bench`
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::parser::{Approximate, ParseOptions};
use crossarc::processor_time::thread_seconds;
use rayon::prelude::*;

use crate::arguments::{Inputs, Threads, approximation, beam_width};

/// Measure a model: words per second, load time, memory, moves per word.
///
/// Sentences are read first and only parsing is timed; the best of several runs counts.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc bench -m en.crossarc en-test.conllu\n  crossarc bench -m en.crossarc --beam 8 --json en-test.conllu"
)]
pub struct Bench {
    /// Model to measure
    #[arg(long, short, value_name = "FILE")]
    model: PathBuf,

    #[command(flatten)]
    inputs: Inputs,

    /// Width of the beam; what the model was trained for if not given
    #[arg(long, value_name = "N", value_parser = beam_width)]
    beam: Option<usize>,

    /// Graph parsers: look at all arcs instead of pruning heads
    #[arg(long)]
    no_prune: bool,

    /// Graph parsers: crossing arcs by approximation: off, or by how much a change must gain
    #[arg(long, value_name = "off|T", value_parser = approximation)]
    approximation: Option<Approximate>,

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
        let model = Model::open(&self.model)?;
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
            keep_heads: false,
        };
        let before = resident_megabytes();
        let mut steps = 0;
        let mut one = f64::INFINITY;
        let mut processor = f64::INFINITY;
        for _ in 0..self.runs.max(1) {
            let mut copies = sentences.clone();
            let mut annotator = model.annotator(options.clone());
            steps = 0;
            let (started, used) = (Instant::now(), thread_seconds().unwrap_or(0.0));
            for sentence in &mut copies {
                steps += annotator.annotate(sentence)?.steps;
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
                    for sentence in chunk {
                        // A sentence that cannot be parsed has stopped the first measurement.
                        let _ = annotator.annotate(sentence);
                    }
                });
            });
            all = all.min(started.elapsed().as_secs_f64());
        }
        let rate = |seconds: f64| (words as f64 / seconds).round();
        let figures = serde_json::json!({
            "sentences": sentences.len(),
            "words": words,
            "words_per_second": rate(one),
            "words_per_cpu_second": if processor > 0.0 { Some(rate(processor)) } else { None },
            "threads": threads,
            "words_per_second_all_threads": rate(all),
            "moves_per_word": (steps as f64 / words as f64 * 1e3).round() / 1e3,
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

/// Memory of this process, where the system tells it.
fn resident_megabytes() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
