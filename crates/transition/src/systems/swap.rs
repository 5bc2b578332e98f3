//! Swap: arc-standard that may put a word back into the buffer, and so builds every tree (Nivre
//! 2009, Figure 2, where it is `Su`).
//!
//! | move | effect | condition |
//! |---|---|---|
//! | SHIFT | `[σ], [i\|β] => [σ\|i], [β]` | |
//! | LEFT-ARC | `[σ\|i j], B => [σ\|j], B`, arc `j -> i` | `i` is not the root |
//! | RIGHT-ARC | `[σ\|i j], B => [σ\|i], B`, arc `i -> j` | |
//! | SWAP | `[σ\|i j], [β] => [σ\|j], [i\|β]` | `0 < i < j` |
//!
//! A derivation with `k` swaps has `2n + 2k` moves: `2n` for projective trees, at most `n² + n`.
//!
//! Oracles: `eager` is Figure 4 of the paper, it sorts the words into projective order as soon as
//! it can; `lazy` (Nivre, Kuhlmann and Hall 2009) first builds as much as it can, swaps far less
//! and is the default; `dynamic` allows exploration.
//!
//! ```
//! use crossarc_transition::systems::swap::{Eager, Lazy, Move, Swap};
//! use crossarc_transition::{derivation, SystemOptions};
//! use crossarc_tree::Tree;
//! // "A hearing is scheduled on the issue today ."
//! let tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]).unwrap();
//! let swaps = |moves: Vec<(Move, _)>| moves.iter().filter(|(mv, _)| *mv == Move::Swap).count();
//! let options = SystemOptions::default();
//! assert_eq!(swaps(derivation::<Swap, Eager>(options, &tree).unwrap()), 6);
//! assert_eq!(swaps(derivation::<Swap, Lazy>(options, &tree).unwrap()), 2);
//! ```
use crate::moves;
use crate::{
    Arc, DynamicOracle, Focus, GoldTree, Oracle, StackBuffer, StateView, SystemOptions,
    TransitionSystem, TreeClass, Unreachable,
};
use crossarc_tree::order::projective_ranks;
use crossarc_tree::{Label, Node, RootPolicy, Tree};

moves! {
    /// The moves of the swap system.
    Move {
        /// Moves the front of the buffer to the stack.
        Shift = "SHIFT",
        /// The top of the stack takes the node below it as dependent.
        LeftArc = "LEFT-ARC",
        /// The node below the top of the stack takes the top as dependent.
        RightArc = "RIGHT-ARC",
        /// Puts the node below the top back into the buffer.
        Swap = "SWAP",
    }
}

/// The swap system.
#[derive(Copy, Clone, Debug)]
pub struct Swap {
    roots: RootPolicy,
}

impl TransitionSystem for Swap {
    const NAME: &'static str = "swap";
    const COVERS: TreeClass = TreeClass::All;
    const FOCUS: Focus = Focus::StackStack;
    type Move = Move;
    type State = StackBuffer;

    fn new(options: SystemOptions) -> Self {
        Swap { roots: options.roots }
    }

    fn reset(&self, state: &mut StackBuffer, words: usize) {
        state.reset(words);
    }

    #[inline]
    fn is_final(&self, state: &StackBuffer) -> bool {
        state.stack_len() == 1 && state.buffer_is_empty()
    }

    #[inline]
    fn is_legal(&self, state: &StackBuffer, mv: Move) -> bool {
        match mv {
            Move::Shift => !state.buffer_is_empty(),
            Move::LeftArc => state.stack_len() > 2,
            Move::RightArc => match state.stack_len() {
                0 | 1 => false,
                2 => self.roots == RootPolicy::Several || state.buffer_is_empty(),
                _ => true,
            },
            Move::Swap => state.stack_len() > 2 && state.stack(1) < state.stack(0),
        }
    }

    #[inline]
    fn arc(&self, state: &StackBuffer, mv: Move) -> Option<Arc> {
        let (top, below) = (state.stack(0)?, state.stack(1)?);
        match mv {
            Move::Shift | Move::Swap => None,
            Move::LeftArc => Some(Arc { head: top, dependent: below }),
            Move::RightArc => Some(Arc { head: below, dependent: top }),
        }
    }

