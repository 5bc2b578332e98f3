//! What stands between tokens, kept in MISC so that the text can be rebuilt exactly.
//!
//! The convention is that of `UDPipe`: nothing is said about a single blank, `SpaceAfter=No` is no
//! blank at all, anything else is `SpacesAfter=` with `\s` for a blank, `\t`, `\r`, `\n`, `\p` for
//! a bar, `\\` for a backslash; other characters that belong to no token are `\u` and four
//! hexadecimal digits. `SpacesBefore` stands at the first token of a text.
use std::fmt::Write;

use conll::{Row, Sentence};

use super::MOST_BLANKS;

/// Appends blanks as MISC has them, the first [`MOST_BLANKS`] of them.
pub fn escape(blanks: &str, out: &mut String) {
    for character in blanks.chars().take(MOST_BLANKS) {
        match character {
            ' ' => out.push_str("\\s"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\n' => out.push_str("\\n"),
            '|' => out.push_str("\\p"),
            '\\' => out.push_str("\\\\"),
            // Writing to a string cannot fail.
            other => drop(write!(out, "\\u{:04X}", u32::from(other))),
        }
    }
}

/// Appends what escaped blanks stand for; what is no escape stands for itself.
///
/// ```
/// use crossarc_text::tokenize::spaces::{escape, unescape};
/// let (mut escaped, mut back) = (String::new(), String::new());
/// escape(" \r\n\u{a0}", &mut escaped);
/// assert_eq!(escaped, "\\s\\r\\n\\u00A0");
/// unescape(&escaped, &mut back);
/// assert_eq!(back, " \r\n\u{a0}");
/// ```
pub fn unescape(escaped: &str, out: &mut String) {
    let mut rest = escaped;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let number = behind.strip_prefix('u').and_then(|digits| digits.get(..4));
        let number = number.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let (character, length) = match behind.bytes().next() {
            Some(b's') => (' ', 1),
            Some(b't') => ('\t', 1),
            Some(b'r') => ('\r', 1),
            Some(b'n') => ('\n', 1),
            Some(b'p') => ('|', 1),
            Some(b'\\') => ('\\', 1),
            Some(b'u') if let Some(character) = number.and_then(char::from_u32) => (character, 5),
            _ => ('\\', 0),
        };
        out.push(character);
        rest = &behind[length..];
    }
    out.push_str(rest);
}

/// Adds the parts of MISC that say which blanks follow a token.
pub(super) fn describe(before: &str, after: &str, all: bool, misc: &mut Vec<String>) {
    let mut say = |name: &str, blanks: &str| {
        let mut part = name.to_owned();
        escape(blanks, &mut part);
        misc.push(part);
    };
    if all && !before.is_empty() {
        say("SpacesBefore=", before);
    }
    if after.is_empty() {
        misc.push("SpaceAfter=No".to_owned());
    } else if all && after != " " {
        say("SpacesAfter=", after);
    }
}

/// Form and MISC of every token as it stands in the text: ranges, and words outside of them.
pub(super) fn surface_tokens(sentence: &Sentence) -> impl Iterator<Item = (&str, &str)> {
    let mut covered = 0;
    sentence.rows().filter_map(move |row| match row {
        Row::Range { last, fields, .. } => {
            covered = last;
            Some((fields.form(), fields.misc()))
        }
        Row::Word(word) if word.id() > covered => Some((word.form(), word.misc())),
        _ => None,
    })
}

/// Appends the text of a sentence, with what stands before and behind it.
pub fn rebuild(sentence: &Sentence, out: &mut String) {
    for (form, misc) in surface_tokens(sentence) {
        let part = |name: &str| misc.split('|').find_map(|part| part.strip_prefix(name));
        if let Some(before) = part("SpacesBefore=") {
            unescape(before, out);
        }
        out.push_str(form);
        match part("SpacesAfter=") {
            Some(after) => unescape(after, out),
            None if part("SpaceAfter=") == Some("No") => {}
            None => out.push(' '),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_escape_stands_for_itself() {
        for text in ["\\", "\\x", "\\u12", "\\u00g0", "\\uD800", "a\\éb", "\\u0é0"] {
            let mut back = String::new();
            unescape(text, &mut back);
            assert_eq!(back, text);
        }
    }
}
