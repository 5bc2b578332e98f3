//! Which sentences a cell trains and is measured on: folds of a cross-validation, the first sentences
//! of a learning curve, a small version of everything.
use conll::Sentence;

use super::treebanks::{HELD_OUT, Sentences};

/// One fold of a cross-validation on the training set.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Which, from 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

impl Fold {
    /// `3/10`; nothing for no fold.
    pub fn name(fold: Option<Fold>) -> String {
        fold.map_or(String::new(), |fold| format!("{}/{}", fold.number, fold.of))
    }
}

/// What is taken of a treebank.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Every `of`-th sentence of the training set is the test set, the others are trained on.
    pub fold: Option<Fold>,
    /// Train on the first so many sentences.
    pub size: Option<usize>,
    /// Of the training set and of the test set, only the first so many sentences exist.
    pub small: Option<(usize, usize)>,
}

impl Parts {
    /// The sentences of a cell. In a fold, the development set stays what it is if there is one, and
    /// is the last tenth of what is left to train on if not.
    pub fn take(&self, all: &Sentences) -> Sentences {
        let Sentences { mut train, mut dev, mut test, held_out } = all.clone();
        if let Some((of_train, of_test)) = self.small {
            train.truncate(of_train);
            dev.truncate(of_test);
            test.truncate(of_test);
        }
        if let Some(fold) = self.fold {
            if held_out {
                train.append(&mut dev);
            }
            let is_test = |at: usize| at % fold.of.max(1) + 1 == fold.number;
            let (in_fold, rest): (Vec<_>, Vec<_>) =
                train.into_iter().enumerate().partition(|(at, _)| is_test(*at));
            let strip = |pairs: Vec<(usize, Sentence)>| pairs.into_iter().map(|(_, s)| s).collect();
            test = strip(in_fold);
            train = strip(rest);
            if held_out {
                dev = train.split_off(train.len() - train.len() / HELD_OUT);
            }
        }
        if let Some(size) = self.size {
            train.truncate(size);
        }
        Sentences { train, dev, test, held_out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;
    use crossarc_tree::treebank::generate::{TreebankOptions, treebank};

    fn forms(sentences: &[Sentence]) -> Vec<String> {
        sentences.iter().map(|s| s.words().map(|w| w.form().to_owned()).collect()).collect()
    }

    #[test]
    fn every_sentence_is_tested_once() {
        let of = |seed, sentences| {
            treebank(Seed(seed), &TreebankOptions { sentences, ..Default::default() })
        };
        for held_out in [false, true] {
            let all = Sentences { train: of(1, 23), dev: of(2, 5), test: of(3, 4), held_out };
            let mut tested = Vec::new();
            for number in 1..=4 {
                let parts = Parts { fold: Some(Fold { number, of: 4 }), ..Parts::default() };
                let taken = parts.take(&all);
                let whole = if held_out { 28 } else { 23 };
                let dev = if held_out { taken.dev.len() } else { 0 };
                assert_eq!(taken.train.len() + dev + taken.test.len(), whole);
                assert_eq!(taken.dev.len(), if held_out { 21 / HELD_OUT } else { 5 });
                let trained = forms(&taken.train);
                assert!(forms(&taken.test).iter().all(|s| !trained.contains(s)), "apart");
                tested.extend(forms(&taken.test));
            }
            let mut expected = forms(&all.train);
            if held_out {
                expected.extend(forms(&all.dev));
            }
            tested.sort();
            expected.sort();
            assert_eq!(tested, expected);
        }
    }

    #[test]
    fn the_first_sentences() {
        let train = treebank(Seed(1), &TreebankOptions { sentences: 9, ..Default::default() });
        let all = Sentences { train: train.clone(), test: train.clone(), ..Sentences::default() };
        let taken = Parts { size: Some(3), ..Parts::default() }.take(&all);
        assert_eq!(forms(&taken.train), forms(&train[..3]));
        assert_eq!(taken.test.len(), 9);
        let taken = Parts { small: Some((5, 2)), size: Some(99), fold: None }.take(&all);
        assert_eq!((taken.train.len(), taken.test.len()), (5, 2));
    }
}
