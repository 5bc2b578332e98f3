//! Lemmas by edit scripts that a linear model chooses, with a lexicon of exceptions.
//!
//! What a word's lemma is follows from its form and its tags. A classifier learns which
//! [`EditScript`] words with these affixes and tags take, from types rather than tokens, since
//! frequent words are irregular and unseen ones are not. Whatever it gets wrong about the training
//! set goes into a lexicon by form and tags, so that all lemmas seen are known and the lexicon
//! holds only what is no rule. A script that a form is too short for is never chosen; if nothing
//! else is left, the form is its own lemma.
//!
//! ```
//! use crossarc_text::lemma::{Lemmatizer, LemmatizerMemory, LemmatizerOptions};
//! let text = "1\tdogs\tdog\tNOUN\t_\t_\t_\t_\t_\t_\n2\tcats\tcat\tNOUN\t_\t_\t_\t_\t_\t_\n\
//!             3\tmice\tmouse\tNOUN\t_\t_\t_\t_\t_\t_\n4\tbirds\tbird\tNOUN\t_\t_\t_\t_\t_\t_\n\n";
//! let train = conll::read_str(text, conll::ReadOptions::default())?;
//! let lemmatizer = Lemmatizer::train(&train, &[], &LemmatizerOptions::default());
//! let mut memory = LemmatizerMemory::default();
//! assert_eq!(lemmatizer.lemma("Mice", "NOUN", "_", "_", &mut memory), "mouse");
//! assert_eq!(lemmatizer.lemma("rats", "NOUN", "_", "_", &mut memory), "rat");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
mod lemmatizer;
mod script;
mod train;

pub use lemmatizer::{Lemmatizer, LemmatizerHeader, LemmatizerMemory, LemmatizerTraining};
pub use script::{Casing, EditScript, EndEdit, StartEdit};
pub use train::LemmatizerOptions;
