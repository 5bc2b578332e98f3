//! 1-endpoint-crossing (Pitler, Kannan and Marcus 2013): for every arc, all arcs that cross it
//! share an endpoint.
//!
//! An arc that crosses e has one end inside e and one outside, so the crossing arcs share an
//! endpoint iff all their inner ends or all their outer ends are the same node. The extremes of
//! both are found for the arcs that cross to the left by a sweep with a segment tree, and for those
//! that cross to the right by the same sweep over the mirrored sentence: O(n log n).
use super::RootArcs;
use super::projectivity::{arcs, crossed_arcs_with};
use crate::Tree;

/// True if for every arc, all arcs that cross it share an endpoint.
pub fn is_one_endpoint_crossing(tree: &Tree, root_arcs: RootArcs) -> bool {
    if crossed_arcs_with(tree, root_arcs).is_empty() {
        return true;
    }
    let last = tree.len() as u32;
    let intervals: Vec<(u32, u32)> =
        arcs(tree, root_arcs).map(|arc| (arc.left().0, arc.right().0)).collect();
    let mirrored: Vec<(u32, u32)> =
        intervals.iter().map(|&(left, right)| (last - right, last - left)).collect();
    let to_the_left = crossing_to_the_left(&intervals, tree.len() + 1);
    let to_the_right = crossing_to_the_left(&mirrored, tree.len() + 1);
    to_the_left.iter().zip(to_the_right).all(|(left, right)| {
        let both = left.and(right.mirrored(last));
        both.inner.is_shared() || both.outer.is_shared()
    })
}

/// The smallest and the largest of a set of nodes.
#[derive(Copy, Clone)]
struct Extremes {
    least: u32,
    greatest: u32,
}

impl Extremes {
    const NONE: Extremes = Extremes { least: u32::MAX, greatest: 0 };

    fn of(node: u32) -> Extremes {
        Extremes { least: node, greatest: node }
    }

    fn and(self, other: Extremes) -> Extremes {
        Extremes { least: self.least.min(other.least), greatest: self.greatest.max(other.greatest) }
    }

    fn is_shared(self) -> bool {
        self.least >= self.greatest
    }

    fn mirrored(self, last: u32) -> Extremes {
        if self.least > self.greatest {
            return self;
        }
        Extremes { least: last - self.greatest, greatest: last - self.least }
    }
}

/// The ends of the arcs that cross an arc.
#[derive(Copy, Clone)]
struct Ends {
    inner: Extremes,
    outer: Extremes,
}

impl Ends {
    const NONE: Ends = Ends { inner: Extremes::NONE, outer: Extremes::NONE };

    fn and(self, other: Ends) -> Ends {
        Ends { inner: self.inner.and(other.inner), outer: self.outer.and(other.outer) }
    }

    fn mirrored(self, last: u32) -> Ends {
        Ends { inner: self.inner.mirrored(last), outer: self.outer.mirrored(last) }
    }
}

/// For each interval, the ends of the intervals that start to its left and end inside it.
fn crossing_to_the_left(intervals: &[(u32, u32)], positions: usize) -> Vec<Ends> {
    let mut by_left: Vec<usize> = (0..intervals.len()).collect();
    by_left.sort_by_key(|&interval| intervals[interval].0);
    let mut started = SegmentTree { positions, ends: vec![Ends::NONE; 2 * positions] };
    let mut crossing = vec![Ends::NONE; intervals.len()];
    for group in by_left.chunk_by(|&a, &b| intervals[a].0 == intervals[b].0) {
        for &interval in group {
            let (left, right) = intervals[interval];
            crossing[interval] = started.between(left as usize + 1, right as usize);
        }
        for &interval in group {
            let (left, right) = intervals[interval];
            started.add(right, Ends { inner: Extremes::of(right), outer: Extremes::of(left) });
        }
    }
    crossing
}

/// Sums of [`Ends`] over ranges of positions.
struct SegmentTree {
    positions: usize,
    ends: Vec<Ends>,
}

impl SegmentTree {
    fn add(&mut self, position: u32, ends: Ends) {
        let mut at = self.positions + position as usize;
        while at > 0 {
            self.ends[at] = self.ends[at].and(ends);
            at /= 2;
        }
    }

    fn between(&self, first: usize, end: usize) -> Ends {
        let (mut first, mut end) = (first + self.positions, end + self.positions);
        let mut sum = Ends::NONE;
        while first < end {
            if first % 2 == 1 {
                sum = sum.and(self.ends[first]);
                first += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                sum = sum.and(self.ends[end]);
            }
            first /= 2;
            end /= 2;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::on_many_trees;
    use super::*;
    use crate::projectivity::TreeArc;

    #[test]
    fn equals_its_definition() {
        on_many_trees(|tree| {
            for root_arcs in [RootArcs::Included, RootArcs::Excluded] {
                let arcs: Vec<TreeArc> = arcs(tree, root_arcs).collect();
                let expected = arcs.iter().all(|arc| {
                    let crossing: Vec<&TreeArc> =
                        arcs.iter().filter(|other| arc.crosses(**other)).collect();
                    (0..=tree.len() as u32).any(|node| {
                        crossing
                            .iter()
                            .all(|other| other.left().0 == node || other.right().0 == node)
                    })
                });
                let found = is_one_endpoint_crossing(tree, root_arcs);
                assert_eq!(found, expected, "{tree:?} {root_arcs:?}");
            }
        });
    }
}
