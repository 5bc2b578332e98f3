//! Attach-complete (Reisinger 2016, section 3.2): a projective system in which every tree has
//! exactly one derivation.
//!
//! It follows the grammar of split heads (Eisner 1999; Johnson 2007): every word has a left copy,
//! for arcs with words before it, and a right copy, for arcs with words after it. An ATTACH move
//! builds an arc and deletes one copy of the dependent, a COMPLETE move deletes the other once the
//! dependent has all its own dependents.
//!
//! | move | stack | arc |
//! |---|---|---|
//! | SHIFT | the next copy of the buffer goes onto the stack | |
//! | ATTACH-COMPLETE-LEFT | `σ i_L i_R j_L => σ j_L` | `j -> i` |
//! | ATTACH-LEFT, then COMPLETE-LEFT | `σ i_L i_R j_L => σ i_L j_L => σ j_L` | `j -> i` |
//! | ATTACH-RIGHT | `σ i_R j_L => σ i_R` | `i -> j` |
//! | COMPLETE-RIGHT | `σ i_R j_R => σ i_R` | |
//! | FINISH | `i_L i_R => ` | `0 -> i` |
//!
//! [`AttachComplete`] has the merged move, as evaluated in the paper; [`AttachCompleteSeparate`]
//! has the two single ones. SHIFT of a left and of a right copy are two moves here, so that a
//! scorer that looks at words only can tell the two decisions apart.
//!
//! Features see the words whose right copy is on the stack as the stack, and the word whose copies
//! are being shifted as the front of the buffer. Under the single-root policy a word is left
//! without a head only as long as enough words follow to give it one; with several roots FINISH
//! takes any word that is left, which is the permissive form of the paper. At most `4n` moves.
//!
//! ```
//! use crossarc_transition::systems::attach_complete::{AttachComplete, Static};
//! use crossarc_transition::{derivation, MoveSet, SystemOptions};
//! use crossarc_tree::Tree;
//! let tree = Tree::from_heads(&[2, 0, 4, 2]).unwrap(); // John saw a dog
//! let moves = derivation::<AttachComplete, Static>(SystemOptions::default(), &tree).unwrap();
//! let names: Vec<_> = moves.iter().map(|(mv, _)| mv.name()).collect();
//! let arcs: Vec<_> = names.into_iter().filter(|name| !name.starts_with("SHIFT")).collect();
//! assert_eq!(arcs, ["ATTACH-COMPLETE-LEFT", "ATTACH-COMPLETE-LEFT", "ATTACH-RIGHT",
//!     "COMPLETE-RIGHT", "FINISH"]);
//! ```
use std::fmt;

use crate::moves;
use crate::{
    Arc, Focus, Oracle, PartialTree, StateView, SystemOptions, TransitionSystem, TreeClass,
    Unreachable,
};
use crossarc_tree::{Label, Node, RootPolicy, Tree};

moves! {
    /// The moves with ATTACH-LEFT and COMPLETE-LEFT merged.
    Merged {
        /// The word being shifted takes the top of the stack as its left dependent, complete.
        AttachCompleteLeft = "ATTACH-COMPLETE-LEFT",
        /// The top of the stack takes the word being shifted as its right dependent.
        AttachRight = "ATTACH-RIGHT",
        /// The top of the stack, a right dependent of the word below, is complete.
        CompleteRight = "COMPLETE-RIGHT",
        /// The root takes what is left on the stack.
        Finish = "FINISH",
        /// The left copy of the next word goes onto the stack.
        ShiftLeft = "SHIFT-LEFT",
        /// The right copy of the word goes onto the stack.
        ShiftRight = "SHIFT-RIGHT",
    }
}

moves! {
    /// The moves with ATTACH-LEFT and COMPLETE-LEFT apart.
    Separate {
        /// The word being shifted takes the top of the stack as its left dependent.
        AttachLeft = "ATTACH-LEFT",
        /// The left dependent just taken is complete.
        CompleteLeft = "COMPLETE-LEFT",
        /// The top of the stack takes the word being shifted as its right dependent.
        AttachRight = "ATTACH-RIGHT",
        /// The top of the stack, a right dependent of the word below, is complete.
        CompleteRight = "COMPLETE-RIGHT",
        /// The root takes what is left on the stack.
        Finish = "FINISH",
        /// The left copy of the next word goes onto the stack.
        ShiftLeft = "SHIFT-LEFT",
        /// The right copy of the word goes onto the stack.
        ShiftRight = "SHIFT-RIGHT",
    }
}

