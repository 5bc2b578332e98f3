//! What may be chosen about training.
use std::path::PathBuf;

use crossarc_learn::templates::built_in;
use crossarc_tree::codec::CodecChain;
use serde::{Deserialize, Serialize};

use crate::combination::Combination;
use crate::graph_options::GraphOptions;
use crate::machine_options::MachineOptions;
use crossarc_tree::RootPolicy;

/// Widest beam; a sentence of 10,000 words then takes some hundred megabytes.
pub const MOST_BEAM: usize = 1000;

/// The most bytes of a model if nothing else is said.
pub const USUAL_BYTES: usize = 29_000_000;

/// What may be chosen about training.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct TrainOptions {
    /// Name of the transition system.
    pub parser: String,
    /// What scores moves or arcs.
    pub scorer: ScorerKind,
    /// What may be chosen about nets.
    pub net: NetOptions,
    /// Name of the oracle; the default one of the system if nothing.
    pub oracle: Option<String>,
    /// Name of the feature set, for the record.
    pub feature_set: String,
    /// Feature templates.
    pub features: String,
    /// Columns that features must not use: lemma, upos, xpos, feats.
    pub ignored_columns: Vec<String>,
    /// The share of sentences that linear parsers learn once more without some of their columns
    /// ([`crate::hidden_columns`]).
    #[serde(skip_serializing_if = "is_nothing")]
    pub hidden_columns: f64,
    /// Width of the beam, 1 for greedy search.
    pub beam: usize,
    /// Rescore hypotheses in the beam with factors of a graph parser, see
    /// `crossarc_transition::completion`.
    pub completion: bool,
    /// Where global training corrects.
    pub update: GlobalUpdate,
    /// Let words stay without a head where the system of the literature does.
    pub partial: bool,
    /// Read sentences from their last word to their first.
    pub right_to_left: bool,
    /// How many words may hang on the root; as in the treebank if nothing.
    pub roots: Option<RootPolicy>,
    /// What is done to trees before training and undone after parsing.
    pub codec: CodecChain,
    /// Epochs at most.
    pub epochs: usize,
    /// Stop after this many epochs without a better score on the development set.
    pub patience: usize,
    /// Runs in orders of their own whose weights are averaged.
    pub runs: usize,
    /// Sentences that are studied with the same weights.
    pub batch: usize,
    /// Chance of following a wrong prediction, with a dynamic oracle.
    pub exploration: f64,
    /// By how much a right move should be better than a wrong one.
    pub margin: f32,
    /// Weights below this are dropped from the model.
    pub prune: f32,
    /// Drop more weights until the model has at most this many bytes; if nothing is said,
    /// [`USUAL_BYTES`], and more for graph parsers of second order.
    pub most_bytes: Option<usize>,
    /// Seed of everything random.
    pub seed: u64,
    /// Where to keep what is needed to go on after an interruption.
    pub checkpoint: Option<Checkpointing>,
    /// What only graph parsers use.
    pub graph: GraphOptions,
    /// Learn support vector machines instead of a perceptron.
    pub svm: Option<MachineOptions>,
    /// Parsers that guide this one, or vote in its place.
    pub combination: Option<Box<Combination>>,
    /// Text that a teacher has parsed, to learn from beside the treebank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teaching: Option<TeachingOptions>,
    /// Attach punctuation marks again when a tree is finished (`crossarc::punctuation`), where that is of
    /// use on the development set.
    pub punctuation: bool,
    /// Without development sentences: train once more on a part of the treebank, to find out on the rest
    /// what confidences are worth. No score depends on it.
    #[serde(skip)]
    pub hold_out: bool,
}

/// Where training keeps its state after every epoch.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Checkpointing {
    /// The file.
    pub path: PathBuf,
    /// Go on from the file if it is there.
    pub resume: bool,
}

impl Default for TrainOptions {
    fn default() -> TrainOptions {
        TrainOptions {
            parser: "arc-eager".to_owned(),
            scorer: ScorerKind::Linear,
            net: NetOptions::default(),
            oracle: None,
            feature_set: "rich".to_owned(),
            features: built_in("rich").unwrap_or_default().to_owned(),
            ignored_columns: Vec::new(),
            hidden_columns: 0.0,
            beam: 1,
            completion: false,
            update: GlobalUpdate::default(),
            partial: false,
            right_to_left: false,
            roots: None,
            codec: CodecChain::default(),
            epochs: 15,
            patience: 5,
            runs: 1,
            batch: 4,
            exploration: 0.9,
            margin: 3.0,
            prune: 0.05,
            most_bytes: None,
            seed: 1,
            checkpoint: None,
            graph: GraphOptions::default(),
            svm: None,
            combination: None,
            teaching: None,
            punctuation: true,
            hold_out: false,
        }
    }
}

