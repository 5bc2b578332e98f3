//! What is learned from: sets of binary features, each with a class.
//!
//! A feature has a name of 64 bits, usually a hash, and within one set of examples a small number.
use std::collections::HashMap;

/// Examples in compressed rows; the features of a row are sorted and different.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    numbers: HashMap<u64, u32>,
    names: Vec<u64>,
    ends: Vec<usize>,
    features: Vec<u32>,
    classes: Vec<u16>,
}

impl Examples {
    /// Adds an example. A feature that is named twice counts once.
    pub fn push(&mut self, names: &[u64], class: u16) {
        let start = self.features.len();
        for &name in names {
            let next = self.names.len() as u32;
            let number = *self.numbers.entry(name).or_insert(next);
            if number == next {
                self.names.push(name);
            }
            self.features.push(number);
        }
        self.features[start..].sort_unstable();
        let mut kept = start;
        for at in start..self.features.len() {
            if kept == start || self.features[kept - 1] != self.features[at] {
                self.features[kept] = self.features[at];
                kept += 1;
            }
        }
        self.features.truncate(kept);
        self.ends.push(kept);
        self.classes.push(class);
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Numbers of the features of an example, ascending.
    pub fn features(&self, example: usize) -> &[u32] {
        let start = if example == 0 { 0 } else { self.ends[example - 1] };
        &self.features[start..self.ends[example]]
    }

    /// The class of an example.
    pub fn class(&self, example: usize) -> u16 {
        self.classes[example]
    }

    /// The classes of all examples.
    pub fn classes(&self) -> &[u16] {
        &self.classes
    }

    /// Names of features by number.
    pub fn names(&self) -> &[u64] {
        &self.names
    }

    /// The number of a feature; nothing if no example has it.
    pub fn number(&self, name: u64) -> Option<u32> {
        self.numbers.get(&name).copied()
    }

    /// Names of the features of an example.
    pub fn feature_names(&self, example: usize) -> impl Iterator<Item = u64> + '_ {
        self.features(example).iter().map(|&number| self.names[number as usize])
    }

    /// Some of the examples, with numbers of their own.
    #[must_use]
    pub fn some(&self, members: &[u32]) -> Examples {
        let mut some = Examples::default();
        let mut names = Vec::new();
        for &member in members {
            names.clear();
            names.extend(self.feature_names(member as usize));
            some.push(&names, self.class(member as usize));
        }
        some
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_counts_once() {
        let mut examples = Examples::default();
        examples.push(&[70, 50, 70, 60, 50], 3);
        examples.push(&[], 1);
        examples.push(&[60, 80], 0);
        assert_eq!(examples.features(0), [0, 1, 2]);
        assert_eq!(examples.features(1), [0; 0]);
        assert_eq!(examples.features(2), [2, 3]);
        assert_eq!(examples.names(), [70, 50, 60, 80]);
        assert_eq!(examples.some(&[2]).names(), [60, 80]);
        assert_eq!(examples.number(90), None);
    }
}
