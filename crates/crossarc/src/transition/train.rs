//! Training of a transition parser on a treebank, from sentences to a model.
use std::path::Path;

use conll::Sentence;
use rayon::prelude::*;

use super::columns::Columns;
use super::confidence::fit_temperature;
use super::features::{Program, TemplateError, Templates};
use super::model::{self, PackedScorer};
use super::oracle::{DynamicOracle, Oracle};
use super::parser::TransitionParser;
use super::scorer::Extractors;
use super::system::{MoveSet, SystemOptions, TransitionSystem, TreeClass};
use super::systems::{SYSTEMS, SystemVisitor, default_oracle, with_system};
use super::training::global::{GlobalLesson, GlobalScratch, GlobalUpdate};
use super::training::local::{Lesson, LocalScratch};
use super::training::teacher::{Canonical, Exploring, Teacher};
use super::training::{EpochReport, Schedule, Trainee, Updates, epoch};
use crate::annotate::{AnnotateOptions, Model, read_words};
use crate::codec::lift::{Definition, projectivise};
use crate::codec::pseudo_projective::Scheme;
use crate::codec::{CodecChain, CodecError};
use crate::features::Words;
use crate::learn::packed::{PackedLabels, PackedMoves};
use crate::learn::perceptron::{DenseWeights, SparseWeights};
use crate::model::ModelError;
use crate::model::header::{Header, Training};
use crate::seed::{Rng, Seed};
use crate::tree::{Label, Labels, RootPolicy, Tree};
use crate::treebank::root_policy;

