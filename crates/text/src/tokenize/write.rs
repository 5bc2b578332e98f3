//! Tokens as CoNLL-U.
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

/// Appends a sentence: its text as a comment, and a line for each token and word, with all columns
/// empty but FORM and MISC. Spans are those of one sentence of `text`.
pub fn sentence(
    text: &str,
    spans: &[Span],
    around: Surroundings<'_>,
    rules: &MultiwordRules,
    notes: TokenNotes,
    out: &mut String,
) {
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return };
    out.push_str("# text = ");
    push_plain(&text[first.start..last.end], out);
    out.push('\n');
    let mut word = 0;
    let mut character = around.characters;
    let mut misc = Vec::new();
    for (at, span) in spans.iter().enumerate() {
        let form = &text[span.start..span.end];
        let after = spans.get(at + 1).map_or(around.after, |next| &text[span.end..next.start]);
        misc.clear();
        spaces::describe(if at == 0 { around.before } else { "" }, after, notes.spaces, &mut misc);
        if notes.ranges {
            let end = character + form.chars().count() as u64;
            misc.push(format!("TokenRange={character}:{end}"));
            character = end + after.chars().count() as u64;
        }
        let misc = if misc.is_empty() { "_".to_owned() } else { misc.join("|") };
        match rules.split(form) {
            None => {
                word += 1;
                line(&word.to_string(), form, &misc, out);
            }
            Some(words) => {
                line(&format!("{}-{}", word + 1, word + words.len()), form, &misc, out);
                for part in words {
                    word += 1;
                    line(&word.to_string(), &part, "_", out);
                }
            }
        }
    }
    out.push('\n');
}

/// Appends a sentence of words that are given, without blanks known.
pub fn words<'a>(forms: impl Iterator<Item = &'a str> + Clone, out: &mut String) {
    out.push_str("# text =");
    for form in forms.clone() {
        out.push(' ');
        push_plain(form, out);
    }
    out.push('\n');
    let mut clean = String::new();
    for (at, form) in forms.enumerate() {
        clean.clear();
        push_plain(form, &mut clean);
        line(&(at + 1).to_string(), if clean.is_empty() { "_" } else { &clean }, "_", out);
    }
    out.push('\n');
}

fn line(id: &str, form: &str, misc: &str, out: &mut String) {
    for part in [id, "\t", form, "\t_\t_\t_\t_\t_\t_\t_\t", misc, "\n"] {
        out.push_str(part);
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
