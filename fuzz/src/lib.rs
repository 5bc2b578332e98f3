//! What must hold for any bytes: no panic, and what comes out is valid. Each target takes bytes and
//! panics if something does not hold; [`TARGETS`] is the list of them.
//!
//! | module | targets |
//! |---|---|
//! | [`reading`] | treebanks, archives, text out of HTML, vectors |
//! | [`languages`] | queries, templates, rules, recipes, options, codecs |
//! | [`models`] | altered models with right checksums, and text through a pipeline |
//! | [`searches`] | every decoder and transition system with arbitrary scores, and codecs |
#![forbid(unsafe_code)]

pub mod draws;
pub mod languages;
pub mod models;
pub mod reading;
pub mod searches;

/// What is tried with some bytes.
pub type Target = fn(&[u8]);

/// All targets with their names.
pub const TARGETS: [(&str, Target); 19] = [
    ("any", reading::any),
    ("conllu", reading::conllu),
    ("conllup", reading::conllup),
    ("conllx", reading::conllx),
    ("conll09", reading::conll09),
    ("archive", reading::archive),
    ("html", reading::html),
    ("vectors", reading::vectors),
    ("query", languages::query),
    ("templates", languages::templates),
    ("rules", languages::rules),
    ("recipe", languages::recipe),
    ("options", languages::options),
    ("codec", languages::codec),
    ("model", models::model),
    ("pipeline", models::pipeline),
    ("decoder", searches::decoder),
    ("system", searches::system),
    ("inverse", searches::inverse),
];

/// The target of a name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
}
