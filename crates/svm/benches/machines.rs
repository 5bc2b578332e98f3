//! Training and decisions on data like that of a parser: one value for each of twenty templates.
use divan::{Bencher, black_box};
use svm::expansion::{Builder, Expansion, Scratch};
use svm::{Examples, Machines, Multiclass, Settings, Solver, train};

fn main() {
    divan::main();
}

fn examples(count: usize) -> Examples {
    let mut state = 1u64;
    let mut below = move |bound: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut examples = Examples::default();
    for _ in 0..count {
        let values: Vec<u64> = (0..20)
            .map(|template| template << 32 | below(60).min(below(60)).min(below(60)))
            .collect();
        let class = (values[0] ^ values[1]) & 1 | (values[2] ^ values[3]) & 2;
        examples.push(&values, class as u16);
    }
    examples
}

fn trained(multiclass: Multiclass) -> Machines {
    let settings = Settings { multiclass, ..Settings::default() };
    train(&examples(4000), 4, &settings).expect("good settings")
}

#[divan::bench(args = [500, 2000], sample_count = 5)]
fn exact(bencher: Bencher<'_, '_>, count: usize) {
    let examples = examples(count);
    let settings = Settings { solver: Solver::Exact, ..Settings::default() };
    bencher.bench_local(|| train(&examples, 4, &settings));
}

#[divan::bench(args = [500, 2000, 8000], sample_count = 5)]
fn explicit(bencher: Bencher<'_, '_>, count: usize) {
    let examples = examples(count);
    let settings = Settings { solver: Solver::Expanded, ..Settings::default() };
    bencher.bench_local(|| train(&examples, 4, &settings));
}

#[divan::bench]
fn decision_by_support_vectors(bencher: Bencher<'_, '_>) {
    let machines = trained(Multiclass::OneVersusOne);
    let names: Vec<u64> = examples(7).feature_names(6).collect();
    bencher.bench_local(|| machines.predict(black_box(&names)));
}

#[divan::bench(args = ["one-versus-one", "one-versus-rest"])]
fn decision_by_table(bencher: Bencher<'_, '_>, way: &str) {
    let multiclass = match way {
        "one-versus-one" => Multiclass::OneVersusOne,
        _ => Multiclass::OneVersusRest,
    };
    let mut builder = Builder::new(0.001);
    builder.add(&trained(multiclass));
    let expansion: Expansion = builder.finish();
    let fresh = examples(200);
    let names: Vec<Vec<u64>> = (0..200).map(|at| fresh.feature_names(at).collect()).collect();
    let mut scratch = Scratch::default();
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 1) % names.len();
        expansion.table().values(&expansion.parts[0], 0, &names[at], &mut scratch);
        scratch.values[0]
    });
}
