//! A tagger at work.
use conll::{Column, Sentence};
use serde::{Deserialize, Serialize};

use super::features;
use super::forms::{Form, Forms};
use super::inventory::{Choices, Inventory};
use super::lexicon::Lexicon;
use crate::learn::composite::{Class, PackedParts};
use crate::learn::packed::{Facts, PackedMap};
use crate::model::{Container, ModelError, SectionBytes};

const LEXICON: &str = "tagger lexicon";
const FIRST: [&str; 2] = ["tagger first tags", "tagger first tag lists"];
const TAGS: [&str; 2] = ["tagger tags", "tagger tag lists"];
const ANALYSES: [&str; 2] = ["tagger analyses", "tagger analysis lists"];

/// Part of the header of a model: what a tagger is, but for its weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaggerHeader {
    /// Tags and analyses.
    pub inventory: Inventory,
    /// Table of weights of the first tags.
    pub first_table: Facts,
    /// Table of weights of tags.
    pub tag_table: Facts,
    /// Table of weights of analyses.
    pub analysis_table: Facts,
    /// How it came about.
    pub training: TaggerTraining,
}

/// How a tagger came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaggerTraining {
    /// Sentences trained on.
    pub sentences: usize,
    /// Words trained on.
    pub words: usize,
    /// Seed.
    pub seed: u64,
    /// Runs that were averaged.
    pub runs: usize,
    /// Accuracy on the development set, in percent.
    pub dev: Option<TagAccuracy>,
}

/// Words with the right tag, in percent.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TagAccuracy {
    /// UPOS.
    pub upos: f64,
    /// XPOS.
    pub xpos: f64,
    /// FEATS.
    pub feats: f64,
    /// All three.
    pub all: f64,
}

/// Predicts UPOS, XPOS and FEATS.
#[derive(Clone, Debug)]
pub struct Tagger {
    pub(super) inventory: Inventory,
    pub(super) choices: Choices,
    pub(super) lexicon: Lexicon,
    pub(super) first: PackedParts,
    pub(super) tags: PackedParts,
    pub(super) analyses: PackedParts,
    pub(super) training: TaggerTraining,
}

/// Working memory of a tagger, one per thread.
#[derive(Clone, Debug, Default)]
pub struct TaggerMemory {
    forms: Forms,
    features: Vec<u64>,
    scores: Vec<f32>,
    sums: Vec<i32>,
    /// Tags of the first pass.
    first: Vec<u32>,
    tags: Vec<u32>,
    analyses: Vec<Class>,
}

/// Tags from right to left; `choose` is told the word, and asked only where there is doubt.
pub(super) fn first_pass(
    forms: &[Form],
    tags: &mut Vec<u32>,
    features: &mut Vec<u64>,
    mut choose: impl FnMut(usize, &mut Vec<u64>) -> u32,
) {
    tags.clear();
    tags.resize(forms.len(), 1);
    let mut after = [1, 1];
    for at in (0..forms.len()).rev() {
        tags[at] = forms[at].certain;
        if tags[at] == 0 {
            features.clear();
            features::of_first_tag(forms, at, after, features);
            tags[at] = choose(at, features);
        }
        after = [tags[at], after[0]];
    }
}

/// Tags from left to right, with those of the first pass in view; `choose` as in the first pass.
pub(super) fn second_pass(
    forms: &[Form],
    first: &[u32],
    tags: &mut Vec<u32>,
    features: &mut Vec<u64>,
    mut choose: impl FnMut(usize, &mut Vec<u64>) -> u32,
) {
    tags.clear();
    let mut before = [1, 1];
    for at in 0..forms.len() {
        let mut tag = forms[at].certain;
        if tag == 0 {
            let first = [at, at + 1, at + 2].map(|at| first.get(at).copied().unwrap_or(1));
            features.clear();
            features::of_tag(forms, at, before, first, features);
            tag = choose(at, features);
        }
        tags.push(tag);
        before = [tag, before[0]];
    }
}

impl Tagger {
    /// Writes UPOS, XPOS and FEATS of every word.
    pub fn tag(&self, sentence: &mut Sentence, memory: &mut TaggerMemory) {
        self.predict(sentence.words().map(|word| word.form()), memory);
        for (id, &analysis) in (1..).zip(&memory.analyses) {
            let Some(analysis) = self.inventory.analyses.get(usize::from(analysis)) else {
                continue;
            };
            let tag = &self.inventory.tags[usize::from(analysis.tag)];
            sentence.set(id, Column::Upos, &tag.upos);
            sentence.set(id, Column::Xpos, &analysis.xpos);
            sentence.set(id, Column::Feats, &analysis.feats);
        }
    }

