//! How many moves an oracle needs: per sentence (Reisinger 2016, Table 5.11), against sentence
//! length (Nivre 2009, section 4.1: the abstract running time), and how often it could have chosen
//! another move (Reisinger 2016, Table 5.9: spurious ambiguity).
//!
//! Linear in the number of moves.
//!
//! ```
//! use crossarc_transition::statistics::statistics;
//! use crossarc_transition::SystemOptions;
//! use crossarc_tree::Tree;
//! let trees = [Tree::from_heads(&[2, 0, 2]).unwrap(), Tree::from_heads(&[0]).unwrap()];
//! let found = statistics("arc-standard", "static", SystemOptions::default(), &trees).unwrap();
//! assert_eq!((found.sentences, found.words, found.moves), (2, 4, 8));
//! assert_eq!((found.line.slope, found.line.r_squared), (2.0, 1.0));
//! ```
use super::oracle::{DynamicOracle, Oracle};
use super::system::{MoveSet, SystemOptions, TransitionSystem};
use super::systems::{SystemVisitor, with_system};
use crossarc_tree::Tree;

/// What the derivations of a treebank have in common.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveStatistics {
    /// Sentences whose tree the system can build.
    pub sentences: usize,
    /// Words of these sentences.
    pub words: usize,
    /// Moves of their derivations.
    pub moves: usize,
    /// Sentences whose tree is out of reach; they do not count otherwise.
    pub unreachable: usize,
    /// How often each move was made, in the order of the system.
    pub by_move: Vec<(&'static str, usize)>,
    /// The words and the moves of each of these sentences.
    pub lengths: Vec<(usize, usize)>,
    /// The number of moves as a multiple of the number of words.
    pub line: Line,
    /// States of the derivations in which another move would have led to the same tree. Known for
    /// dynamic oracles only.
    pub choices: Option<usize>,
}

impl MoveStatistics {
    /// Moves per sentence; 0 without sentences.
    pub fn moves_per_sentence(&self) -> f64 {
        ratio(self.moves, self.sentences)
    }

    /// Moves per word; 0 without words.
    pub fn moves_per_word(&self) -> f64 {
        ratio(self.moves, self.words)
    }

    /// States with a choice per sentence, if known; 0 without sentences.
    pub fn choices_per_sentence(&self) -> Option<f64> {
        self.choices.map(|choices| ratio(choices, self.sentences))
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The line `m = a n` through the origin that fits pairs of numbers best by least squares.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Line {
    /// The factor `a`.
    pub slope: f64,
    /// The share of the variance of `m` that the line explains: 1 minus the squared distances from
    /// the line over those from the mean. 1 if there is no variance and the line is exact.
    pub r_squared: f64,
}

impl Line {
    /// Fits `m = a n` to pairs `(n, m)`.
    pub fn fit(pairs: &[(usize, usize)]) -> Line {
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            pairs.iter().map(|&(n, m)| of(n as f64, m as f64)).sum()
        };
        let squares = sum(&|n, _| n * n);
        let slope = if squares == 0.0 { 0.0 } else { sum(&|n, m| n * m) / squares };
        let mean = sum(&|_, m| m) / pairs.len().max(1) as f64;
        let from_line = sum(&|n, m| (m - slope * n).powi(2));
        let from_mean = sum(&|_, m| (m - mean).powi(2));
        let r_squared = if from_mean > 0.0 {
            1.0 - from_line / from_mean
        } else {
            f64::from(u8::from(from_line == 0.0))
        };
        Line { slope, r_squared }
    }
}

/// Follows the oracle of a system over trees. `None` if there is no such system or oracle.
pub fn statistics(
    system: &str,
    oracle: &str,
    options: SystemOptions,
    trees: &[Tree],
) -> Option<MoveStatistics> {
    with_system(system, oracle, Follow { options, trees })
}

struct Follow<'a> {
    options: SystemOptions,
    trees: &'a [Tree],
}

