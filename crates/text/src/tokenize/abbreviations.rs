//! Abbreviations: full stops that belong to a word and end no sentence.
//!
//! A list has one abbreviation a line, full stop included; `#` starts a comment. A second word tells
//! when the sentence may end behind it:
//!
//! | line | what it says |
//! |---|---|
//! | `Mrs.` | no sentence ends with it |
//! | `No. number` | so it is before a number; elsewhere it is a word like any other |
//! | `etc. either` | a sentence may end with it, but not before a small letter or a number |
//! | `0.` | a number with a full stop before a small letter is an ordinal, one token |
//! | `The starts` | behind such an abbreviation, this word begins a sentence |
//!
//! What is written in small letters stands for capitals, too: `vol.` is also `Vol.` and `VOL.`
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Whether a sentence ends behind an abbreviation.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Behind {
    /// Never.
    Never,
    /// Never before a number; before anything else it is no abbreviation.
    Number,
    /// Never before a small letter or a number, always before a word that starts sentences; elsewhere the
    /// tokenizer decides.
    Either,
}

/// A line that is no abbreviation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "line {line}: `{text}` is no abbreviation: expected a word without blanks that ends in a full stop, \
     and behind it nothing, `number` or `either`; or a word and `starts`"
)]
pub struct BadAbbreviation {
    /// Its number, from 1.
    pub line: usize,
    /// What stands there.
    pub text: String,
}

/// A list of abbreviations.
///
/// ```
/// use crossarc_text::tokenize::abbreviations::{Abbreviations, Behind};
/// let list: Abbreviations = "Mrs.   # a title\nvol.\netc. either".parse()?;
/// assert_eq!(list.get("Mrs."), Some(Behind::Never));
/// assert_eq!(list.get("Vol."), Some(Behind::Never));
/// assert_eq!(list.get("mrs."), None);
/// let bad = "Mrs.\nvol".parse::<Abbreviations>().unwrap_err();
/// assert_eq!((bad.line, bad.text.as_str()), (2, "vol"));
/// # Ok::<(), crossarc_text::tokenize::abbreviations::BadAbbreviation>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Abbreviations {
    list: BTreeMap<String, Behind>,
    starters: BTreeSet<String>,
}

impl Abbreviations {
    /// What is known about a word with its full stop.
    pub fn get(&self, word: &str) -> Option<Behind> {
        self.list.get(word).or_else(|| self.list.get(&word.to_lowercase())).copied()
    }

    /// Whether a word begins a sentence behind an abbreviation that may end one.
    pub fn starts(&self, word: &str) -> bool {
        self.starters.contains(word)
    }

    /// Takes in another list, which is believed where the two differ.
    pub fn extend(&mut self, other: &Abbreviations) {
        self.list.extend(other.list.iter().map(|(word, &behind)| (word.clone(), behind)));
        self.starters.extend(other.starters.iter().cloned());
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl std::str::FromStr for Abbreviations {
    type Err = BadAbbreviation;

    fn from_str(text: &str) -> Result<Abbreviations, BadAbbreviation> {
        let mut read = Abbreviations::default();
        for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            let mut words = line.split_whitespace();
            let Some(word) = words.next() else { continue };
            let behind = match (words.next(), words.next()) {
                (None, _) => Some(Behind::Never),
                (Some("number"), None) => Some(Behind::Number),
                (Some("either"), None) => Some(Behind::Either),
                (Some("starts"), None) => {
                    read.starters.insert(word.to_owned());
                    continue;
                }
                _ => None,
            };
            let behind = behind.filter(|_| word.len() > 1 && word.ends_with('.'));
            let bad = || BadAbbreviation { line: at + 1, text: line.to_owned() };
            read.list.insert(word.to_owned(), behind.ok_or_else(bad)?);
        }
        Ok(read)
    }
}
