//! Choosing one of many classes that share parts, by a linear model.
//!
//! A class (an analysis such as `NOUN Case=Acc|Number=Plur`) is a set of parts (the whole, `NOUN`,
//! `Case=Acc`, `Number=Plur`), weights belong to parts, and the score of a class is the sum over
//! its parts. What is learned about an accusative then helps every class that has one, also those
//! that were seen once (the decomposition of morphological tags of Müller, Schmid and Schütze 2013,
//! "Efficient Higher-Order CRFs for Morphological Tagging").
//!
//! Learning is multinomial logistic regression by stochastic gradient steps, averaged over time
//! (Polyak and Juditsky 1992) like the perceptron.
use super::packed::PackedLabels;
use super::perceptron::SparseWeights;

/// Number of a class.
pub type Class = u16;

/// Which parts each class has.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    parts: Vec<u16>,
    /// Where the parts of each class end.
    ends: Vec<u32>,
    /// The parts of each class if all of them have two.
    twos: Vec<[u16; 2]>,
    /// Number of different parts.
    part_count: usize,
}

impl Classes {
    /// Adds the next class.
    pub fn push(&mut self, parts: impl IntoIterator<Item = u16>) {
        let start = self.parts.len();
        for part in parts {
            self.part_count = self.part_count.max(usize::from(part) + 1);
            self.parts.push(part);
        }
        if let [one, other] = self.parts[start..]
            && self.twos.len() == self.ends.len()
        {
            self.twos.push([one, other]);
        }
        self.ends.push(self.parts.len() as u32);
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there is no class.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of different parts.
    pub fn part_count(&self) -> usize {
        self.part_count
    }

    /// The parts of a class.
    #[inline]
    pub fn parts(&self, class: Class) -> &[u16] {
        let class = usize::from(class);
        let start = if class == 0 { 0 } else { self.ends[class - 1] as usize };
        &self.parts[start..self.ends[class] as usize]
    }

    #[inline]
    fn score(&self, class: Class, scores: &[f32]) -> f32 {
        self.parts(class).iter().map(|&part| scores[usize::from(part)]).sum()
    }

    /// The candidate with the best sum of part scores, the first of equals; nothing if there is no
    /// candidate.
    #[inline]
    pub fn best(&self, candidates: &[Class], scores: &[f32]) -> Option<Class> {
        if self.twos.len() < self.ends.len() {
            return best_by(candidates, |class| self.score(class, scores));
        }
        let score = |part: u16| scores[usize::from(part)];
        best_by(candidates, |class| {
            let [one, other] = self.twos[usize::from(class)];
            score(one) + score(other)
        })
    }
}

/// The candidate with the highest score, the first of equals.
#[inline]
fn best_by(candidates: &[Class], score: impl Fn(Class) -> f32) -> Option<Class> {
    let (&first, rest) = candidates.split_first()?;
    let mut best = (score(first), first);
    for &class in rest {
        let score = score(class);
        if score > best.0 {
            best = (score, class);
        }
    }
    Some(best.1)
}

/// Weights in training.
#[derive(Clone, Debug, Default)]
pub struct Learner {
    /// Weights of parts.
    pub weights: SparseWeights,
    scores: Vec<f32>,
    chances: Vec<f32>,
    steps: Vec<(u16, f32)>,
}

/// How fast is learned.
#[derive(Copy, Clone, Debug)]
pub struct Rate {
    /// Length of a step.
    pub step: f32,
    /// Classes less likely than this are left alone.
    pub least_chance: f32,
    /// By how much the right class should be better, in log odds.
    pub margin: f32,
}

impl Learner {
    /// Scores of all parts.
    pub fn score(&mut self, features: &[u64], classes: &Classes) -> &[f32] {
        self.scores.clear();
        self.scores.resize(classes.part_count(), 0.0);
        self.weights.add_scores(features, &mut self.scores);
        &self.scores
    }

    /// Scores the candidates, moves the weights towards the right one, and gives the class that
    /// had the best score before.
    pub fn learn(
        &mut self,
        features: &[u64],
        classes: &Classes,
        candidates: &[Class],
        gold: Class,
        rate: Rate,
    ) -> Option<Class> {
        self.weights.tick();
        self.score(features, classes);
        let best = classes.best(candidates, &self.scores);
        let Learner { weights, scores, chances, steps } = self;
        chances.clear();
        chances.extend(candidates.iter().map(|&class| {
            classes.score(class, scores) - if class == gold { rate.margin } else { 0.0 }
        }));
        let top = chances.iter().fold(f32::NEG_INFINITY, |top, &score| top.max(score));
        let mut sum = 0.0;
        for chance in chances.iter_mut() {
            *chance = (*chance - top).exp();
            sum += *chance;
        }
        steps.clear();
        for (&class, &chance) in candidates.iter().zip(&*chances) {
            let chance = chance / sum;
            let error = if class == gold { 1.0 - chance } else { -chance };
            if error.abs() >= rate.least_chance {
                let step = error * rate.step;
                for &part in classes.parts(class) {
                    match steps.iter_mut().find(|entry| entry.0 == part) {
                        Some(entry) => entry.1 += step,
                        None => steps.push((part, step)),
                    }
                }
            }
        }
        steps.retain(|entry| entry.1.abs() > rate.least_chance * rate.step * 0.5);
        if !steps.is_empty() {
            weights.update(features, steps);
        }
        best
    }
}

/// Packed weights of parts.
pub type PackedParts = PackedLabels;

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { step: 0.5, least_chance: 0.001, margin: 0.0 };

    /// Classes `ab`, `aB`, `Ab`, `AB` of the parts a, b, A, B: the last is never seen.
    #[test]
    fn parts_make_an_unseen_class() {
        let mut classes = Classes::default();
        for parts in [[0, 1], [0, 3], [2, 1], [2, 3]] {
            classes.push(parts);
        }
        let mut learner = Learner::default();
        for _ in 0..50 {
            for (features, gold) in [([10, 20], 0), ([10, 40], 1), ([30, 20], 2)] {
                learner.learn(&features, &classes, &[0, 1, 2, 3], gold, RATE);
            }
        }
        let scores = learner.score(&[30, 40], &classes).to_vec();
        assert_eq!(classes.best(&[0, 1, 2, 3], &scores), Some(3));
        assert_eq!(classes.best(&[], &scores), None);
        let mut with_others = classes.clone();
        with_others.push([0, 1, 2]);
        assert_eq!(with_others.best(&[0, 1, 2, 3], &scores), Some(3));
    }
}
