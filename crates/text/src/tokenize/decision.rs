//! One decision behind every character: does the token, or even the sentence, end here?
//!
//! The decision is linear in hashed features of the characters, pieces and chunks to both sides, of
//! the token as far as it has come, and of the sentence as far as it has come.
use super::characters::Class;
use super::paragraph::Paragraph;
use crossarc_learn::features::hash::mix;

/// What happens behind a character.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Decision {
    /// The token goes on.
    Inside,
    /// The token ends.
    Token,
    /// The token and the sentence end.
    Sentence,
}

impl Decision {
    /// All decisions, in the order of their weights.
    pub const ALL: [Decision; 3] = [Decision::Inside, Decision::Token, Decision::Sentence];
}

/// What has been decided so far, in the paragraph at hand.
#[derive(Copy, Clone, Debug)]
pub struct History {
    /// First cell of the token.
    pub token_start: usize,
    /// Hash of the token so far.
    token: u64,
    /// Hash of the token before.
    last_token: u64,
    /// First cell of the sentence.
    pub sentence_start: usize,
    /// Tokens of the sentence that have ended.
    pub tokens: usize,
    /// Brackets that are open in the sentence.
    open: u32,
    /// Quotation marks seen in the sentence.
    quotes: u32,
    /// Tokens of the sentence that start with a small letter.
    small: u32,
    /// Finals in the sentence, the last token included.
    finals: u32,
}

const TOKEN_START: u64 = 0x51;

impl History {
    /// The start of a sentence.
    pub fn at(cell: usize) -> History {
        History {
            token_start: cell,
            token: TOKEN_START,
            last_token: 0,
            sentence_start: cell,
            tokens: 0,
            open: 0,
            quotes: 0,
            small: 0,
            finals: 0,
        }
    }

    /// Takes in the character of a cell, before the decision behind it.
    #[inline]
    pub fn read(&mut self, paragraph: &Paragraph, cell: usize) {
        let class = paragraph.classes[cell];
        if cell == self.token_start && class == Class::Lower {
            self.small += 1;
        }
        match class {
            Class::Open => self.open += 1,
            Class::Close => self.open = self.open.saturating_sub(1),
            Class::Quote => self.quotes += 1,
            Class::FullStop | Class::Final => self.finals += 1,
            _ => {}
        }
        self.token =
            mix(self.token, u64::from(super::characters::lower(paragraph.characters[cell])));
    }

    /// Takes in the decision behind a cell; `next` is the cell of the next character.
    #[inline]
    pub fn decide(&mut self, decision: Decision, next: usize) {
        match decision {
            Decision::Inside => {}
            Decision::Token => {
                self.token_start = next;
                self.last_token = self.token;
                self.token = TOKEN_START;
                self.tokens += 1;
            }
            Decision::Sentence => *self = History::at(next),
        }
    }
}

fn bucket(number: usize) -> u64 {
    match number {
        0..=3 => number as u64,
        4..=5 => 4,
        6..=8 => 5,
        9..=12 => 6,
        13..=20 => 7,
        21..=35 => 8,
        36..=60 => 9,
        _ => 10,
    }
}

/// Collects hashes under the number of their template.
struct Collector<'a> {
    features: &'a mut Vec<u64>,
    template: u64,
}

impl Collector<'_> {
    #[inline]
    fn add<const N: usize>(&mut self, values: [u64; N]) {
        self.template += 1;
        let hash = values.iter().fold(self.template << 40, |hash, &value| mix(hash, value));
        self.features.push(mix(hash, self.template));
    }
}

