//! Decisions without support vectors: the sum over the support vectors is written out as weights of
//! features and of pairs of features, in a table (Kudo and Matsumoto 2003; Goldberg and Elhadad
//! 2008). A decision then costs one look-up for each pair of its features, however many support
//! vectors there are, and one look-up serves all machines.
//!
//! A feature or pair has a row: the machines for which it has a weight. Weights are whole numbers of
//! 16 bits in units that each row chooses, [`UNIT`] times a power of two; weights below a threshold are
//! dropped. Several classifiers, one for each part of the data, share a table.
//!
//! ```
//! use svm::expansion::{Builder, Scratch};
//! use svm::{Examples, Settings, train};
//! let mut examples = Examples::default();
//! examples.push(&[10, 20], 0);
//! examples.push(&[10, 30], 1);
//! let machines = train(&examples, 2, &Settings::default())?;
//! let mut builder = Builder::new(0.0);
//! builder.add(&machines);
//! let expansion = builder.finish();
//! let mut scratch = Scratch::default();
//! expansion.table().values(&expansion.parts[0], 0, &[10, 30], &mut scratch);
//! assert!((scratch.values[0] - machines.values(&[10, 30])[0]).abs() < 0.01);
//! # Ok::<(), svm::SettingsError>(())
//! ```
use std::ops::Range;

use rayon::prelude::*;

use crate::multiclass::{Ballot, Machines, Multiclass};
use crate::prefetch::prefetch;

/// Pairs that are sorted at a time when a table is built.
const ROUND: usize = 8 << 20;
/// Rows per slot, in percent.
const LOAD: usize = 60;
/// What sums are multiples of.
pub const UNIT: f32 = 1.0 / 65536.0;

/// What a part of the data adds to its rows in the table.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// How values become scores.
    pub ballot: Ballot,
    /// What is added to the sums, by machine.
    pub biases: Vec<f32>,
}

/// A table that has been built.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expansion {
    /// Check bits and start of a row, by turns.
    pub slots: Vec<u32>,
    /// Rows: a length, then machines and weights, or only weights if there is one for each machine.
    pub rows: Vec<u32>,
    /// The classifiers that share the table.
    pub parts: Vec<Part>,
}

/// A table, wherever it is kept. No content makes it panic.
#[derive(Copy, Clone, Debug)]
pub struct Table<'a> {
    /// Check bits and start of a row, by turns.
    pub slots: &'a [u32],
    /// Rows: a length, then machines and weights, or only weights if there is one for each machine.
    pub rows: &'a [u32],
}

/// Working memory for decisions.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    mixed: Vec<u64>,
    keys: Vec<u64>,
    found: Vec<u32>,
    sums: Sums,
    /// The values of all machines for the last set of features.
    pub values: Vec<f32>,
}

