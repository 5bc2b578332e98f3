//! Features and miscellany: a mapping that is also a string.
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

/// The features of a word, or what its column MISC says: a mapping that does not change. `str()` gives
/// the column as it is written, `_` if it is empty. A part without `=` has an empty value.
///
/// >>> word = crossarc.load().parse_words([["She", "sees", "stars"]]).sentences[0].words[0]
/// >>> word.feats["Person"], "Tense" in word.feats
/// ('3', False)
/// >>> str(word.feats)
/// 'Case=Nom|Gender=Fem|Number=Sing|Person=3|PronType=Prs'
#[pyclass(frozen, mapping, module = "crossarc")]
pub(crate) struct Features {
    text: String,
}

impl Features {
    pub(crate) fn new(text: &str) -> Features {
        Features { text: text.to_owned() }
    }

    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let parts = (self.text != "_").then(|| self.text.split('|')).into_iter().flatten();
        parts.filter(|part| !part.is_empty()).map(|part| part.split_once('=').unwrap_or((part, "")))
    }

    fn find(&self, key: &str) -> Option<&str> {
        self.pairs().find(|(known, _)| *known == key).map(|(_, value)| value)
    }
}

/// A mapping as a column.
pub(crate) fn written(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    if value.is_none() {
        return Ok("_".to_owned());
    }
    let mut parts = Vec::new();
    for pair in value.call_method0("items")?.try_iter()? {
        let (key, value): (String, String) = pair?.extract()?;
        if key.is_empty() || key.contains(['|', '=']) || value.contains('|') {
            return Err(PyValueError::new_err(format!(
                "{key:?}: {value:?} cannot be written as features: `|` and `=` stand between them"
            )));
        }
        parts.push(if value.is_empty() { key } else { format!("{key}={value}") });
    }
    parts.sort_by_key(|part| part.to_lowercase());
    Ok(if parts.is_empty() { "_".to_owned() } else { parts.join("|") })
}

#[pymethods]
impl Features {
    #[new]
    #[pyo3(signature = (text = "_"))]
    fn make(text: &str) -> Features {
        Features::new(if text.is_empty() { "_" } else { text })
    }

    fn __getitem__(&self, key: &str) -> PyResult<&str> {
        self.find(key).ok_or_else(|| PyKeyError::new_err(key.to_owned()))
    }

    /// The value of a key, or the default.
    #[pyo3(signature = (key, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.find(key) {
            Some(value) => Ok(value.into_pyobject(py)?.into_any()),
            None => Ok(default.unwrap_or_else(|| py.None().into_bound(py))),
        }
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        key.extract::<String>().is_ok_and(|key| self.find(&key).is_some())
    }

    fn __len__(&self) -> usize {
        self.pairs().count()
    }

    /// The keys in order.
    fn keys(&self) -> Vec<&str> {
        self.pairs().map(|(key, _)| key).collect()
    }

    /// The values in the order of the keys.
    fn values(&self) -> Vec<&str> {
        self.pairs().map(|(_, value)| value).collect()
    }

    /// Keys with their values.
    fn items(&self) -> Vec<(&str, &str)> {
        self.pairs().collect()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.keys())?.try_iter()?.into_any())
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let dict = PyDict::new(py);
        for (key, value) in self.pairs() {
            dict.set_item(key, value)?;
        }
        Ok(format!("Features({})", dict.repr()?))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        if let Ok(other) = other.cast::<Features>() {
            return self.text == other.get().text;
        }
        if let Ok(text) = other.extract::<String>() {
            return self.text == text;
        }
        other.cast::<PyDict>().is_ok_and(|dict| {
            dict.len() == self.__len__()
                && self.pairs().all(|(key, value)| {
                    let found = dict.get_item(key).ok().flatten();
                    found.is_some_and(|found| {
                        found.extract::<String>().is_ok_and(|found| found == value)
                    })
                })
        })
    }

    /// That of the text, to which it is equal.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &self.text).hash()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().text.clone(),))
    }
}
