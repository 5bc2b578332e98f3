//! The JSON that displaCy draws (`displacy.render(..., manual=True)`).
//!
//! Arcs lead from the smaller to the greater position, counted from 0, and `dir` says on which
//! side the dependent is. Arcs of the root have no place in the format. displaCy knows no
//! comparison, so labels say `gold:` or `system:` where only one annotation has the arc.
//!
//! ```
//! use crossarc_draw::{Drawing, Highlight, Word, displacy};
//! let words = vec![Word::new("She", "PRON"), Word::new("sings", "VERB")];
//! let annotation = [(Some(2), "nsubj"), (Some(0), "root")];
//! let drawing = Drawing::new("1", words, &annotation, Highlight::Crossing);
//! assert_eq!(
//!     displacy::value(&drawing).to_string(),
//!     r#"{"words":[{"text":"She","tag":"PRON"},{"text":"sings","tag":"VERB"}],"arcs":[{"start":0,"end":1,"label":"nsubj","dir":"left"}]}"#
//! );
//! ```
use serde::Serialize;

use super::{Drawing, Standing};

/// A sentence as displaCy takes it.
#[derive(Serialize)]
pub struct Sentence<'a> {
    words: Vec<Word<'a>>,
    arcs: Vec<Arc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Settings>,
}

#[derive(Serialize)]
struct Word<'a> {
    text: &'a str,
    tag: &'a str,
}

#[derive(Serialize)]
struct Arc {
    start: u32,
    end: u32,
    label: String,
    dir: &'static str,
}

#[derive(Serialize)]
struct Settings {
    direction: &'static str,
}

/// One sentence.
pub fn value(drawing: &Drawing) -> Sentence<'_> {
    let words = drawing.words().iter().map(|word| Word { text: &word.form, tag: &word.tag });
    let arcs = drawing.arcs().iter().filter(|arc| !arc.is_root()).map(|arc| Arc {
        start: arc.head.min(arc.dependent) - 1,
        end: arc.head.max(arc.dependent) - 1,
        label: match arc.standing {
            Standing::GoldOnly => format!("gold: {}", arc.label),
            Standing::SystemOnly => format!("system: {}", arc.label),
            Standing::Agreed | Standing::WrongLabel => arc.label.clone(),
        },
        dir: if arc.dependent < arc.head { "left" } else { "right" },
    });
    Sentence {
        words: words.collect(),
        arcs: arcs.collect(),
        settings: drawing.is_right_to_left().then_some(Settings { direction: "rtl" }),
    }
}

impl std::fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| std::fmt::Error)?)
    }
}
