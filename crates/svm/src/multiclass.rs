//! Machines for two classes become a classifier for many: one against one, by voting, or one
//! against all others.
//!
//! Machines are trained in parallel, each by itself, so the result is the same at any number of
//! threads. Votes among more than [`MOST_VOTED`] classes would need more machines than can be numbered;
//! beyond that it is one against all others.
use std::sync::Mutex;

use rayon::prelude::*;

use crate::mapping::Mapping;
use crate::{EXACT_EXAMPLES, Examples, Kernel, Settings, SettingsError, Solution, Solver};
use crate::{descent, smo};

/// Classes that can be voted on: a machine has a number of 16 bits.
pub const MOST_VOTED: usize = 362;

/// How machines for two classes become one for many.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub enum Multiclass {
    /// A machine for every two classes; each votes for one of them.
    #[default]
    OneVersusOne,
    /// A machine for every class against all others; the greatest value wins.
    OneVersusRest,
}

/// From the values of machines to scores of classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ballot {
    multiclass: Multiclass,
    classes: usize,
    present: Vec<u16>,
}

impl Ballot {
    /// A ballot over some of so many classes; `present` must be ascending and below `classes`.
    pub fn new(multiclass: Multiclass, classes: usize, present: Vec<u16>) -> Option<Ballot> {
        let ascending = present.windows(2).all(|two| two[0] < two[1]);
        let known = present.last().is_none_or(|&last| usize::from(last) < classes);
        let few = multiclass == Multiclass::OneVersusRest || present.len() <= MOST_VOTED;
        (ascending && known && few).then_some(Ballot { multiclass, classes, present })
    }

    /// The classes that have examples.
    pub fn present(&self) -> &[u16] {
        &self.present
    }

    /// How machines are combined.
    pub fn multiclass(&self) -> Multiclass {
        self.multiclass
    }

    /// Number of classes, examples or not.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The sides of each machine.
    pub fn machines(&self) -> Vec<(u16, Option<u16>)> {
        match (self.multiclass, self.present.len()) {
            (_, 0 | 1) => Vec::new(),
            (Multiclass::OneVersusOne, _) => {
                let rivals = |(at, &one): (usize, &u16)| {
                    self.present[at + 1..].iter().map(move |&other| (one, Some(other)))
                };
                self.present.iter().enumerate().flat_map(rivals).collect()
            }
            (Multiclass::OneVersusRest, _) => {
                self.present.iter().map(|&class| (class, None)).collect()
            }
        }
    }

    /// Number of machines.
    pub fn len(&self) -> usize {
        match (self.multiclass, self.present.len()) {
            (_, 0 | 1) => 0,
            (Multiclass::OneVersusOne, count) => count * (count - 1) / 2,
            (Multiclass::OneVersusRest, count) => count,
        }
    }

    /// True if there is no machine, since there is at most one class.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the scores of all classes; classes without examples come last.
    ///
    /// With one-versus-one the score is the number of votes; ties are broken by the mean of the
    /// values, which adds less than half a vote either way, then by the order of classes.
    pub fn count(&self, values: &[f32], scores: &mut [f32]) {
        let rivals = self.present.len().saturating_sub(1).max(1) as f32;
        match self.multiclass {
            Multiclass::OneVersusOne => {
                const FEW: usize = 64;
                let mut few = [(0.0f32, 0.0f32); FEW];
                let mut many;
                let sums = if self.present.len() <= FEW {
                    &mut few[..self.present.len()]
                } else {
                    many = vec![(0.0, 0.0); self.present.len()];
                    &mut many[..]
                };
                let mut values = values.iter();
                for one in 0..self.present.len() {
                    for other in one + 1..self.present.len() {
                        let Some(&value) = values.next() else { break };
                        let winner = if value > 0.0 { one } else { other };
                        sums[winner].0 += 1.0;
                        sums[one].1 += value;
                        sums[other].1 -= value;
                    }
                }
                scores.fill(-1.0);
                for (&class, &(votes, sum)) in self.present.iter().zip(sums.iter()) {
                    let mean = sum / rivals;
                    if let Some(score) = scores.get_mut(usize::from(class)) {
                        *score = votes + 0.49 * mean / (1.0 + mean.abs());
                    }
                }
            }
            Multiclass::OneVersusRest => {
                let least = values.iter().copied().fold(0.0, f32::min);
                scores.fill(least - 1.0);
                for (at, &class) in self.present.iter().enumerate() {
                    if let Some(score) = scores.get_mut(usize::from(class)) {
                        *score = values.get(at).copied().unwrap_or_default();
                    }
                }
            }
        }
    }
}

