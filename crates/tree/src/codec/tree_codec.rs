//! What a codec on trees is: a gold tree in, a tree the parser can learn out, and back.
use super::lift::{Definition, projectivise};
use super::pseudo_projective::{PseudoProjective, Scheme};
use super::{CodecError, label_limit};
use crate::{Labels, Tree};
use serde::{Deserialize, Serialize};

/// A reversible change of trees. Labels are numbers of the [`Labels`] the codec was bound to.
pub trait TreeCodec: Send + Sync + std::fmt::Debug {
    /// The tree to train on.
    fn encode(&self, gold: &Tree) -> Tree;

    /// A tree of the treebank's own kind. Any tree is accepted, and the result has at least one
    /// and never more words under the root.
    fn decode(&self, parsed: &Tree) -> Tree;
}

/// Trees stay as they are.
#[derive(Copy, Clone, Debug, Default)]
pub struct AsIs;

impl TreeCodec for AsIs {
    fn encode(&self, gold: &Tree) -> Tree {
        gold.clone()
    }

    fn decode(&self, parsed: &Tree) -> Tree {
        parsed.clone()
    }
}

/// Trees are made projective, labels stay, and nothing is undone (Björkelund and Kuhn 2012).
#[derive(Copy, Clone, Debug, Default)]
pub struct Baseline(pub Definition);

impl TreeCodec for Baseline {
    fn encode(&self, gold: &Tree) -> Tree {
        projectivise(gold, self.0).tree
    }

    fn decode(&self, parsed: &Tree) -> Tree {
        parsed.clone()
    }
}

/// Which tree codec, with what was learned from the training trees: what a model file stores.
///
/// ```
/// use crossarc_tree::codec::{TreeCodec, TreeCodecSpec, pseudo_projective::Scheme};
/// use crossarc_tree::{Labels, Node, Tree};
/// let mut labels = Labels::default();
/// let mut label = |name| labels.intern(name).unwrap();
/// // "Z nich je jen jedna na kvalitu ." (Nivre and Nilsson 2005, Figure 1)
/// let names = ["AuxP", "Atr", "Pred", "AuxZ", "Sb", "AuxP", "Adv", "AuxK"];
/// let heads = [5, 1, 0, 5, 3, 3, 6, 0];
/// let gold = Tree::new(heads.into_iter().map(Node).zip(names.map(&mut label))).unwrap();
///
/// let fitted = TreeCodecSpec::pseudo(Scheme::Head).fit([&gold], &mut labels).unwrap();
/// let codec = fitted.bind(&mut labels).unwrap();
/// let encoded = codec.encode(&gold);
/// assert_eq!(encoded.head(Node(1)), Node(3));
/// assert_eq!(labels.name(encoded.label(Node(1))), "AuxP↑Sb");
/// assert_eq!(codec.decode(&encoded), gold);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TreeCodecSpec {
    /// How lifts are written into labels; nothing if trees stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// What counts as non-projective.
    #[serde(default)]
    pub definition: Definition,
    /// The most new labels to keep; all if nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_cap: Option<usize>,
    /// The new labels that are kept, most frequent first; nothing before fitting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_labels: Option<Vec<String>>,
}

impl TreeCodecSpec {
    /// A pseudo-projective codec without a cap, not yet fitted.
    pub fn pseudo(scheme: Scheme) -> TreeCodecSpec {
        TreeCodecSpec { scheme: Some(scheme), ..TreeCodecSpec::default() }
    }

    /// The same codec with at most this many new labels.
    #[must_use]
    pub fn with_label_cap(mut self, cap: Option<usize>) -> TreeCodecSpec {
        self.label_cap = cap;
        self
    }

    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        self.scheme.map_or("none", Scheme::name)
    }

    /// Learns from training trees which new labels to keep, and adds them to the inventory. A codec
    /// that was fitted before keeps what it knows.
    pub fn fit<'a>(
        &self,
        gold: impl IntoIterator<Item = &'a Tree>,
        labels: &mut Labels,
    ) -> Result<TreeCodecSpec, CodecError> {
        let new_labels = match (self.scheme, &self.new_labels) {
            (_, Some(known)) => known.clone(),
            (None | Some(Scheme::Baseline), _) => Vec::new(),
            (Some(scheme), _) => {
                let mut found = scheme.new_labels(self.definition, gold, labels);
                found.truncate(self.label_cap.unwrap_or(usize::MAX));
                found.into_iter().map(|(name, _)| name).collect()
            }
        };
        for name in &new_labels {
            labels.intern(name).ok_or_else(label_limit)?;
        }
        Ok(TreeCodecSpec { new_labels: Some(new_labels), ..self.clone() })
    }

    /// The codec over a label inventory, which gains the labels it lacks. A codec that was never
    /// fitted can decode, and encodes as the baseline does.
    pub fn bind(&self, labels: &mut Labels) -> Result<Box<dyn TreeCodec>, CodecError> {
        Ok(match self.scheme {
            None => Box::new(AsIs),
            Some(Scheme::Baseline) => Box::new(Baseline(self.definition)),
            Some(scheme) => {
                let new = self.new_labels.as_deref().unwrap_or_default();
                Box::new(PseudoProjective::new(scheme, self.definition, new, labels)?)
            }
        })
    }
}
