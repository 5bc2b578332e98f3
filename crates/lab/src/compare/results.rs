//! What has been measured: one JSON object per line, on disk before the next cell is counted.
//!
//! A line is complete when its newline is there. Whatever kills the program, at most the last line
//! is torn, and it is cut off when the file is opened again.
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::cell::Outcome;
use super::trace::Trace;

/// Name of the file in its folder.
pub const FILE: &str = "results.jsonl";

/// Why results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The system says no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another run writes there.
    #[error(
        "{}: another run is writing here; wait for it or choose another folder",
        path.display()
    )]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A line that is no result.
    #[error("{}:{line}: not a result: {problem}; remove the line, and its cell is trained again", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// The results in a folder.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    file: Option<File>,
    outcomes: Vec<Outcome>,
    keys: BTreeSet<String>,
}

impl Results {
    /// Opens the results of a folder to add to them, and makes the folder if there is none. Nobody
    /// else can, as long as this exists.
    pub fn open(folder: &Path) -> Result<Results, ResultsError> {
        let path = folder.join(FILE);
        let io_error = |source| ResultsError::Io { path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(io_error)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(io_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ResultsError::Locked { path }),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(io_error(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io_error)?;
        let (outcomes, complete) = parse(&path, &bytes)?;
        file.set_len(complete as u64).map_err(io_error)?;
        file.seek(SeekFrom::End(0)).map_err(io_error)?;
        if complete > 0 && bytes[complete - 1] != b'\n' {
            file.write_all(b"\n").map_err(io_error)?;
        }
        file.sync_all().map_err(io_error)?;
        let keys = outcomes.iter().map(|outcome| outcome.key.clone()).collect();
        Ok(Results { path, file: Some(file), outcomes, keys })
    }

    /// Reads the results of a folder.
    pub fn read(folder: &Path) -> Result<Results, ResultsError> {
        let path = folder.join(FILE);
        let bytes = std::fs::read(&path)
            .map_err(|source| ResultsError::Io { path: path.clone(), source })?;
        let (outcomes, _) = parse(&path, &bytes)?;
        let keys = outcomes.iter().map(|outcome| outcome.key.clone()).collect();
        Ok(Results { path, file: None, outcomes, keys })
    }

    /// Adds a result; it and its trace are on disk when this returns.
    pub fn append(&mut self, outcome: &Outcome, trace: &Trace) -> Result<(), ResultsError> {
        let path = &self.path;
        let io_error = |source| ResultsError::Io { path: path.clone(), source };
        trace.write(path.parent().unwrap_or(Path::new("")), &outcome.key).map_err(io_error)?;
        let mut line = serde_json::to_string(outcome).map_err(|error| io_error(error.into()))?;
        // What tables show is what the file holds, whether read again or not.
        let outcome = serde_json::from_str(&line).map_err(|error| io_error(error.into()))?;
        line.push('\n');
        let file = self.file.as_mut().ok_or_else(|| {
            io_error(io::Error::new(io::ErrorKind::PermissionDenied, "opened for reading only"))
        })?;
        file.write_all(line.as_bytes()).map_err(io_error)?;
        file.sync_data().map_err(io_error)?;
        let outcome: Outcome = outcome;
        self.keys.insert(outcome.key.clone());
        self.outcomes.push(outcome);
        Ok(())
    }

    /// True if this cell has been measured.
    pub fn contains(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// All results, oldest first.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }
}

/// The results in a file, and how many of its bytes they take.
fn parse(path: &Path, bytes: &[u8]) -> Result<(Vec<Outcome>, usize), ResultsError> {
    let mut outcomes = Vec::new();
    let mut complete = 0;
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let is_torn = !line.ends_with(b"\n");
        if !line.trim_ascii().is_empty() {
            match serde_json::from_slice(line) {
                Ok(outcome) => outcomes.push(outcome),
                Err(_) if is_torn => break,
                Err(error) => {
                    let (path, line, problem) = (path.to_owned(), number + 1, error.to_string());
                    return Err(ResultsError::Line { path, line, problem });
                }
            }
        }
        complete += line.len();
    }
    Ok((outcomes, complete))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::cell::Spec;
    use crate::compare::figures::Figures;

    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Folder {
            let name = format!("crossarc-results-{test}-{}", std::process::id());
            Folder(std::env::temp_dir().join(name))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn outcome(key: &str) -> Outcome {
        Outcome {
            key: key.to_owned(),
            spec: Spec {
                treebank: "bank".to_owned(),
                parser: "swap".to_owned(),
                oracle: "lazy".to_owned(),
                learner: "perceptron".to_owned(),
                features: "rich".to_owned(),
                beam: 1,
                codec: "none".to_owned(),
                with: String::new(),
                size: None,
                tags: "gold".to_owned(),
                fold: String::new(),
                seed: 1,
                options: String::new(),
            },
            program: "0".to_owned(),
            checksums: [1, 2, 3],
            held_out: true,
            counts: crossarc_eval::Counts::default(),
            figures: Figures { las: Some(81.234_567), ..Figures::default() },
        }
    }

    #[test]
    fn cut_anywhere_only_the_torn_line_is_lost() {
        let folder = Folder::new("cut");
        let mut results = Results::open(&folder.0).unwrap();
        results.append(&outcome("a"), &Trace::default()).unwrap();
        results.append(&outcome("b"), &Trace::default()).unwrap();
        drop(results);
        let path = folder.0.join(FILE);
        let bytes = std::fs::read(&path).unwrap();
        let first = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for length in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            // A result is whole without its newline.
            let expected =
                usize::from(length + 1 >= first) + usize::from(length + 1 >= bytes.len());
            assert_eq!(Results::read(&folder.0).unwrap().outcomes().len(), expected, "{length}");
            // Opening waits for the disk.
            if length % 401 != 0 && length.abs_diff(first) > 1 && length + 2 < bytes.len() {
                continue;
            }
            let mut results = Results::open(&folder.0).unwrap();
            assert_eq!(results.contains("a"), expected > 0);
            results.append(&outcome("c"), &Trace::default()).unwrap();
            drop(results);
            let again = Results::read(&folder.0).unwrap();
            assert_eq!(again.outcomes().len(), expected + 1, "cut after {length} bytes");
            assert_eq!(again.outcomes().last(), Some(&outcome("c")));
        }
    }

    #[test]
    fn one_run_at_a_time() {
        let folder = Folder::new("lock");
        let first = Results::open(&folder.0).unwrap();
        assert!(matches!(Results::open(&folder.0), Err(ResultsError::Locked { .. })));
        drop(first);
        assert!(Results::open(&folder.0).is_ok());
    }
}
