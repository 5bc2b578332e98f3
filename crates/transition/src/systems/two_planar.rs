//! The 2-planar system (Gómez-Rodríguez and Nivre 2010): two stacks, each of which builds a graph
//! without crossing arcs, so that two arcs may cross if they lie in different planes.
//!
//! | move | effect |
//! |---|---|
//! | SHIFT | the front of the buffer goes onto both stacks |
//! | LEFT-ARC | the front becomes the head of the top of the active stack; nothing moves |
//! | RIGHT-ARC | the top of the active stack becomes the head of the front; nothing moves |
//! | REDUCE | the top of the active stack goes; it has a head or is on the other stack as well |
//! | SWITCH | the other stack becomes the active one; never twice in a row |
//!
//! Linear: at most nine moves per word. Over 99 % of the trees of most treebanks are 2-planar.
//!
//! The arcs of the artificial root are built when the buffer is empty, between the root and words
//! that are then on a stack, that is, words that one plane leaves uncovered. So the class is that of
//! the trees that are 2-planar together with their root arcs. Under the single-root policy the tree
//! of the last word decides: its top hangs on the root, other words that are left hang on that top,
//! or on the last word if they do not share a stack with the top. No crossing arises: words on a
//! stack are covered by no arc of its plane, and the last word is on both. With
//! [`SystemOptions::partial`] the root is the only head on offer and SHIFT leaves a word without.
//!
//! The oracle deals the arcs onto two planes beforehand. Arcs that cross are held together by a
//! union-find forest with parity; each group takes the plane that is active when its first arc is
//! built.
//!
//! ```
//! use crossarc_transition::systems::two_planar::{Static, TwoPlanar};
//! use crossarc_transition::{derivation, MoveSet, SystemOptions};
//! use crossarc_tree::Tree;
//! let crossing = Tree::from_heads(&[0, 1, 1, 2]).unwrap(); // 1 -> 3 and 2 -> 4
//! let moves = derivation::<TwoPlanar, Static>(SystemOptions::default(), &crossing).unwrap();
//! let names: Vec<_> = moves.iter().map(|(mv, _)| mv.name()).collect();
//! assert_eq!(names, ["SHIFT", "RIGHT-ARC", "SHIFT", "REDUCE", "RIGHT-ARC", "SHIFT", "SWITCH",
//!     "REDUCE", "RIGHT-ARC", "SHIFT", "RIGHT-ARC"]);
//! ```
use super::components::Components;
use super::leftover::{Leftover, root_is_free};
use crate::moves;
use crate::{
    Arc, Focus, Oracle, PartialTree, StateView, SystemOptions, TransitionSystem, TreeClass,
    Unreachable,
};
use crossarc_tree::projectivity::{RootArcs, crossed_arcs_with};
use crossarc_tree::structure::Structure;
use crossarc_tree::{Label, Node, RootPolicy, Tree};

moves! {
    /// The moves of the 2-planar system.
    Move {
        /// The front of the buffer becomes the head of the top of the active stack.
        LeftArc = "LEFT-ARC",
        /// The top of the active stack becomes the head of the front of the buffer.
        RightArc = "RIGHT-ARC",
        /// The top of the active stack goes.
        Reduce = "REDUCE",
        /// The other stack becomes the active one.
        Switch = "SWITCH",
        /// The front of the buffer goes onto both stacks.
        Shift = "SHIFT",
    }
}

/// A state of the 2-planar system.
#[derive(Default, PartialEq, Eq, Hash, Debug)]
pub struct TwoStacks {
    stacks: [Vec<Node>; 2],
    active: usize,
    switched: bool,
    front: u32,
    partial: PartialTree,
    components: Components,
    leftover: Leftover,
    /// The top of the tree of the last word, once the buffer is empty.
    last_top: Node,
}

impl Clone for TwoStacks {
    fn clone(&self) -> TwoStacks {
        let mut copy = TwoStacks::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &TwoStacks) {
        for (stack, from) in self.stacks.iter_mut().zip(&other.stacks) {
            stack.clone_from(from);
        }
        self.partial.clone_from(&other.partial);
        self.components.clone_from(&other.components);
        self.leftover.clone_from(&other.leftover);
        self.active = other.active;
        self.switched = other.switched;
        self.front = other.front;
        self.last_top = other.last_top;
    }
}

impl StateView for TwoStacks {
    fn stack(&self, depth: usize) -> Option<Node> {
        if self.leftover.word().is_some() {
            return (depth == 0).then_some(self.leftover.head());
        }
        from_top(&self.stacks[self.active], depth)
    }

    fn buffer(&self, ahead: usize) -> Option<Node> {
        if let Some(word) = self.leftover.word() {
            return (ahead == 0).then_some(word);
        }
        let index = self.front as usize + ahead;
        (index <= self.partial.len()).then_some(Node(index as u32))
    }

    /// The inactive stack, from its top.
    fn passed(&self, index: usize) -> Option<Node> {
        from_top(&self.stacks[1 - self.active], index)
    }

    fn passed_len(&self) -> usize {
        self.stacks[1 - self.active].len()
    }

