//! Chosen morphological features fill an empty lemma: the meaning of Turkish affixes, for example
//! (Schiehlen and Spranger 2007).
use conll::{Column, Word};
use serde::{Deserialize, Serialize};

use super::columns::{ColumnTransformation, allows, feature_values};

/// Chosen morphological features fill an empty lemma: the meaning of Turkish affixes, for example (Schiehlen
/// and Spranger 2007).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FeaturesToLemma {
    /// Names of features, or values where the treebank has values only; all features if empty.
    pub features: Vec<String>,
    /// Only for words with these tags; for all if empty.
    pub tags: Vec<String>,
}

impl ColumnTransformation for FeaturesToLemma {
    fn column(&self) -> Column {
        Column::Lemma
    }

    fn value(&self, word: Word<'_>) -> Option<String> {
        if word.lemma() != "_" || word.feats() == "_" || !allows(&self.tags, word) {
            return None;
        }
        if self.features.is_empty() {
            return Some(word.feats().to_owned());
        }
        let values = feature_values(word.feats(), &self.features);
        (!values.is_empty()).then(|| values.join("+"))
    }
}
