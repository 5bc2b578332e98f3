//! Recipes: what is compared, and which tables are wanted, in TOML.
//!
//! `[grid]` holds lists that multiply; every `[[run]]` is one more grid, in which lists that are
//! not given are those of `[grid]`. Cells that are the same are trained once.
//!
//! | list | values | if not given |
//! |---|---|---|
//! | `treebanks` | names | must be given, here or by the user |
//! | `parsers` | transition systems and graph decoders | `[grid]` is not run itself, only its `[[run]]`s |
//! | `oracles` | names, `default`, or `all` of each parser | `default` |
//! | `learners` | `perceptron`, `svm` (transition systems, greedy), and nets: `feed-forward`, `bilstm`, `stack-lstm` (transition systems), `biaffine` (graph decoders), `hybrid` | `perceptron` |
//! | `features` | `rich`, `wide`, `nivre2008`, `malt06`, `malt06-linear`, or files beside the recipe | `rich`; `nivre2008` for `svm` |
//! | `beams` | widths, 1 is greedy | 1 |
//! | `codecs` | names or lists of names, `none` | `none` |
//! | `guides` | parts that guide the parser, names or lists of names, `none` | `none` |
//! | `members` | lists of parts, for the parser `vote` | |
//! | `sizes` | train on the first so many sentences, 0 is all: learning curves | all |
//! | `tags` | `gold`, `predicted` (the columns of CoNLL-2009), or `tagger` (cross-fitted) | `gold` |
//! | `seeds` | numbers | 1 |
//!
//! `folds = 10` trains every cell ten times, for a cross-validation on the training set; tables show
//! the scores of all folds together.
//!
//! `options` holds what does not multiply: all other [`Choices`] of training, with the names, units and
//! defaults of the command line. `seed`, `agrees` and `differs` say in plain sentences what the publication
//! found and what became of it; `--page` puts them around the tables. The parsers of the literature leave marks where the search has put them:
//! their recipes say `plain-punctuation = true`. They are trained on treebanks as they are, so
//! `hidden-columns` is 0 unless a recipe says otherwise. Parts are explained in [`super::together`].
use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::cell::Spec;
use super::figures::{Axis, Measure};
use super::parts::{Fold, Parts};
use super::stars::SignificanceSpec;
use super::statistics::StatisticsSpec;
use super::together::{Kitchen, Part, seeded};
use super::treebanks::Tags;
use crossarc::combine::bundle::VOTE;
use crossarc::train::{ChoiceError, Choices};
use crossarc_graph::decoders::DECODERS;
use crossarc_train::machine_options::MachineOptions;
use crossarc_train::options::{ScorerKind, TrainOptions};
use crossarc_transition::system::TreeClass;
use crossarc_transition::systems::SYSTEMS;
use crossarc_tree::codec::pseudo_projective::Scheme;
use crossarc_tree::codec::{CodecChain, CodecError};

/// Most cells of a recipe: more is a slip of the pen.
pub const MOST_CELLS: usize = 100_000;
/// Epochs of a small version.
const SMALL_EPOCHS: usize = 2;
/// Most folds of a small version.
const SMALL_FOLDS: usize = 2;
/// Sentences of the training set and of the test set in a small version.
pub const SMALL_PARTS: (usize, usize) = (300, 100);

