//! Trees as self-contained SVG pictures: no fonts, scripts or images from elsewhere.
//!
//! A picture is as wide as its sentence needs; nothing is squashed. Sentences wider than
//! [`Options::width`] are laid out down unless told otherwise. Crossing arcs have thicker lines of
//! another colour; in a comparison arcs of gold alone have long dashes, arcs of the system alone
//! short ones. Colours follow the reader's light or dark setting.
//!
//! ```
//! use crossarc_draw::{Drawing, Highlight, Options, Word, svg};
//! let words = vec![Word::new("<Stop>", "VERB")];
//! let drawing = Drawing::new("1", words, &[(Some(0), "root")], Highlight::Crossing);
//! let picture = svg::render(&drawing, &Options::picture());
//! assert!(picture.starts_with("<svg ") && picture.contains("&lt;Stop&gt;"));
//! ```
use std::borrow::Cow;
use std::fmt::Write as _;

use super::across::{Across, Ruler};
use super::down::Down;
use super::text::{self, Direction, pixels};
use super::{Arc, Drawing, Layout, Options, Standing};

/// The style sheet that pictures and pages share.
pub(super) const STYLE: &str = "\
.crossarc{font-family:system-ui,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif}
.crossarc .paper{fill:#fff}
.crossarc .form{font-size:16px;fill:#1f2328}
.crossarc .tag{font-size:11px;fill:#656d76}
.crossarc .name{font-size:13px;fill:#656d76}
.crossarc .label{font-size:12px;fill:#424a53;stroke:#fff;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
.crossarc .line{fill:none;stroke:#6e7781;stroke-width:1.3}
.crossarc .halo{fill:none;stroke:#fff;stroke-width:6}
.crossarc .tip{fill:#6e7781}
.crossarc .crossing .line{stroke:#c2410c;stroke-width:2.4}
.crossarc .crossing .tip,.crossarc .crossing .label{fill:#c2410c}
.crossarc .wrong-label .label{fill:#8250df;font-weight:bold}
.crossarc .gold .line{stroke:#0550ae;stroke-dasharray:10 4}
.crossarc .gold .tip,.crossarc .gold .label{fill:#0550ae}
.crossarc .system .line{stroke:#cf222e;stroke-dasharray:3 3}
.crossarc .system .tip,.crossarc .system .label{fill:#cf222e}
@media (prefers-color-scheme:dark){
.crossarc .paper{fill:#0d1117}
.crossarc .form{fill:#e6edf3}
.crossarc .tag,.crossarc .name{fill:#8d96a0}
.crossarc .label{fill:#c9d1d9;stroke:#0d1117}
.crossarc .line{stroke:#8b949e}
.crossarc .halo{stroke:#0d1117}
.crossarc .tip{fill:#8b949e}
.crossarc .crossing .line{stroke:#f0883e}
.crossarc .crossing .tip,.crossarc .crossing .label{fill:#f0883e}
.crossarc .wrong-label .label{fill:#d2a8ff}
.crossarc .gold .line{stroke:#58a6ff}
.crossarc .gold .tip,.crossarc .gold .label{fill:#58a6ff}
.crossarc .system .line{stroke:#ff7b72}
.crossarc .system .tip,.crossarc .system .label{fill:#ff7b72}
}
";

const MARGIN: i32 = 16;
/// Height of a level of arcs above the words.
const STEP: i32 = 26;
/// Height of a line of the layout that runs down.
const LINE: i32 = 26;
/// Width of a level of arcs beside the words.
const COLUMN: i32 = 16;
/// Length of the tip of an arrow.
const TIP: i32 = 7;
/// The outermost level that is given room beside the words; deeper trunks share its place.
const DEEPEST: u32 = 2000;

const RULER: Ruler = Ruler {
    form: |form| pixels(form, 16),
    small: |small| pixels(small, 12),
    line: 1,
    port: 9,
    gap: 16,
    margin: 12,
};

/// A picture without the frame around it.
pub(super) struct Picture {
    pub width: i32,
    pub height: i32,
    pub body: String,
}

/// One sentence as a document of its own.
pub fn render(drawing: &Drawing, options: &Options) -> String {
    document(std::slice::from_ref(drawing), options)
}

/// Several sentences below each other, with their titles, in one document.
pub fn document(drawings: &[Drawing], options: &Options) -> String {
    let pictures: Vec<Picture> = drawings.iter().map(|drawing| picture(drawing, options)).collect();
    let heading = if drawings.len() > 1 { 32 } else { 0 };
    let width = pictures.iter().map(|picture| picture.width).max().unwrap_or(0);
    let height: i32 = pictures
        .iter()
        .fold(0, |height: i32, picture| height.saturating_add(picture.height + heading));
    let title: Vec<String> = drawings.iter().map(sentence).collect();
    let mut out = opening(width, height, &title.join(" | "));
    let _ = writeln!(out, "<style>\n{STYLE}</style>");
    let _ = writeln!(out, "<rect class=\"paper\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>");
    let mut top = 0;
    for (drawing, picture) in drawings.iter().zip(&pictures) {
        if heading > 0 {
            let (x, y) = (MARGIN, top + 22);
            let name = xml(&drawing.title);
            let _ = writeln!(out, "<text class=\"name\" x=\"{x}\" y=\"{y}\">{name}</text>");
            top += heading;
        }
        let _ = writeln!(out, "<g transform=\"translate(0 {top})\">\n{}</g>", picture.body);
        top += picture.height;
    }
    out.push_str("</svg>\n");
    out
}

/// The start tag of a picture, with its text for readers who cannot see it.
pub(super) fn opening(width: i32, height: i32, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"crossarc\" role=\"img\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{}</title>\n",
        xml(title)
    )
}

/// The forms of a sentence with blanks between them.
pub(super) fn sentence(drawing: &Drawing) -> String {
    let forms: Vec<&str> = drawing.words().iter().map(|word| word.form.as_str()).collect();
    forms.join(" ")
}

/// Draws a sentence.
pub(super) fn picture(drawing: &Drawing, options: &Options) -> Picture {
    if options.layout != Layout::Down {
        let across = Across::new(drawing, &RULER);
        let fits = (across.width + 2 * MARGIN) as usize <= options.width;
        if fits || options.layout == Layout::Across {
            return draw_across(drawing, &across);
        }
    }
    draw_down(drawing, &Down::new(drawing))
}

fn draw_across(drawing: &Drawing, across: &Across) -> Picture {
    let has_root = drawing.arcs().iter().any(Arc::is_root);
    let top = MARGIN + 14 + if has_root { 12 } else { 0 };
    let foot = top + STEP * across.levels.min(1 << 20) as i32;
    let level_y = |level: u32| foot - STEP * level.min(1 << 20) as i32;
    let mut body = String::new();
    let mut order: Vec<usize> = (0..across.arcs.len()).collect();
    order.sort_by_key(|&arc| (drawing.arcs()[arc].highlighted, across.arcs[arc].level));
    for index in order {
        let (arc, course) = (&drawing.arcs()[index], across.arcs[index]);
        let (head, dependent) = (MARGIN + course.head, MARGIN + course.dependent);
        let label_x = MARGIN + course.label + (RULER.small)(&arc.label) / 2;
        let tip = foot - TIP + 2;
        let (path, label_y) = if arc.is_root() {
            (format!("M{dependent} {}V{tip}", top - 20), top - 24)
        } else {
            let y = level_y(course.level);
            let towards = if dependent > head { 1 } else { -1 };
            let radius = 10.min((dependent - head).abs() / 2);
            let path = format!(
                "M{head} {foot}V{}Q{head} {y} {} {y}H{}Q{dependent} {y} {dependent} {}V{tip}",
                y + radius,
                head + towards * radius,
                dependent - towards * radius,
                y + radius,
            );
            (path, y - 6)
        };
        open_arc(&mut body, drawing, arc);
        let _ = writeln!(body, "<path class=\"halo\" d=\"{path}\"/>");
        let _ = writeln!(body, "<path class=\"line\" d=\"{path}\"/>");
        let (left, right, point) = (dependent - 4, dependent + 4, foot + 3);
        let base = point - TIP - 1;
        let _ = writeln!(
            body,
            "<path class=\"tip\" d=\"M{dependent} {point}L{left} {base}H{right}Z\"/>"
        );
        put_text(&mut body, "label", "middle", label_x, label_y, &arc.label);
        body.push_str("</g>\n");
    }
    for (word, place) in drawing.words().iter().zip(&across.words) {
        let middle = MARGIN + place.left + place.width / 2;
        put_text(&mut body, "form", "middle", middle, foot + 22, &word.form);
        put_text(&mut body, "tag", "middle", middle, foot + 38, &word.tag);
    }
    Picture { width: across.width + 2 * MARGIN, height: foot + 38 + MARGIN, body }
}

fn draw_down(drawing: &Drawing, down: &Down) -> Picture {
    let levels = down.levels.min(DEEPEST) as i32;
    let area = MARGIN + levels * COLUMN;
    let words = drawing.words();
    let x = |level: u32| MARGIN + (levels - level.min(DEEPEST) as i32) * COLUMN;
    let y = |word: u32| MARGIN + (word as i32 - 1) * LINE + LINE / 2;
    let mut own = vec![0; words.len() + 1];
    for trunk in &down.trunks {
        own[trunk.head as usize] = own[trunk.head as usize].max(trunk.level);
    }
    let mut body = String::new();
    let mut order: Vec<(usize, usize)> = Vec::with_capacity(drawing.arcs().len());
    for (trunk, shape) in down.trunks.iter().enumerate() {
        order.extend(shape.arcs.iter().map(|&arc| (trunk, arc)));
    }
    order.sort_by_key(|&(_, arc)| (drawing.arcs()[arc].highlighted, arc));
    for (trunk, index) in order {
        let (trunk, arc) = (&down.trunks[trunk], &drawing.arcs()[index]);
        let (column, from, to) = (x(trunk.level), y(arc.head), y(arc.dependent));
        let own_level = own[arc.dependent as usize];
        let end = match own_level {
            0 => area,
            level if level < trunk.level => x(level) - 4,
            _ => column + COLUMN - 2,
        };
        let bend = if to > from { to - 8 } else { to + 8 };
        let tip = end - TIP + 1;
        let path = format!("M{column} {from}V{bend}Q{column} {to} {} {to}H{tip}", column + 8);
        open_arc(&mut body, drawing, arc);
        let _ = writeln!(body, "<path class=\"line\" d=\"{path}\"/>");
        let (left, above, below) = (end - TIP - 1, to - 4, to + 4);
        let _ = writeln!(body, "<path class=\"tip\" d=\"M{end} {to}L{left} {above}V{below}Z\"/>");
        body.push_str("</g>\n");
    }
    for trunk in &down.trunks {
        let (column, row) = (x(trunk.level), y(trunk.head));
        let _ = writeln!(body, "<path class=\"line\" d=\"M{column} {row}H{area}\"/>");
        let _ = writeln!(body, "<circle class=\"tip\" cx=\"{column}\" cy=\"{row}\" r=\"3.5\"/>");
    }

    let widest = |width: fn(&str) -> i32, text: fn(&super::Word) -> &str| {
        words.iter().map(|word| width(text(word))).max().unwrap_or(0)
    };
    let form_width = widest(RULER.form, |word| &word.form);
    let tag_width = widest(RULER.small, |word| &word.tag);
    let tags = area + 8 + form_width + 20;
    let labels = tags + if tag_width > 0 { tag_width + 20 } else { 0 };
    for (word, row) in words.iter().zip(1..) {
        let baseline = y(row) + 5;
        put_text(&mut body, "form", "start", area + 8, baseline, &word.form);
        put_text(&mut body, "tag", "start", tags, baseline, &word.tag);
    }
    let mut next = vec![labels; words.len() + 1];
    for arc in drawing.arcs() {
        let at = &mut next[arc.dependent as usize];
        open_arc(&mut body, drawing, arc);
        put_text(&mut body, "label", "start", *at, y(arc.dependent) + 5, &arc.label);
        body.push_str("</g>\n");
        *at += (RULER.small)(&arc.label) + 12;
    }
    let width = next.iter().copied().max().unwrap_or(labels) + MARGIN;
    let height = 2 * MARGIN + (words.len() as i32).saturating_mul(LINE);
    Picture { width, height, body }
}

/// Opens a group that says in its tooltip what the arc is.
fn open_arc(body: &mut String, drawing: &Drawing, arc: &Arc) {
    let mut class = String::from(match arc.standing {
        Standing::Agreed => "arc",
        Standing::WrongLabel => "arc wrong-label",
        Standing::GoldOnly => "arc gold",
        Standing::SystemOnly => "arc system",
    });
    if arc.highlighted {
        class.push_str(" crossing");
    }
    let form = |word: u32| match word {
        0 => "root",
        _ => drawing.words().get(word as usize - 1).map_or("", |word| word.form.as_str()),
    };
    let (head, dependent, label) = (xml(form(arc.head)), xml(form(arc.dependent)), xml(&arc.label));
    let _ = writeln!(
        body,
        "<g class=\"{class}\"><title>{head} → {dependent}: {label}{}</title>",
        if arc.highlighted { " (crossing)" } else { "" }
    );
}

fn put_text(body: &mut String, class: &str, anchor: &str, x: i32, y: i32, text: &str) {
    if text.is_empty() {
        return;
    }
    // The start of right-to-left text is its right edge.
    let (direction, anchor) = match text::direction(text) {
        Some(Direction::RightToLeft) => {
            (" direction=\"rtl\"", if anchor == "start" { "end" } else { anchor })
        }
        _ => ("", anchor),
    };
    let anchor = match anchor {
        "start" => String::new(),
        other => format!(" text-anchor=\"{other}\""),
    };
    let text = xml(text);
    let _ = writeln!(
        body,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}{direction}>{text}</text>"
    );
}

/// Text for XML content or a quoted attribute; characters that XML cannot hold are replaced.
pub(super) fn xml(text: &str) -> Cow<'_, str> {
    let is_special = |letter: char| {
        matches!(letter, '<' | '>' | '&' | '"' | '\'' | '\u{FFFE}' | '\u{FFFF}')
            || letter.is_control()
    };
    if !text.contains(is_special) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ if is_special(letter) => out.push('\u{FFFD}'),
            _ => out.push(letter),
        }
    }
    Cow::Owned(out)
}
