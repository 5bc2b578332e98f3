//! Which labels are taken for which.
use std::collections::BTreeMap;

use super::columns;
use super::corpus::Corpus;
use crate::report::{Panel, Value};

/// So many confusions are shown.
const MOST: usize = 60;

/// The panel: pairs of gold label and label of the output, the most frequent first.
pub fn panel(corpus: &Corpus) -> Panel {
    let mut pairs: BTreeMap<(usize, usize), Vec<(u64, u64)>> = BTreeMap::new();
    let mut in_gold = vec![0u64; corpus.labels.len()];
    for (item, word) in corpus.words() {
        let gold = item.gold.labels[word];
        in_gold[gold] += 1;
        for (system, analysis) in item.systems.iter().enumerate() {
            let label = analysis.labels[word];
            if label == gold || analysis.heads[word].is_none() {
                continue;
            }
            let counts =
                pairs.entry((gold, label)).or_insert_with(|| vec![(0, 0); corpus.systems.len()]);
            counts[system].0 += 1;
            counts[system].1 += u64::from(item.right(system, word).head);
        }
    }
    let total = |counts: &[(u64, u64)]| counts.iter().map(|count| count.0).sum::<u64>();
    let mut order: Vec<_> = pairs.into_iter().collect();
    order.sort_by_key(|(_, counts)| std::cmp::Reverse(total(counts)));
    let mut panel = Panel {
        columns: columns(
            ["gold", "output", "gold arcs"],
            corpus,
            &["words", "% of gold", "with right head"],
        ),
        ..Panel::new(
            "confusion",
            "Confusion of labels",
            "Words whose label is another one than in gold, whatever their head; the most frequent pairs first.",
            [],
        )
    };
    for ((gold, label), counts) in order.into_iter().take(MOST) {
        let mut row = vec![
            Value::text(&corpus.labels[gold]),
            Value::text(&corpus.labels[label]),
            Value::Count(in_gold[gold]),
        ];
        for (words, with_head) in counts {
            row.push(Value::Count(words));
            row.push(Value::share(words, in_gold[gold]));
            row.push(Value::Count(with_head));
        }
        panel.rows.push(row);
    }
    if panel.rows.is_empty() {
        let blank = panel.columns.iter().skip(3).map(|_| Value::Count(0));
        panel.rows.push(
            [Value::text("(none)"), Value::text("(none)"), Value::Count(0)]
                .into_iter()
                .chain(blank)
                .collect(),
        );
    }
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::{GOLD, of, small};
    use super::*;

    #[test]
    fn hand_counted() {
        let panel = panel(&small(2));
        // a: nsubj as obj once, head right; b: root as advmod and advmod as root, heads wrong.
        assert_eq!(panel.rows.len(), 3);
        assert_eq!(
            panel.shown("nsubj"),
            ["nsubj", "obj", "1", "1", "100.00", "1", "0", "0.00", "0"]
        );
        assert_eq!(
            panel.shown("root"),
            ["root", "advmod", "2", "0", "0.00", "0", "1", "50.00", "0"]
        );
    }

    #[test]
    fn nothing_confused() {
        let panel = panel(&of(&GOLD, &[("a", &GOLD)]));
        assert_eq!(panel.shown("(none)")[2..], ["0", "0", "0", "0"]);
    }
}
