//! Training for beam search, derivation by derivation (Collins and Roark 2004; Huang, Fayong and
//! Guo 2012).
//!
//! The sentence is parsed with the beam; where the best hypothesis beats the gold derivation by
//! most, the weights are moved towards the gold moves up to there and away from the predicted
//! ones. Labels are learned from the arcs of the gold derivation, one by one.
use super::updates::{Trainee, Updates};
use crate::features::Words;
use crate::learn::packed::MoveScores;
use crate::transition::oracle::Oracle;
use crate::transition::scorer::{LinearContext, Scorer};
use crate::transition::searches::Free;
use crate::transition::searches::beam::Beam;
use crate::transition::searches::greedy::best_label;
use crate::transition::system::{MoveSet, TransitionSystem};
use crate::tree::{Label, Tree};

/// Where along the derivation the weights are corrected.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum GlobalUpdate {
    /// Where the gold derivation falls out of the beam.
    Early,
    /// Where the beam beats the gold derivation by most.
    #[default]
    MaxViolation,
}

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
pub struct GlobalLesson<'a, S: TransitionSystem, O: Oracle<S>> {
    /// The system.
    pub system: &'a S,
    /// The oracle.
    pub oracle: &'a O,
    /// The weights, which stay as they are.
    pub model: &'a Trainee,
    /// Width of the beam.
    pub width: usize,
    /// Where to correct.
    pub update: GlobalUpdate,
    /// A gold label must be better than a wrong one by this much.
    pub margin: f32,
}

impl<S: TransitionSystem, O: Oracle<S>> GlobalLesson<'_, S, O> {
    /// Parses a sentence and writes down what should be changed.
    pub fn study(
        &self,
        words: &Words,
        tree: &Tree,
        gold: &O::Gold,
        scratch: &mut GlobalScratch<S>,
        updates: &mut Updates,
    ) {
        let gold_scores = self.follow_gold(words, tree, gold, scratch, updates);
        let beam = scratch.beam.get_or_insert_with(|| Beam::new(self.width));
        beam.start(self.system, words);
        let mut gold_place = Some(0);
        let (mut step, mut violation, mut length) = (0, 0.0, 0);
        while beam.step(self.system, self.model, words, &Free) {
            let gold_move = scratch.gold.get(step).map(|decision| decision.0);
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

    /// Walks the gold derivation, learns its labels, and returns its score after each step.
    fn follow_gold(
        &self,
        words: &Words,
        tree: &Tree,
        gold: &O::Gold,
        scratch: &mut GlobalScratch<S>,
        updates: &mut Updates,
    ) -> Vec<f32> {
        let GlobalScratch { state, context, label_scores, gold: moves, .. } = scratch;
        let mut scores = MoveScores::default();
        let mut total = vec![0.0];
        let mut sum = 0.0;
        moves.clear();
        label_scores.resize(self.model.label_count, 0.0);
        self.system.reset(state, words.len());
        while !self.system.is_final(state) {
            let (mv, label) = self.oracle.next(self.system, gold, state);
            Scorer::<S>::score_moves(self.model, words, state, context, &mut scores);
            sum += scores[mv.index()];
            total.push(sum);
            updates.decisions += 1;
            let mut given = label;
            if let Some(arc) = self.system.arc(state, mv) {
                debug_assert_eq!(tree.head(arc.dependent), arc.head);
                Scorer::<S>::score_labels(self.model, words, state, arc, context, label_scores);
                given = best_label(label_scores);
                label_scores[label.index()] -= self.margin;
                let rival = best_label(label_scores);
                if rival != label {
                    updates.labels(&context.features, Some(label.0), Some(rival.0));
                }
            }
            moves.push((mv, given));
            self.system.apply(state, mv, given);
        }
        total
    }

    /// Replays a derivation and records the features of its moves after the common part.
    fn record(
        &self,
        words: &Words,
        derivation: &[(S::Move, Label)],
        common: usize,
        gold: bool,
        scratch: &mut GlobalScratch<S>,
        updates: &mut Updates,
    ) {
        let GlobalScratch { state, context, .. } = scratch;
        let mut scores = MoveScores::default();
        self.system.reset(state, words.len());
        for (step, &(mv, label)) in derivation.iter().enumerate() {
            if step >= common {
                Scorer::<S>::score_moves(self.model, words, state, context, &mut scores);
                let class = Some(mv.index());
                if gold {
                    updates.moves(&context.features, class, None);
                } else {
                    updates.moves(&context.features, None, class);
                }
            }
            self.system.apply(state, mv, label);
        }
    }
}
