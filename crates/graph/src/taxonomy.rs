//! A taxonomy of labels (Schiehlen and Spranger 2007, section 2.4): every feature of an arc has a
//! weight for all labels, one for each class of labels, and one for each label.
//!
//! Classes smooth: what is learned about one complement helps the others. They are given by a
//! file, or induced from a treebank: labels that stand between similar tags come together. For
//! each feature the taxonomy is pruned: labels, and classes, that never occur with the feature in
//! the training data are one node, which [`SeenLabels`] looks after.
//!
//! A line of a file is the name of a class and its labels. A label that is not there is in the class of
//! what stands before its subtype or mark (`nsubj:pass`, `Obj_Co`), whatever its capitals, or is a class
//! of its own. Two files are built in ([`Taxonomy::built_in`]).
//!
//! ```
//! use crossarc_graph::taxonomy::Taxonomy;
//! use crossarc_tree::Labels;
//! let mut labels = Labels::default();
//! let all = ["nsubj", "obj", "det"].map(|name| labels.intern(name).unwrap());
//! let taxonomy = Taxonomy::parse("complement: nsubj obj # both\n", &labels).unwrap();
//! assert_eq!(taxonomy.class(all[0]), taxonomy.class(all[1]));
//! assert_ne!(taxonomy.class(all[0]), taxonomy.class(all[2]));
//! assert!(Taxonomy::parse("complement nsubj", &labels).is_err());
//! ```
use std::collections::BTreeMap;

use crossarc_learn::passive_aggressive::Nodes;
use crossarc_learn::perceptron::SparseWeights;
use crossarc_tree::{Label, Labels, Tree};

/// Classes of labels; empty if there is no such layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taxonomy {
    class_of: Vec<u16>,
    classes: usize,
}

/// Why a file is no taxonomy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TaxonomyError {
    /// A line without a colon.
    #[error("line {line}: expected `class: label label ...`, found `{text}`")]
    NoClass {
        /// Number of the line, from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// A label that stands in two classes.
    #[error("line {line}: label `{label}` is in a class already")]
    Twice {
        /// Number of the line, from 1.
        line: usize,
        /// The label.
        label: String,
    },
}

/// Labels whose contexts are less alike are not put together.
const LEAST_LIKENESS: f64 = 0.5;

impl Taxonomy {
    /// The taxonomy with this class of each label.
    pub fn new(class_of: Vec<u16>) -> Taxonomy {
        let classes = class_of.iter().max().map_or(0, |&last| usize::from(last) + 1);
        Taxonomy { class_of, classes }
    }

    /// Reads a file. Labels that the treebank does not have are passed over.
    pub fn parse(text: &str, labels: &Labels) -> Result<Taxonomy, TaxonomyError> {
        let mut class_of: Vec<Option<u16>> = vec![None; labels.len()];
        let mut classes = 0;
        for (index, raw) in text.lines().enumerate() {
            let line = raw.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let Some((_, members)) = line.split_once(": ") else {
                return Err(TaxonomyError::NoClass {
                    line: index + 1,
                    text: raw.trim().to_owned(),
                });
            };
            for name in members.split_whitespace() {
                let Some(label) = labels.get(name) else { continue };
                if class_of[label.index()].replace(classes).is_some() {
                    return Err(TaxonomyError::Twice { line: index + 1, label: name.to_owned() });
                }
            }
            classes += 1;
        }
        let of_name: BTreeMap<String, u16> = members_of(text);
        let own = class_of.into_iter().enumerate().map(|(label, class)| {
            let base = || {
                let name = labels.name(Label(label as u16)).to_lowercase();
                let base = name.split([':', '_']).next().unwrap_or(&name);
                of_name.get(base).copied()
            };
            class.or_else(base).unwrap_or_else(|| {
                classes += 1;
                classes - 1
            })
        });
        Ok(Taxonomy::new(own.collect()))
    }

