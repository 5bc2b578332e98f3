//! `crossarc train`
mod cross_validate;
mod graph;
pub mod help;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use clap::error::ErrorKind;
use conll::Sentence;
use crossarc::combine::bundle::VOTE;
use crossarc::graph::decoders::DECODERS;
use crossarc::header::Header;
use crossarc::model::ModelError;
use crossarc::pipeline::{self, Component, Parts, PipelineOptions};
use crossarc::teacher::{self, HeldOut};
use crossarc::text::tag::TagNetOptions;
use crossarc::train::options::ScorerKind;
use crossarc::train::{Checkpointing, Choices, EpochSummary, Observer, Plan, TrainOptions};
use crossarc::train::{fill_gaps, train};
use crossarc::transition::systems::SYSTEMS;
use crossarc::tree::treebank::filling::ColumnUse;
use crossarc::tree::treebank::morphology::{self, Category};
use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::{Inputs, Reading, Threads, abbreviations};
use crate::interrupt::{STOP, stop_gently};

/// Train a parser on a treebank, or a pipeline from raw text to trees.
///
/// One command, one model file. Trees that the parser cannot build are counted and treated as the
/// codec says. With `--dev` the best epoch is kept and training ends when the score no longer
/// rises. Ctrl-C ends training and saves the best model so far.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc train -m en.crossarc --train en-train.conllu --dev en-dev.conllu\n  crossarc train -m da.crossarc --train da.conll --parser arc-eager --codec pseudo-head --label-cap 30\n  crossarc train -m hu.crossarc --train hu-train.conllu --dev hu-dev.conllu --beam 8\n  crossarc train -m small.crossarc --train en-train.conllu --small\n  crossarc train -m x.crossarc --train t.conllu --features my-templates.txt --config options.toml\n  crossarc train -m hu.crossarc --train hu-train.conllu --learner svm --parser covington\n  crossarc train -m hu.crossarc --train t.conllu --dev d.conllu --parser swap --beam 8 --guide carreras\n  crossarc train -m hu.crossarc --train t.conllu --dev d.conllu --parser vote --weights tag \\\n      --member 'swap --beam 8' --member 'carreras --runs 4'\n  crossarc train --pipeline -m en.crossarc --train en-train.conllu --dev en-dev.conllu\n  crossarc train --replace tagger,lemmatizer -m en.crossarc --train more.conllu\n  crossarc train --replace calibration -m en.crossarc --dev en-dev.conllu\n  crossarc train --pipeline -m small.crossarc --train en-train.conllu --dev en-dev.conllu \\\n      --teacher en.crossarc --text novels.txt.xz --leave-out en-test.conllu\n\nA configuration file holds the same options without their dashes:\n  parser = \"swap\"\n  epochs = 20\n  codec = [\"pseudo-head\"]\n\nFeature sets: rich (default), wide (more templates, slower), nivre2008, malt06, malt06-linear, or a file of templates.\nExit codes: 0 the model was written, 1 the data is bad (with --on-error skip the model is written from the rest), 2 wrong usage"
)]
#[allow(clippy::struct_excessive_bools, reason = "switches")]
pub struct Train {
    /// Where the model goes; it appears when it is complete
    #[arg(long, short, value_name = "FILE")]
    model: PathBuf,

    /// Treebank files to train on
    #[arg(long = "train", value_name = "FILE", num_args = 1.., required_unless_present = "replace")]
    treebanks: Vec<PathBuf>,

    /// Treebank files for choosing the best epoch
    #[arg(long, value_name = "FILE", num_args = 1..)]
    dev: Vec<PathBuf>,

    /// Train tokenizer, tagger, lemmatizer and parser into one model that takes raw text. The
    /// parser learns from tags as they are predicted, and --max-size is that of the whole model
    #[arg(long)]
    pipeline: bool,

