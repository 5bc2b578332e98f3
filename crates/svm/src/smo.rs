//! The exact solver: sequential minimal optimisation, two multipliers at a time, chosen by
//! second-order information (Fan, Chen and Lin 2005), as in libsvm.
//!
//! A step costs time linear in the number of examples once the two rows of the kernel matrix are
//! in the cache. Steps are about as many as examples on easy data and many times that on hard data.
use crate::cache::Cache;
use crate::kernel::Index;
use crate::{Examples, Settings, Solution};

/// Steps at most, for each example.
pub const MOST_STEPS: usize = 1000;
/// Curvature that is taken instead of none.
const LEAST_CURVATURE: f64 = 1e-12;

/// Trains a machine on some examples; `positive` tells their sides.
pub fn solve(
    examples: &Examples,
    members: &[u32],
    positive: &[bool],
    settings: &Settings,
) -> Solution {
    let count = members.len();
    let cost = settings.cost;
    let sign = |at: usize| if positive[at] { 1.0 } else { -1.0 };
    let diagonal: Vec<f64> = members
        .iter()
        .map(|&member| settings.kernel.of(examples.features(member as usize).len()))
        .collect();
    let mut index = Index::new(examples, members, settings.kernel);
    let mut cache = Cache::new(count, settings.cache_bytes);
    let mut alphas = vec![0.0; count];
    let mut gradient = vec![-1.0; count];
    let most_steps = MOST_STEPS.saturating_mul(count.max(100));
    let mut steps = 0;
    let mut converged = false;
    while steps < most_steps {
        let mut first = None;
        let mut highest = f64::NEG_INFINITY;
        for at in 0..count {
            let value = -sign(at) * gradient[at];
            if can_rise(positive[at], alphas[at], cost) && value >= highest {
                (first, highest) = (Some(at), value);
            }
        }
        let Some(first) = first else {
            converged = true;
            break;
        };
        let row = cache.row(first, |row| index.row(first, row));
        let mut second = None;
        let (mut best, mut lowest) = (f64::INFINITY, f64::INFINITY);
        for at in 0..count {
            if !can_rise(!positive[at], alphas[at], cost) {
                continue;
            }
            let value = -sign(at) * gradient[at];
            lowest = lowest.min(value);
            let difference = highest - value;
            if difference > 0.0 {
                let curvature = diagonal[first] + diagonal[at] - 2.0 * f64::from(row[at]);
                let gain = -difference * difference / curvature.max(LEAST_CURVATURE);
                if gain <= best {
                    (second, best) = (Some(at), gain);
                }
            }
        }
        let Some(second) = second.filter(|_| highest - lowest >= settings.tolerance) else {
            converged = true;
            break;
        };
        steps += 1;
        // Both move along y_i a_i + y_j a_j = constant, within the box.
        let curvature = diagonal[first] + diagonal[second] - 2.0 * f64::from(row[second]);
        let difference = highest + sign(second) * gradient[second];
        let room = |at: usize, up: bool| if up { cost - alphas[at] } else { alphas[at] };
        let wanted = difference / curvature.max(LEAST_CURVATURE);
        let step = wanted.min(room(first, positive[first])).min(room(second, !positive[second]));
        let moved = [(first, sign(first) * step), (second, -sign(second) * step)];
        for (at, change) in moved {
            let alpha = alphas[at] + change;
            // A multiplier at its bound is exactly there.
            let near = 1e-12 * cost;
            alphas[at] = match alpha {
                low if low <= near => 0.0,
                high if high >= cost - near => cost,
                inside => inside,
            };
        }
        cache.row(second, |row| index.row(second, row));
        let (one, other) = (cache.kept(first), cache.kept(second));
        for at in 0..count {
            gradient[at] += sign(at) * step * (f64::from(one[at]) - f64::from(other[at]));
        }
    }
    let bias = bias(positive, &alphas, &gradient, cost);
    let objective =
        alphas.iter().zip(&gradient).map(|(alpha, gradient)| alpha * (gradient - 1.0)).sum::<f64>()
            / 2.0;
    Solution { alphas, bias, objective, steps, converged }
}

/// True if `y a` may grow.
fn can_rise(positive: bool, alpha: f64, cost: f64) -> bool {
    if positive { alpha < cost } else { alpha > 0.0 }
}

