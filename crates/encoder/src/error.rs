//! What can be wrong with an encoder.
use std::path::PathBuf;

/// Why a folder holds no encoder that can be used.
#[derive(Debug, thiserror::Error)]
pub enum EncoderError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// One of its files is damaged, or of a kind that is not known.
    #[error("{file}: {problem}")]
    File {
        /// The name of the file.
        file: &'static str,
        /// What is wrong, and what was expected.
        problem: String,
    },
    /// Its numbers lead to something that is not a number.
    #[error(
        "model.safetensors: what comes out of the encoder is not a number, so its weights are damaged"
    )]
    NotANumber,
}

impl EncoderError {
    /// Something is wrong with the weights.
    pub(crate) fn weights(problem: impl Into<String>) -> EncoderError {
        EncoderError::File { file: crate::WEIGHTS, problem: problem.into() }
    }

    /// Something is wrong with the tokenizer.
    pub(crate) fn tokenizer(problem: impl Into<String>) -> EncoderError {
        EncoderError::File { file: crate::TOKENIZER, problem: problem.into() }
    }

    /// Something is wrong with the configuration.
    pub(crate) fn config(problem: impl Into<String>) -> EncoderError {
        EncoderError::File { file: crate::CONFIG, problem: problem.into() }
    }
}
