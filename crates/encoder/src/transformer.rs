//! The net of BERT (Devlin et al. 2019): embeddings of pieces and places, then layers of attention with
//! several heads and of two products with a curve between them, each added to what it read and
//! normalised.
//!
//! Sentences of a batch stand one after the other in one matrix, without padding, and attention looks at
//! one at a time; rows of a product are independent of each other to the bit, so a sentence gets the same
//! numbers whatever it is batched with.
use nn::product::{MOST_INNER, Matrix, multiply};
use nn::transformer::{gelu, gelu_by_tanh, normalize, rectify, softmax};
use serde::Deserialize;

use crate::error::EncoderError;
use crate::safetensors::{Tensor, Tensors, shown};

/// The most layers.
const MOST_LAYERS: usize = 64;
/// The most numbers of a piece.
const MOST_WIDTH: usize = 1 << 13;
/// The most places.
const MOST_PLACES: usize = 1 << 14;
/// The most pieces of a vocabulary.
const MOST_PIECES: usize = 1 << 21;

/// The curve between two products.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Curve {
    Gelu,
    GeluByTanh,
    Rectifier,
}

/// What `config.json` says.
#[derive(Deserialize)]
struct Config {
    model_type: String,
    hidden_size: usize,
    intermediate_size: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    max_position_embeddings: usize,
    vocab_size: usize,
    #[serde(default = "two")]
    type_vocab_size: usize,
    #[serde(default = "epsilon")]
    layer_norm_eps: f32,
    #[serde(default = "gelu_name")]
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    #[serde(default)]
    is_decoder: bool,
}

fn two() -> usize {
    2
}

fn epsilon() -> f32 {
    1e-12
}

