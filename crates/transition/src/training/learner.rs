//! What learns while a parser is trained.
//!
//! The lessons ([`super::local`], [`super::global`]) parse sentences with the weights as they are and
//! say by how much each move and label should be scored otherwise; how that changes weights is known
//! to the learner only. The perceptron is one, a net another.
use crate::scorer::Scorer;
use crate::system::TransitionSystem;
use crossarc_learn::features::Words;
use crossarc_train::TrainError;

/// When a decision is not good enough.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Loss {
    /// When a right one is not better than all wrong ones by a margin: the best right one goes up, the
    /// best wrong one down.
    Margin,
    /// Whenever its probability is below one: the loss is the logarithm of it.
    Entropy,
}

/// By how much the scores of some moves or labels should grow; negative: shrink.
pub type Steps<'a> = &'a [(u16, f32)];

/// A sentence to be studied.
#[derive(Copy, Clone, Debug)]
pub struct Sitting<'a> {
    /// Its words.
    pub words: &'a Words,
    /// Its random numbers.
    pub seed: u64,
}

/// A scorer that learns.
///
/// The sentences of a batch are studied with the same weights. Each place has a context and notes of
/// its own; the notes of all places are applied in their order, so the result is the same at any
/// number of threads.
pub trait Learner<S: TransitionSystem>: Scorer<S> {
    /// What was learned from some sentences, to be applied later.
    type Notes: Default + Send;

    /// What it minds.
    fn loss(&self) -> Loss;

    /// The places of a batch; nothing if each sentence has one for itself.
    fn places(&self) -> Option<usize> {
        None
    }

    /// Takes in all sentences of a place. They are then studied in this order, each after a call of
    /// [`Learner::turn_to`].
    fn open(&self, _sentences: &[Sitting<'_>], _context: &mut Self::Context, _: &mut Self::Notes) {}

    /// Begins one of the sentences that were taken in.
    fn turn_to(&self, _sentence: usize, words: &Words, context: &mut Self::Context) {
        self.begin(words, context);
    }

    /// The moves of the state that was scored last should be scored otherwise.
    fn change_moves(&self, steps: Steps<'_>, context: &mut Self::Context, notes: &mut Self::Notes);

    /// The labels of the arc that was scored last should be scored otherwise.
    fn change_labels(&self, steps: Steps<'_>, context: &mut Self::Context, notes: &mut Self::Notes);

    /// All sentences of the place have been studied.
    fn close(&self, _context: &mut Self::Context, _notes: &mut Self::Notes) {}

    /// Changes the weights by what was learned in all places, and forgets it.
    fn apply(&mut self, notes: &mut [Self::Notes]) -> Result<(), TrainError>;
}

/// The probabilities of a softmax over some scores, as steps: up to the right ones, by what each has of
/// their sum, and down from all.
pub(super) fn entropy_steps(
    scores: impl Iterator<Item = (u16, f32, bool)> + Clone,
    steps: &mut Vec<(u16, f32)>,
) {
    let best = scores.clone().fold(f32::NEG_INFINITY, |best, (_, score, _)| best.max(score));
    let (mut all, mut right) = (0.0, 0.0);
    for (_, score, is_right) in scores.clone() {
        let share = (score - best).exp();
        all += share;
        right += if is_right { share } else { 0.0 };
    }
    // Where right ones have next to no share, the best of them would divide by nothing.
    let count = scores.clone().filter(|&(_, _, is_right)| is_right).count();
    steps.clear();
    steps.extend(scores.map(|(class, score, is_right)| {
        let share = (score - best).exp();
        let wanted = match is_right {
            false => 0.0,
            true if right > 1e-20 => share / right,
            true => 1.0 / count as f32,
        };
        (class, wanted - share / all)
    }));
}

#[cfg(test)]
mod tests {
    use super::entropy_steps;

    #[test]
    fn steps_go_down_the_slope_of_the_loss() {
        let scores = [0.3_f32, -1.0, 2.0, 0.1];
        let right = [true, false, false, true];
        let numbered =
            |scores: [f32; 4]| (0..4).map(move |class| (class as u16, scores[class], right[class]));
        let loss = |scores: [f32; 4]| {
            let all: f64 = scores.iter().map(|&score| f64::from(score).exp()).sum();
            let good = numbered(scores).filter(|one| one.2);
            -(good.map(|(_, score, _)| f64::from(score).exp()).sum::<f64>() / all).ln()
        };
        let mut steps = Vec::new();
        entropy_steps(numbered(scores), &mut steps);
        for (class, step) in steps {
            let moved = |by: f32| {
                let mut moved = scores;
                moved[usize::from(class)] += by;
                loss(moved)
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((slope + f64::from(step)).abs() < 1e-4, "class {class}");
        }
        let hopeless = [(0, 500.0, false), (1, -500.0, true)];
        let mut steps = Vec::new();
        entropy_steps(hopeless.into_iter(), &mut steps);
        assert_eq!(steps, [(0, -1.0), (1, 1.0)]);
    }
}
