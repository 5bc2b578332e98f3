//! Words per second of tagging and of lemmas.
use std::sync::LazyLock;

use conll::Sentence;
use crossarc::text::lemma::{Lemmatizer, LemmatizerMemory, LemmatizerOptions};
use crossarc::text::tag::{Tagger, TaggerMemory, TaggerOptions};
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

static TRAIN: LazyLock<Vec<Sentence>> = LazyLock::new(|| sentences(1, 1000));
static TEST: LazyLock<Vec<Sentence>> = LazyLock::new(|| sentences(2, 200));

fn words() -> ItemsCount {
    ItemsCount::new(TEST.iter().map(Sentence::len).sum::<usize>())
}

#[divan::bench]
fn tags(bencher: Bencher<'_, '_>) {
    let options = TaggerOptions { epochs: 2, runs: 1, ..TaggerOptions::default() };
    let tagger = Tagger::train(&TRAIN, &[], &options, &|_| ()).expect("trains");
    let mut memory = TaggerMemory::default();
    bencher.counter(words()).with_inputs(|| TEST.clone()).bench_local_refs(|sentences| {
        for sentence in sentences {
            tagger.tag(sentence, &mut memory);
        }
    });
}

#[divan::bench]
fn lemmas(bencher: Bencher<'_, '_>) {
    let lemmatizer = Lemmatizer::train(&TRAIN, &[], &LemmatizerOptions::default());
    let mut memory = LemmatizerMemory::default();
    bencher.counter(words()).with_inputs(|| TEST.clone()).bench_local_refs(|sentences| {
        for sentence in sentences {
            lemmatizer.lemmatize(sentence, &mut memory);
        }
    });
}
