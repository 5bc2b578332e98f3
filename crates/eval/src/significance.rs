//! Is one system really better than another? Four tests on paired outcomes.
//!
//! | test | unit | question |
//! |---|---|---|
//! | [`paired_t_test`] | sentence | is the mean difference of the sentences' scores zero? |
//! | [`mcnemar`] | word | are words that only one system has right equally many for both? |
//! | [`bootstrap`] | sentence | how far does the difference vary over test sets like this one? |
//! | [`randomisation`] | sentence | how often is the difference as large when outputs are swapped? |
//!
//! All tests are two-sided. `McNemar`'s (1947) is exact, by the binomial distribution. The paired
//! bootstrap (Efron and Tibshirani 1993; Berg-Kirkpatrick et al. 2012) draws sentences with
//! replacement; approximate randomisation (Noreen 1989; Yeh 2000) swaps the outputs of sentences
//! with probability 1/2. Both compare the score of the whole test set, not the mean of sentences,
//! and add the observed outcome to the samples, so that no p-value is zero.
//!
//! ```
//! use crossarc_eval::significance::{Share, bootstrap, mcnemar, randomisation};
//! use crossarc_tree::seed::Seed;
//! let first: Vec<Share> = (0..40).map(|_| Share { part: 9, whole: 10 }).collect();
//! let second: Vec<Share> = (0..40).map(|i| Share { part: 7 + i % 3, whole: 10 }).collect();
//! let interval = bootstrap(&first, &second, 1000, 0.95, Seed(1)).unwrap();
//! assert!(interval.low > 0.0 && interval.p < 0.01);
//! assert!(randomisation(&first, &second, 1000, Seed(1)).unwrap().p < 0.01);
//! assert!(mcnemar(10, 9).p > 0.5);
//! ```
use super::evaluation::Counts;
use crossarc_tree::seed::Seed;

/// What is right in a sentence, of how much: a score that sums up over sentences.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Share {
    /// What is right.
    pub part: u64,
    /// Of how much.
    pub whole: u64,
}

impl Share {
    /// UAS of a sentence.
    pub fn of_heads(counts: &Counts) -> Share {
        Share { part: counts.attachment.heads, whole: counts.attachment.words }
    }

    /// LAS of a sentence.
    pub fn of_labelled(counts: &Counts) -> Share {
        Share { part: counts.attachment.labelled, whole: counts.attachment.words }
    }

    /// The share from 0 to 1, 0 of nothing.
    pub fn value(self) -> f64 {
        if self.whole == 0 { 0.0 } else { self.part as f64 / self.whole as f64 }
    }
}

/// The outcome of a paired t-test.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TTest {
    /// Mean difference, first minus second.
    pub difference: f64,
    /// Student's t.
    pub t: f64,
    /// Degrees of freedom.
    pub degrees: u64,
    /// Two-sided p-value.
    pub p: f64,
}

/// Student's paired t-test over sentences; nothing for fewer than two or lists of unequal length.
pub fn paired_t_test(first: &[f64], second: &[f64]) -> Option<TTest> {
    if first.len() != second.len() || first.len() < 2 {
        return None;
    }
    let n = first.len() as f64;
    let differences = || first.iter().zip(second).map(|(a, b)| a - b);
    let mean = differences().sum::<f64>() / n;
    let variance = differences().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0);
    let degrees = first.len() as u64 - 1;
    let (t, p) = if variance > 0.0 {
        let t = mean / (variance / n).sqrt();
        let v = degrees as f64;
        (t, incomplete_beta(v / 2.0, 0.5, v / (v + t * t)))
    } else if mean == 0.0 {
        (0.0, 1.0)
    } else {
        (f64::INFINITY.copysign(mean), 0.0)
    };
    Some(TTest { difference: mean, t, degrees, p })
}

/// The outcome of `McNemar`'s test.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct McNemar {
    /// Words that only the first system has right.
    pub only_first: u64,
    /// Words that only the second system has right.
    pub only_second: u64,
    /// Two-sided exact p-value.
    pub p: f64,
}

