//! Training of a tagger.
use conll::Sentence;
use rayon::prelude::*;

use super::features;
use super::forms::{Form, Forms};
use super::inventory::{Choices, Inventory};
use super::lexicon::{Lexicon, LexiconBuilder};
use super::tagger::{Tagger, TaggerTraining};
use crate::learn::composite::{Class, Learner, PackedParts, Rate, mean_of};
use crate::learn::perceptron::SparseWeights;
use crate::seed::{Rng, Seed};

/// What may be chosen about training a tagger.
#[derive(Clone, Debug, PartialEq)]
pub struct TaggerOptions {
    /// Epochs at most.
    pub epochs: usize,
    /// Stop after this many epochs without a better score on the development set.
    pub patience: usize,
    /// Runs with different seeds whose weights are averaged.
    pub runs: usize,
    /// Length of a step.
    pub step: f32,
    /// By how much the right tag should be better.
    pub margin: f32,
    /// Chance that a word seen once is studied as if it were unseen; words seen `n` times have
    /// `n` to 1 better odds.
    pub dropout: f64,
    /// Chance that features see the tag that was predicted for the word before, not the right one.
    pub exploration: f64,
    /// Features seen less often in training are ignored.
    pub least_count: u8,
    /// Weights below this are dropped from the model.
    pub prune: f32,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for TaggerOptions {
    fn default() -> TaggerOptions {
        TaggerOptions {
            epochs: 10,
            patience: 3,
            runs: 1,
            step: 0.1,
            margin: 0.0,
            dropout: 0.5,
            exploration: 0.9,
            least_count: 2,
            prune: 0.01,
            seed: 1,
        }
    }
}

/// After an epoch of one run.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TaggerProgress {
    /// What is learned.
    pub step: TaggerStep,
    /// The run, from 0.
    pub run: usize,
    /// The epoch, from 1.
    pub epoch: usize,
    /// Right choices on the development set, in percent.
    pub dev: Option<f64>,
}

/// The two choices of a tagger.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TaggerStep {
    /// Tags of words.
    Tags,
    /// Analyses of words with a tag.
    Analyses,
}

/// Why a tagger cannot be trained.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaggerError {
    /// Nothing to learn from.
    #[error("there is no word to train a tagger on")]
    NoWords,
}

impl Tagger {
    /// Trains a tagger; `dev` may be empty, and then all epochs are run.
    pub fn train(
        train: &[Sentence],
        dev: &[Sentence],
        options: &TaggerOptions,
        observe: &(dyn Fn(TaggerProgress) + Sync),
    ) -> Result<Tagger, TaggerError> {
        let words = train.iter().map(Sentence::len).sum();
        if words == 0 {
            return Err(TaggerError::NoWords);
        }
        let inventory = Inventory::of(train);
        let choices = inventory.choices();
        let lexicon = lexicon_of(train, &inventory);
        let data = Data::new(train, &inventory, &lexicon);
        let dev_data = Data::new(dev, &inventory, &lexicon);
        let frequency = frequencies(&data);
        let fixed = Fixed::new(&data, options.least_count);
        let job = Job { data: &data, dev: &dev_data, choices: &choices, options, frequency, fixed };
        let runs: Vec<usize> = (0..options.runs.max(1)).collect();
        let learned: Vec<_> = runs
            .par_iter()
            .map(|&run| {
                let tags = job.run(TaggerStep::Tags, run, observe);
                let analyses = job.run(TaggerStep::Analyses, run, observe);
                (tags, analyses)
            })
            .collect();
        let pack = |weights: Vec<&SparseWeights>, parts| {
            let lists = mean_of(&weights);
            PackedParts::pack_lists(|| lists.iter().cloned(), parts, options.prune)
        };
        let tags = learned.iter().map(|run| &run.0).collect();
        let analyses = learned.iter().map(|run| &run.1).collect();
        let mut tagger = Tagger {
            tags: pack(tags, choices.tags.part_count()),
            analyses: pack(analyses, choices.analyses.part_count()),
            training: TaggerTraining {
                sentences: train.len(),
                words,
                seed: options.seed,
                runs: runs.len(),
                dev: None,
            },
            inventory,
            choices,
            lexicon,
        };
        if !dev.is_empty() {
            tagger.training.dev = Some(tagger.accuracy(dev));
        }
        Ok(tagger)
    }
}

fn lexicon_of(sentences: &[Sentence], inventory: &Inventory) -> Lexicon {
    let (empty, numbers) = (Lexicon::empty(), inventory.numbers());
    let mut builder = LexiconBuilder::default();
    let mut forms = Forms::default();
    for sentence in sentences {
        forms.fill(sentence.words().map(|word| word.form()), &empty);
        for (word, form) in sentence.words().zip(forms.as_slice()) {
            if let Some(tag) = numbers.of(&word).0 {
                builder.add(form, tag);
            }
        }
    }
    builder.build(1)
}

