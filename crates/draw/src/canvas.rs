//! A grid of box-drawing characters.
//!
//! Lines are kept as strokes that leave a cell in four directions; the character is chosen when
//! all is drawn, so lines that meet or cut each other need no care from those who draw them.
use super::text::{columns, isolated};
use super::{Arc, Standing};

/// How a line looks.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Stroke {
    #[default]
    None,
    Light,
    Dashed,
    Heavy,
    HeavyDashed,
    Double,
}

impl Stroke {
    /// Crossing arcs are heavy, those of the system alone dashed, those of gold alone double.
    pub fn of(arc: &Arc) -> Stroke {
        match (arc.standing, arc.highlighted) {
            (Standing::Agreed | Standing::WrongLabel, false) => Stroke::Light,
            (Standing::Agreed | Standing::WrongLabel, true) => Stroke::Heavy,
            (Standing::GoldOnly, _) => Stroke::Double,
            (Standing::SystemOnly, false) => Stroke::Dashed,
            (Standing::SystemOnly, true) => Stroke::HeavyDashed,
        }
    }

    /// Corners and crossings have no dashed form.
    fn solid(self) -> Stroke {
        match self {
            Stroke::Dashed => Stroke::Light,
            Stroke::HeavyDashed => Stroke::Heavy,
            other => other,
        }
    }
}

/// What colour something has.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Paint {
    #[default]
    Plain,
    Form,
    Tag,
    Crossing,
    WrongLabel,
    Gold,
    System,
}

impl Paint {
    pub fn of(arc: &Arc) -> Paint {
        match (arc.standing, arc.highlighted) {
            (Standing::GoldOnly, _) => Paint::Gold,
            (Standing::SystemOnly, _) => Paint::System,
            (Standing::WrongLabel, _) => Paint::WrongLabel,
            (Standing::Agreed, true) => Paint::Crossing,
            (Standing::Agreed, false) => Paint::Plain,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Paint::Plain => "",
            Paint::Form => "\u{1b}[1m",
            Paint::Tag => "\u{1b}[2m",
            Paint::Crossing => "\u{1b}[33m",
            Paint::WrongLabel => "\u{1b}[35m",
            Paint::Gold => "\u{1b}[94m",
            Paint::System => "\u{1b}[91m",
        }
    }
}

#[derive(Copy, Clone, Default)]
struct Cell {
    up: Stroke,
    down: Stroke,
    left: Stroke,
    right: Stroke,
    paint: Paint,
    mark: Option<char>,
}

struct Text {
    row: usize,
    column: usize,
    content: String,
    paint: Paint,
}

/// The grid. Lines must lie inside it; text may run over its right edge.
pub(super) struct Canvas {
    width: usize,
    cells: Vec<Cell>,
    texts: Vec<Text>,
}

impl Canvas {
    /// The most cells a grid may have; larger drawings take another layout.
    pub const LIMIT: usize = 1 << 22;

    /// An empty grid.
    pub fn new(rows: usize, width: usize) -> Canvas {
        let width = width.max(1);
        Canvas { width, cells: vec![Cell::default(); rows * width], texts: Vec::new() }
    }

    fn cell(&mut self, row: usize, column: usize) -> &mut Cell {
        &mut self.cells[row * self.width + column]
    }

    /// A line from the middle of one cell to the middle of another in the same row.
    pub fn across(&mut self, row: usize, from: usize, to: usize, stroke: Stroke, paint: Paint) {
        let (from, to) = (from.min(to), from.max(to));
        for column in from..=to {
            let cell = self.cell(row, column);
            if column > from {
                cell.left = stroke;
            }
            if column < to {
                cell.right = stroke;
            }
            cell.paint = paint;
        }
    }

    /// A line from the middle of one cell to the middle of another in the same column.
    pub fn down(&mut self, column: usize, from: usize, to: usize, stroke: Stroke, paint: Paint) {
        for row in from..=to {
            let cell = self.cell(row, column);
            if row > from {
                cell.up = stroke;
            }
            if row < to {
                cell.down = stroke;
            }
            cell.paint = paint;
        }
    }

    /// A character in place of a line.
    pub fn mark(&mut self, row: usize, column: usize, mark: char, paint: Paint) {
        let cell = self.cell(row, column);
        cell.mark = Some(mark);
        cell.paint = paint;
    }

    /// Text over everything else.
    pub fn text(&mut self, row: usize, column: usize, text: &str, paint: Paint) {
        if !text.is_empty() {
            self.texts.push(Text { row, column, content: text.to_owned(), paint });
        }
    }

