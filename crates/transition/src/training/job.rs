//! One training run: sentences with their gold, the epochs over them, the best model kept.
use neural::ChooserLearner;
use rayon::prelude::*;

use super::global::{GlobalLesson, GlobalScratch};
use super::learners::{AnyLearner, AnyNotes};
use super::local::{Lesson, LocalScratch};
use super::teacher::{Canonical, Exploring, Teacher};
use super::updates::Trainee;
use super::{HasContext, Place, Schedule, epoch};
use crate::certain::CertainLabels;
use crate::model::{self, PackedScorer, StoredContext, StoredScorer};
use crate::nets::{self, NetScorer};
use crate::oracle::{DynamicOracle, Oracle};
use crate::parser::TransitionParser;
use crate::scorer::Extractors;
use crate::stored::{StoredLabels, StoredMoves};
use crate::system::{MoveSet, SystemOptions, TransitionSystem};
use crate::systems::SystemVisitor;
use crate::train::Trained;
use crossarc_learn::features::Words;
use crossarc_learn::packed::{PackedLabels, PackedMoves, Weighing};
use crossarc_learn::perceptron::{DenseWeights, SparseWeights};
use crossarc_learn::templates::Templates;
use crossarc_model::{Container, ModelError};
use crossarc_train::TrainError;
use crossarc_train::calibration::fit_temperature;
use crossarc_train::checkpoint::{self, Fingerprint};
use crossarc_train::course::{self, Course, EpochReport, Progress};
use crossarc_train::header::{
    FeatureSet, Header, Kind, MoveScorerHeader, Training, TransitionHeader,
};
use crossarc_train::material::Material;
use crossarc_train::observer::{Observer, Plan};
use crossarc_train::options::{Checkpointing, TrainOptions, USUAL_BYTES};
use crossarc_train::parser::{ParseOptions, Parser};
use crossarc_train::trial::Trial;
use crossarc_tree::codec::CodecChain;
use crossarc_tree::codec::lift::{Definition, projectivise};
use crossarc_tree::seed::{Rng, Seed};
use crossarc_tree::treebank::root_rule::RootRule;
use crossarc_tree::{Label, Labels, RootPolicy, Tree};

/// Everything that does not depend on the type of the system.
pub struct Job<'a> {
    pub options: &'a TrainOptions,
    pub fingerprint: Fingerprint,
    pub checksum: u32,
    pub oracle: &'a str,
    pub sentences: Vec<(Words, Tree)>,
    pub dev: Material<'a>,
    pub labels: Labels,
    pub root_label: Label,
    pub root_rule: Option<RootRule>,
    pub roots: RootPolicy,
    pub codec: CodecChain,
    pub templates: Templates,
    pub extractors: Extractors,
    pub split_by: Option<String>,
    pub plan: Plan,
    pub observer: &'a dyn Observer,
}

/// A sentence with what the teacher prepared for it.
pub(super) struct Prepared<'a, G> {
    pub words: &'a Words,
    pub tree: Tree,
    pub gold: G,
}

impl SystemVisitor for &Job<'_> {
    type Output = Result<Trained, TrainError>;

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) -> Self::Output {
        if let Some(options) = &self.options.svm {
            return self.train_machines::<S, O>(options);
        }
        if self.options.beam > 1 {
            return self.train_globally::<S, _>(&Canonical(O::default()));
        }
        self.train_locally::<S, _>(&Canonical(O::default()))
    }

    fn visit_dynamic<S: TransitionSystem, O: DynamicOracle<S>>(self) -> Self::Output {
        if let Some(options) = &self.options.svm {
            return self.train_machines::<S, O>(options);
        }
        if self.options.beam > 1 {
            return self.train_globally::<S, _>(&Exploring(O::default()));
        }
        self.train_locally::<S, _>(&Exploring(O::default()))
    }
}

