//! Templates compiled for speed: what depends on one word is hashed once for each word, and a
//! feature of a factor is one addition and one multiplication.
//!
//! A feature is a mix of parts: what its template says about the head, about the dependent, about
//! the third word, and about the pair. The parts of single words are worked out for all words of
//! a sentence beforehand ([`SentenceFeatures::prepare`]); for a factor they are only added up.
use super::template::{Atom, Place, Role, Template, Templates};
use crate::factors::{Factor, Order};
use crossarc_learn::features::guides::{Guidance, Relation};
use crossarc_learn::features::hash::mix;
use crossarc_learn::features::words::Agreement;
use crossarc_learn::features::{Attribute, Words};
use crossarc_learn::templates::template::Property;
use crossarc_tree::Node;

/// Which templates.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Section {
    /// Arcs, for pruning.
    Heads = 0,
    /// Arcs.
    Arcs = 1,
    /// Arcs with siblings.
    Siblings = 2,
    /// Arcs with grandchildren.
    Grandchildren = 3,
    /// Arcs of the root, if they have templates of their own.
    Roots = 4,
}

const BEFORE: u32 = 3;
const AFTER: u32 = 4;
const NONE: u32 = 5;
/// Kinds of pair parts that a section may have.
pub const MOST_PAIRS: usize = 64;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum PairAtom {
    Direction,
    Distance(Role, Role),
    Agreement,
    Guessed(Relation, Role, Role),
    Guided(Relation, u8, Role, Role),
}

/// What is asked of a single word.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Source {
    Attribute(Attribute),
    GuideLabel(u8),
}

/// What is multiplied in for a pair.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Many {
    One,
    Between(u8),
    EachAgreement,
}

#[derive(Clone, Debug)]
struct Line {
    salt: u64,
    /// For each role the attributes that are mixed.
    words: [Vec<(Place, Source)>; 3],
    /// For each role where its morphology is taken from.
    morphology: [Option<Place>; 3],
    /// Number of the pair part.
    pair: u8,
    many: Many,
}

impl Line {
    fn asks_for(&self, role: Role) -> bool {
        !self.words[role as usize].is_empty() || self.morphology[role as usize].is_some()
    }
}

#[derive(Clone, Debug, Default)]
struct Lines {
    /// Templates that give one feature; those that ask for the third word come last.
    plain: Vec<Line>,
    /// Number of plain templates that do not ask for the third word.
    of_two: usize,
    /// Templates that may give several.
    many: Vec<Line>,
    /// Combinations of direction, distance and agreement.
    pairs: Vec<Vec<PairAtom>>,
}

impl Lines {
    /// The plain templates that have parts of a role.
    fn plain_of(&self, role: usize) -> &[Line] {
        if role == Role::Third as usize { &self.plain[self.of_two..] } else { &self.plain }
    }
}

/// Compiled templates.
#[derive(Clone, Debug, Default)]
pub struct Program {
    sections: [Lines; 5],
    /// Attributes asked for between head and dependent.
    between: Vec<Attribute>,
    guesses: bool,
}

impl Program {
    /// Compiles templates; nothing if a section has more than [`MOST_PAIRS`] different
    /// combinations of direction, distance and agreement.
    pub fn compile(templates: &Templates) -> Option<Program> {
        let mut program = Program::default();
        for (number, section) in templates.sections().iter().enumerate() {
            for (index, template) in section.iter().enumerate() {
                let salt = mix(0x6AF5 + number as u64, index as u64 + 1);
                let line = program.line(number, template, salt)?;
                let is_many = line.many != Many::One || line.morphology.iter().any(Option::is_some);
                let lines = &mut program.sections[number];
                if is_many { lines.many.push(line) } else { lines.plain.push(line) }
            }
            let lines = &mut program.sections[number];
            lines.plain.sort_by_key(|line| line.asks_for(Role::Third));
            lines.of_two = lines.plain.partition_point(|line| !line.asks_for(Role::Third));
        }
        Some(program)
    }

