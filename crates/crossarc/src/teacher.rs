//! A small and fast student that learns from an accurate teacher, whatever that is: nets, a vote, a graph
//! parser (Petrov, Chang, Ringgaard and Alshawi 2010 call it uptraining).
//!
//! The teacher parses raw text. Sentences of which it is sure are lessons: the student learns from them as
//! from those of the treebank. What stands in development or test files is no lesson, whatever the words
//! are that the teacher has cut it into and whatever stands beside it; nor is what has been a lesson before.
//!
//! ```
//! use crossarc::teacher::{HeldOut, LessonPicker};
//! use crossarc::train::options::TeachingOptions;
//! let read = |score: &str| {
//!     let text = format!("1\tOwls\t_\t_\t_\t_\t2\tnsubj\t_\tScore={score}\n2\tsee\t_\t_\t_\t_\t0\troot\t_\tScore={score}\n\n");
//!     conll::read_str(&text, conll::ReadOptions::default()).map(|mut all| all.remove(0))
//! };
//! let options = TeachingOptions { least_sure: 0.9, ..Default::default() };
//! let mut picker = LessonPicker::new(&options, HeldOut::default());
//! picker.look_at(read("0.5")?);
//! picker.look_at(read("0.99")?);
//! picker.look_at(read("0.99")?);
//! let lessons = picker.finish();
//! assert_eq!((lessons.sentences.len(), lessons.unsure, lessons.repeated), (1, 1, 1));
//! # Ok::<(), conll::Error>(())
//! ```
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use conll::{ReadOptions, Reader, Sentence};
use crossarc_eval::reliability;
use crossarc_learn::features::hash;
use crossarc_train::options::TeachingOptions;

use crate::{Error, Pipeline, SessionOptions, StreamOptions};

/// A sentence that holds another one begins with as many of its words, for the look-up.
const WORDS_OF_A_KEY: usize = 4;

/// Why there are no lessons.
#[derive(Debug, thiserror::Error)]
pub enum TeachingError {
    /// A model or a treebank cannot be read; the message has its name.
    #[error(transparent)]
    Model(Box<Error>),
    /// A text cannot be read or parsed.
    #[error("{path}: {source}", path = path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<Error>,
    },
    /// Text without somebody who reads it, or the other way round.
    #[error(
        "--teacher MODEL and --text FILE go together; text that is parsed already is given by --taught"
    )]
    Apart,
    /// A teacher without a parser or a tagger.
    #[error("{path} is no teacher: it has no {lacks} (`crossarc train --pipeline` trains all components)", path = path.display())]
    NoTeacher {
        /// The model.
        path: PathBuf,
        /// What it lacks.
        lacks: &'static str,
    },
}

/// Sentences that a student must not see: those it will be measured on.
///
/// ```
/// use crossarc::teacher::HeldOut;
/// let read = |words: &str| {
///     let lines: String = (1..).zip(words.split(' ')).map(|(id, form)| format!("{id}\t{form}\t_\t_\t_\t_\t{}\t_\t_\t_\n", id - 1)).collect();
///     conll::read_str(&(lines + "\n"), conll::ReadOptions::default()).unwrap()
/// };
/// let mut held_out = HeldOut::default();
/// held_out.add(&read("Owls do n't sleep at night ."));
/// held_out.add(&read("Never !"));
/// let holds = |words: &str| held_out.holds(&read(words)[0]);
/// assert!(holds("OWLS don't sleep at night"));
/// assert!(holds("He said : Owls do n't sleep at night , but cats do ."));
/// assert!(holds("never .") && !holds("It never rains ."));
/// assert!(!holds("Owls do n't sleep at noon ."));
/// ```
#[derive(Clone, Debug, Default)]
pub struct HeldOut {
    /// Letters and digits of whole sentences, by hash.
    whole: HashSet<u64>,
    /// Those of longer ones by the hash of how they begin.
    longer: HashMap<u64, Vec<String>>,
}

/// Lower-case letters and digits of a sentence, and where each word with any begins in them.
fn letters(sentence: &Sentence) -> (String, Vec<usize>) {
    let (mut letters, mut starts) = (String::new(), Vec::new());
    for word in sentence.words() {
        let start = letters.len();
        let alphanumeric = word.form().chars().filter(|letter| letter.is_alphanumeric());
        letters.extend(alphanumeric.flat_map(char::to_lowercase));
        if letters.len() > start {
            starts.push(start);
        }
    }
    (letters, starts)
}

