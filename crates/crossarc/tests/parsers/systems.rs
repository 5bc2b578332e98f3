//! Every system learns a small treebank by heart, with greedy and beam search.
use super::{crossing, model, projective, quick};
use crossarc::annotate::Model;
use crossarc::learn::templates::built_in;
use crossarc::train::options::GlobalUpdate;
use crossarc::train::train;
use crossarc::train::{TrainOptions, Unobserved, attachment_scores};
use crossarc::transition::TreeClass;
use crossarc::transition::systems::SYSTEMS;
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

/// Both places of correction teach, and not the same.
#[test]
fn early_updates_learn_in_their_own_way() {
    let sentences = crossing(10, 10);
    let trained = |update, epochs| {
        let options = TrainOptions { beam: 4, update, ..rich("swap", "lazy", epochs) };
        train(&options, &sentences, &[], &Unobserved).unwrap()
    };
    let early = Model::from_bytes(&trained(GlobalUpdate::Early, 30).to_bytes()).unwrap();
    let (_, las) = attachment_scores(&early, &sentences);
    assert!(las > 90.0, "{las:.2} on its training sentences");
    let one_epoch = |update| trained(update, 1).to_bytes();
    assert_ne!(one_epoch(GlobalUpdate::Early), one_epoch(GlobalUpdate::MaxViolation));
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
