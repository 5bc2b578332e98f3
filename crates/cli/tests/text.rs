//! Raw text from the outside, with the model inside the program.
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn crossarc(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    output
}

fn text_of(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn an_argument_with_a_blank_is_text() {
    let parsed = text_of(&crossarc(&["parse", "A hearing is scheduled on the issue today."], b""));
    assert!(parsed.contains("# text = A hearing is scheduled on the issue today.\n"), "{parsed}");
    let row: Vec<&str> =
        parsed.lines().find(|line| line.starts_with("2\thearing\t")).unwrap().split('\t').collect();
    assert_eq!(row[2..4], ["hearing", "NOUN"]);
    assert_eq!(parsed.lines().filter(|line| line.contains("\troot\t")).count(), 1);
}

#[test]
fn text_comes_back_exactly_at_any_number_of_threads() {
    let text = "He didn't go.\r\n\r\n  \"Why?\" she said…\tNobody\u{a0}knew 😀.\n".repeat(400);
    let one = text_of(&crossarc(&["parse", "--threads", "1"], text.as_bytes()));
    let two = text_of(&crossarc(&["parse", "--threads", "2"], text.as_bytes()));
    assert_eq!(one, two);
    let back = text_of(&crossarc(&["convert", "--to", "text"], one.as_bytes()));
    assert_eq!(back, text);
}

#[test]
fn formats_and_steps_are_switches() {
    let lines = text_of(&crossarc(&["parse", "--from", "lines"], b"One. Two.\nThree\n"));
    assert_eq!(lines.matches("# sent_id").count(), 2, "{lines}");
    let words = text_of(&crossarc(&["parse", "--from", "horizontal"], b"don't stop\n"));
    assert!(words.contains("\n1\tdon't\t"), "{words}");
    let tokens = text_of(&crossarc(&["parse", "--tokenize", "--token-range"], b"So it goes."));
    assert!(tokens.contains("1\tSo\t_\t_\t_\t_\t_\t_\t_\tTokenRange=0:2\n"), "{tokens}");
    let tagged = "1\tbirds\tBIRDS\tX\t_\t_\t_\t_\t_\t_\n\n";
    let kept = text_of(&crossarc(&["parse", "-q"], tagged.as_bytes()));
    assert!(kept.starts_with("1\tbirds\tBIRDS\tX\t_\t_\t0\troot\t"), "{kept}");
    let again = text_of(&crossarc(&["parse", "-q", "--tag"], tagged.as_bytes()));
    assert!(again.starts_with("1\tbirds\tbird\tNOUN\t"), "{again}");
}

#[test]
fn what_is_not_utf8_is_replaced_or_refused() {
    let replaced = crossarc(&["parse"], b"A caf\xe9 here.");
    assert!(text_of(&replaced).contains("caf\u{fffd}"));
    assert!(String::from_utf8_lossy(&replaced.stderr).contains("not UTF-8"));
    let refused = crossarc(&["parse", "--strict"], b"A caf\xe9 here.");
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("stdin:1:"));
}

#[test]
fn the_licence_is_told() {
    let info = text_of(&crossarc(&["info"], b""));
    assert!(info.contains("UD English EWT") && info.contains("CC BY-SA 4.0"), "{info}");
    assert!(info.contains("tokenizer") && info.contains("lemmatizer"));
}
