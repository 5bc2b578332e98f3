//! What a tree is made of: the one definition of factors that decoders, learners and the
//! non-projective approximation share.
//!
//! The score of a tree is the sum over its arcs of the score of the arc's [`Family`]. For an arc
//! from head `h` to dependent `m` the family holds, after Carreras (2007),
//! - the **sibling**: the child of `h` strictly between `h` and `m` that is nearest to `m`
//!   (McDonald and Pereira 2006 call the pair adjacent siblings);
//! - the **inner grandchild**: the child of `m` strictly between `h` and `m` that is farthest
//!   from `m`;
//! - the **outer grandchild**: the child of `m` on the side away from `h` that is farthest from
//!   `m`.
//!
//! Each may be missing, and its absence is a factor too, so features can say "first dependent" or
//! "leaf". A child of `m` beyond `h`, which only a non-projective tree can have, is in no
//! grandchild factor. Every factor belongs to exactly one arc and carries the label of that arc.
//!
//! ```
//! use crossarc_graph::{Factor, Order, factors};
//! use crossarc_tree::{Label, Node, Tree};
//! let tree = Tree::from_heads(&[2, 0, 2]).unwrap();
//! let all: Vec<_> = factors(&tree, Order::Grandchild).collect();
//! assert_eq!(all.len(), 3 * 4);
//! let outer = Factor::OuterGrandchild { head: Node(0), dependent: Node(2), grandchild: Some(Node(3)) };
//! assert!(all.contains(&(outer, Label(0))));
//! ```
use crossarc_tree::{Label, Node, Tree};

/// How far factors reach.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Order {
    /// Single arcs.
    #[default]
    First,
    /// Arcs and adjacent siblings.
    Sibling,
    /// Arcs, adjacent siblings, inner and outer grandchildren.
    Grandchild,
}

/// A part of a tree that is scored as one. The label of the arc from `head` to `dependent` goes
/// with every factor.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Factor {
    /// An arc.
    Arc {
        /// The head.
        head: Node,
        /// The dependent.
        dependent: Node,
    },
    /// An arc and the next child of the head towards the head.
    Sibling {
        /// The head.
        head: Node,
        /// The dependent.
        dependent: Node,
        /// The child of the head next to the dependent, on the way to the head.
        sibling: Option<Node>,
    },
    /// An arc and the farthest child of the dependent between dependent and head.
    InnerGrandchild {
        /// The head.
        head: Node,
        /// The dependent.
        dependent: Node,
        /// The child of the dependent.
        grandchild: Option<Node>,
    },
    /// An arc and the farthest child of the dependent on the side away from the head.
    OuterGrandchild {
        /// The head.
        head: Node,
        /// The dependent.
        dependent: Node,
        /// The child of the dependent.
        grandchild: Option<Node>,
    },
}

/// An arc with the neighbours that take part in its factors.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Family {
    /// The head.
    pub head: Node,
    /// The dependent.
    pub dependent: Node,
    /// The child of the head between head and dependent that is nearest to the dependent.
    pub sibling: Option<Node>,
    /// The child of the dependent between head and dependent that is farthest from the dependent.
    pub inner: Option<Node>,
    /// The child of the dependent on the side away from the head that is farthest from it.
    pub outer: Option<Node>,
}

impl Family {
    /// The family of the arc that leads to `dependent`; `heads` is indexed by node. Linear time.
    pub fn of(heads: &[Node], dependent: Node) -> Family {
        let head = heads[dependent.index()];
        let (h, m, last) = (head.index(), dependent.index(), heads.len() - 1);
        let child_of = |parent: usize| move |&k: &usize| k != 0 && heads[k].index() == parent;
        let node = |k: usize| Node(k as u32);
        let (sibling, inner, outer) = if h < m {
            (
                (h + 1..m).rev().find(child_of(h)),
                (h + 1..m).find(child_of(m)),
                (m + 1..=last).rev().find(child_of(m)),
            )
        } else {
            (
                (m + 1..h).find(child_of(h)),
                (m + 1..h).rev().find(child_of(m)),
                (1..m).find(child_of(m)),
            )
        };
        Family {
            head,
            dependent,
            sibling: sibling.map(node),
            inner: inner.map(node),
            outer: outer.map(node),
        }
    }

    /// The factors up to an order.
    pub fn factors(self, order: Order) -> impl Iterator<Item = Factor> {
        let Family { head, dependent, sibling, inner, outer } = self;
        let all = [
            Factor::Arc { head, dependent },
            Factor::Sibling { head, dependent, sibling },
            Factor::InnerGrandchild { head, dependent, grandchild: inner },
            Factor::OuterGrandchild { head, dependent, grandchild: outer },
        ];
        let many = match order {
            Order::First => 1,
            Order::Sibling => 2,
            Order::Grandchild => 4,
        };
        all.into_iter().take(many)
    }
}

/// The labelled factors of a tree up to an order, word by word.
pub fn factors(tree: &Tree, order: Order) -> impl Iterator<Item = (Factor, Label)> + '_ {
    tree.words().flat_map(move |word| {
        let label = tree.label(word);
        Family::of(tree.heads(), word).factors(order).map(move |factor| (factor, label))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(heads: &[u32], dependent: u32) -> (u32, Option<u32>, Option<u32>, Option<u32>) {
        let heads: Vec<Node> = std::iter::once(0).chain(heads.iter().copied()).map(Node).collect();
        let family = Family::of(&heads, Node(dependent));
        let number = |node: Option<Node>| node.map(|node| node.0);
        (family.head.0, number(family.sibling), number(family.inner), number(family.outer))
    }

    #[test]
    fn neighbours_are_those_of_carreras() {
        // 3 heads 2, 5 and 7; 5 heads 4, 6; 2 heads 1.
        let heads = [2, 3, 0, 5, 3, 5, 3];
        assert_eq!(family(&heads, 7), (3, Some(5), None, None));
        assert_eq!(family(&heads, 5), (3, None, Some(4), Some(6)));
        assert_eq!(family(&heads, 2), (3, None, None, Some(1)));
        assert_eq!(family(&heads, 3), (0, None, Some(2), Some(7)));
    }

    #[test]
    fn a_child_beyond_the_head_is_no_grandchild() {
        // 3 hangs on 2 and heads 1, across 2.
        assert_eq!(family(&[3, 0, 2], 3), (2, None, None, None));
    }
}
