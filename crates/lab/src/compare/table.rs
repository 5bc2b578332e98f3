//! Tables of results, for the terminal, Markdown, spreadsheets and papers.
//!
//! Cells of the grid that fall into the same place of a table, such as several seeds, are shown as
//! mean ± standard deviation. The best value of a column is set in bold, unless the rows are about
//! different treebanks.
use std::collections::BTreeMap;
use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::cell::{Outcome, Spec};
use super::figures::{Axis, Better, Measure};
use super::recipe::TableSpec;
use super::treebanks::HELD_OUT;
use crate::report::markdown::{self, escape};
use crossarc_draw::tikz::latex;

/// What stands in one place of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The text.
    pub text: String,
    /// True if no other of the column is better.
    pub best: bool,
}

/// A table, ready to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Name of its files.
    pub name: String,
    /// Stands above it.
    pub title: String,
    /// The heads of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Entry>>,
    /// This many columns at the left name the row; figures follow.
    pub names: usize,
    /// Stand below it.
    pub notes: Vec<String>,
}

/// The outcomes of these cells, in their order. Where no key is known, the last outcome of a cell
/// at the same place in the grid counts.
pub fn select<'a>(
    cells: impl IntoIterator<Item = (&'a Spec, Option<&'a str>)>,
    outcomes: &'a [Outcome],
) -> Vec<&'a Outcome> {
    let by_key: BTreeMap<&str, &Outcome> =
        outcomes.iter().map(|outcome| (outcome.key.as_str(), outcome)).collect();
    let by_place: BTreeMap<Vec<String>, &Outcome> =
        outcomes.iter().map(|outcome| (place(&Axis::ALL, &outcome.spec), outcome)).collect();
    let find = |(spec, key): (&Spec, Option<&str>)| match key {
        Some(key) => by_key.get(key).copied(),
        None => by_place.get(&place(&Axis::ALL, spec)).copied(),
    };
    cells.into_iter().filter_map(find).collect()
}

/// The tables of a recipe that asks for none: scores by treebank.
pub fn default_tables(outcomes: &[&Outcome]) -> Vec<TableSpec> {
    let varies = |axis: &Axis| {
        let mut values = outcomes.iter().map(|outcome| axis.value(&outcome.spec));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let rows = Axis::ALL.into_iter().filter(|axis| {
        let is_no_row = matches!(axis, Axis::Treebank | Axis::Seed | Axis::Fold);
        *axis == Axis::Parser || !is_no_row && varies(axis)
    });
    vec![TableSpec {
        name: "scores".to_owned(),
        title: "Attachment scores".to_owned(),
        rows: rows.collect(),
        columns: vec![Axis::Treebank],
        measures: vec![Measure::Uas, Measure::Las],
        average: false,
        significance: None,
    }]
}

/// The table with one row for each cell and all measures.
pub fn complete_table() -> TableSpec {
    TableSpec {
        name: "results".to_owned(),
        title: "All figures, one row per run".to_owned(),
        rows: Axis::ALL.to_vec(),
        columns: Vec::new(),
        measures: Measure::ALL.to_vec(),
        average: false,
        significance: None,
    }
}

pub(super) fn place(axes: &[Axis], spec: &Spec) -> Vec<String> {
    axes.iter().map(|axis| axis.value(spec)).collect()
}

/// The combinations that occur, in the order in which they do, and the number of each outcome's.
pub(super) fn places(axes: &[Axis], outcomes: &[&Outcome]) -> (Vec<Vec<String>>, Vec<usize>) {
    let mut known = BTreeMap::new();
    let mut found = Vec::new();
    let mut numbers = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        let place = place(axes, &outcome.spec);
        let number = *known.entry(place.clone()).or_insert(found.len());
        if number == found.len() {
            found.push(place);
        }
        numbers.push(number);
    }
    (found, numbers)
}

/// The figures that fall into one place.
#[derive(Copy, Clone)]
struct Sample {
    mean: f64,
    deviation: Option<f64>,
}

impl Sample {
    fn of(values: &[f64]) -> Option<Sample> {
        let count = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
        Some(Sample { mean, deviation })
    }

    fn show(self, digits: usize) -> String {
        match self.deviation {
            None => format!("{:.digits$}", self.mean),
            Some(deviation) => format!("{:.digits$} ±{deviation:.digits$}", self.mean),
        }
    }
}

