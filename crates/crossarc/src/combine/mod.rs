//! Several parsers together: what they agree on is more often right than what any of them says.
pub mod bundle;
pub(crate) mod guide;
pub mod reparse;
pub mod training;
pub mod trust;

pub use bundle::{Bundle, VoteOptions, Weighing};
pub use reparse::{Reparser, Search};
pub use training::Combination;
pub use trust::Trust;
