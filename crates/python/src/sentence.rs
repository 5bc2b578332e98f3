//! Sentences.
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use conll::{Format, Limits, ReadOptions, Reader, Roots, Row};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::core::{Core, Doc, Offsets, tokens};
use crate::errors::{Raise, data};
use crate::pictures::{Picture, picture};
use crate::word::{EmptyNode, Token, Word};

/// A sentence. In a notebook it draws itself, with crossing arcs in another colour.
///
/// >>> sentence = crossarc.load()("She sees stars.").sentences[0]
/// >>> sentence.text, sentence.id, sentence.root.text, sentence.is_projective
/// ('She sees stars.', '1', 'sees', True)
/// >>> [word.deprel for word in sentence]
/// ['nsubj', 'root', 'obj', 'punct']
#[pyclass(frozen, module = "crossarc", from_py_object)]
#[derive(Clone)]
pub(crate) struct Sentence {
    pub(crate) core: Arc<Core>,
    /// The document that it is part of, and its number there.
    pub(crate) part: Option<(Arc<Doc>, usize)>,
}

impl Sentence {
    pub(crate) fn new(sentence: crossarc::Sentence) -> Sentence {
        Sentence { core: Core::new(sentence), part: None }
    }

    pub(crate) fn of(core: &Arc<Core>) -> Sentence {
        Sentence { core: Arc::clone(core), part: None }
    }

    pub(crate) fn all(doc: &Arc<Doc>) -> Vec<Sentence> {
        let numbered = doc.sentences.iter().enumerate();
        numbered
            .map(|(at, core)| Sentence { part: Some((Arc::clone(doc), at)), ..Sentence::of(core) })
            .collect()
    }

    /// Whether it is the same sentence or has the same lines.
    pub(crate) fn same(&self, other: &Sentence) -> bool {
        Arc::ptr_eq(&self.core, &other.core) || *self.core.read() == *other.core.read()
    }

    pub(crate) fn offsets(&self, word: u32) -> Offsets {
        if let Some((doc, at)) = self.part.as_ref().filter(|(doc, _)| doc.text.is_some()) {
            return doc.places(*at).get(word as usize - 1).copied().flatten();
        }
        let sentence = self.core.read();
        let found = sentence.rows().find_map(|row| match row {
            Row::Range { first, last, fields } if (first..=last).contains(&word) => {
                Some(fields.offsets())
            }
            Row::Word(found) if found.id() == word => Some(found.offsets()),
            _ => None,
        });
        found.flatten().map(|range| (range.start, range.end))
    }

    pub(crate) fn written(&self) -> Vec<u8> {
        let mut out = Vec::new();
        // Writing to memory cannot fail.
        let _ = self.core.read().write_to(&mut out);
        out
    }
}

/// Reading what this module wrote: whatever a parser or an edit made is read again.
pub(crate) fn trusting(format: Option<Format>) -> ReadOptions {
    ReadOptions {
        format,
        roots: Roots::Any,
        check_trees: false,
        limits: Limits {
            line_bytes: 1 << 27,
            words: 1 << 21,
            sentence_bytes: 1 << 28,
            ..Limits::default()
        },
        ..ReadOptions::default()
    }
}

/// A sentence as bytes: the name of its format, the names of its columns, its lines.
type Packed = (String, String, Vec<u8>);

impl Sentence {
    pub(crate) fn pack(&self) -> Packed {
        let bytes = self.written();
        let sentence = self.core.read();
        let names = match sentence.format() {
            Format::ConllUPlus => sentence.layout().names().join(" "),
            _ => String::new(),
        };
        (sentence.format().name().to_owned(), names, bytes)
    }

