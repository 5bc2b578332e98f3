//! `carreras`: the best projective labelled tree under scores of arcs, adjacent siblings and
//! outermost grandchildren on both sides (Carreras 2007), O(n⁴) time, O(n³) memory.
//!
//! The score of a tree is the sum over its arcs `h -l-> m` of
//!
//! `arc(h, m, l) + sibling(h, m, s, l) + inner(h, m, i, l) + outer(h, m, o, l)`
//!
//! where `s` is the child of `h` between `h` and `m` nearest to `m`, `i` the child of `m` between
//! them farthest from `m`, `o` the child of `m` on the other side farthest from `m`, and each may
//! be none (see [`crate::Family`]). The label is maximised inside the search.
//!
//! A *closed* half knows its last dependent, so that whoever uses it can add the factor in which
//! this dependent takes part: for the halves that meet under a new arc the sibling and the inner
//! grandchild, for the half beyond the dependent the outer grandchild. An *open* half keeps its
//! label until the outer grandchild is known. With heads pruned to a few for each word, the chart
//! shrinks to O(n²) and time to O(n³) with a small constant.
use crate::decoder::{BestTree, DecodeError, Decoder, Marginals};
use crate::decoders::eisner::decode_projective;
use crate::deduction::{Chart, Content, Deduction, InsideOutside, Part, Run, Visit};
use crate::factors::Order;
use crate::scores::{ArcId, Scores};
use crossarc_tree::{Node, RootPolicy};

/// Second-order projective decoder with siblings and grandchildren.
#[derive(Copy, Clone, Debug, Default)]
pub struct Carreras;

impl Carreras {
    /// The most memory a chart may take, in bytes: enough for all arcs of a 400-word sentence
    /// with a handful of labels, in double precision and twice for inside-outside.
    pub const MOST_BYTES: usize = 384 << 20;
    /// The most words a sentence may have: with pruned heads one of them takes about a quarter of a
    /// minute.
    pub const MOST_WORDS: usize = 1_000;
}

/// Memory of the decoder, reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct CarrerasChart {
    first_place: Vec<usize>,
    chart: Chart<f32, Item>,
}

/// Memory of inside-outside, reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct CarrerasMarginals {
    first_place: Vec<usize>,
    inside_outside: InsideOutside<Item>,
}

impl Decoder for Carreras {
    const NAME: &'static str = "carreras";
    const ORDER: Order = Order::Grandchild;
    const PROJECTIVE: bool = true;
    type Chart = CarrerasChart;

    fn decode(
        &self,
        scores: &Scores,
        policy: RootPolicy,
        chart: &mut CarrerasChart,
        best: &mut BestTree,
    ) -> Result<(), DecodeError> {
        best.reset(scores.words());
        if scores.words() == 0 {
            return Ok(());
        }
        let program = Program::new(scores, policy, &mut chart.first_place, size_of::<f32>())?;
        decode_projective(&program, scores, &mut chart.chart, best)
    }
}

impl Marginals for Carreras {
    type Memory = CarrerasMarginals;

    fn marginals(
        &self,
        scores: &Scores,
        policy: RootPolicy,
        memory: &mut CarrerasMarginals,
        marginals: &mut Vec<f64>,
    ) -> Result<f64, DecodeError> {
        marginals.clear();
        marginals.resize(scores.all_labels().len(), 0.0);
        if scores.words() == 0 {
            return Ok(0.0);
        }
        let bytes_of_place = 2 * size_of::<f64>();
        let program = Program::new(scores, policy, &mut memory.first_place, bytes_of_place)?;
        memory.inside_outside.marginals(&program, marginals)
    }
}

/// An item of the chart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Item {
    /// An arc with label, and all between its ends.
    Open { row: u32 },
    /// A head with dependents from itself to `end`, the last of them by `arc`.
    Closed { end: u32, arc: u32 },
    /// The whole sentence.
    Goal,
}

struct Program<'a> {
    scores: &'a Scores,
    policy: RootPolicy,
    /// For each head and end, in this order, the first place of closed items: one for each arc
    /// of the head that leads to the end or less far. One more at the end.
    first_place: &'a [usize],
}

