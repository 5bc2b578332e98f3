//! What may be chosen about training a parser: one set of names, units and defaults for the command line,
//! configuration files, recipes, and the text of a guide or a member of a vote.
//!
//! What is not chosen is as [`defaults`](super::defaults) of the parser say.
//!
//! ```
//! use crossarc::train::Choices;
//! let choices = Choices::parse("swap --beam 8 --epochs 3").unwrap();
//! let options = choices.options("".as_ref()).unwrap();
//! assert_eq!((options.parser.as_str(), options.beam, options.epochs), ("swap", 8, 3));
//! let error = Choices::parse("swap --beem 8").unwrap_err().to_string();
//! assert!(error.contains("unknown field `beem`"));
//! ```
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};

use super::{defaults, feature_set, feature_sets, graph_options::PruningOptions};
use crossarc_graph::taxonomy::Taxonomy;
use crossarc_train::TrainError;
use crossarc_train::combination::{VOTE, Weighing};
use crossarc_train::graph_options::{GraphOptions, LabelWay};
use crossarc_train::hidden_columns::USUAL_SHARE;
use crossarc_train::machine_options::{MachineChoices, MachineOptions};
use crossarc_train::options::{
    GlobalUpdate, MOST_BEAM, NetOptions, ScorerKind, TeachingOptions, TrainOptions,
};
use crossarc_train::parser::Approximate;
use crossarc_tree::RootPolicy;
use crossarc_tree::codec::lift::Definition;
use crossarc_tree::codec::{CodecChain, CodecError};

/// A model that [`Choices::small`] asks for has at most so many megabytes.
const SMALL: f64 = 8.0;

/// Epochs of a linear model beside nets: what more of them bring is little beside the nets.
const HYBRID_EPOCHS: usize = 6;

