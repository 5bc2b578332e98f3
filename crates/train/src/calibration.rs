//! Confidences that match how often arcs are right (Platt 1999; Zadrozny and Elkan 2002; Guo et al.
//! 2017).
//!
//! A parser says how sure it is of an arc by scores on a scale of its own. A *temperature* gives them
//! a shape first: the one with the least log loss. Then a rising curve ([`Curve`]) turns what the
//! parser says into the share of such arcs that have the right head and label. The curve is fitted
//! on sentences that the parser has not seen, in two ways: a straight line between log-odds where
//! there is little to see, and a staircase, smoothed into a line with corners, where there is much.
//! Arcs come about in different ways ([`Origin`]), and what a parser says of them is worth more or
//! less: each way has a curve. Nothing here knows a parser, so all kinds are treated alike.
//!
//! ```
//! use crossarc_train::calibration::Curve;
//! // Says 0.9 of everything and is right in six of ten cases.
//! let judged: Vec<(f32, bool)> = (0..1000).map(|n| (0.9, n % 10 < 6)).collect();
//! assert!((Curve::fit(&judged).at(0.9) - 0.6).abs() < 0.01);
//! ```
use serde::{Deserialize, Serialize};

/// The temperature under which confidences fit best (least log loss) how often arcs are right.
/// `judged` gives for a temperature the confidences and whether each arc was right.
pub fn fit_temperature(mut judged: impl FnMut(f32) -> Vec<(f32, bool)>) -> f32 {
    let mut loss = |temperature: f32| -> f64 {
        let arcs = judged(temperature);
        let each = arcs.iter().map(|&(confidence, right)| {
            let sure = f64::from(confidence).clamp(1e-4, 1.0 - 1e-4);
            if right { -sure.ln() } else { -(1.0 - sure).ln() }
        });
        each.sum()
    };
    let grid = (0..14).map(|step| 0.5 * 1.5f32.powi(step));
    let judged = grid.map(|temperature| (loss(temperature), temperature));
    judged.min_by(|one, other| one.0.total_cmp(&other.0)).map_or(1.0, |best| best.1)
}

/// How an arc came about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The parser built it.
    Built,
    /// The word was left over and hangs on the root.
    Left,
    /// It crosses another one in a way that the parser's own search does not know or seldom builds.
    Crossing,
    /// It was changed when the tree was finished: codecs undone, punctuation attached again.
    Changed,
}

impl Origin {
    /// All of them.
    pub const ALL: [Origin; 4] = [Origin::Built, Origin::Left, Origin::Crossing, Origin::Changed];
}

/// A rising curve from what a parser says to a probability, both as log-odds.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Curve(Vec<(f32, f32)>);

/// Log-odds beyond this are cut off.
const MOST_ODDS: f32 = 12.0;
/// Fewer arcs than this give a straight line.
const FEW: usize = 1500;
/// Arcs that a step of the staircase has at least.
const LEAST_STEP: usize = 40;

/// The log-odds of a probability.
pub fn log_odds(probability: f32) -> f32 {
    let sure = f64::from(probability.clamp(0.0, 1.0)).clamp(1e-6, 1.0 - 1e-6);
    (sure / (1.0 - sure)).ln() as f32
}

/// The probability of log-odds.
pub fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Arcs of about the same log-odds.
#[derive(Copy, Clone)]
struct Step {
    odds: f64,
    arcs: f64,
    right: f64,
}

impl Step {
    fn share(&self) -> f64 {
        (self.right + 0.5) / (self.arcs + 1.0)
    }
}

impl Curve {
    /// The curve of arcs with what was said of them and whether they were right.
    pub fn fit(judged: &[(f32, bool)]) -> Curve {
        let mut arcs: Vec<(f32, bool)> = judged
            .iter()
            .map(|&(sure, right)| (log_odds(sure).clamp(-MOST_ODDS, MOST_ODDS), right))
            .collect();
        if arcs.is_empty() {
            return Curve::default();
        }
        arcs.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        if arcs[0].0.total_cmp(&arcs[arcs.len() - 1].0).is_eq() {
            return Curve::point(&arcs);
        }
        if arcs.len() < FEW { Curve::line(&arcs) } else { Curve::staircase(&arcs) }
    }

    /// Where the same was said of all arcs: their share of right ones, and less for arcs of which less is said.
    fn point(arcs: &[(f32, bool)]) -> Curve {
        let right = arcs.iter().filter(|arc| arc.1).count() as f64;
        let share = log_odds(((right + 0.5) / (arcs.len() as f64 + 1.0)) as f32);
        let said = arcs[0].0;
        let least = (-MOST_ODDS, share - (said + MOST_ODDS));
        Curve([least, (said, share)].into_iter().skip(usize::from(said <= least.0)).collect())
    }

