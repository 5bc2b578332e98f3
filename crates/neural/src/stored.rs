//! How nets are kept: names of rows and sizes as JSON, weights as sections of little-endian numbers. What
//! is read is checked before there is memory for it.
//!
//! Weights are kept as they are while a net learns. In a finished model they are bytes: numbers in
//! blocks of 32, each with a scale, so a weight is at most 1/254 of the largest in its block away from
//! where it was. The two are told apart by their size.
use nn::adam::Adam;
use nn::parameters::Parameters;
use nn::table::Table;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::context::{Context, ContextShape};
use crate::inputs::{Encoder, Inputs, Outside, Vocabulary};

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

/// How exactly weights are kept.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Precision {
    /// To the bit, to go on learning.
    Exact,
    /// In bytes.
    Bytes,
}

/// Numbers that share a scale.
const BLOCK: usize = 32;
/// The largest byte.
const LARGEST: f32 = 127.0;

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
    pub fn encoder(&self, context: ContextShape, outside: Outside) -> Result<Encoder, ReadError> {
        let wrong = |what: &str| Err(ReadError::Facts(what.to_owned()));
        let ContextShape { embedding, hidden, layers, rows, vectors: width, encoder } = context;
        let given = width.min(MOST) + encoder[1].min(MOST);
        let wide = 3 * embedding.min(MOST) + given + 2 * hidden.min(MOST);
        let dense = wide.saturating_mul(wide).saturating_mul(8 * layers.min(MOST_LAYERS));
        let fits = (1..=MOST).contains(&embedding) && (1..=MOST).contains(&hidden);
        if !fits || width > MOST || layers > MOST_LAYERS || dense > MOST_WEIGHTS {
            return wrong("the sizes are beyond all limits");
        }
        if width != outside.vector_width() {
            return wrong("its vectors of words have another size");
        }
        if encoder != outside.encoder_shape() {
            return wrong("its encoder has another size, or is missing");
        }
        let vocabulary = self.vocabulary.clone();
        let encoder = Encoder::new(self.inputs, vocabulary, self.buckets.min(MOST), outside);
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
    precision: Precision,
) -> Vec<(String, Vec<u8>)> {
    let kept = match precision {
        Precision::Exact => to_bytes,
        Precision::Bytes => to_blocks,
    };
    let facts = Facts {
        inputs: encoder.inputs,
        shape,
        buckets: encoder.buckets,
        vocabulary: encoder.vocabulary.clone(),
        labels: labels.to_vec(),
    };
    let mut sections = vec![(net.to_owned(), serde_json::to_vec(&facts).unwrap_or_default())];
    for (name, numbers) in parameters.sections() {
        sections.push((format!("{net}.{name}"), kept(numbers)));
    }
    for (at, table) in context.tables.iter().enumerate() {
        sections.push((table_name(net, at), kept(table.values())));
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

/// A net in training, after an epoch: its weights and their moments, to the bit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Saved {
    /// Epochs that are over.
    pub epoch: usize,
    /// Everything else, by name.
    pub sections: Vec<(String, Vec<u8>)>,
}

const STEP: &str = "step";
const VALUES: &str = "values";

impl Saved {
    /// A net after an epoch.
    pub fn of(epoch: usize, parameters: &Parameters, tables: &[Table], adam: &Adam) -> Saved {
        let (step, moments) = adam.state();
        let mut sections = vec![
            (STEP.to_owned(), (step as u64).to_le_bytes().to_vec()),
            (VALUES.to_owned(), to_bytes(parameters.values())),
        ];
        for (at, table) in tables.iter().enumerate() {
            sections.push((format!("table{at}"), to_bytes(table.values())));
        }
        for (at, moments) in moments.into_iter().enumerate() {
            sections.push((format!("moment{at}"), to_bytes(moments)));
        }
        Saved { epoch, sections }
    }

    /// Makes a net of the same sizes what it was.
    pub fn restore(
        &self,
        parameters: &mut Parameters,
        tables: &mut [Table],
        adam: &mut Adam,
    ) -> Result<(), ReadError> {
        let section = |name: &str| {
            self.sections.iter().find(|(known, _)| known == name).map(|(_, bytes)| &bytes[..])
        };
        let exact = |name: &str, len: usize| match get(&section, name)? {
            bytes if bytes.len() == 4 * len => numbers(name, bytes, len),
            _ => Err(ReadError::Size(name.to_owned())),
        };
        let step = <[u8; 8]>::try_from(get(&section, STEP)?)
            .map_err(|_| ReadError::Size(STEP.to_owned()))?;
        let values = exact(VALUES, parameters.values().len())?;
        let mut of_tables = Vec::new();
        for (at, table) in tables.iter().enumerate() {
            of_tables.push(exact(&format!("table{at}"), table.values().len())?);
        }
        let sizes: Vec<usize> = adam.state().1.iter().map(|moments| moments.len()).collect();
        let mut moments = Vec::new();
        for (at, len) in sizes.into_iter().enumerate() {
            moments.push(exact(&format!("moment{at}"), len)?);
        }
        parameters.values_mut().copy_from_slice(&values);
        for (table, values) in tables.iter_mut().zip(of_tables) {
            table.values_mut().copy_from_slice(&values);
        }
        adam.restore(u64::from_le_bytes(step) as usize, moments);
        Ok(())
    }
}

/// The sizes of a context without its tables, for which there is no memory before they are read.
pub fn without_rows(shape: ContextShape) -> ContextShape {
    ContextShape { rows: [1; 3], ..shape }
}

pub fn to_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn to_blocks(numbers: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(blocks_len(numbers.len()));
    for block in numbers.chunks(BLOCK) {
        let largest = block.iter().fold(0.0_f32, |largest, one| largest.max(one.abs()));
        let scale = largest / LARGEST;
        bytes.extend(scale.to_le_bytes());
        let step = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        bytes.extend(block.iter().map(|one| ((one * step).round() as i8).cast_unsigned()));
    }
    bytes
}

fn blocks_len(numbers: usize) -> usize {
    numbers.saturating_add(numbers.div_ceil(BLOCK).saturating_mul(4))
}

fn of_blocks(bytes: &[u8], len: usize) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(len);
    for block in bytes.chunks(4 + BLOCK) {
        if let Some((scale, steps)) = block.split_first_chunk::<4>() {
            let scale = f32::from_le_bytes(*scale);
            numbers.extend(steps.iter().map(|step| scale * f32::from(step.cast_signed())));
        }
    }
    numbers
}

