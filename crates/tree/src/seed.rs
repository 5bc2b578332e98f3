//! Named random streams forked from one seed, so that adding a consumer never shifts another.
//!
//! The generator is `SplitMix64` (Steele, Lea and Flood 2014): eight bytes of state, the same
//! numbers on every machine.
//!
//! ```
//! use crossarc_tree::seed::Seed;
//! let shuffle = Seed(1).fork("shuffle", 3);
//! assert_eq!(shuffle.rng().next_u64(), shuffle.rng().next_u64());
//! assert_ne!(shuffle.rng().next_u64(), Seed(1).fork("split", 3).rng().next_u64());
//! ```

/// A seed from which independent streams are forked by purpose and index.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The seed of the stream for one purpose, for example `("shuffle", epoch)`.
    #[must_use]
    pub fn fork(self, purpose: &str, index: u64) -> Seed {
        let start = self.0 ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = purpose
            .bytes()
            .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
        Seed(Rng(mixed).next_u64())
    }

    /// The fold of each of so many items, for cross-fitting: folds of equal size, at least two, at
    /// random.
    pub fn folds(self, items: usize, folds: usize) -> Vec<usize> {
        let mut fold_of: Vec<usize> = (0..items).map(|at| at % folds.max(2)).collect();
        self.fork("folds", 0).rng().shuffle(&mut fold_of);
        fold_of
    }

    /// Starts the stream.
    pub fn rng(self) -> Rng {
        Rng(self.0)
    }
}

/// A random stream.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..bound` (0 if `bound` is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Puts the items into a random order (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