impl SystemVisitor for Follow<'_> {
    type Output = MoveStatistics;

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) -> MoveStatistics {
        self.follow::<S, O>(|_, _, _| ())
    }

    fn visit_dynamic<S: TransitionSystem, O: DynamicOracle<S>>(self) -> MoveStatistics {
        let oracle = O::default();
        let mut choices = 0;
        let found = self.follow::<S, O>(|system, gold, state| {
            let free = S::Move::ALL.iter().filter(|&&mv| {
                system.is_legal(state, mv) && oracle.cost(system, gold, state, mv) == 0
            });
            choices += usize::from(free.count() > 1);
        });
        MoveStatistics { choices: Some(choices), ..found }
    }
}

impl Follow<'_> {
    fn follow<S: TransitionSystem, O: Oracle<S>>(
        &self,
        mut look: impl FnMut(&S, &O::Gold, &S::State),
    ) -> MoveStatistics {
        let (system, oracle) = (S::new(self.options), O::default());
        let mut state = S::State::default();
        let mut counts = vec![0; S::Move::ALL.len()];
        let mut lengths = Vec::with_capacity(self.trees.len());
        for tree in self.trees {
            let Ok(gold) = oracle.prepare(&system, tree) else { continue };
            system.reset(&mut state, tree.len());
            let mut moves = 0;
            while !system.is_final(&state) {
                look(&system, &gold, &state);
                let (mv, label) = oracle.next(&system, &gold, &state);
                system.apply(&mut state, mv, label);
                counts[mv.index()] += 1;
                moves += 1;
            }
            lengths.push((tree.len(), moves));
        }
        MoveStatistics {
            sentences: lengths.len(),
            words: lengths.iter().map(|&(words, _)| words).sum(),
            moves: lengths.iter().map(|&(_, moves)| moves).sum(),
            unreachable: self.trees.len() - lengths.len(),
            by_move: S::Move::ALL.iter().map(|mv| mv.name()).zip(counts).collect(),
            line: Line::fit(&lengths),
            lengths,
            choices: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_lines() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let line = Line::fit(&[(1, 2), (2, 5), (3, 6)]);
        // a = (2 + 10 + 18) / 14; from the line 5/7, from the mean 26/3.
        assert!(close(line.slope, 30.0 / 14.0), "{line:?}");
        assert!(close(line.r_squared, 1.0 - (5.0 / 7.0) / (26.0 / 3.0)), "{line:?}");
        assert_eq!(Line::fit(&[]), Line { slope: 0.0, r_squared: 1.0 });
        assert_eq!(Line::fit(&[(3, 6), (3, 6)]), Line { slope: 2.0, r_squared: 1.0 });
    }

    #[test]
    fn counts_moves_of_the_figures() {
        let projective = Tree::from_heads(&[2, 0, 4, 2, 6, 4, 9, 9, 6, 2]).unwrap();
        let crossing = Tree::from_heads(&[2, 0, 4, 2, 2, 7, 4, 10, 10, 7]).unwrap();
        let trees = [projective, crossing];
        let options = SystemOptions::default();
        let attach = statistics("attach-complete", "static", options, &trees).unwrap();
        // Figure 3.4 prints 32 moves, after two that it leaves out.
        assert_eq!((attach.sentences, attach.unreachable, attach.moves), (1, 1, 34));
        assert_eq!(attach.choices, None);
        let reduce = statistics("covington-reduce", "static", options, &trees[1..]).unwrap();
        assert_eq!(reduce.moves, 22);
        assert_eq!(reduce.by_move[4], ("REDUCE", 1));
        let covington = statistics("covington", "static", options, &trees[1..]).unwrap();
        assert_eq!(covington.moves, 23);
        assert_eq!(covington.moves_per_word(), 2.3);
        assert_eq!(statistics("covington", "psychic", options, &trees), None);
    }

    #[test]
    fn counts_choices() {
        // One word: attach it now or when it comes back, after SHIFT or NO-ARC; then only SHIFT.
        let trees = [Tree::from_heads(&[0]).unwrap()];
        let options = SystemOptions::default();
        let found = statistics("covington", "dynamic", options, &trees).unwrap();
        assert_eq!((found.moves, found.choices), (2, Some(1)));
        assert_eq!(found.choices_per_sentence(), Some(1.0));
    }
}
