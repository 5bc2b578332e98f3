//! Every decoder against enumeration of all trees: best score, marginals, k best, constraints,
//! the approximation against its pseudocode.
use super::approximation::HillClimbing;
use super::decoders::{
    Carreras, ChuLiuEdmonds, DECODERS, DecoderVisitor, DualDecomposition, Eisner, EisnerSibling,
    OneEndpointCrossing, with_decoder,
};
use super::k_best::KBest;
use super::*;
use crossarc_tree::generate::all_trees;
use crossarc_tree::projectivity::is_projective;
use crossarc_tree::seed::{Rng, Seed};
use crossarc_tree::{Label, Node, RootPolicy, Tree};

const POLICIES: [RootPolicy; 2] = [RootPolicy::Single, RootPolicy::Several];
const SHARINGS: [LabelSharing; 2] = [LabelSharing::Shared, LabelSharing::PerLabel];

/// Quarters, so that sums are exact in any order; few values make ties.
fn draw(rng: &mut Rng, values: usize) -> f32 {
    (rng.below(values) as f32 - (values / 2) as f32) / 4.0
}

struct Input {
    words: usize,
    sharing: LabelSharing,
    /// Different scores; 2 makes nearly everything a tie.
    values: usize,
    /// Probability of a candidate arc.
    density: f64,
}

fn random_scores(rng: &mut Rng, input: &Input) -> Scores {
    let mut candidates = Candidates::none(input.words);
    for dependent in (1..=input.words as u32).map(Node) {
        for head in (0..=input.words as u32).map(Node) {
            if rng.chance(input.density) {
                candidates.insert(head, dependent);
            }
        }
    }
    let mut scores = Scores::default();
    scores
        .reset(Order::Grandchild, input.sharing, &candidates, |_, _, labels| {
            // Sometimes none at all.
            labels.extend((0..3).filter(|_| rng.chance(0.7)).map(Label));
        })
        .unwrap();
    scores.fill(|_, _, out| out.iter_mut().for_each(|score| *score = draw(rng, input.values)));
    scores
}

/// All trees with a score: the best labels are found by trying all, or summed over.
struct Enumeration {
    trees: Vec<Tree>,
}

impl Enumeration {
    fn of(words: usize, wanted: impl Fn(&Tree) -> bool) -> Enumeration {
        let mut trees = all_trees(words);
        trees.retain(wanted);
        Enumeration { trees }
    }

    /// Calls `visit` with every labelled tree over the candidates and its score. Labels of
    /// different arcs do not interact, so each arc is scored once for each of its labels.
    fn labelled(&self, scores: &Scores, policy: RootPolicy, order: Order) -> Vec<TreeWithLabels> {
        self.trees
            .iter()
            .filter(|tree| tree.obeys(policy))
            .filter_map(|tree| {
                let arcs: Option<Vec<_>> = tree
                    .words()
                    .map(|word| {
                        let arc = scores.find(tree.head(word), word)?;
                        let family = Family::of(tree.heads(), word);
                        let by_label: Option<Vec<f32>> = (0..scores.labels(arc).len())
                            .map(|label| scores.family(arc, &family, label, order))
                            .collect();
                        Some((arc, by_label?))
                    })
                    .collect();
                Some(TreeWithLabels { arcs: arcs? })
            })
            .collect()
    }
}

struct TreeWithLabels {
    arcs: Vec<(ArcId, Vec<f32>)>,
}

impl TreeWithLabels {
    fn best(&self) -> f32 {
        self.arcs.iter().map(|(_, s)| s.iter().copied().fold(f32::NEG_INFINITY, f32::max)).sum()
    }

    fn log_sum(&self) -> f64 {
        self.arcs.iter().map(|(_, scores)| LogSum::sum(None, None, scores)).sum()
    }
}

