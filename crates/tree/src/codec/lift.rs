//! Projectivising a tree by lifting: a non-projective arc is moved from its head to the head's
//! head until no arc is non-projective.
//!
//! The shortest non-projective arc is lifted first, of two equally short ones the one whose
//! dependent is further to the left (Nivre and Nilsson 2005; Algorithm 5 of Reisinger 2016). What
//! counts as non-projective is a [`Definition`]: dominance (Nivre and Nilsson 2005, Björkelund and
//! Kuhn 2012) or crossing (Algorithm 4 of Reisinger 2016). Arcs from the artificial root cannot be
//! lifted; both definitions end in a projective tree, not always the same one.
//!
//! Nothing is scanned again after a lift: [`Definition::Dominance`] keeps for every word the block
//! of words around it that it dominates, which only ever shrinks; [`Definition::Crossing`] keeps
//! the arcs in two range-maximum trees. Time is `O(n + k log n)` and `O((n + k) log n)` for `n`
//! words and `k` lifts, as long as subtrees do not interleave deeply.
//!
//! ```
//! use crossarc_tree::codec::lift::{Definition, projectivise};
//! use crossarc_tree::{Node, Tree};
//! // "A hearing is scheduled on the issue today ."
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]).unwrap();
//! let lifted = projectivise(&tree, Definition::Dominance);
//! assert_eq!(lifted.lifts, 2);
//! assert_eq!(lifted.tree.head(Node(5)), Node(3)); // "on": from "hearing" to "is"
//! assert_eq!(lifted.tree.head(Node(8)), Node(3)); // "today": from "scheduled" to "is"
//! ```
mod crossing;
mod dominance;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use crate::{Node, Tree};

/// When an arc counts as non-projective.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Definition {
    /// The head does not dominate every word between head and dependent.
    #[default]
    Dominance,
    /// Another arc, root arcs included, has one end strictly inside and one strictly outside.
    Crossing,
    /// The same, and the arcs of the only word under the root are lifted, too: Algorithms 4 and 5 of
    /// Reisinger (2016) to the letter. Several words may come to hang on the root.
    CrossingToRoot,
}

/// A projective tree and how it was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lifted {
    /// The projective tree, with the labels of the original one.
    pub tree: Tree,
    /// Number of lift operations (Table 4.2 of Reisinger 2016).
    pub lifts: usize,
    /// By node: true if a dependent was lifted away from this node.
    pub passed: Vec<bool>,
}

impl Lifted {
    /// The words that have another head than in the original tree.
    pub fn moved<'a>(&'a self, original: &'a Tree) -> impl Iterator<Item = Node> + 'a {
        original.words().filter(|&word| original.head(word) != self.tree.head(word))
    }
}

/// Lifts until the tree is projective. A projective tree comes back as it is.
///
/// A tree with one word under the root keeps exactly one: by dominance nothing is ever lifted past
/// that word, by crossing its own arcs are left alone and the arcs that cross them are lifted.
pub fn projectivise(tree: &Tree, definition: Definition) -> Lifted {
    let steps = match definition {
        Definition::Dominance => dominance::lift_all(tree),
        Definition::Crossing => crossing::lift_all(tree, true),
        Definition::CrossingToRoot => crossing::lift_all(tree, false),
    };
    if steps.lifts == 0 {
        return Lifted { tree: tree.clone(), lifts: 0, passed: steps.passed };
    }
    let arcs = tree.words().map(|word| (Node(steps.heads[word.index()]), tree.label(word)));
    // A lift moves a word to one of its own ancestors, so a tree stays a tree.
    let lifted = Tree::new(arcs);
    debug_assert!(lifted.is_ok(), "{lifted:?}");
    Lifted {
        tree: lifted.unwrap_or_else(|_| tree.clone()),
        lifts: steps.lifts,
        passed: steps.passed,
    }
}

/// Heads while lifting goes on.
struct Steps {
    heads: Vec<u32>,
    lifts: usize,
    passed: Vec<bool>,
}

impl Steps {
    fn new(tree: &Tree) -> Steps {
        Steps {
            heads: tree.heads().iter().map(|head| head.0).collect(),
            lifts: 0,
            passed: vec![false; tree.len() + 1],
        }
    }

    /// Moves a word from its head to the head's head; returns both.
    fn lift(&mut self, dependent: u32) -> (u32, u32) {
        let from = self.heads[dependent as usize];
        let to = self.heads[from as usize];
        self.heads[dependent as usize] = to;
        self.passed[from as usize] = true;
        self.lifts += 1;
        (from, to)
    }
}

/// Arcs waiting to be lifted, shortest first, then leftmost dependent.
#[derive(Default)]
struct ShortestFirst(BinaryHeap<Reverse<(u32, u32)>>);

impl ShortestFirst {
    fn push(&mut self, head: u32, dependent: u32) {
        self.0.push(Reverse((head.abs_diff(dependent), dependent)));
    }

    fn pop(&mut self) -> Option<u32> {
        self.0.pop().map(|Reverse((_, dependent))| dependent)
    }
}