impl Table {
    /// Puts outcomes into their places.
    pub fn build(spec: &TableSpec, outcomes: &[&Outcome]) -> Table {
        let (rows, row_of) = places(&spec.rows, outcomes);
        let (columns, column_of) = places(&spec.columns, outcomes);
        let mut cells: Vec<Vec<&Outcome>> = vec![Vec::new(); rows.len() * columns.len()];
        for (outcome, (row, column)) in outcomes.iter().zip(row_of.iter().zip(&column_of)) {
            cells[row * columns.len() + column].push(outcome);
        }
        let mut samples: Vec<Vec<Option<Sample>>> = Vec::new();
        let repeated = cells.iter().any(|cell| cell.len() > 1);
        for line_of_cells in cells.chunks(columns.len().max(1)) {
            let mut line = Vec::new();
            for here in line_of_cells {
                for measure in &spec.measures {
                    let values: Vec<f64> =
                        here.iter().filter_map(|outcome| measure.value(outcome)).collect();
                    line.push(Sample::of(&values));
                }
            }
            if spec.average {
                let width = spec.measures.len();
                for at in 0..width {
                    let all: Option<Vec<f64>> = line[..columns.len() * width]
                        .iter()
                        .skip(at)
                        .step_by(width)
                        .map(|sample| sample.map(|sample| sample.mean))
                        .collect();
                    let mean = all.and_then(|all| Sample::of(&all));
                    line.push(mean.map(|sample| Sample { deviation: None, ..sample }));
                }
            }
            samples.push(line);
        }
        let held_out: Vec<&str> = outcomes
            .iter()
            .filter(|outcome| outcome.held_out)
            .map(|outcome| outcome.spec.treebank.as_str())
            .collect();
        let mark = |axes: &[Axis], place: &[String]| -> Vec<String> {
            let starred = |(axis, value): (&Axis, &String)| {
                let star = *axis == Axis::Treebank && held_out.contains(&value.as_str());
                if star { format!("{value}*") } else { value.clone() }
            };
            axes.iter().zip(place).map(starred).collect()
        };
        let mut header: Vec<String> = spec.rows.iter().map(|axis| axis.name().to_owned()).collect();
        let average = spec.average.then(|| vec!["average".to_owned()]);
        for column in columns.iter().map(|place| mark(&spec.columns, place)).chain(average) {
            for measure in &spec.measures {
                let mut head = column.clone();
                if head.is_empty() || spec.measures.len() > 1 {
                    head.push(measure.head().to_owned());
                }
                header.push(head.join(" "));
            }
        }
        let mut notes = Vec::new();
        let shows_treebanks =
            spec.rows.contains(&Axis::Treebank) || spec.columns.contains(&Axis::Treebank);
        if shows_treebanks && !held_out.is_empty() {
            notes.push(format!(
                "* no development set: the last {} % of the training sentences served as one and were not trained on.",
                100 / HELD_OUT
            ));
        }
        if repeated {
            notes.push("Mean ± standard deviation of several runs.".to_owned());
        }
        let measure_of = |column: usize| spec.measures[column % spec.measures.len().max(1)];
        let best: Vec<Option<String>> = (0..header.len() - spec.rows.len())
            .map(|column| {
                // Figures of different treebanks do not compete.
                let compete = !spec.rows.contains(&Axis::Treebank);
                compete.then(|| best_of(&samples, column, measure_of(column))).flatten()
            })
            .collect();
        let rows = rows.iter().zip(&samples).map(|(row, line)| {
            let names = mark(&spec.rows, row);
            let figures = line.iter().enumerate().map(|(column, sample)| {
                let digits = measure_of(column).digits();
                let Some(sample) = sample else { return Entry::default() };
                let is_best = best[column] == Some(format!("{:.digits$}", sample.mean));
                Entry { text: sample.show(digits), best: is_best }
            });
            names.into_iter().map(|text| Entry { text, best: false }).chain(figures).collect()
        });
        Table {
            name: spec.name.clone(),
            title: if spec.title.is_empty() { spec.name.clone() } else { spec.title.clone() },
            rows: rows.collect(),
            header,
            names: spec.rows.len(),
            notes,
        }
    }

