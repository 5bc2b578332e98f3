//! The non-projective approximation (McDonald and Pereira 2006; labelled as in Björkelund and
//! Kuhn 2012, Figure 2): hill climbing from the best projective tree to crossing arcs.
//!
//! Again and again every word is tried under every head with every label, and the one change
//! that gains most is made, until none gains more than a threshold. The result is that of the
//! pseudocode, at less cost:
//! - a new head keeps the tree a tree if it is not below the word, which pre-order intervals tell
//!   at once;
//! - a move only touches the factors of at most five arcs: those of the word, of its old and new
//!   head, and of the siblings outside it under the old and the new head. Only these are scored.
use crate::decoder::BestTree;
use crate::factors::{Family, Order};
use crate::scores::{ArcId, Scores};
use crossarc_tree::{Label, Node, RootPolicy};

/// Settings of the non-projective approximation.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Approximation {
    /// A move must gain more than this.
    pub threshold: f64,
    /// The factors that count, those of the decoder that found the tree.
    pub order: Order,
    /// How many words may hang on the root.
    pub policy: RootPolicy,
}

impl Approximation {
    /// The threshold tuned by Bohnet (2010).
    pub const THRESHOLD: f64 = 0.3;

    /// The most moves for each word of a sentence. Hill climbing ends by itself after a few; the
    /// limit is for scores so large that gains drown in rounding.
    pub const MOVES_PER_WORD: usize = 100;

    /// The usual threshold.
    pub fn new(order: Order, policy: RootPolicy) -> Approximation {
        Approximation { threshold: Approximation::THRESHOLD, order, policy }
    }
}

/// A change of one arc.
#[derive(Copy, Clone, Debug)]
struct Move {
    gain: f64,
    head: Node,
    dependent: Node,
    label: Label,
}

/// The tree while it changes; memory is reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct HillClimbing {
    /// For each node the first of its children; one more at the end.
    first_child: Vec<u32>,
    /// Children of all nodes, from left to right.
    children: Vec<Node>,
    /// Place in pre-order of each node, and of the last node below it.
    enter: Vec<u32>,
    leave: Vec<u32>,
    stack: Vec<Node>,
    /// The score of the family of each word as the tree is.
    scores: Vec<f64>,
    /// The place of its label among the labels of its arc, for each word.
    labels: Vec<usize>,
}

/// A word taken from one head and put under another.
#[derive(Copy, Clone)]
struct Moved {
    word: Node,
    head: Node,
}

impl HillClimbing {
    /// Climbs from the tree in `best` and returns the number of moves. A tree with an arc or a
    /// label that is no candidate is left as it is.
    pub fn climb(
        &mut self,
        settings: Approximation,
        scores: &Scores,
        best: &mut BestTree,
    ) -> usize {
        let words = scores.words();
        if best.heads.len() != words + 1 || settings.order > scores.order() {
            return 0;
        }
        let threshold = settings.threshold.max(0.0);
        for moves in 0..words.saturating_mul(Approximation::MOVES_PER_WORD) {
            if !self.look_at(settings.order, scores, best) {
                return moves;
            }
            match self.best_move(settings, scores, best) {
                Some(chosen) if chosen.gain > threshold => {
                    best.set(chosen.head, chosen.dependent, chosen.label);
                    best.score += chosen.gain as f32;
                }
                _ => return moves,
            }
        }
        words.saturating_mul(Approximation::MOVES_PER_WORD)
    }

    /// Prepares for the tree: children, pre-order, family scores. False if it has no score.
    fn look_at(&mut self, order: Order, scores: &Scores, best: &BestTree) -> bool {
        let side = best.heads.len();
        self.first_child.clear();
        self.first_child.resize(side + 1, 0);
        for head in &best.heads[1..] {
            self.first_child[head.index() + 1] += 1;
        }
        for node in 0..side {
            self.first_child[node + 1] += self.first_child[node];
        }
        self.children.clear();
        self.children.resize(side - 1, Node::ROOT);
        self.enter.clear();
        self.enter.extend_from_slice(&self.first_child[..side]);
        for word in 1..side {
            let place = &mut self.enter[best.heads[word].index()];
            self.children[*place as usize] = Node(word as u32);
            *place += 1;
        }
        self.number_in_preorder(side);
        self.scores.clear();
        self.scores.resize(side, 0.0);
        self.labels.clear();
        self.labels.resize(side, 0);
        for word in (1..side as u32).map(Node) {
            let Some(arc) = scores.find(best.heads[word.index()], word) else { return false };
            let label = best.labels[word.index()];
            let Some(place) = scores.labels(arc).iter().position(|&l| l == label) else {
                return false;
            };
            self.labels[word.index()] = place;
            let family = self.family(&best.heads, word, None);
            match scores.family(arc, &family, place, order) {
                Some(score) => self.scores[word.index()] = f64::from(score),
                None => return false,
            }
        }
        true
    }

    fn number_in_preorder(&mut self, side: usize) {
        // Visited twice: on the way down and, marked by the highest bit, on the way up.
        const UP: u32 = 1 << 31;
        self.leave.clear();
        self.leave.resize(side, 0);
        let mut time = 0;
        self.stack.clear();
        self.stack.push(Node::ROOT);
        while let Some(node) = self.stack.pop() {
            if node.0 & UP != 0 {
                self.leave[(node.0 & !UP) as usize] = time - 1;
                continue;
            }
            self.enter[node.index()] = time;
            time += 1;
            self.stack.push(Node(node.0 | UP));
            let range = self.child_range(node);
            self.stack.extend_from_slice(&self.children[range]);
        }
    }

