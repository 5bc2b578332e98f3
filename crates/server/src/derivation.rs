//! Derivations and arc scores, to be looked at step by step.
//!
//! A derivation is a list of states: stack, buffer, arcs, the legal moves, and the one that is made.
//! It follows the oracle of a system, moves that are given, or a model; a model adds scores, a gold
//! tree what the oracle would do, and a dynamic oracle what each move costs.
//!
//! ```
//! use crossarc_server::derivation::{Way, of_system};
//! let text = "1\tSaw\t_\t_\t_\t_\t0\troot\t_\t_\n2\thim\t_\t_\t_\t_\t1\tobj\t_\t_\n\n";
//! let sentence = conll::read_str(text, conll::ReadOptions::default()).unwrap().remove(0);
//! let derivation = of_system(&sentence, "arc-standard", "", Way::Oracle).unwrap();
//! assert_eq!(derivation["states"][0]["buffer"], serde_json::json!([1, 2]));
//! assert_eq!(derivation["states"][0]["oracle"]["move"], "SHIFT");
//! ```
use conll::Sentence;
use crossarc::annotate::AnnotateOptions;
use crossarc::insight::{Insight, MoveSeen, StateSeen};
use crossarc::pipeline::Steps;
use crossarc::transition::insight::look;
use crossarc::transition::systems::{SYSTEMS, SystemEntry, SystemVisitor, with_system};
use crossarc::transition::{DynamicOracle, MoveSet, Oracle, SystemOptions, TransitionSystem};
use crossarc::tree::treebank::{root_policy, tree_of};
use crossarc::tree::{Label, Labels, RootPolicy, Tree};
use serde_json::{Value, json};

use crate::refusal::Refusal;

/// Longest sentence whose derivation or arc scores are shown, in words.
pub const MOST_WORDS: usize = 100;
/// Most moves of a derivation that is shown.
pub const MOST_MOVES: usize = 2000;

/// All systems with their oracles, and the trees they cover.
pub fn systems() -> Value {
    let entries = SYSTEMS.iter().map(|entry| {
        json!({
            "system": entry.system,
            "oracle": entry.oracle,
            "kind": format!("{:?}", entry.kind).to_lowercase(),
            "covers": format!("{:?}", entry.covers),
        })
    });
    Value::Array(entries.collect())
}

/// Which way a derivation goes.
#[derive(Copy, Clone, Debug)]
pub enum Way<'a> {
    /// As the oracle shows for the tree of the sentence.
    Oracle,
    /// By these moves; it ends with them.
    Moves(&'a [String]),
}

/// What an oracle says about one state.
#[derive(Clone, Debug, Default)]
struct Advice {
    /// The move it would make, and the label of its arc.
    best: Option<(&'static str, Label)>,
    /// What each legal move costs, in their order, if the oracle is dynamic.
    costs: Vec<u32>,
}

/// A derivation with what an oracle says about each state.
struct Advised {
    states: Vec<StateSeen>,
    advice: Vec<Advice>,
}

/// Walks through the states of a system beside its oracle.
struct Walk<'a> {
    tree: Option<&'a Tree>,
    words: usize,
    roots: RootPolicy,
    partial: bool,
    way: Way<'a>,
}

/// What a dynamic oracle says of all legal moves.
type Costs<S, O> = fn(
    &O,
    &S,
    &<O as Oracle<S>>::Gold,
    &<S as TransitionSystem>::State,
    <S as TransitionSystem>::Move,
) -> u32;