    #[inline]
    fn apply(&self, state: &mut StackBuffer, mv: Move, label: Label) {
        if let Some(Arc { head, dependent }) = self.arc(state, mv) {
            state.attach(head, dependent, label);
        }
        match mv {
            Move::Shift => state.shift(),
            Move::LeftArc => {
                state.remove(1);
            }
            Move::RightArc => {
                state.pop();
            }
            Move::Swap => {
                let word = state.remove(1);
                state.put_back(word);
            }
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        words.saturating_mul(words).saturating_add(words)
    }
}

/// The gold tree with its projective order and its maximal projective components.
#[derive(Clone, Debug)]
pub struct Gold {
    tree: GoldTree,
    ranks: Vec<u32>,
    components: Vec<Node>,
}

impl Gold {
    fn new(system: Swap, tree: &Tree) -> Result<Gold, Unreachable> {
        Swap::COVERS.demand(tree, system.roots)?;
        let ranks = projective_ranks(tree);
        let components = maximal_projective_components(tree);
        Ok(Gold { tree: GoldTree::new(tree), ranks, components })
    }

    /// The gold arc between the two topmost nodes, if its dependent is finished.
    #[inline]
    fn due_arc(&self, state: &StackBuffer) -> Option<(Move, Label)> {
        let (top, below) = (state.stack(0)?, state.stack(1)?);
        let finished = |node| self.tree.is_finished(state.partial(), node);
        if self.tree.has_arc(top, below) && finished(below) {
            return Some((Move::LeftArc, self.tree.label(below)));
        }
        if self.tree.has_arc(below, top) && finished(top) {
            return Some((Move::RightArc, self.tree.label(top)));
        }
        None
    }

    /// True if the two topmost nodes are not in projective order.
    #[inline]
    fn is_unsorted(&self, state: &StackBuffer) -> bool {
        match (state.stack(0), state.stack(1)) {
            (Some(top), Some(below)) => self.ranks[top.index()] < self.ranks[below.index()],
            _ => false,
        }
    }

    /// True if shifting cannot continue the projective component of the top.
    #[inline]
    fn component_is_over(&self, state: &StackBuffer) -> bool {
        match (state.stack(0), state.buffer(0)) {
            (Some(top), Some(front)) => {
                self.components[top.index()] != self.components[front.index()]
            }
            _ => true,
        }
    }
}

/// The top of the maximal projective component of every node: the components are what is left on
/// the stack when arc-standard has joined all it can (Nivre, Kuhlmann and Hall 2009).
pub fn maximal_projective_components(tree: &Tree) -> Vec<Node> {
    let mut waiting = vec![0u32; tree.len() + 1];
    for word in tree.words() {
        waiting[tree.head(word).index()] += 1;
    }
    let mut joined = vec![false; tree.len() + 1];
    let mut stack = vec![Node::ROOT];
    for word in tree.words() {
        stack.push(word);
        while let [.., below, top] = stack[..] {
            let (head, dependent) = if tree.head(below) == top && below != Node::ROOT {
                (top, below)
            } else {
                (below, top)
            };
            if tree.head(dependent) != head || waiting[dependent.index()] > 0 {
                break;
            }
            waiting[head.index()] -= 1;
            joined[dependent.index()] = true;
            stack.truncate(stack.len() - 2);
            stack.push(head);
        }
    }
    let structure = crossarc_tree::structure::Structure::new(tree);
    let mut component: Vec<Node> = (0..=tree.len() as u32).map(Node).collect();
    for &node in structure.preorder() {
        if joined[node.index()] {
            component[node.index()] = component[tree.head(node).index()];
        }
    }
    component
}

/// The oracle of Nivre (2009), Figure 4: swaps whenever the top two are not in projective order.
#[derive(Copy, Clone, Default, Debug)]
pub struct Eager;

impl Oracle<Swap> for Eager {
    const NAME: &'static str = "eager";
    type Gold = Gold;

    fn prepare(&self, system: &Swap, gold: &Tree) -> Result<Gold, Unreachable> {
        Gold::new(*system, gold)
    }

    #[inline]
    fn next(&self, _: &Swap, gold: &Gold, state: &StackBuffer) -> (Move, Label) {
        let otherwise = if gold.is_unsorted(state) { Move::Swap } else { Move::Shift };
        gold.due_arc(state).unwrap_or((otherwise, Label::default()))
    }
}

/// The oracle of Nivre, Kuhlmann and Hall (2009): as [`Eager`], but it swaps only when the top of
/// the stack and the front of the buffer lie in different maximal projective components.
#[derive(Copy, Clone, Default, Debug)]
pub struct Lazy;

impl Oracle<Swap> for Lazy {
    const NAME: &'static str = "lazy";
    type Gold = Gold;

    fn prepare(&self, system: &Swap, gold: &Tree) -> Result<Gold, Unreachable> {
        Gold::new(*system, gold)
    }

