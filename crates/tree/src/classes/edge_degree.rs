//! Edge degree (Nivre 2006; Kuhlmann and Nivre 2006): the degree of an arc is the number of
//! connected pieces among the words strictly between its ends whose top its head does not dominate;
//! the degree of the tree is that of its worst arc.
//!
//! A forest has as many pieces as it has nodes minus arcs, and either all or none of a piece is
//! below the head. So the degree of an arc (h, d) is a sum over the nodes (weight 1) and arcs
//! (weight -1) that lie strictly inside it and outside the subtree of h. Nodes and arcs are
//! intervals, subtrees are intervals of pre-order: a three-sided sum, taken for all non-projective
//! arcs together by divide and conquer in O(n log² n).
use std::cmp::Reverse;

use crate::Tree;
use crate::projectivity::nonprojective_arcs;
use crate::structure::Structure;
use crate::{Node, projectivity::TreeArc};

/// The largest degree of any arc; 0 iff the tree is projective.
pub fn edge_degree(tree: &Tree) -> usize {
    let dependents = nonprojective_arcs(tree);
    if dependents.is_empty() {
        return 0;
    }
    let structure = Structure::new(tree);
    let mut events = Vec::with_capacity(2 * tree.len() + 3 * dependents.len());
    for word in tree.words() {
        let rank = structure.preorder_rank(word);
        events.push(Event { left: word, right: word, rank, kind: Kind::Interval { weight: 1 } });
        let arc = TreeArc { head: tree.head(word), dependent: word };
        if arc.head != Node::ROOT {
            let (left, right) = (arc.left(), arc.right());
            events.push(Event { left, right, rank, kind: Kind::Interval { weight: -1 } });
        }
    }
    for (query, &dependent) in dependents.iter().enumerate() {
        let arc = TreeArc { head: tree.head(dependent), dependent };
        let first = structure.preorder_rank(arc.head);
        let end = first + structure.size(arc.head);
        for (rank, weight) in [(first, 1), (end, -1), (tree.len() + 1, 1)] {
            let kind = Kind::Query { query, weight };
            events.push(Event { left: arc.left(), right: arc.right(), rank, kind });
        }
    }
    // Intervals that end before an arc does come before its queries.
    events.sort_by_key(|event| (event.right, matches!(event.kind, Kind::Interval { .. })));
    let mut degrees = vec![0i64; dependents.len()];
    sum_inside(&mut events, tree.len() + 1, &mut degrees);
    degrees.into_iter().max().unwrap_or(0) as usize
}

#[derive(Copy, Clone)]
struct Event {
    left: Node,
    right: Node,
    rank: usize,
    kind: Kind,
}

#[derive(Copy, Clone)]
enum Kind {
    /// A node or an arc.
    Interval { weight: i64 },
    /// Adds, to the sum of an arc, the intervals strictly inside with a rank below the given one.
    Query { query: usize, weight: i64 },
}

/// Events stand in order of their right ends. Blocks of doubling size are merged by left end, from
/// the right; intervals of the earlier half add up by rank for queries of the later half.
fn sum_inside(events: &mut [Event], ranks: usize, sums: &mut [i64]) {
    let mut by_rank = PrefixSums(vec![0; ranks + 1]);
    let mut half = 1;
    while half < events.len() {
        for block in events.chunks_mut(2 * half).filter(|block| block.len() > half) {
            let (earlier, later) = block.split_at(half);
            let mut added = 0;
            for event in later {
                let Kind::Query { query, weight } = event.kind else { continue };
                while earlier.get(added).is_some_and(|interval| interval.left > event.left) {
                    by_rank.add(&earlier[added], 1);
                    added += 1;
                }
                sums[query] += weight * by_rank.below(event.rank);
            }
            for interval in &earlier[..added] {
                by_rank.add(interval, -1);
            }
            block.sort_by_key(|event| Reverse(event.left));
        }
        half *= 2;
    }
}

/// A Fenwick tree.
struct PrefixSums(Vec<i64>);

impl PrefixSums {
    fn add(&mut self, event: &Event, sign: i64) {
        if let Kind::Interval { weight } = event.kind {
            let mut at = event.rank + 1;
            while at < self.0.len() {
                self.0[at] += sign * weight;
                at += at & at.wrapping_neg();
            }
        }
    }

    fn below(&self, rank: usize) -> i64 {
        let mut at = rank;
        let mut sum = 0;
        while at > 0 {
            sum += self.0[at];
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::on_many_trees;
    use super::*;

    fn degree(tree: &Tree, dependent: Node) -> usize {
        let structure = Structure::new(tree);
        let arc = TreeArc { head: tree.head(dependent), dependent };
        let inside = |node: Node| arc.left() < node && node < arc.right();
        tree.words()
            .filter(|&top| inside(top) && !inside(tree.head(top)))
            .filter(|&top| !structure.dominates(arc.head, top))
            .count()
    }

    #[test]
    fn equals_its_definition() {
        on_many_trees(|tree| {
            let expected = tree.words().map(|word| degree(tree, word)).max().unwrap_or(0);
            assert_eq!(edge_degree(tree), expected, "{tree:?}");
        });
    }
}
