use super::{Definition, Lifted, projectivise};
use crate::generate::{all_trees, random_projective_tree, random_tree};
use crate::projectivity::is_projective;
use crate::seed::Seed;
use crate::{Node, RootPolicy, Tree};

const DEFINITIONS: [Definition; 3] =
    [Definition::Dominance, Definition::Crossing, Definition::CrossingToRoot];

/// Algorithms 4 and 5 of Reisinger 2016 read literally, with the definition as a parameter.
mod literal {
    use super::Definition;

    pub fn is_non_projective(heads: &[u32], word: usize, definition: Definition) -> bool {
        let head = heads[word] as usize;
        let (left, right) = (head.min(word), head.max(word));
        match definition {
            Definition::Dominance => {
                (left + 1..right).any(|between| !dominates(heads, head, between))
            }
            Definition::Crossing | Definition::CrossingToRoot => (1..heads.len()).any(|other| {
                let other_head = heads[other] as usize;
                let (left2, right2) = (other_head.min(other), other_head.max(other));
                (left < left2 && left2 < right && right < right2)
                    || (left2 < left && left < right2 && right2 < right)
            }),
        }
    }

    fn dominates(heads: &[u32], ancestor: usize, mut word: usize) -> bool {
        while word != ancestor && word != 0 {
            word = heads[word] as usize;
        }
        word == ancestor
    }

    /// Heads, number of lifts, nodes passed.
    pub fn make_projective(heads: &mut [u32], definition: Definition) -> (usize, Vec<bool>) {
        let roots: Vec<usize> = (1..heads.len()).filter(|&word| heads[word] == 0).collect();
        let keeps_root = roots.len() == 1 && definition != Definition::CrossingToRoot;
        let keeps_arcs = |head: u32| head == 0 || (keeps_root && head as usize == roots[0]);
        let (mut lifts, mut passed) = (0, vec![false; heads.len()]);
        loop {
            let shortest = (1..heads.len())
                .filter(|&word| is_non_projective(heads, word, definition))
                .filter(|&word| !keeps_arcs(heads[word]))
                .min_by_key(|&word| (heads[word].abs_diff(word as u32), word));
            let Some(word) = shortest else { return (lifts, passed) };
            let head = heads[word] as usize;
            heads[word] = heads[head];
            passed[head] = true;
            lifts += 1;
        }
    }
}

fn heads(tree: &Tree) -> Vec<u32> {
    tree.heads().iter().map(|head| head.0).collect()
}

fn check_against_literal(tree: &Tree, seed: Option<Seed>) {
    for definition in DEFINITIONS {
        let mut expected = heads(tree);
        let (lifts, passed) = literal::make_projective(&mut expected, definition);
        let Lifted { tree: lifted, lifts: found, passed: marked } = projectivise(tree, definition);
        assert_eq!(heads(&lifted), expected, "{definition:?} {seed:?} {tree:?}");
        assert_eq!((found, marked), (lifts, passed), "{definition:?} {seed:?} {tree:?}");
        assert!(is_projective(&lifted), "{seed:?} {tree:?}");
        if definition != Definition::CrossingToRoot {
            assert_eq!(tree.obeys(RootPolicy::Single), lifted.obeys(RootPolicy::Single));
        }
    }
}

#[test]
fn all_small_trees_are_lifted_as_the_papers_say() {
    for words in 0..=6 {
        for tree in all_trees(words) {
            check_against_literal(&tree, None);
        }
    }
}

#[test]
fn random_trees_are_lifted_as_the_papers_say() {
    for index in 0..1500 {
        let seed = Seed(3).fork("lift", index);
        let mut rng = seed.rng();
        let words = 2 + rng.below(24);
        let policy = if rng.chance(0.5) { RootPolicy::Single } else { RootPolicy::Several };
        check_against_literal(&random_tree(&mut rng, words, policy), Some(seed));
    }
    for index in 0..4 {
        let seed = Seed(3).fork("lift long", index);
        check_against_literal(&random_tree(&mut seed.rng(), 100, RootPolicy::Several), Some(seed));
    }
}

#[test]
fn long_random_trees_become_projective() {
    for index in 0..400 {
        let seed = Seed(3).fork("lift longer", index);
        let mut rng = seed.rng();
        let words = 1 + rng.below(200);
        let tree = random_tree(&mut rng, words, RootPolicy::Several);
        for definition in DEFINITIONS {
            let lifted = projectivise(&tree, definition).tree;
            assert!(is_projective(&lifted), "{seed:?}");
        }
    }
}

#[test]
fn projective_trees_are_untouched() {
    for index in 0..500 {
        let seed = Seed(3).fork("projective", index);
        let mut rng = seed.rng();
        let words = rng.below(200);
        let tree = random_projective_tree(&mut rng, words, RootPolicy::Several);
        for definition in DEFINITIONS {
            let lifted = projectivise(&tree, definition);
            assert_eq!((&lifted.tree, lifted.lifts), (&tree, 0), "{seed:?}");
        }
    }
}

/// "John saw a dog yesterday which was a Yorkshire terrier" (Figure 2.2 of Reisinger 2016): "was"
/// leaves "dog" for "saw", as in the traces of the projective parsers.
#[test]
fn the_terrier_is_lifted_once() {
    let tree = Tree::from_heads(&[2, 0, 4, 2, 2, 7, 4, 10, 10, 7]).unwrap();
    // To the letter "yesterday" is lifted, an arc of the root word as short and further to the left.
    let to_root = projectivise(&tree, Definition::CrossingToRoot);
    assert_eq!(to_root.moved(&tree).next(), Some(Node(5)));
    for definition in [Definition::Dominance, Definition::Crossing] {
        let lifted = projectivise(&tree, definition);
        assert_eq!(lifted.lifts, 1);
        assert_eq!(lifted.moved(&tree).collect::<Vec<_>>(), [Node(7)]);
        assert_eq!(lifted.tree.head(Node(7)), Node(2));
        assert!(lifted.passed[4]);
    }
}

#[test]
fn a_shuffled_chain_ends() {
    let seed = Seed(3).fork("chain", 0);
    let words = 600;
    let mut order: Vec<u32> = (1..=words).collect();
    seed.rng().shuffle(&mut order);
    let mut heads = vec![0; words as usize];
    for pair in order.windows(2) {
        heads[pair[1] as usize - 1] = pair[0];
    }
    let tree = Tree::from_heads(&heads).unwrap();
    for definition in DEFINITIONS {
        let lifted = projectivise(&tree, definition).tree;
        assert!(is_projective(&lifted), "{seed:?}");
    }
}
