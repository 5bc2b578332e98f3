//! All words: attachment and exact match; arc-length bias, words with a head, crossed and uncrossed
//! arcs, projective and non-projective sentences (Reisinger 2016, Tables 5.1 and 5.3 to 5.8).
use super::corpus::Corpus;
use crate::report::{Chart, Panel, Plot, Series, Value};
use crossarc_eval::Counts;

type Figure = fn(&Counts) -> Value;

fn none(_: &Counts) -> Value {
    Value::text("")
}

/// Name, figure of gold, figure of a system.
const ROWS: &[(&str, Figure, Figure)] = &[
    ("sentences", |c| Value::Count(c.attachment.sentences), none),
    ("words", |c| Value::Count(c.attachment.words), none),
    ("UAS", none, |c| Value::Share(c.attachment.uas())),
    ("LAS", none, |c| Value::Share(c.attachment.las())),
    ("label accuracy", none, |c| Value::Share(c.attachment.la())),
    ("CLAS", none, |c| Value::Share(c.attachment.clas())),
    ("sentences with all heads right", none, |c| Value::Share(c.attachment.uem())),
    ("sentences with all heads and labels right", none, |c| Value::Share(c.attachment.lem())),
    ("words with a head", none, |c| Value::Share(c.nonprojective.words_with_head())),
    (
        "average arc length",
        |c| Value::Number(c.nonprojective.gold_lengths.average(), 2),
        |c| Value::Number(c.nonprojective.system_lengths.average(), 2),
    ),
    ("arc-length bias", none, |c| {
        let (gold, system) = (&c.nonprojective.gold_lengths, &c.nonprojective.system_lengths);
        Value::Number(system.average().zip(gold.average()).map(|(s, g)| s - g), 2)
    }),
    (
        "non-projective arcs",
        |c| Value::Count(c.nonprojective.gold_arcs),
        |c| Value::Count(c.nonprojective.system_arcs),
    ),
    ("non-projective arcs, precision", none, |c| Value::Share(c.nonprojective.precision())),
    ("non-projective arcs, recall", none, |c| Value::Share(c.nonprojective.recall())),
    ("crossed arcs", |c| Value::Count(c.nonprojective.crossed.words), none),
    ("crossed arcs, UAS", none, |c| Value::Share(c.nonprojective.crossed.uas())),
    ("crossed arcs, LAS", none, |c| Value::Share(c.nonprojective.crossed.las())),
    ("crossed arcs, label accuracy", none, |c| Value::Share(c.nonprojective.crossed.la())),
    ("uncrossed arcs", |c| Value::Count(c.nonprojective.uncrossed.words), none),
    ("uncrossed arcs, UAS", none, |c| Value::Share(c.nonprojective.uncrossed.uas())),
    ("uncrossed arcs, LAS", none, |c| Value::Share(c.nonprojective.uncrossed.las())),
    ("uncrossed arcs, label accuracy", none, |c| Value::Share(c.nonprojective.uncrossed.la())),
    ("projective sentences", |c| Value::Count(c.nonprojective.projective.sentences), none),
    ("projective sentences, all heads right", none, |c| {
        Value::Share(c.nonprojective.projective.uem())
    }),
    ("non-projective sentences", |c| Value::Count(c.nonprojective.nonprojective.sentences), none),
    ("non-projective sentences, all heads right", none, |c| {
        Value::Share(c.nonprojective.nonprojective.uem())
    }),
];

/// The panel.
pub fn panel(corpus: &Corpus) -> Panel {
    let gold = corpus.totals.first().copied().unwrap_or_default();
    let systems = corpus.systems.iter().map(String::as_str);
    let mut panel = Panel::new(
        "scores",
        "Scores",
        "Scores are percentages. Non-projective arcs are those by dominance (Björkelund and Kuhn 2012); crossed arcs are those that another arc crosses in gold, arcs of the root included (Reisinger 2016). Arc lengths are in words, the root stands at 0; the bias is the average of the output less that of gold.",
        ["", "gold"].into_iter().chain(systems),
    );
    for (name, of_gold, of_system) in ROWS {
        let figures = corpus.totals.iter().map(of_system);
        panel.rows.push([Value::text(*name), of_gold(&gold)].into_iter().chain(figures).collect());
    }
    let wanted = [
        ("UAS", "UAS"),
        ("LAS", "LAS"),
        ("label accuracy", "LA"),
        ("crossed arcs, UAS", "crossed UAS"),
        ("uncrossed arcs, UAS", "uncrossed UAS"),
        ("sentences with all heads right", "UEM"),
        ("sentences with all heads and labels right", "LEM"),
    ];
    let series = corpus.systems.iter().enumerate().map(|(at, system)| Series {
        name: system.clone(),
        values: wanted
            .map(|(name, _)| panel.row(name).and_then(|row| row.get(at + 2)?.number()))
            .to_vec(),
        ..Series::default()
    });
    let plot = Plot::Bars {
        categories: wanted.map(|(_, short)| short.to_owned()).to_vec(),
        series: series.collect(),
    };
    let title = "Words and sentences that are right".to_owned();
    panel.charts.push(Chart { title, x: String::new(), y: "%".to_owned(), plot });
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::small;
    use super::*;

    /// Gold lengths: 1 1 3 1 3 1, 1 1 = 12 of 8; system a has 1 for the arc to word 5: 10 of 8.
    #[test]
    fn hand_counted() {
        let panel = panel(&small(2));
        assert_eq!(panel.shown("UAS")[2..], ["87.50", "75.00"]);
        assert_eq!(panel.shown("LAS")[2..], ["75.00", "75.00"]);
        assert_eq!(panel.shown("average arc length")[1..], ["1.50", "1.25", "1.62"]);
        assert_eq!(panel.shown("arc-length bias")[2..], ["-0.25", "0.12"]);
        assert_eq!(panel.shown("non-projective arcs")[1..], ["1", "0", "1"]);
        assert_eq!(panel.shown("non-projective arcs, recall")[2..], ["0.00", "100.00"]);
        assert_eq!(panel.shown("projective sentences, all heads right")[2..], ["100.00", "0.00"]);
        assert_eq!(panel.shown("words with a head")[2..], ["100.00", "100.00"]);
    }
}
