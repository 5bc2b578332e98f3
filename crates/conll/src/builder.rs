//! Sentences made of words instead of lines: nothing is printed only to be read again.
//!
//! What a [`SentenceBuilder`] builds is what a [`Reader`](crate::Reader) with default options would
//! have read from the same CoNLL-U, and writing it gives that CoNLL-U. Whatever a reader would
//! refuse, `build` refuses.
//!
//! ```
//! use conll::{NewWord, SentenceBuilder};
//! let sentence = SentenceBuilder::new()
//!     .text("don't")
//!     .multiword("don't", "_", 2)
//!     .word("do")
//!     .word(NewWord { upos: "PART", ..NewWord::new("n't") })
//!     .build()?;
//! assert_eq!(sentence.len(), 2);
//! assert_eq!(sentence.word(2).upos(), "PART");
//! let mut out = Vec::new();
//! sentence.write_to(&mut out)?;
//! assert!(out.starts_with(b"# text = don't\n1-2\tdon't\t_\t"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
use std::fmt::Write;
use std::ops::Range;

use crate::parser::{cycle, shortened};
use crate::reader::{Limits, Roots};
use crate::scan::is_control;
use crate::sentence::{Kind, Line, NO_HEAD, Sentence, Span};

/// The columns of a word that is to be built; an empty value is written as `_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWord<'a> {
    /// The word as written; must not be empty.
    pub form: &'a str,
    /// Lemma.
    pub lemma: &'a str,
    /// Universal part of speech.
    pub upos: &'a str,
    /// Language-specific part of speech.
    pub xpos: &'a str,
    /// Morphological features.
    pub feats: &'a str,
    /// The head: 0 is the root.
    pub head: Option<u32>,
    /// Label of the arc to the head.
    pub deprel: &'a str,
    /// Enhanced dependencies.
    pub deps: &'a str,
    /// Anything else.
    pub misc: &'a str,
    /// Where the word stands in its text, in characters; becomes `TokenRange` in MISC.
    pub offsets: Option<Range<u64>>,
}

impl<'a> NewWord<'a> {
    /// A word of which nothing but the form is known.
    pub fn new(form: &'a str) -> NewWord<'a> {
        NewWord {
            form,
            lemma: "_",
            upos: "_",
            xpos: "_",
            feats: "_",
            head: None,
            deprel: "_",
            deps: "_",
            misc: "_",
            offsets: None,
        }
    }
}

impl<'a> From<&'a str> for NewWord<'a> {
    fn from(form: &'a str) -> NewWord<'a> {
        NewWord::new(form)
    }
}

/// Why a sentence cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A tab, line end or other control character.
    #[error(
        "line {line}: `{text}` holds the control character {character:?}, expected printable text"
    )]
    ControlCharacter {
        /// Line of the sentence, from 1.
        line: usize,
        /// The field or comment, shortened.
        text: String,
        /// What is in it.
        character: char,
    },
    /// A word without a form.
    #[error("line {line}: the form is empty, expected a word (or `_`)")]
    EmptyForm {
        /// Line of the sentence, from 1.
        line: usize,
    },
    /// A comment behind a word.
    #[error("line {line}: the comment does not precede the words, expected comments first")]
    LateComment {
        /// Line of the sentence, from 1.
        line: usize,
    },
    /// A token of several words that has none, overlaps another, or is not followed by its words.
    #[error(
        "line {line}: the token of several words does not fit, expected one or more words that follow and belong to no other token"
    )]
    BadRange {
        /// Line of the sentence, from 1.
        line: usize,
    },
    /// No word at all.
    #[error("the sentence has no words, expected at least one")]
    NoWords,
    /// A head behind the last word.
    #[error("word {word} has head {head}, expected a number from 0 to {words}")]
    HeadOutOfRange {
        /// The word.
        word: u32,
        /// Its head.
        head: u32,
        /// Words of the sentence.
        words: u32,
    },
    /// A word that is its own head.
    #[error("word {word} is its own head, expected another word, or 0 for the root")]
    SelfHead {
        /// The word.
        word: u32,
    },
    /// Words that are each other's heads.
    #[error("the heads form a cycle through word {word}, expected a tree")]
    Cycle {
        /// A word on the cycle.
        word: u32,
    },
    /// All words have heads, and none has head 0.
    #[error("the sentence has no root, expected a word with head 0")]
    NoRoot,
    /// Several words have head 0.
    #[error(
        "word {word} is a second root, expected one word with head 0 (allow several roots if they are meant)"
    )]
    SeveralRoots {
        /// The second root.
        word: u32,
    },
    /// More bytes in a line than [`Limits::line_bytes`].
    #[error("line {line} is too long, expected at most {limit} bytes")]
    LongLine {
        /// Line of the sentence, from 1.
        line: usize,
        /// The limit.
        limit: usize,
    },
    /// More words than [`Limits::words`].
    #[error("the sentence has too many words, expected at most {limit}")]
    LongSentence {
        /// The limit.
        limit: usize,
    },
    /// More bytes than [`Limits::sentence_bytes`].
    #[error("the sentence is too long, expected at most {limit} bytes")]
    HugeSentence {
        /// The limit.
        limit: usize,
    },
}