pub fn numbers(name: &str, bytes: &[u8], len: usize) -> Result<Vec<f32>, ReadError> {
    let (fours, rest) = bytes.as_chunks::<4>();
    let numbers: Vec<f32> = if fours.len() == len && rest.is_empty() {
        fours.iter().map(|four| f32::from_le_bytes(*four)).collect()
    } else if bytes.len() == blocks_len(len) {
        of_blocks(bytes, len)
    } else {
        return Err(ReadError::Size(name.to_owned()));
    };
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(ReadError::NotANumber(name.to_owned()));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nn::seed::Rng;

    #[test]
    fn bytes_are_near_the_weights_and_checked() {
        let mut rng = Rng::new(3);
        for len in [0, 1, 4, 31, 32, 33, 100] {
            let weights: Vec<f32> = (0..len).map(|_| 3.0 * rng.normal()).collect();
            let bytes = to_blocks(&weights);
            assert_eq!(bytes.len(), blocks_len(len));
            let found = numbers("x", &bytes, len).unwrap();
            assert_eq!(found.len(), len);
            for (block, found) in weights.chunks(BLOCK).zip(found.chunks(BLOCK)) {
                let largest = block.iter().fold(0.0_f32, |largest, one| largest.max(one.abs()));
                let near = |(one, other): (&f32, &f32)| (one - other).abs() <= largest / 253.0;
                assert!(block.iter().zip(found).all(near));
            }
            assert_eq!(numbers("x", &to_bytes(&weights), len).unwrap(), weights);
            let wrong = Err(ReadError::Size("x".to_owned()));
            assert_eq!(numbers("x", &bytes, len + 1), wrong);
        }
        for scale in [f32::NAN, f32::INFINITY, f32::MAX] {
            let mut bytes = to_blocks(&[1.0, 2.0]);
            bytes[..4].copy_from_slice(&scale.to_le_bytes());
            let wrong = Err(ReadError::NotANumber("x".to_owned()));
            assert_eq!(numbers("x", &bytes, 2), wrong);
        }
    }
}
