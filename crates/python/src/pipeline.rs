//! Pipelines.
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use crossarc::pipeline::TextFormat;
use crossarc::{Session, SessionOptions, StreamOptions};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::document::{Document, document};
use crate::errors::{Raise, model};
use crate::pipe::{OnError, Pipe};
use crate::sentence::{Sentence, sentences_of, trusting};

/// A model at work: from text to trees. Threads may share one. It pickles as the path of its model file
/// and the hash of that, never as its bytes.
///
/// >>> nlp = crossarc.load()
/// >>> doc = nlp("She sees stars.")
/// >>> [(word.text, word.head, word.deprel) for word in doc.words]
/// [('She', 2, 'nsubj'), ('sees', 0, 'root'), ('stars', 2, 'obj'), ('.', 2, 'punct')]
#[pyclass(frozen, module = "crossarc")]
pub(crate) struct Pipeline {
    pub(crate) model: crossarc::Pipeline,
    /// Where it can be loaded again; the English model has an empty path.
    path: Mutex<Option<PathBuf>>,
    pub(crate) options: SessionOptions,
    format: String,
    idle: Mutex<Vec<Session>>,
    hash: OnceLock<String>,
}

/// The options as Python knows them: beam, scores, `keep_heads`, exact, format.
type Options = (Option<usize>, bool, bool, bool, String);

impl Pipeline {
    pub(crate) fn new(pipeline: crossarc::Pipeline, path: Option<PathBuf>) -> Pipeline {
        Pipeline {
            model: pipeline,
            path: Mutex::new(path),
            options: SessionOptions::default(),
            format: "text".to_owned(),
            idle: Mutex::default(),
            hash: OnceLock::new(),
        }
    }

    fn with_session<T>(&self, work: impl FnOnce(&mut Session) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let lent = idle().pop();
        let mut session = lent.unwrap_or_else(|| self.model.session(self.options));
        let outcome = work(&mut session);
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let mut idle = idle();
        if idle.len() < most {
            idle.push(session);
        }
        outcome
    }

    pub(crate) fn streaming(&self, threads: Option<usize>) -> StreamOptions {
        StreamOptions { session: self.options, threads }
    }

    fn chosen(&self) -> Options {
        let SessionOptions { beam, scores, keep_heads, exact, .. } = self.options;
        (beam, scores, keep_heads, exact, self.format.clone())
    }

    fn with_options(self, options: Options) -> PyResult<Pipeline> {
        let (beam, scores, keep_heads, exact, format) = options;
        let known = TextFormat::NAMES.iter().find(|(name, _)| *name == format);
        let Some((_, found)) = known else {
            let names = TextFormat::NAMES.map(|(name, _)| name).join(", ");
            let message = format!("unknown text format {format:?}, expected one of {names}");
            return Err(PyValueError::new_err(message));
        };
        if beam == Some(0) {
            return Err(PyValueError::new_err("a beam of 0 finds nothing: give 1 or more"));
        }
        let options =
            SessionOptions { beam, scores, keep_heads, exact, format: *found, ..self.options };
        Ok(Pipeline { options, format, ..self })
    }
}

/// A text as Rust has it. Half a surrogate pair is no character.
pub(crate) fn text_of(value: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    let Ok(text) = value.cast::<PyString>() else {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{what} is {kind}, expected str")));
    };
    match text.to_cow() {
        Ok(text) => Ok(text.into_owned()),
        Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(value.py()) => {
            let at = error.value(value.py()).getattr("start")?;
            let message = format!(
                "{what} has half a surrogate pair at character {at}, which is no text: text.encode('utf-8', 'replace').decode() gets rid of it"
            );
            Err(crate::errors::data(value.py(), &message))
        }
        Err(error) => Err(error),
    }
}

