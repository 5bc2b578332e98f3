//! Several parsers together: what they agree on is more often right than what any of them says.
pub mod bundle;
pub(crate) mod guide;
pub mod reparse;
pub mod training;

pub use bundle::Bundle;
pub use crossarc_train::combination::{Combination, Search, Trust, VoteOptions, Weighing};
pub use reparse::Reparser;
