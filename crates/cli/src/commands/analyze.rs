//! `crossarc analyze GOLD SYSTEM...`
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use conll::{Format, ReadOptions, Reader, Roots};
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::crossing::Rules;
use crossarc_lab::analyze::corpus::Corpus;
use crossarc_lab::analyze::label_baseline::TagLabels;
use crossarc_lab::analyze::{self, browser};
use crossarc_lab::report::Panel;
use crossarc_lab::report::page::Page;
use serde_json::json;

use crate::arguments::{Counting, Output, Quiet, SeedArgument};
use crate::commands::eval::{column_names, open};

/// Show what parsers get wrong, and where.
///
/// Accuracy by sentence length; precision and recall by arc length, distance to the root, siblings
/// and non-projectivity; by part of speech and by label; confusions, types of errors, frequent wrong
/// words; where systems agree, whether their differences are chance, and what a perfect combination
/// would reach. With `-o report.html` a page with charts in which every sentence with an error can
/// be looked at; otherwise the tables on the terminal.
#[derive(Args)]
#[command(after_help = "\
Examples:
  crossarc analyze gold.conllu parsed.conllu
  crossarc analyze gold.conllu greedy.conllu beam.conllu -o report.html
  crossarc analyze gold.conllu a.conllu b.conllu --names arc-eager swap -o report.html
  crossarc analyze gold.conllu parsed.conllu --only part-of-speech labels
  crossarc analyze gold.conllu parsed.conllu --train train.conllu --json

The page is one file that needs no network. All files must hold the same sentences and words.")]
pub struct Analyze {
    /// File with the right trees
    gold: PathBuf,

    /// Files to analyse; `-` is standard input
    #[arg(required = true)]
    systems: Vec<PathBuf>,

    /// What to call the systems; their file names if not given
    #[arg(long, value_name = "NAME", num_args = 1..)]
    names: Vec<String>,

    /// Treebank files to learn from which label each tag has most often; the gold file if not given
    #[arg(long, value_name = "FILE", num_args = 1..)]
    train: Vec<PathBuf>,

    /// Only these analyses, by name: scores, sentence-length, dependency-length, labels, ...
    #[arg(long, value_name = "NAME", num_args = 1..)]
    only: Vec<String>,

    #[command(flatten)]
    counting: Counting,

    /// Samples of the bootstrap and of approximate randomisation
    #[arg(long, value_name = "N", default_value_t = 2000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    samples: u32,

    /// Rules that name the causes of crossing arcs, see `crossarc stats --help`
    #[arg(long, value_name = "FILE")]
    causes: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Format of the files: conllu, conllup, conllx or conll09; recognised by content if not given
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,

    #[command(flatten)]
    seed: SeedArgument,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    quiet: Quiet,
}

impl Analyze {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let files = std::iter::once(&self.gold).chain(&self.systems);
        if files.filter(|path| path.as_path() == Path::new("-")).count() > 1 {
            super::eval::wrong_use("only one of the files can be standard input");
        }
        if !self.names.is_empty() && self.names.len() != self.systems.len() {
            super::eval::wrong_use("give one of --names for each system, or none");
        }
        let mut corpus = self.read()?;
        corpus.systems = if self.names.is_empty() {
            let mut names = column_names(&self.systems);
            for name in &mut names {
                if let Some((stem, _)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())
                {
                    *name = stem.to_owned();
                }
            }
            // Names without their ends may be the same.
            let is_unique =
                |name: &String| names.iter().filter(|other| *other == name).count() == 1;
            if names.iter().all(is_unique) { names } else { column_names(&self.systems) }
        } else {
            self.names.clone()
        };
        let options = analyze::Options {
            seed: Seed(self.seed.seed),
            samples: self.samples as usize,
            labels: self.labels()?,
            causes: self.causes()?,
        };
        let mut panels = analyze::panels(&corpus, &options);
        if !self.only.is_empty() {
            let known: Vec<String> = panels.iter().map(|panel| panel.name.clone()).collect();
            if let Some(other) = self.only.iter().find(|name| !known.contains(name)) {
                anyhow::bail!(
                    "there is no analysis `{other}` here; there are: {}",
                    known.join(", ")
                );
            }
            panels.retain(|panel| self.only.contains(&panel.name));
        }
        let text = self.render(&corpus, panels)?;
        let mut out = self.output.create()?;
        out.write_all(text.as_bytes())?;
        out.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    fn read(&self) -> anyhow::Result<Corpus> {
        let (mut gold, mut systems) = open(&self.gold, &self.systems, self.from)?;
        let corpus = Corpus::read(&mut gold, &mut systems, self.counting.settings())?;
        if !self.quiet.quiet {
            for warning in std::iter::once(&gold).chain(&systems).flat_map(Reader::warnings) {
                anstream::eprintln!("{warning}");
            }
        }
        Ok(corpus)
    }

    fn causes(&self) -> anyhow::Result<Rules> {
        let Some(path) = &self.causes else { return Ok(Rules::usual()) };
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Rules::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    fn labels(&self) -> anyhow::Result<Option<TagLabels>> {
        if self.train.is_empty() {
            return Ok(None);
        }
        let mut labels = TagLabels::default();
        for path in &self.train {
            let options =
                ReadOptions { format: self.from, roots: Roots::Any, ..Default::default() };
            for sentence in Reader::open(path, options)? {
                labels.add_sentence(&sentence?);
            }
        }
        Ok(Some(labels))
    }

    fn render(&self, corpus: &Corpus, panels: Vec<Panel>) -> anyhow::Result<String> {
        let gold = self.gold.to_string_lossy();
        if self.json {
            let report = json!({ "gold": gold, "systems": corpus.systems, "panels": panels });
            return Ok(serde_json::to_string_pretty(&report)? + "\n");
        }
        let is_page = self.output.output.as_ref().is_some_and(|path| {
            path.extension().is_some_and(|end| {
                end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm")
            })
        });
        if !is_page {
            return Ok(panels.iter().map(Panel::to_text).collect::<Vec<_>>().join("\n"));
        }
        let (extra, left_out) = browser::section(corpus);
        if left_out > 0 && !self.quiet.quiet {
            anstream::eprintln!(
                "crossarc: {left_out} sentences with errors have no room in the page"
            );
        }
        let gold = self.gold.file_name().map_or(gold.clone(), |name| name.to_string_lossy());
        let words: u64 = corpus.totals.first().map_or(0, |counts| counts.attachment.words);
        let page = Page {
            title: format!("{} on {gold}", corpus.systems.join(", ")),
            about: vec![format!(
                "{} sentences, {words} words that count. Made with crossarc {} by: {}",
                corpus.sentences.len(),
                env!("CARGO_PKG_VERSION"),
                command_line()
            )],
            panels,
            extra: Some(extra),
        };
        Ok(page.to_html())
    }
}

/// The command as it was given, to be given again.
fn command_line() -> String {
    let quoted = |argument: std::ffi::OsString| {
        let argument = argument.to_string_lossy().into_owned();
        let plain = |letter: char| letter.is_alphanumeric() || "-_./,:=+@%".contains(letter);
        if !argument.is_empty() && argument.chars().all(plain) {
            return argument;
        }
        format!("'{}'", argument.replace('\'', "'\\''"))
    };
    let arguments: Vec<String> = std::env::args_os().skip(1).map(quoted).collect();
    format!("crossarc {}", arguments.join(" "))
}
