//! The invariants of ARCHITECTURE.md that a program can check.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crossarc::transition::systems::SYSTEMS;

/// The most lines a Rust file may have.
const LINES: usize = 700;
/// The most bytes a hand-written `CoNLL` file may have.
const EXAMPLE_BYTES: u64 = 16 << 10;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All files of the project as paths from its root; build products and hidden folders left out.
fn files() -> Vec<PathBuf> {
    let root = root();
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() {
                let is_product = path.join("CACHEDIR.TAG").exists()
                    || matches!(name, "target" | "node_modules" | "corpus" | "artifacts");
                if !is_product && !name.starts_with('.') {
                    folders.push(path);
                }
            } else {
                found.push(path.strip_prefix(&root).expect("below the root").to_owned());
            }
        }
    }
    found.sort();
    assert!(found.len() > 50, "the workspace was not found");
    found
}

fn rust_files() -> Vec<(PathBuf, String)> {
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|end| end == "rs");
    let with_text = |path: PathBuf| {
        let text = fs::read_to_string(root().join(&path)).expect("a Rust file in UTF-8");
        (path, text)
    };
    files().into_iter().filter(is_rust).map(with_text).collect()
}

fn crossarc(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("crossarc runs");
    assert!(output.status.success(), "crossarc {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("output in UTF-8")
}

fn subcommands() -> BTreeSet<String> {
    let help = crossarc(&["--help"]);
    let list = help.split("Commands:\n").nth(1).expect("a list of commands");
    let names = list.lines().take_while(|line| !line.is_empty());
    // Indented further are the second lines of long descriptions.
    let names =
        names.filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn rust_files_are_short_and_say_what_they_are() {
    let mut long = Vec::new();
    let mut silent = Vec::new();
    for (path, text) in rust_files() {
        let lines = text.lines().count();
        if lines > LINES {
            long.push(format!("{}: {lines} lines", path.display()));
        }
        // The tests of a module in a file of their own are described by the module.
        let is_tests = path.file_name().is_some_and(|name| name == "tests.rs");
        let comment = text.lines().find(|line| !line.starts_with("#!"));
        if !is_tests && !comment.is_some_and(|line| line.starts_with("//! ")) {
            silent.push(path.display().to_string());
        }
    }
    assert_none(&format!("files with more than {LINES} lines"), &long);
    assert_none("files without a module comment", &silent);
}

#[test]
fn nothing_is_left_for_later() {
    // Written in two parts so that this file does not find itself.
    let words =
        [["to", "do!("], ["unimple", "mented!("], ["db", "g!("]].map(|parts| parts.concat());
    let mut found = Vec::new();
    for (path, text) in rust_files() {
        for (number, line) in text.lines().enumerate() {
            if words.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert_none("left for later", &found);
}

#[test]
fn files_are_called_what_they_are() {
    let vague = ["utils", "util", "helpers", "helper", "common", "manager", "misc"];
    let is_vague = |path: &Path| {
        path.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| vague.contains(&stem))
            || path.iter().filter_map(|part| part.to_str()).any(|part| vague.contains(&part))
    };
    let found: Vec<String> = rust_files()
        .iter()
        .filter(|(path, _)| is_vague(path))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert_none("files that should be called what they hold", &found);
}

#[test]
fn no_treebank_is_in_the_repository() {
    let mut found = Vec::new();
    for path in files() {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let conll = [".conllu", ".conllup", ".conllx", ".conll", ".conll09", ".conll06"];
        let is_conll = name.split_once('.').is_some_and(|(_, ends)| {
            conll.iter().any(|end| format!(".{ends}.").contains(&format!("{end}.")))
        });
        if !is_conll {
            continue;
        }
        let size = fs::metadata(root().join(&path)).expect("a file").len();
        let at_home = path
            .iter()
            .any(|part| matches!(part.to_str(), Some("examples" | "tests" | "fuzz" | "recipes")));
        if size > EXAMPLE_BYTES || !at_home {
            found.push(format!("{}: {size} bytes", path.display()));
        }
    }
    assert_none("CoNLL files that are large or neither examples nor tests", &found);
}

#[test]
fn every_subcommand_teaches_with_examples() {
    let names = subcommands();
    assert!(names.contains("draw"), "{names:?}");
    let mut found = Vec::new();
    for name in &names {
        let help = crossarc(&[name, "--help"]);
        let examples = help.split("Examples:").nth(1).unwrap_or_default();
        if !examples.contains(&format!("crossarc {name}")) {
            found.push(name.clone());
        }
    }
    assert_none("subcommands without an example in their help", &found);
}

/// `attardi-3` lives in `attardi.rs`: the file is named after the family.
#[test]
fn every_transition_system_has_a_file() {
    let folder = root().join("crates/transition/src/systems");
    let mut found = Vec::new();
    for entry in SYSTEMS {
        let parts: Vec<&str> = entry.system.split('-').collect();
        let has_file = (1..=parts.len())
            .any(|length| folder.join(parts[..length].join("_")).with_extension("rs").exists());
        if !has_file {
            found.push(entry.system.to_owned());
        }
    }
    assert_none("transition systems without a file", &found);
}

/// What stands between backticks outside of blocks, and the lines of blocks.
fn code(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut spans, mut lines) = (Vec::new(), Vec::new());
    for (index, part) in text.split("```").enumerate() {
        if index % 2 == 1 {
            lines.extend(part.lines().skip(1).map(str::to_owned));
        } else {
            spans.extend(part.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    (spans, lines)
}

#[test]
fn the_readme_names_commands_that_exist() {
    let (spans, lines) = code(&read("README.md"));
    let commands: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    let [main_job, all_tests] = commands[..2] else { panic!("two commands: {commands:?}") };
    assert!(main_job.starts_with("cargo run --release -- "), "{main_job}");
    assert_eq!(all_tests, "cargo test --workspace");
    assert!(read(".ci/run").contains(all_tests), "CI runs what README.md says");

    let names = subcommands();
    let mut found = Vec::new();
    for line in spans.iter().map(String::as_str).chain(commands.iter().copied()) {
        let called =
            line.strip_prefix("crossarc ").or(line.strip_prefix("cargo run --release -- "));
        let name = called.and_then(|rest| rest.split_whitespace().next());
        let name = name.filter(|name| name.chars().all(char::is_lowercase));
        if name.is_some_and(|name| !names.contains(name)) {
            found.push(line.to_owned());
        }
    }
    assert_none("commands of README.md that do not exist", &found);

    // Words in quotes are one argument.
    let quoted = main_job["cargo run --release -- ".len()..].split('"').enumerate();
    let arguments: Vec<&str> = quoted
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .collect();
    let drawn = crossarc(&arguments);
    assert!(drawn.contains('━'), "no arc of the drawing crosses another: {drawn}");
}

#[test]
fn the_documents_name_paths_that_exist() {
    let mut found = Vec::new();
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = read(document);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let links = links.filter(|link| !link.starts_with("http")).map(str::to_owned);
        let folders = ["crates/", "docs/", "examples/", "scripts/", ".ci/"];
        let is_path = |span: &String| {
            folders.iter().any(|folder| span.starts_with(folder)) && !span.contains(' ')
        };
        for path in code(&text).0.into_iter().filter(is_path).chain(links) {
            if !root().join(&path).exists() {
                found.push(format!("{document}: {path}"));
            }
        }
    }
    assert_none("paths that do not exist", &found);
}

#[test]
fn the_picture_of_the_readme_is_what_draw_draws() {
    let drawn = crossarc(&["draw", "examples/hearing.conllu", "--sentence", "1", "--to", "svg"]);
    let remedy = "crossarc draw examples/hearing.conllu --sentence 1 -o docs/hearing.svg";
    assert!(drawn == read("docs/hearing.svg"), "make the picture anew: {remedy}");
}

/// Crates with a few lines of unsafe code say at each what makes it safe; all others forbid it.
#[test]
fn unsafe_code_is_forbidden_or_explained() {
    let allowed = ["learn", "model", "nn", "python", "svm"];
    let mut found = Vec::new();
    for (path, text) in rust_files() {
        let name = path.iter().nth(1).and_then(|part| part.to_str()).unwrap_or_default();
        let is_root = path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
        let needs_none = path.starts_with("crates") && is_root && !allowed.contains(&name);
        if needs_none && !text.contains("#![forbid(unsafe_code)]") {
            found.push(format!("{}: it does not forbid unsafe code", path.display()));
        }
        // Written in two parts so that this file does not find itself.
        for (number, _) in text.match_indices(&["unsafe", " {"].concat()) {
            let before: String = text[..number].lines().rev().take(6).collect();
            if !before.contains("SAFETY: ") {
                let line = text[..number].lines().count();
                found.push(format!("{}:{line}: what makes it safe?", path.display()));
            }
        }
    }
    assert_none("unsafe code", &found);
    assert!(read("Cargo.toml").contains("unsafe_code = \"deny\""));
}

/// The crates of the workspace, each with those of ours that it depends on; development apart.
fn crates() -> Vec<(String, Vec<String>)> {
    let folders = fs::read_dir(root().join("crates")).expect("the crates");
    let manifests = folders.map(|entry| entry.expect("an entry").path().join("Cargo.toml"));
    let mut found: Vec<(String, Vec<String>)> = manifests
        .filter(|path| path.exists())
        .map(|path| {
            let text = fs::read_to_string(path).expect("a manifest");
            let manifest: toml::Table = text.parse().expect("a manifest in TOML");
            let name = manifest["package"]["name"].as_str().expect("a name").to_owned();
            let dependencies = manifest["dependencies"].as_table().expect("dependencies");
            let ours = dependencies.keys().filter(|name| name.starts_with("crossarc"));
            (name, ours.cloned().collect())
        })
        .collect();
    found.sort();
    found
}

/// Every crate after all that it depends on; nothing if there is a cycle.
fn in_order(crates: &[(String, Vec<String>)]) -> Option<Vec<&(String, Vec<String>)>> {
    let mut order: Vec<&(String, Vec<String>)> = Vec::new();
    while order.len() < crates.len() {
        let stands = |name: &String| order.iter().any(|(known, _)| known == name);
        let next = crates.iter().find(|(name, below)| !stands(name) && below.iter().all(stands))?;
        order.push(next);
    }
    Some(order)
}

#[test]
fn floors_are_in_order_and_the_picture_of_them_is_true() {
    let crates = crates();
    let order = in_order(&crates).expect("crates that depend on each other in one direction");
    let picture: String = order
        .iter()
        .map(|(name, below)| match below.len() {
            0 => format!("{name}\n"),
            _ => format!("{name} <- {}\n", below.join(", ")),
        })
        .collect();
    let text = read("ARCHITECTURE.md");
    assert!(text.contains(&picture), "the floors in ARCHITECTURE.md should be:\n{picture}");
    let sees = |crate_name: &str, other: &str| {
        crates.iter().any(|(name, below)| name == crate_name && below.iter().any(|it| it == other))
    };
    assert!(!sees("crossarc-transition", "crossarc-graph"));
    assert!(!sees("crossarc-graph", "crossarc-transition"));
    assert!(!sees("crossarc", "crossarc-lab"));
}

/// Workflows are thin: what they run are scripts of the project, which run anywhere.
#[test]
fn workflows_run_scripts_that_exist() {
    let mut wrong = Vec::new();
    let workflows = root().join(".github/workflows");
    for entry in fs::read_dir(workflows).expect("the workflows") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a workflow");
        let mut commands = 0;
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", path.display(), number + 1);
            let indent = line.len() - line.trim_start().len();
            if line.contains('\t') || indent % 2 == 1 {
                wrong.push(format!("{place}: indentation"));
            }
            let Some(command) = line.trim_start_matches([' ', '-']).strip_prefix("run: ") else {
                continue;
            };
            commands += 1;
            let script = command.split_whitespace().next().unwrap_or_default();
            if !["scripts/", ".ci/"].iter().any(|folder| script.starts_with(folder))
                || !root().join(script).exists()
            {
                wrong.push(format!("{place}: {command}"));
            }
        }
        let has_parts = ["name:", "on:", "permissions:", "jobs:"]
            .iter()
            .all(|part| text.lines().any(|line| line.starts_with(part)));
        if !has_parts || commands == 0 {
            wrong.push(format!("{}: not a workflow", path.display()));
        }
    }
    assert_none("workflows", &wrong);
}
