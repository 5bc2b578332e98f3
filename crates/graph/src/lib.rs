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
