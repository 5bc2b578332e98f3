//! Charts as SVG: lines, bars and clouds of points, drawn to be read in light and dark.
//!
//! Colours are classes (`c0` to `c7`), which the page defines; shapes of points differ, too, so that
//! nothing is told by colour alone. Every point has its numbers in a `<title>`.
use std::collections::BTreeSet;
use std::fmt::Write;

use super::{Chart, Cloud, Plot, Series};

/// Number of colours.
pub const COLOURS: usize = 8;
/// Bars that differ by less than this share of the highest begin above zero.
const SMALL_DIFFERENCE: f64 = 0.35;
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
/// Characters of a category beyond which its name is shortened.
const LONGEST: usize = 14;

/// Text for HTML and SVG.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\u{0}'..='\u{8}'
            | '\u{b}'
            | '\u{c}'
            | '\u{e}'..='\u{1f}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            other => out.push(other),
        }
    }
    out
}

/// Round steps between `low` and `high`, about five of them: first, last, step.
fn ticks(low: f64, high: f64) -> (f64, f64, f64) {
    let range = (high - low).max(1e-9);
    let rough = range / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    ((low / step).floor() * step, (high / step).ceil() * step, step)
}

/// `80`, `2.5`, `1,000`
fn tick_text(value: f64, step: f64) -> String {
    let digits = if step >= 1.0 {
        usize::from(step.fract() != 0.0)
    } else {
        (-step.log10()).ceil() as usize
    };
    format!("{value:.digits$}")
}

struct Frame {
    low: f64,
    high: f64,
    bottom: f64,
}

impl Frame {
    fn y(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low).max(1e-9);
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - TOP)
    }
}

/// Draws a chart.
pub fn svg(chart: &Chart) -> String {
    match &chart.plot {
        Plot::Lines { categories, series } => over_categories(chart, categories, series, false),
        Plot::Bars { categories, series } => over_categories(chart, categories, series, true),
        Plot::Scatter { clouds } => scatter(chart, clouds),
    }
}

fn begin(chart: &Chart, height: f64) -> String {
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escape(&chart.title)
    )
}

/// Horizontal lines with their numbers, and the name of the vertical axis.
fn frame(out: &mut String, chart: &Chart, low: f64, high: f64, bottom: f64) -> Frame {
    let (low, high, step) = ticks(low, high);
    let frame = Frame { low, high, bottom };
    let steps = ((high - low) / step).round() as usize;
    // Writing to a string cannot fail.
    for at in 0..=steps.min(20) {
        let value = low + step * at as f64;
        let y = frame.y(value);
        let class = if at == 0 { "axis" } else { "rule" };
        let _ = writeln!(
            out,
            "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 7.0,
            y + 4.0,
            tick_text(value, step),
        );
    }
    let middle = f64::midpoint(TOP, bottom);
    let _ = writeln!(
        out,
        "<text class=\"name\" x=\"13\" y=\"{middle:.1}\" text-anchor=\"middle\" \
         transform=\"rotate(-90 13 {middle:.1})\">{}</text>",
        escape(&chart.y)
    );
    frame
}

