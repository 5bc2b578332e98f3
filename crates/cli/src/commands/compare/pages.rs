//! Pages of results: tables with their question and what follows from them, made whole by one command.
//!
//! A page says which version made it, when, and by which command. It ends with a fingerprint of the cells
//! that it shows and of its tables about treebanks; since the key of a cell holds everything that determines it, a
//! page whose fingerprint is another one than that of its recipe is older than what it measures.
use std::fmt::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::ensure;
use crossarc_lab::compare::cell::{Cell, Outcome, fingerprint};
use crossarc_lab::compare::recipe::Recipe;

/// What the figures are called.
const GLOSSARY: &str = "\
UAS, LAS: share of words with the right head; with the right head and label. LA: with the right label. UEM, \
LEM: share of sentences in which all heads are right; all heads and labels. NP: arcs that are non-projective \
by dominance, their head does not dominate all words in between; NPP and NPR: precision and recall of these \
arcs with their labels. Dev: development set. Bold: the best of a column. Figures are percentages unless they \
say otherwise.";

const MARK: &str = "<!-- crossarc page: cells ";

/// Why a page should be made again, if it should.
pub fn staleness(page: &Path, recipe: &Recipe, cells: &[Cell]) -> Option<String> {
    let Ok(text) = std::fs::read_to_string(page) else {
        return Some(format!("{}: there is no such page yet", page.display()));
    };
    let found = text.rsplit_once(MARK).and_then(|(_, rest)| rest.split_whitespace().next());
    let is_current = found.is_some_and(|found| found == fingerprint(recipe, cells));
    (!is_current).then(|| {
        format!(
            "{}: older than what it measures; make it again with the command that it names",
            page.display()
        )
    })
}

/// The page of a recipe from its tables.
pub fn page(
    recipe: &Recipe,
    tables: &[String],
    outcomes: &[&Outcome],
    cells: &[Cell],
    made: &str,
) -> anyhow::Result<String> {
    let mut programs: Vec<&str> = outcomes.iter().map(|outcome| outcome.program.as_str()).collect();
    programs.sort_unstable();
    programs.dedup();
    ensure!(
        programs.len() <= 1,
        "the results are of several versions ({}): measure all with one before you make the page",
        programs.join(", ")
    );
    let mut text = format!("# {}\n", recipe.title);
    let mut part = |title: &str, body: &str| {
        let body = body.trim();
        if !body.is_empty() {
            let title = if title.is_empty() { String::new() } else { format!("## {title}\n\n") };
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{title}{body}\n");
        }
    };
    part("", &recipe.about);
    part("What the publication says", &recipe.seed);
    for table in tables {
        part("", table);
    }
    part("What agrees", &recipe.agrees);
    part("What does not", &recipe.differs);
    part("How it was made", &format!("{made} Made on {}.", date(SystemTime::now())));
    part("Words", GLOSSARY);
    let _ = writeln!(text, "\n{MARK}{} -->", fingerprint(recipe, cells));
    Ok(text)
}

/// A day as in 2026-02-28 (Hinnant's days from civil, the other way round).
fn date(time: SystemTime) -> String {
    let days = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400) as i64;
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_have_names() {
        let day = |days: u64| date(UNIX_EPOCH + Duration::from_secs(days * 86_400 + 5));
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(59), "1970-03-01");
        assert_eq!(day(11_016), "2000-02-29");
        assert_eq!(day(20_454), "2026-01-01");
    }

    #[test]
    fn a_page_knows_whether_it_is_current() {
        let recipe = Recipe { title: "T".into(), agrees: "All.".into(), ..Recipe::default() };
        let text = page(&recipe, &["| a |".into()], &[], &[], "Made by hand.").unwrap();
        assert!(text.starts_with("# T\n\n| a |\n\n## What agrees\n\nAll.\n"), "{text}");
        let path = std::env::temp_dir().join(format!("crossarc-page-{}.md", std::process::id()));
        std::fs::write(&path, &text).unwrap();
        assert_eq!(staleness(&path, &recipe, &[]), None);
        std::fs::write(&path, text.replace(&fingerprint(&recipe, &[]), "00000000")).unwrap();
        assert!(staleness(&path, &recipe, &[]).unwrap().contains("older"));
        std::fs::remove_file(&path).unwrap();
        assert!(staleness(&path, &recipe, &[]).unwrap().contains("no such page"));
    }
}
