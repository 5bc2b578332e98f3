//! The kernel for huge collections: batches of Arrow with texts in, batches with sentences out.
//!
//! Memory is bounded by one batch of the input, the texts under way, and one batch of the output, which
//! is cut when it has more than so many words. Errors are rows.
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::Mutex;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::DataType;
use crossarc::Documents;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyTuple};

use crate::core::Doc;
use crate::pipe::PATIENCE;
use crate::pipeline::Pipeline;
use crate::table::{Stored, Table, arrow_error};

/// Texts go together to a thread up to this many, and this many bytes.
const PART_TEXTS: usize = 64;
const PART_BYTES: usize = 1 << 15;

/// A row of the input.
struct Asked {
    id: Option<String>,
    text: Option<String>,
}

struct State {
    batches: Option<Py<PyIterator>>,
    waiting: VecDeque<Asked>,
    under_way: VecDeque<Vec<Asked>>,
    documents: Documents,
    table: Table,
}

/// Batches of sentences.
#[pyclass(frozen, module = "crossarc")]
pub(crate) struct Batches {
    state: Mutex<State>,
    text: String,
    id: Option<String>,
    most_words: usize,
}

/// A record batch of whatever library.
fn imported(value: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    if !value.hasattr("__arrow_c_array__")? {
        let kind = value.get_type().name()?;
        let message = format!(
            "a batch is {kind}, expected a record batch of Arrow (with __arrow_c_array__): table.to_batches() gives those of a table"
        );
        return Err(PyTypeError::new_err(message));
    }
    let capsules = value.call_method0("__arrow_c_array__")?;
    let capsules = capsules.cast::<PyTuple>()?;
    let (schema, array) = (capsules.get_item(0)?, capsules.get_item(1)?);
    let schema = schema.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array"))?;
    let (schema, array): (NonNull<FFI_ArrowSchema>, NonNull<FFI_ArrowArray>) =
        (schema.cast(), array.cast());
    #[allow(
        unsafe_code,
        reason = "structures of another library, as the C data interface of Arrow hands them over"
    )]
    // SAFETY: capsules of these names hold these structures, which are ours to move out; the schema is
    // only looked at. Both capsules live until the end of this function.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    let data = data.map_err(|error| arrow_error(&error))?;
    if !matches!(data.data_type(), DataType::Struct(_)) {
        return Err(PyTypeError::new_err("a batch has no columns, expected a record batch"));
    }
    Ok(RecordBatch::from(StructArray::from(data)))
}

/// A column of numbers as strings.
fn number<T: arrow_array::ArrowPrimitiveType>(column: &ArrayRef, row: usize) -> String
where
    T::Native: std::fmt::Display,
{
    column.as_primitive::<T>().value(row).to_string()
}

/// Reads a column as strings.
fn cell(column: &ArrayRef, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => column.as_string_view().value(row).to_owned(),
        DataType::Int8 => number::<Int8Type>(column, row),
        DataType::Int16 => number::<Int16Type>(column, row),
        DataType::Int32 => number::<Int32Type>(column, row),
        DataType::Int64 => number::<Int64Type>(column, row),
        DataType::UInt8 => number::<UInt8Type>(column, row),
        DataType::UInt16 => number::<UInt16Type>(column, row),
        DataType::UInt32 => number::<UInt32Type>(column, row),
        DataType::UInt64 => number::<UInt64Type>(column, row),
        _ => return None,
    })
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn column<'b>(batch: &'b RecordBatch, name: &str, may_be_number: bool) -> PyResult<&'b ArrayRef> {
    let Some(column) = batch.column_by_name(name) else {
        let schema = batch.schema_ref();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let message = format!("there is no column `{name}`; there are: {}", names.join(", "));
        return Err(PyKeyError::new_err(message));
    };
    let kind = column.data_type();
    if is_text(kind) || (may_be_number && kind.is_integer()) || matches!(kind, DataType::Null) {
        return Ok(column);
    }
    let wanted = if may_be_number { "strings or whole numbers" } else { "strings" };
    Err(PyTypeError::new_err(format!("column `{name}` has the type {kind}, expected {wanted}")))
}

