//! What no token may break, whatever a model has learned: addresses, numbers and abbreviations.
//!
//! - URLs (`https://…`, `www.…`, `example.org/…`) and e-mail addresses are one token each. Signs that
//!   close a sentence or a bracket around them do not belong to them.
//! - Nothing ends within `3.14` or `1,000,000`.
//! - The full stop of an abbreviation belongs to it; whether a sentence may end behind it is in the
//!   [list](super::abbreviations).
//! - No sentence ends between an address and a small letter, or within a paragraph without a word (`* * *`).
//!
//! What is said about a cell is a set of decisions that are barred behind it. All is found in one pass over the
//! text, linear in its length.
use super::abbreviations::{Abbreviations, Behind};
use super::characters::Class;
use super::decision::Decision;
use super::paragraph::Paragraph;

/// Longest abbreviation in characters.
const MOST_ABBREVIATION: usize = 20;
/// Stands in a list for all numbers with a full stop.
const ORDINAL: &str = "0.";
/// Longest name of a protocol.
const MOST_SCHEME: usize = 12;
/// Stands before e-mail addresses in links.
const MAIL_SCHEME: [char; 7] = ['m', 'a', 'i', 'l', 't', 'o', ':'];
/// Ends of domains that are known as such without a path behind them.
const DOMAINS: [&str; 8] = ["com", "org", "net", "edu", "gov", "info", "biz", "mil"];

/// The decisions that are barred behind each cell of a paragraph.
#[derive(Clone, Debug, Default)]
pub(super) struct Units {
    barred: Vec<u8>,
    word: String,
}

const fn bar(decision: Decision) -> u8 {
    1 << decision as u8
}

/// A token does not end here.
const WITHIN: u8 = bar(Decision::Token) | bar(Decision::Sentence);

impl Units {
    /// Finds the units of a paragraph; `addresses` tells whether addresses and numbers count.
    pub fn find(&mut self, paragraph: &Paragraph, abbreviations: &Abbreviations, addresses: bool) {
        self.barred.clear();
        self.barred.resize(paragraph.len(), 0);
        if !paragraph.classes.iter().any(|class| class.is_word() || *class == Class::Ideograph) {
            self.barred.fill(bar(Decision::Sentence));
            return;
        }
        for cell in 0..paragraph.len() {
            let is_start = match paragraph.classes[cell] {
                Class::Colon | Class::Punctuation => addresses,
                Class::FullStop | Class::Comma => true,
                _ => false,
            };
            if !is_start || self.barred[cell] & WITHIN == WITHIN {
                continue;
            }
            if addresses {
                if let Some((start, end)) = address(paragraph, cell) {
                    self.hold(paragraph, start, end);
                    continue;
                }
                self.number(paragraph, cell);
            }
            if !abbreviations.is_empty() && paragraph.classes[cell] == Class::FullStop {
                self.abbreviation(paragraph, cell, abbreviations);
            }
        }
    }

    /// Takes what is barred out of what may be decided behind a cell, unless nothing would be left.
    #[inline]
    pub fn restrict(&self, cell: usize, allowed: &mut [bool; 3]) {
        let barred = self.barred[cell];
        if barred == 0 {
            return;
        }
        let mut left = *allowed;
        for decision in Decision::ALL {
            left[decision as usize] &= barred & bar(decision) == 0;
        }
        if left.contains(&true) {
            *allowed = left;
        }
    }

    /// Whether the model may not end a token behind a cell.
    pub fn is_within(&self, cell: usize) -> bool {
        self.barred[cell] & WITHIN == WITHIN
    }

    /// The cells from `start` to `end` are one token.
    fn hold(&mut self, paragraph: &Paragraph, start: usize, end: usize) {
        for cell in start..end - 1 {
            self.barred[cell] = WITHIN;
        }
        let goes_on = paragraph.classes.get(end) == Some(&Class::Gap)
            && paragraph.classes.get(end + 1) == Some(&Class::Lower);
        self.barred[end - 1] =
            bar(Decision::Inside) | if goes_on { bar(Decision::Sentence) } else { 0 };
        if start > 0 && paragraph.classes[start - 1] != Class::Gap {
            self.barred[start - 1] = bar(Decision::Inside) | bar(Decision::Sentence);
        }
    }

    /// A point or comma between two digits, and the digits around it.
    fn number(&mut self, paragraph: &Paragraph, cell: usize) {
        let is_digit = |at: usize| paragraph.characters.get(at).is_some_and(char::is_ascii_digit);
        let sign = matches!(paragraph.characters[cell], '.' | ',');
        if sign && cell > 0 && is_digit(cell - 1) && is_digit(cell + 1) {
            let start = (0..cell).rev().take_while(|&at| is_digit(at)).last().unwrap_or(cell);
            let digits = (cell + 1..paragraph.len()).take_while(|&at| is_digit(at)).count();
            self.barred[start..cell + digits].fill(WITHIN);
        }
    }

