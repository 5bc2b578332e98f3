//! What can be asked of several words, or of the sentence as a whole.
//!
//! Whatever is asked is answered from the heads alone, by climbing or by one pass over the words:
//! queries ask of few words, so nothing is prepared that most sentences would not use.
use conll::{Column, Sentence};

use crate::condition::{Attribute, Comparison, Conditions, Values};

/// No head, or no word yet.
pub(crate) const NONE: u32 = u32::MAX;

/// Number of a node of the query.
pub(crate) type Place = u8;

/// A number that depends on the match.
#[derive(Clone, Debug)]
pub(crate) enum Quantity {
    /// Itself.
    Number,
    /// Words of the sentence.
    Length,
    /// A column, feature or part of MISC.
    Attribute(Place, Attribute),
    /// Words from one to the other: 1 for neighbours.
    Distance(Place, Place),
    /// Arcs from the artificial root.
    Depth(Place),
    /// Dependents.
    Children(Place),
    /// Words of the subtree.
    Size(Place),
}

/// A quantity and a number added to it.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) quantity: Quantity,
    pub(crate) offset: f64,
}

/// What holds between words.
#[derive(Clone, Debug)]
pub(crate) enum Relation {
    Word(Place, Conditions),
    Arc {
        head: Place,
        dependent: Place,
        label: Option<Values>,
    },
    /// An arc in either direction.
    Link {
        one: Place,
        other: Place,
        label: Option<Values>,
    },
    /// One or more arcs downwards, all with such a label.
    Path {
        above: Place,
        below: Place,
        label: Option<Values>,
    },
    Before {
        left: Place,
        right: Place,
    },
    Next {
        left: Place,
        right: Place,
    },
    /// The arcs that lead to two words cross each other.
    Crosses(Place, Place),
    /// The arc that leads to a word crosses another.
    Crossing(Place),
    /// The arc that leads to a word passes over a word that its head does not dominate.
    NonProjective(Place),
    Same {
        left: (Place, Attribute),
        right: (Place, Attribute),
    },
    Compare {
        left: Term,
        comparison: Comparison,
        right: Term,
    },
    /// Some arc of the sentence crosses another.
    SomeCrossing,
    Comment {
        key: String,
        values: Values,
    },
}

/// A relation that holds, or that must not.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) relation: Relation,
    pub(crate) negated: bool,
}

/// A sentence as the search sees it.
pub(crate) struct View<'a> {
    pub(crate) sentence: &'a Sentence,
    /// Heads indexed by word; [`NONE`] for the artificial root and for words without head.
    pub(crate) heads: &'a [u32],
}

impl View<'_> {
    fn words(&self) -> u32 {
        self.heads.len() as u32 - 1
    }

    /// The nodes above a word, from its head on; ends even if heads form a cycle.
    fn above(&self, word: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = word;
        (0..self.heads.len()).map_while(move |_| {
            at = self.heads[at as usize];
            (at != NONE).then_some(at)
        })
    }

    fn dominates(&self, above: u32, below: u32) -> bool {
        self.above(below).any(|node| node == above)
    }

    fn label_holds(&self, label: Option<&Values>, word: u32) -> bool {
        label.is_none_or(|values| {
            values.hold(Attribute::Column(Column::Deprel).of(self.sentence, word), false)
        })
    }

    fn is_arc(&self, head: u32, dependent: u32, label: Option<&Values>) -> bool {
        self.heads[dependent as usize] == head && self.label_holds(label, dependent)
    }

    /// The ends of the arc that leads to a word.
    fn ends(&self, word: u32) -> Option<(u32, u32)> {
        let head = self.heads[word as usize];
        (head != NONE).then_some((head.min(word), head.max(word)))
    }

    fn cross(&self, one: u32, other: u32) -> bool {
        let (Some(one), Some(other)) = (self.ends(one), self.ends(other)) else { return false };
        let (first, second) = if one.0 <= other.0 { (one, other) } else { (other, one) };
        first.0 < second.0 && second.0 < first.1 && first.1 < second.1
    }

    fn is_crossed(&self, word: u32) -> bool {
        (1..=self.words()).any(|other| self.cross(word, other))
    }

    /// In a tree some arcs cross if and only if some arc passes over a word whose head is further out.
    fn has_crossing(&self) -> bool {
        if self.heads[1..].contains(&NONE) {
            return (1..=self.words()).any(|word| self.is_crossed(word));
        }
        (1..=self.words()).any(|word| {
            self.ends(word).is_some_and(|(left, right)| {
                let inside = &self.heads[left as usize + 1..right as usize];
                inside.iter().any(|&head| head < left || head > right)
            })
        })
    }

    fn is_nonprojective(&self, word: u32) -> bool {
        let Some((left, right)) = self.ends(word) else { return false };
        let head = self.heads[word as usize];
        head != 0 && (left + 1..right).any(|between| !self.dominates(head, between))
    }

    fn quantity(&self, quantity: &Quantity, bound: &[u32]) -> Option<f64> {
        let word = |place: Place| bound[usize::from(place)];
        Some(match quantity {
            Quantity::Number => 0.0,
            Quantity::Length => f64::from(self.words()),
            Quantity::Attribute(place, attribute) => {
                return attribute.number(self.sentence, word(*place));
            }
            Quantity::Distance(one, other) => f64::from(word(*one).abs_diff(word(*other))),
            Quantity::Depth(place) => self.above(word(*place)).count() as f64,
            Quantity::Children(place) => {
                self.heads.iter().filter(|&&head| head == word(*place)).count() as f64
            }
            Quantity::Size(place) => {
                let top = word(*place);
                let below = (1..=self.words()).filter(|&node| self.dominates(top, node)).count();
                below as f64 + 1.0
            }
        })
    }

    pub(crate) fn value(&self, term: &Term, bound: &[u32]) -> Option<f64> {
        self.quantity(&term.quantity, bound).map(|value| value + term.offset)
    }
}

