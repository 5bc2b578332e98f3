//! The gold tree as oracles look at it: heads, labels and sorted dependents.
use crossarc_learn::state::PartialTree;
use crossarc_tree::structure::Structure;
use crossarc_tree::{Label, Node, Tree};

/// A gold tree with the lists of dependents.
#[derive(Clone, Debug)]
pub struct GoldTree {
    tree: Tree,
    structure: Structure,
}

impl GoldTree {
    /// Looks at a tree once. Linear time.
    pub fn new(tree: &Tree) -> GoldTree {
        GoldTree { tree: tree.clone(), structure: Structure::new(tree) }
    }

    /// The tree itself.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Dependents, subtrees and dominance.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The gold head of a word.
    #[inline]
    pub fn head(&self, word: Node) -> Node {
        self.tree.head(word)
    }

    /// The gold label of a word.
    #[inline]
    pub fn label(&self, word: Node) -> Label {
        self.tree.label(word)
    }

    /// True if `head -> dependent` is a gold arc.
    #[inline]
    pub fn has_arc(&self, head: Node, dependent: Node) -> bool {
        dependent != Node::ROOT && self.tree.head(dependent) == head
    }

    /// Number of dependents at or after a position.
    #[inline]
    pub fn children_from(&self, node: Node, first: Node) -> u32 {
        let children = self.structure.children(node);
        match children.last() {
            Some(&last) if last >= first => {
                (children.len() - children.partition_point(|&child| child < first)) as u32
            }
            _ => 0,
        }
    }

    /// Number of dependents to the left that have no head yet.
    #[inline]
    pub fn waiting_left_children(&self, partial: &PartialTree, node: Node) -> u32 {
        let left = self.structure.children(node).iter().take_while(|&&child| child < node);
        left.filter(|&&child| partial.head(child).is_none()).count() as u32
    }

    /// Number of dependents that have no head yet.
    #[inline]
    pub fn waiting_children(&self, partial: &PartialTree, node: Node) -> u32 {
        let children = self.structure.children(node).iter();
        children.filter(|&&child| partial.head(child).is_none()).count() as u32
    }

    /// True if all dependents of a node have a head, right or wrong.
    #[inline]
    pub fn is_finished(&self, partial: &PartialTree, node: Node) -> bool {
        let children = self.structure.children(node).iter();
        children.rev().all(|&child| partial.head(child).is_some())
    }
}
