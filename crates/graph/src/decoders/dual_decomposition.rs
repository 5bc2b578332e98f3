//! `dual-decomposition`: trees with crossing arcs under scores of labelled arcs, adjacent siblings and
//! outermost grandchildren, by agreement of easy searches (Koo, Rush, Collins, Jaakkola and Sontag 2010;
//! Martins et al. 2010, 2013 for other ways to agree).
//!
//! The best non-projective tree under such scores is hard to find. But each node by itself is easy: which
//! head it takes and which dependents, with labels, when its siblings and grandchildren count and nobody
//! else's do (a head automaton); and so is the best tree under arc scores. The scores of arcs are dealt
//! out to these searches, which then disagree; whatever one of them chooses and another does not is made
//! dearer here and cheaper there by Lagrange multipliers, by subgradient steps of Polyak's length, until
//! they agree.
//!
//! The sum of what all searches find is never below the score of the best tree. So when they agree, or when
//! the best tree seen reaches that sum, it is proved to be the best one of all; if that does not happen
//! within [`DualDecomposition::MOST_ROUNDS`], hill climbing goes on from the best tree seen, and
//! [`BestTree::gap`] says how far at most it is from the best.
//!
//! A round costs O(n²) and, with k candidate dependents on each side of a head, O(k²) for each label; only
//! nodes whose multipliers changed are searched again.
//!
//! ```
//! use crossarc_graph::{BestTree, Candidates, Decoder, Factor, LabelSharing, Order, Scores};
//! use crossarc_graph::decoders::DualDecomposition;
//! use crossarc_tree::{Label, Node, RootPolicy};
//! let mut scores = Scores::default();
//! scores
//!     .reset(Order::Grandchild, LabelSharing::Shared, &Candidates::all(4), |_, _, l| l.push(Label(0)))
//!     .unwrap();
//! let heads = [0, 1, 1, 2]; // 1 -> 3 and 2 -> 4 cross
//! scores.fill(|factor, _, out| {
//!     if let Factor::Arc { head, dependent } = factor {
//!         out[0] = f32::from(head == Node(heads[dependent.index() - 1]));
//!     }
//! });
//! let (mut chart, mut best) = <(_, BestTree)>::default();
//! DualDecomposition.decode(&scores, RootPolicy::Single, &mut chart, &mut best).unwrap();
//! assert_eq!((best.score, best.gap), (4.0, 0.0));
//! ```
use crate::approximation::{Approximation, HillClimbing};
use crate::decoder::{BestTree, DecodeError, Decoder, Marginals};
use crate::decoders::ChuLiuEdmonds;
use crate::decoders::chu_liu_edmonds::ContractionForest;
use crate::factors::Order;
use crate::matrix_tree::MatrixTree;
use crate::scores::{ArcId, Scores};
use crossarc_tree::{Node, RootPolicy};

/// Second-order decoder without restriction to projective trees.
#[derive(Copy, Clone, Debug, Default)]
pub struct DualDecomposition;

impl DualDecomposition {
    /// The most words a sentence may have.
    pub const MOST_WORDS: usize = 1_000;
    /// The most rounds before hill climbing takes over.
    pub const MOST_ROUNDS: usize = 150;
    /// Rounds without a lower sum after which steps become shorter.
    const PATIENCE: usize = 5;
    /// Differences of scores, in relation to them, that are rounding.
    const ROUNDING: f64 = 1e-6;
}

/// Each arc is scored by the tree, by the head automaton of its head, and by that of its dependent.
const SHARE: f64 = 1.0 / 3.0;

/// Who has chosen a label of an arc.
const BY_TREE: u8 = 1;
const BY_DEPENDENT: u8 = 2;
const BY_HEAD: u8 = 4;

/// Memory of the decoder, reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    forest: ContractionForest,
    climbing: HillClimbing,
    /// Arcs by dependent: for each word the first of its arcs, one more at the end.
    first_incoming: Vec<u32>,
    incoming: Vec<u32>,
    /// What a label of an arc is worth to its dependent and to its head beyond its score.
    multipliers: [Vec<f64>; 2],
    /// For each arc, what it is worth to the tree, and its label there.
    for_tree: Vec<(f64, u32)>,
    /// For each label of each arc, who has chosen it.
    chosen: Vec<u8>,
    /// For each word the label of the arc that the tree chose.
    by_tree: Vec<u32>,
    /// For each node what its automaton chose: labels of arcs, that of its head first.
    by_node: Vec<Vec<u32>>,
    values: Vec<f64>,
    changed: Vec<bool>,
    sides: [Side; 2],
    ways: Vec<f64>,
    heads: Vec<Node>,
    seen: Vec<Node>,
    trial: BestTree,
}

