//! Turns the lines of one sentence into a [`Sentence`], checking every rule.
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr2};

use crate::blocks::{Block, Blocks};
use crate::error::{Fault, FaultKind, Warning, WarningKind};
use crate::format::{Column, Format, Layout};
use crate::printable::printable;
use crate::reader::{ReadOptions, Roots};
use crate::scan::{delimiters, has_control_character, has_latin_control_character, is_control};
use crate::sentence::{Kind, Line, NO_HEAD, Sentence, Span};

/// Faults kept per sentence.
const MAX_FAULTS: usize = 100;
/// Characters of the offending text that are shown.
pub(crate) const MAX_SHOWN: usize = 60;

/// Parses sentences of one file.
#[derive(Clone)]
pub(crate) struct Parser {
    pub(crate) file: Arc<str>,
    pub(crate) layout: Arc<Layout>,
    pub(crate) options: ReadOptions,
    pub(crate) warnings: Vec<Warning>,
    /// What is wrong with the sentence parsed last.
    pub(crate) faults: Vec<Fault>,
    /// For each word, the round in which the search for cycles saw it.
    rounds: Vec<u32>,
    /// The tabs and line ends of the sentence.
    delimiters: Vec<u32>,
}

/// What the lines of a sentence said so far.
#[derive(Default)]
struct Progress {
    words: u32,
    range_end: u32,
    range_line: u32,
    empty_nodes: u32,
    predicates: usize,
}

impl Parser {
    pub(crate) fn new(file: Arc<str>, layout: Arc<Layout>, options: ReadOptions) -> Parser {
        Parser {
            file,
            layout,
            options,
            warnings: Vec::new(),
            faults: Vec::new(),
            rounds: Vec::new(),
            delimiters: Vec::new(),
        }
    }

    pub(crate) fn warn(&mut self, kind: WarningKind, line: usize) {
        if let Some(known) = self.warnings.iter_mut().find(|known| known.kind == kind) {
            known.count += 1;
        } else {
            self.warnings.push(Warning { file: Arc::clone(&self.file), line, kind, count: 1 });
        }
    }

    fn fault(&mut self, kind: FaultKind, line: usize, before: &str, text: &str) {
        if self.faults.len() < MAX_FAULTS {
            let shown = printable(&shortened(text)).into_owned();
            let column = before.chars().count() + 1;
            let file = Arc::clone(&self.file);
            self.faults.push(Fault { file, line, column, kind, text: shown });
        }
    }

    /// Fills the sentence; false if it breaks a rule, and then `faults` says which.
    pub(crate) fn parse(&mut self, block: Block<'_>, sentence: &mut Sentence) -> bool {
        self.faults.clear();
        sentence.clear();
        if !Arc::ptr_eq(&sentence.layout, &self.layout) {
            sentence.layout = Arc::clone(&self.layout);
        }
        sentence.first_line = block.first_line;
        self.warn_about_blank_lines(&block);
        if block.huge {
            let limit = self.options.limits.sentence_bytes;
            self.fault(FaultKind::HugeSentence { limit }, block.first_line, "", "");
            return false;
        }
        let text = match std::str::from_utf8(block.bytes) {
            Ok(text) => text,
            Err(error) => {
                self.bad_utf8(&block, error.valid_up_to());
                return false;
            }
        };
        if block.bytes.contains(&b'\r') && memchr::memmem::find(block.bytes, b"\r\n").is_some() {
            self.warn(WarningKind::CarriageReturn, block.first_line);
            for line in text.split_inclusive('\n') {
                match line.strip_suffix("\r\n") {
                    Some(line) => sentence.text.extend([line, "\n"]),
                    None => sentence.text.push_str(line),
                }
            }
        } else {
            sentence.text.push_str(text);
        }
        if !sentence.text.ends_with('\n') {
            if sentence.text.ends_with('\r') {
                sentence.text.pop();
            }
            sentence.text.push('\n');
        }
        sentence.raw_len = sentence.text.len();
        let text = std::mem::take(&mut sentence.text);
        let mut positions = std::mem::take(&mut self.delimiters);
        delimiters(text.as_bytes(), &mut positions);
        self.lines(&text, &positions, sentence);
        self.delimiters = positions;
        sentence.text = text;
        self.faults.is_empty()
    }

