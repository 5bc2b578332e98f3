//! One cell of a grid: a parser trained on a treebank and measured on its test set.
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use conll::{ReadOptions, Reader, Roots, Sentence};
use serde::{Deserialize, Serialize};

use super::figures::Figures;
use super::parts::Parts;
use super::recipe::{Plan, Recipe};
use super::store::Store;
use super::trace::Trace;
use super::treebanks::{Sentences, Tags, Treebank};
use crate::processor_time::thread_seconds;
use crossarc::annotate::{AnnotateError, AnnotateOptions, Model};
use crossarc::combine::bundle::VOTE;
use crossarc::combine::training::train_part;
use crossarc::teacher::{HeldOut, TeachingError, lessons};
use crossarc::train::{LEARNING, Observer, TrainError, TrainOptions, is_graph_parser};
use crossarc_eval::Settings;
use crossarc_graph::decoder::Decoder;
use crossarc_graph::decoders::Carreras;
use crossarc_learn::features::hash;
use crossarc_model::ModelError;
use crossarc_text::lemma::{Lemmatizer, LemmatizerMemory};
use crossarc_text::tag::{CrossFitOptions, Tagger, TaggerError, TaggerMemory, cross_fitted};
use crossarc_train::observer::EpochSummary;

/// Memory that a cell takes even for a small treebank.
const MEMORY_OF_A_CELL: u64 = 200 << 20;
/// Memory that a cell takes for a byte of its training files.
const MEMORY_FOR_A_BYTE: u64 = 24;
/// Work of a cell besides training, where training a greedy parser is 1.
const WORK_OF_A_CELL: f64 = 0.5;
/// Work of training graph parsers, as much as with a beam so wide.
const WORK_OF_GRAPH_PARSERS: f64 = 4.0;
const WORK_OF_SECOND_ORDER: f64 = 20.0;
/// Parsing is timed this often, and the best run counts.
const RUNS: usize = 3;

/// Where a cell stands in its grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Spec {
    /// Name of the treebank.
    pub treebank: String,
    /// Name of the transition system.
    pub parser: String,
    /// Name of the oracle.
    pub oracle: String,
    /// Name of the learner.
    #[serde(default = "perceptron", skip_serializing_if = "is_perceptron")]
    pub learner: String,
    /// Name of the feature set.
    pub features: String,
    /// Width of the beam.
    pub beam: usize,
    /// Names of the codecs, or `none`.
    pub codec: String,
    /// The parts that guide it or vote, if any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub with: String,
    /// How many sentences are trained on, all if nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// Where the tags come from.
    #[serde(default = "gold_tags")]
    pub tags: String,
    /// The fold of a cross-validation, such as `3/10`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fold: String,
    /// Seed.
    pub seed: u64,
    /// What else was chosen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
}

fn perceptron() -> String {
    "perceptron".to_owned()
}

fn is_perceptron(learner: &str) -> bool {
    learner == "perceptron"
}

fn gold_tags() -> String {
    "gold".to_owned()
}

/// A cell that can be trained.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Where it stands.
    pub spec: Spec,
    /// How it is trained.
    pub options: TrainOptions,
    /// What it is trained on.
    pub treebank: Arc<Treebank>,
    /// Which of its sentences.
    pub parts: Parts,
    /// Where the tags come from.
    pub tags: Tags,
    /// Stands for everything that determines the outcome.
    pub key: String,
    /// Where trained parts are kept that other cells may share.
    pub parts_folder: Option<PathBuf>,
}

/// A cell that has been measured: one line of the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Outcome {
    /// The key of the cell.
    pub key: String,
    /// Where it stands.
    #[serde(flatten)]
    pub spec: Spec,
    /// Version of the program.
    pub program: String,
    /// CRC-32 of the training, development and test files.
    pub checksums: [u32; 3],
    /// True if a part of the training set served as development set.
    #[serde(default)]
    pub held_out: bool,
    /// What was counted.
    #[serde(default)]
    pub counts: crossarc_eval::Counts,
    /// What was measured.
    pub figures: Figures,
}

