//! `crossarc eval GOLD SYSTEM...`
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory};
use conll::{Format, ReadOptions, Reader, Roots};
use crossarc::eval::official::{self, Corpus, Metric, Names, Scores};
use crossarc::eval::{self, Counts, Reliability};
use serde_json::{Value, json};

use crate::arguments::{Counting, Output, Quiet, RootsArgument};

/// Score parser output against gold trees.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[command(after_help = "\
Without --official, all files must hold the same sentences and words. Words of the output without
head (`_`) count as wrong. Scores are percentages of words (UAS, LAS, LA), of sentences (UEM, LEM)
or the F1 of words with a content label (CLAS). Non-projective arcs are those by dominance
(Bjorkelund and Kuhn 2012); the calibration error, shown if a file has scores (`parse --scores`),
says by how many points they differ from how often such words are right; crossed arcs are those that cross another one in gold, arcs of the root
included (Reisinger 2016).

With --official, the files may differ in tokens, words and sentences as long as the text without
spaces is the same. The table is that of the official scorer (`udeval -v` of udtools), digit for
digit; --conll18 gives that of conll18_ud_eval.py.

Examples:
  crossarc eval gold.conllu parsed.conllu
  crossarc eval gold.conllu greedy.conllu beam.conllu --no-punct
  crossarc eval gold.conllu parsed.conllu --official
  crossarc eval gold.conllu - --json < parsed.conllu")]
pub struct Eval {
    /// File with the right trees
    gold: PathBuf,

    /// Files to score; `-` is standard input
    #[arg(required = true)]
    systems: Vec<PathBuf>,

    /// Print the table of the official scorer of Universal Dependencies
    #[arg(long)]
    official: bool,

    /// Like --official, as in the shared task of 2018: no enhanced rows, always one root
    #[arg(long)]
    conll18: bool,

    /// Official tables without the rows for enhanced dependencies
    #[arg(long, requires = "official")]
    no_enhanced: bool,

    /// Official tables with counts instead of percentages
    #[arg(long)]
    counts: bool,

    #[command(flatten)]
    counting: Counting,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Format of the files: conllu, conllup, conllx or conll09; recognised by content if not given
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,

    /// How many words may have head 0 with --official: one in CoNLL-U (`format`), or `any`
    #[arg(long, value_name = "HOW-MANY", value_enum, default_value_t)]
    roots: RootsArgument,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    quiet: Quiet,
}

/// Readers of gold trees and of those of systems.
pub fn open(
    gold: &Path,
    systems: &[PathBuf],
    format: Option<Format>,
) -> anyhow::Result<(Reader, Vec<Reader>)> {
    let options = ReadOptions { format, roots: Roots::Any, ..Default::default() };
    let gold = Reader::open(gold, ReadOptions { need_tree: true, ..options })?;
    // Trees of systems are checked where they are measured, so that missing heads can count.
    let of_system = ReadOptions { check_trees: false, ..options };
    let systems = systems.iter().map(|path| Reader::open(path, of_system));
    Ok((gold, systems.collect::<Result<_, _>>()?))
}

impl Eval {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let official = self.official || self.conll18;
        let files = std::iter::once(&self.gold).chain(&self.systems);
        if files.filter(|path| path.as_path() == Path::new("-")).count() > 1 {
            wrong_use("only one of the files can be standard input");
        }
        if official && self.counting.is_given() {
            wrong_use("--official has its own rules for punctuation and subtypes");
        }
        if self.counts && !official {
            wrong_use("--counts goes with --official or --conll18; --json always holds counts");
        }
        let text = if official { self.official()? } else { self.attachment()? };
        let mut out = self.output.create()?;
        out.write_all(text.as_bytes())?;
        out.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    fn attachment(&self) -> anyhow::Result<String> {
        let (mut gold, mut systems) = open(&self.gold, &self.systems, self.from)?;
        let mut totals = vec![Counts::default(); systems.len()];
        let mut sure = vec![Reliability::default(); systems.len()];
        eval::compare(&mut gold, &mut systems, self.counting.settings(), |scored| {
            totals[scored.system] += scored.counts;
            sure[scored.system].add_scored(&scored);
        })
        .map_err(|error| match error {
            eval::Error::TextsDiffer(_) | eval::Error::SentenceMissing { .. } => {
                anyhow::Error::from(error).context(
                    "the files do not hold the same words (--official can align different tokens and sentences)",
                )
            }
            other => other.into(),
        })?;
        self.warn(std::iter::once(&gold).chain(&systems));
        if self.json {
            let systems: Vec<Value> = self
                .systems
                .iter()
                .zip(totals.iter().zip(&sure))
                .map(|(path, (counts, sure))| counts_json(path, counts, sure))
                .collect();
            return json_text(&json!({ "gold": self.gold.to_string_lossy(), "systems": systems }));
        }
        Ok(table(&column_names(&self.systems), &totals, &sure))
    }

