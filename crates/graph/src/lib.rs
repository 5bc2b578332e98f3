//! Graph-based parsing: factors with scores, and decoders that find the best tree.
//!
//! | module | what it holds |
//! |---|---|
//! | [`mod@factors`] | what a tree is made of: arcs, siblings, grandchildren |
//! | [`candidates`] | which arcs may be used: pruning, forced and forbidden arcs |
//! | [`edge_filter`] | which labels an arc may have, from training data |
//! | [`scores`] | the scores of all factors over the candidates |
//! | [`scorer`] | what scores factors: [`linear`] models, nets, or both ([`stored`]) |
//! | [`decoders`] | the search for the best tree, and marginals |
//! | [`k_best`] | the k best projective trees |
//! | [`matrix_tree`] | sums over all trees, crossing arcs included |
//! | [`taxonomy`] | classes of labels that share what is learned |
//! | [`approximation`] | from the best projective tree to crossing arcs |
//!
//! The best tree of all under scores of arcs:
//!
//! ```
//! use crossarc_graph::decoders::ChuLiuEdmonds;
//! use crossarc_graph::{Candidates, Decoder, Factor, LabelSharing, Order, Scores};
//! use crossarc_tree::{Label, RootPolicy};
//! // Each word likes the word two places before it, so arcs cross.
//! let mut scores = Scores::default();
//! scores.reset(Order::First, LabelSharing::Shared, &Candidates::all(4), |_, _, labels| {
//!     labels.push(Label(0));
//! })?;
//! scores.fill(|factor, _, out| {
//!     if let Factor::Arc { head, dependent } = factor {
//!         out[0] = if head.0 + 2 == dependent.0 || (head.0, dependent.0) == (1, 2) { 1.0 } else { 0.0 };
//!     }
//! });
//! let (mut memory, mut best) = Default::default();
//! ChuLiuEdmonds.decode(&scores, RootPolicy::Single, &mut memory, &mut best)?;
//! let heads: Vec<u32> = best.to_tree().unwrap().heads().iter().map(|head| head.0).collect();
//! assert_eq!(heads[1..], [0, 1, 1, 2]); // the arcs from 1 to 3 and from 2 to 4 cross
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod approximation;
mod batch;
pub mod calibration;
pub mod candidates;
pub mod decoder;
pub mod decoders;
mod deduction;
pub mod edge_filter;
pub mod factors;
pub mod features;
pub mod head_model;
pub mod k_best;
pub mod labeller;
pub mod linear;
pub mod matrix_tree;
pub mod model;
pub mod parser;
pub mod scorer;
pub mod scores;
pub mod search;
pub mod semiring;
pub mod stored;
pub mod taxonomy;
#[cfg(test)]
mod tests;
pub mod training;

pub use approximation::Approximation;
pub use candidates::Candidates;
pub use decoder::{BestTree, DecodeError, Decoder, Marginals, arc_marginals};
pub use edge_filter::EdgeFilter;
pub use factors::{Factor, Family, Order, factors};
pub use scorer::FactorScorer;
pub use scores::{ArcId, LabelSharing, Scores};
pub use semiring::{LogSum, MaxPlus, Semiring};
