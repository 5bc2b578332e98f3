//! What one sentence teaches: parse it, compare with the gold tree, and take a passive-aggressive
//! step; name the arcs of the gold tree, and correct the names.
use super::options::GraphOptions;
use crate::features::Words;
use crate::graph::candidates::Candidates;
use crate::graph::decoder::Decoder;
use crate::graph::factors::{Factor, Family, Order};
use crate::graph::labeller::Labeller;
use crate::graph::scores::{LabelSharing, Scores};
use crate::graph::search::{FactorModel, Search, Settings};
use crate::learn::passive_aggressive::{Difference, step};
use crate::learn::perceptron::SparseWeights;
use crate::transition::searches::greedy::best_label;
use crate::tree::{Label, Node, Tree};

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
}

/// What should be changed.
#[derive(Clone, Debug, Default)]
pub struct Updates {
    difference: Difference,
    step: f32,
    names: Difference,
    /// Words of the sentence.
    pub words: usize,
    /// Words with a wrong head or label.
    pub wrong: usize,
}

impl Updates {
    /// Changes the weights.
    pub fn apply(&self, model: &mut Trainee) {
        model.factors.tick();
        model.names.tick();
        if self.step > 0.0 {
            self.difference.apply(&mut model.factors, self.step);
        }
        self.names.apply(&mut model.names, 1.0);
    }
}

/// Working memory, one per thread.
pub struct Scratch<D: Decoder> {
    search: Search<D>,
    labeller: Labeller,
}

impl<D: Decoder + Default> Default for Scratch<D> {
    fn default() -> Self {
        Scratch { search: Search::default(), labeller: Labeller::default() }
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
        updates.difference.clear();
        updates.names.clear();
        updates.step = 0.0;
        updates.words = example.words.len();
        updates.wrong = 0;
        self.study_tree(example, &mut scratch.search, updates);
        if self.settings.labels.after_search() {
            self.study_names(example, &mut scratch.labeller, updates);
        }
    }

    fn study_tree<D: Decoder>(
        &self,
        example: &Example,
        search: &mut Search<D>,
        updates: &mut Updates,
    ) {
        let gold = &example.target;
        search.prepare(self.model, &example.words);
        search.candidates.clone_from(&example.candidates);
        let found = search.decode_adjusted(self.model, self.settings, |scores| {
            if self.options.loss_augmented {
                favour_wrong_arcs(scores, gold);
            }
        });
        let order = search.scores.order().min(D::ORDER);
        let (Ok(_), Ok(predicted)) = (found, search.best.to_tree()) else { return };
        let (Some(right), Some(wrong)) =
            (search.scores.tree(gold, order), search.scores.tree(&predicted, order))
        else {
            return;
        };
        let is_wrong = |word: &Node| {
            predicted.head(*word) != gold.head(*word) || predicted.label(*word) != gold.label(*word)
        };
        updates.wrong = gold.words().filter(is_wrong).count();
        if updates.wrong == 0 {
            return;
        }
        let loss = if self.options.loss_augmented {
            0.0 // in the scores already
        } else {
            (updates.wrong as f64 / gold.len() as f64).sqrt()
        };
        self.compare(search, gold, &predicted, order, &mut updates.difference);
        let norm = updates.difference.squared_norm();
        let lead = f64::from(wrong) - f64::from(right);
        updates.step = step(lead, loss, norm, self.options.aggressiveness) as f32;
    }

    /// Writes down the factors in which two trees differ.
    fn compare<D: Decoder>(
        &self,
        search: &Search<D>,
        gold: &Tree,
        predicted: &Tree,
        order: Order,
        difference: &mut Difference,
    ) {
        let labelled = self.settings.labels.in_search();
        let per_label = labelled && self.settings.sharing == LabelSharing::PerLabel;
        let program = &self.model.program;
        for word in gold.words() {
            let families = [gold, predicted].map(|tree| Family::of(tree.heads(), word));
            let classes = [gold, predicted].map(|tree| 1 + tree.label(word).0);
            let pairs = families[0].factors(order).zip(families[1].factors(order));
            for (right, wrong) in pairs {
                let knows_label =
                    if matches!(right, Factor::Arc { .. }) { labelled } else { per_label };
                if right == wrong {
                    if knows_label && classes[0] != classes[1] {
                        difference.add([(classes[0], 1), (classes[1], -1)], |out| {
                            search.features.factor(program, right, out);
                        });
                    }
                    continue;
                }
                for (factor, class, sign) in [(right, classes[0], 1), (wrong, classes[1], -1)] {
                    let own = if knows_label { (class, sign) } else { (0, 0) };
                    difference.add([(0, sign), own], |out| {
                        search.features.factor(program, factor, out);
                    });
                }
            }
        }
    }

    fn study_names(&self, example: &Example, labeller: &mut Labeller, updates: &mut Updates) {
        let Trainee { label_program, names, labels, .. } = self.model;
        let tree = &example.tree;
        let choose = |word: Node, features: &[u64], scores: &mut [f32]| -> Label {
            let gold = tree.label(word);
            let chosen = best_label(scores);
            scores[gold.index()] -= self.margin;
            let rival = best_label(scores);
            if rival != gold {
                updates.names.add([(gold.0, 1), (rival.0, -1)], |out| {
                    out.extend_from_slice(features);
                });
            }
            chosen
        };
        labeller.name(label_program, names, *labels, &example.words, tree.heads(), choose);
    }
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
