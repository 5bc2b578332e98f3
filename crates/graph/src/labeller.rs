//! Names for the arcs of a finished tree (McDonald 2006, second stage): a classifier that may look
//! at everything in the tree.
//!
//! Arcs are named from the leaves upwards, so the labels of the children of a dependent are known
//! when its own arc is named, and those of siblings that came before it.
use crossarc_learn::features::Words;
use crossarc_learn::state::{Arc, Focus};
use crossarc_learn::state::{PartialTree, StateView};
use crossarc_learn::templates::{Program, Scratch};
use crossarc_learn::weights::LabelWeights;
use crossarc_tree::{Label, Node};

/// A tree whose arcs are all there and get their names one by one.
#[derive(Clone, Debug, Default)]
struct Naming {
    partial: PartialTree,
}

impl StateView for Naming {
    fn stack(&self, _depth: usize) -> Option<Node> {
        None
    }

    fn buffer(&self, _ahead: usize) -> Option<Node> {
        None
    }

    fn partial(&self) -> &PartialTree {
        &self.partial
    }

    fn partial_mut(&mut self) -> &mut PartialTree {
        &mut self.partial
    }
}

/// Working memory, one per thread.
#[derive(Clone, Debug, Default)]
pub struct Labeller {
    state: Naming,
    scratch: Scratch,
    order: Vec<Node>,
    waiting: Vec<u32>,
    features: Vec<u64>,
    sums: Vec<i32>,
    scores: Vec<f32>,
}

impl Labeller {
    /// Names the arcs of a tree. `choose` gets the dependent, the features and the scores of its
    /// arc, and says which label it has from then on.
    pub fn name(
        &mut self,
        program: &Program,
        weights: &impl LabelWeights,
        labels: usize,
        words: &Words,
        heads: &[Node],
        mut choose: impl FnMut(Node, &[u64], &mut [f32]) -> Label,
    ) {
        self.start(heads);
        for place in 0..self.order.len() {
            let dependent = self.order[place];
            let arc = Arc { head: heads[dependent.index()], dependent };
            self.features.clear();
            program.run(
                words,
                &self.state,
                Focus::StackStack,
                Some(arc),
                &mut self.scratch,
                &mut self.features,
            );
            self.scores.clear();
            self.scores.resize(labels, 0.0);
            weights.add_to(&self.features, &mut self.sums, &mut self.scores);
            let label = choose(dependent, &self.features, &mut self.scores);
            self.state.partial.name(dependent, label);
        }
    }

    /// Sets up the arcs and the order from the leaves upwards.
    fn start(&mut self, heads: &[Node]) {
        let words = heads.len().saturating_sub(1);
        self.state.partial.reset(words);
        self.waiting.clear();
        self.waiting.resize(heads.len(), 0);
        for (word, &head) in heads.iter().enumerate().skip(1) {
            self.state.partial.attach_unnamed(head, Node(word as u32));
            self.waiting[head.index()] += 1;
        }
        self.order.clear();
        let leaves = (1..=words as u32).map(Node);
        self.order.extend(leaves.filter(|leaf| self.waiting[leaf.index()] == 0));
        let mut at = 0;
        while let Some(&word) = self.order.get(at) {
            at += 1;
            let head = heads[word.index()];
            self.waiting[head.index()] -= 1;
            if head != Node::ROOT && self.waiting[head.index()] == 0 {
                self.order.push(head);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_come_before_their_heads() {
        let heads: Vec<Node> = [0, 2, 0, 2, 5, 3].map(Node).to_vec();
        let mut labeller = Labeller::default();
        labeller.start(&heads);
        assert_eq!(labeller.order, [1, 4, 5, 3, 2].map(Node));
    }
}
