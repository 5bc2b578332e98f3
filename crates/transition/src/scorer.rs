//! What a scorer is: it says how good each move is in a state, and each label for an arc.
//!
//! A decision has two steps: first the moves are scored, then the labels of the arc that a move
//! builds. The score of a labelled move is the sum of both.
use super::certain::CertainLabels;
use super::label_memory::LabelMemory;
use super::system::TransitionSystem;
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::state::StateView;
use crossarc_learn::state::{Arc, Focus};
use crossarc_learn::templates::{Program, Scratch};
use crossarc_learn::weights::best_label;
use crossarc_learn::weights::{LabelWeights, Memory, MoveWeights};
use crossarc_tree::Label;

/// Scores moves and labels. Shared by all threads; what changes lives in the context.
pub trait Scorer<S: TransitionSystem>: Send + Sync {
    /// Working memory, one per thread.
    type Context: Default + Send;

    /// Number of labels.
    fn labels(&self) -> usize;

    /// Takes in a sentence: called before its states are scored, and once more when the weights may
    /// have changed.
    fn begin(&self, _words: &Words, _context: &mut Self::Context) {}

    /// Writes the scores of all moves, legal or not.
    fn score_moves(
        &self,
        words: &Words,
        state: &S::State,
        context: &mut Self::Context,
        scores: &mut MoveScores,
    );

    /// Writes the scores of all moves in several states of the sentence, as [`Scorer::score_moves`]
    /// does in each.
    fn score_states<'s>(
        &self,
        words: &Words,
        states: impl Iterator<Item = &'s S::State>,
        context: &mut Self::Context,
        scores: &mut Vec<MoveScores>,
    ) where
        S: 's,
    {
        scores.clear();
        for state in states {
            let mut of_state = MoveScores::default();
            self.score_moves(words, state, context, &mut of_state);
            scores.push(of_state);
        }
    }

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

    /// The best label for an arc and its score, the first of equals; what was found for the same
    /// features since [`Scorer::begin`] may be given again. `scores` is working memory.
    #[inline]
    fn best_label(
        &self,
        words: &Words,
        state: &S::State,
        arc: Arc,
        context: &mut Self::Context,
        scores: &mut [f32],
    ) -> (Label, f32) {
        self.score_labels(words, state, arc, context, scores);
        let label = best_label(scores);
        (label, scores[label.index()])
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

/// Working memory of a [`Linear`] scorer; after a call it holds the features that were scored.
#[derive(Clone, Debug, Default)]
pub struct LinearContext {
    scratch: Scratch,
    memory: Memory,
    named: LabelMemory,
    /// Features of the last state or arc scored.
    pub features: Vec<u64>,
}

impl<M, L> Linear<M, L> {
    fn certain_label(&self, words: &Words, arc: Arc) -> Option<Label> {
        let certain = self.extractors.certain.as_ref().and_then(|certain| certain.get(words, arc));
        certain.filter(|label| label.index() < self.label_count)
    }

    fn extract_for_label<S: TransitionSystem>(
        &self,
        words: &Words,
        state: &S::State,
        arc: Arc,
        context: &mut LinearContext,
    ) {
        let LinearContext { scratch, features, memory, .. } = context;
        features.clear();
        self.extractors.run_split(words, state, S::FOCUS, Some(arc), scratch, &mut memory.split);
        self.extractors.labels.run(words, state, S::FOCUS, Some(arc), scratch, features);
    }
}

impl<S: TransitionSystem, M: MoveWeights, L: LabelWeights> Scorer<S> for Linear<M, L> {
    type Context = LinearContext;

    fn labels(&self) -> usize {
        self.label_count
    }

    fn begin(&self, _: &Words, context: &mut LinearContext) {
        context.named.forget();
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
        let LinearContext { scratch, features, memory, .. } = context;
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
        if let Some(label) = self.certain_label(words, arc) {
            context.features.clear();
            scores.fill(f32::NEG_INFINITY);
            scores[label.index()] = 0.0;
            return;
        }
        self.extract_for_label::<S>(words, state, arc, context);
        scores.fill(0.0);
        self.labels.score(&context.features, &mut context.memory, scores);
    }

    #[inline]
    fn best_label(
        &self,
        words: &Words,
        state: &S::State,
        arc: Arc,
        context: &mut LinearContext,
        scores: &mut [f32],
    ) -> (Label, f32) {
        if let Some(label) = self.certain_label(words, arc) {
            context.features.clear();
            return (label, 0.0);
        }
        self.extract_for_label::<S>(words, state, arc, context);
        let LinearContext { features, memory, named, .. } = context;
        let decisive = memory.split.iter().chain(&*features).copied();
        let key = named.key(decisive);
        named.get_or_find(key, || {
            scores.fill(0.0);
            self.labels.score(features, memory, scores);
            let label = best_label(scores);
            (label, scores[label.index()])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{StoredContext, StoredScorer};
    use crate::searches::Free;
    use crate::searches::beam::{Beam, LabelScores};
    use crate::system::SystemOptions;
    use crate::systems::arc_eager::ArcEager;
    use crate::train::train;
    use crossarc_learn::features::words::read_words;
    use crossarc_train::material::Material;
    use crossarc_train::{TrainOptions, Unobserved};
    use crossarc_tree::RootPolicy;
    use crossarc_tree::seed::Seed;
    use crossarc_tree::treebank::generate::{TreebankOptions, treebank};

    /// A scorer that remembers nothing.
    struct Forgetful(StoredScorer);

    impl<S: TransitionSystem> Scorer<S> for Forgetful {
        type Context = StoredContext;

        fn labels(&self) -> usize {
            Scorer::<S>::labels(&self.0)
        }

        fn score_moves(
            &self,
            words: &Words,
            state: &S::State,
            context: &mut StoredContext,
            scores: &mut MoveScores,
        ) {
            Scorer::<S>::score_moves(&self.0, words, state, context, scores);
        }

        fn score_labels(
            &self,
            words: &Words,
            state: &S::State,
            arc: Arc,
            context: &mut StoredContext,
            scores: &mut [f32],
        ) {
            Scorer::<S>::score_labels(&self.0, words, state, arc, context, scores);
        }
    }

    #[test]
    fn a_beam_that_remembers_labels_finds_the_same_trees() {
        let generated = TreebankOptions { sentences: 60, nonprojective: 0.0, ..Default::default() };
        let sentences = treebank(Seed(5), &generated);
        let options = TrainOptions { beam: 4, epochs: 1, ..TrainOptions::default() };
        let material = Material::plain(&sentences);
        let trained = train(&options, material, Material::plain(&[]), &Unobserved).unwrap();
        let scorer = trained.weights;
        let forgetful = Forgetful(scorer.clone());
        let system = ArcEager::new(SystemOptions { roots: RootPolicy::Single, partial: false });
        let mut beam = Beam::<ArcEager, StoredScorer>::new(6, LabelScores::Count);
        let mut plain = Beam::<ArcEager, Forgetful>::new(6, LabelScores::Count);
        let mut words = Words::default();
        for sentence in &treebank(Seed(6), &generated) {
            read_words(sentence, &mut words);
            let found = beam.parse(&system, &scorer, &words, &Free);
            assert_eq!(found, plain.parse(&system, &forgetful, &words, &Free));
            assert_eq!(beam.best_score(), plain.best_score());
        }
    }
}
