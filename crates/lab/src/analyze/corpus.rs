//! Gold trees and the trees of several systems, word by word, in memory.
use std::collections::BTreeMap;

use conll::Reader;

use crossarc_eval::{Counts, Reliability, Settings};
use crossarc_tree::Tree;

/// Gold and systems.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// Names of the systems.
    pub systems: Vec<String>,
    /// Labels by number.
    pub labels: Vec<String>,
    /// Parts of speech by number.
    pub tags: Vec<String>,
    /// The sentences.
    pub sentences: Vec<Item>,
    /// Sums over all sentences, by system.
    pub totals: Vec<Counts>,
    /// What confidences are worth, by system.
    pub reliability: Vec<Reliability>,
}

/// A sentence.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// Its `sent_id`.
    pub id: Option<String>,
    /// The words.
    pub forms: Vec<String>,
    /// Their parts of speech.
    pub tags: Vec<usize>,
    /// Their features.
    pub features: Vec<String>,
    /// Whether they count.
    pub counted: Vec<bool>,
    /// The right analysis.
    pub gold: Analysis,
    /// The analyses of the systems.
    pub systems: Vec<Analysis>,
    /// The counts, by system.
    pub counts: Vec<Counts>,
}

/// Heads and labels, by word from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Heads; 0 is the root.
    pub heads: Vec<Option<u32>>,
    /// Numbers of labels.
    pub labels: Vec<usize>,
}

impl Analysis {
    /// The tree; words without head hang on the root. Empty if there is none.
    pub fn tree(&self) -> Tree {
        let heads: Vec<u32> = self.heads.iter().map(|head| head.unwrap_or(0)).collect();
        Tree::from_heads(&heads).unwrap_or_default()
    }
}

/// What a system has right about a word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Right {
    /// The head.
    pub head: bool,
    /// The label.
    pub label: bool,
}

impl Right {
    /// Head and label.
    pub fn both(self) -> bool {
        self.head && self.label
    }
}

impl Item {
    /// What a system has right about a word.
    pub fn right(&self, system: usize, word: usize) -> Right {
        let analysis = &self.systems[system];
        Right {
            head: self.gold.heads[word].is_some() && self.gold.heads[word] == analysis.heads[word],
            label: self.gold.labels[word] == analysis.labels[word],
        }
    }

    /// The words that count, from 0.
    pub fn words(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.forms.len()).filter(|&word| self.counted[word])
    }

    /// True if some system has a counted word wrong.
    pub fn has_error(&self) -> bool {
        (0..self.systems.len())
            .any(|system| self.words().any(|word| !self.right(system, word).both()))
    }
}

/// Numbers for names, in the order in which they come.
#[derive(Default)]
struct Names(BTreeMap<String, usize>, Vec<String>);

impl Names {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.0.get(name) {
            return number;
        }
        self.0.insert(name.to_owned(), self.1.len());
        self.1.push(name.to_owned());
        self.1.len() - 1
    }
}

