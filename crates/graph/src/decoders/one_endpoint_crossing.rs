//! `one-endpoint-crossing`: the best tree in which all arcs that cross an arc share an end, under arc scores
//! (Pitler, Kannan and Marcus 2013), in O(n⁴) time and O(n³) memory.
//!
//! Items are intervals between two nodes with all arcs inside (*whole*), and intervals with one node
//! outside that has arcs into them: these may be crossed by arcs of no end of the interval, of its left
//! end, of its right end, or some by one and some by the other. Every item knows which of its two or three
//! outer nodes still want a head and which hang on which other one, so that joining items makes neither
//! cycles nor second heads. An interval is taken apart at the furthest arc of its left end: if that is
//! crossed, all arcs that cross it have an end in common, and what lies between these nodes is independent.
//!
//! Only pairs of words with a candidate arc make splits, so pruned heads cut the factor of O(n⁴) down.
//! A single root costs nothing but a penalty on root arcs. Marginals are those of all trees under arc scores.
use std::sync::OnceLock;

use crate::decoder::{BestTree, DecodeError, Decoder, Marginals};
use crate::factors::Order;
use crate::matrix_tree::MatrixTree;
use crate::scores::Scores;
use crossarc_tree::classes::is_one_endpoint_crossing;
use crossarc_tree::projectivity::RootArcs;
use crossarc_tree::{Node, RootPolicy, Tree};

/// First-order decoder for 1-endpoint-crossing trees.
#[derive(Copy, Clone, Debug, Default)]
pub struct OneEndpointCrossing;

impl OneEndpointCrossing {
    /// The most memory a chart may take, in bytes: enough for a hundred words.
    pub const MOST_BYTES: usize = 384 << 20;
}

/// Memory of the decoder, reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct CrossingChart {
    /// Number of nodes.
    side: usize,
    values: Vec<f64>,
    /// The best score of each arc, by head and dependent.
    arcs: Vec<f64>,
    /// For each node, how many nodes up to each place it may share an arc with.
    near: Vec<u32>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// All arcs between the ends and inside, but none between the two ends.
    Apart,
    /// The same, and perhaps an arc between the ends.
    Whole,
    /// With an outer node whose arcs are not crossed.
    Neither,
    /// Its arcs are crossed by arcs of the left end.
    Left,
    /// Its arcs are crossed by arcs of the right end.
    Right,
    /// Some are crossed by arcs of the left, those further right by arcs of the right end.
    Both,
}

/// An item: an interval, and an outer node if its kind has one.
#[derive(Copy, Clone, Debug)]
struct Item {
    kind: Kind,
    left: usize,
    right: usize,
    outer: usize,
}

fn apart(left: usize, right: usize) -> Item {
    Item { kind: Kind::Apart, left, right, outer: 0 }
}

fn whole(left: usize, right: usize) -> Item {
    Item { kind: Kind::Whole, left, right, outer: 0 }
}

fn crossing(kind: Kind, left: usize, right: usize, outer: usize) -> Item {
    Item { kind, left, right, outer }
}

/// Which outer nodes of an item hang on which: for two nodes 3 states, for three 10. A node that wants a head
/// is its own root. The first state is the one in which all do.
const STATES_OF_TWO: usize = 3;
const STATES_OF_THREE: usize = 10;

/// The roots of the nodes in each state.
fn states(nodes: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    for number in 0..nodes.pow(nodes as u32) {
        let roots: Vec<usize> =
            (0..nodes).map(|node| number / nodes.pow(node as u32) % nodes).collect();
        if roots.iter().all(|&root| roots[root] == root) {
            found.push(roots);
        }
    }
    let all_free: Vec<usize> = (0..nodes).collect();
    found.sort_by_key(|roots| *roots != all_free);
    found
}

/// One way for the states of parts and the arcs between them to go together.
#[derive(Copy, Clone, Debug)]
struct Fit {
    parts: [u8; 3],
    /// No arc, from the first to the second node, or back.
    arcs: [u8; 2],
    result: u8,
}

/// All ways for parts of certain kinds.
type Rule = Vec<Fit>;

/// Nodes of rules, by role.
const I: usize = 0;
const J: usize = 1;
const K: usize = 2;
const L: usize = 3;
const X: usize = 4;

/// An arc between two nodes of a rule, and whether it must be there.
type Link = (usize, usize, bool);

