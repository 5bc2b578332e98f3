//! A query that was read, ready for any number of sentences and threads.
use crate::condition::Conditions;
use crate::error::QueryError;
use crate::key::Key;
use crate::matcher::Matcher;
use crate::parser;
use crate::relation::Constraint;

/// The most nodes of a query, those of its `without` blocks included.
pub const MOST_NODES: usize = 30;

/// A node of the query.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueryNode {
    /// Its name; empty for `[...]`.
    pub(crate) name: String,
    pub(crate) conditions: Conditions,
    /// The artificial root.
    pub(crate) is_root: bool,
}

/// What must hold together: the query itself, or a `without` block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// Its own nodes, as bits.
    pub(crate) nodes: u32,
    /// What holds between them (and, in a `without` block, the nodes of the query).
    pub(crate) constraints: Vec<(u32, Constraint)>,
}

/// A pattern of words and arcs. `docs/book/src/query-language.md` tells how to write one.
#[derive(Clone, Debug)]
pub struct Query {
    /// The nodes of the query come first, in the order of their first mention.
    pub(crate) nodes: Vec<QueryNode>,
    pub(crate) main: Block,
    pub(crate) without: Vec<Block>,
    /// Number of nodes in a match.
    pub(crate) width: usize,
}

impl Query {
    /// Reads a query.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        parser::query(text)
    }

    /// The names of the nodes of a match, in its order; empty for a word without a name.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.nodes[..self.width].iter().map(|node| node.name.as_str())
    }

    /// Memory for one thread that searches sentences.
    pub fn matcher(&self) -> Matcher<'_> {
        Matcher::new(self)
    }

    /// What may stand in a table of frequencies: `S.lemma`, `S` (its form), `distance(V, S)`, `length`,
    /// `meta.sent_id`.
    pub fn key(&self, text: &str) -> Result<Key, QueryError> {
        parser::key(text, self)
    }
}
