//! Arc-hybrid: left arcs as in arc-eager, right arcs as in arc-standard (Kuhlmann, Gómez-Rodríguez
//! and Satta 2011), with the simple exact dynamic oracle of Goldberg and Nivre (2013).
//!
//! | move | effect | condition |
//! |---|---|---|
//! | SHIFT | `[σ], [b\|β] => [σ\|b], [β]` | |
//! | LEFT-ARC | `[σ\|i], [b\|β] => [σ], [b\|β]`, arc `b -> i` | `i` is not the root |
//! | RIGHT-ARC | `[σ\|i j], B => [σ\|i], B`, arc `i -> j` | |
//!
//! A derivation for `n` words has exactly `2n` moves. The artificial root is at the bottom of the
//! stack. Under the single-root policy it takes its one dependent when the buffer is empty; that
//! loses no tree, and the dynamic oracle stays exact: whatever the parser has done, words that find
//! no gold head any more can always hang on a word instead of the root.
//!
//! ```
//! use crossarc_transition::systems::arc_hybrid::{ArcHybrid, Dynamic};
//! use crossarc_transition::{derivation, MoveSet, SystemOptions};
//! use crossarc_tree::Tree;
//! let tree = Tree::from_heads(&[2, 0, 2]).unwrap(); // she <- sees -> stars
//! let moves = derivation::<ArcHybrid, Dynamic>(SystemOptions::default(), &tree).unwrap();
//! let names: Vec<_> = moves.iter().map(|(mv, _)| mv.name()).collect();
//! assert_eq!(names, ["SHIFT", "LEFT-ARC", "SHIFT", "SHIFT", "RIGHT-ARC", "RIGHT-ARC"]);
//! ```
use crate::moves;
use crate::{
    Arc, DynamicOracle, ExactOracle, Focus, GoldTree, Oracle, StackBuffer, StateView,
    SystemOptions, TransitionSystem, TreeClass, Unreachable,
};
use crossarc_tree::{Label, Node, RootPolicy, Tree};

moves! {
    /// The moves of arc-hybrid.
    Move {
        /// Moves the front of the buffer to the stack.
        Shift = "SHIFT",
        /// The front of the buffer takes the top of the stack as dependent.
        LeftArc = "LEFT-ARC",
        /// The node below the top of the stack takes the top as dependent.
        RightArc = "RIGHT-ARC",
    }
}

/// The arc-hybrid system.
#[derive(Copy, Clone, Debug)]
pub struct ArcHybrid {
    roots: RootPolicy,
}

impl TransitionSystem for ArcHybrid {
    const NAME: &'static str = "arc-hybrid";
    const COVERS: TreeClass = TreeClass::Projective;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = Move;
    type State = StackBuffer;

    fn new(options: SystemOptions) -> Self {
        ArcHybrid { roots: options.roots }
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
            Move::LeftArc => state.stack_len() > 1 && !state.buffer_is_empty(),
            Move::RightArc => match state.stack_len() {
                0 | 1 => false,
                2 => self.roots == RootPolicy::Several || state.buffer_is_empty(),
                _ => true,
            },
        }
    }

    #[inline]
    fn arc(&self, state: &StackBuffer, mv: Move) -> Option<Arc> {
        match mv {
            Move::Shift => None,
            Move::LeftArc => Some(Arc { head: state.buffer(0)?, dependent: state.stack(0)? }),
            Move::RightArc => Some(Arc { head: state.stack(1)?, dependent: state.stack(0)? }),
        }
    }

    #[inline]
    fn apply(&self, state: &mut StackBuffer, mv: Move, label: Label) {
        if let Some(Arc { head, dependent }) = self.arc(state, mv) {
            state.attach(head, dependent, label);
            state.pop();
        } else {
            state.shift();
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        2 * words
    }
}

/// The static oracle: joins as soon as the dependent has all its own dependents.
#[derive(Copy, Clone, Default, Debug)]
pub struct Static;

impl Oracle<ArcHybrid> for Static {
    const NAME: &'static str = "static";
    type Gold = GoldTree;

    fn prepare(&self, system: &ArcHybrid, gold: &Tree) -> Result<GoldTree, Unreachable> {
        ArcHybrid::COVERS.demand(gold, system.roots)?;
        Ok(GoldTree::new(gold))
    }

    #[inline]
    fn next(&self, _: &ArcHybrid, gold: &GoldTree, state: &StackBuffer) -> (Move, Label) {
        if let (Some(top), Some(below)) = (state.stack(0), state.stack(1)) {
            let head = gold.head(top);
            if state.buffer(0) == Some(head) {
                return (Move::LeftArc, gold.label(top));
            }
            if head == below && gold.children_from(top, state.first_unseen()) == 0 {
                return (Move::RightArc, gold.label(top));
            }
        }
        (Move::Shift, Label::default())
    }
}

/// The exact dynamic oracle of Goldberg and Nivre (2013).
///
/// A word on the stack can still get its head from the node below it or from the buffer, and
/// dependents from the buffer. A move costs the gold arcs among these that it rules out; they can
/// be counted one by one, because arcs that can be reached at all can be reached together.
#[derive(Copy, Clone, Default, Debug)]
pub struct Dynamic;

impl Oracle<ArcHybrid> for Dynamic {
    const NAME: &'static str = "dynamic";
    type Gold = GoldTree;

    fn prepare(&self, system: &ArcHybrid, gold: &Tree) -> Result<GoldTree, Unreachable> {
        Static.prepare(system, gold)
    }

    #[inline]
    fn next(&self, system: &ArcHybrid, gold: &GoldTree, state: &StackBuffer) -> (Move, Label) {
        let free =
            |&mv: &Move| system.is_legal(state, mv) && self.cost(system, gold, state, mv) == 0;
        let mv = [Move::LeftArc, Move::RightArc].into_iter().find(free).unwrap_or(Move::Shift);
        (mv, state.stack(0).map_or(Label::default(), |top| gold.label(top)))
    }
}

impl DynamicOracle<ArcHybrid> for Dynamic {
    #[inline]
    fn cost(&self, _: &ArcHybrid, gold: &GoldTree, state: &StackBuffer, mv: Move) -> u32 {
        let unseen = state.first_unseen();
        let Some(top) = state.stack(0) else { return 0 };
        match mv {
            Move::Shift => {
                let head = gold.head(unseen);
                let waits =
                    head < unseen && (head == Node::ROOT || state.partial().head(head).is_none());
                u32::from(waits && head != top)
                    + gold.waiting_left_children(state.partial(), unseen)
            }
            Move::LeftArc => {
                let head = gold.head(top);
                u32::from(state.stack(1) == Some(head) || head > unseen)
                    + gold.children_from(top, unseen)
            }
            Move::RightArc => u32::from(gold.head(top) >= unseen) + gold.children_from(top, unseen),
        }
    }
}

impl ExactOracle<ArcHybrid> for Dynamic {}
