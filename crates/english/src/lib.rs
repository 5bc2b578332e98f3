//! The English pipeline that works without any file, trained on UD English EWT.
//!
//! The model is a derivative of the treebank and under the same licence, CC BY-SA 4.0; see NOTICE.
//! `scripts/build_english.sh` rebuilds it.
//!
//! ```
//! let pipeline = crossarc_english::pipeline().unwrap();
//! assert!(pipeline.tokenizer.is_some() && pipeline.parser.is_some());
//! assert!(pipeline.header.note.contains("CC BY-SA 4.0"));
//! ```
use std::io;

use crossarc::pipeline::Pipeline;

/// The model file, compressed by Zstandard.
pub static COMPRESSED: &[u8] = include_bytes!("../english.crossarc.zst");

/// Where the model comes from and under which licence it is.
pub const NOTE: &str = include_str!("../NOTE");

/// The model file.
pub fn bytes() -> io::Result<Vec<u8>> {
    zstd::decode_all(COMPRESSED)
}

/// Unpacks the model.
pub fn pipeline() -> io::Result<Pipeline> {
    Pipeline::from_bytes(&bytes()?).map_err(io::Error::other)
}
