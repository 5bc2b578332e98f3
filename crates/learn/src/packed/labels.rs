//! Weights of labels: a few of many for each feature.
use super::sums::{EXPANDED, LANES, add_rows};
use super::{LOAD, NARROW, Row, TOP, Table, TableFacts, quantise};
use crate::perceptron::SparseWeights;
use crossarc_model::{Bytes, Container, ModelError, SectionBytes};
use svm::prefetch::prefetch;

/// One or two entries as a number of 32 bits, if they fit.
fn pair(entries: &[(u16, u8)]) -> Option<u64> {
    if !(1..=2).contains(&entries.len()) {
        return None;
    }
    entries.iter().rev().try_fold(0, |number, &(label, weight)| {
        let label = u8::try_from(label).ok()?;
        Some(number << 16 | u64::from(weight) << 8 | u64::from(label))
    })
}

/// Features whose lists are asked for before the first is read.
const CHUNK: usize = 64;
/// Bytes an entry of [`PackedLabels`]: label, weight.
const ENTRY: usize = 3;

/// Sections of the table of labels and of its lists.
const LABEL_SECTIONS: [&str; 2] = ["labels", "label lists"];

/// Instead of the number of entries: a row of bytes follows, one for each label.
const ROW: usize = 0xFFFF;
/// Instead of the number of entries: up to two of them stand where a list would be pointed to, each
/// with a byte for its label and one for its weight.
const PAIR: usize = 0xFFFE;

