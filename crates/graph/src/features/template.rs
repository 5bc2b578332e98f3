//! The language of templates for factors.
//!
//! | address | meaning |
//! |---|---|
//! | `h`, `d` | head and dependent of the arc |
//! | `s` | the child of the head next to the dependent, on the way to the head; under `[arcs]` by the first guess |
//! | `g` | the outermost child of the dependent on one side |
//!
//! An address may be followed by `.prev` and `.next` (repeated at will) or by `.hd`, `.lc` or
//! `.rc`, the head and the outermost dependents by a first guess: the heads that are most probable
//! to the model that prunes. It ends with an
//! attribute: `form lower lemma upos xpos feats prefix2 prefix3 suffix2 suffix3 suffix4 shape`,
//! `tag` for the finest useful part of speech, `morph` for every morphological feature by itself,
//! `guide1 guide2 ..` for the label by a guide.
//!
//! | atom | meaning |
//! |---|---|
//! | `dir` | whether the dependent is to the left or to the right of its head |
//! | `dist(a,b)` | direction and binned distance between two words: 1, 2, 3, 4, 5 to 9, more |
//! | `between.upos` | each different value among the words between head and dependent |
//! | `agree` | whether head and dependent agree in gender, number, person and case: yes, no, unknown |
//! | `agree.each` | each of these categories that both have, and whether it is the same |
//! | `guess.arc(a,b) guess.reach(a,b)` | what the first guess says about two words |
//! | `arc1(a,b) name1(a,b) reach1(a,b)` | what a guide says about two words, see [`crossarc_learn::features::guides`] |
//!
//! ```
//! use crossarc_graph::features::Templates;
//! let templates = Templates::parse("[arcs]\nh.form+d.next.tag+dir\n[siblings]\nh.tag+s.tag\n").unwrap();
//! assert_eq!(templates.arcs.len(), 1);
//! assert!(Templates::parse("[arcs]\ng.tag\n").unwrap_err().to_string().contains("line 2"));
//! ```
use std::fmt;

use crate::factors::Order;
use crossarc_learn::features::Attribute;
use crossarc_learn::features::guides::{self, Kin, Relation};
use crossarc_learn::templates::TemplateError;
use crossarc_learn::templates::template::{Property, fit_each};

/// A word that takes part in a factor.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The head.
    Head,
    /// The dependent.
    Dependent,
    /// The sibling or grandchild.
    Third,
}

/// A word near another one.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// So many words further, or back.
    Offset(i8),
    /// A relative by the first guess.
    Kin(Kin),
}

/// One part of a template.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A property of a word, of one of its neighbours or relatives.
    Word(Role, Place, Property),
    /// The side of the dependent.
    Direction,
    /// Direction and binned distance.
    Distance(Role, Role),
    /// Each value of an attribute between head and dependent.
    Between(Property),
    /// Whether head and dependent agree.
    Agreement,
    /// Agreement category by category.
    EachAgreement,
    /// What the first guess says about two words.
    Guessed(Relation, Role, Role),
    /// What a guide says about two words.
    Guided(Relation, u8, Role, Role),
}

/// Atoms that make one feature together.
pub type Template = Vec<Atom>;

/// A parsed template set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Templates {
    /// For pruning heads.
    pub heads: Vec<Template>,
    /// For arcs.
    pub arcs: Vec<Template>,
    /// For arcs where no other factors are looked at.
    pub lone_arcs: Vec<Template>,
    /// For arcs where other factors are looked at, too.
    pub joined_arcs: Vec<Template>,
    /// For arcs with siblings.
    pub siblings: Vec<Template>,
    /// For arcs with grandchildren.
    pub grandchildren: Vec<Template>,
    /// For arcs of the root, instead of those for arcs, if there are any.
    pub roots: Vec<Template>,
    /// For naming the arcs of a finished tree.
    pub labels: Vec<crossarc_learn::templates::template::Template>,
}

/// More atoms than this in one template are refused.
pub const MOST_ATOMS: usize = 8;
/// The section that is there before the first guess.
const HEADS: usize = 0;
const ARCS: usize = 1;
const SECTIONS: [&str; 7] = [
    "[heads]",
    "[arcs]",
    "[arcs alone]",
    "[arcs together]",
    "[siblings]",
    "[grandchildren]",
    "[roots]",
];
/// For each of them the number of the section whose addresses it has.
const ADDRESSES: [usize; SECTIONS.len()] = [HEADS, ARCS, ARCS, ARCS, 2, 3, 4];

impl Atom {
    /// True if the first guess is needed to know its value for an arc.
    pub fn is_guess(self) -> bool {
        match self {
            Atom::Word(role, place, _) => role == Role::Third || matches!(place, Place::Kin(_)),
            Atom::Distance(one, other) | Atom::Guided(_, _, one, other) => {
                one == Role::Third || other == Role::Third
            }
            Atom::Guessed(..) => true,
            Atom::Direction | Atom::Between(_) | Atom::Agreement | Atom::EachAgreement => false,
        }
    }
}

