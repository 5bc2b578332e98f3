//! What one sentence teaches: parse it, compare with the gold tree, and take a passive-aggressive
//! step; name the arcs of the gold tree, and correct the names.
use crate::candidates::Candidates;
use crate::decoder::Decoder;
use crate::factors::{Factor, Family, Order};
use crate::k_best::KBest;
use crate::labeller::Labeller;
use crate::linear::FactorModel;
use crate::scores::{LabelSharing, Scores};
use crate::search::{Search, Settings};
use crate::taxonomy::SeenLabels;
use crossarc_learn::features::Words;
use crossarc_learn::margin_infused;
use crossarc_learn::passive_aggressive::{Difference, step};
use crossarc_learn::perceptron::SparseWeights;
use crossarc_learn::weights::best_label;
use crossarc_train::graph_options::GraphOptions;
use crossarc_tree::{Label, Node, Tree};

/// The model while it is trained.
pub type Trainee = FactorModel<SparseWeights, SparseWeights>;

/// A sentence to learn from.
pub struct Example {
    /// Its words.
    pub words: Words,
    /// Its tree.
    pub tree: Tree,
    /// The tree as the search sees it: without labels if they come after the search.
    pub target: Tree,
    /// The arcs that are looked at.
    pub candidates: Candidates,
    /// The first guess: the head of each node, or nothing.
    pub guess: Vec<Node>,
}

/// What should be changed.
#[derive(Clone, Debug, Default)]
pub struct Updates {
    /// Differences from wrong trees, each with its step; those after the first `many` are of
    /// earlier sentences.
    trees: Vec<(Difference, f32)>,
    many: usize,
    names: Difference,
    /// Words of the sentence.
    pub words: usize,
    /// Words with a wrong head or label.
    pub wrong: usize,
}

impl Updates {
    /// Changes the weights.
    pub fn apply(&self, model: &mut Trainee, seen: Option<&SeenLabels>) {
        model.factors.tick();
        model.names.tick();
        for (difference, step) in self.trees[..self.many].iter().filter(|tree| tree.1 > 0.0) {
            match seen {
                None => difference.apply(&mut model.factors, *step),
                Some(seen) => difference.apply_to_nodes(&mut model.factors, *step, seen),
            }
        }
        self.names.apply(&mut model.names, 1.0);
    }

    /// An empty difference for one more tree.
    fn next(&mut self) -> &mut (Difference, f32) {
        if self.many == self.trees.len() {
            self.trees.push((Difference::default(), 0.0));
        }
        let next = &mut self.trees[self.many];
        self.many += 1;
        next.0.clear();
        next.1 = 0.0;
        next
    }
}

/// Working memory, one per thread.
pub struct Scratch<D: Decoder> {
    search: Search<D, Trainee>,
    labeller: Labeller,
    k_best: KBest,
}

impl<D: Decoder + Default> Default for Scratch<D> {
    fn default() -> Self {
        Scratch {
            search: Search::default(),
            labeller: Labeller::default(),
            k_best: KBest::default(),
        }
    }
}

/// How a sentence is studied.
pub struct Lesson<'a> {
    /// The weights, which stay as they are.
    pub model: &'a Trainee,
    /// How trees are searched.
    pub settings: &'a Settings,
    /// What was chosen about learning.
    pub options: &'a GraphOptions,
    /// The longest step.
    pub aggressiveness: f64,
    /// The labels that occur with each feature, if there is a taxonomy.
    pub seen: Option<&'a SeenLabels>,
    /// A gold name must be better than a wrong one by this much.
    pub margin: f32,
}

