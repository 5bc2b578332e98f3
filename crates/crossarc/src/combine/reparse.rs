//! Voting by reparsing (Sagae and Lavie 2006; Zeman and Žabokrtský 2005).
//!
//! The arcs of all systems are put into one graph, each weighted by the votes for it, and the best
//! tree of that graph is the result: valid whatever the systems say, and among all trees the one
//! with the most votes, even if it needs an arc that nobody voted for. An arc of the result gets the
//! label with the most votes among the systems that built it. Of equals, the system named first wins.
//!
//! ```
//! use crossarc::combine::{Reparser, Search};
//! use crossarc::tree::{RootPolicy, Tree};
//! let one = Tree::from_heads(&[2, 0, 2]).unwrap();
//! let two = Tree::from_heads(&[2, 0, 1]).unwrap();
//! let three = Tree::from_heads(&[0, 1, 1]).unwrap();
//! let trees = [one, two, three];
//! let mut reparser = Reparser::new(Search::SpanningTree, RootPolicy::Single);
//! let best = reparser.combine(&trees, |_, _| 1.0).unwrap();
//! assert_eq!(best, Tree::from_heads(&[2, 0, 1]).unwrap());
//! ```

use crossarc_graph::decoders::chu_liu_edmonds::ContractionForest;
use crossarc_graph::decoders::eisner::EisnerChart;
use crossarc_graph::decoders::{ChuLiuEdmonds, Eisner};
use crossarc_graph::{BestTree, Candidates, DecodeError, Decoder, LabelSharing, Order, Scores};
use crossarc_train::combination::Search;
use crossarc_tree::{Label, Node, RootPolicy, Tree};

/// Sentences with more words than this are not searched for projective trees, which takes cubic
/// time: they get the best tree of all instead.
pub const MOST_PROJECTIVE: usize = 400;

/// Longer sentences are not combined: they keep the tree of the first system.
pub const MOST_WORDS: usize = ChuLiuEdmonds::MOST_WORDS;

/// What the system named before another is worth more, so that ties are broken by order.
const HEADSTART: f32 = 1e-4;

/// Combines trees; keeps its memory from sentence to sentence.
pub struct Reparser {
    search: Search,
    roots: RootPolicy,
    scores: Scores,
    candidates: Candidates,
    spanning: ContractionForest,
    projective: EisnerChart,
    best: BestTree,
}

impl Reparser {
    /// A reparser for a treebank with this many roots.
    pub fn new(search: Search, roots: RootPolicy) -> Reparser {
        Reparser {
            search,
            roots,
            scores: Scores::default(),
            candidates: Candidates::none(0),
            spanning: ContractionForest::default(),
            projective: EisnerChart::default(),
            best: BestTree::default(),
        }
    }

    /// The tree with the most votes. `weight` says how much the vote of a system counts for the
    /// head of a word. Nothing if there is no tree or if trees differ in length.
    pub fn combine(&mut self, trees: &[Tree], weight: impl Fn(usize, Node) -> f32) -> Option<Tree> {
        let first = trees.first()?;
        if trees.iter().any(|tree| tree.len() != first.len()) {
            return None;
        }
        if trees.iter().all(|tree| tree == first) && self.may_be_kept(first) {
            return Some(first.clone());
        }
        let votes = |head: Node, word: Node| {
            let voters = trees.iter().enumerate().filter(|(_, tree)| tree.head(word) == head);
            voters
                .map(|(at, _)| weight(at, word) + HEADSTART * (trees.len() - at) as f32)
                .sum::<f32>()
        };
        self.candidates.reset_to_all(first.len().min(MOST_WORDS));
        if first.len() > MOST_WORDS || self.decode(&votes).is_err() {
            return Some(first.clone());
        }
        for word in first.words() {
            let head = self.best.heads[word.index()];
            self.best.labels[word.index()] = elect_label(trees, head, word, &weight);
        }
        Some(self.best.to_tree().unwrap_or_else(|_| first.clone()))
    }

    /// True if a tree on which all agree is of the wanted kind.
    fn may_be_kept(&self, tree: &Tree) -> bool {
        tree.obeys(self.roots)
            && (self.search == Search::SpanningTree
                || crossarc_tree::projectivity::is_projective(tree))
    }

    fn decode(&mut self, votes: &impl Fn(Node, Node) -> f32) -> Result<(), DecodeError> {
        let (scores, best) = (&mut self.scores, &mut self.best);
        scores.reset(Order::First, LabelSharing::Shared, &self.candidates, |_, _, labels| {
            labels.push(Label::default());
        })?;
        for arc in scores.arcs() {
            let score = votes(scores.head(arc), scores.dependent(arc));
            scores.arc_scores_mut(arc).fill(score);
        }
        if self.search == Search::Projective && scores.words() <= MOST_PROJECTIVE {
            Eisner.decode(scores, self.roots, &mut self.projective, best)
        } else {
            ChuLiuEdmonds.decode(scores, self.roots, &mut self.spanning, best)
        }
    }
}

