//! The scores of all factors that trees over the candidate arcs can have, in flat arrays.
//!
//! Arcs are numbered by head and then by dependent. So the candidates that can play a part next
//! to an arc - siblings, inner and outer grandchildren - are always a range of consecutive arcs,
//! and a decoder reads charts and scores as contiguous slices, pruned or not.
//!
//! A scorer fills the table with one function of a [`Factor`] and its labels ([`Scores::fill`]);
//! a learner applies the same function to the factors of a tree ([`super::factors()`]).
//!
//! ```
//! use crossarc_graph::{Candidates, Factor, LabelSharing, Order, Scores};
//! use crossarc_tree::{Label, Node, Tree};
//! let mut scores = Scores::default();
//! scores
//!     .reset(Order::Sibling, LabelSharing::Shared, &Candidates::all(2), |_, _, labels| {
//!         labels.extend([Label(0), Label(1)]);
//!     })
//!     .unwrap();
//! scores.fill(|factor, labels, out| match factor {
//!     Factor::Arc { .. } => out.iter_mut().zip(labels).for_each(|(s, l)| *s = f32::from(l.0)),
//!     Factor::Sibling { sibling, .. } => out[0] = if sibling.is_some() { 5.0 } else { 0.25 },
//!     _ => {}
//! });
//! let tree = Tree::new([(Node(2), Label(1)), (Node(0), Label(0))]).unwrap();
//! assert_eq!(scores.tree(&tree, Order::Sibling), Some(1.0 + 0.25 + 0.25));
//! ```
use std::ops::Range;

use crate::candidates::Candidates;
use crate::decoder::DecodeError;
use crate::factors::{Factor, Family, Order};
use crossarc_tree::{Label, Node, Tree};

/// Whether the factors beyond the arc know the label of the arc.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum LabelSharing {
    /// One second-order score for all labels of an arc.
    #[default]
    Shared,
    /// One second-order score for each label of an arc (Bohnet 2010).
    PerLabel,
}

/// An arc, as its number in [`Scores`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArcId(pub u32);

impl ArcId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A factor with the place of its scores in [`Scores`].
#[derive(Copy, Clone, Debug)]
pub(crate) struct Slot {
    arc: u32,
    /// The column in the block of the arc; none for the arc itself.
    column: Option<u32>,
    pub factor: Factor,
}

/// The arcs that can play one part next to an arc.
pub(crate) type ArcRange = Range<usize>;

/// Factor scores of one sentence; reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    words: usize,
    order: Order,
    sharing: LabelSharing,
    /// For each head the first of its arcs; one more at the end.
    first_arc: Vec<u32>,
    /// For each head the first of its arcs that leads to the right.
    first_right: Vec<u32>,
    heads: Vec<u32>,
    dependents: Vec<u32>,
    /// The arcs of the dependent that lead between dependent and head.
    inner: Vec<(u32, u32)>,
    /// For each arc the first of its labels; one more at the end.
    first_label: Vec<u32>,
    labels: Vec<Label>,
    /// For each label of each arc its arc.
    arc_of_label: Vec<u32>,
    of_arcs: Vec<f32>,
    /// For each arc the place of its block in `of_blocks`; one more at the end. A block has a
    /// row for each label (or one for all) of columns: siblings, inner, outer grandchildren, each
    /// part with a column for "none" first.
    first_in_block: Vec<usize>,
    of_blocks: Vec<f32>,
    /// For each arc the columns of its block.
    columns: Vec<u32>,
}

impl Scores {
    /// The most memory second-order scores may take, in bytes. A sentence of 400 words with all
    /// arcs and shared labels needs less than half of it.
    pub const MOST_BYTES: usize = 640 << 20;

    /// The most candidate arcs: more than every arc of a sentence of 4,000 words.
    pub const MOST_ARCS: usize = 1 << 24;

    /// Lays out the table for a sentence and sets all scores to zero. `labels` appends the labels
    /// allowed for head and dependent; an arc without any is no candidate.
    pub fn reset(
        &mut self,
        order: Order,
        sharing: LabelSharing,
        candidates: &Candidates,
        mut labels: impl FnMut(Node, Node, &mut Vec<Label>),
    ) -> Result<(), DecodeError> {
        let words = candidates.words();
        self.words = words;
        self.order = order;
        self.sharing = sharing;
        let arcs = candidates.len();
        if arcs > Scores::MOST_ARCS {
            self.clear();
            let bytes = arcs.saturating_mul(size_of::<u64>() * 4);
            return Err(DecodeError::TooLarge { bytes, limit: Scores::MOST_ARCS * 32 });
        }
        self.sort_arcs(candidates, arcs);
        self.choose_labels(&mut labels);
        let laid_out = self.lay_out_blocks();
        if laid_out.is_err() {
            self.clear();
        }
        laid_out
    }