    fn child_range(&self, node: Node) -> std::ops::Range<usize> {
        self.first_child[node.index()] as usize..self.first_child[node.index() + 1] as usize
    }

    fn is_below(&self, node: Node, above: Node) -> bool {
        let time = self.enter[node.index()];
        self.enter[above.index()] <= time && time <= self.leave[above.index()]
    }

    fn best_move(&self, settings: Approximation, scores: &Scores, best: &BestTree) -> Option<Move> {
        let mut chosen: Option<Move> = None;
        for dependent in (1..best.heads.len() as u32).map(Node) {
            let old = best.heads[dependent.index()];
            for head in (0..best.heads.len() as u32).map(Node) {
                if self.is_below(head, dependent) {
                    continue;
                }
                let another_root = head == Node::ROOT && old != Node::ROOT;
                if another_root && settings.policy == RootPolicy::Single {
                    continue;
                }
                let Some(arc) = scores.find(head, dependent) else { continue };
                let moved = Moved { word: dependent, head };
                let Some(others) =
                    self.change_of_others(settings.order, scores, &best.heads, moved)
                else {
                    continue;
                };
                let family = self.family(&best.heads, dependent, Some(moved));
                let Some(labels) = scores.family_labels(arc, &family, settings.order) else {
                    continue;
                };
                for (label, own) in labels {
                    let gain = f64::from(own) - self.scores[dependent.index()] + others;
                    if gain > chosen.map_or(f64::NEG_INFINITY, |chosen| chosen.gain) {
                        chosen = Some(Move { gain, head, dependent, label });
                    }
                }
            }
        }
        chosen
    }

    /// What a move changes in the scores of arcs other than that of the word itself.
    fn change_of_others(
        &self,
        order: Order,
        scores: &Scores,
        heads: &[Node],
        moved: Moved,
    ) -> Option<f64> {
        let old = heads[moved.word.index()];
        if order == Order::First || old == moved.head {
            return Some(0.0);
        }
        let mut touched = [
            self.next_outward(old, moved.word),
            self.next_outward(moved.head, moved.word),
            None,
            None,
        ];
        if order == Order::Grandchild {
            touched[2] = Some(old);
            touched[3] = Some(moved.head);
        }
        let mut change = 0.0;
        for (place, &node) in touched.iter().enumerate() {
            let Some(node) = node.filter(|&node| node != Node::ROOT) else { continue };
            if touched[..place].contains(&Some(node)) {
                continue;
            }
            let arc: ArcId = scores.find(heads[node.index()], node)?;
            let family = self.family(heads, node, Some(moved));
            let score = scores.family(arc, &family, self.labels[node.index()], order)?;
            change += f64::from(score) - self.scores[node.index()];
        }
        Some(change)
    }

    /// The child of `head` next to `word` on the side away from the head.
    fn next_outward(&self, head: Node, word: Node) -> Option<Node> {
        let children = &self.children[self.child_range(head)];
        if head < word {
            children.get(children.partition_point(|&child| child <= word)).copied()
        } else {
            let before = children.partition_point(|&child| child < word);
            before.checked_sub(1).map(|place| children[place])
        }
    }

    /// The children of a node with numbers in a range, from left to right.
    fn children_between(&self, node: Node, from: u32, to: u32) -> &[Node] {
        let children = &self.children[self.child_range(node)];
        let start = children.partition_point(|&child| child.0 < from);
        let end = children.partition_point(|&child| child.0 < to);
        &children[start..end.max(start)]
    }

    /// [`Family::of`] by lists of children, with one word moved: the children of a node between
    /// two others are those in the list without the moved word, and the moved word if it is there.
    fn family(&self, heads: &[Node], dependent: Node, moved: Option<Moved>) -> Family {
        let head = match moved {
            Some(moved) if moved.word == dependent => moved.head,
            _ => heads[dependent.index()],
        };
        let end = heads.len() as u32;
        let gone = moved.map(|moved| moved.word);
        let outermost = |parent: Node, from: u32, to: u32, leftmost: bool| {
            let children = self.children_between(parent, from, to);
            let stays = |child: &&Node| Some(**child) != gone;
            let listed = if leftmost {
                children.iter().find(stays)
            } else {
                children.iter().rev().find(stays)
            };
            let arrived = moved
                .filter(|moved| moved.head == parent && (from..to).contains(&moved.word.0))
                .map(|moved| moved.word);
            match (listed.copied(), arrived) {
                (Some(a), Some(b)) => Some(if leftmost { a.min(b) } else { a.max(b) }),
                (a, b) => a.or(b),
            }
        };
        let (h, m) = (head.0, dependent.0);
        let (sibling, inner, outer) = if h < m {
            (
                outermost(head, h + 1, m, false),
                outermost(dependent, h + 1, m, true),
                outermost(dependent, m + 1, end, false),
            )
        } else {
            (
                outermost(head, m + 1, h, true),
                outermost(dependent, m + 1, h, false),
                outermost(dependent, 1, m, true),
            )
        };
        Family { head, dependent, sibling, inner, outer }
    }
}