    /// A straight line (Platt 1999), by Newton's method, with his targets short of 0 and 1.
    fn line(arcs: &[(f32, bool)]) -> Curve {
        let right = arcs.iter().filter(|arc| arc.1).count() as f64;
        let wrong = arcs.len() as f64 - right;
        let target = [1.0 / (wrong + 2.0), (right + 1.0) / (right + 2.0)];
        let (mut slope, mut start) = (1.0, 0.0);
        for _ in 0..50 {
            // A little weight holds the slope at one where the arcs say nothing.
            let mut gradient = [slope - 1.0, 0.0];
            let mut hessian = [1.0, 0.0, 1e-6];
            for &(odds, is_right) in arcs {
                let odds = f64::from(odds);
                let sure = 1.0 / (1.0 + (-(slope * odds + start)).exp());
                let error = sure - target[usize::from(is_right)];
                let weight = (sure * (1.0 - sure)).max(1e-9);
                gradient[0] += error * odds;
                gradient[1] += error;
                hessian[0] += weight * odds * odds;
                hessian[1] += weight * odds;
                hessian[2] += weight;
            }
            let determinant = (hessian[0] * hessian[2] - hessian[1] * hessian[1]).max(1e-12);
            let step = [
                (hessian[2] * gradient[0] - hessian[1] * gradient[1]) / determinant,
                (hessian[0] * gradient[1] - hessian[1] * gradient[0]) / determinant,
            ];
            slope -= step[0].clamp(-1.0, 1.0);
            start -= step[1].clamp(-2.0, 2.0);
            if step[0].abs() + step[1].abs() < 1e-7 {
                break;
            }
        }
        // A curve never falls.
        let (slope, start) = if slope > 0.0 && slope.is_finite() && start.is_finite() {
            (slope as f32, start as f32)
        } else {
            (0.0, log_odds((right / arcs.len() as f64) as f32))
        };
        Curve([-MOST_ODDS, MOST_ODDS].map(|odds| (odds, slope * odds + start)).to_vec())
    }

    /// The best rising staircase (pool adjacent violators), with corners in the middle of its steps.
    fn staircase(arcs: &[(f32, bool)]) -> Curve {
        let size = LEAST_STEP.max(arcs.len() / 150);
        let mut steps: Vec<Step> = Vec::new();
        let mut at = 0;
        while at < arcs.len() {
            let mut end = (at + size).min(arcs.len());
            // Equal log-odds belong together.
            while end < arcs.len() && arcs[end].0.total_cmp(&arcs[end - 1].0).is_eq() {
                end += 1;
            }
            if arcs.len() - end < size {
                end = arcs.len();
            }
            let part = &arcs[at..end];
            let mut step = Step {
                odds: part.iter().map(|arc| f64::from(arc.0)).sum::<f64>() / part.len() as f64,
                arcs: part.len() as f64,
                right: part.iter().filter(|arc| arc.1).count() as f64,
            };
            while let Some(last) = steps.pop_if(|last| last.share() >= step.share()) {
                let arcs = last.arcs + step.arcs;
                step = Step {
                    odds: (last.odds * last.arcs + step.odds * step.arcs) / arcs,
                    right: last.right + step.right,
                    arcs,
                };
            }
            steps.push(step);
            at = end;
        }
        let corner = |step: &Step| (step.odds as f32, log_odds(step.share() as f32));
        Curve(steps.iter().map(corner).collect())
    }

    /// The probability that an arc of which the parser says this is right.
    pub fn at(&self, said: f32) -> f32 {
        let odds = log_odds(said);
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else {
            return said.clamp(0.0, 1.0);
        };
        if odds <= first.0 || self.0.len() == 1 {
            return probability(first.1);
        }
        if odds >= last.0 {
            return probability(last.1);
        }
        let above = self.0.partition_point(|corner| corner.0 <= odds).clamp(1, self.0.len() - 1);
        let (from, to) = (self.0[above - 1], self.0[above]);
        let share = (odds - from.0) / (to.0 - from.0).max(1e-9);
        probability(from.1 + share * (to.1 - from.1))
    }

    /// True if nothing has been fitted, or if both axes rise all along.
    pub fn rises(&self) -> bool {
        self.0.is_sorted_by(|one, next| one.0 <= next.0 && one.1 <= next.1)
    }
}

/// An arc that was judged: how it came about, what the parser says of it, whether it is right.
pub type Judged = (Origin, f32, bool);

/// A curve for arcs of each origin.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Calibration {
    /// One for each [`Origin`]; the first stands for what is missing.
    curves: Vec<Curve>,
    /// Arcs it was fitted to.
    pub arcs: usize,
    /// True if these are training sentences that another training run has left out.
    pub held_out: bool,
}

/// Arcs that an origin needs for a curve of its own.
const ENOUGH: usize = 60;

