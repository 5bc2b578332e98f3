//! Arcs that have only one name: a determiner before its noun is `det`, whatever else is said.
//!
//! For every pair of tags and every pair of a tag and a lemma, with the side on which the dependent
//! stands, labels are counted in the training set (the edge filters of Björkelund and Kuhn 2012,
//! taken to their end). Where one label is left, features need not be asked: a third to a half of
//! all arcs are named by one look-up.
//!
//! ```
//! use crossarc_learn::features::{Attribute, Words, words::WordColumns};
//! use crossarc_transition::certain::CertainLabels;
//! use crossarc_transition::Arc;
//! use crossarc_tree::{Label, Node, Tree};
//! let word = |upos| WordColumns { form: "x", lemma: "_", upos, xpos: "_", feats: "_" };
//! let mut words = Words::default();
//! words.fill([word("DET"), word("NOUN")]);
//! let tree = Tree::new([(Node(2), Label(4)), (Node(0), Label(1))]).unwrap();
//! let examples = vec![(words.clone(), tree); 60];
//! let certain = CertainLabels::learn(&examples, Attribute::Upos, Attribute::Form);
//! let arc = |head, dependent| Arc { head: Node(head), dependent: Node(dependent) };
//! assert_eq!(certain.get(&words, arc(2, 1)), Some(Label(4)));
//! assert_eq!(certain.get(&words, arc(1, 2)), None);
//! ```
use std::collections::HashMap;

use crossarc_learn::features::{Attribute, Words, hash};
use crossarc_learn::packed::PackedMap;
use crossarc_learn::state::Arc;
use crossarc_model::{Container, ModelError, SectionBytes};
use crossarc_train::header::CertainFacts;
use crossarc_tree::{Label, Tree};

/// Arcs that must have been seen before their label can be certain.
const LEAST_COUNT: u32 = 50;
/// How many of a thousand may have another label.
const MOST_OTHERS: u32 = 2;
/// The section of a model.
const SECTION: &str = "certain labels";

/// From kinds of arcs to their only label.
#[derive(Clone, Debug)]
pub struct CertainLabels {
    tag: Attribute,
    word: Attribute,
    map: PackedMap,
}

impl CertainLabels {
    /// Counts labels; `tag` is asked of both ends of an arc, `word` of the dependent.
    pub fn learn(examples: &[(Words, Tree)], tag: Attribute, word: Attribute) -> CertainLabels {
        let mut counts: HashMap<u64, Vec<(Label, u32)>> = HashMap::new();
        let mut certain = CertainLabels { tag, word, map: PackedMap::build([]) };
        for (words, tree) in examples {
            for dependent in tree.words() {
                let label = tree.label(dependent);
                for kind in certain.kinds(words, Arc { head: tree.head(dependent), dependent }) {
                    let seen = counts.entry(kind).or_default();
                    match seen.iter_mut().find(|entry| entry.0 == label) {
                        Some(entry) => entry.1 += 1,
                        None => seen.push((label, 1)),
                    }
                }
            }
        }
        let mut rows: Vec<(u64, u64, f32)> = counts
            .into_iter()
            .filter_map(|(kind, seen)| {
                let all: u32 = seen.iter().map(|entry| entry.1).sum();
                let &(label, most) = seen.iter().max_by_key(|entry| entry.1)?;
                let sure = all >= LEAST_COUNT && (all - most) * 1000 <= all * MOST_OTHERS;
                sure.then_some((kind, u64::from(label.0), all as f32))
            })
            .collect();
        rows.sort_by_key(|row| row.0);
        certain.map = PackedMap::build(rows);
        certain
    }

    #[inline]
    fn kinds(&self, words: &Words, arc: Arc) -> [u64; 2] {
        let side = u64::from(arc.head < arc.dependent);
        let head = hash::mix(side + 1, u64::from(words.value(arc.head, self.tag)));
        let tag = u64::from(words.value(arc.dependent, self.tag));
        let word = u64::from(words.value(arc.dependent, self.word));
        [hash::mix(head, tag << 1), hash::mix(head, word << 1 | 1)]
    }

    /// The only label of an arc, if it has only one.
    #[inline]
    pub fn get(&self, words: &Words, arc: Arc) -> Option<Label> {
        let mut kinds = self.kinds(words, arc).into_iter();
        kinds.find_map(|kind| self.map.get(kind)).map(|label| Label(label as u16))
    }

    /// Renames the few arcs of a tree that have another label.
    pub fn impose(&self, words: &Words, tree: &mut Tree) {
        for dependent in tree.words() {
            if let Some(label) = self.get(words, Arc { head: tree.head(dependent), dependent }) {
                tree.set_label(dependent, label);
            }
        }
    }

    /// What the header of a model must know.
    pub fn facts(&self) -> CertainFacts {
        CertainFacts { tag: self.tag.name().to_owned(), word: self.word.name().to_owned() }
    }

    /// What goes into the model.
    pub fn section(&self) -> SectionBytes<'_> {
        self.map.section(SECTION)
    }

    /// Certain labels from a model.
    pub fn load(container: &Container, facts: &CertainFacts) -> Result<CertainLabels, ModelError> {
        let attribute = |name: &str| {
            let unknown = || container.damaged(&format!("unknown attribute `{name}`"));
            Attribute::named(name).ok_or_else(unknown)
        };
        let (tag, word) = (attribute(&facts.tag)?, attribute(&facts.word)?);
        Ok(CertainLabels { tag, word, map: PackedMap::load(container, SECTION)? })
    }
}
