//! What transformations of columns have in common: the parser sees changed columns, and what is
//! written has the original ones.
use conll::{Column, Sentence, Word};
use serde::{Deserialize, Serialize};

use super::Transformation;
use crate::treebank::morphology::{Meaning, meaning};

/// A part-of-speech column.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TagColumn {
    /// The coarse or universal tag.
    Upos,
    /// The fine tag; where it is empty, the coarse tag is taken as its beginning.
    #[default]
    Xpos,
}

impl TagColumn {
    pub(super) fn column(self) -> Column {
        match self {
            TagColumn::Upos => Column::Upos,
            TagColumn::Xpos => Column::Xpos,
        }
    }

    /// The tag of a word that a transformation builds on.
    pub(super) fn tag(self, word: Word<'_>) -> &str {
        match self {
            TagColumn::Xpos if word.xpos() != "_" => word.xpos(),
            _ => word.upos(),
        }
    }
}

/// A change of one column, word by word.
pub(super) trait ColumnTransformation: Send + Sync {
    fn column(&self) -> Column;

    /// The new value, if it changes.
    fn value(&self, word: Word<'_>) -> Option<String>;
}

/// Columns need no tree, so training and parsing do the same.
pub(super) fn change_column(
    transformation: &impl ColumnTransformation,
    sentence: &Sentence,
) -> Vec<Sentence> {
    let mut changed = sentence.clone();
    for word in sentence.words() {
        if let Some(value) = transformation.value(word) {
            changed.set(word.id() as usize, transformation.column(), &value);
        }
    }
    vec![changed]
}

pub(super) fn restore_column(column: Column, original: &Sentence, parsed: &[Sentence]) -> Sentence {
    let [parsed] = parsed else { return original.clone() };
    if parsed.len() != original.len() {
        return original.clone();
    }
    let mut restored = parsed.clone();
    for word in original.words() {
        if let Some(value) = word.get(column) {
            restored.set(word.id() as usize, column, value);
        }
    }
    restored
}

macro_rules! column_transformation {
    ($name:ty) => {
        impl Transformation for $name {
            fn encode_gold(&self, gold: &Sentence) -> Vec<Sentence> {
                change_column(self, gold)
            }

            fn prepare(&self, sentence: &Sentence) -> Vec<Sentence> {
                change_column(self, sentence)
            }

            fn restore(&self, original: &Sentence, parsed: &[Sentence]) -> Sentence {
                restore_column(self.column(), original, parsed)
            }
        }
    };
}

column_transformation!(super::Articles);
column_transformation!(super::FeaturesToLemma);
column_transformation!(super::FeaturesToTag);
column_transformation!(super::PrepositionArticle);
column_transformation!(super::PunctuationClasses);

/// The values of the named features of a word, in the order of the names. A feature is `Name=Value`
/// or, in older treebanks, a value alone, which is then its own name; if its category is known
/// ([`crate::treebank::morphology`]), that is another name of it.
pub(super) fn feature_values<'a>(feats: &'a str, names: &[String]) -> Vec<&'a str> {
    names
        .iter()
        .filter_map(|name| {
            feats.split('|').find_map(|feature| {
                if let Some((key, value)) = feature.split_once('=') {
                    return (key == name).then_some(value);
                }
                let of_category = || match meaning(feature) {
                    Some(Meaning::Is(category, _)) => category.name() == name,
                    _ => false,
                };
                (feature == name || of_category()).then_some(feature)
            })
        })
        .collect()
}

/// True if a tag is in the list, or the list is empty.
pub(super) fn allows(tags: &[String], word: Word<'_>) -> bool {
    tags.is_empty() || tags.iter().any(|tag| tag == word.upos() || tag == word.xpos())
}

pub(super) fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}
