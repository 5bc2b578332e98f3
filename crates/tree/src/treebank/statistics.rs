//! What a treebank is like: its size, how non-projective it is, how long its sentences and arcs
//! are, which labels and tags it uses.
//!
//! The figures include the columns of Table 1 of Björkelund and Kuhn (2012), non-projective arcs by
//! dominance, and of Tables 4.1 and 4.2 of Reisinger (2016), non-projective arcs by crossing and the
//! average number of lifts that projectivise a non-projective sentence.
//!
//! Every sentence is looked at once, near-linearly in its length; memory grows with the longest
//! sentence and with the inventories.
//!
//! ```
//! use crossarc_tree::treebank::statistics::Statistics;
//! use crossarc_tree::treebank::unlabelled_tree_of;
//! let text = "1\ta\t_\tX\t_\t_\t3\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n3\tc\t_\tX\t_\t_\t2\tdep\t_\t_\n\n";
//! let mut statistics = Statistics::default();
//! for sentence in conll::read_str(text, conll::ReadOptions::default())? {
//!     statistics.add(&sentence, unlabelled_tree_of(&sentence).as_ref().ok());
//! }
//! let summary = statistics.summary();
//! assert_eq!((summary.sentences, summary.words), (1, 3));
//! assert_eq!(summary.nonprojective_arcs, 1); // c -> a, by dominance
//! assert_eq!(summary.crossed_arcs, 2); // ... which crosses root -> b
//! # Ok::<(), conll::Error>(())
//! ```
use conll::Sentence;
use serde::Serialize;

use super::inventory::{Inventory, Suspicious};
use crate::codec::lift::{Definition, projectivise};
use crate::projectivity::{RootArcs, crossed_arcs, is_projective, nonprojective_arcs};
use crate::{Node, Tree, classes};

/// How often each value occurs.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    counts: Vec<u64>,
}

impl Distribution {
    /// Counts one occurrence of a value.
    pub fn add(&mut self, value: usize) {
        if value >= self.counts.len() {
            self.counts.resize(value + 1, 0);
        }
        self.counts[value] += 1;
    }

    fn merge(&mut self, other: &Distribution) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// Number of occurrences.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Number of values in a range, both ends included.
    pub fn between(&self, first: usize, last: usize) -> u64 {
        let end = last.saturating_add(1).min(self.counts.len());
        self.counts.get(first..end).map_or(0, |counts| counts.iter().sum())
    }

    /// The mean, 0 if there is no value.
    pub fn mean(&self) -> f64 {
        let sum: u64 =
            self.counts.iter().enumerate().map(|(value, count)| value as u64 * count).sum();
        ratio(sum, self.total())
    }

    /// The smallest value that at least the given share of values does not exceed.
    pub fn quantile(&self, share: f64) -> usize {
        let wanted = (share * self.total() as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (value, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return value;
            }
        }
        0
    }

    /// The largest value.
    pub fn max(&self) -> usize {
        self.counts.len().saturating_sub(1)
    }

    fn bins(&self, bounds: &[(usize, usize)]) -> Vec<Bin> {
        let bin = |&(from, to): &(usize, usize)| Bin {
            from,
            to: (to != usize::MAX).then_some(to),
            count: self.between(from, to),
            percent: percent(self.between(from, to), self.total()),
        };
        bounds.iter().map(bin).collect()
    }

    fn summary(&self, bounds: &[(usize, usize)]) -> DistributionSummary {
        DistributionSummary {
            mean: self.mean(),
            median: self.quantile(0.5),
            percentile_95: self.quantile(0.95),
            max: self.max(),
            bins: self.bins(bounds),
        }
    }
}

/// Number of trees in a class, without and with arcs of the artificial root.
#[derive(Copy, Clone, Debug, Default)]
struct ClassCount {
    words_only: u64,
    with_root: u64,
}

impl ClassCount {
    fn add(&mut self, tree: &Tree, is_member: fn(&Tree, RootArcs) -> bool) {
        self.words_only += u64::from(is_member(tree, RootArcs::Excluded));
        self.with_root += u64::from(is_member(tree, RootArcs::Included));
    }

    fn add_member(&mut self) {
        self.words_only += 1;
        self.with_root += 1;
    }

    fn merge(&mut self, other: ClassCount) {
        self.words_only += other.words_only;
        self.with_root += other.with_root;
    }
}

