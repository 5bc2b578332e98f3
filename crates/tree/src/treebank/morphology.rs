//! What features mean, in the styles of different treebanks: gender, number, person, case, verb form.
//!
//! | style | examples |
//! |---|---|
//! | Universal Dependencies | `Case=Acc`, `Person[erg]=3` |
//! | names and values in small letters (Danish, Ancient Greek, Spanish, Catalan) | `gender=common`, `num=s`, `per=3` |
//! | values only, Basque | `ERG`, `NUMS`; on verbs `NK_HARK`, the person of the ergative argument |
//! | values only, Dutch, Portuguese, Turkish | `ev`, `3S`, `A3sg` |
//!
//! Values that stand for several (`common/neuter`) or for none (`unmarked`) say nothing.
//!
//! ```
//! use crossarc_tree::treebank::morphology::{Category, Meaning, meaning};
//! let is = |category, value| Meaning::Is(category, value);
//! assert_eq!(meaning("Number=Plur"), Some(is(Category::Number, "Plur")));
//! assert_eq!(meaning("case=n"), Some(is(Category::Case, "Nom")));
//! assert_eq!(meaning("NUMS"), Some(is(Category::Number, "Sing")));
//! assert_eq!(meaning("NK_HARK"), Some(Meaning::Argument("Erg", "Sing", "3")));
//! assert_eq!(meaning("gender=common/neuter"), None);
//! ```
use conll::Sentence;

/// What words agree in, and whether a verb is finite.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Category {
    /// Gender.
    Gender,
    /// Number.
    Number,
    /// Person.
    Person,
    /// Case.
    Case,
    /// Whether a verb is finite, an infinitive, a participle.
    VerbForm,
}

impl Category {
    /// All categories with the names that Universal Dependencies has for them.
    pub const ALL: [(Category, &str); 5] = [
        (Category::Gender, "Gender"),
        (Category::Number, "Number"),
        (Category::Person, "Person"),
        (Category::Case, "Case"),
        (Category::VerbForm, "VerbForm"),
    ];

    /// The name that Universal Dependencies has for it.
    pub fn name(self) -> &'static str {
        Category::ALL[self as usize].1
    }
}

/// What a feature says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Meaning<'a> {
    /// The word has this value of a category. The nominative and finite verbs are called `Nom` and
    /// `Fin` in all styles.
    Is(Category, &'a str),
    /// The verb shows number and person of its argument in a case.
    Argument(&'static str, &'static str, &'static str),
}

/// Names of categories in treebanks with names and values.
const NAMES: [(&str, Category); 12] = [
    ("gender", Category::Gender),
    ("gend", Category::Gender),
    ("gen", Category::Gender),
    ("number", Category::Number),
    ("num", Category::Number),
    ("person", Category::Person),
    ("pers", Category::Person),
    ("per", Category::Person),
    ("case", Category::Case),
    ("cas", Category::Case),
    ("verbform", Category::VerbForm),
    ("mood", Category::VerbForm),
];

/// Values of categories in treebanks with values only, and what they are called here.
const VALUES: &[(Category, &[(&str, &str)])] = &[
    (
        Category::Number,
        &[
            ("NUMS", "Sing"),
            ("NUMP", "Plur"),
            ("NMGS", "Sing"),
            ("NMGP", "Plur"),
            ("ev", "Sing"),
            ("mv", "Plur"),
            ("S", "Sing"),
            ("P", "Plur"),
        ],
    ),
    (Category::Gender, &[("M", "Masc"), ("F", "Fem"), ("neut", "Neut"), ("zijd", "Com")]),
    (
        Category::Case,
        &[
            ("ABS", "Abs"),
            ("ERG", "Erg"),
            ("DAT", "Dat"),
            ("GEN", "Gen"),
            ("INE", "INE"),
            ("GEL", "GEL"),
            ("INS", "INS"),
            ("ALA", "ALA"),
            ("SOZ", "SOZ"),
            ("ABL", "ABL"),
            ("PAR", "PAR"),
            ("MOT", "MOT"),
            ("DES", "DES"),
            ("DESK", "DESK"),
            ("Nom", "Nom"),
            ("Acc", "Acc"),
            ("Dat", "Dat"),
            ("Gen", "Gen"),
            ("Loc", "Loc"),
            ("Abl", "Abl"),
            ("Ins", "Ins"),
            ("Equ", "Equ"),
        ],
    ),
    (
        Category::VerbForm,
        &[
            ("A1", "Fin"),
            ("A3", "Fin"),
            ("A5", "Fin"),
            ("B1", "Fin"),
            ("B2", "Fin"),
            ("PART", "Part"),
            ("ADIZE", "Vnoun"),
            ("ADOIN", "Root"),
        ],
    ),
];

/// Number and person, alone (`3S`, `A3sg`) or with the case of an argument (`NK_HARK`).
const PERSONS: &[(&str, &str, &str)] = &[
    ("1S", "Sing", "1"),
    ("2S", "Sing", "2"),
    ("3S", "Sing", "3"),
    ("1P", "Plur", "1"),
    ("2P", "Plur", "2"),
    ("3P", "Plur", "3"),
    ("A1sg", "Sing", "1"),
    ("A2sg", "Sing", "2"),
    ("A3sg", "Sing", "3"),
    ("A1pl", "Plur", "1"),
    ("A2pl", "Plur", "2"),
    ("A3pl", "Plur", "3"),
];

const PRONOUNS: &[([&str; 3], &str, &str)] = &[
    (["NI", "NIK", "NIRI"], "Sing", "1"),
    (["HI", "HIK", "HIRI"], "Sing", "2"),
    (["HURA", "HARK", "HARI"], "Sing", "3"),
    (["GU", "GUK", "GURI"], "Plur", "1"),
    (["ZU", "ZUK", "ZURI"], "Sing", "2"),
    (["ZUEK", "ZUEK-K", "ZUEI"], "Plur", "2"),
    (["HAIEK", "HAIEK-K", "HAIEI"], "Plur", "3"),
];

/// What one feature says about agreement, in any style that is known.
pub fn meaning(feature: &str) -> Option<Meaning<'_>> {
    match feature.split_once('=') {
        Some((name, value)) => named(name, value),
        None => bare(feature),
    }
}

