//! Sentences to learn from, with what guides say about them.
use conll::Sentence;

use crate::annotate::read_words;
use crate::features::{Guidance, Words};
use crate::tree::Tree;

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

    /// The words of the sentence with this number, or of a prepared copy of it.
    pub fn words(&self, number: usize, sentence: &Sentence) -> Words {
        let mut words = Words::default();
        self.read(number, sentence, &mut words);
        words
    }

    /// Words and trees of the first sentences that are not too long; of these, those without a tree
    /// are left out.
    pub fn sample(
        &self,
        most: usize,
        longest: usize,
        mut tree_of: impl FnMut(&Sentence) -> Option<Tree>,
    ) -> Vec<(Words, Tree)> {
        let numbered = self.sentences.iter().enumerate();
        let short = numbered.filter(|(_, sentence)| sentence.len() <= longest).take(most);
        let read = |(number, sentence)| Some((self.words(number, sentence), tree_of(sentence)?));
        short.filter_map(read).collect()
    }

    /// The words of a sentence, which may be a prepared copy of the one with this number.
    pub fn read(&self, number: usize, sentence: &Sentence, words: &mut Words) {
        read_words(sentence, words);
        if let Some(guidance) = self.guidance.get(number) {
            words.set_guidance(guidance);
        }
    }
}
