//! Raw text to sentences and tokens, learned from the text of a treebank.
//!
//! One linear model decides behind every character whether the token goes on, ends, or ends its
//! sentence ([`decision`]); features look at characters, words and blanks to both sides, and at what
//! has been decided so far. Addresses, numbers and known [abbreviations] are not broken, whatever the
//! model says. Tokens of several words are split by learned rules ([`multiword`]).
//! Every run is linear in the length of the text.
//!
//! ```
//! use crossarc_text::tokenize::{Sentences, Tokenizer, TokenizerOptions, train};
//! let text = "1\tHi\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No\n2\t!\t_\t_\t_\t_\t1\tpunct\t_\t_\n\n";
//! let sentences = conll::read_str(&text.repeat(20), conll::ReadOptions::default()).unwrap();
//! let tokenizer = train(&sentences, &[], &TokenizerOptions::default(), |_, _| ());
//! let mut tokens = Vec::new();
//! tokenizer.segmenter().segment("Hi! Hi!", Sentences::Found, &mut tokens);
//! assert_eq!(tokens.len(), 4);
//! assert!(tokens[1].ends_sentence);
//! ```
pub mod abbreviations;
pub mod characters;
pub mod decision;
pub mod document;
pub mod layout;
pub mod multiword;
pub mod paragraph;
pub mod segmenter;
pub mod spaces;
pub mod training;
pub mod treebank_text;
mod units;
pub mod write;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use abbreviations::Abbreviations;
use crossarc_learn::packed::{self, PackedMoves};
use crossarc_model::{Container, ModelError};
use multiword::MultiwordRules;
use segmenter::Habits;
pub use segmenter::{Segmenter, Sentences, Span};
pub use training::{SegmentationScore, TokenizerOptions, train};

/// Longest token in characters; a longer one is cut.
pub const MOST_TOKEN: usize = 1000;
/// Most tokens of a sentence; a longer one is cut.
pub const MOST_TOKENS: usize = 1000;

/// Most bytes of a sentence; a longer one is cut.
pub const MOST_SENTENCE_BYTES: usize = 1 << 18;
/// Most characters between two tokens that are kept in MISC.
pub const MOST_BLANKS: usize = 50_000;

/// A trained tokenizer and sentence splitter.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    facts: Facts,
    weights: PackedMoves,
    multiword: MultiwordRules,
    abbreviations: Abbreviations,
}

/// What the header of a model says about a tokenizer.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
struct Facts {
    habits: Habits,
    /// Added to the score of ending a sentence.
    sentence_bias: f32,
    weights: packed::TableFacts,
}

#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    facts: Facts,
    multiword: Cow<'a, MultiwordRules>,
    #[serde(default)]
    abbreviations: Cow<'a, Abbreviations>,
}

impl Tokenizer {
    /// Memory for one thread.
    pub fn segmenter(&self) -> Segmenter<'_> {
        Segmenter::new(self)
    }

    /// The rules for tokens of several words.
    pub fn multiword(&self) -> &MultiwordRules {
        &self.multiword
    }

    /// Abbreviations that it knows.
    pub fn abbreviations(&self) -> &Abbreviations {
        &self.abbreviations
    }

    /// Teaches it abbreviations besides those that it knows.
    pub fn learn_abbreviations(&mut self, more: &Abbreviations) {
        self.abbreviations.extend(more);
    }

    /// Size of the weights in bytes.
    pub fn size(&self) -> usize {
        self.weights.size()
    }

    /// As bytes that [`load`](Tokenizer::load) reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Stored {
            facts: self.facts,
            multiword: Cow::Borrowed(&self.multiword),
            abbreviations: Cow::Borrowed(&self.abbreviations),
        };
        Container::to_bytes(&header, &self.weights.sections())
    }

    /// From a container.
    pub fn load(container: &Container) -> Result<Tokenizer, ModelError> {
        let Stored { facts, multiword, abbreviations } = container.content::<Stored<'_>>()?;
        let weights = PackedMoves::load(container, facts.weights)?;
        let (multiword, abbreviations) = (multiword.into_owned(), abbreviations.into_owned());
        Ok(Tokenizer { facts, weights, multiword, abbreviations })
    }
}
