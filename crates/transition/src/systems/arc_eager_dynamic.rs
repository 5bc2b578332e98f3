//! The exact dynamic oracle of arc-eager (Goldberg and Nivre 2012), with UNSHIFT and root policy.
//!
//! Without UNSHIFT the gold arcs that can still be reached can be reached together, and the cost of
//! a move is the number of gold arcs that it rules out: those between stack and buffer. UNSHIFT
//! gives words without a head, which plain arc-eager has lost for good, another chance at the end,
//! and no longer are all arcs that are in reach in reach together. So the oracle finds the largest
//! number of gold arcs that a state can still get, and the cost is the difference a move makes.
//!
//! *Segments.* Headless words `H1 .. Hk` cut the stack into segments: segment 0 is the root and
//! what hangs on it, segment `i` is `Hi` and the words above it that have their heads.
//!
//! *At the end* UNSHIFT takes `Hk`; it may take `H(k-1), H(k-2), ..` by LEFT-ARC, and then gets its
//! head from the next segment below. So `H1 .. Hk` fall into groups, the last of each group is the
//! head of the others and hangs on the segment before. The best grouping is found from left to
//! right: `end[i]` is the best for `H1 .. Hi`.
//!
//! *Before the end* some `m` headless words, the lowest, will stay until then, the others get a
//! head from the buffer. The buffer can exchange arcs with segments `m..`, so the best is the
//! largest sum, over `m`, of `end[m]` and the gold arcs between these segments and the buffer
//! (with all gold arcs inside the buffer). One arc less if the gold path from a segment above `m`
//! reaches the last word: then no word is left to be the head of that segment's headless word.
//!
//! The cost takes time linear in the stack (without allocation, unless gold arcs wait on the
//! stack, which takes an earlier mistake). Exhaustive search confirms it for all short sentences.
use super::arc_eager::{ArcEager, Move, State, is_linked_below};
use crate::{
    DynamicOracle, ExactOracle, GoldTree, Oracle, PartialTree, StateView, TransitionSystem,
    Unreachable,
};
use crossarc_tree::{Label, Node, RootPolicy, Tree};

/// The gold tree, with what is asked of the buffer.
#[derive(Clone, Debug)]
pub struct Gold {
    tree: GoldTree,
    /// For every position, the number of gold arcs between words from there on.
    inside: Vec<u32>,
    /// For every position, the first word from there on that dominates the last word.
    spine: Vec<Node>,
}

impl Gold {
    fn new(tree: &Tree) -> Gold {
        let gold = GoldTree::new(tree);
        let last = Node(tree.len() as u32);
        let mut inside = vec![0; tree.len() + 2];
        let mut spine = vec![last; tree.len() + 2];
        for word in tree.words().rev() {
            let next = word.index() + 1;
            let arcs = gold.children_from(word, word) + u32::from(tree.head(word) > word);
            inside[word.index()] = inside[next] + arcs;
            let dominates = gold.structure().dominates(word, last);
            spine[word.index()] = if dominates { word } else { spine[next] };
        }
        Gold { tree: gold, inside, spine }
    }
}

/// The exact dynamic oracle.
#[derive(Copy, Clone, Default, Debug)]
pub struct Dynamic;

impl Oracle<ArcEager> for Dynamic {
    const NAME: &'static str = "dynamic";
    type Gold = Gold;

    fn prepare(&self, system: &ArcEager, gold: &Tree) -> Result<Gold, Unreachable> {
        ArcEager::COVERS.demand(gold, system.roots)?;
        Ok(Gold::new(gold))
    }

    fn next(&self, system: &ArcEager, gold: &Gold, state: &State) -> (Move, Label) {
        let as_static = match (state.stack(0), state.buffer(0)) {
            (Some(top), Some(front)) if is_linked_below(&gold.tree, top, front) => Move::Reduce,
            _ => Move::Shift,
        };
        let order = [Move::LeftArc, Move::RightArc, as_static, Move::Shift, Move::Reduce];
        let free =
            |&mv: &Move| system.is_legal(state, mv) && self.cost(system, gold, state, mv) == 0;
        let mv = order.into_iter().find(free).unwrap_or(Move::Unshift);
        let arc = system.arc(state, mv);
        (mv, arc.map_or(Label::default(), |arc| gold.tree.label(arc.dependent)))
    }
}

