//! Attachment scores: how many words have the right head, label, or both.
//!
//! UAS, LAS and label accuracy (LA, the `LAcc` of Schiehlen and Spranger 2007) count words; UEM
//! and LEM count sentences in which every word is right; CLAS (Nivre and Fang 2017) is the LAS of
//! words with a content label, as precision and recall because gold and system may disagree about
//! which words these are. Words that are left out (punctuation) count nowhere, and a sentence
//! without any word that counts is no sentence for UEM and LEM.
//!
//! ```
//! use crossarc_eval::{Arc, AttachmentCounts, Pair};
//! let gold = [Arc::new(2, "det"), Arc::new(3, "nsubj"), Arc::new(0, "root")];
//! let system = [Arc::new(2, "det"), Arc::new(3, "obj"), Arc::new(0, "root")];
//! let counts = AttachmentCounts::of(&Pair::new(&gold, &system, &[true; 3]));
//! assert_eq!((counts.words, counts.heads, counts.labelled), (3, 3, 2));
//! assert_eq!((counts.unlabelled_exact, counts.labelled_exact), (1, 0));
//! ```
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::official::corpus::{is_content, without_subtype};

/// Head and label of a word, as annotated.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Arc<'a> {
    /// The head, 0 for the root; none if the system left the word alone.
    pub head: Option<u32>,
    /// The label.
    pub label: &'a str,
}

impl<'a> Arc<'a> {
    /// An arc that exists.
    pub fn new(head: u32, label: &'a str) -> Arc<'a> {
        Arc { head: Some(head), label }
    }
}

/// The gold and the system analysis of one sentence, word by word.
#[derive(Copy, Clone, Debug)]
pub struct Pair<'a> {
    gold: &'a [Arc<'a>],
    system: &'a [Arc<'a>],
    counted: &'a [bool],
}

impl<'a> Pair<'a> {
    /// Pairs two analyses; `counted` tells which words count. All are as long as the shortest.
    pub fn new(gold: &'a [Arc<'a>], system: &'a [Arc<'a>], counted: &'a [bool]) -> Pair<'a> {
        let words = gold.len().min(system.len()).min(counted.len());
        Pair { gold: &gold[..words], system: &system[..words], counted: &counted[..words] }
    }

    /// The gold arcs.
    pub fn gold(&self) -> &'a [Arc<'a>] {
        self.gold
    }

    /// The system's arcs.
    pub fn system(&self) -> &'a [Arc<'a>] {
        self.system
    }

    /// The words that count: position from 0, gold arc, system arc.
    pub fn words(&self) -> impl Iterator<Item = (usize, Arc<'a>, Arc<'a>)> + use<'a> {
        let (gold, system, counted) = (self.gold, self.system, self.counted);
        (0..gold.len())
            .filter(move |&word| counted[word])
            .map(move |word| (word, gold[word], system[word]))
    }

    /// What the system has right about each word that counts.
    pub fn outcomes(&self) -> impl Iterator<Item = Outcome> + use<'a> {
        self.words().map(|(_, gold, system)| Outcome::of(gold, system))
    }
}

/// What a system has right about one word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The head is right.
    pub head: bool,
    /// The label is right, whatever the head.
    pub label: bool,
}

impl Outcome {
    /// Compares two arcs.
    pub fn of(gold: Arc<'_>, system: Arc<'_>) -> Outcome {
        Outcome {
            head: gold.head.is_some() && gold.head == system.head,
            label: gold.label == system.label,
        }
    }

    /// Head and label are right.
    pub fn labelled(self) -> bool {
        self.head && self.label
    }
}

/// Counts of one sentence or, summed up, of many.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AttachmentCounts {
    /// Words that count.
    pub words: u64,
    /// Words with the right head.
    pub heads: u64,
    /// Words with the right label.
    pub labels: u64,
    /// Words with the right head and label.
    pub labelled: u64,
    /// Words with a content label in gold.
    pub content_gold: u64,
    /// Words with a content label in the system's output.
    pub content_system: u64,
    /// Words with a content label in gold whose head and label are right.
    pub content_labelled: u64,
    /// Sentences with at least one word that counts.
    pub sentences: u64,
    /// Sentences in which all heads are right.
    pub unlabelled_exact: u64,
    /// Sentences in which all heads and labels are right.
    pub labelled_exact: u64,
}

