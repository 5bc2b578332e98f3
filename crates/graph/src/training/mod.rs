//! Training of a graph parser on a treebank, from sentences to a model.
//!
//! First the model that prunes heads is trained; then, epoch by epoch, sentences are parsed with
//! the heads it keeps (the gold heads are always kept), and the weights take passive-aggressive
//! steps. The sentences of a batch are studied in parallel with the same weights, and what they
//! teach is applied in their order: a run gives the same weights at any number of threads.
mod fitting;
pub mod lesson;

use std::marker::PhantomData;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use conll::Sentence;
use rayon::prelude::*;

use self::lesson::{Example, Lesson, Scratch, Trainee, Updates};
use super::decoder::{Decoder, Marginals};
use super::decoders::{DecoderVisitor, Eisner, with_decoder};
use super::edge_filter::{EdgeFilter, Reach};
use super::factors::{Factor, Order};
use super::features::program::Section;
use super::features::{Program, SentenceFeatures, Templates};
use super::head_model::{self, FOLDS, HeadScratch};
use super::linear::FactorModel;
use super::model::{self, PackedModel, Parts};
use super::parser::GraphParser;
use super::scores::LabelSharing;
use super::search::{self, Settings, usual_labels};
use super::taxonomy::{SeenLabels, Taxonomy};
use crossarc_learn::features::{Attribute, Words};
use crossarc_learn::packed::{PackedLabels, PackedMoves, Weighing};
use crossarc_learn::packed_factors::PackedFactors;
use crossarc_learn::perceptron::{Averaging, DenseWeights, SparseWeights};
use crossarc_learn::templates::template::Property;
use crossarc_model::{Container, ModelError};
use crossarc_train::TrainError;
use crossarc_train::checkpoint::{self, Fingerprint, Resumable, checksum};
use crossarc_train::columns::Columns;
use crossarc_train::course::EpochReport;
use crossarc_train::course::{self, Course, Progress};
use crossarc_train::graph_options::LabelWay;
use crossarc_train::header::{
    FactorHeader, FeatureCounts, FeatureSet, GraphHeader, Header, Kind, NetHeader, PruningLoss,
    Training,
};
use crossarc_train::hidden_columns;
use crossarc_train::material::Material;
use crossarc_train::material::most_frequent_root_label;
use crossarc_train::observer::{Observer, Plan};
use crossarc_train::options::{ScorerKind, TrainOptions, USUAL_BYTES};
use crossarc_train::parser::{Approximate, Parser};
use crossarc_train::trial::Trial;
use crossarc_tree::codec::CodecChain;
use crossarc_tree::codec::pseudo_projective::Scheme;
use crossarc_tree::seed::Seed;
use crossarc_tree::treebank::root_policy;
use crossarc_tree::treebank::root_rule::RootRule;
use crossarc_tree::{Label, Labels, RootPolicy, Tree};

/// The most bytes of a model with labels in all factors, if nothing else is said.
const LABELLED_BYTES: usize = 80_000_000;
/// Of the size of a model, the part for naming arcs.
const SHARE_OF_NAMES: usize = 5;

/// A trained graph parser.
pub type Trained = course::Trained<Option<PackedModel>>;

/// Trains a graph parser. `dev` may be empty: then all epochs are run and the last one is kept.
pub fn train(
    options: &TrainOptions,
    material: Material<'_>,
    dev: Material<'_>,
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    if material.sentences.iter().all(Sentence::is_empty) {
        return Err(TrainError::NoSentence);
    }
    let unknown = || TrainError::UnknownParser {
        name: options.parser.clone(),
        nearest: None,
        known: super::decoders::DECODERS.to_vec(),
    };
    with_decoder(&options.parser, Start { options, material, dev, observer })
        .unwrap_or_else(|| Err(unknown()))
}

struct Start<'a> {
    options: &'a TrainOptions,
    material: Material<'a>,
    dev: Material<'a>,
    observer: &'a dyn Observer,
}

impl DecoderVisitor for Start<'_> {
    type Output = Result<Trained, TrainError>;

    fn visit<D: Marginals + Default + 'static>(self) -> Self::Output {
        self.job::<D>()?.run::<D>()
    }
}

