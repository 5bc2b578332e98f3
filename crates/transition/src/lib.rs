//! Transition-based parsing: a system of moves, an oracle that shows them, a scorer that learns
//! them and a search that follows the scorer.
//!
//! | file | what it holds |
//! |---|---|
//! | [`system`] | what a transition system is |
//! | [`oracle`] | what an oracle is, static and dynamic |
//! | [`gold`] | the gold tree as oracles look at it |
//! | [`stack_buffer`] | the state of systems that have one stack |
//! | [`statistics`] | how many moves oracles need |
//! | [`testing`] | the conformance kit that every system and oracle passes |
//! | [`nets`] | what nets look at |
//! | [`certain`] | arcs that have only one name |
//! | [`ambiguity`] | how many derivations lead to a tree |
//! | [`systems`] | the systems, one file each, and THE list of them |
//!
//! The moves that build a tree:
//!
//! ```
//! use crossarc_transition::systems::swap::{Lazy, Move, Swap};
//! use crossarc_transition::{SystemOptions, derivation};
//! use crossarc_tree::Tree;
//! // "A hearing is scheduled on the issue today ." has crossing arcs (Nivre 2009, Figure 1).
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3])?;
//! let moves = derivation::<Swap, Lazy>(SystemOptions::default(), &tree)?;
//! assert_eq!(moves.iter().filter(|(mv, _)| *mv == Move::Swap).count(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod ambiguity;
pub mod certain;
pub mod completion;
pub mod confidence;
pub mod gold;
pub mod insight;
pub mod label_memory;
pub mod model;
pub mod nets;
pub mod oracle;
pub mod parser;
pub mod scorer;
pub mod searches;
pub mod stack_buffer;
pub mod statistics;
pub mod stored;
pub mod system;
pub mod systems;
pub mod testing;
pub mod train;
pub mod training;

pub use crossarc_learn::state::{Arc, Focus, PartialTree, StateView};
pub use gold::GoldTree;
pub use oracle::{DynamicOracle, ExactOracle, Oracle, OracleKind, Unreachable, derivation};
pub use stack_buffer::StackBuffer;
pub use system::{MoveSet, SystemOptions, TransitionSystem, TreeClass};
