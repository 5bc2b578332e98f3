//! The English pipeline that works without any file: a small student of a large model, trained on UD English EWT and on
//! novels that the large one has parsed.
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

/// The model file. Where its size is known it is unpacked into its place at once, which touches half
/// the memory.
pub fn bytes() -> io::Result<Vec<u8>> {
    let size = zstd::zstd_safe::get_frame_content_size(COMPRESSED).ok().flatten();
    match size.and_then(|size| usize::try_from(size).ok()) {
        Some(size) => zstd::bulk::decompress(COMPRESSED, size),
        None => zstd::decode_all(COMPRESSED),
    }
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

    #[test]
    fn the_model_is_unpacked_whole() {
        let whole = super::bytes().unwrap();
        assert_eq!(whole, zstd::decode_all(super::COMPRESSED).unwrap());
        let size = zstd::zstd_safe::get_frame_content_size(super::COMPRESSED).ok().flatten();
        assert_eq!(size, Some(whole.len() as u64), "the program starts faster if it is known");
    }
}
