//! The conformance kit: what every transition system and every oracle must pass.
//!
//! The list of systems instantiates these checks as tests, one set per line. They panic with the
//! name of the system, the tree or the state, and the seed.
mod searches;

use std::collections::{BTreeSet, HashMap, HashSet};

use super::oracle::{DynamicOracle, ExactOracle, Oracle};
use super::system::{MoveSet, SystemOptions, TransitionSystem};
use crossarc_learn::state::StateView;
use crossarc_tree::generate::{all_trees, label_randomly, random_projective_tree, random_tree};
use crossarc_tree::seed::{Rng, Seed};
use crossarc_tree::{Label, Node, RootPolicy, Tree};

pub use searches::{beam_of_one_is_greedy, searches_recover_gold};

const POLICIES: [RootPolicy; 2] = [RootPolicy::Single, RootPolicy::Several];
const LABELS: u16 = 3;

fn strict(roots: RootPolicy) -> SystemOptions {
    SystemOptions { roots, partial: false }
}

fn legal_moves<S: TransitionSystem>(system: &S, state: &S::State) -> Vec<S::Move> {
    let moves = S::Move::ALL.iter().copied();
    moves.filter(|&mv| system.is_legal(state, mv)).collect()
}

fn attached(state: &impl StateView) -> usize {
    let partial = state.partial();
    (1..=partial.len() as u32).filter(|&word| partial.head(Node(word)).is_some()).count()
}

/// A random walk of legal moves with random labels; checks every step and the length.
fn random_walk<S: TransitionSystem>(system: &S, words: usize, rng: &mut Rng) -> S::State {
    let mut state = S::State::default();
    system.reset(&mut state, words);
    let mut steps = 0;
    while !system.is_final(&state) {
        let legal = legal_moves(system, &state);
        assert!(!legal.is_empty(), "{}: dead end in {state:?}", S::NAME);
        let mv = legal[rng.below(legal.len())];
        let label = Label(rng.below(usize::from(LABELS)) as u16);
        let (arc, before) = (system.arc(&state, mv), attached(&state));
        system.apply(&mut state, mv, label);
        let partial = state.partial();
        assert_eq!(attached(&state), before + usize::from(arc.is_some()), "{} {mv:?}", S::NAME);
        if let Some(arc) = arc {
            assert_eq!(partial.head(arc.dependent), Some(arc.head), "{} {mv:?}", S::NAME);
            assert_eq!(partial.label(arc.dependent), label, "{} {mv:?}", S::NAME);
        }
        assert_eq!(partial.head(Node::ROOT), None, "{} {mv:?}: the root got a head", S::NAME);
        steps += 1;
        assert!(steps <= system.max_steps(words), "{}: too long, in {state:?}", S::NAME);
    }
    state
}

/// Random legal walks never get stuck, end within `max_steps` in a tree that obeys the root policy
/// and lies in the class, and `arc` tells what `apply` attaches. In the permissive form words may
/// stay without a head, but there is no cycle.
pub fn legal_walks_end_in_trees<S: TransitionSystem>() {
    for (index, roots) in POLICIES.into_iter().enumerate() {
        for partial in [false, true] {
            let system = S::new(SystemOptions { roots, partial });
            for walk in 0..400 {
                let mut rng = Seed(1).fork("walk", walk * 2 + index as u64).rng();
                let words = if walk < 300 { rng.below(8) } else { rng.below(60) };
                let state = random_walk(&system, words, &mut rng);
                let tree = state.partial().to_tree(Label(0));
                let tree = tree.unwrap_or_else(|error| panic!("{}: {error}", S::NAME));
                if !partial {
                    assert_eq!(attached(&state), words, "{}: a word without head", S::NAME);
                    assert!(tree.obeys(roots), "{}: {roots:?} broken by {tree:?}", S::NAME);
                    let inside = !S::STAYS_IN_CLASS || S::COVERS.contains(&tree);
                    assert!(inside, "{}: outside its class: {tree:?}", S::NAME);
                }
            }
        }
    }
}

/// Every state reachable for a sentence, by breadth-first search.
fn reachable_states<S: TransitionSystem>(system: &S, words: usize) -> HashSet<S::State> {
    let mut start = S::State::default();
    system.reset(&mut start, words);
    let mut seen = HashSet::from([start.clone()]);
    let mut todo = vec![start];
    while let Some(state) = todo.pop() {
        if system.is_final(&state) {
            continue;
        }
        for mv in legal_moves(system, &state) {
            let mut after = state.clone();
            system.apply(&mut after, mv, Label(0));
            if seen.insert(after.clone()) {
                todo.push(after);
            }
        }
    }
    seen
}

