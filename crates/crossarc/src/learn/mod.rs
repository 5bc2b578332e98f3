//! Learning: weights that are averaged over time.
pub mod perceptron;
