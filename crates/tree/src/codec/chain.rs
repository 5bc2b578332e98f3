//! Codecs in a chain: transformations of sentences, then at most one codec of trees. This is what
//! training and parsing use, and what a model file stores.
//!
//! ```
//! use crossarc_tree::codec::CodecChain;
//! let mut chain = CodecChain::from_toml(r#"
//!     [[codec]]
//!     name = "punctuation"
//!     tags = ["u"]
//!
//!     [[codec]]
//!     name = "pseudo-head+path"
//!     label-cap = 30
//! "#)?;
//! assert_eq!(chain.names(), ["punctuation", "pseudo-head+path"]);
//! assert_eq!(CodecChain::named(["markers", "baseline"])?.names(), ["markers", "baseline"]);
//!
//! // Training: fit, and train on what comes back.
//! let text = "1\t«\t«\tu\tu\t_\t0\tAuxG\t_\t_\n2\tgo\tgo\tv\tv\t_\t0\tPRED\t_\t_\n3\t.\t.\tu\tu\t_\t0\tAuxK\t_\t_\n\n";
//! let gold = conll::read_str(text, conll::ReadOptions { roots: conll::Roots::Any, ..Default::default() })?;
//! let mut labels = crossarc_tree::Labels::default();
//! let examples = chain.fit(&gold, &mut labels)?;
//! assert_eq!(labels.name(examples[0].tree.label(crossarc_tree::Node(3))), "AuxK@root");
//!
//! // Parsing: prepare, parse each part, decode its tree, restore the sentence.
//! let codec = chain.tree.bind(&mut labels)?;
//! let mut parts = chain.prepare(&gold[0]);
//! let parsed = codec.decode(&examples[0].tree); // stands for the parser
//! crossarc_tree::treebank::write_tree(&parsed, &labels, &mut parts[0]);
//! let restored = chain.restore(&gold[0], &parts);
//! assert_eq!(restored.word(3).head(), Some(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
use conll::Sentence;
use serde::{Deserialize, Serialize};

use super::pseudo_projective::Scheme;
use super::transformations::TransformationSpec;
use super::{CodecError, TreeCodecSpec};
use crate::treebank::tree_of;
use crate::{Labels, Tree};

/// Transformations of sentences, then a codec of trees. See the [module](self).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CodecChain {
    /// In the order in which they are applied to gold.
    #[serde(default)]
    pub transformations: Vec<TransformationSpec>,
    /// Applied to the tree of what comes out of the transformations.
    #[serde(default)]
    pub tree: TreeCodecSpec,
}

/// What to train on.
#[derive(Clone, Debug)]
pub struct Example {
    /// A sentence, or a part of one, with transformed columns.
    pub sentence: Sentence,
    /// Its encoded tree.
    pub tree: Tree,
}

/// The shape of a configuration file.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    #[serde(default)]
    codec: Vec<toml::Table>,
}

