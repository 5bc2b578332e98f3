//! Words as rows of three tables: form and lemma, characters, tags and features. Row 0 of each is
//! that of the root, which stands before the first word.
use std::collections::HashMap;
use std::sync::Arc;

use conll::Sentence;
use encoder::Outputs;
use nn::table::Bags;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::characters;
use crate::context::ContextShape;
use crate::vectors::Vectors;

/// What a net sees of a word.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "they are switches")]
pub struct Inputs {
    /// Its form.
    pub form: bool,
    /// The letters of its form.
    pub characters: bool,
    /// Its lemma.
    pub lemma: bool,
    /// Its universal tag.
    pub upos: bool,
    /// Its tag of the language.
    pub xpos: bool,
    /// Its features, each for itself.
    pub feats: bool,
}

impl Inputs {
    /// Forms and their letters alone, for nets that find everything else.
    pub fn letters() -> Inputs {
        Inputs { lemma: false, upos: false, xpos: false, feats: false, ..Inputs::default() }
    }
}

impl Default for Inputs {
    fn default() -> Inputs {
        Inputs { form: true, characters: true, lemma: true, upos: true, xpos: true, feats: true }
    }
}

/// Rows for forms that have none of their own, by hash.
const RARE_ROWS: usize = 64;
/// Longest number of parts that are taken from FEATS.
const MOST_FEATURES: usize = 64;

/// Tables of a net.
pub const TABLES: usize = 3;
/// The one of characters, whose bags are long.
pub const CHARACTERS: usize = 1;

/// The names of rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Vocabulary {
    forms: Vec<String>,
    lemmas: Vec<String>,
    tags: Vec<String>,
}

/// From words to rows.
#[derive(Clone, Debug)]
pub struct Encoder {
    pub inputs: Inputs,
    pub vocabulary: Vocabulary,
    pub buckets: usize,
    forms: HashMap<String, u32>,
    lemmas: HashMap<String, u32>,
    tags: HashMap<String, u32>,
    outside: Outside,
}

/// What nets get that they do not learn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outside {
    /// Vectors of words from a file.
    pub vectors: Option<Arc<Vectors>>,
    /// A pretrained encoder, whose layers are mixed.
    pub encoder: Option<Arc<encoder::Encoder>>,
}

impl Outside {
    /// Numbers of a vector from a file; none without one.
    pub fn vector_width(&self) -> usize {
        self.vectors.as_ref().map_or(0, |vectors| vectors.width())
    }

    /// Layers of the encoder and numbers of each; none without one.
    pub fn encoder_shape(&self) -> [usize; 2] {
        self.encoder.as_ref().map_or([0, 0], |encoder| [encoder.layers(), encoder.width()])
    }

    /// What a net of this shape gets of it.
    pub(crate) fn for_shape(&self, shape: ContextShape) -> Outside {
        Outside {
            vectors: self.vectors.clone().filter(|_| shape.vectors > 0),
            encoder: self.encoder.clone().filter(|_| shape.encoder[1] > 0),
        }
    }

    /// What the encoder says about sentences of these words; nothing without one.
    pub fn outputs(&self, sentences: &[Vec<&str>]) -> Vec<Option<Arc<Outputs>>> {
        match &self.encoder {
            None => vec![None; sentences.len()],
            Some(encoder) => encoder.outputs(sentences).into_iter().map(Some).collect(),
        }
    }
}

/// Sentences that an encoder reads together in training.
const BATCH: usize = 32;

/// The rows of the tokens of a sentence, the root's first.
#[derive(Clone, Debug, Default)]
pub struct Encoded {
    pub bags: [Bags; TABLES],
    /// Rows in vectors from a file, if there is one.
    pub vectors: Vec<Option<u32>>,
    /// What a pretrained encoder says, if there is one.
    pub outputs: Option<Arc<Outputs>>,
}

/// The columns of a word that nets look at; `_` for an empty one.
#[derive(Copy, Clone, Debug)]
pub struct Columns<'a> {
    /// FORM
    pub form: &'a str,
    /// LEMMA
    pub lemma: &'a str,
    /// UPOS
    pub upos: &'a str,
    /// XPOS
    pub xpos: &'a str,
    /// FEATS
    pub feats: &'a str,
}

/// The columns of a sentence.
pub fn columns_of(sentence: &Sentence) -> impl Iterator<Item = Columns<'_>> + Clone {
    sentence.words().map(|word| Columns {
        form: word.form(),
        lemma: word.lemma(),
        upos: word.upos(),
        xpos: word.xpos(),
        feats: word.feats(),
    })
}

impl Encoded {
    /// Tokens.
    pub fn tokens(&self) -> usize {
        self.bags[0].len()
    }
}

fn tags_of(word: Columns<'_>, inputs: Inputs, mut each: impl FnMut(&str)) {
    let mut name = String::new();
    let columns = [(inputs.upos, "u:", word.upos), (inputs.xpos, "x:", word.xpos)];
    for (wanted, mark, value) in columns {
        if wanted && value != "_" {
            name.clear();
            name.extend([mark, value]);
            each(&name);
        }
    }
    if inputs.feats && word.feats != "_" {
        for feature in word.feats.split('|').take(MOST_FEATURES) {
            name.clear();
            name.extend(["f:", feature]);
            each(&name);
        }
    }
}

