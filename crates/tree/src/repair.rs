//! Makes a parsed tree keep heads that were given beforehand.
//!
//! The search avoids arcs that contradict given heads, but a transition system may have passed by
//! a word before its given head could be had. What is left is put right here: given heads are set,
//! and words without a given one give way where that makes a cycle or a second root. A word that
//! comes to hang on the root gets the label of roots, and the root it replaces gets its old label.
//! Linear time.
use crate::{Label, Node, RootPolicy, Tree};

/// The tree with all given heads (indexed by node). Nothing changes if the given heads themselves
/// contain a cycle.
pub fn enforce(tree: &Tree, given: &[Option<Node>], roots: RootPolicy, root_label: Label) -> Tree {
    let fixed = |word: Node| given.get(word.index()).copied().flatten();
    let mut heads: Vec<Node> = tree.heads().to_vec();
    let mut labels: Vec<Label> = heads.iter().map(|_| root_label).collect();
    for word in tree.words() {
        labels[word.index()] = tree.label(word);
    }
    for word in tree.words() {
        if let Some(head) = fixed(word).filter(|head| head.index() <= tree.len()) {
            heads[word.index()] = head;
        }
    }
    break_cycles(&mut heads, |word| fixed(word).is_none());
    if roots == RootPolicy::Single {
        let top = |word: &Node| heads[word.index()] == Node::ROOT;
        let main = tree
            .words()
            .find(|word| fixed(*word) == Some(Node::ROOT))
            .or_else(|| tree.roots().find(top))
            .or_else(|| tree.words().find(top));
        let others: Vec<Node> =
            tree.words().filter(top).filter(|&word| fixed(word).is_none()).collect();
        for word in others {
            if let Some(main) = main.filter(|&main| main != word) {
                heads[word.index()] = main;
                labels[word.index()] = labels[main.index()];
            }
        }
    }
    for word in tree.words() {
        if heads[word.index()] == Node::ROOT && tree.head(word) != Node::ROOT {
            labels[word.index()] = root_label;
        }
    }
    Tree::new(tree.words().map(|word| (heads[word.index()], labels[word.index()])))
        .unwrap_or_else(|_| tree.clone())
}

/// Hangs one movable word of each cycle on the root.
fn break_cycles(heads: &mut [Node], movable: impl Fn(Node) -> bool) {
    let mut walk_of = vec![0u32; heads.len()];
    for start in 1..heads.len() as u32 {
        let mut at = Node(start);
        while at != Node::ROOT && walk_of[at.index()] == 0 {
            walk_of[at.index()] = start;
            at = heads[at.index()];
        }
        if at == Node::ROOT || walk_of[at.index()] != start {
            continue;
        }
        let first = at;
        loop {
            if movable(at) {
                heads[at.index()] = Node::ROOT;
                break;
            }
            at = heads[at.index()];
            if at == first {
                break;
            }
        }
    }
}

/// All words under the first word.
pub fn flat(words: usize, label: Label) -> Tree {
    let heads = (1..=words).map(|word| (Node(u32::from(word > 1)), label));
    Tree::new(heads).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random_tree;
    use crate::seed::Seed;

    /// Any part of one random tree can be forced upon another.
    #[test]
    fn given_heads_are_kept() {
        for round in 0..3000 {
            let mut rng = Seed(round).rng();
            let words = 1 + rng.below(12);
            for roots in [RootPolicy::Single, RootPolicy::Several] {
                let parsed = random_tree(&mut rng, words, roots);
                let wanted = random_tree(&mut rng, words, roots);
                let mut given = vec![None; words + 1];
                for word in wanted.words().filter(|_| rng.chance(0.5)) {
                    given[word.index()] = Some(wanted.head(word));
                }
                let tree = enforce(&parsed, &given, roots, Label(0));
                for word in tree.words() {
                    let kept = given[word.index()].is_none_or(|head| tree.head(word) == head);
                    assert!(kept, "seed {round}: {given:?} {parsed:?} {tree:?}");
                }
                assert!(tree.obeys(roots), "seed {round}");
            }
        }
    }

    #[test]
    fn labels_follow_the_root() {
        let (root, subject) = (Label(0), Label(1));
        let parsed = Tree::new([(Node(2), subject), (Node::ROOT, root)]).unwrap();
        let tree = enforce(&parsed, &[None, None, Some(Node(1))], RootPolicy::Single, root);
        assert_eq!((tree.head(Node(1)), tree.label(Node(1))), (Node::ROOT, root));
        let parsed = Tree::new([(Node(2), subject), (Node::ROOT, root)]).unwrap();
        let tree = enforce(&parsed, &[None, Some(Node::ROOT), None], RootPolicy::Single, root);
        assert_eq!((tree.head(Node(2)), tree.label(Node(2))), (Node(1), subject));
    }

    #[test]
    fn impossible_heads_change_nothing() {
        let parsed = Tree::from_heads(&[0, 1, 2]).unwrap();
        let given = [None, Some(Node(2)), Some(Node(1)), None];
        assert_eq!(enforce(&parsed, &given, RootPolicy::Single, Label(0)), parsed);
    }
}
