//! A net beside the linear tagger: both score the parts of tags and analyses, and the sum decides.
//!
//! The linear tagger is the better one on small treebanks and knows what words were in training; the net
//! reads the whole sentence by letters and forms, and is better on words it has never seen. How much it
//! counts is chosen on the development set, for tags and for analyses.
use std::sync::Arc;

use conll::Sentence;
use encoder::Reference;
use neural::{
    Answer, Inputs, Options, Outside, Question, WordExample, WordMemory, WordModel, train_words,
};
use serde::{Deserialize, Serialize};

use super::inventory::{Choices, Inventory};
use super::tagger::{TagAccuracy, Tagger};
use super::train::TaggerError;
use crossarc_learn::composite::{Class, Classes};

/// The most frequent analyses, which have a score of their own; those of rarer ones are the sum of their
/// features.
const MOST_WHOLE: usize = 2_000;
/// How much a net may count beside the linear tagger.
const WEIGHTS: [f32; 7] = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
/// How much it counts if there is no development set.
const USUAL_WEIGHT: f32 = 1.0;

/// A net and how much it counts.
#[derive(Clone, Debug)]
pub struct TagNet {
    pub(super) model: WordModel,
    pub(super) weights: NetWeights,
    /// The encoder that it reads beside letters and forms.
    encoder: Option<Reference>,
    parts: NetParts,
}

/// How much a net counts.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NetWeights {
    /// For tags.
    pub tags: f32,
    /// For analyses.
    pub analyses: f32,
}

/// Where the parts of tags and analyses are among those of the net: tags first, then whole analyses, then
/// what analyses share.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct NetParts {
    tags: usize,
    analyses: usize,
    all_analyses: usize,
}

impl NetParts {
    fn of(choices: &Choices) -> NetParts {
        NetParts {
            tags: choices.tags.part_count(),
            analyses: choices.analyses.len(),
            all_analyses: choices.analyses.part_count(),
        }
    }

    fn whole(self) -> usize {
        self.analyses.min(MOST_WHOLE)
    }

    fn count(self) -> usize {
        self.tags + self.whole() + self.all_analyses - self.analyses
    }

    /// The part of the net for a part of analyses.
    fn of_analysis(self, part: usize) -> Option<usize> {
        if part < self.whole() {
            Some(self.tags + part)
        } else if part >= self.analyses {
            Some(self.tags + self.whole() + part - self.analyses)
        } else {
            None
        }
    }
}

/// What is asked: the tag among all tags, and the analysis among those of the tag.
fn questions(choices: &Choices, parts: NetParts) -> [Question; 2] {
    let classes = |classes: &Classes, part: &dyn Fn(usize) -> Option<usize>| {
        let of_class = |class: usize| {
            let all = classes.parts(class as Class).iter();
            all.filter_map(|&one| part(one.into())).map(|one| one as u32).collect()
        };
        (0..classes.len()).map(of_class).collect::<Vec<Vec<u32>>>()
    };
    let wide = |group: &Vec<Class>| group.iter().map(|&class| u32::from(class)).collect();
    let tags = Question {
        classes: classes(&choices.tags, &|part| Some(part)),
        groups: vec![wide(&choices.all_tags)],
    };
    let analyses = Question {
        classes: classes(&choices.analyses, &|part| parts.of_analysis(part)),
        groups: choices.of_tag.iter().map(wide).collect(),
    };
    [tags, analyses]
}

impl TagNet {
    /// A net that was stored; nothing if it does not fit the tagger.
    pub(super) fn new(
        model: WordModel,
        weights: NetWeights,
        encoder: Option<Reference>,
        choices: &Choices,
    ) -> Option<TagNet> {
        let parts = NetParts::of(choices);
        let fits = model.parts() >= parts.tags
            && model.parts() <= parts.count()
            && weights.tags.is_finite()
            && weights.analyses.is_finite();
        fits.then_some(TagNet { model, weights, encoder, parts })
    }

    /// What goes into a model file, by name.
    pub(super) fn sections(&self) -> Vec<(String, Vec<u8>)> {
        let encoder = self.encoder.iter().flat_map(Reference::sections);
        self.model.sections().into_iter().chain(encoder).collect()
    }

    /// What it says about each word of sentences.
    pub(super) fn score(&self, sentences: &[&Sentence], memory: &mut WordMemory) -> Vec<Vec<f32>> {
        self.model.score(sentences, memory)
    }

