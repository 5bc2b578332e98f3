//! The loops of a transformer beside its products (Vaswani et al. 2017), forwards only: layer
//! normalisation (Ba et al. 2016), the Gaussian error linear unit (Hendrycks and Gimpel 2016), and the
//! softmax of rows. Sums run in sixteen lanes side by side, always in the same order.
//!
//! ```
//! let mut row = [1.0, 3.0];
//! nn::transformer::normalize(&mut row, &[1.0, 1.0], &[0.0, 0.5], 0.0);
//! assert_eq!(row, [-1.0, 1.5]);
//! ```
use crate::curves::{exp_of, tanh_of, widely};

/// Sums that run side by side.
const LANES: usize = 16;

/// The sum of what is made of each number.
#[allow(clippy::inline_always, reason = "vector instructions need it")]
#[inline(always)]
fn sum(row: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (blocks, rest) = row.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for block in blocks {
        for (sum, &x) in sums.iter_mut().zip(block) {
            *sum += of(x);
        }
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
    }
    rest.iter().fold(sums[0], |sum, &x| sum + of(x))
}

/// Brings each row to mean 0 and variance 1, then multiplies it by a scale and adds a bias; rows are as
/// long as these.
pub fn normalize(rows: &mut [f32], scale: &[f32], bias: &[f32], epsilon: f32) {
    assert_eq!(scale.len(), bias.len(), "a scale and a bias for each number");
    widely(
        #[inline(always)]
        || {
            for row in rows.chunks_exact_mut(scale.len().max(1)) {
                let share = 1.0 / row.len() as f32;
                let mean = share * sum(row, |x| x);
                let variance = share * sum(row, |x| (x - mean) * (x - mean));
                let factor = 1.0 / (variance + epsilon).sqrt();
                for (x, (scale, bias)) in row.iter_mut().zip(scale.iter().zip(bias)) {
                    *x = (*x - mean) * factor * scale + bias;
                }
            }
        },
    );
}

/// Replaces each row of this width by the softmax of its numbers times `scale`.
pub fn softmax(rows: &mut [f32], width: usize, scale: f32) {
    widely(
        #[inline(always)]
        || {
            for row in rows.chunks_exact_mut(width.max(1)) {
                let mut most = [f32::NEG_INFINITY; LANES];
                let (blocks, rest) = row.as_chunks::<LANES>();
                for block in blocks {
                    for (most, &x) in most.iter_mut().zip(block) {
                        *most = if x > *most { x } else { *most };
                    }
                }
                let most = rest.iter().chain(&most).fold(f32::NEG_INFINITY, |most, &x| most.max(x));
                for x in row.iter_mut() {
                    *x = exp_of(scale * (*x - most));
                }
                let share = 1.0 / sum(row, |x| x);
                for x in row.iter_mut() {
                    *x *= share;
                }
            }
        },
    );
}

/// The error function, as a quotient of polynomials (absolute error below 1e-6).
#[allow(clippy::inline_always, reason = "vector instructions need it")]
#[inline(always)]
fn erf_of(x: f32) -> f32 {
    let x = x.clamp(-4.0, 4.0);
    let y = x * x;
    let mut over = -2.726_142_4e-10;
    over = over * y + 2.770_681_5e-8;
    over = over * y - 2.101_024e-6;
    over = over * y - 5.692_506_5e-5;
    over = over * y - 7.349_906e-4;
    over = over * y - 2.954_6e-3;
    over = over * y - 1.609_603_3e-2;
    let mut under = -1.456_607_2e-5;
    under = under * y - 2.133_740_5e-4;
    under = under * y - 1.682_827e-3;
    under = under * y - 7.373_329e-3;
    under = under * y - 1.426_474e-2;
    x * over / under
}

/// Replaces numbers by their Gaussian error linear units.
pub fn gelu(numbers: &mut [f32]) {
    widely(
        #[inline(always)]
        || {
            for x in numbers.iter_mut() {
                *x = 0.5 * *x * (1.0 + erf_of(*x * std::f32::consts::FRAC_1_SQRT_2));
            }
        },
    );
}

