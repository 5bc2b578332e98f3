//! Accuracy by part of speech (McDonald and Nivre 2007, Figure 7).
use super::columns;
use super::corpus::Corpus;
use crate::report::{Panel, Value};

/// The panel; tags are those of gold, universal ones where there are any, the most frequent first.
pub fn panel(corpus: &Corpus) -> Panel {
    let systems = corpus.systems.len();
    let mut words = vec![0u64; corpus.tags.len()];
    let mut right = vec![vec![(0u64, 0u64); systems]; corpus.tags.len()];
    for (item, word) in corpus.words() {
        let tag = item.tags[word];
        words[tag] += 1;
        for (system, (heads, labelled)) in right[tag].iter_mut().enumerate() {
            let is_right = item.right(system, word);
            *heads += u64::from(is_right.head);
            *labelled += u64::from(is_right.both());
        }
    }
    let mut order: Vec<usize> = (0..corpus.tags.len()).filter(|&tag| words[tag] > 0).collect();
    order.sort_by_key(|&tag| (std::cmp::Reverse(words[tag]), &corpus.tags[tag]));
    let mut panel = Panel {
        columns: columns(["tag", "words"], corpus, &["UAS", "LAS"]),
        ..Panel::new(
            "part-of-speech",
            "Part of speech",
            "Accuracy by the gold tag of the dependent, the most frequent first.",
            [],
        )
    };
    for tag in order {
        let mut row = vec![Value::text(&corpus.tags[tag]), Value::Count(words[tag])];
        for &(heads, labelled) in &right[tag] {
            row.extend([heads, labelled].map(|right| Value::share(right, words[tag])));
        }
        panel.rows.push(row);
    }
    panel.chart_columns("tag", &[("LAS", "Labelled attachment score")], true, 20);
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::small;
    use super::*;

    #[test]
    fn hand_counted() {
        let panel = panel(&small(2));
        assert_eq!(panel.shown("VERB"), ["VERB", "2", "100.00", "100.00", "50.00", "50.00"]);
        assert_eq!(panel.shown("NOUN"), ["NOUN", "1", "100.00", "0.00", "100.00", "100.00"]);
        assert_eq!(panel.shown("ADP"), ["ADP", "1", "0.00", "0.00", "100.00", "100.00"]);
        assert_eq!(panel.rows[0][0], Value::text("VERB"), "the most frequent first");
    }
}
