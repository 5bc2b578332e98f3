//! A trained graph parser behind the common door.
use std::marker::PhantomData;

use super::decoder::{BestTree, Decoder, Marginals};
use super::k_best::KBest;
use super::model::{Parts, Temperatures};
use super::scorer::FactorScorer;
use super::scores::LabelSharing;
use super::search::{Outcome, Search, Settings};
use super::stored::StoredScorer;
use crossarc_learn::features::Words;
use crossarc_learn::weights::best_label;
use crossarc_train::insight::{ArcSeen, Insight};
use crossarc_train::parser::{Analysis, Approximate, ParseOptions, Parser, Worker};
use crossarc_tree::repair;
use crossarc_tree::{Label, Labels, Node, Tree};

/// Sentences longer than this are not searched at all: each word hangs on the one before it.
pub const MOST_WORDS: usize = 10_000;

/// A decoder with a trained model.
pub struct GraphParser<D> {
    scorer: StoredScorer,
    settings: Settings,
    labels: Labels,
    root_label: Label,
    temperatures: Temperatures,
    decoder: PhantomData<fn() -> D>,
}

impl<D: Marginals + Default> GraphParser<D> {
    pub(super) fn new(parts: Parts) -> GraphParser<D> {
        let Parts { model, settings, labels, root_label, temperatures } = parts;
        let scorer = StoredScorer { linear: model, root_label };
        GraphParser { scorer, settings, labels, root_label, temperatures, decoder: PhantomData }
    }

    /// Parses sentences with known trees at these temperatures: how sure of each head, and whether it
    /// was right.
    pub(super) fn judge_heads(
        &mut self,
        sentences: &[(Words, Tree)],
        temperatures: Temperatures,
    ) -> Vec<(f32, bool)> {
        self.temperatures = temperatures;
        let mut worker = self.worker_with(self.settings, true);
        let mut judged = Vec::new();
        for (words, gold) in sentences {
            let outcome = worker.search_within_limits(words, None);
            let tree = worker.tree_found(words, outcome);
            let sure = worker.sure_of_heads(&tree);
            let right = |word: Node| tree.head(word) == gold.head(word);
            judged.extend(gold.words().map(|word| (sure[word.index()], right(word))));
        }
        judged
    }

    /// The same for the labels of right heads.
    pub(super) fn judge_labels(
        &mut self,
        sentences: &[(Words, Tree)],
        temperatures: Temperatures,
    ) -> Vec<(f32, bool)> {
        self.temperatures = temperatures;
        let mut worker = self.worker_with(self.settings, true);
        let mut judged = Vec::new();
        for (words, gold) in sentences {
            let outcome = worker.search_within_limits(words, None);
            let tree = worker.tree_found(words, outcome);
            let right = gold.words().filter(|&word| tree.head(word) == gold.head(word));
            let label = |word: Node| tree.label(word) == gold.label(word);
            let sure = &worker.sure_of_labels;
            judged.extend(right.filter_map(|word| Some((*sure.get(word.index())?, label(word)))));
        }
        judged
    }

    /// A worker for what can be tried in several ways when a sentence has been searched once: it goes
    /// from the best projective tree to crossing arcs, or names arcs.
    pub(super) fn climber(&self) -> Climber<'_, D> {
        let projective = Settings { approximation: None, ..self.settings };
        Climber { worker: self.worker_with(projective, false), start: BestTree::default() }
    }

    fn worker_with(&self, settings: Settings, confidences: bool) -> GraphWorker<'_, D> {
        GraphWorker {
            parser: self,
            settings,
            confidences,
            search: Search::default(),
            memory: D::Memory::default(),
            marginals: Vec::new(),
            k_best: KBest::default(),
            sure_of_labels: Vec::new(),
        }
    }

    /// The tree in which each word hangs on the one before it.
    fn chain(&self, words: usize) -> Tree {
        let arcs = (0..words as u32).map(|before| (Node(before), self.root_label));
        Tree::new(arcs).unwrap_or_default()
    }
}

struct GraphWorker<'p, D: Marginals> {
    parser: &'p GraphParser<D>,
    settings: Settings,
    confidences: bool,
    search: Search<D, StoredScorer>,
    memory: D::Memory,
    marginals: Vec<f64>,
    k_best: KBest,
    /// The probabilities of the labels chosen last, if they are wanted and labels are chosen when
    /// the tree is finished.
    sure_of_labels: Vec<f32>,
}

impl<D: Marginals + Default> Parser for GraphParser<D> {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn worker(&self, options: &ParseOptions) -> Box<dyn Worker + '_> {
        let mut settings = self.settings;
        settings.exact = options.exact;
        match options.approximation {
            None => {}
            Some(Approximate::Off) => settings.approximation = None,
            Some(Approximate::Threshold(threshold)) => settings.approximation = Some(threshold),
        }
        Box::new(self.worker_with(settings, options.confidences))
    }
}

