//! Which word forms a model has seen in training, in a few kilobytes (Bloom 1970): to tell a user that
//! a text is in another language than the model. One in fifty unknown forms is taken for a known one,
//! never the other way round.
//!
//! How many unknown words are to be expected is estimated from the words that training has seen only
//! once (Good 1953).
//!
//! ```
//! use crossarc_train::known_forms::KnownForms;
//! let known = KnownForms::learn(["the", "cat", "the", "dog"]);
//! assert!(known.contains("The") && known.contains("dog") && !known.contains("kutya"));
//! assert_eq!(known.expected, 0.5);
//! ```
use std::collections::BTreeMap;

use crossarc_learn::features::hash;
use serde::{Deserialize, Serialize};

/// Bits that each form sets.
const HASHES: u64 = 5;
/// Bits of the filter for each form.
const BITS_A_FORM: usize = 8;
/// The most bits of the filter: 64 kB.
const MOST_BITS: usize = 1 << 19;
/// What each character of the written filter stands for: six bits.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The forms of a treebank, whatever their capitals.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct KnownForms {
    /// Six bits each.
    bits: Vec<u8>,
    /// The share of unknown words that is to be expected in new text of the same kind.
    pub expected: f64,
}

#[derive(Serialize, Deserialize)]
struct Written {
    bits: String,
    expected: f64,
}

impl From<Written> for KnownForms {
    fn from(written: Written) -> KnownForms {
        let value = |digit: u8| DIGITS.iter().position(|&other| other == digit).unwrap_or(0) as u8;
        KnownForms { bits: written.bits.bytes().map(value).collect(), expected: written.expected }
    }
}

impl From<KnownForms> for Written {
    fn from(known: KnownForms) -> Written {
        let digit = |&six: &u8| char::from(DIGITS[usize::from(six & 63)]);
        Written { bits: known.bits.iter().map(digit).collect(), expected: known.expected }
    }
}

/// True for words: a form without letters says nothing of a language.
pub fn is_word(form: &str) -> bool {
    form.chars().any(char::is_alphabetic)
}

impl KnownForms {
    /// Takes in the forms of a treebank.
    pub fn learn<'f>(forms: impl IntoIterator<Item = &'f str>) -> KnownForms {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for form in forms.into_iter().filter(|form| is_word(form)) {
            *counts.entry(form.to_lowercase()).or_default() += 1;
        }
        let all: u64 = counts.values().sum();
        let once = counts.values().filter(|&&count| count == 1).count();
        let places = (counts.len() * BITS_A_FORM).clamp(64, MOST_BITS).div_ceil(6);
        let mut known = KnownForms { bits: vec![0; places], expected: 0.0 };
        for form in counts.keys() {
            for bit in known.places(form) {
                known.bits[bit / 6] |= 1 << (bit % 6);
            }
        }
        let expected = once as f64 / all.max(1) as f64;
        KnownForms { expected: (expected * 1e4).round() / 1e4, ..known }
    }

    fn places(&self, lower: &str) -> impl Iterator<Item = usize> + use<> {
        let first = hash::text(lower);
        let step = hash::mix(first, HASHES) | 1;
        let bits = (self.bits.len() as u64 * 6).max(1);
        (0..HASHES).map(move |n| (first.wrapping_add(n.wrapping_mul(step)) % bits) as usize)
    }

    /// True if training has seen the form, and now and then for others.
    pub fn contains(&self, form: &str) -> bool {
        let has = |bit: usize| self.bits.get(bit / 6).is_some_and(|six| six >> (bit % 6) & 1 == 1);
        self.places(&form.to_lowercase()).all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_known_and_little_else() {
        let forms: Vec<String> = (0..3000).map(|n| format!("w{n}x")).collect();
        let known = KnownForms::learn(forms.iter().map(String::as_str));
        assert!(forms.iter().all(|form| known.contains(form)));
        let others = (0..3000).filter(|n| known.contains(&format!("v{n}y"))).count();
        assert!(others < 120, "{others} of 3000");
        let json = serde_json::to_string(&known).unwrap();
        assert!(json.len() < 3000 * 2);
        assert_eq!(serde_json::from_str::<KnownForms>(&json).unwrap(), known);
    }

    #[test]
    fn damaged_and_empty_filters_know_nothing() {
        let damaged: KnownForms = serde_json::from_str(r#"{"bits":"é!","expected":0.5}"#).unwrap();
        assert!(!damaged.contains("a"));
        assert!(!KnownForms::default().contains("a"));
        assert_eq!(KnownForms::learn(["1", "."]).expected, 0.0);
    }
}
