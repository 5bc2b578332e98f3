//! Crossarc: dependency parsing in which crossing arcs are first-class.
//!
//! A [`Pipeline`] goes from text to trees. Train one on a treebank, or take that of the crate `crossarc-english`,
//! which has an English one inside:
//!
//! ```
//! # let word = |id, form, head, label, misc| format!("{id}\t{form}\t{form}\tX\t_\t_\t{head}\t{label}\t_\t{misc}\n");
//! # let text = word(1, "Birds", 2, "nsubj", "_") + &word(2, "sing", 0, "root", "SpaceAfter=No") + &word(3, ".", 2, "punct", "_") + "\n";
//! # let treebank = conll::read_str(&text.repeat(20), conll::ReadOptions::default())?;
//! let options = crossarc::pipeline::PipelineOptions::default();
//! let pipeline = crossarc::train(&treebank, &[], &options)?; // conll::Reader reads a treebank
//! for sentence in pipeline.parse("Birds sing.")? {
//!     for word in sentence.words() {
//!         println!("{} {:?} {}", word.form(), word.head(), word.deprel());
//!     }
//!     assert_eq!(sentence.word(1).head(), Some(2));
//! }
//! # Ok::<(), crossarc::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | open a model | [`Pipeline::open`], [`Pipeline::from_bytes`] |
//! | parse text, words, a sentence | [`Pipeline::parse`], [`Pipeline::parse_words`], [`Pipeline::annotate`] |
//! | parse large files on all cores | [`Pipeline::stream`], [`Pipeline::stream_treebank`] |
//! | parse many texts, each a document of its own | [`Pipeline::documents`] |
//! | choose beam, scores, given heads, several trees | [`Pipeline::session`] |
//! | train and score | [`train`](fn@train), [`evaluate`] |
//! | draw | [`draw::svg`](fn@draw::svg) |
//!
//! What lies behind that door:
//!
//! | module | what it holds |
//! |---|---|
//! | [`pipeline`] | from raw text to trees: all components in one model |
//! | [`annotate`] | a model at work on sentences |
//! | [`mod@train`] | the door to training |
//! | [`combine`] | several parsers together |
//! | [`punctuation`] | punctuation marks, attached again when the tree is finished |
//! | [`registry`] | all parsers by name |
//! | [`teacher`] | text that an accurate model has parsed, for a fast one to learn from |
//!
//! The floors below are crates of their own, and can be had from here: [`conll`] (formats), [`tree`]
//! (trees, codecs, treebanks), [`eval`], [`draw`], [`model`] (the model file), [`learn`] (features and
//! learners), [`transition`] and [`graph`] (parsers), [`text`] (tokenizer, tagger, lemmatizer).
#![forbid(unsafe_code)]

pub mod annotate;
pub mod calibrate;
pub mod combine;
pub mod cross_validate;
mod facade;
mod nets;
pub mod pipeline;
pub mod punctuation;
pub mod registry;
pub mod select;
pub mod teacher;
pub mod train;

pub use conll;
pub use conll::{NewWord, Sentence, SentenceBuilder, Word};
pub use crossarc_draw as draw;
pub use crossarc_eval as eval;
pub use crossarc_graph as graph;
pub use crossarc_learn as learn;
pub use crossarc_model as model;
pub use crossarc_text as text;
pub use crossarc_text::tokenize::abbreviations::Abbreviations;
pub use crossarc_train::{header, insight, parser};
pub use crossarc_transition as transition;
pub use crossarc_tree as tree;
pub use facade::{
    Documents, Error, Info, Pipeline, Result, Session, SessionOptions, Stream, StreamOptions,
    evaluate, train,
};
