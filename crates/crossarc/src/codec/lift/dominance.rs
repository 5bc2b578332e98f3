//! Lifting by dominance: an arc is projective if the head dominates every word in between.
//!
//! Every word has a *block*: the longest run of neighbouring words, itself included, that it
//! dominates. An arc is projective exactly if the dependent lies in the block of its head. A lift
//! takes the dependent's subtree away from one word only, the old head, so only that block can
//! shrink, and only arcs from that head can become non-projective: those whose dependents fall out
//! of the block. Blocks never grow, so each position leaves each block once.
use super::{ShortestFirst, Steps};
use crate::tree::{Node, Tree};

pub(super) fn lift_all(tree: &Tree) -> Steps {
    let mut steps = Steps::new(tree);
    let descent = Descent::new(&steps.heads);
    let mut blocks = Blocks::new(&descent);
    let mut queue = ShortestFirst::default();
    for word in 1..=tree.len() as u32 {
        let head = steps.heads[word as usize];
        if !blocks.contains(head, word) {
            queue.push(head, word);
        }
    }
    if queue.0.is_empty() {
        return steps;
    }
    let mut children = Children::new(&steps.heads);
    let spans = Spans::new(&descent, &steps.heads);
    let mut agenda = Vec::new();
    while let Some(word) = queue.pop() {
        let (from, to) = steps.lift(word);
        children.detach(word, from);
        children.attach(word, to);
        let before = blocks.get(from);
        let mut after = before;
        agenda.push(word);
        while let Some(node) = agenda.pop() {
            if spans.low[node as usize] >= after.end || spans.high[node as usize] < after.start {
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

pub(super) fn non_projective_words(tree: &Tree) -> Vec<Node> {
    let heads: Vec<u32> = tree.heads().iter().map(|head| head.0).collect();
    let blocks = Blocks::new(&Descent::new(&heads));
    tree.words().filter(|word| !blocks.contains(heads[word.index()], word.0)).collect()
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

/// A numbering of the nodes in which every subtree is a range.
struct Descent {
    /// Nodes, every node before its dependents.
    order: Vec<u32>,
    place: Vec<u32>,
    size: Vec<u32>,
}

impl Descent {
    /// Places are handed out from the top: a subtree gets the range its size asks for, and each
    /// dependent the next free part of its head's range.
    fn new(heads: &[u32]) -> Descent {
        let nodes = heads.len();
        let mut waiting = vec![0u32; nodes];
        for &head in &heads[1..] {
            waiting[head as usize] += 1;
        }
        let mut bottom_up = Vec::with_capacity(nodes);
        let mut size = vec![1u32; nodes];
        for leaf in 1..nodes as u32 {
            let mut node = leaf;
            while node != 0 && waiting[node as usize] == 0 {
                waiting[node as usize] = u32::MAX;
                bottom_up.push(node);
                let head = heads[node as usize];
                size[head as usize] += size[node as usize];
                waiting[head as usize] -= 1;
                node = head;
            }
        }
        let mut place = vec![0u32; nodes];
        let mut free = waiting;
        free[0] = 1;
        bottom_up.push(0);
        bottom_up.reverse();
        for &node in &bottom_up[1..] {
            let head = heads[node as usize] as usize;
            place[node as usize] = free[head];
            free[head] += size[node as usize];
            free[node as usize] = place[node as usize] + 1;
        }
        Descent { order: bottom_up, place, size }
    }

    fn dominates(&self, node: u32, word: u32) -> bool {
        let start = self.place[node as usize];
        (start..start + self.size[node as usize]).contains(&self.place[word as usize])
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
    fn new(descent: &Descent) -> Blocks {
        let nodes = descent.order.len() as u32;
        let mut blocks: Vec<Block> =
            (0..nodes).map(|node| Block { start: node, end: node + 1 }).collect();
        for &node in descent.order.iter().rev() {
            let mut end = node + 1;
            while end < nodes && descent.dominates(node, end) {
                end = blocks[end as usize].end;
            }
            let mut start = node;
            while start > 0 && descent.dominates(node, start - 1) {
                start = blocks[start as usize - 1].start;
            }
            blocks[node as usize] = Block { start, end };
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

/// The leftmost and rightmost word of every subtree of the original tree. Subtrees only shrink, so
/// these stay safe bounds.
struct Spans {
    low: Vec<u32>,
    high: Vec<u32>,
}

impl Spans {
    fn new(descent: &Descent, heads: &[u32]) -> Spans {
        let mut low: Vec<u32> = (0..heads.len() as u32).collect();
        let mut high = low.clone();
        for &node in descent.order[1..].iter().rev() {
            let (node, head) = (node as usize, heads[node as usize] as usize);
            low[head] = low[head].min(low[node]);
            high[head] = high[head].max(high[node]);
        }
        Spans { low, high }
    }
}
