//! The language of feature templates.
//!
//! | address | meaning |
//! |---|---|
//! | `x0`, `y0` | left and right word of the arc that the system may build next |
//! | `x1 x2`, `y1 y2 y3` | the words below `x0` on the stack, the words that follow `y0` |
//! | `s0 s1 ..`, `b0 b1 ..` | the stack from its top, the buffer from its front |
//! | `p0`, `pn` | first and last word passed between stack and buffer (Covington's second list) |
//! | `h`, `d` | head and dependent of the arc to be named (label templates only) |
//! | `c0`, `c1` | the children of that head next to the dependent, on its side (label templates only) |
//!
//! An address may be followed by steps: `.hd` head, `.lc1 .lc2` leftmost and second leftmost
//! child, `.rc1 .rc2` rightmost and second rightmost, `.prev .next` neighbours in the sentence,
//! `.g1 .g2 ..` the head that the first, second, .. guide gives the word.
//!
//! An atom is an address with an attribute (`form lower lemma upos xpos feats prefix2 prefix3
//! suffix2 suffix3 suffix4 shape`, `tag` for the finest useful part of speech, `morph` for every
//! morphological feature by itself, `label` of the arc above it, `guide1 guide2 ..` its label by a guide, `nleft nright` number of children, `lset rset` labels of the children on one
//! side together, `has` the label of every child by itself), or
//! `dist(a,b)` with two addresses, or what a guide says about them: `arc1(a,b) name1(a,b)
//! reach1(a,b)`, see [`crate::features::guides`], or `crossed(a,b)`, whether an arc built so far crosses one
//! between the two (Reisinger 2016, section 4.2), or `t1 .. t6`, the last moves with the labels of their arcs, the
//! last first. A template whose words are not all there gives no feature.
//!
//! Templates under `[moves]` are for all systems, those under `[moves stack]` only for systems whose
//! arcs link two words on the stack, such as arc-standard.
//!
//! ```
//! use crossarc_learn::templates::Templates;
//! let templates = Templates::parse("[moves]\nx0.form+y0.upos\n[labels]\nh.lemma+d.lc1.form\n").unwrap();
//! assert_eq!(templates.moves.len(), 1);
//! assert!(Templates::parse("[moves]\nx0.color\n").unwrap_err().to_string().contains("line 2"));
//! ```
use crate::state::{Focus, MOST_HISTORY};
use std::fmt;

use crate::features::Attribute;
use crate::features::guides::{self, MOST_GUIDES, Relation};

/// Where a word is found.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// Left word of the next arc and those below it.
    Left(u8),
    /// Right word of the next arc and those after it.
    Right(u8),
    /// Stack from its top.
    Stack(u8),
    /// Buffer from its front.
    Buffer(u8),
    /// First word passed.
    PassedFirst,
    /// Last word passed.
    PassedLast,
    /// Head of the arc to be named.
    Head,
    /// Dependent of the arc to be named.
    Dependent,
    /// Nearest (0) and next (1) child of that head on the side of the dependent.
    Sibling(u8),
}

/// From one word to another.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// To the head.
    Head,
    /// To the leftmost (0) or second leftmost (1) child.
    LeftChild(u8),
    /// To the rightmost (0) or second rightmost (1) child.
    RightChild(u8),
    /// To the word before.
    Previous,
    /// To the word after.
    Next,
    /// To the head that a guide gives.
    GuideHead(u8),
}

/// A base and the steps from it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// Where to start.
    pub base: Base,
    /// Where to go from there.
    pub steps: Vec<Step>,
}

/// What is asked of a word.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Property {
    /// A column or something computed from it.
    Attribute(Attribute),
    /// The finest useful part of speech, which depends on the treebank.
    Tag,
    /// Each morphological feature by itself.
    Morphology,
    /// Label of the arc above the word.
    Label,
    /// Number of children to the left.
    LeftCount,
    /// Number of children to the right.
    RightCount,
    /// Labels of the children to the left.
    LeftLabels,
    /// Labels of the children to the right.
    RightLabels,
    /// The label of each child by itself.
    ChildLabels,
    /// The label that a guide gives.
    GuideLabel(u8),
}

