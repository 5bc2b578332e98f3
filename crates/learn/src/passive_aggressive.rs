//! Passive-aggressive updates (Crammer et al. 2006): the smallest change of the weights after
//! which the right answer is better than the wrong one by its loss.
//!
//! For the difference `x` of the features of the right and the wrong answer, the weights move by
//! `t x` with `t = min(C, (score of wrong - score of right + loss) / |x|²)`, and not at all if
//! the margin holds already. Schiehlen and Spranger (2007, section 2.3) take `sqrt(1 - LAS)` as
//! the loss of a tree.
//!
//! ```
//! use crossarc_learn::passive_aggressive::step;
//! // Two words: the right tree scores 0, the wrong one 1; they differ in 4 features.
//! assert_eq!(step(1.0, 1.0, 4.0, 10.0), 0.5);
//! assert_eq!(step(1.0, 1.0, 4.0, 0.1), 0.1, "C holds the step back");
//! assert_eq!(step(-2.0, 1.0, 4.0, 10.0), 0.0, "the margin holds already");
//! ```
use super::perceptron::SparseWeights;

/// The length of the step; `lead` is the score of the wrong answer minus that of the right one.
pub fn step(lead: f64, loss: f64, squared_norm: f64, aggressiveness: f64) -> f64 {
    let violation = lead + loss;
    if violation <= 0.0 || squared_norm <= 0.0 || !violation.is_finite() {
        return 0.0;
    }
    (violation / squared_norm).min(aggressiveness)
}

/// What the weights of a feature for its classes are: each its own, or some of them one.
pub trait Nodes {
    /// The weight that belongs to feature and class.
    fn node(&self, feature: u64, class: u16) -> u16;
    /// Moves that weight.
    fn change(&self, weights: &mut SparseWeights, feature: u64, class: u16, step: f32);
}

/// The most classes that features can count for at once.
const MOST_CLASSES: usize = 4;
/// Classes and how often each feature counts for them.
type Counts = [(u16, i8); MOST_CLASSES];

#[derive(Copy, Clone, Debug)]
struct Group {
    /// Where the features of the group end.
    end: u32,
    /// Zeros after those that count.
    classes: Counts,
}

/// The difference between the features of two answers.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    features: Vec<u64>,
    groups: Vec<Group>,
    sorted: Vec<(u64, u16, i32)>,
}

