//! How much each system's vote counts.
//!
//! Zeman and Žabokrtský (2005) weight the votes by what the systems are worth: all the same, by
//! their accuracy on held-out sentences, or by their accuracy for the part of speech of the word
//! that looks for a head.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How much the vote of one system counts.
///
/// ```
/// use crossarc_train::combination::Trust;
/// let mut trust = Trust::default();
/// trust.observe("NOUN", true);
/// trust.observe("NOUN", false);
/// trust.observe("VERB", true);
/// assert_eq!(trust.accuracy(), Some(2.0 / 3.0));
/// assert_eq!(trust.accuracy_for("NOUN"), Some(0.5));
/// assert_eq!(trust.accuracy_for("ADP"), Some(2.0 / 3.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trust {
    right: u64,
    words: u64,
    by_tag: BTreeMap<String, (u64, u64)>,
}

impl Trust {
    /// Takes in one word of held-out sentences: its tag, and whether the system found its head.
    pub fn observe(&mut self, tag: &str, right: bool) {
        self.words += 1;
        self.right += u64::from(right);
        if !self.by_tag.contains_key(tag) {
            self.by_tag.insert(tag.to_owned(), (0, 0));
        }
        if let Some((hits, seen)) = self.by_tag.get_mut(tag) {
            *hits += u64::from(right);
            *seen += 1;
        }
    }

    /// Share of words with the right head; nothing if no word was seen.
    pub fn accuracy(&self) -> Option<f64> {
        (self.words > 0).then(|| self.right as f64 / self.words as f64)
    }

    /// The same for words of one part of speech; that of all words if there were none.
    pub fn accuracy_for(&self, tag: &str) -> Option<f64> {
        match self.by_tag.get(tag) {
            Some(&(right, words)) => Some(right as f64 / words as f64),
            None => self.accuracy(),
        }
    }
}