    fn line(&mut self, section: usize, template: &Template, salt: u64) -> Option<Line> {
        let mut line = Line {
            salt,
            words: Default::default(),
            morphology: [None; 3],
            pair: 0,
            many: Many::One,
        };
        let mut pair = Vec::new();
        for &atom in template {
            self.guesses |= section == Section::Arcs as usize && atom.is_guess();
            match atom {
                Atom::Word(role, place, Property::Morphology) => {
                    line.morphology[role as usize] = Some(place);
                }
                Atom::Word(role, place, property) => {
                    let source = match property {
                        Property::GuideLabel(guide) => Source::GuideLabel(guide),
                        property => Source::Attribute(attribute(property)),
                    };
                    line.words[role as usize].push((place, source));
                }
                Atom::Direction => pair.push(PairAtom::Direction),
                Atom::Distance(from, to) => pair.push(PairAtom::Distance(from, to)),
                Atom::Agreement => pair.push(PairAtom::Agreement),
                Atom::Guessed(relation, one, other) => {
                    pair.push(PairAtom::Guessed(relation, one, other));
                }
                Atom::Guided(relation, guide, one, other) => {
                    pair.push(PairAtom::Guided(relation, guide, one, other));
                }
                Atom::EachAgreement => line.many = Many::EachAgreement,
                Atom::Between(property) => {
                    let wanted = attribute(property);
                    let at = self.between.iter().position(|&known| known == wanted);
                    let at = at.unwrap_or_else(|| {
                        self.between.push(wanted);
                        self.between.len() - 1
                    });
                    line.many = Many::Between(at as u8);
                }
            }
        }
        let pairs = &mut self.sections[section].pairs;
        let at = pairs.iter().position(|known| *known == pair);
        let at = at.unwrap_or_else(|| {
            pairs.push(pair);
            pairs.len() - 1
        });
        (at < MOST_PAIRS).then(|| line.pair = at as u8)?;
        Some(line)
    }

    /// True if templates look at a first guess.
    pub fn guesses(&self) -> bool {
        self.guesses
    }

    /// Number of templates of a section.
    pub fn len(&self, section: Section) -> usize {
        let lines = &self.sections[section as usize];
        lines.plain.len() + lines.many.len()
    }
}

/// Tag and morphology are resolved before compilation.
fn attribute(property: Property) -> Attribute {
    match property {
        Property::Attribute(attribute) => attribute,
        _ => Attribute::Upos,
    }
}

/// The parts of one section for all words of a sentence.
#[derive(Clone, Debug, Default)]
struct Parts {
    /// For each node a part for each plain template; after the words the missing word.
    plain: Vec<u64>,
    /// Parts of templates with several features, and where those of each node and template end.
    many: Vec<u64>,
    many_ends: Vec<u32>,
}

impl Parts {
    fn prepare(&mut self, lines: &Lines, role: usize, words: &Words, guess: &Guidance) {
        let plain = lines.plain_of(role);
        let side = words.len() + 1;
        self.plain.clear();
        self.many.clear();
        self.many_ends.clear();
        self.many_ends.push(0);
        for node in 0..=side {
            let found = |place: Place| match place {
                _ if node == side => Err(NONE),
                Place::Kin(kin) => guess.kin(0, Node(node as u32), kin).ok_or(NONE),
                Place::Offset(offset) => match node.checked_add_signed(isize::from(offset)) {
                    None => Err(BEFORE),
                    Some(at) if at >= side => Err(AFTER),
                    Some(at) => Ok(Node(at as u32)),
                },
            };
            let value = |place, source| match (found(place), source) {
                (Err(missing), _) => missing,
                (Ok(node), Source::Attribute(attribute)) => words.value(node, attribute),
                (Ok(node), Source::GuideLabel(guide)) => {
                    words.guidance().label(usize::from(guide), node)
                }
            };
            let part = |line: &Line| {
                line.words[role]
                    .iter()
                    .fold(mix(line.salt, role as u64 + 1), |hash, &(place, source)| {
                        mix(hash, u64::from(value(place, source)))
                    })
            };
            self.plain.extend(plain.iter().map(part));
            for line in &lines.many {
                let hash = part(line);
                match line.morphology[role] {
                    None => self.many.push(hash),
                    Some(place) => {
                        let morphology = found(place).map_or(&[][..], |at| words.morphology(at));
                        let features = morphology.iter().map(|&one| mix(hash, u64::from(one)));
                        self.many.extend(features);
                    }
                }
                self.many_ends.push(self.many.len() as u32);
            }
        }
    }

