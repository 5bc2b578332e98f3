//! Words, tokens and empty nodes.
use std::hash::{DefaultHasher, Hash, Hasher};

use conll::{Column, Fields, Row};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::core::{Offsets, token_form};
use crate::features::{Features, written};
use crate::sentence::Sentence;

/// A word of a sentence. Columns that are empty are `"_"`, as in the file. All but `id` and `text` can
/// be changed.
///
/// >>> sentence = next(crossarc.read("examples/hearing.conllu"))
/// >>> word = sentence.words[1]
/// >>> word.id, word.text, word.lemma, word.upos, word.head, word.deprel
/// (2, 'hearing', 'hearing', 'NOUN', 4, 'nsubj:pass')
/// >>> [child.text for child in word.children], word.parent.text
/// (['A', 'issue'], 'scheduled')
#[pyclass(frozen, module = "crossarc")]
pub(crate) struct Word {
    pub(crate) of: Sentence,
    pub(crate) id: u32,
}

impl Word {
    fn with<T>(&self, look: impl FnOnce(crossarc::Word<'_>) -> T) -> T {
        look(self.of.core.read().word(self.id as usize))
    }

    fn set(&self, column: Column, value: &str) -> PyResult<()> {
        let value = if value.is_empty() { "_" } else { value };
        if self.of.core.edit(|sentence| sentence.set(self.id as usize, column, value)) {
            return Ok(());
        }
        let format = self.of.core.read().format().name();
        Err(PyValueError::new_err(format!(
            "sentences in the format {format} have no such column; `crossarc convert` makes CoNLL-U"
        )))
    }

    fn words(&self, ids: impl IntoIterator<Item = u32>) -> Vec<Word> {
        ids.into_iter().map(|id| Word { of: self.of.clone(), id }).collect()
    }

    fn offsets(&self) -> Offsets {
        self.of.offsets(self.id)
    }
}

#[pymethods]
impl Word {
    /// Position in the sentence, from 1.
    #[getter]
    fn id(&self) -> u32 {
        self.id
    }

    /// The word as written.
    #[getter]
    fn text(&self) -> String {
        self.with(|word| word.form().to_owned())
    }

    /// Lemma.
    #[getter]
    fn lemma(&self) -> String {
        self.with(|word| word.lemma().to_owned())
    }

    #[setter]
    fn set_lemma(&self, value: &str) -> PyResult<()> {
        self.set(Column::Lemma, value)
    }

    /// Universal part of speech.
    #[getter]
    fn upos(&self) -> String {
        self.with(|word| word.upos().to_owned())
    }

    #[setter]
    fn set_upos(&self, value: &str) -> PyResult<()> {
        self.set(Column::Upos, value)
    }

    /// Language-specific part of speech.
    #[getter]
    fn xpos(&self) -> String {
        self.with(|word| word.xpos().to_owned())
    }

    #[setter]
    fn set_xpos(&self, value: &str) -> PyResult<()> {
        self.set(Column::Xpos, value)
    }

    /// Morphological features: a mapping, and `str()` of it the column. May be set to either.
    #[getter]
    fn feats(&self) -> Features {
        self.with(|word| Features::new(word.feats()))
    }

    #[setter]
    fn set_feats(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(Column::Feats, &written(value)?)
    }

    /// The head: 0 is the root, `None` is unknown.
    #[getter]
    fn head(&self) -> Option<u32> {
        self.with(|word| word.head())
    }

    #[setter]
    fn set_head(&self, head: Option<u32>) -> PyResult<()> {
        self.of.core.edit(|sentence| {
            let words = sentence.len();
            if let Some(head) = head.filter(|&head| head as usize > words || head == self.id) {
                return Err(PyValueError::new_err(format!(
                    "word {} cannot have head {head}: expected another word of 1 to {words}, 0 for the root, or None",
                    self.id
                )));
            }
            sentence.set_head(self.id as usize, head);
            Ok(())
        })
    }

    /// Label of the arc to the head.
    #[getter]
    fn deprel(&self) -> String {
        self.with(|word| word.deprel().to_owned())
    }

    #[setter]
    fn set_deprel(&self, value: &str) -> PyResult<()> {
        self.set(Column::Deprel, value)
    }

