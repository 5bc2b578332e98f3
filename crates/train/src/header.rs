//! What a model knows about itself.
use conll::Sentence;
use serde::{Deserialize, Serialize};

use crossarc_learn::packed::TableFacts;
use crossarc_tree::RootPolicy;
use crossarc_tree::codec::CodecChain;

pub use crate::calibration::Calibration;
use crate::calibration::Origin;
pub use crate::combination::BundleHeader;
use crate::graph_options::{LabelWay, Pruning};
use crate::known_forms::KnownForms;
use crossarc_tree::treebank::filling::ColumnUse;
use crossarc_tree::treebank::root_rule::RootRule;

/// The header of a model file: what all parsers have, and what those of its kind have. The order of fields is
/// the order in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header {
    /// Name of the parser, as in the registry.
    pub parser: String,
    /// How many words may hang on the root.
    pub roots: Roots,
    /// What is done to trees before training and undone after parsing.
    pub codec: CodecChain,
    /// Names of the labels, in the order of the weights.
    pub labels: Vec<String>,
    /// Label of words under the root that no move has named.
    pub root_label: String,
    /// How labels depend on whether a word hangs on the root, if they do.
    pub root_rule: Option<RootRule>,
    /// Scale of the scores for confidences.
    pub temperature: f32,
    /// What confidences are worth, if that has been measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// Models in the same file whose trees this one sees.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub guides: usize,
    /// What only parsers of its kind have.
    pub kind: Kind,
    /// How the model came about.
    pub training: Training,
}

/// What finds the tree, and what only such a parser has.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::large_enum_variant, reason = "there is one a model")]
pub enum Kind {
    /// A transition system.
    Transition(TransitionHeader),
    /// A decoder over scored arcs.
    Graph(GraphHeader),
    /// Several models that vote.
    Bundle(BundleHeader),
}

/// What the header of a transition parser has beside that of other parsers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TransitionHeader {
    /// Name of the oracle it was trained with.
    pub oracle: String,
    /// Width of the beam, 1 for greedy search.
    pub beam: usize,
    /// By how much a hypothesis may be behind the best one before it is dropped from the beam.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beam_margin: Option<f32>,
    /// Whether the system may leave words without a head; they stay so only where that is asked for.
    pub partial: bool,
    /// Whether sentences are read from their last word to their first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub right_to_left: bool,
    /// Names of the moves, in the order of the weights.
    pub moves: Vec<String>,
    /// What scores moves.
    pub scorer: MoveScorerHeader,
}

/// What scores moves and their labels.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveScorerHeader {
    /// Weights of features, learned by a perceptron.
    Linear {
        /// The features.
        features: FeatureSet,
        /// Labels that need no weights.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        certain: Option<CertainFacts>,
        /// The table of moves.
        move_table: TableFacts,
        /// The table of labels.
        label_table: TableFacts,
        /// How much the scores of a net beside them count, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        net_scale: Option<f32>,
    },
    /// Support vector machines over features.
    Machines {
        /// The features.
        features: FeatureSet,
        /// The machines.
        machines: SvmHeader,
    },
    /// A net of this name.
    Net(String),
}

/// Templates of features.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeatureSet {
    /// Name of the set, or `custom`.
    pub name: String,
    /// The templates as text.
    pub templates: String,
}

/// What the header of a model says about labels that need no weights.
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
    /// Heads of a word that are looked at, or all.
    pub pruning: Option<Pruning>,
    /// Threshold of the non-projective approximation, if it is used.
    pub approximation: Option<f64>,
    /// How much scores of labels in the search count beside those of the finished tree.
    pub label_trust: f32,
    /// Scale of the scores of labels of finished trees for confidences.
    pub label_temperature: f32,
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
    /// Weights of features, unless nets alone score arcs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linear: Option<FactorHeader>,
    /// Nets beside them or in their place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<NetHeader>,
}

/// What the header says about weights of factors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FactorHeader {
    /// The features.
    pub features: FeatureSet,
    /// Class of each label, if there is a taxonomy.
    pub taxonomy: Vec<u16>,
    /// The attribute that the edge filter looks at.
    pub tag: String,
    /// The edge filter: head tag, dependent tag, leftward, distance, labels.
    pub filter: Vec<(u32, u32, bool, u32, Vec<u16>)>,
    /// The most frequent label for each dependent tag.
    pub frequent: Vec<(u32, u16)>,
    /// The most frequent label of all.
    pub most_frequent: u16,
    /// The unit of the weights of factors.
    pub factor_unit: f32,
    /// The table of the model that prunes heads.
    pub head_table: TableFacts,
    /// The table of factors.
    pub factor_table: TableFacts,
    /// The table of labels of finished trees.
    pub label_table: TableFacts,
}