    #[inline]
    fn plain(&self, node: usize, lines: usize) -> &[u64] {
        &self.plain[node * lines..(node + 1) * lines]
    }

    #[inline]
    fn many(&self, node: usize, line: usize, lines: usize) -> &[u64] {
        let at = node * lines + line;
        &self.many[self.many_ends[at] as usize..self.many_ends[at + 1] as usize]
    }
}

/// The values of an attribute, numbered, with the set of values in every stretch of words.
#[derive(Clone, Debug, Default)]
struct ValueSets {
    /// The value of each number.
    values: Vec<u32>,
    /// For each power of two, for each node, the values of that many words from the node on.
    sets: Vec<Vec<u64>>,
}

impl ValueSets {
    /// Values beyond the first 64 of a sentence are passed over.
    fn prepare(&mut self, words: &Words, attribute: Attribute) {
        self.values.clear();
        let bits = (0..=words.len()).map(|node| {
            let value = words.value(Node(node as u32), attribute);
            let known = self.values.iter().position(|&known| known == value);
            let at = known.unwrap_or_else(|| {
                self.values.push(value);
                self.values.len() - 1
            });
            if at < 64 { 1u64 << at } else { 0 }
        });
        let first: Vec<u64> = bits.collect();
        self.sets.clear();
        self.sets.push(first);
        let mut width = 1;
        while width * 2 <= words.len() {
            let below = &self.sets[self.sets.len() - 1];
            let above = (0..=words.len() + 1 - width * 2)
                .map(|node| below[node] | below[node + width])
                .collect();
            self.sets.push(above);
            width *= 2;
        }
    }

    /// The values from `from` up to and without `to`.
    #[inline]
    fn set(&self, from: usize, to: usize) -> u64 {
        if from >= to {
            return 0;
        }
        let level = (to - from).ilog2() as usize;
        let sets = &self.sets[level];
        sets[from] | sets[to - (1 << level)]
    }
}

/// A sentence prepared for a program; reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct SentenceFeatures {
    words: usize,
    parts: [[Parts; 3]; 5],
    between: Vec<ValueSets>,
    /// What each node can agree in.
    categories: Vec<Agreement>,
    guidance: Guidance,
    /// The most probable heads.
    guess: Guidance,
}

impl SentenceFeatures {
    /// Takes in a sentence for pruning.
    pub fn prepare_heads(&mut self, program: &Program, words: &Words) {
        self.prepare_sections(program, words, std::iter::once(0));
    }

    /// Takes in a sentence for factors up to an order, with the first guess: the head of each node,
    /// of which that of the root is not looked at. Without a guess nobody has relatives.
    pub fn prepare(&mut self, program: &Program, words: &Words, guess: &[Node], order: Order) {
        self.guess.set_heads(guess);
        let last = if order == Order::First { Section::Arcs } else { Section::Grandchildren };
        let sections = (1..=last as usize).chain([Section::Roots as usize]);
        self.prepare_sections(program, words, sections);
    }

