//! Punctuation under the root hangs on the word before it, so that it crosses no arc (the repair
//! of the Turkish treebank in Schiehlen and Spranger 2007). Its label says so, and the inverse
//! sends it back.
use conll::Sentence;
use serde::{Deserialize, Serialize};

use super::ArcTransformation;
use super::arcs::{is_punctuation, with_arcs};

/// Punctuation under the root hangs on the word before it, so that it crosses no arc (the repair of the
/// Turkish treebank in Schiehlen and Spranger 2007).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Punctuation {
    /// Tags (coarse or fine) that are punctuation; if empty, words without a letter or digit.
    pub tags: Vec<String>,
    /// What is added to the label.
    pub mark: String,
}

impl Default for Punctuation {
    fn default() -> Punctuation {
        Punctuation { tags: Vec::new(), mark: "@root".to_owned() }
    }
}

impl ArcTransformation for Punctuation {
    fn encode(&self, gold: &Sentence) -> Sentence {
        with_arcs(gold, |arcs| {
            let mut roots = arcs.roots();
            for word in gold.words() {
                let id = word.id() as usize;
                let is_listed =
                    self.tags.iter().any(|tag| tag == word.upos() || tag == word.xpos());
                let applies = is_listed || (self.tags.is_empty() && is_punctuation(word.form()));
                if applies && id > 1 && arcs.head(id) == 0 && roots > 1 && arcs.reattach(id, id - 1)
                {
                    roots -= 1;
                    arcs.set_label(id, format!("{}{}", arcs.label(id), self.mark));
                }
            }
        })
    }

    fn decode(&self, parsed: &Sentence) -> Sentence {
        with_arcs(parsed, |arcs| {
            for word in arcs.words() {
                if let Some(label) = arcs.label(word).strip_suffix(&self.mark)
                    && !self.mark.is_empty()
                {
                    let label = label.to_owned();
                    arcs.set_label(word, label);
                    arcs.reattach(word, 0);
                }
            }
        })
    }
}