impl Property {
    /// True if a word may have several values, each of which makes a feature.
    pub fn is_many(self) -> bool {
        matches!(self, Property::Morphology | Property::ChildLabels)
    }
}

/// One part of a template.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A property of a word.
    Word(Address, Property),
    /// Binned distance between two words, with its sign.
    Distance(Address, Address),
    /// Whether an arc crosses one between the two words.
    Crossed(Address, Address),
    /// The last move (0) or one before it, with the label of its arc.
    Move(u8),
    /// What a guide says about two words.
    Guided(Relation, u8, Address, Address),
}

/// Atoms that make one feature together.
pub type Template = Vec<Atom>;

/// A parsed template set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Templates {
    /// Templates for choosing a move.
    pub moves: Vec<Template>,
    /// More of them for systems whose arcs link two words on the stack: whether the upper one is
    /// complete depends on the word that comes next.
    pub stack_moves: Vec<Template>,
    /// Templates for naming an arc.
    pub labels: Vec<Template>,
}

/// What is wrong with template text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("feature templates, line {line}: {message} in `{text}`")]
pub struct TemplateError {
    /// Line in the text, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// The line.
    pub text: String,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Section {
    Moves,
    StackMoves,
    Labels,
}

/// More atoms than this in one template are refused.
pub const MOST_ATOMS: usize = 6;

impl Templates {
    /// Reads template text.
    pub fn parse(text: &str) -> Result<Templates, TemplateError> {
        let mut templates = Templates::default();
        let mut section = None;
        for (index, raw) in text.lines().enumerate() {
            let line = raw.split('#').next().unwrap_or("").trim();
            let error = |message: String| TemplateError {
                line: index + 1,
                message,
                text: raw.trim().to_owned(),
            };
            match line {
                "" => {}
                "[moves]" => section = Some(Section::Moves),
                "[moves stack]" => section = Some(Section::StackMoves),
                "[labels]" => section = Some(Section::Labels),
                _ => {
                    let Some(section) = section else {
                        return Err(error("expected `[moves]` or `[labels]` first".into()));
                    };
                    let template =
                        parse_template(line, section == Section::Labels).map_err(error)?;
                    let list = match section {
                        Section::Moves => &mut templates.moves,
                        Section::StackMoves => &mut templates.stack_moves,
                        Section::Labels => &mut templates.labels,
                    };
                    if !list.contains(&template) {
                        list.push(template);
                    }
                }
            }
        }
        Ok(templates)
    }

    /// The templates for a treebank: an attribute that `substitute` replaces is replaced, and
    /// templates with one that it drops (nothing) are dropped, as are duplicates.
    #[must_use]
    pub fn fitted(&self, substitute: impl Fn(Property) -> Option<Property>) -> Templates {
        let fit = |templates: &[Template]| {
            fit_each(templates, |atom| match atom {
                Atom::Word(address, property) => {
                    substitute(*property).map(|property| Atom::Word(address.clone(), property))
                }
                Atom::Distance(..) | Atom::Crossed(..) | Atom::Move(_) | Atom::Guided(..) => {
                    Some(atom.clone())
                }
            })
        };
        Templates {
            moves: fit(&self.moves),
            stack_moves: fit(&self.stack_moves),
            labels: fit(&self.labels),
        }
    }

