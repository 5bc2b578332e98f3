//! Tokens as sentences.
use conll::{NewWord, SentenceBuilder};

use super::characters::Class;
use super::multiword::MultiwordRules;
use super::segmenter::Span;
use super::spaces;

/// What is said about tokens besides their forms.
#[derive(Copy, Clone, Debug)]
pub struct TokenNotes {
    /// `SpacesAfter` and `SpacesBefore` where the blanks are not simply one or none.
    pub spaces: bool,
    /// `TokenRange` with the place of the token in the text, in characters.
    pub ranges: bool,
}

impl Default for TokenNotes {
    fn default() -> TokenNotes {
        TokenNotes { spaces: true, ranges: false }
    }
}

/// Blanks around the tokens of a sentence.
#[derive(Copy, Clone, Debug)]
pub struct Surroundings<'a> {
    /// Before the first token, if they belong to it.
    pub before: &'a str,
    /// Behind the last token.
    pub after: &'a str,
    /// Characters of the text before the first token.
    pub characters: u64,
}

/// Adds a sentence: its text as a comment, and a line for each token and word, with all columns
/// empty but FORM and MISC. Spans are those of one sentence of `text`.
pub fn sentence(
    text: &str,
    spans: &[Span],
    around: Surroundings<'_>,
    rules: &MultiwordRules,
    notes: TokenNotes,
    out: &mut SentenceBuilder,
) {
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return };
    let mut plain = String::with_capacity(last.end - first.start);
    push_plain(&text[first.start..last.end], &mut plain);
    out.text(&plain);
    let mut character = around.characters;
    let mut misc = Vec::new();
    for (at, span) in spans.iter().enumerate() {
        let form = &text[span.start..span.end];
        let after = spans.get(at + 1).map_or(around.after, |next| &text[span.end..next.start]);
        misc.clear();
        spaces::describe(if at == 0 { around.before } else { "" }, after, notes.spaces, &mut misc);
        let offsets = notes.ranges.then(|| {
            let start = character;
            let end = start + form.chars().count() as u64;
            character = end + after.chars().count() as u64;
            start..end
        });
        let misc = misc.join("|");
        match rules.split(form) {
            None => {
                out.word(NewWord { misc: &misc, offsets, ..NewWord::new(form) });
            }
            Some(words) => {
                out.multiword_at(form, &misc, words.len() as u32, offsets);
                for part in &words {
                    out.word(part.as_str());
                }
            }
        }
    }
}

/// Adds a sentence of words that are given, without blanks known.
pub fn words<'a>(forms: impl Iterator<Item = &'a str> + Clone, out: &mut SentenceBuilder) {
    let mut plain = String::new();
    for (at, form) in forms.clone().enumerate() {
        if at > 0 {
            plain.push(' ');
        }
        push_plain(form, &mut plain);
    }
    out.text(&plain);
    for form in forms {
        plain.clear();
        push_plain(form, &mut plain);
        out.word(if plain.is_empty() { "_" } else { plain.as_str() });
    }
}

/// Appends a text with every run of blanks as one.
fn push_plain(text: &str, out: &mut String) {
    let mut in_gap = false;
    for character in text.chars() {
        if Class::of(character) == Class::Gap {
            if !in_gap {
                out.push(' ');
            }
            in_gap = true;
        } else {
            in_gap = false;
            out.push(character);
        }
    }
}
