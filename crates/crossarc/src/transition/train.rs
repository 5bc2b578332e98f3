//! Training of a transition parser on a treebank, from sentences to a model.
use std::path::PathBuf;

use conll::Sentence;
use rayon::prelude::*;

use super::certain::CertainLabels;
use super::columns::Columns;
use super::completion;
use super::features::{Program, TemplateError, Templates};
use super::model::{self, PackedScorer};
use super::oracle::OracleKind;
use super::scorer::Extractors;
use super::searches::MOST_BEAM;
use super::system::TreeClass;
use super::systems::{SYSTEMS, default_oracle, with_system};
use super::training::job::Job;
pub use super::training::observer::{EpochSummary, Observer, Plan, Unobserved};
pub use super::training::options::{Checkpointing, TrainOptions};
use crate::annotate::{AnnotateOptions, Model};
use crate::codec::CodecError;
use crate::codec::pseudo_projective::Scheme;
use crate::features::Words;
use crate::model::ModelError;
use crate::train::checkpoint::{Fingerprint, checksum};
use crate::train::course;
use crate::train::material::Material;
use crate::tree::projectivity::nonprojective_arcs;
use crate::tree::{Label, Labels, Tree};
use crate::treebank::{root_policy, unlabelled_tree_of};

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
    /// A beam that no machine has memory for.
    #[error("a beam of {beam} is too wide: at most {MOST_BEAM}")]
    BeamTooWide {
        /// What was asked for.
        beam: usize,
    },
    /// No tree that the parser can build.
    #[error(
        "parser `{parser}` can build none of the trees, for they have too many roots; allow several roots"
    )]
    NothingInReach {
        /// The system.
        parser: String,
    },
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
    /// The checkpoint cannot be written or read.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Settings of machines with which nothing can be learned.
    #[error(transparent)]
    Settings(#[from] svm::SettingsError),
    /// Several constraints for a decoder that has no k best trees.
    #[error("several constraints need the k best trees, which only `eisner` finds, not `{parser}`")]
    NoConstraints {
        /// The parser.
        parser: String,
    },
    /// The taxonomy of labels cannot be read.
    #[error("the taxonomy of labels: {0}")]
    Taxonomy(#[from] crate::graph::taxonomy::TaxonomyError),
    /// Machines for a parser that has none.
    #[error(
        "support vector machines choose moves, but `{parser}` makes none: take a transition system"
    )]
    NoMachines {
        /// The parser.
        parser: String,
    },
    /// A direction for a parser that has none.
    #[error("`{parser}` does not read from one end to the other: take a transition system")]
    NoDirection {
        /// The parser.
        parser: String,
    },
    /// Stopped before there was a model.
    #[error("stopped: support vector machines are of no use before all are trained")]
    Stopped,
    /// Parts that do not go together.
    #[error("{0}")]
    Combination(String),
    /// Stopped before all parts were trained.
    #[error("stopped: a combination is of no use before all its parts are trained")]
    CombinationStopped,
    /// The completion model without a beam or with another learner.
    #[error(
        "the completion model rescores the hypotheses in a beam: give a transition system a beam of 2 or more, and no support vector machines"
    )]
    CompletionWithoutBeam,
    /// Machines are trained decision by decision.
    #[error("support vector machines are trained without a beam: leave out the beam")]
    MachinesWithBeam,
    /// A parser whose training cannot be interrupted.
    #[error("training of `{parser}` keeps no checkpoints: leave out the checkpoint")]
    NoCheckpoint {
        /// The parser.
        parser: String,
    },
    /// The checkpoint is of another run.
    #[error(
        "{}: this checkpoint is of another run: {what} was {then}, now it is {now}; give the same options and files as before, or start again without resuming",
        path.display()
    )]
    OtherCheckpoint {
        /// The file.
        path: PathBuf,
        /// What is different.
        what: String,
        /// As it was in the run of the checkpoint.
        then: String,
        /// As it is in this run.
        now: String,
    },
}

/// A trained transition parser.
pub type Trained = course::Trained<PackedScorer>;