/// Weights of labels: a slot points to a list of labels with a byte each, or to a row of bytes for
/// all labels where that is shorter. Features that are rare have one or two labels; these stand in
/// the slot itself, so that no second look into memory is needed.
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
        PackedLabels::pack_lists(|| weights.averaged(), labels, prune)
    }

    /// Packs lists of labels with their weights, one list a feature; weights below `prune` in
    /// magnitude are dropped.
    pub fn pack_lists<I: Iterator<Item = (u64, Vec<(u16, f32)>)>>(
        weights: impl Fn() -> I,
        labels: usize,
        prune: f32,
    ) -> PackedLabels {
        let top = weights()
            .flat_map(|(_, list)| list)
            .fold(0f32, |top, (_, weight)| top.max(weight.abs()));
        let unit = (top / TOP).max(f32::MIN_POSITIVE);
        let mut lists = Vec::new();
        let mut rows = Vec::new();
        for (feature, list) in weights() {
            let start = lists.len() / ENTRY;
            let mut importance = 0f32;
            let mut kept = Vec::with_capacity(list.len());
            for (label, weight) in list {
                let q = quantise(weight, unit);
                if weight.abs() >= prune && q != 0 {
                    kept.push((label, q as u8));
                    importance = importance.max(weight.abs());
                }
            }
            let mut count = kept.len();
            if let Some(pair) = pair(&kept) {
                let payload = (pair << 16 | PAIR as u64).to_le_bytes();
                rows.push(Row { feature, payload, importance });
                continue;
            }
            if count * ENTRY > labels {
                let row = lists.len();
                lists.resize(row + labels.next_multiple_of(ENTRY), 0);
                for (label, q) in kept.into_iter().filter(|one| usize::from(one.0) < labels) {
                    lists[row + usize::from(label)] = q;
                }
                count = ROW;
            } else {
                for (label, q) in kept {
                    let [low, high] = label.to_le_bytes();
                    lists.extend([low, high, q]);
                }
            }
            if count > 0 {
                let payload = ((start as u64) << 16 | count as u64).to_le_bytes();
                rows.push(Row { feature, payload, importance });
            }
        }
        let table = Table::build(rows, NARROW, LOAD);
        PackedLabels { table, lists: Bytes::copy(&lists), labels, unit }
    }

    /// Asks for the memory where features would be.
    #[inline]
    pub fn fetch(&self, features: &[u64]) {
        self.table.fetch(features);
    }

    /// Adds the weights of the features to the scores of all labels.
    #[inline]
    pub fn add_scores(&self, features: &[u64], sums: &mut Vec<i32>, scores: &mut [f32]) {
        self.fetch(features);
        self.add_fetched(features, sums, scores);
    }

    /// The same for features that were fetched before.
    #[inline]
    pub fn add_fetched(&self, features: &[u64], sums: &mut Vec<i32>, scores: &mut [f32]) {
        sums.clear();
        sums.resize(self.labels.next_multiple_of(LANES), 0);
        let lists = &*self.lists;
        let (mut pairs, mut others) = ([0; CHUNK], [0; CHUNK]);
        let mut waiting: Option<&[u8]> = None;
        for chunk in features.chunks(CHUNK) {
            let (mut many_pairs, mut many_others) = (0, 0);
            self.table.look_up_fetched(chunk, |payload, there| {
                let is_pair = payload & 0xFFFF == PAIR as u64;
                pairs[many_pairs % CHUNK] = payload >> 16;
                many_pairs += usize::from(is_pair);
                others[many_others % CHUNK] = payload;
                many_others += usize::from(there) - usize::from(is_pair);
            });
            let others = &others[..many_others];
            let start_of = |payload: u64| (payload >> 16) as usize * ENTRY;
            for &payload in others {
                if let Some(first) = lists.get(start_of(payload)) {
                    prefetch(first);
                }
            }
            for pair in &pairs[..many_pairs] {
                for entry in [pair & 0xFFFF, pair >> 16] {
                    if let Some(sum) = sums.get_mut(entry as usize & 0xFF) {
                        *sum += EXPANDED[(entry >> 8) as usize & 0xFF];
                    }
                }
            }
            for &payload in others {
                let (start, count) = (start_of(payload), (payload & 0xFFFF) as usize);
                if count == ROW {
                    // What stands behind a row is added to sums that nobody reads; nothing stands
                    // behind the last.
                    let whole = lists.get(start..start + sums.len());
                    let row = whole.or_else(|| lists.get(start..start + self.labels));
                    match (waiting.take(), row) {
                        (Some(one), Some(row)) => add_rows(&[one, row], sums),
                        (one, row) => waiting = one.or(row),
                    }
                    continue;
                }
                let list = lists.get(start..start + count * ENTRY).unwrap_or(&[]);
                for &[low, high, weight] in list.as_chunks::<ENTRY>().0 {
                    if let Some(sum) = sums.get_mut(usize::from(u16::from_le_bytes([low, high]))) {
                        *sum += EXPANDED[usize::from(weight)];
                    }
                }
            }
        }
        add_rows(waiting.as_slice(), sums);
        for (score, &sum) in scores.iter_mut().zip(&sums[..self.labels]) {
            *score += sum as f32 * self.unit;
        }
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.table.words.len() * 8 + self.lists.len()
    }

    /// What the header of the model must know.
    pub fn facts(&self) -> TableFacts {
        TableFacts { width: self.table.width, unit: self.unit }
    }

    /// What goes into the model.
    pub fn sections(&self) -> [SectionBytes<'_>; 2] {
        self.sections_named(LABEL_SECTIONS)
    }

    /// Bytes of a table with so many features and entries.
    pub(crate) fn size_of(features: usize, entries: usize) -> usize {
        Table::size_of(features, NARROW) + entries * ENTRY
    }

    /// What goes into the model, under names for the table and its lists.
    pub fn sections_named<'a>(&'a self, [table, lists]: [&'a str; 2]) -> [SectionBytes<'a>; 2] {
        [
            SectionBytes { name: table, bytes: self.table.words.bytes() },
            SectionBytes { name: lists, bytes: &self.lists },
        ]
    }

    /// Weights from a model.
    pub fn load(
        container: &Container,
        facts: TableFacts,
        labels: usize,
    ) -> Result<PackedLabels, ModelError> {
        PackedLabels::load_named(container, LABEL_SECTIONS, facts, labels)
    }

    /// Weights from the sections of a model with names of their own.
    pub fn load_named(
        container: &Container,
        [table, lists]: [&str; 2],
        facts: TableFacts,
        labels: usize,
    ) -> Result<PackedLabels, ModelError> {
        let table = Table::of_section(container, table, facts)?;
        let lists = container.section(lists)?.clone();
        Ok(PackedLabels { table, lists, labels, unit: facts.unit })
    }
}
