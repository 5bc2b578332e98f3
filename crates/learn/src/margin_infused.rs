//! Margin-infused updates with several constraints (Crammer and Singer 2003; McDonald, Crammer
//! and Pereira 2005): the smallest change of the weights after which the right answer is better
//! than each of k wrong ones by its loss.
//!
//! With the differences `x` of the features of the right answer and each wrong one, the weights
//! move by the sum of `a x`, where the steps `a` solve a quadratic program with a bound C on each.
//! Hildreth's method (Censor and Zenios 1997) takes one constraint after the other until none
//! asks for more. With one constraint the step is that of [`super::passive_aggressive`].
//!
//! ```
//! use crossarc_learn::margin_infused::steps;
//! // Two wrong answers that share nothing: each gets the step it would get alone.
//! assert_eq!(steps(&[1.0, 2.0], &[vec![4.0, 0.0], vec![0.0, 8.0]], 10.0), [0.25, 0.25]);
//! // The same wrong answer twice: together they get what one would get.
//! let twice = steps(&[1.0, 1.0], &[vec![4.0, 4.0], vec![4.0, 4.0]], 10.0);
//! assert!((twice[0] + twice[1] - 0.25).abs() < 1e-6);
//! ```

/// Rounds over all constraints, at most.
const ROUNDS: usize = 1000;
/// Steps that change by less are left as they are.
const TOLERANCE: f64 = 1e-7;

/// The steps for constraints that are violated by so much (negative if they hold); `products` are
/// the inner products of the differences.
pub fn steps(violations: &[f64], products: &[Vec<f64>], aggressiveness: f64) -> Vec<f64> {
    let mut steps = vec![0.0; violations.len()];
    for _ in 0..ROUNDS {
        let mut largest = 0f64;
        for (at, &violation) in violations.iter().enumerate() {
            let row = &products[at];
            if row[at] <= 0.0 || !violation.is_finite() {
                continue;
            }
            let moved: f64 = row.iter().zip(&steps).map(|(product, step)| product * step).sum();
            let wanted = steps[at] + (violation - moved) / row[at];
            let step = wanted.clamp(0.0, aggressiveness);
            largest = largest.max((step - steps[at]).abs());
            steps[at] = step;
        }
        if largest < TOLERANCE {
            break;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passive_aggressive::step;
    use crossarc_tree::seed::Seed;

    #[test]
    fn one_constraint_is_passive_aggressive() {
        for (lead, norm, bound) in [(1.0, 4.0, 1.0), (3.0, 2.0, 0.1), (-2.0, 4.0, 1.0)] {
            let alone = steps(&[lead + 1.0], &[vec![norm]], bound);
            assert_eq!(alone, [step(lead, 1.0, norm, bound)]);
        }
    }

    /// Right: features 1 and 2; wrong: 1 and 3, loss 1, and 4 and 5, loss 2. So x = (0, 1, -1, 0, 0)
    /// and (1, 1, 0, -1, -1), with inner products 2, 1 and 4; from 2a + b = 1 and a + 4b = 2 follow
    /// a = 2/7 and b = 3/7.
    #[test]
    fn two_constraints_by_hand() {
        let found = steps(&[1.0, 2.0], &[vec![2.0, 1.0], vec![1.0, 4.0]], 1.0);
        assert!((found[0] - 2.0 / 7.0).abs() < 1e-6, "{found:?}");
        assert!((found[1] - 3.0 / 7.0).abs() < 1e-6, "{found:?}");
    }

    /// At the optimum a constraint holds or its step is at the bound, and a step is zero or its
    /// constraint holds with equality or its step is at the bound.
    #[test]
    fn the_solution_is_optimal() {
        let seed = 9;
        let mut rng = Seed(seed).rng();
        for round in 0..100 {
            let many = 1 + rng.below(6);
            let vectors: Vec<Vec<f64>> =
                (0..many).map(|_| (0..12).map(|_| rng.below(5) as f64 - 2.0).collect()).collect();
            let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let products: Vec<Vec<f64>> =
                vectors.iter().map(|a| vectors.iter().map(|b| product(a, b)).collect()).collect();
            let violations: Vec<f64> = (0..many).map(|_| rng.unit() * 4.0 - 1.0).collect();
            let bound = 0.2 + rng.unit();
            let found = steps(&violations, &products, bound);
            for at in 0..many {
                let gained = product(&products[at], &found);
                let holds = gained >= violations[at] - 1e-4;
                let bounded = found[at] >= bound - 1e-6 || products[at][at] == 0.0;
                assert!(holds || bounded, "seed {seed}, round {round}: {found:?}");
                let tight = (gained - violations[at]).abs() < 1e-4;
                assert!(found[at] < 1e-6 || tight || bounded, "seed {seed}, round {round}");
            }
        }
    }
}