fn equals_enumeration<D: Decoder>(decoder: &D, most_words: usize, rounds: usize) {
    let seed = Seed(11).fork(D::NAME, 0);
    let mut rng = seed.rng();
    let mut chart = D::Chart::default();
    let mut best = BestTree::default();
    let (mut found, mut missing, mut proved) = (0, 0, 0);
    for words in 0..=most_words {
        let enumeration = Enumeration::of(words, D::builds);
        for round in 0..if words < 6 { rounds } else { rounds / 10 } {
            for sharing in SHARINGS {
                let values = [1000, 9, 2][round % 3];
                let density = [1.0, 0.7, 0.45][round / 3 % 3];
                let scores = random_scores(&mut rng, &Input { words, sharing, values, density });
                for policy in POLICIES {
                    let all = enumeration.labelled(&scores, policy, D::ORDER);
                    let expected =
                        all.iter().map(TreeWithLabels::best).fold(f32::NEG_INFINITY, f32::max);
                    let context = format!(
                        "{} {seed:?} words {words} round {round} {sharing:?} {policy:?}",
                        D::NAME
                    );
                    match decoder.decode(&scores, policy, &mut chart, &mut best) {
                        Ok(()) => {
                            let tree = best.to_tree().expect(&context);
                            assert!(tree.obeys(policy), "{context}");
                            assert!(D::builds(&tree), "{context}");
                            assert_eq!(scores.tree(&tree, D::ORDER), Some(best.score), "{context}");
                            if best.gap > 0.0 {
                                assert!(!D::EXACT, "{context}");
                                let bound = best.score + best.gap * 1.0001;
                                assert!(best.score <= expected && expected <= bound, "{context}");
                            } else {
                                assert_eq!(best.score, expected, "{context}");
                                proved += 1;
                            }
                            found += 1;
                        }
                        Err(error) => {
                            assert_eq!(error, DecodeError::NoTree, "{context}");
                            assert!(all.is_empty(), "{context}");
                            missing += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(found > 10 * rounds && missing > 0, "{}: {found} found, {missing} missing", D::NAME);
    assert!(10 * proved >= 6 * found, "{}: {proved} of {found} proved", D::NAME);
}

struct EqualsEnumeration;

impl DecoderVisitor for EqualsEnumeration {
    type Output = ();
    fn visit<D: Marginals + Default>(self) {
        equals_enumeration(&D::default(), 6, 40);
        if D::OF_ALL_FACTORS {
            marginals_equal_enumeration(&D::default());
        }
    }
}

#[test]
fn every_decoder_equals_enumeration() {
    for name in DECODERS {
        with_decoder(name, EqualsEnumeration).expect(name);
    }
}

fn marginals_equal_enumeration<D: Marginals>(decoder: &D) {
    let seed = Seed(12).fork(D::NAME, 0);
    let mut rng = seed.rng();
    let mut memory = D::Memory::default();
    let (mut marginals, mut by_arc) = (Vec::new(), Vec::new());
    let mut compared = 0;
    for words in 1..=5 {
        let enumeration = Enumeration::of(words, D::builds);
        for round in 0..24 {
            for sharing in SHARINGS {
                let density = [1.0, 0.7, 0.45][round % 3];
                let values = [40, 400][round / 3 % 2];
                let scores = random_scores(&mut rng, &Input { words, sharing, values, density });
                for policy in POLICIES {
                    let context = format!(
                        "{} {seed:?} words {words} round {round} {sharing:?} {policy:?}",
                        D::NAME
                    );
                    let all = enumeration.labelled(&scores, policy, D::ORDER);
                    let log_sums: Vec<f64> = all.iter().map(TreeWithLabels::log_sum).collect();
                    let total = log_sums.iter().copied().fold(LogSum::ZERO, LogSum::plus);
                    let result = decoder.marginals(&scores, policy, &mut memory, &mut marginals);
                    if all.is_empty() {
                        assert_eq!(result, Err(DecodeError::NoTree), "{context}");
                        continue;
                    }
                    let log_partition = result.expect(&context);
                    assert!((log_partition - total).abs() < 1e-6, "{context}");
                    let mut expected = vec![0.0; marginals.len()];
                    for (tree, log_sum) in all.iter().zip(&log_sums) {
                        for (arc, by_label) in &tree.arcs {
                            let of_arc = LogSum::sum(None, None, by_label);
                            let first = scores.label_range(arc.index()).start;
                            for (label, &score) in by_label.iter().enumerate() {
                                expected[first + label] +=
                                    (log_sum - total + f64::from(score) - of_arc).exp();
                            }
                        }
                    }
                    for (label, (&got, &want)) in marginals.iter().zip(&expected).enumerate() {
                        assert!((got - want).abs() < 1e-6, "{context} label {label}: {got} {want}");
                    }
                    arc_marginals(&scores, &marginals, &mut by_arc);
                    let sum: f64 = by_arc.iter().sum();
                    assert!((sum - words as f64).abs() < 1e-6, "{context}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100, "{}: compared only {compared}", D::NAME);
}

/// Two words that love each other: every tree must break them up. Ordinary determinants lose all
/// digits here; numbers too small for exponentials need logarithms.
#[test]
fn matrix_tree_bears_peaked_scores() {
    for strength in [30.0f32, 80.0, 2000.0] {
        let mut scores = Scores::default();
        let all = Candidates::all(3);
        scores.reset(Order::First, LabelSharing::Shared, &all, |_, _, l| l.push(Label(0))).unwrap();
        scores.fill(|factor, _, out| {
            if let Factor::Arc { head: Node(1), dependent: Node(2) }
            | Factor::Arc { head: Node(2), dependent: Node(1) } = factor
            {
                out[0] = strength;
            }
        });
        let enumeration = Enumeration::of(3, |_| true);
        for policy in POLICIES {
            let all = enumeration.labelled(&scores, policy, Order::First);
            let total = all.iter().map(TreeWithLabels::log_sum).fold(LogSum::ZERO, LogSum::plus);
            let (mut memory, mut marginals) = Default::default();
            let got =
                ChuLiuEdmonds.marginals(&scores, policy, &mut memory, &mut marginals).unwrap();
            assert!((got - total).abs() < 1e-9, "{strength} {policy:?}: {got} {total}");
            for (arc, &got) in scores.arcs().zip(&marginals) {
                let want: f64 = all
                    .iter()
                    .filter(|tree| tree.arcs.iter().any(|&(a, _)| a == arc))
                    .map(|tree| (tree.log_sum() - total).exp())
                    .sum();
                assert!((got - want).abs() < 1e-9, "{strength} {policy:?} {arc:?}: {got} {want}");
            }
        }
    }
}

#[test]
fn k_best_equals_enumeration() {
    let seed = Seed(13);
    let mut rng = seed.rng();
    let mut k_best = KBest::default();
    for words in 0..=4 {
        let enumeration = Enumeration::of(words, is_projective);
        for round in 0..20 {
            let values = [1000, 9, 2][round % 3];
            let density = [1.0, 0.6][round % 2];
            let sharing = LabelSharing::Shared;
            let scores = random_scores(&mut rng, &Input { words, sharing, values, density });
            for policy in POLICIES {
                let context = format!("{seed:?} words {words} round {round} {policy:?}");
                let mut all = vec![];
                for tree in enumeration.labelled(&scores, policy, Order::First) {
                    let mut sums = vec![0.0f32];
                    for (_, by_label) in &tree.arcs {
                        sums = sums
                            .iter()
                            .flat_map(|sum| by_label.iter().map(move |score| sum + score))
                            .collect();
                    }
                    all.extend(sums);
                }
                all.sort_by(|a, b| b.total_cmp(a));
                let k = [1, 7, 100_000][round % 3];
                let Ok(trees) = k_best.trees(&scores, policy, k) else {
                    assert!(all.is_empty(), "{context}");
                    continue;
                };
                all.truncate(k);
                let got: Vec<f32> = trees.iter().map(|tree| tree.score).collect();
                assert_eq!(got, all, "{context}");
                let mut different = std::collections::HashSet::new();
                for best in &trees {
                    let tree = best.to_tree().expect(&context);
                    assert_eq!(scores.tree(&tree, Order::First), Some(best.score), "{context}");
                    assert!(tree.obeys(policy) && different.insert(tree), "{context}");
                }
            }
        }
    }
}

/// Figure 2 of Björkelund and Kuhn (2012) to the letter; the policy is part of being a tree.
fn naive_approximation(settings: Approximation, scores: &Scores, start: &Tree) -> Tree {
    let with = |tree: &Tree, word: Node, head: Node, label: Label| {
        Tree::new(
            tree.words()
                .map(|w| if w == word { (head, label) } else { (tree.head(w), tree.label(w)) }),
        )
    };
    let mut tree = start.clone();
    let mut score = scores.tree(&tree, settings.order).unwrap();
    loop {
        let mut best: Option<(f32, Tree)> = None;
        for word in tree.words() {
            for head in (0..=tree.len() as u32).map(Node) {
                let Some(arc) = scores.find(head, word) else { continue };
                for &label in scores.labels(arc) {
                    let Ok(other) = with(&tree, word, head, label) else { continue };
                    if !other.obeys(settings.policy) {
                        continue;
                    }
                    let Some(value) = scores.tree(&other, settings.order) else { continue };
                    if best.as_ref().is_none_or(|&(highest, _)| value > highest) {
                        best = Some((value, other));
                    }
                }
            }
        }
        match best {
            Some((value, other)) if f64::from(value - score) > settings.threshold => {
                (score, tree) = (value, other);
            }
            _ => return tree,
        }
    }
}

#[test]
fn approximation_equals_its_pseudocode() {
    let seed = Seed(14);
    let mut rng = seed.rng();
    let mut climbing = HillClimbing::default();
    let (mut crossing, mut moves) = (0, 0);
    for round in 0..150 {
        let words = 1 + round % 12;
        let values = [1000, 9, 30][round % 3];
        let density = [1.0, 0.6][round % 2];
        let sharing = SHARINGS[round / 2 % 2];
        let scores = random_scores(&mut rng, &Input { words, sharing, values, density });
        for policy in POLICIES {
            for order in [Order::First, Order::Sibling, Order::Grandchild] {
                let (mut chart, mut best) = Default::default();
                if Carreras.decode(&scores, policy, &mut chart, &mut best).is_err() {
                    continue;
                }
                let start = best.to_tree().unwrap();
                best.score = scores.tree(&start, order).unwrap();
                let threshold = [0.3, 0.0, 2.0][round % 3];
                let settings = Approximation { threshold, order, policy };
                moves += climbing.climb(settings, &scores, &mut best);
                let tree = best.to_tree().unwrap();
                let context = format!("{seed:?} round {round} {order:?} {policy:?}");
                assert_eq!(tree, naive_approximation(settings, &scores, &start), "{context}");
                assert_eq!(scores.tree(&tree, order), Some(best.score), "{context}");
                crossing += usize::from(!is_projective(&tree));
            }
        }
    }
    assert!(crossing > 100 && moves > 1000, "{crossing} crossing, {moves} moves");
}

#[test]
fn second_order_decoders_want_second_order_scores() {
    let mut scores = Scores::default();
    let all = Candidates::all(2);
    scores.reset(Order::First, LabelSharing::Shared, &all, |_, _, l| l.push(Label(0))).unwrap();
    let (mut chart, mut best) = Default::default();
    let error = Carreras.decode(&scores, RootPolicy::Single, &mut chart, &mut best);
    let (needed, given) = (Order::Grandchild, Order::First);
    assert_eq!(error, Err(DecodeError::MissingFactors { needed, given }));
    let (mut chart, mut best) = Default::default();
    let error = EisnerSibling.decode(&scores, RootPolicy::Single, &mut chart, &mut best);
    assert!(matches!(error, Err(DecodeError::MissingFactors { .. })));
}

#[test]
fn long_sentences_give_a_signal() {
    let mut scores = Scores::default();
    let mut chain = Candidates::none(5_000);
    for word in 1..=5_000 {
        chain.insert(Node(word - 1), Node(word));
    }
    scores.reset(Order::First, LabelSharing::Shared, &chain, |_, _, l| l.push(Label(0))).unwrap();
    let (mut chart, mut best) = Default::default();
    let error = Eisner.decode(&scores, RootPolicy::Single, &mut chart, &mut best);
    assert_eq!(error, Err(DecodeError::TooLong { words: 5_000, limit: Eisner::MOST_WORDS }));
    let (mut chart, mut best) = Default::default();
    let error = ChuLiuEdmonds.decode(&scores, RootPolicy::Single, &mut chart, &mut best);
    assert_eq!(error, Err(DecodeError::TooLong { words: 5_000, limit: ChuLiuEdmonds::MOST_WORDS }));
    let second = Order::Grandchild;
    scores.reset(second, LabelSharing::Shared, &chain, |_, _, l| l.push(Label(0))).unwrap();
    let (mut chart, mut best) = Default::default();
    let error = Carreras.decode(&scores, RootPolicy::Single, &mut chart, &mut best);
    assert_eq!(error, Err(DecodeError::TooLong { words: 5_000, limit: Carreras::MOST_WORDS }));
    let all = Candidates::all(800);
    let error = scores.reset(Order::Grandchild, LabelSharing::Shared, &all, |_, _, labels| {
        labels.push(Label(0));
    });
    assert!(matches!(error, Err(DecodeError::TooLarge { .. })));
    // The table is empty after the error, and decoders say so instead of failing.
    let (mut chart, mut best) = Default::default();
    let error = Eisner.decode(&scores, RootPolicy::Single, &mut chart, &mut best);
    assert_eq!(error, Err(DecodeError::NoTree));
}

fn valid_or_refused<D: Decoder>(
    decoder: &D,
    scores: &Scores,
    policy: RootPolicy,
    context: &str,
) -> Option<BestTree> {
    let (mut chart, mut best) = (D::Chart::default(), BestTree::default());
    decoder.decode(scores, policy, &mut chart, &mut best).ok()?;
    let valid = best.to_tree().is_ok_and(|tree| tree.obeys(policy));
    assert!(valid, "{} {context}", D::NAME);
    Some(best)
}

/// Scores that are no numbers must not lead to a panic, a hang or an invalid tree.
#[test]
fn odd_scores_do_no_harm() {
    let seed = Seed(15);
    let mut rng = seed.rng();
    for round in 0..60 {
        let input = Input { words: 5, sharing: SHARINGS[round % 2], values: 9, density: 0.9 };
        let mut scores = random_scores(&mut rng, &input);
        let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN];
        scores.fill(|_, _, out| {
            for score in out {
                *score = if rng.chance(0.2) { odd[rng.below(5)] } else { draw(&mut rng, 9) };
            }
        });
        for policy in POLICIES {
            let context = format!("{seed:?} round {round} {policy:?}");
            valid_or_refused(&Eisner, &scores, policy, &context);
            valid_or_refused(&EisnerSibling, &scores, policy, &context);
            valid_or_refused(&ChuLiuEdmonds, &scores, policy, &context);
            valid_or_refused(&DualDecomposition, &scores, policy, &context);
            valid_or_refused(&OneEndpointCrossing, &scores, policy, &context);
            if let Some(mut best) = valid_or_refused(&Carreras, &scores, policy, &context) {
                let settings = Approximation::new(Order::Grandchild, policy);
                HillClimbing::default().climb(settings, &scores, &mut best);
                assert!(best.to_tree().is_ok_and(|tree| tree.obeys(policy)), "{context}");
            }
            let _ = KBest::default().trees(&scores, policy, 5);
            let (mut memory, mut marginals) = Default::default();
            let _ = ChuLiuEdmonds.marginals(&scores, policy, &mut memory, &mut marginals);
            let (mut memory, mut marginals) = Default::default();
            let _ = Carreras.marginals(&scores, policy, &mut memory, &mut marginals);
        }
    }
}
