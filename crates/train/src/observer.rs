//! Watching training, and ending it.
use crossarc_model::ModelError;

use crate::course::EpochReport;
use crate::header::Header;
use crossarc_tree::treebank::filling::ColumnUse;

/// What is known when training begins.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Name of the oracle.
    pub oracle: String,
    /// Sentences, after transformations.
    pub sentences: usize,
    /// Words.
    pub words: usize,
    /// Runs whose weights are averaged; each studies every sentence.
    pub runs: usize,
    /// Labels, those of the codec included.
    pub labels: usize,
    /// Sentences whose tree is not projective.
    pub non_projective: usize,
    /// Names of the codecs.
    pub codecs: Vec<&'static str>,
    /// True if the baseline codec was added because the system needs it.
    pub baseline_added: bool,
    /// Trees outside the class of the system that were made projective one by one.
    pub lifted: usize,
    /// Trees that cannot be built even so.
    pub left_out: usize,
    /// Templates for moves and labels.
    pub templates: (usize, usize),
    /// What becomes of the columns.
    pub columns: Vec<ColumnUse>,
    /// Epochs that an earlier run has done.
    pub epochs_done: usize,
}

/// What an epoch brought.
#[derive(Copy, Clone, Debug, Default)]
pub struct EpochSummary {
    /// Number of the epoch, from 1.
    pub epoch: usize,
    /// What was studied.
    pub report: EpochReport,
    /// Mean loss of a word, if nets are trained.
    pub loss: Option<f64>,
    /// Unlabelled and labelled attachment score on the development set, in percent.
    pub dev: Option<(f64, f64)>,
    /// True if this is the best epoch so far.
    pub best: bool,
}

/// Watches training, and may end it.
pub trait Observer: Sync {
    /// A part of a combination begins: a member, a guide, a fold.
    fn part(&self, _name: &str) {}
    /// A part that has been trained before, as a model file.
    fn known_part(&self, _key: &str) -> Option<Vec<u8>> {
        None
    }
    /// A part that may be asked for again.
    fn keep_part(&self, _key: &str, _model: &[u8]) {}
    /// Punctuation marks are attached again when a tree is finished, which gives these unlabelled
    /// and labelled attachment scores on the development set.
    fn punctuated(&self, _scores: (f64, f64)) {}
    /// Training begins.
    fn begin(&self, _plan: &Plan) {}
    /// An epoch begins.
    fn begin_epoch(&self, _epoch: usize) {}
    /// Some sentences have been studied.
    fn studied(&self, _sentences: usize) {}
    /// An epoch has ended.
    fn end_epoch(&self, _summary: &EpochSummary) {}
    /// Support vector machines have been trained.
    fn learned(&self, _header: &Header) {}
    /// A checkpoint could not be written; training goes on.
    fn checkpoint_failed(&self, _error: &ModelError) {}
    /// True if training should end now, with the best epoch so far.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct Unobserved;
impl Observer for Unobserved {}
