//! Training of support vector machines, as in Nivre (2008, 2009) and Reisinger (2016).
//!
//! The static oracle leads through all sentences; every state becomes an example for the machines
//! that choose moves, every arc one for those that name it. Only that depends on the system; the
//! machines are trained by [`crate::learn::svm`].
//!
//! The data is split by the value of one feature, the coarse tag of the first word in the buffer
//! unless said otherwise (Reisinger 2016, section 4.3), and each part has machines of its own.
use svm::{Multiclass, Settings, Solver};

use super::job::{Job, Prepared};
use super::teacher::{Canonical, Teacher};
use crate::features::Words;
use crate::learn::svm::{Decisions, PackedMachines, SupportVectors};
use crate::model::header::{MachineCounts, SvmHeader};
use crate::transition::features::Scratch;
use crate::transition::model::PackedScorer;
use crate::transition::oracle::Oracle;
use crate::transition::scorer::Extractors;
use crate::transition::stored::{StoredLabels, StoredMoves};
use crate::transition::system::{MoveSet, TransitionSystem};
use crate::transition::train::{TrainError, Trained, guided_scores};
use crate::tree::Tree;

/// What may be chosen about machines.
#[derive(Clone, PartialEq, Debug)]
pub struct MachineOptions {
    /// Kernel, cost, solver.
    pub settings: Settings,
    /// The template by whose value the data is split; nothing for one part.
    pub split_by: Option<String>,
    /// Weights below this are dropped from the expansion.
    pub prune: f64,
}

impl Default for MachineOptions {
    fn default() -> MachineOptions {
        MachineOptions {
            settings: Settings::default(),
            split_by: Some("b0.upos".to_owned()),
            prune: 0.001,
        }
    }
}

/// What a user has chosen; the rest stays as it is.
#[derive(Copy, Clone, Debug, Default)]
pub struct MachineChoices<'a> {
    /// Factor of the kernel.
    pub gamma: Option<f64>,
    /// Constant of the kernel.
    pub r: Option<f64>,
    /// Cost of an error.
    pub cost: Option<f64>,
    /// When the solver stops.
    pub tolerance: Option<f64>,
    /// One of [`MULTICLASS`].
    pub multiclass: Option<&'a str>,
    /// One of [`SOLVERS`].
    pub solver: Option<&'a str>,
    /// A template, or `none`.
    pub split_by: Option<&'a str>,
}

impl MachineOptions {
    /// The feature set that machines take unless told otherwise.
    pub const FEATURES: &'static str = "nivre2008";

    /// The default options with some chosen; the error says which names there are.
    pub fn chosen(choices: &MachineChoices<'_>) -> Result<MachineOptions, String> {
        let mut options = MachineOptions::default();
        let settings = &mut options.settings;
        settings.kernel.gamma = choices.gamma.unwrap_or(settings.kernel.gamma);
        settings.kernel.r = choices.r.unwrap_or(settings.kernel.r);
        settings.cost = choices.cost.unwrap_or(settings.cost);
        settings.tolerance = choices.tolerance.unwrap_or(settings.tolerance);
        if let Some(name) = choices.multiclass {
            options.settings.multiclass = named("way of combining machines", &MULTICLASS, name)?;
        }
        if let Some(name) = choices.solver {
            options.settings.solver = named("solver", &SOLVERS, name)?;
        }
        match choices.split_by {
            None => {}
            Some("none") => options.split_by = None,
            Some(template) => options.split_by = Some(template.to_owned()),
        }
        Ok(options)
    }
}

fn named<T: Copy>(what: &str, names: &[(&str, T)], name: &str) -> Result<T, String> {
    let found = names.iter().find(|(known, _)| *known == name);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(|&(name, _)| name).collect();
        format!("unknown {what} `{name}`: {}", known.join(", "))
    })
}

/// Names of ways to combine machines.
pub const MULTICLASS: [(&str, Multiclass); 2] =
    [("one-versus-one", Multiclass::OneVersusOne), ("one-versus-rest", Multiclass::OneVersusRest)];

/// Names of solvers.
pub const SOLVERS: [(&str, Solver); 3] =
    [("by-size", Solver::BySize), ("exact", Solver::Exact), ("expanded", Solver::Expanded)];

/// What the oracle did in a treebank.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// States and moves.
    pub moves: Decisions,
    /// Arcs and labels.
    pub labels: Decisions,
}

