//! Many texts, parsed by several threads, as an iterator of Python.
//!
//! Whoever asks for the next document takes texts from the iterable, which needs the interpreter, and
//! waits without holding it.
use std::collections::VecDeque;
use std::str::FromStr;
use std::sync::Mutex;
use std::time::Duration;

use crossarc::Documents;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use crate::document::Document;
use crate::errors::raised;
use crate::pipeline::text_of;

/// Texts go together to a thread up to this many bytes.
const PART_BYTES: usize = 1 << 15;
/// How long Ctrl-C waits at most.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// What becomes of an error.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum OnError {
    Raise,
    Skip,
    Return,
}

impl FromStr for OnError {
    type Err = String;

    fn from_str(name: &str) -> Result<OnError, String> {
        match name {
            "raise" => Ok(OnError::Raise),
            "skip" => Ok(OnError::Skip),
            "return" => Ok(OnError::Return),
            _ => Err(format!("errors={name:?}: expected raise, skip or return")),
        }
    }
}

/// A text on its way, or why it cannot go.
struct Item {
    text: Result<String, PyErr>,
    context: Option<Py<PyAny>>,
}

struct State {
    texts: Option<Py<PyIterator>>,
    taken: usize,
    documents: Documents,
    /// The parts that the threads have, with those texts that they did not get.
    under_way: VecDeque<Vec<Item>>,
    ready: VecDeque<(PyResult<Document>, Option<Py<PyAny>>)>,
    /// What the iterable raised.
    failed: Option<PyErr>,
    batch_size: usize,
    as_tuples: bool,
}

/// Documents in the order of their texts.
#[pyclass(frozen, module = "crossarc")]
pub(crate) struct Pipe {
    state: Mutex<State>,
    errors: OnError,
}

impl Pipe {
    pub(crate) fn new(
        texts: Bound<'_, PyIterator>,
        documents: Documents,
        batch_size: usize,
        errors: OnError,
        as_tuples: bool,
    ) -> Pipe {
        let state = State {
            texts: Some(texts.unbind()),
            taken: 0,
            documents,
            under_way: VecDeque::new(),
            ready: VecDeque::new(),
            failed: None,
            batch_size,
            as_tuples,
        };
        Pipe { state: Mutex::new(state), errors }
    }
}

impl State {
    fn item(&mut self, value: Bound<'_, PyAny>) -> Item {
        let what = format!("text {}", self.taken);
        self.taken += 1;
        if !self.as_tuples {
            return Item { text: text_of(&value, &what), context: None };
        }
        match value.extract::<(Bound<'_, PyAny>, Py<PyAny>)>() {
            Ok((text, context)) => Item { text: text_of(&text, &what), context: Some(context) },
            Err(error) => Item { text: Err(error), context: None },
        }
    }

    /// Takes texts until the threads have enough.
    fn feed(&mut self, py: Python<'_>) {
        while self.documents.has_room() && self.under_way.len() < 1 << 16 {
            let Some(texts) = self.texts.as_ref().map(|texts| texts.clone_ref(py)) else { return };
            let mut texts = texts.into_bound(py);
            let (mut part, mut bytes) = (Vec::new(), 0);
            while part.len() < self.batch_size && bytes < PART_BYTES {
                match texts.next() {
                    Some(Ok(value)) => {
                        let item = self.item(value);
                        bytes += item.text.as_ref().map_or(0, String::len);
                        part.push(item);
                    }
                    Some(Err(error)) => {
                        self.failed = Some(error);
                        self.texts = None;
                        break;
                    }
                    None => {
                        self.texts = None;
                        break;
                    }
                }
            }
            if part.is_empty() {
                return;
            }
            let good: Vec<String> =
                part.iter().filter_map(|item| item.text.as_ref().ok()).cloned().collect();
            if !good.is_empty() {
                self.documents.push(good);
            }
            self.under_way.push_back(part);
        }
    }

    /// Waits for the oldest part.
    fn advance(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(oldest) = self.under_way.front() else { return Ok(()) };
        let mut done = Vec::new();
        if oldest.iter().any(|item| item.text.is_ok()) {
            let documents = &mut self.documents;
            match py.detach(|| documents.wait(Some(PATIENCE))) {
                Some(found) => done = found,
                None => return py.check_signals(),
            }
        }
        let mut done = done.into_iter();
        for Item { text, context } in self.under_way.pop_front().into_iter().flatten() {
            let outcome = text.and_then(|text| match done.next() {
                Some(Ok(sentences)) => Ok(Document::new(Some(text), sentences)),
                Some(Err(error)) => Err(raised(py, &error)),
                None => Err(PyRuntimeError::new_err("a text got lost")),
            });
            self.ready.push_back((outcome, context));
        }
        Ok(())
    }
}

#[pymethods]
impl Pipe {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut state = self.state.try_lock().map_err(|_| {
            PyRuntimeError::new_err("another thread is waiting for the next document of this pipe")
        })?;
        loop {
            while let Some((outcome, context)) = state.ready.pop_front() {
                let value = match outcome {
                    Ok(document) => document.into_pyobject(py)?.into_any(),
                    Err(error) => match self.errors {
                        OnError::Raise => return Err(error),
                        OnError::Skip => continue,
                        OnError::Return => error.into_value(py).into_bound(py).into_any(),
                    },
                };
                if !state.as_tuples {
                    return Ok(Some(value));
                }
                let context = context.unwrap_or_else(|| py.None()).into_bound(py);
                return Ok(Some(PyTuple::new(py, [value, context])?.into_any()));
            }
            state.feed(py);
            if state.under_way.is_empty() {
                return state.failed.take().map_or(Ok(None), Err);
            }
            state.advance(py)?;
        }
    }
}
