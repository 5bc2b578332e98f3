//! How much pruning may drop: the share of gold heads that are kept is a target, and the threshold
//! follows from it.
//!
//! On sentences that the pruning model has not seen, each word tells how far behind the best head its
//! gold head is, and how many heads are no further behind. The largest threshold is taken with which
//! [`TARGET`] of the gold heads are kept. Heads cost time, about in proportion to their number, so the
//! target may cost a tenth more of them than the usual threshold does; while fewer than [`FLOOR`] are
//! kept, as in text of another kind, up to twice as many.
//!
//! ```
//! use crossarc_graph::calibration::Calibration;
//! use crossarc_train::graph_options::Pruning;
//! let mut calibration = Calibration::new(24);
//! for word in 0..1000 {
//!     // One gold head in a hundred is five nats behind the best one, where there is one other head.
//!     let gold = if word % 100 == 0 { 5.0 } else { 0.0 };
//!     calibration.add(Some(gold), [0.0, 5.0, 9.0].into_iter());
//! }
//! let usual = Pruning { least_share: 0.01, most_heads: 24 };
//! let fitted = calibration.fit(usual);
//! assert!(fitted.least_share > (-5f64).exp(), "twice the heads for one word in a hundred is too much");
//! assert_eq!(calibration.kept(usual), (0.99, 1.0));
//! ```
use crossarc_train::graph_options::Pruning;

/// The share of gold heads that should be kept.
pub const TARGET: f64 = 0.995;
/// The share of gold heads that may cost more.
pub const FLOOR: f64 = 0.985;
/// Heads that the target may cost, beside those of the usual threshold.
const MORE: f64 = 1.1;
/// Heads that the floor may cost.
const MOST: f64 = 2.0;
/// Each threshold that is tried is this part of the one before.
const STEP: f64 = 0.8;
/// Thresholds that are tried, from twice the usual one on.
const TRIED: i32 = 24;

/// How far behind the best head of their word gold heads and others are.
#[derive(Clone, Debug, Default)]
pub struct Calibration {
    most_heads: usize,
    words: usize,
    /// For each word whose gold head is looked at at all.
    gold: Vec<f32>,
    /// For each head that may be kept.
    heads: Vec<f32>,
}

impl Calibration {
    /// Nothing seen yet; a word keeps at most so many heads.
    pub fn new(most_heads: usize) -> Calibration {
        Calibration { most_heads, ..Calibration::default() }
    }

    /// Takes in a word: how far its gold head is behind the best one, if it is looked at, and how far
    /// each of its heads is.
    pub fn add(&mut self, gold: Option<f32>, heads: impl Iterator<Item = f32>) {
        let start = self.heads.len();
        self.heads.extend(heads);
        self.heads[start..].sort_unstable_by(f32::total_cmp);
        self.heads.truncate(start + self.most_heads.max(1));
        let last = self.heads[start..].last().copied();
        self.words += 1;
        self.gold.extend(gold.filter(|&gold| last.is_some_and(|last| gold <= last)));
    }

    /// Adds what was seen elsewhere.
    pub fn merge(&mut self, other: &Calibration) {
        self.words += other.words;
        self.gold.extend_from_slice(&other.gold);
        self.heads.extend_from_slice(&other.heads);
    }

    /// True if there was no word.
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// The share of gold heads that are kept, and how many heads a word keeps.
    pub fn kept(&self, pruning: Pruning) -> (f64, f64) {
        let furthest = -pruning.least_share.max(1e-30).ln() as f32;
        let near = |list: &[f32]| list.iter().filter(|&&behind| behind <= furthest).count() as f64;
        let words = self.words.max(1) as f64;
        (near(&self.gold) / words, near(&self.heads) / words)
    }

    /// The threshold that keeps enough gold heads and not too many others.
    pub fn fit(&self, usual: Pruning) -> Pruning {
        if self.is_empty() {
            return usual;
        }
        let (_, usual_heads) = self.kept(usual);
        let mut fitted = usual;
        let tried = (0..TRIED).map(|step| 2.0 * usual.least_share * STEP.powi(step));
        for least_share in tried.filter(|&share| share < 1.0) {
            let pruning = Pruning { least_share: rounded(least_share), ..usual };
            let (gold, heads) = self.kept(pruning);
            let so_far = self.kept(fitted).0;
            let most = if so_far < FLOOR { MOST } else { MORE } * usual_heads;
            if heads > most {
                break;
            }
            fitted = pruning;
            if gold >= TARGET {
                break;
            }
        }
        fitted
    }
}

/// Two digits are enough for a threshold.
fn rounded(share: f64) -> f64 {
    format!("{share:.1e}").parse().unwrap_or(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with heads at each whole distance behind the best, the gold one at the first `gold`.
    fn words(gold: &[f32]) -> Calibration {
        let mut calibration = Calibration::new(24);
        for &gold in gold {
            calibration.add(Some(gold), (0..20).map(|behind| behind as f32));
        }
        calibration
    }

    #[test]
    fn pruning_is_as_tight_as_the_target_allows() {
        let usual = Pruning { least_share: 5e-3, most_heads: 24 };
        let sure = words(&[0.0; 100]);
        assert!(sure.fit(usual).least_share > usual.least_share);
        let mut unsure = [0.0; 100];
        unsure[..50].fill(8.0);
        let fitted = words(&unsure).fit(usual);
        assert!(fitted.least_share <= (-8f64).exp(), "{fitted:?}");
        assert_eq!(words(&unsure).kept(fitted).0, 1.0);
    }

    #[test]
    fn heads_are_not_doubled_for_the_last_gold_arcs() {
        let usual = Pruning { least_share: 5e-3, most_heads: 24 };
        let far = words(&[19.0; 10]);
        let (heads, most) = (far.kept(far.fit(usual)).1, far.kept(usual).1 * MOST);
        assert!(heads <= most && heads > most * 0.8, "{heads} of {most}");
        let mut nearly = [0.0; 100];
        nearly[0] = 19.0;
        let nearly = words(&nearly);
        assert!(nearly.kept(nearly.fit(usual)).1 <= nearly.kept(usual).1 * MORE);
    }

    #[test]
    fn a_gold_head_that_is_not_looked_at_is_never_kept() {
        let mut calibration = Calibration::new(2);
        calibration.add(None, [0.0].into_iter());
        calibration.add(Some(3.0), [0.0, 1.0, 2.0, 3.0].into_iter());
        let all = Pruning { least_share: 0.0, most_heads: 2 };
        assert_eq!(calibration.kept(all), (0.0, 1.5));
        assert_eq!(Calibration::new(2).fit(all), all);
    }
}