/// What the header of a parser with nets says about them.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NetHeader {
    /// Nets whose scores are averaged.
    pub nets: usize,
    /// How much their scores count beside those of features.
    pub scale: f32,
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
    /// What it has as a transition parser, if it is one.
    pub fn transition(&self) -> Option<&TransitionHeader> {
        if let Kind::Transition(header) = &self.kind { Some(header) } else { None }
    }

    /// The same, to be changed.
    pub fn transition_mut(&mut self) -> Option<&mut TransitionHeader> {
        if let Kind::Transition(header) = &mut self.kind { Some(header) } else { None }
    }

    /// What it has as a graph parser, if it is one.
    pub fn graph(&self) -> Option<&GraphHeader> {
        if let Kind::Graph(header) = &self.kind { Some(header) } else { None }
    }

    /// The same, to be changed.
    pub fn graph_mut(&mut self) -> Option<&mut GraphHeader> {
        if let Kind::Graph(header) = &mut self.kind { Some(header) } else { None }
    }

    /// What it has as several models that vote, if it is that.
    pub fn bundle(&self) -> Option<&BundleHeader> {
        if let Kind::Bundle(header) = &self.kind { Some(header) } else { None }
    }

    /// Width of the beam, 1 where there is none.
    pub fn beam(&self) -> usize {
        self.transition().map_or(1, |header| header.beam)
    }

    /// True if the system may leave words without a head.
    pub fn is_partial(&self) -> bool {
        self.transition().is_some_and(|header| header.partial)
    }

    /// The features that its weights belong to, if it has any.
    pub fn features(&self) -> Option<&FeatureSet> {
        match &self.kind {
            Kind::Transition(TransitionHeader {
                scorer:
                    MoveScorerHeader::Linear { features, .. }
                    | MoveScorerHeader::Machines { features, .. },
                ..
            }) => Some(features),
            Kind::Graph(graph) => graph.linear.as_ref().map(|linear| &linear.features),
            _ => None,
        }
    }

    /// The support vector machines, if it has any.
    pub fn machines(&self) -> Option<&SvmHeader> {
        match &self.transition()?.scorer {
            MoveScorerHeader::Machines { machines, .. } => Some(machines),
            _ => None,
        }
    }

    /// The nets of a graph parser, if it has any.
    pub fn net(&self) -> Option<NetHeader> {
        self.graph()?.net
    }

    /// What it has learned with, in a word.
    pub fn learner(&self) -> &str {
        match &self.kind {
            Kind::Transition(header) => match &header.scorer {
                MoveScorerHeader::Linear { net_scale: Some(_), .. } => "hybrid",
                MoveScorerHeader::Linear { .. } => "perceptron",
                MoveScorerHeader::Machines { .. } => "svm",
                MoveScorerHeader::Net(name) => name,
            },
            Kind::Graph(graph) if graph.linear.is_some() => "passive-aggressive",
            Kind::Graph(_) => "net",
            Kind::Bundle(_) => "vote",
        }
    }

    /// Refuses a header from which no output could come that can be read again.
    pub fn check(&self) -> Result<(), &'static str> {
        let is_field = |name: &String| !name.is_empty() && !name.contains(['\t', '\n', '\r']);
        if !self.labels.iter().chain([&self.root_label]).all(is_field) {
            return Err("one of its labels is empty or has a tab or a line end in it");
        }
        match &self.root_rule {
            Some(rule) if !rule.is_sound() => {
                Err("its rule for labels of roots contradicts itself")
            }
            _ => Ok(()),
        }
    }

    /// The probability that an arc has the right head and label, from what the parser says of it.
    pub fn probability(&self, origin: Origin, said: f32) -> f32 {
        let plain = || said.clamp(0.0, 1.0);
        self.calibration.as_ref().map_or_else(plain, |calibration| calibration.at(origin, said))
    }

    /// Makes labels fit heads in a parsed sentence; those of which `is_fixed` says so stay.
    pub fn fit_root_labels(&self, sentence: &mut Sentence, is_fixed: impl Fn(usize) -> bool) {
        if let Some(rule) = &self.root_rule {
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

fn one() -> usize {
    1
}