impl Walk<'_> {
    fn run<S: TransitionSystem, O: Oracle<S>>(
        &self,
        costs: Option<Costs<S, O>>,
    ) -> Result<Advised, Refusal> {
        let system = S::new(SystemOptions { roots: self.roots, partial: self.partial });
        let oracle = O::default();
        let gold = self.tree.map(|tree| oracle.prepare(&system, tree)).transpose();
        let gold = match (gold, self.way) {
            (Ok(gold), Way::Moves(_)) => gold,
            (Ok(Some(gold)), Way::Oracle) => Some(gold),
            (Ok(None), Way::Oracle) => {
                return Err(Refusal::bad("The sentence has no tree for an oracle to follow."));
            }
            (Err(error), Way::Oracle) => {
                return Err(Refusal::bad(format!("{} cannot build this tree: {error}.", S::NAME)));
            }
            (Err(_), Way::Moves(_)) => None,
        };
        let mut state = S::State::default();
        system.reset(&mut state, self.words);
        let mut advised = Advised { states: Vec::new(), advice: Vec::new() };
        let mut on_its_way = true;
        let mut made = 0;
        loop {
            let mut seen = look(&system, &state);
            if system.is_final(&state) {
                advised.states.push(seen);
                advised.advice.push(Advice::default());
                return Ok(advised);
            }
            if made == MOST_MOVES {
                return Err(Refusal::bad(format!(
                    "The derivation has more than {MOST_MOVES} moves."
                )));
            }
            let mut advice = Advice::default();
            let mut best = None;
            if let Some(gold) = gold.as_ref().filter(|_| on_its_way || costs.is_some()) {
                let (mv, label) = oracle.next(&system, gold, &state);
                best = Some((mv, label));
                advice.best = Some((mv.name(), label));
                if let Some(cost) = costs {
                    let legal = S::Move::ALL.iter().filter(|mv| system.is_legal(&state, **mv));
                    advice.costs =
                        legal.map(|mv| cost(&oracle, &system, gold, &state, *mv)).collect();
                }
            }
            let next = match self.way {
                Way::Oracle => best,
                Way::Moves(moves) => match moves.get(made) {
                    None => None,
                    Some(name) => {
                        let mv = S::Move::ALL.iter().find(|mv| mv.name() == name);
                        let mv =
                            mv.filter(|mv| system.is_legal(&state, **mv)).ok_or_else(|| {
                                Refusal::bad(format!("Move {} is not legal there.", made + 1))
                            })?;
                        Some((*mv, self.label_of(&system, &state, *mv)))
                    }
                },
            };
            let Some((mv, label)) = next else {
                advised.states.push(seen);
                advised.advice.push(advice);
                return Ok(advised);
            };
            on_its_way &= best.is_some_and(|(right, _)| right == mv);
            seen.chosen = seen.legal.iter().position(|one| one.name == mv.name());
            if let Some(at) = seen.chosen.filter(|&at| seen.legal[at].arc.is_some()) {
                seen.legal[at].label = Some(label);
            }
            advised.states.push(seen);
            advised.advice.push(advice);
            system.make(&mut state, mv, label);
            made += 1;
        }
    }

    /// The label that the tree has for the dependent of a move's arc.
    fn label_of<S: TransitionSystem>(&self, system: &S, state: &S::State, mv: S::Move) -> Label {
        let arc = system.arc(state, mv);
        arc.zip(self.tree).map_or_else(Label::default, |(arc, tree)| tree.label(arc.dependent))
    }
}

impl SystemVisitor for &Walk<'_> {
    type Output = Result<Advised, Refusal>;

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) -> Self::Output {
        self.run::<S, O>(None)
    }

    fn visit_dynamic<S: TransitionSystem, O: DynamicOracle<S>>(self) -> Self::Output {
        self.run::<S, O>(Some(|oracle, system, gold, state, mv| {
            oracle.cost(system, gold, state, mv)
        }))
    }
}

fn advised(walk: &Walk<'_>, entry: &SystemEntry) -> Result<Advised, Refusal> {
    with_system(entry.system, entry.oracle, walk)
        .unwrap_or_else(|| Err(Refusal::bad("There is no such system.")))
}

fn entry_of(system: &str, oracle: &str) -> Result<&'static SystemEntry, Refusal> {
    SYSTEMS
        .iter()
        .find(|entry| entry.system == system && (oracle.is_empty() || entry.oracle == oracle))
        .ok_or_else(|| {
            Refusal::bad("There is no such system with such an oracle: GET /v1/systems lists them.")
        })
}

/// Refuses sentences that are too long to be looked at.
pub fn check_length(sentence: &Sentence) -> Result<(), Refusal> {
    if sentence.len() > MOST_WORDS {
        return Err(Refusal::bad(format!("The sentence has more than {MOST_WORDS} words.")));
    }
    Ok(())
}

/// The tree of a sentence if it has one.
fn gold_of(sentence: &Sentence, labels: &mut Labels) -> Result<Option<Tree>, Refusal> {
    if sentence.words().all(|word| word.head().is_none()) {
        return Ok(None);
    }
    tree_of(sentence, labels).map(Some).map_err(|error| Refusal::bad(error.to_string()))
}

fn move_of(seen: &MoveSeen, cost: Option<u32>, labels: &Labels) -> Value {
    let label = seen.label.filter(|label| label.index() < labels.len());
    json!({
        "move": seen.name,
        "score": seen.score.filter(|score| score.is_finite()),
        "cost": cost,
        "arc": seen.arc.map(|(head, dependent)| json!([head, dependent])),
        "label": label.map(|label| labels.name(label)),
    })
}

fn state_of(seen: &StateSeen, labels: &Labels, advice: Option<&Advice>, gold: &Labels) -> Value {
    let name = |labels: &Labels, label: Label| {
        (label.index() < labels.len()).then(|| labels.name(label).to_owned())
    };
    let costs = advice.map_or(&[][..], |advice| &advice.costs);
    let legal = seen.legal.iter().enumerate();
    let legal: Vec<Value> =
        legal.map(|(at, one)| move_of(one, costs.get(at).copied(), labels)).collect();
    let chosen = seen.chosen.and_then(|at| seen.legal.get(at));
    let arc = chosen.and_then(|one| one.arc.map(|arc| (arc, one.label)));
    let oracle = advice.and_then(|advice| advice.best);
    json!({
        "stack": seen.stack,
        "buffer": seen.buffer,
        "passed": seen.passed,
        "arcs": seen.arcs.iter().map(|&(head, dependent, label)| json!([head, dependent, name(labels, label)])).collect::<Vec<_>>(),
        "legal": legal,
        "move": chosen.map(|one| one.name),
        "arc": arc.map(|((head, dependent), label)| json!({ "head": head, "dependent": dependent, "label": label.and_then(|label| name(labels, label)) })),
        "oracle": oracle.map(|(best, label)| json!({ "move": best, "label": name(gold, label) })),
    })
}

