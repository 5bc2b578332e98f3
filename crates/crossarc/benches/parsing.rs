//! Words per second of whole sentences, columns in and columns out, with `rich` features.
use std::sync::LazyLock;

use conll::Sentence;
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::parser::ParseOptions;
use crossarc::train::train;
use crossarc::train::{TrainOptions, Unobserved};
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

fn sentences(seed: u64, sentences: usize) -> Vec<Sentence> {
    let options = TreebankOptions { sentences, vocabulary: 2000, ..TreebankOptions::default() };
    treebank(Seed(seed), &options)
}

fn model(parser: &str, beam: usize) -> Model {
    let parser = parser.to_owned();
    let options = TrainOptions { parser, beam, epochs: 2, ..TrainOptions::default() };
    let trained = train(&options, &sentences(1, 400), &[], &Unobserved).expect("trains");
    Model::from_bytes(&trained.to_bytes()).expect("loads")
}

static TEST: LazyLock<Vec<Sentence>> = LazyLock::new(|| sentences(2, 200));

fn parse(bencher: Bencher<'_, '_>, model: &Model, beam: usize) {
    let words: usize = TEST.iter().map(Sentence::len).sum();
    let parse = ParseOptions { beam: Some(beam), ..ParseOptions::default() };
    let mut annotator = model.annotator(AnnotateOptions { parse, ..AnnotateOptions::default() });
    bencher.counter(ItemsCount::new(words)).with_inputs(|| TEST.clone()).bench_local_refs(
        |sentences| {
            for sentence in sentences {
                annotator.annotate(sentence).expect("parses");
            }
        },
    );
}

#[divan::bench(args = ["swap", "arc-eager", "arc-hybrid", "covington-reduce"])]
fn greedy(bencher: Bencher<'_, '_>, parser: &str) {
    parse(bencher, &model(parser, 1), 1);
}

#[divan::bench(args = [2, 8, 32])]
fn beam(bencher: Bencher<'_, '_>, width: usize) {
    static MODEL: LazyLock<Model> = LazyLock::new(|| model("swap", 8));
    parse(bencher, &MODEL, width);
}
