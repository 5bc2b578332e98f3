//! What a parser did with every sentence of its test set: one file per cell, beside the results.
//!
//! Tests of significance, the study of running time and error analyses need more than sums. A file is
//! complete or absent, and it is on disk before the result of its cell is.
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use conll::{AtomicFile, Sentence};
use serde::{Deserialize, Serialize};

use crossarc_eval::significance::Share;
use crossarc_eval::{Arc, Outcome as Right};

/// Name of the folder of the files.
pub const FOLDER: &str = "runs";

/// The sentences of a test set, as a parser had them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The labels that occur.
    pub labels: Vec<String>,
    /// Heads of each sentence, -1 for none.
    pub heads: Vec<Vec<i32>>,
    /// Numbers of the labels of each sentence.
    pub relations: Vec<Vec<u32>>,
    /// Of each sentence, a digit per word: 1 if the head is right, and 2 more if the label is.
    pub right: Vec<String>,
    /// Moves of each sentence.
    pub moves: Vec<u32>,
}

impl Trace {
    /// Compares a parsed sentence with the gold one and adds it.
    pub fn add(&mut self, gold: &Sentence, parsed: &Sentence, moves: usize) {
        let mut right = String::with_capacity(gold.len());
        let (mut heads, mut relations) = (Vec::new(), Vec::new());
        for (gold, word) in gold.words().zip(parsed.words()) {
            let arc = |word: &conll::Word<'_>| word.head();
            let outcome = Right::of(
                Arc { head: arc(&gold), label: gold.deprel() },
                Arc { head: arc(&word), label: word.deprel() },
            );
            let digit = u8::from(outcome.head) + 2 * u8::from(outcome.label);
            right.push(char::from(b'0' + digit));
            heads.push(word.head().map_or(-1, |head| head as i32));
            relations.push(self.label(word.deprel()));
        }
        self.heads.push(heads);
        self.relations.push(relations);
        self.right.push(right);
        self.moves.push(moves as u32);
    }

    fn label(&mut self, name: &str) -> u32 {
        let known = self.labels.iter().position(|label| label == name);
        let number = known.unwrap_or_else(|| {
            self.labels.push(name.to_owned());
            self.labels.len() - 1
        });
        number as u32
    }

    /// Adds the sentences of another trace behind these.
    pub fn append(&mut self, other: &Trace) {
        let numbers: Vec<u32> = other.labels.iter().map(|label| self.label(label)).collect();
        let renumber = |relations: &Vec<u32>| -> Vec<u32> {
            relations.iter().map(|&at| numbers.get(at as usize).copied().unwrap_or(0)).collect()
        };
        self.relations.extend(other.relations.iter().map(renumber));
        self.heads.extend(other.heads.iter().cloned());
        self.right.extend(other.right.iter().cloned());
        self.moves.extend(&other.moves);
    }

    /// What is right in each sentence: heads, or heads and labels.
    pub fn shares(&self, labelled: bool) -> Vec<Share> {
        let count = |right: &String| Share {
            part: right.bytes().filter(|&digit| is_right(digit, labelled)).count() as u64,
            whole: right.len() as u64,
        };
        self.right.iter().map(count).collect()
    }

    /// What is right about each word.
    pub fn words(&self, labelled: bool) -> impl Iterator<Item = bool> + '_ {
        let digits = self.right.iter().flat_map(|right| right.bytes());
        digits.map(move |digit| is_right(digit, labelled))
    }

    /// Words and moves of each sentence.
    pub fn lengths(&self) -> Vec<(usize, usize)> {
        let moves = self.moves.iter().map(|&moves| moves as usize);
        self.right.iter().map(String::len).zip(moves).collect()
    }

    /// The gold sentences with the heads and labels of the parser. Nothing if they are others.
    pub fn parsed(&self, gold: &[Sentence]) -> Option<Vec<Sentence>> {
        if gold.len() != self.heads.len() {
            return None;
        }
        let mut parsed = gold.to_vec();
        for (sentence, (heads, relations)) in
            parsed.iter_mut().zip(self.heads.iter().zip(&self.relations))
        {
            if heads.len() != sentence.len() || relations.len() != sentence.len() {
                return None;
            }
            for (at, (&head, &label)) in heads.iter().zip(relations).enumerate() {
                sentence.set_head(at + 1, u32::try_from(head).ok());
                let label = self.labels.get(label as usize)?;
                sentence.set(at + 1, conll::Column::Deprel, label);
            }
        }
        Some(parsed)
    }

    /// Writes the file of a cell.
    pub fn write(&self, folder: &Path, key: &str) -> io::Result<()> {
        let path = path(folder, key);
        std::fs::create_dir_all(folder.join(FOLDER))?;
        let mut file = AtomicFile::create(&path)?;
        file.write_all(serde_json::to_string(self)?.as_bytes())?;
        file.finish()
    }

    /// Reads the file of a cell; nothing if there is none that can be read.
    pub fn read(folder: &Path, key: &str) -> Option<Trace> {
        serde_json::from_slice(&std::fs::read(path(folder, key)).ok()?).ok()
    }
}

fn is_right(digit: u8, labelled: bool) -> bool {
    if labelled { digit == b'3' } else { digit == b'1' || digit == b'3' }
}

fn path(folder: &Path, key: &str) -> PathBuf {
    folder.join(FOLDER).join(format!("{key}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(second: (&str, &str)) -> Sentence {
        let text = format!(
            "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t{}\t{}\t_\t_\n\n",
            second.0, second.1
        );
        conll::read_str(&text, conll::ReadOptions::default()).unwrap().remove(0)
    }

    #[test]
    fn hand_counted_and_given_back() {
        let gold = sentence(("1", "x"));
        let mut trace = Trace::default();
        for (parsed, digits) in [(("1", "x"), "33"), (("1", "y"), "31"), (("0", "x"), "32")] {
            let options = conll::ReadOptions { roots: conll::Roots::Any, ..Default::default() };
            let mut parsed_sentence = gold.clone();
            let _ = options;
            parsed_sentence.set_head(2, parsed.0.parse().ok());
            parsed_sentence.set(2, conll::Column::Deprel, parsed.1);
            trace.add(&gold, &parsed_sentence, 4);
            assert_eq!(trace.right.last().map(String::as_str), Some(digits));
        }
        let parts =
            |labelled| trace.shares(labelled).iter().map(|share| share.part).collect::<Vec<_>>();
        assert_eq!((parts(false), parts(true)), (vec![2, 2, 1], vec![2, 1, 1]));
        assert_eq!(trace.words(true).collect::<Vec<_>>(), [true, true, true, false, true, false]);
        assert_eq!(trace.lengths(), [(2, 4); 3]);
        let parsed = trace.parsed(&vec![gold.clone(); 3]).unwrap();
        assert_eq!((parsed[1].word(2).deprel(), parsed[2].word(2).head()), ("y", Some(0)));
        assert!(trace.parsed(&[gold]).is_none());
        let mut two = Trace { labels: vec!["z".into()], ..Trace::default() };
        two.append(&trace);
        two.append(&trace);
        assert_eq!(two.right.len(), 6);
        assert_eq!(two.labels[two.relations[4][1] as usize], "y");
    }
}
