//! The net: from the vectors of tokens to scores, and back.
use nn::affine::{Affine, leaky, leaky_backward};
use nn::curves::cross_entropy;
use nn::dropout;
use nn::packing::Packing;
use nn::parameters::{Parameters, Slot};
use nn::product::{Matrix, multiply};
use nn::seed::Rng;
use nn::table::TableGradient;
use serde::{Deserialize, Serialize};

use crate::context::{Context, ContextMemory, ContextShape, Lesson, numbers};
use crate::inputs::Encoded;

/// Distances beyond this one are alike.
const FARTHEST: usize = 33;

/// Sizes of a net.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    pub context: ContextShape,
    pub arcs: usize,
    pub labels: usize,
    pub label_count: usize,
}

/// Heads and dependents for arcs, then for labels.
const ROLES: [&str; 4] = ["arc-head", "arc-dependent", "label-head", "label-dependent"];

/// Weights and layers.
#[derive(Clone, Debug)]
pub struct Network {
    pub shape: Shape,
    pub parameters: Parameters,
    pub context: Context,
    roles: [Affine; 4],
    arcs: Affine,
    distances: Slot,
    labels: Affine,
}

/// Gradients of all weights.
#[derive(Clone, Debug)]
pub struct Gradients {
    pub dense: Vec<f32>,
    pub tables: Vec<TableGradient>,
}

/// The memory of one thread.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub context: ContextMemory,
    pub roles: [Vec<f32>; 4],
    pub arc_queries: Vec<f32>,
    pub label_queries: Vec<f32>,
}

/// A sentence with its tree: heads and labels by token, the root's own place first.
pub struct Gold<'a> {
    pub encoded: &'a Encoded,
    pub heads: &'a [u32],
    pub labels: &'a [u32],
    /// Names its random numbers.
    pub number: u64,
}

impl Shape {
    fn role_width(&self, role: usize) -> usize {
        if role < 2 { self.arcs } else { self.labels }
    }
}

impl Network {
    pub fn new(shape: Shape, seed: u64) -> Network {
        let mut rng = Rng::fork(seed, 1, 0);
        let mut parameters = Parameters::default();
        let context = Context::new(&mut parameters, shape.context, &mut rng);
        let inputs = context.width();
        let roles = std::array::from_fn(|role| {
            let outputs = shape.role_width(role);
            let layer = Affine::new(&mut parameters, ROLES[role], inputs, outputs);
            parameters.glorot(layer.weights(), inputs, outputs, &mut rng);
            layer
        });
        let arcs = Affine::new(&mut parameters, "arcs", shape.arcs, shape.arcs);
        let distances = parameters.add("distances", 2 * FARTHEST + 1);
        let scores = (shape.labels + 1) * shape.label_count;
        let labels = Affine::new(&mut parameters, "labels", shape.labels, scores);
        Network { shape, parameters, context, roles, arcs, distances, labels }
    }

    pub fn gradients(&self) -> Gradients {
        Gradients {
            dense: vec![0.0; self.parameters.values().len()],
            tables: self.context.tables.iter().map(TableGradient::new).collect(),
        }
    }

    /// Reads the tokens whose vectors stand in the memory.
    pub fn forward(&self, memory: &mut Memory) {
        self.context.forward(self.parameters.values(), &mut memory.context, None);
        self.pass(memory, None);
    }

    /// From words in context to heads and dependents.
    fn pass(&self, memory: &mut Memory, masks: Option<&[Vec<f32>; 4]>) {
        let values = self.parameters.values();
        let Memory { context, roles, arc_queries, label_queries } = memory;
        let (x, rows) = (context.result(), context.packing.rows());
        for (role, layer) in self.roles.iter().enumerate() {
            layer.forward(values, x, rows, &mut roles[role]);
            leaky(&mut roles[role]);
            if let Some(masks) = masks {
                let width = self.shape.role_width(role);
                dropout::apply(&mut roles[role], width, &masks[role], &context.packing);
            }
        }
        self.arcs.forward(values, &roles[1], rows, arc_queries);
        self.labels.forward(values, &roles[3], rows, label_queries);
    }

