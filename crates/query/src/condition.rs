//! What can be asked of one word: its columns, its features, what MISC says.
use conll::{Column, Sentence};
use regex::Regex;

/// A property of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attribute {
    /// A column that all formats know by this name.
    Column(Column),
    /// A column of CoNLL-U Plus by its name.
    Named(String),
    /// A feature of FEATS.
    Feature(String),
    /// A part of MISC.
    Misc(String),
}

impl Attribute {
    /// Whether its values are numbers.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Attribute::Column(Column::Id | Column::Head))
    }

    /// The value; nothing if there is none, which is `_` in most columns.
    pub(crate) fn of<'s>(&self, sentence: &'s Sentence, id: u32) -> Option<&'s str> {
        if id == 0 {
            return None;
        }
        let word = sentence.word(id as usize);
        let value = match self {
            Attribute::Column(Column::Form) => return Some(word.form()),
            Attribute::Column(Column::Upos) => word.upos(),
            Attribute::Column(column) => word.get(*column)?,
            Attribute::Named(name) => {
                let at = sentence.layout().names().iter().position(|known| known == name)?;
                word.fields().at(at)?
            }
            Attribute::Feature(name) => return part(word.feats(), name),
            Attribute::Misc(name) => return part(word.misc(), name),
        };
        (value != "_").then_some(value)
    }

    /// The value as a number, if it is one.
    pub(crate) fn number(&self, sentence: &Sentence, id: u32) -> Option<f64> {
        match self {
            Attribute::Column(Column::Id) => Some(f64::from(id)),
            Attribute::Column(Column::Head) if id > 0 => {
                sentence.word(id as usize).head().map(f64::from)
            }
            _ => self.of(sentence, id)?.parse().ok(),
        }
    }
}

/// The value of one of the `name=value` between bars; an empty string for a name without value.
fn part<'s>(parts: &'s str, name: &str) -> Option<&'s str> {
    let mut rest = parts;
    loop {
        let (part, behind) = match rest.find('|') {
            Some(bar) => (&rest[..bar], Some(&rest[bar + 1..])),
            None => (rest, None),
        };
        if let Some(value) = part.strip_prefix(name) {
            if value.is_empty() && part != "_" {
                return Some(value);
            }
            if let Some(value) = value.strip_prefix('=') {
                return Some(value);
            }
        }
        rest = behind?;
    }
}

/// What a value may look like.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// Just this.
    Exact(String),
    /// This, or this with a subtype behind a colon.
    Family(String),
    /// Something in it matches.
    Regex(Regex),
    /// No value.
    Absent,
}

/// A set of values.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    pub(crate) patterns: Vec<Pattern>,
    /// All but these.
    pub(crate) negated: bool,
}

impl Values {
    /// Whether the value is one of them. Where `listed`, a value may be a list with commas.
    pub(crate) fn hold(&self, value: Option<&str>, listed: bool) -> bool {
        let found = self.patterns.iter().any(|pattern| match (pattern, value) {
            (Pattern::Absent, None) => true,
            (Pattern::Exact(one), Some(value)) => {
                one == value
                    || (listed && value.contains(',') && value.split(',').any(|part| part == one))
            }
            (Pattern::Family(one), Some(value)) => value
                .strip_prefix(one.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(':')),
            (Pattern::Regex(regex), Some(value)) => regex.is_match(value),
            _ => false,
        });
        found != self.negated
    }

    /// How much is left when these are asked for, the rarest first: a guess that costs nothing.
    fn rank(&self, attribute: &Attribute) -> u8 {
        let of_attribute = match attribute {
            Attribute::Column(Column::Form | Column::Lemma) => 0,
            Attribute::Column(Column::Id | Column::Head) => 1,
            Attribute::Column(Column::Deprel | Column::Xpos) | Attribute::Misc(_) => 3,
            Attribute::Feature(_) | Attribute::Named(_) => 4,
            Attribute::Column(_) => 5,
        };
        let of_patterns = self.patterns.iter().map(|pattern| match pattern {
            Pattern::Exact(_) => 0,
            Pattern::Family(_) => 1,
            Pattern::Regex(_) => 2,
            Pattern::Absent => 5,
        });
        let dearest = of_patterns.max().unwrap_or(0);
        if self.negated { 10 } else { of_attribute + dearest }
    }
}