impl Corpus {
    /// Reads all files side by side. Systems are called as their readers are.
    pub fn read(
        gold: &mut Reader,
        systems: &mut [Reader],
        settings: Settings,
    ) -> Result<Corpus, crossarc_eval::Error> {
        let names = systems.iter().map(|reader| reader.name().to_owned()).collect();
        let mut corpus = Corpus {
            systems: names,
            totals: vec![Counts::default(); systems.len()],
            reliability: vec![Reliability::default(); systems.len()],
            ..Corpus::default()
        };
        let (mut labels, mut tags) = (Names::default(), Names::default());
        crossarc_eval::compare(gold, systems, settings, |scored| {
            let mut analysis = |arcs: &[crossarc_eval::Arc<'_>]| Analysis {
                heads: arcs.iter().map(|arc| arc.head).collect(),
                labels: arcs.iter().map(|arc| labels.number(arc.label)).collect(),
            };
            if scored.system == 0 {
                let mut counted = vec![false; scored.gold.len()];
                for (word, _, _) in scored.pair.words() {
                    counted[word] = true;
                }
                let mut tag = |word: conll::Word<'_>| {
                    let tag = if word.upos() == "_" { word.xpos() } else { word.upos() };
                    tags.number(tag)
                };
                corpus.sentences.push(Item {
                    id: scored.gold.comment_value("sent_id").map(str::to_owned),
                    forms: scored.gold.words().map(|word| word.form().to_owned()).collect(),
                    tags: scored.gold.words().map(&mut tag).collect(),
                    features: scored.gold.words().map(|word| word.feats().to_owned()).collect(),
                    counted,
                    gold: analysis(scored.pair.gold()),
                    ..Item::default()
                });
            }
            if let Some(item) = corpus.sentences.last_mut() {
                item.systems.push(analysis(scored.pair.system()));
                item.counts.push(scored.counts);
            }
            corpus.totals[scored.system] += scored.counts;
            corpus.reliability[scored.system].add_scored(&scored);
        })?;
        (corpus.labels, corpus.tags) = (labels.1, tags.1);
        Ok(corpus)
    }

    /// All words that count: sentence and word.
    pub fn words(&self) -> impl Iterator<Item = (&Item, usize)> {
        self.sentences.iter().flat_map(|item| item.words().map(move |word| (item, word)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::fmt::Write as _;

    use conll::{ReadOptions, Roots};

    /// Words as `form/TAG/head/label`.
    pub fn file(name: &str, sentences: &[&str]) -> Reader {
        let mut text = String::new();
        for (number, sentence) in sentences.iter().enumerate() {
            let _ = writeln!(text, "# sent_id = s{}", number + 1);
            for (id, word) in sentence.split(' ').enumerate() {
                let [form, tag, head, label] = word.split('/').collect::<Vec<_>>()[..] else {
                    panic!("{word}")
                };
                let _ = writeln!(text, "{}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_", id + 1);
            }
            text.push('\n');
        }
        let options = ReadOptions { roots: Roots::Any, check_trees: false, ..Default::default() };
        Reader::from_bytes(name, text, options).unwrap()
    }

    /// Two sentences; in the first, the arc from word 2 to word 5 crosses the arc from the root.
    ///
    /// | word | gold | a | b |
    /// |---|---|---|---|
    /// | 1 A | 2 det | right | right |
    /// | 2 hearing | 3 nsubj | right head, label obj | right |
    /// | 3 is | 0 root | right | right |
    /// | 4 scheduled | 3 xcomp | right | right |
    /// | 5 on | 2 nmod (non-projective) | head 4 | right |
    /// | 6 it | 5 obj | right | right |
    /// | 1 Go | 0 root | right | head 2 |
    /// | 2 home | 1 advmod | right | head 0, label root |
    pub const GOLD: [&str; 2] = [
        "A/DET/2/det hearing/NOUN/3/nsubj is/AUX/0/root scheduled/VERB/3/xcomp on/ADP/2/nmod it/PRON/5/obj",
        "Go/VERB/0/root home/ADV/1/advmod",
    ];
    pub const A: [&str; 2] = [
        "A/DET/2/det hearing/NOUN/3/obj is/AUX/0/root scheduled/VERB/3/xcomp on/ADP/4/nmod it/PRON/5/obj",
        "Go/VERB/0/root home/ADV/1/advmod",
    ];
    pub const B: [&str; 2] = [
        "A/DET/2/det hearing/NOUN/3/nsubj is/AUX/0/root scheduled/VERB/3/xcomp on/ADP/2/nmod it/PRON/5/obj",
        "Go/VERB/2/advmod home/ADV/0/root",
    ];

    pub fn of(gold: &[&str], systems: &[(&str, &[&str])]) -> Corpus {
        let mut systems: Vec<Reader> =
            systems.iter().map(|(name, sentences)| file(name, sentences)).collect();
        Corpus::read(&mut file("gold", gold), &mut systems, Settings::default()).unwrap()
    }

    /// The first, or both systems.
    pub fn small(systems: usize) -> Corpus {
        of(&GOLD, &[("a", &A as &[&str]), ("b", &B)][..systems])
    }

    #[test]
    fn all_files_are_side_by_side() {
        let corpus = small(2);
        assert_eq!(corpus.sentences.len(), 2);
        let first = &corpus.sentences[0];
        assert_eq!(first.id.as_deref(), Some("s1"));
        assert_eq!(corpus.tags[first.tags[4]], "ADP");
        assert_eq!(first.right(0, 1), Right { head: true, label: false });
        assert_eq!(first.right(0, 4), Right { head: false, label: true });
        assert!(first.has_error());
        assert_eq!(corpus.totals[0].attachment.labelled, 6);
        assert_eq!(corpus.totals[1].attachment.labelled, 6);
        assert_eq!(corpus.words().count(), 8);
    }
}
