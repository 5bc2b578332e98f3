//! The attributes of a word that features can use.
use super::hash;

/// One attribute of a word, computed from its columns.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Attribute {
    /// The word as written.
    Form,
    /// The word in lower case.
    Lower,
    /// Lemma.
    Lemma,
    /// Coarse part of speech (UPOS, CPOSTAG).
    Upos,
    /// Fine part of speech (XPOS, POSTAG).
    Xpos,
    /// All morphological features as one value.
    Feats,
    /// First two letters in lower case.
    Prefix2,
    /// First three letters in lower case.
    Prefix3,
    /// Last two letters in lower case.
    Suffix2,
    /// Last three letters in lower case.
    Suffix3,
    /// Last four letters in lower case.
    Suffix4,
    /// Pattern of capitals, small letters, digits and other signs, runs shortened.
    Shape,
}

impl Attribute {
    /// All attributes with their names in feature templates.
    pub const NAMES: [(&'static str, Attribute); 12] = [
        ("form", Attribute::Form),
        ("lower", Attribute::Lower),
        ("lemma", Attribute::Lemma),
        ("upos", Attribute::Upos),
        ("xpos", Attribute::Xpos),
        ("feats", Attribute::Feats),
        ("prefix2", Attribute::Prefix2),
        ("prefix3", Attribute::Prefix3),
        ("suffix2", Attribute::Suffix2),
        ("suffix3", Attribute::Suffix3),
        ("suffix4", Attribute::Suffix4),
        ("shape", Attribute::Shape),
    ];

    /// The attribute with a name.
    pub fn named(name: &str) -> Option<Attribute> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|&(_, attribute)| attribute)
    }

    /// Name in feature templates.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// The first `letters` characters in lower case.
pub(super) fn prefix(lower: &str, letters: usize) -> u32 {
    let end = lower.char_indices().nth(letters).map_or(lower.len(), |(at, _)| at);
    hash::attribute(&lower[..end])
}

/// The last `letters` characters in lower case.
pub(super) fn suffix(lower: &str, letters: usize) -> u32 {
    let start = lower.char_indices().rev().nth(letters - 1).map_or(0, |(at, _)| at);
    hash::attribute(&lower[start..])
}

/// `Xx` for capitalised words, `d.d` for `3.14`: runs of one kind count once.
pub fn shape(form: &str, scratch: &mut String) -> u32 {
    scratch.clear();
    for letter in form.chars() {
        let kind = if letter.is_uppercase() {
            'X'
        } else if letter.is_alphabetic() {
            'x'
        } else if letter.is_numeric() {
            'd'
        } else {
            letter
        };
        if !scratch.ends_with(kind) {
            scratch.push(kind);
        }
    }
    hash::attribute(scratch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        for (name, attribute) in Attribute::NAMES {
            assert_eq!(attribute.name(), name);
            assert_eq!(Attribute::named(name), Some(attribute));
        }
    }

    #[test]
    fn affixes_count_letters_not_bytes() {
        assert_eq!(prefix("őzike", 2), hash::attribute("őz"));
        assert_eq!(suffix("fiúkő", 2), hash::attribute("kő"));
        assert_eq!(suffix("a", 3), hash::attribute("a"));
        assert_eq!(prefix("", 2), suffix("", 2));
    }

    #[test]
    fn shapes_shorten_runs() {
        let mut scratch = String::new();
        assert_eq!(shape("Budapest", &mut scratch), hash::attribute("Xx"));
        assert_eq!(shape("3.14", &mut scratch), hash::attribute("d.d"));
    }
}
