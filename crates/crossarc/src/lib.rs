//! Crossarc: dependency parsing in which crossing arcs are first-class.
//!
//! | module | what it holds |
//! |---|---|
//! | [`pipeline`] | from raw text to trees: all components in one model |
//! | [`annotate`] | a model at work on sentences |
//! | [`mod@train`] | the door to training |
//! | [`combine`] | several parsers together |
//! | [`punctuation`] | punctuation marks, attached again when the tree is finished |
//! | [`registry`] | all parsers by name |
//!
//! The floors below are crates of their own, and can be had from here: [`conll`] (formats), [`tree`]
//! (trees, codecs, treebanks), [`eval`], [`draw`], [`model`] (the model file), [`learn`] (features and
//! learners), [`transition`] and [`graph`] (parsers), [`text`] (tokenizer, tagger, lemmatizer).
pub mod annotate;
pub mod combine;
pub mod pipeline;
pub mod punctuation;
pub mod registry;
pub mod train;

pub use conll;
pub use crossarc_draw as draw;
pub use crossarc_eval as eval;
pub use crossarc_graph as graph;
pub use crossarc_learn as learn;
pub use crossarc_model as model;
pub use crossarc_text as text;
pub use crossarc_train::{header, parser};
pub use crossarc_transition as transition;
pub use crossarc_tree as tree;
