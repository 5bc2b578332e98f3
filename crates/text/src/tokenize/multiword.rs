//! Tokens of several words, split by what the treebank did: Portuguese `da` is `de a`.
//!
//! Forms of the training data are split as they mostly were there. Other forms are split by the
//! longest ending that mostly belongs to split forms, as in `wouldn't`, `falá-lo` or `dell'`.
use std::collections::BTreeMap;

use conll::{Row, Sentence};
use serde::{Deserialize, Serialize};

/// How a form becomes words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Split {
    /// Characters at the end that are taken off.
    cut: usize,
    /// What replaces them: the end of the first word, then the other words.
    parts: Vec<String>,
}

impl Split {
    /// The shortest way to say what became of a form, all in lower case.
    fn of(form: &str, words: &[String]) -> Split {
        let form: Vec<char> = form.chars().collect();
        let first: Vec<char> = words.first().map_or_else(Vec::new, |word| word.chars().collect());
        let common = form.iter().zip(&first).take_while(|(one, other)| one == other).count();
        let mut parts = vec![first[common..].iter().collect::<String>()];
        parts.extend(words.iter().skip(1).cloned());
        Split { cut: form.len() - common, parts }
    }

    /// Words of a form; nothing if it is too short, or a word would be empty.
    fn apply(&self, form: &str) -> Option<Vec<String>> {
        let characters: Vec<char> = form.chars().collect();
        let kept = characters.len().checked_sub(self.cut)?;
        let mut words: Vec<String> = self.parts.clone();
        let stem: String = characters[..kept].iter().collect();
        words.first_mut()?.insert_str(0, &stem);
        if words.iter().any(String::is_empty) {
            return None;
        }
        if words.concat().to_lowercase() == form.to_lowercase() && form.is_ascii() {
            // The words are pieces of the form: keep their letters as they are.
            let mut rest = form;
            for word in &mut words {
                let (piece, behind) = rest.split_at(word.len());
                piece.clone_into(word);
                rest = behind;
            }
            return Some(words);
        }
        let letters = || form.chars().filter(|c| c.is_alphabetic());
        if letters().count() > 1 && letters().all(char::is_uppercase) {
            for word in &mut words {
                *word = word.to_uppercase();
            }
        } else if letters().next().is_some_and(char::is_uppercase)
            && let Some(word) = words.first_mut()
        {
            let mut characters = word.chars();
            if let Some(first) = characters.next() {
                *word = first.to_uppercase().chain(characters).collect();
            }
        }
        Some(words)
    }
}

/// Longest ending that is looked at, in characters.
const MOST_ENDING: usize = 6;
/// Share of the forms with an ending that must be split for the ending to be a rule.
const SURE: f64 = 0.6;

/// Which tokens are split into which words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MultiwordRules {
    /// Forms in lower case; nothing for forms that an ending must not split.
    forms: BTreeMap<String, Option<Split>>,
    /// Endings in lower case.
    endings: BTreeMap<String, Split>,
}

impl MultiwordRules {
    /// Learns from ranges.
    ///
    /// ```
    /// use crossarc_text::tokenize::multiword::MultiwordRules;
    /// let text = "1-2\tda\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\t_\t_\t_\t0\troot\t_\t_\n\
    ///             2\ta\t_\t_\t_\t_\t1\tdet\t_\t_\n\n";
    /// let rules = MultiwordRules::learn(&conll::read_str(text, Default::default()).unwrap());
    /// assert_eq!(rules.split("Da").unwrap(), ["De", "a"]);
    /// assert_eq!(rules.split("casa"), None);
    /// ```
    pub fn learn(sentences: &[Sentence]) -> MultiwordRules {
        let mut counts: BTreeMap<String, BTreeMap<Option<Split>, usize>> = BTreeMap::new();
        for sentence in sentences {
            let mut covered = 0;
            for row in sentence.rows() {
                let (form, split) = match row {
                    Row::Range { first, last, fields } => {
                        covered = last;
                        let words: Vec<String> = (first..=last)
                            .map(|id| sentence.word(id as usize).form().to_lowercase())
                            .collect();
                        let form = fields.form().to_lowercase();
                        let split = Split::of(&form, &words);
                        (form, Some(split))
                    }
                    Row::Word(word) if word.id() > covered => (word.form().to_lowercase(), None),
                    _ => continue,
                };
                *counts.entry(form).or_default().entry(split).or_default() += 1;
            }
        }
        if counts.values().all(|ways| ways.keys().all(Option::is_none)) {
            return MultiwordRules::default();
        }
        let usual: BTreeMap<String, Option<Split>> = counts
            .into_iter()
            .filter_map(|(form, ways)| {
                let best = ways.into_iter().max_by_key(|(_, count)| *count)?;
                Some((form, best.0))
            })
            .collect();
        let mut rules = MultiwordRules { forms: BTreeMap::new(), endings: endings(&usual) };
        rules.forms = usual
            .into_iter()
            .filter(|(form, split)| rules.by_ending(form) != split.as_ref())
            .collect();
        rules
    }

