//! `crossarc vectors`
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::Context;
use clap::Args;
use crossarc_vectors::{Corpus, Options, learn};
use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::{Quiet, SeedArgument, Threads};
use crate::interrupt::{STOP, stop_gently};

/// Learn vectors of words from raw text, for the nets of `train --vectors`
///
/// Skip-gram with negative sampling over words and the n-grams of their letters. Upper and lower case are one. The
/// same text and seed give the same file, whatever the number of threads.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc vectors novels.txt.xz -o vectors.txt\n  crossarc vectors a.txt b.txt --size 64 --epochs 3 --least-count 2 -o vectors.txt\n  crossarc train --pipeline -m hu.crossarc --train t.conllu --dev d.conllu --vectors vectors.txt\n\nThe file is as word2vec writes it: a line of counts, then a word and its numbers on each line, the most frequent\nword first."
)]
pub struct Vectors {
    /// Files of text in UTF-8, also compressed; `-` is standard input. Empty lines stand between texts
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Where the vectors go; the file appears when it is complete
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    /// Numbers of a vector
    #[arg(long, value_name = "N", default_value_t = Options::default().width)]
    size: usize,

    /// Times that the text is studied
    #[arg(long, value_name = "N", default_value_t = Options::default().epochs)]
    epochs: usize,

    /// Words on either side that a word foretells, at most
    #[arg(long, value_name = "N", default_value_t = Options::default().window)]
    window: usize,

    /// Words drawn at random against each right one
    #[arg(long, value_name = "N", default_value_t = Options::default().negatives)]
    negatives: usize,

    /// Words seen less often get no vector
    #[arg(long, value_name = "N", default_value_t = Options::default().least_count)]
    least_count: u64,

    /// Rows for n-grams of letters; 0 for words alone
    #[arg(long, value_name = "N", default_value_t = Options::default().buckets)]
    #[arg(value_parser = buckets)]
    buckets: usize,

    /// The length of the first steps
    #[arg(long, value_name = "R", default_value_t = Options::default().rate)]
    rate: f32,

    #[command(flatten)]
    seed: SeedArgument,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    quiet: Quiet,
}

/// Rows for n-grams at most.
const MOST_BUCKETS: usize = 1 << 24;

fn buckets(text: &str) -> Result<usize, String> {
    let rows = text.parse().ok().filter(|rows| *rows <= MOST_BUCKETS);
    rows.ok_or_else(|| format!("a whole number up to {MOST_BUCKETS}"))
}

impl Vectors {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        rayon::ThreadPoolBuilder::new().num_threads(self.threads.count()).build_global()?;
        let cannot_write = || format!("cannot write {}", self.output.display());
        let mut file = conll::AtomicFile::create(&self.output).with_context(cannot_write)?;
        let mut corpus = Corpus::default();
        for path in &self.files {
            let cannot_read = || format!("cannot read {}", path.display());
            let input = conll::open_input(path).with_context(cannot_read)?;
            corpus.read(input).with_context(cannot_read)?;
        }
        let say = |line: String| {
            if !self.quiet.quiet {
                anstream::eprintln!("{line}");
            }
        };
        say(format!("{} words of text", corpus.len()));
        let bar = if self.quiet.quiet { ProgressBar::hidden() } else { ProgressBar::new(1000) };
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent} %, {eta} left") {
            bar.set_style(style);
        }
        stop_gently();
        let options = Options {
            width: self.size,
            epochs: self.epochs,
            window: self.window,
            negatives: self.negatives,
            least_count: self.least_count,
            buckets: self.buckets,
            rate: self.rate,
            seed: self.seed.seed,
            ..Options::default()
        };
        let vectors = learn(corpus, &options, &|progress| {
            bar.set_position((progress.done * 1000.0) as u64);
            STOP.load(Ordering::Relaxed)
        })?;
        bar.finish_and_clear();
        vectors.write(&mut file).with_context(cannot_write)?;
        file.finish().with_context(cannot_write)?;
        say(format!("{}: {} words", self.output.display(), vectors.words().len()));
        Ok(ExitCode::SUCCESS)
    }
}
