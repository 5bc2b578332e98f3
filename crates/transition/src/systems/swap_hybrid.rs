//! Swap on arc-hybrid: every tree, with a dynamic oracle for all but the swaps (de Lhoneux, Stymne
//! and Nivre 2017).
//!
//! | move | effect | condition |
//! |---|---|---|
//! | SHIFT | `[σ], [b\|β] => [σ\|b], [β]` | |
//! | LEFT-ARC | `[σ\|i], [b\|β] => [σ], [b\|β]`, arc `b -> i` | `i` is not the root |
//! | RIGHT-ARC | `[σ\|i j], B => [σ\|i], B`, arc `i -> j` | |
//! | SWAP | `[σ\|i], [b\|β] => [σ], [b i\|β]` | `0 < i < b` |
//!
//! A derivation with `k` swaps has `2n + 2k` moves, at most `n² + n`. The artificial root is at the
//! bottom of the stack and, under the single-root policy, takes its dependent last.
//!
//! The oracle swaps when, and only when, the top of the stack and the front of the buffer are not
//! in projective order. For the other moves it counts the gold arcs that they rule out, as in
//! [`arc_hybrid`](super::arc_hybrid), except that a word that a later swap will bring back to the
//! buffer loses nothing by being shifted. On projective trees with no swap made this is the exact
//! oracle of arc-hybrid; otherwise it is an approximation.
//!
//! ```
//! use crossarc_transition::systems::swap_hybrid::{Dynamic, Move, SwapHybrid};
//! use crossarc_transition::{derivation, SystemOptions};
//! use crossarc_tree::Tree;
//! // "A hearing is scheduled on the issue today ."
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]).unwrap();
//! let moves = derivation::<SwapHybrid, Dynamic>(SystemOptions::default(), &tree).unwrap();
//! assert_eq!(moves.iter().filter(|(mv, _)| *mv == Move::Swap).count(), 6);
//! ```
use crate::moves;
use crate::{
    Arc, DynamicOracle, Focus, GoldTree, Oracle, StackBuffer, StateView, SystemOptions,
    TransitionSystem, TreeClass, Unreachable,
};
use crossarc_tree::order::projective_order;
use crossarc_tree::{Label, Node, RootPolicy, Tree};

moves! {
    /// The moves of the system.
    Move {
        /// Moves the front of the buffer to the stack.
        Shift = "SHIFT",
        /// The front of the buffer takes the top of the stack as dependent.
        LeftArc = "LEFT-ARC",
        /// The node below the top of the stack takes the top as dependent.
        RightArc = "RIGHT-ARC",
        /// Puts the top of the stack back behind the front of the buffer.
        Swap = "SWAP",
    }
}

/// Arc-hybrid with swaps.
#[derive(Copy, Clone, Debug)]
pub struct SwapHybrid {
    roots: RootPolicy,
}

impl TransitionSystem for SwapHybrid {
    const NAME: &'static str = "swap-hybrid";
    const COVERS: TreeClass = TreeClass::All;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = Move;
    type State = StackBuffer;

    fn new(options: SystemOptions) -> Self {
        SwapHybrid { roots: options.roots }
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
            Move::Swap => state.stack_len() > 1 && state.stack(0) < state.buffer(0),
        }
    }

    #[inline]
    fn arc(&self, state: &StackBuffer, mv: Move) -> Option<Arc> {
        match mv {
            Move::Shift | Move::Swap => None,
            Move::LeftArc => Some(Arc { head: state.buffer(0)?, dependent: state.stack(0)? }),
            Move::RightArc => Some(Arc { head: state.stack(1)?, dependent: state.stack(0)? }),
        }
    }

    #[inline]
    fn apply(&self, state: &mut StackBuffer, mv: Move, label: Label) {
        if let Some(Arc { head, dependent }) = self.arc(state, mv) {
            state.attach(head, dependent, label);
        }
        match mv {
            Move::Shift => state.shift(),
            Move::LeftArc | Move::RightArc => {
                state.pop();
            }
            Move::Swap => {
                state.shift();
                let word = state.remove(1);
                state.put_back(word);
                let front = state.remove(0);
                state.put_back(front);
            }
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        words.saturating_mul(words).saturating_add(words)
    }
}

/// The gold tree with its projective order.
#[derive(Clone, Debug)]
pub struct Gold {
    tree: GoldTree,
    ranks: Vec<u32>,
    /// The rightmost node that comes no later in projective order.
    last_before: Vec<Node>,
}

impl Gold {
    fn new(tree: &Tree) -> Gold {
        let mut ranks = vec![0; tree.len() + 1];
        let mut last_before = vec![Node::ROOT; tree.len() + 1];
        let mut last = Node::ROOT;
        for (rank, &node) in projective_order(tree).iter().enumerate() {
            ranks[node.index()] = rank as u32;
            last = last.max(node);
            last_before[node.index()] = last;
        }
        Gold { tree: GoldTree::new(tree), ranks, last_before }
    }

