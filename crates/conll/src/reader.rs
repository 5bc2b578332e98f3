//! Reading sentence after sentence.
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use crate::blocks::{Blocks, Chunk};
use crate::error::{Error, Fault, FaultKind, Warning, WarningKind};
use crate::format::{Format, Layout};
use crate::input;
use crate::parser::{MAX_SHOWN, Parser};
use crate::printable::printable;
use crate::sentence::{Sentence, value_of};

/// How many words may have head 0.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// One in CoNLL-U and CoNLL-U Plus, several with a warning in CoNLL-X and CoNLL-2009.
    #[default]
    ByFormat,
    /// Several, without a warning.
    Any,
    /// One in every format.
    One,
}

/// What is refused for its size.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes in a line.
    pub line_bytes: usize,
    /// Words in a sentence.
    pub words: usize,
    /// Bytes in a sentence.
    pub sentence_bytes: usize,
    /// Bytes that an archive may unpack to; if not said, [`MOST_UNPACKED_RATIO`](crate::MOST_UNPACKED_RATIO)
    /// times its size or [`UNPACKED_FREELY`](crate::UNPACKED_FREELY), whatever is more.
    pub unpacked_bytes: Option<u64>,
}

impl Default for Limits {
    /// One mebibyte in a line, 100,000 words and 64 mebibytes in a sentence.
    fn default() -> Limits {
        Limits {
            line_bytes: 1 << 20,
            words: 100_000,
            sentence_bytes: 1 << 26,
            unpacked_bytes: None,
        }
    }
}

/// How to read.
#[derive(Copy, Clone, Debug)]
pub struct ReadOptions {
    /// The format; recognised by content if `None`.
    pub format: Option<Format>,
    /// How many words may have head 0.
    pub roots: Roots,
    /// Whether every word must have a head; else `_` gives a warning.
    pub need_tree: bool,
    /// Whether heads out of range, self-heads, cycles and roots are checked.
    pub check_trees: bool,
    /// Whether lemma, part of speech and features are the predicted ones (CoNLL-2009).
    pub predicted: bool,
    /// What is refused for its size.
    pub limits: Limits,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            format: None,
            roots: Roots::ByFormat,
            need_tree: false,
            check_trees: true,
            predicted: false,
            limits: Limits::default(),
        }
    }
}

/// Reads the sentences of one file.
///
/// After an error that [is recoverable](Error::is_recoverable) the reader stands behind the bad
/// sentence: [`rejected`](Reader::rejected) is its text, and reading may go on.
pub struct Reader {
    blocks: Blocks,
    pub(crate) parser: Parser,
    rejected: Vec<u8>,
    done: bool,
}

impl Reader {
    /// Opens a file, `-` for standard input; gzip, xz and Zstandard are recognised by content.
    pub fn open(path: impl AsRef<Path>, options: ReadOptions) -> Result<Reader, Error> {
        let path = path.as_ref();
        let name = if path == Path::new("-") { "stdin".into() } else { path.to_string_lossy() };
        let file = Arc::from(printable(&name));
        match input::open_within(path, options.limits.unpacked_bytes) {
            Ok(input) => Reader::start(file, Blocks::new(input), options),
            Err(source) => Err(Error::Io { file, source }),
        }
    }

    /// Reads from anything; `name` stands in messages.
    pub fn from_read(
        name: &str,
        input: impl Read + Send + 'static,
        options: ReadOptions,
    ) -> Result<Reader, Error> {
        let file = Arc::from(printable(name));
        match input::decompress_within(Box::new(input), options.limits.unpacked_bytes) {
            Ok(input) => Reader::start(file, Blocks::new(input), options),
            Err(source) => Err(Error::Io { file, source }),
        }
    }

    /// Reads from memory; `name` stands in messages.
    pub fn from_bytes(
        name: &str,
        bytes: impl Into<Vec<u8>>,
        options: ReadOptions,
    ) -> Result<Reader, Error> {
        let bytes = bytes.into();
        if input::is_compressed(&bytes) {
            return Reader::from_read(name, Cursor::new(bytes), options);
        }
        Reader::start(Arc::from(printable(name)), Blocks::of_memory(bytes), options)
    }

    fn start(
        file: Arc<str>,
        mut blocks: Blocks,
        mut options: ReadOptions,
    ) -> Result<Reader, Error> {
        let io = |source| Error::Io { file: Arc::clone(&file), source };
        options.limits.sentence_bytes = options.limits.sentence_bytes.min(u32::MAX as usize / 2);
        blocks.limit = options.limits.sentence_bytes;
        let start = blocks.peek(options.format.is_some()).map_err(io)?;
        let marked = start.starts_with(b"\xef\xbb\xbf");
        let start = if marked { &start[3..] } else { start };
        let mut layout = match recognise(start, options.format) {
            Ok(layout) => layout,
            Err(line) => {
                let kind = FaultKind::NoGlobalColumns;
                let text = line.chars().take(MAX_SHOWN).collect();
                return Err(Box::new(Fault { file, line: 1, column: 1, kind, text }).into());
            }
        };
        if options.predicted {
            layout = layout.predicted();
        }
        let mut parser = Parser::new(file, Arc::new(layout), options);
        if marked {
            blocks.skip(3);
            parser.warn(WarningKind::ByteOrderMark, 1);
        }
        Ok(Reader { blocks, parser, rejected: Vec::new(), done: false })
    }

