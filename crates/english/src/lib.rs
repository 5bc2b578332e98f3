//! The English pipeline that works without any file, trained on UD English EWT.
//!
//! The model is a derivative of the treebank and under the same licence, CC BY-SA 4.0; see NOTICE.
//! `scripts/build_english.sh` rebuilds it.
//!
//! ```
//! let english = crossarc_english::pipeline()?;
//! for sentence in english.parse("She sees stars.")? {
//!     for word in sentence.words() {
//!         println!("{} {:?} {}", word.form(), word.head(), word.deprel());
//!     }
//! }
//! assert!(english.info().note.contains("CC BY-SA 4.0"));
//! # Ok::<(), crossarc::Error>(())
//! ```
#![forbid(unsafe_code)]

use std::io;

use crossarc::{Abbreviations, Pipeline};

/// The model file, compressed by Zstandard.
pub static COMPRESSED: &[u8] = include_bytes!("../english.crossarc.zst");

/// Where the model comes from and under which licence it is.
pub const NOTE: &str = include_str!("../NOTE");

/// The model file.
pub fn bytes() -> io::Result<Vec<u8>> {
    zstd::decode_all(COMPRESSED)
}

/// English abbreviations that the model knows besides those of its treebank.
pub const ABBREVIATIONS: &str = include_str!("../abbreviations.txt");

/// Unpacks the model.
pub fn pipeline() -> crossarc::Result<Pipeline> {
    pipeline_with(&Abbreviations::default())
}

/// Unpacks the model, with more abbreviations besides [its own](ABBREVIATIONS).
pub fn pipeline_with(more: &Abbreviations) -> crossarc::Result<Pipeline> {
    // A test reads the list.
    let mut abbreviations: Abbreviations = ABBREVIATIONS.parse().unwrap_or_default();
    abbreviations.extend(more);
    Pipeline::from_bytes_with(bytes()?, &abbreviations)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_of_abbreviations_is_sound() {
        let list: crossarc::Abbreviations = super::ABBREVIATIONS.parse().unwrap();
        assert!(list.get("Mrs.").is_some());
    }
}
