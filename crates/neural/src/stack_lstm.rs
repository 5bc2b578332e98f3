//! Stack-LSTM (Dyer et al. 2015): what a state looks like as a whole.
//!
//! The stack, the buffer, the words passed between them (or the other stack) and the arcs built so far
//! are read by memories of their own. What a memory has made of a list is kept with a link to what it had
//! made of the list without its last element: to push is one step, to pop follows the link. An element is a
//! word or what has become of it: head, dependent and the name of their arc are composed to one vector
//! whenever an arc is built.
//!
//! Everything that was ever computed in a sentence stays, found by what it was made of. So a list is
//! known by its elements alone, whoever built it: hypotheses of a beam share what they have in common,
//! and the way back through all of it is one walk over what was made, last first.
use std::collections::HashMap;

use nn::affine::Affine;
use nn::dropout;
use nn::lstm::{cell, cell_backward};
use nn::parameters::{Parameters, Slot};
use nn::product::{Matrix, multiply};
use nn::row::{add_product, add_turned_product};
use nn::seed::Rng;
use serde::{Deserialize, Serialize};

/// Lists of elements that a state shows: the stack, the buffer, what was passed between them.
pub const LISTS: usize = 3;
/// The memory that reads arcs stands behind those that read lists.
const ARCS: usize = LISTS;
/// Memories.
pub const MEMORIES: usize = LISTS + 1;
const NOTHING: u32 = u32::MAX;
/// Numbers that are kept outside of training; what is beyond is forgotten and made again.
const MOST_NUMBERS: usize = 1 << 26;

/// Sizes.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct StackShape {
    /// Numbers of an element.
    pub element: usize,
    /// States of each memory.
    pub hidden: usize,
    /// Names of arcs, each in both directions.
    pub relations: usize,
}

/// What a state shows, by numbers of tokens.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The lists, the element last that is nearest.
    pub lists: [Vec<u32>; LISTS],
    /// Head, dependent and relation of all arcs, as they were built.
    pub arcs: Vec<[u32; 3]>,
}

impl Seen {
    /// Nothing, with memory.
    pub fn clear(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.arcs.clear();
    }
}

/// Where the weights of a memory are.
#[derive(Copy, Clone, Debug)]
struct Reader {
    /// A row for each number of an element; for arcs a row for each relation.
    input: Slot,
    recurrent: Slot,
    bias: Slot,
}

/// What decisions look at: states of a memory, or an element.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Source {
    Memory(usize),
    Element,
}

/// The share of a source in the hidden layer of a kind of decision.
#[derive(Copy, Clone, Debug)]
struct View {
    source: Source,
    weights: Slot,
    width: usize,
}

/// Where all weights are.
#[derive(Clone, Debug)]
pub struct StackLstm {
    shape: StackShape,
    /// From a token in context to an element.
    word: Affine,
    of_head: Slot,
    of_dependent: Slot,
    /// A row for each relation.
    of_relation: Slot,
    readers: [Reader; MEMORIES],
    views: Vec<View>,
    /// For each kind of decision its first view.
    firsts: Vec<usize>,
}

/// What a memory has read.
#[derive(Clone, Debug, Default)]
struct Chain {
    /// For each element (or relation) the row of its product with the input weights.
    row_of: Vec<u32>,
    rows: Vec<f32>,
    /// The element of each row.
    of_rows: Vec<u32>,
    /// For each state the one before it, and the row that was read.
    made_of: Vec<[u32; 2]>,
    known: HashMap<[u32; 2], u32>,
    gates: Vec<f32>,
    cells: Vec<f32>,
    bent: Vec<f32>,
    states: Vec<f32>,
    /// The sentence of each state.
    sentences: Vec<u32>,
}

/// Products of a source and a kind of decision.
#[derive(Clone, Debug, Default)]
struct Products {
    row_of: Vec<u32>,
    rows: Vec<f32>,
    /// The state or element of each row.
    of_rows: Vec<u32>,
    slopes: Vec<f32>,
}