    /// The word that ends with the full stop at a cell, if it is in the list.
    fn abbreviation(&mut self, paragraph: &Paragraph, cell: usize, list: &Abbreviations) {
        let Paragraph { characters, classes, .. } = paragraph;
        let mut start = cell;
        let least = cell.saturating_sub(MOST_ABBREVIATION + 1);
        while start > least
            && (classes[start - 1].is_word() || classes[start - 1] == Class::FullStop)
        {
            start -= 1;
        }
        let next = classes.get(cell + 1);
        if start == cell || cell - start > MOST_ABBREVIATION || next == Some(&Class::FullStop) {
            return;
        }
        self.word.clear();
        self.word.extend(&characters[start..=cell]);
        let is_gap = next == Some(&Class::Gap);
        let follows = classes.get(cell + 1 + usize::from(is_gap)).copied();
        let is_ordinal = classes[start..cell].iter().all(|&class| class == Class::Digit);
        let known = if is_ordinal { list.get(ORDINAL) } else { list.get(&self.word) };
        let Some(behind) = known.filter(|_| !is_ordinal || follows == Some(Class::Lower)) else {
            return;
        };
        let sentence = match behind {
            Behind::Number if follows != Some(Class::Digit) => return,
            Behind::Never | Behind::Number => bar(Decision::Sentence),
            Behind::Either
                if matches!(follows, Some(Class::Lower | Class::Comma | Class::Digit)) =>
            {
                bar(Decision::Sentence)
            }
            Behind::Either if is_gap && self.starts(paragraph, cell + 2, list) => {
                bar(Decision::Token)
            }
            Behind::Either => 0,
        };
        for cell in start..cell {
            self.barred[cell] = WITHIN;
        }
        let goes_on = !is_gap && follows.is_some_and(Class::is_word);
        self.barred[cell] = if goes_on { 0 } else { bar(Decision::Inside) } | sentence;
    }

    /// Whether the word at a cell begins sentences.
    fn starts(&mut self, paragraph: &Paragraph, cell: usize, list: &Abbreviations) -> bool {
        self.word.clear();
        let classes = paragraph.classes[cell..].iter();
        let length = classes.take_while(|class| class.is_word()).count();
        self.word.extend(&paragraph.characters[cell..cell + length]);
        list.starts(&self.word)
    }
}

/// The address that the sign at a cell is the first sure sign of: its first cell and the one behind it.
fn address(paragraph: &Paragraph, cell: usize) -> Option<(usize, usize)> {
    let characters = &paragraph.characters;
    match characters[cell] {
        ':' if characters[cell + 1..].starts_with(&['/', '/']) => {
            let least = cell.saturating_sub(MOST_SCHEME);
            let start = back(paragraph, cell, least, |character| character.is_ascii_alphabetic());
            let end = forward(paragraph, start, cell + 3);
            (start < cell && end > cell + 3).then_some((start, end))
        }
        '@' => mail(paragraph, cell),
        '.' => domain(paragraph, cell),
        _ => None,
    }
}

fn back(paragraph: &Paragraph, from: usize, least: usize, fits: impl Fn(char) -> bool) -> usize {
    let mut start = from;
    while start > least && fits(paragraph.characters[start - 1]) {
        start -= 1;
    }
    start
}

fn is_name(character: char) -> bool {
    matches!(Class::of(character), Class::Lower | Class::Upper | Class::Digit)
}

/// Behind the last cell of an address whose cells up to `sure` are known to belong to it.
fn forward(paragraph: &Paragraph, start: usize, sure: usize) -> usize {
    let Paragraph { characters, classes, .. } = paragraph;
    let fits = |at: usize| match characters[at] {
        '<' | '>' | '{' | '}' | '|' | '\\' | '^' | '`' | '"' => false,
        character => character.is_ascii_graphic() || classes[at].is_word(),
    };
    let mut end = sure;
    while end < paragraph.len() && fits(end) {
        end += 1;
    }
    // What stands before `end` is counted once: a bracket more or less as signs are taken away.
    let mut open = 0i64;
    for character in &characters[start..end] {
        open +=
            i64::from(matches!(character, '(' | '[')) - i64::from(matches!(character, ')' | ']'));
    }
    while end > sure {
        match characters[end - 1] {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' => end -= 1,
            's' if end - sure > 1 && characters[end - 2] == '\'' => end -= 2,
            ')' | ']' if open < 0 => {
                open += 1;
                end -= 1;
            }
            _ => break,
        }
    }
    end
}

