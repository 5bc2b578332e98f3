//! The laboratory: a grid of parsers, oracles, searches, features, codecs, treebanks and seeds,
//! written down in a recipe, trained and measured cell by cell, and shown in tables.
//!
//! | file | what it holds |
//! |---|---|
//! | [`recipe`] | what is compared: lists that multiply, in TOML |
//! | [`treebanks`] | the data by name, and how to recognise it again |
//! | [`cell`] | one parser on one treebank: its key, its training, its measurement |
//! | [`together`] | parsers that guide each other or vote |
//! | [`store`] | trained parts that several cells share |
//! | [`parts`] | folds, learning curves, small versions: which sentences a cell gets |
//! | [`figures`] | what is measured |
//! | [`trace`] | what a parser did with every sentence |
//! | [`grid`] | all cells, several at a time |
//! | [`results`] | what has been measured, safe against interruption |
//! | [`pool`] | folds of a cross-validation as one result |
//! | [`table`] | Markdown, CSV, LaTeX and plain text |
//! | [`stars`] | which differences in a table are not chance |
//! | [`statistics`] | tables about the treebanks |
//! | [`page`] | everything as one HTML page, with running time and analyses of errors |
//!
//! A cell is recognised by everything that determines it. A grid that was interrupted goes on where
//! it was, and a grid with more cells trains only the new ones.
//!
//! ```
//! use std::path::Path;
//! use crossarc_lab::compare::recipe::Recipe;
//! let recipe = Recipe::parse(r#"
//!     title = "Two systems"
//!     [grid]
//!     treebanks = ["a", "b"]
//!     parsers = ["arc-eager", "swap"]
//!     seeds = [1, 2]
//! "#)?;
//! let plans = recipe.plans(Path::new("."), None)?;
//! assert_eq!(plans.len(), 2 * 2 * 2);
//! assert_eq!(plans[0].spec.codec, "baseline"); // arc-eager builds projective trees only
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
pub mod cell;
pub mod figures;
pub mod grid;
pub mod page;
pub mod parts;
pub mod pool;
pub mod recipe;
pub mod results;
pub mod stars;
pub mod statistics;
pub mod store;
pub mod table;
pub mod together;
pub mod trace;
pub mod treebanks;
