//! The partial tree that every system builds, and what features may see of a state.
use std::hash::{Hash, Hasher};

use crossarc_tree::{Label, Node, Tree, TreeError};

/// What features may look at. Every state offers the same view, so templates fit every system.
pub trait StateView {
    /// The word `depth` places below the top of the stack (the left list of list-based systems).
    fn stack(&self, depth: usize) -> Option<Node>;
    /// The word `ahead` places after the front of the buffer.
    fn buffer(&self, ahead: usize) -> Option<Node>;
    /// The words passed between stack top and buffer front (the right list of list-based
    /// systems), from the left.
    fn passed(&self, _index: usize) -> Option<Node> {
        None
    }
    /// Number of words in the list of [`StateView::passed`].
    fn passed_len(&self) -> usize {
        0
    }
    /// The arcs built so far.
    fn partial(&self) -> &PartialTree;
    /// The same, to note what was done.
    fn partial_mut(&mut self) -> &mut PartialTree;
}

/// An arc of a dependency tree.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Arc {
    /// The governing node.
    pub head: Node,
    /// The governed word.
    pub dependent: Node,
}

/// Between which words a system builds arcs; features look there.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Focus {
    /// Between the top of the stack and the front of the buffer.
    StackBuffer,
    /// Between the two topmost words of the stack.
    StackStack,
}

const NONE: u32 = u32::MAX;

/// What is known of one node of a partial tree: two nearest-to-the-edge children on each side,
/// how many there are, an order-free mix of their labels, and their labels as a set.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct Entry {
    head: u32,
    leftmost: [u32; 2],
    rightmost: [u32; 2],
    left_count: u16,
    right_count: u16,
    left_labels: u32,
    right_labels: u32,
    child_labels: u64,
    label: Label,
}

const EMPTY: Entry = Entry {
    head: NONE,
    leftmost: [NONE; 2],
    rightmost: [NONE; 2],
    left_count: 0,
    right_count: 0,
    left_labels: 0,
    right_labels: 0,
    child_labels: 0,
    label: Label(0),
};

fn node(raw: u32) -> Option<Node> {
    (raw != NONE).then_some(Node(raw))
}

/// So many of the last moves are remembered, for features.
pub const MOST_HISTORY: usize = 6;

/// The last moves with the labels of their arcs, the newest first; 0 where there is none.
type History = [u32; MOST_HISTORY];

/// The arcs built so far, in which order, and by which moves the last of them were built. What led to a
/// state never tells two states apart: those are equal that have the same arcs.
#[derive(Default, Debug)]
pub struct PartialTree {
    entries: Vec<Entry>,
    history: History,
    /// The dependents of all arcs as they were built.
    built: Vec<Node>,
}

impl PartialEq for PartialTree {
    fn eq(&self, other: &PartialTree) -> bool {
        self.entries == other.entries
    }
}

impl Eq for PartialTree {}

impl Hash for PartialTree {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.entries.hash(hasher);
    }
}

impl Clone for PartialTree {
    fn clone(&self) -> PartialTree {
        PartialTree {
            entries: self.entries.clone(),
            history: self.history,
            built: self.built.clone(),
        }
    }

    /// Reuses memory, which beam search counts on.
    fn clone_from(&mut self, source: &PartialTree) {
        self.entries.clone_from(&source.entries);
        self.history = source.history;
        self.built.clone_from(&source.built);
    }
}

impl PartialTree {
    /// Forgets all arcs and makes room for a sentence.
    pub fn reset(&mut self, words: usize) {
        self.entries.clear();
        self.entries.resize(words + 1, EMPTY);
        self.history = History::default();
        self.built.clear();
    }

    /// Number of words of the sentence.
    pub fn len(&self) -> usize {
        self.entries.len().saturating_sub(1)
    }

    /// True for the empty sentence.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an arc. The dependent must not have a head.
    pub fn attach(&mut self, head: Node, dependent: Node, label: Label) {
        debug_assert!(self.head(dependent).is_none() && dependent != Node::ROOT);
        let d = dependent.0;
        let entry = &mut self.entries[dependent.index()];
        entry.head = head.0;
        entry.label = label;
        self.built.push(dependent);
        let parent = &mut self.entries[head.index()];
        parent.child_labels |= 1 << (label.0 % 64);
        let mixed = u32::from(label.0).wrapping_add(1).wrapping_mul(0x9E37_79B1);
        if dependent < head {
            let [first, second] = &mut parent.leftmost;
            if d < *first {
                (*first, *second) = (d, *first);
            } else if d < *second {
                *second = d;
            }
            parent.left_count = parent.left_count.saturating_add(1);
            parent.left_labels = parent.left_labels.wrapping_add(mixed);
        } else {
            let [first, second] = &mut parent.rightmost;
            if *first == NONE || d > *first {
                (*first, *second) = (d, *first);
            } else if *second == NONE || d > *second {
                *second = d;
            }
            parent.right_count = parent.right_count.saturating_add(1);
            parent.right_labels = parent.right_labels.wrapping_add(mixed);
        }
    }

    /// Adds an arc that gets its label later, by [`PartialTree::name`].
    pub fn attach_unnamed(&mut self, head: Node, dependent: Node) {
        let of_parent = |entry: &Entry| (entry.child_labels, entry.left_labels, entry.right_labels);
        let before = of_parent(&self.entries[head.index()]);
        self.attach(head, dependent, Label(u16::MAX));
        let parent = &mut self.entries[head.index()];
        (parent.child_labels, parent.left_labels, parent.right_labels) = before;
    }

