//! Training, checking and selecting annotation from the outside.
use std::fs;
use std::path::PathBuf;
use std::process::Command;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("crossarc-annotation-{name}-{}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        fs::create_dir_all(&folder.0).unwrap();
        folder
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    /// What a command line prints, and what it says.
    fn run(&self, line: &str) -> (String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crossarc"));
        let out = command.current_dir(&self.0).args(line.split_whitespace()).output().unwrap();
        let [printed, said] = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(out.status.success(), "{line}: {said}");
        (printed, said)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Sentences such as `the cat sees a dog .`, in the order of their numbers.
fn treebank(sentences: usize) -> String {
    let nouns = ["cat", "dog", "bird", "child", "queen", "fox"];
    let verbs = ["sees", "likes", "hears", "calls"];
    let one = |number: usize| {
        let noun = |at: usize| nouns[(number * 7 + at * 5 + number / 6) % nouns.len()];
        let rows = [
            ("the", "DET", 2, "det"),
            (noun(0), "NOUN", 3, "nsubj"),
            (verbs[number % verbs.len()], "VERB", 0, "root"),
            ("a", "DET", 5, "det"),
            (noun(1), "NOUN", 3, "obj"),
            (".", "PUNCT", 3, "punct"),
        ];
        let row = |(id, (form, tag, head, label)): (usize, (&str, &str, u32, &str))| {
            format!("{}\t{form}\t{form}\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n", id + 1)
        };
        let text: String = rows.into_iter().enumerate().map(row).collect();
        format!("# sent_id = s{number}\n{text}\n")
    };
    (0..sentences).map(one).collect()
}

#[test]
#[allow(clippy::format_collect, reason = "short and clear")]
fn a_text_that_lacks_what_the_model_looks_at_is_told_before_the_work() {
    let folder = Folder::new("lacking");
    folder.file("train.conllu", &treebank(60));
    folder.run("train -m model --train train.conllu --epochs 2 --quiet --no-calibration");
    let bare: String = treebank(10)
        .lines()
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            if columns.len() < 10 {
                return format!("{line}\n");
            }
            format!("{}\t{}\t_\t_\t_\t_\t_\t_\t_\t_\n", columns[0], columns[1])
        })
        .collect();
    folder.file("bare.conllu", &bare);
    folder
        .file("strange.conllu", &bare.replace("the\t", "zxq\t").replace("a\t", "wvu\t").repeat(3));
    let (_, said) = folder.run("parse -m model bare.conllu bare.conllu -o out");
    assert_eq!(said.matches("looks at LEMMA and UPOS").count(), 1, "once: {said}");
    assert!(said.contains("--ignore-columns lemma,upos") && !said.contains("unknown"), "{said}");
    assert_eq!(folder.run("parse -m model train.conllu -o out").1, "");
    assert_eq!(folder.run("parse -m model --quiet bare.conllu -o out").1, "");
    let (_, said) = folder.run("parse -m model strange.conllu -o out");
    assert_eq!(said.matches("unknown to the model").count(), 1, "{said}");
}

#[test]
fn improbable_annotation_comes_first() {
    let folder = Folder::new("check");
    let gold = treebank(80);
    // The subject of sentence 41 becomes an object, the object of sentence 60 a determiner.
    let wrong = gold
        .split_inclusive("\n\n")
        .enumerate()
        .map(|(number, sentence)| match number {
            41 => sentence.replace("nsubj", "obj"),
            60 => sentence.replace("\t3\tobj", "\t3\tdet"),
            _ => sentence.to_owned(),
        })
        .collect::<String>();
    folder.file("wrong.conllu", &wrong);
    let check = "check --cross-validate 4 --worst 0.5 wrong.conllu --quiet";
    let (table, _) = folder.run(check);
    let rows: Vec<&str> = table.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 3, "{table}");
    assert!(
        rows[..2].iter().any(|row| row.contains("obj of 3") && row.contains("nsubj of 3")),
        "{table}"
    );
    assert!(rows[..2].iter().any(|row| row.contains("det of 3")), "{table}");
    let (marked, _) = folder.run(&format!("{check} --as conllu"));
    assert_eq!(marked.matches("ScoreGold=").count(), 480);
    assert!(marked.contains("|Suggested=3:nsubj"), "{marked}");
    let (drawn, _) = folder.run(&format!("{check} --as draw"));
    assert!(drawn.contains("the parser says nsubj of 3"), "{drawn}");
    let (lines, _) = folder.run(&format!("{check} --json"));
    assert_eq!(lines.lines().count(), 3);
    folder.run("train -m model --train wrong.conllu --epochs 2 --quiet --no-calibration");
    let line = "check -m model --score-gold wrong.conllu";
    let (_, said) = folder.run(line);
    assert!(said.contains("was trained on these sentences"), "{said}");
}

