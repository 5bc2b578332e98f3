//! `crossarc train`
mod graph;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use conll::Sentence;
use crossarc::codec::CodecChain;
use crossarc::graph::decoders::DECODERS;
use crossarc::model::ModelError;
use crossarc::model::header::Header;
use crossarc::parser::Approximate;
use crossarc::pipeline::{self, Component, Parts, PipelineOptions};
use crossarc::train::{feature_set, feature_sets, train};
use crossarc::transition::systems::SYSTEMS;
use crossarc::transition::train::{Checkpointing, EpochSummary, Observer, Plan, TrainOptions};
use crossarc::transition::training::global::GlobalUpdate;
use crossarc::transition::training::machines::{MachineChoices, MachineOptions};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Deserialize;

use crate::arguments::{Inputs, Reading, Threads, approximation, beam_width};

/// Train a parser on a treebank, or a pipeline from raw text to trees.
///
/// One command, one model file. Trees that the parser cannot build are counted and treated as the
/// codec says. With `--dev` the best epoch is kept and training ends when the score no longer
/// rises. Ctrl-C ends training and saves the best model so far.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc train -m en.crossarc --train en-train.conllu --dev en-dev.conllu\n  crossarc train -m da.crossarc --train da.conll --parser arc-eager --codec pseudo-head --label-cap 30\n  crossarc train -m hu.crossarc --train hu-train.conllu --dev hu-dev.conllu --beam 8\n  crossarc train -m small.crossarc --train en-train.conllu --small\n  crossarc train -m x.crossarc --train t.conllu --features my-templates.txt --config options.toml\n  crossarc train -m hu.crossarc --train hu-train.conllu --learner svm --parser covington\n  crossarc train --pipeline -m en.crossarc --train en-train.conllu --dev en-dev.conllu\n  crossarc train --replace tagger,lemmatizer -m en.crossarc --train more.conllu\n\nA configuration file holds the same options without their dashes:\n  parser = \"swap\"\n  epochs = 20\n  codec = [\"pseudo-head\"]\n\nFeature sets: rich (default), wide (more templates, slower), nivre2008, malt06, or a file of templates.\nExit codes: 0 the model was written, 1 the data is bad, 2 wrong usage"
)]
pub struct Train {
    /// Where the model goes; it appears when it is complete
    #[arg(long, short, value_name = "FILE")]
    model: PathBuf,

    /// Treebank files to train on
    #[arg(long = "train", value_name = "FILE", num_args = 1.., required = true)]
    treebanks: Vec<PathBuf>,

    /// Treebank files for choosing the best epoch
    #[arg(long, value_name = "FILE", num_args = 1..)]
    dev: Vec<PathBuf>,

    /// Train tokenizer, tagger, lemmatizer and parser into one model that takes raw text. The
    /// parser learns from tags as they are predicted, and --max-size is that of the whole model
    #[arg(long)]
    pipeline: bool,

    /// Train these components of a model that is there, and keep the others: tokenizer, tagger,
    /// lemmatizer, parser
    #[arg(long, value_name = "COMPONENT", value_delimiter = ',', value_parser = component)]
    replace: Vec<Component>,

    /// Pipelines: let the parser learn from the tags of the treebank, not from predicted ones
    #[arg(long)]
    gold_tags: bool,

    #[command(flatten)]
    choices: Choices,

    /// Read options from a TOML file; options on the command line win
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Parameters of codecs, as for `crossarc transform`
    #[arg(long, value_name = "FILE")]
    codec_config: Option<PathBuf>,

    /// A line to be kept in the model, for example the licence of the treebank
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    /// Keep in this file, after every epoch, what is needed to go on later
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Go on from the checkpoint if it is there; the model is the same as without interruption
    #[arg(long, requires = "checkpoint")]
    resume: bool,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    reading: Reading,
}

/// Options that may also stand in a configuration file.
#[derive(Args, Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
struct Choices {
    /// Transition system or graph decoder; `--parser help` lists them. Without one it is arc-eager, with the codec
    /// pseudo-head and at most 30 new labels for crossing arcs
    #[arg(long, value_name = "NAME")]
    parser: Option<String>,

