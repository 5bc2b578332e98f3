//! Pages of figures: panels with charts and the numbers under them, for HTML, JSON and terminals.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | panels, values and charts: what a page shows |
//! | [`plot`] | line, bar and scatter charts as SVG |
//! | [`markdown`] | tables in Markdown |
//! | [`page`] | one self-contained HTML file: nothing is fetched, light and dark |
//!
//! ```
//! use crossarc_lab::report::{Panel, Value, page::Page};
//! let mut panel = Panel::new("scores", "Scores", "All words.", ["system", "LAS"]);
//! panel.rows.push(vec![Value::text("swap"), Value::share(3, 4)]);
//! assert_eq!(panel.to_text(), "Scores\n\nsystem    LAS\nswap    75.00\n");
//! let page = Page { title: "A page".to_owned(), panels: vec![panel], ..Page::default() };
//! assert!(page.to_html().contains("75.00"));
//! ```
pub mod growth;
pub mod markdown;
pub mod page;
pub mod plot;

use serde::{Serialize, Serializer};
use unicode_width::UnicodeWidthStr;

/// One question and its answer: charts, and a table of the numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Panel {
    /// Short name, for links and for programs.
    pub name: String,
    /// Stands above it.
    pub title: String,
    /// What is shown and how it was counted.
    pub about: String,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// The numbers.
    pub rows: Vec<Vec<Value>>,
    /// Pictures of the numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub charts: Vec<Chart>,
}

/// What stands in one place of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A name.
    Text(String),
    /// A figure that is written already.
    Figure(String),
    /// How many.
    Count(u64),
    /// A share from 0 to 1, shown in percent; nothing of nothing is no share.
    Share(Option<f64>),
    /// A number with this many decimals.
    Number(Option<f64>, usize),
    /// The probability of a difference as large by chance.
    P(Option<f64>),
}

impl Value {
    /// A name.
    pub fn text(name: impl Into<String>) -> Value {
        Value::Text(name.into())
    }

    /// A part of a whole.
    pub fn share(part: u64, whole: u64) -> Value {
        Value::Share((whole > 0).then(|| part as f64 / whole as f64))
    }

    /// The number behind it, shares as percentages.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Text(_) => None,
            Value::Figure(text) => {
                text.split([' ', '*']).next().and_then(|number| number.parse().ok())
            }
            Value::Count(count) => Some(*count as f64),
            Value::Share(share) => share.map(|share| 100.0 * share),
            Value::Number(number, _) | Value::P(number) => *number,
        }
    }

    /// The number less and more its standard deviation, if it has one.
    pub fn deviation(&self) -> Option<(f64, f64)> {
        let Value::Figure(text) = self else { return None };
        let (_, deviation) = text.split_once('±')?;
        let deviation: f64 = deviation.split([' ', '*']).next()?.parse().ok()?;
        self.number().map(|number| (number - deviation, number + deviation))
    }

    /// True if it is a name and no figure.
    pub fn is_text(&self) -> bool {
        matches!(self, Value::Text(_))
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Text(text) | Value::Figure(text) => f.write_str(text),
            Value::Count(count) => write!(f, "{count}"),
            Value::Share(Some(share)) => write!(f, "{:.2}", 100.0 * share),
            Value::Number(Some(number), digits) => write!(f, "{number:.digits$}"),
            Value::P(Some(p)) if *p < 0.001 => f.write_str("<0.001"),
            Value::P(Some(p)) => write!(f, "{p:.3}"),
            Value::Share(None) | Value::Number(None, _) | Value::P(None) => f.write_str("–"),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Text(text) | Value::Figure(text) => serializer.serialize_str(text),
            Value::Count(count) => serializer.serialize_u64(*count),
            Value::Share(number) | Value::Number(number, _) | Value::P(number) => {
                number.serialize(serializer)
            }
        }
    }
}

