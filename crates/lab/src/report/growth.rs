//! How time grows with the length of a sentence: the exponent that fits, and a chart with
//! logarithmic axes, on which a power is a straight line.
//!
//! ```
//! use crossarc_lab::report::growth::Growth;
//! let cubic: Vec<_> = [10.0, 20.0, 40.0].map(|n: f64| (n, 1e-6 * n.powi(3))).to_vec();
//! let growth = Growth { name: "cubic".to_owned(), points: cubic };
//! assert!((growth.exponent().unwrap() - 3.0).abs() < 1e-9);
//! assert!(growth.svg().starts_with("<svg"));
//! ```
use std::fmt::Write;

use super::plot::escape;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 46.0;

/// Seconds for a sentence of each length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth {
    /// What was measured.
    pub name: String,
    /// Words and seconds, both above zero.
    pub points: Vec<(f64, f64)>,
}

impl Growth {
    fn logarithms(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let positive = self.points.iter().filter(|(words, seconds)| *words > 0.0 && *seconds > 0.0);
        positive.map(|(words, seconds)| (words.log10(), seconds.log10()))
    }

    /// Slope and height of the straight line through the logarithms by least squares; nothing for
    /// fewer than two lengths.
    fn line(&self) -> Option<(f64, f64)> {
        let many = self.logarithms().count() as f64;
        let mean = |value: fn((f64, f64)) -> f64| self.logarithms().map(value).sum::<f64>() / many;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let spread: f64 = self.logarithms().map(|point| (point.0 - x).powi(2)).sum();
        let shared: f64 = self.logarithms().map(|point| (point.0 - x) * (point.1 - y)).sum();
        (spread > 0.0).then(|| (shared / spread, y - shared / spread * x))
    }

    /// The power of the length that time grows with.
    pub fn exponent(&self) -> Option<f64> {
        self.line().map(|line| line.0)
    }

    /// The chart, complete in itself, for light and dark.
    pub fn svg(&self) -> String {
        let ends = |value: fn((f64, f64)) -> f64| {
            let (low, high) = self
                .logarithms()
                .map(value)
                .fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
            if low > high { (0.0, 1.0) } else { (low.floor(), high.ceil().max(low.floor() + 1.0)) }
        };
        let (columns, rows) = (ends(|point| point.0), ends(|point| point.1));
        let place = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
        let x = |value: f64| LEFT + place(value, columns) * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - place(value, rows) * (HEIGHT - TOP - BOTTOM);
        let title = match self.exponent() {
            Some(exponent) => format!("{}: time grows as length ^ {exponent:.2}", self.name),
            None => self.name.clone(),
        };
        let title = escape(&title);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"{title}\">\n<style>text{{font:12px sans-serif;fill:#1f2328}}\
             line{{stroke:#d1d9e0}}.fit{{stroke:#d1420f;stroke-dasharray:5 4}}circle{{fill:#0969da}}\
             @media (prefers-color-scheme:dark){{text{{fill:#e6edf3}}line{{stroke:#30363d}}\
             circle{{fill:#58a6ff}}.fit{{stroke:#ff8e5c}}}}</style>\n\
             <text x=\"{LEFT}\" y=\"20\">{title}</text>\n"
        );
        for power in rows.0 as i32..=rows.1 as i32 {
            let at = y(f64::from(power));
            let name = tick(power, "s");
            let _ = writeln!(
                out,
                "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                at + 4.0
            );
        }
        for (words, _) in &self.points {
            let at = x(words.max(1.0).log10());
            let _ = writeln!(
                out,
                "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{words}</text>",
                HEIGHT - BOTTOM + 18.0
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">words in the sentence</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 8.0
        );
        if let (Some((slope, height)), Some(first), Some(last)) =
            (self.line(), self.logarithms().next(), self.logarithms().last())
        {
            let _ = writeln!(
                out,
                "<line class=\"fit\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
                x(first.0),
                y(slope * first.0 + height),
                x(last.0),
                y(slope * last.0 + height)
            );
        }
        for ((column, row), (words, seconds)) in self.logarithms().zip(&self.points) {
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{words} words: {seconds:.6} s</title></circle>",
                x(column),
                y(row)
            );
        }
        out + "</svg>\n"
    }
}

/// `1 ms`, `10 s`: a power of ten in a unit, with thousandths and millionths of it.
fn tick(power: i32, unit: &str) -> String {
    let (prefix, left) = match power {
        ..=-7 => ("n", power + 9),
        -6..=-4 => ("µ", power + 6),
        -3..=-1 => ("m", power + 3),
        _ => ("", power),
    };
    format!("{} {prefix}{unit}", 10f64.powi(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_are_xml_and_show_every_point() {
        let points = vec![(10.0, 0.0001), (100.0, 0.02), (400.0, 1.5)];
        let growth = Growth { name: "a < b".to_owned(), points };
        let text = growth.svg();
        let xml = roxmltree::Document::parse(&text).unwrap();
        let points = xml.descendants().filter(|node| node.has_tag_name("circle")).count();
        assert_eq!(points, 3);
        let empty = Growth::default();
        assert_eq!(empty.exponent(), None);
        roxmltree::Document::parse(&empty.svg()).unwrap();
    }

    #[test]
    fn ticks_have_units() {
        assert_eq!(tick(-5, "s"), "10 µs");
        assert_eq!(tick(-3, "s"), "1 ms");
        assert_eq!(tick(1, "s"), "10 s");
    }
}
