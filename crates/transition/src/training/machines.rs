//! Training of support vector machines, as in Nivre (2008, 2009) and Reisinger (2016).
//!
//! The static oracle leads through all sentences; every state becomes an example for the machines
//! that choose moves, every arc one for those that name it. Only that depends on the system; the
//! machines are trained by [`crossarc_learn::svm`].
//!
//! The data is split by the value of one feature, the coarse tag of the first word in the buffer
//! unless said otherwise (Reisinger 2016, section 4.3), and each part has machines of its own.
use super::job::{Job, Prepared};
use super::teacher::{Canonical, Teacher};
use crate::model::{PackedScorer, StoredScorer};
use crate::oracle::Oracle;
use crate::scorer::Extractors;
use crate::stored::{StoredLabels, StoredMoves};
use crate::system::{MoveSet, TransitionSystem};
use crate::train::Trained;
use crossarc_learn::features::Words;
use crossarc_learn::svm::{Decisions, PackedMachines, SupportVectors};
use crossarc_learn::templates::Scratch;
use crossarc_train::TrainError;
use crossarc_train::header::{MachineCounts, MoveScorerHeader, SvmHeader};
use crossarc_train::machine_options::{MULTICLASS, MachineOptions, SOLVERS};
use crossarc_tree::Tree;

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
            system.make(&mut state, mv, label);
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
        let machines = MoveScorerHeader::Machines { features: self.feature_set(), machines: facts };
        let mut trained = Trained { header: self.header::<S>(machines, 1), weights: scorer };
        if !self.dev.is_empty() {
            let scores = self.scores(&system, &trained)?;
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
    ) -> Result<(StoredScorer, SvmHeader), TrainError> {
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
        let scorer = StoredScorer::Linear(Box::new(PackedScorer {
            extractors: self.extractors.clone(),
            moves: StoredMoves::Machines(of_moves),
            labels: StoredLabels::Machines(of_labels),
            label_count: self.labels.len(),
        }));
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
