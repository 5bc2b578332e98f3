//! Confidences are probabilities, for every kind of parser; and what a parser finds improbable is
//! where mistakes are.
use super::{crossing, trained};
use conll::{Column, Sentence};
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::cross_validate::{verdicts, verdicts_of, worst};
use crossarc::eval::Reliability;
use crossarc::eval::reliability::score;
use crossarc::parser::ParseOptions;
use crossarc::train::combination::Combination;
use crossarc::train::{TrainOptions, Unobserved, defaults, feature_set};
use crossarc::tree::seed::Seed;

const SURE: AnnotateOptions = AnnotateOptions {
    parse: ParseOptions { beam: None, confidences: true, exact: false, approximation: None },
    keep_heads: false,
    headless: false,
};

/// A treebank in which one label in five is drawn by lot: nobody can be sure of labels.
fn doubtful(seed: u64, sentences: usize) -> Vec<Sentence> {
    let mut rng = Seed(seed).rng();
    let mut sentences = crossing(seed, sentences);
    for sentence in &mut sentences {
        for word in 1..=sentence.len() {
            if sentence.word(word).head() != Some(0) && rng.chance(0.2) {
                sentence.set(word, Column::Deprel, ["obj", "obl", "det"][rng.below(3)]);
            }
        }
    }
    sentences
}

fn quick(parser: &str) -> TrainOptions {
    let plain = defaults(parser);
    let features = feature_set(parser, "nivre2008").map_or(plain.features, str::to_owned);
    TrainOptions { features, epochs: 3, ..plain }
}

fn calibration_error(model: &Model, gold: &[Sentence]) -> f64 {
    let mut annotator = model.annotator(SURE);
    let mut reliability = Reliability::default();
    for gold in gold {
        let mut parsed = gold.clone();
        annotator.annotate(&mut parsed).unwrap();
        for (gold, word) in gold.words().zip(parsed.words()) {
            let right = gold.head() == word.head() && gold.deprel() == word.deprel();
            reliability.add(score(word.misc()).unwrap(), right);
        }
    }
    reliability.expected_calibration_error().unwrap()
}

#[test]
fn confidences_of_every_kind_of_parser_are_probabilities() {
    let (train, dev, test) = (doubtful(1, 80), doubtful(2, 120), doubtful(3, 120));
    let members = ["swap", "eisner", "arc-eager"].map(quick).to_vec();
    let vote = Combination { members, ..Combination::default() };
    let kinds = [
        ("greedy", quick("arc-eager")),
        ("beam", TrainOptions { beam: 4, ..quick("swap") }),
        ("first order", quick("eisner")),
        ("second order", quick("carreras")),
        ("spanning tree", quick("mst")),
        ("vote", TrainOptions { combination: Some(Box::new(vote)), ..quick("vote") }),
    ];
    for (name, options) in kinds {
        let trained = trained(&options, &train, &dev);
        assert!(trained.header().calibration.is_some(), "{name}");
        let model = Model::from_bytes(&trained.to_bytes()).unwrap();
        let error = calibration_error(&model, &test);
        let mut plain = trained;
        plain.header_mut().calibration = None;
        let before = calibration_error(&Model::from_bytes(&plain.to_bytes()).unwrap(), &test);
        let told = format!("{name}: off by {error:.3}, {before:.3} before calibration");
        assert!(error < 0.1 && error < 0.7 * before, "{told}");
    }
}

#[test]
fn without_a_development_set_a_part_is_held_out() {
    let options = TrainOptions { hold_out: true, ..quick("arc-eager") };
    let calibrated = trained(&options, &doubtful(4, 150), &[]);
    assert!(calibrated.header().calibration.as_ref().is_some_and(|found| found.held_out));
    let model = Model::from_bytes(&calibrated.to_bytes()).unwrap();
    let error = calibration_error(&model, &doubtful(5, 100));
    assert!(error < 0.08, "off by {error:.3}");
    let plain = trained(&TrainOptions { hold_out: false, ..options }, &doubtful(4, 150), &[]);
    assert_eq!(plain.header().calibration, None);
}

/// Labels that are changed by lot are among the least probable ones.
#[test]
fn planted_mistakes_are_improbable() {
    let mut sentences = crossing(6, 150);
    let mut rng = Seed(7).rng();
    let mut planted = Vec::new();
    for (number, sentence) in sentences.iter_mut().enumerate() {
        let word = 1 + rng.below(sentence.len());
        if number % 5 == 0 && sentence.word(word).head() != Some(0) {
            let label = sentence.word(word).deprel().to_owned();
            let others = ["nsubj", "punct", "case"];
            let other = others[rng.below(3)];
            if label != other {
                sentence.set(word, Column::Deprel, other);
                planted.push((number, word));
            }
        }
    }
    let words: usize = sentences.iter().map(Sentence::len).sum();
    for parser in ["eisner", "arc-eager"] {
        let found = verdicts(&quick(parser), &sentences, 3, &Unobserved).unwrap();
        let order = worst(&found);
        assert_eq!(order.len(), words);
        let first = &order[..words * 5 / 100];
        let hits = planted
            .iter()
            .filter(|&&place| first.iter().any(|one| (one.sentence, one.word) == place))
            .count();
        // One in twenty of them by chance.
        assert!(hits * 3 >= planted.len(), "{parser}: {hits} of {}", planted.len());
    }
    let model = Model::from_bytes(&trained(&quick("swap"), &sentences, &[]).to_bytes()).unwrap();
    let found = verdicts_of(&model, &sentences);
    assert!(found.iter().zip(&sentences).all(|(of, sentence)| of.len() == sentence.len()));
}

/// Where a curve is flat, arcs that the parser has not built are still told apart.
#[test]
fn doubtful_annotation_is_in_order() {
    let mut sentences = doubtful(6, 80);
    for sentence in &mut sentences {
        sentence.set(1, Column::Deprel, "obl");
    }
    let trained = trained(&quick("eisner"), &doubtful(4, 150), &doubtful(5, 80));
    let model = Model::from_bytes(&trained.to_bytes()).unwrap();
    let found = verdicts_of(&model, &sentences);
    let first = found.iter().filter_map(|words| words.first()?.as_ref());
    let mut said: Vec<u32> = first.map(|verdict| verdict.probability.to_bits()).collect();
    assert_eq!(said.len(), sentences.len());
    said.sort_unstable();
    said.dedup();
    assert!(said.len() * 2 > sentences.len(), "{} of {}", said.len(), sentences.len());
}
