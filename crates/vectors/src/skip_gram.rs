//! Skip-gram with negative sampling.
//!
//! A text is cut into stretches, which are studied in a random order, a fixed number of them at a time. Each
//! of these parts goes through its stretch with copies of the rows that it touches, by steps of plain
//! stochastic gradient descent; then the changes of the parts are added to the rows in the order of the
//! parts, their mean where several have changed a row (Zinkevich, Weimer, Smola and Li 2010). So the number of
//! threads changes nothing. The vector of a word is computed once for all words
//! around it, which is where most of the time goes that others spend on n-grams.
use std::io;

use nn::seed::Rng;
use pulp::Arch;
use rayon::prelude::*;

use crate::WordVectors;
use crate::corpus::{BREAK, Corpus, UNKNOWN};
use crate::letters::{bucket, n_grams};

/// Parts that are studied at a time.
const PARTS: usize = 4;
/// Words of a stretch.
const STRETCH: usize = 256;
/// Places of the table that negative words are drawn from.
const DRAWN: usize = 1 << 20;
/// How far frequent words are drawn less often than they are: the power of their count.
const FLATTEN: f64 = 0.75;
/// Lengths of n-grams in letters.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=6;
/// Numbers that are summed side by side, for vector instructions.
const LANES: usize = 16;
/// The widest vectors.
const MOST_WIDTH: usize = 1024;

/// What may be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Numbers of a vector.
    pub width: usize,
    /// Times that the text is studied.
    pub epochs: usize,
    /// Words on either side at most.
    pub window: usize,
    /// Words drawn at random against each right one.
    pub negatives: usize,
    /// Words seen less often get no vector.
    pub least_count: u64,
    /// Words with a larger share of the text are passed over now and then.
    pub frequent: f64,
    /// Rows for n-grams; none if zero.
    pub buckets: usize,
    /// The length of the first steps; they shrink to nothing.
    pub rate: f32,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            width: 100,
            epochs: 5,
            window: 5,
            negatives: 5,
            least_count: 5,
            frequent: 1e-4,
            buckets: 1 << 18,
            rate: 0.05,
            seed: 1,
        }
    }
}

/// How far learning has come.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Progress {
    /// The share of the work that is done.
    pub done: f64,
    /// Words that have a vector.
    pub words: usize,
}

/// Why nothing was learned.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// No word is frequent enough.
    #[error("no word stands {least} times in the text: give more text, or --least-count 1")]
    NoWord {
        /// How often it should.
        least: u64,
    },
    /// A number that makes no sense.
    #[error("{0}")]
    Option(String),
    /// Weights are no numbers any more.
    #[error("the vectors have grown beyond all numbers: take a smaller --rate")]
    Diverged,
    /// Learning was ended from outside.
    #[error(transparent)]
    Interrupted(#[from] io::Error),
}

/// The rows of a matrix as a part sees them: its own copies of those that it has touched.
#[derive(Clone, Debug)]
struct Copies {
    /// For each row the place of its copy, counted from 1.
    place: Vec<u32>,
    rows: Vec<u32>,
    numbers: Vec<f32>,
}

impl Copies {
    fn new(rows: usize) -> Copies {
        Copies { place: vec![0; rows], rows: Vec::new(), numbers: Vec::new() }
    }

    /// Where the copy of a row begins.
    fn start(&mut self, row: u32, shared: &[f32], width: usize) -> usize {
        let place = &mut self.place[row as usize];
        if *place == 0 {
            self.rows.push(row);
            *place = self.rows.len() as u32;
            let start = row as usize * width;
            self.numbers.extend_from_slice(&shared[start..start + width]);
        }
        (*place as usize - 1) * width
    }

    /// Turns copies into changes.
    fn subtract(&mut self, shared: &[f32], width: usize) {
        for (&row, copy) in self.rows.iter().zip(self.numbers.chunks_exact_mut(width)) {
            let start = row as usize * width;
            copy.iter_mut().zip(&shared[start..start + width]).for_each(|(new, old)| *new -= old);
        }
    }

    /// Adds the changes to the rows, each its share, and forgets them.
    fn give(&mut self, shared: &mut [f32], width: usize, touched: &[u8]) {
        for (&row, change) in self.rows.iter().zip(self.numbers.chunks_exact(width)) {
            let start = row as usize * width;
            let share = 1.0 / f32::from(touched[row as usize]);
            add(&mut shared[start..start + width], share, change);
            self.place[row as usize] = 0;
        }
        self.rows.clear();
        self.numbers.clear();
    }
}

/// Adds up what parts have changed. A row that several have changed moves by the mean of their changes, as
/// each of them went all the way; `touched` holds zeros, and does so again.
fn merge(parts: Vec<&mut Copies>, shared: &mut [f32], width: usize, touched: &mut [u8]) {
    let rows: Vec<u32> = parts.iter().flat_map(|copies| copies.rows.iter().copied()).collect();
    for &row in &rows {
        touched[row as usize] += 1;
    }
    for copies in parts {
        copies.give(shared, width, touched);
    }
    for row in rows {
        touched[row as usize] = 0;
    }
}