/// All derivations for up to `most_words` words together reach exactly the trees of the class that
/// obey the root policy.
pub fn derivations_cover_the_class<S: TransitionSystem>(most_words: usize) {
    for roots in POLICIES {
        let system = S::new(strict(roots));
        for words in 0..=most_words {
            let reached: BTreeSet<Vec<Node>> = reachable_states(&system, words)
                .iter()
                .filter(|state| system.is_final(state))
                .map(|state| state.partial().to_tree(Label(0)).expect("a tree").heads().to_vec())
                .collect();
            let class: BTreeSet<Vec<Node>> = all_trees(words)
                .iter()
                .filter(|tree| tree.obeys(roots) && S::COVERS.contains(tree))
                .map(|tree| tree.heads().to_vec())
                .collect();
            assert!(reached.is_superset(&class), "{}, {roots:?}, {words} words", S::NAME);
            let exactly = !S::STAYS_IN_CLASS || reached == class;
            assert!(exactly, "{}, {roots:?}, {words} words", S::NAME);
        }
    }
}

/// A random tree of the class; larger classes also get trees at random from all trees.
fn random_member<S: TransitionSystem>(
    system: &S,
    words: usize,
    roots: RootPolicy,
    rng: &mut Rng,
) -> Tree {
    let mut tree = match rng.below(3) {
        0 => random_projective_tree(rng, words, roots),
        1 => random_walk(system, words, rng).partial().to_tree(Label(0)).expect("a tree"),
        _ => random_tree(rng, words, roots),
    };
    if !S::COVERS.contains(&tree) {
        tree = random_projective_tree(rng, words, roots);
    }
    label_randomly(rng, &mut tree, LABELS);
    tree
}

fn rebuild<S: TransitionSystem, O: Oracle<S>>(system: &S, tree: &Tree) -> Tree {
    let oracle = O::default();
    let gold = match oracle.prepare(system, tree) {
        Ok(gold) => gold,
        Err(error) => panic!("{}/{}: {error}: {tree:?}", S::NAME, O::NAME),
    };
    let mut state = S::State::default();
    system.reset(&mut state, tree.len());
    let mut steps = 0;
    while !system.is_final(&state) {
        let (mv, label) = oracle.next(system, &gold, &state);
        assert!(
            system.is_legal(&state, mv),
            "{}/{}: {mv:?} is illegal in {state:?} on the way to {tree:?}",
            S::NAME,
            O::NAME
        );
        system.apply(&mut state, mv, label);
        steps += 1;
        assert!(steps <= system.max_steps(tree.len()), "{}/{}: {tree:?}", S::NAME, O::NAME);
    }
    state.partial().to_tree(Label(0)).expect("a tree")
}

/// The oracle rebuilds every tree of the class for up to `most_words` words and random ones of up
/// to 60 words, with their labels, and refuses all other trees.
pub fn oracle_rebuilds_trees<S: TransitionSystem, O: Oracle<S>>(most_words: usize) {
    for (index, roots) in POLICIES.into_iter().enumerate() {
        for partial in [false, true] {
            let system = S::new(SystemOptions { roots, partial });
            let mut rng = Seed(2).fork("labels", index as u64).rng();
            for words in 0..=most_words {
                for mut tree in all_trees(words) {
                    label_randomly(&mut rng, &mut tree, LABELS);
                    if tree.obeys(roots) && S::COVERS.contains(&tree) {
                        assert_eq!(
                            rebuild::<S, O>(&system, &tree),
                            tree,
                            "{}/{}",
                            S::NAME,
                            O::NAME
                        );
                    } else {
                        let refused = O::default().prepare(&system, &tree).is_err();
                        assert!(refused, "{}/{} must refuse {tree:?}", S::NAME, O::NAME);
                    }
                }
            }
        }
        let system = S::new(strict(roots));
        for round in 0..1000 {
            let mut rng = Seed(3).fork("tree", round * 2 + index as u64).rng();
            let words = 1 + rng.below(60);
            let tree = random_member(&system, words, roots, &mut rng);
            assert_eq!(rebuild::<S, O>(&system, &tree), tree, "{}/{}", S::NAME, O::NAME);
        }
    }
}

/// What a dynamic oracle promises: in every reachable state some legal move is free and `next` is
/// free, and free moves from the initial state on rebuild the gold tree, whichever are chosen.
pub fn free_moves_lead_to_gold<S: TransitionSystem, O: DynamicOracle<S>>(most_words: usize) {
    let oracle = O::default();
    for (index, roots) in POLICIES.into_iter().enumerate() {
        let system = S::new(strict(roots));
        for words in 1..=most_words {
            let states = reachable_states(&system, words);
            for tree in all_trees(words) {
                let Ok(gold) = oracle.prepare(&system, &tree) else { continue };
                for state in states.iter().filter(|state| !system.is_final(state)) {
                    let (mv, _) = oracle.next(&system, &gold, state);
                    assert!(
                        system.is_legal(state, mv) && oracle.cost(&system, &gold, state, mv) == 0,
                        "{}/{}: {mv:?} is not free in {state:?} for {tree:?}",
                        S::NAME,
                        O::NAME
                    );
                }
            }
        }
        for round in 0..600 {
            let mut rng = Seed(5).fork("free", round * 2 + index as u64).rng();
            let words = 1 + rng.below(if round < 500 { 7 } else { 40 });
            let tree = random_member(&system, words, roots, &mut rng);
            let gold = oracle.prepare(&system, &tree).expect("a tree of the class");
            let mut state = S::State::default();
            system.reset(&mut state, words);
            while !system.is_final(&state) {
                let mut free = legal_moves(&system, &state);
                free.retain(|&mv| oracle.cost(&system, &gold, &state, mv) == 0);
                assert!(!free.is_empty(), "{}/{}: stuck in {state:?}", S::NAME, O::NAME);
                let mv = free[rng.below(free.len())];
                let label =
                    system.arc(&state, mv).map_or(Label(0), |arc| tree.label(arc.dependent));
                system.apply(&mut state, mv, label);
            }
            let built = state.partial().to_tree(Label(0)).expect("a tree");
            assert_eq!(built, tree, "{}/{}, seed 5, round {round}", S::NAME, O::NAME);
        }
    }
}

