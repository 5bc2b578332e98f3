//! What may be chosen about training.
use std::path::PathBuf;

use crossarc_learn::templates::built_in;
use crossarc_tree::codec::CodecChain;

use crate::combination::Combination;
use crate::graph_options::GraphOptions;
use crate::machine_options::MachineOptions;
use crossarc_tree::RootPolicy;

/// Widest beam; a sentence of 10,000 words then takes some hundred megabytes.
pub const MOST_BEAM: usize = 1000;

/// The most bytes of a model if nothing else is said.
pub const USUAL_BYTES: usize = 29_000_000;

/// What may be chosen about training.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct TrainOptions {
    /// Name of the transition system.
    pub parser: String,
    /// Name of the oracle; the default one of the system if nothing.
    pub oracle: Option<String>,
    /// Name of the feature set, for the record.
    pub feature_set: String,
    /// Feature templates.
    pub features: String,
    /// Columns that features must not use: lemma, upos, xpos, feats.
    pub ignored_columns: Vec<String>,
    /// Width of the beam, 1 for greedy search.
    pub beam: usize,
    /// Rescore hypotheses in the beam with factors of a graph parser, see
    /// [`crossarc_transition::completion`].
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
    /// Attach punctuation marks again when a tree is finished ([`crate::punctuation`]), where that is of
    /// use on the development set.
    pub punctuation: bool,
}

/// Where training keeps its state after every epoch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
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
            oracle: None,
            feature_set: "rich".to_owned(),
            features: built_in("rich").unwrap_or_default().to_owned(),
            ignored_columns: Vec::new(),
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
            punctuation: true,
        }
    }
}

impl TrainOptions {
    /// All that decides how the weights change, by name: two runs in which it is the same go the
    /// same way. How long they go on does not count.
    pub fn description(&self) -> Vec<(String, String)> {
        let TrainOptions {
            parser,
            oracle: _, // the caller knows the default one too
            feature_set: _,
            features,
            ignored_columns,
            beam,
            completion,
            update,
            partial,
            right_to_left,
            roots,
            codec,
            epochs: _,
            patience: _,
            runs,
            batch,
            exploration,
            margin,
            prune,
            most_bytes,
            seed,
            checkpoint: _,
            graph,
            svm: _, // machines keep no checkpoints
            combination,
            punctuation: _, // comes after the last epoch
        } = self;
        let rows = [
            ("parser", parser.clone()),
            ("features", format!("with checksum {:08x}", crc32fast::hash(features.as_bytes()))),
            ("ignored columns", ignored_columns.join(", ")),
            ("beam", beam.to_string()),
            ("completion", completion.to_string()),
            ("update", format!("{update:?}")),
            ("partial", partial.to_string()),
            ("right to left", right_to_left.to_string()),
            ("roots", format!("{roots:?}")),
            ("codec", codec.to_toml()),
            ("runs", runs.to_string()),
            ("batch", batch.to_string()),
            ("exploration", exploration.to_string()),
            ("margin", margin.to_string()),
            ("prune", prune.to_string()),
            ("size limit", format!("{most_bytes:?}")),
            ("seed", seed.to_string()),
            ("graph options", format!("{graph:?}")),
            ("combination", format!("{combination:?}")),
        ];
        rows.map(|(name, value)| (name.to_owned(), value)).into()
    }
}

/// Where along the derivation the weights are corrected.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum GlobalUpdate {
    /// Where the gold derivation falls out of the beam.
    Early,
    /// Where the beam beats the gold derivation by most.
    #[default]
    MaxViolation,
}

impl GlobalUpdate {
    /// The update with a name; nothing if there is none.
    pub fn named(name: &str) -> Option<GlobalUpdate> {
        match name {
            "early" => Some(GlobalUpdate::Early),
            "max-violation" => Some(GlobalUpdate::MaxViolation),
            _ => None,
        }
    }
}
