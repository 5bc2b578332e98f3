//! How far the columns that features look at are filled, in one text and beside another.
//!
//! Merged treebanks often have a column in some of their parts only. A tag that stands for a tenth of
//! the training words, or that the text to be parsed will not have, is worse than none: what was learned
//! with it does not hold without it. So columns are counted before a parser is trained, and what is done
//! about gaps is told.
//!
//! ```
//! use crossarc_tree::treebank::filling::{ColumnUse, Filling};
//! let text = |tag| format!("1\tGo\tgo\tVERB\t{tag}\t_\t0\troot\t_\t_\n\n");
//! let filling = |text: &str| {
//!     Filling::of(&conll::read_str(text, conll::ReadOptions::default()).unwrap())
//! };
//! let (train, dev) = (filling(&text("VB")), filling(&text("_")));
//! let uses = ColumnUse::decide(&train, Some(&dev));
//! let told: Vec<String> = uses.iter().filter_map(ColumnUse::told).collect();
//! assert_eq!(
//!     told,
//!     ["XPOS is filled for 100 % of the words of the training files and 0 % of the development \
//!       files: it is left out, and UPOS stands for it"]
//! );
//! ```
use conll::Sentence;
use serde::{Deserialize, Serialize};

/// The columns that are counted, by their names in options and in messages, and what stands for a
/// value that is missing.
pub const COLUMNS: [(&str, &str, &str); 4] = [
    ("lemma", "LEMMA", "the form stands for it"),
    ("upos", "UPOS", "XPOS stands for it, if there is one"),
    ("xpos", "XPOS", "UPOS stands for it"),
    ("feats", "FEATS", "nothing stands for it"),
];
const LEMMA: usize = 0;
const UPOS: usize = 1;
const XPOS: usize = 2;
const FEATS: usize = 3;

/// A column that something else can stand for is left out if less than this share of the training words
/// has it.
const LEAST_SHARE: f64 = 0.5;
/// A column is left out if its share in the development files is less than this part of that in training.
const LEAST_OF_TRAINING: f64 = 0.5;
/// Gaps in a smaller share of the words are not worth a word.
const GAPS: f64 = 0.02;

/// Words, and how many of them have each column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filling {
    words: u64,
    filled: [u64; COLUMNS.len()],
}

impl Filling {
    /// Counts the words of sentences.
    pub fn of<'a>(sentences: impl IntoIterator<Item = &'a Sentence>) -> Filling {
        let mut filling = Filling::default();
        for sentence in sentences {
            filling.add(sentence);
        }
        filling
    }

    /// Counts the words of one more sentence. Words without features are nothing unusual, so FEATS
    /// counts for all words of a sentence if one has it.
    pub fn add(&mut self, sentence: &Sentence) {
        let mut featured = false;
        for word in sentence.words() {
            self.filled[LEMMA] += u64::from(word.lemma() != "_" || word.form() == "_");
            self.filled[UPOS] += u64::from(word.upos() != "_");
            self.filled[XPOS] += u64::from(word.xpos() != "_");
            featured |= word.feats() != "_";
        }
        self.words += sentence.len() as u64;
        self.filled[FEATS] += if featured { sentence.len() as u64 } else { 0 };
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: &Filling) {
        self.words += other.words;
        for (sum, more) in self.filled.iter_mut().zip(other.filled) {
            *sum += more;
        }
    }

    /// True if no word was counted.
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// The share of the words that have a column, which is given by its place in [`COLUMNS`].
    pub fn share(&self, column: usize) -> f64 {
        self.filled.get(column).map_or(0.0, |&filled| filled as f64 / self.words.max(1) as f64)
    }

    /// True if the column is there for some words and missing for many; FEATS may have gaps.
    pub fn has_gaps(&self, column: usize) -> bool {
        let share = self.share(column);
        column != FEATS && share > 0.0 && share < 1.0 - GAPS
    }

    /// True if the column is there, but for far fewer words than elsewhere.
    pub fn lacks(&self, column: usize, elsewhere: f64) -> bool {
        elsewhere > 0.0 && self.share(column) < elsewhere * LEAST_OF_TRAINING
    }
}

