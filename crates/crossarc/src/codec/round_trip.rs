//! How much of gold survives encoding and decoding: the ceiling of any parser that uses the codec.
use serde::Serialize;

use super::{CodecError, TreeCodecSpec};
use crate::tree::{Labels, Tree};

/// What encoding and decoding does to gold trees.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct RoundTrip {
    /// Trees.
    pub sentences: usize,
    /// Arcs.
    pub words: usize,
    /// Trees that encoding changes.
    pub changed_sentences: usize,
    /// Trees that come back with every head and label.
    pub whole_sentences: usize,
    /// Arcs that get another head by encoding: the lifted ones.
    pub moved: usize,
    /// Moved arcs that come back to their head and label.
    pub recovered: usize,
    /// All arcs with the right head and label after decoding.
    pub correct: usize,
    /// Labels that occur in the encoded trees and not in the gold ones.
    pub new_labels: usize,
}

impl RoundTrip {
    /// Fits a codec to gold trees, encodes them, decodes them, and compares.
    pub fn measure(
        spec: &TreeCodecSpec,
        gold: &[Tree],
        labels: &mut Labels,
    ) -> Result<RoundTrip, CodecError> {
        let codec = spec.fit(gold, labels)?.bind(labels)?;
        let mut result = RoundTrip::default();
        let mut in_gold = vec![false; labels.len()];
        let mut in_encoded = vec![false; labels.len()];
        for tree in gold {
            let encoded = codec.encode(tree);
            let decoded = codec.decode(&encoded);
            result.add(tree, &encoded, &decoded);
            for word in tree.words() {
                in_gold[tree.label(word).index()] = true;
                in_encoded[encoded.label(word).index()] = true;
            }
        }
        result.new_labels =
            in_encoded.iter().zip(&in_gold).filter(|&(&encoded, &gold)| encoded && !gold).count();
        Ok(result)
    }

    /// Counts one sentence.
    pub fn add(&mut self, gold: &Tree, encoded: &Tree, decoded: &Tree) {
        self.sentences += 1;
        self.words += gold.len();
        self.changed_sentences += usize::from(gold != encoded);
        self.whole_sentences += usize::from(gold == decoded);
        for word in gold.words() {
            let correct =
                gold.head(word) == decoded.head(word) && gold.label(word) == decoded.label(word);
            let moved = gold.head(word) != encoded.head(word);
            self.moved += usize::from(moved);
            self.recovered += usize::from(moved && correct);
            self.correct += usize::from(correct);
        }
    }
}
