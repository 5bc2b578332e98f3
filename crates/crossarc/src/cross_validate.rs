//! Sentences of a treebank as parsers see them that were trained on the others (cross-validation): an
//! honest estimate without a test set, and a second opinion on every annotation.
//!
//! ```
//! use crossarc::cross_validate::{parsed, verdicts, worst};
//! use crossarc::train::{TrainOptions, Unobserved, defaults};
//! use crossarc::tree::seed::Seed;
//! use crossarc::tree::treebank::generate::{TreebankOptions, treebank};
//! let gold = treebank(Seed(1), &TreebankOptions { sentences: 30, ..Default::default() });
//! let options = TrainOptions { epochs: 2, ..defaults("eisner") };
//! assert_eq!(parsed(&options, &gold, 3, &Unobserved).unwrap().sentences.len(), 30);
//! let found = verdicts(&options, &gold, 3, &Unobserved).unwrap();
//! let worst = worst(&found);
//! assert!(worst[0].probability <= worst[1].probability);
//! ```
use conll::Sentence;
use rayon::prelude::*;

use crate::annotate::{AnnotateOptions, Annotator, Model, Verdict, set_score};
use crate::calibrate::LEAST_SENTENCES;
use crate::train::{Observer, TrainError, TrainOptions, train};
use crossarc_train::calibration::{Calibration, Judged};
use crossarc_train::parser::ParseOptions;
use crossarc_tree::seed::Seed;

/// Sentences that one thread takes at a time.
const CHUNK: usize = 32;
/// Where scores are to be compared, one in so many sentences says what they are worth.
const DEV_SHARE: usize = 10;

/// What a model thinks of the annotation of each word of each sentence.
pub type Verdicts = Vec<Vec<Option<Verdict>>>;

/// A word whose annotation was judged.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Suspicion {
    /// The sentence, from 0.
    pub sentence: usize,
    /// The word, from 1.
    pub word: usize,
    /// The probability of its head and label.
    pub probability: f32,
}

/// Sentences by parsers that have not seen them.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// In their order, with scores.
    pub sentences: Vec<Sentence>,
    /// What the scores of such parsers are worth, fitted on these sentences.
    pub calibration: Calibration,
}

/// Every sentence by a parser that was trained on the other folds.
pub fn parsed(
    options: &TrainOptions,
    sentences: &[Sentence],
    folds: usize,
    observer: &dyn Observer,
) -> Result<Parsed, TrainError> {
    let options = TrainOptions { hold_out: false, ..options.clone() };
    let found = each_fold(&options, sentences, folds, false, observer, |annotator, sentence| {
        let judged = annotator.judge(sentence);
        let mut parsed = sentence.clone();
        // Without given heads nothing can be wrong with a sentence.
        let _ = annotator.annotate(&mut parsed);
        (parsed, judged)
    })?;
    let (mut sentences, judged): (Vec<Sentence>, Vec<Vec<Judged>>) = found.into_iter().unzip();
    let all: Vec<Judged> = judged.iter().flatten().copied().collect();
    let calibration = Calibration::fit(&all).of_held_out();
    for (sentence, judged) in sentences.iter_mut().zip(&judged) {
        if judged.len() == sentence.len() {
            for (word, &(origin, said, _)) in (1..).zip(judged) {
                set_score(sentence, word, calibration.at(origin, said));
            }
        }
    }
    Ok(Parsed { sentences, calibration })
}

/// What parsers that were trained on the other folds think of each annotation. They learn what their scores
/// are worth from a few sentences apart: with scores on no scale all doubtful arcs would be alike.
pub fn verdicts(
    options: &TrainOptions,
    sentences: &[Sentence],
    folds: usize,
    observer: &dyn Observer,
) -> Result<Verdicts, TrainError> {
    each_fold(options, sentences, folds, true, observer, |annotator, sentence| {
        annotator.verdicts(sentence)
    })
}

/// What one model thinks of each annotation.
pub fn verdicts_of(model: &Model, sentences: &[Sentence]) -> Verdicts {
    let numbers: Vec<usize> = (0..sentences.len()).collect();
    #[allow(clippy::redundant_closure_for_method_calls, reason = "a method has one lifetime only")]
    let judge = |annotator: &mut Annotator<'_>, sentence: &Sentence| annotator.verdicts(sentence);
    let found = work(model, sentences, &numbers, judge);
    found.into_iter().map(|(_, verdicts)| verdicts).collect()
}

/// All judged words, the least probable first.
pub fn worst(verdicts: &Verdicts) -> Vec<Suspicion> {
    let of_sentence = |(sentence, words): (usize, &Vec<Option<Verdict>>)| {
        let judged = words.iter().zip(1..);
        let judged = judged.filter_map(move |(verdict, word)| {
            let probability = verdict.as_ref()?.probability;
            Some(Suspicion { sentence, word, probability })
        });
        judged.collect::<Vec<_>>()
    };
    let mut all: Vec<Suspicion> = verdicts.iter().enumerate().flat_map(of_sentence).collect();
    all.sort_by(|one, other| one.probability.total_cmp(&other.probability));
    all
}

fn each_fold<T: Send>(
    options: &TrainOptions,
    sentences: &[Sentence],
    folds: usize,
    with_dev: bool,
    observer: &dyn Observer,
    judge: impl Fn(&mut Annotator<'_>, &Sentence) -> T + Sync,
) -> Result<Vec<T>, TrainError> {
    let fold_of = Seed(options.seed).folds(sentences.len(), folds);
    let mut found: Vec<(usize, T)> = Vec::with_capacity(sentences.len());
    for fold in 0..folds.max(2) {
        let (own, others): (Vec<usize>, Vec<usize>) =
            (0..sentences.len()).partition(|&number| fold_of[number] == fold);
        if own.is_empty() {
            continue;
        }
        observer.part(&format!("fold {} of {}", fold + 1, folds.max(2)));
        let with_dev = with_dev && others.len() >= LEAST_SENTENCES;
        let (mut rest, mut dev) = (Vec::with_capacity(others.len()), Vec::new());
        for (at, number) in others.into_iter().enumerate() {
            let part = if with_dev && at % DEV_SHARE == 0 { &mut dev } else { &mut rest };
            part.push(sentences[number].clone());
        }
        let trained = train(options, &rest, &dev, observer)?;
        let model = Model::from_bytes(&trained.to_bytes())?;
        found.extend(work(&model, sentences, &own, &judge));
    }
    found.sort_by_key(|(number, _)| *number);
    Ok(found.into_iter().map(|(_, one)| one).collect())
}

/// Does something with sentences on all threads.
fn work<T: Send>(
    model: &Model,
    sentences: &[Sentence],
    numbers: &[usize],
    judge: impl Fn(&mut Annotator<'_>, &Sentence) -> T + Sync,
) -> Vec<(usize, T)> {
    let parse = ParseOptions { confidences: true, ..ParseOptions::default() };
    let options = AnnotateOptions { parse, ..AnnotateOptions::default() };
    let chunk = |numbers: &[usize]| {
        let mut annotator = model.annotator(options.clone());
        let one = |&number: &usize| (number, judge(&mut annotator, &sentences[number]));
        numbers.iter().map(one).collect::<Vec<_>>()
    };
    numbers.par_chunks(CHUNK).flat_map_iter(chunk).collect()
}
