//! Nets over the words and arcs of a state (Chen and Manning 2014; Kiperwasser and Goldberg 2016).
//!
//! What a net looks at is the same for every system: words on the stack and in the buffer, those
//! between them, children and grandchildren of the two words that a system joins, labels of their arcs,
//! and how far the two are apart. For a label it looks at the two ends of the arc with their neighbours
//! and children. The net itself is in [`neural`].
//!
//! A stack-LSTM (Dyer et al. 2015) looks at less by name and at more as a whole: it reads the lists of
//! the state and the arcs in the order in which they were built, and for a decision the two words in
//! question with all that hangs on them. The history that it reads is that of arcs, for every state
//! shows it.
use std::sync::Arc as Shared;

use conll::Sentence;

use crate::model::NETS;
use crate::scorer::Scorer;
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::state::{Arc, Focus, PartialTree, StateView};
use crossarc_model::{Container, ModelError, SectionBytes};
use crossarc_train::TrainError;
use crossarc_train::options::{ScorerKind, TrainOptions};
use crossarc_tree::Node;
use neural::{
    ChooserMemory, ChooserModel, ChooserOptions, Columns, Decision, Inputs, NO_TOKEN, Precision,
};

/// The two kinds of decisions.
pub const MOVES: usize = 0;
/// See [`MOVES`].
pub const LABELS: usize = 1;

/// The net that options ask for, if they do.
pub fn options(options: &TrainOptions) -> Option<ChooserOptions> {
    let mut net = match options.scorer {
        ScorerKind::FeedForward => ChooserOptions::feed_forward(),
        ScorerKind::Bilstm => ChooserOptions::bilstm(),
        ScorerKind::StackLstm => ChooserOptions::stack_lstm(),
        _ => return None,
    };
    let wanted = |column: &str| options.ignored_columns.iter().all(|ignored| ignored != column);
    net.inputs = Inputs {
        lemma: wanted("lemma"),
        upos: wanted("upos"),
        xpos: wanted("xpos"),
        feats: wanted("feats"),
        ..net.inputs
    };
    net.seed = options.seed;
    net.dropout = options.net.dropout.unwrap_or(net.dropout);
    match options.net.hidden {
        None => {}
        Some(size) if net.layers == 0 && net.relations.is_none() => net.hidden = vec![size, size],
        Some(size) => net.memory = size,
    }
    Some(net)
}

const RUNS: &str = "the mean of several runs";

/// What nets do not do must not be asked of them.
pub fn check(options: &TrainOptions) -> Result<(), TrainError> {
    if options.scorer == ScorerKind::Biaffine {
        return Err(TrainError::NoArcs { parser: options.parser.clone() });
    }
    let refused = [
        (options.svm.is_some(), "support vector machines"),
        (options.completion, "the completion model"),
        (options.runs > 1, RUNS),
        (options.net.nets.is_some_and(|nets| nets > 1), "the mean of several nets"),
    ];
    // Beside a net there may be several runs of weights.
    let net = options.scorer.scores_moves();
    let refused = refused.into_iter().find(|&(asked, what)| {
        asked && (net || options.scorer == ScorerKind::Hybrid && what != RUNS)
    });
    refused.map_or(Ok(()), |(_, what)| Err(TrainError::NotWithNets(what)))
}

/// The options with the course of training that a net needs: larger batches, and no end before the
/// learning rate has come down.
pub fn with_course(options: &TrainOptions, sentences: &[Sentence]) -> TrainOptions {
    let mut options = options.clone();
    if let Some(net) = self::options(&options) {
        let words: usize = sentences.iter().map(Sentence::len).sum();
        let length = words.div_ceil(sentences.len().max(1)).max(1);
        // A small treebank needs steps more than even gradients.
        let most = sentences.len().div_ceil(FEWEST_STEPS);
        options.batch = net.batch_words.div_ceil(length).min(most).max(1);
        options.epochs = options.net.epochs.unwrap_or_else(|| ChooserOptions::epochs(words));
        options.patience = usize::MAX;
    }
    options
}

/// Steps of an epoch, if there are sentences enough.
const FEWEST_STEPS: usize = 20;
/// Distances are told apart up to this many.
const DISTANCES: usize = 10;
const MOVE_TOKENS: usize = 22;
/// Registers of a state, at most.
const REGISTERS: usize = 2;
const MOVE_LABELS: usize = 14;
const LABEL_TOKENS: usize = 14;
const LABEL_LABELS: usize = 8;

/// The two kinds of decisions, for so many moves and labels.
pub fn decisions(moves: usize, labels: usize, stack_lstm: bool) -> Vec<Decision> {
    let distances = [DISTANCES + 1, 2 * DISTANCES + 1];
    let decision = |tokens, named, distances, classes| Decision {
        tokens: if stack_lstm { 0 } else { tokens },
        nodes: if stack_lstm { 2 } else { 0 },
        // A node without an arc has the value zero.
        facts: [vec![labels + 1; if stack_lstm { 0 } else { named }], vec![distances]].concat(),
        classes,
    };
    vec![
        decision(MOVE_TOKENS, MOVE_LABELS, distances[0], moves),
        decision(LABEL_TOKENS, LABEL_LABELS, distances[1], labels),
    ]
}

