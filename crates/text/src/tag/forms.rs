//! The words of a sentence as the tagger sees them: hashed forms, affixes, shapes and classes.
use super::lexicon::Lexicon;
use crossarc_learn::features::hash;

/// Longest prefix in letters.
pub const PREFIXES: usize = 4;
/// Longest suffix in letters.
pub const SUFFIXES: usize = 5;

/// One word. An affix as long as the word or longer is 0, and 0 never makes a feature.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// As written.
    pub exact: u32,
    /// In lower case.
    pub lower: u32,
    /// Prefixes of one letter and more, in lower case.
    pub prefixes: [u32; PREFIXES],
    /// Suffixes of one letter and more, in lower case.
    pub suffixes: [u32; SUFFIXES],
    /// Pattern of capitals, small letters, digits and other signs, runs shortened.
    pub shape: u32,
    /// How it is capitalised, and whether it holds a digit or a hyphen or comes first.
    pub looks: u32,
    /// How the whole sentence uses capitals.
    pub style: u32,
    /// Tags that the form was seen with, or that words that look like it were.
    pub class: u32,
    /// The class that it would have as an unseen word.
    pub class_if_unseen: u32,
    /// Its tag plus 2 if there is no doubt about it, else 0.
    pub certain: u32,
    /// Its capitals.
    pub casing: Casing,
}

impl Form {
    /// The word as if it had never been seen.
    pub fn unseen(&self) -> Form {
        Form { exact: 0, lower: 0, class: self.class_if_unseen, certain: 0, ..*self }
    }
}

/// Capitals and digits of a word.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Casing {
    /// No capital.
    #[default]
    Lower,
    /// One capital at the start.
    Title,
    /// One capital at the start of the sentence, which says nothing.
    FirstTitle,
    /// Capitals only.
    Upper,
    /// Any other mixture.
    Mixed,
    /// With a digit.
    Digit,
    /// Neither letter nor digit.
    Sign,
}

impl Casing {
    fn of(form: &str, first: bool) -> Casing {
        let (mut letters, mut capitals, mut digit) = (0, 0, false);
        for letter in form.chars() {
            letters += usize::from(letter.is_alphabetic());
            capitals += usize::from(letter.is_uppercase());
            digit |= letter.is_numeric();
        }
        let starts = form.chars().next().is_some_and(char::is_uppercase);
        match () {
            () if digit => Casing::Digit,
            () if letters == 0 => Casing::Sign,
            () if capitals == 0 => Casing::Lower,
            () if capitals == 1 && starts && first => Casing::FirstTitle,
            () if capitals == 1 && starts => Casing::Title,
            () if capitals == letters => Casing::Upper,
            () => Casing::Mixed,
        }
    }
}

/// The words of a sentence, reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    words: Vec<Form>,
    lower: String,
    shape: String,
    /// Where letters start in `lower`, and its end.
    starts: Vec<usize>,
}

impl Forms {
    /// Takes in a sentence, forgetting the one before.
    pub fn fill<'a>(&mut self, words: impl IntoIterator<Item = &'a str>, lexicon: &Lexicon) {
        self.words.clear();
        for word in words {
            let form = self.form(word, lexicon);
            self.words.push(form);
        }
        let style = self.style();
        for form in &mut self.words {
            form.style = style;
        }
    }

    /// A capital says little where most words have one or none has.
    fn style(&self) -> u32 {
        let count = |casings: &[Casing]| {
            self.words.iter().skip(1).filter(|form| casings.contains(&form.casing)).count()
        };
        let (lower, upper) = (count(&[Casing::Lower]), count(&[Casing::Upper]));
        let capitals = upper + count(&[Casing::Title, Casing::Mixed]);
        match () {
            () if capitals == 0
                && self.words.first().is_none_or(|form| form.casing == Casing::Lower) =>
            {
                1
            }
            () if upper > lower => 2,
            () if capitals > lower => 3,
            () => 4,
        }
    }

    fn form(&mut self, word: &str, lexicon: &Lexicon) -> Form {
        let first = self.words.is_empty();
        self.lower.clear();
        if word.is_ascii() {
            self.lower.push_str(word);
            self.lower.make_ascii_lowercase();
        } else {
            self.lower.extend(word.chars().flat_map(char::to_lowercase));
        }
        self.starts.clear();
        self.starts.extend(self.lower.char_indices().map(|(at, _)| at));
        let letters = self.starts.len();
        let lower = self.lower.as_str();
        let mut form =
            Form { exact: hash::attribute(word), lower: hash::attribute(lower), ..Form::default() };
        for (prefix, &end) in form.prefixes.iter_mut().zip(self.starts.iter().skip(1)) {
            *prefix = hash::attribute(&lower[..end]);
        }
        for (length, suffix) in (1..).zip(&mut form.suffixes) {
            if length < letters {
                *suffix = hash::attribute(&lower[self.starts[letters - length]..]);
            }
        }
        form.shape = crossarc_learn::features::attribute::shape(word, &mut self.shape);
        form.casing = Casing::of(word, first);
        let hyphen = word.contains('-');
        form.looks = form.casing as u32 | u32::from(hyphen) << 3 | u32::from(first) << 4 | 1 << 5;
        form.class_if_unseen = lexicon.class_by_looks(&form);
        let seen = lexicon.of_form(&form);
        (form.class, form.certain) = seen.unwrap_or((form.class_if_unseen, 0));
        form
    }

    /// The words.
    pub fn as_slice(&self) -> &[Form] {
        &self.words
    }
}
