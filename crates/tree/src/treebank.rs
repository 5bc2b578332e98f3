//! From sentences of a treebank to trees and back.
//!
//! ```
//! use crossarc_tree::{Labels, Node, RootPolicy};
//! use crossarc_tree::treebank::{root_policy, tree_of, write_tree};
//! let text = "1\tso\tso\tADV\t_\t_\t2\tadvmod\t_\t_\n2\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n";
//! let mut sentence = conll::read_str(text, conll::ReadOptions::default())?.remove(0);
//! let mut labels = Labels::default();
//! let mut tree = tree_of(&sentence, &mut labels)?;
//! assert_eq!(tree.head(Node(1)), Node(2));
//! assert_eq!(root_policy([&tree]), RootPolicy::Single);
//!
//! tree.set_label(Node(1), labels.intern("discourse").unwrap());
//! write_tree(&tree, &labels, &mut sentence);
//! assert_eq!(sentence.word(1).deprel(), "discourse");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
pub mod check;
pub mod crossing;
pub mod filling;
pub mod generate;
pub mod inventory;
pub mod morphology;
pub mod root_rule;
pub mod statistics;

use conll::{Column, Sentence};

use crate::{Label, Labels, Node, RootPolicy, Tree, TreeError};

/// Why a sentence has no tree.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreebankError {
    /// A word without a head.
    #[error("line {line}: word {word} has no head; a complete tree is needed here")]
    MissingHead {
        /// The line in the file.
        line: usize,
        /// The word.
        word: u32,
    },
    /// Heads that make no tree.
    #[error("sentence at line {line}: {error}")]
    NotATree {
        /// The first line of the sentence.
        line: usize,
        /// What is wrong.
        error: TreeError,
    },
    /// More labels than a parser can number.
    #[error(
        "line {line}: more than {} different labels; is another column read as the label?",
        Labels::LIMIT
    )]
    TooManyLabels {
        /// The line in the file.
        line: usize,
    },
}

/// The tree of a sentence; its labels are added to the inventory.
pub fn tree_of(sentence: &Sentence, labels: &mut Labels) -> Result<Tree, TreebankError> {
    tree_with(sentence, |word| {
        labels.intern(word.deprel()).ok_or(TreebankError::TooManyLabels { line: word.line() })
    })
}

/// The tree of a sentence without its labels.
pub fn unlabelled_tree_of(sentence: &Sentence) -> Result<Tree, TreebankError> {
    tree_with(sentence, |_| Ok(Label::default()))
}

fn tree_with(
    sentence: &Sentence,
    mut label_of: impl FnMut(&conll::Word) -> Result<Label, TreebankError>,
) -> Result<Tree, TreebankError> {
    let mut arcs = Vec::with_capacity(sentence.len());
    for word in sentence.words() {
        let head =
            word.head().ok_or(TreebankError::MissingHead { line: word.line(), word: word.id() })?;
        arcs.push((Node(head), label_of(&word)?));
    }
    let line = sentence.first_line();
    Tree::new(arcs).map_err(|error| TreebankError::NotATree { line, error })
}

/// Writes heads and labels into a sentence.
///
/// # Panics
/// If the tree and the sentence differ in length.
pub fn write_tree(tree: &Tree, labels: &Labels, sentence: &mut Sentence) {
    assert_eq!(tree.len(), sentence.len(), "a tree belongs to a sentence of the same length");
    for word in tree.words() {
        sentence.set_head(word.index(), Some(tree.head(word).0));
        sentence.set(word.index(), Column::Deprel, labels.name(tree.label(word)));
    }
}

/// The root policy of a treebank: several roots are allowed once a tree has them.
pub fn root_policy<'a>(trees: impl IntoIterator<Item = &'a Tree>) -> RootPolicy {
    if trees.into_iter().all(|tree| tree.obeys(RootPolicy::Single)) {
        RootPolicy::Single
    } else {
        RootPolicy::Several
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{label_randomly, random_tree};
    use crate::seed::Seed;

    fn sentence(words: usize) -> Sentence {
        let lines: Vec<String> =
            (1..=words).map(|id| format!("{id}\tw{id}\t_\t_\t_\t_\t_\t_\t_\t_\n")).collect();
        conll::read_str(&lines.concat(), conll::ReadOptions::default()).unwrap().remove(0)
    }

    #[test]
    fn trees_survive_a_sentence() {
        let mut labels = Labels::default();
        for name in ["a", "b", "c"] {
            labels.intern(name);
        }
        let mut rng = Seed(21).rng();
        for words in 1..30 {
            let mut tree = random_tree(&mut rng, words, RootPolicy::Several);
            label_randomly(&mut rng, &mut tree, 3);
            let mut sentence = sentence(words);
            write_tree(&tree, &labels, &mut sentence);
            assert_eq!(tree_of(&sentence, &mut labels), Ok(tree));
        }
        assert_eq!(labels.len(), 3);
    }

    #[test]
    fn bad_sentences_are_refused_with_their_line() {
        let mut sentence = sentence(2);
        let error = tree_of(&sentence, &mut Labels::default()).unwrap_err();
        assert_eq!(error, TreebankError::MissingHead { line: 1, word: 1 });
        sentence.set_head(1, Some(2));
        sentence.set_head(2, Some(1));
        let error = unlabelled_tree_of(&sentence).unwrap_err();
        assert_eq!(error.to_string(), "sentence at line 1: word 1 is on a cycle");
    }

    #[test]
    fn one_tree_with_several_roots_decides() {
        let one = Tree::from_heads(&[0, 1]).unwrap();
        let two = Tree::from_heads(&[0, 0]).unwrap();
        assert_eq!(root_policy([&one, &one]), RootPolicy::Single);
        assert_eq!(root_policy([&one, &two]), RootPolicy::Several);
    }
}
