//! Weights of factors as they are stored in a model: lists of labels for the features that have
//! weights for labels, and one number for the others.
//!
//! Arcs want a weight for each label and one for all, second-order factors only the latter, unless
//! they know labels too. So there are two tables, and a look-up is in one of them: features that
//! were learned with labels are lists ([`PackedLabels`]) in which class 0 stands for all labels;
//! of the others a bucket of 64 bytes holds twenty, with a check of sixteen bits and one byte of
//! weight each. Of features that do not fit into their bucket the weakest are dropped, and a byte
//! stands for its signed square.
use super::packed::{PackedLabels, TOP, TableFacts, check, expand, home, quantise};
use super::perceptron::SparseWeights;
use crate::weights::LabelWeights;
use crossarc_model::{Container, ModelError, SectionBytes, Words64};
use svm::prefetch::prefetch;

/// Words of a bucket: five of checks, then weights.
const BUCKET: usize = 8;
const SLOTS: usize = 20;
/// Where weights start in a bucket, in bytes.
const WEIGHTS: usize = 40;
/// Features per slot when a table is built.
const LOAD: f64 = 0.75;
/// The smallest weight that is kept.
const LEAST: f32 = 1e-6;
const SECTION: &str = "shared factors";
const LABEL_SECTIONS: [&str; 2] = ["labelled factors", "labelled factor lists"];

/// Packed weights of factors; class 0 stands for all labels.
#[derive(Clone, Debug)]
pub struct PackedFactors {
    words: Words64,
    unit: f32,
    labels: PackedLabels,
}

/// A feature on its way into the table.
struct Row {
    feature: u64,
    weight: f32,
}

/// True for features that were learned with labels.
fn is_labelled(list: &[(u16, f32)]) -> bool {
    list.iter().any(|&(class, _)| class != 0)
}

impl PackedFactors {
    /// Averages and packs, dropping the weakest weights until at most so many bytes are left.
    pub fn pack(weights: &SparseWeights, classes: usize, most_bytes: usize) -> Self {
        let prune = Weighing::new(weights).prune_for(most_bytes);
        let mut rows = Vec::new();
        let mut top = 0f32;
        for (feature, list) in weights.averaged().filter(|(_, list)| !is_labelled(list)) {
            for (_, weight) in list.into_iter().filter(|entry| entry.1.abs() >= prune) {
                top = top.max(weight.abs());
                rows.push(Row { feature, weight });
            }
        }
        let unit = (top / TOP).max(f32::MIN_POSITIVE);
        let of_labels = || weights.averaged().filter(|(_, list)| is_labelled(list));
        let labels = PackedLabels::pack_lists(of_labels, classes, prune);
        PackedFactors { words: build(rows, unit), unit, labels }
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.words.len() * 8 + self.labels.size()
    }

    /// What the header of the model must know: about the table, and about that of labels.
    pub fn facts(&self) -> (f32, TableFacts) {
        (self.unit, self.labels.facts())
    }

    /// What goes into the model.
    pub fn sections(&self) -> impl Iterator<Item = SectionBytes<'_>> {
        let own = SectionBytes { name: SECTION, bytes: self.words.bytes() };
        std::iter::once(own).chain(self.labels.sections_named(LABEL_SECTIONS))
    }

    /// Weights from a model.
    pub fn load(
        container: &Container,
        (unit, labels): (f32, TableFacts),
        classes: usize,
    ) -> Result<PackedFactors, ModelError> {
        let words = container.section(SECTION)?.words().filter(|words| {
            let buckets = words.len() / BUCKET;
            buckets > 0 && words.len() % BUCKET == 0 && u32::try_from(buckets).is_ok()
        });
        let no_table = || container.damaged(&format!("section `{SECTION}` is no table"));
        Ok(PackedFactors {
            words: words.ok_or_else(no_table)?,
            unit,
            labels: PackedLabels::load_named(container, LABEL_SECTIONS, labels, classes)?,
        })
    }
}

