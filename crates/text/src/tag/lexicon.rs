//! Ambiguity classes: which tags a word was seen with in training, as one number.
//!
//! The class of a neighbour is as good as a vague tag, also of those neighbours to the right that
//! have none yet (Cutting, Kupiec, Pedersen and Sibun 1992; Giménez and Màrquez 2004). A word that
//! was not seen has the class of the words with its longest known suffix and its capitals.
use std::collections::HashMap;

use super::forms::{Form, SUFFIXES};
use crossarc_learn::features::hash;
use crossarc_learn::packed::PackedMap;

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

/// Lengths of the suffixes of a word, the longest first.
fn lengths(form: &Form) -> impl Iterator<Item = usize> {
    (0..=LONGEST.min(SUFFIXES))
        .rev()
        .filter(|&length| length == 0 || form.suffixes[length - 1] != 0)
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

    /// True if training has seen the word, whatever its capitals.
    pub fn knows(&self, word: &str) -> bool {
        let lower = hash::attribute(&word.to_lowercase());
        self.map.get(hash::mix(LOWER, u64::from(lower))).is_some()
    }

    /// The class of unseen words that look like this one.
    #[inline]
    pub fn class_by_looks(&self, form: &Form) -> u32 {
        let found = lengths(form).find_map(|length| self.map.get(suffix(form, length)));
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

    fn of(&self, tag: u16) -> u32 {
        self.0.iter().find(|entry| entry.0 == tag).map_or(0, |entry| entry.1)
    }

    /// The counts with so much less for a tag.
    fn without(&self, tag: u16, weight: i32) -> Counts {
        let mut others = self.clone();
        for (other, count) in &mut others.0 {
            if *other == tag {
                *count = count.saturating_add_signed(-weight);
            }
        }
        others.0.retain(|entry| entry.1 > 0);
        others
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

/// What a form that was seen so often with a tag counts for the class of its suffixes: rare forms
/// tell more about unseen words.
fn weight_for_suffixes(count: u32) -> u32 {
    match count {
        0 => 0,
        1..=3 => 3,
        _ => 1,
    }
}

/// How often forms and suffixes were seen with tags.
#[derive(Debug, Default)]
pub struct CountedForms {
    /// By spelling and capitals: the first word of a sentence may be capitalised for that alone.
    cased: HashMap<u64, (Form, Counts)>,
    exacts: HashMap<u64, (Form, Counts)>,
    lowers: HashMap<u64, Counts>,
    suffixes: HashMap<u64, Counts>,
}

fn cased(form: &Form) -> u64 {
    hash::mix(u64::from(form.exact), form.casing as u64)
}

impl CountedForms {
    /// Counts words with their tags.
    pub fn new(words: impl IntoIterator<Item = (Form, u16)>) -> CountedForms {
        let mut counted = CountedForms::default();
        let seen = |form| move || (form, Counts::default());
        for (form, tag) in words {
            counted.cased.entry(cased(&form)).or_insert_with(seen(form)).1.add(tag, 1);
            counted.exacts.entry(exact(&form)).or_insert_with(seen(form)).1.add(tag, 1);
            counted.lowers.entry(lower(&form)).or_default().add(tag, 1);
        }
        for (form, counts) in counted.cased.values() {
            for length in lengths(form) {
                let entry = counted.suffixes.entry(suffix(form, length)).or_default();
                for &(tag, count) in &counts.0 {
                    entry.add(tag, weight_for_suffixes(count));
                }
            }
        }
        counted
    }

    /// A word of the training set, which has this tag there, as it would look if it had not been
    /// counted: otherwise its class would tell its tag, which it does not in other text. A form seen
    /// only once keeps its class; it is studied as an unseen one most of the time.
    pub fn without_own_tag(&self, form: &Form, tag: u16) -> Form {
        let times = self.cased.get(&cased(form)).map_or(1, |entry| entry.1.of(tag).max(1));
        let weight = weight_for_suffixes(times) as i32 - weight_for_suffixes(times - 1) as i32;
        let unseen = lengths(form).find_map(|length| {
            let others = self.suffixes.get(&suffix(form, length))?.without(tag, weight);
            class_of_suffix(&others)
        });
        let class_if_unseen = unseen.unwrap_or(1);
        let exacts = self.exacts.get(&exact(form)).map(|entry| &entry.1);
        let mut seen = [exacts, self.lowers.get(&lower(form))].into_iter().flatten();
        let class = seen.find_map(|counts| {
            let others = counts.without(tag, 1);
            (others.total() > 0).then(|| others.class(LEAST_SHARE))
        });
        Form { class: class.unwrap_or(form.class), class_if_unseen, ..*form }
    }

    /// The lexicon.
    pub fn lexicon(&self) -> Lexicon {
        let mut rows = Vec::new();
        let class_of = |counts: &Counts| counts.class(LEAST_SHARE);
        for (&key, (form, counts)) in &self.exacts {
            let class = class_of(counts);
            if class_of(&self.lowers[&lower(form)]) != class {
                rows.push((key, u64::from(class) | counts.certain() << 32, counts.total() as f32));
            }
        }
        for (&key, counts) in &self.lowers {
            let payload = u64::from(class_of(counts)) | counts.certain() << 32;
            rows.push((key, payload, counts.total() as f32));
        }
        for (&key, counts) in &self.suffixes {
            rows.extend(class_of_suffix(counts).map(|class| (key, u64::from(class), 1e6)));
        }
        rows.sort_by_key(|row| row.0);
        Lexicon { map: PackedMap::build(rows) }
    }
}

/// The class of unseen words with a suffix that is frequent enough.
fn class_of_suffix(counts: &Counts) -> Option<u32> {
    (counts.total() >= LEAST_WORDS * 3).then(|| counts.class(LEAST_SHARE_OF_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::super::forms::Forms;
    use super::*;

    const NOUN: u16 = 0;
    const VERB: u16 = 1;

    #[test]
    fn the_class_of_a_training_word_is_that_of_the_other_words() {
        let mut forms = Forms::default();
        forms.fill(["runs", "runs", "runs", "walks", "walks", "leaps"], &Lexicon::empty());
        let tags = [NOUN, VERB, VERB, VERB, VERB, NOUN];
        let counted = CountedForms::new(forms.as_slice().iter().copied().zip(tags));
        let lexicon = counted.lexicon();
        forms.fill(["runs", "runs", "runs", "walks", "walks", "leaps"], &lexicon);
        let class = |at: usize| forms.as_slice()[at].class;
        let left_out = |at: usize| counted.without_own_tag(&forms.as_slice()[at], tags[at]).class;
        assert_ne!(class(0), class(3), "a noun or a verb, and a verb");
        assert_eq!(left_out(0), class(3), "the other two are verbs");
        assert_ne!(left_out(1), class(3), "the others are a noun and a verb");
        assert_eq!(left_out(3), class(3), "one verb is left");
        assert_eq!(left_out(5), class(5), "nothing is left");
    }
}
