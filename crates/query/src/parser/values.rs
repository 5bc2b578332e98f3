//! Names of columns, values, numbers and comparisons.
use conll::Column;
use regex::RegexBuilder;

use super::{Parsed, Parser};
use crate::condition::{Attribute, Comparison, Conditions, Pattern, Values};
use crate::labels::{CLASSES, class};
use crate::relation::{Quantity, Relation, Term};

/// Names of columns as queries write them.
const COLUMNS: [(&str, Column); 10] = [
    ("id", Column::Id),
    ("form", Column::Form),
    ("lemma", Column::Lemma),
    ("upos", Column::Upos),
    ("xpos", Column::Xpos),
    ("feats", Column::Feats),
    ("head", Column::Head),
    ("deprel", Column::Deprel),
    ("deps", Column::Deps),
    ("misc", Column::Misc),
];

/// Names that stand for columns elsewhere.
const OTHER_NAMES: [(&str, &str); 9] = [
    ("word", "form"),
    ("token", "form"),
    ("text", "form"),
    ("pos", "upos` or `xpos"),
    ("tag", "upos` or `xpos"),
    ("label", "deprel"),
    ("rel", "deprel"),
    ("dep_rel", "deprel"),
    ("feat", "feats"),
];

impl Parser<'_> {
    /// A column, feature or part of MISC.
    pub(super) fn attribute(&mut self) -> Parsed<Attribute> {
        let start = self.at;
        let name = self.name("a column such as `upos`, or a feature such as `Case`")?;
        let prefixed = ["feats", "misc", "col"].contains(&name.as_str()) && self.takes(".");
        if prefixed {
            let own = self.long_name()?;
            return Ok(match name.as_str() {
                "feats" => Attribute::Feature(own),
                "misc" => Attribute::Misc(own),
                _ => Attribute::Named(own),
            });
        }
        if let Some((_, column)) = COLUMNS.iter().find(|(known, _)| *known == name) {
            return Ok(Attribute::Column(*column));
        }
        if name.starts_with(char::is_uppercase) {
            self.at = start;
            return Ok(Attribute::Feature(self.long_name()?));
        }
        let other = OTHER_NAMES.iter().find(|(known, _)| *known == name).map(|(_, other)| *other);
        let near = || COLUMNS.iter().map(|(known, _)| *known).find(|known| is_near(&name, known));
        let advice = match other.or_else(near) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!(
                "columns are {}; a feature begins with a capital, or with `feats.`: `feats.{name}`",
                COLUMNS.map(|(known, _)| known).join(", ")
            ),
        };
        Err(self.error_at(start, format!("unknown column `{name}`: {advice}")))
    }

    /// The name of a feature, which may end in brackets: `Number[psor]`.
    pub(super) fn long_name(&mut self) -> Parsed<String> {
        let rest = self.rest();
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-');
        let mut end = rest.find(|c: char| !plain(c)).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.error("expected a name"));
        }
        if let Some(layer) = rest[end..].strip_prefix('[')
            && let Some(close) = layer.find(']')
            && layer[..close].chars().all(char::is_alphanumeric)
        {
            end += close + 2;
        }
        self.at += end;
        Ok(rest[..end].to_owned())
    }

    pub(super) fn comparison_sign(&mut self) -> Option<Comparison> {
        const SIGNS: [(&str, Comparison); 7] = [
            ("!=", Comparison::Unequal),
            ("<>", Comparison::Unequal),
            ("<=", Comparison::AtMost),
            (">=", Comparison::AtLeast),
            ("=", Comparison::Equal),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        SIGNS.iter().find(|(sign, _)| self.takes(sign)).map(|&(_, comparison)| comparison)
    }

    /// `=` or `!=`.
    pub(super) fn equality(&mut self) -> Parsed<bool> {
        self.blanks();
        let start = self.at;
        match self.comparison_sign() {
            Some(Comparison::Equal) => Ok(false),
            Some(Comparison::Unequal) => Ok(true),
            _ => Err(self.error_at(start, "expected `=` or `!=`")),
        }
    }

    pub(super) fn number(&mut self) -> Option<f64> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = rest[..end].parse().ok()?;
        self.at += end;
        Some(number)
    }

    /// `NOUN|PROPN|/regular expression/|"in quotes"`; labels have classes and families, too.
    pub(super) fn values(&mut self, negated: bool, labels: bool) -> Parsed<Values> {
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            self.value(labels, &mut patterns)?;
            self.blanks();
            if !self.takes("|") {
                return Ok(Values { patterns, negated });
            }
        }
    }

    pub(super) fn value(&mut self, labels: bool, patterns: &mut Vec<Pattern>) -> Parsed<()> {
        let start = self.at;
        if self.takes("/") {
            patterns.push(Pattern::Regex(self.regex(start)?));
        } else if self.takes("\"") {
            patterns.push(Pattern::Exact(self.quoted(start)?));
        } else if labels && self.takes("@") {
            let name = self.name("the name of a class of labels, such as `@core`")?;
            let members = class(&name).ok_or_else(|| {
                let known = CLASSES.map(|(known, _)| known).join(", @");
                self.error_at(start, format!("unknown class `@{name}`: there are @{known}"))
            })?;
            patterns.extend(members.iter().map(|&label| Pattern::Family(label.to_owned())));
        } else {
            let ends = |c: char| {
                c.is_whitespace()
                    || matches!(
                        c,
                        ',' | ';' | '|' | '[' | ']' | '{' | '}' | '(' | ')' | '"' | '/' | '='
                    )
            };
            let rest = self.rest();
            let value = &rest[..rest.find(ends).unwrap_or(rest.len())];
            if value.is_empty() {
                return Err(self.error("expected a value, `\"in quotes\"` if it has signs, or a regular expression `/.../`"));
            }
            self.at += value.len();
            patterns.push(match value.strip_suffix(":*").filter(|_| labels) {
                Some(family) => Pattern::Family(family.to_owned()),
                None if value == "_" => Pattern::Absent,
                None => Pattern::Exact(value.to_owned()),
            });
        }
        Ok(())
    }

    /// The rest of `"..."`, where `\` keeps the next character.
    pub(super) fn quoted(&mut self, start: usize) -> Parsed<String> {
        let mut value = String::new();
        let mut characters = self.rest().char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Ok(value);
                }
                '\\' => value.extend(characters.next().map(|(_, next)| next)),
                other => value.push(other),
            }
        }
        Err(self.error_at(start, "this `\"` has no second one"))
    }

    /// The rest of `/.../`, with `i` behind it if case does not matter.
    pub(super) fn regex(&mut self, start: usize) -> Parsed<regex::Regex> {
        let mut pattern = String::new();
        let mut characters = self.rest().char_indices();
        let end = loop {
            match characters.next() {
                None => return Err(self.error_at(start, "this `/` has no second one")),
                Some((at, '/')) => break at,
                Some((_, '\\')) => match characters.next() {
                    Some((_, '/')) => pattern.push('/'),
                    Some((_, next)) => pattern.extend(['\\', next]),
                    None => {}
                },
                Some((_, other)) => pattern.push(other),
            }
        };
        self.at += end + 1;
        let any_case = self.peeks_name() == "i" && self.takes("i");
        let built =
            RegexBuilder::new(&pattern).case_insensitive(any_case).size_limit(1 << 20).build();
        built.map_err(|error| {
            let told = error.to_string();
            let last = told.lines().last().unwrap_or_default();
            let last = last.strip_prefix("error: ").unwrap_or(last);
            self.error_at(start, format!("this is no regular expression: {last}"))
        })
    }

    /// `X.id + 2 < Y.id`, `X.lemma = Y.lemma`, `length > 20`, `X.lemma = go`.
    pub(super) fn comparison(&mut self) -> Parsed<()> {
        let left = self.term()?;
        self.blanks();
        let start = self.at;
        let Some(comparison) = self.comparison_sign() else {
            return Err(self.error("expected a comparison: = != < <= > >="));
        };
        self.blanks();
        let is_equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        if let Quantity::Attribute(place, attribute) = &left.quantity
            && !(attribute.is_number() && is_equality)
            && left.offset == 0.0
            && is_equality
        {
            let (place, attribute) = (*place, attribute.clone());
            if self.peeks_term() && self.rest()[self.peeks_name().len()..].starts_with('.') {
                let term = self.term()?;
                if let Term { quantity: Quantity::Attribute(other, theirs), offset: 0.0 } = term {
                    let relation =
                        Relation::Same { left: (place, attribute), right: (other, theirs) };
                    self.add(relation, comparison == Comparison::Unequal);
                    return Ok(());
                }
                return Err(self.error_at(start, "numbers are not added to text"));
            }
            let test = self.test_of(attribute, comparison)?;
            let mut conditions = Conditions::default();
            conditions.add(vec![vec![test]]);
            self.ask(place, conditions);
            return Ok(());
        }
        let right = self.term()?;
        self.add(Relation::Compare { left, comparison, right }, false);
        Ok(())
    }

    /// A number, or what gives one.
    pub(super) fn term(&mut self) -> Parsed<Term> {
        self.blanks();
        let start = self.at;
        let mut offset = 0.0;
        let quantity = if let Some(number) = self.number() {
            offset = number;
            Quantity::Number
        } else if self.takes_word("length") {
            Quantity::Length
        } else {
            let name = self.peeks_name();
            let behind = &self.rest()[name.len()..];
            if behind.starts_with('.') {
                let place = self.named_node()?;
                self.takes(".");
                Quantity::Attribute(place, self.attribute()?)
            } else if behind.trim_start().starts_with('(') {
                self.at += name.len();
                match name {
                    "distance" => {
                        let (one, other) = self.two_words()?;
                        Quantity::Distance(one, other)
                    }
                    "depth" => Quantity::Depth(self.one_word()?),
                    "children" => Quantity::Children(self.one_word()?),
                    "size" => Quantity::Size(self.one_word()?),
                    _ => {
                        let message = format!(
                            "unknown function `{name}`: there are distance(X, Y), depth(X), children(X), size(X), crossing(X), nonprojective(X) and crosses(X, Y)"
                        );
                        return Err(self.error_at(start, message));
                    }
                }
            } else {
                let message =
                    "expected a number, `length`, a column such as `X.id`, or `distance(X, Y)`";
                return Err(self.error(message));
            }
        };
        loop {
            self.blanks();
            let sign = match self.rest().as_bytes() {
                [b'+', ..] => 1.0,
                [b'-', next, ..] if !matches!(next, b'>' | b'[' | b'-') => -1.0,
                _ => return Ok(Term { quantity, offset }),
            };
            self.at += 1;
            self.blanks();
            offset += sign * self.number().ok_or_else(|| self.error("expected a number"))?;
        }
    }
}

/// Whether two names differ by one letter that is wrong, missing, too many, or in another place.
fn is_near(name: &str, known: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let common = name.to_lowercase().chars().zip(known.chars()).take_while(|(a, b)| a == b).count();
    let rest = |text: &str, from: usize| text.to_lowercase().chars().skip(from).collect::<String>();
    sorted(name) == sorted(known)
        || rest(name, common + 1) == rest(known, common + 1)
        || rest(name, common + 1) == rest(known, common)
        || rest(name, common) == rest(known, common + 1)
}
