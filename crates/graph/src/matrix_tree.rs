//! Sums over all trees, crossing arcs included: the matrix-tree theorem (Tutte 1984; Koo et al.
//! 2007, McDonald and Satta 2007, Smith and Smith 2007 for parsing), O(n³) time.
//!
//! The theorem says that the sum is a determinant. Peaked scores make that determinant nearly
//! singular, and ordinary elimination loses everything to cancellation. So nodes are eliminated
//! without a subtraction (Grassmann, Taksar and Heyman 1985): a word is removed by handing its
//! dependents over to its possible heads, in proportion to their weights. What is left over is
//! positive, the pivots are sums, and their product is the determinant.
//!
//! For a single root the root arcs are taken as infinitely small: a pivot counts them only when
//! one word is left (the derivative at zero of the sum by the weight of the root, which is the
//! sum over trees with one root).
//!
//! Marginals are derivatives of the logarithm, found by walking back through the elimination;
//! every √n-th stage is kept, the others are computed again.
use crate::decoder::DecodeError;
use crate::scores::Scores;
use crate::semiring::{LogSum, Semiring};
use crossarc_tree::RootPolicy;

/// A number that is never negative.
trait Weight: Copy {
    const ZERO: Self;
    fn from_ln(logarithm: f64) -> Self;
    fn ln(self) -> f64;
    fn add(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn divide(self, other: Self) -> Self;
    fn is_positive(self) -> bool;
    /// `part / whole` as a plain number.
    fn share(part: Self, whole: Self) -> f64;
}

impl Weight for f64 {
    const ZERO: f64 = 0.0;
    fn from_ln(logarithm: f64) -> f64 {
        logarithm.exp()
    }
    fn ln(self) -> f64 {
        self.ln()
    }
    fn add(self, other: f64) -> f64 {
        self + other
    }
    fn multiply(self, other: f64) -> f64 {
        self * other
    }
    fn divide(self, other: f64) -> f64 {
        self / other
    }
    fn is_positive(self) -> bool {
        self > 0.0 && self.is_finite()
    }
    fn share(part: f64, whole: f64) -> f64 {
        part / whole
    }
}

/// A number by its logarithm: slower, without overflow or underflow.
#[derive(Copy, Clone, Debug)]
struct ByLogarithm(f64);

impl Weight for ByLogarithm {
    const ZERO: ByLogarithm = ByLogarithm(f64::NEG_INFINITY);
    fn from_ln(logarithm: f64) -> ByLogarithm {
        ByLogarithm(logarithm)
    }
    fn ln(self) -> f64 {
        self.0
    }
    fn add(self, other: ByLogarithm) -> ByLogarithm {
        ByLogarithm(LogSum::plus(self.0, other.0))
    }
    fn multiply(self, other: ByLogarithm) -> ByLogarithm {
        ByLogarithm(self.0 + other.0)
    }
    fn divide(self, other: ByLogarithm) -> ByLogarithm {
        ByLogarithm(self.0 - other.0)
    }
    fn is_positive(self) -> bool {
        self.0 > f64::NEG_INFINITY && self.0 < f64::INFINITY
    }
    fn share(part: ByLogarithm, whole: ByLogarithm) -> f64 {
        (part.0 - whole.0).exp()
    }
}

/// One elimination in one kind of number.
#[derive(Clone, Debug)]
struct Elimination<W> {
    /// Weights by dependent, then head; places of words may be exchanged.
    weights: Vec<W>,
    quotients: Vec<W>,
    kept: Vec<W>,
    stages: Vec<W>,
    shares: Vec<f64>,
    sums: Vec<f64>,
}

impl<W> Default for Elimination<W> {
    fn default() -> Self {
        Elimination {
            weights: vec![],
            quotients: vec![],
            kept: vec![],
            stages: vec![],
            shares: vec![],
            sums: vec![],
        }
    }
}

/// Places of nodes when word `last` is to be eliminated last.
fn exchanged(node: usize, last: usize) -> usize {
    if node == 1 {
        last
    } else if node == last {
        1
    } else {
        node
    }
}

impl<W: Weight> Elimination<W> {
    fn load(&mut self, scores: &Scores, arc_logarithms: &[f64], highest: &[f64], last: usize) {
        let side = scores.words() + 1;
        self.weights.clear();
        self.weights.resize(side * side, W::ZERO);
        for (arc, &logarithm) in scores.arcs().zip(arc_logarithms) {
            let (head, dependent) = (scores.head(arc).index(), scores.dependent(arc).index());
            if logarithm > f64::NEG_INFINITY {
                let place = exchanged(dependent, last) * side + exchanged(head, last);
                self.weights[place] = W::from_ln(logarithm - highest[dependent]);
            }
        }
    }

