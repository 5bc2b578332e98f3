//! Planarity and 2-planarity: arcs drawn above the words without crossing, or on two sides of the
//! words so that none cross on their side (Yli-Jyrä 2003; Gómez-Rodríguez and Nivre 2010).
//!
//! 2-planarity asks whether arcs can be dealt onto two stacks: an arc is pushed at its left end and
//! must be on top at its right end. That is the question of Rosenstiehl and Tarjan (1984), solved
//! in linear time by a pile of twin stacks: each twin holds open arcs whose sides are fixed
//! relative to each other, and a new arc joins all twins with which it conflicts.
use super::RootArcs;
use super::projectivity::arcs;
use crate::Tree;

/// True if no two arcs cross.
pub fn is_planar(tree: &Tree, root_arcs: RootArcs) -> bool {
    let ends = right_ends_by_left_end(tree, root_arcs);
    let mut open: Vec<u32> = Vec::new();
    for (position, starting) in ends.iter().enumerate() {
        while open.last() == Some(&(position as u32)) {
            open.pop();
        }
        for &end in starting {
            if open.last().is_some_and(|&innermost| innermost < end) {
                return false;
            }
            open.push(end);
        }
    }
    true
}

/// True if the arcs can be coloured with two colours so that no arcs of one colour cross.
pub fn is_two_planar(tree: &Tree, root_arcs: RootArcs) -> bool {
    let ends = right_ends_by_left_end(tree, root_arcs);
    let mut stacks = Stacks::with_capacity(tree.len());
    let mut pile: Vec<[Stack; 2]> = Vec::new();
    for (position, starting) in ends.iter().enumerate() {
        while let Some(twin) = pile.last_mut() {
            for side in twin.iter_mut() {
                while stacks.top(*side) == Some(position as u32) {
                    stacks.pop(side);
                }
            }
            if twin.iter().any(|side| stacks.top(*side).is_some()) {
                break;
            }
            pile.pop();
        }
        for &end in starting {
            // The new arc is on the first side. Twins further down the pile end further right.
            let mut joined = [stacks.single(end), Stack::default()];
            while let Some(twin) = pile.last() {
                let conflict = twin.map(|side| stacks.top(side).is_some_and(|top| top < end));
                let [first, second] = match conflict {
                    [false, false] => break,
                    [true, true] => return false,
                    [false, true] => *twin,
                    [true, false] => [twin[1], twin[0]],
                };
                joined = [stacks.join(first, joined[0]), stacks.join(second, joined[1])];
                pile.pop();
            }
            pile.push(joined);
        }
    }
    true
}

/// For each node, the right ends of the arcs that start there, the furthest first.
fn right_ends_by_left_end(tree: &Tree, root_arcs: RootArcs) -> Vec<Vec<u32>> {
    let mut ends = vec![Vec::new(); tree.len() + 1];
    for arc in arcs(tree, root_arcs) {
        ends[arc.left().index()].push(arc.right().0);
    }
    for starting in &mut ends {
        starting.sort_unstable_by(|a, b| b.cmp(a));
    }
    ends
}

/// Stacks as chains in one array, so that one can be put on top of another at once.
struct Stacks {
    ends: Vec<u32>,
    below: Vec<Option<u32>>,
}

/// A chain in [`Stacks`]: its top and bottom element.
#[derive(Copy, Clone, Default)]
struct Stack(Option<(u32, u32)>);

impl Stacks {
    fn with_capacity(elements: usize) -> Stacks {
        Stacks { ends: Vec::with_capacity(elements), below: Vec::with_capacity(elements) }
    }

    fn single(&mut self, end: u32) -> Stack {
        let element = self.ends.len() as u32;
        self.ends.push(end);
        self.below.push(None);
        Stack(Some((element, element)))
    }

    fn top(&self, stack: Stack) -> Option<u32> {
        stack.0.map(|(top, _)| self.ends[top as usize])
    }

    fn pop(&self, stack: &mut Stack) {
        if let Some((top, bottom)) = stack.0 {
            stack.0 = if top == bottom {
                None
            } else {
                self.below[top as usize].map(|next| (next, bottom))
            };
        }
    }

    fn join(&mut self, lower: Stack, upper: Stack) -> Stack {
        match (lower.0, upper.0) {
            (Some((top_of_lower, bottom)), Some((top, bottom_of_upper))) => {
                self.below[bottom_of_upper as usize] = Some(top_of_lower);
                Stack(Some((top, bottom)))
            }
            (only, None) | (None, only) => Stack(only),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::on_many_trees;
    use super::*;
    use crate::projectivity::{TreeArc, is_projective};

    /// Colours the crossing graph arc by arc.
    fn crossing_graph_is_bipartite(arcs: &[TreeArc]) -> bool {
        let mut colours = vec![None; arcs.len()];
        for start in 0..arcs.len() {
            if colours[start].is_some() {
                continue;
            }
            colours[start] = Some(true);
            let mut pending = vec![start];
            while let Some(at) = pending.pop() {
                for other in (0..arcs.len()).filter(|&other| arcs[at].crosses(arcs[other])) {
                    if colours[other] == colours[at] {
                        return false;
                    }
                    if colours[other].is_none() {
                        colours[other] = colours[at].map(|colour: bool| !colour);
                        pending.push(other);
                    }
                }
            }
        }
        true
    }

    #[test]
    fn equal_their_definitions() {
        on_many_trees(|tree| {
            for root_arcs in [RootArcs::Included, RootArcs::Excluded] {
                let arcs: Vec<TreeArc> = arcs(tree, root_arcs).collect();
                let planar = !arcs.iter().any(|arc| arcs.iter().any(|other| arc.crosses(*other)));
                assert_eq!(is_planar(tree, root_arcs), planar, "{tree:?} {root_arcs:?}");
                let bipartite = crossing_graph_is_bipartite(&arcs);
                assert_eq!(is_two_planar(tree, root_arcs), bipartite, "{tree:?} {root_arcs:?}");
            }
            assert_eq!(is_planar(tree, RootArcs::Included), is_projective(tree));
        });
    }
}
