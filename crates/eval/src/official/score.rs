//! The rows of the official table.
use std::fmt::Write;

use super::alignment::Alignment;
use super::corpus::{Corpus, Enhanced, NONE, Relation, Span, Word};

/// A row of the official table.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Tokens with the right span.
    Tokens,
    /// Sentences with the right span.
    Sentences,
    /// Aligned words.
    Words,
    /// Universal part of speech.
    Upos,
    /// Language-specific part of speech.
    Xpos,
    /// Universal features.
    Ufeats,
    /// Both parts of speech and the universal features.
    AllTags,
    /// Lemmas, where gold has one.
    Lemmas,
    /// Heads.
    Uas,
    /// Heads and labels without subtype.
    Las,
    /// LAS of words with a content label.
    Clas,
    /// CLAS with tags, features and function words.
    Mlas,
    /// CLAS with lemmas.
    Blex,
    /// Enhanced dependencies.
    Elas,
    /// Enhanced dependencies without subtypes.
    Eulas,
}

impl Metric {
    /// All rows in the order of the table.
    pub const ALL: [Metric; 15] = [
        Metric::Tokens,
        Metric::Sentences,
        Metric::Words,
        Metric::Upos,
        Metric::Xpos,
        Metric::Ufeats,
        Metric::AllTags,
        Metric::Lemmas,
        Metric::Uas,
        Metric::Las,
        Metric::Clas,
        Metric::Mlas,
        Metric::Blex,
        Metric::Elas,
        Metric::Eulas,
    ];

    /// The name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Tokens => "Tokens",
            Metric::Sentences => "Sentences",
            Metric::Words => "Words",
            Metric::Upos => "UPOS",
            Metric::Xpos => "XPOS",
            Metric::Ufeats => "UFeats",
            Metric::AllTags => "AllTags",
            Metric::Lemmas => "Lemmas",
            Metric::Uas => "UAS",
            Metric::Las => "LAS",
            Metric::Clas => "CLAS",
            Metric::Mlas => "MLAS",
            Metric::Blex => "BLEX",
            Metric::Elas => "ELAS",
            Metric::Eulas => "EULAS",
        }
    }
}

/// Counts behind one row.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Score {
    /// What is right.
    pub correct: u64,
    /// What gold has.
    pub gold: u64,
    /// What the system has.
    pub system: u64,
    /// Aligned words, where the row is about aligned words.
    pub aligned: Option<u64>,
}

impl Score {
    /// The share of the system's that is right.
    pub fn precision(&self) -> f64 {
        ratio(self.correct, self.system)
    }

