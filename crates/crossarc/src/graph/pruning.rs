//! Pruning heads: which arcs of a cheap model are worth the attention of an expensive one.
//!
//! A word keeps the heads whose probability (or score) is near that of its best head. The best
//! tree of the cheap model should be added with [`Candidates::insert_tree`], so that a tree is
//! always left; in training the gold tree too.
//!
//! ```
//! use crossarc::graph::decoders::Eisner;
//! use crossarc::graph::{
//!     Candidates, Factor, LabelSharing, Marginals, Order, Scores, arc_marginals, pruning::Pruning,
//! };
//! use crossarc::tree::{Label, Node, RootPolicy};
//! let mut scores = Scores::default();
//! scores
//!     .reset(Order::First, LabelSharing::Shared, &Candidates::all(3), |_, _, l| l.push(Label(0)))
//!     .unwrap();
//! scores.fill(|factor, _, out| {
//!     if let Factor::Arc { head: Node(2), .. } = factor {
//!         out[0] = 10.0;
//!     }
//! });
//! let (mut memory, mut by_label, mut by_arc, mut kept) = Default::default();
//! Eisner.marginals(&scores, RootPolicy::Single, &mut memory, &mut by_label).unwrap();
//! arc_marginals(&scores, &by_label, &mut by_arc);
//! Pruning::default().by_probability(&scores, &by_arc, &mut kept);
//! assert_eq!(kept.heads(Node(1)).collect::<Vec<_>>(), [Node(2)]);
//! ```
use serde::{Deserialize, Serialize};

use crate::graph::candidates::Candidates;
use crate::graph::scores::Scores;

/// How many heads a word keeps.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Pruning {
    /// The least probability of a head that is kept, as a share of that of the best head.
    pub least_share: f64,
    /// The most heads that are kept.
    pub most_heads: usize,
}

impl Default for Pruning {
    fn default() -> Pruning {
        Pruning { least_share: 3e-3, most_heads: 24 }
    }
}

impl Pruning {
    /// Keeps probable arcs; `probabilities` has one for each of [`Scores::arcs`].
    pub fn by_probability(self, scores: &Scores, probabilities: &[f64], kept: &mut Candidates) {
        self.keep(scores, kept, self.least_share, |arc| probabilities.get(arc).copied());
    }

    /// Keeps arcs with good scores, as if the head of each word were drawn on its own with
    /// probabilities by exponentiated score: without a search, crossing arcs or not.
    pub fn by_score(self, scores: &Scores, kept: &mut Candidates) {
        let arcs: Vec<_> = scores.arcs().collect();
        let mut best = vec![f32::NEG_INFINITY; scores.words() + 1];
        let score = |arc: usize| scores.best_label(arcs[arc]).map(|(_, score)| score);
        for (index, &arc) in arcs.iter().enumerate() {
            let best = &mut best[scores.dependent(arc).index()];
            *best = best.max(score(index).unwrap_or(f32::NEG_INFINITY));
        }
        self.keep(scores, kept, self.least_share, |arc| {
            let best = best[scores.dependent(arcs[arc]).index()];
            Some(f64::from(score(arc)? - best).exp())
        });
    }

    fn keep(
        self,
        scores: &Scores,
        kept: &mut Candidates,
        least_share: f64,
        value: impl Fn(usize) -> Option<f64>,
    ) {
        let words = scores.words();
        kept.reset(words);
        let mut of_word: Vec<Vec<(f64, u32)>> = vec![Vec::new(); words + 1];
        for arc in scores.arcs() {
            if let Some(value) = value(arc.index()).filter(|value| !value.is_nan()) {
                of_word[scores.dependent(arc).index()].push((value, scores.head(arc).0));
            }
        }
        for (word, heads) in of_word.iter_mut().enumerate() {
            heads.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let least = heads.first().map_or(0.0, |best| best.0 * least_share);
            for &(value, head) in heads.iter().take(self.most_heads.max(1)) {
                if value >= least {
                    kept.insert(crate::tree::Node(head), crate::tree::Node(word as u32));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Factor, LabelSharing, Order};
    use crate::tree::{Label, Node};

    #[test]
    fn share_and_number_both_bound_the_heads() {
        let mut scores = Scores::default();
        let all = Candidates::all(4);
        scores.reset(Order::First, LabelSharing::Shared, &all, |_, _, l| l.push(Label(0))).unwrap();
        scores.fill(|factor, _, out| {
            if let Factor::Arc { head, .. } = factor {
                out[0] = head.0 as f32;
            }
        });
        let mut kept = Candidates::default();
        Pruning { least_share: 0.3, most_heads: 10 }.by_score(&scores, &mut kept);
        assert_eq!(kept.heads(Node(1)).collect::<Vec<_>>(), [Node(3), Node(4)]); // e^-1 > 0.3 > e^-2
        Pruning { least_share: 0.0, most_heads: 3 }.by_score(&scores, &mut kept);
        assert_eq!(kept.heads(Node(3)).collect::<Vec<_>>(), [Node(1), Node(2), Node(4)]);
        let probabilities: Vec<f64> =
            scores.arcs().map(|arc| if scores.head(arc) == Node(0) { 0.9 } else { 0.01 }).collect();
        Pruning { least_share: 0.1, most_heads: 3 }.by_probability(
            &scores,
            &probabilities,
            &mut kept,
        );
        assert_eq!(kept.len(), 4);
    }
}