    fn official(&self) -> anyhow::Result<String> {
        let enhanced = !self.conll18 && !self.no_enhanced;
        let roots = match self.roots {
            _ if self.conll18 => Roots::One,
            RootsArgument::Format => Roots::ByFormat,
            RootsArgument::Any => Roots::Any,
            RootsArgument::One => Roots::One,
        };
        let options =
            ReadOptions { format: self.from, roots, need_tree: true, ..Default::default() };
        let mut names = Names::default();
        let read = |path: &Path, names: &mut Names| -> anyhow::Result<Corpus> {
            let mut reader = Reader::open(path, options)?;
            let corpus = Corpus::read(&mut reader, names, enhanced)?;
            self.warn([&reader]);
            Ok(corpus)
        };
        let gold = read(&self.gold, &mut names)?;
        let mut text = String::new();
        let mut systems = Vec::new();
        for (index, path) in self.systems.iter().enumerate() {
            let system = read(path, &mut names)?;
            let scores = official::evaluate(&gold, &system, &mut names)
                .context("the files cannot be aligned")?;
            if self.json {
                systems.push(scores_json(path, &scores, enhanced));
                continue;
            }
            if self.systems.len() > 1 {
                let gap = if index == 0 { "" } else { "\n" };
                text.push_str(gap);
                text.push_str(&path.to_string_lossy());
                text.push('\n');
            }
            text += &if self.counts {
                scores.table_of_counts(enhanced)
            } else {
                scores.table(enhanced)
            };
        }
        if self.json {
            return json_text(&json!({ "gold": self.gold.to_string_lossy(), "systems": systems }));
        }
        Ok(text)
    }

    fn warn<'a>(&self, readers: impl IntoIterator<Item = &'a Reader>) {
        if !self.quiet.quiet {
            for warning in readers.into_iter().flat_map(Reader::warnings) {
                anstream::eprintln!("{warning}");
            }
        }
    }
}

/// Ends the program with a message about its use.
pub fn wrong_use(message: &str) -> ! {
    crate::Cli::command().error(ErrorKind::ArgumentConflict, message).exit()
}

fn json_text(value: &Value) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// File names without folders, unless that makes two the same.
pub fn column_names(paths: &[PathBuf]) -> Vec<String> {
    let short = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    paths
        .iter()
        .map(|path| {
            let name = short(path).unwrap_or_default();
            let same = paths.iter().filter(|other| short(other).as_ref() == Some(&name)).count();
            if same == 1 { name } else { path.to_string_lossy().into_owned() }
        })
        .collect()
}

/// One figure as a column shows it.
enum Figure {
    Percent(Option<f64>),
    Number(Option<f64>),
    Count(u64),
    Blank,
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Figure::Percent(Some(share)) => write!(f, "{:.2}", 100.0 * share),
            Figure::Number(Some(number)) => write!(f, "{number:.2}"),
            Figure::Percent(None) | Figure::Number(None) => f.write_str("-"),
            Figure::Count(count) => write!(f, "{count}"),
            Figure::Blank => Ok(()),
        }
    }
}

type FigureOf = fn(&Counts) -> Figure;

/// The rows of the table: name, figure of gold, figure of a system.
const ROWS: &[(&str, FigureOf, FigureOf)] = &[
    ("sentences", |c| Figure::Count(c.attachment.sentences), blank),
    ("words", |c| Figure::Count(c.attachment.words), blank),
    ("UAS", blank, |c| Figure::Percent(c.attachment.uas())),
    ("LAS", blank, |c| Figure::Percent(c.attachment.las())),
    ("LA", blank, |c| Figure::Percent(c.attachment.la())),
    ("CLAS", blank, |c| Figure::Percent(c.attachment.clas())),
    ("UEM", blank, |c| Figure::Percent(c.attachment.uem())),
    ("LEM", blank, |c| Figure::Percent(c.attachment.lem())),
    (
        "non-projective arcs",
        |c| Figure::Count(c.nonprojective.gold_arcs),
        |c| Figure::Count(c.nonprojective.system_arcs),
    ),
    ("  precision", blank, |c| Figure::Percent(c.nonprojective.precision())),
    ("  recall", blank, |c| Figure::Percent(c.nonprojective.recall())),
    ("crossed arcs", |c| Figure::Count(c.nonprojective.crossed.words), blank),
    ("  UAS", blank, |c| Figure::Percent(c.nonprojective.crossed.uas())),
    ("  LAS", blank, |c| Figure::Percent(c.nonprojective.crossed.las())),
    ("  LA", blank, |c| Figure::Percent(c.nonprojective.crossed.la())),
    ("uncrossed arcs", |c| Figure::Count(c.nonprojective.uncrossed.words), blank),
    ("  UAS", blank, |c| Figure::Percent(c.nonprojective.uncrossed.uas())),
    ("  LAS", blank, |c| Figure::Percent(c.nonprojective.uncrossed.las())),
    ("  LA", blank, |c| Figure::Percent(c.nonprojective.uncrossed.la())),
    ("projective sentences", |c| Figure::Count(c.nonprojective.projective.sentences), blank),
    ("  UEM", blank, |c| Figure::Percent(c.nonprojective.projective.uem())),
    ("  LEM", blank, |c| Figure::Percent(c.nonprojective.projective.lem())),
    ("non-projective sentences", |c| Figure::Count(c.nonprojective.nonprojective.sentences), blank),
    ("  UEM", blank, |c| Figure::Percent(c.nonprojective.nonprojective.uem())),
    ("  LEM", blank, |c| Figure::Percent(c.nonprojective.nonprojective.lem())),
    ("words with a head", blank, |c| Figure::Percent(c.nonprojective.words_with_head())),
    (
        "sentences with several roots",
        |c| Figure::Count(c.nonprojective.gold_several_roots),
        |c| Figure::Count(c.nonprojective.system_several_roots),
    ),
    ("sentences with a word without head", blank, |c| Figure::Count(c.nonprojective.incomplete)),
    (
        "average arc length",
        |c| Figure::Number(c.nonprojective.gold_lengths.average()),
        |c| Figure::Number(c.nonprojective.system_lengths.average()),
    ),
];

