//! `crossarc compare`
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use conll::AtomicFile;
use crossarc::compare::cell::{Cell, CellError, Outcome, Spec};
use crossarc::compare::grid::{self, GridObserver};
use crossarc::compare::recipe::{Plan, Recipe};
use crossarc::compare::results::Results;
use crossarc::compare::table::{Table, complete_table, default_tables, select};
use crossarc::compare::treebanks::Treebank;
use crossarc::transition::train::EpochSummary;
use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::Quiet;

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
  crossarc compare --recipe my.toml -o results/ --list
  crossarc compare --recipe my.toml -o results/ --tables-only

A recipe:
  title = \"Swap, greedy and with beam\"
  [grid]
  treebanks = [\"hu_szeged-ud\", \"da_ddt-conllx\"]
  parsers = [\"swap\", \"arc-eager\"]
  beams = [1, 8]
  seeds = [1, 2, 3]
  [[run]]                       # one more grid; lists not given are those of [grid]
  parsers = [\"swap\"]
  oracles = [\"dynamic\"]
  options = { epochs = 20 }
  [[table]]
  name = \"las\"
  rows = [\"parser\", \"oracle\", \"beam\"]
  columns = [\"treebank\"]
  measures = [\"las\"]

A treebank is found by name: NAME-train.conllu, NAME-dev.conllu, NAME-test.conllu (or .conll). Without
dev, the last 10 % of the training sentences are held out for it, and the tables say so.

In the folder: results.jsonl (one line per run), tables.md, and a .csv and a .tex for each table;
results.csv has all figures of all runs.

Exit codes: 0 all cells are measured, 1 a cell failed or the run was interrupted, 2 wrong usage")]
pub struct Compare {
    /// What to compare
    #[arg(long, short, value_name = "FILE")]
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

    /// Make the tables again from the results that are there
    #[arg(long)]
    tables_only: bool,

    /// List the cells, and which of them are measured
    #[arg(long, conflicts_with = "tables_only")]
    list: bool,

    #[command(flatten)]
    quiet: Quiet,
}

impl Compare {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let text = fs::read_to_string(&self.recipe)
            .with_context(|| format!("cannot read {}", self.recipe.display()))?;
        let in_recipe = || format!("in {}", self.recipe.display());
        let recipe = Recipe::parse(&text).with_context(in_recipe)?;
        let folder = self.recipe.parent().unwrap_or(Path::new(""));
        let given = self.given_treebank()?;
        let names = match &given {
            Some(treebank) => Some(vec![treebank.name.clone()]),
            None => (!self.treebank.is_empty()).then(|| self.treebank.clone()),
        };
        let plans = recipe.plans(folder, names.as_deref()).with_context(in_recipe)?;
        if self.tables_only {
            let results = Results::read(&self.output)?;
            let cells = plans.iter().map(|plan| (&plan.spec, None));
            self.write_tables(&recipe, &select(cells, results.outcomes()))?;
            return Ok(ExitCode::SUCCESS);
        }
        let cells = self.cells(&plans, given)?;
        if self.list {
            return self.list(&cells);
        }
        ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed))?;
        let mut results = Results::open(&self.output)?;
        let jobs = self.jobs.map_or_else(
            || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            usize::from,
        );
        let open: Vec<&Cell> = cells.iter().filter(|cell| !results.contains(&cell.key)).collect();
        let progress = Progress::new(self.quiet.quiet, cells.len(), &open);
        let tally = grid::run(&cells, &mut results, jobs, &progress)?;
        progress.bar.finish_and_clear();
        let places = cells.iter().map(|cell| (&cell.spec, Some(cell.key.as_str())));
        self.write_tables(&recipe, &select(places, results.outcomes()))?;
        let missing = cells.len() - tally.known - tally.measured;
        if missing > 0 {
            anstream::eprintln!(
                "crossarc: {missing} of {} cells are not measured; the same command goes on with them",
                cells.len()
            );
        }
        Ok(ExitCode::from(u8::from(missing > 0)))
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

    fn cells(&self, plans: &[Plan], given: Option<Treebank>) -> anyhow::Result<Vec<Cell>> {
        let folder = self
            .treebanks
            .clone()
            .or_else(|| std::env::var_os("CROSSARC_TREEBANKS").map(PathBuf::from))
            .unwrap_or_else(|| PathBuf::from("."));
        let mut treebanks: Vec<Arc<Treebank>> = given.into_iter().map(Arc::new).collect();
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
        Ok(cells)
    }

    fn list(&self, cells: &[Cell]) -> anyhow::Result<ExitCode> {
        let known = Results::read(&self.output).ok();
        let mut out = anstream::stdout().lock();
        for cell in cells {
            let is_done = known.as_ref().is_some_and(|results| results.contains(&cell.key));
            let mark = if is_done { "measured" } else { "open    " };
            writeln!(out, "{mark}  {}", describe(&cell.spec))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn write_tables(&self, recipe: &Recipe, outcomes: &[&Outcome]) -> anyhow::Result<()> {
        if outcomes.is_empty() {
            anstream::eprintln!("crossarc: there are no results yet, and so no tables");
            return Ok(());
        }
        let mut specs = recipe.tables.clone();
        if specs.is_empty() {
            specs = default_tables(outcomes);
        }
        specs.push(complete_table());
        let recipe_path = if self.recipe.is_absolute() {
            Path::new(self.recipe.file_name().unwrap_or_default())
        } else {
            &self.recipe
        };
        let mut page = vec![format!("# {}\n", recipe.title)];
        if !recipe.about.trim().is_empty() {
            page.push(format!("{}\n", recipe.about.trim()));
        }
        page.push(format!(
            "Made with crossarc {} by `crossarc compare --recipe {}`. Scores are percentages of \
             the test sets, all words and full labels; times are processor time on one core.\n",
            env!("CARGO_PKG_VERSION"),
            recipe_path.display(),
        ));
        for (at, spec) in specs.iter().enumerate() {
            let table = Table::build(spec, outcomes);
            page.push(table.to_markdown());
            self.write(&format!("{}.csv", table.name), &table.to_csv())?;
            self.write(&format!("{}.tex", table.name), &table.to_latex())?;
            if !self.quiet.quiet && at + 1 < specs.len() {
                anstream::println!("{}", table.to_text());
            }
        }
        self.write("tables.md", &page.join("\n"))
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.output.join(name);
        let write = || {
            let mut file = AtomicFile::create(&path)?;
            file.write_all(text.as_bytes())?;
            file.finish()
        };
        write().with_context(|| format!("cannot write {}", path.display()))
    }
}

/// `hu_szeged-ud swap/lazy rich beam 8 seed 1`
fn describe(spec: &Spec) -> String {
    let Spec { treebank, parser, oracle, features, beam, codec, seed, options } = spec;
    let mut parts = vec![format!("{treebank} {parser}/{oracle} {features}")];
    parts.extend((*beam > 1).then(|| format!("beam {beam}")));
    parts.extend((codec != "none").then(|| codec.clone()));
    parts.extend((*seed != 1).then(|| format!("seed {seed}")));
    parts.extend((!options.is_empty()).then(|| format!("({options})")));
    parts.join(" ")
}

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Tells how the grid goes.
struct Progress {
    quiet: bool,
    bar: ProgressBar,
    cells: usize,
    started: Instant,
    state: Mutex<Done>,
}

/// What is done, and how much work there is.
struct Done {
    cells: usize,
    weight: f64,
    all: f64,
}

impl Progress {
    fn new(quiet: bool, cells: usize, open: &[&Cell]) -> Progress {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(cells as u64) };
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} cells {wide_bar} {msg}") {
            bar.set_style(style);
        }
        let known = cells - open.len();
        bar.set_position(known as u64);
        let all = open.iter().map(|cell| cell.weight()).sum();
        let state = Mutex::new(Done { cells: known, weight: 0.0, all });
        let progress = Progress { quiet, bar, cells, started: Instant::now(), state };
        if known > 0 {
            progress.say(&format!("{known} of {cells} cells are measured already"));
        }
        progress
    }

    fn say(&self, line: &str) {
        if !self.quiet {
            self.bar.suspend(|| anstream::eprintln!("{line}"));
        }
    }

    /// `[3/10] what; 5 min left`
    fn finish(&self, cell: &Cell, what: &str) {
        let mut done = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        done.cells += 1;
        done.weight += cell.weight();
        let elapsed = self.started.elapsed().as_secs_f64();
        let left = elapsed * (done.all - done.weight).max(0.0) / done.weight.max(1.0);
        let left = time(Duration::from_secs_f64(left.min(1e9)));
        let all = self.cells;
        self.bar.set_position(done.cells as u64);
        self.bar.set_message(format!("about {left} left"));
        self.say(&format!(
            "[{}/{all}] {}: {what}; about {left} left",
            done.cells,
            describe(&cell.spec)
        ));
    }
}

/// `2 h 05 min`, `3 min 20 s`, `12 s`
fn time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        3600.. => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
        60.. => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{seconds} s"),
    }
}

impl GridObserver for Progress {
    fn begin(&self, _cell: &Cell) {
        self.bar.tick();
    }

    fn end_epoch(&self, cell: &Cell, summary: &EpochSummary) {
        let score = summary.dev.map_or(String::new(), |(_, las)| format!(", dev LAS {las:.2}"));
        let Spec { treebank, parser, .. } = &cell.spec;
        self.bar.set_message(format!("{treebank} {parser} epoch {}{score}", summary.epoch));
    }

    fn end(&self, cell: &Cell, outcome: &Outcome) {
        let percent =
            |score: Option<f64>| score.map_or("-".to_owned(), |score| format!("{score:.2}"));
        let figures = &outcome.figures;
        let seconds = figures.train_seconds.unwrap_or(0.0);
        let what = format!(
            "UAS {} LAS {}, trained in {seconds:.0} s",
            percent(figures.uas),
            percent(figures.las)
        );
        self.finish(cell, &what);
    }

    fn fail(&self, cell: &Cell, error: &CellError) {
        let line = format!("crossarc: {}: {error}", describe(&cell.spec));
        self.bar.suspend(|| anstream::eprintln!("{line}"));
        self.finish(cell, "failed");
    }

    fn should_stop(&self) -> bool {
        STOP.load(Ordering::Relaxed)
    }
}
