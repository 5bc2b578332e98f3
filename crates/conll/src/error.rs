//! What can be wrong with a file, told with its place and with what was expected.
use std::fmt;
use std::io;
use std::sync::Arc;

/// Why reading stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input or output itself failed.
    #[error("{file}: {source}")]
    Io {
        /// Name of the file.
        file: Arc<str>,
        /// What the system said.
        source: io::Error,
    },
    /// A sentence is not what the format demands. The reader stands behind it: reading may go on.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
}

impl Error {
    /// Whether only one sentence is bad, so that reading can go on with the next one.
    pub fn is_recoverable(&self) -> bool {
        matches!(self, Error::Fault(_))
    }
}

/// One thing that is wrong with one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Name of the file.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub kind: FaultKind,
    /// The offending text, shortened.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { file, line, column, kind, text } = self;
        write!(f, "{file}:{line}:{column}: {kind}")?;
        if !text.is_empty() {
            write!(f, ": `{text}`")?;
        }
        write!(f, ", expected {}", Expected(kind))
    }
}

impl std::error::Error for Fault {}

/// The rules a sentence can break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A line has too few or too many columns.
    ColumnCount {
        /// Columns found.
        found: usize,
        /// Columns of the format.
        expected: usize,
    },
    /// Nothing between two tabs.
    EmptyField,
    /// An ID that is no number, range or empty node.
    BadId,
    /// An ID that does not follow the one before.
    IdSequence {
        /// The number that should stand here.
        expected: u32,
    },
    /// A range that runs backwards, starts elsewhere than at the next word, overlaps another, or
    /// ends behind the last word.
    BadRange,
    /// An empty node whose number does not follow.
    EmptyNodeSequence {
        /// The word it should follow.
        after: u32,
        /// The number it should have behind the dot.
        index: u32,
    },
    /// A head that is neither a number nor `_`.
    BadHead,
    /// No head where a tree is needed.
    MissingHead,
    /// A head behind the last word.
    HeadOutOfRange {
        /// Number of words.
        words: u32,
    },
    /// A word that is its own head.
    SelfHead,
    /// Words that are each other's heads.
    Cycle,
    /// No word has head 0.
    NoRoot,
    /// Several words have head 0.
    SeveralRoots,
    /// Comments, but no word.
    NoWords,
    /// A comment between or behind the words.
    LateComment,
    /// Bytes that are not UTF-8.
    BadUtf8,
    /// A control character.
    ControlCharacter,
    /// A line longer than [`crate::Limits::line_bytes`].
    LongLine {
        /// The limit.
        limit: usize,
    },
    /// More words than [`crate::Limits::words`].
    LongSentence {
        /// The limit.
        limit: usize,
    },
    /// More bytes than [`crate::Limits::sentence_bytes`]; the text of the sentence is not kept.
    HugeSentence {
        /// The limit.
        limit: usize,
    },
    /// CoNLL-U Plus without `# global.columns` in the first line.
    NoGlobalColumns,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::ColumnCount { found, .. } => write!(f, "the line has {found} columns"),
            FaultKind::EmptyField => f.write_str("the field is empty"),
            FaultKind::BadId => f.write_str("this is not an ID"),
            FaultKind::IdSequence { .. } => f.write_str("the ID is out of sequence"),
            FaultKind::BadRange => f.write_str("the range does not fit the words"),
            FaultKind::EmptyNodeSequence { .. } => f.write_str("the empty node is out of sequence"),
            FaultKind::BadHead => f.write_str("this is not a head"),
            FaultKind::MissingHead => f.write_str("the head is missing"),
            FaultKind::HeadOutOfRange { .. } => f.write_str("there is no such head"),
            FaultKind::SelfHead => f.write_str("the word is its own head"),
            FaultKind::Cycle => f.write_str("the heads form a cycle"),
            FaultKind::NoRoot => f.write_str("the sentence has no root"),
            FaultKind::SeveralRoots => f.write_str("the sentence has several roots"),
            FaultKind::NoWords => f.write_str("the sentence has no words"),
            FaultKind::LateComment => f.write_str("the comment does not precede the words"),
            FaultKind::BadUtf8 => f.write_str("the text is not UTF-8"),
            FaultKind::ControlCharacter => f.write_str("there is a control character"),
            FaultKind::LongLine { .. } => f.write_str("the line is too long"),
            FaultKind::LongSentence { .. } => f.write_str("the sentence has too many words"),
            FaultKind::HugeSentence { .. } => f.write_str("the sentence is too long"),
            FaultKind::NoGlobalColumns => f.write_str("the columns are not named"),
        }
    }
}