/// Why a cell cannot be measured.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each says what the error inside says")]
pub enum CellError {
    #[error(transparent)]
    Read(#[from] conll::Error),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Annotate(#[from] AnnotateError),
    #[error(transparent)]
    Eval(#[from] crossarc_eval::Error),
    #[error(transparent)]
    Tagger(#[from] TaggerError),
    #[error(transparent)]
    Teaching(#[from] TeachingError),
    /// Training was ended from outside.
    #[error("interrupted")]
    Interrupted,
}

/// Watches the training of one cell, and may end it.
pub trait CellObserver: Sync {
    /// An epoch has ended.
    fn end_epoch(&self, _summary: &EpochSummary) {}
    /// True if the cell should be given up.
    fn should_stop(&self) -> bool {
        false
    }
}

struct Watch<'a> {
    observer: &'a dyn CellObserver,
    store: Store,
}

impl Observer for Watch<'_> {
    fn end_epoch(&self, summary: &EpochSummary) {
        self.observer.end_epoch(summary);
    }

    fn known_part(&self, key: &str) -> Option<Vec<u8>> {
        self.store.get(key)
    }

    fn keep_part(&self, key: &str, bytes: &[u8]) {
        self.store.put(key, bytes);
    }

    fn should_stop(&self) -> bool {
        self.observer.should_stop()
    }
}

/// Stands for all cells of a recipe, with all that determines them, and for its tables about treebanks.
pub fn fingerprint(recipe: &Recipe, cells: &[Cell]) -> String {
    let mut keys: Vec<&str> = cells.iter().map(|cell| cell.key.as_str()).collect();
    keys.sort_unstable();
    let mut text = format!("{} {}", env!("CARGO_PKG_VERSION"), keys.join(" "));
    if !recipe.statistics.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(text, " {:?} {:?}", recipe.statistics, recipe.treebanks());
    }
    format!("{:08x}", crc32fast::hash(text.as_bytes()))
}

impl Cell {
    /// A plan on a treebank.
    pub fn new(plan: &Plan, treebank: Arc<Treebank>) -> Cell {
        let Plan { spec, options, parts, tags } = plan.clone();
        // Every option of training is named: one more option, or another value of one, default or not, is
        // another key. Options of graph parsers say nothing about others.
        let mut described = options.canonical();
        if !is_graph_parser(&options.parser) {
            described.remove("graph");
        }
        let described = serde_json::Value::Object(described);
        let measured = if options.partial { "words without a head stay so\n" } else { "" };
        let text = format!(
            "{} {LEARNING}\n{measured}{spec:?}\n{described}\n{parts:?} {tags:?}\n{:?}",
            env!("CARGO_PKG_VERSION"),
            treebank.checksums
        );
        let key = format!("{:016x}{:08x}", hash::text(&text), crc32fast::hash(text.as_bytes()));
        Cell { spec, options, treebank, parts, tags, key, parts_folder: None }
    }

    /// Stands for the sentences it is trained and measured on.
    pub fn data(&self) -> String {
        format!("{} {:?} {:?}", self.treebank.name, self.tags, self.parts)
    }

    /// How much work each of the cells is compared with the others, if they run in this order: what one
    /// has trained the next need not train again.
    pub fn weights(cells: &[&Cell]) -> Vec<f64> {
        let mut trained = HashSet::new();
        let weight = |cell: &&Cell| {
            let work = WORK_OF_A_CELL + work(&cell.options, &cell.data(), &mut trained);
            cell.treebank.size.max(1) as f64 * work
        };
        cells.iter().map(weight).collect()
    }

    /// About how many bytes of memory it needs: the treebank as sentences, as words with hashed
    /// attributes and as lessons, and the weights, which grow with it. A rough guess on the safe
    /// side.
    pub fn memory(&self) -> u64 {
        MEMORY_OF_A_CELL + self.treebank.size * MEMORY_FOR_A_BYTE
    }

    /// The sentences it is trained and measured on, tagged as it wants them.
    pub fn sentences(&self) -> Result<Sentences, CellError> {
        let mut taken = self.parts.take(&self.treebank.read(self.tags)?);
        if self.tags == Tags::Tagger {
            let options = CrossFitOptions::default();
            let tagger = Tagger::train(&taken.train, &[], &options.tagger, &|_| ())?;
            let lemmatizer = options
                .lemmatizer
                .as_ref()
                .map(|options| Lemmatizer::train(&taken.train, &[], options));
            let mut memory = TaggerMemory::default();
            let mut lemmas = LemmatizerMemory::default();
            for sentence in taken.dev.iter_mut().chain(&mut taken.test) {
                tagger.tag(sentence, &mut memory);
                if let Some(lemmatizer) = &lemmatizer {
                    lemmatizer.lemmatize(sentence, &mut lemmas);
                }
            }
            taken.train = cross_fitted(&taken.train, &options)?;
        }
        Ok(taken)
    }

