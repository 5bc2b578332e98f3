//! Training of greedy parsers, decision by decision.
//!
//! With a static oracle the parser is led along the gold derivation. With a dynamic oracle it
//! follows its own predictions most of the time and learns the best move in the states it really
//! gets into (Goldberg and Nivre 2012).
use super::learner::{Learner, Loss, entropy_steps};
use super::teacher::{Moves, Teacher};
use super::{HasContext, Place};
use crate::scorer::Scorer;
use crate::searches::Free;
use crate::searches::greedy::best_legal;
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::weights::best_label;
use crossarc_tree::seed::Rng;
use crossarc_tree::{Label, Tree};

/// Working memory, one per thread.
pub struct LocalScratch<S: TransitionSystem, L: Scorer<S>> {
    state: S::State,
    context: L::Context,
    label_scores: Vec<f32>,
    steps: Vec<(u16, f32)>,
}

impl<S: TransitionSystem, L: Scorer<S>> Default for LocalScratch<S, L> {
    fn default() -> Self {
        LocalScratch {
            state: S::State::default(),
            context: L::Context::default(),
            label_scores: Vec::new(),
            steps: Vec::new(),
        }
    }
}

impl<S: TransitionSystem, L: Scorer<S>> HasContext<L::Context> for LocalScratch<S, L> {
    fn context(&mut self) -> &mut L::Context {
        &mut self.context
    }
}

/// How one sentence is studied.
pub struct Lesson<'a, S: TransitionSystem, T: Teacher<S>, L: Learner<S>> {
    /// The system.
    pub system: &'a S,
    /// The teacher.
    pub teacher: &'a T,
    /// The weights, which stay as they are.
    pub model: &'a L,
    /// Chance to follow a predicted move that is wrong.
    pub exploration: f64,
    /// A right move must be better than a wrong one by this much, if the learner minds.
    pub margin: f32,
}

impl<S: TransitionSystem, T: Teacher<S>, L: Learner<S>> Lesson<'_, S, T, L> {
    /// Parses a sentence, which the scorer has begun, and notes what should be changed.
    pub fn study(
        &self,
        words: &Words,
        tree: &Tree,
        gold: &T::Gold,
        rng: &mut Rng,
        place: &mut Place<LocalScratch<S, L>, L::Notes>,
    ) {
        let system = self.system;
        let scorer = self.model;
        let loss = scorer.loss();
        let mut scores = MoveScores::default();
        let Place { memory, notes, report } = place;
        let LocalScratch { state, context, label_scores, steps } = memory;
        label_scores.resize(scorer.labels(), 0.0);
        system.reset(state, words.len());
        while !system.is_final(state) {
            scorer.score_moves(words, state, context, &mut scores);
            let right = self.teacher.right_moves(system, gold, state);
            let mut biased = scores;
            if loss == Loss::Margin {
                for &mv in S::Move::ALL {
                    if !right.contains(mv) {
                        biased[mv.index()] += self.margin;
                    }
                }
            }
            let Some(predicted) = best_legal(system, state, &biased, &Free) else { break };
            let Some(best_right) = best_of::<S>(right, &scores) else { break };
            report.decisions += 1;
            let is_wrong = !right.contains(predicted);
            report.changes += usize::from(is_wrong);
            match loss {
                Loss::Margin if is_wrong => {
                    let (up, down) = (best_right.index() as u16, predicted.index() as u16);
                    scorer.change_moves(&[(up, 1.0), (down, -1.0)], context, notes);
                }
                Loss::Margin => {}
                Loss::Entropy => {
                    let legal = S::Move::ALL.iter().filter(|&&mv| system.is_legal(state, mv));
                    let judged = legal
                        .map(|&mv| (mv.index() as u16, scores[mv.index()], right.contains(mv)));
                    entropy_steps(judged, steps);
                    scorer.change_moves(steps, context, notes);
                }
            }
            let follow = if T::EXPLORES && rng.chance(self.exploration) {
                best_legal(system, state, &scores, &Free).unwrap_or(best_right)
            } else {
                best_right
            };
            let mut label = Label::default();
            if let Some(arc) = system.arc(state, follow) {
                scorer.score_labels(words, state, arc, context, label_scores);
                label = best_label(label_scores);
                if tree.head(arc.dependent) == arc.head {
                    report.decisions += 1;
                    let gold_label = tree.label(arc.dependent);
                    if loss == Loss::Margin {
                        label_scores[gold_label.index()] -= self.margin;
                    }
                    let rival = best_label(label_scores);
                    report.changes += usize::from(rival != gold_label);
                    match loss {
                        Loss::Margin if rival != gold_label => {
                            scorer.change_labels(
                                &[(gold_label.0, 1.0), (rival.0, -1.0)],
                                context,
                                notes,
                            );
                        }
                        Loss::Margin => {}
                        Loss::Entropy => {
                            let judged = (0..).zip(&*label_scores);
                            let judged =
                                judged.map(|(label, &score)| (label, score, label == gold_label.0));
                            entropy_steps(judged, steps);
                            scorer.change_labels(steps, context, notes);
                        }
                    }
                    if !T::EXPLORES {
                        label = gold_label;
                    }
                }
            }
            system.make(state, follow, label);
        }
    }
}

/// The best of some moves, the first of equals.
fn best_of<S: TransitionSystem>(moves: Moves, scores: &MoveScores) -> Option<S::Move> {
    let mut best: Option<S::Move> = None;
    for &mv in S::Move::ALL {
        let better = |best: S::Move| scores[mv.index()] > scores[best.index()];
        if moves.contains(mv) && best.is_none_or(better) {
            best = Some(mv);
        }
    }
    best
}
