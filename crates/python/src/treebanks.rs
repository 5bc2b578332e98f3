//! Reading, writing, comparing, measuring and checking treebanks.
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use conll::{AtomicFile, Converter, Format, ReadOptions, Reader, Roots};
use crossarc::eval::official::{self, Corpus, Metric, Names};
use crossarc::eval::{Counts, Punctuation, Settings, evaluate_sentences};
use crossarc::tree::RootPolicy;
use crossarc::tree::treebank::check::{CheckOptions, Checker};
use crossarc::tree::treebank::statistics::Statistics;
use crossarc::tree::treebank::unlabelled_tree_of;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::document::Document;
use crate::errors::{Raise, comparison, data, file, treebank};
use crate::pictures::{Picture, picture};
use crate::pipe::OnError;
use crate::sentence::{Sentence, each_sentence, sentences_of, trusting};

fn format_of(name: Option<&str>) -> PyResult<Option<Format>> {
    let parse = |name: &str| {
        name.parse::<Format>().map_err(|_| {
            PyValueError::new_err(format!(
                "unknown format {name:?}, expected conllu, conllup, conllx or conll09"
            ))
        })
    };
    name.map(parse).transpose()
}

fn roots_of(name: &str) -> PyResult<Roots> {
    match name {
        "format" => Ok(Roots::ByFormat),
        "any" => Ok(Roots::Any),
        "one" => Ok(Roots::One),
        _ => Err(PyValueError::new_err(format!("roots={name:?}: expected format, any or one"))),
    }
}

/// The sentences of a file, one by one.
#[pyclass(frozen, name = "Reader", module = "crossarc")]
pub(crate) struct Sentences {
    reader: Mutex<Reader>,
    errors: OnError,
}

#[pymethods]
impl Sentences {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut reader = self.reader.try_lock().map_err(|_| {
            PyRuntimeError::new_err("another thread is reading the next sentence of this file")
        })?;
        loop {
            let mut sentence = crossarc::Sentence::default();
            match reader.read(&mut sentence) {
                Ok(true) => {
                    return Ok(Some(Sentence::new(sentence).into_pyobject(py)?.into_any()));
                }
                Ok(false) => return Ok(None),
                Err(error) if !error.is_recoverable() => return Err(treebank(py, &error)),
                Err(error) => match self.errors {
                    OnError::Raise => return Err(treebank(py, &error)),
                    OnError::Return => {
                        let error = treebank(py, &error);
                        return Ok(Some(error.into_value(py).into_bound(py).into_any()));
                    }
                    OnError::Skip => py.check_signals()?,
                },
            }
        }
    }

    /// The format: `conllu`, `conllup`, `conllx` or `conll09`.
    #[getter]
    fn format(&self) -> PyResult<String> {
        Ok(self.lock()?.format().name().to_owned())
    }

    /// What was unusual so far, one line for each kind.
    #[getter]
    fn warnings(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.warnings().iter().map(ToString::to_string).collect())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<Reader of {}>", self.lock()?.name()))
    }
}

impl Sentences {
    fn lock(&self) -> PyResult<std::sync::MutexGuard<'_, Reader>> {
        self.reader.try_lock().map_err(|_| PyRuntimeError::new_err("another thread is reading"))
    }
}

/// Opens a file, or text in memory.
#[pyfunction]
#[pyo3(signature = (path, text, format, errors, roots))]
pub(crate) fn _read(
    py: Python<'_>,
    path: Option<PathBuf>,
    text: Option<&[u8]>,
    format: Option<&str>,
    errors: &str,
    roots: &str,
) -> PyResult<Sentences> {
    let options = ReadOptions {
        format: format_of(format)?,
        roots: roots_of(roots)?,
        ..ReadOptions::default()
    };
    let errors: OnError = errors.parse().map_err(PyValueError::new_err)?;
    let reader = match (path, text) {
        (Some(path), _) => Reader::open(path, options),
        (None, text) => Reader::from_bytes("text", text.unwrap_or_default(), options),
    };
    Ok(Sentences { reader: Mutex::new(reader.raise(py)?), errors })
}

