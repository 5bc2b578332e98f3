//! Why training cannot begin or go on.
use std::path::PathBuf;

use crossarc_learn::templates::TemplateError;
use crossarc_model::ModelError;
use crossarc_tree::codec::CodecError;

use crate::options::MOST_BEAM;

/// Why training cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// No such system.
    #[error(
        "unknown parser `{name}`{}; there are: {}",
        nearest.map_or_else(String::new, |name| format!(": did you mean `{name}`?")),
        known.join(", ")
    )]
    UnknownParser {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        nearest: Option<&'static str>,
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
    Taxonomy(Box<dyn std::error::Error + Send + Sync>),
    /// Machines for a parser that has none.
    #[error(
        "support vector machines choose moves, but `{parser}` makes none: take a transition system"
    )]
    NoMachines {
        /// The parser.
        parser: String,
    },
    /// Nets that choose moves, for a parser that makes none.
    #[error(
        "these nets choose moves, but `{parser}` scores arcs: take a transition system, or the scorer `biaffine`"
    )]
    NoMoves {
        /// The parser.
        parser: String,
    },
    /// Things that nets do not do.
    #[error("nets choose moves without {0}: leave that out")]
    NotWithNets(&'static str),
    /// Nets that score arcs, for a parser that makes moves.
    #[error(
        "these nets score arcs, but `{parser}` chooses moves: take a graph parser, such as `mst` or `carreras`"
    )]
    NoArcs {
        /// The parser.
        parser: String,
    },
    /// Vectors of words that cannot be read.
    #[error("{}: {error}", path.display())]
    Vectors {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: String,
    },
    /// A folder without an encoder that can be used.
    #[error("{}: no encoder: {error}", folder.display())]
    Encoder {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        error: String,
    },
    /// A direction for a parser that has none.
    #[error("`{parser}` does not read from one end to the other: take a transition system")]
    NoDirection {
        /// The parser.
        parser: String,
    },
    /// A net cannot go on learning.
    #[error("{0}")]
    Net(String),
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
