//! A trained biaffine net and how it is kept.
use crate::inputs::{Encoder, Inputs, Outside};
use crate::network::{Network, Shape};
use crate::stored::{
    Facts, MOST, MOST_WEIGHTS, Precision, ReadError, read_weights, sections_of, without_rows,
};

/// The name of its sections.
const NAME: &str = "biaffine";

/// A trained net with the names of its rows and labels.
#[derive(Clone, Debug)]
pub struct BiaffineModel {
    pub(crate) encoder: Encoder,
    pub(crate) network: Network,
    pub(crate) labels: Vec<String>,
}

impl BiaffineModel {
    /// The labels, in the order of their scores.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// What it sees of a word.
    pub fn inputs(&self) -> Inputs {
        self.encoder.inputs
    }

    /// Numbers that were learned.
    pub fn weights(&self) -> usize {
        let tables = self.network.context.tables.iter().map(|table| table.values().len());
        self.network.parameters.values().len() + tables.sum::<usize>()
    }

    /// What goes into a model file, by name.
    pub fn sections(&self, precision: Precision) -> Vec<(String, Vec<u8>)> {
        let BiaffineModel { encoder, network, labels } = self;
        let facts = (encoder, network.shape, &labels[..]);
        sections_of(NAME, facts, &network.parameters, &network.context, precision)
    }

    /// A net from its sections; what it does not learn is kept apart, for several nets share it.
    pub fn read<'a>(
        section: impl Fn(&str) -> Option<&'a [u8]>,
        outside: &Outside,
    ) -> Result<BiaffineModel, ReadError> {
        let facts: Facts<Shape> = Facts::read(NAME, &section)?;
        let shape = facts.shape;
        let outside = outside.for_shape(shape.context);
        let encoder = facts.encoder(shape.context, outside.clone())?;
        check_sizes(&shape)?;
        if facts.labels.len() != shape.label_count {
            return Err(ReadError::Facts("there are other names than labels".to_owned()));
        }
        let small = Shape { context: without_rows(shape.context), ..shape };
        let mut network = Network::new(small, 0);
        let Network { parameters, context, .. } = &mut network;
        read_weights(NAME, &section, shape.context, parameters, context)?;
        network.shape = shape;
        network.context.vectors = outside.vectors;
        Ok(BiaffineModel { encoder, network, labels: facts.labels })
    }
}

fn check_sizes(shape: &Shape) -> Result<(), ReadError> {
    let Shape { context, arcs, labels, label_count } = *shape;
    let sizes = [arcs, labels, label_count];
    let read = 2 * context.hidden.min(MOST);
    let of_arcs = arcs.saturating_mul(arcs + 2 * read);
    let of_labels = labels.saturating_mul((labels + 1).saturating_mul(label_count) + 2 * read);
    if sizes.iter().any(|&size| size == 0 || size > MOST)
        || of_arcs.saturating_add(of_labels) > MOST_WEIGHTS
    {
        return Err(ReadError::Facts("the sizes are beyond all limits".to_owned()));
    }
    Ok(())
}
