//! A query language for dependency trees, with the ideas of Grew-match (Guillaume 2021) and Semgrex
//! (Bauer et al. 2023): words with conditions on any column, arcs with labels, order, distance,
//! dominance, negation, crossing arcs. `docs/book/src/query-language.md` is its grammar.
//!
//! | module | what it holds |
//! |---|---|
//! | `parser` | from text to a [`Query`]; errors point to the character |
//! | `condition` | what can be asked of one word |
//! | `relation` | what can be asked of several words, or of the sentence |
//! | `matcher` | the search: the rarest word first, the others from there, without recursion |
//! | `key` | what stands in a table of frequencies, such as `S.lemma` |
//!
//! ```
//! use crossarc_query::Query;
//! let text = "1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_\n\
//!             2\tsees\tsee\tVERB\t_\t_\t0\troot\t_\t_\n\
//!             3\tstars\tstar\tNOUN\t_\tNumber=Plur\t2\tobj\t_\t_\n\n";
//! let sentences = conll::read_str(text, conll::ReadOptions::default())?;
//! let query = Query::parse("V[upos=VERB] -[obj]-> O[Number=Plur], V << O")?;
//! let mut matcher = query.matcher();
//! let found: Vec<&[u32]> = matcher.find(&sentences[0])?.collect();
//! assert_eq!(found, [&[2, 3]]); // V is word 2 and O is word 3
//! assert_eq!(query.names().collect::<Vec<_>>(), ["V", "O"]);
//! let key = query.key("O.lemma")?;
//! assert_eq!(key.value(&sentences[0], &[2, 3]), "star");
//!
//! let error = Query::parse("V[upso=VERB]").unwrap_err();
//! assert_eq!(error.column(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod condition;
mod error;
mod key;
mod labels;
mod matcher;
mod parser;
mod query;
mod relation;

pub use error::{QueryError, TooMuch};
pub use key::Key;
pub use labels::CLASSES;
pub use matcher::{MOST_MATCHES, MOST_STEPS, Matcher, Matches};
pub use query::{MOST_NODES, Query};
