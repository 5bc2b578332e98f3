//! Reading and writing of model files, whatever is in them.
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::storage::{Bytes, Opening};

const MAGIC: &[u8; 8] = b"CROSSARC";
/// Version of the format that this program writes, and the only one it reads.
pub const VERSION: u32 = 2;
/// Longest header that is read.
pub const MOST_HEADER: usize = 64 << 20;
const ALIGNMENT: usize = 64;
const PREFIX: usize = 20;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Not a model file at all.
    #[error("{}: this is not a Crossarc model (train one with `crossarc train`)", path.display())]
    NotAModel {
        /// The file.
        path: PathBuf,
    },
    /// A checkpoint where a model was expected.
    #[error(
        "{}: this is a checkpoint of a training run, not a model; finish the run with `crossarc train --resume`",
        path.display()
    )]
    Checkpoint {
        /// The file.
        path: PathBuf,
    },
    /// A model where a checkpoint was expected.
    #[error("{}: this is a model, not a checkpoint: training cannot go on from it", path.display())]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// Written by another version.
    #[error(
        "{}: model format {found}, but this program reads format {VERSION}; train the model again or use the program it was trained with",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// Whole, but its header is not what this program expects.
    #[error(
        "{}: the model was made by another version of crossarc ({what}); train it again with this one",
        path.display()
    )]
    OtherHeader {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Whole, but something that belongs to it is not there.
    #[error("{}: {what}", path.display())]
    Outside {
        /// The file.
        path: PathBuf,
        /// What is missing, and what to do.
        what: String,
    },
    /// Cut off or changed.
    #[error("{}: the model is damaged: {what}; copy or train it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// One section of a file that is to be written.
#[derive(Copy, Clone, Debug)]
pub struct SectionBytes<'a> {
    /// Its name.
    pub name: &'a str,
    /// What is in it.
    pub bytes: &'a [u8],
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Section {
    name: String,
    /// From the end of the header.
    offset: u64,
    length: u64,
    crc32: u32,
}

#[derive(Serialize, Deserialize)]
struct Envelope<H> {
    content: H,
    sections: Vec<Section>,
}

/// An opened model file.
#[derive(Debug)]
pub struct Container {
    path: PathBuf,
    header: String,
    sections: Vec<(String, Bytes)>,
}

impl Container {
    /// Writes a model under a temporary name and renames it when it is complete.
    pub fn write<H: Serialize>(
        path: &Path,
        content: &H,
        sections: &[SectionBytes<'_>],
    ) -> Result<(), ModelError> {
        let io_error = |source| ModelError::Io { path: path.to_owned(), source };
        let mut file = conll::AtomicFile::create(path).map_err(io_error)?;
        Container::write_to(&mut file, content, sections).map_err(io_error)?;
        file.finish().map_err(io_error)
    }

    /// A model as bytes.
    pub fn to_bytes<H: Serialize>(content: &H, sections: &[SectionBytes<'_>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to memory cannot fail.
        let _ = Container::write_to(&mut bytes, content, sections);
        bytes
    }

    fn write_to<H: Serialize>(
        out: &mut impl Write,
        content: &H,
        sections: &[SectionBytes<'_>],
    ) -> io::Result<()> {
        let mut listed = Vec::with_capacity(sections.len());
        let mut offset = 0;
        for section in sections {
            listed.push(Section {
                name: section.name.to_owned(),
                offset: offset as u64,
                length: section.bytes.len() as u64,
                crc32: crc32fast::hash(section.bytes),
            });
            offset += section.bytes.len().next_multiple_of(ALIGNMENT);
        }
        let envelope = Envelope { content, sections: listed };
        let mut header = serde_json::to_vec(&envelope)?;
        header.resize((PREFIX + header.len()).next_multiple_of(ALIGNMENT) - PREFIX, b' ');
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&(header.len() as u32).to_le_bytes())?;
        out.write_all(&crc32fast::hash(&header).to_le_bytes())?;
        out.write_all(&header)?;
        for section in sections {
            let padding = section.bytes.len().next_multiple_of(ALIGNMENT) - section.bytes.len();
            out.write_all(section.bytes)?;
            out.write_all(&[0; ALIGNMENT][..padding])?;
        }
        Ok(())
    }

    /// Opens a model file by mapping it, and checks it.
    pub fn open(path: &Path) -> Result<Container, ModelError> {
        Container::open_by(path, Opening::Map)
    }

    /// Opens a model file and checks it.
    pub fn open_by(path: &Path, opening: Opening) -> Result<Container, ModelError> {
        Container::from_bytes(path, &Container::bytes_of(path, opening)?)
    }

    /// The bytes of a model file, not yet checked.
    pub fn bytes_of(path: &Path, opening: Opening) -> Result<Bytes, ModelError> {
        let io_error = |source| ModelError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(io_error)?;
        if !file.metadata().map_err(io_error)?.is_file() {
            return Err(ModelError::NotAModel { path: path.to_owned() });
        }
        Bytes::open(&file, opening).map_err(io_error)
    }

    /// Checks a model; `path` is for messages.
    pub fn from_bytes(path: &Path, bytes: &Bytes) -> Result<Container, ModelError> {
        let damaged =
            |what: &str| ModelError::Damaged { path: path.to_owned(), what: what.to_owned() };
        if bytes.len() < PREFIX || bytes[..8] != *MAGIC {
            return Err(ModelError::NotAModel { path: path.to_owned() });
        }
        let number = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let found = number(8);
        if found != VERSION {
            return Err(ModelError::Version { path: path.to_owned(), found });
        }
        let length = number(12) as usize;
        if length > MOST_HEADER {
            return Err(damaged("the header is too long"));
        }
        let end = PREFIX + length;
        let header = bytes.get(PREFIX..end).ok_or_else(|| damaged("it ends within the header"))?;
        if crc32fast::hash(header) != number(16) {
            return Err(damaged("the header has a wrong checksum"));
        }
        let header = std::str::from_utf8(header).map_err(|_| damaged("the header is not text"))?;
        let envelope: Envelope<serde::de::IgnoredAny> =
            serde_json::from_str(header).map_err(|error| damaged(&error.to_string()))?;
        let mut sections = Vec::with_capacity(envelope.sections.len());
        for section in envelope.sections {
            let cut = || damaged(&format!("it ends within section `{}`", section.name));
            let start = usize::try_from(section.offset).ok().and_then(|at| at.checked_add(end));
            let length = usize::try_from(section.length).ok();
            let range =
                start.zip(length).and_then(|(at, length)| Some(at..at.checked_add(length)?));
            let part = range.and_then(|range| bytes.part(range)).ok_or_else(cut)?;
            if crc32fast::hash(&part) != section.crc32 {
                return Err(damaged(&format!("section `{}` has a wrong checksum", section.name)));
            }
            sections.push((section.name, part));
        }
        Ok(Container { path: path.to_owned(), header: header.to_owned(), sections })
    }

    /// The header.
    pub fn content<H: DeserializeOwned>(&self) -> Result<H, ModelError> {
        let envelope: Envelope<H> = serde_json::from_str(&self.header).map_err(|error| {
            ModelError::OtherHeader { path: self.path.clone(), what: error.to_string() }
        })?;
        Ok(envelope.content)
    }

    /// Where it came from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if there is a section of this name.
    pub fn has_section(&self, name: &str) -> bool {
        self.sections.iter().any(|(known, _)| known == name)
    }

    /// The names of all sections, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().map(|(name, _)| name.as_str())
    }

    /// A section by name.
    pub fn section(&self, name: &str) -> Result<&Bytes, ModelError> {
        let found = self.sections.iter().find(|(known, _)| known == name);
        found
            .map(|(_, bytes)| bytes)
            .ok_or_else(|| self.damaged(&format!("section `{name}` is missing")))
    }

    /// A section that is a container itself, if there is one of this name.
    pub fn nested(&self, name: &str) -> Result<Option<Container>, ModelError> {
        if !self.has_section(name) {
            return Ok(None);
        }
        Container::from_bytes(&self.path, self.section(name)?).map(Some)
    }

    /// An error that says what is wrong with this file.
    pub fn damaged(&self, what: &str) -> ModelError {
        ModelError::Damaged { path: self.path.clone(), what: what.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    fn sample() -> Vec<u8> {
        let sections = [
            SectionBytes { name: "one", bytes: &[1, 2, 3] },
            SectionBytes { name: "two", bytes: &[7; 100] },
        ];
        Container::to_bytes(&vec!["hello", "world"], &sections)
    }

    fn open(bytes: &[u8]) -> Result<Container, ModelError> {
        Container::from_bytes(Path::new("test"), &Bytes::copy(bytes))
    }

    #[test]
    fn what_was_written_is_read() {
        let container = open(&sample()).unwrap();
        assert_eq!(container.content::<Vec<String>>().unwrap(), ["hello", "world"]);
        assert_eq!(container.section("one").unwrap()[..], [1, 2, 3]);
        assert_eq!(container.section("two").unwrap().len(), 100);
        assert!(container.section("three").is_err());
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bytes = sample();
        let used = bytes.len() - (128 - 100);
        for length in 0..used {
            assert!(open(&bytes[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn flipped_bits_are_noticed_or_harmless() {
        let bytes = sample();
        let mut rng = Seed(5).rng();
        for round in 0..5000 {
            let mut copy = bytes.clone();
            let at = rng.below(copy.len());
            copy[at] ^= 1 << rng.below(8);
            if let Ok(container) = open(&copy) {
                assert_eq!(container.content::<Vec<String>>().unwrap(), ["hello", "world"]);
                for (name, content) in [("one", &[1, 2, 3][..]), ("two", &[7; 100])] {
                    let section = container.section(name).unwrap();
                    assert_eq!(section[..], *content, "round {round}, byte {at}");
                }
            }
        }
    }
}
