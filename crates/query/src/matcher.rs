//! The search for matches in one sentence.
//!
//! Conditions on single words, labels of arcs included, are asked first, beginning with the node for
//! which they promise the fewest words; a sentence without such a word is left at once. From there
//! the head of a word and its neighbours are looked up, other nodes are tried from their lists, the
//! shortest first, and every relation is checked as soon as its words are known. There is no recursion,
//! and memory is used again from sentence to sentence.
use conll::Sentence;

use crate::error::TooMuch;
use crate::query::{Block, Query};
use crate::relation::{Constraint, NONE, Place, Relation, View};

/// The most matches in one sentence.
pub const MOST_MATCHES: usize = 1_000_000;
/// The most steps of the search in one sentence.
pub const MOST_STEPS: u64 = 100_000_000;

/// Memory for one thread that searches with one query.
#[derive(Debug)]
pub struct Matcher<'q> {
    query: &'q Query,
    heads: Vec<u32>,
    lists: Lists,
    main: Plan,
    without: Plan,
    bound: Vec<u32>,
    found: Vec<u32>,
    sorted: Vec<u32>,
    order: Vec<u32>,
}

/// The words that fulfil the conditions of each node, where they were looked for.
#[derive(Debug, Default)]
struct Lists {
    words: Vec<Vec<u32>>,
    /// Which are filled, as bits.
    filled: u32,
}

/// Where the word of a node comes from.
#[derive(Copy, Clone, Debug)]
enum Source {
    List,
    HeadOf(Place),
    After(Place),
    Before(Place),
}

/// In which order the nodes of a block are bound.
#[derive(Debug, Default)]
struct Plan {
    steps: Vec<(Place, Source)>,
    /// Constraints to be checked behind each step: numbers, and where those of each step end.
    checks: Vec<u16>,
    ends: Vec<usize>,
    /// How far each step has come.
    cursors: Vec<u32>,
}

/// The matches in one sentence, in the order of their words: each holds the IDs of the words that
/// [`Query::names`] names, 0 for the artificial root.
#[derive(Clone, Debug)]
pub struct Matches<'m> {
    words: &'m [u32],
    width: usize,
    left: usize,
}

impl<'m> Iterator for Matches<'m> {
    type Item = &'m [u32];

    fn next(&mut self) -> Option<&'m [u32]> {
        self.left = self.left.checked_sub(1)?;
        let (first, rest) = self.words.split_at(self.width);
        self.words = rest;
        Some(first)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Matches<'_> {}

impl<'q> Matcher<'q> {
    pub(crate) fn new(query: &'q Query) -> Matcher<'q> {
        Matcher {
            query,
            heads: Vec::new(),
            lists: Lists { words: vec![Vec::new(); query.nodes.len()], filled: 0 },
            main: Plan::default(),
            without: Plan::default(),
            bound: vec![NONE; query.nodes.len()],
            found: Vec::new(),
            sorted: Vec::new(),
            order: Vec::new(),
        }
    }

    /// All matches in a sentence.
    pub fn find(&mut self, sentence: &Sentence) -> Result<Matches<'_>, TooMuch> {
        let width = self.query.width;
        self.found.clear();
        let mut count = 0;
        self.search(sentence, |matcher, matched| {
            count += 1;
            matcher.extend_from_slice(&matched[..width]);
            count <= MOST_MATCHES
        })?;
        if count > MOST_MATCHES {
            return Err(TooMuch::Matches);
        }
        if !self.query.without.is_empty() && count > 0 {
            count = self.remove_those_with(sentence)?;
        }
        self.sort(count);
        Ok(Matches { words: &self.found, width, left: count })
    }

    /// Whether there is a match in a sentence.
    pub fn is_match(&mut self, sentence: &Sentence) -> Result<bool, TooMuch> {
        if !self.query.without.is_empty() {
            return self.find(sentence).map(|matches| matches.len() > 0);
        }
        let mut any = false;
        self.search(sentence, |_, _| {
            any = true;
            false
        })?;
        Ok(any)
    }

