//! A system with two registers for crossing-interval trees (the class of Pitler and McDonald 2015).
//!
//! Where arcs cross in natural language, two words mostly have a part in all of it. So a parser needs
//! little more than arc-eager: two registers for those words, which are then at hand wherever they stand.
//!
//! | move | effect |
//! |---|---|
//! | SHIFT | the front of the buffer goes onto the stack |
//! | REDUCE | the top of the stack goes |
//! | LEFT-ARC | the right word becomes the head of the left one; nothing moves |
//! | RIGHT-ARC | the left word becomes the head of the right one; nothing moves |
//! | STORE | the top of the stack is noted in the first register, whose word moves to the second; the word there is forgotten |
//! | EXCHANGE | the registers change places; never twice in a row |
//! | RECALL-LEFT | the first register is the left word of the next arc |
//! | RECALL-RIGHT | the first register is the right word of the next arc |
//!
//! The left word is the top of the stack and the right word the front of the buffer, unless one was
//! recalled; an arc must follow then, and there is one that may be built. Linear: each word is shifted
//! and reduced at most once, a word is stored at most once each time it comes to the top, and every
//! recall builds an arc.
//!
//! A word in a register need not stay on the stack, and that is what makes room for crossing arcs. Let
//! `x -> b` cross `y -> a`, in the order `x y b a`, with `a` and `b` those that take part in all crossings
//! around them: `b` is stored and reduced, `y` gets its arc with `a`, is reduced, and then `x` is on top
//! and meets `b` again. If `a` stands before `b`, it is stored and reduced, too, and so never in the way.
//! All words within a crossing interval are finished when its last word is at the front, so two registers
//! are enough for the whole sentence.
//!
//! The arcs of the artificial root are built when the buffer is empty: words without a head come back, from
//! left to right, and hang on the root, or, where only one may, on the one that does. So root arcs may be
//! crossed at will, and REDUCE may take a word without a head.
//!
//! Every crossing-interval tree is built, and some others, as nobody checks that only two words of an
//! interval are stored. The class and the idea of two registers are the paper's; the moves and the oracle
//! are our own.
//!
//! ```
//! use crossarc_transition::systems::crossing_interval::{CrossingInterval, Static};
//! use crossarc_transition::{derivation, MoveSet, SystemOptions};
//! use crossarc_tree::Tree;
//! let crossing = Tree::from_heads(&[0, 1, 1, 2]).unwrap(); // 1 -> 3 and 2 -> 4
//! let moves = derivation::<CrossingInterval, Static>(SystemOptions::default(), &crossing).unwrap();
//! let names: Vec<_> = moves.iter().map(|(mv, _)| mv.name()).collect();
//! assert_eq!(names.join(" "), "SHIFT RIGHT-ARC SHIFT SHIFT STORE REDUCE RIGHT-ARC REDUCE \
//!     RECALL-RIGHT RIGHT-ARC SHIFT RIGHT-ARC");
//! ```
use super::components::Components;
use super::leftover::Leftover;
use crate::moves;
use crate::{
    Arc, Focus, GoldTree, Oracle, PartialTree, StateView, SystemOptions, TransitionSystem,
    TreeClass, Unreachable,
};
use crossarc_tree::classes::crossing_intervals;
use crossarc_tree::projectivity::{RootArcs, crossed_arcs_with};
use crossarc_tree::{Label, Node, Tree};

moves! {
    /// The moves of the system with registers.
    Move {
        /// The right word becomes the head of the left one.
        LeftArc = "LEFT-ARC",
        /// The left word becomes the head of the right one.
        RightArc = "RIGHT-ARC",
        /// The top of the stack goes.
        Reduce = "REDUCE",
        /// The top of the stack is noted in the first register.
        Store = "STORE",
        /// The registers change places.
        Exchange = "EXCHANGE",
        /// The first register is the left word of the next arc.
        RecallLeft = "RECALL-LEFT",
        /// The first register is the right word of the next arc.
        RecallRight = "RECALL-RIGHT",
        /// The front of the buffer goes onto the stack.
        Shift = "SHIFT",
    }
}

/// Which word of the next arc is the first register.
#[derive(Copy, Clone, Default, PartialEq, Eq, Hash, Debug)]
enum Recalled {
    #[default]
    Neither,
    Left,
    Right,
}

