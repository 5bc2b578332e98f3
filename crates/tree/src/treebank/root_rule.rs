//! Labels that fit heads: in most treebanks the words under the root have a label of their own, and
//! no other word has it (`root` in Universal Dependencies). A parser chooses heads and labels by
//! scores, so now and then a label does not fit the head that the word has in the end: heads were
//! given, the tree was repaired, a codec undone, labels were voted for. [`RootRule::apply`] is what
//! every parsed sentence passes before it is written.
//!
//! ```
//! use crossarc_tree::treebank::root_rule::RootRule;
//! let read = |text: &str| conll::read_str(text, conll::ReadOptions::default()).unwrap();
//! let row = |id, tag, head, label| format!("{id}\tw\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n");
//! let gold = read(&(row(1, "NOUN", 2, "nsubj") + &row(2, "VERB", 0, "root") + "\n"));
//! let rule = RootRule::learn(&gold).unwrap();
//!
//! let mut parsed = read(&(row(1, "NOUN", 2, "root") + &row(2, "VERB", 0, "obj") + "\n")).remove(0);
//! rule.apply(&mut parsed, |_| false);
//! assert_eq!((parsed.word(1).deprel(), parsed.word(2).deprel()), ("nsubj", "root"));
//! ```
use std::collections::BTreeMap;

use conll::{Column, Sentence};
use serde::{Deserialize, Serialize};

/// The label of the words under the root, and what other words get instead of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RootRule {
    /// The label of words under the root.
    pub root: String,
    /// The most frequent label of other words.
    pub usual: String,
    /// The most frequent label of other words by coarse tag.
    pub by_tag: BTreeMap<String, String>,
}

/// The label of Universal Dependencies for relations that nothing else is known about.
const UNKNOWN: &str = "dep";

/// A treebank may break its rule in one of so many cases, by mistake.
const MISTAKES: usize = 100;

impl RootRule {
    /// The rule of Universal Dependencies, where nothing is known of the treebank.
    pub fn universal() -> RootRule {
        let (root, usual) = ("root".to_owned(), UNKNOWN.to_owned());
        RootRule { root, usual, by_tag: BTreeMap::new() }
    }

    /// The rule that these sentences follow, if they do. Words without a head tell nothing.
    pub fn learn<'s>(sentences: impl IntoIterator<Item = &'s Sentence>) -> Option<RootRule> {
        let mut roots: BTreeMap<String, usize> = BTreeMap::new();
        let mut others: BTreeMap<(String, String), usize> = BTreeMap::new();
        for word in sentences.into_iter().flat_map(Sentence::words) {
            let (tag, label) = (word.upos(), word.deprel());
            match word.head() {
                Some(0) => *roots.entry(label.to_owned()).or_default() += 1,
                Some(_) => *others.entry((tag.to_owned(), label.to_owned())).or_default() += 1,
                None => {}
            }
        }
        let root = most_frequent(roots.iter().map(|(label, &count)| (label.as_str(), count)))?;
        let all: usize = roots.values().sum();
        let is_root = |label: &str| names_root(&root, label);
        let right: usize =
            roots.iter().filter(|(label, _)| is_root(label)).map(|(_, count)| count).sum();
        let misplaced: usize =
            others.iter().filter(|((_, label), _)| is_root(label)).map(|(_, count)| count).sum();
        if root == "_" || (all - right) * MISTAKES > all || misplaced * MISTAKES > all {
            return None;
        }
        others.retain(|(_, label), _| !is_root(label));
        let mut tags: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
        for ((tag, label), &count) in &others {
            *tags.entry(tag).or_default().entry(label).or_default() += count;
            *labels.entry(label).or_default() += count;
        }
        let best = |labels: &BTreeMap<&str, usize>| {
            most_frequent(labels.iter().map(|(&label, &count)| (label, count)))
        };
        let by_tag = tags.iter().filter_map(|(&tag, labels)| Some((tag.to_owned(), best(labels)?)));
        let usual = best(&labels).unwrap_or_else(|| UNKNOWN.to_owned());
        Some(RootRule { by_tag: by_tag.collect(), usual, root })
    }

    /// Gives words under the root its label, and words that have it but another head a label of
    /// their own; labels of which `is_fixed` says so stay.
    pub fn apply(&self, sentence: &mut Sentence, is_fixed: impl Fn(usize) -> bool) {
        for at in 1..=sentence.len() {
            let word = sentence.word(at);
            let has_label = names_root(&self.root, word.deprel());
            let Some(head) = word.head().filter(|_| !is_fixed(at)) else { continue };
            if (head == 0) == has_label {
                continue;
            }
            let label = match head {
                0 => &self.root,
                _ => self.by_tag.get(word.upos()).unwrap_or(&self.usual),
            };
            sentence.set(at, Column::Deprel, label);
        }
    }

    /// Whether the rule can be kept: it has a label for roots, and no word with another head gets that one.
    pub fn is_sound(&self) -> bool {
        let is_field = |label: &str| !label.is_empty() && !label.contains(['\t', '\n', '\r']);
        let others = self.by_tag.values().chain([&self.usual]);
        is_field(&self.root)
            && others.into_iter().all(|label| is_field(label) && !names_root(&self.root, label))
    }

    /// True if labels and heads of a sentence fit.
    pub fn holds(&self, sentence: &Sentence) -> bool {
        let fits = |word: conll::Word<'_>| {
            word.head().is_none_or(|head| (head == 0) == names_root(&self.root, word.deprel()))
        };
        sentence.words().all(fits)
    }
}

