//! Sentences to learn from, with what guides say about them.
use conll::Sentence;

use crate::annotate::read_words;
use crate::features::{Guidance, Words};

/// Sentences with their trees, and for each what guides say; no guidance at all without guides.
#[derive(Copy, Clone, Debug, Default)]
pub struct Material<'a> {
    /// The sentences.
    pub sentences: &'a [Sentence],
    /// What guides say about each of them.
    pub guidance: &'a [Guidance],
}

impl<'a> Material<'a> {
    /// Sentences without guides.
    pub fn plain(sentences: &'a [Sentence]) -> Material<'a> {
        Material { sentences, guidance: &[] }
    }

    /// True if there is no sentence.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// The words of a sentence, which may be a prepared copy of the one with this number.
    pub fn read(&self, number: usize, sentence: &Sentence, words: &mut Words) {
        read_words(sentence, words);
        if let Some(guidance) = self.guidance.get(number) {
            words.set_guidance(guidance);
        }
    }
}