/// Choices that cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// A name that stands for nothing, or a value out of its range.
    #[error("{0}")]
    Unknown(String),
    /// Choices that do not go together.
    #[error("{0}")]
    Apart(&'static str),
    /// A file that cannot be read.
    #[error("cannot read {path}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// No such codec, or codecs that do not fit together.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// No such parser.
    #[error(transparent)]
    Parser(#[from] TrainError),
    /// In a guide or a member.
    #[error("in `{text}`: {source}")]
    Part {
        /// The guide or member.
        text: String,
        /// What is wrong with it.
        source: Box<ChoiceError>,
    },
}

/// What may be chosen.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[allow(clippy::doc_markdown, reason = "these comments are also the help of the program")]
pub struct Choices {
    /// Transition system or graph decoder; `--parser help` lists them. Without one it is carreras with a net
    /// (--scorer hybrid), for treebanks below 5,000 words arc-eager with the codec pseudo-head and at most
    /// 30 new labels for crossing arcs, or in a pipeline for one in which more than 2 % of the arcs are
    /// non-projective carreras
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub parser: Option<String>,

    /// Train a greedy transition parser instead of the most accurate one: minutes become seconds, and it
    /// parses many times faster
    #[cfg_attr(feature = "clap", arg(long))]
    pub fast: bool,

    /// What scores: linear, weights of features; or nets: biaffine (graph parsers), feed-forward, over words of a
    /// state, bilstm, over words in context, stack-lstm, over whole states (transition systems); or hybrid, both
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", value_parser = named::<ScorerKind>))]
    pub scorer: Option<ScorerKind>,

    /// Nets: how many are trained, their scores averaged; 1 if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub nets: Option<usize>,

    /// Nets: epochs; by the size of the treebank if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub net_epochs: Option<usize>,

    /// Nets: states of a memory in one direction; of feed-forward the hidden layer; by the net if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub net_size: Option<usize>,

    /// Nets: share of inputs and states dropped in training, from 0; 0.33 if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub net_dropout: Option<f64>,

    /// Nets: vectors of words, as word2vec (text or binary), GloVe and fastText write them, also compressed
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub vectors: Option<PathBuf>,

    /// Nets biaffine and hybrid, and their tagger: folder of a pretrained encoder of the type of BERT
    #[cfg_attr(feature = "clap", arg(long, value_name = "FOLDER"))]
    pub encoder: Option<PathBuf>,

    /// Put the encoder into the model; without this its folder is needed to parse, too
    #[cfg_attr(feature = "clap", arg(long, requires = "encoder"))]
    pub encoder_inside: bool,

    /// Oracle of the system
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub oracle: Option<String>,

    /// Feature set: rich, or wide, nivre2008 and malt06 of transition parsers, mcdonald2005 and
    /// schiehlen2007 (for siblings schiehlen2007-siblings) of graph parsers, or a file of templates
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME|FILE"))]
    pub features: Option<String>,

    /// What learns: perceptron, or svm, support vector machines with a quadratic kernel, which take
    /// the features nivre2008 unless told otherwise
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub learner: Option<String>,

    /// Machines: the kernel is (gamma x.y + r)^2; gamma is 0.2 if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "GAMMA"))]
    pub kernel_gamma: Option<f64>,

    /// Machines: r of the kernel; 0.4 if not given, as in MaltParser
    #[cfg_attr(feature = "clap", arg(long, value_name = "R"))]
    pub kernel_r: Option<f64>,

    /// Machines: price of a violated margin, C; 0.5 if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "C"))]
    pub cost: Option<f64>,

    /// Machines: training ends when no condition of optimality is violated by more; 0.01 if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "T"))]
    pub tolerance: Option<f64>,

    /// Machines: one-versus-one, with votes, or one-versus-rest
    #[cfg_attr(feature = "clap", arg(long, value_name = "WAY"))]
    pub multiclass: Option<String>,

    /// Machines: exact, over the kernel matrix; expanded, over pairs of features, which finds the same
    /// optimum and is faster on large data; or by-size
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub solver: Option<String>,

    /// Machines: one classifier for each value of this template, none for a single one; b0.upos if not
    /// given, the coarse tag of the first word in the buffer
    #[cfg_attr(feature = "clap", arg(long, value_name = "TEMPLATE"))]
    pub split_by: Option<String>,

    /// Columns that features must not use: lemma, upos, xpos, feats
    #[cfg_attr(feature = "clap", arg(long, value_name = "COLUMN", value_delimiter = ','))]
    pub ignore_columns: Vec<String>,

    /// Linear parsers: learn this share of the sentences once more with columns hidden, for text that lacks
    /// them; 0.1 if not given, 0 in a pipeline and for support vector machines
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub hidden_columns: Option<f64>,

    /// Width of the beam; 1 is greedy search. 1 if not given, 8 in a pipeline
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = beam_width))]
    pub beam: Option<usize>,

    /// Where training with a beam corrects: early or max-violation
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHERE", value_parser = named::<GlobalUpdate>))]
    pub update: Option<GlobalUpdate>,

    /// Rescore the hypotheses in the beam with factors of a graph parser as they become complete; with
    /// a system that completes words before it attaches them, such as swap
    #[cfg_attr(feature = "clap", arg(long))]
    pub completion: bool,

    /// Let words stay without a head where the system of the literature does
    #[cfg_attr(feature = "clap", arg(long))]
    pub partial: bool,

    /// How many words of a sentence may hang on the root, single or several; as in the training trees
    /// if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_parser = named::<RootPolicy>))]
    pub parser_roots: Option<RootPolicy>,

    /// Leave punctuation marks where the search has put them; otherwise they are attached again when the
    /// tree is finished, if that is of use on the development files
    #[cfg_attr(feature = "clap", arg(long))]
    pub plain_punctuation: bool,

    /// Transition systems: read sentences from their last word to their first, which makes other
    /// errors: good to vote with (Sagae and Lavie 2006) or to guide
    #[cfg_attr(feature = "clap", arg(long))]
    pub right_to_left: bool,

    /// What is done to trees before training and undone after parsing, `none` for nothing; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub codec: Vec<String>,

    /// A file that describes codecs, as `crossarc transform --config` takes it
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub codec_config: Option<PathBuf>,

    /// Keep the N most frequent new labels of a pseudo-projective codec
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub label_cap: Option<usize>,

    /// When an arc of a training tree is lifted: dominance (usual), crossing, crossing-to-root
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_parser = named::<Definition>))]
    pub lift_by: Option<Definition>,

    /// Epochs at most
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub epochs: Option<usize>,

    /// Stop after N epochs without a better score on the development files
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub patience: Option<usize>,

    /// Runs in orders of their own whose weights are averaged: training takes so much longer,
    /// parsing does not; 1 if not given, in a pipeline 4, of graph parsers 2
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub runs: Option<usize>,

    /// Sentences that are studied with the same weights
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub batch: Option<usize>,

    /// Chance of following a wrong prediction, with a dynamic oracle
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    pub exploration: Option<f64>,

    /// By how much a right move should be better than a wrong one
    #[cfg_attr(feature = "clap", arg(long, value_name = "M"))]
    pub margin: Option<f32>,

    /// A model of at most 8 MB, for little loss of accuracy
    #[cfg_attr(feature = "clap", arg(long))]
    pub small: bool,

    /// A model of at most this many megabytes; if not given 29, and 80 for graph parsers with labels
    /// in all features. The weakest weights are dropped
    #[cfg_attr(feature = "clap", arg(long, value_name = "MB"))]
    pub max_size: Option<f64>,

    /// Graph parsers: labels in the search with all features (joint), after it (after), in the
    /// search with features of arcs and again after it (both), in the search with all features and
    /// again after it (all), or in the search with classes of labels (taxonomy); all if not given,
    /// both for the first order
    #[cfg_attr(feature = "clap", arg(long, value_name = "WAY", value_parser = named::<LabelWay>))]
    pub labels: Option<LabelWay>,

    /// Graph parsers: classes of labels for `--labels taxonomy`, a line `class: label label ...`
    /// each, or those made by hand: ud, prague; induced from the treebank if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub taxonomy: Option<PathBuf>,

    /// Graph parsers: count the features of the gold trees
    #[cfg_attr(feature = "clap", arg(long))]
    pub count_features: bool,

    /// The decoder eisner: wrong trees that each update must leave behind, the best by score; 1 is
    /// the passive-aggressive step, more are margin-infused steps (MIRA)
    #[cfg_attr(feature = "clap", arg(long, value_name = "K"))]
    pub constraints: Option<usize>,

    /// Graph parsers: the longest step of learning; if not given 0.01 for the first order, 0.003 for
    /// the second
    #[cfg_attr(feature = "clap", arg(long, value_name = "C"))]
    pub aggressiveness: Option<f64>,

    /// Graph parsers: do not favour wrong arcs in training; the loss of a tree is then the square
    /// root of the share of wrong words
    #[cfg_attr(feature = "clap", arg(long))]
    pub plain_loss: bool,

    /// Graph parsers: from the best projective tree to crossing arcs, in training and parsing: off,
    /// or by how much a change must gain; fitted on the development set if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "off|T", value_parser = approximation))]
    pub approximation: Option<Approximate>,

    /// Graph parsers: heads of a word that are looked at, at most
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub most_heads: Option<usize>,

    /// Graph parsers: a head is looked at if its probability is at least this share of the best
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    pub least_share: Option<f64>,

    /// Graph parsers: look at all heads, in training and parsing
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_prune: bool,

    /// Learn from text, too, as a fast student of this model: it parses the text of --text, and the sentences of
    /// which it is sure stand beside those of the treebank. Needs a pipeline; its parser may have nets or be a
    /// vote. The student is a transition parser unless --parser says otherwise
    #[cfg_attr(feature = "clap", arg(long, value_name = "MODEL"))]
    pub teacher: Option<PathBuf>,

    /// Teachers: files of raw text in UTF-8, also compressed. Sentences of --dev and --leave-out are left out
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", num_args = 1..))]
    pub text: Vec<PathBuf>,

    /// Learn from treebank files that a teacher has parsed before with `parse --scores`, as from --text
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", num_args = 1..))]
    pub taught: Vec<PathBuf>,

    /// Teachers: words of text to learn from, at most; all if not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub text_words: Option<usize>,

    /// Teachers: learn from sentences whose heads and labels are right with this probability on average; 0.85 if
    /// not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    pub least_sure: Option<f64>,

    /// Seed of everything random: the same seed gives the same model
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub seed: Option<u64>,

    /// A parser whose trees this one sees (stacking): its name and options, as in
    /// 'arc-eager --beam 8', or `default`; may be repeated. It goes into the same model file
    #[cfg_attr(feature = "clap", arg(long, value_name = "PARSER", allow_hyphen_values = true))]
    pub guide: Vec<String>,

    /// Guides: for training, sentences are parsed in N folds by guides that have not seen them; 5 if
    /// not given
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", alias = "folds"))]
    #[serde(alias = "folds")]
    pub cross_fitting: Option<usize>,

    /// Parser `vote`: a parser that votes, as for --guide; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "PARSER", allow_hyphen_values = true))]
    pub member: Vec<String>,

    /// Parser `vote`: what a vote counts: uniform, accuracy or tag, measured on the development files
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_parser = named::<Weighing>))]
    pub weights: Option<Weighing>,

    /// Parser `vote`: multiply a vote by how sure the member is of the arc
    #[cfg_attr(feature = "clap", arg(long))]
    pub confidences: bool,

    /// Parser `vote`: share the vote of a member out among its N best trees, if it ranks trees
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", alias = "kbest"))]
    #[serde(alias = "kbest")]
    pub k_best: Option<usize>,
}

