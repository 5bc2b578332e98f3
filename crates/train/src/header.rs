//! What a model knows about itself.
use conll::Sentence;
use serde::{Deserialize, Serialize};

use crossarc_learn::packed::Facts;
use crossarc_tree::RootPolicy;
use crossarc_tree::codec::CodecChain;

pub use crate::calibration::Calibration;
use crate::calibration::Origin;
use crate::combination::BundleHeader;
use crate::graph_options::{LabelWay, Pruning};
use crate::known_forms::KnownForms;
use crossarc_tree::treebank::filling::ColumnUse;
use crossarc_tree::treebank::root_rule::RootRule;

/// The header of a model file. The order of fields is the order in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header {
    /// Name of the transition system.
    pub parser: String,
    /// Name of the oracle it was trained with.
    pub oracle: String,
    /// Name of the learner.
    pub learner: String,
    /// Width of the beam, 1 for greedy search.
    pub beam: usize,
    /// By how much a hypothesis may be behind the best one before it is dropped from the beam.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<f32>,
    /// How many words may hang on the root.
    pub roots: Roots,
    /// Whether words may stay without a head.
    pub partial: bool,
    /// Whether sentences are read from their last word to their first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub right_to_left: bool,
    /// What is done to trees before training and undone after parsing.
    pub codec: CodecChain,
    /// Name of the feature set, or `custom`.
    pub feature_set: String,
    /// Feature templates as text.
    pub features: String,
    /// Names of the moves, in the order of the weights.
    pub moves: Vec<String>,
    /// Names of the labels, in the order of the weights.
    pub labels: Vec<String>,
    /// Label of words under the root that no move has named.
    pub root_label: String,
    /// How labels depend on whether a word hangs on the root, if they do; models that say nothing
    /// of it follow Universal Dependencies if their labels do.
    #[serde(default = "universal")]
    pub root_rule: Option<RootRule>,
    /// Scale of the scores for confidences.
    pub temperature: f32,
    /// What confidences are worth, if that has been measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// The table of moves.
    pub move_table: Facts,
    /// The table of labels.
    pub label_table: Facts,
    /// Arcs that have only one name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certain: Option<CertainFacts>,
    /// What only graph parsers have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphHeader>,
    /// What only parsers with nets have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<NetHeader>,
    /// What only support vector machines have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub svm: Option<SvmHeader>,
    /// What only bundles have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<BundleHeader>,
    /// Models in the same file whose trees this one sees.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub guides: usize,
    /// How the model came about.
    pub training: Training,
}

/// What the header of a model says about them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CertainFacts {
    /// The attribute of heads and dependents.
    pub tag: String,
    /// The other attribute of dependents.
    pub word: String,
}

/// What the header of a graph parser has beside that of other parsers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphHeader {
    /// How arcs get their labels.
    pub labels: LabelWay,
    /// Whether second-order factors know the label.
    pub labelled_factors: bool,
    /// Class of each label, if there is a taxonomy.
    pub taxonomy: Vec<u16>,
    /// Heads of a word that are looked at, or all.
    pub pruning: Option<Pruning>,
    /// Threshold of the non-projective approximation, if it is used.
    pub approximation: Option<f64>,
    /// How much scores of labels in the search count beside those of names.
    pub label_trust: f32,
    /// Bound on the steps of learning.
    pub aggressiveness: f64,
    /// Whether wrong arcs were favoured in training.
    pub loss_augmented: bool,
    /// Wrong trees that an update looked at.
    pub constraints: usize,
    /// What pruning did to the development files.
    pub pruning_loss: Option<PruningLoss>,
    /// How many features there are.
    pub counts: FeatureCounts,
    /// The attribute that the edge filter looks at.
    pub tag: String,
    /// The edge filter: head tag, dependent tag, leftward, distance, labels.
    pub filter: Vec<(u32, u32, bool, u32, Vec<u16>)>,
    /// The most frequent label for each dependent tag.
    pub frequent: Vec<(u32, u16)>,
    /// The most frequent label of all.
    pub most_frequent: u16,
    /// Scale of the scores of names for confidences.
    #[serde(default = "unit")]
    pub label_temperature: f32,
    /// The unit of the weights of factors.
    pub factor_unit: f32,
    /// The table of names.
    pub name_table: Facts,
}

/// What the header of a parser with nets says about them.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NetHeader {
    /// Nets whose scores are averaged.
    pub nets: usize,
    /// How much their scores count beside those of features.
    pub scale: f32,
    /// True if nothing else scores arcs.
    pub alone: bool,
}

/// What pruning keeps and costs.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PruningLoss {
    /// Share of the gold arcs that are kept, in percent.
    pub recall: f64,
    /// Heads that a word keeps, on average.
    pub heads: f64,
    /// True if that was measured on training sentences that the pruning model had not seen, for there
    /// are no development files.
    #[serde(default)]
    pub folds: bool,
    /// Labelled attachment score on a sample with pruning and with the exact search, and the words
    /// of the sample.
    pub scores: Option<(f64, f64, usize)>,
}