/// Writes sentences to a file, which is complete or absent; gives their number.
#[pyfunction]
#[pyo3(signature = (path, sentences, format))]
pub(crate) fn _write(
    path: PathBuf,
    sentences: &Bound<'_, PyAny>,
    format: Option<&str>,
) -> PyResult<usize> {
    let mut converter = format_of(format)?.map(Converter::new);
    let mut out = AtomicFile::create(&path).map_err(|error| file(&error, &path))?;
    let mut written = 0;
    each_sentence(sentences, &mut |sentence| {
        let sentence = sentence.core.read();
        let outcome = match &mut converter {
            Some(converter) => {
                let mut bytes = Vec::new();
                converter.write(&sentence, &mut bytes).and_then(|()| out.write_all(&bytes))
            }
            None => sentence.write_to(&mut out),
        };
        written += 1;
        outcome.map_err(|error| file(&error, &path))
    })?;
    out.finish().map_err(|error| file(&error, &path))?;
    Ok(written)
}

/// A treebank as sentences: a path, or sentences.
pub(crate) fn treebank_of(
    source: &Bound<'_, PyAny>,
    options: ReadOptions,
) -> PyResult<Vec<crossarc::Sentence>> {
    let py = source.py();
    let is_path = source.is_instance_of::<PyString>() || source.hasattr("__fspath__")?;
    if is_path {
        let path: PathBuf = source.extract()?;
        return py.detach(|| Reader::open(path, options)?.collect::<Result<_, _>>()).raise(py);
    }
    Ok(sentences_of(source)?.iter().map(|sentence| sentence.core.read().clone()).collect())
}

fn percent(share: Option<f64>) -> Option<f64> {
    share.map(|share| 100.0 * share)
}

fn counts<'py>(py: Python<'py>, counts: &Counts) -> PyResult<Bound<'py, PyDict>> {
    let (a, n) = (&counts.attachment, &counts.nonprojective);
    let dict = PyDict::new(py);
    for (name, value) in [
        ("UAS", a.uas()),
        ("LAS", a.las()),
        ("LA", a.la()),
        ("CLAS", a.clas()),
        ("UEM", a.uem()),
        ("LEM", a.lem()),
        ("NP precision", n.precision()),
        ("NP recall", n.recall()),
        ("crossed UAS", n.crossed.uas()),
        ("crossed LAS", n.crossed.las()),
        ("uncrossed UAS", n.uncrossed.uas()),
        ("uncrossed LAS", n.uncrossed.las()),
    ] {
        dict.set_item(name, percent(value))?;
    }
    dict.set_item("words", a.words)?;
    dict.set_item("sentences", a.sentences)?;
    Ok(dict)
}

/// Compares sentences with gold ones.
#[pyfunction]
#[pyo3(signature = (gold, system, official, punctuation))]
pub(crate) fn _evaluate<'py>(
    py: Python<'py>,
    gold: &Bound<'py, PyAny>,
    system: &Bound<'py, PyAny>,
    official: bool,
    punctuation: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let options = trusting(None);
    let gold = treebank_of(gold, options)?;
    let system = treebank_of(system, options)?;
    if official {
        return official_scores(py, &gold, &system);
    }
    let settings = Settings {
        punctuation: if punctuation { Punctuation::Counted } else { Punctuation::WithoutByForm },
        ..Settings::default()
    };
    let evaluation = py.detach(|| evaluate_sentences(&gold, &system, settings));
    counts(py, &evaluation.map_err(|error| comparison(py, &error))?.total)
}

