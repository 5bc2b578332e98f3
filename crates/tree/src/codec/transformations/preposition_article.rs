//! Prepositions with an article in them get a tag of their own, since an article can only follow a
//! genuine preposition: Italian "in" against "nel" (Schiehlen and Spranger 2007). They are known by
//! number or gender among their features.
use conll::{Column, Word};
use serde::{Deserialize, Serialize};

use super::columns::{ColumnTransformation, TagColumn, feature_values, owned};

/// Prepositions with an article in them get a tag of their own, since an article can only follow a genuine
/// preposition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PrepositionArticle {
    /// Tags of prepositions.
    pub prepositions: Vec<String>,
    /// Features that only a preposition with an article has.
    pub features: Vec<String>,
    /// What is added to the tag.
    pub suffix: String,
    /// The column that changes.
    pub column: TagColumn,
}

impl Default for PrepositionArticle {
    fn default() -> PrepositionArticle {
        PrepositionArticle {
            prepositions: owned(&["ADP", "E", "EA", "PREP"]),
            features: owned(&["Number", "Gender", "num", "gen", "gend"]),
            suffix: "+article".to_owned(),
            column: TagColumn::default(),
        }
    }
}

impl ColumnTransformation for PrepositionArticle {
    fn column(&self) -> Column {
        self.column.column()
    }

    fn value(&self, word: Word<'_>) -> Option<String> {
        let is_preposition =
            self.prepositions.iter().any(|tag| tag == word.upos() || tag == word.xpos());
        (is_preposition && !feature_values(word.feats(), &self.features).is_empty())
            .then(|| format!("{}{}", self.column.tag(word), self.suffix))
    }
}
