//! One sentence: a text arena, and spans of its fields.
use std::io;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use crate::format::{Column, Format, Layout};

pub(crate) const NO_HEAD: u32 = u32::MAX;
static CONLL_U: LazyLock<Arc<Layout>> = LazyLock::new(|| Arc::new(Layout::new(Format::ConllU)));

/// Part of the arena.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// What a line is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Comment,
    Range { first: u32, last: u32 },
    Empty { after: u32, index: u32 },
    Word { id: u32 },
}

/// One line: what it is, its raw text, the first of its fields, its number in the file.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Line {
    pub(crate) kind: Kind,
    pub(crate) raw: Span,
    pub(crate) fields: u32,
    pub(crate) number: u32,
    pub(crate) edited: bool,
}

/// One sentence, owning all its text in one arena; comments, ranges, empty nodes and words in file
/// order.
///
/// Reading fills it again and again without allocating. Edits append to the arena and point the
/// field there; a sentence that was not edited is written as the bytes that were read.
#[derive(Clone, Debug)]
pub struct Sentence {
    pub(crate) layout: Arc<Layout>,
    pub(crate) text: String,
    /// Length of the part of `text` that was read.
    pub(crate) raw_len: usize,
    pub(crate) lines: Vec<Line>,
    pub(crate) fields: Vec<Span>,
    /// Columns per line.
    pub(crate) stride: usize,
    /// The line of each word.
    pub(crate) words: Vec<u32>,
    pub(crate) heads: Vec<u32>,
    pub(crate) first_line: usize,
    pub(crate) edited: bool,
}

impl Default for Sentence {
    fn default() -> Sentence {
        Sentence {
            layout: Arc::clone(&CONLL_U),
            text: String::new(),
            raw_len: 0,
            lines: Vec::new(),
            fields: Vec::new(),
            stride: 10,
            words: Vec::new(),
            heads: Vec::new(),
            first_line: 1,
            edited: false,
        }
    }
}

/// Sentences are equal if they have the same columns and the same lines, wherever they were read.
impl PartialEq for Sentence {
    fn eq(&self, other: &Sentence) -> bool {
        let same_row = |(mine, others): (Row<'_>, Row<'_>)| match (mine, others) {
            (Row::Comment(mine), Row::Comment(others)) => mine == others,
            (Row::Word(mine), Row::Word(others)) => mine.fields.iter().eq(others.fields.iter()),
            (Row::Range { fields: mine, .. }, Row::Range { fields: others, .. })
            | (Row::Empty { fields: mine, .. }, Row::Empty { fields: others, .. }) => {
                mine.iter().eq(others.iter())
            }
            _ => false,
        };
        self.format() == other.format()
            && self.layout.columns() == other.layout.columns()
            && self.stride == other.stride
            && self.lines.len() == other.lines.len()
            && self.rows().zip(other.rows()).all(same_row)
    }
}

impl Eq for Sentence {}