struct Rules {
    empty: Rule,
    step: Rule,
    closed: Rule,
    uncrossed: Rule,
    outside: Rule,
    outside_at_end: Rule,
    outside_beyond: Rule,
    inside: Rule,
    inside_back: Rule,
    idle: Rule,
    neither: Rule,
    left: Rule,
    left_again: Rule,
    right: Rule,
    right_again: Rule,
    same: Rule,
    both: Rule,
}

fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| Rules {
        empty: rule(&[], &[], &[I, J]),
        step: rule(&[&[K, J]], &[], &[I, J]),
        closed: rule(&[&[I, J]], &[(I, J, false)], &[I, J]),
        uncrossed: rule(&[&[I, K], &[K, J]], &[(I, K, true)], &[I, J]),
        outside: rule(&[&[I, K, L], &[K, L], &[L, J]], &[(I, K, true)], &[I, J]),
        outside_at_end: rule(&[&[I, K, J], &[K, J]], &[(I, K, true)], &[I, J]),
        outside_beyond: rule(
            &[&[I, K, L], &[K, L], &[L, J, K]],
            &[(I, K, true), (K, J, false)],
            &[I, J],
        ),
        inside: rule(&[&[I, L], &[L, K, I], &[K, J, L]], &[(I, K, true), (L, J, false)], &[I, J]),
        inside_back: rule(
            &[&[I, L, K], &[L, K], &[K, J, L]],
            &[(I, K, true), (L, J, false)],
            &[I, J],
        ),
        idle: rule(&[&[I, J]], &[], &[I, J, X]),
        neither: rule(&[&[I, K, X], &[K, J]], &[(X, K, true)], &[I, J, X]),
        left: rule(&[&[I, K, X], &[K, J, I]], &[(X, K, true), (I, J, false)], &[I, J, X]),
        left_again: rule(&[&[I, K], &[K, J, I]], &[(X, K, true), (I, J, false)], &[I, J, X]),
        right: rule(&[&[K, J, X], &[I, K, J]], &[(X, K, true), (I, J, false)], &[I, J, X]),
        right_again: rule(&[&[K, J], &[I, K, J]], &[(X, K, true), (I, J, false)], &[I, J, X]),
        same: rule(&[&[I, J, X]], &[], &[I, J, X]),
        both: rule(&[&[I, K, X], &[K, J, X]], &[(X, K, false)], &[I, J, X]),
    })
}

/// Tries all states of the parts and all arcs; what is left over must hang on a node that is kept.
fn rule(parts: &[&[usize]], links: &[Link], kept: &[usize]) -> Rule {
    let known: Vec<Vec<Vec<usize>>> = parts.iter().map(|nodes| states(nodes.len())).collect();
    let results = states(kept.len());
    let mut rule = Vec::new();
    let choices = |at: usize| known.get(at).map_or(1, Vec::len);
    for number in 0..choices(0) * choices(1) * choices(2) * 9 {
        let chosen = [
            number % choices(0),
            number / choices(0) % choices(1),
            number / (choices(0) * choices(1)) % choices(2),
        ];
        let directions = number / (choices(0) * choices(1) * choices(2));
        let arcs = [directions % 3, directions / 3];
        let allowed = |at: usize| match links.get(at) {
            None => arcs[at] == 0,
            Some((_, _, needed)) => !needed || arcs[at] > 0,
        };
        if !(allowed(0) && allowed(1)) {
            continue;
        }
        let mut heads = [None; 5];
        let mut is_tree = true;
        let mut attach = |dependent: usize, head: usize| {
            is_tree &= heads[dependent].replace(head).is_none();
        };
        for ((nodes, states), &state) in parts.iter().zip(&known).zip(&chosen) {
            for (&node, &root) in nodes.iter().zip(&states[state]) {
                if nodes[root] != node {
                    attach(node, nodes[root]);
                }
            }
        }
        for (&(one, other, _), &arc) in links.iter().zip(&arcs) {
            match arc {
                1 => attach(other, one),
                2 => attach(one, other),
                _ => {}
            }
        }
        let top = |node: usize| {
            let mut at = node;
            for _ in 0..6 {
                match heads[at] {
                    None => return Some(at),
                    Some(head) => at = head,
                }
            }
            None // a cycle
        };
        let used = parts.iter().copied().flatten();
        let mut all = used.chain(kept);
        if !is_tree || !all.all(|&node| top(node).is_some_and(|top| kept.contains(&top))) {
            continue;
        }
        let roots: Vec<usize> = kept
            .iter()
            .filter_map(|&node| kept.iter().position(|&other| Some(other) == top(node)))
            .collect();
        if let Some(result) = results.iter().position(|state| *state == roots) {
            let parts = chosen.map(|state| state as u8);
            let arcs = arcs.map(|arc| arc as u8);
            rule.push(Fit { parts, arcs, result: result as u8 });
        }
    }
    rule
}

