//! Queries: what `crossarc find` looks for.
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::sentence::Sentence;

/// A query, understood once and asked of many sentences.
///
/// >>> query = crossarc.Query("V[upos=VERB] -[obj]-> O")
/// >>> sentence = crossarc.load()("She sees stars.").sentences[0]
/// >>> query.names, query.matches(sentence)
/// (['V', 'O'], [[2, 3]])
#[pyclass(frozen, module = "crossarc")]
pub(crate) struct Query {
    query: crossarc_query::Query,
    text: String,
}

#[pymethods]
impl Query {
    #[new]
    fn new(text: &str) -> PyResult<Query> {
        let query = crossarc_query::Query::parse(text);
        let query = query.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Query { query, text: text.to_owned() })
    }

    /// The names of its words, in the order in which matches give them.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.query.names().map(str::to_owned).collect()
    }

    /// The matches in a sentence: for each the numbers of the words that the names stand for.
    fn matches(&self, sentence: &Sentence) -> PyResult<Vec<Vec<u32>>> {
        let sentence = sentence.core.read();
        let mut matcher = self.query.matcher();
        let found = matcher.find(&sentence);
        let found = found.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(found.map(<[u32]>::to_vec).collect())
    }

    fn __repr__(&self) -> String {
        format!("<Query {}>", self.text)
    }
}