    fn rank(&self, node: Node) -> u32 {
        self.ranks[node.index()]
    }

    /// True if the top of the stack must go behind the front of the buffer.
    #[inline]
    fn swap_is_due(&self, state: &StackBuffer) -> bool {
        match (state.stack(0), state.buffer(0)) {
            (Some(top), Some(front)) => top < front && self.rank(front) < self.rank(top),
            _ => false,
        }
    }

    /// True if some word in the buffer behind `node` comes before it in projective order, so that
    /// `node` on the stack will be swapped.
    #[inline]
    fn will_return(&self, state: &StackBuffer, node: Node) -> bool {
        let before = |&other: &Node| other > node && self.rank(other) < self.rank(node);
        self.last_before[node.index()] >= state.first_unseen().max(Node(node.0 + 1))
            || state.returned().iter().any(before)
    }

    /// Gold arcs of the top that are lost when the top hangs on `head` and is gone.
    fn lost_by_leaving(&self, state: &StackBuffer, top: Node, head: Node) -> u32 {
        let returns = self.will_return(state, top);
        let right = self.tree.head(top);
        let in_reach = |node: Node| {
            let waits = node == Node::ROOT || state.partial().head(node).is_none();
            waits && (returns || is_in_buffer(state, node))
        };
        let loses_head = right != head && (state.stack(1) == Some(right) || in_reach(right));
        let children = self.tree.structure().children(top).iter();
        u32::from(loses_head) + children.filter(|&&child| in_reach(child)).count() as u32
    }

    /// Gold arcs of the front of the buffer that are lost when it is shifted.
    fn lost_by_shifting(&self, state: &StackBuffer, top: Node, front: Node) -> u32 {
        if self.will_return(state, front) {
            return 0;
        }
        let waits_on_stack = |node: Node| {
            node == Node::ROOT || state.partial().head(node).is_none() && !is_in_buffer(state, node)
        };
        let head = self.tree.head(front);
        let children = self.tree.structure().children(front).iter();
        u32::from(head != top && waits_on_stack(head))
            + children.filter(|&&child| waits_on_stack(child)).count() as u32
    }
}

/// True if a word without head is in the buffer and not on the stack.
#[inline]
fn is_in_buffer(state: &StackBuffer, word: Node) -> bool {
    word >= state.first_unseen() || state.returned().contains(&word)
}

/// The static-dynamic oracle.
#[derive(Copy, Clone, Default, Debug)]
pub struct Dynamic;

const PREFERENCE: [Move; 4] = [Move::LeftArc, Move::RightArc, Move::Swap, Move::Shift];

impl Dynamic {
    /// The cost before it is known whether any move is free.
    fn raw_cost(gold: &Gold, state: &StackBuffer, mv: Move) -> u32 {
        let (top, front) = (state.stack(0).unwrap_or(Node::ROOT), state.buffer(0));
        match (mv, front) {
            (Move::LeftArc, Some(front)) => gold.lost_by_leaving(state, top, front),
            (Move::RightArc, _) => {
                gold.lost_by_leaving(state, top, state.stack(1).unwrap_or(Node::ROOT))
            }
            (Move::Swap, _) => u32::from(!gold.swap_is_due(state)),
            (Move::Shift, Some(front)) => {
                u32::from(gold.swap_is_due(state)) + gold.lost_by_shifting(state, top, front)
            }
            (Move::LeftArc | Move::Shift, None) => 0,
        }
    }

    fn cheapest(system: SwapHybrid, gold: &Gold, state: &StackBuffer) -> (u32, Move) {
        let legal = PREFERENCE.into_iter().filter(|&mv| system.is_legal(state, mv));
        let costs = legal.map(|mv| (Dynamic::raw_cost(gold, state, mv), mv));
        costs.min_by_key(|&(cost, _)| cost).unwrap_or((0, Move::Shift))
    }
}

impl Oracle<SwapHybrid> for Dynamic {
    const NAME: &'static str = "dynamic";
    type Gold = Gold;

    fn prepare(&self, system: &SwapHybrid, gold: &Tree) -> Result<Gold, Unreachable> {
        SwapHybrid::COVERS.demand(gold, system.roots)?;
        Ok(Gold::new(gold))
    }

    fn next(&self, system: &SwapHybrid, gold: &Gold, state: &StackBuffer) -> (Move, Label) {
        let (_, mv) = Dynamic::cheapest(*system, gold, state);
        let arc = system.arc(state, mv);
        (mv, arc.map_or(Label::default(), |arc| gold.tree.label(arc.dependent)))
    }
}

impl DynamicOracle<SwapHybrid> for Dynamic {
    fn cost(&self, system: &SwapHybrid, gold: &Gold, state: &StackBuffer, mv: Move) -> u32 {
        match Dynamic::raw_cost(gold, state, mv) {
            0 => 0,
            cost => cost - Dynamic::cheapest(*system, gold, state).0,
        }
    }
}
