//! Weights of the averaged perceptron (Collins 2002; Freund and Schapire 1999).
//!
//! Features are 64-bit hashes, and a weight exists once an update has touched it. The average
//! over all moments is had without a time stamp per weight: beside every weight `w` stands the
//! sum of its changes times the clock, and the average at time `t` is `w - sum / t`. With a power
//! of the clock in place of the clock later moments count more (Shamir and Zhang 2013), and fewer
//! epochs give weights as good.
//!
//! [`DenseWeights`] keeps a short row for each feature with one place for every class (the moves
//! of a transition system); [`SparseWeights`] keeps for each feature a list of the classes seen
//! with it (labels, of which there may be hundreds).

mod stored;

use svm::prefetch::prefetch;

/// Features that are looked up side by side.
const GROUP: usize = 32;

/// A place in the index.
#[derive(Copy, Clone, Debug, Default)]
struct Slot {
    feature: u64,
    /// Row number plus one; zero for an empty slot.
    row: u32,
    /// The weight of class 0 in [`SparseWeights`]: most factors of graph parsers want no other, and
    /// have it without a second look into memory.
    first: f32,
}

/// Open addressing from feature to row number, linear probing, at most half full.
#[derive(Clone, Debug, Default)]
struct Index {
    slots: Vec<Slot>,
    rows: usize,
}

