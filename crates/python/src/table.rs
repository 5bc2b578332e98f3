//! Sentences as rows of Arrow.
//!
//! One schema for all: a row is a sentence, columns of words are lists. What is absent (`_`) is null.
//! A document that could not be parsed is a row with nothing but its identifier and `error`.
use std::sync::{Arc, LazyLock};

use arrow_array::builder::{
    Float64Builder, Int32Builder, ListBuilder, StringBuilder, StructBuilder,
};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use conll::{Column, Row, Sentence};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::core::Offsets;
use crate::word::score;

/// Columns of words that are lists of strings, after `text`, and those after `head`.
const BEFORE_HEAD: [(&str, Column); 5] = [
    ("form", Column::Form),
    ("lemma", Column::Lemma),
    ("upos", Column::Upos),
    ("xpos", Column::Xpos),
    ("feats", Column::Feats),
];
const AFTER_HEAD: [(&str, Column); 3] =
    [("deprel", Column::Deprel), ("deps", Column::Deps), ("misc", Column::Misc)];

fn list(name: &str, item: DataType) -> Field {
    Field::new(name, DataType::List(Arc::new(Field::new("item", item, true))), true)
}

fn token_fields() -> Fields {
    Fields::from(vec![
        Field::new("first", DataType::Int32, true),
        Field::new("last", DataType::Int32, true),
        Field::new("form", DataType::Utf8, true),
        Field::new("misc", DataType::Utf8, true),
    ])
}

/// The schema of all tables.
static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let mut fields = vec![
        text("doc_id"),
        Field::new("sent_index", DataType::Int32, true),
        text("sent_id"),
        text("text"),
    ];
    fields.extend(BEFORE_HEAD.map(|(name, _)| list(name, DataType::Utf8)));
    fields.push(list("head", DataType::Int32));
    fields.extend(AFTER_HEAD.map(|(name, _)| list(name, DataType::Utf8)));
    fields.push(list("multiword", DataType::Struct(token_fields())));
    fields.push(list("start", DataType::Int32));
    fields.push(list("end", DataType::Int32));
    fields.push(list("score", DataType::Float64));
    fields.push(text("error"));
    Arc::new(Schema::new(fields))
});

/// The schema, for those that make tables.
pub(crate) fn schema() -> SchemaRef {
    Arc::clone(&SCHEMA)
}

type Strings = ListBuilder<StringBuilder>;

/// A table in the making.
pub(crate) struct Table {
    doc_id: StringBuilder,
    sent_index: Int32Builder,
    sent_id: StringBuilder,
    text: StringBuilder,
    before_head: [Strings; 5],
    head: ListBuilder<Int32Builder>,
    after_head: [Strings; 3],
    multiword: ListBuilder<StructBuilder>,
    start: ListBuilder<Int32Builder>,
    end: ListBuilder<Int32Builder>,
    score: ListBuilder<Float64Builder>,
    error: StringBuilder,
    /// Words so far.
    pub(crate) words: usize,
    /// Rows so far.
    pub(crate) rows: usize,
}

impl Default for Table {
    fn default() -> Table {
        Table {
            doc_id: StringBuilder::new(),
            sent_index: Int32Builder::new(),
            sent_id: StringBuilder::new(),
            text: StringBuilder::new(),
            before_head: Default::default(),
            head: ListBuilder::new(Int32Builder::new()),
            after_head: Default::default(),
            multiword: ListBuilder::new(StructBuilder::from_fields(token_fields(), 0)),
            start: ListBuilder::new(Int32Builder::new()),
            end: ListBuilder::new(Int32Builder::new()),
            score: ListBuilder::new(Float64Builder::new()),
            error: StringBuilder::new(),
            words: 0,
            rows: 0,
        }
    }
}

fn filled(value: &str) -> Option<&str> {
    Some(value).filter(|value| *value != "_")
}

