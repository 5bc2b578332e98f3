//! Exponential, sigmoid, tanh and softmax over slices, as plain loops that the compiler turns into
//! vector instructions; `pulp` chooses the instructions of the machine at run time.
//!
//! The exponential is two to a whole number, by bits, times a polynomial of the rest (relative error
//! below 1e-6). No fused operations: the same bits with any instruction set.
//!
//! ```
//! let mut numbers = [0.0, 1.0];
//! nn::curves::tanh(&mut numbers);
//! assert!((numbers[1] - 1.0_f32.tanh()).abs() < 1e-6 && numbers[0] == 0.0);
//! ```
use std::sync::LazyLock;

use pulp::Arch;

static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);

/// Runs a loop with the widest vector instructions of the machine. What it calls must be inlined.
#[inline]
pub(crate) fn widely<R>(work: impl pulp::NullaryFnOnce<Output = R>) -> R {
    ARCH.dispatch(work)
}

/// Adds 1.5 * 2^23, by which a number is rounded to a whole one that stands in the lowest bits.
const ROUNDER: f32 = 12_582_912.0;

#[allow(clippy::inline_always, reason = "vector instructions need it")]
#[inline(always)]
pub(crate) fn exp_of(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUNDER;
    let whole = rounded - ROUNDER;
    let rest = x - whole * 0.693_359_4 - whole * -2.121_944_4e-4;
    let mut sum = 1.987_569_1e-4;
    sum = sum * rest + 1.398_2e-3;
    sum = sum * rest + 8.333_452e-3;
    sum = sum * rest + 4.166_579_6e-2;
    sum = sum * rest + 1.666_666_5e-1;
    sum = sum * rest + 0.5;
    let value = sum * rest * rest + rest + 1.0;
    let power = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    value * power
}

#[allow(clippy::inline_always, reason = "vector instructions need it")]
#[inline(always)]
pub(crate) fn sigmoid_of(x: f32) -> f32 {
    1.0 / (1.0 + exp_of(-x))
}

#[allow(clippy::inline_always, reason = "vector instructions need it")]
#[inline(always)]
pub(crate) fn tanh_of(x: f32) -> f32 {
    let x2 = x * x;
    // Near zero the difference of exponentials would lose digits.
    let small = x * (1.0 - x2 * (0.333_333_34 - x2 * (0.133_333_34 - x2 * 0.053_968_254)));
    let e = exp_of(-2.0 * x.abs());
    let large = ((1.0 - e) / (1.0 + e)).copysign(x);
    if x2 < 0.01 { small } else { large }
}

/// Replaces numbers by their exponentials.
pub fn exp(numbers: &mut [f32]) {
    widely(
        #[inline(always)]
        || numbers.iter_mut().for_each(|x| *x = exp_of(*x)),
    );
}

/// Replaces numbers by their sigmoids.
pub fn sigmoid(numbers: &mut [f32]) {
    widely(
        #[inline(always)]
        || numbers.iter_mut().for_each(|x| *x = sigmoid_of(*x)),
    );
}

/// Replaces numbers by their hyperbolic tangents.
pub fn tanh(numbers: &mut [f32]) {
    widely(
        #[inline(always)]
        || numbers.iter_mut().for_each(|x| *x = tanh_of(*x)),
    );
}

/// Cross-entropy of the right class under the softmax of scores, which become the gradient: their
/// probabilities, less one at the right class, times `weight`. Scores of minus infinity are no
/// choices.
pub fn cross_entropy(scores: &mut [f32], right: usize, weight: f32) -> f32 {
    let best = scores.iter().fold(f32::NEG_INFINITY, |best, &one| best.max(one));
    let of_right = scores[right] - best;
    widely(
        #[inline(always)]
        || {
            for one in scores.iter_mut() {
                let above = *one - best;
                *one = if above < -80.0 { 0.0 } else { exp_of(above) };
            }
        },
    );
    let sum: f32 = scores.iter().sum();
    let scale = weight / sum;
    for one in scores.iter_mut() {
        *one *= scale;
    }
    scores[right] -= weight;
    weight * (sum.ln() - of_right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_those_of_the_library() {
        for step in -32_000..32_000_i16 {
            let x = f32::from(step) / 2000.0;
            let exact = f64::from(x).exp();
            assert!(((f64::from(exp_of(x)) - exact) / exact).abs() < 1e-6, "exp {x}");
            let exact = f64::from(x).tanh();
            assert!((f64::from(tanh_of(x)) - exact).abs() < 1e-6, "tanh {x}");
            let exact = 1.0 / (1.0 + (-f64::from(x)).exp());
            assert!((f64::from(sigmoid_of(x)) - exact).abs() < 1e-6, "sigmoid {x}");
        }
        assert!(exp_of(f32::NEG_INFINITY) < 1e-37 && exp_of(f32::INFINITY) > 1e38);
        assert_eq!(tanh_of(50.0), 1.0);
        assert_eq!(tanh_of(-50.0), -1.0);
    }

    #[test]
    fn slices_and_single_numbers_agree() {
        let numbers: Vec<f32> = (-50..50_i8).map(|x| f32::from(x) / 7.0).collect();
        let (mut one, mut two, mut three) = (numbers.clone(), numbers.clone(), numbers.clone());
        exp(&mut one);
        sigmoid(&mut two);
        tanh(&mut three);
        for (at, &x) in numbers.iter().enumerate() {
            assert_eq!(one[at], exp_of(x));
            assert_eq!(two[at], sigmoid_of(x));
            assert_eq!(three[at], tanh_of(x));
        }
    }

    #[test]
    fn the_gradient_of_cross_entropy_is_its_slope() {
        let scores = [0.3_f32, -1.0, 2.0, f32::NEG_INFINITY, 0.1];
        let mut gradient = scores;
        cross_entropy(&mut gradient, 2, 0.5);
        assert_eq!(gradient[3], 0.0);
        for at in [0, 1, 2, 4] {
            let shifted = |by: f32| {
                let mut copy = scores;
                copy[at] += by;
                cross_entropy(&mut copy, 2, 0.5)
            };
            let slope = (shifted(0.01) - shifted(-0.01)) / 0.02;
            assert!((slope - gradient[at]).abs() < 1e-3);
        }
    }
}
