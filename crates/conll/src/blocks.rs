//! Cuts a stream of bytes into sentences: runs of lines between blank lines.
//!
//! Memory is one buffer, as large as the largest sentence plus one read, and never more than the
//! limit plus one read.
use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};

const READ_BYTES: usize = 256 * 1024;
/// A chunk for one thread has no more bytes than this, unless one sentence has.
const CHUNK_BYTES: usize = 128 * 1024;

/// The lines of one sentence, without the blank line.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Block<'a> {
    pub(crate) bytes: &'a [u8],
    /// Line number of the first line, from 1.
    pub(crate) first_line: usize,
    /// Blank lines before it that were not needed.
    pub(crate) extra_blank_lines: usize,
    /// The first blank line before or behind it that has blanks other than CR in it.
    pub(crate) line_of_blanks: Option<usize>,
    /// The file ends without a blank line behind it.
    pub(crate) unfinished: bool,
    /// Longer than the limit; `bytes` is only its start.
    pub(crate) huge: bool,
}

/// Whole sentences, to be cut up elsewhere.
#[derive(Debug)]
pub(crate) struct Chunk {
    bytes: Vec<u8>,
    first_line: usize,
    /// A sentence over the limit, of which nothing is kept.
    huge: bool,
}

/// What a line looks like when only its blankness matters.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Blank {
    No,
    Empty,
    Blanks,
}

fn blank(line: &[u8]) -> Blank {
    match line {
        [] | [b'\r'] => Blank::Empty,
        [b' ' | b'\t' | b'\r', ..] if line.iter().all(|b| matches!(b, b' ' | b'\t' | b'\r')) => {
            Blank::Blanks
        }
        _ => Blank::No,
    }
}

/// Where the text behind the last blank line starts.
fn behind_last_blank_line(text: &[u8]) -> Option<usize> {
    let mut end = memrchr(b'\n', text)?;
    loop {
        let before = memrchr(b'\n', &text[..end]);
        if blank(&text[before.map_or(0, |at| at + 1)..end]) != Blank::No {
            return Some(end + 1);
        }
        end = before?;
    }
}

/// The sentences of a stream.
pub(crate) struct Blocks {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    filled: usize,
    /// Start of what was not yet handed out.
    start: usize,
    /// Line number at `start`.
    line: usize,
    ended: bool,
    /// Bytes a sentence may have.
    pub(crate) limit: usize,
    /// The chunk is a sentence over the limit.
    huge: bool,
    /// Blank lines behind the last sentence that are not needed: the first, and the first of those
    /// that have blanks.
    pub(crate) trailing: (Option<usize>, Option<usize>),
}

impl Blocks {
    pub(crate) fn new(input: Box<dyn Read + Send>) -> Blocks {
        Blocks {
            input,
            buffer: Vec::new(),
            filled: 0,
            start: 0,
            line: 1,
            ended: false,
            limit: usize::MAX,
            huge: false,
            trailing: (None, None),
        }
    }

    /// The sentences of a text in memory.
    pub(crate) fn of_memory(bytes: Vec<u8>) -> Blocks {
        Blocks {
            filled: bytes.len(),
            buffer: bytes,
            ended: true,
            ..Blocks::new(Box::new(io::empty()))
        }
    }

    /// The sentences of a chunk.
    pub(crate) fn of_chunk(chunk: Chunk, limit: usize) -> Blocks {
        let Chunk { bytes, first_line: line, huge } = chunk;
        Blocks { line, limit, huge, ..Blocks::of_memory(bytes) }
    }

    /// As many whole sentences as are at hand, at most [`CHUNK_BYTES`] if they are not larger.
    pub(crate) fn next_chunk(&mut self) -> io::Result<Option<Chunk>> {
        let mut most = CHUNK_BYTES;
        loop {
            let rest = &self.buffer[self.start..self.filled];
            let near = &rest[..rest.len().min(most)];
            let all = self.ended && near.len() == rest.len();
            if let Some(end) = behind_last_blank_line(near).or(all.then_some(rest.len())) {
                let bytes = rest[..end].to_vec();
                let first_line = self.line;
                self.line += memchr_iter(b'\n', &bytes).count();
                self.start += end;
                return Ok((end > 0).then_some(Chunk { bytes, first_line, huge: false }));
            }
            if near.len() > self.limit {
                return Ok(self.next()?.map(|block| Chunk {
                    bytes: block.bytes.to_vec(),
                    first_line: block.first_line,
                    huge: block.huge,
                }));
            }
            // Doubling, so that a long sentence is not searched again and again.
            let wanted = (2 * near.len()).max(1);
            most = most.max(wanted);
            while self.filled - self.start < wanted && self.fill()? {}
        }
    }