fn mail(paragraph: &Paragraph, at: usize) -> Option<(usize, usize)> {
    let characters = &paragraph.characters;
    let local = |character: char| {
        is_name(character) || matches!(character, '.' | '_' | '%' | '+' | '-' | '\'')
    };
    let mut start = back(paragraph, at, 0, local);
    while start < at && !is_name(characters[start]) {
        start += 1;
    }
    let mut end = at + 1;
    while end < paragraph.len()
        && (is_name(characters[end]) || matches!(characters[end], '.' | '-'))
    {
        end += 1;
    }
    while end > at + 1 && !is_name(characters[end - 1]) {
        end -= 1;
    }
    let has_dot = characters[(at + 2).min(end)..end].contains(&'.');
    if characters[..start].ends_with(&MAIL_SCHEME) {
        start -= MAIL_SCHEME.len();
    }
    (start < at && has_dot).then_some((start, end))
}

/// `www.…`, `example.org`, or `any.name/path`; `dot` is the first full stop of it.
fn domain(paragraph: &Paragraph, dot: usize) -> Option<(usize, usize)> {
    let Paragraph { characters, classes, .. } = paragraph;
    let part = |character: char| character.is_ascii_alphanumeric() || character == '-';
    let start = back(paragraph, dot, 0, part);
    let is_inner =
        start > 0 && (classes[start - 1].is_word() || classes[start - 1] == Class::FullStop);
    if start == dot || is_inner {
        return None;
    }
    let (mut end, mut last) = (dot, dot);
    while characters.get(end) == Some(&'.') {
        let behind = (end + 1..paragraph.len()).find(|&at| !part(characters[at]));
        let behind = behind.unwrap_or(paragraph.len());
        if behind == end + 1 {
            break;
        }
        (last, end) = (end, behind);
    }
    if end == dot {
        return None;
    }
    let top: String = characters[last + 1..end].iter().collect();
    let has_path = characters.get(end) == Some(&'/')
        && classes.get(end + 1).is_some_and(|class| class.is_word())
        && top.len() > 1
        && top.chars().all(|character| character.is_ascii_lowercase());
    let is_www = characters[start..dot].iter().collect::<String>().eq_ignore_ascii_case("www");
    if !(is_www || has_path || DOMAINS.contains(&top.as_str())) {
        return None;
    }
    let ends_here = classes.get(end).is_none_or(|class| !class.is_word());
    let goes_on = matches!(characters.get(end), Some('/' | '?' | '#'));
    (ends_here || goes_on)
        .then(|| (start, if goes_on { forward(paragraph, start, end) } else { end }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of a text that are one token each, however long.
    fn held(text: &str) -> Vec<String> {
        let mut paragraph = Paragraph::default();
        paragraph.fill(text);
        let mut units = Units::default();
        let list = "Mrs.\ne.g.\nNo. number\netc. either\n0.".parse().unwrap();
        units.find(&paragraph, &list, true);
        let mut found = Vec::new();
        let mut start = None;
        for cell in 0..paragraph.len() {
            if units.is_within(cell) {
                start = start.or(Some(cell));
            } else if let Some(first) = start.take() {
                found.push(paragraph.characters[first..=cell].iter().collect());
            }
        }
        found
    }

    #[test]
    fn addresses_end_before_the_signs_around_them() {
        assert_eq!(held("See http://a.org/b?c=d."), ["http://a.org/b?c=d"]);
        assert_eq!(
            held("(see https://en.org/wiki/Arc_(tree))!"),
            ["https://en.org/wiki/Arc_(tree)"]
        );
        assert_eq!(held("Mail jo.o'x@b.co.uk, or www.a.com."), ["jo.o'x@b.co.uk", "www.a.com"]);
        assert_eq!(held("[www.example.org/a?b=1]?"), ["www.example.org/a?b=1"]);
        assert_eq!(
            held("at example.com's page; bbc.co.uk/news too"),
            ["example.com", "bbc.co.uk/news"]
        );
        assert_eq!(held("The end.It came. a@b and/or ://x"), [""; 0]);
        assert_eq!(held("<me@host.example.org>."), ["me@host.example.org"]);
        assert_eq!(held("<mailto:me@example.org>"), ["mailto:me@example.org"]);
    }

    #[test]
    fn numbers_and_abbreviations_hold() {
        assert_eq!(held("3.14 or 1,000,000, 5, 6."), ["3.14", "1,000,000"]);
        assert_eq!(held("Am 3. dritten, am 4. Mai und 5."), ["3."]);
        assert_eq!(held("Mrs. A, e.g. No. 5, not No. Etc."), ["Mrs.", "e.g.", "No.", "Etc."]);
    }

    #[test]
    fn any_text_will_do() {
        let mut rng = crossarc_tree::seed::Seed(5).rng();
        let signs: Vec<char> = "a.,:/@w?()[]- 1ő\n".chars().collect();
        for _ in 0..2000 {
            let length = rng.below(30);
            let text: String = (0..length).map(|_| signs[rng.below(signs.len())]).collect();
            for piece in held(&text) {
                assert!(!piece.contains(char::is_whitespace), "{text:?}: {piece:?}");
            }
        }
    }
}