    /// Oracle of the system
    #[arg(long, value_name = "NAME")]
    oracle: Option<String>,

    /// Feature set: rich, or wide, nivre2008 and malt06 of transition parsers, mcdonald2005 and
    /// schiehlen2007 (for siblings schiehlen2007-siblings) of graph parsers, or a file of templates
    #[arg(long, value_name = "NAME|FILE")]
    features: Option<String>,

    /// What learns: perceptron, or svm, support vector machines with a quadratic kernel, which take
    /// the features nivre2008 unless told otherwise
    #[arg(long, value_name = "NAME")]
    learner: Option<String>,

    /// Machines: the kernel is (gamma x.y + r)^2; gamma is 0.2 if not given
    #[arg(long, value_name = "GAMMA")]
    kernel_gamma: Option<f64>,

    /// Machines: r of the kernel; 0.4 if not given, as in `MaltParser`
    #[arg(long, value_name = "R")]
    kernel_r: Option<f64>,

    /// Machines: price of a violated margin, C; 0.5 if not given
    #[arg(long, value_name = "C")]
    cost: Option<f64>,

    /// Machines: training ends when no condition of optimality is violated by more; 0.01 if not given
    #[arg(long, value_name = "T")]
    tolerance: Option<f64>,

    /// Machines: one-versus-one, with votes, or one-versus-rest
    #[arg(long, value_name = "WAY")]
    multiclass: Option<String>,

    /// Machines: exact, over the kernel matrix; expanded, over pairs of features, which finds the same
    /// optimum and is faster on large data; or by-size
    #[arg(long, value_name = "NAME")]
    solver: Option<String>,

    /// Machines: one classifier for each value of this template, none for a single one; b0.upos if not
    /// given, the coarse tag of the first word in the buffer
    #[arg(long, value_name = "TEMPLATE")]
    split_by: Option<String>,

    /// Columns that features must not use: lemma, upos, xpos, feats
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    ignore_columns: Vec<String>,

    /// Width of the beam; 1 is greedy search
    #[arg(long, value_name = "N", value_parser = beam_width)]
    beam: Option<usize>,

    /// Where training with a beam corrects: early or max-violation
    #[arg(long, value_name = "WHERE")]
    update: Option<String>,

    /// Let words stay without a head where the system of the literature does
    #[arg(long)]
    partial: bool,

    /// Transition systems: read sentences from their last word to their first, which makes other
    /// errors: good to vote with (Sagae and Lavie 2006) or to guide
    #[arg(long)]
    right_to_left: bool,

    /// What is done to trees before training and undone after parsing; may be repeated
    #[arg(long, value_name = "NAME")]
    codec: Vec<String>,

    /// Keep the N most frequent new labels of a pseudo-projective codec
    #[arg(long, value_name = "N")]
    label_cap: Option<usize>,

    /// Epochs at most
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,

    /// Stop after N epochs without a better score on the development files
    #[arg(long, value_name = "N")]
    patience: Option<usize>,

    /// Runs in orders of their own whose weights are averaged: training takes so much longer,
    /// parsing does not; 1 if not given, 4 in a pipeline
    #[arg(long, value_name = "N")]
    runs: Option<usize>,

    /// Sentences that are studied with the same weights
    #[arg(long, value_name = "N")]
    batch: Option<usize>,

    /// Chance of following a wrong prediction, with a dynamic oracle
    #[arg(long, value_name = "P")]
    exploration: Option<f64>,

    /// By how much a right move should be better than a wrong one
    #[arg(long, value_name = "M")]
    margin: Option<f32>,

    /// A model of at most 8 MB, for little loss of accuracy
    #[arg(long)]
    small: bool,

    /// A model of at most this many megabytes; 29 if not given. The weakest weights are dropped
    #[arg(long, value_name = "MB")]
    max_size: Option<f64>,

    /// Graph parsers: labels in the search (joint), after it (after), both, or in the search with
    /// classes of labels (taxonomy)
    #[arg(long, value_name = "WAY")]
    labels: Option<String>,

    /// Graph parsers: classes of labels for `--labels taxonomy`, a line `class: label label ...`
    /// each; induced from the treebank if not given
    #[arg(long, value_name = "FILE")]
    taxonomy: Option<PathBuf>,

