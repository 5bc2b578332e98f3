//! Greedy search: the best legal move, again and again.
use crate::scorer::Scorer;
use crate::searches::Constraint;
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::state::{PartialTree, StateView};
use crossarc_learn::weights::best_label;
use crossarc_tree::Label;

/// Greedy search with its working memory, one per thread.
pub struct Greedy<S: TransitionSystem, M: Scorer<S>> {
    state: S::State,
    context: M::Context,
    label_scores: Vec<f32>,
    derivation: Vec<(S::Move, Label)>,
}

impl<S: TransitionSystem, M: Scorer<S>> Default for Greedy<S, M> {
    fn default() -> Self {
        Greedy {
            state: S::State::default(),
            context: M::Context::default(),
            label_scores: Vec::new(),
            derivation: Vec::new(),
        }
    }
}

impl<S: TransitionSystem, M: Scorer<S>> Greedy<S, M> {
    /// Parses a sentence.
    pub fn parse(
        &mut self,
        system: &S,
        scorer: &M,
        words: &Words,
        constraint: &impl Constraint,
    ) -> &PartialTree {
        let mut scores = MoveScores::default();
        self.label_scores.resize(scorer.labels(), 0.0);
        system.reset(&mut self.state, words.len());
        scorer.begin(words, &mut self.context);
        self.derivation.clear();
        while !system.is_final(&self.state) {
            scorer.score_moves(words, &self.state, &mut self.context, &mut scores);
            let Some(mv) = best_legal(system, &self.state, &scores, constraint) else { break };
            let label = match system.arc(&self.state, mv) {
                Some(arc) => {
                    let labels = &mut self.label_scores;
                    scorer.score_labels(words, &self.state, arc, &mut self.context, labels);
                    best_label(labels)
                }
                None => Label::default(),
            };
            system.make(&mut self.state, mv, label);
            self.derivation.push((mv, label));
        }
        self.state.partial()
    }

    /// The arcs built for the last sentence.
    pub fn partial(&self) -> &PartialTree {
        self.state.partial()
    }

    /// The decisions made for the last sentence.
    pub fn derivation(&self) -> &[(S::Move, Label)] {
        &self.derivation
    }
}

/// The legal and allowed move with the highest score, the first of equals; a forbidden one only
/// if nothing else is legal.
#[inline]
pub fn best_legal<S: TransitionSystem>(
    system: &S,
    state: &S::State,
    scores: &MoveScores,
    constraint: &impl Constraint,
) -> Option<S::Move> {
    let (mut best, mut forbidden) = (None, None);
    let mut top = f32::NEG_INFINITY;
    for &mv in S::Move::ALL {
        let score = scores[mv.index()];
        if (score > top || best.is_none()) && system.is_legal(state, mv) {
            if system.arc(state, mv).is_none_or(|arc| constraint.allows(arc)) {
                (best, top) = (Some(mv), score);
            } else {
                forbidden = Some(mv);
            }
        }
    }
    best.or(forbidden)
}
