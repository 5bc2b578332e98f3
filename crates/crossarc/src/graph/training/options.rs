//! What may be chosen about training a graph parser.
use crate::graph::pruning::Pruning;
use crate::graph::search::LabelWay;
use crate::parser::Approximate;

/// What may be chosen about training a graph parser.
#[derive(Clone, PartialEq, Debug)]
pub struct GraphOptions {
    /// How arcs get their labels; [`LabelWay::usual`] if nothing is said.
    pub labels: Option<LabelWay>,
    /// C: the longest step of learning.
    pub aggressiveness: f64,
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

impl Default for GraphOptions {
    fn default() -> GraphOptions {
        GraphOptions {
            labels: None,
            aggressiveness: 0.1,
            loss_augmented: true,
            approximation: None,
            pruning: Some(Pruning::default()),
            constraints: 1,
            taxonomy: None,
            count_features: false,
        }
    }
}