impl HeldOut {
    /// Sentences of a development or test set.
    pub fn add(&mut self, sentences: &[Sentence]) {
        for sentence in sentences {
            let (letters, starts) = letters(sentence);
            self.whole.insert(hash::text(&letters));
            if starts.len() > WORDS_OF_A_KEY {
                let key = begin(&letters);
                self.longer.entry(key).or_default().push(letters);
            }
        }
    }

    /// True if a sentence is one of them, or has a longer one of them within it.
    pub fn holds(&self, sentence: &Sentence) -> bool {
        let (letters, starts) = letters(sentence);
        if letters.is_empty() {
            return false;
        }
        let within = |&start: &usize| {
            let rest = &letters[start..];
            let known = self.longer.get(&begin(rest));
            known.is_some_and(|known| known.iter().any(|one| rest.starts_with(one.as_str())))
        };
        self.whole.contains(&hash::text(&letters))
            || (!self.longer.is_empty() && starts.iter().any(within))
    }
}

/// The hash of the first letters, as many as longer sentences always have.
fn begin(letters: &str) -> u64 {
    let end = letters.char_indices().nth(WORDS_OF_A_KEY).map_or(letters.len(), |(end, _)| end);
    hash::text(&letters[..end])
}

/// What a student learns from text.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// Sentences with the tags and trees of the teacher.
    pub sentences: Vec<Sentence>,
    /// Their words.
    pub words: usize,
    /// Sentences of which the teacher is not sure.
    pub unsure: usize,
    /// Sentences of development and test files.
    pub held_out: usize,
    /// Sentences that were there before.
    pub repeated: usize,
}

/// Picks lessons among parsed sentences.
pub struct LessonPicker<'o> {
    options: &'o TeachingOptions,
    held_out: HeldOut,
    seen: HashSet<u64>,
    lessons: Lessons,
}

impl LessonPicker<'_> {
    /// Nothing picked yet.
    pub fn new(options: &TeachingOptions, held_out: HeldOut) -> LessonPicker<'_> {
        let (seen, lessons) = (HashSet::new(), Lessons::default());
        LessonPicker { options, held_out, seen, lessons }
    }

    /// True if no more is wanted.
    pub fn has_enough(&self) -> bool {
        self.options.words.is_some_and(|most| self.lessons.words >= most)
    }

    /// Keeps a sentence, or not.
    pub fn look_at(&mut self, sentence: Sentence) {
        if self.has_enough()
            || sentence.len() < 2
            || sentence.words().any(|word| word.head().is_none())
        {
            return;
        }
        if sureness(&sentence) < self.options.least_sure {
            self.lessons.unsure += 1;
        } else if self.held_out.holds(&sentence) {
            self.lessons.held_out += 1;
        } else if !self.seen.insert(hash::text(&letters(&sentence).0)) {
            self.lessons.repeated += 1;
        } else {
            self.lessons.words += sentence.len();
            self.lessons.sentences.push(sentence);
        }
    }

    /// What was picked.
    pub fn finish(self) -> Lessons {
        self.lessons
    }
}

/// The mean probability of the arcs of a sentence, which is 1 where nothing is said about it.
fn sureness(sentence: &Sentence) -> f64 {
    let said = sentence.words().map(|word| reliability::score(word.misc()).unwrap_or(1.0));
    said.sum::<f64>() / sentence.len().max(1) as f64
}

