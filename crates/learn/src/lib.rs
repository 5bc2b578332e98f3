//! What every linear parser learns with: words as attributes, templates that make features of them,
//! weights that are averaged over time, and weights packed for parsing.
//!
//! | module | what it holds |
//! |---|---|
//! | [`features`] | words as small rows of hashed attributes |
//! | [`state`] | a partial tree, and the view of a parser's state that templates look at |
//! | [`templates`] | the language of feature templates |
//! | [`weights`] | what a table of weights is |
//! | [`perceptron`], [`passive_aggressive`], [`margin_infused`] | learning |
//! | [`packed`], [`packed_factors`], [`svm`] | weights as they stand in a model file |
//! | [`composite`] | classes that are sums of parts |
//!
//! ```
//! use crossarc_learn::templates::Templates;
//! let templates = Templates::parse("[moves]\nx0.form + y0.upos\n[labels]\nh.lemma + d.form\n").unwrap();
//! assert_eq!((templates.moves.len(), templates.labels.len()), (1, 1));
//! let error = Templates::parse("[moves]\nx0.color\n").unwrap_err();
//! assert!(error.to_string().contains("line 2"));
//! ```
pub mod composite;
pub mod features;
pub mod margin_infused;
pub mod packed;
pub mod packed_factors;
pub mod passive_aggressive;
pub mod perceptron;
pub mod state;
pub mod svm;
pub mod templates;
pub mod weights;
