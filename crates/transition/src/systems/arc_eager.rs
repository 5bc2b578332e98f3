//! Arc-eager: words get their head as early as can be (Nivre 2003), made to yield trees by UNSHIFT
//! (Nivre and Fernández-González 2014).
//!
//! | move | effect | condition |
//! |---|---|---|
//! | SHIFT | `[σ], [b\|β] => [σ\|b], [β]` | the sentence has not been read to its end |
//! | LEFT-ARC | `[σ\|s], [b\|β] => [σ], [b\|β]`, arc `b -> s` | `s` is a word without head |
//! | RIGHT-ARC | `[σ\|s], [b\|β] => [σ\|s b], [β]`, arc `s -> b` | |
//! | REDUCE | `[σ\|s], B => [σ], B` | `s` has a head |
//! | UNSHIFT | `[σ\|s], [] => [σ], [s]` | `s` is a word without head |
//!
//! The artificial root is at the bottom of the stack, as in Reisinger (2016), section 3.1. A
//! derivation ends when the buffer is empty and no word on the stack lacks a head. Words that lack
//! one when the sentence has been read are put back by UNSHIFT, the topmost first, and cannot be
//! shifted again: they must be joined with a word of the stack. That takes at most `4n` moves in
//! all, `2n` without UNSHIFT. Under the single-root policy the root takes one dependent only, and
//! this dependent is not reduced while words wait, so that there is always a place for them.
//!
//! In the permissive form (`partial`) there is no UNSHIFT, the derivation ends with the buffer, and
//! words may stay without a head.
//!
//! ```
//! use crossarc_transition::systems::arc_eager::{ArcEager, Static};
//! use crossarc_transition::{derivation, MoveSet, SystemOptions};
//! use crossarc_tree::Tree;
//! let tree = Tree::from_heads(&[2, 0, 2]).unwrap(); // she <- sees -> stars
//! let moves = derivation::<ArcEager, Static>(SystemOptions::default(), &tree).unwrap();
//! let names: Vec<_> = moves.iter().map(|(mv, _)| mv.name()).collect();
//! assert_eq!(names, ["SHIFT", "LEFT-ARC", "RIGHT-ARC", "RIGHT-ARC"]);
//! ```
use crate::moves;
use crate::{
    Arc, Focus, GoldTree, Oracle, PartialTree, StackBuffer, StateView, SystemOptions,
    TransitionSystem, TreeClass, Unreachable,
};
use crossarc_tree::{Label, Node, RootPolicy, Tree};

moves! {
    /// The moves of arc-eager.
    Move {
        /// Moves the front of the buffer to the stack.
        Shift = "SHIFT",
        /// The front of the buffer takes the top of the stack as dependent.
        LeftArc = "LEFT-ARC",
        /// The top of the stack takes the front of the buffer as dependent and lets it pass.
        RightArc = "RIGHT-ARC",
        /// Takes a word that has its head off the stack.
        Reduce = "REDUCE",
        /// Puts a word that has no head back into the empty buffer.
        Unshift = "UNSHIFT",
    }
}

/// Stack, buffer, arcs, and how many words on the stack have no head.
#[derive(Default, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub(super) words: StackBuffer,
    headless: u32,
}

impl Clone for State {
    fn clone(&self) -> State {
        State { words: self.words.clone(), headless: self.headless }
    }

    fn clone_from(&mut self, source: &State) {
        self.words.clone_from(&source.words);
        self.headless = source.headless;
    }
}

impl StateView for State {
    #[inline]
    fn stack(&self, depth: usize) -> Option<Node> {
        self.words.stack(depth)
    }

    #[inline]
    fn buffer(&self, ahead: usize) -> Option<Node> {
        self.words.buffer(ahead)
    }

    #[inline]
    fn partial(&self) -> &PartialTree {
        self.words.partial()
    }

    fn partial_mut(&mut self) -> &mut PartialTree {
        self.words.partial_mut()
    }
}

impl State {
    /// True if every word has left the buffer once: only words put back may be in it.
    #[inline]
    pub(super) fn is_read(&self) -> bool {
        self.words.first_unseen().index() > self.partial().len()
    }

    #[inline]
    fn top_is_headless(&self) -> bool {
        self.stack(0).is_some_and(|top| top != Node::ROOT && self.partial().head(top).is_none())
    }
}

/// The arc-eager system.
#[derive(Copy, Clone, Debug)]
pub struct ArcEager {
    pub(super) roots: RootPolicy,
    pub(super) partial: bool,
}

