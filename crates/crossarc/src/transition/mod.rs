//! Transition-based parsing: a system of moves, an oracle that shows them, a scorer that learns
//! them and a search that follows the scorer.
//!
//! | file | what it holds |
//! |---|---|
//! | [`system`] | what a transition system is |
//! | [`state`] | the partial tree and the view of a state that features look at |
//! | [`oracle`] | what an oracle is, static and dynamic |
//! | [`features`] | feature templates |
//! | [`gold`] | the gold tree as oracles look at it |
//! | [`stack_buffer`] | the state of systems that have one stack |
//! | [`statistics`] | how many moves oracles need |
//! | [`testing`] | the conformance kit that every system and oracle passes |
//! | [`certain`] | arcs that have only one name |
//! | [`ambiguity`] | how many derivations lead to a tree |
//! | [`systems`] | the systems, one file each, and THE list of them |
pub mod ambiguity;
pub mod arc_names;
pub mod certain;
pub mod columns;
pub mod completion;
pub mod confidence;
pub mod features;
pub mod gold;
pub mod model;
pub mod oracle;
pub mod parser;
pub mod repair;
pub mod scorer;
pub mod searches;
pub mod stack_buffer;
pub mod state;
pub mod statistics;
pub mod stored;
pub mod system;
pub mod systems;
pub mod testing;
pub mod train;
pub mod training;

pub use gold::GoldTree;
pub use oracle::{DynamicOracle, ExactOracle, Oracle, OracleKind, Unreachable, derivation};
pub use stack_buffer::StackBuffer;
pub use state::{PartialTree, StateView};
pub use system::{Arc, Focus, MoveSet, SystemOptions, TransitionSystem, TreeClass};
