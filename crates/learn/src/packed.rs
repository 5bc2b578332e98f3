//! Weights as they are stored in a model and used for parsing: pruned, quantised, ready to probe.
//!
//! A table is an array of buckets of 64 bytes, one cache line each. The upper half of a feature
//! hash chooses the bucket, its lowest sixteen bits recognise the feature there; eight features
//! with six bytes each, or six with eight bytes, fit into a bucket. Nothing is ever looked up
//! outside the bucket: of features that do not fit, those with the smallest weights are dropped
//! (about two in a hundred). Since all features of a state are known before the first look-up, the
//! lines are fetched side by side. A feature that is not there is taken for one that is with a
//! probability below 2^-13, which no decision notices.
//!
//! A weight is one byte `q` that stands for `q * |q|` units: fine steps near zero, where most
//! averaged weights are, and a wide range. Scores are summed as whole numbers, so they do not
//! depend on the order of features.
mod labels;
mod map;
mod sums;

pub use labels::PackedLabels;
pub use map::PackedMap;

use serde::{Deserialize, Serialize};

use super::perceptron::{DenseWeights, MOST_DENSE, SparseWeights};
use crossarc_model::{Container, ModelError, SectionBytes, Words64};
use sums::add_moves;
use svm::prefetch::prefetch;

/// Scores of all moves.
pub type MoveScores = [f32; MOST_DENSE];

/// Largest magnitude that a byte stands for.
pub(super) const TOP: f32 = 127.0 * 127.0;
/// Words of a bucket: two of check bits, six of payload.
const BUCKET: usize = 8;
/// Where the payload starts in a bucket, in bytes.
const PAYLOAD: usize = 16;
/// Features per slot when a table is built.
const LOAD: f64 = 0.62;
/// Payload bytes of a feature.
const NARROW: usize = 6;
const WIDE: usize = 8;

pub(super) fn quantise(weight: f32, unit: f32) -> i8 {
    let scaled = (weight / unit).clamp(-TOP, TOP);
    let root = scaled.abs().sqrt().round() as i8;
    if scaled < 0.0 { -root } else { root }
}

#[inline]
pub(super) const fn expand(byte: u8) -> i32 {
    let q = byte.cast_signed() as i32;
    q * q.abs()
}

/// Sixteen bits that recognise a feature, never zero, which marks an empty slot.
#[inline]
pub(super) fn check(feature: u64) -> u64 {
    (feature & 0xFFFF).max(1)
}

#[inline]
pub(super) fn home(feature: u64, buckets: usize) -> usize {
    (((feature >> 32) * buckets as u64) >> 32) as usize
}

/// The highest bit of each sixteen that equal `wanted`; only the lowest such mark is certain.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(super) fn matches(checks: u64, wanted: u64) -> u64 {
    const ONES: u64 = 0x0001_0001_0001_0001;
    let difference = checks ^ (wanted * ONES);
    difference.wrapping_sub(ONES) & !difference & (ONES << 15)
}

/// Check bits in a bucket.
const CHECKS: usize = 8;

/// Which of the checks of a bucket is the wanted one; [`CHECKS`] if none is.
#[cfg(target_arch = "x86_64")]
#[inline]
#[allow(unsafe_code, reason = "instructions of the processor")]
fn slot(checks: [u64; 2], wanted: u64) -> usize {
    use std::arch::x86_64::{_mm_cmpeq_epi16, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi16};
    // SAFETY: these instructions work on registers and belong to every x86_64 processor.
    let found = unsafe {
        let checks = _mm_set_epi64x(checks[1].cast_signed(), checks[0].cast_signed());
        _mm_movemask_epi8(_mm_cmpeq_epi16(checks, _mm_set1_epi16(wanted as i16)))
    };
    (found | 1 << 16).trailing_zeros() as usize / 2
}

/// Which of the checks of a bucket is the wanted one; [`CHECKS`] if none is.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn slot(checks: [u64; 2], wanted: u64) -> usize {
    let [low, high] = checks.map(|checks| matches(checks, wanted).trailing_zeros() as usize / 16);
    if low < CHECKS / 2 { low } else { CHECKS / 2 + high }
}

/// A feature on its way into a table.
struct Row {
    feature: u64,
    payload: [u8; WIDE],
    /// The largest weight, by which rows of a crowded bucket are chosen.
    importance: f32,
}

/// Features that are looked up side by side.
const GROUP: usize = 128;

/// Buckets of check bits and payload.
#[derive(Clone, Debug)]
struct Table {
    words: Words64,
    /// Payload bytes of a feature.
    width: usize,
}

