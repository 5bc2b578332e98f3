//! Documents.
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use conll::Row;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::core::{Core, Doc};
use crate::pictures::{Picture, picture};
use crate::sentence::{Sentence, sentences_of};
use crate::table::{Stored, Table};
use crate::word::Word;

/// What a document is made of again: its text and its sentences.
type Parts<'d> = (Option<&'d str>, Vec<Sentence>);

/// Sentences that a notebook shows of a document.
const SHOWN: usize = 20;

/// Sentences with the text that they were found in.
///
/// >>> doc = crossarc.load()("She sees stars. They shine.")
/// >>> len(doc), [str(sentence) for sentence in doc]
/// (2, ['She sees stars.', 'They shine.'])
/// >>> print(doc.to_conllu().splitlines()[0])
/// # newdoc
/// >>> word = doc.sentences[1].words[0]
/// >>> doc.text[word.start:word.end]
/// 'They'
#[pyclass(frozen, module = "crossarc")]
pub(crate) struct Document {
    pub(crate) doc: Arc<Doc>,
}

impl Document {
    pub(crate) fn new(text: Option<String>, sentences: Vec<crossarc::Sentence>) -> Document {
        Document { doc: Doc::new(text, sentences) }
    }
}

#[pymethods]
impl Document {
    /// A document of sentences, which stay the same objects.
    #[new]
    fn make(sentences: &Bound<'_, PyAny>) -> PyResult<Document> {
        let cores = sentences_of(sentences)?.into_iter().map(|sentence| sentence.core).collect();
        Ok(Document { doc: Doc::of(cores) })
    }

    /// The sentences.
    #[getter]
    fn sentences(&self) -> Vec<Sentence> {
        Sentence::all(&self.doc)
    }

    /// The words of all sentences.
    #[getter]
    fn words(&self) -> Vec<Word> {
        let mut words = Vec::new();
        for of in Sentence::all(&self.doc) {
            let count = of.core.read().len() as u32;
            words.extend((1..=count).map(|id| Word { of: of.clone(), id }));
        }
        words
    }