impl Job<'_> {
    fn train_locally<S: TransitionSystem, T: Teacher<S>>(
        &self,
        teacher: &T,
    ) -> Result<Trained, TrainError> {
        let system = self.system::<S>();
        let (prepared, plan) = self.prepare(|tree| teacher.prepare(&system, tree).ok())?;
        let course = Epochs {
            job: self,
            system: &system,
            sentences: prepared.iter().map(|one| one.words).collect(),
            memory: LocalScratch::default,
            study: |model: &AnyLearner,
                    at: usize,
                    epoch,
                    rng: &mut Rng,
                    place: &mut Place<_, _>| {
                let exploration = if epoch > 1 { self.options.exploration } else { 0.0 };
                let margin = self.options.margin;
                let lesson = Lesson { system: &system, teacher, model, exploration, margin };
                let Prepared { words, tree, gold } = &prepared[at];
                lesson.study(words, tree, gold, rng, place);
            },
        };
        self.run(&course, plan)
    }

    fn train_globally<S: TransitionSystem, T: Teacher<S>>(
        &self,
        teacher: &T,
    ) -> Result<Trained, TrainError> {
        let system = self.system::<S>();
        let (prepared, plan) = self.prepare(|tree| teacher.prepare(&system, tree).ok())?;
        let TrainOptions { beam: width, update, epochs, scorer, .. } = *self.options;
        // Nets learn single decisions first, as those of Andor et al. (2016).
        let one_by_one = if scorer.scores_moves() { epochs / 3 } else { 0 };
        let course = Epochs {
            job: self,
            system: &system,
            sentences: prepared.iter().map(|one| one.words).collect(),
            memory: || GlobalScratch::new(width),
            study: |model: &AnyLearner,
                    at: usize,
                    epoch,
                    rng: &mut Rng,
                    place: &mut Place<_, _>| {
                let Prepared { words, tree, gold } = &prepared[at];
                let system = &system;
                if epoch <= one_by_one {
                    let exploration = if epoch > 1 { self.options.exploration } else { 0.0 };
                    let lesson = Lesson { system, teacher, model, exploration, margin: 0.0 };
                    GlobalScratch::one_by_one(place, |place| {
                        lesson.study(words, tree, gold, rng, place);
                    });
                    return;
                }
                let lesson = GlobalLesson { system, teacher, model, update };
                lesson.study(words, tree, gold, place);
            },
        };
        self.run(&course, plan)
    }

    pub(super) fn system<S: TransitionSystem>(&self) -> S {
        S::new(SystemOptions { roots: self.roots, partial: self.options.partial })
    }

    /// Trees outside the class of the system are made projective; what is still out of reach, for
    /// it has too many roots, is left out.
    pub(super) fn prepare<G>(
        &self,
        prepare: impl Fn(&Tree) -> Option<G>,
    ) -> Result<(Vec<Prepared<'_, G>>, Plan), TrainError> {
        let (mut lifted, mut left_out) = (0, 0);
        let mut list = Vec::with_capacity(self.sentences.len());
        for (words, tree) in self.sentences.iter().filter(|(words, _)| !words.is_empty()) {
            if let Some(gold) = prepare(tree) {
                list.push(Prepared { words, tree: tree.clone(), gold });
                continue;
            }
            let tree = projectivise(tree, Definition::Dominance).tree;
            if let Some(gold) = prepare(&tree) {
                lifted += 1;
                list.push(Prepared { words, tree, gold });
            } else {
                left_out += 1;
            }
        }
        if list.is_empty() {
            return Err(TrainError::NothingInReach { parser: self.options.parser.clone() });
        }
        Ok((list, Plan { lifted, left_out, ..self.plan.clone() }))
    }

    /// The epochs, whatever is studied in them.
    fn run<S, C, M, F>(
        &self,
        course: &Epochs<'_, S, M, F>,
        plan: Plan,
    ) -> Result<Trained, TrainError>
    where
        S: TransitionSystem,
        C: HasContext<StoredContext> + Send,
        M: Fn() -> C + Sync,
        F: Fn(&AnyLearner, usize, usize, &mut Rng, &mut Place<C, AnyNotes>) + Sync,
    {
        let progress = self.start_or_resume(&self.learner::<S>(&course.sentences))?;
        self.observer.begin(&Plan { epochs_done: progress.epoch, ..plan });
        let mut trained = course::run(course, progress, self.options, self.dev, self.observer)?;
        self.calibrate(course.system, &mut trained);
        self.fit_beam_margin(course.system, &mut trained)?;
        Ok(trained)
    }

    /// What learns, before the first epoch.
    fn learner<S: TransitionSystem>(&self, sentences: &[&Words]) -> AnyLearner {
        let options = self.options;
        if let Some(mut net) = nets::options(options) {
            let words = sentences.iter().flat_map(|words| nets::columns(words));
            let labels = self.labels.len();
            let decisions = nets::decisions(S::Move::ALL.len(), labels, net.relations.is_some());
            net.relations = net.relations.map(|_| nets::relations(labels));
            let steps = options.epochs.max(1) * sentences.len().div_ceil(options.batch.max(1));
            return AnyLearner::Net(Box::new(ChooserLearner::new(&net, words, decisions, steps)));
        }
        AnyLearner::Perceptron(Trainee {
            extractors: self.extractors.clone(),
            moves: DenseWeights::default(),
            labels: SparseWeights::default(),
            label_count: self.labels.len(),
        })
    }

    fn start_or_resume(
        &self,
        learner: &AnyLearner,
    ) -> Result<Progress<AnyLearner, StoredScorer>, TrainError> {
        let runs = self.options.runs;
        match &self.options.checkpoint {
            Some(Checkpointing { path, resume: true }) if path.exists() => {
                let load = |container: &Container, header: &Header| {
                    StoredScorer::load(container, header, || Ok(self.extractors.clone()))
                };
                checkpoint::load(path, &self.fingerprint, learner, runs, load)
            }
            _ => Ok(Progress::start(learner, runs)),
        }
    }

    /// The features for the header of a model.
    pub(super) fn feature_set(&self) -> FeatureSet {
        FeatureSet { name: self.options.feature_set.clone(), templates: self.templates.to_string() }
    }

    /// What the header of a model says about weights or nets.
    fn scorer_header(&self, scorer: &StoredScorer) -> MoveScorerHeader {
        let (linear, net_scale) = match scorer {
            StoredScorer::Linear(linear) => (&**linear, None),
            StoredScorer::Both(both) => (&both.linear, Some(both.scale)),
            StoredScorer::Net(net) => return MoveScorerHeader::Net(net.name().to_owned()),
        };
        MoveScorerHeader::Linear {
            features: self.feature_set(),
            certain: linear.extractors.certain.as_ref().map(CertainLabels::facts),
            move_table: linear.moves.facts(),
            label_table: linear.labels.facts(),
            net_scale,
        }
    }

    pub(super) fn header<S: TransitionSystem>(
        &self,
        scorer: MoveScorerHeader,
        epoch: usize,
    ) -> Header {
        let options = self.options;
        Header {
            parser: options.parser.clone(),
            roots: self.roots.into(),
            codec: self.codec.clone(),
            labels: self.labels.iter().map(|(_, name)| name.to_owned()).collect(),
            root_label: self.labels.name(self.root_label).to_owned(),
            root_rule: self.root_rule.clone(),
            temperature: options.margin.max(1.0),
            calibration: None,
            guides: 0,
            kind: Kind::Transition(TransitionHeader {
                oracle: self.oracle.to_owned(),
                beam: options.beam,
                beam_margin: None,
                partial: options.partial,
                right_to_left: options.right_to_left,
                moves: S::Move::ALL.iter().map(|mv| mv.name().to_owned()).collect(),
                scorer,
            }),
            training: Training {
                program: env!("CARGO_PKG_VERSION").to_owned(),
                sentences: self.plan.sentences,
                words: self.plan.words,
                non_projective: self.plan.non_projective,
                checksum: self.checksum,
                seed: options.seed,
                epochs: epoch,
                best_epoch: epoch,
                exploration: options.exploration,
                margin: options.margin,
                runs: self.plan.runs,
                batch: options.batch,
                prune: options.prune,
                columns: self.plan.columns.clone(),
                ..Training::default()
            },
        }
    }

    fn parser<S: TransitionSystem>(
        &self,
        system: &S,
        trained: &Trained,
    ) -> TransitionParser<S, StoredScorer> {
        TransitionParser {
            system: system.clone(),
            scorer: trained.weights.clone(),
            labels: self.labels.clone(),
            root_label: self.root_label,
            roots: self.roots,
            beam: self.options.beam,
            beam_margin: model::beam_margin(&trained.header),
            right_to_left: self.options.right_to_left,
            temperature: trained.header.temperature,
        }
    }

    /// Attachment scores on the development set, as the finished model will have them.
    pub(super) fn scores<S: TransitionSystem>(
        &self,
        system: &S,
        trained: &Trained,
    ) -> Result<(f64, f64), TrainError> {
        let trial = Trial::new(Box::new(self.parser(system, trained)), &trained.header)?;
        Ok(trial.scores(self.dev, &ParseOptions::default()).attachment())
    }

    /// Fits the scale of confidences to some sentences of the development set.
    pub(super) fn calibrate<S: TransitionSystem>(&self, system: &S, trained: &mut Trained) {
        const SENTENCES: usize = 300;
        let mut labels = self.labels.clone();
        let sample = self.dev.sample(SENTENCES, usize::MAX, |sentence| {
            crossarc_tree::treebank::tree_of(sentence, &mut labels).ok()
        });
        if sample.is_empty() {
            return;
        }
        let parser = self.parser(system, trained);
        trained.header.temperature = fit_temperature(|temperature| {
            let parser = TransitionParser { temperature, ..parser.clone() };
            parser.judge(&sample)
        });
    }
}

