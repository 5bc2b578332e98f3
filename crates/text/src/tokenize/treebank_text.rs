//! The text that a treebank was made from: paragraphs, with the ends of tokens and sentences.
//!
//! Blanks between tokens follow from `SpaceAfter=No` and `SpacesAfter`, paragraphs from `# newpar`
//! and `# newdoc`. Treebanks that never say where there was no blank get none at all if their script
//! has none, and otherwise every other sentence is set as a printer would set it, so that both ways
//! of writing are learned.
use conll::Sentence;

use super::characters::Class;
use super::spaces::surface_tokens;

/// A paragraph with its tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldParagraph {
    /// The text.
    pub text: String,
    /// Tokens as ranges of bytes; true at the end of a sentence.
    pub tokens: Vec<(usize, usize, bool)>,
}

/// A token of a sentence: its form, and whether a blank follows.
fn tokens_of(sentence: &Sentence) -> Vec<(&str, bool)> {
    let blank_follows = |misc: &str| !misc.split('|').any(|part| part == "SpaceAfter=No");
    surface_tokens(sentence).map(|(form, misc)| (form, blank_follows(misc))).collect()
}

/// Whether a word is set against the one after it, or before it, in print.
fn leans(form: &str) -> (bool, bool) {
    let mut characters = form.chars();
    let (Some(sign), None) = (characters.next(), characters.next()) else {
        return (form == "...", false);
    };
    match Class::of(sign) {
        Class::FullStop | Class::Final | Class::Comma | Class::Colon | Class::Close => {
            (true, false)
        }
        Class::Open => (false, true),
        _ => (matches!(sign, '%' | '”' | '’'), matches!(sign, '“' | '„' | '‘')),
    }
}

/// The paragraphs of a treebank.
///
/// ```
/// use crossarc_text::tokenize::treebank_text::paragraphs;
/// let text = "1\tHi\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No\n2\t!\t_\t_\t_\t_\t1\tpunct\t_\t_\n\n\
///             1\tBye\t_\t_\t_\t_\t0\troot\t_\t_\n\n";
/// let sentences = conll::read_str(text, conll::ReadOptions::default()).unwrap();
/// let paragraphs = paragraphs(&sentences);
/// assert_eq!(paragraphs[0].text, "Hi! Bye");
/// assert_eq!(paragraphs[0].tokens, [(0, 2, false), (2, 3, true), (4, 7, true)]);
/// ```
pub fn paragraphs(sentences: &[Sentence]) -> Vec<GoldParagraph> {
    paragraphs_in(sentences, Style::of(sentences))
}

fn paragraphs_in(sentences: &[Sentence], style: Style) -> Vec<GoldParagraph> {
    let mut paragraphs: Vec<GoldParagraph> = Vec::new();
    for (number, sentence) in sentences.iter().enumerate() {
        let tokens = tokens_of(sentence);
        let starts = |comment: &str| {
            let comment = comment.trim_start_matches('#').trim_start();
            comment.starts_with("newpar") || comment.starts_with("newdoc")
        };
        if paragraphs.is_empty() || sentence.comments().any(starts) {
            paragraphs.push(GoldParagraph::default());
        }
        let Some(paragraph) = paragraphs.last_mut() else { continue };
        for (at, &(form, space)) in tokens.iter().enumerate() {
            let start = paragraph.text.len();
            paragraph.text.push_str(form);
            let last = at + 1 == tokens.len();
            paragraph.tokens.push((start, paragraph.text.len(), last));
            let space = match style {
                Style::AsSaid => space,
                Style::WithoutBlanks => false,
                Style::Both if number % 2 == 0 || last => true,
                Style::Both => !leans(form).1 && !leans(tokens[at + 1].0).0,
            };
            if space {
                paragraph.text.push(' ');
            }
        }
    }
    for paragraph in &mut paragraphs {
        paragraph.text.truncate(paragraph.text.trim_end().len());
    }
    paragraphs.retain(|paragraph| !paragraph.tokens.is_empty());
    paragraphs
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Style {
    AsSaid,
    WithoutBlanks,
    Both,
}

impl Style {
    fn of(sentences: &[Sentence]) -> Style {
        let (mut letters, mut ideographs) = (0usize, 0usize);
        for sentence in sentences {
            for (form, space) in tokens_of(sentence) {
                if !space {
                    return Style::AsSaid;
                }
                for character in form.chars() {
                    let class = Class::of(character);
                    letters += usize::from(matches!(class, Class::Lower | Class::Upper));
                    ideographs += usize::from(class == Class::Ideograph);
                }
            }
        }
        if ideographs > letters { Style::WithoutBlanks } else { Style::Both }
    }
}

/// The text of a treebank as files of raw text have it: an empty line between paragraphs. Where the
/// treebank says nothing about blanks there is one between any two tokens, unless its script has
/// none.
pub fn text(sentences: &[Sentence]) -> String {
    let mut text = String::new();
    let style = match Style::of(sentences) {
        Style::Both => Style::AsSaid,
        style => style,
    };
    for paragraph in paragraphs_in(sentences, style) {
        text.push_str(&paragraph.text);
        text.push_str("\n\n");
    }
    text.pop();
    text
}
