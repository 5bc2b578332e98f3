//! Factors that are scored one after the other, so that the weights of the next one are on their way
//! from memory while those of one are added up.
use super::factors::Factor;
use super::scores::Slot;
use crate::transition::scorer::LabelWeights;

/// Factors waiting for their scores; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    features: Vec<u64>,
    /// Each factor and where its features end.
    factors: Vec<(Slot, usize)>,
    sums: Vec<i32>,
    scores: Vec<f32>,
}

impl Batch {
    /// Features of a batch that is full.
    const FULL: usize = 2048;

    /// Adds a factor, whose features `extract` appends.
    #[inline]
    pub fn push(&mut self, slot: Slot, extract: impl FnOnce(Factor, &mut Vec<u64>)) {
        extract(slot.factor, &mut self.features);
        self.factors.push((slot, self.features.len()));
    }

    /// True if it is large enough to be scored: the next factors would gain nothing.
    pub fn is_full(&self) -> bool {
        self.features.len() >= Self::FULL
    }

    /// Calls `put` with each factor and its scores of so many classes, and empties the batch.
    pub fn score(
        &mut self,
        weights: &impl LabelWeights,
        classes: usize,
        mut put: impl FnMut(Slot, &[f32]),
    ) {
        let Batch { features, factors, sums, scores } = self;
        let first = factors.first().map_or(0, |&(_, end)| end);
        weights.fetch(&features[..first], classes);
        let mut start = 0;
        for (number, &(slot, end)) in factors.iter().enumerate() {
            let next = factors.get(number + 1).map_or(end, |&(_, next)| next);
            weights.fetch(&features[end..next], classes);
            scores.clear();
            scores.resize(classes, 0.0);
            weights.add_fetched(&features[start..end], sums, scores);
            put(slot, scores);
            start = end;
        }
        features.clear();
        factors.clear();
    }
}
