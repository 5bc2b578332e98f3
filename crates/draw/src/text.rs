//! Widths and directions of text.
use std::borrow::Cow;

use conll::is_steering;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    LeftToRight,
    RightToLeft,
}

/// The direction of the first letter that has one.
pub(super) fn direction(text: &str) -> Option<Direction> {
    text.chars().find(|letter| letter.is_alphabetic()).map(|letter| {
        if is_right_to_left(letter) { Direction::RightToLeft } else { Direction::LeftToRight }
    })
}

/// Hebrew, Arabic, Syriac, Thaana, N'Ko and their neighbours, and the right-to-left planes.
fn is_right_to_left(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0590..=0x08FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFF | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF)
}

/// Text that is safe to print: what steers the terminal is replaced, and a leading combining mark
/// gets a dotted circle to sit on.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    let needs_base = text.chars().next().is_some_and(|first| first.width() == Some(0));
    if !needs_base && !text.chars().any(is_steering) {
        return Cow::Borrowed(text);
    }
    let base = needs_base.then_some('\u{25CC}');
    let shown = text.chars().map(|letter| if is_steering(letter) { '\u{FFFD}' } else { letter });
    Cow::Owned(base.into_iter().chain(shown).collect())
}

/// Columns that printable text fills in a terminal.
pub(super) fn columns(text: &str) -> i32 {
    i32::try_from(printable(text).width()).unwrap_or(i32::MAX / 4)
}

/// Printable text that keeps its columns in a terminal that reorders: text with right-to-left
/// letters is put between a first-strong isolate and its end, which have no width.
pub(super) fn isolated(text: &str) -> Cow<'_, str> {
    let printable = printable(text);
    if printable.chars().any(is_right_to_left) {
        Cow::Owned(format!("\u{2068}{printable}\u{2069}"))
    } else {
        printable
    }
}

/// A generous guess of the width of text in pixels for a sans-serif font of the given size.
pub(super) fn pixels(text: &str, size: i32) -> i32 {
    let hundredths: i64 = text
        .chars()
        .map(|letter| match letter {
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '!' | '|' | ' ' => 34,
            'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' | '"' => 44,
            'm' | 'w' | 'M' | 'W' | '@' | '%' => 96,
            'A'..='Z' | '&' => 74,
            ' '..='~' => 63,
            _ => match letter.width() {
                Some(0) => 0,
                Some(2) => 102,
                _ => 68,
            },
        })
        .sum();
    i32::try_from(hundredths * i64::from(size) / 100 + 1).unwrap_or(i32::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_count_cells_not_characters() {
        assert_eq!(columns("hearing"), 7);
        assert_eq!(columns("日本"), 4);
        assert_eq!(columns("e\u{301}"), 1);
        assert_eq!(columns("\u{301}"), 1); // on its dotted circle
        assert_eq!(columns("שלום"), 4);
        assert_eq!(columns(""), 0);
    }

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb"), "a\u{FFFD}[31mb");
        assert_eq!(isolated("\u{2069}ש"), "\u{2068}\u{25CC}\u{FFFD}ש\u{2069}");
        assert_eq!(isolated("plain"), "plain");
    }

    #[test]
    fn direction_is_that_of_the_first_letter() {
        assert_eq!(direction("\"שלום\""), Some(Direction::RightToLeft));
        assert_eq!(direction("(سلام)"), Some(Direction::RightToLeft));
        assert_eq!(direction("abc"), Some(Direction::LeftToRight));
        assert_eq!(direction("..."), None);
    }
}