    /// Names an arc of [`PartialTree::attach_unnamed`].
    pub fn name(&mut self, dependent: Node, label: Label) {
        let Some(head) = self.head(dependent) else { return };
        self.entries[dependent.index()].label = label;
        let parent = &mut self.entries[head.index()];
        parent.child_labels |= 1 << (label.0 % 64);
        let mixed = u32::from(label.0).wrapping_add(1).wrapping_mul(0x9E37_79B1);
        let labels =
            if dependent < head { &mut parent.left_labels } else { &mut parent.right_labels };
        *labels = labels.wrapping_add(mixed);
    }

    /// The words that have a head, in the order in which they got it.
    pub fn built(&self) -> &[Node] {
        &self.built
    }

    /// The head of a word, once it has one.
    pub fn head(&self, word: Node) -> Option<Node> {
        node(self.entries[word.index()].head)
    }

    /// The label of a word that has a head.
    pub fn label(&self, word: Node) -> Label {
        self.entries[word.index()].label
    }

    /// The leftmost (0) or second leftmost (1) child to the left of a node.
    pub fn left_child(&self, of: Node, rank: usize) -> Option<Node> {
        node(self.entries[of.index()].leftmost[rank])
    }

    /// The rightmost (0) or second rightmost (1) child to the right of a node.
    pub fn right_child(&self, of: Node, rank: usize) -> Option<Node> {
        node(self.entries[of.index()].rightmost[rank])
    }

    /// Number of children to the left.
    pub fn left_count(&self, of: Node) -> usize {
        usize::from(self.entries[of.index()].left_count)
    }

    /// Number of children to the right.
    pub fn right_count(&self, of: Node) -> usize {
        usize::from(self.entries[of.index()].right_count)
    }

    /// A number that identifies the multiset of labels of the left children.
    pub fn left_labels(&self, of: Node) -> u32 {
        self.entries[of.index()].left_labels
    }

    /// A number that identifies the multiset of labels of the right children.
    pub fn right_labels(&self, of: Node) -> u32 {
        self.entries[of.index()].right_labels
    }

    /// The labels of all children as a set of bits; labels whose numbers differ by a multiple of
    /// 64 share one.
    pub fn child_labels(&self, of: Node) -> u64 {
        self.entries[of.index()].child_labels
    }

    /// Notes that a move was made, with the label of the arc that it built.
    #[inline]
    pub fn note(&mut self, mv: usize, label: Option<Label>) {
        self.history.copy_within(..MOST_HISTORY - 1, 1);
        self.history[0] = (mv as u32 + 1) << 17 | label.map_or(0, |label| u32::from(label.0) + 1);
    }

    /// A number that identifies the last move (0), the one before (1), and so on, with the label of its
    /// arc; 0 if there was none.
    pub fn made(&self, rank: usize) -> u32 {
        self.history.get(rank).copied().unwrap_or(0)
    }

    /// True if an arc built so far crosses one between these two words. Linear time.
    pub fn crosses(&self, one: Node, other: Node) -> bool {
        let (left, right) = (one.min(other), one.max(other));
        let within = |node: Node| left < node && node < right;
        let without = |node: Node| node < left || right < node;
        self.entries.iter().zip(0..).any(|(entry, word)| {
            node(entry.head).is_some_and(|head| {
                within(head) && without(Node(word)) || without(head) && within(Node(word))
            })
        })
    }

    /// True if `ancestor` is `node` or above it, by walking up.
    pub fn dominates(&self, ancestor: Node, node: Node) -> bool {
        let mut at = Some(node);
        while let Some(here) = at {
            if here == ancestor {
                return true;
            }
            at = self.head(here);
        }
        false
    }

    /// The finished tree; words without a head hang on the root with the given label.
    pub fn to_tree(&self, unattached: Label) -> Result<Tree, TreeError> {
        Tree::new(self.entries.iter().skip(1).map(|entry| match node(entry.head) {
            Some(head) => (head, entry.label),
            None => (Node::ROOT, unattached),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_moves_are_remembered() {
        let mut partial = PartialTree::default();
        partial.reset(2);
        assert_eq!(partial.made(0), 0);
        partial.note(0, None);
        let shift = partial.made(0);
        for label in 0..6 {
            partial.note(0, Some(Label(label)));
        }
        let made: Vec<u32> = (0..8).map(|rank| partial.made(rank)).collect();
        assert!((0..6).all(|one| (0..one).all(|other| made[one] != made[other])));
        assert!(!made[..6].contains(&shift) && made[6..] == [0, 0]);
        let mut other = PartialTree::default();
        other.reset(2);
        assert_eq!(partial, other, "states are told apart by their arcs");
    }

    #[test]
    fn arcs_cross_if_one_starts_within_the_other_and_ends_outside() {
        let mut partial = PartialTree::default();
        partial.reset(5);
        partial.attach(Node(4), Node(2), Label(0));
        let crossing = [(1, 3), (3, 1), (3, 5), (0, 3)];
        for (one, other) in (0..=5).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let expected = crossing.contains(&(one, other)) || crossing.contains(&(other, one));
            assert_eq!(partial.crosses(Node(one), Node(other)), expected, "{one} {other}");
        }
    }
}
