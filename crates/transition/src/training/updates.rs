//! The perceptron: changes to its weights, collected while sentences are parsed and applied afterwards.
//!
//! The sentences of a batch are parsed in parallel with the same weights; their changes are then
//! applied in the order of the sentences, so the result does not depend on the number of threads.
use super::learner::{Learner, Loss, Steps};
use crate::scorer::{Linear, LinearContext};
use crate::system::TransitionSystem;
use crossarc_learn::perceptron::{DenseWeights, SparseWeights};
use crossarc_train::TrainError;
use crossarc_train::checkpoint::Resumable;

/// The perceptron while it is trained.
pub type Trainee = Linear<DenseWeights, SparseWeights>;

#[derive(Copy, Clone, Debug)]
enum Target {
    Moves,
    Labels,
}

#[derive(Copy, Clone, Debug)]
struct Change {
    target: Target,
    /// Where the features of the change end.
    features: u32,
    /// Where its steps end.
    steps: u32,
}

/// The changes of one sentence.
#[derive(Clone, Debug, Default)]
pub struct Updates {
    features: Vec<u64>,
    steps: Vec<(u16, f32)>,
    changes: Vec<Change>,
}

impl Updates {
    fn push(&mut self, target: Target, features: &[u64], steps: Steps<'_>) {
        self.features.extend_from_slice(features);
        self.steps.extend_from_slice(steps);
        let (features, steps) = (self.features.len() as u32, self.steps.len() as u32);
        self.changes.push(Change { target, features, steps });
    }

    /// Changes the weights, and forgets how.
    pub fn apply(&mut self, model: &mut Trainee) {
        model.moves.tick();
        model.labels.tick();
        let (mut feature, mut step) = (0, 0);
        for change in &self.changes {
            let features = &self.features[feature..change.features as usize];
            let steps = &self.steps[step..change.steps as usize];
            (feature, step) = (change.features as usize, change.steps as usize);
            match change.target {
                Target::Moves => model.moves.update(features, steps),
                Target::Labels => model.labels.update(features, steps),
            }
        }
        self.features.clear();
        self.steps.clear();
        self.changes.clear();
    }
}

impl<S: TransitionSystem> Learner<S> for Trainee {
    type Notes = Updates;

    fn loss(&self) -> Loss {
        Loss::Margin
    }

    fn change_moves(&self, steps: Steps<'_>, context: &mut LinearContext, notes: &mut Updates) {
        notes.push(Target::Moves, &context.features, steps);
    }

    fn change_labels(&self, steps: Steps<'_>, context: &mut LinearContext, notes: &mut Updates) {
        notes.push(Target::Labels, &context.features, steps);
    }

    fn apply(&mut self, notes: &mut [Updates]) -> Result<(), TrainError> {
        for updates in notes {
            updates.apply(self);
        }
        Ok(())
    }
}

/// What a checkpoint calls the weights of moves and of labels.
const SECTIONS: [&str; 2] = ["weights", "labels"];

impl Resumable for Trainee {
    fn to_sections(&self) -> Vec<(String, Vec<u8>)> {
        let bytes = [self.moves.to_bytes(), self.labels.to_bytes()];
        SECTIONS.map(str::to_owned).into_iter().zip(bytes).collect()
    }

    fn with_sections<'s>(
        &self,
        section: &dyn Fn(&str) -> Option<&'s [u8]>,
    ) -> Result<Trainee, String> {
        let [moves, labels] = SECTIONS;
        let damaged = |name: &str| name.to_owned();
        let found = section(moves).and_then(DenseWeights::from_bytes);
        let named = section(labels);
        let named = named.and_then(|bytes| SparseWeights::from_bytes(bytes, self.label_count));
        Ok(Trainee {
            moves: found.ok_or_else(|| damaged(moves))?,
            labels: named.ok_or_else(|| damaged(labels))?,
            extractors: self.extractors.clone(),
            label_count: self.label_count,
        })
    }
}

/// The mean of several runs.
pub fn mean(runs: &[&Trainee]) -> Trainee {
    Trainee {
        moves: DenseWeights::mean(runs.iter().map(|run| &run.moves)),
        labels: SparseWeights::mean(runs.iter().map(|run| &run.labels)),
        extractors: runs[0].extractors.clone(),
        label_count: runs[0].label_count,
    }
}
