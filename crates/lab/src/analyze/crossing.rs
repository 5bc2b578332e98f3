//! Which non-projective arcs parsers find, by their cause.
use super::columns;
use super::corpus::Corpus;
use crate::report::{Panel, Value};
use crossarc_tree::treebank::crossing::{Rules, Seen};

/// The panel: gold arcs that are non-projective by dominance, named by the rules, and how many of them
/// each system has.
pub fn panel(corpus: &Corpus, rules: &Rules) -> Panel {
    let names = rules.names();
    let systems = corpus.systems.len();
    let mut arcs = vec![0u64; names.len()];
    let mut right = vec![vec![(0u64, 0u64); systems]; names.len()];
    for item in &corpus.sentences {
        let seen: Vec<Seen<'_>> = (0..item.forms.len())
            .map(|word| Seen {
                label: &corpus.labels[item.gold.labels[word]],
                tag: &corpus.tags[item.tags[word]],
                fine_tag: &corpus.tags[item.tags[word]],
                features: &item.features[word],
            })
            .collect();
        let tree = item.gold.tree();
        if tree.len() != seen.len() {
            continue;
        }
        for (node, cause) in rules.causes_in(&tree, &seen) {
            let word = node.index() - 1;
            let Some(place) = names.iter().position(|name| *name == cause) else { continue };
            if !item.counted[word] {
                continue;
            }
            arcs[place] += 1;
            for (system, (heads, labelled)) in right[place].iter_mut().enumerate() {
                let is_right = item.right(system, word);
                *heads += u64::from(is_right.head);
                *labelled += u64::from(is_right.both());
            }
        }
    }
    let mut panel = Panel {
        columns: columns(["cause", "arcs"], corpus, &["found %", "labelled %"]),
        ..Panel::new(
            "crossing-causes",
            "Causes of crossing arcs",
            "Gold arcs that are non-projective by dominance, by construction, and how many of them are found. Rules name the construction; --causes takes others.",
            [],
        )
    };
    let mut all = (0, vec![(0, 0); systems]);
    let mut rows = Vec::new();
    for ((name, arcs), right) in names.iter().zip(arcs).zip(right) {
        all.0 += arcs;
        for (sum, counts) in all.1.iter_mut().zip(&right) {
            *sum = (sum.0 + counts.0, sum.1 + counts.1);
        }
        if arcs > 0 {
            rows.push(((*name).to_owned(), arcs, right));
        }
    }
    rows.push(("all".to_owned(), all.0, all.1));
    for (name, arcs, right) in rows {
        let mut row = vec![Value::text(name), Value::Count(arcs)];
        for (heads, labelled) in right {
            row.extend([heads, labelled].map(|right| Value::share(right, arcs)));
        }
        panel.rows.push(row);
    }
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::small;
    use super::*;

    #[test]
    fn all_arcs_are_counted_once() {
        let panel = panel(&small(2), &Rules::usual());
        let count = |row: &[Value]| row[1].number().unwrap_or(0.0);
        let (all, causes) = panel.rows.split_last().unwrap();
        assert!((causes.iter().map(|row| count(row)).sum::<f64>() - count(all)).abs() < 1e-9);
    }
}
