//! Drawing sentences.
use crossarc::draw::{Drawing, Highlight, Options, displacy, dot, html, svg, terminal, tikz};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::sentence::Sentence;

/// What to draw.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Target {
    Text,
    Svg,
    Html,
    Tikz,
    Dot,
    Displacy,
}

const TARGETS: [(&str, Target); 6] = [
    ("text", Target::Text),
    ("svg", Target::Svg),
    ("html", Target::Html),
    ("tikz", Target::Tikz),
    ("dot", Target::Dot),
    ("displacy", Target::Displacy),
];

/// How to draw.
#[derive(Copy, Clone)]
pub(crate) struct Picture {
    target: Target,
    highlight: Highlight,
    options: Options,
}

impl Picture {
    pub(crate) fn new(to: &str, highlight: &str, width: Option<usize>) -> PyResult<Picture> {
        let Some((_, target)) = TARGETS.iter().find(|(name, _)| *name == to) else {
            let names = TARGETS.map(|(name, _)| name).join(", ");
            let message = format!("cannot draw to {to:?}, expected one of {names}");
            return Err(PyValueError::new_err(message));
        };
        let highlight = match highlight {
            "crossing" => Highlight::Crossing,
            "non-projective" => Highlight::NonProjective,
            other => {
                return Err(PyValueError::new_err(format!(
                    "cannot highlight {other:?}, expected crossing or non-projective"
                )));
            }
        };
        let usual = match target {
            Target::Text => Options::default(),
            _ => Options::picture(),
        };
        let options = Options { width: width.unwrap_or(usual.width), ..usual };
        Ok(Picture { target: *target, highlight, options })
    }
}

/// Sentences one below the other; an HTML page is complete.
pub(crate) fn picture(sentences: &[Sentence], choice: Picture) -> String {
    let Picture { target, highlight, options } = choice;
    let drawings: Vec<Drawing> =
        sentences.iter().map(|one| Drawing::of(&one.core.read(), highlight)).collect();
    let joined = |draw: &dyn Fn(&Drawing) -> String| {
        drawings.iter().map(draw).collect::<Vec<_>>().join("\n")
    };
    match target {
        Target::Text => joined(&|drawing| terminal::render(drawing, &options)),
        Target::Tikz => joined(&tikz::picture),
        Target::Dot => joined(&dot::render),
        Target::Svg => svg::document(&drawings, &options),
        Target::Html => {
            let mut page = html::opening("Dependency trees", false);
            for (at, drawing) in drawings.iter().enumerate() {
                page.push_str(&html::section(drawing, at + 1, &options));
            }
            page.push_str(html::CLOSING);
            page
        }
        Target::Displacy => {
            let values: Vec<String> =
                drawings.iter().map(|drawing| displacy::value(drawing).to_string()).collect();
            match values.as_slice() {
                [one] => one.clone(),
                many => format!("[{}]", many.join(",")),
            }
        }
    }
}