    /// Train these components of a model that is there, and keep the others: tokenizer, tagger,
    /// lemmatizer, parser, or calibration (how far scores can be believed; needs only --dev)
    #[arg(long, value_name = "COMPONENT", value_delimiter = ',', value_parser = component)]
    replace: Vec<Component>,

    /// Without --dev: do not train once more, on a part of the treebank, to find out on the rest how
    /// far scores (`parse --scores`) can be believed
    #[arg(long)]
    no_calibration: bool,

    /// Learn from sentences that lack heads, too: the heads that they have stay, a parser that learned from
    /// the complete ones fills the gaps beside them
    #[arg(long)]
    half_annotated: bool,

    /// Also parse each of K parts with a parser trained on the other parts: scores with intervals, and
    /// the parsed sentences in MODEL.folds.conllu. Scores of `parse --scores` are fitted on them
    #[arg(long, value_name = "K", conflicts_with_all = ["pipeline", "replace", "checkpoint"])]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=100))]
    cross_validate: Option<u32>,

    /// Pipelines: a file of abbreviations that end no sentence, one a line, which the model keeps
    #[arg(long, value_name = "FILE")]
    abbreviations: Option<PathBuf>,

    /// Pipelines: let the parser learn from the tags of the treebank, not from predicted ones
    #[arg(long)]
    gold_tags: bool,

    /// Teachers: treebank files whose sentences must not be learned from text, such as test sets; those of
    /// --dev are left out at any rate
    #[arg(long, value_name = "FILE", num_args = 1..)]
    leave_out: Vec<PathBuf>,

    #[command(flatten)]
    choices: Choices,

    /// Read options from a TOML file; options on the command line win
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// A line to be kept in the model, for example the licence of the treebank
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    /// Keep in this file, after every epoch, what is needed to go on later; of weights beside nets in FILE.weights
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

fn component(name: &str) -> Result<Component, String> {
    let found = Component::NAMES.iter().find(|(known, _)| *known == name);
    let names = Component::NAMES.map(|(name, _)| name).join(", ");
    found.map(|(_, component)| *component).ok_or_else(|| format!("one of {names}"))
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
        let mut choices = self.choices.or(&from_file);
        let (needed, which) = match self.replace[..] {
            [Component::Calibration] => (&self.dev, "--dev"),
            _ => (&self.treebanks, "--train"),
        };
        if needed.is_empty() {
            crate::command()
                .error(ErrorKind::MissingRequiredArgument, format!("--replace needs {which}"))
                .exit();
        }
        let pipeline = self.pipeline || !self.replace.is_empty();
        // Wrong usage is told before files are read.
        let mut options = self.options(&choices, pipeline)?;
        anyhow::ensure!(
            self.leave_out.is_empty() || options.teaching.is_some(),
            "--leave-out goes with --teacher or --taught"
        );
        rayon::ThreadPoolBuilder::new().num_threads(self.threads.count()).build_global()?;
        let (mut sentences, bad) = self.read(&self.treebanks, !self.half_annotated)?;
        let (dev, bad_dev) = self.read(&self.dev, true)?;
        let outcome = ExitCode::from(u8::from(bad + bad_dev > 0));
        self.check_outputs()?;
        let observer = Terminal::new(self.reading.quiet.quiet, sentences.len());
        stop_gently();
        observer.tell_agreement(&sentences);
        let open = self.checkpoint.is_none();
        if let Some((chosen, why)) =
            open.then(|| choices.for_treebank(&sentences, pipeline)).flatten()
        {
            choices = chosen;
            options = self.options(&choices, pipeline)?;
            observer.say(&why);
        }
        if self.half_annotated {
            let filled = fill_gaps(&options, &sentences, &observer)?;
            observer.say(&format!(
                "{} half-annotated sentences completed, {} heads filled in; {} sentences without any head, or with heads that contradict each other, left out",
                filled.half_annotated, filled.words, filled.left_out
            ));
            sentences = filled.sentences;
        }
        let taught = self.lessons(&options, &dev, &observer)?;
        if pipeline {
            let limit = choices.most_bytes();
            self.train_pipeline(options, limit, (&sentences, taught), &dev, &observer)?;
            observer.finish(&self.model);
            return Ok(outcome);
        }
        sentences.extend(taught);
        let calibration = match self.cross_validate {
            Some(folds) => Some(cross_validate::run(
                &options,
                &sentences,
                folds as usize,
                &self.model,
                &observer,
            )?),
            None => None,
        };
        options.hold_out &= calibration.is_none();
        let mut trained = train(&options, &sentences, &dev, &observer)?;
        if let Some(calibration) = calibration.filter(|_| dev.is_empty()) {
            trained.header_mut().calibration = Some(calibration);
        }
        let names = |paths: &[PathBuf]| paths.iter().map(|path| file_name(path)).collect();
        let training = &mut trained.header_mut().training;
        training.train = names(&self.treebanks);
        training.dev = names(&self.dev);
        training.note = self.note.clone().unwrap_or_default();
        trained.save(&self.model)?;
        observer.finish(&self.model);
        Ok(outcome)
    }

