//! Encoding and decoding, in words per second.
//!
//! Trees are made to look like those of a treebank with much free word order: short projective
//! trees, one hanging on the one before, with about one arc in eight made non-projective by moving
//! words. `scrambled` has many sentences of treebank length, `long` one sentence of each length.
use conll::{ReadOptions, Reader, Roots};
use crossarc::tree::codec::lift::{Definition, projectivise};
use crossarc::tree::codec::pseudo_projective::Scheme;
use crossarc::tree::codec::{TreeCodec, TreeCodecSpec};
use crossarc::tree::generate::{label_randomly, random_projective_tree, random_tree};
use crossarc::tree::projectivity::nonprojective_arcs;
use crossarc::tree::seed::{Rng, Seed};
use crossarc::tree::treebank::tree_of;
use crossarc::tree::{Label, Labels, Node, RootPolicy, Tree};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    let trees = sentences(2000);
    let words: usize = trees.iter().map(Tree::len).sum();
    let crossing: usize = trees.iter().map(|tree| nonprojective_arcs(tree).len()).sum();
    println!(
        "generated trees: {:.1} % non-projective arcs",
        100.0 * crossing as f64 / words as f64
    );
    divan::main();
}

const LABELS: u16 = 30;

fn scrambled_tree(rng: &mut Rng, words: usize) -> Tree {
    let mut heads = vec![0u32; words + 1];
    let (mut start, mut previous_top) = (0, 0);
    while start < words {
        let size = (8 + rng.below(16)).min(words - start);
        let part = random_projective_tree(rng, size, RootPolicy::Single);
        let mut top = previous_top;
        for word in part.words() {
            let head = part.head(word);
            if head == Node::ROOT {
                heads[start + word.index()] = previous_top;
                top = (start + word.index()) as u32;
            } else {
                heads[start + word.index()] = start as u32 + head.0;
            }
        }
        previous_top = top;
        start += size;
    }
    // Words change places with near ones.
    let mut place: Vec<u32> = (0..=words as u32).collect();
    for word in 1..words {
        if rng.chance(0.12) {
            place.swap(word, (word + 1 + rng.below(3)).min(words));
        }
    }
    let mut moved = vec![Node::ROOT; words];
    for word in 1..=words {
        moved[place[word] as usize - 1] = Node(place[heads[word] as usize]);
    }
    let mut tree = Tree::new(moved.into_iter().map(|head| (head, Label::default())))
        .expect("changing places keeps a tree a tree");
    label_randomly(rng, &mut tree, LABELS);
    tree
}

fn sentences(count: u64) -> Vec<Tree> {
    (0..count)
        .map(|index| {
            let mut rng = Seed(1).fork("codec bench", index).rng();
            let words = 4 + rng.below(25);
            scrambled_tree(&mut rng, words)
        })
        .collect()
}

fn labels() -> Labels {
    let mut labels = Labels::default();
    for index in 0..LABELS {
        labels.intern(&format!("label{index}"));
    }
    labels
}

fn fitted(scheme: Scheme, trees: &[Tree], mut labels: Labels) -> Box<dyn TreeCodec> {
    let spec = TreeCodecSpec::pseudo(scheme).fit(trees, &mut labels).expect("few labels");
    spec.bind(&mut labels).expect("few labels")
}

fn there_and_back(bencher: Bencher, scheme: Scheme, trees: &[Tree], labels: Labels) {
    let codec = fitted(scheme, trees, labels);
    let words: usize = trees.iter().map(Tree::len).sum();
    bencher.counter(ItemsCount::new(words)).bench(|| {
        for tree in trees {
            divan::black_box(codec.decode(&codec.encode(tree)));
        }
    });
}

/// The largest training part in the folder `CROSSARC_TREEBANKS`, if that is set.
fn largest_treebank() -> Option<(Vec<Tree>, Labels)> {
    let folder = std::env::var_os("CROSSARC_TREEBANKS")?;
    let files = std::fs::read_dir(folder).ok()?.flatten();
    let largest = files
        .filter(|file| file.file_name().to_string_lossy().contains("-train.conll"))
        .max_by_key(|file| file.metadata().map_or(0, |metadata| metadata.len()))?;
    let options = ReadOptions { need_tree: true, roots: Roots::Any, ..ReadOptions::default() };
    let mut labels = Labels::default();
    let trees = Reader::open(largest.path(), options)
        .ok()?
        .map(|sentence| tree_of(&sentence.ok()?, &mut labels).ok())
        .collect::<Option<Vec<_>>>()?;
    Some((trees, labels))
}

#[divan::bench(args = Scheme::ALL, sample_count = 5)]
fn treebank(bencher: Bencher, scheme: Scheme) {
    match largest_treebank() {
        Some((trees, labels)) => there_and_back(bencher, scheme, &trees, labels),
        None => println!("skipped: CROSSARC_TREEBANKS is not set"),
    }
}

#[divan::bench(args = Scheme::ALL)]
fn scrambled(bencher: Bencher, scheme: Scheme) {
    there_and_back(bencher, scheme, &sentences(1000), labels());
}

mod long {
    use super::{
        Bencher, Definition, ItemsCount, RootPolicy, Scheme, Seed, Tree, labels, projectivise,
        random_tree, scrambled_tree, there_and_back,
    };

    const WORDS: [usize; 4] = [625, 1250, 2500, 5000];

    fn one(words: usize) -> [Tree; 1] {
        [scrambled_tree(&mut Seed(2).fork("long", words as u64).rng(), words)]
    }

    #[divan::bench(args = WORDS)]
    fn head(bencher: Bencher, words: usize) {
        there_and_back(bencher, Scheme::Head, &one(words), labels());
    }

    #[divan::bench(args = WORDS)]
    fn path(bencher: Bencher, words: usize) {
        there_and_back(bencher, Scheme::Path, &one(words), labels());
    }

    #[divan::bench(args = WORDS)]
    fn head_and_path(bencher: Bencher, words: usize) {
        there_and_back(bencher, Scheme::HeadPath, &one(words), labels());
    }

    #[divan::bench(args = WORDS)]
    fn lift_by_crossing(bencher: Bencher, words: usize) {
        let tree = &one(words)[0];
        bencher
            .counter(ItemsCount::new(words))
            .bench(|| projectivise(divan::black_box(tree), Definition::Crossing));
    }

    /// No treebank has such trees: nearly every arc is lifted nearly to the root.
    #[divan::bench(args = WORDS, sample_count = 5)]
    fn lift_uniformly_random(bencher: Bencher, words: usize) {
        let mut rng = Seed(3).fork("random", words as u64).rng();
        let tree = random_tree(&mut rng, words, RootPolicy::Several);
        bencher
            .counter(ItemsCount::new(words))
            .bench(|| projectivise(divan::black_box(&tree), Definition::Dominance));
    }
}