impl<'a> Program<'a> {
    fn new(
        scores: &'a Scores,
        policy: RootPolicy,
        first_place: &'a mut Vec<usize>,
        bytes_of_place: usize,
    ) -> Result<Program<'a>, DecodeError> {
        if scores.order() < Order::Grandchild {
            let (needed, given) = (Order::Grandchild, scores.order());
            return Err(DecodeError::MissingFactors { needed, given });
        }
        let words = scores.words();
        if words > Carreras::MOST_WORDS {
            return Err(DecodeError::TooLong { words, limit: Carreras::MOST_WORDS });
        }
        let side = words + 1;
        let most_places = Carreras::MOST_BYTES / bytes_of_place;
        let too_large = |places: usize| DecodeError::TooLarge {
            bytes: places.saturating_mul(bytes_of_place),
            limit: Carreras::MOST_BYTES,
        };
        if side.saturating_mul(side) > most_places {
            return Err(too_large(side.saturating_mul(side)));
        }
        first_place.clear();
        let mut places = 0usize;
        for head in 0..side {
            let mut left = scores.left_arcs(head);
            for end in 0..head {
                // Arcs that lead farther than `end` drop out from the left.
                while scores.dependents().get(left.start).is_some_and(|&d| (d as usize) < end)
                    && !left.is_empty()
                {
                    left.start += 1;
                }
                first_place.push(places);
                places += left.len();
            }
            first_place.push(places);
            let right = scores.right_arcs(head);
            let mut reached = right.start;
            for end in head + 1..side {
                if reached < right.end && scores.dependents()[reached] as usize == end {
                    reached += 1;
                }
                first_place.push(places);
                places += reached - right.start;
            }
        }
        first_place.push(places);
        let program = Program { scores, policy, first_place };
        if program.places() > most_places {
            return Err(too_large(program.places()));
        }
        Ok(program)
    }

    fn side(&self) -> usize {
        self.scores.words() + 1
    }

    /// Places of the closed items of a head that reach to `end`, from left to right.
    fn closed(&self, head: usize, end: usize) -> std::ops::Range<usize> {
        let index = head * self.side() + end;
        self.first_place[index]..self.first_place[index + 1]
    }

    fn closed_places(&self) -> usize {
        self.first_place[self.first_place.len() - 1]
    }

    fn open(&self, row: usize) -> usize {
        self.closed_places() + row
    }

    fn left_end(&self, end: usize) -> usize {
        self.open(self.scores.all_rows()) + end
    }

    fn right_end(&self, end: usize) -> usize {
        self.left_end(self.side()) + end
    }

    fn unlabelled(&self) -> usize {
        self.right_end(self.side())
    }

    fn ends(&self, arc: usize) -> (usize, usize) {
        let arc = ArcId(arc as u32);
        (self.scores.head(arc).index(), self.scores.dependent(arc).index())
    }

    /// The arc of a row and the number of the row among those of the arc.
    fn arc_of_row(&self, row: u32) -> (usize, usize) {
        let arc = self.scores.arc_of_row(row as usize);
        (arc, row as usize - self.scores.rows(arc).start)
    }

    /// Number of places where the halves of a new arc may meet.
    fn meetings(&self, head: usize, dependent: usize) -> usize {
        let one_root = head == 0 && self.policy == RootPolicy::Single;
        if one_root { 1 } else { head.abs_diff(dependent) }
    }

    /// Ways to give an arc the closed half of `node` up to `end`: one for each last dependent, with
    /// the factor it makes with the arc. `weights` are for none and then for all arcs of the node
    /// that can make one, of which those that lead to `end` or less far take part.
    fn run_to_half<'w>(
        &self,
        (node, end): (usize, usize),
        same: Part,
        weights: &'w [f32],
    ) -> Run<'w> {
        if node == end {
            return Run::single([same, Part::None], weights[0]);
        }
        let closed = self.closed(node, end);
        let many = closed.len();
        let weights =
            if node < end { &weights[1..=many] } else { &weights[weights.len() - many..] };
        Run::weighted([same, Part::From(closed.start)], weights)
    }
}

