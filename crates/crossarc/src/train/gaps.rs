//! Learning from half-annotated sentences: heads that are there count, the rest is free (constrained
//! decoding; Flannery et al. 2011 learn from partial annotation, too, and Li et al. 2014 complete it).
//!
//! A parser learns from the complete sentences, then it parses the others *beside the heads that they
//! have*: what an annotator has decided stays, and rules out most of what a parser would get wrong
//! around it. A parser that has learned from all of them completes the gaps once more.
//!
//! ```
//! use crossarc::train::{TrainOptions, Unobserved, defaults, fill_gaps};
//! use crossarc::tree::seed::Seed;
//! use crossarc::tree::treebank::generate::{TreebankOptions, treebank};
//! let mut sentences = treebank(Seed(1), &TreebankOptions { sentences: 20, ..Default::default() });
//! let head = sentences[3].word(2).head();
//! sentences[3].set_head(1, None);
//! let options = TrainOptions { epochs: 2, ..defaults("arc-eager") };
//! let filled = fill_gaps(&options, &sentences, &Unobserved).unwrap();
//! assert!(filled.sentences[3].words().all(|word| word.head().is_some()));
//! assert_eq!(filled.sentences[3].word(2).head(), head);
//! assert_eq!((filled.half_annotated, filled.words), (1, 1));
//! ```
use conll::Sentence;
use rayon::prelude::*;

use super::{Observer, TrainError, TrainOptions, train};
use crate::annotate::{AnnotateOptions, Model};

/// A treebank whose gaps have been filled.
#[derive(Clone, Debug, Default)]
pub struct Filled {
    /// All sentences that have a tree now.
    pub sentences: Vec<Sentence>,
    /// How many of them lacked heads.
    pub half_annotated: usize,
    /// Heads that were missing in them.
    pub words: usize,
    /// Sentences without any head, and those whose heads contradict each other, which are left out.
    pub left_out: usize,
}

/// Rounds of learning and completing.
const ROUNDS: usize = 2;
/// Sentences that one thread takes at a time.
const CHUNK: usize = 32;

/// Completes half-annotated sentences with parsers that learn from the others, and from what is there.
pub fn fill_gaps(
    options: &TrainOptions,
    sentences: &[Sentence],
    observer: &dyn Observer,
) -> Result<Filled, TrainError> {
    let missing =
        |sentence: &Sentence| sentence.words().filter(|word| word.head().is_none()).count();
    let mut filled = Filled::default();
    let mut half: Vec<(usize, Sentence)> = Vec::new();
    for sentence in sentences {
        match missing(sentence) {
            0 => filled.sentences.push(sentence.clone()),
            gaps if gaps == sentence.len() => filled.left_out += 1,
            gaps => {
                filled.words += gaps;
                half.push((filled.sentences.len() + half.len(), sentence.clone()));
            }
        }
    }
    filled.half_annotated = half.len();
    if half.is_empty() {
        return Ok(filled);
    }
    let complete = std::mem::take(&mut filled.sentences);
    let options = TrainOptions { checkpoint: None, hold_out: false, ..options.clone() };
    for round in 1..=ROUNDS {
        observer.part(&format!("completing half-annotated sentences, round {round} of {ROUNDS}"));
        let material = if round == 1 { &complete } else { &filled.sentences };
        let trained = train(&options, material, &[], observer)?;
        let model = Model::from_bytes(&trained.to_bytes())?;
        let keep = AnnotateOptions { keep_heads: true, ..AnnotateOptions::default() };
        let chunks = half.par_chunks(CHUNK).flat_map_iter(|chunk| {
            let mut annotator = model.annotator(keep.clone());
            let one = |(place, sentence): &(usize, Sentence)| {
                let mut copy = sentence.clone();
                annotator.annotate(&mut copy).is_ok().then_some((*place, copy))
            };
            chunk.iter().map(one).collect::<Vec<_>>()
        });
        let completed: Vec<Option<(usize, Sentence)>> = chunks.collect();
        let found: Vec<(usize, Sentence)> = completed.into_iter().flatten().collect();
        let lost = half.len() - found.len();
        filled.left_out += if round == 1 { lost } else { 0 };
        filled.half_annotated = found.len();
        let mut found = found.into_iter().peekable();
        let mut others = complete.iter();
        filled.sentences.clear();
        for place in 0..complete.len() + half.len() {
            if let Some((_, sentence)) = found.next_if(|(at, _)| *at == place) {
                filled.sentences.push(sentence);
            } else if half.binary_search_by_key(&place, |(at, _)| *at).is_err() {
                filled.sentences.extend(others.next().cloned());
            }
        }
    }
    Ok(filled)
}
