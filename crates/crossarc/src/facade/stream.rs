//! Texts and treebanks of any size: sentences in order, worked on by all cores.
//!
//! Who asks for the next sentence reads the input; threads do the rest. At most a few parts of the
//! input per thread are under way, so memory does not depend on its size.
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use conll::Sentence;

use super::session::{Numbering, Session, SessionOptions};
use super::{Error, Result};
use crate::pipeline::Components;
use crossarc_text::tokenize::document::Block;

/// Parts of the input under way per thread.
const JOBS_PER_THREAD: usize = 3;
/// Sentences of a treebank in one part.
pub(super) const SENTENCES_A_JOB: usize = 32;

/// What may be chosen for a [`Stream`].
#[derive(Copy, Clone, Debug, Default)]
pub struct StreamOptions {
    /// What each thread does.
    pub session: SessionOptions,
    /// Number of threads; one for each core if nothing.
    pub threads: Option<usize>,
}

/// A part of the input.
pub(super) enum Job {
    Text(Block),
    Sentences(Vec<Result<Sentence>>),
}

/// What a part became: sentences, and for those of a text whether they begin a paragraph.
type Done = Vec<Result<(Sentence, Option<bool>)>>;
/// Gives the parts of the input one by one.
type Input = Box<dyn FnMut() -> Result<Option<Job>> + Send>;

/// The sentences of an input in order, one result for each. After an error of the input itself
/// there are no more.
pub struct Stream {
    input: Option<Input>,
    jobs: Option<Sender<(usize, Job)>>,
    done: Receiver<(usize, thread::Result<Done>)>,
    threads: Vec<JoinHandle<()>>,
    under_way: VecDeque<Option<Done>>,
    delivered: usize,
    ready: std::vec::IntoIter<Result<(Sentence, Option<bool>)>>,
    failed: Option<Error>,
    numbering: Numbering,
}

impl Stream {
    pub(super) fn new(
        components: &Arc<Components>,
        options: StreamOptions,
        input: Input,
    ) -> Stream {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let StreamOptions { session: options, threads } = options;
        let count = threads.unwrap_or_else(cores).max(1);
        let (jobs, job_receiver) = channel::<(usize, Job)>();
        let job_receiver = Arc::new(Mutex::new(job_receiver));
        let (sender, done) = channel();
        let threads = (0..count).map(|_| {
            let mut session = Session::new(components, options);
            let (job_receiver, sender) = (Arc::clone(&job_receiver), sender.clone());
            thread::spawn(move || {
                while let Some((number, job)) = next(&job_receiver) {
                    let work = std::panic::AssertUnwindSafe(|| work(&mut session, job));
                    let outcome = std::panic::catch_unwind(work);
                    let is_dead = outcome.is_err();
                    if sender.send((number, outcome)).is_err() || is_dead {
                        break;
                    }
                }
            })
        });
        Stream {
            input: Some(input),
            threads: threads.collect(),
            jobs: Some(jobs),
            done,
            under_way: VecDeque::new(),
            delivered: 0,
            ready: Vec::new().into_iter(),
            failed: None,
            numbering: Numbering::default(),
        }
    }

    /// Gives work to the threads until enough is under way.
    fn feed(&mut self) {
        while let (Some(input), Some(jobs)) = (&mut self.input, &self.jobs)
            && self.under_way.len() < self.threads.len() * JOBS_PER_THREAD
        {
            match input() {
                Ok(Some(job)) => {
                    // A thread that is gone has sent its panic before.
                    let _ = jobs.send((self.delivered + self.under_way.len(), job));
                    self.under_way.push_back(None);
                }
                Ok(None) => self.input = None,
                Err(error) => {
                    self.failed = Some(error);
                    self.input = None;
                }
            }
        }
    }
}

fn next(jobs: &Mutex<Receiver<(usize, Job)>>) -> Option<(usize, Job)> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn work(session: &mut Session, job: Job) -> Done {
    match job {
        Job::Text(block) => match session.block(&block) {
            Ok(found) => {
                found.into_iter().map(|(sentence, begins)| Ok((sentence, Some(begins)))).collect()
            }
            Err(error) => vec![Err(error)],
        },
        Job::Sentences(sentences) => sentences
            .into_iter()
            .map(|sentence| {
                let mut sentence = sentence?;
                session.annotate(&mut sentence)?;
                Ok((sentence, None))
            })
            .collect(),
    }
}

impl Iterator for Stream {
    type Item = Result<Sentence>;

    fn next(&mut self) -> Option<Result<Sentence>> {
        loop {
            if let Some(next) = self.ready.next() {
                return Some(next.map(|(mut sentence, begins)| {
                    if let Some(begins) = begins {
                        self.numbering.number(&mut sentence, begins);
                    }
                    sentence
                }));
            }
            self.feed();
            if let Some(Some(_)) = self.under_way.front() {
                self.delivered += 1;
                let done = self.under_way.pop_front().flatten().unwrap_or_default();
                self.ready = done.into_iter();
                continue;
            }
            if self.under_way.is_empty() {
                return self.failed.take().map(Err);
            }
            match self.done.recv() {
                Ok((number, Ok(done))) => self.under_way[number - self.delivered] = Some(done),
                Ok((_, Err(panic))) => std::panic::resume_unwind(panic),
                Err(_) => return None,
            }
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // Its panic, if any, was told by `next`.
            let _ = thread.join();
        }
    }
}
