//! The kernel's feature space written out (Chang, Hsieh, Chang, Ringgaard and Lin 2010).
//!
//! For binary features `(gamma x.y + r)^2` is the scalar product of vectors that have
//!
//! - `r` in one place,
//! - `sqrt(2 gamma r + gamma^2)` for each feature, since `x^2 = x`, and
//! - `sqrt(2) gamma` for each pair of different features.
//!
//! An example with n features has n (n - 1) / 2 pairs, most of which no other example has. Such a
//! pair tells the machine nothing about other examples: it only adds `2 gamma^2` to the product of
//! the example with itself. So lonely pairs are counted, not stored, and the result stays exact.
//!
//! Memory is bounded: at most [`MOST_PAIRS`] different pairs are told apart; new pairs beyond
//! that count as lonely, which makes them weightless for other examples. No English treebank comes
//! near that limit.
use crate::Examples;

/// Different pairs that are told apart, unless the settings say otherwise.
pub const MOST_PAIRS: usize = 100_000_000;

/// Examples with their pairs. Places of features come first, those of shared pairs follow.
pub struct Mapping {
    ends: Vec<usize>,
    places: Vec<u32>,
    singles: Vec<u16>,
    lonely: Vec<u32>,
    dimensions: usize,
}

/// An example in the explicit space.
#[derive(Copy, Clone, Debug)]
pub struct Row<'a> {
    /// Places of features.
    pub singles: &'a [u32],
    /// Places of pairs that other examples share.
    pub pairs: &'a [u32],
    /// Number of other pairs.
    pub lonely: u32,
}

impl Mapping {
    /// Maps all examples.
    pub fn new(examples: &Examples, most_pairs: usize) -> Mapping {
        let mut table = PairTable::new(most_pairs);
        for example in 0..examples.len() {
            each_pair(examples.features(example), |pair| table.count(pair));
        }
        let mut mapping = Mapping {
            ends: Vec::with_capacity(examples.len()),
            places: Vec::new(),
            singles: Vec::with_capacity(examples.len()),
            lonely: Vec::with_capacity(examples.len()),
            dimensions: examples.names().len(),
        };
        for example in 0..examples.len() {
            let features = examples.features(example);
            mapping.places.extend_from_slice(features);
            let mut lonely = 0;
            each_pair(features, |pair| match table.place(pair, &mut mapping.dimensions) {
                Some(place) => mapping.places.push(place),
                None => lonely += 1,
            });
            mapping.ends.push(mapping.places.len());
            mapping.singles.push(features.len() as u16);
            mapping.lonely.push(lonely);
        }
        mapping
    }

    /// Number of places.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// An example in the explicit space.
    pub fn row(&self, example: usize) -> Row<'_> {
        let start = if example == 0 { 0 } else { self.ends[example - 1] };
        let all = &self.places[start..self.ends[example]];
        let (singles, pairs) = all.split_at(usize::from(self.singles[example]));
        Row { singles, pairs, lonely: self.lonely[example] }
    }
}

fn each_pair(features: &[u32], mut take: impl FnMut(u64)) {
    for (at, &one) in features.iter().enumerate() {
        for &other in &features[..at] {
            // Never zero, which marks a free slot.
            take(u64::from(one) << 32 | u64::from(other));
        }
    }
}

/// Which pairs there are, open addressing.
struct PairTable {
    keys: Vec<u64>,
    values: Vec<u32>,
    used: usize,
    most: usize,
}

/// Before places are given out: seen once, seen again.
const ONCE: u32 = u32::MAX;
const SHARED: u32 = u32::MAX - 1;

impl PairTable {
    fn new(most: usize) -> PairTable {
        let slots = 1 << 12;
        PairTable { keys: vec![0; slots], values: vec![0; slots], used: 0, most }
    }

    /// The slot that holds the pair or would hold it.
    fn slot(&self, pair: u64) -> usize {
        let mask = self.keys.len() - 1;
        let hash = (pair ^ (pair >> 32)).wrapping_mul(0x9FB2_1C65_1E98_DF25);
        let mut slot = (hash >> 24) as usize & mask;
        while self.keys[slot] != pair && self.keys[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn count(&mut self, pair: u64) {
        let slot = self.slot(pair);
        if self.keys[slot] == pair {
            self.values[slot] = SHARED;
        } else if self.used < self.most {
            self.keys[slot] = pair;
            self.values[slot] = ONCE;
            self.used += 1;
            if self.used * 8 > self.keys.len() * 5 {
                self.grow();
            }
        }
    }

    fn grow(&mut self) {
        let slots = self.keys.len() * 2;
        let keys = std::mem::replace(&mut self.keys, vec![0; slots]);
        let values = std::mem::replace(&mut self.values, vec![0; slots]);
        for (key, value) in keys.into_iter().zip(values) {
            if key != 0 {
                let slot = self.slot(key);
                self.keys[slot] = key;
                self.values[slot] = value;
            }
        }
    }

    /// The place of a shared pair, `next` if it has none yet; nothing if the pair is lonely.
    fn place(&mut self, pair: u64, next: &mut usize) -> Option<u32> {
        let slot = self.slot(pair);
        if self.keys[slot] != pair || self.values[slot] == ONCE {
            return None;
        }
        if self.values[slot] == SHARED {
            self.values[slot] = *next as u32;
            *next += 1;
        }
        Some(self.values[slot])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::random::data;

    #[test]
    fn products_of_rows_are_the_kernel() {
        let examples = data::examples(3, 80, 2);
        let mapping = Mapping::new(&examples, MOST_PAIRS);
        let kernel = Kernel { gamma: 0.3, r: 0.7 };
        for one in 0..80 {
            for other in 0..80 {
                let [a, b] = [one, other].map(|example| mapping.row(example));
                let common = |one: &[u32], other: &[u32]| {
                    one.iter().filter(|place| other.contains(place)).count() as f64
                };
                let lonely = if one == other { f64::from(a.lonely) } else { 0.0 };
                let product = kernel.constant()
                    + kernel.single() * common(a.singles, b.singles)
                    + kernel.pair() * (common(a.pairs, b.pairs) + lonely);
                let [x, y] = [one, other].map(|example| examples.features(example));
                let expected = kernel.of(common(x, y) as usize);
                assert!((product - expected).abs() < 1e-9, "{one} {other}");
            }
        }
    }

    #[test]
    fn pairs_beyond_the_limit_are_lonely() {
        let examples = data::examples(3, 200, 2);
        let all = Mapping::new(&examples, MOST_PAIRS);
        let few = Mapping::new(&examples, 10);
        assert!(few.dimensions() <= examples.names().len() + 10);
        for example in 0..200 {
            let [all, few] = [&all, &few].map(|mapping| mapping.row(example));
            assert_eq!(
                all.pairs.len() + all.lonely as usize,
                few.pairs.len() + few.lonely as usize
            );
        }
    }
}