    /// Runs the search of the query without its `without` blocks; `each` says whether to go on.
    fn search(
        &mut self,
        sentence: &Sentence,
        mut each: impl FnMut(&mut Vec<u32>, &[u32]) -> bool,
    ) -> Result<(), TooMuch> {
        self.lists.filled = 0;
        self.bound.fill(NONE);
        self.heads.clear();
        self.heads.push(NONE);
        self.heads.extend(sentence.words().map(|word| word.head().unwrap_or(NONE)));
        let view = View { sentence, heads: &self.heads };
        let Matcher { query, lists, main, bound, found, .. } = self;
        if !main.make(query, &query.main, 0, &view, lists, bound) {
            return Ok(());
        }
        main.run(query, &query.main, &view, lists, bound, |bound| each(found, bound))
    }

    /// Keeps the matches for which no `without` block holds.
    fn remove_those_with(&mut self, sentence: &Sentence) -> Result<usize, TooMuch> {
        let width = self.query.width;
        let view = View { sentence, heads: &self.heads };
        let Matcher { query, lists, without, bound, found, .. } = self;
        let mut total = found.len().checked_div(width).unwrap_or(1);
        for block in &query.without {
            let mut kept = 0;
            let known = (1u32 << width) - 1;
            let mut planned = None;
            for at in 0..total {
                bound.fill(NONE);
                bound[..width].copy_from_slice(&found[at * width..][..width]);
                // The plan depends on lists only, so that of the first match serves all.
                let possible = *planned
                    .get_or_insert_with(|| without.make(query, block, known, &view, lists, bound));
                let constant = block.constraints.iter().filter(|(mask, _)| mask & !known == 0);
                let mut holds = possible
                    && constant.clone().all(|(_, constraint)| constraint.holds(&view, bound));
                if holds && block.nodes != 0 {
                    holds = false;
                    without.run(query, block, &view, lists, bound, |_| {
                        holds = true;
                        false
                    })?;
                }
                if !holds {
                    found.copy_within(at * width..(at + 1) * width, kept * width);
                    kept += 1;
                }
            }
            total = kept;
            found.truncate(kept * width);
        }
        Ok(total)
    }

    /// Puts matches into the order of their words, the first node first.
    fn sort(&mut self, count: usize) {
        let width = self.query.width;
        let Matcher { found, sorted, order, .. } = self;
        let one = |at: u32| &found[at as usize * width..][..width];
        if count < 2 || (1..count as u32).all(|at| one(at - 1) < one(at)) {
            return;
        }
        order.clear();
        order.extend(0..count as u32);
        order.sort_unstable_by(|&a, &b| one(a).cmp(one(b)));
        sorted.clear();
        for &at in &*order {
            sorted.extend_from_slice(one(at));
        }
        std::mem::swap(found, sorted);
    }
}

impl Lists {
    /// The words of a node, looked for once a sentence.
    fn of(&mut self, query: &Query, place: Place, view: &View<'_>) -> &[u32] {
        let place = usize::from(place);
        if self.filled & (1 << place) == 0 {
            self.filled |= 1 << place;
            let (list, node) = (&mut self.words[place], &query.nodes[place]);
            list.clear();
            if node.is_root {
                list.push(0);
            } else {
                let words = 1..view.heads.len() as u32;
                list.extend(words.filter(|&id| node.conditions.hold(view.sentence, id)));
            }
        }
        &self.words[place]
    }
}

impl Plan {
    /// Chooses the order; false if some node has no word or something that needs no word fails.
    fn make(
        &mut self,
        query: &Query,
        block: &Block,
        known: u32,
        view: &View<'_>,
        lists: &mut Lists,
        bound: &[u32],
    ) -> bool {
        self.steps.clear();
        self.checks.clear();
        self.ends.clear();
        let needless = block.constraints.iter().filter(|(mask, _)| *mask == 0);
        if known == 0 && !needless.clone().all(|(_, constraint)| constraint.holds(view, bound)) {
            return false;
        }
        let mut done = known;
        let mut left = block.nodes;
        let places = |mask: u32| (0..32).filter(move |place| mask & (1 << place) != 0);
        while left != 0 {
            let looked_up = places(left).find_map(|place| {
                source(block, place as Place, done).map(|source| (place as Place, source))
            });
            let (place, source) = if let Some(found) = looked_up {
                found
            } else {
                let rank = |place: &u32| query.nodes[*place as usize].conditions.rank();
                let first = places(left).min_by_key(rank).unwrap_or_default() as Place;
                if lists.of(query, first, view).is_empty() {
                    return false;
                }
                let best = if done == known && known == 0 {
                    first
                } else {
                    let length = |place: &u32| lists.of(query, *place as Place, view).len();
                    places(left).min_by_key(length).unwrap_or_default() as Place
                };
                if lists.of(query, best, view).is_empty() {
                    return false;
                }
                (best, Source::List)
            };
            done |= 1 << place;
            left &= !(1 << place);
            self.steps.push((place, source));
            for (number, (mask, _)) in block.constraints.iter().enumerate() {
                if mask & (1 << place) != 0 && mask & !done == 0 {
                    self.checks.push(number as u16);
                }
            }
            self.ends.push(self.checks.len());
        }
        self.cursors.resize(self.steps.len(), 0);
        true
    }

