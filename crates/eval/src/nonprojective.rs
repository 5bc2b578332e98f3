//! Scores that look at crossing arcs.
//!
//! **Precision and recall of non-projective arcs** (Björkelund and Kuhn 2012, section 3, after
//! Kuhlmann and Nivre 2010), with non-projectivity by dominance: recall is the share of words with
//! a non-projective arc in gold that have the right head and label in the output; precision is the
//! share of words with a non-projective arc in the output that have the right head and label. The
//! two count different words as right, so there is no F1.
//!
//! **Scores of crossed and uncrossed arcs** (Reisinger 2016, Tables 5.5 and 5.6), with
//! non-projectivity by crossing in gold, and **exact match of projective and non-projective
//! sentences** (Table 5.8). Words with a head (Table 5.3) and average arc length in words (Table
//! 5.4), with arcs from the artificial root at position 0, tell how a system deviates.
//!
//! Where a system leaves words without head, they hang on the artificial root when it comes to
//! dominance, but are no arcs.
//!
//! ```
//! use crossarc_eval::{Arc, NonprojectiveCounts, Pair, Shape};
//! // 1 <- 3 crosses 2 <- 4; the system hangs word 1 on 4 instead.
//! let gold: Vec<Arc> = [3, 4, 0, 3].map(|head| Arc::new(head, "dep")).into();
//! let system: Vec<Arc> = [4, 4, 0, 3].map(|head| Arc::new(head, "dep")).into();
//! let pair = Pair::new(&gold, &system, &[true; 4]);
//! let (gold, system) = (Shape::of(&gold).unwrap(), Shape::of(&system).unwrap());
//! let counts = NonprojectiveCounts::of(&pair, &gold, &system);
//! assert_eq!((counts.gold_arcs, counts.gold_right), (1, 1)); // the arc to 2
//! assert_eq!((counts.system_arcs, counts.system_right), (2, 1)); // the arcs to 1 and 2
//! assert_eq!((counts.crossed.words, counts.crossed.heads), (3, 2)); // to 1, 2 and from the root
//! ```
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::attachment::{Arc, Outcome, Pair, share};
use crossarc_tree::projectivity::{crossed_arcs, is_projective, nonprojective_arcs};
use crossarc_tree::{Tree, TreeError};

/// Which arcs of an analysis are non-projective, by word from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    nonprojective: Vec<bool>,
    crossed: Vec<bool>,
}

impl Shape {
    /// Looks at the arcs of a sentence, which must be a tree.
    pub fn of(arcs: &[Arc<'_>]) -> Result<Shape, TreeError> {
        let heads: Vec<u32> = arcs.iter().map(|arc| arc.head.unwrap_or(0)).collect();
        let tree = Tree::from_heads(&heads)?;
        if is_projective(&tree) {
            return Ok(Shape { nonprojective: Vec::new(), crossed: Vec::new() });
        }
        let mut nonprojective = vec![false; arcs.len()];
        for word in nonprojective_arcs(&tree) {
            nonprojective[word.index() - 1] = true;
        }
        let mut crossed = vec![false; arcs.len()];
        for word in crossed_arcs(&tree) {
            crossed[word.index() - 1] = true;
        }
        Ok(Shape { nonprojective, crossed })
    }

    /// True if no arc is non-projective.
    pub fn is_projective(&self) -> bool {
        self.nonprojective.is_empty()
    }

    /// True if the arc to the word is non-projective by dominance.
    pub fn is_nonprojective(&self, word: usize) -> bool {
        self.nonprojective.get(word).copied().unwrap_or(false)
    }

    /// True if the arc to the word is crossed by another.
    pub fn is_crossed(&self, word: usize) -> bool {
        self.crossed.get(word).copied().unwrap_or(false)
    }
}

/// Words of one kind, and what is right about them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ArcCounts {
    /// Words.
    pub words: u64,
    /// Words with the right head.
    pub heads: u64,
    /// Words with the right label.
    pub labels: u64,
    /// Words with the right head and label.
    pub labelled: u64,
}

impl ArcCounts {
    fn add(&mut self, outcome: Outcome) {
        self.words += 1;
        self.heads += u64::from(outcome.head);
        self.labels += u64::from(outcome.label);
        self.labelled += u64::from(outcome.labelled());
    }

    /// Unlabelled attachment score of these words.
    pub fn uas(&self) -> Option<f64> {
        share(self.heads, self.words)
    }

    /// Labelled attachment score of these words.
    pub fn las(&self) -> Option<f64> {
        share(self.labelled, self.words)
    }

    /// Label accuracy of these words.
    pub fn la(&self) -> Option<f64> {
        share(self.labels, self.words)
    }
}

impl AddAssign for ArcCounts {
    fn add_assign(&mut self, other: ArcCounts) {
        self.words += other.words;
        self.heads += other.heads;
        self.labels += other.labels;
        self.labelled += other.labelled;
    }
}

/// Sentences of one kind, and how many of them are right.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SentenceKind {
    /// Sentences with at least one word that counts.
    pub sentences: u64,
    /// Sentences in which all heads are right.
    pub unlabelled_exact: u64,
    /// Sentences in which all heads and labels are right.
    pub labelled_exact: u64,
}

