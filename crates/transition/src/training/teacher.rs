//! Who says which moves are right while a parser is trained.
use crate::oracle::{DynamicOracle, Oracle, Unreachable};
use crate::system::{MoveSet, TransitionSystem};
use crossarc_tree::Tree;

/// Moves as a set of bits by index.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Moves(u16);

impl Moves {
    /// Adds a move.
    pub fn insert<M: MoveSet>(&mut self, mv: M) {
        self.0 |= 1 << mv.index();
    }

    /// True if the move is in the set.
    pub fn contains<M: MoveSet>(self, mv: M) -> bool {
        self.0 & 1 << mv.index() != 0
    }
}

/// Tells the right moves in the states that training visits.
pub trait Teacher<S: TransitionSystem>: Send + Sync {
    /// True if the teacher can advise in every state, so that the parser may follow its own
    /// predictions.
    const EXPLORES: bool;
    /// What is computed once per sentence.
    type Gold: Send + Sync;
    /// Prepares a gold tree.
    fn prepare(&self, system: &S, gold: &Tree) -> Result<Self::Gold, Unreachable>;
    /// The right moves in a state that is not final.
    fn right_moves(&self, system: &S, gold: &Self::Gold, state: &S::State) -> Moves;
}

/// Teaches the one derivation of a static oracle.
#[derive(Copy, Clone, Debug, Default)]
pub struct Canonical<O>(pub O);

impl<S: TransitionSystem, O: Oracle<S>> Teacher<S> for Canonical<O> {
    const EXPLORES: bool = false;
    type Gold = O::Gold;

    fn prepare(&self, system: &S, gold: &Tree) -> Result<O::Gold, Unreachable> {
        self.0.prepare(system, gold)
    }

    fn right_moves(&self, system: &S, gold: &O::Gold, state: &S::State) -> Moves {
        let mut moves = Moves::default();
        moves.insert(self.0.next(system, gold, state).0);
        moves
    }
}

/// Teaches every move of least cost, in any state.
#[derive(Copy, Clone, Debug, Default)]
pub struct Exploring<O>(pub O);

impl<S: TransitionSystem, O: DynamicOracle<S>> Teacher<S> for Exploring<O> {
    const EXPLORES: bool = true;
    type Gold = O::Gold;

    fn prepare(&self, system: &S, gold: &Tree) -> Result<O::Gold, Unreachable> {
        self.0.prepare(system, gold)
    }

    fn right_moves(&self, system: &S, gold: &O::Gold, state: &S::State) -> Moves {
        let mut moves = Moves::default();
        let mut least = u32::MAX;
        for &mv in S::Move::ALL {
            if system.is_legal(state, mv) {
                let cost = self.0.cost(system, gold, state, mv);
                if cost < least {
                    (least, moves) = (cost, Moves::default());
                }
                if cost == least {
                    moves.insert(mv);
                }
            }
        }
        moves
    }
}
