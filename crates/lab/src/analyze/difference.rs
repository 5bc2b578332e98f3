//! Is the difference between two systems chance? Four tests, corrected for many comparisons.
use super::corpus::Corpus;
use crate::report::{Panel, Value};
use crossarc_eval::significance::{
    Share, bootstrap, holm, mcnemar_of, paired_t_test, randomisation,
};
use crossarc_tree::seed::Seed;

/// Level of the confidence interval.
const CONFIDENCE: f64 = 0.95;

/// The panel: every two systems, on LAS.
pub fn panel(corpus: &Corpus, samples: usize, seed: Seed) -> Panel {
    let systems = corpus.systems.len();
    let shares: Vec<Vec<Share>> = (0..systems)
        .map(|system| {
            corpus.sentences.iter().map(|item| Share::of_labelled(&item.counts[system])).collect()
        })
        .collect();
    let about = format!(
        "Differences in LAS, first less second, in points. Paired t-test over sentences, McNemar's exact test over words, paired bootstrap (its 95 % interval) and approximate randomisation over sentences, {samples} samples each, seed {}. All are two-sided; the last column is randomisation after Holm's correction for all rows.",
        seed.0
    );
    let mut panel = Panel::new(
        "significance",
        "Significance",
        &about,
        [
            "first",
            "second",
            "difference",
            "from",
            "to",
            "p (t-test)",
            "p (McNemar)",
            "p (bootstrap)",
            "p (randomisation)",
            "p (corrected)",
        ],
    );
    let mut randomised = Vec::new();
    for first in 0..systems {
        for second in first + 1..systems {
            let (a, b) = (&shares[first], &shares[second]);
            let scores = |shares: &[Share]| -> Vec<f64> {
                shares.iter().filter(|share| share.whole > 0).map(|share| share.value()).collect()
            };
            let t = paired_t_test(&scores(a), &scores(b));
            let words = corpus.words().map(|(item, word)| {
                (item.right(first, word).both(), item.right(second, word).both())
            });
            let sampled = bootstrap(a, b, samples, CONFIDENCE, seed);
            let random = randomisation(a, b, samples, seed);
            randomised.push(random.map_or(1.0, |test| test.p));
            let points = |share: Option<f64>| Value::Number(share.map(|share| 100.0 * share), 2);
            panel.rows.push(vec![
                Value::text(&corpus.systems[first]),
                Value::text(&corpus.systems[second]),
                points(sampled.map(|test| test.difference)),
                points(sampled.map(|test| test.low)),
                points(sampled.map(|test| test.high)),
                Value::P(t.map(|test| test.p)),
                Value::P(Some(mcnemar_of(words).p)),
                Value::P(sampled.map(|test| test.p)),
                Value::P(random.map(|test| test.p)),
            ]);
        }
    }
    for (row, p) in panel.rows.iter_mut().zip(holm(&randomised)) {
        row.push(Value::P(Some(p)));
    }
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::small;
    use super::*;

    /// Two words each that only one system has right; sentence scores 4/6, 1 against 1, 0: the
    /// differences -1/3 and 1 have t = (1/3) / (2/3) = 1/2 with one degree of freedom.
    #[test]
    fn hand_counted() {
        let panel = panel(&small(2), 500, Seed(1));
        let row = panel.shown("a");
        assert_eq!(row[..3], ["a", "b", "0.00"]);
        let p = 1.0 - 2.0 * 0.5f64.atan() / std::f64::consts::PI;
        let Value::P(Some(found)) = panel.rows[0][5] else { panic!("{row:?}") };
        assert!((found - p).abs() < 1e-9, "{found} {p}");
        assert_eq!(row[6], "1.000");
        assert_eq!(row[9], "1.000");
    }
}
