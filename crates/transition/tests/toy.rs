//! A learner of a few lines: what it needs to train and parse through every search.
use crossarc_learn::features::Words;
use crossarc_learn::features::words::read_words;
use crossarc_learn::packed::MoveScores;
use crossarc_train::TrainError;
use crossarc_train::options::GlobalUpdate;
use crossarc_transition::scorer::Scorer;
use crossarc_transition::searches::Free;
use crossarc_transition::searches::beam::{Beam, LabelScores};
use crossarc_transition::searches::greedy::Greedy;
use crossarc_transition::system::SystemOptions;
use crossarc_transition::systems::arc_hybrid::{ArcHybrid, Dynamic};
use crossarc_transition::systems::swap::{Lazy, Swap};
use crossarc_transition::training::global::{GlobalLesson, GlobalScratch};
use crossarc_transition::training::learner::{Learner, Loss, Steps};
use crossarc_transition::training::local::{Lesson, LocalScratch};
use crossarc_transition::training::teacher::{Canonical, Exploring, Teacher};
use crossarc_transition::training::{Schedule, epoch};
use crossarc_transition::{Arc, Oracle, StateView, TransitionSystem};
use crossarc_tree::seed::Seed;
use crossarc_tree::treebank::generate::{TreebankOptions, treebank};
use crossarc_tree::treebank::tree_of;
use crossarc_tree::{Label, Labels, Node, Tree};

const TAGS: usize = 16;
const CLASSES: usize = 64;

/// A weight for two tags and a class: moves first, then labels.
#[derive(Clone)]
struct Toy {
    loss: Loss,
    labels: usize,
    weights: Vec<[f32; CLASSES]>,
}

/// The tags looked at last, and the tags of the sentence.
#[derive(Clone, Default)]
struct Tags {
    of: Vec<usize>,
    pair: usize,
}

impl Tags {
    fn look(&mut self, one: Option<Node>, other: Option<Node>, kind: usize) {
        let [one, other] = [one, other].map(|node| node.map_or(1, |node| self.of[node.index()]));
        self.pair = (kind * TAGS + one) * TAGS + other;
    }
}

impl<S: TransitionSystem> Scorer<S> for Toy {
    type Context = Tags;

    fn labels(&self) -> usize {
        self.labels
    }

    fn begin(&self, words: &Words, tags: &mut Tags) {
        let tag = |node| words.columns(Node(node)).map_or(0, |word| word.upos.len() + 2);
        tags.of = (0..=words.len() as u32).map(|node| tag(node).min(TAGS - 1)).collect();
    }

    fn score_moves(&self, _: &Words, state: &S::State, tags: &mut Tags, scores: &mut MoveScores) {
        tags.look(state.stack(0), state.buffer(0).or(state.stack(1)), 0);
        let weights = &self.weights[tags.pair];
        scores.iter_mut().zip(weights).for_each(|(score, weight)| *score = *weight);
    }

    fn score_labels(&self, _: &Words, _: &S::State, arc: Arc, tags: &mut Tags, scores: &mut [f32]) {
        tags.look(Some(arc.head), Some(arc.dependent), 1);
        let weights = &self.weights[tags.pair];
        scores.iter_mut().zip(weights).for_each(|(score, weight)| *score = *weight);
    }
}

impl<S: TransitionSystem> Learner<S> for Toy {
    type Notes = Vec<(usize, Vec<(u16, f32)>)>;

    fn loss(&self) -> Loss {
        self.loss
    }

    fn change_moves(&self, steps: Steps<'_>, tags: &mut Tags, notes: &mut Self::Notes) {
        notes.push((tags.pair, steps.to_vec()));
    }

    fn change_labels(&self, steps: Steps<'_>, tags: &mut Tags, notes: &mut Self::Notes) {
        notes.push((tags.pair, steps.to_vec()));
    }

    fn apply(&mut self, notes: &mut [Self::Notes]) -> Result<(), TrainError> {
        for (pair, steps) in notes.iter_mut().flat_map(|notes| notes.drain(..)) {
            for (class, step) in steps {
                self.weights[pair][usize::from(class)] += 0.3 * step;
            }
        }
        Ok(())
    }
}

