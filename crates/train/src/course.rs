//! The course of training: epoch after epoch until nothing gets better, and the best model kept.
//!
//! Several runs over the same sentences, each in an order of its own, can be averaged weight by
//! weight: for a linear model that is a vote of as many parsers at the price of one.
use std::ops::Add;
use std::path::Path;

use crossarc_model::{Container, ModelError, SectionBytes};
use crossarc_tree::seed::Seed;
use rayon::prelude::*;

use crate::error::TrainError;
use crate::header::Header;
use crate::material::Material;
use crate::observer::{EpochSummary, Observer};
use crate::options::TrainOptions;
use crate::parser::{ParseOptions, Parser};
use crate::trial::Trial;

/// What one epoch did.
#[derive(Copy, Clone, Debug, Default)]
pub struct EpochReport {
    /// Moves and labels studied.
    pub decisions: usize,
    /// Those that led to a change of the weights.
    pub changes: usize,
}

impl Add for EpochReport {
    type Output = EpochReport;

    fn add(self, other: EpochReport) -> EpochReport {
        EpochReport {
            decisions: self.decisions + other.decisions,
            changes: self.changes + other.changes,
        }
    }
}

/// Weights that a model file can hold.
pub trait Weights {
    /// What goes into the model.
    fn sections(&self) -> Vec<SectionBytes<'_>>;
}

/// There may be none beside what scores in another way.
impl<W: Weights> Weights for Option<W> {
    fn sections(&self) -> Vec<SectionBytes<'_>> {
        self.as_ref().map(Weights::sections).unwrap_or_default()
    }
}

/// A trained model, ready to be saved or used.
pub struct Trained<W> {
    /// What the model knows about itself.
    pub header: Header,
    /// Its weights.
    pub weights: W,
}

impl<W: Weights> Trained<W> {
    /// Writes the model file.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        Container::write(path, &self.header, &self.weights.sections())
    }

    /// The model file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        Container::to_bytes(&self.header, &self.weights.sections())
    }
}

/// The best model so far.
pub struct Best<W> {
    /// Its score on the development set.
    pub score: f64,
    /// The model.
    pub trained: Trained<W>,
}

/// Training between two epochs.
pub struct Progress<T, W> {
    /// Epochs done.
    pub epoch: usize,
    /// The weights of every run.
    pub trainees: Vec<T>,
    /// The best model so far, where a development set tells which one is best.
    pub best: Option<Best<W>>,
}

impl<T: Clone, W> Progress<T, W> {
    /// Before the first epoch.
    pub fn start(trainee: &T, runs: usize) -> Progress<T, W> {
        Progress { epoch: 0, trainees: vec![trainee.clone(); runs.max(1)], best: None }
    }
}

impl<T, W> Progress<T, W> {
    /// True if the last epochs have brought nothing better.
    fn has_waited(&self, patience: usize) -> bool {
        let best = self.best.as_ref().map(|best| best.trained.header.training.best_epoch);
        best.is_some_and(|best| self.epoch - best >= patience.max(1))
    }
}

/// What a kind of parser does in training.
pub trait Course: Sync {
    /// The model while it is trained.
    type Trainee: Send;
    /// Its weights when it has been trained.
    type Weights: Weights;

    /// Studies all sentences once.
    fn study(
        &self,
        trainee: &mut Self::Trainee,
        epoch: usize,
        seed: Seed,
    ) -> Result<EpochReport, TrainError>;

    /// The model as it is now, the mean of all runs.
    fn trained(&self, trainees: &[Self::Trainee], epoch: usize) -> Trained<Self::Weights>;

    /// The parser with the weights of a model.
    fn parser(&self, trained: &Trained<Self::Weights>) -> Box<dyn Parser>;

    /// The parser as it will be in the finished model, to be measured.
    fn trial(&self, trained: &Trained<Self::Weights>) -> Result<Trial, TrainError> {
        Ok(Trial::new(self.parser(trained), &trained.header)?)
    }

    /// Keeps what is needed to go on later, if that was asked for.
    fn keep(&self, progress: &Progress<Self::Trainee, Self::Weights>) -> Result<(), ModelError>;
}

/// Goes through the epochs.
pub fn run<C: Course>(
    course: &C,
    mut progress: Progress<C::Trainee, C::Weights>,
    options: &TrainOptions,
    dev: Material<'_>,
    observer: &dyn Observer,
) -> Result<Trained<C::Weights>, TrainError> {
    while progress.epoch < options.epochs.max(1) && !progress.has_waited(options.patience) {
        let epoch = progress.epoch + 1;
        observer.begin_epoch(epoch);
        let reports = progress.trainees.par_iter_mut().enumerate();
        let reports =
            reports.map(|(run, trainee)| course.study(trainee, epoch, seed_of(options.seed, run)));
        let reports: Vec<EpochReport> = reports.collect::<Result<_, TrainError>>()?;
        let report = reports.into_iter().fold(EpochReport::default(), Add::add);
        progress.epoch = epoch;
        let stopped = observer.should_stop();
        if stopped && progress.best.is_some() {
            break;
        }
        let mut summary = EpochSummary { epoch, report, ..EpochSummary::default() };
        if !dev.is_empty() {
            let mut trained = course.trained(&progress.trainees, epoch);
            let scores = course.trial(&trained)?.scores(dev, &ParseOptions::default()).attachment();
            summary.dev = Some(scores);
            summary.best = progress.best.as_ref().is_none_or(|best| scores.1 > best.score);
            if summary.best {
                trained.header.training.note_scores(scores);
                progress.best = Some(Best { score: scores.1, trained });
            }
        }
        observer.end_epoch(&summary);
        if stopped {
            break;
        }
        if let Err(error) = course.keep(&progress) {
            observer.checkpoint_failed(&error);
        }
    }
    let Progress { epoch, trainees, best } = progress;
    let mut trained = best.map_or_else(|| course.trained(&trainees, epoch), |best| best.trained);
    trained.header.training.epochs = epoch;
    Ok(trained)
}

/// Each run has random numbers of its own; the first those of a single run.
fn seed_of(seed: u64, run: usize) -> Seed {
    if run == 0 { Seed(seed) } else { Seed(seed).fork("run", run as u64) }
}
