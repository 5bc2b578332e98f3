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
//!
//! ```
//! use crossarc_lab::report::{Panel, Value};
//! let mut panel = Panel::new("scores", "Scores", "All words.", ["system", "LAS"]);
//! panel.rows.push(vec![Value::text("swap"), Value::share(3, 4)]);
//! assert_eq!(panel.to_text(), "Scores\n\nsystem    LAS\nswap    75.00\n");
//! ```
#![forbid(unsafe_code)]

pub mod analyze;
pub mod compare;
pub mod processor_time;
pub mod report;
