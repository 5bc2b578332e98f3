//! The k best projective trees under arc scores, best first, lazily (Huang and Chiang 2005,
//! algorithm 3).
//!
//! After one ordinary decoding, every item is asked for its next best derivation only when a
//! better ranked derivation above it has used up the previous one. Derivations and labelled trees
//! correspond one to one, so the trees are all different.
//!
//! ```
//! use crossarc_graph::{Candidates, LabelSharing, Order, Scores, k_best::KBest};
//! use crossarc_tree::{Label, RootPolicy};
//! let mut scores = Scores::default();
//! scores
//!     .reset(Order::First, LabelSharing::Shared, &Candidates::all(3), |_, _, l| l.push(Label(0)))
//!     .unwrap();
//! let trees = KBest::default().trees(&scores, RootPolicy::Single, 100).unwrap();
//! assert_eq!(trees.len(), 7); // projective trees over three words with a single root
//! ```
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::decoder::{BestTree, DecodeError};
use crate::decoders::eisner::{Item, Program};
use crate::deduction::{Chart, Content, Deduction, inside};
use crate::scores::Scores;
use crate::semiring::MaxPlus;
use crossarc_tree::RootPolicy;

/// One derivation of an item: a way to build it, and which derivation of each part.
#[derive(Copy, Clone, Debug)]
struct Derivation {
    score: f32,
    parts: [Option<Item>; 2],
    ranks: [u32; 2],
    label: Option<u32>,
    /// Numbered for a fixed order among equals.
    number: u32,
}

impl PartialEq for Derivation {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Derivation {}
impl PartialOrd for Derivation {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Derivation {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.number.cmp(&self.number))
    }
}

/// The derivations of an item known so far.
#[derive(Clone, Debug, Default)]
struct Ranking {
    best: Vec<Derivation>,
    candidates: BinaryHeap<Derivation>,
    /// The followers of the last of `best` are among the candidates.
    followed: bool,
    numbered: u32,
}

/// Finds the k best projective trees; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct KBest {
    chart: Chart<f32, Item>,
    /// For each place in the chart one more than its ranking, or 0.
    ranking_of: Vec<u32>,
    rankings: Vec<Ranking>,
}

impl KBest {
    /// The best trees, at most `k`, best first.
    pub fn trees(
        &mut self,
        scores: &Scores,
        policy: RootPolicy,
        k: usize,
    ) -> Result<Vec<BestTree>, DecodeError> {
        let mut trees = Vec::new();
        let Some(program) = Program::new(scores, policy)? else {
            if k > 0 {
                let mut empty = BestTree::default();
                empty.reset(0);
                trees.push(empty);
            }
            return Ok(trees);
        };
        if inside::<MaxPlus, _>(&program, &mut self.chart) == f32::NEG_INFINITY {
            return Err(DecodeError::NoTree);
        }
        self.ranking_of.clear();
        self.ranking_of.resize(program.places(), 0);
        self.rankings.clear();
        for rank in 0..k {
            match self.derivation(&program, program.goal(), rank) {
                Some(derivation) => trees.push(self.tree(&program, scores, derivation)),
                None => break,
            }
        }
        Ok(trees)
    }

    /// The ranking of an item; a new one starts with the best derivation of each way.
    fn ranking(&mut self, program: &Program<'_>, item: Item) -> usize {
        let place = program.place(item);
        if self.ranking_of[place] == 0 {
            let mut candidates = Vec::new();
            program.runs(item, |run| {
                for way in 0..run.len {
                    let score = run.way::<MaxPlus>(&self.chart.values, way);
                    if score > f32::NEG_INFINITY {
                        let part = |part| match program.content(run.place(part, way)?) {
                            Content::Item(item) => Some(item),
                            Content::Axiom | Content::Passing => None,
                        };
                        candidates.push(Derivation {
                            score,
                            parts: [part(0), part(1)],
                            ranks: [0, 0],
                            label: run.first_label.map(|first| (first + way) as u32),
                            number: candidates.len() as u32,
                        });
                    }
                }
            });
            let numbered = candidates.len() as u32;
            let candidates = BinaryHeap::from(candidates);
            self.rankings.push(Ranking { best: vec![], candidates, followed: true, numbered });
            self.ranking_of[place] = self.rankings.len() as u32;
        }
        self.ranking_of[place] as usize - 1
    }