impl Templates {
    fn lists_mut(&mut self) -> [&mut Vec<Template>; SECTIONS.len()] {
        let Templates {
            heads, arcs, lone_arcs, joined_arcs, siblings, grandchildren, roots, ..
        } = self;
        [heads, arcs, lone_arcs, joined_arcs, siblings, grandchildren, roots]
    }

    fn lists(&self) -> [&[Template]; SECTIONS.len()] {
        let Templates {
            heads, arcs, lone_arcs, joined_arcs, siblings, grandchildren, roots, ..
        } = self;
        [heads, arcs, lone_arcs, joined_arcs, siblings, grandchildren, roots]
    }

    /// The templates of factors by section, in the order of the language.
    pub fn sections(&self) -> [&[Template]; 5] {
        [&self.heads, &self.arcs, &self.siblings, &self.grandchildren, &self.roots]
    }

    /// Reads template text.
    pub fn parse(text: &str) -> Result<Templates, TemplateError> {
        let mut templates = Templates::default();
        let mut section = None;
        let mut labels = String::new();
        for (index, raw) in text.lines().enumerate() {
            let line = raw.split('#').next().unwrap_or("").trim();
            let error = |message: String| TemplateError {
                line: index + 1,
                message,
                text: raw.trim().to_owned(),
            };
            // Lines of the other language keep their numbers for its messages.
            labels.push('\n');
            if line.is_empty() {
                continue;
            }
            if let Some(found) = SECTIONS.iter().position(|name| *name == line) {
                section = Some(found);
                continue;
            }
            if line == "[labels]" {
                section = Some(SECTIONS.len());
                labels.pop();
                labels.push_str("[labels]\n");
                continue;
            }
            match section {
                None => {
                    return Err(error(format!("expected one of {} first", SECTIONS.join(", "))));
                }
                Some(number) if number != SECTIONS.len() => {
                    let template = parse_template(line, ADDRESSES[number]).map_err(error)?;
                    let list = &mut *templates.lists_mut()[number];
                    if !list.contains(&template) {
                        list.push(template);
                    }
                }
                Some(_) => {
                    labels.pop();
                    labels.push_str(line);
                    labels.push('\n');
                }
            }
        }
        templates.labels = crossarc_learn::templates::Templates::parse(&labels)?.labels;
        Ok(templates)
    }

    /// The templates for decoders of an order: those for arcs alone or together with other factors
    /// are among the arcs or left out.
    #[must_use]
    pub fn for_order(mut self, order: Order) -> Templates {
        let lone = std::mem::take(&mut self.lone_arcs);
        let joined = std::mem::take(&mut self.joined_arcs);
        self.arcs.extend(if order == Order::First { lone } else { joined });
        self
    }

    /// The templates for a treebank: see [`crossarc_learn::templates::Templates::fitted`].
    #[must_use]
    pub fn fitted(&self, substitute: impl Fn(Property) -> Option<Property>) -> Templates {
        let fit = |templates: &[Template]| {
            fit_each(templates, |&atom| match atom {
                Atom::Word(role, place, property) => {
                    substitute(property).map(|property| Atom::Word(role, place, property))
                }
                Atom::Between(property) => substitute(property).map(Atom::Between),
                Atom::Agreement | Atom::EachAgreement => {
                    substitute(Property::Morphology).map(|_| atom)
                }
                other => Some(other),
            })
        };
        let labels = crossarc_learn::templates::Templates {
            labels: self.labels.clone(),
            ..Default::default()
        };
        Templates {
            heads: fit(&self.heads),
            arcs: fit(&self.arcs),
            lone_arcs: fit(&self.lone_arcs),
            joined_arcs: fit(&self.joined_arcs),
            siblings: fit(&self.siblings),
            grandchildren: fit(&self.grandchildren),
            roots: fit(&self.roots),
            labels: labels.fitted(&substitute).labels,
        }
    }
}

impl fmt::Display for Templates {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, templates) in SECTIONS.iter().zip(self.lists()) {
            if (title.starts_with("[arcs ") || *title == "[roots]") && templates.is_empty() {
                continue;
            }
            writeln!(out, "{title}")?;
            let third = if *title == "[grandchildren]" { "g" } else { "s" };
            for template in templates {
                for (index, atom) in template.iter().enumerate() {
                    write!(out, "{}", if index > 0 { "+" } else { "" })?;
                    write_atom(out, *atom, third)?;
                }
                writeln!(out)?;
            }
        }
        let labels = crossarc_learn::templates::Templates {
            labels: self.labels.clone(),
            ..Default::default()
        };
        let text = labels.to_string();
        write!(out, "{}", text.strip_prefix("[moves]\n").unwrap_or(&text))
    }
}

