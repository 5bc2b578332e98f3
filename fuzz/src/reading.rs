//! Files that people read in.
use std::io::{Cursor, Read};

use conll::Format;
use crossarc_neural::vectors::Vectors;

use crate::draws::Draws;

#[path = "../../crates/conll/tests/stability/mod.rs"]
mod stability;

/// The format is recognised by content.
pub fn any(bytes: &[u8]) {
    stability::check(bytes, None);
}

/// What is read and written is read and written the same again.
pub fn conllu(bytes: &[u8]) {
    stability::check(bytes, Some(Format::ConllU));
}

/// The same for CoNLL-U Plus.
pub fn conllup(bytes: &[u8]) {
    stability::check(bytes, Some(Format::ConllUPlus));
}

/// The same for CoNLL-X.
pub fn conllx(bytes: &[u8]) {
    stability::check(bytes, Some(Format::ConllX));
}

/// The same for CoNLL-2009.
pub fn conll09(bytes: &[u8]) {
    stability::check(bytes, Some(Format::Conll2009));
}

/// Bytes that an archive may become here.
const MOST: u64 = 1 << 20;

/// An archive ends, with an error perhaps, and does not pass its limit.
pub fn archive(bytes: &[u8]) {
    let Ok(mut content) = conll::decompress_within(Box::new(Cursor::new(bytes.to_vec())), Some(MOST))
    else {
        return;
    };
    let mut buffer = vec![0; 1 << 16];
    let mut all = 0;
    while let Ok(read @ 1..) = content.read(&mut buffer) {
        all += read as u64;
    }
    assert!(all <= MOST.max(2 * bytes.len() as u64), "{all} bytes");
}

/// Text out of a page is text, and no longer than the page can make it.
pub fn html(bytes: &[u8]) {
    let page = String::from_utf8_lossy(bytes);
    let text = crossarc::text::html::text(&page);
    assert!(text.len() <= 4 * page.len() + 4, "{} of {}", text.len(), page.len());
}

/// Vectors are read or refused, and what was read is stored and read again.
pub fn vectors(bytes: &[u8]) {
    let mut draws = Draws::new(bytes);
    let most = draws.below(100);
    let Ok(vectors) = Vectors::read(Cursor::new(draws.rest().to_vec()), most, |_| true) else {
        return;
    };
    let stored = vectors.sections();
    let section = |name: &str| {
        stored.iter().find(|(known, _)| *known == name).map(|(_, bytes)| bytes.as_slice())
    };
    assert_eq!(Vectors::from_sections(section).as_ref(), Some(&vectors));
}
