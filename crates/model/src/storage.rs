//! Memory that a model lives in: a mapped file, or bytes of our own. Parts of it are shared.
//!
//! # Safety of mapping
//! A mapped file must not change while it is mapped. Model files are written under a temporary
//! name and renamed, never changed in place, so a running parser keeps the file it opened. A file that
//! another program overwrites in place gives wrong parses, and one that it cuts off ends the process with
//! SIGBUS at the next look at what is gone: where files may change, they are read
//! ([`Opening::Read`]).
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::sync::Arc;

use memmap2::Mmap;

/// How a model file comes into memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Opening {
    /// It is mapped: at hand at once, and shared by all processes that parse with it. It must stay as it
    /// is as long as it is used.
    #[default]
    Map,
    /// It is read: whatever becomes of the file, the model stays as it was.
    Read,
}

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
    /// The bytes of a file.
    pub fn open(file: &File, opening: Opening) -> io::Result<Bytes> {
        match opening {
            Opening::Map => Bytes::map(file),
            Opening::Read => Bytes::read(file),
        }
    }

    /// Reads a file into memory of our own.
    fn read(mut file: &File) -> io::Result<Bytes> {
        let size = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        let mut words = vec![0u64; size.div_ceil(8)];
        file.read_exact(&mut bytemuck::cast_slice_mut(&mut words)[..size])?;
        Ok(Bytes { backing: Arc::new(Backing::Owned(words, size)), range: 0..size })
    }

    /// Maps a file.
    #[allow(unsafe_code, reason = "the system gives the memory of a mapped file")]
    fn map(file: &File) -> io::Result<Bytes> {
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

    /// A file that is read may be cut off and overwritten; a mapped one that is replaced by renaming stays.
    #[test]
    fn a_file_that_was_read_may_change() {
        let path = std::env::temp_dir().join(format!("crossarc-storage-{}", std::process::id()));
        let old: Vec<u8> = (0..100_001u32).map(|at| at as u8).collect();
        std::fs::write(&path, &old).unwrap();
        let file = File::open(&path).unwrap();
        let read = Bytes::open(&file, Opening::Read).unwrap();
        assert_eq!(read[..], Bytes::open(&file, Opening::Map).unwrap()[..]);
        std::fs::write(&path, b"cut off").unwrap();
        assert_eq!(read[..], old[..]);
        let mapped = Bytes::open(&File::open(&path).unwrap(), Opening::Map).unwrap();
        let new = path.with_extension("new");
        std::fs::write(&new, b"another").unwrap();
        std::fs::rename(&new, &path).unwrap();
        assert_eq!(mapped[..], *b"cut off");
        std::fs::remove_file(&path).unwrap();
    }

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
