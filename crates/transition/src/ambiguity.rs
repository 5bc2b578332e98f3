//! Spurious ambiguity: how many derivations lead to the same tree.
//!
//! ```
//! use crossarc_transition::ambiguity::count_derivations;
//! use crossarc_transition::systems::{arc_eager::ArcEager, arc_eager_dynamic::Dynamic};
//! use crossarc_transition::SystemOptions;
//! use crossarc_tree::Tree;
//! // "John gave the dog a bone": Reisinger (2016), section 3.1.1, prints both derivations.
//! let tree = Tree::from_heads(&[2, 0, 4, 2, 6, 2]).unwrap();
//! let options = SystemOptions { partial: true, ..SystemOptions::default() };
//! assert_eq!(count_derivations::<ArcEager, Dynamic>(options, &tree), Ok(Some(2)));
//! ```
//!
//! The count that Reisinger's Table 5.9 averages is another one, see
//! [`optional_reductions`](super::systems::arc_eager::optional_reductions).
use std::collections::HashMap;

use super::oracle::{DynamicOracle, Unreachable};
use super::system::{MoveSet, SystemOptions, TransitionSystem};
use crossarc_tree::{Label, Tree};

/// More states than this after the same number of moves, and the count is given up.
pub const MOST_STATES: usize = 100_000;

/// The number of derivations that the oracle considers free of cost, all of which build the tree.
/// The largest number means that there are at least as many; nothing, that they pass through more
/// than [`MOST_STATES`] states.
pub fn count_derivations<S: TransitionSystem, O: DynamicOracle<S>>(
    options: SystemOptions,
    tree: &Tree,
) -> Result<Option<u64>, Unreachable> {
    let (system, oracle) = (S::new(options), O::default());
    let gold = oracle.prepare(&system, tree)?;
    let mut start = S::State::default();
    system.reset(&mut start, tree.len());
    let mut states = HashMap::from([(start, 1u64)]);
    let mut total = 0u64;
    while !states.is_empty() {
        let mut following: HashMap<S::State, u64> = HashMap::new();
        for (state, count) in states {
            if system.is_final(&state) {
                total = total.saturating_add(count);
                continue;
            }
            for &mv in S::Move::ALL {
                if system.is_legal(&state, mv) && oracle.cost(&system, &gold, &state, mv) == 0 {
                    let mut after = state.clone();
                    system.apply(&mut after, mv, Label::default());
                    let reached = following.entry(after).or_default();
                    *reached = reached.saturating_add(count);
                }
            }
        }
        if following.len() > MOST_STATES {
            return Ok(None);
        }
        states = following;
    }
    Ok(Some(total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::arc_hybrid::{ArcHybrid, Dynamic};

    #[test]
    fn projective_derivations_of_arc_hybrid_are_few() {
        // One word: SHIFT, RIGHT-ARC. Two words: a left arc can be built at one moment only.
        for (heads, count) in [(&[0][..], 1), (&[2, 0], 1), (&[0, 1], 1), (&[2, 0, 2], 1)] {
            let tree = Tree::from_heads(heads).unwrap();
            let options = SystemOptions::default();
            assert_eq!(count_derivations::<ArcHybrid, Dynamic>(options, &tree), Ok(Some(count)));
        }
        // `1 -> 2`, `1 -> 4`, `4 -> 3`: 2 can be joined before or after 3 is shifted.
        let tree = Tree::from_heads(&[0, 1, 4, 1]).unwrap();
        let count = count_derivations::<ArcHybrid, Dynamic>(SystemOptions::default(), &tree);
        assert_eq!(count, Ok(Some(2)));
    }
}