/// Why a recipe cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// Not TOML, or not a recipe.
    #[error("{0}")]
    Text(String),
    /// Nothing to train.
    #[error("the recipe names no parser: give `parsers = [...]` in [grid] or in a [[run]]")]
    NoParser,
    /// Nothing to train on.
    #[error("no treebank is named: give `treebanks = [...]` in [grid], or name one to the command")]
    NoTreebank,
    /// No such system.
    #[error("unknown parser `{0}`; there are: {known}", known = known_parsers().join(", "))]
    UnknownParser(String),
    /// No such oracle.
    #[error("parser `{parser}` has no oracle `{oracle}`; it has: {}, or say `default` or `all`", known.join(", "))]
    UnknownOracle {
        /// The system.
        parser: String,
        /// What was asked for.
        oracle: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// Options that cannot be followed.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// An option that multiplies.
    #[error("`{0}` is no option of a recipe: the grid has a list for it")]
    Listed(&'static str),
    /// A learner of moves for a parser without, or of arcs for one that makes moves.
    #[error("`{learner}` learns nothing for `{parser}`: {}", what_it_needs(learner))]
    Learner {
        /// The learner.
        learner: String,
        /// The parser.
        parser: String,
    },
    /// A beam without width.
    #[error("a beam is at least 1 wide")]
    Beam,
    /// One fold is none.
    #[error("a cross-validation has at least 2 folds")]
    Folds,
    /// No such tags.
    #[error("unknown tags `{0}`; there are: {known}", known = Tags::ALL.map(|(name, _)| name).join(", "))]
    Tags(String),
    /// No such codec, or codecs that do not fit together.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// Parts that do not go together.
    #[error("{0}")]
    Parts(String),
    /// The lists multiply to too much.
    #[error("the recipe has more than {MOST_CELLS} cells")]
    TooMany,
}

/// What is compared. See the [module](self).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recipe {
    /// Stands above the tables.
    pub title: String,
    /// Stands below the title.
    #[serde(default)]
    pub about: String,
    /// What the publication says, for the page.
    #[serde(default)]
    pub seed: String,
    /// What of it agrees with the tables.
    #[serde(default)]
    pub agrees: String,
    /// What does not, and why.
    #[serde(default)]
    pub differs: String,
    /// Lists that multiply.
    #[serde(default)]
    pub grid: Lists,
    /// Further grids.
    #[serde(default, rename = "run")]
    pub runs: Vec<Lists>,
    /// Parsers that guide others or vote, by name.
    #[serde(default, rename = "part")]
    pub parts: BTreeMap<String, Part>,
    /// Tables.
    #[serde(default, rename = "table")]
    pub tables: Vec<TableSpec>,
    /// Tables about the treebanks themselves.
    #[serde(default, rename = "statistics")]
    pub statistics: Vec<StatisticsSpec>,
    /// Analyses of errors that the page shows, by their names in `crossarc analyze`.
    #[serde(default)]
    pub analyses: Vec<String>,
    /// Show moves against sentence length, of oracle and parser (Nivre 2009, Figure 5).
    #[serde(default)]
    pub running_time: bool,
}

/// Lists that multiply.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Lists {
    /// Names of treebanks.
    pub treebanks: Vec<String>,
    /// Names of transition systems.
    pub parsers: Vec<String>,
    /// Names of oracles, `default` or `all`.
    pub oracles: Vec<String>,
    /// Names of learners.
    pub learners: Vec<String>,
    /// Names of feature sets, or files.
    pub features: Vec<String>,
    /// Widths of beams.
    pub beams: Vec<usize>,
    /// Names of codecs, or of chains of them.
    pub codecs: Vec<Names>,
    /// Names of parts that guide the parsers.
    pub guides: Vec<Names>,
    /// Names of parts that vote.
    pub members: Vec<Names>,
    /// Train on the first so many sentences; 0 is all.
    pub sizes: Vec<usize>,
    /// Where tags come from.
    pub tags: Vec<String>,
    /// Folds of a cross-validation.
    pub folds: Option<usize>,
    /// Seeds.
    pub seeds: Vec<u64>,
    /// What does not multiply.
    pub options: Choices,
    /// Take only the first sentences of everything.
    #[serde(skip)]
    pub small: bool,
}

/// One name or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Names {
    /// One.
    One(String),
    /// Several, applied one after the other.
    Chain(Vec<String>),
}

impl Names {
    /// Each name.
    pub(super) fn each(&self) -> impl Iterator<Item = &String> {
        match self {
            Names::One(name) => std::slice::from_ref(name).iter(),
            Names::Chain(names) => names.iter(),
        }
    }
}

/// A table: what stands in its rows, its columns and its cells.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TableSpec {
    /// Name of its files.
    pub name: String,
    /// Stands above it; the name if nothing.
    #[serde(default)]
    pub title: String,
    /// One row for each combination of these.
    pub rows: Vec<Axis>,
    /// One column for each combination of these, and for each measure.
    #[serde(default)]
    pub columns: Vec<Axis>,
    /// What is shown.
    pub measures: Vec<Measure>,
    /// Add the average over the columns.
    #[serde(default)]
    pub average: bool,
    /// Mark differences that are not chance by stars.
    #[serde(default)]
    pub significance: Option<SignificanceSpec>,
}

/// One cell that a recipe asks for, on a treebank that is known by name only.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where it stands in the grid.
    pub spec: Spec,
    /// How it is trained.
    pub options: TrainOptions,
    /// Which sentences it gets.
    pub parts: Parts,
    /// Where the tags come from.
    pub tags: Tags,
}

