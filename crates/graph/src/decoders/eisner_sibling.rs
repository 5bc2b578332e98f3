//! `eisner-sibling`: the best projective tree under scores of arcs and of adjacent siblings
//! (McDonald and Pereira 2006), O(n³) time, O(n²) memory.
//!
//! The score of a tree is the sum over its arcs `h -l-> m` of
//! `arc(h, m, l) + sibling(h, m, s, l)`, where `s` is the child of `h` next to `m` towards `h`, or
//! none (see [`crate::Family`]). Dependents are gathered from the head outwards: an open
//! half is extended by *meeting* the next sibling, so every pair of neighbours is seen once.
use crate::decoder::{BestTree, DecodeError, Decoder, Marginals};
use crate::decoders::eisner::decode_projective;
use crate::deduction::{Chart, Content, Deduction, InsideOutside, Part, Run, Squares, Visit};
use crate::factors::Order;
use crate::scores::{ArcId, Scores};
use crossarc_tree::{Node, RootPolicy};

/// Second-order projective decoder with adjacent siblings.
#[derive(Copy, Clone, Debug, Default)]
pub struct EisnerSibling;

impl EisnerSibling {
    /// The most words a sentence may have.
    pub const MOST_WORDS: usize = 2_000;
}

/// Memory of the decoder, reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct EisnerSiblingChart(Chart<f32, Item>);

/// Memory of inside-outside, reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct EisnerSiblingMarginals(InsideOutside<Item>);

impl Decoder for EisnerSibling {
    const NAME: &'static str = "eisner-sibling";
    const ORDER: Order = Order::Sibling;
    const PROJECTIVE: bool = true;
    type Chart = EisnerSiblingChart;

    fn decode(
        &self,
        scores: &Scores,
        policy: RootPolicy,
        chart: &mut Self::Chart,
        best: &mut BestTree,
    ) -> Result<(), DecodeError> {
        best.reset(scores.words());
        match Program::new(scores, policy)? {
            Some(program) => decode_projective(&program, scores, &mut chart.0, best),
            None => Ok(()),
        }
    }
}

impl Marginals for EisnerSibling {
    type Memory = EisnerSiblingMarginals;

    fn marginals(
        &self,
        scores: &Scores,
        policy: RootPolicy,
        memory: &mut Self::Memory,
        marginals: &mut Vec<f64>,
    ) -> Result<f64, DecodeError> {
        marginals.clear();
        marginals.resize(scores.all_labels().len(), 0.0);
        match Program::new(scores, policy)? {
            Some(program) => memory.0.marginals(&program, marginals),
            None => Ok(0.0),
        }
    }
}

/// An item of the chart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Item {
    /// The facing halves of two neighbours, siblings or head and first dependent.
    Meet { left: u32, right: u32 },
    /// An arc with label, and all between its ends.
    Labelled { row: u32 },
    /// An arc with the best of its labels.
    Open { head: u32, dependent: u32 },
    /// A head with all its dependents from itself to `end`.
    Complete { head: u32, end: u32 },
}

/// Symmetric: the pair is found from either end.
const MEET: usize = 0;
const OPEN: usize = 1;
const COMPLETE: usize = 2;
/// Complete halves again, sorted by end instead of head.
const REACHED: usize = 3;
const TABLES: usize = 4;

struct Program<'a> {
    scores: &'a Scores,
    policy: RootPolicy,
    squares: Squares,
}