/// Mixes a name with the number of its part, so well that sums of names do not meet even if names are
/// small numbers.
#[inline]
fn mixed(name: u64, part: usize) -> u64 {
    let salt = (part as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut z = name.wrapping_add(salt);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The key of a pair of mixed names, in either order.
#[inline]
fn pair_key(one: u64, other: u64) -> u64 {
    let sum = one.wrapping_add(other);
    (sum ^ (sum >> 32)).wrapping_mul(0x9FB2_1C65_1E98_DF25)
}

/// The key of a single feature.
#[inline]
fn single_key(one: u64) -> u64 {
    (one ^ 0x2D35_8DCC_AA6C_78A5).wrapping_mul(0x9FB2_1C65_1E98_DF25)
}

/// Where a key starts to be looked for.
#[inline]
fn home(key: u64, slots: usize) -> usize {
    ((u128::from(key) * slots as u128) >> 64) as usize
}

impl Table<'_> {
    /// Computes the values of all machines of a part for a set of features, which must be different.
    #[inline]
    pub fn values(&self, part: &Part, number: usize, features: &[u64], scratch: &mut Scratch) {
        let Scratch { mixed: names, keys, found, sums, values } = scratch;
        names.clear();
        names.extend(features.iter().map(|&name| mixed(name, number)));
        keys.clear();
        for (at, &one) in names.iter().enumerate() {
            keys.push(single_key(one));
            keys.extend(names[..at].iter().map(|&other| pair_key(one, other)));
        }
        sums.reset(part.biases.len());
        self.add(keys, found, sums);
        values.clear();
        values.extend(sums.0.iter().zip(&part.biases).map(|(&sum, bias)| sum as f32 * UNIT + bias));
    }

    fn add(&self, keys: &[u64], found: &mut Vec<u32>, sums: &mut Sums) {
        let count = self.slots.len() / 2;
        if count == 0 {
            return;
        }
        let slot = |at: usize| match self.slots.get(2 * at..2 * at + 2) {
            Some(&[check, row]) => [check, row],
            _ => [0, 0],
        };
        // Nothing waits for memory before more of it has been asked for: first all slots, then the
        // beginnings of all rows, then each row some rows before its turn.
        for &key in keys {
            if let Some(slot) = self.slots.get(2 * home(key, count)) {
                prefetch(slot);
            }
        }
        found.clear();
        for &key in keys {
            let mut at = home(key, count);
            let [mut check, mut row] = slot(at);
            let mut probes = 0;
            while row != 0 && check != key as u32 && probes < count {
                at = if at + 1 == count { 0 } else { at + 1 };
                [check, row] = slot(at);
                probes += 1;
            }
            if row != 0 {
                found.push(row);
                if let Some(length) = self.rows.get(row as usize) {
                    prefetch(length);
                }
            }
        }
        for at in 0..found.len() {
            if let Some(&later) = found.get(at + AHEAD) {
                for line in self.row(later).1.chunks(LINE).skip(1) {
                    prefetch(&line[0]);
                }
            }
            let (length, row) = self.row(found[at]);
            if length & DENSE == 0 {
                sums.add_sparse(row, shift(length));
            } else {
                sums.add_dense(row, shift(length));
            }
        }
    }

    /// The first word of a row, and the others.
    #[inline]
    fn row(&self, start: u32) -> (u32, &[u32]) {
        let rest = self.rows.get(start as usize..).unwrap_or_default();
        let Some((&length, rest)) = rest.split_first() else { return (0, &[]) };
        (length, rest.get(..(length & LENGTH) as usize).unwrap_or_default())
    }
}

/// How many rows before its turn a row is asked for.
const AHEAD: usize = 4;
/// Words of a cache line.
const LINE: usize = 16;
/// In the first word of a row: whether it has a weight for every machine, two in a word.
const DENSE: u32 = 1 << 31;
/// In the first word of a row: how far its weights are shifted.
const SHIFT: u32 = 24;
/// In the first word of a row: how many words follow.
const LENGTH: u32 = (1 << SHIFT) - 1;

#[inline]
fn shift(length: u32) -> u32 {
    (length >> SHIFT) & 15
}

/// True if a row with so many weights had better have all.
fn is_dense(weights: usize, machines: usize) -> bool {
    machines >= 8 && weights * 6 >= machines
}

/// Sums by machine.
#[derive(Clone, Debug, Default)]
struct Sums(Vec<i32>);

impl Sums {
    fn reset(&mut self, machines: usize) {
        self.0.clear();
        self.0.resize(machines, 0);
    }

    #[inline]
    fn add_sparse(&mut self, row: &[u32], shift: u32) {
        for entry in row {
            if let Some(sum) = self.0.get_mut((entry >> 16) as usize) {
                *sum = sum.wrapping_add(i32::from(*entry as u16 as i16) << shift);
            }
        }
    }

    #[inline]
    fn add_dense(&mut self, row: &[u32], shift: u32) {
        for (sum, &weight) in self.0.iter_mut().zip(bytemuck::cast_slice::<u32, i16>(row)) {
            *sum = sum.wrapping_add(i32::from(weight) << shift);
        }
    }
}

impl Expansion {
    /// The table for looking up.
    pub fn table(&self) -> Table<'_> {
        Table { slots: &self.slots, rows: &self.rows }
    }
}

