//! Weights in training as bytes and back, to the bit, so that training can go on later.
use super::{Averaging, DenseWeights, Entry, MOST_DENSE, SparseWeights};

/// Reads numbers one after the other; nothing if the bytes end too early.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn float(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes)
    }

    fn short(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn feature(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

impl DenseWeights {
    /// All weights, sums and the clock. Classes without either take no room.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.clock.to_le_bytes().to_vec();
        let rows = self.weights.iter().zip(&self.sums);
        for (feature, (weights, sums)) in self.index.features().zip(rows) {
            bytes.extend(feature.to_le_bytes());
            let touched = |class: &usize| weights.0[*class] != 0.0 || sums.0[*class] != 0.0;
            let mask = (0..MOST_DENSE).filter(touched).fold(0u8, |mask, class| mask | 1 << class);
            bytes.push(mask);
            for class in (0..MOST_DENSE).filter(touched) {
                bytes.extend(weights.0[class].to_le_bytes());
                bytes.extend(sums.0[class].to_le_bytes());
            }
        }
        bytes
    }

    /// Weights from bytes; nothing if the bytes are not weights.
    pub fn from_bytes(bytes: &[u8]) -> Option<DenseWeights> {
        let mut numbers = Numbers(bytes);
        let mut weights = DenseWeights { clock: numbers.float()?, ..DenseWeights::default() };
        while !numbers.0.is_empty() {
            let rows = weights.len();
            let row = weights.row(numbers.feature()?);
            if row != rows {
                return None;
            }
            let [mask] = numbers.take()?;
            for class in (0..MOST_DENSE).filter(|class| mask & 1 << class != 0) {
                weights.weights[row].0[class] = numbers.float()?;
                weights.sums[row].0[class] = numbers.float()?;
            }
        }
        Some(weights)
    }
}

impl SparseWeights {
    /// All weights, sums, the clock and how they are averaged.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.clock.to_le_bytes().to_vec();
        bytes.push(u8::from(self.averaging == Averaging::Late));
        for (feature, list) in self.lists() {
            let list: Vec<Entry> = list.collect();
            bytes.extend(feature.to_le_bytes());
            bytes.extend((list.len() as u16).to_le_bytes());
            for entry in list {
                bytes.extend(entry.class.to_le_bytes());
                bytes.extend(entry.weight.to_le_bytes());
                bytes.extend(entry.sum.to_le_bytes());
            }
        }
        bytes
    }

    /// Weights from bytes; nothing if the bytes are not weights of so many classes.
    pub fn from_bytes(bytes: &[u8], classes: usize) -> Option<SparseWeights> {
        let mut numbers = Numbers(bytes);
        let clock = numbers.float()?;
        let averaging = match numbers.take()? {
            [0] => Averaging::Even,
            [1] => Averaging::Late,
            _ => return None,
        };
        let mut weights = SparseWeights { clock, averaging, ..SparseWeights::default() };
        while !numbers.0.is_empty() {
            let (rows, feature) = (weights.rows.len(), numbers.feature()?);
            let row = weights.row(feature);
            if row != rows {
                return None;
            }
            for _ in 0..numbers.short()? {
                let class = numbers.short()?;
                if usize::from(class) >= classes {
                    return None;
                }
                let (weight, sum) = (numbers.float()?, numbers.float()?);
                weights.change(feature, row, class, weight, sum);
            }
        }
        Some(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    /// Weights that went through bytes learn on as if nothing had happened.
    #[test]
    fn learning_goes_on() {
        let mut rng = Seed(21).rng();
        let (mut dense, mut sparse) =
            (DenseWeights::default(), SparseWeights::averaged_by(Averaging::Late));
        let (mut dense_copy, mut sparse_copy) = (dense.clone(), sparse.clone());
        for round in 0..20_000u32 {
            if round % 5000 == 777 {
                dense_copy = DenseWeights::from_bytes(&dense_copy.to_bytes()).unwrap();
                sparse_copy = SparseWeights::from_bytes(&sparse_copy.to_bytes(), 8).unwrap();
            }
            let (feature, class) = (rng.next_u64() % 3000, rng.below(8) as u16);
            let steps = [(class, 1.0), (7 - class, -1.0)];
            for weights in [&mut dense, &mut dense_copy] {
                weights.tick();
                weights.update(&[feature], &steps);
            }
            for weights in [&mut sparse, &mut sparse_copy] {
                weights.tick();
                weights.update(&[feature], &steps);
            }
        }
        assert_eq!(dense.to_bytes(), dense_copy.to_bytes());
        assert_eq!(sparse.to_bytes(), sparse_copy.to_bytes());
        assert!(dense.averaged().eq(dense_copy.averaged()));
        assert!(sparse.averaged().eq(sparse_copy.averaged()));
    }

    #[test]
    fn what_is_no_weights_is_refused() {
        let mut sparse = SparseWeights::default();
        sparse.update(&[5, 6], &[(3, 1.0)]);
        let bytes = sparse.to_bytes();
        assert!(SparseWeights::from_bytes(&bytes, 4).is_some());
        assert!(SparseWeights::from_bytes(&bytes, 3).is_none(), "class out of range");
        assert!(SparseWeights::from_bytes(&bytes[..bytes.len() - 1], 4).is_none());
        assert!(SparseWeights::from_bytes(&[&bytes[..], &bytes[5..]].concat(), 4).is_none());
        assert!(DenseWeights::from_bytes(&[1, 2]).is_none());
    }
}
