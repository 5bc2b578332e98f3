//! Options of a part, written as on the command line.

/// Words between blanks; single quotes hold words together.
pub(super) fn quoted_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut quoted, mut inside) = (false, false);
    for letter in text.chars() {
        match letter {
            '\'' => {
                quoted = !quoted;
                if !inside {
                    words.push(String::new());
                }
                inside = true;
            }
            blank if blank.is_whitespace() && !quoted => inside = false,
            other => {
                if !inside {
                    words.push(String::new());
                }
                inside = true;
                if let Some(word) = words.last_mut() {
                    word.push(other);
                }
            }
        }
    }
    words
}
