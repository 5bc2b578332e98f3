//! Whether a model has been made for a text: the columns that it looks at, the words that it knows.
use super::{Components, Steps};
use crate::annotate::AnnotateOptions;
use conll::Sentence;
use crossarc_train::known_forms::is_word;
use crossarc_tree::treebank::filling::{Filling, lacking, percent};

/// Words of a text, and those that training has not seen.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Familiarity {
    /// Words with a letter.
    pub words: u64,
    /// Those that are unknown.
    pub unknown: u64,
}

impl Familiarity {
    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: Familiarity) {
        self.words += other.words;
        self.unknown += other.unknown;
    }
}

/// Fewer words tell nothing.
const LEAST_WORDS: u64 = 30;
/// More unknown words than expected, by this share of all and as many times as expected.
const MORE: f64 = 0.25;
const TIMES: f64 = 1.5;
/// What is expected of models that do not say it.
const EXPECTED: f64 = 0.1;

impl Components {
    /// Counts a word of a text, if the model can tell which words it knows.
    pub fn note_form(&self, form: &str, seen: &mut Familiarity) {
        if !is_word(form) {
            return;
        }
        let parser = self.parser.as_ref().and_then(|one| one.header.training.known_forms.as_ref());
        let known = match (parser, &self.tagger) {
            (Some(forms), _) => forms.contains(form),
            (None, Some(tagger)) => tagger.knows(form),
            (None, None) => return,
        };
        seen.words += 1;
        seen.unknown += u64::from(!known);
    }

    /// What a user should know of a text with so many unknown words, if anything.
    pub fn unfamiliar(&self, seen: Familiarity) -> Option<String> {
        let parser = self.parser.as_ref().and_then(|one| one.header.training.known_forms.as_ref());
        let expected = parser.map_or(EXPECTED, |forms| forms.expected);
        let share = seen.unknown as f64 / seen.words.max(1) as f64;
        let far = share > expected + MORE && share > expected * TIMES;
        (far && seen.words >= LEAST_WORDS).then(|| {
            format!(
                "{} of the words are unknown to the model; in text like that of its training about {} would be. Is this the language of the model? (`crossarc info MODEL` tells what it was trained on)",
                percent(share),
                percent(expected)
            )
        })
    }

    /// What a user should know before these sentences are parsed: which columns the parser looks at
    /// that they lack, when the other components of the model have filled what they can.
    pub fn lacking(&self, sentences: &[Sentence], steps: Steps) -> Option<String> {
        let parser = self.parser.as_ref().filter(|_| steps.parse)?;
        let before = Steps { parse: false, ..steps };
        let mut worker = self.worker(before, AnnotateOptions::default());
        let mut filling = Filling::default();
        for sentence in sentences {
            let mut copy = sentence.clone();
            // Tagging alone cannot fail.
            let _ = worker.annotate(&mut copy);
            filling.add(&copy);
        }
        lacking(&parser.header.training.columns, &filling)
    }
}
