//! Texts and treebanks of any size: sentences in order, worked on by all cores.
//!
//! Who asks for the next sentence reads the input; threads do the rest. At most a few parts of the
//! input per thread are under way, so memory does not depend on its size.
use std::sync::Arc;
use std::thread;

use conll::Sentence;

use super::pool::{Pool, Waited};
use super::session::{Numbering, Session, SessionOptions};
use super::{Error, Result};
use crate::pipeline::Components;
use crossarc_text::tokenize::document::Block;

/// Sentences of a treebank in one part.
pub(super) const SENTENCES_A_JOB: usize = 32;

/// What may be chosen for a [`Stream`].
///
/// ```
/// let session = crossarc::SessionOptions { scores: true, ..Default::default() };
/// let options = crossarc::StreamOptions { session, threads: Some(2) };
/// assert!(options.session.scores);
/// ```
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
///
/// ```
/// # let text = "1\tBirds\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsing\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = conll::read_str(text, conll::ReadOptions::default())?;
/// # let options = crossarc::pipeline::PipelineOptions {
/// #     components: vec![crossarc::pipeline::Component::Parser], cross_fit: None, ..Default::default()
/// # };
/// # let pipeline = crossarc::train(&treebank, &[], &options)?;
/// let text = "1\tBirds\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n".repeat(100);
/// let reader = conll::Reader::from_bytes("birds", text, conll::ReadOptions::default())?;
/// let options = crossarc::StreamOptions { threads: Some(2), ..Default::default() };
/// for sentence in pipeline.stream_treebank(reader, options) {
///     assert_eq!(sentence?.word(1).head(), Some(0));
/// }
/// # Ok::<(), crossarc::Error>(())
/// ```
pub struct Stream {
    input: Option<Input>,
    pool: Pool<Job, Done>,
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
        let workers = (0..count).map(|_| {
            let mut session = Session::new(components, options);
            move |job| work(&mut session, job)
        });
        Stream {
            input: Some(input),
            pool: Pool::new(workers),
            ready: Vec::new().into_iter(),
            failed: None,
            numbering: Numbering::default(),
        }
    }

    /// Gives work to the threads until enough is under way.
    fn feed(&mut self) {
        while let Some(input) = &mut self.input
            && self.pool.has_room()
        {
            match input() {
                Ok(Some(job)) => self.pool.push(job),
                Ok(None) => self.input = None,
                Err(error) => {
                    self.failed = Some(error);
                    self.input = None;
                }
            }
        }
    }
}

fn work(session: &mut Session, job: Job) -> Done {
    match job {
        Job::Text(block) => match session.block(&block) {
            Ok(found) => {
                found.into_iter().map(|(sentence, begins)| Ok((sentence, Some(begins)))).collect()
            }
            Err(error) => vec![Err(error)],
        },
        Job::Sentences(read) => {
            let mut sentences = Vec::with_capacity(read.len());
            let keep = |one: Result<Sentence>| one.map(|sentence| sentences.push(sentence));
            let read: Vec<Result<()>> = read.into_iter().map(keep).collect();
            let outcomes = session.annotate_all(&mut sentences);
            let mut annotated = outcomes.into_iter().zip(sentences);
            let next = |one: Result<()>| match one {
                Ok(()) => annotated.next().map(|(outcome, sentence)| {
                    outcome?;
                    Ok((sentence, None))
                }),
                Err(error) => Some(Err(error)),
            };
            read.into_iter().filter_map(next).collect()
        }
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
            match self.pool.wait(None) {
                Waited::Done(done) => self.ready = done.into_iter(),
                Waited::Idle | Waited::Late => return self.failed.take().map(Err),
            }
        }
    }
}
