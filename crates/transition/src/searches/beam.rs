//! Beam search (Zhang and Clark 2008): the best few derivations side by side.
//!
//! In every step all moves of all hypotheses compete, each with the best label for the arc it
//! builds. The score of a hypothesis is the sum over its moves, and over its labels too if the two
//! were learned together. Derivations may
//! differ in length: one that has ended waits, with its score, until all in the beam have ended
//! or until it is the best of them.
//!
//! A hypothesis that is far behind the best one hardly ever wins. How far the winners of held-out
//! sentences have been behind on their way tells which ones can be dropped at once: where one reading
//! is clear, the beam is as fast as greedy search.
use crate::scorer::Scorer;
use crate::searches::{Constraint, Free};
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
use crossarc_learn::state::{PartialTree, StateView};
use crossarc_tree::Label;

/// No decision: the start of a derivation.
const START: u32 = u32::MAX;

/// One decision of a derivation and the one before it.
#[derive(Copy, Clone, Debug)]
struct Link<M> {
    before: u32,
    mv: M,
    label: Label,
}

#[derive(Clone, Debug)]
struct Hypothesis<State> {
    state: State,
    score: f32,
    /// By how much it was behind the best one, at most.
    behind: f32,
    last: u32,
    ended: bool,
}

/// What a hypothesis may do next; nothing if it has ended.
#[derive(Copy, Clone, Debug)]
struct Candidate<M> {
    score: f32,
    from: u32,
    mv: Option<M>,
    label: Label,
}

/// Whether the scores of labels count when hypotheses compete.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum LabelScores {
    /// They do: moves and labels were learned together, for a beam.
    Count,
    /// They only tell labels apart, as in greedy search.
    Apart,
}

/// Beam search with its working memory, one per thread.
pub struct Beam<S: TransitionSystem, M: Scorer<S>> {
    width: usize,
    margin: f32,
    labels: LabelScores,
    now: Vec<Hypothesis<S::State>>,
    next: Vec<Hypothesis<S::State>>,
    alive: usize,
    candidates: Vec<Candidate<S::Move>>,
    links: Vec<Link<S::Move>>,
    context: M::Context,
    move_scores: Vec<MoveScores>,
    label_scores: Vec<f32>,
}

impl<S: TransitionSystem, M: Scorer<S>> Beam<S, M> {
    /// A beam of the given width, at least 1.
    pub fn new(width: usize, labels: LabelScores) -> Self {
        let width = width.max(1);
        let empty = || Hypothesis {
            state: S::State::default(),
            score: 0.0,
            behind: 0.0,
            last: START,
            ended: false,
        };
        Beam {
            width,
            margin: f32::INFINITY,
            labels,
            now: std::iter::repeat_with(empty).take(width).collect(),
            next: std::iter::repeat_with(empty).take(width).collect(),
            alive: 0,
            candidates: Vec::new(),
            links: Vec::new(),
            context: M::Context::default(),
            move_scores: Vec::new(),
            label_scores: Vec::new(),
        }
    }

    /// The same beam, where hypotheses that are further behind the best one are dropped.
    #[must_use]
    pub fn with_margin(self, margin: f32) -> Self {
        Beam { margin, ..self }
    }

    /// Parses a sentence.
    pub fn parse(
        &mut self,
        system: &S,
        scorer: &M,
        words: &Words,
        constraint: &impl Constraint,
    ) -> &PartialTree {
        self.start(system, scorer, words);
        while self.step(system, scorer, words, constraint) {}
        self.now[0].state.partial()
    }

    /// Begins a sentence.
    pub fn start(&mut self, system: &S, scorer: &M, words: &Words) {
        scorer.begin(words, &mut self.context);
        self.restart(system, words);
    }

    /// Begins anew with a sentence that the scorer has taken in.
    pub fn restart(&mut self, system: &S, words: &Words) {
        self.links.clear();
        self.alive = 1;
        let first = &mut self.now[0];
        system.reset(&mut first.state, words.len());
        first.score = 0.0;
        first.behind = 0.0;
        first.last = START;
        first.ended = system.is_final(&first.state);
    }

    /// Takes every hypothesis one move further; false if the best one has ended.
    pub fn step(
        &mut self,
        system: &S,
        scorer: &M,
        words: &Words,
        constraint: &impl Constraint,
    ) -> bool {
        if !self.goes_on() {
            return false;
        }
        self.label_scores.resize(scorer.labels(), 0.0);
        self.propose(system, scorer, words, constraint);
        if self.candidates.is_empty() {
            self.propose(system, scorer, words, &Free);
        }
        self.candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
        let best = self.candidates.first().map_or(0.0, |candidate| candidate.score);
        let near = self.candidates.partition_point(|other| best - other.score <= self.margin);
        self.candidates.truncate(near.clamp(1, self.width));
        if self.labels == LabelScores::Apart {
            self.name_arcs(system, scorer, words);
        }
        for place in 0..self.candidates.len() {
            let candidate = self.candidates[place];
            let others = &self.candidates[place + 1..];
            let is_last = others.iter().all(|other| other.from != candidate.from);
            let from = &mut self.now[candidate.from as usize];
            let hypothesis = &mut self.next[place];
            if is_last {
                std::mem::swap(&mut hypothesis.state, &mut from.state);
            } else {
                hypothesis.state.clone_from(&from.state);
            }
            hypothesis.score = candidate.score;
            hypothesis.behind = from.behind.max(best - candidate.score);
            hypothesis.last = from.last;
            hypothesis.ended = from.ended;
            let Some(mv) = candidate.mv else { continue };
            let label = candidate.label;
            system.make(&mut hypothesis.state, mv, label);
            hypothesis.ended = system.is_final(&hypothesis.state);
            hypothesis.last = self.links.len() as u32;
            self.links.push(Link { before: from.last, mv, label });
        }
        self.alive = self.candidates.len();
        std::mem::swap(&mut self.now, &mut self.next);
        true
    }