impl Index {
    /// Where a feature is, or the empty slot where it would be.
    #[inline]
    fn probe(&self, feature: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = feature as usize & mask;
        loop {
            let slot = &self.slots[at];
            if slot.row == 0 || slot.feature == feature {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The slot of a feature.
    #[inline]
    fn get(&self, feature: u64) -> Option<&Slot> {
        if self.slots.is_empty() {
            return None;
        }
        Some(&self.slots[self.probe(feature)]).filter(|slot| slot.row != 0)
    }

    /// Asks for the slots of features before they are looked up.
    #[inline]
    fn fetch(&self, group: &[u64]) {
        for &feature in group {
            if let Some(slot) = self.slots.get(feature as usize & self.slots.len().wrapping_sub(1))
            {
                prefetch(slot);
            }
        }
    }

    /// The rows of a group of features, looked up side by side: a table in training is far larger
    /// than any cache. `found` is told of every slot early; a feature without one gets a number that
    /// no row has.
    #[inline]
    fn get_group(&self, group: &[u64], mut found: impl FnMut(&Slot)) -> [usize; GROUP] {
        self.fetch(group);
        let mut rows = [usize::MAX; GROUP];
        for (place, &feature) in rows.iter_mut().zip(group) {
            if let Some(slot) = self.get(feature) {
                *place = slot.row as usize - 1;
                found(slot);
            }
        }
        rows
    }

    /// The slot of a feature, a new one if it has none.
    #[inline]
    fn get_or_insert(&mut self, feature: u64) -> &mut Slot {
        if (self.rows + 1) * 2 > self.slots.len() {
            let size = (self.slots.len() * 2).max(1 << 12);
            let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
            for slot in old.into_iter().filter(|slot| slot.row != 0) {
                let at = self.probe(slot.feature);
                self.slots[at] = slot;
            }
        }
        let at = self.probe(feature);
        if self.slots[at].row == 0 {
            self.rows += 1;
            self.slots[at] = Slot { feature, row: self.rows as u32, first: 0.0 };
        }
        &mut self.slots[at]
    }

    /// Features in the order in which they were first seen.
    fn features(&self) -> impl Iterator<Item = u64> + use<> {
        self.in_order().into_iter().map(|slot| slot.feature)
    }

    /// Slots in the order in which features were first seen.
    fn in_order(&self) -> Vec<Slot> {
        let mut slots = vec![Slot::default(); self.rows];
        for &slot in self.slots.iter().filter(|slot| slot.row != 0) {
            slots[slot.row as usize - 1] = slot;
        }
        slots
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
/// use crossarc_learn::perceptron::DenseWeights;
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
            let rows =
                self.index.get_group(group, |slot| prefetch(&self.weights[slot.row as usize - 1]));
            for row in rows.iter().filter_map(|&row| self.weights.get(row)) {
                for (score, weight) in scores.iter_mut().zip(&row.0) {
                    *score += weight;
                }
            }
        }
    }

    /// The sum of the weights of the features for one class.
    #[inline]
    pub fn score(&self, features: &[u64], class: usize) -> f32 {
        let mut score = 0.0;
        for group in features.chunks(GROUP) {
            let rows =
                self.index.get_group(group, |slot| prefetch(&self.weights[slot.row as usize - 1]));
            for row in rows.iter().filter_map(|&row| self.weights.get(row)) {
                score += row.0[class % MOST_DENSE];
            }
        }
        score
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
        let row = self.index.get_or_insert(feature).row as usize - 1;
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
        self.index.features().zip(rows).map(move |(feature, (weights, sums))| {
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
    /// The sum of class 0, whose weight is in the index.
    first_sum: f32,
}

impl SparseRow {
    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + usize::from(self.len)
    }
}

/// How the moments of learning count in averaged weights.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Averaging {
    /// All alike.
    #[default]
    Even,
    /// Later ones more: those up to a share of the time have the fourth power of that share.
    Late,
}

impl Averaging {
    /// The weight of all moments up to a time.
    #[inline]
    fn weight(self, time: f32) -> f32 {
        match self {
            Averaging::Even => time,
            Averaging::Late => time.powi(4),
        }
    }
}

/// For every feature a list of the classes that it has been updated for.
#[derive(Clone, Debug, Default)]
pub struct SparseWeights {
    index: Index,
    rows: Vec<SparseRow>,
    /// Of all classes but the first.
    entries: Vec<Entry>,
    clock: f32,
    averaging: Averaging,
}

impl SparseWeights {
    /// Weights that are averaged so.
    pub fn averaged_by(averaging: Averaging) -> SparseWeights {
        SparseWeights { averaging, ..SparseWeights::default() }
    }

    /// The weight of all moments, for averages.
    fn whole(&self) -> f32 {
        self.averaging.weight(self.clock + 1.0)
    }

    /// Time goes on: call once before the updates of each example.
    pub fn tick(&mut self) {
        self.clock += 1.0;
    }

    /// Asks for the memory where features would be.
    #[inline]
    pub fn fetch(&self, features: &[u64]) {
        self.index.fetch(features);
    }

    /// Adds the weights of the features to the scores of all classes that there is a place for.
    #[inline]
    pub fn add_scores(&self, features: &[u64], scores: &mut [f32]) {
        let [first, others @ ..] = scores else { return };
        if others.is_empty() {
            for group in features.chunks(GROUP) {
                self.index.fetch(group);
                *first += group
                    .iter()
                    .filter_map(|&feature| Some(self.index.get(feature)?.first))
                    .sum::<f32>();
            }
            return;
        }
        self.for_rows(
            features,
            |slot| *first += slot.first,
            |row| {
                for entry in &self.entries[row.range()] {
                    if let Some(score) = others.get_mut(usize::from(entry.class) - 1) {
                        *score += entry.weight;
                    }
                }
            },
        );
    }

    /// Adds the averaged weights of the features to the scores of all classes that there is a place
    /// for.
    pub fn add_averaged_scores(&self, features: &[u64], scores: &mut [f32]) {
        let [first, others @ ..] = scores else { return };
        let whole = self.whole();
        let (mut weights, mut sums) = (0.0, 0.0);
        self.for_rows(
            features,
            |slot| weights += slot.first,
            |row| {
                sums += row.first_sum;
                for entry in &self.entries[row.range()] {
                    if let Some(score) = others.get_mut(usize::from(entry.class) - 1) {
                        *score += entry.weight - entry.sum / whole;
                    }
                }
            },
        );
        *first += weights - sums / whole;
    }

    /// Visits the slots and rows of the features in their order.
    #[inline]
    fn for_rows(
        &self,
        features: &[u64],
        mut slot: impl FnMut(&Slot),
        mut visit: impl FnMut(SparseRow),
    ) {
        for group in features.chunks(GROUP) {
            let rows = self.index.get_group(group, |found| {
                slot(found);
                prefetch(&self.rows[found.row as usize - 1]);
            });
            let found = rows.map(|row| self.rows.get(row).copied().unwrap_or_default());
            for row in &found {
                if let Some(entry) = self.entries.get(row.start as usize) {
                    prefetch(entry);
                }
            }
            found.into_iter().for_each(&mut visit);
        }
    }

    /// Moves the weights of the features for some classes.
    pub fn update(&mut self, features: &[u64], steps: &[(u16, f32)]) {
        let before = self.averaging.weight(self.clock);
        for group in features.chunks(GROUP) {
            self.index.fetch(group);
            for &feature in group {
                let row = self.row(feature);
                for &(class, step) in steps {
                    self.change(feature, row, class, step, step * before);
                }
            }
        }
    }

    /// Changes the weight and the sum of a class.
    #[inline]
    fn change(&mut self, feature: u64, row: usize, class: u16, weight: f32, sum: f32) {
        if class == 0 {
            self.index.get_or_insert(feature).first += weight;
            self.rows[row].first_sum += sum;
        } else {
            let entry = self.entry(row, class);
            let entry = &mut self.entries[entry];
            entry.weight += weight;
            entry.sum += sum;
        }
    }

    /// The row of a feature, a new one if it has none.
    #[inline]
    fn row(&mut self, feature: u64) -> usize {
        let row = self.index.get_or_insert(feature).row as usize - 1;
        if row == self.rows.len() {
            self.rows.push(SparseRow::default());
        }
        row
    }

    /// The place of a class other than the first.
    fn entry(&mut self, row: usize, class: u16) -> usize {
        let row = &mut self.rows[row];
        let start = row.start as usize;
        let held = &self.entries[row.range()];
        if let Some(found) = held.iter().position(|entry| entry.class == class) {
            return start + found;
        }
        if row.len == row.capacity {
            let capacity = if row.capacity == 0 { 2 } else { row.capacity.saturating_mul(2) };
            let moved = self.entries.len();
            self.entries.extend_from_within(row.range());
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
                    mean.change(feature, row, class, average * share, 0.0);
                }
            }
        }
        mean
    }

    /// The classes other than the first that a feature has been updated for.
    #[inline]
    pub fn classes(&self, feature: u64) -> impl Iterator<Item = u16> + '_ {
        let row = self.index.get(feature).map(|slot| self.rows[slot.row as usize - 1]);
        self.entries[row.unwrap_or_default().range()].iter().map(|entry| entry.class)
    }