/// An arc that has been taken in.
#[derive(Copy, Clone, Debug)]
struct Built {
    arc: [u32; 3],
    /// What the head was before.
    before: u32,
    /// The state of the memory of arcs.
    state: u32,
}

/// What was made, in its order.
#[derive(Copy, Clone, Debug)]
enum Made {
    Composition(u32),
    State { memory: u8, at: u32 },
}

/// The memory of one thread.
#[derive(Clone, Debug, Default)]
pub struct StackMemory {
    elements: Vec<f32>,
    /// Head, dependent and relation of a composed element; of a word nothing.
    made_of: Vec<[u32; 3]>,
    chains: [Chain; MEMORIES],
    products: Vec<Products>,
    made: Vec<Made>,
    composed: HashMap<[u32; 3], u32>,
    /// The first word of the sentence, the root, among all elements.
    first: u32,
    words: u32,
    /// What has become of each token.
    now: Vec<u32>,
    /// Elements and states of each list.
    lists: [Vec<[u32; 2]>; LISTS],
    built: Vec<Built>,
    /// What is dropped from the states of each sentence.
    masks: Vec<[Vec<f32>; MEMORIES]>,
    sentence: u32,
    pub seen: Seen,
    /// For each kind of decision the views asked last and their rows.
    asked: Vec<Vec<[u32; 2]>>,
}

fn place(at: u32, width: usize) -> std::ops::Range<usize> {
    at as usize * width..(at as usize + 1) * width
}

fn add(sums: &mut [f32], row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, one)| *sum += one);
}

/// A number for a thing, in a list that grows.
fn number(list: &mut Vec<u32>, of: u32) -> &mut u32 {
    if list.len() <= of as usize {
        list.resize(of as usize + 1, NOTHING);
    }
    &mut list[of as usize]
}

fn gathered(from: &[f32], rows: impl Iterator<Item = u32>, width: usize) -> Vec<f32> {
    rows.flat_map(|row| &from[place(row, width)]).copied().collect()
}

impl StackMemory {
    fn forget(&mut self) {
        let products = std::mem::take(&mut self.products);
        let seen = std::mem::take(&mut self.seen);
        *self = StackMemory { products, seen, ..StackMemory::default() };
        for products in &mut self.products {
            products.row_of.clear();
            products.rows.clear();
            products.of_rows.clear();
            products.slopes.clear();
        }
    }

    fn numbers(&self) -> usize {
        let chains = self.chains.iter().map(|chain| chain.rows.len() + 2 * chain.gates.len());
        let products = self.products.iter().map(|products| products.rows.len());
        self.elements.len() + chains.sum::<usize>() + products.sum::<usize>()
    }

    /// The slope of the hidden layer of the decision that was asked last.
    pub fn change(&mut self, kind: usize, slope: &[f32]) {
        for &[view, row] in &self.asked[kind] {
            let products = &mut self.products[view as usize];
            products.slopes.resize(products.rows.len(), 0.0);
            add(&mut products.slopes[place(row, slope.len())], slope);
        }
    }

    /// Takes no state for known.
    fn look_afresh(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.built.clear();
        self.now.clear();
        self.now.extend(self.first..self.first + self.words);
    }
}