/// True for the label of the root and for its subtypes.
fn names_root(root: &str, label: &str) -> bool {
    label.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// The first of the most frequent.
fn most_frequent<'l>(labels: impl Iterator<Item = (&'l str, usize)>) -> Option<String> {
    let best = labels.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(label, _)| label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{label_randomly, random_tree};
    use crate::seed::Seed;
    use crate::treebank::write_tree;
    use crate::{Labels, RootPolicy};

    fn sentence(rows: &[(&str, u32, &str)]) -> Sentence {
        let row = |(id, (tag, head, label)): (usize, &(&str, u32, &str))| {
            format!("{}\tw\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n", id + 1)
        };
        let text: String = rows.iter().enumerate().map(row).collect();
        let any = conll::ReadOptions { roots: conll::Roots::Any, ..Default::default() };
        conll::read_str(&(text + "\n"), any).unwrap().remove(0)
    }

    #[test]
    fn a_treebank_without_a_label_for_roots_has_no_rule() {
        let mixed = sentence(&[("V", 0, "PRED"), ("N", 1, "OBJ"), ("X", 0, "AuxK")]);
        assert_eq!(RootRule::learn([&mixed]), None, "half of the roots have another label");
        let lower = sentence(&[("V", 0, "ROOT"), ("N", 1, "ROOT")]);
        assert_eq!(RootRule::learn([&lower]), None, "other words have it, too");
        assert_eq!(RootRule::learn([]), None);
        let bare = sentence(&[("V", 0, "_"), ("N", 1, "_")]);
        assert_eq!(RootRule::learn([&bare]), None, "no labels at all");
    }

    #[test]
    fn one_mistake_in_many_is_none_of_the_rule() {
        let good = sentence(&[("V", 0, "root"), ("N", 1, "obj"), ("N", 1, "obl"), ("N", 1, "obl")]);
        let bad = sentence(&[("V", 0, "obj"), ("N", 1, "root")]);
        let treebank: Vec<&Sentence> = std::iter::repeat_n(&good, 150).chain([&bad]).collect();
        let rule = RootRule::learn(treebank).unwrap();
        assert_eq!((rule.root.as_str(), rule.usual.as_str()), ("root", "obl"));
        assert!(rule.holds(&good) && !rule.holds(&bad));
        let mut mended = bad.clone();
        rule.apply(&mut mended, |word| word == 1);
        assert_eq!([1, 2].map(|word| mended.word(word).deprel().to_owned()), ["obj", "obl"]);
    }

    #[test]
    fn subtypes_of_the_label_are_the_label() {
        let mut kept = sentence(&[("V", 0, "root:main"), ("N", 1, "roots")]);
        RootRule::universal().apply(&mut kept, |_| false);
        assert_eq!(kept.word(1).deprel(), "root:main");
        assert_eq!(kept.word(2).deprel(), "roots");
    }

    #[test]
    fn labels_fit_heads_in_any_tree() {
        let mut labels = Labels::default();
        for name in ["root", "obj", "root:main", "punct"] {
            labels.intern(name);
        }
        let mut rng = Seed(71).rng();
        for round in 0..500 {
            let words = 1 + rng.below(12);
            let mut tree = random_tree(&mut rng, words, RootPolicy::Several);
            label_randomly(&mut rng, &mut tree, 4);
            let mut sentence = sentence(&vec![("N", 0, "_"); words]);
            write_tree(&tree, &labels, &mut sentence);
            let heads: Vec<_> = sentence.words().map(|word| word.head()).collect();
            RootRule::universal().apply(&mut sentence, |_| false);
            assert!(RootRule::universal().holds(&sentence), "seed 71, round {round}");
            assert!(sentence.words().map(|word| word.head()).eq(heads), "heads stay");
        }
    }
}