    pub(crate) fn warn_about_the_end(&mut self, blocks: &Blocks) {
        let (doubled, of_blanks) = blocks.trailing;
        if let Some(line) = doubled {
            self.warn(WarningKind::DoubledBlankLine, line);
        }
        if let Some(line) = of_blanks {
            self.warn(WarningKind::LineOfBlanks, line);
        }
    }

    fn warn_about_blank_lines(&mut self, block: &Block<'_>) {
        if block.extra_blank_lines > 0 {
            let line = block.first_line - block.extra_blank_lines;
            self.warn(WarningKind::DoubledBlankLine, line);
        }
        if let Some(line) = block.line_of_blanks {
            self.warn(WarningKind::LineOfBlanks, line);
        }
        if block.unfinished {
            let line = block.first_line + memchr_iter(b'\n', block.bytes).count();
            let ends_in_newline = block.bytes.last() == Some(&b'\n');
            self.warn(WarningKind::MissingFinalNewline, line - usize::from(ends_in_newline));
        }
    }

    fn bad_utf8(&mut self, block: &Block<'_>, valid: usize) {
        let before = String::from_utf8_lossy(&block.bytes[..valid]);
        let bad = &block.bytes[valid..];
        let bad = &bad[..bad.len().min(MAX_SHOWN)];
        let bad = &bad[..memchr2(b'\t', b'\n', bad).unwrap_or(bad.len())];
        let line = block.first_line + memchr_iter(b'\n', before.as_bytes()).count();
        let before = before.rsplit('\n').next().unwrap_or_default().to_owned();
        self.fault(FaultKind::BadUtf8, line, &before, &String::from_utf8_lossy(bad));
    }

    /// Goes through the lines; every line ends with a line end, which is the last delimiter.
    fn lines(&mut self, text: &str, delimiters: &[u32], sentence: &mut Sentence) {
        let bytes = text.as_bytes();
        if has_control_character(bytes) {
            self.control_characters(text, sentence.first_line);
        }
        if has_latin_control_character(bytes) {
            self.warn(WarningKind::LatinControlCharacter, sentence.first_line);
        }
        let limits = self.options.limits;
        let (head_at, fillpred_at) =
            (self.layout.position(Column::Head), self.layout.position(Column::Fillpred));
        let id_first = self.layout.position(Column::Id) == Some(0);
        let open = self.layout.format() == Format::Conll2009;
        let mut stride = self.layout.columns().len();
        let mut progress = Progress::default();
        let mut delimiters = delimiters.iter().map(|&at| at as usize);
        let mut at = 0;
        let mut number = sentence.first_line;
        while at < bytes.len() {
            let first_field = sentence.fields.len();
            let start = at;
            if bytes[at] == b'#' && (id_first || is_comment(&bytes[at..], stride)) {
                at = delimiters.find(|&at| bytes[at] == b'\n').unwrap_or(bytes.len());
                if progress.words > 0 {
                    self.fault(FaultKind::LateComment, number, "", &text[start..at]);
                }
                let raw = Span { start: start as u32, end: at as u32 };
                sentence.lines.push(Line {
                    kind: Kind::Comment,
                    raw,
                    fields: 0,
                    number: number as u32,
                    edited: false,
                });
            } else {
                let mut field = at;
                loop {
                    let end = delimiters.next().unwrap_or(bytes.len());
                    if end == field {
                        self.fault(FaultKind::EmptyField, number, &text[start..field], "");
                    }
                    sentence.fields.push(Span { start: field as u32, end: end as u32 });
                    at = end;
                    if bytes.get(end) != Some(&b'\t') {
                        break;
                    }
                    field = end + 1;
                }
                let found = sentence.fields.len() - first_field;
                let line = &text[start..at];
                if open && progress.words == 0 && found > stride {
                    stride = found;
                }
                if found == stride {
                    let raw = Span { start: start as u32, end: at as u32 };
                    let fields = &sentence.fields[first_field..];
                    let value = |at: usize| {
                        fields.get(at).map(|span| &text[span.start as usize..span.end as usize])
                    };
                    let id = if id_first { value(0) } else { None };
                    let kind = self.kind(id, number, &mut progress, sentence.lines.len() as u32);
                    if let Kind::Word { .. } = kind {
                        if let Some(y) = fillpred_at.and_then(value) {
                            progress.predicates += usize::from(y == "Y");
                        }
                        let head = match head_at.and_then(value) {
                            Some(field) => self.head(field, number, line),
                            None => NO_HEAD,
                        };
                        sentence.heads.push(head);
                        sentence.words.push(sentence.lines.len() as u32);
                    }
                    sentence.lines.push(Line {
                        kind,
                        raw,
                        fields: first_field as u32,
                        number: number as u32,
                        edited: false,
                    });
                } else {
                    let kind = FaultKind::ColumnCount { found, expected: stride };
                    self.fault(kind, number, "", line);
                    sentence.fields.truncate(first_field);
                }
            }
            if at - start > limits.line_bytes {
                let kind = FaultKind::LongLine { limit: limits.line_bytes };
                self.fault(kind, number, "", &text[start..at]);
            }
            at += 1;
            number += 1;
        }
        sentence.stride = stride;
        self.whole(text, sentence, &progress);
    }

