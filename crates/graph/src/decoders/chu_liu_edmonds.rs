//! `mst`: the best tree of all, crossing arcs included, under arc scores (Chu and Liu 1965,
//! Edmonds 1967; McDonald et al. 2005 for parsing), in O(n²) time and memory (Tarjan 1977).
//!
//! Every word takes its best head; a cycle is contracted to one node whose entering arcs are
//! worth what they gain over the arc of the cycle they replace. Tarjan's form grows one path at a
//! time and merges the rows of a cycle, so all contractions together cost O(n²).
//!
//! A single root is exact in the same one run. Arcs are compared first by how few root arcs they
//! bring and only then by score. The algorithm only adds, subtracts and compares, so it works on
//! such pairs as it does on numbers, and finds the best of the trees with the fewest roots. This
//! is the large penalty on root arcs without its rounding (for another way see Zmigrod, Vieira
//! and Cotterell 2020).
//!
//! Marginals come from the matrix-tree theorem, see [`crate::matrix_tree`].
use crate::decoder::{BestTree, DecodeError, Decoder, Marginals};
use crate::factors::Order;
use crate::matrix_tree::MatrixTree;
use crate::scores::{ArcId, Scores};
use crossarc_tree::{Node, RootPolicy};

/// Maximum spanning tree decoder.
#[derive(Copy, Clone, Debug, Default)]
pub struct ChuLiuEdmonds;

impl ChuLiuEdmonds {
    /// The most words a sentence may have: each pair takes 16 bytes.
    pub const MOST_WORDS: usize = 4_000;
}

/// An arc into a (contracted) node, by its head.
#[derive(Copy, Clone, Debug)]
struct Entry {
    score: f64,
    /// Root arcs brought in, less those made superfluous.
    roots: i32,
    /// The word the arc really leads to.
    dependent: u32,
}

impl Entry {
    const NONE: Entry = Entry { score: f64::NEG_INFINITY, roots: 0, dependent: 0 };

    fn is_none(self) -> bool {
        self.score == f64::NEG_INFINITY
    }

    fn beats(self, other: Entry) -> bool {
        !self.is_none()
            && (other.is_none()
                || self.roots < other.roots
                || (self.roots == other.roots && self.score > other.score))
    }

    fn less(self, replaced: Entry) -> Entry {
        Entry {
            score: self.score - replaced.score,
            roots: self.roots - replaced.roots,
            dependent: self.dependent,
        }
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    New,
    OnPath,
    /// Its chosen arcs lead to the root.
    Done,
}

/// Memory of the decoder, reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct ContractionForest {
    /// A row of entries by head for each word; a contracted node uses the row of a member.
    entries: Vec<Entry>,
    row: Vec<u32>,
    state: Vec<State>,
    /// The chosen arc into each node, contracted ones included, and its head.
    chosen: Vec<(Entry, u32)>,
    /// The contracted node a node is part of; 0 for none.
    part_of: Vec<u32>,
    /// For each original node the outermost contracted node it is in.
    top: Vec<u32>,
    path: Vec<u32>,
    replaced: Vec<bool>,
}

impl ContractionForest {
    fn reset(
        &mut self,
        scores: &Scores,
        policy: RootPolicy,
        weight: impl Fn(ArcId) -> Option<f64>,
    ) {
        let side = scores.words() + 1;
        self.entries.clear();
        self.entries.resize(side * side, Entry::NONE);
        for arc in scores.arcs() {
            let (head, dependent) = (scores.head(arc), scores.dependent(arc));
            if let Some(score) = weight(arc) {
                self.entries[dependent.index() * side + head.index()] = Entry {
                    score,
                    roots: i32::from(head == Node::ROOT && policy == RootPolicy::Single),
                    dependent: dependent.0,
                };
            }
        }
        self.row.clear();
        self.row.extend(0..side as u32);
        self.top.clear();
        self.top.extend(0..side as u32);
        self.state.clear();
        self.state.resize(side, State::New);
        self.state[0] = State::Done;
        self.chosen.clear();
        self.chosen.resize(side, (Entry::NONE, 0));
        self.part_of.clear();
        self.part_of.resize(side, 0);
        self.path.clear();
    }

