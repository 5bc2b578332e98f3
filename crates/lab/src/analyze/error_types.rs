//! Where a wrong head is, seen from the right one, in the gold tree.
//!
//! Every wrong word has exactly one type, the first of the list that fits.
use super::columns;
use super::corpus::{Corpus, Item};
use crate::report::{Panel, Value};
use crossarc_tree::structure::Structure;
use crossarc_tree::{Node, Tree};

/// The types in their order, and what each means.
pub const TYPES: [(&str, &str); 10] = [
    ("label only", "the head is right, the label is not"),
    ("no head", "the system leaves the word without a head"),
    ("false root", "the word hangs on the root, but should not"),
    ("missed root", "the word should hang on the root, but does not"),
    ("own subtree", "the head is a word below the dependent: a turned arc"),
    ("too high, by one", "the head is the head of the right head"),
    ("too high", "the head is further above the right head"),
    ("sibling", "the head is another dependent of the right head"),
    ("too low", "the head is further below the right head"),
    ("elsewhere", "the head is in another part of the tree"),
];

/// The type of an error; nothing if head and label are right.
fn error_type(
    item: &Item,
    system: usize,
    word: usize,
    gold: &Tree,
    structure: &Structure,
) -> Option<usize> {
    let right = item.right(system, word);
    if right.both() {
        return None;
    }
    if right.head {
        return Some(0);
    }
    let Some(head) = item.systems[system].heads[word] else { return Some(1) };
    let (dependent, head) = (Node(word as u32 + 1), Node(head));
    let gold_head = gold.head(dependent);
    Some(if head == Node::ROOT {
        2
    } else if gold_head == Node::ROOT {
        3
    } else if structure.dominates(dependent, head) {
        4
    } else if head == gold.head(gold_head) {
        5
    } else if structure.dominates(head, gold_head) {
        6
    } else if gold.head(head) == gold_head {
        7
    } else if structure.dominates(gold_head, head) {
        8
    } else {
        9
    })
}

/// The panel.
pub fn panel(corpus: &Corpus) -> Panel {
    let mut counts = vec![vec![0u64; corpus.systems.len()]; TYPES.len()];
    for item in &corpus.sentences {
        let gold = item.gold.tree();
        let structure = Structure::new(&gold);
        for word in item.words() {
            for (system, _) in corpus.systems.iter().enumerate() {
                if let Some(found) = error_type(item, system, word, &gold, &structure) {
                    counts[found][system] += 1;
                }
            }
        }
    }
    let words = corpus.words().count() as u64;
    let all: Vec<u64> = (0..corpus.systems.len())
        .map(|system| counts.iter().map(|counts| counts[system]).sum())
        .collect();
    let mut panel = Panel {
        columns: columns(["type", "meaning"], corpus, &["errors", "% of errors", "% of words"]),
        ..Panel::new(
            "error-types",
            "Types of attachment errors",
            "Where the wrong head is in the gold tree. Every wrong word has one type, the first that fits.",
            [],
        )
    };
    for ((name, meaning), counts) in TYPES.iter().zip(&counts) {
        let mut row = vec![Value::text(*name), Value::text(*meaning)];
        for (count, all) in counts.iter().zip(&all) {
            row.extend([
                Value::Count(*count),
                Value::share(*count, *all),
                Value::share(*count, words),
            ]);
        }
        panel.rows.push(row);
    }
    panel.chart_columns(
        "",
        &[("% of words", "Words with an error of each type")],
        true,
        TYPES.len(),
    );
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::{of, small};
    use super::*;

    #[test]
    fn hand_counted() {
        let panel = panel(&small(2));
        assert_eq!(panel.shown("label only")[2..], ["1", "50.00", "12.50", "0", "0.00", "0.00"]);
        // a hangs word 5 on word 4, which is below the head of the head (3), but not on the path.
        assert_eq!(panel.shown("elsewhere")[2..], ["1", "50.00", "12.50", "0", "0.00", "0.00"]);
        assert_eq!(panel.shown("missed root")[5..], ["1", "50.00", "12.50"]);
        assert_eq!(panel.shown("false root")[5..], ["1", "50.00", "12.50"]);
    }

    /// Gold: 1 is the root, 2 and 3 hang on 1, 4 on 3, 5 on 4, 6 on 4, 7 on 6.
    #[test]
    fn every_type() {
        let gold = "a/X/0/r b/X/1/x c/X/1/x d/X/3/x e/X/4/x f/X/4/x g/X/6/x";
        let type_of = |word: usize, head: u32| {
            let heads = [0, 1, 1, 3, 4, 4, 6].map(Some);
            let corpus = of(&[gold], &[("s", &[gold])]);
            let mut item = corpus.sentences[0].clone();
            item.systems[0].heads = heads.to_vec();
            item.systems[0].heads[word - 1] = (head < 99).then_some(head);
            let tree = item.gold.tree();
            error_type(&item, 0, word - 1, &tree, &Structure::new(&tree))
                .map(|found| TYPES[found].0)
        };
        assert_eq!(type_of(5, 4), None);
        assert_eq!(type_of(5, 99), Some("no head"));
        assert_eq!(type_of(5, 0), Some("false root"));
        assert_eq!(type_of(1, 2), Some("missed root"));
        assert_eq!(type_of(3, 5), Some("own subtree"));
        assert_eq!(type_of(5, 3), Some("too high, by one"));
        assert_eq!(type_of(5, 1), Some("too high"));
        assert_eq!(type_of(5, 6), Some("sibling"));
        assert_eq!(type_of(5, 7), Some("too low"));
        assert_eq!(type_of(5, 2), Some("elsewhere"));
    }
}
