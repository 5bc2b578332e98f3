//! Punctuation gets a fine tag: opening and closing brackets, commas, signs that end a sentence
//! (Schiehlen and Spranger 2007).
use std::collections::BTreeMap;

use conll::{Column, Word};
use serde::{Deserialize, Serialize};

use super::arcs::is_punctuation;
use super::columns::{ColumnTransformation, TagColumn, allows};

/// Punctuation gets a fine tag: opening and closing brackets, commas, signs that end a sentence (Schiehlen
/// and Spranger 2007).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PunctuationClasses {
    /// Classes of further forms, or other classes for known ones.
    pub classes: BTreeMap<String, String>,
    /// Only for words with these tags; for all punctuation if empty.
    pub tags: Vec<String>,
    /// The column that gets them.
    pub column: TagColumn,
}

fn class_of(form: &str) -> &'static str {
    match form.chars().next().unwrap_or(' ') {
        '(' | '[' | '{' | '⟨' | '（' | '【' | '〔' | '《' | '〈' => "open",
        ')' | ']' | '}' | '⟩' | '）' | '】' | '〕' | '》' | '〉' => "close",
        ',' | '،' | '，' | '、' => "comma",
        '.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '۔' | '।' => "final",
        ';' | ':' | '·' | '؛' | '；' | '：' => "colon",
        '"' | '\'' | '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '‹' | '›' | '`' | '「' | '」'
        | '『' | '』' => "quote",
        '-' | '–' | '—' | '―' => "dash",
        _ => "other",
    }
}

impl ColumnTransformation for PunctuationClasses {
    fn column(&self) -> Column {
        self.column.column()
    }

    fn value(&self, word: Word<'_>) -> Option<String> {
        let listed = self.classes.get(word.form()).map(String::as_str);
        let class = match listed {
            Some(class) => class,
            None if is_punctuation(word.form()) => class_of(word.form()),
            None => return None,
        };
        allows(&self.tags, word).then(|| format!("{}+{class}", self.column.tag(word)))
    }
}
