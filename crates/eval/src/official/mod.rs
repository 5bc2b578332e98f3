//! The official scorer of Universal Dependencies, number for number.
//!
//! The table is that of the `CoNLL` 2018 shared task (Zeman et al. 2018) with the enhanced rows of
//! IWPT 2020 (Bouma et al. 2020), as the `PyPI` package `udtools` computes it. The files may differ
//! in tokens, words and sentences as long as the text without spaces is the same: tokens and
//! sentences are compared as spans of that text, words are aligned by span, and inside multiword
//! tokens by the longest common subsequence of their forms. Labels count without subtype,
//! features only if they are universal, empty nodes not at all.
//!
//! Both files are held in memory, about 60 bytes a word. Time is linear but for multiword spans;
//! the bound is told in `lcs.rs`, and a span beyond [`PAIR_LIMIT`] is an error.
//!
//! ```
//! use crossarc_eval::official::{Corpus, Metric, Names, evaluate};
//! let gold = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\tobj\t_\t_\n\n";
//! let system = "1\tab\t_\t_\t_\t_\t0\troot\t_\t_\n\n";
//! let mut names = Names::default();
//! let mut read = |name: &str, text: &'static str| {
//!     let mut reader = conll::Reader::from_bytes(name, text, conll::ReadOptions::default()).unwrap();
//!     Corpus::read(&mut reader, &mut names, true).unwrap()
//! };
//! let (gold, system) = (read("gold", gold), read("system", system));
//! let scores = evaluate(&gold, &system, &mut names).unwrap();
//! assert_eq!(scores.get(Metric::Words).correct, 0);
//! assert_eq!(scores.get(Metric::Sentences).f1(), 1.0);
//! ```
mod alignment;
pub(crate) mod corpus;
mod lcs;
mod names;
mod score;

pub use corpus::Corpus;
pub use lcs::PAIR_LIMIT;
pub use names::Names;
pub use score::{Metric, Score, Scores};

use super::difference::{Place, TextDifference};
use alignment::Alignment;

/// Why there is no official score.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] conll::Error),
    /// A token of spaces only.
    #[error("{file}:{line}: a token consists of spaces only, expected at least one character")]
    EmptyForm {
        /// The file.
        file: String,
        /// The line.
        line: usize,
    },
    /// A word without head.
    #[error("{file}:{line}: the word `{form}` has no head, expected a number in column HEAD")]
    NoHead {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The word.
        form: String,
    },
    /// An enhanced dependency that cannot be read.
    #[error(
        "{file}:{line}: bad enhanced dependency `{text}`, expected HEAD:LABEL with a head of the same sentence"
    )]
    BadEnhanced {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The dependency.
        text: String,
    },
    /// More text or words than positions can count.
    #[error("{file}: more than 4 GB of tokens, more than can be scored at once; split the file")]
    TooLong {
        /// The file.
        file: String,
    },
    /// The files are not about the same text.
    #[error("{0}")]
    TextsDiffer(Box<TextDifference>),
    /// A multiword span is too long.
    #[error(
        "{gold} and {system}: multiword tokens overlap over so many words that they cannot be aligned; check that both files hold the same text"
    )]
    SpanTooLong {
        /// The gold file.
        gold: String,
        /// The system file.
        system: String,
    },
}

/// Scores a system file against gold; both were read with the same `names`.
pub fn evaluate(gold: &Corpus, system: &Corpus, names: &mut Names) -> Result<Scores, Error> {
    if gold.text != system.text {
        return Err(Error::TextsDiffer(Box::new(difference(gold, system))));
    }
    let alignment = Alignment::new(gold, system)
        .map_err(|_| Error::SpanTooLong { gold: gold.file.clone(), system: system.file.clone() })?;
    Ok(Scores::count(gold, system, &alignment, names.number("_")))
}

/// Where the texts of two files part.
fn difference(gold: &Corpus, system: &Corpus) -> TextDifference {
    let same: usize = gold
        .text
        .chars()
        .zip(system.text.chars())
        .take_while(|(g, s)| g == s)
        .map(|(character, _)| character.len_utf8())
        .sum();
    let place = |corpus: &Corpus| {
        let token = corpus.tokens.partition_point(|token| token.end as usize <= same);
        let sentence = corpus
            .sentence_places
            .partition_point(|place| place.first_token as usize <= token)
            .saturating_sub(1);
        let line = corpus.token_lines.get(token).or(corpus.token_lines.last());
        Place::new(
            &corpus.file,
            line.map_or(1, |&line| line as usize),
            sentence + 1,
            corpus.sentence_places.get(sentence).and_then(|place| place.id.as_deref()),
            corpus.tokens.len(),
            token,
            |at| {
                let span = corpus.tokens[at];
                &corpus.text[span.start as usize..span.end as usize]
            },
        )
    };
    TextDifference { gold: place(gold), system: place(system) }
}

#[cfg(test)]
mod tests;
