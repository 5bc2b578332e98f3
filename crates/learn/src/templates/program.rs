//! Templates compiled into a short program that turns a state into feature hashes.
//!
//! Addresses are resolved once each, atoms are read once each, and a template mixes the values
//! of its atoms into 64 bits. Nothing is allocated and no string is touched.
use super::template::{Address, Atom, Base, MOST_ATOMS, Property, Step, Template};
use crate::features::guides::Relation;
use crate::features::hash::mix;
use crate::features::{Attribute, Words};
use crate::state::StateView;
use crate::state::{Arc, Focus};
use crossarc_tree::Node;

/// More addresses than this in one set are refused: presence is one bit each.
pub const MOST_ADDRESSES: usize = 64;

#[derive(Copy, Clone, Debug)]
enum Locate {
    From(Base),
    Walk(u8, Step),
}

#[derive(Copy, Clone, Debug)]
enum Read {
    Attribute(u8, Attribute),
    Label(u8),
    LeftCount(u8),
    RightCount(u8),
    LeftLabels(u8),
    RightLabels(u8),
    Distance(u8, u8),
    Crossed(u8, u8),
    Move(u8),
    GuideLabel(u8, u8),
    Guided(Relation, u8, u8, u8),
}

#[derive(Copy, Clone, Debug)]
struct Recipe {
    /// Distinguishes templates that mix equal values.
    salt: u64,
    /// Addresses that must be there, one bit each.
    needs: u64,
    /// Positions of the plain atoms in the value array.
    atoms: [u8; MOST_ATOMS],
    /// Number of plain atoms.
    length: u8,
    /// Properties with several values that are multiplied in.
    many: [Option<(u8, Many)>; 2],
}

/// A property with several values.
#[derive(Copy, Clone, Debug)]
enum Many {
    Morphology,
    ChildLabels,
}

/// A compiled list of templates.
#[derive(Clone, Debug, Default)]
pub struct Program {
    locate: Vec<Locate>,
    read: Vec<Read>,
    /// Templates with one value, then those with several.
    recipes: Vec<Recipe>,
    /// Number of templates with one value.
    plain: usize,
}

/// More different atoms than this in one set are refused: an atom is one byte.
pub const MOST_VALUES: usize = 256;

/// Working memory of a program.
#[derive(Clone, Debug)]
pub struct Scratch {
    nodes: [Node; MOST_ADDRESSES],
    values: [u32; MOST_VALUES],
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch { nodes: [Node::ROOT; MOST_ADDRESSES], values: [0; MOST_VALUES] }
    }
}

impl Recipe {
    /// Mixes the values of the plain atoms.
    #[inline]
    fn mix(&self, scratch: &Scratch) -> u64 {
        let atoms = &self.atoms[..usize::from(self.length).min(MOST_ATOMS)];
        atoms
            .iter()
            .fold(self.salt, |hash, &atom| mix(hash, u64::from(scratch.values[usize::from(atom)])))
    }
}

