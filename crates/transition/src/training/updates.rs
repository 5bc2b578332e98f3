//! Changes to the weights, collected while sentences are parsed and applied afterwards.
//!
//! The sentences of a batch are parsed in parallel with the same weights; their changes are then
//! applied in the order of the sentences, so the result does not depend on the number of threads.
use crate::scorer::Linear;
use crossarc_learn::perceptron::{DenseWeights, SparseWeights};

/// The model while it is trained.
pub type Trainee = Linear<DenseWeights, SparseWeights>;

#[derive(Copy, Clone, Debug)]
enum Target {
    Moves,
    Labels,
}

#[derive(Copy, Clone, Debug)]
struct Change {
    /// Where the features of the change end.
    end: u32,
    target: Target,
    up: Option<u16>,
    down: Option<u16>,
}

/// The changes of one sentence.
#[derive(Clone, Debug, Default)]
pub struct Updates {
    features: Vec<u64>,
    changes: Vec<Change>,
    /// Moves and labels that were decided on.
    pub decisions: usize,
}

impl Updates {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.features.clear();
        self.changes.clear();
        self.decisions = 0;
    }

    /// Right decisions that should be spoken for more.
    pub fn corrected(&self) -> usize {
        self.changes.iter().filter(|change| change.up.is_some()).count()
    }

    /// The features should speak more for move `up` and less for move `down`.
    pub fn moves(&mut self, features: &[u64], up: Option<usize>, down: Option<usize>) {
        self.push(features, Target::Moves, up.map(|mv| mv as u16), down.map(|mv| mv as u16));
    }

    /// The features should speak more for label `up` and less for label `down`.
    pub fn labels(&mut self, features: &[u64], up: Option<u16>, down: Option<u16>) {
        self.push(features, Target::Labels, up, down);
    }

    fn push(&mut self, features: &[u64], target: Target, up: Option<u16>, down: Option<u16>) {
        self.features.extend_from_slice(features);
        self.changes.push(Change { end: self.features.len() as u32, target, up, down });
    }

    /// Changes the weights.
    pub fn apply(&self, model: &mut Trainee) {
        model.moves.tick();
        model.labels.tick();
        let mut start = 0;
        for change in &self.changes {
            let features = &self.features[start..change.end as usize];
            start = change.end as usize;
            let steps = match (change.up, change.down) {
                (Some(up), Some(down)) => &[(up, 1.0), (down, -1.0)][..],
                (Some(up), None) => &[(up, 1.0)],
                (None, Some(down)) => &[(down, -1.0)],
                (None, None) => continue,
            };
            match change.target {
                Target::Moves => model.moves.update(features, steps),
                Target::Labels => model.labels.update(features, steps),
            }
        }
    }
}
