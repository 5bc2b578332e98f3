//! Crossarc: dependency parsing in which crossing arcs are first-class.
//!
//! | module | what it holds |
//! |---|---|
//! | [`tree`] | dependency trees, their measures, and random ones for tests |
//! | [`transition`] | transition systems, oracles, search and training |
//! | [`seed`] | named, reproducible random streams |
pub mod seed;
pub mod transition;
pub mod tree;
