//! Labels that were found a moment ago.
//!
//! In a beam the same arc is named again and again: by hypotheses side by side, and step after step until
//! one of them builds it. Where all features that tell labels apart are the same, so is the best label.
//!
//! ```
//! use crossarc_transition::label_memory::LabelMemory;
//! use crossarc_tree::Label;
//! let mut names = LabelMemory::default();
//! let key = names.key([3, 4].into_iter());
//! assert_eq!(names.get_or_find(key, || (Label(1), 0.5)), (Label(1), 0.5));
//! assert_eq!(names.get_or_find(key, || unreachable!()), (Label(1), 0.5));
//! names.forget();
//! assert_ne!(names.key([3, 4].into_iter()), key);
//! ```
use crossarc_tree::Label;

/// Best labels with their scores, by the features of the arc.
#[derive(Clone, Debug, Default)]
pub struct LabelMemory {
    /// A later key takes the place of an earlier one.
    places: Vec<(u64, Label, f32)>,
    /// Part of all keys, so that nothing is found that was learned with other weights.
    age: u64,
}

impl LabelMemory {
    /// How many are remembered, as a power of two.
    const PLACES: u32 = 9;

    /// One number that stands for a list of features.
    #[inline]
    pub fn key(&self, features: impl Iterator<Item = u64>) -> u64 {
        let key = features.fold(self.age, |key, feature| {
            (key.rotate_left(23) ^ feature).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        key | 1 // zero stands for an empty place
    }

    /// What is remembered for a key, or what is found now.
    #[inline]
    pub fn get_or_find(&mut self, key: u64, find: impl FnOnce() -> (Label, f32)) -> (Label, f32) {
        self.places.resize(1 << LabelMemory::PLACES, (0, Label::default(), 0.0));
        let place = &mut self.places[(key >> (u64::BITS - LabelMemory::PLACES)) as usize];
        if place.0 != key {
            let (label, score) = find();
            *place = (key, label, score);
        }
        (place.1, place.2)
    }

    /// The weights may have changed.
    pub fn forget(&mut self) {
        self.age = self.age.wrapping_add(1);
    }
}