fn over_categories(chart: &Chart, categories: &[String], series: &[Series], bars: bool) -> String {
    let values = || {
        series.iter().flat_map(|series| {
            let ends = series.intervals.iter().flatten().flat_map(|&(low, high)| [low, high]);
            series.values.iter().flatten().copied().chain(ends)
        })
    };
    let highest = values().fold(f64::NEG_INFINITY, f64::max);
    let lowest = values().fold(f64::INFINITY, f64::min);
    if !highest.is_finite() {
        return "<p class=\"nothing\">Nothing to draw: nothing was counted.</p>\n".to_owned();
    }
    // Bars of about the same height show their differences only without their common part.
    let alike = lowest > 0.0 && highest - lowest < SMALL_DIFFERENCE * highest;
    let low = if !bars {
        lowest
    } else if alike {
        (lowest - (highest - lowest) / 4.0).max(0.0)
    } else {
        lowest.min(0.0)
    };
    let high = if highest > low { highest } else { low + 1.0 };
    let slanted =
        categories.iter().map(|name| name.chars().count().min(LONGEST)).max().unwrap_or(0)
            * categories.len()
            > 72;
    let height = if slanted { HEIGHT + 46.0 } else { HEIGHT };
    let bottom = HEIGHT - 44.0;
    let mut out = begin(chart, height);
    let frame = frame(&mut out, chart, low, high, bottom);
    let step = (WIDTH - LEFT - RIGHT) / categories.len().max(1) as f64;
    let x = |at: usize| LEFT + step * (at as f64 + 0.5);
    let every = categories.len().div_ceil(40).max(1);
    for (at, name) in categories.iter().enumerate().step_by(every) {
        let mut short: String = name.chars().take(LONGEST).collect();
        if name.chars().count() > LONGEST {
            short.pop();
            short.push('…');
        }
        let (x, y) = (x(at), bottom + 16.0);
        let place = if slanted {
            format!("text-anchor=\"end\" transform=\"rotate(-40 {x:.1} {y:.1})\"")
        } else {
            "text-anchor=\"middle\"".to_owned()
        };
        let _ = writeln!(
            out,
            "<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\" {place}>{}</text>",
            escape(&short)
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        f64::midpoint(LEFT, WIDTH - RIGHT),
        height - 6.0,
        escape(&chart.x)
    );
    let title = |series: &Series, at: usize, value: f64| {
        let category = categories.get(at).map_or("", String::as_str);
        format!("<title>{}, {}: {value:.2}</title>", escape(&series.name), escape(category))
    };
    for (number, one) in series.iter().enumerate() {
        let colour = number % COLOURS;
        if bars {
            let width = (step * 0.8 / series.len() as f64).min(46.0);
            for (at, value) in one.values.iter().enumerate() {
                let Some(value) = value else { continue };
                let left = x(at) + width * (number as f64 - series.len() as f64 / 2.0);
                let (top, base) = (frame.y(value.max(0.0)), frame.y(value.min(0.0).max(frame.low)));
                let _ = writeln!(
                    out,
                    "<rect class=\"c{colour}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\">{}</rect>",
                    (width - 1.0).max(0.8),
                    (base - top).max(0.5),
                    title(one, at, *value)
                );
                whisker(&mut out, &frame, one, at, left + (width - 1.0) / 2.0);
            }
            continue;
        }
        for stretch in stretches(&one.values) {
            let points: Vec<String> = stretch
                .iter()
                .map(|&(at, value)| format!("{:.1},{:.1}", x(at), frame.y(value)))
                .collect();
            let _ =
                writeln!(out, "<polyline class=\"c{colour}\" points=\"{}\"/>", points.join(" "));
        }
        for (at, value) in one.values.iter().enumerate() {
            let Some(value) = value else { continue };
            let aside = 3.0 * (number as f64 - (series.len() - 1) as f64 / 2.0);
            whisker(&mut out, &frame, one, at, x(at) + aside);
            let mark = mark(number, x(at), frame.y(*value), 4.0);
            let _ = writeln!(
                out,
                "<path class=\"c{colour}\" d=\"{mark}\">{}</path>",
                title(one, at, *value)
            );
        }
    }
    out + "</svg>\n" + &legend(series.iter().map(|series| series.name.clone()))
}

/// The interval of a number as a thin line.
fn whisker(out: &mut String, frame: &Frame, series: &Series, at: usize, x: f64) {
    let Some(&Some((low, high))) = series.intervals.get(at) else { return };
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"currentColor\" stroke-opacity=\"0.6\"/>",
        frame.y(low),
        frame.y(high)
    );
}

/// Parts of a line without a gap.
fn stretches(values: &[Option<f64>]) -> Vec<Vec<(usize, f64)>> {
    let mut found = vec![Vec::new()];
    for (at, value) in values.iter().enumerate() {
        match (value, found.last_mut()) {
            (Some(value), Some(last)) => last.push((at, *value)),
            _ => found.push(Vec::new()),
        }
    }
    found.retain(|stretch| stretch.len() > 1);
    found
}

/// A circle, square, diamond or triangle.
fn mark(number: usize, x: f64, y: f64, r: f64) -> String {
    match number % 4 {
        0 => format!(
            "M{:.1} {y:.1}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0z",
            x - r,
            2.0 * r,
            2.0 * r
        ),
        1 => {
            let r = r * 0.9;
            format!("M{:.1} {:.1}h{}v{}h-{}z", x - r, y - r, 2.0 * r, 2.0 * r, 2.0 * r)
        }
        2 => {
            let r = r * 1.25;
            format!("M{x:.1} {:.1}l{r} {r}l-{r} {r}l-{r} -{r}z", y - r)
        }
        _ => {
            let r = r * 1.15;
            format!("M{x:.1} {:.1}l{r} {}h-{}z", y - r, 1.9 * r, 2.0 * r)
        }
    }
}

fn legend(names: impl Iterator<Item = String>) -> String {
    let mut out = "<p class=\"legend\">".to_owned();
    for (number, name) in names.enumerate() {
        let _ = write!(
            out,
            "<span><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\"><path class=\"c{}\" d=\"{}\"/></svg>{}</span>",
            number % COLOURS,
            mark(number, 7.0, 7.0, 5.0),
            escape(&name)
        );
    }
    out + "</p>\n"
}