impl Table {
    fn build(mut rows: Vec<Row>, width: usize, load: f64) -> Table {
        let slots = slots(width);
        let buckets = (rows.len() as f64 / load / slots as f64) as usize + 1;
        rows.sort_by(|one, other| {
            let by_home = home(one.feature, buckets).cmp(&home(other.feature, buckets));
            by_home
                .then(other.importance.total_cmp(&one.importance))
                .then(one.feature.cmp(&other.feature))
        });
        let mut words = vec![0u64; buckets * BUCKET];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        for bucket in
            rows.chunk_by(|one, other| home(one.feature, buckets) == home(other.feature, buckets))
        {
            let start = home(bucket[0].feature, buckets) * BUCKET * 8;
            for (slot, row) in bucket.iter().take(slots).enumerate() {
                let mark = start + slot * 2;
                bytes[mark..mark + 2].copy_from_slice(&(check(row.feature) as u16).to_le_bytes());
                let at = start + PAYLOAD + slot * width;
                bytes[at..at + width].copy_from_slice(&row.payload[..width]);
            }
        }
        Table { words: Words64::new(words), width }
    }

    fn of_section(
        container: &Container,
        name: &str,
        facts: TableFacts,
    ) -> Result<Table, ModelError> {
        let words = container.section(name)?.words();
        let words = words.filter(|words| {
            let buckets = words.len() / BUCKET;
            buckets > 0
                && words.len() % BUCKET == 0
                && u32::try_from(buckets).is_ok()
                && matches!(facts.width, NARROW | WIDE)
        });
        let words =
            words.ok_or_else(|| container.damaged(&format!("section `{name}` is no table")))?;
        Ok(Table { words, width: facts.width })
    }

    /// Asks for the buckets of features.
    #[inline]
    fn fetch(&self, features: &[u64]) {
        let (buckets, _) = self.words.as_chunks::<BUCKET>();
        for &feature in features {
            prefetch(&buckets[home(feature, buckets.len())]);
        }
    }

    /// As [`Table::look_up_fetched`], with the number of each feature, for any number of features.
    #[inline]
    fn look_up(&self, features: &[u64], mut visit: impl FnMut(usize, u64)) {
        for (number, group) in features.chunks(GROUP).enumerate() {
            self.fetch(group);
            let mut at = number * GROUP;
            self.look_up_fetched(group, |payload, _| {
                visit(at, payload);
                at += 1;
            });
        }
    }

    /// Calls `visit` with the payload of each feature, of which the lowest byte comes first, and
    /// whether it is there; the payload of one that is not is zero. No branch depends on that, for
    /// nothing could foresee it.
    #[inline]
    fn look_up_fetched(&self, features: &[u64], visit: impl FnMut(u64, bool)) {
        if self.width == NARROW {
            self.look_up_width::<NARROW>(features, visit);
        } else {
            self.look_up_width::<WIDE>(features, visit);
        }
    }

    #[inline]
    fn look_up_width<const WIDTH: usize>(
        &self,
        features: &[u64],
        mut visit: impl FnMut(u64, bool),
    ) {
        let (buckets, _) = self.words.as_chunks::<BUCKET>();
        for &feature in features {
            let bucket = &buckets[home(feature, buckets.len())];
            let slot = slot([bucket[0], bucket[1]], check(feature));
            let there = slot < CHECKS;
            // Eight bytes that end with the payload.
            let end = PAYLOAD + (slot % slots(WIDTH) + 1) * WIDTH;
            let bytes: &[u8; BUCKET * 8] = bytemuck::cast_ref(bucket);
            let payload = bytes[end - 8..end].try_into().map_or(0, u64::from_le_bytes);
            visit(payload >> (64 - WIDTH * 8) & u64::from(there).wrapping_neg(), there);
        }
    }

    /// Bytes of a table with so many features.
    fn size_of(features: usize, width: usize) -> usize {
        (features as f64 / LOAD / slots(width) as f64) as usize * BUCKET * 8 + BUCKET * 8
    }
}

/// What a model would weigh: magnitudes of all that could be dropped.
#[derive(Clone, Debug)]
pub struct Weighing {
    /// The largest weight of each feature of moves, largest first.
    moves: Vec<f32>,
    move_width: usize,
    /// The largest weight of each feature of labels, largest first.
    labels: Vec<f32>,
    /// Every weight of a label, largest first.
    entries: Vec<f32>,
}

impl Weighing {
    /// Weighs the averages.
    pub fn new(moves: &DenseWeights, move_count: usize, labels: &SparseWeights) -> Weighing {
        let tops = moves.averaged().map(|(_, row)| top(row.into_iter()));
        Weighing {
            moves: descending(tops.collect()),
            move_width: if move_count > NARROW { WIDE } else { NARROW },
            ..Weighing::of_lists(labels.averaged().map(|(_, list)| list))
        }
    }

