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

/// An attribute of a word that is somewhere in the value array.
#[derive(Copy, Clone, Debug)]
struct ReadAttribute {
    node: u8,
    attribute: Attribute,
    value: u8,
}

#[derive(Copy, Clone, Debug)]
enum Read {
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
    attributes: Vec<ReadAttribute>,
    /// Everything else, with its place in the value array.
    read: Vec<(u8, Read)>,
    /// Templates with one value, then those with several.
    recipes: Vec<Recipe>,
    /// Number of templates with one value.
    plain: usize,
}

/// More different atoms than this in one set are refused: an atom is one byte.
pub const MOST_VALUES: usize = 256;

/// A word has no more values of one property: the labels of children are bits of a number.
const MOST_SEVERAL: usize = u64::BITS as usize;

/// Working memory of a program.
#[derive(Clone, Debug)]
pub struct Scratch {
    nodes: [Node; MOST_ADDRESSES],
    values: [u32; MOST_VALUES],
    /// Values of the properties of a template that have several.
    several: [[u64; MOST_SEVERAL]; 2],
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch {
            nodes: [Node::ROOT; MOST_ADDRESSES],
            values: [0; MOST_VALUES],
            several: [[0; MOST_SEVERAL]; 2],
        }
    }
}

impl Recipe {
    /// Mixes the values of the plain atoms.
    #[inline]
    fn mix(&self, scratch: &Scratch) -> u64 {
        let value = |at: usize| u64::from(scratch.values[usize::from(self.atoms[at])]);
        let add = |hash, at| mix(hash, value(at));
        match self.length {
            1 => add(self.salt, 0),
            2 => add(add(self.salt, 0), 1),
            3 => add(add(add(self.salt, 0), 1), 2),
            length => (0..usize::from(length).min(MOST_ATOMS)).fold(self.salt, add),
        }
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
                            Property::Attribute(attribute) => Err((at, attribute)),
                            Property::Tag => Err((at, Attribute::Xpos)),
                            Property::Label => Ok(Read::Label(at)),
                            Property::LeftCount => Ok(Read::LeftCount(at)),
                            Property::RightCount => Ok(Read::RightCount(at)),
                            Property::LeftLabels => Ok(Read::LeftLabels(at)),
                            Property::GuideLabel(guide) => Ok(Read::GuideLabel(at, guide)),
                            Property::RightLabels
                            | Property::Morphology
                            | Property::ChildLabels => Ok(Read::RightLabels(at)),
                        };
                        (read, 1 << at)
                    }
                    Atom::Distance(from, to) => {
                        let from = program.address(from, &mut addresses)?;
                        let to = program.address(to, &mut addresses)?;
                        (Ok(Read::Distance(from, to)), 1 << from | 1 << to)
                    }
                    Atom::Crossed(from, to) => {
                        let from = program.address(from, &mut addresses)?;
                        let to = program.address(to, &mut addresses)?;
                        (Ok(Read::Crossed(from, to)), 1 << from | 1 << to)
                    }
                    Atom::Move(rank) => (Ok(Read::Move(*rank)), 0),
                    Atom::Guided(relation, guide, one, other) => {
                        let one = program.address(one, &mut addresses)?;
                        let other = program.address(other, &mut addresses)?;
                        (Ok(Read::Guided(*relation, *guide, one, other)), 1 << one | 1 << other)
                    }
                };
                recipe.needs |= needs;
                let known = atoms.iter().position(|known| known == atom);
                let at = u8::try_from(known.unwrap_or(atoms.len())).ok()?;
                if known.is_none() {
                    atoms.push(atom.clone());
                    match read {
                        Ok(read) => program.read.push((at, read)),
                        Err((node, attribute)) => {
                            program.attributes.push(ReadAttribute { node, attribute, value: at });
                        }
                    }
                }
                *recipe.atoms.get_mut(usize::from(recipe.length))? = at;
                recipe.length += 1;
            }
            program.recipes.push(recipe);
        }
        program.attributes.sort_by_key(|read| read.node);
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
        let (plain, many) = self.recipes.split_at(self.plain);
        let mut end = features.len();
        features.resize(end + plain.len(), 0);
        for recipe in plain {
            if recipe.needs & !present == 0 {
                features[end] = recipe.mix(scratch);
                end += 1;
            }
        }
        features.truncate(end);
        for recipe in many {
            if recipe.needs & !present != 0 {
                continue;
            }
            let hash = recipe.mix(scratch);
            let [Some(one), other] = recipe.many else { continue };
            let ones = each_value(one, words, state, &scratch.nodes, &mut scratch.several[0]);
            let Some(other) = other else {
                features.extend(scratch.several[0][..ones].iter().map(|&value| mix(hash, value)));
                continue;
            };
            let others = each_value(other, words, state, &scratch.nodes, &mut scratch.several[1]);
            let [several, other] = &scratch.several;
            for &value in &several[..ones] {
                let hash = mix(hash, value);
                features.extend(other[..others].iter().map(|&value| mix(hash, value)));
            }
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
        for &ReadAttribute { node: at, attribute, value } in &self.attributes {
            // What is not there is needed by no recipe that is used.
            if there(at) {
                scratch.values[usize::from(value)] = words.value(node(at), attribute);
            }
        }
        for &(value, read) in &self.read {
            scratch.values[usize::from(value)] = match read {
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

/// Writes every value of a property that has several, and tells how many there are.
#[inline]
fn each_value<V: StateView>(
    (at, many): (u8, Many),
    words: &Words,
    state: &V,
    nodes: &[Node; MOST_ADDRESSES],
    values: &mut [u64; MOST_SEVERAL],
) -> usize {
    let node = nodes[usize::from(at)];
    let mut count = 0;
    match many {
        Many::Morphology => {
            for (place, &value) in values.iter_mut().zip(words.morphology(node)) {
                *place = u64::from(value);
                count += 1;
            }
        }
        Many::ChildLabels => {
            let mut labels = state.partial().child_labels(node);
            while labels != 0 {
                values[count % MOST_SEVERAL] = u64::from(labels.trailing_zeros()) + 1;
                labels &= labels - 1;
                count += 1;
            }
        }
    }
    count
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
