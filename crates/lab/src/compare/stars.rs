//! Which differences in a table are not chance: the rows of every column against one of them, on the
//! same sentences.
use serde::Deserialize;

use super::cell::Outcome;
use super::figures::{Axis, Measure};
use super::recipe::TableSpec;
use super::table::{Table, places};
use super::trace::Trace;
use crossarc_eval::significance::{
    Share, bootstrap, holm, mcnemar_of, paired_t_test, randomisation, stars,
};
use crossarc_tree::seed::Seed;

/// How to test.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SignificanceSpec {
    /// Which test.
    pub test: Test,
    /// Which row the others are compared with.
    pub against: Against,
    /// Rows by their numbers from 1, each with the one it is compared with; instead of `against`.
    pub pairs: Vec<[usize; 2]>,
    /// What is paired in a t-test.
    pub over: Over,
    /// Correct for many comparisons.
    pub correction: Correction,
    /// Samples of the bootstrap and of randomisation; 1000 if nothing.
    pub samples: Option<usize>,
    /// Their seed.
    pub seed: u64,
}

/// A test of significance.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Student's paired t-test.
    #[default]
    PairedT,
    /// `McNemar`'s exact test over words.
    Mcnemar,
    /// Paired bootstrap over sentences.
    Bootstrap,
    /// Approximate randomisation over sentences.
    Randomisation,
}

/// A row of the table.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Against {
    /// The first: a baseline.
    #[default]
    First,
    /// The best of the column.
    Best,
}

/// What is paired in a t-test.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Scores of sentences.
    #[default]
    Sentences,
    /// Scores of folds, or of runs with different seeds.
    Folds,
}

/// A correction for many comparisons.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Correction {
    /// None.
    #[default]
    None,
    /// Holm's, over the rows of a column.
    Holm,
}

/// A result and what it is made of: one trace, or one for each fold.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The result.
    pub outcome: Outcome,
    /// The traces; empty if a file is missing.
    pub traces: Vec<Trace>,
}

/// The probability that runs differ as much as these by chance; nothing if they are not on the same
/// sentences.
fn p_value(
    spec: &SignificanceSpec,
    first: &[&Trace],
    second: &[&Trace],
    labelled: bool,
) -> Option<f64> {
    let lengths = |traces: &[&Trace]| -> Vec<usize> {
        traces.iter().flat_map(|trace| trace.right.iter().map(String::len)).collect()
    };
    if first.is_empty() || first.len() != second.len() || lengths(first) != lengths(second) {
        return None;
    }
    let shares = |traces: &[&Trace]| -> Vec<Share> {
        traces.iter().flat_map(|trace| trace.shares(labelled)).collect()
    };
    let samples = spec.samples.unwrap_or(1000);
    match spec.test {
        Test::PairedT => {
            let scores = |traces: &[&Trace]| -> Vec<f64> {
                let of_fold = |trace: &&Trace| {
                    let all = trace.shares(labelled);
                    let sum = |of: fn(&Share) -> u64| all.iter().map(of).sum::<u64>();
                    Share { part: sum(|s| s.part), whole: sum(|s| s.whole) }.value()
                };
                match spec.over {
                    Over::Folds => traces.iter().map(of_fold).collect(),
                    Over::Sentences => {
                        let shares = shares(traces);
                        shares.iter().filter(|s| s.whole > 0).map(|s| s.value()).collect()
                    }
                }
            };
            paired_t_test(&scores(first), &scores(second)).map(|test| test.p)
        }
        Test::Mcnemar => {
            let words = |traces: &[&Trace]| -> Vec<bool> {
                traces.iter().flat_map(|trace| trace.words(labelled)).collect()
            };
            Some(mcnemar_of(words(first).into_iter().zip(words(second))).p)
        }
        Test::Bootstrap => {
            bootstrap(&shares(first), &shares(second), samples, 0.95, Seed(spec.seed)).map(|t| t.p)
        }
        Test::Randomisation => {
            randomisation(&shares(first), &shares(second), samples, Seed(spec.seed)).map(|t| t.p)
        }
    }
}