/// Replaces numbers by their Gaussian error linear units as a hyperbolic tangent approximates them.
pub fn gelu_by_tanh(numbers: &mut [f32]) {
    widely(
        #[inline(always)]
        || {
            for x in numbers.iter_mut() {
                let inner = 0.797_884_6 * (*x + 0.044_715 * *x * *x * *x);
                *x = 0.5 * *x * (1.0 + tanh_of(inner));
            }
        },
    );
}

/// Replaces numbers below zero by zero.
pub fn rectify(numbers: &mut [f32]) {
    widely(
        #[inline(always)]
        || numbers.iter_mut().for_each(|x| *x = if *x > 0.0 { *x } else { 0.0 }),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Rng;

    /// The error function by its series.
    fn exact_erf(x: f64) -> f64 {
        let (mut sum, mut term) = (0.0, x);
        for n in 0..200 {
            sum += term / f64::from(2 * n + 1);
            term *= -x * x / f64::from(n + 1);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn units_are_those_of_the_definition() {
        for step in -5000..5000_i16 {
            let x = f32::from(step) / 1000.0;
            let wide = f64::from(x);
            assert!((f64::from(erf_of(x)) - exact_erf(wide)).abs() < 1e-6, "erf {x}");
            let mut one = [x];
            gelu(&mut one);
            let exact = 0.5 * wide * (1.0 + exact_erf(wide / std::f64::consts::SQRT_2));
            assert!((f64::from(one[0]) - exact).abs() < 2e-6, "gelu {x}");
            let mut one = [x];
            gelu_by_tanh(&mut one);
            assert!((f64::from(one[0]) - exact).abs() < 1e-3, "gelu by tanh {x}");
        }
        let mut extremes = [-1e30, 1e30, 0.0];
        gelu(&mut extremes);
        assert!((extremes[1] / 1e30 - 1.0).abs() < 1e-6 && extremes[2] == 0.0);
        assert!(extremes[0].abs() < 1e24);
        let mut numbers = [-1.0, 2.0];
        rectify(&mut numbers);
        assert_eq!(numbers, [0.0, 2.0]);
    }

    #[test]
    fn rows_are_normalised_each_for_itself() {
        let mut rng = Rng::new(4);
        for width in [1_usize, 3, 16, 37, 384] {
            let numbers: Vec<f32> = (0..3 * width).map(|_| 2.0 + 3.0 * rng.normal()).collect();
            let (scale, bias) = (vec![2.0; width], vec![0.25; width]);
            let mut rows = numbers.clone();
            normalize(&mut rows, &scale, &bias, 1e-5);
            let mut probabilities = numbers.clone();
            softmax(&mut probabilities, width, 0.7);
            for (at, row) in numbers.chunks_exact(width).enumerate() {
                let wide = |x: f32| f64::from(x);
                let mean = row.iter().copied().map(wide).sum::<f64>() / width as f64;
                let square = |x: f32| (wide(x) - mean).powi(2);
                let variance = row.iter().copied().map(square).sum::<f64>() / width as f64;
                let all: f64 = row.iter().map(|&x| (0.7 * wide(x)).exp()).sum();
                for (column, &x) in row.iter().enumerate() {
                    let exact = 2.0 * (wide(x) - mean) / (variance + 1e-5).sqrt() + 0.25;
                    let found = wide(rows[at * width + column]);
                    assert!((found - exact).abs() < 1e-4 * (1.0 + exact.abs()));
                    let exact = (0.7 * wide(x)).exp() / all;
                    assert!((wide(probabilities[at * width + column]) - exact).abs() < 1e-5);
                }
            }
            let mut alone = numbers[width..2 * width].to_vec();
            normalize(&mut alone, &scale, &bias, 1e-5);
            assert_eq!(alone, rows[width..2 * width]);
        }
    }
}
