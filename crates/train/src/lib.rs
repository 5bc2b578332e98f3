//! What training of all parsers shares, and what a parser is.
//!
//! | module | what it holds |
//! |---|---|
//! | [`parser`] | the door to all parsers: words in, trees out |
//! | [`options`], [`graph_options`], [`machine_options`], [`combination`] | what may be chosen |
//! | [`header`] | what a model knows about itself |
//! | [`error`], [`observer`] | why training cannot begin; watching and ending it |
//! | [`columns`] | which columns of a treebank features can use |
//! | [`material`] | sentences to learn from |
//! | [`course`], [`checkpoint`] | epochs and averaged runs; going on after an interruption |
//! | [`trial`] | a parser measured while it is trained |
//! | [`known_forms`] | which words training has seen |
//! | [`calibration`] | confidences that match how often arcs are right |
//!
//! ```
//! use crossarc_train::calibration::Curve;
//! // A parser says 0.9 of every arc, and six of ten are right.
//! let judged: Vec<(f32, bool)> = (0..1000).map(|n| (0.9, n % 10 < 6)).collect();
//! assert!((Curve::fit(&judged).at(0.9) - 0.6).abs() < 0.01);
//! ```
#![forbid(unsafe_code)]

pub mod calibration;
pub mod checkpoint;
pub mod columns;
pub mod combination;
pub mod course;
pub mod error;
pub mod graph_options;
pub mod header;
pub mod hidden_columns;
pub mod insight;
pub mod known_forms;
pub mod machine_options;
pub mod material;
pub mod observer;
pub mod options;
pub mod parser;
pub mod trial;
pub mod trust;

pub use error::TrainError;
pub use observer::{Observer, Unobserved};
pub use options::TrainOptions;