impl SentenceKind {
    /// Unlabelled exact match of these sentences.
    pub fn uem(&self) -> Option<f64> {
        share(self.unlabelled_exact, self.sentences)
    }

    /// Labelled exact match of these sentences.
    pub fn lem(&self) -> Option<f64> {
        share(self.labelled_exact, self.sentences)
    }
}

impl AddAssign for SentenceKind {
    fn add_assign(&mut self, other: SentenceKind) {
        self.sentences += other.sentences;
        self.unlabelled_exact += other.unlabelled_exact;
        self.labelled_exact += other.labelled_exact;
    }
}

/// Arcs and their lengths.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ArcLengths {
    /// Words with a head.
    pub arcs: u64,
    /// The sum of the distances between head and dependent.
    pub length: u64,
}

impl ArcLengths {
    fn add(&mut self, word: usize, arc: Arc<'_>) {
        if let Some(head) = arc.head {
            self.arcs += 1;
            self.length += (word as u64 + 1).abs_diff(u64::from(head));
        }
    }

    /// Average arc length in words.
    pub fn average(&self) -> Option<f64> {
        share(self.length, self.arcs)
    }
}

impl AddAssign for ArcLengths {
    fn add_assign(&mut self, other: ArcLengths) {
        self.arcs += other.arcs;
        self.length += other.length;
    }
}

/// Counts of one sentence or, summed up, of many.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NonprojectiveCounts {
    /// Words with a non-projective arc (by dominance) in gold.
    pub gold_arcs: u64,
    /// Of these, words with the right head and label.
    pub gold_right: u64,
    /// Words with a non-projective arc (by dominance) in the output: #NP.
    pub system_arcs: u64,
    /// Of these, words with the right head and label.
    pub system_right: u64,
    /// Words whose gold arc is crossed.
    pub crossed: ArcCounts,
    /// Words whose gold arc is not crossed.
    pub uncrossed: ArcCounts,
    /// Sentences whose gold tree is projective.
    pub projective: SentenceKind,
    /// Sentences whose gold tree is non-projective.
    pub nonprojective: SentenceKind,
    /// Gold arcs.
    pub gold_lengths: ArcLengths,
    /// Arcs of the output.
    pub system_lengths: ArcLengths,
    /// Sentences with several words under the root in gold.
    pub gold_several_roots: u64,
    /// Sentences with several words under the root in the output.
    pub system_several_roots: u64,
    /// Sentences in which a word has no head in the output: what a permissive parser leaves is no tree.
    pub incomplete: u64,
}