/// The scorer that a learner is, if it is a net.
fn scorer(learner: &str) -> Option<ScorerKind> {
    let name = serde_json::Value::String(learner.to_owned());
    serde_json::from_value(name).ok().filter(|&kind| kind != ScorerKind::Linear)
}

fn learns(learner: &str, parser: &str) -> bool {
    let moves = learner == "svm" || scorer(learner).is_some_and(ScorerKind::scores_moves);
    let arcs = scorer(learner) == Some(ScorerKind::Biaffine);
    if crossarc::train::is_graph_parser(parser) { !moves } else { !arcs }
}

fn what_it_needs(learner: &str) -> &'static str {
    if scorer(learner) == Some(ScorerKind::Biaffine) {
        "it scores arcs, name graph decoders only"
    } else {
        "it chooses moves, name transition systems only"
    }
}

fn known_parsers() -> Vec<&'static str> {
    let mut known: Vec<&str> = SYSTEMS.iter().map(|entry| entry.system).collect();
    known.dedup();
    known
}

impl Recipe {
    /// Reads a recipe.
    pub fn parse(text: &str) -> Result<Recipe, RecipeError> {
        let recipe: Recipe =
            toml::from_str(text).map_err(|error| RecipeError::Text(error.to_string()))?;
        for table in &recipe.tables {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if table.name.is_empty()
                || table.name.starts_with('.')
                || !table.name.chars().all(is_plain)
            {
                let name = &table.name;
                return Err(RecipeError::Text(format!(
                    "table `{name}`: a name of a table is a name of files: letters, digits, -, _ and ."
                )));
            }
        }
        Ok(recipe)
    }

    /// The treebanks of the recipe, each once.
    pub fn treebanks(&self) -> Vec<String> {
        let lists = std::iter::once(&self.grid).chain(&self.runs);
        let mut names: Vec<String> = Vec::new();
        for name in lists.flat_map(|lists| &lists.treebanks) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Makes it a small version of itself: few sentences, epochs and folds.
    pub fn make_small(&mut self) {
        for part in self.parts.values_mut() {
            part.options.epochs = Some(SMALL_EPOCHS);
            if part.options.scorer.is_some() {
                part.options.net_epochs = Some(SMALL_EPOCHS);
            }
        }
        let lists = std::iter::once(&self.grid).chain(&self.runs);
        let nets = lists.flat_map(|lists| &lists.learners).any(|name| scorer(name).is_some());
        for lists in std::iter::once(&mut self.grid).chain(&mut self.runs) {
            lists.small = true;
            lists.options.epochs = Some(SMALL_EPOCHS);
            if nets {
                lists.options.net_epochs = Some(SMALL_EPOCHS);
            }
            lists.options.cross_fitting = lists.options.cross_fitting.map(|_| SMALL_FOLDS);
            lists.folds = lists.folds.map(|folds| folds.min(SMALL_FOLDS));
            lists.seeds.truncate(2);
            let sizes = std::mem::take(&mut lists.sizes);
            for size in sizes {
                // 625 and 40,000 sentences become 20 and 300: a curve is still one.
                let size = if size == 0 { 0 } else { (size / 32).clamp(10, SMALL_PARTS.0) };
                if !lists.sizes.contains(&size) {
                    lists.sizes.push(size);
                }
            }
        }
    }

    /// All cells, treebank by treebank, none twice. Files of features are looked for in `folder`;
    /// `treebanks` replace those of the recipe.
    pub fn plans(
        &self,
        folder: &Path,
        treebanks: Option<&[String]>,
    ) -> Result<Vec<Plan>, RecipeError> {
        let mut grids: Vec<Lists> = Vec::new();
        if !self.grid.parsers.is_empty() {
            grids.push(self.grid.clone());
        }
        grids.extend(self.runs.iter().map(|run| run.clone().or(&self.grid)));
        if grids.iter().all(|lists| lists.parsers.is_empty()) {
            return if self.statistics.is_empty() {
                Err(RecipeError::NoParser)
            } else {
                Ok(Vec::new())
            };
        }
        let mut plans = Vec::new();
        for mut lists in grids {
            if let Some(names) = treebanks {
                lists.treebanks = names.to_vec();
            }
            lists.multiply(Kitchen { folder, parts: &self.parts, depth: 0 }, &mut plans)?;
        }
        let mut order: Vec<String> = Vec::new();
        for plan in &plans {
            if !order.contains(&plan.spec.treebank) {
                order.push(plan.spec.treebank.clone());
            }
        }
        plans.sort_by_key(|plan| order.iter().position(|name| *name == plan.spec.treebank));
        let mut seen = std::collections::BTreeSet::new();
        plans.retain(|plan| seen.insert(format!("{:?}", plan.spec)));
        Ok(plans)
    }
}

impl Lists {
    /// These lists, and those of `other` where these are silent.
    fn or(self, other: &Lists) -> Lists {
        fn list<T: Clone>(mine: Vec<T>, theirs: &[T]) -> Vec<T> {
            if mine.is_empty() { theirs.to_vec() } else { mine }
        }
        Lists {
            treebanks: list(self.treebanks, &other.treebanks),
            parsers: list(self.parsers, &other.parsers),
            oracles: list(self.oracles, &other.oracles),
            learners: list(self.learners, &other.learners),
            features: list(self.features, &other.features),
            beams: list(self.beams, &other.beams),
            codecs: list(self.codecs, &other.codecs),
            guides: list(self.guides, &other.guides),
            members: list(self.members, &other.members),
            sizes: list(self.sizes, &other.sizes),
            tags: list(self.tags, &other.tags),
            folds: self.folds.or(other.folds),
            small: self.small || other.small,
            seeds: list(self.seeds, &other.seeds),
            options: self.options.or(&other.options),
        }
    }