fn build(mut rows: Vec<Row>, unit: f32) -> Words64 {
    let buckets = (rows.len() as f64 / LOAD / SLOTS as f64) as usize + 1;
    rows.sort_by(|one, other| {
        let by_home = home(one.feature, buckets).cmp(&home(other.feature, buckets));
        by_home
            .then(other.weight.abs().total_cmp(&one.weight.abs()))
            .then(one.feature.cmp(&other.feature))
    });
    let mut words = vec![0u64; buckets * BUCKET];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    for bucket in
        rows.chunk_by(|one, other| home(one.feature, buckets) == home(other.feature, buckets))
    {
        let start = home(bucket[0].feature, buckets) * BUCKET * 8;
        for (slot, row) in bucket.iter().take(SLOTS).enumerate() {
            let at = start + slot * 2;
            bytes[at..at + 2].copy_from_slice(&(check(row.feature) as u16).to_le_bytes());
            bytes[start + WEIGHTS + slot] = quantise(row.weight, unit) as u8;
        }
    }
    Words64::new(words)
}

/// The slot of a feature in its bucket.
#[cfg(target_arch = "x86_64")]
#[inline]
#[allow(unsafe_code, reason = "instructions of the processor")]
fn slot(bucket: &[u64; BUCKET], wanted: u64) -> Option<usize> {
    use std::arch::x86_64::{
        _mm_cmpeq_epi16, _mm_movemask_epi8, _mm_packs_epi16, _mm_set_epi64x, _mm_set1_epi16,
        _mm_setzero_si128,
    };
    // SAFETY: these instructions work on registers and belong to every x86_64 processor.
    let found = unsafe {
        let wanted = _mm_set1_epi16(wanted as i16);
        let equal = |high: u64, low: u64| {
            _mm_cmpeq_epi16(_mm_set_epi64x(high.cast_signed(), low.cast_signed()), wanted)
        };
        let near = _mm_packs_epi16(equal(bucket[1], bucket[0]), equal(bucket[3], bucket[2]));
        let far = _mm_packs_epi16(equal(0, bucket[4]), _mm_setzero_si128());
        _mm_movemask_epi8(near) | _mm_movemask_epi8(far) << 16
    };
    (found != 0).then(|| found.trailing_zeros() as usize)
}

/// The slot of a feature in its bucket.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn slot(bucket: &[u64; BUCKET], wanted: u64) -> Option<usize> {
    for (place, &checks) in bucket[..SLOTS / 4].iter().enumerate() {
        let found = super::packed::matches(checks, wanted);
        if found != 0 {
            return Some(place * 4 + found.trailing_zeros() as usize / 16);
        }
    }
    None
}

#[inline]
fn byte(bucket: &[u64; BUCKET], at: usize) -> u8 {
    (bucket[at / 8 % BUCKET] >> (at % 8 * 8)) as u8
}

impl LabelWeights for PackedFactors {
    #[inline]
    fn fetch(&self, features: &[u64], scores: usize) {
        if scores > 1 {
            self.labels.fetch(features);
            return;
        }
        let (buckets, _) = self.words.as_chunks::<BUCKET>();
        for &feature in features {
            prefetch(&buckets[home(feature, buckets.len())]);
        }
    }

    #[inline]
    fn add_fetched(&self, features: &[u64], sums: &mut Vec<i32>, scores: &mut [f32]) {
        let [score] = scores else {
            return self.labels.add_fetched(features, sums, scores);
        };
        let (buckets, _) = self.words.as_chunks::<BUCKET>();
        let mut sum = 0i32;
        for &feature in features {
            let bucket = &buckets[home(feature, buckets.len())];
            if let Some(slot) = slot(bucket, check(feature)) {
                sum += expand(byte(bucket, WEIGHTS + slot));
            }
        }
        *score += sum as f32 * self.unit;
    }
}

