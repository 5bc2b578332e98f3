//! Children, subtrees and dominance, each answered at once after one linear pass over the tree.
//!
//! Children lie side by side in one array, from left to right. A walk from the root downwards
//! numbers the nodes (pre-order), so a subtree is an interval of numbers and dominance is two
//! comparisons. No recursion: a chain of 100,000 words is as safe as a flat sentence.
//!
//! ```
//! use crossarc_tree::{Node, Tree};
//! use crossarc_tree::structure::Structure;
//! // "A hearing is scheduled on the issue today ." (Nivre 2009, Figure 1)
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]).unwrap();
//! let structure = Structure::new(&tree);
//! assert_eq!(structure.children(Node(2)), [Node(1), Node(5)]);
//! assert!(structure.dominates(Node(2), Node(7)));
//! assert!(!structure.dominates(Node(2), Node(3)));
//! assert_eq!(structure.span(Node(2)), (Node(1), Node(7)));
//! assert_eq!(structure.size(Node(2)), 5); // A hearing on the issue
//! ```
use super::{Node, Tree};

/// Who is below whom in a tree. Built in O(n) time and memory, every answer takes O(1).
#[derive(Clone, Debug, Default)]
pub struct Structure {
    children: Vec<Node>,
    first_child: Vec<u32>,
    preorder: Vec<Node>,
    rank: Vec<u32>,
    size: Vec<u32>,
    leftmost: Vec<Node>,
    rightmost: Vec<Node>,
}

impl Structure {
    /// Looks at a tree once, from the root down and back up.
    pub fn new(tree: &Tree) -> Structure {
        let nodes = tree.len() + 1;
        let mut structure = Structure {
            children: vec![Node::ROOT; nodes - 1],
            first_child: vec![0; nodes + 1],
            preorder: Vec::with_capacity(nodes),
            rank: vec![0; nodes],
            size: vec![1; nodes],
            leftmost: (0..nodes as u32).map(Node).collect(),
            rightmost: (0..nodes as u32).map(Node).collect(),
        };
        structure.place_children(tree);
        structure.number_in_preorder();
        for at in (1..nodes).rev() {
            let node = structure.preorder[at].index();
            let head = tree.heads()[node].index();
            structure.size[head] += structure.size[node];
            structure.leftmost[head] = structure.leftmost[head].min(structure.leftmost[node]);
            structure.rightmost[head] = structure.rightmost[head].max(structure.rightmost[node]);
        }
        structure
    }

    fn place_children(&mut self, tree: &Tree) {
        for word in tree.words() {
            self.first_child[tree.head(word).index() + 1] += 1;
        }
        for node in 1..self.first_child.len() {
            self.first_child[node] += self.first_child[node - 1];
        }
        let mut next_place = self.first_child.clone();
        for word in tree.words() {
            let place = &mut next_place[tree.head(word).index()];
            self.children[*place as usize] = word;
            *place += 1;
        }
    }

    fn number_in_preorder(&mut self) {
        let mut pending = vec![Node::ROOT];
        while let Some(node) = pending.pop() {
            self.rank[node.index()] = self.preorder.len() as u32;
            self.preorder.push(node);
            let first = self.first_child[node.index()] as usize;
            let end = self.first_child[node.index() + 1] as usize;
            pending.extend(self.children[first..end].iter().rev());
        }
    }

    /// The dependents of a node from left to right.
    pub fn children(&self, node: Node) -> &[Node] {
        let first = self.first_child[node.index()] as usize;
        &self.children[first..self.first_child[node.index() + 1] as usize]
    }

    /// The dependents to the left of a node, from left to right.
    pub fn left_children(&self, node: Node) -> &[Node] {
        let children = self.children(node);
        &children[..children.partition_point(|&child| child < node)]
    }

    /// The dependents to the right of a node, from left to right.
    pub fn right_children(&self, node: Node) -> &[Node] {
        let children = self.children(node);
        &children[children.partition_point(|&child| child < node)..]
    }

    /// True if `ancestor` is `node` itself or above it.
    pub fn dominates(&self, ancestor: Node, node: Node) -> bool {
        let below = self.rank[node.index()].wrapping_sub(self.rank[ancestor.index()]);
        below < self.size[ancestor.index()]
    }

    /// Number of nodes in the subtree of a node, itself included.
    pub fn size(&self, node: Node) -> usize {
        self.size[node.index()] as usize
    }

    /// The leftmost and the rightmost node of the subtree of a node.
    pub fn span(&self, node: Node) -> (Node, Node) {
        (self.leftmost[node.index()], self.rightmost[node.index()])
    }

    /// All nodes, heads before their dependents, each subtree in one piece.
    pub fn preorder(&self) -> &[Node] {
        &self.preorder
    }

    /// The place of a node in [`Structure::preorder`].
    pub fn preorder_rank(&self, node: Node) -> usize {
        self.rank[node.index()] as usize
    }

    /// The nodes of a subtree, its top first.
    pub fn subtree(&self, node: Node) -> &[Node] {
        &self.preorder[self.preorder_rank(node)..][..self.size(node)]
    }

    /// True if the subtree of a node covers its span without a gap.
    pub fn is_contiguous(&self, node: Node) -> bool {
        let (leftmost, rightmost) = self.span(node);
        rightmost.0 - leftmost.0 + 1 == self.size[node.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RootPolicy;
    use crate::generate::{all_trees, random_tree};
    use crate::seed::Seed;

    fn dominates_by_climbing(tree: &Tree, ancestor: Node, node: Node) -> bool {
        let mut at = node;
        while at != ancestor && at != Node::ROOT {
            at = tree.head(at);
        }
        at == ancestor
    }

    fn nodes(tree: &Tree) -> impl Iterator<Item = Node> + Clone + use<> {
        (0..=tree.len() as u32).map(Node)
    }

    fn assert_true_to(tree: &Tree) {
        let structure = Structure::new(tree);
        for ancestor in nodes(tree) {
            let subtree: Vec<Node> =
                nodes(tree).filter(|&node| dominates_by_climbing(tree, ancestor, node)).collect();
            for node in nodes(tree) {
                assert_eq!(structure.dominates(ancestor, node), subtree.contains(&node));
            }
            let children: Vec<Node> =
                tree.words().filter(|&word| tree.head(word) == ancestor).collect();
            assert_eq!(structure.children(ancestor), children);
            assert_eq!(structure.size(ancestor), subtree.len());
            assert_eq!(structure.span(ancestor), (subtree[0], subtree[subtree.len() - 1]));
            let mut listed = structure.subtree(ancestor).to_vec();
            assert_eq!(listed[0], ancestor);
            listed.sort();
            assert_eq!(listed, subtree);
            assert!(structure.left_children(ancestor).iter().all(|&child| child < ancestor));
            assert!(structure.right_children(ancestor).iter().all(|&child| child > ancestor));
        }
    }

    #[test]
    fn equals_its_definition() {
        for words in 0..=5 {
            all_trees(words).iter().for_each(assert_true_to);
        }
        let mut rng = Seed(11).rng();
        for words in 6..40 {
            assert_true_to(&random_tree(&mut rng, words, RootPolicy::Several));
        }
    }

    #[test]
    fn a_long_chain_is_safe() {
        let heads: Vec<u32> = (0..100_000).collect();
        let structure = Structure::new(&Tree::from_heads(&heads).unwrap());
        assert!(structure.dominates(Node(1), Node(100_000)));
        assert_eq!(structure.span(Node(2)), (Node(2), Node(100_000)));
    }
}
