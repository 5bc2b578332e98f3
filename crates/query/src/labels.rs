//! Classes of labels, after the table of Universal Dependencies (de Marneffe et al. 2021).

/// Classes by name; a label belongs to one with any subtype.
pub const CLASSES: [(&str, &[&str]); 9] = [
    ("subject", &["nsubj", "csubj"]),
    ("object", &["obj", "iobj"]),
    ("core", &["nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp"]),
    (
        "noncore",
        &[
            "obl",
            "vocative",
            "expl",
            "dislocated",
            "advcl",
            "advmod",
            "discourse",
            "aux",
            "cop",
            "mark",
        ],
    ),
    (
        "nominal",
        &[
            "nsubj",
            "obj",
            "iobj",
            "obl",
            "vocative",
            "expl",
            "dislocated",
            "nmod",
            "appos",
            "nummod",
        ],
    ),
    ("clause", &["csubj", "ccomp", "xcomp", "advcl", "acl"]),
    ("modifier", &["advmod", "discourse", "amod"]),
    ("function", &["aux", "cop", "mark", "det", "clf", "case", "cc"]),
    ("multiword", &["fixed", "flat", "compound", "goeswith"]),
];

/// The labels of a class.
pub(crate) fn class(name: &str) -> Option<&'static [&'static str]> {
    CLASSES.iter().find(|(known, _)| *known == name).map(|(_, labels)| *labels)
}