    /// Graph parsers: count the features of the gold trees
    #[arg(long)]
    count_features: bool,

    /// The decoder eisner: wrong trees that each update must leave behind, the best by score; 1 is
    /// the passive-aggressive step, more are margin-infused steps (MIRA)
    #[arg(long, value_name = "K")]
    constraints: Option<usize>,

    /// Graph parsers: second-order factors know the label of their arc
    #[arg(long)]
    labelled_factors: bool,

    /// Graph parsers: the longest step of learning
    #[arg(long, value_name = "C")]
    aggressiveness: Option<f64>,

    /// Graph parsers: do not favour wrong arcs in training; the loss of a tree is then the square
    /// root of the share of wrong words
    #[arg(long)]
    plain_loss: bool,

    /// Graph parsers: from the best projective tree to crossing arcs, in training and parsing: off,
    /// or by how much a change must gain
    #[arg(long, value_name = "off|T", value_parser = approximation_text)]
    approximation: Option<String>,

    /// Graph parsers: heads of a word that are looked at, at most
    #[arg(long, value_name = "N")]
    most_heads: Option<usize>,

    /// Graph parsers: a head is looked at if its probability is at least this share of the best
    #[arg(long, value_name = "P")]
    least_share: Option<f64>,

    /// Graph parsers: look at all heads, in training and parsing
    #[arg(long)]
    no_prune: bool,

    /// Seed of everything random: the same seed gives the same model
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

impl Choices {
    /// These choices, and those of `other` where these are silent.
    fn or(self, other: Choices) -> Choices {
        let list = |mine: Vec<String>, theirs| if mine.is_empty() { theirs } else { mine };
        Choices {
            parser: self.parser.or(other.parser),
            oracle: self.oracle.or(other.oracle),
            features: self.features.or(other.features),
            learner: self.learner.or(other.learner),
            kernel_gamma: self.kernel_gamma.or(other.kernel_gamma),
            kernel_r: self.kernel_r.or(other.kernel_r),
            cost: self.cost.or(other.cost),
            tolerance: self.tolerance.or(other.tolerance),
            multiclass: self.multiclass.or(other.multiclass),
            solver: self.solver.or(other.solver),
            split_by: self.split_by.or(other.split_by),
            ignore_columns: list(self.ignore_columns, other.ignore_columns),
            beam: self.beam.or(other.beam),
            update: self.update.or(other.update),
            partial: self.partial || other.partial,
            right_to_left: self.right_to_left || other.right_to_left,
            codec: list(self.codec, other.codec),
            label_cap: self.label_cap.or(other.label_cap),
            epochs: self.epochs.or(other.epochs),
            patience: self.patience.or(other.patience),
            runs: self.runs.or(other.runs),
            batch: self.batch.or(other.batch),
            exploration: self.exploration.or(other.exploration),
            margin: self.margin.or(other.margin),
            small: self.small || other.small,
            max_size: self.max_size.or(other.max_size),
            labels: self.labels.or(other.labels),
            taxonomy: self.taxonomy.or(other.taxonomy),
            count_features: self.count_features || other.count_features,
            constraints: self.constraints.or(other.constraints),
            labelled_factors: self.labelled_factors || other.labelled_factors,
            aggressiveness: self.aggressiveness.or(other.aggressiveness),
            plain_loss: self.plain_loss || other.plain_loss,
            approximation: self.approximation.or(other.approximation),
            most_heads: self.most_heads.or(other.most_heads),
            least_share: self.least_share.or(other.least_share),
            no_prune: self.no_prune || other.no_prune,
            seed: self.seed.or(other.seed),
        }
    }

