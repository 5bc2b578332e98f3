//! Folds of a cross-validation as one result: scores are computed from the sums over all folds, as if
//! the output of all folds were one file (Björkelund and Kuhn 2012, section 3).
use std::collections::BTreeMap;

use super::cell::Outcome;
use super::figures::Figures;

/// Outcomes of which the folds of the same cell are one; others stay as they are. Cells of which a
/// fold is missing are left out. With each, the keys it is made of.
pub fn pool<'a>(outcomes: &[&'a Outcome]) -> Vec<(Outcome, Vec<&'a str>)> {
    let mut groups: Vec<Vec<&Outcome>> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for &outcome in outcomes {
        if outcome.spec.fold.is_empty() {
            groups.push(vec![outcome]);
            continue;
        }
        let mut spec = outcome.spec.clone();
        let of = spec.fold.split('/').nth(1).unwrap_or_default().to_owned();
        spec.fold = of;
        let at = *places.entry(format!("{spec:?}")).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(outcome);
    }
    groups.retain(|group| {
        let wanted = group[0].spec.fold.split('/').nth(1).and_then(|of| of.parse().ok());
        group.len() == wanted.unwrap_or(1)
    });
    groups.into_iter().map(|group| (sum(&group), keys(&group))).collect()
}

fn keys<'a>(group: &[&'a Outcome]) -> Vec<&'a str> {
    group.iter().map(|outcome| outcome.key.as_str()).collect()
}

fn sum(group: &[&Outcome]) -> Outcome {
    let mut sum = group[0].clone();
    if group.len() == 1 {
        return sum;
    }
    sum.spec.fold = String::new();
    for other in &group[1..] {
        sum.counts += other.counts;
    }
    let folds = group.len() as f64;
    let mean = |of: fn(&Figures) -> Option<f64>| -> Option<f64> {
        let values: Option<Vec<f64>> = group.iter().map(|outcome| of(&outcome.figures)).collect();
        values.map(|values| values.iter().sum::<f64>() / folds)
    };
    let words = |outcome: &&&Outcome| outcome.figures.words as f64;
    let all: f64 = group.iter().map(|outcome| words(&outcome)).sum();
    let moves: f64 =
        group.iter().map(|outcome| words(&outcome) * outcome.figures.moves_per_word).sum();
    sum.figures = Figures {
        dev_uas: mean(|f| f.dev_uas),
        dev_las: mean(|f| f.dev_las),
        train_seconds: mean(|f| f.train_seconds),
        words_per_second: mean(|f| f.words_per_second),
        model_bytes: group.iter().map(|outcome| outcome.figures.model_bytes).max().unwrap_or(0),
        moves_per_word: moves / all.max(1.0),
        epochs: sum.figures.epochs,
        best_epoch: sum.figures.best_epoch,
        train_words: sum.figures.train_words,
        features: sum.figures.features,
        ..Figures::of(&sum.counts)
    };
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::table::tests::outcome;

    #[test]
    fn scores_are_of_all_folds_together() {
        let fold = |name: &str, words: u64, right: u64| {
            let mut fold = outcome("a", "swap", 1, 0.0);
            fold.key = name.to_owned();
            fold.spec.fold = name.to_owned();
            fold.counts.attachment.words = words;
            fold.counts.attachment.labelled = right;
            fold.figures.words = words;
            fold.figures.moves_per_word = right as f64;
            fold
        };
        // Macro-averaged it were 75 %; together it is 60 of 110.
        let folds = [fold("1/2", 10, 10), fold("2/2", 100, 50)];
        let plain = outcome("b", "swap", 1, 1.0);
        let mut all: Vec<&Outcome> = folds.iter().collect();
        all.push(&plain);
        let pooled = pool(&all);
        assert_eq!(pooled.len(), 2);
        assert_eq!(pooled[0].1, ["1/2", "2/2"]);
        assert_eq!(pooled[0].0.figures.las, Some(54.545_455));
        assert!((pooled[0].0.figures.moves_per_word - 5100.0 / 110.0).abs() < 1e-9);
        assert_eq!(pooled[1].0, plain);
        assert_eq!(pool(&[&folds[0]]).len(), 0, "a fold is missing");
    }
}
