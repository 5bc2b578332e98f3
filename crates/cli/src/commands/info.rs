//! `crossarc info`
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use crossarc::Pipeline;
use crossarc::combine::bundle::BundleHeader;
use crossarc::combine::{Search, Weighing};
use crossarc::header::Header;
use crossarc::pipeline::Components;
use crossarc::tree::treebank::filling::ColumnUse;

/// Tell what a model is: parser, options, treebank, scores, licence.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc info\n  crossarc info en.crossarc\n  crossarc info --json en.crossarc | jq .training.dev_las\n  crossarc info --features en.crossarc > templates.txt"
)]
pub struct Info {
    /// Model files; the English model inside this program if none is named
    #[arg(value_name = "MODEL")]
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
        let mut opened = Vec::new();
        for path in &self.models {
            opened.push((path.display().to_string(), Pipeline::open(path)?));
        }
        if opened.is_empty() {
            let english = crossarc_english::pipeline().context("the model inside this program")?;
            opened.push(("(inside this program)".to_owned(), english));
        }
        for (name, pipeline) in &opened {
            let pipeline = pipeline.components();
            if !self.json && !self.features {
                print(&[
                    ("model", name.clone()),
                    ("size", format!("{:.1} MB", pipeline.size as f64 / 1e6)),
                ]);
                print(&components(pipeline));
            }
            let Some(model) = &pipeline.parser else { continue };
            let header = &model.header;
            if self.json {
                anstream::println!("{}", serde_json::to_string_pretty(header)?);
                continue;
            }
            if self.features {
                if let Some(features) = header.features() {
                    anstream::print!("{}", features.templates);
                }
                continue;
            }
            let training = &header.training;
            let punctuation = if model.attaches_punctuation() {
                "attached again when the tree is finished"
            } else {
                ""
            };
            if let Some(bundle) = header.bundle() {
                print(&votes(bundle));
                print(&[("punctuation", punctuation.to_owned())]);
                let percent = |score: Option<f64>| {
                    score.map_or_else(|| "-".to_owned(), |score| format!("{score:.2}"))
                };
                print(&[
                    ("chosen on", training.dev.join(", ")),
                    (
                        "dev UAS, LAS",
                        format!("{}, {}", percent(training.dev_uas), percent(training.dev_las)),
                    ),
                    ("note", training.note.clone()),
                ]);
                continue;
            }
            let crossing = header.graph().map(|graph| match graph.approximation {
                Some(threshold) => format!("by approximation, threshold {threshold}"),
                None => "none of its own".to_owned(),
            });
            let search = match (header.graph(), header.beam()) {
                (Some(graph), _) => {
                    let kept = graph.pruning_loss.map_or(String::new(), |loss| {
                        let (heads, recall) = (loss.heads, loss.recall);
                        let text = if loss.folds {
                            "held-out training text"
                        } else {
                            "the development files"
                        };
                        format!(", {heads} on {text}, {recall} % of its gold arcs")
                    });
                    let heads = graph.pruning.map_or("all heads".to_owned(), |pruning| {
                        format!(
                            "at most {} heads a word, those with at least {} of the probability of the best{kept}",
                            pruning.most_heads, pruning.least_share
                        )
                    });
                    let labels = format!("{:?}", graph.labels).to_lowercase();
                    let trust = if graph.labels.twice() {
                        format!(" (trust in those of the search {})", graph.label_trust)
                    } else {
                        String::new()
                    };
                    format!("labels {labels}{trust}, {heads}")
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
            let features = header.features().map_or_else(String::new, |features| {
                let lines = features.templates.lines().filter(|line| !line.starts_with('['));
                format!("{}, {} templates", features.name, lines.count())
            });
            let transition = header.transition();
            let rows = [
                (
                    "parser",
                    format!(
                        "{}, {search}{}",
                        header.parser,
                        if transition.is_some_and(|header| header.right_to_left) {
                            ", right to left"
                        } else {
                            ""
                        }
                    ),
                ),
                ("crossing arcs", crossing.unwrap_or_default()),
                ("punctuation", punctuation.to_owned()),
                (
                    "guides",
                    match header.guides {
                        0 => String::new(),
                        1 => "1, in the same file".to_owned(),
                        many => format!("{many}, in the same file"),
                    },
                ),
                ("oracle", transition.map_or_else(String::new, |header| header.oracle.clone())),
                ("learner", header.learner().to_owned() + &machines(header)),
                ("", machine_counts(header)),
                ("features", features),
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
                (
                    "epochs",
                    match training.runs {
                        1 => format!("{}, seed {}", training.best_epoch, training.seed),
                        runs => format!(
                            "{} in each of {runs} averaged runs, seed {}",
                            training.best_epoch, training.seed
                        ),
                    },
                ),
                ("columns", columns(&training.columns)),
                ("program", format!("crossarc {}", training.program)),
                ("note", training.note.clone()),
            ];
            print(&rows);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The members of a bundle and how their votes are counted.
fn votes(bundle: &BundleHeader) -> Vec<(&'static str, String)> {
    let vote = bundle.vote;
    let counted = match vote.weighing {
        Weighing::Uniform => "votes count the same",
        Weighing::Accuracy => "votes by accuracy",
        Weighing::Tag => "votes by accuracy for each tag",
    };
    let sure = if vote.confidences { ", times how sure the member is" } else { "" };
    let best = match vote.k_best {
        1 => String::new(),
        many => format!(", shared out among {many} trees"),
    };
    let search = match vote.search {
        Search::SpanningTree => "all trees",
        Search::Projective => "projective trees",
    };
    let mut rows = vec![("parser", format!("vote over {search}; {counted}{sure}{best}"))];
    for member in &bundle.members {
        let worth = member.trust.accuracy().map_or_else(String::new, |share| {
            format!(", {:.2} % of heads right on held-out sentences", share * 100.0)
        });
        rows.push(("member", format!("{}, weight {}{worth}", member.name, member.weight)));
    }
    rows
}

/// Settings of support vector machines.
fn machines(header: &Header) -> String {
    header.machines().map_or_else(String::new, |svm| {
        let split = svm.split_by.as_ref().map_or_else(String::new, |by| format!(", split by {by}"));
        format!(
            ", kernel ({} x.y + {})^2, cost {}, {}{split}",
            svm.gamma, svm.r, svm.cost, svm.multiclass
        )
    })
}

/// How many support vector machines there are.
fn machine_counts(header: &Header) -> String {
    header.machines().map_or_else(String::new, |svm| {
        let [moves, labels] = [svm.moves, svm.labels].map(|counts| {
            format!(
                "{} machines in {} parts, {} support vectors",
                counts.machines, counts.parts, counts.support_vectors
            )
        });
        format!("moves: {moves}; labels: {labels}")
    })
}

/// Which columns features look at, and what was found about the others.
fn columns(uses: &[ColumnUse]) -> String {
    let used = uses.iter().filter(|column| column.used).map(|column| column.column.as_str());
    let told = uses.iter().filter_map(ColumnUse::told);
    let mut parts = vec![used.collect::<Vec<_>>().join(", ")];
    parts.extend(told);
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

fn print(rows: &[(&str, String)]) {
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        anstream::println!("{name:<14}{value}");
    }
}

/// What a pipeline does before parsing; nothing for a parser alone.
fn components(pipeline: &Components) -> Vec<(&'static str, String)> {
    let megabytes = |bytes: usize| format!("{:.1} MB", bytes as f64 / 1e6);
    let mut rows = Vec::new();
    if let Some(tokenizer) = &pipeline.tokenizer {
        let (forms, endings) = tokenizer.multiword().len();
        let size = megabytes(tokenizer.size());
        let rules = format!("{forms} forms and {endings} endings for tokens of several words");
        rows.push(("tokenizer", format!("{size}; {rules}")));
    }
    if let Some(tagger) = &pipeline.tagger {
        let dev = tagger.training().dev.map_or_else(String::new, |dev| {
            format!("; dev UPOS {:.2} XPOS {:.2} FEATS {:.2}", dev.upos, dev.xpos, dev.feats)
        });
        rows.push(("tagger", megabytes(tagger.size()) + &dev));
    }
    if let Some(lemmatizer) = &pipeline.lemmatizer {
        let dev = lemmatizer.training().dev;
        let dev = dev.map_or_else(String::new, |dev| format!("; dev {dev:.2} with right tags"));
        rows.push(("lemmatizer", megabytes(lemmatizer.sizes().iter().sum()) + &dev));
    }
    if pipeline.parser.is_none() {
        rows.push(("trained on", pipeline.header.train.join(", ")));
        rows.push(("note", pipeline.header.note.clone()));
    }
    rows
}
