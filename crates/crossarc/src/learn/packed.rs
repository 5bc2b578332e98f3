//! Weights as they are stored in a model and used for parsing: pruned, quantised, ready to probe.
//!
//! The upper half of a feature hash chooses a slot in an open-addressing table, its lowest
//! sixteen bits are kept in the slot to recognise it: a table is one array of 64-bit words, and
//! one cache line mostly answers for all moves. A feature that is not there is taken for one that
//! is with probability 2^-16 a probe, which no decision notices.
//!
//! A weight is one byte `q` that stands for `q * |q|` units: fine steps near zero, where most
//! averaged weights are, and a wide range. Scores are summed as whole numbers, so they do not
//! depend on the order of features.
use serde::{Deserialize, Serialize};

use super::perceptron::{DenseWeights, MOST_DENSE, SparseWeights};
use crate::model::{Bytes, Container, ModelError, SectionBytes, Words64};

/// Scores of all moves.
pub type MoveScores = [f32; MOST_DENSE];

/// Largest magnitude that a byte stands for.
const TOP: f32 = 127.0 * 127.0;
/// Part of the slots that are filled.
const LOAD: f64 = 0.65;
/// Moves that fit into one word beside the check bits.
const MOVES_A_WORD: usize = 6;

fn quantise(weight: f32, unit: f32) -> i8 {
    let scaled = (weight / unit).clamp(-TOP, TOP);
    let root = scaled.abs().sqrt().round() as i8;
    if scaled < 0.0 { -root } else { root }
}

#[inline]
fn expand(byte: u8) -> i32 {
    let q = i32::from(byte as i8);
    q * q.abs()
}

/// Sixteen bits that recognise a feature, never zero, which marks an empty slot.
#[inline]
fn check(feature: u64) -> u64 {
    (feature & 0xFFFF).max(1)
}

#[inline]
fn home(feature: u64, slots: usize) -> usize {
    (((feature >> 32) * slots as u64) >> 32) as usize
}

/// Array of 64-bit words with linear probing over slots of `stride` words.
#[derive(Clone, Debug)]
struct Table {
    words: Words64,
    stride: usize,
    /// No feature is farther from home than this.
    longest: usize,
}

impl Table {
    /// Places `(feature, first word without check bits, further word)`; of two features that
    /// cannot be told apart the first stays.
    fn build(entries: &[(u64, u64, u64)], stride: usize) -> Table {
        let slots = (entries.len() as f64 / LOAD) as usize + 2;
        let mut words = vec![0u64; slots * stride];
        let mut longest = 0;
        for &(feature, first, second) in entries {
            let mut at = home(feature, slots);
            let mut distance = 0;
            while words[at * stride] != 0 && words[at * stride] & 0xFFFF != check(feature) {
                at = if at + 1 == slots { 0 } else { at + 1 };
                distance += 1;
            }
            longest = longest.max(distance);
            if words[at * stride] == 0 {
                words[at * stride] = first << 16 | check(feature);
                if stride == 2 {
                    words[at * stride + 1] = second;
                }
            }
        }
        Table { words: Words64::new(words), stride, longest }
    }

    fn of_section(container: &Container, name: &str, facts: Facts) -> Result<Table, ModelError> {
        let words = container.section(name)?.words();
        let words = words.filter(|words| {
            !words.is_empty()
                && matches!(facts.stride, 1 | 2)
                && words.len() % facts.stride == 0
                && facts.longest < words.len() / facts.stride
                && u32::try_from(words.len() / facts.stride).is_ok()
        });
        let words =
            words.ok_or_else(|| container.damaged(&format!("section `{name}` is no table")))?;
        Ok(Table { words, stride: facts.stride, longest: facts.longest })
    }

    fn probe(&self) -> Probe<'_> {
        let slots = self.words.len() / self.stride;
        Probe { words: &self.words, stride: self.stride, slots, longest: self.longest }
    }
}

/// What the header of a model says about a table.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
pub struct Facts {
    stride: usize,
    longest: usize,
    unit: f32,
}

/// A table at hand for many look-ups.
struct Probe<'a> {
    words: &'a [u64],
    stride: usize,
    slots: usize,
    longest: usize,
}