    /// The templates for a kind of system. Where arcs link the stack with the buffer, words of
    /// the buffer have no children on their right: templates that ask for them are dropped.
    #[must_use]
    pub fn for_focus(mut self, focus: Focus) -> Templates {
        let on_stack = std::mem::take(&mut self.stack_moves);
        match focus {
            Focus::StackBuffer => {
                self.moves.retain(|template| !template.iter().any(is_right_of_buffer));
            }
            Focus::StackStack => {
                let new = on_stack.into_iter().filter(|template| !self.moves.contains(template));
                self.moves.extend(new.collect::<Vec<_>>());
            }
        }
        self
    }
}

fn is_right_of_buffer(atom: &Atom) -> bool {
    let Atom::Word(Address { base: Base::Right(_) | Base::Buffer(_), steps }, property) = atom
    else {
        return false;
    };
    match steps.first() {
        Some(step) => matches!(step, Step::RightChild(_)),
        None => matches!(property, Property::RightCount | Property::RightLabels),
    }
}

/// Templates of atoms that were replaced one by one: those with an atom that is gone are left out,
/// and so is what then stands there twice.
pub fn fit_each<A: Clone + PartialEq>(
    templates: &[Vec<A>],
    fit: impl Fn(&A) -> Option<A>,
) -> Vec<Vec<A>> {
    let mut list: Vec<Vec<A>> = Vec::new();
    for template in templates {
        let Some(atoms) = template.iter().map(&fit).collect::<Option<Vec<A>>>() else { continue };
        let mut fitted: Vec<A> = Vec::new();
        for atom in atoms {
            if !fitted.contains(&atom) {
                fitted.push(atom);
            }
        }
        if !list.contains(&fitted) {
            list.push(fitted);
        }
    }
    list
}

impl fmt::Display for Templates {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sections =
            [("moves", &self.moves), ("moves stack", &self.stack_moves), ("labels", &self.labels)];
        for (title, templates) in sections {
            if title == "moves stack" && templates.is_empty() {
                continue;
            }
            writeln!(out, "[{title}]")?;
            for template in templates {
                for (index, atom) in template.iter().enumerate() {
                    let plus = if index > 0 { "+" } else { "" };
                    match atom {
                        Atom::Word(address, property) => {
                            write!(out, "{plus}{address}.{}", property.name())?;
                        }
                        Atom::Distance(from, to) => write!(out, "{plus}dist({from},{to})")?,
                        Atom::Crossed(from, to) => write!(out, "{plus}crossed({from},{to})")?,
                        Atom::Move(rank) => write!(out, "{plus}t{}", rank + 1)?,
                        Atom::Guided(relation, guide, one, other) => {
                            let (name, guide) = (relation.name(), guide + 1);
                            write!(out, "{plus}{name}{guide}({one},{other})")?;
                        }
                    }
                }
                writeln!(out)?;
            }
        }
        Ok(())
    }
}

impl Property {
    /// Name in feature templates.
    pub fn name(self) -> &'static str {
        match self {
            Property::Attribute(attribute) => attribute.name(),
            Property::Tag => "tag",
            Property::Morphology => "morph",
            Property::Label => "label",
            Property::LeftCount => "nleft",
            Property::RightCount => "nright",
            Property::LeftLabels => "lset",
            Property::RightLabels => "rset",
            Property::ChildLabels => "has",
            Property::GuideLabel(guide) => GUIDE_LABELS[usize::from(guide) % MOST_GUIDES],
        }
    }

    /// The label that a guide gives, by name.
    pub fn guide_label(name: &str) -> Option<Property> {
        let guide = GUIDE_LABELS.iter().position(|known| *known == name)?;
        Some(Property::GuideLabel(guide as u8))
    }
}

