//! Arc-standard: joins the two topmost nodes of the stack, dependents first (Nivre 2004, in the
//! stack form of Nivre 2009, Figure 2, where it is `Sp`).
//!
//! | move | effect | condition |
//! |---|---|---|
//! | SHIFT | `[σ], [i\|β] => [σ\|i], [β]` | |
//! | LEFT-ARC | `[σ\|i j], B => [σ\|j], B`, arc `j -> i` | `i` is not the root |
//! | RIGHT-ARC | `[σ\|i j], B => [σ\|i], B`, arc `i -> j` | |
//!
//! A derivation for `n` words has exactly `2n` moves. Under the single-root policy the root takes
//! its one dependent last of all, when nothing else is left; that excludes no tree, because the
//! root's dependent is finished only then.
//!
//! ```
//! use crossarc_transition::systems::arc_standard::{ArcStandard, Static};
//! use crossarc_transition::{derivation, MoveSet, SystemOptions};
//! use crossarc_tree::Tree;
//! let tree = Tree::from_heads(&[2, 0, 2]).unwrap(); // she <- sees -> stars
//! let moves = derivation::<ArcStandard, Static>(SystemOptions::default(), &tree).unwrap();
//! let names: Vec<_> = moves.iter().map(|(mv, _)| mv.name()).collect();
//! assert_eq!(names, ["SHIFT", "SHIFT", "LEFT-ARC", "SHIFT", "RIGHT-ARC", "RIGHT-ARC"]);
//! ```
use crate::moves;
use crate::{
    Arc, Focus, Oracle, StackBuffer, StateView, SystemOptions, TransitionSystem, TreeClass,
    Unreachable,
};
use crossarc_tree::{Label, Node, RootPolicy, Tree};

moves! {
    /// The moves of arc-standard.
    Move {
        /// Moves the front of the buffer to the stack.
        Shift = "SHIFT",
        /// The top of the stack takes the node below it as dependent.
        LeftArc = "LEFT-ARC",
        /// The node below the top of the stack takes the top as dependent.
        RightArc = "RIGHT-ARC",
    }
}

/// The arc-standard system.
#[derive(Copy, Clone, Debug)]
pub struct ArcStandard {
    roots: RootPolicy,
}

impl TransitionSystem for ArcStandard {
    const NAME: &'static str = "arc-standard";
    const COVERS: TreeClass = TreeClass::Projective;
    const FOCUS: Focus = Focus::StackStack;
    type Move = Move;
    type State = StackBuffer;

    fn new(options: SystemOptions) -> Self {
        ArcStandard { roots: options.roots }
    }

    fn reset(&self, state: &mut StackBuffer, words: usize) {
        state.reset(words);
    }

    #[inline]
    fn is_final(&self, state: &StackBuffer) -> bool {
        state.stack_len() == 1 && state.buffer_is_empty()
    }

    #[inline]
    fn is_legal(&self, state: &StackBuffer, mv: Move) -> bool {
        match mv {
            Move::Shift => !state.buffer_is_empty(),
            Move::LeftArc => state.stack_len() > 2,
            Move::RightArc => match state.stack_len() {
                0 | 1 => false,
                2 => self.roots == RootPolicy::Several || state.buffer_is_empty(),
                _ => true,
            },
        }
    }

    #[inline]
    fn arc(&self, state: &StackBuffer, mv: Move) -> Option<Arc> {
        let (top, below) = (state.stack(0)?, state.stack(1)?);
        match mv {
            Move::Shift => None,
            Move::LeftArc => Some(Arc { head: top, dependent: below }),
            Move::RightArc => Some(Arc { head: below, dependent: top }),
        }
    }

    #[inline]
    fn apply(&self, state: &mut StackBuffer, mv: Move, label: Label) {
        if let Some(Arc { head, dependent }) = self.arc(state, mv) {
            state.attach(head, dependent, label);
        }
        match mv {
            Move::Shift => state.shift(),
            Move::LeftArc => {
                state.remove(1);
            }
            Move::RightArc => {
                state.pop();
            }
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        2 * words
    }
}

/// The gold tree and the last dependent of every node.
#[derive(Clone, Debug)]
pub struct Gold {
    tree: Tree,
    /// The rightmost dependent of a node if it is to its right; the node itself if there is none.
    last: Vec<Node>,
}

/// The static oracle: joins as soon as the dependent has all its own dependents.
#[derive(Copy, Clone, Default, Debug)]
pub struct Static;

impl Oracle<ArcStandard> for Static {
    const NAME: &'static str = "static";
    type Gold = Gold;

    fn prepare(&self, system: &ArcStandard, gold: &Tree) -> Result<Gold, Unreachable> {
        ArcStandard::COVERS.demand(gold, system.roots)?;
        let mut last: Vec<Node> = (0..=gold.len() as u32).map(Node).collect();
        for word in gold.words() {
            let place = &mut last[gold.head(word).index()];
            *place = word.max(*place);
        }
        Ok(Gold { tree: gold.clone(), last })
    }

    #[inline]
    fn next(&self, _: &ArcStandard, gold: &Gold, state: &StackBuffer) -> (Move, Label) {
        if let (Some(top), Some(below)) = (state.stack(0), state.stack(1)) {
            if below != Node::ROOT && gold.tree.head(below) == top {
                return (Move::LeftArc, gold.tree.label(below));
            }
            let last = gold.last[top.index()];
            let finished = last == top || state.partial().head(last).is_some();
            if gold.tree.head(top) == below && finished {
                return (Move::RightArc, gold.tree.label(top));
            }
        }
        (Move::Shift, Label::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derivation;
    use crossarc_tree::generate::random_projective_tree;
    use crossarc_tree::seed::Seed;

    #[test]
    fn a_derivation_has_two_moves_per_word() {
        let mut rng = Seed(4).rng();
        for words in 0..40 {
            let tree = random_projective_tree(&mut rng, words, RootPolicy::Single);
            let moves = derivation::<ArcStandard, Static>(SystemOptions::default(), &tree).unwrap();
            assert_eq!(moves.len(), 2 * words, "seed 4, {tree:?}");
        }
    }
}
