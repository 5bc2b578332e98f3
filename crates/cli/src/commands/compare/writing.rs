//! Writing the tables and the page of a comparison.
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use conll::AtomicFile;
use crossarc_lab::compare::cell::{Cell, Outcome};
use crossarc_lab::compare::page;
use crossarc_lab::compare::parts::Parts;
use crossarc_lab::compare::pool::pool;
use crossarc_lab::compare::recipe::{Recipe, SMALL_PARTS};
use crossarc_lab::compare::stars::{self, Measured};
use crossarc_lab::compare::statistics;
use crossarc_lab::compare::table::{Table, complete_table, default_tables};
use crossarc_lab::compare::trace::Trace;
use crossarc_lab::compare::treebanks::{Sentences, Tags, Treebank};
use crossarc_lab::report::Panel;
use crossarc_lab::report::page::Page;

use super::pages;

/// Finds a treebank by its name.
pub type Find<'a> = Box<dyn Fn(&str) -> Option<Arc<Treebank>> + 'a>;

/// What is needed to write the tables of a recipe.
pub struct Writing<'a> {
    pub recipe: &'a Recipe,
    /// The file of the recipe.
    pub path: &'a Path,
    /// The folder of the results.
    pub results: &'a Path,
    /// The folder of the tables.
    pub folder: &'a Path,
    /// A treebank by its name.
    pub find: Find<'a>,
    /// The page to write besides.
    pub page: Option<&'a Path>,
    /// The cells of the recipe.
    pub cells: &'a [Cell],
    /// Treebanks that are named to the command.
    pub treebanks: &'a [String],
    pub small: bool,
    pub quiet: bool,
}

