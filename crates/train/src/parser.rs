//! The door to all parsers: sentences as numbers in, trees out.
//!
//! A [`Parser`] is shared by all threads and never changes; each thread has a [`Worker`] with its
//! own memory.
use crossarc_learn::features::Words;
use crossarc_tree::{Labels, Node, Tree};

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
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Approximate {
    /// It does not.
    Off,
    /// A change must gain more than this.
    Threshold(f64),
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

    /// The best trees with their scores, best first; none if the parser cannot tell.
    fn best_trees(&mut self, _words: &Words, _most: usize) -> Vec<(Tree, f32)> {
        Vec::new()
    }
}
