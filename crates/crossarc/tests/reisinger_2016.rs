//! The traces printed by Reisinger (2016), step by step.
use crossarc::transition::systems::arc_eager::{ArcEager, Static as ArcEagerStatic};
use crossarc::transition::systems::attach_complete::{
    AttachComplete, AttachCompleteSeparate, Static as AttachCompleteStatic,
};
use crossarc::transition::systems::covington::{Covington, CovingtonStatic};
use crossarc::transition::systems::covington_dynamic::CovingtonDynamic;
use crossarc::transition::systems::covington_reduce::{CovingtonReduce, CovingtonReduceStatic};
use crossarc::transition::{
    Arc, MoveSet, Oracle, StateView, SystemOptions, TransitionSystem, derivation,
};
use crossarc::tree::generate::{all_trees, random_projective_tree};
use crossarc::tree::projectivity::is_projective;
use crossarc::tree::seed::Seed;
use crossarc::tree::{Label, Node, RootPolicy, Tree};

/// "John saw a dog which was a Yorkshire terrier yesterday"
const PROJECTIVE: [u32; 10] = [2, 0, 4, 2, 6, 4, 9, 9, 6, 2];
/// "John saw a dog yesterday which was a Yorkshire terrier"
const NON_PROJECTIVE: [u32; 10] = [2, 0, 4, 2, 2, 7, 4, 10, 10, 7];

/// One line per move: its name, the state after it, and the arc it built.
fn trace<S: TransitionSystem, O: Oracle<S>>(
    heads: &[u32],
    show: impl Fn(&S::State) -> String,
) -> Vec<String> {
    let (system, oracle) = (S::new(SystemOptions::default()), O::default());
    let tree = Tree::from_heads(heads).unwrap();
    let gold = oracle.prepare(&system, &tree).unwrap();
    let mut state = S::State::default();
    system.reset(&mut state, tree.len());
    let mut lines = vec![show(&state)];
    while !system.is_final(&state) {
        let (mv, label) = oracle.next(&system, &gold, &state);
        assert!(system.is_legal(&state, mv), "{} {}", mv.name(), show(&state));
        let arc = match system.arc(&state, mv) {
            None => String::new(),
            Some(Arc { head, dependent }) if dependent < head => {
                format!(" {}<-{}", dependent.0, head.0)
            }
            Some(Arc { head, dependent }) => format!(" {}->{}", head.0, dependent.0),
        };
        system.apply(&mut state, mv, label);
        lines.push(format!("{} {}{arc}", mv.name(), show(&state)));
    }
    assert_eq!(state.partial().to_tree(Label::default()).unwrap().heads(), tree.heads());
    lines
}

/// Four or more neighbours in a row are printed with dots, as in the figures.
fn list(words: &[Node]) -> String {
    let numbers: Vec<String> = words.iter().map(|word| word.0.to_string()).collect();
    match words {
        [first, .., last] if words.len() > 3 && last.0 - first.0 + 1 == words.len() as u32 => {
            format!("[{}..{}]", first.0, last.0)
        }
        _ => format!("[{}]", numbers.join(" ")),
    }
}

fn lists(state: &impl StateView) -> String {
    let mut stack: Vec<Node> = (0..).map_while(|depth| state.stack(depth)).collect();
    stack.reverse();
    let passed: Vec<Node> = (0..).map_while(|index| state.passed(index)).collect();
    assert_eq!(passed.len(), state.passed_len());
    let buffer: Vec<Node> = (0..).map_while(|ahead| state.buffer(ahead)).collect();
    format!("{} {} {}", list(&stack), list(&passed), list(&buffer))
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(String::from).collect()
}

