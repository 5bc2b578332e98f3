//! Dynamic programs over spans as deduction systems, and what can be asked of any of them: the
//! best derivation, the sum over all derivations, the marginals (inside-outside).
//!
//! A projective decoder only says which items there are and from which other items each is built
//! (Goodman 1999; Shieber, Schabes and Pereira 1995). The ways to build an item come in *runs*:
//! ways whose parts lie side by side in the chart, so that a sum over a run is a loop over slices
//! that compiles to vector code. No back pointers are stored; the best derivation is found by
//! looking again at the few items it needs.
use crate::decoder::DecodeError;
use crate::semiring::{LogSum, MaxPlus, Semiring};

/// One of the two parts of the ways in a run.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Part {
    /// No such part.
    None,
    /// The same item in every way.
    Same(usize),
    /// The item at this place for the first way, its right neighbours for the others; with
    /// positions in the run, the items at these distances.
    From(usize),
}

/// Square tables of one size, laid one after the other in a chart.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Squares {
    pub side: usize,
}

impl Squares {
    pub fn place(self, table: usize, row: usize, column: usize) -> usize {
        (table * self.side + row) * self.side + column
    }

    /// Table, row and column of a place.
    pub fn cell(self, place: usize) -> (usize, usize, usize) {
        let (rows, column) = (place / self.side, place % self.side);
        (rows / self.side, rows % self.side, column)
    }
}

/// Ways to build an item from at most two others.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Run<'a> {
    pub parts: [Part; 2],
    /// Number of ways.
    pub len: usize,
    /// A score for each way, or empty.
    pub weights: &'a [f32],
    /// A score for all ways.
    pub weight: f32,
    /// Distances from the start of [`Part::From`], or empty if they are 0, 1, 2, ...
    pub positions: &'a [u32],
    /// If the ways are the labels of an arc, the first of them.
    pub first_label: Option<usize>,
}

impl<'a> Run<'a> {
    pub fn new(parts: [Part; 2], len: usize) -> Run<'a> {
        Run { parts, len, weights: &[], weight: 0.0, positions: &[], first_label: None }
    }

    pub fn weighted(parts: [Part; 2], weights: &'a [f32]) -> Run<'a> {
        Run { weights, ..Run::new(parts, weights.len()) }
    }

    pub fn single(parts: [Part; 2], weight: f32) -> Run<'a> {
        Run { weight, ..Run::new(parts, 1) }
    }

    /// The ways are the labels of an arc, `scores` their scores.
    pub fn labels(item: usize, first_label: usize, scores: &'a [f32]) -> Run<'a> {
        Run {
            first_label: Some(first_label),
            ..Run::weighted([Part::Same(item), Part::None], scores)
        }
    }

    /// The place of a part in one of the ways.
    pub fn place(&self, part: usize, way: usize) -> Option<usize> {
        match self.parts[part] {
            Part::None => None,
            Part::Same(place) => Some(place),
            Part::From(start) if self.positions.is_empty() => Some(start + way),
            Part::From(start) => Some(start + self.positions[way] as usize),
        }
    }

    /// The value of one way.
    pub fn way<R: Semiring>(&self, chart: &[R::Value], way: usize) -> R::Value {
        let mut value = R::value(self.weight);
        if !self.weights.is_empty() {
            value = R::times(value, R::value(self.weights[way]));
        }
        for part in 0..2 {
            if let Some(place) = self.place(part, way) {
                value = R::times(value, chart[place]);
            }
        }
        value
    }

    /// The sum over all ways.
    fn sum<R: Semiring>(&self, chart: &[R::Value]) -> R::Value {
        if !self.positions.is_empty() {
            return (0..self.len)
                .map(|way| self.way::<R>(chart, way))
                .fold(R::ZERO, |sum, value| R::plus(sum, value));
        }
        let mut outer = R::value(self.weight);
        let mut slices = [None, None];
        for (slice, part) in slices.iter_mut().zip(self.parts) {
            match part {
                Part::None => {}
                Part::Same(place) => outer = R::times(outer, chart[place]),
                Part::From(start) => *slice = Some(&chart[start..start + self.len]),
            }
        }
        if matches!(slices, [None, None]) && self.weights.is_empty() {
            return outer; // a single way
        }
        R::times(outer, R::sum(slices[0], slices[1], self.weights))
    }
}

