//! `crossarc vectors`, and `train` with a teacher, from the outside.
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank_text};

/// Files of one test, removed at its end: a treebank, and text with the same words.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let name = format!("crossarc-from-text-{test}-{}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        fs::create_dir_all(&folder.0).unwrap();
        let text = |seed, sentences| {
            let options = TreebankOptions { sentences, vocabulary: 20, ..Default::default() };
            treebank_text(Seed(seed), &options)
        };
        fs::write(folder.0.join("train.conllu"), text(1, 20)).unwrap();
        fs::write(folder.0.join("dev.conllu"), text(2, 6)).unwrap();
        let forms = |line: &str| line.split('\t').nth(1).map(str::to_owned);
        let words: Vec<String> = text(3, 60).lines().filter_map(forms).collect();
        fs::write(folder.0.join("text.txt"), words.join(" ") + "\n").unwrap();
        folder
    }

    fn run(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crossarc"));
        command.args(line.split_whitespace()).current_dir(&self.0).stdin(Stdio::null());
        command.output().unwrap()
    }

    /// Runs what must succeed; what it said.
    fn ok(&self, line: &str) -> String {
        let output = self.run(line);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{line}: {said}");
        said
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const QUICK: &str = "--pipeline --train train.conllu --fast --runs 1 --epochs 1";

#[test]
fn a_student_learns_from_the_text_of_its_teacher() {
    let folder = Folder::new("teacher");
    folder.ok(&format!("train -m teacher {QUICK} --quiet"));
    let student = format!("{QUICK} --dev dev.conllu --leave-out dev.conllu --least-sure 0");
    let said =
        folder.ok(&format!("train -m one {student} --teacher teacher --text text.txt --threads 1"));
    assert!(said.contains("words are lessons"), "{said}");
    folder.ok(&format!("train -m two {student} --teacher teacher --text text.txt --threads 2"));
    assert!(folder.read("one") == folder.read("two"), "on two threads");
    folder.ok("parse -m teacher --scores --from text text.txt -o taught.conllu");
    folder.ok(&format!("train -m before {student} --taught taught.conllu"));
    let parsed = |model| folder.run(&format!("parse -q -m {model} dev.conllu")).stdout;
    assert!(parsed("one") == parsed("before") && !parsed("one").is_empty(), "parsed before");
    fs::write(folder.0.join("options.toml"), "teacher = \"teacher\"\ntext = [\"text.txt\"]\n")
        .unwrap();
    folder.ok(&format!("train -m three {student} --config options.toml"));
    assert!(folder.read("one") == folder.read("three"), "from a file");
    let wrong = folder.run(&format!("train -m x {QUICK} --teacher teacher"));
    assert!(!wrong.status.success());
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("go together"));
    let wrong = folder.run(&format!("train -m x {QUICK} --leave-out dev.conllu"));
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("goes with --teacher"));
}

#[test]
fn vectors_are_learned_and_read() {
    let folder = Folder::new("vectors");
    let options = "text.txt --size 4 --epochs 1 --least-count 1 --buckets 100";
    folder.ok(&format!("vectors {options} -o one.txt --threads 1"));
    folder.ok(&format!("vectors {options} -o two.txt --threads 2"));
    assert!(folder.read("one.txt") == folder.read("two.txt"), "on two threads");
    let first = String::from_utf8(folder.read("one.txt")).unwrap();
    assert!(first.lines().next().unwrap().ends_with(" 4"), "{first}");
    assert!(first.lines().skip(1).all(|line| line.split(' ').count() == 5), "{first}");
    let net = "--parser mst --scorer biaffine --net-epochs 1 --net-size 4";
    folder.ok(&format!("train -m net --train train.conllu {net} --vectors one.txt --quiet"));
    folder.ok("parse -m net dev.conllu -o parsed.conllu");
    let none = folder.run("vectors text.txt --least-count 100000 -o x.txt");
    assert!(!none.status.success() && !folder.0.join("x.txt").exists());
    assert!(String::from_utf8(none.stderr).unwrap().contains("--least-count 1"));
}