    fn kind(&mut self, id: Option<&str>, line: usize, seen: &mut Progress, at: u32) -> Kind {
        let next = seen.words + 1;
        let Some(id) = id else {
            seen.words = next;
            return Kind::Word { id: next };
        };
        if let Some(number) = number(id) {
            if number != next {
                self.fault(FaultKind::IdSequence { expected: next }, line, "", id);
            }
            seen.words = next;
            seen.empty_nodes = 0;
            return Kind::Word { id: next };
        }
        if self.layout.format().is_universal() {
            if let Some((first, last)) = pair(id, '-') {
                if first != next || last < first || first <= seen.range_end {
                    self.fault(FaultKind::BadRange, line, "", id);
                } else {
                    (seen.range_end, seen.range_line) = (last, at);
                }
                return Kind::Range { first, last };
            }
            if let Some((after, index)) = pair(id, '.') {
                seen.empty_nodes += 1;
                if (after, index) != (seen.words, seen.empty_nodes) {
                    let kind =
                        FaultKind::EmptyNodeSequence { after: seen.words, index: seen.empty_nodes };
                    self.fault(kind, line, "", id);
                }
                return Kind::Empty { after, index };
            }
        }
        self.fault(FaultKind::BadId, line, "", id);
        seen.words = next;
        Kind::Word { id: next }
    }

    fn head(&mut self, field: &str, line: usize, raw: &str) -> u32 {
        if let Some(head) = number(field) {
            return head;
        }
        let before = || &raw[..field.as_ptr() as usize - raw.as_ptr() as usize];
        if field != "_" {
            self.fault(FaultKind::BadHead, line, before(), field);
        } else if self.options.need_tree {
            self.fault(FaultKind::MissingHead, line, before(), field);
        }
        NO_HEAD
    }

    /// The rules that need the whole sentence.
    fn whole(&mut self, text: &str, sentence: &Sentence, seen: &Progress) {
        let words = seen.words;
        let limit = self.options.limits.words;
        if words as usize > limit {
            self.fault(FaultKind::LongSentence { limit }, sentence.first_line, "", "");
            return;
        }
        if words == 0 && self.faults.is_empty() {
            let line = text.lines().next().unwrap_or_default();
            self.fault(FaultKind::NoWords, sentence.first_line, "", line);
            return;
        }
        if seen.range_end > words {
            let line = &sentence.lines[seen.range_line as usize];
            let raw = &text[line.raw.start as usize..line.raw.end as usize];
            let id = raw.split('\t').next().unwrap_or_default();
            self.fault(FaultKind::BadRange, line.number as usize, "", id);
        }
        let arguments = sentence.stride - self.layout.columns().len();
        if arguments > 0 && arguments != seen.predicates {
            self.warn(WarningKind::ArgumentColumns, sentence.first_line);
        }
        if self.layout.position(Column::Head).is_some()
            && self.options.check_trees
            && sentence.heads.len() == words as usize
        {
            self.tree(text, sentence);
        } else if self.layout.position(Column::Head).is_none() && self.options.need_tree {
            self.fault(FaultKind::MissingHead, sentence.first_line, "", "");
        }
    }

