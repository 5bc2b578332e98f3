//! Marked labels as text: `l`, `l↓`, `l↑`, `l↑↓`, `l↑h`, `l↑h↓`.
//!
//! Arrows and backslashes that belong to a label itself get a backslash, so every text has one
//! reading.
use std::fmt;

const LIFTED: char = '↑';
const PASSED: char = '↓';
const ESCAPE: char = '\\';

/// A marked label by its names. The lifted-from name is empty where the scheme has none.
pub(super) struct MarkedName<'a> {
    pub(super) label: &'a str,
    pub(super) lift: Option<&'a str>,
    pub(super) passed: bool,
}

impl fmt::Display for MarkedName<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        let mut escaped = |name: &str| {
            name.chars().try_for_each(|character| {
                if matches!(character, LIFTED | PASSED | ESCAPE) {
                    out.write_char(ESCAPE)?;
                }
                out.write_char(character)
            })
        };
        escaped(self.label)?;
        if let Some(head) = self.lift {
            out.write_char(LIFTED)?;
            MarkedName { label: head, lift: None, passed: false }.fmt(out)?;
        }
        if self.passed {
            out.write_char(PASSED)?;
        }
        Ok(())
    }
}

/// The parts of a marked label.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Parts {
    pub(super) label: String,
    pub(super) lift: Option<String>,
    pub(super) passed: bool,
}

/// Reads any text; what no writer would have written is read as far as it makes sense.
pub(super) fn parse(name: &str) -> Parts {
    let mut parts = Parts::default();
    let mut characters = name.chars();
    while let Some(character) = characters.next() {
        let character = match character {
            LIFTED if parts.lift.is_none() => {
                parts.lift = Some(String::new());
                continue;
            }
            PASSED if characters.as_str().is_empty() => {
                parts.passed = true;
                continue;
            }
            ESCAPE => characters.next().unwrap_or(ESCAPE),
            other => other,
        };
        parts.lift.as_mut().unwrap_or(&mut parts.label).push(character);
    }
    parts
}