    pub(super) fn multiply(
        mut self,
        kitchen: Kitchen<'_>,
        plans: &mut Vec<Plan>,
    ) -> Result<(), RecipeError> {
        fn default<T>(list: &mut Vec<T>, value: T) {
            if list.is_empty() {
                list.push(value);
            }
        }
        if self.treebanks.is_empty() {
            return Err(RecipeError::NoTreebank);
        }
        default(&mut self.oracles, "default".to_owned());
        default(&mut self.learners, "perceptron".to_owned());
        default(&mut self.beams, 1);
        default(&mut self.codecs, Names::Chain(Vec::new()));
        default(&mut self.seeds, 1);
        default(&mut self.sizes, 0);
        default(&mut self.tags, "gold".to_owned());
        if self.folds.is_some_and(|folds| folds < 2) {
            return Err(RecipeError::Folds);
        }
        let data = self.data()?;
        if self.beams.contains(&0) {
            return Err(RecipeError::Beam);
        }
        self.check_options()?;
        // Learners with their feature sets.
        let mut features = Vec::new();
        for learner in &self.learners {
            let usual = if learner == "svm" { MachineOptions::FEATURES } else { "rich" };
            let usual = [usual.to_owned()];
            let sets = if self.features.is_empty() { &usual[..] } else { &self.features };
            features.extend(sets.iter().map(|name| (learner.clone(), name.clone())));
        }
        let mut systems = Vec::new();
        for parser in &self.parsers {
            for oracle in &self.oracles {
                systems.extend(oracles(parser, oracle)?);
            }
        }
        let mut chains = Vec::new();
        for names in &self.codecs {
            let mut chain = CodecChain::named(names.each().filter(|name| *name != "none"))?;
            if self.options.label_cap.is_some() {
                chain.tree.label_cap = self.options.label_cap;
            }
            chain.tree.definition = self.options.lift_by.unwrap_or(chain.tree.definition);
            chains.push(chain);
        }
        for treebank in &self.treebanks {
            for &(parser, oracle, covers) in &systems {
                let combinations = kitchen.combinations(&self, parser)?;
                for (learner, feature_set) in &features {
                    if !learns(learner, parser) {
                        let (learner, parser) = (learner.clone(), parser.to_owned());
                        return Err(RecipeError::Learner { learner, parser });
                    }
                    let scorer = scorer(learner);
                    for chain in &chains {
                        let mut codec = chain.clone();
                        if covers == TreeClass::Projective && codec.tree.scheme.is_none() {
                            codec.tree.scheme = Some(Scheme::Baseline);
                        }
                        let names = codec.names();
                        let codec_name =
                            if names.is_empty() { "none".into() } else { names.join(" > ") };
                        let together = combinations.iter();
                        let together = together.flat_map(|one| {
                            let seeds = self.seeds.iter();
                            seeds.map(move |seed| (one, *seed))
                        });
                        let searches = self.beams.iter();
                        let searches = searches
                            .flat_map(|beam| together.clone().map(move |rest| (*beam, rest)));
                        for (beam, ((with, combination), seed)) in searches {
                            for (tags_name, tags, parts) in &data {
                                if plans.len() >= MOST_CELLS {
                                    return Err(RecipeError::TooMany);
                                }
                                let mut choices = Choices {
                                    parser: Some(parser.to_owned()),
                                    oracle: Some(oracle.to_owned()),
                                    learner: scorer.is_none().then(|| learner.clone()),
                                    scorer: scorer.or(self.options.scorer),
                                    features: Some(feature_set.clone()),
                                    beam: Some(beam),
                                    seed: Some(seed),
                                    hidden_columns: self.options.hidden_columns.or(Some(0.0)),
                                    ..self.options.clone()
                                };
                                if learner != "svm" {
                                    choices.forget_machines();
                                }
                                let options = TrainOptions {
                                    codec: codec.clone(),
                                    combination: seeded(combination.as_deref(), seed),
                                    ..choices.options_alone(kitchen.folder)?
                                };
                                plans.push(Plan {
                                    spec: Spec {
                                        treebank: treebank.clone(),
                                        parser: parser.to_owned(),
                                        oracle: oracle.to_owned(),
                                        learner: learner.clone(),
                                        features: stem(feature_set),
                                        beam,
                                        codec: codec_name.clone(),
                                        with: with.clone(),
                                        size: parts.size,
                                        tags: tags_name.clone(),
                                        fold: Fold::name(parts.fold),
                                        seed,
                                        options: self.options.describe(),
                                    },
                                    options,
                                    parts: *parts,
                                    tags: *tags,
                                });
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// What multiplies stands in lists, not among the options.
    fn check_options(&self) -> Result<(), RecipeError> {
        const LISTED: [&str; 10] = [
            "parser",
            "oracle",
            "learner",
            "features",
            "beam",
            "codec",
            "codec-config",
            "seed",
            "guide",
            "member",
        ];
        match LISTED.into_iter().find(|name| self.options.has(name)) {
            Some(name) => Err(RecipeError::Listed(name)),
            None => Ok(()),
        }
    }

    /// Tags, sizes and folds, multiplied.
    fn data(&self) -> Result<Vec<(String, Tags, Parts)>, RecipeError> {
        let mut data = Vec::new();
        for name in &self.tags {
            let known = Tags::ALL.iter().find(|(known, _)| known == name);
            let Some(&(_, tags)) = known else { return Err(RecipeError::Tags(name.clone())) };
            for &size in &self.sizes {
                let size = (size > 0).then_some(size);
                let small = self.small.then_some(SMALL_PARTS);
                let of = self.folds.unwrap_or(1);
                for number in 1..=of {
                    let fold = self.folds.map(|of| Fold { number, of });
                    data.push((name.clone(), tags, Parts { fold, size, small }));
                }
            }
        }
        Ok(data)
    }
}

type System = (&'static str, &'static str, TreeClass);

fn oracles(parser: &str, oracle: &str) -> Result<Vec<System>, RecipeError> {
    if parser == VOTE {
        return Ok(vec![(VOTE, "none", TreeClass::All)]);
    }
    if let Some(decoder) = DECODERS.iter().find(|name| **name == parser) {
        return Ok(vec![(*decoder, "none", TreeClass::All)]);
    }
    let all: Vec<System> = SYSTEMS
        .iter()
        .filter(|entry| entry.system == parser)
        .map(|entry| (entry.system, entry.oracle, entry.covers))
        .collect();
    if all.is_empty() {
        return Err(RecipeError::UnknownParser(parser.to_owned()));
    }
    let found: Vec<System> = match oracle {
        "all" => all.clone(),
        "default" => all[..1].to_vec(),
        name => all.iter().filter(|(_, oracle, _)| *oracle == name).copied().collect(),
    };
    if found.is_empty() {
        let known = all.into_iter().map(|(_, oracle, _)| oracle).collect();
        let (parser, oracle) = (parser.to_owned(), oracle.to_owned());
        return Err(RecipeError::UnknownOracle { parser, oracle, known });
    }
    Ok(found)
}

/// A feature set by its own name, a file of templates by its name without folder and ending.
fn stem(features: &str) -> String {
    let stem = Path::new(features).file_stem();
    stem.map_or(features.into(), |stem| stem.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests;
