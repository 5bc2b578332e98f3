//! Lifting by crossing: an arc is non-projective if another arc crosses it.
//!
//! A lift can both free arcs and cross new ones, so arcs wait in the queue unproven: whether an arc
//! is crossed is asked when it comes up. Arcs found free are set aside, and come back when a lifted
//! arc crosses them.
use std::collections::BTreeSet;

use super::{ShortestFirst, Steps};
use crate::{RootPolicy, Tree};

/// With `keep_root` the arcs of the only word under the root stay where they are.
pub(super) fn lift_all(tree: &Tree, keep_root: bool) -> Steps {
    let mut steps = Steps::new(tree);
    let mut all = Arcs::new(tree.len() + 1);
    for word in 1..=tree.len() as u32 {
        all.insert(ends(steps.heads[word as usize], word));
    }
    let only_root = if keep_root && tree.obeys(RootPolicy::Single) {
        tree.roots().next().map(|root| root.0)
    } else {
        None
    };
    let liftable = |head: u32| head != 0 && Some(head) != only_root;

    let mut queue = ShortestFirst::default();
    for word in 1..=tree.len() as u32 {
        let head = steps.heads[word as usize];
        if liftable(head) {
            queue.push(head, word);
        }
    }
    let mut free = Arcs::new(tree.len() + 1);
    while let Some(word) = queue.pop() {
        let arc = ends(steps.heads[word as usize], word);
        if all.crossing(arc).is_none() {
            free.insert(arc);
            continue;
        }
        let (_, to) = steps.lift(word);
        let moved = ends(to, word);
        all.remove(arc);
        all.insert(moved);
        while let Some(crossed) = free.crossing(moved) {
            free.remove(crossed);
            let (left, right) = crossed;
            if steps.heads[left as usize] == right {
                queue.push(right, left);
            } else {
                queue.push(left, right);
            }
        }
        if liftable(to) {
            queue.push(to, word);
        }
    }
    steps
}

fn ends(head: u32, dependent: u32) -> (u32, u32) {
    (head.min(dependent), head.max(dependent))
}

/// A set of arcs, given by left and right end, that finds an arc crossing a given one.
struct Arcs {
    /// Left end, then right end counted from the right: the longest arc of a left end comes first.
    by_left: BTreeSet<(u32, u32)>,
    /// Right end, then left end: the longest arc of a right end comes first.
    by_right: BTreeSet<(u32, u32)>,
    rightmost: RangeMaximum,
    /// Left ends counted from the right, so that the maximum is the leftmost.
    leftmost: RangeMaximum,
    nodes: u32,
}

impl Arcs {
    fn new(nodes: usize) -> Arcs {
        Arcs {
            by_left: BTreeSet::new(),
            by_right: BTreeSet::new(),
            rightmost: RangeMaximum::new(nodes),
            leftmost: RangeMaximum::new(nodes),
            nodes: nodes as u32,
        }
    }

    fn insert(&mut self, (left, right): (u32, u32)) {
        self.by_left.insert((left, self.nodes - right));
        self.by_right.insert((right, left));
        self.refresh(left, right);
    }

    fn remove(&mut self, (left, right): (u32, u32)) {
        self.by_left.remove(&(left, self.nodes - right));
        self.by_right.remove(&(right, left));
        self.refresh(left, right);
    }

    fn refresh(&mut self, left: u32, right: u32) {
        let longest = |arcs: &BTreeSet<(u32, u32)>, end: u32| {
            arcs.range((end, 0)..=(end, u32::MAX)).next().map_or(0, |&(_, key)| self.nodes - key)
        };
        let (rightmost, leftmost) = (longest(&self.by_left, left), longest(&self.by_right, right));
        self.rightmost.set(left, rightmost);
        self.leftmost.set(right, leftmost);
    }

    /// Some arc with one end strictly between the given ends and one strictly outside.
    fn crossing(&self, (left, right): (u32, u32)) -> Option<(u32, u32)> {
        let (reach, start) = self.rightmost.of(left + 1, right);
        if reach > right {
            return Some((start, reach));
        }
        let (reach, end) = self.leftmost.of(left + 1, right);
        (reach > self.nodes - left).then(|| (self.nodes - reach, end))
    }
}

/// A binary tree over positions that answers which position of a range has the largest value.
struct RangeMaximum {
    /// Value, then position; leaves in the second half, the parent of `i` is `i / 2`.
    best: Vec<(u32, u32)>,
}

impl RangeMaximum {
    fn new(positions: usize) -> RangeMaximum {
        RangeMaximum { best: vec![(0, 0); 2 * positions] }
    }

    fn set(&mut self, position: u32, value: u32) {
        let mut place = self.best.len() / 2 + position as usize;
        self.best[place] = (value, position);
        while place > 1 {
            self.best[place / 2] = self.best[place].max(self.best[place ^ 1]);
            place /= 2;
        }
    }

    /// The largest value in `from..to` with its position; value 0 if there is none.
    fn of(&self, from: u32, to: u32) -> (u32, u32) {
        let leaves = self.best.len() / 2;
        let (mut from, mut to) = (leaves + from as usize, leaves + to as usize);
        let mut best = (0, 0);
        while from < to {
            if from % 2 == 1 {
                best = best.max(self.best[from]);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                best = best.max(self.best[to]);
            }
            from /= 2;
            to /= 2;
        }
        best
    }
}
