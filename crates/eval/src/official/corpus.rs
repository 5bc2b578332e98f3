//! A file as the official scorer sees it: one text without spaces, and what stands where in it.
use conll::{Row, Sentence};

use super::{Error, Names};

/// A stretch of the text, in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

/// What the official scorer makes of a label.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Content,
    Function,
    Other,
}

/// No word.
pub(super) const NONE: u32 = u32::MAX;

/// A word; texts are numbers of [`Names`], words are positions in [`Corpus::words`].
pub(super) struct Word {
    /// In the text; words of a multiword token have the span of the token.
    pub span: Span,
    pub multiword: bool,
    /// [`NONE`] for the root.
    pub head: u32,
    /// In lower case.
    pub form: u32,
    pub lemma: u32,
    pub upos: u32,
    pub xpos: u32,
    /// Universal features only, sorted.
    pub features: u32,
    /// Without subtype.
    pub label: u32,
    pub relation: Relation,
    /// The dependents with a function label, as a list from left to right.
    pub first_function: u32,
    pub next_function: u32,
    /// In [`Corpus::enhanced`].
    pub enhanced_start: u32,
    pub enhanced_end: u32,
}

/// An enhanced dependency.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Enhanced {
    /// [`NONE`] for the root.
    pub head: u32,
    pub label: u32,
    /// Without subtypes, at each step of a path.
    pub bare_label: u32,
}

/// Where a sentence begins, for messages.
pub(super) struct SentencePlace {
    pub id: Option<Box<str>>,
    pub first_token: u32,
}

/// One file, ready for [`evaluate`](super::evaluate).
pub struct Corpus {
    pub(super) file: String,
    pub(super) text: String,
    pub(super) tokens: Vec<Span>,
    pub(super) token_lines: Vec<u32>,
    pub(super) sentences: Vec<Span>,
    pub(super) sentence_places: Vec<SentencePlace>,
    pub(super) words: Vec<Word>,
    pub(super) enhanced: Vec<Enhanced>,
}

const CONTENT: [&str; 29] = [
    "acl",
    "advcl",
    "advmod",
    "amod",
    "appos",
    "ccomp",
    "compound",
    "conj",
    "csubj",
    "dep",
    "discourse",
    "dislocated",
    "expl",
    "fixed",
    "flat",
    "goeswith",
    "iobj",
    "list",
    "nmod",
    "nsubj",
    "nummod",
    "obj",
    "obl",
    "orphan",
    "parataxis",
    "reparandum",
    "root",
    "vocative",
    "xcomp",
];
const FUNCTION: [&str; 7] = ["aux", "case", "cc", "clf", "cop", "det", "mark"];
const UNIVERSAL_FEATURES: [&str; 21] = [
    "Abbr", "Animacy", "Aspect", "Case", "Definite", "Degree", "Evident", "Foreign", "Gender",
    "Mood", "Number", "NumType", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex",
    "Tense", "VerbForm", "Voice",
];

/// True for labels (without subtype) that the CLAS score counts.
pub(crate) fn is_content(label: &str) -> bool {
    CONTENT.binary_search(&label).is_ok()
}

