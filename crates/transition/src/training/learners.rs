//! The learners there are. One type for all keeps the lessons compiled once for each system.
use super::learner::{Learner, Loss, Sitting, Steps};
use super::updates::{Trainee, Updates, mean};
use crate::model::StoredContext;
use crate::nets::{self, LABELS, MOVES, columns};
use crate::scorer::Scorer;
use crate::system::TransitionSystem;
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::state::Arc;
use crossarc_train::TrainError;
use crossarc_train::checkpoint::Resumable;
use crossarc_tree::Label;
use neural::{ChooserGradients, ChooserLearner, ChooserMemory};

/// Places of a batch that a net studies: the same at any number of threads.
const PLACES: usize = 2;

/// One of the learners.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one for each run")]
pub enum AnyLearner {
    /// An averaged perceptron.
    Perceptron(Trainee),
    /// A net.
    Net(Box<ChooserLearner>),
}

/// What one of them has learned from some sentences.
#[derive(Debug, Default)]
pub struct AnyNotes {
    updates: Updates,
    gradients: ChooserGradients,
}

impl AnyLearner {
    /// The mean of several runs of the perceptron; of nets the first.
    #[must_use]
    pub fn mean(several: &[AnyLearner]) -> AnyLearner {
        let runs = several.iter().filter_map(|one| match one {
            AnyLearner::Perceptron(trainee) => Some(trainee),
            AnyLearner::Net(_) => None,
        });
        let runs: Vec<&Trainee> = runs.collect();
        if runs.len() < 2 { several[0].clone() } else { AnyLearner::Perceptron(mean(&runs)) }
    }
}

impl<S: TransitionSystem> Scorer<S> for AnyLearner {
    type Context = StoredContext;

    fn labels(&self) -> usize {
        match self {
            AnyLearner::Perceptron(trainee) => trainee.label_count,
            AnyLearner::Net(net) => net.model().shape().choices[LABELS].classes,
        }
    }

    fn begin(&self, words: &Words, context: &mut StoredContext) {
        match self {
            AnyLearner::Perceptron(trainee) => {
                Scorer::<S>::begin(trainee, words, &mut context.linear);
            }
            AnyLearner::Net(net) => {
                // What was kept may be of other weights.
                context.net = ChooserMemory::default();
                net.model().begin(columns(words), &mut context.net);
            }
        }
    }

    #[inline]
    fn score_moves(
        &self,
        words: &Words,
        state: &S::State,
        context: &mut StoredContext,
        scores: &mut MoveScores,
    ) {
        match self {
            AnyLearner::Perceptron(trainee) => {
                Scorer::<S>::score_moves(trainee, words, state, &mut context.linear, scores);
            }
            AnyLearner::Net(net) => {
                nets::score_moves::<S>(net.model(), state, &mut context.net, scores);
            }
        }
    }

    #[inline]
    fn score_labels(
        &self,
        words: &Words,
        state: &S::State,
        arc: Arc,
        context: &mut StoredContext,
        scores: &mut [f32],
    ) {
        match self {
            AnyLearner::Perceptron(trainee) => {
                Scorer::<S>::score_labels(trainee, words, state, arc, &mut context.linear, scores);
            }
            AnyLearner::Net(net) => {
                nets::score_labels::<S>(net.model(), state, arc, &mut context.net, scores);
            }
        }
    }

    #[inline]
    fn best_label(
        &self,
        words: &Words,
        state: &S::State,
        arc: Arc,
        context: &mut StoredContext,
        scores: &mut [f32],
    ) -> (Label, f32) {
        if let AnyLearner::Perceptron(trainee) = self {
            return Scorer::<S>::best_label(
                trainee,
                words,
                state,
                arc,
                &mut context.linear,
                scores,
            );
        }
        Scorer::<S>::score_labels(self, words, state, arc, context, scores);
        let label = crossarc_learn::weights::best_label(scores);
        (label, scores[label.index()])
    }
}

impl<S: TransitionSystem> Learner<S> for AnyLearner {
    type Notes = AnyNotes;

    fn loss(&self) -> Loss {
        match self {
            AnyLearner::Perceptron(trainee) => Learner::<S>::loss(trainee),
            AnyLearner::Net(_) => Loss::Entropy,
        }
    }

    fn places(&self) -> Option<usize> {
        match self {
            AnyLearner::Perceptron(trainee) => Learner::<S>::places(trainee),
            AnyLearner::Net(_) => Some(PLACES),
        }
    }

    fn open(&self, sentences: &[Sitting<'_>], context: &mut StoredContext, notes: &mut AnyNotes) {
        if let AnyLearner::Net(net) = self {
            let sentences = sentences.iter().map(|one| (columns(one.words), one.seed));
            net.open(sentences, &mut context.net, &mut notes.gradients);
        }
    }

    fn turn_to(&self, sentence: usize, words: &Words, context: &mut StoredContext) {
        match self {
            AnyLearner::Perceptron(trainee) => {
                Learner::<S>::turn_to(trainee, sentence, words, &mut context.linear);
            }
            AnyLearner::Net(net) => net.turn_to(sentence, &mut context.net),
        }
    }

    fn change_moves(&self, steps: Steps<'_>, context: &mut StoredContext, notes: &mut AnyNotes) {
        match self {
            AnyLearner::Perceptron(trainee) => {
                let (context, updates) = (&mut context.linear, &mut notes.updates);
                Learner::<S>::change_moves(trainee, steps, context, updates);
            }
            AnyLearner::Net(net) => {
                net.change(MOVES, steps, &mut context.net, &mut notes.gradients);
            }
        }
    }

    fn change_labels(&self, steps: Steps<'_>, context: &mut StoredContext, notes: &mut AnyNotes) {
        match self {
            AnyLearner::Perceptron(trainee) => {
                let (context, updates) = (&mut context.linear, &mut notes.updates);
                Learner::<S>::change_labels(trainee, steps, context, updates);
            }
            AnyLearner::Net(net) => {
                net.change(LABELS, steps, &mut context.net, &mut notes.gradients);
            }
        }
    }

    fn close(&self, context: &mut StoredContext, notes: &mut AnyNotes) {
        if let AnyLearner::Net(net) = self {
            net.close(&mut context.net, &mut notes.gradients);
        }
    }

    fn apply(&mut self, notes: &mut [AnyNotes]) -> Result<(), TrainError> {
        match self {
            AnyLearner::Perceptron(trainee) => {
                for notes in notes.iter_mut() {
                    notes.updates.apply(trainee);
                }
                Ok(())
            }
            AnyLearner::Net(net) => {
                let gradients = notes.iter_mut().map(|notes| &mut notes.gradients);
                net.apply(gradients).map_err(|error| TrainError::Net(error.to_string()))
            }
        }
    }
}

impl Resumable for AnyLearner {
    fn to_sections(&self) -> Vec<(String, Vec<u8>)> {
        match self {
            AnyLearner::Perceptron(trainee) => trainee.to_sections(),
            AnyLearner::Net(net) => net.to_sections(),
        }
    }

    fn with_sections<'s>(
        &self,
        section: &dyn Fn(&str) -> Option<&'s [u8]>,
    ) -> Result<AnyLearner, String> {
        match self {
            AnyLearner::Perceptron(trainee) => {
                trainee.with_sections(section).map(AnyLearner::Perceptron)
            }
            AnyLearner::Net(net) => {
                let net = net.with_sections(section).map_err(|error| error.to_string())?;
                Ok(AnyLearner::Net(Box::new(net)))
            }
        }
    }
}
