//! Words of a text and their numbers.
//!
//! A word is a run of letters, digits and marks, with single apostrophes, hyphens and dots within it; any
//! other visible character stands alone. Upper and lower case are one. An empty line ends what stands
//! together. No model is needed, so vectors can be learned before there is a treebank.
//!
//! ```
//! use crossarc_vectors::words;
//! let mut found = Vec::new();
//! words("Don't re-use U.S. maps... (OK?)", |word| found.push(word.to_owned()));
//! assert_eq!(found, ["don't", "re-use", "u.s", ".", "maps", ".", ".", ".", "(", "ok", "?", ")"]);
//! ```
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};

/// Different words that are told apart; new ones behind them stay without a vector.
pub const MOST_TYPES: usize = 1 << 22;
/// Words of a text that are read; the rest is left.
pub const MOST_WORDS: usize = 1 << 30;
/// Bytes of the longest word.
const LONGEST: usize = 256;
/// Bytes of a line that are read at once.
const LONGEST_LINE: u64 = 1 << 20;

/// Stands between texts that do not belong together.
pub(crate) const BREAK: u32 = u32::MAX;
/// A word without a vector.
pub(crate) const UNKNOWN: u32 = u32::MAX - 1;

/// A text as numbers of words.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    pub(crate) words: Vec<String>,
    pub(crate) counts: Vec<u64>,
    pub(crate) text: Vec<u32>,
    numbers: HashMap<String, u32>,
    /// Words that are counted, breaks aside.
    length: usize,
}

/// Calls `found` with each word of a line in lower case.
pub fn words(line: &str, mut found: impl FnMut(&str)) {
    let is_part = |letter: char| letter.is_alphanumeric() || is_mark(letter);
    let mut word = String::new();
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let joins = matches!(letter, '\'' | '’' | '-' | '.')
            && !word.is_empty()
            && letters.peek().is_some_and(|&next| is_part(next));
        if is_part(letter) || joins {
            word.extend(letter.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            found(&word);
            word.clear();
        }
        if !letter.is_whitespace() && !letter.is_control() {
            found(letter.encode_utf8(&mut [0; 4]));
        }
    }
    if !word.is_empty() {
        found(&word);
    }
}

/// Combining marks of the blocks that text in use has.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}'
        | '\u{200c}'..='\u{200d}')
}

impl Corpus {
    /// Adds a text. Bytes that are no UTF-8 become U+FFFD.
    pub fn read(&mut self, text: impl Read) -> io::Result<()> {
        let mut input = BufReader::new(text);
        let mut line = Vec::new();
        self.end();
        while input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? > 0 {
            let text = String::from_utf8_lossy(&line);
            if text.trim().is_empty() {
                self.end();
            } else {
                words(&text, |word| self.add(word));
            }
            line.clear();
        }
        self.end();
        Ok(())
    }

    /// Words that were read.
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    fn end(&mut self) {
        if self.text.last().is_some_and(|&last| last != BREAK) {
            self.text.push(BREAK);
        }
    }

    fn add(&mut self, word: &str) {
        if word.len() > LONGEST || self.length >= MOST_WORDS {
            return;
        }
        self.length += 1;
        let number = match self.numbers.get(word) {
            Some(&number) => number,
            None if self.words.len() < MOST_TYPES => {
                let number = self.words.len() as u32;
                self.numbers.insert(word.to_owned(), number);
                self.words.push(word.to_owned());
                self.counts.push(0);
                number
            }
            None => {
                self.text.push(UNKNOWN);
                return;
            }
        };
        self.counts[number as usize] += 1;
        self.text.push(number);
    }

    /// Numbers words by frequency, those of equal frequency as they came; rarer ones than `least` become
    /// unknown.
    pub(crate) fn ranked(mut self, least: u64) -> Corpus {
        let mut order: Vec<u32> = (0..self.words.len() as u32).collect();
        order.retain(|&word| self.counts[word as usize] >= least);
        order.sort_by_key(|&word| std::cmp::Reverse(self.counts[word as usize]));
        let mut rank = vec![UNKNOWN; self.words.len()];
        for (at, &word) in order.iter().enumerate() {
            rank[word as usize] = at as u32;
        }
        for word in &mut self.text {
            if *word != BREAK && *word != UNKNOWN {
                *word = rank[*word as usize];
            }
        }
        let counts = order.iter().map(|&word| self.counts[word as usize]).collect();
        let words = order.iter().map(|&word| std::mem::take(&mut self.words[word as usize]));
        let words = words.collect();
        Corpus { words, counts, text: self.text, numbers: HashMap::new(), length: self.length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_ranked_by_frequency() {
        let mut corpus = Corpus::default();
        corpus.read("B a c\n\n\nc C b\nd".as_bytes()).unwrap();
        assert_eq!(corpus.len(), 7);
        let ranked = corpus.ranked(1);
        assert_eq!(ranked.words, ["c", "b", "a", "d"]);
        assert_eq!(ranked.counts, [3, 2, 1, 1]);
        assert_eq!(ranked.text, [1, 2, 0, BREAK, 0, 0, 1, 3, BREAK]);
        let mut corpus = Corpus::default();
        corpus.read("b a b".as_bytes()).unwrap();
        corpus.read("a c".as_bytes()).unwrap();
        let ranked = corpus.ranked(2);
        assert_eq!(ranked.words, ["b", "a"]);
        assert_eq!(ranked.text, [0, 1, 0, BREAK, 1, UNKNOWN, BREAK]);
    }

    #[test]
    fn odd_bytes_do_no_harm() {
        let mut corpus = Corpus::default();
        corpus.read(&b"\xff\xfe a\0b \xf0\x9f\x98\x80 e\xcc\x81t\xc3\xa9"[..]).unwrap();
        let long = "x".repeat(1 << 21);
        corpus.read(long.as_bytes()).unwrap();
        assert_eq!(corpus.words, ["\u{fffd}", "a", "b", "😀", "e\u{301}té"]);
        assert!(Corpus::default().is_empty());
    }
}