/// A picture of numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chart {
    /// Stands above it.
    pub title: String,
    /// What the horizontal axis is about.
    pub x: String,
    /// What the vertical axis is about.
    pub y: String,
    /// The picture.
    pub plot: Plot,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plot {
    /// A line for each series over categories that have an order.
    Lines {
        /// What stands along the horizontal axis.
        categories: Vec<String>,
        /// The lines.
        series: Vec<Series>,
    },
    /// Bars for each series side by side over categories.
    Bars {
        /// What stands along the horizontal axis.
        categories: Vec<String>,
        /// The bars.
        series: Vec<Series>,
    },
    /// Points, with lines through the origin.
    Scatter {
        /// The clouds of points.
        clouds: Vec<Cloud>,
    },
}

/// Numbers of one system, one for each category.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Series {
    /// Whose.
    pub name: String,
    /// The numbers; none where nothing was counted.
    pub values: Vec<Option<f64>>,
    /// Where the number might lie in other samples like this one (95 %), for each category, if that is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<Option<(f64, f64)>>,
}

/// The interval of Wilson (1927) around a percentage of so many cases, each taken for itself.
fn wilson(percent: f64, cases: f64) -> Option<(f64, f64)> {
    const Z: f64 = 1.96;
    let share = percent / 100.0;
    let scale = 1.0 + Z * Z / cases;
    let middle = (share + Z * Z / (2.0 * cases)) / scale;
    let half = Z * (share * (1.0 - share) / cases + Z * Z / (4.0 * cases * cases)).sqrt() / scale;
    (cases > 0.0).then_some((100.0 * (middle - half), 100.0 * (middle + half)))
}

/// Points in the plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cloud {
    /// Whose.
    pub name: String,
    /// The points.
    pub points: Vec<(u32, u32)>,
    /// The slope of a line through the origin.
    pub slope: Option<f64>,
}