impl StackLstm {
    /// For tokens of so many numbers; `kinds` are the hidden layer and the number of elements of each
    /// kind of decision.
    pub fn new(
        parameters: &mut Parameters,
        shape: StackShape,
        inputs: usize,
        kinds: impl Iterator<Item = (usize, usize)>,
        rng: &mut Rng,
    ) -> StackLstm {
        let StackShape { element, hidden, relations } = shape;
        let word = Affine::new(parameters, "stack.word", inputs, element);
        parameters.glorot(word.weights(), inputs, element, rng);
        let mut matrix = |parameters: &mut Parameters, name: &str, rows, columns, inputs| {
            let slot = parameters.add(&format!("stack.{name}"), rows * columns);
            parameters.glorot(slot, inputs, columns, rng);
            slot
        };
        let of_head = matrix(parameters, "head", element, element, 2 * element);
        let of_dependent = matrix(parameters, "dependent", element, element, 2 * element);
        let of_relation = matrix(parameters, "relation", relations, element, 2 * element);
        let mut inputs = Vec::new();
        for memory in 0..MEMORIES {
            let rows = if memory == ARCS { relations } else { element };
            let name = format!("memory{memory}.input");
            inputs.push(matrix(parameters, &name, rows, 4 * hidden, element));
        }
        let (mut views, mut firsts) = (Vec::new(), Vec::new());
        for (kind, (width, elements)) in kinds.enumerate() {
            firsts.push(views.len());
            let memories = (0..MEMORIES).map(Source::Memory);
            let sources = memories.chain(std::iter::repeat_n(Source::Element, elements));
            for (view, source) in sources.enumerate() {
                let rows = if source == Source::Element { element } else { hidden };
                let all = MEMORIES * hidden + elements * element;
                let name = format!("choice{kind}.view{view}");
                let weights = matrix(parameters, &name, rows, width, all);
                views.push(View { source, weights, width });
            }
        }
        let readers = std::array::from_fn(|memory| {
            let recurrent =
                parameters.add(&format!("stack.memory{memory}.recurrent"), 4 * hidden * hidden);
            let bias = parameters.add(&format!("stack.memory{memory}.bias"), 4 * hidden);
            parameters.orthogonal(recurrent, hidden, rng);
            bias.of_mut(parameters.values_mut())[hidden..2 * hidden].fill(1.0);
            Reader { input: inputs[memory], recurrent, bias }
        });
        StackLstm { shape, word, of_head, of_dependent, of_relation, readers, views, firsts }
    }

    /// Forgets everything.
    pub fn clear(&self, memory: &mut StackMemory) {
        memory.forget();
        memory.products.resize(self.views.len(), Products::default());
        memory.asked.resize(self.firsts.len(), Vec::new());
    }

    /// Takes in a sentence: tokens in context, the root first. What was made of others stays for the way
    /// back.
    pub fn take_in(&self, values: &[f32], tokens: &[f32], count: usize, memory: &mut StackMemory) {
        let StackShape { element, hidden, .. } = self.shape;
        let mut vectors = Vec::new();
        self.word.forward(values, tokens, count, &mut vectors);
        nn::curves::tanh(&mut vectors);
        memory.first = (memory.elements.len() / element) as u32;
        memory.words = count as u32;
        memory.made_of.extend(std::iter::repeat_n([NOTHING; 3], count));
        memory.composed.clear();
        memory.chains.iter_mut().for_each(|chain| chain.known.clear());
        // Nearly all words come onto the stack and have been in the buffer.
        for (chain, reader) in memory.chains.iter_mut().zip(&self.readers).take(2) {
            let start = chain.rows.len();
            for at in 0..count as u32 {
                *number(&mut chain.row_of, memory.first + at) = chain.of_rows.len() as u32;
                chain.of_rows.push(memory.first + at);
                chain.rows.extend_from_slice(reader.bias.of(values));
            }
            let x = Matrix::new(&vectors, count, element);
            let weights = Matrix::new(reader.input.of(values), element, 4 * hidden);
            multiply(&mut chain.rows[start..], x, weights, true);
        }
        memory.elements.append(&mut vectors);
        memory.look_afresh();
    }

    /// Begins one of the sentences to be studied, of whose states something is dropped.
    pub fn drop_states(&self, rng: &mut Rng, share: f32, memory: &mut StackMemory) {
        memory.masks.push(std::array::from_fn(|_| dropout::mask(rng, self.shape.hidden, share)));
        memory.sentence = memory.masks.len() as u32 - 1;
    }