/// A state with a stack, a buffer and two registers.
#[derive(Default, PartialEq, Eq, Hash, Debug)]
pub struct Registers {
    stack: Vec<Node>,
    front: u32,
    /// The two registers.
    stored: [Option<Node>; 2],
    recalled: Recalled,
    exchanged: bool,
    partial: PartialTree,
    components: Components,
    leftover: Leftover,
}

impl Clone for Registers {
    fn clone(&self) -> Registers {
        let mut copy = Registers::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Registers) {
        self.stack.clone_from(&other.stack);
        self.partial.clone_from(&other.partial);
        self.components.clone_from(&other.components);
        self.leftover.clone_from(&other.leftover);
        self.front = other.front;
        self.stored = other.stored;
        self.recalled = other.recalled;
        self.exchanged = other.exchanged;
    }
}

impl StateView for Registers {
    fn stack(&self, depth: usize) -> Option<Node> {
        if self.leftover.word().is_some() {
            return (depth == 0).then_some(self.leftover.head());
        }
        match (self.recalled, depth) {
            (Recalled::Left, 0) => self.stored[0],
            (Recalled::Left, _) => self.below_top(depth - 1),
            _ => self.below_top(depth),
        }
    }

    fn buffer(&self, ahead: usize) -> Option<Node> {
        if let Some(word) = self.leftover.word() {
            return (ahead == 0).then_some(word);
        }
        match (self.recalled, ahead) {
            (Recalled::Right, 0) => self.stored[0],
            (Recalled::Right, _) => self.waiting(ahead - 1),
            _ => self.waiting(ahead),
        }
    }

    /// The registers.
    fn passed(&self, index: usize) -> Option<Node> {
        self.stored.get(index).copied().flatten()
    }

    fn passed_len(&self) -> usize {
        self.stored.iter().flatten().count()
    }

    fn partial(&self) -> &PartialTree {
        &self.partial
    }

    fn partial_mut(&mut self) -> &mut PartialTree {
        &mut self.partial
    }
}

impl Registers {
    fn below_top(&self, depth: usize) -> Option<Node> {
        self.stack.get(self.stack.len().checked_sub(depth + 1)?).copied()
    }

    fn waiting(&self, ahead: usize) -> Option<Node> {
        let index = self.front as usize + ahead;
        (index <= self.partial.len()).then_some(Node(index as u32))
    }

    fn holds(&self, word: Node) -> bool {
        self.stored.contains(&Some(word))
    }

    /// True if the arc keeps one head per word and closes no cycle.
    fn fits(&self, head: Node, dependent: Node) -> bool {
        self.partial.head(dependent).is_none() && !self.components.connected(head, dependent)
    }

    /// True if some arc between the two may be built.
    fn can_join(&self, one: Node, other: Node) -> bool {
        self.fits(one, other) || self.fits(other, one)
    }

    fn shift(&mut self, options: SystemOptions) {
        self.stack.push(Node(self.front));
        self.front += 1;
        if self.waiting(0).is_none() {
            self.stored = [None; 2];
            self.leftover.bring_back(&self.partial, options.roots, 1);
        }
    }
}

/// The system with two registers.
#[derive(Clone, Debug)]
pub struct CrossingInterval {
    options: SystemOptions,
}

impl TransitionSystem for CrossingInterval {
    const NAME: &'static str = "crossing-interval";
    const COVERS: TreeClass = TreeClass::CrossingInterval;
    const STAYS_IN_CLASS: bool = false;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = Move;
    type State = Registers;

    fn new(options: SystemOptions) -> Self {
        CrossingInterval { options }
    }

    fn reset(&self, state: &mut Registers, words: usize) {
        state.stack.clear();
        state.front = 1;
        state.stored = [None; 2];
        state.recalled = Recalled::Neither;
        state.exchanged = false;
        state.partial.reset(words);
        state.components.reset(words);
        state.leftover.reset();
    }

    fn is_final(&self, state: &Registers) -> bool {
        state.waiting(0).is_none() && state.leftover.word().is_none()
    }