    /// Divides the weights of the arcs into `word` by their sum over the nodes left (the pivot,
    /// which is returned). The root counts in the pivot only with several roots or at the end.
    fn pivot(&mut self, word: usize, side: usize, policy: RootPolicy) -> W {
        let row = &self.weights[word * side..word * side + word];
        let first = usize::from(policy == RootPolicy::Single && word > 1);
        let pivot = row[first..].iter().fold(W::ZERO, |sum, &weight| sum.add(weight));
        self.quotients.clear();
        self.quotients.extend(row.iter().map(|&weight| weight.divide(pivot)));
        pivot
    }

    /// Hands the dependents of `word` over to its heads.
    fn eliminate(&mut self, word: usize, side: usize) {
        for dependent in 1..word {
            let row = &mut self.weights[dependent * side..dependent * side + side];
            let through = row[word];
            for (head, (weight, &quotient)) in row.iter_mut().zip(&self.quotients).enumerate() {
                if head != dependent {
                    *weight = weight.add(through.multiply(quotient));
                }
            }
        }
    }

    /// The logarithm of the sum over trees, or the place of a word without a pivot.
    fn log_partition(
        &mut self,
        side: usize,
        policy: RootPolicy,
        keep_every: Option<usize>,
    ) -> Result<f64, usize> {
        self.kept.clear();
        let mut sum = 0.0;
        for word in (1..side).rev() {
            if keep_every.is_some_and(|every| (side - 1 - word).is_multiple_of(every)) {
                self.kept.extend_from_slice(&self.weights);
            }
            let pivot = self.pivot(word, side, policy);
            if !pivot.is_positive() {
                return Err(word);
            }
            sum += pivot.ln();
            self.eliminate(word, side);
        }
        Ok(sum)
    }

    /// After [`Self::log_partition`] that kept every `every`-th stage: the share of each arc in
    /// the distribution over trees, into `shares`.
    fn walk_back(&mut self, side: usize, policy: RootPolicy, every: usize) {
        let square = side * side;
        self.shares.clear();
        self.shares.resize(square, 0.0);
        for block in (0..(side - 1).div_ceil(every)).rev() {
            let start = side - 1 - block * every;
            self.weights.clear();
            self.weights.extend_from_slice(&self.kept[block * square..(block + 1) * square]);
            let end = (start + 1).saturating_sub(every).max(1);
            self.stages.clear();
            for word in (end..=start).rev() {
                self.stages.extend_from_slice(&self.weights);
                self.pivot(word, side, policy);
                self.eliminate(word, side);
            }
            for word in end..=start {
                let stage = (start - word) * square;
                self.weights.clear();
                self.weights.extend_from_slice(&self.stages[stage..stage + square]);
                self.give_back(word, side, policy);
            }
        }
    }

    /// Undoes the elimination of `word` for shares; the weights are those before it.
    fn give_back(&mut self, word: usize, side: usize, policy: RootPolicy) {
        let pivot = self.pivot(word, side, policy);
        self.sums.clear();
        self.sums.resize(word, 0.0);
        for dependent in 1..word {
            let row = dependent * side;
            let through = self.weights[row + word];
            if !through.is_positive() {
                continue;
            }
            let mut handed = 0.0;
            for head in (0..word).filter(|&head| head != dependent) {
                let share = self.shares[row + head];
                let detour = through.multiply(self.quotients[head]);
                if share == 0.0 || !detour.is_positive() {
                    continue;
                }
                let direct = self.weights[row + head];
                let whole = direct.add(detour);
                let part = share * W::share(detour, whole);
                self.shares[row + head] = share * W::share(direct, whole);
                self.sums[head] += part;
                handed += part;
            }
            self.shares[row + word] = handed;
        }
        let rest = 1.0 - self.sums.iter().sum::<f64>();
        let first = usize::from(policy == RootPolicy::Single && word > 1);
        for head in 0..word {
            let weight = self.weights[word * side + head];
            let own = if head >= first && weight.is_positive() {
                rest * W::share(weight, pivot)
            } else {
                0.0
            };
            self.shares[word * side + head] = (self.sums[head] + own).clamp(0.0, 1.0);
        }
    }
}

/// Log-partition function and marginals over all trees; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct MatrixTree {
    arc_logarithms: Vec<f64>,
    highest: Vec<f64>,
    plain: Elimination<f64>,
    by_logarithm: Elimination<ByLogarithm>,
}