/// The derivation of a sentence by a system without a model; by its first oracle if none is named.
pub fn of_system(
    sentence: &Sentence,
    system: &str,
    oracle: &str,
    way: Way<'_>,
) -> Result<Value, Refusal> {
    check_length(sentence)?;
    let entry = entry_of(system, oracle)?;
    let mut labels = Labels::default();
    let tree = gold_of(sentence, &mut labels)?;
    let roots = tree.as_ref().map_or(RootPolicy::Single, |tree| root_policy([tree]));
    let walk = Walk { tree: tree.as_ref(), words: sentence.len(), roots, partial: false, way };
    let Advised { states, advice } = advised(&walk, entry)?;
    let pairs = states.iter().zip(&advice);
    let states: Vec<Value> =
        pairs.map(|(seen, advice)| state_of(seen, &labels, Some(advice), &labels)).collect();
    Ok(json!({ "system": entry.system, "oracle": entry.oracle, "states": states }))
}

/// The derivation of a sentence by the system of a model, with scores: as the model makes it, or as
/// the oracle would.
pub fn of_model(
    sentence: &Sentence,
    pipeline: &crossarc::Pipeline,
    by_oracle: bool,
) -> Result<Value, Refusal> {
    check_length(sentence)?;
    let parser = pipeline.components().parser.as_ref();
    let header = &parser.ok_or_else(|| Refusal::bad("The model has no parser."))?.header;
    let no_moves = || {
        Refusal::bad(
            "The parser of this model makes no moves, or transforms sentences: choose a transition system.",
        )
    };
    let transition = header.transition().ok_or_else(no_moves)?;
    let entry = entry_of(&header.parser, &transition.oracle).map_err(|_| no_moves())?;
    let mut gold_labels = Labels::default();
    let mut tree = gold_of(sentence, &mut gold_labels)?;
    if transition.right_to_left {
        tree = tree.map(|tree| tree.mirrored());
    }
    let (roots, partial) = (header.roots.into(), transition.partial);
    let base =
        Walk { tree: tree.as_ref(), words: sentence.len(), roots, partial, way: Way::Oracle };
    let mut follow = Vec::new();
    if by_oracle {
        let Advised { states, advice } = advised(&base, entry)?;
        let named = advice.iter().take(states.len()).filter_map(|advice| advice.best);
        follow.extend(named.map(|(mv, label)| (mv.to_owned(), gold_labels.name(label).to_owned())));
    }
    let mut worker = pipeline.components().worker(Steps::default(), AnnotateOptions::default());
    let mut copy = sentence.clone();
    let insight = worker.insight(&mut copy, &follow);
    let Some((Insight::Moves(states), labels)) = insight else { return Err(no_moves()) };
    let names: Vec<String> = states
        .iter()
        .filter_map(|seen| {
            seen.chosen.and_then(|at| seen.legal.get(at)).map(|one| one.name.to_owned())
        })
        .collect();
    let advice = if tree.is_some() {
        let walk = Walk { way: Way::Moves(&names), ..base };
        advised(&walk, entry).map(|advised| advised.advice).unwrap_or_default()
    } else {
        Vec::new()
    };
    let states: Vec<Value> = states
        .iter()
        .enumerate()
        .map(|(at, seen)| state_of(seen, labels, advice.get(at), &gold_labels))
        .collect();
    Ok(
        json!({ "system": entry.system, "oracle": entry.oracle, "right_to_left": transition.right_to_left, "states": states }),
    )
}

/// The arcs among which a graph parser chose its tree, with their scores.
pub fn arc_scores(sentence: &Sentence, pipeline: &crossarc::Pipeline) -> Result<Value, Refusal> {
    check_length(sentence)?;
    let parser = pipeline.components().parser.as_ref();
    let header = &parser.ok_or_else(|| Refusal::bad("The model has no parser."))?.header;
    let mut worker = pipeline.components().worker(Steps::default(), AnnotateOptions::default());
    let mut copy = sentence.clone();
    let Some((Insight::Arcs(arcs), labels)) = worker.insight(&mut copy, &[]) else {
        return Err(Refusal::bad(
            "The parser of this model does not choose among scored arcs, or transforms sentences.",
        ));
    };
    let arcs: Vec<Value> = arcs
        .iter()
        .map(|arc| {
            json!({
                "head": arc.head,
                "dependent": arc.dependent,
                "label": labels.name(arc.label),
                "score": arc.score,
                "probability": arc.probability,
            })
        })
        .collect();
    let mut whole = sentence.clone();
    worker.annotate(&mut whole).map_err(|error| Refusal::bad(error.to_string()))?;
    let heads: Vec<Option<u32>> = whole.words().map(|word| word.head()).collect();
    let labels: Vec<&str> = whole.words().map(|word| word.deprel()).collect();
    Ok(json!({ "parser": header.parser, "arcs": arcs, "heads": heads, "labels": labels }))
}
