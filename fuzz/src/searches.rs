//! Searches whose scores are whatever the bytes say, and codecs that undo what was never done.
use conll::{ReadOptions, Roots, Sentence};
use crossarc::graph::decoders::{DECODERS, DecoderVisitor, with_decoder};
use crossarc::graph::{BestTree, Candidates, LabelSharing, Marginals, Scores};
use crossarc::learn::features::Words;
use crossarc::learn::features::words::read_words;
use crossarc::learn::packed::MoveScores;
use crossarc::transition::scorer::Scorer;
use crossarc::transition::searches::beam::{Beam, LabelScores};
use crossarc::transition::searches::greedy::Greedy;
use crossarc::transition::searches::{Free, Given};
use crossarc::transition::system::SystemOptions;
use crossarc::transition::systems::{SYSTEMS, SystemVisitor, with_system};
use crossarc::transition::{Arc, Oracle, TransitionSystem};
use crossarc::tree::codec::{CodecChain, Scheme, TreeCodecSpec};
use crossarc::tree::generate::random_tree;
use crossarc::tree::repair::enforce;
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::unlabelled_tree_of;
use crossarc::tree::{Label, Labels, Node, RootPolicy, Tree};

use crate::draws::Draws;

const POLICIES: [RootPolicy; 2] = [RootPolicy::Single, RootPolicy::Several];

/// Every decoder finds a tree of its class over the candidates, or says that there is none.
pub fn decoder(bytes: &[u8]) {
    let mut draws = Draws::new(bytes);
    let name = DECODERS[draws.below(DECODERS.len())];
    with_decoder(name, Decode(draws));
}

struct Decode<'b>(Draws<'b>);

impl DecoderVisitor for Decode<'_> {
    type Output = ();

    fn visit<D: Marginals + Default + 'static>(self) {
        let Decode(mut draws) = self;
        let words = draws.below(14);
        let sparse = draws.byte() % 3 == 0;
        let mut candidates = Candidates::none(words);
        for dependent in (1..=words as u32).map(Node) {
            for head in (0..=words as u32).map(Node).filter(|&head| head != dependent) {
                if !sparse || draws.byte() % 3 > 0 {
                    candidates.insert(head, dependent);
                }
            }
        }
        let sharing = [LabelSharing::Shared, LabelSharing::PerLabel][draws.below(2)];
        let labels = 1 + draws.below(3) as u16;
        let mut scores = Scores::default();
        let reset = scores.reset(D::ORDER, sharing, &candidates, |_, _, found| {
            found.extend((0..labels).map(Label));
        });
        if reset.is_err() {
            return;
        }
        // Scores that are no numbers are refused before a search begins.
        scores.fill(|_, _, out| {
            out.iter_mut().for_each(|score| {
                let drawn = draws.number();
                *score = if drawn.is_finite() { drawn.clamp(-1e6, 1e6) } else { 0.0 };
            });
        });
        let policy = POLICIES[draws.below(2)];
        let mut best = BestTree::default();
        if D::default().decode(&scores, policy, &mut D::Chart::default(), &mut best).is_ok() {
            let tree = best.to_tree().expect("a tree");
            assert_eq!(tree.len(), words);
            assert!(tree.obeys(policy) && D::builds(&tree), "{}: {tree:?}", D::NAME);
            let is_candidate = |word: Node| candidates.contains(tree.head(word), word);
            assert!(tree.words().all(is_candidate), "{}: {tree:?}", D::NAME);
        } else {
            assert!(sparse, "{}: all arcs, and no tree", D::NAME);
        }
    }
}

/// Scores that bytes say, over and over.
struct Said(Vec<f32>);

impl<S: TransitionSystem> Scorer<S> for Said {
    type Context = usize;

    fn labels(&self) -> usize {
        3
    }

    fn score_moves(&self, _: &Words, _: &S::State, at: &mut usize, scores: &mut MoveScores) {
        self.say(at, scores.iter_mut());
    }

    fn score_labels(&self, _: &Words, _: &S::State, _: Arc, at: &mut usize, scores: &mut [f32]) {
        self.say(at, scores.iter_mut());
    }
}

impl Said {
    fn say<'s>(&self, at: &mut usize, scores: impl Iterator<Item = &'s mut f32>) {
        for score in scores {
            *score = self.0[*at % self.0.len()];
            *at += 1;
        }
    }
}

fn words(count: usize) -> Words {
    let line = |id| format!("{id}\tw{id}\t_\tX\t_\t_\t_\t_\t_\t_\n");
    let text: String = (1..=count).map(line).chain(["\n".to_owned()]).collect();
    let mut words = Words::default();
    let read = conll::read_str(&text, ReadOptions::default()).expect("words");
    read_words(read.first().unwrap_or(&Sentence::default()), &mut words);
    words
}