/// `McNemar`'s exact test over words.
pub fn mcnemar(only_first: u64, only_second: u64) -> McNemar {
    let (fewer, more) = (only_first.min(only_second) as f64, only_first.max(only_second) as f64);
    let p = if only_first == only_second {
        1.0
    } else {
        // The chance of at most `fewer` heads in `fewer + more` tosses.
        (2.0 * incomplete_beta(more, fewer + 1.0, 0.5)).min(1.0)
    };
    McNemar { only_first, only_second, p }
}

/// [`mcnemar`] from what each system has right, word by word.
pub fn mcnemar_of(outcomes: impl IntoIterator<Item = (bool, bool)>) -> McNemar {
    let (mut only_first, mut only_second) = (0, 0);
    for (first, second) in outcomes {
        only_first += u64::from(first && !second);
        only_second += u64::from(second && !first);
    }
    mcnemar(only_first, only_second)
}

/// The outcome of a paired bootstrap.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Bootstrap {
    /// Observed difference of the scores, first minus second.
    pub difference: f64,
    /// Lower end of the confidence interval of the difference.
    pub low: f64,
    /// Upper end of the confidence interval of the difference.
    pub high: f64,
    /// Two-sided p-value: how often a sample is as far from the difference as that is from zero.
    pub p: f64,
}

/// The paired bootstrap; nothing for lists of unequal length, without content, or no samples.
///
/// `confidence` is the level of the interval, for example 0.95. O(sentences x samples).
pub fn bootstrap(
    first: &[Share],
    second: &[Share],
    samples: usize,
    confidence: f64,
    seed: Seed,
) -> Option<Bootstrap> {
    let observed = difference(first, second)?;
    let mut rng = seed.fork("bootstrap", 0).rng();
    let mut differences = Vec::with_capacity(samples);
    let mut as_far = 0;
    for _ in 0..samples {
        let mut sums = [Share::default(); 2];
        for _ in 0..first.len() {
            let sentence = rng.below(first.len());
            for (sum, shares) in sums.iter_mut().zip([first, second]) {
                sum.part += shares[sentence].part;
                sum.whole += shares[sentence].whole;
            }
        }
        let sample = sums[0].value() - sums[1].value();
        as_far += usize::from(is_as_far(sample - observed, observed));
        differences.push(sample);
    }
    differences.sort_unstable_by(f64::total_cmp);
    let last = differences.len().checked_sub(1)?;
    let outside = (1.0 - confidence.clamp(0.0, 1.0)) / 2.0;
    let at = |quantile: f64| differences[((quantile * last as f64).round() as usize).min(last)];
    Some(Bootstrap {
        difference: observed,
        low: at(outside),
        high: at(1.0 - outside),
        p: (as_far + 1) as f64 / (samples + 1) as f64,
    })
}

/// The outcome of approximate randomisation.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Randomisation {
    /// Observed difference of the scores, first minus second.
    pub difference: f64,
    /// Two-sided p-value.
    pub p: f64,
}

/// Approximate randomisation; nothing for lists of unequal length or without content.
///
/// O(sentences x rounds).
pub fn randomisation(
    first: &[Share],
    second: &[Share],
    rounds: usize,
    seed: Seed,
) -> Option<Randomisation> {
    let observed = difference(first, second)?;
    let mut rng = seed.fork("randomisation", 0).rng();
    let mut as_far = 0;
    for _ in 0..rounds {
        let mut sums = [Share::default(); 2];
        let mut coins = 0;
        for (sentence, (a, b)) in first.iter().zip(second).enumerate() {
            if sentence % 64 == 0 {
                coins = rng.next_u64();
            }
            let swap = (coins & 1) as usize;
            coins >>= 1;
            sums[swap].part += a.part;
            sums[swap].whole += a.whole;
            sums[1 - swap].part += b.part;
            sums[1 - swap].whole += b.whole;
        }
        let sample = sums[0].value() - sums[1].value();
        as_far += usize::from(is_as_far(sample, observed));
    }
    Some(Randomisation { difference: observed, p: (as_far + 1) as f64 / (rounds + 1) as f64 })
}

/// P-values corrected for many comparisons by Holm's (1979) step-down method: if all below a level are
/// taken for differences, the chance of one mistake or more among them is below that level.
///
/// ```
/// use crossarc_eval::significance::holm;
/// assert_eq!(holm(&[0.5, 0.125, 0.25]), [0.5, 0.375, 0.5]); // 3 x 0.125, 2 x 0.25, 1 x 0.5
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut least: f64 = 0.0;
    for (rank, &at) in order.iter().enumerate() {
        least = least.max(p_values[at] * (p_values.len() - rank) as f64).min(1.0);
        corrected[at] = least;
    }
    corrected
}