    fn options(&self, choices: &Choices, pipeline: bool) -> anyhow::Result<TrainOptions> {
        let checkpoint = self.checkpoint.clone();
        let mut options = pipeline::parser_options(choices, pipeline, Path::new(""))?;
        options.checkpoint = checkpoint.map(|path| Checkpointing { path, resume: self.resume });
        options.hold_out = !self.no_calibration;
        Ok(options)
    }

    fn train_pipeline(
        &self,
        parser: TrainOptions,
        most_bytes: Option<usize>,
        (sentences, taught): (&[Sentence], Vec<Sentence>),
        dev: &[Sentence],
        observer: &Terminal,
    ) -> anyhow::Result<()> {
        let mut options = PipelineOptions::new(parser);
        options.taught = taught;
        let mut parts = Parts::default();
        if !self.replace.is_empty() {
            parts = Parts::open(&self.model)?;
            options.components.clone_from(&self.replace);
        }
        if options.parser.scorer != ScorerKind::Linear {
            let seed = options.parser.seed;
            let epochs = options.parser.net.epochs.unwrap_or_default();
            options.tagger_net = Some(TagNetOptions { seed, epochs, ..TagNetOptions::default() });
        }
        if let Some(bytes) = most_bytes {
            options.limit(bytes);
        }
        options.tokenizer.abbreviations = abbreviations(self.abbreviations.as_deref())?;
        if self.gold_tags {
            options.cross_fit = None;
        }
        let names = |paths: &[PathBuf]| paths.iter().map(|path| file_name(path)).collect();
        // Calibration alone trains nothing: what is said about training stays.
        if !self.treebanks.is_empty() {
            parts.header.train = names(&self.treebanks);
            parts.header.dev = names(&self.dev);
        }
        if let Some(note) = &self.note {
            parts.header.note.clone_from(note);
        }
        pipeline::train(&options, parts, sentences, dev, observer)?.save(&self.model)?;
        Ok(())
    }