    /// Predicts, and leaves the analyses in the memory.
    fn predict<'a>(&self, forms: impl IntoIterator<Item = &'a str>, memory: &mut TaggerMemory) {
        let TaggerMemory { forms: words, features, scores, sums, first, tags, analyses } = memory;
        words.fill(forms, &self.lexicon);
        let forms = words.as_slice();
        let classes = &self.choices.tags;
        let mut choose = |weights: &PackedParts, features: &[u64]| {
            scores.clear();
            scores.resize(classes.part_count(), 0.0);
            weights.add_scores(features, sums, scores);
            u32::from(classes.best(&self.choices.all_tags, scores).unwrap_or_default()) + 2
        };
        first_pass(forms, first, features, |_, features| choose(&self.first, features));
        second_pass(forms, first, tags, features, |_, features| choose(&self.tags, features));
        analyses.clear();
        let mut before = 1;
        for at in 0..forms.len() {
            let tag = (tags[at] as usize).saturating_sub(2);
            let candidates = self.choices.of_tag.get(tag).map_or(&[][..], |list| list);
            let best = if let [only] = candidates[..] {
                only
            } else {
                features.clear();
                features::of_analysis(forms, at, tags, before, features);
                scores.clear();
                scores.resize(self.choices.analyses.part_count(), 0.0);
                self.analyses.add_scores(features, sums, scores);
                self.choices.analyses.best(candidates, scores).unwrap_or_default()
            };
            before = u32::from(best) + 2;
            analyses.push(best);
        }
    }

    /// How often the tagger is right about sentences that have tags.
    pub fn accuracy(&self, sentences: &[Sentence]) -> TagAccuracy {
        let mut memory = TaggerMemory::default();
        let (mut words, mut right) = (0usize, [0usize; 4]);
        for sentence in sentences {
            self.predict(sentence.words().map(|word| word.form()), &mut memory);
            for (word, &analysis) in sentence.words().zip(&memory.analyses) {
                let Some(analysis) = self.inventory.analyses.get(usize::from(analysis)) else {
                    continue;
                };
                let upos = self.inventory.tags[usize::from(analysis.tag)].upos == word.upos();
                let xpos = analysis.xpos == word.xpos();
                let feats = analysis.feats == word.feats();
                let all = upos && xpos && feats;
                for (sum, is) in right.iter_mut().zip([upos, xpos, feats, all]) {
                    *sum += usize::from(is);
                }
            }
            words += sentence.len();
        }
        let [upos, xpos, feats, all] =
            right.map(|count| count as f64 * 100.0 / words.max(1) as f64);
        TagAccuracy { upos, xpos, feats, all }
    }

    /// Size of the weights in bytes.
    pub fn size(&self) -> usize {
        self.sizes().iter().sum()
    }

    /// Sizes of lexicon, first tags, tags and analyses in bytes.
    pub fn sizes(&self) -> [usize; 4] {
        let Tagger { lexicon, first, tags, analyses, .. } = self;
        [lexicon.map().size(), first.size(), tags.size(), analyses.size()]
    }

    /// How it came about.
    pub fn training(&self) -> &TaggerTraining {
        &self.training
    }

    /// Its part of the header of a model.
    pub fn header(&self) -> TaggerHeader {
        TaggerHeader {
            inventory: self.inventory.clone(),
            first_table: self.first.facts(),
            tag_table: self.tags.facts(),
            analysis_table: self.analyses.facts(),
            training: self.training.clone(),
        }
    }

    /// Its sections of a model.
    pub fn sections(&self) -> Vec<SectionBytes<'_>> {
        let mut sections = vec![self.lexicon.map().section(LEXICON)];
        sections.extend(self.first.sections_named(FIRST));
        sections.extend(self.tags.sections_named(TAGS));
        sections.extend(self.analyses.sections_named(ANALYSES));
        sections
    }

    /// The tagger in a model.
    pub fn load(container: &Container, header: TaggerHeader) -> Result<Tagger, ModelError> {
        let TaggerHeader { inventory, first_table, tag_table, analysis_table, training } = header;
        inventory.check(container)?;
        let choices = inventory.choices();
        let table = |names, facts, parts| PackedParts::load_named(container, names, facts, parts);
        Ok(Tagger {
            lexicon: Lexicon::new(PackedMap::load(container, LEXICON)?),
            first: table(FIRST, first_table, choices.tags.part_count())?,
            tags: table(TAGS, tag_table, choices.tags.part_count())?,
            analyses: table(ANALYSES, analysis_table, choices.analyses.part_count())?,
            inventory,
            choices,
            training,
        })
    }
}