/// A machine and the weight that a row has for it.
type Entry = (u16, f32);

/// A row before the table is made.
struct Row {
    key: u64,
    /// Machines of its part.
    machines: u16,
    /// Support vectors that have it.
    vectors: u32,
    /// Where its weights are.
    entries: Range<usize>,
}

/// Collects the rows of all parts.
pub struct Builder {
    prune: f64,
    parts: Vec<Part>,
    rows: Vec<Row>,
    entries: Vec<Entry>,
}

impl Builder {
    /// Weights smaller than `prune` are dropped.
    pub fn new(prune: f64) -> Builder {
        Builder { prune, parts: Vec::new(), rows: Vec::new(), entries: Vec::new() }
    }

    /// Adds the next part. Time and memory are linear in the pairs of the support vectors.
    pub fn add(&mut self, machines: &Machines) {
        let part = self.parts.len();
        let support = &machines.support;
        // The machines of each support vector.
        let mut roles: Vec<Vec<(u16, f64)>> = vec![Vec::new(); support.len()];
        for (number, machine) in machines.machines.iter().enumerate() {
            for &(at, factor) in &machine.support {
                roles[at as usize].push((number as u16, factor));
            }
        }
        let names: Vec<u64> = support.names().iter().map(|&name| mixed(name, part)).collect();
        let pairs: usize = (0..support.len())
            .map(|at| support.features(at).len())
            .map(|count| count * (count + 1) / 2)
            .sum();
        let rounds = pairs.div_ceil(ROUND).max(1);
        let made: Vec<(Vec<Row>, Vec<Entry>)> = (0..rounds)
            .into_par_iter()
            .map(|round| {
                let mut keys: Vec<(u64, bool, u32)> = Vec::new();
                let mut take = |key: u64, is_pair: bool, at: usize| {
                    if home(key, rounds) == round {
                        keys.push((key, is_pair, at as u32));
                    }
                };
                for at in 0..support.len() {
                    let features = support.features(at);
                    for (rank, &one) in features.iter().enumerate() {
                        let one = names[one as usize];
                        take(single_key(one), false, at);
                        for &other in &features[..rank] {
                            take(pair_key(one, names[other as usize]), true, at);
                        }
                    }
                }
                keys.sort_unstable();
                self.rows(machines, &roles, &keys)
            })
            .collect();
        for (rows, entries) in made {
            let before = self.entries.len();
            self.entries.extend_from_slice(&entries);
            self.rows.extend(rows.into_iter().map(|row| Row {
                entries: row.entries.start + before..row.entries.end + before,
                ..row
            }));
        }
        self.parts.push(Part {
            ballot: machines.ballot.clone(),
            biases: machines
                .machines
                .iter()
                .map(|machine| {
                    let constant = machines.kernel.constant();
                    let sum: f64 = machine.support.iter().map(|&(_, factor)| factor).sum();
                    (machine.bias + constant * sum) as f32
                })
                .collect(),
        });
    }