impl Choices {
    /// True if nothing was said about the parser: neither which one, nor anything that some have and
    /// others have not, nor that it must be small.
    pub fn leaves_parser_open(&self) -> bool {
        const OF_SOME: [&str; 19] = [
            "parser",
            "scorer",
            "oracle",
            "features",
            "learner",
            "update",
            "fast",
            "codec",
            "codec-config",
            "guide",
            "member",
            "completion",
            "partial",
            "right-to-left",
            "small",
            "beam",
            "label-cap",
            "lift-by",
            "max-size",
        ];
        let made = self.made();
        OF_SOME.iter().all(|name| !made.contains_key(*name))
    }

    /// Most bytes of the model, if that was chosen.
    pub fn most_bytes(&self) -> Option<usize> {
        let megabytes = self.max_size.or(self.small.then_some(SMALL));
        megabytes.map(|megabytes| (megabytes * 1e6) as usize)
    }

    /// What training needs. Names of files are relative to `folder`.
    pub fn options(&self, folder: &Path) -> Result<TrainOptions, ChoiceError> {
        let alone = self.options_alone(folder)?;
        Ok(TrainOptions { combination: self.combination(&alone.parser, folder)?, ..alone })
    }

    /// What training needs, guides and members aside.
    pub fn options_alone(&self, folder: &Path) -> Result<TrainOptions, ChoiceError> {
        let parser = self.parser.clone().unwrap_or_else(|| TrainOptions::default().parser);
        crate::registry::find(&parser)?;
        let plain = defaults(&parser);
        let svm = self.machines()?;
        let hidden = if svm.is_some() { 0.0 } else { USUAL_SHARE };
        let hybrid =
            self.scorer == Some(ScorerKind::Hybrid) && crate::train::is_graph_parser(&parser);
        let (feature_set, features) = self.feature_set(&plain, svm.is_some(), folder)?;
        let beam = self.beam.unwrap_or(plain.beam);
        if !(1..=MOST_BEAM).contains(&beam) {
            return Err(ChoiceError::Unknown(format!(
                "a beam is 1 to {MOST_BEAM} wide, not {beam}"
            )));
        }
        let dropout = self.net_dropout.map(|share| share as f32);
        if dropout.is_some_and(|share| !(0.0..1.0).contains(&share)) {
            return Err(ChoiceError::Unknown("a share to drop is 0 or more, below 1".to_owned()));
        }
        Ok(TrainOptions {
            graph: self.graph(&plain.graph, folder)?,
            scorer: self.scorer.unwrap_or(plain.scorer),
            net: NetOptions {
                nets: self.nets,
                epochs: self.net_epochs,
                hidden: self.net_size,
                dropout,
                vectors: self.vectors.as_ref().map(|path| folder.join(path)),
                encoder: self.encoder.as_ref().map(|path| folder.join(path)),
                encoder_inside: self.encoder_inside,
            },
            svm,
            oracle: self.oracle.clone().or(plain.oracle),
            feature_set,
            features,
            ignored_columns: self.ignore_columns.clone(),
            hidden_columns: self.hidden_columns.unwrap_or(hidden),
            beam,
            update: self.update.unwrap_or(plain.update),
            completion: self.completion,
            partial: self.partial,
            roots: self.parser_roots.or(plain.roots),
            right_to_left: self.right_to_left,
            codec: self.codec(plain.codec, folder)?,
            epochs: self.epochs.unwrap_or(if hybrid { HYBRID_EPOCHS } else { plain.epochs }),
            patience: self.patience.unwrap_or(plain.patience),
            runs: self.runs.unwrap_or(plain.runs),
            batch: self.batch.unwrap_or(plain.batch),
            exploration: self.exploration.unwrap_or(plain.exploration),
            margin: self.margin.unwrap_or(plain.margin),
            most_bytes: self.most_bytes().or(plain.most_bytes),
            seed: self.seed.unwrap_or(plain.seed),
            teaching: self.teaching(folder)?,
            punctuation: !self.plain_punctuation,
            parser,
            ..plain
        })
    }

