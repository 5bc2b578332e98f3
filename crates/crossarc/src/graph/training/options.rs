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
    pub pruning: Option<Pruning>,
    /// Wrong trees that the right one must be better than, each by its loss: the best ones by the
    /// scores. One is the passive-aggressive step; more need the decoder `eisner`.
    pub constraints: usize,
    /// Classes of labels for [`LabelWay::Taxonomy`], as the text of a file; induced from the
    /// treebank if there is none.
    pub taxonomy: Option<String>,
    /// Count the features of the gold trees.
    pub count_features: bool,
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
            pruning: Some(Pruning::default()),
            constraints: 1,
            taxonomy: None,
            count_features: false,
        }
    }
}
