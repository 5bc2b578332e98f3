//! Words in context: the vectors of a word's columns, read by layers of memories in both directions
//! (Kiperwasser and Goldberg 2016). Every net that looks at whole sentences begins with it.
use std::sync::Arc;

use nn::dropout;
use nn::lstm::{Lstm, LstmMemory};
use nn::packing::Packing;
use nn::parameters::{Parameters, Slot};
use nn::seed::Rng;
use nn::table::{Table, TableGradient};
use serde::{Deserialize, Serialize};

use crate::inputs::{Encoded, TABLES};
use crate::vectors::Vectors;

/// Layers of memories, each in both directions, of a net that reads whole sentences.
pub const LAYERS: usize = 2;

/// Sizes of a context.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ContextShape {
    /// Numbers of a vector of each source.
    pub embedding: usize,
    /// Layers of memories; without any, words stand for themselves.
    pub layers: usize,
    /// States of a memory in one direction.
    pub hidden: usize,
    /// Rows of each table.
    pub rows: [usize; TABLES],
    /// Numbers of a vector from a file; none if there is no file.
    #[serde(default)]
    pub vectors: usize,
    /// Layers of a pretrained encoder, and numbers of each; none if there is no encoder.
    #[serde(default)]
    pub encoder: [usize; 2],
}

impl ContextShape {
    /// Numbers that a layer reads of a word; those of the layer after the last are the result.
    pub fn read_width(&self, layer: usize) -> usize {
        if layer > 0 {
            return 2 * self.hidden;
        }
        TABLES * self.embedding + self.vectors + self.encoder[1]
    }

    /// Sources of a word: tables, vectors from a file, and a pretrained encoder.
    fn sources(&self) -> usize {
        TABLES + usize::from(self.vectors > 0) + usize::from(self.encoder[1] > 0)
    }
}

/// Tables and layers; the weights of the layers stand among the parameters of the net.
#[derive(Clone, Debug)]
pub struct Context {
    pub shape: ContextShape,
    pub tables: Vec<Table>,
    /// Vectors from a file.
    pub vectors: Option<Arc<Vectors>>,
    layers: Vec<[Lstm; 2]>,
    /// What each layer of a pretrained encoder counts.
    mixture: Option<Slot>,
}

/// The memory of one thread.
#[derive(Clone, Debug, Default)]
pub struct ContextMemory {
    pub packing: Packing,
    /// What each layer reads, and last the result.
    pub read: Vec<Vec<f32>>,
    lstms: Vec<[LstmMemory; 2]>,
}

impl ContextMemory {
    /// For each token what was read of it.
    pub fn result(&self) -> &[f32] {
        self.read.last().map_or(&[], Vec::as_slice)
    }
}

/// What is dropped from a batch.
#[derive(Clone, Debug, Default)]
pub struct ContextMasks {
    /// By what each source of each token is scaled.
    scales: Vec<f32>,
    /// Of what each layer reads, and of the result.
    read: Vec<Vec<f32>>,
    recurrent: Vec<[Vec<f32>; 2]>,
}

/// How a batch is studied.
#[derive(Copy, Clone, Debug, Default)]
pub struct Lesson {
    pub dropout: f32,
    pub seed: u64,
    pub step: u64,
    /// What a word counts.
    pub weight: f32,
}

/// Random numbers of a sentence of a step: those of purpose 0 are for the context, others for what
/// stands on it.
pub fn numbers(lesson: Lesson, purpose: u64, sentence: u64) -> Rng {
    Rng::fork(lesson.seed.wrapping_add(purpose << 32), 2 + lesson.step, sentence)
}

