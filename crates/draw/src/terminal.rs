//! Trees in the terminal, drawn with box-drawing characters.
//!
//! Crossing arcs have heavy lines (and a colour where colours are shown). In a comparison arcs of
//! gold alone are double, arcs of the system alone dashed. Where two lines cut each other there is
//! a `┼`; lines never meet in one. Columns are counted in terminal cells, so wide characters and
//! combining marks keep the picture straight. Sentences in a right-to-left script run from right
//! to left, and each such word is wrapped in invisible isolates, so that a terminal that reorders
//! letters reorders them inside the word only.
//!
//! ```
//! use crossarc_draw::{Drawing, Highlight, Layout, Options, Word, terminal};
//! let words = ["A", "hearing", "is", "on", "this"].map(|form| Word::new(form, "")).to_vec();
//! let labels = ["det", "root", "cop", "case", "nmod"];
//! let heads: Vec<_> = [2, 0, 2, 5, 2].map(Some).into_iter().zip(labels).collect();
//! let drawing = Drawing::new("1", words, &heads, Highlight::Crossing);
//! let options = Options { layout: Layout::Down, ..Options::default() };
//! assert_eq!(terminal::render(&drawing, &options), "\
//! ┌──► A        det
//! ●─── hearing  root
//! ├──► is       cop
//! │ ┌► on       case
//! └►●─ this     nmod
//! ");
//! ```
use std::fmt::Write as _;

use super::across::{Across, Ruler};
use super::canvas::{Canvas, Paint, Stroke, painted};
use super::down::{Down, Trunk};
use super::text::{columns, isolated};
use super::{Arc, Drawing, Layout, Options, Standing};

const RULER: Ruler = Ruler { form: columns, small: columns, line: 1, port: 1, gap: 1, margin: 1 };

/// The picture, line by line.
///
/// A drawing too large for its layout (4 million cells) is drawn down instead of across, and as a
/// plain list if it is too deep for that as well.
pub fn render(drawing: &Drawing, options: &Options) -> String {
    if drawing.words().is_empty() {
        return String::new();
    }
    if options.layout != Layout::Down {
        let forced = options.layout == Layout::Across;
        for margin in if forced { 1..=1 } else { 0..=1 }.rev() {
            let across = Across::new(drawing, &Ruler { margin, ..RULER });
            let fits = forced || across.width as usize <= options.width;
            let cells = (across.levels as usize + 4).saturating_mul(across.width.max(1) as usize);
            if fits && cells <= Canvas::LIMIT {
                return draw_across(drawing, &across, options.colour);
            }
        }
    }
    let down = Down::new(drawing);
    let cells = drawing.words().len().saturating_mul(2 * down.levels as usize);
    if cells <= Canvas::LIMIT { draw_down(drawing, &down, options.colour) } else { list(drawing) }
}

/// What the lines of a comparison mean.
pub fn legend(colour: bool) -> String {
    let entries = [
        ("── both", Paint::Plain),
        ("══ gold only", Paint::Gold),
        ("┄┄ system only", Paint::System),
        ("gold/system labels differ", Paint::WrongLabel),
        ("━━ crossing", Paint::Crossing),
    ];
    let shown: Vec<String> =
        entries.iter().map(|&(text, paint)| painted(text, paint, colour)).collect();
    shown.join("   ") + "\n"
}

fn draw_across(drawing: &Drawing, across: &Across, colour: bool) -> String {
    let has_root = drawing.arcs().iter().any(Arc::is_root);
    let top = usize::from(has_root);
    let foot = top + across.levels as usize;
    let mut canvas = Canvas::new(foot + 3, across.width as usize);
    for (arc, course) in drawing.arcs().iter().zip(&across.arcs) {
        let (stroke, paint) = (Stroke::of(arc), Paint::of(arc));
        let (head, dependent) = (course.head as usize, course.dependent as usize);
        let label = course.label.max(0) as usize;
        let mut row = 0;
        if arc.is_root() {
            canvas.text(row, label, &arc.label, paint);
            if arc.label.is_empty() && foot > 0 {
                canvas.down(dependent, 0, 1, stroke, paint);
            }
        } else {
            row = foot - course.level as usize;
            canvas.across(row, head, dependent, stroke, paint);
            canvas.down(head, row, foot, stroke, paint);
            canvas.text(row, label, &arc.label, paint);
        }
        let from = if arc.is_root() { (row + 1).min(foot) } else { row };
        canvas.down(dependent, from, foot, stroke, paint);
        canvas.mark(foot, dependent, '▼', paint);
    }
    for (word, place) in drawing.words().iter().zip(&across.words) {
        let centred = |text: &str| (place.left + (place.width - columns(text)) / 2) as usize;
        canvas.text(foot + 1, centred(&word.form), &word.form, Paint::Form);
        canvas.text(foot + 2, centred(&word.tag), &word.tag, Paint::Tag);
    }
    let mut picture = canvas.finish(colour);
    if drawing.words().iter().all(|word| word.tag.is_empty()) {
        picture.pop();
    }
    picture
}

