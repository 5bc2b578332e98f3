//! How nets are kept: names of rows and sizes as JSON, weights as sections of little-endian numbers. What
//! is read is checked before there is memory for it.
use std::sync::Arc;

use nn::parameters::Parameters;
use nn::table::Table;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::context::{Context, ContextShape};
use crate::inputs::{Encoder, Inputs, Vocabulary};
use crate::vectors::Vectors;

/// No size of a net is larger.
pub const MOST: usize = 1 << 24;
/// No net has more layers of memories.
pub const MOST_LAYERS: usize = 8;
/// All weights of a net together.
pub const MOST_WEIGHTS: usize = 1 << 30;

/// Why stored weights are no net.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadError {
    /// A section is not there.
    #[error("the section `{0}` is missing")]
    Missing(String),
    /// A section has another size than the net.
    #[error("the section `{0}` has the wrong size")]
    Size(String),
    /// A weight is no number.
    #[error("the section `{0}` holds something that is not a number")]
    NotANumber(String),
    /// Names and sizes cannot be read.
    #[error("names and sizes of the net: {0}")]
    Facts(String),
}

/// Names and sizes of a net.
#[derive(Serialize, Deserialize)]
pub struct Facts<S> {
    inputs: Inputs,
    pub shape: S,
    buckets: usize,
    vocabulary: Vocabulary,
    #[serde(default)]
    pub labels: Vec<String>,
}

fn get<'a>(section: &impl Fn(&str) -> Option<&'a [u8]>, name: &str) -> Result<&'a [u8], ReadError> {
    section(name).ok_or_else(|| ReadError::Missing(name.to_owned()))
}

impl<S: DeserializeOwned> Facts<S> {
    /// What is kept under a name.
    pub fn read<'a>(
        name: &str,
        section: &impl Fn(&str) -> Option<&'a [u8]>,
    ) -> Result<Facts<S>, ReadError> {
        serde_json::from_slice(get(section, name)?)
            .map_err(|error| ReadError::Facts(error.to_string()))
    }

    /// The encoder of a net whose words in context have these sizes, which are checked.
    pub fn encoder(
        &self,
        context: ContextShape,
        vectors: Option<Arc<Vectors>>,
    ) -> Result<Encoder, ReadError> {
        let wrong = |what: &str| Err(ReadError::Facts(what.to_owned()));
        let ContextShape { embedding, hidden, layers, rows, vectors: width } = context;
        let wide = 3 * embedding.min(MOST) + width.min(MOST) + 2 * hidden.min(MOST);
        let dense = wide.saturating_mul(wide).saturating_mul(8 * layers.min(MOST_LAYERS));
        let fits = (1..=MOST).contains(&embedding) && (1..=MOST).contains(&hidden);
        if !fits || width > MOST || layers > MOST_LAYERS || dense > MOST_WEIGHTS {
            return wrong("the sizes are beyond all limits");
        }
        if width != vectors.as_ref().map_or(0, |vectors| vectors.width()) {
            return wrong("its vectors of words have another size");
        }
        let vocabulary = self.vocabulary.clone();
        let encoder = Encoder::new(self.inputs, vocabulary, self.buckets.min(MOST), vectors);
        if encoder.rows() != rows {
            return wrong("there are other names than rows");
        }
        Ok(encoder)
    }
}

fn table_name(net: &str, table: usize) -> String {
    format!("{net}.table{table}")
}

/// What goes into a model file, by name.
pub fn sections_of<S: Serialize>(
    net: &str,
    (encoder, shape, labels): (&Encoder, S, &[String]),
    parameters: &Parameters,
    context: &Context,
) -> Vec<(String, Vec<u8>)> {
    let facts = Facts {
        inputs: encoder.inputs,
        shape,
        buckets: encoder.buckets,
        vocabulary: encoder.vocabulary.clone(),
        labels: labels.to_vec(),
    };
    let mut sections = vec![(net.to_owned(), serde_json::to_vec(&facts).unwrap_or_default())];
    for (name, numbers) in parameters.sections() {
        sections.push((format!("{net}.{name}"), to_bytes(numbers)));
    }
    for (at, table) in context.tables.iter().enumerate() {
        sections.push((table_name(net, at), to_bytes(table.values())));
    }
    sections
}

/// Reads the weights of a net, whose tables are still empty.
pub fn read_weights<'a>(
    net: &str,
    section: &impl Fn(&str) -> Option<&'a [u8]>,
    shape: ContextShape,
    parameters: &mut Parameters,
    context: &mut Context,
) -> Result<(), ReadError> {
    let width = shape.embedding;
    let mut tables = Vec::new();
    for (at, rows) in shape.rows.into_iter().enumerate() {
        let name = table_name(net, at);
        let values = numbers(&name, get(section, &name)?, rows.saturating_mul(width))?;
        tables.push(Table::new(width, values));
    }
    let names: Vec<(String, usize)> =
        parameters.sections().map(|(name, numbers)| (name.to_owned(), numbers.len())).collect();
    for (name, len) in names {
        let full = format!("{net}.{name}");
        let values = numbers(&full, get(section, &full)?, len)?;
        parameters.set(&name, &values);
    }
    context.shape = shape;
    context.tables = tables;
    Ok(())
}

/// The sizes of a context without its tables, for which there is no memory before they are read.
pub fn without_rows(shape: ContextShape) -> ContextShape {
    ContextShape { rows: [1; 3], ..shape }
}

pub fn to_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub fn numbers(name: &str, bytes: &[u8], len: usize) -> Result<Vec<f32>, ReadError> {
    let (fours, rest) = bytes.as_chunks::<4>();
    if fours.len() != len || !rest.is_empty() {
        return Err(ReadError::Size(name.to_owned()));
    }
    let numbers: Vec<f32> = fours.iter().map(|four| f32::from_le_bytes(*four)).collect();
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(ReadError::NotANumber(name.to_owned()));
    }
    Ok(numbers)
}
