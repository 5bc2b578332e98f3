//! Attardi's system: arc-standard with arcs that skip over the nodes between (Attardi 2006).
//!
//! Of degree `D`, it joins the top of the stack with the node `d` places below it, `d <= D`:
//! LEFT-ARC-d removes that node as dependent of the top, RIGHT-ARC-d removes the top as its
//! dependent. (The form on the stack alone is that of Cohen, Gómez-Rodríguez and Satta 2011; Nivre
//! 2009, section 5, calls it a swap system in which few swaps may follow each other.) Degree 1
//! would be arc-standard. Derivations have `2n` moves, so time is linear, and most trees of
//! treebanks, but not all, are in reach.
//!
//! A tree is in reach iff joining whatever can be joined always works: taking a finished word off
//! the stack early only brings the others closer. The class is defined by that; see
//! [`within_degree`].
//!
//! ```
//! use crossarc_transition::systems::attardi::within_degree;
//! use crossarc_tree::Tree;
//! // "A hearing is scheduled on the issue today ." (Nivre 2009, Figure 1)
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]).unwrap();
//! assert!(!within_degree(&tree, 2)); // two words between "hearing" and "on"
//! assert!(within_degree(&tree, 3));
//! ```
use crate::moves;
use crate::{
    Arc, Focus, GoldTree, MoveSet, Oracle, StackBuffer, StateView, SystemOptions, TransitionSystem,
    TreeClass, Unreachable,
};
use crossarc_tree::{Label, Node, RootPolicy, Tree};

moves! {
    /// The moves of degree 2.
    Move2 {
        /// Moves the front of the buffer to the stack.
        Shift = "SHIFT",
        /// The top takes the node below it.
        LeftArc = "LEFT-ARC",
        /// The node below the top takes the top.
        RightArc = "RIGHT-ARC",
        /// The top takes the node two places below.
        LeftArc2 = "LEFT-ARC-2",
        /// The node two places below takes the top.
        RightArc2 = "RIGHT-ARC-2",
    }
}

moves! {
    /// The moves of degree 3.
    Move3 {
        /// Moves the front of the buffer to the stack.
        Shift = "SHIFT",
        /// The top takes the node below it.
        LeftArc = "LEFT-ARC",
        /// The node below the top takes the top.
        RightArc = "RIGHT-ARC",
        /// The top takes the node two places below.
        LeftArc2 = "LEFT-ARC-2",
        /// The node two places below takes the top.
        RightArc2 = "RIGHT-ARC-2",
        /// The top takes the node three places below.
        LeftArc3 = "LEFT-ARC-3",
        /// The node three places below takes the top.
        RightArc3 = "RIGHT-ARC-3",
    }
}

/// What a move does, whatever the degree.
enum Effect {
    Shift,
    LeftArc(usize),
    RightArc(usize),
}

/// The order of the moves: shift, then left and right arcs by depth.
fn effect(mv: impl MoveSet) -> Effect {
    match mv.index() {
        0 => Effect::Shift,
        index if index % 2 == 1 => Effect::LeftArc(index.div_ceil(2)),
        index => Effect::RightArc(index / 2),
    }
}

/// What depends on the degree: name, class and moves.
pub trait Degree: Copy + Default + Send + Sync + 'static {
    /// Name of the system.
    const NAME: &'static str;
    /// The largest distance on the stack.
    const DEGREE: u8;
    /// The moves: SHIFT, then LEFT-ARC and RIGHT-ARC by distance.
    type Move: MoveSet;
}

/// Arcs to the node below the top and the one below that.
#[derive(Copy, Clone, Default, Debug)]
pub struct Two;
impl Degree for Two {
    const NAME: &'static str = "attardi";
    const DEGREE: u8 = 2;
    type Move = Move2;
}

/// Arcs up to three places down.
#[derive(Copy, Clone, Default, Debug)]
pub struct Three;
impl Degree for Three {
    const NAME: &'static str = "attardi-3";
    const DEGREE: u8 = 3;
    type Move = Move3;
}

/// Attardi's system of some degree.
#[derive(Copy, Clone, Debug)]
pub struct Attardi<D> {
    roots: RootPolicy,
    degree: std::marker::PhantomData<D>,
}

