//! Opening files: standard input; gzip, xz, Zstandard and UTF-16 recognised by content.
use std::fs::File;
use std::io::{self, Chain, Cursor, Read};
use std::path::Path;

/// Opens a file, `-` for standard input, and undoes gzip, xz or Zstandard.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        decompress(Box::new(io::stdin()))
    } else {
        decompress(Box::new(File::open(path)?))
    }
}

/// Undoes gzip, xz or Zstandard, and UTF-16 with its mark, recognised by the first bytes; leaves
/// anything else alone.
pub fn decompress(mut input: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
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
    Ok(match &start[..len] {
        [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(whole)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(zstd::Decoder::new(whole)?),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Box::new(Utf16::new(whole)),
        start if is_compressed(start) => Box::new(lzma_rust2::XzReader::new(whole, true)),
        _ => Box::new(whole),
    })
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