    /// Scores of all arcs of a sentence of the batch: a row for each dependent, a column for each
    /// head, the root's first. `queries` and `heads` are the rows they were made of.
    pub fn arc_scores(
        &self,
        memory: &Memory,
        sentence: usize,
        (queries, heads): (&mut Vec<f32>, &mut Vec<f32>),
        scores: &mut Vec<f32>,
    ) {
        let packing = &memory.context.packing;
        let size = packing.lengths()[sentence];
        let width = self.shape.arcs;
        gather(packing, sentence, &memory.arc_queries, width, queries);
        gather(packing, sentence, &memory.roles[0], width, heads);
        scores.clear();
        scores.resize(size * size, 0.0);
        let heads = Matrix::new(heads, size, width);
        multiply(scores, Matrix::new(queries, size, width), heads.turned(), false);
        let distances = self.distances.of(self.parameters.values());
        for (dependent, row) in scores.chunks_exact_mut(size).enumerate() {
            for (head, score) in row.iter_mut().enumerate() {
                *score += distances[distance(head, dependent)];
            }
        }
    }

    /// Adds what a batch teaches to the gradients; gives the loss.
    pub fn study(
        &self,
        batch: &[Gold<'_>],
        lesson: Lesson,
        memory: &mut Memory,
        gradients: &mut Gradients,
    ) -> f64 {
        let encoded: Vec<&Encoded> = batch.iter().map(|gold| gold.encoded).collect();
        let names: Vec<u64> = batch.iter().map(|gold| gold.number).collect();
        let packing = Packing::new(batch.iter().map(|gold| gold.heads.len()).collect());
        let masks = self.context.masks(&names, lesson, &packing);
        memory.context.packing = packing;
        let values = self.parameters.values();
        self.context.embed(values, &encoded, &masks, &mut memory.context);
        self.context.forward(values, &mut memory.context, Some(&masks));
        let of_roles = self.role_masks(&names, lesson);
        self.pass(memory, Some(&of_roles));
        let slope = self.study_pass(batch, lesson, &of_roles, memory, &mut gradients.dense);
        let Gradients { dense, tables } = gradients;
        let (loss, slope) = slope;
        self.context.backward(
            values,
            &encoded,
            &masks,
            slope,
            &mut memory.context,
            (dense, tables),
        );
        loss
    }

    /// What is dropped from heads and dependents.
    fn role_masks(&self, sentences: &[u64], lesson: Lesson) -> [Vec<f32>; 4] {
        let mut masks: [Vec<f32>; 4] = Default::default();
        for &number in sentences {
            let rng = &mut numbers(lesson, 1, number);
            for (role, mask) in masks.iter_mut().enumerate() {
                mask.extend(dropout::mask(rng, self.shape.role_width(role), lesson.dropout));
            }
        }
        masks
    }

    /// The loss of a batch, and the gradient of its words in context.
    fn study_pass(
        &self,
        batch: &[Gold<'_>],
        lesson: Lesson,
        masks: &[Vec<f32>; 4],
        memory: &Memory,
        dense: &mut [f32],
    ) -> (f64, Vec<f32>) {
        let values = self.parameters.values();
        let Memory { context, roles, arc_queries, label_queries } = memory;
        let rows = context.packing.rows();
        let mut of_roles = roles.each_ref().map(|role| vec![0.0; role.len()]);
        let mut of_arcs = vec![0.0; arc_queries.len()];
        let mut of_labels = vec![0.0; label_queries.len()];
        let mut loss = 0.0;
        for (sentence, gold) in batch.iter().enumerate() {
            let slopes = (&mut of_roles, &mut of_arcs[..], &mut of_labels[..]);
            loss += self.study_sentence(memory, sentence, gold, lesson, slopes, dense);
        }
        self.arcs.backward(values, &roles[1], &of_arcs, rows, dense, Some(&mut of_roles[1]));
        self.labels.backward(values, &roles[3], &of_labels, rows, dense, Some(&mut of_roles[3]));
        let mut slope = vec![0.0; rows * self.context.width()];
        for (role, layer) in self.roles.iter().enumerate() {
            let of_role = &mut of_roles[role];
            dropout::apply(of_role, layer.outputs(), &masks[role], &context.packing);
            leaky_backward(&roles[role], of_role);
            layer.backward(values, context.result(), of_role, rows, dense, Some(&mut slope));
        }
        (loss, slope)
    }

    /// The loss of a sentence, and its slopes.
    fn study_sentence(
        &self,
        memory: &Memory,
        sentence: usize,
        gold: &Gold<'_>,
        lesson: Lesson,
        (of_roles, of_arcs, of_labels): (&mut [Vec<f32>; 4], &mut [f32], &mut [f32]),
        dense: &mut [f32],
    ) -> f64 {
        let packing = &memory.context.packing;
        let (size, width) = (gold.heads.len(), self.shape.arcs);
        let (mut queries, mut heads, mut scores) = (Vec::new(), Vec::new(), Vec::new());
        self.arc_scores(memory, sentence, (&mut queries, &mut heads), &mut scores);
        let mut loss = 0.0;
        let distances = self.distances.of_mut(dense);
        for (dependent, row) in scores.chunks_exact_mut(size).enumerate() {
            if dependent == 0 {
                row.fill(0.0);
                continue;
            }
            row[dependent] = f32::NEG_INFINITY;
            let right = gold.heads[dependent] as usize;
            loss += f64::from(cross_entropy(row, right, lesson.weight));
            for (head, &slope) in row.iter().enumerate() {
                distances[distance(head, dependent)] += slope;
            }
        }
        let slopes = Matrix::new(&scores, size, size);
        let mut product = vec![0.0; size * width];
        multiply(&mut product, slopes, Matrix::new(&heads, size, width), false);
        scatter(packing, sentence, &product, width, of_arcs);
        multiply(&mut product, slopes.turned(), Matrix::new(&queries, size, width), false);
        scatter(packing, sentence, &product, width, &mut of_roles[0]);
        let (width, count) = (self.shape.labels, self.shape.label_count);
        let mut scores = vec![0.0; count];
        for dependent in 1..size {
            let row = packing.row(sentence, dependent);
            let head = packing.row(sentence, gold.heads[dependent] as usize);
            let place = row * (width + 1) * count..(row + 1) * (width + 1) * count;
            let query = &memory.label_queries[place.clone()];
            let head_vector = &memory.roles[2][head * width..][..width];
            label_scores(query, head_vector, &mut scores);
            let right = gold.labels[dependent] as usize;
            loss += f64::from(cross_entropy(&mut scores, right, lesson.weight));
            let of_query = of_labels[place].chunks_exact_mut(count);
            let of_head = &mut of_roles[2][head * width..][..width];
            for (at, (of_query, query)) in of_query.zip(query.chunks_exact(count)).enumerate() {
                let input = if at < width { head_vector[at] } else { 1.0 };
                of_query.iter_mut().zip(&scores).for_each(|(sum, slope)| *sum += input * slope);
                if at < width {
                    of_head[at] += dot(query, &scores);
                }
            }
        }
        loss
    }
}

/// Scores of all labels of an arc: a row of the query for each number of the head, and one more.
pub fn label_scores(query: &[f32], head: &[f32], scores: &mut [f32]) {
    let (rows, last) = query.split_at(query.len() - scores.len());
    scores.copy_from_slice(last);
    for (row, &input) in rows.chunks_exact(scores.len()).zip(head) {
        scores.iter_mut().zip(row).for_each(|(score, weight)| *score += input * weight);
    }
}

/// The sum of products, in eight sums side by side.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

/// The place of a distance: leftward heads, the root, rightward heads.
fn distance(head: usize, dependent: usize) -> usize {
    let steps = if head == 0 { 0 } else { head as isize - dependent as isize };
    let farthest = FARTHEST as isize;
    (steps.clamp(-farthest, farthest) + farthest) as usize
}

/// The rows of a sentence, one after the other.
pub fn gather(packing: &Packing, sentence: usize, from: &[f32], width: usize, to: &mut Vec<f32>) {
    to.clear();
    for position in 0..packing.lengths()[sentence] {
        to.extend_from_slice(&from[packing.row(sentence, position) * width..][..width]);
    }
}

/// Adds rows of a sentence to where they belong.
fn scatter(packing: &Packing, sentence: usize, from: &[f32], width: usize, to: &mut [f32]) {
    for (position, row) in from.chunks_exact(width).enumerate() {
        let sum = &mut to[packing.row(sentence, position) * width..][..width];
        sum.iter_mut().zip(row).for_each(|(a, b)| *a += b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::Vectors;

    /// The loss of a whole net against its gradient, dropout included, at places all over.
    #[test]
    fn gradients_are_slopes() {
        let shape = Shape {
            context: ContextShape {
                embedding: 4,
                layers: 2,
                hidden: 3,
                rows: [4, 6, 3],
                vectors: 2,
                encoder: [2, 3],
            },
            arcs: 4,
            labels: 3,
            label_count: 3,
        };
        let mut net = Network::new(shape, 3);
        let text = "a 1 2\nb 3 1\nc 2 2\nd -1 0\n";
        let vectors = Vectors::read(text.as_bytes(), 9, |_| true).unwrap();
        net.context.vectors = Some(vectors.into());
        let mut rng = Rng::new(9);
        for weight in net.parameters.values_mut() {
            *weight += 0.3 * rng.normal();
        }
        let encoded = |tokens: u32| {
            let mut encoded = Encoded::default();
            let mut given = Vec::new();
            for token in 0..tokens {
                encoded.vectors.push(token.checked_sub(1));
                given.extend((0..6_u8).map(|x| (f32::from(x) - 2.0) * 0.25 + 0.1 * token as f32));
                encoded.bags[0].push([token % 4], 1.0);
                encoded.bags[1].push([token % 6, (token + 2) % 6], 0.7);
                encoded.bags[2].push([token % 3], 1.0);
            }
            encoded.outputs = Some(encoder::Outputs::new(2, 3, &given).into());
            encoded
        };
        let (one, two) = (encoded(4), encoded(3));
        let batch = [
            Gold { encoded: &one, heads: &[0, 2, 0, 2], labels: &[0, 1, 0, 2], number: 0 },
            Gold { encoded: &two, heads: &[0, 0, 1], labels: &[0, 0, 2], number: 1 },
        ];
        let lesson = Lesson { dropout: 0.2, seed: 4, step: 1, weight: 0.5 };
        let loss =
            |net: &Network| net.study(&batch, lesson, &mut Memory::default(), &mut net.gradients());
        let mut gradients = net.gradients();
        net.study(&batch, lesson, &mut Memory::default(), &mut gradients);
        let check = |slope: f64, claimed: f32, what: &str| {
            let error = (slope - f64::from(claimed)).abs();
            assert!(error < 2e-3 * (1.0 + slope.abs()), "{what}: {claimed}, slope {slope}");
        };
        for at in 0..gradients.dense.len() {
            let slope = [2e-3_f32, -2e-3].map(|step| {
                let mut moved = net.clone();
                moved.parameters.values_mut()[at] += step;
                loss(&moved)
            });
            check((slope[0] - slope[1]) / 4e-3, gradients.dense[at], "weight");
        }
        for table in 0..crate::inputs::TABLES {
            for (row, gradient) in gradients.tables[table].touched() {
                for (at, &claimed) in gradient.iter().enumerate() {
                    let slope = [2e-3_f32, -2e-3].map(|step| {
                        let mut moved = net.clone();
                        moved.context.tables[table].values_mut()[row * 4 + at] += step;
                        loss(&moved)
                    });
                    check((slope[0] - slope[1]) / 4e-3, claimed, "vector");
                }
            }
        }
    }
}