impl Sentence {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.raw_len = 0;
        self.lines.clear();
        self.fields.clear();
        self.words.clear();
        self.heads.clear();
        self.edited = false;
    }

    /// Takes the layout of CoNLL-U, whatever was read before.
    pub(crate) fn become_conllu(&mut self) {
        if !Arc::ptr_eq(&self.layout, &CONLL_U) {
            self.layout = Arc::clone(&CONLL_U);
        }
        (self.stride, self.first_line) = (10, 1);
    }

    /// Number of words, without ranges and empty nodes.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The format it was read from.
    pub fn format(&self) -> Format {
        self.layout.format()
    }

    /// Which column lies where.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Columns in every line; more than the layout has where CoNLL-2009 lists arguments.
    pub fn columns(&self) -> usize {
        self.stride
    }

    /// The word with this ID.
    ///
    /// # Panics
    /// If `id` is not in `1..=len`.
    pub fn word(&self, id: usize) -> Word<'_> {
        Word { fields: self.fields_of(self.words[id - 1] as usize), id: id as u32 }
    }

    /// The words in order.
    pub fn words(&self) -> impl ExactSizeIterator<Item = Word<'_>> + Clone {
        (0..self.len()).map(|at| self.word(at + 1))
    }

    /// Everything in file order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> + Clone {
        self.lines.iter().enumerate().map(|(at, line)| match line.kind {
            Kind::Comment => Row::Comment(self.slice(line.raw)),
            Kind::Range { first, last } => Row::Range { first, last, fields: self.fields_of(at) },
            Kind::Empty { after, index } => Row::Empty { after, index, fields: self.fields_of(at) },
            Kind::Word { id } => Row::Word(Word { fields: self.fields_of(at), id }),
        })
    }

    /// The comments, each the whole line with its leading `#`.
    pub fn comments(&self) -> impl Iterator<Item = &str> + Clone {
        let comments = self.lines.iter().filter(|line| line.kind == Kind::Comment);
        comments.map(|line| self.slice(line.raw))
    }

    /// The value of the first comment `# key = value`.
    pub fn comment_value(&self, key: &str) -> Option<&str> {
        self.comments().find_map(|comment| value_of(comment, key))
    }

    /// Line of the first comment or word in the file, from 1.
    pub fn first_line(&self) -> usize {
        self.first_line
    }

    /// Changes one field of a word. A tab or line end in the value becomes a blank, an empty value
    /// becomes `_`. Gives false, and changes nothing, if the format lacks the column.
    ///
    /// # Panics
    /// If `id` is not in `1..=len`.
    pub fn set(&mut self, id: usize, column: Column, value: &str) -> bool {
        let Some(position) = self.layout.position(column).filter(|&at| at < self.stride) else {
            return false;
        };
        let line = self.words[id - 1] as usize;
        if column == Column::Head {
            self.heads[id - 1] = value.parse().unwrap_or(NO_HEAD);
        }
        let at = self.lines[line].fields as usize + position;
        if self.slice(self.fields[at]) != value {
            self.fields[at] = self.append_field(value);
            self.lines[line].edited = true;
            self.edited = true;
        }
        true
    }

    /// Changes the head of a word; `None` writes `_`. Whether it is a tree is up to the caller.
    ///
    /// # Panics
    /// If `id` is not in `1..=len`.
    pub fn set_head(&mut self, id: usize, head: Option<u32>) {
        match head {
            Some(head) => {
                let mut digits = [0; 10];
                self.set(id, Column::Head, decimal(head, &mut digits));
            }
            None => {
                self.set(id, Column::Head, "_");
            }
        }
        self.heads[id - 1] = head.unwrap_or(NO_HEAD);
    }

    /// Changes the value of the first comment with this key, or adds one behind the comments.
    pub fn set_comment(&mut self, key: &str, value: &str) {
        let start = self.text.len() as u32;
        self.text.push_str("# ");
        push_clean(&mut self.text, key);
        self.text.push_str(" = ");
        push_clean(&mut self.text, value);
        let raw = Span { start, end: self.text.len() as u32 };
        let is_key = |line: &&mut Line| {
            line.kind == Kind::Comment
                && value_of(&self.text[line.raw.start as usize..line.raw.end as usize], key)
                    .is_some()
        };
        if let Some(line) = self.lines.iter_mut().find(is_key) {
            line.raw = raw;
        } else {
            let at = self.lines.iter().take_while(|line| line.kind == Kind::Comment).count();
            let number = self.lines.get(at).map_or(self.first_line as u32, |line| line.number);
            let line = Line { kind: Kind::Comment, raw, fields: 0, number, edited: true };
            self.lines.insert(at, line);
            self.words.iter_mut().for_each(|word| *word += 1);
        }
        self.edited = true;
    }

    /// Adds a comment before all others, given without its `#`. A line end in it becomes a blank.
    pub fn prepend_comment(&mut self, comment: &str) {
        let start = self.text.len() as u32;
        self.text.push_str("# ");
        push_clean(&mut self.text, comment);
        let raw = Span { start, end: self.text.len() as u32 };
        let number = self.first_line as u32;
        let line = Line { kind: Kind::Comment, raw, fields: 0, number, edited: true };
        self.lines.insert(0, line);
        self.words.iter_mut().for_each(|word| *word += 1);
        self.edited = true;
    }

    /// Writes the sentence in its own format, with the blank line behind it; the bytes that were
    /// read, where nothing was edited.
    pub fn write_to(&self, out: &mut (impl io::Write + ?Sized)) -> io::Result<()> {
        if self.edited {
            for line in &self.lines {
                if line.edited && line.kind != Kind::Comment {
                    let first = line.fields as usize;
                    for (at, span) in self.fields[first..first + self.stride].iter().enumerate() {
                        if at > 0 {
                            out.write_all(b"\t")?;
                        }
                        out.write_all(self.slice(*span).as_bytes())?;
                    }
                } else {
                    out.write_all(self.slice(line.raw).as_bytes())?;
                }
                out.write_all(b"\n")?;
            }
        } else {
            out.write_all(&self.text.as_bytes()[..self.raw_len])?;
        }
        out.write_all(b"\n")
    }

    fn append_field(&mut self, value: &str) -> Span {
        let start = self.text.len() as u32;
        push_clean(&mut self.text, if value.is_empty() { "_" } else { value });
        Span { start, end: self.text.len() as u32 }
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn fields_of(&self, line: usize) -> Fields<'_> {
        Fields { sentence: self, line: line as u32 }
    }
}

fn push_clean(text: &mut String, value: &str) {
    if value.bytes().any(|byte| byte < b' ') {
        text.extend(value.chars().map(|c| if c < ' ' { ' ' } else { c }));
    } else {
        text.push_str(value);
    }
}

fn decimal(mut number: u32, digits: &mut [u8; 10]) -> &str {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    std::str::from_utf8(&digits[at..]).unwrap_or_default()
}

