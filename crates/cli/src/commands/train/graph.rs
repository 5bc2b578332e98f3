//! What `crossarc train` has for graph parsers: their options, and what is told about pruning.
use std::fs;

use anyhow::Context;
use crossarc::header::GraphHeader;
use crossarc::header::Training;
use crossarc::train::graph_options::LabelWay;
use crossarc::train::graph_options::{GraphOptions, PruningOptions};

use super::{Choices, Terminal};
use crate::arguments::approximation;

impl Choices {
    pub(super) fn graph_options(&self) -> anyhow::Result<GraphOptions> {
        let plain = GraphOptions::default();
        let labels = match self.labels.as_deref() {
            None => plain.labels,
            Some(name) => {
                let found = LabelWay::NAMES.iter().find(|(known, _)| *known == name);
                let names = LabelWay::NAMES.map(|(name, _)| name).join(", ");
                let found =
                    found.with_context(|| format!("unknown way of labels `{name}`: {names}"));
                Some(found?.1)
            }
        };
        Ok(GraphOptions {
            labels,
            aggressiveness: self.aggressiveness.or(plain.aggressiveness),
            loss_augmented: plain.loss_augmented && !self.plain_loss,
            approximation: match &self.approximation {
                None => plain.approximation,
                Some(text) => Some(approximation(text).map_err(anyhow::Error::msg)?),
            },
            pruning: (!self.no_prune).then_some(PruningOptions {
                most_heads: self.most_heads,
                least_share: self.least_share,
            }),
            constraints: self.constraints.unwrap_or(plain.constraints).max(1),
            taxonomy: match &self.taxonomy {
                None => None,
                Some(path) => Some(
                    fs::read_to_string(path)
                        .with_context(|| format!("cannot read {}", path.display()))?,
                ),
            },
            count_features: self.count_features,
        })
    }
}

impl Terminal {
    /// How crossing arcs are found, what pruning keeps and costs, and how many features there are.
    pub(super) fn say_facts(&self, graph: &GraphHeader, training: &Training) {
        if let Some(threshold) = graph.approximation {
            let las = training.dev_las.map_or(String::new(), |las| format!("; dev LAS {las:.2}"));
            self.say(&format!("crossing arcs where they gain more than {threshold}{las}"));
        }
        if let Some(loss) = graph.pruning_loss {
            let scores = loss.scores.map_or(String::new(), |(pruned, exact, words)| {
                format!("; LAS of {words} words {pruned:.2}, by exact search {exact:.2}")
            });
            self.say(&format!(
                "pruning keeps {:.1} heads a word and {:.2} % of the gold arcs of {}{scores}",
                loss.heads,
                loss.recall,
                if loss.folds { "held-out training text" } else { "the development files" }
            ));
        }
        let counts = graph.counts;
        if counts.gold > 0 {
            self.say(&format!(
                "{} features in the gold trees, {} split by labels, {} with a pruned taxonomy; {} with a weight after the first epoch, {} at the end",
                counts.gold, counts.split, counts.pruned, counts.non_null, counts.learned
            ));
        }
    }
}
