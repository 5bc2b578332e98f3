//! How far a tree is from being projective: the mildly non-projective classes and their degrees.
//!
//! | measure | paper | time |
//! |---|---|---|
//! | [`gap_degree`] | Kuhlmann and Nivre 2006 | O(n log n) |
//! | [`edge_degree`] | Nivre 2006 | O(n), O(n log² n) if non-projective |
//! | [`is_planar`] | Kuhlmann and Nivre 2006 | O(n) |
//! | [`is_two_planar`] | Yli-Jyrä 2003; Gómez-Rodríguez and Nivre 2010 | O(n) |
//! | [`is_well_nested`] | Bodirsky, Kuhlmann and Möhl 2005 | O(n), O(n log² n) if non-projective |
//! | [`is_one_endpoint_crossing`] | Pitler, Kannan and Marcus 2013 | O(n log n) |
//! | [`is_crossing_interval`] | Pitler and McDonald 2015 | O(n log n) |
//!
//! Whether arcs of the artificial root take part changes planarity, 2-planarity,
//! 1-endpoint-crossing and crossing intervals: with them, the planar trees are exactly the projective ones. The papers
//! look at arcs between words, [`RootArcs::Excluded`]; a parser that builds root arcs with the same
//! moves as all others covers the class with [`RootArcs::Included`].
//!
//! ```
//! use crossarc_tree::Tree;
//! use crossarc_tree::classes::*;
//! use crossarc_tree::projectivity::RootArcs;
//! // "A hearing is scheduled on the issue today ." (Nivre 2009, Figure 1)
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]).unwrap();
//! assert_eq!(gap_degree(&tree), 1); // "A hearing ... on the issue"
//! assert_eq!(edge_degree(&tree), 1);
//! assert!(!is_planar(&tree, RootArcs::Excluded));
//! assert!(is_two_planar(&tree, RootArcs::Excluded));
//! assert!(!is_well_nested(&tree)); // "scheduled today" interleaves with "hearing on"
//! // scheduled -> today and is -> "." both cross hearing -> on
//! assert!(!is_one_endpoint_crossing(&tree, RootArcs::Excluded));
//! ```
mod crossing_interval;
mod edge_degree;
mod gap_degree;
mod one_endpoint_crossing;
mod two_planar;
mod well_nested;

pub use crossing_interval::{CrossingInterval, crossing_intervals, is_crossing_interval};
pub use edge_degree::edge_degree;
pub use gap_degree::gap_degree;
pub use one_endpoint_crossing::is_one_endpoint_crossing;
pub use two_planar::{is_planar, is_two_planar};
pub use well_nested::is_well_nested;

use super::projectivity::{self, RootArcs};

#[cfg(test)]
mod testing {
    use crate::generate::{all_trees, random_tree};
    use crate::seed::Seed;
    use crate::{Node, RootPolicy, Tree};

    /// Runs a check on all trees up to six words and on random ones of mixed depth.
    pub fn on_many_trees(check: impl Fn(&Tree)) {
        for words in 0..=6 {
            for tree in all_trees(words) {
                check(&tree);
            }
        }
        let mut rng = Seed(17).rng();
        for words in 7..45 {
            check(&random_tree(&mut rng, words, RootPolicy::Single));
            check(&random_tree(&mut rng, words, RootPolicy::Several));
            // Random trees are hopelessly tangled; these have few crossing arcs.
            let mut tree =
                crate::generate::random_projective_tree(&mut rng, words, RootPolicy::Single);
            for _ in 0..3 {
                let mut heads: Vec<u32> = tree.heads()[1..].iter().map(|head| head.0).collect();
                heads[rng.below(words)] = rng.below(words + 1) as u32;
                if let Ok(changed) = Tree::from_heads(&heads) {
                    tree = changed;
                    check(&tree);
                }
            }
        }
    }

    /// The nodes at or below a node, from left to right.
    pub fn subtree(tree: &Tree, top: Node) -> Vec<Node> {
        tree.words()
            .filter(|&word| {
                let mut at = word;
                while at != top && at != Node::ROOT {
                    at = tree.head(at);
                }
                at == top
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random_tree;
    use crate::seed::Seed;
    use crate::{RootPolicy, Tree};

    #[test]
    fn long_sentences_are_safe() {
        let tangled = random_tree(&mut Seed(18).rng(), 100_000, RootPolicy::Several);
        assert!(gap_degree(&tangled) > 100 && edge_degree(&tangled) > 100);
        // Two interleaved chains, 100,000 words deep together: 2 hangs on 1, each other word on
        // the last but one.
        let heads: Vec<u32> =
            (0..100_000u32).map(|before| before.saturating_sub(1).max(before.min(1))).collect();
        let chains = Tree::from_heads(&heads).unwrap();
        for tree in [&tangled, &chains] {
            assert!(!is_planar(tree, RootArcs::Excluded));
            assert!(!is_well_nested(tree));
            assert_eq!(is_two_planar(tree, RootArcs::Excluded), tree == &chains);
            assert_eq!(is_one_endpoint_crossing(tree, RootArcs::Included), tree == &chains);
        }
        assert_eq!(gap_degree(&chains), 49_999);
        assert_eq!(edge_degree(&chains), 1);
    }
}