    /// Weighs lists of labels, one list a feature.
    pub fn of_lists(lists: impl Iterator<Item = Vec<(u16, f32)>>) -> Weighing {
        let (mut labels, mut entries) = (Vec::new(), Vec::new());
        for list in lists {
            labels.push(top(list.iter().map(|entry| entry.1)));
            entries.extend(list.iter().map(|entry| entry.1.abs()));
        }
        let (labels, entries) = (descending(labels), descending(entries));
        Weighing { moves: Vec::new(), move_width: NARROW, labels, entries }
    }

    /// Bytes if weights below `prune` are dropped.
    fn size(&self, prune: f32) -> usize {
        let kept = |list: &[f32]| list.partition_point(|&weight| weight >= prune);
        Table::size_of(kept(&self.moves), self.move_width)
            + PackedLabels::size_of(kept(&self.labels), kept(&self.entries))
    }

    /// What must be dropped, `least` or more, so that at most this many bytes are left.
    pub fn prune_for(&self, bytes: usize, least: f32) -> f32 {
        let largest = |list: &[f32]| list.first().copied().unwrap_or(0.0);
        let (mut low, mut high) = (least, largest(&self.moves).max(largest(&self.labels)) + least);
        if self.size(low) <= bytes {
            return low;
        }
        for _ in 0..40 {
            let middle = f32::midpoint(low, high);
            if self.size(middle) <= bytes {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }
}

fn top(weights: impl Iterator<Item = f32>) -> f32 {
    weights.fold(0f32, |top, weight| top.max(weight.abs()))
}

fn descending(mut list: Vec<f32>) -> Vec<f32> {
    list.sort_by(|one, other| other.total_cmp(one));
    list
}

/// Features that fit into a bucket.
const fn slots(width: usize) -> usize {
    (BUCKET * 8 - PAYLOAD) / width
}

/// What the header of a model says about a table.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
pub struct TableFacts {
    width: usize,
    unit: f32,
}

impl TableFacts {
    /// Of a table that is not there.
    pub const NONE: TableFacts = TableFacts { width: 0, unit: 0.0 };
}

/// Weights of moves: a byte for each move.
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
        let mut rows = Vec::with_capacity(weights.len());
        for (feature, row) in weights.averaged() {
            let payload = row.map(|w| if w.abs() < prune { 0 } else { quantise(w, unit) as u8 });
            if payload != [0; MOST_DENSE] {
                let importance = row.iter().fold(0f32, |top, w| top.max(w.abs()));
                rows.push(Row { feature, payload, importance });
            }
        }
        let width = if moves > NARROW { WIDE } else { NARROW };
        PackedMoves { table: Table::build(rows, width, LOAD), unit }
    }

    /// Adds the weights of the features to the scores of all moves.
    #[inline]
    pub fn add_scores(&self, features: &[u64], scores: &mut MoveScores) {
        let mut sums = [0i32; MOST_DENSE];
        let mut payloads = [0; GROUP];
        for group in features.chunks(GROUP) {
            let mut many = 0;
            self.table.fetch(group);
            self.table.look_up_fetched(group, |payload, there| {
                payloads[many % GROUP] = payload;
                many += usize::from(there);
            });
            add_moves(&payloads[..many], &mut sums);
        }
        for (score, sum) in scores.iter_mut().zip(sums) {
            *score += sum as f32 * self.unit;
        }
    }

