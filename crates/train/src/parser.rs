//! The door to all parsers: sentences as numbers in, trees out.
//!
//! A [`Parser`] is shared by all threads and never changes; each thread has a [`Worker`] with its
//! own memory.
use std::str::FromStr;

use crate::insight::Insight;
use crossarc_learn::features::Words;
use crossarc_tree::{Label, Labels, Node, Tree};
use serde::{Deserialize, Serialize};

/// What may be chosen when a model is used.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// Width of the beam; what the model was trained for if nothing.
    pub beam: Option<usize>,
    /// Work out how sure the parser is of each arc.
    pub confidences: bool,
    /// Look at all there is: a graph parser prunes no heads, a beam drops nothing that has a place in it.
    pub exact: bool,
    /// The non-projective approximation of a graph parser; as it was trained if nothing.
    pub approximation: Option<Approximate>,
}

/// Whether a graph parser climbs from the best projective tree to crossing arcs.
///
/// As text it is `off` or a number.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum Approximate {
    /// It does not.
    Off,
    /// A change must gain more than this.
    Threshold(f64),
}

/// How the approximation is written in files.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Text(String),
}

impl TryFrom<Written> for Approximate {
    type Error = String;

    fn try_from(written: Written) -> Result<Approximate, String> {
        match written {
            Written::Number(number) => number.to_string().parse(),
            Written::Text(text) => text.parse(),
        }
    }
}

impl From<Approximate> for Written {
    fn from(approximate: Approximate) -> Written {
        match approximate {
            Approximate::Off => Written::Text("off".to_owned()),
            Approximate::Threshold(threshold) => Written::Number(threshold),
        }
    }
}

impl FromStr for Approximate {
    type Err = String;

    fn from_str(text: &str) -> Result<Approximate, String> {
        if text == "off" {
            return Ok(Approximate::Off);
        }
        match text.parse::<f64>() {
            Ok(threshold) if threshold >= 0.0 && threshold.is_finite() => {
                Ok(Approximate::Threshold(threshold))
            }
            _ => Err(format!("`{text}`: expected `off` or a number such as 0.3")),
        }
    }
}

/// What a parser says about a sentence.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The tree. Labels are those of [`Parser::labels`].
    pub tree: Tree,
    /// Words that the parser left without a head (permissive systems only); in the tree they hang
    /// on the root.
    pub headless: Vec<Node>,
    /// Confidence of the arc above each node, if asked for.
    pub confidences: Vec<f32>,
    /// Moves made, for transition-based parsers.
    pub steps: usize,
    /// True if the sentence was too large for the parser's own search, so that a cheaper one had
    /// to do.
    pub cheaper: bool,
    /// Whether the tree is proved to be the best one under the scores of the model; nothing if the
    /// parser's search always or never is.
    pub proved: Option<bool>,
}

/// A trained parser.
pub trait Parser: Send + Sync {
    /// The labels of its trees, in the encoding of the model's codec.
    fn labels(&self) -> &Labels;
    /// Memory for one thread.
    fn worker(&self, options: &ParseOptions) -> Box<dyn Worker + '_>;
}

/// One thread of a parser; may move to another between two sentences.
pub trait Worker: Send {
    /// Parses a sentence. `given` are heads that must be kept, indexed by node.
    fn parse(&mut self, words: &Words, given: Option<&[Option<Node>]>) -> Analysis;

    /// How sure the parser is of each arc of a tree that it need not have built, with its label;
    /// nothing if it cannot tell. The first number is that of the root node.
    fn sure_of(&mut self, _words: &Words, _tree: &Tree) -> Vec<f32> {
        Vec::new()
    }

    /// The best trees with their scores, best first; none if the parser cannot tell.
    fn best_trees(&mut self, _words: &Words, _most: usize) -> Vec<(Tree, f32)> {
        Vec::new()
    }

    /// What the parser weighs on its way to a tree; nothing if it cannot tell. A transition parser
    /// makes the moves of `follow` first, names with the labels of their arcs, as long as they are
    /// legal.
    fn insight(&mut self, _words: &Words, _follow: &[(String, Label)]) -> Option<Insight> {
        None
    }
}
