//! Training of a lemmatizer.
use std::collections::{BTreeMap, HashMap};

use conll::Sentence;

use super::lemmatizer::{
    Lemmatizer, LemmatizerMemory, LemmatizerTraining, MOST_SCRIPTS, Tags, classes_of, coarse_key,
    features, full_key,
};
use super::script::EditScript;
use crossarc_learn::composite::{Class, Learner, PackedParts, Rate};
use crossarc_learn::packed::{PackedMap, Weighing};
use crossarc_learn::perceptron::SparseWeights;
use crossarc_tree::seed::Seed;

/// What may be chosen about training a lemmatizer.
#[derive(Clone, Debug, PartialEq)]
pub struct LemmatizerOptions {
    /// Epochs at most.
    pub epochs: usize,
    /// Stop after this many epochs without a better score on the development set.
    pub patience: usize,
    /// Length of a step.
    pub step: f32,
    /// Different words that must take a script before unseen words may.
    pub least_types: usize,
    /// Weights below this are dropped from the model.
    pub prune: f32,
    /// Drop more weights until they have at most this many bytes.
    pub most_bytes: Option<usize>,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for LemmatizerOptions {
    fn default() -> LemmatizerOptions {
        LemmatizerOptions {
            epochs: 12,
            patience: 3,
            step: 0.1,
            least_types: 2,
            prune: 0.02,
            most_bytes: None,
            seed: 1,
        }
    }
}

/// How many words take each script.
type Counts = BTreeMap<Class, usize>;

/// A form with its tags.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Type<'a> {
    form: &'a str,
    upos: &'a str,
    xpos: &'a str,
    feats: &'a str,
}

impl<'a> Type<'a> {
    fn of(word: &conll::Word<'a>) -> Type<'a> {
        let (upos, xpos, feats) = (word.upos(), word.xpos(), word.feats());
        Type { form: word.form(), upos, xpos, feats }
    }

    fn tags(&self) -> Tags {
        Tags::new(self.upos, self.xpos, self.feats)
    }
}

struct Example<'a> {
    word: Type<'a>,
    script: Class,
    count: usize,
    features: Vec<u64>,
}

