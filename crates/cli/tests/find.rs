//! `crossarc find` as a user runs it.
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn crossarc(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may answer before it has read everything.
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writing = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    output
}

fn found(arguments: &[&str]) -> String {
    let out = crossarc(&[&["find"], arguments].concat(), "");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

const FILE: &str = "queries.conllu";

#[test]
fn words_stand_in_their_context() {
    let out = crossarc(&["find", "V -[obj]-> O, V << O", FILE, "--width", "110"], "");
    let text = String::from_utf8(out.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[0].contains("and nobody  [read]  [it].") && lines[0].ends_with("letter"),
        "{text}"
    );
    let place = |line: &str| line.split('[').next().unwrap().chars().count();
    assert!(lines.iter().all(|line| place(line) == place(lines[0])), "{text}");
    assert_eq!(String::from_utf8_lossy(&out.stderr), "3 matches in 3 of 6 sentences\n");
}

#[test]
fn matches_are_counted() {
    assert_eq!(found(&["V -[obj]-> O", FILE, "--count"]), "4\n");
    assert_eq!(found(&["V -[obj]-> O", FILE, "--count", "-v"]), "2\n");
    assert_eq!(
        found(&["V -[nsubj:pass]-> S", FILE, "hearing.conllu", "--count"]),
        "queries.conllu\t2\nhearing.conllu\t1\n"
    );
    assert_eq!(found(&["--crossing", FILE, "--count"]), "7\n");
    assert_eq!(found(&["X[lemma=nothing]", FILE]), "");
    let table =
        found(&["V[upos=VERB] -[@core]-> X", FILE, "--by", "X.upos,distance(V, X)", "--to", "csv"]);
    assert!(table.starts_with("X.upos,\"distance(V, X)\",count,percent\nPRON,1,7,"), "{table}");
    let by_lemma = found(&["X[lemma=walk]", FILE, "--by", "X.lemma,X.upos"]);
    assert_eq!(by_lemma.lines().next().unwrap(), "X.lemma  X.upos  count  percent");
    assert_eq!(by_lemma.lines().count(), 3, "{by_lemma}");
}

#[test]
fn sentences_come_out_as_they_are() {
    let treebank =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(FILE))
            .unwrap();
    assert_eq!(found(&["length > 0", FILE, "--to", "conllu"]), treebank);
    assert_eq!(found(&["X[lemma=nothing]", FILE, "-v", "--to", "conllu"]), treebank);
    let two = found(&["V -[obj|iobj]-> O", FILE, "--to", "conllu"]);
    assert!(two.contains("# found = V=2 O=3; V=2 O=5\n"), "{two}");
    let one = crossarc(&["find", "X[form=walked]", "-", "--to", "conllu"], &treebank);
    assert!(String::from_utf8(one.stdout).unwrap().starts_with("# sent_id = walk\n"));
}

#[test]
fn tables_and_pictures() {
    let csv = found(&["V -[obj]-> O[lemma=it]", FILE, "--to", "csv"]);
    assert_eq!(
        csv,
        "file,line,sent_id,V.id,V.form,V.lemma,V.upos,V.deprel,O.id,O.form,O.lemma,O.upos,O.deprel,text\n\
         queries.conllu,14,letter,10,read,read,VERB,conj,11,it,it,PRON,obj,\"The letter was written by hand, and nobody read it.\"\n"
    );
    let json = found(&["V -[obj]-> O[lemma=it], ROOT -> R", FILE, "--to", "json"]);
    let object: serde_json::Value = serde_json::from_str(json.trim()).unwrap();
    assert_eq!(
        (&object["words"]["O"]["head"], object["words"]["ROOT"].is_null()),
        (&10.into(), true)
    );
    let drawn = found(&["V -[obj]-> O[lemma=it]", FILE, "--to", "draw"]);
    assert!(drawn.contains("VERB V") && drawn.contains("# letter"), "{drawn}");
    let folder = folder("find-pictures");
    for name in ["page.html", "picture.svg", "table.tsv"] {
        let path = folder.join(name);
        found(&["--crossing", FILE, "-o", path.to_str().unwrap()]);
        assert!(fs::metadata(&path).unwrap().len() > 500, "{name}");
    }
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().starts_with("<!DOCTYPE html>"));
}

#[test]
fn threads_change_nothing() {
    let treebank = found(&["length > 0", FILE, "--to", "conllu"]).repeat(400);
    let at = |threads| {
        let arguments = ["find", "A ->> B, A << B", "--to", "tsv", "--threads", threads];
        let out = crossarc(&arguments, &treebank);
        assert!(out.status.success());
        out.stdout
    };
    assert_eq!(at("1"), at("3"));
}

#[test]
fn what_is_wrong_is_told() {
    let told = |arguments: &[&str]| {
        let out = crossarc(&[&["find"], arguments].concat(), "");
        assert_eq!(out.status.code(), Some(1));
        String::from_utf8(out.stderr).unwrap()
    };
    let error = told(&["V[upso=VERB]", FILE]);
    assert!(error.ends_with("did you mean `upos`?\n  V[upso=VERB]\n    ^\n"), "{error}");
    assert!(told(&[FILE, "V -> X"]).contains("the query comes first"));
    assert!(told(&["V -> X", FILE, "--by", "Y.lemma"]).contains("no word `Y`: it has V, X"));
    assert!(told(&["V -> X", "missing.conllu"]).contains("missing.conllu"));
    let bad = "1\ta\t_\t_\t_\t_\t7\tx\t_\t_\n\n1\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n";
    let out = crossarc(&["find", "X", "--on-error", "skip", "--count"], bad);
    assert_eq!((out.status.code(), out.stdout), (Some(1), b"1\n".to_vec()));
}

#[test]
fn words_that_users_try_lead_to_find() {
    for word in ["search", "grep", "query", "filter"] {
        let out = crossarc(&[word, "X", FILE], "");
        assert_eq!(out.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&out.stderr).contains("crossarc find"), "{word}");
    }
}