/// Names that occur often enough, in the order of the alphabet.
fn frequent(counts: HashMap<String, usize>, least: usize) -> Vec<String> {
    let mut names: Vec<String> =
        counts.into_iter().filter(|(_, count)| *count >= least).map(|(name, _)| name).collect();
    names.sort_unstable();
    names
}

impl Vocabulary {
    /// The names of a treebank.
    pub fn of<'a>(
        words: impl Iterator<Item = Columns<'a>>,
        inputs: Inputs,
        least: usize,
    ) -> Vocabulary {
        let mut forms = HashMap::new();
        let mut lemmas = HashMap::new();
        let mut tags = HashMap::new();
        for word in words {
            *forms.entry(word.form.to_lowercase()).or_insert(0) += 1;
            *lemmas.entry(word.lemma.to_owned()).or_insert(0) += 1;
            tags_of(word, inputs, |tag| *tags.entry(tag.to_owned()).or_insert(0) += 1);
        }
        lemmas.remove("_");
        Vocabulary {
            forms: if inputs.form { frequent(forms, least) } else { Vec::new() },
            lemmas: if inputs.lemma { frequent(lemmas, least) } else { Vec::new() },
            tags: frequent(tags, 1),
        }
    }
}

impl Encoder {
    pub fn new(
        inputs: Inputs,
        vocabulary: Vocabulary,
        buckets: usize,
        outside: Outside,
    ) -> Encoder {
        let index = |names: &[String], first: usize| {
            names.iter().cloned().zip(first as u32..).collect::<HashMap<_, _>>()
        };
        let forms = index(&vocabulary.forms, 1 + RARE_ROWS);
        let lemmas = index(&vocabulary.lemmas, 1 + RARE_ROWS + vocabulary.forms.len());
        let tags = index(&vocabulary.tags, 1);
        Encoder { inputs, vocabulary, buckets, forms, lemmas, tags, outside }
    }

    /// What it gets that is not learned.
    pub fn outside(&self) -> &Outside {
        &self.outside
    }

    /// Sentences as they are studied, on all cores.
    pub fn encode_all(&self, sentences: &[&Sentence]) -> Vec<Encoded> {
        let of_chunk = |chunk: &[&Sentence]| {
            let columns = chunk.iter().map(|sentence| columns_of(sentence));
            let forms = columns.map(|words| words.map(|word| word.form).collect());
            let outputs = self.outside.outputs(&forms.collect::<Vec<_>>());
            let encode = |(sentence, outputs): (&&Sentence, _)| Encoded {
                outputs,
                ..self.encode(columns_of(sentence), true)
            };
            chunk.iter().zip(outputs).map(encode).collect::<Vec<Encoded>>()
        };
        sentences.par_chunks(BATCH).flat_map_iter(of_chunk).collect()
    }

    /// Rows of each table.
    pub fn rows(&self) -> [usize; TABLES] {
        let Vocabulary { forms, lemmas, tags } = &self.vocabulary;
        [1 + RARE_ROWS + forms.len() + lemmas.len(), 1 + self.buckets, 1 + tags.len()]
    }

    /// The rows of a sentence; those of characters only if wanted.
    pub fn encode<'a>(
        &self,
        words: impl Iterator<Item = Columns<'a>>,
        with_characters: bool,
    ) -> Encoded {
        let mut encoded = Encoded::default();
        for bags in &mut encoded.bags {
            bags.push([0], 1.0);
        }
        encoded.vectors.push(None);
        let mut rows = Vec::new();
        for word in words {
            rows.clear();
            if self.inputs.form {
                let lower = word.form.to_lowercase();
                let rare = || 1 + (characters::hash(lower.chars()) % RARE_ROWS as u64) as u32;
                rows.push(self.forms.get(&lower).copied().unwrap_or_else(rare));
            }
            if self.inputs.lemma {
                rows.extend(self.lemmas.get(word.lemma));
            }
            encoded.bags[0].push(rows.iter().copied(), 1.0);
            rows.clear();
            if with_characters {
                self.characters(word.form, &mut rows);
            }
            encoded.bags[CHARACTERS].push(rows.iter().copied(), scale(rows.len()));
            rows.clear();
            tags_of(word, self.inputs, |tag| rows.extend(self.tags.get(tag)));
            encoded.bags[2].push(rows.iter().copied(), 1.0);
            let vectors = self.outside.vectors.as_ref();
            encoded.vectors.push(vectors.and_then(|vectors| vectors.row(word.form)));
        }
        encoded
    }

    /// The rows of the letters of a form.
    pub fn characters(&self, form: &str, rows: &mut Vec<u32>) {
        rows.clear();
        if self.inputs.characters {
            characters::rows(form, self.buckets, rows);
        }
    }
}

/// By what a sum of so many rows is scaled, so that long words are not longer vectors.
pub fn scale(rows: usize) -> f32 {
    1.0 / (rows.max(1) as f32).sqrt()
}