/// The characters of Unicode category Zs, which the scorer removes from tokens.
fn is_space(character: char) -> bool {
    matches!(
        character,
        ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}

impl Corpus {
    /// Reads all sentences. Without `enhanced`, the column DEPS is not looked at.
    pub fn read(
        reader: &mut conll::Reader,
        names: &mut Names,
        enhanced: bool,
    ) -> Result<Corpus, Error> {
        let mut corpus = Corpus {
            file: reader.name().to_owned(),
            text: String::new(),
            tokens: Vec::new(),
            token_lines: Vec::new(),
            sentences: Vec::new(),
            sentence_places: Vec::new(),
            words: Vec::new(),
            enhanced: Vec::new(),
        };
        let mut sentence = Sentence::default();
        let mut scratch = Scratch { enhanced, ..Scratch::default() };
        while reader.read(&mut sentence)? {
            corpus.push(&sentence, names, &mut scratch)?;
        }
        Ok(corpus)
    }

    fn push(
        &mut self,
        sentence: &Sentence,
        names: &mut Names,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let start = self.text.len() as u32;
        let base = self.words.len();
        self.sentence_places.push(SentencePlace {
            id: sentence.comment_value("sent_id").map(Into::into),
            first_token: self.tokens.len() as u32,
        });
        let mut multiword = None;
        for row in sentence.rows() {
            match row {
                Row::Range { last, fields, .. } => {
                    let span = self.push_token(fields.form(), fields.line())?;
                    multiword = Some((last, span));
                }
                Row::Word(word) => {
                    let in_multiword = multiword.filter(|&(last, _)| word.id() <= last);
                    let span = match in_multiword {
                        Some((_, span)) => span,
                        None => self.push_token(word.form(), word.line())?,
                    };
                    let new = self.word(
                        sentence,
                        word,
                        span,
                        in_multiword.is_some(),
                        base,
                        names,
                        scratch,
                    )?;
                    self.words.push(new);
                }
                _ => {}
            }
        }
        for index in (base..self.words.len()).rev() {
            let word = &self.words[index];
            if word.relation == Relation::Function && word.head != NONE {
                let head = word.head as usize;
                let next = std::mem::replace(&mut self.words[head].first_function, index as u32);
                self.words[index].next_function = next;
            }
        }
        self.sentences.push(Span { start, end: self.text.len() as u32 });
        Ok(())
    }

    fn push_token(&mut self, form: &str, line: usize) -> Result<Span, Error> {
        let start = self.text.len();
        self.text.extend(form.chars().filter(|&character| !is_space(character)));
        let end = self.text.len();
        if end == start {
            return Err(Error::EmptyForm { file: self.file.clone(), line });
        }
        if end >= NONE as usize {
            return Err(Error::TooLong { file: self.file.clone() });
        }
        let span = Span { start: start as u32, end: end as u32 };
        self.tokens.push(span);
        self.token_lines.push(u32::try_from(line).unwrap_or(u32::MAX));
        Ok(span)
    }

    #[allow(clippy::too_many_arguments)]
    fn word(
        &mut self,
        sentence: &Sentence,
        word: conll::Word<'_>,
        span: Span,
        multiword: bool,
        base: usize,
        names: &mut Names,
        scratch: &mut Scratch,
    ) -> Result<Word, Error> {
        let position = |head: u32| if head == 0 { NONE } else { (base + head as usize - 1) as u32 };
        let head =
            word.head().filter(|&head| head as usize <= sentence.len()).ok_or_else(|| {
                Error::NoHead {
                    file: self.file.clone(),
                    line: word.line(),
                    form: word.form().to_owned(),
                }
            })?;
        let label = without_subtype(word.deprel());
        let relation = if is_content(label) {
            Relation::Content
        } else if FUNCTION.binary_search(&label).is_ok() {
            Relation::Function
        } else {
            Relation::Other
        };
        let enhanced_start = self.enhanced.len() as u32;
        if scratch.enhanced && !matches!(word.deps(), "" | "_") {
            for dependency in word.deps().split('|') {
                let bad = || Error::BadEnhanced {
                    file: self.file.clone(),
                    line: word.line(),
                    text: dependency.to_owned(),
                };
                let (head, path) = dependency.split_once(':').ok_or_else(bad)?;
                if head.contains('.') {
                    continue; // the head is an empty node
                }
                let head: u32 = head.parse().map_err(|_| bad())?;
                if head as usize > sentence.len() {
                    return Err(bad());
                }
                scratch.text.clear();
                for step in path.split('>') {
                    scratch.text.push('>');
                    scratch.text.push_str(without_subtype(step));
                }
                self.enhanced.push(Enhanced {
                    head: position(head),
                    label: names.number(path),
                    bare_label: names.number(&scratch.text),
                });
            }
        }
        let form = if multiword {
            word.form()
        } else {
            &self.text[span.start as usize..span.end as usize]
        };
        let form = if form.is_ascii() {
            scratch.text.clear();
            scratch.text.push_str(form);
            scratch.text.make_ascii_lowercase();
            names.number(&scratch.text)
        } else {
            names.number(&form.to_lowercase())
        };
        Ok(Word {
            span,
            multiword,
            head: position(head),
            form,
            lemma: names.number(word.lemma()),
            upos: names.number(word.upos()),
            xpos: names.number(word.xpos()),
            features: universal_features(word.feats(), names, scratch),
            label: names.number(label),
            relation,
            first_function: NONE,
            next_function: NONE,
            enhanced_start,
            enhanced_end: self.enhanced.len() as u32,
        })
    }
}

/// What is the same from word to word.
#[derive(Default)]
struct Scratch {
    enhanced: bool,
    text: String,
}

/// `nsubj` for `nsubj:pass`.
pub(crate) fn without_subtype(label: &str) -> &str {
    label.split_once(':').map_or(label, |(universal, _)| universal)
}

fn universal_features(features: &str, names: &mut Names, scratch: &mut Scratch) -> u32 {
    let mut kept: Vec<&str> = features
        .split('|')
        .filter(|feature| {
            let name = feature.split_once('=').map_or(*feature, |(name, _)| name);
            UNIVERSAL_FEATURES.contains(&name)
        })
        .collect();
    kept.sort_unstable();
    scratch.text.clear();
    for feature in kept {
        scratch.text.push_str(feature);
        scratch.text.push('|');
    }
    names.number(&scratch.text)
}

#[cfg(test)]
mod tests {
    use super::{CONTENT, FUNCTION};

    #[test]
    fn label_lists_are_sorted_for_binary_search() {
        assert!(CONTENT.is_sorted());
        assert!(FUNCTION.is_sorted());
    }
}
