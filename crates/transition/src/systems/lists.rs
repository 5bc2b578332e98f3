//! The configuration of list-based systems (Covington 2001; Nivre 2008): the words seen are in two
//! lists, those still to be compared with the front of the buffer (left list) and those already
//! compared (right list).
//!
//! Both lists are one array with a split: moving a word from the left to the right list moves the
//! split, and SHIFT, which makes everything the left list again, moves it to the end.
use super::components::Components;
use super::leftover::{Leftover, root_is_free};
use crate::{Arc, PartialTree, StateView, SystemOptions};
use crossarc_tree::{Label, Node};

/// A state of a list-based system.
#[derive(Default, PartialEq, Eq, Hash, Debug)]
pub struct Lists {
    /// The left list and, from `split` on, the right list.
    words: Vec<Node>,
    split: usize,
    front: u32,
    partial: PartialTree,
    components: Components,
    leftover: Leftover,
}

impl Clone for Lists {
    fn clone(&self) -> Lists {
        let mut copy = Lists::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Lists) {
        self.words.clone_from(&other.words);
        self.split = other.split;
        self.front = other.front;
        self.partial.clone_from(&other.partial);
        self.components.clone_from(&other.components);
        self.leftover.clone_from(&other.leftover);
    }
}

impl StateView for Lists {
    fn stack(&self, depth: usize) -> Option<Node> {
        if self.leftover.word().is_some() {
            return (depth == 0).then_some(self.leftover.head());
        }
        let index = self.split.checked_sub(depth + 1)?;
        self.words.get(index).copied()
    }

    fn buffer(&self, ahead: usize) -> Option<Node> {
        if let Some(word) = self.leftover.word() {
            return (ahead == 0).then_some(word);
        }
        let index = self.front as usize + ahead;
        (index <= self.partial.len()).then_some(Node(index as u32))
    }

    fn passed(&self, index: usize) -> Option<Node> {
        if self.leftover.word().is_some() {
            return None;
        }
        self.words.get(self.split + index).copied()
    }

    fn passed_len(&self) -> usize {
        if self.leftover.word().is_some() { 0 } else { self.words.len() - self.split }
    }

    fn partial(&self) -> &PartialTree {
        &self.partial
    }

    fn partial_mut(&mut self) -> &mut PartialTree {
        &mut self.partial
    }
}

impl Lists {
    pub(super) fn reset(&mut self, words: usize) {
        self.words.clear();
        self.words.push(Node::ROOT);
        self.split = 1;
        self.front = 1;
        self.partial.reset(words);
        self.components.reset(words);
        self.leftover.reset();
    }

    /// True if the buffer is empty and no word came back.
    pub(super) fn is_final(&self) -> bool {
        self.front as usize > self.partial.len() && self.leftover.word().is_none()
    }

    /// The word that came back for want of a head, once the buffer was empty.
    pub(super) fn leftover(&self) -> Option<Node> {
        self.leftover.word()
    }

    /// All words that have not been forgotten, with the root.
    pub(super) fn kept(&self) -> &[Node] {
        &self.words
    }

    /// Length of the left list.
    pub(super) fn left_len(&self) -> usize {
        self.split
    }

    /// The arc from the front of the buffer to the end of the left list.
    pub(super) fn left_arc(&self) -> Option<Arc> {
        Some(Arc { head: self.buffer(0)?, dependent: self.stack(0)? })
    }

    /// The arc from the end of the left list to the front of the buffer.
    pub(super) fn right_arc(&self) -> Option<Arc> {
        Some(Arc { head: self.stack(0)?, dependent: self.buffer(0)? })
    }

    /// True if LEFT-ARC keeps one head per word, the root on top, and no cycle.
    pub(super) fn may_left_arc(&self) -> bool {
        self.leftover.word().is_none()
            && self.left_arc().is_some_and(|arc| arc.dependent != Node::ROOT && self.fits(arc))
    }

    /// True if RIGHT-ARC keeps one head per word, the root policy, and no cycle.
    pub(super) fn may_right_arc(&self, options: SystemOptions) -> bool {
        self.leftover.word().is_some()
            || self.right_arc().is_some_and(|arc| {
                (arc.head != Node::ROOT || root_is_free(&self.partial, options.roots))
                    && self.fits(arc)
            })
    }

    /// True if the arc keeps one head per word and closes no cycle.
    pub(super) fn fits(&self, arc: Arc) -> bool {
        self.partial.head(arc.dependent).is_none()
            && !self.components.connected(arc.head, arc.dependent)
    }

    /// True if the end of the left list can be passed.
    pub(super) fn may_pass(&self) -> bool {
        self.leftover.word().is_none() && self.split > 0 && self.buffer(0).is_some()
    }

    /// True if the end of the left list has a head and can be forgotten.
    pub(super) fn may_reduce(&self) -> bool {
        self.may_pass() && self.stack(0).is_some_and(|word| self.partial.head(word).is_some())
    }

    pub(super) fn may_shift(&self, options: SystemOptions) -> bool {
        match self.leftover.word() {
            Some(_) => self.leftover.may_pass(&self.partial, options.roots),
            None => self.buffer(0).is_some(),
        }
    }

    /// Adds an arc; the caller moves the words.
    pub(super) fn attach(&mut self, arc: Option<Arc>, label: Label) {
        if let Some(Arc { head, dependent }) = arc {
            self.partial.attach(head, dependent, label);
            self.components.connect(head, dependent);
        }
    }

    /// Moves the end of the left list to the right list, or goes on to the next leftover word.
    pub(super) fn pass(&mut self, options: SystemOptions) {
        if self.leftover.word().is_some() {
            self.leftover.attached(&self.partial, options.roots);
        } else {
            self.split -= 1;
        }
    }

    /// Forgets the end of the left list.
    pub(super) fn reduce(&mut self) {
        self.split -= 1;
        self.words.remove(self.split);
    }

    /// Makes everything up to the front of the buffer the left list.
    pub(super) fn shift(&mut self, options: SystemOptions) {
        if self.leftover.word().is_some() {
            self.leftover.pass(&self.partial, options.roots);
            return;
        }
        self.words.push(Node(self.front));
        self.split = self.words.len();
        self.front += 1;
        if self.front as usize > self.partial.len() && !options.partial {
            self.leftover.bring_back(&self.partial, options.roots, 1);
        }
    }
}
