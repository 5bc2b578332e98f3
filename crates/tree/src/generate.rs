//! Trees for tests and benches: all of a small size, and uniformly random ones of any size.
//!
//! Random trees of any kind come from Wilson's algorithm (1996), loop-erased random walks on the
//! complete graph. Random projective trees come from the bijection between projective forests
//! and ternary trees (a forest is its first tree's words to the left of its root, those to the
//! right, and the forest after it) and the cycle lemma (Dvoretzky and Motzkin 1947). Both are
//! uniform over the trees that the root policy allows, and take expected linear time.
//!
//! ```
//! use crossarc_tree::seed::Seed;
//! use crossarc_tree::RootPolicy;
//! use crossarc_tree::generate::{all_trees, random_projective_tree, random_tree};
//! assert_eq!(all_trees(3).len(), 16); // (n + 1)^(n - 1), one or several roots
//! let mut rng = Seed(1).rng();
//! assert_eq!(random_tree(&mut rng, 30, RootPolicy::Single).roots().count(), 1);
//! assert_eq!(random_projective_tree(&mut rng, 9, RootPolicy::Several).len(), 9);
//! ```
use super::{Label, Node, RootPolicy, Tree};
use crate::seed::Rng;

/// Every tree over `words` words, with one or several words under the root, unlabelled.
///
/// There are (n + 1)^(n - 1) of them: 16,807 for 6 words, 262,144 for 7.
pub fn all_trees(words: usize) -> Vec<Tree> {
    let mut heads = vec![0u32; words];
    let mut trees = Vec::new();
    loop {
        trees.extend(Tree::from_heads(&heads));
        let Some(raised) = heads.iter().position(|&head| (head as usize) < words) else {
            return trees;
        };
        heads[..raised].fill(0);
        heads[raised] += 1;
    }
}

/// A tree drawn uniformly from all trees the root policy allows, unlabelled.
pub fn random_tree(rng: &mut Rng, words: usize, policy: RootPolicy) -> Tree {
    let mut heads = vec![Node::ROOT; words + 1];
    let mut in_tree = vec![false; words + 1];
    let first_choice = match policy {
        RootPolicy::Several => 0,
        RootPolicy::Single => 1,
    };
    in_tree[0] = true;
    if policy == RootPolicy::Single && words > 0 {
        in_tree[1 + rng.below(words)] = true;
    }
    for start in 1..=words {
        let mut at = start;
        while !in_tree[at] {
            // Any node but `at` itself; overwriting earlier choices erases loops.
            let choice = first_choice + rng.below(words - first_choice);
            let next = choice + usize::from(choice >= at);
            heads[at] = Node(next as u32);
            at = next;
        }
        let mut at = start;
        while !in_tree[at] {
            in_tree[at] = true;
            at = heads[at].index();
        }
    }
    tree_of_heads(&heads)
}

/// What is left to do when a projective tree is read off a ternary tree.
enum Step {
    Forest { head: usize },
    Word(usize),
}

/// A tree drawn uniformly from all projective trees the root policy allows, unlabelled.
pub fn random_projective_tree(rng: &mut Rng, words: usize, policy: RootPolicy) -> Tree {
    if words == 0 {
        return tree_of_heads(&[Node::ROOT]);
    }
    let single = policy == RootPolicy::Single;
    // Under one root word there are two forests, else the artificial root has one.
    let (nodes, forests) = if single { (words - 1, 2) } else { (words, 1) };
    let shape = ternary_forest(rng, nodes, forests);

    let mut steps = if single {
        vec![Step::Forest { head: 1 }, Step::Word(1), Step::Forest { head: 1 }]
    } else {
        vec![Step::Forest { head: 0 }]
    };
    // Words are numbered as they are met, and get their place once all to their left have one.
    let mut head_of = vec![0; if single { 2 } else { 1 }];
    let mut place_of = vec![0u32; words + 1];
    let mut placed = 0;
    let mut shape = shape.into_iter();
    while let Some(step) = steps.pop() {
        match step {
            Step::Forest { head } => {
                if shape.next() == Some(true) {
                    let word = head_of.len();
                    head_of.push(head);
                    steps.push(Step::Forest { head });
                    steps.push(Step::Forest { head: word });
                    steps.push(Step::Word(word));
                    steps.push(Step::Forest { head: word });
                }
            }
            Step::Word(word) => {
                placed += 1;
                place_of[word] = placed;
            }
        }
    }
    let mut heads = vec![Node::ROOT; words + 1];
    for word in 1..=words {
        heads[place_of[word] as usize] = Node(place_of[head_of[word]]);
    }
    tree_of_heads(&heads)
}

