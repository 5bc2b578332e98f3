//! Long sentences in windows: each piece is taken from the window in which it stands farthest from an end
//! that is not one of the sentence.
use std::ops::Range;

/// A part of a sentence that is read together, and the pieces that are taken from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// What is read.
    pub read: Range<usize>,
    /// What is taken.
    pub taken: Range<usize>,
}

/// The windows of a sentence of so many pieces, each of at most `most` pieces; what is taken is each piece
/// once.
pub fn windows(pieces: usize, most: usize) -> Vec<Window> {
    if pieces <= most {
        return vec![Window { read: 0..pieces, taken: 0..pieces }];
    }
    let step = most.div_ceil(2);
    let mut found: Vec<Window> = Vec::new();
    let mut start = 0;
    loop {
        let end = (start + most).min(pieces);
        // The last window is as long as the others.
        let start_read = end - most;
        let from = found.last_mut().map_or(0, |before| {
            let middle = start_read + (before.read.end - start_read) / 2;
            before.taken.end = middle;
            middle
        });
        found.push(Window { read: start_read..end, taken: from..end });
        if end == pieces {
            return found;
        }
        start += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_is_taken_once_from_a_window_that_holds_it() {
        for most in [1, 2, 3, 7, 8, 510] {
            for pieces in (0..40).chain([509, 510, 511, 765, 766, 5000]) {
                let found = windows(pieces, most);
                let mut next = 0;
                for Window { read, taken } in &found {
                    assert!(
                        read.len() <= most && read.start <= taken.start && taken.end <= read.end
                    );
                    assert_eq!(taken.start, next);
                    next = taken.end;
                }
                assert_eq!(next, pieces);
            }
        }
        let found = windows(20, 8);
        assert_eq!(found[1], Window { read: 4..12, taken: 6..10 });
    }
}