/// Every transition system ends in a tree, whatever its scores are and whichever heads are given.
pub fn system(bytes: &[u8]) {
    let mut draws = Draws::new(bytes);
    let entry = SYSTEMS[draws.below(SYSTEMS.len())];
    with_system(entry.system, entry.oracle, Walk(draws));
}

struct Walk<'b>(Draws<'b>);

impl SystemVisitor for Walk<'_> {
    type Output = ();

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) {
        let Walk(mut draws) = self;
        let count = 1 + draws.below(20);
        let policy = POLICIES[draws.below(2)];
        let partial = draws.byte() % 4 == 0;
        let width = draws.below(6);
        let given = (draws.byte() % 3 == 0).then(|| {
            let tree = random_tree(&mut Seed(u64::from(draws.word())).rng(), count, policy);
            let head = |word: Node| (draws.byte() % 2 == 0).then(|| tree.head(word));
            std::iter::once(None).chain(tree.words().map(head)).collect::<Vec<_>>()
        });
        let said = Said((0..64).map(|_| draws.number()).collect());
        let system = S::new(SystemOptions { roots: policy, partial });
        let words = words(count);
        let found = |tree: Tree| {
            assert_eq!(tree.len(), count);
            assert!(partial || tree.obeys(policy), "{}: {tree:?}", S::NAME);
            let given = given.as_deref().unwrap_or_default();
            let whole = enforce(&tree, given, policy, Label(0));
            assert!(whole.obeys(policy), "{}: {whole:?}", S::NAME);
            let kept = |word: Node| {
                given.get(word.index()).copied().flatten().is_none_or(|head| whole.head(word) == head)
            };
            assert!(whole.words().all(kept), "{}: {given:?} {whole:?}", S::NAME);
        };
        let tree = match (&given, width) {
            (None, 0) => Greedy::default().parse(&system, &said, &words, &Free).to_tree(Label(0)),
            (Some(heads), 0) => {
                Greedy::default().parse(&system, &said, &words, &Given(heads)).to_tree(Label(0))
            }
            (None, _) => Beam::new(width, LabelScores::Count)
                .parse(&system, &said, &words, &Free)
                .to_tree(Label(0)),
            (Some(heads), _) => Beam::new(width, LabelScores::Count)
                .parse(&system, &said, &words, &Given(heads))
                .to_tree(Label(0)),
        };
        found(tree.expect("a tree"));
    }
}

/// Codecs undo what was never done: whatever labels say, a tree stays a tree.
pub fn inverse(bytes: &[u8]) {
    let mut draws = Draws::new(bytes);
    let count = 1 + draws.below(15);
    let mut tree =
        random_tree(&mut Seed(u64::from(draws.word())).rng(), count, POLICIES[draws.below(2)]);
    let mut labels = Labels::default();
    let marks = ["↑", "↓", "↑↓", "|", "", "root", "a", "b", "_", ":", "#", "*"];
    for word in tree.words() {
        let mut name = String::new();
        for _ in 0..=draws.below(4) {
            let piece = draws.below(marks.len() + 1);
            name += &marks.get(piece).map_or_else(|| draws.text(), |mark| (*mark).to_owned());
        }
        tree.set_label(word, labels.intern(&name).unwrap_or_default());
    }
    for scheme in Scheme::ALL {
        let mut known = labels.clone();
        let codec = TreeCodecSpec::pseudo(scheme).bind(&mut known).expect("few labels");
        assert_eq!(codec.decode(&tree).len(), count);
    }
    let name = |word| labels.name(tree.label(word)).replace(['\t', '\n', '\r'], " ");
    let line = |word: Node| {
        let label = name(word);
        let label = if label.chars().any(char::is_control) || label.is_empty() { "x" } else { &label };
        format!("{}\tw\tl\tX\t_\tA=B\t{}\t{label}\t_\t_\n", word.0, tree.head(word).0)
    };
    let text: String = tree.words().map(line).chain(["\n".to_owned()]).collect();
    let any = ReadOptions { roots: Roots::Any, ..ReadOptions::default() };
    let Ok(sentences) = conll::read_str(&text, any) else { return };
    let all = CodecChain::available();
    let chain = CodecChain::named([all[draws.below(all.len())]]).expect("a codec");
    for sentence in &sentences {
        let parts = chain.prepare(sentence);
        let with_trees: Vec<Sentence> = parts
            .into_iter()
            .map(|mut part| {
                let tree = random_tree(
                    &mut Seed(u64::from(draws.word())).rng(),
                    part.len(),
                    RootPolicy::Single,
                );
                for word in tree.words() {
                    part.set_head(word.index(), Some(tree.head(word).0));
                    let label = name(Node(1 + (word.0 - 1) % count as u32));
                    part.set(word.index(), conll::Column::Deprel, &label);
                }
                part
            })
            .collect();
        let restored = chain.restore(sentence, &with_trees);
        assert!(unlabelled_tree_of(&restored).is_ok(), "{:?}: {restored:?}", chain.names());
    }
}
