//! Trees for Graphviz: heads above their dependents, dependents in the order of the sentence.
//!
//! ```
//! use crossarc_draw::{Drawing, Highlight, Word, dot};
//! let words = vec![Word::new("say", "VERB"), Word::new("\"hi\"", "INTJ")];
//! let annotation = [(Some(0), "root"), (Some(1), "obj")];
//! let drawing = Drawing::new("1", words, &annotation, Highlight::Crossing);
//! assert!(dot::render(&drawing).contains(r#"2 [label="\"hi\"\nINTJ"]"#));
//! ```
use std::fmt::Write as _;

use super::{Arc, Drawing, Standing};

/// One sentence as a `digraph`.
pub fn render(drawing: &Drawing) -> String {
    let mut out = format!("digraph \"{}\" {{\n", escape(&drawing.title));
    out.push_str("  graph [ordering=out]\n");
    out.push_str("  node [shape=plaintext, height=0, fontname=\"sans-serif\"]\n");
    out.push_str("  edge [arrowsize=0.6, fontsize=11, fontname=\"sans-serif\"]\n");
    if drawing.arcs().iter().any(Arc::is_root) {
        out.push_str("  0 [label=\"\", shape=point, width=0.05]\n");
    }
    for (index, word) in drawing.words().iter().enumerate() {
        let mut label = escape(&word.form);
        if !word.tag.is_empty() {
            label.push_str("\\n");
            label.push_str(&escape(&word.tag));
        }
        let _ = writeln!(out, "  {} [label=\"{label}\"]", index + 1);
    }
    for arc in drawing.arcs() {
        let (head, dependent, label) = (arc.head, arc.dependent, escape(&arc.label));
        let _ = writeln!(out, "  {head} -> {dependent} [label=\"{label}\"{}]", style(arc));
    }
    out.push_str("}\n");
    out
}

fn style(arc: &Arc) -> String {
    let mut out = String::from(match arc.standing {
        Standing::Agreed if arc.highlighted => ", color=\"#c2410c\", fontcolor=\"#c2410c\"",
        Standing::Agreed => "",
        Standing::WrongLabel => ", fontcolor=\"#8250df\"",
        Standing::GoldOnly => ", color=\"#0550ae\", fontcolor=\"#0550ae\", style=dashed",
        Standing::SystemOnly => ", color=\"#cf222e\", fontcolor=\"#cf222e\", style=dotted",
    });
    if arc.highlighted {
        out.push_str(", penwidth=2");
    }
    out
}

/// Text between double quotes. A backslash is doubled, since DOT gives `\n`, `\N` and others a
/// meaning in labels.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"), // else `&lt;` in a word would be read as an entity
            _ if letter.is_control() => out.push('\u{FFFD}'),
            _ => out.push(letter),
        }
    }
    out
}
