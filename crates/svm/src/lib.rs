//! Support vector machines with the quadratic kernel `(gamma x.y + r)^2` over sparse binary
//! features, for classifiers with many classes and many examples.
//!
//! | module | what it holds |
//! |---|---|
//! | [`examples`] | what is learned from: sets of features with a class |
//! | [`kernel`] | the kernel, rows of the kernel matrix |
//! | [`cache`] | rows that are kept, the least recently used thrown away |
//! | [`smo`] | the exact solver (Fan, Chen and Lin 2005) |
//! | [`mapping`] | the kernel's feature space written out: features and pairs of them |
//! | [`descent`] | the solver in that space (Chang et al. 2010; Hsieh et al. 2008) |
//! | [`multiclass`] | one-versus-one and one-versus-rest |
//! | [`parts`] | a classifier for each part of the data |
//! | [`prefetch`] | telling the processor which memory will be needed |
//! | [`expansion`] | weights of pairs in a table, for fast decisions (Goldberg and Elhadad 2008) |
//!
//! Both solvers minimise the same function, the dual of the soft-margin machine with a bias that is
//! not regularised, as libsvm does:
//!
//! ```text
//! min  1/2 sum_ij a_i a_j y_i y_j K(x_i, x_j) - sum_i a_i     0 <= a_i <= C,  sum_i y_i a_i = 0
//! ```
//!
//! ```
//! use svm::{Examples, Settings, train};
//! // Exclusive or: no linear machine can learn it, pairs of features can.
//! let mut examples = Examples::default();
//! for (features, class) in [(&[1, 3], 0), (&[1, 4], 1), (&[2, 3], 1), (&[2, 4], 0)] {
//!     examples.push(features, class);
//! }
//! let machines = train(&examples, 2, &Settings { cost: 100.0, ..Settings::default() })?;
//! assert_eq!(machines.predict(&[1, 4]), 1);
//! assert_eq!(machines.predict(&[2, 4]), 0);
//! # Ok::<(), svm::SettingsError>(())
//! ```
pub mod cache;
pub mod descent;
pub mod examples;
pub mod expansion;
pub mod kernel;
pub mod mapping;
pub mod multiclass;
pub mod parts;
pub mod prefetch;
mod random;
pub mod smo;

pub use examples::Examples;
pub use kernel::Kernel;
pub use multiclass::{Machines, Multiclass, train};

/// How a machine is trained.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub enum Solver {
    /// Over the kernel matrix, by sequential minimal optimisation.
    Exact,
    /// In the explicit space of features and pairs, by coordinate descent.
    Expanded,
    /// [`Solver::Exact`] up to [`EXACT_EXAMPLES`] examples in a machine, then [`Solver::Expanded`].
    #[default]
    BySize,
}

/// Up to so many examples the exact solver is the quicker one.
pub const EXACT_EXAMPLES: usize = 400;

/// What may be chosen about training.
#[derive(Copy, Clone, PartialEq, Debug, serde::Serialize)]
pub struct Settings {
    /// The kernel.
    pub kernel: Kernel,
    /// Price of a violated margin, `C`.
    pub cost: f64,
    /// A machine is finished when no condition of optimality is violated by more than this.
    pub tolerance: f64,
    /// How a machine is trained.
    pub solver: Solver,
    /// How machines for two classes become one for many.
    pub multiclass: Multiclass,
    /// Memory for rows of the kernel matrix, per machine that is being trained.
    pub cache_bytes: usize,
    /// Different pairs of features that are told apart, see [`mapping`].
    pub most_pairs: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            kernel: Kernel::default(),
            cost: 0.5,
            tolerance: 0.01,
            solver: Solver::default(),
            multiclass: Multiclass::default(),
            cache_bytes: 200 << 20,
            most_pairs: mapping::MOST_PAIRS,
        }
    }
}

/// Settings with which nothing can be learned.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{name} is {value}: it must be {expected}")]
pub struct SettingsError {
    /// What is wrong.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// What it must be.
    pub expected: &'static str,
}

impl Settings {
    /// Tells whether something can be learned with these settings.
    pub fn check(&self) -> Result<(), SettingsError> {
        let positive = [
            ("gamma", self.kernel.gamma),
            ("the cost", self.cost),
            ("the tolerance", self.tolerance),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(SettingsError { name, value, expected: "greater than zero" });
            }
        }
        let value = self.kernel.r;
        if !(value >= 0.0 && value.is_finite()) {
            return Err(SettingsError { name: "r", value, expected: "zero or greater" });
        }
        Ok(())
    }
}

/// A trained machine for two classes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Solution {
    /// The multiplier of each example, between zero and the cost.
    pub alphas: Vec<f64>,
    /// What is added to the sum over the support vectors.
    pub bias: f64,
    /// Value of the function that was minimised.
    pub objective: f64,
    /// Steps of the exact solver, rounds of the other one.
    pub steps: usize,
    /// False if the solver gave up at its limit of steps.
    pub converged: bool,
}
