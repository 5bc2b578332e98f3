//! Training of a tagger.
use conll::Sentence;
use rayon::prelude::*;

use super::features;
use super::forms::{Form, Forms};
use super::inventory::{Choices, Inventory};
use super::lexicon::{CountedForms, Lexicon};
use super::tagger::{Reader, Tagger, TaggerTraining, first_pass, second_pass};
use crossarc_learn::composite::{Class, Classes, Learner, PackedParts, Rate};
use crossarc_learn::packed::Weighing;
use crossarc_learn::perceptron::SparseWeights;
use crossarc_tree::seed::{Rng, Seed};

/// Parts of the training set whose first tags are learned from the other parts.
const FOLDS: usize = 4;
/// Epochs for that.
const EPOCHS_OF_FOLDS: usize = 3;

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
    /// Tags less likely than this are left alone by a step.
    pub least_chance: f32,
    /// By how much the right tag should be better.
    pub margin: f32,
    /// Chance that a word seen once is studied as if it were unseen; words seen `n` times have
    /// `n` to 1 better odds.
    pub dropout: f64,
    /// Chance that a feature is left out when a word is studied, so that none is relied on alone.
    pub noise: f64,
    /// Chance that features see the tag that was predicted for the word before, not the right one.
    pub exploration: f64,
    /// Features seen less often in training are ignored.
    pub least_count: u8,
    /// Weights below this are dropped from the model.
    pub prune: f32,
    /// Drop more weights until the tagger has about this many bytes.
    pub most_bytes: Option<usize>,
    /// Read sentences in both directions, each by weights of its own, and let the sum of their
    /// scores decide.
    pub both_directions: bool,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for TaggerOptions {
    fn default() -> TaggerOptions {
        TaggerOptions {
            epochs: 8,
            patience: 2,
            runs: 2,
            step: 0.1,
            least_chance: 0.03,
            margin: 0.0,
            dropout: 0.8,
            noise: 0.2,
            exploration: 0.9,
            least_count: 1,
            prune: 0.05,
            most_bytes: None,
            both_directions: false,
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

/// The choices of a tagger.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TaggerStep {
    /// First tags of words, from right to left.
    First,
    /// Tags of words, from left to right.
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
    /// A net could not be trained.
    #[error("{0}")]
    Net(String),
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
        let counted = count_forms(train, &inventory);
        let lexicon = counted.lexicon();
        let mut data = Data::new(train, &inventory, &lexicon);
        data.leave_out_own_tags(&counted);
        let dev_data = Data::new(dev, &inventory, &lexicon);
        let job = Job::new(&data, &dev_data, &choices, options);
        let mut directions = vec![job.tags(observe)];
        let analyses = job.averaged(|run| job.run(TaggerStep::Analyses, run, None, observe));
        if options.both_directions {
            let (data, dev) = (data.mirrored(), dev_data.mirrored());
            directions.push(Job::new(&data, &dev, &choices, options).tags(observe));
        }
        let prune = options.most_bytes.map_or(options.prune, |most| {
            let tables = directions.iter().flatten().chain([&analyses]);
            let lists = tables.flatten().map(|entry| entry.1.clone());
            let left = most.saturating_sub(lexicon.map().size());
            Weighing::of_lists(lists).prune_for(left, options.prune)
        });
        let pack =
            |lists: &Lists, parts| PackedParts::pack_lists(|| lists.iter().cloned(), parts, prune);
        let reader = |[first, tags]: &[Lists; 2]| {
            let [first, tags] = [first, tags].map(|lists| pack(lists, choices.tags.part_count()));
            Reader { first, tags }
        };
        let mut tagger = Tagger {
            readers: directions.iter().map(reader).collect(),
            analyses: pack(&analyses, choices.analyses.part_count()),
            training: TaggerTraining {
                sentences: train.len(),
                words,
                seed: options.seed,
                runs: options.runs.max(1),
                dev: None,
            },
            inventory,
            choices,
            lexicon,
            net: None,
        };
        if !dev.is_empty() {
            tagger.training.dev = Some(tagger.accuracy(dev));
        }
        Ok(tagger)
    }
}

fn count_forms(sentences: &[Sentence], inventory: &Inventory) -> CountedForms {
    let lessons = Data::new(sentences, inventory, &Lexicon::empty()).lessons;
    let words = lessons.iter().flat_map(|lesson| lesson.forms.iter().zip(&lesson.tags));
    CountedForms::new(words.filter_map(|(form, tag)| tag.map(|tag| (*form, tag))))
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

/// Averaged weights of features.
type Lists = Vec<(u64, Vec<(u16, f32)>)>;

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

    /// Every sentence from its last word to its first.
    fn mirrored(&self) -> Data {
        let lesson = |lesson: &Lesson| Lesson {
            forms: lesson.forms.iter().rev().copied().collect(),
            tags: lesson.tags.iter().rev().copied().collect(),
            analyses: lesson.analyses.iter().rev().copied().collect(),
            first: lesson.first,
        };
        Data { lessons: self.lessons.iter().map(lesson).collect(), words: self.words }
    }

    /// Gives every word of the training set the class that the other words give it.
    fn leave_out_own_tags(&mut self, counted: &CountedForms) {
        for lesson in &mut self.lessons {
            for (form, tag) in lesson.forms.iter_mut().zip(&lesson.tags) {
                if let Some(tag) = *tag {
                    *form = counted.without_own_tag(form, tag);
                }
            }
        }
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

/// Which features are frequent enough to be learned. Counted by hash: that a rare feature is now
/// and then taken for a frequent one does no harm.
struct Frequent {
    counts: Vec<u8>,
    least: u8,
}

impl Frequent {
    fn place(&self, feature: u64) -> usize {
        feature as usize & (self.counts.len() - 1)
    }

    fn count(&mut self, feature: u64) {
        let place = self.place(feature);
        self.counts[place] = self.counts[place].saturating_add(1);
    }

    fn has(&self, feature: u64) -> bool {
        self.counts[self.place(feature)] >= self.least
    }

    fn new(data: &Data, least: u8) -> Frequent {
        let places = (data.words * 128).clamp(1 << 16, 1 << 27).next_power_of_two();
        let mut frequent = Frequent { counts: vec![0; places], least };
        let mut features = Vec::new();
        for lesson in &data.lessons {
            let tags: Vec<u32> = lesson.tags.iter().map(|tag| plus_two(*tag)).collect();
            let tag = |at: usize, offset: isize| {
                at.checked_add_signed(offset).and_then(|at| tags.get(at)).copied().unwrap_or(1)
            };
            for at in 0..tags.len() {
                features.clear();
                let (before, after) = ([tag(at, -1), tag(at, -2)], [tag(at, 1), tag(at, 2)]);
                let first = [tag(at, 0), after[0], after[1]];
                features::of_first_tag(&lesson.forms, at, after, &mut features);
                features::of_tag(&lesson.forms, at, before, first, &mut features);
                let analysis = at.checked_sub(1).map_or(1, |at| plus_two(lesson.analyses[at]));
                features::of_analysis(&lesson.forms, at, &tags, analysis, &mut features);
                for &feature in &features {
                    frequent.count(feature);
                }
            }
        }
        frequent
    }
}

fn plus_two(class: Option<Class>) -> u32 {
    class.map_or(1, |class| u32::from(class) + 2)
}

struct Job<'a> {
    data: &'a Data,
    dev: &'a Data,
    choices: &'a Choices,
    options: &'a TaggerOptions,
    frequency: Vec<u32>,
    frequent: Frequent,
}

/// Working memory of a run.
#[derive(Default)]
struct Study {
    learner: Learner,
    forms: Vec<Form>,
    features: Vec<u64>,
    first: Vec<u32>,
    tags: Vec<u32>,
    scores: Vec<f32>,
}

impl<'a> Job<'a> {
    fn new(
        data: &'a Data,
        dev: &'a Data,
        choices: &'a Choices,
        options: &'a TaggerOptions,
    ) -> Job<'a> {
        let frequent = Frequent::new(data, options.least_count);
        Job { data, dev, choices, options, frequency: frequencies(data), frequent }
    }

    /// The mean of the weights of all runs.
    fn averaged(&self, learn: impl Fn(usize) -> SparseWeights + Sync) -> Lists {
        let runs: Vec<usize> = (0..self.options.runs.max(1)).collect();
        let learned: Vec<SparseWeights> = runs.par_iter().map(|&run| learn(run)).collect();
        SparseWeights::mean(learned.iter()).averaged().collect()
    }

    /// Weights of first tags and of tags.
    fn tags(&self, observe: &(dyn Fn(TaggerProgress) + Sync)) -> [Lists; 2] {
        let honest = self.honest_first_tags();
        let runs: Vec<usize> = (0..self.options.runs.max(1)).collect();
        let learned: Vec<_> = runs
            .par_iter()
            .map(|&run| {
                let first = self.run(TaggerStep::First, run, None, observe);
                let tags = self.run(TaggerStep::Tags, run, Some((&first, &honest)), observe);
                [first, tags]
            })
            .collect();
        let mean = |step: usize| SparseWeights::mean(learned.iter().map(|run| &run[step]));
        [0, 1].map(|step| mean(step).averaged().collect())
    }

    /// The weights of the best epoch; `first` are those of the first tags, once there are any,
    /// and the first tags of the training set.
    fn run(
        &self,
        step: TaggerStep,
        run: usize,
        first: Option<(&SparseWeights, &[u32])>,
        observe: &(dyn Fn(TaggerProgress) + Sync),
    ) -> SparseWeights {
        let seed = Seed(self.options.seed).fork("tagger", run as u64);
        let mut study = Study::default();
        let mut best: Option<(f64, usize, SparseWeights)> = None;
        let mut order: Vec<usize> = (0..self.data.lessons.len()).collect();
        for epoch in 1..=self.options.epochs {
            let mut rng = seed.fork("epoch", epoch as u64).rng();
            rng.shuffle(&mut order);
            for &lesson in &order {
                let lesson = &self.data.lessons[lesson];
                self.hide_words(lesson, &mut study.forms, &mut rng);
                match step {
                    TaggerStep::First => self.study_first(lesson, &mut study, &mut rng),
                    TaggerStep::Tags => {
                        let range = lesson.first..lesson.first + lesson.forms.len();
                        let first = first.and_then(|first| first.1.get(range)).unwrap_or(&[]);
                        self.study_tags(lesson, first, &mut study, &mut rng);
                    }
                    TaggerStep::Analyses => self.study_analyses(lesson, &mut study, &mut rng),
                }
            }
            let dev = (self.dev.words > 0)
                .then(|| self.right(step, first.map(|first| first.0), &mut study));
            observe(TaggerProgress { step, run, epoch, dev });
            let Some(dev) = dev else { continue };
            if best.as_ref().is_none_or(|best| dev > best.0) {
                best = Some((dev, epoch, study.learner.weights.clone()));
            } else if best.as_ref().is_some_and(|best| epoch - best.1 >= self.options.patience) {
                break;
            }
        }
        best.map_or(study.learner.weights, |best| best.2)
    }

    /// First tags of the training set, each by weights that were learned without the sentence.
    fn honest_first_tags(&self) -> Vec<u32> {
        let mut folds = std::collections::HashMap::new();
        let fold_of = |lesson: usize| lesson % FOLDS;
        for (at, lesson) in self.data.lessons.iter().enumerate() {
            for form in &lesson.forms {
                *folds.entry(form.lower).or_insert(0u32) |= 1 << fold_of(at);
            }
        }
        let parts: Vec<Vec<(usize, Vec<u32>)>> = (0..FOLDS)
            .into_par_iter()
            .map(|fold| {
                let mut study = Study::default();
                let seed = Seed(self.options.seed).fork("first tags", fold as u64);
                let (inside, mut outside): (Vec<usize>, Vec<usize>) =
                    (0..self.data.lessons.len()).partition(|&at| fold_of(at) == fold);
                for epoch in 0..self.options.epochs.min(EPOCHS_OF_FOLDS) {
                    let mut rng = seed.fork("epoch", epoch as u64).rng();
                    rng.shuffle(&mut outside);
                    for &at in &outside {
                        let lesson = &self.data.lessons[at];
                        self.hide_words(lesson, &mut study.forms, &mut rng);
                        self.study_first(lesson, &mut study, &mut rng);
                    }
                }
                let Study { learner, forms, features, first, scores, .. } = &mut study;
                let tags = inside.into_iter().map(|at| {
                    forms.clear();
                    forms.extend(self.data.lessons[at].forms.iter().map(|form| {
                        if folds[&form.lower] == 1 << fold { form.unseen() } else { *form }
                    }));
                    first_pass(forms, first, features, |_, features| {
                        self.choose(&learner.weights, features, scores)
                    });
                    (at, first.clone())
                });
                tags.collect()
            })
            .collect();
        let mut all: Vec<_> = parts.into_iter().flatten().collect();
        all.sort_by_key(|part| part.0);
        all.into_iter().flat_map(|part| part.1).collect()
    }

    /// Makes some words unseen, rare ones sooner.
    fn hide_words(&self, lesson: &Lesson, forms: &mut Vec<Form>, rng: &mut Rng) {
        forms.clear();
        for (at, form) in lesson.forms.iter().enumerate() {
            let unseen = self.is_unseen(lesson.first + at, rng);
            forms.push(if unseen { form.unseen() } else { *form });
        }
    }

    fn is_unseen(&self, word: usize, rng: &mut Rng) -> bool {
        let odds = self.options.dropout / (1.0 - self.options.dropout).max(1e-6);
        let frequency = f64::from(self.frequency[word]);
        rng.chance(odds / (odds + frequency))
    }

    fn rate(&self) -> Rate {
        let TaggerOptions { step, least_chance, margin, .. } = *self.options;
        Rate { step, least_chance, margin }
    }

    /// Studies one word, and tells which class is to be believed for its neighbours.
    fn study(
        &self,
        classes: &Classes,
        candidates: &[Class],
        gold: Option<Class>,
        features: &mut Vec<u64>,
        learner: &mut Learner,
        rng: &mut Rng,
    ) -> u32 {
        let Some(gold) = gold else { return 1 };
        let noise = self.options.noise;
        features
            .retain(|&feature| self.frequent.has(feature) && !(noise > 0.0 && rng.chance(noise)));
        let best = learner.learn(features, classes, candidates, gold, self.rate());
        let follow = rng.chance(self.options.exploration);
        plus_two(best.filter(|_| follow).or(Some(gold)))
    }

    fn study_first(&self, lesson: &Lesson, study: &mut Study, rng: &mut Rng) {
        let Study { learner, forms, features, first, .. } = study;
        first_pass(forms, first, features, |at, features| {
            let (classes, candidates) = (&self.choices.tags, &self.choices.all_tags);
            self.study(classes, candidates, lesson.tags[at], features, learner, rng)
        });
    }

    fn study_tags(&self, lesson: &Lesson, first: &[u32], study: &mut Study, rng: &mut Rng) {
        let Study { learner, forms, features, tags, .. } = study;
        second_pass(forms, first, tags, features, |at, features| {
            let (classes, candidates) = (&self.choices.tags, &self.choices.all_tags);
            self.study(classes, candidates, lesson.tags[at], features, learner, rng)
        });
    }

    fn study_analyses(&self, lesson: &Lesson, study: &mut Study, rng: &mut Rng) {
        let Study { learner, forms, features, tags, .. } = study;
        tags.clear();
        tags.extend(lesson.tags.iter().map(|tag| plus_two(*tag)));
        let mut before = 1;
        for (at, (&tag, &gold)) in lesson.tags.iter().zip(&lesson.analyses).enumerate() {
            let candidates = tag.map_or(&[][..], |tag| &self.choices.of_tag[usize::from(tag)]);
            if candidates.len() < 2 {
                before = plus_two(gold);
                continue;
            }
            features.clear();
            features::of_analysis(forms, at, tags, before, features);
            before = self.study(&self.choices.analyses, candidates, gold, features, learner, rng);
        }
    }

    /// The best tag by averaged weights, plus 2.
    fn choose(&self, weights: &SparseWeights, features: &[u64], scores: &mut Vec<f32>) -> u32 {
        scores.clear();
        scores.resize(self.choices.tags.part_count(), 0.0);
        weights.add_averaged_scores(features, scores);
        plus_two(self.choices.tags.best(&self.choices.all_tags, scores))
    }

    /// Right choices on the development set in percent.
    fn right(&self, step: TaggerStep, first: Option<&SparseWeights>, study: &mut Study) -> f64 {
        let Study { learner, features, first: first_tags, tags, scores, .. } = study;
        let weights = &learner.weights;
        let mut right = 0usize;
        for lesson in &self.dev.lessons {
            let forms = &lesson.forms;
            let gold = || lesson.tags.iter().map(|tag| plus_two(*tag));
            match step {
                TaggerStep::First | TaggerStep::Tags => {
                    let first = first.unwrap_or(weights);
                    first_pass(forms, first_tags, features, |_, features| {
                        self.choose(first, features, scores)
                    });
                    if step == TaggerStep::Tags {
                        second_pass(forms, first_tags, tags, features, |_, features| {
                            self.choose(weights, features, scores)
                        });
                    }
                    let found = if step == TaggerStep::Tags { &*tags } else { &*first_tags };
                    right += gold().zip(found).filter(|(gold, own)| gold == *own).count();
                }
                TaggerStep::Analyses => {
                    tags.clear();
                    tags.extend(gold());
                    let mut before = 1;
                    for (at, &gold) in lesson.analyses.iter().enumerate() {
                        features.clear();
                        features::of_analysis(forms, at, tags, before, features);
                        scores.clear();
                        scores.resize(self.choices.analyses.part_count(), 0.0);
                        weights.add_averaged_scores(features, scores);
                        let candidates = lesson.tags[at]
                            .map_or(&[][..], |tag| &self.choices.of_tag[usize::from(tag)]);
                        let best = self.choices.analyses.best(candidates, scores);
                        right += usize::from(best.is_some() && best == gold);
                        before = plus_two(best);
                    }
                }
            }
        }
        right as f64 * 100.0 / self.dev.words as f64
    }
}