    /// Fills the sentence with the next one; false at the end of the file.
    pub fn read(&mut self, sentence: &mut Sentence) -> Result<bool, Error> {
        if self.done {
            return Ok(false);
        }
        let block = self.blocks.next().map_err(|source| {
            self.done = true;
            Error::Io { file: Arc::clone(&self.parser.file), source }
        })?;
        let Some(block) = block else {
            self.parser.warn_about_the_end(&self.blocks);
            self.done = true;
            return Ok(false);
        };
        self.rejected.clear();
        if self.parser.parse(block, sentence) {
            Ok(true)
        } else {
            self.rejected.extend_from_slice(block.bytes);
            let fault = self.parser.faults[0].clone();
            Err(Error::Fault(Box::new(fault)))
        }
    }

    /// The next sentences, to be parsed on another thread.
    pub(crate) fn next_chunk(&mut self) -> Result<Option<Chunk>, Error> {
        if self.done {
            return Ok(None);
        }
        let chunk = self.blocks.next_chunk();
        self.done = !matches!(chunk, Ok(Some(_)));
        chunk.map_err(|source| Error::Io { file: Arc::clone(&self.parser.file), source })
    }

    /// Adds what other threads found unusual.
    pub(crate) fn merge_warnings(&mut self, others: &[Warning]) {
        let warnings = &mut self.parser.warnings;
        for other in others {
            match warnings.iter_mut().find(|known| known.kind == other.kind) {
                Some(known) => {
                    known.count += other.count;
                    known.line = known.line.min(other.line);
                }
                None => warnings.push(other.clone()),
            }
        }
        warnings.sort_by_key(|warning| warning.line);
    }

    /// The text of the sentence that was refused last, untouched, without its blank line; empty if
    /// it was over the limit of bytes.
    pub fn rejected(&self) -> &[u8] {
        &self.rejected
    }

    /// All that is wrong with the sentence that was refused last.
    pub fn faults(&self) -> &[Fault] {
        &self.parser.faults
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.parser.layout.format()
    }

    /// Which column lies where.
    pub fn layout(&self) -> &Layout {
        &self.parser.layout
    }

    /// What was unusual so far, one per kind.
    pub fn warnings(&self) -> &[Warning] {
        &self.parser.warnings
    }

    /// The name that stands in messages.
    pub fn name(&self) -> &str {
        &self.parser.file
    }
}

impl Iterator for Reader {
    type Item = Result<Sentence, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut sentence = Sentence::default();
        match self.read(&mut sentence) {
            Ok(true) => Some(Ok(sentence)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Reads all sentences of a text.
///
/// ```
/// let sentences = conll::read_str("1\thi\t_\t_\t_\t_\t0\troot\t_\t_\n\n", Default::default())?;
/// assert_eq!(sentences[0].word(1).form(), "hi");
/// # Ok::<(), conll::Error>(())
/// ```
pub fn read_str(text: &str, options: ReadOptions) -> Result<Vec<Sentence>, Error> {
    Reader::from_bytes("text", text, options)?.collect()
}

const UNIVERSAL_TAGS: [&str; 18] = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "CONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON",
    "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
];

/// Tells the format from the start of a file: `# global.columns` is CoNLL-U Plus, more than ten
/// columns are CoNLL-2009, comments, ranges, empty nodes or universal tags only are CoNLL-U, other
/// tags are CoNLL-X. Gives the first line where CoNLL-U Plus does not name its columns.
fn recognise(start: &[u8], wanted: Option<Format>) -> Result<Layout, String> {
    let start = &start[..memchr::memrchr(b'\n', start).unwrap_or(start.len())];
    let text = String::from_utf8_lossy(start);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let first = lines.peek().copied().unwrap_or_default();
    let names = value_of(first, "global.columns");
    let is_unreadable = |c: char| (c < ' ' && c != '\t') || c == '\u{7f}' || c == '\u{fffd}';
    match (wanted, names) {
        (None | Some(Format::ConllUPlus), Some(names))
            if !names.is_empty() && !names.contains(is_unreadable) =>
        {
            return Ok(Layout::plus(names));
        }
        (None, Some(_)) | (Some(Format::ConllUPlus), _) => return Err(first.to_owned()),
        (Some(format), _) => return Ok(Layout::new(format)),
        (None, None) => {}
    }
    let mut other_tags = false;
    for line in lines {
        let mut fields = line.split('\t');
        let id = fields.next().unwrap_or_default();
        if line.starts_with('#') || id.contains(['-', '.']) {
            return Ok(Layout::new(Format::ConllU));
        }
        if line.split('\t').count() > 10 {
            return Ok(Layout::new(Format::Conll2009));
        }
        let tag = fields.nth(2).unwrap_or("_");
        other_tags |= tag != "_" && !UNIVERSAL_TAGS.contains(&tag);
    }
    Ok(Layout::new(if other_tags { Format::ConllX } else { Format::ConllU }))
}