/// A machine for two classes, in terms of its support vectors.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// The class that a positive value speaks for.
    pub positive: u16,
    /// The other class, or all others.
    pub negative: Option<u16>,
    /// What is added to the sum.
    pub bias: f64,
    /// Numbers of support vectors and their coefficients, `y a`.
    pub support: Vec<(u32, f64)>,
    /// Value of the function that was minimised.
    pub objective: f64,
    /// False if the solver gave up.
    pub converged: bool,
}

/// A classifier.
#[derive(Clone, Debug)]
pub struct Machines {
    /// The kernel.
    pub kernel: Kernel,
    /// How values become scores.
    pub ballot: Ballot,
    /// The machines, in the order of the ballot.
    pub machines: Vec<Machine>,
    /// Which examples are support vectors of some machine, as they were numbered in training.
    pub origins: Vec<u32>,
    /// All support vectors.
    pub support: Examples,
}

/// What a machine was trained on, the sides of that, and what was found.
type Solved = (Vec<u32>, Vec<bool>, Solution);

/// Trains a classifier for so many classes.
pub fn train(
    examples: &Examples,
    classes: usize,
    settings: &Settings,
) -> Result<Machines, SettingsError> {
    train_until(examples, classes, settings, &|| false)
}

/// Trains a classifier, unless `stop` says so: then machines that have not been begun stay empty.
pub fn train_until(
    examples: &Examples,
    classes: usize,
    settings: &Settings,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Machines, SettingsError> {
    settings.check()?;
    let mut present = examples.classes().to_vec();
    present.sort_unstable();
    present.dedup();
    present.retain(|&class| usize::from(class) < classes);
    let multiclass = match settings.multiclass {
        Multiclass::OneVersusOne if present.len() > MOST_VOTED => Multiclass::OneVersusRest,
        chosen => chosen,
    };
    let ballot = Ballot { multiclass, classes, present };
    let mut by_class: Vec<Vec<u32>> = vec![Vec::new(); classes];
    for (at, &class) in examples.classes().iter().enumerate() {
        if let Some(list) = by_class.get_mut(usize::from(class)) {
            list.push(at as u32);
        }
    }
    let sides = ballot.machines();
    let size = |&(one, other): &(u16, Option<u16>)| match other {
        Some(other) => by_class[usize::from(one)].len() + by_class[usize::from(other)].len(),
        None => examples.len(),
    };
    let is_exact = |size: usize| match settings.solver {
        Solver::Exact => true,
        Solver::Expanded => false,
        Solver::BySize => size <= EXACT_EXAMPLES,
    };
    let mapping = sides
        .iter()
        .any(|sides| !is_exact(size(sides)))
        .then(|| Mapping::new(examples, settings.most_pairs));
    let pool: Mutex<Vec<Vec<f32>>> = Mutex::default();
    let solutions: Vec<Solved> = sides
        .par_iter()
        .map(|sides| {
            if stop() {
                return Solved::default();
            }
            let members: Vec<u32> = match *sides {
                (one, Some(other)) => {
                    let mut members = by_class[usize::from(one)].clone();
                    members.extend_from_slice(&by_class[usize::from(other)]);
                    members.sort_unstable();
                    members
                }
                (_, None) => (0..examples.len() as u32).collect(),
            };
            let positive: Vec<bool> =
                members.iter().map(|&member| examples.class(member as usize) == sides.0).collect();
            let solution = match &mapping {
                Some(mapping) if !is_exact(members.len()) => {
                    let free = pool.lock().ok().and_then(|mut pool| pool.pop());
                    let mut weights = free.unwrap_or_else(|| vec![0.0; mapping.dimensions()]);
                    let solution =
                        descent::solve(mapping, &members, &positive, settings, &mut weights);
                    if let Ok(mut pool) = pool.lock() {
                        pool.push(weights);
                    }
                    solution
                }
                _ => smo::solve(examples, &members, &positive, settings),
            };
            (members, positive, solution)
        })
        .collect();
    Ok(gather(examples, settings.kernel, ballot, solutions))
}

/// Keeps only support vectors.
fn gather(examples: &Examples, kernel: Kernel, ballot: Ballot, solutions: Vec<Solved>) -> Machines {
    let mut is_support = vec![false; examples.len()];
    for (members, _, solution) in &solutions {
        for (&member, _) in members.iter().zip(&solution.alphas).filter(|&(_, &alpha)| alpha > 0.0)
        {
            is_support[member as usize] = true;
        }
    }
    let origins: Vec<u32> =
        (0..examples.len() as u32).filter(|&at| is_support[at as usize]).collect();
    let mut numbers = vec![0; examples.len()];
    for (number, &origin) in origins.iter().enumerate() {
        numbers[origin as usize] = number as u32;
    }
    let machine = |((members, positive, solution), (one, other)): (Solved, (u16, Option<u16>))| {
        let support = members.iter().zip(&positive).zip(&solution.alphas);
        let support =
            support.filter(|&(_, &alpha)| alpha > 0.0).map(|((&member, &positive), &alpha)| {
                (numbers[member as usize], if positive { alpha } else { -alpha })
            });
        Machine {
            positive: one,
            negative: other,
            bias: solution.bias,
            support: support.collect(),
            objective: solution.objective,
            converged: solution.converged,
        }
    };
    let sides = ballot.machines();
    let machines = solutions.into_iter().zip(sides).map(machine).collect();
    let support = examples.some(&origins);
    Machines { kernel, ballot, machines, origins, support }
}

impl Machines {
    /// The values of all machines for a set of features: the sums over the support vectors.
    pub fn values(&self, names: &[u64]) -> Vec<f32> {
        let mut numbers: Vec<u32> =
            names.iter().filter_map(|&name| self.support.number(name)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut marked = vec![false; self.support.names().len()];
        for &number in &numbers {
            marked[number as usize] = true;
        }
        let products: Vec<f64> = (0..self.support.len())
            .map(|at| {
                let features = self.support.features(at).iter();
                self.kernel.of(features.filter(|&&feature| marked[feature as usize]).count())
            })
            .collect();
        let value = |machine: &Machine| {
            let terms = machine.support.iter().map(|&(at, factor)| factor * products[at as usize]);
            (terms.sum::<f64>() + machine.bias) as f32
        };
        self.machines.iter().map(value).collect()
    }

    /// The class of a set of features.
    pub fn predict(&self, names: &[u64]) -> u16 {
        let mut scores = vec![0.0; self.ballot.classes];
        self.ballot.count(&self.values(names), &mut scores);
        best(&scores)
    }
}

/// The class with the highest score, the first of equals.
pub fn best(scores: &[f32]) -> u16 {
    let mut best = 0;
    for (class, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = class;
        }
    }
    best as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::data;

    #[test]
    fn votes_then_values_then_order() {
        let ballot = Ballot::new(Multiclass::OneVersusOne, 5, vec![0, 2, 3]).expect("ascending");
        assert_eq!(ballot.machines(), [(0, Some(2)), (0, Some(3)), (2, Some(3))]);
        let mut scores = [0.0; 5];
        // 0 beats 2 and 3.
        ballot.count(&[0.1, 0.1, -9.0], &mut scores);
        assert_eq!(best(&scores), 0);
        assert_eq!((scores[1], scores[4]), (-1.0, -1.0));
        // One vote each: 0 over 2, 2 over 3, 3 over 0. The values speak for 3.
        ballot.count(&[0.5, -2.0, 0.5], &mut scores);
        assert_eq!(best(&scores), 3);
        // All equal: the first.
        ballot.count(&[0.5, -0.5, 0.5], &mut scores);
        assert_eq!(best(&scores), 0);
        assert!(Ballot::new(Multiclass::OneVersusOne, 5, vec![0, 5]).is_none());
        assert!(Ballot::new(Multiclass::OneVersusOne, 5, vec![2, 1]).is_none());
    }

    #[test]
    fn one_against_the_rest_takes_the_greatest_value() {
        let ballot = Ballot::new(Multiclass::OneVersusRest, 4, vec![1, 3]).expect("ascending");
        let mut scores = [0.0; 4];
        ballot.count(&[-0.5, -0.2], &mut scores);
        assert_eq!(scores, [-1.5, -0.5, -1.5, -0.2]);
    }

    #[test]
    fn classifiers_learn_pairs() {
        let train_on = data::examples(1, 1500, 5);
        let test_on = data::examples(2, 400, 5);
        for multiclass in [Multiclass::OneVersusOne, Multiclass::OneVersusRest] {
            for solver in [Solver::Exact, Solver::Expanded, Solver::BySize] {
                let settings = Settings { solver, multiclass, ..Settings::default() };
                let machines = train(&train_on, 6, &settings).expect("good settings");
                assert!(machines.machines.iter().all(|machine| machine.converged));
                let right = (0..test_on.len())
                    .filter(|&at| {
                        let names: Vec<u64> = test_on.feature_names(at).collect();
                        machines.predict(&names) == test_on.class(at)
                    })
                    .count();
                assert!(right > 180, "{multiclass:?} {solver:?}: {right} of 400");
            }
        }
    }

    #[test]
    fn the_number_of_threads_makes_no_difference() {
        let examples = data::examples(4, 900, 4);
        for solver in [Solver::Exact, Solver::Expanded] {
            let settings = Settings { solver, ..Settings::default() };
            let [one, four] = [1, 4].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                pool.expect("threads").install(|| train(&examples, 4, &settings))
            });
            let (one, four) = (one.expect("trained"), four.expect("trained"));
            assert!(one.machines == four.machines, "{solver:?}");
            assert!(one.origins == four.origins, "{solver:?}");
        }
    }

    #[test]
    fn too_many_classes_are_not_voted_on() {
        let mut examples = Examples::default();
        for class in 0..=MOST_VOTED as u16 {
            examples.push(&[u64::from(class), 9999], class);
        }
        let machines = train(&examples, 1000, &Settings::default()).expect("trained");
        assert_eq!(machines.ballot.multiclass(), Multiclass::OneVersusRest);
        assert_eq!(machines.machines.len(), MOST_VOTED + 1);
        assert!(u16::try_from(MOST_VOTED * (MOST_VOTED - 1) / 2).is_ok());
        let present = (0..=MOST_VOTED as u16).collect();
        assert!(Ballot::new(Multiclass::OneVersusOne, 1000, present).is_none());
    }

    #[test]
    fn a_stopped_training_ends() {
        let examples = data::examples(4, 100, 4);
        let machines = train_until(&examples, 4, &Settings::default(), &|| true).expect("ended");
        assert!(machines.support.is_empty() && machines.machines.len() == 6);
    }

    #[test]
    fn few_classes_and_bad_settings() {
        let mut examples = Examples::default();
        examples.push(&[7], 2);
        let machines = train(&examples, 3, &Settings::default()).expect("trained");
        assert_eq!(machines.predict(&[8]), 2);
        let nothing = train(&Examples::default(), 3, &Settings::default()).expect("trained");
        assert_eq!(nothing.predict(&[8]), 0);
        let settings = Settings { cost: f64::NAN, ..Settings::default() };
        let error = train(&examples, 3, &settings).map(|_| ()).expect_err("no cost");
        assert_eq!(error.to_string(), "the cost is NaN: it must be greater than zero");
    }
}