impl Probe<'_> {
    /// Where the slot of a feature starts.
    #[inline]
    fn find(&self, feature: u64) -> Option<usize> {
        let wanted = check(feature);
        let mut at = home(feature, self.slots);
        for _ in 0..=self.longest {
            let word = self.words[at * self.stride];
            if word & 0xFFFF == wanted {
                return Some(at * self.stride);
            }
            if word == 0 {
                return None;
            }
            at = if at + 1 == self.slots { 0 } else { at + 1 };
        }
        None
    }
}

/// Weights of moves: eight bytes for each feature, sixteen for systems with more than six moves.
#[derive(Clone, Debug)]
pub struct PackedMoves {
    table: Table,
    unit: f32,
}

impl PackedMoves {
    /// Averages and packs; weights below `prune` in magnitude are dropped.
    pub fn pack(weights: &DenseWeights, moves: usize, prune: f32) -> PackedMoves {
        let top = weights.averaged().flat_map(|(_, row)| row).fold(0f32, |top, w| top.max(w.abs()));
        let unit = (top / TOP).max(f32::MIN_POSITIVE);
        let mut entries = Vec::with_capacity(weights.len());
        for (feature, row) in weights.averaged() {
            let bytes = row.map(|w| if w.abs() < prune { 0 } else { quantise(w, unit) as u8 });
            if bytes != [0; MOST_DENSE] {
                let word = |part: &[u8]| {
                    part.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte))
                };
                let (first, rest) = bytes.split_at(MOVES_A_WORD);
                entries.push((feature, word(first), word(rest)));
            }
        }
        let stride = if moves > MOVES_A_WORD { 2 } else { 1 };
        PackedMoves { table: Table::build(&entries, stride), unit }
    }

    /// Adds the weights of the features to the scores of all moves.
    #[inline]
    pub fn add_scores(&self, features: &[u64], scores: &mut MoveScores) {
        let mut sums = [0i32; MOST_DENSE];
        let probe = self.table.probe();
        for &feature in features {
            if let Some(at) = probe.find(feature) {
                let bytes = probe.words[at].to_le_bytes();
                for (sum, &byte) in sums.iter_mut().zip(&bytes[2..]) {
                    *sum += expand(byte);
                }
                if probe.stride == 2 {
                    let bytes = probe.words[at + 1].to_le_bytes();
                    for (sum, &byte) in sums[MOVES_A_WORD..].iter_mut().zip(&bytes) {
                        *sum += expand(byte);
                    }
                }
            }
        }
        for (score, sum) in scores.iter_mut().zip(sums) {
            *score += sum as f32 * self.unit;
        }
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.table.words.len() * 8
    }

    /// What the header of the model must know.
    pub fn facts(&self) -> Facts {
        let Table { stride, longest, .. } = self.table;
        Facts { stride, longest, unit: self.unit }
    }

    /// What goes into the model.
    pub fn sections(&self) -> [SectionBytes<'_>; 1] {
        [SectionBytes { name: "moves", bytes: self.table.words.bytes() }]
    }

    /// Weights from a model.
    pub fn load(container: &Container, facts: Facts) -> Result<PackedMoves, ModelError> {
        let table = Table::of_section(container, "moves", facts)?;
        Ok(PackedMoves { table, unit: facts.unit })
    }
}

/// Bytes an entry of [`PackedLabels`]: label, weight.
const ENTRY: usize = 3;

/// Weights of labels: a slot points to a list of labels with a byte each.
#[derive(Clone, Debug)]
pub struct PackedLabels {
    table: Table,
    lists: Bytes,
    labels: usize,
    unit: f32,
}

