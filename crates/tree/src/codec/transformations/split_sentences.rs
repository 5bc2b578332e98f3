//! Very long sentences are cut behind final punctuation, parsed in parts, and joined again (the
//! Arabic step of Schiehlen and Spranger 2007, which brought the longest sentence from 396 words to
//! 196).
//!
//! Where to cut is decided by forms alone, so training and parsing cut alike; words of one
//! multiword token stay together. In gold, a word whose head lies in another part becomes a root of
//! its part. A [`JoinRule`] says what the roots of later parts become.
use conll::{Column, Format, ReadOptions, Roots, Row, Sentence};
use serde::{Deserialize, Serialize};

use super::Transformation;
use super::columns::owned;

/// Very long sentences are cut behind final punctuation, parsed in parts, and joined again (the Arabic step
/// of Schiehlen and Spranger 2007, which brought the longest sentence from 396 words to 196).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SplitSentences {
    /// Shorter sentences stay whole.
    pub longer_than: usize,
    /// Forms behind which to cut.
    pub forms: Vec<String>,
    /// What the roots of parts become.
    pub join: JoinRule,
    /// The label of the root of a part, where parts have one root.
    pub root_label: String,
    /// The label a later part's root gets when it is joined to another word.
    pub join_label: String,
}

/// What the roots of parts become in the whole.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JoinRule {
    /// All stay under the artificial root, with their labels.
    Several,
    /// Those of later parts hang on the first root of the first part.
    First,
    /// Those of later parts hang on the first root of the part before.
    #[default]
    Previous,
}

impl Default for SplitSentences {
    fn default() -> SplitSentences {
        SplitSentences {
            longer_than: 100,
            forms: owned(&[".", "!", "?", "...", "…", "؟", "۔", "。", "！", "？", "।"]),
            join: JoinRule::default(),
            root_label: "root".to_owned(),
            join_label: "parataxis".to_owned(),
        }
    }
}

impl SplitSentences {
    /// The last words of the parts.
    fn ends(&self, sentence: &Sentence) -> Vec<usize> {
        let length = sentence.len();
        let mut ends = Vec::new();
        if length > self.longer_than {
            let mut inside_token = vec![false; length + 1];
            for row in sentence.rows() {
                if let Row::Range { first, last, .. } = row {
                    let last = (last as usize).min(length + 1);
                    inside_token[(first as usize).min(last)..last].fill(true);
                }
            }
            ends.extend(sentence.words().filter_map(|word| {
                let id = word.id() as usize;
                let cuts = id < length
                    && !inside_token[id]
                    && self.forms.iter().any(|form| form == word.form());
                cuts.then_some(id)
            }));
            // Signs that follow one another end one part.
            let ends_in_sign = self.forms.iter().any(|form| form == sentence.word(length).form());
            let mut next = if ends_in_sign { length } else { length + 2 };
            for end in ends.iter_mut().rev() {
                let followed = *end + 1 == next;
                next = *end;
                if followed {
                    *end = 0;
                }
            }
            ends.retain(|&end| end != 0);
        }
        ends.push(length);
        ends
    }

    fn split(&self, sentence: &Sentence, gold: bool) -> Vec<Sentence> {
        let ends = self.ends(sentence);
        if ends.len() == 1 {
            return vec![sentence.clone()];
        }
        let mut parts = Vec::with_capacity(ends.len());
        let mut start = 1;
        for &end in &ends {
            let Some(part) = self.part(sentence, start, end, gold) else {
                return vec![sentence.clone()];
            };
            parts.push(part);
            start = end + 1;
        }
        parts
    }

    /// Words `start..=end` as a sentence of their own.
    fn part(&self, sentence: &Sentence, start: usize, end: usize, gold: bool) -> Option<Sentence> {
        let mut text = String::new();
        if sentence.format() == Format::ConllUPlus {
            text = format!("# global.columns = {}\n", sentence.layout().names().join(" "));
        }
        let offset = start as u32 - 1;
        let inside = |id: u32| (start..=end).contains(&(id as usize));
        for row in sentence.rows() {
            let (id, fields) = match row {
                Row::Word(word) if inside(word.id()) => {
                    ((word.id() - offset).to_string(), word.fields())
                }
                Row::Range { first, last, fields } if inside(first) => {
                    (format!("{}-{}", first - offset, last - offset), fields)
                }
                _ => continue,
            };
            let mut columns: Vec<&str> = fields.iter().collect();
            for column in [Column::Head, Column::Deps, Column::Phead] {
                if let Some(at) = sentence.layout().position(column)
                    && let Some(value) = columns.get_mut(at)
                {
                    *value = "_";
                }
            }
            if let Some(at) = sentence.layout().position(Column::Id)
                && let Some(value) = columns.get_mut(at)
            {
                *value = &id;
            }
            text.push_str(&columns.join("\t"));
            text.push('\n');
        }
        let options = ReadOptions {
            format: Some(sentence.format()),
            roots: Roots::Any,
            check_trees: false,
            ..ReadOptions::default()
        };
        let mut part = conll::read_str(&text, options).ok()?.into_iter().next()?;
        if part.len() != end + 1 - start {
            return None;
        }
        if gold {
            self.set_heads(sentence, start, &mut part);
        }
        Some(part)
    }

    fn set_heads(&self, sentence: &Sentence, start: usize, part: &mut Sentence) {
        let offset = start - 1;
        let mut first_root = None;
        for id in 1..=part.len() {
            let word = sentence.word(id + offset);
            let Some(head) = word.head() else { continue };
            let head = head as usize;
            if (start..start + part.len()).contains(&head) {
                part.set_head(id, Some((head - offset) as u32));
                continue;
            }
            match first_root {
                Some(root) if self.join != JoinRule::Several => part.set_head(id, Some(root)),
                _ => {
                    part.set_head(id, Some(0));
                    first_root.get_or_insert(id as u32);
                    if self.join != JoinRule::Several {
                        part.set(id, Column::Deprel, &self.root_label);
                    }
                }
            }
        }
    }
}

impl Transformation for SplitSentences {
    fn encode_gold(&self, gold: &Sentence) -> Vec<Sentence> {
        self.split(gold, true)
    }

    fn prepare(&self, sentence: &Sentence) -> Vec<Sentence> {
        self.split(sentence, false)
    }

    fn restore(&self, original: &Sentence, parsed: &[Sentence]) -> Sentence {
        if let [whole] = parsed
            && whole.len() == original.len()
        {
            return whole.clone();
        }
        let mut joined = original.clone();
        if parsed.iter().map(Sentence::len).sum::<usize>() != original.len() {
            return joined;
        }
        let mut offset = 0;
        let mut join_to = None;
        for (index, part) in parsed.iter().enumerate() {
            let mut first_root = None;
            for word in part.words() {
                let id = word.id() as usize + offset;
                for column in [Column::Deprel, Column::Misc] {
                    if let Some(value) = word.get(column) {
                        joined.set(id, column, value);
                    }
                }
                let head = match word.head() {
                    Some(0) => {
                        first_root.get_or_insert(id as u32);
                        match join_to {
                            Some(to) if index > 0 && self.join != JoinRule::Several => {
                                joined.set(id, Column::Deprel, &self.join_label);
                                Some(to)
                            }
                            _ => Some(0),
                        }
                    }
                    head => head.map(|head| head + offset as u32),
                };
                joined.set_head(id, head);
            }
            if join_to.is_none() || self.join == JoinRule::Previous {
                join_to = first_root.or(join_to);
            }
            offset += part.len();
        }
        joined
    }
}
