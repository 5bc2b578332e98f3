//! Which arcs a decoder may use: pruned head sets, forced arcs and forbidden arcs in one place.
//!
//! Pruning and constraints are the same thing to a decoder: an arc is a candidate or it is not.
//! A forced arc is a word with one candidate head. What is left out here costs neither feature
//! extraction nor search.
//!
//! ```
//! use crossarc_graph::Candidates;
//! use crossarc_tree::Node;
//! let mut candidates = Candidates::all(3);
//! candidates.forbid(Node(1), Node(2));
//! candidates.force(Node(2), Node(3));
//! assert!(!candidates.contains(Node(1), Node(2)));
//! assert_eq!(candidates.heads(Node(3)).collect::<Vec<_>>(), [Node(2)]);
//! ```
use crossarc_tree::{Node, Tree};

/// A set of arcs between the nodes of one sentence, one bit for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    words: usize,
    /// 64-bit blocks in a row of heads.
    blocks: usize,
    /// One row for each word.
    bits: Vec<u64>,
}

impl Candidates {
    /// Every arc between different nodes, the root only as a head.
    pub fn all(words: usize) -> Candidates {
        let mut candidates = Candidates::default();
        candidates.reset_to_all(words);
        candidates
    }

    /// No arc.
    pub fn none(words: usize) -> Candidates {
        let mut candidates = Candidates::default();
        candidates.reset(words);
        candidates
    }

    /// Empties the set for a sentence of this length, keeping its memory.
    pub fn reset(&mut self, words: usize) {
        self.words = words;
        self.blocks = words / 64 + 1;
        self.bits.clear();
        self.bits.resize(words * self.blocks, 0);
    }

    /// Fills the set for a sentence of this length, keeping its memory.
    pub fn reset_to_all(&mut self, words: usize) {
        self.reset(words);
        for dependent in 1..=words {
            let row = &mut self.bits[(dependent - 1) * self.blocks..dependent * self.blocks];
            row.fill(u64::MAX);
            if let Some(last) = row.last_mut() {
                *last = u64::MAX >> (63 - words % 64);
            }
            row[dependent / 64] &= !(1 << (dependent % 64));
        }
    }

    /// Number of words in the sentence.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Number of arcs in the set.
    pub fn len(&self) -> usize {
        self.bits.iter().map(|block| block.count_ones() as usize).sum()
    }

    /// True if no arc is left.
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|&block| block == 0)
    }

    fn place(&self, head: Node, dependent: Node) -> Option<(usize, u64)> {
        let (h, d) = (head.index(), dependent.index());
        if d == 0 || d > self.words || h > self.words || h == d {
            return None;
        }
        Some(((d - 1) * self.blocks + h / 64, 1 << (h % 64)))
    }

    /// True if the arc is in the set.
    pub fn contains(&self, head: Node, dependent: Node) -> bool {
        self.place(head, dependent).is_some_and(|(block, bit)| self.bits[block] & bit != 0)
    }

    /// Adds an arc; an arc that no tree can have (a loop, a head of the root) is ignored.
    pub fn insert(&mut self, head: Node, dependent: Node) {
        if let Some((block, bit)) = self.place(head, dependent) {
            self.bits[block] |= bit;
        }
    }

    /// Adds the arcs of a tree, so that a search that can build the tree still can.
    pub fn insert_tree(&mut self, tree: &Tree) {
        for word in tree.words() {
            self.insert(tree.head(word), word);
        }
    }

    /// Removes an arc.
    pub fn forbid(&mut self, head: Node, dependent: Node) {
        if let Some((block, bit)) = self.place(head, dependent) {
            self.bits[block] &= !bit;
        }
    }

    /// Leaves the word no other head than this one.
    pub fn force(&mut self, head: Node, dependent: Node) {
        if let Some((block, bit)) = self.place(head, dependent) {
            let row = (dependent.index() - 1) * self.blocks;
            self.bits[row..row + self.blocks].fill(0);
            self.bits[block] |= bit;
        }
    }

    /// The candidate heads of a word, in ascending order.
    pub fn heads(&self, dependent: Node) -> impl Iterator<Item = Node> + '_ {
        let row = match dependent.index() {
            d if d >= 1 && d <= self.words => &self.bits[(d - 1) * self.blocks..d * self.blocks],
            _ => &[],
        };
        row.iter().enumerate().flat_map(|(block, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                if left == 0 {
                    return None;
                }
                let head = block as u32 * 64 + left.trailing_zeros();
                left &= left - 1;
                Some(Node(head))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_has_every_arc_once() {
        for words in [0, 1, 2, 62, 63, 64, 65, 130] {
            let candidates = Candidates::all(words);
            assert_eq!(candidates.len(), words * words);
            for word in 1..=words as u32 {
                let heads: Vec<_> = candidates.heads(Node(word)).collect();
                let expected: Vec<_> =
                    (0..=words as u32).filter(|&head| head != word).map(Node).collect();
                assert_eq!(heads, expected);
            }
        }
    }

    #[test]
    fn impossible_arcs_are_ignored() {
        let mut candidates = Candidates::none(2);
        for (head, dependent) in [(1, 1), (1, 0), (3, 1), (1, 3)] {
            candidates.insert(Node(head), Node(dependent));
            candidates.force(Node(head), Node(dependent));
        }
        assert!(candidates.is_empty());
    }
}
