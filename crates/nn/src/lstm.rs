//! Long short-term memory (Hochreiter and Schmidhuber 1997) over the packed sentences of a batch, from
//! the first word to the last or the other way.
//!
//! The products of all words with the input weights are one product; a step adds the product of the
//! shrinking rows before it with the recurrent weights. The four gates stand side by side: input,
//! forget, output, candidate. Dropout of the recurrence has one mask a sentence.
use crate::affine::add_rows;
use crate::curves::{sigmoid_of, tanh_of, widely};
use crate::packing::Packing;
use crate::parameters::{Parameters, Slot};
use crate::product::{Matrix, multiply};
use crate::seed::Rng;

/// One direction of one layer.
#[derive(Copy, Clone, Debug)]
pub struct Lstm {
    inputs: usize,
    hidden: usize,
    backwards: bool,
    input: Slot,
    recurrent: Slot,
    bias: Slot,
}

/// What a layer remembers from its forward pass to its backward pass; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct LstmMemory {
    gates: Vec<f32>,
    cells: Vec<f32>,
    bent_cells: Vec<f32>,
    before: Vec<f32>,
    state: Vec<f32>,
    moved: Vec<f32>,
}

impl Lstm {
    /// A layer; forget gates begin open.
    pub fn new(
        parameters: &mut Parameters,
        name: &str,
        (inputs, hidden): (usize, usize),
        backwards: bool,
        rng: &mut Rng,
    ) -> Lstm {
        let input = parameters.add(&format!("{name}.input"), inputs * 4 * hidden);
        let recurrent = parameters.add(&format!("{name}.recurrent"), hidden * 4 * hidden);
        let bias = parameters.add(&format!("{name}.bias"), 4 * hidden);
        parameters.glorot(input, inputs, hidden, rng);
        parameters.orthogonal(recurrent, hidden, rng);
        bias.of_mut(parameters.values_mut())[hidden..2 * hidden].fill(1.0);
        Lstm { inputs, hidden, backwards, input, recurrent, bias }
    }

    /// Writes the states of all words into columns of `out`, from `column` on; rows are `width`
    /// apart. `masks` are those of the recurrence, one a sentence.
    pub fn forward(
        &self,
        values: &[f32],
        packing: &Packing,
        x: &[f32],
        masks: Option<&[f32]>,
        memory: &mut LstmMemory,
        (out, width, column): (&mut [f32], usize, usize),
    ) {
        let (rows, hidden) = (packing.rows(), self.hidden);
        let LstmMemory { gates, cells, bent_cells, before, state, moved } = memory;
        gates.clear();
        for _ in 0..rows {
            gates.extend_from_slice(self.bias.of(values));
        }
        let weights = Matrix::new(self.input.of(values), self.inputs, 4 * hidden);
        multiply(gates, Matrix::new(x, rows, self.inputs), weights, true);
        if self.backwards {
            mirror(packing, 4 * hidden, gates, moved);
            std::mem::swap(gates, moved);
        }
        for buffer in [&mut *cells, bent_cells, before] {
            buffer.clear();
            buffer.resize(rows * hidden, 0.0);
        }
        let recurrent = Matrix::new(self.recurrent.of(values), hidden, 4 * hidden);
        for step in 0..packing.steps() {
            let range = packing.step(step);
            let count = range.len();
            let at = range.start * hidden;
            let gates = &mut gates[range.start * 4 * hidden..][..count * 4 * hidden];
            if step > 0 {
                for (sentence, row) in state.chunks_exact(hidden).take(count).enumerate() {
                    let to = &mut before[at + sentence * hidden..][..hidden];
                    to.copy_from_slice(row);
                    if let Some(masks) = masks {
                        let mask = &masks[sentence * hidden..][..hidden];
                        to.iter_mut().zip(mask).for_each(|(x, m)| *x *= m);
                    }
                }
                let before = Matrix::new(&before[at..][..count * hidden], count, hidden);
                multiply(gates, before, recurrent, true);
            } else {
                state.clear();
                state.resize(count * hidden, 0.0);
            }
            let last = if step > 0 { packing.step(step - 1).start * hidden } else { 0 };
            let (old, new) = cells.split_at_mut(at);
            let old = &old[last.min(old.len())..];
            let bent = &mut bent_cells[at..];
            for sentence in 0..count {
                let place = sentence * hidden;
                let old = if step > 0 { &old[place..][..hidden] } else { &[] };
                cell(
                    &mut gates[4 * place..][..4 * hidden],
                    old,
                    &mut new[place..][..hidden],
                    &mut bent[place..][..hidden],
                    &mut state[place..][..hidden],
                );
                let row = range.start + sentence;
                let row = if self.backwards { packing.mirrored()[row] as usize } else { row };
                let state = &state[place..][..hidden];
                out[row * width + column..][..hidden].copy_from_slice(state);
            }
        }
    }