    /// The text of a taxonomy made by hand: `ud` for Universal Dependencies, `prague` for treebanks in the
    /// style of Prague.
    pub fn built_in(name: &str) -> Option<&'static str> {
        match name {
            "ud" => Some(include_str!("taxonomies/ud.txt")),
            "prague" => Some(include_str!("taxonomies/prague.txt")),
            _ => None,
        }
    }

    /// Puts labels together that stand between similar tags: the two classes that are most alike
    /// become one, again and again. `trees` have tags that are indexed by node.
    pub fn induced<'a>(
        trees: impl IntoIterator<Item = (&'a Tree, &'a [u32])>,
        labels: usize,
    ) -> Taxonomy {
        let mut contexts: Vec<BTreeMap<(u32, u32, bool), f64>> = vec![BTreeMap::new(); labels];
        for (tree, tags) in trees {
            for word in tree.words() {
                let head = tree.head(word);
                let tags = (tags.get(head.index()), tags.get(word.index()));
                let (Some(&head_tag), Some(&tag)) = tags else { continue };
                if let Some(context) = contexts.get_mut(tree.label(word).index()) {
                    *context.entry((head_tag, tag, word < head)).or_default() += 1.0;
                }
            }
        }
        let mut class_of: Vec<usize> = (0..labels).collect();
        let mut likeness = vec![vec![0.0; labels]; labels];
        for one in 0..labels {
            for other in 0..one {
                likeness[one][other] = alike(&contexts[one], &contexts[other]);
            }
        }
        loop {
            let mut best = (LEAST_LIKENESS, 0, 0);
            for one in (0..labels).filter(|&one| class_of[one] == one) {
                for other in (0..one).filter(|&other| class_of[other] == other) {
                    if likeness[one][other] > best.0 {
                        best = (likeness[one][other], one, other);
                    }
                }
            }
            let (_, from, to) = best;
            if from == to {
                break;
            }
            class_of.iter_mut().filter(|class| **class == from).for_each(|class| *class = to);
            for (context, count) in std::mem::take(&mut contexts[from]) {
                *contexts[to].entry(context).or_default() += count;
            }
            for other in (0..labels).filter(|&other| other != to && class_of[other] == other) {
                likeness[to.max(other)][to.min(other)] = alike(&contexts[to], &contexts[other]);
            }
        }
        let kept: Vec<usize> = (0..labels).filter(|&label| class_of[label] == label).collect();
        let number = |class: usize| kept.binary_search(&class).unwrap_or(0) as u16;
        Taxonomy::new(class_of.into_iter().map(number).collect())
    }

    /// True if there is no layer of classes.
    pub fn is_empty(&self) -> bool {
        self.class_of.is_empty()
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The class of each label.
    pub fn as_slice(&self) -> &[u16] {
        &self.class_of
    }

    /// The class of a label.
    #[inline]
    pub fn class(&self, label: Label) -> usize {
        self.class_of.get(label.index()).map_or(0, |&class| usize::from(class))
    }
}

/// The class of each name of a file, in small letters.
fn members_of(text: &str) -> BTreeMap<String, u16> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
    let classes = lines.filter_map(|line| line.split_once(": ")).zip(0..);
    classes
        .flat_map(|((_, members), class)| {
            members.split_whitespace().map(move |name| (name.to_lowercase(), class))
        })
        .collect()
}

/// Bhattacharyya coefficient of two distributions given by counts: 1 if they are the same.
fn alike<K: Ord>(one: &BTreeMap<K, f64>, other: &BTreeMap<K, f64>) -> f64 {
    let total = |counts: &BTreeMap<K, f64>| counts.values().sum::<f64>().max(1.0);
    let both = total(one) * total(other);
    let shared = one.iter().filter_map(|(key, count)| Some(count * other.get(key)?));
    shared.map(|product| (product / both).sqrt()).sum()
}

/// Which labels and classes occur with each feature in the gold trees.
///
/// Weights are stored as class 0 for all labels, then one for each label, then one for each class
/// of labels. A merged node has no place of its own: what is added to it is added to class 0 and
/// taken from the nodes of its level that occur with the feature.
#[derive(Clone, Debug, Default)]
pub struct SeenLabels {
    seen: SparseWeights,
    labels: u16,
}

/// Number of a merged node of labels, and of one of classes.
const MERGED: [u16; 2] = [u16::MAX - 1, u16::MAX];

impl SeenLabels {
    /// Nothing seen yet, of so many labels.
    pub fn new(labels: usize) -> SeenLabels {
        SeenLabels { seen: SparseWeights::default(), labels: labels as u16 }
    }

    /// The features of an arc of a gold tree.
    pub fn add(&mut self, features: &[u64], label: u16, class: u16) {
        self.seen.update(features, &[(label, 1.0), (class, 1.0)]);
    }

