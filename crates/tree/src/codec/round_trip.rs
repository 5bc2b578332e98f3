//! How much of gold survives encoding and decoding: the ceiling of any parser that uses the codec.
use conll::Sentence;
use serde::Serialize;

use super::lift::projectivise;
use super::{CodecChain, CodecError, TreeCodecSpec};
use crate::projectivity::nonprojective_arcs;
use crate::treebank::{tree_of, write_tree};
use crate::{Labels, Tree};

/// What encoding and decoding does to gold trees. Non-projective is by dominance.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct RoundTrip {
    /// Trees.
    pub sentences: usize,
    /// Trees after encoding, more if sentences were split.
    pub parts: usize,
    /// Arcs.
    pub words: usize,
    /// Gold trees with a non-projective arc.
    pub nonprojective_sentences: usize,
    /// Non-projective gold arcs.
    pub nonprojective_arcs: usize,
    /// Non-projective arcs after encoding.
    pub nonprojective_encoded: usize,
    /// Lift operations.
    pub lifts: usize,
    /// Arcs that get another head by encoding; arcs of split sentences are not counted.
    pub moved: usize,
    /// Moved arcs that come back to their head and label.
    pub recovered: usize,
    /// All arcs with the right head after decoding.
    pub correct_heads: usize,
    /// All arcs with the right head and label after decoding.
    pub correct: usize,
    /// Trees that come back with every head and label.
    pub whole_sentences: usize,
    /// Labels in gold.
    pub labels: usize,
    /// Labels after encoding.
    pub encoded_labels: usize,
    /// Labels after encoding that gold does not have.
    pub new_labels: usize,
}

impl RoundTrip {
    /// Fits a codec of trees to gold trees, encodes them, decodes them, and compares.
    pub fn measure(
        spec: &TreeCodecSpec,
        gold: &[Tree],
        labels: &mut Labels,
    ) -> Result<RoundTrip, CodecError> {
        let codec = spec.fit(gold, labels)?.bind(labels)?;
        let mut result = RoundTrip::default();
        let mut in_gold = LabelSet::default();
        let mut in_encoded = LabelSet::default();
        for tree in gold {
            let encoded = codec.encode(tree);
            result.add(tree, Some(&encoded), &codec.decode(&encoded));
            result.add_encoded(&encoded);
            result.lifts += spec.scheme.map_or(0, |_| projectivise(tree, spec.definition).lifts);
            in_gold.add(tree);
            in_encoded.add(&encoded);
        }
        result.count_labels(&in_gold, &in_encoded);
        Ok(result)
    }

    /// Fits a chain to gold sentences, encodes them, decodes them, restores them, and compares.
    pub fn measure_chain(chain: &CodecChain, gold: &[Sentence]) -> Result<RoundTrip, CodecError> {
        let mut labels = Labels::default();
        let mut chain = chain.clone();
        chain.fit(gold, &mut labels)?;
        let mut result = RoundTrip::default();
        let mut in_gold = LabelSet::default();
        let mut in_encoded = LabelSet::default();
        let codec = chain.tree.bind(&mut labels)?;
        for sentence in gold {
            let tree = tree_of(sentence, &mut labels)?;
            in_gold.add(&tree);
            let mut parts = chain.encode_gold(sentence);
            let is_split = parts.len() > 1;
            let mut encoded = None;
            for part in &mut parts {
                let part_tree = tree_of(part, &mut labels)?;
                let encoded_part = codec.encode(&part_tree);
                let lifts = |_| projectivise(&part_tree, chain.tree.definition).lifts;
                result.lifts += chain.tree.scheme.map_or(0, lifts);
                result.add_encoded(&encoded_part);
                in_encoded.add(&encoded_part);
                write_tree(&codec.decode(&encoded_part), &labels, part);
                encoded = Some(encoded_part).filter(|_| !is_split);
            }
            let restored = tree_of(&chain.restore(sentence, &parts), &mut labels)?;
            result.add(&tree, encoded.as_ref(), &restored);
        }
        result.count_labels(&in_gold, &in_encoded);
        Ok(result)
    }

    fn add(&mut self, gold: &Tree, encoded: Option<&Tree>, decoded: &Tree) {
        let nonprojective = nonprojective_arcs(gold).len();
        self.sentences += 1;
        self.words += gold.len();
        self.nonprojective_arcs += nonprojective;
        self.nonprojective_sentences += usize::from(nonprojective > 0);
        self.whole_sentences += usize::from(gold == decoded);
        for word in gold.words() {
            let has_head = gold.head(word) == decoded.head(word);
            let correct = has_head && gold.label(word) == decoded.label(word);
            let moved = encoded.is_some_and(|encoded| gold.head(word) != encoded.head(word));
            self.moved += usize::from(moved);
            self.recovered += usize::from(moved && correct);
            self.correct_heads += usize::from(has_head);
            self.correct += usize::from(correct);
        }
    }

    fn add_encoded(&mut self, encoded: &Tree) {
        self.parts += 1;
        self.nonprojective_encoded += nonprojective_arcs(encoded).len();
    }

    fn count_labels(&mut self, gold: &LabelSet, encoded: &LabelSet) {
        self.labels = gold.0.iter().filter(|&&is_used| is_used).count();
        self.encoded_labels = encoded.0.iter().filter(|&&is_used| is_used).count();
        let in_gold = |label: usize| gold.0.get(label).copied().unwrap_or(false);
        self.new_labels = encoded
            .0
            .iter()
            .enumerate()
            .filter(|&(label, &is_used)| is_used && !in_gold(label))
            .count();
    }
}

/// Which labels occur, by number.
#[derive(Default)]
struct LabelSet(Vec<bool>);

impl LabelSet {
    fn add(&mut self, tree: &Tree) {
        for &label in &tree.labels()[1..] {
            if self.0.len() <= label.index() {
                self.0.resize(label.index() + 1, false);
            }
            self.0[label.index()] = true;
        }
    }
}
