//! Training of greedy parsers, decision by decision.
//!
//! With a static oracle the parser is led along the gold derivation. With a dynamic oracle it
//! follows its own predictions most of the time and learns the best move in the states it really
//! gets into (Goldberg and Nivre 2012).
use super::teacher::Teacher;
use super::updates::{Trainee, Updates};
use crate::scorer::{LinearContext, Scorer};
use crate::searches::Free;
use crate::searches::greedy::best_legal;
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::weights::best_label;
use crossarc_tree::seed::Rng;
use crossarc_tree::{Label, Tree};

/// Working memory, one per thread.
pub struct LocalScratch<S: TransitionSystem> {
    state: S::State,
    context: LinearContext,
    label_scores: Vec<f32>,
}

impl<S: TransitionSystem> Default for LocalScratch<S> {
    fn default() -> Self {
        LocalScratch {
            state: S::State::default(),
            context: LinearContext::default(),
            label_scores: Vec::new(),
        }
    }
}

/// How one sentence is studied.
pub struct Lesson<'a, S: TransitionSystem, T: Teacher<S>> {
    /// The system.
    pub system: &'a S,
    /// The teacher.
    pub teacher: &'a T,
    /// The weights, which stay as they are.
    pub model: &'a Trainee,
    /// Chance to follow a predicted move that is wrong.
    pub exploration: f64,
    /// A right move must be better than a wrong one by this much.
    pub margin: f32,
}

impl<S: TransitionSystem, T: Teacher<S>> Lesson<'_, S, T> {
    /// Parses a sentence and writes down what should be changed.
    pub fn study(
        &self,
        words: &Words,
        tree: &Tree,
        gold: &T::Gold,
        rng: &mut Rng,
        scratch: &mut LocalScratch<S>,
        updates: &mut Updates,
    ) {
        let system = self.system;
        let scorer = self.model;
        let mut scores = MoveScores::default();
        let LocalScratch { state, context, label_scores } = scratch;
        label_scores.resize(scorer.label_count, 0.0);
        system.reset(state, words.len());
        while !system.is_final(state) {
            Scorer::<S>::score_moves(scorer, words, state, context, &mut scores);
            let right = self.teacher.right_moves(system, gold, state);
            let mut biased = scores;
            for &mv in S::Move::ALL {
                if !right.contains(mv) {
                    biased[mv.index()] += self.margin;
                }
            }
            let Some(predicted) = best_legal(system, state, &biased, &Free) else { break };
            let mut best_right: Option<S::Move> = None;
            for &mv in S::Move::ALL {
                if right.contains(mv)
                    && best_right.is_none_or(|best| scores[mv.index()] > scores[best.index()])
                {
                    best_right = Some(mv);
                }
            }
            let Some(best_right) = best_right else { break };
            updates.decisions += 1;
            if !right.contains(predicted) {
                updates.moves(&context.features, Some(best_right.index()), Some(predicted.index()));
            }
            let follow = if T::EXPLORES && rng.chance(self.exploration) {
                best_legal(system, state, &scores, &Free).unwrap_or(best_right)
            } else {
                best_right
            };
            let mut label = Label::default();
            if let Some(arc) = system.arc(state, follow) {
                Scorer::<S>::score_labels(scorer, words, state, arc, context, label_scores);
                label = best_label(label_scores);
                if tree.head(arc.dependent) == arc.head {
                    updates.decisions += 1;
                    let gold_label = tree.label(arc.dependent);
                    label_scores[gold_label.index()] -= self.margin;
                    let rival = best_label(label_scores);
                    if rival != gold_label {
                        updates.labels(&context.features, Some(gold_label.0), Some(rival.0));
                    }
                    if !T::EXPLORES {
                        label = gold_label;
                    }
                }
            }
            system.apply(state, follow, label);
        }
    }
}
