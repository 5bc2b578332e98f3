//! What becomes of words that are still without a head when the buffer is empty.
//!
//! Each comes back to the front of the buffer, from left to right, with the only head on the stack
//! that is sure to keep the tree valid: the root, or, if only one word may hang on the root and one
//! does, that word. RIGHT-ARC attaches it. Where only one word may become the root, SHIFT passes
//! the choice on to the next. This is the idea of the UNSHIFT move of Nivre and Fernández-González
//! (2014) for systems that forget nothing; it needs no repair after parsing, and labels are chosen
//! by the scorer as for any arc.
//!
//! At most two moves per word; finding the next word costs linear time per sentence.
use crate::PartialTree;
use crossarc_tree::{Node, RootPolicy};

/// The word that came back and the head it may get.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub(super) struct Leftover {
    /// 0 if none.
    word: u32,
    head: Node,
}

/// True if one more word may hang on the root.
pub(super) fn root_is_free(partial: &PartialTree, roots: RootPolicy) -> bool {
    roots == RootPolicy::Several || partial.right_count(Node::ROOT) == 0
}

fn next(partial: &PartialTree, from: u32) -> Option<u32> {
    (from..=partial.len() as u32).find(|&word| partial.head(Node(word)).is_none())
}

impl Leftover {
    /// Forgets the last sentence.
    pub(super) fn reset(&mut self) {
        *self = Leftover::default();
    }

    /// Brings the first word at `from` or later back.
    pub(super) fn bring_back(&mut self, partial: &PartialTree, roots: RootPolicy, from: u32) {
        self.word = next(partial, from).unwrap_or(0);
        self.head = match partial.right_child(Node::ROOT, 0) {
            Some(word) if !root_is_free(partial, roots) => word,
            _ => Node::ROOT,
        };
    }

    /// The word that came back.
    pub(super) fn word(&self) -> Option<Node> {
        (self.word != 0).then_some(Node(self.word))
    }

    /// The head it may get.
    pub(super) fn head(&self) -> Node {
        self.head
    }

    /// Replaces the head that the word may get.
    pub(super) fn offer(&mut self, head: Node) {
        self.head = head;
    }

    /// True if the choice of the root can be left to a later word.
    pub(super) fn may_pass(&self, partial: &PartialTree, roots: RootPolicy) -> bool {
        roots == RootPolicy::Single
            && self.head == Node::ROOT
            && next(partial, self.word + 1).is_some()
    }

    /// Leaves the choice of the root to a later word.
    pub(super) fn pass(&mut self, partial: &PartialTree, roots: RootPolicy) {
        self.bring_back(partial, roots, self.word + 1);
    }

    /// Goes on after the word got its head. Words passed before the root was chosen come again.
    pub(super) fn attached(&mut self, partial: &PartialTree, roots: RootPolicy) {
        let chosen = roots == RootPolicy::Single && self.head == Node::ROOT;
        self.bring_back(partial, roots, if chosen { 1 } else { self.word + 1 });
    }
}