impl CodecChain {
    /// The names of all codecs.
    pub fn available() -> Vec<&'static str> {
        let mut names: Vec<&str> = Scheme::ALL.into_iter().map(Scheme::name).collect();
        names.extend(TransformationSpec::all().iter().map(TransformationSpec::name));
        names
    }

    /// Codecs with default parameters.
    pub fn named<N: AsRef<str>>(
        names: impl IntoIterator<Item = N>,
    ) -> Result<CodecChain, CodecError> {
        CodecChain::default().select(names)
    }

    /// The named codecs, with the parameters they have in this chain, else default ones.
    pub fn select<N: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<CodecChain, CodecError> {
        let known = self.tables();
        let has_name = |table: &&toml::Table, name: &str| {
            table.get("name").and_then(toml::Value::as_str) == Some(name)
        };
        let tables = names.into_iter().map(|name| {
            let name = name.as_ref();
            known
                .iter()
                .find(|table| has_name(table, name))
                .cloned()
                .unwrap_or_else(|| toml::Table::from_iter([("name".to_owned(), name.into())]))
        });
        CodecChain::from_tables(tables)
    }

    /// Reads a configuration: a list of `[[codec]]` with a `name` and parameters.
    pub fn from_toml(text: &str) -> Result<CodecChain, CodecError> {
        let configuration: Configuration =
            toml::from_str(text).map_err(|error| CodecError::Configuration(error.to_string()))?;
        CodecChain::from_tables(configuration.codec)
    }

    /// The chain as a configuration, with what was learned.
    pub fn to_toml(&self) -> String {
        toml::to_string(&Configuration { codec: self.tables() }).unwrap_or_default()
    }

    fn from_tables(
        tables: impl IntoIterator<Item = toml::Table>,
    ) -> Result<CodecChain, CodecError> {
        let mut chain = CodecChain::default();
        for mut table in tables {
            let Some(name) = table.get("name").and_then(toml::Value::as_str).map(str::to_owned)
            else {
                return Err(CodecError::Configuration("a [[codec]] without a name".to_owned()));
            };
            if chain.tree.scheme.is_some() {
                return Err(CodecError::BehindTreeCodec { name, tree: chain.tree.name() });
            }
            let describe = |error: toml::de::Error| {
                CodecError::Configuration(format!("codec `{name}`: {}", error.message()))
            };
            if Scheme::ALL.iter().any(|scheme| scheme.name() == name) {
                table.remove("name");
                table.insert("scheme".to_owned(), name.as_str().into());
                chain.tree = table.try_into().map_err(describe)?;
            } else if CodecChain::available().contains(&name.as_str()) {
                chain.transformations.push(table.try_into().map_err(describe)?);
            } else {
                return Err(CodecError::Unknown { name });
            }
        }
        Ok(chain)
    }

    fn tables(&self) -> Vec<toml::Table> {
        let mut tables: Vec<toml::Table> = self
            .transformations
            .iter()
            .filter_map(|transformation| toml::Table::try_from(transformation).ok())
            .collect();
        if self.tree.scheme.is_some()
            && let Ok(mut table) = toml::Table::try_from(&self.tree)
        {
            table.remove("scheme");
            table.insert("name".to_owned(), self.tree.name().into());
            tables.push(table);
        }
        tables
    }

    /// The names of the codecs, in order.
    pub fn names(&self) -> Vec<&'static str> {
        let names = self.transformations.iter().map(TransformationSpec::name);
        names.chain(self.tree.scheme.map(Scheme::name)).collect()
    }

    /// True if nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.transformations.is_empty() && self.tree.scheme.is_none()
    }

    /// True if the inverse needs the sentences as they were before.
    pub fn needs_original(&self) -> bool {
        self.transformations.iter().any(TransformationSpec::needs_original)
    }

    /// Learns from gold what the codecs need, and gives what to train on; labels are added to the
    /// inventory. Every sentence must have a tree.
    pub fn fit(
        &mut self,
        gold: &[Sentence],
        labels: &mut Labels,
    ) -> Result<Vec<Example>, CodecError> {
        let mut sentences = gold.to_vec();
        for transformation in &mut self.transformations {
            transformation.get_mut().fit(&sentences);
            let transformation = transformation.get();
            sentences =
                sentences.iter().flat_map(|gold| transformation.encode_gold(gold)).collect();
        }
        let mut trees = Vec::with_capacity(sentences.len());
        for sentence in &sentences {
            trees.push(tree_of(sentence, labels)?);
        }
        self.tree = self.tree.fit(&trees, labels)?;
        let codec = self.tree.bind(labels)?;
        let encoded = trees.iter().map(|tree| codec.encode(tree));
        Ok(sentences
            .into_iter()
            .zip(encoded)
            .map(|(sentence, tree)| Example { sentence, tree })
            .collect())
    }

    /// A gold sentence as the transformations leave it; its tree is still to be encoded.
    pub fn encode_gold(&self, gold: &Sentence) -> Vec<Sentence> {
        self.transformations.iter().fold(vec![gold.clone()], |sentences, transformation| {
            sentences.iter().flat_map(|gold| transformation.get().encode_gold(gold)).collect()
        })
    }

    /// The sentences to parse instead of a sentence.
    pub fn prepare(&self, sentence: &Sentence) -> Vec<Sentence> {
        self.transformations.iter().fold(vec![sentence.clone()], |sentences, transformation| {
            sentences.iter().flat_map(|each| transformation.get().prepare(each)).collect()
        })
    }

    /// The parsed sentence, from the original one and the parsed parts of what
    /// [`prepare`](CodecChain::prepare) gave for it, their trees already decoded.
    pub fn restore(&self, original: &Sentence, parsed: &[Sentence]) -> Sentence {
        // What each transformation was given, and into how many parts it made each sentence.
        let mut given = vec![vec![original.clone()]];
        let mut counts = Vec::new();
        for transformation in &self.transformations {
            let before = given.last().map_or(&[][..], Vec::as_slice);
            let parts: Vec<Vec<Sentence>> =
                before.iter().map(|sentence| transformation.get().prepare(sentence)).collect();
            counts.push(parts.iter().map(Vec::len).collect::<Vec<_>>());
            given.push(parts.into_iter().flatten().collect());
        }
        let mut parsed = parsed.to_vec();
        for (at, transformation) in self.transformations.iter().enumerate().rev() {
            if parsed.len() != given[at + 1].len() {
                return original.clone();
            }
            let mut rest = parsed.as_slice();
            let mut restored = Vec::with_capacity(given[at].len());
            for (sentence, &count) in given[at].iter().zip(&counts[at]) {
                let (parts, others) = rest.split_at(count);
                restored.push(transformation.get().restore(sentence, parts));
                rest = others;
            }
            parsed = restored;
        }
        parsed.into_iter().next().unwrap_or_else(|| original.clone())
    }
}
