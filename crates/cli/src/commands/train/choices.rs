//! What may be chosen about a parser: on the command line, in a configuration file, or in the text of
//! a guide or a member of a vote.
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use crossarc::combine::bundle::{MOST_TREES, VOTE};
use crossarc::combine::{Combination, VoteOptions, Weighing};
use crossarc::parser::Approximate;
use crossarc::train::TrainOptions;
use crossarc::train::machine_options::{MachineChoices, MachineOptions};
use crossarc::train::options::GlobalUpdate;
use crossarc::train::{feature_set, feature_sets};
use crossarc::tree::codec::CodecChain;
use serde::Deserialize;

use crate::arguments::{approximation, beam_width};

/// Options that may also stand in a configuration file.
#[derive(Args, Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct Choices {
    /// Transition system or graph decoder; `--parser help` lists them. Without one it is arc-eager, with the codec
    /// pseudo-head and at most 30 new labels for crossing arcs; in a pipeline for a treebank in which more
    /// than 2 % of the arcs are non-projective it is carreras
    #[arg(long, value_name = "NAME")]
    pub(super) parser: Option<String>,

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

    /// Width of the beam; 1 is greedy search. 1 if not given, 8 in a pipeline
    #[arg(long, value_name = "N", value_parser = beam_width)]
    pub(super) beam: Option<usize>,

    /// Where training with a beam corrects: early or max-violation
    #[arg(long, value_name = "WHERE")]
    update: Option<String>,

    /// Rescore the hypotheses in the beam with factors of a graph parser as they become complete; with
    /// a system that completes words before it attaches them, such as swap
    #[arg(long)]
    completion: bool,

    /// Let words stay without a head where the system of the literature does
    #[arg(long)]
    partial: bool,

    /// Leave punctuation marks where the search has put them; otherwise they are attached again when the
    /// tree is finished, if that is of use on the development files
    #[arg(long)]
    plain_punctuation: bool,

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
    /// parsing does not; 1 if not given, in a pipeline 4, of graph parsers 2
    #[arg(long, value_name = "N")]
    pub(super) runs: Option<usize>,

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
    pub(super) small: bool,

    /// A model of at most this many megabytes; if not given 29, and 80 for graph parsers with labels
    /// in all features. The weakest weights are dropped
    #[arg(long, value_name = "MB")]
    pub(super) max_size: Option<f64>,

    /// Graph parsers: labels in the search with all features (joint), after it (after), in the
    /// search with features of arcs and again after it (both), in the search with all features and
    /// again after it (all), or in the search with classes of labels (taxonomy); all if not given,
    /// both for the first order
    #[arg(long, value_name = "WAY")]
    pub(super) labels: Option<String>,

    /// Graph parsers: classes of labels for `--labels taxonomy`, a line `class: label label ...`
    /// each; induced from the treebank if not given
    #[arg(long, value_name = "FILE")]
    pub(super) taxonomy: Option<PathBuf>,

    /// Graph parsers: count the features of the gold trees
    #[arg(long)]
    pub(super) count_features: bool,

    /// The decoder eisner: wrong trees that each update must leave behind, the best by score; 1 is
    /// the passive-aggressive step, more are margin-infused steps (MIRA)
    #[arg(long, value_name = "K")]
    pub(super) constraints: Option<usize>,

    /// Graph parsers: the longest step of learning; if not given 0.01 for the first order, 0.003 for
    /// the second
    #[arg(long, value_name = "C")]
    pub(super) aggressiveness: Option<f64>,

    /// Graph parsers: do not favour wrong arcs in training; the loss of a tree is then the square
    /// root of the share of wrong words
    #[arg(long)]
    pub(super) plain_loss: bool,

    /// Graph parsers: from the best projective tree to crossing arcs, in training and parsing: off,
    /// or by how much a change must gain; fitted on the development set if not given
    #[arg(long, value_name = "off|T", value_parser = approximation_text)]
    pub(super) approximation: Option<String>,

    /// Graph parsers: heads of a word that are looked at, at most
    #[arg(long, value_name = "N")]
    pub(super) most_heads: Option<usize>,

    /// Graph parsers: a head is looked at if its probability is at least this share of the best
    #[arg(long, value_name = "P")]
    pub(super) least_share: Option<f64>,

    /// Graph parsers: look at all heads, in training and parsing
    #[arg(long)]
    pub(super) no_prune: bool,

    /// Seed of everything random: the same seed gives the same model
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// A parser whose trees this one sees (stacking): its name and options, as in
    /// 'arc-eager --beam 8', or `default`; may be repeated. It goes into the same model file
    #[arg(long, value_name = "PARSER", allow_hyphen_values = true)]
    guide: Vec<String>,

    /// Guides: for training, sentences are parsed in N folds by guides that have not seen them; 5 if
    /// not given
    #[arg(long, value_name = "N")]
    folds: Option<usize>,

    /// Parser `vote`: a parser that votes, as for --guide; may be repeated
    #[arg(long, value_name = "PARSER", allow_hyphen_values = true)]
    member: Vec<String>,

    /// Parser `vote`: what a vote counts: uniform, accuracy or tag, measured on the development files
    #[arg(long, value_name = "HOW")]
    weights: Option<String>,

    /// Parser `vote`: multiply a vote by how sure the member is of the arc
    #[arg(long)]
    confidences: bool,

    /// Parser `vote`: share the vote of a member out among its N best trees, if it ranks trees
    #[arg(long, value_name = "N")]
    kbest: Option<usize>,
}