/// Adds stars to the attachment scores of a table that asks for them.
pub fn add(table: &mut Table, spec: &TableSpec, measured: &[Measured]) {
    let Some(how) = &spec.significance else { return };
    if spec.rows.contains(&Axis::Treebank) {
        return;
    }
    let outcomes: Vec<&Outcome> = measured.iter().map(|one| &one.outcome).collect();
    let (rows, row_of) = places(&spec.rows, &outcomes);
    let (columns, column_of) = places(&spec.columns, &outcomes);
    let mut any = false;
    for column in 0..columns.len() {
        for (at, measure) in spec.measures.iter().enumerate() {
            let labelled = match measure {
                Measure::Uas => false,
                Measure::Las => true,
                _ => continue,
            };
            let runs = |row: usize| -> Vec<&Measured> {
                let here = measured.iter().zip(row_of.iter().zip(&column_of));
                here.filter(|(_, place)| *place == (&row, &column)).map(|(one, _)| one).collect()
            };
            let mean = |row: usize| {
                let values: Vec<f64> =
                    runs(row).iter().filter_map(|one| measure.value(&one.outcome)).collect();
                values.iter().sum::<f64>() / values.len().max(1) as f64
            };
            let base = match how.against {
                Against::First => 0,
                Against::Best => {
                    (0..rows.len()).max_by(|a, b| mean(*a).total_cmp(&mean(*b))).unwrap_or(0)
                }
            };
            let base_of = |row: usize| -> Option<usize> {
                if how.pairs.is_empty() {
                    return Some(base);
                }
                let pair = how.pairs.iter().find(|pair| pair[0] == row + 1)?;
                pair[1].checked_sub(1)
            };
            let traces = |runs: &[&'_ Measured]| -> Vec<Trace> {
                runs.iter().flat_map(|one| one.traces.iter().cloned()).collect()
            };
            let mut found: Vec<(usize, f64)> = Vec::new();
            for row in 0..rows.len() {
                let Some(base) = base_of(row).filter(|base| *base != row) else { continue };
                let base_traces = traces(&runs(base));
                let row_traces = traces(&runs(row));
                let (first, second): (Vec<&Trace>, Vec<&Trace>) =
                    (row_traces.iter().collect(), base_traces.iter().collect());
                found.extend(p_value(how, &first, &second, labelled).map(|p| (row, p)));
            }
            let mut p_values: Vec<f64> = found.iter().map(|(_, p)| *p).collect();
            if how.correction == Correction::Holm {
                p_values = holm(&p_values);
            }
            for ((row, _), p) in found.iter().zip(p_values) {
                let place = table.names + column * spec.measures.len() + at;
                if let Some(entry) = table.rows.get_mut(*row).and_then(|row| row.get_mut(place)) {
                    entry.text += stars(p);
                    any = true;
                }
            }
        }
    }
    if any {
        let test = match (how.test, how.over) {
            (Test::PairedT, Over::Sentences) => "paired t-test over sentences",
            (Test::PairedT, Over::Folds) => "paired t-test over folds",
            (Test::Mcnemar, _) => "McNemar's test over words",
            (Test::Bootstrap, _) => "paired bootstrap over sentences",
            (Test::Randomisation, _) => "approximate randomisation over sentences",
        };
        let base = match how.against {
            _ if !how.pairs.is_empty() => {
                let pairs = how.pairs.iter().map(|[row, base]| format!("{row} from {base}"));
                format!(
                    "row that they are compared with ({})",
                    pairs.collect::<Vec<_>>().join(", ")
                )
            }
            Against::First => "first row".to_owned(),
            Against::Best => "best row".to_owned(),
        };
        let corrected = if how.correction == Correction::Holm {
            ", Holm's correction for the rows"
        } else {
            ""
        };
        table.notes.push(format!(
            "Different from the {base}: *** p < 0.001, ** p < 0.01, * p < 0.05 ({test}{corrected})."
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::table::tests::outcome;

    fn trace(right: &str) -> Trace {
        Trace { right: right.split(' ').map(str::to_owned).collect(), ..Trace::default() }
    }

    #[test]
    fn each_test_on_hand_made_runs() {
        // The second has five words more right, the first none: McNemar 2 / 2^5.
        let (first, second) = (trace("3331 3313 3111"), trace("3333 3333 3333"));
        let p = |test: Test, over: Over| {
            let spec = SignificanceSpec { test, over, ..SignificanceSpec::default() };
            p_value(&spec, &[&first], &[&second], true)
        };
        assert!((p(Test::Mcnemar, Over::Sentences).unwrap() - 2.0 / 32.0).abs() < 1e-12);
        // Differences 1/4, 1/4, 3/4: mean 5/12, t = (5/12) / (1/6) = 2.5, two degrees of freedom.
        let expected = 1.0 - 2.5 / (2.0f64 + 2.5 * 2.5).sqrt();
        assert!((p(Test::PairedT, Over::Sentences).unwrap() - expected).abs() < 1e-9);
        assert_eq!(p(Test::PairedT, Over::Folds), None, "one fold is no sample");
        assert!((p(Test::Randomisation, Over::Sentences).unwrap() - 0.25).abs() < 0.05);
        assert!(p(Test::Bootstrap, Over::Sentences).unwrap() < 0.2);
        let spec = SignificanceSpec::default();
        assert_eq!(p_value(&spec, &[&first], &[&first], false), Some(1.0));
        assert_eq!(p_value(&spec, &[&first], &[&trace("3")], false), None, "other sentences");
    }

    #[test]
    fn stars_are_in_their_places() {
        let measured = |parser: &str, las: f64, right: &str| Measured {
            outcome: outcome("a", parser, 1, las),
            traces: vec![trace(right)],
        };
        let all = [
            measured("base", 50.0, "1111111111 1111111111 1111111111"),
            measured("good", 90.0, "3333333333 3333333333 3333333331"),
            measured("same", 50.0, "1111111111 1111111111 1111111111"),
        ];
        let spec = TableSpec {
            name: "las".into(),
            title: String::new(),
            rows: vec![Axis::Parser],
            columns: vec![Axis::Treebank],
            measures: vec![Measure::Las],
            average: false,
            significance: Some(SignificanceSpec {
                test: Test::Mcnemar,
                correction: Correction::Holm,
                ..SignificanceSpec::default()
            }),
        };
        let outcomes: Vec<&Outcome> = all.iter().map(|one| &one.outcome).collect();
        let mut table = Table::build(&spec, &outcomes);
        add(&mut table, &spec, &all);
        let texts: Vec<&str> = table.rows.iter().map(|row| row[1].text.as_str()).collect();
        assert_eq!(texts, ["50.00", "90.00***", "50.00"]);
        assert!(table.notes[0].contains("Holm"), "{:?}", table.notes);
        let pairs = vec![[1, 2], [3, 1]];
        let how = SignificanceSpec { test: Test::Mcnemar, pairs, ..SignificanceSpec::default() };
        let spec = TableSpec { significance: Some(how), ..spec };
        let mut table = Table::build(&spec, &outcomes);
        add(&mut table, &spec, &all);
        let texts: Vec<&str> = table.rows.iter().map(|row| row[1].text.as_str()).collect();
        assert_eq!(texts, ["50.00***", "90.00", "50.00"]);
        assert!(table.notes[0].contains("1 from 2, 3 from 1"), "{:?}", table.notes);
    }
}
