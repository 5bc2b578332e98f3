//! Labels or tags of a treebank with their counts, and which of them look like mistakes.
//!
//! ```
//! use crossarc_tree::treebank::inventory::{Inventory, Suspicion};
//! let mut labels = Inventory::default();
//! for label in ["nsubj", "obj", "nsubj", "Nsubj", "obl arg", "obj", "_"] {
//!     labels.add(label);
//! }
//! let suspicious = labels.suspicious();
//! assert_eq!(suspicious[0].name, "Nsubj");
//! assert_eq!(suspicious[0].why, [Suspicion::Variant("nsubj".into()), Suspicion::Once]);
//! assert_eq!(suspicious[1].why, [Suspicion::Blank, Suspicion::Once]);
//! ```
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Serialize;

/// Of this many occurrences or more, a value that stands for less than one in
/// [`RARE_SHARE`] is rare.
const RARE_FROM: u64 = 10_000;
const RARE_SHARE: u64 = 10_000;

/// Different values that an inventory keeps. A column with more has no inventory that anybody could
/// use; further values are counted together.
pub const MOST_VALUES: usize = 200_000;
/// Bytes of all values that an inventory keeps.
const MOST_BYTES: usize = 1 << 25;

/// Counted values of one column.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    counts: HashMap<String, u64>,
    total: u64,
    bytes: usize,
}

/// A value that looks like a mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suspicious {
    /// The value.
    pub name: String,
    /// How often it occurs.
    pub count: u64,
    /// What is suspicious about it, at least one thing.
    pub why: Vec<Suspicion>,
}

/// Why a value looks like a mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Suspicion {
    /// It differs from this more frequent value only in case or in `-`, `_`, `:` and blanks.
    Variant(String),
    /// It has a blank in it.
    Blank,
    /// It occurs once.
    Once,
    /// It occurs more than once, but very rarely.
    Rare,
}

impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Suspicion::Variant(other) => write!(f, "like `{other}`"),
            Suspicion::Blank => f.write_str("has a blank"),
            Suspicion::Once => f.write_str("once"),
            Suspicion::Rare => f.write_str("rare"),
        }
    }
}

impl Inventory {
    /// Counts one occurrence; true if it is the first and the value is kept.
    pub fn add(&mut self, name: &str) -> bool {
        self.add_many(name, 1)
    }

    fn add_many(&mut self, name: &str, count: u64) -> bool {
        self.total += count;
        if let Some(known) = self.counts.get_mut(name) {
            *known += count;
            return false;
        }
        let has_room = self.counts.len() < MOST_VALUES && self.bytes + name.len() <= MOST_BYTES;
        if has_room {
            self.bytes += name.len();
            self.counts.insert(name.to_owned(), count);
        }
        has_room
    }

    /// Adds the counts of another inventory.
    pub fn merge(&mut self, other: &Inventory) {
        // In an order that does not depend on how the map lies in memory.
        for (name, count) in other.by_frequency() {
            self.add_many(name, count);
        }
        self.total += other.total - other.counts.values().sum::<u64>();
    }

    /// Number of different values.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True if nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How often a value occurs.
    pub fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// All values, the most frequent first, equally frequent ones by name.
    pub fn by_frequency(&self) -> Vec<(&str, u64)> {
        let mut values: Vec<(&str, u64)> =
            self.counts.iter().map(|(name, &count)| (name.as_str(), count)).collect();
        values.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        values
    }

    /// The values that look like mistakes, the most frequent first; `_`, no value, is none.
    pub fn suspicious(&self) -> Vec<Suspicious> {
        let mut first_of_shape: BTreeMap<String, &str> = BTreeMap::new();
        let mut found = Vec::new();
        for (name, count) in self.by_frequency() {
            if name == "_" {
                continue;
            }
            let mut why = Vec::new();
            let frequent = *first_of_shape.entry(shape(name)).or_insert(name);
            if frequent != name {
                why.push(Suspicion::Variant(frequent.to_owned()));
            }
            if name.contains(char::is_whitespace) {
                why.push(Suspicion::Blank);
            }
            if count == 1 {
                why.push(Suspicion::Once);
            } else if self.total >= RARE_FROM && count.saturating_mul(RARE_SHARE) < self.total {
                why.push(Suspicion::Rare);
            }
            if !why.is_empty() {
                found.push(Suspicious { name: name.to_owned(), count, why });
            }
        }
        found
    }
}

/// What is left of a value without case and separators; values of separators only keep them.
fn shape(name: &str) -> String {
    let letters: String = name
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | ':' | '.') && !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect();
    if letters.is_empty() { name.to_owned() } else { letters }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_values_of_large_treebanks_are_flagged() {
        let mut tags = Inventory::default();
        for _ in 0..50_000 {
            tags.add("NOUN");
        }
        for _ in 0..4 {
            tags.add("NUON");
        }
        for _ in 0..6 {
            tags.add("SYM");
        }
        let expected = Suspicious { name: "NUON".into(), count: 4, why: vec![Suspicion::Rare] };
        assert_eq!(tags.suspicious(), [expected]);
    }

    #[test]
    fn memory_does_not_grow_without_end() {
        let mut forms = Inventory::default();
        for number in 0..MOST_VALUES + 1000 {
            assert_eq!(forms.add(&number.to_string()), number < MOST_VALUES);
        }
        assert_eq!((forms.len(), forms.total), (MOST_VALUES, MOST_VALUES as u64 + 1000));
        let mut long = Inventory::default();
        let name = "x".repeat(MOST_BYTES / 4);
        let kept = (0..9).filter(|number| long.add(&format!("{number}{name}"))).count();
        assert!(long.bytes <= MOST_BYTES && long.len() == kept && kept == 3);
        long.merge(&forms);
        assert_eq!(long.total, forms.total + 9);
    }

    #[test]
    fn separators_alone_are_no_variants_of_each_other() {
        let mut tags = Inventory::default();
        for tag in [":", "-", ":", "-", "VB-D", "VBD", "VBD", "VB-D", "VBD"] {
            tags.add(tag);
        }
        let suspicious = tags.suspicious();
        assert_eq!(suspicious.len(), 1);
        assert_eq!(suspicious[0].why, [Suspicion::Variant("VBD".into())]);
        let mut twice = tags.clone();
        twice.merge(&tags);
        assert_eq!(twice.by_frequency()[0], ("VBD", 6));
        assert_eq!(twice.count("-"), 4);
    }
}
