//! The derivation of a tree, move by move, as the oracle of a transition system shows it.
//!
//! ```
//! let text = "1\tSaw\t_\t_\t_\t_\t0\troot\t_\t_\n2\thim\t_\t_\t_\t_\t1\tobj\t_\t_\n\n";
//! let sentence = conll::read_str(text, conll::ReadOptions::default()).unwrap().remove(0);
//! let derivation = crossarc_server::derivation::of(&sentence, "arc-standard", "").unwrap();
//! assert_eq!(derivation["states"][0]["buffer"], serde_json::json!([1, 2]));
//! ```
use conll::Sentence;
use crossarc::learn::state::StateView;
use crossarc::transition::systems::{SYSTEMS, SystemVisitor, with_system};
use crossarc::transition::{MoveSet, Oracle, SystemOptions, TransitionSystem};
use crossarc::tree::treebank::{root_policy, tree_of};
use crossarc::tree::{Labels, Node, Tree};
use serde_json::{Value, json};

use crate::refusal::Refusal;

/// Longest sentence whose derivation is shown, in words.
pub const MOST_WORDS: usize = 100;
/// Most moves of a derivation that is shown.
pub const MOST_MOVES: usize = 2000;

/// All systems with their oracles, and the trees they cover.
pub fn systems() -> Value {
    let entries = SYSTEMS.iter().map(|entry| {
        json!({ "system": entry.system, "oracle": entry.oracle, "covers": format!("{:?}", entry.covers) })
    });
    Value::Array(entries.collect())
}

struct Steps<'a> {
    tree: &'a Tree,
    labels: &'a Labels,
}

impl SystemVisitor for Steps<'_> {
    type Output = Result<Vec<Value>, Refusal>;

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) -> Self::Output {
        let roots = root_policy([self.tree]);
        let (system, oracle) = (S::new(SystemOptions { roots, partial: false }), O::default());
        let gold = oracle.prepare(&system, self.tree).map_err(|error| {
            Refusal::bad(format!("{} cannot build this tree: {error}.", S::NAME))
        })?;
        let mut state = S::State::default();
        system.reset(&mut state, self.tree.len());
        let mut states = Vec::new();
        while !system.is_final(&state) {
            if states.len() == MOST_MOVES {
                return Err(Refusal::bad(format!(
                    "The derivation has more than {MOST_MOVES} moves."
                )));
            }
            let (mv, label) = oracle.next(&system, &gold, &state);
            let arc = system.arc(&state, mv);
            let legal = S::Move::ALL.iter().filter(|mv| system.is_legal(&state, **mv));
            let mut shown = view(&state, self.tree.len());
            shown["legal"] = legal.map(|mv| mv.name()).collect();
            shown["move"] = json!(mv.name());
            shown["arc"] = arc.map_or(Value::Null, |arc| {
                json!({ "head": arc.head.0, "dependent": arc.dependent.0, "label": self.labels.name(label) })
            });
            states.push(shown);
            system.apply(&mut state, mv, label);
        }
        states.push(view(&state, self.tree.len()));
        Ok(states)
    }
}

fn view(state: &impl StateView, words: usize) -> Value {
    let mut stack: Vec<u32> =
        (0..=words).map_while(|depth| state.stack(depth)).map(|n| n.0).collect();
    stack.reverse();
    let buffer: Vec<u32> =
        (0..=words).map_while(|ahead| state.buffer(ahead)).map(|n| n.0).collect();
    let passed = (0..state.passed_len()).filter_map(|index| state.passed(index)).map(|n| n.0);
    let arcs = (1..=words as u32)
        .filter_map(|word| state.partial().head(Node(word)).map(|head| json!([head.0, word])));
    json!({ "stack": stack, "buffer": buffer, "passed": passed.collect::<Vec<_>>(), "arcs": arcs.collect::<Vec<_>>() })
}

/// The derivation of a sentence's tree; the first oracle of the system if none is named.
pub fn of(sentence: &Sentence, system: &str, oracle: &str) -> Result<Value, Refusal> {
    if sentence.len() > MOST_WORDS {
        return Err(Refusal::bad(format!("The sentence has more than {MOST_WORDS} words.")));
    }
    let entry = SYSTEMS
        .iter()
        .find(|entry| entry.system == system && (oracle.is_empty() || entry.oracle == oracle))
        .ok_or_else(|| {
            Refusal::bad("There is no such system with such an oracle: GET /v1/systems lists them.")
        })?;
    let mut labels = Labels::default();
    let tree = tree_of(sentence, &mut labels).map_err(|error| Refusal::bad(error.to_string()))?;
    let steps = Steps { tree: &tree, labels: &labels };
    let states =
        with_system(entry.system, entry.oracle, steps).unwrap_or_else(|| Ok(Vec::new()))?;
    Ok(json!({ "system": entry.system, "oracle": entry.oracle, "states": states }))
}