#[test]
fn figure_3_4_attach_complete() {
    let figure = lines(
        "[1l 1r] [2l..10r]
        SHIFT [1l 1r 2l] [2r..10r]
        ATTACH-COMPLETE-LEFT [2l] [2r..10r] 1<-2
        SHIFT [2l 2r] [3l..10r]
        SHIFT [2l 2r 3l] [3r..10r]
        SHIFT [2l 2r 3l 3r] [4l..10r]
        SHIFT [2l 2r 3l 3r 4l] [4r..10r]
        ATTACH-COMPLETE-LEFT [2l 2r 4l] [4r..10r] 3<-4
        ATTACH-RIGHT [2l 2r] [4r..10r] 2->4
        SHIFT [2l 2r 4r] [5l..10r]
        SHIFT [2l 2r 4r 5l] [5r..10r]
        SHIFT [2l 2r 4r 5l 5r] [6l..10r]
        SHIFT [2l 2r 4r 5l 5r 6l] [6r..10r]
        ATTACH-COMPLETE-LEFT [2l 2r 4r 6l] [6r..10r] 5<-6
        ATTACH-RIGHT [2l 2r 4r] [6r..10r] 4->6
        SHIFT [2l 2r 4r 6r] [7l..10r]
        SHIFT [2l 2r 4r 6r 7l] [7r..10r]
        SHIFT [2l 2r 4r 6r 7l 7r] [8l..10r]
        SHIFT [2l 2r 4r 6r 7l 7r 8l] [8r..10r]
        SHIFT [2l 2r 4r 6r 7l 7r 8l 8r] [9l..10r]
        SHIFT [2l 2r 4r 6r 7l 7r 8l 8r 9l] [9r..10r]
        ATTACH-COMPLETE-LEFT [2l 2r 4r 6r 7l 7r 9l] [9r..10r] 8<-9
        ATTACH-COMPLETE-LEFT [2l 2r 4r 6r 9l] [9r..10r] 7<-9
        ATTACH-RIGHT [2l 2r 4r 6r] [9r..10r] 6->9
        SHIFT [2l 2r 4r 6r 9r] [10l..10r]
        COMPLETE-RIGHT [2l 2r 4r 6r] [10l..10r]
        COMPLETE-RIGHT [2l 2r 4r] [10l..10r]
        COMPLETE-RIGHT [2l 2r] [10l..10r]
        SHIFT [2l 2r 10l] [10r..10r]
        ATTACH-RIGHT [2l 2r] [10r..10r] 2->10
        SHIFT [2l 2r 10r] []
        COMPLETE-RIGHT [2l 2r] []
        FINISH [] [] 0->2",
    );
    let trace = trace::<AttachComplete, AttachCompleteStatic>(&PROJECTIVE, ToString::to_string);
    // The figure starts after the two copies of the first word were shifted.
    assert_eq!(trace[2], "SHIFT-RIGHT [1l 1r] [2l..10r]");
    let steps: Vec<String> = trace[3..]
        .iter()
        .map(|line| line.replace("SHIFT-LEFT", "SHIFT").replace("SHIFT-RIGHT", "SHIFT"))
        .collect();
    assert_eq!(steps, figure[1..]);
}

/// Figure 3.3 and the transitions of section 3.2, before ATTACH-LEFT and COMPLETE-LEFT are merged.
#[test]
fn attach_complete_with_separate_moves() {
    let steps =
        trace::<AttachCompleteSeparate, AttachCompleteStatic>(&[2, 0, 4, 2], ToString::to_string);
    let expected = lines(
        "[] [1l..4r]
        SHIFT-LEFT [1l] [1r..4r]
        SHIFT-RIGHT [1l 1r] [2l..4r]
        SHIFT-LEFT [1l 1r 2l] [2r..4r]
        ATTACH-LEFT [1l 2l] [2r..4r] 1<-2
        COMPLETE-LEFT [2l] [2r..4r]
        SHIFT-RIGHT [2l 2r] [3l..4r]
        SHIFT-LEFT [2l 2r 3l] [3r..4r]
        SHIFT-RIGHT [2l 2r 3l 3r] [4l..4r]
        SHIFT-LEFT [2l 2r 3l 3r 4l] [4r..4r]
        ATTACH-LEFT [2l 2r 3l 4l] [4r..4r] 3<-4
        COMPLETE-LEFT [2l 2r 4l] [4r..4r]
        ATTACH-RIGHT [2l 2r] [4r..4r] 2->4
        SHIFT-RIGHT [2l 2r 4r] []
        COMPLETE-RIGHT [2l 2r] []
        FINISH [] [] 0->2",
    );
    assert_eq!(steps, expected);
}

#[test]
fn figure_3_5_covington() {
    let figure = lines(
        "[0] [] [1..10]
        SHIFT [0 1] [] [2..10]
        LEFT-ARC [0] [1] [2..10] 1<-2
        RIGHT-ARC [] [0 1] [2..10] 0->2
        SHIFT [0 1 2] [] [3..10]
        SHIFT [0..3] [] [4..10]
        LEFT-ARC [0 1 2] [3] [4..10] 3<-4
        RIGHT-ARC [0 1] [2 3] [4..10] 2->4
        SHIFT [0..4] [] [5..10]
        NO-ARC [0..3] [4] [5..10]
        NO-ARC [0 1 2] [3 4] [5..10]
        RIGHT-ARC [0 1] [2 3 4] [5..10] 2->5
        SHIFT [0..5] [] [6..10]
        SHIFT [0..6] [] [7..10]
        LEFT-ARC [0..5] [6] [7..10] 6<-7
        NO-ARC [0..4] [5 6] [7..10]
        RIGHT-ARC [0..3] [4 5 6] [7..10] 4->7
        SHIFT [0..7] [] [8 9 10]
        SHIFT [0..8] [] [9 10]
        SHIFT [0..9] [] [10]
        LEFT-ARC [0..8] [9] [10] 9<-10
        LEFT-ARC [0..7] [8 9] [10] 8<-10
        RIGHT-ARC [0..6] [7 8 9] [10] 7->10
        SHIFT [0..10] [] []",
    );
    assert_eq!(trace::<Covington, CovingtonStatic>(&NON_PROJECTIVE, lists), figure);
    assert_eq!(trace::<Covington, CovingtonDynamic>(&NON_PROJECTIVE, lists), figure);
}

