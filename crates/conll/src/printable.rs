//! Text of files in messages and on terminals: what steers a terminal, or turns the direction of what
//! follows, is shown by its number instead of doing so.
use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character steers the terminal or the direction of text instead of showing something.
pub fn is_steering(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2028}'
            | '\u{2029}' | '\u{2066}'..='\u{2069}')
}

/// Text that is safe to print in a line.
///
/// ```
/// assert_eq!(conll::printable("plain"), "plain");
/// assert_eq!(conll::printable("a\u{1b}[31m\n"), "a\\u{1b}[31m\\u{a}");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_steering) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_steering(letter) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}
