//! Classifiers for parts of the data: examples are split by the value of one feature, and each part
//! has machines of its own, trained in parallel (Reisinger 2016, section 4.3).
use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::expansion::{Builder, Expansion};
use crate::multiclass::train_until;
use crate::{Examples, Machines, Settings, SettingsError};

/// Parts with fewer decisions than this are pooled.
pub const LEAST_PART: usize = 1000;

/// Decisions to learn from, each with the value by which the data is split.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// Values of the feature that splits the data; 0 if it is not there.
    pub splits: Vec<u64>,
    /// Features and class of each decision.
    pub examples: Examples,
}

impl Decisions {
    /// Adds a decision.
    pub fn push(&mut self, split: &[u64], features: &[u64], class: u16) {
        self.splits.push(split.first().copied().unwrap_or_default());
        self.examples.push(features, class);
    }

    /// The parts, greatest first, each with the values that belong to it; small ones are pooled.
    fn parts(&self, least: usize) -> Vec<(Vec<u64>, Vec<u32>)> {
        let mut by_value: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (at, &split) in self.splits.iter().enumerate() {
            by_value.entry(split).or_default().push(at as u32);
        }
        let (mut parts, mut pool) = (Vec::new(), (Vec::new(), Vec::new()));
        for (value, members) in by_value {
            if members.len() >= least {
                parts.push((vec![value], members));
            } else {
                pool.0.push(value);
                pool.1.extend(members);
            }
        }
        pool.1.sort_unstable();
        parts.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
        // The first part also answers for values that were never seen.
        if !pool.1.is_empty() {
            parts.insert(0, pool);
        }
        parts
    }
}

/// Classifiers as support vectors, one for each part: slow, and what the expansion is measured by.
#[derive(Clone, Debug)]
pub struct SupportVectors {
    values: Vec<(u64, u16)>,
    parts: Vec<Machines>,
    classes: usize,
}

impl SupportVectors {
    /// Trains the classifiers of all parts in parallel; if `stop` says so, they stay incomplete.
    pub fn train(
        decisions: &Decisions,
        classes: usize,
        settings: &Settings,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<SupportVectors, SettingsError> {
        settings.check()?;
        let parts = decisions.parts(LEAST_PART);
        let mut values: Vec<(u64, u16)> = Vec::new();
        for (number, (owned, _)) in parts.iter().enumerate() {
            values.extend(owned.iter().map(|&value| (value, number as u16)));
        }
        values.sort_unstable();
        let parts = parts
            .par_iter()
            .map(|(_, members)| {
                train_until(&decisions.examples.some(members), classes, settings, stop)
            })
            .collect::<Result<_, _>>()?;
        Ok(SupportVectors { values, parts, classes })
    }

    /// The scores of all classes.
    pub fn score(&self, split: &[u64], features: &[u64], scores: &mut [f32]) {
        if let Some(machines) = self.parts.get(part_of(&self.values, split)) {
            machines.ballot.count(&machines.values(features), scores);
        }
    }

    /// How much there is: parts, machines, support vectors, machines that did not converge.
    pub fn counts(&self) -> [usize; 4] {
        let sum = |of: &dyn Fn(&Machines) -> usize| self.parts.iter().map(of).sum();
        [
            self.parts.len(),
            sum(&|part| part.machines.len()),
            sum(&|part| part.support.len()),
            sum(&|part| part.machines.iter().filter(|machine| !machine.converged).count()),
        ]
    }

    /// Writes the sums over support vectors out; weights below `prune` are dropped.
    pub fn expand(&self, prune: f64) -> Expansion {
        let mut builder = Builder::new(prune);
        for machines in &self.parts {
            builder.add(machines);
        }
        builder.finish()
    }

    /// Values and their parts, in order of the values.
    pub fn values(&self) -> &[(u64, u16)] {
        &self.values
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }
}

/// The part of a value; the first one if no part has it.
#[inline]
pub fn part_of(values: &[(u64, u16)], split: &[u64]) -> usize {
    let value = split.first().copied().unwrap_or_default();
    let found = values.binary_search_by_key(&value, |&(known, _)| known);
    found.ok().and_then(|at| values.get(at)).map_or(0, |&(_, part)| usize::from(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn small_parts_are_pooled() {
        let mut random = Random(3);
        let mut decisions = Decisions::default();
        for _ in 0..400 {
            let split = random.below(9).min(random.below(9)).min(random.below(9)) as u64;
            let split = [split];
            decisions.push(if split == [0] { &[] } else { &split }, &[1, 2], 0);
        }
        let parts = decisions.parts(60);
        assert!(parts[0].0.len() > 1, "{:?}", parts[0].0);
        assert!(
            parts[1..].iter().all(|(values, members)| values.len() == 1 && members.len() >= 60)
        );
        assert!(parts[1..].is_sorted_by_key(|(_, members)| std::cmp::Reverse(members.len())));
        assert_eq!(parts.iter().map(|(_, members)| members.len()).sum::<usize>(), 400);
        assert_eq!(decisions.parts(1).iter().map(|(values, _)| values.len()).max(), Some(1));
    }

    #[test]
    fn unknown_values_belong_to_the_first_part() {
        let values = [(3, 1), (7, 2)];
        assert_eq!([&[3][..], &[7], &[5], &[]].map(|value| part_of(&values, value)), [1, 2, 0, 0]);
    }
}
