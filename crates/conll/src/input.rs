//! Opening files: standard input, and gzip, xz and Zstandard recognised by content.
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

/// Undoes gzip, xz or Zstandard, recognised by the first bytes; leaves anything else alone.
pub fn decompress(mut input: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut start = [0; 6];
    let mut len = 0;
    while len < start.len() {
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
        start if is_compressed(start) => Box::new(lzma_rust2::XzReader::new(whole, true)),
        _ => Box::new(whole),
    })
}

/// Whether the first bytes are those of gzip, xz or Zstandard; none of them can start a treebank.
pub(crate) fn is_compressed(start: &[u8]) -> bool {
    matches!(
        start,
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [0xfd, b'7', b'z', b'X', b'Z', 0x00, ..]
    )
}
