//! Support vector machines as the learner: every system, every option, stored and read.
use super::{crossing, parsed, projective, quick, text, trained};
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::parser::ParseOptions;
use crossarc::train::machine_options::{MachineChoices, MachineOptions};
use crossarc::train::train;
use crossarc::train::{
    Checkpointing, Observer, TrainError, TrainOptions, Unobserved, attachment_scores,
};
use crossarc::transition::systems::SYSTEMS;
use crossarc::tree::RootPolicy;
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::unlabelled_tree_of;

fn machines(parser: &str, oracle: &str) -> TrainOptions {
    TrainOptions { svm: Some(MachineOptions::default()), ..quick(parser, oracle) }
}

#[test]
fn every_system_learns_and_builds_trees() {
    let scores = AnnotateOptions {
        parse: ParseOptions { confidences: true, ..Default::default() },
        ..Default::default()
    };
    for roots in [RootPolicy::Single, RootPolicy::Several] {
        let sentences = match roots {
            RootPolicy::Single => crossing(70, 25),
            RootPolicy::Several => projective(70, 25, roots),
        };
        let fresh = crossing(71, 10);
        for entry in SYSTEMS {
            let what = format!("{}/{}", entry.system, entry.oracle);
            let model = trained(&machines(entry.system, entry.oracle), &sentences, &fresh);
            let model = Model::from_bytes(&model.to_bytes()).unwrap();
            assert_eq!(model.header.learner(), "svm");
            let facts = model.header.machines().unwrap();
            assert!(facts.moves.support_vectors > 0 && facts.moves.unfinished == 0, "{what}");
            // What was seen in training is mostly known, as far as the system can build it.
            let (uas, las) = attachment_scores(&model, &sentences);
            assert!(las > 70.0 && uas >= las, "{what}: {uas} {las}");
            for sentence in parsed(&model, &fresh, &scores) {
                let tree = unlabelled_tree_of(&sentence);
                let tree = tree.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(tree.obeys(roots), "{what}: {:?}", tree.heads());
                assert!(sentence.words().all(|word| word.misc().contains("Score=")), "{what}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let (sentences, dev) = (crossing(72, 150), crossing(73, 8));
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| trained(&machines("covington", "static"), &sentences, &dev).to_bytes())
    };
    assert!(bytes(1) == bytes(3));
}

#[test]
fn solvers_and_ways_agree() {
    let (sentences, test) = (crossing(74, 60), crossing(75, 30));
    let parse = |names: &MachineChoices<'_>| {
        let svm = Some(MachineOptions::chosen(names).unwrap());
        let options = TrainOptions { svm, ..quick("covington", "static") };
        let model = trained(&options, &sentences, &[]);
        let facts = model.header().machines().unwrap().clone();
        let model = Model::from_bytes(&model.to_bytes()).unwrap();
        (text(&parsed(&model, &test, &AnnotateOptions::default())), facts)
    };
    let plain = MachineChoices::default();
    let (exact, _) = parse(&MachineChoices { solver: Some("exact"), ..plain });
    let (expanded, _) = parse(&MachineChoices { solver: Some("expanded"), ..plain });
    let lines = exact.lines().count();
    let same = exact.lines().zip(expanded.lines()).filter(|(one, other)| one == other).count();
    assert!(same * 100 >= lines * 98, "{same} of {lines} lines");
    let (_, facts) = parse(&MachineChoices { multiclass: Some("one-versus-rest"), ..plain });
    assert_eq!(facts.multiclass, "one-versus-rest");
    assert!(facts.labels.machines <= 64, "{facts:?}");
    let (_, facts) = parse(&MachineChoices { split_by: Some("none"), ..plain });
    assert_eq!((facts.moves.parts, facts.split_by), (1, None));
    let (_, facts) = parse(&MachineChoices { split_by: Some("s0.upos"), ..plain });
    assert_eq!(facts.split_by.as_deref(), Some("s0.upos"));
    for (names, part) in [
        (MachineChoices { solver: Some("magic"), ..plain }, "by-size, exact, expanded"),
        (MachineChoices { multiclass: Some("all"), ..plain }, "one-versus-one, one-versus-rest"),
    ] {
        let error = MachineOptions::chosen(&names).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_machines_cannot_do_is_said() {
    let sentences = crossing(76, 4);
    let plain = machines("swap", "lazy");
    let with = |change: &dyn Fn(&mut MachineOptions)| {
        let mut svm = MachineOptions::default();
        change(&mut svm);
        TrainOptions { svm: Some(svm), ..plain.clone() }
    };
    let checkpoint = Some(Checkpointing { path: "nowhere".into(), resume: false });
    for (options, part) in [
        (TrainOptions { beam: 4, ..plain.clone() }, "without a beam"),
        (TrainOptions { checkpoint, ..plain.clone() }, "checkpoint"),
        (with(&|svm| svm.settings.cost = -1.0), "cost"),
        (with(&|svm| svm.settings.kernel.gamma = 0.0), "gamma"),
        (with(&|svm| svm.settings.kernel.r = f64::NAN), "r is NaN"),
        (with(&|svm| svm.split_by = Some("b0.color".into())), "color"),
    ] {
        let error = train(&options, &sentences, &[], &Unobserved).err().unwrap();
        assert!(error.to_string().contains(part), "{part}: {error}");
    }
    let graph = TrainOptions { parser: "eisner".into(), ..plain };
    let error = train(&graph, &sentences, &[], &Unobserved).err().unwrap();
    assert!(error.to_string().contains("transition system"), "{error}");
}

struct Impatient;

impl Observer for Impatient {
    fn should_stop(&self) -> bool {
        true
    }
}

#[test]
fn a_stopped_training_has_no_model() {
    let error = train(&machines("swap", "lazy"), &crossing(76, 4), &[], &Impatient).err().unwrap();
    assert!(matches!(error, TrainError::Stopped), "{error}");
}

#[test]
fn flipped_bits_are_errors_or_harmless() {
    let sentences = crossing(77, 6);
    let bytes = trained(&machines("swap", "lazy"), &sentences, &[]).to_bytes();
    let mut rng = Seed(78).rng();
    let mut refused = 0;
    for round in 0..300 {
        let mut copy = bytes.clone();
        let within = if round % 2 == 0 { 4000 } else { copy.len() };
        let at = rng.below(within);
        copy[at] ^= 1 << rng.below(8);
        match Model::from_bytes(&copy) {
            Ok(model) => drop(parsed(&model, &sentences, &AnnotateOptions::default())),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 250, "{refused} of 300");
}
