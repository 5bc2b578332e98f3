//! The cheap model that prunes heads: a log-linear choice of a head for each word on its own
//! (Koo and Collins 2010 prune by first-order marginals; without a search the same costs less).
//!
//! Every feature has eight weights, for two sides and four distances, in one look-up. Scores are
//! log-probabilities up to a constant of the word, so a head is kept if its probability is not
//! too small beside that of the best head. The most probable heads are the first guess that templates
//! may look at; a tree of them would be no better a guess.
use rayon::prelude::*;

use super::calibration::Calibration;
use super::candidates::Candidates;
use super::edge_filter::Reach;
use super::features::{Program, SentenceFeatures};
use super::search::Settings;
use crossarc_learn::features::{Attribute, Words};
use crossarc_learn::packed::PackedMoves;
use crossarc_learn::perceptron::{DenseWeights, MOST_DENSE};
use crossarc_train::graph_options::Pruning;
use crossarc_tree::seed::Seed;
use crossarc_tree::{Node, Tree};

/// In sentences longer than this a head is looked for within [`WINDOW`] words.
pub const LONG: usize = 500;
/// See [`LONG`].
pub const WINDOW: usize = 100;
/// Words that are studied, counted once an epoch, within [`EPOCHS`].
const STUDIED_WORDS: usize = 600_000;
/// Epochs of training, at least and at most.
const EPOCHS: (usize, usize) = (3, 8);
/// Sentences that are studied with the same weights.
const BATCH: usize = 16;
/// Parts of the treebank for [`train_cross_fitted`].
pub const FOLDS: usize = 2;
/// Step of gradient descent.
const RATE: f32 = 0.05;
/// Gradients below this are passed over. Pruning looks at heads that are less probable than a hundredth,
/// so they must be told apart too.
const LEAST_STEP: f32 = 0.005;
/// What an arc of an exact search pays for each nat that its head is too far behind the best one; a wrong
/// arc costs 1 in training.
const PRICE: f32 = 1.0;

/// Side and distance: 1, 2, 3 to 5, more.
fn place(head: Node, dependent: Node) -> usize {
    let distance = match head.0.abs_diff(dependent.0) {
        0 | 1 => 0,
        2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    distance * 2 + usize::from(dependent < head)
}

/// The heads a word may have at all.
fn possible(words: usize, dependent: Node) -> impl Iterator<Item = Node> {
    let d = dependent.index();
    let (first, last) = if words > LONG {
        (d.saturating_sub(WINDOW).max(1), (d + WINDOW).min(words))
    } else {
        (1, words)
    };
    std::iter::once(0).chain(first..=last).filter(move |&h| h != d).map(|h| Node(h as u32))
}

/// Working memory, one per thread.
#[derive(Clone, Debug, Default)]
pub struct HeadScratch {
    /// Features of the arcs to a word, one arc after the other.
    features: Vec<u64>,
    /// Where the features of each arc end, and its place.
    ends: Vec<(u32, u8)>,
    scored: Vec<(f32, Node)>,
    /// The row of the tag of each node in [`Reach`].
    rows: Vec<usize>,
    /// The most probable head of each node.
    guess: Vec<Node>,
    /// Arcs of an exact search that pruning would drop, and what they pay.
    prices: Vec<(Node, Node, f32)>,
}

/// What is known of arcs before they are scored.
#[derive(Copy, Clone, Debug)]
pub struct ArcView<'a> {
    /// Features of arcs.
    pub program: &'a Program,
    /// How far away heads are looked for.
    pub reach: &'a Reach,
    /// The attribute that tells.
    pub tag: Attribute,
}

/// Weights of which one place is wanted for each arc.
trait PlaceWeights {
    /// Scores arcs whose features stand one after the other; `ends` has for each where its features
    /// end, and its place.
    fn score<'s>(
        &self,
        features: &[u64],
        ends: &[(u32, u8)],
        scores: impl Iterator<Item = &'s mut f32>,
    );
}

impl PlaceWeights for DenseWeights {
    fn score<'s>(
        &self,
        features: &[u64],
        ends: &[(u32, u8)],
        scores: impl Iterator<Item = &'s mut f32>,
    ) {
        let mut start = 0;
        for (&(end, place), score) in ends.iter().zip(scores) {
            *score = DenseWeights::score(self, &features[start..end as usize], place.into());
            start = end as usize;
        }
    }
}

impl PlaceWeights for PackedMoves {
    fn score<'s>(
        &self,
        features: &[u64],
        ends: &[(u32, u8)],
        scores: impl Iterator<Item = &'s mut f32>,
    ) {
        self.score_each(features, ends, scores);
    }
}

impl HeadScratch {
    /// Takes in a sentence.
    fn prepare(&mut self, arc_view: ArcView<'_>, sentence: &mut SentenceFeatures, words: &Words) {
        sentence.prepare_heads(arc_view.program, words);
        let nodes = (0..=words.len() as u32).map(Node);
        self.rows.clear();
        self.rows.extend(nodes.map(|node| arc_view.reach.row(words.value(node, arc_view.tag))));
    }

