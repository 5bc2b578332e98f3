//! The model file: a JSON header and checksummed sections that are mapped, not parsed.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | `CROSSARC` |
//! | 8..12 | version of the format, little endian |
//! | 12..16 | length of the header |
//! | 16..20 | CRC-32 of the header |
//! | 20.. | header: JSON, padded with spaces so that the sections start at a multiple of 64 |
//! | then | sections, each padded with zeros to a multiple of 64 |
//!
//! The header lists the sections with offset, length and CRC-32. There is no code in a model,
//! and every length is checked before it is believed.
//!
//! ```
//! use std::path::Path;
//! use crossarc_model::{Bytes, Container, SectionBytes};
//! let weights = SectionBytes { name: "weights", bytes: &[1, 2, 3] };
//! let file = Container::to_bytes(&"what the model is", &[weights]);
//! assert!(file.starts_with(b"CROSSARC"));
//! let model = Container::from_bytes(Path::new("a name for messages"), &Bytes::copy(&file))?;
//! assert_eq!(model.content::<String>()?, "what the model is");
//! assert_eq!(model.section("weights")?[..], [1, 2, 3]);
//!
//! let mut damaged = file;
//! damaged[24] ^= 1;
//! let error = Container::from_bytes(Path::new("damaged"), &Bytes::copy(&damaged)).unwrap_err();
//! assert!(error.to_string().contains("checksum"));
//! # Ok::<(), crossarc_model::ModelError>(())
//! ```
pub mod container;
pub mod storage;

pub use container::{Container, ModelError, SectionBytes};
pub use storage::{Bytes, Opening, Words64};
