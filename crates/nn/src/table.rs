//! Embeddings: a word is a bag of rows of a table, and its vector their sum, scaled. Forms, tags and
//! hashed character n-grams are all such bags. Gradients are sparse: only rows that were met have one.

/// Vectors by number.
#[derive(Clone, Debug, Default)]
pub struct Table {
    width: usize,
    values: Vec<f32>,
}

/// The rows of each word, one word after the other.
#[derive(Clone, Debug, Default)]
pub struct Bags {
    starts: Vec<u32>,
    rows: Vec<u32>,
    scales: Vec<f32>,
}

impl Bags {
    /// Adds a word.
    pub fn push(&mut self, rows: impl IntoIterator<Item = u32>, scale: f32) {
        self.rows.extend(rows);
        self.starts.push(self.rows.len() as u32);
        self.scales.push(scale);
    }

    /// Words.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// True if there is no word.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// The rows of a word and by what their sum is scaled.
    pub fn get(&self, word: usize) -> (&[u32], f32) {
        let start = if word == 0 { 0 } else { self.starts[word - 1] as usize };
        (&self.rows[start..self.starts[word] as usize], self.scales[word])
    }
}

impl Table {
    /// A table of vectors of this width, from their numbers.
    pub fn new(width: usize, values: Vec<f32>) -> Table {
        assert!(width > 0 && values.len().is_multiple_of(width), "whole rows");
        Table { width, values }
    }

    /// Vectors.
    pub fn rows(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// Numbers of a vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All numbers, to be changed.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// Writes the vector of a bag of rows.
    pub fn sum(&self, (rows, scale): (&[u32], f32), out: &mut [f32]) {
        out.fill(0.0);
        for &row in rows {
            let vector = &self.values[row as usize * self.width..][..self.width];
            out.iter_mut().zip(vector).for_each(|(sum, one)| *sum += one);
        }
        for sum in out.iter_mut() {
            *sum *= scale;
        }
    }
}

/// The gradient of a table.
#[derive(Clone, Debug, Default)]
pub struct TableGradient {
    width: usize,
    values: Vec<f32>,
    met: Vec<bool>,
    touched: Vec<u32>,
}

impl TableGradient {
    /// Zero, for a table.
    pub fn new(table: &Table) -> TableGradient {
        TableGradient {
            width: table.width,
            values: vec![0.0; table.values.len()],
            met: vec![false; table.rows()],
            touched: Vec::new(),
        }
    }

    /// Adds what the vector of a bag wants.
    pub fn add(&mut self, (rows, scale): (&[u32], f32), slope: &[f32]) {
        for &row in rows {
            self.meet(row);
            let sum = &mut self.values[row as usize * self.width..][..self.width];
            sum.iter_mut().zip(slope).for_each(|(sum, one)| *sum += scale * one);
        }
    }

    fn meet(&mut self, row: u32) {
        if !std::mem::replace(&mut self.met[row as usize], true) {
            self.touched.push(row);
        }
    }

    /// Adds another gradient and makes it zero.
    pub fn take(&mut self, other: &mut TableGradient) {
        for at in 0..other.touched.len() {
            let row = other.touched[at];
            self.meet(row);
            let place = row as usize * self.width..(row as usize + 1) * self.width;
            let sums = self.values[place.clone()].iter_mut();
            sums.zip(&other.values[place]).for_each(|(sum, one)| *sum += one);
        }
        other.clear();
    }

    /// Rows that were met, and their gradients.
    pub fn touched(&self) -> impl Iterator<Item = (usize, &[f32])> {
        let row =
            |&row: &u32| (row as usize, &self.values[row as usize * self.width..][..self.width]);
        self.touched.iter().map(row)
    }

    /// Zero again.
    pub fn clear(&mut self) {
        for &row in &self.touched {
            self.values[row as usize * self.width..][..self.width].fill(0.0);
            self.met[row as usize] = false;
        }
        self.touched.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Rng;
    use crate::testing::{assert_slopes, random, weighted};

    #[test]
    fn gradients_are_slopes_and_add_up() {
        let mut rng = Rng::new(8);
        let values = random(&mut rng, 15);
        let judge = random(&mut rng, 6);
        let mut bags = Bags::default();
        bags.push([0, 3, 3], 0.5);
        bags.push([4, 0], 2.0);
        assert_eq!((bags.len(), bags.is_empty()), (2, false));
        let run = |values: &[f32]| {
            let table = Table::new(3, values.to_vec());
            let mut out = vec![0.0; 6];
            for (word, out) in out.chunks_exact_mut(3).enumerate() {
                table.sum(bags.get(word), out);
            }
            weighted(&out, &judge)
        };
        let table = Table::new(3, values.clone());
        let mut gradients = [TableGradient::new(&table), TableGradient::new(&table)];
        for (word, gradient) in gradients.iter_mut().enumerate() {
            gradient.add(bags.get(word), &judge[3 * word..][..3]);
        }
        let [mut sum, mut other] = gradients;
        sum.take(&mut other);
        assert_eq!(other.touched().count(), 0);
        assert_eq!(sum.touched().map(|(row, _)| row).collect::<Vec<_>>(), [0, 3, 4]);
        assert_slopes(&values, &sum.values, run);
        sum.clear();
        assert!(sum.values.iter().all(|&number| number == 0.0));
    }
}