    /// Name and templates.
    fn feature_set(
        &self,
        plain: &TrainOptions,
        machines: bool,
        folder: &Path,
    ) -> Result<(String, String), ChoiceError> {
        let parser = plain.parser.as_str();
        if parser == VOTE {
            return Ok((String::new(), String::new()));
        }
        let usual = if machines { MachineOptions::FEATURES } else { &plain.feature_set };
        let set = self.features.as_deref().unwrap_or(usual);
        if let Some(text) = feature_set(parser, set) {
            return Ok((set.to_owned(), text.to_owned()));
        }
        let text = fs::read_to_string(folder.join(set)).map_err(|error| {
            let sets = feature_sets(parser).join(", ");
            ChoiceError::Unknown(format!(
                "`{set}` is neither a feature set ({sets}) nor a readable file: {error}"
            ))
        })?;
        let stem = Path::new(set).file_stem().map_or(set.into(), |stem| stem.to_string_lossy());
        Ok((stem.into_owned(), text))
    }

    fn codec(&self, usual: CodecChain, folder: &Path) -> Result<CodecChain, ChoiceError> {
        let names = || self.codec.iter().filter(|name| *name != "none");
        let mut codec = match &self.codec_config {
            None if self.codec.is_empty() => usual,
            None => CodecChain::named(names())?,
            Some(path) => {
                let chain = CodecChain::from_toml(&read(folder, path)?)?;
                if self.codec.is_empty() { chain } else { chain.select(&self.codec)? }
            }
        };
        if self.label_cap.is_some() {
            codec.tree.label_cap = self.label_cap;
        }
        codec.tree.definition = self.lift_by.unwrap_or(codec.tree.definition);
        Ok(codec)
    }

