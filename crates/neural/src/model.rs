//! A trained net and how it is kept: names of rows and sizes as JSON, weights as sections of
//! little-endian numbers.
use nn::table::Table;
use serde::{Deserialize, Serialize};

use crate::inputs::{Encoder, Inputs, Vocabulary};
use crate::network::{Network, Shape};

/// The section of names and sizes.
const FACTS: &str = "biaffine";
/// No size of a net is larger.
const MOST: usize = 1 << 24;
/// All weights of a net together.
const MOST_WEIGHTS: usize = 1 << 30;

#[derive(Serialize, Deserialize)]
struct Facts {
    inputs: Inputs,
    shape: Shape,
    buckets: usize,
    vocabulary: Vocabulary,
    labels: Vec<String>,
}

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

/// A trained net with the names of its rows and labels.
#[derive(Clone, Debug)]
pub struct BiaffineModel {
    pub(crate) encoder: Encoder,
    pub(crate) network: Network,
    pub(crate) labels: Vec<String>,
}

fn table_name(table: usize) -> String {
    format!("biaffine.table{table}")
}

impl BiaffineModel {
    /// The labels, in the order of their scores.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// What it sees of a word.
    pub fn inputs(&self) -> Inputs {
        self.encoder.inputs
    }

    /// Numbers that were learned.
    pub fn weights(&self) -> usize {
        let tables = self.network.tables.iter().map(|table| table.values().len());
        self.network.parameters.values().len() + tables.sum::<usize>()
    }

    /// What goes into a model file, by name.
    pub fn sections(&self) -> Vec<(String, Vec<u8>)> {
        let facts = Facts {
            inputs: self.encoder.inputs,
            shape: self.network.shape,
            buckets: self.encoder.buckets,
            vocabulary: self.encoder.vocabulary.clone(),
            labels: self.labels.clone(),
        };
        let mut sections = vec![(FACTS.to_owned(), serde_json::to_vec(&facts).unwrap_or_default())];
        for (name, numbers) in self.network.parameters.sections() {
            sections.push((format!("biaffine.{name}"), to_bytes(numbers)));
        }
        for (at, table) in self.network.tables.iter().enumerate() {
            sections.push((table_name(at), to_bytes(table.values())));
        }
        sections
    }

    /// A net from its sections.
    pub fn read<'a>(
        section: impl Fn(&str) -> Option<&'a [u8]>,
    ) -> Result<BiaffineModel, ReadError> {
        let get = |name: &str| section(name).ok_or_else(|| ReadError::Missing(name.to_owned()));
        let facts: Facts = serde_json::from_slice(get(FACTS)?)
            .map_err(|error| ReadError::Facts(error.to_string()))?;
        let Facts { inputs, shape, buckets, vocabulary, labels } = facts;
        let encoder = Encoder::new(inputs, vocabulary, buckets.min(MOST));
        if encoder.rows() != shape.rows || labels.len() != shape.label_count {
            return Err(ReadError::Facts("there are other names than rows".to_owned()));
        }
        check_sizes(&shape)?;
        // The sizes of the tables are checked before there is memory for them.
        let width = shape.embedding;
        let mut tables = Vec::new();
        for (at, rows) in shape.rows.into_iter().enumerate() {
            let name = table_name(at);
            tables.push(Table::new(width, numbers(&name, get(&name)?, rows * width)?));
        }
        let mut network = Network::new(Shape { rows: [1; 3], ..shape }, 0);
        let names: Vec<(String, usize)> = network
            .parameters
            .sections()
            .map(|(name, numbers)| (name.to_owned(), numbers.len()))
            .collect();
        for (name, len) in names {
            let full = format!("biaffine.{name}");
            let values = numbers(&full, get(&full)?, len)?;
            network.parameters.set(&name, &values);
        }
        network.shape = shape;
        network.tables = tables;
        Ok(BiaffineModel { encoder, network, labels })
    }
}

fn check_sizes(shape: &Shape) -> Result<(), ReadError> {
    let Shape { embedding, hidden, arcs, labels, label_count, .. } = *shape;
    let sizes = [embedding, hidden, arcs, labels, label_count];
    let wide = 3 * embedding.min(MOST) + 2 * hidden.min(MOST) + arcs.min(MOST);
    let dense = wide.saturating_mul(wide).saturating_mul(8);
    let named = labels.saturating_mul(labels + 1).saturating_mul(label_count);
    if sizes.iter().any(|&size| size == 0 || size > MOST)
        || dense > MOST_WEIGHTS
        || named > MOST_WEIGHTS
    {
        return Err(ReadError::Facts("the sizes are beyond all limits".to_owned()));
    }
    Ok(())
}

fn to_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn numbers(name: &str, bytes: &[u8], len: usize) -> Result<Vec<f32>, ReadError> {
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