/// Builds one CoNLL-U sentence after the other, line by line. The first thing that is wrong is told
/// by [`build`](SentenceBuilder::build).
#[derive(Clone, Debug, Default)]
pub struct SentenceBuilder {
    sentence: Sentence,
    limits: Limits,
    roots: Roots,
    error: Option<BuildError>,
    range_end: u32,
    range_line: usize,
    empty_nodes: u32,
    rounds: Vec<u32>,
}

impl SentenceBuilder {
    /// An empty sentence.
    pub fn new() -> SentenceBuilder {
        SentenceBuilder::default()
    }

    /// What is refused for its size.
    pub fn limits(&mut self, mut limits: Limits) -> &mut SentenceBuilder {
        limits.sentence_bytes = limits.sentence_bytes.min(u32::MAX as usize / 2);
        limits.words = limits.words.min(NO_HEAD as usize - 1);
        self.limits = limits;
        self
    }

    /// How many words may have head 0: one, unless [`Roots::Any`] is given.
    pub fn roots(&mut self, roots: Roots) -> &mut SentenceBuilder {
        self.roots = roots;
        self
    }

    /// Adds a comment, given without its `#`: `newpar` is written as `# newpar`.
    pub fn comment(&mut self, comment: &str) -> &mut SentenceBuilder {
        self.add_comment(&["# ", comment])
    }

    /// Adds the comment `# key = value`.
    pub fn metadata(&mut self, key: &str, value: &str) -> &mut SentenceBuilder {
        self.add_comment(&["# ", key, " = ", value])
    }

    /// Adds the text of the sentence, as a comment.
    pub fn text(&mut self, text: &str) -> &mut SentenceBuilder {
        self.metadata("text", text)
    }

    fn add_comment(&mut self, parts: &[&str]) -> &mut SentenceBuilder {
        if !self.has_room() {
            return self;
        }
        let line = self.sentence.lines.len() + 1;
        if !self.sentence.words.is_empty() {
            return self.refuse(BuildError::LateComment { line });
        }
        let start = self.sentence.text.len();
        for part in parts {
            self.push(part);
        }
        self.end_line(Kind::Comment, start, 0)
    }

    /// The next so many words are one token of the text.
    pub fn multiword(&mut self, form: &str, misc: &str, words: u32) -> &mut SentenceBuilder {
        self.multiword_at(form, misc, words, None)
    }

