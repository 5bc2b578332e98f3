//! `crossarc train`, `parse`, `info` and `bench` from the outside.
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank_text};

/// Files of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("crossarc-parsers-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let folder = Folder(path);
        folder.file("train.conllu", &text(1, 15));
        folder.file("dev.conllu", &text(2, 6));
        folder.file("test.conllu", &text(3, 10));
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn file(&self, name: &str, text: &str) -> String {
        fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    /// The command in this folder, so that files go by their names.
    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crossarc"));
        command.args(line.split_whitespace()).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs what must succeed; what it printed.
    fn ok(&self, line: &str) -> String {
        let output = self.run(line);
        let said = [&output.stdout[..], &output.stderr].concat();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&said));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs what must fail; the exit code and what it said.
    fn fails(&self, line: &str) -> (i32, String) {
        let output = self.run(line);
        assert!(!output.status.success(), "{line} should fail");
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(seed: u64, sentences: usize) -> String {
    let options = TreebankOptions { sentences, vocabulary: 20, ..TreebankOptions::default() };
    treebank_text(Seed(seed), &options)
}

const QUICK: &str = "--train train.conllu --features nivre2008 --quiet";

#[test]
fn one_command_trains_and_one_parses() {
    let folder = Folder::new("basics");
    folder.ok(&format!("train -m model --dev dev.conllu {QUICK} --note CC-BY"));
    folder.ok("parse -m model test.conllu -o parsed.conllu");
    let streamed = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .args(["parse", "-m", &folder.path("model"), "--threads", "1"])
        .stdin(fs::File::open(folder.0.join("test.conllu")).unwrap())
        .output()
        .unwrap();
    assert_eq!(streamed.stdout, folder.read("parsed.conllu"));
    assert!(folder.ok("eval test.conllu parsed.conllu").contains("LAS"));
    folder.ok("check parsed.conllu");
    let info = folder.ok("info --json model");
    for piece in ["train.conllu", "dev.conllu", "CC-BY", "dev_las", "\"checksum\""] {
        assert!(info.contains(piece), "{piece} in {info}");
    }
    assert!(!info.contains("\"checksum\": 0,"), "{info}");
    assert!(info.contains("\"nivre2008\""), "{info}");
    assert!(folder.ok("info model").contains("nivre2008"));
    let bench = folder.ok("bench -m model --runs 1 --json test.conllu");
    assert!(bench.contains("words_per_second") && bench.contains("moves_per_word"), "{bench}");
}

#[test]
fn threads_and_repetition_change_no_byte() {
    let folder = Folder::new("threads");
    for (beam, parser) in [(1, "arc-hybrid"), (3, "swap")] {
        for (model, threads) in [("one", 1), ("again", 1), ("two", 2)] {
            folder.ok(&format!(
                "train -m {model} {QUICK} --dev dev.conllu --parser {parser} --beam {beam} --threads {threads}"
            ));
        }
        assert!(folder.read("one") == folder.read("again"), "{parser} twice");
        assert!(folder.read("one") == folder.read("two"), "{parser} on two threads");
    }
}

#[test]
fn training_goes_on_from_a_checkpoint() {
    let folder = Folder::new("checkpoint");
    folder.ok(&format!("train -m whole {QUICK} --epochs 4"));
    folder.ok(&format!("train -m half {QUICK} --epochs 2 --checkpoint run"));
    let output = folder.run(&format!(
        "train -m resumed {} --epochs 4 --checkpoint run --resume",
        QUICK.replace("--quiet", "")
    ));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("going on after epoch 2"), "{said}");
    assert!(folder.read("whole") == folder.read("resumed"));
    let (code, said) =
        folder.fails(&format!("train -m x {QUICK} --seed 5 --checkpoint run --resume"));
    assert!(code == 1 && said.contains("seed was 1, now it is 5"), "{code} {said}");
    let (code, said) = folder.fails(&format!("train -m x {QUICK} --resume"));
    assert!(code == 2 && said.contains("--checkpoint"), "{code} {said}");
    let (code, said) = folder.fails("parse -m run test.conllu");
    assert!(code == 1 && said.contains("checkpoint"), "{code} {said}");
}

