//! From words to a tree: prune heads, score factors, decode, climb to crossing arcs. The same in
//! training and parsing, for every decoder.

use super::approximation::{Approximation, HillClimbing};
use super::batch::Batch;
use super::candidates::Candidates;
use super::decoder::{BestTree, DecodeError, Decoder};
use super::decoders::ChuLiuEdmonds;
use super::decoders::chu_liu_edmonds::ContractionForest;
use super::edge_filter::{EdgeFilter, Reach};
use super::factors::Order;
use super::features::{Program, SentenceFeatures};
use super::head_model::{HeadScratch, Outlook};
use super::scores::{LabelSharing, Scores, Slot};
use super::taxonomy::Taxonomy;
use crossarc_learn::features::{Attribute, Words};
use crossarc_learn::packed::PackedMoves;
use crossarc_learn::weights::LabelWeights;
use crossarc_train::graph_options::{LabelWay, Pruning, PruningOptions};
use crossarc_tree::{Label, Node, RootPolicy};

/// How arcs get their labels if nothing is said.
pub fn usual_labels(order: Order) -> LabelWay {
    if order > Order::First { LabelWay::All } else { LabelWay::Both }
}

/// How the labels of an arc share the scores of its second-order factors.
pub fn sharing(labels: LabelWay) -> LabelSharing {
    match labels {
        LabelWay::Joint | LabelWay::All => LabelSharing::PerLabel,
        LabelWay::After | LabelWay::Both | LabelWay::Taxonomy => LabelSharing::Shared,
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
}

/// A linear model over factors, while it is trained or after it has been packed.
#[derive(Clone, Debug)]
pub struct FactorModel<F, N> {
    /// Features of factors.
    pub program: Program,
    /// Features of arcs of finished trees.
    pub label_program: crossarc_learn::templates::Program,
    /// Prunes heads.
    pub heads: PackedMoves,
    /// Weights of factors: class 0 for all labels, then one for each label, then one for each class
    /// of the taxonomy.
    pub factors: F,
    /// Weights for naming the arcs of finished trees.
    pub names: N,
    /// Number of labels.
    pub labels: usize,
    /// Classes of labels.
    pub taxonomy: Taxonomy,
    /// Labels an arc may have.
    pub filter: EdgeFilter,
    /// How far away heads are looked for.
    pub reach: Reach,
    /// The attribute that filter and reach look at.
    pub tag: Attribute,
}

impl<F, N> FactorModel<F, N> {
    /// What is known of arcs before they are scored.
    pub fn outlook(&self) -> Outlook<'_> {
        Outlook { program: &self.program, reach: &self.reach, tag: self.tag }
    }

    /// Weights that a feature of an arc may have.
    pub fn classes(&self) -> usize {
        1 + self.labels + self.taxonomy.classes()
    }

    /// Stores the scores of a factor, from those of all classes or, if it knows no labels, of one.
    #[inline]
    fn put(&self, scores: &mut Scores, slot: Slot, classes: &[f32]) {
        let labelled = classes.len() > 1;
        scores.put(slot, |_, label| {
            let Some(label) = label.filter(|_| labelled) else { return classes[0] };
            let own = classes[0] + classes.get(1 + label.index()).copied().unwrap_or(0.0);
            if self.taxonomy.is_empty() {
                return own;
            }
            own + classes[1 + self.labels + self.taxonomy.class(label)]
        });
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
pub struct Search<D: Decoder> {
    decoder: D,
    /// The features of the sentence.
    pub features: SentenceFeatures,
    /// The arcs looked at.
    pub candidates: Candidates,
    /// Their scores.
    pub scores: Scores,
    /// The tree found.
    pub best: BestTree,
    chart: D::Chart,
    forest: ContractionForest,
    climbing: HillClimbing,
    heads: HeadScratch,
    /// Words whose arc needs no score.
    settled: Vec<bool>,
    tags: Vec<u32>,
    batch: Batch,
}

impl<D: Decoder + Default> Default for Search<D> {
    fn default() -> Self {
        Search {
            decoder: D::default(),
            features: SentenceFeatures::default(),
            candidates: Candidates::default(),
            scores: Scores::default(),
            best: BestTree::default(),
            chart: D::Chart::default(),
            forest: ContractionForest::default(),
            climbing: HillClimbing::default(),
            heads: HeadScratch::default(),
            settled: Vec::new(),
            tags: Vec::new(),
            batch: Batch::default(),
        }
    }
}

impl<D: Decoder> Search<D> {
    /// Takes in a sentence: chooses the arcs to look at, and prepares their features.
    pub fn prepare<F, N>(&mut self, model: &FactorModel<F, N>, words: &Words, settings: &Settings) {
        let Search { features, heads, candidates, .. } = self;
        let guess =
            heads.choose(&model.heads, model.outlook(), features, words, settings, candidates);
        features.prepare(&model.program, words, guess, D::ORDER);
        self.prepare_tags(model, words);
    }

    /// Takes in a sentence whose arcs to look at have been chosen before, with the first guess.
    pub fn prepare_chosen<F, N>(
        &mut self,
        model: &FactorModel<F, N>,
        words: &Words,
        candidates: &Candidates,
        guess: &[Node],
    ) {
        self.candidates.clone_from(candidates);
        self.features.prepare(&model.program, words, guess, D::ORDER);
        self.prepare_tags(model, words);
    }

    fn prepare_tags<F, N>(&mut self, model: &FactorModel<F, N>, words: &Words) {
        self.settled.clear();
        self.tags.clear();
        let nodes = (0..=words.len() as u32).map(Node);
        self.tags.extend(nodes.map(|node| words.value(node, model.tag)));
    }

    /// Leaves out the arcs of words with a single candidate head when arcs are scored. Each is in
    /// every tree, so the best one stays the same; but the scores no longer tell its label.
    pub fn settle_single_heads(&mut self) {
        let words = (0..=self.candidates.words() as u32).map(Node);
        self.settled.clear();
        self.settled.extend(words.map(|word| self.candidates.heads(word).nth(1).is_none()));
    }

    /// Scores all factors over the candidates.
    pub fn score<F: LabelWeights, N>(
        &mut self,
        model: &FactorModel<F, N>,
        settings: &Settings,
        order: Order,
    ) -> Result<(), DecodeError> {
        let Search { features, candidates, scores, batch, settled, tags, heads, .. } = self;
        if settings.labels.in_search() {
            scores.reset(order, settings.sharing, candidates, model.filter.of_tags(tags))?;
        } else {
            scores.reset(order, LabelSharing::Shared, candidates, |_, _, labels| {
                labels.push(Label(0));
            })?;
        }
        let finish = |batch: &mut Batch, scores: &mut Scores, classes| {
            batch.score(&model.factors, classes, |slot, of| model.put(scores, slot, of));
        };
        let classes = if settings.labels.in_search() { model.classes() } else { 1 };
        for arc in scores.arcs() {
            if settled.get(scores.dependent(arc).index()) == Some(&true) {
                continue;
            }
            batch.push(scores.arc_slot(arc), |factor, out| {
                features.factor(&model.program, factor, out);
            });
            if batch.is_full() {
                finish(batch, scores, classes);
            }
        }
        finish(batch, scores, classes);
        let classes = if settings.sharing == LabelSharing::PerLabel { classes } else { 1 };
        for arc in scores.arcs() {
            for slot in scores.second_order_slots(arc) {
                batch.push(slot, |factor, out| features.factor(&model.program, factor, out));
            }
            if batch.is_full() {
                finish(batch, scores, classes);
            }
        }
        finish(batch, scores, classes);
        for &(head, dependent, price) in heads.prices() {
            if let Some(arc) = scores.find(head, dependent) {
                scores.arc_scores_mut(arc).iter_mut().for_each(|score| *score -= price);
            }
        }
        Ok(())
    }

    /// Scores the candidates and finds the best tree.
    pub fn decode<F: LabelWeights, N>(
        &mut self,
        model: &FactorModel<F, N>,
        settings: &Settings,
    ) -> Result<Outcome, DecodeError> {
        self.decode_adjusted(model, settings, |_| ())
    }

    /// As [`Search::decode`], with scores that are adjusted before they are used.
    pub fn decode_adjusted<F: LabelWeights, N>(
        &mut self,
        model: &FactorModel<F, N>,
        settings: &Settings,
        mut adjust: impl FnMut(&mut Scores),
    ) -> Result<Outcome, DecodeError> {
        let mut best = |search: &mut Self| {
            search.score(model, settings, D::ORDER)?;
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
        self.score(model, settings, Order::First)?;
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
