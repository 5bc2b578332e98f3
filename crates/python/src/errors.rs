//! Errors as Python exceptions that know file, line and column.
use std::io;
use std::path::Path;

use crossarc::eval;
use crossarc::model::ModelError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;

/// Where something is wrong in a file.
#[derive(Default)]
pub(crate) struct Place<'a> {
    pub(crate) file: Option<&'a str>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
}

/// An exception of the module `crossarc._errors`.
fn exception(py: Python<'_>, class: &str, message: &str, place: &Place<'_>) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let class = py.import("crossarc._errors")?.getattr(class)?;
        let value = class.call1((message, place.file, place.line, place.column))?;
        Ok(PyErr::from_value(value))
    };
    make().unwrap_or_else(|error| error)
}

/// Data that cannot be worked on.
pub(crate) fn data(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "DataError", message, &Place::default())
}

/// A model that cannot be used.
pub(crate) fn model(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "ModelError", message, &Place::default())
}

/// Training that cannot begin or go on.
pub(crate) fn training(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "TrainError", message, &Place::default())
}

/// An error of the system, as the kind of `OSError` that it is.
pub(crate) fn system(error: &io::Error, path: Option<&str>) -> PyErr {
    match (error.raw_os_error(), path) {
        (Some(number), Some(path)) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, path.to_owned()))
        }
        (_, Some(path)) => PyOSError::new_err(format!("{path}: {error}")),
        _ => PyOSError::new_err(error.to_string()),
    }
}

/// As [`system`], for a path.
pub(crate) fn file(error: &io::Error, path: &Path) -> PyErr {
    system(error, Some(&path.to_string_lossy()))
}

/// A treebank that cannot be read.
pub(crate) fn treebank(py: Python<'_>, error: &conll::Error) -> PyErr {
    match error {
        conll::Error::Io { file, source } => system(source, Some(file)),
        conll::Error::Fault(fault) => {
            let place = Place {
                file: Some(&fault.file),
                line: Some(fault.line),
                column: Some(fault.column),
            };
            exception(py, "DataError", &fault.to_string(), &place)
        }
    }
}

/// Sentences that cannot be compared.
pub(crate) fn comparison(py: Python<'_>, error: &eval::Error) -> PyErr {
    let message = error.to_string();
    let place = match error {
        eval::Error::Read(error) => return treebank(py, error),
        eval::Error::SentenceMissing { longer, line, .. } => {
            Place { file: Some(longer), line: Some(*line), column: None }
        }
        eval::Error::NoTree { file, line, .. } | eval::Error::NoGoldHead { file, line, .. } => {
            Place { file: Some(file), line: Some(*line), column: None }
        }
        eval::Error::TextsDiffer(_) => Place::default(),
    };
    exception(py, "DataError", &message, &place)
}

/// An error of the façade.
pub(crate) fn raised(py: Python<'_>, error: &crossarc::Error) -> PyErr {
    use crossarc::Error;
    let message = error.to_string();
    match error {
        Error::Treebank(error) => treebank(py, error),
        Error::Evaluate(error) => comparison(py, error),
        Error::Io(error) => system(error, None),
        Error::Model(ModelError::Io { path, source }) => file(source, path),
        Error::Model(
            ModelError::NotAModel { path }
            | ModelError::Checkpoint { path }
            | ModelError::NotACheckpoint { path }
            | ModelError::Version { path, .. }
            | ModelError::OtherHeader { path, .. }
            | ModelError::Outside { path, .. }
            | ModelError::Damaged { path, .. },
        ) => {
            let name = path.to_string_lossy();
            let place = Place { file: Some(&name), ..Place::default() };
            exception(py, "ModelError", &message, &place)
        }
        Error::NoTokenizer | Error::NoRanking => model(py, &message),
        Error::Text(error) => {
            let place = Place { line: usize::try_from(error.line).ok(), ..Place::default() };
            exception(py, "DataError", &message, &place)
        }
        Error::Build(_) | Error::Annotate(_) => data(py, &message),
        Error::Train(_) => training(py, &message),
        _ => exception(py, "Error", &message, &Place::default()),
    }
}

/// Ctrl-C, where there is nothing that could be kept.
pub(crate) fn interrupted(message: &str) -> PyErr {
    PyKeyboardInterrupt::new_err(message.to_owned())
}

/// An error as an exception.
pub(crate) trait Raise<T> {
    /// The value, or the exception.
    fn raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> Raise<T> for Result<T, crossarc::Error> {
    fn raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raised(py, &error))
    }
}

impl<T> Raise<T> for Result<T, conll::Error> {
    fn raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| treebank(py, &error))
    }
}
