//! From words to a tree: prune heads, score factors, decode, climb to crossing arcs. The same in
//! training and parsing, for every decoder and every scorer.

use super::approximation::{Approximation, HillClimbing};
use super::candidates::Candidates;
use super::decoder::{BestTree, DecodeError, Decoder};
use super::decoders::ChuLiuEdmonds;
use super::decoders::chu_liu_edmonds::ContractionForest;
use super::factors::Order;
use super::scorer::{FactorScorer, Searched};
use super::scores::{LabelSharing, Scores};
use crossarc_learn::features::Words;
use crossarc_train::graph_options::{LabelWay, Pruning, PruningOptions};
use crossarc_tree::{Node, RootPolicy};

/// How arcs get their labels if nothing is said.
pub fn usual_labels(order: Order) -> LabelWay {
    if order > Order::First { LabelWay::All } else { LabelWay::Both }
}

/// How the labels of an arc share the scores of its second-order factors.
pub fn sharing(labels: LabelWay) -> LabelSharing {
    match labels {
        LabelWay::Joint | LabelWay::All | LabelWay::Taxonomy => LabelSharing::PerLabel,
        LabelWay::After | LabelWay::Both => LabelSharing::Shared,
    }
}

/// Pruning for a decoder. Without second-order factors heads that are less probable are hardly ever
/// chosen for good reasons.
pub fn pruning(options: PruningOptions, order: Order) -> Pruning {
    let usual = Pruning::default();
    let least_share = if order > Order::First { usual.least_share } else { 1.6e-2 };
    Pruning {
        most_heads: options.most_heads.unwrap_or(usual.most_heads),
        least_share: options.least_share.unwrap_or(least_share),
    }
}

/// The longest step of learning if nothing is said. With second-order factors a wrong tree differs
/// from the right one in more features, and steps of the same effect are shorter.
pub fn usual_aggressiveness(order: Order) -> f64 {
    if order > Order::First { 0.003 } else { 0.01 }
}

/// What distinguishes one search from another.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Settings {
    /// How arcs get their labels.
    pub labels: LabelWay,
    /// Whether second-order factors know the label.
    pub sharing: LabelSharing,
    /// Heads that are looked at, or all.
    pub pruning: Option<Pruning>,
    /// Look at all heads; those that pruning would drop pay for it.
    pub exact: bool,
    /// Threshold of the non-projective approximation, if it is used.
    pub approximation: Option<f64>,
    /// How many words may hang on the root.
    pub roots: RootPolicy,
    /// Where arcs are named again after the search, how much the scores of their labels in the search
    /// count beside those of their names.
    pub label_trust: f32,
    /// How much the scores of nets count beside those of factors; nothing if they do not.
    pub net_scale: f32,
}

impl Default for Settings {
    /// All heads, labels after the search, one root.
    fn default() -> Settings {
        Settings {
            labels: LabelWay::After,
            sharing: LabelSharing::Shared,
            pruning: None,
            exact: false,
            approximation: None,
            roots: RootPolicy::Single,
            label_trust: 0.0,
            net_scale: 0.0,
        }
    }
}

/// How a tree came about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// As asked for.
    Decoded,
    /// The sentence was too large for the decoder: the best tree by arcs alone.
    CheaperDecoder,
}

/// Working memory, one per thread.
pub struct Search<D: Decoder, S: FactorScorer> {
    decoder: D,
    /// The memory of the scorer.
    pub memory: S::Memory,
    /// The arcs looked at.
    pub candidates: Candidates,
    /// Their scores.
    pub scores: Scores,
    /// The tree found.
    pub best: BestTree,
    chart: D::Chart,
    forest: ContractionForest,
    climbing: HillClimbing,
    /// Words whose arc needs no score.
    settled: Vec<bool>,
}

impl<D: Decoder + Default, S: FactorScorer> Default for Search<D, S> {
    fn default() -> Self {
        Search {
            decoder: D::default(),
            memory: S::Memory::default(),
            candidates: Candidates::default(),
            scores: Scores::default(),
            best: BestTree::default(),
            chart: D::Chart::default(),
            forest: ContractionForest::default(),
            climbing: HillClimbing::default(),
            settled: Vec::new(),
        }
    }
}

impl<D: Decoder, S: FactorScorer> Search<D, S> {
    /// Takes in a sentence: chooses the arcs to look at.
    pub fn prepare(&mut self, scorer: &S, words: &Words, settings: &Settings) {
        self.settled.clear();
        scorer.begin(words, settings, D::ORDER, &mut self.memory, &mut self.candidates);
    }

    /// Takes in a sentence whose arcs to look at have been chosen before; `begin` tells the scorer.
    pub fn prepare_chosen(&mut self, candidates: &Candidates, begin: impl FnOnce(&mut S::Memory)) {
        self.settled.clear();
        self.candidates.clone_from(candidates);
        begin(&mut self.memory);
    }

    /// Leaves out the arcs of words with a single candidate head when arcs are scored. Each is in
    /// every tree, so the best one stays the same; but the scores no longer tell its label.
    pub fn settle_single_heads(&mut self) {
        let words = (0..=self.candidates.words() as u32).map(Node);
        self.settled.clear();
        self.settled.extend(words.map(|word| self.candidates.heads(word).nth(1).is_none()));
    }

    /// Scores all factors over the candidates.
    fn score(
        &mut self,
        scorer: &S,
        words: &Words,
        settings: &Settings,
        order: Order,
    ) -> Result<(), DecodeError> {
        let Search { candidates, scores, memory, settled, .. } = self;
        scorer.score(Searched { words, settings, candidates, settled }, order, memory, scores)
    }

    /// Scores the candidates and finds the best tree.
    pub fn decode(
        &mut self,
        scorer: &S,
        words: &Words,
        settings: &Settings,
    ) -> Result<Outcome, DecodeError> {
        self.decode_adjusted(scorer, words, settings, |_| ())
    }

    /// As [`Search::decode`], with scores that are adjusted before they are used.
    pub fn decode_adjusted(
        &mut self,
        scorer: &S,
        words: &Words,
        settings: &Settings,
        mut adjust: impl FnMut(&mut Scores),
    ) -> Result<Outcome, DecodeError> {
        let mut best = |search: &mut Self| {
            search.score(scorer, words, settings, D::ORDER)?;
            adjust(&mut search.scores);
            let Search { decoder, scores, chart, best, .. } = search;
            decoder.decode(scores, settings.roots, chart, best)
        };
        let mut found = best(self);
        if found == Err(DecodeError::NoTree) {
            self.add_chain();
            found = best(self);
        }
        if found.is_ok() {
            self.climb(settings);
            return Ok(Outcome::Decoded);
        }
        self.add_chain();
        self.score(scorer, words, settings, Order::First)?;
        ChuLiuEdmonds.decode(&self.scores, settings.roots, &mut self.forest, &mut self.best)?;
        Ok(Outcome::CheaperDecoder)
    }

    /// From the best projective tree to crossing arcs.
    pub fn climb(&mut self, settings: &Settings) {
        if let Some(threshold) = settings.approximation.filter(|_| D::PROJECTIVE) {
            let approximation =
                Approximation { threshold, order: D::ORDER, policy: settings.roots };
            self.climbing.climb(approximation, &self.scores, &mut self.best);
        }
    }

    /// Makes sure that there is a tree: each word may hang on the one before it.
    fn add_chain(&mut self) {
        self.settled.clear();
        for word in 1..=self.candidates.words() as u32 {
            self.candidates.insert(Node(word - 1), Node(word));
        }
    }
}
