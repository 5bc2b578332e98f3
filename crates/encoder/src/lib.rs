//! Pretrained encoders of text: a folder with the weights of a transformer of the type of BERT (Devlin et
//! al. 2019) and its tokenizer, run on a CPU by our own loops.
//!
//! A folder holds `config.json`, `model.safetensors` and `tokenizer.json`, as the libraries write them that
//! train such nets. What is read of them is checked: a file that is damaged, hostile or of an unknown kind
//! is refused with a reason.
//!
//! - Words are given, as a treebank or a tokenizer of ours cuts them; each is cut into pieces, and what is
//!   said about a word is the mean over its pieces, for each of the last [`MOST_LAYERS`] layers.
//! - A sentence gets the same numbers, to the bit, whatever it is batched with. Nothing here starts a thread.
//! - Sentences longer than the encoder reads are read in windows.
//! - What was said about a sentence is remembered, up to a limit ([`Encoder::remember`]): a tagger and a
//!   parser ask for the same, and training asks again in each epoch.
//!
//! ```
//! use encoder::{Encoder, testing};
//! use crossarc_model::Bytes;
//! // Instead of `Encoder::open(folder)`: a tiny encoder with random weights.
//! let encoder = Encoder::from_files(testing::files(1).map(|file| Bytes::copy(&file)))?;
//! let outputs = encoder.outputs(&[vec!["She", "sees", "stars"]]);
//! assert_eq!(outputs.len(), 1);
//! # Ok::<(), encoder::EncoderError>(())
//! ```
#![forbid(unsafe_code)]

mod error;
mod memory;
mod normalizer;
mod outputs;
mod reference;
mod safetensors;
pub mod testing;
mod tokenizer;
mod transformer;
mod windows;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crossarc_model::Bytes;
use crossarc_model::storage::Opening;
use serde::{Deserialize, Serialize};

pub use error::EncoderError;
pub use outputs::Outputs;
pub use reference::{FOLDER_VARIABLE, Reference};
pub use tokenizer::{MOST_PIECES_OF_WORD, Pieces, Tokenizer};
pub use transformer::{Transformer, TransformerMemory};

use memory::Memory;
use safetensors::Tensors;
use windows::windows;

/// The file of weights.
pub const WEIGHTS: &str = "model.safetensors";
/// The file of pieces and rules.
pub const TOKENIZER: &str = "tokenizer.json";
/// The file of sizes.
pub const CONFIG: &str = "config.json";
/// The files of an encoder.
pub const FILES: [&str; 3] = [CONFIG, TOKENIZER, WEIGHTS];
/// The last layers are given, at most so many.
pub const MOST_LAYERS: usize = 6;

/// What should be remembered while a net is trained, in bytes.
pub const REMEMBERED_IN_TRAINING: usize = 6 << 30;

/// The largest `config.json` and `tokenizer.json`.
const MOST_TEXT: usize = 256 << 20;
/// Pieces that are read together, about.
const BATCH: usize = 1024;
/// What is remembered unless more is wanted, in bytes.
const REMEMBERED: usize = 64 << 20;

/// A file of an encoder, as a model remembers it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Its name.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its checksum.
    pub crc32: u32,
}

/// An encoder.
pub struct Encoder {
    tokenizer: Tokenizer,
    transformer: Transformer,
    files: [Bytes; 3],
    fingerprints: Vec<Fingerprint>,
    memory: Mutex<Memory>,
    /// Memory of threads that wait for work.
    idle: Mutex<Vec<TransformerMemory>>,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Encoder").field("files", &self.fingerprints).finish_non_exhaustive()
    }
}

impl PartialEq for Encoder {
    fn eq(&self, other: &Encoder) -> bool {
        self.fingerprints == other.fingerprints
    }
}