    pub(crate) fn unpack(py: Python<'_>, packed: Packed) -> PyResult<Sentence> {
        let (format, names, bytes) = packed;
        let format: Format =
            format.parse().map_err(|_| data(py, &format!("unknown format `{format}`")))?;
        // The columns of CoNLL-U Plus are named in the first sentence of a file only.
        let mut text = Vec::new();
        if !names.is_empty() {
            text.extend_from_slice(format!("# global.columns = {names}\n").as_bytes());
            let fields = names.split(' ').map(|name| if name == "ID" { "1" } else { "_" });
            text.extend_from_slice(fields.collect::<Vec<_>>().join("\t").as_bytes());
            text.extend_from_slice(b"\n\n");
        }
        text.extend_from_slice(&bytes);
        let reader = Reader::from_bytes("pickle", text, trusting(Some(format))).raise(py)?;
        let last = reader.last().transpose().raise(py)?;
        Ok(Sentence::new(last.unwrap_or_default()))
    }
}

#[pymethods]
impl Sentence {
    /// The words.
    #[getter]
    fn words(&self) -> Vec<Word> {
        let words = self.core.read().len() as u32;
        (1..=words).map(|id| Word { of: self.clone(), id }).collect()
    }

    /// The tokens: words, and tokens of several words in the place of theirs.
    #[getter]
    fn tokens(&self) -> Vec<Token> {
        let sentence = self.core.read();
        let made = tokens(&sentence).map(|(first, last, is_range)| Token {
            of: self.clone(),
            first,
            last,
            is_range,
        });
        made.collect()
    }

    /// The empty nodes of enhanced dependencies.
    #[getter]
    fn empty_nodes(&self) -> Vec<EmptyNode> {
        let sentence = self.core.read();
        let empty = sentence.rows().filter_map(|row| match row {
            Row::Empty { after, index, fields } => Some(EmptyNode::new(after, index, fields)),
            _ => None,
        });
        empty.collect()
    }

    /// The text: the comment `# text`, or what the tokens spell.
    #[getter]
    pub(crate) fn text(&self) -> String {
        let sentence = self.core.read();
        if let Some(text) = sentence.comment_value("text") {
            return text.to_owned();
        }
        let mut text = String::new();
        let mut last_of_range = 0;
        for row in sentence.rows() {
            let (fields, last) = match row {
                Row::Range { last, fields, .. } => (fields, last),
                Row::Word(word) if word.id() > last_of_range => (word.fields(), word.id()),
                _ => continue,
            };
            last_of_range = last;
            text.push_str(fields.form());
            if !fields.misc().split('|').any(|part| part == "SpaceAfter=No") {
                text.push(' ');
            }
        }
        text.trim_end().to_owned()
    }

    /// The comment `# sent_id`.
    #[getter]
    fn id(&self) -> Option<String> {
        self.core.read().comment_value("sent_id").map(str::to_owned)
    }

    /// The comments in order, without `#`.
    #[getter]
    fn comments(&self) -> Vec<String> {
        let sentence = self.core.read();
        let comments = sentence.comments();
        comments
            .map(|line| line.strip_prefix('#').unwrap_or(line).trim_start().to_owned())
            .collect()
    }

    /// The value of the comment `# key = value`.
    fn comment(&self, key: &str) -> Option<String> {
        self.core.read().comment_value(key).map(str::to_owned)
    }

    /// Changes the comment `# key = value`, or adds it.
    fn set_comment(&self, key: &str, value: &str) {
        self.core.edit(|sentence| sentence.set_comment(key, value));
    }

    /// The first word with head 0.
    #[getter]
    fn root(&self) -> Option<Word> {
        let found = self.core.shape().children(0).first().copied();
        found.map(|id| Word { of: self.clone(), id })
    }

    /// Whether no arc passes over a word that its head does not dominate. A sentence without a tree
    /// raises `DataError`.
    #[getter]
    fn is_projective(&self, py: Python<'_>) -> PyResult<bool> {
        match &self.core.shape().tree {
            Ok((_, projective)) => Ok(*projective),
            Err(problem) => Err(data(py, problem)),
        }
    }

