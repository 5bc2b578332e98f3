//! Training: batches of sentences of similar length, each cut into a fixed number of parts, whose
//! gradients are added in their order. The number of threads changes nothing, nor does an interruption:
//! after every epoch all that is needed to go on can be written down.
use conll::Sentence;
use nn::adam::{Adam, NotANumber, Schedule};
use nn::parameters::Parameters;
use nn::seed::Rng;
use nn::table::Table;
use rayon::prelude::*;

use crate::context::{ContextShape, LAYERS, Lesson};
use crate::inputs::{Encoded, Encoder, Vocabulary, columns_of};
use crate::model::BiaffineModel;
use crate::network::{Gold, Gradients, Memory, Network, Shape};
use crate::options::Options;
use crate::scorer::MOST_WORDS;
use crate::stored::{ReadError, Saved};

/// Parts of a batch.
const PARTS: usize = 2;
/// Batches among which sentences are sorted by length.
const POOL: usize = 10;
/// The share of the steps in which the rate rises.
const WARM_UP: f32 = 0.05;

/// A sentence with its tree: head and label of each word.
pub struct Example<'a> {
    /// The sentence, for its columns.
    pub sentence: &'a Sentence,
    /// The head of each word; 0 is the root.
    pub heads: Vec<u32>,
    /// The label of each word, by number.
    pub labels: Vec<u32>,
}

/// What is to be done after an epoch.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// The net is the best so far. If none ever is, the last one is kept.
    pub best: bool,
    /// Training should end.
    pub stop: bool,
}

/// Looks on while a net is trained.
pub trait Observer {
    /// So many sentences were studied.
    fn studied(&mut self, _sentences: usize) {}
    /// An epoch is over, with this mean loss of a word.
    fn epoch(&mut self, epoch: usize, loss: f64, model: &BiaffineModel) -> Verdict;
    /// Where training was interrupted, if it should go on from there.
    fn interrupted(&mut self) -> Option<Saved> {
        None
    }
    /// Where training stands after an epoch, to be kept against interruptions.
    fn keep(&mut self, _saved: &dyn Fn() -> Saved) {}
}