    #[inline]
    fn next(&self, _: &Swap, gold: &Gold, state: &StackBuffer) -> (Move, Label) {
        gold.due_arc(state).unwrap_or_else(|| {
            let swap = gold.is_unsorted(state) && gold.component_is_over(state);
            (if swap { Move::Swap } else { Move::Shift }, Label::default())
        })
    }
}

/// A dynamic oracle that is static for SWAP and SHIFT and counts lost arcs for the rest.
///
/// On the way to the gold tree it is [`Lazy`]. After a mistake, an arc costs the gold arcs of the
/// word that it takes off the stack: to its head, if that still waits, and to its waiting
/// dependents; SWAP and SHIFT cost one where [`Lazy`] would not choose them. If no move is free the
/// cheapest are called free. Because words can be reordered nearly at will, most arcs between
/// waiting words are in reach and the count is nearly right, but it is not exact.
#[derive(Copy, Clone, Default, Debug)]
pub struct Dynamic;

impl Dynamic {
    /// The cost before it is known whether any move is free.
    #[inline]
    fn raw_cost(gold: &Gold, state: &StackBuffer, mv: Move) -> u32 {
        let partial = state.partial();
        let lost = |head: Node, dependent: Node| {
            let right = gold.tree.head(dependent);
            let in_reach = right == Node::ROOT || partial.head(right).is_none();
            u32::from(right != head && in_reach) + gold.tree.waiting_children(partial, dependent)
        };
        match (mv, state.stack(0), state.stack(1)) {
            (Move::LeftArc, Some(top), Some(below)) => lost(top, below),
            (Move::RightArc, Some(top), Some(below)) => lost(below, top),
            _ => {
                let swap = gold.is_unsorted(state)
                    && gold.component_is_over(state)
                    && state.stack(1) < state.stack(0);
                let wanted = if swap { Move::Swap } else { Move::Shift };
                u32::from(gold.due_arc(state).is_some() || mv != wanted)
            }
        }
    }

    #[inline]
    fn cheapest(system: Swap, gold: &Gold, state: &StackBuffer) -> (u32, Move) {
        let order = [Move::LeftArc, Move::RightArc, Move::Swap, Move::Shift];
        let legal = order.into_iter().filter(|&mv| system.is_legal(state, mv));
        let costs = legal.map(|mv| (Dynamic::raw_cost(gold, state, mv), mv));
        costs.min_by_key(|&(cost, _)| cost).unwrap_or((0, Move::Shift))
    }
}

impl Oracle<Swap> for Dynamic {
    const NAME: &'static str = "dynamic";
    type Gold = Gold;

    fn prepare(&self, system: &Swap, gold: &Tree) -> Result<Gold, Unreachable> {
        Gold::new(*system, gold)
    }