    /// Adds to the gradients of the weights and to that of the input.
    #[allow(clippy::too_many_arguments, reason = "what the two passes share")]
    pub fn backward(
        &self,
        values: &[f32],
        packing: &Packing,
        x: &[f32],
        masks: Option<&[f32]>,
        memory: &mut LstmMemory,
        (slope, width, column): (&[f32], usize, usize),
        gradients: &mut [f32],
        of_input: &mut [f32],
    ) {
        let (rows, hidden) = (packing.rows(), self.hidden);
        let LstmMemory { gates, cells, bent_cells, before, state, moved } = memory;
        let most = packing.lengths().len() * hidden;
        // Slopes of the states and the cells that come from the next step.
        state.clear();
        state.resize(most, 0.0);
        let mut of_cells = vec![0.0; most];
        let recurrent = Matrix::new(self.recurrent.of(values), hidden, 4 * hidden).turned();
        for step in (0..packing.steps()).rev() {
            let range = packing.step(step);
            let count = range.len();
            let last = if step > 0 { packing.step(step - 1).start * hidden } else { 0 };
            for sentence in 0..count {
                let row = range.start + sentence;
                let place = sentence * hidden;
                let to = if self.backwards { packing.mirrored()[row] as usize } else { row };
                let of_state = &mut state[place..][..hidden];
                let above = &slope[to * width + column..][..hidden];
                of_state.iter_mut().zip(above).for_each(|(a, b)| *a += b);
                let old = if step > 0 { &cells[last + place..][..hidden] } else { &[] };
                cell_backward(
                    &mut gates[row * 4 * hidden..][..4 * hidden],
                    old,
                    &bent_cells[row * hidden..][..hidden],
                    of_state,
                    &mut of_cells[place..][..hidden],
                );
            }
            if step > 0 {
                let gates = &gates[range.start * 4 * hidden..][..count * 4 * hidden];
                let gates = Matrix::new(gates, count, 4 * hidden);
                let state = &mut state[..count * hidden];
                multiply(state, gates, recurrent, false);
                if let Some(masks) = masks {
                    state.iter_mut().zip(masks).for_each(|(x, m)| *x *= m);
                }
            }
        }
        let of_gates = Matrix::new(gates, rows, 4 * hidden);
        let before = Matrix::new(before, rows, hidden);
        multiply(self.recurrent.of_mut(gradients), before.turned(), of_gates, true);
        add_rows(self.bias.of_mut(gradients), gates);
        if self.backwards {
            mirror(packing, 4 * hidden, gates, moved);
            std::mem::swap(gates, moved);
        }
        let of_gates = Matrix::new(gates, rows, 4 * hidden);
        let x = Matrix::new(x, rows, self.inputs);
        multiply(self.input.of_mut(gradients), x.turned(), of_gates, true);
        let weights = Matrix::new(self.input.of(values), self.inputs, 4 * hidden);
        multiply(of_input, of_gates, weights.turned(), true);
    }
}

/// Rows in the order of the other direction.
fn mirror(packing: &Packing, width: usize, from: &[f32], to: &mut Vec<f32>) {
    to.clear();
    for &row in packing.mirrored() {
        to.extend_from_slice(&from[row as usize * width..][..width]);
    }
}

/// One step of one sentence: sums become gates. `old` is empty at the first step; `bent` keeps what the
/// way back needs.
pub fn cell(
    gates: &mut [f32],
    old: &[f32],
    cells: &mut [f32],
    bent: &mut [f32],
    state: &mut [f32],
) {
    let hidden = cells.len();
    widely(
        #[inline(always)]
        || {
            let (open, candidate) = gates.split_at_mut(3 * hidden);
            for x in open.iter_mut() {
                *x = sigmoid_of(*x);
            }
            for x in candidate.iter_mut() {
                *x = tanh_of(*x);
            }
            let (input, open) = open.split_at(hidden);
            let (forget, output) = open.split_at(hidden);
            for ((cell, i), g) in cells.iter_mut().zip(input).zip(&*candidate) {
                *cell = i * g;
            }
            for ((cell, f), c) in cells.iter_mut().zip(forget).zip(old) {
                *cell += f * c;
            }
            for (((bent, state), c), o) in bent.iter_mut().zip(state).zip(&*cells).zip(output) {
                *bent = tanh_of(*c);
                *state = o * *bent;
            }
        },
    );
}

