//! `crossarc eval` from the outside: what is printed, and exit codes.
use std::path::PathBuf;
use std::process::{Command, Output};

const GOLD: &str = "\
# sent_id = one
1\tWho\t_\tPRON\t_\t_\t4\tobj\t_\t_
2\tdid\t_\tAUX\t_\t_\t3\taux\t_\t_
3\tsay\t_\tVERB\t_\t_\t0\troot\t_\t_
4\tsaw\t_\tVERB\t_\t_\t3\tccomp\t_\t_
5\t?\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_

";

/// Files of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("crossarc-eval-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn eval(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crossarc")).arg("eval").args(arguments).output().unwrap()
}

#[test]
fn one_column_for_each_system() {
    let folder = Folder::new("columns");
    let gold = folder.file("gold.conllu", GOLD);
    let flat = folder.file("flat.conllu", &GOLD.replace("4\tobj", "3\tobj"));
    let output = eval(&[&gold, &gold, &flat]);
    let table = String::from_utf8(output.stdout).unwrap();
    let row = |name: &str| {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row(" "), ["gold", "gold.conllu", "flat.conllu"]);
    assert_eq!(row("UAS"), ["100.00", "80.00"]);
    assert_eq!(row("non-projective arcs"), ["1", "1", "0"]);
    assert_eq!(row("  precision"), ["100.00", "-"]);
    assert_eq!(row("  recall"), ["100.00", "0.00"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn json_has_shares_and_counts() {
    let folder = Folder::new("json");
    let gold = folder.file("gold.conllu", GOLD);
    let system = folder.file("system.conllu", &GOLD.replace("3\tpunct", "4\tpunct"));
    let read = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&eval(arguments).stdout).unwrap()
    };
    assert_eq!(read(&["--json", &gold, &system])["systems"][0]["uas"], 0.8);
    let without = read(&["--json", "--no-punct", &gold, &system]);
    assert_eq!(without["systems"][0]["uas"], 1.0);
    assert_eq!(without["systems"][0]["words"], 4);
    let official = read(&["--json", "--official", &gold, &system]);
    assert_eq!(official["systems"][0]["scores"]["UAS"]["correct"], 4);
}

#[test]
fn different_words_are_bad_data() {
    let folder = Folder::new("different");
    let gold = folder.file("gold.conllu", GOLD);
    let split = GOLD.replace(
        "5\t?\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_",
        "5\tn\t_\tX\t_\t_\t3\tdep\t_\t_\n6\t?\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_",
    );
    let system = folder.file("system.conllu", &split);
    for option in ["--quiet", "--official"] {
        let output = eval(&[option, &gold, &system]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(
            message.contains("gold.conllu:6: sentence 1 (one):\n      Who did say saw ⟦?⟧"),
            "{message}"
        );
        assert!(
            message.contains("system.conllu:6: sentence 1 (one):\n      Who did say saw ⟦n⟧ ?"),
            "{message}"
        );
    }
}

#[test]
fn wrong_use_is_told_apart_from_bad_data() {
    assert_eq!(eval(&["gold.conllu"]).status.code(), Some(2));
    assert_eq!(eval(&["-", "-"]).status.code(), Some(2));
    assert_eq!(eval(&["a", "b", "--official", "--no-punct"]).status.code(), Some(2));
    assert_eq!(eval(&["no-such-file", "no-such-file"]).status.code(), Some(1));
}
