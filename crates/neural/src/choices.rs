//! Small nets that choose one of a few classes by some tokens of a sentence and some facts, for
//! parsers that decide step by step (Chen and Manning 2014; Kiperwasser and Goldberg 2016).
//!
//! A token is its columns alone, or what layers of memories make of it in its sentence. The hidden
//! layer is a sum over places, so the product of each token with the weights of each place is computed
//! once a sentence, in one matrix product; a decision adds rows of it. The gradient goes the same way
//! back. Products of words that stand for themselves are kept from sentence to sentence.
//!
//! A stack-LSTM ([`crate::stack_lstm`]) may add what it makes of the whole state.
use std::collections::HashMap;

use nn::affine::LEAK;
use nn::dropout;
use nn::packing::Packing;
use nn::parameters::{Parameters, Slot};
use nn::product::{Matrix, multiply};
use nn::seed::Rng;
use nn::table::TableGradient;
use serde::{Deserialize, Serialize};

use crate::context::{Context, ContextMasks, ContextMemory, ContextShape, Lesson, numbers};
use crate::inputs::{Columns, Encoded, Encoder};
use crate::reading::Forms;
use crate::stack_lstm::{Seen, StackLstm, StackMemory, StackShape};

/// A place where there is no token.
pub const NO_TOKEN: u32 = u32::MAX;

/// Numbers of products that are kept for words that may come again, at most.
const MOST_KEPT: usize = 1 << 24;

/// The curve of a hidden layer.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Curve {
    /// The leaky rectifier.
    #[default]
    Rectifier,
    /// The third power (Chen and Manning 2014).
    Cube,
}

impl Curve {
    fn of(self, x: f32) -> f32 {
        match self {
            Curve::Rectifier => {
                if x > 0.0 {
                    x
                } else {
                    LEAK * x
                }
            }
            Curve::Cube => x * x * x,
        }
    }

    fn slope(self, x: f32) -> f32 {
        match self {
            Curve::Rectifier => {
                if x > 0.0 {
                    1.0
                } else {
                    LEAK
                }
            }
            Curve::Cube => 3.0 * x * x,
        }
    }
}

/// Sizes of a net for one kind of decision.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChoiceShape {
    /// Places of tokens.
    pub tokens: usize,
    /// Places of tokens with all that they have become the head of, for a stack-LSTM.
    #[serde(default)]
    pub nodes: usize,
    /// How many values each fact may have.
    pub facts: Vec<usize>,
    /// Size of the hidden layer.
    pub hidden: usize,
    /// Classes.
    pub classes: usize,
}

/// Sizes of nets for several kinds of decisions about the same sentences.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChooserShape {
    /// How tokens are read.
    pub context: ContextShape,
    /// One net for each kind of decision.
    pub choices: Vec<ChoiceShape>,
    /// The curve of hidden layers.
    pub curve: Curve,
    /// A stack-LSTM that reads whole states.
    #[serde(default)]
    pub stack: Option<StackShape>,
}

/// Where the weights of a kind of decision are.
#[derive(Copy, Clone, Debug)]
struct Choice {
    /// A row for each number of a token, a column for each place and hidden number.
    places: Slot,
    /// What a place counts without a token.
    absent: Slot,
    /// A row for each value of each fact.
    facts: Slot,
    bias: Slot,
    /// A row for each class.
    classes: Slot,
    class_bias: Slot,
}

/// Nets for several kinds of decisions, and the context that they share.
#[derive(Clone, Debug)]
pub struct Chooser {
    pub(crate) shape: ChooserShape,
    pub(crate) parameters: Parameters,
    pub(crate) context: Context,
    choices: Vec<Choice>,
    stack: Option<StackLstm>,
}

/// Gradients of all weights.
#[derive(Clone, Debug, Default)]
pub struct ChooserGradients {
    pub(crate) dense: Vec<f32>,
    pub(crate) tables: Vec<TableGradient>,
    /// Sum of the losses and number of decisions.
    pub decisions: usize,
}

/// What is asked, and what came of it.
#[derive(Clone, Debug, Default)]
struct Question {
    tokens: Vec<u32>,
    nodes: Vec<u32>,
    facts: Vec<u32>,
    sums: Vec<f32>,
    hidden: Vec<f32>,
}