/// How many features there are.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FeatureCounts {
    /// In the gold trees, not counting labels, if they were counted.
    pub gold: usize,
    /// The same for labels, split along the complete taxonomy.
    pub split: usize,
    /// Split along the taxonomy as it was pruned for each feature.
    pub pruned: usize,
    /// With a weight after the first epoch, not counting labels; zero without a development set.
    pub non_null: usize,
    /// With a weight at the end.
    pub learned: usize,
}

/// How many words may hang on the root, by name.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Roots {
    /// One.
    Single,
    /// One or more.
    Several,
}

impl From<RootPolicy> for Roots {
    fn from(policy: RootPolicy) -> Roots {
        match policy {
            RootPolicy::Single => Roots::Single,
            RootPolicy::Several => Roots::Several,
        }
    }
}

impl From<Roots> for RootPolicy {
    fn from(roots: Roots) -> RootPolicy {
        match roots {
            Roots::Single => RootPolicy::Single,
            Roots::Several => RootPolicy::Several,
        }
    }
}

/// What a model of support vector machines knows about itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SvmHeader {
    /// The kernel is `(gamma x.y + r)^2`.
    pub gamma: f64,
    /// See `gamma`.
    pub r: f64,
    /// Price of a violated margin.
    pub cost: f64,
    /// By how much conditions of optimality may be violated.
    pub tolerance: f64,
    /// `one-versus-one` or `one-versus-rest`.
    pub multiclass: String,
    /// `exact`, `expanded` or `by-size`.
    pub solver: String,
    /// The template by whose value the data is split, or nothing.
    pub split_by: Option<String>,
    /// Weights below this were dropped.
    pub prune: f64,
    /// The machines for moves.
    pub moves: MachineCounts,
    /// The machines for labels.
    pub labels: MachineCounts,
}

/// How many machines there are.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
pub struct MachineCounts {
    /// Decisions they were trained on.
    pub decisions: usize,
    /// Parts of the data, each with a classifier of its own.
    pub parts: usize,
    /// Machines for two classes.
    pub machines: usize,
    /// Examples that are a support vector of some machine.
    pub support_vectors: usize,
    /// Machines whose training ended at the limit of steps.
    pub unfinished: usize,
    /// Size of their table.
    pub bytes: usize,
}

impl Header {
    /// The probability that an arc has the right head and label, from what the parser says of it.
    pub fn probability(&self, origin: Origin, said: f32) -> f32 {
        let plain = || said.clamp(0.0, 1.0);
        self.calibration.as_ref().map_or_else(plain, |calibration| calibration.at(origin, said))
    }

    /// Makes labels fit heads in a parsed sentence; those of which `is_fixed` says so stay.
    pub fn fit_root_labels(&self, sentence: &mut Sentence, is_fixed: impl Fn(usize) -> bool) {
        let supposed = |rule: &RootRule| *rule == RootRule::universal();
        let rule = self.root_rule.as_ref();
        if let Some(rule) = rule.filter(|rule| !supposed(rule) || rule.root == self.root_label) {
            rule.apply(sentence, is_fixed);
        }
    }
}

/// How a model came about.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Training {
    /// Version of the program.
    pub program: String,
    /// Names of the training files.
    pub train: Vec<String>,
    /// Names of the development files.
    pub dev: Vec<String>,
    /// Sentences trained on.
    pub sentences: usize,
    /// Words trained on.
    pub words: usize,
    /// Sentences with a non-projective tree among them.
    pub non_projective: usize,
    /// CRC-32 of the training text, to recognise it.
    pub checksum: u32,
    /// Seed.
    pub seed: u64,
    /// Epochs run.
    pub epochs: usize,
    /// The epoch that was kept.
    pub best_epoch: usize,
    /// Chance of following a wrong prediction.
    pub exploration: f64,
    /// By how much a right move should be better.
    pub margin: f32,
    /// Runs whose weights are averaged.
    #[serde(default = "one")]
    pub runs: usize,
    /// Sentences studied with the same weights.
    pub batch: usize,
    /// Weights below this were dropped.
    pub prune: f32,
    /// How far columns are filled, and which of them features look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnUse>,
    /// Unlabelled attachment score on the development files, in percent.
    pub dev_uas: Option<f64>,
    /// Labelled attachment score on the development files, in percent.
    pub dev_las: Option<f64>,
    /// The word forms that training has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_forms: Option<KnownForms>,
    /// Free text: licence and source of the treebank.
    pub note: String,
}

impl Training {
    /// Notes the attachment scores on the development files.
    pub fn note_scores(&mut self, (uas, las): (f64, f64)) {
        let round = |percent: f64| (percent * 100.0).round() / 100.0;
        self.dev_uas = Some(round(uas));
        self.dev_las = Some(round(las));
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde wants it")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[allow(clippy::unnecessary_wraps, reason = "as serde wants it")]
fn universal() -> Option<RootRule> {
    Some(RootRule::universal())
}

fn unit() -> f32 {
    1.0
}

fn one() -> usize {
    1
}