impl TrainOptions {
    /// All options as JSON in the order of their names: equal for equal options, whatever is added or
    /// moved in the program.
    pub fn canonical(&self) -> serde_json::Map<String, serde_json::Value> {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(map)) => map,
            _ => serde_json::Map::new(),
        }
    }

    /// What makes the weights what they are, by name: everything but where training ends and what comes
    /// after it.
    pub fn description(&self) -> Vec<(String, String)> {
        // The caller knows the default oracle, too; machines keep no checkpoints; punctuation comes after
        // the last epoch.
        const ASIDE: [&str; 7] =
            ["oracle", "feature-set", "epochs", "patience", "checkpoint", "svm", "punctuation"];
        let options = self.canonical().into_iter();
        let told = options.filter(|(name, _)| !ASIDE.contains(&name.as_str()));
        let rows = told.map(|(name, value)| {
            let value = match value {
                serde_json::Value::String(text) if name == "features" => {
                    format!("with checksum {:08x}", crc32fast::hash(text.as_bytes()))
                }
                serde_json::Value::String(text) => text,
                other => other.to_string(),
            };
            (name.replace('-', " "), value)
        });
        rows.collect()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde wants it")]
fn is_nothing(share: &f64) -> bool {
    *share <= 0.0
}

/// What scores moves or arcs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScorerKind {
    /// Weights of features.
    #[default]
    Linear,
    /// Nets that score arcs and labels (Dozat and Manning 2017).
    Biaffine,
    /// Both: nets and weights of features, each trained alone, their scores added.
    Hybrid,
    /// A net over the words and arcs of a state chooses moves (Chen and Manning 2014).
    FeedForward,
    /// The same over words in context (Kiperwasser and Goldberg 2016).
    Bilstm,
    /// A net that reads whole states (Dyer et al. 2015).
    StackLstm,
}

impl ScorerKind {
    /// True if it scores moves, not arcs, as transition systems need it.
    pub fn scores_moves(self) -> bool {
        matches!(self, ScorerKind::FeedForward | ScorerKind::Bilstm | ScorerKind::StackLstm)
    }

    /// True if it scores arcs, not moves, as graph parsers need it.
    pub fn scores_arcs(self) -> bool {
        matches!(self, ScorerKind::Biaffine | ScorerKind::Hybrid)
    }
}

/// What may be chosen about nets.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NetOptions {
    /// Nets whose scores are averaged.
    pub nets: Option<usize>,
    /// Epochs of a net; by the size of the treebank if nothing.
    pub epochs: Option<usize>,
    /// States of a memory in one direction.
    pub hidden: Option<usize>,
    /// Share of inputs and states that are dropped in training.
    pub dropout: Option<f32>,
    /// A file of vectors of words.
    pub vectors: Option<PathBuf>,
    /// The folder of a pretrained encoder.
    pub encoder: Option<PathBuf>,
    /// The model holds the files of the encoder.
    pub encoder_inside: bool,
}

/// Text that a student learns from.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TeachingOptions {
    /// The model of the teacher.
    pub teacher: Option<PathBuf>,
    /// Raw text for the teacher.
    pub text: Vec<PathBuf>,
    /// Treebanks that were parsed before, with scores.
    pub taught: Vec<PathBuf>,
    /// Words that are kept; all if nothing.
    pub words: Option<usize>,
    /// Sentences are kept whose words are right with at least this probability, on average.
    pub least_sure: f64,
}

impl Default for TeachingOptions {
    fn default() -> TeachingOptions {
        TeachingOptions {
            teacher: None,
            text: Vec::new(),
            taught: Vec::new(),
            words: None,
            least_sure: 0.85,
        }
    }
}

/// Where along the derivation the weights are corrected.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GlobalUpdate {
    /// Where the gold derivation falls out of the beam.
    Early,
    /// Where the beam beats the gold derivation by most.
    #[default]
    MaxViolation,
}