    /// Enhanced dependencies, as written.
    #[getter]
    fn deps(&self) -> String {
        self.with(|word| word.deps().to_owned())
    }

    #[setter]
    fn set_deps(&self, value: &str) -> PyResult<()> {
        self.set(Column::Deps, value)
    }

    /// Anything else: a mapping, and `str()` of it the column. May be set to either.
    #[getter]
    fn misc(&self) -> Features {
        self.with(|word| Features::new(word.misc()))
    }

    #[setter]
    fn set_misc(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(Column::Misc, &written(value)?)
    }

    /// First character in the text of the document, from 0; that of its token, if that has several words.
    #[getter]
    fn start(&self) -> Option<u64> {
        self.offsets().map(|(start, _)| start)
    }

    /// The character behind the last one.
    #[getter]
    fn end(&self) -> Option<u64> {
        self.offsets().map(|(_, end)| end)
    }

    /// How sure the parser is of the arc, from 0 to 1, if the pipeline was asked for scores.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.with(|word| score(word.misc()))
    }

    /// The head as a word; `None` for roots.
    #[getter]
    fn parent(&self) -> Option<Word> {
        let words = self.of.core.read().len();
        let head = self.with(|word| word.head())?;
        (head > 0 && head as usize <= words).then(|| Word { of: self.of.clone(), id: head })
    }

    /// The words whose head this is, from left to right.
    #[getter]
    fn children(&self) -> Vec<Word> {
        self.words(self.of.core.shape().children(self.id).iter().copied())
    }

    /// The word and all below it, from left to right.
    #[getter]
    fn subtree(&self) -> Vec<Word> {
        let shape = self.of.core.shape();
        let mut seen = vec![false; self.of.core.read().len() + 1];
        let mut waiting = vec![self.id];
        while let Some(id) = waiting.pop() {
            if !std::mem::replace(&mut seen[id as usize], true) {
                waiting.extend(shape.children(id));
            }
        }
        self.words((1..seen.len() as u32).filter(|&id| seen[id as usize]))
    }

    /// The words above it, nearest first.
    #[getter]
    fn ancestors(&self) -> Vec<Word> {
        let sentence = self.of.core.read();
        let mut found: Vec<u32> = Vec::new();
        let mut seen = vec![false; sentence.len() + 1];
        let mut next = sentence.word(self.id as usize).head();
        while let Some(id) = next.filter(|&id| id > 0 && (id as usize) < seen.len()) {
            if std::mem::replace(&mut seen[id as usize], true) {
                break;
            }
            found.push(id);
            next = sentence.word(id as usize).head();
        }
        drop(sentence);
        self.words(found)
    }

    /// Whether its arc crosses another one, the arc of the root included.
    #[getter]
    fn is_crossing(&self) -> bool {
        self.of.core.shape().tree.as_ref().is_ok_and(|(crossing, _)| crossing[self.id as usize])
    }

    /// Its sentence.
    #[getter]
    fn sentence(&self) -> Sentence {
        self.of.clone()
    }

    /// The value of a column by name, also of formats with other columns: `word["lemma"]`.
    fn __getitem__(&self, name: &str) -> PyResult<String> {
        let sentence = self.of.core.read();
        let fields = sentence.word(self.id as usize).fields();
        let lower = name.to_lowercase();
        let known = if lower == "id" { Some(Column::Id) } else { crate::core::column(&lower) };
        let by_name = || {
            let at = sentence.layout().names().iter().position(|known| known == name)?;
            fields.at(at)
        };
        let value = known.and_then(|column| fields.get(column)).or_else(by_name);
        value.map(str::to_owned).ok_or_else(|| {
            pyo3::exceptions::PyKeyError::new_err(format!(
                "there is no column `{name}`; there are: {}",
                sentence.layout().names().join(", ")
            ))
        })
    }