fn gelu_name() -> String {
    "gelu".to_owned()
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// Scale and bias of a normalisation.
#[derive(Clone, Debug)]
struct Norm {
    scale: Vec<f32>,
    bias: Vec<f32>,
}

/// A product and a bias: a row of weights for each input.
#[derive(Clone, Debug)]
struct Product {
    weights: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

#[derive(Clone, Debug)]
struct Layer {
    /// Queries, keys and values side by side.
    attention: Product,
    attended: Product,
    attended_norm: Norm,
    widening: Product,
    narrowing: Product,
    norm: Norm,
}

/// A transformer encoder.
#[derive(Clone, Debug)]
pub struct Transformer {
    width: usize,
    heads: usize,
    places: usize,
    pieces: usize,
    curve: Curve,
    epsilon: f32,
    of_pieces: Tensor,
    /// Embeddings of places, that of the type of all pieces included.
    of_places: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// Working memory of one thread.
#[derive(Clone, Debug, Default)]
pub struct TransformerMemory {
    x: Vec<f32>,
    attention: Vec<f32>,
    attended: Vec<f32>,
    scores: Vec<f32>,
    of_head: Vec<f32>,
    middle: Vec<f32>,
    out: Vec<f32>,
}

impl Product {
    /// Several products of the same input side by side, from files that keep a row for each output.
    fn read(
        tensors: &Tensors,
        names: &[String],
        inputs: usize,
        outputs: usize,
    ) -> Result<Product, EncoderError> {
        let all = names.len() * outputs;
        let mut product =
            Product { weights: vec![0.0; inputs * all], bias: Vec::with_capacity(all), inputs };
        for (at, name) in names.iter().enumerate() {
            let rows = tensors.get(&format!("{name}.weight"), &[outputs, inputs])?.to_vec();
            for (output, row) in rows.chunks_exact(inputs).enumerate() {
                for (input, &weight) in row.iter().enumerate() {
                    product.weights[input * all + at * outputs + output] = weight;
                }
            }
            product.bias.extend(tensors.get(&format!("{name}.bias"), &[outputs])?.to_vec());
        }
        Ok(product)
    }

    /// The result, or what is added to it, for all rows. The inner dimension is cut so that sums run in one order.
    fn forward(&self, x: &[f32], added: Option<&[f32]>, out: &mut Vec<f32>) {
        let (rows, outputs) = (x.len() / self.inputs, self.bias.len());
        out.clear();
        match added {
            None => (0..rows).for_each(|_| out.extend_from_slice(&self.bias)),
            Some(added) => {
                for row in added.chunks_exact(outputs) {
                    out.extend(row.iter().zip(&self.bias).map(|(a, b)| a + b));
                }
            }
        }
        if rows == 0 {
            return;
        }
        for start in (0..self.inputs).step_by(MOST_INNER) {
            let inner = MOST_INNER.min(self.inputs - start);
            let part = Matrix::strided(&x[start..], rows, inner, self.inputs);
            let weights = Matrix::new(&self.weights[start * outputs..], inner, outputs);
            multiply(out, part, weights, true);
        }
    }
}

impl Norm {
    fn read(tensors: &Tensors, name: &str, width: usize) -> Result<Norm, EncoderError> {
        // Names of the first checkpoints of TensorFlow.
        let old = format!("{name}.gamma");
        let (scale, bias) = if tensors.has(&old) { ("gamma", "beta") } else { ("weight", "bias") };
        Ok(Norm {
            scale: tensors.get(&format!("{name}.{scale}"), &[width])?.to_vec(),
            bias: tensors.get(&format!("{name}.{bias}"), &[width])?.to_vec(),
        })
    }
}

impl Layer {
    fn read(
        tensors: &Tensors,
        name: &str,
        width: usize,
        wide: usize,
    ) -> Result<Layer, EncoderError> {
        let attention =
            ["query", "key", "value"].map(|part| format!("{name}.attention.self.{part}"));
        let one = |part: &str, inputs: usize, outputs: usize| {
            Product::read(tensors, &[format!("{name}.{part}")], inputs, outputs)
        };
        Ok(Layer {
            attention: Product::read(tensors, &attention, width, width)?,
            attended: one("attention.output.dense", width, width)?,
            attended_norm: Norm::read(
                tensors,
                &format!("{name}.attention.output.LayerNorm"),
                width,
            )?,
            widening: one("intermediate.dense", width, wide)?,
            narrowing: one("output.dense", wide, width)?,
            norm: Norm::read(tensors, &format!("{name}.output.LayerNorm"), width)?,
        })
    }
}

impl Transformer {
    /// The net that `config.json` describes, with its weights.
    pub fn read(config: &[u8], tensors: &Tensors) -> Result<Transformer, EncoderError> {
        let wrong = |what: String| Err(EncoderError::config(what));
        let config: Config = serde_json::from_slice(config)
            .map_err(|error| EncoderError::config(format!("no encoder is described: {error}")))?;
        if config.model_type != "bert" || config.is_decoder {
            return wrong(format!(
                "the model is of the type `{}`, but only encoders of the type `bert` are known",
                shown(&config.model_type)
            ));
        }
        if config.position_embedding_type != "absolute" {
            return wrong(format!(
                "places are embedded as `{}`, but only `absolute` is known",
                shown(&config.position_embedding_type)
            ));
        }
        let curve = match config.hidden_act.as_str() {
            "gelu" => Curve::Gelu,
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Curve::GeluByTanh,
            "relu" => Curve::Rectifier,
            other => {
                return wrong(format!(
                    "the curve `{}` is not known; known are gelu, gelu_new and relu",
                    shown(other)
                ));
            }
        };
        let (width, heads, wide) =
            (config.hidden_size, config.num_attention_heads, config.intermediate_size);
        for (name, size, most) in [
            ("hidden_size", width, MOST_WIDTH),
            ("num_attention_heads", heads, MOST_WIDTH),
            ("intermediate_size", wide, 8 * MOST_WIDTH),
            ("num_hidden_layers", config.num_hidden_layers, MOST_LAYERS),
            ("max_position_embeddings", config.max_position_embeddings, MOST_PLACES),
            ("vocab_size", config.vocab_size, MOST_PIECES),
            ("type_vocab_size", config.type_vocab_size, 1 << 8),
        ] {
            if !(1..=most).contains(&size) {
                return wrong(format!("`{name}` is {size}, possible are 1 to {most}"));
            }
        }
        if !width.is_multiple_of(heads) {
            return wrong(format!("{width} numbers cannot be shared by {heads} heads"));
        }
        if !(0.0..=1.0).contains(&config.layer_norm_eps) {
            return wrong("`layer_norm_eps` is no small number".to_owned());
        }
        let prefix =
            if tensors.has("bert.embeddings.word_embeddings.weight") { "bert." } else { "" };
        let embedding = |name: &str, rows: usize| {
            tensors.get(&format!("{prefix}embeddings.{name}_embeddings.weight"), &[rows, width])
        };
        let of_pieces = embedding("word", config.vocab_size)?;
        let mut of_places = embedding("position", config.max_position_embeddings)?.to_vec();
        let types = embedding("token_type", config.type_vocab_size)?.to_vec();
        for place in of_places.chunks_exact_mut(width) {
            place.iter_mut().zip(&types).for_each(|(sum, one)| *sum += one);
        }
        let layers = (0..config.num_hidden_layers)
            .map(|at| Layer::read(tensors, &format!("{prefix}encoder.layer.{at}"), width, wide));
        Ok(Transformer {
            width,
            heads,
            places: config.max_position_embeddings,
            pieces: config.vocab_size,
            curve,
            epsilon: config.layer_norm_eps,
            of_pieces,
            of_places,
            norm: Norm::read(tensors, &format!("{prefix}embeddings.LayerNorm"), width)?,
            layers: layers.collect::<Result<_, _>>()?,
        })
    }

    /// Numbers of a piece.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Layers.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// The most pieces that are read together.
    pub fn places(&self) -> usize {
        self.places
    }

    /// Pieces that are known.
    pub fn known_pieces(&self) -> usize {
        self.pieces
    }

    /// Reads texts of pieces, one after the other, each with its length; `each` gets the number of a layer
    /// and what it made of all pieces: layer 0 is the embeddings.
    pub fn run(
        &self,
        pieces: &[u32],
        lengths: &[usize],
        memory: &mut TransformerMemory,
        mut each: impl FnMut(usize, &[f32]),
    ) {
        let TransformerMemory { x, attention, attended, scores, of_head, middle, out } = memory;
        let width = self.width;
        x.clear();
        x.resize(pieces.len() * width, 0.0);
        let places = lengths.iter().flat_map(|&length| 0..length);
        for ((row, &piece), place) in x.chunks_exact_mut(width).zip(pieces).zip(places) {
            self.of_pieces.row(piece as usize, row);
            let of_place = &self.of_places[place * width..][..width];
            row.iter_mut().zip(of_place).for_each(|(sum, one)| *sum += one);
        }
        normalize(x, &self.norm.scale, &self.norm.bias, self.epsilon);
        each(0, x);
        for (at, layer) in self.layers.iter().enumerate() {
            layer.attention.forward(x, None, attention);
            attended.clear();
            attended.resize(x.len(), 0.0);
            let mut start = 0;
            for &length in lengths.iter().filter(|&&length| length > 0) {
                let rows = &attention[start * 3 * width..][..length * 3 * width];
                let result = &mut attended[start * width..][..length * width];
                self.attend(rows, length, (scores, of_head), result);
                start += length;
            }
            layer.attended.forward(attended, Some(x), out);
            normalize(out, &layer.attended_norm.scale, &layer.attended_norm.bias, self.epsilon);
            layer.widening.forward(out, None, middle);
            match self.curve {
                Curve::Gelu => gelu(middle),
                Curve::GeluByTanh => gelu_by_tanh(middle),
                Curve::Rectifier => rectify(middle),
            }
            layer.narrowing.forward(middle, Some(out), x);
            normalize(x, &layer.norm.scale, &layer.norm.bias, self.epsilon);
            each(at + 1, x);
        }
    }

    /// What all heads read in one text: `rows` holds queries, keys and values of each piece.
    fn attend(
        &self,
        rows: &[f32],
        length: usize,
        (scores, of_head): (&mut Vec<f32>, &mut Vec<f32>),
        result: &mut [f32],
    ) {
        let (width, stride) = (self.width, 3 * self.width);
        let size = width / self.heads;
        let scale = 1.0 / (size as f32).sqrt();
        scores.clear();
        scores.resize(length * length, 0.0);
        of_head.clear();
        of_head.resize(length * size, 0.0);
        for head in 0..self.heads {
            let part = |of: usize| {
                Matrix::strided(&rows[of * width + head * size..], length, size, stride)
            };
            multiply(scores, part(0), part(1).turned(), false);
            softmax(scores, length, scale);
            multiply(of_head, Matrix::new(scores, length, length), part(2), false);
            for (to, from) in result.chunks_exact_mut(width).zip(of_head.chunks_exact(size)) {
                to[head * size..][..size].copy_from_slice(from);
            }
        }
    }
}
