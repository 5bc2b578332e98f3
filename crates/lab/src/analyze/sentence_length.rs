//! Accuracy by sentence length (McDonald and Nivre 2007, Figure 2).
use super::columns;
use super::corpus::Corpus;
use super::precision_recall::Bins;
use crate::report::{Panel, Value};
use crossarc_eval::Counts;

/// Lengths that are counted together.
pub const BINS: Bins = Bins(&[(1, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, usize::MAX)]);

/// The panel.
pub fn panel(corpus: &Corpus) -> Panel {
    let mut sums = vec![vec![Counts::default(); corpus.systems.len()]; BINS.len()];
    for item in &corpus.sentences {
        let Some(bin) = BINS.of(item.forms.len()) else { continue };
        for (sum, counts) in sums[bin].iter_mut().zip(&item.counts) {
            *sum += *counts;
        }
    }
    let mut panel = Panel {
        columns: columns(["length", "sentences", "words"], corpus, &["UAS", "LAS", "LEM"]),
        ..Panel::new(
            "sentence-length",
            "Sentence length",
            "Accuracy by the number of words in the sentence.",
            [],
        )
    };
    for (bin, sums) in sums.iter().enumerate() {
        let first = sums.first().copied().unwrap_or_default().attachment;
        if first.sentences == 0 {
            continue;
        }
        let mut row = vec![
            Value::text(BINS.name(bin)),
            Value::Count(first.sentences),
            Value::Count(first.words),
        ];
        for counts in sums {
            let a = &counts.attachment;
            row.extend([a.uas(), a.las(), a.lem()].map(Value::Share));
        }
        panel.rows.push(row);
    }
    let charts = [("LAS", "Labelled attachment score"), ("LEM", "Labelled exact match")];
    panel.chart_columns("words in the sentence", &charts, false, usize::MAX);
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::{GOLD, of, small};
    use super::*;

    #[test]
    fn hand_counted() {
        let both = panel(&small(2));
        assert_eq!(both.rows.len(), 1, "no sentence has more than ten words");
        let expected = ["1–10", "2", "8", "87.50", "75.00", "50.00", "75.00", "75.00", "50.00"];
        assert_eq!(both.shown("1–10"), expected);

        let word = "x/X/11/x ";
        let long = format!("{}y/X/0/root {}", word.repeat(10), "x/X/11/x");
        let corpus =
            of(&[GOLD[1], &long], &[("a", &[GOLD[1], &long.replace("x/X/11/x", "x/X/11/y")])]);
        let panel = panel(&corpus);
        assert_eq!(panel.shown("11–20"), ["11–20", "1", "12", "100.00", "8.33", "0.00"]);
        assert_eq!(panel.shown("1–10"), ["1–10", "1", "2", "100.00", "100.00", "100.00"]);
    }
}
