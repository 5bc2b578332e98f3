//! The projective order of a tree's words (Nivre 2009): an inorder traversal that keeps the order
//! of each head and its own dependents. Reordered that way, every tree is projective; the SWAP
//! transition sorts words into it.
//!
//! Linear time, no recursion.
//!
//! ```
//! use crossarc_tree::{Node, Tree};
//! use crossarc_tree::order::{projective_order, projective_ranks};
//! // "A hearing is scheduled on the issue today ." (Nivre 2009, Figure 1)
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]).unwrap();
//! let order: Vec<u32> = projective_order(&tree).iter().map(|node| node.0).collect();
//! assert_eq!(order, [0, 1, 2, 5, 6, 7, 3, 4, 8, 9]);
//! assert_eq!(projective_ranks(&tree)[3], 6);
//! ```
use super::structure::Structure;
use super::{Node, Tree};

/// All nodes in projective order, the artificial root first.
pub fn projective_order(tree: &Tree) -> Vec<Node> {
    // A subtree takes as many places as it has nodes, so places can be dealt out from the top.
    let structure = Structure::new(tree);
    let mut first_place = vec![0; tree.len() + 1];
    let mut order = vec![Node::ROOT; tree.len() + 1];
    for &node in structure.preorder() {
        let mut place = first_place[node.index()];
        for &child in structure.left_children(node) {
            first_place[child.index()] = place;
            place += structure.size(child);
        }
        order[place] = node;
        place += 1;
        for &child in structure.right_children(node) {
            first_place[child.index()] = place;
            place += structure.size(child);
        }
    }
    order
}

/// The place of each node in the projective order, indexed by node; the root is at place 0.
pub fn projective_ranks(tree: &Tree) -> Vec<u32> {
    let mut ranks = vec![0; tree.len() + 1];
    for (rank, node) in projective_order(tree).into_iter().enumerate() {
        ranks[node.index()] = rank as u32;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RootPolicy;
    use crate::generate::{all_trees, random_tree};
    use crate::projectivity::is_projective;
    use crate::seed::Seed;

    fn inorder(tree: &Tree, node: Node, order: &mut Vec<Node>) {
        let children: Vec<Node> = tree.words().filter(|&word| tree.head(word) == node).collect();
        let (left, right) = children.split_at(children.partition_point(|&child| child < node));
        for &child in left {
            inorder(tree, child, order);
        }
        order.push(node);
        for &child in right {
            inorder(tree, child, order);
        }
    }

    fn assert_projective_order(tree: &Tree) {
        let mut expected = Vec::new();
        inorder(tree, Node::ROOT, &mut expected);
        assert_eq!(projective_order(tree), expected);
        // The same tree over the reordered words is projective.
        let ranks = projective_ranks(tree);
        let heads: Vec<u32> =
            expected[1..].iter().map(|&word| ranks[tree.head(word).index()]).collect();
        assert!(is_projective(&Tree::from_heads(&heads).unwrap()));
        assert_eq!(is_projective(tree), ranks.is_sorted());
    }

    #[test]
    fn equals_the_recursive_traversal() {
        for words in 0..=6 {
            all_trees(words).iter().for_each(assert_projective_order);
        }
        let mut rng = Seed(12).rng();
        for words in 7..60 {
            assert_projective_order(&random_tree(&mut rng, words, RootPolicy::Several));
        }
    }
}