    fn prepare_sections(
        &mut self,
        program: &Program,
        words: &Words,
        sections: impl Iterator<Item = usize>,
    ) {
        self.words = words.len();
        for section in sections {
            let has_third = (Section::Siblings as usize..Section::Roots as usize)
                .contains(&section)
                || section == Section::Arcs as usize && program.guesses;
            let roles = if has_third { 3 } else { 2 };
            for role in 0..roles {
                self.parts[section][role].prepare(
                    &program.sections[section],
                    role,
                    words,
                    &self.guess,
                );
            }
        }
        self.between.resize_with(program.between.len(), ValueSets::default);
        for (sets, &attribute) in self.between.iter_mut().zip(&program.between) {
            sets.prepare(words, attribute);
        }
        self.guidance.clone_from(words.guidance());
        self.categories.clear();
        self.categories.extend((0..=words.len() as u32).map(|node| words.agreement(Node(node))));
    }

    /// Appends the features of an arc for pruning.
    #[inline]
    pub fn heads(&self, program: &Program, head: Node, dependent: Node, out: &mut Vec<u64>) {
        self.features(program, Section::Heads, head, dependent, None, 0, out);
    }

    /// The row of a word that may be missing.
    fn row(&self, node: Option<Node>) -> usize {
        node.map_or(self.words + 1, Node::index)
    }

    /// Appends the features of a factor.
    #[inline]
    pub fn factor(&self, program: &Program, factor: Factor, out: &mut Vec<u64>) {
        let (section, head, dependent, other, kind) = match factor {
            Factor::Arc { head: Node::ROOT, dependent } if program.len(Section::Roots) > 0 => {
                (Section::Roots, Node::ROOT, dependent, None, 0)
            }
            Factor::Arc { head, dependent } => {
                let guess = || self.guess.sibling(0, head, dependent);
                (Section::Arcs, head, dependent, program.guesses.then(guess), 0)
            }
            Factor::Sibling { head, dependent, sibling } => {
                (Section::Siblings, head, dependent, Some(sibling), 0)
            }
            Factor::InnerGrandchild { head, dependent, grandchild } => {
                (Section::Grandchildren, head, dependent, Some(grandchild), 1)
            }
            Factor::OuterGrandchild { head, dependent, grandchild } => {
                (Section::Grandchildren, head, dependent, Some(grandchild), 2)
            }
        };
        let other = other.map(|other| self.row(other));
        self.features(program, section, head, dependent, other, kind, out);
    }

