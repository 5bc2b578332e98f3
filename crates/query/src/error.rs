//! What can go wrong: a query that cannot be read, a sentence with too much in it.
use std::fmt;

use crate::matcher::{MOST_MATCHES, MOST_STEPS};

/// Why a query cannot be read, and where. Shown with the line and a mark under the character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    pub(crate) line_text: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
}

impl QueryError {
    pub(crate) fn new(text: &str, at: usize, message: impl Into<String>) -> QueryError {
        let at = at.min(text.len());
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        QueryError {
            line_text: text[start..end].to_owned(),
            line: before.matches('\n').count() + 1,
            column: text[start..at].chars().count() + 1,
            message: message.into(),
        }
    }

    /// The line of the query, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The character in its line, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// What is wrong, without its place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let QueryError { line_text, line, column, message } = self;
        write!(f, "query:{line}:{column}: {message}\n  {line_text}\n  {:>column$}", "^")
    }
}

impl std::error::Error for QueryError {}

/// A sentence was left before all of it was searched.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TooMuch {
    /// More matches than [`MOST_MATCHES`].
    Matches,
    /// More steps than [`MOST_STEPS`].
    Steps,
}

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooMuch::Matches => write!(f, "more than {MOST_MATCHES} matches in one sentence")?,
            TooMuch::Steps => write!(f, "more than {MOST_STEPS} steps in one sentence")?,
        }
        f.write_str(", which was left: connect the words of the query, or say more about them")
    }
}

impl std::error::Error for TooMuch {}