    /// Leaves an empty table of order one, without arcs.
    fn clear(&mut self) {
        self.order = Order::First;
        self.heads.clear();
        self.dependents.clear();
        self.inner.clear();
        self.columns.clear();
        self.labels.clear();
        self.arc_of_label.clear();
        self.of_arcs.clear();
        self.of_blocks.clear();
        self.first_label.clear();
        self.first_label.push(0);
        self.first_in_block.clear();
        self.first_in_block.push(0);
        self.first_arc.clear();
        self.first_arc.resize(self.words + 2, 0);
        self.first_right.clear();
        self.first_right.resize(self.words + 1, 0);
    }

    /// Counting sort by head; dependents come in ascending order.
    fn sort_arcs(&mut self, candidates: &Candidates, arcs: usize) {
        let dependents = || (1..=self.words as u32).map(Node);
        self.first_arc.clear();
        self.first_arc.resize(self.words + 2, 0);
        for head in dependents().flat_map(|dependent| candidates.heads(dependent)) {
            self.first_arc[head.index() + 1] += 1;
        }
        for head in 0..=self.words {
            self.first_arc[head + 1] += self.first_arc[head];
        }
        self.dependents.clear();
        self.dependents.resize(arcs, 0);
        self.first_right.clear();
        self.first_right.extend_from_slice(&self.first_arc[..=self.words]);
        for dependent in (1..=self.words as u32).map(Node) {
            for head in candidates.heads(dependent) {
                let place = &mut self.first_right[head.index()];
                self.dependents[*place as usize] = dependent.0;
                *place += 1;
            }
        }
    }

    /// Appends the labels of every arc, drops arcs without labels, and finds the turning points.
    fn choose_labels(&mut self, labels: &mut impl FnMut(Node, Node, &mut Vec<Label>)) {
        self.heads.clear();
        self.labels.clear();
        self.arc_of_label.clear();
        self.first_label.clear();
        let mut kept = 0;
        for head in 0..=self.words {
            let old = self.first_arc[head] as usize..self.first_arc[head + 1] as usize;
            self.first_arc[head] = kept as u32;
            self.first_right[head] = kept as u32;
            for arc in old {
                let dependent = self.dependents[arc];
                let first = self.labels.len();
                labels(Node(head as u32), Node(dependent), &mut self.labels);
                if self.labels.len() == first {
                    continue;
                }
                self.heads.push(head as u32);
                self.dependents[kept] = dependent;
                self.first_label.push(first as u32);
                self.arc_of_label.resize(self.labels.len(), kept as u32);
                kept += 1;
                if (dependent as usize) < head {
                    self.first_right[head] = kept as u32;
                }
            }
        }
        self.dependents.truncate(kept);
        self.first_arc[self.words + 1] = kept as u32;
        self.first_label.push(self.labels.len() as u32);
        self.of_arcs.clear();
        self.of_arcs.resize(self.labels.len(), 0.0);
    }

    fn lay_out_blocks(&mut self) -> Result<(), DecodeError> {
        self.inner.clear();
        self.columns.clear();
        self.first_in_block.clear();
        let mut cells = 0usize;
        for arc in 0..self.heads.len() {
            let (head, dependent) = (self.heads[arc], self.dependents[arc]);
            let inner = if head < dependent {
                let group = self.left_arcs(dependent as usize);
                let skip = self.dependents[group.clone()].partition_point(|&c| c <= head);
                (group.start + skip, group.end)
            } else {
                let group = self.right_arcs(dependent as usize);
                let many = self.dependents[group.clone()].partition_point(|&c| c < head);
                (group.start, group.start + many)
            };
            self.inner.push((inner.0 as u32, inner.1 as u32));
            self.first_in_block.push(cells);
            let columns = self.count_columns(arc);
            self.columns.push(columns as u32);
            cells = cells.saturating_add(columns * self.rows(arc).len());
        }
        self.first_in_block.push(cells);
        let bytes = cells.saturating_mul(size_of::<f32>());
        if bytes > Scores::MOST_BYTES {
            return Err(DecodeError::TooLarge { bytes, limit: Scores::MOST_BYTES });
        }
        self.of_blocks.clear();
        self.of_blocks.resize(cells, 0.0);
        Ok(())
    }

    /// Number of words in the sentence.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The factors that have scores.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The candidate arcs.
    pub fn arcs(&self) -> impl ExactSizeIterator<Item = ArcId> + use<> {
        (0..self.heads.len() as u32).map(ArcId)
    }

