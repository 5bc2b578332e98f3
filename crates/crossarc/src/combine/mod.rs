//! Several parsers together: what they agree on is more often right than what any of them says.
pub mod reparse;
pub mod trust;

pub use reparse::{Reparser, Search};
pub use trust::Trust;
