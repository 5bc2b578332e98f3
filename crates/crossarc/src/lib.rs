//! Crossarc: dependency parsing in which crossing arcs are first-class.
//!
//! | module | what it holds |
//! |---|---|
//! | [`analyze`] | what parsers get wrong, and where |
//! | [`annotate`] | a model at work on sentences |
//! | [`codec`] | projectivising, pseudo-projective encodings, reversible treebank transformations |
//! | [`compare`] | grids of parsers on treebanks, and tables of results |
//! | [`tree`] | dependency trees, their measures, and random ones for tests |
//! | [`treebank`] | from sentences to trees and back |
//! | [`tokenize`] | raw text to sentences and tokens |
//! | [`transition`] | transition systems, oracles, search and training |
//! | [`graph`] | graph-based parsing: factors, decoders, the non-projective approximation |
//! | [`features`] | words as numbers, for every parser |
//! | [`learn`] | learners |
//! | [`lemma`] | lemmas by edit scripts |
//! | [`draw`] | pictures of trees |
//! | [`eval`] | scoring parser output, crossing arcs included, and the official scorer |
//! | [`model`] | the model file |
//! | [`parser`] | the door to all parsers |
//! | [`pipeline`] | from raw text to trees: all components in one model |
//! | [`processor_time`] | what work costs |
//! | [`punctuation`] | punctuation marks, attached again when the tree is finished |
//! | [`report`] | panels, charts and self-contained HTML pages |
//! | [`train`](mod@train) | the door to training |
//! | [`seed`] | named, reproducible random streams |
//! | [`tag`] | parts of speech and morphological features |
pub mod analyze;
pub mod annotate;
pub mod codec;
pub mod combine;
pub mod compare;
pub mod draw;
pub mod eval;
pub mod features;
pub mod graph;
pub mod learn;
pub mod lemma;
pub mod model;
pub mod parser;
pub mod pipeline;
pub mod processor_time;
pub mod punctuation;
pub mod report;
pub mod seed;
pub mod tag;
pub mod tokenize;
pub mod train;
pub mod transition;
pub mod tree;
pub mod treebank;
