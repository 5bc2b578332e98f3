//! Graph parsers in model files.
use serde::{Deserialize, Serialize};

use super::decoder::Marginals;
use super::decoders::{DecoderVisitor, with_decoder};
use super::edge_filter::{EdgeFilter, Reach};
use super::features::{Program, Templates};
use super::parser::GraphParser;
use super::pruning::Pruning;
use super::scores::LabelSharing;
use super::search::{FactorModel, LabelWay, Settings};
use super::taxonomy::Taxonomy;
use crate::features::Attribute;
use crate::learn::packed::{Facts, PackedLabels, PackedMoves};
use crate::learn::packed_factors::PackedFactors;
use crate::model::header::Header;
use crate::model::{Container, ModelError, SectionBytes};
use crate::parser::Parser;
use crate::train::course::Weights;
use crate::transition;
use crate::tree::{Label, Labels};

/// A model as it is stored.
pub type PackedModel = FactorModel<PackedFactors, PackedLabels>;

const NAMES: [&str; 2] = ["names", "name lists"];

/// What the header of a graph parser has beside that of other parsers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphHeader {
    /// How arcs get their labels.
    pub labels: LabelWay,
    /// Whether second-order factors know the label.
    pub labelled_factors: bool,
    /// Class of each label, if there is a taxonomy.
    pub taxonomy: Vec<u16>,
    /// Heads of a word that are looked at, or all.
    pub pruning: Option<Pruning>,
    /// Threshold of the non-projective approximation, if it is used.
    pub approximation: Option<f64>,
    /// How much scores of labels in the search count beside those of names.
    pub label_trust: f32,
    /// Bound on the steps of learning.
    pub aggressiveness: f64,
    /// Whether wrong arcs were favoured in training.
    pub loss_augmented: bool,
    /// Wrong trees that an update looked at.
    pub constraints: usize,
    /// What pruning did to the development files.
    pub pruning_loss: Option<PruningLoss>,
    /// How many features there are.
    pub counts: FeatureCounts,
    /// The attribute that the edge filter looks at.
    pub tag: String,
    /// The edge filter: head tag, dependent tag, leftward, distance, labels.
    pub filter: Vec<(u32, u32, bool, u32, Vec<u16>)>,
    /// The most frequent label for each dependent tag.
    pub frequent: Vec<(u32, u16)>,
    /// The most frequent label of all.
    pub most_frequent: u16,
    /// The unit of the weights of factors.
    pub factor_unit: f32,
    /// The table of names.
    pub name_table: Facts,
}

/// What pruning keeps and costs.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PruningLoss {
    /// Share of the gold arcs that are kept, in percent.
    pub recall: f64,
    /// Heads that a word keeps, on average.
    pub heads: f64,
    /// Labelled attachment score on a sample with pruning and with the exact search, and the words
    /// of the sample.
    pub scores: Option<(f64, f64, usize)>,
}

/// How many features there are.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FeatureCounts {
    /// In the gold trees, not counting labels, if they were counted.
    pub gold: usize,
    /// The same for labels, split along the complete taxonomy.
    pub split: usize,
    /// Split along the taxonomy as it was pruned for each feature.
    pub pruned: usize,
    /// With a weight after the first epoch, not counting labels; zero without a development set.
    pub non_null: usize,
    /// With a weight at the end.
    pub learned: usize,
}

impl GraphHeader {
    /// The settings of the search.
    pub fn settings(&self, header: &Header) -> Settings {
        Settings {
            labels: self.labels,
            sharing: if self.labelled_factors {
                LabelSharing::PerLabel
            } else {
                LabelSharing::Shared
            },
            pruning: self.pruning,
            approximation: self.approximation,
            roots: header.roots.into(),
            label_trust: self.label_trust,
        }
    }
}

impl Weights for PackedModel {
    fn sections(&self) -> Vec<SectionBytes<'_>> {
        let heads = self.heads.sections().into_iter();
        heads.chain(self.factors.sections()).chain(self.names.sections_named(NAMES)).collect()
    }
}

/// The parser in a model file.
pub fn load(
    container: &Container,
    header: &Header,
    graph: &GraphHeader,
) -> Result<Box<dyn Parser>, ModelError> {
    let unknown = format!("unknown parser `{}`", header.parser);
    let parts = Parts::load(container, header, graph)?;
    with_decoder(&header.parser, parts).ok_or_else(|| container.damaged(&unknown))
}

/// All that a parser consists of but its decoder.
pub(super) struct Parts {
    pub model: PackedModel,
    pub settings: Settings,
    pub labels: Labels,
    pub root_label: Label,
    pub temperature: f32,
}

impl Parts {
    /// The parts in a model file.
    pub(super) fn load(
        container: &Container,
        header: &Header,
        graph: &GraphHeader,
    ) -> Result<Parts, ModelError> {
        let mut labels = Labels::default();
        for (index, name) in header.labels.iter().enumerate() {
            if labels.intern(name).is_none_or(|label| label.index() != index) {
                return Err(container.damaged("its list of labels is wrong"));
            }
        }
        let Some(root_label) = labels.get(&header.root_label) else {
            return Err(container.damaged("its label for the root is unknown"));
        };
        let templates = Templates::parse(&header.features)
            .map_err(|error| container.damaged(&error.to_string()))?;
        let too_many = || container.damaged("too many features");
        let known = |label: &u16| usize::from(*label) < labels.len();
        let filter = EdgeFilter::from_rows(&graph.filter, &graph.frequent, graph.most_frequent)
            .filter(|filter| filter.all_labels().all(|label: Label| known(&label.0)))
            .ok_or_else(|| container.damaged("its edge filter is wrong"))?;
        let tag = Attribute::named(&graph.tag)
            .ok_or_else(|| container.damaged("its edge filter looks at an unknown attribute"))?;
        let many = labels.len();
        if !graph.taxonomy.is_empty() && graph.taxonomy.len() != many {
            return Err(container.damaged("its taxonomy does not fit its labels"));
        }
        let taxonomy = Taxonomy::new(graph.taxonomy.clone());
        let model = PackedModel {
            program: Program::compile(&templates).ok_or_else(too_many)?,
            label_program: transition::features::Program::compile(&templates.labels)
                .ok_or_else(too_many)?,
            heads: PackedMoves::load(container, header.move_table)?,
            factors: PackedFactors::load(
                container,
                (graph.factor_unit, header.label_table),
                1 + many + taxonomy.classes(),
            )?,
            names: PackedLabels::load_named(container, NAMES, graph.name_table, many)?,
            labels: many,
            taxonomy,
            reach: Reach::of(&filter),
            filter,
            tag,
        };
        let settings = graph.settings(header);
        let temperature = header.temperature;
        Ok(Parts { model, settings, labels, root_label, temperature })
    }
}

impl DecoderVisitor for Parts {
    type Output = Box<dyn Parser>;

    fn visit<D: Marginals + Default + 'static>(self) -> Box<dyn Parser> {
        Box::new(GraphParser::<D>::new(self))
    }
}
