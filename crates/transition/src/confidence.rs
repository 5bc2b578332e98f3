//! How sure a transition parser is of each arc.
//!
//! The confidence of an arc is the probability of the move that built it times the probability of
//! its label, both by a softmax over the scores in the state where the decision was made. The
//! scores of a perceptron have no scale of their own: a temperature, fitted on held-out sentences
//! when the model is trained, makes confidences match how often arcs are right.
use crate::scorer::Scorer;
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::state::Arc;
use crossarc_tree::Label;

/// Probability of one score among others; none at all if another one is certain.
fn softmax(scores: impl Iterator<Item = f32> + Clone, chosen: f32, temperature: f32) -> f32 {
    if chosen == f32::NEG_INFINITY {
        return 0.0;
    }
    let sum: f32 = scores.map(|score| ((score - chosen) / temperature).exp()).sum();
    1.0 / sum
}

/// Replays a derivation and writes the confidence of the arc above each node. `label_of` may put
/// another label in the place of the one that an arc has got.
pub fn confidences<S: TransitionSystem, M: Scorer<S>>(
    system: &S,
    scorer: &M,
    words: &Words,
    derivation: &[(S::Move, Label)],
    temperature: f32,
    label_of: impl Fn(Arc, Label) -> Label,
) -> Vec<f32> {
    let mut confidences = vec![0.0; words.len() + 1];
    let mut state = S::State::default();
    let mut context = M::Context::default();
    let mut scores = MoveScores::default();
    let mut label_scores = vec![0.0; scorer.labels()];
    system.reset(&mut state, words.len());
    scorer.begin(words, &mut context);
    for &(mv, found) in derivation {
        let mut label = found;
        if let Some(arc) = system.arc(&state, mv) {
            label = label_of(arc, found);
            scorer.score_moves(words, &state, &mut context, &mut scores);
            let legal = S::Move::ALL.iter().filter(|&&other| system.is_legal(&state, other));
            let legal = legal.map(|other| scores[other.index()]);
            let sure_of_move = softmax(legal, scores[mv.index()], temperature);
            scorer.score_labels(words, &state, arc, &mut context, &mut label_scores);
            let chosen = label_scores.get(label.index()).copied().unwrap_or(f32::NEG_INFINITY);
            let sure_of_label = softmax(label_scores.iter().copied(), chosen, temperature);
            confidences[arc.dependent.index()] = sure_of_move * sure_of_label;
        }
        // A label that the parser does not know stays out of the state.
        let known = label.index() < label_scores.len();
        system.make(&mut state, mv, if known { label } else { found });
    }
    confidences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_labels_leave_no_doubt() {
        let scores = [f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY];
        assert_eq!(softmax(scores.into_iter(), scores[1], 2.0), 1.0);
        assert_eq!(softmax(scores.into_iter(), scores[0], 2.0), 0.0);
        assert_eq!(softmax([1.0, 1.0].into_iter(), 1.0, 2.0), 0.5);
    }
}