fn write_atom(out: &mut fmt::Formatter<'_>, atom: Atom, third: &str) -> fmt::Result {
    let role = |role| match role {
        Role::Head => "h",
        Role::Dependent => "d",
        Role::Third => third,
    };
    match atom {
        Atom::Word(word, place, property) => {
            write!(out, "{}", role(word))?;
            match place {
                Place::Kin(kin) => write!(out, ".{}", kin.name())?,
                Place::Offset(offset) => {
                    for _ in 0..offset.unsigned_abs() {
                        write!(out, "{}", if offset < 0 { ".prev" } else { ".next" })?;
                    }
                }
            }
            write!(out, ".{}", property.name())
        }
        Atom::Direction => write!(out, "dir"),
        Atom::Distance(from, to) => write!(out, "dist({},{})", role(from), role(to)),
        Atom::Between(property) => write!(out, "between.{}", property.name()),
        Atom::Agreement => write!(out, "agree"),
        Atom::EachAgreement => write!(out, "agree.each"),
        Atom::Guessed(relation, one, other) => {
            write!(out, "guess.{}({},{})", relation.name(), role(one), role(other))
        }
        Atom::Guided(relation, guide, one, other) => {
            write!(out, "{}{}({},{})", relation.name(), guide + 1, role(one), role(other))
        }
    }
}

fn parse_template(line: &str, section: usize) -> Result<Template, String> {
    let atoms = line
        .split('+')
        .map(|atom| parse_atom(atom.trim(), section))
        .collect::<Result<Template, String>>()?;
    if atoms.len() > MOST_ATOMS {
        return Err(format!("more than {MOST_ATOMS} atoms"));
    }
    let is_many = |atom: &&Atom| matches!(atom, Atom::Between(_) | Atom::EachAgreement);
    if atoms.iter().filter(is_many).count() > 1 {
        return Err("more than one `between` or `agree.each`".into());
    }
    for role in [Role::Head, Role::Dependent, Role::Third] {
        let morphology =
            |atom: &&Atom| matches!(atom, Atom::Word(at, _, Property::Morphology) if *at == role);
        if atoms.iter().filter(morphology).count() > 1 {
            return Err("more than one `morph` around one word".into());
        }
    }
    Ok(atoms)
}

fn parse_atom(text: &str, section: usize) -> Result<Atom, String> {
    match text {
        "dir" => return Ok(Atom::Direction),
        "agree" => return Ok(Atom::Agreement),
        "agree.each" => return Ok(Atom::EachAgreement),
        _ => {}
    }
    if let Some(pair) = text.strip_prefix("dist(").and_then(|rest| rest.strip_suffix(')')) {
        let (from, to) = pair.split_once(',').ok_or("expected `dist(address,address)`")?;
        return Ok(Atom::Distance(
            parse_role(from.trim(), section)?,
            parse_role(to.trim(), section)?,
        ));
    }
    if let Some(rest) = text.strip_prefix("guess.") {
        return parse_guessed(rest, section).ok_or_else(|| {
            format!("expected `guess.arc(address,address)` or `guess.reach(..)`, found `{text}`")
        });
    }
    if let Some((relation, guide, one, other)) = guides::relation(text) {
        let (one, other) = (parse_role(one, section)?, parse_role(other, section)?);
        return Ok(Atom::Guided(relation, guide, one, other));
    }
    let mut parts = text.split('.').peekable();
    let name = parts.next().unwrap_or("");
    if name == "between" {
        let property = parse_property(parts.next().unwrap_or(""))?;
        let plain = matches!(property, Property::Attribute(_) | Property::Tag);
        if !plain || parts.next().is_some() {
            return Err(format!("expected `between.attribute`, found `{text}`"));
        }
        return Ok(Atom::Between(property));
    }
    let role = parse_role(name, section)?;
    let mut place = Place::Offset(0);
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return parse_word(role, place, part, section);
        }
        let kin = Kin::NAMES.iter().find(|(name, _)| *name == part);
        place = match (place, part, kin) {
            (Place::Offset(offset), "prev", _) => Place::Offset(offset.saturating_sub(1)),
            (Place::Offset(offset), "next", _) => Place::Offset(offset.saturating_add(1)),
            (Place::Offset(0), _, Some(&(_, kin))) => Place::Kin(kin),
            _ => return Err(format!("unknown step `{part}`")),
        };
    }
    Err(format!("expected `address.attribute`, found `{text}`"))
}

/// A property of a word or of one near it.
fn parse_word(role: Role, place: Place, name: &str, section: usize) -> Result<Atom, String> {
    let property = parse_property(name)?;
    if let Place::Kin(kin) = place {
        if section == HEADS {
            return Err(format!("`{}` cannot be used under `[heads]`, which guess", kin.name()));
        }
        if !matches!(property, Property::Attribute(_) | Property::Tag) {
            return Err(format!("`{name}` cannot be had of `{}`", kin.name()));
        }
    }
    Ok(Atom::Word(role, place, property))
}