    fn is_legal(&self, state: &Registers, mv: Move) -> bool {
        if state.leftover.word().is_some() {
            return match mv {
                Move::RightArc => true,
                Move::Shift => {
                    self.options.partial
                        || state.leftover.may_pass(&state.partial, self.options.roots)
                }
                _ => false,
            };
        }
        let (left, right) = (state.stack(0), state.buffer(0));
        let joins = |left: Option<Node>, right: Option<Node>| {
            left.zip(right).is_some_and(|(left, right)| left < right && state.can_join(left, right))
        };
        let fits = |head: Option<Node>, dependent: Option<Node>| {
            head.zip(dependent).is_some_and(|(head, dependent)| state.fits(head, dependent))
        };
        match mv {
            Move::LeftArc => fits(right, left),
            Move::RightArc => fits(left, right),
            _ if state.recalled != Recalled::Neither => false,
            Move::Reduce => left.is_some(),
            Move::Store => left.is_some_and(|left| !state.holds(left)),
            Move::Exchange => !state.exchanged && state.stored[1].is_some(),
            Move::RecallLeft => state.stored[0] != left && joins(state.stored[0], right),
            Move::RecallRight => joins(left, state.stored[0]),
            Move::Shift => right.is_some(),
        }
    }

    fn arc(&self, state: &Registers, mv: Move) -> Option<Arc> {
        match mv {
            Move::LeftArc => Some(Arc { head: state.buffer(0)?, dependent: state.stack(0)? }),
            Move::RightArc => Some(Arc { head: state.stack(0)?, dependent: state.buffer(0)? }),
            _ => None,
        }
    }

    fn apply(&self, state: &mut Registers, mv: Move, label: Label) {
        if let Some(Arc { head, dependent }) = self.arc(state, mv) {
            state.partial.attach(head, dependent, label);
            state.components.connect(head, dependent);
        }
        if state.leftover.word().is_some() {
            match mv {
                Move::Shift => state.leftover.pass(&state.partial, self.options.roots),
                _ => state.leftover.attached(&state.partial, self.options.roots),
            }
            return;
        }
        state.exchanged = mv == Move::Exchange;
        match mv {
            Move::LeftArc | Move::RightArc => state.recalled = Recalled::Neither,
            Move::Reduce => {
                state.stack.pop();
            }
            Move::Store => state.stored = [state.below_top(0), state.stored[0]],
            Move::Exchange => state.stored.swap(0, 1),
            Move::RecallLeft => state.recalled = Recalled::Left,
            Move::RecallRight => state.recalled = Recalled::Right,
            Move::Shift => state.shift(self.options),
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        // SHIFT, REDUCE, arc and recall once a word, STORE once for each top, EXCHANGE between any
        // two of these; then the leftover words.
        2 * (4 * words + 2 * words + 1) + 2 * words
    }
}

/// The gold tree with its crossed arcs and the words to store.
#[derive(Clone, Debug)]
pub struct Gold {
    tree: GoldTree,
    /// For each word, whether the arc to it is crossed.
    crossed: Vec<bool>,
    /// For each node, whether it has a part in all crossings of an interval that goes on behind it.
    is_stored: Vec<bool>,
}

impl Gold {
    fn new(tree: &Tree) -> Gold {
        let mut crossed = vec![false; tree.len() + 1];
        for arc in crossed_arcs_with(tree, RootArcs::Excluded) {
            crossed[arc.index()] = true;
        }
        let mut is_stored = vec![false; tree.len() + 1];
        for interval in crossing_intervals(tree, RootArcs::Excluded) {
            for node in interval.cover.iter().flatten() {
                is_stored[node.index()] |= *node != interval.right;
            }
        }
        Gold { tree: GoldTree::new(tree), crossed, is_stored }
    }

    /// True if an arc of the tree joins the two that has not been built.
    fn joins(&self, state: &Registers, one: Node, other: Node) -> bool {
        let waits = |head, dependent| {
            self.tree.has_arc(head, dependent) && state.partial.head(dependent).is_none()
        };
        waits(one, other) || waits(other, one)
    }

    /// The arcs of a word that have not been built and do not wait for the end, by dependents, the last
    /// first.
    fn missing<'a>(&'a self, state: &'a Registers, node: Node) -> impl Iterator<Item = Node> + 'a {
        let own = (self.tree.head(node) != Node::ROOT).then_some(node);
        let children = self.tree.structure().children(node).iter().rev().copied();
        own.into_iter().chain(children).filter(|&arc| state.partial.head(arc).is_none())
    }

    fn has_missing_crossed(&self, state: &Registers, node: Node) -> bool {
        self.missing(state, node).any(|arc| self.crossed[arc.index()])
    }

    /// True if the stack can do without the node.
    fn is_finished(&self, state: &Registers, node: Node) -> bool {
        let stored = state.holds(node);
        self.missing(state, node).all(|arc| stored && self.crossed[arc.index()])
    }