#[pymethods]
impl Batches {
    #[new]
    #[pyo3(signature = (batches, pipeline, text, id, threads, most_words))]
    fn make(
        batches: &Bound<'_, PyAny>,
        pipeline: &Pipeline,
        text: String,
        id: Option<String>,
        threads: Option<usize>,
        most_words: usize,
    ) -> PyResult<Batches> {
        let state = State {
            batches: Some(batches.try_iter()?.unbind()),
            waiting: VecDeque::new(),
            under_way: VecDeque::new(),
            documents: pipeline.model.documents(pipeline.streaming(threads)),
            table: Table::default(),
        };
        Ok(Batches { state: Mutex::new(state), text, id, most_words: most_words.max(1) })
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Stored>> {
        let mut state = self
            .state
            .try_lock()
            .map_err(|_| PyRuntimeError::new_err("another thread is waiting for the next batch"))?;
        while state.table.words < self.most_words && state.table.rows < self.most_words {
            self.feed(py, &mut state)?;
            if state.under_way.is_empty() {
                break;
            }
            state.advance(py)?;
        }
        if state.table.rows == 0 {
            return Ok(None);
        }
        Ok(Some(Stored::new(state.table.finish()?)))
    }
}

impl Batches {
    /// Takes batches until the threads have enough.
    fn feed(&self, py: Python<'_>, state: &mut State) -> PyResult<()> {
        while state.documents.has_room() {
            if state.waiting.is_empty() && !self.take(py, state)? {
                return Ok(());
            }
            let (mut part, mut bytes) = (Vec::new(), 0);
            while part.len() < PART_TEXTS
                && bytes < PART_BYTES
                && let Some(asked) = state.waiting.pop_front()
            {
                bytes += asked.text.as_ref().map_or(0, String::len);
                part.push(asked);
            }
            let texts: Vec<String> = part.iter_mut().filter_map(Asked::text).collect();
            if !texts.is_empty() {
                state.documents.push(texts);
            }
            state.under_way.push_back(part);
        }
        Ok(())
    }

    /// Takes one batch.
    fn take(&self, py: Python<'_>, state: &mut State) -> PyResult<bool> {
        let Some(batches) = state.batches.as_ref().map(|batches| batches.clone_ref(py)) else {
            return Ok(false);
        };
        loop {
            let Some(batch) = batches.bind(py).clone().next() else {
                state.batches = None;
                return Ok(false);
            };
            let batch = imported(&batch?)?;
            let texts = column(&batch, &self.text, false)?;
            let ids = self.id.as_ref().map(|id| column(&batch, id, true)).transpose()?;
            for row in 0..batch.num_rows() {
                let id = ids.and_then(|ids| cell(ids, row));
                state.waiting.push_back(Asked { id, text: cell(texts, row) });
            }
            if batch.num_rows() > 0 {
                return Ok(true);
            }
        }
    }
}

impl Asked {
    /// The text for the threads. It is needed again, for the places of its words.
    fn text(&mut self) -> Option<String> {
        self.text.clone()
    }
}

impl State {
    fn advance(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(oldest) = self.under_way.front() else { return Ok(()) };
        let mut done = Vec::new();
        if oldest.iter().any(|asked| asked.text.is_some()) {
            let documents = &mut self.documents;
            match py.detach(|| documents.wait(Some(PATIENCE))) {
                Some(found) => done = found,
                None => return py.check_signals(),
            }
        }
        let part = self.under_way.pop_front().unwrap_or_default();
        let table = &mut self.table;
        py.detach(|| {
            let mut done = done.into_iter();
            for Asked { id, text } in part {
                let id = id.as_deref();
                match text.map(|text| (text, done.next())) {
                    None => table.failure(id, "the text is null"),
                    Some((_, Some(Err(error)))) => table.failure(id, &error.to_string()),
                    Some((_, None)) => table.failure(id, "the text got lost"),
                    Some((text, Some(Ok(sentences)))) => {
                        let doc = Doc::new(Some(text), sentences);
                        for (at, core) in doc.sentences.iter().enumerate() {
                            table.sentence(id, at, &core.read(), doc.places(at));
                        }
                    }
                }
            }
        });
        Ok(())
    }
}
