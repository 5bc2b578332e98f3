//! How a parser looks for the best derivation, over any system and any scorer.
pub mod beam;
pub mod greedy;

use crossarc_learn::state::Arc;
use crossarc_tree::Node;

pub use crossarc_train::options::MOST_BEAM;

/// Which arcs a search may build.
pub trait Constraint {
    /// True if the arc may be built.
    fn allows(&self, arc: Arc) -> bool;
}

/// Everything may be built.
#[derive(Copy, Clone, Debug)]
pub struct Free;

impl Constraint for Free {
    #[inline]
    fn allows(&self, _: Arc) -> bool {
        true
    }
}

/// Words that have a head already get no other one. Indexed by node.
#[derive(Copy, Clone, Debug)]
pub struct Given<'a>(pub &'a [Option<Node>]);

impl Constraint for Given<'_> {
    fn allows(&self, arc: Arc) -> bool {
        let given = self.0.get(arc.dependent.index()).copied().flatten();
        given.is_none_or(|head| head == arc.head)
    }
}