fn draw_down(drawing: &Drawing, down: &Down, colour: bool) -> String {
    let words = drawing.words();
    let levels = down.levels as usize;
    let area = 2 * levels;
    let column = |level: u32| 2 * (levels - level as usize);
    let mut canvas = Canvas::new(words.len(), area);

    let mut own: Vec<u32> = vec![0; words.len() + 1];
    let mut incoming: Vec<Vec<(u32, usize)>> = vec![Vec::new(); words.len() + 1];
    for trunk in &down.trunks {
        own[trunk.head as usize] = own[trunk.head as usize].max(trunk.level);
        for &arc in &trunk.arcs {
            incoming[drawing.arcs()[arc].dependent as usize].push((trunk.level, arc));
        }
        draw_trunk(&mut canvas, drawing.arcs(), trunk, column(trunk.level));
    }
    for (row, lines) in incoming[1..].iter_mut().enumerate() {
        let own_level = own[row + 1];
        if own_level > 0 {
            canvas.across(row, column(own_level), area - 1, Stroke::Light, Paint::Plain);
        }
        lines.sort_unstable_by(|a, b| b.cmp(a));
        for &(level, arc) in &*lines {
            let (stroke, paint) =
                (Stroke::of(&drawing.arcs()[arc]), Paint::of(&drawing.arcs()[arc]));
            let inside = level > own_level;
            let end = if inside && own_level > 0 { column(own_level) } else { area };
            canvas.across(row, column(level), end.min(area - 1), stroke, paint);
            let tip = if inside { end - 1 } else { column(level) + 1 };
            canvas.mark(row, tip, '►', paint);
        }
    }
    for trunk in &down.trunks {
        canvas.mark(trunk.head as usize - 1, column(trunk.level), '●', Paint::Plain);
    }

    let widest = |width: &dyn Fn(usize) -> i32| {
        (0..words.len()).map(width).max().unwrap_or(0).clamp(0, 40) as usize
    };
    let form_width = widest(&|index| columns(&words[index].form));
    let tag_width = widest(&|index| columns(&words[index].tag));
    let start = if area == 0 { 0 } else { area + 1 };
    let mut after = vec![start; words.len()];
    for (row, word) in words.iter().enumerate() {
        canvas.text(row, start, &word.form, Paint::Form);
        after[row] = start + form_width.max(columns(&word.form) as usize) + 2;
        canvas.text(row, after[row], &word.tag, Paint::Tag);
        if tag_width > 0 {
            after[row] += tag_width.max(columns(&word.tag) as usize) + 2;
        }
    }
    let mut labelled = vec![false; words.len()];
    for arc in drawing.arcs() {
        let row = arc.dependent as usize - 1;
        if labelled[row] {
            canvas.text(row, after[row], "/", Paint::Plain);
            after[row] += 1;
        }
        let label =
            if arc.label.is_empty() && arc.standing != Standing::Agreed { "_" } else { &arc.label };
        canvas.text(row, after[row], label, Paint::of(arc));
        after[row] += columns(label) as usize;
        labelled[row] = true;
    }
    canvas.finish(colour)
}

/// Stretches of a trunk look like the arcs that run through them if those look alike.
fn draw_trunk(canvas: &mut Canvas, arcs: &[Arc], trunk: &Trunk, column: usize) {
    let row = |word: u32| word as usize - 1;
    let look = |arc: usize| (Stroke::of(&arcs[arc]), Paint::of(&arcs[arc]));
    let plain = match trunk.standing {
        Standing::GoldOnly => (Stroke::Double, Paint::Gold),
        Standing::SystemOnly => (Stroke::Dashed, Paint::System),
        _ => (Stroke::Light, Paint::Plain),
    };
    let split = trunk.arcs.partition_point(|&arc| arcs[arc].dependent < trunk.head);
    let (above, below) = trunk.arcs.split_at(split);
    let mut draw = |far_to_near: &mut dyn Iterator<Item = usize>| {
        let mut pending: Option<(u32, (Stroke, Paint))> = None;
        let mut stretch = |from: u32, to: u32, (stroke, paint)| {
            canvas.down(column, row(from.min(to)), row(from.max(to)), stroke, paint);
        };
        for arc in far_to_near {
            let here = arcs[arc].dependent;
            let mut seen = look(arc);
            if let Some((from, through)) = pending {
                stretch(from, here, through);
                if through != seen {
                    seen = plain;
                }
            }
            pending = Some((here, seen));
        }
        if let Some((from, through)) = pending {
            stretch(from, trunk.head, through);
        }
    };
    draw(&mut above.iter().copied());
    draw(&mut below.iter().rev().copied());
}

/// Number, form, tag, head and label of each word, for trees too deep to draw.
fn list(drawing: &Drawing) -> String {
    let mut arcs = drawing.arcs().iter().peekable();
    let mut out = String::new();
    for (index, word) in drawing.words().iter().enumerate() {
        let _ = write!(out, "{}\t{}\t{}", index + 1, isolated(&word.form), isolated(&word.tag));
        while let Some(arc) = arcs.next_if(|arc| arc.dependent as usize == index + 1) {
            let _ = write!(out, "\t{}\t{}", arc.head, isolated(&arc.label));
        }
        out.push('\n');
    }
    out
}
