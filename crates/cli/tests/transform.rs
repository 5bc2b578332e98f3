//! `crossarc transform`, run as a user runs it.
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// "A hearing is scheduled on the issue today ." (Figure 1 of Nivre 2009).
fn hearing() -> String {
    let words = [
        ("A", "2", "det"),
        ("hearing", "3", "nsubj"),
        ("is", "0", "root"),
        ("scheduled", "3", "vg"),
        ("on", "2", "nmod"),
        ("the", "7", "det"),
        ("issue", "5", "pc"),
        ("today", "4", "adv"),
        (".", "3", "punct"),
    ];
    let mut text = "# sent_id = hearing\n".to_owned();
    for (at, (form, head, label)) in words.into_iter().enumerate() {
        let id = (at + 1).to_string();
        let columns = [&id, form, form, "X", "x", "_", head, label, "_", "_"];
        text.push_str(&columns.join("\t"));
        text.push('\n');
    }
    text + "\n"
}

fn transform(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .arg("transform")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn pseudo_projective_trees_go_there_and_back() {
    let encoded = transform(&["--codec", "pseudo-head+path"], &hearing());
    let told = text(&encoded.stdout);
    assert!(told.contains("\t3\tnmod↑nsubj\t"), "{told}");
    assert!(told.contains("\t3\tnsubj↓\t"), "{told}");
    let decoded = transform(&["--codec", "pseudo-head+path", "--inverse"], told);
    assert_eq!(text(&decoded.stdout), hearing());
    assert_eq!(decoded.status.code(), Some(0));
}

#[test]
fn columns_come_back_with_the_original() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let original = folder.join("transform-original.conllu");
    let config = folder.join("transform-fitted.toml");
    fs::write(&original, hearing()).unwrap();
    let (original, config) = (original.to_str().unwrap(), config.to_str().unwrap());
    let codecs = ["--codec", "punctuation-classes", "--codec", "pseudo-head", "--label-cap", "1"];
    let encoded = transform(&[&codecs[..], &["--save-config", config, original]].concat(), "");
    let told = text(&encoded.stdout);
    assert!(told.contains("\tx+final\t"), "{told}");
    assert!(fs::read_to_string(config).unwrap().contains("new-labels = [\"adv↑vg\"]"));

    let refused = transform(&["--config", config, "--inverse"], told);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("--original"));
    let decoded = transform(&["--config", config, "--inverse", "--original", original], told);
    // With one new label the other lifted arc stays where it is.
    assert_eq!(text(&decoded.stdout), hearing().replace("\t2\tnmod\t", "\t3\tnmod\t"));
}

#[test]
fn the_report_counts_what_comes_back() {
    let out = transform(&["--codec", "pseudo-path", "--report", "--json"], &hearing());
    let told = text(&out.stdout);
    for part in ["\"moved\":2", "\"recovered\":1", "\"lifts\":2", "\"new_labels\":4"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
}

#[test]
fn misuse_is_told_apart_from_bad_data() {
    assert_eq!(transform(&[], &hearing()).status.code(), Some(2));
    assert_eq!(transform(&["--codec", "lift"], &hearing()).status.code(), Some(2));
    let cyclic = hearing().replace("\t0\troot", "\t4\troot");
    assert_eq!(transform(&["--codec", "baseline"], &cyclic).status.code(), Some(1));
}
