//! `eisner`: the best projective tree under arc scores (Eisner 1996), O(n³) time, O(n²) memory.
//!
//! Each word gathers its left and right dependents independently. A *complete* half of head `h`
//! reaches from `h` to `e` and lacks nothing; an *open* half is an arc whose dependent still lacks
//! the part beyond it. Two complete halves that *meet* become an open half by the arc between
//! their heads; an open half and the complete half beyond become a complete half.
//!
//! A single root is exact at no cost: the root meets its dependent with nothing in between.
//!
//! ```
//! use crossarc_graph::{BestTree, Candidates, Decoder, Factor, LabelSharing, Order, Scores};
//! use crossarc_graph::decoders::Eisner;
//! use crossarc_tree::{Label, RootPolicy};
//! let mut scores = Scores::default();
//! scores
//!     .reset(Order::First, LabelSharing::Shared, &Candidates::all(3), |_, _, l| l.push(Label(0)))
//!     .unwrap();
//! scores.fill(|factor, _, out| {
//!     if let Factor::Arc { head, dependent } = factor {
//!         out[0] = -(head.0 as f32 - dependent.0 as f32).abs();
//!     }
//! });
//! let (mut chart, mut best) = Default::default();
//! Eisner.decode(&scores, RootPolicy::Single, &mut chart, &mut best).unwrap();
//! assert_eq!(best.score, -3.0);
//! assert_eq!(best.to_tree().unwrap().roots().count(), 1);
//! ```
use crate::decoder::{BestTree, DecodeError, Decoder, Marginals};
use crate::deduction::{
    Chart, Content, Deduction, InsideOutside, Part, Run, Squares, best_derivation, inside,
};
use crate::factors::Order;
use crate::scores::Scores;
use crate::semiring::MaxPlus;
use crossarc_tree::{Node, RootPolicy};

/// First-order projective decoder.
#[derive(Copy, Clone, Debug, Default)]
pub struct Eisner;

impl Eisner {
    /// The most words a sentence may have: the chart of one takes 16 bytes for each pair.
    pub const MOST_WORDS: usize = 2_000;
}

/// Memory of the decoder, reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct EisnerChart(Chart<f32, Item>);

/// Memory of inside-outside, reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct EisnerMarginals(InsideOutside<Item>);

impl Decoder for Eisner {
    const NAME: &'static str = "eisner";
    const ORDER: Order = Order::First;
    const PROJECTIVE: bool = true;
    type Chart = EisnerChart;

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

impl Marginals for Eisner {
    type Memory = EisnerMarginals;

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

/// Fills the chart and reads the best tree from it.
pub(crate) fn decode_projective<D: Deduction>(
    program: &D,
    scores: &Scores,
    chart: &mut Chart<f32, D::Item>,
    best: &mut BestTree,
) -> Result<(), DecodeError> {
    best.score = inside::<MaxPlus, D>(program, chart);
    best_derivation(program, chart, |label| {
        let arc = scores.arc_of_label(label);
        best.set(scores.head(arc), scores.dependent(arc), scores.all_labels()[label]);
    })
}

/// An item of the chart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// Two complete halves side by side, with heads `left` and `right`.
    Meet { left: u32, right: u32 },
    /// An arc and all between its ends.
    Open { head: u32, dependent: u32 },
    /// A head with all its dependents from itself to `end`.
    Complete { head: u32, end: u32 },
}

const MEET: usize = 0;
const OPEN: usize = 1;
const COMPLETE: usize = 2;
/// Complete halves again, sorted by end instead of head.
const REACHED: usize = 3;
const TABLES: usize = 4;

pub(crate) struct Program<'a> {
    scores: &'a Scores,
    policy: RootPolicy,
    squares: Squares,
}

impl<'a> Program<'a> {
    /// Nothing for the empty sentence.
    pub fn new(scores: &'a Scores, policy: RootPolicy) -> Result<Option<Program<'a>>, DecodeError> {
        let words = scores.words();
        if words > Eisner::MOST_WORDS {
            return Err(DecodeError::TooLong { words, limit: Eisner::MOST_WORDS });
        }
        let squares = Squares { side: words + 1 };
        Ok((words > 0).then_some(Program { scores, policy, squares }))
    }
}

impl Deduction for Program<'_> {
    type Item = Item;

    fn places(&self) -> usize {
        TABLES * self.squares.side * self.squares.side
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
        let (left, right) = (left as u32, right as u32);
        items.push(Item::Meet { left, right });
        items.push(Item::Open { head: left, dependent: right });
        if left > 0 {
            items.push(Item::Open { head: right, dependent: left });
            items.push(Item::Complete { head: right, end: left });
        }
        if left > 0 || self.policy == RootPolicy::Several || right as usize == self.last() {
            items.push(Item::Complete { head: left, end: right });
        }
    }

    fn place(&self, item: Item) -> usize {
        let (table, row, column) = match item {
            Item::Meet { left, right } => (MEET, left, right),
            Item::Open { head, dependent } => (OPEN, head, dependent),
            Item::Complete { head, end } => (COMPLETE, head, end),
        };
        self.squares.place(table, row as usize, column as usize)
    }

    fn mirror(&self, item: Item) -> Option<usize> {
        match item {
            Item::Complete { head, end } => {
                Some(self.squares.place(REACHED, end as usize, head as usize))
            }
            _ => None,
        }
    }

    fn content(&self, place: usize) -> Content<Item> {
        let (table, row, column) = self.squares.cell(place);
        let (row, column) = (row as u32, column as u32);
        Content::Item(match table {
            MEET => Item::Meet { left: row, right: column },
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
                let one_root = left == 0 && self.policy == RootPolicy::Single;
                let len = if one_root { 1 } else { right - left };
                let left_half = Part::From(place(COMPLETE, left, left));
                let right_half = Part::From(place(COMPLETE, right, left + 1));
                visit(&Run::new([left_half, right_half], len));
            }
            Item::Open { head, dependent } => {
                let Some(arc) = self.scores.find(Node(head), Node(dependent)) else { return };
                let meet = place(MEET, head.min(dependent) as usize, head.max(dependent) as usize);
                let labels = self.scores.label_range(arc.index());
                visit(&Run::labels(meet, labels.start, &self.scores.all_arc_scores()[labels]));
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