/// What is at a place of the chart.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Content<I> {
    /// Needs no proof.
    Axiom,
    /// Belongs to the item that is being looked at.
    Passing,
    /// An item.
    Item(I),
}

/// The order in which passing places are visited.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Visit {
    PartsFirst,
    PartsLast,
}

/// A dynamic program over the spans of a sentence.
pub(crate) trait Deduction {
    /// An item.
    type Item: Copy;

    /// Number of places in the chart.
    fn places(&self) -> usize;
    /// The last node: spans lie in `0..=last`.
    fn last(&self) -> usize;
    /// Calls `visit` with the places of items that need no proof.
    fn axioms(&self, visit: impl FnMut(usize));
    /// Appends the items that are complete once the span from `left` to `right` is, in the order
    /// in which they depend on each other.
    fn items(&self, left: usize, right: usize, items: &mut Vec<Self::Item>);
    /// Calls `visit` with the ways to build what only one item needs and what is forgotten after
    /// it: place and run, the runs of one place in a row, parts before what is built from them or
    /// the other way round.
    fn passing(&self, _item: Self::Item, _order: Visit, _visit: impl FnMut(usize, &Run<'_>)) {}
    /// The place of an item.
    fn place(&self, item: Self::Item) -> usize;
    /// A second place that holds the same value, so that runs find it in another order.
    fn mirror(&self, _item: Self::Item) -> Option<usize> {
        None
    }
    /// What is at a place.
    fn content(&self, place: usize) -> Content<Self::Item>;
    /// Calls `visit` with all ways to build an item.
    fn runs(&self, item: Self::Item, visit: impl FnMut(&Run<'_>));
    /// The item that stands for the whole sentence.
    fn goal(&self) -> Self::Item;
}

/// The memory of a dynamic program, reused from sentence to sentence.
#[derive(Clone, Debug)]
pub(crate) struct Chart<V, I> {
    pub(crate) values: Vec<V>,
    items: Vec<I>,
    passing: Vec<usize>,
}

impl<V, I> Default for Chart<V, I> {
    fn default() -> Self {
        Chart { values: vec![], items: vec![], passing: vec![] }
    }
}

/// Builds the passing places of an item.
fn build_passing<R: Semiring, D: Deduction>(program: &D, item: D::Item, values: &mut [R::Value]) {
    let mut last = usize::MAX;
    program.passing(item, Visit::PartsFirst, |place, run| {
        let sum = run.sum::<R>(values);
        values[place] = if place == last { R::plus(values[place], sum) } else { sum };
        last = place;
    });
}

/// Fills the chart and returns the value of the goal.
pub(crate) fn inside<R: Semiring, D: Deduction>(
    program: &D,
    chart: &mut Chart<R::Value, D::Item>,
) -> R::Value {
    let Chart { values, items, .. } = chart;
    values.clear();
    values.resize(program.places(), R::ZERO);
    program.axioms(|place| values[place] = R::ONE);
    for left in (0..program.last()).rev() {
        for right in left + 1..=program.last() {
            items.clear();
            program.items(left, right, items);
            for &item in items.iter() {
                build_passing::<R, D>(program, item, values);
                let mut sum = R::ZERO;
                program.runs(item, |run| sum = R::plus(sum, run.sum::<R>(values)));
                values[program.place(item)] = sum;
                if let Some(mirror) = program.mirror(item) {
                    values[mirror] = sum;
                }
            }
        }
    }
    values[program.place(program.goal())]
}

/// The best way in a sequence of runs: its value, its parts, its label.
struct BestWay {
    value: f32,
    parts: [Option<usize>; 2],
    label: Option<usize>,
}

impl BestWay {
    const NONE: BestWay = BestWay { value: f32::NEG_INFINITY, parts: [None, None], label: None };

    fn look_at(&mut self, run: &Run<'_>, values: &[f32]) {
        for way in 0..run.len {
            let value = run.way::<MaxPlus>(values, way);
            if value > self.value {
                let parts = [run.place(0, way), run.place(1, way)];
                *self = BestWay { value, parts, label: run.first_label.map(|first| first + way) };
            }
        }
    }
}

/// After [`inside`]: calls `label` with the labels of the best derivation.
pub(crate) fn best_derivation<D: Deduction>(
    program: &D,
    chart: &mut Chart<f32, D::Item>,
    mut label: impl FnMut(usize),
) -> Result<(), DecodeError> {
    let Chart { values, items, passing } = chart;
    items.clear();
    passing.clear();
    items.push(program.goal());
    while let Some(item) = items.pop() {
        build_passing::<MaxPlus, D>(program, item, values);
        let mut best = BestWay::NONE;
        program.runs(item, |run| best.look_at(run, values));
        loop {
            if best.value == f32::NEG_INFINITY {
                return Err(DecodeError::NoTree);
            }
            if let Some(chosen) = best.label {
                label(chosen);
            }
            for place in best.parts.into_iter().flatten() {
                match program.content(place) {
                    Content::Axiom => {}
                    Content::Passing => passing.push(place),
                    Content::Item(item) => items.push(item),
                }
            }
            let Some(wanted) = passing.pop() else { break };
            best = BestWay::NONE;
            program.passing(item, Visit::PartsLast, |place, run| {
                if place == wanted {
                    best.look_at(run, values);
                }
            });
        }
    }
    Ok(())
}

/// Log-partition function and marginals, with the memory to compute them.
#[derive(Clone, Debug)]
pub(crate) struct InsideOutside<I> {
    chart: Chart<f64, I>,
    outside: Vec<f64>,
}

impl<I> Default for InsideOutside<I> {
    fn default() -> Self {
        InsideOutside { chart: Chart::default(), outside: Vec::new() }
    }
}

impl<I: Copy> InsideOutside<I> {
    /// The logarithm of the sum of the exponentiated scores of all trees.
    pub(crate) fn log_partition<D: Deduction<Item = I>>(&mut self, program: &D) -> f64 {
        inside::<LogSum, D>(program, &mut self.chart)
    }

    /// Also adds to `marginals` the probability of each label of each arc. Outside values are
    /// probabilities: the share of an item in the distribution over trees, handed down from an
    /// item to the parts of its ways in proportion to their inside values.
    pub(crate) fn marginals<D: Deduction<Item = I>>(
        &mut self,
        program: &D,
        marginals: &mut [f64],
    ) -> Result<f64, DecodeError> {
        let log_partition = self.log_partition(program);
        if !log_partition.is_finite() {
            return Err(DecodeError::NoTree);
        }
        let InsideOutside { chart: Chart { values, items, .. }, outside } = self;
        outside.clear();
        outside.resize(values.len(), 0.0);
        outside[program.place(program.goal())] = 1.0;
        for left in 0..program.last() {
            for right in (left + 1..=program.last()).rev() {
                items.clear();
                program.items(left, right, items);
                for &item in items.iter().rev() {
                    let share = outside[program.place(item)]
                        + program.mirror(item).map_or(0.0, |mirror| outside[mirror]);
                    if share == 0.0 {
                        continue;
                    }
                    build_passing::<LogSum, D>(program, item, values);
                    program.passing(item, Visit::PartsFirst, |place, _| outside[place] = 0.0);
                    let total = values[program.place(item)];
                    program.runs(item, |run| {
                        hand_down(run, total, share, values, outside, marginals);
                    });
                    program.passing(item, Visit::PartsLast, |place, run| {
                        let (total, share) = (values[place], outside[place]);
                        hand_down(run, total, share, values, outside, marginals);
                    });
                }
            }
        }
        Ok(log_partition)
    }
}

/// Gives each way of a run its part of the share of the item it builds, whose value is `total`.
fn hand_down(
    run: &Run<'_>,
    total: f64,
    share: f64,
    values: &[f64],
    outside: &mut [f64],
    marginals: &mut [f64],
) {
    if share == 0.0 || total == f64::NEG_INFINITY {
        return;
    }
    for way in 0..run.len {
        let part = share * (run.way::<LogSum>(values, way) - total).exp();
        if part == 0.0 {
            continue;
        }
        for place in [run.place(0, way), run.place(1, way)].into_iter().flatten() {
            outside[place] += part;
        }
        if let Some(first) = run.first_label {
            marginals[first + way] += part;
        }
    }
}