/// The dependents that a node may take on one side, the nearest first.
#[derive(Clone, Debug, Default)]
struct Side {
    /// Their arcs.
    arcs: Vec<usize>,
    to_the_right: bool,
    /// For each dependent and each one nearer, none first: the worth of the arc next to that sibling,
    /// and its label.
    steps: Vec<(f64, u32)>,
    /// The worth of the best dependents up to each, and the place of the one before it, from one.
    up_to: Vec<(f64, usize)>,
    /// The worth of the best dependents beyond each, and the place of the next, from one.
    beyond: Vec<(f64, usize)>,
}

impl Side {
    fn step(&self, dependent: usize, sibling: usize) -> (f64, u32) {
        self.steps[dependent * (dependent + 1) / 2 + sibling]
    }

    /// The column of a dependent, given by its place from one, in a row of `many` dependents.
    fn column(&self, place: usize, many: usize) -> usize {
        if place == 0 || self.to_the_right { place } else { many + 1 - place }
    }

    /// Takes in the dependents and finds the best of them.
    fn look_at(&mut self, scores: &Scores, node: usize, to_the_right: bool, multipliers: &[f64]) {
        let Side { arcs, steps, up_to, beyond, .. } = self;
        self.to_the_right = to_the_right;
        arcs.clear();
        if to_the_right {
            arcs.extend(scores.right_arcs(node));
        } else {
            arcs.extend(scores.left_arcs(node).rev());
        }
        steps.clear();
        up_to.clear();
        for (place, &arc) in arcs.iter().enumerate() {
            let from = steps.len();
            steps.resize(from + place + 1, (f64::NEG_INFINITY, 0));
            let column = |sibling: usize| match sibling {
                0 => 0,
                sibling if to_the_right => sibling,
                sibling => place + 1 - sibling,
            };
            for (row, numbered) in scores.rows(arc).enumerate() {
                let cells = scores.sibling_row(arc, row);
                let of_row = scores.labels_of_row(numbered);
                let (worth, label) = best_label(scores, of_row, multipliers);
                for (sibling, step) in steps[from..].iter_mut().enumerate() {
                    let worth = worth + f64::from(cells[column(sibling)]);
                    if worth > step.0 {
                        *step = (worth, label);
                    }
                }
            }
            let mut best = (steps[from].0, 0);
            for before in 1..=place {
                let worth = up_to[before - 1].0 + steps[from + before].0;
                if worth > best.0 {
                    best = (worth, before);
                }
            }
            up_to.push(best);
        }
        beyond.clear();
        beyond.resize(self.arcs.len(), (0.0, 0));
        for place in (0..self.arcs.len()).rev() {
            self.beyond[place] = self.best_beyond(place + 1, place + 1);
        }
    }

    /// The best dependents from a place on, after the sibling with this place from one, or none.
    fn best_beyond(&self, sibling: usize, from: usize) -> (f64, usize) {
        let mut best = (0.0, 0);
        for place in from..self.arcs.len() {
            let worth = self.step(place, sibling).0 + self.beyond[place].0;
            if worth > best.0 {
                best = (worth, place + 1);
            }
        }
        best
    }

    /// Appends the labels of the arcs up to a dependent, given by its place from one.
    fn take_up_to(&self, mut place: usize, labels: &mut Vec<u32>) {
        while place > 0 {
            let before = self.up_to[place - 1].1;
            labels.push(self.step(place - 1, before).1);
            place = before;
        }
    }

    /// Appends the labels of the best arcs from a place on.
    fn take_beyond(&self, mut sibling: usize, from: usize, labels: &mut Vec<u32>) {
        let mut next = self.best_beyond(sibling, from).1;
        while next > 0 {
            labels.push(self.step(next - 1, sibling).1);
            (sibling, next) = (next, self.beyond[next - 1].1);
        }
    }
}

