//! Whether confidences can be believed: of the arcs of which a parser is sure by 0.8, are eight in ten
//! right?
//!
//! Arcs go into bins by what the parser says (`Score=` in MISC); in each bin the mean of what it says
//! is compared with the share of arcs whose head and label are right. The *expected calibration error*
//! is the mean difference over all arcs (Naeini et al. 2015). Plain counts, so sums over files are exact.
//!
//! ```
//! use crossarc_eval::Reliability;
//! let mut reliability = Reliability::default();
//! (0..10).for_each(|arc| reliability.add(0.8, arc < 6));
//! assert_eq!(reliability.expected_calibration_error().map(|error| (100.0 * error).round()), Some(20.0));
//! ```
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::evaluation::Scored;

/// Bins of the same width.
pub const BINS: usize = 15;
/// What is said is counted in these parts.
const PARTS: f64 = 1e6;

/// Arcs of which about the same is said.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bin {
    /// The arcs.
    pub arcs: u64,
    /// Those with the right head and label.
    pub right: u64,
    /// The sum of what is said, in millionths.
    said: u64,
}

impl Bin {
    /// The mean of what is said, and the share of right arcs.
    pub fn said_and_right(&self) -> Option<(f64, f64)> {
        let arcs = self.arcs as f64;
        (self.arcs > 0).then(|| (self.said as f64 / PARTS / arcs, self.right as f64 / arcs))
    }
}

/// All arcs with a confidence, by bin.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reliability {
    /// From 0 to 1.
    pub bins: [Bin; BINS],
}

impl AddAssign for Reliability {
    fn add_assign(&mut self, other: Reliability) {
        for (bin, more) in self.bins.iter_mut().zip(other.bins) {
            bin.arcs += more.arcs;
            bin.right += more.right;
            bin.said += more.said;
        }
    }
}

impl Reliability {
    /// Counts an arc.
    pub fn add(&mut self, said: f64, right: bool) {
        let said = said.clamp(0.0, 1.0);
        let bin = &mut self.bins[((said * BINS as f64) as usize).min(BINS - 1)];
        bin.arcs += 1;
        bin.right += u64::from(right);
        bin.said += (said * PARTS).round() as u64;
    }

    /// Counts the words of a sentence that have a score and count.
    pub fn add_scored(&mut self, scored: &Scored<'_>) {
        for (word, gold, system) in scored.pair.words() {
            if let Some(said) = score(scored.parsed.word(word + 1).misc()) {
                self.add(said, gold.head == system.head && gold.label == system.label);
            }
        }
    }

    /// Arcs with a confidence.
    pub fn arcs(&self) -> u64 {
        self.bins.iter().map(|bin| bin.arcs).sum()
    }

    /// By how much confidences are off on average; nothing if there are none.
    pub fn expected_calibration_error(&self) -> Option<f64> {
        let off = |bin: &Bin| {
            let (said, right) = bin.said_and_right().unwrap_or_default();
            bin.arcs as f64 * (said - right).abs()
        };
        let arcs = self.arcs();
        (arcs > 0).then(|| self.bins.iter().map(off).sum::<f64>() / arcs as f64)
    }
}

/// The number behind `Score=` in MISC.
pub fn score(misc: &str) -> Option<f64> {
    misc.split('|').find_map(|part| part.strip_prefix("Score="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_counted() {
        let mut one = Reliability::default();
        assert_eq!(one.expected_calibration_error(), None);
        one.add(0.98, true);
        one.add(0.98, true);
        one.add(0.1, false);
        one.add(0.1, true);
        // Two arcs off by 0.02, two by 0.4.
        let error = one.expected_calibration_error().unwrap();
        assert!((error - 0.21).abs() < 1e-9, "{error}");
        let mut both = one;
        both += one;
        assert_eq!((both.arcs(), both.expected_calibration_error()), (8, Some(error)));
        one.add(7.0, true);
        one.add(-7.0, true);
        assert_eq!((one.bins[BINS - 1].arcs, one.bins[0].arcs), (3, 1));
    }

    #[test]
    fn scores_stand_in_misc() {
        assert_eq!(score("SpaceAfter=No|Score=0.5"), Some(0.5));
        assert_eq!(score("ScoreGold=0.5|Score=high"), None);
    }
}
