//! What a recipe chooses about training besides its lists.
use serde::{Deserialize, Serialize};

use super::recipe::RecipeError;
use crossarc::combine::bundle::MOST_TREES;
use crossarc::combine::training::MOST_FOLDS;
use crossarc::combine::{Combination, VoteOptions, Weighing};
use crossarc_train::machine_options::{MachineChoices, MachineOptions};
use crossarc_train::options::GlobalUpdate;
use crossarc_train::options::TrainOptions;
use crossarc_train::parser::Approximate;

/// What does not multiply: as for `crossarc train`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[allow(missing_docs, reason = "explained where training is")]
pub struct Options {
    pub epochs: Option<usize>,
    pub patience: Option<usize>,
    pub runs: Option<usize>,
    pub batch: Option<usize>,
    pub exploration: Option<f64>,
    pub margin: Option<f32>,
    pub update: Option<String>,
    pub completion: Option<bool>,
    pub partial: Option<bool>,
    pub right_to_left: Option<bool>,
    pub punctuation: Option<bool>,
    pub label_cap: Option<usize>,
    pub ignore_columns: Option<Vec<String>>,
    pub max_size: Option<f64>,
    pub labels: Option<crossarc_train::graph_options::LabelWay>,
    pub aggressiveness: Option<f64>,
    pub loss_augmented: Option<bool>,
    pub approximation: Option<f64>,
    pub constraints: Option<usize>,
    pub count_features: Option<bool>,
    pub kernel_gamma: Option<f64>,
    pub kernel_r: Option<f64>,
    pub cost: Option<f64>,
    pub tolerance: Option<f64>,
    pub multiclass: Option<String>,
    pub solver: Option<String>,
    pub split_by: Option<String>,
    pub cross_fitting: Option<usize>,
    pub weights: Option<Weighing>,
    pub confidences: Option<bool>,
    pub k_best: Option<usize>,
}

impl Options {
    /// These options, and those of `other` where these are silent.
    pub(super) fn or(&self, other: &Options) -> Options {
        let mut both = other.table();
        both.extend(self.table());
        // What was written as options can be read as options.
        both.try_into().unwrap_or_default()
    }

    /// The options that were chosen, by name.
    fn table(&self) -> toml::Table {
        toml::Table::try_from(self).unwrap_or_default()
    }

    /// The options of training.
    pub(super) fn resolve(&self) -> Result<TrainOptions, RecipeError> {
        let plain = TrainOptions::default();
        let graph = plain.graph;
        Ok(TrainOptions {
            graph: crossarc_train::graph_options::GraphOptions {
                labels: self.labels,
                aggressiveness: self.aggressiveness.or(graph.aggressiveness),
                loss_augmented: self.loss_augmented.unwrap_or(graph.loss_augmented),
                approximation: self.approximation.map(|threshold| {
                    if threshold < 0.0 {
                        Approximate::Off
                    } else {
                        Approximate::Threshold(threshold)
                    }
                }),
                constraints: self.constraints.unwrap_or(graph.constraints).max(1),
                count_features: self.count_features.unwrap_or(graph.count_features),
                ..graph
            },
            epochs: self.epochs.unwrap_or(plain.epochs),
            patience: self.patience.unwrap_or(plain.patience),
            runs: self.runs.unwrap_or(plain.runs),
            batch: self.batch.unwrap_or(plain.batch),
            exploration: self.exploration.unwrap_or(plain.exploration),
            margin: self.margin.unwrap_or(plain.margin),
            update: match &self.update {
                None => plain.update,
                Some(name) => {
                    GlobalUpdate::named(name).ok_or_else(|| RecipeError::Update(name.clone()))?
                }
            },
            completion: self.completion.unwrap_or(plain.completion),
            partial: self.partial.unwrap_or(plain.partial),
            right_to_left: self.right_to_left.unwrap_or(plain.right_to_left),
            // The parsers of the literature leave marks where the search has put them.
            punctuation: self.punctuation.unwrap_or(false),
            ignored_columns: self.ignore_columns.clone().unwrap_or_default(),
            most_bytes: self.max_size.map(|megabytes| (megabytes * 1e6) as usize),
            ..plain
        })
    }

    /// A combination without parts.
    pub(super) fn combination(&self) -> Result<Combination, RecipeError> {
        let plain = Combination::default();
        let folds = self.cross_fitting.unwrap_or(plain.folds);
        if !(2..=MOST_FOLDS).contains(&folds) {
            return Err(RecipeError::Parts(format!("cross-fitting = 2 to {MOST_FOLDS}")));
        }
        let vote = VoteOptions {
            weighing: self.weights.unwrap_or(plain.vote.weighing),
            confidences: self.confidences.unwrap_or(plain.vote.confidences),
            k_best: self.k_best.unwrap_or(plain.vote.k_best).clamp(1, MOST_TREES),
            ..plain.vote
        };
        Ok(Combination { folds, vote, ..plain })
    }

    /// The options of a learner; nothing for the perceptron.
    pub(super) fn machines(&self, learner: &str) -> Result<Option<MachineOptions>, RecipeError> {
        match learner {
            "perceptron" => return Ok(None),
            "svm" => {}
            other => return Err(RecipeError::Learner(other.to_owned())),
        }
        let options = MachineOptions::chosen(&MachineChoices {
            gamma: self.kernel_gamma,
            r: self.kernel_r,
            cost: self.cost,
            tolerance: self.tolerance,
            multiclass: self.multiclass.as_deref(),
            solver: self.solver.as_deref(),
            split_by: self.split_by.as_deref(),
        })
        .map_err(RecipeError::Text)?;
        options.settings.check().map_err(|error| RecipeError::Text(error.to_string()))?;
        Ok(Some(options))
    }

    /// What was chosen, for tables: `epochs=5, partial=true`.
    pub(super) fn describe(&self) -> String {
        let table = self.table();
        let parts = table.iter().map(|(name, value)| match value {
            toml::Value::Float(number) => format!("{name}={}", *number as f32),
            toml::Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        });
        parts.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_options_are_those_of_the_other() {
        let read = |text: &str| toml::from_str::<Options>(text).unwrap();
        let mine = read("epochs = 5\nmargin = 0.1\nlabels = 'taxonomy'\nweights = 'tag'");
        let theirs = read("epochs = 9\npartial = true\nignore-columns = ['feats']");
        let both = mine.or(&theirs);
        assert_eq!((both.epochs, both.partial, both.margin), (Some(5), Some(true), Some(0.1)));
        assert_eq!(both.labels, mine.labels);
        assert_eq!(both.ignore_columns.as_deref(), Some(&["feats".to_owned()][..]));
        assert_eq!(
            both.describe(),
            r#"epochs=5, ignore-columns=["feats"], labels=taxonomy, margin=0.1, partial=true, weights=tag"#
        );
        assert_eq!(Options::default().describe(), "");
    }
}
