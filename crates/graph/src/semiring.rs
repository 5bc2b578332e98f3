//! One dynamic program, several questions (Goodman 1999): the best tree in the max-plus semiring,
//! the sum over all trees in the log semiring.
//!
//! ```
//! use crossarc_graph::{LogSum, MaxPlus, Semiring};
//! assert_eq!(MaxPlus::plus(1.0, 2.0), 2.0);
//! assert!((LogSum::plus(0.0, 0.0) - 2f64.ln()).abs() < 1e-12);
//! ```

/// Values with a sum (over alternatives) and a product (of parts).
pub trait Semiring {
    /// What a chart holds.
    type Value: Copy + Default + Send + PartialOrd;
    /// The sum of nothing.
    const ZERO: Self::Value;
    /// The product of nothing.
    const ONE: Self::Value;
    /// The value of a score.
    fn value(score: f32) -> Self::Value;
    /// Sum.
    fn plus(a: Self::Value, b: Self::Value) -> Self::Value;
    /// Product.
    fn times(a: Self::Value, b: Self::Value) -> Self::Value;
    /// Sum over `k` of `a[k] * b[k] * weights[k]`; a missing or empty factor counts as one.
    /// All that are given have the same length.
    fn sum(a: Option<&[Self::Value]>, b: Option<&[Self::Value]>, weights: &[f32]) -> Self::Value;
}

/// The best alternative, in single precision.
#[derive(Copy, Clone, Debug)]
pub struct MaxPlus;

fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// The highest of the sums over slices of one length, eight at a time so that it becomes vector
/// code.
fn highest_sum<const SLICES: usize>(slices: [&[f32]; SLICES]) -> f32 {
    const LANES: usize = 8;
    let chunked = slices.map(|slice| slice.as_chunks::<LANES>());
    let mut highest = f32::NEG_INFINITY;
    let chunks = chunked.iter().map(|(chunks, _)| chunks.len()).min().unwrap_or(0);
    if chunks > 0 {
        let mut lanes = [f32::NEG_INFINITY; LANES];
        for index in 0..chunks {
            let mut sums = [0.0; LANES];
            for (chunks, _) in chunked {
                for (sum, value) in sums.iter_mut().zip(&chunks[index]) {
                    *sum += value;
                }
            }
            for (lane, sum) in lanes.iter_mut().zip(sums) {
                *lane = larger(*lane, sum);
            }
        }
        highest = lanes.into_iter().fold(highest, larger);
    }
    let rest = chunked.iter().map(|(_, rest)| rest.len()).min().unwrap_or(0);
    for index in 0..rest {
        highest = larger(highest, chunked.iter().map(|(_, rest)| rest[index]).sum());
    }
    highest
}

impl Semiring for MaxPlus {
    type Value = f32;
    const ZERO: f32 = f32::NEG_INFINITY;
    const ONE: f32 = 0.0;

    fn value(score: f32) -> f32 {
        score
    }

    fn plus(a: f32, b: f32) -> f32 {
        larger(a, b)
    }

    fn times(a: f32, b: f32) -> f32 {
        a + b
    }

    fn sum(a: Option<&[f32]>, b: Option<&[f32]>, weights: &[f32]) -> f32 {
        match (a, b) {
            (None, None) => highest_sum([weights]),
            (Some(a), None) | (None, Some(a)) if weights.is_empty() => highest_sum([a]),
            (Some(a), None) | (None, Some(a)) => highest_sum([a, weights]),
            (Some(a), Some(b)) if weights.is_empty() => highest_sum([a, b]),
            (Some(a), Some(b)) => highest_sum([a, b, weights]),
        }
    }
}

/// The logarithm of the sum of exponentials, in double precision.
#[derive(Copy, Clone, Debug)]
pub struct LogSum;

impl Semiring for LogSum {
    type Value = f64;
    const ZERO: f64 = f64::NEG_INFINITY;
    const ONE: f64 = 0.0;

    fn value(score: f32) -> f64 {
        f64::from(score)
    }

    fn plus(a: f64, b: f64) -> f64 {
        let (high, low) = if a > b { (a, b) } else { (b, a) };
        if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
    }

    fn times(a: f64, b: f64) -> f64 {
        a + b
    }

    fn sum(a: Option<&[f64]>, b: Option<&[f64]>, weights: &[f32]) -> f64 {
        let len = a.or(b).map_or(weights.len(), <[f64]>::len);
        let term = |k: usize| {
            a.map_or(0.0, |a| a[k])
                + b.map_or(0.0, |b| b[k])
                + if weights.is_empty() { 0.0 } else { f64::from(weights[k]) }
        };
        let highest = (0..len).map(term).fold(f64::NEG_INFINITY, f64::max);
        if highest == f64::NEG_INFINITY {
            return highest;
        }
        highest + (0..len).map(|k| (term(k) - highest).exp()).sum::<f64>().ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    #[test]
    fn sums_equal_folds() {
        let mut rng = Seed(5).rng();
        for len in 0..40 {
            let mut draw = || (0..len).map(|_| rng.below(64) as f32 / 4.0).collect::<Vec<_>>();
            let (a, b, w) = (draw(), draw(), draw());
            let best = |f: &dyn Fn(usize) -> f32| (0..len).map(f).fold(MaxPlus::ZERO, f32::max);
            assert_eq!(MaxPlus::sum(Some(&a), Some(&b), &w), best(&|k| a[k] + b[k] + w[k]));
            assert_eq!(MaxPlus::sum(Some(&a), Some(&b), &[]), best(&|k| a[k] + b[k]));
            assert_eq!(MaxPlus::sum(None, Some(&b), &w), best(&|k| b[k] + w[k]));
            assert_eq!(MaxPlus::sum(Some(&a), None, &[]), best(&|k| a[k]));
            assert_eq!(MaxPlus::sum(None, None, &w), best(&|k| w[k]));
            let wide: Vec<f64> = a.iter().map(|&x| f64::from(x)).collect();
            let folded =
                (0..len).map(|k| wide[k] + f64::from(w[k])).fold(LogSum::ZERO, LogSum::plus);
            let summed = LogSum::sum(Some(&wide), None, &w);
            assert!(summed == folded || (summed - folded).abs() < 1e-9, "length {len}");
        }
    }
}
