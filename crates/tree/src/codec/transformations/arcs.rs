//! The arcs of a sentence while a transformation changes them.
use conll::{Column, Sentence};

use crate::Tree;
use crate::treebank::unlabelled_tree_of;

/// Heads and labels, by word, the place of the root first. Always a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arcs {
    heads: Vec<u32>,
    labels: Vec<String>,
}

impl Arcs {
    /// The arcs of a sentence, if they make a tree.
    pub(super) fn of(sentence: &Sentence) -> Option<Arcs> {
        unlabelled_tree_of(sentence).ok()?;
        let mut arcs = Arcs { heads: vec![0], labels: vec![String::new()] };
        for word in sentence.words() {
            arcs.heads.push(word.head()?);
            arcs.labels.push(word.deprel().to_owned());
        }
        Some(arcs)
    }

    pub(super) fn write_to(&self, sentence: &mut Sentence) {
        for word in self.words() {
            sentence.set_head(word, Some(self.heads[word]));
            sentence.set(word, Column::Deprel, &self.labels[word]);
        }
    }

    pub(super) fn words(&self) -> std::ops::Range<usize> {
        1..self.heads.len()
    }

    pub(super) fn head(&self, word: usize) -> usize {
        self.heads[word] as usize
    }

    /// The label of a word, empty for the root.
    pub(super) fn label(&self, word: usize) -> &str {
        &self.labels[word]
    }

    pub(super) fn set_label(&mut self, word: usize, label: impl Into<String>) {
        self.labels[word] = label.into();
    }

    pub(super) fn roots(&self) -> usize {
        self.words().filter(|&word| self.head(word) == 0).count()
    }

    /// True if `ancestor` is `word` itself or above it.
    pub(super) fn dominates(&self, ancestor: usize, word: usize) -> bool {
        let mut at = word;
        while at != ancestor && at != 0 {
            at = self.head(at);
        }
        at == ancestor
    }

    /// Hangs a word on another head, unless that would close a cycle.
    pub(super) fn reattach(&mut self, word: usize, head: usize) -> bool {
        let allowed = !self.dominates(word, head);
        if allowed {
            self.heads[word] = head as u32;
        }
        allowed
    }

    /// Lets a dependent take the place of its head, which becomes its dependent.
    pub(super) fn switch_with_head(&mut self, dependent: usize) {
        let head = self.head(dependent);
        if head != 0 {
            self.heads[dependent] = self.heads[head];
            self.heads[head] = dependent as u32;
        }
    }

    /// True if the head dominates every word between a word and it.
    pub(super) fn is_projective(&self, word: usize) -> bool {
        let head = self.head(word);
        (word.min(head) + 1..word.max(head)).all(|between| self.dominates(head, between))
    }

    /// Words with every head before its dependents.
    pub(super) fn top_down(&self) -> Vec<usize> {
        let mut dependents = vec![Vec::new(); self.heads.len()];
        for word in self.words() {
            dependents[self.head(word)].push(word);
        }
        let mut order = dependents[0].clone();
        let mut at = 0;
        while let Some(&word) = order.get(at) {
            order.extend_from_slice(&dependents[word]);
            at += 1;
        }
        order
    }
}

/// Changes the arcs of a copy of a sentence; a sentence without a tree is copied as it is.
pub(super) fn with_arcs(sentence: &Sentence, change: impl FnOnce(&mut Arcs)) -> Sentence {
    let mut copy = sentence.clone();
    if let Some(mut arcs) = Arcs::of(sentence) {
        change(&mut arcs);
        debug_assert!(Tree::from_heads(&arcs.heads[1..]).is_ok());
        arcs.write_to(&mut copy);
    }
    copy
}

/// True if a word consists of punctuation and symbols only.
pub(super) fn is_punctuation(form: &str) -> bool {
    !form.is_empty()
        && form.chars().all(|character| !character.is_alphanumeric() && character != '_')
}
