//! Every system learns a small treebank by heart, with greedy and beam search.
use super::{crossing, model, projective, quick};
use crossarc::transition::TreeClass;
use crossarc::transition::features::built_in;
use crossarc::transition::systems::SYSTEMS;
use crossarc::transition::train::{TrainOptions, attachment_scores};
use crossarc::tree::RootPolicy;

fn rich(parser: &str, oracle: &str, epochs: usize) -> TrainOptions {
    let features = built_in("rich").unwrap().to_owned();
    TrainOptions { features, epochs, ..quick(parser, oracle) }
}

fn learns(beam: usize) {
    for entry in SYSTEMS {
        let sentences = match entry.covers {
            TreeClass::All => crossing(10, 10),
            _ => projective(10, 10, RootPolicy::Single),
        };
        let options = TrainOptions { beam, ..rich(entry.system, entry.oracle, 30) };
        let (_, las) = attachment_scores(&model(&options, &sentences), &sentences);
        let (system, oracle) = (entry.system, entry.oracle);
        assert!(las > 90.0, "{system}/{oracle}, beam {beam}: {las:.2} on its training sentences");
    }
}

#[test]
fn every_system_learns_ten_sentences_greedily() {
    learns(1);
}

#[test]
fn every_system_learns_ten_sentences_with_a_beam() {
    learns(4);
}

#[test]
fn treebanks_with_several_roots_are_learned() {
    let sentences = projective(11, 10, RootPolicy::Several);
    assert!(sentences.iter().any(|s| s.words().filter(|word| word.head() == Some(0)).count() > 1));
    for entry in SYSTEMS {
        let options = rich(entry.system, entry.oracle, 30);
        let (_, las) = attachment_scores(&model(&options, &sentences), &sentences);
        assert!(las > 90.0, "{}/{}: {las:.2}", entry.system, entry.oracle);
    }
}

/// The permissive forms of the literature are trained and used, too.
#[test]
fn partial_systems_are_learned() {
    let sentences = projective(12, 10, RootPolicy::Single);
    for entry in SYSTEMS {
        let options = TrainOptions { partial: true, ..rich(entry.system, entry.oracle, 30) };
        let (_, las) = attachment_scores(&model(&options, &sentences), &sentences);
        assert!(las > 90.0, "{}/{}: {las:.2}", entry.system, entry.oracle);
    }
}