impl Table {
    /// Adds a sentence. Its identifier is that of the document and its number, from 1, where there is a
    /// document with an identifier, else its own.
    pub(crate) fn sentence(
        &mut self,
        doc_id: Option<&str>,
        index: usize,
        sentence: &Sentence,
        places: &[Offsets],
    ) {
        self.doc_id.append_option(doc_id);
        self.sent_index.append_value(index as i32);
        match doc_id {
            Some(id) => self.sent_id.append_value(format!("{id}-{}", index + 1)),
            None => self.sent_id.append_option(sentence.comment_value("sent_id")),
        }
        self.text.append_option(sentence.comment_value("text"));
        for word in sentence.words() {
            let before = self.before_head.iter_mut().zip(BEFORE_HEAD);
            for (out, (_, column)) in before {
                let value = word.get(column).unwrap_or("_");
                let form =
                    column == Column::Form || (column == Column::Lemma && word.form() == "_");
                out.values().append_option(if form { Some(value) } else { filled(value) });
            }
            self.head.values().append_option(word.head().map(|head| head as i32));
            for (out, (_, column)) in self.after_head.iter_mut().zip(AFTER_HEAD) {
                out.values().append_option(word.get(column).and_then(filled));
            }
            let place = places.get(word.id() as usize - 1).copied().flatten();
            let place = place.or_else(|| word.offsets().map(|range| (range.start, range.end)));
            // Columns of strings hold no text whose places are larger.
            let number = |at: u64| i32::try_from(at).ok();
            self.start.values().append_option(place.and_then(|(start, _)| number(start)));
            self.end.values().append_option(place.and_then(|(_, end)| number(end)));
            self.score.values().append_option(score(word.misc()));
        }
        self.before_head.iter_mut().chain(&mut self.after_head).for_each(|out| out.append(true));
        self.head.append(true);
        self.start.append(true);
        self.end.append(true);
        self.score.append(true);
        for row in sentence.rows() {
            if let Row::Range { first, last, fields } = row {
                self.multiword_token(first, last, fields.form(), filled(fields.misc()));
            }
        }
        self.multiword.append(true);
        self.error.append_null();
        self.words += sentence.len();
        self.rows += 1;
    }

    fn multiword_token(&mut self, first: u32, last: u32, form: &str, misc: Option<&str>) {
        let token = self.multiword.values();
        for (at, number) in [first, last].into_iter().enumerate() {
            if let Some(out) = token.field_builder::<Int32Builder>(at) {
                out.append_value(number as i32);
            }
        }
        for (at, text) in [(2, Some(form)), (3, misc)] {
            if let Some(out) = token.field_builder::<StringBuilder>(at) {
                out.append_option(text);
            }
        }
        token.append(true);
    }

    /// Adds a document that could not be parsed.
    pub(crate) fn failure(&mut self, doc_id: Option<&str>, error: &str) {
        self.doc_id.append_option(doc_id);
        self.sent_index.append_null();
        self.sent_id.append_null();
        self.text.append_null();
        self.before_head.iter_mut().chain(&mut self.after_head).for_each(|out| out.append(false));
        self.head.append(false);
        self.multiword.append(false);
        self.start.append(false);
        self.end.append(false);
        self.score.append(false);
        self.error.append_value(error);
        self.rows += 1;
    }

    /// The table, and an empty one in its place.
    pub(crate) fn finish(&mut self) -> PyResult<RecordBatch> {
        let mut columns: Vec<Arc<dyn Array>> = vec![
            Arc::new(self.doc_id.finish()),
            Arc::new(self.sent_index.finish()),
            Arc::new(self.sent_id.finish()),
            Arc::new(self.text.finish()),
        ];
        columns.extend(self.before_head.iter_mut().map(|out| Arc::new(out.finish()) as _));
        columns.push(Arc::new(self.head.finish()));
        columns.extend(self.after_head.iter_mut().map(|out| Arc::new(out.finish()) as _));
        columns.push(Arc::new(self.multiword.finish()));
        columns.push(Arc::new(self.start.finish()));
        columns.push(Arc::new(self.end.finish()));
        columns.push(Arc::new(self.score.finish()));
        columns.push(Arc::new(self.error.finish()));
        (self.words, self.rows) = (0, 0);
        RecordBatch::try_new(schema(), columns).map_err(|error| arrow_error(&error))
    }
}

pub(crate) fn arrow_error(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A table of Arrow in memory, which pyarrow, polars, DuckDB and others take without copying:
/// `pyarrow.record_batch(table)`, `polars.DataFrame(table)`.
///
/// >>> table = crossarc.load()("She sees stars.").to_arrow(doc_id="a")
/// >>> table.num_rows
/// 1
#[pyclass(frozen, name = "ArrowTable", module = "crossarc")]
pub(crate) struct Stored {
    batch: RecordBatch,
}

impl Stored {
    pub(crate) fn new(batch: RecordBatch) -> Stored {
        Stored { batch }
    }
}

fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(|error| arrow_error(&error))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

#[pymethods]
impl Stored {
    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.batch.schema_ref())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let array = FFI_ArrowArray::new(&StructArray::from(self.batch.clone()).into_data());
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        Ok((schema_capsule(py, self.batch.schema_ref())?, array))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// An empty table, for its schema.
pub(crate) fn empty() -> Stored {
    Stored::new(RecordBatch::new_empty(schema()))
}