impl<'a> Start<'a> {
    fn job<D: Decoder>(&self) -> Result<Job<'a>, TrainError> {
        let Start { options, material, dev, observer } = *self;
        let train = material.sentences;
        let mut codec = options.codec.clone();
        let approximation = match options.graph.approximation {
            Some(Approximate::Threshold(threshold)) if D::PROJECTIVE => Some(threshold),
            None if D::PROJECTIVE && D::ORDER > Order::First && codec.tree.scheme.is_none() => {
                Some(DEFAULT_THRESHOLD)
            }
            _ => None,
        };
        let baseline_added =
            D::PROJECTIVE && codec.tree.scheme.is_none() && approximation.is_none();
        if baseline_added {
            codec.tree.scheme = Some(Scheme::Baseline);
        }
        let mut labels = Labels::default();
        let examples = codec.fit(train, &mut labels)?;
        let read = examples.iter().map(|example| &example.sentence);
        let (columns, column_uses) = Columns::chosen(read, dev.sentences, &options.ignored_columns)
            .map_err(TrainError::UnknownColumn)?;
        let templates = Templates::parse(&options.features)?;
        let templates = templates.for_order(D::ORDER);
        let templates = templates.fitted(|property| columns.substitute(property));
        let tag = match columns.substitute(Property::Attribute(Attribute::Upos)) {
            Some(Property::Attribute(tag)) => tag,
            _ => Attribute::Upos,
        };
        let trees: Vec<Tree> = examples.iter().map(|example| example.tree.clone()).collect();
        let roots = options.roots.unwrap_or_else(|| root_policy(&trees));
        let fits = |tree: &Tree| !tree.is_empty() && tree.obeys(roots);
        let numbered = examples.iter().enumerate().filter(|(_, example)| fits(&example.tree));
        let (numbers, plain): (Vec<usize>, Vec<&Sentence>) =
            numbered.map(|(number, example)| (number, &example.sentence)).unzip();
        let read = |at: usize, sentence: &Sentence| {
            (material.words(numbers[at], sentence), examples[numbers[at]].tree.clone())
        };
        let mut sentences: Vec<(Words, Tree)> =
            plain.iter().enumerate().map(|(at, sentence)| read(at, sentence)).collect();
        if sentences.is_empty() {
            return Err(TrainError::NothingInReach { parser: options.parser.clone() });
        }
        let non_projective = train
            .iter()
            .filter_map(|sentence| crossarc_tree::treebank::unlabelled_tree_of(sentence).ok())
            .filter(|tree| !crossarc_tree::projectivity::is_projective(tree))
            .count();
        let plan = Plan {
            sentences: sentences.len(),
            words: sentences.iter().map(|(words, _)| words.len()).sum(),
            runs: options.runs.max(1),
            labels: labels.len(),
            non_projective,
            codecs: codec.names(),
            baseline_added,
            left_out: trees.len() - sentences.len(),
            columns: column_uses,
            ..Plan::default()
        };
        let copies = hidden_columns::copies(&plain, columns, options.hidden_columns);
        sentences.extend(copies.iter().map(|(at, copy)| read(*at, copy)));
        let graph = &options.graph;
        if graph.constraints > 1 && D::NAME != Eisner::NAME {
            return Err(TrainError::NoConstraints { parser: options.parser.clone() });
        }
        let labels_way = graph.labels.unwrap_or(usual_labels(D::ORDER));
        let settings = Settings {
            labels: labels_way,
            sharing: search::sharing(labels_way),
            pruning: graph.pruning.map(|options| search::pruning(options, D::ORDER)),
            exact: false,
            approximation,
            roots,
            label_trust: DEFAULT_TRUST,
            net_scale: 0.0,
        };
        let settings = if options.scorer == ScorerKind::Biaffine {
            Settings {
                labels: LabelWay::After,
                sharing: LabelSharing::Shared,
                pruning: Some(search::pruning(graph.pruning.unwrap_or_default(), D::ORDER)),
                net_scale: 1.0,
                ..settings
            }
        } else {
            settings
        };
        let root_label = most_frequent_root_label(&trees);
        Ok(Job {
            options,
            fingerprint: Fingerprint::of(options, "", train, dev.sentences),
            checksum: checksum(train),
            sentences,
            dev,
            labels,
            root_label,
            root_rule: RootRule::learn(train),
            roots,
            codec,
            templates,
            tag,
            settings,
            aggressiveness: graph.aggressiveness.unwrap_or(search::usual_aggressiveness(D::ORDER)),
            plan,
            observer,
        })
    }
}

