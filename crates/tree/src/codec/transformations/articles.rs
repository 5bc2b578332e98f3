//! Definite and indefinite articles get one common tag (Schiehlen and Spranger 2007).
use conll::{Column, Word};
use serde::{Deserialize, Serialize};

use super::columns::{ColumnTransformation, TagColumn, owned};

/// Definite and indefinite articles get one common tag (Schiehlen and Spranger 2007).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Articles {
    /// Tags of articles.
    pub tags: Vec<String>,
    /// Features that make a word an article.
    pub features: Vec<String>,
    /// The common tag.
    pub tag: String,
    /// The column that changes.
    pub column: TagColumn,
}

impl Default for Articles {
    fn default() -> Articles {
        Articles {
            tags: owned(&["RD", "RI"]),
            features: owned(&["PronType=Art"]),
            tag: "article".to_owned(),
            column: TagColumn::default(),
        }
    }
}

impl ColumnTransformation for Articles {
    fn column(&self) -> Column {
        self.column.column()
    }

    fn value(&self, word: Word<'_>) -> Option<String> {
        let by_tag = self.tags.iter().any(|tag| tag == word.upos() || tag == word.xpos());
        let by_feature =
            word.feats().split('|').any(|feature| self.features.iter().any(|name| name == feature));
        (by_tag || by_feature).then(|| self.tag.clone())
    }
}
