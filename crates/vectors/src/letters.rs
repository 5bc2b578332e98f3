//! N-grams of the letters of a word, marks at its ends included (Bojanowski et al. 2017).
//!
//! ```
//! use crossarc_vectors::n_grams;
//! let mut found = Vec::new();
//! n_grams("cat", 3..=4, |n_gram| found.push(n_gram.to_owned()));
//! assert_eq!(found, ["<ca", "<cat", "cat", "cat>", "at>"]);
//! ```
use std::ops::RangeInclusive;

/// Calls `found` with each n-gram of these lengths, in letters; the whole word is none.
pub fn n_grams(word: &str, lengths: RangeInclusive<usize>, mut found: impl FnMut(&str)) {
    let marked = format!("<{word}>");
    let mut starts: Vec<usize> = marked.char_indices().map(|(start, _)| start).collect();
    let letters = starts.len();
    starts.push(marked.len());
    for first in 0..letters {
        for length in lengths.clone() {
            let Some(&end) = starts.get(first + length) else { break };
            if length < letters {
                found(&marked[starts[first]..end]);
            }
        }
    }
}

/// FNV-1a.
pub(crate) fn bucket(n_gram: &str, buckets: usize) -> usize {
    let hash = n_gram.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    ((u128::from(hash.wrapping_mul(0x9E37_79B9_7F4A_7C15)) * buckets as u128) >> 64) as usize
}
