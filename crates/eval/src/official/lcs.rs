//! The longest common subsequence inside a multiword span, with the ties of the official scorer.
//!
//! The official scorer fills a table of `gold x system` cells and walks it from the front: equal
//! forms are matched, else the gold word is skipped if that loses nothing, else the system word.
//! Here the rows of that table are bit vectors (Hyyrö 2004: "Bit-parallel LCS-length computation
//! revisited"), one bit for each step between neighbouring cells, and only the words of a row that
//! change are touched. Rows are kept at every square root of the length and recomputed in between.
//!
//! Time is O(gold x system / 64) at worst and close to the number of equal pairs in practice;
//! memory is O(system x sqrt(gold) / 8) bytes.

/// The largest product of span lengths that is aligned: about a million words on either side.
pub const PAIR_LIMIT: u64 = 1 << 40;

/// A span longer than [`PAIR_LIMIT`] allows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SpanTooLong;

/// Calls `matched` with the positions of each pair of equal words, in order.
pub fn align(
    gold: &[u32],
    system: &[u32],
    mut matched: impl FnMut(usize, usize),
) -> Result<(), SpanTooLong> {
    let prefix = gold.iter().zip(system).take_while(|(g, s)| g == s).count();
    for position in 0..prefix {
        matched(position, position);
    }
    let (gold, system) = (&gold[prefix..], &system[prefix..]);
    if gold.is_empty() || system.is_empty() {
        return Ok(());
    }
    if gold.len() as u64 * system.len() as u64 > PAIR_LIMIT {
        return Err(SpanTooLong);
    }
    let mut table = Table::new(gold, system);
    let (mut g, mut s) = (0, 0);
    while g < gold.len() && s < system.len() {
        if gold[g] == system[s] {
            matched(prefix + g, prefix + s);
            g += 1;
            s += 1;
            table.skip_system();
            table.skip_gold();
        } else if table.skipping_gold_loses_nothing() {
            g += 1;
            table.skip_gold();
        } else {
            s += 1;
            table.skip_system();
        }
    }
    Ok(())
}

/// The lengths of the common subsequences of all suffixes, read from the front backwards.
///
/// Row `i` is about the last `i` gold words. Its bit `j` is 0 where taking one more system word,
/// counted from the end, makes the common subsequence longer.
struct Table<'a> {
    gold: &'a [u32],
    /// System words with their distance from the end, sorted.
    places: Vec<(u32, u32)>,
    width: usize,
    block: usize,
    /// Every `block`-th row.
    kept: Vec<u64>,
    /// The rows `first_row..=first_row + block`.
    rows: Vec<u64>,
    first_row: usize,
    /// Gold and system words that are left.
    row: usize,
    column: usize,
    /// Length of the common subsequence in this row, and with one gold word fewer.
    here: usize,
    below: usize,
}

