//! A lemmatizer at work.
use conll::{Column, Sentence};
use serde::{Deserialize, Serialize};

use super::script::EditScript;
use crossarc_learn::composite::{Class, Classes, PackedParts};
use crossarc_learn::features::hash::{self, mix};
use crossarc_learn::packed::{PackedMap, TableFacts};
use crossarc_model::{Container, ModelError, SectionBytes};

const LEXICON: &str = "lemma lexicon";
const SCRIPTS: [&str; 2] = ["lemma scripts", "lemma script lists"];
/// Most scripts; of more, the rarest are not learned.
pub(super) const MOST_SCRIPTS: usize = 40_000;
/// Letters of the longest suffix that is a feature.
const SUFFIXES: usize = 7;
/// Letters of the longest prefix that is a feature.
const PREFIXES: usize = 4;
/// Words whose script is remembered by each thread.
const REMEMBERED: usize = 1 << 13;

/// Part of the header of a model: what a lemmatizer is, but for its weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LemmatizerHeader {
    /// All scripts, most frequent first.
    pub scripts: Vec<EditScript>,
    /// Scripts that unseen words with a UPOS may have.
    pub by_upos: Vec<(String, Vec<Class>)>,
    /// Table of weights.
    pub script_table: TableFacts,
    /// How it came about.
    pub training: LemmatizerTraining,
}

/// How a lemmatizer came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LemmatizerTraining {
    /// Words trained on.
    pub words: usize,
    /// Different words with different tags among them.
    pub types: usize,
    /// Entries of the lexicon.
    pub exceptions: usize,
    /// Right lemmas on the development set with the right tags, in percent.
    pub dev: Option<f64>,
}

/// Predicts lemmas.
#[derive(Clone, Debug)]
pub struct Lemmatizer {
    pub(super) scripts: Vec<EditScript>,
    pub(super) by_upos: Vec<(String, Vec<Class>)>,
    pub(super) classes: Classes,
    pub(super) lexicon: PackedMap,
    pub(super) weights: PackedParts,
    pub(super) training: LemmatizerTraining,
}

/// Working memory of a lemmatizer, one per thread. It remembers words, and so belongs to one
/// lemmatizer.
#[derive(Clone, Debug, Default)]
pub struct LemmatizerMemory {
    features: Vec<u64>,
    scores: Vec<f32>,
    sums: Vec<i32>,
    lower: String,
    starts: Vec<usize>,
    cased: String,
    lemma: String,
    /// Keys and scripts of words met lately.
    remembered: Vec<(u64, u32)>,
}

/// Hashes of the columns that a lemma depends on.
#[derive(Copy, Clone, Debug)]
pub(super) struct Tags {
    pub(super) upos: u64,
    pub(super) xpos: u64,
    pub(super) feats: u64,
}

impl Tags {
    pub(super) fn new(upos: &str, xpos: &str, feats: &str) -> Tags {
        Tags { upos: hash::text(upos), xpos: hash::text(xpos), feats: hash::text(feats) }
    }
}

/// Key of a form with all its tags.
pub(super) fn full_key(form: &str, tags: Tags) -> u64 {
    mix(mix(coarse_key(form, tags), tags.xpos), tags.feats)
}

/// Key of a form with its UPOS.
pub(super) fn coarse_key(form: &str, tags: Tags) -> u64 {
    mix(hash::text(form), tags.upos)
}