impl Panel {
    /// A panel without rows.
    pub fn new<'a>(
        name: &str,
        title: &str,
        about: &str,
        columns: impl IntoIterator<Item = &'a str>,
    ) -> Panel {
        Panel {
            name: name.to_owned(),
            title: title.to_owned(),
            about: about.to_owned(),
            columns: columns.into_iter().map(str::to_owned).collect(),
            ..Panel::default()
        }
    }

    /// The row that begins with this name.
    pub fn row(&self, name: &str) -> Option<&[Value]> {
        let is_it =
            |row: &&Vec<Value>| matches!(row.first(), Some(Value::Text(text)) if text == name);
        self.rows.iter().find(is_it).map(Vec::as_slice)
    }

    /// The row that begins with this name, as it is shown.
    pub fn shown(&self, name: &str) -> Vec<String> {
        self.row(name).unwrap_or_default().iter().map(Value::to_string).collect()
    }

    /// Charts from columns of the table, one for each ending and its title: the first `most` rows are
    /// the categories, the columns whose head has the ending are the series.
    pub fn chart_columns(&mut self, x: &str, endings: &[(&str, &str)], bars: bool, most: usize) {
        let rows = &self.rows[..self.rows.len().min(most)];
        let categories: Vec<String> =
            rows.iter().filter_map(|row| row.first()).map(Value::to_string).collect();
        for (ending, title) in endings {
            let counted = match *ending {
                "UAS" | "LAS" | "LA" => "words",
                "UEM" | "LEM" => "sentences",
                _ => "",
            };
            let cases = self.columns.iter().position(|head| head == counted);
            let of_column = |(at, head): (usize, &String)| {
                let name = head.strip_suffix(ending)?.trim().to_owned();
                let name = if name.is_empty() { head.clone() } else { name };
                let values = rows.iter().map(|row| row.get(at).and_then(Value::number)).collect();
                let intervals = cases.map_or_else(Vec::new, |cases| {
                    let number = |row: &Vec<Value>, at: usize| row.get(at).and_then(Value::number);
                    rows.iter().map(|row| wilson(number(row, at)?, number(row, cases)?)).collect()
                });
                Some(Series { name, values, intervals })
            };
            let series: Vec<Series> =
                self.columns.iter().enumerate().skip(1).filter_map(of_column).collect();
            let categories = categories.clone();
            let plot = if bars {
                Plot::Bars { categories, series }
            } else {
                Plot::Lines { categories, series }
            };
            let (x, y) = (x.to_owned(), "%".to_owned());
            self.charts.push(Chart { title: (*title).to_owned(), x, y, plot });
        }
    }

    /// For a page on the web or in a repository.
    pub fn to_markdown(&self) -> String {
        let heads = self.columns.iter().enumerate().map(|(column, head)| {
            let is_name = self.rows.iter().all(|row| row.get(column).is_none_or(Value::is_text));
            (head.as_str(), is_name)
        });
        let rows = self
            .rows
            .iter()
            .map(|row| row.iter().map(|value| markdown::escape(&value.to_string())).collect());
        format!(
            "## {}\n\n{}\n\n{}",
            self.title,
            markdown::escape(&self.about),
            markdown::table(heads, rows)
        )
    }

    /// For the terminal: columns two blanks apart, names to the left.
    pub fn to_text(&self) -> String {
        let shown: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Value::to_string).collect()).collect();
        let is_name =
            |column: usize| self.rows.iter().all(|row| row.get(column).is_none_or(Value::is_text));
        let mut text = format!("{}\n\n", self.title);
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let cells = shown.iter().filter_map(|row| row.get(column));
                cells.chain([&self.columns[column]]).map(|cell| cell.width()).max().unwrap_or(0)
            })
            .collect();
        for row in std::iter::once(&self.columns).chain(&shown) {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let blanks = " ".repeat(width.saturating_sub(cell.width()));
                line += if column > 0 { "  " } else { "" };
                if is_name(column) {
                    line += cell;
                    line += &blanks;
                } else {
                    line += &blanks;
                    line += cell;
                }
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_and_written() {
        let values = [
            (Value::text("a"), "a", "\"a\""),
            (Value::Count(3), "3", "3"),
            (Value::share(1, 8), "12.50", "0.125"),
            (Value::share(0, 0), "–", "null"),
            (Value::Number(Some(2.345), 1), "2.3", "2.345"),
            (Value::P(Some(0.0004)), "<0.001", "0.0004"),
            (Value::P(Some(0.04)), "0.040", "0.04"),
        ];
        for (value, shown, json) in values {
            assert_eq!(value.to_string(), shown);
            assert_eq!(serde_json::to_string(&value).unwrap(), json);
        }
    }

    #[test]
    fn panels_are_written_in_markdown() {
        let mut panel = Panel::new("x", "X", "All words.", ["system|kind", "LAS"]);
        panel.rows.push(vec![Value::text("a*"), Value::share(1, 4)]);
        let expected =
            "## X\n\nAll words.\n\n| system\\|kind | LAS |\n|---|---:|\n| a\\* | 25.00 |\n";
        assert_eq!(panel.to_markdown(), expected);
    }

    #[test]
    fn charts_take_columns_by_their_ending() {
        let mut panel = Panel::new("x", "X", "", ["length", "arcs", "a recall", "b recall"]);
        let row = |name: &str, a: u64, b: u64| {
            vec![Value::text(name), Value::Count(4), Value::share(a, 4), Value::share(b, 4)]
        };
        panel.rows = vec![row("1", 1, 2), row("2", 3, 4), row("3", 0, 0)];
        panel.chart_columns("words", &[("recall", "Recall")], false, 2);
        let Plot::Lines { categories, series } = &panel.charts[0].plot else { panic!() };
        assert_eq!(categories, &["1", "2"]);
        assert_eq!(series[0].name, "a");
        assert_eq!(series[1].values, [Some(50.0), Some(100.0)]);
        assert_eq!(panel.shown("2"), ["2", "4", "75.00", "100.00"]);
    }
}
