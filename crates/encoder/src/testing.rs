//! Small encoders with random weights, for tests of those who read and use encoders.
use std::collections::BTreeMap;

use nn::seed::Rng;
use serde_json::{Value, json};

/// Numbers of a piece.
pub const WIDTH: usize = 48;
/// Numbers between two products: more than one sums up in one go.
pub const WIDE: usize = 1100;
/// Heads of attention.
pub const HEADS: usize = 3;
/// Layers.
pub const LAYERS: usize = 2;
/// Pieces that are read together.
pub const PLACES: usize = 20;
/// The vocabulary.
pub const PIECES: [&str; 14] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "##a", "##b", "##c", "!", "ab", "##abc", "é",
];

/// Sizes and numbers by name.
pub type Weights = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// Random weights.
pub fn weights(seed: u64) -> Weights {
    let mut rng = Rng::new(seed);
    let mut found = Weights::new();
    let mut add = |name: String, shape: &[usize], middle: f32| {
        let count = shape.iter().product();
        let size = if shape.len() == 2 { 1.0 / (shape[1] as f32).sqrt() } else { 0.1 };
        let numbers = (0..count).map(|_| middle + size * rng.normal()).collect();
        found.insert(name, (shape.to_vec(), numbers));
    };
    for (name, rows) in [("word", PIECES.len()), ("position", PLACES), ("token_type", 2)] {
        add(format!("embeddings.{name}_embeddings.weight"), &[rows, WIDTH], 0.0);
    }
    let norm = |add: &mut dyn FnMut(String, &[usize], f32), name: &str| {
        add(format!("{name}.LayerNorm.weight"), &[WIDTH], 1.0);
        add(format!("{name}.LayerNorm.bias"), &[WIDTH], 0.0);
    };
    norm(&mut add, "embeddings");
    for layer in 0..LAYERS {
        let name = format!("encoder.layer.{layer}");
        for (part, inputs, outputs) in [
            ("attention.self.query", WIDTH, WIDTH),
            ("attention.self.key", WIDTH, WIDTH),
            ("attention.self.value", WIDTH, WIDTH),
            ("attention.output.dense", WIDTH, WIDTH),
            ("intermediate.dense", WIDTH, WIDE),
            ("output.dense", WIDE, WIDTH),
        ] {
            add(format!("{name}.{part}.weight"), &[outputs, inputs], 0.0);
            add(format!("{name}.{part}.bias"), &[outputs], 0.0);
        }
        norm(&mut add, &format!("{name}.attention.output"));
        norm(&mut add, &format!("{name}.output"));
    }
    found
}

/// A file of weights in a type of numbers: `F32`, `F16` or `BF16`.
pub fn safetensors(weights: &Weights, kind: &str) -> Vec<u8> {
    let (mut header, mut numbers) = (serde_json::Map::new(), Vec::new());
    for (name, (shape, values)) in weights {
        let start = numbers.len();
        for &value in values {
            match kind {
                "F32" => numbers.extend(value.to_le_bytes()),
                "F16" => numbers.extend(half::f16::from_f32(value).to_le_bytes()),
                _ => numbers.extend(half::bf16::from_f32(value).to_le_bytes()),
            }
        }
        let entry = json!({"dtype": kind, "shape": shape, "data_offsets": [start, numbers.len()]});
        header.insert(name.clone(), entry);
    }
    let header = serde_json::to_vec(&header).unwrap_or_default();
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], &header, &numbers].concat()
}

/// What `config.json` holds.
pub fn config() -> Value {
    json!({
        "model_type": "bert", "hidden_size": WIDTH, "intermediate_size": WIDE, "vocab_size": PIECES.len(),
        "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "max_position_embeddings": PLACES,
        "hidden_act": "gelu", "layer_norm_eps": 1e-12,
    })
}

/// What `tokenizer.json` holds.
pub fn tokenizer() -> Value {
    let vocab: BTreeMap<&str, usize> = PIECES.iter().copied().zip(0..).collect();
    json!({
        "added_tokens": [{"id": 1, "content": "[UNK]", "special": true}],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": false, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "model": {"type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]",
                  "continuing_subword_prefix": "##", "max_input_chars_per_word": 12},
    })
}

/// All files, in the order of [`FILES`](crate::FILES).
pub fn files(seed: u64) -> [Vec<u8>; 3] {
    let text = |value: Value| serde_json::to_vec(&value).unwrap_or_default();
    [text(config()), text(tokenizer()), safetensors(&weights(seed), "F32")]
}
