//! Many texts, each a document of its own, annotated by several threads.
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use conll::Sentence;

use super::pool::{Pool, Waited};
use super::session::Session;
use super::stream::StreamOptions;
use super::{Error, Result};
use crate::pipeline::Components;

/// Documents under way: texts go in, and their sentences come out in the order of the texts.
///
/// Whoever holds it gives texts while there [is room](Documents::has_room), so that memory is bounded,
/// and waits for what they become. A text that cannot be annotated is an error in its place and
/// nothing else; even a defect of the parser that it brings to light spoils no other text.
///
/// ```
/// # let word = |id, form, head, label, misc| format!("{id}\t{form}\t{form}\tX\t_\t_\t{head}\t{label}\t_\t{misc}\n");
/// # let text = word(1, "Birds", 2, "nsubj", "_") + &word(2, "sing", 0, "root", "SpaceAfter=No") + &word(3, ".", 2, "punct", "_") + "\n";
/// # let sentences = conll::read_str(&text.repeat(20), Default::default()).unwrap();
/// # let mut config = crossarc::pipeline::PipelineOptions::default();
/// # config.parser.epochs = 2;
/// # let pipeline = crossarc::train(&sentences, &[], &config).unwrap();
/// let mut documents = pipeline.documents(crossarc::StreamOptions::default());
/// documents.push(vec!["Birds sing.".to_owned(), "Birds sing. Birds sing.".to_owned()]);
/// let found = documents.wait(None).unwrap();
/// let lengths: Vec<usize> = found.into_iter().map(|done| done.unwrap().len()).collect();
/// assert_eq!(lengths, [1, 2]);
/// assert!(documents.is_idle());
/// ```
pub struct Documents {
    pool: Pool<Vec<String>, Vec<Result<Vec<Sentence>>>>,
    under_way: usize,
}

impl Documents {
    pub(super) fn new(components: &Arc<Components>, options: StreamOptions) -> Documents {
        let StreamOptions { session: options, threads } = options;
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let workers = (0..threads.unwrap_or_else(cores).max(1)).map(|_| {
            let components = Arc::clone(components);
            let mut session = None;
            move |texts: Vec<String>| {
                let one = |text: &String| {
                    let mut worker: Session =
                        session.take().unwrap_or_else(|| Session::new(&components, options));
                    let work = std::panic::AssertUnwindSafe(|| worker.parse(text));
                    let outcome = std::panic::catch_unwind(work);
                    if outcome.is_ok() {
                        session = Some(worker);
                    }
                    outcome.unwrap_or(Err(Error::Defect))
                };
                texts.iter().map(one).collect()
            }
        });
        Documents { pool: Pool::new(workers), under_way: 0 }
    }

    /// Whether the threads could do with more texts.
    pub fn has_room(&self) -> bool {
        self.pool.has_room()
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.under_way == 0
    }

    /// Gives some texts to one thread. Small texts should go together.
    pub fn push(&mut self, texts: Vec<String>) {
        self.under_way += 1;
        self.pool.push(texts);
    }

    /// What became of the oldest texts that were given together: one result for each. Nothing if none
    /// are under way, or if it takes longer than this time.
    pub fn wait(&mut self, at_most: Option<Duration>) -> Option<Vec<Result<Vec<Sentence>>>> {
        match self.pool.wait(at_most) {
            Waited::Done(done) => {
                self.under_way -= 1;
                Some(done)
            }
            Waited::Idle | Waited::Late => None,
        }
    }
}
