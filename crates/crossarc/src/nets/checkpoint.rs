//! Checkpoints of nets: after every epoch of a net the nets that are finished, and all that the one in
//! training needs to go on as if there had been no interruption. What stands beside the nets keeps a
//! checkpoint of its own in a second file.
use std::path::{Path, PathBuf};

use neural::Saved;
use serde::{Deserialize, Serialize};

use crate::train::{Observer, TrainError, TrainOptions};
use crossarc_model::{Container, ModelError, SectionBytes};
use crossarc_train::checkpoint::{Fingerprint, IN_TRAINING, demand_same};
use crossarc_train::options::Checkpointing;

/// A net as it goes into a model: its sections in a container.
pub(super) type NetBytes = Vec<u8>;

#[derive(Serialize, Deserialize)]
struct Content {
    fingerprint: Fingerprint,
    finished: usize,
    epoch: usize,
}

/// What is kept of a training.
pub(super) struct Keeper {
    path: PathBuf,
    fingerprint: Fingerprint,
    /// Nets that are finished.
    pub finished: Vec<NetBytes>,
    /// The net that was in training when it was interrupted.
    pub interrupted: Option<Saved>,
}

fn finished_name(net: usize) -> String {
    format!("{IN_TRAINING}net {}", net + 1)
}

fn part_name(name: &str) -> String {
    format!("{IN_TRAINING}part {name}")
}

/// The checkpoint of what stands beside the nets.
pub(super) fn beside(checkpoint: Option<&Checkpointing>) -> Option<Checkpointing> {
    let Checkpointing { path, resume } = checkpoint?;
    let mut name = path.clone().into_os_string();
    name.push(".weights");
    Some(Checkpointing { path: name.into(), resume: *resume })
}

impl Keeper {
    /// As options want it: nothing is kept if they name no checkpoint.
    pub fn new(
        options: &TrainOptions,
        fingerprint: impl FnOnce() -> Fingerprint,
    ) -> Result<Option<Keeper>, TrainError> {
        let Some(Checkpointing { path, resume }) = &options.checkpoint else { return Ok(None) };
        let mut keeper = Keeper {
            path: path.clone(),
            fingerprint: fingerprint(),
            finished: Vec::new(),
            interrupted: None,
        };
        if *resume && path.exists() {
            keeper.read(path)?;
        }
        Ok(Some(keeper))
    }

    fn read(&mut self, path: &Path) -> Result<(), TrainError> {
        let container = Container::open(path)?;
        if !crossarc_train::checkpoint::is_checkpoint(&container) {
            return Err(ModelError::NotACheckpoint { path: path.to_owned() }.into());
        }
        let content: Content = container.content()?;
        demand_same(path, &content.fingerprint, &self.fingerprint)?;
        for net in 0..content.finished {
            self.finished.push(container.section(&finished_name(net))?.to_vec());
        }
        let prefix = part_name("");
        let names = container.names().filter(|name| name.starts_with(&prefix));
        let names: Vec<String> = names.map(str::to_owned).collect();
        let mut sections = Vec::new();
        for name in names {
            sections.push((name[prefix.len()..].to_owned(), container.section(&name)?.to_vec()));
        }
        self.interrupted = Some(Saved { epoch: content.epoch, sections })
            .filter(|saved| saved.epoch > 0 && !saved.sections.is_empty());
        Ok(())
    }

    /// Writes down where training stands; `saved` is of the net that is not finished.
    pub fn keep(&self, saved: &Saved, observer: &dyn Observer) {
        let content = Content {
            fingerprint: self.fingerprint.clone(),
            finished: self.finished.len(),
            epoch: saved.epoch,
        };
        let finished = self.finished.iter().enumerate();
        let mut parts: Vec<(String, &[u8])> =
            finished.map(|(net, bytes)| (finished_name(net), &bytes[..])).collect();
        parts.extend(saved.sections.iter().map(|(name, bytes)| (part_name(name), &bytes[..])));
        let parts = parts.iter().map(|(name, bytes)| SectionBytes { name, bytes });
        let written = Container::write(&self.path, &content, &parts.collect::<Vec<_>>());
        if let Err(error) = written {
            observer.checkpoint_failed(&error);
        }
    }
}