/// Names of arcs, each in both directions.
pub fn relations(labels: usize) -> usize {
    2 * labels
}

fn children(partial: &PartialTree, node: Option<Node>) -> [Option<Node>; 4] {
    let Some(node) = node else { return [None; 4] };
    let [left, right] =
        [0, 1].map(|rank| (partial.left_child(node, rank), partial.right_child(node, rank)));
    [left.0, left.1, right.0, right.1]
}

/// The number of a token.
fn token(node: Option<Node>) -> u32 {
    node.map_or(NO_TOKEN, |node| node.0)
}

/// What is written down of nodes.
struct Asked<'a> {
    partial: &'a PartialTree,
    asked: neural::Asked<'a>,
}

impl Asked<'_> {
    fn tokens(&mut self, nodes: &[Option<Node>]) {
        self.asked.tokens.extend(nodes.iter().map(|&node| token(node)));
    }

    fn labels(&mut self, nodes: &[Option<Node>]) {
        let partial = self.partial;
        self.asked.facts.extend(nodes.iter().map(|node| {
            let named = node.filter(|&node| partial.head(node).is_some());
            named.map_or(0, |node| 1 + u32::from(partial.label(node).0))
        }));
    }
}

fn list(at: impl FnMut(usize) -> Option<Node>, to: &mut Vec<u32>) {
    to.extend((0..).map_while(at).map(|node| node.0));
    to.reverse();
}

/// Shows a whole state.
fn show(state: &impl StateView, memory: &mut ChooserMemory) {
    let (seen, partial) = (memory.show(), state.partial());
    let [stack, buffer, passed] = &mut seen.lists;
    list(|depth| state.stack(depth), stack);
    list(|ahead| state.buffer(ahead), buffer);
    // Registers may be empty one by one.
    let most = state.passed_len().max(REGISTERS);
    passed.extend((0..most).filter_map(|index| state.passed(index)).map(|node| node.0));
    passed.reverse();
    for &dependent in partial.built() {
        let head = partial.head(dependent).unwrap_or(Node::ROOT);
        let relation = 2 * u32::from(partial.label(dependent).0) + u32::from(head < dependent);
        seen.arcs.push([head.0, dependent.0, relation]);
    }
}

fn distance(one: Node, other: Node) -> u32 {
    one.0.abs_diff(other.0).min(DISTANCES as u32)
}

/// Asks which move to make.
fn ask_moves(net: &ChooserModel, state: &impl StateView, focus: Focus, memory: &mut ChooserMemory) {
    let partial = state.partial();
    let stack = [0, 1, 2].map(|depth| state.stack(depth));
    let buffer = [0, 1, 2].map(|ahead| state.buffer(ahead));
    let pair = match focus {
        Focus::StackBuffer => [stack[0], buffer[0]],
        Focus::StackStack => [stack[1], stack[0]],
    };
    let distance = if let [Some(one), Some(other)] = pair { distance(one, other) } else { 0 };
    if net.shape().stack.is_some() {
        show(state, memory);
        let asked = memory.ask(MOVES);
        asked.nodes.extend(pair.map(token));
        asked.facts.push(distance);
        return;
    }
    let mut asked = Asked { partial, asked: memory.ask(MOVES) };
    asked.tokens(&stack);
    asked.tokens(&buffer);
    let last = state.passed_len().checked_sub(1).and_then(|last| state.passed(last));
    asked.tokens(&[state.passed(0), last]);
    for node in pair {
        let near = children(partial, node);
        let far = [
            near[0].and_then(|child| partial.left_child(child, 0)),
            near[2].and_then(|child| partial.right_child(child, 0)),
        ];
        let head = node.and_then(|node| partial.head(node));
        asked.tokens(&near);
        asked.tokens(&far);
        asked.tokens(&[head]);
        asked.labels(&near);
        asked.labels(&far);
        asked.labels(&[node]);
    }
    asked.asked.facts.push(distance);
}

/// Asks for the label of an arc.
fn ask_labels(net: &ChooserModel, state: &impl StateView, arc: Arc, memory: &mut ChooserMemory) {
    let partial = state.partial();
    let side = if arc.head < arc.dependent { DISTANCES as u32 } else { 0 };
    let distance = side + distance(arc.head, arc.dependent);
    if net.shape().stack.is_some() {
        show(state, memory);
        let asked = memory.ask(LABELS);
        asked.nodes.extend([arc.head.0, arc.dependent.0]);
        asked.facts.push(distance);
        return;
    }
    let mut asked = Asked { partial, asked: memory.ask(LABELS) };
    for node in [arc.head, arc.dependent] {
        let before = node.0.checked_sub(1).map(Node);
        let after = Some(Node(node.0 + 1)).filter(|after| after.index() <= partial.len());
        let near = children(partial, Some(node));
        asked.tokens(&[Some(node), before, after]);
        asked.tokens(&near);
        asked.labels(&near);
    }
    asked.asked.facts.push(distance);
}

