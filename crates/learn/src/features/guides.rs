//! What other parsers say about a sentence, as features of one that is guided by them.
//!
//! After Nivre and McDonald (2008), a guide's arcs are seen by features, not obeyed: for two words
//! whether the guide links them, in which direction and by which label ([`Relation::Arc`],
//! [`Relation::Name`]), and for transition parsers also where the guide has their heads and whether
//! it has dependents of theirs on the far side of the other ([`Relation::Reach`]), that is whether a
//! word is done with. Answers take constant time.
//!
//! ```
//! use crossarc_learn::features::guides::{Guidance, Relation};
//! use crossarc_tree::{Node, Tree};
//! let tree = Tree::from_heads(&[2, 0, 2]).unwrap();
//! let mut guidance = Guidance::default();
//! guidance.add(&tree, |_| 77);
//! let arc = |a, b| Relation::Arc.value(&guidance, 0, Node(a), Node(b));
//! assert_eq!(arc(2, 3), arc(2, 1)); // from the first to the second
//! assert_ne!(arc(2, 3), arc(3, 2));
//! assert_eq!(guidance.head(0, Node(3)), Some(Node(2)));
//! assert_eq!(guidance.label(0, Node(3)), 77);
//! ```
use std::sync::Arc;

use super::arc_field::ArcField;
use super::hash::{FIRST_VALUE, mix};
use crossarc_tree::{Node, Tree};

/// Most guides of a parser.
pub const MOST_GUIDES: usize = 6;

/// What a guide says about a word.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Advice {
    head: u32,
    label: u32,
    /// Its first and last dependent; the word itself if it has none on that side.
    first: u32,
    last: u32,
}

/// What all guides say about a sentence, and what nets say about its arcs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guidance {
    /// Rows of a guide: the root and the words.
    side: usize,
    rows: Vec<Advice>,
    field: Option<Arc<ArcField>>,
}

impl Guidance {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.side = 0;
        self.rows.clear();
        self.field = None;
    }

    /// Takes in what nets say about the arcs of the sentence.
    pub fn set_field(&mut self, field: Option<Arc<ArcField>>) {
        self.field = field;
    }

    /// What nets say about the arcs of the sentence.
    pub fn field(&self) -> Option<&ArcField> {
        self.field.as_deref()
    }

    /// Adds the tree of the next guide; `label` is the hash of the name of a word's arc. Trees of
    /// one sentence have the same length.
    pub fn add(&mut self, tree: &Tree, label: impl Fn(Node) -> u32) {
        if self.side != tree.len() + 1 {
            self.clear();
            self.side = tree.len() + 1;
        }
        self.add_rows(|word| (tree.head(word).0, label(word)));
    }

    /// Takes in a single guide that tells the head of the root, which is not looked at, and of each
    /// word. They need not make a tree.
    pub fn set_heads(&mut self, heads: &[Node]) {
        self.clear();
        self.side = heads.len();
        self.add_rows(|word| (heads[word.index()].0, FIRST_VALUE));
    }

    /// Adds rows for a guide that tells head and label of each word.
    fn add_rows(&mut self, advice: impl Fn(Node) -> (u32, u32)) {
        let start = self.rows.len();
        let nodes = 0..self.side as u32;
        self.rows.extend(nodes.clone().map(|node| Advice {
            first: node,
            last: node,
            ..Advice::default()
        }));
        let rows = &mut self.rows[start..];
        for word in nodes.skip(1) {
            let (head, label) = advice(Node(word));
            rows[word as usize].head = head;
            rows[word as usize].label = label;
            let above = &mut rows[head as usize];
            above.first = above.first.min(word);
            above.last = above.last.max(word);
        }
    }

    /// Takes in what guides say about a sentence, for the same sentence from its last word to its
    /// first.
    pub fn mirror_of(&mut self, other: &Guidance) {
        self.clear();
        self.side = other.side;
        let side = other.side as u32;
        let mirrored = |node: u32| if node == 0 { 0 } else { side - node };
        for guide in 0..other.rows.len().checked_div(other.side).unwrap_or(0) {
            let rows = &other.rows[guide * other.side..];
            self.add_rows(|word| {
                let advice = rows[mirrored(word.0) as usize];
                (mirrored(advice.head), advice.label)
            });
        }
    }

    #[inline]
    fn advice(&self, guide: usize, node: Node) -> Option<&Advice> {
        if node.index() >= self.side {
            return None;
        }
        self.rows.get(guide * self.side + node.index())
    }

    /// The head that a guide gives a word.
    #[inline]
    pub fn head(&self, guide: usize, word: Node) -> Option<Node> {
        let advice = self.advice(guide, word).filter(|_| word != Node::ROOT);
        advice.map(|advice| Node(advice.head))
    }

    /// The dependent of a head that is next to another word on the way to the head.
    #[inline]
    pub fn sibling(&self, guide: usize, head: Node, word: Node) -> Option<Node> {
        let between = head.0.min(word.0) + 1..head.0.max(word.0);
        let is_child = |at: &u32| self.head(guide, Node(*at)) == Some(head);
        let found =
            if head < word { between.rev().find(is_child) } else { between.clone().find(is_child) };
        found.map(Node)
    }

    /// A relative of a node by a guide.
    #[inline]
    pub fn kin(&self, guide: usize, node: Node, kin: Kin) -> Option<Node> {
        let advice = self.advice(guide, node)?;
        let found = match kin {
            Kin::Head => return self.head(guide, node),
            Kin::First => advice.first,
            Kin::Last => advice.last,
        };
        let beside = if kin == Kin::First { found < node.0 } else { found > node.0 };
        beside.then_some(Node(found))
    }

    /// The hash of the label that a guide gives a word; 0 for the root and unknown guides.
    #[inline]
    pub fn label(&self, guide: usize, word: Node) -> u32 {
        self.advice(guide, word).map_or(0, |advice| advice.label)
    }
}

