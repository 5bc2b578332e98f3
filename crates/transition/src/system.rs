//! What a transition system is: moves that turn a list of words into a tree.
use std::fmt::Debug;
use std::hash::Hash;

use super::oracle::Unreachable;
use super::systems::attardi::within_degree;
use crossarc_learn::state::{Arc, Focus, StateView};
use crossarc_tree::classes::{is_crossing_interval, is_two_planar};
use crossarc_tree::projectivity::{RootArcs, is_projective};
use crossarc_tree::{Label, RootPolicy, Tree};

/// The unlabelled moves of a system: a fieldless enum made by [`moves!`](crate::moves), so that
/// `match` is exhaustive and a move is an index.
pub trait MoveSet: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// All moves; the position of a move is its index.
    const ALL: &'static [Self];
    /// Position in [`MoveSet::ALL`].
    fn index(self) -> usize;
    /// Stable name, written to model files and derivations.
    fn name(self) -> &'static str;
}

/// Declares the moves of a system with their stable names.
#[macro_export]
macro_rules! moves {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$doc])* $variant),+ }
        impl $crate::MoveSet for $name {
            const ALL: &'static [Self] = &[$($name::$variant),+];
            fn index(self) -> usize { self as usize }
            fn name(self) -> &'static str { match self { $($name::$variant => $text),+ } }
        }
    };
}

/// The trees that a system can build, under its root policy.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TreeClass {
    /// Projective trees only.
    Projective,
    /// Trees that Attardi's system of this degree builds: few words lie between those to join.
    WithinDegree(u8),
    /// Trees whose arcs, those of the root included, can be drawn in two planes without crossing.
    TwoPlanar,
    /// Trees in which, wherever arcs cross, two words are an end of every crossed arc, those of the root
    /// apart.
    CrossingInterval,
    /// All trees.
    All,
}

impl TreeClass {
    /// True if the tree belongs to the class (root policy apart).
    pub fn contains(self, tree: &Tree) -> bool {
        match self {
            TreeClass::Projective => is_projective(tree),
            TreeClass::WithinDegree(degree) => within_degree(tree, degree),
            TreeClass::TwoPlanar => is_two_planar(tree, RootArcs::Included),
            TreeClass::CrossingInterval => is_crossing_interval(tree, RootArcs::Excluded),
            TreeClass::All => true,
        }
    }

    /// An error unless the tree belongs to the class and obeys the root policy: what oracles ask
    /// before they promise a derivation.
    pub fn demand(self, tree: &Tree, roots: RootPolicy) -> Result<(), Unreachable> {
        if !tree.obeys(roots) {
            return Err(Unreachable("the tree has several roots, but the policy is a single root"));
        }
        if !self.contains(tree) {
            return Err(Unreachable(match self {
                TreeClass::Projective => "the tree is not projective",
                TreeClass::WithinDegree(_) => "the tree needs arcs over too many words",
                TreeClass::TwoPlanar => "the tree is not 2-planar",
                TreeClass::CrossingInterval => "more than two words have a part in its crossings",
                TreeClass::All => "the tree is out of reach",
            }));
        }
        Ok(())
    }
}

/// What the user may choose about a system.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemOptions {
    /// How many words may hang on the root.
    pub roots: RootPolicy,
    /// The permissive form of the literature, which may leave words without a head.
    pub partial: bool,
}

/// A transition system: how states change, and which changes are legal.
///
/// Promise, checked by the conformance kit: in a state that is not final some move is legal; any
/// walk of legal moves ends within [`TransitionSystem::max_steps`] in a valid tree that obeys the
/// root policy (unless `partial` is set, where words may stay without a head).
pub trait TransitionSystem: Clone + Send + Sync + 'static {
    /// Stable name in options and model files.
    const NAME: &'static str;
    /// The trees the system can build.
    const COVERS: TreeClass;
    /// True if every walk of legal moves ends in a tree of the class.
    const STAYS_IN_CLASS: bool = true;
    /// Where it builds arcs.
    const FOCUS: Focus;
    /// Its moves.
    type Move: MoveSet;
    /// Its states.
    type State: StateView + Clone + Default + Eq + Hash + Debug + Send;

    /// The system with the options of the user.
    fn new(options: SystemOptions) -> Self;
    /// Turns `state` into the initial state for a sentence, reusing its memory.
    fn reset(&self, state: &mut Self::State, words: usize);
    /// True if the derivation is over.
    fn is_final(&self, state: &Self::State) -> bool;
    /// True if the move may be made. Labels never matter.
    fn is_legal(&self, state: &Self::State, mv: Self::Move) -> bool;
    /// The arc that a legal move builds; moves that build an arc take a label.
    fn arc(&self, state: &Self::State, mv: Self::Move) -> Option<Arc>;
    /// Makes a legal move. The label counts only if the move builds an arc.
    fn apply(&self, state: &mut Self::State, mv: Self::Move, label: Label);
    /// Makes a legal move and notes it for features that look at the last moves.
    #[inline]
    fn make(&self, state: &mut Self::State, mv: Self::Move, label: Label) {
        let named = self.arc(state, mv).is_some();
        self.apply(state, mv, label);
        state.partial_mut().note(mv.index(), named.then_some(label));
    }
    /// Upper bound on the length of a derivation.
    fn max_steps(&self, words: usize) -> usize;
}