/// Where the left copy of the first word of the buffer is.
#[derive(Copy, Clone, Default, PartialEq, Eq, Hash, Debug)]
enum LeftCopy {
    /// In the buffer with the right copy.
    #[default]
    Waits,
    /// On top of the stack.
    OnStack,
    /// On top of the stack, above the left copy of a dependent that is to be completed.
    AboveDependent,
    /// Deleted by ATTACH-RIGHT.
    Deleted,
}

/// A state of attach-complete.
#[derive(Default, PartialEq, Eq, Hash, Debug)]
pub struct Copies {
    /// Words whose right copy is on the stack. Those without a head have their left copy there too;
    /// the others are right dependents of the word below.
    stack: Vec<Node>,
    front: u32,
    left_copy: LeftCopy,
    /// Groups of neighbours on the stack, the lowest word apart, that still need a head.
    needy: u32,
    partial: PartialTree,
}

impl Clone for Copies {
    fn clone(&self) -> Copies {
        let mut copy = Copies::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Copies) {
        self.stack.clone_from(&other.stack);
        self.partial.clone_from(&other.partial);
        self.front = other.front;
        self.left_copy = other.left_copy;
        self.needy = other.needy;
    }
}

impl StateView for Copies {
    fn stack(&self, depth: usize) -> Option<Node> {
        self.stack.get(self.stack.len().checked_sub(depth + 1)?).copied()
    }

    fn buffer(&self, ahead: usize) -> Option<Node> {
        let index = self.front as usize + ahead;
        (index <= self.partial.len()).then_some(Node(index as u32))
    }

    fn partial(&self) -> &PartialTree {
        &self.partial
    }

    fn partial_mut(&mut self) -> &mut PartialTree {
        &mut self.partial
    }
}

/// The copies on the stack and in the buffer as the paper prints them, such as
/// `[2l 2r 4r 6l] [6r..10r]`.
impl fmt::Display for Copies {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let mut space = "";
        out.write_str("[")?;
        for &word in &self.stack {
            let left = if self.needs_head(word) { format!("{0}l ", word.0) } else { String::new() };
            write!(out, "{space}{left}{}r", word.0)?;
            space = " ";
        }
        let dependent = self.buffer(0).and_then(|front| self.partial.left_child(front, 0));
        match (self.left_copy, dependent) {
            (LeftCopy::AboveDependent, Some(word)) => {
                write!(out, "{space}{}l {}l", word.0, self.front)?;
            }
            (LeftCopy::OnStack, _) => write!(out, "{space}{}l", self.front)?,
            _ => {}
        }
        let side = if self.left_copy == LeftCopy::Waits { 'l' } else { 'r' };
        match self.buffer(0) {
            Some(word) => write!(out, "] [{}{side}..{}r]", word.0, self.partial.len()),
            None => out.write_str("] []"),
        }
    }
}

impl Copies {
    fn reset(&mut self, words: usize) {
        self.stack.clear();
        self.front = 1;
        self.left_copy = LeftCopy::Waits;
        self.needy = 0;
        self.partial.reset(words);
    }

    /// How many words come after the front of the buffer.
    fn following(&self) -> usize {
        self.partial.len().saturating_sub(self.front as usize)
    }

    fn needs_head(&self, word: Node) -> bool {
        self.partial.head(word).is_none()
    }

    /// True if one more word on the stack would start a new group of words that need a head.
    fn starts_group(&self) -> bool {
        match self.stack(0) {
            None => false,
            Some(top) => self.stack.len() == 1 || !self.needs_head(top),
        }
    }

    fn may_attach_left(&self) -> bool {
        self.left_copy == LeftCopy::OnStack && self.stack(0).is_some_and(|top| self.needs_head(top))
    }

    /// Each group takes a word of its own to join it to the words below.
    fn may_attach_right(&self, roots: RootPolicy) -> bool {
        self.left_copy == LeftCopy::OnStack
            && !self.stack.is_empty()
            && (roots == RootPolicy::Several || self.needy as usize <= self.following())
    }

    fn may_complete_right(&self) -> bool {
        self.left_copy == LeftCopy::Waits && self.stack(0).is_some_and(|top| !self.needs_head(top))
    }

    fn may_finish(&self, roots: RootPolicy) -> bool {
        self.buffer(0).is_none()
            && self.stack(0).is_some_and(|top| self.needs_head(top))
            && (roots == RootPolicy::Several || self.stack.len() == 1)
    }

    fn may_shift_left(&self, roots: RootPolicy) -> bool {
        if self.left_copy != LeftCopy::Waits || self.buffer(0).is_none() {
            return false;
        }
        let spare = self.following();
        let joins = self.stack.len() > 1 && self.stack(0).is_some_and(|top| self.needs_head(top));
        roots == RootPolicy::Several || self.needy as usize <= spare + usize::from(joins)
    }

