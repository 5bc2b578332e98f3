//! What may be chosen about training a graph parser.
use crate::graph::factors::Order;
use crate::graph::pruning::Pruning;
use crate::graph::search::LabelWay;
use crate::parser::Approximate;

/// What may be chosen about training a graph parser.
#[derive(Clone, PartialEq, Debug)]
pub struct GraphOptions {
    /// How arcs get their labels; [`LabelWay::usual`] if nothing is said.
    pub labels: Option<LabelWay>,
    /// C: the longest step of learning; [`GraphOptions::usual_aggressiveness`] if nothing is said.
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
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct PruningOptions {
    /// The most heads.
    pub most_heads: Option<usize>,
    /// The least probability of a head, as a share of that of the best one.
    pub least_share: Option<f64>,
}

impl PruningOptions {
    /// Pruning for a decoder. Without second-order factors heads that are less probable are hardly
    /// ever chosen for good reasons.
    pub fn for_order(self, order: Order) -> Pruning {
        let usual = Pruning::default();
        let least_share = if order > Order::First { usual.least_share } else { 6e-3 };
        Pruning {
            most_heads: self.most_heads.unwrap_or(usual.most_heads),
            least_share: self.least_share.unwrap_or(least_share),
        }
    }
}

impl GraphOptions {
    /// What is best for a decoder if nothing is said. With second-order factors a wrong tree differs
    /// from the right one in more features, and steps of the same effect are shorter.
    pub fn usual_aggressiveness(order: Order) -> f64 {
        if order > Order::First { 0.003 } else { 0.01 }
    }
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