/// The mean of what the free support vectors ask for; without any, the middle of what is allowed.
fn bias(positive: &[bool], alphas: &[f64], gradient: &[f64], cost: f64) -> f64 {
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let (mut sum, mut free) = (0.0, 0usize);
    for ((&positive, &alpha), &gradient) in positive.iter().zip(alphas).zip(gradient) {
        let wanted = if positive { -gradient } else { gradient };
        if alpha > 0.0 && alpha < cost {
            sum += wanted;
            free += 1;
        } else if can_rise(positive, alpha, cost) {
            low = low.max(wanted);
        } else {
            high = high.min(wanted);
        }
    }
    match (free, low.is_finite(), high.is_finite()) {
        (1.., ..) => sum / free as f64,
        (_, true, true) => f64::midpoint(low, high),
        (_, true, false) => low,
        (_, false, true) => high,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::random::data;

    fn all(examples: &Examples) -> (Vec<u32>, Vec<bool>) {
        let positive = examples.classes().iter().map(|&class| class == 0).collect();
        ((0..examples.len() as u32).collect(), positive)
    }

    /// x = {1}, y = {2}: K(x,x) = K(y,y) = (g + r)^2, K(x,y) = r^2, so by symmetry both
    /// multipliers are a = 2 / (2 K(x,x) - 2 K(x,y)), the bias is 0 and the objective is -a.
    #[test]
    fn two_points_by_hand() {
        let mut examples = Examples::default();
        examples.push(&[1], 0);
        examples.push(&[2], 1);
        let (members, positive) = all(&examples);
        let kernel = Kernel { gamma: 1.0, r: 1.0 };
        let settings = Settings { kernel, cost: 10.0, ..Settings::default() };
        let solution = solve(&examples, &members, &positive, &settings);
        let expected = 2.0 / (2.0 * 4.0 - 2.0 * 1.0);
        assert!((solution.alphas[0] - expected).abs() < 1e-9, "{solution:?}");
        assert!((solution.alphas[1] - expected).abs() < 1e-9, "{solution:?}");
        assert!(solution.bias.abs() < 1e-9, "{solution:?}");
        assert!((solution.objective + expected).abs() < 1e-9, "{solution:?}");
        // With a small cost both stop at the bound.
        let settings = Settings { kernel, cost: 0.1, ..Settings::default() };
        let solution = solve(&examples, &members, &positive, &settings);
        assert_eq!(solution.alphas, [0.1, 0.1]);
    }

    #[test]
    fn conditions_of_optimality_hold_on_random_data() {
        for seed in 0..20 {
            let examples = data::examples(seed, 60 + 7 * seed as usize, 2);
            let (members, positive) = all(&examples);
            let bytes = [1 << 20, 3000][seed as usize % 2];
            let settings = Settings {
                tolerance: 1e-4,
                cost: [0.5, 10.0][seed as usize % 2],
                cache_bytes: bytes,
                ..Settings::default()
            };
            let solution = solve(&examples, &members, &positive, &settings);
            assert!(solution.converged, "seed {seed}");
            let mut index = Index::new(&examples, &members, settings.kernel);
            let mut row = Vec::new();
            let mut balance = 0.0;
            for (at, &alpha) in solution.alphas.iter().enumerate() {
                let sign = |at: usize| if positive[at] { 1.0 } else { -1.0 };
                balance += sign(at) * alpha;
                index.row(at, &mut row);
                let sum: f64 = row
                    .iter()
                    .enumerate()
                    .map(|(other, &k)| solution.alphas[other] * sign(other) * f64::from(k))
                    .sum();
                let margin = sign(at) * (sum + solution.bias);
                let ok = match alpha {
                    0.0 => margin > 1.0 - 1e-3,
                    bound if bound == settings.cost => margin < 1.0 + 1e-3,
                    _ => (margin - 1.0).abs() < 1e-3,
                };
                assert!(ok, "seed {seed}, example {at}: alpha {alpha}, margin {margin}");
            }
            assert!(balance.abs() < 1e-6, "seed {seed}: {balance}");
        }
    }

    #[test]
    fn one_side_only_needs_no_support_vector() {
        let mut examples = Examples::default();
        examples.push(&[1], 0);
        examples.push(&[2], 0);
        let solution = solve(&examples, &[0, 1], &[true, true], &Settings::default());
        assert!(solution.converged);
        assert_eq!(solution.alphas, [0.0, 0.0]);
        assert!(solution.bias > 0.0);
    }
}
