//! A text of any size, read in blocks that can be tokenized one by one.
//!
//! A block ends behind an empty line if there is one soon enough, else behind a line end, a blank or
//! any character. Blanks at the start of a block are kept for the next token. Bytes that are no
//! UTF-8 become U+FFFD, and are counted. Where every line stands for itself, whole lines are given out
//! as soon as the input pauses.
use std::io::{self, Read};

/// A block is given out once it has this many bytes and a good end.
pub const BLOCK_BYTES: usize = 1 << 16;
/// A block is cut at any rate when it has this many bytes.
pub const MOST_BLOCK_BYTES: usize = 1 << 20;

/// Where blocks may end.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Behind an empty line.
    EmptyLine,
    /// Behind any line.
    Line,
}

/// Part of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The text.
    pub text: String,
    /// Characters before it, if they are counted.
    pub first_character: u64,
    /// Line of its first byte, from 1.
    pub first_line: u64,
    /// Whether it goes on in the middle of a paragraph, the block before having been cut.
    pub continues: bool,
    /// Sequences of bytes that were no UTF-8.
    pub invalid: u64,
}

/// Reads blocks.
pub struct Blocks {
    input: Box<dyn Read + Send>,
    cut: Cut,
    buffer: Vec<u8>,
    at_end: bool,
    characters: u64,
    line: u64,
    was_cut: bool,
    /// The last read gave less than there was room for.
    paused: bool,
}

impl Blocks {
    /// Reads from anything.
    pub fn new(input: impl Read + Send + 'static, cut: Cut) -> Blocks {
        let input = Box::new(input);
        Blocks {
            input,
            cut,
            buffer: Vec::new(),
            at_end: false,
            characters: 0,
            line: 1,
            was_cut: false,
            paused: false,
        }
    }

