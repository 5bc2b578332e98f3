//! A small random stream, the same on every machine (`SplitMix64`; Steele, Lea and Flood 2014).

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
pub mod data {
    use super::Random;
    use crate::Examples;

    /// Examples whose classes depend on pairs of features, with some noise.
    pub fn examples(seed: u64, count: usize, classes: u16) -> Examples {
        let mut random = Random(seed);
        let mut examples = Examples::default();
        for _ in 0..count {
            // One value for each of six templates, as in a parser, and skewed as words are.
            let values: Vec<u64> = (0..6)
                .map(|template| {
                    let value = random.below(12).min(random.below(12)) as u64;
                    template * 100 + value
                })
                .collect();
            let exclusive_or = (values[0] ^ values[1]) & 1;
            let rest = 2 * (values[2] & 1) + 4 * u64::from(values[3] == 300);
            let mut class = (exclusive_or + rest) % u64::from(classes);
            if random.below(10) == 0 {
                class = random.below(usize::from(classes)) as u64;
            }
            examples.push(&values, class as u16);
        }
        examples
    }
}