/// By how many arcs the best tree that can be reached from a state differs from gold.
fn loss<S: TransitionSystem>(
    system: &S,
    tree: &Tree,
    state: &S::State,
    known: &mut HashMap<S::State, u32>,
) -> u32 {
    if let Some(&loss) = known.get(state) {
        return loss;
    }
    let best = if system.is_final(state) {
        let partial = state.partial();
        let wrong = |word: &Node| partial.head(*word) != Some(tree.head(*word));
        tree.words().filter(wrong).count() as u32
    } else {
        let after = legal_moves(system, state).into_iter().map(|mv| {
            let mut after = state.clone();
            system.apply(&mut after, mv, Label(0));
            loss(system, tree, &after, known)
        });
        after.min().expect("a legal move")
    };
    known.insert(state.clone(), best);
    best
}

/// The cost of every legal move in every reachable state is exactly the loss that exhaustive search
/// finds, for all trees of up to `most_words` words.
pub fn cost_is_the_loss<S: TransitionSystem, O: ExactOracle<S>>(most_words: usize) {
    for roots in POLICIES {
        for words in 1..=most_words {
            cost_is_the_loss_for::<S, O>(strict(roots), words, &all_trees(words));
        }
    }
}

/// The same for some options and some trees of a given length.
pub fn cost_is_the_loss_for<S: TransitionSystem, O: ExactOracle<S>>(
    options: SystemOptions,
    words: usize,
    trees: &[Tree],
) {
    let (system, oracle) = (S::new(options), O::default());
    let states = reachable_states(&system, words);
    for tree in trees {
        let Ok(gold) = oracle.prepare(&system, tree) else { continue };
        let mut known = HashMap::with_capacity(states.len());
        for state in states.iter().filter(|state| !system.is_final(state)) {
            let before = loss(&system, tree, state, &mut known);
            for mv in legal_moves(&system, state) {
                let mut after = state.clone();
                system.apply(&mut after, mv, Label(0));
                assert_eq!(
                    oracle.cost(&system, &gold, state, mv),
                    loss(&system, tree, &after, &mut known) - before,
                    "{}/{}, {options:?}: {mv:?} in {state:?} for {tree:?}",
                    S::NAME,
                    O::NAME
                );
            }
        }
    }
}

/// A line of a printed trace: move, stack with its top last, buffer, arc (head, dependent) built.
pub type TraceStep<'a> = (&'a str, &'a [u32], &'a [u32], Option<(u32, u32)>);

/// The oracle's derivation goes through exactly these states.
pub fn assert_trace<S: TransitionSystem, O: Oracle<S>>(tree: &Tree, steps: &[TraceStep]) {
    let (system, oracle) = (S::new(SystemOptions::default()), O::default());
    let gold = oracle.prepare(&system, tree).expect("a tree of the class");
    let mut state = S::State::default();
    system.reset(&mut state, tree.len());
    for (number, (name, stack, buffer, built)) in steps.iter().enumerate() {
        let (mv, label) = oracle.next(&system, &gold, &state);
        assert_eq!(mv.name(), *name, "move {number}");
        let arc = system.arc(&state, mv);
        assert_eq!(arc.map(|arc| (arc.head.0, arc.dependent.0)), *built, "move {number}");
        if let Some(arc) = arc {
            assert_eq!(label, tree.label(arc.dependent), "move {number}");
        }
        system.apply(&mut state, mv, label);
        let nodes = |list: &dyn Fn(usize) -> Option<Node>| -> Vec<u32> {
            (0..).map_while(list).map(|node| node.0).collect()
        };
        let mut on_stack = nodes(&|depth| state.stack(depth));
        on_stack.reverse();
        assert_eq!(on_stack, *stack, "stack after move {number}");
        assert_eq!(nodes(&|ahead| state.buffer(ahead)), *buffer, "buffer after move {number}");
    }
    assert!(system.is_final(&state), "the derivation goes on");
}