/// Running counts over a treebank.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    sentences: u64,
    words: u64,
    trees: u64,
    arcs: u64,
    several_roots: u64,
    nonprojective_arcs: u64,
    crossed_arcs: u64,
    nonprojective_sentences: u64,
    lifts_by_dominance: u64,
    lifts_by_crossing: u64,
    lifts_to_root: u64,
    leftward_arcs: u64,
    sentence_lengths: Distribution,
    arc_lengths: Distribution,
    gap_degrees: Distribution,
    edge_degrees: Distribution,
    planar: ClassCount,
    two_planar: ClassCount,
    one_endpoint_crossing: ClassCount,
    crossing_interval: ClassCount,
    well_nested: u64,
    labels: Inventory,
    universal_tags: Inventory,
    specific_tags: Inventory,
    features: Inventory,
}

impl Statistics {
    /// Adds a sentence, and its tree if it has one.
    pub fn add(&mut self, sentence: &Sentence, tree: Option<&Tree>) {
        self.sentences += 1;
        self.words += sentence.len() as u64;
        self.sentence_lengths.add(sentence.len());
        for word in sentence.words() {
            self.labels.add(word.deprel());
            self.universal_tags.add(word.upos());
            self.specific_tags.add(word.xpos());
            if word.feats() != "_" {
                for feature in word.feats().split('|') {
                    self.features.add(feature);
                }
            }
        }
        if let Some(tree) = tree {
            self.add_tree(tree);
        }
    }

    fn add_tree(&mut self, tree: &Tree) {
        self.trees += 1;
        self.arcs += tree.len() as u64;
        self.several_roots += u64::from(tree.roots().count() > 1);
        for word in tree.words().filter(|&word| tree.head(word) != Node::ROOT) {
            let head = tree.head(word);
            self.arc_lengths.add(head.0.abs_diff(word.0) as usize);
            self.leftward_arcs += u64::from(word < head);
        }
        if is_projective(tree) {
            self.gap_degrees.add(0);
            self.edge_degrees.add(0);
            self.planar.add_member();
            self.two_planar.add_member();
            self.one_endpoint_crossing.add_member();
            self.crossing_interval.add_member();
            self.well_nested += 1;
            return;
        }
        self.nonprojective_sentences += 1;
        self.nonprojective_arcs += nonprojective_arcs(tree).len() as u64;
        self.crossed_arcs += crossed_arcs(tree).len() as u64;
        self.lifts_by_dominance += projectivise(tree, Definition::Dominance).lifts as u64;
        self.lifts_by_crossing += projectivise(tree, Definition::Crossing).lifts as u64;
        self.lifts_to_root += projectivise(tree, Definition::CrossingToRoot).lifts as u64;
        self.gap_degrees.add(classes::gap_degree(tree));
        self.edge_degrees.add(classes::edge_degree(tree));
        self.planar.add(tree, classes::is_planar);
        self.two_planar.add(tree, classes::is_two_planar);
        self.one_endpoint_crossing.add(tree, classes::is_one_endpoint_crossing);
        self.crossing_interval.add(tree, classes::is_crossing_interval);
        self.well_nested += u64::from(classes::is_well_nested(tree));
    }

    /// Adds the counts of another part of the treebank.
    pub fn merge(&mut self, other: &Statistics) {
        self.sentences += other.sentences;
        self.words += other.words;
        self.trees += other.trees;
        self.arcs += other.arcs;
        self.several_roots += other.several_roots;
        self.nonprojective_arcs += other.nonprojective_arcs;
        self.crossed_arcs += other.crossed_arcs;
        self.nonprojective_sentences += other.nonprojective_sentences;
        self.lifts_by_dominance += other.lifts_by_dominance;
        self.lifts_by_crossing += other.lifts_by_crossing;
        self.lifts_to_root += other.lifts_to_root;
        self.leftward_arcs += other.leftward_arcs;
        self.sentence_lengths.merge(&other.sentence_lengths);
        self.arc_lengths.merge(&other.arc_lengths);
        self.gap_degrees.merge(&other.gap_degrees);
        self.edge_degrees.merge(&other.edge_degrees);
        self.planar.merge(other.planar);
        self.two_planar.merge(other.two_planar);
        self.one_endpoint_crossing.merge(other.one_endpoint_crossing);
        self.crossing_interval.merge(other.crossing_interval);
        self.well_nested += other.well_nested;
        self.labels.merge(&other.labels);
        self.universal_tags.merge(&other.universal_tags);
        self.specific_tags.merge(&other.specific_tags);
        self.features.merge(&other.features);
    }