    /// The derivation of an item at a rank, counted from 0. What it needs of other items is asked
    /// for on a stack of requests.
    fn derivation(&mut self, program: &Program<'_>, item: Item, rank: usize) -> Option<Derivation> {
        let mut requests = vec![(item, rank)];
        while let Some(&(item, rank)) = requests.last() {
            let index = self.ranking(program, item);
            if self.rankings[index].best.len() > rank {
                requests.pop();
                continue;
            }
            if !self.rankings[index].followed {
                let last = self.rankings[index].best[self.rankings[index].best.len() - 1];
                if let Some(request) = self.missing(program, last) {
                    requests.push(request);
                    continue;
                }
                self.follow(program, index, last);
            }
            let ranking = &mut self.rankings[index];
            if let Some(next) = ranking.candidates.pop() {
                ranking.best.push(next);
                ranking.followed = false;
            } else {
                requests.pop();
            }
        }
        let index = self.ranking(program, item);
        self.rankings[index].best.get(rank).copied()
    }

    /// Which ranks follow: the second part moves on, or the first does while the second is at its
    /// best. So every pair of ranks has one predecessor, and that one is no worse.
    fn followers(derivation: Derivation) -> impl Iterator<Item = (usize, u32)> {
        let [first, second] = derivation.ranks;
        let by_first = (second == 0).then_some((0, first + 1));
        [Some((1, second + 1)), by_first]
            .into_iter()
            .flatten()
            .filter(move |&(part, _)| derivation.parts[part].is_some())
    }

    /// A request that must be answered before the derivation can be followed: one that was not
    /// tried to the end yet.
    fn missing(&mut self, program: &Program<'_>, derivation: Derivation) -> Option<(Item, usize)> {
        for (part, rank) in KBest::followers(derivation) {
            let item = derivation.parts[part]?;
            let index = self.ranking(program, item);
            let ranking = &self.rankings[index];
            let exhausted = ranking.followed && ranking.candidates.is_empty();
            if ranking.best.len() <= rank as usize && !exhausted {
                return Some((item, rank as usize));
            }
        }
        None
    }

    fn follow(&mut self, program: &Program<'_>, index: usize, derivation: Derivation) {
        for (part, rank) in KBest::followers(derivation) {
            let Some(item) = derivation.parts[part] else { continue };
            let of_part = self.ranking(program, item);
            let best = &self.rankings[of_part].best;
            if let Some(next) = best.get(rank as usize) {
                let mut follower = derivation;
                follower.score += next.score - best[derivation.ranks[part] as usize].score;
                follower.ranks[part] = rank;
                follower.number = self.rankings[index].numbered;
                self.rankings[index].numbered += 1;
                self.rankings[index].candidates.push(follower);
            }
        }
        self.rankings[index].followed = true;
    }

    fn tree(&mut self, program: &Program<'_>, scores: &Scores, derivation: Derivation) -> BestTree {
        let mut tree = BestTree::default();
        tree.reset(scores.words());
        let mut agenda = vec![derivation];
        while let Some(derivation) = agenda.pop() {
            if let Some(label) = derivation.label {
                let label = label as usize;
                let arc = scores.arc_of_label(label);
                tree.set(scores.head(arc), scores.dependent(arc), scores.all_labels()[label]);
                tree.score += scores.all_arc_scores()[label];
            }
            for (part, rank) in derivation.parts.into_iter().zip(derivation.ranks) {
                let known = part.and_then(|item| self.derivation(program, item, rank as usize));
                agenda.extend(known);
            }
        }
        tree
    }
}
