//! Moves per second of every system along its oracle's derivations, without features or weights.
use crossarc::transition::systems::{SYSTEMS, SystemEntry, SystemVisitor, with_system};
use crossarc::transition::{
    DynamicOracle, MoveSet, Oracle, OracleKind, SystemOptions, TransitionSystem,
};
use crossarc::tree::generate::random_projective_tree;
use crossarc::tree::seed::Seed;
use crossarc::tree::{RootPolicy, Tree};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

fn trees() -> Vec<Tree> {
    let mut rng = Seed(1).rng();
    (0..100).map(|_| random_projective_tree(&mut rng, 25, RootPolicy::Single)).collect()
}

/// Follows the oracle, asking for every move whether it is legal.
struct Follow<'a, 'b>(Bencher<'a, 'b>);

impl SystemVisitor for Follow<'_, '_> {
    type Output = ();

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) {
        let (system, oracle, trees) = (S::new(SystemOptions::default()), O::default(), trees());
        let gold: Vec<_> = trees
            .iter()
            .filter_map(|tree| Some((tree.len(), oracle.prepare(&system, tree).ok()?)))
            .collect();
        let mut state = S::State::default();
        let mut run = || {
            let (mut moves, mut legal) = (0usize, 0usize);
            for (words, gold) in &gold {
                system.reset(&mut state, *words);
                while !system.is_final(&state) {
                    let all = S::Move::ALL.iter();
                    legal += all.filter(|&&mv| system.is_legal(&state, mv)).count();
                    let (mv, label) = oracle.next(&system, gold, &state);
                    system.apply(&mut state, mv, label);
                    moves += 1;
                }
            }
            (moves, legal)
        };
        let (moves, _) = run();
        self.0.counter(ItemsCount::new(moves)).bench_local(run);
    }
}

/// Also asks for the cost of every legal move.
struct Explore<'a, 'b>(Bencher<'a, 'b>);

impl SystemVisitor for Explore<'_, '_> {
    type Output = ();

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) {}

    fn visit_dynamic<S: TransitionSystem, O: DynamicOracle<S>>(self) {
        let (system, oracle, trees) = (S::new(SystemOptions::default()), O::default(), trees());
        let gold: Vec<_> = trees
            .iter()
            .filter_map(|tree| Some((tree, oracle.prepare(&system, tree).ok()?)))
            .collect();
        let mut state = S::State::default();
        let mut run = || {
            let mut rng = Seed(2).rng();
            let (mut moves, mut costs) = (0usize, 0u32);
            for (tree, gold) in &gold {
                system.reset(&mut state, tree.len());
                while !system.is_final(&state) {
                    let mut chosen = None;
                    for &mv in S::Move::ALL {
                        if system.is_legal(&state, mv) {
                            let cost = oracle.cost(&system, gold, &state, mv);
                            costs += cost;
                            // Wrong now and then, as in training with exploration.
                            if chosen.is_none() && (cost == 0 || rng.chance(0.05)) {
                                chosen = Some(mv);
                            }
                        }
                    }
                    let Some(mv) = chosen else { break };
                    system.apply(&mut state, mv, crossarc::tree::Label::default());
                    moves += 1;
                }
            }
            (moves, costs)
        };
        let (moves, _) = run();
        self.0.counter(ItemsCount::new(moves)).bench_local(run);
    }
}

/// A line of the list, shown as `system/oracle`.
#[derive(Copy, Clone)]
struct Line(SystemEntry);

impl std::fmt::Display for Line {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(out, "{}/{}", self.0.system, self.0.oracle)
    }
}

#[divan::bench(args = SYSTEMS.iter().copied().map(Line))]
fn follow(bencher: Bencher, Line(entry): Line) {
    with_system(entry.system, entry.oracle, Follow(bencher));
}

fn dynamic() -> impl Iterator<Item = Line> {
    SYSTEMS.iter().copied().filter(|entry| entry.kind != OracleKind::Static).map(Line)
}

#[divan::bench(args = dynamic())]
fn explore(bencher: Bencher, Line(entry): Line) {
    with_system(entry.system, entry.oracle, Explore(bencher));
}
