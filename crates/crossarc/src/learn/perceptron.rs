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

use super::prefetch::prefetch;

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

    #[inline]
    fn prefetch(&self, feature: u64) {
        if let Some(slot) = self.slots.get(feature as usize & self.slots.len().wrapping_sub(1)) {
            prefetch(slot);
        }
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

#[derive(Copy, Clone, Debug, Default)]
struct DenseRow {
    weights: [f32; MOST_DENSE],
    sums: [f32; MOST_DENSE],
}

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
    rows: Vec<DenseRow>,
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
        for &feature in features {
            if let Some(row) = self.index.get(feature) {
                for (score, weight) in scores.iter_mut().zip(&self.rows[row].weights) {
                    *score += weight;
                }
            }
        }
    }

    /// Moves the weights of the features for some classes.
    pub fn update(&mut self, features: &[u64], steps: &[(u16, f32)]) {
        for &feature in features {
            let row = self.index.get_or_insert(feature);
            if row == self.rows.len() {
                self.rows.push(DenseRow::default());
            }
            let row = &mut self.rows[row];
            for &(class, step) in steps {
                row.weights[usize::from(class)] += step;
                row.sums[usize::from(class)] += step * self.clock;
            }
        }
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
    pub fn averaged(&self) -> impl Iterator<Item = (u64, [f32; MOST_DENSE])> + '_ {
        let time = self.clock + 1.0;
        self.index.features().into_iter().zip(&self.rows).map(move |(feature, row)| {
            (feature, std::array::from_fn(|class| row.weights[class] - row.sums[class] / time))
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

    /// Visits the entries of the features in their order. The features of a group are looked up
    /// side by side: a table in training is far larger than any cache.
    #[inline]
    fn for_entries(&self, features: &[u64], mut visit: impl FnMut(&Entry)) {
        for group in features.chunks(GROUP) {
            for &feature in group {
                self.index.prefetch(feature);
            }
            let mut rows = [usize::MAX; GROUP];
            for (place, &feature) in rows.iter_mut().zip(group) {
                if let Some(row) = self.index.get(feature) {
                    *place = row;
                    prefetch(&self.rows[row]);
                }
            }
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
            let row = self.index.get_or_insert(feature);
            if row == self.rows.len() {
                self.rows.push(SparseRow::default());
            }
            for &(class, step) in steps {
                let entry = self.entry(row, class);
                let entry = &mut self.entries[entry];
                entry.weight += step;
                entry.sum += step * self.clock;
            }
        }
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
