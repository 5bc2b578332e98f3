//! A parenthesis and its head change places (the Greek step of Schiehlen and Spranger 2007): the
//! word with the marker takes the place and loses the marker, the former head, which is the bracket or
//! dash, becomes its dependent under a label that nothing else has.
//!
//! Where another word is the head of what stands in a parenthesis, as in Perseus, nothing is changed: there
//! would be a new label for each label of a head.
use conll::Sentence;
use serde::{Deserialize, Serialize};

use super::ArcTransformation;
use super::arcs::with_arcs;

/// A parenthesis and its head change places (the Greek step of Schiehlen and Spranger 2007): the word with
/// the marker takes the place and loses the marker, the former head, which is the bracket or dash, becomes
/// its dependent under a label that nothing else has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Parenthesis {
    /// The end of the label of a word in a parenthesis.
    pub marker: String,
    /// Labels of heads that may change places, those of brackets and dashes; any if empty.
    pub heads: Vec<String>,
    /// What stands before the label of the former head.
    pub prefix: String,
}

impl Default for Parenthesis {
    fn default() -> Parenthesis {
        Parenthesis {
            marker: "_PA".to_owned(),
            heads: vec!["AuxG".to_owned()],
            prefix: "PA:".to_owned(),
        }
    }
}

impl ArcTransformation for Parenthesis {
    fn encode(&self, gold: &Sentence) -> Sentence {
        with_arcs(gold, |arcs| {
            let mut switched = vec![false; gold.len() + 1];
            for word in arcs.words() {
                let head = arcs.head(word);
                let Some(label) = arcs.label(word).strip_suffix(&self.marker) else { continue };
                let may_switch = self.heads.is_empty()
                    || self.heads.iter().any(|allowed| allowed == arcs.label(head));
                if label.is_empty() || head == 0 || switched[word] || switched[head] || !may_switch
                {
                    continue;
                }
                let (label, former) =
                    (label.to_owned(), format!("{}{}", self.prefix, arcs.label(head)));
                arcs.switch_with_head(word);
                arcs.set_label(word, label);
                arcs.set_label(head, former);
                (switched[word], switched[head]) = (true, true);
            }
        })
    }

    fn decode(&self, parsed: &Sentence) -> Sentence {
        with_arcs(parsed, |arcs| {
            let mut switched = vec![false; parsed.len() + 1];
            for former in arcs.words() {
                let word = arcs.head(former);
                let Some(label) = arcs.label(former).strip_prefix(&self.prefix) else { continue };
                let label = label.to_owned();
                if word != 0 && !switched[word] && !switched[former] {
                    arcs.switch_with_head(former);
                    arcs.set_label(word, format!("{}{}", arcs.label(word), self.marker));
                    (switched[word], switched[former]) = (true, true);
                }
                arcs.set_label(former, label);
            }
        })
    }
}