impl Deduction for Program<'_> {
    type Item = Item;

    fn places(&self) -> usize {
        self.unlabelled() + 2
    }

    fn last(&self) -> usize {
        self.scores.words()
    }

    fn axioms(&self, _visit: impl FnMut(usize)) {}

    fn items(&self, left: usize, right: usize, items: &mut Vec<Item>) {
        let mut open = |head: usize, dependent: usize| {
            if let Some(arc) = self.scores.find(Node(head as u32), Node(dependent as u32)) {
                let rows = self.scores.rows(arc.index());
                items.extend(rows.map(|row| Item::Open { row: row as u32 }));
            }
        };
        open(left, right);
        if left > 0 {
            open(right, left);
            let arcs = self.scores.left_arcs(right);
            let many = self.closed(right, left).len();
            let end = left as u32;
            items.extend(
                (arcs.end - many..arcs.end).map(|arc| Item::Closed { end, arc: arc as u32 }),
            );
        }
        if left > 0 || self.policy == RootPolicy::Several || right == self.last() {
            let first = self.scores.right_arcs(left).start;
            let many = self.closed(left, right).len();
            let end = right as u32;
            items.extend((first..first + many).map(|arc| Item::Closed { end, arc: arc as u32 }));
        }
        if left == 0 && right == self.last() {
            items.push(Item::Goal);
        }
    }

    fn passing(&self, item: Item, order: Visit, mut visit: impl FnMut(usize, &Run<'_>)) {
        let Item::Open { row } = item else { return };
        let (arc, row) = self.arc_of_row(row);
        let (head, dependent) = self.ends(arc);
        let (left, right) = (head.min(dependent), head.max(dependent));
        let meetings = self.meetings(head, dependent);
        let ends = [Part::From(self.left_end(left)), Part::From(self.right_end(left + 1))];
        let whole = Run::new(ends, meetings);
        if order == Visit::PartsLast {
            visit(self.unlabelled(), &whole);
        }
        let siblings = self.scores.sibling_row(arc, row);
        let inner = self.scores.inner_row(arc, row);
        let [of_left, of_right] =
            if head < dependent { [siblings, inner] } else { [inner, siblings] };
        for end in left..left + meetings {
            visit(self.left_end(end), &self.run_to_half((left, end), Part::None, of_left));
        }
        for end in left + 1..=left + meetings {
            visit(self.right_end(end), &self.run_to_half((right, end), Part::None, of_right));
        }
        if order == Visit::PartsFirst {
            visit(self.unlabelled(), &whole);
        }
    }

    fn place(&self, item: Item) -> usize {
        match item {
            Item::Open { row } => self.open(row as usize),
            Item::Closed { end, arc } => {
                let (head, _) = self.ends(arc as usize);
                let places = self.closed(head, end as usize);
                if head < end as usize {
                    places.start + arc as usize - self.scores.right_arcs(head).start
                } else {
                    places.end + arc as usize - self.scores.left_arcs(head).end
                }
            }
            Item::Goal => self.unlabelled() + 1,
        }
    }

    fn content(&self, place: usize) -> Content<Item> {
        if place >= self.left_end(0) {
            return Content::Passing;
        }
        if place >= self.open(0) {
            return Content::Item(Item::Open { row: (place - self.open(0)) as u32 });
        }
        let index = self.first_place.partition_point(|&first| first <= place) - 1;
        let (head, end) = (index / self.side(), index % self.side());
        let places = self.closed(head, end);
        let arc = if head < end {
            self.scores.right_arcs(head).start + place - places.start
        } else {
            self.scores.left_arcs(head).end + place - places.end
        };
        Content::Item(Item::Closed { end: end as u32, arc: arc as u32 })
    }

    fn runs(&self, item: Item, mut visit: impl FnMut(&Run<'_>)) {
        let scores = self.scores;
        match item {
            Item::Open { row } => {
                let labels = scores.labels_of_row(row as usize);
                let start = labels.start;
                visit(&Run::labels(self.unlabelled(), start, &scores.all_arc_scores()[labels]));
            }
            Item::Closed { end, arc } => {
                let arc = arc as usize;
                let (_, dependent) = self.ends(arc);
                for (row, open) in scores.rows(arc).enumerate() {
                    let open = Part::Same(self.open(open));
                    let weights = scores.outer_row(arc, row);
                    visit(&self.run_to_half((dependent, end as usize), open, weights));
                }
            }
            Item::Goal => {
                let closed = self.closed(0, self.last());
                visit(&Run::new([Part::From(closed.start), Part::None], closed.len()));
            }
        }
    }

    fn goal(&self) -> Item {
        Item::Goal
    }
}