/// Stars for a p-value: `***` below 0.001, `**` below 0.01, `*` below 0.05.
pub fn stars(p: f64) -> &'static str {
    match p {
        p if p < 0.001 => "***",
        p if p < 0.01 => "**",
        p if p < 0.05 => "*",
        _ => "",
    }
}

fn difference(first: &[Share], second: &[Share]) -> Option<f64> {
    let sum = |shares: &[Share]| Share {
        part: shares.iter().map(|share| share.part).sum(),
        whole: shares.iter().map(|share| share.whole).sum(),
    };
    let (a, b) = (sum(first), sum(second));
    (first.len() == second.len() && a.whole > 0 && b.whole > 0).then(|| a.value() - b.value())
}

/// As far from zero, but for rounding: sums in another order must not lose ties.
fn is_as_far(sample: f64, observed: f64) -> bool {
    sample.abs() >= observed.abs() - 1e-12
}

/// The regularised incomplete beta function, by its continued fraction (Lentz's method).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges quickly below the mean only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta_below_mean(b, a, 1.0 - x);
    }
    incomplete_beta_below_mean(a, b, x)
}

fn incomplete_beta_below_mean(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..100_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction / a
}

/// The logarithm of the gamma function for positive numbers: Stirling's series, shifted upwards.
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 15.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series =
        (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(left: f64, right: f64, tolerance: f64) {
        assert!((left - right).abs() <= tolerance, "{left} is not near {right}");
    }

    fn shares(parts: &[u64]) -> Vec<Share> {
        parts.iter().map(|&part| Share { part, whole: 10 }).collect()
    }

    /// Differences 1, 2, 3, 4, 5: mean 3, variance 2.5, t = 3 / sqrt(0.5); with four degrees of
    /// freedom p = 1 - sin(a) (1 + cos(a)^2 / 2) for tan(a) = t / 2.
    #[test]
    fn t_test_by_hand() {
        let test = paired_t_test(&[1.0, 3.0, 5.0, 7.0, 9.0], &[0.0, 1.0, 2.0, 3.0, 4.0]).unwrap();
        near(test.difference, 3.0, 1e-12);
        near(test.t, 18f64.sqrt(), 1e-12);
        assert_eq!(test.degrees, 4);
        near(test.p, 1.0 - (18.0f64 / 22.0).sqrt() * (1.0 + 2.0 / 22.0), 1e-12);
    }

    /// With one degree of freedom t is Cauchy: t = 1 has p = 1/2.
    #[test]
    fn t_test_of_two_sentences() {
        let test = paired_t_test(&[2.0, 0.0], &[0.0, 0.0]).unwrap();
        near(test.t, 1.0, 1e-12);
        near(test.p, 0.5, 1e-12);
    }

    #[test]
    fn t_test_at_the_edges() {
        assert_eq!(paired_t_test(&[1.0], &[0.0]), None);
        assert_eq!(paired_t_test(&[1.0, 2.0], &[0.0]), None);
        near(paired_t_test(&[1.0, 2.0], &[1.0, 2.0]).unwrap().p, 1.0, 0.0);
        near(paired_t_test(&[1.0, 2.0], &[0.0, 1.0]).unwrap().p, 0.0, 0.0);
    }

    /// At most 2 heads in 12 tosses: 1 + 12 + 66 of 4096 outcomes, twice.
    #[test]
    fn mcnemar_by_hand() {
        near(mcnemar(10, 2).p, 158.0 / 4096.0, 1e-12);
        near(mcnemar(2, 10).p, 158.0 / 4096.0, 1e-12);
        near(mcnemar(0, 5).p, 2.0 / 32.0, 1e-12);
        near(mcnemar(7, 7).p, 1.0, 0.0);
        near(mcnemar(0, 0).p, 1.0, 0.0);
        let words = [(true, false), (true, true), (false, false), (true, false), (false, true)];
        assert_eq!(mcnemar_of(words), mcnemar(2, 1));
    }

    /// Against the sum of binomial coefficients, and the normal approximation for many words.
    #[test]
    fn mcnemar_against_its_definition() {
        for tosses in 1..=40u64 {
            for fewer in 0..tosses.div_ceil(2) {
                let mut term = 1.0;
                let mut sum = 0.0;
                for heads in 0..=fewer {
                    sum += term;
                    term *= (tosses - heads) as f64 / (heads + 1) as f64;
                }
                let expected = (2.0 * sum / 2f64.powi(tosses as i32)).min(1.0);
                near(mcnemar(fewer, tosses - fewer).p, expected, 1e-11);
            }
        }
        near(mcnemar(500_980, 499_020).p, 0.05, 0.001); // 1.96 standard deviations
    }

    /// Sorted 0.01 0.02 0.02 0.3, times 4 3 2 1: 0.04 0.06 0.04 0.3, never falling.
    #[test]
    fn holm_by_hand() {
        let corrected = holm(&[0.02, 0.3, 0.01, 0.02]);
        for (found, expected) in corrected.into_iter().zip([0.06, 0.3, 0.04, 0.06]) {
            near(found, expected, 1e-12);
        }
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
        assert_eq!([0.0009, 0.009, 0.049, 0.05].map(stars), ["***", "**", "*", ""]);
    }

    /// Three sentences, each better by the same: 2 of 8 ways to swap are as extreme.
    #[test]
    fn randomisation_by_hand() {
        let test =
            randomisation(&shares(&[5, 6, 7]), &shares(&[4, 5, 6]), 20_000, Seed(3)).unwrap();
        near(test.difference, 0.1, 1e-12);
        near(test.p, 0.25, 0.02);
    }

    /// Against all 2^8 ways to swap.
    #[test]
    fn randomisation_against_all_swaps() {
        let (first, second) =
            (shares(&[9, 8, 7, 9, 5, 6, 8, 7]), shares(&[7, 8, 6, 9, 6, 3, 7, 7]));
        let total: i64 = 59 - 53;
        let mut as_far = 0;
        for swaps in 0..256u32 {
            let sum: i64 = (0..8)
                .map(|i| {
                    let difference = first[i].part as i64 - second[i].part as i64;
                    if swaps >> i & 1 == 1 { -difference } else { difference }
                })
                .sum();
            as_far += u32::from(sum.abs() >= total.abs());
        }
        let test = randomisation(&first, &second, 20_000, Seed(4)).unwrap();
        near(test.p, f64::from(as_far) / 256.0, 0.02);
    }

    /// Differences 0 and 1 tenth: samples of two have mean 0, 1/2 or 1 tenth with chances 1/4, 1/2
    /// and 1/4, and half of them are as far from 1/2 as that is from 0.
    #[test]
    fn bootstrap_by_hand() {
        let test = bootstrap(&shares(&[5, 6]), &shares(&[5, 5]), 20_000, 0.95, Seed(5)).unwrap();
        near(test.difference, 0.05, 1e-12);
        near(test.p, 0.5, 0.02);
        near(test.low, 0.0, 1e-12);
        near(test.high, 0.1, 1e-12);
        let narrow = bootstrap(&shares(&[5, 6]), &shares(&[5, 5]), 20_000, 0.4, Seed(5)).unwrap();
        near(narrow.low, 0.05, 1e-12);
        near(narrow.high, 0.05, 1e-12);
    }

    #[test]
    fn equal_systems_do_not_differ() {
        let same = shares(&[3, 4, 5]);
        let test = bootstrap(&same, &same, 100, 0.95, Seed(6)).unwrap();
        assert_eq!((test.difference, test.low, test.high, test.p), (0.0, 0.0, 0.0, 1.0));
        assert_eq!(randomisation(&same, &same, 100, Seed(6)).unwrap().p, 1.0);
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let (first, second) = (shares(&[5, 6, 9, 1]), shares(&[4, 7, 6, 1]));
        let run = |seed| bootstrap(&first, &second, 50, 0.9, seed);
        assert_eq!(run(Seed(7)), run(Seed(7)));
        assert_eq!(bootstrap(&first, &second[1..], 50, 0.9, Seed(7)), None);
        assert_eq!(bootstrap(&first, &second, 0, 0.9, Seed(7)), None);
        assert_eq!(randomisation(&[], &[], 50, Seed(7)), None);
    }
}
