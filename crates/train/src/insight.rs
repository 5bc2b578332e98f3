//! What a parser weighed when it chose a tree, for people to look at.
//!
//! A transition parser tells its states with the scores of all legal moves, a graph parser the
//! scores of all arcs. Nothing here is on the way of a sentence that is only parsed.
use crossarc_tree::Label;

/// What a parser looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Insight {
    /// The states of a derivation, the last one without a move.
    Moves(Vec<StateSeen>),
    /// The arcs among which a tree was chosen, by dependents and heads.
    Arcs(Vec<ArcSeen>),
}

/// One state of a transition system. Nodes are numbers, the root is 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateSeen {
    /// The stack, its top last.
    pub stack: Vec<u32>,
    /// The buffer, its front first.
    pub buffer: Vec<u32>,
    /// Words between stack and buffer, where a system has such a list.
    pub passed: Vec<u32>,
    /// Arcs that there are, as head, dependent and label.
    pub arcs: Vec<(u32, u32, Label)>,
    /// Moves that are legal.
    pub legal: Vec<MoveSeen>,
    /// The place in `legal` of the move that is made.
    pub chosen: Option<usize>,
}

/// A legal move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveSeen {
    /// Its name.
    pub name: &'static str,
    /// Its score, where a model gave one.
    pub score: Option<f32>,
    /// The arc that it builds, as head and dependent.
    pub arc: Option<(u32, u32)>,
    /// The label that the arc gets.
    pub label: Option<Label>,
}

/// A candidate arc.
#[derive(Clone, Debug, PartialEq)]
pub struct ArcSeen {
    /// The head, 0 for the root.
    pub head: u32,
    /// The dependent.
    pub dependent: u32,
    /// The best label by the score of the arc alone.
    pub label: Label,
    /// The score of the arc alone with that label.
    pub score: f32,
    /// The probability of the arc, all factors and labels together.
    pub probability: f32,
}