    /// True if an arc is missing between a word and one that is left of the limit.
    fn is_needed_before(&self, state: &Registers, word: Node, limit: Node) -> bool {
        self.missing(state, word).any(|arc| {
            let other = if arc == word { self.tree.head(word) } else { arc };
            other < limit && !state.holds(other)
        })
    }
}

/// Arcs as soon as both words are at hand; REDUCE after LEFT-ARC or when a word below is needed; STORE when a word has
/// crossed arcs to come and stands in all crossings around it.
#[derive(Clone, Default, Debug)]
pub struct Static;

impl Oracle<CrossingInterval> for Static {
    const NAME: &'static str = "static";
    type Gold = Gold;

    fn prepare(&self, system: &CrossingInterval, gold: &Tree) -> Result<Gold, Unreachable> {
        CrossingInterval::COVERS.demand(gold, system.options.roots)?;
        Ok(Gold::new(gold))
    }

    fn next(&self, _: &CrossingInterval, gold: &Gold, state: &Registers) -> (Move, Label) {
        let Some(right) = state.buffer(0) else { return (Move::Shift, Label::default()) };
        if state.leftover.word().is_some() {
            let is_root = gold.tree.head(right) == Node::ROOT;
            return (if is_root { Move::RightArc } else { Move::Shift }, gold.tree.label(right));
        }
        let Some(left) = state.stack(0) else {
            // What is in a register may have been reduced.
            let wanted = |word: &Option<Node>| word.is_some_and(|w| gold.joins(state, w, right));
            let mv = match state.stored.iter().position(wanted) {
                Some(0) => Move::RecallLeft,
                Some(_) => Move::Exchange,
                None => Move::Shift,
            };
            return (mv, Label::default());
        };
        if gold.joins(state, left, right) {
            return if gold.tree.has_arc(right, left) {
                (Move::LeftArc, gold.tree.label(left))
            } else {
                (Move::RightArc, gold.tree.label(right))
            };
        }
        let recalls = |place: usize| {
            let word = state.stored[place]?;
            if gold.joins(state, word, right) {
                return Some(Move::RecallLeft);
            }
            (left < word && gold.joins(state, left, word)).then_some(Move::RecallRight)
        };
        let below = |word| gold.is_needed_before(state, word, left);
        let mv = if let Some(recall) = recalls(0) {
            recall
        } else if recalls(1).is_some() {
            Move::Exchange
        } else if gold.is_stored[left.index()]
            && !state.holds(left)
            && gold.has_missing_crossed(state, left)
        {
            Move::Store
        } else if gold.is_finished(state, left)
            && (state.partial.head(left).is_some_and(|head| head > left)
                || below(right)
                || state.stored.into_iter().flatten().any(below))
        {
            Move::Reduce
        } else {
            Move::Shift
        };
        (mv, Label::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MoveSet, derivation};

    fn names(heads: &[u32]) -> String {
        let tree = Tree::from_heads(heads).unwrap();
        let moves = derivation::<CrossingInterval, Static>(SystemOptions::default(), &tree);
        moves.unwrap().iter().map(|(mv, _)| mv.name()).collect::<Vec<_>>().join(" ")
    }

    /// Nivre (2009), Figure 1: "A hearing is scheduled on the issue today", where `hearing -> on` crosses
    /// `scheduled -> today`. With the full stop, whose arc from `is` is crossed as well, three words would
    /// have to be stored.
    #[test]
    fn the_hearing() {
        let moves = names(&[2, 3, 0, 3, 2, 7, 5, 4]);
        assert!(moves.contains("STORE") && moves.contains("RECALL"), "{moves}");
    }

    /// Nothing is stored where nothing crosses, and the moves are those of arc-eager but for REDUCE and
    /// SHIFT by themselves.
    #[test]
    fn projective_trees_need_no_register() {
        assert_eq!(
            names(&[2, 0, 4, 2]),
            "SHIFT LEFT-ARC REDUCE SHIFT SHIFT LEFT-ARC REDUCE RIGHT-ARC SHIFT RIGHT-ARC"
        );
    }

    /// The kit stops at five words, where at most two crossings meet.
    #[test]
    fn all_trees_of_six_words() {
        crate::testing::oracle_rebuilds_trees::<CrossingInterval, Static>(6);
    }

    /// Several words wait for each of two words to come: `1 3 -> 5` and `2 4 -> 6` in turn.
    #[test]
    fn words_wait_for_two_to_come() {
        let moves = names(&[5, 6, 5, 6, 0, 5]);
        assert!(moves.contains("RECALL-RIGHT"), "{moves}");
    }
}