struct Expected<'a>(&'a FaultKind);

impl fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            FaultKind::ColumnCount { expected, .. } => {
                write!(f, "{expected} columns separated by single tabs")
            }
            FaultKind::EmptyField => f.write_str("`_` where there is no value"),
            FaultKind::BadId => {
                f.write_str("a number such as 3 (in CoNLL-U also a range 3-4 or an empty node 5.1)")
            }
            FaultKind::IdSequence { expected } => write!(f, "{expected}"),
            FaultKind::BadRange => f.write_str(
                "a range that starts at the next word, ends at a later word and overlaps no other",
            ),
            FaultKind::EmptyNodeSequence { after, index } => write!(f, "{after}.{index}"),
            FaultKind::BadHead => f.write_str("the ID of a word, 0 for the root, or `_`"),
            FaultKind::MissingHead => f.write_str("the ID of a word, or 0 for the root"),
            FaultKind::HeadOutOfRange { words } => write!(f, "a number from 0 to {words}"),
            FaultKind::SelfHead => f.write_str("the ID of another word, or 0 for the root"),
            FaultKind::Cycle => f.write_str("a tree: every word must lead to a root"),
            FaultKind::NoRoot => f.write_str("a word with head 0"),
            FaultKind::SeveralRoots => {
                f.write_str("one word with head 0 (allow several roots if they are meant)")
            }
            FaultKind::NoWords => f.write_str("words behind the comments, before the blank line"),
            FaultKind::LateComment => f.write_str("comments before the first word only"),
            FaultKind::BadUtf8 => f.write_str("UTF-8 (convert the file, for example with iconv)"),
            FaultKind::ControlCharacter => f.write_str("printable text"),
            FaultKind::LongLine { limit } => write!(f, "at most {limit} bytes in a line"),
            FaultKind::LongSentence { limit } => write!(f, "at most {limit} words"),
            FaultKind::HugeSentence { limit } => {
                write!(f, "at most {limit} bytes (is a blank line missing between sentences?)")
            }
            FaultKind::NoGlobalColumns => {
                f.write_str("`# global.columns = ID FORM ...` in the first line")
            }
        }
    }
}

/// Something unusual that was accepted; told once per kind and file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Name of the file.
    pub file: Arc<str>,
    /// Line of the first occurrence.
    pub line: usize,
    /// What is unusual.
    pub kind: WarningKind,
    /// How often it was seen so far (once per sentence).
    pub count: u64,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: warning: {}", self.file, self.line, self.kind)?;
        if self.count > 1 {
            write!(f, " (in {} sentences)", self.count)?;
        }
        Ok(())
    }
}

/// The kinds of warning.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum WarningKind {
    /// A byte order mark at the start.
    ByteOrderMark,
    /// Lines that end with CR LF.
    CarriageReturn,
    /// More than one blank line between sentences, or blank lines before the first.
    DoubledBlankLine,
    /// A blank line that has blanks in it.
    LineOfBlanks,
    /// The last line has no line end, or no blank line follows the last sentence.
    MissingFinalNewline,
    /// `_` as head.
    MissingHead,
    /// Several roots, where the format allows them.
    SeveralRoots,
    /// The number of argument columns is not the number of predicates (CoNLL-2009).
    ArgumentColumns,
    /// Characters U+0080 to U+009F: mostly Windows-1252 quotes and dashes gone wrong.
    LatinControlCharacter,
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WarningKind::ByteOrderMark => "byte order mark at the start of the file, dropped",
            WarningKind::CarriageReturn => "lines end with CR LF, read as LF",
            WarningKind::DoubledBlankLine => "more blank lines than needed, dropped",
            WarningKind::LineOfBlanks => "line of blanks, read as a blank line",
            WarningKind::MissingFinalNewline => {
                "the last sentence does not end with a blank line, added"
            }
            WarningKind::MissingHead => "words without a head (`_`)",
            WarningKind::SeveralRoots => "sentences with several roots",
            WarningKind::ArgumentColumns => {
                "the number of argument columns is not the number of predicates"
            }
            WarningKind::LatinControlCharacter => {
                "invisible characters U+0080 to U+009F (Windows-1252 once read as Latin-1?)"
            }
        })
    }
}
