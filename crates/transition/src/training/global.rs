//! Training for beam search, derivation by derivation (Collins and Roark 2004; Huang, Fayong and
//! Guo 2012).
//!
//! The sentence is parsed with the beam; where the best hypothesis beats the gold derivation by
//! most, the weights are moved towards the gold decisions up to there and away from the predicted
//! ones, moves and labels alike. Where several derivations lead to the gold tree and the oracle
//! knows them all, the one that the model likes best is taken.
use super::teacher::Teacher;
use super::updates::{Trainee, Updates};
use crate::scorer::{LinearContext, Scorer};
use crate::searches::Free;
use crate::searches::beam::{Beam, LabelScores};
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
pub use crossarc_train::options::GlobalUpdate;
use crossarc_tree::{Label, Tree};

/// Working memory, one per thread.
pub struct GlobalScratch<S: TransitionSystem> {
    beam: Option<Beam<S, Trainee>>,
    state: S::State,
    context: LinearContext,
    label_scores: Vec<f32>,
    gold: Vec<(S::Move, Label)>,
    worst: Vec<(S::Move, Label)>,
}

impl<S: TransitionSystem> Default for GlobalScratch<S> {
    fn default() -> Self {
        GlobalScratch {
            beam: None,
            state: S::State::default(),
            context: LinearContext::default(),
            label_scores: Vec::new(),
            gold: Vec::new(),
            worst: Vec::new(),
        }
    }
}

/// How one sentence is studied.
pub struct GlobalLesson<'a, S: TransitionSystem, T: Teacher<S>> {
    /// The system.
    pub system: &'a S,
    /// The teacher.
    pub teacher: &'a T,
    /// The weights, which stay as they are.
    pub model: &'a Trainee,
    /// Width of the beam.
    pub width: usize,
    /// Where to correct.
    pub update: GlobalUpdate,
}

impl<S: TransitionSystem, T: Teacher<S>> GlobalLesson<'_, S, T> {
    /// Parses a sentence and writes down what should be changed.
    pub fn study(
        &self,
        words: &Words,
        tree: &Tree,
        gold: &T::Gold,
        scratch: &mut GlobalScratch<S>,
        updates: &mut Updates,
    ) {
        let gold_scores = self.follow_gold(words, tree, gold, scratch, updates);
        let beam = scratch.beam.get_or_insert_with(|| Beam::new(self.width, LabelScores::Count));
        beam.start(self.system, self.model, words);
        let mut gold_place = Some(0);
        let (mut step, mut violation, mut length) = (0, 0.0, 0);
        while beam.step(self.system, self.model, words, &Free) {
            let gold_move = scratch.gold.get(step).copied();
            gold_place = gold_place.and_then(|place| beam.successor(place, gold_move));
            step += 1;
            let lead = beam.best_score() - gold_scores[step.min(gold_scores.len() - 1)];
            let is_violation = match self.update {
                GlobalUpdate::Early => gold_place.is_none() || !beam.goes_on(),
                GlobalUpdate::MaxViolation => lead > violation || length == 0,
            };
            if is_violation && gold_place != Some(0) {
                beam.best_derivation(&mut scratch.worst);
                (violation, length) = (lead, step);
                if self.update == GlobalUpdate::Early {
                    break;
                }
            }
        }
        if length > 0 && violation >= 0.0 {
            let gold = std::mem::take(&mut scratch.gold);
            let worst = std::mem::take(&mut scratch.worst);
            let both = gold.iter().zip(&worst);
            let common = both.take_while(|(one, other)| one == other).count();
            self.record(words, &gold[..length.min(gold.len())], common, true, scratch, updates);
            self.record(words, &worst, common, false, scratch, updates);
            (scratch.gold, scratch.worst) = (gold, worst);
        }
    }

    /// Walks the gold derivation that the model likes best, and returns its score after each step.
    fn follow_gold(
        &self,
        words: &Words,
        tree: &Tree,
        gold: &T::Gold,
        scratch: &mut GlobalScratch<S>,
        updates: &mut Updates,
    ) -> Vec<f32> {
        let GlobalScratch { state, context, label_scores, gold: derivation, .. } = scratch;
        let mut scores = MoveScores::default();
        let mut totals = vec![0.0];
        let mut total = 0.0;
        derivation.clear();
        label_scores.resize(self.model.label_count, 0.0);
        self.system.reset(state, words.len());
        while !self.system.is_final(state) {
            let right = self.teacher.right_moves(self.system, gold, state);
            Scorer::<S>::score_moves(self.model, words, state, context, &mut scores);
            let mut best: Option<(S::Move, Label, f32)> = None;
            for &mv in S::Move::ALL.iter().filter(|&&mv| right.contains(mv)) {
                let mut score = scores[mv.index()];
                let mut label = Label::default();
                if let Some(arc) = self.system.arc(state, mv) {
                    debug_assert_eq!(tree.head(arc.dependent), arc.head);
                    label = tree.label(arc.dependent);
                    Scorer::<S>::score_labels(self.model, words, state, arc, context, label_scores);
                    score += label_scores[label.index()];
                }
                if best.is_none_or(|best| score > best.2) {
                    best = Some((mv, label, score));
                }
            }
            let Some((mv, label, score)) = best else { break };
            total += score;
            totals.push(total);
            updates.decisions += 1 + usize::from(self.system.arc(state, mv).is_some());
            derivation.push((mv, label));
            self.system.apply(state, mv, label);
        }
        totals
    }

    /// Replays a derivation and records the features of its decisions after the common part.
    fn record(
        &self,
        words: &Words,
        derivation: &[(S::Move, Label)],
        common: usize,
        gold: bool,
        scratch: &mut GlobalScratch<S>,
        updates: &mut Updates,
    ) {
        let GlobalScratch { state, context, label_scores, .. } = scratch;
        let mut scores = MoveScores::default();
        self.system.reset(state, words.len());
        for (step, &(mv, label)) in derivation.iter().enumerate() {
            if step >= common {
                Scorer::<S>::score_moves(self.model, words, state, context, &mut scores);
                let [up, down] = up_or_down(mv.index(), gold);
                updates.moves(&context.features, up, down);
                if let Some(arc) = self.system.arc(state, mv) {
                    Scorer::<S>::score_labels(self.model, words, state, arc, context, label_scores);
                    let [up, down] = up_or_down(label.0, gold);
                    updates.labels(&context.features, up, down);
                }
            }
            self.system.apply(state, mv, label);
        }
    }
}

fn up_or_down<C: Copy>(class: C, gold: bool) -> [Option<C>; 2] {
    if gold { [Some(class), None] } else { [None, Some(class)] }
}