/// Trains a parser. `dev` may be empty: then all epochs are run and the last one is kept.
pub(crate) fn train(
    options: &TrainOptions,
    material: Material<'_>,
    dev: Material<'_>,
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    let train = material.sentences;
    let systems = SYSTEMS.iter().filter(|entry| entry.system == options.parser);
    let entry = systems.clone().next().ok_or_else(|| {
        let mut known: Vec<&str> = SYSTEMS.iter().map(|entry| entry.system).collect();
        known.dedup();
        TrainError::UnknownParser { name: options.parser.clone(), known }
    })?;
    let oracle = match &options.oracle {
        Some(name) => name.as_str(),
        // Machines learn from one derivation, so they follow a static oracle if there is one.
        None => match systems.clone().find(|entry| entry.kind == OracleKind::Static) {
            Some(entry) if options.svm.is_some() => entry.oracle,
            _ => default_oracle(&options.parser).unwrap_or_default(),
        },
    };
    if train.iter().all(Sentence::is_empty) {
        return Err(TrainError::NoSentence);
    }
    if options.beam > MOST_BEAM {
        return Err(TrainError::BeamTooWide { beam: options.beam });
    }
    if let Some(machines) = &options.svm {
        machines.settings.check()?;
        if options.beam > 1 {
            return Err(TrainError::MachinesWithBeam);
        }
        if options.checkpoint.is_some() {
            return Err(TrainError::NoCheckpoint { parser: "svm".to_owned() });
        }
    }
    if options.completion && (options.beam < 2 || options.svm.is_some()) {
        return Err(TrainError::CompletionWithoutBeam);
    }
    let mut codec = options.codec.clone();
    let baseline_added = entry.covers == TreeClass::Projective && codec.tree.scheme.is_none();
    if baseline_added {
        codec.tree.scheme = Some(Scheme::Baseline);
    }
    let mut labels = Labels::default();
    let examples = codec.fit(train, &mut labels)?;
    let columns = Columns::of(examples.iter().map(|example| &example.sentence));
    let columns = columns
        .without(options.ignored_columns.iter().map(String::as_str))
        .map_err(TrainError::UnknownColumn)?;
    let features = completion::features(options);
    let templates = columns.fit(&Templates::parse(&features)?).for_focus(entry.focus);
    let compile = |list| Program::compile(list).ok_or(TrainError::TooManyAddresses);
    let split = match options.svm.as_ref().and_then(|machines| machines.split_by.as_ref()) {
        None => Templates::default(),
        Some(text) => columns.fit(&model::split_template(text)?),
    };
    let split_text = split.to_string();
    let split_by = split_text.lines().nth(1).filter(|_| !split.moves.is_empty());
    let split_by = split_by.map(str::to_owned);
    let trees: Vec<Tree> = examples.iter().map(|example| example.tree.clone()).collect();
    let roots = options.roots.unwrap_or_else(|| root_policy(&trees));
    let mut sentences: Vec<(Words, Tree)> = examples
        .iter()
        .enumerate()
        .map(|(number, example)| {
            let words = material.words(number, &example.sentence);
            if options.right_to_left {
                return (words.mirrored(), example.tree.mirrored());
            }
            (words, example.tree.clone())
        })
        .collect();
    let (tag, word) = columns.tag_and_word();
    // Machines decide everything themselves, as those of the literature do; factors need scores.
    let by_heart = options.svm.is_none() && !options.completion;
    let certain = by_heart.then(|| CertainLabels::learn(&sentences, tag, word));
    if let Some(certain) = &certain {
        for (words, tree) in &mut sentences {
            certain.impose(words, tree);
        }
    }
    let extractors = Extractors {
        moves: compile(&templates.moves)?,
        labels: compile(&templates.labels)?,
        certain,
        split: compile(&split.moves)?,
    };
    let non_projective = train
        .iter()
        .filter_map(|sentence| unlabelled_tree_of(sentence).ok())
        .filter(|tree| !crate::tree::projectivity::is_projective(tree))
        .count();
    let plan = Plan {
        oracle: oracle.to_owned(),
        sentences: sentences.len(),
        words: sentences.iter().map(|(words, _)| words.len()).sum(),
        runs: options.runs.max(1),
        labels: labels.len(),
        non_projective,
        codecs: codec.names(),
        baseline_added,
        lifted: 0,
        left_out: 0,
        templates: (templates.moves.len(), templates.labels.len()),
        epochs_done: 0,
    };
    let root_label = most_frequent_root_label(&trees);
    let job = Job {
        options,
        fingerprint: Fingerprint::of(options, oracle, train, dev.sentences),
        checksum: checksum(train),
        oracle,
        sentences,
        dev,
        labels,
        root_label,
        roots,
        codec,
        templates,
        extractors,
        split_by,
        plan,
        observer,
    };
    with_system(&options.parser, oracle, &job).unwrap_or_else(|| {
        let known = systems.map(|entry| entry.oracle).collect();
        let (parser, name) = (options.parser.clone(), oracle.to_owned());
        Err(TrainError::UnknownOracle { parser, name, known })
    })
}

