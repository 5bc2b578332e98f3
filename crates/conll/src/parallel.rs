//! Reading and working on several threads, with the results in input order.
//!
//! One thread cuts the input at blank lines into chunks, the workers parse the chunks and do the work,
//! and the calling thread takes the results in order, also while the input pauses. At most a few
//! chunks per thread are under way, so memory does not depend on the size of the file.
//!
//! ```
//! use conll::parallel::{Item, map_ordered};
//! let text = "1\thi\t_\t_\t_\t_\t0\troot\t_\t_\n\n".repeat(1000);
//! let mut reader = conll::Reader::from_bytes("example", text.as_str(), Default::default())?;
//! let mut copy = Vec::new();
//! let work = |_worker: &mut (), item: Item<'_>, out: &mut Vec<u8>| match item {
//!     Item::Sentence(sentence) => sentence.write_to(out).unwrap(),
//!     Item::Rejected { error, .. } => panic!("{error}"),
//! };
//! map_ordered(&mut reader, 2, || (), work, |out| -> Result<(), conll::Error> {
//!     copy.extend(out);
//!     Ok(())
//! })?;
//! assert_eq!(copy, text.as_bytes());
//! # Ok::<(), conll::Error>(())
//! ```
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use crate::blocks::{Blocks, Chunk};
use crate::error::{Error, Fault};
use crate::parser::Parser;
use crate::reader::Reader;
use crate::sentence::Sentence;

/// Chunks under way per thread: one in work, and others ready so that nobody waits.
const CHUNKS_PER_THREAD: usize = 3;

/// A sentence, or one that was refused.
pub enum Item<'a> {
    /// A good sentence.
    Sentence(&'a mut Sentence),
    /// A bad one.
    Rejected {
        /// The first fault.
        error: Error,
        /// All faults.
        faults: &'a [Fault],
        /// Its lines, untouched, without the blank line; empty if it was over the limit of bytes.
        text: &'a [u8],
    },
}

/// Hands every sentence of the reader to `work` on `threads` threads, each with a worker of its
/// own. `work` adds to an output that starts as the default and holds a run of consecutive
/// sentences; `sink` gets the outputs in input order, on the calling thread. Ends at the end of the
/// input, or early with the first error of the input or of `sink`.
///
/// The reader's warnings are complete afterwards.
pub fn map_ordered<Worker, Output, Failure>(
    reader: &mut Reader,
    threads: usize,
    make_worker: impl Fn() -> Worker + Sync,
    work: impl Fn(&mut Worker, Item<'_>, &mut Output) + Sync,
    sink: impl FnMut(Output) -> Result<(), Failure>,
) -> Result<(), Failure>
where
    Output: Default + Send,
    Failure: From<Error>,
{
    map_ordered_runs(reader, threads, make_worker, work, |_, _| (), sink)
}

/// As [`map_ordered`], for work that looks at several sentences at once: `end` is told when a run of
/// sentences is over, and adds to its output what `work` has put off.
pub fn map_ordered_runs<Worker, Output, Failure>(
    reader: &mut Reader,
    threads: usize,
    make_worker: impl Fn() -> Worker + Sync,
    work: impl Fn(&mut Worker, Item<'_>, &mut Output) + Sync,
    end: impl Fn(&mut Worker, &mut Output) + Sync,
    mut sink: impl FnMut(Output) -> Result<(), Failure>,
) -> Result<(), Failure>
where
    Output: Default + Send,
    Failure: From<Error>,
{
    let mut parser = reader.parser.clone();
    parser.warnings.clear();
    let mut warnings = Vec::new();
    let outcome = map_jobs(
        threads,
        || reader.next_chunk(),
        || (make_worker(), parser.clone(), Sentence::default()),
        |(worker, parser, sentence), chunk| {
            let mut output = Output::default();
            run(chunk, parser, sentence, |item| work(worker, item, &mut output));
            end(worker, &mut output);
            (output, std::mem::take(&mut parser.warnings))
        },
        |(output, mut found)| {
            warnings.append(&mut found);
            sink(output)
        },
    );
    reader.merge_warnings(&warnings);
    outcome
}

/// Hands every job that `next` gives to `work` on `threads` threads, each with a worker of its own;
/// `sink` gets the outputs in the order of the jobs, on the calling thread, and does not wait for
/// `next`. At most a few jobs per thread are under way. Ends when there is no job left, or early with
/// the first error of `next` or `sink`.
///
/// ```
/// let mut numbers = 0..100;
/// let mut squares = Vec::new();
/// conll::parallel::map_jobs(
///     2,
///     || Ok::<_, ()>(numbers.next()),
///     || (),
///     |(), number| number * number,
///     |square| Ok::<_, ()>(squares.push(square)),
/// )?;
/// assert_eq!(squares[..4], [0, 1, 4, 9]);
/// # Ok::<(), ()>(())
/// ```
pub fn map_jobs<Job, Worker, Output, Trouble, Failure>(
    threads: usize,
    mut next: impl FnMut() -> Result<Option<Job>, Trouble> + Send,
    make_worker: impl Fn() -> Worker + Sync,
    work: impl Fn(&mut Worker, Job) -> Output + Sync,
    mut sink: impl FnMut(Output) -> Result<(), Failure>,
) -> Result<(), Failure>
where
    Job: Send,
    Output: Send,
    Trouble: Send,
    Failure: From<Trouble>,
{
    if threads <= 1 {
        let mut worker = make_worker();
        while let Some(job) = next()? {
            sink(work(&mut worker, job))?;
        }
        return Ok(());
    }
    let (job_sender, job_receiver) = channel::<(usize, Job)>();
    let job_receiver = Mutex::new(job_receiver);
    let (sender, receiver) = channel();
    let gate = Gate { most: threads * CHUNKS_PER_THREAD, ..Gate::default() };
    thread::scope(|scope| {
        for _ in 0..threads {
            let sender = Alarm(sender.clone());
            let (job_receiver, make_worker, work) = (&job_receiver, &make_worker, &work);
            scope.spawn(move || {
                let mut worker = make_worker();
                while let Some((number, job)) = next_job(job_receiver) {
                    if sender.0.send(Message::Done(number, work(&mut worker, job))).is_err() {
                        break;
                    }
                }
            });
        }
        let (sender, gate) = (Alarm(sender), &gate);
        scope.spawn(move || {
            for number in 0.. {
                if !gate.enter() {
                    return;
                }
                let failed = match next() {
                    Ok(Some(job)) => {
                        if job_sender.send((number, job)).is_ok() {
                            continue;
                        }
                        None
                    }
                    Ok(None) => None,
                    Err(error) => Some(error),
                };
                // Nobody listens any more if this fails.
                let _ = sender.0.send(Message::End(number, failed));
                return;
            }
        });
        let outcome = deliver(&receiver, gate, &mut sink);
        gate.close();
        outcome
    })
}

/// Lets no more jobs be under way than there may be.
#[derive(Default)]
struct Gate {
    most: usize,
    under_way: Mutex<usize>,
    changed: Condvar,
    closed: AtomicBool,
}

impl Gate {
    /// Waits for a place; false if no more are wanted.
    fn enter(&self) -> bool {
        let under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        let full =
            |under_way: &mut usize| *under_way >= self.most && !self.closed.load(Ordering::Relaxed);
        let waited = self.changed.wait_while(under_way, full);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        !self.closed.load(Ordering::Relaxed)
    }

    fn leave(&self) {
        *self.under_way.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.changed.notify_one();
    }

    fn close(&self) {
        // With the lock, so that nobody misses it between looking and waiting.
        let _guard = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        self.closed.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }
}

enum Message<Output, Trouble> {
    Done(usize, Output),
    /// There were so many jobs, and an error behind them perhaps.
    End(usize, Option<Trouble>),
    /// A thread panicked; its chunk will never come.
    Dead,
}

/// Tells that a thread panicked, so that nobody waits for it.
struct Alarm<Output, Trouble>(Sender<Message<Output, Trouble>>);

impl<Output, Trouble> Drop for Alarm<Output, Trouble> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Message::Dead);
        }
    }
}

