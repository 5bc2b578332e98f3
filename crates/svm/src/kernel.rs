//! The kernel `(gamma x.y + r)^2`, and rows of the kernel matrix by an inverted index.
use crate::Examples;

/// The quadratic kernel.
#[derive(Copy, Clone, PartialEq, Debug, serde::Serialize)]
pub struct Kernel {
    /// Factor of the number of shared features.
    pub gamma: f64,
    /// What is added to it.
    pub r: f64,
}

impl Default for Kernel {
    /// The settings of `MaltParser` for polynomial kernels.
    fn default() -> Kernel {
        Kernel { gamma: 0.2, r: 0.4 }
    }
}

impl Kernel {
    /// The kernel of two examples that share so many features.
    pub fn of(&self, shared: usize) -> f64 {
        (self.gamma * shared as f64 + self.r).powi(2)
    }

    /// What each shared feature contributes: `2 gamma r + gamma^2`, for `x^2 = x` if x is 0 or 1.
    pub fn single(&self) -> f64 {
        2.0 * self.gamma * self.r + self.gamma * self.gamma
    }

    /// What each shared pair of different features contributes.
    pub fn pair(&self) -> f64 {
        2.0 * self.gamma * self.gamma
    }

    /// What is there without any shared feature.
    pub fn constant(&self) -> f64 {
        self.r * self.r
    }
}

/// Which examples have a feature: rows of the kernel matrix without looking at all features.
pub struct Index<'a> {
    examples: &'a Examples,
    members: &'a [u32],
    starts: Vec<u32>,
    postings: Vec<u32>,
    values: Vec<f32>,
    shared: Vec<u16>,
}

impl<'a> Index<'a> {
    /// An index of some examples.
    pub fn new(examples: &'a Examples, members: &'a [u32], kernel: Kernel) -> Index<'a> {
        let mut starts = vec![0u32; examples.names().len() + 1];
        let mut longest = 0;
        for &member in members {
            let features = examples.features(member as usize);
            longest = longest.max(features.len());
            for &feature in features {
                starts[feature as usize + 1] += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut postings = vec![0; starts.last().map_or(0, |&all| all as usize)];
        for (at, &member) in members.iter().enumerate() {
            for &feature in examples.features(member as usize) {
                let place = &mut next[feature as usize];
                postings[*place as usize] = at as u32;
                *place += 1;
            }
        }
        let values = (0..=longest).map(|shared| kernel.of(shared) as f32).collect();
        let shared = vec![0; members.len()];
        Index { examples, members, starts, postings, values, shared }
    }

    /// Writes the kernel of one member with all members.
    pub fn row(&mut self, member: usize, row: &mut Vec<f32>) {
        self.shared.fill(0);
        for &feature in self.examples.features(self.members[member] as usize) {
            let [start, end] = [feature, feature + 1].map(|at| self.starts[at as usize] as usize);
            for &other in &self.postings[start..end] {
                self.shared[other as usize] += 1;
            }
        }
        row.clear();
        row.extend(self.shared.iter().map(|&shared| self.values[usize::from(shared)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::data;

    #[test]
    fn its_parts_are_the_square() {
        for (gamma, r) in [(0.2, 0.4), (1.0, 0.0), (0.7, 3.0)] {
            let kernel = Kernel { gamma, r };
            for shared in 0..9_usize {
                let pairs = shared * shared.saturating_sub(1) / 2;
                let parts = kernel.constant()
                    + kernel.single() * shared as f64
                    + kernel.pair() * pairs as f64;
                assert!((kernel.of(shared) - parts).abs() < 1e-12, "{gamma} {r} {shared}");
            }
        }
    }

    #[test]
    fn rows_count_shared_features() {
        let examples = data::examples(5, 40, 2);
        let members: Vec<u32> = (0..40).filter(|member| member % 3 != 0).collect();
        let kernel = Kernel::default();
        let mut index = Index::new(&examples, &members, kernel);
        let mut row = Vec::new();
        for (at, &one) in members.iter().enumerate() {
            index.row(at, &mut row);
            for (&other, &value) in members.iter().zip(&row) {
                let [one, other] = [one, other].map(|member| examples.features(member as usize));
                let shared = one.iter().filter(|feature| other.contains(feature)).count();
                assert_eq!(value, kernel.of(shared) as f32);
            }
        }
    }
}
