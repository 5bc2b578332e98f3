//! Whether confidences can be believed: a reliability diagram (`DeGroot` and Fienberg 1983).
use super::columns;
use super::corpus::Corpus;
use crate::report::{Chart, Panel, Plot, Series, Value};
use crossarc_eval::reliability::BINS;

/// The panel; nothing if no system says how sure it is.
pub fn panel(corpus: &Corpus) -> Option<Panel> {
    if corpus.reliability.iter().all(|one| one.arcs() == 0) {
        return None;
    }
    let mut panel = Panel {
        columns: columns(["sure by"], corpus, &["words", "said", "right"]),
        ..Panel::new(
            "reliability",
            "How far scores can be believed",
            "Words by what the parser says (`Score=` in MISC): the mean of what it says, and the share \
             of words with the right head and label. Both are the same where scores are \
             probabilities; the expected calibration error is their mean difference.",
            [],
        )
    };
    let percent = |part: usize| format!("{:.0}", 100.0 * part as f64 / BINS as f64);
    let name = |bin: usize| format!("{}–{} %", percent(bin), percent(bin + 1));
    let used: Vec<usize> = (0..BINS)
        .filter(|&bin| corpus.reliability.iter().any(|one| one.bins[bin].arcs > 0))
        .collect();
    let mut series: Vec<Series> = corpus
        .systems
        .iter()
        .map(|name| Series { name: name.clone(), ..Series::default() })
        .collect();
    let mut ideal = Series { name: "as said".to_owned(), ..Series::default() };
    for &bin in &used {
        let mut row = vec![Value::text(name(bin))];
        let (mut said_sum, mut systems) = (0.0, 0);
        for (one, series) in corpus.reliability.iter().zip(&mut series) {
            let pair = one.bins[bin].said_and_right();
            row.push(Value::Count(one.bins[bin].arcs));
            row.push(Value::Share(pair.map(|(said, _)| said)));
            row.push(Value::Share(pair.map(|(_, right)| right)));
            series.values.push(pair.map(|(_, right)| 100.0 * right));
            said_sum += pair.map_or(0.0, |(said, _)| said);
            systems += usize::from(pair.is_some());
        }
        ideal.values.push((systems > 0).then(|| 100.0 * said_sum / systems as f64));
        panel.rows.push(row);
    }
    let mut last = vec![Value::text("expected calibration error")];
    for one in &corpus.reliability {
        last.push(Value::Count(one.arcs()));
        last.push(Value::text(""));
        last.push(Value::Share(one.expected_calibration_error()));
    }
    panel.rows.push(last);
    series.push(ideal);
    panel.charts.push(Chart {
        title: "Reliability".to_owned(),
        x: "how sure the parser says it is".to_owned(),
        y: "words with the right head and label, in percent".to_owned(),
        plot: Plot::Lines { categories: used.into_iter().map(name).collect(), series },
    });
    Some(panel)
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::small;
    use super::*;

    #[test]
    fn hand_counted() {
        let mut corpus = small(2);
        assert_eq!(panel(&corpus), None, "nobody says how sure it is");
        for arc in 0..4 {
            corpus.reliability[0].add(0.95, arc > 0);
        }
        corpus.reliability[0].add(0.05, false);
        let panel = panel(&corpus).unwrap();
        assert_eq!(panel.shown("93–100 %")[..4], ["93–100 %", "4", "95.00", "75.00"]);
        assert_eq!(panel.shown("0–7 %")[4..], ["0", "–", "–"]);
        // Four off by 0.2, one by 0.05.
        assert_eq!(panel.shown("expected calibration error")[3], "17.00");
        assert_eq!(panel.charts.len(), 1);
    }
}