/// The words of one sentence, with the right answers.
struct Lesson {
    forms: Vec<Form>,
    tags: Vec<Option<Class>>,
    analyses: Vec<Option<Class>>,
    /// Number of its first word.
    first: usize,
}

struct Data {
    lessons: Vec<Lesson>,
    words: usize,
}

impl Data {
    fn new(sentences: &[Sentence], inventory: &Inventory, lexicon: &Lexicon) -> Data {
        let numbers = inventory.numbers();
        let mut words = 0;
        let mut memory = Forms::default();
        let lesson = |sentence: &Sentence| {
            memory.fill(sentence.words().map(|word| word.form()), lexicon);
            let (tags, analyses) = sentence.words().map(|word| numbers.of(&word)).unzip();
            let first = words;
            words += sentence.len();
            Lesson { forms: memory.as_slice().to_vec(), tags, analyses, first }
        };
        Data { lessons: sentences.iter().map(lesson).collect(), words }
    }
}

/// How often the form of each word was seen, in lower case.
fn frequencies(data: &Data) -> Vec<u32> {
    let mut counts = std::collections::HashMap::new();
    let forms = || data.lessons.iter().flat_map(|lesson| &lesson.forms);
    for form in forms() {
        *counts.entry(form.lower).or_insert(0u32) += 1;
    }
    forms().map(|form| counts[&form.lower]).collect()
}

/// Features that no tag takes part in, of all words, without the rare ones.
struct Fixed {
    features: Vec<u64>,
    /// Where those of each word end: as a known word, then as an unseen one.
    ends: Vec<usize>,
}

impl Fixed {
    fn new(data: &Data, least_count: u8) -> Fixed {
        let mut all = Vec::new();
        let mut ends = Vec::with_capacity(data.words * 2);
        for lesson in &data.lessons {
            for at in 0..lesson.forms.len() {
                for unseen in [false, true] {
                    features::fixed(&lesson.forms, at, unseen, &mut all);
                    ends.push(all.len());
                }
            }
        }
        // Counted by hash: that a rare feature is now and then taken for a frequent one does no
        // harm.
        let bits = (all.len() * 2).max(1024).next_power_of_two();
        let mut counts = [vec![0u8; bits], vec![0u8; bits]];
        let mut start = 0;
        for (which, &end) in ends.iter().enumerate() {
            for &feature in &all[start..end] {
                let count = &mut counts[which % 2][feature as usize & (bits - 1)];
                *count = count.saturating_add(1);
            }
            start = end;
        }
        let mut kept = Vec::new();
        start = 0;
        for (which, end) in ends.iter_mut().enumerate() {
            let frequent =
                |feature: &&u64| counts[which % 2][**feature as usize & (bits - 1)] >= least_count;
            kept.extend(all[start..*end].iter().filter(frequent));
            start = *end;
            *end = kept.len();
        }
        Fixed { features: kept, ends }
    }

    fn of(&self, word: usize, unseen: bool) -> &[u64] {
        let which = word * 2 + usize::from(unseen);
        let start = if which == 0 { 0 } else { self.ends[which - 1] };
        &self.features[start..self.ends[which]]
    }
}

struct Job<'a> {
    data: &'a Data,
    dev: &'a Data,
    choices: &'a Choices,
    options: &'a TaggerOptions,
    frequency: Vec<u32>,
    fixed: Fixed,
}