    /// The next so many words are one token of the text, which stands there, in characters.
    pub fn multiword_at(
        &mut self,
        form: &str,
        misc: &str,
        words: u32,
        offsets: Option<Range<u64>>,
    ) -> &mut SentenceBuilder {
        let first = self.next_word();
        let last = first.saturating_add(words).saturating_sub(1);
        if words == 0 || first <= self.range_end {
            let line = self.sentence.lines.len() + 1;
            return self.refuse(BuildError::BadRange { line });
        }
        self.range_end = last;
        self.range_line = self.sentence.lines.len() + 1;
        let token = NewWord { misc, offsets, ..NewWord::new(form) };
        self.add_line(Kind::Range { first, last }, &token)
    }

    /// Adds a word.
    pub fn word<'a>(&mut self, word: impl Into<NewWord<'a>>) -> &mut SentenceBuilder {
        let word = word.into();
        let id = self.next_word();
        if id as usize > self.limits.words {
            return self.refuse(BuildError::LongSentence { limit: self.limits.words });
        }
        if let Some(head) = word.head.filter(|&head| head == NO_HEAD) {
            return self.refuse(BuildError::HeadOutOfRange { word: id, head, words: id });
        }
        self.empty_nodes = 0;
        self.sentence.words.push(self.sentence.lines.len() as u32);
        self.sentence.heads.push(word.head.unwrap_or(NO_HEAD));
        self.add_line(Kind::Word { id }, &word)
    }

    /// Adds an empty node behind the last word; its heads are in `deps`.
    pub fn empty_node<'a>(&mut self, node: impl Into<NewWord<'a>>) -> &mut SentenceBuilder {
        self.empty_nodes += 1;
        let after = self.sentence.words.len() as u32;
        let index = self.empty_nodes;
        self.add_line(Kind::Empty { after, index }, &NewWord { head: None, ..node.into() })
    }

    fn next_word(&self) -> u32 {
        self.sentence.words.len() as u32 + 1
    }

    fn add_line(&mut self, kind: Kind, word: &NewWord<'_>) -> &mut SentenceBuilder {
        if !self.has_room() {
            return self;
        }
        if word.form.is_empty() {
            let line = self.sentence.lines.len() + 1;
            return self.refuse(BuildError::EmptyForm { line });
        }
        let start = self.sentence.text.len();
        let fields = self.sentence.fields.len() as u32;
        // Writing to a string cannot fail.
        let _ = match kind {
            Kind::Word { id } => write!(self.sentence.text, "{id}"),
            Kind::Range { first, last } => write!(self.sentence.text, "{first}-{last}"),
            Kind::Empty { after, index } => write!(self.sentence.text, "{after}.{index}"),
            Kind::Comment => Ok(()),
        };
        self.end_field(start);
        for value in [word.form, word.lemma, word.upos, word.xpos, word.feats] {
            self.add_field(value);
        }
        let from = self.begin_field();
        match word.head {
            Some(head) => drop(write!(self.sentence.text, "{head}")),
            None => self.sentence.text.push('_'),
        }
        self.end_field(from);
        for value in [word.deprel, word.deps] {
            self.add_field(value);
        }
        let from = self.begin_field();
        match &word.offsets {
            Some(Range { start, end }) => {
                if !matches!(word.misc, "" | "_") {
                    self.push(word.misc);
                    self.sentence.text.push('|');
                }
                let _ = write!(self.sentence.text, "TokenRange={start}:{end}");
            }
            None => self.push(if word.misc.is_empty() { "_" } else { word.misc }),
        }
        self.end_field(from);
        self.end_line(kind, start, fields)
    }

    fn add_field(&mut self, value: &str) {
        let from = self.begin_field();
        self.push(if value.is_empty() { "_" } else { value });
        self.end_field(from);
    }

    fn begin_field(&mut self) -> usize {
        self.sentence.text.push('\t');
        self.sentence.text.len()
    }

    fn end_field(&mut self, start: usize) {
        let span = Span { start: start as u32, end: self.sentence.text.len() as u32 };
        self.sentence.fields.push(span);
    }

    /// Appends what must not hold a control character, or only tells that it does.
    fn push(&mut self, value: &str) {
        let is_bad = |byte: u8| is_control(byte) || byte == b'\t' || byte == b'\n';
        if let Some(at) = value.bytes().position(is_bad) {
            let character = char::from(value.as_bytes()[at]);
            let line = self.sentence.lines.len() + 1;
            let text = shortened(value).escape_debug().to_string();
            self.refuse(BuildError::ControlCharacter { line, text, character });
        } else if self.sentence.text.len() + value.len() <= self.limits.sentence_bytes {
            self.sentence.text.push_str(value);
        } else {
            self.refuse(BuildError::HugeSentence { limit: self.limits.sentence_bytes });
        }
    }

    fn end_line(&mut self, kind: Kind, start: usize, fields: u32) -> &mut SentenceBuilder {
        let sentence = &mut self.sentence;
        let end = sentence.text.len();
        let line = sentence.lines.len() + 1;
        let raw = Span { start: start as u32, end: end as u32 };
        sentence.lines.push(Line { kind, raw, fields, number: line as u32, edited: false });
        sentence.text.push('\n');
        if end - start > self.limits.line_bytes {
            self.refuse(BuildError::LongLine { line, limit: self.limits.line_bytes });
        }
        self
    }

    /// False, and an error, if the sentence is full already.
    fn has_room(&mut self) -> bool {
        let has_room = self.sentence.text.len() <= self.limits.sentence_bytes;
        if !has_room {
            self.refuse(BuildError::HugeSentence { limit: self.limits.sentence_bytes });
        }
        has_room && self.error.is_none()
    }

    fn refuse(&mut self, error: BuildError) -> &mut SentenceBuilder {
        self.error.get_or_insert(error);
        self
    }

    /// The sentence. The builder is empty again, also after an error.
    pub fn build(&mut self) -> Result<Sentence, BuildError> {
        let mut sentence = Sentence::default();
        self.build_into(&mut sentence)?;
        Ok(sentence)
    }

    /// Puts the sentence in the place of another, whose memory is used for the next one. After an
    /// error the other sentence is as before. The builder is empty again at any rate.
    pub fn build_into(&mut self, sentence: &mut Sentence) -> Result<(), BuildError> {
        let outcome = self.check();
        if outcome.is_ok() {
            self.sentence.raw_len = self.sentence.text.len();
            std::mem::swap(&mut self.sentence, sentence);
        }
        self.sentence.clear();
        self.sentence.become_conllu();
        self.error = None;
        (self.range_end, self.range_line, self.empty_nodes) = (0, 0, 0);
        outcome
    }

    fn check(&mut self) -> Result<(), BuildError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let heads = &self.sentence.heads;
        let words = heads.len() as u32;
        if words == 0 {
            return Err(BuildError::NoWords);
        }
        if self.range_end > words {
            return Err(BuildError::BadRange { line: self.range_line });
        }
        let (limit, bytes) = (self.limits.sentence_bytes, self.sentence.text.len());
        if bytes > limit {
            return Err(BuildError::HugeSentence { limit });
        }
        let mut roots = 0;
        for (&head, word) in heads.iter().zip(1..) {
            if head == word {
                return Err(BuildError::SelfHead { word });
            }
            if head > words && head != NO_HEAD {
                return Err(BuildError::HeadOutOfRange { word, head, words });
            }
            roots += u32::from(head == 0);
            if head == 0 && roots == 2 && self.roots != Roots::Any {
                return Err(BuildError::SeveralRoots { word });
            }
        }
        if roots == 0 && !heads.contains(&NO_HEAD) {
            return Err(BuildError::NoRoot);
        }
        match cycle(heads, &mut self.rounds) {
            Some(word) => Err(BuildError::Cycle { word: word as u32 + 1 }),
            None => Ok(()),
        }
    }
}
