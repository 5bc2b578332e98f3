//! All cells of a grid, several at a time, each on one thread.
//!
//! Cells side by side use the cores better than threads within a cell, and the processor time of
//! each is known.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use super::cell::{Cell, CellError, CellObserver, Outcome};
use super::results::{Results, ResultsError};
use super::trace::Trace;
use super::treebanks::Sentences;
use crossarc_train::observer::EpochSummary;

/// Watches a grid, and may end it.
pub trait GridObserver: Sync {
    /// A cell begins.
    fn begin(&self, _cell: &Cell) {}
    /// An epoch of a cell has ended.
    fn end_epoch(&self, _cell: &Cell, _summary: &EpochSummary) {}
    /// A cell has ended, and its result is on disk.
    fn end(&self, _cell: &Cell, _outcome: &Outcome) {}
    /// A cell has failed.
    fn fail(&self, _cell: &Cell, _error: &CellError) {}
    /// True if the grid should end now; cells under way are given up.
    fn should_stop(&self) -> bool {
        false
    }
}

/// Watches nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct Unobserved;
impl GridObserver for Unobserved {}

/// What became of the cells.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Were there before.
    pub known: usize,
    /// Have been measured now.
    pub measured: usize,
    /// Could not be measured.
    pub failed: usize,
}

struct OneCell<'a> {
    cell: &'a Cell,
    grid: &'a dyn GridObserver,
}

impl CellObserver for OneCell<'_> {
    fn end_epoch(&self, summary: &EpochSummary) {
        self.grid.end_epoch(self.cell, summary);
    }

    fn should_stop(&self) -> bool {
        self.grid.should_stop()
    }
}

/// Treebanks in memory, as long as somebody works with them.
#[derive(Default)]
struct Shelf(Mutex<BTreeMap<String, Weak<Sentences>>>);

impl Shelf {
    fn take(&self, cell: &Cell) -> Result<Arc<Sentences>, CellError> {
        let mut shelf = lock(&self.0);
        let key = cell.data();
        if let Some(sentences) = shelf.get(&key).and_then(Weak::upgrade) {
            return Ok(sentences);
        }
        let sentences = Arc::new(cell.sentences()?);
        shelf.insert(key, Arc::downgrade(&sentences));
        Ok(sentences)
    }
}

/// Puts cells with the same sentences one after the other, so that these are read and tagged once;
/// otherwise the order stays.
fn put_together(cells: &mut [&Cell]) {
    let mut first = BTreeMap::new();
    for (number, cell) in cells.iter().enumerate() {
        first.entry(cell.data()).or_insert(number);
    }
    cells.sort_by_key(|cell| first.get(&cell.data()));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many cells run at the same time.
#[derive(Copy, Clone, Debug)]
pub struct Budget {
    /// At most so many.
    pub jobs: usize,
    /// As long as they are thought to need no more bytes than this; one always runs.
    pub memory: u64,
}

/// Memory in use, and who waits for it.
struct Memory {
    all: u64,
    used: Mutex<(u64, usize)>,
    freed: Condvar,
}

impl Memory {
    fn take(&self, bytes: u64) {
        let mut used = lock(&self.used);
        while used.1 > 0 && used.0.saturating_add(bytes) > self.all {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        *used = (used.0.saturating_add(bytes), used.1 + 1);
    }

    fn give_back(&self, bytes: u64) {
        let mut used = lock(&self.used);
        *used = (used.0.saturating_sub(bytes), used.1.saturating_sub(1));
        self.freed.notify_all();
    }
}

/// Measures all cells that have no result yet, several at a time.
pub fn run(
    cells: &[Cell],
    results: &mut Results,
    budget: Budget,
    observer: &dyn GridObserver,
) -> Result<Tally, ResultsError> {
    let mut open: Vec<&Cell> = cells.iter().filter(|cell| !results.contains(&cell.key)).collect();
    put_together(&mut open);
    let tally = Tally { known: cells.len() - open.len(), ..Tally::default() };
    let next = AtomicUsize::new(0);
    let shelf = Shelf::default();
    let memory = Memory { all: budget.memory, used: Mutex::default(), freed: Condvar::new() };
    let shared = Mutex::new((results, tally, None));
    std::thread::scope(|scope| {
        for _ in 0..budget.jobs.clamp(1, open.len().max(1)) {
            scope.spawn(|| {
                let mut at_hand: Option<Arc<Sentences>> = None;
                while let Some(cell) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if observer.should_stop() || lock(&shared).2.is_some() {
                        break;
                    }
                    memory.take(cell.memory());
                    observer.begin(cell);
                    let outcome = measure(cell, &shelf, &mut at_hand, observer);
                    memory.give_back(cell.memory());
                    let mut shared = lock(&shared);
                    let (results, tally, broken) = &mut *shared;
                    match outcome {
                        Ok((outcome, trace)) => match results.append(&outcome, &trace) {
                            Ok(()) => {
                                tally.measured += 1;
                                observer.end(cell, &outcome);
                            }
                            Err(error) => *broken = Some(error),
                        },
                        Err(CellError::Interrupted) => break,
                        Err(error) => {
                            tally.failed += 1;
                            observer.fail(cell, &error);
                        }
                    }
                }
            });
        }
    });
    let (_, tally, broken) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    broken.map_or(Ok(tally), Err)
}

fn measure(
    cell: &Cell,
    shelf: &Shelf,
    at_hand: &mut Option<Arc<Sentences>>,
    grid: &dyn GridObserver,
) -> Result<(Outcome, Trace), CellError> {
    let sentences = shelf.take(cell)?;
    *at_hand = Some(Arc::clone(&sentences));
    let observer = OneCell { cell, grid };
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(|| cell.run(&sentences, &observer)),
        Err(_) => cell.run(&sentences, &observer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three threads want 6 of 10 each: never two at a time; one of 20 runs alone.
    #[test]
    fn memory_is_waited_for() {
        let memory = Memory { all: 10, used: Mutex::default(), freed: Condvar::new() };
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for bytes in [6, 6, 6, 20] {
                let (memory, running, most) = (&memory, &running, &most);
                scope.spawn(move || {
                    memory.take(bytes);
                    let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    std::thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                    memory.give_back(bytes);
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
        assert_eq!(*lock(&memory.used), (0, 0));
    }
}