/// Opens a model.
#[pyfunction]
#[pyo3(signature = (path, options))]
pub(crate) fn _load(py: Python<'_>, path: Option<PathBuf>, options: Options) -> PyResult<Pipeline> {
    let opened = py.detach(|| match &path {
        Some(path) => crossarc::Pipeline::open_by(path, crossarc::model::Opening::Read),
        None => crossarc_english::pipeline(),
    });
    let path = path.map(|path| std::path::absolute(&path).unwrap_or(path));
    Pipeline::new(opened.raise(py)?, Some(path.unwrap_or_default())).with_options(options)
}

/// Opens a model from memory.
#[pyfunction]
pub(crate) fn _from_bytes(py: Python<'_>, bytes: Vec<u8>, options: Options) -> PyResult<Pipeline> {
    let opened = py.detach(|| crossarc::Pipeline::from_bytes(bytes));
    Pipeline::new(opened.raise(py)?, None).with_options(options)
}

#[pymethods]
impl Pipeline {
    /// Parses a text.
    ///
    /// >>> len(crossarc.load()("One. Two. Three.").sentences)
    /// 3
    fn __call__(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Document> {
        let text = text_of(text, "the text")?;
        let sentences =
            py.detach(|| self.with_session(|session| session.parse(&text))).raise(py)?;
        Ok(Document::new(Some(text), sentences))
    }

    /// Parses many texts on several threads (as many as there are cores) and gives their documents in
    /// order, while it takes more texts from the iterable: at most three parts of `batch_size` texts for
    /// each thread are under way. `errors` says what becomes of a text that cannot be parsed, of `None`
    /// for example: `"raise"` an exception, `"skip"` it, or `"return"` the exception in its place. With
    /// `as_tuples`, texts come with something of yours and go with it.
    ///
    /// >>> nlp = crossarc.load()
    /// >>> [len(doc.words) for doc in nlp.pipe(["She sees stars.", "Why?"], threads=2)]
    /// [4, 2]
    #[pyo3(signature = (texts, *, threads = None, batch_size = 32, errors = "raise", as_tuples = false))]
    fn pipe(
        &self,
        texts: &Bound<'_, PyAny>,
        threads: Option<usize>,
        batch_size: usize,
        errors: &str,
        as_tuples: bool,
    ) -> PyResult<Pipe> {
        let errors: OnError = errors.parse().map_err(PyValueError::new_err)?;
        if texts.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "texts is a str, expected many: call nlp(text) for one",
            ));
        }
        let documents = self.model.documents(self.streaming(threads));
        Ok(Pipe::new(texts.try_iter()?, documents, batch_size.max(1), errors, as_tuples))
    }

    /// Parses sentences whose words are known.
    ///
    /// >>> doc = crossarc.load().parse_words([["She", "sees", "stars", "."]])
    /// >>> doc.sentences[0].root.text
    /// 'sees'
    fn parse_words(&self, py: Python<'_>, sentences: &Bound<'_, PyAny>) -> PyResult<Document> {
        let mut all: Vec<Vec<String>> = Vec::new();
        for (at, sentence) in sentences.try_iter()?.enumerate() {
            let sentence = sentence?;
            if sentence.is_instance_of::<PyString>() {
                return Err(PyTypeError::new_err(
                    "a sentence is a str, expected a list of words: [[\"She\", \"sees\"]]",
                ));
            }
            let words = sentence.try_iter()?.enumerate();
            let words =
                words.map(|(word, text)| text_of(&text?, &format!("sentences[{at}][{word}]")));
            all.push(words.collect::<PyResult<_>>()?);
        }
        let parse = || {
            self.with_session(|session| {
                all.iter().map(|words| session.parse_words(words)).collect::<Result<Vec<_>, _>>()
            })
        };
        Ok(Document::new(None, py.detach(parse).raise(py)?))
    }

    /// Annotates sentences that are there: of CoNLL-U text, of a `Document`, or any `Sentence`s. Tags and
    /// lemmas are found where there are none, heads and labels always (see `keep_heads`).
    ///
    /// >>> doc = crossarc.load().annotate("1\tShe\t_\t_\t_\t_\t_\t_\t_\t_\n2\tsees\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    /// >>> [word.upos for word in doc.words]
    /// ['PRON', 'VERB']
    fn annotate(&self, py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Document> {
        let sentences = if source.is_instance_of::<PyString>() {
            let text = text_of(source, "the text")?;
            let options =
                conll::ReadOptions { limits: trusting(None).limits, ..Default::default() };
            let read = || conll::Reader::from_bytes("text", text, options)?.collect();
            let read: Result<Vec<crossarc::Sentence>, _> = py.detach(read);
            read.raise(py)?.into_iter().map(Sentence::new).collect()
        } else {
            sentences_of(source)?
        };
        let mut copies: Vec<crossarc::Sentence> =
            sentences.iter().map(|sentence| sentence.core.read().clone()).collect();
        let annotate = || {
            self.with_session(|session| {
                copies.iter_mut().try_for_each(|sentence| session.annotate(sentence))
            })
        };
        py.detach(annotate).raise(py)?;
        Ok(Document::new(None, copies))
    }

    /// The best trees of a sentence, best first, if the model can find several.
    #[pyo3(signature = (sentence, most = 10))]
    fn best(&self, py: Python<'_>, sentence: &Sentence, most: usize) -> PyResult<Vec<Sentence>> {
        let copy = sentence.core.read().clone();
        let best = py.detach(|| self.with_session(|session| session.best(&copy, most)));
        Ok(best.raise(py)?.into_iter().map(Sentence::new).collect())
    }

    /// Writes the model file, which is complete or absent.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.model.save(&path)).raise(py)?;
        let mut known = self.path.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert(std::path::absolute(&path).unwrap_or(path));
        Ok(())
    }

    /// The model file as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.model.bytes())
    }

    /// What the model knows about itself: size, components, parser, labels, training files, licence.
    ///
    /// >>> crossarc.load().info["tokenizer"]
    /// True
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = serde_json::to_string(&self.model.info())
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        py.import("json")?.call_method1("loads", (text,))
    }

    /// Where the model was loaded from or saved to; `""` is the English model of this package, `None` one
    /// that has no file yet.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.path.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// SHA-256 of the model file.
    #[getter]
    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        if let Some(known) = self.hash.get() {
            return Ok(known.clone());
        }
        let digest = py.import("hashlib")?.call_method1("sha256", (self.to_bytes(py),))?;
        let hash: String = digest.call_method0("hexdigest")?.extract()?;
        Ok(self.hash.get_or_init(|| hash).clone())
    }

    /// The options it was loaded with.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (beam, scores, keep_heads, exact, format) = self.chosen();
        let dict = PyDict::new(py);
        dict.set_item("beam", beam)?;
        dict.set_item("scores", scores)?;
        dict.set_item("keep_heads", keep_heads)?;
        dict.set_item("exact", exact)?;
        dict.set_item("format", format)?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        let info = self.model.info();
        let parser = info.parser.unwrap_or("none".to_owned());
        let name = match self.path() {
            Some(path) if path.as_os_str().is_empty() => "English".to_owned(),
            Some(path) => path.to_string_lossy().into_owned(),
            None => "not saved".to_owned(),
        };
        format!("<Pipeline {name}, parser {parser}>")
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Pipeline>() else { return Ok(false) };
        let other = other.get();
        Ok(std::ptr::eq(self, other)
            || (self.chosen() == other.chosen() && self.hash(py)? == other.hash(py)?))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &self.hash(py)?).hash()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (PathBuf, String, Options))> {
        let Some(path) = self.path() else {
            return Err(model(
                py,
                "this pipeline has no file yet, and pipelines pickle as the path of one: save it first",
            ));
        };
        let restore = py.import("crossarc._models")?.getattr("restore")?;
        Ok((restore, (path, self.hash(py)?, self.chosen())))
    }
}

/// A document again, out of what was pickled.
#[pyfunction]
pub(crate) fn _document(text: Option<String>, sentences: Vec<Sentence>) -> Document {
    document(text, &sentences)
}
