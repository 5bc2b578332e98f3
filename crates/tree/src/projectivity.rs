//! Which arcs are non-projective, by the two definitions in use.
//!
//! **By dominance** (Nivre 2009; Björkelund and Kuhn 2012): an arc from h to d is projective iff
//! h dominates all words between h and d. Arcs of the artificial root are always projective.
//!
//! **By crossing** (Reisinger 2016): an arc is non-projective iff another arc has one end strictly
//! between its ends and the other end strictly outside; arcs of the artificial root, which stands
//! to the left of the first word, count like any other.
//!
//! The definitions agree on which *trees* are projective, not on which arcs are to blame: two
//! crossing arcs are both non-projective by crossing, often only one of them by dominance.
//!
//! Lists take O(n log n) time, [`is_projective`] O(n).
//!
//! ```
//! use crossarc_tree::{Node, Tree};
//! use crossarc_tree::projectivity::{crossed_arcs, is_projective, nonprojective_arcs};
//! // "A hearing is scheduled on the issue today ." (Nivre 2009, Figure 1)
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]).unwrap();
//! assert!(!is_projective(&tree));
//! // Dependents of the arcs hearing -> on and scheduled -> today ...
//! assert_eq!(nonprojective_arcs(&tree), [Node(5), Node(8)]);
//! // ... and of root -> is and is -> ".", which hearing -> on crosses
//! assert_eq!(crossed_arcs(&tree), [Node(3), Node(5), Node(8), Node(9)]);
//! ```
use super::range_minimum::range_minima;
use super::structure::Structure;
use super::{Node, Tree};

/// Whether the arcs from the artificial root take part in a measure.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RootArcs {
    /// They are arcs like any other, from a node to the left of the first word.
    Included,
    /// Only arcs between words count.
    Excluded,
}

/// True if no arc is non-projective; the two definitions agree on this.
pub fn is_projective(tree: &Tree) -> bool {
    let structure = Structure::new(tree);
    tree.words().all(|word| structure.is_contiguous(word))
}

/// The dependents of the arcs that are non-projective **by dominance**, from left to right.
pub fn nonprojective_arcs(tree: &Tree) -> Vec<Node> {
    let structure = Structure::new(tree);
    let lowest: Vec<u32> =
        (0..=tree.len()).map(|node| structure.preorder_rank(Node(node as u32)) as u32).collect();
    outreaching_arcs(tree, RootArcs::Included, &lowest, &lowest, |arc, low, high| {
        let first = lowest[arc.head.index()];
        low < first || high >= first + structure.size(arc.head) as u32
    })
}

/// The dependents of the arcs that are non-projective **by crossing**, from left to right, with
/// the arcs of the root.
pub fn crossed_arcs(tree: &Tree) -> Vec<Node> {
    crossed_arcs_with(tree, RootArcs::Included)
}

/// The dependents of the arcs that another arc crosses, from left to right.
pub fn crossed_arcs_with(tree: &Tree, root_arcs: RootArcs) -> Vec<Node> {
    // An arc is crossed iff some node strictly inside it has a neighbour strictly outside.
    let mut leftmost_neighbour: Vec<u32> = (0..=tree.len() as u32).collect();
    let mut rightmost_neighbour = leftmost_neighbour.clone();
    for arc in arcs(tree, root_arcs) {
        let (left, right) = (arc.left().index(), arc.right().index());
        leftmost_neighbour[right] = leftmost_neighbour[right].min(left as u32);
        rightmost_neighbour[left] = rightmost_neighbour[left].max(right as u32);
    }
    outreaching_arcs(
        tree,
        root_arcs,
        &leftmost_neighbour,
        &rightmost_neighbour,
        |arc, leftmost, rightmost| leftmost < arc.left().0 || rightmost > arc.right().0,
    )
}