/// Encoders that are in use: who asks for the same gets the same.
static OPEN: Mutex<Vec<Weak<Encoder>>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Encoder {
    /// The encoder in a folder. Its files are mapped and must not change while it is used.
    pub fn open(folder: &Path) -> Result<Arc<Encoder>, EncoderError> {
        let map = |file: &str| {
            let path: PathBuf = folder.join(file);
            let bytes = File::open(&path).and_then(|file| Bytes::open(&file, Opening::Map));
            bytes.map_err(|source| EncoderError::Io { path, source })
        };
        let [config, tokenizer, weights] = FILES;
        Encoder::from_files([map(config)?, map(tokenizer)?, map(weights)?])
    }

    /// An encoder from its files, in the order of [`FILES`].
    pub fn from_files(files: [Bytes; 3]) -> Result<Arc<Encoder>, EncoderError> {
        let fingerprints: Vec<Fingerprint> = FILES
            .iter()
            .zip(&files)
            .map(|(file, bytes)| Fingerprint {
                file: (*file).to_owned(),
                bytes: bytes.len() as u64,
                crc32: crc32fast::hash(bytes),
            })
            .collect();
        if let Some(open) = Encoder::in_use(&fingerprints) {
            return Ok(open);
        }
        let [config, tokenizer, weights] = &files;
        for (bytes, wrong) in [
            (config, EncoderError::config as fn(String) -> EncoderError),
            (tokenizer, EncoderError::tokenizer),
        ] {
            if bytes.len() > MOST_TEXT {
                return Err(wrong(format!("{} bytes, at most {MOST_TEXT} are read", bytes.len())));
            }
        }
        let transformer = Transformer::read(config, &Tensors::read(weights)?)?;
        let tokenizer = Tokenizer::read(tokenizer, transformer.known_pieces())?;
        let special: usize = tokenizer.around.iter().map(Vec::len).sum();
        if transformer.places() <= special {
            return Err(EncoderError::config(
                "`max_position_embeddings` leaves no place for a word".to_owned(),
            ));
        }
        let encoder = Arc::new(Encoder {
            tokenizer,
            transformer,
            files,
            fingerprints,
            memory: Mutex::new(Memory::new(REMEMBERED)),
            idle: Mutex::default(),
        });
        // Wrong weights are told before anything is built on them.
        encoder.check()?;
        let mut open = locked(&OPEN);
        open.retain(|one| one.strong_count() > 0);
        open.push(Arc::downgrade(&encoder));
        Ok(encoder)
    }

    /// The encoder with these fingerprints, if it is in use.
    pub fn in_use(fingerprints: &[Fingerprint]) -> Option<Arc<Encoder>> {
        let open = locked(&OPEN);
        let mut found = open.iter().filter_map(Weak::upgrade);
        found.find(|encoder| encoder.fingerprints == fingerprints)
    }

    /// What tells its files from others, in the order of [`FILES`].
    pub fn fingerprints(&self) -> &[Fingerprint] {
        &self.fingerprints
    }

    /// Its files, in the order of [`FILES`].
    pub fn files(&self) -> &[Bytes; 3] {
        &self.files
    }

    /// Numbers of a word in a layer.
    pub fn width(&self) -> usize {
        self.transformer.width()
    }

    /// Layers that are given.
    pub fn layers(&self) -> usize {
        self.transformer.layers().min(MOST_LAYERS)
    }

    /// Its tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Its net.
    pub fn transformer(&self) -> &Transformer {
        &self.transformer
    }

    /// Remembers what is said about sentences, up to so many bytes.
    pub fn remember(&self, bytes: usize) {
        locked(&self.memory).set_limit(bytes);
    }

    /// What it says about sentences, each given by its words. What is no number, as weights of extreme
    /// size may lead to, is zero.
    pub fn outputs(&self, sentences: &[Vec<&str>]) -> Vec<Arc<Outputs>> {
        // With lengths, so that no blank or line end within a word makes two sentences one.
        let key = |words: &Vec<&str>| {
            let mut key = String::new();
            for word in words {
                key.push_str(&word.len().to_string());
                key.extend([":", word]);
            }
            key
        };
        let keys: Vec<String> = sentences.iter().map(key).collect();
        let mut found: Vec<Option<Arc<Outputs>>> = {
            let memory = locked(&self.memory);
            keys.iter().map(|key| memory.get(key)).collect()
        };
        let missing: Vec<usize> = (0..sentences.len()).filter(|&at| found[at].is_none()).collect();
        let asked: Vec<Vec<&str>> = missing.iter().map(|&at| sentences[at].clone()).collect();
        let computed = self.compute(&asked);
        let mut memory = locked(&self.memory);
        for (at, outputs) in missing.into_iter().zip(computed) {
            memory.put(&keys[at], &outputs);
            found[at] = Some(outputs);
        }
        found.into_iter().flatten().collect()
    }

    /// Reads a word, all of whose numbers must be numbers.
    fn check(&self) -> Result<(), EncoderError> {
        let pieces = self.tokenizer.pieces(["a"].into_iter());
        let ids = self.tokenizer.with_special(&pieces.ids);
        let mut good = true;
        let memory = &mut TransformerMemory::default();
        self.transformer.run(&ids, &[ids.len()], memory, |_, x| {
            good &= x.iter().all(|number| number.is_finite());
        });
        if good { Ok(()) } else { Err(EncoderError::NotANumber) }
    }

    fn compute(&self, sentences: &[Vec<&str>]) -> Vec<Arc<Outputs>> {
        let mut memory = locked(&self.idle).pop().unwrap_or_default();
        let mut found = Vec::with_capacity(sentences.len());
        let mut rest = sentences;
        while !rest.is_empty() {
            let mut pieces: Vec<Pieces> = Vec::new();
            let mut all = 0;
            while all < BATCH && pieces.len() < rest.len() {
                let words = &rest[pieces.len()];
                pieces.push(self.tokenizer.pieces(words.iter().copied()));
                all += pieces.last().map_or(0, |pieces| pieces.ids.len());
            }
            rest = &rest[pieces.len()..];
            self.read(&pieces, &mut memory, &mut found);
        }
        locked(&self.idle).push(memory);
        found
    }

    /// Reads sentences together.
    fn read(
        &self,
        sentences: &[Pieces],
        memory: &mut TransformerMemory,
        found: &mut Vec<Arc<Outputs>>,
    ) {
        let [before, behind] = &self.tokenizer.around;
        let most = self.transformer.places() - before.len() - behind.len();
        let (width, layers) = (self.width(), self.layers());
        let (mut ids, mut lengths) = (Vec::new(), Vec::new());
        // For each sentence and each of its tokens its rows among all; the first token is the sentence.
        let mut rows: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for pieces in sentences {
            let (mut of_sentence, mut of_pieces) = (Vec::new(), Vec::new());
            for window in windows(pieces.ids.len(), most) {
                let start = ids.len();
                ids.extend_from_slice(before);
                let first = ids.len();
                ids.extend_from_slice(&pieces.ids[window.read.clone()]);
                ids.extend_from_slice(behind);
                lengths.push(ids.len() - start);
                // Without a special piece before it, a sentence is what its first piece is.
                if start < ids.len() {
                    of_sentence.push(start);
                }
                of_pieces.extend(window.taken.map(|piece| first + piece - window.read.start));
            }
            rows.push((of_sentence, of_pieces));
        }
        let size = layers * width;
        let tokens = sentences.iter().map(|pieces| pieces.words() + 1);
        let mut numbers: Vec<Vec<f32>> = tokens.map(|tokens| vec![0.0; tokens * size]).collect();
        let below = self.transformer.layers() + 1 - layers;
        self.transformer.run(&ids, &lengths, memory, |layer, x| {
            let Some(layer) = layer.checked_sub(below) else { return };
            for ((pieces, (of_sentence, of_pieces)), numbers) in
                sentences.iter().zip(&rows).zip(&mut numbers)
            {
                let mut mean = |token: usize, rows: &[usize]| {
                    let out = &mut numbers[token * size + layer * width..][..width];
                    let share = 1.0 / rows.len().max(1) as f32;
                    for &row in rows {
                        let row = &x[row * width..][..width];
                        out.iter_mut().zip(row).for_each(|(sum, x)| *sum += share * x);
                    }
                };
                mean(0, of_sentence);
                let mut start = 0;
                for (word, &end) in pieces.ends.iter().enumerate() {
                    mean(word + 1, &of_pieces[start..end]);
                    start = end;
                }
            }
        });
        let kept = numbers.iter().map(|numbers| Arc::new(Outputs::new(layers, width, numbers)));
        found.extend(kept);
    }
}
