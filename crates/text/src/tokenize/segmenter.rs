//! From a paragraph to tokens and sentences, by one decision after another.
use super::characters::Class;
use super::decision::{Decision, History, features};
use super::paragraph::Paragraph;
use super::units::Units;
use super::{MOST_SENTENCE_BYTES, MOST_TOKEN, MOST_TOKENS, Tokenizer};
use crossarc_learn::perceptron::MOST_DENSE;

/// Where a token lies in its text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// Byte behind the last.
    pub end: usize,
    /// Whether the sentence ends with it.
    pub ends_sentence: bool,
}

/// Who says where sentences end.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Sentences {
    /// The tokenizer.
    #[default]
    Found,
    /// The text is one sentence.
    One,
}

/// One thread of a tokenizer.
pub struct Segmenter<'t> {
    tokenizer: &'t Tokenizer,
    paragraph: Paragraph,
    units: Units,
    features: Vec<u64>,
    cuts: u64,
}

/// What may be learned about a treebank before the first weight, and saves decisions.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Habits {
    /// Tokens may end between letters of a word.
    pub splits_words: bool,
    /// Tokens may have blanks in them.
    pub joins_blanks: bool,
    /// Tokens may end within addresses and numbers.
    #[serde(default)]
    pub breaks_units: bool,
}

/// What can happen behind a cell, and the cell of the next character.
#[derive(Copy, Clone, Debug)]
pub(super) struct Choice {
    pub next: usize,
    /// Allowed decisions, in the order of [`Decision::ALL`].
    pub allowed: [bool; 3],
}

impl Choice {
    /// What may be decided behind a cell; `plain_blank` tells whether the gap at a cell is a
    /// single blank.
    #[inline]
    pub fn at(
        paragraph: &Paragraph,
        habits: Habits,
        cell: usize,
        plain_blank: impl Fn(usize) -> bool,
    ) -> Choice {
        let classes = &paragraph.classes;
        let Some(&behind) = classes.get(cell + 1) else {
            return Choice { next: cell + 1, allowed: [false, false, true] };
        };
        if behind == Class::Gap {
            let inside = habits.joins_blanks && plain_blank(cell + 1);
            return Choice { next: cell + 2, allowed: [inside, true, true] };
        }
        let within_word = classes[cell].is_word() && behind.is_word();
        let open = habits.splits_words || !within_word;
        Choice { next: cell + 1, allowed: [true, open, open] }
    }

    pub fn is_free(self) -> bool {
        self.allowed.iter().filter(|&&allowed| allowed).count() > 1
    }
}

/// The allowed decision with the highest score.
#[inline]
pub(super) fn best(scores: &[f32; MOST_DENSE], allowed: [bool; 3]) -> Decision {
    let mut best = None;
    for decision in Decision::ALL {
        let score = scores[decision as usize];
        if allowed[decision as usize] && best.is_none_or(|(top, _)| score > top) {
            best = Some((score, decision));
        }
    }
    best.map_or(Decision::Inside, |(_, decision)| decision)
}

impl<'t> Segmenter<'t> {
    pub(super) fn new(tokenizer: &'t Tokenizer) -> Segmenter<'t> {
        Segmenter {
            tokenizer,
            paragraph: Paragraph::default(),
            units: Units::default(),
            features: Vec::new(),
            cuts: 0,
        }
    }

    /// How many tokens and sentences have been cut since the last call, because they were too long.
    pub fn take_cuts(&mut self) -> u64 {
        std::mem::take(&mut self.cuts)
    }

    /// Cuts a paragraph, which must be shorter than 4 GB, into tokens and sentences. Blanks belong
    /// to no token, all other characters do.
    pub fn segment(&mut self, text: &str, sentences: Sentences, out: &mut Vec<Span>) {
        out.clear();
        let Tokenizer { facts, weights, abbreviations, .. } = self.tokenizer;
        self.paragraph.fill(text);
        let paragraph = &self.paragraph;
        self.units.find(paragraph, abbreviations, !facts.habits.breaks_units);
        let bytes = text.as_bytes();
        let offset = |cell: usize| paragraph.offsets[cell] as usize;
        let plain_blank = |cell: usize| &bytes[offset(cell)..offset(cell + 1)] == b" ";
        let mut history = History::at(0);
        let mut cell = 0;
        while cell < paragraph.len() {
            history.read(paragraph, cell);
            let mut choice = Choice::at(paragraph, facts.habits, cell, plain_blank);
            if sentences == Sentences::One {
                choice.allowed[2] = choice.next >= paragraph.len();
            }
            self.units.restrict(cell, &mut choice.allowed);
            if cell - history.token_start >= MOST_TOKEN && choice.next < paragraph.len() {
                self.cuts += u64::from(choice.allowed[0]);
                choice.allowed = [false, true, sentences == Sentences::Found];
            }
            let mut decision = if choice.is_free() {
                features(paragraph, &history, cell, &mut self.features);
                let mut scores = [0.0; MOST_DENSE];
                scores[Decision::Sentence as usize] = facts.sentence_bias;
                weights.add_scores(&self.features, &mut scores);
                best(&scores, choice.allowed)
            } else {
                best(&[0.0; MOST_DENSE], choice.allowed)
            };
            let bytes = offset(cell + 1) - offset(history.sentence_start);
            let too_long = history.tokens + 1 >= MOST_TOKENS || bytes >= MOST_SENTENCE_BYTES;
            if decision == Decision::Token && too_long {
                self.cuts += 1;
                decision = Decision::Sentence;
            }
            if decision != Decision::Inside {
                let (start, end) = (offset(history.token_start), offset(cell + 1));
                out.push(Span { start, end, ends_sentence: decision == Decision::Sentence });
            }
            if decision == Decision::Inside && choice.next == cell + 2 {
                history.read(paragraph, cell + 1);
            }
            history.decide(decision, choice.next);
            cell = choice.next;
        }
    }
}
