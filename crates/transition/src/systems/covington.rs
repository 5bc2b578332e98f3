//! Covington's non-projective parser (Covington 2001; as a transition system Nivre 2008;
//! Reisinger 2016, section 3.3).
//!
//! The front of the buffer is compared with the words before it, nearest first. LEFT-ARC and
//! RIGHT-ARC build an arc between the two words compared, NO-ARC none; all three go on to the next
//! word to the left. SHIFT ends the comparison. Arcs may cross freely, so every tree can be built.
//! Quadratic in the worst case; how far back the comparison goes decides.
//!
//! LEFT-ARC and RIGHT-ARC never close a cycle. Words still without a head when the buffer is empty
//! come back to get one from the root or the word below it (UNSHIFT of Nivre and
//! Fernández-González 2014, adapted); with [`SystemOptions::partial`] they stay without, as in the
//! literature.
//!
//! Oracles: Algorithm 2 of Reisinger (2016), and the dynamic oracle of
//! [`covington_dynamic`](super::covington_dynamic).
//!
//! ```
//! use crossarc_transition::systems::covington::Covington;
//! use crossarc_transition::{MoveSet, StateView, SystemOptions, TransitionSystem};
//! use crossarc_tree::{Label, Node};
//! let system = Covington::new(SystemOptions::default());
//! let mut state = Default::default();
//! system.reset(&mut state, 2);
//! for name in ["SHIFT", "LEFT-ARC", "RIGHT-ARC", "SHIFT"] {
//!     let mv = *MoveSet::ALL.iter().find(|mv: &&_| MoveSet::name(**mv) == name).unwrap();
//!     assert!(system.is_legal(&state, mv));
//!     system.apply(&mut state, mv, Label(0));
//! }
//! assert!(system.is_final(&state));
//! assert_eq!(state.partial().head(Node(1)), Some(Node(2)));
//! assert_eq!(state.partial().head(Node(2)), Some(Node::ROOT));
//! ```
use super::lists::Lists;
use crate::moves;
use crate::{
    Arc, Focus, Oracle, StateView, SystemOptions, TransitionSystem, TreeClass, Unreachable,
};
use crossarc_tree::{Label, Node, RootPolicy, Tree};

moves! {
    /// The moves of Covington's parser.
    CovingtonMove {
        /// The front of the buffer becomes the head of the end of the left list.
        LeftArc = "LEFT-ARC",
        /// The end of the left list becomes the head of the front of the buffer.
        RightArc = "RIGHT-ARC",
        /// No arc between the two.
        NoArc = "NO-ARC",
        /// On to the next word of the buffer.
        Shift = "SHIFT",
    }
}
use CovingtonMove::{LeftArc, NoArc, RightArc, Shift};

/// Covington's non-projective parser.
#[derive(Clone, Debug)]
pub struct Covington {
    pub(super) options: SystemOptions,
}

impl TransitionSystem for Covington {
    const NAME: &'static str = "covington";
    const COVERS: TreeClass = TreeClass::All;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = CovingtonMove;
    type State = Lists;

    fn new(options: SystemOptions) -> Self {
        Covington { options }
    }

    fn reset(&self, state: &mut Lists, words: usize) {
        state.reset(words);
    }

    fn is_final(&self, state: &Lists) -> bool {
        state.is_final()
    }

    fn is_legal(&self, state: &Lists, mv: CovingtonMove) -> bool {
        match mv {
            LeftArc => state.may_left_arc(),
            RightArc => state.may_right_arc(self.options),
            NoArc => state.may_pass(),
            Shift => state.may_shift(self.options),
        }
    }

    fn arc(&self, state: &Lists, mv: CovingtonMove) -> Option<Arc> {
        match mv {
            LeftArc => state.left_arc(),
            RightArc => state.right_arc(),
            NoArc | Shift => None,
        }
    }

    fn apply(&self, state: &mut Lists, mv: CovingtonMove, label: Label) {
        if mv == Shift {
            state.shift(self.options);
        } else {
            state.attach(self.arc(state, mv), label);
            state.pass(self.options);
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        words * (words + 1) / 2 + 3 * words
    }
}

/// The gold tree, and for each word the farthest words it shares an arc with.
#[derive(Clone, Debug)]
pub struct CovingtonGold {
    pub(super) tree: Tree,
    leftmost: Vec<Node>,
    rightmost: Vec<Node>,
}

impl CovingtonGold {
    pub(super) fn new(tree: &Tree, roots: RootPolicy) -> Result<CovingtonGold, Unreachable> {
        TreeClass::All.demand(tree, roots)?;
        let mut leftmost: Vec<Node> = (0..=tree.len() as u32).map(Node).collect();
        let mut rightmost = leftmost.clone();
        for word in tree.words() {
            let head = tree.head(word);
            let (left, right) = (head.min(word), head.max(word));
            leftmost[right.index()] = left.min(leftmost[right.index()]);
            rightmost[left.index()] = right.max(rightmost[left.index()]);
        }
        Ok(CovingtonGold { tree: tree.clone(), leftmost, rightmost })
    }

    /// True if the word shares an arc with one that is left of the limit.
    pub(super) fn has_partner_before(&self, word: Node, limit: Node) -> bool {
        self.leftmost[word.index()] < limit
    }

    /// True if the word shares an arc with one that is right of the limit.
    pub(super) fn has_partner_after(&self, word: Node, limit: Node) -> bool {
        self.rightmost[word.index()] > limit
    }

    /// True if the arc that the tree has between the two goes to `dependent`.
    pub(super) fn has_arc(&self, head: Node, dependent: Node) -> bool {
        dependent != Node::ROOT && self.tree.head(dependent) == head
    }

    /// True if a leftover word should leave the root to another.
    pub(super) fn leaves_the_root(&self, state: &Lists, options: SystemOptions) -> bool {
        state
            .leftover()
            .is_some_and(|word| self.tree.head(word) != Node::ROOT && state.may_shift(options))
    }
}

/// Algorithm 2 of Reisinger (2016): build an arc if there is one, go on with NO-ARC if the front
/// of the buffer shares an arc with a word further to the left, else SHIFT.
#[derive(Clone, Default, Debug)]
pub struct CovingtonStatic;

impl Oracle<Covington> for CovingtonStatic {
    const NAME: &'static str = "static";
    type Gold = CovingtonGold;

    fn prepare(&self, system: &Covington, gold: &Tree) -> Result<CovingtonGold, Unreachable> {
        CovingtonGold::new(gold, system.options.roots)
    }

    fn next(
        &self,
        system: &Covington,
        gold: &CovingtonGold,
        state: &Lists,
    ) -> (CovingtonMove, Label) {
        let (Some(top), Some(front)) = (state.stack(0), state.buffer(0)) else {
            return (Shift, Label::default());
        };
        if state.leftover().is_some() {
            let mv = if gold.leaves_the_root(state, system.options) { Shift } else { RightArc };
            (mv, gold.tree.label(front))
        } else if gold.has_arc(front, top) {
            (LeftArc, gold.tree.label(top))
        } else if gold.has_arc(top, front) {
            (RightArc, gold.tree.label(front))
        } else if gold.has_partner_before(front, top) {
            (NoArc, Label::default())
        } else {
            (Shift, Label::default())
        }
    }
}
