//! Opening files: standard input; gzip, xz, Zstandard and UTF-16 recognised by content.
use std::fs::File;
use std::io::{self, Chain, Cursor, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lzma_rust2::{Action, Status, XzStream};

/// Bytes that every archive may unpack to, however small it is.
pub const UNPACKED_FREELY: u64 = 1 << 30;
/// Larger ones may have so many times their own size; text seldom shrinks to a hundredth.
pub const MOST_UNPACKED_RATIO: u64 = 1000;
/// Kibibytes that an archive of xz may ask for; the highest level of xz asks for 65 mebibytes, a hostile
/// archive for four gibibytes.
const XZ_MEMORY: u32 = 1 << 18;

/// Opens a file, `-` for standard input, and undoes gzip, xz or Zstandard.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    open_within(path, None)
}

/// Opens a file as [`open`] does; an archive may unpack to so many bytes, or, if nothing is said, to
/// [`MOST_UNPACKED_RATIO`] times its size or [`UNPACKED_FREELY`], whatever is more.
pub fn open_within(path: &Path, unpacked: Option<u64>) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        decompress_within(Box::new(io::stdin()), unpacked)
    } else {
        decompress_within(Box::new(File::open(path)?), unpacked)
    }
}

/// Undoes gzip, xz or Zstandard, and UTF-16 with its mark, recognised by the first bytes; leaves
/// anything else alone.
pub fn decompress(input: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    decompress_within(input, None)
}

/// Does what [`decompress`] does, with a limit as [`open_within`] has it.
pub fn decompress_within(
    mut input: Box<dyn Read + Send>,
    unpacked: Option<u64>,
) -> io::Result<Box<dyn Read + Send>> {
    let mut start = [0; 6];
    let mut len = 0;
    // No more is waited for than is needed: who sends a line may want to see an answer.
    while len < start.len() && may_be_compressed(&start[..len]) {
        match input.read(&mut start[len..]) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let whole: Chain<_, _> = Cursor::new(start[..len].to_vec()).chain(input);
    let start = &start[..len];
    if start.starts_with(&LITTLE_ENDIAN) || start.starts_with(&BIG_ENDIAN) {
        return Ok(Box::new(Utf16::new(whole)));
    }
    if !is_compressed(start) {
        return Ok(Box::new(whole));
    }
    let packed = Arc::new(AtomicU64::new(0));
    let archive = Counted { input: whole, read: Arc::clone(&packed) };
    let content: Box<dyn Read + Send> = match start {
        [0x1f, ..] => Box::new(flate2::read::MultiGzDecoder::new(archive)),
        [0x28, ..] => Box::new(zstd::Decoder::new(archive)?),
        _ => Box::new(Xz::new(archive)),
    };
    Ok(Box::new(Unpacked { content, packed, read: 0, most: unpacked }))
}

/// The content of an archive of xz that asks for no more than [`XZ_MEMORY`].
struct Xz<R> {
    input: R,
    decoder: XzStream,
    buffer: Vec<u8>,
    /// What of the buffer is still to be decoded.
    rest: Range<usize>,
    at_end: bool,
}

impl<R: Read> Xz<R> {
    fn new(input: R) -> Xz<R> {
        let decoder = XzStream::new_mem_limit(true, XZ_MEMORY);
        Xz { input, decoder, buffer: vec![0; 1 << 16], rest: 0..0, at_end: false }
    }
}

impl<R: Read> Read for Xz<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.rest.is_empty() && !self.at_end {
                let read = self.input.read(&mut self.buffer)?;
                self.rest = 0..read;
                self.at_end = read == 0;
            }
            let action = if self.at_end { Action::Finish } else { Action::Run };
            let rest = &self.buffer[self.rest.clone()];
            let done = self.decoder.process(rest, out, action)?;
            self.rest.start += done.bytes_consumed;
            if done.bytes_produced > 0 || done.status == Status::StreamEnd || out.is_empty() {
                return Ok(done.bytes_produced);
            }
            if done.bytes_consumed == 0 && (self.at_end || !self.rest.is_empty()) {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// Tells how much was read.
struct Counted<R> {
    input: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(out)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// The content of an archive, up to a limit.
struct Unpacked {
    content: Box<dyn Read + Send>,
    /// Bytes of the archive so far.
    packed: Arc<AtomicU64>,
    read: u64,
    most: Option<u64>,
}

impl Read for Unpacked {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.content.read(out)?;
        self.read += read as u64;
        let most = self.most.unwrap_or_else(|| {
            let packed = self.packed.load(Ordering::Relaxed);
            packed.saturating_mul(MOST_UNPACKED_RATIO).max(UNPACKED_FREELY)
        });
        if self.read <= most {
            return Ok(read);
        }
        let why = match self.most {
            Some(most) => format!("the archive unpacks to more than {most} bytes"),
            None => format!(
                "the archive unpacks to more than {UNPACKED_FREELY} bytes and {MOST_UNPACKED_RATIO} times its size"
            ),
        };
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("{why}; if that is meant, raise the limit (--max-unpacked BYTES)"),
        ))
    }
}

