//! Features of factors: readable templates, stored in the model, compiled once, and turned into
//! hashes for every candidate.
//!
//! | section | describes | address of the third word |
//! |---|---|---|
//! | `[heads]` | an arc to the cheap model that prunes heads | |
//! | `[arcs]` | an arc | |
//! | `[arcs alone]` | an arc, to first-order decoders only | |
//! | `[arcs together]` | an arc, to second-order decoders only | |
//! | `[siblings]` | an arc and the next child of its head | `s` |
//! | `[grandchildren]` | an arc and the outermost child of its dependent | `g` |
//! | `[roots]` | an arc of the root, in place of `[arcs]` | |
//! | `[labels]` | an arc of a finished tree to the classifier that names it, in the language of [`crossarc_learn::templates`] | |
//!
//! The set `schiehlen2007` has the features of Schiehlen and Spranger (2007, section 2.2) for the
//! first order, `schiehlen2007-siblings` for the second,
//! `mcdonald2005` those of McDonald, Crammer and Pereira (2005) with the siblings of McDonald and
//! Pereira (2006), `rich` follows Carreras (2007) and Bohnet (2010) with lemma, morphology one by
//! one and crossed, agreement and affixes.
pub mod program;
pub mod template;

pub use program::{Program, SentenceFeatures};
pub use template::Templates;

/// A set with the templates that all sets share: those for pruning and for naming arcs.
macro_rules! set {
    ($($text:expr),+) => {
        concat!(include_str!("sets/heads.txt"), $($text,)+ include_str!("sets/labels.txt"))
    };
}

/// The built-in template sets by name. With siblings, Schiehlen and Spranger leave out the tags
/// between head and dependent.
pub const SETS: &[(&str, &str)] = &[
    ("rich", set!(include_str!("sets/rich.txt"))),
    ("mcdonald2005", set!(include_str!("sets/mcdonald2005.txt"))),
    (
        "schiehlen2007",
        set!(
            include_str!("sets/schiehlen2007.txt"),
            "[arcs]\nh.xpos+d.xpos+between.xpos\nh.xpos+d.xpos+between.xpos+dist(h,d)\n"
        ),
    ),
    ("schiehlen2007-siblings", set!(include_str!("sets/schiehlen2007.txt"))),
];

/// Templates that are added for guides, see [`crossarc_learn::features::guides::templates_for`].
pub const GUIDED: &str = include_str!("sets/guided.txt");

/// The text of a built-in set.
pub fn built_in(name: &str) -> Option<&'static str> {
    SETS.iter().find(|(known, _)| *known == name).map(|&(_, text)| text)
}