/// What a model would weigh: magnitudes of all that could be dropped, largest first.
struct Weighing {
    /// The weight of each feature without labels.
    shared: Vec<f32>,
    /// The largest weight of each feature with labels.
    labelled: Vec<f32>,
    /// Every weight of features with labels.
    entries: Vec<f32>,
}

impl Weighing {
    fn new(weights: &SparseWeights) -> Weighing {
        let mut weighing =
            Weighing { shared: Vec::new(), labelled: Vec::new(), entries: Vec::new() };
        for (_, list) in weights.averaged() {
            let top = list.iter().fold(0f32, |top, entry| top.max(entry.1.abs()));
            if is_labelled(&list) {
                weighing.labelled.push(top);
                weighing.entries.extend(list.iter().map(|entry| entry.1.abs()));
            } else {
                weighing.shared.push(top);
            }
        }
        let descending = |list: &mut Vec<f32>| {
            list.sort_unstable_by(|one, other| other.total_cmp(one));
        };
        descending(&mut weighing.shared);
        descending(&mut weighing.labelled);
        descending(&mut weighing.entries);
        weighing
    }

    fn size(&self, prune: f32) -> usize {
        let kept = |list: &[f32]| list.partition_point(|&weight| weight >= prune);
        let own = kept(&self.shared) as f64 / LOAD / SLOTS as f64;
        own as usize * BUCKET * 8
            + BUCKET * 8
            + PackedLabels::size_of(kept(&self.labelled), kept(&self.entries))
    }

    fn prune_for(&self, bytes: usize) -> f32 {
        let first = |list: &[f32]| list.first().copied().unwrap_or(0.0);
        let largest = first(&self.shared).max(first(&self.labelled));
        let (mut low, mut high) = (LEAST, largest + LEAST);
        if self.size(low) <= bytes {
            return low;
        }
        for _ in 0..40 {
            let middle = f32::midpoint(low, high);
            if self.size(middle) <= bytes { high = middle } else { low = middle }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    fn sample(seed: u64) -> SparseWeights {
        let mut rng = Seed(seed).rng();
        let mut weights = SparseWeights::default();
        for _ in 0..40_000 {
            let feature = crate::features::hash::mix(17, rng.below(6000) as u64);
            let step = rng.unit() as f32 - 0.5;
            weights.tick();
            weights.update(&[feature], &[(0, step)]);
            if feature.is_multiple_of(3) {
                weights.update(&[feature], &[(1 + rng.below(6) as u16, step)]);
            }
        }
        weights
    }

    /// Packed weights are the averaged ones up to the rounding of a byte.
    #[test]
    fn packing_keeps_the_weights() {
        let weights = sample(11);
        let packed = PackedFactors::pack(&weights, 7, usize::MAX);
        let (mut wrong, mut all) = (0, 0);
        for (feature, list) in weights.averaged() {
            let (mut scores, mut sums) = ([0.0; 7], Vec::new());
            let labelled = is_labelled(&list);
            packed.add_to(&[feature], &mut sums, &mut scores);
            let mut expected = [0.0; 7];
            for (class, weight) in list {
                expected[usize::from(class)] = weight;
            }
            let close = |(a, b): (&f32, &f32)| (a - b).abs() < 0.02 + b.abs() * 0.05;
            all += 1;
            wrong += usize::from(labelled && !scores.iter().zip(&expected).all(close));
            if feature.is_multiple_of(3) {
                continue;
            }
            let mut shared = [0.0];
            packed.add_to(&[feature], &mut sums, &mut shared);
            wrong += usize::from(!close((&shared[0], &expected[0])));
        }
        assert!(wrong * 20 < all, "{wrong} of {all} features do not have their weight");
    }

    #[test]
    fn the_weakest_weights_go_first() {
        let weights = sample(12);
        let whole = PackedFactors::pack(&weights, 7, usize::MAX).size();
        let half = PackedFactors::pack(&weights, 7, whole / 2);
        assert!(half.size() <= whole / 2 + 200, "{} of {whole}", half.size());
        assert!(half.size() > whole / 4);
    }
}