    fn partial(&self) -> &PartialTree {
        &self.partial
    }

    fn partial_mut(&mut self) -> &mut PartialTree {
        &mut self.partial
    }
}

fn from_top(stack: &[Node], depth: usize) -> Option<Node> {
    stack.get(stack.len().checked_sub(depth + 1)?).copied()
}

impl TwoStacks {
    fn fits(&self, arc: Option<Arc>) -> bool {
        arc.is_some_and(|Arc { head, dependent }| {
            self.partial.head(dependent).is_none() && !self.components.connected(head, dependent)
        })
    }

    /// Stacks are in the order of the sentence.
    fn is_on(&self, stack: usize, word: Node) -> bool {
        self.stacks[stack].binary_search(&word).is_ok()
    }

    /// Chooses the head of the word that came back.
    fn offer_head(&mut self, options: SystemOptions) {
        let Some(word) = self.leftover.word() else { return };
        let shares_stack =
            (0..2).any(|stack| self.is_on(stack, word) && self.is_on(stack, self.last_top));
        let to_root = options.partial || options.roots == RootPolicy::Several;
        self.leftover.offer(if to_root || word == self.last_top {
            Node::ROOT
        } else if shares_stack {
            self.last_top
        } else {
            Node(self.partial.len() as u32)
        });
    }

    fn shift(&mut self, options: SystemOptions) {
        for stack in &mut self.stacks {
            stack.push(Node(self.front));
        }
        self.front += 1;
        if self.front as usize > self.partial.len() {
            let mut top = Node(self.partial.len() as u32);
            while let Some(head) = self.partial.head(top) {
                top = head;
            }
            self.last_top = top;
            self.leftover.bring_back(&self.partial, options.roots, 1);
            self.offer_head(options);
        }
    }
}

/// The 2-planar system.
#[derive(Clone, Debug)]
pub struct TwoPlanar {
    options: SystemOptions,
}

impl TransitionSystem for TwoPlanar {
    const NAME: &'static str = "two-planar";
    const COVERS: TreeClass = TreeClass::TwoPlanar;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = Move;
    type State = TwoStacks;

    fn new(options: SystemOptions) -> Self {
        TwoPlanar { options }
    }

    fn reset(&self, state: &mut TwoStacks, words: usize) {
        for stack in &mut state.stacks {
            stack.clear();
        }
        state.active = 0;
        state.switched = false;
        state.front = 1;
        state.partial.reset(words);
        state.components.reset(words);
        state.leftover.reset();
        state.last_top = Node::ROOT;
    }

    fn is_final(&self, state: &TwoStacks) -> bool {
        state.front as usize > state.partial.len() && state.leftover.word().is_none()
    }

    fn is_legal(&self, state: &TwoStacks, mv: Move) -> bool {
        if state.leftover.word().is_some() {
            return match mv {
                Move::RightArc => {
                    !self.options.partial || root_is_free(&state.partial, self.options.roots)
                }
                Move::Shift => self.options.partial,
                Move::LeftArc | Move::Reduce | Move::Switch => false,
            };
        }
        if state.buffer(0).is_none() {
            return false;
        }
        match mv {
            Move::LeftArc | Move::RightArc => state.fits(self.arc(state, mv)),
            Move::Reduce => state.stack(0).is_some_and(|top| {
                state.partial.head(top).is_some() || state.is_on(1 - state.active, top)
            }),
            Move::Switch => !state.switched && state.passed_len() > 0,
            Move::Shift => true,
        }
    }

    fn arc(&self, state: &TwoStacks, mv: Move) -> Option<Arc> {
        match mv {
            Move::LeftArc => Some(Arc { head: state.buffer(0)?, dependent: state.stack(0)? }),
            Move::RightArc => Some(Arc { head: state.stack(0)?, dependent: state.buffer(0)? }),
            Move::Reduce | Move::Switch | Move::Shift => None,
        }
    }

    fn apply(&self, state: &mut TwoStacks, mv: Move, label: Label) {
        if let Some(Arc { head, dependent }) = self.arc(state, mv) {
            state.partial.attach(head, dependent, label);
            state.components.connect(head, dependent);
        }
        state.switched = mv == Move::Switch;
        if state.leftover.word().is_some() {
            state.leftover.pass(&state.partial, self.options.roots);
            state.offer_head(self.options);
            return;
        }
        match mv {
            Move::LeftArc | Move::RightArc => {}
            Move::Reduce => {
                state.stacks[state.active].pop();
            }
            Move::Switch => state.active = 1 - state.active,
            Move::Shift => state.shift(self.options),
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        9 * words
    }
}

/// The gold tree with the plane of each arc.
#[derive(Clone, Debug)]
pub struct Gold {
    tree: Tree,
    /// For each word, the plane of the arc to it; arcs of the root count as built last.
    plane: Vec<usize>,
    structure: Structure,
}

/// Which arcs must lie in the same plane and which in different ones; arcs are named by dependents.
struct Planes {
    /// The next arc of the group and whether it lies in the other plane.
    links: Vec<(u32, bool)>,
    size: Vec<u32>,
}

impl Planes {
    fn new(words: usize) -> Planes {
        Planes {
            links: (0..=words as u32).map(|arc| (arc, false)).collect(),
            size: vec![1; words + 1],
        }
    }

