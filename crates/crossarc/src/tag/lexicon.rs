//! Ambiguity classes: which tags a word was seen with in training, as one number.
//!
//! The class of a neighbour is as good as a vague tag, also of those neighbours to the right that
//! have none yet (Cutting, Kupiec, Pedersen and Sibun 1992; Giménez and Màrquez 2004). A word that
//! was not seen has the class of the words with its longest known suffix and its capitals.
use std::collections::HashMap;

use super::forms::{Form, SUFFIXES};
use crate::features::hash;
use crate::learn::packed::PackedMap;

const EXACT: u64 = 0xD6E8_FEB8_6659_FD93;
const LOWER: u64 = 0xA5A3_5640_27D9_11E7;
const SUFFIX: u64 = 0x8F3C_9C1B_E0D2_4A55;

/// Letters of the longest suffix that has a class.
const LONGEST: usize = 4;
/// Words a suffix must have been seen in.
const LEAST_WORDS: u32 = 3;
/// Most tags that tell classes apart.
const MOST_TAGS: usize = 4;
/// A form seen this often with one tag has no other.
const CERTAIN: u32 = 100;
/// Tags with a smaller share are no part of a class.
const LEAST_SHARE: f32 = 0.02;
const LEAST_SHARE_OF_SUFFIX: f32 = 0.1;

/// Hashes of forms and suffixes with their classes.
#[derive(Clone, Debug)]
pub struct Lexicon {
    map: PackedMap,
}

fn exact(form: &Form) -> u64 {
    hash::mix(EXACT, u64::from(form.exact))
}

fn lower(form: &Form) -> u64 {
    hash::mix(LOWER, u64::from(form.lower))
}

/// Length 0 is for all words that look alike.
fn suffix(form: &Form, length: usize) -> u64 {
    let suffix = if length == 0 { 0 } else { form.suffixes[length - 1] };
    hash::mix(SUFFIX, u64::from(suffix) << 8 | (form.casing as u64) << 4 | length as u64)
}

impl Lexicon {
    /// A lexicon that knows nothing.
    pub fn empty() -> Lexicon {
        Lexicon { map: PackedMap::build([]) }
    }

    /// A lexicon from a map that was stored.
    pub fn new(map: PackedMap) -> Lexicon {
        Lexicon { map }
    }

    /// The map to be stored.
    pub fn map(&self) -> &PackedMap {
        &self.map
    }

    /// The class of a form that was seen, and its tag plus 2 if there can be no other, else 0.
    #[inline]
    pub fn of_form(&self, form: &Form) -> Option<(u32, u32)> {
        let found = self.map.get(exact(form)).or_else(|| self.map.get(lower(form)));
        found.map(|payload| (payload as u32, (payload >> 32) as u32))
    }

    /// The class of unseen words that look like this one.
    #[inline]
    pub fn class_by_looks(&self, form: &Form) -> u32 {
        let mut lengths = (0..=LONGEST.min(SUFFIXES)).rev();
        let found = lengths.find_map(|length| {
            let known = length == 0 || form.suffixes[length - 1] != 0;
            known.then(|| self.map.get(suffix(form, length))).flatten()
        });
        found.map_or(1, |payload| payload as u32)
    }
}

/// How often tags were seen, most frequent first.
#[derive(Clone, Debug, Default)]
struct Counts(Vec<(u16, u32)>);

impl Counts {
    fn add(&mut self, tag: u16, count: u32) {
        match self.0.iter_mut().find(|entry| entry.0 == tag) {
            Some(entry) => entry.1 += count,
            None => self.0.push((tag, count)),
        }
    }

    fn total(&self) -> u32 {
        self.0.iter().map(|entry| entry.1).sum()
    }

    /// The only tag plus 2 if it was seen often, else 0.
    fn certain(&self) -> u64 {
        match self.0[..] {
            [(tag, count)] if count >= CERTAIN => u64::from(tag) + 2,
            _ => 0,
        }
    }

    /// A number for the frequent tags in their order and how clear the first of them is.
    fn class(&self, least_share: f32) -> u32 {
        let mut tags = self.0.clone();
        tags.sort_by_key(|&(tag, count)| (u32::MAX - count, tag));
        let total = self.total().max(1) as f32;
        let share = |count: u32| count as f32 / total;
        let top = tags.first().map_or(0.0, |entry| share(entry.1));
        let clear = u64::from(top > 0.9) + u64::from(top > 0.7);
        let frequent = tags.iter().filter(|entry| share(entry.1) >= least_share).take(MOST_TAGS);
        let class = frequent.fold(clear, |class, entry| hash::mix(class, u64::from(entry.0) + 1));
        (class as u32).max(hash::FIRST_VALUE)
    }
}

/// Counts tags of forms.
#[derive(Debug, Default)]
pub struct LexiconBuilder {
    /// Tags of each form, with the form itself.
    forms: HashMap<u64, (Form, Counts)>,
}

impl LexiconBuilder {
    /// Counts a word.
    pub fn add(&mut self, form: &Form, tag: u16) {
        // The first word of a sentence may be capitalised for that reason alone.
        let key = hash::mix(u64::from(form.exact), form.casing as u64);
        let entry = self.forms.entry(key);
        entry.or_insert_with(|| (*form, Counts::default())).1.add(tag, 1);
    }

    /// Makes the lexicon; forms seen less often than `least_count` are left out.
    pub fn build(self, least_count: u32) -> Lexicon {
        let (mut exacts, mut lowers) = (HashMap::new(), HashMap::new());
        let mut suffixes: HashMap<u64, Counts> = HashMap::new();
        let mut forms: Vec<_> = self.forms.into_iter().collect();
        forms.sort_by_key(|entry| entry.0);
        for (_, (form, counts)) in forms {
            for &(tag, count) in &counts.0 {
                let entry = exacts.entry(exact(&form)).or_insert_with(|| (form, Counts::default()));
                entry.1.add(tag, count);
                lowers.entry(lower(&form)).or_insert_with(Counts::default).add(tag, count);
            }
            // Rare forms tell more about unseen words; each form counts once for each tag, more
            // for rare ones.
            for length in 0..=LONGEST {
                if length == 0 || form.suffixes[length - 1] != 0 {
                    let entry = suffixes.entry(suffix(&form, length)).or_default();
                    for &(tag, count) in &counts.0 {
                        entry.add(tag, if count <= 3 { 3 } else { 1 });
                    }
                }
            }
        }
        let mut rows = Vec::new();
        let class_of = |counts: &Counts| counts.class(LEAST_SHARE);
        for (&key, (form, counts)) in &exacts {
            let class = class_of(counts);
            let known = counts.total() >= least_count;
            if known && class_of(&lowers[&lower(form)]) != class {
                rows.push((key, u64::from(class) | counts.certain() << 32, counts.total() as f32));
            }
        }
        for (&key, counts) in &lowers {
            if counts.total() >= least_count {
                let payload = u64::from(class_of(counts)) | counts.certain() << 32;
                rows.push((key, payload, counts.total() as f32));
            }
        }
        for (&key, counts) in &suffixes {
            if counts.total() >= LEAST_WORDS * 3 {
                let class = counts.class(LEAST_SHARE_OF_SUFFIX);
                rows.push((key, u64::from(class), 1e6));
            }
        }
        rows.sort_by_key(|row| row.0);
        Lexicon { map: PackedMap::build(rows) }
    }
}
