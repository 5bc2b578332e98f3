//! Training for beam search, derivation by derivation (Collins and Roark 2004; Huang, Fayong and
//! Guo 2012; Andor et al. 2016).
//!
//! The sentence is parsed with the beam up to where the gold derivation falls out of it, or to where
//! the best hypothesis beats it by most. A learner that minds margins is then moved towards the gold
//! decisions up to there and away from the predicted ones, moves and labels alike; one that minds
//! probabilities is moved towards the gold decisions and away from those of all hypotheses in the
//! beam, each by its share. Where several derivations lead to the gold tree and the oracle knows them
//! all, the one that the model likes best is taken.
use super::learner::{Learner, Loss};
use super::local::LocalScratch;
use super::teacher::Teacher;
use super::{HasContext, Place};
use crate::scorer::Scorer;
use crate::searches::Free;
use crate::searches::beam::{Beam, LabelScores};
use crate::system::{MoveSet, TransitionSystem};
use crossarc_learn::features::Words;
use crossarc_learn::packed::MoveScores;
pub use crossarc_train::options::GlobalUpdate;
use crossarc_tree::{Label, Tree};

/// Working memory, one per thread.
pub struct GlobalScratch<S: TransitionSystem, L: Scorer<S>> {
    beam: Beam<S, L>,
    state: S::State,
    label_scores: Vec<f32>,
    gold: Vec<(S::Move, Label)>,
    rival: Vec<(S::Move, Label)>,
    /// The beam where the violation was largest: ends of derivations and their scores.
    rivals: Vec<(u32, f32)>,
    local: LocalScratch<S, L>,
}

impl<S: TransitionSystem, L: Scorer<S>> GlobalScratch<S, L> {
    /// For a beam of this width.
    pub fn new(width: usize) -> Self {
        GlobalScratch {
            beam: Beam::new(width, LabelScores::Count),
            state: S::State::default(),
            label_scores: Vec::new(),
            gold: Vec::new(),
            rival: Vec::new(),
            rivals: Vec::new(),
            local: LocalScratch::default(),
        }
    }

    /// A place for decisions one by one, with the memory of the scorer.
    pub fn one_by_one<N: Default>(
        place: &mut Place<Self, N>,
        study: impl FnOnce(&mut Place<LocalScratch<S, L>, N>),
    ) {
        let Place { memory, notes, report } = place;
        let mut local = Place {
            memory: std::mem::take(&mut memory.local),
            notes: std::mem::take(notes),
            report: *report,
        };
        std::mem::swap(local.memory.context(), memory.beam.context());
        study(&mut local);
        std::mem::swap(local.memory.context(), memory.beam.context());
        (memory.local, *notes, *report) = (local.memory, local.notes, local.report);
    }
}

impl<S: TransitionSystem, L: Scorer<S>> HasContext<L::Context> for GlobalScratch<S, L> {
    fn context(&mut self) -> &mut L::Context {
        self.beam.context()
    }
}

/// How one sentence is studied.
pub struct GlobalLesson<'a, S: TransitionSystem, T: Teacher<S>, L: Learner<S>> {
    /// The system.
    pub system: &'a S,
    /// The teacher.
    pub teacher: &'a T,
    /// The weights, which stay as they are.
    pub model: &'a L,
    /// Where to correct.
    pub update: GlobalUpdate,
}