    fn propose(&mut self, system: &S, scorer: &M, words: &Words, constraint: &impl Constraint) {
        self.candidates.clear();
        let alive = &self.now[..self.alive];
        let going = alive.iter().filter(|hypothesis| !hypothesis.ended);
        let states = going.map(|hypothesis| &hypothesis.state);
        scorer.score_states(words, states, &mut self.context, &mut self.move_scores);
        let mut of_states = self.move_scores.iter();
        for (at, hypothesis) in alive.iter().enumerate() {
            let (score, from) = (hypothesis.score, at as u32);
            if hypothesis.ended {
                self.candidates.push(Candidate { score, from, mv: None, label: Label::default() });
                continue;
            }
            let Some(scores) = of_states.next() else { break };
            for &mv in S::Move::ALL {
                let state = &hypothesis.state;
                if !system.is_legal(state, mv) {
                    continue;
                }
                let mut score = score + scores[mv.index()];
                let mut label = Label::default();
                if let Some(arc) = system.arc(state, mv) {
                    if !constraint.allows(arc) {
                        continue;
                    }
                    if self.labels == LabelScores::Count {
                        let labels = &mut self.label_scores;
                        let found = scorer.best_label(words, state, arc, &mut self.context, labels);
                        label = found.0;
                        score += found.1;
                    }
                }
                self.candidates.push(Candidate { score, from, mv: Some(mv), label });
            }
        }
    }

    /// Gives the arcs of the candidates that are left their best labels.
    fn name_arcs(&mut self, system: &S, scorer: &M, words: &Words) {
        for candidate in &mut self.candidates {
            let state = &self.now[candidate.from as usize].state;
            if let Some(arc) = candidate.mv.and_then(|mv| system.arc(state, mv)) {
                let labels = &mut self.label_scores;
                candidate.label = scorer.best_label(words, state, arc, &mut self.context, labels).0;
            }
        }
    }

    /// The memory of the scorer, which the beam shares with training.
    pub fn context(&mut self) -> &mut M::Context {
        &mut self.context
    }

    /// True if the best hypothesis has not ended.
    pub fn goes_on(&self) -> bool {
        !self.now[0].ended
    }

    /// Where the hypothesis that was at a place went by this move in the last step (by none if it
    /// has ended), if it is still in the beam.
    pub fn successor(&self, place: usize, decision: Option<(S::Move, Label)>) -> Option<usize> {
        self.candidates.iter().position(|candidate| {
            candidate.from as usize == place
                && candidate.mv.map(|mv| (mv, candidate.label)) == decision
        })
    }

    /// The arcs of the best hypothesis.
    pub fn partial(&self) -> &PartialTree {
        self.now[0].state.partial()
    }

    /// Score of the best hypothesis.
    pub fn best_score(&self) -> f32 {
        self.now[0].score
    }

    /// By how much the best hypothesis was behind another one on its way, at most.
    pub fn behind(&self) -> f32 {
        self.now[0].behind
    }

    /// The arcs and scores of all hypotheses that have ended, best first.
    pub fn ended(&self) -> impl Iterator<Item = (&PartialTree, f32)> {
        let ended = self.now[..self.alive].iter().filter(|hypothesis| hypothesis.ended);
        ended.map(|hypothesis| (hypothesis.state.partial(), hypothesis.score))
    }

    /// The best hypothesis as a list of decisions, first decision first.
    pub fn best_derivation(&self, derivation: &mut Vec<(S::Move, Label)>) {
        self.derivation_to(self.now[0].last, derivation);
    }

    /// The ends of the derivations in the beam with their scores, best first.
    pub fn ends(&self, ends: &mut Vec<(u32, f32)>) {
        ends.clear();
        let alive = self.now[..self.alive].iter();
        ends.extend(alive.map(|hypothesis| (hypothesis.last, hypothesis.score)));
    }

    /// The decisions up to an end that the beam has had since the sentence began, first decision first.
    pub fn derivation_to(&self, end: u32, derivation: &mut Vec<(S::Move, Label)>) {
        derivation.clear();
        let mut at = end;
        while at != START {
            let link = self.links[at as usize];
            derivation.push((link.mv, link.label));
            at = link.before;
        }
        derivation.reverse();
    }
}
