//! `crossarc check --model M` and `--cross-validate K`: annotations that a parser finds improbable.
use std::io::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use conll::{Column, Sentence};
use crossarc::annotate::{Model, Verdict};
use crossarc::cross_validate::{Suspicion, Verdicts, verdicts, verdicts_of, worst};
use crossarc::draw::terminal;
use crossarc::draw::{Attachment, Drawing, Highlight, Options, Word};
use crossarc::train::{Observer, TrainOptions, defaults};
use serde_json::json;

use super::Check;
use crate::table::{Table, thousands};

/// How improbable annotation is shown.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Shape {
    /// One line a word, the least probable first
    #[default]
    Table,
    /// All sentences, with marks in MISC: `ScoreGold`, and for the worst words Suggested
    Conllu,
    /// The sentences with the worst words, worst first, both annotations drawn
    Draw,
}

/// Improbable annotation.
#[derive(Args)]
pub struct Annotation {
    /// Show annotation that this model finds improbable, worst first; it should not have been trained on
    /// these files
    #[arg(long, short, value_name = "FILE", conflicts_with = "cross_validate")]
    pub model: Option<std::path::PathBuf>,

    /// Show improbable annotation, each sentence judged by a parser trained on the other K-1 parts
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..=100))]
    pub cross_validate: Option<u32>,

    /// The parser for --cross-validate
    #[arg(long, value_name = "NAME", default_value = "eisner", requires = "cross_validate")]
    pub parser: String,

    /// Words to show: so many in a hundred of all
    #[arg(long, value_name = "PERCENT", default_value_t = 3.0)]
    pub worst: f64,

    /// Show improbable annotation as a table, as CoNLL-U with marks in MISC, or as drawings
    #[arg(long = "as", value_name = "SHAPE", value_enum, default_value_t)]
    pub shape: Shape,

    /// Put the probability of each annotated head and label into MISC, as `ScoreGold=0.97`: the same as
    /// --as conllu
    #[arg(long)]
    pub score_gold: bool,
}

/// Tells which part is trained.
struct Parts(bool);

impl Observer for Parts {
    fn part(&self, name: &str) {
        if !self.0 {
            anstream::eprintln!("{name}");
        }
    }
}

impl Annotation {
    /// True if annotation is to be judged.
    pub fn is_wanted(&self) -> bool {
        self.model.is_some() || self.cross_validate.is_some()
    }
}

/// A sentence and where it is from.
struct Placed {
    file: String,
    sentence: Sentence,
}

impl Check {
    /// Judges the annotation of all files.
    pub fn judge(&self) -> anyhow::Result<ExitCode> {
        let annotation = &self.annotation;
        let mut placed = Vec::new();
        let options = self.inputs.reading.options();
        let mut tally = crate::arguments::Tally::default();
        for path in self.inputs.paths() {
            let file = path.to_string_lossy().into_owned();
            self.inputs.reading.for_each_in(&path, options, &mut tally, |item| {
                if let crate::arguments::Item::Sentence(sentence) = item {
                    placed.push(Placed { file: file.clone(), sentence: sentence.clone() });
                }
                Ok(())
            })?;
        }
        let sentences: Vec<Sentence> = placed.iter().map(|one| one.sentence.clone()).collect();
        let quiet = self.inputs.reading.quiet.quiet;
        let found = match (&annotation.model, annotation.cross_validate) {
            (Some(path), _) => {
                let model = Model::open(path)?;
                let checksum = crossarc::train::checkpoint::checksum(&sentences);
                if model.header.training.checksum == checksum && !quiet {
                    anstream::eprintln!(
                        "warning: the model was trained on these sentences and knows their mistakes by heart; --cross-validate 10 finds more"
                    );
                }
                verdicts_of(&model, &sentences)
            }
            (None, folds) => {
                let options =
                    TrainOptions { epochs: 5, punctuation: false, ..defaults(&annotation.parser) };
                verdicts(&options, &sentences, folds.unwrap_or(10) as usize, &Parts(quiet))?
            }
        };
        let order = worst(&found);
        let share = (annotation.worst / 100.0).clamp(0.0, 1.0);
        let shown = (order.len() as f64 * share).ceil() as usize;
        let report =
            Report { placed: &placed, found: &found, worst: &order[..shown.min(order.len())] };
        let mut out = self.output.create()?;
        match annotation.shape {
            _ if self.json => report.json(&mut out)?,
            Shape::Conllu => report.conllu(&mut out)?,
            _ if annotation.score_gold => report.conllu(&mut out)?,
            Shape::Draw => report.draw(&mut out)?,
            Shape::Table => report.table(&mut out)?,
        }
        out.finish()?;
        Ok(tally.exit_code())
    }
}

/// What was found, to be shown.
struct Report<'a> {
    placed: &'a [Placed],
    found: &'a Verdicts,
    worst: &'a [Suspicion],
}

