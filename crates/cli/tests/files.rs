//! Files in, files out: folders, names, JSON Lines, tables, HTML, and what goes wrong on the way.
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn run(arguments: &[&str], folder: &Path, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn good(arguments: &[&str], folder: &Path, input: &[u8]) -> String {
    let out = run(arguments, folder, input);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn texts(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::create_dir_all(folder.join("texts/old")).unwrap();
    fs::write(folder.join("texts/b.txt"), "She sings. He sleeps.\n").unwrap();
    fs::write(folder.join("texts/a.txt"), "It rains.\n").unwrap();
    fs::write(folder.join("texts/old/a.txt"), "It rained.\n").unwrap();
    fs::write(folder.join("texts/.hidden"), "No.\n").unwrap();
    folder
}

#[test]
fn who_gives_parquet_is_told_who_reads_it() {
    let out = run(&["parse", "--from", "parquet", "-"], Path::new("."), b"");
    assert_eq!(out.status.code(), Some(2));
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(told.contains("python -m crossarc.corpus"), "{told}");
}

#[test]
fn a_folder_becomes_a_folder() {
    let place = texts("mirror");
    good(&["parse", "texts/", "-o", "parsed/", "--jobs", "2"], &place, b"");
    let read = |name: &str| fs::read_to_string(place.join("parsed").join(name)).unwrap();
    assert!(read("b.conllu").starts_with("# newdoc id = b\n# newpar\n# sent_id = b-1\n"));
    assert!(read("b.conllu").contains("# sent_id = b-2\n"));
    assert!(read("old/a.conllu").starts_with("# newdoc id = old/a\n"));
    let mut names: Vec<_> = fs::read_dir(place.join("parsed"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["a.conllu", "b.conllu", "old"]);

    // What is there stays, what is not is made.
    fs::write(place.join("parsed/a.conllu"), "mine").unwrap();
    fs::remove_file(place.join("parsed/b.conllu")).unwrap();
    let again = run(&["parse", "texts", "-o", "parsed", "--skip-existing"], &place, b"");
    assert!(String::from_utf8_lossy(&again.stderr).contains("2 of 3 documents are there already"));
    assert_eq!(read("a.conllu"), "mine");
    assert!(read("b.conllu").contains("sings"));

    // One file for all, the same names.
    let all = good(&["parse", "texts"], &place, b"");
    assert_eq!(all.matches("# newdoc id = ").count(), 3);
    assert!(all.contains(&read("b.conllu")));
    good(&["parse", "texts", "-o", "all.csv"], &place, b"");
    let table = fs::read_to_string(place.join("all.csv")).unwrap();
    assert!(
        table.starts_with("doc_id,paragraph_id,sentence_id,sentence,token_id,token,lemma,upos,")
    );
    assert!(table.contains("\nb,1,2,He sleeps.,1,He,"), "{table}");
}

#[test]
fn jobs_share_the_files_of_a_folder() {
    let place = texts("shards");
    let job = |shard: &str| {
        good(&["parse", "texts", "-o", "parsed", "--skip-existing", "--shard", shard], &place, b"");
        place.join("parsed/manifest.json").exists()
    };
    assert!(!job("1/2"));
    assert!(!place.join("parsed/a.conllu").exists());
    assert!(job("0/2"));
    let manifest = fs::read(place.join("parsed/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let names: Vec<_> = manifest["files"].as_array().unwrap().iter().collect();
    assert_eq!(names.len(), 3);
    assert_eq!(names[1]["output"], "parsed/b.conllu");
    good(&["parse", "texts", "-o", "alone/"], &place, b"");
    for name in ["a.conllu", "b.conllu", "old/a.conllu"] {
        let read = |folder: &str| fs::read(place.join(folder).join(name)).unwrap();
        assert_eq!(read("parsed"), read("alone"), "{name}");
    }
    // Who is late has nothing to do.
    assert!(job("0/2"));
    let one = run(&["parse", "texts", "-o", "all.conllu", "--shard", "0/2"], &place, b"");
    assert!(String::from_utf8_lossy(&one.stderr).contains("needs a folder"));
}

#[test]
fn names_do_not_depend_on_what_else_is_there() {
    let place = texts("names");
    let alone = good(&["parse", "texts/b.txt"], &place, b"");
    let second = good(&["parse", "texts/a.txt", "texts/b.txt"], &place, b"");
    assert!(second.ends_with(&alone), "{second}");
    let twins = good(&["parse", "texts/a.txt", "texts/old/a.txt"], &place, b"");
    assert!(twins.contains("# newdoc id = texts/a.txt\n"), "{twins}");
    assert!(twins.contains("# newdoc id = texts/old/a.txt\n"), "{twins}");
}

#[test]
fn json_lines_keep_their_fields() {
    let place = folder("json-lines");
    let lines = "{\"id\": \"n 1\", \"body\": \"It rains.\", \"year\": 1999, \"tags\": [\"a\"]}\n\n{\"body\": \"She sings. He sleeps.\"}\n";
    let arguments = ["parse", "--from", "jsonl", "--text-field", "body"];
    let parsed = good(&arguments, &place, lines.as_bytes());
    assert!(
        parsed.starts_with("# newdoc id = n_1\n# meta::tags = [\"a\"]\n# meta::year = 1999\n# newpar\n# sent_id = n_1-1\n"),
        "{parsed}"
    );
    assert!(parsed.contains("# newdoc id = doc3\n"));
    let json = good(&[&arguments[..], &["--to", "jsonl"]].concat(), &place, lines.as_bytes());
    let documents: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((documents.len(), &documents[0]["year"]), (2, &1999.into()));
    assert_eq!(documents[0]["sentences"][0]["tokens"][0]["form"], "It");
    assert_eq!(documents[1]["sentences"][1]["id"], "doc3-2");

    let bad = run(&["parse", "--from", "jsonl"], &place, lines.as_bytes());
    assert_eq!(bad.status.code(), Some(1));
    let told = String::from_utf8(bad.stderr).unwrap();
    assert!(
        told.contains("stdin:1: no text in the field `text`; there are body, id, tags, year"),
        "{told}"
    );
    let broken = format!("{{oh\n{lines}");
    let skipped =
        run(&[&arguments[..], &["--on-error", "skip"]].concat(), &place, broken.as_bytes());
    assert_eq!(skipped.status.code(), Some(1));
    assert_eq!(String::from_utf8(skipped.stdout).unwrap().matches("# newdoc").count(), 2);
    let told = String::from_utf8(skipped.stderr).unwrap();
    assert!(told.ends_with("crossarc: 1 document was bad: stdin:1\n"), "{told}");
}

#[test]
fn what_is_too_long_is_cut_and_told() {
    let place = folder("too-long");
    for (text, pieces) in [("x".repeat(2500), 3), ("a ".repeat(2500), 3)] {
        for from in ["text", "lines"] {
            let out = run(&["parse", "--from", from], &place, text.as_bytes());
            let told = String::from_utf8(out.stderr).unwrap();
            assert!(told.contains("were cut"), "{from}: {told}");
            let parsed = String::from_utf8(out.stdout).unwrap();
            let tokens =
                parsed.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
            assert!(tokens.count() >= pieces, "{parsed}");
        }
    }
    let out = run(&["parse", "--from", "horizontal"], &place, "a ".repeat(2500).as_bytes());
    assert_eq!(String::from_utf8(out.stdout).unwrap().matches("# sent_id").count(), 3);
    assert!(
        String::from_utf8(out.stderr).unwrap().contains("2 tokens of more than 1000 characters or")
    );
}

#[test]
fn treebanks_become_tables() {
    let place = folder("tables");
    let treebank = "# sent_id = 1\n1\tgo\tgo\tVERB\t_\tMood=Imp\t0\troot\t_\t_\n\n";
    let tsv = good(&["convert", "--to", "tsv"], &place, treebank.as_bytes());
    assert_eq!(
        tsv.lines().nth(1).unwrap(),
        "doc1\t1\t1\tgo\t1\tgo\tgo\tVERB\t\tMood=Imp\t0\troot\t\t"
    );
    good(&["convert", "-o", "out.parquet"], &place, treebank.as_bytes());
    let parquet = fs::read(place.join("out.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    good(&["convert", "-o", "out.json"], &place, treebank.as_bytes());
    let json = fs::read_to_string(place.join("out.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["sentences"][0]["tokens"][0]["upos"], "VERB");
}

#[test]
fn html_is_stripped() {
    let place = folder("html");
    let page = "<html><title>Rain</title><script>var x = 'no';</script><p>It <b>rains</b> &amp; pours.<p>So what?";
    let parsed = good(&["parse", "--html"], &place, page.as_bytes());
    assert!(parsed.contains("# text = It rains & pours.\n"), "{parsed}");
    assert!(!parsed.contains("var") && !parsed.contains('<'), "{parsed}");
    assert_eq!(parsed.matches("# newpar").count(), 3);
}

#[test]
fn a_mistyped_name_is_no_sentence() {
    let place = texts("mistyped");
    for name in ["texts/my novel.txt", "texts/no such file", "./some where"] {
        let out = run(&["parse", name], &place, b"");
        assert_eq!((out.status.code(), out.stdout.len()), (Some(1), 0), "{name}");
        assert!(String::from_utf8_lossy(&out.stderr).contains("there is no file"), "{name}");
    }
    assert!(good(&["parse", "Look at a.txt please."], &place, b"").contains("please"));
    assert!(good(&["parse", "--text", "my novel.txt"], &place, b"").contains("novel"));
}

#[test]
fn bad_documents_are_skipped_by_name() {
    let place = texts("bad-documents");
    // The start of a gzip archive, and no more.
    fs::write(place.join("texts/c.txt.gz"), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b]).unwrap();
    let stopped = run(&["parse", "texts", "-o", "one"], &place, b"");
    assert_eq!(stopped.status.code(), Some(1));
    let skipped =
        run(&["parse", "texts", "missing.txt", "-o", "two/", "--on-error", "skip"], &place, b"");
    let told = String::from_utf8_lossy(&skipped.stderr);
    assert_eq!(skipped.status.code(), Some(1), "{told}");
    assert!(told.contains("2 documents were bad: missing.txt, texts/c.txt.gz"), "{told}");
    assert!(place.join("two/b.conllu").exists() && !place.join("two/c.conllu").exists());
    let left = fs::read_dir(place.join("two")).unwrap();
    assert!(left.flatten().all(|entry| !entry.file_name().to_string_lossy().ends_with(".part")));
    let one = run(&["parse", "texts", "--on-error", "skip"], &place, b"");
    assert_eq!(one.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&one.stdout).matches("# newdoc").count(), 3);
}

/// Starts a program, waits for what it says to a line, and says another.
fn converse(arguments: &[&str], lines: &[(&str, &str)]) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    for (line, answer) in lines {
        stdin.write_all(line.as_bytes()).unwrap();
        loop {
            // Long enough for any machine; only a program that never answers gets there.
            let said = receiver.recv_timeout(Duration::from_mins(5)).expect("an answer");
            if said.contains(answer) {
                break;
            }
        }
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_line_is_answered_before_the_next_is_sent() {
    for threads in ["1", "2"] {
        let lines = [
            ("Hi.\n", "# text = Hi."),
            ("She sings.\n", "# text = She sings."),
            ("\nNo.\n", "# text = No."),
        ];
        converse(&["parse", "--from", "lines", "--threads", threads], &lines);
        converse(
            &["parse", "--from", "horizontal", "--threads", threads],
            &[("a b\n", "2\tb"), ("c\n", "1\tc")],
        );
    }
    let sentence = "1\tgo\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
    converse(&["parse", "--from", "conllu", "-q"], &[(sentence, "1\tgo"), (sentence, "1\tgo")]);
    let tree = "1\tgo\t_\t_\t_\t_\t0\troot\t_\t_\n\n";
    converse(
        &["find", "X", "--from", "conllu", "--to", "conllu"],
        &[(tree, "1\tgo"), (tree, "1\tgo")],
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_command_leaves_no_unfinished_file() {
    let place = folder("interrupted");
    fs::write(place.join("out.conllu"), "as it was").unwrap();
    for signal in ["-INT", "-TERM"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_crossarc"))
            .args(["parse", "--from", "lines", "-o", "out.conllu"])
            .current_dir(&place)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let files = || fs::read_dir(&place).unwrap().count();
        while files() == 1 {
            std::thread::sleep(Duration::from_millis(20));
        }
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert_eq!(files(), 1, "{signal}");
        assert_eq!(fs::read_to_string(place.join("out.conllu")).unwrap(), "as it was");
    }
}

/// A device without room, and a limit on the size of files: an error, and the old file stays.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let place = folder("full");
    let text = "She sings. ".repeat(4000);
    let out = run(&["parse", "-o", "/dev/full"], &place, text.as_bytes());
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("No space left"));
    fs::write(place.join("out.conllu"), "as it was").unwrap();
    fs::write(place.join("text"), text).unwrap();
    // Blocks of 512 or 1024 bytes; the signal that comes with the limit is ignored, as quotas send none.
    let line = "trap '' XFSZ; ulimit -f 16; exec \"$0\" parse text -o out.conllu";
    let out = Command::new("sh")
        .args(["-c", line, env!("CARGO_BIN_EXE_crossarc")])
        .current_dir(&place)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(1), "{out:?}");
    assert!(String::from_utf8_lossy(&out.stderr).contains("File too large"), "{out:?}");
    assert_eq!(fs::read_to_string(place.join("out.conllu")).unwrap(), "as it was");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 2, "no unfinished file is left");
}

/// Each writes a file of its own; who renames last wins, and the file is whole.
#[test]
fn two_programs_on_one_output_leave_a_whole_file() {
    let place = folder("rivals");
    let start = |text: &str| {
        Command::new(env!("CARGO_BIN_EXE_crossarc"))
            .args(["parse", "--text", text, "-o", "out.conllu"])
            .current_dir(&place)
            .spawn()
            .unwrap()
    };
    let texts = ["She sings.", "He sleeps on the roof."];
    let rivals = texts.map(start);
    for mut rival in rivals {
        assert!(rival.wait().unwrap().success());
    }
    let found = fs::read_to_string(place.join("out.conllu")).unwrap();
    assert!(texts.map(|text| good(&["parse", "--text", text], &place, b"")).contains(&found));
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
}

#[test]
fn a_reader_that_goes_is_no_error() {
    let place = texts("reader");
    let mut child = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .args(["parse", "texts", "texts/a.txt", "texts/b.txt"])
        .current_dir(&place)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert!(
        out.status.success() && out.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}

/// Every word of CoNLL-U has the label `root` if and only if its head is 0, and each sentence one such word.
fn assert_roots(text: &str) {
    for sentence in text.split("\n\n").filter(|sentence| !sentence.is_empty()) {
        let words = sentence.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        let cells = words.map(|line| line.split('\t').collect::<Vec<_>>());
        let words: Vec<_> = cells.filter(|cells| !cells[0].contains('-')).collect();
        assert!(words.iter().all(|cells| (cells[6] == "0") == (cells[7] == "root")), "{sentence}");
        assert_eq!(words.iter().filter(|cells| cells[6] == "0").count(), 1, "{sentence}");
    }
}

#[test]
fn random_bytes_become_trees_with_labels_that_fit() {
    let place = folder("random-bytes");
    // A generator of Lehmer's: nothing but the bytes matters.
    let mut state = 1u64;
    let bytes: Vec<u8> = (0..20_000)
        .map(|_| {
            state = state * 48271 % 2_147_483_647;
            (state >> 8) as u8
        })
        .collect();
    let text = good(&["parse", "--from", "text"], &place, &bytes);
    assert!(text.len() > bytes.len());
    assert_roots(&text);
}

#[test]
fn text_in_utf16_is_read() {
    let place = folder("utf16");
    let units = "\u{feff}She sees stars.".encode_utf16();
    let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    fs::write(place.join("text.txt"), bytes).unwrap();
    let text = good(&["parse", "text.txt"], &place, b"");
    assert!(text.contains("# text = She sees stars.\n"), "{text}");
}

#[test]
fn a_list_of_abbreviations_is_used_or_refused() {
    let place = folder("abbreviations");
    fs::write(place.join("list.txt"), "Xyzq.\n").unwrap();
    fs::write(place.join("bad.txt"), "Xyzq.\nno stop\n").unwrap();
    let text = "He met Xyzq. Yesterday he left.";
    let sentences = |out: &str| out.matches("# sent_id").count();
    let with = good(&["parse", "--abbreviations", "list.txt", text], &place, b"");
    assert_eq!(sentences(&with), 1, "{with}");
    assert!(with.contains("\tXyzq.\t"), "{with}");
    let refused = run(&["parse", "--abbreviations", "bad.txt", text], &place, b"");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1));
    assert!(told.contains("bad.txt: line 2: `no stop` is no abbreviation"), "{told}");
}

#[test]
fn training_that_has_left_something_out_ends_with_1() {
    let place = folder("train-skip");
    let good = "1\tBirds\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsing\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
    fs::write(place.join("train.conllu"), good.repeat(20) + &good.replace("\t2\t", "\t9\t"))
        .unwrap();
    let arguments =
        ["train", "-q", "-m", "m.crossarc", "--train", "train.conllu", "--no-calibration"];
    assert_eq!(run(&arguments, &place, b"").status.code(), Some(1));
    assert!(!place.join("m.crossarc").exists());
    let skipped = run(&[&arguments[..], &["--on-error", "skip"]].concat(), &place, b"");
    assert_eq!(skipped.status.code(), Some(1));
    assert!(place.join("m.crossarc").exists());
}
