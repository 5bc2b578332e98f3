//! What turns text into tagged words: a tokenizer, a tagger and a lemmatizer, all learned from a treebank.
//!
//! | module | what it holds |
//! |---|---|
//! | [`tokenize`] | text into sentences, tokens and words |
//! | [`tag`] | parts of speech and morphological features |
//! | [`lemma`] | lemmas by edit scripts |
//! | [`html`] | text out of HTML |
//!
//! ```
//! use crossarc_text::tokenize::{Sentences, TokenizerOptions, train};
//! let text = "1\tHi\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No\n2\t!\t_\t_\t_\t_\t1\tpunct\t_\t_\n\n";
//! let sentences = conll::read_str(&text.repeat(20), conll::ReadOptions::default()).unwrap();
//! let tokenizer = train(&sentences, &[], &TokenizerOptions::default(), |_, _| ());
//! let mut tokens = Vec::new();
//! tokenizer.segmenter().segment("Hi! Hi!", Sentences::Found, &mut tokens);
//! assert_eq!(tokens.len(), 4);
//! assert!(tokens[1].ends_sentence);
//! ```
#![forbid(unsafe_code)]

pub mod html;
pub mod lemma;
pub mod tag;
pub mod tokenize;
