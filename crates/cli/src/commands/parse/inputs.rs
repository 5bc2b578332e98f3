//! What is to be parsed: files, folders, text; where it goes; what it holds.
use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use conll::Format;
use crossarc::pipeline::{Components, TextFormat};
use crossarc::text::html;

use super::document::Report;
use super::shard::Manifest;
use super::{Parse, Target};
use crate::arguments::OnError;
use crate::progress::Progress;

/// A format of the input.
#[derive(Copy, Clone, Debug)]
pub enum Source {
    Text(TextFormat),
    Treebank(Format),
    JsonLines,
}

/// A format by its name.
pub fn source(name: &str) -> Result<Source, String> {
    if let Some((_, format)) = TextFormat::NAMES.iter().find(|(known, _)| *known == name) {
        return Ok(Source::Text(*format));
    }
    if name == "jsonl" {
        return Ok(Source::JsonLines);
    }
    if name == "parquet" {
        let told = "Parquet is written, not read: `python -m crossarc.corpus` of the Python package reads it";
        return Err(told.to_owned());
    }
    name.parse().map(Source::Treebank).map_err(|_| {
        format!(
            "unknown format `{name}`, expected one of text, lines, horizontal, vertical, jsonl, conllu, conllup, conllx, conll09"
        )
    })
}

/// One input.
pub struct Document {
    /// As it is called in messages.
    pub input: String,
    /// Its name in the output.
    pub name: Option<String>,
    /// Where it is; nothing if the input is the text itself.
    pub path: Option<PathBuf>,
    /// The file it goes to, if it has one of its own.
    pub output: Option<PathBuf>,
}

/// An open input: what it holds, and what that is.
pub struct Opened {
    pub content: Box<dyn Read + Send>,
    pub source: Kind,
}

/// Text, or a treebank whose format may be known.
pub enum Kind {
    Text(TextFormat),
    Treebank(Option<Format>),
    JsonLines,
}

/// Extensions by which a name is told from a sentence.
const EXTENSIONS: [&str; 24] = [
    "txt", "text", "conllu", "conllup", "conllx", "conll", "conll09", "gz", "xz", "zst", "json",
    "jsonl", "csv", "tsv", "html", "htm", "xml", "md", "crossarc", "pdf", "doc", "docx", "rtf",
    "tex",
];

/// Whether an argument with a blank is meant as the name of a file.
fn looks_like_path(argument: &str) -> bool {
    let extension = argument.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
    let has_extension = extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()));
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| argument.starts_with(start));
    let parent = Path::new(argument).parent().filter(|parent| *parent != Path::new(""));
    !argument.contains('\n') && (has_extension || rooted || parent.is_some_and(Path::is_dir))
}

impl Parse {
    /// All inputs, and what is to be listed of them; whether they are there is known before anything is
    /// parsed.
    pub(super) fn documents(
        &self,
        report: &mut Report,
    ) -> anyhow::Result<(Vec<Document>, Option<Manifest>)> {
        let stdin = ["-".to_owned()];
        let inputs = if self.inputs.is_empty() { &stdin[..] } else { &self.inputs };
        let mut documents = Vec::new();
        let mut any_folder = false;
        for input in inputs {
            let path = Path::new(input);
            let is_text = self.text || (input.contains(char::is_whitespace) && !path.exists());
            if !self.text && is_text && looks_like_path(input) {
                self.missing(input, report, || {
                    anyhow::anyhow!(
                        "there is no file `{input}`; if it is a sentence to be parsed, say so with --text"
                    )
                })?;
            } else if is_text {
                let (name, path) = (None, None);
                documents.push(Document { input: input.clone(), name, path, output: None });
            } else if input == "-" {
                let (name, path) = (None, Some(path.to_owned()));
                documents.push(Document { input: "stdin".to_owned(), name, path, output: None });
            } else if path.is_dir() {
                any_folder = true;
                for file in files_of(path)? {
                    documents.push(file_of(path, file));
                }
            } else if let Err(error) = fs::metadata(path) {
                self.missing(input, report, || anyhow::Error::new(error).context(input.clone()))?;
            } else {
                documents.push(file_of(path.parent().unwrap_or(Path::new("")), path.to_owned()));
            }
        }
        name_apart(&mut documents);
        if let Some(output) = self.output.as_ref().filter(|output| *output != Path::new("-")) {
            let ends_in_slash =
                output.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
            let folder = output.is_dir()
                || ends_in_slash
                || (any_folder && (output.extension().is_none() && !output.is_file()));
            if folder {
                self.send_to(output, &mut documents)?;
            }
        }
        anyhow::ensure!(
            !self.skip_existing || documents.iter().all(|document| document.output.is_some()),
            "--skip-existing needs a folder for the output: -o parsed/"
        );
        let manifest = match (self.shard, &self.output) {
            (Some(shard), Some(folder)) => {
                Some(Manifest::of(shard, folder, self.model.as_ref(), &mut documents)?)
            }
            _ => None,
        };
        if self.skip_existing {
            let before = documents.len();
            documents.retain(|document| !document.output.as_deref().is_some_and(Path::exists));
            let skipped = before - documents.len();
            if skipped > 0 && !self.quiet.quiet {
                anstream::eprintln!("crossarc: {skipped} of {before} documents are there already");
            }
        }
        Ok((documents, manifest))
    }

