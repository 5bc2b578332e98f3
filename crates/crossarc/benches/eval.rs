//! Speed of evaluation: 2,000 sentences of 20 words, side by side and with alignment.
use std::fmt::Write;

use conll::{ReadOptions, Reader};
use crossarc::eval::official::{self, Corpus, Names};
use crossarc::eval::{Settings, evaluate};
use crossarc::tree::generate::random_tree;
use crossarc::tree::seed::Seed;
use crossarc::tree::{Node, RootPolicy};
use divan::Bencher;

fn main() {
    divan::main();
}

fn treebank(seed: u64) -> String {
    let mut rng = Seed(seed).rng();
    let mut text = String::new();
    for _ in 0..2000 {
        let tree = random_tree(&mut rng, 20, RootPolicy::Single);
        for word in tree.words() {
            let Node(head) = tree.head(word);
            let id = word.0;
            writeln!(text, "{id}\tw{id}\tw\tNOUN\tN\tNumber=Sing\t{head}\tobj\t{head}:obj\t_")
                .unwrap();
        }
        text.push('\n');
    }
    text
}

fn open(text: &str) -> Reader {
    Reader::from_bytes("bench", text, ReadOptions::default()).unwrap()
}

#[divan::bench]
fn side_by_side(bencher: Bencher) {
    let (gold, system) = (treebank(1), treebank(2));
    bencher.bench(|| {
        evaluate(&mut open(&gold), &mut [open(&system)], Settings::default()).unwrap()[0].total
    });
}

#[divan::bench]
fn official_table(bencher: Bencher) {
    let (gold, system) = (treebank(1), treebank(2));
    bencher.bench(|| {
        let mut names = Names::default();
        let gold = Corpus::read(&mut open(&gold), &mut names, true).unwrap();
        let system = Corpus::read(&mut open(&system), &mut names, true).unwrap();
        official::evaluate(&gold, &system, &mut names).unwrap()
    });
}