    #[inline]
    fn next(&self, system: &Swap, gold: &Gold, state: &StackBuffer) -> (Move, Label) {
        let due = gold.due_arc(state).filter(|&(mv, _)| system.is_legal(state, mv));
        due.unwrap_or_else(|| {
            let (_, mv) = Dynamic::cheapest(*system, gold, state);
            let arc = system.arc(state, mv);
            (mv, arc.map_or(Label::default(), |arc| gold.tree.label(arc.dependent)))
        })
    }
}

impl DynamicOracle<Swap> for Dynamic {
    #[inline]
    fn cost(&self, system: &Swap, gold: &Gold, state: &StackBuffer, mv: Move) -> u32 {
        match Dynamic::raw_cost(gold, state, mv) {
            0 => 0,
            cost => cost - Dynamic::cheapest(*system, gold, state).0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derivation;
    use crate::testing::{TraceStep, assert_trace};
    use crossarc_tree::generate::{all_trees, random_tree};
    use crossarc_tree::projectivity::is_projective;
    use crossarc_tree::seed::Seed;

    const SEVERAL: SystemOptions = SystemOptions { roots: RootPolicy::Several, partial: false };

    fn swaps<O: Oracle<Swap>>(tree: &Tree) -> usize {
        let moves = derivation::<Swap, O>(SEVERAL, tree).unwrap();
        let swaps = moves.iter().filter(|(mv, _)| *mv == Move::Swap).count();
        assert_eq!(moves.len(), 2 * tree.len() + 2 * swaps, "{tree:?}");
        swaps
    }

    /// Pins the projective order, which round trips do not.
    #[test]
    fn total_swaps_over_all_trees() {
        for (words, total) in [(3, 4), (4, 93), (5, 1918)] {
            let trees = all_trees(words);
            assert_eq!(trees.iter().map(swaps::<Eager>).sum::<usize>(), total);
        }
    }

    #[test]
    fn only_trees_that_are_not_projective_need_swaps_and_lazy_needs_fewer() {
        let mut rng = Seed(6).rng();
        let random = (0..200).map(|words| random_tree(&mut rng, words % 40, RootPolicy::Several));
        let trees: Vec<Tree> = all_trees(5).into_iter().chain(random).collect();
        let (mut eager, mut lazy) = (0, 0);
        for tree in &trees {
            assert_eq!(swaps::<Lazy>(tree) == 0, is_projective(tree), "seed 6, {tree:?}");
            assert_eq!(swaps::<Eager>(tree) == 0, is_projective(tree), "seed 6, {tree:?}");
            assert!(swaps::<Lazy>(tree) <= swaps::<Eager>(tree), "seed 6, {tree:?}");
            eager += swaps::<Eager>(tree);
            lazy += swaps::<Lazy>(tree);
        }
        assert!(lazy < eager);
    }

    /// Nivre (2009), Figure 3: stack, buffer and arc after every move, as printed.
    #[test]
    fn figure_3() {
        let mut tree = Tree::from_heads(&[2, 3, 0, 3, 2, 7, 5, 4, 3]).unwrap();
        tree.words().for_each(|word| tree.set_label(word, Label(word.0 as u16)));
        let steps: &[TraceStep] = &[
            ("SHIFT", &[0, 1], &[2, 3, 4, 5, 6, 7, 8, 9], None),
            ("SHIFT", &[0, 1, 2], &[3, 4, 5, 6, 7, 8, 9], None),
            ("LEFT-ARC", &[0, 2], &[3, 4, 5, 6, 7, 8, 9], Some((2, 1))),
            ("SHIFT", &[0, 2, 3], &[4, 5, 6, 7, 8, 9], None),
            ("SHIFT", &[0, 2, 3, 4], &[5, 6, 7, 8, 9], None),
            ("SHIFT", &[0, 2, 3, 4, 5], &[6, 7, 8, 9], None),
            ("SWAP", &[0, 2, 3, 5], &[4, 6, 7, 8, 9], None),
            ("SWAP", &[0, 2, 5], &[3, 4, 6, 7, 8, 9], None),
            ("SHIFT", &[0, 2, 5, 3], &[4, 6, 7, 8, 9], None),
            ("SHIFT", &[0, 2, 5, 3, 4], &[6, 7, 8, 9], None),
            ("SHIFT", &[0, 2, 5, 3, 4, 6], &[7, 8, 9], None),
            ("SWAP", &[0, 2, 5, 3, 6], &[4, 7, 8, 9], None),
            ("SWAP", &[0, 2, 5, 6], &[3, 4, 7, 8, 9], None),
            ("SHIFT", &[0, 2, 5, 6, 3], &[4, 7, 8, 9], None),
            ("SHIFT", &[0, 2, 5, 6, 3, 4], &[7, 8, 9], None),
            ("SHIFT", &[0, 2, 5, 6, 3, 4, 7], &[8, 9], None),
            ("SWAP", &[0, 2, 5, 6, 3, 7], &[4, 8, 9], None),
            ("SWAP", &[0, 2, 5, 6, 7], &[3, 4, 8, 9], None),
            ("LEFT-ARC", &[0, 2, 5, 7], &[3, 4, 8, 9], Some((7, 6))),
            ("RIGHT-ARC", &[0, 2, 5], &[3, 4, 8, 9], Some((5, 7))),
            ("RIGHT-ARC", &[0, 2], &[3, 4, 8, 9], Some((2, 5))),
            ("SHIFT", &[0, 2, 3], &[4, 8, 9], None),
            ("LEFT-ARC", &[0, 3], &[4, 8, 9], Some((3, 2))),
            ("SHIFT", &[0, 3, 4], &[8, 9], None),
            ("SHIFT", &[0, 3, 4, 8], &[9], None),
            ("RIGHT-ARC", &[0, 3, 4], &[9], Some((4, 8))),
            ("RIGHT-ARC", &[0, 3], &[9], Some((3, 4))),
            ("SHIFT", &[0, 3, 9], &[], None),
            ("RIGHT-ARC", &[0, 3], &[], Some((3, 9))),
            ("RIGHT-ARC", &[0], &[], Some((0, 3))),
        ];
        assert_trace::<Swap, Eager>(&tree, steps);
    }
}