    /// The figures.
    pub fn summary(&self) -> Summary {
        let of_trees = |count| percent(count, self.trees);
        let class = |count: ClassCount| ClassShare {
            percent: of_trees(count.words_only),
            percent_with_root_arcs: of_trees(count.with_root),
        };
        Summary {
            sentences: self.sentences,
            words: self.words,
            sentences_without_tree: self.sentences - self.trees,
            sentences_with_several_roots: self.several_roots,
            nonprojective_arcs: self.nonprojective_arcs,
            nonprojective_arcs_percent: percent(self.nonprojective_arcs, self.arcs),
            crossed_arcs: self.crossed_arcs,
            crossed_arcs_percent: percent(self.crossed_arcs, self.arcs),
            nonprojective_sentences: self.nonprojective_sentences,
            nonprojective_sentences_percent: of_trees(self.nonprojective_sentences),
            average_lifts: ratio(self.lifts_by_dominance, self.nonprojective_sentences),
            average_lifts_by_crossing: ratio(self.lifts_by_crossing, self.nonprojective_sentences),
            average_lifts_to_root: ratio(self.lifts_to_root, self.nonprojective_sentences),
            sentence_length: self.sentence_lengths.summary(&SENTENCE_BINS),
            arc_length: self.arc_lengths.summary(&ARC_BINS),
            leftward_arcs_percent: percent(self.leftward_arcs, self.arc_lengths.total()),
            gap_degree: self.gap_degrees.summary(&DEGREE_BINS),
            edge_degree: self.edge_degrees.summary(&DEGREE_BINS),
            planar: class(self.planar),
            two_planar: class(self.two_planar),
            one_endpoint_crossing: class(self.one_endpoint_crossing),
            crossing_interval: class(self.crossing_interval),
            well_nested_percent: of_trees(self.well_nested),
            labels: InventorySummary::new(&self.labels, LABEL_LIMIT),
            universal_tags: InventorySummary::new(&self.universal_tags, LABEL_LIMIT),
            specific_tags: InventorySummary::new(&self.specific_tags, TAG_LIMIT),
            features: InventorySummary::new(&self.features, TAG_LIMIT),
        }
    }
}

const SENTENCE_BINS: [(usize, usize); 6] =
    [(1, 5), (6, 10), (11, 20), (21, 40), (41, 80), (81, usize::MAX)];
const ARC_BINS: [(usize, usize); 5] = [(1, 1), (2, 2), (3, 6), (7, 14), (15, usize::MAX)];
const DEGREE_BINS: [(usize, usize); 4] = [(0, 0), (1, 1), (2, 2), (3, usize::MAX)];

/// More labels, or tags of a universal kind, than this look like another column.
pub const LABEL_LIMIT: usize = 500;
/// More specific tags or features than this make tagging slow and parsing worse.
pub const TAG_LIMIT: usize = 5_000;

/// The figures of a treebank. Percentages of arcs are of all arcs, root arcs included, so their
/// number is the number of words.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Summary {
    pub sentences: u64,
    pub words: u64,
    pub sentences_without_tree: u64,
    pub sentences_with_several_roots: u64,
    /// By dominance.
    pub nonprojective_arcs: u64,
    pub nonprojective_arcs_percent: f64,
    /// Non-projective by crossing.
    pub crossed_arcs: u64,
    pub crossed_arcs_percent: f64,
    /// By either definition.
    pub nonprojective_sentences: u64,
    pub nonprojective_sentences_percent: f64,
    /// Lifts of arcs that are non-projective by dominance, per non-projective sentence.
    pub average_lifts: f64,
    /// Lifts of crossed arcs, per non-projective sentence.
    pub average_lifts_by_crossing: f64,
    /// The same if the arcs of the root word are lifted, too.
    pub average_lifts_to_root: f64,
    pub sentence_length: DistributionSummary,
    /// Of arcs between words.
    pub arc_length: DistributionSummary,
    /// Arcs between words whose dependent is to the left.
    pub leftward_arcs_percent: f64,
    pub gap_degree: DistributionSummary,
    pub edge_degree: DistributionSummary,
    pub planar: ClassShare,
    pub two_planar: ClassShare,
    pub one_endpoint_crossing: ClassShare,
    pub crossing_interval: ClassShare,
    pub well_nested_percent: f64,
    pub labels: InventorySummary,
    pub universal_tags: InventorySummary,
    pub specific_tags: InventorySummary,
    pub features: InventorySummary,
}

