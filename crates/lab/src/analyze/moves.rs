//! Transitions per sentence (Reisinger 2016, Table 5.11): how many moves the oracle of each
//! transition system needs for the trees of gold and of the systems.
use super::corpus::{Analysis, Corpus};
use crate::report::{Panel, Value};
use crossarc_transition::SystemOptions;
use crossarc_transition::statistics::statistics;
use crossarc_transition::system::TreeClass;
use crossarc_transition::systems::SYSTEMS;
use crossarc_tree::codec::lift::{Definition, projectivise};
use crossarc_tree::treebank::root_policy;
use crossarc_tree::{RootPolicy, Tree};

/// The panel.
pub fn panel(corpus: &Corpus) -> Panel {
    let trees = |of: &dyn Fn(usize) -> Analysis| -> Vec<Tree> {
        (0..corpus.sentences.len()).map(|at| of(at).tree()).collect()
    };
    let mut all = vec![trees(&|at| corpus.sentences[at].gold.clone())];
    for system in 0..corpus.systems.len() {
        all.push(trees(&|at| corpus.sentences[at].systems[system].clone()));
    }
    let projective: Vec<Vec<Tree>> = all
        .iter()
        .map(|trees| {
            trees.iter().map(|tree| projectivise(tree, Definition::Dominance).tree).collect()
        })
        .collect();
    let mut panel = Panel::new(
        "moves",
        "Transitions per sentence",
        "How many moves the static oracle of each transition system makes for a sentence, with the trees of gold and of the systems. Systems that build only projective trees get projectivised ones; trees that a system cannot build are left out.",
        ["transition system", "gold"].into_iter().chain(corpus.systems.iter().map(String::as_str)),
    );
    let mut seen = Vec::new();
    for entry in SYSTEMS {
        if seen.contains(&entry.system) {
            continue;
        }
        seen.push(entry.system);
        let trees = if entry.covers == TreeClass::Projective { &projective } else { &all };
        let figures = trees.iter().map(|trees| {
            let roots: RootPolicy = root_policy(trees);
            let options = SystemOptions { roots, ..SystemOptions::default() };
            let found = statistics(entry.system, entry.oracle, options, trees);
            let found = found.filter(|found| found.sentences > 0);
            Value::Number(found.map(|found| found.moves_per_sentence()), 2)
        });
        let row: Vec<Value> = std::iter::once(Value::text(entry.system)).chain(figures).collect();
        panel.rows.push(row);
    }
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::small;
    use super::*;

    /// Arc-standard: two moves a word, 16 for two sentences.
    #[test]
    fn hand_counted() {
        let panel = panel(&small(2));
        assert_eq!(panel.shown("arc-standard"), ["arc-standard", "8.00", "8.00", "8.00"]);
        // Gold and b need swaps for the crossing arc, a does not.
        let swap = panel.row("swap").unwrap();
        assert_eq!(swap[2].to_string(), "8.00");
        assert!(swap[1].number() > Some(8.0) && swap[1] == swap[3], "{swap:?}");
    }
}