/// Figure 3.6 is not in the text; these are the steps of Algorithm 3 for the sentence it shows,
/// with the NO-ARC that keeps "dog" for the crossing arc.
#[test]
fn covington_with_reduce_moves() {
    let expected = lines(
        "[0] [] [1..10]
        SHIFT [0 1] [] [2..10]
        LEFT-ARC-REDUCE [0] [] [2..10] 1<-2
        RIGHT-ARC [] [0] [2..10] 0->2
        SHIFT [0 2] [] [3..10]
        SHIFT [0 2 3] [] [4..10]
        LEFT-ARC-REDUCE [0 2] [] [4..10] 3<-4
        RIGHT-ARC [0] [2] [4..10] 2->4
        SHIFT [0 2 4] [] [5..10]
        NO-ARC [0 2] [4] [5..10]
        RIGHT-ARC [0] [2 4] [5..10] 2->5
        SHIFT [0 2 4 5] [] [6..10]
        SHIFT [0 2 4 5 6] [] [7..10]
        LEFT-ARC-REDUCE [0 2 4 5] [] [7..10] 6<-7
        REDUCE [0 2 4] [] [7..10]
        RIGHT-ARC [0 2] [4] [7..10] 4->7
        SHIFT [0 2 4 7] [] [8 9 10]
        SHIFT [0 2 4 7 8] [] [9 10]
        SHIFT [0 2 4 7 8 9] [] [10]
        LEFT-ARC-REDUCE [0 2 4 7 8] [] [10] 9<-10
        LEFT-ARC-REDUCE [0 2 4 7] [] [10] 8<-10
        RIGHT-ARC [0 2 4] [7] [10] 7->10
        SHIFT [0 2 4 7 10] [] []",
    );
    assert_eq!(trace::<CovingtonReduce, CovingtonReduceStatic>(&NON_PROJECTIVE, lists), expected);
}

/// LEFT-ARC-KEEP is for a left dependent that still has a dependent on the far side of its head.
#[test]
fn covington_with_reduce_moves_keeps_what_is_needed() {
    let steps = trace::<CovingtonReduce, CovingtonReduceStatic>(&[2, 0, 1], lists);
    assert_eq!(steps[2], "LEFT-ARC-KEEP [0] [1] [2 3] 1<-2");
    assert_eq!(
        steps[5..],
        ["REDUCE [0 1] [] [3]", "RIGHT-ARC [0] [1] [3] 1->3", "SHIFT [0 1 3] [] []"]
    );
}

/// "Each parse tree corresponds to a unique transition sequence" (section 3.2).
#[test]
fn attach_complete_has_one_derivation_per_tree() {
    fn derivations<S: TransitionSystem>(words: usize) -> Vec<Vec<Node>> {
        let system = S::new(SystemOptions::default());
        let mut state = S::State::default();
        system.reset(&mut state, words);
        let (mut open, mut found) = (vec![state], Vec::new());
        while let Some(state) = open.pop() {
            if system.is_final(&state) {
                found.push(state.partial().to_tree(Label::default()).unwrap().heads().to_vec());
            }
            for &mv in S::Move::ALL.iter().filter(|&&mv| system.is_legal(&state, mv)) {
                let mut after = state.clone();
                system.apply(&mut after, mv, Label::default());
                open.push(after);
            }
        }
        found.sort();
        found
    }
    for words in 0..=6 {
        let single_root = |tree: &Tree| is_projective(tree) && tree.obeys(RootPolicy::Single);
        let mut trees: Vec<Vec<Node>> = all_trees(words)
            .into_iter()
            .filter(single_root)
            .map(|tree| tree.heads().to_vec())
            .collect();
        trees.sort();
        assert_eq!(derivations::<AttachComplete>(words), trees, "{words} words");
        assert_eq!(derivations::<AttachCompleteSeparate>(words), trees, "{words} words");
    }
}

/// On projective trees Covington's parser with reduce moves does what arc-eager does, with a SHIFT
/// of its own after each RIGHT-ARC (section 3.4).
#[test]
fn covington_with_reduce_moves_follows_arc_eager_on_projective_trees() {
    fn names<S: TransitionSystem, O: Oracle<S>>(options: SystemOptions, tree: &Tree) -> String {
        let moves = derivation::<S, O>(options, tree).unwrap();
        moves.iter().map(|(mv, _)| mv.name()).collect::<Vec<_>>().join(" ")
    }
    for round in 0..300 {
        let mut rng = Seed(11).fork("projective", round).rng();
        let words = 1 + rng.below(30);
        let tree = random_projective_tree(&mut rng, words, RootPolicy::Single);
        let options = SystemOptions { roots: RootPolicy::Single, partial: true };
        let eager = names::<ArcEager, ArcEagerStatic>(options, &tree)
            .replace("LEFT-ARC", "LEFT-ARC-REDUCE")
            .replace("RIGHT-ARC", "RIGHT-ARC SHIFT");
        let reduce = names::<CovingtonReduce, CovingtonReduceStatic>(options, &tree);
        assert_eq!(reduce, eager, "seed 11, round {round}: {tree:?}");
    }
}