impl Program {
    /// Compiles templates; nothing if they use more than [`MOST_ADDRESSES`] different
    /// addresses or [`MOST_VALUES`] different atoms.
    pub fn compile(templates: &[Template]) -> Option<Program> {
        let mut program = Program::default();
        let mut addresses: Vec<Address> = Vec::new();
        let mut atoms: Vec<Atom> = Vec::new();
        for (number, template) in templates.iter().enumerate() {
            let mut recipe = Recipe {
                salt: mix(0x5EED, number as u64 + 1),
                needs: 0,
                atoms: [0; MOST_ATOMS],
                length: 0,
                many: [None; 2],
            };
            for atom in template {
                if let Atom::Word(address, property) = atom
                    && property.is_many()
                {
                    let at = program.address(address, &mut addresses)?;
                    recipe.needs |= 1 << at;
                    let many = match property {
                        Property::ChildLabels => Many::ChildLabels,
                        _ => Many::Morphology,
                    };
                    *recipe.many.iter_mut().find(|place| place.is_none())? = Some((at, many));
                    continue;
                }
                let (read, needs) = match atom {
                    Atom::Word(address, property) => {
                        let at = program.address(address, &mut addresses)?;
                        let read = match *property {
                            Property::Attribute(attribute) => Read::Attribute(at, attribute),
                            Property::Tag => Read::Attribute(at, Attribute::Xpos),
                            Property::Label => Read::Label(at),
                            Property::LeftCount => Read::LeftCount(at),
                            Property::RightCount => Read::RightCount(at),
                            Property::LeftLabels => Read::LeftLabels(at),
                            Property::GuideLabel(guide) => Read::GuideLabel(at, guide),
                            Property::RightLabels
                            | Property::Morphology
                            | Property::ChildLabels => Read::RightLabels(at),
                        };
                        (read, 1 << at)
                    }
                    Atom::Distance(from, to) => {
                        let from = program.address(from, &mut addresses)?;
                        let to = program.address(to, &mut addresses)?;
                        (Read::Distance(from, to), 1 << from | 1 << to)
                    }
                    Atom::Crossed(from, to) => {
                        let from = program.address(from, &mut addresses)?;
                        let to = program.address(to, &mut addresses)?;
                        (Read::Crossed(from, to), 1 << from | 1 << to)
                    }
                    Atom::Move(rank) => (Read::Move(*rank), 0),
                    Atom::Guided(relation, guide, one, other) => {
                        let one = program.address(one, &mut addresses)?;
                        let other = program.address(other, &mut addresses)?;
                        (Read::Guided(*relation, *guide, one, other), 1 << one | 1 << other)
                    }
                };
                recipe.needs |= needs;
                let at = atoms.iter().position(|known| known == atom).unwrap_or_else(|| {
                    atoms.push(atom.clone());
                    program.read.push(read);
                    atoms.len() - 1
                });
                *recipe.atoms.get_mut(usize::from(recipe.length))? = u8::try_from(at).ok()?;
                recipe.length += 1;
            }
            program.recipes.push(recipe);
        }
        program.recipes.sort_by_key(|recipe| recipe.many[0].is_some());
        program.plain = program.recipes.partition_point(|recipe| recipe.many[0].is_none());
        Some(program)
    }

    fn address(&mut self, address: &Address, known: &mut Vec<Address>) -> Option<u8> {
        let mut at = None;
        for steps in 0..=address.steps.len() {
            let part = Address { base: address.base, steps: address.steps[..steps].to_vec() };
            let found = known.iter().position(|other| *other == part);
            at = Some(if let Some(found) = found {
                found as u8
            } else {
                if known.len() == MOST_ADDRESSES {
                    return None;
                }
                self.locate.push(match (at, part.steps.last()) {
                    (Some(from), Some(&step)) => Locate::Walk(from, step),
                    _ => Locate::From(part.base),
                });
                known.push(part);
                (known.len() - 1) as u8
            });
        }
        at
    }

    /// Number of templates.
    pub fn len(&self) -> usize {
        self.recipes.len()
    }

    /// True if there is no template.
    pub fn is_empty(&self) -> bool {
        self.recipes.is_empty()
    }

    /// Appends the features of a state to `features`. `arc` is the arc to be named, for label
    /// templates.
    #[inline]
    pub fn run<V: StateView>(
        &self,
        words: &Words,
        state: &V,
        focus: Focus,
        arc: Option<Arc>,
        scratch: &mut Scratch,
        features: &mut Vec<u64>,
    ) {
        let present = self.locate_all(words, state, focus, arc, scratch);
        self.read_all(words, state, present, scratch);
        features.reserve(self.recipes.len());
        let (plain, many) = self.recipes.split_at(self.plain);
        for recipe in plain {
            if recipe.needs & !present == 0 {
                features.push(recipe.mix(scratch));
            }
        }
        for recipe in many {
            if recipe.needs & !present != 0 {
                continue;
            }
            let hash = recipe.mix(scratch);
            let [Some(one), other] = recipe.many else { continue };
            each_value(one, words, state, scratch, |value| {
                let hash = mix(hash, value);
                match other {
                    None => features.push(hash),
                    Some(other) => each_value(other, words, state, scratch, |value| {
                        features.push(mix(hash, value));
                    }),
                }
            });
        }
    }

    #[inline]
    fn locate_all<V: StateView>(
        &self,
        words: &Words,
        state: &V,
        focus: Focus,
        arc: Option<Arc>,
        scratch: &mut Scratch,
    ) -> u64 {
        let partial = state.partial();
        let mut present = 0u64;
        for (index, locate) in self.locate.iter().enumerate() {
            let found = match *locate {
                Locate::From(base) => find(base, state, focus, arc),
                Locate::Walk(from, step) => {
                    if present & 1 << from == 0 {
                        continue;
                    }
                    let node = scratch.nodes[usize::from(from)];
                    match step {
                        Step::Head => partial.head(node),
                        Step::LeftChild(rank) => partial.left_child(node, usize::from(rank)),
                        Step::RightChild(rank) => partial.right_child(node, usize::from(rank)),
                        Step::Previous => (node.0 > 1).then(|| Node(node.0 - 1)),
                        Step::Next => (node.index() < words.len() && node != Node::ROOT)
                            .then(|| Node(node.0 + 1)),
                        Step::GuideHead(guide) => words.guidance().head(usize::from(guide), node),
                    }
                }
            };
            if let Some(node) = found {
                scratch.nodes[index] = node;
                present |= 1 << index;
            }
        }
        present
    }

