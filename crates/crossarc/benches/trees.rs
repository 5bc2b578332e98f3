//! Measures of trees on uniformly random ones, in which nearly all arcs cross: the worst case.
use crossarc::tree::classes;
use crossarc::tree::generate::{random_projective_tree, random_tree};
use crossarc::tree::order::projective_order;
use crossarc::tree::projectivity::{RootArcs, crossed_arcs, is_projective, nonprojective_arcs};
use crossarc::tree::seed::Seed;
use crossarc::tree::structure::Structure;
use crossarc::tree::{RootPolicy, Tree};

fn main() {
    divan::main();
}

const WORDS: [usize; 3] = [30, 1_000, 100_000];

fn tangled(words: usize) -> Tree {
    random_tree(&mut Seed(1).rng(), words, RootPolicy::Single)
}

fn measure<T>(bencher: divan::Bencher<'_, '_>, words: usize, what: impl Fn(&Tree) -> T + Sync) {
    let tree = tangled(words);
    bencher.counter(divan::counter::ItemsCount::new(words)).bench(|| what(divan::black_box(&tree)));
}

#[divan::bench(args = WORDS)]
fn structure(bencher: divan::Bencher<'_, '_>, words: usize) {
    measure(bencher, words, Structure::new);
}

#[divan::bench(args = WORDS)]
fn order(bencher: divan::Bencher<'_, '_>, words: usize) {
    measure(bencher, words, projective_order);
}

#[divan::bench(args = WORDS)]
fn projective(bencher: divan::Bencher<'_, '_>, words: usize) {
    measure(bencher, words, is_projective);
}

#[divan::bench(args = WORDS)]
fn arcs_by_dominance(bencher: divan::Bencher<'_, '_>, words: usize) {
    measure(bencher, words, nonprojective_arcs);
}

#[divan::bench(args = WORDS)]
fn arcs_by_crossing(bencher: divan::Bencher<'_, '_>, words: usize) {
    measure(bencher, words, crossed_arcs);
}

#[divan::bench(args = WORDS)]
fn gap_degree(bencher: divan::Bencher<'_, '_>, words: usize) {
    measure(bencher, words, classes::gap_degree);
}

#[divan::bench(args = WORDS)]
fn edge_degree(bencher: divan::Bencher<'_, '_>, words: usize) {
    measure(bencher, words, classes::edge_degree);
}

#[divan::bench(args = WORDS)]
fn two_planar(bencher: divan::Bencher<'_, '_>, words: usize) {
    measure(bencher, words, |tree| classes::is_two_planar(tree, RootArcs::Excluded));
}

#[divan::bench(args = WORDS)]
fn one_endpoint_crossing(bencher: divan::Bencher<'_, '_>, words: usize) {
    measure(bencher, words, |tree| classes::is_one_endpoint_crossing(tree, RootArcs::Excluded));
}

#[divan::bench(args = WORDS)]
fn well_nested(bencher: divan::Bencher<'_, '_>, words: usize) {
    measure(bencher, words, classes::is_well_nested);
}

#[divan::bench(args = WORDS)]
fn generate(words: usize) -> Tree {
    random_projective_tree(&mut Seed(2).rng(), words, RootPolicy::Single)
}
