//! Words into pieces that an encoder knows, by the rules of a `tokenizer.json`.
//!
//! `WordPiece` (Schuster and Nakajima 2012): from left to right, each time the longest piece of the
//! vocabulary; pieces within a word begin with `##`, and a word that cannot be cut is the unknown piece.
//! What looks like a special token in a text is text.
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use crate::error::EncoderError;
use crate::normalizer::{Normalizer, is_punctuation};
use crate::safetensors::shown;

/// The most pieces of a vocabulary.
const MOST_PIECES: usize = 1 << 21;
/// The longest piece, in bytes.
const LONGEST_PIECE: usize = 1 << 10;
/// The most letters of a word that is cut into pieces.
const MOST_LETTERS: usize = 1_000;
/// Pieces of a word that are looked at.
pub const MOST_PIECES_OF_WORD: usize = 64;
/// Special pieces before or behind a sentence, at most.
const MOST_SPECIAL: usize = 8;
/// Bytes of a word that are looked at.
const MOST_BYTES_OF_WORD: usize = 1 << 12;

/// How a text is cut before pieces are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "type")]
enum PreTokenizer {
    /// At blanks and around punctuation marks.
    #[serde(rename = "BertPreTokenizer")]
    Bert,
    /// At blanks.
    WhitespaceSplit,
}

#[derive(Deserialize)]
struct WordPieceFacts {
    vocab: HashMap<String, u32>,
    #[serde(default = "unknown")]
    unk_token: String,
    #[serde(default = "prefix")]
    continuing_subword_prefix: String,
    #[serde(default = "letters")]
    max_input_chars_per_word: usize,
}

fn unknown() -> String {
    "[UNK]".to_owned()
}

fn prefix() -> String {
    "##".to_owned()
}

fn letters() -> usize {
    100
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    normalizer: Option<Value>,
    #[serde(default)]
    pre_tokenizer: Option<Value>,
    #[serde(default)]
    post_processor: Option<Value>,
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    model: Value,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
    #[serde(default)]
    special: bool,
}

/// What stands around a sentence.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum PostProcessor {
    TemplateProcessing { single: Vec<Item>, special_tokens: HashMap<String, SpecialToken> },
    BertProcessing { sep: (String, u32), cls: (String, u32) },
}

#[derive(Deserialize)]
enum Item {
    SpecialToken { id: String, type_id: u32 },
    Sequence { type_id: u32 },
}

#[derive(Deserialize)]
struct SpecialToken {
    ids: Vec<u32>,
}

/// The pieces of a sentence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pieces {
    pub(crate) ids: Vec<u32>,
    /// Where the pieces of each word end.
    pub(crate) ends: Vec<usize>,
}

impl Pieces {
    /// Words.
    pub fn words(&self) -> usize {
        self.ends.len()
    }

    /// The numbers of the pieces of a word.
    pub fn of_word(&self, word: usize) -> &[u32] {
        let start = word.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ids[start..self.ends[word]]
    }
}

/// A vocabulary and the rules by which words are cut.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    normalizer: Option<Normalizer>,
    pre_cutting: PreTokenizer,
    /// Pieces at the beginning of a word.
    first: HashMap<Box<str>, u32>,
    /// Pieces within a word, without their prefix.
    within: HashMap<Box<str>, u32>,
    longest: usize,
    most_letters: usize,
    unknown: u32,
    /// What stands before a sentence, and behind it.
    pub(crate) around: [Vec<u32>; 2],
}

impl Tokenizer {
    /// The tokenizer of a `tokenizer.json`, for an encoder that knows so many pieces.
    pub fn read(bytes: &[u8], known: usize) -> Result<Tokenizer, EncoderError> {
        let wrong = |what: String| EncoderError::tokenizer(what);
        let file: File = serde_json::from_slice(bytes)
            .map_err(|error| wrong(format!("this is no tokenizer: {error}")))?;
        let kind = file.model.get("type").and_then(Value::as_str).unwrap_or("WordPiece").to_owned();
        if kind != "WordPiece" {
            return Err(wrong(format!(
                "its pieces are of the kind `{}`, but only WordPiece is known",
                shown(&kind)
            )));
        }
        if let Some(token) = file.added_tokens.iter().find(|token| !token.special) {
            return Err(wrong(format!(
                "the added token `{}` is not a special one: only such are known",
                shown(&token.content)
            )));
        }
        let normalizer = file.normalizer.filter(|value| !value.is_null());
        let normalizer = normalizer.map(|value| part("normalizer", value)).transpose()?;
        let pre_cutting = part("pre_tokenizer", file.pre_tokenizer.unwrap_or_default())?;
        let post = file.post_processor.filter(|value| !value.is_null());
        let around = match post {
            None => Default::default(),
            Some(value) => part::<PostProcessor>("post_processor", value)?.around()?,
        };
        let facts: WordPieceFacts = part("model", file.model)?;
        if facts.vocab.len() > MOST_PIECES {
            return Err(wrong(format!(
                "{} pieces, but at most {MOST_PIECES} are read",
                facts.vocab.len()
            )));
        }
        if facts.max_input_chars_per_word > MOST_LETTERS {
            return Err(wrong(format!(
                "`max_input_chars_per_word` is {}, at most {MOST_LETTERS} is possible",
                facts.max_input_chars_per_word
            )));
        }
        let prefix = facts.continuing_subword_prefix;
        let unknown = facts.vocab.get(&facts.unk_token).copied().ok_or_else(|| {
            wrong(format!(
                "the unknown piece `{}` is not in the vocabulary",
                shown(&facts.unk_token)
            ))
        })?;
        let added = file.added_tokens.iter().map(|token| (&token.content, token.id));
        let of_sentence = around.iter().flatten().map(|&id| (&prefix, id));
        let all = facts.vocab.iter().map(|(piece, &id)| (piece, id));
        // The smallest one, so that the message is always the same.
        let beyond = all.chain(added).chain(of_sentence).filter(|&(_, id)| id as usize >= known);
        if let Some((_, id)) = beyond.min_by_key(|&(_, id)| id) {
            return Err(wrong(format!(
                "a piece has the number {id}, but the weights are for {known} pieces: these files do not belong together"
            )));
        }
        let mut tokenizer = Tokenizer {
            normalizer,
            pre_cutting,
            first: HashMap::new(),
            within: HashMap::new(),
            longest: 0,
            most_letters: facts.max_input_chars_per_word,
            unknown,
            around,
        };
        for (piece, id) in facts.vocab {
            if piece.len() > LONGEST_PIECE {
                return Err(wrong(format!(
                    "the piece `{}` is longer than {LONGEST_PIECE} bytes",
                    shown(&piece)
                )));
            }
            tokenizer.longest = tokenizer.longest.max(piece.len());
            if let Some(rest) = piece.strip_prefix(prefix.as_str()).filter(|rest| !rest.is_empty())
            {
                tokenizer.within.insert(rest.into(), id);
            }
            tokenizer.first.insert(piece.into(), id);
        }
        Ok(tokenizer)
    }