impl AttachmentCounts {
    /// Counts one sentence.
    pub fn of(pair: &Pair<'_>) -> AttachmentCounts {
        let mut counts = AttachmentCounts::default();
        for (_, gold, system) in pair.words() {
            let outcome = Outcome::of(gold, system);
            counts.words += 1;
            counts.heads += u64::from(outcome.head);
            counts.labels += u64::from(outcome.label);
            counts.labelled += u64::from(outcome.labelled());
            let content = is_content(without_subtype(gold.label));
            counts.content_gold += u64::from(content);
            counts.content_labelled += u64::from(content && outcome.labelled());
            counts.content_system += u64::from(is_content(without_subtype(system.label)));
        }
        if counts.words > 0 {
            counts.sentences = 1;
            counts.unlabelled_exact = u64::from(counts.heads == counts.words);
            counts.labelled_exact = u64::from(counts.labelled == counts.words);
        }
        counts
    }

    /// Unlabelled attachment score, from 0 to 1; nothing if no word counts.
    pub fn uas(&self) -> Option<f64> {
        share(self.heads, self.words)
    }

    /// Labelled attachment score.
    pub fn las(&self) -> Option<f64> {
        share(self.labelled, self.words)
    }

    /// Label accuracy.
    pub fn la(&self) -> Option<f64> {
        share(self.labels, self.words)
    }

    /// Content-word labelled attachment score, the F1 of precision and recall.
    pub fn clas(&self) -> Option<f64> {
        share(2 * self.content_labelled, self.content_gold + self.content_system)
    }

    /// Unlabelled exact match.
    pub fn uem(&self) -> Option<f64> {
        share(self.unlabelled_exact, self.sentences)
    }

    /// Labelled exact match.
    pub fn lem(&self) -> Option<f64> {
        share(self.labelled_exact, self.sentences)
    }
}

impl AddAssign for AttachmentCounts {
    fn add_assign(&mut self, other: AttachmentCounts) {
        self.words += other.words;
        self.heads += other.heads;
        self.labels += other.labels;
        self.labelled += other.labelled;
        self.content_gold += other.content_gold;
        self.content_system += other.content_system;
        self.content_labelled += other.content_labelled;
        self.sentences += other.sentences;
        self.unlabelled_exact += other.unlabelled_exact;
        self.labelled_exact += other.labelled_exact;
    }
}

/// A share from 0 to 1; nothing of nothing is no share.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five words, gold heads 2 0 2 5 3; the system misses the head of 4 and the label of 1 and 5.
    const GOLD: [Arc<'static>; 5] = [
        Arc { head: Some(2), label: "nsubj" },
        Arc { head: Some(0), label: "root" },
        Arc { head: Some(2), label: "obj" },
        Arc { head: Some(5), label: "case" },
        Arc { head: Some(3), label: "punct" },
    ];
    const SYSTEM: [Arc<'static>; 5] = [
        Arc { head: Some(2), label: "nsubj:pass" },
        Arc { head: Some(0), label: "root" },
        Arc { head: Some(2), label: "obj" },
        Arc { head: Some(3), label: "case" },
        Arc { head: Some(3), label: "nmod" },
    ];

    #[test]
    fn hand_counted_sentence() {
        let counts = AttachmentCounts::of(&Pair::new(&GOLD, &SYSTEM, &[true; 5]));
        let expected = AttachmentCounts {
            words: 5,
            heads: 4,
            labels: 3,
            labelled: 2,
            content_gold: 3,
            content_system: 4,
            content_labelled: 2,
            sentences: 1,
            unlabelled_exact: 0,
            labelled_exact: 0,
        };
        assert_eq!(counts, expected);
        assert_eq!(counts.uas(), Some(0.8));
        assert_eq!(counts.las(), Some(0.4));
        assert_eq!(counts.la(), Some(0.6));
        assert_eq!(counts.clas(), Some(4.0 / 7.0));
    }

    #[test]
    fn words_left_out_count_nowhere() {
        let counted = [true, true, true, false, false];
        let counts = AttachmentCounts::of(&Pair::new(&GOLD, &SYSTEM, &counted));
        assert_eq!((counts.words, counts.heads, counts.labelled), (3, 3, 2));
        assert_eq!((counts.unlabelled_exact, counts.labelled_exact), (1, 0));
        let none = AttachmentCounts::of(&Pair::new(&GOLD, &SYSTEM, &[false; 5]));
        assert_eq!(none, AttachmentCounts::default());
        assert_eq!((none.uas(), none.uem()), (None, None));
    }

    #[test]
    fn a_word_without_head_is_wrong() {
        let system = [Arc { head: None, label: "root" }];
        let gold = [Arc { head: Some(0), label: "root" }];
        let counts = AttachmentCounts::of(&Pair::new(&gold, &system, &[true]));
        assert_eq!((counts.heads, counts.labels), (0, 1));
    }
}
