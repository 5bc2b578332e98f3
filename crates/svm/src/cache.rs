//! Rows that are kept within a number of bytes; the least recently used one makes place.
const NONE: u32 = u32::MAX;

/// A cache of rows of equal length.
pub struct Cache {
    most_rows: usize,
    /// Where the row of a member is kept.
    places: Vec<u32>,
    rows: Vec<Vec<f32>>,
    /// Whose row it is.
    owners: Vec<u32>,
    /// Neighbours in the order of use.
    newer: Vec<u32>,
    older: Vec<u32>,
    newest: u32,
    oldest: u32,
}

impl Cache {
    /// A cache for a square matrix. At least two rows are kept, since a step needs two.
    pub fn new(members: usize, bytes: usize) -> Cache {
        let most_rows = (bytes / (members.max(1) * size_of::<f32>())).clamp(2, members.max(2));
        Cache {
            most_rows,
            places: vec![NONE; members],
            rows: Vec::new(),
            owners: Vec::new(),
            newer: Vec::new(),
            older: Vec::new(),
            newest: NONE,
            oldest: NONE,
        }
    }

    /// The row of a member, made by `fill` if it is not there.
    pub fn row(&mut self, member: usize, fill: impl FnOnce(&mut Vec<f32>)) -> &[f32] {
        let place = match self.places[member] {
            NONE if self.rows.len() < self.most_rows => {
                self.rows.push(Vec::new());
                self.owners.push(NONE);
                self.newer.push(NONE);
                self.older.push(NONE);
                self.rows.len() - 1
            }
            NONE => {
                let place = self.oldest as usize;
                self.unlink(place);
                self.places[self.owners[place] as usize] = NONE;
                place
            }
            place => {
                self.unlink(place as usize);
                place as usize
            }
        };
        if self.places[member] == NONE {
            fill(&mut self.rows[place]);
            self.places[member] = place as u32;
        }
        self.owners[place] = member as u32;
        self.link(place);
        &self.rows[place]
    }

    /// A row that has just been asked for; empty if it was not.
    pub fn kept(&self, member: usize) -> &[f32] {
        self.rows.get(self.places[member] as usize).map_or(&[], Vec::as_slice)
    }

    fn unlink(&mut self, place: usize) {
        let (newer, older) = (self.newer[place], self.older[place]);
        match newer {
            NONE => self.newest = older,
            newer => self.older[newer as usize] = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.newer[older as usize] = newer,
        }
    }

    fn link(&mut self, place: usize) {
        self.newer[place] = NONE;
        self.older[place] = self.newest;
        match self.newest {
            NONE => self.oldest = place as u32,
            newest => self.newer[newest as usize] = place as u32,
        }
        self.newest = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_row_goes() {
        let mut cache = Cache::new(5, 3 * 5 * size_of::<f32>());
        let mut made = Vec::new();
        for member in [0, 1, 2, 0, 3, 0, 1, 4, 3] {
            let row = cache.row(member, |row| {
                made.push(member);
                *row = vec![member as f32; 5];
            });
            assert_eq!(row, [member as f32; 5]);
        }
        // 3 takes the place of 1, 1 that of 2, 4 that of 3, 3 that of 0.
        assert_eq!(made, [0, 1, 2, 3, 1, 4, 3]);
        assert_eq!(cache.kept(1), [1.0; 5]);
        assert_eq!(cache.kept(0), [0.0; 0]);
    }
}
