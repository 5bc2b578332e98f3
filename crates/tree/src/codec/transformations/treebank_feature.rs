//! The treebank that a sentence comes from becomes a feature of its words, so that one model can be trained
//! on several treebanks of a language, or of several languages, and knows which annotation is wanted: what
//! Stymne, de Lhoneux, Smith and Nivre (2018) do with an embedding, for all learners.
//!
//! The name stands in a comment of each sentence, `# treebank = en_ewt`. A sentence without one counts as
//! being from the treebank that most training sentences are from. Templates that read each morphological
//! feature by itself (`morph`) see it beside all tags.
use std::collections::BTreeMap;

use conll::{Column, Sentence};
use serde::{Deserialize, Serialize};

use super::Transformation;
use super::columns::restore_column;

/// The treebank that a sentence comes from becomes a feature of its words, so that one model can be trained
/// on several treebanks of a language, or of several languages, and knows which annotation is wanted: what
/// Stymne, de Lhoneux, Smith and Nivre (2018) do with an embedding, for all learners.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TreebankFeature {
    /// Name of the comment.
    pub comment: String,
    /// Name of the feature.
    pub feature: String,
    /// The treebank of sentences without that comment; learned from the treebank if empty.
    pub usual: String,
}

impl Default for TreebankFeature {
    fn default() -> TreebankFeature {
        TreebankFeature {
            comment: "treebank".to_owned(),
            feature: "Treebank".to_owned(),
            usual: String::new(),
        }
    }
}

impl Transformation for TreebankFeature {
    fn encode_gold(&self, gold: &Sentence) -> Vec<Sentence> {
        self.prepare(gold)
    }

    fn prepare(&self, sentence: &Sentence) -> Vec<Sentence> {
        let mut changed = sentence.clone();
        let named = sentence.comment_value(&self.comment).map(str::trim);
        let treebank = named.filter(|name| !name.is_empty()).unwrap_or(&self.usual);
        // What separates features must not be part of one.
        let clean = treebank.replace(|c: char| c.is_whitespace() || c == '|' || c == '=', "-");
        if !clean.is_empty() {
            for word in sentence.words() {
                let others = Some(word.feats()).filter(|feats| *feats != "_");
                let own = format!("{}={clean}", self.feature);
                let feats = others.map_or(own.clone(), |others| format!("{others}|{own}"));
                changed.set(word.id() as usize, Column::Feats, &feats);
            }
        }
        vec![changed]
    }

    fn restore(&self, original: &Sentence, parsed: &[Sentence]) -> Sentence {
        restore_column(Column::Feats, original, parsed)
    }

    fn fit(&mut self, gold: &[Sentence]) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in gold.iter().filter_map(|sentence| sentence.comment_value(&self.comment)) {
            *counts.entry(name.trim()).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|&(name, count)| (count, std::cmp::Reverse(name)));
        if let Some((name, _)) = most
            && self.usual.is_empty()
        {
            self.usual = name.to_owned();
        }
    }
}
