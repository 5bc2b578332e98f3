//! Vectors of words from a file: what large text knows and a treebank does not.
//!
//! Read are the text format of word2vec, `GloVe` and fastText (a word and its numbers on a line, with or
//! without a first line of counts) and the binary format of word2vec. Files list words by frequency, so
//! the first ones are kept, and those that are asked for. Numbers are kept as bytes with a scale for each
//! word, in training and parsing alike, and stay as they are: training does not change them.
//!
//! ```
//! use neural::Vectors;
//! let text = "3 2\nthe 0.5 -0.5\nHund 1 0\nKatze 1 0.1\n";
//! let vectors = Vectors::read(text.as_bytes(), 1, |word| word == "Katze").unwrap();
//! assert_eq!((vectors.len(), vectors.width()), (2, 2));
//! assert!(vectors.row("katze").is_none() && vectors.row("Katze").is_some());
//! assert_eq!(vectors.row("The"), vectors.row("the"));
//! let error = Vectors::read("a 1 2\nb 1\n".as_bytes(), 9, |_| true).unwrap_err();
//! assert_eq!(error.to_string(), "line 2: `b` has 1 numbers, those before have 2");
//! ```
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};

/// The most numbers of a vector.
pub const MOST_WIDTH: usize = 1024;
/// The most words that are kept.
pub const MOST_KEPT: usize = 1 << 20;
/// The longest word, in bytes; longer ones are passed over.
const LONGEST: usize = 256;
/// The longest line.
const LONGEST_LINE: u64 = 1 << 20;
/// The mean size that numbers are brought to, near that of vectors that are learned.
const SIZE: f32 = 0.4;

/// Why a file of vectors cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// It cannot be read at all.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is no word with its numbers.
    #[error("line {line}: {problem}")]
    Line {
        /// Its number.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A binary file ends too early or has numbers that are none.
    #[error("word {word} of the binary file: {problem}")]
    Binary {
        /// Its number.
        word: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// There is no word in it.
    #[error(
        "no vectors: expected lines of a word and its numbers, as word2vec, GloVe and fastText write them"
    )]
    Empty,
}

/// Vectors of words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vectors {
    width: usize,
    words: Vec<String>,
    rows: HashMap<String, u32>,
    bytes: Vec<i8>,
    scales: Vec<f32>,
}

