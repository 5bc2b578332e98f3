//! The completion model (Bohnet and Kuhn 2012): a beam of a transition parser whose hypotheses are
//! rescored with the factors of a graph parser as they become complete.
//!
//! A transition parser sees far back but not ahead; a graph parser sees whole arcs with their
//! neighbours. In systems that attach a word when it has all its dependents (arc-standard, swap), the
//! second- and third-order factors of an arc are known in the moment it is built: its nearest
//! siblings, its outermost grandchildren, and pairs of them. Here their templates
//! ([`COMPLETION`]) join those that describe the arc to the weights of its label,
//! which count when hypotheses compete: a factor is scored for each label, once, when it is complete.
//! Moves and factors are one linear model, learned from the same violations
//! ([`super::training::global`]). Every arc needs its score, so no label is taken by heart
//! ([`super::certain`]).
//!
//! The search stays linear in the length of the sentence; factors cost a constant for each arc that
//! a hypothesis might build.
//!
//! ```
//! use crossarc_transition::completion::features;
//! use crossarc_learn::templates::Templates;
//! use crossarc_train::options::TrainOptions;
//! let plain = TrainOptions { beam: 8, ..TrainOptions::default() };
//! let completed = TrainOptions { completion: true, ..plain.clone() };
//! let labels = |options| Templates::parse(&features(options)).unwrap().labels.len();
//! assert!(labels(&completed) > labels(&plain) + 30);
//! ```
use crossarc_learn::templates::COMPLETION;
use crossarc_train::options::TrainOptions;

/// The templates of a parser, with those of the completion model if it is asked for.
pub fn features(options: &TrainOptions) -> String {
    if options.completion {
        return format!("{}\n{COMPLETION}", options.features);
    }
    options.features.clone()
}
