//! The state of systems with one stack and a buffer: arc-standard and its kin.
//!
//! The artificial root is at the bottom of the stack, as in Nivre (2009). The buffer is the rest of
//! the sentence, a single number, plus the few words that were put back in front of it; so copying
//! a state for beam search copies little more than the stack and the arcs.
use crossarc_learn::state::{PartialTree, StateView};
use crossarc_tree::{Label, Node};

/// A stack, a buffer and the arcs built so far.
#[derive(Default, PartialEq, Eq, Hash, Debug)]
pub struct StackBuffer {
    stack: Vec<Node>,
    /// Words put back in front of the rest, the front last.
    returned: Vec<Node>,
    /// The first word that has never left the buffer.
    next: u32,
    partial: PartialTree,
}

impl Clone for StackBuffer {
    fn clone(&self) -> StackBuffer {
        let StackBuffer { stack, returned, next, partial } = self;
        StackBuffer {
            stack: stack.clone(),
            returned: returned.clone(),
            next: *next,
            partial: partial.clone(),
        }
    }

    fn clone_from(&mut self, source: &StackBuffer) {
        self.stack.clone_from(&source.stack);
        self.returned.clone_from(&source.returned);
        self.next = source.next;
        self.partial.clone_from(&source.partial);
    }
}

impl StateView for StackBuffer {
    #[inline]
    fn stack(&self, depth: usize) -> Option<Node> {
        let index = self.stack.len().checked_sub(depth + 1)?;
        Some(self.stack[index])
    }

    #[inline]
    fn buffer(&self, ahead: usize) -> Option<Node> {
        if let Some(index) = self.returned.len().checked_sub(ahead + 1) {
            return Some(self.returned[index]);
        }
        let word = self.next as usize + ahead - self.returned.len();
        (word <= self.partial.len()).then_some(Node(word as u32))
    }

    #[inline]
    fn partial(&self) -> &PartialTree {
        &self.partial
    }

    fn partial_mut(&mut self) -> &mut PartialTree {
        &mut self.partial
    }
}

impl StackBuffer {
    /// The root on the stack, all words in the buffer, no arcs.
    pub fn reset(&mut self, words: usize) {
        self.stack.clear();
        self.stack.push(Node::ROOT);
        self.returned.clear();
        self.next = 1;
        self.partial.reset(words);
    }

    /// The stack, its top last.
    #[inline]
    pub fn stack_nodes(&self) -> &[Node] {
        &self.stack
    }

    /// Number of nodes on the stack, with the root.
    #[inline]
    pub fn stack_len(&self) -> usize {
        self.stack.len()
    }

    /// The words put back in front of the rest of the buffer, the front last.
    #[inline]
    pub fn returned(&self) -> &[Node] {
        &self.returned
    }

    /// The first word that has never left the buffer (one past the last word if there is none).
    #[inline]
    pub fn first_unseen(&self) -> Node {
        Node(self.next)
    }

    /// True if no word waits in the buffer.
    #[inline]
    pub fn buffer_is_empty(&self) -> bool {
        self.returned.is_empty() && self.next as usize > self.partial.len()
    }

    /// Number of words in the buffer.
    #[inline]
    pub fn buffer_len(&self) -> usize {
        self.returned.len() + (self.partial.len() + 1 - self.next as usize)
    }

    /// Moves the front of the buffer, which must exist, to the stack.
    #[inline]
    pub fn shift(&mut self) {
        let word = self.returned.pop().unwrap_or_else(|| {
            debug_assert!(self.next as usize <= self.partial.len(), "shift from an empty buffer");
            self.next += 1;
            Node(self.next - 1)
        });
        self.stack.push(word);
    }

    /// Takes the top off the stack.
    #[inline]
    pub fn pop(&mut self) -> Option<Node> {
        self.stack.pop()
    }

    /// Takes the node at some depth off the stack; those above it move down.
    #[inline]
    pub fn remove(&mut self, depth: usize) -> Node {
        let index = self.stack.len() - 1 - depth;
        self.stack.remove(index)
    }

    /// Puts a word in front of the buffer.
    #[inline]
    pub fn put_back(&mut self, word: Node) {
        self.returned.push(word);
    }

    /// Adds an arc. The dependent must not have a head.
    #[inline]
    pub fn attach(&mut self, head: Node, dependent: Node, label: Label) {
        self.partial.attach(head, dependent, label);
    }
}
