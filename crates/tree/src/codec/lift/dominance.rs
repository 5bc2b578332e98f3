//! Lifting by dominance: an arc is projective if the head dominates every word in between.
//!
//! Every word has a *block*: the longest run of neighbouring words, itself included, that it
//! dominates. An arc is projective exactly if the dependent lies in the block of its head. A lift
//! takes the dependent's subtree away from one word only, the old head, so only that block can
//! shrink, and only arcs from that head can become non-projective: those whose dependents fall out
//! of the block. Blocks never grow, so each position leaves each block once.
use super::{ShortestFirst, Steps};
use crate::structure::Structure;
use crate::{Node, Tree};

pub(super) fn lift_all(tree: &Tree) -> Steps {
    let mut steps = Steps::new(tree);
    let structure = Structure::new(tree);
    if tree.words().all(|word| structure.is_contiguous(word)) {
        return steps;
    }
    let mut blocks = Blocks::new(&structure);
    let mut queue = ShortestFirst::default();
    for word in 1..=tree.len() as u32 {
        let head = steps.heads[word as usize];
        if !blocks.contains(head, word) {
            queue.push(head, word);
        }
    }
    let mut children = Children::new(&steps.heads);
    let mut agenda = Vec::new();
    while let Some(word) = queue.pop() {
        let (from, to) = steps.lift(word);
        children.detach(word, from);
        children.attach(word, to);
        let before = blocks.get(from);
        let mut after = before;
        agenda.push(word);
        while let Some(node) = agenda.pop() {
            // Subtrees only shrink, so the span in the original tree is a safe bound.
            let (leftmost, rightmost) = structure.span(Node(node));
            if leftmost.0 >= after.end || rightmost.0 < after.start {
                continue;
            }
            after.exclude(node, from);
            agenda.extend(children.of(node));
        }
        if after != before {
            blocks.set(from, after);
            for fallen in (before.start..after.start).chain(after.end..before.end) {
                if steps.heads[fallen as usize] == from {
                    queue.push(from, fallen);
                }
            }
        }
        if !blocks.contains(to, word) {
            queue.push(to, word);
        }
    }
    steps
}

/// Dependents of every node as doubly linked lists; 0 ends a list, since no list holds the root.
struct Children {
    first: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Children {
    fn new(heads: &[u32]) -> Children {
        let empty = vec![0; heads.len()];
        let mut children = Children { first: empty.clone(), next: empty.clone(), previous: empty };
        for (word, &head) in heads.iter().enumerate().skip(1) {
            children.attach(word as u32, head);
        }
        children
    }

    fn attach(&mut self, word: u32, head: u32) {
        let next = std::mem::replace(&mut self.first[head as usize], word);
        self.next[word as usize] = next;
        self.previous[word as usize] = 0;
        if next != 0 {
            self.previous[next as usize] = word;
        }
    }

    fn detach(&mut self, word: u32, head: u32) {
        let (previous, next) = (self.previous[word as usize], self.next[word as usize]);
        if previous == 0 {
            self.first[head as usize] = next;
        } else {
            self.next[previous as usize] = next;
        }
        if next != 0 {
            self.previous[next as usize] = previous;
        }
    }

    fn of(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let listed = |word: u32| (word != 0).then_some(word);
        std::iter::successors(listed(self.first[node as usize]), move |&word| {
            listed(self.next[word as usize])
        })
    }
}

/// A run of neighbouring nodes around a node: `start..end`.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Block {
    start: u32,
    end: u32,
}

impl Block {
    /// Cuts the block so that it no longer holds `node`, keeping the side of `centre`.
    fn exclude(&mut self, node: u32, centre: u32) {
        if node > centre {
            self.end = self.end.min(node);
        } else {
            self.start = self.start.max(node + 1);
        }
    }
}

struct Blocks(Vec<Block>);

impl Blocks {
    /// Linear time: dependents come before their heads, and a head jumps over the blocks of the
    /// words it dominates. No position stops the jumps of two heads on the same side.
    fn new(structure: &Structure) -> Blocks {
        let nodes = structure.preorder().len() as u32;
        let mut blocks: Vec<Block> =
            (0..nodes).map(|node| Block { start: node, end: node + 1 }).collect();
        for &node in structure.preorder().iter().rev() {
            let mut end = node.0 + 1;
            while end < nodes && structure.dominates(node, Node(end)) {
                end = blocks[end as usize].end;
            }
            let mut start = node.0;
            while start > 0 && structure.dominates(node, Node(start - 1)) {
                start = blocks[start as usize - 1].start;
            }
            blocks[node.index()] = Block { start, end };
        }
        Blocks(blocks)
    }

    fn get(&self, node: u32) -> Block {
        self.0[node as usize]
    }

    fn set(&mut self, node: u32, block: Block) {
        self.0[node as usize] = block;
    }

    fn contains(&self, node: u32, word: u32) -> bool {
        let block = self.get(node);
        (block.start..block.end).contains(&word)
    }
}
