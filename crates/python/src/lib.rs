//! Crossarc in Python: the native half of the package `crossarc`.
//!
//! The package itself, `crates/python/python/crossarc`, has what Python says better: loading, data
//! frames, bridges to other libraries. This half has the objects and all work, without the interpreter
//! wherever there is no Python object to touch. It stands on the façade and knows no parser.
//!
//! ```python
//! import crossarc
//! for sentence in crossarc.load()("She sees stars.").sentences:
//!     for word in sentence.words:
//!         print(word.text, word.head, word.deprel)
//! ```
// The documentation is what Python shows, and arguments come as Python gives them.
#![allow(clippy::doc_link_with_quotes, clippy::doc_markdown, clippy::needless_pass_by_value)]
mod batches;
mod core;
mod document;
mod errors;
mod features;
mod pictures;
mod pipe;
mod pipeline;
mod query;
mod sentence;
mod table;
mod training;
mod treebanks;
mod word;

use pyo3::prelude::*;

/// The native half of the package crossarc.
#[pymodule(gil_used = false)]
mod _crossarc {
    #[pymodule_export]
    use super::batches::Batches;
    #[pymodule_export]
    use super::document::Document;
    #[pymodule_export]
    use super::features::Features;
    #[pymodule_export]
    use super::pipe::Pipe;
    #[pymodule_export]
    use super::pipeline::{_document, _from_bytes, _load, Pipeline};
    #[pymodule_export]
    use super::query::Query;
    #[pymodule_export]
    use super::sentence::Sentence;
    #[pymodule_export]
    use super::table::Stored;
    #[pymodule_export]
    use super::training::_train;
    #[pymodule_export]
    use super::treebanks::{
        _check, _draw, _evaluate, _parse_treebank, _read, _sentence, _stats, _word, _write,
        Sentences,
    };
    #[pymodule_export]
    use super::word::{EmptyNode, Token, Word};

    use super::table;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("_english_note", crossarc_english::NOTE)?;
        module.add("_schema", table::empty())
    }
}