impl<D: Degree> TransitionSystem for Attardi<D> {
    const NAME: &'static str = D::NAME;
    const COVERS: TreeClass = TreeClass::WithinDegree(D::DEGREE);
    const FOCUS: Focus = Focus::StackStack;
    type Move = D::Move;
    type State = StackBuffer;

    fn new(options: SystemOptions) -> Self {
        Attardi { roots: options.roots, degree: std::marker::PhantomData }
    }

    fn reset(&self, state: &mut StackBuffer, words: usize) {
        state.reset(words);
    }

    #[inline]
    fn is_final(&self, state: &StackBuffer) -> bool {
        state.stack_len() == 1 && state.buffer_is_empty()
    }

    #[inline]
    fn is_legal(&self, state: &StackBuffer, mv: D::Move) -> bool {
        match effect(mv) {
            Effect::Shift => !state.buffer_is_empty(),
            Effect::LeftArc(depth) => state.stack_len() > depth + 1,
            Effect::RightArc(depth) if state.stack_len() == depth + 1 => {
                self.roots == RootPolicy::Several || depth == 1 && state.buffer_is_empty()
            }
            Effect::RightArc(depth) => state.stack_len() > depth,
        }
    }

    #[inline]
    fn arc(&self, state: &StackBuffer, mv: D::Move) -> Option<Arc> {
        let top = state.stack(0)?;
        match effect(mv) {
            Effect::Shift => None,
            Effect::LeftArc(depth) => Some(Arc { head: top, dependent: state.stack(depth)? }),
            Effect::RightArc(depth) => Some(Arc { head: state.stack(depth)?, dependent: top }),
        }
    }

    #[inline]
    fn apply(&self, state: &mut StackBuffer, mv: D::Move, label: Label) {
        if let Some(Arc { head, dependent }) = self.arc(state, mv) {
            state.attach(head, dependent, label);
        }
        match effect(mv) {
            Effect::Shift => state.shift(),
            Effect::LeftArc(depth) => {
                state.remove(depth);
            }
            Effect::RightArc(_) => {
                state.pop();
            }
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        2 * words
    }
}

/// The static oracle: joins as soon as the dependent has all its own dependents, nearest first.
#[derive(Copy, Clone, Default, Debug)]
pub struct Static;

impl<D: Degree> Oracle<Attardi<D>> for Static {
    const NAME: &'static str = "static";
    type Gold = GoldTree;

    fn prepare(&self, system: &Attardi<D>, gold: &Tree) -> Result<GoldTree, Unreachable> {
        Attardi::<D>::COVERS.demand(gold, system.roots)?;
        Ok(GoldTree::new(gold))
    }

    #[inline]
    fn next(&self, _: &Attardi<D>, gold: &GoldTree, state: &StackBuffer) -> (D::Move, Label) {
        let mv = |index: usize| D::Move::ALL[index];
        let top = state.stack(0).unwrap_or(Node::ROOT);
        for depth in 1..=usize::from(D::DEGREE) {
            let Some(other) = state.stack(depth) else { break };
            let finished = |node| gold.is_finished(state.partial(), node);
            if gold.has_arc(top, other) && finished(other) {
                return (mv(2 * depth - 1), gold.label(other));
            }
            if gold.has_arc(other, top) && finished(top) {
                return (mv(2 * depth), gold.label(top));
            }
        }
        (mv(0), Label::default())
    }
}

/// True if Attardi's system of the given degree can build the tree. Linear time.
pub fn within_degree(tree: &Tree, degree: u8) -> bool {
    let mut waiting = vec![0u32; tree.len() + 1];
    for word in tree.words() {
        waiting[tree.head(word).index()] += 1;
    }
    let mut stack = vec![Node::ROOT];
    for word in tree.words() {
        stack.push(word);
        'join: loop {
            let top = stack.len() - 1;
            for below in (top.saturating_sub(usize::from(degree))..top).rev() {
                for (head, dependent) in [(top, below), (below, top)] {
                    let (head, word) = (stack[head], stack[dependent]);
                    if word != Node::ROOT && tree.head(word) == head && waiting[word.index()] == 0 {
                        waiting[head.index()] -= 1;
                        stack.remove(dependent);
                        continue 'join;
                    }
                }
            }
            break;
        }
    }
    stack.len() == 1
}