    /// Scores the heads within reach of a word; its neighbours always are.
    fn score(
        &mut self,
        weights: &impl PlaceWeights,
        ArcView { program, reach, .. }: ArcView<'_>,
        sentence: &SentenceFeatures,
        dependent: Node,
    ) {
        self.scored.clear();
        self.features.clear();
        self.ends.clear();
        let row = self.rows[dependent.index()];
        for head in possible(self.rows.len() - 1, dependent) {
            let furthest = reach.furthest(self.rows[head.index()], row, dependent < head);
            if head.0.abs_diff(dependent.0) > furthest {
                continue;
            }
            sentence.heads(program, head, dependent, &mut self.features);
            self.ends.push((self.features.len() as u32, place(head, dependent) as u8));
            self.scored.push((0.0, head));
        }
        let scores = self.scored.iter_mut().map(|one| &mut one.0);
        weights.score(&self.features, &self.ends, scores);
    }

    /// Chooses the arcs of a sentence that are looked at, and gives the first guess if templates ask
    /// for it: the most probable head of each node, the root included. They need not make a tree.
    pub fn choose(
        &mut self,
        weights: &PackedMoves,
        arc_view: ArcView<'_>,
        sentence: &mut SentenceFeatures,
        words: &Words,
        settings: &Settings,
        chosen: &mut Candidates,
    ) -> &[Node] {
        let guesses = arc_view.program.guesses();
        if guesses || (settings.pruning.is_some() && !settings.exact) {
            let pruning = settings.pruning.unwrap_or_default();
            self.prune(weights, arc_view, sentence, words, pruning, chosen);
        }
        self.prices.clear();
        if settings.exact {
            self.price(weights, arc_view, sentence, words, settings.pruning);
        }
        if settings.exact || settings.pruning.is_none() {
            chosen.reset_to_all(words.len());
        }
        if guesses { &self.guess } else { &[] }
    }

    /// Arcs of an exact search that pruning would drop, and what they pay: as much as their head is
    /// further behind the best one than pruning allows. No arc like them was seen when factors were
    /// learned, so what factors say of them means little.
    pub fn prices(&self) -> &[(Node, Node, f32)] {
        &self.prices
    }

    fn price(
        &mut self,
        weights: &PackedMoves,
        arc_view: ArcView<'_>,
        sentence: &mut SentenceFeatures,
        words: &Words,
        pruning: Option<Pruning>,
    ) {
        let Some(pruning) = pruning else { return };
        let everywhere = Reach::default();
        let arc_view = ArcView { reach: &everywhere, ..arc_view };
        self.prepare(arc_view, sentence, words);
        let least = pruning.least_share.max(1e-30).ln() as f32;
        for dependent in (1..=words.len() as u32).map(Node) {
            self.score(weights, arc_view, sentence, dependent);
            let best = self.best_score();
            let prices = self.scored.iter().map(|&(score, head)| (head, best + least - score));
            let dropped = prices.filter(|one| one.1 > 0.0);
            self.prices.extend(dropped.map(|(head, price)| (head, dependent, price * PRICE)));
        }
    }

    /// Takes in how far behind the best head of its word each head of a sentence is, and where the heads
    /// of its tree are among them.
    pub fn calibrate(
        &mut self,
        weights: &PackedMoves,
        arc_view: ArcView<'_>,
        sentence: &mut SentenceFeatures,
        (words, tree): (&Words, &Tree),
        calibration: &mut Calibration,
    ) {
        self.prepare(arc_view, sentence, words);
        for dependent in tree.words() {
            self.score(weights, arc_view, sentence, dependent);
            let best = self.best_score();
            let gold = self.scored.iter().find(|one| one.1 == tree.head(dependent));
            let behind = |one: &(f32, Node)| best - one.0;
            calibration.add(gold.map(behind), self.scored.iter().map(behind));
        }
    }

    fn best_score(&self) -> f32 {
        self.scored.iter().fold(f32::NEG_INFINITY, |best, one| best.max(one.0))
    }

    /// Fills `kept` with the heads that are worth looking at.
    pub fn prune(
        &mut self,
        weights: &PackedMoves,
        arc_view: ArcView<'_>,
        sentence: &mut SentenceFeatures,
        words: &Words,
        pruning: Pruning,
        kept: &mut Candidates,
    ) {
        self.prepare(arc_view, sentence, words);
        kept.reset(words.len());
        self.guess.clear();
        self.guess.push(Node::ROOT);
        let least = pruning.least_share.max(1e-30).ln() as f32;
        for dependent in (1..=words.len() as u32).map(Node) {
            self.score(weights, arc_view, sentence, dependent);
            let best = self.best_score();
            let scored = &mut self.scored;
            let most = pruning.most_heads.max(1);
            let order = |a: &(f32, Node), b: &(f32, Node)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
            let first = scored.iter().find(|one| one.0 >= best);
            self.guess.push(first.map_or(Node::ROOT, |one| one.1));
            scored.retain(|one| one.0 >= best + least);
            if scored.len() > most {
                scored.select_nth_unstable_by(most - 1, order);
                scored.truncate(most);
            }
            for &(_, head) in scored.iter() {
                kept.insert(head, dependent);
            }
        }
    }
}

