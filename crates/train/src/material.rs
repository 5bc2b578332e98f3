//! Sentences to learn from, with what guides say about them.
use conll::Sentence;

use crossarc_learn::features::words::read_words;
use crossarc_learn::features::{Guidance, Words};
use crossarc_tree::{Label, Tree};

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

/// The label that most roots have.
pub fn most_frequent_root_label(trees: &[Tree]) -> Label {
    let mut counts: Vec<usize> = Vec::new();
    for tree in trees {
        for root in tree.roots() {
            let label = tree.label(root).index();
            counts.resize(counts.len().max(label + 1), 0);
            counts[label] += 1;
        }
    }
    let best = counts.iter().enumerate().max_by_key(|&(index, &count)| (count, usize::MAX - index));
    Label(best.map_or(0, |(index, _)| index as u16))
}