impl Difference {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.features.clear();
        self.groups.clear();
    }

    /// True if the answers are the same.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Adds features for at most four classes, each with a count. `write` appends the features.
    pub fn add(&mut self, classes: &[(u16, i8)], write: impl FnOnce(&mut Vec<u64>)) {
        write(&mut self.features);
        let mut counts = Counts::default();
        let counted = classes.iter().filter(|class| class.1 != 0);
        counts.iter_mut().zip(counted).for_each(|(place, class)| *place = *class);
        self.groups.push(Group { end: self.features.len() as u32, classes: counts });
    }

    fn groups(&self) -> impl Iterator<Item = (&[u64], Counts)> {
        let starts = std::iter::once(0).chain(self.groups.iter().map(|group| group.end));
        self.groups.iter().zip(starts).map(|(group, start)| {
            (&self.features[start as usize..group.end as usize], group.classes)
        })
    }

    /// The square of its length; features that both answers have cancel out.
    pub fn squared_norm(&mut self, nodes: Option<&impl Nodes>) -> f64 {
        self.sort(nodes);
        self.sorted.iter().map(|one| f64::from(one.2).powi(2)).sum()
    }

    /// The inner product of two differences, both of which know their length already.
    pub fn product(&self, other: &Difference) -> f64 {
        let (mut sum, mut rest) = (0.0, &other.sorted[..]);
        for one in &self.sorted {
            let before = rest.partition_point(|two| (two.0, two.1) < (one.0, one.1));
            rest = &rest[before..];
            if let Some(two) = rest.first().filter(|two| (two.0, two.1) == (one.0, one.1)) {
                sum += f64::from(one.2) * f64::from(two.2);
            }
        }
        sum
    }

    /// Counts every weight once.
    fn sort(&mut self, nodes: Option<&impl Nodes>) {
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.clear();
        for (features, classes) in self.groups() {
            for (class, count) in classes.into_iter().filter(|class| class.1 != 0) {
                sorted.extend(features.iter().map(|&feature| {
                    let node = nodes.map_or(class, |nodes| nodes.node(feature, class));
                    (feature, node, i32::from(count))
                }));
            }
        }
        sorted.sort_unstable_by_key(|&(feature, class, _)| (feature, class));
        sorted.dedup_by(|next, one| {
            let same = (next.0, next.1) == (one.0, one.1);
            if same {
                one.2 += next.2;
            }
            same
        });
        self.sorted = sorted;
    }

    /// Moves the weights by a step along the difference.
    pub fn apply(&self, weights: &mut SparseWeights, step: f32) {
        for (features, classes) in self.groups() {
            let steps = classes.map(|(class, count)| (class, f32::from(count) * step));
            let used = classes.iter().take_while(|class| class.1 != 0).count();
            weights.update(features, &steps[..used]);
        }
    }

    /// The same where some classes share weights.
    pub fn apply_to_nodes(&self, weights: &mut SparseWeights, step: f32, nodes: &impl Nodes) {
        for (features, classes) in self.groups() {
            for (class, count) in classes.into_iter().filter(|class| class.1 != 0) {
                for &feature in features {
                    nodes.change(weights, feature, class, f32::from(count) * step);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    /// Every class has weights of its own.
    struct Apart;

    impl Nodes for Apart {
        fn node(&self, _: u64, class: u16) -> u16 {
            class
        }

        fn change(&self, weights: &mut SparseWeights, feature: u64, class: u16, step: f32) {
            weights.update(&[feature], &[(class, step)]);
        }
    }

    const NONE: Option<&Apart> = None;

    fn score(weights: &SparseWeights, difference: &Difference) -> f64 {
        let mut total = 0.0;
        for (features, classes) in difference.groups() {
            let mut scores = [0f32; 8];
            weights.add_scores(features, &mut scores);
            for (class, count) in classes {
                total += f64::from(scores[usize::from(class)]) * f64::from(count);
            }
        }
        total
    }

    /// Right: the second word is the head of the first; wrong: the other way round. Three features
    /// each, one of them shared, which cancels out: |x|² = 4. Loss 1, weights 0: a step of 1/4.
    #[test]
    fn two_words_by_hand() {
        let mut difference = Difference::default();
        difference.add(&[(0, 1)], |out| out.extend([1, 2, 9]));
        difference.add(&[(0, -1)], |out| out.extend([3, 4, 9]));
        assert_eq!(difference.squared_norm(NONE), 4.0);
        let mut weights = SparseWeights::default();
        weights.tick();
        let length = step(-score(&weights, &difference), 1.0, 4.0, 1.0);
        assert_eq!(length, 0.25);
        difference.apply(&mut weights, length as f32);
        for (feature, weight) in [(1, 0.25), (2, 0.25), (3, -0.25), (4, -0.25), (9, 0.0)] {
            let mut scores = [0.0; 2];
            weights.add_scores(&[feature], &mut scores);
            assert_eq!(scores[0], weight, "feature {feature}");
        }
    }

    #[test]
    fn the_margin_holds_after_an_update_that_c_allows() {
        let seed = 4;
        let mut rng = Seed(seed).rng();
        let mut weights = SparseWeights::default();
        for round in 0..200 {
            let mut difference = Difference::default();
            for _ in 0..=rng.below(6) {
                let classes = [(rng.below(4) as u16, 1), (4 + rng.below(4) as u16, -1)];
                let features: Vec<u64> = (0..5).map(|_| rng.below(40) as u64).collect();
                difference.add(&classes, |out| out.extend(features));
            }
            weights.tick();
            let loss = rng.unit();
            let norm = difference.squared_norm(NONE);
            let lead = -score(&weights, &difference);
            let length = step(lead, loss, norm, 1e9);
            difference.apply(&mut weights, length as f32);
            let after = score(&weights, &difference);
            assert!(after >= loss - 1e-3, "seed {seed}, round {round}: {after} < {loss}");
            assert!(length > 0.0 || -lead >= loss, "seed {seed}, round {round}");
        }
    }
}