/// The threshold of the approximation in training, and in parsing if there is no development set to
/// fit it on; Bohnet (2010) has 0.3 for scores on another scale.
const DEFAULT_THRESHOLD: f64 = 0.1;

/// How much scores of labels in the search count beside those of names if there is no development
/// set to fit that on. Both have scales of their own.
const DEFAULT_TRUST: f32 = 50.0;

/// Scale of the scores of the search for confidences, if there is no development set to fit it on.
const TEMPERATURE: f32 = 0.05;

/// The same for the scores of names.
const LABEL_TEMPERATURE: f32 = 5.0;

/// One training run.
struct Job<'a> {
    options: &'a TrainOptions,
    fingerprint: Fingerprint,
    checksum: u32,
    sentences: Vec<(Words, Tree)>,
    dev: Material<'a>,
    labels: Labels,
    root_label: Label,
    root_rule: Option<RootRule>,
    roots: RootPolicy,
    codec: CodecChain,
    templates: Templates,
    tag: Attribute,
    settings: Settings,
    aggressiveness: f64,
    plan: Plan,
    observer: &'a dyn Observer,
}

impl Job<'_> {
    fn run<D: Marginals + Default + 'static>(mut self) -> Result<Trained, TrainError> {
        let options = self.options;
        if options.scorer == ScorerKind::Biaffine {
            let mut trained = Trained { header: self.header(None, 0, None), weights: None };
            self.fit_threshold::<D>(&mut trained)?;
            self.note_scores::<D>(&mut trained)?;
            self.fit_temperature::<D>(&mut trained);
            return Ok(trained);
        }
        let mut empty = self.start::<D>()?;
        let resume = options.checkpoint.as_ref().filter(|from| from.resume && from.path.exists());
        let mut progress = match resume {
            Some(from) => {
                let load = |container: &Container, header: &Header| match header.graph() {
                    Some(graph) => Parts::load(container, header, graph).map(|parts| parts.model),
                    None => Err(container.damaged("its best model is no graph parser")),
                };
                checkpoint::load(&from.path, &self.fingerprint, &empty, options.runs, load)?
            }
            None => Progress::start(&empty, options.runs),
        };
        self.observer.begin(&Plan { epochs_done: progress.epoch, ..self.plan.clone() });
        let stop = || self.observer.should_stop();
        empty.heads =
            head_model::train(empty.arc_view(), &self.sentences, Seed(options.seed), &stop);
        for trainee in &mut progress.trainees {
            trainee.heads = empty.heads.clone();
        }
        let unseen = head_model::train_cross_fitted(
            empty.arc_view(),
            &self.sentences,
            Seed(options.seed),
            &stop,
        );
        let pruning_loss = self.calibrate(&empty, &unseen);
        let examples = self.examples(&empty, &unseen);
        let (seen, counts) = self.count_features::<D>(&empty, &examples);
        let best = progress.best.as_ref().and_then(|best| best.trained.header.graph());
        let non_null = best.map_or(0, |graph| graph.counts.non_null);
        let course = Epochs {
            job: &self,
            examples,
            seen,
            counts,
            non_null: AtomicUsize::new(non_null),
            pruning_loss,
            decoder: PhantomData::<fn() -> D>,
        };
        let mut trained = course::run(&course, progress, options, self.dev, self.observer)?;
        if options.scorer == ScorerKind::Hybrid {
            self.fit_net_scale::<D>(&mut trained)?;
        }
        self.fit_threshold::<D>(&mut trained)?;
        self.fit_label_trust::<D>(&mut trained)?;
        self.fit_temperature::<D>(&mut trained);
        self.compare_with_exact_search::<D>(&mut trained)?;
        self.observer.learned(&trained.header);
        Ok(trained)
    }

    /// A model without weights.
    fn start<D: Decoder>(&mut self) -> Result<Trainee, TrainError> {
        let program = Program::compile(&self.templates).ok_or(TrainError::TooManyAddresses)?;
        let label_program = crossarc_learn::templates::Program::compile(&self.templates.labels)
            .ok_or(TrainError::TooManyAddresses)?;
        let of_factors = [Section::Arcs, Section::Siblings, Section::Grandchildren];
        let used = match D::ORDER {
            Order::First => 1,
            Order::Sibling => 2,
            Order::Grandchild => 3,
        };
        let templates = of_factors[..used].iter().map(|&section| program.len(section)).sum();
        self.plan.templates = (templates, label_program.len());
        let tags: Vec<Vec<u32>> = self
            .sentences
            .iter()
            .map(|(words, _)| {
                let nodes = (0..=words.len() as u32).map(crossarc_tree::Node);
                nodes.map(|node| words.value(node, self.tag)).collect()
            })
            .collect();
        let trees = || self.sentences.iter().zip(&tags).map(|((_, tree), tags)| (tree, &tags[..]));
        let taxonomy = match (self.settings.labels, &self.options.graph.taxonomy) {
            (LabelWay::Taxonomy, Some(text)) => Taxonomy::parse(text, &self.labels)
                .map_err(|error| TrainError::Taxonomy(Box::new(error)))?,
            (LabelWay::Taxonomy, None) => Taxonomy::induced(trees(), self.labels.len()),
            _ => Taxonomy::default(),
        };
        let filter = EdgeFilter::from_trees(trees());
        Ok(FactorModel {
            program,
            label_program,
            heads: PackedMoves::pack(&DenseWeights::default(), 1, 0.0),
            factors: SparseWeights::averaged_by(Averaging::Late),
            names: SparseWeights::averaged_by(Averaging::Late),
            labels: self.labels.len(),
            taxonomy,
            reach: Reach::of(&filter),
            filter,
            tag: self.tag,
        })
    }

    /// Sentences with the arcs that will be looked at: those that are left by pruning as it will be
    /// in new sentences, by a model that has not seen the sentence, and the gold ones.
    fn examples(&self, model: &Trainee, heads: &[PackedMoves]) -> Vec<Example> {
        let settings = &self.settings;
        let prune = |(features, scratch): &mut (SentenceFeatures, HeadScratch),
                     (number, (words, tree)): (usize, &(Words, Tree))| {
            let mut candidates = super::Candidates::default();
            let heads = &heads[number % FOLDS];
            let arc_view = model.arc_view();
            let guess = scratch.choose(heads, arc_view, features, words, settings, &mut candidates);
            let guess = guess.to_vec();
            candidates.insert_tree(tree);
            let target = if settings.labels.in_search() {
                tree.clone()
            } else {
                let arcs = tree.words().map(|word| (tree.head(word), Label(0)));
                Tree::new(arcs).unwrap_or_default()
            };
            let (words, tree) = (words.clone(), tree.clone());
            Example { words, tree, target, candidates, guess }
        };
        self.sentences.par_iter().enumerate().map_init(Default::default, prune).collect()
    }

    /// The labels that occur with each feature, for a taxonomy, and how many features there are, if
    /// that is wanted.
    fn count_features<D: Decoder>(
        &self,
        model: &Trainee,
        examples: &[Example],
    ) -> (Option<SeenLabels>, FeatureCounts) {
        let mut counts = FeatureCounts::default();
        let taxonomy = &model.taxonomy;
        if taxonomy.is_empty() && !self.options.graph.count_features {
            return (None, counts);
        }
        let labels = self.labels.len();
        let (mut seen, mut others) = (SeenLabels::new(labels), SparseWeights::default());
        let (mut sentence, mut features) = (SentenceFeatures::default(), Vec::new());
        for Example { words, tree, guess, .. } in examples {
            sentence.prepare(&model.program, words, guess, D::ORDER);
            for (factor, label) in super::factors(tree, D::ORDER) {
                features.clear();
                sentence.factor(&model.program, factor, &mut features);
                if matches!(factor, Factor::Arc { .. }) {
                    let class = 1 + labels + taxonomy.class(label);
                    seen.add(&features, 1 + label.0, class as u16);
                } else {
                    others.update(&features, &[(0, 1.0)]);
                }
            }
        }
        let [gold, split, pruned] = seen.count(taxonomy);
        counts.gold = gold + others.len();
        counts.split = split + others.len();
        counts.pruned = pruned + others.len();
        ((!taxonomy.is_empty()).then_some(seen), counts)
    }

    fn pack(&self, model: &Trainee, epoch: usize, loss: Option<PruningLoss>) -> Trained {
        let usual = match self.settings.sharing {
            LabelSharing::PerLabel => LABELLED_BYTES,
            LabelSharing::Shared => USUAL_BYTES,
        };
        let most = self.options.most_bytes.unwrap_or(usual);
        let none = DenseWeights::default();
        let weighing = Weighing::new(&none, 1, &model.names);
        let prune = weighing.prune_for(most / SHARE_OF_NAMES, self.options.prune);
        let names = PackedLabels::pack(&model.names, self.labels.len(), prune);
        let left = most.saturating_sub(names.size() + model.heads.size());
        let packed = PackedModel {
            program: model.program.clone(),
            label_program: model.label_program.clone(),
            heads: model.heads.clone(),
            factors: PackedFactors::pack(&model.factors, model.classes(), left),
            names,
            labels: model.labels,
            taxonomy: model.taxonomy.clone(),
            filter: model.filter.clone(),
            reach: model.reach.clone(),
            tag: model.tag,
        };
        Trained { header: self.header(Some(&packed), epoch, loss), weights: Some(packed) }
    }

    fn header(
        &self,
        model: Option<&PackedModel>,
        epoch: usize,
        loss: Option<PruningLoss>,
    ) -> Header {
        let options = self.options;
        Header {
            parser: options.parser.clone(),
            roots: self.roots.into(),
            codec: self.codec.clone(),
            labels: self.labels.iter().map(|(_, name)| name.to_owned()).collect(),
            root_label: self.labels.name(self.root_label).to_owned(),
            root_rule: self.root_rule.clone(),
            temperature: TEMPERATURE,
            calibration: None,
            guides: 0,
            kind: Kind::Graph(GraphHeader {
                labels: self.settings.labels,
                labelled_factors: self.settings.sharing == LabelSharing::PerLabel,
                pruning: self.settings.pruning,
                approximation: self.settings.approximation,
                label_trust: self.settings.label_trust,
                aggressiveness: self.aggressiveness,
                loss_augmented: options.graph.loss_augmented,
                constraints: options.graph.constraints,
                pruning_loss: loss,
                counts: FeatureCounts::default(),
                label_temperature: LABEL_TEMPERATURE,
                linear: model.map(|model| self.factor_header(model)),
                net: model.is_none().then_some(NetHeader { nets: 0, scale: 1.0 }),
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
                exploration: 0.0,
                margin: options.margin,
                runs: self.plan.runs,
                batch: options.batch,
                prune: options.prune,
                columns: self.plan.columns.clone(),
                ..Training::default()
            },
        }
    }

    fn factor_header(&self, model: &PackedModel) -> FactorHeader {
        let filter = &model.filter;
        let (frequent, most_frequent) = filter.frequent();
        let entries = filter.entries().map(|(head, dependent, leftward, distance, labels)| {
            (head, dependent, leftward, distance, labels.iter().map(|label| label.0).collect())
        });
        let (factor_unit, factor_table) = model.factors.facts();
        FactorHeader {
            features: FeatureSet {
                name: self.options.feature_set.clone(),
                templates: self.templates.to_string(),
            },
            taxonomy: model.taxonomy.as_slice().to_vec(),
            tag: self.tag.name().to_owned(),
            filter: entries.collect(),
            frequent: frequent.iter().map(|&(tag, label)| (tag, label.0)).collect(),
            most_frequent: most_frequent.0,
            factor_unit,
            head_table: model.heads.facts(),
            factor_table,
            label_table: model.names.facts(),
        }
    }

    /// The parser with its codec, to be measured.
    fn trial<D: Marginals + Default + 'static>(
        &self,
        trained: &Trained,
    ) -> Result<Trial, TrainError> {
        Ok(Trial::new(Box::new(self.parser::<D>(trained)), &trained.header)?)
    }

    /// The parser with all that has been fitted so far.
    fn parser<D: Marginals + Default>(&self, trained: &Trained) -> GraphParser<D> {
        let header = &trained.header;
        let fitted = header.graph().map(|graph| model::settings(graph, header.roots));
        GraphParser::new(Parts {
            model: trained.weights.clone(),
            settings: fitted.unwrap_or(self.settings),
            labels: self.labels.clone(),
            root_label: self.root_label,
            temperatures: model::temperatures(header),
        })
    }
}

