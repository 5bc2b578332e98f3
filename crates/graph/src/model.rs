//! Graph parsers in model files.

use super::decoder::Marginals;
use super::decoders::{DecoderVisitor, with_decoder};
use super::edge_filter::{EdgeFilter, Reach};
use super::features::{Program, Templates};
use super::linear::FactorModel;
use super::parser::GraphParser;
use super::scores::LabelSharing;
use super::search::Settings;
use super::taxonomy::Taxonomy;
use crossarc_learn::features::Attribute;
use crossarc_learn::packed::{PackedLabels, PackedMoves};
use crossarc_learn::packed_factors::PackedFactors;
use crossarc_model::{Container, ModelError, SectionBytes};
use crossarc_train::course::Weights;
use crossarc_train::header::{GraphHeader, Header, Roots};
use crossarc_train::parser::Parser;
use crossarc_tree::{Label, Labels};

/// A model as it is stored.
pub type PackedModel = FactorModel<PackedFactors, PackedLabels>;

const NAMES: [&str; 2] = ["names", "name lists"];

/// The settings of the search.
pub fn settings(graph: &GraphHeader, roots: Roots) -> Settings {
    Settings {
        labels: graph.labels,
        sharing: if graph.labelled_factors { LabelSharing::PerLabel } else { LabelSharing::Shared },
        pruning: graph.pruning,
        exact: false,
        approximation: graph.approximation,
        roots: roots.into(),
        label_trust: graph.label_trust,
        net_scale: graph.net.map_or(0.0, |net| net.scale),
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

/// Scales of scores for confidences.
#[derive(Copy, Clone, Debug)]
pub(super) struct Temperatures {
    /// Of those of the search.
    pub search: f32,
    /// Of those of names.
    pub names: f32,
}

/// The scales that a header tells of.
pub(super) fn temperatures(header: &Header) -> Temperatures {
    let names = header.graph().map_or(1.0, |graph| graph.label_temperature);
    Temperatures { search: header.temperature, names }
}

/// All that a parser consists of but its decoder.
pub(super) struct Parts {
    /// The linear model; nets may do without.
    pub model: Option<PackedModel>,
    pub settings: Settings,
    pub labels: Labels,
    pub root_label: Label,
    pub temperatures: Temperatures,
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
        let settings = settings(graph, header.roots);
        let Some(linear) = &graph.linear else {
            return Ok(Parts {
                model: None,
                settings,
                labels,
                root_label,
                temperatures: temperatures(header),
            });
        };
        let templates = Templates::parse(&linear.features.templates)
            .map_err(|error| container.damaged(&error.to_string()))?;
        let too_many = || container.damaged("too many features");
        let known = |label: &u16| usize::from(*label) < labels.len();
        let filter = EdgeFilter::from_rows(&linear.filter, &linear.frequent, linear.most_frequent)
            .filter(|filter| filter.all_labels().all(|label: Label| known(&label.0)))
            .ok_or_else(|| container.damaged("its edge filter is wrong"))?;
        let tag = Attribute::named(&linear.tag)
            .ok_or_else(|| container.damaged("its edge filter looks at an unknown attribute"))?;
        let many = labels.len();
        if !linear.taxonomy.is_empty() && linear.taxonomy.len() != many {
            return Err(container.damaged("its taxonomy does not fit its labels"));
        }
        let taxonomy = Taxonomy::new(linear.taxonomy.clone());
        let model = PackedModel {
            program: Program::compile(&templates).ok_or_else(too_many)?,
            label_program: crossarc_learn::templates::Program::compile(&templates.labels)
                .ok_or_else(too_many)?,
            heads: PackedMoves::load(container, linear.head_table)?,
            factors: PackedFactors::load(
                container,
                (linear.factor_unit, linear.factor_table),
                1 + many + taxonomy.classes(),
            )?,
            names: PackedLabels::load_named(container, NAMES, linear.label_table, many)?,
            labels: many,
            taxonomy,
            reach: Reach::of(&filter),
            filter,
            tag,
        };
        let temperatures = temperatures(header);
        Ok(Parts { model: Some(model), settings, labels, root_label, temperatures })
    }
}

impl DecoderVisitor for Parts {
    type Output = Box<dyn Parser>;

    fn visit<D: Marginals + Default + 'static>(self) -> Box<dyn Parser> {
        Box::new(GraphParser::<D>::new(self))
    }
}
