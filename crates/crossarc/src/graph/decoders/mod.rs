//! The decoders, one paper's algorithm in each file.
//!
//! | name | trees | factors | time |
//! |---|---|---|---|
//! | [`eisner`] | projective | arcs | O(n³) |
//! | [`eisner-sibling`](eisner_sibling) | projective | arcs, adjacent siblings | O(n³) |
//! | [`carreras`] | projective | arcs, adjacent siblings, outermost grandchildren | O(n⁴) |
//! | [`mst`](chu_liu_edmonds) | all | arcs | O(n²) |
//!
//! n counts words; second-order times grow by the number of labels of an arc if factors know the
//! label ([`super::LabelSharing::PerLabel`]).
pub mod carreras;
pub mod chu_liu_edmonds;
pub mod eisner;
pub mod eisner_sibling;

pub use carreras::Carreras;
pub use chu_liu_edmonds::ChuLiuEdmonds;
pub use eisner::Eisner;
pub use eisner_sibling::EisnerSibling;
