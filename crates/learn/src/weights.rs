//! What a table of weights is, whoever has learned it and however it is stored.
use crossarc_tree::Label;

use crate::packed::{MoveScores, PackedLabels, PackedMoves};
use crate::perceptron::{DenseWeights, SparseWeights};

/// A table of weights for moves.
pub trait MoveWeights: Send + Sync {
    /// Adds the weights of the features to the scores of all moves.
    fn add_to(&self, features: &[u64], scores: &mut MoveScores);

    /// The same with working memory.
    #[inline]
    fn score(&self, features: &[u64], _: &mut Memory, scores: &mut MoveScores) {
        self.add_to(features, scores);
    }
}

/// A table of weights for labels.
pub trait LabelWeights: Send + Sync {
    /// Adds the weights of the features to the scores of all labels.
    #[inline]
    fn add_to(&self, features: &[u64], sums: &mut Vec<i32>, scores: &mut [f32]) {
        self.fetch(features, scores.len());
        self.add_fetched(features, sums, scores);
    }

    /// Asks for the memory that is needed to add the weights of features to so many scores.
    fn fetch(&self, features: &[u64], scores: usize);

    /// [`LabelWeights::add_to`] for features that were fetched before.
    fn add_fetched(&self, features: &[u64], sums: &mut Vec<i32>, scores: &mut [f32]);

    /// The same with working memory.
    #[inline]
    fn score(&self, features: &[u64], memory: &mut Memory, scores: &mut [f32]) {
        self.add_to(features, &mut memory.sums, scores);
    }
}

impl MoveWeights for DenseWeights {
    fn add_to(&self, features: &[u64], scores: &mut MoveScores) {
        self.add_scores(features, scores);
    }
}

impl MoveWeights for PackedMoves {
    fn add_to(&self, features: &[u64], scores: &mut MoveScores) {
        self.add_scores(features, scores);
    }
}

impl LabelWeights for SparseWeights {
    #[inline]
    fn fetch(&self, features: &[u64], _: usize) {
        self.fetch(features);
    }

    #[inline]
    fn add_fetched(&self, features: &[u64], _: &mut Vec<i32>, scores: &mut [f32]) {
        self.add_scores(features, scores);
    }
}

impl LabelWeights for PackedLabels {
    #[inline]
    fn fetch(&self, features: &[u64], _: usize) {
        self.fetch(features);
    }

    #[inline]
    fn add_fetched(&self, features: &[u64], sums: &mut Vec<i32>, scores: &mut [f32]) {
        self.add_fetched(features, sums, scores);
    }
}

/// Working memory of weights.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Sums in whole numbers.
    pub sums: Vec<i32>,
    /// The value by which machines are chosen, or nothing.
    pub split: Vec<u64>,
    /// For machines over pairs of features.
    pub pairs: svm::expansion::Scratch,
}

/// The label with the highest score, the first of equals.
#[inline]
pub fn best_label(scores: &[f32]) -> Label {
    let mut best = 0;
    for (label, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = label;
        }
    }
    Label(best as u16)
}