    fn may_shift_right(&self, roots: RootPolicy) -> bool {
        match self.left_copy {
            LeftCopy::Waits | LeftCopy::AboveDependent => false,
            LeftCopy::Deleted => true,
            LeftCopy::OnStack => {
                let needy = self.needy as usize + usize::from(self.starts_group());
                roots == RootPolicy::Several || needy <= self.following()
            }
        }
    }

    fn left_arc(&self) -> Option<Arc> {
        Some(Arc { head: self.buffer(0)?, dependent: self.stack(0)? })
    }

    fn right_arc(&self) -> Option<Arc> {
        Some(Arc { head: self.stack(0)?, dependent: self.buffer(0)? })
    }

    fn root_arc(&self) -> Option<Arc> {
        Some(Arc { head: Node::ROOT, dependent: self.stack(0)? })
    }

    /// Builds the arc to the top of the stack and takes the top away.
    fn attach_top(&mut self, arc: Option<Arc>, label: Label) {
        self.stack.pop();
        if self.starts_group() {
            self.needy = self.needy.saturating_sub(1);
        }
        self.attach(arc, label);
    }

    fn attach(&mut self, arc: Option<Arc>, label: Label) {
        if let Some(Arc { head, dependent }) = arc {
            self.partial.attach(head, dependent, label);
        }
    }

    fn attach_right(&mut self, label: Label) {
        self.attach(self.right_arc(), label);
        self.left_copy = LeftCopy::Deleted;
    }

    fn shift_right(&mut self) {
        if self.left_copy == LeftCopy::OnStack {
            self.needy += u32::from(self.starts_group());
        }
        self.stack.push(Node(self.front));
        self.front += 1;
        self.left_copy = LeftCopy::Waits;
    }

    fn is_final(&self) -> bool {
        self.buffer(0).is_none() && self.stack.is_empty()
    }
}

/// Attach-complete with the merged move ATTACH-COMPLETE-LEFT.
#[derive(Clone, Debug)]
pub struct AttachComplete {
    roots: RootPolicy,
}

impl TransitionSystem for AttachComplete {
    const NAME: &'static str = "attach-complete";
    const COVERS: TreeClass = TreeClass::Projective;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = Merged;
    type State = Copies;

    fn new(options: SystemOptions) -> Self {
        AttachComplete { roots: options.roots }
    }

    fn reset(&self, state: &mut Copies, words: usize) {
        state.reset(words);
    }

    fn is_final(&self, state: &Copies) -> bool {
        state.is_final()
    }

    fn is_legal(&self, state: &Copies, mv: Merged) -> bool {
        match mv {
            Merged::AttachCompleteLeft => state.may_attach_left(),
            Merged::AttachRight => state.may_attach_right(self.roots),
            Merged::CompleteRight => state.may_complete_right(),
            Merged::Finish => state.may_finish(self.roots),
            Merged::ShiftLeft => state.may_shift_left(self.roots),
            Merged::ShiftRight => state.may_shift_right(self.roots),
        }
    }

    fn arc(&self, state: &Copies, mv: Merged) -> Option<Arc> {
        match mv {
            Merged::AttachCompleteLeft => state.left_arc(),
            Merged::AttachRight => state.right_arc(),
            Merged::Finish => state.root_arc(),
            Merged::CompleteRight | Merged::ShiftLeft | Merged::ShiftRight => None,
        }
    }

    fn apply(&self, state: &mut Copies, mv: Merged, label: Label) {
        match mv {
            Merged::AttachCompleteLeft => state.attach_top(state.left_arc(), label),
            Merged::AttachRight => state.attach_right(label),
            Merged::CompleteRight => {
                state.stack.pop();
            }
            Merged::Finish => state.attach_top(state.root_arc(), label),
            Merged::ShiftLeft => state.left_copy = LeftCopy::OnStack,
            Merged::ShiftRight => state.shift_right(),
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        4 * words
    }
}

/// Attach-complete with ATTACH-LEFT and COMPLETE-LEFT as two moves.
#[derive(Clone, Debug)]
pub struct AttachCompleteSeparate {
    merged: AttachComplete,
}

/// The move of the merged form that has the same conditions.
fn merged(mv: Separate) -> Merged {
    match mv {
        Separate::AttachLeft | Separate::CompleteLeft => Merged::AttachCompleteLeft,
        Separate::AttachRight => Merged::AttachRight,
        Separate::CompleteRight => Merged::CompleteRight,
        Separate::Finish => Merged::Finish,
        Separate::ShiftLeft => Merged::ShiftLeft,
        Separate::ShiftRight => Merged::ShiftRight,
    }
}

impl TransitionSystem for AttachCompleteSeparate {
    const NAME: &'static str = "attach-complete-separate";
    const COVERS: TreeClass = TreeClass::Projective;
    const FOCUS: Focus = Focus::StackBuffer;
    type Move = Separate;
    type State = Copies;

