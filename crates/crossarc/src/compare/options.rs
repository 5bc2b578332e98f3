//! What a recipe chooses about training besides its lists.
use serde::{Deserialize, Serialize};

use super::recipe::RecipeError;
use crate::combine::bundle::MOST_TREES;
use crate::combine::training::MOST_FOLDS;
use crate::combine::{Combination, VoteOptions, Weighing};
use crate::graph;
use crate::parser::Approximate;
use crate::transition::train::TrainOptions;
use crate::transition::training::global::GlobalUpdate;
use crate::transition::training::machines::{MachineChoices, MachineOptions};

/// What does not multiply: as for `crossarc train`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[allow(missing_docs, reason = "explained where training is")]
pub struct Options {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exploration: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_to_left: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub punctuation: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_cap: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_columns: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_size: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<graph::search::LabelWay>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggressiveness: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_augmented: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approximation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_features: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_gamma: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_r: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiclass: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_fitting: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weighing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidences: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k_best: Option<usize>,
}

impl Options {
    /// These options, and those of `other` where these are silent.
    pub(super) fn or(self, other: Options) -> Options {
        Options {
            epochs: self.epochs.or(other.epochs),
            patience: self.patience.or(other.patience),
            runs: self.runs.or(other.runs),
            batch: self.batch.or(other.batch),
            exploration: self.exploration.or(other.exploration),
            margin: self.margin.or(other.margin),
            update: self.update.or(other.update),
            completion: self.completion.or(other.completion),
            partial: self.partial.or(other.partial),
            right_to_left: self.right_to_left.or(other.right_to_left),
            punctuation: self.punctuation.or(other.punctuation),
            label_cap: self.label_cap.or(other.label_cap),
            ignore_columns: self.ignore_columns.or(other.ignore_columns),
            max_size: self.max_size.or(other.max_size),
            labels: self.labels.or(other.labels),
            aggressiveness: self.aggressiveness.or(other.aggressiveness),
            loss_augmented: self.loss_augmented.or(other.loss_augmented),
            approximation: self.approximation.or(other.approximation),
            constraints: self.constraints.or(other.constraints),
            count_features: self.count_features.or(other.count_features),
            kernel_gamma: self.kernel_gamma.or(other.kernel_gamma),
            kernel_r: self.kernel_r.or(other.kernel_r),
            cost: self.cost.or(other.cost),
            tolerance: self.tolerance.or(other.tolerance),
            multiclass: self.multiclass.or(other.multiclass),
            solver: self.solver.or(other.solver),
            split_by: self.split_by.or(other.split_by),
            cross_fitting: self.cross_fitting.or(other.cross_fitting),
            weights: self.weights.or(other.weights),
            confidences: self.confidences.or(other.confidences),
            k_best: self.k_best.or(other.k_best),
        }
    }

    /// The options of training.
    pub(super) fn resolve(&self) -> Result<TrainOptions, RecipeError> {
        let plain = TrainOptions::default();
        let graph = plain.graph;
        Ok(TrainOptions {
            graph: graph::training::GraphOptions {
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
        let table = toml::Table::try_from(self).unwrap_or_default();
        let parts = table.iter().map(|(name, value)| match value {
            toml::Value::Float(number) => format!("{name}={}", *number as f32),
            toml::Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        });
        parts.collect::<Vec<_>>().join(", ")
    }
}
