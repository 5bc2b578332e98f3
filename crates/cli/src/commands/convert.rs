//! `crossarc convert`
use std::process::ExitCode;

use clap::Args;
use conll::{Converter, Format};

use crate::arguments::{Inputs, Item, Output};

/// Convert treebanks between formats, or clean one up.
///
/// Standard error tells what the target format cannot hold. Without `--to` the format stays, and
/// every sentence is copied byte for byte.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc convert treebank.conllu --to conllx -o treebank.conll\n  crossarc convert train.conll dev.conll --to conllu > both.conllu\n  xz -dc old.conll.xz | crossarc convert --from conllx --to conllu --roots any\n  crossarc convert --on-error skip damaged.conllu -o copy.conllu\n\nWhat the formats hold:\n  conllu   comments, ranges, empty nodes, 10 columns, one root\n  conllup  the same with the columns named in `# global.columns`\n  conllx   10 columns, no comments, no blanks inside a field, several roots\n  conll09  one tag, predicted columns, predicates and arguments\n\nExit codes: 0 all is well, 1 a sentence was bad, 2 wrong usage"
)]
pub struct Convert {
    #[command(flatten)]
    inputs: Inputs,

    /// Format of the output: conllu, conllup, conllx or conll09; that of the input if not given
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,

    #[command(flatten)]
    output: Output,
}

impl Convert {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut out = self.output.create()?;
        let mut converter = self.to.map(Converter::new);
        let reading = &self.inputs.reading;
        let tally = self.inputs.for_each_item(reading.options(), |item| {
            match item {
                Item::Sentence(sentence) => {
                    converter
                        .get_or_insert_with(|| Converter::new(sentence.format()))
                        .write(sentence, &mut out)?;
                }
                // Untouched, so only where the format stays.
                Item::Rejected(bad) => {
                    if converter.as_ref().is_none_or(|to| to.format() == bad.format) {
                        out.write_item(&item)?;
                    }
                }
            }
            Ok(())
        })?;
        out.finish()?;
        if let Some(converter) = converter.filter(|_| !reading.quiet.quiet) {
            for (loss, count) in converter.losses() {
                anstream::eprintln!("crossarc: {} cannot hold {count} {loss}", converter.format());
            }
        }
        Ok(tally.exit_code())
    }
}
