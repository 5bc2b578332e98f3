//! Covington's parsers with UNSHIFT in full (Nivre and Fernández-González 2014): words that are left
//! without a head come back, the last one first, and choose among all words that can be their head.
//!
//! The paper adds UNSHIFT to arc-eager: once the sentence has been read, a word without a head is put
//! back into the buffer and must be joined with the words of the stack. Here the left list takes the
//! place of the stack. The word that came back is compared with the list from its end on, with the moves
//! of the system itself: RIGHT-ARC gives it a head, LEFT-ARC gives it a dependent that lacks a head, too,
//! NO-ARC goes on to the left. At the end of the list the root waits; if it has the only word that it may
//! have, that word waits in its place, and there the word gets its head. So the tree is complete without
//! repair, and obeys the root policy.
//!
//! [`Covington`] and [`CovingtonReduce`] offer the root or the word below it alone. Reisinger (2016),
//! section 5.2, names the method as the fair comparison of her parsers and left it to the future.
//! Quadratic in the worst case, as the systems are without it.
//!
//! ```
//! use crossarc_transition::systems::covington::Covington;
//! use crossarc_transition::systems::covington_unshift::WithUnshift;
//! use crossarc_transition::{MoveSet, StateView, SystemOptions, TransitionSystem};
//! use crossarc_tree::{Label, Node};
//! let system = WithUnshift::<Covington>::new(SystemOptions::default());
//! let mut state = Default::default();
//! system.reset(&mut state, 2);
//! // Nothing but SHIFT: 2 comes back, becomes a dependent of 1, and 1 becomes the root.
//! for name in ["SHIFT", "SHIFT", "RIGHT-ARC", "RIGHT-ARC"] {
//!     let mv = *MoveSet::ALL.iter().find(|mv: &&_| MoveSet::name(**mv) == name).unwrap();
//!     while !system.is_legal(&state, mv) {
//!         let pass = *MoveSet::ALL.iter().find(|mv: &&_| MoveSet::name(**mv) == "NO-ARC").unwrap();
//!         system.apply(&mut state, pass, Label(0));
//!     }
//!     system.apply(&mut state, mv, Label(0));
//! }
//! assert!(system.is_final(&state));
//! assert_eq!(state.partial().head(Node(2)), Some(Node(1)));
//! assert_eq!(state.partial().head(Node(1)), Some(Node::ROOT));
//! ```
use super::covington::{Covington, CovingtonMove, CovingtonStatic};
use super::covington_reduce::{CovingtonReduce, CovingtonReduceMove, CovingtonReduceStatic};
use super::leftover::root_is_free;
use super::lists::Lists;
use crate::{
    Arc, Focus, Oracle, PartialTree, StateView, SystemOptions, TransitionSystem, TreeClass,
    Unreachable,
};
use crossarc_tree::{Label, Node, Tree};

/// A list-based system whose moves can be used on words that came back.
pub trait ListSystem: TransitionSystem<State = Lists> {
    /// Name of the system with UNSHIFT.
    const WITH_UNSHIFT: &'static str;
    /// The front of the buffer becomes the head of the end of the left list.
    const LEFT_ARC: Self::Move;
    /// The end of the left list becomes the head of the front of the buffer.
    const RIGHT_ARC: Self::Move;
    /// On to the next word of the left list.
    const NO_ARC: Self::Move;
}

impl ListSystem for Covington {
    const WITH_UNSHIFT: &'static str = "covington-unshift";
    const LEFT_ARC: CovingtonMove = CovingtonMove::LeftArc;
    const RIGHT_ARC: CovingtonMove = CovingtonMove::RightArc;
    const NO_ARC: CovingtonMove = CovingtonMove::NoArc;
}

