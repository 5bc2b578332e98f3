//! Weights of the averaged perceptron (Collins 2002; Freund and Schapire 1999).
//!
//! Features are 64-bit hashes, and a weight exists once an update has touched it. The average
//! over all moments is had without a time stamp per weight: beside every weight `w` stands the
//! sum of its changes times the clock, and the average at time `t` is `w - sum / t`.
//!
//! [`DenseWeights`] keeps a short row for each feature with one place for every class (the moves
//! of a transition system); [`SparseWeights`] keeps for each feature a list of the classes seen
//! with it (labels, of which there may be hundreds).

mod stored;

use svm::prefetch::prefetch;

/// Features that are looked up side by side.
const GROUP: usize = 32;

/// Open addressing from feature to row number, linear probing, at most half full.
#[derive(Clone, Debug, Default)]
struct Index {
    /// Feature and row number plus one; a zero row is an empty slot.
    slots: Vec<(u64, u32)>,
    rows: usize,
}

impl Index {
    #[inline]
    fn get(&self, feature: u64) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = feature as usize & mask;
        loop {
            let (key, row) = self.slots[at];
            if row == 0 {
                return None;
            }
            if key == feature {
                return Some(row as usize - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// The rows of a group of features, looked up side by side: a table in training is far larger
    /// than any cache. `found` is told of every row early; a feature without one gets a number that
    /// no row has.
    #[inline]
    fn get_group(&self, group: &[u64], mut found: impl FnMut(usize)) -> [usize; GROUP] {
        for &feature in group {
            if let Some(slot) = self.slots.get(feature as usize & self.slots.len().wrapping_sub(1))
            {
                prefetch(slot);
            }
        }
        let mut rows = [usize::MAX; GROUP];
        for (place, &feature) in rows.iter_mut().zip(group) {
            if let Some(row) = self.get(feature) {
                *place = row;
                found(row);
            }
        }
        rows
    }

    fn get_or_insert(&mut self, feature: u64) -> usize {
        if let Some(row) = self.get(feature) {
            return row;
        }
        if (self.rows + 1) * 2 > self.slots.len() {
            let size = (self.slots.len() * 2).max(1 << 12);
            let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
            for (key, row) in old.into_iter().filter(|&(_, row)| row != 0) {
                self.place(key, row);
            }
        }
        self.rows += 1;
        self.place(feature, self.rows as u32);
        self.rows - 1
    }

    fn place(&mut self, key: u64, row: u32) {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        while self.slots[at].1 != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = (key, row);
    }

    /// Features in the order in which they were first seen.
    fn features(&self) -> Vec<u64> {
        let mut features = vec![0; self.rows];
        for &(key, row) in &self.slots {
            if row != 0 {
                features[row as usize - 1] = key;
            }
        }
        features
    }
}

/// Most classes that [`DenseWeights`] can tell apart.
pub const MOST_DENSE: usize = 8;

/// One number for every class, in one cache line.
#[derive(Copy, Clone, Debug, Default)]
#[repr(align(32))]
struct DenseRow([f32; MOST_DENSE]);

/// A short row of weights for every feature.
///
/// ```
/// use crossarc::learn::perceptron::DenseWeights;
/// let mut weights = DenseWeights::default();
/// weights.tick();
/// weights.update(&[17, 4], &[(1, 1.0)]);
/// let mut scores = [0.0; 8];
/// weights.add_scores(&[17, 4, 99], &mut scores);
/// assert_eq!(scores[..3], [0.0, 2.0, 0.0]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct DenseWeights {
    index: Index,
    /// Apart from the sums, which only updates need.
    weights: Vec<DenseRow>,
    sums: Vec<DenseRow>,
    clock: f32,
}

impl DenseWeights {
    /// Time goes on: call once before the updates of each example.
    pub fn tick(&mut self) {
        self.clock += 1.0;
    }

    /// Adds the weights of the features to the scores of all classes.
    #[inline]
    pub fn add_scores(&self, features: &[u64], scores: &mut [f32; MOST_DENSE]) {
        for group in features.chunks(GROUP) {
            let rows = self.index.get_group(group, |row| prefetch(&self.weights[row]));
            for row in rows.iter().filter_map(|&row| self.weights.get(row)) {
                for (score, weight) in scores.iter_mut().zip(&row.0) {
                    *score += weight;
                }
            }
        }
    }

    /// Moves the weights of the features for some classes.
    pub fn update(&mut self, features: &[u64], steps: &[(u16, f32)]) {
        for &feature in features {
            let row = self.row(feature);
            for &(class, step) in steps {
                self.weights[row].0[usize::from(class)] += step;
                self.sums[row].0[usize::from(class)] += step * self.clock;
            }
        }
    }

    /// The row of a feature, a new one if it has none.
    fn row(&mut self, feature: u64) -> usize {
        let row = self.index.get_or_insert(feature);
        if row == self.weights.len() {
            self.weights.push(DenseRow::default());
            self.sums.push(DenseRow::default());
        }
        row
    }

    /// Weights whose averages are the means of the averages of several runs.
    pub fn mean<'a>(runs: impl ExactSizeIterator<Item = &'a DenseWeights>) -> DenseWeights {
        let share = 1.0 / runs.len().max(1) as f32;
        let mut mean = DenseWeights::default();
        for run in runs {
            for (feature, averages) in run.averaged() {
                let row = mean.row(feature);
                for (weight, average) in mean.weights[row].0.iter_mut().zip(averages) {
                    *weight += average * share;
                }
            }
        }
        mean
    }

    /// Number of features with a weight.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// True before the first update.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Averaged weights of every feature, in the order in which features were first seen.
    pub fn averaged(&self) -> impl Iterator<Item = (u64, [f32; MOST_DENSE])> + '_ {
        let time = self.clock + 1.0;
        let rows = self.weights.iter().zip(&self.sums);
        self.index.features().into_iter().zip(rows).map(move |(feature, (weights, sums))| {
            (feature, std::array::from_fn(|class| weights.0[class] - sums.0[class] / time))
        })
    }
}