/// See [`GraphParser::climber`].
pub(super) struct Climber<'p, D: Marginals> {
    worker: GraphWorker<'p, D>,
    start: BestTree,
}

impl<D: Marginals + Default> Climber<'_, D> {
    /// The trees of a sentence with labels by each degree of trust in those of the search.
    pub(super) fn trees_by_trust(&mut self, words: &Words, degrees: &[f32]) -> Vec<Tree> {
        let found = self.worker.search_within_limits(words, None);
        let tree = |&label_trust| {
            self.worker.settings.label_trust = label_trust;
            self.worker.tree_found(words, found)
        };
        degrees.iter().map(tree).collect()
    }

    /// The trees of a sentence by each of the thresholds, from one search.
    pub(super) fn trees(&mut self, words: &Words, thresholds: &[f64]) -> Vec<Tree> {
        let Climber { worker, start } = self;
        let found = worker.search_within_limits(words, None);
        start.clone_from(&worker.search.best);
        let tree = |&threshold| {
            worker.search.best.clone_from(start);
            let settings = Settings { approximation: Some(threshold), ..worker.settings };
            if found == Some(Outcome::Decoded) {
                worker.search.climb(&settings);
            }
            worker.tree_found(words, found)
        };
        thresholds.iter().map(tree).collect()
    }
}

impl<D: Marginals + Default> GraphWorker<'_, D> {
    /// Finds the best tree, unless there are too many words.
    fn search_within_limits(
        &mut self,
        words: &Words,
        given: Option<&[Option<Node>]>,
    ) -> Option<Outcome> {
        if words.len() > MOST_WORDS { None } else { self.search(words, given, false) }
    }

    /// The tree found, with its labels; a chain if none was.
    fn tree_found(&mut self, words: &Words, outcome: Option<Outcome>) -> Tree {
        let parser = self.parser;
        if outcome.is_none() {
            return parser.chain(words.len());
        }
        let mut best = std::mem::take(&mut self.search.best);
        self.label(words, &mut best, None);
        let tree = best.to_tree();
        self.search.best = best;
        tree.unwrap_or_else(|_| parser.chain(words.len()))
    }

    /// Chooses candidates and finds the best tree; `ranked` if others will be asked for.
    fn search(
        &mut self,
        words: &Words,
        given: Option<&[Option<Node>]>,
        ranked: bool,
    ) -> Option<Outcome> {
        let (scorer, settings) = (&self.parser.scorer, &self.settings);
        self.search.prepare(scorer, words, settings);
        force(&mut self.search, given);
        // With a label for each second-order score the labels of arcs are a part of the search.
        if settings.labels.after_search() && settings.sharing == LabelSharing::Shared && !ranked {
            self.search.settle_single_heads();
        }
        self.search.decode(scorer, words, settings).ok()
    }

    /// Labels the arcs of the tree found, or asks how sure the scorer is of labels that are known.
    fn label(&mut self, words: &Words, best: &mut BestTree, known: Option<&Tree>) {
        let Search { scores, memory, .. } = &mut self.search;
        let temperature = self.parser.temperatures.names.max(1e-6);
        let sure = &mut self.sure_of_labels;
        sure.clear();
        let wanted = self.confidences;
        let length = best.heads.len();
        let mut choose = |word: Node, scores: &[f32]| {
            let label = known.map_or_else(|| best_label(scores), |tree| tree.label(word));
            if wanted {
                sure.resize(length, 0.0);
                sure[word.index()] = softmax(scores, label, temperature);
            }
            label
        };
        self.parser.scorer.label(words, &self.settings, scores, memory, best, &mut choose);
    }

    /// The probability of each arc of a tree with its label, when its labels have been chosen.
    fn confidences(&mut self, tree: &Tree) -> Vec<f32> {
        let mut confidences = self.sure_of_heads(tree);
        if self.sure_of_labels.len() == confidences.len() {
            for (sure, of_label) in confidences.iter_mut().zip(&self.sure_of_labels) {
                *sure *= of_label;
            }
            return confidences;
        }
        // The labels are those of the search.
        let Search { scores, .. } = &self.search;
        for word in tree.words() {
            let Some(arc) = scores.find(tree.head(word), word) else { continue };
            let range = scores.label_range(arc.index());
            let label = tree.label(word);
            let place = scores.labels(arc).iter().position(|&other| other == label);
            let own = place.and_then(|place| self.marginals.get(range.start + place));
            confidences[word.index()] = own.map_or(0.0, |own| own.clamp(0.0, 1.0) as f32);
        }
        confidences
    }

    /// The probability of each arc of a tree, whatever its label.
    fn sure_of_heads(&mut self, tree: &Tree) -> Vec<f32> {
        let mut confidences = vec![0.0; tree.len() + 1];
        if self.find_marginals() {
            for word in tree.words() {
                confidences[word.index()] = self.probability(tree.head(word), word);
            }
        }
        confidences
    }

    /// Works out the probabilities of all arcs of the last search, whose scores are scaled; false if
    /// that fails.
    fn find_marginals(&mut self) -> bool {
        let temperature = self.parser.temperatures.search.max(1e-6);
        self.search.scores.scale(1.0 / temperature);
        let Search { scores, .. } = &self.search;
        let found = D::default().marginals(
            scores,
            self.settings.roots,
            &mut self.memory,
            &mut self.marginals,
        );
        found.is_ok()
    }

    /// The probability of an arc, whatever its label, after [`GraphWorker::find_marginals`].
    fn probability(&self, head: Node, word: Node) -> f32 {
        let Some(arc) = self.search.scores.find(head, word) else { return 0.0 };
        let labels = self.search.scores.label_range(arc.index());
        let sum: f64 = self.marginals.get(labels).map_or(0.0, |labels| labels.iter().sum());
        sum.clamp(0.0, 1.0) as f32
    }
}

