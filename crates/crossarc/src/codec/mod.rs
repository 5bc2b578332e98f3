//! Tree codecs: a gold tree becomes a tree that a parser can learn, and a parsed tree becomes one
//! of the treebank's own kind again.
//!
//! | module | what it holds |
//! |---|---|
//! | [`lift`] | projectivising by lifting, the shortest non-projective arc first |
pub mod lift;
