//! Precision and recall by dependency type: root, subject, object and all others (McDonald and
//! Nivre 2007, Figure 8), and every label for itself.
use super::columns;
use super::corpus::Corpus;
use crate::report::{Panel, Value};

/// Kinds of dependencies that treebanks have in common.
const GROUPS: [&str; 4] = ["root", "subject", "object", "other"];

/// The kind of an arc, by its head and the names that treebanks use.
fn group(head: Option<u32>, label: &str) -> usize {
    if head == Some(0) {
        return 0;
    }
    let name = label.split(':').next().unwrap_or(label).to_lowercase();
    match name.as_str() {
        "nsubj" | "csubj" | "nsubjpass" | "csubjpass" | "subj" | "sbj" | "sb" | "su" | "suj"
        | "ncsubj" | "sub" | "subject" | "ccomp_subj" => 1,
        "obj" | "dobj" | "iobj" | "pobj" | "obj1" | "obj2" | "oa" | "oa2" | "da" | "ob" | "oo"
        | "ncobj" | "nczobj" | "object" | "cd" | "ci" => 2,
        _ => 3,
    }
}

#[derive(Copy, Clone, Default)]
struct Tally {
    gold: u64,
    system: u64,
    right: u64,
}

/// Roots, subjects, objects and all others: head and label right.
pub fn groups(corpus: &Corpus) -> Panel {
    let panel = tally(corpus, GROUPS.len(), |head, label| group(head, &corpus.labels[label]));
    finish(
        corpus,
        panel,
        &GROUPS.map(str::to_owned),
        "dependency-type",
        "Roots, subjects and objects",
        "Arcs from the root; subjects and objects by the names that treebanks give them (nsubj, SBJ, obj, OA and so on, subtypes aside). Head and label right.",
        "dependency type",
    )
}

/// Every label.
pub fn labels(corpus: &Corpus) -> Panel {
    let tallies = tally(corpus, corpus.labels.len(), |_, label| label);
    finish(
        corpus,
        tallies,
        &corpus.labels,
        "labels",
        "Labels",
        "Precision, recall and F1 of every label, head and label right; the most frequent first.",
        "label",
    )
}

fn tally(
    corpus: &Corpus,
    kinds: usize,
    kind: impl Fn(Option<u32>, usize) -> usize,
) -> Vec<Vec<Tally>> {
    let mut tallies = vec![vec![Tally::default(); corpus.systems.len()]; kinds];
    for (item, word) in corpus.words() {
        let in_gold = kind(item.gold.heads[word], item.gold.labels[word]);
        for (system, analysis) in item.systems.iter().enumerate() {
            tallies[in_gold][system].gold += 1;
            if analysis.heads[word].is_none() {
                continue;
            }
            let in_system = kind(analysis.heads[word], analysis.labels[word]);
            tallies[in_system][system].system += 1;
            // An arc that is right is of the same kind in both.
            tallies[in_system][system].right += u64::from(item.right(system, word).both());
        }
    }
    tallies
}

fn finish(
    corpus: &Corpus,
    tallies: Vec<Vec<Tally>>,
    names: &[String],
    name: &str,
    title: &str,
    about: &str,
    axis: &str,
) -> Panel {
    let mut panel = Panel {
        columns: columns([axis, "gold arcs"], corpus, &["arcs", "precision", "recall", "F1"]),
        ..Panel::new(name, title, about, [])
    };
    let mut rows: Vec<(u64, &String, Vec<Tally>)> = names
        .iter()
        .zip(tallies)
        .map(|(name, tallies)| (tallies.first().map_or(0, |tally| tally.gold), name, tallies))
        .filter(|(_, _, tallies)| tallies.iter().any(|tally| tally.gold + tally.system > 0))
        .collect();
    if names.len() != GROUPS.len() || name == "labels" {
        rows.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    }
    for (gold, name, tallies) in rows {
        let mut row = vec![Value::text(name), Value::Count(gold)];
        for tally in tallies {
            row.push(Value::Count(tally.system));
            row.push(Value::share(tally.right, tally.system));
            row.push(Value::share(tally.right, tally.gold));
            row.push(Value::share(2 * tally.right, tally.gold + tally.system));
        }
        panel.rows.push(row);
    }
    let charts = [("precision", "Precision"), ("recall", "Recall")];
    panel.chart_columns(axis, &charts, true, 20);
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::small;
    use super::*;

    #[test]
    fn kinds_by_name() {
        assert_eq!(group(Some(0), "nsubj"), 0);
        assert_eq!(group(Some(1), "nsubj:pass"), 1);
        assert_eq!(group(Some(1), "SBJ"), 1);
        assert_eq!(group(Some(1), "OBJ"), 2);
        assert_eq!(group(Some(1), "obl"), 3);
    }

    #[test]
    fn hand_counted_groups() {
        let panel = groups(&small(2));
        // b makes the second word of the second sentence the root.
        assert_eq!(panel.shown("root")[6..], ["2", "50.00", "50.00", "50.00"]);
        assert_eq!(panel.shown("subject")[..6], ["subject", "1", "0", "–", "0.00", "0.00"]);
        // a calls the subject an object.
        assert_eq!(panel.shown("object")[..6], ["object", "1", "2", "50.00", "100.00", "66.67"]);
        assert_eq!(panel.shown("other")[..5], ["other", "4", "4", "75.00", "75.00"]);
    }

    #[test]
    fn hand_counted_labels() {
        let panel = labels(&small(2));
        assert_eq!(
            panel.shown("nmod"),
            ["nmod", "1", "1", "0.00", "0.00", "0.00", "1", "100.00", "100.00", "100.00"]
        );
        assert_eq!(panel.rows[0][0], Value::text("root"), "the most frequent first");
    }
}