/// Weight of one class for a feature.
#[derive(Copy, Clone, Debug, Default)]
struct Entry {
    weight: f32,
    sum: f32,
    class: u16,
}

#[derive(Copy, Clone, Debug, Default)]
struct SparseRow {
    start: u32,
    len: u16,
    capacity: u16,
}

/// For every feature a list of the classes that it has been updated for.
#[derive(Clone, Debug, Default)]
pub struct SparseWeights {
    index: Index,
    rows: Vec<SparseRow>,
    entries: Vec<Entry>,
    clock: f32,
}

impl SparseWeights {
    /// Time goes on: call once before the updates of each example.
    pub fn tick(&mut self) {
        self.clock += 1.0;
    }

    /// Adds the weights of the features to the scores of all classes that there is a place for.
    #[inline]
    pub fn add_scores(&self, features: &[u64], scores: &mut [f32]) {
        self.for_entries(features, |entry| {
            if let Some(score) = scores.get_mut(usize::from(entry.class)) {
                *score += entry.weight;
            }
        });
    }

    /// Adds the averaged weights of the features to the scores of all classes that there is a place
    /// for.
    pub fn add_averaged_scores(&self, features: &[u64], scores: &mut [f32]) {
        let time = self.clock + 1.0;
        self.for_entries(features, |entry| {
            if let Some(score) = scores.get_mut(usize::from(entry.class)) {
                *score += entry.weight - entry.sum / time;
            }
        });
    }

    /// Visits the entries of the features in their order.
    #[inline]
    fn for_entries(&self, features: &[u64], mut visit: impl FnMut(&Entry)) {
        for group in features.chunks(GROUP) {
            let rows = self.index.get_group(group, |row| prefetch(&self.rows[row]));
            let found = rows.map(|row| self.rows.get(row).copied().unwrap_or_default());
            for row in &found {
                if let Some(entry) = self.entries.get(row.start as usize) {
                    prefetch(entry);
                }
            }
            for row in found {
                let start = row.start as usize;
                self.entries[start..start + usize::from(row.len)].iter().for_each(&mut visit);
            }
        }
    }

    /// Moves the weights of the features for some classes.
    pub fn update(&mut self, features: &[u64], steps: &[(u16, f32)]) {
        for &feature in features {
            let row = self.row(feature);
            for &(class, step) in steps {
                let entry = self.entry(row, class);
                let entry = &mut self.entries[entry];
                entry.weight += step;
                entry.sum += step * self.clock;
            }
        }
    }

    /// The row of a feature, a new one if it has none.
    fn row(&mut self, feature: u64) -> usize {
        let row = self.index.get_or_insert(feature);
        if row == self.rows.len() {
            self.rows.push(SparseRow::default());
        }
        row
    }

