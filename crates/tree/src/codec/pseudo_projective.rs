//! Pseudo-projective encodings: non-projective arcs are lifted, the labels say how, and the lifts
//! are undone after parsing (Nivre and Nilsson 2005; Björkelund and Kuhn 2012, section 2).
//!
//! | scheme | lifted arc | arcs along the path | inverse: breadth first below the head of the lifted arc |
//! |---|---|---|---|
//! | head | `l↑h` | `p` | the first word with label `h` |
//! | path | `l↑` | `p↓` | the deepest word reached through arcs with `↓` only |
//! | head+path | `l↑h` | `p↓` | the deepest word with label `h` reached through `↓` only, else as head |
//!
//! `l` is the arc's own label, `h` the label of its original head, and the path runs from the
//! original head up to, and without, the new one. The breadth-first search goes from left to right,
//! as in Nivre and Nilsson 2005, and never below the lifted word itself, so no cycle can arise; an
//! arc for which no place is found stays where it is. Lifted arcs are undone from the top down,
//! from left to right, and those that found no place try once more at the end.
//!
//! Of the new labels only the most frequent ones of the training data may be kept (Johansson and
//! Nugues 2008); arcs that would carry another one keep their own label, as in the baseline.
//!
//! Encoding takes the time of lifting, decoding `O(n + kb)` for `k` lifted arcs and `b` words
//! searched for each. [`TreeCodecSpec`](super::TreeCodecSpec) has an example.
mod inverse;
mod marked_label;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::lift::{Definition, projectivise};
use super::{CodecError, TreeCodec, label_limit};
use crate::{Label, Labels, Node, Tree};
use marked_label::MarkedName;

/// How lifts are written into labels.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Scheme {
    /// Not at all.
    #[serde(rename = "baseline")]
    Baseline,
    /// The lifted arc carries the label of its original head.
    #[serde(rename = "pseudo-head")]
    Head,
    /// The lifted arc is marked as lifted, the arcs it was lifted through as passed.
    #[serde(rename = "pseudo-path")]
    Path,
    /// Both.
    #[serde(rename = "pseudo-head+path")]
    HeadPath,
}

impl Scheme {
    /// All schemes.
    pub const ALL: [Scheme; 4] = [Scheme::Baseline, Scheme::Head, Scheme::Path, Scheme::HeadPath];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Baseline => "baseline",
            Scheme::Head => "pseudo-head",
            Scheme::Path => "pseudo-path",
            Scheme::HeadPath => "pseudo-head+path",
        }
    }

    /// The new labels these trees need, with their frequencies, most frequent first.
    pub fn new_labels<'a>(
        self,
        definition: Definition,
        gold: impl IntoIterator<Item = &'a Tree>,
        labels: &Labels,
    ) -> Vec<(String, usize)> {
        let mut counts: HashMap<Marked, usize> = HashMap::new();
        for tree in gold {
            self.for_each_marked(tree, definition, |_, marked| {
                *counts.entry(marked).or_default() += 1;
            });
        }
        let mut named: Vec<(String, usize)> =
            counts.into_iter().map(|(marked, count)| (marked.name(labels), count)).collect();
        named.sort_by(|(name, count), (other, others)| others.cmp(count).then(name.cmp(other)));
        named
    }

    /// Lifts, and tells which words need which marked label.
    fn for_each_marked(
        self,
        gold: &Tree,
        definition: Definition,
        mut tell: impl FnMut(Node, Marked),
    ) -> Option<Tree> {
        let lifted = projectivise(gold, definition);
        if lifted.lifts == 0 {
            return None;
        }
        for word in gold.words() {
            let moved = gold.head(word) != lifted.tree.head(word);
            let lift = match self {
                _ if !moved => Lift::None,
                Scheme::Baseline => Lift::None,
                Scheme::Path => Lift::Somewhere,
                Scheme::Head | Scheme::HeadPath => Lift::From(gold.label(gold.head(word))),
            };
            let passed =
                lifted.passed[word.index()] && matches!(self, Scheme::Path | Scheme::HeadPath);
            if lift != Lift::None || passed {
                tell(word, Marked { label: gold.label(word), lift, passed });
            }
        }
        Some(lifted.tree)
    }
}