    /// The number of an arc, if it is a candidate.
    pub fn find(&self, head: Node, dependent: Node) -> Option<ArcId> {
        let first = *self.first_arc.get(head.index())? as usize;
        let group = first..*self.first_arc.get(head.index() + 1)? as usize;
        let found = self.dependents[group].binary_search(&dependent.0).ok()?;
        Some(ArcId((first + found) as u32))
    }

    /// The head of an arc.
    pub fn head(&self, arc: ArcId) -> Node {
        Node(self.heads[arc.index()])
    }

    /// The dependent of an arc.
    pub fn dependent(&self, arc: ArcId) -> Node {
        Node(self.dependents[arc.index()])
    }

    /// The labels an arc may have.
    pub fn labels(&self, arc: ArcId) -> &[Label] {
        &self.labels[self.label_range(arc.index())]
    }

    /// The scores of an arc, one for each of its labels.
    pub fn arc_scores(&self, arc: ArcId) -> &[f32] {
        &self.of_arcs[self.label_range(arc.index())]
    }

    /// The scores of an arc, to be changed, for example by the loss of a label in training.
    pub fn arc_scores_mut(&mut self, arc: ArcId) -> &mut [f32] {
        let range = self.label_range(arc.index());
        &mut self.of_arcs[range]
    }

    /// Multiplies all scores, so that they are those of another temperature.
    pub fn scale(&mut self, factor: f32) {
        for score in self.of_arcs.iter_mut().chain(&mut self.of_blocks) {
            *score *= factor;
        }
    }

    /// True if all scores are numbers.
    pub fn are_finite(&self) -> bool {
        self.of_arcs.iter().chain(&self.of_blocks).all(|score| score.is_finite())
    }

    /// The best label of an arc by the score of the arc alone, the first of equals; nothing if no
    /// score is a number above minus infinity.
    pub fn best_label(&self, arc: ArcId) -> Option<(Label, f32)> {
        let mut best: Option<(Label, f32)> = None;
        for (&label, &score) in self.labels(arc).iter().zip(self.arc_scores(arc)) {
            if score > best.map_or(f32::NEG_INFINITY, |(_, score)| score) {
                best = Some((label, score));
            }
        }
        best
    }

    /// Scores every factor of the table. `score` gets a factor, the labels it is wanted for and a
    /// place for each (set to zero). For second-order factors under [`LabelSharing::Shared`]
    /// there are no labels and one place.
    pub fn fill(&mut self, mut score: impl FnMut(Factor, &[Label], &mut [f32])) {
        let (mut row, mut slots) = (Vec::new(), Vec::new());
        for arc in self.arcs() {
            slots.clear();
            slots.push(self.arc_slot(arc));
            slots.extend(self.second_order_slots(arc));
            for &slot in &slots {
                let labels = self.labels_of_slot(slot);
                row.clear();
                row.resize(labels.len().max(1), 0.0);
                score(slot.factor, labels, &mut row);
                self.put(slot, |place, _| row[place]);
            }
        }
    }

    /// The place of the score of an arc.
    pub(crate) fn arc_slot(&self, arc: ArcId) -> Slot {
        let factor = Factor::Arc { head: self.head(arc), dependent: self.dependent(arc) };
        Slot { arc: arc.0, column: None, factor }
    }

