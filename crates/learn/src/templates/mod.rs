//! Feature templates: readable text, stored in the model, compiled once, run for every state.
//!
//! A template set has two parts: `[moves]` (for some systems also `[moves stack]`) describes the
//! state to the classifier that chooses the next move, `[labels]` describes the arc just chosen to the classifier that names it. A
//! line is a template, atoms joined by `+`; see [`template`] for what an atom can be.
//!
//! The set `nivre2008` is Table 4.3 of Reisinger (2016) with the distance of her section 4.2,
//! `nivre2008-crossed` has her ARC-CROSSED, too, `nivre2008-history` the last six moves (Nivre's lecture),
//! `malt06` Table 1 of Nivre et al. (2006), `malt06-linear` the same with pairs of them and distance for
//! learners without a kernel, `rich` follows Zhang and Nivre (2011) with
//! lemma, fine tags, morphology, affixes and word shape added, and `wide` is `rich` before the
//! templates were left out that were hardly missed.
pub mod program;
pub mod template;

pub use program::{Program, Scratch};
pub use template::{TemplateError, Templates};

/// The built-in template sets by name.
pub const SETS: &[(&str, &str)] = &[
    ("rich", include_str!("sets/rich.txt")),
    ("wide", include_str!("sets/wide.txt")),
    ("nivre2008", include_str!("sets/nivre2008.txt")),
    (
        "nivre2008-crossed",
        concat!(include_str!("sets/nivre2008.txt"), "\n[moves]\ncrossed(x0,y0)\n"),
    ),
    (
        "nivre2008-history",
        concat!(include_str!("sets/nivre2008.txt"), "\n", include_str!("sets/history.txt")),
    ),
    ("malt06", include_str!("sets/malt06.txt")),
    ("malt06-linear", include_str!("sets/malt06-linear.txt")),
];

/// Templates that are added for guides, see [`crate::features::guides::templates_for`].
pub const GUIDED: &str = include_str!("sets/guided.txt");

/// Templates of the completion model, see `crossarc_transition::completion`.
pub const COMPLETION: &str = include_str!("sets/completion.txt");

/// The text of a built-in set.
pub fn built_in(name: &str) -> Option<&'static str> {
    SETS.iter().find(|(known, _)| *known == name).map(|&(_, text)| text)
}
