//! Covington's parser with reduce moves (Reisinger 2016, section 3.4): a hybrid of Covington's
//! parser and arc-eager that forgets words which can take part in no further arc.
//!
//! LEFT-ARC-KEEP and NO-ARC leave the word on the left list for later, crossing arcs;
//! LEFT-ARC-REDUCE and REDUCE forget it. On projective trees the moves are those of arc-eager, only
//! that SHIFT follows RIGHT-ARC by itself. Every tree can be built; quadratic in the worst case, in
//! practice close to linear because the left list stays short.
//!
//! Words left without a head are treated as in [`covington`](super::covington).
//! Oracle: Algorithm 3 of Reisinger (2016).
//!
//! ```
//! use crossarc_transition::systems::covington_reduce::{CovingtonReduce, CovingtonReduceStatic};
//! use crossarc_transition::{MoveSet, Oracle, SystemOptions, TransitionSystem};
//! use crossarc_tree::Tree;
//! // Two crossing arcs: 1 -> 3 and 2 -> 4.
//! let (system, oracle) = (CovingtonReduce::new(SystemOptions::default()), CovingtonReduceStatic);
//! let gold = oracle.prepare(&system, &Tree::from_heads(&[0, 1, 1, 2]).unwrap()).unwrap();
//! let mut state = Default::default();
//! system.reset(&mut state, 4);
//! let mut moves = Vec::new();
//! while !system.is_final(&state) {
//!     let (mv, label) = oracle.next(&system, &gold, &state);
//!     system.apply(&mut state, mv, label);
//!     moves.push(mv.name());
//! }
//! assert_eq!(moves.join(" "), "RIGHT-ARC SHIFT RIGHT-ARC SHIFT NO-ARC RIGHT-ARC SHIFT \
//!     REDUCE RIGHT-ARC SHIFT");
//! ```
use super::covington::CovingtonGold;
use super::lists::Lists;
use crate::moves;
use crate::{
    Arc, Focus, Oracle, StateView, SystemOptions, TransitionSystem, TreeClass, Unreachable,
};
use crossarc_tree::{Label, Tree};

moves! {
    /// The moves of Covington's parser with reduce moves.
    CovingtonReduceMove {
        /// The front of the buffer becomes the head of the end of the left list, which is kept.
        LeftArcKeep = "LEFT-ARC-KEEP",
        /// The front of the buffer becomes the head of the end of the left list, which is forgotten.
        LeftArcReduce = "LEFT-ARC-REDUCE",
        /// The end of the left list becomes the head of the front of the buffer.
        RightArc = "RIGHT-ARC",
        /// No arc between the two now, but the end of the left list is kept.
        NoArc = "NO-ARC",
        /// Forgets the end of the left list, which has a head.
        Reduce = "REDUCE",
        /// On to the next word of the buffer.
        Shift = "SHIFT",
    }
}
use CovingtonReduceMove::{LeftArcKeep, LeftArcReduce, NoArc, Reduce, RightArc, Shift};

/// Covington's parser with reduce moves.
#[derive(Clone, Debug)]
pub struct CovingtonReduce {
    options: SystemOptions,
}

impl TransitionSystem for CovingtonReduce {
    const NAME: &'static str = "covington-reduce";
    const COVERS: TreeClass = TreeClass::All;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = CovingtonReduceMove;
    type State = Lists;

    fn new(options: SystemOptions) -> Self {
        CovingtonReduce { options }
    }

    fn reset(&self, state: &mut Lists, words: usize) {
        state.reset(words);
    }

    fn is_final(&self, state: &Lists) -> bool {
        state.is_final()
    }

    fn is_legal(&self, state: &Lists, mv: CovingtonReduceMove) -> bool {
        match mv {
            LeftArcKeep | LeftArcReduce => state.may_left_arc(),
            RightArc => state.may_right_arc(self.options),
            NoArc => state.may_pass(),
            Reduce => state.may_reduce(),
            Shift => state.may_shift(self.options),
        }
    }

    fn arc(&self, state: &Lists, mv: CovingtonReduceMove) -> Option<Arc> {
        match mv {
            LeftArcKeep | LeftArcReduce => state.left_arc(),
            RightArc => state.right_arc(),
            NoArc | Reduce | Shift => None,
        }
    }

    fn apply(&self, state: &mut Lists, mv: CovingtonReduceMove, label: Label) {
        state.attach(self.arc(state, mv), label);
        match mv {
            LeftArcKeep | RightArc | NoArc => state.pass(self.options),
            LeftArcReduce | Reduce => state.reduce(),
            Shift => state.shift(self.options),
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        words * (words + 1) / 2 + 3 * words
    }
}

/// Algorithm 3 of Reisinger (2016): as Algorithm 2, but words that share no arc with the rest of
/// the buffer are forgotten.
#[derive(Clone, Default, Debug)]
pub struct CovingtonReduceStatic;

impl Oracle<CovingtonReduce> for CovingtonReduceStatic {
    const NAME: &'static str = "static";
    type Gold = CovingtonGold;

    fn prepare(&self, system: &CovingtonReduce, gold: &Tree) -> Result<CovingtonGold, Unreachable> {
        CovingtonGold::new(gold, system.options.roots)
    }

    fn next(
        &self,
        system: &CovingtonReduce,
        gold: &CovingtonGold,
        state: &Lists,
    ) -> (CovingtonReduceMove, Label) {
        let (Some(top), Some(front)) = (state.stack(0), state.buffer(0)) else {
            return (Shift, Label::default());
        };
        let needed_later = gold.has_partner_after(top, front);
        if state.leftover().is_some() {
            let mv = if gold.leaves_the_root(state, system.options) { Shift } else { RightArc };
            (mv, gold.tree.label(front))
        } else if gold.has_arc(front, top) {
            (if needed_later { LeftArcKeep } else { LeftArcReduce }, gold.tree.label(top))
        } else if gold.has_arc(top, front) {
            (RightArc, gold.tree.label(front))
        } else if gold.has_partner_before(front, top) {
            (if needed_later { NoArc } else { Reduce }, Label::default())
        } else {
            (Shift, Label::default())
        }
    }
}
