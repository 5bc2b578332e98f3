//! Text out of HTML: tags, comments, scripts and styles go, paragraphs and line breaks stay.
//!
//! This is no parser of HTML: it never fails, takes one pass, and is right for what people have saved from
//! the web. Blanks within a line are one, as a browser shows them.
//!
//! ```
//! use crossarc_text::html;
//! let page = "<title>x</title><p>Fish &amp; chips<br>cost &#163;5.<script>a<b</script><p>Good!";
//! assert_eq!(html::text(page), "x\n\nFish & chips\ncost £5.\n\nGood!\n");
//! assert_eq!(html::text("3 < 4 & 5"), "3 < 4 & 5\n");
//! ```

/// Elements whose content is not text.
const DROPPED: [&str; 5] = ["script", "style", "noscript", "template", "svg"];

/// Elements within a line; all others end a paragraph.
const INLINE: [&str; 29] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "img", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub",
    "sup", "u", "wbr",
];

/// Characters by name.
const ENTITIES: [(&str, &str); 32] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("bull", "•"),
    ("middot", "·"),
    ("copy", "©"),
    ("reg", "®"),
    ("euro", "€"),
    ("pound", "£"),
    ("deg", "°"),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("szlig", "ß"),
    ("eacute", "é"),
    ("aacute", "á"),
    ("egrave", "è"),
];

/// The text of a page.
pub fn text(page: &str) -> String {
    let mut text = Lines::default();
    let mut rest = page;
    while let Some(at) = rest.find(['<', '&']) {
        text.words(&rest[..at]);
        rest = &rest[at..];
        if let Some(behind) = rest.strip_prefix("<!--") {
            rest = behind.find("-->").map_or("", |end| &behind[end + 3..]);
        } else if let Some((name, behind)) = tag(rest) {
            rest = behind;
            let closing = name.starts_with('/');
            let name = name.trim_start_matches('/');
            if name == "br" {
                text.end_line(1);
            } else if !INLINE.contains(&name) {
                text.end_line(2);
            }
            if !closing && DROPPED.contains(&name) {
                rest = behind_element(rest, name);
            }
        } else if let Some((character, behind)) = entity(rest) {
            text.push(&character);
            rest = behind;
        } else {
            text.words(&rest[..1]);
            rest = &rest[1..];
        }
    }
    text.words(rest);
    text.end_line(1);
    text.finish()
}

/// The name of the tag that stands here, in lower case, and what follows the tag.
fn tag(text: &str) -> Option<(String, &str)> {
    let inside = &text[1..];
    let first = inside.trim_start_matches('/').chars().next()?;
    if !text.starts_with('<') || !(first.is_ascii_alphabetic() || matches!(first, '!' | '?')) {
        return None;
    }
    let end = inside.find('>')?;
    let name = inside[..end].split(|c: char| c.is_whitespace()).next().unwrap_or_default();
    let name = name.trim_end_matches('/').to_ascii_lowercase();
    Some((name, &inside[end + 1..]))
}

/// What follows the end of an element.
fn behind_element<'t>(text: &'t str, name: &str) -> &'t str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        let is_end = rest.get(..name.len()).is_some_and(|own| own.eq_ignore_ascii_case(name));
        if is_end {
            return rest.find('>').map_or("", |end| &rest[end + 1..]);
        }
    }
    ""
}

/// The character that `&name;` or `&#number;` stands for.
fn entity(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('&')?;
    let end = inside.bytes().take(12).position(|byte| byte == b';')?;
    let (name, behind) = (&inside[..end], &inside[end + 1..]);
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        let character = char::from_u32(code.ok()?)?;
        return Some((character.to_string(), behind));
    }
    let (_, character) = ENTITIES.iter().find(|(known, _)| *known == name)?;
    Some(((*character).to_owned(), behind))
}

/// Lines that are being written.
#[derive(Default)]
struct Lines {
    text: String,
    /// Line ends that stand before the next word.
    line_ends: usize,
    blank: bool,
}

impl Lines {
    fn words(&mut self, text: &str) {
        for character in text.chars() {
            if matches!(character, ' ' | '\t' | '\n' | '\r') {
                self.blank = true;
            } else {
                self.push(character.encode_utf8(&mut [0; 4]));
            }
        }
    }

    fn push(&mut self, text: &str) {
        if !self.text.is_empty() {
            if self.line_ends > 0 {
                (0..self.line_ends).for_each(|_| self.text.push('\n'));
            } else if self.blank {
                self.text.push(' ');
            }
        }
        (self.line_ends, self.blank) = (0, false);
        self.text.push_str(text);
    }

    fn end_line(&mut self, lines: usize) {
        self.line_ends = self.line_ends.max(lines);
    }

    fn finish(mut self) -> String {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn what_is_no_text_goes() {
        let page = "<!DOCTYPE html><html><head><title>News</title><style>p{a>b}</style></head>\
            <body class='x'><h1>A &lt;b&gt;</h1><!-- <p>no --><p>one  <b>two</b>\nthree<BR/>four</p>\
            <ul><li>x<li>y</ul><SCRIPT>if (a</b) '</p>'</SCRIPT>end";
        assert_eq!(text(page), "News\n\nA <b>\n\none two three\nfour\n\nx\n\ny\n\nend\n");
    }

    #[test]
    fn anything_is_text() {
        for page in
            ["", "<", "&", "<p", "&#xffffffff;", "<!--", "<script>", "é<é>&é;", "a</", "&nosuch;"]
        {
            let _ = text(page);
        }
        assert_eq!(text("&nosuch; <3"), "&nosuch; <3\n");
        assert_eq!(text(""), "");
    }
}
