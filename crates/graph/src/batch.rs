//! Factors that are scored one after the other, so that the weights of the next one are on their way
//! from memory while those of one are added up.
use super::factors::Factor;
use super::scores::Slot;
use crossarc_learn::weights::LabelWeights;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Candidates, LabelSharing, Order, Scores};
    use crossarc_learn::features::hash::mix;
    use crossarc_learn::packed_factors::PackedFactors;
    use crossarc_learn::perceptron::SparseWeights;
    use crossarc_tree::Label;
    use crossarc_tree::seed::Seed;

    /// A batch gives every factor the scores it has alone, with weights of training and packed ones,
    /// for one class and for several, whatever was in the batch before.
    #[test]
    fn factors_have_the_scores_they_have_alone() {
        const CLASSES: usize = 5;
        let seed = 31;
        let mut rng = Seed(seed).rng();
        let mut weights = SparseWeights::default();
        for _ in 0..3000 {
            let class = rng.below(CLASSES) as u16;
            weights.update(&[mix(5, rng.below(500) as u64)], &[(class, rng.unit() as f32 - 0.5)]);
        }
        let packed = PackedFactors::pack(&weights, CLASSES, usize::MAX);
        let mut scores = Scores::default();
        let labels = |_, _, labels: &mut Vec<Label>| labels.push(Label(0));
        scores.reset(Order::Grandchild, LabelSharing::Shared, &Candidates::all(5), labels).unwrap();
        let mut batch = Batch::default();
        for classes in [1, CLASSES] {
            for arc in scores.arcs() {
                let mut lists = Vec::new();
                for slot in scores.second_order_slots(arc) {
                    let many = rng.below(4) * rng.below(60);
                    let list: Vec<u64> = (0..many).map(|_| mix(5, rng.below(600) as u64)).collect();
                    batch.push(slot, |factor, out| {
                        assert_eq!(factor, slot.factor);
                        out.extend_from_slice(&list);
                    });
                    lists.push((slot.factor, list));
                }
                let check = |weights: &dyn LabelWeights, found: &[(Factor, Vec<f32>)]| {
                    assert_eq!(found.len(), lists.len(), "seed {seed}");
                    for ((factor, scores), (pushed, list)) in found.iter().zip(&lists) {
                        let mut alone = vec![0.0; classes];
                        weights.add_to(list, &mut Vec::new(), &mut alone);
                        assert_eq!((factor, scores), (pushed, &alone), "seed {seed}");
                    }
                };
                let mut found = Vec::new();
                let mut again = batch.clone();
                batch.score(&weights, classes, |slot, of| found.push((slot.factor, of.to_vec())));
                check(&weights, &found);
                found.clear();
                again.score(&packed, classes, |slot, of| found.push((slot.factor, of.to_vec())));
                check(&packed, &found);
            }
        }
    }
}
