//! Well-nestedness (Bodirsky, Kuhlmann and Möhl 2005): no two subtrees of which neither contains
//! the other interleave, that is, have words a < b < a' < b' with a, a' in one and b, b' in the
//! other.
//!
//! If two subtrees interleave, so do the ones below their lowest common ancestor that contain them;
//! so it is enough to look at siblings. Subtrees are merged upwards, small ones into the largest,
//! of which only one word between two words of the small ones needs to be seen: O(n log² n).
use std::collections::{BTreeSet, HashMap};

use crate::structure::Structure;
use crate::{Node, Tree};

/// True if no two disjoint subtrees interleave. All projective trees are well-nested.
pub fn is_well_nested(tree: &Tree) -> bool {
    let structure = Structure::new(tree);
    if tree.words().all(|word| structure.is_contiguous(word)) {
        return true;
    }
    let mut subtrees: Vec<BTreeSet<Node>> = vec![BTreeSet::new(); tree.len() + 1];
    for &node in structure.preorder().iter().rev() {
        let children = structure.children(node);
        let Some(&largest) = children.iter().max_by_key(|&&child| structure.size(child)) else {
            subtrees[node.index()].insert(node);
            continue;
        };
        let mut merged = std::mem::take(&mut subtrees[largest.index()]);
        let mut small: Vec<(Node, Node)> = Vec::new();
        for &child in children.iter().filter(|&&child| child != largest) {
            let words = std::mem::take(&mut subtrees[child.index()]);
            small.extend(words.into_iter().map(|word| (word, child)));
        }
        small.sort_unstable();
        if interleave(&owners(&merged, largest, &small)) {
            return false;
        }
        merged.extend(small.into_iter().map(|(word, _)| word));
        merged.insert(node);
        subtrees[node.index()] = merged;
    }
    true
}

/// The owners of the words of small subtrees from left to right, with the large one wherever it
/// has a word in between.
fn owners(large: &BTreeSet<Node>, owner_of_large: Node, small: &[(Node, Node)]) -> Vec<Node> {
    let mut owners = Vec::with_capacity(2 * small.len() + 1);
    let mut from = Node::ROOT;
    for &(word, owner) in small {
        if large.range(from..word).next().is_some() {
            owners.push(owner_of_large);
        }
        owners.push(owner);
        from = word;
    }
    if large.range(from..).next().is_some() {
        owners.push(owner_of_large);
    }
    owners
}

/// True if the sequence has a pattern a ... b ... a ... b.
fn interleave(owners: &[Node]) -> bool {
    let mut remaining: HashMap<Node, usize> = HashMap::new();
    for &owner in owners {
        *remaining.entry(owner).or_default() += 1;
    }
    let mut seen: BTreeSet<Node> = BTreeSet::new();
    let mut open: Vec<Node> = Vec::new();
    for &owner in owners {
        while open.last().is_some_and(|top| remaining[top] == 0) {
            open.pop();
        }
        if seen.insert(owner) {
            open.push(owner);
        } else if open.last() != Some(&owner) {
            return true;
        }
        if let Some(left) = remaining.get_mut(&owner) {
            *left -= 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::testing::{on_many_trees, subtree};
    use super::*;

    fn interleaved(one: &[Node], other: &[Node]) -> bool {
        let turns = |first: &[Node], second: &[Node]| {
            // Greedy is optimal: always take the next word on the other side.
            let mut at = Node::ROOT;
            [first, second, first, second]
                .iter()
                .all(|words| words.iter().find(|&&word| word > at).map(|&word| at = word).is_some())
        };
        turns(one, other) || turns(other, one)
    }

    #[test]
    fn equals_its_definition() {
        on_many_trees(|tree| {
            let structure = Structure::new(tree);
            let subtrees: Vec<(Node, Vec<Node>)> =
                tree.words().map(|word| (word, subtree(tree, word))).collect();
            let expected = !subtrees.iter().any(|(one, words)| {
                subtrees.iter().any(|(other, others)| {
                    !structure.dominates(*one, *other)
                        && !structure.dominates(*other, *one)
                        && interleaved(words, others)
                })
            });
            assert_eq!(is_well_nested(tree), expected, "{tree:?}");
        });
    }
}
