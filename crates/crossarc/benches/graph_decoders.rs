//! Each decoder on random scores, by sentence length. The time is that of the search alone.
use crossarc::graph::approximation::HillClimbing;
use crossarc::graph::decoders::{Carreras, ChuLiuEdmonds, Eisner, EisnerSibling};
use crossarc::graph::k_best::KBest;
use crossarc::graph::{
    Approximation, BestTree, Candidates, Decoder, LabelSharing, Marginals, Order, Scores,
};
use crossarc::tree::seed::Seed;
use crossarc::tree::{Label, Node, RootPolicy};

const LENGTHS: [usize; 7] = [10, 17, 40, 80, 150, 250, 400];
const LABELS: u16 = 3;
const POLICY: RootPolicy = RootPolicy::Single;

fn main() {
    divan::main();
}

/// Eight heads for each word, the previous word among them.
fn few_heads(words: usize) -> Candidates {
    let mut rng = Seed(2).rng();
    let mut candidates = Candidates::none(words);
    for word in 1..=words as u32 {
        candidates.insert(Node(word - 1), Node(word));
        for _ in 0..7 {
            candidates.insert(Node(rng.below(words + 1) as u32), Node(word));
        }
    }
    candidates
}

fn scores(order: Order, sharing: LabelSharing, candidates: &Candidates) -> Scores {
    let mut rng = Seed(1).rng();
    let mut scores = Scores::default();
    scores
        .reset(order, sharing, candidates, |_, _, labels| labels.extend((0..LABELS).map(Label)))
        .expect("within limits");
    scores.fill(|_, _, out| out.iter_mut().for_each(|score| *score = rng.unit() as f32 * 10.0));
    scores
}

fn decode<D: Decoder>(bencher: divan::Bencher, decoder: &D, scores: &Scores) {
    let (mut chart, mut best) = (D::Chart::default(), BestTree::default());
    bencher
        .counter(divan::counter::ItemsCount::new(scores.words()))
        .bench_local(|| decoder.decode(scores, POLICY, &mut chart, &mut best).expect("a tree"));
}

fn sum<D: Marginals>(bencher: divan::Bencher, decoder: &D, scores: &Scores) {
    let (mut memory, mut marginals) = (D::Memory::default(), Vec::new());
    bencher.counter(divan::counter::ItemsCount::new(scores.words())).bench_local(|| {
        decoder.marginals(scores, POLICY, &mut memory, &mut marginals).expect("a tree")
    });
}

#[divan::bench(args = LENGTHS, max_time = 1)]
fn eisner(bencher: divan::Bencher, words: usize) {
    decode(bencher, &Eisner, &scores(Order::First, LabelSharing::Shared, &Candidates::all(words)));
}

#[divan::bench(args = LENGTHS, max_time = 1)]
fn mst(bencher: divan::Bencher, words: usize) {
    let all = Candidates::all(words);
    decode(bencher, &ChuLiuEdmonds, &scores(Order::First, LabelSharing::Shared, &all));
}

#[divan::bench(args = LENGTHS, max_time = 1)]
fn eisner_sibling(bencher: divan::Bencher, words: usize) {
    let all = Candidates::all(words);
    decode(bencher, &EisnerSibling, &scores(Order::Sibling, LabelSharing::Shared, &all));
}

#[divan::bench(args = LENGTHS, max_time = 1)]
fn carreras(bencher: divan::Bencher, words: usize) {
    let all = Candidates::all(words);
    decode(bencher, &Carreras, &scores(Order::Grandchild, LabelSharing::Shared, &all));
}

#[divan::bench(args = &LENGTHS[..5], max_time = 1)]
fn carreras_labels_in_all_factors(bencher: divan::Bencher, words: usize) {
    let all = Candidates::all(words);
    decode(bencher, &Carreras, &scores(Order::Grandchild, LabelSharing::PerLabel, &all));
}

#[divan::bench(args = LENGTHS, max_time = 1)]
fn carreras_pruned(bencher: divan::Bencher, words: usize) {
    let few = few_heads(words);
    decode(bencher, &Carreras, &scores(Order::Grandchild, LabelSharing::PerLabel, &few));
}

#[divan::bench(args = LENGTHS, max_time = 1)]
fn eisner_marginals(bencher: divan::Bencher, words: usize) {
    sum(bencher, &Eisner, &scores(Order::First, LabelSharing::Shared, &Candidates::all(words)));
}

#[divan::bench(args = LENGTHS, max_time = 1)]
fn mst_marginals(bencher: divan::Bencher, words: usize) {
    let all = Candidates::all(words);
    sum(bencher, &ChuLiuEdmonds, &scores(Order::First, LabelSharing::Shared, &all));
}

#[divan::bench(args = &LENGTHS[..4], max_time = 1)]
fn carreras_marginals(bencher: divan::Bencher, words: usize) {
    let all = Candidates::all(words);
    sum(bencher, &Carreras, &scores(Order::Grandchild, LabelSharing::Shared, &all));
}

#[divan::bench(args = &LENGTHS[..5], max_time = 1)]
fn eisner_ten_best(bencher: divan::Bencher, words: usize) {
    let scores = scores(Order::First, LabelSharing::Shared, &Candidates::all(words));
    let mut k_best = KBest::default();
    bencher
        .counter(divan::counter::ItemsCount::new(words))
        .bench_local(|| k_best.trees(&scores, POLICY, 10).expect("a tree"));
}

/// From the best projective tree, whose search is not counted.
fn climb(bencher: divan::Bencher, candidates: &Candidates) {
    let scores = scores(Order::Grandchild, LabelSharing::PerLabel, candidates);
    let (mut chart, mut start, mut best) = Default::default();
    Carreras.decode(&scores, POLICY, &mut chart, &mut start).expect("a tree");
    let mut climbing = HillClimbing::default();
    let settings = Approximation::new(Order::Grandchild, POLICY);
    bencher.counter(divan::counter::ItemsCount::new(scores.words())).bench_local(|| {
        BestTree::clone_from(&mut best, &start);
        climbing.climb(settings, &scores, &mut best)
    });
}

#[divan::bench(args = &LENGTHS[..4], max_time = 1)]
fn approximation(bencher: divan::Bencher, words: usize) {
    climb(bencher, &Candidates::all(words));
}

#[divan::bench(args = &LENGTHS[..4], max_time = 1)]
fn approximation_pruned(bencher: divan::Bencher, words: usize) {
    climb(bencher, &few_heads(words));
}