impl Choices {
    /// These choices, and those of `other` where these are silent.
    pub(super) fn or(self, other: Choices) -> Choices {
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
            completion: self.completion || other.completion,
            partial: self.partial || other.partial,
            plain_punctuation: self.plain_punctuation || other.plain_punctuation,
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
            aggressiveness: self.aggressiveness.or(other.aggressiveness),
            plain_loss: self.plain_loss || other.plain_loss,
            approximation: self.approximation.or(other.approximation),
            most_heads: self.most_heads.or(other.most_heads),
            least_share: self.least_share.or(other.least_share),
            no_prune: self.no_prune || other.no_prune,
            seed: self.seed.or(other.seed),
            guide: list(self.guide, other.guide),
            folds: self.folds.or(other.folds),
            member: list(self.member, other.member),
            weights: self.weights.or(other.weights),
            confidences: self.confidences || other.confidences,
            kbest: self.kbest.or(other.kbest),
        }
    }

    pub(super) fn options(&self, codec_config: Option<&Path>) -> anyhow::Result<TrainOptions> {
        let plain = TrainOptions::default();
        let parser = self.parser.clone().unwrap_or(plain.parser);
        let svm = self.machine_options()?;
        let default_set =
            if svm.is_some() { MachineOptions::FEATURES.to_owned() } else { plain.feature_set };
        let set = self.features.clone().unwrap_or(default_set);
        let (feature_set, features) = if parser == VOTE {
            (String::new(), String::new())
        } else if let Some(text) = feature_set(&parser, &set) {
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
            completion: self.completion,
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
            most_bytes: megabytes.map(|megabytes| (megabytes * 1e6) as usize),
            seed: self.seed.unwrap_or(plain.seed),
            checkpoint: None,
            combination: self.combination()?,
            punctuation: !self.plain_punctuation,
        })
    }
}

impl Choices {
    /// True if nothing was said about the parser: neither which one, nor anything that some have and
    /// others have not, nor that it must be small.
    pub(super) fn leaves_parser_open(&self) -> bool {
        let named = [&self.parser, &self.oracle, &self.features, &self.learner, &self.update];
        let listed = [&self.codec, &self.guide, &self.member];
        let switched = [self.completion, self.partial, self.right_to_left, self.small];
        let counted = self.beam.is_some() || self.label_cap.is_some() || self.max_size.is_some();
        named.iter().all(|name| name.is_none())
            && listed.iter().all(|list| list.is_empty())
            && !switched.contains(&true)
            && !counted
    }

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

