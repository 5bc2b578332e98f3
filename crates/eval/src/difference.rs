//! Telling where two files that should hold the same text part.
use std::fmt;

/// How many tokens are shown on either side of the first difference.
const CONTEXT: usize = 8;
/// Tokens longer than this many characters are shortened in messages.
const LONGEST_TOKEN: usize = 60;

/// The first place where gold and system hold different text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDifference {
    /// The place in the gold file.
    pub gold: Place,
    /// The place in the system file.
    pub system: Place,
}

/// A token in its surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line of the token, or of the last one if the text ends too early.
    pub line: usize,
    /// The number of the sentence in the file, from 1.
    pub sentence: usize,
    /// The `sent_id` of the sentence.
    pub id: Option<String>,
    /// The tokens around, with the first different one in `⟦⟧`.
    pub text: String,
}

impl Place {
    /// The place of token `at` of `tokens`; `at == tokens` means that the text ends here.
    pub(crate) fn new<'a>(
        file: &str,
        line: usize,
        sentence: usize,
        id: Option<&str>,
        tokens: usize,
        at: usize,
        token: impl Fn(usize) -> &'a str,
    ) -> Place {
        let mut text = String::new();
        let first = at.saturating_sub(CONTEXT);
        if first > 0 {
            text.push_str("… ");
        }
        for before in first..at {
            push_shortened(&mut text, token(before));
            text.push(' ');
        }
        text.push('⟦');
        if at < tokens {
            push_shortened(&mut text, token(at));
        } else {
            text.push_str("nothing more");
        }
        text.push('⟧');
        let end = tokens.min(at + 1 + CONTEXT);
        for after in at + 1..end {
            text.push(' ');
            push_shortened(&mut text, token(after));
        }
        if end < tokens {
            text.push_str(" …");
        }
        Place { file: file.to_owned(), line, sentence, id: id.map(str::to_owned), text }
    }
}

fn push_shortened(text: &mut String, token: &str) {
    text.extend(token.chars().take(LONGEST_TOKEN));
    if token.chars().nth(LONGEST_TOKEN).is_some() {
        text.push('…');
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: sentence {}", self.file, self.line, self.sentence)?;
        if let Some(id) = &self.id {
            write!(f, " ({id})")?;
        }
        write!(f, ":\n      {}", self.text)
    }
}

impl fmt::Display for TextDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the texts differ; the first difference is marked ⟦so⟧\n  gold   {}\n  system {}",
            self.gold, self.system
        )
    }
}
