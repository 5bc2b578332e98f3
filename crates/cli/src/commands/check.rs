//! `crossarc check FILE...`
mod annotation;

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use conll::{Reader, Roots, Sentence, printable};
use crossarc::tree::RootPolicy;
use crossarc::tree::treebank::check::{CheckOptions, CheckReport, Checker};

use crate::arguments::{Inputs, Output, RootsArgument};
use crate::table::{Table, thousands};

/// Tell everything wrong or suspicious in treebanks, by line.
#[derive(Args)]
#[command(after_help = "\
Errors break a rule of the format: sentences that cannot be read, missing heads, several roots and
misplaced root labels in CoNLL-U, `# text` that is not what the words spell, repeated sent_ids.
Warnings are legal but often mistakes: labels seen once, names that differ in case only, tags that
Universal Dependencies do not know, rules of Universal Dependencies that are broken (under the names of
its official validator, such as too-many-subjects; errors with --ud), empty columns, very long
sentences, too many different tags, repeated sentences and sentences annotated in two ways (also
across files: is a training sentence in the test set?).

With --model or --cross-validate it shows instead the annotation that a parser finds improbable, worst
first: where heads or labels are wrong by mistake, most are among the first words.

A bad sentence never stops the check. Exit code 1 if there are errors, 0 if there are only warnings.

Examples:
  crossarc check train.conllu
  crossarc check --max 3 train.conllu dev.conllu test.conllu
  crossarc check --roots any --json train.conllu | jq '.kinds'
  crossarc check --cross-validate 10 train.conllu
  crossarc check --cross-validate 10 --as draw train.conllu | less -R
  crossarc check -m hu.crossarc --as conllu new.conllu -o marked.conllu")]
pub struct Check {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    annotation: annotation::Annotation,

    #[command(flatten)]
    output: Output,

    /// Findings of each kind to list; all are counted
    #[arg(long, value_name = "N", default_value_t = 10)]
    max: usize,

    /// Report sentences with more words than this
    #[arg(long, value_name = "WORDS", default_value_t = 250)]
    long: usize,

    /// Count as errors what the official validator of Universal Dependencies counts as errors (levels 2
    /// and 3, without lists of a language); otherwise these are warnings
    #[arg(long)]
    ud: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Check {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.annotation.is_wanted() {
            return self.judge();
        }
        let mut checker = Checker::new(CheckOptions {
            max_per_kind: self.max,
            strict: self.ud,
            long_sentence: self.long,
            roots: match self.inputs.reading.roots {
                RootsArgument::Format => None,
                RootsArgument::Any => Some(RootPolicy::Several),
                RootsArgument::One => Some(RootPolicy::Single),
            },
        });
        // Several roots are a finding of the checker, which goes on looking at the sentence.
        let mut options = self.inputs.reading.options();
        options.roots = Roots::Any;
        for path in self.inputs.paths() {
            let mut reader = Reader::open(&path, options)?;
            checker.start_file(reader.name());
            let mut sentence = Sentence::default();
            loop {
                match reader.read(&mut sentence) {
                    Ok(true) => checker.sentence(&sentence),
                    Ok(false) => break,
                    Err(error) if error.is_recoverable() => {
                        for fault in reader.faults() {
                            checker.fault(fault);
                        }
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            for warning in reader.warnings() {
                checker.warning(warning);
            }
        }
        let report = checker.finish();
        let mut out = self.output.create()?;
        if self.json {
            serde_json::to_writer_pretty(&mut out, &report)?;
            writeln!(out)?;
        } else {
            write_report(&report, self.inputs.reading.quiet.quiet, &mut out)?;
        }
        out.finish()?;
        Ok(ExitCode::from(u8::from(report.errors > 0)))
    }
}

/// With `quiet`, errors only.
fn write_report(report: &CheckReport, quiet: bool, out: &mut impl Write) -> anyhow::Result<()> {
    use crossarc::tree::treebank::check::Severity::Warning;
    for finding in report.findings.iter().filter(|f| !(quiet && f.severity == Warning)) {
        writeln!(out, "{}", printable(&finding.to_string()))?;
    }
    let kinds = report.kinds.iter().filter(|kind| !(quiet && kind.severity == Warning));
    let mut table = Table::new(["kind", "", "found", "listed"]);
    for count in kinds {
        table.row([
            count.kind.to_string(),
            count.severity.to_string(),
            thousands(count.count),
            thousands(count.listed as u64),
        ]);
    }
    if report.errors > 0 || !quiet && report.warnings > 0 {
        writeln!(out)?;
        table.write(out)?;
        writeln!(out)?;
    }
    writeln!(
        out,
        "{} sentences, {} words: {} errors, {} warnings",
        thousands(report.sentences),
        thousands(report.words),
        thousands(report.errors),
        thousands(report.warnings)
    )?;
    Ok(())
}