    fn __repr__(&self) -> String {
        self.with(|word| {
            let head = word.head().map_or("_".to_owned(), |head| head.to_string());
            format!("<Word {} {} {} {head} {}>", word.id(), word.form(), word.upos(), word.deprel())
        })
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Word>().is_ok_and(|other| {
            let other = other.get();
            self.id == other.id && self.of.same(&other.of)
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.id, self.text()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Sentence, u32))> {
        Ok((py.import("crossarc._crossarc")?.getattr("_word")?, (self.of.clone(), self.id)))
    }
}

/// The score that MISC holds.
pub(crate) fn score(misc: &str) -> Option<f64> {
    misc.split('|').find_map(|part| part.strip_prefix("Score="))?.parse().ok()
}

/// A token of the text: one word, or several, as `don't`.
#[pyclass(frozen, module = "crossarc")]
pub(crate) struct Token {
    pub(crate) of: Sentence,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) is_range: bool,
}

impl Token {
    fn fields<T>(&self, look: impl FnOnce(Fields<'_>) -> T) -> Option<T> {
        let sentence = self.of.core.read();
        if !self.is_range {
            return Some(look(sentence.word(self.first as usize).fields()));
        }
        let found = sentence.rows().find_map(|row| match row {
            Row::Range { first, fields, .. } if first == self.first => Some(fields),
            _ => None,
        });
        found.map(look)
    }

    fn features(&self, column: Column) -> Features {
        let text = self.fields(|fields| fields.get(column).unwrap_or("_").to_owned());
        Features::new(&text.unwrap_or_default())
    }
}

#[pymethods]
impl Token {
    /// As in the file: `3`, or `3-4` for a token of several words.
    #[getter]
    fn id(&self) -> String {
        let Token { first, last, .. } = self;
        if self.is_range { format!("{first}-{last}") } else { first.to_string() }
    }

    /// The token as written.
    #[getter]
    fn text(&self) -> String {
        token_form(&self.of.core.read(), self.first, self.is_range).to_owned()
    }

    /// Its words.
    #[getter]
    fn words(&self) -> Vec<Word> {
        (self.first..=self.last).map(|id| Word { of: self.of.clone(), id }).collect()
    }

    /// Whether it stands for several words.
    #[getter]
    fn is_multiword(&self) -> bool {
        self.is_range
    }

    /// Its features: those of its word, or what is said about several words together.
    #[getter]
    fn feats(&self) -> Features {
        self.features(Column::Feats)
    }

    /// Anything else that is said about it.
    #[getter]
    fn misc(&self) -> Features {
        self.features(Column::Misc)
    }

    /// First character in the text of the document, from 0.
    #[getter]
    fn start(&self) -> Option<u64> {
        self.of.offsets(self.first).map(|(start, _)| start)
    }

    /// The character behind the last one.
    #[getter]
    fn end(&self) -> Option<u64> {
        self.of.offsets(self.first).map(|(_, end)| end)
    }

    fn __repr__(&self) -> String {
        format!("<Token {} {}>", self.id(), self.text())
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Token>().is_ok_and(|other| {
            let other = other.get();
            (self.first, self.last) == (other.first, other.last) && self.of.same(&other.of)
        })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.first, self.last, self.text()).hash(&mut hasher);
        hasher.finish()
    }
}

/// A node of enhanced dependencies that is no word, such as `5.1`.
#[pyclass(frozen, module = "crossarc", get_all)]
pub(crate) struct EmptyNode {
    /// As in the file.
    id: String,
    /// The form.
    text: String,
    /// Lemma.
    lemma: String,
    /// Universal part of speech.
    upos: String,
    /// Language-specific part of speech.
    xpos: String,
    /// Morphological features, as written.
    feats: String,
    /// Enhanced dependencies, as written.
    deps: String,
    /// Anything else, as written.
    misc: String,
}

impl EmptyNode {
    pub(crate) fn new(after: u32, index: u32, fields: Fields<'_>) -> EmptyNode {
        let get = |column| fields.get(column).unwrap_or("_").to_owned();
        EmptyNode {
            id: format!("{after}.{index}"),
            text: fields.form().to_owned(),
            lemma: get(Column::Lemma),
            upos: get(Column::Upos),
            xpos: get(Column::Xpos),
            feats: get(Column::Feats),
            deps: get(Column::Deps),
            misc: fields.misc().to_owned(),
        }
    }
}

#[pymethods]
impl EmptyNode {
    fn __repr__(&self) -> String {
        format!("<EmptyNode {} {}>", self.id, self.text)
    }
}
