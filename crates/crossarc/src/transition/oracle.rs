//! What an oracle is: it knows the gold tree and shows the moves that lead to it.
use super::system::TransitionSystem;
use crate::tree::{Label, Tree};

/// The tree is not in the class of trees that the system builds.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreachable(pub &'static str);

/// A static oracle: the gold move in every state of one canonical derivation.
pub trait Oracle<S: TransitionSystem>: Default + Send + Sync + 'static {
    /// Stable name in options and model files.
    const NAME: &'static str;
    /// What is computed once per sentence.
    type Gold: Send + Sync;
    /// Prepares a gold tree, or says that the system cannot build it.
    fn prepare(&self, system: &S, gold: &Tree) -> Result<Self::Gold, Unreachable>;
    /// The move to make, with the label of the arc it builds (any label if it builds none).
    fn next(&self, system: &S, gold: &Self::Gold, state: &S::State) -> (S::Move, Label);
}

/// A dynamic oracle: exact in every reachable state, also after wrong moves, so that a parser can
/// be trained on its own mistakes. Exploration demands this bound.
pub trait DynamicOracle<S: TransitionSystem>: Oracle<S> {
    /// How many gold arcs (labels apart) a legal move makes unreachable.
    fn cost(&self, system: &S, gold: &Self::Gold, state: &S::State, mv: S::Move) -> u32;
}