    /// Number of features with a weight.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True before the first update.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All features with weight and sum of every class, in the order in which features were first
    /// seen.
    fn lists(&self) -> impl Iterator<Item = (u64, impl Iterator<Item = Entry> + '_)> + '_ {
        self.index.in_order().into_iter().zip(&self.rows).map(|(slot, row)| {
            let first = Entry { weight: slot.first, sum: row.first_sum, class: 0 };
            let first = Some(first).filter(|entry| entry.weight != 0.0 || entry.sum != 0.0);
            (slot.feature, first.into_iter().chain(self.entries[row.range()].iter().copied()))
        })
    }

    /// Averaged weights of every feature, in the order in which features were first seen.
    pub fn averaged(&self) -> impl Iterator<Item = (u64, Vec<(u16, f32)>)> + '_ {
        let whole = self.whole();
        self.lists().map(move |(feature, list)| {
            (feature, list.map(|entry| (entry.class, entry.weight - entry.sum / whole)).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    /// The average of the weight after each tick, worked out the long way.
    #[test]
    fn averages_are_averages() {
        let mut rng = Seed(3).rng();
        let (mut dense, mut sparse) = (DenseWeights::default(), SparseWeights::default());
        let mut late = SparseWeights::averaged_by(Averaging::Late);
        let mut history: Vec<[f32; 3]> = vec![[0.0; 3]];
        for _ in 0..200 {
            dense.tick();
            sparse.tick();
            late.tick();
            let mut now = history[history.len() - 1];
            if rng.chance(0.4) {
                let class = rng.below(3);
                let step = if rng.chance(0.5) { 1.0 } else { -1.0 };
                dense.update(&[42], &[(class as u16, step)]);
                sparse.update(&[42], &[(class as u16, step)]);
                late.update(&[42], &[(class as u16, step)]);
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
        // The moment after the tick s counts (s + 1)^4 - s^4.
        let weight = |at: usize| ((at + 1).pow(4) - at.pow(4)) as f32;
        let whole = history.len().pow(4) as f32;
        let (_, list) = late.averaged().next().unwrap();
        for (class, average) in list {
            let sum: f32 = history
                .iter()
                .enumerate()
                .map(|(at, row)| row[usize::from(class)] * weight(at) / whole)
                .sum();
            assert!((average - sum).abs() < 1e-3, "{average} {sum}");
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
