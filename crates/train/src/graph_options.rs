//! What may be chosen about training a graph parser.
use serde::{Deserialize, Serialize};

use crate::parser::Approximate;

/// What may be chosen about training a graph parser.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct GraphOptions {
    /// How arcs get their labels; what is best for the decoder if nothing is said.
    pub labels: Option<LabelWay>,
    /// C: the longest step of learning; what is best for the decoder if nothing is said.
    pub aggressiveness: Option<f64>,
    /// Wrong arcs are favoured in training, each by one.
    pub loss_augmented: bool,
    /// The non-projective approximation, in training and parsing. If nothing is said, second-order
    /// projective decoders use it unless a codec takes care of crossing arcs, and the threshold of
    /// parsing is the best one on the development set.
    pub approximation: Option<Approximate>,
    /// How many heads of a word are looked at, or all.
    pub pruning: Option<PruningOptions>,
    /// Wrong trees that the right one must be better than, each by its loss: the best ones by the
    /// scores. One is the passive-aggressive step; more need the decoder `eisner`.
    pub constraints: usize,
    /// Classes of labels for [`LabelWay::Taxonomy`], as the text of a file; induced from the
    /// treebank if there is none.
    pub taxonomy: Option<String>,
    /// Count the features of the gold trees.
    pub count_features: bool,
}

/// Which heads of a word are looked at; what is best for a decoder where nothing is said.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PruningOptions {
    /// The most heads.
    pub most_heads: Option<usize>,
    /// The least probability of a head, as a share of that of the best one.
    pub least_share: Option<f64>,
}

impl Default for GraphOptions {
    fn default() -> GraphOptions {
        GraphOptions {
            labels: None,
            aggressiveness: None,
            loss_augmented: true,
            approximation: None,
            pruning: Some(PruningOptions::default()),
            constraints: 1,
            taxonomy: None,
            count_features: false,
        }
    }
}

/// How many heads a word keeps.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Pruning {
    /// The least probability of a head that is kept, as a share of that of the best head.
    pub least_share: f64,
    /// The most heads that are kept.
    pub most_heads: usize,
}

impl Default for Pruning {
    fn default() -> Pruning {
        Pruning { least_share: 1e-2, most_heads: 24 }
    }
}

/// How arcs get their labels.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelWay {
    /// In the search: every feature of every factor has a weight for each label of its arc and one
    /// for all (Bohnet 2010).
    Joint,
    /// After the search, by a classifier that sees the finished tree (McDonald 2006).
    After,
    /// In the search, where features of arcs have a weight for each label and one for all, and
    /// once more when the tree is finished, by both scores together.
    Both,
    /// In the search as [`LabelWay::Joint`], and once more when the tree is finished, by both scores
    /// together.
    All,
    /// In the search: every feature of an arc has a weight for each label, one for each class of
    /// labels and one for all (Schiehlen and Spranger 2007).
    Taxonomy,
}

impl LabelWay {
    /// All ways by name.
    pub const NAMES: [(&'static str, LabelWay); 5] = [
        ("joint", LabelWay::Joint),
        ("after", LabelWay::After),
        ("both", LabelWay::Both),
        ("all", LabelWay::All),
        ("taxonomy", LabelWay::Taxonomy),
    ];

    /// True if labels take part in the search.
    pub fn in_search(self) -> bool {
        self != LabelWay::After
    }

    /// True if labels take part in the search and the finished tree is named again.
    pub fn twice(self) -> bool {
        self.in_search() && self.after_search()
    }

    /// True if the finished tree is named.
    pub fn after_search(self) -> bool {
        matches!(self, LabelWay::After | LabelWay::Both | LabelWay::All)
    }
}