/// Why no net was trained.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TrainError {
    /// There is nothing to learn from.
    #[error("there is no sentence with a tree to learn from")]
    Nothing,
    /// A tree does not fit its sentence.
    #[error("sentence {sentence}: heads and labels do not fit its words")]
    Tree {
        /// The sentence, counted from one.
        sentence: usize,
    },
    /// A gradient is not a number.
    #[error(transparent)]
    NotANumber(#[from] NotANumber),
    /// What was kept of an interrupted training is of another one.
    #[error(transparent)]
    Saved(#[from] ReadError),
}

/// A net that learns from numbered examples.
pub trait Pupil: Sync {
    /// Working memory, one per thread.
    type Memory: Default + Send;

    /// Gradients that are zero.
    fn gradients(&self) -> Gradients;

    /// What is learned.
    fn weights(&mut self) -> (&mut Parameters, &mut [Table]);

    /// Adds to the gradients what examples teach, longest first, each with the number that names its
    /// random numbers; gives the loss.
    fn study(
        &self,
        batch: &[(usize, u64)],
        lesson: Lesson,
        memory: &mut Self::Memory,
        gradients: &mut Gradients,
    ) -> f64;
}

/// What happens while a net is trained.
pub enum Progress<'a, P> {
    /// So many examples were studied.
    Studied(usize),
    /// An epoch is over: its number, the mean loss of a word, the net.
    Epoch(usize, f64, &'a P),
    /// Where training stands after it.
    Standing(&'a dyn Fn() -> Saved),
}

/// Trains a net on examples of these lengths, or goes on with one. `watch` says after an epoch whether
/// training should end.
pub fn fit<P: Pupil>(
    pupil: &mut P,
    lengths: &[usize],
    options: &Options,
    from: Option<&Saved>,
    watch: &mut dyn FnMut(Progress<'_, P>) -> bool,
) -> Result<(), TrainError> {
    let words: usize = lengths.iter().sum();
    let steps = (1..=options.epochs).map(|epoch| batches(lengths, options, epoch).len()).sum();
    let schedule = Schedule { rate: options.rate, steps, warm_up: WARM_UP, clip: options.clip };
    let (parameters, tables) = pupil.weights();
    let mut adam = Adam::new(schedule, parameters, tables);
    if let Some(from) = from {
        from.restore(parameters, tables, &mut adam)?;
    }
    let done = from.map_or(0, |from| from.epoch);
    let mut parts: Vec<(P::Memory, Gradients, f64)> =
        (0..PARTS).map(|_| (P::Memory::default(), pupil.gradients(), 0.0)).collect();
    let mut step = adam.state().0 as u64;
    for epoch in done + 1..=options.epochs {
        let mut loss = 0.0;
        for batch in batches(lengths, options, epoch) {
            let words: usize = batch.iter().map(|&at| lengths[at]).sum();
            let lesson = Lesson {
                dropout: options.dropout,
                seed: options.seed,
                step,
                weight: 1.0 / words.max(1) as f32,
            };
            let looked_at = &*pupil;
            parts.par_iter_mut().enumerate().for_each(|(part, (memory, gradients, loss))| {
                let numbered = batch.iter().zip(0..).map(|(&at, number)| (at, number));
                let own: Vec<(usize, u64)> = numbered.skip(part).step_by(PARTS).collect();
                gradients.dense.fill(0.0);
                gradients.tables.iter_mut().for_each(nn::table::TableGradient::clear);
                *loss = looked_at.study(&own, lesson, memory, gradients);
            });
            loss += parts.iter().map(|(_, _, loss)| loss).sum::<f64>() * words as f64;
            let (first, rest) = parts.split_at_mut(1);
            let sum = &mut first[0].1;
            for (_, other, _) in rest {
                sum.dense.par_iter_mut().zip(&other.dense).for_each(|(sum, one)| *sum += one);
                sum.tables.iter_mut().zip(&mut other.tables).for_each(|(sum, one)| sum.take(one));
            }
            let (parameters, tables) = pupil.weights();
            adam.step(parameters, &sum.dense, tables, &sum.tables)?;
            watch(Progress::Studied(batch.len()));
            step += 1;
        }
        let stop = watch(Progress::Epoch(epoch, loss / words.max(1) as f64, pupil));
        let (parameters, tables) = pupil.weights();
        watch(Progress::Standing(&|| Saved::of(epoch, parameters, tables, &adam)));
        if stop {
            break;
        }
    }
    Ok(())
}

/// A sentence as it is studied.
struct Student {
    encoded: Encoded,
    heads: Vec<u32>,
    labels: Vec<u32>,
}

/// Trains a net. Sentences of more than [`MOST_WORDS`] words are left out.
pub fn train(
    options: &Options,
    examples: &[Example<'_>],
    labels: &[String],
    observer: &mut dyn Observer,
) -> Result<BiaffineModel, TrainError> {
    for (at, example) in examples.iter().enumerate() {
        let words = example.sentence.len();
        let fits = example.heads.len() == words
            && example.labels.len() == words
            && example.heads.iter().all(|&head| head as usize <= words)
            && (1..).zip(&example.heads).all(|(word, &head): (u32, _)| head != word)
            && example.labels.iter().all(|&label| (label as usize) < labels.len());
        if !fits {
            return Err(TrainError::Tree { sentence: at + 1 });
        }
    }
    let usable = |example: &&Example<'_>| (1..=MOST_WORDS).contains(&example.sentence.len());
    let examples: Vec<&Example<'_>> = examples.iter().filter(usable).collect();
    let words: usize = examples.iter().map(|example| example.sentence.len()).sum();
    if words == 0 {
        return Err(TrainError::Nothing);
    }
    let options = options.for_words(words);
    let sentences = examples.iter().map(|example| example.sentence);
    let vocabulary =
        Vocabulary::of(sentences.flat_map(columns_of), options.inputs, options.least_count);
    let outside = options.outside.clone();
    let encoder = Encoder::new(options.inputs, vocabulary, options.buckets.max(1), outside.clone());
    let with_root = |numbers: &[u32]| [&[0], numbers].concat();
    let sentences: Vec<&Sentence> = examples.iter().map(|example| example.sentence).collect();
    let students: Vec<Student> = examples
        .iter()
        .zip(encoder.encode_all(&sentences))
        .map(|(example, encoded)| Student {
            encoded,
            heads: with_root(&example.heads),
            labels: with_root(&example.labels),
        })
        .collect();
    let shape = Shape {
        context: ContextShape {
            embedding: options.embedding.max(1),
            layers: LAYERS,
            hidden: options.hidden.max(1),
            rows: encoder.rows(),
            vectors: outside.vector_width(),
            encoder: outside.encoder_shape(),
        },
        arcs: options.arcs.max(1),
        labels: options.labels.max(1),
        label_count: labels.len(),
    };
    let mut network = Network::new(shape, options.seed);
    network.context.vectors = outside.vectors;
    let model = BiaffineModel { encoder, network, labels: labels.to_vec() };
    let lengths: Vec<usize> = examples.iter().map(|example| example.sentence.len()).collect();
    let mut learning = Learning { model, students };
    let mut best = None;
    let from = observer.interrupted();
    fit(&mut learning, &lengths, &options, from.as_ref(), &mut |progress| match progress {
        Progress::Studied(sentences) => {
            observer.studied(sentences);
            false
        }
        Progress::Epoch(epoch, loss, Learning { model, .. }) => {
            let verdict = observer.epoch(epoch, loss, model);
            if verdict.best {
                best = Some(model.clone());
            }
            verdict.stop
        }
        Progress::Standing(saved) => {
            observer.keep(saved);
            false
        }
    })?;
    Ok(best.unwrap_or(learning.model))
}

/// A biaffine net at school.
struct Learning {
    model: BiaffineModel,
    students: Vec<Student>,
}

impl Pupil for Learning {
    type Memory = Memory;

    fn gradients(&self) -> Gradients {
        self.model.network.gradients()
    }

    fn weights(&mut self) -> (&mut Parameters, &mut [Table]) {
        let Network { parameters, context, .. } = &mut self.model.network;
        (parameters, &mut context.tables)
    }

    fn study(
        &self,
        batch: &[(usize, u64)],
        lesson: Lesson,
        memory: &mut Memory,
        gradients: &mut Gradients,
    ) -> f64 {
        let gold = |&(at, number): &(usize, u64)| {
            let Student { encoded, heads, labels } = &self.students[at];
            Gold { encoded, heads, labels, number }
        };
        let batch: Vec<Gold<'_>> = batch.iter().map(gold).collect();
        self.model.network.study(&batch, lesson, memory, gradients)
    }
}

/// The batches of an epoch, in a random order; sentences of a batch by length, longest first.
fn batches(lengths: &[usize], options: &Options, epoch: usize) -> Vec<Vec<usize>> {
    let rng = &mut Rng::fork(options.seed, 0, epoch as u64);
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    rng.shuffle(&mut order);
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut rest = &order[..];
    while !rest.is_empty() {
        let mut words = 0;
        let most = POOL * options.batch_words.max(1);
        let fits = |&&at: &&usize| {
            words += lengths[at] + 1;
            words <= most
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (pool, others) = rest.split_at(count);
        rest = others;
        let mut pool = pool.to_vec();
        pool.sort_by_key(|&at| std::cmp::Reverse(lengths[at]));
        let mut batch = Vec::new();
        let mut words = 0;
        for at in pool {
            batch.push(at);
            words += lengths[at];
            if words >= options.batch_words {
                found.push(std::mem::take(&mut batch));
                words = 0;
            }
        }
        if !batch.is_empty() {
            found.push(batch);
        }
    }
    rng.shuffle(&mut found);
    found
}