    fn tree(&mut self, text: &str, sentence: &Sentence) {
        let heads = &sentence.heads;
        let words = heads.len() as u32;
        let (mut roots, mut missing) = (0, 0);
        let mut second_root = 0;
        let mut in_range = true;
        for (word, &head) in heads.iter().enumerate() {
            let id = word as u32 + 1;
            if head == 0 {
                roots += 1;
                if roots == 2 {
                    second_root = word;
                }
            } else if head == NO_HEAD {
                missing += 1;
            } else if head > words {
                self.head_fault(FaultKind::HeadOutOfRange { words }, text, sentence, word);
                in_range = false;
            } else if head == id {
                self.head_fault(FaultKind::SelfHead, text, sentence, word);
                in_range = false;
            }
        }
        if missing > 0 {
            self.warn(WarningKind::MissingHead, sentence.first_line);
        }
        if roots > 1 {
            let allowed = match self.options.roots {
                Roots::ByFormat => !self.layout.format().is_universal(),
                Roots::Any => true,
                Roots::One => false,
            };
            if !allowed {
                self.head_fault(FaultKind::SeveralRoots, text, sentence, second_root);
            } else if self.options.roots == Roots::ByFormat {
                let line = sentence.lines[sentence.words[second_root] as usize].number;
                self.warn(WarningKind::SeveralRoots, line as usize);
            }
        }
        if roots == 0 && missing == 0 {
            self.fault(FaultKind::NoRoot, sentence.first_line, "", "");
        } else if in_range && let Some(word) = cycle(heads, &mut self.rounds) {
            self.head_fault(FaultKind::Cycle, text, sentence, word);
        }
    }

    fn head_fault(&mut self, kind: FaultKind, text: &str, sentence: &Sentence, word: usize) {
        let line = &sentence.lines[sentence.words[word] as usize];
        let position = self.layout.position(Column::Head).unwrap_or(0);
        let span = sentence.fields[line.fields as usize + position];
        let before = &text[line.raw.start as usize..span.start as usize];
        let field = &text[span.start as usize..span.end as usize];
        self.fault(kind, line.number as usize, before, field);
    }

    fn control_characters(&mut self, text: &str, first_line: usize) {
        for (at, line) in text.split('\n').enumerate() {
            if let Some(byte) = line.bytes().position(is_control) {
                let shown = line[byte..].chars().next().unwrap_or_default().escape_default();
                let kind = FaultKind::ControlCharacter;
                self.fault(kind, first_line + at, &line[..byte], &shown.to_string());
            }
        }
    }
}

/// The start of a text, as it is shown in messages.
pub(crate) fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(MAX_SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Whether a line with `#` is a comment where the first column is not the ID: it is a word if it has
/// the columns of one.
fn is_comment(rest: &[u8], stride: usize) -> bool {
    let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
    stride < 2 || memchr_iter(b'\t', line).count() + 1 != stride
}

/// A word on a cycle: each chain of heads is followed until it meets what an earlier chain, or
/// itself, has seen; every word is visited once. `rounds` is working memory.
pub(crate) fn cycle(heads: &[u32], rounds: &mut Vec<u32>) -> Option<usize> {
    rounds.clear();
    rounds.resize(heads.len(), 0);
    for start in 0..heads.len() {
        let round = start as u32 + 1;
        let mut word = start;
        while rounds[word] == 0 {
            rounds[word] = round;
            match heads[word] {
                0 | NO_HEAD => break,
                head => word = head as usize - 1,
            }
            if rounds[word] == round {
                return Some(word);
            }
        }
    }
    None
}

/// A decimal number without sign or leading zeros, far enough from overflow.
fn number(text: &str) -> Option<u32> {
    let bytes = text.as_bytes();
    if bytes.is_empty() || bytes.len() > 9 || (bytes[0] == b'0' && bytes.len() > 1) {
        return None;
    }
    let mut value = 0;
    for &byte in bytes {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u32::from(byte - b'0');
    }
    Some(value)
}

fn pair(text: &str, separator: char) -> Option<(u32, u32)> {
    let (first, second) = text.split_once(separator)?;
    Some((number(first)?, number(second)?))
}