    /// True if nothing is ever split.
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty() && self.endings.is_empty()
    }

    /// Number of forms and of endings.
    pub fn len(&self) -> (usize, usize) {
        (self.forms.len(), self.endings.len())
    }

    /// The words of a token, if it has several.
    pub fn split(&self, form: &str) -> Option<Vec<String>> {
        const LONGEST: usize = 100;
        if self.is_empty() || form.len() > LONGEST {
            return None;
        }
        let lower = form.to_lowercase();
        let split = match self.forms.get(&lower) {
            Some(known) => known.as_ref()?,
            None => self.by_ending(&lower)?,
        };
        split.apply(form).filter(|words| words.len() > 1)
    }

    fn by_ending(&self, lower: &str) -> Option<&Split> {
        if self.endings.is_empty() {
            return None;
        }
        let starts: Vec<usize> =
            lower.char_indices().rev().map(|(at, _)| at).take(MOST_ENDING).collect();
        starts.iter().rev().find_map(|&at| self.endings.get(&lower[at..]))
    }
}

/// Endings of which most forms are split in one way.
fn endings(usual: &BTreeMap<String, Option<Split>>) -> BTreeMap<String, Split> {
    let mut all: BTreeMap<&str, (usize, BTreeMap<&Split, usize>)> = BTreeMap::new();
    for (form, split) in usual {
        for (at, _) in form.char_indices().rev().take(MOST_ENDING) {
            let entry = all.entry(&form[at..]).or_default();
            entry.0 += 1;
            if let Some(split) = split {
                *entry.1.entry(split).or_default() += 1;
            }
        }
    }
    let mut endings = BTreeMap::new();
    for (ending, (forms, ways)) in all {
        let Some((split, count)) = ways.into_iter().max_by_key(|(_, count)| *count) else {
            continue;
        };
        let long_enough = split.cut <= ending.chars().count();
        if count >= 2 && count as f64 > SURE * forms as f64 && long_enough {
            endings.insert(ending.to_owned(), split.clone());
        }
    }
    // An ending says nothing new if a shorter one says the same.
    let redundant: Vec<String> = endings
        .iter()
        .filter(|(ending, split)| {
            let shorter =
                ending.char_indices().skip(1).find_map(|(at, _)| endings.get(&ending[at..]));
            shorter == Some(split)
        })
        .map(|(ending, _)| ending.clone())
        .collect();
    for ending in redundant {
        endings.remove(&ending);
    }
    endings
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    fn treebank(tokens: &[(&str, &[&str])]) -> Vec<Sentence> {
        let mut text = String::new();
        let blank = "_\t_\t_\t_";
        for (form, words) in tokens {
            if words.len() > 1 {
                let last = words.len();
                writeln!(text, "1-{last}\t{form}\t{blank}\t_\t_\t_\t_").unwrap();
            }
            for (at, word) in words.iter().enumerate() {
                writeln!(text, "{}\t{word}\t{blank}\t{at}\tdep\t_\t_", at + 1).unwrap();
            }
            text += "\n";
        }
        conll::read_str(&text, conll::ReadOptions::default()).unwrap()
    }

    #[test]
    fn endings_split_forms_never_seen() {
        let rules = MultiwordRules::learn(&treebank(&[
            ("don't", &["do", "n't"]),
            ("isn't", &["is", "n't"]),
            ("Hasn't", &["Has", "n't"]),
            ("dogs", &["dogs"]),
            ("its", &["its"]),
            ("can't", &["ca", "n't"]),
        ]));
        assert_eq!(rules.split("WOULDN'T").unwrap(), ["WOULD", "N'T"]);
        assert_eq!(rules.split("Don't").unwrap(), ["Do", "n't"]);
        assert_eq!(rules.split("n't"), None, "no word may be empty");
        assert_eq!(rules.split("cats"), None);
    }

    #[test]
    fn the_usual_way_wins() {
        let rules = MultiwordRules::learn(&treebank(&[
            ("nos", &["nos"]),
            ("nos", &["em", "os"]),
            ("nos", &["em", "os"]),
            ("na", &["em", "a"]),
        ]));
        assert_eq!(rules.split("NOS").unwrap(), ["EM", "OS"]);
        assert_eq!(rules.split("Na").unwrap(), ["Em", "a"]);
    }
}
