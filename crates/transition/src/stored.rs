//! Weights as they stand in a model file, whatever learner they come from.
//!
//! One type for all learners keeps the searches compiled once for each system.
use crossarc_learn::packed::{MoveScores, PackedLabels, PackedMoves, TableFacts};
use crossarc_learn::svm::{LABEL_SECTIONS, MOVE_SECTIONS, PackedMachines};
use crossarc_learn::weights::{LabelWeights, Memory, MoveWeights};
use crossarc_model::SectionBytes;

/// What scores moves.
#[derive(Clone, Debug)]
pub enum StoredMoves {
    /// Weights of the perceptron.
    Weights(PackedMoves),
    /// Support vector machines.
    Machines(PackedMachines),
}

/// What scores labels.
#[derive(Clone, Debug)]
pub enum StoredLabels {
    /// Weights of the perceptron.
    Weights(PackedLabels),
    /// Support vector machines.
    Machines(PackedMachines),
}

impl StoredMoves {
    /// What the header of the model must know.
    pub fn facts(&self) -> TableFacts {
        match self {
            StoredMoves::Weights(weights) => weights.facts(),
            StoredMoves::Machines(_) => TableFacts::NONE,
        }
    }

    /// What goes into the model.
    pub fn sections(&self) -> Vec<SectionBytes<'_>> {
        match self {
            StoredMoves::Weights(weights) => weights.sections().into(),
            StoredMoves::Machines(machines) => machines.sections(MOVE_SECTIONS).into(),
        }
    }
}

impl StoredLabels {
    /// What the header of the model must know.
    pub fn facts(&self) -> TableFacts {
        match self {
            StoredLabels::Weights(weights) => weights.facts(),
            StoredLabels::Machines(_) => TableFacts::NONE,
        }
    }

    /// What goes into the model.
    pub fn sections(&self) -> Vec<SectionBytes<'_>> {
        match self {
            StoredLabels::Weights(weights) => weights.sections().into(),
            StoredLabels::Machines(machines) => machines.sections(LABEL_SECTIONS).into(),
        }
    }
}

impl MoveWeights for StoredMoves {
    #[inline]
    fn add_to(&self, features: &[u64], scores: &mut MoveScores) {
        self.score(features, &mut Memory::default(), scores);
    }

    #[inline]
    fn score(&self, features: &[u64], memory: &mut Memory, scores: &mut MoveScores) {
        match self {
            StoredMoves::Weights(weights) => weights.add_scores(features, scores),
            StoredMoves::Machines(machines) => {
                machines.score(&memory.split, features, &mut memory.pairs, scores);
            }
        }
    }
}

impl LabelWeights for StoredLabels {
    #[inline]
    fn fetch(&self, features: &[u64], _: usize) {
        if let StoredLabels::Weights(weights) = self {
            weights.fetch(features);
        }
    }

    #[inline]
    fn add_fetched(&self, features: &[u64], sums: &mut Vec<i32>, scores: &mut [f32]) {
        match self {
            StoredLabels::Weights(weights) => weights.add_fetched(features, sums, scores),
            StoredLabels::Machines(machines) => {
                let Memory { split, mut pairs, .. } = Memory::default();
                machines.score(&split, features, &mut pairs, scores);
            }
        }
    }

    #[inline]
    fn score(&self, features: &[u64], memory: &mut Memory, scores: &mut [f32]) {
        match self {
            StoredLabels::Weights(weights) => {
                weights.add_scores(features, &mut memory.sums, scores);
            }
            StoredLabels::Machines(machines) => {
                machines.score(&memory.split, features, &mut memory.pairs, scores);
            }
        }
    }
}