impl<S: TransitionSystem, T: Teacher<S>, L: Learner<S>> GlobalLesson<'_, S, T, L> {
    /// Parses a sentence, which the scorer has begun, and notes what should be changed.
    pub fn study(
        &self,
        words: &Words,
        tree: &Tree,
        gold: &T::Gold,
        place: &mut Place<GlobalScratch<S, L>, L::Notes>,
    ) {
        let gold_scores = self.follow_gold(words, tree, gold, place);
        let scratch = &mut place.memory;
        let beam = &mut scratch.beam;
        beam.restart(self.system, words);
        let by_margin = self.model.loss() == Loss::Margin;
        let mut gold_place = Some(0);
        let (mut step, mut violation, mut length) = (0, 0.0, 0);
        let mut gold_remains = true;
        while beam.step(self.system, self.model, words, &Free) {
            let gold_move = scratch.gold.get(step).copied();
            gold_place = gold_place.and_then(|place| beam.successor(place, gold_move));
            step += 1;
            let lead = beam.best_score() - gold_scores[step.min(gold_scores.len() - 1)];
            let is_violation = match self.update {
                GlobalUpdate::Early => gold_place.is_none() || !beam.goes_on(),
                GlobalUpdate::MaxViolation => lead > violation || length == 0,
            };
            // Probabilities are below one even where the gold derivation is the best of all.
            let is_last = !by_margin && !beam.goes_on() && length == 0;
            if is_last || is_violation && gold_place != Some(0) {
                beam.ends(&mut scratch.rivals);
                (violation, length) = (lead, step);
                gold_remains = gold_place.is_some();
                if self.update == GlobalUpdate::Early {
                    break;
                }
            }
        }
        if length == 0 || by_margin && violation < 0.0 {
            return;
        }
        if by_margin {
            scratch.rivals.truncate(1);
            scratch.rivals[0].1 = 1.0;
            self.correct(words, length, 1.0, place);
            return;
        }
        let of_gold = gold_scores[length.min(gold_scores.len() - 1)];
        let best = scratch.rivals.iter().fold(of_gold, |best, &(_, score)| best.max(score));
        let share = |score: f32| (score - best).exp();
        let mut sum: f32 = scratch.rivals.iter().map(|&(_, score)| share(score)).sum();
        if !gold_remains {
            sum += share(of_gold);
        }
        scratch.rivals.iter_mut().for_each(|(_, score)| *score = share(*score) / sum);
        // What is in the beam goes down by its share, the gold derivation among them.
        let gold_step = if gold_remains { 1.0 } else { 1.0 - share(of_gold) / sum };
        self.correct(words, length, gold_step, place);
    }

    /// The first decisions of the gold derivation go up, those of the rivals down by their shares.
    fn correct(
        &self,
        words: &Words,
        length: usize,
        gold_step: f32,
        place: &mut Place<GlobalScratch<S, L>, L::Notes>,
    ) {
        const LEAST: f32 = 1e-4;
        let gold = std::mem::take(&mut place.memory.gold);
        let mut rival = std::mem::take(&mut place.memory.rival);
        let rivals = std::mem::take(&mut place.memory.rivals);
        let gold_part = &gold[..length.min(gold.len())];
        // Decisions that all have in common cancel each other out.
        let mut common = length;
        for &(end, _) in rivals.iter().filter(|rival| rival.1 >= LEAST) {
            place.memory.beam.derivation_to(end, &mut rival);
            let both = gold.iter().zip(&rival);
            common = common.min(both.take_while(|(one, other)| one == other).count());
        }
        self.record(words, gold_part, common, gold_step, place);
        for &(end, share) in rivals.iter().filter(|rival| rival.1 >= LEAST) {
            place.memory.beam.derivation_to(end, &mut rival);
            self.record(words, &rival, common, -share, place);
        }
        (place.memory.gold, place.memory.rival, place.memory.rivals) = (gold, rival, rivals);
    }

    /// Walks the gold derivation that the model likes best, and returns its score after each step.
    fn follow_gold(
        &self,
        words: &Words,
        tree: &Tree,
        gold: &T::Gold,
        place: &mut Place<GlobalScratch<S, L>, L::Notes>,
    ) -> Vec<f32> {
        let GlobalScratch { state, beam, label_scores, gold: derivation, .. } = &mut place.memory;
        let mut scores = MoveScores::default();
        let mut totals = vec![0.0];
        let mut total = 0.0;
        derivation.clear();
        label_scores.resize(self.model.labels(), 0.0);
        self.system.reset(state, words.len());
        while !self.system.is_final(state) {
            let right = self.teacher.right_moves(self.system, gold, state);
            self.model.score_moves(words, state, beam.context(), &mut scores);
            let mut best: Option<(S::Move, Label, f32)> = None;
            for &mv in S::Move::ALL.iter().filter(|&&mv| right.contains(mv)) {
                let mut score = scores[mv.index()];
                let mut label = Label::default();
                if let Some(arc) = self.system.arc(state, mv) {
                    debug_assert_eq!(tree.head(arc.dependent), arc.head);
                    label = tree.label(arc.dependent);
                    self.model.score_labels(words, state, arc, beam.context(), label_scores);
                    score += label_scores[label.index()];
                }
                if best.is_none_or(|best| score > best.2) {
                    best = Some((mv, label, score));
                }
            }
            let Some((mv, label, score)) = best else { break };
            total += score;
            totals.push(total);
            place.report.decisions += 1 + usize::from(self.system.arc(state, mv).is_some());
            derivation.push((mv, label));
            self.system.make(state, mv, label);
        }
        totals
    }

    /// Replays a derivation and notes by how much its decisions after the common part should be
    /// scored otherwise.
    fn record(
        &self,
        words: &Words,
        derivation: &[(S::Move, Label)],
        common: usize,
        by: f32,
        place: &mut Place<GlobalScratch<S, L>, L::Notes>,
    ) {
        let Place { memory, notes, report } = place;
        let GlobalScratch { state, beam, label_scores, .. } = memory;
        let mut scores = MoveScores::default();
        let corrected = usize::from(by > 0.0);
        self.system.reset(state, words.len());
        for (step, &(mv, label)) in derivation.iter().enumerate() {
            if step >= common {
                self.model.score_moves(words, state, beam.context(), &mut scores);
                self.model.change_moves(&[(mv.index() as u16, by)], beam.context(), notes);
                report.changes += corrected;
                if let Some(arc) = self.system.arc(state, mv) {
                    self.model.score_labels(words, state, arc, beam.context(), label_scores);
                    self.model.change_labels(&[(label.0, by)], beam.context(), notes);
                    report.changes += corrected;
                }
            }
            self.system.make(state, mv, label);
        }
    }
}