/// The arcs for which the smallest `low` and the largest `high` value strictly inside them satisfy
/// the condition.
fn outreaching_arcs(
    tree: &Tree,
    root_arcs: RootArcs,
    low: &[u32],
    high: &[u32],
    reaches_out: impl Fn(TreeArc, u32, u32) -> bool,
) -> Vec<Node> {
    let inverted: Vec<u32> = high.iter().map(|&value| u32::MAX - value).collect();
    let long_arcs: Vec<TreeArc> =
        arcs(tree, root_arcs).filter(|arc| arc.right().0 - arc.left().0 > 1).collect();
    let ranges: Vec<(usize, usize)> =
        long_arcs.iter().map(|arc| (arc.left().index() + 1, arc.right().index())).collect();
    let lowest = range_minima(low, &ranges);
    let highest = range_minima(&inverted, &ranges);
    let mut found = Vec::new();
    for (&arc, (lowest, highest)) in long_arcs.iter().zip(lowest.iter().zip(highest)) {
        if let (&Some(lowest), Some(highest)) = (lowest, highest)
            && reaches_out(arc, low[lowest], high[highest])
        {
            found.push(arc.dependent);
        }
    }
    found
}

/// An arc as an interval.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct TreeArc {
    pub head: Node,
    pub dependent: Node,
}

impl TreeArc {
    pub fn left(self) -> Node {
        self.head.min(self.dependent)
    }

    pub fn right(self) -> Node {
        self.head.max(self.dependent)
    }

    #[cfg(test)]
    pub fn crosses(self, other: TreeArc) -> bool {
        let (a, b) = if self.left() <= other.left() { (self, other) } else { (other, self) };
        a.left() < b.left() && b.left() < a.right() && a.right() < b.right()
    }
}

/// The arcs of a tree by dependent, from left to right.
pub(super) fn arcs(tree: &Tree, root_arcs: RootArcs) -> impl Iterator<Item = TreeArc> + '_ {
    tree.words()
        .map(|dependent| TreeArc { head: tree.head(dependent), dependent })
        .filter(move |arc| root_arcs == RootArcs::Included || arc.head != Node::ROOT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RootPolicy;
    use crate::generate::{all_trees, random_projective_tree, random_tree};
    use crate::seed::Seed;

    fn by_dominance(tree: &Tree) -> Vec<Node> {
        let structure = Structure::new(tree);
        arcs(tree, RootArcs::Included)
            .filter(|arc| {
                (arc.left().0 + 1..arc.right().0)
                    .any(|between| !structure.dominates(arc.head, Node(between)))
            })
            .map(|arc| arc.dependent)
            .collect()
    }

    fn by_crossing(tree: &Tree, root_arcs: RootArcs) -> Vec<Node> {
        arcs(tree, root_arcs)
            .filter(|arc| arcs(tree, root_arcs).any(|other| arc.crosses(other)))
            .map(|arc| arc.dependent)
            .collect()
    }

    fn assert_true_to_the_definitions(tree: &Tree) {
        let nonprojective = nonprojective_arcs(tree);
        assert_eq!(nonprojective, by_dominance(tree), "{tree:?}");
        for root_arcs in [RootArcs::Included, RootArcs::Excluded] {
            let crossed = crossed_arcs_with(tree, root_arcs);
            assert_eq!(crossed, by_crossing(tree, root_arcs), "{tree:?} {root_arcs:?}");
        }
        assert_eq!(is_projective(tree), nonprojective.is_empty(), "{tree:?}");
        assert_eq!(is_projective(tree), crossed_arcs(tree).is_empty(), "{tree:?}");
    }

    #[test]
    fn equals_both_definitions() {
        for words in 0..=6 {
            all_trees(words).iter().for_each(assert_true_to_the_definitions);
        }
        let mut rng = Seed(14).rng();
        for words in 7..70 {
            assert_true_to_the_definitions(&random_tree(&mut rng, words, RootPolicy::Several));
            assert_true_to_the_definitions(&random_tree(&mut rng, words, RootPolicy::Single));
        }
    }

    #[test]
    fn generated_projective_trees_are_projective() {
        let mut rng = Seed(15).rng();
        for words in 0..100 {
            assert!(is_projective(&random_projective_tree(&mut rng, words, RootPolicy::Single)));
            assert!(is_projective(&random_projective_tree(&mut rng, words, RootPolicy::Several)));
        }
        let counts: Vec<usize> = (1..=6)
            .map(|n| all_trees(n).iter().filter(|tree| is_projective(tree)).count())
            .collect();
        assert_eq!(counts, [1, 3, 12, 55, 273, 1428]);
    }

    #[test]
    fn long_sentences_are_safe() {
        let tree = random_tree(&mut Seed(16).rng(), 100_000, RootPolicy::Single);
        assert!(nonprojective_arcs(&tree).len() > 50_000);
        assert!(crossed_arcs(&tree).len() >= nonprojective_arcs(&tree).len());
    }
}