impl ArcEager {
    /// True if the root must not take another dependent.
    #[inline]
    pub(super) fn root_is_taken(self, partial: &PartialTree) -> bool {
        self.roots == RootPolicy::Single && partial.right_count(Node::ROOT) > 0
    }
}

impl TransitionSystem for ArcEager {
    const NAME: &'static str = "arc-eager";
    const COVERS: TreeClass = TreeClass::Projective;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = Move;
    type State = State;

    fn new(options: SystemOptions) -> Self {
        ArcEager { roots: options.roots, partial: options.partial }
    }

    fn reset(&self, state: &mut State, words: usize) {
        state.words.reset(words);
        state.headless = 0;
    }

    #[inline]
    fn is_final(&self, state: &State) -> bool {
        state.words.buffer_is_empty() && (state.headless == 0 || self.partial)
    }

    #[inline]
    fn is_legal(&self, state: &State, mv: Move) -> bool {
        let waits = !state.words.buffer_is_empty();
        match mv {
            Move::Shift => !state.is_read(),
            Move::LeftArc => waits && state.top_is_headless(),
            Move::RightArc => {
                waits && (state.words.stack_len() > 1 || !self.root_is_taken(state.partial()))
            }
            Move::Reduce => {
                let needed = self.roots == RootPolicy::Single && !self.partial;
                let bottom = if needed && waits { 2 } else { 1 };
                state.words.stack_len() > bottom && !state.top_is_headless()
            }
            Move::Unshift => !waits && !self.partial && state.top_is_headless(),
        }
    }

    #[inline]
    fn arc(&self, state: &State, mv: Move) -> Option<Arc> {
        match mv {
            Move::Shift | Move::Reduce | Move::Unshift => None,
            Move::LeftArc => Some(Arc { head: state.buffer(0)?, dependent: state.stack(0)? }),
            Move::RightArc => Some(Arc { head: state.stack(0)?, dependent: state.buffer(0)? }),
        }
    }

    #[inline]
    fn apply(&self, state: &mut State, mv: Move, label: Label) {
        if let Some(Arc { head, dependent }) = self.arc(state, mv) {
            state.words.attach(head, dependent, label);
        }
        match mv {
            Move::Shift => {
                state.words.shift();
                state.headless += 1;
            }
            Move::LeftArc => {
                state.words.pop();
                state.headless -= 1;
            }
            Move::RightArc => {
                // A word that was put back no longer counts: UNSHIFT took it off.
                state.words.shift();
            }
            Move::Reduce => {
                state.words.pop();
            }
            Move::Unshift => {
                if let Some(word) = state.words.pop() {
                    state.words.put_back(word);
                    state.headless -= 1;
                }
            }
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        4 * words
    }
}

/// The static oracle of Reisinger (2016), Algorithm 1: arcs first, then REDUCE if a node deeper in
/// the stack is linked to the front of the buffer, else SHIFT.
#[derive(Copy, Clone, Default, Debug)]
pub struct Static;

impl Oracle<ArcEager> for Static {
    const NAME: &'static str = "static";
    type Gold = GoldTree;

    fn prepare(&self, system: &ArcEager, gold: &Tree) -> Result<GoldTree, Unreachable> {
        ArcEager::COVERS.demand(gold, system.roots)?;
        Ok(GoldTree::new(gold))
    }

    #[inline]
    fn next(&self, _: &ArcEager, gold: &GoldTree, state: &State) -> (Move, Label) {
        let (Some(top), Some(front)) = (state.stack(0), state.buffer(0)) else {
            return (Move::Reduce, Label::default());
        };
        if gold.has_arc(front, top) {
            (Move::LeftArc, gold.label(top))
        } else if gold.has_arc(top, front) {
            (Move::RightArc, gold.label(front))
        } else if is_linked_below(gold, top, front) {
            (Move::Reduce, Label::default())
        } else {
            (Move::Shift, Label::default())
        }
    }
}

/// True if the gold tree links the front of the buffer with a node to the left of the top.
#[inline]
pub(super) fn is_linked_below(gold: &GoldTree, top: Node, front: Node) -> bool {
    let first = gold.structure().children(front).first();
    gold.head(front) < top || first.is_some_and(|&child| child < top)
}

/// Spurious ambiguity as Reisinger (2016, section 5, Table 5.9) counts it: how many times the
/// static oracle shifts where REDUCE would lead to the correct tree too.
///
/// ```
/// use crossarc_transition::systems::arc_eager::optional_reductions;
/// use crossarc_tree::Tree;
/// // "John gave the dog a bone": "dog" can be reduced before or after "a" is shifted.
/// let tree = Tree::from_heads(&[2, 0, 4, 2, 6, 2]).unwrap();
/// assert_eq!(optional_reductions(&tree), Ok(1));
/// ```
pub fn optional_reductions(tree: &Tree) -> Result<usize, Unreachable> {
    let system = ArcEager::new(SystemOptions { roots: RootPolicy::Several, partial: true });
    let gold = Static.prepare(&system, tree)?;
    let mut state = State::default();
    system.reset(&mut state, tree.len());
    let mut optional = 0;
    while !system.is_final(&state) {
        let (mv, label) = Static.next(&system, &gold, &state);
        if let (Move::Shift, Some(top)) = (mv, state.stack(0)) {
            let finished = gold.children_from(top, state.words.first_unseen()) == 0;
            optional += usize::from(system.is_legal(&state, Move::Reduce) && finished);
        }
        system.apply(&mut state, mv, label);
    }
    Ok(optional)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TraceStep, assert_trace};