fn named<'a>(name: &str, value: &'a str) -> Option<Meaning<'a>> {
    if let Some((category, case)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        let case = [("abs", "Abs"), ("erg", "Erg"), ("dat", "Dat")].iter().find(|c| c.0 == case)?.1;
        return match category {
            "Number" => number(value).map(|number| Meaning::Argument(case, number, "")),
            "Person" => person(value).map(|person| Meaning::Argument(case, "", person)),
            _ => None,
        };
    }
    let (_, category) = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    if value.is_empty() || value == "unmarked" || value.contains('/') {
        return None;
    }
    let value = match category {
        Category::Case
            if ["n", "nom", "nominative"].iter().any(|n| n.eq_ignore_ascii_case(value)) =>
        {
            "Nom"
        }
        Category::VerbForm => verb_form(name, value)?,
        _ => value,
    };
    Some(Meaning::Is(*category, value))
}

/// Moods of finite verbs stand where verb forms do.
fn verb_form<'a>(name: &str, value: &'a str) -> Option<&'a str> {
    if name == "VerbForm" {
        return Some(value);
    }
    // `Mood` of Universal Dependencies stands beside a verb form.
    if name == "Mood" {
        return None;
    }
    match value {
        "i" | "indic" | "s" | "o" | "m" | "imper" | "indicative" | "subjunctive" | "imperative" => {
            Some("Fin")
        }
        other => Some(other),
    }
}

fn number(value: &str) -> Option<&'static str> {
    ["Sing", "Plur", "Dual"].into_iter().find(|known| *known == value)
}

fn person(value: &str) -> Option<&'static str> {
    ["1", "2", "3", "0", "4"].into_iter().find(|known| *known == value)
}

fn bare(value: &str) -> Option<Meaning<'_>> {
    for (prefix, place, case) in [("NR_", 0, "Abs"), ("NK_", 1, "Erg"), ("NI_", 2, "Dat")] {
        if let Some(pronoun) = value.strip_prefix(prefix) {
            let (_, number, person) =
                PRONOUNS.iter().find(|(forms, ..)| forms[place] == pronoun)?;
            return Some(Meaning::Argument(case, number, person));
        }
    }
    for (category, values) in VALUES {
        if let Some((_, name)) = values.iter().find(|(known, _)| *known == value) {
            return Some(Meaning::Is(*category, name));
        }
    }
    let (_, _, person) = PERSONS.iter().find(|(known, ..)| *known == value)?;
    Some(Meaning::Is(Category::Person, person))
}

/// The number that a feature tells along with a person.
pub fn number_with_person(feature: &str) -> Option<&'static str> {
    PERSONS.iter().find(|(known, ..)| *known == feature).map(|(_, number, _)| *number)
}

/// The share of words, in percent, whose features tell each of [`Category::ALL`].
pub fn shares(sentences: &[Sentence]) -> [f64; 5] {
    let mut counts = [0u64; 5];
    let mut words = 0u64;
    for word in sentences.iter().flat_map(Sentence::words) {
        words += 1;
        let mut has = [false; 5];
        for feature in word.feats().split('|') {
            match meaning(feature) {
                Some(Meaning::Is(category, _)) => has[category as usize] = true,
                Some(Meaning::Argument(..)) => has[Category::Person as usize] = true,
                None => {}
            }
        }
        for (count, has) in counts.iter_mut().zip(has) {
            *count += u64::from(has);
        }
    }
    counts.map(|count| count as f64 / words.max(1) as f64 * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(feature: &str) -> Option<(Category, &str)> {
        match meaning(feature)? {
            Meaning::Is(category, value) => Some((category, value)),
            Meaning::Argument(..) => None,
        }
    }

    #[test]
    fn styles_are_understood() {
        for (feature, category, value) in [
            ("Gender=Fem", Category::Gender, "Fem"),
            ("gend=f", Category::Gender, "f"),
            ("num=p", Category::Number, "p"),
            ("pers=3", Category::Person, "3"),
            ("case=nom", Category::Case, "Nom"),
            ("Case=Nom", Category::Case, "Nom"),
            ("VerbForm=Inf", Category::VerbForm, "Inf"),
            ("mood=indic", Category::VerbForm, "Fin"),
            ("mood=infin", Category::VerbForm, "infin"),
            ("ERG", Category::Case, "Erg"),
            ("NUMP", Category::Number, "Plur"),
            ("A3pl", Category::Person, "3"),
        ] {
            assert_eq!(is(feature), Some((category, value)), "{feature}");
        }
        for silent in
            ["_", "", "case=unmarked", "number=sing/plur", "Mood=Ind", "BIZ-", "def=indef"]
        {
            assert_eq!(is(silent), None, "{silent}");
        }
        assert_eq!(meaning("Person[erg]=3"), Some(Meaning::Argument("Erg", "", "3")));
        assert_eq!(meaning("NR_HAIEK"), Some(Meaning::Argument("Abs", "Plur", "3")));
        assert_eq!(number_with_person("A3pl"), Some("Plur"));
    }
}