    /// For the terminal: columns two blanks apart.
    pub fn to_text(&self) -> String {
        let columns = 0..self.header.len();
        let widths: Vec<usize> = columns
            .map(|column| {
                let rows = self.rows.iter().map(|row| row[column].text.width());
                rows.chain([self.header[column].width()]).max().unwrap_or(0)
            })
            .collect();
        let mut text = format!("{}\n\n", self.title);
        let mut line = |cells: &mut dyn Iterator<Item = &str>| {
            let mut shown = String::new();
            for (column, (cell, width)) in cells.zip(&widths).enumerate() {
                let blanks = " ".repeat(width - cell.width());
                let between = if column > 0 { "  " } else { "" };
                // Writing to a string cannot fail.
                let _ = if column < self.names {
                    write!(shown, "{between}{cell}{blanks}")
                } else {
                    write!(shown, "{between}{blanks}{cell}")
                };
            }
            text += shown.trim_end();
            text.push('\n');
        };
        line(&mut self.header.iter().map(String::as_str));
        for row in &self.rows {
            line(
                &mut row.iter().map(|entry| if entry.text.is_empty() { "-" } else { &entry.text }),
            );
        }
        for note in &self.notes {
            text += note;
            text.push('\n');
        }
        text
    }

    /// For a page on the web or in a repository.
    pub fn to_markdown(&self) -> String {
        let heads =
            self.header.iter().enumerate().map(|(at, head)| (head.as_str(), at < self.names));
        let cell = |entry: &Entry| match (entry.text.as_str(), entry.best) {
            ("", _) => "–".to_owned(),
            (text, false) => escape(text),
            (text, true) => format!("**{}**", escape(text)),
        };
        let rows = self.rows.iter().map(|row| row.iter().map(cell).collect());
        let mut text = format!("## {}\n\n{}", self.title, markdown::table(heads, rows));
        for note in &self.notes {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{}\n", escape(note));
        }
        text
    }

    /// For a spreadsheet.
    pub fn to_csv(&self) -> String {
        fn field(text: &str) -> String {
            if text.contains(['"', ',', '\n', '\r']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.to_owned()
            }
        }
        let mut text = self.header.iter().map(|head| field(head)).collect::<Vec<_>>().join(",");
        text.push('\n');
        for row in &self.rows {
            text += &row.iter().map(|entry| field(&entry.text)).collect::<Vec<_>>().join(",");
            text.push('\n');
        }
        text
    }

    /// For a paper; needs the package `booktabs`.
    pub fn to_latex(&self) -> String {
        let escape = |text: &str| latex(text).replace('±', "$\\pm$");
        let figures = "r".repeat(self.header.len() - self.names);
        let columns = "l".repeat(self.names) + &figures;
        let line = |cells: Vec<String>| format!("  {} \\\\\n", cells.join(" & "));
        let mut text = format!("% {}\n\\begin{{tabular}}{{{columns}}}\n  \\toprule\n", self.title);
        text += &line(self.header.iter().map(|head| escape(head)).collect());
        text += "  \\midrule\n";
        for row in &self.rows {
            let cells = row.iter().map(|entry| match (entry.text.as_str(), entry.best) {
                ("", _) => "--".to_owned(),
                (text, false) => escape(text),
                (text, true) => format!("\\textbf{{{}}}", escape(text)),
            });
            text += &line(cells.collect());
        }
        text += "  \\bottomrule\n\\end{tabular}\n";
        for note in &self.notes {
            let _ = writeln!(text, "% {note}");
        }
        text
    }
}