impl ListSystem for CovingtonReduce {
    const WITH_UNSHIFT: &'static str = "covington-reduce-unshift";
    const LEFT_ARC: CovingtonReduceMove = CovingtonReduceMove::LeftArcKeep;
    const RIGHT_ARC: CovingtonReduceMove = CovingtonReduceMove::RightArc;
    const NO_ARC: CovingtonReduceMove = CovingtonReduceMove::NoArc;
}

/// The lists, and the word that came back.
#[derive(Default, PartialEq, Eq, Hash, Debug)]
pub struct Returning {
    lists: Lists,
    word: Option<Node>,
    /// How much of the left list the word has still to be compared with.
    ahead: usize,
    /// What waits at the end of the list.
    last: Node,
}

impl Clone for Returning {
    fn clone(&self) -> Returning {
        let mut copy = Returning::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Returning) {
        self.lists.clone_from(&other.lists);
        self.word = other.word;
        self.ahead = other.ahead;
        self.last = other.last;
    }
}

impl StateView for Returning {
    fn stack(&self, depth: usize) -> Option<Node> {
        if self.word.is_none() {
            return self.lists.stack(depth);
        }
        match self.ahead.checked_sub(depth + 1) {
            Some(index) => self.lists.kept().get(index).copied(),
            None => (self.ahead == depth).then_some(self.last),
        }
    }

    fn buffer(&self, ahead: usize) -> Option<Node> {
        if self.word.is_none() {
            return self.lists.buffer(ahead);
        }
        self.word.filter(|_| ahead == 0)
    }

    fn passed(&self, index: usize) -> Option<Node> {
        if self.word.is_none() {
            return self.lists.passed(index);
        }
        self.lists.kept().get(self.ahead + index).copied()
    }

    fn passed_len(&self) -> usize {
        if self.word.is_none() {
            return self.lists.passed_len();
        }
        self.lists.kept().len() - self.ahead
    }

    fn partial(&self) -> &PartialTree {
        self.lists.partial()
    }

    fn partial_mut(&mut self) -> &mut PartialTree {
        self.lists.partial_mut()
    }
}

impl Returning {
    /// UNSHIFT: the last word without a head comes back, if there is one.
    fn unshift(&mut self, options: SystemOptions) {
        let partial = self.lists.partial();
        self.word =
            (1..=partial.len() as u32).rev().map(Node).find(|&word| partial.head(word).is_none());
        self.last = match partial.right_child(Node::ROOT, 0) {
            Some(word) if !root_is_free(partial, options.roots) => word,
            _ => Node::ROOT,
        };
        self.ahead = self.lists.kept().len();
        self.skip();
    }

    /// Goes past the word itself, and past the root, which waits at the end.
    fn skip(&mut self) {
        while self.ahead > 0 {
            let next = self.lists.kept()[self.ahead - 1];
            if Some(next) != self.word && next != Node::ROOT {
                break;
            }
            self.ahead -= 1;
        }
    }
}

/// A list-based system with UNSHIFT.
#[derive(Clone, Debug)]
pub struct WithUnshift<S> {
    options: SystemOptions,
    /// The system itself, which lets words stay without a head.
    reading: S,
    strict: S,
}

impl<S: ListSystem> TransitionSystem for WithUnshift<S> {
    const NAME: &'static str = S::WITH_UNSHIFT;
    const COVERS: TreeClass = TreeClass::All;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = S::Move;
    type State = Returning;

    fn new(options: SystemOptions) -> Self {
        let reading = S::new(SystemOptions { partial: true, ..options });
        WithUnshift { options, reading, strict: S::new(options) }
    }

    fn reset(&self, state: &mut Returning, words: usize) {
        self.reading.reset(&mut state.lists, words);
        state.word = None;
        state.ahead = 0;
        state.last = Node::ROOT;
    }

    fn is_final(&self, state: &Returning) -> bool {
        state.word.is_none() && self.reading.is_final(&state.lists)
    }

