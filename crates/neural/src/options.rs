//! What may be chosen when a net is trained.
use crate::inputs::{Inputs, Outside};

/// Options of training. The numbers of the default are those that did best on small treebanks.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// What the net sees of a word.
    pub inputs: Inputs,
    /// What it gets that it does not learn: vectors of words from a file, a pretrained encoder.
    pub outside: Outside,
    /// Numbers of each vector of a word: form and lemma, characters, tags.
    pub embedding: usize,
    /// States of a memory in one direction.
    pub hidden: usize,
    /// Size of the small nets for arcs.
    pub arcs: usize,
    /// Size of the small nets for labels.
    pub labels: usize,
    /// Rows for hashed character n-grams.
    pub buckets: usize,
    /// A form seen less often has no vector of its own.
    pub least_count: usize,
    /// Share of what is dropped, everywhere.
    pub dropout: f32,
    /// The highest learning rate.
    pub rate: f32,
    /// Gradients longer than this are shortened.
    pub clip: f32,
    /// Words of a batch; by the size of the treebank if zero.
    pub batch_words: usize,
    /// Epochs; by the size of the treebank if zero.
    pub epochs: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            inputs: Inputs::default(),
            outside: Outside::default(),
            embedding: 100,
            hidden: 200,
            arcs: 200,
            labels: 100,
            buckets: 16_000,
            least_count: 2,
            dropout: 0.33,
            rate: 4e-3,
            clip: 5.0,
            batch_words: 0,
            epochs: 0,
            seed: 1,
        }
    }
}

impl Options {
    /// With what depends on the number of words of the treebank.
    #[must_use]
    pub fn for_words(&self, words: usize) -> Options {
        let mut options = self.clone();
        if options.batch_words == 0 {
            options.batch_words = if words < 50_000 { 300 } else { 700 };
        }
        if options.epochs == 0 {
            let epochs = 30.0 * (20_000.0 / words.max(1) as f64).powf(0.4);
            options.epochs = (epochs.round() as usize).clamp(10, 40);
        }
        options
    }
}