/// Features of a word; `lower` and `starts` are working memory.
pub(super) fn features(
    form: &str,
    tags: Tags,
    lower: &mut String,
    starts: &mut Vec<usize>,
    out: &mut Vec<u64>,
) {
    out.clear();
    lower.clear();
    lower.extend(form.chars().take(64).flat_map(char::to_lowercase));
    let capitals = form.chars().filter(|letter| letter.is_uppercase()).count();
    let title = form.chars().next().is_some_and(char::is_uppercase);
    let all = capitals > 1 && !form.chars().any(char::is_lowercase);
    let looks = u64::from(capitals.min(2) as u8) | u64::from(title) << 2 | u64::from(all) << 3;
    starts.clear();
    starts.extend(lower.char_indices().map(|(at, _)| at));
    let letters = starts.len();
    let mut template = 0x5851_F42D_4C95_7F2Du64;
    let mut add = |value: u64| {
        template = template.wrapping_add(0x9E37_79B9_7F4A_7C15);
        out.push(mix(template, value));
    };
    let fine = mix(tags.xpos, tags.feats);
    let tag = mix(tags.upos, fine);
    add(1);
    add(tags.upos);
    add(tag);
    add(mix(tags.upos, looks));
    add(mix(tag, looks));
    add(mix(tag, letters.min(8) as u64));
    for length in 1..=SUFFIXES {
        let suffix = match letters.checked_sub(length) {
            Some(0) => mix(hash::text(lower), 77),
            Some(at) => hash::text(&lower[starts[at]..]),
            None => break,
        };
        add(mix(suffix, tags.upos));
        add(mix(suffix, tag));
        if length <= 4 {
            add(suffix);
        }
    }
    template = 0x1405_7B7E_F767_814F;
    let mut add = |value: u64| {
        template = template.wrapping_add(0x9E37_79B9_7F4A_7C15);
        out.push(mix(template, value));
    };
    for &end in starts.iter().skip(1).take(PREFIXES) {
        let prefix = hash::text(&lower[..end]);
        add(mix(prefix, tags.upos));
        add(mix(prefix, tag));
    }
}

/// The classes of scripts: the script, its casing, its start, its end.
pub(super) fn classes_of(scripts: &[EditScript]) -> Classes {
    let mut classes = Classes::default();
    let mut numbers = std::collections::HashMap::new();
    let first = scripts.len();
    let mut part = |part: EditScript| {
        let next = u16::try_from(first + numbers.len()).ok();
        match numbers.get(&part) {
            Some(&known) => Some(known),
            None => next.inspect(|&next| {
                numbers.insert(part, next);
            }),
        }
    };
    for (script, number) in scripts.iter().zip(0..) {
        let mut parts = vec![number];
        if let EditScript::Edit { casing, start, end } = script {
            let EditScript::Edit { casing: _, start: no_start, end: no_end } = EditScript::IDENTITY
            else {
                continue;
            };
            let (casing, start, end) = (*casing, start.clone(), end.clone());
            let keep = super::Casing::Keep;
            let (s, e) = (no_start.clone(), no_end.clone());
            parts.extend(part(EditScript::Edit { casing, start: s, end: e }));
            parts.extend(part(EditScript::Edit { casing: keep, start, end: no_end }));
            parts.extend(part(EditScript::Edit { casing: keep, start: no_start, end }));
        }
        classes.push(parts);
    }
    classes
}

