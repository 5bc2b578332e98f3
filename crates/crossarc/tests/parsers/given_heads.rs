//! Heads that are there already can be kept.
use super::{crossing, model, projective, quick};
use conll::{Column, Sentence};
use crossarc::annotate::{AnnotateError, AnnotateOptions};
use crossarc::train::TrainOptions;
use crossarc::transition::systems::{SYSTEMS, default_oracle};
use crossarc::tree::RootPolicy;
use crossarc::tree::codec::CodecChain;
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::unlabelled_tree_of;

const KEEP: AnnotateOptions = AnnotateOptions {
    parse: crossarc::parser::ParseOptions {
        beam: None,
        confidences: false,
        exact: false,
        approximation: None,
    },
    keep_heads: true,
    headless: false,
};

/// The sentence with about half of its heads, and some labels, taken away.
fn with_gaps(sentence: &Sentence, seed: u64) -> Sentence {
    let mut rng = Seed(seed).rng();
    let mut sentence = sentence.clone();
    for word in 1..=sentence.len() {
        if rng.chance(0.5) {
            sentence.set_head(word, None);
            sentence.set(word, Column::Deprel, "_");
        } else if rng.chance(0.3) {
            sentence.set(word, Column::Deprel, "_");
        }
    }
    sentence
}

fn check(options: &TrainOptions, what: &str) {
    let sentences = if options.codec.names().is_empty() {
        projective(40, 8, RootPolicy::Single)
    } else {
        crossing(40, 8)
    };
    let model = model(options, &sentences);
    let mut annotator = model.annotator(KEEP);
    for (round, gold) in crossing(41, 12).iter().enumerate() {
        let given = with_gaps(gold, round as u64);
        let mut parsed = given.clone();
        annotator.annotate(&mut parsed).unwrap();
        for (given, parsed) in given.words().zip(parsed.words()) {
            if given.head().is_some() {
                assert_eq!(given.head(), parsed.head(), "{what}, sentence {round}");
                assert!(["_", parsed.deprel()].contains(&given.deprel()), "{what}");
            }
            assert!(options.partial || parsed.deprel() != "_", "{what}, sentence {round}");
        }
        if !options.partial {
            let tree = unlabelled_tree_of(&parsed).unwrap();
            assert!(tree.obeys(RootPolicy::Single), "{what}, sentence {round}");
        }
        // A sentence that lacks nothing stays as it is.
        let mut whole = gold.clone();
        annotator.annotate(&mut whole).unwrap();
        assert_eq!(super::text(&[whole]), super::text(std::slice::from_ref(gold)), "{what}");
    }
}

/// Also crossing ones, which projective systems cannot build.
#[test]
fn given_heads_are_kept_by_every_system() {
    for entry in SYSTEMS {
        for (beam, partial) in [(1, false), (3, false), (1, true)] {
            let plain = quick(entry.system, entry.oracle);
            check(
                &TrainOptions { beam, partial, epochs: 2, ..plain },
                &format!("{} beam {beam} partial {partial}", entry.system),
            );
        }
    }
}

#[test]
fn given_heads_are_kept_with_every_codec() {
    for codec in CodecChain::available() {
        for system in ["arc-eager", "swap"] {
            let plain = quick(system, default_oracle(system).unwrap());
            let codec = CodecChain::named([codec]).unwrap();
            let what = format!("{system} {:?}", codec.names());
            check(&TrainOptions { codec, epochs: 2, ..plain }, &what);
        }
    }
}

#[test]
fn impossible_heads_are_errors() {
    let model = model(&quick("swap", "lazy"), &crossing(42, 5));
    let mut annotator = model.annotator(KEEP);
    let mut sentence = crossing(43, 1).remove(0);
    sentence.set_head(1, Some(2));
    sentence.set_head(2, Some(1));
    let before = super::text(std::slice::from_ref(&sentence));
    let error = annotator.annotate(&mut sentence).unwrap_err();
    assert!(matches!(error, AnnotateError::GivenCycle { word: 1 | 2 }), "{error}");
    assert_eq!(super::text(std::slice::from_ref(&sentence)), before, "left as it was");
    sentence.set_head(1, Some(1));
    assert!(annotator.annotate(&mut sentence).is_err(), "a word on itself");
    sentence.set_head(1, Some(sentence.len() as u32 + 1));
    sentence.set_head(2, None);
    let error = annotator.annotate(&mut sentence).unwrap_err().to_string();
    assert!(error.contains("word 1"), "{error}");
    sentence.set_head(1, None);
    assert!(annotator.annotate(&mut sentence).is_ok(), "the next sentence is parsed as usual");
}