/// What is needed only while sentences are studied.
#[derive(Clone, Debug, Default)]
struct Study {
    encoded: Vec<Encoded>,
    masks: ContextMasks,
    lesson: Lesson,
    seeds: Vec<u64>,
    /// By what the hidden numbers of each kind of decision are multiplied in this sentence.
    hidden: Vec<Vec<f32>>,
    /// Gradients of the products of tokens and places.
    of_products: Vec<Vec<f32>>,
    /// The tokens that the stack-LSTM has taken in.
    of_stack: Vec<u32>,
}

/// The memory of one thread.
#[derive(Clone, Debug, Default)]
pub struct ChooserMemory {
    context: ContextMemory,
    forms: Forms,
    /// For each kind of decision the products of tokens and places.
    products: Vec<Vec<f32>>,
    questions: Vec<Question>,
    /// For each token of the sentence the row of its products.
    rows: Vec<u32>,
    /// Words that stand for themselves and have been met: the rows of their products.
    known: HashMap<Box<str>, u32>,
    /// For each sentence that is studied, in the order given, its place in the packing.
    order: Vec<usize>,
    sentence: usize,
    study: Option<Box<Study>>,
    stack: StackMemory,
}

/// What is to be asked: tokens by number, the root's zero, or [`NO_TOKEN`]; and facts.
#[derive(Debug)]
pub struct Asked<'m> {
    /// Tokens as they stand in the sentence.
    pub tokens: &'m mut Vec<u32>,
    /// Tokens with all that they have become the head of, for a stack-LSTM.
    pub nodes: &'m mut Vec<u32>,
    /// Facts.
    pub facts: &'m mut Vec<u32>,
}

impl ChooserMemory {
    /// An empty question.
    pub fn ask(&mut self, kind: usize) -> Asked<'_> {
        if self.questions.len() <= kind {
            self.questions.resize(kind + 1, Question::default());
        }
        let Question { tokens, nodes, facts, .. } = &mut self.questions[kind];
        [&mut *tokens, nodes, facts].into_iter().for_each(Vec::clear);
        Asked { tokens, nodes, facts }
    }

    /// What the state shows about which is asked, for a stack-LSTM; empty before it is filled.
    pub fn show(&mut self) -> &mut Seen {
        self.stack.seen.clear();
        &mut self.stack.seen
    }
}

fn add(sums: &mut [f32], row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, one)| *sum += one);
}