#[test]
fn a_failed_training_leaves_the_old_model() {
    let folder = Folder::new("failed");
    folder.ok(&format!("train -m model {QUICK}"));
    let old = folder.read("model");
    folder.file("bad.conllu", "1\tGo\t_\t_\t_\t_\t7\troot\t_\t_\n\n");
    folder.file("empty.conllu", "");
    folder.file("templates.txt", "[moves]\npsychic\n");
    for (arguments, message) in [
        ("--train bad.conllu", "bad.conllu:1"),
        ("--train missing.conllu", "missing.conllu"),
        ("--train empty.conllu", "no sentence"),
        ("--train train.conllu --parser psychic", "arc-standard"),
        ("--train train.conllu --parser swap --oracle psychic", "lazy"),
        ("--train train.conllu --features templates.txt", "psychic"),
        ("--train train.conllu --features psychic", "rich"),
        ("--train train.conllu --codec psychic", "pseudo-head"),
        ("--train train.conllu --ignore-columns psychic", "lemma"),
        ("--train train.conllu --beam 1000000", "beam"),
        ("--train train.conllu --checkpoint no/such/folder", "no/such/folder"),
    ] {
        let (code, said) = folder.fails(&format!("train -m model {arguments}"));
        assert!(said.contains(message), "{arguments}: {said}");
        assert!((1..=2).contains(&code), "{arguments}: exit code {code}");
        assert!(folder.read("model") == old, "{arguments}");
    }
    let (_, said) = folder.fails(&format!("train -m no/such/folder {QUICK}"));
    assert!(said.contains("cannot write no/such/folder"), "{said}");
    let left: Vec<_> = fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().contains("part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Ctrl-C ends training, and the model is there.
#[cfg(unix)]
#[test]
fn an_interrupted_training_saves_a_model() {
    use std::io::{BufRead, BufReader};
    let folder = Folder::new("interrupted");
    for dev in ["", "--dev dev.conllu"] {
        let mut child = folder
            .command(&format!(
                "train -m model --train train.conllu {dev} --epochs 1000000 --patience 1000000"
            ))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = said.find(|line| line.as_ref().unwrap().starts_with("epoch  1"));
        assert!(first.is_some(), "the first epoch has ended");
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let rest: Vec<String> = said.map(Result::unwrap).collect();
        assert!(child.wait().unwrap().success(), "{rest:?}");
        assert!(rest.last().unwrap().contains("model written"), "{rest:?}");
        folder.ok("parse -m model test.conllu");
        fs::remove_file(folder.0.join("model")).unwrap();
    }
}

#[test]
fn input_at_the_edges() {
    let folder = Folder::new("edges");
    folder.ok(&format!("train -m model {QUICK}"));
    folder.file("empty", "");
    assert_eq!(folder.ok("parse -m model empty"), "");
    assert_eq!(folder.ok("parse -m model"), "", "nothing on standard input");
    folder.file("one", "# only comment\n1\tX\t_\tPSYCHIC\t_\t_\t_\tnever\t_\t_\n\n");
    let parsed = folder.ok("parse -m model one");
    assert!(parsed.contains("# only comment\n1\tX\t_\tPSYCHIC\t_\t_\t0\t"), "{parsed}");
    for beam in ["0", "1001", "x"] {
        let (code, said) = folder.fails(&format!("parse -m model --beam {beam} one"));
        assert!(code == 2 && said.contains("--beam"), "{beam}: {code} {said}");
    }
    let (code, said) = folder.fails("parse -m train.conllu one");
    assert!(code == 1 && said.contains("not a Crossarc model"), "{code} {said}");
    let (code, said) = folder.fails("parse -m missing one");
    assert!(code == 1 && said.contains("missing"), "{code} {said}");
    let mut bytes = folder.read("model");
    bytes.truncate(bytes.len() / 2);
    fs::write(folder.0.join("cut"), &bytes).unwrap();
    let (code, said) = folder.fails("parse -m cut one");
    assert!(code == 1 && said.contains("damaged"), "{code} {said}");
    bytes[8] = 9;
    fs::write(folder.0.join("other"), &bytes).unwrap();
    let (code, said) = folder.fails("info other");
    assert!(code == 1 && said.contains("model format 9"), "{code} {said}");
    folder.file("old.conllu", "keep me");
    folder.fails("parse -m cut one -o old.conllu");
    assert_eq!(folder.read("old.conllu"), b"keep me");
}

const HALF: &str = "\
# text = ab cd
1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_
1\ta\t_\tNOUN\t_\t_\t3\tobj\t4:dep\tA=1
2\tb\t_\tNOUN\t_\t_\t4\tobl\t_\t_
3\tc\t_\tVERB\t_\t_\t_\t_\t_\tSpaceAfter=No
3.1\te\t_\t_\t_\t_\t_\t_\t3:dep\t_
4\td\t_\tVERB\t_\t_\t_\t_\t_\t_

";

/// Crossing heads are kept by a projective parser, and scores go to MISC.
#[test]
fn heads_are_kept_and_scores_are_written() {
    let folder = Folder::new("given");
    folder.ok(&format!("train -m model {QUICK} --parser arc-standard"));
    folder.file("half.conllu", HALF);
    let parsed = folder.ok("parse -m model --keep-heads --scores half.conllu");
    for piece in [
        "# text = ab cd\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\tNOUN\t_\t_\t3\tobj\t4:dep\tA=1|Score=",
        "\n2\tb\t_\tNOUN\t_\t_\t4\tobl\t_\tScore=",
        "\tSpaceAfter=No|Score=",
        "\n3.1\te\t_\t_\t_\t_\t_\t_\t3:dep\t_\n",
    ] {
        assert!(parsed.contains(piece), "{piece} in {parsed}");
    }
    folder.file("parsed.conllu", &parsed);
    folder.ok("check parsed.conllu");
    folder.file(
        "cycle.conllu",
        &HALF.replace("\tVERB\t_\t_\t_\t_\t_\tSpaceAfter", "\tVERB\t_\t_\t1\tdep\t_\tSpaceAfter"),
    );
    let (code, said) = folder.fails("parse -m model --keep-heads cycle.conllu");
    assert!(
        code == 1 && said.contains("cycle") && said.contains("cycle.conllu:3"),
        "{code} {said}"
    );
    let free = folder.ok("parse -m model half.conllu");
    assert!(free.contains("\t4:dep\tA=1\n"), "DEPS and MISC stay: {free}");
}

/// Everything that a configuration file says can be said on the command line, and the latter wins.
#[test]
fn options_come_from_a_file_too() {
    let folder = Folder::new("config");
    folder.file(
        "options.toml",
        "parser = \"arc-eager\"\noracle = \"static\"\nbeam = 2\ncodec = [\"pseudo-head\"]\n",
    );
    folder.ok(&format!("train -m file {QUICK} --config options.toml"));
    folder.ok(&format!(
        "train -m line {QUICK} --parser arc-eager --oracle static --beam 2 --codec pseudo-head"
    ));
    assert!(folder.read("file") == folder.read("line"));
    folder.ok(&format!("train -m other {QUICK} --config options.toml --beam 1"));
    assert!(folder.ok("info other").contains("arc-eager, greedy"));
    folder.file("options.toml", "psychic = 1\n");
    let (_, said) = folder.fails(&format!("train -m file {QUICK} --config options.toml"));
    assert!(said.contains("psychic"), "{said}");
}

#[test]
fn support_vector_machines_are_a_learner() {
    let folder = Folder::new("machines");
    let line = "--train train.conllu --dev dev.conllu --learner svm --parser covington --quiet";
    folder.ok(&format!("train -m model {line} --kernel-r 0 --cost 1 --split-by s0.upos"));
    folder.ok("parse -m model test.conllu -o parsed.conllu");
    folder.ok("check parsed.conllu");
    let info = folder.ok("info model");
    let piece = "svm, kernel (0.2 x.y + 0)^2, cost 1, one-versus-one, split by s0.upos";
    assert!(info.contains(piece) && info.contains("nivre2008"), "{info}");
    folder.file(
        "options.toml",
        "learner = \"svm\"\nkernel-r = 0.0\ncost = 1.0\nsplit-by = \"s0.upos\"\n",
    );
    let plain = line.replace("--learner svm", "");
    folder.ok(&format!("train -m file {plain} --config options.toml"));
    assert!(folder.read("model") == folder.read("file"));
    for (options, part) in [
        ("--learner knn", "perceptron or svm"),
        ("--cost 2", "--learner svm"),
        ("--learner svm --solver magic", "exact"),
        ("--learner svm --cost 0", "cost"),
        ("--learner svm --split-by b0.color", "color"),
        ("--learner svm --beam 4", "beam"),
    ] {
        let (_, said) = folder.fails(&format!("train -m x {plain} {options}"));
        assert!(said.contains(part), "{options}: {said}");
    }
}
