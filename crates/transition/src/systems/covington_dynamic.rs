//! The dynamic oracle of Covington's parser (Gómez-Rodríguez and Fernández-González 2015).
//!
//! A gold arc can still be built if its dependent has no head and the comparison of its two words
//! lies ahead. Each such arc can be built by itself, but together with the arcs already there they
//! may form cycles, and every cycle costs one arc. As every word has at most one head, the loss is
//! the number of gold arcs out of reach plus the number of cycles.
//!
//! Words that come back for want of a head keep more arcs in reach than in the paper: all arcs of
//! the root if it may have several dependents, else those of the one word that will hang on the
//! root. Whichever word that is best adds its bonus.
//!
//! The cost of a move is found from the arcs that it takes out of reach, the one cycle that it can
//! open or close (a walk towards the root), and the change of the bonus (linear in the sentence).
use super::covington::{Covington, CovingtonGold, CovingtonMove, CovingtonStatic};
use super::leftover::root_is_free;
use super::lists::Lists;
use crate::{
    Arc, DynamicOracle, ExactOracle, MoveSet, Oracle, PartialTree, StateView, SystemOptions,
    TransitionSystem, Unreachable,
};
use crossarc_tree::structure::Structure;
use crossarc_tree::{Label, Node, RootPolicy, Tree};

/// The dynamic oracle; its own derivation is that of Algorithm 2 of Reisinger (2016) as long as no
/// mistake was made.
#[derive(Clone, Default, Debug)]
pub struct CovingtonDynamic;

/// The gold tree with its dependents in order.
#[derive(Clone, Debug)]
pub struct CovingtonDynamicGold {
    gold: CovingtonGold,
    structure: Structure,
}

impl Oracle<Covington> for CovingtonDynamic {
    const NAME: &'static str = "dynamic";
    type Gold = CovingtonDynamicGold;

    fn prepare(&self, system: &Covington, gold: &Tree) -> Result<Self::Gold, Unreachable> {
        let structure = Structure::new(gold);
        Ok(CovingtonDynamicGold { gold: CovingtonStatic.prepare(system, gold)?, structure })
    }

    fn next(&self, system: &Covington, gold: &Self::Gold, state: &Lists) -> (CovingtonMove, Label) {
        let free = |mv| system.is_legal(state, mv) && self.cost(system, gold, state, mv) == 0;
        let first = CovingtonStatic.next(system, &gold.gold, state);
        if free(first.0) {
            return first;
        }
        let other = CovingtonMove::ALL.iter().copied().find(|&mv| free(mv));
        let mv = other.unwrap_or(CovingtonMove::Shift);
        let arc = system.arc(state, mv);
        (mv, arc.map_or(Label::default(), |arc| gold.gold.tree.label(arc.dependent)))
    }
}

impl DynamicOracle<Covington> for CovingtonDynamic {
    fn cost(&self, system: &Covington, gold: &Self::Gold, state: &Lists, mv: CovingtonMove) -> u32 {
        let reach = Reach::of(system, gold, state);
        let (top, front) = (state.stack(0), state.buffer(0));
        match (mv, top, front) {
            (CovingtonMove::LeftArc, Some(top), Some(front)) => {
                reach.cost_of_arc(Arc { head: front, dependent: top })
            }
            (CovingtonMove::RightArc, Some(top), Some(front)) => {
                reach.cost_of_arc(Arc { head: top, dependent: front })
            }
            (CovingtonMove::NoArc, Some(top), Some(front)) => reach.cost_of_no_arc(top, front),
            (CovingtonMove::Shift, _, Some(front)) => reach.cost_of_shift(front),
            _ => 0,
        }
    }
}

impl ExactOracle<Covington> for CovingtonDynamic {}

/// Which gold arcs are still in reach, in a state or after a move from it.
#[derive(Clone)]
struct Reach<'a> {
    tree: &'a Tree,
    structure: &'a Structure,
    partial: &'a PartialTree,
    options: SystemOptions,
    /// The front of the buffer; behind the last word if the buffer is empty.
    front: Node,
    /// Words left of this one are still to be compared with the front of the buffer.
    left: Node,
    /// Words left of this one have passed on the chance to become the root.
    first_root: Node,
    /// The arc that a move builds.
    new: Option<Arc>,
}

