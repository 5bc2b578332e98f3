//! What an oracle is: it knows the gold tree and shows the moves that lead to it.
use super::system::{SystemOptions, TransitionSystem};
use crossarc_tree::{Label, Tree};

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
    /// A static oracle is asked only in states of its own derivation.
    fn next(&self, system: &S, gold: &Self::Gold, state: &S::State) -> (S::Move, Label);
}

/// A dynamic oracle: it says what a move costs in every reachable state, also after wrong moves, so
/// that a parser can be trained on its own mistakes. Exploration demands this bound.
///
/// Promise, checked by the conformance kit: in every reachable state that is not final some legal
/// move is free, [`Oracle::next`] returns a free one, and free moves from the initial state on lead
/// to the gold tree. After mistakes the cost may be an approximation; see [`ExactOracle`].
pub trait DynamicOracle<S: TransitionSystem>: Oracle<S> {
    /// How many gold arcs (labels apart) a legal move makes unreachable.
    fn cost(&self, system: &S, gold: &Self::Gold, state: &S::State, mv: S::Move) -> u32;
}

/// A dynamic oracle whose cost is exactly the loss: by how many arcs the best tree that can still
/// be reached gets worse. The conformance kit compares it with exhaustive search.
pub trait ExactOracle<S: TransitionSystem>: DynamicOracle<S> {}

/// How much an oracle knows.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OracleKind {
    /// One derivation per tree: [`Oracle`].
    Static,
    /// Any state, approximately after mistakes: [`DynamicOracle`].
    Dynamic,
    /// Any state, exactly: [`ExactOracle`].
    Exact,
}

/// The moves that the oracle shows for a tree, with labels, from the initial state to the end.
pub fn derivation<S: TransitionSystem, O: Oracle<S>>(
    options: SystemOptions,
    gold: &Tree,
) -> Result<Vec<(S::Move, Label)>, Unreachable> {
    let (system, oracle) = (S::new(options), O::default());
    let prepared = oracle.prepare(&system, gold)?;
    let mut state = S::State::default();
    system.reset(&mut state, gold.len());
    let mut moves = Vec::new();
    while !system.is_final(&state) {
        let (mv, label) = oracle.next(&system, &prepared, &state);
        debug_assert!(system.is_legal(&state, mv), "{}: {mv:?} in {state:?}", S::NAME);
        system.apply(&mut state, mv, label);
        moves.push((mv, label));
    }
    Ok(moves)
}
