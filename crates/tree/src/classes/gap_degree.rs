//! Gap degree (Kuhlmann and Nivre 2006): the largest number of gaps in the words of a subtree.
//!
//! A subtree has one gap less than it has words without their left neighbour in it. Neighbours k
//! and k + 1 are both in the subtree of u iff u is at or above their lowest common ancestor, so it
//! is enough to count those ancestors and sum upwards: O(n log n).
use crate::range_minimum::range_minima;
use crate::structure::Structure;
use crate::{Node, Tree};

/// The largest number of gaps in the subtree of any word; 0 iff the tree is projective.
pub fn gap_degree(tree: &Tree) -> usize {
    let structure = Structure::new(tree);
    if tree.words().all(|word| structure.is_contiguous(word)) {
        return 0;
    }
    let mut neighbours_inside = vec![0usize; tree.len() + 1];
    for ancestor in common_ancestors_of_neighbours(tree, &structure) {
        neighbours_inside[ancestor.index()] += 1;
    }
    let mut degree = 0;
    for &node in structure.preorder()[1..].iter().rev() {
        let inside = neighbours_inside[node.index()];
        neighbours_inside[tree.head(node).index()] += inside;
        degree = degree.max(structure.size(node) - 1 - inside);
    }
    degree
}

/// The lowest common ancestor of each word and the next one.
fn common_ancestors_of_neighbours(tree: &Tree, structure: &Structure) -> Vec<Node> {
    // In pre-order, the node of least depth after u and up to v is a child of their lowest common
    // ancestor, unless u is above v.
    let mut depth = vec![0u32; tree.len() + 1];
    let mut depth_in_preorder = vec![0u32; tree.len() + 1];
    for (rank, &node) in structure.preorder().iter().enumerate().skip(1) {
        depth[node.index()] = depth[tree.head(node).index()] + 1;
        depth_in_preorder[rank] = depth[node.index()];
    }
    let ranges: Vec<(usize, usize)> = tree
        .words()
        .skip(1)
        .map(|word| {
            let rank = structure.preorder_rank(word);
            let before = structure.preorder_rank(Node(word.0 - 1));
            (rank.min(before) + 1, rank.max(before) + 1)
        })
        .collect();
    range_minima(&depth_in_preorder, &ranges)
        .into_iter()
        .flatten()
        .map(|rank| tree.head(structure.preorder()[rank]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{on_many_trees, subtree};
    use super::*;

    #[test]
    fn equals_its_definition() {
        on_many_trees(|tree| {
            let gaps =
                |word| subtree(tree, word).windows(2).filter(|w| w[0].0 + 1 < w[1].0).count();
            let expected = tree.words().map(gaps).max().unwrap_or(0);
            assert_eq!(gap_degree(tree), expected, "{tree:?}");
        });
    }
}