/// The label with the most votes among the systems that built the arc, or among all if none did.
fn elect_label(
    trees: &[Tree],
    head: Node,
    word: Node,
    weight: &impl Fn(usize, Node) -> f32,
) -> Label {
    let built = trees.iter().any(|tree| tree.head(word) == head);
    let voters = || {
        let all = trees.iter().enumerate();
        all.filter(move |(_, tree)| !built || tree.head(word) == head)
    };
    let votes_for = |label: Label| {
        let those = voters().filter(|(_, tree)| tree.label(word) == label);
        those.map(|(at, _)| weight(at, word)).sum::<f32>()
    };
    let mut elected = (Label::default(), f32::NEG_INFINITY);
    for (_, tree) in voters() {
        let label = tree.label(word);
        let votes = votes_for(label);
        if votes > elected.1 {
            elected = (label, votes);
        }
    }
    elected.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::generate::{all_trees, label_randomly, random_projective_tree, random_tree};
    use crossarc_tree::projectivity::is_projective;
    use crossarc_tree::seed::Seed;

    fn votes(tree: &Tree, trees: &[Tree], weights: &[f32]) -> f32 {
        let arcs = tree.words().map(|word| {
            let voters = trees.iter().zip(weights);
            voters
                .filter(|(other, _)| other.head(word) == tree.head(word))
                .map(|(_, weight)| weight)
                .sum::<f32>()
        });
        arcs.sum()
    }

    #[test]
    fn no_tree_has_more_votes() {
        let mut rng = Seed(51).rng();
        let all = all_trees(5);
        for round in 0..200 {
            let trees: Vec<Tree> =
                (0..3).map(|_| random_tree(&mut rng, 5, RootPolicy::Single)).collect();
            let weights = [1.0, 0.5 + rng.below(10) as f32 / 10.0, 0.8];
            for search in [Search::SpanningTree, Search::Projective] {
                let mut reparser = Reparser::new(search, RootPolicy::Single);
                let best = reparser.combine(&trees, |system, _| weights[system]).unwrap();
                assert!(best.obeys(RootPolicy::Single), "seed 51, round {round}");
                assert!(search == Search::SpanningTree || is_projective(&best));
                let found = votes(&best, &trees, &weights);
                for tree in all.iter().filter(|tree| tree.obeys(RootPolicy::Single)) {
                    if search == Search::SpanningTree || is_projective(tree) {
                        let other = votes(tree, &trees, &weights);
                        assert!(other <= found + 0.01, "seed 51, round {round}: {tree:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn identical_systems_are_their_own_vote() {
        let mut rng = Seed(52).rng();
        for words in 1..40 {
            let mut tree = random_tree(&mut rng, words, RootPolicy::Single);
            label_randomly(&mut rng, &mut tree, 5);
            let mut reparser = Reparser::new(Search::SpanningTree, RootPolicy::Single);
            let same = [tree.clone(), tree.clone(), tree.clone()];
            assert_eq!(reparser.combine(&same, |_, _| 1.0), Some(tree), "seed 52, {words} words");
            let mut tree = random_projective_tree(&mut rng, words, RootPolicy::Single);
            label_randomly(&mut rng, &mut tree, 5);
            let mut reparser = Reparser::new(Search::Projective, RootPolicy::Single);
            let same = [tree.clone(), tree.clone()];
            assert_eq!(reparser.combine(&same, |_, _| 1.0), Some(tree), "seed 52, {words} words");
        }
    }

    #[test]
    fn the_majority_wins_and_the_first_of_equals() {
        let mut rng = Seed(53).rng();
        for words in 2..30 {
            let mut one = random_tree(&mut rng, words, RootPolicy::Single);
            let mut other = random_tree(&mut rng, words, RootPolicy::Single);
            label_randomly(&mut rng, &mut one, 5);
            label_randomly(&mut rng, &mut other, 5);
            let mut reparser = Reparser::new(Search::SpanningTree, RootPolicy::Single);
            let majority = [other.clone(), one.clone(), one.clone()];
            assert_eq!(reparser.combine(&majority, |_, _| 1.0).as_ref(), Some(&one));
            let tie = [one.clone(), other.clone()];
            assert_eq!(reparser.combine(&tie, |_, _| 1.0), Some(one), "seed 53, {words} words");
        }
    }

    #[test]
    fn several_roots_become_one_where_one_is_wanted() {
        let several = Tree::from_heads(&[0, 0, 2]).unwrap();
        let trees = [several.clone(), several];
        let mut reparser = Reparser::new(Search::SpanningTree, RootPolicy::Single);
        let best = reparser.combine(&trees, |_, _| 1.0).unwrap();
        assert!(best.obeys(RootPolicy::Single));
        assert_eq!(reparser.combine(&[], |_, _| 1.0), None);
        let short = Tree::from_heads(&[0]).unwrap();
        assert_eq!(reparser.combine(&[best, short], |_, _| 1.0), None);
    }
}