    fn options(&self, codec_config: Option<&Path>) -> anyhow::Result<TrainOptions> {
        let plain = TrainOptions::default();
        let parser = self.parser.clone().unwrap_or(plain.parser);
        let svm = self.machine_options()?;
        let default_set =
            if svm.is_some() { MachineOptions::FEATURES.to_owned() } else { plain.feature_set };
        let set = self.features.clone().unwrap_or(default_set);
        let (feature_set, features) = if let Some(text) = feature_set(&parser, &set) {
            (set, text.to_owned())
        } else {
            let text = fs::read_to_string(&set).with_context(|| {
                let sets = feature_sets(&parser).join(", ");
                format!("`{set}` is neither a feature set ({sets}) nor a readable file")
            })?;
            ("custom".to_owned(), text)
        };
        let mut codec = match codec_config {
            None if self.parser.is_none() && self.codec.is_empty() => default_codec()?,
            None => CodecChain::named(&self.codec)?,
            Some(path) => {
                let text = fs::read_to_string(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                let chain = CodecChain::from_toml(&text)?;
                if self.codec.is_empty() { chain } else { chain.select(&self.codec)? }
            }
        };
        if self.label_cap.is_some() {
            codec.tree.label_cap = self.label_cap;
        }
        let update = match &self.update {
            None => plain.update,
            Some(name) => GlobalUpdate::named(name)
                .with_context(|| format!("unknown update `{name}`: early or max-violation"))?,
        };
        let megabytes = self.max_size.or(self.small.then_some(8.0));
        Ok(TrainOptions {
            parser,
            graph: self.graph_options()?,
            svm,
            oracle: self.oracle.clone().or(plain.oracle),
            feature_set,
            features,
            ignored_columns: self.ignore_columns.clone(),
            beam: self.beam.unwrap_or(plain.beam).max(1),
            update,
            partial: self.partial,
            right_to_left: self.right_to_left,
            roots: None,
            codec,
            epochs: self.epochs.unwrap_or(plain.epochs),
            patience: self.patience.unwrap_or(plain.patience),
            runs: self.runs.unwrap_or(plain.runs),
            batch: self.batch.unwrap_or(plain.batch),
            exploration: self.exploration.unwrap_or(plain.exploration),
            margin: self.margin.unwrap_or(plain.margin),
            prune: plain.prune,
            most_bytes: megabytes.map(|megabytes| (megabytes * 1e6) as usize).or(plain.most_bytes),
            seed: self.seed.unwrap_or(plain.seed),
            checkpoint: None,
        })
    }
}

impl Choices {
    fn machine_options(&self) -> anyhow::Result<Option<MachineOptions>> {
        let numbers = [self.kernel_gamma, self.kernel_r, self.cost, self.tolerance];
        let texts = [&self.multiclass, &self.solver, &self.split_by];
        match self.learner.as_deref() {
            Some("svm") => {}
            None | Some("perceptron") => {
                let given =
                    numbers.iter().any(Option::is_some) || texts.iter().any(|text| text.is_some());
                anyhow::ensure!(!given, "options of machines need `--learner svm`");
                return Ok(None);
            }
            Some(other) => anyhow::bail!("unknown learner `{other}`: perceptron or svm"),
        }
        let choices = MachineChoices {
            gamma: self.kernel_gamma,
            r: self.kernel_r,
            cost: self.cost,
            tolerance: self.tolerance,
            multiclass: self.multiclass.as_deref(),
            solver: self.solver.as_deref(),
            split_by: self.split_by.as_deref(),
        };
        Ok(Some(MachineOptions::chosen(&choices).map_err(anyhow::Error::msg)?))
    }
}

fn component(name: &str) -> Result<Component, String> {
    let found = Component::NAMES.iter().find(|(known, _)| *known == name);
    let names = Component::NAMES.map(|(name, _)| name).join(", ");
    found.map(|(_, component)| *component).ok_or_else(|| format!("one of {names}"))
}

fn approximation_text(text: &str) -> Result<String, String> {
    approximation(text).map(|_: Approximate| text.to_owned())
}

impl Train {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.choices.parser.as_deref() == Some("help") {
            list_parsers();
            return Ok(ExitCode::SUCCESS);
        }
        let from_file = match &self.config {
            None => Choices::default(),
            Some(path) => {
                let text = fs::read_to_string(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                toml::from_str(&text).with_context(|| format!("in {}", path.display()))?
            }
        };
        let choices = self.choices.clone().or(from_file);
        let pipeline = self.pipeline || !self.replace.is_empty();
        let runs = if pipeline { pipeline::PARSER_RUNS } else { TrainOptions::default().runs };
        let options = TrainOptions {
            runs: choices.runs.unwrap_or(runs),
            checkpoint: self
                .checkpoint
                .clone()
                .map(|path| Checkpointing { path, resume: self.resume }),
            ..choices.options(self.codec_config.as_deref())?
        };
        rayon::ThreadPoolBuilder::new().num_threads(self.threads.count()).build_global()?;
        let sentences = self.read(&self.treebanks)?;
        let dev = self.read(&self.dev)?;
        self.check_outputs()?;
        let observer = Terminal::new(self.reading.quiet.quiet, sentences.len());
        Terminal::listen()?;
        if pipeline {
            let limit = choices.max_size.or(choices.small.then_some(8.0));
            self.train_pipeline(options, limit, &sentences, &dev, &observer)?;
            observer.finish(&self.model);
            return Ok(ExitCode::SUCCESS);
        }
        let mut trained = train(&options, &sentences, &dev, &observer)?;
        let names = |paths: &[PathBuf]| paths.iter().map(|path| file_name(path)).collect();
        let training = &mut trained.header_mut().training;
        training.train = names(&self.treebanks);
        training.dev = names(&self.dev);
        training.note = self.note.clone().unwrap_or_default();
        trained.save(&self.model)?;
        observer.finish(&self.model);
        Ok(ExitCode::SUCCESS)
    }