impl<'a> Reach<'a> {
    fn of(system: &Covington, gold: &'a CovingtonDynamicGold, state: &'a Lists) -> Reach<'a> {
        let leftover = state.leftover();
        let behind = Node(gold.gold.tree.len() as u32 + 1);
        Reach {
            tree: &gold.gold.tree,
            structure: &gold.structure,
            partial: state.partial(),
            options: system.options,
            front: if leftover.is_some() { behind } else { state.buffer(0).unwrap_or(behind) },
            left: Node(state.left_len() as u32),
            first_root: leftover.unwrap_or(Node::ROOT),
            new: None,
        }
    }

    fn head(&self, word: Node) -> Option<Node> {
        match self.new {
            Some(Arc { head, dependent }) if dependent == word => Some(head),
            _ => self.partial.head(word),
        }
    }

    /// True if the root takes one dependent and words that come back get a head.
    fn has_bonus(&self) -> bool {
        self.options.roots == RootPolicy::Single && !self.options.partial
    }

    /// True if the two words have not been compared yet.
    fn lies_ahead(&self, one: Node, other: Node) -> bool {
        let (left, right) = (one.min(other), one.max(other));
        right > self.front || (right == self.front && left < self.left)
    }

    /// True if the gold arc to the word can still be built, cycles and the bonus apart.
    fn holds(&self, word: Node) -> bool {
        let head = self.tree.head(word);
        self.head(word).is_none()
            && if head != Node::ROOT {
                self.lies_ahead(head, word)
            } else if self.options.partial {
                self.lies_ahead(head, word) && root_is_free(self.partial, self.options.roots)
            } else {
                self.options.roots == RootPolicy::Several
            }
    }

    /// Climbs along the arcs built and those in reach; the last word before `goal` if that is
    /// reached.
    fn climb(&self, from: Node, goal: Node) -> Option<Node> {
        let mut at = from;
        for _ in 0..=self.tree.len() {
            let above = match self.head(at) {
                Some(head) => head,
                None if self.holds(at) => self.tree.head(at),
                None => return None,
            };
            if above == goal {
                return Some(at);
            }
            if above == Node::ROOT {
                return None;
            }
            at = above;
        }
        None
    }

    /// True if losing the gold arc to the word is a loss: it is in reach and on no cycle.
    fn counts(&self, word: Node) -> bool {
        self.holds(word) && self.climb(word, word).is_none()
    }

    /// How many gold arcs the words that come back can get from the root and the word under it.
    fn bonus(&self) -> i32 {
        if !self.has_bonus() {
            return 0;
        }
        let new_root = self.new.filter(|arc| arc.head == Node::ROOT).map(|arc| arc.dependent);
        match new_root.or(self.partial.right_child(Node::ROOT, 0)) {
            Some(root) => self.waiting(root),
            None => self.best_root(),
        }
    }

    /// The most arcs that any word without a head can bring when it becomes the root.
    fn best_root(&self) -> i32 {
        let mut best = 0;
        for word in self.tree.words().skip(self.first_root.index().saturating_sub(1)) {
            if self.head(word).is_some() {
                continue;
            }
            let is_root = self.tree.head(word) == Node::ROOT;
            let value = i32::from(is_root) + self.waiting(word);
            if value > best {
                best = best.max(value - i32::from(self.counts(word)));
            }
        }
        best
    }

    /// Gold dependents of the word that can get it as head only when they come back.
    fn waiting(&self, root: Node) -> i32 {
        let waiting =
            |child: &&Node| self.head(**child).is_none() && !self.lies_ahead(root, **child);
        self.structure.children(root).iter().filter(waiting).count() as i32
    }

    /// The cost of a move, from the arcs that it loses and the bonus that it leaves.
    fn cost(&self, lost: i32, after: &Reach) -> u32 {
        (lost + self.bonus() - after.bonus()).max(0) as u32
    }

    /// The state after the comparison of the top and the front.
    fn after_comparison(&self, new: Option<Arc>) -> Reach<'a> {
        Reach { left: Node(self.left.0.saturating_sub(1)), new, ..self.clone() }
    }

    fn cost_of_arc(&self, arc: Arc) -> u32 {
        let Arc { head, dependent } = arc;
        let lost = if self.tree.head(dependent) == head {
            // What was only part of the bonus is now built.
            -i32::from(!self.holds(dependent))
        } else {
            let takes_reverse =
                head != Node::ROOT && self.tree.head(head) == dependent && self.holds(head);
            let closes_cycle =
                head != Node::ROOT && !takes_reverse && self.climb(head, dependent).is_some();
            let takes_root = head == Node::ROOT
                && self.options.roots == RootPolicy::Single
                && self.structure.children(Node::ROOT).iter().any(|&root| self.holds(root));
            i32::from(self.counts(dependent))
                + i32::from(takes_reverse)
                + i32::from(closes_cycle)
                + i32::from(takes_root)
        };
        self.cost(lost, &self.after_comparison(Some(arc)))
    }

    fn cost_of_no_arc(&self, top: Node, front: Node) -> u32 {
        let after = self.after_comparison(None);
        let goes = |word: Node| self.counts(word) && !after.holds(word);
        let lost = if self.tree.head(front) == top {
            goes(front)
        } else {
            top != Node::ROOT && self.tree.head(top) == front && goes(top)
        };
        self.cost(i32::from(lost), &after)
    }

    fn cost_of_shift(&self, front: Node) -> u32 {
        if self.first_root != Node::ROOT {
            let after = Reach { first_root: Node(front.0 + 1), ..self.clone() };
            return self.cost(0, &after);
        }
        let next = Node(front.0 + 1);
        let after = Reach { front: next, left: next, ..self.clone() };
        let goes = |word: Node| self.holds(word) && !after.holds(word);
        let children = self.structure.left_children(front);
        let lost =
            i32::from(goes(front)) + children.iter().filter(|&&child| goes(child)).count() as i32;
        let opens_cycle =
            lost > 0 && self.climb(front, front).is_some_and(|below| goes(front) || goes(below));
        self.cost(lost - i32::from(opens_cycle), &after)
    }
}
