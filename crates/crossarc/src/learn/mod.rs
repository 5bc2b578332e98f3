//! Learning: weights that are averaged over time, and packed for parsing.
pub mod composite;
pub mod margin_infused;
pub mod packed;
pub mod packed_factors;
pub mod passive_aggressive;
pub mod perceptron;
pub mod svm;
