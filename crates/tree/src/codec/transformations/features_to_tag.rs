//! Chosen morphological features are copied into the tag, for parsers whose features look at tags
//! only: verb form, case (Schiehlen and Spranger 2007).
use conll::{Column, Word};
use serde::{Deserialize, Serialize};

use super::columns::{ColumnTransformation, TagColumn, allows, feature_values, owned};

/// Chosen morphological features are copied into the tag, for parsers whose features look at tags only: verb
/// form, case (Schiehlen and Spranger 2007).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FeaturesToTag {
    /// Names of features, or values where the treebank has values only.
    pub features: Vec<String>,
    /// Only for words with these tags; for all if empty.
    pub tags: Vec<String>,
    /// The column that gets them.
    pub column: TagColumn,
}

impl Default for FeaturesToTag {
    fn default() -> FeaturesToTag {
        FeaturesToTag {
            features: owned(&["VerbForm", "Case", "case", "mood"]),
            tags: Vec::new(),
            column: TagColumn::default(),
        }
    }
}

impl ColumnTransformation for FeaturesToTag {
    fn column(&self) -> Column {
        self.column.column()
    }

    fn value(&self, word: Word<'_>) -> Option<String> {
        let values = feature_values(word.feats(), &self.features);
        (!values.is_empty() && allows(&self.tags, word))
            .then(|| format!("{}+{}", self.column.tag(word), values.join("+")))
    }
}
