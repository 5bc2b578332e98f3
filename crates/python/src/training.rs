//! Training from Python: progress as events, Ctrl-C keeps the best model.
//!
//! Training runs on threads of its own. The thread that asked for it passes events on to Python and looks
//! for Ctrl-C; the first one asks training to end with the best model so far, the second one gives up.
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use conll::ReadOptions;
use crossarc::pipeline::{self, Parts, PipelineOptions};
use crossarc::train::{Choices, EpochSummary, Observer, Plan, TrainError};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;

use crate::errors::{Raise, interrupted, raised, training};
use crate::pipe::PATIENCE;
use crate::pipeline::Pipeline;
use crate::treebanks::treebank_of;

/// What is told about training.
enum Event {
    Said(String),
    Begins { sentences: usize },
    EpochBegins,
    Studied(usize),
    EpochEnds { epoch: usize, scores: Option<(f64, f64)>, best: bool },
}

/// Passes on what happens.
struct Watcher {
    events: Mutex<Sender<Event>>,
    stop: Arc<AtomicBool>,
}

impl Watcher {
    fn tell(&self, event: Event) {
        // Nobody listens any more after the second Ctrl-C.
        let _ = self.events.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }
}

impl Observer for Watcher {
    fn part(&self, name: &str) {
        self.tell(Event::Said(format!("{name}:")));
    }

    fn begin(&self, plan: &Plan) {
        let Plan { sentences, words, labels, runs, .. } = plan;
        self.tell(Event::Said(format!("{sentences} sentences, {words} words, {labels} labels")));
        self.tell(Event::Begins { sentences: sentences * runs });
    }

    fn begin_epoch(&self, _epoch: usize) {
        self.tell(Event::EpochBegins);
    }

    fn studied(&self, sentences: usize) {
        self.tell(Event::Studied(sentences));
    }

    fn end_epoch(&self, summary: &EpochSummary) {
        let EpochSummary { epoch, dev, best, .. } = *summary;
        self.tell(Event::EpochEnds { epoch, scores: dev, best });
    }

    fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl pipeline::Observer for Watcher {
    fn say(&self, line: &str) {
        self.tell(Event::Said(line.to_owned()));
    }
}

/// Passes an event on to Python.
fn pass_on(progress: &Bound<'_, PyAny>, event: Event) -> PyResult<()> {
    match event {
        Event::Said(line) => progress.call_method1("say", (line,)),
        Event::Begins { sentences } => progress.call_method1("begin", (sentences,)),
        Event::EpochBegins => progress.call_method0("begin_epoch"),
        Event::Studied(sentences) => progress.call_method1("studied", (sentences,)),
        Event::EpochEnds { epoch, scores, best } => {
            progress.call_method1("end_epoch", (epoch, scores, best))
        }
    }?;
    Ok(())
}

/// A model file, or why there is none.
enum Outcome {
    Trained(Vec<u8>),
    Failed(crossarc::Error),
    Stopped,
}

impl From<pipeline::PipelineError> for Outcome {
    fn from(error: pipeline::PipelineError) -> Outcome {
        match error {
            pipeline::PipelineError::Train(
                TrainError::Stopped | TrainError::CombinationStopped,
            ) => Outcome::Stopped,
            error => Outcome::Failed(error.into()),
        }
    }
}

/// Trains a pipeline, or a parser alone.
#[pyfunction]
#[pyo3(signature = (train, dev, options, whole, note, threads, names, progress))]
#[allow(clippy::too_many_arguments, reason = "they are the arguments of the function in Python")]
pub(crate) fn _train(
    py: Python<'_>,
    train: &Bound<'_, PyAny>,
    dev: Option<&Bound<'_, PyAny>>,
    options: &str,
    whole: bool,
    note: String,
    threads: Option<usize>,
    names: (Vec<String>, Vec<String>),
    progress: &Bound<'_, PyAny>,
) -> PyResult<Pipeline> {
    let mut choices: Choices = serde_json::from_str(options)
        .map_err(|error| PyTypeError::new_err(format!("an option of training: {error}")))?;
    let reading = ReadOptions { need_tree: true, ..ReadOptions::default() };
    // Wrong options are told before files are read.
    pipeline::parser_options(&choices, whole, Path::new(""))
        .map_err(|error| training(py, &error.to_string()))?;
    let sentences = treebank_of(train, reading)?;
    let dev = dev.map_or(Ok(Vec::new()), |dev| treebank_of(dev, reading))?;
    if whole && choices.leaves_parser_open() && pipeline::has_many_crossing_arcs(&sentences) {
        choices.parser = Some(pipeline::PARSER_FOR_CROSSING_ARCS.to_owned());
    }
    let parser = pipeline::parser_options(&choices, whole, Path::new(""))
        .map_err(|error| training(py, &error.to_string()))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let (sender, mut events) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let watcher = Watcher { events: Mutex::new(sender), stop: Arc::clone(&stop) };
    let work = move || {
        let mut options = PipelineOptions::new(parser);
        let mut parts = Parts::default();
        parts.header.train = names.0;
        parts.header.dev = names.1;
        parts.header.note = note;
        if whole {
            if let Some(bytes) = choices.most_bytes() {
                options.limit(bytes);
            }
        } else {
            options.components = vec![pipeline::Component::Parser];
            options.cross_fit = None;
        }
        match pipeline::train(&options, parts, &sentences, &dev, &watcher) {
            Ok(parts) => Outcome::Trained(parts.to_bytes()),
            Err(error) => error.into(),
        }
    };
    let trainer = thread::spawn(move || pool.install(work));
    loop {
        let waiting = &mut events;
        let told = match py.detach(move || waiting.recv_timeout(PATIENCE)) {
            Ok(event) => pass_on(progress, event),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        // Ctrl-C may come while Python is told something, or while we wait.
        if let Err(error) = told.and_then(|()| py.check_signals()) {
            let first = !stop.swap(true, Ordering::Relaxed);
            if !first || !error.is_instance_of::<PyKeyboardInterrupt>(py) {
                return Err(error);
            }
            progress.call_method1("say", ("stopping with the best model so far",))?;
        }
    }
    let outcome = py.detach(|| trainer.join());
    progress.call_method0("close")?;
    match outcome {
        Ok(Outcome::Trained(bytes)) => {
            Ok(Pipeline::new(crossarc::Pipeline::from_bytes(bytes).raise(py)?, None))
        }
        Ok(Outcome::Failed(error)) => Err(raised(py, &error)),
        Ok(Outcome::Stopped) => Err(interrupted("training was stopped before there was a model")),
        Err(_) => Err(PyRuntimeError::new_err("training panicked, which is a defect")),
    }
}
