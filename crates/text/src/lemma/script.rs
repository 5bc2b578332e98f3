//! Edit scripts: how to make a lemma out of a form.
//!
//! A script says how to change capitals, and what to take away from and add to both ends; it is
//! the shortest that does so around the longest part that form and lemma share, so that `studies`
//! and `flies` have the same one (after Chrupała 2006 and Straka 2018). Letters are characters,
//! not bytes. Where nothing is shared, the script is the lemma itself.
use serde::{Deserialize, Serialize};

/// Longest form or lemma, in letters, whose common part is searched for.
const LONGEST: usize = 128;

/// What is done to capitals.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Casing {
    /// All small.
    Lower,
    /// As they are.
    Keep,
    /// The first a capital, all others small.
    Title,
    /// All capitals.
    Upper,
}

impl Casing {
    const ALL: [Casing; 4] = [Casing::Lower, Casing::Keep, Casing::Title, Casing::Upper];

    fn apply(self, form: &str, out: &mut String) {
        out.clear();
        match self {
            Casing::Keep => out.push_str(form),
            Casing::Lower if form.is_ascii() => {
                out.push_str(form);
                out.make_ascii_lowercase();
            }
            Casing::Lower => out.extend(form.chars().flat_map(char::to_lowercase)),
            Casing::Upper => out.extend(form.chars().flat_map(char::to_uppercase)),
            Casing::Title => {
                let mut letters = form.chars();
                out.extend(letters.next().into_iter().flat_map(char::to_uppercase));
                out.extend(letters.flat_map(char::to_lowercase));
            }
        }
    }
}

/// How to make a lemma out of a form.
///
/// ```
/// use crossarc_text::lemma::EditScript;
/// let script = EditScript::between("Studies", "study");
/// assert_eq!(script, EditScript::between("flies", "fly"));
/// assert_eq!(script.apply("Ponies").as_deref(), Some("pony"));
/// assert_eq!(script.apply("is"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EditScript {
    /// Changes at both ends.
    Edit {
        /// First the capitals.
        casing: Casing,
        /// Then the start.
        start: StartEdit,
        /// Last the end.
        end: EndEdit,
    },
    /// The lemma itself.
    Whole(String),
}

/// What happens at the start of a form: some letters stay, some go, some come.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StartEdit {
    /// Letters that stay before the change.
    pub keep: usize,
    /// Letters that go.
    pub drop: usize,
    /// What comes instead.
    pub add: String,
}

/// What happens at the end of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EndEdit {
    /// Letters that go.
    pub drop: usize,
    /// What comes instead.
    pub add: String,
}

impl EditScript {
    /// The form is its own lemma.
    pub const IDENTITY: EditScript = EditScript::Edit {
        casing: Casing::Keep,
        start: StartEdit { keep: 0, drop: 0, add: String::new() },
        end: EndEdit { drop: 0, add: String::new() },
    };

    /// The shortest script from a form to its lemma.
    pub fn between(form: &str, lemma: &str) -> EditScript {
        let mut best: Option<(usize, EditScript)> = None;
        let target: Vec<char> = lemma.chars().collect();
        let mut cased = String::new();
        for casing in Casing::ALL {
            casing.apply(form, &mut cased);
            let source: Vec<char> = cased.chars().collect();
            let Some((start, end)) = edits(&source, &target) else { continue };
            let cost = start.drop + start.add.len() + end.drop + end.add.len();
            if best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, EditScript::Edit { casing, start, end }));
            }
        }
        let script = best.map(|best| best.1);
        let script = script.filter(|script| script.apply(form).as_deref() == Some(lemma));
        script.unwrap_or_else(|| EditScript::Whole(lemma.to_owned()))
    }

    /// The lemma, or nothing if the form is too short for the script.
    pub fn apply(&self, form: &str) -> Option<String> {
        let mut lemma = String::new();
        self.apply_to(form, &mut String::new(), &mut lemma).then_some(lemma)
    }

    /// Writes the lemma; false if the form is too short for the script.
    pub fn apply_to(&self, form: &str, cased: &mut String, lemma: &mut String) -> bool {
        lemma.clear();
        match self {
            EditScript::Whole(whole) => lemma.push_str(whole),
            EditScript::Edit { casing, start, end } => {
                casing.apply(form, cased);
                let Some(until) = from_end(cased, end.drop) else { return false };
                let kept = &cased[..until];
                let Some(first) = from_start(kept, start.keep) else { return false };
                let Some(second) = from_start(&kept[first..], start.drop) else { return false };
                lemma.push_str(&kept[..first]);
                lemma.push_str(&start.add);
                lemma.push_str(&kept[first + second..]);
                lemma.push_str(&end.add);
            }
        }
        !lemma.is_empty()
    }
}

