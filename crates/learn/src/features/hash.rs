//! The hash functions whose results are stored in model files: they must never change.
//!
//! Eight bytes at a time, multiply and fold (in the manner of wyhash); not for untrusted tables
//! that grow, which parsing never does.

const MULTIPLIER: u64 = 0x9FB2_1C65_1E98_DF25;
const START: u64 = 0x2D35_8DCC_AA6C_78A5;

/// Mixes one more value into a hash.
#[inline]
pub fn mix(hash: u64, value: u64) -> u64 {
    let product = (hash ^ value).wrapping_mul(MULTIPLIER);
    product ^ (product >> 32)
}

/// Hash of a string.
///
/// ```
/// use crossarc_learn::features::hash::text;
/// assert_ne!(text("ab"), text("ba"));
/// ```
pub fn text(string: &str) -> u64 {
    let bytes = string.as_bytes();
    let mut chunks = bytes.chunks_exact(8);
    let mut hash = START ^ bytes.len() as u64;
    for chunk in &mut chunks {
        hash = mix(hash, chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        hash = mix(hash, rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    }
    mix(hash, 0)
}

/// Hash of a string as an attribute value, never one of the reserved values below
/// [`FIRST_VALUE`].
pub fn attribute(string: &str) -> u32 {
    let hash = text(string);
    ((hash ^ (hash >> 29)) as u32).max(FIRST_VALUE)
}

/// Values below this are reserved.
pub const FIRST_VALUE: u32 = 16;