    fn missing(
        &self,
        input: &str,
        report: &mut Report,
        error: impl FnOnce() -> anyhow::Error,
    ) -> anyhow::Result<()> {
        if self.on_error == OnError::Stop {
            return Err(error());
        }
        anstream::eprintln!("crossarc: {}", crate::told(&error()));
        report.fail(input.to_owned());
        Ok(())
    }

    /// Gives every document a file in the folder.
    fn send_to(&self, folder: &Path, documents: &mut [Document]) -> anyhow::Result<()> {
        let extension = match self.target() {
            Some(Target::Export(kind)) => kind.extension(),
            Some(Target::Treebank(Format::ConllUPlus)) => "conllup",
            Some(Target::Treebank(Format::ConllX)) => "conll",
            Some(Target::Treebank(Format::Conll2009)) => "conll09",
            Some(Target::Treebank(Format::ConllU)) | None => "conllu",
        };
        for document in documents {
            let name = document.name.as_ref().with_context(|| {
                format!(
                    "the output is a folder, but `{}` is no file that could have a name in it",
                    document.input
                )
            })?;
            let output = folder.join(format!("{name}.{extension}"));
            let same = |path: &PathBuf| {
                fs::canonicalize(path)
                    .is_ok_and(|path| fs::canonicalize(&output).is_ok_and(|output| path == output))
            };
            anyhow::ensure!(
                !document.path.as_ref().is_some_and(same),
                "{} would be written over itself: choose another folder",
                output.display()
            );
            document.output = Some(output);
        }
        Ok(())
    }

    /// Opens an input and finds out what it holds.
    pub(super) fn open(
        &self,
        pipeline: &Components,
        document: &Document,
        progress: &Progress,
    ) -> anyhow::Result<Opened> {
        let name = || document.input.clone();
        let Some(path) = &document.path else {
            let source = match self.from {
                Some(Source::Text(format)) => format,
                _ => TextFormat::Text,
            };
            need_tokenizer(pipeline, source)?;
            let content =
                self.without_tags(Box::new(Cursor::new(document.input.clone().into_bytes())))?;
            return Ok(Opened { content, source: Kind::Text(source) });
        };
        let mut content = progress.open(path, self.unpacking.max_unpacked).with_context(name)?;
        let source = match self.from {
            Some(Source::Text(format)) => Kind::Text(format),
            Some(Source::Treebank(format)) => Kind::Treebank(Some(format)),
            Some(Source::JsonLines) => Kind::JsonLines,
            None if self.tokenize || self.html => Kind::Text(TextFormat::Text),
            None if pipeline.tokenizer.is_none() => Kind::Treebank(None),
            None => {
                let mut start = Vec::new();
                content.by_ref().take(SNIFFED as u64).read_to_end(&mut start).with_context(name)?;
                let treebank = start.is_empty() || looks_like_treebank(&start);
                content = Box::new(Cursor::new(start).chain(content));
                if treebank { Kind::Treebank(None) } else { Kind::Text(TextFormat::Text) }
            }
        };
        if let Kind::Text(format) = source {
            need_tokenizer(pipeline, format)?;
            content = self.without_tags(content).with_context(name)?;
        }
        Ok(Opened { content, source })
    }