/// The label that is worth most to one end of an arc.
fn best_label(scores: &Scores, labels: std::ops::Range<usize>, multipliers: &[f64]) -> (f64, u32) {
    let mut best = (f64::NEG_INFINITY, 0);
    for label in labels {
        let worth = SHARE * f64::from(scores.all_arc_scores()[label]) + multipliers[label];
        if worth > best.0 {
            best = (worth, label as u32);
        }
    }
    best
}

impl Agreement {
    fn reset(&mut self, scores: &Scores) {
        let (side, labels) = (scores.words() + 1, scores.all_labels().len());
        self.first_incoming.clear();
        self.first_incoming.resize(side + 1, 0);
        for arc in scores.arcs() {
            self.first_incoming[scores.dependent(arc).index() + 1] += 1;
        }
        for node in 0..side {
            self.first_incoming[node + 1] += self.first_incoming[node];
        }
        let mut places = self.first_incoming.clone();
        self.incoming.clear();
        self.incoming.resize(scores.arcs().len(), 0);
        for arc in scores.arcs() {
            let place = &mut places[scores.dependent(arc).index()];
            self.incoming[*place as usize] = arc.0;
            *place += 1;
        }
        for multipliers in &mut self.multipliers {
            multipliers.clear();
            multipliers.resize(labels, 0.0);
        }
        self.chosen.clear();
        self.chosen.resize(labels, 0);
        self.for_tree.clear();
        self.for_tree.resize(scores.arcs().len(), (0.0, 0));
        for arc in 0..self.for_tree.len() {
            self.weigh_for_tree(scores, arc);
        }
        self.by_tree.clear();
        self.by_node.resize(side, Vec::new());
        self.values.clear();
        self.values.resize(side, 0.0);
        self.changed.clear();
        self.changed.resize(side, true);
        self.heads.clear();
        self.heads.resize(side, Node::ROOT);
        self.seen.clear();
    }

    fn weigh_for_tree(&mut self, scores: &Scores, arc: usize) {
        let mut best = (f64::NEG_INFINITY, 0);
        for label in scores.label_range(arc) {
            let worth = SHARE * f64::from(scores.all_arc_scores()[label])
                - self.multipliers[0][label]
                - self.multipliers[1][label];
            if worth > best.0 {
                best = (worth, label as u32);
            }
        }
        self.for_tree[arc] = best;
    }

    /// The best tree under what arcs are worth to it; its value.
    fn find_tree(&mut self, scores: &Scores, policy: RootPolicy) -> Result<f64, DecodeError> {
        let Agreement { forest, for_tree, heads, by_tree, .. } = self;
        let weight = |arc: ArcId| Some(for_tree[arc.index()].0);
        forest.spanning_tree(scores, policy, weight, |head, word| heads[word.index()] = head)?;
        by_tree.clear();
        let mut value = 0.0;
        for word in (1..=scores.words() as u32).map(Node) {
            let arc = scores.find(heads[word.index()], word).ok_or(DecodeError::NoTree)?;
            value += for_tree[arc.index()].0;
            by_tree.push(for_tree[arc.index()].1);
        }
        Ok(value)
    }