    /// Binds the nodes in all ways; `each` sees every way and says whether to go on.
    fn run(
        &mut self,
        query: &Query,
        block: &Block,
        view: &View<'_>,
        lists: &Lists,
        bound: &mut [u32],
        mut each: impl FnMut(&[u32]) -> bool,
    ) -> Result<(), TooMuch> {
        if self.steps.is_empty() {
            each(bound);
            return Ok(());
        }
        let words = view.heads.len() as u32 - 1;
        let mut level = 0;
        let mut taken = 0u64;
        self.cursors[0] = 0;
        loop {
            taken += 1;
            if taken > MOST_STEPS {
                return Err(TooMuch::Steps);
            }
            let (place, source) = self.steps[level];
            bound[usize::from(place)] = NONE;
            let cursor = self.cursors[level];
            self.cursors[level] += 1;
            let candidate = match source {
                Source::List => lists.words[usize::from(place)].get(cursor as usize).copied(),
                _ if cursor > 0 => None,
                Source::HeadOf(word) => Some(view.heads[bound[usize::from(word)] as usize]),
                Source::After(word) => Some(bound[usize::from(word)] + 1),
                Source::Before(word) => Some(bound[usize::from(word)].wrapping_sub(1)),
            };
            let Some(candidate) = candidate else {
                if level == 0 {
                    return Ok(());
                }
                level -= 1;
                continue;
            };
            if candidate > words || bound.contains(&candidate) {
                continue;
            }
            if !matches!(source, Source::List) {
                let node = &query.nodes[usize::from(place)];
                let fits = if candidate == 0 || node.is_root {
                    node.is_root && candidate == 0
                } else {
                    node.conditions.hold(view.sentence, candidate)
                };
                if !fits {
                    continue;
                }
            }
            bound[usize::from(place)] = candidate;
            let first = if level == 0 { 0 } else { self.ends[level - 1] };
            let checks = &self.checks[first..self.ends[level]];
            let holds = |number: &u16| block.constraints[usize::from(*number)].1.holds(view, bound);
            if !checks.iter().all(holds) {
                continue;
            }
            if level + 1 < self.steps.len() {
                level += 1;
                self.cursors[level] = 0;
            } else if !each(bound) {
                return Ok(());
            }
        }
    }
}

/// Whether a node can be looked up from nodes that are bound.
fn source(block: &Block, place: Place, done: u32) -> Option<Source> {
    let known = |other: Place| done & (1 << other) != 0;
    block.constraints.iter().find_map(|(_, Constraint { relation, negated })| match *relation {
        _ if *negated => None,
        Relation::Arc { head, dependent, .. } if head == place && known(dependent) => {
            Some(Source::HeadOf(dependent))
        }
        Relation::Next { left, right } if right == place && known(left) => {
            Some(Source::After(left))
        }
        Relation::Next { left, right } if left == place && known(right) => {
            Some(Source::Before(right))
        }
        _ => None,
    })
}
