//! Nets over the words and arcs of a state (Chen and Manning 2014; Kiperwasser and Goldberg 2016).
//!
//! What a net looks at is the same for every system: words on the stack and in the buffer, those
//! between them, children and grandchildren of the two words that a system joins, labels of their arcs,
//! and how far the two are apart. For a label it looks at the two ends of the arc with their neighbours
//! and children. The net itself is in [`neural`].
use std::sync::Arc as Shared;

use conll::Sentence;

use crate::scorer::Scorer;
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::state::{Arc, Focus, PartialTree, StateView};
use crossarc_model::{Container, ModelError, SectionBytes};
use crossarc_train::TrainError;
use crossarc_train::options::{ScorerKind, TrainOptions};
use crossarc_tree::Node;
use neural::{ChooserMemory, ChooserModel, ChooserOptions, Columns, Inputs, NO_TOKEN};

/// The two kinds of decisions.
pub const MOVES: usize = 0;
/// See [`MOVES`].
pub const LABELS: usize = 1;

/// The net that options ask for, if they do.
pub fn options(options: &TrainOptions) -> Option<ChooserOptions> {
    let mut net = match options.scorer {
        ScorerKind::FeedForward => ChooserOptions::feed_forward(),
        ScorerKind::Bilstm => ChooserOptions::bilstm(),
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
    match options.net.hidden {
        None => {}
        Some(size) if net.layers == 0 => net.hidden = vec![size, size],
        Some(size) => net.memory = size,
    }
    Some(net)
}

/// What nets do not do must not be asked of them.
pub fn check(options: &TrainOptions) -> Result<(), TrainError> {
    if options.scorer.scores_arcs() {
        return Err(TrainError::NoArcs { parser: options.parser.clone() });
    }
    let refused = [
        (options.svm.is_some(), "support vector machines"),
        (options.completion, "the completion model"),
        (options.runs > 1, "the mean of several runs"),
        (options.net.nets.is_some_and(|nets| nets > 1), "the mean of several nets"),
    ];
    let refused = refused.into_iter().find(|(asked, _)| *asked && options.scorer.scores_moves());
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
const MOVE_LABELS: usize = 14;
const LABEL_TOKENS: usize = 14;
const LABEL_LABELS: usize = 8;

/// Places of tokens, sizes of facts and number of classes of each kind of decision.
pub fn choices(moves: usize, labels: usize) -> Vec<(usize, Vec<usize>, usize)> {
    // A node without an arc has the value zero.
    let facts = |count, other| [vec![labels + 1; count], vec![other]].concat();
    vec![
        (MOVE_TOKENS, facts(MOVE_LABELS, DISTANCES + 1), moves),
        (LABEL_TOKENS, facts(LABEL_LABELS, 2 * DISTANCES + 1), labels),
    ]
}

fn children(partial: &PartialTree, node: Option<Node>) -> [Option<Node>; 4] {
    let Some(node) = node else { return [None; 4] };
    let [left, right] =
        [0, 1].map(|rank| (partial.left_child(node, rank), partial.right_child(node, rank)));
    [left.0, left.1, right.0, right.1]
}

/// What is written down of nodes.
struct Asked<'a> {
    partial: &'a PartialTree,
    tokens: &'a mut Vec<u32>,
    facts: &'a mut Vec<u32>,
}

impl Asked<'_> {
    fn tokens(&mut self, nodes: &[Option<Node>]) {
        self.tokens.extend(nodes.iter().map(|node| node.map_or(NO_TOKEN, |node| node.0)));
    }

    fn labels(&mut self, nodes: &[Option<Node>]) {
        let partial = self.partial;
        self.facts.extend(nodes.iter().map(|node| {
            let named = node.filter(|&node| partial.head(node).is_some());
            named.map_or(0, |node| 1 + u32::from(partial.label(node).0))
        }));
    }
}

/// Asks which move to make.
fn ask_moves(state: &impl StateView, focus: Focus, memory: &mut ChooserMemory) {
    let partial = state.partial();
    let (tokens, facts) = memory.ask(MOVES);
    let mut asked = Asked { partial, tokens, facts };
    let stack = [0, 1, 2].map(|depth| state.stack(depth));
    let buffer = [0, 1, 2].map(|ahead| state.buffer(ahead));
    asked.tokens(&stack);
    asked.tokens(&buffer);
    let last = state.passed_len().checked_sub(1).and_then(|last| state.passed(last));
    asked.tokens(&[state.passed(0), last]);
    let pair = match focus {
        Focus::StackBuffer => [stack[0], buffer[0]],
        Focus::StackStack => [stack[1], stack[0]],
    };
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
    let distance = match pair {
        [Some(one), Some(other)] => (one.0.abs_diff(other.0) as usize).min(DISTANCES),
        _ => 0,
    };
    asked.facts.push(distance as u32);
}

/// Asks for the label of an arc.
fn ask_labels(state: &impl StateView, arc: Arc, words: usize, memory: &mut ChooserMemory) {
    let partial = state.partial();
    let (tokens, facts) = memory.ask(LABELS);
    let mut asked = Asked { partial, tokens, facts };
    for node in [arc.head, arc.dependent] {
        let before = node.0.checked_sub(1).map(Node);
        let after = Some(Node(node.0 + 1)).filter(|after| after.index() <= words);
        let near = children(partial, Some(node));
        asked.tokens(&[Some(node), before, after]);
        asked.tokens(&near);
        asked.labels(&near);
    }
    let distance = (arc.head.0.abs_diff(arc.dependent.0) as usize).min(DISTANCES);
    let side = if arc.head < arc.dependent { DISTANCES } else { 0 };
    asked.facts.push((side + distance) as u32);
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
    ask_moves(state, S::FOCUS, memory);
    net.score(MOVES, memory, &mut scores[..S::Move::ALL.len()]);
}

/// The same for labels.
pub fn score_labels<S: TransitionSystem>(
    net: &ChooserModel,
    words: &Words,
    state: &S::State,
    arc: Arc,
    memory: &mut ChooserMemory,
    scores: &mut [f32],
) {
    ask_labels(state, arc, words.len(), memory);
    net.score(LABELS, memory, scores);
}

/// A trained net as it is stored.
#[derive(Clone, Debug)]
pub struct NetScorer {
    net: Shared<ChooserModel>,
    sections: Shared<Vec<(String, Vec<u8>)>>,
}

impl NetScorer {
    /// A net that has learned.
    pub fn new(net: ChooserModel) -> NetScorer {
        let sections = Shared::new(net.sections());
        NetScorer { net: Shared::new(net), sections }
    }

    /// The net.
    pub fn net(&self) -> &ChooserModel {
        &self.net
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
        let known = net.shape().choices.iter();
        let known = known.map(|one| (one.tokens, one.facts.clone(), one.classes));
        if !known.eq(choices(moves, labels)) {
            return Err(container.damaged("its net does not fit its moves and labels"));
        }
        Ok(NetScorer::new(net))
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
        words: &Words,
        state: &S::State,
        arc: Arc,
        memory: &mut ChooserMemory,
        scores: &mut [f32],
    ) {
        score_labels::<S>(&self.net, words, state, arc, memory, scores);
    }
}