    fn entry(&mut self, row: usize, class: u16) -> usize {
        let row = &mut self.rows[row];
        let start = row.start as usize;
        let held = &self.entries[start..start + usize::from(row.len)];
        if let Some(found) = held.iter().position(|entry| entry.class == class) {
            return start + found;
        }
        if row.len == row.capacity {
            let capacity = if row.capacity == 0 { 2 } else { row.capacity.saturating_mul(2) };
            let moved = self.entries.len();
            self.entries.extend_from_within(start..start + usize::from(row.len));
            self.entries.resize(moved + usize::from(capacity), Entry::default());
            row.start = moved as u32;
            row.capacity = capacity;
        }
        let at = row.start as usize + usize::from(row.len);
        self.entries[at] = Entry { class, ..Entry::default() };
        row.len += 1;
        at
    }

    /// Weights whose averages are the means of the averages of several runs.
    pub fn mean<'a>(runs: impl ExactSizeIterator<Item = &'a SparseWeights>) -> SparseWeights {
        let share = 1.0 / runs.len().max(1) as f32;
        let mut mean = SparseWeights::default();
        for run in runs {
            for (feature, averages) in run.averaged() {
                let row = mean.row(feature);
                for (class, average) in averages {
                    let entry = mean.entry(row, class);
                    mean.entries[entry].weight += average * share;
                }
            }
        }
        mean
    }

    /// Number of features with a weight.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True before the first update.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Averaged weights of every feature, in the order in which features were first seen.
    pub fn averaged(&self) -> impl Iterator<Item = (u64, Vec<(u16, f32)>)> + '_ {
        let time = self.clock + 1.0;
        self.index.features().into_iter().zip(&self.rows).map(move |(feature, row)| {
            let start = row.start as usize;
            let held = &self.entries[start..start + usize::from(row.len)];
            let list =
                held.iter().map(|entry| (entry.class, entry.weight - entry.sum / time)).collect();
            (feature, list)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    /// The average of the weight after each tick, worked out the long way.
    #[test]
    fn averages_are_averages() {
        let mut rng = Seed(3).rng();
        let (mut dense, mut sparse) = (DenseWeights::default(), SparseWeights::default());
        let mut history: Vec<[f32; 3]> = vec![[0.0; 3]];
        for _ in 0..200 {
            dense.tick();
            sparse.tick();
            let mut now = history[history.len() - 1];
            if rng.chance(0.4) {
                let class = rng.below(3);
                let step = if rng.chance(0.5) { 1.0 } else { -1.0 };
                dense.update(&[42], &[(class as u16, step)]);
                sparse.update(&[42], &[(class as u16, step)]);
                now[class] += step;
            }
            history.push(now);
        }
        let mean =
            |class: usize| history.iter().map(|row| row[class]).sum::<f32>() / history.len() as f32;
        let (_, row) = dense.averaged().next().unwrap();
        let (_, list) = sparse.averaged().next().unwrap();
        for class in 0..3 {
            assert!((row[class] - mean(class)).abs() < 1e-4, "{row:?}");
            let listed = list.iter().find(|entry| usize::from(entry.0) == class).unwrap().1;
            assert!((listed - mean(class)).abs() < 1e-4);
        }
    }

    #[test]
    fn a_mean_is_over_all_runs() {
        let mut runs = [SparseWeights::default(), SparseWeights::default()];
        runs[0].update(&[5], &[(1, 2.0)]);
        runs[1].update(&[5, 6], &[(1, 4.0), (2, 1.0)]);
        let mean: Vec<_> = SparseWeights::mean(runs.iter()).averaged().collect();
        assert_eq!(mean, [(5, vec![(1, 3.0), (2, 0.5)]), (6, vec![(1, 2.0), (2, 0.5)])]);
        let mut runs = [DenseWeights::default(), DenseWeights::default()];
        runs[0].update(&[5], &[(1, 2.0)]);
        runs[1].update(&[5, 6], &[(1, 4.0), (2, 1.0)]);
        let mean: Vec<_> = DenseWeights::mean(runs.iter()).averaged().collect();
        let row = |one, two| [0.0, one, two, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(mean, [(5, row(3.0, 0.5)), (6, row(2.0, 0.5))]);
    }

    #[test]
    fn sparse_and_dense_score_alike() {
        let mut rng = Seed(8).rng();
        let (mut dense, mut sparse) = (DenseWeights::default(), SparseWeights::default());
        for _ in 0..20_000 {
            let (feature, class) = (rng.next_u64() % 3000, rng.below(8));
            dense.update(&[feature], &[(class as u16, 1.0)]);
            sparse.update(&[feature], &[(class as u16, 1.0)]);
        }
        assert_eq!(dense.len(), sparse.len());
        for feature in 0..3100 {
            let (mut one, mut other) = ([0.0; 8], [0.0; 8]);
            dense.add_scores(&[feature], &mut one);
            sparse.add_scores(&[feature], &mut other);
            assert_eq!(one, other);
        }
    }
}
