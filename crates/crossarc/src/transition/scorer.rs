//! What a scorer is: it says how good each move is in a state, and each label for an arc.
//!
//! A decision has two steps: first the moves are scored, then the labels of the arc that a move
//! builds. The score of a labelled move is the sum of both.
use super::certain::CertainLabels;
use super::features::{Program, Scratch};
use super::state::StateView;
use super::system::{Arc, Focus, TransitionSystem};
use crate::features::Words;
use crate::learn::packed::{MoveScores, PackedLabels, PackedMoves};
use crate::learn::perceptron::{DenseWeights, SparseWeights};

/// Scores moves and labels. Shared by all threads; what changes lives in the context.
pub trait Scorer<S: TransitionSystem>: Send + Sync {
    /// Working memory, one per thread.
    type Context: Default + Send;

    /// Number of labels.
    fn labels(&self) -> usize;

    /// Writes the scores of all moves, legal or not.
    fn score_moves(
        &self,
        words: &Words,
        state: &S::State,
        context: &mut Self::Context,
        scores: &mut MoveScores,
    );

    /// Writes the scores of all labels for an arc that may be built in this state; only one that
    /// is certain may have a finite score.
    fn score_labels(
        &self,
        words: &Words,
        state: &S::State,
        arc: Arc,
        context: &mut Self::Context,
        scores: &mut [f32],
    );
}

/// A table of weights for moves.
pub trait MoveWeights: Send + Sync {
    /// Adds the weights of the features to the scores of all moves.
    fn add_to(&self, features: &[u64], scores: &mut MoveScores);

    /// The same with working memory.
    #[inline]
    fn score(&self, features: &[u64], _: &mut Memory, scores: &mut MoveScores) {
        self.add_to(features, scores);
    }
}

/// A table of weights for labels.
pub trait LabelWeights: Send + Sync {
    /// Adds the weights of the features to the scores of all labels.
    fn add_to(&self, features: &[u64], sums: &mut Vec<i32>, scores: &mut [f32]);

    /// The same with working memory.
    #[inline]
    fn score(&self, features: &[u64], memory: &mut Memory, scores: &mut [f32]) {
        self.add_to(features, &mut memory.sums, scores);
    }
}

impl MoveWeights for DenseWeights {
    fn add_to(&self, features: &[u64], scores: &mut MoveScores) {
        self.add_scores(features, scores);
    }
}

impl MoveWeights for PackedMoves {
    fn add_to(&self, features: &[u64], scores: &mut MoveScores) {
        self.add_scores(features, scores);
    }
}

impl LabelWeights for SparseWeights {
    fn add_to(&self, features: &[u64], _: &mut Vec<i32>, scores: &mut [f32]) {
        self.add_scores(features, scores);
    }
}

impl LabelWeights for PackedLabels {
    fn add_to(&self, features: &[u64], sums: &mut Vec<i32>, scores: &mut [f32]) {
        self.add_scores(features, sums, scores);
    }
}

/// The programs that extract features for moves and labels, and the arcs that need none.
#[derive(Clone, Debug, Default)]
pub struct Extractors {
    /// For choosing a move.
    pub moves: Program,
    /// For naming an arc.
    pub labels: Program,
    /// Arcs that have only one name.
    pub certain: Option<CertainLabels>,
    /// For choosing the machine that decides, if there are several.
    pub split: Program,
}

impl Extractors {
    /// Writes the value by which machines are chosen.
    #[inline]
    pub fn run_split<V: StateView>(
        &self,
        words: &Words,
        state: &V,
        focus: Focus,
        arc: Option<Arc>,
        scratch: &mut Scratch,
        split: &mut Vec<u64>,
    ) {
        if !self.split.is_empty() {
            split.clear();
            self.split.run(words, state, focus, arc, scratch, split);
        }
    }
}

/// A linear model over feature templates, while it is trained or after it has been packed.
#[derive(Clone, Debug)]
pub struct Linear<M, L> {
    /// Feature programs.
    pub extractors: Extractors,
    /// Weights of moves.
    pub moves: M,
    /// Weights of labels.
    pub labels: L,
    /// Number of labels.
    pub label_count: usize,
}

/// Working memory of weights.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Sums in whole numbers.
    pub sums: Vec<i32>,
    /// The value by which machines are chosen, or nothing.
    pub split: Vec<u64>,
    /// For machines over pairs of features.
    pub pairs: svm::expansion::Scratch,
}

/// Working memory of a [`Linear`] scorer; after a call it holds the features that were scored.
#[derive(Clone, Debug, Default)]
pub struct LinearContext {
    scratch: Scratch,
    memory: Memory,
    /// Features of the last state or arc scored.
    pub features: Vec<u64>,
}

impl<S: TransitionSystem, M: MoveWeights, L: LabelWeights> Scorer<S> for Linear<M, L> {
    type Context = LinearContext;

    fn labels(&self) -> usize {
        self.label_count
    }

    #[inline]
    fn score_moves(
        &self,
        words: &Words,
        state: &S::State,
        context: &mut LinearContext,
        scores: &mut MoveScores,
    ) {
        context.features.clear();
        let LinearContext { scratch, features, memory } = context;
        self.extractors.run_split(words, state, S::FOCUS, None, scratch, &mut memory.split);
        self.extractors.moves.run(words, state, S::FOCUS, None, scratch, features);
        *scores = MoveScores::default();
        self.moves.score(features, memory, scores);
    }

    #[inline]
    fn score_labels(
        &self,
        words: &Words,
        state: &S::State,
        arc: Arc,
        context: &mut LinearContext,
        scores: &mut [f32],
    ) {
        context.features.clear();
        let certain = self.extractors.certain.as_ref().and_then(|certain| certain.get(words, arc));
        if let Some(label) = certain.filter(|label| label.index() < scores.len()) {
            scores.fill(f32::NEG_INFINITY);
            scores[label.index()] = 0.0;
            return;
        }
        let LinearContext { scratch, features, memory } = context;
        self.extractors.run_split(words, state, S::FOCUS, Some(arc), scratch, &mut memory.split);
        self.extractors.labels.run(words, state, S::FOCUS, Some(arc), scratch, features);
        scores.fill(0.0);
        self.labels.score(features, memory, scores);
    }
}