/// The epochs of a job with one decoder.
struct Epochs<'a, D> {
    job: &'a Job<'a>,
    examples: Vec<Example>,
    /// The labels that occur with each feature, if there is a taxonomy.
    seen: Option<SeenLabels>,
    counts: FeatureCounts,
    /// Features with a weight after the first epoch; a run that goes on knows them from its best model.
    non_null: AtomicUsize,
    pruning_loss: Option<PruningLoss>,
    decoder: PhantomData<fn() -> D>,
}

impl<D: Marginals + Default + 'static> Course for Epochs<'_, D> {
    type Trainee = Trainee;
    type Weights = Option<PackedModel>;

    fn study(
        &self,
        model: &mut Trainee,
        epoch: usize,
        seed: Seed,
    ) -> Result<EpochReport, TrainError> {
        let Job { options, settings, observer, .. } = self.job;
        let mut order: Vec<usize> = (0..self.examples.len()).collect();
        seed.fork("shuffle", epoch as u64).rng().shuffle(&mut order);
        let mut places: Vec<(Scratch<D>, Updates)> = Vec::new();
        places.resize_with(options.batch.max(1), Default::default);
        let mut report = EpochReport::default();
        for batch in order.chunks(places.len()) {
            let lesson = Lesson {
                model,
                settings,
                options: &options.graph,
                aggressiveness: self.job.aggressiveness,
                seen: self.seen.as_ref(),
                margin: options.margin,
            };
            places[..batch.len()].par_iter_mut().zip(batch).for_each(
                |((scratch, updates), &at)| {
                    lesson.study(&self.examples[at], scratch, updates);
                },
            );
            for (_, updates) in &places[..batch.len()] {
                report.decisions += updates.words;
                report.changes += updates.wrong;
                updates.apply(model, self.seen.as_ref());
            }
            observer.studied(batch.len());
            if observer.should_stop() {
                break;
            }
        }
        Ok(report)
    }

