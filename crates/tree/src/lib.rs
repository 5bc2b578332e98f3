//! Dependency trees: one head per word, no cycle, every word below the artificial root.
//!
//! | module | what it holds |
//! |---|---|
//! | [`projectivity`], [`classes`] | crossing arcs by both definitions; gap degree, planarity and other classes |
//! | [`structure`], [`order`] | dominance and spans in constant time; the projective order of the words |
//! | [`codec`] | projectivising, pseudo-projective encodings, reversible treebank transformations |
//! | [`treebank`] | from sentences to trees and back; checks, statistics, made-up treebanks |
//! | [`repair`] | a tree that keeps heads given beforehand |
//! | [`generate`] | all small trees and random large ones |
//! | [`seed`] | named, reproducible random streams |
//!
//! ```
//! use crossarc_tree::{Node, Tree};
//! // "A hearing is scheduled on the issue today ." (Nivre 2009, Figure 1)
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]).unwrap();
//! assert_eq!(tree.head(Node(5)), Node(2));
//! assert_eq!(tree.roots().count(), 1);
//! assert!(Tree::from_heads(&[2, 1]).is_err()); // a cycle
//! ```
#![forbid(unsafe_code)]

pub mod classes;
pub mod codec;
pub mod generate;
mod labels;
pub mod order;
pub mod projectivity;
mod range_minimum;
pub mod repair;
pub mod seed;
pub mod structure;
pub mod treebank;

pub use labels::{Label, Labels};

/// A node of a sentence: 0 is the artificial root, words are `1..=n`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Node(pub u32);

impl Node {
    /// The artificial root, to the left of the first word.
    pub const ROOT: Node = Node(0);

    /// Where the node is in the sentence of `words` words read from its last word to its first.
    #[must_use]
    pub fn mirrored(self, words: u32) -> Node {
        if self == Node::ROOT { self } else { Node(words + 1 - self.0) }
    }

    /// The node as an index into arrays that have a place for the root.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How many words may hang on the artificial root.
#[derive(
    Copy, Clone, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum RootPolicy {
    /// Exactly one, as in Universal Dependencies.
    #[default]
    Single,
    /// One or more, as in CoNLL-X treebanks.
    Several,
}

/// Why heads do not make a tree.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeError {
    /// A head that is neither the root nor a word of the sentence.
    #[error("word {word} has head {head}, but the sentence has {words} words")]
    HeadOutOfRange {
        /// The word.
        word: u32,
        /// Its head.
        head: u32,
        /// Number of words in the sentence.
        words: u32,
    },
    /// A word that is its own ancestor.
    #[error("word {word} is on a cycle")]
    Cycle {
        /// The leftmost word of the cycle.
        word: u32,
    },
}

/// A complete dependency tree. The constructors check, so an invalid tree cannot exist.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tree {
    /// Indexed by node; the place of the root holds the root itself.
    heads: Vec<Node>,
    labels: Vec<Label>,
}

impl Default for Tree {
    /// The tree of the empty sentence.
    fn default() -> Tree {
        Tree { heads: vec![Node::ROOT], labels: vec![Label::default()] }
    }
}

impl Tree {
    /// A tree from head and label of each word, first word first.
    pub fn new(arcs: impl IntoIterator<Item = (Node, Label)>) -> Result<Tree, TreeError> {
        let mut heads = vec![Node::ROOT];
        let mut labels = vec![Label::default()];
        for (head, label) in arcs {
            heads.push(head);
            labels.push(label);
        }
        check(&heads)?;
        Ok(Tree { heads, labels })
    }

    /// An unlabelled tree: the head of each word, first word first, 0 for the root.
    pub fn from_heads(heads: &[u32]) -> Result<Tree, TreeError> {
        Tree::new(heads.iter().map(|&head| (Node(head), Label::default())))
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.heads.len() - 1
    }

    /// True for the tree of the empty sentence.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words from left to right.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + use<> {
        (1..self.heads.len()).map(|index| Node(index as u32))
    }

    /// The head of a word. The head of the root is the root.
    pub fn head(&self, dependent: Node) -> Node {
        self.heads[dependent.index()]
    }

    /// The label of the arc that leads to a word.
    pub fn label(&self, dependent: Node) -> Label {
        self.labels[dependent.index()]
    }

    /// Heads indexed by node, with the root's own place first.
    pub fn heads(&self) -> &[Node] {
        &self.heads
    }

    /// Labels indexed by node, with the root's own place first.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The words under the artificial root.
    pub fn roots(&self) -> impl Iterator<Item = Node> + '_ {
        self.words().filter(|&word| self.head(word) == Node::ROOT)
    }

    /// True if the number of words under the root is allowed.
    pub fn obeys(&self, policy: RootPolicy) -> bool {
        policy == RootPolicy::Several || self.roots().count() <= 1
    }

    /// The tree of the sentence read from its last word to its first.
    #[must_use]
    pub fn mirrored(&self) -> Tree {
        let words = self.len() as u32;
        let mirror = |node: Node| node.mirrored(words);
        let nodes = || std::iter::once(Node::ROOT).chain(self.words().rev());
        Tree {
            heads: nodes().map(|node| mirror(self.head(node))).collect(),
            labels: nodes().map(|node| self.label(node)).collect(),
        }
    }

    /// Replaces the label of a word.
    pub fn set_label(&mut self, word: Node, label: Label) {
        self.labels[word.index()] = label;
    }
}

/// Linear time: every node is coloured by the walk that first reached it.
fn check(heads: &[Node]) -> Result<(), TreeError> {
    let words = heads.len() as u32 - 1;
    let mut reached_by = vec![0u32; heads.len()];
    for word in 1..=words {
        let mut at = word;
        while at != 0 && reached_by[at as usize] == 0 {
            reached_by[at as usize] = word;
            let head = heads[at as usize].0;
            if head > words {
                return Err(TreeError::HeadOutOfRange { word: at, head, words });
            }
            at = head;
        }
        if at != 0 && reached_by[at as usize] == word {
            let mut leftmost = at;
            let mut next = heads[at as usize].0;
            while next != at {
                leftmost = leftmost.min(next);
                next = heads[next as usize].0;
            }
            return Err(TreeError::Cycle { word: leftmost });
        }
    }
    Ok(())
}