impl Lesson<'_> {
    /// Parses a sentence and writes down what should be changed.
    pub fn study<D: Decoder>(
        &self,
        example: &Example,
        scratch: &mut Scratch<D>,
        updates: &mut Updates,
    ) {
        updates.many = 0;
        updates.names.clear();
        updates.words = example.words.len();
        updates.wrong = 0;
        self.study_tree(example, scratch, updates);
        if self.settings.labels.after_search() {
            self.study_labels(example, &mut scratch.labeller, updates);
        }
    }

    fn study_tree<D: Decoder>(
        &self,
        example: &Example,
        scratch: &mut Scratch<D>,
        updates: &mut Updates,
    ) {
        let Scratch { search, k_best, .. } = scratch;
        let gold = &example.target;
        let Example { words, candidates, guess, .. } = example;
        search.prepare_chosen(candidates, |memory| {
            self.model.begin_chosen(words, D::ORDER, guess, memory);
        });
        let found = search.decode_adjusted(self.model, words, self.settings, |scores| {
            if self.options.loss_augmented {
                favour_wrong_arcs(scores, gold);
            }
        });
        let order = search.scores.order().min(D::ORDER);
        let (Ok(_), Ok(predicted)) = (found, search.best.to_tree()) else { return };
        let Some(right) = search.scores.tree(gold, order) else { return };
        updates.wrong = wrong_words(gold, &predicted);
        if updates.wrong == 0 {
            return;
        }
        let mut rivals = vec![predicted];
        if self.options.constraints > 1 {
            let best =
                k_best.trees(&search.scores, self.settings.roots, self.options.constraints + 1);
            let trees = best.unwrap_or_default().into_iter().filter_map(|tree| tree.to_tree().ok());
            let others = trees.filter(|tree| tree != gold && *tree != rivals[0]);
            let others: Vec<Tree> = others.take(self.options.constraints - 1).collect();
            rivals.extend(others);
        }
        let mut violations = Vec::with_capacity(rivals.len());
        let mut norms = Vec::with_capacity(rivals.len());
        for rival in &rivals {
            let Some(wrong) = search.scores.tree(rival, order) else { return };
            let (difference, _) = updates.next();
            self.compare(search, gold, rival, order, difference);
            norms.push(difference.squared_norm(self.seen));
            violations.push(f64::from(wrong) - f64::from(right) + self.loss(gold, rival));
        }
        let bound = self.aggressiveness;
        if let ([norm], [violation]) = (&norms[..], &violations[..]) {
            updates.trees[0].1 = step(*violation, 0.0, *norm, bound) as f32;
            return;
        }
        let trees = &updates.trees[..updates.many];
        let products = trees.iter().enumerate().map(|(at, (one, _))| {
            let product = |(place, (other, _)): (usize, &(Difference, f32))| {
                if place == at { norms[at] } else { one.product(other) }
            };
            trees.iter().enumerate().map(product).collect()
        });
        let products: Vec<Vec<f64>> = products.collect();
        let steps = margin_infused::steps(&violations, &products, bound);
        for (tree, step) in updates.trees.iter_mut().zip(steps) {
            tree.1 = step as f32;
        }
    }

    /// What a wrong tree costs beside what is in its score already.
    fn loss(&self, gold: &Tree, wrong: &Tree) -> f64 {
        if self.options.loss_augmented {
            return 0.0;
        }
        (wrong_words(gold, wrong) as f64 / gold.len() as f64).sqrt()
    }

    /// Writes down the factors in which two trees differ.
    fn compare<D: Decoder>(
        &self,
        search: &Search<D, Trainee>,
        gold: &Tree,
        predicted: &Tree,
        order: Order,
        difference: &mut Difference,
    ) {
        let labelled = self.settings.labels.in_search();
        let per_label = labelled && self.settings.sharing == LabelSharing::PerLabel;
        let Trainee { program, taxonomy, labels, .. } = self.model;
        for word in gold.words() {
            let families = [gold, predicted].map(|tree| Family::of(tree.heads(), word));
            let classes = [gold, predicted].map(|tree| 1 + tree.label(word).0);
            let layer = [gold, predicted].map(|tree| {
                let sign = i8::from(!taxonomy.is_empty());
                ((1 + labels + taxonomy.class(tree.label(word))) as u16, sign)
            });
            let pairs = families[0].factors(order).zip(families[1].factors(order));
            for (right, wrong) in pairs {
                let knows_label =
                    if matches!(right, Factor::Arc { .. }) { labelled } else { per_label };
                if right == wrong {
                    if knows_label && classes[0] != classes[1] {
                        let mut counts = vec![(classes[0], 1), (classes[1], -1)];
                        if layer[0].0 != layer[1].0 {
                            counts.extend([layer[0], (layer[1].0, -layer[1].1)]);
                        }
                        difference.add(&counts, |out| {
                            search.memory.features.factor(program, right, out);
                        });
                    }
                    continue;
                }
                for (factor, side, sign) in [(right, 0, 1), (wrong, 1, -1)] {
                    let all =
                        [(0, sign), (classes[side], sign), (layer[side].0, sign * layer[side].1)];
                    let counts = if knows_label { &all[..] } else { &all[..1] };
                    difference.add(counts, |out| {
                        search.memory.features.factor(program, factor, out);
                    });
                }
            }
        }
    }

    fn study_labels(&self, example: &Example, labeller: &mut Labeller, updates: &mut Updates) {
        let Trainee { label_program, names, labels, .. } = self.model;
        let tree = &example.tree;
        let choose = |word: Node, features: &[u64], scores: &mut [f32]| -> Label {
            let gold = tree.label(word);
            let chosen = best_label(scores);
            scores[gold.index()] -= self.margin;
            let rival = best_label(scores);
            if rival != gold {
                updates.names.add(&[(gold.0, 1), (rival.0, -1)], |out| {
                    out.extend_from_slice(features);
                });
            }
            chosen
        };
        labeller.name(label_program, names, *labels, &example.words, tree.heads(), choose);
    }
}

/// Words with another head or label.
fn wrong_words(gold: &Tree, predicted: &Tree) -> usize {
    let is_wrong = |word: &Node| {
        predicted.head(*word) != gold.head(*word) || predicted.label(*word) != gold.label(*word)
    };
    gold.words().filter(is_wrong).count()
}

/// Adds to every arc and label that is not in the gold tree what it would cost.
fn favour_wrong_arcs(scores: &mut Scores, gold: &Tree) {
    for arc in scores.arcs() {
        let word = scores.dependent(arc);
        let right_head = gold.head(word) == scores.head(arc);
        let right_label = scores.labels(arc).iter().position(|&label| label == gold.label(word));
        for (place, score) in scores.arc_scores_mut(arc).iter_mut().enumerate() {
            if !right_head || right_label != Some(place) {
                *score += 1.0;
            }
        }
    }
}