    fn trained(&self, trainees: &[Trainee], epoch: usize) -> Trained {
        if epoch == 1 {
            self.non_null.store(trainees[0].factors.len(), Relaxed);
        }
        let mut trained = match trainees {
            [one] => self.job.pack(one, epoch, self.pruning_loss),
            several => self.job.pack(&mean(several), epoch, self.pruning_loss),
        };
        if let Some(graph) = trained.header.graph_mut() {
            let non_null = self.non_null.load(Relaxed);
            let learned = trainees[0].factors.len();
            graph.counts = FeatureCounts { non_null, learned, ..self.counts };
        }
        trained
    }

    fn parser(&self, trained: &Trained) -> Box<dyn Parser> {
        Box::new(self.job.parser::<D>(trained))
    }

    fn keep(&self, progress: &Progress<Trainee, Option<PackedModel>>) -> Result<(), ModelError> {
        match &self.job.options.checkpoint {
            Some(to) => checkpoint::save(&to.path, &self.job.fingerprint, progress),
            None => Ok(()),
        }
    }
}

impl Trainee {
    /// The same model with other weights.
    fn with(&self, factors: SparseWeights, names: SparseWeights) -> Trainee {
        Trainee {
            program: self.program.clone(),
            label_program: self.label_program.clone(),
            heads: self.heads.clone(),
            factors,
            names,
            labels: self.labels,
            taxonomy: self.taxonomy.clone(),
            filter: self.filter.clone(),
            reach: self.reach.clone(),
            tag: self.tag,
        }
    }
}

/// The mean of several runs.
fn mean(runs: &[Trainee]) -> Trainee {
    let factors = SparseWeights::mean(runs.iter().map(|run| &run.factors));
    let names = SparseWeights::mean(runs.iter().map(|run| &run.names));
    runs[0].with(factors, names)
}

/// What a checkpoint calls the weights of factors and of labels.
const SECTIONS: [&str; 2] = ["weights", "labels"];

impl Resumable for Trainee {
    fn to_sections(&self) -> Vec<(String, Vec<u8>)> {
        let bytes = [self.factors.to_bytes(), self.names.to_bytes()];
        SECTIONS.map(str::to_owned).into_iter().zip(bytes).collect()
    }

    fn with_sections<'s>(
        &self,
        section: &dyn Fn(&str) -> Option<&'s [u8]>,
    ) -> Result<Trainee, String> {
        let read = |name: &str, classes| {
            let weights = section(name).and_then(|bytes| SparseWeights::from_bytes(bytes, classes));
            weights.ok_or_else(|| name.to_owned())
        };
        let [factors, names] = SECTIONS;
        Ok(self.with(read(factors, self.classes())?, read(names, self.labels)?))
    }
}

fn round(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}