    /// The next block; nothing at the end.
    pub fn next_block(&mut self) -> io::Result<Option<Block>> {
        let mut wanted = BLOCK_BYTES;
        loop {
            self.fill(wanted)?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            if self.cut == Cut::Line
                && let Some(end) = self.end_of_lines()
            {
                return Ok(Some(self.take(end, false)));
            }
            let is_small = self.at_end && self.buffer.len() <= BLOCK_BYTES;
            if self.cut == Cut::EmptyLine
                && let Some(end) = self.good_end().filter(|_| !is_small)
            {
                return Ok(Some(self.take(end, false)));
            }
            if self.at_end {
                return Ok(Some(self.take(self.buffer.len(), false)));
            }
            if self.buffer.len() >= MOST_BLOCK_BYTES {
                let end = self.poor_end();
                return Ok(Some(self.take(end, true)));
            }
            wanted = (wanted * 2).min(MOST_BLOCK_BYTES);
        }
    }

    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        self.paused = false;
        while !self.at_end
            && self.buffer.len() < wanted
            && !(self.cut == Cut::Line && self.paused && self.has_whole_lines())
        {
            let start = self.buffer.len();
            self.buffer.resize(wanted, 0);
            let read = self.input.read(&mut self.buffer[start..]);
            self.buffer.truncate(start + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => self.at_end = true,
                Ok(more) => self.paused = start + more < wanted,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether lines can be given out now: there are some with a token, and what follows them is known
    /// to be lines or to have a token of its own, so that nothing is left over which no sentence can keep.
    fn has_whole_lines(&self) -> bool {
        self.end_of_lines().is_some_and(|end| {
            let rest = &self.buffer[end..];
            rest.is_empty() || rest.ends_with(b"\n") || rest.iter().copied().any(starts_token)
        })
    }

    /// Behind the last line that surely has a token; what follows it may belong to a line that goes on.
    fn end_of_lines(&self) -> Option<usize> {
        let mut end = self.buffer.len();
        while let Some(at) = self.buffer[..end].iter().rposition(|&byte| byte == b'\n') {
            let start = self.buffer[..at].iter().rposition(|&byte| byte == b'\n');
            if self.buffer[start.map_or(0, |start| start + 1)..at].iter().copied().any(starts_token)
            {
                let rest = &self.buffer[at + 1..];
                let is_all = (self.at_end || rest.ends_with(b"\n"))
                    && !rest.iter().copied().any(starts_token);
                return Some(if is_all { self.buffer.len() } else { at + 1 });
            }
            end = at;
        }
        None
    }

    /// The last place where a block is meant to end and something follows.
    fn good_end(&self) -> Option<usize> {
        let bytes = &self.buffer;
        let mut end = bytes.len();
        // Blanks at the end of the buffer may go on in the next.
        while end > 0 && bytes[end - 1].is_ascii_whitespace() {
            end -= 1;
        }
        loop {
            while end > 0 && !bytes[end - 1].is_ascii_whitespace() {
                end -= 1;
            }
            if end == 0 {
                return None;
            }
            let behind = end;
            let mut lines = 0;
            while end > 0 && bytes[end - 1].is_ascii_whitespace() {
                let is_end = match bytes[end - 1] {
                    b'\n' => true,
                    b'\r' => bytes.get(end) != Some(&b'\n'),
                    _ => false,
                };
                lines += usize::from(is_end);
                end -= 1;
            }
            if lines >= 2 && end > 0 && starts_token(bytes[behind]) {
                return Some(behind);
            }
        }
    }

    /// Behind a line end, a blank, or a character.
    fn poor_end(&self) -> usize {
        let bytes = &self.buffer[..MOST_BLOCK_BYTES.min(self.buffer.len())];
        let half = bytes.len() / 2;
        let last = |is_end: &dyn Fn(u8) -> bool| {
            bytes.iter().rposition(|&byte| is_end(byte)).filter(|&at| at >= half)
        };
        let end = last(&|byte| byte == b'\n').or_else(|| last(&|byte| byte.is_ascii_whitespace()));
        end.map_or_else(
            || {
                let mut end = bytes.len();
                while end > bytes.len() - 4
                    && bytes
                        .get(end)
                        .or(self.buffer.get(end))
                        .is_some_and(|byte| byte & 0xC0 == 0x80)
                {
                    end -= 1;
                }
                end
            },
            |at| at + 1,
        )
    }

    fn take(&mut self, end: usize, is_cut: bool) -> Block {
        let bytes: Vec<u8> = self.buffer.drain(..end).collect();
        let lines = bytes.split(|&byte| byte == b'\n').count() as u64 - 1;
        let (text, invalid) = match String::from_utf8(bytes) {
            Ok(text) => (text, 0),
            Err(error) => {
                let bytes = error.into_bytes();
                let invalid = bytes.utf8_chunks().filter(|part| !part.invalid().is_empty()).count();
                (String::from_utf8_lossy(&bytes).into_owned(), invalid as u64)
            }
        };
        let block = Block {
            first_character: self.characters,
            first_line: self.line,
            continues: self.was_cut,
            invalid,
            text,
        };
        self.characters += block.text.chars().count() as u64;
        self.line += lines;
        self.was_cut = is_cut;
        block
    }
}

/// True for the first byte of a character that is surely no blank, so that no block is all blanks.
fn starts_token(byte: u8) -> bool {
    byte.is_ascii_graphic() || (byte >= 0xC3 && !matches!(byte, 0xE1..=0xE3 | 0xEF))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    fn read(bytes: &[u8], cut: Cut) -> Vec<Block> {
        let mut blocks = Blocks::new(io::Cursor::new(bytes.to_vec()), cut);
        std::iter::from_fn(|| blocks.next_block().unwrap()).collect()
    }

    #[test]
    fn blocks_end_behind_empty_lines_and_lose_nothing() {
        let paragraph = "Some words in a line.\r\nAnd more of them.\r\n\r\n".repeat(10_000);
        for cut in [Cut::EmptyLine, Cut::Line] {
            let blocks = read(paragraph.as_bytes(), cut);
            assert!(blocks.len() > 3);
            assert_eq!(blocks.iter().map(|b| b.text.as_str()).collect::<String>(), paragraph);
            assert!(
                blocks[1..].iter().all(|block| block.text.trim_start().starts_with(['S', 'A']))
            );
            assert!(
                cut == Cut::Line || blocks[1..].iter().all(|block| block.text.starts_with('S'))
            );
            assert!(blocks.iter().all(|block| !block.continues && block.text.len() <= BLOCK_BYTES));
        }
    }

    /// Gives a part at each call, as a pipe does.
    struct Parts(Vec<&'static [u8]>);

    impl Read for Parts {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let part = self.0.remove(0);
            buffer[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }

    #[test]
    fn whole_lines_are_given_out_when_the_input_pauses() {
        let parts: [&[u8]; 5] = [b"One", b" line.\n", b"\nTwo.\nThr", b"ee.\n", b"\n"];
        let mut blocks = Blocks::new(Parts(parts.to_vec()), Cut::Line);
        let read: Vec<String> =
            std::iter::from_fn(|| blocks.next_block().unwrap()).map(|block| block.text).collect();
        assert_eq!(read, ["One line.\n", "\nTwo.\n", "Three.\n", "\n"]);
        let mut blocks = Blocks::new(Parts(parts.to_vec()), Cut::EmptyLine);
        assert_eq!(
            blocks.next_block().unwrap().unwrap().text,
            parts.concat().escape_ascii().to_string().replace("\\n", "\n")
        );
    }

    #[test]
    fn what_no_sentence_can_keep_stays_with_the_line_before() {
        let blocks = read(b"One line.\n\0", Cut::Line);
        assert_eq!(
            blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>(),
            ["One line.\n\0"]
        );
    }

    #[test]
    fn a_word_without_end_is_cut_between_characters() {
        let word = "ő".repeat(2 << 20);
        let blocks = read(word.as_bytes(), Cut::EmptyLine);
        assert!(blocks.iter().all(|block| block.invalid == 0));
        assert_eq!(blocks.iter().map(|b| b.text.len()).sum::<usize>(), word.len());
        assert_eq!(blocks[1].first_character, blocks[0].text.chars().count() as u64);
    }

    #[test]
    fn junk_is_replaced_and_counted() {
        let mut rng = Seed(4).rng();
        let junk: Vec<u8> = (0..300_000).map(|_| rng.below(256) as u8).collect();
        let blocks = read(&junk, Cut::EmptyLine);
        assert!(blocks.iter().map(|block| block.invalid).sum::<u64>() > 1000);
        assert!(read(b"", Cut::Line).is_empty());
        assert_eq!(read(b"\n\n \n", Cut::EmptyLine).len(), 1);
    }
}