#[test]
fn the_most_doubtful_and_most_different_sentences_are_selected() {
    let folder = Folder::new("select");
    folder.file("train.conllu", &treebank(60));
    folder.run("train -m model --train train.conllu --epochs 2 --quiet");
    let odd = "1\tZounds\tz\tINTJ\t_\t_\t0\troot\t_\t_\n2\twhat\tw\tPRON\t_\t_\t1\tdep\t_\t_\n\
               3\tof\to\tADP\t_\t_\t2\tcase\t_\t_\n4\tit\ti\tPRON\t_\t_\t2\tnmod\t_\t_\n\n";
    folder.file("pool.conllu", &(treebank(20) + odd + &treebank(20)));
    let (selected, said) = folder.run("select -m model pool.conllu --words 12");
    assert!(selected.starts_with("# "), "{selected}");
    assert!(selected.split("\n\n").next().unwrap().contains("Zounds"), "{selected}");
    assert!(
        said.contains("selected 3 of 41 sentences") || said.contains("selected 2 of 41"),
        "{said}"
    );
    assert!(selected.contains("# selected = 2") && selected.contains("Score="), "{selected}");
}

#[test]
fn cross_validation_and_half_annotated_sentences_are_options_of_training() {
    let folder = Folder::new("train");
    let gold = treebank(40);
    folder.file("gold.conllu", &gold);
    let (_, said) =
        folder.run("train -m cv.crossarc --train gold.conllu --epochs 2 --cross-validate 3");
    assert!(said.contains("3 parts: UAS") && said.contains("95 % intervals"), "{said}");
    let parsed = fs::read_to_string(folder.0.join("cv.folds.conllu")).unwrap();
    assert_eq!(parsed.matches("# sent_id").count(), 40);
    assert!(folder.0.join("cv.crossarc").exists());
    let half = gold
        .split_inclusive("\n\n")
        .enumerate()
        .map(|(number, sentence)| match number % 2 {
            0 => sentence.to_owned(),
            _ => sentence.replace("\t2\tdet\t", "\t_\t_\t").replace("\t3\tobj\t", "\t_\t_\t"),
        })
        .collect::<String>();
    folder.file("half.conllu", &half);
    let (_, said) = folder.run("train -m half --train half.conllu --epochs 2 --half-annotated");
    assert!(said.contains("20 half-annotated sentences completed, 40 heads filled in"), "{said}");
}

#[test]
fn scores_can_be_calibrated_later() {
    let folder = Folder::new("calibrate-later");
    folder.file("train.conllu", &treebank(60));
    folder.file("dev.conllu", &treebank(90));
    folder.run("train -q -m m.crossarc --train train.conllu --no-calibration --pipeline --fast");
    let model = || fs::read(folder.0.join("m.crossarc")).unwrap();
    let before = model();
    folder.run("train -q -m m.crossarc --replace calibration --dev dev.conllu");
    let calibrated = model();
    assert_ne!(before, calibrated);
    folder.run("train -q -m m.crossarc --replace calibration --dev dev.conllu");
    assert!(calibrated == model(), "the same sentences, the same calibration");
    let (scored, _) = folder.run("parse -q --scores -m m.crossarc dev.conllu");
    assert!(scored.contains("Score="));
}