    fn graph(&self, plain: &GraphOptions, folder: &Path) -> Result<GraphOptions, ChoiceError> {
        Ok(GraphOptions {
            labels: self.labels.or(plain.labels),
            aggressiveness: self.aggressiveness.or(plain.aggressiveness),
            loss_augmented: plain.loss_augmented && !self.plain_loss,
            approximation: self.approximation.or(plain.approximation),
            pruning: (!self.no_prune).then_some(PruningOptions {
                most_heads: self.most_heads,
                least_share: self.least_share,
            }),
            constraints: self.constraints.unwrap_or(plain.constraints).max(1),
            taxonomy: self.taxonomy(folder)?,
            count_features: self.count_features,
        })
    }

    fn teaching(&self, folder: &Path) -> Result<Option<TeachingOptions>, ChoiceError> {
        let teaches = self.teacher.is_some() || !self.text.is_empty();
        if !teaches && self.taught.is_empty() {
            let idle = self.text_words.is_some() || self.least_sure.is_some();
            let apart =
                ChoiceError::Apart("--text-words and --least-sure need a --teacher or --taught");
            return if idle { Err(apart) } else { Ok(None) };
        }
        if self.teacher.is_none() != self.text.is_empty() {
            return Err(ChoiceError::Apart(
                "--teacher MODEL and --text FILE go together; text that is parsed already is given by --taught",
            ));
        }
        let plain = TeachingOptions::default();
        let least_sure = self.least_sure.unwrap_or(plain.least_sure);
        if !(0.0..=1.0).contains(&least_sure) {
            return Err(ChoiceError::Unknown(format!(
                "a probability is from 0 to 1, not {least_sure}"
            )));
        }
        let within = |paths: &[PathBuf]| paths.iter().map(|path| folder.join(path)).collect();
        Ok(Some(TeachingOptions {
            teacher: self.teacher.as_ref().map(|path| folder.join(path)),
            text: within(&self.text),
            taught: within(&self.taught),
            words: self.text_words,
            least_sure,
        }))
    }

