//! What turns text into tagged words: a tokenizer, a tagger and a lemmatizer, all learned from a treebank.
//!
//! | module | what it holds |
//! |---|---|
//! | [`tokenize`] | text into sentences, tokens and words |
//! | [`tag`] | parts of speech and morphological features |
//! | [`lemma`] | lemmas by edit scripts |
//! | [`html`] | text out of HTML |
#![forbid(unsafe_code)]

pub mod html;
pub mod lemma;
pub mod tag;
pub mod tokenize;
