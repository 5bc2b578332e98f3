//! What a parser's confidences are worth, found out on sentences that it has not seen.
//!
//! A finished model, whatever it consists of, parses held-out sentences; each arc is judged, and a
//! rising curve from what the parser said to how often it was right goes into the header of the model
//! ([`crossarc_train::calibration`]). The same for every kind of parser: it only has to say how sure
//! it is. Without development sentences a second training run leaves out a part of the treebank.
//!
//! ```
//! use crossarc::train::{TrainOptions, Unobserved, defaults, train};
//! use crossarc::tree::seed::Seed;
//! use crossarc::tree::treebank::generate::{TreebankOptions, treebank};
//! let sentences = treebank(Seed(1), &TreebankOptions { sentences: 60, ..Default::default() });
//! let (train_set, dev) = sentences.split_at(40);
//! let options = TrainOptions { epochs: 2, ..defaults("arc-eager") };
//! let trained = train(&options, train_set, dev, &Unobserved).unwrap();
//! assert!(trained.header().calibration.is_some());
//! ```
use conll::Sentence;
use rayon::prelude::*;

use crate::annotate::{AnnotateOptions, Model};
use crossarc_train::calibration::{Calibration, Judged};
use crossarc_train::parser::ParseOptions;

/// Words that are judged, at most.
const MOST_WORDS: usize = 60_000;
/// Sentences that one thread takes at a time.
const CHUNK: usize = 32;
/// The held-out part is cut into so many pieces.
const PIECES: usize = 4;
/// One in so many sentences is held out.
const SHARE: usize = 5;
/// Fewer sentences are not divided.
pub const LEAST_SENTENCES: usize = 40;

/// Parses sentences with known trees and fits what confidences are worth.
pub fn fit(model: &Model, gold: &[Sentence]) -> Calibration {
    let mut words = 0;
    let enough = gold.iter().take_while(|sentence| {
        words += sentence.len();
        words <= MOST_WORDS
    });
    let gold = &gold[..enough.count()];
    let parse = ParseOptions { confidences: true, ..ParseOptions::default() };
    let options = AnnotateOptions { parse, ..AnnotateOptions::default() };
    let judge = |chunk: &[Sentence]| -> Vec<Judged> {
        let mut annotator = model.annotator(options.clone());
        chunk.iter().flat_map(|sentence| annotator.judge(sentence)).collect()
    };
    let judged: Vec<Judged> = gold.par_chunks(CHUNK).flat_map_iter(judge).collect();
    Calibration::fit(&judged)
}

/// Which sentences are held out: whole pieces, for what stands side by side is alike.
pub fn held_out(sentences: usize) -> Vec<bool> {
    let piece = (sentences / (PIECES * SHARE)).max(1);
    (0..sentences).map(|number| (number / piece) % SHARE == SHARE / 2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_a_fifth_is_held_out_in_pieces() {
        for sentences in [40, 100, 999] {
            let held = held_out(sentences);
            let count = held.iter().filter(|&&held| held).count();
            assert!(count * 7 > sentences && count * 4 < sentences, "{count} of {sentences}");
            let pieces = held.windows(2).filter(|pair| !pair[0] && pair[1]).count();
            assert!((PIECES..=PIECES + 1).contains(&pieces), "{pieces}");
        }
    }
}