/// The label that most roots have.
pub(crate) fn most_frequent_root_label(trees: &[Tree]) -> Label {
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

/// Unlabelled and labelled attachment score of a model on gold sentences, in percent.
pub fn attachment_scores(model: &Model, gold: &[Sentence]) -> (f64, f64) {
    guided_scores(model, Material::plain(gold))
}

/// As [`attachment_scores`], of a model that is told what its guides say.
pub(crate) fn guided_scores(model: &Model, gold: Material<'_>) -> (f64, f64) {
    let Scored { uas, las, .. } = scores_with(model, gold, &AnnotateOptions::default());
    (uas, las)
}

/// How well gold sentences are parsed.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Scored {
    /// Unlabelled attachment score in percent.
    pub uas: f64,
    /// Labelled attachment score in percent.
    pub las: f64,
    /// Non-projective arcs that were found, right or wrong.
    pub nonprojective: usize,
}

impl Scored {
    /// From the numbers of words, of right heads, of those with the right label, and of
    /// non-projective arcs.
    pub fn of([words, heads, labels, nonprojective]: [usize; 4]) -> Scored {
        let percent = |part: usize| 100.0 * part as f64 / words.max(1) as f64;
        Scored { uas: percent(heads), las: percent(labels), nonprojective }
    }
}

/// The same with options of parsing.
pub(crate) fn scores_with(model: &Model, gold: Material<'_>, options: &AnnotateOptions) -> Scored {
    let guidance = gold.guidance;
    let count = |annotator: &mut crate::annotate::Annotator<'_>, number: usize, gold: &Sentence| {
        let mut parsed = gold.clone();
        annotator.tell(guidance.get(number));
        if annotator.annotate(&mut parsed).is_err() {
            return [gold.len(), 0, 0, 0];
        }
        let crossing = crossing_arcs(&parsed);
        gold.words().zip(parsed.words()).fold([0, 0, 0, crossing], |sums, (gold, parsed)| {
            let head = gold.head() == parsed.head();
            let both = head && gold.deprel() == parsed.deprel();
            add(sums, [1, usize::from(head), usize::from(both), 0])
        })
    };
    let sums = gold
        .sentences
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(number, chunk)| {
            let mut annotator = model.annotator(options.clone());
            let numbered = (number * CHUNK..).zip(chunk);
            numbered
                .map(|(number, sentence)| count(&mut annotator, number, sentence))
                .fold([0; 4], add)
        })
        .reduce(|| [0; 4], add);
    Scored::of(sums)
}

/// Number of non-projective arcs of a sentence; none if it has no tree.
pub(crate) fn crossing_arcs(sentence: &Sentence) -> usize {
    unlabelled_tree_of(sentence).map_or(0, |tree| nonprojective_arcs(&tree).len())
}

/// Sentences that one thread takes at a time.
pub(crate) const CHUNK: usize = 64;

pub(crate) fn add(one: [usize; 4], other: [usize; 4]) -> [usize; 4] {
    std::array::from_fn(|index| one[index] + other[index])
}
