//! What a decoder is: a search for the best tree under given scores.
use crate::factors::Order;
use crate::scores::Scores;
use crossarc_tree::projectivity::is_projective;
use crossarc_tree::{Label, Node, RootPolicy, Tree, TreeError};

/// Why a decoder has no tree to give. The first two ask the caller for a cheaper decoder or for
/// fewer candidates; the third for other constraints.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// More words than the decoder takes.
    #[error("{words} words, but this decoder stops at {limit}: use a cheaper one")]
    TooLong {
        /// Words in the sentence.
        words: usize,
        /// The most the decoder takes.
        limit: usize,
    },
    /// More memory than scores or chart may use.
    #[error("{bytes} bytes needed, at most {limit} allowed: prune heads or use a cheaper decoder")]
    TooLarge {
        /// Memory needed.
        bytes: usize,
        /// Memory allowed.
        limit: usize,
    },
    /// No tree consists of candidate arcs with finite scores.
    #[error("no tree of the wanted kind can be built from the candidate arcs")]
    NoTree,
    /// The decoder needs factors that were not scored.
    #[error("the decoder needs factors of order {needed:?}, scored are those of order {given:?}")]
    MissingFactors {
        /// What the decoder needs.
        needed: Order,
        /// What was scored.
        given: Order,
    },
}

/// The tree a decoder found, in memory that is reused from sentence to sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BestTree {
    /// Heads indexed by node, the root's own place first.
    pub heads: Vec<Node>,
    /// Labels indexed by node, the root's own place first.
    pub labels: Vec<Label>,
    /// The score of the tree under the decoder's own factors.
    pub score: f32,
    /// No tree has a score that is higher by more than this: 0 if the tree is proved to be the best.
    pub gap: f32,
}

impl BestTree {
    pub(crate) fn reset(&mut self, words: usize) {
        self.heads.clear();
        self.heads.resize(words + 1, Node::ROOT);
        self.labels.clear();
        self.labels.resize(words + 1, Label::default());
        self.score = 0.0;
        self.gap = 0.0;
    }

    pub(crate) fn set(&mut self, head: Node, dependent: Node, label: Label) {
        self.heads[dependent.index()] = head;
        self.labels[dependent.index()] = label;
    }

    /// The tree as a value of its own.
    pub fn to_tree(&self) -> Result<Tree, TreeError> {
        Tree::new(self.heads.iter().copied().zip(self.labels.iter().copied()).skip(1))
    }
}

/// A search for the best tree. All decoders take the same [`Scores`]; those of low order ignore
/// what they do not need.
pub trait Decoder: Send + Sync {
    /// Stable name in options and model files.
    const NAME: &'static str;
    /// The factors that count.
    const ORDER: Order;
    /// True if only projective trees are found.
    const PROJECTIVE: bool;
    /// True if the tree found is always the best; otherwise [`BestTree::gap`] tells.
    const EXACT: bool = true;
    /// Memory that is reused from sentence to sentence.
    type Chart: Default + Send;

    /// True if the decoder can find the tree, root policy apart.
    fn builds(tree: &Tree) -> bool {
        !Self::PROJECTIVE || is_projective(tree)
    }

    /// Finds a tree of the highest score among those made of candidate arcs that obey the policy.
    fn decode(
        &self,
        scores: &Scores,
        policy: RootPolicy,
        chart: &mut Self::Chart,
        best: &mut BestTree,
    ) -> Result<(), DecodeError>;
}

/// A decoder that can also sum over all trees instead of finding the best.
pub trait Marginals: Decoder {
    /// True if the probabilities are those of the decoder's trees and factors.
    const OF_ALL_FACTORS: bool = true;
    /// Memory that is reused from sentence to sentence.
    type Memory: Default + Send;

    /// The logarithm of the partition function, with the probability of each label of each arc:
    /// `marginals` gets one number for each of [`Scores::labels`], arc after arc
    /// (see [`arc_marginals`]).
    fn marginals(
        &self,
        scores: &Scores,
        policy: RootPolicy,
        memory: &mut Self::Memory,
        marginals: &mut Vec<f64>,
    ) -> Result<f64, DecodeError>;
}

/// Adds up the probabilities of the labels of each arc: one number for each of [`Scores::arcs`].
pub fn arc_marginals(scores: &Scores, label_marginals: &[f64], arcs: &mut Vec<f64>) {
    arcs.clear();
    arcs.extend(scores.arcs().map(|arc| {
        let labels = scores.label_range(arc.index());
        label_marginals.get(labels).map_or(0.0, |labels| labels.iter().sum())
    }));
}
