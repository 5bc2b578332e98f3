//! The dense weights of a net: one piece of memory, in which each layer has named places.
use crate::seed::Rng;

/// A place among the weights.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    start: usize,
    len: usize,
}

impl Slot {
    /// The numbers of this place.
    pub fn of(self, values: &[f32]) -> &[f32] {
        &values[self.start..self.start + self.len]
    }

    /// The numbers of this place, to be changed.
    pub fn of_mut(self, values: &mut [f32]) -> &mut [f32] {
        &mut values[self.start..self.start + self.len]
    }
}

/// All dense weights of a net.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    values: Vec<f32>,
    names: Vec<(String, Slot)>,
}

impl Parameters {
    /// A new place, filled with zeros.
    pub fn add(&mut self, name: &str, len: usize) -> Slot {
        let slot = Slot { start: self.values.len(), len };
        self.values.resize(slot.start + len, 0.0);
        self.names.push((name.to_owned(), slot));
        slot
    }

    /// All numbers.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All numbers, to be changed.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// Names and numbers of all places, in their order.
    pub fn sections(&self) -> impl Iterator<Item = (&str, &[f32])> {
        self.names.iter().map(|(name, slot)| (name.as_str(), slot.of(&self.values)))
    }

    /// Sets the numbers of a place by its name; false if there is no such place of this size.
    pub fn set(&mut self, name: &str, numbers: &[f32]) -> bool {
        let found = self.names.iter().find(|(known, _)| known == name);
        let Some((_, slot)) = found.filter(|(_, slot)| slot.len == numbers.len()) else {
            return false;
        };
        slot.of_mut(&mut self.values).copy_from_slice(numbers);
        true
    }

    /// Uniform numbers by the rule of Glorot and Bengio (2010).
    pub fn glorot(&mut self, slot: Slot, inputs: usize, outputs: usize, rng: &mut Rng) {
        let most = (6.0 / (inputs + outputs) as f32).sqrt();
        for weight in slot.of_mut(&mut self.values) {
            *weight = most * (2.0 * rng.unit() - 1.0);
        }
    }

    /// Blocks of `size` x `size` side by side, each with orthonormal rows (Saxe et al. 2014).
    pub fn orthogonal(&mut self, slot: Slot, size: usize, rng: &mut Rng) {
        let weights = slot.of_mut(&mut self.values);
        let width = weights.len() / size.max(1);
        for block in (0..width).step_by(size.max(1)) {
            let mut rows: Vec<Vec<f32>> = Vec::with_capacity(size);
            while rows.len() < size {
                let mut row: Vec<f32> = (0..size).map(|_| rng.normal()).collect();
                for other in &rows {
                    let along: f32 = row.iter().zip(other).map(|(a, b)| a * b).sum();
                    row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
                }
                let length = row.iter().map(|a| a * a).sum::<f32>().sqrt();
                if length > 1e-3 {
                    for a in &mut row {
                        *a /= length;
                    }
                    rows.push(row);
                }
            }
            for (at, row) in rows.iter().enumerate() {
                weights[at * width + block..][..size].copy_from_slice(row);
            }
        }
    }
}