impl Writing<'_> {
    /// Writes everything that can be made of these results.
    pub fn write(&self, outcomes: &[&Outcome]) -> anyhow::Result<()> {
        if outcomes.is_empty() && self.recipe.statistics.is_empty() {
            anstream::eprintln!("crossarc: there are no results yet, and so no tables");
            return Ok(());
        }
        std::fs::create_dir_all(self.folder)
            .with_context(|| format!("cannot make {}", self.folder.display()))?;
        let measured: Vec<Measured> = pool(outcomes)
            .into_iter()
            .map(|(outcome, keys)| {
                let traces = keys.iter().map(|key| Trace::read(self.results, key));
                Measured { outcome, traces: traces.collect::<Option<_>>().unwrap_or_default() }
            })
            .collect();
        let treebanks = self.read_treebanks()?;
        let mut tables: Vec<(Table, Option<usize>)> = Vec::new();
        let known: Vec<(&str, &Sentences)> =
            treebanks.iter().map(|(name, sentences)| (name.as_str(), sentences)).collect();
        for spec in &self.recipe.statistics {
            tables.push((statistics::table(spec, &known), None));
        }
        let pooled: Vec<&Outcome> = measured.iter().map(|one| &one.outcome).collect();
        let mut specs = self.recipe.tables.clone();
        if specs.is_empty() && !pooled.is_empty() {
            specs = default_tables(&pooled);
        }
        for (at, spec) in specs.iter().enumerate().filter(|_| !pooled.is_empty()) {
            let mut table = Table::build(spec, &pooled);
            stars::add(&mut table, spec, &measured);
            tables.push((table, Some(at)));
        }
        if !outcomes.is_empty() {
            // One row for each run, folds apart.
            tables.push((Table::build(&complete_table(), outcomes), None));
        }
        let made = self.made();
        let mut study: Vec<Panel> = Vec::new();
        for (name, sentences) in &treebanks {
            if self.recipe.running_time {
                study.extend(page::running_time(&measured, name, sentences));
            }
            if !self.recipe.analyses.is_empty() {
                study.extend(page::analyses(self.recipe, &measured, name, sentences));
            }
        }
        let mut text = vec![format!("# {}\n", self.recipe.title)];
        if !self.recipe.about.trim().is_empty() {
            text.push(format!("{}\n", self.recipe.about.trim()));
        }
        text.push(format!("{made}\n"));
        if let Some(path) = self.page {
            // What each run did is in the results; the page has what the recipe asks for.
            let shown = tables.len() - usize::from(!outcomes.is_empty() && tables.len() > 1);
            let tables = tables[..shown].iter().map(|(table, _)| table.to_markdown());
            let shown: Vec<String> = tables.chain(study.iter().map(Panel::to_markdown)).collect();
            save(path, &pages::page(self.recipe, &shown, outcomes, self.cells, &made)?)?;
        }
        let mut panels: Vec<Panel> = Vec::new();
        for (at, (table, spec)) in tables.iter().enumerate() {
            text.push(table.to_markdown());
            self.save(&format!("{}.csv", table.name), &table.to_csv())?;
            self.save(&format!("{}.tex", table.name), &table.to_latex())?;
            let is_complete = at + 1 == tables.len() && !outcomes.is_empty();
            if !self.quiet && !is_complete {
                anstream::println!("{}", table.to_text());
            }
            panels.push(page::panel(table, spec.map(|spec| &specs[spec])));
        }
        let complete = if outcomes.is_empty() { None } else { panels.pop() };
        for panel in &study {
            if !self.quiet {
                anstream::println!("{}", panel.to_text());
            }
            text.push(panel.to_markdown());
        }
        panels.extend(study);
        panels.extend(complete);
        self.save("tables.md", &text.join("\n"))?;
        self.save("report.html", &page::page(self.recipe, &made.replace('`', ""), panels).to_html())
    }

    fn made(&self) -> String {
        let path = if self.path.is_absolute() {
            Path::new(self.path.file_name().unwrap_or_default())
        } else {
            self.path
        };
        let treebanks = match self.treebanks {
            [] => String::new(),
            names => format!(" --treebank {}", names.join(" ")),
        };
        let small = if self.small {
            " A small version: the first sentences and two epochs only, to see that it runs."
        } else {
            ""
        };
        format!(
            "Made with crossarc {} by `crossarc compare --recipe {}{treebanks}`. Scores are percentages of \
             the test sets, all words and full labels; times are processor time on one core.{small}",
            env!("CARGO_PKG_VERSION"),
            path.display(),
        )
    }

    /// The treebanks of the recipe, if it needs more than results; those that are not there are told.
    fn read_treebanks(&self) -> anyhow::Result<Vec<(String, Sentences)>> {
        let recipe = self.recipe;
        let mut found = Vec::new();
        if recipe.statistics.is_empty() && recipe.analyses.is_empty() && !recipe.running_time {
            return Ok(found);
        }
        for name in recipe.treebanks() {
            let Some(treebank) = (self.find)(&name) else {
                anstream::eprintln!(
                    "crossarc: the treebank {name} is not here, and so what needs its sentences is left out"
                );
                continue;
            };
            let parts = Parts { small: self.small.then_some(SMALL_PARTS), ..Parts::default() };
            found.push((name, parts.take(&treebank.read(Tags::Gold)?)));
        }
        Ok(found)
    }

    fn save(&self, name: &str, text: &str) -> anyhow::Result<()> {
        save(&self.folder.join(name), text)
    }
}

fn save(path: &Path, text: &str) -> anyhow::Result<()> {
    let write = || {
        let mut file = AtomicFile::create(path)?;
        file.write_all(text.as_bytes())?;
        file.finish()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// A page with links to the pages of several recipes.
pub fn index<'a>(
    folder: &Path,
    recipes: impl Iterator<Item = (&'a Path, &'a Recipe)>,
) -> anyhow::Result<()> {
    let mut links = String::new();
    for (place, recipe) in recipes {
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let title = crossarc_lab::report::plot::escape(&recipe.title);
        let name = crossarc_lab::report::plot::escape(&name);
        // Writing to a string cannot fail.
        let _ = writeln!(links, "<li><a href=\"{name}/report.html\">{title}</a> ({name})</li>");
    }
    let page = Page { title: "Comparisons".to_owned(), ..Page::default() };
    let html = page.to_html().replace("</header>", &format!("<ul>{links}</ul></header>"));
    save(&folder.join("index.html"), &html)
}