fn next_job<Job>(jobs: &Mutex<Receiver<(usize, Job)>>) -> Option<(usize, Job)> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// Hands the outputs of the workers on in order.
fn deliver<Output, Trouble, Failure: From<Trouble>>(
    done: &Receiver<Message<Output, Trouble>>,
    gate: &Gate,
    sink: &mut impl FnMut(Output) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut end = None;
    let mut waiting: VecDeque<Option<Output>> = VecDeque::new();
    let mut delivered = 0;
    loop {
        if let Some((jobs, failed)) = &mut end
            && delivered == *jobs
        {
            return Option::take(failed).map_or(Ok(()), |error: Trouble| Err(error.into()));
        }
        match done.recv() {
            Ok(Message::Done(number, output)) => {
                let at: usize = number - delivered;
                if waiting.len() <= at {
                    waiting.resize_with(at + 1, || None);
                }
                waiting[at] = Some(output);
            }
            Ok(Message::End(jobs, failed)) => end = Some((jobs, failed)),
            Ok(Message::Dead) | Err(_) => return Ok(()),
        }
        while let Some(Some(_)) = waiting.front() {
            if let Some(Some(output)) = waiting.pop_front() {
                delivered += 1;
                gate.leave();
                sink(output)?;
            }
        }
    }
}

/// Parses the sentences of a chunk.
fn run(chunk: Chunk, parser: &mut Parser, sentence: &mut Sentence, mut each: impl FnMut(Item<'_>)) {
    let mut blocks = Blocks::of_chunk(chunk, parser.options.limits.sentence_bytes);
    // Memory does not fail to be read.
    while let Ok(Some(block)) = blocks.next() {
        if parser.parse(block, sentence) {
            each(Item::Sentence(sentence));
        } else {
            let error = Error::Fault(Box::new(parser.faults[0].clone()));
            each(Item::Rejected { error, faults: &parser.faults, text: block.bytes });
        }
    }
    parser.warn_about_the_end(&blocks);
}