impl Lemmatizer {
    /// The lemma of a word with its tags, `_` where there is none.
    pub fn lemma<'a>(
        &self,
        form: &str,
        upos: &str,
        xpos: &str,
        feats: &str,
        memory: &'a mut LemmatizerMemory,
    ) -> &'a str {
        let script = self.script(form, upos, xpos, feats, memory);
        let LemmatizerMemory { cased, lemma, .. } = &mut *memory;
        let script = self.scripts.get(script);
        if !script.is_some_and(|script| script.apply_to(form, cased, lemma)) {
            memory.lemma.clear();
            memory.lemma.push_str(form);
        }
        &memory.lemma
    }

    fn script(
        &self,
        form: &str,
        upos: &str,
        xpos: &str,
        feats: &str,
        memory: &mut LemmatizerMemory,
    ) -> usize {
        let tags = Tags::new(upos, xpos, feats);
        let key = full_key(form, tags);
        memory.remembered.resize(REMEMBERED, (0, 0));
        let slot = (key >> 40) as usize % REMEMBERED;
        if memory.remembered[slot].0 == key {
            return memory.remembered[slot].1 as usize;
        }
        let script = self.known(form, tags, &mut memory.lower);
        let script = script.unwrap_or_else(|| self.guess(form, upos, tags, memory));
        memory.remembered[slot] = (key, script as u32);
        script
    }

    /// The script of an exception.
    pub(super) fn known(&self, form: &str, tags: Tags, lower: &mut String) -> Option<usize> {
        let get = |form: &str| {
            let full = self.lexicon.get(full_key(form, tags));
            full.or_else(|| self.lexicon.get(coarse_key(form, tags)))
        };
        let found = get(form).or_else(|| {
            lower.clear();
            lower.extend(form.chars().flat_map(char::to_lowercase));
            if lower == form { None } else { get(lower) }
        });
        found.map(|script| script as usize)
    }

    /// The script that the classifier chooses.
    pub(super) fn guess(
        &self,
        form: &str,
        upos: &str,
        tags: Tags,
        memory: &mut LemmatizerMemory,
    ) -> usize {
        let LemmatizerMemory { features: found, scores, sums, lower, starts, cased, lemma, .. } =
            memory;
        features(form, tags, lower, starts, found);
        scores.clear();
        scores.resize(self.classes.part_count(), 0.0);
        self.weights.add_scores(found, sums, scores);
        let candidates = self.by_upos.iter().find(|(known, _)| known == upos);
        let candidates = candidates.or(self.by_upos.first()).map_or(&[][..], |(_, list)| list);
        let best = self.classes.best(candidates, scores).map(usize::from);
        let fits = |&script: &usize| self.scripts[script].apply_to(form, cased, lemma);
        if let Some(best) = best.filter(fits) {
            return best;
        }
        let fitting: Vec<Class> = candidates
            .iter()
            .copied()
            .filter(|&script| self.scripts[usize::from(script)].apply_to(form, cased, lemma))
            .collect();
        self.classes.best(&fitting, scores).map_or(usize::MAX, usize::from)
    }

    /// Writes the lemmas of a sentence that has tags.
    pub fn lemmatize(&self, sentence: &mut Sentence, memory: &mut LemmatizerMemory) {
        for id in 1..=sentence.len() {
            let word = sentence.word(id);
            self.lemma(word.form(), word.upos(), word.xpos(), word.feats(), memory);
            sentence.set(id, Column::Lemma, &memory.lemma);
        }
    }

    /// How many lemmas are right in sentences with tags and lemmas, in percent.
    pub fn accuracy(&self, sentences: &[Sentence]) -> f64 {
        let mut memory = LemmatizerMemory::default();
        let (mut words, mut right) = (0usize, 0usize);
        for word in sentences.iter().flat_map(Sentence::words) {
            let lemma =
                self.lemma(word.form(), word.upos(), word.xpos(), word.feats(), &mut memory);
            right += usize::from(lemma == word.lemma());
            words += 1;
        }
        right as f64 * 100.0 / words.max(1) as f64
    }

    /// Sizes of lexicon and weights in bytes.
    pub fn sizes(&self) -> [usize; 2] {
        [self.lexicon.size(), self.weights.size()]
    }

    /// How it came about.
    pub fn training(&self) -> &LemmatizerTraining {
        &self.training
    }

    /// Its part of the header of a model.
    pub fn header(&self) -> LemmatizerHeader {
        LemmatizerHeader {
            scripts: self.scripts.clone(),
            by_upos: self.by_upos.clone(),
            script_table: self.weights.facts(),
            training: self.training.clone(),
        }
    }

    /// Its sections of a model.
    pub fn sections(&self) -> Vec<SectionBytes<'_>> {
        let mut sections = vec![self.lexicon.section(LEXICON)];
        sections.extend(self.weights.sections_named(SCRIPTS));
        sections
    }

    /// The lemmatizer in a model.
    pub fn load(container: &Container, header: LemmatizerHeader) -> Result<Lemmatizer, ModelError> {
        let LemmatizerHeader { scripts, by_upos, script_table, training } = header;
        let known = |list: &Vec<Class>| list.iter().all(|&at| usize::from(at) < scripts.len());
        if scripts.len() > MOST_SCRIPTS || !by_upos.iter().all(|(_, list)| known(list)) {
            return Err(container.damaged("its list of edit scripts is wrong"));
        }
        let classes = classes_of(&scripts);
        let parts = classes.part_count();
        Ok(Lemmatizer {
            lexicon: PackedMap::load(container, LEXICON)?,
            weights: PackedParts::load_named(container, SCRIPTS, script_table, parts)?,
            scripts,
            by_upos,
            classes,
            training,
        })
    }
}