impl MatrixTree {
    /// The most words a sentence may have; the memory for marginals grows with n² √n.
    pub const MOST_WORDS: usize = 1_000;

    /// The logarithm of the sum over all trees of the exponentials of their scores.
    pub fn log_partition(
        &mut self,
        scores: &Scores,
        policy: RootPolicy,
    ) -> Result<f64, DecodeError> {
        self.solve(scores, policy, None)
    }

    /// Also the probability of each label of each arc, one number for each of
    /// [`Scores::labels`], arc after arc.
    pub fn marginals(
        &mut self,
        scores: &Scores,
        policy: RootPolicy,
        marginals: &mut Vec<f64>,
    ) -> Result<f64, DecodeError> {
        self.solve(scores, policy, Some(marginals))
    }

    fn solve(
        &mut self,
        scores: &Scores,
        policy: RootPolicy,
        mut marginals: Option<&mut Vec<f64>>,
    ) -> Result<f64, DecodeError> {
        let words = scores.words();
        if let Some(marginals) = &mut marginals {
            marginals.clear();
        }
        if words == 0 {
            return Ok(0.0);
        }
        if words > MatrixTree::MOST_WORDS {
            return Err(DecodeError::TooLong { words, limit: MatrixTree::MOST_WORDS });
        }
        self.arc_logarithms.clear();
        self.highest.clear();
        self.highest.resize(words + 1, f64::NEG_INFINITY);
        for arc in scores.arcs() {
            let logarithm = LogSum::sum(None, None, scores.arc_scores(arc));
            self.arc_logarithms.push(logarithm);
            let highest = &mut self.highest[scores.dependent(arc).index()];
            *highest = highest.max(logarithm);
        }
        if !self.highest[1..].iter().all(|highest| highest.is_finite()) {
            return Err(DecodeError::NoTree);
        }
        let MatrixTree { arc_logarithms, highest, plain, by_logarithm } = self;
        let scale: f64 = highest[1..].iter().sum();
        let input = (scores, &arc_logarithms[..], &highest[..]);
        let result = solve_in(plain, input, policy, marginals.as_deref_mut());
        // Nothing left may mean that weights became too small for plain numbers.
        let result = result.or_else(|()| solve_in(by_logarithm, input, policy, marginals));
        result.map(|logarithm| logarithm + scale).map_err(|()| DecodeError::NoTree)
    }
}

fn solve_in<W: Weight>(
    elimination: &mut Elimination<W>,
    (scores, arc_logarithms, highest): (&Scores, &[f64], &[f64]),
    policy: RootPolicy,
    marginals: Option<&mut Vec<f64>>,
) -> Result<f64, ()> {
    let side = scores.words() + 1;
    let every = marginals.is_some().then(|| side.isqrt().max(1));
    let mut last = 1;
    elimination.load(scores, arc_logarithms, highest, last);
    let mut result = elimination.log_partition(side, policy, every);
    if let (Err(word), RootPolicy::Single) = (result, policy) {
        // A word that only the root can head comes last; there can be only one.
        last = word;
        elimination.load(scores, arc_logarithms, highest, last);
        result = elimination.log_partition(side, policy, every);
    }
    let log_partition = result.map_err(|_| ())?;
    if let (Some(marginals), Some(every)) = (marginals, every) {
        elimination.walk_back(side, policy, every);
        for (arc, &logarithm) in scores.arcs().zip(arc_logarithms) {
            let (head, dependent) = (scores.head(arc).index(), scores.dependent(arc).index());
            let place = exchanged(dependent, last) * side + exchanged(head, last);
            let share = elimination.shares[place];
            marginals.extend(scores.arc_scores(arc).iter().map(|&score| {
                if logarithm == f64::NEG_INFINITY {
                    0.0
                } else {
                    share * (f64::from(score) - logarithm).exp()
                }
            }));
        }
    }
    Ok(log_partition)
}