/// How numbers are compared.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Comparison {
    pub(crate) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Greater => left > right,
            Comparison::AtLeast => left >= right,
        }
    }
}

/// One condition on a word.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Value { attribute: Attribute, values: Values },
    Present { attribute: Attribute, negated: bool },
    Number { attribute: Attribute, comparison: Comparison, number: f64 },
}

impl Test {
    fn holds(&self, sentence: &Sentence, id: u32) -> bool {
        match self {
            Test::Value { attribute, values } => {
                values.hold(attribute.of(sentence, id), matches!(attribute, Attribute::Feature(_)))
            }
            Test::Present { attribute, negated } => {
                attribute.of(sentence, id).is_some() != *negated
            }
            Test::Number { attribute, comparison, number } => {
                let value = attribute.number(sentence, id);
                value.is_some_and(|value| comparison.holds(value, *number))
            }
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Test::Value { attribute, values } => values.rank(attribute),
            Test::Present { negated: true, .. } => 10,
            Test::Present { attribute: Attribute::Column(_), .. } => 9,
            Test::Present { .. } => 6,
            Test::Number { attribute, comparison: Comparison::Equal, .. } => {
                if attribute.is_number() { 1 } else { 4 }
            }
            Test::Number { .. } => 7,
        }
    }
}

/// All conditions on a word: every group must hold, and a group holds if one of its blocks does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    groups: Vec<Vec<Vec<Test>>>,
}

impl Conditions {
    /// Adds blocks of which one must hold: `[upos=VERB]|[VerbForm=Part]`.
    pub(crate) fn add(&mut self, mut blocks: Vec<Vec<Test>>) {
        for block in &mut blocks {
            block.sort_by_key(Test::rank);
        }
        if blocks.iter().all(|block| !block.is_empty()) {
            self.groups.push(blocks);
            self.groups.sort_by_key(|blocks| rank_of(blocks));
        }
    }

    pub(crate) fn merge(&mut self, others: Conditions) {
        self.groups.extend(others.groups);
        self.groups.sort_by_key(|blocks| rank_of(blocks));
    }

    pub(crate) fn are_empty(&self) -> bool {
        self.groups.is_empty()
    }

    pub(crate) fn hold(&self, sentence: &Sentence, id: u32) -> bool {
        self.groups.iter().all(|blocks| {
            blocks.iter().any(|block| block.iter().all(|test| test.holds(sentence, id)))
        })
    }

    /// The lower, the fewer words are expected.
    pub(crate) fn rank(&self) -> u8 {
        self.groups.iter().map(|blocks| rank_of(blocks)).min().unwrap_or(u8::MAX)
    }
}

fn rank_of(blocks: &[Vec<Test>]) -> u8 {
    let ranks = blocks.iter().filter_map(|block| block.iter().map(Test::rank).min());
    ranks.max().unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_column() {
        assert_eq!(part("Case=Nom|Number=Sing", "Number"), Some("Sing"));
        assert_eq!(part("Case=Nom|Number[psor]=Sing", "Number"), None);
        assert_eq!(part("Foreign|Case=Nom", "Foreign"), Some(""));
        assert_eq!(part("_", "_"), None);
        assert_eq!(part("Cas=x", "Case"), None);
    }

    #[test]
    fn values_of_a_set() {
        let set = |pattern| Values { patterns: vec![pattern], negated: false };
        let family = set(Pattern::Family("nsubj".to_owned()));
        assert!(family.hold(Some("nsubj"), false) && family.hold(Some("nsubj:pass"), false));
        assert!(!family.hold(Some("nsubjx"), false) && !family.hold(None, false));
        let exact = set(Pattern::Exact("Rel".to_owned()));
        assert!(exact.hold(Some("Int,Rel"), true) && !exact.hold(Some("Int,Rel"), false));
        assert!(set(Pattern::Absent).hold(None, false));
    }
}