impl PackedLabels {
    /// Averages and packs; weights below `prune` in magnitude are dropped.
    pub fn pack(weights: &SparseWeights, labels: usize, prune: f32) -> PackedLabels {
        let top = weights
            .averaged()
            .flat_map(|(_, list)| list)
            .fold(0f32, |top, (_, weight)| top.max(weight.abs()));
        let unit = (top / TOP).max(f32::MIN_POSITIVE);
        let mut lists = Vec::new();
        let mut entries = Vec::with_capacity(weights.len());
        for (feature, list) in weights.averaged() {
            let start = lists.len() / ENTRY;
            for (label, weight) in list {
                let q = quantise(weight, unit);
                if weight.abs() >= prune && q != 0 {
                    let [low, high] = label.to_le_bytes();
                    lists.extend([low, high, q as u8]);
                }
            }
            let count = lists.len() / ENTRY - start;
            if count > 0 {
                entries.push((feature, (start as u64) << 16 | count as u64, 0));
            }
        }
        PackedLabels { table: Table::build(&entries, 1), lists: Bytes::copy(&lists), labels, unit }
    }

    /// Adds the weights of the features to the scores of all labels.
    #[inline]
    pub fn add_scores(&self, features: &[u64], sums: &mut Vec<i32>, scores: &mut [f32]) {
        sums.clear();
        sums.resize(self.labels, 0);
        let probe = self.table.probe();
        let lists = &*self.lists;
        for &feature in features {
            if let Some(at) = probe.find(feature) {
                let word = probe.words[at];
                let start = (word >> 32) as usize * ENTRY;
                let end = start + (word >> 16 & 0xFFFF) as usize * ENTRY;
                for entry in lists.get(start..end).unwrap_or(&[]).chunks_exact(ENTRY) {
                    let label = u16::from_le_bytes([entry[0], entry[1]]);
                    if let Some(sum) = sums.get_mut(usize::from(label)) {
                        *sum += expand(entry[2]);
                    }
                }
            }
        }
        for (score, &sum) in scores.iter_mut().zip(sums.iter()) {
            *score += sum as f32 * self.unit;
        }
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.table.words.len() * 8 + self.lists.len()
    }

    /// What the header of the model must know.
    pub fn facts(&self) -> Facts {
        let Table { stride, longest, .. } = self.table;
        Facts { stride, longest, unit: self.unit }
    }

    /// What goes into the model.
    pub fn sections(&self) -> [SectionBytes<'_>; 2] {
        [
            SectionBytes { name: "labels", bytes: self.table.words.bytes() },
            SectionBytes { name: "label lists", bytes: &self.lists },
        ]
    }

    /// Weights from a model.
    pub fn load(
        container: &Container,
        facts: Facts,
        labels: usize,
    ) -> Result<PackedLabels, ModelError> {
        let table = Table::of_section(container, "labels", facts)?;
        let lists = container.section("label lists")?.clone();
        Ok(PackedLabels { table, lists, labels, unit: facts.unit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    /// Packed weights are the averaged ones up to the rounding of a byte.
    #[test]
    fn packing_keeps_the_weights() {
        let mut rng = Seed(11).rng();
        let (mut dense, mut sparse) = (DenseWeights::default(), SparseWeights::default());
        for _ in 0..30_000 {
            let (feature, class) = (rng.below(5000) as u64, rng.below(7) as u16);
            let feature = crate::features::hash::mix(17, feature);
            dense.tick();
            sparse.tick();
            dense.update(&[feature], &[(class, 1.0)]);
            sparse.update(&[feature], &[(class, -1.0)]);
        }
        let moves = PackedMoves::pack(&dense, 7, 0.0);
        let labels = PackedLabels::pack(&sparse, 7, 0.0);
        let mut worst = 0f32;
        for ((feature, row), (_, list)) in dense.averaged().zip(sparse.averaged()) {
            let mut scores = MoveScores::default();
            moves.add_scores(&[feature], &mut scores);
            let mut label_scores = [0.0; 7];
            labels.add_scores(&[feature], &mut Vec::new(), &mut label_scores);
            for (class, weight) in list {
                worst = worst.max((row[usize::from(class)] - scores[usize::from(class)]).abs());
                worst = worst.max((weight - label_scores[usize::from(class)]).abs());
            }
        }
        assert!(worst < 0.05, "{worst}");
    }

    #[test]
    fn bytes_stand_for_squares() {
        assert_eq!(expand(quantise(-9.0, 1.0) as u8), -9);
        assert_eq!(expand(quantise(1e9, 1.0) as u8), 127 * 127);
        assert_eq!(expand(quantise(0.2, 1.0) as u8), 0);
    }
}