    /// What is to be learned from text.
    fn lessons(
        &self,
        options: &TrainOptions,
        dev: &[Sentence],
        observer: &Terminal,
    ) -> anyhow::Result<Vec<Sentence>> {
        let Some(teaching) = &options.teaching else {
            return Ok(Vec::new());
        };
        let mut held_out = HeldOut::default();
        held_out.add(dev);
        held_out.add(&self.read(&self.leave_out, false)?.0);
        if teaching.teacher.is_some() {
            observer.say("the teacher reads:");
        }
        let found = teacher::lessons(teaching, held_out, Some(self.threads.count()), &|| {
            observer.should_stop()
        })?;
        observer.say(&format!(
            "{} sentences of text with {} words are lessons; {} are not sure enough, {} are held out, {} were there before",
            found.sentences.len(),
            found.words,
            found.unsure,
            found.held_out,
            found.repeated
        ));
        Ok(found.sentences)
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

    /// The sentences of files, and how many were bad and left out.
    fn read(&self, files: &[PathBuf], need_tree: bool) -> anyhow::Result<(Vec<Sentence>, u64)> {
        if files.is_empty() {
            return Ok((Vec::new(), 0));
        }
        let inputs = Inputs { files: files.to_vec(), reading: self.reading.clone() };
        let options = conll::ReadOptions { need_tree, ..self.reading.options() };
        let (sentences, tally) = inputs.read_all(options)?;
        Ok((sentences, tally.rejected))
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// What `--parser help` prints.
pub fn list_parsers() {
    anstream::println!("{:<26} {:<12} trees", "parser", "oracle");
    for entry in SYSTEMS {
        anstream::println!(
            "{:<26} {:<12} {}",
            entry.system,
            entry.oracle,
            help::in_words(entry.covers)
        );
    }
    for name in DECODERS {
        let trees = match *name {
            "mst" | "dual-decomposition" => "all",
            "one-endpoint-crossing" => "those in which arcs that cross an arc share an end",
            _ => "projective ones, crossing arcs by approximation",
        };
        anstream::println!("{name:<26} {:<12} {trees}", "-");
    }
    anstream::println!("{VOTE:<26} {:<12} those of its members (--member)", "-");
}

/// Tells how training goes.
struct Terminal {
    quiet: bool,
    bar: ProgressBar,
    started: Instant,
}

impl Terminal {
    /// What the features of the treebank tell, as far as they are understood.
    fn tell_agreement(&self, sentences: &[Sentence]) {
        let shares = morphology::shares(sentences);
        let found = Category::ALL.iter().zip(shares).filter(|(_, share)| *share >= 0.05);
        let found: Vec<String> =
            found.map(|((_, name), share)| format!("{name} {share:.1} %")).collect();
        let has_features =
            sentences.iter().flat_map(Sentence::words).any(|word| word.feats() != "_");
        if !found.is_empty() {
            self.say(&format!("features tell, in % of words: {}", found.join(", ")));
        } else if has_features {
            self.say("features tell nothing that words agree in: their names are unknown");
        }
    }

    fn new(quiet: bool, sentences: usize) -> Terminal {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(sentences as u64) };
        if let Ok(style) = ProgressStyle::with_template(
            "epoch {msg} {wide_bar} {pos}/{len} sentences, {per_sec}, {eta} left",
        ) {
            bar.set_style(style);
        }
        Terminal { quiet, bar, started: Instant::now() }
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
    fn part(&self, name: &str) {
        self.say(&format!("{name}:"));
    }

    fn punctuated(&self, (uas, las): (f64, f64)) {
        self.say(&format!(
            "punctuation attached again when the tree is finished: dev UAS {uas:.2} LAS {las:.2}"
        ));
    }

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
        for told in plan.columns.iter().filter_map(ColumnUse::told) {
            self.say(&told);
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
        let EpochSummary { epoch, report, loss, dev, best } = *summary;
        let corrected = 100.0 * report.changes as f64 / report.decisions.max(1) as f64;
        let learned = match loss {
            Some(loss) => format!("loss {loss:.3} a word"),
            None => format!("{corrected:.1} % corrected"),
        };
        let score = match dev {
            Some((uas, las)) => format!("; dev UAS {uas:.2} LAS {las:.2}"),
            None => String::new(),
        };
        let mark = if best && dev.is_some() { " *" } else { "" };
        let seconds = self.started.elapsed().as_secs_f64();
        self.say(&format!("epoch {epoch:>2}: {learned}{score}{mark} ({seconds:.0} s)"));
    }

    fn learned(&self, header: &Header) {
        if let Some(graph) = header.graph() {
            self.say_facts(graph, &header.training);
        }
        let Some(svm) = header.machines() else { return };
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