    /// The rows of sorted keys.
    fn rows(
        &self,
        machines: &Machines,
        roles: &[Vec<(u16, f64)>],
        keys: &[(u64, bool, u32)],
    ) -> (Vec<Row>, Vec<Entry>) {
        let (mut rows, mut entries) = (Vec::new(), Vec::new());
        let mut sums = vec![0.0; machines.machines.len()];
        let mut touched: Vec<u16> = Vec::new();
        for group in keys.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let (key, is_pair, _) = group[0];
            let factor = if is_pair { machines.kernel.pair() } else { machines.kernel.single() };
            for &(.., at) in group {
                for &(machine, coefficient) in &roles[at as usize] {
                    let sum: &mut f64 = &mut sums[usize::from(machine)];
                    if *sum == 0.0 {
                        touched.push(machine);
                    }
                    *sum += coefficient * factor;
                }
            }
            touched.sort_unstable();
            let before = entries.len();
            for &machine in &touched {
                let sum = std::mem::take(&mut sums[usize::from(machine)]);
                if sum.abs() >= self.prune.max(f64::from(UNIT) / 2.0) {
                    entries.push((machine, sum as f32));
                }
            }
            touched.clear();
            if entries.len() > before {
                rows.push(Row {
                    key,
                    machines: machines.machines.len() as u16,
                    vectors: group.len() as u32,
                    entries: before..entries.len(),
                });
            }
        }
        (rows, entries)
    }

    /// Makes the table.
    pub fn finish(self) -> Expansion {
        let Builder { parts, mut rows, entries, .. } = self;
        // Rows that are often looked up stand together, and in the slot where they are looked for.
        rows.sort_by_key(|row| std::cmp::Reverse(row.vectors));
        let count = (rows.len() * 100).div_ceil(LOAD) + 1;
        let mut slots = vec![0; 2 * count];
        let mut table = vec![0];
        for row in &rows {
            let weights = &entries[row.entries.clone()];
            // What does not fit into 16 GiB is what is rarest.
            if table.len() + usize::from(row.machines) >= u32::MAX as usize {
                break;
            }
            let mut slot = home(row.key, count);
            while slots[2 * slot + 1] != 0 {
                slot = (slot + 1) % count;
            }
            slots[2 * slot] = row.key as u32;
            slots[2 * slot + 1] = table.len() as u32;
            let top = weights.iter().fold(0.0, |top: f32, (_, weight)| top.max(weight.abs()));
            let fits = |&shift: &u32| top < UNIT * f32::from(i16::MAX) * (1 << shift) as f32;
            let shift = (0..15).find(fits).unwrap_or(15);
            let unit = UNIT * (1 << shift) as f32;
            // The cast stays at the largest number.
            let number = |weight: f32| u32::from((weight / unit).round() as i16 as u16);
            if is_dense(weights.len(), usize::from(row.machines)) {
                let start = table.len();
                let length = usize::from(row.machines).div_ceil(2);
                table.push(length as u32 | shift << SHIFT | DENSE);
                table.resize(start + 1 + length, 0);
                for &(machine, weight) in weights {
                    let place = start + 1 + usize::from(machine) / 2;
                    table[place] |= number(weight) << (16 * (machine % 2));
                }
            } else {
                table.push(weights.len() as u32 | shift << SHIFT);
                table.extend(
                    weights
                        .iter()
                        .map(|&(machine, weight)| u32::from(machine) << 16 | number(weight)),
                );
            }
        }
        Expansion { slots, rows: table, parts }
    }
}

impl Part {
    /// The part as words to be stored.
    pub fn to_words(&self) -> Vec<u32> {
        let multiclass = u32::from(self.ballot.multiclass() == Multiclass::OneVersusRest);
        let present = self.ballot.present();
        let mut words = vec![multiclass, present.len() as u32];
        words.extend(present.iter().map(|&class| u32::from(class)));
        words.extend(self.biases.iter().map(|bias| bias.to_bits()));
        words
    }

