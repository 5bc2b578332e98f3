//! What the Python objects share: sentences, and the documents that they are parts of.
//!
//! Words, tokens, sentences and documents are small handles on one [`Core`] per sentence. Forms never
//! change after a sentence was made, other columns may: so hashes and places in the text are of forms only.
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use conll::{Column, Row, Sentence};
use crossarc::tree::projectivity::{crossed_arcs, is_projective};
use crossarc::tree::treebank::unlabelled_tree_of;

/// Where a word or token stands in its text, in characters.
pub(crate) type Offsets = Option<(u64, u64)>;

/// What the heads of a sentence say about its shape.
pub(crate) struct Shape {
    /// Children of node `h` are `children[starts[h]..starts[h + 1]]`; node 0 is the root.
    starts: Vec<u32>,
    children: Vec<u32>,
    /// Words whose arc crosses another one, and whether the tree is projective; nothing without a tree.
    pub(crate) tree: Result<(Vec<bool>, bool), String>,
}

impl Shape {
    fn of(sentence: &Sentence) -> Shape {
        let words = sentence.len();
        let head = |word: crossarc::Word<'_>| word.head().map(|head| head as usize);
        let mut starts = vec![0u32; words + 2];
        for head in sentence.words().filter_map(head).filter(|&head| head <= words) {
            starts[head + 1] += 1;
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let mut free = starts.clone();
        let mut children = vec![0; starts.last().map_or(0, |&all| all as usize)];
        for word in sentence.words() {
            if let Some(head) = head(word).filter(|&head| head <= words) {
                children[free[head] as usize] = word.id();
                free[head] += 1;
            }
        }
        let tree = unlabelled_tree_of(sentence).map_err(|error| error.to_string()).map(|tree| {
            let mut crossing = vec![false; words + 1];
            for word in crossed_arcs(&tree) {
                crossing[word.index()] = true;
            }
            (crossing, is_projective(&tree))
        });
        Shape { starts, children, tree }
    }

    /// The words whose head is this one, in order.
    pub(crate) fn children(&self, head: u32) -> &[u32] {
        let head = head as usize;
        &self.children[self.starts[head] as usize..self.starts[head + 1] as usize]
    }
}

/// One sentence.
pub(crate) struct Core {
    sentence: RwLock<Sentence>,
    shape: Mutex<Option<Arc<Shape>>>,
}

impl Core {
    pub(crate) fn new(sentence: Sentence) -> Arc<Core> {
        Arc::new(Core { sentence: RwLock::new(sentence), shape: Mutex::default() })
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Sentence> {
        self.sentence.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the sentence.
    pub(crate) fn edit<T>(&self, change: impl FnOnce(&mut Sentence) -> T) -> T {
        let mut sentence = self.sentence.write().unwrap_or_else(PoisonError::into_inner);
        let outcome = change(&mut sentence);
        *self.shape.lock().unwrap_or_else(PoisonError::into_inner) = None;
        outcome
    }

    pub(crate) fn shape(&self) -> Arc<Shape> {
        let sentence = self.read();
        let mut shape = self.shape.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(shape.get_or_insert_with(|| Arc::new(Shape::of(&sentence))))
    }
}

/// Places of the tokens of a sentence: of each word that of its token.
pub(crate) type Places = Vec<Offsets>;

/// A document.
#[derive(Default)]
pub(crate) struct Doc {
    pub(crate) text: Option<String>,
    pub(crate) sentences: Vec<Arc<Core>>,
    places: OnceLock<Vec<Places>>,
}

impl Doc {
    pub(crate) fn new(text: Option<String>, sentences: Vec<Sentence>) -> Arc<Doc> {
        let sentences = sentences.into_iter().map(Core::new).collect();
        Arc::new(Doc { text, sentences, places: OnceLock::new() })
    }

    pub(crate) fn of(sentences: Vec<Arc<Core>>) -> Arc<Doc> {
        Arc::new(Doc { text: None, sentences, places: OnceLock::new() })
    }

    /// Where the words of a sentence stand in the text. Tokens are parts of the text in its order, with
    /// nothing but blanks between them, so each is found behind the one before it.
    pub(crate) fn places(&self, sentence: usize) -> &[Offsets] {
        let find = || {
            let text = self.text.as_deref().unwrap_or_default();
            let (mut byte, mut character) = (0, 0);
            let sentences = self.sentences.iter();
            sentences.map(|core| places(&core.read(), text, &mut byte, &mut character)).collect()
        };
        self.places.get_or_init(find).get(sentence).map_or(&[], Vec::as_slice)
    }
}

/// The tokens of a sentence with the first and last of their words.
pub(crate) fn tokens(sentence: &Sentence) -> impl Iterator<Item = (u32, u32, bool)> + '_ {
    let mut last_of_range = 0;
    sentence.rows().filter_map(move |row| match row {
        Row::Range { first, last, .. } => {
            last_of_range = last;
            Some((first, last, true))
        }
        Row::Word(word) if word.id() > last_of_range => Some((word.id(), word.id(), false)),
        _ => None,
    })
}

/// The form of the token that these words make up.
pub(crate) fn token_form(sentence: &Sentence, first: u32, is_range: bool) -> &str {
    if !is_range {
        return sentence.word(first as usize).form();
    }
    let range = sentence.rows().find_map(|row| match row {
        Row::Range { first: start, fields, .. } if start == first => Some(fields.form()),
        _ => None,
    });
    range.unwrap_or("_")
}

fn places(sentence: &Sentence, text: &str, byte: &mut usize, character: &mut u64) -> Places {
    let mut places = vec![None; sentence.len()];
    let mut last_of_range = 0;
    for row in sentence.rows() {
        let (first, last, fields) = match row {
            Row::Range { first, last, fields } => (first, last, fields),
            Row::Word(word) if word.id() > last_of_range => (word.id(), word.id(), word.fields()),
            _ => continue,
        };
        last_of_range = last_of_range.max(last);
        let form = fields.form();
        let told = fields.offsets().map(|range| (range.start, range.end));
        let found = text[*byte..].find(form).map(|skipped| {
            *character += text[*byte..*byte + skipped].chars().count() as u64;
            let start = *character;
            *character += form.chars().count() as u64;
            *byte += skipped + form.len();
            (start, *character)
        });
        for word in first..=last {
            if let Some(place) = places.get_mut(word as usize - 1) {
                *place = told.or(found);
            }
        }
    }
    places
}

/// A column that Python knows by this name.
pub(crate) fn column(name: &str) -> Option<Column> {
    Some(match name {
        "form" | "text" => Column::Form,
        "lemma" => Column::Lemma,
        "upos" => Column::Upos,
        "xpos" => Column::Xpos,
        "feats" => Column::Feats,
        "head" => Column::Head,
        "deprel" => Column::Deprel,
        "deps" => Column::Deps,
        "misc" => Column::Misc,
        _ => return None,
    })
}
