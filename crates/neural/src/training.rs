//! Training: batches of sentences of similar length, each cut into a fixed number of parts, whose
//! gradients are added in their order. The number of threads changes nothing.
use conll::Sentence;
use nn::adam::{Adam, NotANumber, Schedule};
use nn::seed::Rng;
use rayon::prelude::*;

use crate::inputs::{Encoded, Encoder, Vocabulary};
use crate::model::BiaffineModel;
use crate::network::{Gold, Gradients, Lesson, Memory, Network, Shape};
use crate::options::Options;
use crate::scorer::MOST_WORDS;

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
    let vocabulary = Vocabulary::of(sentences, options.inputs, options.least_count);
    let encoder = Encoder::new(options.inputs, vocabulary, options.buckets.max(1));
    let with_root = |numbers: &[u32]| [&[0], numbers].concat();
    let students: Vec<Student> = examples
        .par_iter()
        .map(|example| Student {
            encoded: encoder.encode(example.sentence, true),
            heads: with_root(&example.heads),
            labels: with_root(&example.labels),
        })
        .collect();
    let shape = Shape {
        embedding: options.embedding.max(1),
        hidden: options.hidden.max(1),
        arcs: options.arcs.max(1),
        labels: options.labels.max(1),
        label_count: labels.len(),
        rows: encoder.rows(),
    };
    let network = Network::new(shape, options.seed);
    let mut model = BiaffineModel { encoder, network, labels: labels.to_vec() };
    let steps: usize =
        (1..=options.epochs).map(|epoch| batches(&students, &options, epoch).len()).sum();
    let schedule = Schedule { rate: options.rate, steps, warm_up: WARM_UP, clip: options.clip };
    let mut adam = Adam::new(schedule, &model.network.parameters, &model.network.tables);
    let mut parts: Vec<(Memory, Gradients, f64)> =
        (0..PARTS).map(|_| (Memory::default(), model.network.gradients(), 0.0)).collect();
    let mut best = None;
    let mut step = 0;
    for epoch in 1..=options.epochs {
        let mut loss = 0.0;
        for batch in batches(&students, &options, epoch) {
            loss += study(&model.network, &students, &batch, (&options, step), &mut parts);
            let (first, rest) = parts.split_at_mut(1);
            let sum = &mut first[0].1;
            for (_, other, _) in rest {
                sum.dense.par_iter_mut().zip(&other.dense).for_each(|(sum, one)| *sum += one);
                sum.tables.iter_mut().zip(&mut other.tables).for_each(|(sum, one)| sum.take(one));
            }
            let Network { parameters, tables, .. } = &mut model.network;
            adam.step(parameters, &sum.dense, tables, &sum.tables)?;
            observer.studied(batch.len());
            step += 1;
        }
        let verdict = observer.epoch(epoch, loss / words as f64, &model);
        if verdict.best {
            best = Some(model.clone());
        }
        if verdict.stop {
            break;
        }
    }
    Ok(best.unwrap_or(model))
}

/// The loss of a batch; gradients stand in the parts.
fn study(
    network: &Network,
    students: &[Student],
    batch: &[usize],
    (options, step): (&Options, u64),
    parts: &mut [(Memory, Gradients, f64)],
) -> f64 {
    let words: usize = batch.iter().map(|&at| students[at].heads.len() - 1).sum();
    let lesson = Lesson {
        dropout: options.dropout,
        seed: options.seed,
        step,
        weight: 1.0 / words.max(1) as f32,
    };
    parts.par_iter_mut().enumerate().for_each(|(part, (memory, gradients, loss))| {
        let gold = |(number, &at): (usize, &usize)| {
            let Student { encoded, heads, labels } = &students[at];
            Gold { encoded, heads, labels, number: number as u64 }
        };
        let own: Vec<Gold<'_>> =
            batch.iter().enumerate().skip(part).step_by(PARTS).map(gold).collect();
        gradients.dense.fill(0.0);
        gradients.tables.iter_mut().for_each(nn::table::TableGradient::clear);
        *loss = network.study(&own, lesson, memory, gradients);
    });
    parts.iter().map(|(_, _, loss)| loss).sum::<f64>() * words as f64
}

/// The batches of an epoch, in a random order; sentences of a batch by length, longest first.
fn batches(students: &[Student], options: &Options, epoch: usize) -> Vec<Vec<usize>> {
    let rng = &mut Rng::fork(options.seed, 0, epoch as u64);
    let mut order: Vec<usize> = (0..students.len()).collect();
    rng.shuffle(&mut order);
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut rest = &order[..];
    while !rest.is_empty() {
        let mut words = 0;
        let most = POOL * options.batch_words.max(1);
        let fits = |&&at: &&usize| {
            words += students[at].heads.len();
            words <= most
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (pool, others) = rest.split_at(count);
        rest = others;
        let mut pool = pool.to_vec();
        pool.sort_by_key(|&at| std::cmp::Reverse(students[at].heads.len()));
        let mut batch = Vec::new();
        let mut words = 0;
        for at in pool {
            batch.push(at);
            words += students[at].heads.len() - 1;
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
