//! Prints a synthetic treebank: `generate_treebank SEED SENTENCES`.
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank_text};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<u64>());
    let (Some(Ok(seed)), Some(Ok(sentences))) = (numbers.next(), numbers.next()) else {
        eprintln!("usage: generate_treebank SEED SENTENCES");
        std::process::exit(2);
    };
    let sentences = sentences as usize;
    let options = TreebankOptions { sentences, vocabulary: 2000, ..TreebankOptions::default() };
    print!("{}", treebank_text(Seed(seed), &options));
}