    /// What it says about a word, if it says something.
    fn of_word<'s>(&self, scores: &'s [f32], at: usize) -> Option<&'s [f32]> {
        let parts = self.model.parts();
        scores.get(at * parts..(at + 1) * parts)
    }

    /// Adds to the scores of the parts of tags of a word.
    pub(super) fn add_tags(&self, scores: &[f32], at: usize, totals: &mut [f32]) {
        let of_word = self.of_word(scores, at).unwrap_or_default();
        let weight = self.weights.tags;
        totals.iter_mut().zip(of_word).for_each(|(total, score)| *total += weight * score);
    }

    /// Adds to the scores of the parts of analyses of a word.
    pub(super) fn add_analyses(&self, scores: &[f32], at: usize, totals: &mut [f32]) {
        let Some(of_word) = self.of_word(scores, at) else { return };
        for (part, total) in totals.iter_mut().enumerate() {
            let score = self.parts.of_analysis(part).and_then(|part| of_word.get(part));
            *total += self.weights.analyses * score.copied().unwrap_or(0.0);
        }
    }
}

/// What may be chosen about the net of a tagger.
#[derive(Clone, PartialEq, Debug)]
pub struct TagNetOptions {
    /// States of a memory in one direction.
    pub hidden: usize,
    /// Epochs; by the size of the treebank if zero.
    pub epochs: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// A pretrained encoder that it reads beside letters and forms.
    pub encoder: Option<Reference>,
}

impl Default for TagNetOptions {
    fn default() -> TagNetOptions {
        TagNetOptions { hidden: 150, epochs: 0, seed: 1, encoder: None }
    }
}

impl Tagger {
    /// Trains a net beside the tagger; `observe` gets the number of each epoch and its loss, and says
    /// whether training should end.
    pub fn train_net(
        &mut self,
        train: &[Sentence],
        dev: &[Sentence],
        options: &TagNetOptions,
        observe: &mut dyn FnMut(usize, f64) -> bool,
    ) -> Result<(), TaggerError> {
        let parts = NetParts::of(&self.choices);
        let questions = questions(&self.choices, parts);
        let examples: Vec<WordExample<'_>> = examples(&self.inventory, train);
        let encoder = options.encoder.clone();
        let of_encoder = encoder.as_ref().map(|reference| Arc::clone(&reference.encoder));
        let options = Options {
            inputs: Inputs::letters(),
            outside: Outside { encoder: of_encoder, ..Outside::default() },
            hidden: options.hidden,
            epochs: options.epochs,
            seed: options.seed,
            ..Options::default()
        };
        let model = train_words(&options, &examples, &questions, &mut |epoch, loss, _| {
            observe(epoch, loss)
        })
        .map_err(|error| TaggerError::Net(error.to_string()))?;
        let weights = NetWeights { tags: USUAL_WEIGHT, analyses: USUAL_WEIGHT };
        self.net = Some(TagNet { model, weights, encoder, parts });
        if dev.is_empty() {
            return Ok(());
        }
        let tag = |accuracy: TagAccuracy| accuracy.upos + accuracy.xpos;
        let best = self.best_weight(dev, tag, |weights, weight| weights.tags = weight);
        self.set_weights(|weights| weights.tags = best);
        let all = |accuracy: TagAccuracy| accuracy.all;
        let best = self.best_weight(dev, all, |weights, weight| weights.analyses = weight);
        self.set_weights(|weights| weights.analyses = best);
        self.training.dev = Some(self.accuracy(dev));
        Ok(())
    }

    fn set_weights(&mut self, set: impl FnOnce(&mut NetWeights)) {
        if let Some(net) = &mut self.net {
            set(&mut net.weights);
        }
    }

    /// The weight with which the development set is tagged best, the smallest of equals.
    fn best_weight(
        &mut self,
        dev: &[Sentence],
        measure: impl Fn(TagAccuracy) -> f64,
        set: impl Fn(&mut NetWeights, f32),
    ) -> f32 {
        let mut best = (f64::NEG_INFINITY, USUAL_WEIGHT);
        for weight in WEIGHTS {
            self.set_weights(|weights| set(weights, weight));
            let found = measure(self.accuracy(dev));
            if found > best.0 {
                best = (found, weight);
            }
        }
        best.1
    }
}

/// Sentences with the numbers of their tags and analyses.
fn examples<'a>(inventory: &Inventory, sentences: &'a [Sentence]) -> Vec<WordExample<'a>> {
    let numbers = inventory.numbers();
    let example = |sentence: &'a Sentence| {
        let (mut tags, mut analyses) = (Vec::new(), Vec::new());
        for word in sentence.words() {
            let (tag, analysis) = numbers.of(&word);
            let [tag, analysis] = [tag, analysis].map(|class| class.map(u32::from));
            tags.push(tag.map(|class| Answer { group: 0, class }));
            let within = |(group, class)| Answer { group, class };
            analyses.push(tag.zip(analysis).map(within));
        }
        WordExample { sentence, answers: vec![tags, analyses] }
    };
    sentences.iter().map(example).collect()
}
