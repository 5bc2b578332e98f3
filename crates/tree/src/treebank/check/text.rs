//! Does `# text` say what the words spell?
use conll::{Row, Sentence};

/// The line of `# text` and what is wrong with it.
pub(super) fn text_mismatch(sentence: &Sentence) -> Option<(usize, String)> {
    let text = sentence.comment_value("text")?;
    let spelt = spelt(sentence);
    // A sentence may end with or without a blank, the comment cannot tell; and between words any
    // kind of blank will do.
    let (text, spelt) = (text.trim_end(), spelt.trim_end());
    let is_same = |(a, b): &(char, char)| a == b || a.is_whitespace() && b.is_whitespace();
    let same = text.chars().zip(spelt.chars()).take_while(is_same).count();
    if same == text.chars().count() && same == spelt.chars().count() {
        return None;
    }
    let excerpt = |text: &str| {
        let from = same.saturating_sub(10);
        let shown = text.chars().skip(from).take(same - from + 15);
        let shown: String = shown.map(visible).collect();
        format!("{}{shown}", if from > 0 { "…" } else { "" })
    };
    let message = format!(
        "`# text` has `{}` where the words spell `{}` (character {})",
        excerpt(text),
        excerpt(spelt),
        same + 1
    );
    let before = sentence.rows().position(|row| match row {
        Row::Comment(comment) => {
            comment.trim_start_matches('#').trim_start().starts_with("text ")
                || comment.trim_start_matches('#').trim_start().starts_with("text=")
        }
        _ => false,
    });
    Some((sentence.first_line() + before.unwrap_or(0), message))
}

/// Characters that cannot be seen, or look like another, by their number.
fn visible(c: char) -> String {
    if c.is_control() || c != ' ' && c.is_whitespace() || ('\u{200b}'..='\u{200f}').contains(&c) {
        c.escape_unicode().to_string()
    } else {
        c.to_string()
    }
}

/// Tokens with the blanks that `SpaceAfter` leaves.
fn spelt(sentence: &Sentence) -> String {
    let mut text = String::new();
    let mut inside_range_until = 0;
    for row in sentence.rows() {
        let (form, misc) = match row {
            Row::Range { last, fields, .. } => {
                inside_range_until = last;
                (fields.form(), fields.misc())
            }
            Row::Word(word) if word.id() > inside_range_until => (word.form(), word.misc()),
            _ => continue,
        };
        text.push_str(form);
        if !misc.split('|').any(|item| item == "SpaceAfter=No") {
            text.push(' ');
        }
    }
    text
}