impl Lemmatizer {
    /// Trains a lemmatizer on the lemmas and tags of a treebank; `dev` may be empty, and then all
    /// epochs are run.
    pub fn train(train: &[Sentence], dev: &[Sentence], options: &LemmatizerOptions) -> Lemmatizer {
        let mut lemmas: BTreeMap<Type<'_>, BTreeMap<&str, usize>> = BTreeMap::new();
        for word in train.iter().flat_map(Sentence::words) {
            *lemmas.entry(Type::of(&word)).or_default().entry(word.lemma()).or_default() += 1;
        }
        // The most frequent lemma of each type.
        let types: Vec<(Type<'_>, EditScript, usize)> = lemmas
            .iter()
            .filter_map(|(word, lemmas)| {
                let (lemma, _) = lemmas.iter().max_by_key(|entry| *entry.1)?;
                let script = EditScript::between(word.form, lemma);
                Some((*word, script, lemmas.values().sum()))
            })
            .collect();
        let scripts = scripts_of(&types);
        let classes = classes_of(&scripts);
        let numbers: HashMap<&EditScript, Class> = scripts.iter().zip(0..).collect();
        let (mut lower, mut starts) = (String::new(), Vec::new());
        let examples: Vec<Example<'_>> = types
            .iter()
            .filter_map(|(word, script, count)| {
                let mut found = Vec::new();
                features(word.form, word.tags(), &mut lower, &mut starts, &mut found);
                let (script, count) = (*numbers.get(script)?, *count);
                Some(Example { word: *word, script, count, features: found })
            })
            .collect();
        let by_upos = candidates(&examples, options.least_types);
        let mut lemmatizer = Lemmatizer {
            lexicon: PackedMap::build([]),
            weights: PackedParts::pack(&SparseWeights::default(), classes.part_count(), 0.0),
            training: LemmatizerTraining {
                words: train.iter().map(Sentence::len).sum(),
                types: examples.len(),
                ..LemmatizerTraining::default()
            },
            scripts,
            by_upos,
            classes,
        };
        lemmatizer.learn(&examples, dev, options);
        lemmatizer.note_exceptions(&examples);
        if !dev.is_empty() {
            lemmatizer.training.dev = Some(lemmatizer.accuracy(dev));
        }
        lemmatizer
    }

    fn learn(&mut self, examples: &[Example<'_>], dev: &[Sentence], options: &LemmatizerOptions) {
        let rate = Rate { step: options.step, least_chance: 0.01, margin: 0.0 };
        let places: HashMap<&str, usize> =
            self.by_upos.iter().map(|(upos, _)| upos.as_str()).zip(0..).collect();
        let mut learner = Learner::default();
        let mut best: Option<(f64, usize, PackedParts)> = None;
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let parts = self.classes.part_count();
        let pack = |weights: &SparseWeights| {
            let prune = options.most_bytes.map_or(options.prune, |most| {
                let lists = weights.averaged().map(|(_, list)| list);
                Weighing::of_lists(lists).prune_for(most, options.prune)
            });
            PackedParts::pack(weights, parts, prune)
        };
        for epoch in 1..=options.epochs {
            Seed(options.seed).fork("lemmatizer", epoch as u64).rng().shuffle(&mut order);
            for &at in &order {
                let example = &examples[at];
                let Some(&place) = places.get(example.word.upos) else { continue };
                let candidates = &self.by_upos[place].1;
                if candidates.binary_search(&example.script).is_ok() {
                    let Example { features, script, .. } = example;
                    learner.learn(features, &self.classes, candidates, *script, rate);
                }
            }
            if dev.is_empty() {
                continue;
            }
            self.weights = pack(&learner.weights);
            let score = self.accuracy(dev);
            if best.as_ref().is_none_or(|best| score > best.0) {
                best = Some((score, epoch, self.weights.clone()));
            } else if best.as_ref().is_some_and(|best| epoch - best.1 >= options.patience) {
                break;
            }
        }
        self.weights = match best {
            Some((_, _, weights)) => weights,
            None => pack(&learner.weights),
        };
    }

    /// Puts into the lexicon what is wrong without it.
    fn note_exceptions(&mut self, examples: &[Example<'_>]) {
        let mut memory = LemmatizerMemory::default();
        let mut rows: BTreeMap<u64, (u64, f32)> = BTreeMap::new();
        // The most frequent script of each form with its UPOS, where one of its types is wrong.
        let mut coarse: BTreeMap<(&str, &str), (bool, Counts)> = BTreeMap::new();
        for example in examples {
            let word = &example.word;
            let guess = self.guess(word.form, word.upos, word.tags(), &mut memory);
            let entry = coarse.entry((word.form, word.upos)).or_default();
            entry.0 |= guess != usize::from(example.script);
            *entry.1.entry(example.script).or_default() += example.count;
        }
        for ((form, upos), (wrong, scripts)) in &coarse {
            if let Some((&script, &count)) = scripts.iter().max_by_key(|entry| *entry.1)
                && *wrong
            {
                let key = coarse_key(form, Tags::new(upos, "_", "_"));
                rows.insert(key, (u64::from(script), count as f32));
            }
        }
        // Twice, since an entry can hide that of a form in lower case.
        for _ in 0..2 {
            self.lexicon = PackedMap::build(rows.iter().map(|(&key, &(s, i))| (key, s, i)));
            for example in examples {
                let word = &example.word;
                let script = self
                    .known(word.form, word.tags(), &mut String::new())
                    .unwrap_or_else(|| self.guess(word.form, word.upos, word.tags(), &mut memory));
                if script != usize::from(example.script) {
                    let key = full_key(word.form, word.tags());
                    rows.insert(key, (u64::from(example.script), example.count as f32));
                }
            }
        }
        self.lexicon = PackedMap::build(rows.iter().map(|(&key, &(s, i))| (key, s, i)));
        self.training.exceptions = rows.len();
    }
}

/// All scripts, those of many types first.
fn scripts_of(types: &[(Type<'_>, EditScript, usize)]) -> Vec<EditScript> {
    let mut counts: BTreeMap<&EditScript, usize> = BTreeMap::new();
    for (_, script, _) in types {
        *counts.entry(script).or_default() += 1;
    }
    let mut scripts: Vec<_> = counts.into_iter().collect();
    scripts.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    scripts.truncate(MOST_SCRIPTS);
    scripts.into_iter().map(|(script, _)| script.clone()).collect()
}

/// Scripts that unseen words with each UPOS may have, most frequent UPOS first.
fn candidates(examples: &[Example<'_>], least_types: usize) -> Vec<(String, Vec<Class>)> {
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for example in examples {
        *counts.entry(example.word.upos).or_default().entry(example.script).or_default() += 1;
    }
    let mut lists: Vec<_> = counts.into_iter().collect();
    lists.sort_by_key(|(upos, list)| (std::cmp::Reverse(list.values().sum::<usize>()), *upos));
    let frequent = |list: Counts| {
        let most = list.values().copied().max().unwrap_or(0);
        let least = least_types.min(most);
        list.into_iter().filter(|entry| entry.1 >= least).map(|entry| entry.0).collect()
    };
    lists.into_iter().map(|(upos, list)| (upos.to_owned(), frequent(list))).collect()
}
