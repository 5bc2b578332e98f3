//! `y = x W + b`, and the leaky rectifier that may follow it. A biaffine score is such a layer over
//! dependents and a product with heads (Dozat and Manning 2017).
use crate::curves::widely;
use crate::parameters::{Parameters, Slot};
use crate::product::{Matrix, multiply};

/// The slope of the rectifier below zero.
pub const LEAK: f32 = 0.1;

/// A matrix and a bias.
#[derive(Copy, Clone, Debug)]
pub struct Affine {
    inputs: usize,
    outputs: usize,
    weights: Slot,
    bias: Slot,
}

impl Affine {
    /// A layer with weights of zero.
    pub fn new(parameters: &mut Parameters, name: &str, inputs: usize, outputs: usize) -> Affine {
        let weights = parameters.add(&format!("{name}.weights"), inputs * outputs);
        let bias = parameters.add(&format!("{name}.bias"), outputs);
        Affine { inputs, outputs, weights, bias }
    }

    /// Where the matrix is: a row for each input.
    pub fn weights(&self) -> Slot {
        self.weights
    }

    /// Size of a row of the result.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The result for all rows.
    pub fn forward(&self, values: &[f32], x: &[f32], rows: usize, out: &mut Vec<f32>) {
        out.clear();
        for _ in 0..rows {
            out.extend_from_slice(self.bias.of(values));
        }
        let weights = Matrix::new(self.weights.of(values), self.inputs, self.outputs);
        multiply(out, Matrix::new(x, rows, self.inputs), weights, true);
    }

    /// Adds to the gradients of the weights and, if wanted, to that of the input.
    pub fn backward(
        &self,
        values: &[f32],
        x: &[f32],
        slope: &[f32],
        rows: usize,
        gradients: &mut [f32],
        of_input: Option<&mut [f32]>,
    ) {
        let slopes = Matrix::new(slope, rows, self.outputs);
        let input = Matrix::new(x, rows, self.inputs);
        multiply(self.weights.of_mut(gradients), input.turned(), slopes, true);
        add_rows(self.bias.of_mut(gradients), slope);
        if let Some(of_input) = of_input {
            let weights = Matrix::new(self.weights.of(values), self.inputs, self.outputs);
            multiply(of_input, slopes, weights.turned(), true);
        }
    }
}

/// Adds all rows of a matrix to one row.
pub(crate) fn add_rows(sum: &mut [f32], rows: &[f32]) {
    let width = sum.len().max(1);
    for row in rows.chunks_exact(width) {
        sum.iter_mut().zip(row).for_each(|(a, b)| *a += b);
    }
}

/// The leaky rectifier.
pub fn leaky(numbers: &mut [f32]) {
    widely(
        #[inline(always)]
        || {
            for x in numbers.iter_mut() {
                *x = if *x > 0.0 { *x } else { LEAK * *x };
            }
        },
    );
}

/// The gradient before the rectifier from that behind it and its result, masked or not: where the
/// mask is zero so is the gradient.
pub fn leaky_backward(result: &[f32], slope: &mut [f32]) {
    for (slope, &y) in slope.iter_mut().zip(result) {
        *slope *= if y > 0.0 { 1.0 } else { LEAK };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Rng;
    use crate::testing::{assert_slopes, random, weighted};

    #[test]
    fn gradients_are_slopes() {
        let mut parameters = Parameters::default();
        let layer = Affine::new(&mut parameters, "a", 5, 4);
        let mut rng = Rng::new(3);
        let (values, x) = (random(&mut rng, 24), random(&mut rng, 15));
        let judge = random(&mut rng, 12);
        let run = |values: &[f32], x: &[f32]| {
            let mut out = Vec::new();
            layer.forward(values, x, 3, &mut out);
            leaky(&mut out);
            out
        };
        let mut slope = judge.clone();
        leaky_backward(&run(&values, &x), &mut slope);
        let (mut gradients, mut of_input) = (vec![0.0; 24], vec![0.0; 15]);
        layer.backward(&values, &x, &slope, 3, &mut gradients, Some(&mut of_input));
        assert_slopes(&values, &gradients, |values| weighted(&run(values, &x), &judge));
        assert_slopes(&x, &of_input, |x| weighted(&run(&values, x), &judge));
    }
}