    /// Takes in what a state shows.
    fn see(&self, values: &[f32], memory: &mut StackMemory) {
        if memory.masks.is_empty() && memory.numbers() > MOST_NUMBERS {
            self.begin_anew(memory);
        }
        let seen = std::mem::take(&mut memory.seen);
        let both = memory.built.iter().zip(&seen.arcs);
        let same = both.take_while(|(built, arc)| built.arc == **arc).count();
        for built in memory.built.drain(same..).rev() {
            memory.now[built.arc[0] as usize] = built.before;
        }
        for &arc in &seen.arcs[same..] {
            let [head, dependent, relation] = arc;
            let before = memory.now[head as usize];
            let dependent = memory.now[dependent as usize];
            memory.now[head as usize] = self.compose(values, [before, dependent, relation], memory);
            let last = memory.built.last().map_or(NOTHING, |built| built.state);
            let state = self.read(values, ARCS, last, relation, memory);
            memory.built.push(Built { arc, before, state });
        }
        for (list, tokens) in seen.lists.iter().enumerate() {
            let elements = tokens.iter().map(|&token| memory.now[token as usize]);
            let both = memory.lists[list].iter().zip(elements);
            let same = both.take_while(|(known, element)| known[0] == *element).count();
            memory.lists[list].truncate(same);
            for &token in &tokens[same..] {
                let element = memory.now[token as usize];
                let last = memory.lists[list].last().map_or(NOTHING, |last| last[1]);
                let state = self.read(values, list, last, element, memory);
                memory.lists[list].push([element, state]);
            }
        }
        memory.seen = seen;
    }

    /// Forgets what was made of the words of the sentence.
    fn begin_anew(&self, memory: &mut StackMemory) {
        let StackShape { element, hidden, .. } = self.shape;
        let words = memory.words as usize;
        memory.elements.truncate(words * element);
        memory.made_of.truncate(words);
        memory.composed.clear();
        memory.made.clear();
        for (at, chain) in memory.chains.iter_mut().enumerate() {
            let rows = if at < 2 { words } else { 0 };
            let row_of = chain.row_of.drain(..).take(rows).collect();
            let of_rows = chain.of_rows.drain(..).take(rows).collect();
            chain.rows.truncate(rows * 4 * hidden);
            let rows = std::mem::take(&mut chain.rows);
            *chain = Chain { row_of, rows, of_rows, ..Chain::default() };
        }
        for products in &mut memory.products {
            *products = Products::default();
        }
        memory.look_afresh();
    }

    fn compose(&self, values: &[f32], of: [u32; 3], memory: &mut StackMemory) -> u32 {
        if let Some(&known) = memory.composed.get(&of) {
            return known;
        }
        let width = self.shape.element;
        let [head, dependent, relation] = of;
        let mut sum = self.of_relation.of(values)[place(relation, width)].to_vec();
        add_product(&mut sum, &memory.elements[place(head, width)], self.of_head.of(values));
        let vector = &memory.elements[place(dependent, width)];
        add_product(&mut sum, vector, self.of_dependent.of(values));
        nn::curves::tanh(&mut sum);
        let element = memory.made_of.len() as u32;
        memory.elements.extend(sum);
        memory.made_of.push(of);
        memory.composed.insert(of, element);
        memory.made.push(Made::Composition(element));
        element
    }

    /// The state of a memory after one more element, or relation.
    fn read(
        &self,
        values: &[f32],
        at: usize,
        before: u32,
        input: u32,
        memory: &mut StackMemory,
    ) -> u32 {
        let StackShape { element, hidden, .. } = self.shape;
        let reader = self.readers[at];
        let chain = &mut memory.chains[at];
        let mut row = *number(&mut chain.row_of, input);
        if row == NOTHING {
            row = chain.of_rows.len() as u32;
            chain.row_of[input as usize] = row;
            chain.of_rows.push(input);
            let start = chain.rows.len();
            chain.rows.extend_from_slice(reader.bias.of(values));
            let weights = reader.input.of(values);
            if at == ARCS {
                add(&mut chain.rows[start..], &weights[place(input, 4 * hidden)]);
            } else {
                let vector = &memory.elements[place(input, element)];
                add_product(&mut chain.rows[start..], vector, weights);
            }
        }
        if let Some(&known) = chain.known.get(&[before, row]) {
            return known;
        }
        let state = chain.made_of.len() as u32;
        let start = chain.gates.len();
        chain.gates.extend_from_slice(&chain.rows[place(row, 4 * hidden)]);
        let gates = &mut chain.gates[start..];
        if before != NOTHING {
            let last = &chain.states[place(before, hidden)];
            add_product(gates, last, reader.recurrent.of(values));
        }
        for numbers in [&mut chain.cells, &mut chain.bent, &mut chain.states] {
            numbers.resize((state as usize + 1) * hidden, 0.0);
        }
        let own = place(state, hidden);
        let (old, new) = chain.cells.split_at_mut(own.start);
        let old = if before == NOTHING { &[] } else { &old[place(before, hidden)] };
        cell(gates, old, new, &mut chain.bent[own.clone()], &mut chain.states[own.clone()]);
        if let Some(masks) = memory.masks.get(memory.sentence as usize) {
            let kept = chain.states[own].iter_mut().zip(&masks[at]);
            kept.for_each(|(x, mask)| *x *= mask);
        }
        chain.sentences.push(memory.sentence);
        chain.made_of.push([before, row]);
        chain.known.insert([before, row], state);
        memory.made.push(Made::State { memory: at as u8, at: state });
        state
    }