    /// The arc that speaks for the group, and whether this one lies in the other plane.
    fn find(&self, arc: u32) -> (u32, bool) {
        let (mut at, mut other) = (arc, false);
        loop {
            let (next, flips) = self.links[at as usize];
            if next == at {
                return (at, other);
            }
            at = next;
            other ^= flips;
        }
    }

    fn separate(&mut self, one: u32, two: u32) {
        let ((mut large, first), (mut small, second)) = (self.find(one), self.find(two));
        if large == small {
            return;
        }
        if self.size[large as usize] < self.size[small as usize] {
            (large, small) = (small, large);
        }
        self.size[large as usize] += self.size[small as usize];
        self.links[small as usize] = (large, first == second);
    }
}

impl Gold {
    fn new(tree: &Tree, roots: RootPolicy) -> Result<Gold, Unreachable> {
        TreeClass::TwoPlanar.demand(tree, roots)?;
        let planes = cross(tree);
        let structure = Structure::new(tree);
        let mut chosen: Vec<Option<usize>> = vec![None; tree.len() + 1];
        let mut plane = vec![0; tree.len() + 1];
        let mut active = 0;
        for front in tree.words() {
            let head = tree.head(front);
            let left_head = (head != Node::ROOT && head < front).then_some(front);
            let mut arcs: Vec<Node> = structure.left_children(front).to_vec();
            arcs.extend(left_head);
            arcs.sort_unstable_by_key(|&arc| std::cmp::Reverse(arc.min(tree.head(arc))));
            let mut switches = false;
            for arc in arcs {
                let (speaker, other) = planes.find(arc.0);
                let of_speaker =
                    chosen[speaker as usize].get_or_insert(active ^ usize::from(other));
                plane[arc.index()] = *of_speaker ^ usize::from(other);
                switches |= plane[arc.index()] != active;
            }
            active ^= usize::from(switches);
        }
        Ok(Gold { tree: tree.clone(), plane, structure })
    }

    /// True if the word at the front shares an arc of the plane with a word up to the limit.
    fn is_pending(&self, state: &TwoStacks, front: Node, limit: Node, plane: usize) -> bool {
        let waits = |arc: Node, partner: Node| {
            partner <= limit
                && self.plane[arc.index()] == plane
                && state.partial.head(arc).is_none()
        };
        let head = self.tree.head(front);
        (head != Node::ROOT && waits(front, head))
            || self.structure.left_children(front).iter().any(|&child| waits(child, child))
    }
}

/// Notes all crossings: each crossed arc against those that start under it, in the order of left
/// ends. Quadratic in the number of crossed arcs.
fn cross(tree: &Tree) -> Planes {
    let mut planes = Planes::new(tree.len());
    let ends = |arc: Node| (arc.min(tree.head(arc)), arc.max(tree.head(arc)));
    let mut arcs = crossed_arcs_with(tree, RootArcs::Included);
    arcs.sort_unstable_by_key(|&arc| ends(arc));
    for (index, &arc) in arcs.iter().enumerate() {
        let (left, right) = ends(arc);
        for &other in &arcs[index + 1..] {
            let (other_left, other_right) = ends(other);
            if other_left >= right {
                break;
            }
            if left < other_left && right < other_right {
                planes.separate(arc.0, other.0);
            }
        }
    }
    planes
}

/// The oracle of the paper: arcs of the active plane first, REDUCE down to them if need be, then
/// SWITCH if arcs of the other plane are pending, else SHIFT.
#[derive(Clone, Default, Debug)]
pub struct Static;

impl Oracle<TwoPlanar> for Static {
    const NAME: &'static str = "static";
    type Gold = Gold;

    fn prepare(&self, system: &TwoPlanar, gold: &Tree) -> Result<Gold, Unreachable> {
        Gold::new(gold, system.options.roots)
    }

    fn next(&self, _: &TwoPlanar, gold: &Gold, state: &TwoStacks) -> (Move, Label) {
        let Some(front) = state.buffer(0) else { return (Move::Shift, Label::default()) };
        if state.leftover.word().is_some() {
            let mv = if gold.tree.head(front) == Node::ROOT { Move::RightArc } else { Move::Shift };
            return (mv, gold.tree.label(front));
        }
        if let Some(top) = state.stack(0) {
            let is_arc = |head: Node, dependent: Node| {
                gold.tree.head(dependent) == head
                    && gold.plane[dependent.index()] == state.active
                    && state.partial.head(dependent).is_none()
            };
            if is_arc(front, top) {
                return (Move::LeftArc, gold.tree.label(top));
            }
            if is_arc(top, front) {
                return (Move::RightArc, gold.tree.label(front));
            }
            if gold.is_pending(state, front, top, state.active) {
                return (Move::Reduce, Label::default());
            }
        }
        if gold.is_pending(state, front, front, 1 - state.active) {
            return (Move::Switch, Label::default());
        }
        (Move::Shift, Label::default())
    }
}
