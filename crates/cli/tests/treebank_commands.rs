//! The commands that copy, convert and divide treebanks, run as a user runs them.
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const GOOD: &str =
    "# sent_id = 1\n1\ta\ta\tDET\t_\t_\t2\tdet\t_\t_\n2\tb\tb\tNOUN\t_\t_\t0\troot\t_\tX=1\n\n";
const BAD: &str = "# sent_id = bad\n1\ta\ta\tDET\t_\t_\t7\tdet\t_\t_\n\n";

fn crossarc(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crossarc"))
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

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn numbered(sentences: usize) -> String {
    let sentence = |id| GOOD.replace("sent_id = 1", &format!("sent_id = {id}"));
    (1..=sentences).map(sentence).collect()
}

fn ids(text: &str) -> Vec<usize> {
    text.lines().filter_map(|line| line.strip_prefix("# sent_id = ")?.parse().ok()).collect()
}

#[test]
fn convert_copies_byte_for_byte() {
    let out = crossarc(&["convert"], GOOD);
    assert_eq!((text(&out.stdout), text(&out.stderr)), (GOOD, ""));
    assert_eq!(out.status.code(), Some(0));
}

#[test]
fn convert_says_what_the_target_cannot_hold() {
    let out = crossarc(&["convert", "--to", "conllx"], GOOD);
    assert_eq!(
        text(&out.stdout),
        "1\ta\ta\tDET\t_\t_\t2\tdet\t_\t_\n2\tb\tb\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    );
    let told = text(&out.stderr);
    assert!(told.contains("conllx cannot hold 1 comments"), "{told}");
    assert!(told.contains("conllx cannot hold 1 values of MISC"), "{told}");
    let quiet = crossarc(&["convert", "--to", "conllx", "--quiet"], GOOD);
    assert!(quiet.stderr.is_empty());
}

#[test]
fn a_bad_sentence_stops_or_is_copied() {
    let input = format!("{GOOD}{BAD}{GOOD}");
    let stopped = crossarc(&["convert"], &input);
    assert_eq!(stopped.status.code(), Some(1));
    let told = text(&stopped.stderr);
    assert!(told.contains("stdin:6:15: there is no such head: `7`"), "{told}");
    let skipped = crossarc(&["convert", "--on-error", "skip"], &input);
    assert_eq!(text(&skipped.stdout), input);
    assert_eq!(skipped.status.code(), Some(1));
    assert!(text(&skipped.stderr).contains("1 of 3 sentences were bad"));
    let converted = crossarc(&["convert", "--on-error", "skip", "--to", "conllx"], &input);
    assert!(!text(&converted.stdout).contains('7'), "it cannot be copied into another format");
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let folder = folder("whole");
    let path = folder.join("out.conllu");
    fs::write(&path, "old").unwrap();
    let out = crossarc(&["convert", "-o", path.to_str().unwrap()], &format!("{GOOD}{BAD}"));
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    let out = crossarc(&["convert", "-o", path.to_str().unwrap()], GOOD);
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(fs::read_to_string(&path).unwrap(), GOOD);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn shuffle_is_a_permutation_that_the_seed_fixes() {
    let input = numbered(50);
    let shuffled = |seed| crossarc(&["shuffle", "--seed", seed], &input).stdout;
    let first = shuffled("7");
    assert_eq!(first, shuffled("7"));
    assert_ne!(first, shuffled("8"));
    let mut order = ids(text(&first));
    assert_ne!(order, (1..=50).collect::<Vec<_>>());
    order.sort_unstable();
    assert_eq!(order, (1..=50).collect::<Vec<_>>());
}

#[test]
fn split_gives_every_sentence_to_one_part() {
    let folder = folder("split");
    let out =
        crossarc(&["split", "--parts", "80,10,10", "-o", folder.to_str().unwrap()], &numbered(50));
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let part = |name: &str| ids(&fs::read_to_string(folder.join(name)).unwrap());
    let parts = [part("train.conllu"), part("dev.conllu"), part("test.conllu")];
    assert_eq!(parts.each_ref().map(Vec::len), [40, 5, 5]);
    assert!(parts.iter().all(|part| part.is_sorted()), "the order is kept");
    let mut all = parts.concat();
    all.sort_unstable();
    assert_eq!(all, (1..=50).collect::<Vec<_>>());
}

#[test]
fn folds_test_every_sentence_once() {
    let folder = folder("folds");
    let input = numbered(23);
    let out = crossarc(&["folds", "-k", "5", "-o", folder.to_str().unwrap()], &input);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let mut tested = Vec::new();
    for fold in 1..=5 {
        let read = |part| fs::read_to_string(folder.join(fold.to_string()).join(part)).unwrap();
        let (train, test) = (read("train.conllu"), read("test.conllu"));
        let mut both = [ids(&train), ids(&test)].concat();
        both.sort_unstable();
        assert_eq!(both, (1..=23).collect::<Vec<_>>());
        let fold = fold.to_string();
        let alone = crossarc(&["folds", "-k", "5", "--fold", &fold, "--part", "test"], &input);
        assert_eq!(text(&alone.stdout), test);
        tested.extend(ids(&test));
    }
    tested.sort_unstable();
    assert_eq!(tested, (1..=23).collect::<Vec<_>>());
}

#[test]
fn documents_stay_together() {
    let document = |id: usize| format!("# newdoc id = {id}\n{GOOD}{GOOD}{GOOD}");
    let input: String = (1..=10).map(document).collect();
    let out = crossarc(&["shuffle", "--documents"], &input);
    let documents: Vec<&str> = text(&out.stdout).split("# newdoc").skip(1).collect();
    assert_eq!(documents.len(), 10);
    assert!(documents.iter().all(|document| document.matches("sent_id").count() == 3));
    assert_ne!(text(&out.stdout), input);
}

#[test]
fn wrong_usage_is_told_apart() {
    assert_eq!(crossarc(&["convert", "--to", "xml"], "").status.code(), Some(2));
    assert_eq!(crossarc(&["convert", "/does/not/exist"], "").status.code(), Some(1));
    let page = crossarc(&["man", "convert"], "");
    assert!(text(&page.stdout).contains("crossarc\\-convert"));
}
