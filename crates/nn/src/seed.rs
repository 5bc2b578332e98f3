//! Random numbers for first weights and dropout: `SplitMix64` (Steele, Lea and Flood 2014).
//!
//! ```
//! use nn::seed::Rng;
//! assert_eq!(Rng::new(7).next_u64(), Rng::new(7).next_u64());
//! ```

/// A random stream.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// The stream for one purpose of many, by numbers that name it.
    #[must_use]
    pub fn fork(seed: u64, purpose: u64, index: u64) -> Rng {
        let mut rng = Rng(seed ^ purpose.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        let first = rng.next_u64();
        let mut rng = Rng(first ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        Rng(rng.next_u64())
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// A number in `0..bound` (0 if `bound` is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number of the normal distribution (as a sum of twelve uniform ones, so the same on every
    /// machine).
    pub fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }

    /// Puts the items into a random order (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