impl Context {
    pub fn new(parameters: &mut Parameters, shape: ContextShape, rng: &mut Rng) -> Context {
        let mut layers = Vec::new();
        for layer in 0..shape.layers {
            layers.push([false, true].map(|backwards| {
                let name = format!("lstm{layer}.{}", if backwards { "left" } else { "right" });
                let size = (shape.read_width(layer), shape.hidden);
                Lstm::new(parameters, &name, size, backwards, rng)
            }));
        }
        let [mixed, width] = shape.encoder;
        let mixture = (width > 0).then(|| parameters.add("mixture", mixed));
        if let Some(mixture) = mixture {
            mixture.of_mut(parameters.values_mut()).fill(1.0 / mixed.max(1) as f32);
        }
        let tables = shape.rows.map(|rows| {
            let values = (0..rows * shape.embedding).map(|_| 0.3 * rng.normal()).collect();
            Table::new(shape.embedding, values)
        });
        Context { shape, tables: tables.into(), vectors: None, layers, mixture }
    }

    /// The result: for each token what was read from both sides.
    pub fn width(&self) -> usize {
        self.shape.read_width(self.shape.layers)
    }

    /// What is dropped from the sentences of a batch, each named by its number.
    pub fn masks(&self, sentences: &[u64], lesson: Lesson, packing: &Packing) -> ContextMasks {
        let sources = self.shape.sources();
        let mut masks = ContextMasks {
            scales: vec![0.0; packing.rows() * sources],
            read: vec![Vec::new(); self.shape.layers + 1],
            recurrent: vec![Default::default(); self.shape.layers],
        };
        for (sentence, &number) in sentences.iter().enumerate() {
            let rng = &mut numbers(lesson, 0, number);
            for token in 0..packing.lengths()[sentence] {
                let row = packing.row(sentence, token) * sources;
                let scales = &mut masks.scales[row..row + sources];
                for scale in scales.iter_mut() {
                    *scale = f32::from(u8::from(rng.unit() >= lesson.dropout));
                }
                let kept: f32 = scales.iter().sum();
                for scale in scales.iter_mut() {
                    *scale *= sources as f32 / kept.max(1.0);
                }
            }
            for (layer, mask) in masks.read.iter_mut().enumerate() {
                mask.extend(dropout::mask(rng, self.shape.read_width(layer), lesson.dropout));
            }
            for mask in masks.recurrent.iter_mut().flatten() {
                mask.extend(dropout::mask(rng, self.shape.hidden, lesson.dropout));
            }
        }
        masks
    }

    /// The vectors of the tokens of a batch, with what is dropped.
    pub fn embed(
        &self,
        values: &[f32],
        batch: &[&Encoded],
        masks: &ContextMasks,
        memory: &mut ContextMemory,
    ) {
        let (width, sources, stride) =
            (self.shape.embedding, self.shape.sources(), self.shape.read_width(0));
        memory.read.resize(self.shape.layers + 1, Vec::new());
        let x = &mut memory.read[0];
        x.clear();
        x.resize(memory.packing.rows() * stride, 0.0);
        for (sentence, encoded) in batch.iter().enumerate() {
            for token in 0..memory.packing.lengths()[sentence] {
                let row = memory.packing.row(sentence, token);
                let scales = &masks.scales[row * sources..][..sources];
                let out = &mut x[row * stride..][..stride];
                for (table, vectors) in self.tables.iter().enumerate() {
                    if scales[table] > 0.0 {
                        let (bag, scale) = encoded.bags[table].get(token);
                        let out = &mut out[table * width..][..width];
                        vectors.sum((bag, scale * scales[table]), out);
                    }
                }
                self.copy_given(values, encoded, token, &scales[TABLES..], out);
            }
        }
    }

    /// Writes what is not learned behind the vectors of the tables, each source scaled: the vector from a
    /// file, then the mixture of the layers of an encoder.
    pub fn copy_given(
        &self,
        values: &[f32],
        encoded: &Encoded,
        token: usize,
        scales: &[f32],
        out: &mut [f32],
    ) {
        let out = &mut out[TABLES * self.shape.embedding..];
        let (of_vector, of_encoder) = out.split_at_mut(self.shape.vectors);
        if let (Some(vectors), Some(row)) = (&self.vectors, encoded.vectors[token]) {
            vectors.copy(row, scales[0], of_vector);
        }
        let given = self.mixture.zip(encoded.outputs.as_ref()).zip(scales.last());
        let Some(((mixture, outputs), &scale)) = given else { return };
        let weights = mixture.of(values).iter().map(|weight| scale * weight);
        outputs.mix(token, weights, of_encoder);
    }