/// The best value of a column as it is shown; nothing if there is no choice.
fn best_of(samples: &[Vec<Option<Sample>>], column: usize, measure: Measure) -> Option<String> {
    let values: Vec<f64> =
        samples.iter().filter_map(|line| line[column].map(|sample| sample.mean)).collect();
    if values.len() < 2 {
        return None;
    }
    let best = match measure.better() {
        Better::Neither => return None,
        Better::High => values.into_iter().reduce(f64::max),
        Better::Low => values.into_iter().reduce(f64::min),
    };
    let digits = measure.digits();
    best.map(|value| format!("{value:.digits$}"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::compare::figures::Figures;

    pub fn outcome(treebank: &str, parser: &str, seed: u64, las: f64) -> Outcome {
        let spec = Spec {
            treebank: treebank.to_owned(),
            parser: parser.to_owned(),
            oracle: "static".to_owned(),
            learner: "perceptron".to_owned(),
            features: "rich".to_owned(),
            beam: 1,
            codec: "none".to_owned(),
            with: String::new(),
            size: None,
            tags: "gold".to_owned(),
            fold: String::new(),
            seed,
            options: String::new(),
        };
        Outcome {
            key: format!("{treebank} {parser} {seed}"),
            spec,
            program: String::new(),
            checksums: [0; 3],
            held_out: treebank == "b_&",
            counts: crossarc_eval::Counts::default(),
            figures: Figures { las: Some(las), ..Figures::default() },
        }
    }

    fn sample() -> Table {
        let outcomes = [
            outcome("a", "swap", 1, 80.0),
            outcome("a", "swap", 2, 82.0),
            outcome("a", "two", 1, 80.5),
            outcome("b_&", "swap", 1, 70.0),
            outcome("b_&", "two", 1, 71.0),
            outcome("c", "two", 1, 90.0),
        ];
        let spec = TableSpec {
            name: "las".to_owned(),
            title: "LAS".to_owned(),
            rows: vec![Axis::Parser],
            columns: vec![Axis::Treebank],
            measures: vec![Measure::Las],
            average: true,
            significance: None,
        };
        Table::build(&spec, &outcomes.iter().collect::<Vec<_>>())
    }

    #[test]
    fn text_is_aligned() {
        let expected = "\
LAS

parser            a   b_&*      c  average
swap    81.00 ±1.41  70.00      -        -
two           80.50  71.00  90.00    80.50
";
        let table = sample().to_text();
        assert!(table.starts_with(expected), "{table}");
        assert!(table.contains("\n* no development set: the last 10 % of the training sentences"));
        assert!(table.ends_with("\nMean ± standard deviation of several runs.\n"));
    }

    #[test]
    fn treebanks_do_not_compete() {
        let outcomes = [outcome("a", "swap", 1, 80.0), outcome("b", "swap", 1, 82.0)];
        let table = Table::build(&complete_table(), &outcomes.iter().collect::<Vec<_>>());
        assert_eq!(table.rows.len(), 2);
        assert!(table.rows.iter().flatten().all(|entry| !entry.best));
        assert!(table.rows[1].iter().any(|entry| entry.text == "82.00"));
    }

    #[test]
    fn markdown_marks_the_best() {
        let table = sample().to_markdown();
        for line in [
            "| parser | a | b_&\\* | c | average |",
            "|---|---:|---:|---:|---:|",
            "| swap | **81.00 ±1.41** | 70.00 | – | – |",
            "| two | 80.50 | **71.00** | 90.00 | 80.50 |",
        ] {
            assert!(table.lines().any(|found| found == line), "{line} in\n{table}");
        }
    }

    #[test]
    fn csv_and_latex_escape_what_they_must() {
        let csv = sample().to_csv();
        let expected =
            "parser,a,b_&*,c,average\nswap,81.00 ±1.41,70.00,,\ntwo,80.50,71.00,90.00,80.50\n";
        assert_eq!(csv, expected);
        let mut table = sample();
        table.header[1] = "a, \"b\"".to_owned();
        assert!(table.to_csv().starts_with("parser,\"a, \"\"b\"\"\","));
        let latex = sample().to_latex();
        assert!(latex.contains("  parser & a & b\\_\\symbol{38}* & c & average \\\\\n"), "{latex}");
        assert!(latex.contains("  swap & \\textbf{81.00 $\\pm$1.41} & 70.00 & -- & -- \\\\\n"));
    }

    #[test]
    fn the_last_outcome_counts_unless_the_key_is_known() {
        let mut old = outcome("a", "swap", 1, 1.0);
        old.key = "old".to_owned();
        let new = outcome("a", "swap", 1, 2.0);
        let outcomes = [old.clone(), new.clone()];
        let chosen = select([(&new.spec, None)], &outcomes);
        assert_eq!(chosen, [&new]);
        assert_eq!(select([(&new.spec, Some("old"))], &outcomes), [&old]);
        assert!(select([(&new.spec, Some("other"))], &outcomes).is_empty());
    }
}
