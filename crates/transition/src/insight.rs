//! Derivations for people to look at: states, legal moves and their scores.
use crate::scorer::Scorer;
use crate::searches::Free;
use crate::searches::greedy::best_legal;
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::state::StateView;
use crossarc_learn::weights::best_label;
use crossarc_train::insight::{MoveSeen, StateSeen};
use crossarc_tree::{Label, Node};

/// A state with its legal moves, none of them chosen.
pub fn look<S: TransitionSystem>(system: &S, state: &S::State) -> StateSeen {
    let partial = state.partial();
    let words = partial.len();
    let mut stack: Vec<u32> =
        (0..=words).map_while(|depth| state.stack(depth)).map(|node| node.0).collect();
    stack.reverse();
    let buffer = (0..=words).map_while(|ahead| state.buffer(ahead)).map(|node| node.0);
    let passed = (0..state.passed_len()).filter_map(|index| state.passed(index));
    let arcs = (1..=words as u32)
        .map(Node)
        .filter_map(|word| partial.head(word).map(|head| (head.0, word.0, partial.label(word))));
    let is_final = system.is_final(state);
    let legal = S::Move::ALL.iter().filter(|mv| !is_final && system.is_legal(state, **mv));
    let seen = |mv: &S::Move| {
        let arc = system.arc(state, *mv).map(|arc| (arc.head.0, arc.dependent.0));
        MoveSeen { name: mv.name(), score: None, arc, label: None }
    };
    StateSeen {
        buffer: buffer.collect(),
        passed: passed.map(|node| node.0).collect(),
        arcs: arcs.collect(),
        legal: legal.map(seen).collect(),
        chosen: None,
        stack,
    }
}

/// A walk through states with a scorer that says what it thinks of all moves.
struct Walk<'w, S: TransitionSystem, M: Scorer<S>> {
    system: &'w S,
    scorer: &'w M,
    words: &'w Words,
    state: S::State,
    context: M::Context,
    scores: MoveScores,
    labels: Vec<f32>,
    states: Vec<StateSeen>,
}

impl<'w, S: TransitionSystem, M: Scorer<S>> Walk<'w, S, M> {
    fn start(system: &'w S, scorer: &'w M, words: &'w Words) -> Self {
        let mut state = S::State::default();
        system.reset(&mut state, words.len());
        let mut context = M::Context::default();
        scorer.begin(words, &mut context);
        Walk {
            system,
            scorer,
            words,
            state,
            context,
            scores: MoveScores::default(),
            labels: vec![0.0; scorer.labels()],
            states: Vec::new(),
        }
    }

    fn is_over(&self) -> bool {
        self.system.is_final(&self.state)
    }

    /// Looks at the state, with the scores of its moves and the best labels of their arcs.
    fn look(&mut self) -> StateSeen {
        let mut seen = look(self.system, &self.state);
        if seen.legal.is_empty() {
            return seen;
        }
        let Walk { scorer, words, state, context, scores, labels, .. } = self;
        scorer.score_moves(words, state, context, scores);
        for one in &mut seen.legal {
            let index = S::Move::ALL.iter().position(|mv| mv.name() == one.name);
            one.score = index.map(|index| scores[index]);
            if let (Some(arc), Some(index)) = (one.arc, index)
                && let Some(built) = self.system.arc(state, S::Move::ALL[index])
            {
                debug_assert_eq!(arc, (built.head.0, built.dependent.0));
                scorer.score_labels(words, state, built, context, labels);
                one.label = Some(best_label(labels));
            }
        }
        seen
    }

    fn make(&mut self, mv: S::Move, label: Option<Label>) {
        let mut seen = self.look();
        let chosen = seen.legal.iter().position(|one| one.name == mv.name());
        let mut label = label;
        if let Some(one) = chosen.map(|at| &mut seen.legal[at])
            && one.arc.is_some()
        {
            one.label = label.or(one.label);
            label = one.label;
        }
        seen.chosen = chosen;
        self.states.push(seen);
        self.system.make(&mut self.state, mv, label.unwrap_or_default());
    }

    fn finish(mut self) -> Vec<StateSeen> {
        let last = self.look();
        self.states.push(last);
        self.states
    }
}

/// The states of a derivation that a search has found.
pub fn replay<S: TransitionSystem, M: Scorer<S>>(
    system: &S,
    scorer: &M,
    words: &Words,
    derivation: &[(S::Move, Label)],
) -> Vec<StateSeen> {
    let mut walk = Walk::start(system, scorer, words);
    for &(mv, label) in derivation {
        walk.make(mv, Some(label));
    }
    walk.finish()
}

/// The states of moves that are given, as long as they are legal, and then of the best ones.
pub fn follow<S: TransitionSystem, M: Scorer<S>>(
    system: &S,
    scorer: &M,
    words: &Words,
    moves: &[(String, Label)],
) -> Vec<StateSeen> {
    let mut walk = Walk::start(system, scorer, words);
    for (name, label) in moves {
        let mv = S::Move::ALL.iter().find(|mv| mv.name() == name);
        let legal = mv.filter(|mv| !walk.is_over() && system.is_legal(&walk.state, **mv));
        let Some(&mv) = legal else { break };
        walk.make(mv, Some(*label));
    }
    while !walk.is_over() {
        let Walk { scorer, words, state, context, scores, .. } = &mut walk;
        scorer.score_moves(words, state, context, scores);
        let Some(mv) = best_legal(system, state, scores, &Free) else { break };
        walk.make(mv, None);
    }
    walk.finish()
}

/// Turns the states of a sentence read from its end into those of the sentence itself.
pub fn mirror(states: &mut [StateSeen], words: u32) {
    let turn = |node: &mut u32| *node = Node(*node).mirrored(words).0;
    for state in states {
        let StateSeen { stack, buffer, passed, arcs, legal, .. } = state;
        stack.iter_mut().chain(buffer).chain(passed).for_each(turn);
        for (head, dependent, _) in arcs {
            turn(head);
            turn(dependent);
        }
        for (head, dependent) in legal.iter_mut().filter_map(|one| one.arc.as_mut()) {
            turn(head);
            turn(dependent);
        }
    }
}