/// What one sentence teaches: features, place and step of each arc.
#[derive(Default)]
struct Steps {
    features: Vec<u64>,
    arcs: Vec<(u32, u16, f32)>,
}

fn study(
    weights: &DenseWeights,
    arc_view: ArcView<'_>,
    words: &Words,
    tree: &Tree,
    scratch: &mut (SentenceFeatures, HeadScratch),
    steps: &mut Steps,
) {
    let (sentence, scratch) = scratch;
    steps.features.clear();
    steps.arcs.clear();
    scratch.prepare(arc_view, sentence, words);
    for dependent in tree.words() {
        scratch.score(weights, arc_view, sentence, dependent);
        let best = scratch.best_score();
        let sum: f32 = scratch.scored.iter().map(|one| (one.0 - best).exp()).sum();
        for &(score, head) in &scratch.scored {
            let probability = (score - best).exp() / sum;
            let gold = f32::from(u8::from(head == tree.head(dependent)));
            let step = gold - probability;
            if step.abs() >= LEAST_STEP {
                sentence.heads(arc_view.program, head, dependent, &mut steps.features);
                let at = place(head, dependent) as u16;
                steps.arcs.push((steps.features.len() as u32, at, step * RATE));
            }
        }
    }
}

/// Small treebanks are read more often.
fn epochs(words: usize) -> usize {
    (STUDIED_WORDS / words.max(1)).clamp(EPOCHS.0, EPOCHS.1)
}

/// Trains the model on sentences with their trees; `stop` ends training early.
pub fn train(
    arc_view: ArcView<'_>,
    sentences: &[(Words, Tree)],
    seed: Seed,
    stop: &(dyn Fn() -> bool + Sync),
) -> PackedMoves {
    train_on(arc_view, sentences, (0..sentences.len()).collect(), seed, stop)
}

/// Trains a model for each of [`FOLDS`] parts of the sentences on the other parts: sentence `i`
/// is new to model `i % FOLDS`. A model is too sure of what it was trained on: with heads that it
/// keeps there, the parser would not learn to tell apart what it meets in new sentences.
pub fn train_cross_fitted(
    arc_view: ArcView<'_>,
    sentences: &[(Words, Tree)],
    seed: Seed,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<PackedMoves> {
    let others = |fold| (0..sentences.len()).filter(move |at| at % FOLDS != fold).collect();
    (0..FOLDS).map(|fold| train_on(arc_view, sentences, others(fold), seed, stop)).collect()
}

fn train_on(
    arc_view: ArcView<'_>,
    sentences: &[(Words, Tree)],
    mut order: Vec<usize>,
    seed: Seed,
    stop: &(dyn Fn() -> bool + Sync),
) -> PackedMoves {
    let mut weights = DenseWeights::default();
    let mut places: Vec<((SentenceFeatures, HeadScratch), Steps)> = Vec::new();
    places.resize_with(BATCH, Default::default);
    let words = order.iter().map(|&at| sentences[at].0.len()).sum();
    'epochs: for epoch in 0..epochs(words) {
        seed.fork("heads", epoch as u64).rng().shuffle(&mut order);
        for batch in order.chunks(BATCH) {
            places[..batch.len()].par_iter_mut().zip(batch).for_each(|((scratch, steps), &at)| {
                let (words, tree) = &sentences[at];
                study(&weights, arc_view, words, tree, scratch, steps);
            });
            for (_, steps) in &places[..batch.len()] {
                weights.tick();
                let mut start = 0;
                for &(end, place, step) in &steps.arcs {
                    weights.update(&steps.features[start..end as usize], &[(place, step)]);
                    start = end as usize;
                }
            }
            if stop() {
                break 'epochs;
            }
        }
    }
    PackedMoves::pack(&weights, MOST_DENSE, LEAST_WEIGHT)
}

/// Weights below this make no difference to pruning.
const LEAST_WEIGHT: f32 = 0.02;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sentences_look_nearby() {
        assert_eq!(possible(LONG, Node(1)).count(), LONG);
        assert_eq!(possible(LONG + 1, Node(1)).count(), 1 + WINDOW);
        assert_eq!(possible(3, Node(2)).collect::<Vec<_>>(), [Node(0), Node(1), Node(3)]);
    }

    #[test]
    fn every_place_has_a_weight() {
        for (head, dependent) in (0..30).flat_map(|h| (1..30).map(move |d| (h, d))) {
            assert!(place(Node(head), Node(dependent)) < MOST_DENSE);
        }
    }
}