const LITTLE_ENDIAN: [u8; 2] = [0xff, 0xfe];
const BIG_ENDIAN: [u8; 2] = [0xfe, 0xff];

/// UTF-16 as UTF-8; the mark at the start tells the order of bytes and is left out.
struct Utf16<R> {
    input: R,
    /// Bytes that are not yet characters.
    bytes: Vec<u8>,
    units: Vec<u16>,
    is_big: Option<bool>,
    text: Cursor<Vec<u8>>,
    at_end: bool,
}

impl<R: Read> Utf16<R> {
    fn new(input: R) -> Utf16<R> {
        let (bytes, units) = (Vec::new(), Vec::new());
        Utf16 { input, bytes, units, is_big: None, text: Cursor::default(), at_end: false }
    }

    /// Turns what was read into text, but for half a character at its end.
    fn decode(&mut self) {
        let mut pairs = self.bytes.chunks_exact(2);
        for pair in &mut pairs {
            let pair = [pair[0], pair[1]];
            match self.is_big {
                None => self.is_big = Some(pair == BIG_ENDIAN),
                Some(true) => self.units.push(u16::from_be_bytes(pair)),
                Some(false) => self.units.push(u16::from_le_bytes(pair)),
            }
        }
        let odd = pairs.remainder().to_vec();
        self.bytes = odd;
        let half = match self.units.last() {
            Some(unit) if !self.at_end && (0xd800..0xdc00).contains(unit) => self.units.pop(),
            _ => None,
        };
        if self.at_end && !self.bytes.is_empty() {
            self.units.push(0xfffd);
        }
        let text = String::from_utf16_lossy(&self.units);
        self.units.clear();
        self.units.extend(half);
        self.text = Cursor::new(text.into_bytes());
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.text.read(out)?;
            if read > 0 || self.at_end || out.is_empty() {
                return Ok(read);
            }
            let start = self.bytes.len();
            self.bytes.resize(start + (1 << 14), 0);
            let read = self.input.read(&mut self.bytes[start..]);
            self.bytes.truncate(start + *read.as_ref().unwrap_or(&0));
            self.at_end = read? == 0;
            self.decode();
        }
    }
}

/// Whether what begins like this may be compressed, or UTF-16.
fn may_be_compressed(start: &[u8]) -> bool {
    const MARKS: [&[u8]; 5] =
        [&[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd], b"\xfd7zXZ\x00", &LITTLE_ENDIAN, &BIG_ENDIAN];
    MARKS.iter().any(|mark| mark.starts_with(&start[..start.len().min(mark.len())]))
}

/// Whether the first bytes are those of gzip, xz or Zstandard; none of them can start a treebank.
pub(crate) fn is_compressed(start: &[u8]) -> bool {
    matches!(
        start,
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [0xfd, b'7', b'z', b'X', b'Z', 0x00, ..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time.
    struct Slow(Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let length = out.len().min(1);
            self.0.read(&mut out[..length])
        }
    }

    fn text_of(bytes: Vec<u8>) -> String {
        let mut text = String::new();
        decompress(Box::new(Slow(Cursor::new(bytes)))).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn archives_that_grow_too_much_are_refused() {
        let text = "1\ta\n".repeat(10_000);
        let archive = || Box::new(Cursor::new(zstd::encode_all(text.as_bytes(), 3).unwrap()));
        let read = |most| {
            let mut found = String::new();
            let content = decompress_within(archive(), most).unwrap().read_to_string(&mut found);
            content.map(|_| found)
        };
        assert_eq!(read(None).unwrap(), text, "small ones may be as dense as they like");
        assert_eq!(read(Some(text.len() as u64)).unwrap(), text);
        let error = read(Some(text.len() as u64 - 1)).unwrap_err().to_string();
        assert!(error.contains("--max-unpacked"), "{error}");
        let zeros = io::repeat(0).take(UNPACKED_FREELY + (1 << 20));
        let archive = zstd::stream::read::Encoder::new(zeros, 1).unwrap();
        let content = decompress(Box::new(archive)).unwrap();
        let error = io::copy(&mut { content }, &mut io::sink()).unwrap_err().to_string();
        assert!(error.contains("1000 times its size"), "{error}");
    }

    #[test]
    fn utf16_is_read_by_its_mark() {
        let text = "1\tnaïve\u{1f600}\n";
        let marked = std::iter::once(0xfeff).chain(text.encode_utf16());
        assert_eq!(text_of(marked.clone().flat_map(u16::to_le_bytes).collect()), text);
        let mut big: Vec<u8> = marked.flat_map(u16::to_be_bytes).collect();
        assert_eq!(text_of(big.clone()), text);
        big.push(0);
        assert_eq!(text_of(big), format!("{text}\u{fffd}"));
        for plain in ["", "(", "(a", "hi", "(b/\u{fd}"] {
            assert_eq!(text_of(plain.as_bytes().to_vec()), plain);
        }
    }
}
