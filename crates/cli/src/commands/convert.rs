//! `crossarc convert`
use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use conll::{Converter, Format, Sentence};
use crossarc::text::tokenize::spaces::rebuild;

use crate::arguments::{Inputs, Item, Output, Sink};

/// Convert treebanks between formats, or clean one up.
///
/// `--to text` gives the text that a treebank was made from, as far as `SpaceAfter`, `SpacesAfter` and
/// paragraphs tell: of what `crossarc parse` has made of a text, exactly that text.
///
/// Standard error tells what the target format cannot hold. Without `--to` the format stays, and
/// every sentence is copied byte for byte.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc convert treebank.conllu --to conllx -o treebank.conll\n  crossarc convert train.conll dev.conll --to conllu > both.conllu\n  xz -dc old.conll.xz | crossarc convert --from conllx --to conllu --roots any\n  crossarc convert --on-error skip damaged.conllu -o copy.conllu\n  crossarc convert treebank.conllu --to text > raw.txt\n\nWhat the formats hold:\n  conllu   comments, ranges, empty nodes, 10 columns, one root\n  conllup  the same with the columns named in `# global.columns`\n  conllx   10 columns, no comments, no blanks inside a field, several roots\n  conll09  one tag, predicted columns, predicates and arguments\n\nExit codes: 0 all is well, 1 a sentence was bad, 2 wrong usage"
)]
pub struct Convert {
    #[command(flatten)]
    inputs: Inputs,

    /// Format of the output: conllu, conllup, conllx, conll09 or text; that of the input if not given
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    to: Option<Target>,

    #[command(flatten)]
    output: Output,
}

/// What comes out.
#[derive(Copy, Clone, Debug)]
enum Target {
    Treebank(Format),
    Text,
}

fn target(name: &str) -> Result<Target, String> {
    if name == "text" {
        return Ok(Target::Text);
    }
    name.parse()
        .map(Target::Treebank)
        .map_err(|error: conll::UnknownFormat| format!("{error}, text"))
}

impl Convert {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut out = self.output.create()?;
        let mut converter = match self.to {
            Some(Target::Text) => return self.to_text(out),
            Some(Target::Treebank(format)) => Some(Converter::new(format)),
            None => None,
        };
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

    fn to_text(&self, mut out: Sink) -> anyhow::Result<ExitCode> {
        let (mut before, mut text) = (String::new(), String::new());
        let tally = self.inputs.for_each(self.inputs.reading.options(), |sentence| {
            // Where paragraphs are marked but blanks are not, an empty line stands between them.
            if begins_paragraph(sentence) && before.ends_with(' ') && !before.contains('\n') {
                before.pop();
                before.push_str("\n\n");
            }
            out.write_all(before.as_bytes())?;
            before.clear();
            text.clear();
            rebuild(sentence, &mut text);
            let end = text.trim_end().len();
            out.write_all(&text.as_bytes()[..end])?;
            before.push_str(&text[end..]);
            Ok(())
        })?;
        out.write_all(before.as_bytes())?;
        out.finish()?;
        Ok(tally.exit_code())
    }
}

fn begins_paragraph(sentence: &Sentence) -> bool {
    sentence.comments().any(|comment| {
        let comment = comment.trim_start_matches('#').trim_start();
        comment.starts_with("newpar") || comment.starts_with("newdoc")
    })
}
