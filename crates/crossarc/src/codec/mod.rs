//! Tree codecs: a gold tree becomes a tree that a parser can learn, and a parsed tree becomes one
//! of the treebank's own kind again.
//!
//! | module | what it holds |
//! |---|---|
//! | [`lift`] | projectivising by lifting, the shortest non-projective arc first |
//! | [`pseudo_projective`] | lifts written into labels, and undone |
//! | [`round_trip`] | how much of gold comes back |
pub mod lift;
pub mod pseudo_projective;
pub mod round_trip;
mod tree_codec;

pub use tree_codec::{AsIs, Baseline, TreeCodec, TreeCodecSpec};

use crate::tree::Labels;

/// Why a codec cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CodecError {
    /// More labels than an inventory can hold.
    #[error("the encoding needs more than {limit} labels: set a label cap, for example 30")]
    TooManyLabels {
        /// The most labels an inventory can hold.
        limit: usize,
    },
}

fn label_limit() -> CodecError {
    CodecError::TooManyLabels { limit: Labels::LIMIT }
}
