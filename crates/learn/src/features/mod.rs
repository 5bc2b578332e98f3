//! What every parser sees of a sentence: words as small rows of hashed attributes.
//!
//! Strings are hashed once per sentence; from then on features are mixes of numbers. No
//! vocabulary is needed at parse time: an unknown word hashes to features without a weight.
pub mod arc_field;
pub mod attribute;
pub mod guides;
pub mod hash;
pub mod words;

pub use arc_field::ArcField;
pub use attribute::Attribute;
pub use guides::Guidance;
pub use words::Words;
