//! Choices as text: as options are written, and as they are told.
use serde_json::{Map, Value};

use super::quoted::quoted_words;
use super::{ChoiceError, Choices};

/// Choices of which there may be several.
const LISTS: [&str; 6] = ["codec", "guide", "member", "ignore-columns", "text", "taught"];

impl Choices {
    /// The name of a parser, or `default`, and its options, as on a command line: `swap --beam 8`. Single
    /// quotes hold words together.
    pub fn parse(text: &str) -> Result<Choices, ChoiceError> {
        let words = quoted_words(text);
        let Some((name, rest)) = words.split_first() else {
            return Err(ChoiceError::Unknown(format!("`{text}`: no parser")));
        };
        let mut map = Map::new();
        let mut rest = rest.iter().peekable();
        while let Some(word) = rest.next() {
            let Some(name) = word.strip_prefix("--") else {
                return Err(ChoiceError::Unknown(format!(
                    "`{word}`: expected an option like --beam"
                )));
            };
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (name, rest.next_if(|next| !next.starts_with("--")).cloned()),
            };
            match (LISTS.contains(&name), value) {
                (true, Some(value)) => {
                    let list = map.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                    let values = if name == "ignore-columns" {
                        value.split(',').collect()
                    } else {
                        vec![value.as_str()]
                    };
                    if let Value::Array(list) = list {
                        list.extend(values.into_iter().map(Value::from));
                    }
                }
                (_, value) => {
                    let value = value.map_or(Value::Bool(true), |value| {
                        serde_json::from_str(&value)
                            .ok()
                            .filter(Value::is_number)
                            .unwrap_or_else(|| Value::from(value))
                    });
                    map.insert(name.to_owned(), value);
                }
            }
        }
        if name != "default" {
            map.insert("parser".to_owned(), Value::from(name.clone()));
        }
        serde_json::from_value(Value::Object(map))
            .map_err(|error| ChoiceError::Unknown(error.to_string()))
    }

    /// These choices, and those of `other` where these are silent. A switch that is on in one is on.
    #[must_use]
    pub fn or(&self, other: &Choices) -> Choices {
        let mut both = other.made();
        both.extend(self.made());
        // What was written as choices can be read as choices.
        serde_json::from_value(Value::Object(both)).unwrap_or_default()
    }

    /// What was chosen, by name.
    pub(super) fn made(&self) -> Map<String, Value> {
        let silent = |value: &Value| match value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(values) => values.is_empty(),
            _ => false,
        };
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map.into_iter().filter(|(_, value)| !silent(value)).collect(),
            _ => Map::new(),
        }
    }

    /// True if something was chosen under this name.
    pub fn has(&self, name: &str) -> bool {
        self.made().contains_key(name)
    }

    /// Takes back what was chosen about support vector machines.
    pub fn forget_machines(&mut self) {
        (self.kernel_gamma, self.kernel_r, self.cost, self.tolerance) = (None, None, None, None);
        (self.multiclass, self.solver, self.split_by) = (None, None, None);
    }

    /// What was chosen, in one line and in the order of names: `beam=8, epochs=5`.
    pub fn describe(&self) -> String {
        let parts = self.made().into_iter().map(|(name, value)| match value {
            Value::Bool(_) => name,
            Value::Number(number) => {
                let short = number.as_f64().map(|number| (number as f32).to_string());
                format!("{name}={}", short.unwrap_or_else(|| number.to_string()))
            }
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        });
        parts.collect::<Vec<_>>().join(", ")
    }
}
