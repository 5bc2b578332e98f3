//! Vectors of words from raw text: words that stand among the same words get vectors that point the same way.
//!
//! Skip-gram with negative sampling (Mikolov, Sutskever, Chen, Corrado and Dean 2013) over words and the
//! n-grams of their letters (Bojanowski, Grave, Joulin and Mikolov 2017): a word foretells each word near it
//! against words drawn at random; its vector is the mean of a row of its own and of rows of its n-grams, so
//! that rare forms of a word profit from frequent ones.
//!
//! | file | what it holds |
//! |---|---|
//! | `corpus.rs` | words of a text and their numbers |
//! | `letters.rs` | n-grams of letters |
//! | `skip_gram.rs` | learning, in parallel and yet the same on any number of threads |
//!
//! ```
//! use crossarc_vectors::{Corpus, Options, learn};
//! let text = "the cat sleeps .\nthe dog sleeps .\nthe cat eats .\nthe dog eats .\n".repeat(50);
//! let mut corpus = Corpus::default();
//! corpus.read(text.as_bytes())?;
//! let options = Options { width: 8, epochs: 2, ..Options::default() };
//! let vectors = learn(corpus, &options, &|_| false)?;
//! assert_eq!((vectors.words().len(), vectors.vector(0).len()), (6, 8));
//! let mut file = Vec::new();
//! vectors.write(&mut file)?;
//! assert!(file.starts_with(b"6 8\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod corpus;
mod letters;
mod skip_gram;

use std::io::{self, Write};

pub use corpus::{Corpus, MOST_TYPES, MOST_WORDS, words};
pub use letters::n_grams;
pub use skip_gram::{LearnError, Options, Progress, learn};

/// Words with their vectors, the most frequent first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordVectors {
    words: Vec<String>,
    width: usize,
    numbers: Vec<f32>,
}

impl WordVectors {
    /// The words.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The vector of a word, by its number.
    pub fn vector(&self, word: usize) -> &[f32] {
        &self.numbers[word * self.width..(word + 1) * self.width]
    }

    /// Numbers of a vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Writes the text format of word2vec: a line of counts, then a word and its numbers on each line.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{} {}", self.words.len(), self.width)?;
        for (at, word) in self.words.iter().enumerate() {
            out.write_all(word.as_bytes())?;
            for number in self.vector(at) {
                write!(out, " {number:.5}")?;
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}