    /// Adds to the hidden layer of a decision what the state looks like, and some tokens of it.
    pub fn add_views(
        &self,
        values: &[f32],
        kind: usize,
        tokens: &[u32],
        memory: &mut StackMemory,
        sums: &mut [f32],
    ) {
        self.see(values, memory);
        let mut asked = std::mem::take(&mut memory.asked[kind]);
        asked.clear();
        let first = self.firsts[kind];
        for at in 0..MEMORIES + tokens.len() {
            let thing = match at {
                ARCS => memory.built.last().map_or(NOTHING, |built| built.state),
                list if list < LISTS => memory.lists[list].last().map_or(NOTHING, |last| last[1]),
                _ => match tokens[at - MEMORIES] {
                    crate::choices::NO_TOKEN => NOTHING,
                    token => memory.now[token as usize],
                },
            };
            if thing == NOTHING {
                continue;
            }
            let view = self.views[first + at];
            let products = &mut memory.products[first + at];
            let mut row = *number(&mut products.row_of, thing);
            if row == NOTHING {
                row = products.of_rows.len() as u32;
                products.row_of[thing as usize] = row;
                products.of_rows.push(thing);
                let start = products.rows.len();
                products.rows.resize(start + view.width, 0.0);
                let vector = match view.source {
                    Source::Element => &memory.elements[place(thing, self.shape.element)],
                    Source::Memory(at) => {
                        &memory.chains[at].states[place(thing, self.shape.hidden)]
                    }
                };
                add_product(&mut products.rows[start..], vector, view.weights.of(values));
            }
            add(sums, &products.rows[place(row, view.width)]);
            asked.push([(first + at) as u32, row]);
        }
        memory.asked[kind] = asked;
    }

