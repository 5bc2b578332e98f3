//! Words as a tokenizer wants to see them: without control characters, in lower case, without accents,
//! by the rules of the file.
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A rule as `tokenizer.json` writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type")]
pub enum Normalizer {
    /// The rules of BERT, each by a switch.
    #[serde(rename = "BertNormalizer")]
    Bert {
        /// Without control characters, with one kind of blank.
        #[serde(default = "yes")]
        clean_text: bool,
        /// Each Chinese character is a word.
        #[serde(default = "yes")]
        handle_chinese_chars: bool,
        /// Without accents; if nothing is said, where letters become small.
        strip_accents: Option<bool>,
        /// Small letters.
        #[serde(default = "yes")]
        lowercase: bool,
    },
    /// Small letters.
    Lowercase,
    /// Without accents.
    StripAccents,
    /// Composed.
    #[serde(rename = "NFC")]
    Nfc,
    /// Decomposed.
    #[serde(rename = "NFD")]
    Nfd,
    /// Composed, without differences of form.
    #[serde(rename = "NFKC")]
    Nfkc,
    /// Decomposed, without differences of form.
    #[serde(rename = "NFKD")]
    Nfkd,
    /// One rule after the other.
    Sequence {
        /// The rules.
        normalizers: Vec<Normalizer>,
    },
}

fn yes() -> bool {
    true
}

impl Normalizer {
    /// What the rule makes of a text.
    pub fn apply(&self, text: &str) -> String {
        match self {
            Normalizer::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => {
                let mut text: String =
                    if *clean_text { clean(text).collect() } else { text.to_owned() };
                if *handle_chinese_chars && !text.is_ascii() {
                    text = apart(&text);
                }
                if strip_accents.unwrap_or(*lowercase) && !text.is_ascii() {
                    text = without_accents(text.nfd());
                }
                if *lowercase { small(&text) } else { text }
            }
            Normalizer::Lowercase => small(text),
            Normalizer::StripAccents => without_accents(text.chars()),
            Normalizer::Nfc => text.nfc().collect(),
            Normalizer::Nfd => text.nfd().collect(),
            Normalizer::Nfkc => text.nfkc().collect(),
            Normalizer::Nfkd => text.nfkd().collect(),
            Normalizer::Sequence { normalizers } => {
                normalizers.iter().fold(text.to_owned(), |text, rule| rule.apply(&text))
            }
        }
    }
}

/// Small letters, each for itself.
fn small(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

fn without_accents(text: impl Iterator<Item = char>) -> String {
    text.filter(|letter| letter.general_category() != GeneralCategory::NonspacingMark).collect()
}

fn clean(text: &str) -> impl Iterator<Item = char> {
    let kept = text.chars().filter(|&letter| letter != '\u{fffd}' && !is_control(letter));
    kept.map(|letter| if letter.is_whitespace() { ' ' } else { letter })
}

fn is_control(letter: char) -> bool {
    !matches!(letter, '\t' | '\n' | '\r')
        && matches!(
            letter.general_category(),
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
        )
}

fn apart(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_chinese(letter) {
            out.extend([' ', letter, ' ']);
        } else {
            out.push(letter);
        }
    }
    out
}

/// Chinese characters as BERT knows them: those of the blocks of CJK ideographs.
fn is_chinese(letter: char) -> bool {
    matches!(letter,
        '\u{4E00}'..='\u{9FFF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B73F}'
        | '\u{2B740}'..='\u{2B81F}'
        | '\u{2B920}'..='\u{2CEAF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{2F800}'..='\u{2FA1F}')
}

/// Punctuation as BERT knows it: that of Unicode, and all of ASCII that is no letter and no digit.
pub fn is_punctuation(letter: char) -> bool {
    letter.is_ascii_punctuation()
        || (!letter.is_ascii()
            && letter.general_category_group() == GeneralCategoryGroup::Punctuation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(json: &str) -> Normalizer {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn words_are_normalised_by_the_rules_of_bert() {
        let uncased = rule(r#"{"type":"BertNormalizer","strip_accents":null,"lowercase":true}"#);
        for (text, told) in [
            ("Čapek's", "capek's"),
            ("ÅNGSTRÖM", "angstrom"),
            ("e\u{301}\u{200d}t\u{e9}\u{0}", "ete"),
            ("a\u{a0}b\tc", "a b c"),
            ("x中国", "x 中  国 "),
            ("İ", "i"),
            ("ẞΣς", "ßσς"),
            ("\u{fffd}", ""),
        ] {
            assert_eq!(uncased.apply(text), told);
        }
        let cased = rule(r#"{"type":"BertNormalizer","strip_accents":null,"lowercase":false}"#);
        assert_eq!(cased.apply("Čapek"), "Čapek");
        let kept = rule(r#"{"type":"BertNormalizer","strip_accents":false,"lowercase":true}"#);
        assert_eq!(kept.apply("Čapek"), "čapek");
        let steps = rule(
            r#"{"type":"Sequence","normalizers":[{"type":"NFKD"},{"type":"StripAccents"},{"type":"Lowercase"}]}"#,
        );
        assert_eq!(steps.apply("Éﬁ"), "efi");
    }

    #[test]
    fn punctuation_is_that_of_unicode_and_all_of_ascii() {
        for letter in "$+<=>^`|~.-_'«„…。".chars() {
            assert!(is_punctuation(letter), "{letter}");
        }
        for letter in "a0é€°\u{300}中".chars() {
            assert!(!is_punctuation(letter), "{letter}");
        }
    }
}
