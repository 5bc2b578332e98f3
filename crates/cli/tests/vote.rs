//! `crossarc vote` from the outside.
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("crossarc-vote-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A sentence of three words with these heads and labels.
fn parsed(heads: [(u32, &str); 3]) -> String {
    let words = [("so", "ADV"), ("it", "PRON"), ("goes", "VERB")];
    let lines = heads.into_iter().zip(words).zip(1..).map(|(((head, label), (form, tag)), id)| {
        format!("{id}\t{form}\t{form}\t{tag}\t_\t_\t{head}\t{label}\t_\tNote=kept\n")
    });
    let lines: Vec<String> = lines.collect();
    format!("# sent_id = s1\n{}\n", lines.concat())
}

fn vote(arguments: &[&str], folder: &PathBuf) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crossarc"));
    command.current_dir(folder).arg("vote").args(arguments).output().unwrap()
}

#[test]
fn the_tree_with_the_most_votes_wins() {
    let folder = folder("most");
    let a = parsed([(3, "advmod"), (3, "nsubj"), (0, "root")]);
    let b = parsed([(3, "mark"), (3, "nsubj"), (0, "root")]);
    let c = parsed([(2, "advmod"), (0, "root"), (2, "obj")]);
    for (name, text) in [("a", &a), ("b", &b), ("c", &c)] {
        fs::write(folder.join(name), text).unwrap();
    }
    let out = vote(&["b", "a", "c"], &folder);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(String::from_utf8(out.stdout).unwrap(), b, "of equal labels the first wins");
    let out = vote(&["b", "a", "c", "--weights", "1,2,1"], &folder);
    assert_eq!(String::from_utf8(out.stdout).unwrap(), a);
    let out = vote(&["a", "b", "c", "--weights", "1,1,5", "-o", "out"], &folder);
    assert!(out.status.success() && out.stdout.is_empty());
    assert_eq!(fs::read_to_string(folder.join("out")).unwrap(), c);
    let out = vote(
        &["a", "c", "--weights", "tag", "--gold", "c", "--on", "a", "c", "--decoder", "eisner"],
        &folder,
    );
    assert_eq!(String::from_utf8(out.stdout).unwrap(), c, "c was right on its held-out sentence");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let folder = folder("fit");
    let one = parsed([(3, "advmod"), (3, "nsubj"), (0, "root")]);
    fs::write(folder.join("one"), &one).unwrap();
    fs::write(folder.join("two"), one.repeat(2)).unwrap();
    fs::write(folder.join("other"), one.replace("goes", "went")).unwrap();
    let refused = |arguments: &[&str], expected: &str| {
        let out = vote(arguments, &folder);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success() && told.contains(expected), "{arguments:?}: {told}");
    };
    refused(&["one", "two"], "same number of sentences");
    refused(&["one", "other"], "one:1 and other:1");
    refused(&["one", "one", "--weights", "1"], "1 numbers for 2 files");
    refused(&["one", "one", "--weights", "tag"], "--gold");
    refused(&["one", "one", "--weights", "much"], "expected uniform");
    refused(&["one", "missing"], "missing");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn models_vote_on_their_own_or_in_a_bundle() {
    let folder = folder("models");
    let crossarc = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crossarc"));
        let out = command.current_dir(&folder).args(arguments).output().unwrap();
        assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let one = parsed([(3, "advmod"), (3, "nsubj"), (0, "root")]);
    let two = parsed([(2, "advmod"), (0, "root"), (2, "obj")]);
    fs::write(folder.join("one.conllu"), one.repeat(4)).unwrap();
    fs::write(folder.join("two.conllu"), two.repeat(4)).unwrap();
    for (model, file) in [("a", "one.conllu"), ("b", "two.conllu"), ("c", "one.conllu")] {
        crossarc(&["train", "-m", model, "--train", file, "--epochs", "2", "--quiet"]);
    }
    let voted = crossarc(&["vote", "-m", "b", "-m", "a", "-m", "c", "two.conllu"]);
    assert_eq!(voted, one.repeat(4), "two models against one");
    let voted =
        crossarc(&["vote", "-m", "b", "-m", "a", "-m", "c", "--weights", "5,1,1", "one.conllu"]);
    assert_eq!(voted, two.repeat(4), "one with many votes against two");
    let members = ["-m", "a", "-m", "b", "--weights", "tag", "--dev", "two.conllu"];
    let weighed = crossarc(&[&["vote"], &members[..], &["one.conllu"]].concat());
    assert_eq!(weighed, two.repeat(4), "b is right on the held-out sentences");
    crossarc(&[&["vote"], &members[..], &["--bundle", "ab"]].concat());
    assert_eq!(crossarc(&["parse", "-m", "ab", "one.conllu"]), two.repeat(4), "b was right");
    let info = crossarc(&["info", "ab"]);
    assert!(info.contains("vote") && info.contains("100.00 % of heads"), "{info}");
    crossarc(&["bench", "-m", "ab", "--runs", "1", "one.conllu"]);
    let out = vote(&["-m", "a", "-m", "b", "--weights", "tag", "one.conllu"], &folder);
    assert!(String::from_utf8_lossy(&out.stderr).contains("--dev"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn one_command_trains_a_stack_or_a_vote() {
    let folder = folder("stack");
    let crossarc = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crossarc"));
        let out = command.current_dir(&folder).args(arguments).output().unwrap();
        let [out_text, err_text] =
            [&out.stdout, &out.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        (out.status.success(), out_text, err_text)
    };
    let one = parsed([(3, "advmod"), (3, "nsubj"), (0, "root")]);
    fs::write(folder.join("one.conllu"), one.repeat(6)).unwrap();
    let data = ["--train", "one.conllu", "--dev", "one.conllu", "--epochs", "2"];
    let stack = ["--parser", "swap", "--guide", "carreras --epochs 1", "--guide", "default"];
    let stack = [&stack[..], &["--cross-fitting", "2"]].concat();
    let vote = ["--parser", "vote", "--member", "swap --beam 2 --completion --epochs 2"];
    let nested = "swap --epochs 1 --cross-fitting 2 --guide 'mst --epochs 1'";
    let vote = [&vote[..], &["--weights", "tag", "--member", nested]].concat();
    for (name, options, told) in [("s", stack, "2, in the same file"), ("v", vote, "vote over")] {
        let (ok, _, log) = crossarc(&[&["train", "-m", name], &data[..], &options].concat());
        assert!(ok && log.contains("fold 2 of 2"), "{log}");
        let (ok, text, log) = crossarc(&["parse", "-m", name, "one.conllu"]);
        assert!(ok, "{log}");
        assert_eq!(text, one.repeat(6));
        let (ok, info, _) = crossarc(&["info", name]);
        assert!(ok && info.contains(told), "{info}");
    }
    for (options, told) in [
        (&["--member", "swap"][..], "--parser vote"),
        (&["--cross-fitting", "3"], "--cross-fitting goes with --guide"),
        (&["--guide", "swap --colour 3"], "--colour"),
        (&["--parser", "vote"], "members"),
    ] {
        let (ok, _, log) = crossarc(&[&["train", "-m", "x"], &data[..], options].concat());
        assert!(!ok && log.contains(told), "{options:?}: {log}");
    }
    fs::remove_dir_all(folder).unwrap();
}
