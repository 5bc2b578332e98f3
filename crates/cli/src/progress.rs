//! How far a command has come: percent and time left where the size of the input is known.
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use crate::table::thousands;

/// A line on the terminal, or nothing.
pub struct Progress {
    bar: ProgressBar,
    words: AtomicU64,
    start: Instant,
}

/// Counts what is read of a file.
struct Counted {
    file: fs::File,
    bar: ProgressBar,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.bar.inc(read as u64);
        Ok(read)
    }
}

impl Progress {
    /// Shows nothing.
    pub fn hidden() -> Progress {
        Progress { bar: ProgressBar::hidden(), words: AtomicU64::new(0), start: Instant::now() }
    }

    /// Of these files; without percent if the size of one of them is not known.
    pub fn of_files<'p>(files: impl Iterator<Item = Option<&'p Path>>) -> Progress {
        let size = |path: Option<&Path>| {
            let data = path.and_then(|path| fs::metadata(path).ok())?;
            data.is_file().then_some(data.len())
        };
        let total: Option<u64> = files.map(size).sum();
        let (bar, style) = match total {
            Some(total) => (ProgressBar::new(total), "{percent}% {wide_bar} {msg}, {eta} left"),
            None => (ProgressBar::no_length(), "{spinner} {msg}"),
        };
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Progress { bar, ..Progress::hidden() }
    }

    /// Opens a file whose bytes count; `-` is standard input. `unpacked` is what an archive may become.
    pub fn open(&self, path: &Path, unpacked: Option<u64>) -> io::Result<Box<dyn Read + Send>> {
        if path == Path::new("-") {
            return conll::open_input_within(path, unpacked);
        }
        let file = fs::File::open(path)?;
        conll::decompress_within(Box::new(Counted { file, bar: self.bar.clone() }), unpacked)
    }

    /// So many words are done.
    pub fn words(&self, more: u64) {
        let words = self.words.fetch_add(more, Ordering::Relaxed) + more;
        if !self.bar.is_hidden() {
            let speed = words as f64 / self.start.elapsed().as_secs_f64().max(1e-3);
            let (words, speed) = (rounded(words), rounded(speed as u64));
            self.bar.set_message(format!("{words} words, {speed} a second"));
        }
    }

    /// Says something while the line is away.
    pub fn suspend<T>(&self, say: impl FnOnce() -> T) -> T {
        self.bar.suspend(say)
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A number with its first two digits.
fn rounded(number: u64) -> String {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    thousands(number / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_digits() {
        assert_eq!([7, 99, 123, 45_678].map(rounded), ["7", "99", "120", "45,000"]);
    }
}
