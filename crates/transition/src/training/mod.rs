//! Training: epochs over shuffled batches of sentences, the best epoch kept.
//!
//! The sentences of a batch are studied in parallel with the same weights, and what they teach
//! is applied in their order: a run gives the same weights at any number of threads.
pub mod global;
pub(super) mod job;
pub mod local;
pub mod machines;
pub mod teacher;
pub mod updates;

use rayon::prelude::*;

use crossarc_train::course::EpochReport;
use crossarc_tree::seed::{Rng, Seed};
pub use updates::{Trainee, Updates};

/// How the sentences of an epoch are gone through.
#[derive(Copy, Clone, Debug)]
pub struct Schedule {
    /// Sentences that are studied with the same weights.
    pub batch: usize,
    /// Shuffles and explores.
    pub seed: Seed,
}

/// Studies `examples` sentences once in random order. `study` gets the number of a sentence, a
/// random stream of its own, working memory and a place for what should be changed. `progress`
/// is told of every batch and may end the epoch.
pub fn epoch<C: Default + Send>(
    model: &mut Trainee,
    examples: usize,
    schedule: Schedule,
    number: usize,
    progress: &dyn Fn(usize) -> bool,
    study: impl Fn(&Trainee, usize, &mut Rng, &mut C, &mut Updates) + Sync,
) -> EpochReport {
    let mut order: Vec<usize> = (0..examples).collect();
    schedule.seed.fork("shuffle", number as u64).rng().shuffle(&mut order);
    let exploration = schedule.seed.fork("exploration", number as u64);
    let mut places: Vec<(C, Updates)> = Vec::new();
    places.resize_with(schedule.batch.max(1), Default::default);
    let mut report = EpochReport::default();
    for batch in order.chunks(schedule.batch.max(1)) {
        let weights = &*model;
        places[..batch.len()].par_iter_mut().zip(batch).for_each(|((scratch, updates), &at)| {
            updates.clear();
            let mut rng = exploration.fork("sentence", at as u64).rng();
            study(weights, at, &mut rng, scratch, updates);
        });
        for (_, updates) in &places[..batch.len()] {
            report.decisions += updates.decisions;
            report.changes += updates.corrected();
            updates.apply(model);
        }
        if !progress(batch.len()) {
            break;
        }
    }
    report
}
