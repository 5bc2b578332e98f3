//! Jobs for several threads, and what became of them in the order of the jobs.
//!
//! Who holds a [`Pool`] gives it jobs while [`has_room`](Pool::has_room), and takes the outcomes one by
//! one. At most [`JOBS_PER_THREAD`] jobs per thread are under way, so memory is bounded by their size.
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Jobs under way per thread.
const JOBS_PER_THREAD: usize = 3;

/// Threads at work.
pub(super) struct Pool<J, D> {
    jobs: Option<Sender<(usize, J)>>,
    done: Receiver<(usize, thread::Result<D>)>,
    threads: Vec<JoinHandle<()>>,
    under_way: VecDeque<Option<D>>,
    delivered: usize,
}

/// What waiting for the next outcome gives.
pub(super) enum Waited<D> {
    /// The outcome of the oldest job.
    Done(D),
    /// No job is under way.
    Idle,
    /// The time is over, and the oldest job is not done.
    Late,
}

impl<J: Send + 'static, D: Send + 'static> Pool<J, D> {
    /// One thread for each worker.
    pub(super) fn new<W>(workers: impl IntoIterator<Item = W>) -> Pool<J, D>
    where
        W: FnMut(J) -> D + Send + 'static,
    {
        let (jobs, job_receiver) = channel::<(usize, J)>();
        let job_receiver = Arc::new(Mutex::new(job_receiver));
        let (sender, done) = channel();
        let threads = workers.into_iter().map(|mut worker| {
            let (job_receiver, sender) = (Arc::clone(&job_receiver), sender.clone());
            thread::spawn(move || {
                while let Some((number, job)) = next(&job_receiver) {
                    let work = std::panic::AssertUnwindSafe(|| worker(job));
                    let outcome = std::panic::catch_unwind(work);
                    let is_dead = outcome.is_err();
                    if sender.send((number, outcome)).is_err() || is_dead {
                        break;
                    }
                }
            })
        });
        Pool {
            threads: threads.collect(),
            jobs: Some(jobs),
            done,
            under_way: VecDeque::new(),
            delivered: 0,
        }
    }

    /// Whether another job should be given.
    pub(super) fn has_room(&self) -> bool {
        self.under_way.len() < self.threads.len() * JOBS_PER_THREAD
    }

    /// Gives a job to the threads.
    pub(super) fn push(&mut self, job: J) {
        if let Some(jobs) = &self.jobs {
            // A thread that is gone has sent its panic before.
            let _ = jobs.send((self.delivered + self.under_way.len(), job));
            self.under_way.push_back(None);
        }
    }

    /// Waits for the oldest job, at most for this time if there is one. A panic of a worker goes on here.
    pub(super) fn wait(&mut self, at_most: Option<Duration>) -> Waited<D> {
        loop {
            match self.under_way.front() {
                None => return Waited::Idle,
                Some(Some(_)) => {
                    self.delivered += 1;
                    if let Some(done) = self.under_way.pop_front().flatten() {
                        return Waited::Done(done);
                    }
                }
                Some(None) => {}
            }
            let received = match at_most {
                Some(time) => self.done.recv_timeout(time),
                None => self.done.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok((number, Ok(done))) => self.under_way[number - self.delivered] = Some(done),
                Ok((_, Err(panic))) => std::panic::resume_unwind(panic),
                Err(RecvTimeoutError::Timeout) => return Waited::Late,
                Err(RecvTimeoutError::Disconnected) => return Waited::Idle,
            }
        }
    }
}

fn next<J>(jobs: &Mutex<Receiver<(usize, J)>>) -> Option<(usize, J)> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

impl<J, D> Drop for Pool<J, D> {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // Its panic, if any, was told by `wait`.
            let _ = thread.join();
        }
    }
}