/// A distribution in a few figures.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct DistributionSummary {
    pub mean: f64,
    pub median: usize,
    pub percentile_95: usize,
    pub max: usize,
    pub bins: Vec<Bin>,
}

/// A part of a distribution; the last one has no upper end.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Bin {
    pub from: usize,
    pub to: Option<usize>,
    pub count: u64,
    pub percent: f64,
}

/// Share of trees in a class.
#[derive(Copy, Clone, Debug, Serialize)]
pub struct ClassShare {
    /// By arcs between words.
    pub percent: f64,
    /// By all arcs.
    pub percent_with_root_arcs: f64,
}

/// An inventory in order of frequency.
#[derive(Clone, Debug, Serialize)]
pub struct InventorySummary {
    /// Number of different values.
    pub distinct: usize,
    /// True if there are so many that something must be wrong.
    pub too_many: bool,
    /// All values with their counts, the most frequent first.
    pub values: Vec<(String, u64)>,
    /// The values that look like mistakes.
    pub suspicious: Vec<Suspicious>,
}

impl InventorySummary {
    fn new(inventory: &Inventory, limit: usize) -> InventorySummary {
        let values = inventory.by_frequency();
        InventorySummary {
            distinct: inventory.len(),
            too_many: inventory.len() > limit,
            values: values.into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
            suspicious: inventory.suspicious(),
        }
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * ratio(part, whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;
    use crate::treebank::generate::{TreebankOptions, treebank};
    use crate::treebank::unlabelled_tree_of;

    fn statistics(sentences: &[Sentence]) -> Statistics {
        let mut statistics = Statistics::default();
        for sentence in sentences {
            statistics.add(sentence, unlabelled_tree_of(sentence).as_ref().ok());
        }
        statistics
    }

    #[test]
    fn figures_of_a_sentence_by_hand() {
        // "A hearing is scheduled on the issue today ." (Nivre 2009, Figure 1)
        let heads = [2, 3, 0, 3, 2, 7, 5, 4, 3];
        let lines: Vec<String> = heads
            .iter()
            .enumerate()
            .map(|(at, head)| format!("{}\tw\t_\tX\t_\tA=B|C=D\t{head}\tdep\t_\t_\n", at + 1))
            .collect();
        let sentences = conll::read_str(&lines.concat(), conll::ReadOptions::default()).unwrap();
        let summary = statistics(&sentences).summary();
        assert_eq!((summary.sentences, summary.words), (1, 9));
        assert_eq!((summary.nonprojective_arcs, summary.crossed_arcs), (2, 4));
        assert!((summary.average_lifts - 2.0).abs() < 1e-9);
        assert!((summary.sentence_length.mean - 9.0).abs() < 1e-9);
        // 1 1 1 3 1 2 4 6 between words
        assert!((summary.arc_length.mean - 19.0 / 8.0).abs() < 1e-9);
        assert_eq!((summary.arc_length.median, summary.arc_length.max), (1, 6));
        let bins: Vec<u64> = summary.arc_length.bins.iter().map(|bin| bin.count).collect();
        assert_eq!(bins, [4, 1, 3, 0, 0]);
        assert!((summary.leftward_arcs_percent - 37.5).abs() < 1e-9);
        assert_eq!((summary.gap_degree.max, summary.edge_degree.max), (1, 1));
        assert!(summary.well_nested_percent < 1.0 && summary.planar.percent < 1.0);
        assert!((summary.two_planar.percent - 100.0).abs() < 1e-9);
        assert_eq!(summary.features.values, [("A=B".into(), 9), ("C=D".into(), 9)]);
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let options = TreebankOptions { sentences: 120, ..TreebankOptions::default() };
        let sentences = treebank(Seed(33), &options);
        let mut merged = statistics(&sentences[..50]);
        merged.merge(&statistics(&sentences[50..]));
        let json = |statistics: &Statistics| serde_json::to_string(&statistics.summary()).unwrap();
        assert_eq!(json(&merged), json(&statistics(&sentences)));
    }
}
