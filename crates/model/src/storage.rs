//! Memory that a model lives in: a mapped file, or bytes of our own. Parts of it are shared.
//!
//! # Safety of mapping
//! A mapped file must not change while it is mapped. Model files are written under a temporary
//! name and renamed, never changed in place, so a running parser keeps the file it opened. Every
//! access is bounds-checked: a file changed by force could give wrong parses, not more.
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

use memmap2::Mmap;

/// All bytes of a model, aligned to eight.
#[derive(Debug)]
enum Backing {
    Mapped(Mmap),
    Owned(Vec<u64>, usize),
    /// Aligned where it was found.
    Given(Cow<'static, [u8]>),
}

impl Backing {
    fn bytes(&self) -> &[u8] {
        match self {
            Backing::Mapped(map) => map,
            Backing::Given(bytes) => bytes,
            Backing::Owned(words, length) => &bytemuck::cast_slice(words)[..*length],
        }
    }
}

/// A part of the bytes of a model.
#[derive(Clone, Debug)]
pub struct Bytes {
    backing: Arc<Backing>,
    range: Range<usize>,
}

impl Bytes {
    /// Maps a file.
    #[allow(unsafe_code)]
    pub fn map(file: &File) -> io::Result<Bytes> {
        // SAFETY: see the module documentation; models are never changed in place.
        let map = unsafe { Mmap::map(file)? };
        let range = 0..map.len();
        Ok(Bytes { backing: Arc::new(Backing::Mapped(map)), range })
    }

    /// Copies bytes.
    pub fn copy(bytes: &[u8]) -> Bytes {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Bytes { backing: Arc::new(Backing::Owned(words, bytes.len())), range: 0..bytes.len() }
    }

    /// Takes bytes as they are if they are aligned to eight, as those of a `Vec` nearly always are;
    /// copies them if not.
    pub fn take(bytes: Cow<'static, [u8]>) -> Bytes {
        if bytes.as_ptr().align_offset(align_of::<u64>()) != 0 {
            return Bytes::copy(&bytes);
        }
        let range = 0..bytes.len();
        Bytes { backing: Arc::new(Backing::Given(bytes)), range }
    }

    /// A part of these bytes, if it lies within them.
    pub fn part(&self, range: Range<usize>) -> Option<Bytes> {
        let within = range.start <= range.end && range.end <= self.range.len();
        let start = self.range.start;
        within.then(|| Bytes {
            backing: Arc::clone(&self.backing),
            range: start + range.start..start + range.end,
        })
    }

    /// These bytes as 64-bit words, if they are aligned and their number fits.
    pub fn words(&self) -> Option<Words64> {
        bytemuck::try_cast_slice::<u8, u64>(self).ok()?;
        Some(Words64(self.clone()))
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.backing.bytes()[self.range.clone()]
    }
}

/// A part of a model as 64-bit words.
#[derive(Clone, Debug)]
pub struct Words64(Bytes);

impl Words64 {
    /// Words of our own.
    pub fn new(words: Vec<u64>) -> Words64 {
        let range = 0..words.len() * 8;
        let length = range.end;
        Words64(Bytes { backing: Arc::new(Backing::Owned(words, length)), range })
    }

    /// The words as bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Deref for Words64 {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        // `Bytes::words` and `Words64::new` are the only doors, and both see to the alignment.
        bytemuck::try_cast_slice(&self.0).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_within() {
        let bytes = Bytes::copy(&(0..40).collect::<Vec<u8>>());
        let part = bytes.part(8..24).unwrap();
        assert_eq!(part.words().unwrap().len(), 2);
        assert_eq!(part.part(0..2).unwrap()[..], [8, 9]);
        assert!(part.part(0..17).is_none());
        assert!(bytes.part(1..9).unwrap().words().is_none(), "not aligned");
        assert!(bytes.part(0..7).unwrap().words().is_none(), "no whole words");
    }
}
