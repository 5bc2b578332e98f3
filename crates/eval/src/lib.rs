//! Scoring a parser's output against gold trees.
//!
//! | file | what it holds |
//! |---|---|
//! | `attachment.rs` | UAS, LAS, LA, CLAS, UEM, LEM |
//! | `nonprojective.rs` | the same for crossing arcs; precision and recall of non-projective arcs |
//! | `punctuation.rs` | which words may be left out |
//! | `evaluation.rs` | reading several files side by side, counts by sentence |
//! | `official/` | the official scorer of Universal Dependencies, which aligns different tokens |
//! | `reliability.rs` | whether confidences can be believed |
//! | `significance.rs` | whether one system is really better than another |
//! | `difference.rs` | telling where two texts part |
//!
//! ```
//! use crossarc_eval::{Settings, evaluate_sentences};
//! let read = |label: &str| {
//!     let text = format!("1\tcats\t_\t_\t_\t_\t2\t{label}\t_\t_\n2\tsleep\t_\t_\t_\t_\t0\troot\t_\t_\n\n");
//!     conll::read_str(&text, conll::ReadOptions::default())
//! };
//! let scores = evaluate_sentences(&read("nsubj")?, &read("obj")?, Settings::default())?;
//! assert_eq!((scores.uas(), scores.las()), (Some(1.0), Some(0.5)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod attachment;
mod difference;
mod evaluation;
mod nonprojective;
pub mod official;
mod punctuation;
pub mod reliability;
pub mod significance;

pub use attachment::{Arc, AttachmentCounts, Outcome, Pair};
pub use difference::{Place, TextDifference};
pub use evaluation::{
    Counts, Error, Evaluation, Scored, Settings, Source, compare, evaluate, evaluate_sentences,
};
pub use nonprojective::{ArcCounts, ArcLengths, NonprojectiveCounts, SentenceKind, Shape};
pub use punctuation::{Punctuation, is_punctuation};
pub use reliability::Reliability;