/// What may be chosen about training.
#[derive(Clone, Debug)]
pub struct TrainOptions {
    /// Name of the transition system.
    pub parser: String,
    /// Name of the oracle; the default one of the system if nothing.
    pub oracle: Option<String>,
    /// Name of the feature set, for the record.
    pub feature_set: String,
    /// Feature templates.
    pub features: String,
    /// Columns that features must not use: lemma, upos, xpos, feats.
    pub ignored_columns: Vec<String>,
    /// Width of the beam, 1 for greedy search.
    pub beam: usize,
    /// Where global training corrects.
    pub update: GlobalUpdate,
    /// Let words stay without a head where the system of the literature does.
    pub partial: bool,
    /// How many words may hang on the root; as in the treebank if nothing.
    pub roots: Option<RootPolicy>,
    /// What is done to trees before training and undone after parsing.
    pub codec: CodecChain,
    /// Epochs at most.
    pub epochs: usize,
    /// Stop after this many epochs without a better score on the development set.
    pub patience: usize,
    /// Sentences that are studied with the same weights.
    pub batch: usize,
    /// Chance of following a wrong prediction, with a dynamic oracle.
    pub exploration: f64,
    /// By how much a right move should be better than a wrong one.
    pub margin: f32,
    /// Weights below this are dropped from the model.
    pub prune: f32,
    /// Drop more weights until the model has at most this many bytes.
    pub most_bytes: Option<usize>,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for TrainOptions {
    fn default() -> TrainOptions {
        TrainOptions {
            parser: "swap".to_owned(),
            oracle: None,
            feature_set: "rich".to_owned(),
            features: super::features::built_in("rich").unwrap_or_default().to_owned(),
            ignored_columns: Vec::new(),
            beam: 1,
            update: GlobalUpdate::default(),
            partial: false,
            roots: None,
            codec: CodecChain::default(),
            epochs: 15,
            patience: 5,
            batch: 4,
            exploration: 0.9,
            margin: 3.0,
            prune: 0.05,
            most_bytes: None,
            seed: 1,
        }
    }
}

/// Why training cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// No such system.
    #[error("unknown parser `{name}`; there are: {}", known.join(", "))]
    UnknownParser {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// No such oracle.
    #[error("parser `{parser}` has no oracle `{name}`; it has: {}", known.join(", "))]
    UnknownOracle {
        /// The system.
        parser: String,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// No sentence to learn from.
    #[error("there is no sentence to train on")]
    NoSentence,
    /// The feature templates cannot be read.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The feature templates use too many addresses.
    #[error("the feature templates look at too many different words")]
    TooManyAddresses,
    /// No such column.
    #[error("unknown column `{0}`; features can do without lemma, upos, xpos or feats")]
    UnknownColumn(String),
    /// The codec does not fit.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The model cannot be written.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// What is known when training begins.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Name of the oracle.
    pub oracle: String,
    /// Sentences, after transformations.
    pub sentences: usize,
    /// Words.
    pub words: usize,
    /// Labels, those of the codec included.
    pub labels: usize,
    /// Sentences whose tree is not projective.
    pub non_projective: usize,
    /// Names of the codecs.
    pub codecs: Vec<&'static str>,
    /// True if the baseline codec was added because the system needs it.
    pub baseline_added: bool,
    /// Trees outside the class of the system that were made projective one by one.
    pub lifted: usize,
    /// Templates for moves and labels.
    pub templates: (usize, usize),
}

/// What an epoch brought.
#[derive(Copy, Clone, Debug, Default)]
pub struct EpochSummary {
    /// Number of the epoch, from 1.
    pub epoch: usize,
    /// What was studied.
    pub report: EpochReport,
    /// Unlabelled and labelled attachment score on the development set, in percent.
    pub dev: Option<(f64, f64)>,
    /// True if this is the best epoch so far.
    pub best: bool,
}

/// Watches training, and may end it.
pub trait Observer: Sync {
    /// Training begins.
    fn begin(&self, _plan: &Plan) {}
    /// An epoch begins.
    fn begin_epoch(&self, _epoch: usize) {}
    /// Some sentences have been studied.
    fn studied(&self, _sentences: usize) {}
    /// An epoch has ended.
    fn end_epoch(&self, _summary: &EpochSummary) {}
    /// True if training should end now, with the best epoch so far.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct Unobserved;
impl Observer for Unobserved {}

/// A trained model, ready to be saved or used.
pub struct Trained {
    /// What the model knows about itself.
    pub header: Header,
    /// Its weights.
    pub scorer: PackedScorer,
}

impl Trained {
    /// Writes the model file.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        model::save(path, &self.header, &self.scorer)
    }
}

/// Trains a parser. `dev` may be empty: then all epochs are run and the last one is kept.
pub fn train(
    options: &TrainOptions,
    train: &[Sentence],
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    let systems = SYSTEMS.iter().filter(|entry| entry.system == options.parser);
    let covers = systems.clone().map(|entry| entry.covers).next();
    let covers = covers.ok_or_else(|| {
        let mut known: Vec<&str> = SYSTEMS.iter().map(|entry| entry.system).collect();
        known.dedup();
        TrainError::UnknownParser { name: options.parser.clone(), known }
    })?;
    let oracle = match &options.oracle {
        Some(name) => name.as_str(),
        None => default_oracle(&options.parser).unwrap_or_default(),
    };
    if train.iter().all(Sentence::is_empty) {
        return Err(TrainError::NoSentence);
    }
    let mut codec = options.codec.clone();
    let baseline_added = covers == TreeClass::Projective && codec.tree.scheme.is_none();
    if baseline_added {
        codec.tree.scheme = Some(Scheme::Baseline);
    }
    let mut labels = Labels::default();
    let examples = codec.fit(train, &mut labels)?;
    let columns = Columns::of(examples.iter().map(|example| &example.sentence));
    let columns = columns
        .without(options.ignored_columns.iter().map(String::as_str))
        .map_err(TrainError::UnknownColumn)?;
    let templates = columns.fit(&Templates::parse(&options.features)?);
    let compile = |list| Program::compile(list).ok_or(TrainError::TooManyAddresses);
    let extractors =
        Extractors { moves: compile(&templates.moves)?, labels: compile(&templates.labels)? };
    let trees: Vec<Tree> = examples.iter().map(|example| example.tree.clone()).collect();
    let roots = options.roots.unwrap_or_else(|| root_policy(&trees));
    let sentences: Vec<(Words, Tree)> = examples
        .iter()
        .map(|example| {
            let mut words = Words::default();
            read_words(&example.sentence, &mut words);
            (words, example.tree.clone())
        })
        .collect();
    let non_projective = train
        .iter()
        .filter_map(|sentence| crate::treebank::unlabelled_tree_of(sentence).ok())
        .filter(|tree| !crate::tree::projectivity::is_projective(tree))
        .count();
    let plan = Plan {
        oracle: oracle.to_owned(),
        sentences: sentences.len(),
        words: sentences.iter().map(|(words, _)| words.len()).sum(),
        labels: labels.len(),
        non_projective,
        codecs: codec.names(),
        baseline_added,
        lifted: 0,
        templates: (templates.moves.len(), templates.labels.len()),
    };
    let root_label = most_frequent_root_label(&trees);
    let job = Job {
        options,
        oracle,
        sentences,
        dev,
        labels,
        root_label,
        roots,
        codec,
        templates,
        extractors,
        plan,
        observer,
    };
    with_system(&options.parser, oracle, &job).unwrap_or_else(|| {
        let known = systems.map(|entry| entry.oracle).collect();
        let (parser, name) = (options.parser.clone(), oracle.to_owned());
        Err(TrainError::UnknownOracle { parser, name, known })
    })
}

fn most_frequent_root_label(trees: &[Tree]) -> Label {
    let mut counts: Vec<usize> = Vec::new();
    for tree in trees {
        for root in tree.roots() {
            let label = tree.label(root).index();
            counts.resize(counts.len().max(label + 1), 0);
            counts[label] += 1;
        }
    }
    let best = counts.iter().enumerate().max_by_key(|&(index, &count)| (count, usize::MAX - index));
    Label(best.map_or(0, |(index, _)| index as u16))
}

/// Everything that does not depend on the type of the system.
struct Job<'a> {
    options: &'a TrainOptions,
    oracle: &'a str,
    sentences: Vec<(Words, Tree)>,
    dev: &'a [Sentence],
    labels: Labels,
    root_label: Label,
    roots: RootPolicy,
    codec: CodecChain,
    templates: Templates,
    extractors: Extractors,
    plan: Plan,
    observer: &'a dyn Observer,
}

/// A sentence with what the teacher prepared for it.
struct Prepared<'a, G> {
    words: &'a Words,
    tree: Tree,
    gold: G,
}

