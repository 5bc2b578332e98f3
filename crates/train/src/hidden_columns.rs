//! Sentences that are learned once more without some of their columns.
//!
//! Text to be parsed often lacks a column that the treebank has: lemmas, fine tags, features, or all of them. A
//! parser that has never seen such a sentence trusts what is not there, and breaks. So a small share of the
//! sentences is learned a second time with columns hidden, in turn LEMMA, XPOS, FEATS, all three, UPOS with
//! them, and UPOS alone. The sentences themselves stay, so nothing is lost for text that has everything.
//!
//! ```
//! use conll::ReadOptions;
//! use crossarc_train::columns::Columns;
//! use crossarc_train::hidden_columns::copies;
//! let text = "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n".repeat(40);
//! let sentences = conll::read_str(&text, ReadOptions::default()).unwrap();
//! let sentences: Vec<_> = sentences.iter().collect();
//! let copies = copies(&sentences, Columns::of(sentences.iter().copied()), 0.1);
//! let tags: Vec<&str> = copies.iter().map(|(_, copy)| copy.word(1).xpos()).collect();
//! assert_eq!(tags, ["VB", "_", "_", "_"]);
//! assert_eq!(copies[0].1.word(1).lemma(), "_");
//! ```
use conll::{Column, Sentence};

use crate::columns::Columns;

/// The share of sentences that are learned once more, unless told otherwise.
pub const USUAL_SHARE: f64 = 0.1;
/// The largest share.
pub const MOST_SHARE: f64 = 0.5;
/// Models that prune are trained on halves of the sentences: those with even and those with odd numbers. A copy
/// stays in the half of its sentence, or a half would know what it is tested on.
const HALVES: usize = 2;

/// Copies with hidden columns of a share of the sentences, to be put behind all of them, each with the number of its
/// sentence.
pub fn copies(sentences: &[&Sentence], columns: Columns, share: f64) -> Vec<(usize, Sentence)> {
    let kinds = kinds(columns);
    if share <= 0.0 || kinds.is_empty() {
        return Vec::new();
    }
    let step = ((1.0 / share.min(MOST_SHARE)).round() as usize).next_multiple_of(HALVES);
    let numbers = (0..sentences.len().div_ceil(step))
        .map(|at| at * step + (sentences.len() + at) % HALVES)
        .take_while(|&number| number < sentences.len());
    let hidden = numbers.zip(kinds.iter().cycle()).map(|(number, kind)| {
        let mut copy = sentences[number].clone();
        for id in 1..=copy.len() {
            for &column in kind {
                copy.set(id, column, "_");
            }
        }
        (number, copy)
    });
    hidden.collect()
}

/// What may be hidden so that something is left to look at: the form at least.
fn kinds(columns: Columns) -> Vec<Vec<Column>> {
    let finer = [
        (columns.lemma, Column::Lemma),
        (columns.xpos, Column::Xpos),
        (columns.feats, Column::Feats),
    ];
    let finer: Vec<Column> =
        finer.iter().filter(|(used, _)| *used).map(|&(_, column)| column).collect();
    let mut kinds: Vec<Vec<Column>> = finer.iter().map(|&column| vec![column]).collect();
    if finer.len() > 1 {
        kinds.push(finer.clone());
    }
    if columns.upos {
        kinds.push([finer.clone(), vec![Column::Upos]].concat());
        if !finer.is_empty() {
            kinds.push(vec![Column::Upos]);
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;
    use crossarc_tree::treebank::generate::{TreebankOptions, treebank};

    #[test]
    fn copies_stay_in_the_half_of_their_sentence_and_differ_in_hidden_columns_only() {
        for sentences in [0, 1, 2, 9, 10, 57, 100, 201] {
            let options = TreebankOptions { sentences, ..TreebankOptions::default() };
            let all = treebank(Seed(3), &options);
            let all: Vec<&Sentence> = all.iter().collect();
            let columns = Columns::of(all.iter().copied());
            let copies = copies(&all, columns, 0.1);
            assert!(copies.len() * 10 <= sentences + 10, "{sentences}");
            assert!(sentences < 20 || copies.len() * 10 + 20 >= sentences, "{sentences}");
            for (at, (number, copy)) in copies.iter().enumerate() {
                assert_eq!((sentences + at) % HALVES, number % HALVES);
                for (word, hidden) in all[*number].words().zip(copy.words()) {
                    assert_eq!(
                        (word.form(), word.head(), word.deprel()),
                        (hidden.form(), hidden.head(), hidden.deprel())
                    );
                }
            }
        }
    }

    #[test]
    fn what_features_do_not_look_at_is_not_hidden() {
        let none =
            Columns { lemma: false, upos: false, xpos: false, feats: false, xpos_is_tag: true };
        assert!(kinds(none).is_empty());
        assert_eq!(kinds(Columns { upos: true, ..none }), [vec![Column::Upos]]);
        let tags = [Column::Feats, Column::Upos];
        let both = [vec![tags[0]], tags.to_vec(), vec![tags[1]]];
        assert_eq!(kinds(Columns { upos: true, feats: true, ..none }), both);
    }
}