/// Gates become the slopes of their sums, and `of_cells` those of the cells before.
pub fn cell_backward(
    gates: &mut [f32],
    old: &[f32],
    bent: &[f32],
    of_state: &[f32],
    of_cells: &mut [f32],
) {
    let hidden = bent.len();
    widely(
        #[inline(always)]
        || {
            let (input, rest) = gates.split_at_mut(hidden);
            let (forget, rest) = rest.split_at_mut(hidden);
            let (output, candidate) = rest.split_at_mut(hidden);
            let places = output.iter_mut().zip(bent).zip(of_state).zip(&mut *of_cells);
            for (((o, &t), &s), c) in places {
                *c += s * *o * (1.0 - t * t);
                *o = s * t * *o * (1.0 - *o);
            }
            for ((i, g), &c) in input.iter_mut().zip(candidate).zip(&*of_cells) {
                let (gate, value) = (*i, *g);
                *i = c * value * gate * (1.0 - gate);
                *g = c * gate * (1.0 - value * value);
            }
            if old.is_empty() {
                forget.fill(0.0);
            }
            for ((f, &old), c) in forget.iter_mut().zip(old).zip(of_cells) {
                let gate = *f;
                *f = *c * old * gate * (1.0 - gate);
                *c *= gate;
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dropout;
    use crate::testing::{assert_slopes, random, weighted};

    const INPUTS: usize = 3;
    const HIDDEN: usize = 4;

    fn run(
        layer: &Lstm,
        values: &[f32],
        packing: &Packing,
        x: &[f32],
        masks: Option<&[f32]>,
    ) -> Vec<f32> {
        let mut out = vec![0.0; packing.rows() * (HIDDEN + 1)];
        let mut memory = LstmMemory::default();
        layer.forward(values, packing, x, masks, &mut memory, (&mut out, HIDDEN + 1, 1));
        out
    }

    #[test]
    fn gradients_are_slopes() {
        for backwards in [false, true] {
            let mut rng = Rng::new(5);
            let mut parameters = Parameters::default();
            let layer = Lstm::new(&mut parameters, "l", (INPUTS, HIDDEN), backwards, &mut rng);
            let packing = Packing::new(vec![4, 2, 2, 1]);
            let x = random(&mut rng, packing.rows() * INPUTS);
            let judge = random(&mut rng, packing.rows() * (HIDDEN + 1));
            let masks = dropout::mask(&mut rng, 4 * HIDDEN, 0.3);
            let values = parameters.values();
            let mut memory = LstmMemory::default();
            let mut out = vec![0.0; judge.len()];
            let masks = Some(&masks[..]);
            let place = (&mut out[..], HIDDEN + 1, 1);
            layer.forward(values, &packing, &x, masks, &mut memory, place);
            let (mut gradients, mut of_x) = (vec![0.0; values.len()], vec![0.0; x.len()]);
            let slope = (&judge[..], HIDDEN + 1, 1);
            layer.backward(
                values,
                &packing,
                &x,
                masks,
                &mut memory,
                slope,
                &mut gradients,
                &mut of_x,
            );
            assert_slopes(values, &gradients, |values| {
                weighted(&run(&layer, values, &packing, &x, masks), &judge)
            });
            assert_slopes(&x, &of_x, |x| {
                weighted(&run(&layer, values, &packing, x, masks), &judge)
            });
        }
    }

    #[test]
    fn a_batch_is_the_same_to_the_bit_as_one_by_one() {
        let (inputs, hidden) = (60, 40);
        for backwards in [false, true] {
            let mut rng = Rng::new(6);
            let mut parameters = Parameters::default();
            let layer = Lstm::new(&mut parameters, "l", (inputs, hidden), backwards, &mut rng);
            let packing = Packing::new(vec![9, 7, 7, 3, 1, 1]);
            let x = random(&mut rng, packing.rows() * inputs);
            let mut memory = LstmMemory::default();
            let mut out = vec![0.0; packing.rows() * hidden];
            let values = parameters.values();
            layer.forward(values, &packing, &x, None, &mut memory, (&mut out, hidden, 0));
            for (sentence, &length) in packing.lengths().iter().enumerate() {
                let rows = (0..length).map(|position| packing.row(sentence, position));
                let own: Vec<f32> =
                    rows.clone().flat_map(|row| &x[row * inputs..][..inputs]).copied().collect();
                let alone = Packing::new(vec![length]);
                let mut result = vec![0.0; length * hidden];
                let place = (&mut result[..], hidden, 0);
                layer.forward(values, &alone, &own, None, &mut memory, place);
                for (position, row) in rows.enumerate() {
                    assert_eq!(
                        result[position * hidden..][..hidden],
                        out[row * hidden..][..hidden]
                    );
                }
            }
        }
    }
}
