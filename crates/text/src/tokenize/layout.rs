//! Where paragraphs and lines of a text begin.
//!
//! An empty line ends a paragraph. Within one, a line end is a blank like any other if the text is
//! wrapped at a margin; but it ends the sentence where lines are as long as paragraphs, or where a
//! line is so short that the next word would easily have had room, as in headings, lists and
//! addresses. A line of nothing but `* * *` or dashes stands by itself.
use std::ops::Range;

/// Text that is tokenized on its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// Where it lies, in bytes.
    pub range: Range<usize>,
    /// Whether a paragraph begins with it.
    pub begins_paragraph: bool,
}

/// Lines of more characters than this are not wrapped at a margin.
const WIDEST_MARGIN: usize = 120;
/// A line that ends before this part of the margin, the next word included, was meant to end.
const SHORT: f64 = 0.6;
/// Words that a line must have to tell something about the margin.
const FEW_WORDS: usize = 4;

/// The stretches of a text.
///
/// ```
/// use crossarc_text::tokenize::layout::stretches;
/// let mut list = Vec::new();
/// stretches("Heading\nA line of text which is wrapped\nat a margin.\r\n \r\nNext.", &mut list);
/// let texts: Vec<bool> = list.iter().map(|stretch| stretch.begins_paragraph).collect();
/// assert_eq!(texts, [true, false, true]);
/// ```
pub fn stretches(text: &str, out: &mut Vec<Stretch>) {
    out.clear();
    let mut paragraph: Vec<Range<usize>> = Vec::new();
    for line in lines(text) {
        if is_blank(&text[line.clone()]) {
            divide(text, &paragraph, out);
            paragraph.clear();
        } else {
            paragraph.push(line);
        }
    }
    divide(text, &paragraph, out);
}

/// The lines of a text, each with its line end; CR LF, LF and CR end lines.
pub fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
        let end = match rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            None => bytes.len(),
            Some(at) if rest[at] == b'\r' && rest.get(at + 1) == Some(&b'\n') => start + at + 2,
            Some(at) => start + at + 1,
        };
        let line = start..end;
        start = end;
        Some(line)
    })
}

fn is_blank(line: &str) -> bool {
    line.chars().all(|c| super::characters::Class::of(c) == super::characters::Class::Gap)
}

/// `* * *`, a rule of dashes and the like: several signs and no word.
fn is_ornament(line: &str) -> bool {
    let mut signs = line.chars().filter(|c| !c.is_whitespace());
    let first = signs.next();
    let dull =
        |sign: char| matches!(sign, '*' | '-' | '_' | '=' | '~' | '#' | '+' | '—' | '–' | '•');
    first.is_some_and(dull) && signs.clone().count() > 1 && signs.all(dull)
}

/// Divides the lines of a paragraph where lines were meant to end.
fn divide(text: &str, lines: &[Range<usize>], out: &mut Vec<Stretch>) {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return };
    let width = |line: &Range<usize>| text[line.clone()].trim().chars().count();
    let margin = lines
        .iter()
        .filter(|line| text[(*line).clone()].split_whitespace().nth(FEW_WORDS - 1).is_some())
        .map(width)
        .max()
        .unwrap_or(0);
    let mut start = first.start;
    let mut begins_paragraph = true;
    for pair in lines.windows(2) {
        let (line, next) = (&pair[0], &pair[1]);
        let word = text[next.clone()].split_whitespace().next().map_or(0, |w| w.chars().count());
        let needed = (width(line) + 1 + word) as f64;
        let ornament = is_ornament(&text[line.clone()]) || is_ornament(&text[next.clone()]);
        if margin > WIDEST_MARGIN || ornament || needed < SHORT * margin as f64 {
            out.push(Stretch { range: start..line.end, begins_paragraph });
            start = line.end;
            begins_paragraph = false;
        }
    }
    out.push(Stretch { range: start..last.end, begins_paragraph });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let mut list = Vec::new();
        stretches(text, &mut list);
        list.iter().map(|stretch| text[stretch.range.clone()].trim()).collect()
    }

    #[test]
    fn wrapped_lines_belong_together() {
        let wrapped = "It was a bright cold day in April, and\nthe clocks were striking thirteen when\nhe came.";
        assert_eq!(texts(wrapped).len(), 1);
    }

    #[test]
    fn long_lines_are_paragraphs() {
        let long = "so it goes ".repeat(20);
        assert_eq!(texts(&format!("{long}\n{long}\nshort\n{long}")).len(), 4);
    }

    #[test]
    fn ornaments_stand_by_themselves() {
        let text = "It ended there, as all things end\n * * *\nIt went on, as all things go on.\n-----\nEnd";
        assert_eq!(texts(text).len(), 5);
        assert_eq!(texts("It was — as always —\n- a day.").len(), 1);
    }

    #[test]
    fn any_line_end_will_do() {
        assert_eq!(texts("a\r\rb\r\n\r\nc\n\n\n\nd"), ["a", "b", "c", "d"]);
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(texts("\n\n \n"), [""; 0]);
    }
}
