//! Telling how a grid goes.
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossarc::train::EpochSummary;
use crossarc_lab::compare::cell::{Cell, CellError, Outcome, Spec};
use crossarc_lab::compare::grid::GridObserver;
use indicatif::{ProgressBar, ProgressStyle};

use crate::interrupt::STOP;

/// `hu_szeged-ud swap/lazy rich beam 8 seed 1`
pub fn describe(spec: &Spec) -> String {
    let Spec { treebank, parser, oracle, learner, features, beam, codec, .. } = spec;
    let Spec { with, size, tags, fold, seed, options, .. } = spec;
    let mut parts = vec![format!("{treebank} {parser}/{oracle} {features}")];
    parts.extend((learner != "perceptron").then(|| learner.clone()));
    parts.extend((*beam > 1).then(|| format!("beam {beam}")));
    parts.extend((codec != "none").then(|| codec.clone()));
    parts.extend((!with.is_empty()).then(|| format!("with {with}")));
    parts.extend(size.map(|size| format!("{size} sentences")));
    parts.extend((tags != "gold").then(|| format!("{tags} tags")));
    parts.extend((!fold.is_empty()).then(|| format!("fold {fold}")));
    parts.extend((*seed != 1).then(|| format!("seed {seed}")));
    parts.extend((!options.is_empty()).then(|| format!("({options})")));
    parts.join(" ")
}

/// Tells how the grid goes.
pub struct Progress {
    quiet: bool,
    pub bar: ProgressBar,
    cells: usize,
    started: Instant,
    state: Mutex<Done>,
}

/// What is done, and how much work there is.
struct Done {
    cells: usize,
    weight: f64,
    /// The weight of each cell that is still to be measured, by key.
    open: HashMap<String, f64>,
}

impl Progress {
    pub fn new(quiet: bool, cells: usize, open: &[&Cell]) -> Progress {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(cells as u64) };
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} cells {wide_bar} {msg}") {
            bar.set_style(style);
        }
        let known = cells - open.len();
        bar.set_position(known as u64);
        let keys = open.iter().map(|cell| cell.key.clone());
        let open = keys.zip(Cell::weights(open)).collect();
        let state = Mutex::new(Done { cells: known, weight: 0.0, open });
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
        done.weight += done.open.remove(&cell.key).unwrap_or(0.0);
        let elapsed = self.started.elapsed().as_secs_f64();
        let left = elapsed * done.open.values().sum::<f64>() / done.weight.max(1.0);
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