    /// The first bytes of the input, without consuming them: a good part of a buffer, or only what comes
    /// first where that is enough, so that nobody waits for more.
    pub(crate) fn peek(&mut self, first_is_enough: bool) -> io::Result<&[u8]> {
        while self.filled - self.start < READ_BYTES / 4 {
            let line_ends = self.buffer[self.start..self.filled].contains(&b'\n');
            if (first_is_enough && line_ends) || !self.fill()? {
                break;
            }
        }
        Ok(&self.buffer[self.start..self.filled])
    }

    /// Leaves out bytes that were peeked at, on the same line.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.start += bytes;
    }

    /// Reads more; false at the end of the input.
    fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.start = 0;
        }
        if self.buffer.len() < self.filled + READ_BYTES {
            self.buffer.resize(self.filled + READ_BYTES, 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.filled..]) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(false);
                }
                Ok(more) => {
                    self.filled += more;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The end of the line that starts at this distance from `start`, and whether it has a line
    /// end; reads more where needed.
    fn line_end(&mut self, from: usize) -> io::Result<(usize, bool)> {
        let mut searched = from;
        loop {
            let rest = &self.buffer[self.start + searched..self.filled];
            if let Some(at) = memchr(b'\n', rest) {
                return Ok((searched + at, true));
            }
            searched = self.filled - self.start;
            if searched - from > self.limit || !self.fill()? {
                return Ok((searched, false));
            }
        }
    }

    fn line_at(&self, from: usize, to: usize) -> &[u8] {
        &self.buffer[self.start + from..self.start + to]
    }

    /// The next sentence.
    pub(crate) fn next(&mut self) -> io::Result<Option<Block<'_>>> {
        if std::mem::take(&mut self.huge) {
            return Ok(Some(Block {
                bytes: &[],
                first_line: self.line,
                extra_blank_lines: 0,
                line_of_blanks: None,
                unfinished: false,
                huge: true,
            }));
        }
        let mut extra_blank_lines = 0;
        let mut line_of_blanks = None;
        // Blank lines before it.
        loop {
            let (end, newline) = self.line_end(0)?;
            let kind = blank(self.line_at(0, end));
            if kind == Blank::No {
                break;
            }
            if end == 0 && !newline {
                let first = (extra_blank_lines > 0).then(|| self.line - extra_blank_lines);
                self.trailing = (first, line_of_blanks);
                return Ok(None);
            }
            if kind == Blank::Blanks {
                line_of_blanks.get_or_insert(self.line);
            }
            extra_blank_lines += usize::from(newline);
            self.start += end + usize::from(newline);
            self.line += usize::from(newline);
        }
        let first_line = self.line;
        let mut at = 0;
        let (mut unfinished, mut huge) = (false, false);
        let mut behind = 0;
        loop {
            let (end, newline) = self.line_end(at)?;
            let kind = blank(self.line_at(at, end));
            if kind != Blank::No && (newline || end > at || at == 0) {
                if kind == Blank::Blanks {
                    line_of_blanks.get_or_insert(self.line);
                }
                behind = end - at + usize::from(newline);
                self.line += usize::from(newline);
                break;
            }
            if newline {
                at = end + 1;
                self.line += 1;
            } else if end - at > self.limit {
                huge = true;
                break;
            } else {
                at = end;
                unfinished = true;
                break;
            }
            if at > self.limit {
                huge = true;
                break;
            }
        }
        if huge {
            self.skip_huge(at)?;
            at = 0;
            behind = 0;
        }
        let begin = self.start;
        self.start += at + behind;
        let bytes = &self.buffer[begin..begin + at];
        Ok(Some(Block {
            bytes,
            first_line,
            extra_blank_lines,
            line_of_blanks,
            unfinished: unfinished && !huge,
            huge,
        }))
    }

    /// Leaves out a sentence that is over the limit, up to and including its blank line, in
    /// constant memory.
    fn skip_huge(&mut self, at: usize) -> io::Result<()> {
        self.start += at;
        let mut line_is_blank = true;
        loop {
            if self.start == self.filled && !self.fill()? {
                return Ok(());
            }
            let rest = &self.buffer[self.start..self.filled];
            let (part, newline) = match memchr(b'\n', rest) {
                Some(end) => (&rest[..end], true),
                None => (rest, false),
            };
            line_is_blank &= blank(part) != Blank::No;
            self.start += part.len() + usize::from(newline);
            if newline {
                self.line += 1;
                if line_is_blank {
                    return Ok(());
                }
                line_is_blank = true;
            }
        }
    }
}
