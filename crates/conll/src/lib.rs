//! Lossless reading and writing of treebanks: CoNLL-U, CoNLL-U Plus, CoNLL-X and CoNLL-2009.
//!
//! A [`Reader`] checks and fills one reused [`Sentence`] after another; a sentence owns its text in
//! one arena and remembers where every field lies, so that writing it again gives the same bytes
//! and nothing is allocated per word.
//!
//! ```
//! let text = "# text = so it goes\n\
//!             1\tso\tso\tADV\t_\t_\t3\tadvmod\t_\t_\n\
//!             2\tit\tit\tPRON\t_\t_\t3\tnsubj\t_\t_\n\
//!             3\tgoes\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n";
//! let mut reader = conll::Reader::from_bytes("example", text, conll::ReadOptions::default())?;
//! let mut sentence = conll::Sentence::default();
//! while reader.read(&mut sentence)? {
//!     assert_eq!(sentence.len(), 3);
//!     assert_eq!(sentence.word(1).form(), "so");
//!     assert_eq!(sentence.word(1).head(), Some(3));
//!     assert_eq!(sentence.comment_value("text"), Some("so it goes"));
//!     let mut out = Vec::new();
//!     sentence.write_to(&mut out)?;
//!     assert_eq!(out, text.as_bytes());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod blocks;
mod builder;
mod convert;
mod error;
mod format;
mod input;
mod output;
pub mod parallel;
mod parser;
mod printable;
mod reader;
mod scan;
mod sentence;

pub use builder::{BuildError, NewWord, SentenceBuilder};
pub use convert::{Converter, Loss};
pub use error::{Error, Fault, FaultKind, Warning, WarningKind};
pub use format::{Column, Format, Layout, UnknownFormat};
pub use input::{
    MOST_UNPACKED_RATIO, UNPACKED_FREELY, decompress, decompress_within, open as open_input,
    open_within as open_input_within,
};
pub use output::AtomicFile;
pub use printable::{is_steering, printable};
pub use reader::{Limits, ReadOptions, Reader, Roots, read_str};
pub use sentence::{Fields, Row, Sentence, Word};