impl Lessons {
    /// Adds the decisions of one sentence.
    pub fn add<S: TransitionSystem, O: Oracle<S>>(
        &mut self,
        system: &S,
        oracle: &O,
        extractors: &Extractors,
        words: &Words,
        tree: &Tree,
        gold: &O::Gold,
    ) {
        let mut state = S::State::default();
        let mut scratch = Scratch::default();
        let (mut split, mut features) = (Vec::new(), Vec::new());
        system.reset(&mut state, words.len());
        while !system.is_final(&state) {
            let (mv, mut label) = oracle.next(system, gold, &state);
            extractors.run_split(words, &state, S::FOCUS, None, &mut scratch, &mut split);
            features.clear();
            extractors.moves.run(words, &state, S::FOCUS, None, &mut scratch, &mut features);
            self.moves.push(&split, &features, mv.index() as u16);
            if let Some(arc) = system.arc(&state, mv)
                && tree.head(arc.dependent) == arc.head
            {
                label = tree.label(arc.dependent);
                let arc = Some(arc);
                extractors.run_split(words, &state, S::FOCUS, arc, &mut scratch, &mut split);
                features.clear();
                extractors.labels.run(words, &state, S::FOCUS, arc, &mut scratch, &mut features);
                self.labels.push(&split, &features, label.0);
            }
            system.apply(&mut state, mv, label);
        }
    }
}

impl Job<'_> {
    /// Collects decisions, then trains the machines.
    pub(super) fn train_machines<S: TransitionSystem, O: Oracle<S>>(
        &self,
        options: &MachineOptions,
    ) -> Result<Trained, TrainError> {
        let system = self.system::<S>();
        let teacher = Canonical(O::default());
        let (prepared, plan) = self.prepare(|tree| teacher.prepare(&system, tree).ok())?;
        self.observer.begin(&plan);
        self.observer.begin_epoch(1);
        let mut lessons = Lessons::default();
        for Prepared { words, tree, gold } in &prepared {
            lessons.add(&system, &teacher.0, &self.extractors, words, tree, gold);
            self.observer.studied(1);
        }
        drop(prepared);
        let (scorer, facts) = self.machines(&lessons, S::Move::ALL.len(), options)?;
        drop(lessons);
        let mut trained = Trained { header: self.header::<S>(&scorer, 1), weights: scorer };
        "svm".clone_into(&mut trained.header.learner);
        trained.header.svm = Some(facts);
        if !self.dev.is_empty() {
            let scores = guided_scores(&self.model(&system, &trained)?, self.dev);
            trained.header.training.note_scores(scores);
        }
        self.observer.learned(&trained.header);
        self.calibrate(&system, &mut trained);
        Ok(trained)
    }

    fn machines(
        &self,
        lessons: &Lessons,
        moves: usize,
        options: &MachineOptions,
    ) -> Result<(PackedScorer, SvmHeader), TrainError> {
        let settings = &options.settings;
        let learn = |decisions: &Decisions, classes| -> Result<_, TrainError> {
            let stop = || self.observer.should_stop();
            let vectors = SupportVectors::train(decisions, classes, settings, &stop)?;
            if stop() {
                return Err(TrainError::Stopped);
            }
            let [parts, machines, support_vectors, unfinished] = vectors.counts();
            let packed = PackedMachines::pack(&vectors, options.prune);
            let counts = MachineCounts {
                decisions: decisions.splits.len(),
                parts,
                machines,
                support_vectors,
                unfinished,
                bytes: packed.size(),
            };
            Ok((packed, counts))
        };
        let (of_moves, move_counts) = learn(&lessons.moves, moves)?;
        let (of_labels, label_counts) = learn(&lessons.labels, self.labels.len())?;
        let scorer = PackedScorer {
            extractors: self.extractors.clone(),
            moves: StoredMoves::Machines(of_moves),
            labels: StoredLabels::Machines(of_labels),
            label_count: self.labels.len(),
        };
        let facts = SvmHeader {
            gamma: settings.kernel.gamma,
            r: settings.kernel.r,
            cost: settings.cost,
            tolerance: settings.tolerance,
            multiclass: name_of(&MULTICLASS, settings.multiclass),
            solver: name_of(&SOLVERS, settings.solver),
            split_by: self.split_by.clone(),
            prune: options.prune,
            moves: move_counts,
            labels: label_counts,
        };
        Ok((scorer, facts))
    }
}

fn name_of<T: Copy + PartialEq>(names: &[(&str, T)], value: T) -> String {
    let found = names.iter().find(|(_, known)| *known == value);
    found.map_or_else(String::new, |(name, _)| (*name).to_owned())
}
