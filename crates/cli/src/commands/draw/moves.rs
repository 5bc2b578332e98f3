//! `crossarc draw --moves SYSTEM`: how a transition system builds a tree.
use anyhow::anyhow;
use clap::builder::PossibleValuesParser;
use conll::{Sentence, printable};
use crossarc::transition::systems::SYSTEMS;
use crossarc_lab::report::{Panel, Value};
use crossarc_server::derivation::{Way, of_system};

/// Names of transition systems.
pub fn systems() -> PossibleValuesParser {
    let mut names: Vec<&str> = SYSTEMS.iter().map(|entry| entry.system).collect();
    names.dedup();
    PossibleValuesParser::new(names)
}

/// The moves of the oracle, each with the state that it leads to and the arc that it builds.
pub fn table(title: &str, sentence: &Sentence, system: &str) -> anyhow::Result<String> {
    let derivation = of_system(sentence, system, "", Way::Oracle)
        .map_err(|refusal| anyhow!("sentence {title}: {}", refusal.message))?;
    let words = sentence.words().map(|word| printable(word.form()).into_owned());
    let forms: Vec<String> = std::iter::once("ROOT".to_owned()).chain(words).collect();
    let form = |node: &serde_json::Value| {
        let index = node.as_u64().and_then(|node| usize::try_from(node).ok());
        index.and_then(|index| forms.get(index)).map_or("", String::as_str)
    };
    let list = |nodes: &serde_json::Value| {
        let nodes = nodes.as_array().map_or(&[][..], Vec::as_slice);
        nodes.iter().map(form).collect::<Vec<_>>().join(" ")
    };
    let states = derivation["states"].as_array().map_or(&[][..], Vec::as_slice);
    // Only some systems keep words between stack and buffer.
    let keeps = states.iter().any(|state| !list(&state["passed"]).is_empty());
    let mut columns = vec!["move", "stack", "between", "buffer", "new arc"];
    columns.retain(|name| *name != "between" || keeps);
    let mut panel = Panel::new(system, &format!("# {title}: {system}"), "", columns);
    for (index, state) in states.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &states[before]);
        let made = before.and_then(|before| before["move"].as_str()).unwrap_or_default();
        let arc = before.map(|before| &before["arc"]).filter(|arc| arc.is_object());
        let arc = arc.map_or_else(String::new, |arc| {
            let label = arc["label"].as_str().unwrap_or("_");
            format!("{} -{label}-> {}", form(&arc["head"]), form(&arc["dependent"]))
        });
        let mut row = vec![made.to_owned(), list(&state["stack"])];
        if keeps {
            row.push(list(&state["passed"]));
        }
        row.extend([list(&state["buffer"]), arc]);
        panel.rows.push(row.into_iter().map(Value::text).collect());
    }
    Ok(panel.to_text())
}
