//! Precision and recall of arcs by a property of their place in the tree (McDonald and Nivre 2007,
//! Figures 3 to 6): length, distance to the root, number of siblings, degree of non-projectivity.
//!
//! Precision is the share of the system's arcs with a property, as they are in the system's tree,
//! that are right; recall is the share of gold arcs with the property, as they are in the gold
//! tree, that the system has. Right means head and label.
use super::columns;
use super::corpus::Corpus;
use crate::report::{Panel, Value};
use crossarc_tree::structure::Structure;
use crossarc_tree::{Node, Tree};

/// Ranges of a number, both ends included.
#[derive(Copy, Clone, Debug)]
pub struct Bins(pub &'static [(usize, usize)]);

impl Bins {
    /// How many there are.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// True if there is none.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The range of a number.
    pub fn of(self, number: usize) -> Option<usize> {
        self.0.iter().position(|&(from, to)| (from..=to).contains(&number))
    }

    /// `3`, `4–6` or `20+`
    pub fn name(self, bin: usize) -> String {
        match self.0[bin] {
            (from, to) if from == to => from.to_string(),
            (from, usize::MAX) => format!("{from}+"),
            (from, to) => format!("{from}–{to}"),
        }
    }
}

/// A property of arcs.
struct Property {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    axis: &'static str,
    bins: Bins,
    /// By word from 0; nothing where an arc does not have it.
    of: fn(&Tree) -> Vec<Option<usize>>,
}

const MAX: usize = usize::MAX;

const PROPERTIES: [Property; 4] = [
    Property {
        name: "dependency-length",
        title: "Dependency length",
        about: "Words from dependent to head; arcs of the root have no length. Precision by the length in the output, recall by the length in gold, head and label right.",
        axis: "length in words",
        bins: Bins(&[
            (1, 1),
            (2, 2),
            (3, 3),
            (4, 4),
            (5, 5),
            (6, 7),
            (8, 10),
            (11, 14),
            (15, 19),
            (20, 29),
            (30, MAX),
        ]),
        of: lengths,
    },
    Property {
        name: "root-distance",
        title: "Distance to the root",
        about: "Arcs on the way from the root to the dependent: words that hang on the root have 1.",
        axis: "arcs to the root",
        bins: Bins(&[(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (8, 9), (10, MAX)]),
        of: depths,
    },
    Property {
        name: "siblings",
        title: "Siblings",
        about: "Other dependents of the same head.",
        axis: "number of siblings",
        bins: Bins(&[(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 7), (8, MAX)]),
        of: siblings,
    },
    Property {
        name: "non-projectivity",
        title: "Degree of non-projectivity",
        about: "Words between dependent and head that the head does not dominate and whose own head is not between them either (McDonald and Nivre 2007); projective arcs have 0.",
        axis: "degree",
        bins: Bins(&[(0, 0), (1, 1), (2, 2), (3, MAX)]),
        of: degrees,
    },
];

fn lengths(tree: &Tree) -> Vec<Option<usize>> {
    let length = |word: Node| {
        let head = tree.head(word);
        (head != Node::ROOT).then(|| head.index().abs_diff(word.index()))
    };
    tree.words().map(length).collect()
}

/// Arcs from the root to each word, by word from 0.
pub fn distances(tree: &Tree) -> Vec<usize> {
    let mut depths = vec![0; tree.len() + 1];
    for &node in Structure::new(tree).preorder() {
        if node != Node::ROOT {
            depths[node.index()] = depths[tree.head(node).index()] + 1;
        }
    }
    depths.split_off(1)
}

fn depths(tree: &Tree) -> Vec<Option<usize>> {
    distances(tree).into_iter().map(Some).collect()
}

fn siblings(tree: &Tree) -> Vec<Option<usize>> {
    let structure = Structure::new(tree);
    let count = |word: Node| structure.children(tree.head(word)).len().checked_sub(1);
    tree.words().map(count).collect()
}

fn degrees(tree: &Tree) -> Vec<Option<usize>> {
    let structure = Structure::new(tree);
    let degree = |word: Node| {
        let head = tree.head(word);
        let (left, right) = (word.0.min(head.0), word.0.max(head.0));
        let is_between = |node: Node| left < node.0 && node.0 < right;
        let counts =
            |node: &Node| !structure.dominates(head, *node) && !is_between(tree.head(*node));
        (left + 1..right).map(Node).filter(counts).count()
    };
    tree.words().map(|word| Some(degree(word))).collect()
}

/// The panels, one for each property.
pub fn panels(corpus: &Corpus) -> Vec<Panel> {
    PROPERTIES.iter().map(|property| panel(corpus, property)).collect()
}

#[derive(Copy, Clone, Default)]
struct Tally {
    gold: u64,
    gold_right: u64,
    system: u64,
    system_right: u64,
}

fn panel(corpus: &Corpus, property: &Property) -> Panel {
    let bins = property.bins;
    let mut tallies = vec![vec![Tally::default(); corpus.systems.len()]; bins.len()];
    for item in &corpus.sentences {
        let in_gold = (property.of)(&item.gold.tree());
        for (system, analysis) in item.systems.iter().enumerate() {
            let in_system = (property.of)(&analysis.tree());
            for word in item.words() {
                let right = u64::from(item.right(system, word).both());
                if let Some(bin) = in_gold[word].and_then(|number| bins.of(number)) {
                    tallies[bin][system].gold += 1;
                    tallies[bin][system].gold_right += right;
                }
                let number = in_system[word].filter(|_| analysis.heads[word].is_some());
                if let Some(bin) = number.and_then(|number| bins.of(number)) {
                    tallies[bin][system].system += 1;
                    tallies[bin][system].system_right += right;
                }
            }
        }
    }
    let each = ["arcs", "precision", "recall"];
    let mut panel = Panel {
        columns: columns([property.axis, "gold arcs"], corpus, &each),
        ..Panel::new(property.name, property.title, property.about, [])
    };
    for (bin, tallies) in tallies.iter().enumerate() {
        if tallies.iter().all(|tally| tally.gold + tally.system == 0) {
            continue;
        }
        let gold = tallies.first().map_or(0, |tally| tally.gold);
        let mut row = vec![Value::text(bins.name(bin)), Value::Count(gold)];
        for tally in tallies {
            row.push(Value::Count(tally.system));
            row.push(Value::share(tally.system_right, tally.system));
            row.push(Value::share(tally.gold_right, tally.gold));
        }
        panel.rows.push(row);
    }
    let charts = [("precision", "Precision"), ("recall", "Recall")];
    panel.chart_columns(property.axis, &charts, false, usize::MAX);
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::small;
    use super::*;
    use crossarc_tree::RootPolicy;
    use crossarc_tree::generate::random_tree;
    use crossarc_tree::projectivity::nonprojective_arcs;
    use crossarc_tree::seed::Seed;

    fn shown(name: &str, row: &str) -> Vec<String> {
        let panels = panels(&small(2));
        panels.iter().find(|panel| panel.name == name).unwrap().shown(row)
    }

    /// Gold heads 2 3 0 3 2 5 and 0 1; a has 4 for word 5; b has 2 0 in the second sentence.
    #[test]
    fn by_length() {
        // Gold: 1 2 4 6 of the first, 2 of the second have length 1; a also 5; label of 2 is wrong.
        assert_eq!(
            shown("dependency-length", "1"),
            ["1", "5", "6", "66.67", "80.00", "5", "80.00", "80.00"]
        );
        assert_eq!(
            shown("dependency-length", "3"),
            ["3", "1", "0", "–", "0.00", "1", "100.00", "100.00"]
        );
    }

    #[test]
    fn by_distance_to_the_root() {
        // Gold: 3 | 2 4 | 1 5 | 6 and 1 | 2; in a word 5 hangs on 4 at depth 3, too.
        assert_eq!(
            shown("root-distance", "1"),
            ["1", "2", "2", "100.00", "100.00", "2", "50.00", "50.00"]
        );
        assert_eq!(
            shown("root-distance", "3"),
            ["3", "2", "2", "50.00", "50.00", "2", "100.00", "100.00"]
        );
        assert_eq!(shown("root-distance", "4")[..5], ["4", "1", "1", "100.00", "100.00"]);
    }

    #[test]
    fn by_siblings() {
        // Gold: words 1 and 5 share head 2, words 2 and 4 share 3; 3, 6 and the second sentence none.
        assert_eq!(shown("siblings", "1")[..5], ["1", "4", "2", "50.00", "50.00"]);
        assert_eq!(shown("siblings", "0")[..5], ["0", "4", "6", "83.33", "100.00"]);
    }

    #[test]
    fn by_degree() {
        // Between 2 and 5 stand 3 and 4, of which only 3 has its head outside.
        assert_eq!(
            shown("non-projectivity", "1"),
            ["1", "1", "0", "–", "0.00", "1", "100.00", "100.00"]
        );
        assert_eq!(shown("non-projectivity", "0")[..3], ["0", "7", "8"]);
    }

    /// An arc has degree 0 if and only if it is projective by dominance.
    #[test]
    fn degrees_tell_projective_arcs() {
        let seed = Seed(71);
        let mut rng = seed.rng();
        for words in (1..9).cycle().take(400) {
            let tree = random_tree(&mut rng, words, RootPolicy::Several);
            let found: Vec<Node> = tree
                .words()
                .zip(degrees(&tree))
                .filter(|(_, d)| *d != Some(0))
                .map(|(w, _)| w)
                .collect();
            assert_eq!(found, nonprojective_arcs(&tree), "{seed:?} {tree:?}");
        }
    }

    #[test]
    fn bins_have_names() {
        let bins = Bins(&[(1, 1), (2, 4), (5, MAX)]);
        assert_eq!([0, 1, 2].map(|bin| bins.name(bin)), ["1", "2–4", "5+"]);
        assert_eq!([0, 1, 4, 99].map(|number| bins.of(number)), [None, Some(0), Some(1), Some(2)]);
    }
}