/// Adds the features of the place behind a cell.
pub fn features(paragraph: &Paragraph, history: &History, cell: usize, out: &mut Vec<u64>) {
    out.clear();
    let Paragraph { characters, classes, piece_of, pieces, .. } = paragraph;
    let character = |offset: isize| {
        let at = cell.checked_add_signed(offset);
        at.and_then(|at| characters.get(at)).map_or(1, |&c| u64::from(c))
    };
    let class = |offset: isize| {
        let at = cell.checked_add_signed(offset);
        at.and_then(|at| classes.get(at)).map_or(99, |&class| class as u64)
    };
    let mut list = Collector { features: out, template: 0 };
    let [a3, a2, a1, a0] = [-3, -2, -1, 0].map(character);
    let [b1, b2, b3, b4] = [1, 2, 3, 4].map(character);
    let [k3, k2, k1, k0] = [-3, -2, -1, 0].map(class);
    let [n1, n2, n3, n4] = [1, 2, 3, 4].map(class);
    list.add([k0, n1]);
    list.add([a0]);
    list.add([a1, a0]);
    list.add([a2, a1, a0]);
    list.add([b1]);
    list.add([b1, b2]);
    list.add([b1, b2, b3]);
    list.add([a0, b1]);
    list.add([a1, a0, b1]);
    list.add([a0, b1, b2]);
    list.add([a1, a0, b1, b2]);
    list.add([a2, a1, a0, b1]);
    list.add([a0, b1, b2, b3]);
    list.add([k1, k0, n1, n2]);
    list.add([k2, k1, k0, n1, n2, n3]);
    list.add([k3, k2, k1, k0, n1, n2, n3, n4]);
    list.add([k2, k1, a0, b1, n2, n3]);
    list.add([history.token]);
    list.add([history.token, b1]);
    list.add([history.token, n1, n2]);
    list.add([history.last_token, history.token]);
    list.add([history.last_token, n1, k0]);
    list.add([(cell - history.token_start).min(5) as u64, k0, n1]);
    list.add([a3, a2, a1, a0]);
    list.add([b1, b2, b3, b4]);
    let here = piece_of[cell] as usize;
    let ends = pieces[here].end as usize == cell + 1;
    if !ends {
        return;
    }
    // At the end of a piece, words to both sides.
    list.template = 40;
    let gap = u64::from(n1 == Class::Gap as u64);
    let piece = |offset: isize| here.checked_add_signed(offset).and_then(|at| pieces.get(at));
    let word = |offset| piece(offset).map_or(1, |piece| piece.lower);
    let shape = |offset| piece(offset).map_or(1, |piece| piece.shape);
    let chunk = |offset: isize| {
        let at = here.checked_add_signed(offset);
        at.and_then(|at| paragraph.chunks.get(at)).map_or(1, |&chunk| chunk)
    };
    let [w2, w1, w0] = [-2, -1, 0].map(word);
    let [v1, v2, v3] = [1, 2, 3].map(word);
    let [s2, s1, s0] = [-2, -1, 0].map(shape);
    let [t1, t2, t3] = [1, 2, 3].map(shape);
    let (left, right) = (chunk(0), chunk(1));
    list.add([w0, v1, gap]);
    list.add([w1, w0, gap]);
    list.add([w1, w0, v1]);
    list.add([w0, v1, v2]);
    list.add([v1, gap]);
    list.add([v1, v2, gap]);
    list.add([s0, v1, gap]);
    list.add([s0, v1, v2, gap]);
    list.add([s0, v1, t2, gap]);
    list.add([w0, t1, gap]);
    list.add([w1, w0, t1, gap]);
    list.add([w0, t1, t2, gap]);
    list.add([s1, s0, t1, gap]);
    list.add([s1, s0, t1, t2, gap]);
    list.add([s2, s1, s0, t1, t2, t3, gap]);
    list.add([w2, w1, w0, t1, gap]);
    list.add([s0, t1, t2, t3, gap]);
    list.add([left, n1]);
    list.add([left, t1, gap]);
    list.add([left, right]);
    list.add([right, k0, gap]);
    list.add([w1, s0, t1]);
    list.add([w1, s0, v1]);
    list.add([v3, t2, v1, s0]);
    // What would be the sentence, and what would be left.
    list.template = 80;
    let tokens = bucket(history.tokens);
    let open = u64::from(history.open.min(2)) << 1 | u64::from(history.quotes % 2);
    let first = piece_of[history.sentence_start] as usize;
    let (first_shape, first_word) = (pieces[first].shape, pieces[first].lower);
    let to_final = bucket(paragraph.to_final[here] as usize);
    let left_over = bucket(pieces.len() - 1 - here);
    let small = bucket(history.small as usize);
    let finals = u64::from(history.finals.min(2));
    list.add([tokens, s0, gap]);
    list.add([tokens, s0, t1, gap]);
    list.add([open, s0, t1, gap]);
    list.add([open, tokens, s0, gap]);
    list.add([first_shape, s0, t1, gap]);
    list.add([first_word, tokens, s0, gap]);
    list.add([to_final, s0, t1, gap]);
    list.add([to_final, v1, gap]);
    list.add([to_final, tokens, s0, t1]);
    list.add([left_over, s0, t1, gap]);
    list.add([left_over, tokens, gap]);
    list.add([left_over, tokens, s0, t1, gap]);
    list.add([small, tokens, s0, t1, gap]);
    list.add([small, finals, s0, t1, gap]);
    list.add([finals, s0, t1, gap]);
    list.add([first_word, first_shape, w0, gap]);
}