/// What becomes of a column in training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnUse {
    /// Its name in options.
    pub column: String,
    /// Share of the training words that have it.
    pub train: f64,
    /// Share of the words of the development files that have it, if there are such files.
    pub dev: Option<f64>,
    /// Whether features may look at it.
    pub used: bool,
}

impl ColumnUse {
    /// What becomes of each of [`COLUMNS`]. A column is left out if it is empty, if too few training
    /// words have it and another can stand for it, or if the development files lack it.
    pub fn decide(train: &Filling, dev: Option<&Filling>) -> Vec<ColumnUse> {
        let dev = dev.filter(|dev| !dev.is_empty());
        let kept = |column: usize, at_least: f64| {
            let share = train.share(column);
            share > 0.0 && share >= at_least && !dev.is_some_and(|dev| dev.lacks(column, share))
        };
        let upos = kept(UPOS, 0.0);
        let used = |column| match column {
            LEMMA => kept(LEMMA, LEAST_SHARE),
            XPOS if upos && train.share(UPOS) > train.share(XPOS) => kept(XPOS, LEAST_SHARE),
            other => kept(other, 0.0),
        };
        let fact = |column: usize| ColumnUse {
            column: COLUMNS[column].0.to_owned(),
            train: rounded(train.share(column)),
            dev: dev.map(|dev| rounded(dev.share(column))),
            used: used(column),
        };
        (0..COLUMNS.len()).map(fact).collect()
    }

    fn place(&self) -> Option<usize> {
        COLUMNS.iter().position(|(name, ..)| *name == self.column)
    }

    /// What a user should know about the column, in one sentence; nothing if it is filled or empty
    /// everywhere.
    pub fn told(&self) -> Option<String> {
        let place = self.place()?;
        let (_, name, instead) = COLUMNS[place];
        let lacking = self.dev.is_some_and(|dev| dev < self.train * LEAST_OF_TRAINING);
        let late = self.dev.is_some_and(|dev| self.train < dev * LEAST_OF_TRAINING);
        let gaps = |share: f64| place != FEATS && share < 1.0 - GAPS;
        let has_gaps = self.train > 0.0 && (gaps(self.train) || self.dev.is_some_and(gaps));
        if !(lacking || late || has_gaps) {
            return None;
        }
        let dev = self.dev.map_or_else(String::new, |dev| {
            format!(" and {} of the development files", percent(dev))
        });
        let done = if self.used {
            format!("where it is missing, {instead}")
        } else {
            format!("it is left out, and {instead}")
        };
        let train = percent(self.train);
        Some(format!(
            "{name} is filled for {train} of the words of the training files{dev}: {done}"
        ))
    }
}

/// What a user should know who parses a text that lacks columns the model looks at, in one sentence;
/// nothing if it lacks none.
pub fn lacking(uses: &[ColumnUse], text: &Filling) -> Option<String> {
    let used: Vec<(&ColumnUse, usize)> = uses
        .iter()
        .filter(|column| column.used)
        .filter_map(|column| Some((column, column.place()?)))
        .collect();
    let missing: Vec<&(&ColumnUse, usize)> = used
        .iter()
        .filter(|(column, place)| !text.is_empty() && text.lacks(*place, column.train))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let share = |(column, place): &&(&ColumnUse, usize)| {
        let name = COLUMNS[*place].1;
        format!(
            "{name} ({} of its words, {} in training)",
            percent(text.share(*place)),
            percent(column.train)
        )
    };
    let looks_at = listed(used.iter().map(|(_, place)| COLUMNS[*place].1.to_owned()));
    let options: Vec<&str> = missing.iter().map(|(_, place)| COLUMNS[*place].0).collect();
    Some(format!(
        "the model looks at {looks_at}, but this input lacks {}: many heads will be wrong. Give it text with these columns, or a model that fills them (`crossarc train --pipeline`), or one that does without (`crossarc train --ignore-columns {}`)",
        listed(missing.iter().map(share)),
        options.join(",")
    ))
}

