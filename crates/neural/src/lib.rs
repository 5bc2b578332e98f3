//! Deep biaffine scores of arcs and labels (Dozat and Manning 2017), trained on a treebank.
//!
//! A word is what its columns say: its form, hashed character n-grams, lemma, tags and features,
//! each by a switch; none is required. Two layers of memories read the sentence in both directions,
//! small nets make a head and a dependent of each word, and a biaffine form scores each pair, a
//! second one the labels of an arc. What is found here are scores: trees are made by decoders
//! elsewhere.
//!
//! For parsers that decide step by step there are [`ChooserModel`]s: small nets that look at a few tokens
//! of a sentence, each for itself (Chen and Manning 2014) or in its context (Kiperwasser and Goldberg
//! 2016), and score a few classes. They may look at the whole state with a stack-LSTM (Dyer et al. 2015).
//!
//! ```
//! use neural::{BiaffineModel, Example, Observer, Options, Scorer, Verdict, train};
//!
//! struct Silent;
//! impl Observer for Silent {
//!     fn epoch(&mut self, _epoch: usize, _loss: f64, _model: &BiaffineModel) -> Verdict {
//!         Verdict::default()
//!     }
//! }
//! let text = "1\tIt\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\trains\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
//! let sentences = conll::read_str(text, conll::ReadOptions::default()).unwrap();
//! let labels = ["nsubj".to_owned(), "root".to_owned()];
//! let example = Example { sentence: &sentences[0], heads: vec![2, 0], labels: vec![0, 1] };
//! let options = Options { hidden: 8, epochs: 2, ..Options::default() };
//! let model = train(&options, &[example], &labels, &mut Silent).unwrap();
//! let scores = Scorer::new(&model).score(&[&sentences[0]]).unwrap();
//! assert_eq!(scores[0].arcs().len(), 9);
//! ```
#![forbid(unsafe_code)]

mod characters;
mod choices;
mod chooser;
mod context;
mod inputs;
mod model;
mod network;
mod options;
mod reading;
mod scorer;
mod stack_lstm;
mod stored;
mod training;
mod vectors;
mod words;

pub use choices::{
    Asked, ChoiceShape, ChooserGradients, ChooserMemory, ChooserShape, Curve, NO_TOKEN,
};
pub use chooser::{ChooserLearner, ChooserModel, ChooserOptions, Decision};
pub use context::ContextShape;
pub use inputs::{Columns, Inputs, Outside};
pub use model::BiaffineModel;
pub use options::Options;
pub use scorer::{ArcScores, MOST_WORDS, Scorer, TooLong};
pub use stack_lstm::{Seen, StackShape};
pub use stored::{Precision, ReadError, Saved};
pub use training::{Example, Observer, TrainError, Verdict, train};
pub use vectors::{VectorError, Vectors};
pub use words::{Answer, Question, WordExample, WordMemory, WordModel, train_words};
