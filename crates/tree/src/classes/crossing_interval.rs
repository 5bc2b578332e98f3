//! Crossing-interval trees (Pitler and McDonald 2015): wherever arcs cross, two words have a part in
//! all of it.
//!
//! The crossed arcs of a tree, seen as intervals, fall into groups that touch at most at their ends:
//! its crossing intervals. A tree belongs to the class if in each of them at most two nodes are an end
//! of every crossed arc. A transition system that keeps two words in registers builds these trees in
//! linear time. O(n log n).
//!
//! ```
//! use crossarc_tree::Tree;
//! use crossarc_tree::classes::crossing_intervals;
//! use crossarc_tree::projectivity::RootArcs;
//! // 1 -> 3 and 2 -> 4 cross between 1 and 4.
//! let tree = Tree::from_heads(&[0, 1, 1, 2]).unwrap();
//! let intervals = crossing_intervals(&tree, RootArcs::Included);
//! assert_eq!(intervals.len(), 1);
//! assert_eq!((intervals[0].left.0, intervals[0].right.0), (1, 4));
//! assert!(intervals[0].cover.is_some());
//! ```
use super::RootArcs;
use super::projectivity::{TreeArc, arcs, crossed_arcs_with};
use crate::{Node, Tree};

/// A stretch of the sentence in which arcs cross.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrossingInterval {
    /// Its first node.
    pub left: Node,
    /// Its last node.
    pub right: Node,
    /// One or two nodes that are ends of all crossed arcs, from left to right, if there are such. Of
    /// several choices the one with the fewest nodes, then the one furthest to the right, which a parser
    /// that reads on knows most about.
    pub cover: Option<Vec<Node>>,
}

/// True if in each crossing interval at most two nodes are an end of every crossed arc.
pub fn is_crossing_interval(tree: &Tree, root_arcs: RootArcs) -> bool {
    crossing_intervals(tree, root_arcs).iter().all(|interval| interval.cover.is_some())
}

/// The crossing intervals of a tree, from left to right.
pub fn crossing_intervals(tree: &Tree, root_arcs: RootArcs) -> Vec<CrossingInterval> {
    let crossed = crossed_arcs_with(tree, root_arcs);
    let mut inside: Vec<TreeArc> =
        arcs(tree, root_arcs).filter(|arc| crossed.binary_search(&arc.dependent).is_ok()).collect();
    inside.sort_by_key(|arc| arc.left());
    let mut intervals = Vec::new();
    let mut from = 0;
    while from < inside.len() {
        let mut right = inside[from].right();
        let mut to = from + 1;
        while to < inside.len() && inside[to].left() < right {
            right = right.max(inside[to].right());
            to += 1;
        }
        let left = inside[from].left();
        intervals.push(CrossingInterval { left, right, cover: cover(&inside[from..to]) });
        from = to;
    }
    intervals
}

/// One end of the first arc is in every cover, and so is one end of the first arc that it leaves out.
fn cover(crossed: &[TreeArc]) -> Option<Vec<Node>> {
    let touches = |arc: &TreeArc, node: Node| arc.left() == node || arc.right() == node;
    let first = crossed.first()?;
    let mut best: Option<Vec<Node>> = None;
    let mut consider = |mut nodes: Vec<Node>| {
        nodes.sort_unstable();
        let rank = |nodes: &[Node]| {
            (
                std::cmp::Reverse(nodes.len()),
                nodes.iter().map(|node| u64::from(node.0)).sum::<u64>(),
            )
        };
        if best.as_ref().is_none_or(|best| rank(&nodes) > rank(best)) {
            best = Some(nodes);
        }
    };
    for one in [first.right(), first.left()] {
        let Some(left_out) = crossed.iter().find(|arc| !touches(arc, one)) else {
            consider(vec![one]);
            continue;
        };
        for two in [left_out.right(), left_out.left()] {
            if crossed.iter().all(|arc| touches(arc, one) || touches(arc, two)) {
                consider(vec![one, two]);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::testing::on_many_trees;

    /// By definition: arcs of one interval are linked by overlaps, and some pair of nodes touches all.
    fn by_definition(tree: &Tree, root_arcs: RootArcs) -> bool {
        let all: Vec<TreeArc> = arcs(tree, root_arcs).collect();
        let crossed: Vec<TreeArc> = all
            .iter()
            .copied()
            .filter(|&arc| all.iter().any(|&other| arc.crosses(other)))
            .collect();
        let mut group: Vec<usize> = (0..crossed.len()).collect();
        for one in 0..crossed.len() {
            for two in 0..crossed.len() {
                let (a, b) = (crossed[one], crossed[two]);
                if a.left() < b.right() && b.left() < a.right() {
                    let (from, to) = (group[one], group[two]);
                    group.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
                }
            }
        }
        let nodes = || (0..=tree.len() as u32).map(Node);
        (0..crossed.len()).all(|number| {
            let members: Vec<TreeArc> = crossed
                .iter()
                .zip(&group)
                .filter(|(_, group)| **group == number)
                .map(|(&arc, _)| arc)
                .collect();
            nodes().any(|one| {
                nodes().any(|two| {
                    members.iter().all(|arc| {
                        [arc.left(), arc.right()].iter().any(|end| [one, two].contains(end))
                    })
                })
            })
        })
    }

    #[test]
    fn equals_its_definition() {
        let (mut inside, mut outside) = (0, 0);
        on_many_trees(|tree| {
            if tree.len() <= 20 {
                for root_arcs in [RootArcs::Included, RootArcs::Excluded] {
                    let expected = by_definition(tree, root_arcs);
                    assert_eq!(
                        is_crossing_interval(tree, root_arcs),
                        expected,
                        "{tree:?} {root_arcs:?}"
                    );
                }
            }
        });
        for words in 0..=5 {
            for tree in crate::generate::all_trees(words) {
                if is_crossing_interval(&tree, RootArcs::Included) {
                    inside += 1;
                } else {
                    outside += 1;
                }
            }
        }
        assert!(inside > outside && outside > 0);
    }
}