/// The words of a sentence as nets read them.
pub fn columns(words: &Words) -> impl Iterator<Item = Columns<'_>> + Clone {
    let nodes = (1..=words.len() as u32).filter_map(|node| words.columns(Node(node)));
    nodes.map(|word| Columns {
        form: word.form,
        lemma: word.lemma,
        upos: word.upos,
        xpos: word.xpos,
        feats: word.feats,
    })
}

/// Whatever scores the classes of a question: a net at work or one that learns.
pub fn score_moves<S: TransitionSystem>(
    net: &ChooserModel,
    state: &S::State,
    memory: &mut ChooserMemory,
    scores: &mut MoveScores,
) {
    *scores = MoveScores::default();
    ask_moves(net, state, S::FOCUS, memory);
    net.score(MOVES, memory, &mut scores[..S::Move::ALL.len()]);
}

/// The same for labels.
pub fn score_labels<S: TransitionSystem>(
    net: &ChooserModel,
    state: &S::State,
    arc: Arc,
    memory: &mut ChooserMemory,
    scores: &mut [f32],
) {
    ask_labels(net, state, arc, memory);
    net.score(LABELS, memory, scores);
}

/// A trained net as it is stored.
#[derive(Clone, Debug)]
pub struct NetScorer {
    net: Shared<ChooserModel>,
    sections: Shared<Vec<(String, Vec<u8>)>>,
}

impl NetScorer {
    /// A net that has learned, as it will be in a model: with weights of few bits.
    pub fn new(net: ChooserModel) -> NetScorer {
        let sections = net.sections(Precision::Bytes);
        let find = |name: &str| {
            sections.iter().find(|(known, _)| known == name).map(|(_, bytes)| &bytes[..])
        };
        let kept = ChooserModel::read(find).unwrap_or(net);
        NetScorer { net: Shared::new(kept), sections: Shared::new(sections) }
    }

    /// The net.
    pub fn net(&self) -> &ChooserModel {
        &self.net
    }

    /// What kind of net it is, by name.
    pub fn name(&self) -> &'static str {
        let shape = self.net.shape();
        NETS[if shape.stack.is_some() { 2 } else { shape.context.layers.min(1) }]
    }

    /// What goes into a model.
    pub fn sections(&self) -> Vec<SectionBytes<'_>> {
        self.sections.iter().map(|(name, bytes)| SectionBytes { name, bytes }).collect()
    }

    /// The net in a model, for so many moves and labels.
    pub fn load(
        container: &Container,
        moves: usize,
        labels: usize,
    ) -> Result<NetScorer, ModelError> {
        let section = |name: &str| container.section(name).ok().map(|bytes| &**bytes);
        let net =
            ChooserModel::read(section).map_err(|error| container.damaged(&error.to_string()))?;
        let shape = net.shape();
        let known = shape.choices.iter().map(|one| Decision {
            tokens: one.tokens,
            nodes: one.nodes,
            facts: one.facts.clone(),
            classes: one.classes,
        });
        let relations = shape.stack.map(|stack| stack.relations);
        if !known.eq(decisions(moves, labels, relations.is_some()))
            || relations.is_some_and(|found| found != self::relations(labels))
        {
            return Err(container.damaged("its net does not fit its moves and labels"));
        }
        let names = net.sections(Precision::Bytes).into_iter().map(|(name, _)| name);
        let kept = names.filter_map(|name| section(&name).map(|bytes| (name, bytes.to_vec())));
        Ok(NetScorer { sections: Shared::new(kept.collect()), net: Shared::new(net) })
    }
}

impl<S: TransitionSystem> Scorer<S> for NetScorer {
    type Context = ChooserMemory;

    fn labels(&self) -> usize {
        self.net.shape().choices[LABELS].classes
    }

    fn begin(&self, words: &Words, memory: &mut ChooserMemory) {
        self.net.begin(columns(words), memory);
    }

    fn score_moves(
        &self,
        _: &Words,
        state: &S::State,
        memory: &mut ChooserMemory,
        scores: &mut MoveScores,
    ) {
        score_moves::<S>(&self.net, state, memory, scores);
    }

    fn score_labels(
        &self,
        _: &Words,
        state: &S::State,
        arc: Arc,
        memory: &mut ChooserMemory,
        scores: &mut [f32],
    ) {
        score_labels::<S>(&self.net, state, arc, memory, scores);
    }
}