    /// Reads the tokens whose vectors stand in the memory.
    pub fn forward(
        &self,
        values: &[f32],
        memory: &mut ContextMemory,
        masks: Option<&ContextMasks>,
    ) {
        let ContextMemory { packing, read, lstms } = memory;
        lstms.resize(self.shape.layers, Default::default());
        for (layer, pair) in self.layers.iter().enumerate() {
            let (before, after) = read.split_at_mut(layer + 1);
            let (x, out) = (&mut before[layer], &mut after[0]);
            if let Some(masks) = masks {
                dropout::apply(x, self.shape.read_width(layer), &masks.read[layer], packing);
            }
            let width = 2 * self.shape.hidden;
            out.clear();
            out.resize(packing.rows() * width, 0.0);
            for (direction, lstm) in pair.iter().enumerate() {
                let mask = masks.map(|masks| &masks.recurrent[layer][direction][..]);
                let place = (&mut out[..], width, direction * self.shape.hidden);
                lstm.forward(values, packing, x, mask, &mut lstms[layer][direction], place);
            }
        }
        if let Some(masks) = masks {
            dropout::apply(
                &mut read[self.shape.layers],
                self.width(),
                &masks.read[self.shape.layers],
                packing,
            );
        }
    }

    /// From the gradient of the result to those of weights and vectors.
    pub fn backward(
        &self,
        values: &[f32],
        batch: &[&Encoded],
        masks: &ContextMasks,
        mut slope: Vec<f32>,
        memory: &mut ContextMemory,
        (dense, tables): (&mut [f32], &mut [TableGradient]),
    ) {
        let ContextMemory { packing, read, lstms } = memory;
        dropout::apply(&mut slope, self.width(), &masks.read[self.shape.layers], packing);
        for layer in (0..self.shape.layers).rev() {
            let width = self.shape.read_width(layer);
            let mut below = vec![0.0; packing.rows() * width];
            for (direction, memory) in lstms[layer].iter_mut().enumerate() {
                let place = (&slope[..], 2 * self.shape.hidden, direction * self.shape.hidden);
                self.layers[layer][direction].backward(
                    values,
                    packing,
                    &read[layer],
                    Some(&masks.recurrent[layer][direction]),
                    memory,
                    place,
                    dense,
                    &mut below,
                );
            }
            dropout::apply(&mut below, width, &masks.read[layer], packing);
            slope = below;
        }
        let (width, sources, stride) =
            (self.shape.embedding, self.shape.sources(), self.shape.read_width(0));
        for (sentence, encoded) in batch.iter().enumerate() {
            for token in 0..packing.lengths()[sentence] {
                let row = packing.row(sentence, token);
                if let (Some(mixture), Some(outputs)) = (self.mixture, &encoded.outputs) {
                    let of_encoder = &slope[(row + 1) * stride - self.shape.encoder[1]..];
                    let of_encoder = &of_encoder[..self.shape.encoder[1]];
                    let kept = masks.scales[(row + 1) * sources - 1];
                    outputs.mix_backward(token, of_encoder, kept, mixture.of_mut(dense));
                }
                for (table, gradient) in tables.iter_mut().enumerate() {
                    let kept = masks.scales[row * sources + table];
                    if kept > 0.0 {
                        let (bag, scale) = encoded.bags[table].get(token);
                        let slope = &slope[row * stride + table * width..][..width];
                        gradient.add((bag, scale * kept), slope);
                    }
                }
            }
        }
    }
}