    fn new(options: SystemOptions) -> Self {
        AttachCompleteSeparate { merged: AttachComplete::new(options) }
    }

    fn reset(&self, state: &mut Copies, words: usize) {
        state.reset(words);
    }

    fn is_final(&self, state: &Copies) -> bool {
        state.is_final()
    }

    fn is_legal(&self, state: &Copies, mv: Separate) -> bool {
        if mv == Separate::CompleteLeft {
            return state.left_copy == LeftCopy::AboveDependent;
        }
        self.merged.is_legal(state, merged(mv))
    }

    fn arc(&self, state: &Copies, mv: Separate) -> Option<Arc> {
        if mv == Separate::CompleteLeft { None } else { self.merged.arc(state, merged(mv)) }
    }

    fn apply(&self, state: &mut Copies, mv: Separate, label: Label) {
        if mv == Separate::CompleteLeft {
            state.left_copy = LeftCopy::OnStack;
            return;
        }
        self.merged.apply(state, merged(mv), label);
        if mv == Separate::AttachLeft {
            state.left_copy = LeftCopy::AboveDependent;
        }
    }

    fn max_steps(&self, words: usize) -> usize {
        4 * words
    }
}

/// The gold tree and the last right dependent of each node.
#[derive(Clone, Debug)]
pub struct Gold {
    tree: Tree,
    last_dependent: Vec<Node>,
}

impl Gold {
    fn new(tree: &Tree, roots: RootPolicy) -> Result<Gold, Unreachable> {
        TreeClass::Projective.demand(tree, roots)?;
        let mut last_dependent = vec![Node::ROOT; tree.len() + 1];
        for word in tree.words() {
            last_dependent[tree.head(word).index()] = word;
        }
        Ok(Gold { tree: tree.clone(), last_dependent })
    }

    fn next(&self, state: &Copies) -> (Merged, Label) {
        let top = state.stack(0);
        let Some(front) = state.buffer(0) else {
            return match top {
                Some(top) if state.needs_head(top) => (Merged::Finish, self.tree.label(top)),
                _ => (Merged::CompleteRight, Label::default()),
            };
        };
        match (state.left_copy, top) {
            (LeftCopy::Waits, Some(top))
                if state.may_complete_right() && self.last_dependent[top.index()] < front =>
            {
                (Merged::CompleteRight, Label::default())
            }
            (LeftCopy::Waits, _) => (Merged::ShiftLeft, Label::default()),
            (LeftCopy::OnStack, Some(top)) if self.tree.head(top) == front => {
                (Merged::AttachCompleteLeft, self.tree.label(top))
            }
            (LeftCopy::OnStack, Some(top)) if self.tree.head(front) == top => {
                (Merged::AttachRight, self.tree.label(front))
            }
            _ => (Merged::ShiftRight, Label::default()),
        }
    }
}

/// The conditions printed with the moves (Reisinger 2016): ATTACH if the arc is gold, COMPLETE if
/// in addition the dependent has no dependents left in the buffer, else SHIFT, else FINISH.
#[derive(Clone, Default, Debug)]
pub struct Static;

impl Oracle<AttachComplete> for Static {
    const NAME: &'static str = "static";
    type Gold = Gold;

    fn prepare(&self, system: &AttachComplete, gold: &Tree) -> Result<Gold, Unreachable> {
        Gold::new(gold, system.roots)
    }

    fn next(&self, _: &AttachComplete, gold: &Gold, state: &Copies) -> (Merged, Label) {
        gold.next(state)
    }
}

impl Oracle<AttachCompleteSeparate> for Static {
    const NAME: &'static str = "static";
    type Gold = Gold;

    fn prepare(&self, system: &AttachCompleteSeparate, gold: &Tree) -> Result<Gold, Unreachable> {
        Gold::new(gold, system.merged.roots)
    }

    fn next(&self, _: &AttachCompleteSeparate, gold: &Gold, state: &Copies) -> (Separate, Label) {
        if state.left_copy == LeftCopy::AboveDependent {
            return (Separate::CompleteLeft, Label::default());
        }
        let (mv, label) = gold.next(state);
        let mv = match mv {
            Merged::AttachCompleteLeft => Separate::AttachLeft,
            Merged::AttachRight => Separate::AttachRight,
            Merged::CompleteRight => Separate::CompleteRight,
            Merged::Finish => Separate::Finish,
            Merged::ShiftLeft => Separate::ShiftLeft,
            Merged::ShiftRight => Separate::ShiftRight,
        };
        (mv, label)
    }
}