impl NonprojectiveCounts {
    /// Counts one sentence.
    pub fn of(pair: &Pair<'_>, gold_shape: &Shape, system_shape: &Shape) -> NonprojectiveCounts {
        let mut counts = NonprojectiveCounts::default();
        for (word, gold, system) in pair.words() {
            let outcome = Outcome::of(gold, system);
            if gold_shape.is_nonprojective(word) {
                counts.gold_arcs += 1;
                counts.gold_right += u64::from(outcome.labelled());
            }
            if system.head.is_some() && system_shape.is_nonprojective(word) {
                counts.system_arcs += 1;
                counts.system_right += u64::from(outcome.labelled());
            }
            if gold_shape.is_crossed(word) {
                counts.crossed.add(outcome);
            } else {
                counts.uncrossed.add(outcome);
            }
            counts.gold_lengths.add(word, gold);
            counts.system_lengths.add(word, system);
        }
        let words = counts.crossed.words + counts.uncrossed.words;
        if words > 0 {
            let roots = |arcs: &[Arc<'_>]| arcs.iter().filter(|arc| arc.head == Some(0)).count();
            counts.gold_several_roots = u64::from(roots(pair.gold()) > 1);
            counts.system_several_roots = u64::from(roots(pair.system()) > 1);
            counts.incomplete = u64::from(pair.system().iter().any(|arc| arc.head.is_none()));
            let kind = SentenceKind {
                sentences: 1,
                unlabelled_exact: u64::from(counts.crossed.heads + counts.uncrossed.heads == words),
                labelled_exact: u64::from(
                    counts.crossed.labelled + counts.uncrossed.labelled == words,
                ),
            };
            if gold_shape.is_projective() {
                counts.projective = kind;
            } else {
                counts.nonprojective = kind;
            }
        }
        counts
    }

    /// Precision of non-projective arcs; nothing if the output has none.
    pub fn precision(&self) -> Option<f64> {
        share(self.system_right, self.system_arcs)
    }

    /// Recall of non-projective arcs; nothing if gold has none.
    pub fn recall(&self) -> Option<f64> {
        share(self.gold_right, self.gold_arcs)
    }

    /// The share of words that have a head in the output.
    pub fn words_with_head(&self) -> Option<f64> {
        share(self.system_lengths.arcs, self.crossed.words + self.uncrossed.words)
    }
}

impl AddAssign for NonprojectiveCounts {
    fn add_assign(&mut self, other: NonprojectiveCounts) {
        self.gold_arcs += other.gold_arcs;
        self.gold_right += other.gold_right;
        self.system_arcs += other.system_arcs;
        self.system_right += other.system_right;
        self.crossed += other.crossed;
        self.uncrossed += other.uncrossed;
        self.projective += other.projective;
        self.nonprojective += other.nonprojective;
        self.gold_lengths += other.gold_lengths;
        self.system_lengths += other.system_lengths;
        self.gold_several_roots += other.gold_several_roots;
        self.system_several_roots += other.system_several_roots;
        self.incomplete += other.incomplete;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arcs<'a>(heads: &[Option<u32>], labels: &[&'a str]) -> Vec<Arc<'a>> {
        heads.iter().zip(labels).map(|(&head, &label)| Arc { head, label }).collect()
    }

    #[test]
    fn roots_and_missing_heads_are_counted() {
        let labels = ["x"; 3];
        let gold = arcs(&[Some(2), Some(0), Some(2)], &labels);
        let two = arcs(&[Some(0), Some(0), Some(2)], &labels);
        let headless = arcs(&[None, Some(0), Some(2)], &labels);
        let of = |system: &[Arc<'_>]| {
            let counts = count(&gold, system, &[true; 3]);
            (counts.gold_several_roots, counts.system_several_roots, counts.incomplete)
        };
        assert_eq!([of(&gold), of(&two), of(&headless)], [(0, 0, 0), (0, 1, 0), (0, 0, 1)]);
    }

    fn count(gold: &[Arc<'_>], system: &[Arc<'_>], counted: &[bool]) -> NonprojectiveCounts {
        let pair = Pair::new(gold, system, counted);
        NonprojectiveCounts::of(&pair, &Shape::of(gold).unwrap(), &Shape::of(system).unwrap())
    }

    /// "A hearing is scheduled on the issue today ." (Nivre 2009): non-projective by dominance are
    /// on (5) and today (8); the arc to on crosses those to is (3), today (8) and the stop (9).
    #[test]
    fn hearing_parsed_projectively() {
        let labels = ["det", "nsubj", "root", "aux", "case", "det", "nmod", "advmod", "punct"];
        let gold = arcs(&[2, 3, 0, 3, 2, 7, 5, 4, 3].map(Some), &labels);
        // "on" is attached to "is" instead of "hearing", "today" correctly but with a wrong label.
        let mut system_labels = labels;
        system_labels[7] = "obl";
        let system = arcs(&[2, 3, 0, 3, 3, 7, 5, 4, 3].map(Some), &system_labels);
        let counts = count(&gold, &system, &[true; 9]);
        assert_eq!((counts.gold_arcs, counts.gold_right), (2, 0));
        assert_eq!((counts.system_arcs, counts.system_right), (1, 0)); // today across on .. issue
        assert_eq!(counts.crossed, ArcCounts { words: 4, heads: 3, labels: 3, labelled: 2 });
        assert_eq!(counts.uncrossed, ArcCounts { words: 5, heads: 5, labels: 5, labelled: 5 });
        let kind = SentenceKind { sentences: 1, unlabelled_exact: 0, labelled_exact: 0 };
        assert_eq!(counts.nonprojective, kind);
        assert_eq!(counts.projective, SentenceKind::default());
        // 1+1+3+1+3+1+2+4+6, and 2 instead of 3 for "on"
        assert_eq!(counts.gold_lengths, ArcLengths { arcs: 9, length: 22 });
        assert_eq!(counts.system_lengths, ArcLengths { arcs: 9, length: 21 });
        assert_eq!((counts.precision(), counts.recall()), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn words_without_head_are_no_arcs() {
        let labels = ["a", "b", "c"];
        let gold = arcs(&[3, 0, 2].map(Some), &labels); // 3 -> 1 spans 2, the root's child
        let system = arcs(&[Some(3), None, None], &labels);
        let counts = count(&gold, &system, &[true; 3]);
        assert_eq!((counts.gold_arcs, counts.gold_right), (1, 1));
        // Word 2 hangs on the root, so the arc 3 -> 1 is non-projective in the output too.
        assert_eq!((counts.system_arcs, counts.system_right), (1, 1));
        assert_eq!(counts.words_with_head(), Some(1.0 / 3.0));
        assert_eq!(counts.system_lengths, ArcLengths { arcs: 1, length: 2 });
    }

    #[test]
    fn projective_sentences_and_words_left_out() {
        let labels = ["a", "b", "c"];
        let gold = arcs(&[2, 0, 2].map(Some), &labels);
        let system = arcs(&[2, 0, 1].map(Some), &labels);
        let all = count(&gold, &system, &[true; 3]);
        assert_eq!((all.projective.sentences, all.projective.unlabelled_exact), (1, 0));
        assert_eq!((all.precision(), all.recall()), (Some(0.0), None)); // 1 -> 3 spans 2
        let without_last = count(&gold, &system, &[true, true, false]);
        assert_eq!(without_last.projective.unlabelled_exact, 1);
        assert_eq!(without_last.system_arcs, 0);
    }

    #[test]
    fn a_cycle_is_no_tree() {
        assert!(Shape::of(&arcs(&[Some(2), Some(1)], &["a", "b"])).is_err());
    }
}