/// The lessons that the options ask for, from text that the teacher parses on so many threads and from files
/// that were parsed before. The number of threads changes nothing. `stop` is asked now and then.
pub fn lessons(
    options: &TeachingOptions,
    held_out: HeldOut,
    threads: Option<usize>,
    stop: &dyn Fn() -> bool,
) -> Result<Lessons, TeachingError> {
    fn wrong(path: &Path, source: impl Into<Error>) -> TeachingError {
        match source.into() {
            source @ (Error::Model(_) | Error::Treebank(_)) => TeachingError::Model(source.into()),
            source => TeachingError::Text { path: path.to_owned(), source: source.into() },
        }
    }
    let mut picker = LessonPicker::new(options, held_out);
    if options.teacher.is_none() != options.text.is_empty() {
        return Err(TeachingError::Apart);
    }
    for path in &options.taught {
        let read = ReadOptions { need_tree: true, ..ReadOptions::default() };
        let mut reader = Reader::open(path, read).map_err(|error| wrong(path, error))?;
        let mut sentence = Sentence::default();
        while !picker.has_enough()
            && !stop()
            && reader.read(&mut sentence).map_err(|error| wrong(path, error))?
        {
            picker.look_at(std::mem::take(&mut sentence));
        }
    }
    if let Some(path) = &options.teacher {
        let teacher = Pipeline::open(path).map_err(|error| wrong(path, error))?;
        let info = teacher.info();
        let parts = [
            (info.tokenizer, "tokenizer"),
            (info.tagger, "tagger"),
            (info.parser.is_some(), "parser"),
        ];
        if let Some((_, lacks)) = parts.into_iter().find(|(there, _)| !there) {
            return Err(TeachingError::NoTeacher { path: path.clone(), lacks });
        }
        let session = SessionOptions { scores: true, ..SessionOptions::default() };
        for path in &options.text {
            if picker.has_enough() {
                break;
            }
            let input = conll::open_input(path).map_err(|error| wrong(path, error))?;
            for sentence in teacher.stream_with(input, StreamOptions { session, threads }) {
                picker.look_at(sentence.map_err(|error| wrong(path, error))?);
                if picker.has_enough() || stop() {
                    break;
                }
            }
        }
    }
    Ok(picker.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str, score: &str) -> Sentence {
        let line = |(id, form): (usize, &str)| {
            format!("{id}\t{form}\t_\t_\t_\t_\t{}\t_\t_\t{score}\n", id - 1)
        };
        let lines: String = (1..).zip(words.split(' ')).map(line).collect();
        conll::read_str(&(lines + "\n"), ReadOptions::default()).unwrap().remove(0)
    }

    #[test]
    fn lessons_are_sure_new_and_not_held_out() {
        let options = TeachingOptions { least_sure: 0.8, words: Some(6), ..Default::default() };
        let mut held_out = HeldOut::default();
        held_out.add(&[read("We see the sea .", "_")]);
        let mut picker = LessonPicker::new(&options, held_out);
        for (words, score) in [
            ("Owls fly", "Score=0.9"),
            ("Owls fly .", "Score=0.9"),
            ("Cats sleep", "Score=0.7"),
            ("We see the sea", "Score=1.0"),
            ("Alone", "Score=1.0"),
            ("Dogs bark", "_"),
            ("Mice run away", "Score=0.8"),
            ("Too many words", "Score=0.9"),
        ] {
            picker.look_at(read(words, score));
        }
        assert!(picker.has_enough());
        let lessons = picker.finish();
        let first: Vec<&str> = lessons.sentences.iter().map(|one| one.word(1).form()).collect();
        assert_eq!(first, ["Owls", "Dogs", "Mice"]);
        assert_eq!(
            (lessons.words, lessons.unsure, lessons.held_out, lessons.repeated),
            (7, 1, 1, 1)
        );
    }

    /// The look-up by how a sentence begins finds what a plain search finds.
    #[test]
    fn held_out_sentences_are_found_wherever_words_begin() {
        use crossarc_tree::seed::Seed;
        for round in 0..200 {
            let mut rng = Seed(round).rng();
            let mut draw = |most: usize| {
                let words = 1 + rng.below(most);
                let word = |_| ["a", "b", "ab", ".", "-"][rng.below(5)];
                read(&(0..words).map(word).collect::<Vec<_>>().join(" "), "_")
            };
            let known: Vec<Sentence> = (0..3).map(|_| draw(7)).collect();
            let mut held_out = HeldOut::default();
            held_out.add(&known);
            for _ in 0..20 {
                let sentence = draw(9);
                let (own, own_starts) = letters(&sentence);
                let plain = known.iter().any(|one| {
                    let (of_known, starts) = letters(one);
                    let long = starts.len() > WORDS_OF_A_KEY;
                    let mut within = own_starts.iter();
                    own == of_known
                        || (long && within.any(|&start| own[start..].starts_with(&of_known)))
                });
                assert_eq!(held_out.holds(&sentence), plain && !own.is_empty(), "seed {round}");
            }
        }
    }

    #[test]
    fn files_that_are_no_help_are_told() {
        let told = |options: TeachingOptions| {
            lessons(&options, HeldOut::default(), Some(1), &|| false).unwrap_err().to_string()
        };
        let path = || PathBuf::from("/no/such/file");
        let alone = TeachingOptions { text: vec![path()], ..Default::default() };
        assert!(told(alone).contains("go together"));
        let missing = TeachingOptions { taught: vec![path()], ..Default::default() };
        assert!(told(missing).contains("/no/such/file"));
    }
}
