//! Which words are connected by arcs: a union-find forest that tells in logarithmic time whether
//! an arc would close a cycle.
//!
//! A word without a head is the top of its component, so an arc to it closes a cycle exactly when
//! its new head is in the same component. Union by size, no path compression: looking never
//! writes, and a copy is one `memcpy`.
use std::hash::{Hash, Hasher};

use crossarc_tree::Node;

/// The components of a partial tree.
#[derive(Clone, Default, Debug)]
pub(super) struct Components {
    /// The next node on the way to the representative, or minus the size of the component.
    links: Vec<i32>,
}

impl Components {
    /// Every node by itself.
    pub(super) fn reset(&mut self, words: usize) {
        self.links.clear();
        self.links.resize(words + 1, -1);
    }

    fn representative(&self, node: Node) -> usize {
        let mut at = node.index();
        while self.links[at] >= 0 {
            at = self.links[at] as usize;
        }
        at
    }

    /// True if arcs connect the two nodes.
    pub(super) fn connected(&self, one: Node, other: Node) -> bool {
        self.representative(one) == self.representative(other)
    }

    /// Notes an arc between two nodes.
    pub(super) fn connect(&mut self, one: Node, other: Node) {
        let (mut large, mut small) = (self.representative(one), self.representative(other));
        if large == small {
            return;
        }
        if self.links[large] > self.links[small] {
            (large, small) = (small, large);
        }
        self.links[large] += self.links[small];
        self.links[small] = large as i32;
    }
}

/// Components follow from the arcs, so they never tell two states apart.
impl PartialEq for Components {
    fn eq(&self, _: &Components) -> bool {
        true
    }
}

impl Eq for Components {}

impl Hash for Components {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connects_what_arcs_connect() {
        let mut components = Components::default();
        components.reset(5);
        assert!(!components.connected(Node(1), Node(2)));
        components.connect(Node(1), Node(2));
        components.connect(Node(4), Node(5));
        components.connect(Node(4), Node(5));
        assert!(components.connected(Node(2), Node(1)));
        assert!(!components.connected(Node(2), Node(5)));
        components.connect(Node(5), Node(2));
        assert!(components.connected(Node(1), Node(4)));
        assert!(!components.connected(Node(0), Node(4)));
    }
}