/// Sentences of the development set, at most, by which the margin of a beam is fitted.
const MARGIN_SENTENCES: usize = 2_000;
/// Of these, the share whose tree must stay the same.
const SAME_TREE: f64 = 0.99;

impl Job<'_> {
    /// Lets a beam drop what is further behind than winners have been in nearly all sentences of the
    /// development set.
    fn fit_beam_margin<S: TransitionSystem>(
        &self,
        system: &S,
        trained: &mut Trained,
    ) -> Result<(), TrainError> {
        if self.options.beam <= 1 || self.dev.is_empty() || self.observer.should_stop() {
            return Ok(());
        }
        let sentences = self.dev.sentences.iter().enumerate().take(MARGIN_SENTENCES);
        let sentences: Vec<Words> =
            sentences.map(|(number, sentence)| self.dev.words(number, sentence)).collect();
        let parser = self.parser(system, trained);
        let margins = sentences.par_chunks(64).flat_map_iter(|chunk| parser.beam_margins(chunk));
        let mut margins: Vec<f32> = margins.collect();
        margins.sort_by(f32::total_cmp);
        let most = (margins.len() as f64 * SAME_TREE).ceil() as usize;
        if let Some(header) = trained.header.transition_mut() {
            header.beam_margin = margins.get(most.saturating_sub(1)).copied();
        }
        let scores = self.scores(system, trained)?;
        trained.header.training.note_scores(scores);
        Ok(())
    }
}