    /// For runs of features the sum of their weights for one move each: `ends` has for each run where
    /// it ends, and its move.
    #[inline]
    pub fn score_each<'s>(
        &self,
        features: &[u64],
        ends: &[(u32, u8)],
        scores: impl Iterator<Item = &'s mut f32>,
    ) {
        let mut runs = ends.iter().zip(scores);
        let Some((&(mut end, mut place), mut score)) = runs.next() else { return };
        let mut sum = 0i32;
        self.table.look_up(features, |at, payload| {
            while at >= end as usize {
                *score = sum as f32 * self.unit;
                sum = 0;
                let Some((next, of_next)) = runs.next() else { return };
                ((end, place), score) = (*next, of_next);
            }
            sum += expand((payload >> (usize::from(place) % WIDE * 8)) as u8);
        });
        *score = sum as f32 * self.unit;
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.table.words.len() * 8
    }

    /// What the header of the model must know.
    pub fn facts(&self) -> TableFacts {
        TableFacts { width: self.table.width, unit: self.unit }
    }

    /// What goes into the model.
    pub fn sections(&self) -> [SectionBytes<'_>; 1] {
        [SectionBytes { name: "moves", bytes: self.table.words.bytes() }]
    }

    /// Weights from a model.
    pub fn load(container: &Container, facts: TableFacts) -> Result<PackedMoves, ModelError> {
        let table = Table::of_section(container, "moves", facts)?;
        Ok(PackedMoves { table, unit: facts.unit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

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
        let (mut worst, mut lost, mut all) = (0f32, 0, 0);
        for ((feature, row), (_, list)) in dense.averaged().zip(sparse.averaged()) {
            let mut scores = MoveScores::default();
            moves.add_scores(&[feature], &mut scores);
            let mut label_scores = [0.0; 7];
            labels.add_scores(&[feature], &mut Vec::new(), &mut label_scores);
            all += 1;
            if scores == MoveScores::default() || label_scores == [0.0; 7] {
                lost += 1;
                continue;
            }
            for (class, weight) in list {
                worst = worst.max((row[usize::from(class)] - scores[usize::from(class)]).abs());
                worst = worst.max((weight - label_scores[usize::from(class)]).abs());
            }
        }
        assert!(worst < 0.05, "{worst}");
        assert!(lost * 12 < all, "{lost} of {all} features lost");
    }

    /// One or two labels stand in the slot if their numbers are small; any number of any labels comes
    /// back.
    #[test]
    fn short_and_long_lists_are_found() {
        let labels = 600;
        let mut sparse = SparseWeights::default();
        let feature = |number: usize| crate::features::hash::mix(29, number as u64);
        let lists = [vec![0], vec![255], vec![256], vec![7, 255], vec![3, 400], vec![1, 2, 3]];
        for (number, list) in lists.iter().enumerate() {
            for (place, &label) in list.iter().enumerate() {
                sparse.update(&[feature(number)], &[(label, [1.0, -4.0, 9.0][place])]);
            }
        }
        let packed = PackedLabels::pack(&sparse, labels, 0.0);
        for (number, list) in lists.iter().enumerate() {
            let mut expected = vec![0.0; labels];
            for (place, &label) in list.iter().enumerate() {
                expected[usize::from(label)] = [1.0, -4.0, 9.0][place];
            }
            let mut scores = vec![0.0; labels];
            packed.add_scores(&[feature(number)], &mut Vec::new(), &mut scores);
            let close = |(a, b): (&f32, &f32)| (a - b).abs() < 0.1;
            assert!(scores.iter().zip(&expected).all(close), "{list:?}");
        }
    }

    /// Runs of features, empty ones and unknown features among them, are scored as each by itself.
    #[test]
    fn runs_have_the_scores_of_their_moves() {
        let mut rng = Seed(13).rng();
        let feature = |number: usize| crate::features::hash::mix(31, number as u64);
        let mut dense = DenseWeights::default();
        for _ in 0..3000 {
            let step = rng.unit() as f32 - 0.5;
            dense.update(&[feature(rng.below(700))], &[(rng.below(8) as u16, step)]);
        }
        let moves = PackedMoves::pack(&dense, 8, 0.0);
        for round in 0..100 {
            let (mut features, mut ends) = (Vec::new(), Vec::new());
            for _ in 0..rng.below(12) {
                features.extend((0..rng.below(40)).map(|_| feature(rng.below(1400))));
                ends.push((features.len() as u32, rng.below(8) as u8));
            }
            let mut found = vec![0.0; ends.len()];
            moves.score_each(&features, &ends, found.iter_mut());
            let mut start = 0;
            for (&(end, place), found) in ends.iter().zip(found) {
                let mut scores = MoveScores::default();
                moves.add_scores(&features[start..end as usize], &mut scores);
                assert_eq!(found, scores[usize::from(place)], "round {round}, seed 13");
                start = end as usize;
            }
        }
    }

    #[test]
    fn models_fit_the_size_asked_for() {
        let mut rng = Seed(12).rng();
        let (mut dense, mut sparse) = (DenseWeights::default(), SparseWeights::default());
        for _ in 0..20_000 {
            let feature = crate::features::hash::mix(3, rng.below(9000) as u64);
            dense.update(&[feature], &[(rng.below(4) as u16, 1.0 + rng.unit() as f32)]);
            sparse.update(&[feature], &[(rng.below(30) as u16, 1.0 + rng.unit() as f32)]);
        }
        let weighing = Weighing::new(&dense, 4, &sparse);
        assert_eq!(weighing.prune_for(usize::MAX, 0.25), 0.25);
        for bytes in [400, 5_000, 50_000, 100_000] {
            let prune = weighing.prune_for(bytes, 0.0);
            let packed = PackedMoves::pack(&dense, 4, prune).size()
                + PackedLabels::pack(&sparse, 30, prune).size();
            assert!(packed <= bytes, "{packed} of {bytes} bytes, pruned at {prune}");
            assert!(packed * 2 > bytes || bytes < 1000, "{packed} of {bytes} bytes");
        }
    }

    #[test]
    fn bytes_stand_for_squares() {
        assert_eq!(expand(quantise(-9.0, 1.0) as u8), -9);
        assert_eq!(expand(quantise(1e9, 1.0) as u8), 127 * 127);
        assert_eq!(expand(quantise(0.2, 1.0) as u8), 0);
    }
}
