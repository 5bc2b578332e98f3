//! Cross-fitting: tags of a training set as a tagger predicts them that has not seen them.
//!
//! A parser trained on right tags trusts them too much; one trained on the tags that the tagger
//! gives has seen its mistakes. To tag the training set honestly it is cut into folds, and each
//! fold is tagged by a tagger trained on all others ("jack-knifing").
use conll::Sentence;
use rayon::prelude::*;

use super::tagger::{Tagger, TaggerMemory};
use super::train::{TaggerError, TaggerOptions};
use crate::lemma::{Lemmatizer, LemmatizerMemory, LemmatizerOptions};
use crossarc_tree::seed::Seed;

/// How a treebank is cross-fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossFitOptions {
    /// Number of folds, 2 or more.
    pub folds: usize,
    /// Seed of the division into folds.
    pub seed: u64,
    /// Options of the taggers; `epochs` are all run.
    pub tagger: TaggerOptions,
    /// Options of the lemmatizers; lemmas stay as they are if nothing.
    pub lemmatizer: Option<LemmatizerOptions>,
}

impl Default for CrossFitOptions {
    fn default() -> CrossFitOptions {
        CrossFitOptions {
            folds: 5,
            seed: 1,
            tagger: TaggerOptions { epochs: 5, runs: 1, ..TaggerOptions::default() },
            lemmatizer: Some(LemmatizerOptions { epochs: 6, ..LemmatizerOptions::default() }),
        }
    }
}

/// The sentences in their order, with tags and lemmas predicted by taggers that were trained
/// without them. A treebank of a single sentence stays as it is.
pub fn cross_fitted(
    sentences: &[Sentence],
    options: &CrossFitOptions,
) -> Result<Vec<Sentence>, TaggerError> {
    let fold_of = Seed(options.seed).folds(sentences.len(), options.folds);
    let folds: Vec<usize> = (0..options.folds.max(2)).collect();
    let tagged: Vec<Vec<Sentence>> = folds
        .par_iter()
        .map(|&fold| {
            let part = |inside: bool| {
                let chosen = sentences.iter().zip(&fold_of);
                let chosen = chosen.filter(move |(_, of)| (**of == fold) == inside);
                chosen.map(|(sentence, _)| sentence.clone()).collect::<Vec<_>>()
            };
            let (others, mut own) = (part(false), part(true));
            if own.is_empty() || others.iter().all(Sentence::is_empty) {
                return Ok(own);
            }
            let tagger = Tagger::train(&others, &[], &options.tagger, &|_| ())?;
            let mut memory = TaggerMemory::default();
            for sentence in &mut own {
                tagger.tag(sentence, &mut memory);
            }
            if let Some(options) = &options.lemmatizer {
                let lemmatizer = Lemmatizer::train(&others, &[], options);
                let mut memory = LemmatizerMemory::default();
                for sentence in &mut own {
                    lemmatizer.lemmatize(sentence, &mut memory);
                }
            }
            Ok(own)
        })
        .collect::<Result<_, TaggerError>>()?;
    let mut folds: Vec<_> = tagged.into_iter().map(Vec::into_iter).collect();
    Ok(fold_of.iter().filter_map(|&fold| folds[fold].next()).collect())
}