impl DynamicOracle<ArcEager> for Dynamic {
    fn cost(&self, system: &ArcEager, gold: &Gold, state: &State, mv: Move) -> u32 {
        let before = Prospect::new(*system, gold, state);
        let arc = system.arc(state, mv);
        let won = arc.is_some_and(|arc| gold.tree.has_arc(arc.head, arc.dependent));
        let after = before.after(mv, arc.is_some_and(|arc| arc.head == Node::ROOT));
        before.best() - after.best() - u32::from(won)
    }
}

impl ExactOracle<ArcEager> for Dynamic {}

/// A state, or the state after a move, as far as arcs to come depend on it.
#[derive(Copy, Clone)]
struct Prospect<'a> {
    gold: &'a Gold,
    partial: &'a PartialTree,
    system: ArcEager,
    stack: &'a [Node],
    /// A word that the move puts on the stack, and whether it has a head.
    pushed: Option<(Node, bool)>,
    /// The first word of the buffer that was never on the stack.
    unseen: Node,
    /// The word that UNSHIFT has put back.
    put_back: Option<Node>,
    root_is_taken: bool,
}

impl<'a> Prospect<'a> {
    fn new(system: ArcEager, gold: &'a Gold, state: &'a State) -> Prospect<'a> {
        let partial = state.partial();
        Prospect {
            gold,
            partial,
            system,
            stack: state.words.stack_nodes(),
            pushed: None,
            unseen: state.words.first_unseen(),
            put_back: if state.is_read() { state.buffer(0) } else { None },
            root_is_taken: system.root_is_taken(partial),
        }
    }

    fn after(mut self, mv: Move, from_root: bool) -> Prospect<'a> {
        match mv {
            Move::Shift | Move::RightArc => {
                let has_head = mv == Move::RightArc;
                if let Some(word) = self.put_back.take() {
                    self.pushed = Some((word, has_head));
                } else {
                    self.pushed = Some((self.unseen, has_head));
                    self.unseen.0 += 1;
                }
            }
            Move::LeftArc | Move::Reduce | Move::Unshift => {
                if let Some((&top, rest)) = self.stack.split_last() {
                    self.stack = rest;
                    if mv == Move::Unshift {
                        self.put_back = Some(top);
                    }
                }
            }
        }
        self.root_is_taken |= from_root && self.system.roots == RootPolicy::Single;
        self
    }

    /// The nodes of the stack from the bottom, with whether they have a head (the root has).
    fn nodes(&self) -> impl DoubleEndedIterator<Item = (Node, bool)> + '_ {
        let settled = |node| node == Node::ROOT || self.partial.head(node).is_some();
        let stack = self.stack.iter().map(move |&node| (node, settled(node)));
        stack.chain(self.pushed)
    }

    /// Where a node is on the stack, which is sorted.
    fn place(&self, node: Node) -> Option<usize> {
        match self.pushed {
            Some((pushed, _)) if pushed == node => Some(self.stack.len()),
            _ => self.stack.binary_search(&node).ok(),
        }
    }

    /// True if the node may take dependents.
    fn is_open(&self, node: Node) -> bool {
        node != Node::ROOT || !self.root_is_taken
    }

    fn is_read(&self) -> bool {
        self.unseen.index() > self.partial.len()
    }

    /// The largest number of gold arcs that can still be built.
    fn best(&self) -> u32 {
        let tree = &self.gold.tree;
        let waits = |word: Node| self.place(tree.head(word)).is_some();
        let hopes = self.put_back.is_some_and(waits)
            || self.put_back.is_some_and(|word| tree.waiting_left_children(self.partial, word) > 0)
            || self.nodes().any(|(node, has_head)| !has_head && waits(node));
        let end = if hopes && !self.system.partial { self.groups() } else { Vec::new() };
        if self.is_read() {
            return end.last().copied().unwrap_or(0);
        }
        self.gold.inside[self.unseen.index()] + self.best_with_buffer(&end)
    }

    /// The best number of arcs that involve the stack while the buffer is not empty.
    fn best_with_buffer(&self, end: &[u32]) -> u32 {
        let tree = &self.gold.tree;
        let next_on_spine = self.gold.spine[self.unseen.index()];
        let spine_head = tree.head(next_on_spine);
        let mut segment = self.nodes().filter(|&(_, has_head)| !has_head).count();
        let (mut exchanged, mut spine_is_above, mut spine_is_here) = (0, false, false);
        let mut best = 0;
        for (node, has_head) in self.nodes().rev() {
            if self.is_open(node) {
                exchanged += tree.children_from(node, self.unseen);
            }
            spine_is_here |= node == spine_head;
            let starts = !has_head || node == Node::ROOT;
            if starts {
                let kept = end.get(segment).copied().unwrap_or(0);
                let broken = u32::from(spine_is_above && !self.system.partial);
                best = best.max((exchanged + kept).saturating_sub(broken));
                exchanged += u32::from(!has_head && tree.head(node) >= self.unseen);
                spine_is_above |= spine_is_here;
                segment = segment.saturating_sub(1);
            }
        }
        best
    }

    /// The best number of arcs from UNSHIFT on, for every number of headless words, the lowest
    /// ones; the word put back is the last.
    fn groups(&self) -> Vec<u32> {
        let tree = &self.gold.tree;
        let mut segment_at = Vec::with_capacity(self.stack.len() + 1);
        let mut headless = vec![Node::ROOT];
        for (node, has_head) in self.nodes() {
            if !has_head {
                headless.push(node);
            }
            segment_at.push(headless.len() - 1);
        }
        headless.extend(self.put_back);
        let segment = |node: Node| self.place(node).map(|place| segment_at[place]);
        let mut end = vec![0; headless.len()];
        for (index, &word) in headless.iter().enumerate().skip(1) {
            let head = tree.head(word);
            let to_head = if head < word && self.is_open(head) { segment(head) } else { None };
            let value =
                |taken: u32, rest: usize| end[rest] + taken + u32::from(to_head == Some(rest));
            let mut best = value(0, index - 1);
            let (mut taken, mut taken_to_head) = (0, 0);
            for &child in tree.structure().left_children(word).iter().rev() {
                let Some(group) = segment(child).filter(|&group| headless[group] == child) else {
                    continue;
                };
                taken += 1;
                taken_to_head += u32::from(to_head.is_some_and(|head| head < group));
                best = best.max(value(taken, group - 1));
            }
            if let Some(rest) = to_head {
                best = best.max(value(taken_to_head, rest));
            }
            end[index] = best;
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SystemOptions;
    use crate::testing::cost_is_the_loss_for;
    use crossarc_tree::generate::{all_trees, random_projective_tree};
    use crossarc_tree::seed::Seed;

    #[test]
    fn cost_is_the_loss_in_the_permissive_form() {
        for roots in [RootPolicy::Single, RootPolicy::Several] {
            let options = SystemOptions { roots, partial: true };
            for words in 1..=4 {
                cost_is_the_loss_for::<ArcEager, Dynamic>(options, words, &all_trees(words));
            }
        }
    }

    /// Long enough for several segments to compete for the words of the buffer.
    #[test]
    fn cost_is_the_loss_for_longer_sentences() {
        let mut rng = Seed(8).rng();
        for (words, count) in [(5, 6), (6, 2)] {
            for roots in [RootPolicy::Single, RootPolicy::Several] {
                let options = SystemOptions { roots, partial: false };
                let trees: Vec<Tree> =
                    (0..count).map(|_| random_projective_tree(&mut rng, words, roots)).collect();
                cost_is_the_loss_for::<ArcEager, Dynamic>(options, words, &trees);
            }
        }
    }
}
