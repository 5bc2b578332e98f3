//! Training: epochs over shuffled batches of sentences, the best epoch kept.
//!
//! The sentences of a batch are studied in parallel with the same weights, and what they teach
//! is applied in their order: a run gives the same weights at any number of threads.
pub mod global;
pub mod hybrid;
pub(super) mod job;
pub mod learner;
pub mod learners;
pub mod local;
pub mod machines;
pub mod teacher;
pub mod updates;

use rayon::prelude::*;

use crate::system::TransitionSystem;
use crossarc_learn::features::Words;
use crossarc_train::TrainError;
use crossarc_train::course::EpochReport;
use crossarc_tree::seed::{Rng, Seed};
use learner::{Learner, Sitting};
pub use updates::{Trainee, Updates};

/// How the sentences of an epoch are gone through.
#[derive(Copy, Clone, Debug)]
pub struct Schedule {
    /// Sentences that are studied with the same weights.
    pub batch: usize,
    /// Shuffles and explores.
    pub seed: Seed,
}

/// Working memory of a lesson, which has that of its scorer.
pub trait HasContext<C> {
    /// The memory of the scorer.
    fn context(&mut self) -> &mut C;
}

/// Where some sentences of a batch are studied one after the other.
#[derive(Debug, Default)]
pub struct Place<C, N> {
    /// Working memory.
    pub memory: C,
    /// What should be changed.
    pub notes: N,
    /// What was decided.
    pub report: EpochReport,
}

/// Studies sentences once in random order. `study` gets the number of a sentence, a random stream of
/// its own and a place with memory. `progress` is told of every batch and may end the epoch.
pub fn epoch<S: TransitionSystem, L: Learner<S>, C: HasContext<L::Context> + Send>(
    model: &mut L,
    sentences: &[&Words],
    schedule: Schedule,
    number: usize,
    progress: &dyn Fn(usize) -> bool,
    memory: impl Fn() -> C,
    study: impl Fn(&L, usize, &mut Rng, &mut Place<C, L::Notes>) + Sync,
) -> Result<EpochReport, TrainError> {
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    schedule.seed.fork("shuffle", number as u64).rng().shuffle(&mut order);
    let exploration = schedule.seed.fork("exploration", number as u64);
    let size = schedule.batch.max(1);
    let count = model.places().unwrap_or(size).max(1);
    let new =
        || Place { memory: memory(), notes: L::Notes::default(), report: EpochReport::default() };
    let mut places: Vec<Place<C, L::Notes>> = std::iter::repeat_with(new).take(count).collect();
    let mut taken: Vec<L::Notes> = Vec::new();
    for batch in order.chunks(size) {
        let weights = &*model;
        let used = count.min(batch.len());
        places[..used].par_iter_mut().enumerate().for_each(|(at, place)| {
            let own = || batch.iter().copied().skip(at).step_by(count);
            let seed = |at| exploration.fork("dropout", at as u64).0;
            let sittings: Vec<Sitting<'_>> =
                own().map(|at| Sitting { words: sentences[at], seed: seed(at) }).collect();
            weights.open(&sittings, place.memory.context(), &mut place.notes);
            for (turn, at) in own().enumerate() {
                weights.turn_to(turn, sentences[at], place.memory.context());
                let mut rng = exploration.fork("sentence", at as u64).rng();
                study(weights, at, &mut rng, place);
            }
            weights.close(place.memory.context(), &mut place.notes);
        });
        taken.extend(places[..used].iter_mut().map(|place| std::mem::take(&mut place.notes)));
        model.apply(&mut taken)?;
        let empty = places[..used].iter_mut().zip(taken.drain(..));
        empty.for_each(|(place, notes)| place.notes = notes);
        if !progress(batch.len()) {
            break;
        }
    }
    let reports = places.iter().map(|place| place.report);
    Ok(reports.fold(EpochReport::default(), std::ops::Add::add))
}
