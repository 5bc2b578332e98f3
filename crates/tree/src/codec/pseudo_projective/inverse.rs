//! The inverse: lifted arcs go down again, to where the marks say.
use super::{Lift, Marked, PseudoProjective, Scheme};
use crate::{Label, Node, Tree};

pub(super) fn decode(codec: &PseudoProjective, parsed: &Tree) -> Tree {
    let mut marks = Vec::with_capacity(parsed.len() + 1);
    marks.push(Marked::plain(Label::default()));
    marks.extend(parsed.words().map(|word| codec.read(parsed.label(word))));
    if marks[1..].iter().all(|marked| marked.lift == Lift::None) {
        let mut tree = parsed.clone();
        for word in parsed.words() {
            tree.set_label(word, marks[word.index()].label);
        }
        return tree;
    }
    let mut search = Search::new(parsed, &marks);
    let mut waiting = search.lifted_from_the_top();
    // An arc can wait for another one to come back first, so those that failed get a second try.
    for _ in 0..2 {
        waiting.retain(|&word| {
            let place = match (codec.scheme, marks[word as usize].lift) {
                (Scheme::Path, Lift::Somewhere) => search.deepest(word, None),
                (Scheme::HeadPath, Lift::From(head)) => {
                    search.deepest(word, Some(head)).or_else(|| search.first(word, head))
                }
                (_, Lift::From(head)) => search.first(word, head),
                _ => None,
            };
            place.inspect(|&head| search.move_to(word, head)).is_none()
        });
    }
    // No word is moved into its own subtree, so a tree stays a tree.
    let words = search.heads[1..].iter().zip(&marks[1..]);
    let restored = Tree::new(words.map(|(&head, marked)| (Node(head), marked.label)));
    debug_assert!(restored.is_ok(), "{restored:?}");
    restored.unwrap_or_else(|_| parsed.clone())
}

/// The tree while arcs move, and breadth-first search in it.
struct Search<'a> {
    marks: &'a [Marked],
    heads: Vec<u32>,
    /// Dependents from left to right as linked lists; 0 ends a list, since no list holds the root.
    first: Vec<u32>,
    next: Vec<u32>,
    queue: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(tree: &Tree, marks: &'a [Marked]) -> Search<'a> {
        let heads: Vec<u32> = tree.heads().iter().map(|head| head.0).collect();
        let mut first = vec![0; heads.len()];
        let mut next = vec![0; heads.len()];
        for word in (1..heads.len()).rev() {
            let head = heads[word] as usize;
            next[word] = std::mem::replace(&mut first[head], word as u32);
        }
        Search { marks, heads, first, next, queue: Vec::new() }
    }

    fn lifted_from_the_top(&mut self) -> Vec<u32> {
        let mut lifted = Vec::new();
        self.breadth_first(0, 0, |word, mark| {
            if mark.lift != Lift::None {
                lifted.push(word);
            }
            false
        });
        lifted
    }

    /// The first word below the lifted word's head that has this label.
    fn first(&mut self, lifted: u32, label: Label) -> Option<u32> {
        let start = self.heads[lifted as usize];
        self.breadth_first(start, lifted, |_, mark| mark.label == label)
    }

    /// The deepest word, with this label if one is asked for, that arcs marked as passed lead to
    /// from the lifted word's head; the leftmost if several are equally deep.
    fn deepest(&mut self, lifted: u32, label: Option<Label>) -> Option<u32> {
        let start = self.heads[lifted as usize];
        let matches = |mark: &Marked| label.is_none_or(|label| mark.label == label);
        let mut deepest = None;
        // Levels end where the queue ended when the level began.
        self.queue.clear();
        self.queue.push(start);
        let (mut level_start, mut level_end) = (0, 1);
        while level_start < level_end {
            let mut found = None;
            for at in level_start..level_end {
                let mut child = self.first[self.queue[at] as usize];
                while child != 0 {
                    let mark = &self.marks[child as usize];
                    if child != lifted && mark.passed {
                        self.queue.push(child);
                        if found.is_none() && matches(mark) {
                            found = Some(child);
                        }
                    }
                    child = self.next[child as usize];
                }
            }
            deepest = found.or(deepest);
            (level_start, level_end) = (level_end, self.queue.len());
        }
        deepest
    }

    /// Visits the words below `start` breadth first, from left to right, without `avoided` and
    /// what is below it, until a visit says to stop there.
    fn breadth_first(
        &mut self,
        start: u32,
        avoided: u32,
        mut stops: impl FnMut(u32, &Marked) -> bool,
    ) -> Option<u32> {
        self.queue.clear();
        self.queue.push(start);
        let mut at = 0;
        while let Some(&node) = self.queue.get(at) {
            at += 1;
            let mut child = self.first[node as usize];
            while child != 0 {
                let mark = &self.marks[child as usize];
                if child != avoided {
                    if stops(child, mark) {
                        return Some(child);
                    }
                    self.queue.push(child);
                }
                child = self.next[child as usize];
            }
        }
        None
    }

    fn move_to(&mut self, word: u32, head: u32) {
        let old_head = self.heads[word as usize];
        let next = self.next[word as usize];
        match self.last_dependent_before(old_head, word) {
            0 => self.first[old_head as usize] = next,
            previous => self.next[previous as usize] = next,
        }
        match self.last_dependent_before(head, word) {
            0 => {
                self.next[word as usize] = self.first[head as usize];
                self.first[head as usize] = word;
            }
            previous => {
                self.next[word as usize] = self.next[previous as usize];
                self.next[previous as usize] = word;
            }
        }
        self.heads[word as usize] = head;
    }

    /// The rightmost dependent of `head` to the left of `word`, or 0.
    fn last_dependent_before(&self, head: u32, word: u32) -> u32 {
        let mut previous = 0;
        let mut child = self.first[head as usize];
        while child != 0 && child < word {
            previous = child;
            child = self.next[child as usize];
        }
        previous
    }
}
