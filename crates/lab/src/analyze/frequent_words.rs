//! The words that are wrong most often.
use std::collections::BTreeMap;

use super::columns;
use super::corpus::Corpus;
use crate::report::{Panel, Value};

/// So many words are shown.
const MOST: usize = 50;

/// The panel: form and tag, by the number of errors of all systems together.
pub fn panel(corpus: &Corpus) -> Panel {
    let mut words: BTreeMap<(&str, usize), (u64, Vec<u64>)> = BTreeMap::new();
    for (item, word) in corpus.words() {
        let entry = words
            .entry((item.forms[word].as_str(), item.tags[word]))
            .or_insert_with(|| (0, vec![0; corpus.systems.len()]));
        entry.0 += 1;
        for (system, errors) in entry.1.iter_mut().enumerate() {
            *errors += u64::from(!item.right(system, word).both());
        }
    }
    let mut order: Vec<_> = words.into_iter().collect();
    order.sort_by_key(|(_, (_, errors))| std::cmp::Reverse(errors.iter().sum::<u64>()));
    let mut panel = Panel {
        columns: columns(["word", "tag", "occurs"], corpus, &["errors", "% wrong"]),
        ..Panel::new(
            "frequent-words",
            "Most frequent wrong words",
            "Forms with their gold tag whose head or label is wrong most often.",
            [],
        )
    };
    for ((form, tag), (count, errors)) in order.into_iter().take(MOST) {
        let mut row = vec![Value::text(form), Value::text(&corpus.tags[tag]), Value::Count(count)];
        for errors in errors {
            row.extend([Value::Count(errors), Value::share(errors, count)]);
        }
        panel.rows.push(row);
    }
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::{of, small};
    use super::*;

    #[test]
    fn hand_counted() {
        let panel = panel(&small(2));
        assert_eq!(panel.shown("on"), ["on", "ADP", "1", "1", "100.00", "0", "0.00"]);
        assert_eq!(panel.shown("home"), ["home", "ADV", "1", "0", "0.00", "1", "100.00"]);
        assert_eq!(panel.shown("A")[3..], ["0", "0.00", "0", "0.00"]);
        assert_eq!(panel.rows.last().map(|row| row[3].clone()), Some(Value::Count(0)), "in order");
    }

    #[test]
    fn the_same_form_with_another_tag_is_another_word() {
        let gold = "so/ADV/0/r so/ADV/1/x so/SCONJ/1/x";
        let panel = panel(&of(&[gold], &[("s", &["so/ADV/0/r so/ADV/1/y so/SCONJ/1/x"])]));
        assert_eq!(panel.rows.len(), 2);
        assert_eq!(panel.shown("so"), ["so", "ADV", "2", "1", "50.00"]);
    }
}