/// `arc(h,d)` or `reach(h,d)`.
fn parse_guessed(text: &str, section: usize) -> Option<Atom> {
    let (name, words) = text.strip_suffix(')')?.split_once('(')?;
    let (one, other) = words.split_once(',')?;
    let known = [Relation::Arc, Relation::Reach];
    let relation = known.into_iter().find(|relation| relation.name() == name)?;
    let [one, other] = [one, other].map(|role| parse_role(role.trim(), section).ok());
    (section != HEADS).then_some(Atom::Guessed(relation, one?, other?))
}

fn parse_role(text: &str, section: usize) -> Result<Role, String> {
    match (text, section) {
        ("h", _) => Ok(Role::Head),
        ("d", _) => Ok(Role::Dependent),
        ("s", ARCS | 2) | ("g", 3) => Ok(Role::Third),
        ("s", _) => Err("`s` can be used under `[arcs]` and `[siblings]` only".into()),
        ("g", _) => Err("`g` can be used under `[grandchildren]` only".into()),
        _ => Err(format!("unknown address `{text}`")),
    }
}

fn parse_property(name: &str) -> Result<Property, String> {
    match name {
        "tag" => Ok(Property::Tag),
        "morph" => Ok(Property::Morphology),
        name => Property::guide_label(name)
            .or_else(|| Attribute::named(name).map(Property::Attribute))
            .ok_or_else(|| format!("unknown attribute `{name}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_sets_parse_and_print_to_the_same() {
        let guided = guides::templates_for(super::super::GUIDED, 3);
        let sets = super::super::SETS.iter().copied();
        for (name, text) in sets.chain([("guided", guided.as_str())]) {
            let templates =
                Templates::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let [heads, others @ .., roots] = templates.sections();
            assert_eq!(roots.is_empty(), !name.starts_with("schiehlen"), "{name}");
            assert_eq!(heads.is_empty(), name == "guided", "guides do not prune");
            assert!(others.iter().all(|section| !section.is_empty()), "{name}");
            assert!(!templates.labels.is_empty(), "{name}");
            assert_eq!(Templates::parse(&templates.to_string()).unwrap(), templates, "{name}");
        }
    }

    #[test]
    fn arcs_alone_are_for_the_first_order_and_arcs_together_for_the_second() {
        let text = "[arcs]\nh.tag\n[arcs alone]\nh.hd.tag+d.tag\nguess.reach(h,d)\n\
                    [arcs together]\nd.form\nh.form\nd.form+h.form\n[siblings]\ns.tag\n";
        let templates = Templates::parse(text).unwrap();
        let counts = [&templates.arcs, &templates.lone_arcs, &templates.joined_arcs].map(Vec::len);
        assert_eq!(counts, [1, 2, 3]);
        assert_eq!(Templates::parse(&templates.to_string()).unwrap(), templates);
        for (order, arcs) in [(Order::First, 3), (Order::Sibling, 4), (Order::Grandchild, 4)] {
            let chosen = templates.clone().for_order(order);
            let counts = [&chosen.arcs, &chosen.lone_arcs, &chosen.joined_arcs].map(Vec::len);
            assert_eq!(counts, [arcs, 0, 0]);
        }
    }

    #[test]
    fn errors_say_line_and_cause() {
        for (text, cause) in [
            ("h.form", "expected one of [heads]"),
            ("[arcs]\nq.form", "unknown address `q`"),
            ("[arcs]\nh.up.form", "unknown step `up`"),
            ("[arcs]\nh.hd.next.form", "unknown step `next`"),
            ("[arcs]\nh.hd.morph", "cannot be had of `hd`"),
            ("[heads]\nh.hd.form", "cannot be used under `[heads]`"),
            ("[heads]\nguess.arc(h,d)", "expected `guess.arc"),
            ("[arcs]\nguess.name(h,d)", "expected `guess.arc"),
            ("[arcs]\ng.form", "under `[grandchildren]` only"),
            ("[siblings]\n\ndist(h)", "expected `dist(address,address)`"),
            ("[arcs]\nh", "expected `address.attribute`"),
            ("[arcs]\nh.color", "unknown attribute `color`"),
            ("[arcs]\nbetween.upos+agree.each", "more than one"),
            ("[arcs]\nh.morph+h.next.morph", "more than one `morph`"),
            ("[arcs]\nh.form\n[labels]\nh.up.form", "unknown step `up`"),
        ] {
            let error = Templates::parse(text).unwrap_err();
            assert!(error.message.contains(cause), "{error}");
            assert_eq!(error.line, text.lines().count(), "{text}");
        }
    }
}