    /// Guides, or members of a vote.
    fn combination(&self) -> anyhow::Result<Option<Box<Combination>>> {
        let votes = self.parser.as_deref() == Some(VOTE);
        let of_vote = self.weights.is_some() || self.confidences || self.kbest.is_some();
        anyhow::ensure!(
            votes || (self.member.is_empty() && !of_vote),
            "--member and how votes are counted go with `--parser vote`"
        );
        anyhow::ensure!(
            self.folds.is_none() || !self.guide.is_empty(),
            "--folds goes with --guide"
        );
        if !votes && self.guide.is_empty() {
            return Ok(None);
        }
        let plain = Combination::default();
        let weighing = match self.weights.as_deref() {
            None => plain.vote.weighing,
            Some(name) => {
                let found = Weighing::NAMES.iter().find(|(known, _)| *known == name);
                found
                    .with_context(|| format!("unknown weights `{name}`: uniform, accuracy or tag"))?
                    .1
            }
        };
        let k_best = self.kbest.unwrap_or(plain.vote.k_best);
        anyhow::ensure!((1..=MOST_TREES).contains(&k_best), "--kbest is from 1 to {MOST_TREES}");
        let part = |text: &String| part(text, self.seed);
        Ok(Some(Box::new(Combination {
            guides: self.guide.iter().map(part).collect::<anyhow::Result<_>>()?,
            folds: self.folds.unwrap_or(plain.folds),
            members: self.member.iter().map(part).collect::<anyhow::Result<_>>()?,
            vote: VoteOptions { weighing, confidences: self.confidences, k_best, ..plain.vote },
        })))
    }
}

/// Options of a guide or a member, as they stand on the command line of a parser.
#[derive(clap::Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct PartChoices {
    #[command(flatten)]
    choices: Choices,
}

/// A guide or a member: the name of a parser, or `default`, and its options.
fn part(text: &str, seed: Option<u64>) -> anyhow::Result<TrainOptions> {
    let words = quoted_words(text);
    let (name, options) = words.split_first().with_context(|| format!("`{text}`: no parser"))?;
    let mut choices = <PartChoices as clap::Parser>::try_parse_from(options)
        .map_err(|error| anyhow::anyhow!("in `{text}`: {error}"))?
        .choices;
    choices.seed = choices.seed.or(seed);
    if name != "default" {
        choices.parser = Some(name.clone());
    }
    choices.options(None).with_context(|| format!("in `{text}`"))
}

/// Words between blanks; single quotes hold words together.
fn quoted_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut quoted, mut inside) = (false, false);
    for letter in text.chars() {
        match letter {
            '\'' => {
                quoted = !quoted;
                if !inside {
                    words.push(String::new());
                }
                inside = true;
            }
            blank if blank.is_whitespace() && !quoted => inside = false,
            other => {
                if !inside {
                    words.push(String::new());
                }
                inside = true;
                if let Some(word) = words.last_mut() {
                    word.push(other);
                }
            }
        }
    }
    words
}

fn approximation_text(text: &str) -> Result<String, String> {
    approximation(text).map(|_: Approximate| text.to_owned())
}

/// What goes with the default parser, which is projective by itself.
fn default_codec() -> anyhow::Result<CodecChain> {
    let mut codec = CodecChain::named(["pseudo-head"])?;
    codec.tree.label_cap = Some(30);
    Ok(codec)
}

#[cfg(test)]
mod tests {
    use super::quoted_words;

    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(quoted_words("swap  --beam 8"), ["swap", "--beam", "8"]);
        assert_eq!(
            quoted_words("vote --member 'swap --beam 8'"),
            ["vote", "--member", "swap --beam 8"]
        );
        assert_eq!(quoted_words("a'b c'd ''"), ["ab cd", ""]);
        assert!(quoted_words(" ").is_empty());
    }
}