    /// The rows as text, without trailing blanks, each with a line end.
    pub fn finish(mut self, colour: bool) -> String {
        self.texts.sort_by_key(|text| (text.row, text.column));
        let mut texts = self.texts.iter().peekable();
        let mut out = Ink { out: String::new(), colour, current: Paint::Plain };
        for (row, cells) in self.cells.chunks(self.width).enumerate() {
            let mut column = 0;
            let mut blanks = 0;
            loop {
                while texts.next_if(|text| text.row == row && text.column < column).is_some() {}
                if let Some(text) = texts.next_if(|text| text.row == row && text.column == column) {
                    out.write(&" ".repeat(blanks), Paint::Plain);
                    blanks = 0;
                    out.write(&isolated(&text.content), text.paint);
                    column += columns(&text.content).max(1) as usize;
                    continue;
                }
                let more_text = texts.peek().is_some_and(|text| text.row == row);
                let Some(cell) = cells.get(column) else {
                    if !more_text {
                        break;
                    }
                    blanks += 1;
                    column += 1;
                    continue;
                };
                match cell.mark.unwrap_or_else(|| glyph(cell)) {
                    ' ' => blanks += 1,
                    letter => {
                        out.write(&" ".repeat(blanks), Paint::Plain);
                        blanks = 0;
                        out.write(letter.encode_utf8(&mut [0; 4]), cell.paint);
                    }
                }
                column += 1;
            }
            out.write("\n", Paint::Plain);
        }
        out.out
    }
}

/// Text with colour codes where the colour changes.
struct Ink {
    out: String,
    colour: bool,
    current: Paint,
}

impl Ink {
    fn write(&mut self, text: &str, paint: Paint) {
        if text.is_empty() {
            return;
        }
        if self.colour && paint != self.current {
            if self.current != Paint::Plain {
                self.out.push_str("\u{1b}[0m");
            }
            self.out.push_str(paint.code());
            self.current = paint;
        }
        self.out.push_str(text);
    }
}

/// Text with colour codes around it.
pub(super) fn painted(text: &str, paint: Paint, colour: bool) -> String {
    let mut ink = Ink { out: String::new(), colour, current: Paint::Plain };
    ink.write(text, paint);
    ink.write("\n", Paint::Plain);
    ink.out.pop();
    ink.out
}

fn glyph(cell: &Cell) -> char {
    use Stroke::{Dashed, Double, Heavy, HeavyDashed, None};
    match (cell.up, cell.down, cell.left, cell.right) {
        (None, None, None, None) => return ' ',
        (None, None, left, right) if left == right || left == None || right == None => {
            return match if left == None { right } else { left } {
                Dashed => '┄',
                Heavy => '━',
                HeavyDashed => '┅',
                Double => '═',
                _ => '─',
            };
        }
        (up, down, None, None) if up == down || up == None || down == None => {
            return match if up == None { down } else { up } {
                Dashed => '┆',
                Heavy => '┃',
                HeavyDashed => '┇',
                Double => '║',
                _ => '│',
            };
        }
        _ => {}
    }
    match (cell.up.solid(), cell.down.solid(), cell.left.solid(), cell.right.solid()) {
        (None, Heavy, None, _) => '┏',
        (None, Heavy, _, None) => '┓',
        (Heavy, None, None, _) => '┗',
        (Heavy, None, _, None) => '┛',
        (None, Double, None, _) => '╔',
        (None, Double, _, None) => '╗',
        (Double, None, None, _) => '╚',
        (Double, None, _, None) => '╝',
        (None, _, None, _) => '┌',
        (None, _, _, None) => '┐',
        (_, None, None, _) => '└',
        (_, None, _, None) => '┘',

        (None, None, Heavy, _) => '╾',
        (None, None, _, _) => '╼',
        (Heavy, _, None, None) => '╿',
        (_, _, None, None) => '╽',

        (Heavy, Heavy, None, Heavy) => '┣',
        (Heavy, Heavy, None, _) => '┠',
        (Heavy, _, None, Heavy) => '┡',
        (Heavy, _, None, _) => '┞',
        (_, Heavy, None, Heavy) => '┢',
        (_, Heavy, None, _) => '┟',
        (_, _, None, Heavy) => '┝',
        (Double, Double, None, Double) => '╠',
        (Double, Double, None, _) => '╟',
        (_, _, None, Double) => '╞',
        (_, _, None, _) => '├',

        (Heavy, Heavy, _, None) => '┨',
        (Double, Double, _, None) => '╢',
        (_, _, Heavy, None) => '┥',
        (_, _, Double, None) => '╡',
        (_, _, _, None) => '┤',

        (None, Heavy, Heavy, Heavy) => '┳',
        (None, Heavy, _, _) => '┰',
        (None, _, Heavy, Heavy) => '┯',
        (None, _, Heavy, _) => '┭',
        (None, _, _, Heavy) => '┮',
        (None, Double, Double, Double) => '╦',
        (None, Double, _, _) => '╥',
        (None, _, Double, Double) => '╤',
        (None, _, _, _) => '┬',

        (Heavy, None, Heavy, Heavy) => '┻',
        (Heavy, None, _, _) => '┸',
        (_, None, Heavy, Heavy) => '┷',
        (_, None, Heavy, _) => '┵',
        (_, None, _, Heavy) => '┶',
        (Double, None, Double, Double) => '╩',
        (Double, None, _, _) => '╨',
        (_, None, Double, Double) => '╧',
        (_, None, _, _) => '┴',

        (Heavy, Heavy, Heavy, Heavy) => '╋',
        (_, _, Heavy, Heavy) if cell.up != Double => '┿',
        (Double, Double, Double, Double) => '╬',
        (Double, Double, _, _) => '╫',
        (_, _, Double, Double) => '╪',
        (Heavy, Heavy, _, _) => '╂',
        _ => '┼',
    }
}
