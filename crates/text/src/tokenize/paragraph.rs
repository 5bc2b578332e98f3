//! A paragraph as the tokenizer sees it: characters, pieces and chunks, all found without learning.
//!
//! Every run of blanks is one *cell*, every other character is one. *Pieces* are runs of letters and
//! digits, runs of one sign, and single ideographs; *chunks* stand between blanks. Their hashes are
//! what features are made of, to both sides of a place in the text.
use super::characters::{Class, lower};
use crossarc_learn::features::hash::mix;

/// A run of letters and digits, a run of one sign, or an ideograph.
#[derive(Copy, Clone, Debug, Default)]
pub struct Piece {
    /// First cell.
    pub start: u32,
    /// Cell behind the last.
    pub end: u32,
    /// Hash of the characters in lower case.
    pub lower: u64,
    /// Hash of the classes, runs shortened.
    pub shape: u64,
    /// Whether letters or digits.
    pub is_word: bool,
}

/// A stretch of text between paragraph breaks, prepared for decisions.
#[derive(Clone, Debug, Default)]
pub struct Paragraph {
    /// The characters; a run of blanks is one `' '`.
    pub characters: Vec<char>,
    /// Their classes.
    pub classes: Vec<Class>,
    /// Where each cell starts in the text, in bytes, and the end of the last.
    pub offsets: Vec<u32>,
    /// The piece of each cell; a gap belongs to the piece before it.
    pub piece_of: Vec<u32>,
    /// All pieces.
    pub pieces: Vec<Piece>,
    /// Hash in lower case of the chunk of each piece.
    pub chunks: Vec<u64>,
    /// For each piece how many pieces further the next end of a sentence might be.
    pub to_final: Vec<u32>,
}

impl Paragraph {
    /// Takes in a text, forgetting the one before. Blanks at both ends are left out.
    pub fn fill(&mut self, text: &str) {
        self.characters.clear();
        self.classes.clear();
        self.offsets.clear();
        self.piece_of.clear();
        self.pieces.clear();
        self.chunks.clear();
        self.to_final.clear();
        let mut end = 0;
        let mut gap_at = None;
        for (at, character) in text.char_indices() {
            let class = Class::of(character);
            if class == Class::Gap {
                gap_at = gap_at.or(Some(at));
                continue;
            }
            if let Some(gap) = gap_at.take()
                && !self.characters.is_empty()
            {
                self.characters.push(' ');
                self.classes.push(Class::Gap);
                self.offsets.push(gap as u32);
            }
            self.characters.push(character);
            self.classes.push(class);
            self.offsets.push(at as u32);
            end = at + character.len_utf8();
        }
        self.offsets.push(end as u32);
        self.find_pieces();
        self.find_chunks();
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.characters.len()
    }

    /// True if there is nothing but blanks.
    pub fn is_empty(&self) -> bool {
        self.characters.is_empty()
    }

    fn find_pieces(&mut self) {
        let mut at = 0;
        while at < self.len() {
            if self.classes[at] == Class::Gap {
                self.piece_of.push(self.pieces.len().saturating_sub(1) as u32);
                at += 1;
                continue;
            }
            let start = at;
            let (first, class) = (self.characters[at], self.classes[at]);
            let (mut hash, mut shape, mut last) = (1, 2, Class::Gap);
            while at < self.len() {
                let same = at == start
                    || if class.is_word() {
                        self.classes[at].is_word()
                    } else {
                        class != Class::Ideograph && self.characters[at] == first
                    };
                if !same {
                    break;
                }
                hash = mix(hash, u64::from(lower(self.characters[at])));
                if self.classes[at] != last {
                    last = self.classes[at];
                    shape = mix(shape, last as u64);
                }
                self.piece_of.push(self.pieces.len() as u32);
                at += 1;
            }
            if !class.is_word() {
                shape = mix(shape, u64::from(first));
            }
            let (start, end) = (start as u32, at as u32);
            self.pieces.push(Piece { start, end, lower: hash, shape, is_word: class.is_word() });
        }
    }

    fn find_chunks(&mut self) {
        let mut hash = 3;
        for at in 0..self.pieces.len() {
            hash = mix(hash, self.pieces[at].lower);
            if self.gap_behind(at) {
                self.chunks.resize(at + 1, hash);
                hash = 3;
            }
        }
        let mut distance = u32::MAX;
        self.to_final.resize(self.pieces.len(), 0);
        for at in (0..self.pieces.len()).rev() {
            self.to_final[at] = distance;
            let class = self.classes[self.pieces[at].start as usize];
            distance = if class.is_final() { 0 } else { distance.saturating_add(1) };
        }
    }

    /// Whether a blank or the end follows the piece.
    pub fn gap_behind(&self, piece: usize) -> bool {
        let end = self.pieces[piece].end as usize;
        self.classes.get(end).is_none_or(|&class| class == Class::Gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_words_and_runs_of_signs() {
        let mut paragraph = Paragraph::default();
        paragraph.fill("  Don't\t \n stop... 東京 2nd\u{0}  ");
        let pieces: Vec<String> = paragraph
            .pieces
            .iter()
            .map(|piece| {
                paragraph.characters[piece.start as usize..piece.end as usize].iter().collect()
            })
            .collect();
        assert_eq!(pieces, ["Don", "'", "t", "stop", "...", "東", "京", "2nd"]);
        assert_eq!(paragraph.chunks[0], paragraph.chunks[2]);
        assert_ne!(paragraph.chunks[2], paragraph.chunks[3]);
        assert_eq!(paragraph.characters.iter().filter(|&&c| c == ' ').count(), 3);
        assert_eq!(paragraph.to_final[0], 3);
    }

    #[test]
    fn nothing_is_a_paragraph_too() {
        let mut paragraph = Paragraph::default();
        paragraph.fill(" \r\n ");
        assert!(paragraph.is_empty());
        assert!(paragraph.pieces.is_empty());
    }
}