impl Calibration {
    /// The curves of arcs that were judged.
    pub fn fit(judged: &[Judged]) -> Calibration {
        let all = |wanted: Option<Origin>| -> Vec<(f32, bool)> {
            let those = judged.iter().filter(|arc| wanted.is_none_or(|origin| origin == arc.0));
            those.map(|&(_, sure, right)| (sure, right)).collect()
        };
        let curve = |&origin: &Origin| {
            let those = all(Some(origin));
            if those.len() >= ENOUGH {
                return Curve::fit(&those);
            }
            if origin == Origin::Built { Curve::fit(&all(None)) } else { Curve::default() }
        };
        let curves = Origin::ALL.iter().map(curve).collect();
        Calibration { curves, arcs: judged.len(), held_out: false }
    }

    /// The same, of sentences that another training run has left out.
    #[must_use]
    pub fn of_held_out(self) -> Calibration {
        Calibration { held_out: true, ..self }
    }

    /// The probability that an arc of which the parser says this has the right head and label.
    pub fn at(&self, origin: Origin, said: f32) -> f32 {
        let own = self.curves.get(origin as usize).filter(|curve| **curve != Curve::default());
        own.or(self.curves.first()).map_or(said.clamp(0.0, 1.0), |curve| curve.at(said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;

    #[test]
    fn where_the_same_was_said_of_all_arcs_less_is_still_less() {
        let sure = Curve::fit(&[(1.0, true); 70]);
        assert!(sure.rises() && sure.at(1.0) > 0.99);
        assert!(
            sure.at(0.9) < 0.9 && sure.at(0.5) < sure.at(0.9),
            "{} {}",
            sure.at(0.9),
            sure.at(0.5)
        );
        let never = Curve::fit(&[(0.0, false); 70]);
        assert!(never.rises() && never.at(0.5) < 0.01);
    }

    /// Arcs that are right as often as a function of what is said of them tells.
    fn drawn(arcs: usize, truth: impl Fn(f32) -> f32) -> Vec<(f32, bool)> {
        let mut rng = Seed(7).rng();
        let mut draw = || rng.below(10_000) as f32 / 10_000.0;
        (0..arcs)
            .map(|_| {
                let said = draw();
                (said, draw() < truth(said))
            })
            .collect()
    }

    #[test]
    fn curves_find_how_often_arcs_are_right() {
        let truths: [fn(f32) -> f32; 3] =
            [|said| said, |said| 0.3 + 0.4 * said, |said| said * said];
        for (at, truth) in truths.into_iter().enumerate() {
            let curve = Curve::fit(&drawn(40_000, truth));
            assert!(curve.rises());
            for said in [0.1, 0.3, 0.5, 0.7, 0.9] {
                let found = curve.at(said);
                assert!((found - truth(said)).abs() < 0.04, "truth {at}: {said} gives {found}");
            }
        }
    }

    #[test]
    fn few_arcs_give_a_line_that_is_not_far_off() {
        let curve = Curve::fit(&drawn(400, |said| said));
        assert_eq!(curve.0.len(), 2);
        for said in [0.1, 0.5, 0.9] {
            assert!((curve.at(said) - said).abs() < 0.12, "{said} gives {}", curve.at(said));
        }
    }

    #[test]
    fn a_curve_never_falls_whatever_is_judged() {
        for round in 0..200 {
            let mut rng = Seed(round).rng();
            let arcs = 1 + rng.below(4000);
            let judged: Vec<(f32, bool)> =
                (0..arcs).map(|_| (rng.below(50) as f32 / 49.0, rng.chance(0.4))).collect();
            let curve = Curve::fit(&judged);
            assert!(curve.rises(), "seed {round}: {curve:?}");
            let mut last = 0.0;
            for said in 0..=100 {
                let found = curve.at(said as f32 / 100.0);
                assert!((0.0..=1.0).contains(&found) && found >= last - 1e-6, "seed {round}");
                last = found;
            }
        }
        // What is surer is oftener wrong: all get the mean.
        let upside_down: Vec<(f32, bool)> = (0..600).map(|n| (n as f32 / 600.0, n < 300)).collect();
        assert!((Curve::fit(&upside_down).at(0.9) - 0.5).abs() < 0.1);
    }

    #[test]
    fn nothing_judged_changes_nothing() {
        assert_eq!(Curve::fit(&[]).at(0.3), 0.3);
        assert_eq!(Calibration::default().at(Origin::Left, 0.3), 0.3);
        let odds = [f32::NAN, -1.0, 2.0].map(|said| Curve::default().at(said));
        assert!(odds[1] == 0.0 && odds[2] == 1.0);
    }

    #[test]
    fn each_origin_has_its_own_curve_if_there_is_enough_of_it() {
        let mut judged: Vec<Judged> =
            drawn(3000, |said| said).into_iter().map(|(s, r)| (Origin::Built, s, r)).collect();
        judged.extend((0..100).map(|n| (Origin::Changed, 0.2, n % 10 != 0)));
        judged.extend((0..10).map(|_| (Origin::Left, 0.2, true)));
        let calibration = Calibration::fit(&judged);
        assert!((calibration.at(Origin::Changed, 0.2) - 0.9).abs() < 0.02);
        assert!((calibration.at(Origin::Left, 0.2) - 0.2).abs() < 0.06, "as if built");
    }
}