/// The probability of a label among all by their scores; none at all for one that is not among them.
fn softmax(scores: &[f32], label: Label, temperature: f32) -> f32 {
    let Some(chosen) = scores.get(label.index()) else { return 0.0 };
    1.0 / scores.iter().map(|score| ((score - chosen) / temperature).exp()).sum::<f32>()
}

/// Leaves words with a given head no other.
fn force<D: Decoder>(search: &mut Search<D, StoredScorer>, given: Option<&[Option<Node>]>) {
    for (word, head) in given.into_iter().flatten().enumerate().skip(1) {
        if let Some(head) = *head {
            search.candidates.force(head, Node(word as u32));
        }
    }
}

impl<D: Marginals + Default> Worker for GraphWorker<'_, D> {
    fn parse(&mut self, words: &Words, given: Option<&[Option<Node>]>) -> Analysis {
        let parser = self.parser;
        let outcome = self.search_within_limits(words, given);
        let mut tree = self.tree_found(words, outcome);
        if let Some(heads) = given {
            tree = repair::enforce(&tree, heads, self.settings.roots, parser.root_label);
        }
        let confidences = if self.confidences { self.confidences(&tree) } else { Vec::new() };
        let cheaper = outcome != Some(Outcome::Decoded) && !words.is_empty();
        let proved = (!D::EXACT).then_some(!cheaper && self.search.best.gap <= 0.0);
        Analysis { tree, headless: Vec::new(), confidences, steps: 0, cheaper, proved }
    }

    fn sure_of(&mut self, words: &Words, tree: &Tree) -> Vec<f32> {
        if words.is_empty() || self.search_within_limits(words, None).is_none() {
            return Vec::new();
        }
        let mut best = BestTree {
            heads: tree.heads().to_vec(),
            labels: std::iter::once(Label::default())
                .chain(tree.words().map(|word| tree.label(word)))
                .collect(),
            score: 0.0,
            gap: 0.0,
        };
        let wanted = std::mem::replace(&mut self.confidences, true);
        self.label(words, &mut best, Some(tree));
        let sure = self.confidences(tree);
        self.confidences = wanted;
        sure
    }

    fn best_trees(&mut self, words: &Words, most: usize) -> Vec<(Tree, f32)> {
        if words.len() > MOST_WORDS || self.search(words, None, true).is_none() {
            return Vec::new();
        }
        let found = self.k_best.trees(&self.search.scores, self.settings.roots, most);
        let mut trees = Vec::new();
        for mut best in found.unwrap_or_default() {
            self.label(words, &mut best, None);
            if let Ok(tree) = best.to_tree() {
                trees.push((tree, best.score));
            }
        }
        trees
    }

    fn insight(&mut self, words: &Words, _: &[(String, Label)]) -> Option<Insight> {
        if words.len() > MOST_WORDS {
            return None;
        }
        self.search(words, None, true)?;
        let scores = &self.search.scores;
        let seen = |arc| {
            let (label, score) = scores.best_label(arc)?;
            let (head, dependent) = (scores.head(arc).0, scores.dependent(arc).0);
            Some(ArcSeen { head, dependent, label, score, probability: 0.0 })
        };
        let mut arcs: Vec<ArcSeen> = scores.arcs().filter_map(seen).collect();
        if self.find_marginals() {
            for arc in &mut arcs {
                arc.probability = self.probability(Node(arc.head), Node(arc.dependent));
            }
        }
        arcs.sort_by_key(|arc| (arc.dependent, arc.head));
        Some(Insight::Arcs(arcs))
    }
}
