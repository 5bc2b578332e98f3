//! Treebanks by name: `NAME-train`, `NAME-dev` and `NAME-test` in a folder.
//!
//! A treebank without development set lends the last tenth of its training sentences for it.
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use conll::{ReadOptions, Reader, Sentence};

/// How the names of files end.
pub const EXTENSIONS: [&str; 5] = ["conllu", "conll", "conllup", "conllx", "conll09"];
/// Without development set, this part of the training set is held out.
pub const HELD_OUT: usize = 10;

/// Why there is no such treebank.
#[derive(Debug, thiserror::Error)]
pub enum TreebankError {
    /// A part is missing.
    #[error(
        "there is no {name}-{part}.conllu (nor .conll) in {}; name the folder with --treebanks or CROSSARC_TREEBANKS",
        folder.display()
    )]
    Missing {
        /// The treebank.
        name: String,
        /// Which part.
        part: &'static str,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// The files of a treebank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Treebank {
    /// Its name.
    pub name: String,
    /// Training files.
    pub train: Vec<PathBuf>,
    /// Development files; none if a part of the training set is held out.
    pub dev: Vec<PathBuf>,
    /// Test files.
    pub test: Vec<PathBuf>,
    /// CRC-32 of the bytes of the training, development and test files.
    pub checksums: [u32; 3],
    /// Bytes of the training files.
    pub size: u64,
}

/// The sentences of a treebank.
#[derive(Clone, Debug, Default)]
pub struct Sentences {
    /// To train on.
    pub train: Vec<Sentence>,
    /// To choose the best epoch with.
    pub dev: Vec<Sentence>,
    /// To measure on.
    pub test: Vec<Sentence>,
    /// True if the development set is a part of the training set.
    pub held_out: bool,
}

/// Where lemmas, tags and features come from.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tags {
    /// From the gold columns.
    #[default]
    Gold,
    /// From the predicted columns of CoNLL-2009.
    Predicted,
    /// From taggers that have not seen the sentence: the training set is tagged by taggers trained on
    /// its other parts, everything else by one that is trained on all of it.
    Tagger,
}

impl Tags {
    /// All there are, by their names in recipes.
    pub const ALL: [(&'static str, Tags); 3] =
        [("gold", Tags::Gold), ("predicted", Tags::Predicted), ("tagger", Tags::Tagger)];
}

impl Treebank {
    /// Finds a treebank by name.
    pub fn named(folder: &Path, name: &str) -> Result<Treebank, TreebankError> {
        let find = |part: &'static str| {
            let candidates =
                EXTENSIONS.iter().map(|end| folder.join(format!("{name}-{part}.{end}")));
            let missing = || {
                let (name, folder) = (name.to_owned(), folder.to_owned());
                TreebankError::Missing { name, part, folder }
            };
            candidates.into_iter().find(|path| path.is_file()).ok_or_else(missing)
        };
        let dev = find("dev").ok().into_iter().collect();
        Treebank::of_files(name, vec![find("train")?], dev, vec![find("test")?])
    }

    /// A treebank of these files.
    pub fn of_files(
        name: &str,
        train: Vec<PathBuf>,
        dev: Vec<PathBuf>,
        test: Vec<PathBuf>,
    ) -> Result<Treebank, TreebankError> {
        let (train_sum, size) = checksum(&train)?;
        let checksums = [train_sum, checksum(&dev)?.0, checksum(&test)?.0];
        Ok(Treebank { name: name.to_owned(), train, dev, test, checksums, size })
    }

    /// True if a part of the training set serves as development set.
    pub fn is_held_out(&self) -> bool {
        self.dev.is_empty()
    }

    /// Reads the sentences.
    pub fn read(&self, tags: Tags) -> Result<Sentences, conll::Error> {
        let predicted = tags == Tags::Predicted;
        let options = ReadOptions { need_tree: true, predicted, ..ReadOptions::default() };
        let read = |paths: &[PathBuf]| read(paths, options);
        let mut train = read(&self.train)?;
        let dev = if self.is_held_out() {
            train.split_off(train.len() - train.len() / HELD_OUT)
        } else {
            read(&self.dev)?
        };
        Ok(Sentences { train, dev, test: read(&self.test)?, held_out: self.is_held_out() })
    }
}

fn checksum(paths: &[PathBuf]) -> Result<(u32, u64), TreebankError> {
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    let mut size = 0;
    for path in paths {
        let io_error = |source| TreebankError::Io { path: path.clone(), source };
        let mut file = File::open(path).map_err(io_error)?;
        loop {
            let count = file.read(&mut buffer).map_err(io_error)?;
            if count == 0 {
                break;
            }
            hasher.update(&buffer[..count]);
            size += count as u64;
        }
        hasher.update(b"\0");
    }
    Ok((hasher.finalize(), size))
}

fn read(paths: &[PathBuf], options: ReadOptions) -> Result<Vec<Sentence>, conll::Error> {
    let mut sentences = Vec::new();
    for path in paths {
        for sentence in Reader::open(path, options)? {
            sentences.push(sentence?);
        }
    }
    Ok(sentences)
}