    #[inline]
    fn read_all<V: StateView>(
        &self,
        words: &Words,
        state: &V,
        present: u64,
        scratch: &mut Scratch,
    ) {
        let partial = state.partial();
        let there = |at: u8| present & 1 << at != 0;
        let node = |at: u8| scratch.nodes[usize::from(at)];
        for (value, read) in scratch.values.iter_mut().zip(&self.read) {
            *value = match *read {
                Read::Attribute(at, attribute) if there(at) => words.value(node(at), attribute),
                Read::Label(at) if there(at) => {
                    partial.head(node(at)).map_or(0, |_| u32::from(partial.label(node(at)).0) + 1)
                }
                Read::LeftCount(at) if there(at) => partial.left_count(node(at)).min(5) as u32,
                Read::RightCount(at) if there(at) => partial.right_count(node(at)).min(5) as u32,
                Read::LeftLabels(at) if there(at) => partial.left_labels(node(at)),
                Read::RightLabels(at) if there(at) => partial.right_labels(node(at)),
                Read::Distance(from, to) if there(from) && there(to) => {
                    binned_distance(node(from), node(to))
                }
                Read::Crossed(from, to) if there(from) && there(to) => {
                    u32::from(partial.crosses(node(from), node(to)))
                }
                Read::Move(rank) => partial.made(usize::from(rank)),
                Read::GuideLabel(at, guide) if there(at) => {
                    words.guidance().label(usize::from(guide), node(at))
                }
                Read::Guided(relation, guide, one, other) if there(one) && there(other) => {
                    relation.value(words.guidance(), usize::from(guide), node(one), node(other))
                }
                _ => 0,
            };
        }
    }
}

/// Calls `take` with every value of a property that has several.
#[inline]
fn each_value<V: StateView>(
    (at, many): (u8, Many),
    words: &Words,
    state: &V,
    scratch: &Scratch,
    mut take: impl FnMut(u64),
) {
    let node = scratch.nodes[usize::from(at)];
    match many {
        Many::Morphology => words.morphology(node).iter().for_each(|&value| take(u64::from(value))),
        Many::ChildLabels => {
            let mut labels = state.partial().child_labels(node);
            while labels != 0 {
                take(u64::from(labels.trailing_zeros()) + 1);
                labels &= labels - 1;
            }
        }
    }
}

#[inline]
fn find<V: StateView>(base: Base, state: &V, focus: Focus, arc: Option<Arc>) -> Option<Node> {
    match base {
        Base::Stack(depth) => state.stack(usize::from(depth)),
        Base::Buffer(ahead) => state.buffer(usize::from(ahead)),
        Base::PassedFirst => state.passed(0),
        Base::PassedLast => state.passed_len().checked_sub(1).and_then(|last| state.passed(last)),
        Base::Head => arc.map(|arc| arc.head),
        Base::Dependent => arc.map(|arc| arc.dependent),
        Base::Sibling(rank) => arc.and_then(|Arc { head, dependent }| {
            let partial = state.partial();
            if dependent < head {
                partial.left_child(head, usize::from(rank))
            } else {
                partial.right_child(head, usize::from(rank))
            }
        }),
        Base::Left(depth) => match focus {
            Focus::StackBuffer => state.stack(usize::from(depth)),
            Focus::StackStack => state.stack(usize::from(depth) + 1),
        },
        Base::Right(ahead) => match focus {
            Focus::StackBuffer => state.buffer(usize::from(ahead)),
            Focus::StackStack if ahead == 0 => state.stack(0),
            Focus::StackStack => state.buffer(usize::from(ahead) - 1),
        },
    }
}

/// 1, 2, 3, 4, 5-6, 7-10, more; doubled, plus one if the second word comes first.
fn binned_distance(from: Node, to: Node) -> u32 {
    let bin = match from.0.abs_diff(to.0) {
        near @ 0..=4 => near,
        5..=6 => 5,
        7..=10 => 6,
        _ => 7,
    };
    bin * 2 + u32::from(to < from)
}