    fn is_legal(&self, state: &Returning, mv: S::Move) -> bool {
        let (Some(word), Some(end)) = (state.word, state.stack(0)) else {
            return self.reading.is_legal(&state.lists, mv);
        };
        if mv == S::RIGHT_ARC {
            return state.ahead == 0 || state.lists.fits(Arc { head: end, dependent: word });
        }
        if mv == S::LEFT_ARC {
            return state.ahead > 0 && state.lists.fits(Arc { head: word, dependent: end });
        }
        mv == S::NO_ARC && state.ahead > 0
    }

    fn arc(&self, state: &Returning, mv: S::Move) -> Option<Arc> {
        let (Some(word), Some(end)) = (state.word, state.stack(0)) else {
            return self.reading.arc(&state.lists, mv);
        };
        if mv == S::RIGHT_ARC {
            return Some(Arc { head: end, dependent: word });
        }
        (mv == S::LEFT_ARC).then_some(Arc { head: word, dependent: end })
    }

    fn apply(&self, state: &mut Returning, mv: S::Move, label: Label) {
        if state.word.is_some() {
            state.lists.attach(self.arc(state, mv), label);
            if mv == S::RIGHT_ARC {
                state.unshift(self.options);
            } else {
                state.ahead -= 1;
                state.skip();
            }
            return;
        }
        self.reading.apply(&mut state.lists, mv, label);
        if self.reading.is_final(&state.lists) && !self.options.partial {
            state.unshift(self.options);
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        self.reading.max_steps(words) + words * (words + 1)
    }
}

/// The static oracle of the system; no word of its derivations comes back.
#[derive(Clone, Default, Debug)]
pub struct Static<O>(O);

impl<S: ListSystem, O: Oracle<S>> Oracle<WithUnshift<S>> for Static<O> {
    const NAME: &'static str = O::NAME;
    type Gold = O::Gold;

    fn prepare(&self, system: &WithUnshift<S>, gold: &Tree) -> Result<O::Gold, Unreachable> {
        self.0.prepare(&system.strict, gold)
    }

    fn next(&self, system: &WithUnshift<S>, gold: &O::Gold, state: &Returning) -> (S::Move, Label) {
        self.0.next(&system.strict, gold, &state.lists)
    }
}

/// Covington's parser with UNSHIFT.
pub type CovingtonUnshift = WithUnshift<Covington>;
/// Its oracle.
pub type CovingtonUnshiftStatic = Static<CovingtonStatic>;
/// Covington's parser with reduce moves and UNSHIFT.
pub type CovingtonReduceUnshift = WithUnshift<CovingtonReduce>;
/// Its oracle.
pub type CovingtonReduceUnshiftStatic = Static<CovingtonReduceStatic>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MoveSet;
    use crossarc_tree::RootPolicy;
    use crossarc_tree::generate::all_trees;
    use std::collections::HashSet;

    /// After nothing but SHIFT, UNSHIFT alone leads to every tree: each word may get any head.
    #[test]
    fn every_head_is_within_reach() {
        for roots in [RootPolicy::Single, RootPolicy::Several] {
            let system = CovingtonUnshift::new(SystemOptions { roots, partial: false });
            for words in 1..=4 {
                let mut start = Returning::default();
                system.reset(&mut start, words);
                for _ in 0..words {
                    system.apply(&mut start, CovingtonMove::Shift, Label(0));
                }
                let (mut todo, mut reached) = (vec![start], HashSet::new());
                while let Some(state) = todo.pop() {
                    if system.is_final(&state) {
                        reached.insert(state.partial().to_tree(Label(0)).unwrap().heads().to_vec());
                    }
                    for &mv in CovingtonMove::ALL {
                        if !system.is_final(&state) && system.is_legal(&state, mv) {
                            let mut after = state.clone();
                            system.apply(&mut after, mv, Label(0));
                            todo.push(after);
                        }
                    }
                }
                let trees = all_trees(words).into_iter().filter(|tree| tree.obeys(roots)).count();
                assert_eq!(reached.len(), trees, "{words} words, {roots:?}");
            }
        }
    }
}