/// Gives every arc a random label out of the first `labels` ones.
pub fn label_randomly(rng: &mut Rng, tree: &mut Tree, labels: u16) {
    for word in tree.words() {
        tree.set_label(word, Label(rng.below(usize::from(labels)) as u16));
    }
}

/// Ternary trees in pre-order, true for a node and false for a missing child, uniform over all
/// sequences of `forests` trees with `nodes` nodes together.
fn ternary_forest(rng: &mut Rng, nodes: usize, forests: usize) -> Vec<bool> {
    let mut shape = vec![true; nodes];
    shape.resize(3 * nodes + forests, false);
    rng.shuffle(&mut shape);
    // A node opens three places and takes one, a missing child takes one. By the cycle lemma
    // exactly `forests` rotations keep a place open until the end; they start after the first
    // time the balance reaches each of its `forests` lowest values.
    let mut balance = 0i64;
    let mut balances = Vec::with_capacity(shape.len());
    for &node in &shape {
        balance += if node { 2 } else { -1 };
        balances.push(balance);
    }
    let lowest = balances.iter().copied().min().unwrap_or(0);
    let wanted = lowest + rng.below(forests) as i64;
    if let Some(start) = balances.iter().position(|&balance| balance == wanted) {
        shape.rotate_left(start + 1);
    }
    shape
}

/// Both generators make trees by construction; the constructor checks again.
fn tree_of_heads(heads: &[Node]) -> Tree {
    Tree::new(heads[1..].iter().map(|&head| (head, Label::default())))
        .expect("generated heads make a tree")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::seed::Seed;

    #[test]
    fn all_trees_are_counted_by_cayley() {
        for (words, count) in [(0, 1), (1, 1), (2, 3), (3, 16), (4, 125), (5, 1296)] {
            assert_eq!(all_trees(words).len(), count, "{words} words");
        }
        let mut trees = all_trees(4);
        trees.sort_by(|a, b| a.heads().cmp(b.heads()));
        trees.dedup();
        assert_eq!(trees.len(), 125);
    }

    /// Draws many trees and checks that each of the `expected` ones comes up about equally often.
    fn assert_uniform(expected: usize, name: &str, mut draw: impl FnMut(&mut Rng) -> Tree) {
        let seed = Seed(7).fork(name, 0);
        let mut rng = seed.rng();
        let mut counts: BTreeMap<Vec<Node>, usize> = BTreeMap::new();
        let draws = 400 * expected;
        for _ in 0..draws {
            *counts.entry(draw(&mut rng).heads().to_vec()).or_default() += 1;
        }
        assert_eq!(counts.len(), expected, "{name}, {seed:?}");
        for (heads, count) in counts {
            assert!((280..=520).contains(&count), "{name}: {heads:?} {count} times, {seed:?}");
        }
    }

    #[test]
    fn random_trees_are_uniform() {
        assert_uniform(125, "several", |rng| random_tree(rng, 4, RootPolicy::Several));
        assert_uniform(64, "single", |rng| random_tree(rng, 4, RootPolicy::Single));
    }

    #[test]
    fn random_projective_trees_are_uniform() {
        // 1, 3, 12, 55, ... and 1, 2, 7, 30, ...: the numbers of projective trees.
        assert_uniform(55, "projective several", |rng| {
            random_projective_tree(rng, 4, RootPolicy::Several)
        });
        assert_uniform(30, "projective single", |rng| {
            random_projective_tree(rng, 4, RootPolicy::Single)
        });
    }

    #[test]
    fn sizes_from_nothing_to_huge() {
        let mut rng = Seed(3).rng();
        for policy in [RootPolicy::Single, RootPolicy::Several] {
            for words in [0, 1, 2, 100_000] {
                let tree = random_tree(&mut rng, words, policy);
                assert!(tree.len() == words && tree.obeys(policy));
                let tree = random_projective_tree(&mut rng, words, policy);
                assert!(tree.len() == words && tree.obeys(policy));
            }
        }
    }
}
