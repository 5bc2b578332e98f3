//! Checkpoints: what training needs to go on after an interruption as if there had been none.
//!
//! After every epoch the state of the run is written to a file of the same container format as a
//! model: the weights with their sums and clock, the number of the epoch, and the best model so
//! far. Random numbers need not be kept, for each epoch has streams of its own. A fingerprint of
//! the options and the data makes sure that only the same run goes on.
use std::path::Path;

use conll::Sentence;
use serde::{Deserialize, Serialize};

use super::course::{Best, Progress, Trained, Weights};
use crate::error::TrainError;
use crate::header::Header;
use crate::options::TrainOptions;
use crossarc_model::{Container, ModelError, SectionBytes};

/// How the names of sections begin that a checkpoint has and a model does not.
pub const IN_TRAINING: &str = "in training: ";

/// The name of a section of a run.
fn section_of(run: usize, name: &str) -> String {
    if run == 0 {
        format!("{IN_TRAINING}{name}")
    } else {
        format!("{IN_TRAINING}{name} {}", run + 1)
    }
}

/// True if the file is a checkpoint, not a model.
pub fn is_checkpoint(container: &Container) -> bool {
    container.names().any(|name| name.starts_with(IN_TRAINING))
}

/// What makes a run what it is: options and data, by name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fingerprint(Vec<(String, String)>);

impl Fingerprint {
    /// The fingerprint of a run.
    pub fn of(
        options: &TrainOptions,
        oracle: &str,
        train: &[Sentence],
        dev: &[Sentence],
    ) -> Fingerprint {
        let mut rows = options.description();
        rows.push(("oracle".to_owned(), oracle.to_owned()));
        for (name, sentences) in [("training text", train), ("development text", dev)] {
            rows.push((name.to_owned(), format!("with checksum {:08x}", checksum(sentences))));
        }
        rows.push(("program".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
        Fingerprint(rows)
    }

    /// What is different, as it was and as it is now.
    fn difference<'a>(&'a self, now: &'a Fingerprint) -> Option<(&'a str, &'a str, &'a str)> {
        let value = |rows: &'a [(String, String)], name: &str| {
            rows.iter().find(|row| row.0 == name).map_or("unknown", |row| &row.1)
        };
        now.0
            .iter()
            .map(|(name, value_now)| (name.as_str(), value(&self.0, name), value_now.as_str()))
            .find(|(_, then, now)| then != now)
    }
}

/// An error if a checkpoint is of another run.
pub fn demand_same(path: &Path, then: &Fingerprint, now: &Fingerprint) -> Result<(), TrainError> {
    let Some((what, then, now)) = then.difference(now) else { return Ok(()) };
    Err(TrainError::OtherCheckpoint {
        path: path.to_owned(),
        what: what.to_owned(),
        then: then.to_owned(),
        now: now.to_owned(),
    })
}

/// CRC-32 of sentences as they are written.
pub fn checksum(sentences: &[Sentence]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    let mut text = Vec::new();
    for sentence in sentences {
        text.clear();
        // Writing to memory cannot fail.
        let _ = sentence.write_to(&mut text);
        hasher.update(&text);
    }
    hasher.finalize()
}

/// A model in training that can be written down.
pub trait Resumable: Sized {
    /// Its weights and what its learner must remember of them, by name.
    fn to_sections(&self) -> Vec<(String, Vec<u8>)>;

    /// The same model with what was written down; the name of what is damaged or not there is the
    /// error.
    fn with_sections<'s>(&self, section: &dyn Fn(&str) -> Option<&'s [u8]>)
    -> Result<Self, String>;
}

#[derive(Serialize, Deserialize)]
struct Content {
    fingerprint: Fingerprint,
    epoch: usize,
    best: Option<(f64, Header)>,
}

/// Writes the file under a temporary name and renames it when it is complete.
pub fn save<T: Resumable, W: Weights>(
    path: &Path,
    fingerprint: &Fingerprint,
    progress: &Progress<T, W>,
) -> Result<(), ModelError> {
    let best = progress.best.as_ref();
    let content = Content {
        fingerprint: fingerprint.clone(),
        epoch: progress.epoch,
        best: best.map(|best| (best.score, best.trained.header.clone())),
    };
    let mut weights: Vec<(String, Vec<u8>)> = Vec::new();
    for (run, trainee) in progress.trainees.iter().enumerate() {
        let sections = trainee.to_sections().into_iter();
        weights.extend(sections.map(|(name, bytes)| (section_of(run, &name), bytes)));
    }
    let weights = weights.iter().map(|(name, bytes)| SectionBytes { name, bytes });
    let best = best.map(|best| best.trained.weights.sections()).into_iter().flatten();
    Container::write(path, &content, &weights.chain(best).collect::<Vec<_>>())
}

/// Reads the file, which must be of the same run, into copies of a model without weights.
/// `load_best` reads the best model.
pub fn load<T: Resumable, W>(
    path: &Path,
    fingerprint: &Fingerprint,
    empty: &T,
    runs: usize,
    load_best: impl FnOnce(&Container, &Header) -> Result<W, ModelError>,
) -> Result<Progress<T, W>, TrainError> {
    let container = Container::open(path)?;
    if !is_checkpoint(&container) {
        return Err(ModelError::NotACheckpoint { path: path.to_owned() }.into());
    }
    let content: Content = container.content()?;
    demand_same(path, &content.fingerprint, fingerprint)?;
    let trainee = |run| {
        let section =
            |name: &str| container.section(&section_of(run, name)).ok().map(|bytes| &**bytes);
        empty
            .with_sections(&section)
            .map_err(|name| container.damaged(&format!("section `{name}` holds no weights")))
    };
    let trainees = (0..runs.max(1)).map(trainee).collect::<Result<_, ModelError>>()?;
    let best = match content.best {
        None => None,
        Some((score, header)) => {
            let weights = load_best(&container, &header)?;
            Some(Best { score, trained: Trained { header, weights } })
        }
    };
    Ok(Progress { epoch: content.epoch, trainees, best })
}
