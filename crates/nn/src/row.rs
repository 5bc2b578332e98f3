//! Products of one row, for nets whose next step depends on the last one: plain loops that the compiler
//! turns into vector instructions. A row is always computed in the same way, whatever it is batched with.
//!
//! ```
//! let mut out = [1.0, 0.0];
//! nn::row::add_product(&mut out, &[2.0, 3.0], &[1.0, 10.0, 100.0, 1000.0]);
//! assert_eq!(out, [303.0, 3020.0]);
//! let mut back = [0.0, 0.0];
//! nn::row::add_turned_product(&mut back, &[1.0, 1.0], &[1.0, 10.0, 100.0, 1000.0]);
//! assert_eq!(back, [11.0, 1100.0]);
//! ```
use crate::curves::widely;

/// Rows of weights that are added together.
const TOGETHER: usize = 4;
/// Sums side by side.
const LANES: usize = 16;

/// `out += x w`, where `weights` have a row as long as `out` for each number of `x`.
pub fn add_product(out: &mut [f32], x: &[f32], weights: &[f32]) {
    let width = out.len();
    assert_eq!(weights.len(), x.len() * width, "a row of weights for each number");
    if width == 0 {
        return;
    }
    widely(
        #[inline(always)]
        || {
            let (fours, rest) = x.as_chunks::<TOGETHER>();
            let (of_fours, of_rest) = weights.split_at(fours.len() * TOGETHER * width);
            for (four, rows) in fours.iter().zip(of_fours.chunks_exact(TOGETHER * width)) {
                let (a, rows) = rows.split_at(width);
                let (b, rows) = rows.split_at(width);
                let (c, d) = rows.split_at(width);
                let places = out.iter_mut().zip(a).zip(b).zip(c).zip(d);
                for ((((sum, a), b), c), d) in places {
                    *sum += (four[0] * a + four[1] * b) + (four[2] * c + four[3] * d);
                }
            }
            for (x, row) in rest.iter().zip(of_rest.chunks_exact(width)) {
                out.iter_mut().zip(row).for_each(|(sum, weight)| *sum += x * weight);
            }
        },
    );
}

/// `out += x w^T`, where `weights` have a row as long as `x` for each number of `out`.
pub fn add_turned_product(out: &mut [f32], x: &[f32], weights: &[f32]) {
    let width = x.len();
    assert_eq!(weights.len(), out.len() * width, "a row of weights for each number");
    if width == 0 {
        return;
    }
    widely(
        #[inline(always)]
        || {
            let (wide, rest) = x.as_chunks::<LANES>();
            for (sum, row) in out.iter_mut().zip(weights.chunks_exact(width)) {
                let (of_wide, of_rest) = row.as_chunks::<LANES>();
                let mut sums = [0.0; LANES];
                for (x, weights) in wide.iter().zip(of_wide) {
                    sums.iter_mut()
                        .zip(x.iter().zip(weights))
                        .for_each(|(sum, (x, weight))| *sum += x * weight);
                }
                *sum += sums.iter().sum::<f32>()
                    + rest.iter().zip(of_rest).map(|(x, weight)| x * weight).sum::<f32>();
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::product::{Matrix, multiply};
    use crate::seed::Rng;
    use crate::testing::random;

    #[test]
    fn they_are_products() {
        let mut rng = Rng::new(3);
        for (inputs, outputs) in [(1, 1), (3, 7), (4, 16), (37, 50), (100, 33)] {
            let (x, y) = (random(&mut rng, inputs), random(&mut rng, outputs));
            let weights = random(&mut rng, inputs * outputs);
            let matrix = Matrix::new(&weights, inputs, outputs);
            let close = |one: &[f32], other: &[f32]| {
                assert!(one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-4));
            };
            let (mut plain, mut found) = (y.clone(), y.clone());
            multiply(&mut plain, Matrix::new(&x, 1, inputs), matrix, true);
            add_product(&mut found, &x, &weights);
            close(&plain, &found);
            let (mut plain, mut found) = (x.clone(), x.clone());
            multiply(&mut plain, Matrix::new(&y, 1, outputs), matrix.turned(), true);
            add_turned_product(&mut found, &y, &weights);
            close(&plain, &found);
        }
    }
}