/// Whether an arc was lifted, and what is known of its original head.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
enum Lift {
    #[default]
    None,
    /// `l↑`
    Somewhere,
    /// `l↑h`
    From(Label),
}

/// A label taken apart.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct Marked {
    label: Label,
    lift: Lift,
    /// `l↓`: a dependent was lifted away from the word the arc leads to.
    passed: bool,
}

impl Marked {
    fn plain(label: Label) -> Marked {
        Marked { label, lift: Lift::None, passed: false }
    }

    fn name(self, labels: &Labels) -> String {
        let lift = match self.lift {
            Lift::None => None,
            Lift::Somewhere => Some(""),
            Lift::From(head) => Some(labels.name(head)),
        };
        MarkedName { label: labels.name(self.label), lift, passed: self.passed }.to_string()
    }

    fn parse(name: &str, scheme: Scheme, labels: &mut Labels) -> Result<Marked, CodecError> {
        let parts = marked_label::parse(name);
        let mut intern = |name: &str| labels.intern(name).ok_or_else(label_limit);
        let lift = match &parts.lift {
            None => Lift::None,
            Some(_) if scheme == Scheme::Path => Lift::Somewhere,
            Some(head) => Lift::From(intern(head)?),
        };
        Ok(Marked { label: intern(&parts.label)?, lift, passed: parts.passed })
    }
}

/// A pseudo-projective codec bound to a label inventory.
#[derive(Clone, Debug)]
pub struct PseudoProjective {
    scheme: Scheme,
    definition: Definition,
    /// Kept labels only.
    written: HashMap<Marked, Label>,
    /// How plain labels are written, by number: differently if they contain a mark themselves.
    escaped: Vec<Label>,
    /// What a written label means, by number.
    read: Vec<Marked>,
}

impl PseudoProjective {
    /// The codec that keeps these new labels.
    pub fn new(
        scheme: Scheme,
        definition: Definition,
        new_labels: &[String],
        labels: &mut Labels,
    ) -> Result<PseudoProjective, CodecError> {
        let mut written = HashMap::new();
        for name in new_labels {
            let label = labels.intern(name).ok_or_else(label_limit)?;
            written.insert(Marked::parse(name, scheme, labels)?, label);
        }
        let known: Vec<(Label, String)> =
            labels.iter().map(|(label, name)| (label, name.to_owned())).collect();
        let mut escaped = Vec::with_capacity(known.len());
        let mut read = Vec::with_capacity(known.len());
        for (label, name) in &known {
            read.push(Marked::parse(name, scheme, labels)?);
            let plain = Marked::plain(*label).name(labels);
            escaped.push(labels.intern(&plain).ok_or_else(label_limit)?);
        }
        for index in known.len()..labels.len() {
            let label = Label(index as u16);
            let name = labels.name(label).to_owned();
            read.push(Marked::parse(&name, scheme, labels)?);
            escaped.push(label);
        }
        Ok(PseudoProjective { scheme, definition, written, escaped, read })
    }

    fn read(&self, label: Label) -> Marked {
        self.read.get(label.index()).copied().unwrap_or(Marked::plain(label))
    }

    fn escape(&self, tree: &mut Tree) {
        for word in tree.words() {
            let label = tree.label(word);
            if let Some(&written) = self.escaped.get(label.index())
                && written != label
            {
                tree.set_label(word, written);
            }
        }
    }
}

impl TreeCodec for PseudoProjective {
    fn encode(&self, gold: &Tree) -> Tree {
        let mut marked = Vec::new();
        let lifted = self.scheme.for_each_marked(gold, self.definition, |word, parts| {
            marked.extend(self.written.get(&parts).map(|&label| (word, label)));
        });
        let mut tree = lifted.unwrap_or_else(|| gold.clone());
        self.escape(&mut tree);
        for (word, label) in marked {
            tree.set_label(word, label);
        }
        tree
    }

    fn decode(&self, parsed: &Tree) -> Tree {
        inverse::decode(self, parsed)
    }
}