/// No link.
const NO: (usize, usize) = (0, 0);

/// What an item is made of in one way.
struct Way<'r> {
    fit: &'r Fit,
    parts: [Option<Item>; 3],
    links: [(usize, usize); 2],
}

impl CrossingChart {
    fn reset(&mut self, scores: &Scores, policy: RootPolicy) -> Result<(), DecodeError> {
        let side = scores.words() + 1;
        self.side = side;
        let places = 1 + 2 * side * side * STATES_OF_TWO + 4 * side.pow(3) * STATES_OF_THREE;
        let bytes = places.saturating_mul(size_of::<f64>());
        if bytes > OneEndpointCrossing::MOST_BYTES {
            return Err(DecodeError::TooLarge { bytes, limit: OneEndpointCrossing::MOST_BYTES });
        }
        self.values.clear();
        self.values.resize(places, f64::NEG_INFINITY);
        self.values[0] = 0.0;
        self.arcs.clear();
        self.arcs.resize(side * side, f64::NEG_INFINITY);
        self.near.clear();
        self.near.resize(side * side, 0);
        let mut sum = 1.0;
        for arc in scores.arcs() {
            let (head, dependent) = (scores.head(arc).index(), scores.dependent(arc).index());
            if let Some((_, score)) = scores.best_label(arc).filter(|best| best.1.is_finite()) {
                self.arcs[head * side + dependent] = f64::from(score);
                self.near[head * side + dependent] = 1;
                self.near[dependent * side + head] = 1;
                sum += 2.0 * f64::from(score.abs());
            }
        }
        for row in self.near.chunks_mut(side) {
            let mut before = 0;
            for place in row {
                before += *place;
                *place = before;
            }
        }
        // More than any difference between trees, so that the fewest roots win.
        let penalty = if policy == RootPolicy::Single { sum } else { 0.0 };
        for arc in &mut self.arcs[..side] {
            *arc -= penalty;
        }
        Ok(())
    }

    fn place(&self, item: Item) -> usize {
        let side = self.side;
        let Item { kind, left, right, outer } = item;
        let of_two = |table: usize| 1 + ((table * side + left) * side + right) * STATES_OF_TWO;
        let of_three = |table: usize| {
            1 + 2 * side * side * STATES_OF_TWO
                + (((table * side + left) * side + right) * side + outer) * STATES_OF_THREE
        };
        match kind {
            Kind::Apart => of_two(0),
            Kind::Whole => of_two(1),
            Kind::Neither => of_three(0),
            Kind::Left => of_three(1),
            Kind::Right => of_three(2),
            Kind::Both => of_three(3),
        }
    }

    /// True if a node may share an arc with one strictly between two others.
    fn reaches(&self, node: usize, left: usize, right: usize) -> bool {
        let row = &self.near[node * self.side..];
        row[right - 1] > row[left]
    }

    fn linked(&self, one: usize, other: usize) -> bool {
        let side = self.side;
        self.arcs[one * side + other].max(self.arcs[other * side + one]) > f64::NEG_INFINITY
    }

    /// Calls `visit` with all ways of a rule: their value, and the way.
    #[inline]
    fn fits<'r>(
        &self,
        rule: &'r [Fit],
        parts: [Option<Item>; 3],
        links: [(usize, usize); 2],
        visit: &mut impl FnMut(f64, Way<'r>),
    ) {
        let side = self.side;
        let places = parts.map(|part| part.map_or(0, |part| self.place(part)));
        let worth = links.map(|(one, other)| {
            [0.0, self.arcs[one * side + other], self.arcs[other * side + one]]
        });
        for fit in rule {
            let part = |at: usize| self.values[places[at] + usize::from(fit.parts[at])];
            let arc = |at: usize| worth[at][usize::from(fit.arcs[at])];
            let value = part(0) + part(1) + part(2) + arc(0) + arc(1);
            if value > f64::NEG_INFINITY {
                visit(value, Way { fit, parts, links });
            }
        }
    }