    /// The best head and dependents of a node.
    fn find_neighbours(&mut self, scores: &Scores, node: usize, policy: RootPolicy) {
        let Agreement { sides, ways, by_node, values, multipliers, .. } = self;
        let [for_dependent, for_head] = multipliers;
        let labels = &mut by_node[node];
        labels.clear();
        sides[1].look_at(scores, node, true, for_head);
        if node == 0 {
            let right = &sides[1];
            let mut best = (f64::NEG_INFINITY, 0);
            for place in 0..right.arcs.len() {
                let worth = match policy {
                    RootPolicy::Single => right.step(place, 0).0,
                    RootPolicy::Several => right.up_to[place].0,
                };
                if worth > best.0 {
                    best = (worth, place + 1);
                }
            }
            values[0] = best.0;
            match policy {
                RootPolicy::Single if best.1 > 0 => labels.push(right.step(best.1 - 1, 0).1),
                _ => right.take_up_to(best.1, labels),
            }
            return;
        }
        sides[0].look_at(scores, node, false, for_head);
        let incoming = self.first_incoming[node] as usize..self.first_incoming[node + 1] as usize;
        let mut best = Neighbours::default();
        for &arc in &self.incoming[incoming] {
            let arc = arc as usize;
            let head = scores.head(ArcId(arc as u32));
            let towards = &sides[usize::from(head.index() > node)];
            let away = &sides[usize::from(head.index() < node)];
            let between = scores.inner(arc).len();
            let is_head = |&arc: &usize| scores.dependents()[arc] == head.0;
            let from = between + usize::from(towards.arcs.get(between).is_some_and(is_head));
            ways.clear();
            ways.extend((0..=between).map(|inner| {
                let up_to = if inner == 0 { 0.0 } else { towards.up_to[inner - 1].0 };
                up_to + towards.best_beyond(inner, from).0
            }));
            for (row, numbered) in scores.rows(arc).enumerate() {
                let cells = scores.inner_row(arc, row);
                let mut inner = (f64::NEG_INFINITY, 0);
                for (place, way) in ways.iter().enumerate() {
                    let worth = way + f64::from(cells[towards.column(place, between)]);
                    if worth > inner.0 {
                        inner = (worth, place);
                    }
                }
                let cells = scores.outer_row(arc, row);
                let mut outer = (f64::from(cells[0]), 0);
                for place in 1..=away.arcs.len() {
                    let cell = cells[away.column(place, away.arcs.len())];
                    let worth = away.up_to[place - 1].0 + f64::from(cell);
                    if worth > outer.0 {
                        outer = (worth, place);
                    }
                }
                let of_row = scores.labels_of_row(numbered);
                let (worth, label) = best_label(scores, of_row, for_dependent);
                let worth = worth + inner.0 + outer.0;
                if worth > best.worth {
                    let right = head.index() > node;
                    best = Neighbours { worth, label, right, inner: inner.1, outer: outer.1, from };
                }
            }
        }
        values[node] = best.worth;
        labels.push(best.label);
        sides[usize::from(best.right)].take_up_to(best.inner, labels);
        sides[usize::from(best.right)].take_beyond(best.inner, best.from, labels);
        sides[usize::from(!best.right)].take_up_to(best.outer, labels);
    }

    /// Notes who has chosen what, and how much that disagrees.
    fn compare(&mut self) -> usize {
        let Agreement { chosen, by_tree, by_node, .. } = self;
        chosen.fill(0);
        for &label in &*by_tree {
            chosen[label as usize] |= BY_TREE;
        }
        for (node, labels) in by_node.iter().enumerate() {
            for (place, &label) in labels.iter().enumerate() {
                chosen[label as usize] |=
                    if node > 0 && place == 0 { BY_DEPENDENT } else { BY_HEAD };
            }
        }
        let differs = |&who: &u8| {
            let in_tree = who & BY_TREE != 0;
            usize::from(in_tree != (who & BY_DEPENDENT != 0))
                + usize::from(in_tree != (who & BY_HEAD != 0))
        };
        chosen.iter().filter(|&&who| who != 0).map(differs).sum()
    }

    /// Makes cheaper what the tree chose and dearer what nodes chose.
    fn step(&mut self, scores: &Scores, length: f64) {
        for label in 0..self.chosen.len() {
            let who = self.chosen[label];
            if who == 0 {
                continue;
            }
            let in_tree = f64::from(who & BY_TREE != 0);
            let arc = scores.arc_of_label(label);
            let ends = [
                (BY_DEPENDENT, scores.dependent(arc).index()),
                (BY_HEAD, scores.head(arc).index()),
            ];
            let mut changes = false;
            for (multipliers, (by, node)) in self.multipliers.iter_mut().zip(ends) {
                let change = length * (in_tree - f64::from(who & by != 0));
                if change != 0.0 {
                    multipliers[label] += change;
                    self.changed[node] = true;
                    changes = true;
                }
            }
            if changes {
                self.weigh_for_tree(scores, arc.index());
            }
        }
    }