fn official_scores<'py>(
    py: Python<'py>,
    gold: &[crossarc::Sentence],
    system: &[crossarc::Sentence],
) -> PyResult<Bound<'py, PyDict>> {
    let work = || -> Result<_, String> {
        let mut names = Names::default();
        let mut corpus = |name: &str, sentences: &[crossarc::Sentence]| {
            let mut bytes = Vec::new();
            for sentence in sentences {
                sentence.write_to(&mut bytes).map_err(|error| error.to_string())?;
            }
            let options = ReadOptions { need_tree: true, ..trusting(Some(Format::ConllU)) };
            let mut reader =
                Reader::from_bytes(name, bytes, options).map_err(|error| error.to_string())?;
            Corpus::read(&mut reader, &mut names, false).map_err(|error| error.to_string())
        };
        let (gold, system) = (corpus("gold", gold)?, corpus("system", system)?);
        official::evaluate(&gold, &system, &mut names).map_err(|error| error.to_string())
    };
    let scores = py.detach(work).map_err(|message| data(py, &message))?;
    let dict = PyDict::new(py);
    for metric in Metric::ALL {
        if !matches!(metric, Metric::Elas | Metric::Eulas) {
            dict.set_item(metric.name(), 100.0 * scores.get(metric).f1())?;
        }
    }
    Ok(dict)
}

/// Statistics as JSON.
#[pyfunction]
pub(crate) fn _stats(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<String> {
    let sentences = treebank_of(source, ReadOptions { roots: Roots::Any, ..Default::default() })?;
    let work = || {
        let mut statistics = Statistics::default();
        for sentence in &sentences {
            statistics.add(sentence, unlabelled_tree_of(sentence).as_ref().ok());
        }
        serde_json::to_string(&statistics.summary())
    };
    py.detach(work).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// What is wrong with files, as JSON.
#[pyfunction]
pub(crate) fn _check(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    most: usize,
    long: usize,
    roots: &str,
) -> PyResult<String> {
    let policy = match roots_of(roots)? {
        Roots::ByFormat => None,
        Roots::Any => Some(RootPolicy::Several),
        Roots::One => Some(RootPolicy::Single),
    };
    let options =
        CheckOptions { max_per_kind: most, long_sentence: long, roots: policy, strict: false };
    let work = || -> Result<String, conll::Error> {
        let mut checker = Checker::new(options);
        for path in &paths {
            let options = ReadOptions { roots: Roots::Any, ..ReadOptions::default() };
            let mut reader = Reader::open(path, options)?;
            checker.start_file(reader.name());
            let mut sentence = crossarc::Sentence::default();
            loop {
                match reader.read(&mut sentence) {
                    Ok(true) => checker.sentence(&sentence),
                    Ok(false) => break,
                    Err(error) if error.is_recoverable() => {
                        reader.faults().iter().for_each(|fault| checker.fault(fault));
                    }
                    Err(error) => return Err(error),
                }
            }
            reader.warnings().iter().for_each(|warning| checker.warning(warning));
        }
        Ok(serde_json::to_string(&checker.finish()).unwrap_or_default())
    };
    py.detach(work).raise(py)
}

/// Draws sentences.
#[pyfunction]
#[pyo3(signature = (sentences, to, highlight, width))]
pub(crate) fn _draw(
    sentences: &Bound<'_, PyAny>,
    to: &str,
    highlight: &str,
    width: Option<usize>,
) -> PyResult<String> {
    Ok(picture(&sentences_of(sentences)?, Picture::new(to, highlight, width)?))
}

/// A sentence again, out of what was pickled.
#[pyfunction]
pub(crate) fn _sentence(py: Python<'_>, packed: (String, String, Vec<u8>)) -> PyResult<Sentence> {
    Sentence::unpack(py, packed)
}

/// A word again, out of what was pickled.
#[pyfunction]
pub(crate) fn _word(sentence: Sentence, id: u32) -> crate::word::Word {
    crate::word::Word { of: sentence, id }
}

/// All sentences of a text in memory as a document.
#[pyfunction]
pub(crate) fn _parse_treebank(py: Python<'_>, text: &[u8]) -> PyResult<Document> {
    let reader = Reader::from_bytes("text", text, ReadOptions::default()).raise(py)?;
    let sentences: Result<Vec<_>, _> = reader.collect();
    Ok(Document::new(None, sentences.raise(py)?))
}