    /// What is learned from text, without the sentences that are measured.
    fn lessons(
        &self,
        sentences: &Sentences,
        observer: &dyn CellObserver,
    ) -> Result<Vec<Sentence>, CellError> {
        let Some(teaching) = &self.options.teaching else { return Ok(Vec::new()) };
        let mut held_out = HeldOut::default();
        held_out.add(&sentences.dev);
        held_out.add(&sentences.test);
        let lessons = lessons(teaching, held_out, Some(1), &|| observer.should_stop())?;
        Ok(lessons.sentences)
    }

    /// Trains and measures. All work is done on the calling thread if that is the only thread of
    /// its pool, else times cover a part of it only.
    pub fn run(
        &self,
        sentences: &Sentences,
        observer: &dyn CellObserver,
    ) -> Result<(Outcome, Trace), CellError> {
        let watch = Watch { observer, store: Store::new(self.parts_folder.clone()) };
        let before = thread_seconds();
        let lessons = self.lessons(sentences, observer)?;
        let train = match &lessons[..] {
            [] => Cow::Borrowed(&sentences.train),
            lessons => Cow::Owned([&sentences.train, lessons].concat()),
        };
        let trained = train_part(&self.options, &train, &sentences.dev, &watch);
        if observer.should_stop() {
            return Err(CellError::Interrupted);
        }
        let bytes = trained?;
        let train_seconds = spent(before).map(|seconds| seconds + watch.store.saved());
        let train_seconds = train_seconds.filter(|&seconds| seconds > 0.0);
        let model = Model::from_bytes(&bytes)?;
        let training = model.header.training.clone();
        let features = model.header.graph().map(|graph| graph.counts);
        let features = features.filter(|counts| counts.gold > 0);
        let (parsed, steps, parse_seconds) = parse(&model, &sentences.test)?;
        let mut trace = Trace::default();
        for ((gold, parsed), &steps) in sentences.test.iter().zip(&parsed).zip(&steps) {
            trace.add(gold, parsed, steps);
        }
        let steps: usize = steps.iter().sum();
        let counts = score(&sentences.test, &parsed)?;
        let scores = Figures::of(&counts);
        let words = scores.words.max(1) as f64;
        let figures = Figures {
            dev_uas: training.dev_uas,
            dev_las: training.dev_las,
            epochs: training.epochs,
            best_epoch: training.best_epoch,
            train_words: training.words,
            train_seconds: train_seconds.map(|seconds| (seconds * 100.0).round() / 100.0),
            words_per_second: parse_seconds.map(|seconds| (words / seconds).round()),
            model_bytes: bytes.len() as u64,
            moves_per_word: (steps as f64 / words * 1e4).round() / 1e4,
            features,
            ..scores
        };
        let outcome = Outcome {
            key: self.key.clone(),
            spec: self.spec.clone(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            checksums: self.treebank.checksums,
            held_out: self.treebank.is_held_out(),
            counts,
            figures,
        };
        Ok((outcome, trace))
    }
}

/// About how much work training is, compared with one greedy parser; none if it was done on these data.
fn work(options: &TrainOptions, data: &str, trained: &mut HashSet<String>) -> f64 {
    if !trained.insert(format!("{data} {options:?}")) {
        return 0.0;
    }
    let own = match options.parser.as_str() {
        VOTE => 0.0,
        Carreras::NAME => WORK_OF_SECOND_ORDER,
        parser if is_graph_parser(parser) => WORK_OF_GRAPH_PARSERS,
        _ => options.beam.max(1) as f64,
    };
    let own = own * options.runs.max(1) as f64;
    let Some(combination) = &options.combination else { return own };
    let mut guides = 0.0;
    for guide in &combination.guides {
        let folds = combination.folds.max(1) as f64;
        // Each fold is trained on all of the others.
        guides += work(guide, &format!("{data} folds"), trained) * (folds - 1.0);
        guides += work(guide, data, trained);
    }
    let members = combination.members.iter().map(|member| work(member, data, trained));
    own + guides + members.sum::<f64>()
}

fn spent(before: Option<f64>) -> Option<f64> {
    Some(thread_seconds()? - before?)
}

/// The parsed sentences, the moves each took, and the least processor time.
type Parsed = (Vec<Sentence>, Vec<usize>, Option<f64>);

/// Parses several times.
fn parse(model: &Model, gold: &[Sentence]) -> Result<Parsed, CellError> {
    let mut best: Option<f64> = None;
    let mut parsed = Vec::new();
    let mut steps = Vec::new();
    for _ in 0..RUNS {
        parsed = gold.to_vec();
        steps.clear();
        // A permissive system is measured as it is: what it leaves without a head is not right.
        let options = AnnotateOptions { headless: true, ..AnnotateOptions::default() };
        let mut annotator = model.annotator(options);
        let before = thread_seconds();
        for sentence in &mut parsed {
            steps.push(annotator.annotate(sentence)?.steps);
        }
        let seconds = spent(before).filter(|&seconds| seconds > 0.0);
        best = best.into_iter().chain(seconds).reduce(f64::min);
    }
    Ok((parsed, steps, best))
}

fn score(gold: &[Sentence], parsed: &[Sentence]) -> Result<crossarc_eval::Counts, CellError> {
    // What is parsed may have words without a head.
    let reader = |name: &str, sentences: &[Sentence], check_trees: bool| {
        let mut text = Vec::new();
        for sentence in sentences {
            // Writing to memory cannot fail.
            let _ = sentence.write_to(&mut text);
        }
        let format = sentences.first().map(Sentence::format);
        let options = ReadOptions { format, roots: Roots::Any, check_trees, ..Default::default() };
        Reader::from_bytes(name, text, options)
    };
    let mut total = crossarc_eval::Counts::default();
    let mut systems = [reader("parsed", parsed, false)?];
    let mut gold = reader("gold", gold, true)?;
    crossarc_eval::compare(&mut gold, &mut systems, Settings::default(), |scored| {
        total += scored.counts;
    })?;
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc::combine::Combination;
    use crossarc_tree::seed::Seed;
    use crossarc_tree::treebank::generate::{TreebankOptions, treebank};

    /// Words that a permissive parser leaves without a head count as wrong.
    #[test]
    fn permissive_parsers_are_measured_as_they_are() {
        let sample = TreebankOptions { sentences: 20, vocabulary: 20, ..Default::default() };
        let sentences = treebank(Seed(29), &sample);
        let with_head = |partial: bool| {
            let parser = "covington".to_owned();
            let options = TrainOptions { parser, partial, epochs: 1, ..TrainOptions::default() };
            let unwatched = crossarc::train::Unobserved;
            let bytes = train_part(&options, &sentences[..10], &[], &unwatched).unwrap();
            let (parsed, ..) =
                parse(&Model::from_bytes(&bytes).unwrap(), &sentences[10..]).unwrap();
            score(&sentences[10..], &parsed).unwrap().nonprojective.words_with_head().unwrap()
        };
        assert!(with_head(true) < 1.0);
        assert_eq!(with_head(false), 1.0);
    }

    #[test]
    fn what_was_trained_is_no_work_again() {
        let parser = |name: &str, beam| TrainOptions {
            parser: name.to_owned(),
            beam,
            ..TrainOptions::default()
        };
        let (graph, beam) = (parser("carreras", 1), parser("swap", 8));
        let combined = |options: TrainOptions, combination| TrainOptions {
            combination: Some(Box::new(combination)),
            ..options
        };
        let guided = combined(
            beam.clone(),
            Combination { guides: vec![graph.clone()], folds: 3, ..Combination::default() },
        );
        let members = vec![graph.clone(), beam.clone(), guided.clone()];
        let vote = combined(parser(VOTE, 1), Combination { members, ..Combination::default() });
        let mut trained = HashSet::new();
        let mut work = |options: &TrainOptions, data| work(options, data, &mut trained);
        assert_eq!(work(&beam, "a"), 8.0);
        assert_eq!(work(&guided, "a"), 8.0 + 3.0 * WORK_OF_SECOND_ORDER);
        assert_eq!(work(&graph, "a"), 0.0, "trained as a guide");
        assert_eq!(work(&vote, "a"), 0.0);
        assert_eq!(work(&vote, "b"), 8.0 + 8.0 + 3.0 * WORK_OF_SECOND_ORDER);
    }
}