    /// Calls `visit` with all ways to build an item.
    fn ways(&self, item: Item, visit: &mut impl FnMut(f64, Way<'static>)) {
        let rules = rules();
        let Item { kind, left: i, right: j, outer: x } = item;
        match kind {
            Kind::Apart => {
                if j == i + 1 {
                    self.fits(&rules.empty, [None; 3], [NO; 2], visit);
                } else {
                    self.fits(&rules.step, [Some(whole(i + 1, j)), None, None], [NO; 2], visit);
                }
                for k in (i + 1..j).filter(|&k| self.linked(i, k)) {
                    self.furthest_arc(i, k, j, visit);
                }
            }
            Kind::Whole => {
                self.fits(&rules.closed, [Some(apart(i, j)), None, None], [(i, j), NO], visit);
            }
            Kind::Neither | Kind::Left | Kind::Right => {
                self.fits(&rules.idle, [Some(whole(i, j)), None, None], [NO; 2], visit);
                if !self.reaches(x, i, j) {
                    return;
                }
                for u in (i + 1..j).filter(|&u| self.linked(x, u)) {
                    let three = |kind, left, right, outer| Some(crossing(kind, left, right, outer));
                    match kind {
                        Kind::Neither => {
                            let parts = [three(kind, i, u, x), Some(whole(u, j)), None];
                            self.fits(&rules.neither, parts, [(x, u), NO], visit);
                        }
                        Kind::Left => {
                            let parts = [three(kind, i, u, x), three(Kind::Neither, u, j, i), None];
                            self.fits(&rules.left, parts, [(x, u), (i, j)], visit);
                            let parts = [Some(whole(i, u)), three(Kind::Left, u, j, i), None];
                            self.fits(&rules.left_again, parts, [(x, u), (i, j)], visit);
                        }
                        _ => {
                            let parts = [three(kind, u, j, x), three(Kind::Neither, i, u, j), None];
                            self.fits(&rules.right, parts, [(x, u), (i, j)], visit);
                            let parts = [Some(whole(u, j)), three(Kind::Right, i, u, j), None];
                            self.fits(&rules.right_again, parts, [(x, u), (i, j)], visit);
                        }
                    }
                }
            }
            Kind::Both => {
                for kind in [Kind::Left, Kind::Right] {
                    let parts = [Some(crossing(kind, i, j, x)), None, None];
                    self.fits(&rules.same, parts, [NO; 2], visit);
                }
                if !self.reaches(x, i, j) {
                    return;
                }
                for k in i + 1..j {
                    let left = crossing(Kind::Left, i, k, x);
                    let right = crossing(Kind::Right, k, j, x);
                    self.fits(&rules.both, [Some(left), Some(right), None], [(x, k), NO], visit);
                }
            }
        }
    }

    /// The ways in which the arc between `i` and `k` is the furthest of `i`.
    fn furthest_arc(
        &self,
        i: usize,
        k: usize,
        j: usize,
        visit: &mut impl FnMut(f64, Way<'static>),
    ) {
        let rules = rules();
        let arc = (i, k);
        let three = |kind, left, right, outer| Some(crossing(kind, left, right, outer));
        let parts = [Some(apart(i, k)), Some(whole(k, j)), None];
        self.fits(&rules.uncrossed, parts, [arc, NO], visit);
        // Arcs that cross it meet beyond it ...
        for l in (k + 1..=j).filter(|&l| self.reaches(l, i, k)) {
            if l == j {
                let parts = [three(Kind::Both, i, k, j), Some(whole(k, j)), None];
                self.fits(&rules.outside_at_end, parts, [arc, NO], visit);
                continue;
            }
            let parts = [three(Kind::Both, i, k, l), Some(whole(k, l)), Some(whole(l, j))];
            self.fits(&rules.outside, parts, [arc, NO], visit);
            let parts =
                [three(Kind::Right, i, k, l), Some(whole(k, l)), three(Kind::Left, l, j, k)];
            self.fits(&rules.outside_beyond, parts, [arc, (k, j)], visit);
        }
        // ... or below it.
        for l in i + 1..k {
            if !self.reaches(l, k, j) && !self.linked(l, j) {
                continue;
            }
            let parts =
                [Some(whole(i, l)), three(Kind::Left, l, k, i), three(Kind::Neither, k, j, l)];
            self.fits(&rules.inside, parts, [arc, (l, j)], visit);
            let parts =
                [three(Kind::Right, i, l, k), Some(whole(l, k)), three(Kind::Left, k, j, l)];
            self.fits(&rules.inside_back, parts, [arc, (l, j)], visit);
        }
    }

    fn build(&mut self, item: Item) {
        let mut best = [f64::NEG_INFINITY; STATES_OF_THREE];
        self.ways(item, &mut |value, way| {
            let best = &mut best[usize::from(way.fit.result)];
            *best = best.max(value);
        });
        let place = self.place(item);
        let states = if matches!(item.kind, Kind::Apart | Kind::Whole) {
            STATES_OF_TWO
        } else {
            STATES_OF_THREE
        };
        self.values[place..place + states].copy_from_slice(&best[..states]);
    }

    fn fill(&mut self) {
        let side = self.side;
        for length in 1..side {
            for i in 0..side - length {
                let j = i + length;
                self.build(apart(i, j));
                self.build(whole(i, j));
                for x in (0..i).chain(j + 1..side) {
                    self.build(crossing(Kind::Neither, i, j, x));
                    self.build(crossing(Kind::Left, i, j, x));
                    if x > j {
                        self.build(crossing(Kind::Right, i, j, x));
                        if self.linked(i, j) {
                            self.build(crossing(Kind::Both, i, j, x));
                        }
                    }
                }
            }
        }
    }

    /// Calls `arc` with the arcs of the best tree: once more the ways to build the items that it needs.
    fn read(&self, goal: Item, state: usize, mut arc: impl FnMut(usize, usize)) {
        let mut open = vec![(goal, state)];
        while let Some((item, state)) = open.pop() {
            let wanted = self.values[self.place(item) + state];
            let mut chosen = None;
            self.ways(item, &mut |value, way| {
                if chosen.is_none() && usize::from(way.fit.result) == state && value >= wanted {
                    chosen = Some(way);
                }
            });
            let Some(Way { fit, parts, links }) = chosen else { return };
            for (part, state) in parts.into_iter().zip(fit.parts) {
                open.extend(part.map(|part| (part, usize::from(state))));
            }
            for ((one, other), direction) in links.into_iter().zip(fit.arcs) {
                match direction {
                    1 => arc(one, other),
                    2 => arc(other, one),
                    _ => {}
                }
            }
        }
    }
}

impl Decoder for OneEndpointCrossing {
    const NAME: &'static str = "one-endpoint-crossing";
    const ORDER: Order = Order::First;
    const PROJECTIVE: bool = false;
    type Chart = CrossingChart;

    fn builds(tree: &Tree) -> bool {
        is_one_endpoint_crossing(tree, RootArcs::Included)
    }

    fn decode(
        &self,
        scores: &Scores,
        policy: RootPolicy,
        chart: &mut CrossingChart,
        best: &mut BestTree,
    ) -> Result<(), DecodeError> {
        let words = scores.words();
        best.reset(words);
        if words == 0 {
            return Ok(());
        }
        chart.reset(scores, policy)?;
        chart.fill();
        let goal = whole(0, words);
        // The last word hangs on the root.
        let all_on_root = states(2).iter().position(|roots| *roots == [0, 0]).unwrap_or(0);
        if chart.values[chart.place(goal) + all_on_root] == f64::NEG_INFINITY {
            return Err(DecodeError::NoTree);
        }
        let (mut roots, mut arcs) = (0, 0);
        chart.read(goal, all_on_root, |head, dependent| {
            let (head, dependent) = (Node(head as u32), Node(dependent as u32));
            let label = scores.find(head, dependent).and_then(|arc| scores.best_label(arc));
            if let Some((label, score)) = label {
                best.set(head, dependent, label);
                best.score += score;
                arcs += 1;
                roots += usize::from(head == Node::ROOT);
            }
        });
        let too_many = policy == RootPolicy::Single && roots > 1;
        if too_many || arcs != words { Err(DecodeError::NoTree) } else { Ok(()) }
    }
}

/// The probabilities are those of all trees, whatever arcs cross.
impl Marginals for OneEndpointCrossing {
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