    fn train_pipeline(
        &self,
        parser: TrainOptions,
        megabytes: Option<f64>,
        sentences: &[Sentence],
        dev: &[Sentence],
        observer: &Terminal,
    ) -> anyhow::Result<()> {
        let mut options = PipelineOptions::new(parser);
        let mut parts = Parts::default();
        if !self.replace.is_empty() {
            parts = Parts::open(&self.model)?;
            options.components.clone_from(&self.replace);
        }
        options.most_bytes = megabytes.map(|megabytes| (megabytes * 1e6) as usize);
        if self.gold_tags {
            options.cross_fit = None;
        }
        let names = |paths: &[PathBuf]| paths.iter().map(|path| file_name(path)).collect();
        parts.header.train = names(&self.treebanks);
        parts.header.dev = names(&self.dev);
        if let Some(note) = &self.note {
            parts.header.note.clone_from(note);
        }
        pipeline::train(&options, parts, sentences, dev, observer)?.save(&self.model)?;
        Ok(())
    }

    /// Says before training, not after it, that a file cannot be written.
    fn check_outputs(&self) -> anyhow::Result<()> {
        for path in [Some(&self.model), self.checkpoint.as_ref()].into_iter().flatten() {
            conll::AtomicFile::create(path)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let missing = self.checkpoint.as_ref().filter(|path| self.resume && !path.exists());
        if let (Some(path), false) = (missing, self.reading.quiet.quiet) {
            anstream::eprintln!("there is no {} yet: training begins", path.display());
        }
        Ok(())
    }

    fn read(&self, files: &[PathBuf]) -> anyhow::Result<Vec<Sentence>> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let inputs = Inputs { files: files.to_vec(), reading: self.reading.clone() };
        let options = conll::ReadOptions { need_tree: true, ..self.reading.options() };
        Ok(inputs.read_all(options)?.0)
    }
}

/// What goes with the default parser, which is projective by itself.
fn default_codec() -> anyhow::Result<CodecChain> {
    let mut codec = CodecChain::named(["pseudo-head"])?;
    codec.tree.label_cap = Some(30);
    Ok(codec)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn list_parsers() {
    anstream::println!("{:<26} {:<12} trees", "parser", "oracle");
    for entry in SYSTEMS {
        anstream::println!("{:<26} {:<12} {:?}", entry.system, entry.oracle, entry.covers);
    }
    for name in DECODERS {
        let trees =
            if *name == "mst" { "All" } else { "Projective, crossing arcs by approximation" };
        anstream::println!("{name:<26} {:<12} {trees}", "-");
    }
}

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Tells how training goes.
struct Terminal {
    quiet: bool,
    bar: ProgressBar,
    started: Instant,
}

impl Terminal {
    fn new(quiet: bool, sentences: usize) -> Terminal {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(sentences as u64) };
        if let Ok(style) = ProgressStyle::with_template(
            "epoch {msg} {wide_bar} {pos}/{len} sentences, {per_sec}, {eta} left",
        ) {
            bar.set_style(style);
        }
        Terminal { quiet, bar, started: Instant::now() }
    }

    fn listen() -> anyhow::Result<()> {
        ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed))?;
        Ok(())
    }

