//! The solver in the explicit space: dual coordinate descent for the L1 loss with shrinking (Hsieh,
//! Chang, Lin, Keerthi and Sundararajan 2008).
//!
//! Coordinate descent alone cannot keep `sum y a = 0`, the price of a bias that is not regularised;
//! liblinear regularises the bias instead and so solves another problem than libsvm. Here the
//! constraint is kept by the method of multipliers: descent minimises the dual with the penalty
//! `rho/2 (sum y a)^2`, and after each round the bias moves by `rho sum y a`. What it settles on is
//! the optimum of the exact solver. The constant place `r` of the mapping then has no influence.
//!
//! A round costs time linear in the places of the active examples.
use crate::mapping::{Mapping, Row};
use crate::random::Random;
use crate::{Settings, Solution};

/// Rounds at most.
pub const MOST_ROUNDS: usize = 1000;
/// The penalty of `sum y a`, as a part of the mean of the kernel's diagonal.
const PENALTY: f64 = 0.05;

/// Trains a machine on some examples; `positive` tells their sides. `weights` must be zero in all
/// dimensions of the mapping, and is zero again afterwards.
pub fn solve(
    mapping: &Mapping,
    members: &[u32],
    positive: &[bool],
    settings: &Settings,
    weights: &mut [f32],
) -> Solution {
    let count = members.len();
    let cost = settings.cost;
    let kernel = settings.kernel;
    let (single, pair) = (kernel.single(), kernel.pair());
    let sign = |at: usize| if positive[at] { 1.0 } else { -1.0 };
    let row = |at: usize| mapping.row(members[at] as usize);
    let diagonal: Vec<f64> = (0..count)
        .map(|at| {
            let Row { singles, pairs, lonely } = row(at);
            single * singles.len() as f64 + pair * (pairs.len() as f64 + f64::from(lonely))
        })
        .collect();
    let mean = diagonal.iter().sum::<f64>() / count.max(1) as f64;
    let rho = PENALTY * mean.max(1e-3);
    let mut alphas = vec![0.0; count];
    let mut touched = vec![false; count];
    let (mut bias, mut balance) = (0.0, 0.0);
    let mut active: Vec<u32> = (0..count as u32).collect();
    let mut random = Random(count as u64);
    let (mut highest_before, mut lowest_before) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut steps = 0;
    let mut converged = false;
    while steps < MOST_ROUNDS {
        let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut at = 0;
        for last in (1..active.len()).rev() {
            active.swap(last, random.below(last + 1));
        }
        while at < active.len() {
            let example = active[at] as usize;
            let places = row(example);
            let alpha: f64 = alphas[example];
            let y = sign(example);
            let value = single * sum(weights, places.singles)
                + pair * (sum(weights, places.pairs) + f64::from(places.lonely) * alpha * y)
                + bias
                + rho * balance;
            let gradient = y * value - 1.0;
            let projected = if alpha <= 0.0 {
                if gradient > highest_before {
                    active.swap_remove(at);
                    continue;
                }
                gradient.min(0.0)
            } else if alpha >= cost {
                if gradient < lowest_before {
                    active.swap_remove(at);
                    continue;
                }
                gradient.max(0.0)
            } else {
                gradient
            };
            at += 1;
            highest = highest.max(projected);
            lowest = lowest.min(projected);
            if projected.abs() > 1e-12 {
                let changed = (alpha - gradient / (diagonal[example] + rho)).clamp(0.0, cost);
                alphas[example] = changed;
                touched[example] = true;
                let change = (changed - alpha) * y;
                balance += change;
                add(weights, places.singles, change as f32);
                add(weights, places.pairs, change as f32);
            }
        }
        steps += 1;
        let drift = rho * balance;
        bias += drift;
        let calm = active.is_empty() || highest - lowest <= settings.tolerance;
        if calm && drift.abs() <= settings.tolerance / 2.0 {
            if active.len() == count {
                converged = true;
                break;
            }
            active = (0..count as u32).collect();
            (highest_before, lowest_before) = (f64::INFINITY, f64::NEG_INFINITY);
            continue;
        }
        highest_before = if highest > 0.0 { highest } else { f64::INFINITY };
        lowest_before = if lowest < 0.0 { lowest } else { f64::NEG_INFINITY };
    }
    let mut objective = 0.0;
    for (at, &alpha) in alphas.iter().enumerate().filter(|&(_, &alpha)| alpha != 0.0) {
        let places = row(at);
        let y = sign(at);
        let value = single * sum(weights, places.singles)
            + pair * (sum(weights, places.pairs) + f64::from(places.lonely) * alpha * y)
            + kernel.constant() * balance;
        objective += alpha * (y * value / 2.0 - 1.0);
    }
    for (at, _) in touched.iter().enumerate().filter(|&(_, &touched)| touched) {
        let Row { singles, pairs, .. } = row(at);
        for &place in singles.iter().chain(pairs) {
            weights[place as usize] = 0.0;
        }
    }
    // Decisions are made with the whole kernel, its constant included.
    bias -= kernel.constant() * balance;
    Solution { alphas, bias, objective, steps, converged }
}

#[inline]
fn sum(weights: &[f32], places: &[u32]) -> f64 {
    let mut sums = [0.0f32; 4];
    let mut fours = places.chunks_exact(4);
    for four in &mut fours {
        for (sum, &place) in sums.iter_mut().zip(four) {
            *sum += weights[place as usize];
        }
    }
    let rest: f32 = fours.remainder().iter().map(|&place| weights[place as usize]).sum();
    f64::from(sums[0] + sums[1] + sums[2] + sums[3] + rest)
}

#[inline]
fn add(weights: &mut [f32], places: &[u32], change: f32) {
    for &place in places {
        weights[place as usize] += change;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::MOST_PAIRS;
    use crate::random::data;
    use crate::{Kernel, smo};

    #[test]
    fn both_solvers_find_the_same_optimum() {
        for seed in 0..24 {
            // Sides of very different size too, which only the bias can make up for.
            let classes = [2, 2, 7][seed as usize % 3];
            let examples = data::examples(seed, 50 + 30 * seed as usize, classes);
            let members: Vec<u32> = (0..examples.len() as u32).collect();
            let positive: Vec<bool> = examples.classes().iter().map(|&class| class == 0).collect();
            let kernel = Kernel { gamma: 0.2, r: [0.4, 0.0, 1.0, 3.0][seed as usize % 4] };
            let cost = [0.5, 0.05, 5.0][seed as usize / 2 % 3];
            let settings = Settings { kernel, cost, tolerance: 1e-3, ..Settings::default() };
            let exact = smo::solve(&examples, &members, &positive, &settings);
            let mapping = Mapping::new(&examples, MOST_PAIRS);
            let mut weights = vec![0.0; mapping.dimensions()];
            let ours = solve(&mapping, &members, &positive, &settings, &mut weights);
            assert!(ours.converged && exact.converged, "seed {seed}");
            assert!(weights.iter().all(|&weight| weight == 0.0), "seed {seed}");
            let relative = (ours.objective - exact.objective).abs() / exact.objective.abs();
            assert!(relative < 1e-3, "seed {seed}: {} {}", ours.objective, exact.objective);
            assert!(
                (ours.bias - exact.bias).abs() < 0.02 * (1.0 + exact.bias.abs()),
                "seed {seed}: bias {} {}",
                ours.bias,
                exact.bias
            );
        }
    }
}
