//! A map from hashes to small numbers in the same buckets as weights: a lexicon without strings.
use super::{NARROW, Row, Table, TableFacts, WIDE};
use crossarc_model::{Container, ModelError, SectionBytes};

/// Features per slot: less crowded than weights, since what is dropped here is a known word.
const LOAD: f64 = 0.5;

/// From hashes to numbers below 2^48, one cache line a look-up.
///
/// ```
/// use crossarc_learn::features::hash;
/// use crossarc_learn::packed::PackedMap;
/// let map = PackedMap::build([(hash::text("dog"), 7, 1.0), (hash::text("cat"), 9, 1.0)]);
/// assert_eq!(map.get(hash::text("cat")), Some(9));
/// assert_eq!(map.get(hash::text("bird")), None);
/// ```
#[derive(Clone, Debug)]
pub struct PackedMap {
    table: Table,
}

impl PackedMap {
    /// Packs hashes, their numbers and their importance: of the few that find their bucket full,
    /// the least important are dropped.
    pub fn build(rows: impl IntoIterator<Item = (u64, u64, f32)>) -> PackedMap {
        let rows = rows.into_iter().map(|(feature, number, importance)| {
            let payload: [u8; WIDE] = number.to_le_bytes();
            Row { feature, payload, importance }
        });
        PackedMap { table: Table::build(rows.collect(), NARROW, LOAD) }
    }

    /// The number of a hash.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<u64> {
        let mut number = None;
        self.table.look_up_fetched(&[hash], |payload, there| number = there.then_some(payload));
        number
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.table.words.len() * 8
    }

    /// What goes into the model.
    pub fn section<'a>(&'a self, name: &'a str) -> SectionBytes<'a> {
        SectionBytes { name, bytes: self.table.words.bytes() }
    }

    /// A map from a section of a model.
    pub fn load(container: &Container, name: &str) -> Result<PackedMap, ModelError> {
        let facts = TableFacts { width: NARROW, unit: 1.0 };
        Ok(PackedMap { table: Table::of_section(container, name, facts)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    #[test]
    fn nearly_all_are_found_and_nearly_nothing_else() {
        let mut rng = Seed(21).rng();
        let rows: Vec<_> = (0..20_000).map(|at| (rng.next_u64(), at * 13, 1.0)).collect();
        let map = PackedMap::build(rows.iter().copied());
        let found = rows.iter().filter(|row| map.get(row.0) == Some(row.1)).count();
        assert!(found > 19_700, "{found}");
        let strangers = (0..20_000).filter(|_| map.get(rng.next_u64()).is_some()).count();
        assert!(strangers < 20, "{strangers}");
    }

    #[test]
    fn an_empty_map_finds_nothing() {
        assert_eq!(PackedMap::build([]).get(5), None);
    }
}
