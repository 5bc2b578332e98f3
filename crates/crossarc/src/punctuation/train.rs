//! Learning where punctuation marks hang from the trees of a treebank, and from a development set how
//! much to favour the head that the parser has found.
use conll::Sentence;
use rayon::prelude::*;

use super::gap::Sight;
use super::{MOST_BYTES, Punctuation, PunctuationMemory, Ranking, USUAL_BONUS};
use crate::annotate::{AnnotateOptions, Model};
use crossarc_learn::packed_factors::PackedFactors;
use crossarc_learn::perceptron::SparseWeights;
use crossarc_tree::seed::Seed;
use crossarc_tree::treebank::tree_of;
use crossarc_tree::{Labels, Tree};

/// Times that the treebank is read.
const EPOCHS: u64 = 4;
/// Loyalties that are tried.
const BONUSES: [f32; 8] = [0.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0];
/// Sentences that one thread takes at a time.
const CHUNK: usize = 64;

/// Learns from sentences with their trees by an averaged perceptron. Nothing if there are no marks,
/// or if most of them hang on words that cannot be seen from their gaps.
pub fn learn(sentences: &[Sentence], seed: u64) -> Option<Punctuation> {
    let mut labels = Labels::default();
    let trees: Vec<(&Sentence, Tree)> = sentences
        .iter()
        .filter_map(|sentence| Some((sentence, tree_of(sentence, &mut labels).ok()?)))
        .collect();
    let mut order: Vec<usize> = (0..trees.len()).collect();
    let mut weights = SparseWeights::default();
    let (mut sight, mut ranking) = <(Sight, Ranking)>::default();
    let (mut marks, mut seen) = (0usize, 0usize);
    let mut features = Vec::new();
    for epoch in 0..EPOCHS {
        Seed(seed).fork("punctuation", epoch).rng().shuffle(&mut order);
        for &at in &order {
            let (sentence, tree) = &trees[at];
            if !sight.look_at(sentence, tree, &labels, None) {
                continue;
            }
            for mark in (1..=tree.len()).filter(|&word| sight.is_mark(word)) {
                marks += 1;
                let best = ranking.best(&weights, 0.0, &sight, mark);
                let gold = sight.head(mark);
                let right = ranking.candidates.iter().find(|candidate| candidate.node == gold);
                let (Some(best), Some(&right)) = (best, right) else { continue };
                seen += 1;
                weights.tick();
                if best.node == gold {
                    continue;
                }
                features.clear();
                sight.features(mark, right, &mut features);
                weights.update(&features, &[(0, 1.0)]);
                features.clear();
                sight.features(mark, best, &mut features);
                weights.update(&features, &[(0, -1.0)]);
            }
        }
    }
    (seen * 2 > marks).then(|| Punctuation {
        weights: PackedFactors::pack(&weights, 1, MOST_BYTES),
        bonus: USUAL_BONUS,
    })
}

/// What fitting has found.
pub(crate) struct Fitted {
    /// With its bonus.
    pub punctuation: Punctuation,
    /// Words more of the development set with the right head, and with the right head and label.
    pub gain: [usize; 2],
    /// Words of the development set.
    pub words: usize,
}

/// Fits bonus to what a parser makes of the development set. Nothing if marks are best left where
/// the parser has put them.
pub(crate) fn fit(punctuation: &Punctuation, model: &Model, dev: &[Sentence]) -> Option<Fitted> {
    let tried = BONUSES.map(|bonus| Punctuation { bonus, ..punctuation.clone() });
    let count = |chunk: &[Sentence]| {
        let mut annotator = model.annotator(AnnotateOptions::default());
        let mut memory = PunctuationMemory::default();
        let mut counts = [[0isize; 2]; BONUSES.len()];
        for gold in chunk {
            let (mut parsed, mut labels) = (gold.clone(), Labels::default());
            if annotator.annotate(&mut parsed).is_err() {
                continue;
            }
            let Ok(tree) = tree_of(&parsed, &mut labels) else { continue };
            for (counts, punctuation) in counts.iter_mut().zip(&tried) {
                let attached =
                    punctuation.attach(&parsed, &labels, None, tree.clone(), &mut memory);
                for (word, (gold, own)) in tree.words().zip(gold.words().zip(parsed.words())) {
                    let is_right =
                        |tree: &Tree| isize::from(gold.head() == Some(tree.head(word).0));
                    let gain = is_right(&attached) - is_right(&tree);
                    counts[0] += gain;
                    counts[1] += gain * isize::from(gold.deprel() == own.deprel());
                }
            }
        }
        counts
    };
    let gains = dev.par_chunks(CHUNK).map(count).reduce(Default::default, |mut sums, counts| {
        for (sum, count) in sums.iter_mut().flatten().zip(counts.iter().flatten()) {
            *sum += count;
        }
        sums
    });
    // Of equals the last: the largest.
    let (punctuation, gain) = tried.into_iter().zip(gains).max_by_key(|(_, gain)| gain[1])?;
    let gain = gain.map(|words| words.max(0).cast_unsigned());
    let words = dev.iter().map(Sentence::len).sum();
    (gain[1] > 0).then_some(Fitted { punctuation, gain, words })
}