    /// The pieces of words. Each word has at least one, and at most [`MOST_PIECES_OF_WORD`].
    pub fn pieces<'a>(&self, words: impl Iterator<Item = &'a str>) -> Pieces {
        let mut pieces = Pieces::default();
        for word in words {
            let start = pieces.ids.len();
            self.cut(word, &mut pieces.ids);
            if pieces.ids.len() == start {
                pieces.ids.push(self.unknown);
            }
            pieces.ids.truncate(start + MOST_PIECES_OF_WORD);
            pieces.ends.push(pieces.ids.len());
        }
        pieces
    }

    /// Pieces with the special ones that stand around a sentence.
    pub fn with_special(&self, ids: &[u32]) -> Vec<u32> {
        let [before, behind] = &self.around;
        [before, ids, behind].concat()
    }

    fn cut(&self, word: &str, ids: &mut Vec<u32>) {
        let word = &word[..word.floor_char_boundary(MOST_BYTES_OF_WORD)];
        let normal = self.normalizer.as_ref().map(|rule| rule.apply(word));
        let text = normal.as_deref().unwrap_or(word);
        for part in text.split_whitespace() {
            if self.pre_cutting == PreTokenizer::WhitespaceSplit {
                self.cut_part(part, ids);
                continue;
            }
            let mut start = 0;
            for (at, mark) in part.char_indices().filter(|&(_, letter)| is_punctuation(letter)) {
                if start < at {
                    self.cut_part(&part[start..at], ids);
                }
                start = at + mark.len_utf8();
                self.cut_part(&part[at..start], ids);
            }
            if start < part.len() {
                self.cut_part(&part[start..], ids);
            }
        }
    }

    /// The pieces of what is not cut before.
    fn cut_part(&self, part: &str, ids: &mut Vec<u32>) {
        let begin = ids.len();
        if part.len() > self.most_letters && part.chars().count() > self.most_letters {
            ids.push(self.unknown);
            return;
        }
        let mut start = 0;
        while start < part.len() {
            let known = if start == 0 { &self.first } else { &self.within };
            let mut end = part.floor_char_boundary((start + self.longest).min(part.len()));
            let found = loop {
                if end <= start {
                    break None;
                }
                if let Some(&id) = known.get(&part[start..end]) {
                    break Some(id);
                }
                end = part.floor_char_boundary(end - 1);
            };
            let Some(id) = found else {
                ids.truncate(begin);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            start = end;
        }
    }
}

impl PostProcessor {
    fn around(self) -> Result<[Vec<u32>; 2], EncoderError> {
        let (single, special_tokens) = match self {
            PostProcessor::BertProcessing { sep, cls } => return Ok([vec![cls.1], vec![sep.1]]),
            PostProcessor::TemplateProcessing { single, special_tokens } => {
                (single, special_tokens)
            }
        };
        let wrong = |what: String| EncoderError::tokenizer(format!("`post_processor`: {what}"));
        let mut around = [Vec::new(), Vec::new()];
        let mut sequences = 0;
        for item in single {
            let (Item::SpecialToken { type_id, .. } | Item::Sequence { type_id }) = &item;
            if *type_id != 0 {
                return Err(wrong("a single sentence should have the type 0".to_owned()));
            }
            match item {
                Item::Sequence { .. } => sequences += 1,
                Item::SpecialToken { id, .. } => {
                    let token = special_tokens.get(&id);
                    let token =
                        token.ok_or_else(|| wrong(format!("`{}` is not described", shown(&id))))?;
                    around[sequences.min(1)].extend(&token.ids);
                }
            }
        }
        if sequences != 1 || around.iter().any(|ids| ids.len() > MOST_SPECIAL) {
            return Err(wrong(format!(
                "expected one sentence and at most {MOST_SPECIAL} special pieces on each side"
            )));
        }
        Ok(around)
    }
}

fn part<T: for<'de> Deserialize<'de>>(name: &str, value: Value) -> Result<T, EncoderError> {
    if value.is_null() {
        return Err(EncoderError::tokenizer(format!("`{name}` is missing")));
    }
    T::deserialize(value).map_err(|error| EncoderError::tokenizer(format!("`{name}`: {error}")))
}