impl<'a> Table<'a> {
    fn new(gold: &'a [u32], system: &[u32]) -> Table<'a> {
        let width = system.len().div_ceil(64);
        let block = gold.len().isqrt().max(1);
        let mut places: Vec<(u32, u32)> =
            system.iter().rev().enumerate().map(|(place, &form)| (form, place as u32)).collect();
        places.sort_unstable();
        let mut table = Table {
            gold,
            places,
            width,
            block,
            kept: Vec::with_capacity(width * (gold.len() / block + 1)),
            rows: Vec::new(),
            first_row: 0,
            row: gold.len(),
            column: system.len(),
            here: 0,
            below: 0,
        };
        let mut row = vec![u64::MAX; width];
        for index in 0..=gold.len() {
            if index > 0 {
                table.advance(&mut row, index);
            }
            if index % block == 0 {
                table.kept.extend_from_slice(&row);
            }
        }
        table.load_block((gold.len() - 1) / block);
        table.here = table.length(table.row);
        table.below = table.length(table.row - 1);
        table
    }

    /// From row `index - 1` to row `index`.
    fn advance(&self, row: &mut [u64], index: usize) {
        let form = self.gold[self.gold.len() - index];
        let start = self.places.partition_point(|place| place.0 < form);
        let mut places = self.places[start..].iter().take_while(|place| place.0 == form).peekable();
        let mut carry_into = None;
        loop {
            let at = match (carry_into, places.peek()) {
                (Some(at), _) => at,
                (None, Some(place)) => place.1 as usize / 64,
                (None, None) => return,
            };
            let Some(bits) = row.get_mut(at) else { return };
            let mut equal = 0;
            while let Some(place) = places.next_if(|place| place.1 as usize / 64 == at) {
                equal |= 1u64 << (place.1 % 64);
            }
            let (sum, overflow) = bits.overflowing_add(*bits & equal);
            let (sum, carry_overflow) = sum.overflowing_add(u64::from(carry_into.is_some()));
            *bits = sum | (*bits & !equal);
            carry_into = (overflow || carry_overflow).then_some(at + 1);
        }
    }

    fn load_block(&mut self, number: usize) {
        self.first_row = number * self.block;
        let mut row = self.kept[number * self.width..][..self.width].to_vec();
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        rows.extend_from_slice(&row);
        for index in self.first_row + 1..=(self.first_row + self.block).min(self.gold.len()) {
            self.advance(&mut row, index);
            rows.extend_from_slice(&row);
        }
        self.rows = rows;
    }

    fn bits(&self, row: usize) -> &[u64] {
        &self.rows[(row - self.first_row) * self.width..][..self.width]
    }

    /// Length of the common subsequence of the last `row` gold and `self.column` system words.
    fn length(&self, row: usize) -> usize {
        let bits = self.bits(row);
        let (whole, rest) = (self.column / 64, self.column % 64);
        let mut length: usize = bits[..whole].iter().map(|word| word.count_zeros() as usize).sum();
        if rest > 0 {
            length += (!bits[whole] & ((1 << rest) - 1)).count_ones() as usize;
        }
        length
    }

    fn skipping_gold_loses_nothing(&self) -> bool {
        self.here == self.below
    }

    fn skip_gold(&mut self) {
        self.row -= 1;
        self.here = self.below;
        if self.row == 0 {
            return;
        }
        if self.row == self.first_row {
            self.load_block(self.first_row / self.block - 1);
        }
        self.below = self.length(self.row - 1);
    }

    fn skip_system(&mut self) {
        self.column -= 1;
        let step =
            |bits: &[u64]| usize::from(bits[self.column / 64] >> (self.column % 64) & 1 == 0);
        let (here, below) = (step(self.bits(self.row)), step(self.bits(self.row - 1)));
        self.here -= here;
        self.below -= below;
    }
}

#[cfg(test)]
mod tests {
    use super::align;
    use crossarc_tree::seed::Seed;

    /// The definition: the full table and its walk.
    fn by_definition(gold: &[u32], system: &[u32]) -> Vec<(usize, usize)> {
        let mut lengths = vec![vec![0; system.len() + 1]; gold.len() + 1];
        for g in (0..gold.len()).rev() {
            for s in (0..system.len()).rev() {
                let both = lengths[g + 1][s + 1] + usize::from(gold[g] == system[s]);
                lengths[g][s] = both.max(lengths[g + 1][s]).max(lengths[g][s + 1]);
            }
        }
        let (mut g, mut s) = (0, 0);
        let mut pairs = Vec::new();
        while g < gold.len() && s < system.len() {
            if gold[g] == system[s] {
                pairs.push((g, s));
                g += 1;
                s += 1;
            } else if lengths[g][s] == lengths[g + 1][s] {
                g += 1;
            } else {
                s += 1;
            }
        }
        pairs
    }

    fn aligned(gold: &[u32], system: &[u32]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        align(gold, system, |g, s| pairs.push((g, s))).unwrap();
        pairs
    }

    #[test]
    fn a_common_last_word_may_be_matched_early() {
        // gold "x a", system "a y a": the scorer matches the first "a".
        assert_eq!(aligned(&[1, 2], &[2, 3, 2]), [(1, 0)]);
    }

    #[test]
    fn equals_the_full_table_on_random_words() {
        for trial in 0..600 {
            let seed = Seed(7).fork("lcs", trial);
            let mut rng = seed.rng();
            let longest = if trial % 20 == 0 { 400 } else { 30 };
            let forms = 1 + rng.below(if trial % 3 == 0 { 40 } else { 5 });
            let words = |rng: &mut crossarc_tree::seed::Rng| -> Vec<u32> {
                (0..rng.below(longest)).map(|_| rng.below(forms) as u32).collect()
            };
            let (gold, system) = (words(&mut rng), words(&mut rng));
            assert_eq!(aligned(&gold, &system), by_definition(&gold, &system), "{seed:?}");
        }
    }

    #[test]
    fn long_spans_are_aligned_quickly() {
        let gold: Vec<u32> = (0..50_000).collect();
        let system: Vec<u32> = (0..50_000).map(|form| form + 1).collect();
        assert_eq!(aligned(&gold, &system).len(), 49_999);
    }
}