    /// Line of the file it was read from, from 1.
    #[getter]
    fn line(&self) -> usize {
        self.core.read().first_line()
    }

    /// The format it was read from: `conllu`, `conllup`, `conllx` or `conll09`.
    #[getter]
    fn format(&self) -> String {
        self.core.read().format().name().to_owned()
    }

    /// The sentence as CoNLL-U, or in the format that it was read from; if nothing was changed, the bytes
    /// that were read.
    fn to_conllu(&self) -> String {
        String::from_utf8_lossy(&self.written()).into_owned()
    }

    /// Draws the tree: `to` is `"text"`, `"svg"`, `"html"`, `"tikz"`, `"dot"` or `"displacy"`;
    /// `highlight` is `"crossing"` or `"non-projective"`; `width` in columns or pixels decides whether
    /// words stand in a line.
    ///
    /// >>> sentence = crossarc.load().parse_words([["Saw", "him"]]).sentences[0]
    /// >>> print(sentence.draw())
    /// root
    ///  │┌─obj─┐
    ///  ▼│     ▼
    /// Saw    him
    /// VERB   PRON
    /// <BLANKLINE>
    #[pyo3(signature = (to = "text", *, highlight = "crossing", width = None))]
    fn draw(&self, to: &str, highlight: &str, width: Option<usize>) -> PyResult<String> {
        let choice = Picture::new(to, highlight, width)?;
        Ok(picture(std::slice::from_ref(self), choice))
    }

    fn _repr_html_(&self) -> PyResult<String> {
        self.draw("svg", "crossing", None)
    }

    fn __len__(&self) -> usize {
        self.core.read().len()
    }

    fn __getitem__(&self, at: isize) -> PyResult<Word> {
        let words = self.core.read().len() as isize;
        let place = if at < 0 { words + at } else { at };
        if (0..words).contains(&place) {
            return Ok(Word { of: self.clone(), id: place as u32 + 1 });
        }
        Err(PyIndexError::new_err(format!("there is no word {at}: the sentence has {words}")))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.words().into_pyobject(py)?.try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        let text = self.text();
        let short: String = text.chars().take(60).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        format!("<Sentence {}: {short}{more}>", self.id().unwrap_or("?".to_owned()))
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Sentence>().is_ok_and(|other| self.same(other.get()))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for word in self.core.read().words() {
            word.form().hash(&mut hasher);
        }
        hasher.finish()
    }

    fn __copy__(&self) -> Sentence {
        Sentence::new(self.core.read().clone())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Sentence {
        self.__copy__()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Packed,))> {
        Ok((py.import("crossarc._crossarc")?.getattr("_sentence")?, (self.pack(),)))
    }
}

/// Sentences out of whatever holds them: a sentence, a document, or anything that gives either.
pub(crate) fn each_sentence(
    source: &Bound<'_, PyAny>,
    visit: &mut dyn FnMut(Sentence) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(sentence) = source.cast::<Sentence>() {
        return visit(sentence.get().clone());
    }
    if let Ok(document) = source.cast::<crate::document::Document>() {
        return Sentence::all(&document.get().doc).into_iter().try_for_each(visit);
    }
    for item in source.try_iter()? {
        let item = item?;
        if let Ok(sentence) = item.cast::<Sentence>() {
            visit(sentence.get().clone())?;
        } else if let Ok(document) = item.cast::<crate::document::Document>() {
            Sentence::all(&document.get().doc).into_iter().try_for_each(&mut *visit)?;
        } else {
            return Err(PyValueError::new_err(format!(
                "expected a Sentence or a Document, found {}",
                item.get_type().name()?
            )));
        }
    }
    Ok(())
}

/// As [`each_sentence`], all together.
pub(crate) fn sentences_of(source: &Bound<'_, PyAny>) -> PyResult<Vec<Sentence>> {
    let mut found = Vec::new();
    each_sentence(source, &mut |sentence| {
        found.push(sentence);
        Ok(())
    })?;
    Ok(found)
}
