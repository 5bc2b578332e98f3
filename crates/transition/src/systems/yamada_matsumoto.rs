//! The deterministic parser of Yamada and Matsumoto (2003): neighbours are joined in passes over the
//! sentence from left to right, until one tree is left.
//!
//! | move | effect on the two neighbours in view | afterwards in view |
//! |---|---|---|
//! | RIGHT | the left one becomes a dependent of the right one and goes | the right one and the next |
//! | LEFT | the right one becomes a dependent of the left one and goes | the left one and the next |
//! | SHIFT | none | the right one and the next |
//!
//! RIGHT and LEFT name the way a dependent goes, so their arcs point the other way than those of later
//! systems. At the end of the sentence the next pass begins. The paper stops after a pass without any
//! arc; here the last two words of such a pass must be joined, so a tree comes out in any case. The
//! artificial root is the first node; where it may have one dependent only, it gets it last. Projective
//! trees; quadratic in the worst case, since a pass need not build more than one arc.
//!
//! Features see the nodes up to the left neighbour as the stack, those from the right one on as the
//! buffer.
//!
//! ```
//! use crossarc_transition::systems::yamada_matsumoto::{Static, YamadaMatsumoto};
//! use crossarc_transition::{derivation, MoveSet, SystemOptions};
//! use crossarc_tree::Tree;
//! let tree = Tree::from_heads(&[2, 0, 4, 2]).unwrap(); // John saw a dog
//! let moves = derivation::<YamadaMatsumoto, Static>(SystemOptions::default(), &tree).unwrap();
//! let names: Vec<_> = moves.iter().map(|(mv, _)| mv.name()).collect();
//! assert_eq!(names.join(" "), "SHIFT RIGHT SHIFT RIGHT SHIFT LEFT LEFT");
//! ```
use crate::moves;
use crate::{
    Arc, Focus, GoldTree, Oracle, PartialTree, StateView, SystemOptions, TransitionSystem,
    TreeClass, Unreachable,
};
use crossarc_tree::{Label, Node, RootPolicy, Tree};

moves! {
    /// The moves of Yamada and Matsumoto.
    Move {
        /// The left neighbour becomes a dependent of the right one.
        Right = "RIGHT",
        /// The right neighbour becomes a dependent of the left one.
        Left = "LEFT",
        /// On to the next pair.
        Shift = "SHIFT",
    }
}

/// The nodes that have no head yet, on both sides of a point.
#[derive(Default, PartialEq, Eq, Hash, Debug)]
pub struct Pass {
    before: Vec<Node>,
    /// The first one last.
    behind: Vec<Node>,
    /// True if this pass has built an arc.
    built: bool,
    partial: PartialTree,
}

impl Clone for Pass {
    fn clone(&self) -> Pass {
        let mut copy = Pass::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Pass) {
        self.before.clone_from(&other.before);
        self.behind.clone_from(&other.behind);
        self.partial.clone_from(&other.partial);
        self.built = other.built;
    }
}

impl StateView for Pass {
    fn stack(&self, depth: usize) -> Option<Node> {
        self.before.get(self.before.len().checked_sub(depth + 1)?).copied()
    }

    fn buffer(&self, ahead: usize) -> Option<Node> {
        self.behind.get(self.behind.len().checked_sub(ahead + 1)?).copied()
    }

    fn partial(&self) -> &PartialTree {
        &self.partial
    }

    fn partial_mut(&mut self) -> &mut PartialTree {
        &mut self.partial
    }
}

impl Pass {
    fn nodes(&self) -> usize {
        self.before.len() + self.behind.len()
    }

    /// On to the next node, or to the next pass.
    fn advance(&mut self) {
        self.before.extend(self.behind.pop());
        if self.behind.is_empty() {
            self.behind.extend(self.before.drain(1..).rev());
            self.built = false;
        }
    }
}

/// The parser of Yamada and Matsumoto.
#[derive(Copy, Clone, Debug)]
pub struct YamadaMatsumoto {
    roots: RootPolicy,
}

impl TransitionSystem for YamadaMatsumoto {
    const NAME: &'static str = "yamada-matsumoto";
    const COVERS: TreeClass = TreeClass::Projective;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = Move;
    type State = Pass;

    fn new(options: SystemOptions) -> Self {
        YamadaMatsumoto { roots: options.roots }
    }

    fn reset(&self, state: &mut Pass, words: usize) {
        state.before.clear();
        state.before.push(Node::ROOT);
        state.behind.clear();
        state.behind.extend((1..=words as u32).rev().map(Node));
        state.built = false;
        state.partial.reset(words);
    }

    fn is_final(&self, state: &Pass) -> bool {
        state.nodes() == 1
    }

    fn is_legal(&self, state: &Pass, mv: Move) -> bool {
        let Some(left) = state.stack(0).filter(|_| !state.behind.is_empty()) else { return false };
        match mv {
            Move::Right => left != Node::ROOT,
            Move::Left => {
                left != Node::ROOT || self.roots == RootPolicy::Several || state.nodes() == 2
            }
            Move::Shift => state.behind.len() > 1 || state.built,
        }
    }

    fn arc(&self, state: &Pass, mv: Move) -> Option<Arc> {
        let (left, right) = (state.stack(0)?, state.buffer(0)?);
        match mv {
            Move::Right => Some(Arc { head: right, dependent: left }),
            Move::Left => Some(Arc { head: left, dependent: right }),
            Move::Shift => None,
        }
    }

    fn apply(&self, state: &mut Pass, mv: Move, label: Label) {
        if let Some(Arc { head, dependent }) = self.arc(state, mv) {
            state.partial.attach(head, dependent, label);
            state.built = true;
        }
        match mv {
            Move::Right => {
                state.before.pop();
                state.advance();
            }
            Move::Left => {
                state.behind.pop();
                if state.behind.is_empty() {
                    state.advance();
                }
            }
            Move::Shift => state.advance(),
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        words * (words + 1)
    }
}

/// Joins two neighbours as soon as the dependent has all its own dependents.
#[derive(Copy, Clone, Default, Debug)]
pub struct Static;

impl Oracle<YamadaMatsumoto> for Static {
    const NAME: &'static str = "static";
    type Gold = GoldTree;

    fn prepare(&self, system: &YamadaMatsumoto, gold: &Tree) -> Result<GoldTree, Unreachable> {
        YamadaMatsumoto::COVERS.demand(gold, system.roots)?;
        Ok(GoldTree::new(gold))
    }

    fn next(&self, _: &YamadaMatsumoto, gold: &GoldTree, state: &Pass) -> (Move, Label) {
        let (Some(left), Some(right)) = (state.stack(0), state.buffer(0)) else {
            return (Move::Shift, Label::default());
        };
        if gold.has_arc(right, left) && gold.is_finished(state.partial(), left) {
            (Move::Right, gold.label(left))
        } else if gold.has_arc(left, right) && gold.is_finished(state.partial(), right) {
            (Move::Left, gold.label(right))
        } else {
            (Move::Shift, Label::default())
        }
    }
}