    #[allow(clippy::too_many_arguments, reason = "one place where all come together")]
    #[inline]
    fn features(
        &self,
        program: &Program,
        section: Section,
        head: Node,
        dependent: Node,
        third: Option<usize>,
        kind: u64,
        out: &mut Vec<u64>,
    ) {
        let lines = &program.sections[section as usize];
        let parts = &self.parts[section as usize];
        let (h, d) = (head.index(), dependent.index());
        let t = third;
        let mut pairs = [0u64; MOST_PAIRS];
        for (value, atoms) in pairs.iter_mut().zip(&lines.pairs) {
            *value = atoms
                .iter()
                .fold(kind, |hash, &atom| mix(hash, u64::from(self.pair_value(atom, h, d, t))));
        }
        let many = lines.plain.len();
        let (of_head, of_dependent) = (parts[0].plain(h, many), parts[1].plain(d, many));
        let pair = |line: &Line| pairs[usize::from(line.pair) % MOST_PAIRS];
        let of_two = lines.plain.iter().zip(of_head).zip(of_dependent);
        let sums = of_two.map(|((line, one), other)| (line, one.wrapping_add(*other)));
        out.extend(sums.clone().take(lines.of_two).map(|(line, sum)| mix(sum, pair(line))));
        let of_three = lines.plain.len() - lines.of_two;
        let of_third = parts[2].plain(t.unwrap_or(self.words + 1), of_three);
        let sums = sums.skip(lines.of_two).zip(of_third);
        out.extend(sums.map(|((line, sum), third)| mix(sum.wrapping_add(*third), pair(line))));
        let many = lines.many.len();
        for (index, line) in lines.many.iter().enumerate() {
            let pair = pairs[usize::from(line.pair) % MOST_PAIRS];
            for &one in parts[0].many(h, index, many) {
                for &other in parts[1].many(d, index, many) {
                    let sum = one.wrapping_add(other);
                    match t {
                        None => self.each_of_pair(line.many, h, d, mix(sum, pair), out),
                        Some(t) => {
                            for &third in parts[2].many(t, index, many) {
                                let hash = mix(sum.wrapping_add(third), pair);
                                self.each_of_pair(line.many, h, d, hash, out);
                            }
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn each_of_pair(&self, many: Many, h: usize, d: usize, hash: u64, out: &mut Vec<u64>) {
        match many {
            Many::One => out.push(hash),
            Many::Between(attribute) => {
                let sets = &self.between[usize::from(attribute)];
                let mut set = sets.set(h.min(d) + 1, h.max(d));
                while set != 0 {
                    out.push(mix(hash, u64::from(sets.values[set.trailing_zeros() as usize])));
                    set &= set - 1;
                }
            }
            Many::EachAgreement => {
                let both = self.categories[h].with(&self.categories[d]);
                for (category, agree) in both.into_iter().enumerate() {
                    if let Some(agree) = agree {
                        out.push(mix(hash, category as u64 * 2 + u64::from(agree)));
                    }
                }
            }
        }
    }

    /// A word of a factor. One that is missing is beyond all words: no guide knows it.
    #[inline]
    fn node(&self, role: Role, h: usize, d: usize, t: Option<usize>) -> Node {
        Node(match role {
            Role::Head => h,
            Role::Dependent => d,
            Role::Third => t.unwrap_or(self.words + 1),
        } as u32)
    }

    #[inline]
    fn pair_value(&self, atom: PairAtom, h: usize, d: usize, t: Option<usize>) -> u32 {
        match atom {
            PairAtom::Direction => 1 + u32::from(d < h),
            PairAtom::Distance(from, to) => {
                let [from, to] = [from, to].map(|role| self.node(role, h, d, t).index());
                if from.max(to) > self.words { 0 } else { binned_distance(from, to) }
            }
            PairAtom::Guessed(relation, one, other) => {
                let [one, other] = [one, other].map(|role| self.node(role, h, d, t));
                relation.value(&self.guess, 0, one, other)
            }
            PairAtom::Guided(relation, guide, one, other) => {
                let [one, other] = [one, other].map(|role| self.node(role, h, d, t));
                relation.value(&self.guidance, usize::from(guide), one, other)
            }
            PairAtom::Agreement => {
                let both = self.categories[h].with(&self.categories[d]);
                both.into_iter().flatten().map(|agree| if agree { 1 } else { 2 }).max().unwrap_or(0)
            }
        }
    }
}

/// 1, 2, 3, 4, 5 to 9, more; doubled, plus one if the second word comes first.
fn binned_distance(from: usize, to: usize) -> u32 {
    let bin = match from.abs_diff(to) {
        near @ 0..=4 => near as u32,
        5..=9 => 5,
        _ => 6,
    };
    1 + bin * 2 + u32::from(to < from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_learn::features::words::WordColumns;

    fn sentence() -> Words {
        let word = |form, upos, feats| WordColumns { form, lemma: form, upos, xpos: "_", feats };
        let mut words = Words::default();
        words.fill([
            word("die", "DET", "Case=Nom|Gender=Fem|Number=Sing"),
            word("Katze", "NOUN", "Case=Nom|Gender=Fem|Number=Sing"),
            word("sieht", "VERB", "Number=Sing|Person=3|VerbForm=Fin"),
            word("Hunde", "NOUN", "Case=Acc|Number=Plur"),
        ]);
        words
    }

    fn features(text: &str, factor: Factor) -> Vec<u64> {
        let program = Program::compile(&Templates::parse(text).unwrap()).unwrap();
        let mut prepared = SentenceFeatures::default();
        let guess = [0, 2, 3, 0, 3].map(Node);
        prepared.prepare(&program, &sentence(), &guess, Order::Grandchild);
        let mut out = Vec::new();
        prepared.factor(&program, factor, &mut out);
        out
    }

    fn arc(head: u32, dependent: u32) -> Factor {
        Factor::Arc { head: Node(head), dependent: Node(dependent) }
    }

    #[test]
    fn equal_values_give_equal_features_and_others_others() {
        let upos = |head, dependent| features("[arcs]\nh.upos+d.upos\n", arc(head, dependent));
        assert_eq!(upos(3, 2), upos(3, 4));
        assert_ne!(upos(3, 2), upos(2, 3));
        let directed =
            |head, dependent| features("[arcs]\nh.upos+d.upos+dir\n", arc(head, dependent));
        assert_ne!(directed(3, 2), directed(3, 4));
    }

    #[test]
    fn the_first_guess_has_relatives() {
        let of_head = |head| features("[arcs]\nh.hd.upos\n", arc(head, 1));
        assert_eq!(of_head(2), of_head(4), "both hang on the verb");
        assert_ne!(of_head(2), of_head(3));
        let children = |head| features("[arcs]\nh.lc.upos+h.rc.upos\n", arc(head, 1));
        assert_eq!(children(4), features("[arcs]\nh.lc.lemma+h.rc.lemma\n", arc(4, 1)));
        assert_ne!(children(4), children(2));
        let arcs = |head, dependent| features("[arcs]\nguess.arc(h,d)\n", arc(head, dependent));
        assert_eq!(arcs(2, 1), arcs(3, 4));
        assert_ne!(arcs(2, 1), arcs(1, 2));
        let sibling = |head, dependent| features("[arcs]\ns.upos\n", arc(head, dependent));
        assert_ne!(sibling(3, 1), sibling(3, 2), "the noun between hangs on the verb");
        assert_eq!(sibling(3, 2), sibling(2, 4), "nobody in between does");
    }

    #[test]
    fn words_between_count_once_each() {
        let between = |head, dependent| features("[arcs]\nbetween.upos\n", arc(head, dependent));
        assert_eq!(between(1, 2).len(), 0);
        assert_eq!(between(1, 4).len(), 2);
        assert_eq!(between(0, 4).len(), 3);
        assert_eq!(between(4, 1), between(1, 4));
    }

    #[test]
    fn agreement_is_yes_no_or_unknown() {
        let agree = |head, dependent| features("[arcs]\nagree\n", arc(head, dependent));
        assert_eq!(agree(2, 1), agree(3, 2), "a finite verb agrees with a nominative");
        assert_ne!(agree(2, 1), agree(3, 4));
        assert_ne!(agree(0, 3), agree(3, 4));
        assert_eq!(features("[arcs]\nagree.each\n", arc(2, 1)).len(), 3);
        assert_eq!(features("[arcs]\nagree.each\n", arc(3, 4)).len(), 2);
    }

    #[test]
    fn morphology_is_crossed() {
        assert_eq!(features("[arcs]\nh.morph+d.morph\n", arc(2, 1)).len(), 9);
        assert_eq!(features("[arcs]\nh.morph+d.morph\n", arc(0, 3)).len(), 0);
    }

    #[test]
    fn a_missing_third_word_and_the_side_of_a_grandchild_count() {
        let (head, dependent) = (Node(3), Node(2));
        let text = "[siblings]\ns.upos+dist(d,s)\n[grandchildren]\ng.upos\n";
        let sibling = |sibling| features(text, Factor::Sibling { head, dependent, sibling });
        assert_ne!(sibling(None), sibling(Some(Node(4))));
        let grandchild = Some(Node(1));
        let inner = features(text, Factor::InnerGrandchild { head, dependent, grandchild });
        let outer = features(text, Factor::OuterGrandchild { head, dependent, grandchild });
        assert_ne!(inner, outer);
    }
}
