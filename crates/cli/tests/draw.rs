//! `crossarc draw` from the outside: choices, targets, comparisons and exit codes.
use std::io::Write;
use std::process::{Command, Output, Stdio};

const TWO: &str = "\
# sent_id = first
1\tSo\tso\tADV\t_\t_\t2\tadvmod\t_\t_
2\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_

# sent_id = second
1\tStop\tstop\tVERB\t_\t_\t0\troot\t_\t_

";

fn draw(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .arg("draw")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("crossarc starts");
    // A program that stops at wrong usage does not read its input.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("crossarc ends")
}

fn drawn(arguments: &[&str], input: &str) -> String {
    let output = draw(arguments, input);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn refused(arguments: &[&str], input: &str, code: i32) -> String {
    let output = draw(arguments, input);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn sentences_are_chosen_by_number_range_and_identifier() {
    let all = drawn(&[], TWO);
    assert!(all.contains("# 1 first\n") && all.contains("\n# 2 second\n"), "{all}");
    assert!(!drawn(&["-s", "1"], TWO).contains("Stop"));
    assert!(drawn(&["-s", "2-"], TWO).contains("Stop"));
    assert!(drawn(&["--sentence", "second"], TWO).contains("Stop"));
    assert_eq!(drawn(&["-s", "1", "-s", "second"], TWO), all);
    let message = refused(&["-s", "third"], TWO, 1);
    assert!(message.contains("standard input has 2 sentences"), "{message}");
    refused(&["-s", "0"], TWO, 2);
    refused(&["--to", "oil-on-canvas"], TWO, 2);
    refused(&["a", "b", "c"], "", 2);
}

#[test]
fn the_output_file_tells_the_target() {
    let folder = std::env::temp_dir().join(format!("crossarc-draw-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, start) in [
        ("a.svg", "<svg "),
        ("a.html", "<!DOCTYPE html>"),
        ("a.tex", "\\documentclass"),
        ("a.dot", "digraph "),
        ("a.json", "[{\"words\""),
        ("a.txt", "# 1 first"),
    ] {
        let path = folder.join(name);
        drawn(&["-o", path.to_str().expect("UTF-8")], TWO);
        let text = std::fs::read_to_string(&path).expect("the drawing");
        assert!(text.starts_with(start), "{name}: {text}");
    }
    let unknown = folder.join("a.xyz");
    refused(&["-o", unknown.to_str().expect("UTF-8")], TWO, 2);
    assert!(!unknown.exists());
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

#[test]
fn only_the_same_words_are_compared() {
    let path = std::env::temp_dir().join(format!("crossarc-gold-{}.conllu", std::process::id()));
    let gold = path.to_str().expect("UTF-8");
    std::fs::write(&path, TWO).expect("a file");
    let picture = drawn(&[gold, "-"], &TWO.replace("advmod", "discourse"));
    assert!(picture.contains("advmod/discourse"), "{picture}");
    let message = refused(&[gold, "-"], &TWO.replace("Stop", "Wait"), 1);
    assert!(message.contains("`Stop`") && message.contains("`Wait`"), "{message}");
    let (first, _) = TWO.split_once("\n\n").expect("two sentences");
    let message = refused(&[gold, "-"], &format!("{first}\n\n"), 1);
    assert!(message.contains("ends after 1 sentences"), "{message}");
    std::fs::remove_file(&path).expect("the file goes");
}

#[test]
fn words_without_a_head_are_drawn() {
    let picture = drawn(&["--quiet", "-s", "1"], &TWO.replace("\t2\tadvmod", "\t_\t_"));
    assert!(picture.contains("So") && !picture.contains("advmod"), "{picture}");
}