/// A relative of a word.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kin {
    /// Its head.
    Head,
    /// Its first dependent, if that is on its left.
    First,
    /// Its last dependent, if that is on its right.
    Last,
}

impl Kin {
    /// All relatives by their names in feature templates.
    pub const NAMES: [(&'static str, Kin); 3] =
        [("hd", Kin::Head), ("lc", Kin::First), ("rc", Kin::Last)];

    /// Name in feature templates.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// What a guide says about two words.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Whether it links them, and in which direction.
    Arc,
    /// The same with the label.
    Name,
    /// Where it has their heads, and whether either has dependents at or beyond the other.
    Reach,
}

/// No arc between the words.
const APART: u32 = 1;
const FORWARD: u32 = 2;
const BACKWARD: u32 = 3;

impl Relation {
    /// All relations by name.
    pub const NAMES: [(&'static str, Relation); 3] =
        [("arc", Relation::Arc), ("name", Relation::Name), ("reach", Relation::Reach)];

    /// Name in feature templates, to be followed by the number of the guide.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// The value for two nodes; 0 if there is no such guide.
    #[inline]
    pub fn value(self, guidance: &Guidance, guide: usize, a: Node, b: Node) -> u32 {
        let (Some(one), Some(other)) = (guidance.advice(guide, a), guidance.advice(guide, b))
        else {
            return 0;
        };
        let direction = if b != Node::ROOT && other.head == a.0 {
            FORWARD
        } else if a != Node::ROOT && one.head == b.0 {
            BACKWARD
        } else {
            APART
        };
        match self {
            Relation::Arc => direction,
            Relation::Name if direction == APART => APART,
            Relation::Name => {
                let label = if direction == FORWARD { other.label } else { one.label };
                (mix(u64::from(label), u64::from(direction)) as u32).max(FIRST_VALUE)
            }
            Relation::Reach => {
                let beyond = |advice: &Advice, other: Node, own: Node| {
                    if own < other { advice.last >= other.0 } else { advice.first <= other.0 }
                };
                let places = place(a, one.head, b) * 5 + place(b, other.head, a);
                let children = u32::from(beyond(one, b, a)) * 2 + u32::from(beyond(other, a, b));
                FIRST_VALUE + places * 4 + children
            }
        }
    }
}

/// Where the head of a word is, seen from another: none, on the near side, between, the other
/// itself, or beyond it.
#[inline]
fn place(word: Node, head: u32, other: Node) -> u32 {
    if word == Node::ROOT {
        0
    } else if head == other.0 {
        3
    } else if head == 0 {
        0
    } else if word < other {
        1 + u32::from(head > word.0) + 2 * u32::from(head > other.0)
    } else {
        1 + u32::from(head < word.0) + 2 * u32::from(head < other.0)
    }
}

/// Templates for so many guides: a line with `{g}` is repeated for each of them, a line with `{g}`
/// and `{h}` for each pair.
pub fn templates_for(text: &str, guides: usize) -> String {
    let mut all = String::new();
    let mut line = |text: &str| {
        all.push_str(text);
        all.push('\n');
    };
    for template in text.lines() {
        if template.contains("{h}") {
            for (g, h) in (1..=guides).flat_map(|g| (g + 1..=guides).map(move |h| (g, h))) {
                line(&template.replace("{g}", &g.to_string()).replace("{h}", &h.to_string()));
            }
        } else if template.contains("{g}") {
            for g in 1..=guides {
                line(&template.replace("{g}", &g.to_string()));
            }
        } else {
            line(template);
        }
    }
    all
}

/// The number of a guide at the end of a name such as `arc2`, from 0.
pub fn numbered<'a>(text: &'a str, name: &str) -> Option<(&'a str, u8)> {
    let rest = text.strip_prefix(name)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u8 = rest[..digits].parse().ok()?;
    (1..=MOST_GUIDES as u8).contains(&number).then(|| (&rest[digits..], number - 1))
}

/// `arc2(h,d)` and its kin: relation, guide and the two words as text.
pub fn relation(text: &str) -> Option<(Relation, u8, &str, &str)> {
    Relation::NAMES.iter().find_map(|&(name, relation)| {
        let (rest, guide) = numbered(text, name)?;
        let (one, other) = rest.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
        Some((relation, guide, one.trim(), other.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// 3 heads 1 and 5, 5 heads 2 and 4.
    fn guidance() -> Guidance {
        let tree = Tree::from_heads(&[3, 5, 0, 5, 3]).unwrap();
        let mut guidance = Guidance::default();
        guidance.add(&tree, |word| 100 + word.0);
        guidance.add(&Tree::from_heads(&[0, 1, 2, 3, 4]).unwrap(), |_| 7);
        guidance
    }

    #[test]
    fn guides_are_kept_apart() {
        let guidance = guidance();
        assert_eq!(guidance.head(0, Node(2)), Some(Node(5)));
        assert_eq!(guidance.head(1, Node(2)), Some(Node(1)));
        assert_eq!((guidance.label(0, Node(4)), guidance.label(1, Node(4))), (104, 7));
        assert_eq!(guidance.head(2, Node(2)), None);
        assert_eq!(guidance.head(0, Node(6)), None);
        assert_eq!(guidance.head(0, Node::ROOT), None);
        assert_eq!(Relation::Arc.value(&guidance, 2, Node(1), Node(2)), 0);
    }

    #[test]
    fn kin_by_hand() {
        let mut guidance = Guidance::default();
        // 3 heads 1 and 5; 2 and 4 head each other, as a guess may have it.
        guidance.set_heads(&[0, 3, 4, 0, 2, 3].map(Node));
        let kin = |node, kin| guidance.kin(0, Node(node), kin).map(|node| node.0);
        assert_eq!(
            [Kin::Head, Kin::First, Kin::Last].map(|of| kin(3, of)),
            [Some(0), Some(1), Some(5)]
        );
        assert_eq!(
            [Kin::Head, Kin::First, Kin::Last].map(|of| kin(2, of)),
            [Some(4), None, Some(4)]
        );
        assert_eq!([Kin::Head, Kin::First, Kin::Last].map(|of| kin(5, of)), [Some(3), None, None]);
        assert_eq!([Kin::Head, Kin::First, Kin::Last].map(|of| kin(0, of)), [None, None, Some(3)]);
        assert_eq!(guidance.kin(1, Node(3), Kin::Head), None);
        let sibling = |head, word| guidance.sibling(0, Node(head), Node(word)).map(|node| node.0);
        assert_eq!((sibling(3, 6), sibling(3, 5), sibling(3, 0)), (Some(5), None, Some(1)));
        assert_eq!((sibling(0, 5), sibling(2, 5), sibling(4, 1)), (Some(3), Some(4), Some(2)));
    }

    #[test]
    fn relations_by_hand() {
        let guidance = guidance();
        let value = |relation: Relation, a, b| relation.value(&guidance, 0, Node(a), Node(b));
        assert_eq!(value(Relation::Arc, 3, 1), FORWARD);
        assert_eq!(value(Relation::Arc, 1, 3), BACKWARD);
        assert_eq!(value(Relation::Arc, 1, 2), APART);
        assert_eq!(value(Relation::Arc, 0, 3), FORWARD);
        assert_eq!(value(Relation::Arc, 0, 1), APART);
        assert_eq!(value(Relation::Name, 1, 2), APART);
        assert_ne!(value(Relation::Name, 3, 1), value(Relation::Name, 3, 5));
        let reach = |a, b| {
            let code = value(Relation::Reach, a, b) - FIRST_VALUE;
            (code / 20, code / 4 % 5, code / 2 % 2, code % 2)
        };
        // Head of 3 is the root, head of 4 on its near side; 3 has a dependent beyond 4, 4 has none.
        assert_eq!(reach(3, 4), (0, 1, 1, 0));
        // Head of 2 is 5 itself, head of 5 lies between; 5 has a dependent at 2.
        assert_eq!(reach(2, 5), (3, 2, 0, 1));
        assert_eq!(reach(1, 2), (4, 1, 0, 0));
    }

    #[test]
    fn mirrored_advice_is_advice_about_the_mirrored_tree() {
        let trees =
            [[3, 5, 0, 5, 3], [0, 1, 2, 3, 4]].map(|heads| Tree::from_heads(&heads).unwrap());
        let (mut plain, mut expected) = (Guidance::default(), Guidance::default());
        for tree in trees {
            plain.add(&tree, |word| 100 + word.0);
            expected.add(&tree.mirrored(), |word| 106 - word.0);
        }
        let mut mirrored = Guidance::default();
        mirrored.mirror_of(&plain);
        assert_eq!(mirrored, expected);
        mirrored.mirror_of(&Guidance::default());
        assert_eq!(mirrored, Guidance::default());
    }

    #[test]
    fn templates_are_repeated() {
        let text = "[moves]\nx0.guide{g}\narc{g}(x0,y0)+arc{h}(x0,y0)\n";
        assert_eq!(templates_for(text, 1), "[moves]\nx0.guide1\n");
        let lines: BTreeSet<String> = templates_for(text, 3).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 1 + 3 + 3);
        assert_eq!(relation("reach2(x0, y1)"), Some((Relation::Reach, 1, "x0", "y1")));
        assert_eq!(relation("arc0(x0,y1)"), None);
        assert_eq!(relation("arc9(x0,y1)"), None);
    }
}