    /// The share of gold that the system has right.
    pub fn recall(&self) -> f64 {
        ratio(self.correct, self.gold)
    }

    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        ratio(2 * self.correct, self.system + self.gold)
    }

    /// The share of aligned words that is right.
    pub fn aligned_accuracy(&self) -> Option<f64> {
        self.aligned.map(|aligned| ratio(self.correct, aligned))
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The official table of one system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scores {
    rows: [Score; 15],
}

impl Scores {
    /// One row.
    pub fn get(&self, metric: Metric) -> Score {
        self.rows[metric as usize]
    }

    /// The table with percentages, as the official scorer prints it.
    pub fn table(&self, enhanced: bool) -> String {
        let mut table = String::from(
            "Metric     | Precision |    Recall |  F1 Score | AligndAcc\n\
             -----------+-----------+-----------+-----------+-----------\n",
        );
        for (metric, score) in self.shown(enhanced) {
            let _ = write!(
                table,
                "{:11}|{:10.2} |{:10.2} |{:10.2} |",
                metric.name(),
                100.0 * score.precision(),
                100.0 * score.recall(),
                100.0 * score.f1()
            );
            if let Some(accuracy) = score.aligned_accuracy() {
                let _ = write!(table, "{:10.2}", 100.0 * accuracy);
            }
            table.push('\n');
        }
        table
    }

    /// The table with raw counts, as the official scorer prints it.
    pub fn table_of_counts(&self, enhanced: bool) -> String {
        let mut table = String::from(
            "Metric     | Correct   |      Gold | Predicted | Aligned\n\
             -----------+-----------+-----------+-----------+-----------\n",
        );
        for (metric, score) in self.shown(enhanced) {
            let aligned = match score.aligned {
                None if metric == Metric::Words => score.correct.to_string(),
                None | Some(0) => String::new(),
                Some(aligned) => aligned.to_string(),
            };
            let pad =
                if aligned.is_empty() { "          ".to_owned() } else { format!("{aligned:>10}") };
            let _ = writeln!(
                table,
                "{:11}|{:10} |{:10} |{:10} |{pad}",
                metric.name(),
                score.correct,
                score.gold,
                score.system
            );
        }
        table
    }

    fn shown(&self, enhanced: bool) -> impl Iterator<Item = (Metric, Score)> + '_ {
        let rows = if enhanced { 15 } else { 13 };
        Metric::ALL.into_iter().take(rows).map(|metric| (metric, self.get(metric)))
    }

    pub(super) fn count(
        gold: &Corpus,
        system: &Corpus,
        alignment: &Alignment,
        no_lemma: u32,
    ) -> Scores {
        let aligned = alignment.pairs.len() as u64;
        let all_words = Score {
            correct: 0,
            gold: gold.words.len() as u64,
            system: system.words.len() as u64,
            aligned: Some(aligned),
        };
        let content = |words: &[Word]| {
            words.iter().filter(|word| word.relation == Relation::Content).count() as u64
        };
        let content_words = Score {
            correct: 0,
            gold: content(&gold.words),
            system: content(&system.words),
            aligned: Some(0),
        };
        let mut rows = [all_words; 15];
        rows[Metric::Tokens as usize] = spans(&gold.tokens, &system.tokens);
        rows[Metric::Sentences as usize] = spans(&gold.sentences, &system.sentences);
        rows[Metric::Words as usize] = Score { correct: aligned, aligned: None, ..all_words };
        for metric in [Metric::Clas, Metric::Mlas, Metric::Blex] {
            rows[metric as usize] = content_words;
        }
        for metric in [Metric::Elas, Metric::Eulas] {
            rows[metric as usize] = Score {
                correct: 0,
                gold: gold.enhanced.len() as u64,
                system: system.enhanced.len() as u64,
                aligned: None,
            };
        }
        let mut dependencies = Dependencies::default();
        for &(g, s) in &alignment.pairs {
            let (g, s) = (&gold.words[g as usize], &system.words[s as usize]);
            let upos = g.upos == s.upos;
            let xpos = g.xpos == s.xpos;
            let features = g.features == s.features;
            let lemma = g.lemma == s.lemma || g.lemma == no_lemma;
            let head = same_head(g.head, s.head, alignment);
            let labelled = head && g.label == s.label;
            let mut add = |metric: Metric, right: bool| {
                rows[metric as usize].correct += u64::from(right);
            };
            add(Metric::Upos, upos);
            add(Metric::Xpos, xpos);
            add(Metric::Ufeats, features);
            add(Metric::AllTags, upos && xpos && features);
            add(Metric::Lemmas, lemma);
            add(Metric::Uas, head);
            add(Metric::Las, labelled);
            if g.relation == Relation::Content {
                add(Metric::Clas, labelled);
                add(Metric::Blex, labelled && lemma);
                add(
                    Metric::Mlas,
                    labelled
                        && upos
                        && features
                        && same_function_words(g, s, gold, system, alignment),
                );
                for metric in [Metric::Clas, Metric::Mlas, Metric::Blex] {
                    let aligned = &mut rows[metric as usize].aligned;
                    *aligned = aligned.map(|count| count + 1);
                }
            }
            let (labelled, bare) = dependencies.count(
                &gold.enhanced[g.enhanced_start as usize..g.enhanced_end as usize],
                &system.enhanced[s.enhanced_start as usize..s.enhanced_end as usize],
                alignment,
            );
            rows[Metric::Elas as usize].correct += labelled;
            rows[Metric::Eulas as usize].correct += bare;
        }
        Scores { rows }
    }
}

