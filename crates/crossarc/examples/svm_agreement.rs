//! How often expanded machines decide as their support vectors do, on the gold decisions of
//! sentences that they were not trained on, and what pruning costs.
//!
//! ```text
//! cargo run --release --example svm_agreement -- TRAIN DEV [PARSER] [SOLVER] [MULTICLASS] [TOLERANCE]
//! ```
use std::time::Instant;

use conll::Sentence;
use crossarc::learn::features::Words;
use crossarc::learn::features::words::read_words;
use crossarc::learn::svm::{Decisions, PackedMachines, SupportVectors};
use crossarc::learn::templates::{Program, Templates, built_in};
use crossarc::train::machine_options::{MULTICLASS, MachineOptions, SOLVERS};
use crossarc::transition::scorer::Extractors;
use crossarc::transition::system::{SystemOptions, TransitionSystem};
use crossarc::transition::systems::{SystemVisitor, default_oracle, with_system};
use crossarc::transition::training::machines::Lessons;
use crossarc::transition::{MoveSet, Oracle};
use crossarc::tree::{Labels, RootPolicy};
use svm::Settings;
use svm::expansion::Scratch;
use svm::multiclass::best;

/// Decisions that are compared, at most.
const SAMPLE: usize = 5000;

struct Study {
    train: Vec<Sentence>,
    dev: Vec<Sentence>,
    settings: Settings,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given =
        |at: usize, default: &str| arguments.get(at).cloned().unwrap_or_else(|| default.to_owned());
    let read = |at: usize| -> Result<Vec<Sentence>, Box<dyn std::error::Error>> {
        let text = std::fs::read_to_string(given(at, ""))?;
        Ok(conll::read_str(&text, conll::ReadOptions::default())?)
    };
    let parser = given(2, "covington");
    let (solver, multiclass) = (given(3, "by-size"), given(4, "one-versus-one"));
    let settings = Settings {
        solver: SOLVERS.iter().find(|(name, _)| *name == solver).ok_or("solver")?.1,
        multiclass: MULTICLASS.iter().find(|(name, _)| *name == multiclass).ok_or("way")?.1,
        tolerance: given(5, "0.01").parse()?,
        ..Settings::default()
    };
    let study = Study { train: read(0)?, dev: read(1)?, settings };
    let oracle = default_oracle(&parser).unwrap_or_default();
    with_system(&parser, oracle, study).ok_or("unknown parser")?;
    Ok(())
}

impl SystemVisitor for Study {
    type Output = ();

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) {
        let templates = built_in("nivre2008").map(Templates::parse).expect("a set").expect("read");
        let split = MachineOptions::default().split_by.expect("a template");
        let split = Templates::parse(&format!("[moves]\n{split}")).expect("a template");
        let compile = |list: &[_]| Program::compile(list).expect("few addresses");
        let extractors = Extractors {
            moves: compile(&templates.moves),
            labels: compile(&templates.labels),
            split: compile(&split.moves),
            certain: None,
        };
        let mut labels = Labels::default();
        let system = S::new(SystemOptions { roots: RootPolicy::Several, partial: false });
        let oracle = O::default();
        let mut collect = |sentences: &[Sentence]| {
            let mut lessons = Lessons::default();
            for sentence in sentences {
                let Ok(tree) = crossarc::tree::treebank::tree_of(sentence, &mut labels) else {
                    continue;
                };
                let Ok(gold) = oracle.prepare(&system, &tree) else { continue };
                let mut words = Words::default();
                read_words(sentence, &mut words);
                lessons.add(&system, &oracle, &extractors, &words, &tree, &gold);
            }
            lessons
        };
        let (train, dev) = (collect(&self.train), collect(&self.dev));
        self.compare("moves", &train.moves, &dev.moves, S::Move::ALL.len());
        self.compare("labels", &train.labels, &dev.labels, labels.len());
    }
}

impl Study {
    fn compare(&self, what: &str, train: &Decisions, dev: &Decisions, classes: usize) {
        let start = Instant::now();
        let exact = SupportVectors::train(train, classes, &self.settings, &|| false)
            .expect("good settings");
        let [parts, machines, vectors, unfinished] = exact.counts();
        println!(
            "{what}: {} decisions, {parts} parts, {machines} machines ({unfinished} unfinished), {vectors} support vectors, {:.1} s",
            train.splits.len(),
            start.elapsed().as_secs_f64()
        );
        let step = dev.splits.len().div_ceil(SAMPLE).max(1);
        let sample: Vec<usize> = (0..dev.splits.len()).step_by(step).collect();
        let mut scores = vec![0.0; classes];
        let names: Vec<Vec<u64>> =
            sample.iter().map(|&at| dev.examples.feature_names(at).collect()).collect();
        let split = |at: usize| [dev.splits[at]];
        let by_kernel: Vec<u16> = sample
            .iter()
            .zip(&names)
            .map(|(&at, names)| {
                exact.score(&split(at), names, &mut scores);
                best(&scores)
            })
            .collect();
        let right = |found: &[u16]| {
            let right = |(&at, class): (&usize, &u16)| dev.examples.class(at) == *class;
            100.0 * sample.iter().zip(found).filter(|&pair| right(pair)).count() as f64
                / sample.len().max(1) as f64
        };
        println!("  support vectors: {:.3} % right", right(&by_kernel));
        for prune in [0.0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02] {
            let start = Instant::now();
            let packed = PackedMachines::pack(&exact, prune);
            let expanding = start.elapsed().as_secs_f64();
            let mut scratch = Scratch::default();
            let start = Instant::now();
            let found: Vec<u16> = sample
                .iter()
                .zip(&names)
                .map(|(&at, names)| {
                    packed.score(&split(at), names, &mut scratch, &mut scores);
                    best(&scores)
                })
                .collect();
            let each = start.elapsed().as_secs_f64() * 1e6 / sample.len().max(1) as f64;
            let same = found.iter().zip(&by_kernel).filter(|(one, other)| one == other).count();
            println!(
                "  prune {prune}: {:.3} % alike, {:.3} % right, {:.1} MB, {each:.1} us each, expanded in {expanding:.1} s",
                100.0 * same as f64 / sample.len().max(1) as f64,
                right(&found),
                packed.size() as f64 / 1e6
            );
        }
    }
}
