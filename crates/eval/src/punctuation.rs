//! Which words are punctuation and may be left out of a score.
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Which words count.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Punctuation {
    /// All words count, as in Malt-style and Universal Dependencies evaluation.
    #[default]
    Counted,
    /// Words whose form consists of Unicode punctuation only are left out, as CoNLL-X `eval.pl`
    /// does. Symbols (`$`, `+`) are no punctuation.
    WithoutByForm,
    /// Words whose universal part of speech in gold is `PUNCT` are left out.
    WithoutByTag,
}

impl Punctuation {
    /// Whether a gold word counts.
    pub fn counts(self, form: &str, upos: &str) -> bool {
        match self {
            Punctuation::Counted => true,
            Punctuation::WithoutByForm => !is_punctuation(form),
            Punctuation::WithoutByTag => upos != "PUNCT",
        }
    }
}

/// True if the form has characters of Unicode category P and no others.
///
/// ```
/// use crossarc_eval::is_punctuation;
/// assert!(is_punctuation("..."));
/// assert!(is_punctuation("»"));
/// assert!(is_punctuation("、"));
/// assert!(!is_punctuation("$"));
/// assert!(!is_punctuation("o'"));
/// assert!(!is_punctuation(""));
/// ```
pub fn is_punctuation(form: &str) -> bool {
    let in_category = |character: char| match character {
        '0'..='9' | 'A'..='Z' | 'a'..='z' => false,
        _ => character.general_category_group() == GeneralCategoryGroup::Punctuation,
    };
    !form.is_empty() && form.chars().all(in_category)
}
