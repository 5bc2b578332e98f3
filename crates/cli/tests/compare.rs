//! `crossarc compare` from the outside: a small grid, interrupted and resumed.
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank_text};
use crossarc_lab::compare::recipe::Recipe;

const RECIPE: &str = r#"
title = "Small"
[grid]
treebanks = ["one", "two"]
parsers = ["arc-eager", "swap"]
features = ["nivre2008"]
seeds = [1, 2]
options = { epochs = 2 }
[[run]]
parsers = ["swap-hybrid"]
treebanks = ["one"]
seeds = [1]
beams = [2]
[[table]]
name = "las"
rows = ["parser", "oracle", "beam"]
columns = ["treebank"]
measures = ["las", "np-recall", "moves-per-word", "megabytes", "best-epoch"]
average = true
"#;

const CELLS: usize = 2 * 2 * 2 + 1;

/// Files of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    /// A folder with two treebanks, the second without development set, and a recipe.
    fn new(test: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("crossarc-compare-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let folder = Folder(path);
        let text = |seed: u64, sentences: usize| {
            let options = TreebankOptions { sentences, vocabulary: 20, ..Default::default() };
            treebank_text(Seed(seed), &options)
        };
        for (name, seed) in [("one", 1), ("two", 2)] {
            folder.write(&format!("{name}-train.conllu"), &text(seed, 60));
            folder.write(&format!("{name}-test.conllu"), &text(seed + 10, 20));
        }
        folder.write("one-dev.conllu", &text(5, 20));
        folder.write("recipe.toml", RECIPE);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        let path = self.0.join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn command(&self, output: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crossarc"));
        command.current_dir(&self.0).env_remove("CROSSARC_TREEBANKS");
        command.args(["compare", "--recipe", "recipe.toml", "--treebanks", "."]);
        command.args(["-o", output]).args(more);
        command
    }

    fn compare(&self, output: &str, more: &[&str]) -> Output {
        self.command(output, more).output().unwrap()
    }

    fn keys(&self, output: &str) -> Vec<String> {
        let text = self.read(&format!("{output}/results.jsonl"));
        let key = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["key"].as_str().unwrap().to_owned()
        };
        text.lines().map(key).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn interrupted_and_resumed_gives_the_same_tables() {
    let folder = Folder::new("resume");
    let whole = folder.compare("whole", &["--jobs", "1"]);
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    let keys = folder.keys("whole");
    assert_eq!(keys.len(), CELLS);
    let table = folder.read("whole/las.csv");
    assert!(table.starts_with("parser,oracle,beam,one LAS,one NP recall,"), "{table}");
    assert_eq!(table.lines().count(), 1 + 3, "{table}");
    let page = folder.read("whole/tables.md");
    assert!(page.contains("two\\* LAS") && page.contains("no development set"), "{page}");
    assert_eq!(folder.read("whole/results.csv").lines().count(), 1 + CELLS);
    assert!(folder.read("whole/las.tex").contains("\\begin{tabular}{lllrrrrr"));
    assert!(text(&whole.stdout).contains("swap-hybrid"), "{}", text(&whole.stdout));

    // Killed while a cell is being trained, with two cells at a time.
    let mut child = folder
        .command("killed", &["--jobs", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let results = folder.0.join("killed/results.jsonl");
    let lines = || std::fs::read_to_string(&results).map_or(0, |text| text.lines().count());
    let started = Instant::now();
    while lines() < 2 && started.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let killed = folder.read("killed/results.jsonl");

    // A fast machine may have finished: two cells at most are kept, and the next line is torn.
    let finished: String = killed.split_inclusive('\n').take(2).collect();
    let torn = format!("{finished}{{\"key\":\"012345\",\"treeb");
    std::fs::write(&results, torn).unwrap();
    let listed = text(&folder.compare("killed", &["--list"]).stdout);
    assert_eq!(listed.matches("measured").count(), 2, "{listed}");

    let resumed = folder.compare("killed", &["--jobs", "2"]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(folder.read("killed/results.jsonl").starts_with(&finished), "old results stay");
    let mut after = folder.keys("killed");
    let mut expected = keys;
    after.sort();
    expected.sort();
    assert_eq!(after, expected, "every cell once");
    assert_eq!(folder.read("killed/las.csv"), table);

    // Nothing is left to do, and tables can be made without treebanks.
    let again = folder.compare("killed", &["--quiet"]);
    assert!(again.status.success() && again.stderr.is_empty(), "{}", text(&again.stderr));
    assert_eq!(folder.keys("killed").len(), CELLS);
    std::fs::remove_file(folder.0.join("one-train.conllu")).unwrap();
    std::fs::remove_file(folder.0.join("killed/las.csv")).unwrap();
    let tables = folder.compare("killed", &["--tables-only"]);
    assert!(tables.status.success(), "{}", text(&tables.stderr));
    assert_eq!(folder.read("killed/las.csv"), table);
}

#[test]
fn other_data_or_options_are_other_cells() {
    let folder = Folder::new("keys");
    let recipe = |epochs: usize| {
        let options = format!("options = {{ epochs = {epochs} }}");
        format!("title='t'\n[grid]\ntreebanks=['one']\nparsers=['swap']\n{options}\n")
    };
    folder.write("recipe.toml", &recipe(1));
    let run = || {
        let output = folder.compare("out", &[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        folder.keys("out").len()
    };
    assert_eq!((run(), run()), (1, 1));
    folder.write("recipe.toml", &recipe(2));
    assert_eq!((run(), run()), (2, 2));
    let test = folder.read("one-test.conllu");
    folder.write("one-test.conllu", &format!("{test}{test}"));
    assert_eq!((run(), run()), (3, 3));
    folder.write("one-test.conllu", &test);
    assert_eq!(run(), 3, "the old data is recognised");
}

#[test]
fn files_can_be_given_and_mistakes_are_told() {
    let folder = Folder::new("files");
    let files = ["--train", "one-train.conllu", "--test", "one-test.conllu", "two-test.conllu"];
    folder.write("recipe.toml", "title='t'\n[grid]\nparsers=['swap']\noptions={epochs=1}\n");
    let output = folder.compare("out", &files);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("one* LAS"), "{}", text(&output.stdout));

    let error = |more: &[&str]| {
        let output = folder.compare("out", more);
        (output.status.code().unwrap(), text(&output.stderr))
    };
    let (code, message) = error(&[]);
    assert!(code == 1 && message.contains("no treebank is named"), "{message}");
    let (code, message) = error(&["--treebank", "three"]);
    assert!(code == 1 && message.contains("three-train.conllu"), "{message}");
    assert_eq!(error(&["--train", "one-train.conllu"]).0, 2);
    let results = folder.read("out/results.jsonl");
    folder.write("out/results.jsonl", &format!("nonsense\n{results}"));
    let (code, message) = error(&files);
    assert!(code == 1 && message.contains("results.jsonl:1: not a result"), "{message}");
    folder.write("out/results.jsonl", "");
    folder.write("one-test.conllu", "1\ta\t_\t_\t_\t_\t7\tx\t_\t_\n\n");
    let (code, message) = error(&files);
    assert!(code == 1 && message.contains("one-test.conllu:1"), "{message}");
    assert!(message.contains("1 of 1 cells are not measured"), "{message}");
}

#[test]
fn folds_are_one_result_and_significance_is_marked() {
    let folder = Folder::new("folds");
    folder.write(
        "recipe.toml",
        r#"
        title = "Folds"
        [grid]
        treebanks = ["one", "two"]
        parsers = ["arc-eager", "swap"]
        features = ["nivre2008"]
        folds = 3
        options = { epochs = 1 }
        [[table]]
        name = "las"
        rows = ["parser"]
        columns = ["treebank"]
        measures = ["las", "moves-per-word"]
        significance = { test = "bootstrap", against = "best", samples = 50 }
        [[statistics]]
        name = "treebanks"
        parts = ["train", "test"]
        figures = ["sentences", "lifts", "ambiguity"]
        "#,
    );
    let output = folder.compare("out", &["--memory", "1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(folder.keys("out").len(), 2 * 2 * 3);
    let table = folder.read("out/las.csv");
    assert_eq!(table.lines().count(), 1 + 2, "{table}");
    assert!(folder.read("out/tables.md").contains("paired bootstrap over sentences"), "{table}");
    assert_eq!(folder.read("out/results.csv").lines().count(), 1 + 12, "folds apart");
    // All 60 sentences of the training set are tested once.
    let results = folder.read("out/results.jsonl");
    let sentences: u64 = results
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["treebank"] == "two" && line["parser"] == "swap")
        .map(|line| line["counts"]["attachment"]["sentences"].as_u64().unwrap())
        .sum();
    assert_eq!(sentences, 60);
    assert!(folder.read("out/treebanks.csv").starts_with("treebank,train sentences,"));
    assert!(folder.read("out/report.html").contains("<svg class=\"plot\""));
}

/// Every recipe of the project, in its small version, on a generated treebank.
#[test]
fn the_recipes_of_the_project_run() {
    let folder = Folder::new("recipes");
    let recipes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
    for (part, seed, sentences) in [("train", 1, 24), ("dev", 2, 6), ("test", 3, 8)] {
        let options = TreebankOptions { sentences, vocabulary: 20, ..Default::default() };
        folder.write(&format!("one-{part}.conllu"), &treebank_text(Seed(seed), &options));
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&recipes).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            let recipe = Recipe::parse(&text);
            let recipe = recipe.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            recipe
                .plans(&recipes, None)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            names.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    for seed in ["bjorkelund-kuhn-", "nivre-2009-", "nivre-lecture-", "reisinger-", "schiehlen-"] {
        assert!(names.iter().any(|name| name.starts_with(seed)), "{seed}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .current_dir(&folder.0)
        .args(["compare", "--recipe"])
        .arg(&recipes)
        .args(["--small", "--train", "one-train.conllu", "--dev", "one-dev.conllu"])
        .args(["--test", "one-test.conllu", "-o", "out", "--quiet"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let index = folder.read("out/index.html");
    for name in names {
        assert!(index.contains(&format!("{name}/report.html")), "{name}");
        let page = folder.read(&format!("out/{name}/report.html"));
        assert!(page.contains("<table>") && page.ends_with("</html>\n"), "{name}");
        assert!(folder.read(&format!("out/{name}/tables.md")).contains('|'), "{name}");
    }
    let figure = folder.read("out/nivre-2009-figure-5/report.html");
    assert!(figure.contains("m = a n") && figure.matches("cloud").count() >= 4, "scatter plots");
}
