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
pub mod container;
pub mod storage;

pub use container::{Container, ModelError, SectionBytes};
pub use storage::{Bytes, Opening, Words64};