impl Job<'_> {
    /// The weights of the best epoch.
    fn run(
        &self,
        step: TaggerStep,
        run: usize,
        observe: &(dyn Fn(TaggerProgress) + Sync),
    ) -> SparseWeights {
        let seed = Seed(self.options.seed).fork("tagger", run as u64);
        let mut learner = Learner::default();
        let mut best: Option<(f64, usize, SparseWeights)> = None;
        let mut order: Vec<usize> = (0..self.data.lessons.len()).collect();
        for epoch in 1..=self.options.epochs {
            let mut rng = seed.fork("epoch", epoch as u64).rng();
            rng.shuffle(&mut order);
            for &lesson in &order {
                let lesson = &self.data.lessons[lesson];
                match step {
                    TaggerStep::Tags => self.study_tags(lesson, &mut learner, &mut rng),
                    TaggerStep::Analyses => self.study_analyses(lesson, &mut learner, &mut rng),
                }
            }
            let dev = (self.dev.words > 0).then(|| match step {
                TaggerStep::Tags => self.right_tags(&learner.weights),
                TaggerStep::Analyses => self.right_analyses(&learner.weights),
            });
            observe(TaggerProgress { step, run, epoch, dev });
            let Some(dev) = dev else { continue };
            if best.as_ref().is_none_or(|best| dev > best.0) {
                best = Some((dev, epoch, learner.weights.clone()));
            } else if best.as_ref().is_some_and(|best| epoch - best.1 >= self.options.patience) {
                break;
            }
        }
        best.map_or(learner.weights, |best| best.2)
    }

    fn unseen(&self, word: usize, rng: &mut Rng) -> bool {
        let odds = self.options.dropout / (1.0 - self.options.dropout).max(1e-6);
        let frequency = f64::from(self.frequency[word]);
        rng.chance(odds / (odds + frequency))
    }

    fn rate(&self) -> Rate {
        Rate { step: self.options.step, least_chance: 0.01, margin: self.options.margin }
    }

    fn study_tags(&self, lesson: &Lesson, learner: &mut Learner, rng: &mut Rng) {
        let mut features = Vec::with_capacity(80);
        let mut history = [1, 1];
        for (at, &gold) in lesson.tags.iter().enumerate() {
            let Some(gold) = gold else {
                history = [1, history[0]];
                continue;
            };
            let word = lesson.first + at;
            let unseen = self.unseen(word, rng);
            features.clear();
            features.extend_from_slice(self.fixed.of(word, unseen));
            features::with_history(&lesson.forms, at, unseen, history, &mut features);
            let (classes, candidates) = (&self.choices.tags, &self.choices.all_tags);
            let best = learner.learn(&features, classes, candidates, gold, self.rate());
            let follow = rng.chance(self.options.exploration);
            let chosen = best.filter(|_| follow).unwrap_or(gold);
            history = [u32::from(chosen) + 2, history[0]];
        }
    }

    fn study_analyses(&self, lesson: &Lesson, learner: &mut Learner, rng: &mut Rng) {
        let tags: Vec<u32> =
            lesson.tags.iter().map(|tag| tag.map_or(1, |tag| u32::from(tag) + 2)).collect();
        let mut features = Vec::with_capacity(80);
        let mut before = 1;
        for (at, (&tag, &gold)) in lesson.tags.iter().zip(&lesson.analyses).enumerate() {
            let (Some(tag), Some(gold)) = (tag, gold) else {
                before = 1;
                continue;
            };
            let candidates = &self.choices.of_tag[usize::from(tag)];
            let mut chosen = gold;
            if candidates.len() > 1 {
                let unseen = self.unseen(lesson.first + at, rng);
                features.clear();
                features::of_analysis(&lesson.forms, at, unseen, &tags, before, &mut features);
                let classes = &self.choices.analyses;
                let best = learner.learn(&features, classes, candidates, gold, self.rate());
                let follow = rng.chance(self.options.exploration);
                chosen = best.filter(|_| follow).unwrap_or(gold);
            }
            before = u32::from(chosen) + 2;
        }
    }

    fn right_tags(&self, weights: &SparseWeights) -> f64 {
        let (mut features, mut right) = (Vec::new(), 0usize);
        let mut scores = vec![0.0; self.choices.tags.part_count()];
        for lesson in &self.dev.lessons {
            let mut history = [1, 1];
            for (at, &gold) in lesson.tags.iter().enumerate() {
                features.clear();
                features::fixed(&lesson.forms, at, false, &mut features);
                features::with_history(&lesson.forms, at, false, history, &mut features);
                scores.fill(0.0);
                weights.add_averaged_scores(&features, &mut scores);
                let best = self.choices.tags.best(&self.choices.all_tags, &scores);
                right += usize::from(best == gold && best.is_some());
                history = [best.map_or(1, |best| u32::from(best) + 2), history[0]];
            }
        }
        right as f64 * 100.0 / self.dev.words as f64
    }

    fn right_analyses(&self, weights: &SparseWeights) -> f64 {
        let (mut features, mut right) = (Vec::new(), 0usize);
        let mut scores = vec![0.0; self.choices.analyses.part_count()];
        for lesson in &self.dev.lessons {
            let tags: Vec<u32> =
                lesson.tags.iter().map(|tag| tag.map_or(1, |tag| u32::from(tag) + 2)).collect();
            let mut before = 1;
            for (at, (&tag, &gold)) in lesson.tags.iter().zip(&lesson.analyses).enumerate() {
                let Some(tag) = tag else {
                    before = 1;
                    continue;
                };
                features.clear();
                features::of_analysis(&lesson.forms, at, false, &tags, before, &mut features);
                scores.fill(0.0);
                weights.add_averaged_scores(&features, &mut scores);
                let candidates = &self.choices.of_tag[usize::from(tag)];
                let best = self.choices.analyses.best(candidates, &scores);
                right += usize::from(best == gold && best.is_some());
                before = best.map_or(1, |best| u32::from(best) + 2);
            }
        }
        right as f64 * 100.0 / self.dev.words as f64
    }
}
