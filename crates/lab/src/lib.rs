//! The laboratory: grids of parsers on treebanks, what parsers get wrong, and reports of both.
//!
//! Nobody who only parses needs it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`analyze`] | what parsers get wrong, and where |
//! | [`compare`] | grids of parsers on treebanks, and tables of results |
//! | [`report`] | panels, charts and self-contained HTML pages |
//! | [`processor_time`] | what work costs |
#![forbid(unsafe_code)]

pub mod analyze;
pub mod compare;
pub mod processor_time;
pub mod report;