impl Report<'_> {
    fn verdict(&self, one: &Suspicion) -> Option<(&Placed, &Verdict)> {
        let verdict = self.found.get(one.sentence)?.get(one.word - 1)?.as_ref()?;
        Some((self.placed.get(one.sentence)?, verdict))
    }

    fn table(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let mut table = Table::new(["place", "word", "annotated", "parser", "probability"]);
        for one in self.worst {
            let Some((placed, verdict)) = self.verdict(one) else { continue };
            let word = placed.sentence.word(one.word);
            table.row([
                format!("{}:{}", placed.file, word.line()),
                word.form().to_owned(),
                arc(&placed.sentence, word.head().unwrap_or(0), word.deprel()),
                arc(&placed.sentence, verdict.head, &verdict.label),
                format!("{:.4}", verdict.probability),
            ]);
        }
        table.write(out)?;
        let words: usize = self.found.iter().flatten().flatten().count();
        writeln!(out)?;
        writeln!(
            out,
            "the {} least probable of {} annotated words",
            thousands(self.worst.len() as u64),
            thousands(words as u64)
        )?;
        Ok(())
    }

    fn json(&self, out: &mut impl Write) -> anyhow::Result<()> {
        for one in self.worst {
            let Some((placed, verdict)) = self.verdict(one) else { continue };
            let word = placed.sentence.word(one.word);
            let line = json!({
                "file": placed.file, "line": word.line(), "id": word.id(), "form": word.form(),
                "sent_id": placed.sentence.comment_value("sent_id"),
                "head": word.head(), "deprel": word.deprel(),
                "parser_head": verdict.head, "parser_deprel": verdict.label,
                "probability": verdict.probability, "parser_probability": verdict.sure,
            });
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    fn conllu(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let mut marked: std::collections::HashSet<(usize, usize)> =
            std::collections::HashSet::new();
        marked.extend(self.worst.iter().map(|one| (one.sentence, one.word)));
        for (number, (placed, verdicts)) in self.placed.iter().zip(self.found).enumerate() {
            let mut sentence = placed.sentence.clone();
            for (word, verdict) in (1..).zip(verdicts) {
                let Some(verdict) = verdict else { continue };
                let old = sentence.word(word).misc().to_owned();
                let is_mark =
                    |part: &&str| part.starts_with("ScoreGold=") || part.starts_with("Suggested=");
                let mut parts: Vec<String> = old
                    .split('|')
                    .filter(|part| *part != "_" && !is_mark(part))
                    .map(str::to_owned)
                    .collect();
                parts.push(format!("ScoreGold={:.4}", verdict.probability));
                let current = sentence.word(word);
                let differs =
                    current.head() != Some(verdict.head) || current.deprel() != verdict.label;
                if differs && marked.contains(&(number, word)) {
                    parts.push(format!("Suggested={}:{}", verdict.head, verdict.label));
                }
                sentence.set(word, Column::Misc, &parts.join("|"));
            }
            sentence.write_to(out)?;
        }
        Ok(())
    }

    fn draw(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let mut drawn = std::collections::HashSet::new();
        for one in self.worst {
            let Some((placed, verdict)) = self.verdict(one) else { continue };
            if !drawn.insert(one.sentence) {
                continue;
            }
            let sentence = &placed.sentence;
            let words = sentence
                .words()
                .map(|word| Word::new(word.form(), word.upos()))
                .collect::<Vec<_>>();
            let gold: Vec<Attachment<'_>> =
                sentence.words().map(|word| (word.head(), word.deprel())).collect();
            let system: Vec<Attachment<'_>> = sentence
                .words()
                .zip(&self.found[one.sentence])
                .map(|(word, verdict)| match verdict {
                    Some(verdict) => (Some(verdict.head), verdict.label.as_str()),
                    None => (word.head(), word.deprel()),
                })
                .collect();
            let word = sentence.word(one.word);
            writeln!(
                out,
                "{}:{}: {} {}; the parser says {} (probability of the annotation {:.4})",
                placed.file,
                word.line(),
                word.form(),
                arc(sentence, word.head().unwrap_or(0), word.deprel()),
                arc(sentence, verdict.head, &verdict.label),
                verdict.probability
            )?;
            let title = sentence.comment_value("sent_id").unwrap_or_default();
            let drawing = Drawing::compare(title, words, &gold, &system, Highlight::default());
            writeln!(out, "{}", terminal::render(&drawing, &Options::default()))?;
        }
        Ok(())
    }
}

/// An arc as people read it.
fn arc(sentence: &Sentence, head: u32, label: &str) -> String {
    match head {
        0 => format!("{label} of the root"),
        head if head as usize <= sentence.len() => {
            format!("{label} of {head} {}", sentence.word(head as usize).form())
        }
        head => format!("{label} of {head}"),
    }
}