impl Constraint {
    pub(crate) fn holds(&self, view: &View<'_>, bound: &[u32]) -> bool {
        let word = |place: &Place| bound[usize::from(*place)];
        let holds = match &self.relation {
            Relation::Word(place, conditions) => conditions.hold(view.sentence, word(place)),
            Relation::Arc { head, dependent, label } => {
                view.is_arc(word(head), word(dependent), label.as_ref())
            }
            Relation::Link { one, other, label } => {
                let (one, other, label) = (word(one), word(other), label.as_ref());
                view.is_arc(one, other, label) || view.is_arc(other, one, label)
            }
            Relation::Path { above, below, label } => {
                let mut at = word(below);
                let mut nodes = view.above(at);
                loop {
                    if !view.label_holds(label.as_ref(), at) {
                        break false;
                    }
                    match nodes.next() {
                        Some(node) if node == word(above) => break true,
                        Some(node) => at = node,
                        None => break false,
                    }
                }
            }
            Relation::Before { left, right } => word(left) < word(right),
            Relation::Next { left, right } => word(left) + 1 == word(right),
            Relation::Crosses(one, other) => view.cross(word(one), word(other)),
            Relation::Crossing(place) => view.is_crossed(word(place)),
            Relation::NonProjective(place) => view.is_nonprojective(word(place)),
            Relation::Same { left, right } => {
                let value = |(place, attribute): &(Place, Attribute)| {
                    attribute.of(view.sentence, word(place))
                };
                value(left).is_some_and(|left| value(right) == Some(left))
            }
            Relation::Compare { left, comparison, right } => {
                let values = view.value(left, bound).zip(view.value(right, bound));
                values.is_some_and(|(left, right)| comparison.holds(left, right))
            }
            Relation::SomeCrossing => view.has_crossing(),
            Relation::Comment { key, values } => {
                values.hold(view.sentence.comment_value(key), false)
            }
        };
        holds != self.negated
    }

    /// The nodes it is about, as bits.
    pub(crate) fn mask(&self) -> u32 {
        let mut mask = 0;
        self.relation.clone().each_place(|place| mask |= 1 << *place);
        mask
    }
}

impl Relation {
    /// Lets `change` see every node that is named.
    pub(crate) fn each_place(&mut self, mut change: impl FnMut(&mut Place)) {
        match self {
            Relation::Word(one, _) | Relation::Crossing(one) | Relation::NonProjective(one) => {
                change(one);
            }
            Relation::Arc { head: one, dependent: other, .. }
            | Relation::Link { one, other, .. }
            | Relation::Path { above: one, below: other, .. }
            | Relation::Before { left: one, right: other }
            | Relation::Next { left: one, right: other }
            | Relation::Crosses(one, other) => {
                change(one);
                change(other);
            }
            Relation::Same { left, right } => {
                change(&mut left.0);
                change(&mut right.0);
            }
            Relation::Compare { left, right, .. } => {
                for term in [left, right] {
                    term.quantity.each_place(&mut change);
                }
            }
            Relation::SomeCrossing | Relation::Comment { .. } => {}
        }
    }
}

impl Quantity {
    pub(crate) fn each_place(&mut self, change: &mut impl FnMut(&mut Place)) {
        match self {
            Quantity::Number | Quantity::Length => {}
            Quantity::Attribute(place, _)
            | Quantity::Depth(place)
            | Quantity::Children(place)
            | Quantity::Size(place) => change(place),
            Quantity::Distance(one, other) => {
                change(one);
                change(other);
            }
        }
    }
}