    fn without_tags(
        &self,
        mut content: Box<dyn Read + Send>,
    ) -> std::io::Result<Box<dyn Read + Send>> {
        if !self.html {
            return Ok(content);
        }
        let mut bytes = Vec::new();
        content.by_ref().take(MOST_HTML + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST_HTML {
            return Err(std::io::Error::new(
                std::io::ErrorKind::InvalidData,
                format!("the page has more than {MOST_HTML} bytes; cut it into several"),
            ));
        }
        let text = html::text(&String::from_utf8_lossy(&bytes));
        Ok(Box::new(Cursor::new(text.into_bytes())))
    }
}

/// All files below a folder, in the order of their names, without hidden ones.
fn files_of(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let cannot = || format!("cannot read the folder {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(cannot)? {
            let entry = entry.with_context(cannot)?;
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            // Links to folders are not followed: they may lead back.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A file, named by its path below a folder.
fn file_of(folder: &Path, path: PathBuf) -> Document {
    let below = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
    let plain =
        [".gz", ".xz", ".zst"].iter().find_map(|end| below.strip_suffix(end)).unwrap_or(&below);
    let stem = match plain.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() && !stem.ends_with('/') => stem,
        _ => plain,
    };
    let name = Some(stem.replace(char::is_whitespace, "_"));
    Document { input: path.to_string_lossy().into_owned(), name, path: Some(path), output: None }
}

/// Documents that would have one name get their whole file name, and their path if that is one, too.
fn name_apart(documents: &mut [Document]) {
    let full = |document: &Document, whole: bool| {
        let path = document.path.as_ref()?;
        let name =
            if whole { path.to_str() } else { path.file_name().and_then(|name| name.to_str()) };
        Some(name?.trim_start_matches('/').replace(char::is_whitespace, "_"))
    };
    for whole in [false, true] {
        let mut count = BTreeMap::new();
        for name in documents.iter().filter_map(|document| document.name.clone()) {
            *count.entry(name).or_insert(0) += 1;
        }
        for document in &mut *documents {
            if document.name.as_ref().is_some_and(|name| count[name] > 1) {
                let parent = document.name.as_ref().and_then(|name| name.rsplit_once('/'));
                let parent = parent.filter(|_| !whole).map(|(parent, _)| format!("{parent}/"));
                let own = full(document, whole);
                document.name = own.map(|own| format!("{}{own}", parent.unwrap_or_default()));
            }
        }
    }
}

fn need_tokenizer(pipeline: &Components, format: TextFormat) -> anyhow::Result<()> {
    anyhow::ensure!(
        pipeline.tokenizer.is_some() || !format.needs_tokenizer(),
        "the model has no tokenizer: train one with `crossarc train --pipeline`, or give sentences in CoNLL-U, or words with `--from horizontal` or `--from vertical`"
    );
    Ok(())
}

/// Bytes a page of HTML may have, for it is read as a whole.
const MOST_HTML: u64 = 1 << 28;

/// Bytes by which text is told from a treebank.
const SNIFFED: usize = 1 << 14;

/// Whether the first line that is no comment starts with a number and has tabs.
fn looks_like_treebank(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    if start.starts_with(b"# global.columns") {
        return true;
    }
    let mut lines = start
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"));
    lines.next().is_some_and(|line| {
        line.first().is_some_and(u8::is_ascii_digit)
            && line.split(|&byte| byte == b'\t').count() > 5
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_told_from_sentences() {
        for name in [
            "my novel.txt",
            "/tmp/a b",
            "../some thing",
            "old texts/page one.HTML",
            "src/no such file",
        ] {
            assert!(looks_like_path(name), "{name}");
        }
        for text in [
            "So it goes.",
            "Mr. Smith went home",
            "it was 5.30",
            "and/or this",
            "See a.txt for more.",
        ] {
            assert!(!looks_like_path(text), "{text}");
        }
    }

    #[test]
    fn documents_have_names_of_their_own() {
        let paths = ["a/x.txt", "b/x.txt", "a/y.txt", "a/y.md", "z.conllu.gz", "a b.txt"];
        let file = |path: &&str| {
            let path = PathBuf::from(path);
            file_of(path.parent().unwrap(), path.clone())
        };
        let mut documents: Vec<Document> = paths.iter().map(file).collect();
        name_apart(&mut documents);
        let names: Vec<&str> = documents.iter().filter_map(|one| one.name.as_deref()).collect();
        assert_eq!(names, ["a/x.txt", "b/x.txt", "y.txt", "y.md", "z", "a_b"]);
    }
}