fn pack<S: TransitionSystem>(trainee: &Trainee, options: &TrainOptions) -> PackedScorer {
    let moves = S::Move::ALL.len();
    let most = options.most_bytes.unwrap_or(USUAL_BYTES);
    let weighing = Weighing::new(&trainee.moves, moves, &trainee.labels);
    let prune = weighing.prune_for(most, options.prune);
    let labels = PackedLabels::pack(&trainee.labels, trainee.label_count, prune);
    PackedScorer {
        extractors: trainee.extractors.clone(),
        moves: StoredMoves::Weights(PackedMoves::pack(&trainee.moves, moves, prune)),
        labels: StoredLabels::Weights(labels),
        label_count: trainee.label_count,
    }
}

/// The epochs of a job for one system.
struct Epochs<'a, S, M, F> {
    job: &'a Job<'a>,
    system: &'a S,
    sentences: Vec<&'a Words>,
    memory: M,
    study: F,
}

impl<S, C, M, F> Course for Epochs<'_, S, M, F>
where
    S: TransitionSystem,
    C: HasContext<StoredContext> + Send,
    M: Fn() -> C + Sync,
    F: Fn(&AnyLearner, usize, usize, &mut Rng, &mut Place<C, AnyNotes>) + Sync,
{
    type Trainee = AnyLearner;
    type Weights = StoredScorer;

    fn study(
        &self,
        learner: &mut AnyLearner,
        number: usize,
        seed: Seed,
    ) -> Result<EpochReport, TrainError> {
        let observer = self.job.observer;
        let progress = |sentences| {
            observer.studied(sentences);
            !observer.should_stop()
        };
        let schedule = Schedule { batch: self.job.options.batch, seed };
        let study = |model: &AnyLearner, at, rng: &mut Rng, place: &mut Place<C, AnyNotes>| {
            (self.study)(model, at, number, rng, place);
        };
        let sentences = &self.sentences;
        epoch::<S, _, _>(learner, sentences, schedule, number, &progress, &self.memory, study)
    }

    fn trained(&self, learners: &[AnyLearner], epoch: usize) -> Trained {
        let options = self.job.options;
        let weights = match AnyLearner::mean(learners) {
            AnyLearner::Perceptron(one) => StoredScorer::Linear(Box::new(pack::<S>(&one, options))),
            AnyLearner::Net(net) => StoredScorer::Net(NetScorer::new(net.model().clone())),
        };
        let scorer = self.job.scorer_header(&weights);
        Trained { header: self.job.header::<S>(scorer, epoch), weights }
    }

    fn parser(&self, trained: &Trained) -> Box<dyn Parser> {
        Box::new(self.job.parser(self.system, trained))
    }

    fn keep(&self, progress: &Progress<AnyLearner, StoredScorer>) -> Result<(), ModelError> {
        match &self.job.options.checkpoint {
            Some(to) => checkpoint::save(&to.path, &self.job.fingerprint, progress),
            None => Ok(()),
        }
    }
}