pub(crate) fn value_of<'a>(comment: &'a str, key: &str) -> Option<&'a str> {
    let rest = comment.strip_prefix('#')?.trim_start().strip_prefix(key)?.trim_start();
    Some(rest.strip_prefix('=')?.trim())
}

/// One line of a sentence.
#[derive(Copy, Clone, Debug)]
pub enum Row<'a> {
    /// A comment, with its leading `#`.
    Comment(&'a str),
    /// A token of several words, `first-last`.
    Range {
        /// ID of its first word.
        first: u32,
        /// ID of its last word.
        last: u32,
        /// Its columns.
        fields: Fields<'a>,
    },
    /// An empty node, `after.index`.
    Empty {
        /// ID of the word before it, 0 at the start.
        after: u32,
        /// Its number behind that word, from 1.
        index: u32,
        /// Its columns.
        fields: Fields<'a>,
    },
    /// A word.
    Word(Word<'a>),
}

/// The columns of one line.
#[derive(Copy, Clone, Debug)]
pub struct Fields<'a> {
    sentence: &'a Sentence,
    line: u32,
}

impl<'a> Fields<'a> {
    /// The value of a column, if the format has it.
    pub fn get(&self, column: Column) -> Option<&'a str> {
        self.at(self.sentence.layout.position(column)?)
    }

    /// The value of the column at this position, from 0.
    pub fn at(&self, position: usize) -> Option<&'a str> {
        let first = self.sentence.lines[self.line as usize].fields as usize;
        (position < self.sentence.stride)
            .then(|| self.sentence.slice(self.sentence.fields[first + position]))
    }

    /// All values in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a str> + Clone + use<'a> {
        let first = self.sentence.lines[self.line as usize].fields as usize;
        let sentence = self.sentence;
        sentence.fields[first..first + sentence.stride].iter().map(|&span| sentence.slice(span))
    }

    /// The form, `_` if absent.
    pub fn form(&self) -> &'a str {
        self.or_blank(Column::Form)
    }

    /// Anything else, `_` if absent.
    pub fn misc(&self) -> &'a str {
        self.or_blank(Column::Misc)
    }

    /// Where it stands in its text, in characters, as `TokenRange` in MISC says.
    pub fn offsets(&self) -> Option<Range<u64>> {
        let range = self.misc().split('|').find_map(|part| part.strip_prefix("TokenRange="))?;
        let (start, end) = range.split_once(':')?;
        Some(start.parse().ok()?..end.parse().ok()?)
    }

    /// The line in the file, from 1.
    pub fn line(&self) -> usize {
        self.sentence.lines[self.line as usize].number as usize
    }

    fn or_blank(&self, column: Column) -> &'a str {
        self.get(column).unwrap_or("_")
    }
}

/// One word of a sentence.
#[derive(Copy, Clone, Debug)]
pub struct Word<'a> {
    fields: Fields<'a>,
    id: u32,
}

impl<'a> Word<'a> {
    /// Position in the sentence, from 1.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The word as written.
    pub fn form(&self) -> &'a str {
        self.fields.form()
    }

    /// Lemma, `_` if absent.
    pub fn lemma(&self) -> &'a str {
        self.fields.or_blank(Column::Lemma)
    }

    /// Universal or coarse part of speech; where the format has only one part of speech, that one.
    pub fn upos(&self) -> &'a str {
        self.get(Column::Upos).unwrap_or_else(|| self.fields.or_blank(Column::Xpos))
    }

    /// Language-specific or fine part of speech, `_` if absent.
    pub fn xpos(&self) -> &'a str {
        self.fields.or_blank(Column::Xpos)
    }

    /// Morphological features, `_` if absent.
    pub fn feats(&self) -> &'a str {
        self.fields.or_blank(Column::Feats)
    }

    /// The head, parsed: 0 is the root, `None` is `_`.
    pub fn head(&self) -> Option<u32> {
        let head = self.fields.sentence.heads[self.id as usize - 1];
        (head != NO_HEAD).then_some(head)
    }

    /// Label of the arc to the head, `_` if absent.
    pub fn deprel(&self) -> &'a str {
        self.fields.or_blank(Column::Deprel)
    }

    /// Enhanced dependencies, `_` if absent.
    pub fn deps(&self) -> &'a str {
        self.fields.or_blank(Column::Deps)
    }

    /// Anything else, `_` if absent.
    pub fn misc(&self) -> &'a str {
        self.fields.misc()
    }

    /// Where it stands in its text, in characters, as `TokenRange` in MISC says.
    pub fn offsets(&self) -> Option<Range<u64>> {
        self.fields.offsets()
    }

    /// The value of a column, if the format has it.
    pub fn get(&self, column: Column) -> Option<&'a str> {
        self.fields.get(column)
    }

    /// All columns.
    pub fn fields(&self) -> Fields<'a> {
        self.fields
    }

    /// The line in the file, from 1.
    pub fn line(&self) -> usize {
        self.fields.line()
    }
}