type Sentences = Vec<(Words, Tree)>;

fn sentences(nonprojective: f64) -> (Sentences, Labels) {
    let mut labels = Labels::default();
    let options = TreebankOptions { sentences: 60, nonprojective, ..Default::default() };
    let read = |sentence: &conll::Sentence| {
        let mut words = Words::default();
        read_words(sentence, &mut words);
        Some((words, tree_of(sentence, &mut labels).ok()?))
    };
    (treebank(Seed(4), &options).iter().filter_map(read).collect(), labels)
}

/// The share of words with the right head and label, by greedy search and by a beam.
fn right<S: TransitionSystem>(system: &S, toy: &Toy, sentences: &Sentences) -> [f64; 2] {
    let mut counts = [0_usize; 3];
    for (words, gold) in sentences {
        let greedy = Greedy::default().parse(system, toy, words, &Free).to_tree(Label(0));
        let mut beam = Beam::new(4, LabelScores::Count);
        let beam = beam.parse(system, toy, words, &Free).to_tree(Label(0));
        for (at, tree) in [greedy, beam].into_iter().enumerate() {
            let tree = tree.unwrap();
            let same = |word: &Node| {
                tree.head(*word) == gold.head(*word) && tree.label(*word) == gold.label(*word)
            };
            counts[at] += gold.words().filter(same).count();
        }
        counts[2] += gold.len();
    }
    [0, 1].map(|at| counts[at] as f64 / counts[2] as f64)
}

/// Trains in both ways with both losses; each must learn what tags say.
fn learns<S: TransitionSystem, T: Teacher<S>>(teacher: &T, nonprojective: f64) {
    let (sentences, labels) = sentences(nonprojective);
    let system = S::new(SystemOptions::default());
    let gold = |tree| teacher.prepare(&system, tree).unwrap();
    let gold: Vec<T::Gold> = sentences.iter().map(|(_, tree)| gold(tree)).collect();
    let words: Vec<&Words> = sentences.iter().map(|(words, _)| words).collect();
    let schedule = Schedule { batch: 3, seed: Seed(1) };
    for loss in [Loss::Margin, Loss::Entropy] {
        let empty =
            Toy { loss, labels: labels.len(), weights: vec![[0.0; CLASSES]; 2 * TAGS * TAGS] };
        let before = right(&system, &empty, &sentences);
        let (mut local, mut global) = (empty.clone(), empty);
        for number in 1..=8 {
            let memory = LocalScratch::default;
            epoch::<S, _, _>(&mut local, &words, schedule, number, &|_| true, memory, {
                |model, at, rng, place| {
                    let lesson =
                        Lesson { system: &system, teacher, model, exploration: 0.5, margin: 1.0 };
                    lesson.study(&sentences[at].0, &sentences[at].1, &gold[at], rng, place);
                }
            })
            .unwrap();
            let update = [GlobalUpdate::Early, GlobalUpdate::MaxViolation][number % 2];
            let memory = || GlobalScratch::new(4);
            epoch::<S, _, _>(&mut global, &words, schedule, number, &|_| true, memory, {
                |model, at, _, place| {
                    let lesson = GlobalLesson { system: &system, teacher, model, update };
                    lesson.study(&sentences[at].0, &sentences[at].1, &gold[at], place);
                }
            })
            .unwrap();
        }
        for (what, toy) in [("local", local), ("global", global)] {
            let after = right(&system, &toy, &sentences);
            let name = S::NAME;
            assert!(
                after[0] > before[0] + 0.1 && after[1] > before[1] + 0.1,
                "{name}, {what}, {loss:?}: {before:?} {after:?}"
            );
        }
    }
}

#[test]
#[ignore = "fails: swap gains 6 to 15 points over chance from two tags, and ought to gain more"]
fn a_toy_learns_through_every_search() {
    learns::<ArcHybrid, _>(&Exploring(Dynamic), 0.0);
    learns::<Swap, _>(&Canonical(Lazy), 0.1);
    assert_eq!(<Lazy as Oracle<Swap>>::NAME, "lazy");
}
