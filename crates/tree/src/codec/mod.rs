//! Tree codecs: a gold tree becomes a tree that a parser can learn, and a parsed tree becomes one
//! of the treebank's own kind again.
//!
//! | module | what it holds |
//! |---|---|
//! | [`lift`] | projectivising by lifting, the shortest non-projective arc first |
//! | [`pseudo_projective`] | lifts written into labels, and undone |
//! | [`transformations`] | reversible reshaping of sentences, one file each |
//! | [`chain`] | several of these in a row, from names or a TOML file |
//! | [`round_trip`] | how much of gold comes back |
pub mod chain;
pub mod lift;
pub mod pseudo_projective;
pub mod round_trip;
pub mod transformations;
mod tree_codec;

pub use chain::{CodecChain, Example};
pub use tree_codec::{AsIs, Baseline, TreeCodec, TreeCodecSpec};

use crate::Labels;
use crate::treebank::TreebankError;

/// Why a codec cannot be made or fitted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CodecError {
    /// More labels than an inventory can hold.
    #[error("the encoding needs more than {limit} labels: set a label cap, for example 30")]
    TooManyLabels {
        /// The most labels an inventory can hold.
        limit: usize,
    },
    /// A name that no codec has.
    #[error("unknown codec `{name}`; there are {}", CodecChain::available().join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// A codec that comes after one of trees.
    #[error(
        "codec `{name}` stands behind `{tree}`; the codec of trees must be the last, and only one"
    )]
    BehindTreeCodec {
        /// The codec.
        name: String,
        /// The codec of trees.
        tree: &'static str,
    },
    /// A configuration that cannot be read.
    #[error("bad codec configuration: {0}")]
    Configuration(String),
    /// A gold sentence without a tree.
    #[error(transparent)]
    Treebank(#[from] TreebankError),
}

fn label_limit() -> CodecError {
    CodecError::TooManyLabels { limit: Labels::LIMIT }
}
