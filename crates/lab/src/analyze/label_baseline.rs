//! How far labels follow from tags alone: every word gets the label that is most frequent for its
//! part of speech (Reisinger 2016, section 5.1).
use std::collections::BTreeMap;

use conll::Sentence;

use super::corpus::Corpus;
use crate::report::{Panel, Value};

/// How often each tag has each label.
#[derive(Clone, Debug, Default)]
pub struct TagLabels(BTreeMap<String, BTreeMap<String, u64>>);

impl TagLabels {
    /// Counts a word.
    pub fn add(&mut self, tag: &str, label: &str) {
        let labels = self.0.entry(tag.to_owned()).or_default();
        *labels.entry(label.to_owned()).or_default() += 1;
    }

    /// Counts the words of a sentence; the universal tag counts where there is one.
    pub fn add_sentence(&mut self, sentence: &Sentence) {
        for word in sentence.words() {
            let tag = if word.upos() == "_" { word.xpos() } else { word.upos() };
            self.add(tag, word.deprel());
        }
    }

    /// The most frequent label of a tag, the first by name among equals.
    pub fn best(&self, tag: &str) -> Option<&str> {
        let labels = self.0.get(tag)?;
        let best = labels.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
        best.map(|(label, _)| label.as_str())
    }
}

/// The panel. Without counts from a training set, those of the gold file itself are taken.
pub fn panel(corpus: &Corpus, trained: Option<&TagLabels>) -> Panel {
    let mut own = TagLabels::default();
    for (item, word) in corpus.words() {
        own.add(&corpus.tags[item.tags[word]], &corpus.labels[item.gold.labels[word]]);
    }
    let counts = trained.unwrap_or(&own);
    let best: Vec<Option<&str>> = corpus.tags.iter().map(|tag| counts.best(tag)).collect();
    let mut words = vec![0u64; corpus.tags.len()];
    let mut right = vec![0u64; corpus.tags.len()];
    for (item, word) in corpus.words() {
        let tag = item.tags[word];
        words[tag] += 1;
        let label = corpus.labels[item.gold.labels[word]].as_str();
        right[tag] += u64::from(best[tag] == Some(label));
    }
    let source = if trained.is_some() { "the training set" } else { "the gold file itself" };
    let mut panel = Panel::new(
        "label-baseline",
        "Labels from tags alone",
        &format!(
            "Label accuracy if every word had the label that is most frequent for its tag in {source} (Reisinger 2016, section 5.1), against the label accuracy of the systems."
        ),
        ["tag", "label", "words", "accuracy"]
            .into_iter()
            .chain(corpus.systems.iter().map(String::as_str)),
    );
    let of_systems = |tag: Option<usize>| -> Vec<Value> {
        let count = |system: usize| {
            let mut sums = (0, 0);
            for (item, word) in corpus.words() {
                if tag.is_none_or(|tag| item.tags[word] == tag) {
                    sums.0 += u64::from(item.right(system, word).label);
                    sums.1 += 1;
                }
            }
            Value::share(sums.0, sums.1)
        };
        (0..corpus.systems.len()).map(count).collect()
    };
    let total = |of: &[u64]| of.iter().sum::<u64>();
    let mut row = vec![
        Value::text("all"),
        Value::text(""),
        Value::Count(total(&words)),
        Value::share(total(&right), total(&words)),
    ];
    row.extend(of_systems(None));
    panel.rows.push(row);
    let mut order: Vec<usize> = (0..words.len()).filter(|&tag| words[tag] > 0).collect();
    order.sort_by_key(|&tag| (std::cmp::Reverse(words[tag]), &corpus.tags[tag]));
    for tag in order {
        let mut row = vec![
            Value::text(&corpus.tags[tag]),
            Value::text(best[tag].unwrap_or("")),
            Value::Count(words[tag]),
            Value::share(right[tag], words[tag]),
        ];
        row.extend(of_systems(Some(tag)));
        panel.rows.push(row);
    }
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::small;
    use super::*;

    #[test]
    fn hand_counted() {
        // VERB is xcomp once and root once: root comes first by name, and one of two is right.
        let panel = panel(&small(2), None);
        assert_eq!(panel.shown("VERB"), ["VERB", "root", "2", "50.00", "100.00", "50.00"]);
        assert_eq!(panel.shown("all"), ["all", "", "8", "87.50", "87.50", "75.00"]);
        let mut trained = TagLabels::default();
        trained.add("VERB", "xcomp");
        trained.add("NOUN", "obj");
        let panel = super::panel(&small(1), Some(&trained));
        assert_eq!(panel.shown("all")[..4], ["all", "", "8", "12.50"]);
        assert_eq!(panel.shown("ADP")[..4], ["ADP", "", "1", "0.00"]);
    }
}
