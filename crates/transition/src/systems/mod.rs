//! The transition systems, one file each, and THE list of them.
//!
//! To add a system: write one file that implements [`TransitionSystem`] and an [`Oracle`], and add
//! one line per oracle to the list at the end of this file. The line registers the names for
//! options and model files and instantiates the whole conformance kit as tests.
use super::oracle::{DynamicOracle, Oracle, OracleKind};
use super::system::{TransitionSystem, TreeClass};
use crossarc_learn::state::Focus;

pub mod arc_eager;
pub mod arc_eager_dynamic;
pub mod arc_hybrid;
pub mod arc_standard;
pub mod attach_complete;
pub mod attardi;
mod components;
pub mod covington;
pub mod covington_dynamic;
pub mod covington_reduce;
pub mod covington_unshift;
pub mod crossing_interval;
mod leftover;
pub mod lists;
pub mod swap;
pub mod swap_hybrid;
pub mod two_planar;
pub mod yamada_matsumoto;

/// One line of the list: a system with one of its oracles.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SystemEntry {
    /// Name of the system.
    pub system: &'static str,
    /// Name of the oracle. The first oracle of a system is its default.
    pub oracle: &'static str,
    /// How much the oracle knows.
    pub kind: OracleKind,
    /// The trees that the system builds.
    pub covers: TreeClass,
    /// Where its features look.
    pub focus: Focus,
}

/// Static dispatch from names to types: the visitor is compiled once per line of the list.
///
/// ```
/// use crossarc_transition::systems::{with_system, SystemVisitor};
/// use crossarc_transition::{MoveSet, Oracle, TransitionSystem};
/// struct CountMoves;
/// impl SystemVisitor for CountMoves {
///     type Output = usize;
///     fn visit<S: TransitionSystem, O: Oracle<S>>(self) -> usize {
///         S::Move::ALL.len()
///     }
/// }
/// assert_eq!(with_system("arc-standard", "static", CountMoves), Some(3));
/// assert_eq!(with_system("arc-standard", "psychic", CountMoves), None);
/// ```
pub trait SystemVisitor: Sized {
    /// What the visit results in.
    type Output;
    /// Visits a system with an oracle.
    fn visit<S: TransitionSystem, O: Oracle<S>>(self) -> Self::Output;
    /// Visits a system with a dynamic oracle, with which exploration is possible.
    fn visit_dynamic<S: TransitionSystem, O: DynamicOracle<S>>(self) -> Self::Output {
        self.visit::<S, O>()
    }
}

/// The default oracle of a system.
pub fn default_oracle(system: &str) -> Option<&'static str> {
    SYSTEMS.iter().find(|entry| entry.system == system).map(|entry| entry.oracle)
}

macro_rules! systems {
    ($($test:ident: $system:path, $oracle:path, $kind:tt;)+) => {
        /// All systems with all their oracles.
        pub const SYSTEMS: &[SystemEntry] = &[$(SystemEntry {
            system: <$system as TransitionSystem>::NAME,
            oracle: <$oracle as Oracle<$system>>::NAME,
            kind: systems!(@kind $kind),
            covers: <$system as TransitionSystem>::COVERS,
            focus: <$system as TransitionSystem>::FOCUS,
        }),+];

        /// Calls the visitor with the system and the oracle of these names, if they exist.
        pub fn with_system<V: SystemVisitor>(
            system: &str,
            oracle: &str,
            visitor: V,
        ) -> Option<V::Output> {
            $(if system == <$system as TransitionSystem>::NAME
                && oracle == <$oracle as Oracle<$system>>::NAME
            {
                return Some(systems!(@visit $kind, visitor, $system, $oracle));
            })+
            None
        }

        #[cfg(test)]
        mod conformance {
            $(mod $test {
                #[allow(unused_imports)]
                use super::super::*;
                use crate::testing;
                systems!(@tests $kind, $system, $oracle);
            })+
        }
    };
    (@kind static) => { OracleKind::Static };
    (@kind dynamic) => { OracleKind::Dynamic };
    (@kind exact) => { OracleKind::Exact };
    (@visit static, $visitor:ident, $system:path, $oracle:path) => {
        $visitor.visit::<$system, $oracle>()
    };
    (@visit $kind:tt, $visitor:ident, $system:path, $oracle:path) => {
        $visitor.visit_dynamic::<$system, $oracle>()
    };
    (@tests static, $system:path, $oracle:path) => {
        #[test]
        fn legal_walks_end_in_trees() { testing::legal_walks_end_in_trees::<$system>() }
        #[test]
        fn derivations_cover_the_class() { testing::derivations_cover_the_class::<$system>(4) }
        #[test]
        fn oracle_rebuilds_trees() { testing::oracle_rebuilds_trees::<$system, $oracle>(5) }
        #[test]
        fn searches_recover_gold() { testing::searches_recover_gold::<$system, $oracle>() }
        #[test]
        fn beam_of_one_is_greedy() { testing::beam_of_one_is_greedy::<$system>() }
    };
    (@tests dynamic, $system:path, $oracle:path) => {
        systems!(@tests static, $system, $oracle);
        #[test]
        fn free_moves_lead_to_gold() { testing::free_moves_lead_to_gold::<$system, $oracle>(4) }
    };
    (@tests exact, $system:path, $oracle:path) => {
        systems!(@tests dynamic, $system, $oracle);
        #[test]
        fn cost_is_the_loss() { testing::cost_is_the_loss::<$system, $oracle>(4) }
    };
}

systems! {
    arc_standard: arc_standard::ArcStandard, arc_standard::Static, static;
    arc_eager_dynamic: arc_eager::ArcEager, arc_eager_dynamic::Dynamic, exact;
    arc_eager_static: arc_eager::ArcEager, arc_eager::Static, static;
    arc_hybrid_dynamic: arc_hybrid::ArcHybrid, arc_hybrid::Dynamic, exact;
    arc_hybrid_static: arc_hybrid::ArcHybrid, arc_hybrid::Static, static;
    attach_complete: attach_complete::AttachComplete, attach_complete::Static, static;
    attach_complete_separate: attach_complete::AttachCompleteSeparate, attach_complete::Static, static;
    attardi: attardi::Attardi<attardi::Two>, attardi::Static, static;
    attardi_3: attardi::Attardi<attardi::Three>, attardi::Static, static;
    covington_dynamic: covington::Covington, covington_dynamic::CovingtonDynamic, exact;
    covington_static: covington::Covington, covington::CovingtonStatic, static;
    covington_reduce: covington_reduce::CovingtonReduce, covington_reduce::CovingtonReduceStatic, static;
    covington_unshift: covington_unshift::CovingtonUnshift, covington_unshift::CovingtonUnshiftStatic, static;
    covington_reduce_unshift: covington_unshift::CovingtonReduceUnshift, covington_unshift::CovingtonReduceUnshiftStatic, static;
    crossing_interval: crossing_interval::CrossingInterval, crossing_interval::Static, static;
    swap_lazy: swap::Swap, swap::Lazy, static;
    swap_eager: swap::Swap, swap::Eager, static;
    swap_dynamic: swap::Swap, swap::Dynamic, dynamic;
    swap_hybrid: swap_hybrid::SwapHybrid, swap_hybrid::Dynamic, dynamic;
    two_planar: two_planar::TwoPlanar, two_planar::Static, static;
    yamada_matsumoto: yamada_matsumoto::YamadaMatsumoto, yamada_matsumoto::Static, static;
}
