//! Parsers that work together in a recipe: parts with a name, of which cells are made.
//!
//! ```toml
//! [part.graph]
//! parser = "carreras"
//! [part.beam]
//! parser = "swap"
//! beam = 8
//!
//! [[run]]                        # swap, alone and guided by the graph parser
//! parsers = ["swap"]
//! guides = ["none", "graph"]
//! [[run]]                        # a vote of both
//! parsers = ["vote"]
//! members = [["graph", "beam"]]
//! options = { weights = "tag" }
//! ```
//!
//! A part has `parser`, and where they differ from the usual `oracle`, `features`, `beam`, `codec`,
//! `guides`, `members` and `options`. Its seed is that of the cell it belongs to.
use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::recipe::{Lists, Names, RecipeError};
use crossarc::combine::Combination;
use crossarc::combine::bundle::VOTE;
use crossarc::train::Choices;
use crossarc_train::options::TrainOptions;

/// Parts within parts lie at most this deep.
const MOST_DEPTH: usize = 4;

/// A parser that guides another or votes with others.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Part {
    /// Name of the parser.
    pub parser: String,
    /// Name of the oracle.
    #[serde(default)]
    pub oracle: Option<String>,
    /// Name of the feature set, or a file.
    #[serde(default)]
    pub features: Option<String>,
    /// Width of the beam.
    #[serde(default)]
    pub beam: Option<usize>,
    /// Name of a codec, or of a chain of them.
    #[serde(default)]
    pub codec: Option<Names>,
    /// Parts that guide it.
    #[serde(default)]
    pub guides: Option<Names>,
    /// Parts that vote.
    #[serde(default)]
    pub members: Option<Names>,
    /// What else was chosen.
    #[serde(default)]
    pub options: Choices,
}

/// A combination with its name in tables; nothing for a parser on its own.
pub(super) type Named = (String, Option<Box<Combination>>);

/// What parts are made with.
#[derive(Copy, Clone)]
pub(super) struct Kitchen<'a> {
    /// Where files of features are.
    pub folder: &'a Path,
    /// All parts of the recipe by name.
    pub parts: &'a BTreeMap<String, Part>,
    /// How deep in other parts.
    pub depth: usize,
}

impl Kitchen<'_> {
    /// The combinations that lists of guides or members ask for, for a parser.
    pub(super) fn combinations(
        self,
        lists: &Lists,
        parser: &str,
    ) -> Result<Vec<Named>, RecipeError> {
        let votes = parser == VOTE;
        let chosen = if votes { &lists.members } else { &lists.guides };
        if votes && chosen.is_empty() {
            return Err(RecipeError::Parts("`vote` needs `members = [[...]]`".to_owned()));
        }
        let mut combinations = Vec::new();
        for names in chosen {
            let names: Vec<&String> = names.each().filter(|name| *name != "none").collect();
            if names.is_empty() {
                combinations.push((String::new(), None));
                continue;
            }
            let mut combination = lists.options.how_to_combine()?;
            for name in &names {
                let part = self.part(name)?;
                let list = if votes { &mut combination.members } else { &mut combination.guides };
                list.push(part);
            }
            let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            combinations.push((names.join(" + "), Some(Box::new(combination))));
        }
        if combinations.is_empty() {
            combinations.push((String::new(), None));
        }
        Ok(combinations)
    }

    /// The options of a part: those of the only cell of a grid of it.
    fn part(self, name: &str) -> Result<TrainOptions, RecipeError> {
        let part = self.parts.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.parts.keys().map(String::as_str).collect();
            let known = known.join(", ");
            RecipeError::Parts(format!("there is no [part.{name}]; there are: {known}"))
        })?;
        if self.depth >= MOST_DEPTH {
            let most = MOST_DEPTH;
            return Err(RecipeError::Parts(format!(
                "part `{name}`: parts within parts lie at most {most} deep"
            )));
        }
        let Part { parser, oracle, features, beam, codec, guides, members, options } = part.clone();
        let lists = Lists {
            treebanks: vec![name.to_owned()],
            parsers: vec![parser],
            oracles: oracle.into_iter().collect(),
            features: features.into_iter().collect(),
            beams: beam.into_iter().collect(),
            codecs: codec.into_iter().collect(),
            guides: guides.into_iter().collect(),
            members: members.into_iter().collect(),
            options,
            ..Lists::default()
        };
        let mut plans = Vec::new();
        lists.multiply(Kitchen { depth: self.depth + 1, ..self }, &mut plans)?;
        let plan = plans.pop().ok_or(RecipeError::NoParser)?;
        Ok(plan.options)
    }
}

/// The same combination with another seed, in all its parts.
pub(super) fn seeded(combination: Option<&Combination>, seed: u64) -> Option<Box<Combination>> {
    let mut combination = combination?.clone();
    for part in combination.guides.iter_mut().chain(&mut combination.members) {
        part.seed = seed;
        part.combination = seeded(part.combination.as_deref(), seed);
    }
    Some(Box::new(combination))
}