/// What one part needs.
struct Part {
    input: Copies,
    output: Copies,
    /// Words of the stretch that are not passed over.
    kept: Vec<u32>,
    /// The mean of the rows of a word, and what it should be changed by.
    mean: Vec<f32>,
    change: Vec<f32>,
    /// Right and wrong words, places of their rows, and their scores.
    targets: Vec<(u32, f32)>,
    places: Vec<usize>,
    scores: Vec<f32>,
}

/// What stays the same while learning.
struct Course<'o> {
    options: &'o Options,
    corpus: Corpus,
    /// Rows of each word: its own, and those of its n-grams.
    rows: Vec<u32>,
    starts: Vec<usize>,
    /// The chance of each word to be studied.
    keep: Vec<f32>,
    drawn: Vec<u32>,
    /// The vector instructions of the machine.
    instructions: Arch,
}

/// The scalar product, the same with any vector instructions.
#[allow(clippy::inline_always, reason = "vector instructions need it")]
#[inline(always)]
fn product(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let (wide_a, wide_b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = wide_a.remainder().iter().zip(wide_b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in wide_a.zip(wide_b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[allow(clippy::inline_always, reason = "vector instructions need it")]
#[inline(always)]
fn add(sum: &mut [f32], factor: f32, one: &[f32]) {
    sum.iter_mut().zip(one).for_each(|(sum, one)| *sum += factor * one);
}

impl Course<'_> {
    fn new(corpus: Corpus, options: &Options) -> Course<'_> {
        let words = corpus.words.len();
        let (mut rows, mut starts) = (Vec::new(), vec![0]);
        for (number, word) in corpus.words.iter().enumerate() {
            rows.push(number as u32);
            if options.buckets > 0 {
                n_grams(word, LENGTHS, |n_gram| {
                    rows.push((words + bucket(n_gram, options.buckets)) as u32);
                });
            }
            starts.push(rows.len());
        }
        let all: u64 = corpus.counts.iter().sum();
        let keep = |&count: &u64| {
            let share = count as f64 / all.max(1) as f64;
            ((options.frequent / share).sqrt() + options.frequent / share) as f32
        };
        let keep = corpus.counts.iter().map(keep).collect();
        let flat: Vec<f64> =
            corpus.counts.iter().map(|&count| (count as f64).powf(FLATTEN)).collect();
        let total: f64 = flat.iter().sum();
        let mut drawn = Vec::with_capacity(DRAWN);
        let mut sum = 0.0;
        for (word, share) in flat.iter().enumerate() {
            sum += share;
            let end = (sum / total * DRAWN as f64).round() as usize;
            drawn.resize(end.clamp(drawn.len(), DRAWN), word as u32);
        }
        Course { options, corpus, rows, starts, keep, drawn, instructions: Arch::new() }
    }

    fn rows_of(&self, word: u32) -> &[u32] {
        &self.rows[self.starts[word as usize]..self.starts[word as usize + 1]]
    }

    fn mean(&self, word: u32, input: &[f32], mean: &mut [f32]) {
        let (rows, width) = (self.rows_of(word), self.options.width);
        mean.fill(0.0);
        for &row in rows {
            let start = row as usize * width;
            add(mean, 1.0 / rows.len() as f32, &input[start..start + width]);
        }
    }

    /// Studies a stretch of the text.
    fn study(
        &self,
        part: &mut Part,
        (input, output): (&[f32], &[f32]),
        stretch: usize,
        mut rng: Rng,
        rate: f32,
    ) {
        let text = &self.corpus.text;
        let end = ((stretch + 1) * STRETCH).min(text.len());
        part.kept.clear();
        for &word in &text[stretch * STRETCH..end] {
            let is_kept = match word {
                UNKNOWN => false,
                BREAK => true,
                word => rng.unit() < self.keep[word as usize],
            };
            if is_kept {
                part.kept.push(word);
            }
        }
        for at in 0..part.kept.len() {
            if part.kept[at] != BREAK {
                self.draw_targets(part, at, &mut rng);
                if !part.targets.is_empty() {
                    let word = part.kept[at];
                    self.instructions.dispatch(
                        #[inline(always)]
                        || self.step(part, word, (input, output), rate),
                    );
                }
            }
        }
        part.input.subtract(input, self.options.width);
        part.output.subtract(output, self.options.width);
    }

    /// The words around one, each with others that were drawn.
    fn draw_targets(&self, part: &mut Part, at: usize, rng: &mut Rng) {
        part.targets.clear();
        let reach = 1 + rng.below(self.options.window);
        let before = part.kept[..at].iter().rev().take(reach).take_while(|&&word| word != BREAK);
        let after = part.kept[at + 1..].iter().take(reach).take_while(|&&word| word != BREAK);
        for &right in before.chain(after) {
            part.targets.push((right, 1.0));
            for _ in 0..self.options.negatives {
                let wrong = self.drawn[rng.below(self.drawn.len())];
                if wrong != right {
                    part.targets.push((wrong, 0.0));
                }
            }
        }
    }

    /// One step for a word and those around it.
    #[allow(clippy::inline_always, reason = "vector instructions need it")]
    #[inline(always)]
    fn step(&self, part: &mut Part, word: u32, (input, output): (&[f32], &[f32]), rate: f32) {
        let width = self.options.width;
        let rows = self.rows_of(word);
        let share = 1.0 / rows.len() as f32;
        part.mean.fill(0.0);
        for &row in rows {
            let start = part.input.start(row, input, width);
            add(&mut part.mean, share, &part.input.numbers[start..start + width]);
        }
        part.places.clear();
        part.scores.clear();
        for &(target, _) in &part.targets {
            let start = part.output.start(target, output, width);
            part.places.push(start);
            part.scores.push(product(&part.mean, &part.output.numbers[start..start + width]));
        }
        nn::curves::sigmoid(&mut part.scores);
        part.change.fill(0.0);
        for ((&(_, right), &start), &score) in
            part.targets.iter().zip(&part.places).zip(&part.scores)
        {
            let slope = rate * (right - score);
            let row = &mut part.output.numbers[start..start + width];
            add(&mut part.change, slope, row);
            add(row, slope, &part.mean);
        }
        for &row in rows {
            let start = part.input.start(row, input, width);
            add(&mut part.input.numbers[start..start + width], 1.0, &part.change);
        }
    }
}

/// Learns the vectors of the words of a text. `observe` hears now and then how far it is, and says whether
/// to end.
pub fn learn(
    corpus: Corpus,
    options: &Options,
    observe: &dyn Fn(Progress) -> bool,
) -> Result<WordVectors, LearnError> {
    if !(1..=MOST_WIDTH).contains(&options.width) || options.window == 0 {
        let wrong =
            format!("vectors have 1 to {MOST_WIDTH} numbers, and a window is 1 word or more");
        return Err(LearnError::Option(wrong));
    }
    let corpus = corpus.ranked(options.least_count.max(1));
    let words = corpus.words.len();
    if words == 0 {
        return Err(LearnError::NoWord { least: options.least_count.max(1) });
    }
    let course = Course::new(corpus, options);
    let width = options.width;
    let mut rng = Rng::fork(options.seed, 1, 0);
    let first = 0..(words + options.buckets) * width;
    let mut input: Vec<f32> = first.map(|_| (rng.unit() * 2.0 - 1.0) / width as f32).collect();
    let mut output = vec![0.0; words * width];
    let mut parts: Vec<Part> = (0..PARTS)
        .map(|_| Part {
            input: Copies::new(words + options.buckets),
            output: Copies::new(words),
            kept: Vec::new(),
            mean: vec![0.0; width],
            change: vec![0.0; width],
            targets: Vec::new(),
            places: Vec::new(),
            scores: Vec::new(),
        })
        .collect();
    let stretches = course.corpus.text.len().div_ceil(STRETCH);
    let rounds = stretches.div_ceil(PARTS) * options.epochs;
    let mut touched = (vec![0; words + options.buckets], vec![0; words]);
    let mut round = 0_usize;
    for epoch in 0..options.epochs {
        let mut order: Vec<usize> = (0..stretches).collect();
        Rng::fork(options.seed, 2, epoch as u64).shuffle(&mut order);
        for chosen in order.chunks(PARTS) {
            let rate = options.rate * (1.0 - round as f32 / rounds as f32);
            let shared = (&input[..], &output[..]);
            parts.par_iter_mut().zip(chosen).for_each(|(part, &stretch)| {
                let number = (epoch * stretches + stretch) as u64;
                let rng = Rng::fork(options.seed, 3, number);
                course.study(part, shared, stretch, rng, rate);
            });
            let (of_input, of_output): (Vec<_>, Vec<_>) =
                parts.iter_mut().map(|part| (&mut part.input, &mut part.output)).unzip();
            rayon::join(
                || merge(of_input, &mut input, width, &mut touched.0),
                || merge(of_output, &mut output, width, &mut touched.1),
            );
            round += 1;
            if round.is_multiple_of(16)
                && observe(Progress { done: round as f64 / rounds as f64, words })
            {
                return Err(io::Error::from(io::ErrorKind::Interrupted).into());
            }
        }
    }
    let mut numbers = vec![0.0; words * width];
    numbers
        .par_chunks_exact_mut(width)
        .enumerate()
        .for_each(|(word, mean)| course.mean(word as u32, &input, mean));
    if !numbers.iter().all(|number| number.is_finite()) {
        return Err(LearnError::Diverged);
    }
    Ok(WordVectors { words: course.corpus.words, width, numbers })
}

#[cfg(test)]
mod tests;
