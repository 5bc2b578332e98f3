//! A trained graph parser behind the common door.
use std::marker::PhantomData;

use super::decoder::{BestTree, Decoder, Marginals};
use super::k_best::KBest;
use super::labeller::Labeller;
use super::model::{PackedModel, Parts};
use super::scores::LabelSharing;
use super::search::{Outcome, Search, Settings};
use crossarc_learn::features::Words;
use crossarc_learn::weights::best_label;
use crossarc_train::parser::{Analysis, Approximate, ParseOptions, Parser, Worker};
use crossarc_tree::repair;
use crossarc_tree::{Label, Labels, Node, Tree};

/// Sentences longer than this are not searched at all: each word hangs on the one before it.
pub const MOST_WORDS: usize = 10_000;

/// A decoder with a trained model.
pub struct GraphParser<D> {
    model: PackedModel,
    settings: Settings,
    labels: Labels,
    root_label: Label,
    temperature: f32,
    decoder: PhantomData<fn() -> D>,
}

impl<D: Marginals + Default> GraphParser<D> {
    pub(super) fn new(parts: Parts) -> GraphParser<D> {
        let Parts { model, settings, labels, root_label, temperature } = parts;
        GraphParser { model, settings, labels, root_label, temperature, decoder: PhantomData }
    }

    /// Parses sentences with known trees: how sure of each arc at a temperature, and whether it was
    /// right.
    pub(super) fn judge(
        &mut self,
        sentences: &[(Words, Tree)],
        temperature: f32,
    ) -> Vec<(f32, bool)> {
        self.temperature = temperature;
        let mut worker = self.worker(&ParseOptions { confidences: true, ..Default::default() });
        let mut judged = Vec::new();
        for (words, gold) in sentences {
            let Analysis { tree, confidences, .. } = worker.parse(words, None);
            judged.extend(
                gold.words()
                    .map(|word| (confidences[word.index()], tree.head(word) == gold.head(word))),
            );
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
            search: Search::<D>::default(),
            labeller: Labeller::default(),
            memory: D::Memory::default(),
            marginals: Vec::new(),
            k_best: KBest::default(),
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
    search: Search<D>,
    labeller: Labeller,
    memory: D::Memory,
    marginals: Vec<f64>,
    k_best: KBest,
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
        self.name(words, &mut best);
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
        let (model, settings) = (&self.parser.model, &self.settings);
        self.search.prepare(model, words, settings);
        force(&mut self.search, given);
        // With a label for each second-order score the labels of arcs are a part of the search.
        if settings.labels.after_search() && settings.sharing == LabelSharing::Shared && !ranked {
            self.search.settle_single_heads();
        }
        self.search.decode(model, settings).ok()
    }

    /// Names the arcs of the tree found.
    fn name(&mut self, words: &Words, best: &mut BestTree) {
        let model = &self.parser.model;
        if !self.settings.labels.after_search() {
            return;
        }
        let BestTree { heads, labels, .. } = best;
        let in_search = &self.search.scores;
        let trust = if self.settings.labels.twice() { self.settings.label_trust } else { 0.0 };
        self.labeller.name(
            &model.label_program,
            &model.names,
            model.labels,
            words,
            heads,
            |word, _, scores| {
                if trust > 0.0
                    && let Some(of_search) = in_search.labels_in_tree(heads, word)
                {
                    let worst =
                        of_search.clone().fold(f32::INFINITY, |worst, one| worst.min(one.1));
                    for (label, score) in of_search {
                        scores[label.index()] += trust * (score - worst);
                    }
                }
                let label = best_label(scores);
                labels[word.index()] = label;
                label
            },
        );
    }

    /// The probability of each arc of a tree, whatever its label.
    fn confidences(&mut self, tree: &Tree) -> Vec<f32> {
        let mut confidences = vec![0.0; tree.len() + 1];
        let temperature = self.parser.temperature.max(1e-6);
        self.search.scores.scale(1.0 / temperature);
        let Search { scores, .. } = &self.search;
        let found = D::default().marginals(
            scores,
            self.settings.roots,
            &mut self.memory,
            &mut self.marginals,
        );
        if found.is_err() {
            return confidences;
        }
        for word in tree.words() {
            let Some(arc) = scores.find(tree.head(word), word) else { continue };
            let labels = scores.label_range(arc.index());
            let sum: f64 = self.marginals.get(labels).map_or(0.0, |labels| labels.iter().sum());
            confidences[word.index()] = sum.clamp(0.0, 1.0) as f32;
        }
        confidences
    }
}

/// Leaves words with a given head no other.
fn force<D: Decoder>(search: &mut Search<D>, given: Option<&[Option<Node>]>) {
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
        Analysis { tree, headless: Vec::new(), confidences, steps: 0, cheaper }
    }

    fn best_trees(&mut self, words: &Words, most: usize) -> Vec<(Tree, f32)> {
        if words.len() > MOST_WORDS || self.search(words, None, true).is_none() {
            return Vec::new();
        }
        let found = self.k_best.trees(&self.search.scores, self.settings.roots, most);
        let mut trees = Vec::new();
        for mut best in found.unwrap_or_default() {
            self.name(words, &mut best);
            if let Ok(tree) = best.to_tree() {
                trees.push((tree, best.score));
            }
        }
        trees
    }
}