const GUIDE_LABELS: [&str; MOST_GUIDES] =
    ["guide1", "guide2", "guide3", "guide4", "guide5", "guide6"];

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.base {
            Base::Left(depth) => write!(out, "x{depth}")?,
            Base::Right(ahead) => write!(out, "y{ahead}")?,
            Base::Stack(depth) => write!(out, "s{depth}")?,
            Base::Buffer(ahead) => write!(out, "b{ahead}")?,
            Base::PassedFirst => write!(out, "p0")?,
            Base::PassedLast => write!(out, "pn")?,
            Base::Head => write!(out, "h")?,
            Base::Dependent => write!(out, "d")?,
            Base::Sibling(rank) => write!(out, "c{rank}")?,
        }
        for step in &self.steps {
            match step {
                Step::Head => write!(out, ".hd")?,
                Step::LeftChild(rank) => write!(out, ".lc{}", rank + 1)?,
                Step::RightChild(rank) => write!(out, ".rc{}", rank + 1)?,
                Step::Previous => write!(out, ".prev")?,
                Step::Next => write!(out, ".next")?,
                Step::GuideHead(guide) => write!(out, ".g{}", guide + 1)?,
            }
        }
        Ok(())
    }
}

fn parse_template(line: &str, for_labels: bool) -> Result<Template, String> {
    let atoms = line
        .split('+')
        .map(|atom| parse_atom(atom.trim(), for_labels))
        .collect::<Result<Template, String>>()?;
    if atoms.len() > MOST_ATOMS {
        return Err(format!("more than {MOST_ATOMS} atoms"));
    }
    let many = |atom: &&Atom| matches!(atom, Atom::Word(_, property) if property.is_many());
    if atoms.iter().filter(many).count() > 2 {
        return Err("more than two `morph` or `has` atoms".into());
    }
    Ok(atoms)
}

fn parse_atom(text: &str, for_labels: bool) -> Result<Atom, String> {
    for name in ["dist", "crossed"] {
        let inside = text.strip_prefix(name).and_then(|rest| rest.strip_prefix('('));
        let Some(pair) = inside.and_then(|rest| rest.strip_suffix(')')) else { continue };
        let (from, to) =
            pair.split_once(',').ok_or_else(|| format!("expected `{name}(address,address)`"))?;
        let from = parse_address(from.trim(), for_labels)?;
        let to = parse_address(to.trim(), for_labels)?;
        return Ok(if name == "dist" { Atom::Distance(from, to) } else { Atom::Crossed(from, to) });
    }
    if let Some(rank) = text.strip_prefix('t').and_then(|digits| digits.parse::<u8>().ok()) {
        if !(1..=MOST_HISTORY).contains(&usize::from(rank)) {
            return Err(format!("the moves that are remembered are t1 to t{MOST_HISTORY}"));
        }
        return Ok(Atom::Move(rank - 1));
    }
    if let Some((relation, guide, one, other)) = guides::relation(text) {
        let (one, other) = (parse_address(one, for_labels)?, parse_address(other, for_labels)?);
        return Ok(Atom::Guided(relation, guide, one, other));
    }
    let (address, property) = text
        .rsplit_once('.')
        .ok_or_else(|| format!("expected `address.attribute`, found `{text}`"))?;
    let property = match property {
        "tag" => Property::Tag,
        "morph" => Property::Morphology,
        "label" => Property::Label,
        "nleft" => Property::LeftCount,
        "nright" => Property::RightCount,
        "lset" => Property::LeftLabels,
        "rset" => Property::RightLabels,
        "has" => Property::ChildLabels,
        name => Property::guide_label(name)
            .or_else(|| Attribute::named(name).map(Property::Attribute))
            .ok_or_else(|| format!("unknown attribute `{name}`"))?,
    };
    Ok(Atom::Word(parse_address(address, for_labels)?, property))
}