fn blank(_: &Counts) -> Figure {
    Figure::Blank
}

fn table(names: &[String], totals: &[Counts], sure: &[Reliability]) -> String {
    let gold = totals.first().copied().unwrap_or_default();
    let mut lines: Vec<Vec<String>> =
        vec![[String::new(), "gold".to_owned()].into_iter().chain(names.iter().cloned()).collect()];
    for (name, of_gold, of_system) in ROWS {
        let mut line = vec![(*name).to_owned(), of_gold(&gold).to_string()];
        line.extend(totals.iter().map(|counts| of_system(counts).to_string()));
        lines.push(line);
    }
    if sure.iter().any(|one| one.arcs() > 0) {
        let mut line = vec!["calibration error of scores".to_owned(), String::new()];
        let error = |one: &Reliability| Figure::Percent(one.expected_calibration_error());
        line.extend(sure.iter().map(|one| error(one).to_string()));
        lines.push(line);
    }
    let widths: Vec<usize> = (0..lines[0].len())
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in &lines {
        let mut shown = format!("{:width$}", line[0], width = widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            let _ = write!(shown, "  {cell:>width$}");
        }
        text += shown.trim_end();
        text.push('\n');
    }
    text
}

fn counts_json(path: &Path, counts: &Counts, sure: &Reliability) -> Value {
    let (a, n) = (&counts.attachment, &counts.nonprojective);
    let arcs = |c: &eval::ArcCounts| {
        json!({
            "uas": c.uas(), "las": c.las(), "la": c.la(),
            "words": c.words, "heads": c.heads, "labels": c.labels, "labelled": c.labelled,
        })
    };
    let kind = |k: &eval::SentenceKind| {
        json!({
            "uem": k.uem(), "lem": k.lem(), "sentences": k.sentences,
            "unlabelled_exact": k.unlabelled_exact, "labelled_exact": k.labelled_exact,
        })
    };
    json!({
        "file": path.to_string_lossy(),
        "sentences": a.sentences,
        "words": a.words,
        "uas": a.uas(), "las": a.las(), "la": a.la(), "clas": a.clas(),
        "uem": a.uem(), "lem": a.lem(),
        "counts": {
            "heads": a.heads, "labels": a.labels, "labelled": a.labelled,
            "content_gold": a.content_gold, "content_system": a.content_system,
            "content_labelled": a.content_labelled,
            "unlabelled_exact": a.unlabelled_exact, "labelled_exact": a.labelled_exact,
        },
        "nonprojective_arcs": {
            "precision": n.precision(), "recall": n.recall(),
            "gold": n.gold_arcs, "gold_right": n.gold_right,
            "system": n.system_arcs, "system_right": n.system_right,
        },
        "crossed_arcs": arcs(&n.crossed),
        "uncrossed_arcs": arcs(&n.uncrossed),
        "projective_sentences": kind(&n.projective),
        "nonprojective_sentences": kind(&n.nonprojective),
        "expected_calibration_error": sure.expected_calibration_error(),
        "words_with_head": n.words_with_head(),
        "average_arc_length": { "gold": n.gold_lengths.average(), "system": n.system_lengths.average() },
    })
}

fn scores_json(path: &Path, scores: &Scores, enhanced: bool) -> Value {
    let rows: serde_json::Map<String, Value> = Metric::ALL
        .into_iter()
        .filter(|metric| enhanced || !matches!(metric, Metric::Elas | Metric::Eulas))
        .map(|metric| {
            let score = scores.get(metric);
            let row = json!({
                "precision": score.precision(), "recall": score.recall(), "f1": score.f1(),
                "aligned_accuracy": score.aligned_accuracy(),
                "correct": score.correct, "gold": score.gold, "system": score.system,
                "aligned": score.aligned,
            });
            (metric.name().to_owned(), row)
        })
        .collect();
    json!({ "file": path.to_string_lossy(), "scores": rows })
}