/// Where the letter with this number starts.
fn from_start(text: &str, letters: usize) -> Option<usize> {
    if letters == 0 {
        return Some(0);
    }
    text.char_indices().nth(letters - 1).map(|(at, letter)| at + letter.len_utf8())
}

/// Where the last letters start.
fn from_end(text: &str, letters: usize) -> Option<usize> {
    if letters == 0 {
        return Some(text.len());
    }
    text.char_indices().rev().nth(letters - 1).map(|(at, _)| at)
}

/// Edits around the longest common part; the leftmost of equals.
fn edits(source: &[char], target: &[char]) -> Option<(StartEdit, EndEdit)> {
    if source.len() > LONGEST || target.len() > LONGEST {
        return (source == target).then(Default::default);
    }
    let (mut length, mut ends) = (0, (0, 0));
    let mut row = vec![0usize; target.len() + 1];
    for (at, letter) in source.iter().enumerate() {
        for to in (0..target.len()).rev() {
            row[to + 1] = if target[to] == *letter { row[to] + 1 } else { 0 };
            if row[to + 1] > length {
                (length, ends) = (row[to + 1], (at + 1, to + 1));
            }
        }
    }
    if length == 0 {
        return None;
    }
    let (before, after) = (&source[..ends.0 - length], &source[ends.0..]);
    let (wanted, wanted_after) = (&target[..ends.1 - length], &target[ends.1..]);
    let keep = before.iter().zip(wanted).take_while(|(one, other)| one == other).count();
    let start = StartEdit {
        keep: if before.len() == keep && wanted.len() == keep { 0 } else { keep },
        drop: before.len() - keep,
        add: wanted[keep..].iter().collect(),
    };
    let end = EndEdit { drop: after.len(), add: wanted_after.iter().collect() };
    Some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    #[test]
    fn scripts_are_short() {
        let edit = |casing, start: (usize, usize, &str), end: (usize, &str)| EditScript::Edit {
            casing,
            start: StartEdit { keep: start.0, drop: start.1, add: start.2.to_owned() },
            end: EndEdit { drop: end.0, add: end.1.to_owned() },
        };
        for (form, lemma, script) in [
            ("Dogs", "dog", edit(Casing::Lower, (0, 0, ""), (1, ""))),
            ("dog", "dog", edit(Casing::Lower, (0, 0, ""), (0, ""))),
            ("London", "London", edit(Casing::Keep, (0, 0, ""), (0, ""))),
            ("LONDON", "London", edit(Casing::Title, (0, 0, ""), (0, ""))),
            ("nasa", "NASA", edit(Casing::Upper, (0, 0, ""), (0, ""))),
            ("gemacht", "machen", edit(Casing::Lower, (0, 2, ""), (1, "en"))),
            ("aufgemacht", "aufmachen", edit(Casing::Lower, (3, 2, ""), (1, "en"))),
            ("legszebb", "szép", edit(Casing::Lower, (0, 3, ""), (3, "ép"))),
            ("went", "go", EditScript::Whole("go".to_owned())),
        ] {
            assert_eq!(EditScript::between(form, lemma), script, "{form} {lemma}");
        }
    }

    /// Whatever the letters, the script of a form and a lemma makes the lemma.
    #[test]
    fn scripts_make_the_lemma() {
        let letters: Vec<char> = "aAbBéÉßİıǅΣςσ語𝒜\u{301}😀-_ ".chars().collect();
        for round in 0..20_000 {
            let mut rng = Seed(31).fork("script", round).rng();
            let mut word = |least: usize| {
                let length = least + rng.below(7);
                (0..length).map(|_| letters[rng.below(letters.len())]).collect::<String>()
            };
            let (form, mut lemma) = (word(0), word(1));
            if round % 3 == 0 {
                lemma = format!("{}{lemma}", form.to_lowercase());
            }
            let script = EditScript::between(&form, &lemma);
            assert_eq!(script.apply(&form), Some(lemma.clone()), "round {round}: {form:?}");
            let other = word(0);
            let made = script.apply(&other);
            assert!(made.is_none_or(|made| !made.is_empty()), "round {round}: {other:?}");
        }
    }

    #[test]
    fn long_words_are_cheap() {
        let long = "x".repeat(1 << 20);
        assert_eq!(EditScript::between(&long, &long).apply("Abc").as_deref(), Some("abc"));
        assert_eq!(EditScript::between(&long, "y"), EditScript::Whole("y".to_owned()));
    }
}
