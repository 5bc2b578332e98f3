//! `crossarc compare`
mod pages;
mod progress;
mod writing;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::Args;
use crossarc_lab::compare::cell::Cell;
use crossarc_lab::compare::grid::{self, Budget};
use crossarc_lab::compare::recipe::{Plan, Recipe};
use crossarc_lab::compare::results::Results;
use crossarc_lab::compare::store;
use crossarc_lab::compare::table::select;
use crossarc_lab::compare::treebanks::Treebank;

use crate::arguments::Quiet;
use crate::interrupt::stop_gently;
use progress::{Progress, describe};
use writing::Writing;

/// Train and measure a grid of parsers on treebanks, and make tables of the results.
///
/// A recipe lists parsers, oracles, beams, features, codecs, treebanks and seeds; the lists
/// multiply. Each cell runs on one core. Results are written as they come: after an interruption,
/// even by `kill -9`, the same command goes on, and no finished cell is trained again.
#[derive(Args)]
#[command(after_help = "\
Examples:
  crossarc compare --recipe recipes/transition-systems.toml --treebanks ud/ -o results/
  crossarc compare --recipe recipes/transition-systems.toml --treebank hu_szeged-ud -o results/
  crossarc compare --recipe my.toml --train a.conllu --dev b.conllu --test c.conllu -o results/
  crossarc compare --recipe recipes/reisinger-table-5.1.toml --treebank hu_szeged-ud -o results/
  crossarc compare --recipe recipes/ --treebank hu_szeged-ud --small -o results/
  crossarc compare --recipe my.toml -o results/ --list
  crossarc compare --recipe my.toml -o results/ --tables-only
  crossarc compare --recipe my.toml -o results/ --page docs/results/my.md

