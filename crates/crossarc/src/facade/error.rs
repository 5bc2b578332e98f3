//! What can go wrong, in one type.
use std::io;

use crate::annotate::AnnotateError;
use crate::eval;
use crate::model::ModelError;
use crate::pipeline::{PipelineError, TextError};

/// What a call of the façade gives.
///
/// ```
/// fn size(path: &str) -> crossarc::Result<u64> {
///     Ok(crossarc::Pipeline::open(path)?.info().size)
/// }
/// assert!(size("no such file").is_err());
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call of the façade failed.
///
/// ```
/// let error = crossarc::Pipeline::from_bytes(b"no model".as_slice()).err();
/// assert!(matches!(error, Some(crossarc::Error::Model(_))));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A model cannot be read or written.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A treebank cannot be read.
    #[error(transparent)]
    Treebank(#[from] conll::Error),
    /// Input failed.
    #[error("the input cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Words do not make a sentence.
    #[error(transparent)]
    Build(#[from] conll::BuildError),
    /// A text did not become sentences.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A sentence cannot be annotated.
    #[error(transparent)]
    Annotate(#[from] AnnotateError),
    /// Text, and a model that cannot split it.
    #[error(
        "the model has no tokenizer: train one with `crossarc train --pipeline`, or give words (`parse_words`) or sentences (`annotate`)"
    )]
    NoTokenizer,
    /// Several trees of a sentence, and a model that finds one.
    #[error(
        "the model finds only one tree of a sentence: use one of the parser `eisner`, or of a transition parser with a beam, that transforms no sentences"
    )]
    NoRanking,
    /// A panic on the way from text to trees.
    #[error(
        "the parser failed on this text, which is a defect of the program: please report it with the text"
    )]
    Defect,
    /// Training failed.
    #[error(transparent)]
    Train(#[from] PipelineError),
    /// Sentences cannot be compared.
    #[error(transparent)]
    Evaluate(#[from] eval::Error),
}
