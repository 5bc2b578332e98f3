//! Classes of characters, as far as tokenization cares.
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// What a character is good for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Class {
    /// Between tokens: blanks, line ends, control characters.
    Gap,
    /// A small letter, or a letter of a script without capitals.
    Lower,
    /// A capital.
    Upper,
    /// A digit or other number.
    Digit,
    /// A letter of a script that is written without blanks: Chinese, Japanese, Thai and others.
    Ideograph,
    /// `.`
    FullStop,
    /// `!`, `?` and what ends a sentence in other scripts.
    Final,
    /// `,`
    Comma,
    /// `:` and `;`
    Colon,
    /// `'` and its relatives.
    Apostrophe,
    /// `-` and dashes.
    Dash,
    /// Quotation marks.
    Quote,
    /// Opening brackets.
    Open,
    /// Closing brackets.
    Close,
    /// Other punctuation.
    Punctuation,
    /// Symbols and all the rest.
    Symbol,
}

impl Class {
    /// The class of a character.
    ///
    /// ```
    /// use crossarc_text::tokenize::characters::Class;
    /// assert_eq!(Class::of('ő'), Class::Lower);
    /// assert_eq!(Class::of('語'), Class::Ideograph);
    /// assert_eq!(Class::of('\u{0}'), Class::Gap);
    /// ```
    ///
    /// In text that was read as Latin-1 by mistake, U+0080 to U+009F are what Windows-1252 has there:
    /// an apostrophe, a dash or a quotation mark, and no gap between tokens.
    ///
    /// ```
    /// # use crossarc_text::tokenize::characters::Class;
    /// assert_eq!(Class::of('\u{92}'), Class::Apostrophe);
    /// assert_eq!(Class::of('\u{8c}'), Class::Symbol);
    /// ```
    pub fn of(character: char) -> Class {
        match character {
            'a'..='z' => Class::Lower,
            'A'..='Z' => Class::Upper,
            '0'..='9' => Class::Digit,
            '\0'..=' ' | '\u{7f}' | '\u{85}' | '\u{a0}' | '\u{feff}' => Class::Gap,
            '.' => Class::FullStop,
            '!' | '?' | '…' | '。' | '！' | '？' | '｡' | '।' | '॥' | '؟' | '۔' | '՞' | '։'
            | '።' | '‼' | '⁇' | '⁈' | '⁉' | '．' => Class::Final,
            ',' | '、' | '，' | '،' => Class::Comma,
            ':' | ';' | '：' | '；' | '؛' | '·' => Class::Colon,
            '\'' | '’' | '‘' | 'ʼ' | '`' | '´' | '\u{91}' | '\u{92}' => Class::Apostrophe,
            '-' | '‐'..='―' | '−' | '－' | '﹣' | '\u{96}' | '\u{97}' => Class::Dash,
            '\u{93}' | '\u{94}' | '"' | '“' | '”' | '„' | '«' | '»' | '‹' | '›' | '「' | '」'
            | '『' | '』' | '‟' | '＂' => Class::Quote,
            '(' | '[' | '{' | '（' | '［' | '｛' | '【' | '《' | '〈' | '〔' => Class::Open,
            ')' | ']' | '}' | '）' | '］' | '｝' | '】' | '》' | '〉' | '〕' => Class::Close,
            '!'..='/' | '\\' | '|' | '~' | '@' | '_' => Class::Punctuation,
            '<' | '=' | '>' | '^' => Class::Symbol,
            other => Class::of_other(other),
        }
    }

    fn of_other(character: char) -> Class {
        if character.is_whitespace() {
            return Class::Gap;
        }
        if is_ideograph(character) {
            return Class::Ideograph;
        }
        match character.general_category_group() {
            GeneralCategoryGroup::Letter if character.is_uppercase() => Class::Upper,
            GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark => Class::Lower,
            GeneralCategoryGroup::Number => Class::Digit,
            GeneralCategoryGroup::Punctuation => Class::Punctuation,
            _ => Class::Symbol,
        }
    }

    /// True for letters and digits that stand together in words.
    #[inline]
    pub fn is_word(self) -> bool {
        matches!(self, Class::Lower | Class::Upper | Class::Digit)
    }

    /// True for what may end a sentence.
    #[inline]
    pub fn is_final(self) -> bool {
        matches!(self, Class::FullStop | Class::Final)
    }
}

/// Letters of scripts without blanks.
fn is_ideograph(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Burmese
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{2e80}'..='\u{2fdf}' // radicals
        | '\u{3005}'..='\u{3007}'
        | '\u{3021}'..='\u{30ff}' // kana
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' // Han
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
}

/// A character in lower case, one for one.
#[inline]
pub fn lower(character: char) -> char {
    if character.is_ascii() {
        character.to_ascii_lowercase()
    } else {
        character.to_lowercase().next().unwrap_or(character)
    }
}