impl Vectors {
    /// The first `most` words of a file, and those that are wanted.
    pub fn read(
        input: impl Read,
        most: usize,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vectors, VectorError> {
        let mut input = BufReader::new(input);
        let mut vectors = Vectors::default();
        let mut met = 0;
        let mut keep = |vectors: &mut Vectors, word: &str, numbers: &[f32]| {
            met += 1;
            let room = vectors.words.len() < MOST_KEPT && word.len() <= LONGEST;
            if room && (met <= most || wanted(word)) {
                vectors.push(word, numbers);
            }
        };
        let mut line = Vec::new();
        let mut number = 1;
        read_line(&mut input, number, &mut line)?;
        let counts = counts(&line);
        if let Some((words, width)) = counts {
            vectors.set_width(width, 1)?;
            if is_binary(&mut input, width)? {
                read_binary(&mut input, words, width, |word, numbers| {
                    keep(&mut vectors, word, numbers);
                })?;
                return vectors.finished();
            }
            number += 1;
            read_line(&mut input, number, &mut line)?;
        }
        let mut numbers = Vec::new();
        while !line.is_empty() {
            let text = String::from_utf8_lossy(&line);
            let mut parts = text.trim_end().split(' ');
            let word = parts.next().unwrap_or_default().to_owned();
            numbers.clear();
            for part in parts.filter(|part| !part.is_empty()) {
                let value: f32 = part.parse().map_err(|_| VectorError::Line {
                    line: number,
                    problem: format!("`{}` is not a number", shown(part)),
                })?;
                if !value.is_finite() {
                    let problem = format!("`{}` is not a finite number", shown(part));
                    return Err(VectorError::Line { line: number, problem });
                }
                numbers.push(value);
            }
            if !word.is_empty() || !numbers.is_empty() {
                if vectors.width == 0 {
                    vectors.set_width(numbers.len(), number)?;
                }
                if numbers.len() != vectors.width {
                    let problem = format!(
                        "`{}` has {} numbers, those before have {}",
                        shown(&word),
                        numbers.len(),
                        vectors.width
                    );
                    return Err(VectorError::Line { line: number, problem });
                }
                keep(&mut vectors, &word, &numbers);
            }
            number += 1;
            read_line(&mut input, number, &mut line)?;
        }
        vectors.finished()
    }

    /// What goes into a model file, by name: words by lines, numbers as bytes, scales.
    pub fn sections(&self) -> [(&'static str, Vec<u8>); 3] {
        let scales = self.scales.iter().flat_map(|scale| scale.to_le_bytes()).collect();
        let bytes = self.bytes.iter().map(|&byte| byte.cast_unsigned()).collect();
        [("words", self.words.join("\n").into_bytes()), ("numbers", bytes), ("scales", scales)]
    }

    /// Vectors from the sections of a model file, if they fit together.
    pub fn from_sections<'a>(section: impl Fn(&str) -> Option<&'a [u8]>) -> Option<Vectors> {
        let words = std::str::from_utf8(section("words")?).ok()?;
        let words: Vec<String> = words.split('\n').map(str::to_owned).collect();
        let bytes: Vec<i8> = section("numbers")?.iter().map(|byte| byte.cast_signed()).collect();
        let (scales, rest) = section("scales")?.as_chunks::<4>();
        let scales: Vec<f32> = scales.iter().map(|&four| f32::from_le_bytes(four)).collect();
        let width = bytes.len() / words.len();
        let fits = rest.is_empty()
            && scales.len() == words.len()
            && bytes.len() == words.len() * width
            && (1..=MOST_WIDTH).contains(&width)
            && scales.iter().all(|scale| scale.is_finite());
        let rows = words.iter().cloned().zip(0..).collect();
        fits.then_some(Vectors { width, words, rows, bytes, scales })
    }

    /// Words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Numbers of a vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The row of a word, or of the word in lower case.
    pub fn row(&self, form: &str) -> Option<u32> {
        let row = self.rows.get(form).copied();
        row.or_else(|| self.rows.get(&form.to_lowercase()).copied())
    }

    /// Writes the vector of a row, scaled.
    pub fn copy(&self, row: u32, scale: f32, out: &mut [f32]) {
        let bytes = &self.bytes[row as usize * self.width..][..self.width];
        let scale = scale * self.scales[row as usize];
        out.iter_mut().zip(bytes).for_each(|(out, &byte)| *out = scale * f32::from(byte));
    }

    fn set_width(&mut self, width: usize, line: usize) -> Result<(), VectorError> {
        self.width = width;
        if (1..=MOST_WIDTH).contains(&width) {
            return Ok(());
        }
        let problem = format!("vectors of {width} numbers; 1 to {MOST_WIDTH} are possible");
        Err(VectorError::Line { line, problem })
    }

    fn push(&mut self, word: &str, numbers: &[f32]) {
        if self.rows.contains_key(word) {
            return;
        }
        let largest = numbers.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let scale = largest / 127.0;
        self.scales.push(scale);
        let byte = |&number: &f32| if scale > 0.0 { (number / scale).round() as i8 } else { 0 };
        self.bytes.extend(numbers.iter().map(byte));
        self.rows.insert(word.to_owned(), self.words.len() as u32);
        self.words.push(word.to_owned());
    }

    /// Brings all numbers to one mean size.
    fn finished(mut self) -> Result<Vectors, VectorError> {
        if self.words.is_empty() {
            return Err(VectorError::Empty);
        }
        let mut squares = 0.0;
        for (row, &scale) in self.bytes.chunks_exact(self.width).zip(&self.scales) {
            let sum: f64 = row.iter().map(|&byte| f64::from(byte) * f64::from(byte)).sum();
            squares += sum * f64::from(scale) * f64::from(scale);
        }
        let mean = (squares / self.bytes.len() as f64).sqrt() as f32;
        if mean > 0.0 {
            for scale in &mut self.scales {
                *scale *= SIZE / mean;
            }
        }
        Ok(self)
    }
}

/// The first characters of a text from a file.
fn shown(text: &str) -> String {
    text.chars().take(24).flat_map(char::escape_debug).collect()
}

/// Numbers of words and of numbers, if a line has nothing else.
fn counts(line: &[u8]) -> Option<(usize, usize)> {
    let text = std::str::from_utf8(line).ok()?;
    let mut parts = text.split_whitespace().map(str::parse);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(Ok(words)), Some(Ok(width)), None) => Some((words, width)),
        _ => None,
    }
}

/// A line without its end; empty at the end of the file.
fn read_line(
    input: &mut impl BufRead,
    number: usize,
    line: &mut Vec<u8>,
) -> Result<(), VectorError> {
    line.clear();
    let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', line)?;
    if read as u64 == LONGEST_LINE {
        let problem = format!("longer than {LONGEST_LINE} bytes");
        return Err(VectorError::Line { line: number, problem });
    }
    Ok(())
}