impl<'a> Program<'a> {
    /// Nothing for the empty sentence.
    fn new(scores: &'a Scores, policy: RootPolicy) -> Result<Option<Program<'a>>, DecodeError> {
        let words = scores.words();
        if words > EisnerSibling::MOST_WORDS {
            return Err(DecodeError::TooLong { words, limit: EisnerSibling::MOST_WORDS });
        }
        if scores.order() < Order::Sibling {
            let (needed, given) = (Order::Sibling, scores.order());
            return Err(DecodeError::MissingFactors { needed, given });
        }
        let squares = Squares { side: words + 1 };
        Ok((words > 0).then_some(Program { scores, policy, squares }))
    }

    /// Rows of labelled arcs follow the squares. One place for the arc without its own score, which
    /// passes, comes last.
    fn labelled(&self, row: usize) -> usize {
        TABLES * self.squares.side * self.squares.side + row
    }

    fn unlabelled(&self) -> usize {
        self.labelled(self.scores.all_rows())
    }

    fn open_items(&self, head: usize, dependent: usize, items: &mut Vec<Item>) {
        let (head, dependent) = (head as u32, dependent as u32);
        if let Some(arc) = self.scores.find(Node(head), Node(dependent)) {
            let rows = self.scores.rows(arc.index());
            items.extend(rows.map(|row| Item::Labelled { row: row as u32 }));
            items.push(Item::Open { head, dependent });
        }
    }

    /// Ways to reach an arc from its previous sibling, or from none.
    fn runs_from_sibling(&self, row: usize, mut visit: impl FnMut(&Run<'_>)) {
        let place = |table, row, column| self.squares.place(table, row, column);
        let scores = self.scores;
        let arc = scores.arc_of_row(row);
        let weights = scores.sibling_row(arc, row - scores.rows(arc).start);
        let siblings = scores.siblings(arc);
        let dependents = scores.dependents();
        let (h, m) = (scores.head(ArcId(arc as u32)).index(), dependents[arc] as usize);
        let facing = if h < m { h + 1 } else { h - 1 };
        visit(&Run::single([Part::Same(place(COMPLETE, m, facing)), Part::None], weights[0]));
        if siblings.is_empty() || (h == 0 && self.policy == RootPolicy::Single) {
            return;
        }
        let positions = &dependents[siblings];
        let first = positions[0] as usize;
        let adjacent = positions[positions.len() - 1] as usize - first + 1 == positions.len();
        let (from, positions) = if adjacent { (first, &[][..]) } else { (0, positions) };
        let parts = [Part::From(place(OPEN, h, from)), Part::From(place(MEET, m, from))];
        visit(&Run { positions, ..Run::weighted(parts, &weights[1..]) });
    }
}

impl Deduction for Program<'_> {
    type Item = Item;

    fn places(&self) -> usize {
        self.unlabelled() + 1
    }

    fn last(&self) -> usize {
        self.squares.side - 1
    }

    fn axioms(&self, mut visit: impl FnMut(usize)) {
        for node in 0..=self.last() {
            visit(self.squares.place(COMPLETE, node, node));
            visit(self.squares.place(REACHED, node, node));
        }
    }

    fn items(&self, left: usize, right: usize, items: &mut Vec<Item>) {
        self.open_items(left, right, items);
        if left > 0 {
            self.open_items(right, left, items);
        }
        let (left, right) = (left as u32, right as u32);
        if left > 0 {
            items.push(Item::Meet { left, right });
            items.push(Item::Complete { head: right, end: left });
        }
        if left > 0 || right as usize == self.last() {
            items.push(Item::Complete { head: left, end: right });
        }
    }

    fn passing(&self, item: Item, _order: Visit, mut visit: impl FnMut(usize, &Run<'_>)) {
        if let Item::Labelled { row } = item {
            self.runs_from_sibling(row as usize, |run| visit(self.unlabelled(), run));
        }
    }

    fn place(&self, item: Item) -> usize {
        let (table, row, column) = match item {
            Item::Labelled { row } => return self.labelled(row as usize),
            Item::Meet { left, right } => (MEET, left, right),
            Item::Open { head, dependent } => (OPEN, head, dependent),
            Item::Complete { head, end } => (COMPLETE, head, end),
        };
        self.squares.place(table, row as usize, column as usize)
    }

    fn mirror(&self, item: Item) -> Option<usize> {
        let (table, row, column) = match item {
            Item::Meet { left, right } => (MEET, right, left),
            Item::Complete { head, end } => (REACHED, end, head),
            _ => return None,
        };
        Some(self.squares.place(table, row as usize, column as usize))
    }

    fn content(&self, place: usize) -> Content<Item> {
        if place == self.unlabelled() {
            return Content::Passing;
        }
        if place >= self.labelled(0) {
            return Content::Item(Item::Labelled { row: (place - self.labelled(0)) as u32 });
        }
        let (table, row, column) = self.squares.cell(place);
        let (row, column) = (row as u32, column as u32);
        Content::Item(match table {
            MEET => Item::Meet { left: row.min(column), right: row.max(column) },
            OPEN => Item::Open { head: row, dependent: column },
            _ if row == column => return Content::Axiom,
            COMPLETE => Item::Complete { head: row, end: column },
            _ => Item::Complete { head: column, end: row },
        })
    }

    fn runs(&self, item: Item, mut visit: impl FnMut(&Run<'_>)) {
        let place = |table, row, column| self.squares.place(table, row, column);
        match item {
            Item::Meet { left, right } => {
                let (left, right) = (left as usize, right as usize);
                let left_half = Part::From(place(COMPLETE, left, left));
                let right_half = Part::From(place(COMPLETE, right, left + 1));
                visit(&Run::new([left_half, right_half], right - left));
            }
            Item::Labelled { row } => {
                let labels = self.scores.labels_of_row(row as usize);
                let start = labels.start;
                let scores = &self.scores.all_arc_scores()[labels];
                visit(&Run::labels(self.unlabelled(), start, scores));
            }
            Item::Open { head, dependent } => {
                let Some(arc) = self.scores.find(Node(head), Node(dependent)) else { return };
                let rows = self.scores.rows(arc.index());
                let labelled = Part::From(self.labelled(rows.start));
                visit(&Run::new([labelled, Part::None], rows.len()));
            }
            Item::Complete { head, end } => {
                let (h, e) = (head as usize, end as usize);
                let first = if h < e { h + 1 } else { e };
                let open = Part::From(place(OPEN, h, first));
                let beyond = Part::From(place(REACHED, e, first));
                visit(&Run::new([open, beyond], h.abs_diff(e)));
            }
        }
    }

    fn goal(&self) -> Item {
        Item::Complete { head: 0, end: self.last() as u32 }
    }
}
