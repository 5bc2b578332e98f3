//! The help of `crossarc train`: its many options in groups, and kinds of trees in words.
use clap::{Arg, Command};
use crossarc::transition::TreeClass;

/// Options by group; those in none are the basic ones.
const GROUPS: [(&str, &[&str]); 8] = [
    (
        "Search and learning",
        &[
            "oracle",
            "features",
            "learner",
            "ignore_columns",
            "hidden_columns",
            "beam",
            "update",
            "completion",
            "partial",
            "parser_roots",
            "plain_punctuation",
            "right_to_left",
            "epochs",
            "patience",
            "runs",
            "batch",
            "exploration",
            "margin",
        ],
    ),
    ("Nets", &["nets", "net_epochs", "net_size", "net_dropout", "vectors"]),
    ("Crossing arcs", &["codec", "codec_config", "label_cap", "lift_by"]),
    (
        "Graph parsers",
        &[
            "labels",
            "taxonomy",
            "count_features",
            "constraints",
            "aggressiveness",
            "plain_loss",
            "approximation",
            "most_heads",
            "least_share",
            "no_prune",
        ],
    ),
    (
        "Support vector machines",
        &["kernel_gamma", "kernel_r", "cost", "tolerance", "multiclass", "solver", "split_by"],
    ),
    ("Combination", &["guide", "cross_fitting", "member", "weights", "confidences", "k_best"]),
    ("Learning from text", &["teacher", "text", "taught", "text_words", "least_sure", "leave_out"]),
    (
        "Output and course",
        &[
            "small",
            "max_size",
            "note",
            "checkpoint",
            "resume",
            "config",
            "seed",
            "threads",
            "quiet",
        ],
    ),
];

/// Puts the options into groups.
pub fn grouped(train: Command) -> Command {
    let group = |arg: &Arg| {
        let id = arg.get_id().as_str();
        GROUPS.iter().find(|(_, ids)| ids.contains(&id)).map(|(name, _)| *name)
    };
    train.mut_args(|arg| match group(&arg) {
        Some(name) => arg.help_heading(name),
        None => arg,
    })
}

/// What trees a system builds.
pub fn in_words(class: TreeClass) -> String {
    match class {
        TreeClass::Projective => "projective ones".to_owned(),
        TreeClass::WithinDegree(degree) => {
            format!("those whose arcs pass over at most {} open words", degree.saturating_sub(1))
        }
        TreeClass::TwoPlanar => {
            "those whose arcs can be drawn above and below the words".to_owned()
        }
        TreeClass::CrossingInterval => {
            "those in which two words have a part in all crossings of a stretch".to_owned()
        }
        TreeClass::All => "all".to_owned(),
    }
}