    /// The text that was parsed; `None` if there was none.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.doc.text.as_deref()
    }

    /// All sentences as CoNLL-U.
    fn to_conllu(&self) -> String {
        let mut out = Vec::new();
        for core in &self.doc.sentences {
            // Writing to memory cannot fail.
            let _ = core.read().write_to(&mut out);
        }
        String::from_utf8_lossy(&out).into_owned()
    }

    /// A data frame with a row for each line of CoNLL-U and the columns of R's udpipe: `doc_id`,
    /// `paragraph_id`, `sentence_id`, `sentence`, `token_id`, `token`, `lemma`, `upos`, `xpos`, `feats`,
    /// `head_token_id`, `dep_rel`, `deps`, `misc`. Of pandas if it is installed, else of polars, else a
    /// dict of columns; `kind` is `"pandas"`, `"polars"` or `"dict"` to choose.
    ///
    /// >>> columns = crossarc.load()("She sees stars.").to_dataframe(kind="dict")
    /// >>> columns["token"], columns["head_token_id"]
    /// (['She', 'sees', 'stars', '.'], ['2', '0', '2', '2'])
    #[pyo3(signature = (doc_id = "doc1", *, kind = None))]
    fn to_dataframe<'py>(
        &self,
        py: Python<'py>,
        doc_id: &str,
        kind: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = columns(py, doc_id, &self.doc.sentences)?;
        py.import("crossarc._frames")?.call_method1("frame", (columns, kind))
    }

    /// A table of Arrow with a row for each sentence, as `crossarc.arrow.SCHEMA` says, for pyarrow,
    /// polars, DuckDB and all others that take `__arrow_c_stream__`. Nothing is copied.
    #[pyo3(signature = (doc_id = None))]
    fn to_arrow(&self, doc_id: Option<&str>) -> PyResult<Stored> {
        let mut table = Table::default();
        for (at, core) in self.doc.sentences.iter().enumerate() {
            let places = self.doc.text.as_ref().map_or(&[][..], |_| self.doc.places(at));
            table.sentence(doc_id, at, &core.read(), places);
        }
        Ok(Stored::new(table.finish()?))
    }

    /// A `spacy.tokens.Doc` with tags, features, lemmas, heads, labels and sentences.
    fn to_spacy<'py>(
        slf: &Bound<'py, Self>,
        vocab: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("crossarc.spacy")?.call_method1("to_doc", (slf, vocab))
    }

    /// Lists of dicts as the library `conllu` has them, one list for each sentence.
    fn to_dicts<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("crossarc._bridges")?.call_method1("dicts", (slf,))
    }

    /// What `displacy.render(..., manual=True)` draws: a dict for each sentence.
    fn to_displacy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("crossarc._bridges")?.call_method1("displacy", (slf,))
    }

    /// An `nltk.parse.DependencyGraph` for each sentence.
    fn to_nltk<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("crossarc._bridges")?.call_method1("nltk_graphs", (slf,))
    }

    /// Draws all sentences, as `Sentence.draw`.
    #[pyo3(signature = (to = "text", *, highlight = "crossing", width = None))]
    fn draw(&self, to: &str, highlight: &str, width: Option<usize>) -> PyResult<String> {
        Ok(picture(&Sentence::all(&self.doc), Picture::new(to, highlight, width)?))
    }

    fn _repr_html_(&self) -> PyResult<String> {
        let choice = Picture::new("svg", "crossing", None)?;
        let mut page = String::new();
        for core in self.doc.sentences.iter().take(SHOWN) {
            let tree = picture(&[Sentence::of(core)], choice);
            let _ = writeln!(page, "<div style=\"overflow-x:auto\">{tree}</div>");
        }
        let more = self.doc.sentences.len().saturating_sub(SHOWN);
        if more > 0 {
            let _ = writeln!(page, "<p>and {more} more sentences</p>");
        }
        Ok(page)
    }

    fn __len__(&self) -> usize {
        self.doc.sentences.len()
    }

    fn __getitem__(&self, at: isize) -> PyResult<Sentence> {
        let count = self.doc.sentences.len() as isize;
        let place = if at < 0 { count + at } else { at };
        if (0..count).contains(&place) {
            let place = place as usize;
            let part = Some((Arc::clone(&self.doc), place));
            return Ok(Sentence { part, ..Sentence::of(&self.doc.sentences[place]) });
        }
        Err(PyIndexError::new_err(format!("there is no sentence {at}: the document has {count}")))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.sentences().into_pyobject(py)?.try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        let words: usize = self.doc.sentences.iter().map(|core| core.read().len()).sum();
        format!("<Document of {} sentences, {words} words>", self.doc.sentences.len())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Document>().is_ok_and(|other| {
            let (mine, others) = (&self.doc, &other.get().doc);
            mine.text == others.text
                && mine.sentences.len() == others.sentences.len()
                && mine.sentences.iter().zip(&others.sentences).all(|(mine, others)| {
                    Arc::ptr_eq(mine, others) || *mine.read() == *others.read()
                })
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for core in &self.doc.sentences {
            for word in core.read().words() {
                word.form().hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts<'_>)> {
        let make = py.import("crossarc._crossarc")?.getattr("_document")?;
        let sentences = self.doc.sentences.iter().map(Sentence::of).collect();
        Ok((make, (self.doc.text.as_deref(), sentences)))
    }
}

/// A document with its text.
pub(crate) fn document(text: Option<String>, sentences: &[Sentence]) -> Document {
    let plain = sentences.iter().map(|one| one.core.read().clone()).collect();
    Document::new(text, plain)
}

/// The columns of a data frame.
fn columns<'py>(
    py: Python<'py>,
    doc_id: &str,
    sentences: &[Arc<Core>],
) -> PyResult<Bound<'py, PyDict>> {
    use conll::Column;
    const NAMES: [(&str, Column); 9] = [
        ("token_id", Column::Id),
        ("token", Column::Form),
        ("lemma", Column::Lemma),
        ("upos", Column::Upos),
        ("xpos", Column::Xpos),
        ("feats", Column::Feats),
        ("head_token_id", Column::Head),
        ("dep_rel", Column::Deprel),
        ("deps", Column::Deps),
    ];
    let list = || PyList::empty(py);
    let (docs, paragraphs, numbers, texts) = (list(), list(), list(), list());
    let fields_out: Vec<_> = NAMES.iter().map(|_| list()).collect();
    let misc = list();
    let mut paragraph = 0;
    for (at, core) in sentences.iter().enumerate() {
        let sentence = core.read();
        let begins = |comment: &str| {
            let comment = comment.trim_start_matches('#').trim();
            comment == "newpar" || comment.starts_with("newpar ")
        };
        if at == 0 || sentence.comments().any(begins) {
            paragraph += 1;
        }
        let text = Sentence::of(core).text().into_pyobject(py)?;
        for row in sentence.rows() {
            let fields = match row {
                Row::Comment(_) => continue,
                Row::Range { fields, .. } | Row::Empty { fields, .. } => fields,
                Row::Word(word) => word.fields(),
            };
            docs.append(doc_id)?;
            paragraphs.append(paragraph)?;
            numbers.append(at + 1)?;
            texts.append(&text)?;
            let form = fields.form();
            for ((_, column), out) in NAMES.iter().zip(&fields_out) {
                let value = fields.get(*column).unwrap_or("_");
                let is_form = *column == Column::Form
                    || (*column == Column::Lemma && form == "_" && value == "_");
                out.append((is_form || value != "_").then_some(value))?;
            }
            misc.append(Some(fields.misc()).filter(|misc| *misc != "_"))?;
        }
    }
    let dict = PyDict::new(py);
    dict.set_item("doc_id", docs)?;
    dict.set_item("paragraph_id", paragraphs)?;
    dict.set_item("sentence_id", numbers)?;
    dict.set_item("sentence", texts)?;
    for ((name, _), values) in NAMES.iter().zip(fields_out) {
        dict.set_item(name, values)?;
    }
    dict.set_item("misc", misc)?;
    Ok(dict)
}