fn scatter(chart: &Chart, clouds: &[Cloud]) -> String {
    let points = || clouds.iter().flat_map(|cloud| &cloud.points);
    let Some(right) = points().map(|point| point.0).max() else {
        return "<p class=\"nothing\">Nothing to draw: nothing was counted.</p>\n".to_owned();
    };
    let top = points().map(|point| point.1).max().unwrap_or(1);
    let mut out = begin(chart, HEIGHT);
    let bottom = HEIGHT - 44.0;
    let frame = frame(&mut out, chart, 0.0, f64::from(top.max(1)), bottom);
    let (_, last, step) = ticks(0.0, f64::from(right.max(1)));
    let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * value / last;
    for at in 0..=(last / step).round() as usize {
        let value = step * at as f64;
        let _ = writeln!(
            out,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(value),
            bottom + 16.0,
            tick_text(value, step)
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        f64::midpoint(LEFT, WIDTH - RIGHT),
        HEIGHT - 6.0,
        escape(&chart.x)
    );
    for (number, cloud) in clouds.iter().enumerate() {
        // Sentences of the same length and as many moves are one point.
        let different: BTreeSet<(u32, u32)> = cloud.points.iter().copied().collect();
        let mut path = String::new();
        for (px, py) in different {
            path += &mark(number, x(f64::from(px)), frame.y(f64::from(py)), 2.2);
        }
        let _ = writeln!(
            out,
            "<path class=\"c{} cloud\" d=\"{path}\"><title>{}</title></path>",
            number % COLOURS,
            escape(&cloud.name)
        );
    }
    for (number, cloud) in clouds.iter().enumerate() {
        let Some(slope) = cloud.slope else { continue };
        let end = if slope > 0.0 { last.min(frame.high / slope) } else { last };
        let _ = writeln!(
            out,
            "<polyline class=\"c{}\" points=\"{:.1},{:.1} {:.1},{:.1}\"/>",
            number % COLOURS,
            x(0.0),
            frame.y(0.0),
            x(end),
            frame.y(slope * end)
        );
    }
    out + "</svg>\n" + &legend(clouds.iter().map(|cloud| cloud.name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(plot: Plot) -> String {
        let chart = Chart { title: "t <&".into(), x: "x".into(), y: "%".into(), plot };
        let text = svg(&chart);
        let document = format!("<div>{text}</div>");
        roxmltree::Document::parse(&document).unwrap_or_else(|error| panic!("{error}: {document}"));
        text
    }

    fn series(values: &[Option<f64>]) -> Vec<Series> {
        vec![Series { name: "<a>".into(), values: values.to_vec(), ..Series::default() }]
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(ticks(0.0, 100.0), (0.0, 100.0, 20.0));
        assert_eq!(ticks(61.0, 89.0), (60.0, 90.0, 10.0));
        assert_eq!(tick_text(0.25, 0.05), "0.25");
        assert_eq!(tick_text(7.5, 2.5), "7.5");
        assert_eq!(tick_text(40.0, 10.0), "40");
    }

    #[test]
    fn a_line_has_gaps_where_nothing_was_counted() {
        let categories: Vec<String> = (1..=6).map(|n| n.to_string()).collect();
        let values = [Some(50.0), Some(60.0), None, Some(70.0), None, Some(80.0)];
        let text = chart(Plot::Lines { categories, series: series(&values) });
        assert_eq!(text.matches("<polyline").count(), 1);
        assert_eq!(text.matches("<path class=\"c0\"").count(), 4 + 1, "points and the legend");
        assert!(text.contains("<title>&lt;a&gt;, 4: 70.00</title>"), "{text}");
    }

    #[test]
    fn bars_begin_at_zero() {
        let categories = vec!["a".into(), "b".into()];
        let text = chart(Plot::Bars { categories, series: series(&[Some(10.0), Some(20.0)]) });
        let height = |part: &str| {
            let rest = part.split("height=\"").nth(1).unwrap();
            rest.split('"').next().unwrap().parse::<f64>().unwrap()
        };
        let heights: Vec<f64> = text.split("<rect ").skip(1).map(height).collect();
        assert!((heights[1] / heights[0] - 2.0).abs() < 0.01, "{heights:?}");
    }

    #[test]
    fn points_that_are_the_same_are_drawn_once() {
        let cloud =
            Cloud { name: "c".into(), points: vec![(1, 2), (1, 2), (2, 4)], slope: Some(2.0) };
        let text = chart(Plot::Scatter { clouds: vec![cloud] });
        let path = text.split("cloud\" d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(path.matches('M').count(), 2);
        assert_eq!(text.matches("<polyline").count(), 1);
    }

    #[test]
    fn nothing_is_no_picture() {
        let empty = chart(Plot::Lines { categories: Vec::new(), series: Vec::new() });
        assert!(empty.contains("Nothing to draw"));
        assert!(chart(Plot::Scatter { clouds: Vec::new() }).contains("Nothing to draw"));
        let one = chart(Plot::Lines { categories: vec!["a".into()], series: series(&[Some(0.0)]) });
        assert!(one.contains("<path"));
    }
}