impl SystemVisitor for &Job<'_> {
    type Output = Result<Trained, TrainError>;

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) -> Self::Output {
        if self.options.beam > 1 {
            return self.train_globally::<S, O>();
        }
        self.train_locally::<S, _>(&Canonical(O::default()))
    }

    fn visit_dynamic<S: TransitionSystem, O: DynamicOracle<S>>(self) -> Self::Output {
        if self.options.beam > 1 {
            return self.train_globally::<S, O>();
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
        let prepared = self.prepare(|tree| teacher.prepare(&system, tree).ok());
        self.run::<S, LocalScratch<S>>(
            &system,
            prepared.len(),
            |model, number, epoch, rng, memory, updates| {
                let exploration = if epoch > 1 { self.options.exploration } else { 0.0 };
                let margin = self.options.margin;
                let lesson = Lesson { system: &system, teacher, model, exploration, margin };
                let Prepared { words, tree, gold } = &prepared[number];
                lesson.study(words, tree, gold, rng, memory, updates);
            },
        )
    }

    fn train_globally<S: TransitionSystem, O: Oracle<S>>(&self) -> Result<Trained, TrainError> {
        let (system, oracle) = (self.system::<S>(), O::default());
        let prepared = self.prepare(|tree| oracle.prepare(&system, tree).ok());
        let TrainOptions { beam: width, update, margin, .. } = *self.options;
        self.run::<S, GlobalScratch<S>>(
            &system,
            prepared.len(),
            |model, number, _, _, memory, updates| {
                let (system, oracle) = (&system, &oracle);
                let lesson = GlobalLesson { system, oracle, model, width, update, margin };
                let Prepared { words, tree, gold } = &prepared[number];
                lesson.study(words, tree, gold, memory, updates);
            },
        )
    }

    fn system<S: TransitionSystem>(&self) -> S {
        S::new(SystemOptions { roots: self.roots, partial: self.options.partial })
    }

    /// Trees outside the class of the system are made projective.
    fn prepare<G>(&self, prepare: impl Fn(&Tree) -> Option<G>) -> Vec<Prepared<'_, G>> {
        let mut lifted = 0;
        let mut list = Vec::with_capacity(self.sentences.len());
        for (words, tree) in self.sentences.iter().filter(|(words, _)| !words.is_empty()) {
            if let Some(gold) = prepare(tree) {
                list.push(Prepared { words, tree: tree.clone(), gold });
                continue;
            }
            lifted += 1;
            let tree = projectivise(tree, Definition::Dominance).tree;
            if let Some(gold) = prepare(&tree) {
                list.push(Prepared { words, tree, gold });
            }
        }
        self.observer.begin(&Plan { lifted, ..self.plan.clone() });
        list
    }

    /// The epochs, whatever is studied in them.
    fn run<S: TransitionSystem, C: Default + Send>(
        &self,
        system: &S,
        examples: usize,
        study: impl Fn(&Trainee, usize, usize, &mut Rng, &mut C, &mut Updates) + Sync,
    ) -> Result<Trained, TrainError> {
        let options = self.options;
        let mut trainee = Trainee {
            extractors: self.extractors.clone(),
            moves: DenseWeights::default(),
            labels: SparseWeights::default(),
            label_count: self.labels.len(),
        };
        let schedule = Schedule { batch: options.batch, seed: Seed(options.seed) };
        let mut best: Option<(f64, Trained)> = None;
        for number in 1..=options.epochs.max(1) {
            self.observer.begin_epoch(number);
            let progress = |sentences| {
                self.observer.studied(sentences);
                !self.observer.should_stop()
            };
            let report = epoch(
                &mut trainee,
                examples,
                schedule,
                number,
                &progress,
                |model, at, rng, memory: &mut C, updates| {
                    study(model, at, number, rng, memory, updates);
                },
            );
            let stopped = self.observer.should_stop();
            if stopped && best.is_some() {
                break;
            }
            let is_last = number >= options.epochs || stopped;
            if self.dev.is_empty() && !is_last {
                self.observer.end_epoch(&EpochSummary {
                    epoch: number,
                    report,
                    ..EpochSummary::default()
                });
                continue;
            }
            let scorer = self.pack::<S>(&trainee, options.prune);
            let trained = Trained { header: self.header::<S>(&scorer, number), scorer };
            let dev =
                (!self.dev.is_empty()).then(|| self.evaluate(system, &trained)).transpose()?;
            let score = dev.map_or(0.0, |(_, las)| las);
            let is_best = best.as_ref().is_none_or(|(top, _)| score > *top);
            self.observer.end_epoch(&EpochSummary { epoch: number, report, dev, best: is_best });
            if is_best {
                let mut trained = trained;
                trained.header.training.dev_uas = dev.map(|(uas, _)| round(uas));
                trained.header.training.dev_las = dev.map(|(_, las)| round(las));
                best = Some((score, trained));
            }
            let waited =
                best.as_ref().map_or(0, |(_, kept)| number - kept.header.training.best_epoch);
            if stopped || waited >= options.patience.max(1) {
                break;
            }
        }
        let (_, mut trained) = best.ok_or(TrainError::NoSentence)?;
        self.calibrate(system, &mut trained);
        Ok(trained)
    }

    fn pack<S: TransitionSystem>(&self, trainee: &Trainee, prune: f32) -> PackedScorer {
        let moves = S::Move::ALL.len();
        let pack = |prune: f32| PackedScorer {
            extractors: trainee.extractors.clone(),
            moves: PackedMoves::pack(&trainee.moves, moves, prune),
            labels: PackedLabels::pack(&trainee.labels, self.labels.len(), prune),
            label_count: self.labels.len(),
        };
        let mut scorer = pack(prune);
        let mut prune = prune.max(0.01);
        while self
            .options
            .most_bytes
            .is_some_and(|most| scorer.moves.size() + scorer.labels.size() > most)
        {
            prune *= 1.1;
            scorer = pack(prune);
        }
        scorer
    }

    fn header<S: TransitionSystem>(&self, scorer: &PackedScorer, epoch: usize) -> Header {
        let options = self.options;
        Header {
            parser: options.parser.clone(),
            oracle: self.oracle.to_owned(),
            learner: "perceptron".to_owned(),
            beam: options.beam,
            roots: self.roots.into(),
            partial: options.partial,
            codec: self.codec.clone(),
            feature_set: options.feature_set.clone(),
            features: self.templates.to_string(),
            moves: S::Move::ALL.iter().map(|mv| mv.name().to_owned()).collect(),
            labels: self.labels.iter().map(|(_, name)| name.to_owned()).collect(),
            root_label: self.labels.name(self.root_label).to_owned(),
            temperature: options.margin.max(1.0),
            move_table: scorer.moves.facts(),
            label_table: scorer.labels.facts(),
            training: Training {
                program: env!("CARGO_PKG_VERSION").to_owned(),
                sentences: self.plan.sentences,
                words: self.plan.words,
                non_projective: self.plan.non_projective,
                seed: options.seed,
                epochs: epoch,
                best_epoch: epoch,
                exploration: options.exploration,
                margin: options.margin,
                batch: options.batch,
                prune: options.prune,
                ..Training::default()
            },
        }
    }

    fn parser<S: TransitionSystem>(
        &self,
        system: &S,
        trained: &Trained,
    ) -> TransitionParser<S, PackedScorer> {
        TransitionParser {
            system: system.clone(),
            scorer: trained.scorer.clone(),
            labels: self.labels.clone(),
            root_label: self.root_label,
            roots: self.roots,
            beam: self.options.beam,
            temperature: trained.header.temperature,
        }
    }

    /// Attachment scores on the development set, measured as a user would measure them.
    fn evaluate<S: TransitionSystem>(
        &self,
        system: &S,
        trained: &Trained,
    ) -> Result<(f64, f64), TrainError> {
        let parser = self.parser(system, trained);
        let model = Model::new(trained.header.clone(), Box::new(parser))?;
        Ok(attachment_scores(&model, self.dev))
    }

    /// Fits the scale of confidences to some sentences of the development set.
    fn calibrate<S: TransitionSystem>(&self, system: &S, trained: &mut Trained) {
        const SENTENCES: usize = 300;
        let mut labels = self.labels.clone();
        let sample: Vec<(Words, Tree)> = self
            .dev
            .iter()
            .take(SENTENCES)
            .filter_map(|sentence| {
                let tree = crate::treebank::tree_of(sentence, &mut labels).ok()?;
                let mut words = Words::default();
                read_words(sentence, &mut words);
                Some((words, tree))
            })
            .collect();
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

fn round(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}

/// Unlabelled and labelled attachment score of a model on gold sentences, in percent.
pub fn attachment_scores(model: &Model, gold: &[Sentence]) -> (f64, f64) {
    let count = |annotator: &mut crate::annotate::Annotator<'_>, gold: &Sentence| {
        let mut parsed = gold.clone();
        if annotator.annotate(&mut parsed).is_err() {
            return [gold.len(), 0, 0];
        }
        gold.words().zip(parsed.words()).fold([0; 3], |[words, heads, labels], (gold, parsed)| {
            let head = gold.head() == parsed.head();
            let both = head && gold.deprel() == parsed.deprel();
            [words + 1, heads + usize::from(head), labels + usize::from(both)]
        })
    };
    let [words, heads, labels] = gold
        .par_chunks(64)
        .map(|chunk| {
            let mut annotator = model.annotator(AnnotateOptions::default());
            chunk.iter().map(|sentence| count(&mut annotator, sentence)).fold([0; 3], add)
        })
        .reduce(|| [0; 3], add);
    let percent = |part: usize| 100.0 * part as f64 / words.max(1) as f64;
    (percent(heads), percent(labels))
}

fn add(one: [usize; 3], other: [usize; 3]) -> [usize; 3] {
    std::array::from_fn(|index| one[index] + other[index])
}