fn add_scaled(sums: &mut [f32], row: &[f32], by: f32) {
    sums.iter_mut().zip(row).for_each(|(sum, one)| *sum += by * one);
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

impl Chooser {
    /// Nets that have learned nothing.
    pub fn new(shape: ChooserShape, seed: u64) -> Chooser {
        let rng = &mut Rng::fork(seed, 1, 0);
        let mut parameters = Parameters::default();
        let context = Context::new(&mut parameters, shape.context, rng);
        let width = context.width();
        let mut choices = Vec::new();
        for (kind, of) in shape.choices.iter().enumerate() {
            let mut slot = |name: &str, rows: usize, columns: usize, inputs: usize| {
                let slot = parameters.add(&format!("choice{kind}.{name}"), rows * columns);
                if inputs > 0 {
                    parameters.glorot(slot, inputs, of.hidden, rng);
                }
                slot
            };
            let inputs = width * of.tokens;
            choices.push(Choice {
                places: slot("places", width, of.tokens * of.hidden, inputs),
                absent: slot("absent", of.tokens, of.hidden, inputs),
                facts: slot("facts", of.facts.iter().sum(), of.hidden, 10 * of.facts.len()),
                bias: slot("bias", 1, of.hidden, 0),
                classes: slot("classes", of.classes, of.hidden, of.hidden),
                class_bias: slot("class-bias", 1, of.classes, 0),
            });
        }
        let kinds = shape.choices.iter().map(|of| (of.hidden, of.nodes));
        let stack =
            shape.stack.map(|stack| StackLstm::new(&mut parameters, stack, width, kinds, rng));
        Chooser { shape, parameters, context, choices, stack }
    }

    /// Gradients of zero.
    pub fn gradients(&self) -> ChooserGradients {
        ChooserGradients {
            dense: vec![0.0; self.parameters.values().len()],
            tables: self.context.tables.iter().map(TableGradient::new).collect(),
            decisions: 0,
        }
    }

    /// Takes in a sentence. The memory must not have been used with other weights.
    pub fn begin<'a>(
        &self,
        encoder: &Encoder,
        words: impl Iterator<Item = Columns<'a>> + Clone,
        memory: &mut ChooserMemory,
    ) {
        memory.study = None;
        if self.shape.context.layers == 0 && self.stack.is_none() {
            return self.begin_alone(encoder, words, memory);
        }
        let tokens = words.clone().count() + 1;
        self.read(encoder, words, tokens, memory);
        memory.products.iter_mut().for_each(Vec::clear);
        self.multiply(memory);
        memory.rows.clear();
        memory.rows.extend(0..tokens as u32);
        if let Some(stack) = &self.stack {
            stack.clear(&mut memory.stack);
            let read = memory.context.result();
            stack.take_in(self.parameters.values(), read, tokens, &mut memory.stack);
        }
    }

    /// Takes in a sentence whose words stand for themselves: their products are kept for later
    /// sentences.
    fn begin_alone<'a>(
        &self,
        encoder: &Encoder,
        words: impl Iterator<Item = Columns<'a>>,
        memory: &mut ChooserMemory,
    ) {
        let numbers = self.shape.choices.iter().map(|of| of.tokens * of.hidden).sum::<usize>();
        if memory.known.len() * numbers > MOST_KEPT {
            memory.known.clear();
        }
        let mut rows = 1;
        if memory.known.is_empty() {
            memory.products.iter_mut().for_each(Vec::clear);
        } else {
            rows += memory.known.len() as u32;
        }
        let is_first = memory.known.is_empty();
        memory.rows.clear();
        memory.rows.push(0);
        let (mut fresh, mut key) = (Vec::new(), String::new());
        for word in words {
            key.clear();
            for column in [word.form, word.lemma, word.upos, word.xpos, word.feats] {
                key.push_str(column);
                key.push('\t');
            }
            let row = if let Some(&row) = memory.known.get(key.as_str()) {
                row
            } else {
                memory.known.insert(key.as_str().into(), rows);
                fresh.push(word);
                rows += 1;
                rows - 1
            };
            memory.rows.push(row);
        }
        if is_first || !fresh.is_empty() {
            self.read(encoder, fresh.iter().copied(), fresh.len() + 1, memory);
            if !is_first {
                // The root is the first of all.
                let width = self.context.width();
                memory.context.read[0].drain(..width);
            }
            self.multiply(memory);
        }
    }

    /// Reads one sentence.
    fn read<'a>(
        &self,
        encoder: &Encoder,
        words: impl Iterator<Item = Columns<'a>> + Clone,
        tokens: usize,
        memory: &mut ChooserMemory,
    ) {
        memory.context.packing = Packing::new(vec![tokens]);
        let ChooserMemory { context, forms, .. } = memory;
        let values = self.parameters.values();
        forms.embed((&self.context, values), encoder, std::iter::once(words), context);
        self.context.forward(values, context, None);
    }

    /// Takes in sentences to be studied, each with its random numbers.
    pub fn open(
        &self,
        sentences: Vec<(Encoded, u64)>,
        lesson: Lesson,
        memory: &mut ChooserMemory,
        gradients: &mut ChooserGradients,
    ) {
        if gradients.dense.is_empty() {
            *gradients = self.gradients();
        }
        let mut by_length: Vec<usize> = (0..sentences.len()).collect();
        by_length.sort_by_key(|&at| std::cmp::Reverse(sentences[at].0.tokens()));
        memory.order.clear();
        memory.order.resize(sentences.len(), 0);
        for (place, &at) in by_length.iter().enumerate() {
            memory.order[at] = place;
        }
        let mut sentences: Vec<Option<(Encoded, u64)>> = sentences.into_iter().map(Some).collect();
        let sorted = by_length.iter().filter_map(|&at| sentences[at].take());
        let (encoded, seeds): (Vec<Encoded>, Vec<u64>) = sorted.unzip();
        memory.context.packing = Packing::new(encoded.iter().map(Encoded::tokens).collect());
        let masks = self.context.masks(&seeds, lesson, &memory.context.packing);
        let batch: Vec<&Encoded> = encoded.iter().collect();
        let values = self.parameters.values();
        self.context.embed(values, &batch, &masks, &mut memory.context);
        self.context.forward(values, &mut memory.context, Some(&masks));
        memory.known.clear();
        memory.products.iter_mut().for_each(Vec::clear);
        self.multiply(memory);
        let of_products = memory.products.iter().map(|products| vec![0.0; products.len()]);
        let of_products = of_products.collect();
        let hidden = vec![Vec::new(); self.choices.len()];
        let of_stack = Vec::new();
        let study = Study { encoded, masks, lesson, seeds, hidden, of_products, of_stack };
        memory.study = Some(Box::new(study));
        if let Some(stack) = &self.stack {
            stack.clear(&mut memory.stack);
        }
    }

    /// Turns to one of the sentences that were taken in, by their order.
    pub fn turn_to(&self, sentence: usize, memory: &mut ChooserMemory) {
        memory.sentence = memory.order[sentence];
        let packing = &memory.context.packing;
        let tokens = 0..packing.lengths()[memory.sentence];
        memory.rows.clear();
        memory.rows.extend(tokens.map(|token| packing.row(memory.sentence, token) as u32));
        if let Some(study) = &mut memory.study {
            let rng = &mut numbers(study.lesson, 1, study.seeds[memory.sentence]);
            for (mask, of) in study.hidden.iter_mut().zip(&self.shape.choices) {
                *mask = dropout::mask(rng, of.hidden, study.lesson.dropout);
            }
            if let Some(stack) = &self.stack {
                let rng = &mut numbers(study.lesson, 2, study.seeds[memory.sentence]);
                stack.drop_states(rng, study.lesson.dropout, &mut memory.stack);
                let tokens = gathered(memory.context.result(), &memory.rows, self.context.width());
                let values = self.parameters.values();
                stack.take_in(values, &tokens, memory.rows.len(), &mut memory.stack);
                study.of_stack.extend(&memory.rows);
            }
        }
    }

    /// Adds the products of the tokens that were read last.
    fn multiply(&self, memory: &mut ChooserMemory) {
        let (values, width) = (self.parameters.values(), self.context.width());
        let read = memory.context.result();
        let rows = read.len() / width.max(1);
        memory.products.resize(self.choices.len(), Vec::new());
        let kinds = memory.products.iter_mut().zip(self.choices.iter().zip(&self.shape.choices));
        for (products, (choice, of)) in kinds {
            let columns = of.tokens * of.hidden;
            let start = products.len();
            products.resize(start + rows * columns, 0.0);
            let x = Matrix::new(read, rows, width);
            let weights = Matrix::new(choice.places.of(values), width, columns);
            multiply(&mut products[start..], x, weights, false);
        }
    }

    /// Scores all classes for what was asked.
    pub fn score(&self, kind: usize, memory: &mut ChooserMemory, scores: &mut [f32]) {
        let (choice, of, values) =
            (&self.choices[kind], &self.shape.choices[kind], self.parameters.values());
        let ChooserMemory { rows: of_tokens, products, questions, study, stack, .. } = memory;
        let Question { tokens, nodes, facts, sums, hidden } = &mut questions[kind];
        let width = of.hidden;
        sums.clear();
        sums.extend_from_slice(choice.bias.of(values));
        let absent = choice.absent.of(values);
        for (place, &token) in tokens.iter().enumerate() {
            let column = place * width;
            let row = if token == NO_TOKEN {
                &absent[column..][..width]
            } else {
                let row = of_tokens[token as usize] as usize;
                &products[kind][row * of.tokens * width + column..][..width]
            };
            add(sums, row);
        }
        let rows = choice.facts.of(values);
        for row in fact_rows(of, facts) {
            add(sums, &rows[row * width..][..width]);
        }
        if let Some(net) = &self.stack {
            net.add_views(values, kind, nodes, stack, sums);
        }
        hidden.clear();
        hidden.extend(sums.iter().map(|&sum| self.shape.curve.of(sum)));
        if let Some(study) = study {
            hidden.iter_mut().zip(&study.hidden[kind]).for_each(|(x, mask)| *x *= mask);
        }
        let classes = choice.classes.of(values).chunks_exact(width.max(1));
        let biases = choice.class_bias.of(values);
        for ((score, row), bias) in scores.iter_mut().zip(classes).zip(biases) {
            *score = bias + dot(row, hidden);
        }
    }

    /// What was asked last should be scored otherwise: some classes by so much more or less.
    pub fn change(
        &self,
        kind: usize,
        steps: &[(u16, f32)],
        memory: &mut ChooserMemory,
        gradients: &mut ChooserGradients,
    ) {
        let Some(study) = &mut memory.study else { return };
        let (choice, of, values) =
            (&self.choices[kind], &self.shape.choices[kind], self.parameters.values());
        let Question { tokens, facts, sums, hidden, .. } = &memory.questions[kind];
        let (width, dense) = (of.hidden, &mut gradients.dense);
        gradients.decisions += 1;
        let weight = study.lesson.weight;
        let mut slope = vec![0.0; width];
        for &(class, step) in steps {
            let (class, down) = (usize::from(class), -step * weight);
            let row = class * width..(class + 1) * width;
            add_scaled(&mut slope, &choice.classes.of(values)[row.clone()], down);
            add_scaled(&mut choice.classes.of_mut(dense)[row], hidden, down);
            choice.class_bias.of_mut(dense)[class] += down;
        }
        for ((slope, &sum), mask) in slope.iter_mut().zip(sums).zip(&study.hidden[kind]) {
            *slope *= mask * self.shape.curve.slope(sum);
        }
        add(choice.bias.of_mut(dense), &slope);
        for (place, &token) in tokens.iter().enumerate() {
            let column = place * width;
            let sums = if token == NO_TOKEN {
                &mut choice.absent.of_mut(dense)[column..][..width]
            } else {
                let row = memory.rows[token as usize] as usize;
                &mut study.of_products[kind][row * of.tokens * width + column..][..width]
            };
            add(sums, &slope);
        }
        for row in fact_rows(of, facts) {
            add(&mut choice.facts.of_mut(dense)[row * width..][..width], &slope);
        }
        if self.stack.is_some() {
            memory.stack.change(kind, &slope);
        }
    }

    /// All sentences have been studied: their gradients go back to the words.
    pub fn close(&self, memory: &mut ChooserMemory, gradients: &mut ChooserGradients) {
        let Some(study) = memory.study.take() else { return };
        let (values, width) = (self.parameters.values(), self.context.width());
        let rows = memory.context.packing.rows();
        let mut slope = vec![0.0; rows * width];
        for (kind, of_products) in study.of_products.iter().enumerate() {
            let (choice, of) = (&self.choices[kind], &self.shape.choices[kind]);
            let columns = of.tokens * of.hidden;
            let slopes = Matrix::new(of_products, rows, columns);
            let x = Matrix::new(memory.context.result(), rows, width);
            multiply(choice.places.of_mut(&mut gradients.dense), x.turned(), slopes, true);
            let weights = Matrix::new(choice.places.of(values), width, columns);
            multiply(&mut slope, slopes, weights.turned(), true);
        }
        if let Some(stack) = &self.stack {
            let tokens = gathered(memory.context.result(), &study.of_stack, width);
            let dense = &mut gradients.dense;
            let of_tokens = stack.close(values, &tokens, &mut memory.stack, dense);
            for (&row, of_token) in study.of_stack.iter().zip(of_tokens.chunks_exact(width)) {
                add(&mut slope[row as usize * width..][..width], of_token);
            }
        }
        let batch: Vec<&Encoded> = study.encoded.iter().collect();
        let places = (&mut gradients.dense[..], &mut gradients.tables[..]);
        self.context.backward(values, &batch, &study.masks, slope, &mut memory.context, places);
    }
}

/// Some rows, one after the other.
fn gathered(from: &[f32], rows: &[u32], width: usize) -> Vec<f32> {
    rows.iter().flat_map(|&row| &from[row as usize * width..][..width]).copied().collect()
}

/// The rows of facts; a value that is too large counts as the largest.
fn fact_rows<'f>(shape: &'f ChoiceShape, facts: &'f [u32]) -> impl Iterator<Item = usize> + 'f {
    let mut start = 0;
    shape.facts.iter().zip(facts).map(move |(&size, &value)| {
        let row = start + (value as usize).min(size.saturating_sub(1));
        start += size;
        row
    })
}

#[cfg(test)]
mod tests;
