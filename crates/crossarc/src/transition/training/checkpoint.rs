//! Checkpoints: what training needs to go on after an interruption as if there had been none.
//!
//! After every epoch the state of the run is written to a file of the same container format as a
//! model: the weights with their sums and clock, the number of the epoch, and the best model so
//! far. Random numbers need not be kept, for each epoch has streams of its own. A fingerprint of
//! the options and the data makes sure that only the same run goes on.
use std::path::Path;

use conll::Sentence;
use serde::{Deserialize, Serialize};

use super::Trainee;
use super::options::TrainOptions;
use crate::learn::perceptron::{DenseWeights, SparseWeights};
use crate::model::header::Header;
use crate::model::{Container, ModelError, SectionBytes};
use crate::transition::model::PackedScorer;
use crate::transition::scorer::Extractors;
use crate::transition::stored::{StoredLabels, StoredMoves};
use crate::transition::train::{TrainError, Trained};

/// Sections that a checkpoint has and a model does not, those of the first run.
pub const SECTIONS: [&str; 2] = ["moves in training", "labels in training"];

/// The names of the sections of a run.
fn sections_of(run: usize) -> [String; 2] {
    SECTIONS.map(|name| if run == 0 { name.to_owned() } else { format!("{name} {}", run + 1) })
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

/// The best model so far.
pub struct Best {
    /// Its score on the development set.
    pub score: f64,
    /// The model.
    pub trained: Trained,
}

/// A run between two epochs.
pub struct Checkpoint {
    /// Epochs done.
    pub epoch: usize,
    /// The weights of every run.
    pub trainees: Vec<Trainee>,
    /// The best model so far, where a development set tells which one is best.
    pub best: Option<Best>,
}

#[derive(Serialize, Deserialize)]
struct Content {
    fingerprint: Fingerprint,
    epoch: usize,
    best: Option<(f64, Header)>,
}

impl Checkpoint {
    /// A run before its first epoch.
    pub fn start(extractors: &Extractors, labels: usize, runs: usize) -> Checkpoint {
        let trainee = Trainee {
            extractors: extractors.clone(),
            moves: DenseWeights::default(),
            labels: SparseWeights::default(),
            label_count: labels,
        };
        Checkpoint { epoch: 0, trainees: vec![trainee; runs.max(1)], best: None }
    }

    /// Writes the file under a temporary name and renames it when it is complete.
    pub fn save(&self, path: &Path, fingerprint: &Fingerprint) -> Result<(), ModelError> {
        let best = self.best.as_ref();
        let content = Content {
            fingerprint: fingerprint.clone(),
            epoch: self.epoch,
            best: best.map(|best| (best.score, best.trained.header.clone())),
        };
        let weights: Vec<[(String, Vec<u8>); 2]> = (self.trainees.iter().enumerate())
            .map(|(run, trainee)| {
                let [moves, labels] = sections_of(run);
                [(moves, trainee.moves.to_bytes()), (labels, trainee.labels.to_bytes())]
            })
            .collect();
        let weights = weights.as_flattened().iter();
        let mut sections: Vec<_> =
            weights.map(|(name, bytes)| SectionBytes { name, bytes }).collect();
        if let Some(best) = best {
            sections.extend(best.trained.scorer.moves.sections());
            sections.extend(best.trained.scorer.labels.sections());
        }
        Container::write(path, &content, &sections)
    }

    /// Reads the file, which must be of the same run.
    pub fn load(
        path: &Path,
        fingerprint: &Fingerprint,
        extractors: &Extractors,
        labels: usize,
        runs: usize,
    ) -> Result<Checkpoint, TrainError> {
        let container = Container::open(path)?;
        if !container.has_section(SECTIONS[0]) {
            return Err(ModelError::NotACheckpoint { path: path.to_owned() }.into());
        }
        let content: Content = container.content()?;
        if let Some((what, then, now)) = content.fingerprint.difference(fingerprint) {
            return Err(TrainError::OtherCheckpoint {
                path: path.to_owned(),
                what: what.to_owned(),
                then: then.to_owned(),
                now: now.to_owned(),
            });
        }
        let damaged = |name: &str| container.damaged(&format!("section `{name}` holds no weights"));
        let load = |run| {
            let [moves, label_weights] = &sections_of(run);
            Ok(Trainee {
                extractors: extractors.clone(),
                moves: DenseWeights::from_bytes(container.section(moves)?)
                    .ok_or_else(|| damaged(moves))?,
                labels: SparseWeights::from_bytes(container.section(label_weights)?, labels)
                    .ok_or_else(|| damaged(label_weights))?,
                label_count: labels,
            })
        };
        let trainees = (0..runs.max(1)).map(load).collect::<Result<_, ModelError>>()?;
        let best = match content.best {
            None => None,
            Some((score, header)) => {
                let scorer = PackedScorer {
                    extractors: extractors.clone(),
                    moves: StoredMoves::load(&container, &header)?,
                    labels: StoredLabels::load(&container, &header)?,
                    label_count: labels,
                };
                Some(Best { score, trained: Trained { header, scorer } })
            }
        };
        Ok(Checkpoint { epoch: content.epoch, trainees, best })
    }
}