fn spans(gold: &[Span], system: &[Span]) -> Score {
    let (mut correct, mut g, mut s) = (0, 0, 0);
    while g < gold.len() && s < system.len() {
        match system[s].start.cmp(&gold[g].start) {
            std::cmp::Ordering::Less => s += 1,
            std::cmp::Ordering::Greater => g += 1,
            std::cmp::Ordering::Equal => {
                correct += u64::from(gold[g].end == system[s].end);
                g += 1;
                s += 1;
            }
        }
    }
    Score { correct, gold: gold.len() as u64, system: system.len() as u64, aligned: None }
}

fn same_head(gold: u32, system: u32, alignment: &Alignment) -> bool {
    if system == NONE {
        gold == NONE
    } else {
        gold != NONE && alignment.gold_of[system as usize] == gold
    }
}

fn same_function_words(
    gold_head: &Word,
    system_head: &Word,
    gold: &Corpus,
    system: &Corpus,
    alignment: &Alignment,
) -> bool {
    let (mut g, mut s) = (gold_head.first_function, system_head.first_function);
    while g != NONE && s != NONE {
        let (gold_word, system_word) = (&gold.words[g as usize], &system.words[s as usize]);
        if alignment.gold_of[s as usize] != g
            || gold_word.label != system_word.label
            || gold_word.upos != system_word.upos
            || gold_word.features != system_word.features
        {
            return false;
        }
        (g, s) = (gold_word.next_function, system_word.next_function);
    }
    g == s
}

/// Counts pairs of equal enhanced dependencies of two aligned words; doubled ones count doubly.
#[derive(Default)]
struct Dependencies {
    gold: Vec<Enhanced>,
    system: Vec<Enhanced>,
}

impl Dependencies {
    fn count(
        &mut self,
        gold: &[Enhanced],
        system: &[Enhanced],
        alignment: &Alignment,
    ) -> (u64, u64) {
        if gold.is_empty() || system.is_empty() {
            return (0, 0);
        }
        self.gold.clear();
        self.gold.extend_from_slice(gold);
        self.system.clear();
        self.system.extend(system.iter().filter_map(|&dependency| {
            if dependency.head == NONE {
                return Some(dependency);
            }
            let head = alignment.gold_of[dependency.head as usize];
            (head != NONE).then_some(Enhanced { head, ..dependency })
        }));
        let labelled = self.equal_pairs(|dependency| (dependency.head, dependency.label));
        let bare = self.equal_pairs(|dependency| (dependency.head, dependency.bare_label));
        (labelled, bare)
    }

    fn equal_pairs(&mut self, key: impl Fn(&Enhanced) -> (u32, u32)) -> u64 {
        self.gold.sort_unstable_by_key(&key);
        self.system.sort_unstable_by_key(&key);
        let (mut gold, mut system) = (self.gold.as_slice(), self.system.as_slice());
        let mut pairs = 0;
        while let (Some(g), Some(s)) = (gold.first(), system.first()) {
            match key(g).cmp(&key(s)) {
                std::cmp::Ordering::Less => gold = &gold[1..],
                std::cmp::Ordering::Greater => system = &system[1..],
                std::cmp::Ordering::Equal => {
                    let same = |list: &[Enhanced]| {
                        list.iter().take_while(|other| key(other) == key(g)).count()
                    };
                    let (in_gold, in_system) = (same(gold), same(system));
                    pairs += in_gold as u64 * in_system as u64;
                    gold = &gold[in_gold..];
                    system = &system[in_system..];
                }
            }
        }
        pairs
    }
}
