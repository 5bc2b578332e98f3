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

/// Scores that are compared side by side.
const LANES: usize = 8;

/// The label with the highest score, the first of equals.
#[inline]
pub fn best_label(scores: &[f32]) -> Label {
    let higher = |one: f32, other: f32| if other > one { other } else { one };
    let (blocks, rest) = scores.as_chunks::<LANES>();
    let mut tops = [f32::NEG_INFINITY; LANES];
    for block in blocks {
        for (top, &score) in tops.iter_mut().zip(block) {
            *top = higher(*top, score);
        }
    }
    let top = tops.into_iter().chain(rest.iter().copied()).fold(f32::NEG_INFINITY, higher);
    Label(scores.iter().position(|&score| score == top).unwrap_or(0) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    #[test]
    fn the_best_label_is_the_first_of_the_highest() {
        let mut rng = Seed(47).rng();
        for round in 0..2000 {
            let values = [f32::NEG_INFINITY, -1.5, -0.0, 0.0, 2.0, 3.0, f32::INFINITY];
            let kinds = 1 + rng.below(values.len());
            let length = 1 + rng.below(40);
            let scores: Vec<f32> = (0..length).map(|_| values[rng.below(kinds)]).collect();
            let mut best = 0;
            for (label, &score) in scores.iter().enumerate() {
                if score > scores[best] {
                    best = label;
                }
            }
            assert_eq!(best_label(&scores), Label(best as u16), "seed 47, round {round}");
        }
        assert_eq!(best_label(&[]), Label(0));
    }
}
