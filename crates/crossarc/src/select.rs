//! Which sentences are most worth annotating next (active learning; Settles 2009): those of which the
//! parser is least sure, and that are least like each other.
//!
//! A word is worth the doubt of the parser in its arc, times a half for each time that the like of it
//! has been selected already: the same form, and the same tag under the same tag with the same
//! label. The value of a sentence is the sum over its words for each word that must be annotated. The
//! most valuable sentence is taken, the values of the others fall, and so on (Nemhauser, Wolsey and
//! Fisher 1978: no other order that looks one step ahead is better; the queue is lazy, so few values are
//! computed anew).
//!
//! ```
//! use crossarc::select::{Candidate, select};
//! let candidate = |doubts: &[(u64, f32)]| Candidate { words: doubts.to_vec() };
//! let pool = [candidate(&[(1, 0.9), (2, 0.1)]), candidate(&[(1, 0.8), (2, 0.1)]), candidate(&[(3, 0.5)])];
//! // The second is like the first, so the third is worth more.
//! assert_eq!(select(&pool, 3).iter().map(|one| one.sentence).collect::<Vec<_>>(), [0, 2]);
//! ```
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use conll::Sentence;
use crossarc_learn::features::hash;

/// A sentence that may be annotated: for each word what it is like, and how much doubt there is.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// The hash of what counts as alike, and the doubt from 0 to 1.
    pub words: Vec<(u64, f32)>,
}

impl Candidate {
    /// A sentence that was parsed with scores.
    pub fn of(sentence: &Sentence) -> Candidate {
        let mut words = Vec::with_capacity(2 * sentence.len());
        for word in sentence.words() {
            let sure = crossarc_eval::reliability::score(word.misc()).unwrap_or(0.5) as f32;
            let doubt = (1.0 - sure).clamp(0.0, 1.0) / 2.0;
            let head = word.head().filter(|&head| head > 0 && head as usize <= sentence.len());
            let above = head.map_or("", |head| sentence.word(head as usize).upos());
            let form = hash::mix(1, hash::text(&word.form().to_lowercase()));
            let tags = hash::mix(hash::text(word.upos()), hash::text(above));
            let arc = hash::mix(tags, hash::text(word.deprel()));
            words.extend([(form, doubt), (arc, doubt)]);
        }
        Candidate { words }
    }
}

/// A sentence that was selected.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Selected {
    /// Its number in the pool, from 0.
    pub sentence: usize,
    /// Its value for each word when it was selected.
    pub value: f32,
}

#[derive(PartialEq)]
struct Waiting {
    value: f32,
    sentence: usize,
    /// How many had been selected when the value was computed.
    round: usize,
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> Ordering {
        self.value.total_cmp(&other.value).then(other.sentence.cmp(&self.sentence))
    }
}

/// Selects sentences, the most valuable first, until there are so many entries of words.
pub fn select(pool: &[Candidate], words: usize) -> Vec<Selected> {
    let mut times: HashMap<u64, i32> = HashMap::new();
    let value = |candidate: &Candidate, times: &HashMap<u64, i32>| -> f32 {
        let worth = |&(like, doubt): &(u64, f32)| {
            doubt * 0.5f32.powi(times.get(&like).copied().unwrap_or(0))
        };
        candidate.words.iter().map(worth).sum::<f32>() / candidate.words.len().max(1) as f32
    };
    let mut queue: BinaryHeap<Waiting> = pool
        .iter()
        .enumerate()
        .filter(|(_, candidate)| !candidate.words.is_empty())
        .map(|(sentence, one)| Waiting { value: value(one, &times), sentence, round: 0 })
        .collect();
    let mut selected: Vec<Selected> = Vec::new();
    let mut taken = 0;
    while let Some(best) = queue.pop() {
        if taken >= words {
            break;
        }
        let candidate = &pool[best.sentence];
        if best.round < selected.len() {
            // Values only fall, so a value that is still the best when it is new is the best.
            let value = value(candidate, &times);
            queue.push(Waiting { value, round: selected.len(), ..best });
            continue;
        }
        taken += candidate.words.len();
        for &(like, _) in &candidate.words {
            *times.entry(like).or_default() += 1;
        }
        selected.push(Selected { sentence: best.sentence, value: best.value });
    }
    selected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    /// The lazy queue takes what looking at all values takes.
    #[test]
    fn the_queue_finds_what_a_plain_search_finds() {
        for round in 0..100 {
            let mut rng = Seed(round).rng();
            let mut draw = || (rng.below(6) as u64, rng.below(100) as f32 / 100.0);
            let pool: Vec<Candidate> = (0..12)
                .map(|at| Candidate { words: (0..=at % 4).map(|_| draw()).collect() })
                .collect();
            let fast: Vec<usize> = select(&pool, 20).iter().map(|one| one.sentence).collect();
            let mut times: HashMap<u64, i32> = HashMap::new();
            let mut left: Vec<usize> = (0..pool.len()).collect();
            let (mut slow, mut words) = (Vec::new(), 0);
            while words < 20 && !left.is_empty() {
                let value = |&at: &usize| {
                    let worth = |&(like, doubt): &(u64, f32)| {
                        doubt * 0.5f32.powi(times.get(&like).copied().unwrap_or(0))
                    };
                    pool[at].words.iter().map(worth).sum::<f32>() / pool[at].words.len() as f32
                };
                let best = left
                    .iter()
                    .copied()
                    .reduce(|best, next| if value(&next) > value(&best) { next } else { best });
                let best = best.unwrap();
                left.retain(|&at| at != best);
                words += pool[best].words.len();
                pool[best].words.iter().for_each(|word| *times.entry(word.0).or_default() += 1);
                slow.push(best);
            }
            assert_eq!(fast, slow, "seed {round}");
        }
    }

    #[test]
    fn nothing_is_selected_from_nothing() {
        assert_eq!(select(&[], 10), []);
        assert_eq!(select(&[Candidate::default()], 10), []);
        assert_eq!(select(&[Candidate { words: vec![(1, 0.5)] }], 0), []);
    }
}
