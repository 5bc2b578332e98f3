//! All parsers by name: transition systems, decoders of graph parsers, votes.
//!
//! ```
//! use crossarc::registry::{self, Kind};
//! assert_eq!(registry::find("swap").unwrap(), Kind::Transition);
//! assert_eq!(registry::find("carreras").unwrap(), Kind::Graph);
//! let error = registry::find("arc-eagre").unwrap_err().to_string();
//! assert!(error.contains("did you mean `arc-eager`?"));
//! ```
use crossarc_graph::decoders::DECODERS;
use crossarc_train::TrainError;
use crossarc_train::combination::VOTE;
use crossarc_transition::systems::SYSTEMS;

/// What a name stands for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A transition system.
    Transition,
    /// A decoder over scored arcs.
    Graph,
    /// Several parsers that vote.
    Vote,
}

/// The names of all parsers with their kinds, each once.
pub fn parsers() -> Vec<(&'static str, Kind)> {
    let mut names: Vec<(&str, Kind)> = Vec::new();
    for entry in SYSTEMS {
        if names.last().is_none_or(|&(last, _)| last != entry.system) {
            names.push((entry.system, Kind::Transition));
        }
    }
    names.extend(DECODERS.iter().map(|&name| (name, Kind::Graph)));
    names.push((VOTE, Kind::Vote));
    names
}

/// What a name stands for; the error lists all names and offers the nearest.
pub fn find(name: &str) -> Result<Kind, TrainError> {
    let parsers = parsers();
    if let Some(&(_, kind)) = parsers.iter().find(|(known, _)| *known == name) {
        return Ok(kind);
    }
    let known: Vec<&str> = parsers.iter().map(|&(name, _)| name).collect();
    Err(TrainError::UnknownParser { name: name.to_owned(), nearest: nearest(name, &known), known })
}

/// The known name with the fewest changes of letters, if they are few.
fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let best = known.iter().map(|&other| (distance(name, other), other)).min()?;
    (best.0 <= 1 + name.len() / 3).then_some(best.1)
}

/// Letters to insert, delete, change or swap with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) =
        (one.chars().take(64).collect(), other.chars().collect());
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
                let mut best = changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_are_found_once_and_a_slip_is_forgiven() {
        let parsers = parsers();
        let mut names: Vec<&str> = parsers.iter().map(|&(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), parsers.len());
        for (name, kind) in parsers {
            assert_eq!(find(name).unwrap(), kind);
        }
        for (slip, meant) in [("swpa", "swap"), ("esner", "eisner"), ("vot", "vote")] {
            assert!(find(slip).unwrap_err().to_string().contains(&format!("`{meant}`?")));
        }
        assert!(!find("xxxxxxxxxxxx").unwrap_err().to_string().contains("did you mean"));
    }
}
