//! Trees as LaTeX for the `tikz-dependency` package: one page for each sentence.
//!
//! Scripts beyond Latin need `LuaLaTeX` or `XeLaTeX` and a font that has them.
//!
//! ```
//! use crossarc_draw::{Drawing, Highlight, Word, tikz};
//! let words = vec![Word::new("50%", "NUM")];
//! let drawing = Drawing::new("1", words, &[(Some(0), "root")], Highlight::Crossing);
//! assert!(tikz::picture(&drawing).contains(r"{50\%}"));
//! ```
use std::fmt::Write as _;

use super::{Arc, Drawing, Standing};

/// The start of a document.
pub const OPENING: &str = r"\documentclass[multi=dependency,border=4pt]{standalone}
\usepackage{iftex}
\iftutex\usepackage{fontspec}\else\usepackage[T1]{fontenc}\fi
\usepackage{tikz-dependency}
\definecolor{crossing}{HTML}{C2410C}
\definecolor{gold}{HTML}{0550AE}
\definecolor{system}{HTML}{CF222E}
\definecolor{wronglabel}{HTML}{8250DF}
\begin{document}
";

/// The end of a document.
pub const CLOSING: &str = "\\end{document}\n";

/// One sentence as a `dependency` environment.
pub fn picture(drawing: &Drawing) -> String {
    if drawing.words().is_empty() {
        return String::new();
    }
    let mirrored = drawing.is_right_to_left();
    let words = drawing.words().len() as u32;
    let column = |word: u32| if mirrored { words + 1 - word } else { word };
    let mut out = String::new();
    for line in drawing.title.lines() {
        let _ = writeln!(out, "% {line}");
    }
    out.push_str("\\begin{dependency}[theme=simple]\n\\begin{deptext}[column sep=.7em]\n");
    let row = |out: &mut String, cells: &mut dyn Iterator<Item = &str>| {
        let cells: Vec<String> = cells.map(|cell| format!("{{{}}}", latex(cell))).collect();
        let _ = writeln!(out, "{} \\\\", cells.join(" \\& "));
    };
    let ordered = |index: u32| &drawing.words()[column(index) as usize - 1];
    row(&mut out, &mut (1..=words).map(|index| ordered(index).form.as_str()));
    if drawing.words().iter().any(|word| !word.tag.is_empty()) {
        row(&mut out, &mut (1..=words).map(|index| ordered(index).tag.as_str()));
    }
    out.push_str("\\end{deptext}\n");
    for arc in drawing.arcs() {
        let options = style(arc);
        let (dependent, label) = (column(arc.dependent), latex(&arc.label));
        let _ = if arc.is_root() {
            writeln!(out, "\\deproot{options}{{{dependent}}}{{{label}}}")
        } else {
            writeln!(out, "\\depedge{options}{{{}}}{{{dependent}}}{{{label}}}", column(arc.head))
        };
    }
    out.push_str("\\end{dependency}\n");
    out
}

fn style(arc: &Arc) -> String {
    let mut edge: Vec<&str> = Vec::new();
    let mut label = "";
    match arc.standing {
        Standing::Agreed => {}
        Standing::WrongLabel => label = "text=wronglabel",
        Standing::GoldOnly => {
            edge.extend(["gold", "densely dashed"]);
            label = "text=gold";
        }
        Standing::SystemOnly => {
            edge.extend(["system", "densely dotted"]);
            label = "text=system";
        }
    }
    if arc.highlighted {
        edge.push("thick");
        if arc.standing == Standing::Agreed {
            edge.push("crossing");
            label = "text=crossing";
        }
    }
    let mut options: Vec<String> = Vec::new();
    if !edge.is_empty() {
        options.push(format!("edge style={{{}}}", edge.join(",")));
    }
    if !label.is_empty() {
        options.push(format!("label style={{{label}}}"));
    }
    if options.is_empty() { String::new() } else { format!("[{}]", options.join(",")) }
}

/// Text as LaTeX sets it.
pub fn latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\textbackslash{}"),
            '&' => out.push_str("\\symbol{38}"), // `\&` ends a cell, even inside braces
            '{' | '}' | '$' | '#' | '_' | '%' => {
                out.push('\\');
                out.push(letter);
            }
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '"' => out.push_str("\\textquotedbl{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            // Two of these in a row would become one character.
            '-' | '`' | '\'' | ',' => {
                out.push(letter);
                out.push_str("{}");
            }
            _ if letter.is_control() => out.push('?'),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::latex;

    #[test]
    fn every_special_character_is_escaped() {
        assert_eq!(
            latex(r"\{}$&#_%~^"),
            r"\textbackslash{}\{\}\$\symbol{38}\#\_\%\textasciitilde{}\textasciicircum{}"
        );
        assert_eq!(latex("--"), "-{}-{}");
        assert_eq!(latex("a\nb"), "a?b");
    }
}
