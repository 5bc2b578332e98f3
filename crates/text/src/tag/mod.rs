//! Tagging: UPOS, XPOS and FEATS of words by a linear model over hashed features.
//!
//! Three choices for each word, all by [`composite`](crossarc_learn::composite) weights:
//!
//! 1. A first tag, from right to left, by few features.
//! 2. The tag, from left to right: UPOS, together with XPOS where a treebank has few of them, by
//!    forms, affixes and shapes in a window, the two tags before, and the first tags of this word
//!    and of those behind it.
//! 3. The analysis among those seen with that tag: FEATS, and XPOS where it was no part of the tag.
//!    Its score is the sum over its features, so that rare combinations profit from frequent ones.
//!
//! Where size does not matter, a second reader chooses first tags and tags of the mirrored sentence,
//! and the sum of both scores decides: what one direction must guess the other has seen.
//!
//! A net may stand beside all that ([`Tagger::train_net`]), whose scores are added.
//!
//! Words are also seen through their *ambiguity class*, the set of tags that a word had in training,
//! or that words with its suffix had. In training the class of a word leaves out the tag of the word
//! itself.
//!
//! In training rare words are now and then hidden, so that affixes and context learn to stand
//! alone; the tags before a word are those that the tagger has predicted itself, and its first tags
//! are predicted by weights that have not seen the sentence. Columns that a treebank leaves empty
//! stay `_`.
//!
//! ```
//! use crossarc_text::tag::{Tagger, TaggerMemory, TaggerOptions};
//! let text = "1\tdogs\t_\tNOUN\tNNS\tNumber=Plur\t_\t_\t_\t_\n2\tbark\t_\tVERB\tVBP\t_\t_\t_\t_\t_\n\n\
//!             1\tcats\t_\tNOUN\tNNS\tNumber=Plur\t_\t_\t_\t_\n2\tsleep\t_\tVERB\tVBP\t_\t_\t_\t_\t_\n\n";
//! let train = conll::read_str(text, conll::ReadOptions::default())?;
//! let tagger = Tagger::train(&train, &[], &TaggerOptions::default(), &|_| ())?;
//! let text = "1\tbirds\t_\t_\t_\t_\t_\t_\t_\t_\n2\tsleep\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
//! let mut sentence = conll::read_str(text, conll::ReadOptions::default())?.remove(0);
//! tagger.tag(&mut sentence, &mut TaggerMemory::default());
//! assert_eq!(sentence.word(1).upos(), "NOUN");
//! assert_eq!(sentence.word(1).feats(), "Number=Plur");
//! assert_eq!(sentence.word(2).xpos(), "VBP");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
mod cross_fit;
mod features;
mod forms;
mod inventory;
mod lexicon;
mod net;
mod tagger;
mod train;

pub use cross_fit::{CrossFitOptions, cross_fitted};
pub use inventory::{AnalysisName, Inventory, TagName};
pub use net::{NetWeights, TagNetOptions};
pub use tagger::{TagAccuracy, Tagger, TaggerHeader, TaggerMemory, TaggerTraining};
pub use train::{TaggerError, TaggerOptions, TaggerProgress, TaggerStep};
