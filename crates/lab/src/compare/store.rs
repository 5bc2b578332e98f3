//! Parts of combinations that have been trained, in files, so that cells that share them train them
//! once. Nothing is lost when the files are deleted.
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use conll::AtomicFile;

use crate::processor_time::thread_seconds;
use crossarc::train::LEARNING;

/// Name of the folder of the files.
pub const FOLDER: &str = "parts";

/// Trained models by key, each with the processor time that it took.
#[derive(Debug, Default)]
pub struct Store {
    folder: Option<PathBuf>,
    clock: Mutex<Clock>,
}

/// What was saved, and the parts that are being trained: when they began, and what had been saved.
#[derive(Debug, Default)]
struct Clock {
    saved: f64,
    begun: Vec<(f64, f64)>,
}

impl Store {
    /// A store in a folder; nothing is kept without one.
    pub fn new(folder: Option<PathBuf>) -> Store {
        Store { folder, clock: Mutex::default() }
    }

    /// The processor time that was not spent because a part was known.
    pub fn saved(&self) -> f64 {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).saved
    }

    /// A part that is known; if not, its training is thought to begin now.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key)?;
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let found = std::fs::read(path).ok().and_then(|mut bytes| {
            let seconds = *bytes.last_chunk::<8>()?;
            bytes.truncate(bytes.len() - 8);
            Some((bytes, f64::from_le_bytes(seconds)))
        });
        if let Some((bytes, seconds)) = found {
            clock.saved += seconds;
            return Some(bytes);
        }
        let saved = clock.saved;
        clock.begun.push((thread_seconds().unwrap_or(0.0), saved));
        None
    }

    /// Keeps the part whose training began last. Without the file it would be trained again: a disk
    /// that is full is no reason to end.
    pub fn put(&self, key: &str, bytes: &[u8]) {
        let Some(path) = self.path(key) else { return };
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let (start, saved) = clock.begun.pop().unwrap_or_default();
        let seconds = thread_seconds().unwrap_or(start) - start + clock.saved - saved;
        let write = || -> std::io::Result<()> {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let mut file = AtomicFile::create(&path)?;
            file.write_all(bytes)?;
            file.write_all(&seconds.to_le_bytes())?;
            file.finish()
        };
        let _ = write();
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{LEARNING}-{key}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_kept_with_their_time() {
        let folder = std::env::temp_dir().join(format!("crossarc-store-{}", std::process::id()));
        let store = Store::new(Some(folder.clone()));
        assert_eq!(store.get("outer"), None);
        assert_eq!(store.get("inner"), None);
        store.put("inner", b"one");
        store.put("outer", b"two");
        assert_eq!(store.saved(), 0.0);
        let other = Store::new(Some(folder.clone()));
        assert_eq!(other.get("inner").as_deref(), Some(&b"one"[..]));
        assert_eq!(other.get("outer").as_deref(), Some(&b"two"[..]));
        assert!(other.saved() >= 0.0);
        assert_eq!(Store::default().get("inner"), None);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
