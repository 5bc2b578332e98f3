//! Labels fit heads: whatever a parser has learned, and whatever happens to a tree on its way, the
//! words under the root have the label of roots and no other word has it.
use super::{crossing, parsed, trained};
use conll::{Column, Sentence};
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::parser::ParseOptions;
use crossarc::registry::{Kind, parsers};
use crossarc::train::combination::Combination;
use crossarc::train::{TrainOptions, defaults, feature_set};
use crossarc::tree::codec::CodecChain;
use crossarc::tree::seed::{Rng, Seed};

/// A treebank from which nothing can be learned: heads stay, tags and labels are drawn by lot, but
/// for those of roots.
fn noise(seed: u64, sentences: usize) -> Vec<Sentence> {
    let mut rng = Seed(seed).rng();
    let mut sentences = crossing(seed, sentences);
    for sentence in &mut sentences {
        for word in 1..=sentence.len() {
            let tag = ["NOUN", "VERB", "PUNCT"][rng.below(3)];
            sentence.set(word, Column::Upos, tag);
            if sentence.word(word).head() != Some(0) {
                sentence.set(word, Column::Deprel, ["obj", "dep", "punct"][rng.below(3)]);
            }
        }
    }
    sentences
}

/// The sentence with some heads, some labels and some of both taken away.
fn with_gaps(sentence: &Sentence, rng: &mut Rng) -> Sentence {
    let mut sentence = sentence.clone();
    for word in 1..=sentence.len() {
        if rng.chance(0.6) {
            sentence.set_head(word, None);
        }
        if rng.chance(0.6) {
            sentence.set(word, Column::Deprel, "_");
        }
    }
    sentence
}

/// Parses noise freely, in several ways, and beside given heads.
fn check(options: &TrainOptions, what: &str) {
    let model = Model::from_bytes(&trained(options, &noise(1, 12), &[]).to_bytes()).unwrap();
    let rule = model.header.root_rule.clone().expect("a treebank with a label for roots");
    let others = noise(2, 12);
    for beam in [None, Some(4)] {
        let parse = ParseOptions { beam, confidences: true, ..ParseOptions::default() };
        let free = AnnotateOptions { parse: parse.clone(), ..AnnotateOptions::default() };
        for sentence in parsed(&model, &others, &free) {
            assert!(rule.holds(&sentence), "{what}: {sentence:?}");
        }
        let mut rng = Seed(3).rng();
        let gaps: Vec<Sentence> = others.iter().map(|one| with_gaps(one, &mut rng)).collect();
        let keep = AnnotateOptions { parse, keep_heads: true, headless: false };
        for sentence in parsed(&model, &gaps, &keep) {
            assert!(rule.holds(&sentence), "{what}, with given heads: {sentence:?}");
        }
    }
    let mut annotator = model.annotator(AnnotateOptions::default());
    for sentence in others.iter().flat_map(|one| annotator.alternatives(one, 4)) {
        assert!(rule.holds(&sentence), "{what}, one of the best: {sentence:?}");
    }
}

fn quick(parser: &str) -> TrainOptions {
    let plain = defaults(parser);
    let features = feature_set(parser, "nivre2008").map_or(plain.features, str::to_owned);
    TrainOptions { features, epochs: 1, ..plain }
}

#[test]
fn every_parser_writes_labels_that_fit() {
    for (parser, kind) in parsers() {
        if kind == Kind::Vote {
            continue;
        }
        check(&quick(parser), parser);
        if kind == Kind::Transition {
            check(&TrainOptions { beam: 3, ..quick(parser) }, &format!("{parser}, beam 3"));
            check(&TrainOptions { partial: true, ..quick(parser) }, &format!("{parser}, partial"));
        }
    }
    let completed = TrainOptions { completion: true, beam: 2, ..quick("arc-standard") };
    check(&completed, "completion");
    check(&TrainOptions { right_to_left: true, ..quick("swap") }, "right to left");
}

#[test]
fn votes_and_codecs_write_labels_that_fit() {
    let members = ["swap", "carreras", "arc-eager"].map(quick).to_vec();
    let vote = Combination { members, ..Combination::default() };
    check(&TrainOptions { combination: Some(Box::new(vote)), ..quick("vote") }, "vote");
    let guides = vec![quick("eisner")];
    let guided = Combination { guides, folds: 2, ..Combination::default() };
    check(&TrainOptions { combination: Some(Box::new(guided)), ..quick("swap") }, "guided");
    for codec in CodecChain::available() {
        let codec_chain = CodecChain::named([codec]).unwrap();
        let parser = if codec_chain.tree.scheme.is_some() { "arc-eager" } else { "swap" };
        check(&TrainOptions { codec: codec_chain, ..quick(parser) }, codec);
    }
}
