//! `crossarc convert`
use std::process::ExitCode;

use clap::Args;
use conll::{Converter, Format};

use crate::arguments::{Inputs, Item, Output, Sink};
use crate::export::{Exporter, Kind};

/// Convert treebanks between formats, or clean one up.
///
/// `--to csv`, `tsv` and `parquet` give a table with the columns of the data frame of R's udpipe, `--to json` documents
/// with their sentences and tokens, `--to jsonl` a document a line.
///
/// `--to text` gives the text that a treebank was made from, as far as `SpaceAfter`, `SpacesAfter` and
/// paragraphs tell: of what `crossarc parse` has made of a text, exactly that text.
///
/// Standard error tells what the target format cannot hold. Without `--to` the format stays, and
/// every sentence is copied byte for byte.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc convert treebank.conllu --to conllx -o treebank.conll\n  crossarc convert train.conll dev.conll --to conllu > both.conllu\n  xz -dc old.conll.xz | crossarc convert --from conllx --to conllu --roots any\n  crossarc convert --on-error skip damaged.conllu -o copy.conllu\n  crossarc convert treebank.conllu --to text > raw.txt\n  crossarc convert treebank.conllu -o table.csv\n  crossarc convert *.conllu --to jsonl | jq .sentences[].text\n\nWhat the formats hold:\n  conllu   comments, ranges, empty nodes, 10 columns, one root\n  conllup  the same with the columns named in `# global.columns`\n  conllx   10 columns, no comments, no blanks inside a field, several roots\n  conll09  one tag, predicted columns, predicates and arguments\n\nExit codes: 0 all is well, 1 a sentence was bad, 2 wrong usage"
)]
pub struct Convert {
    #[command(flatten)]
    inputs: Inputs,

    /// Format of the output: conllu, conllup, conllx, conll09, csv, tsv, parquet, json, jsonl or text; told by the
    /// name of the output file, or that of the input, if not given
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    to: Option<Target>,

    #[command(flatten)]
    output: Output,
}

/// What comes out.
#[derive(Copy, Clone, Debug)]
enum Target {
    Treebank(Format),
    Export(Kind),
}

fn target(name: &str) -> Result<Target, String> {
    if let Some(kind) = Kind::named(name) {
        return Ok(Target::Export(kind));
    }
    name.parse().map(Target::Treebank).map_err(|error: conll::UnknownFormat| {
        format!("{error}, csv, tsv, parquet, json, jsonl, text, draw")
    })
}

impl Convert {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut out = self.output.create()?;
        let extension = self.output.output.as_ref().and_then(|path| path.extension());
        let told = extension.and_then(|extension| Kind::named(extension.to_str()?));
        let mut converter = match self.to.or(told.map(Target::Export)) {
            Some(Target::Export(kind)) => return self.export(kind, out),
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

    fn export(&self, kind: Kind, mut out: Sink) -> anyhow::Result<ExitCode> {
        let mut exporter = Exporter::new(kind);
        let tally = self.inputs.for_each(self.inputs.reading.options(), |sentence| {
            exporter.add(sentence)?;
            exporter.drain(&mut out).map_err(Into::into)
        })?;
        exporter.finish(&mut out)?;
        out.finish()?;
        Ok(tally.exit_code())
    }
}
