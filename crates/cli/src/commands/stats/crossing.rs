//! `crossarc stats --crossing`: what non-projective arcs are made of.
use std::collections::BTreeMap;
use std::io::Write;

use conll::Sentence;
use crossarc::draw;
use crossarc::tree::treebank::crossing::Rules;

use crate::table::{Table, thousands};

/// Counts of one treebank, or of all.
pub struct Crossing {
    rules: Rules,
    /// Examples to keep for each cause.
    most: usize,
    causes: BTreeMap<String, u64>,
    labels: BTreeMap<String, u64>,
    tags: BTreeMap<(String, String), u64>,
    examples: BTreeMap<String, Vec<Sentence>>,
    arcs: u64,
    words: u64,
}

/// Longer sentences make no example.
const LONGEST_EXAMPLE: usize = 14;

impl Crossing {
    /// Nothing counted yet.
    pub fn new(rules: Rules, most: usize) -> Crossing {
        Crossing {
            rules,
            most,
            causes: BTreeMap::new(),
            labels: BTreeMap::new(),
            tags: BTreeMap::new(),
            examples: BTreeMap::new(),
            arcs: 0,
            words: 0,
        }
    }

    /// Counts the arcs of a sentence.
    pub fn add(&mut self, sentence: &Sentence) {
        self.words += sentence.len() as u64;
        let tag = |node: u32| {
            if node == 0 {
                return "root".to_owned();
            }
            let word = sentence.word(node as usize);
            if word.upos() == "_" { word.xpos().to_owned() } else { word.upos().to_owned() }
        };
        for (node, cause) in self.rules.causes(sentence) {
            let word = sentence.word(node.index());
            self.arcs += 1;
            *self.causes.entry(cause.to_owned()).or_default() += 1;
            *self.labels.entry(word.deprel().to_owned()).or_default() += 1;
            let pair = (tag(word.head().unwrap_or(0)), tag(node.0));
            *self.tags.entry(pair).or_default() += 1;
            if self.most > 0 && sentence.len() <= LONGEST_EXAMPLE {
                let examples = self.examples.entry(cause.to_owned()).or_default();
                let known = examples.last().is_some_and(|last| last == sentence);
                if examples.len() < self.most && !known {
                    examples.push(sentence.clone());
                }
            }
        }
    }

    /// Writes the tables, the most frequent first, `rows` of labels and of pairs of tags.
    pub fn write(&self, rows: usize, out: &mut impl Write) -> anyhow::Result<()> {
        writeln!(
            out,
            "{} non-projective arcs (by dominance), {:.2} % of {}\n",
            thousands(self.arcs),
            self.arcs as f64 / self.words.max(1) as f64 * 100.0,
            thousands(self.words)
        )?;
        let share = |count: u64| format!("{:.2}", count as f64 / self.arcs.max(1) as f64 * 100.0);
        let mut table = Table::new(["cause", "arcs", "%"]);
        for name in self.rules.names() {
            let count = self.causes.get(name).copied().unwrap_or(0);
            table.row([name.to_owned(), thousands(count), share(count)]);
        }
        table.write(out)?;
        writeln!(out)?;
        let mut table = Table::new(["label", "arcs", "%"]);
        for (name, count) in most_frequent(&self.labels, rows) {
            table.row([name.clone(), thousands(count), share(count)]);
        }
        table.write(out)?;
        writeln!(out)?;
        let mut table = Table::new(["head", "dependent", "arcs", "%"]);
        for ((head, dependent), count) in most_frequent(&self.tags, rows) {
            table.row([head.clone(), dependent.clone(), thousands(count), share(count)]);
        }
        table.write(out)?;
        for name in self.rules.names() {
            for sentence in self.examples.get(name).into_iter().flatten() {
                writeln!(out, "\n{name}")?;
                out.write_all(draw::in_text(sentence).as_bytes())?;
            }
        }
        Ok(())
    }

    /// The counts as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        let tags = most_frequent(&self.tags, usize::MAX);
        let tags: Vec<_> = tags
            .into_iter()
            .map(|((head, dependent), arcs)| {
                serde_json::json!({ "head": head, "dependent": dependent, "arcs": arcs })
            })
            .collect();
        serde_json::json!({
            "words": self.words,
            "nonprojective_arcs": self.arcs,
            "causes": self.causes,
            "labels": self.labels,
            "tags": tags,
        })
    }
}

fn most_frequent<K: Ord>(counts: &BTreeMap<K, u64>, most: usize) -> Vec<(&K, u64)> {
    let mut sorted: Vec<(&K, u64)> = counts.iter().map(|(name, &count)| (name, count)).collect();
    sorted.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    sorted.truncate(most);
    sorted
}