A recipe:
  title = \"Swap, greedy and with beam\"
  [grid]
  treebanks = [\"hu_szeged-ud\", \"da_ddt-conllx\"]
  parsers = [\"swap\", \"arc-eager\"]
  beams = [1, 8]
  seeds = [1, 2, 3]
  sizes = [500, 1000, 0]        # learning curves: the first so many sentences, 0 is all
  tags = [\"gold\"]              # or \"predicted\" (columns of CoNLL-2009), \"tagger\" (cross-fitted)
  folds = 10                    # cross-validation on the training set
  [[run]]                       # one more grid; lists not given are those of [grid]
  parsers = [\"swap\"]
  oracles = [\"dynamic\"]
  options = { epochs = 20 }
  [part.graph]                  # a parser that guides others or votes with others
  parser = \"carreras\"
  [[run]]
  parsers = [\"swap\"]
  guides = [\"graph\"]            # or parsers = [\"vote\"], members = [[\"graph\", ...]]
  [[table]]
  name = \"las\"
  rows = [\"parser\", \"oracle\", \"beam\"]
  columns = [\"treebank\"]
  measures = [\"las\"]
  significance = { test = \"randomisation\", against = \"first\", correction = \"holm\" }
                                # or paired-t (over = \"folds\"), mcnemar, bootstrap; against = \"best\"

A treebank is found by name: NAME-train.conllu, NAME-dev.conllu, NAME-test.conllu (or .conll). Without
dev, the last 10 % of the training sentences are held out for it, and the tables say so.

In the folder: report.html (tables and charts in one page), tables.md, and a .csv and a .tex for each
table; results.csv has all figures of all runs. results.jsonl (one line per run) and runs/ (what became
of each sentence) are what an interrupted comparison goes on from; parts/ holds trained parts of
combinations, which may be deleted. The recipes of a folder share them,
and each has its tables in a folder of its own.

Exit codes: 0 all cells are measured, 1 a cell failed or the run was interrupted, 2 wrong usage")]
pub struct Compare {
    /// What to compare; all recipes of it if it is a folder
    #[arg(long, short, value_name = "FILE|DIR")]
    recipe: PathBuf,

    /// Folder for results and tables
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,

    /// Folder of the treebanks; `CROSSARC_TREEBANKS` if not given
    #[arg(long, value_name = "DIR")]
    treebanks: Option<PathBuf>,

    /// Treebanks to use instead of those of the recipe
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "train")]
    treebank: Vec<String>,

    /// Files to train on, instead of a treebank by name
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "test")]
    train: Vec<PathBuf>,

    /// Files for choosing the best epoch
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "train")]
    dev: Vec<PathBuf>,

    /// Files to measure on
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "train")]
    test: Vec<PathBuf>,

    /// Cells that run at the same time, each on one core; as many as there are cores if not given
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Memory that cells running at the same time may take together, in gigabytes; most of what is
    /// free if not given
    #[arg(long, value_name = "GB", value_parser = clap::value_parser!(u32).range(1..))]
    memory: Option<u32>,

    /// Write a page of the tables, with what the recipe says about them; with --list, tell whether it is
    /// older than what it measures
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    /// A small version: the first 300 sentences to train on, 100 to measure on, 2 epochs, 2 folds
    #[arg(long)]
    small: bool,

    /// Make the tables again from the results that are there
    #[arg(long)]
    tables_only: bool,

    /// List the cells, and which of them are measured
    #[arg(long, conflicts_with = "tables_only")]
    list: bool,

    #[command(flatten)]
    quiet: Quiet,
}

/// A recipe, and where its tables go.
struct Task {
    path: PathBuf,
    recipe: Recipe,
    plans: Vec<Plan>,
    cells: Vec<Cell>,
    folder: PathBuf,
}

impl Compare {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let given = self.given_treebank()?.map(Arc::new);
        let mut treebanks: Vec<Arc<Treebank>> = given.into_iter().collect();
        let mut tasks = self.tasks(&treebanks)?;
        ensure!(
            self.page.is_none() || tasks.len() == 1,
            "--page is for one recipe: name a file, not a folder"
        );
        if self.page.is_some() || !self.tables_only {
            for task in &mut tasks {
                task.cells = self.cells(&task.plans, &mut treebanks)?;
            }
        }
        if self.tables_only {
            let results = Results::read(&self.output).ok();
            for task in &tasks {
                let cells = task.plans.iter().map(|plan| (&plan.spec, None));
                let found = results.as_ref().map_or(&[][..], Results::outcomes);
                self.writing(task, &treebanks).write(&select(cells, found))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let mut cells: Vec<Cell> = Vec::new();
        for cell in tasks.iter().flat_map(|task| &task.cells) {
            if !cells.iter().any(|known| known.key == cell.key) {
                cells.push(cell.clone());
            }
        }
        if self.list {
            self.list(&cells)?;
            let stale = |page: &PathBuf| pages::staleness(page, &tasks[0].recipe, &cells);
            if let Some(why) = self.page.as_ref().and_then(stale) {
                anstream::eprintln!("crossarc: {why}");
                return Ok(ExitCode::from(1));
            }
            return Ok(ExitCode::SUCCESS);
        }
        stop_gently();
        let mut results = Results::open(&self.output)?;
        let jobs = self.jobs.map_or_else(
            || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            usize::from,
        );
        let memory = self.memory.map_or_else(free_memory, |gigabytes| u64::from(gigabytes) << 30);
        let open: Vec<&Cell> = cells.iter().filter(|cell| !results.contains(&cell.key)).collect();
        let progress = Progress::new(self.quiet.quiet, cells.len(), &open);
        let tally = grid::run(&cells, &mut results, Budget { jobs, memory }, &progress)?;
        progress.bar.finish_and_clear();
        for task in &tasks {
            let places = task.cells.iter().map(|cell| (&cell.spec, Some(cell.key.as_str())));
            self.writing(task, &treebanks).write(&select(places, results.outcomes()))?;
        }
        if tasks.len() > 1 {
            let entries = tasks.iter().map(|task| (task.folder.as_path(), &task.recipe));
            writing::index(&self.output, entries)?;
        }
        let missing = cells.len() - tally.known - tally.measured;
        if missing > 0 {
            anstream::eprintln!(
                "crossarc: {missing} of {} cells are not measured; the same command goes on with them",
                cells.len()
            );
        }
        Ok(ExitCode::from(u8::from(missing > 0)))
    }

    /// The recipe, or all recipes of the folder.
    fn tasks(&self, given: &[Arc<Treebank>]) -> anyhow::Result<Vec<Task>> {
        let mut paths = vec![self.recipe.clone()];
        let is_folder = self.recipe.is_dir();
        if is_folder {
            let entries = fs::read_dir(&self.recipe)
                .with_context(|| format!("cannot read {}", self.recipe.display()))?;
            paths = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
            paths.sort();
            ensure!(!paths.is_empty(), "{}: there is no recipe (.toml)", self.recipe.display());
        }
        let names = match given {
            [treebank, ..] => Some(vec![treebank.name.clone()]),
            [] => (!self.treebank.is_empty()).then(|| self.treebank.clone()),
        };
        let mut tasks = Vec::new();
        for path in paths {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let in_recipe = || format!("in {}", path.display());
            let mut recipe = Recipe::parse(&text).with_context(in_recipe)?;
            if self.small {
                recipe.make_small();
            }
            if let Some(names) = &names {
                recipe.grid.treebanks.clone_from(names);
                for run in &mut recipe.runs {
                    run.treebanks.clear();
                }
            }
            let beside = path.parent().unwrap_or(Path::new(""));
            let plans = recipe.plans(beside, names.as_deref()).with_context(in_recipe)?;
            let stem = path.file_stem().unwrap_or_default();
            let folder = if is_folder { self.output.join(stem) } else { self.output.clone() };
            tasks.push(Task { path, recipe, plans, cells: Vec::new(), folder });
        }
        Ok(tasks)
    }

    fn writing<'a>(&'a self, task: &'a Task, treebanks: &'a [Arc<Treebank>]) -> Writing<'a> {
        Writing {
            recipe: &task.recipe,
            path: &task.path,
            results: &self.output,
            folder: &task.folder,
            find: Box::new(|name| {
                let known = treebanks.iter().find(|known| known.name == name).cloned();
                known.or_else(|| Treebank::named(&self.treebank_folder(), name).ok().map(Arc::new))
            }),
            page: self.page.as_deref(),
            cells: &task.cells,
            treebanks: &self.treebank,
            small: self.small,
            quiet: self.quiet.quiet,
        }
    }

    /// The treebank of `--train`, if there is one.
    fn given_treebank(&self) -> anyhow::Result<Option<Treebank>> {
        let Some(first) = self.train.first() else { return Ok(None) };
        let name = first.file_name().unwrap_or(first.as_os_str()).to_string_lossy();
        let name = name.split('.').next().unwrap_or(&name);
        let name = name.strip_suffix("-train").unwrap_or(name);
        let (train, dev, test) = (self.train.clone(), self.dev.clone(), self.test.clone());
        Ok(Some(Treebank::of_files(name, train, dev, test)?))
    }

    fn treebank_folder(&self) -> PathBuf {
        let from_environment = || std::env::var_os("CROSSARC_TREEBANKS").map(PathBuf::from);
        self.treebanks.clone().or_else(from_environment).unwrap_or_else(|| PathBuf::from("."))
    }

    fn cells(
        &self,
        plans: &[Plan],
        treebanks: &mut Vec<Arc<Treebank>>,
    ) -> anyhow::Result<Vec<Cell>> {
        let folder = self.treebank_folder();
        let mut cells = Vec::with_capacity(plans.len());
        for plan in plans {
            let name = &plan.spec.treebank;
            let treebank = if let Some(known) = treebanks.iter().find(|known| known.name == *name) {
                Arc::clone(known)
            } else {
                let found = Arc::new(Treebank::named(&folder, name)?);
                treebanks.push(Arc::clone(&found));
                found
            };
            cells.push(Cell::new(plan, treebank));
        }
        if cells.iter().any(|cell| cell.options.combination.is_some()) {
            for cell in &mut cells {
                cell.parts_folder = Some(self.output.join(store::FOLDER));
            }
        }
        Ok(cells)
    }

    fn list(&self, cells: &[Cell]) -> anyhow::Result<()> {
        let known = Results::read(&self.output).ok();
        let mut out = anstream::stdout().lock();
        for cell in cells {
            let is_done = known.as_ref().is_some_and(|results| results.contains(&cell.key));
            let mark = if is_done { "measured" } else { "open    " };
            writeln!(out, "{mark}  {}", describe(&cell.spec))?;
        }
        Ok(())
    }
}

/// Nine tenths of the memory that the system could give, where it tells.
fn free_memory() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes * 1024 / 10 * 9)
}