fn parse_address(text: &str, for_labels: bool) -> Result<Address, String> {
    let mut parts = text.split('.');
    let name = parts.next().unwrap_or("");
    let unknown = || format!("unknown address `{name}`");
    let base = match name {
        "h" | "d" | "c0" | "c1" if !for_labels => {
            return Err(format!("`{name}` can be used under `[labels]` only"));
        }
        "h" => Base::Head,
        "d" => Base::Dependent,
        "c0" => Base::Sibling(0),
        "c1" => Base::Sibling(1),
        "p0" => Base::PassedFirst,
        "pn" => Base::PassedLast,
        _ => {
            let (kind, index) = name.split_at_checked(1).ok_or_else(unknown)?;
            let index: u8 = index.parse().map_err(|_| unknown())?;
            match kind {
                "x" => Base::Left(index),
                "y" => Base::Right(index),
                "s" => Base::Stack(index),
                "b" => Base::Buffer(index),
                _ => return Err(unknown()),
            }
        }
    };
    let steps = parts
        .map(|step| match step {
            "hd" => Ok(Step::Head),
            "lc1" => Ok(Step::LeftChild(0)),
            "lc2" => Ok(Step::LeftChild(1)),
            "rc1" => Ok(Step::RightChild(0)),
            "rc2" => Ok(Step::RightChild(1)),
            "prev" => Ok(Step::Previous),
            "next" => Ok(Step::Next),
            other => match guides::numbered(other, "g") {
                Some(("", guide)) => Ok(Step::GuideHead(guide)),
                _ => Err(format!("unknown step `{other}`")),
            },
        })
        .collect::<Result<_, String>>()?;
    Ok(Address { base, steps })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_sets_parse() {
        for (name, text) in super::super::SETS {
            let templates = Templates::parse(text).unwrap();
            assert!(!templates.moves.is_empty() && !templates.labels.is_empty(), "{name}");
        }
    }

    #[test]
    fn errors_say_line_and_cause() {
        for (text, cause) in [
            ("x0.form", "expected `[moves]`"),
            ("[moves]\nq0.form", "unknown address `q0`"),
            ("[moves]\nx0.up.form", "unknown step `up`"),
            ("[moves]\nh.form", "under `[labels]` only"),
            ("[moves]\ndist(x0)", "expected `dist(address,address)`"),
            ("[moves]\nx0", "expected `address.attribute`"),
            ("[moves]\nt7", "t1 to t6"),
            ("[moves]\nx0.morph+x1.morph+y0.morph", "more than two `morph` or `has`"),
        ] {
            let error = Templates::parse(text).unwrap_err();
            assert!(error.message.contains(cause), "{error}");
            assert_eq!(error.line, text.lines().count());
        }
    }

    #[test]
    fn templates_fit_the_system() {
        let text =
            "[moves]\nx0.form\ny0.nright\n[moves stack]\ny1.form\nx0.form\n[labels]\nd.form\n";
        let templates = Templates::parse(text).unwrap();
        assert_eq!(templates.to_string(), text);
        let on_stack = templates.clone().for_focus(Focus::StackStack).to_string();
        assert_eq!(on_stack, "[moves]\nx0.form\ny0.nright\ny1.form\n[labels]\nd.form\n");
        let with_buffer = templates.for_focus(Focus::StackBuffer).to_string();
        assert_eq!(with_buffer, "[moves]\nx0.form\n[labels]\nd.form\n");
    }

    #[test]
    fn templates_fit_the_treebank() {
        let text = "[moves]\nx0.form\nx0.tag+y0.upos\nx0.upos+y0.upos\nx0.tag+x0.upos\nx0.morph\n";
        let fitted = Templates::parse(text).unwrap().fitted(|property| match property {
            Property::Tag => Some(Property::Attribute(Attribute::Upos)),
            Property::Morphology => None,
            other => Some(other),
        });
        assert_eq!(fitted.to_string(), "[moves]\nx0.form\nx0.upos+y0.upos\nx0.upos\n[labels]\n");
    }

    #[test]
    fn printed_templates_parse_to_the_same() {
        let guided = guides::templates_for(super::super::GUIDED, 3);
        let added = [guided.as_str(), super::super::COMPLETION];
        let sets = super::super::SETS.iter().map(|(_, text)| *text);
        for text in sets.chain(added) {
            let templates = Templates::parse(text).unwrap();
            assert!(!templates.labels.is_empty());
            assert_eq!(Templates::parse(&templates.to_string()).unwrap(), templates);
        }
    }
}