/// Names as a sentence lists them.
fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Four digits are enough for a share.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

/// A share as people read it, never rounded to all or nothing.
pub fn percent(share: f64) -> String {
    let whole = (share * 100.0).round();
    if (whole == 0.0 && share > 0.0) || (whole == 100.0 && share < 1.0) {
        return format!("{:.2} %", share * 100.0);
    }
    format!("{whole} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sentences of ten words; the first so many have lemma, coarse tag, fine tag and features.
    fn filling(filled: [usize; 4]) -> Filling {
        let mut text = String::new();
        for word in 0..10 {
            let column =
                |at: usize, value: &'static str| if word < filled[at] { value } else { "_" };
            let columns = [column(0, "l"), column(1, "X"), column(2, "x"), column(3, "A=B")];
            let line = ["1\tw\t", &columns.join("\t"), "\t0\troot\t_\t_\n\n"];
            text += &line.concat();
        }
        Filling::of(&conll::read_str(&text, conll::ReadOptions::default()).unwrap())
    }

    fn used(train: [usize; 4], dev: Option<[usize; 4]>) -> Vec<String> {
        let dev = dev.map(filling);
        let uses = ColumnUse::decide(&filling(train), dev.as_ref());
        uses.into_iter().filter(|one| one.used).map(|one| one.column).collect()
    }

    #[test]
    fn a_column_of_few_words_is_left_out() {
        assert_eq!(used([10, 10, 10, 10], None), ["lemma", "upos", "xpos", "feats"]);
        assert_eq!(used([4, 10, 4, 4], None), ["upos", "feats"], "features need not be everywhere");
        assert_eq!(used([6, 10, 6, 0], None), ["lemma", "upos", "xpos"]);
        assert_eq!(used([0, 0, 4, 0], None), ["xpos"], "nothing else can stand for it");
        assert_eq!(used([0, 4, 0, 0], None), ["upos"]);
    }

    #[test]
    fn a_column_that_development_files_lack_is_left_out() {
        assert_eq!(used([10; 4], Some([0, 10, 4, 4])), ["upos"]);
        assert_eq!(used([10; 4], Some([5, 10, 5, 5])), ["lemma", "upos", "xpos", "feats"]);
        assert_eq!(used([0, 10, 10, 0], Some([0, 0, 10, 0])), ["xpos"]);
        assert_eq!(used([10, 10, 1, 10], Some([10, 10, 3, 10])), ["lemma", "upos", "feats"]);
    }

    #[test]
    fn what_is_filled_or_empty_everywhere_is_not_told() {
        for (train, dev) in [([10, 10, 0, 0], [10, 10, 0, 0]), ([10; 4], [10; 4])] {
            let uses = ColumnUse::decide(&filling(train), Some(&filling(dev)));
            assert!(uses.iter().all(|one| one.told().is_none()));
        }
        let uses = ColumnUse::decide(&filling([10, 10, 6, 0]), None);
        let told: Vec<String> = uses.iter().filter_map(ColumnUse::told).collect();
        assert_eq!(
            told,
            [
                "XPOS is filled for 60 % of the words of the training files: where it is missing, UPOS stands for it"
            ]
        );
    }

    #[test]
    fn a_text_without_a_column_of_the_model_is_told() {
        let uses = ColumnUse::decide(&filling([10, 10, 10, 0]), None);
        let told = |text: [usize; 4]| lacking(&uses, &filling(text));
        assert_eq!(told([10, 10, 10, 10]), None);
        let told = told([0, 10, 0, 0]).unwrap();
        assert!(told.contains("LEMMA, UPOS and XPOS") && told.contains("lemma,xpos"), "{told}");
        assert_eq!(lacking(&uses, &Filling::default()), None);
    }
}