    /// Scores the tree found with its best labels, and keeps it if it is the best one so far.
    fn consider(&mut self, scores: &Scores, best: &mut BestTree, found: &mut f64) {
        if self.seen == self.heads {
            return;
        }
        self.seen.clone_from(&self.heads);
        self.trial.reset(scores.words());
        let mut sum = 0.0;
        for word in (1..=scores.words() as u32).map(Node) {
            let Some(labels) = scores.labels_in_tree(&self.heads, word) else { return };
            let mut chosen = None;
            for (label, score) in labels {
                if chosen.is_none_or(|(_, highest)| score > highest) {
                    chosen = Some((label, score));
                }
            }
            let Some((label, score)) = chosen else { return };
            sum += f64::from(score);
            self.trial.set(self.heads[word.index()], word, label);
        }
        if sum > *found {
            *found = sum;
            self.trial.score = sum as f32;
            best.clone_from(&self.trial);
        }
    }
}

/// What a node chose.
#[derive(Copy, Clone)]
struct Neighbours {
    worth: f64,
    /// Of the arc of its head.
    label: u32,
    /// True if the head is to the right.
    right: bool,
    inner: usize,
    outer: usize,
    /// The first dependent beyond the head.
    from: usize,
}

impl Default for Neighbours {
    fn default() -> Self {
        let (inner, outer) = (0, 0);
        Neighbours { worth: f64::NEG_INFINITY, label: 0, right: false, inner, outer, from: 0 }
    }
}

impl Decoder for DualDecomposition {
    const NAME: &'static str = "dual-decomposition";
    const ORDER: Order = Order::Grandchild;
    const PROJECTIVE: bool = false;
    const EXACT: bool = false;
    type Chart = Agreement;

    fn decode(
        &self,
        scores: &Scores,
        policy: RootPolicy,
        chart: &mut Agreement,
        best: &mut BestTree,
    ) -> Result<(), DecodeError> {
        let words = scores.words();
        best.reset(words);
        if scores.order() < Self::ORDER {
            return Err(DecodeError::MissingFactors { needed: Self::ORDER, given: scores.order() });
        }
        if words > DualDecomposition::MOST_WORDS {
            return Err(DecodeError::TooLong { words, limit: DualDecomposition::MOST_WORDS });
        }
        if words == 0 {
            return Ok(());
        }
        if !scores.are_finite() {
            // Nothing can be proved about scores that are no numbers.
            ChuLiuEdmonds.decode(scores, policy, &mut chart.forest, best)?;
            best.gap = f32::INFINITY;
            return Ok(());
        }
        chart.reset(scores);
        let (mut found, mut bound) = (f64::NEG_INFINITY, f64::INFINITY);
        let (mut length, mut waited) = (1.0, 0);
        for _ in 0..DualDecomposition::MOST_ROUNDS {
            let mut sum = chart.find_tree(scores, policy)?;
            for node in 0..=words {
                if std::mem::take(&mut chart.changed[node]) {
                    chart.find_neighbours(scores, node, policy);
                }
            }
            sum += chart.values.iter().sum::<f64>();
            waited += 1;
            if sum < bound {
                bound = sum;
                waited = 0;
            } else if waited == DualDecomposition::PATIENCE {
                length *= 0.7;
                waited = 0;
            }
            chart.consider(scores, best, &mut found);
            let disagreement = chart.compare();
            if disagreement == 0
                || bound - found <= DualDecomposition::ROUNDING * (1.0 + bound.abs())
            {
                best.gap = 0.0;
                return Ok(());
            }
            chart.step(scores, length * (sum - found) / disagreement as f64);
        }
        let climb = Approximation { threshold: 0.0, order: Self::ORDER, policy };
        let before = best.score;
        chart.climbing.climb(climb, scores, best);
        let gain = f64::from(best.score - before);
        let left = bound - found - gain;
        let proved = left <= DualDecomposition::ROUNDING * (1.0 + bound.abs());
        best.gap = if proved { 0.0 } else { left as f32 };
        Ok(())
    }
}

/// The probabilities are those of trees under arc scores alone: sums over trees of second order are hard.
impl Marginals for DualDecomposition {
    const OF_ALL_FACTORS: bool = false;
    type Memory = MatrixTree;

    fn marginals(
        &self,
        scores: &Scores,
        policy: RootPolicy,
        memory: &mut MatrixTree,
        marginals: &mut Vec<f64>,
    ) -> Result<f64, DecodeError> {
        memory.marginals(scores, policy, marginals)
    }
}
