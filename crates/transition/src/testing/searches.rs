//! What searches must do over every system.
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use super::{LABELS, POLICIES, random_member, strict};
use crate::oracle::{Oracle, derivation};
use crate::scorer::Scorer;
use crate::searches::Free;
use crate::searches::beam::{Beam, LabelScores};
use crate::searches::greedy::Greedy;
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::features::words::WordColumns;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::state::Arc;
use crossarc_tree::seed::Seed;
use crossarc_tree::{Label, RootPolicy, Tree};

fn nameless(count: usize) -> Words {
    let word = WordColumns { form: "w", lemma: "_", upos: "_", xpos: "_", feats: "_" };
    let mut words = Words::default();
    words.fill(std::iter::repeat_n(word, count));
    words
}

fn hash(value: &impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

/// Likes the moves and labels of one derivation and nothing else.
struct Replay<S: TransitionSystem>(HashMap<u64, (S::Move, Label)>);

impl<S: TransitionSystem> Replay<S> {
    fn of<O: Oracle<S>>(system: &S, roots: RootPolicy, tree: &Tree) -> Replay<S> {
        let steps = derivation::<S, O>(strict(roots), tree).expect("a tree of the class");
        let mut state = S::State::default();
        system.reset(&mut state, tree.len());
        let mut map = HashMap::new();
        for (mv, label) in steps {
            map.insert(hash(&state), (mv, label));
            system.apply(&mut state, mv, label);
        }
        Replay(map)
    }
}

impl<S: TransitionSystem> Scorer<S> for Replay<S> {
    type Context = ();

    fn labels(&self) -> usize {
        usize::from(LABELS)
    }

    fn score_moves(&self, _: &Words, state: &S::State, (): &mut (), scores: &mut MoveScores) {
        *scores = MoveScores::default();
        if let Some((mv, _)) = self.0.get(&hash(state)) {
            scores[mv.index()] = 2.0;
        }
    }

    fn score_labels(&self, _: &Words, state: &S::State, _: Arc, (): &mut (), scores: &mut [f32]) {
        scores.fill(0.0);
        if let Some((_, label)) = self.0.get(&hash(state)) {
            scores[label.index()] = 1.0;
        }
    }
}

/// Scores that depend on the state in no sensible way; many are equal.
struct Whims(u64);

impl Whims {
    fn of(&self, state: &impl Hash, what: usize) -> f32 {
        (hash(&(self.0, state, what)) % 5) as f32 - 2.0
    }
}

impl<S: TransitionSystem> Scorer<S> for Whims {
    type Context = ();

    fn labels(&self) -> usize {
        usize::from(LABELS)
    }

    fn score_moves(&self, _: &Words, state: &S::State, (): &mut (), scores: &mut MoveScores) {
        *scores = std::array::from_fn(|mv| self.of(state, mv));
    }

    fn score_labels(&self, _: &Words, state: &S::State, _: Arc, (): &mut (), scores: &mut [f32]) {
        for (label, score) in scores.iter_mut().enumerate() {
            *score = self.of(state, 100 + label);
        }
    }
}

/// With a scorer that replays a gold derivation, greedy and beam search find the gold tree.
pub fn searches_recover_gold<S: TransitionSystem, O: Oracle<S>>() {
    for round in 0..60 {
        let mut rng = Seed(round).fork("searches", 0).rng();
        let roots = POLICIES[round as usize % 2];
        let system = S::new(strict(roots));
        let count = 1 + rng.below(18);
        let tree = random_member(&system, count, roots, &mut rng);
        let scorer = Replay::of::<O>(&system, roots, &tree);
        let words = nameless(count);
        let found = Greedy::default().parse(&system, &scorer, &words, &Free).to_tree(Label(0));
        assert_eq!(found.as_ref(), Ok(&tree), "{}/{} greedy, seed {round}", S::NAME, O::NAME);
        for (width, labels) in [(1, 0), (2, 1), (8, 0), (8, 1)] {
            let labels = [LabelScores::Apart, LabelScores::Count][labels];
            let mut beam = Beam::new(width, labels);
            let found = beam.parse(&system, &scorer, &words, &Free).to_tree(Label(0));
            let names = (S::NAME, O::NAME);
            assert_eq!(found.as_ref(), Ok(&tree), "{names:?} beam {width}, seed {round}");
        }
    }
}

/// A beam of width 1 makes the same decisions as greedy search, whatever the scores; any width
/// gives a tree that obeys the root policy, with the score of its decisions, and is a beam of one if
/// it drops all that is behind.
pub fn beam_of_one_is_greedy<S: TransitionSystem>() {
    for round in 0..60 {
        let mut rng = Seed(round).fork("beam of one", 0).rng();
        let roots = POLICIES[round as usize % 2];
        let system = S::new(strict(roots));
        let words = nameless(rng.below(15));
        let scorer = Whims(round);
        let mut greedy = Greedy::default();
        greedy.parse(&system, &scorer, &words, &Free);
        let mut decisions = Vec::new();
        for (width, labels) in
            [(1, LabelScores::Apart), (4, LabelScores::Apart), (4, LabelScores::Count)]
        {
            let mut beam = Beam::new(width, labels);
            let tree = beam.parse(&system, &scorer, &words, &Free).to_tree(Label(0)).expect("tree");
            assert!(tree.obeys(roots), "{} beam {width}, seed {round}", S::NAME);
            beam.best_derivation(&mut decisions);
            let score = worth(&system, &scorer, &decisions, words.len(), labels);
            assert_eq!(beam.best_score(), score, "{} beam {width}, seed {round}", S::NAME);
            if width == 1 {
                assert_eq!(decisions, greedy.derivation(), "{}, seed {round}", S::NAME);
            }
            assert!(beam.behind() >= 0.0 && (width > 1 || beam.behind() == 0.0));
            let with_margin = |width: usize, margin: f32| {
                let mut beam = Beam::new(width, labels).with_margin(margin);
                beam.parse(&system, &scorer, &words, &Free).to_tree(Label(0)).expect("tree")
            };
            assert_eq!(
                with_margin(width, -1.0),
                with_margin(1, f32::MAX),
                "{}, seed {round}",
                S::NAME
            );
            assert_eq!(with_margin(width, f32::MAX), tree, "{}, seed {round}", S::NAME);
        }
    }
}

/// The sum of the scores of decisions.
fn worth<S: TransitionSystem>(
    system: &S,
    scorer: &Whims,
    decisions: &[(S::Move, Label)],
    words: usize,
    labels: LabelScores,
) -> f32 {
    let mut state = S::State::default();
    system.reset(&mut state, words);
    let mut sum = 0.0;
    for &(mv, label) in decisions {
        sum += scorer.of(&state, mv.index());
        if labels == LabelScores::Count && system.arc(&state, mv).is_some() {
            sum += scorer.of(&state, 100 + label.index());
        }
        system.apply(&mut state, mv, label);
    }
    sum
}