    fn say(&self, line: &str) {
        if !self.quiet {
            self.bar.suspend(|| anstream::eprintln!("{line}"));
        }
    }

    fn finish(&self, model: &Path) {
        self.bar.finish_and_clear();
        let size = fs::metadata(model).map_or(0.0, |facts| facts.len() as f64 / 1e6);
        let seconds = self.started.elapsed().as_secs_f64();
        self.say(&format!("{} written, {size:.1} MB, {seconds:.0} s", model.display()));
    }
}

impl pipeline::Observer for Terminal {
    fn say(&self, line: &str) {
        Terminal::say(self, line);
    }
}

impl Observer for Terminal {
    fn begin(&self, plan: &Plan) {
        let Plan { sentences, words, labels, runs, .. } = plan;
        self.bar.set_length((sentences * runs) as u64);
        self.say(&format!(
            "{sentences} sentences, {words} words, {labels} labels{}; {} + {} feature templates",
            if plan.oracle.is_empty() {
                String::new()
            } else {
                format!("; oracle {}", plan.oracle)
            },
            plan.templates.0,
            plan.templates.1
        ));
        if plan.non_projective > 0 {
            let how = if plan.baseline_added {
                "made projective for training, and so is the output (--codec pseudo-head and others bring crossing arcs back)".to_owned()
            } else if plan.codecs.is_empty() {
                "learned as they are".to_owned()
            } else {
                format!("treated by {}", plan.codecs.join(" + "))
            };
            self.say(&format!("{} sentences have crossing arcs: {how}", plan.non_projective));
        }
        if plan.lifted > 0 {
            self.say(&format!(
                "{} trees are beyond this parser and were made projective for training",
                plan.lifted
            ));
        }
        if plan.left_out > 0 {
            self.say(&format!("{} trees have too many roots and are left out", plan.left_out));
        }
        if plan.epochs_done > 0 {
            self.say(&format!("going on after epoch {}", plan.epochs_done));
        }
    }

    fn begin_epoch(&self, epoch: usize) {
        self.bar.reset();
        self.bar.set_message(epoch.to_string());
    }

    fn studied(&self, sentences: usize) {
        self.bar.inc(sentences as u64);
    }

    fn end_epoch(&self, summary: &EpochSummary) {
        let EpochSummary { epoch, report, dev, best } = *summary;
        let corrected = 100.0 * report.changes as f64 / report.decisions.max(1) as f64;
        let score = match dev {
            Some((uas, las)) => format!("; dev UAS {uas:.2} LAS {las:.2}"),
            None => String::new(),
        };
        let mark = if best && dev.is_some() { " *" } else { "" };
        let seconds = self.started.elapsed().as_secs_f64();
        self.say(&format!(
            "epoch {epoch:>2}: {corrected:.1} % corrected{score}{mark} ({seconds:.0} s)"
        ));
    }

    fn learned(&self, header: &Header) {
        if let Some(graph) = &header.graph {
            self.say_pruning(graph);
        }
        let Some(svm) = &header.svm else { return };
        for (what, counts) in [("moves", svm.moves), ("labels", svm.labels)] {
            let unfinished = match counts.unfinished {
                0 => String::new(),
                some => format!(", {some} of them unfinished"),
            };
            self.say(&format!(
                "{what}: {} decisions, {} parts, {} machines{unfinished}, {} support vectors, {:.1} MB",
                counts.decisions,
                counts.parts,
                counts.machines,
                counts.support_vectors,
                counts.bytes as f64 / 1e6
            ));
        }
        if let (Some(uas), Some(las)) = (header.training.dev_uas, header.training.dev_las) {
            self.say(&format!("dev UAS {uas:.2} LAS {las:.2}"));
        }
    }

    fn checkpoint_failed(&self, error: &ModelError) {
        self.bar.suspend(|| anstream::eprintln!("no checkpoint: {error}"));
    }

    fn should_stop(&self) -> bool {
        STOP.load(Ordering::Relaxed)
    }
}