    /// Calls `arc` with the arcs of the best tree when arcs have these weights; none is no candidate.
    pub(crate) fn spanning_tree(
        &mut self,
        scores: &Scores,
        policy: RootPolicy,
        weight: impl Fn(ArcId) -> Option<f64>,
        mut arc: impl FnMut(Node, Node),
    ) -> Result<(), DecodeError> {
        self.reset(scores, policy, weight);
        self.contract(scores.words() + 1)?;
        let mut roots = 0;
        self.expand(|head, dependent| {
            roots += usize::from(head == Node::ROOT);
            arc(head, dependent);
        });
        let too_many = policy == RootPolicy::Single && roots > 1;
        if too_many { Err(DecodeError::NoTree) } else { Ok(()) }
    }

    fn contract(&mut self, side: usize) -> Result<(), DecodeError> {
        for start in 1..side {
            let mut node = self.top[start];
            if self.state[node as usize] != State::New {
                continue;
            }
            loop {
                self.state[node as usize] = State::OnPath;
                self.path.push(node);
                let first = self.row[node as usize] as usize * side;
                let mut best = (Entry::NONE, 0);
                for (head, &entry) in self.entries[first..first + side].iter().enumerate() {
                    if entry.beats(best.0) {
                        best = (entry, head as u32);
                    }
                }
                if best.0.is_none() {
                    return Err(DecodeError::NoTree);
                }
                self.chosen[node as usize] = best;
                let next = self.top[best.1 as usize];
                match self.state[next as usize] {
                    State::New => node = next,
                    State::Done => {
                        for node in self.path.drain(..) {
                            self.state[node as usize] = State::Done;
                        }
                        break;
                    }
                    State::OnPath => node = self.contract_cycle(next, side),
                }
            }
        }
        Ok(())
    }

    /// Makes one node of the end of the path, from `first` on.
    fn contract_cycle(&mut self, first: u32, side: usize) -> u32 {
        let cycle = self.row.len() as u32;
        let target = self.row[first as usize] as usize * side;
        let own = self.chosen[first as usize].0;
        for entry in &mut self.entries[target..target + side] {
            if !entry.is_none() {
                *entry = entry.less(own);
            }
        }
        while let Some(member) = self.path.pop() {
            self.part_of[member as usize] = cycle;
            if member == first {
                break;
            }
            let source = self.row[member as usize] as usize * side;
            let own = self.chosen[member as usize].0;
            for head in 0..side {
                let entry = self.entries[source + head];
                if entry.is_none() {
                    continue;
                }
                let entry = entry.less(own);
                if entry.beats(self.entries[target + head]) {
                    self.entries[target + head] = entry;
                }
            }
        }
        for (node, top) in self.top.iter_mut().enumerate() {
            if self.part_of[*top as usize] == cycle {
                *top = cycle;
                self.entries[target + node] = Entry::NONE;
            }
        }
        self.row.push(self.row[first as usize]);
        self.state.push(State::New);
        self.chosen.push((Entry::NONE, 0));
        self.part_of.push(0);
        cycle
    }

    /// Opens contracted nodes, the outermost first: the arc that enters a node replaces the chosen
    /// arcs of the parts it leads into.
    fn expand(&mut self, mut arc: impl FnMut(Node, Node)) {
        self.replaced.clear();
        self.replaced.resize(self.row.len(), false);
        for node in (1..self.row.len()).rev() {
            if self.replaced[node] {
                continue;
            }
            let (entry, head) = self.chosen[node];
            arc(Node(head), Node(entry.dependent));
            let mut part = entry.dependent as usize;
            while part != node {
                self.replaced[part] = true;
                part = self.part_of[part] as usize;
            }
        }
    }
}

impl Decoder for ChuLiuEdmonds {
    const NAME: &'static str = "mst";
    const ORDER: Order = Order::First;
    const PROJECTIVE: bool = false;
    type Chart = ContractionForest;

    fn decode(
        &self,
        scores: &Scores,
        policy: RootPolicy,
        chart: &mut ContractionForest,
        best: &mut BestTree,
    ) -> Result<(), DecodeError> {
        let words = scores.words();
        best.reset(words);
        if words > ChuLiuEdmonds::MOST_WORDS {
            return Err(DecodeError::TooLong { words, limit: ChuLiuEdmonds::MOST_WORDS });
        }
        let mut complete = true;
        let weight = |arc| scores.best_label(arc).map(|(_, score)| f64::from(score));
        chart.spanning_tree(scores, policy, weight, |head, dependent| {
            let label = scores.find(head, dependent).and_then(|arc| scores.best_label(arc));
            if let Some((label, score)) = label {
                best.set(head, dependent, label);
                best.score += score;
            } else {
                complete = false;
            }
        })?;
        if complete { Ok(()) } else { Err(DecodeError::NoTree) }
    }
}

impl Marginals for ChuLiuEdmonds {
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