    /// From the slopes of all decisions to those of weights and tokens, which were taken in one sentence
    /// after the other.
    pub fn close(
        &self,
        values: &[f32],
        tokens: &[f32],
        memory: &mut StackMemory,
        dense: &mut [f32],
    ) -> Vec<f32> {
        let StackShape { element, hidden, .. } = self.shape;
        let mut of_elements = vec![0.0; memory.elements.len()];
        let mut of_states: [Vec<f32>; MEMORIES] =
            std::array::from_fn(|at| vec![0.0; memory.chains[at].states.len()]);
        for (view, products) in self.views.iter().zip(&mut memory.products) {
            let rows = products.of_rows.len();
            if products.slopes.is_empty() {
                continue;
            }
            products.slopes.resize(rows * view.width, 0.0);
            let (from, sums, width) = match view.source {
                Source::Element => (&memory.elements, &mut of_elements, element),
                Source::Memory(at) => (&memory.chains[at].states, &mut of_states[at], hidden),
            };
            let x = gathered(from, products.of_rows.iter().copied(), width);
            let slopes = Matrix::new(&products.slopes, rows, view.width);
            let x = Matrix::new(&x, rows, width);
            multiply(view.weights.of_mut(dense), x.turned(), slopes, true);
            let mut back = vec![0.0; rows * width];
            let weights = Matrix::new(view.weights.of(values), width, view.width);
            multiply(&mut back, slopes, weights.turned(), false);
            for (&thing, row) in products.of_rows.iter().zip(back.chunks_exact(width)) {
                add(&mut sums[place(thing, width)], row);
            }
        }
        let mut of_rows: [Vec<f32>; MEMORIES] =
            std::array::from_fn(|at| vec![0.0; memory.chains[at].rows.len()]);
        let mut of_cells: [Vec<f32>; MEMORIES] =
            std::array::from_fn(|at| vec![0.0; memory.chains[at].cells.len()]);
        let (mut heads, mut dependents, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        for made in memory.made.iter().rev() {
            match *made {
                Made::State { memory: at, at: state } => {
                    let at = usize::from(at);
                    let chain = &mut memory.chains[at];
                    let slopes =
                        (&mut of_states[at][..], &mut of_cells[at][..], &mut of_rows[at][..]);
                    let masks = memory.masks.get(chain.sentences[state as usize] as usize);
                    let mask = masks.map(|masks| &masks[at][..]);
                    self.state_backward(values, (at, state), mask, chain, slopes);
                }
                Made::Composition(own) => {
                    for (at, chain) in memory.chains.iter().enumerate().take(LISTS) {
                        let row = chain.row_of.get(own as usize).copied().unwrap_or(NOTHING);
                        if row != NOTHING {
                            let weights = self.readers[at].input.of(values);
                            let slope = &of_rows[at][place(row, 4 * hidden)];
                            add_turned_product(
                                &mut of_elements[place(own, element)],
                                slope,
                                weights,
                            );
                        }
                    }
                    let [head, dependent, relation] = memory.made_of[own as usize];
                    let mut slope = of_elements[place(own, element)].to_vec();
                    if slope.iter().all(|&one| one == 0.0) {
                        continue;
                    }
                    let vector = &memory.elements[place(own, element)];
                    slope.iter_mut().zip(vector).for_each(|(slope, y)| *slope *= 1.0 - y * y);
                    add(&mut self.of_relation.of_mut(dense)[place(relation, element)], &slope);
                    let place = |at| place(at, element);
                    add_turned_product(
                        &mut of_elements[place(head)],
                        &slope,
                        self.of_head.of(values),
                    );
                    let weights = self.of_dependent.of(values);
                    add_turned_product(&mut of_elements[place(dependent)], &slope, weights);
                    heads.push(head);
                    dependents.push(dependent);
                    sums.extend(slope);
                }
            }
        }
        let slopes = Matrix::new(&sums, heads.len(), element);
        for (slot, parts) in [(self.of_head, heads), (self.of_dependent, dependents)] {
            let x = gathered(&memory.elements, parts.iter().copied(), element);
            let x = Matrix::new(&x, parts.len(), element);
            multiply(slot.of_mut(dense), x.turned(), slopes, true);
        }
        for (at, of_rows) in of_rows.iter().enumerate() {
            self.reader_backward(values, at, memory, of_rows, &mut of_elements, dense);
        }
        let words: Vec<u32> = (0..memory.made_of.len() as u32)
            .filter(|&own| memory.made_of[own as usize][0] == NOTHING)
            .collect();
        let mut slope = gathered(&of_elements, words.iter().copied(), element);
        let vectors = gathered(&memory.elements, words.iter().copied(), element);
        slope.iter_mut().zip(&vectors).for_each(|(slope, y)| *slope *= 1.0 - y * y);
        let mut of_tokens = vec![0.0; tokens.len()];
        self.word.backward(values, tokens, &slope, words.len(), dense, Some(&mut of_tokens));
        memory.forget();
        of_tokens
    }

    /// From the slope of a state to those of its gates, which take their place, and of what it was made of.
    fn state_backward(
        &self,
        values: &[f32],
        (at, state): (usize, u32),
        mask: Option<&[f32]>,
        chain: &mut Chain,
        (of_states, of_cells, of_rows): (&mut [f32], &mut [f32], &mut [f32]),
    ) {
        let hidden = self.shape.hidden;
        let [before, row] = chain.made_of[state as usize];
        let own = place(state, hidden);
        let gates = &mut chain.gates[place(state, 4 * hidden)];
        let (sooner_states, of_state) = of_states.split_at_mut(own.start);
        let (sooner_cells, of_cell) = of_cells.split_at_mut(own.start);
        let (of_state, of_cell) = (&mut of_state[..hidden], &mut of_cell[..hidden]);
        if of_state.iter().chain(&*of_cell).all(|&slope| slope == 0.0) {
            // A state that nobody asked about.
            gates.fill(0.0);
            return;
        }
        if let Some(mask) = mask {
            of_state.iter_mut().zip(mask).for_each(|(slope, mask)| *slope *= mask);
        }
        let old = if before == NOTHING { &[] } else { &chain.cells[place(before, hidden)] };
        cell_backward(gates, old, &chain.bent[own], of_state, of_cell);
        add(&mut of_rows[place(row, 4 * hidden)], gates);
        if before != NOTHING {
            add(&mut sooner_cells[place(before, hidden)], of_cell);
            let weights = self.readers[at].recurrent.of(values);
            add_turned_product(&mut sooner_states[place(before, hidden)], gates, weights);
        }
    }

    /// The gradients of the weights of a memory, and what words want of it.
    fn reader_backward(
        &self,
        values: &[f32],
        at: usize,
        memory: &StackMemory,
        of_rows: &[f32],
        of_elements: &mut [f32],
        dense: &mut [f32],
    ) {
        let StackShape { element, hidden, .. } = self.shape;
        let (reader, chain) = (self.readers[at], &memory.chains[at]);
        for row in of_rows.chunks_exact(4 * hidden) {
            add(reader.bias.of_mut(dense), row);
        }
        let later = chain.made_of.iter().zip(0..).filter(|(made_of, _)| made_of[0] != NOTHING);
        let (sooner, later): (Vec<u32>, Vec<u32>) =
            later.map(|(made_of, at)| (made_of[0], at)).unzip();
        let x = gathered(&chain.states, sooner.iter().copied(), hidden);
        let slopes = gathered(&chain.gates, later.iter().copied(), 4 * hidden);
        let x = Matrix::new(&x, sooner.len(), hidden);
        let slopes = Matrix::new(&slopes, later.len(), 4 * hidden);
        multiply(reader.recurrent.of_mut(dense), x.turned(), slopes, true);
        if at == ARCS {
            for (&relation, row) in chain.of_rows.iter().zip(of_rows.chunks_exact(4 * hidden)) {
                add(&mut reader.input.of_mut(dense)[place(relation, 4 * hidden)], row);
            }
            return;
        }
        let rows = chain.of_rows.len();
        let x = gathered(&memory.elements, chain.of_rows.iter().copied(), element);
        let (x, slopes) = (Matrix::new(&x, rows, element), Matrix::new(of_rows, rows, 4 * hidden));
        multiply(reader.input.of_mut(dense), x.turned(), slopes, true);
        // Composed elements have had theirs on the way.
        let is_word = |(_, own): &(usize, &u32)| memory.made_of[**own as usize][0] == NOTHING;
        let words = chain.of_rows.iter().enumerate().filter(is_word);
        let (rows, words): (Vec<u32>, Vec<u32>) =
            words.map(|(row, &own)| (row as u32, own)).unzip();
        let slopes = gathered(of_rows, rows.iter().copied(), 4 * hidden);
        let slopes = Matrix::new(&slopes, rows.len(), 4 * hidden);
        let weights = Matrix::new(reader.input.of(values), element, 4 * hidden);
        let mut back = vec![0.0; rows.len() * element];
        multiply(&mut back, slopes, weights.turned(), false);
        for (own, row) in words.into_iter().zip(back.chunks_exact(element)) {
            add(&mut of_elements[place(own, element)], row);
        }
    }
}