    /// Reads the next part for so many classes; nothing if the words are not of one.
    pub fn from_words(words: &mut &[u32], classes: usize) -> Option<Part> {
        let (&[multiclass, count], rest) = words.split_first_chunk()?;
        let multiclass = match multiclass {
            0 => Multiclass::OneVersusOne,
            1 => Multiclass::OneVersusRest,
            _ => return None,
        };
        let (present, rest) = rest.split_at_checked(count as usize)?;
        let present = present.iter().map(|&class| u16::try_from(class).ok());
        let ballot = Ballot::new(multiclass, classes, present.collect::<Option<_>>()?)?;
        let (biases, rest) = rest.split_at_checked(ballot.len())?;
        let biases: Vec<f32> = biases.iter().map(|&bits| f32::from_bits(bits)).collect();
        *words = rest;
        biases.iter().all(|bias| bias.is_finite()).then_some(Part { ballot, biases })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiclass::best;
    use crate::random::{Random, data};
    use crate::{Settings, train};

    #[test]
    fn the_expansion_is_the_kernel() {
        let mut builder = Builder::new(0.0);
        let parts: Vec<Machines> = [Multiclass::OneVersusOne, Multiclass::OneVersusRest]
            .into_iter()
            .enumerate()
            .map(|(part, multiclass)| {
                let examples = data::examples(part as u64, 1200, 4);
                let settings = Settings { multiclass, ..Settings::default() };
                train(&examples, 4, &settings).expect("trained")
            })
            .collect();
        for machines in &parts {
            builder.add(machines);
        }
        let expansion = builder.finish();
        let mut scratch = Scratch::default();
        for (number, machines) in parts.iter().enumerate() {
            let fresh = data::examples(77, 1000, 4);
            let mut same = 0;
            for at in 0..fresh.len() {
                let names: Vec<u64> = fresh.feature_names(at).collect();
                let part = &expansion.parts[number];
                expansion.table().values(part, number, &names, &mut scratch);
                for (ours, theirs) in scratch.values.iter().zip(machines.values(&names)) {
                    assert!((ours - theirs).abs() < 2e-3, "{number} {at}: {ours} {theirs}");
                }
                let mut scores = [0.0; 4];
                part.ballot.count(&scratch.values, &mut scores);
                same += usize::from(best(&scores) == machines.predict(&names));
            }
            assert!(same >= 999, "part {number}: {same} of 1000 decisions");
        }
    }

    #[test]
    fn names_that_are_alike_have_keys_of_their_own() {
        let mut names: Vec<u64> =
            (0..40).flat_map(|high| [0, 1, 2, 9].map(|low| high << 32 | low)).collect();
        names.extend([100, 200, 1 << 63]);
        for part in [0, 1, 7] {
            let mixed: Vec<u64> = names.iter().map(|&name| mixed(name, part)).collect();
            let mut checks: Vec<u64> = mixed.iter().map(|&one| single_key(one)).collect();
            for (at, &one) in mixed.iter().enumerate() {
                checks.extend(mixed[..at].iter().map(|&other| pair_key(one, other)));
            }
            // What a slot tells apart: its place in a large table, and 32 bits.
            let mut seen: Vec<(usize, u32)> =
                checks.iter().map(|&key| (home(key, 1 << 10), key as u32)).collect();
            seen.sort_unstable();
            let count = seen.len();
            seen.dedup();
            assert_eq!(seen.len(), count, "part {part}");
        }
    }

    #[test]
    fn parts_are_stored_and_read() {
        let machines = train(&data::examples(1, 300, 4), 9, &Settings::default());
        let mut builder = Builder::new(0.0);
        builder.add(&machines.expect("trained"));
        let part = &builder.finish().parts[0];
        let mut words = part.to_words();
        words.push(5);
        let mut rest = &words[..];
        assert_eq!(Part::from_words(&mut rest, 9).as_ref(), Some(part));
        assert_eq!(rest, [5]);
        for length in 0..words.len() - 1 {
            assert_eq!(Part::from_words(&mut &words[..length], 9), None);
        }
        assert_eq!(Part::from_words(&mut &words[..], 2), None);
    }

    #[test]
    fn a_damaged_table_is_harmless() {
        let machines = train(&data::examples(1, 300, 4), 4, &Settings::default());
        let machines = machines.expect("trained");
        let mut builder = Builder::new(0.0);
        builder.add(&machines);
        let sound = builder.finish();
        let mut random = Random(9);
        for seed in 0..200 {
            let mut damaged = sound.clone();
            for _ in 0..50 {
                let [slot, row] =
                    [damaged.slots.len(), damaged.rows.len()].map(|length| random.below(length));
                damaged.slots[slot] = random.next() as u32;
                damaged.rows[row] = random.next() as u32;
            }
            damaged.rows.truncate(random.below(damaged.rows.len()));
            damaged.slots.truncate(random.below(damaged.slots.len()));
            let names: Vec<u64> = machines.support.feature_names(seed % 50).collect();
            let mut scratch = Scratch::default();
            damaged.table().values(&damaged.parts[0], 0, &names, &mut scratch);
            assert_eq!(scratch.values.len(), 6, "seed {seed}");
        }
    }
}