    /// The places of all second-order scores of an arc.
    pub(crate) fn second_order_slots(&self, arc: ArcId) -> impl Iterator<Item = Slot> + use<'_> {
        let (head, dependent) = (self.head(arc), self.dependent(arc));
        let index = arc.index();
        let siblings = (self.order > Order::First).then(|| self.siblings(index));
        let grandchildren =
            (self.order == Order::Grandchild).then(|| [self.inner(index), self.outer(index)]);
        let [inner, outer] = grandchildren.map_or([None, None], |both| both.map(Some));
        let none_or = |arcs: ArcRange| {
            std::iter::once(None).chain(self.dependents[arcs].iter().map(|&c| Some(Node(c))))
        };
        let siblings = siblings.into_iter().flat_map(none_or);
        let inner = inner.into_iter().flat_map(none_or);
        let outer = outer.into_iter().flat_map(none_or);
        siblings
            .map(move |sibling| Factor::Sibling { head, dependent, sibling })
            .chain(inner.map(move |grandchild| Factor::InnerGrandchild {
                head,
                dependent,
                grandchild,
            }))
            .chain(outer.map(move |grandchild| Factor::OuterGrandchild {
                head,
                dependent,
                grandchild,
            }))
            .zip(0..)
            .map(move |(factor, column)| Slot { arc: arc.0, column: Some(column), factor })
    }

    /// The labels that a factor is wanted for; none if one score is for all of them.
    fn labels_of_slot(&self, slot: Slot) -> &[Label] {
        let shared = slot.column.is_some() && self.sharing == LabelSharing::Shared;
        if shared { &[] } else { self.labels(ArcId(slot.arc)) }
    }

    /// Stores the scores of a factor: for each of its labels, given with its place among them, or one
    /// for all of them.
    #[inline]
    pub(crate) fn put(&mut self, slot: Slot, score: impl Fn(usize, Option<Label>) -> f32) {
        let arc = slot.arc as usize;
        let labels = self.label_range(arc);
        let Some(column) = slot.column else {
            let scores = self.of_arcs[labels.clone()].iter_mut();
            for (place, (out, &label)) in scores.zip(&self.labels[labels]).enumerate() {
                *out = score(place, Some(label));
            }
            return;
        };
        let start = self.first_in_block[arc] + column as usize;
        if self.sharing == LabelSharing::Shared {
            self.of_blocks[start] = score(0, None);
            return;
        }
        let rows = self.of_blocks[start..].iter_mut().step_by(self.columns[arc] as usize);
        for (place, (out, &label)) in rows.zip(&self.labels[labels]).enumerate() {
            *out = score(place, Some(label));
        }
    }

    /// The score of a family up to an order, with the label given by its place among the labels
    /// of the arc; nothing if an arc of the family is no candidate.
    pub fn family(&self, arc: ArcId, family: &Family, label: usize, order: Order) -> Option<f32> {
        let columns = self.family_columns(arc, family, order)?;
        (label < self.labels(arc).len()).then(|| self.family_sum(arc, columns, label, order))
    }

    /// All labels of an arc with the scores of a family up to an order; nothing if an arc of the
    /// family is no candidate.
    pub fn family_labels(
        &self,
        arc: ArcId,
        family: &Family,
        order: Order,
    ) -> Option<impl Iterator<Item = (Label, f32)> + Clone + use<'_>> {
        let columns = self.family_columns(arc, family, order)?;
        let labels = self.labels(arc).iter().enumerate();
        Some(
            labels.map(move |(place, &label)| (label, self.family_sum(arc, columns, place, order))),
        )
    }

    /// All labels of the arc to a word of a tree with the scores of its family; nothing if an arc of
    /// the family is no candidate.
    pub fn labels_in_tree(
        &self,
        heads: &[Node],
        word: Node,
    ) -> Option<impl Iterator<Item = (Label, f32)> + Clone + use<'_>> {
        let head = heads[word.index()];
        let family = if self.order == Order::First {
            Family { head, dependent: word, sibling: None, inner: None, outer: None }
        } else {
            Family::of(heads, word)
        };
        self.family_labels(self.find(head, word)?, &family, self.order)
    }

    /// The columns of sibling, inner and outer grandchild, as far as they count.
    fn family_columns(&self, arc: ArcId, family: &Family, order: Order) -> Option<[usize; 3]> {
        let index = arc.index();
        let column = |node: Option<Node>, arcs: ArcRange| match node {
            None => Some(0),
            Some(node) => self.dependents[arcs].binary_search(&node.0).ok().map(|place| place + 1),
        };
        let mut columns = [0; 3];
        if order > Order::First {
            columns[0] = column(family.sibling, self.siblings(index))?;
        }
        if order == Order::Grandchild {
            columns[1] = column(family.inner, self.inner(index))?;
            columns[2] = column(family.outer, self.outer(index))?;
        }
        Some(columns)
    }

    fn family_sum(&self, arc: ArcId, columns: [usize; 3], label: usize, order: Order) -> f32 {
        let index = arc.index();
        let row = if self.sharing == LabelSharing::Shared { 0 } else { label };
        let mut sum = self.arc_scores(arc)[label];
        if order > Order::First {
            sum += self.sibling_row(index, row)[columns[0]];
        }
        if order == Order::Grandchild {
            sum += self.inner_row(index, row)[columns[1]];
            sum += self.outer_row(index, row)[columns[2]];
        }
        sum
    }

    /// The score of a tree up to an order; nothing if one of its arcs or labels is no candidate
    /// or the order is higher than that of the table.
    pub fn tree(&self, tree: &Tree, order: Order) -> Option<f32> {
        if tree.len() != self.words || order > self.order {
            return None;
        }
        tree.words()
            .map(|word| {
                let arc = self.find(tree.head(word), word)?;
                let label = self.labels(arc).iter().position(|&l| l == tree.label(word))?;
                self.family(arc, &Family::of(tree.heads(), word), label, order)
            })
            .sum()
    }

    // What follows speaks of arcs as plain indices: the inside of decoders.

    pub(crate) fn label_range(&self, arc: usize) -> Range<usize> {
        self.first_label[arc] as usize..self.first_label[arc + 1] as usize
    }

    pub(crate) fn all_labels(&self) -> &[Label] {
        &self.labels
    }

    pub(crate) fn all_arc_scores(&self) -> &[f32] {
        &self.of_arcs
    }

    pub(crate) fn arc_of_label(&self, label: usize) -> ArcId {
        ArcId(self.arc_of_label[label])
    }

    pub(crate) fn dependents(&self) -> &[u32] {
        &self.dependents
    }

    /// Arcs of a head to the left, from left to right.
    pub(crate) fn left_arcs(&self, head: usize) -> ArcRange {
        self.first_arc[head] as usize..self.first_right[head] as usize
    }

    /// Arcs of a head to the right, from left to right.
    pub(crate) fn right_arcs(&self, head: usize) -> ArcRange {
        self.first_right[head] as usize..self.first_arc[head + 1] as usize
    }

    /// The arcs that can be the next sibling of an arc.
    pub(crate) fn siblings(&self, arc: usize) -> ArcRange {
        let head = self.heads[arc];
        let turn = self.first_right[head as usize] as usize;
        if head < self.dependents[arc] { turn..arc } else { arc + 1..turn }
    }

    /// The arcs that can be the inner grandchild of an arc.
    pub(crate) fn inner(&self, arc: usize) -> ArcRange {
        self.inner[arc].0 as usize..self.inner[arc].1 as usize
    }

    /// The arcs that can be the outer grandchild of an arc.
    pub(crate) fn outer(&self, arc: usize) -> ArcRange {
        let dependent = self.dependents[arc];
        if self.heads[arc] < dependent {
            self.right_arcs(dependent as usize)
        } else {
            self.left_arcs(dependent as usize)
        }
    }

    /// The rows of an arc, numbered through: one for each label, or one for all of them.
    pub(crate) fn rows(&self, arc: usize) -> Range<usize> {
        match self.sharing {
            LabelSharing::Shared => arc..arc + 1,
            LabelSharing::PerLabel => self.label_range(arc),
        }
    }

    /// Number of rows of all arcs.
    pub(crate) fn all_rows(&self) -> usize {
        match self.sharing {
            LabelSharing::Shared => self.heads.len(),
            LabelSharing::PerLabel => self.labels.len(),
        }
    }

    /// The arc a row belongs to.
    pub(crate) fn arc_of_row(&self, row: usize) -> usize {
        match self.sharing {
            LabelSharing::Shared => row,
            LabelSharing::PerLabel => self.arc_of_label[row] as usize,
        }
    }

    /// The labels a row stands for.
    pub(crate) fn labels_of_row(&self, row: usize) -> Range<usize> {
        match self.sharing {
            LabelSharing::Shared => self.label_range(row),
            LabelSharing::PerLabel => row..row + 1,
        }
    }

    fn columns(&self, arc: usize) -> usize {
        self.columns[arc] as usize
    }

    fn count_columns(&self, arc: usize) -> usize {
        match self.order {
            Order::First => 0,
            Order::Sibling => 1 + self.siblings(arc).len(),
            Order::Grandchild => {
                3 + self.siblings(arc).len() + self.inner(arc).len() + self.outer(arc).len()
            }
        }
    }

    fn cells(&self, arc: usize, row: usize, from: usize, many: usize) -> &[f32] {
        let start = self.first_in_block[arc] + row * self.columns(arc) + from;
        &self.of_blocks[start..start + many]
    }

    /// Sibling scores of a row of an arc: for none, then for each of [`Scores::siblings`].
    pub(crate) fn sibling_row(&self, arc: usize, row: usize) -> &[f32] {
        self.cells(arc, row, 0, 1 + self.siblings(arc).len())
    }

    /// Inner grandchild scores of a row: for none, then for each of [`Scores::inner`].
    pub(crate) fn inner_row(&self, arc: usize, row: usize) -> &[f32] {
        self.cells(arc, row, 1 + self.siblings(arc).len(), 1 + self.inner(arc).len())
    }

    /// Outer grandchild scores of a row: for none, then for each of [`Scores::outer`].
    pub(crate) fn outer_row(&self, arc: usize, row: usize) -> &[f32] {
        let from = 2 + self.siblings(arc).len() + self.inner(arc).len();
        self.cells(arc, row, from, 1 + self.outer(arc).len())
    }
}
