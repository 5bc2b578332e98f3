//! `crossarc info`
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use crossarc::annotate::Model;

/// Tell what a model is: parser, options, treebank, scores, licence.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc info en.crossarc\n  crossarc info --json en.crossarc | jq .training.dev_las\n  crossarc info --features en.crossarc > templates.txt"
)]
pub struct Info {
    /// Model files
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<PathBuf>,

    /// Everything as JSON
    #[arg(long, conflicts_with = "features")]
    json: bool,

    /// The feature templates, as `train --features` takes them
    #[arg(long)]
    features: bool,
}

impl Info {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        for path in &self.models {
            let model = Model::open(path)?;
            let header = &model.header;
            if self.json {
                anstream::println!("{}", serde_json::to_string_pretty(header)?);
                continue;
            }
            if self.features {
                anstream::print!("{}", header.features);
                continue;
            }
            let training = &header.training;
            let crossing = header.graph.as_ref().map(|graph| match graph.approximation {
                Some(threshold) => format!("by approximation, threshold {threshold}"),
                None => "none of its own".to_owned(),
            });
            let search = match (&header.graph, header.beam) {
                (Some(graph), _) => {
                    let kept = graph.pruning_recall.map_or(String::new(), |kept| {
                        format!(", which keep {kept} % of the gold arcs of the development files")
                    });
                    format!(
                        "labels {}, at most {} heads a word{kept}",
                        format!("{:?}", graph.labels).to_lowercase(),
                        graph.most_heads
                    )
                }
                (None, 0 | 1) => "greedy".to_owned(),
                (None, width) => format!("beam {width}"),
            };
            let codec = match header.codec.names() {
                names if names.is_empty() => "none".to_owned(),
                names => names.join(" + "),
            };
            let percent = |score: Option<f64>| {
                score.map_or_else(|| "-".to_owned(), |score| format!("{score:.2}"))
            };
            let templates = header.features.lines().filter(|line| !line.starts_with('[')).count();
            let rows = [
                ("model", path.display().to_string()),
                ("size", format!("{:.1} MB", model.size as f64 / 1e6)),
                ("parser", format!("{}, {search}", header.parser)),
                ("crossing arcs", crossing.unwrap_or_default()),
                ("oracle", header.oracle.clone()),
                ("learner", header.learner.clone()),
                ("features", format!("{}, {templates} templates", header.feature_set)),
                ("codec", codec),
                ("roots", format!("{:?}", header.roots).to_lowercase()),
                ("labels", header.labels.len().to_string()),
                ("trained on", training.train.join(", ")),
                (
                    "",
                    format!(
                        "{} sentences ({} with crossing arcs), {} words",
                        training.sentences, training.non_projective, training.words
                    ),
                ),
                ("chosen on", training.dev.join(", ")),
                (
                    "dev UAS, LAS",
                    format!("{}, {}", percent(training.dev_uas), percent(training.dev_las)),
                ),
                ("epochs", format!("{}, seed {}", training.best_epoch, training.seed)),
                ("program", format!("crossarc {}", training.program)),
                ("note", training.note.clone()),
            ];
            for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
                anstream::println!("{name:<14}{value}");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