    fn taxonomy(&self, folder: &Path) -> Result<Option<String>, ChoiceError> {
        let Some(path) = &self.taxonomy else { return Ok(None) };
        match path.to_str().and_then(Taxonomy::built_in) {
            Some(text) => Ok(Some(text.to_owned())),
            None => read(folder, path).map(Some),
        }
    }

    fn machines(&self) -> Result<Option<MachineOptions>, ChoiceError> {
        let numbers = [self.kernel_gamma, self.kernel_r, self.cost, self.tolerance];
        let texts = [&self.multiclass, &self.solver, &self.split_by];
        match self.learner.as_deref() {
            Some("svm") => {}
            None | Some("perceptron") => {
                let given =
                    numbers.iter().any(Option::is_some) || texts.iter().any(|text| text.is_some());
                if given {
                    return Err(ChoiceError::Apart("options of machines need `--learner svm`"));
                }
                return Ok(None);
            }
            Some(other) => {
                return Err(ChoiceError::Unknown(format!(
                    "unknown learner `{other}`: perceptron or svm"
                )));
            }
        }
        let chosen = MachineOptions::chosen(&MachineChoices {
            gamma: self.kernel_gamma,
            r: self.kernel_r,
            cost: self.cost,
            tolerance: self.tolerance,
            multiclass: self.multiclass.as_deref(),
            solver: self.solver.as_deref(),
            split_by: self.split_by.as_deref(),
        })
        .map_err(ChoiceError::Unknown)?;
        chosen.settings.check().map_err(|error| ChoiceError::Unknown(error.to_string()))?;
        Ok(Some(chosen))
    }
}

fn read(folder: &Path, path: &Path) -> Result<String, ChoiceError> {
    fs::read_to_string(folder.join(path))
        .map_err(|source| ChoiceError::File { path: path.display().to_string(), source })
}

/// A value by its name; the error lists all names.
pub fn named<T: DeserializeOwned>(name: &str) -> Result<T, String> {
    let deserializer: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
    T::deserialize(deserializer).map_err(|error| error.to_string())
}

/// `off`, or the threshold of the non-projective approximation.
#[cfg(feature = "clap")]
fn approximation(text: &str) -> Result<Approximate, String> {
    text.parse()
}

/// The width of a beam.
#[cfg(feature = "clap")]
fn beam_width(text: &str) -> Result<usize, String> {
    let width = text.parse().ok().filter(|width| (1..=MOST_BEAM).contains(width));
    width.ok_or_else(|| format!("a beam is 1 to {MOST_BEAM} wide"))
}

mod quoted;
#[cfg(test)]
mod tests;
mod together;
mod written;
