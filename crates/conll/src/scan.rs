//! Finding the tabs and line ends of a sentence, eight bytes at a time.
//!
//! Fields are short: calling a search routine for each costs more than the search. Here one pass
//! over words of eight bytes lists them all, with the classic exact test for zero bytes after an
//! exclusive or with the byte that is sought.

const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const TABS: u64 = 0x0909_0909_0909_0909;
const LINE_ENDS: u64 = 0x0a0a_0a0a_0a0a_0a0a;

/// The high bit of every byte that is zero.
fn zero_bytes(word: u64) -> u64 {
    !(((word & LOW) + LOW) | word | LOW)
}

/// Lists the positions of all tabs and line ends.
pub(crate) fn delimiters(text: &[u8], positions: &mut Vec<u32>) {
    positions.clear();
    let (words, rest) = text.as_chunks::<8>();
    let mut base = 0;
    for bytes in words {
        let word = u64::from_le_bytes(*bytes);
        let mut found = zero_bytes(word ^ TABS) | zero_bytes(word ^ LINE_ENDS);
        while found != 0 {
            positions.push(base + found.trailing_zeros() / 8);
            found &= found - 1;
        }
        base += 8;
    }
    for (&byte, at) in rest.iter().zip(base..) {
        if byte == b'\t' || byte == b'\n' {
            positions.push(at);
        }
    }
}

/// Whether there is a control character other than tab and line end.
pub(crate) fn has_control_character(text: &[u8]) -> bool {
    text.chunks(256).any(|chunk| chunk.iter().fold(false, |found, &byte| found | is_control(byte)))
}

/// Whether a byte is a control character other than tab and line end.
pub(crate) fn is_control(byte: u8) -> bool {
    (byte < b' ' && byte != b'\t' && byte != b'\n') || byte == 0x7f
}

/// Whether there is a character from U+0080 to U+009F, which in UTF-8 is C2 and a byte below A0.
pub(crate) fn has_latin_control_character(text: &[u8]) -> bool {
    let next = text.get(1..).unwrap_or_default();
    text.chunks(256).zip(next.chunks(256)).any(|(first, second)| {
        let pairs = first.iter().zip(second);
        pairs.map(|(&first, &second)| u8::from(first == 0xc2 && second < 0xa0)).max() == Some(1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_those_of_the_naive_search() {
        let mut text: Vec<u8> = (0..=255).chain(0..=255).collect();
        let mut found = Vec::new();
        for round in 0..64 {
            text.rotate_left(7 + round % 3);
            text[round * 5] = b"\t\n\x08\x0b\x89\x8a"[round % 6];
            let text = &text[round..];
            let naive = (0..text.len()).filter(|&at| matches!(text[at], b'\t' | b'\n'));
            delimiters(text, &mut found);
            assert!(naive.map(|at| at as u32).eq(found.iter().copied()), "round {round}");
        }
    }

    #[test]
    fn control_characters_are_found_anywhere() {
        let mut text = vec![b'a'; 600];
        text[3] = b'\t';
        text[4] = b'\n';
        assert!(!has_control_character(&text));
        for at in [0, 255, 256, 599] {
            for control in [0, 8, 11, 31, 127] {
                let before = std::mem::replace(&mut text[at], control);
                assert!(has_control_character(&text));
                text[at] = before;
            }
        }
    }
}