    fn level(&self, node: u16) -> usize {
        usize::from(node > self.labels)
    }

    /// Features, their nodes if the taxonomy of each is complete, and if it is pruned.
    pub fn count(&self, taxonomy: &Taxonomy) -> [usize; 3] {
        let sizes = [usize::from(self.labels), taxonomy.classes()];
        let mut pruned = 0;
        for (_, nodes) in self.seen.averaged() {
            let mut of_level = [0; 2];
            for (node, _) in nodes {
                of_level[self.level(node)] += 1;
            }
            let merged = of_level.iter().zip(sizes).map(|(&seen, all)| all.min(seen + 1));
            pruned += 1 + merged.sum::<usize>();
        }
        [self.seen.len(), self.seen.len() * (1 + sizes[0] + sizes[1]), pruned]
    }
}

impl Nodes for SeenLabels {
    fn node(&self, feature: u64, class: u16) -> u16 {
        if class == 0 || self.seen.classes(feature).any(|seen| seen == class) {
            class
        } else {
            MERGED[self.level(class)]
        }
    }

    fn change(&self, weights: &mut SparseWeights, feature: u64, class: u16, step: f32) {
        if self.node(feature, class) == class {
            weights.update(&[feature], &[(class, step)]);
            return;
        }
        weights.update(&[feature], &[(0, step)]);
        for seen in self.seen.classes(feature) {
            if self.level(seen) == self.level(class) {
                weights.update(&[feature], &[(seen, -step)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtypes_and_marks_go_with_their_relation() {
        for (name, same, other) in [
            ("ud", ["nsubj", "obj", "nsubj:pass"], ["punct", "root", "conj"]),
            ("prague", ["Sb", "OBJ_CO", "Obj"], ["AuxK", "Pred", "COORD"]),
        ] {
            let mut labels = Labels::default();
            let same = same.map(|name| labels.intern(name).unwrap());
            let other = other.map(|name| labels.intern(name).unwrap());
            let taxonomy = Taxonomy::parse(Taxonomy::built_in(name).unwrap(), &labels).unwrap();
            assert!(same.iter().all(|&label| taxonomy.class(label) == taxonomy.class(same[0])));
            let mut classes = other.map(|label| taxonomy.class(label)).to_vec();
            classes.push(taxonomy.class(same[0]));
            classes.sort_unstable();
            classes.dedup();
            assert_eq!(classes.len(), 4, "{name}");
        }
    }
    use crossarc_tree::Node;

    #[test]
    fn labels_in_the_same_contexts_come_together() {
        // Labels 1 and 2 both stand between a verb and nouns to its right, label 3 elsewhere.
        let arcs =
            [(Node(0), Label(0)), (Node(1), Label(1)), (Node(1), Label(2)), (Node(3), Label(3))];
        let tree = Tree::new(arcs).unwrap();
        let taxonomy = Taxonomy::induced([(&tree, &[9, 1, 2, 2, 5][..])], 4);
        assert_eq!(taxonomy.as_slice(), [0, 1, 1, 2]);
        assert_eq!(taxonomy.classes(), 3);
    }

    /// Labels 1 to 3, classes 4 and 5; the feature was seen with label 1 of class 4.
    #[test]
    fn unseen_labels_are_one_node() {
        let mut seen = SeenLabels::new(3);
        seen.add(&[77], 1, 4);
        assert_eq!(seen.node(77, 1), 1);
        assert_eq!(seen.node(77, 2), seen.node(77, 3));
        assert_ne!(seen.node(77, 2), seen.node(77, 5));
        assert_eq!(seen.node(77, 0), 0);
        let mut weights = SparseWeights::default();
        weights.tick();
        let mut score = |class: u16, step: f32| {
            seen.change(&mut weights, 77, class, step);
            let mut sums = [0.0; 6];
            weights.add_scores(&[77], &mut sums);
            [1, 2, 3].map(|label| sums[0] + sums[label])
        };
        assert_eq!(score(2, 1.0), [0.0, 1.0, 1.0], "what label 2 learns, label 3 learns");
        assert_eq!(score(1, 0.5), [0.5, 1.0, 1.0]);
        assert_eq!(seen.count(&Taxonomy::new(vec![0, 0, 1])), [1, 6, 1 + 2 + 2]);
    }
}
