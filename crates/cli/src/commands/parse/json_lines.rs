//! JSON Lines: an object a line, with a text, a name, and whatever else, which is kept.
use std::io::{BufRead, BufReader, Read};

use anyhow::{Context, anyhow};
use conll::Converter;
use conll::parallel::map_jobs;
use crossarc::pipeline::text::TextChunk;
use crossarc::pipeline::{Familiarity, TextFormat};
use crossarc::text::html;
use crossarc::text::tokenize::document::Block;
use serde_json::{Map, Value};

use super::Parse;
use super::document::{Course, Outlet, Report};
use super::inputs::Document;
use crate::arguments::OnError;

/// Bytes a line may have.
const MOST_LINE: u64 = 1 << 26;

/// A line that became sentences.
struct Parsed {
    name: String,
    fields: Map<String, Value>,
    chunk: TextChunk,
}

impl Parse {
    pub(super) fn json_lines(
        &self,
        course: Course<'_>,
        document: &Document,
        content: Box<dyn Read + Send>,
        out: &mut Outlet,
    ) -> anyhow::Result<Report> {
        let Course { pipeline, threads, progress, told } = course;
        let mut seen = Familiarity::default();
        anyhow::ensure!(
            self.kbest.is_none(),
            "--kbest takes sentences in a treebank format, not text"
        );
        let mut lines = BufReader::new(content);
        let (steps, annotate) = (self.steps(), self.annotate_options());
        let options = self.text_options(TextFormat::Text);
        let mut number = 0;
        let mut report = Report::default();
        map_jobs(
            threads,
            || -> anyhow::Result<_> {
                let mut line = Vec::new();
                let read = (&mut lines).take(MOST_LINE + 1).read_until(b'\n', &mut line);
                read.with_context(|| document.input.clone())?;
                number += 1;
                anyhow::ensure!(
                    line.len() as u64 <= MOST_LINE,
                    "{}:{number}: the line has more than {MOST_LINE} bytes",
                    document.input
                );
                Ok((!line.is_empty()).then_some((number, line)))
            },
            || {
                pipeline.text_worker(
                    steps,
                    annotate.clone(),
                    options,
                    self.format().map(Converter::new),
                )
            },
            |worker, (number, line): (u64, Vec<u8>)| -> anyhow::Result<Option<Parsed>> {
                if line.trim_ascii().is_empty() {
                    return Ok(None);
                }
                let here = || format!("{}:{number}", document.input);
                let (name, fields, text) = self.read_line(&line, number).with_context(here)?;
                let block = Block { text, first_line: number, ..Block::default() };
                let chunk = worker.work(&block).with_context(here)?;
                Ok(Some(Parsed { name, fields, chunk }))
            },
            |parsed: anyhow::Result<Option<Parsed>>| -> anyhow::Result<()> {
                match parsed {
                    Ok(Some(Parsed { name, fields, chunk })) => {
                        progress.words(chunk.words);
                        seen.merge(chunk.seen);
                        report.add_chunk(&chunk);
                        out.begin_document_with(&name, &fields)?;
                        out.add_sentences(&chunk)
                    }
                    Ok(None) => Ok(()),
                    Err(error) if self.on_error == OnError::Skip => {
                        // The place, which is the first thing that an error tells.
                        report.fail(error.to_string());
                        progress.suspend(|| anstream::eprintln!("{}", crate::told(&error)));
                        Ok(())
                    }
                    Err(error) => Err(error),
                }
            },
        )?;
        told.words(&document.input, course, seen);
        Ok(report)
    }

    /// Name, other fields and text of a line.
    fn read_line(
        &self,
        line: &[u8],
        number: u64,
    ) -> anyhow::Result<(String, Map<String, Value>, String)> {
        let value: Value = serde_json::from_slice(line).map_err(|error| {
            anyhow!("this is no JSON object ({error}); expected one in each line")
        })?;
        let Value::Object(mut fields) = value else {
            anyhow::bail!("this is no JSON object; expected one in each line");
        };
        let known = || fields.keys().cloned().collect::<Vec<_>>().join(", ");
        let told = format!(
            "no text in the field `{}`; there are {}: name one with --text-field",
            self.text_field,
            known()
        );
        let Some(Value::String(text)) = fields.remove(&self.text_field) else {
            anyhow::bail!(told)
        };
        let name = match fields.remove(&self.id_field) {
            Some(Value::String(name)) if !name.trim().is_empty() => name,
            Some(Value::Number(name)) => name.to_string(),
            _ => format!("doc{number}"),
        };
        let text = if self.html { html::text(&text) } else { text };
        Ok((name.split_whitespace().collect::<Vec<_>>().join("_"), fields, text))
    }
}