/// True if what follows the counts is not text: after the first blank there are numbers as they are in
/// memory.
fn is_binary(input: &mut impl BufRead, width: usize) -> io::Result<bool> {
    let start = input.fill_buf()?;
    let Some(blank) = start.iter().position(|&byte| byte == b' ') else { return Ok(false) };
    let numbers = &start[blank + 1..start.len().min(blank + 1 + 4 * width)];
    Ok(numbers.iter().any(|byte| !(byte.is_ascii_graphic() || byte.is_ascii_whitespace())))
}

fn read_binary(
    input: &mut impl BufRead,
    words: usize,
    width: usize,
    mut keep: impl FnMut(&str, &[f32]),
) -> Result<(), VectorError> {
    let (mut word, mut bytes) = (Vec::new(), vec![0; 4 * width]);
    for number in 1..=words {
        let wrong = |problem| VectorError::Binary { word: number, problem };
        word.clear();
        let read = input.by_ref().take(LONGEST_LINE).read_until(b' ', &mut word)?;
        if read == 0 {
            return Err(wrong("the file ends before it"));
        }
        if word.pop() != Some(b' ') {
            return Err(wrong("no blank after it"));
        }
        input.read_exact(&mut bytes).map_err(|_| wrong("the file ends within its numbers"))?;
        let (chunks, _) = bytes.as_chunks::<4>();
        let numbers: Vec<f32> = chunks.iter().map(|&four| f32::from_le_bytes(four)).collect();
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(wrong("a number that is not finite"));
        }
        let text = String::from_utf8_lossy(&word);
        keep(text.trim_start_matches('\n'), &numbers);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    fn read(input: &[u8]) -> Result<Vectors, VectorError> {
        Vectors::read(input, 10, |_| false)
    }

    #[test]
    fn text_and_binary_files_say_the_same() {
        let rows = [("ja", [0.25_f32, -1.0, 0.5]), ("nein", [0.125, 1.0, -0.75])];
        let mut text = "2 3\n".to_owned();
        let mut binary = b"2 3\n".to_vec();
        for (word, numbers) in rows {
            writeln!(text, "{word} {} {} {} ", numbers[0], numbers[1], numbers[2]).unwrap();
            binary.extend(word.bytes());
            binary.push(b' ');
            binary.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            binary.push(b'\n');
        }
        let (one, other) = (read(text.as_bytes()).unwrap(), read(&binary).unwrap());
        assert_eq!(one, other);
        let mut out = [0.0; 3];
        one.copy(one.row("nein").unwrap(), 1.0, &mut out);
        let ratio = out[1] / 1.0;
        for (out, number) in out.iter().zip(rows[1].1) {
            assert!((out - ratio * number).abs() < 0.01 * ratio);
        }
        let without_counts = &text.as_bytes()[4..];
        assert_eq!(read(without_counts).unwrap(), one);
        let sections = one.sections();
        let again = |change: &dyn Fn(&str, &mut Vec<u8>)| {
            let mut sections = sections.to_vec();
            for (name, bytes) in &mut sections {
                change(name, bytes);
            }
            Vectors::from_sections(|name| {
                sections.iter().find(|(known, _)| *known == name).map(|(_, bytes)| &bytes[..])
            })
        };
        assert_eq!(again(&|_, _| ()), Some(one.clone()));
        assert_eq!(sections[0].1, b"ja\nnein");
        for cut in ["words", "numbers", "scales"] {
            assert_eq!(
                again(&|name, bytes| bytes.truncate(if name == cut { 1 } else { 99 })),
                None
            );
        }
        let infinite = |name: &str, bytes: &mut Vec<u8>| {
            if name == "scales" {
                bytes[..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
            }
        };
        assert_eq!(again(&infinite), None);
    }

    #[test]
    fn files_that_are_none_are_refused() {
        for (input, told) in [
            (&b""[..], "no vectors"),
            (b"\n\n", "no vectors"),
            (b"a 1 x", "line 1: `x` is not a number"),
            (b"a 1 inf", "line 1: `inf` is not a finite number"),
            (b"a\nb", "vectors of 0 numbers"),
            (b"9 99999\na 1", "vectors of 99999 numbers"),
            (b"2 2\na \xff\xff\xff\x00", "word 1 of the binary file: the file ends within"),
            (b"1 1\na \x00\x00\xc0\x7f", "not finite"),
        ] {
            let error = read(input).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        assert_eq!(Vectors::from_sections(|_| Some(&[])), None);
        assert_eq!(Vectors::from_sections(|_| None), None);
    }
}