    /// Reisinger (2016), Figure 3.1: "John saw a dog which was a Yorkshire terrier yesterday".
    #[test]
    fn figure_3_1() {
        let mut tree = Tree::from_heads(&[2, 0, 4, 2, 6, 4, 9, 9, 6, 2]).unwrap();
        tree.words().for_each(|word| tree.set_label(word, Label(word.0 as u16)));
        let steps: &[TraceStep] = &[
            ("SHIFT", &[0, 1], &[2, 3, 4, 5, 6, 7, 8, 9, 10], None),
            ("LEFT-ARC", &[0], &[2, 3, 4, 5, 6, 7, 8, 9, 10], Some((2, 1))),
            ("RIGHT-ARC", &[0, 2], &[3, 4, 5, 6, 7, 8, 9, 10], Some((0, 2))),
            ("SHIFT", &[0, 2, 3], &[4, 5, 6, 7, 8, 9, 10], None),
            ("LEFT-ARC", &[0, 2], &[4, 5, 6, 7, 8, 9, 10], Some((4, 3))),
            ("RIGHT-ARC", &[0, 2, 4], &[5, 6, 7, 8, 9, 10], Some((2, 4))),
            ("SHIFT", &[0, 2, 4, 5], &[6, 7, 8, 9, 10], None),
            ("LEFT-ARC", &[0, 2, 4], &[6, 7, 8, 9, 10], Some((6, 5))),
            ("RIGHT-ARC", &[0, 2, 4, 6], &[7, 8, 9, 10], Some((4, 6))),
            ("SHIFT", &[0, 2, 4, 6, 7], &[8, 9, 10], None),
            ("SHIFT", &[0, 2, 4, 6, 7, 8], &[9, 10], None),
            ("LEFT-ARC", &[0, 2, 4, 6, 7], &[9, 10], Some((9, 8))),
            ("LEFT-ARC", &[0, 2, 4, 6], &[9, 10], Some((9, 7))),
            ("RIGHT-ARC", &[0, 2, 4, 6, 9], &[10], Some((6, 9))),
            ("REDUCE", &[0, 2, 4, 6], &[10], None),
            ("REDUCE", &[0, 2, 4], &[10], None),
            ("REDUCE", &[0, 2], &[10], None),
            ("RIGHT-ARC", &[0, 2, 10], &[], Some((2, 10))),
        ];
        assert_trace::<ArcEager, Static>(&tree, steps);
    }

    /// Words that were only shifted are put back one by one and still make a tree.
    #[test]
    fn unshift_makes_a_tree_of_a_heap() {
        let system = ArcEager::new(SystemOptions::default());
        let mut state = State::default();
        system.reset(&mut state, 3);
        let moves = [
            (Move::Shift, 0),
            (Move::Shift, 0),
            (Move::Shift, 0),
            (Move::Unshift, 0),
            (Move::RightArc, 1),
            (Move::Reduce, 0),
            (Move::Unshift, 0),
            (Move::LeftArc, 2),
            (Move::RightArc, 3),
        ];
        for (mv, label) in moves {
            assert!(!system.is_final(&state) && system.is_legal(&state, mv), "{mv:?} in {state:?}");
            system.apply(&mut state, mv, Label(label));
        }
        assert!(system.is_final(&state));
        let tree = state.partial().to_tree(Label(0)).unwrap();
        assert_eq!(tree.heads(), Tree::from_heads(&[2, 0, 2]).unwrap().heads());
        let permissive = ArcEager::new(SystemOptions { partial: true, ..SystemOptions::default() });
        permissive.reset(&mut state, 1);
        permissive.apply(&mut state, Move::Shift, Label(0));
        assert!(permissive.is_final(&state));
    }
}
