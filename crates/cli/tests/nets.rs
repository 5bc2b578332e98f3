//! Every scorer from the outside: trained, asked about, parsed with in all ways, measured; as a guide and
//! as a member of a vote.
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank_text};

/// Files of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("crossarc-nets-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        for (name, seed, sentences) in [("train", 1, 12), ("dev", 2, 5), ("test", 3, 6)] {
            let options = TreebankOptions { sentences, vocabulary: 20, ..Default::default() };
            let text = treebank_text(Seed(seed), &options);
            fs::write(path.join(format!("{name}.conllu")), text).unwrap();
        }
        Folder(path)
    }

    /// Runs what must succeed; what it printed.
    fn ok(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crossarc"));
        let output = command.args(arguments).current_dir(&self.0).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn train(&self, model: &str, options: &str, more: &[&str]) {
        let data = ["--train", "train.conllu", "--dev", "dev.conllu", "--epochs", "2"];
        let options: Vec<&str> = options.split_whitespace().collect();
        self.ok(&[&["train", "-m", model], &data[..], &options, more].concat());
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const SMALL: &str = "--net-epochs 1 --net-size 8";

#[test]
fn every_scorer_is_a_parser_in_every_way() {
    let folder = Folder::new("ways");
    let scorers = [
        ("arc-eager", "feed-forward", 1),
        ("swap", "bilstm", 3),
        ("covington", "stack-lstm", 2),
        ("arc-hybrid", "hybrid", 2),
        ("eisner", "biaffine", 1),
        ("mst", "hybrid", 1),
    ];
    let gold = fs::read_to_string(folder.0.join("test.conllu")).unwrap();
    let words = gold.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let words = words.count();
    for (parser, scorer, beam) in scorers {
        let search = if beam > 1 { format!("--beam {beam}") } else { String::new() };
        let options = format!("--parser {parser} --scorer {scorer} {search} {SMALL}");
        folder.train("model", &options, &[]);
        assert!(folder.ok(&["info", "model"]).contains(parser));
        let scored = folder.ok(&["parse", "-m", "model", "--scores", "test.conllu"]);
        assert_eq!(scored.matches("Score=").count(), words, "{parser} {scorer}");
        fs::write(folder.0.join("parsed.conllu"), &scored).unwrap();
        folder.ok(&["check", "parsed.conllu"]);
        let kept = folder.ok(&["parse", "-m", "model", "--keep-heads", "test.conllu"]);
        let heads = |text: &str| -> Vec<String> {
            let words = text.lines().filter(|line| line.contains('\t'));
            words.map(|line| line.split('\t').nth(6).unwrap().to_owned()).collect()
        };
        assert_eq!(heads(&kept), heads(&gold), "{parser} {scorer}");
        if beam > 1 || parser == "eisner" {
            let best = folder.ok(&["parse", "-m", "model", "--kbest", "2", "test.conllu"]);
            assert!(best.lines().count() > gold.lines().count(), "{parser} {scorer}");
        }
        let measured = folder.ok(&["bench", "-m", "model", "--runs", "1", "--json", "test.conllu"]);
        assert!(measured.contains("words"), "{measured}");
    }
}

#[test]
fn nets_vote_and_guide() {
    let folder = Folder::new("together");
    let nets = [
        format!("arc-hybrid --scorer stack-lstm {SMALL}"),
        format!("mst --scorer biaffine {SMALL}"),
        format!("swap --scorer hybrid {SMALL}"),
    ];
    let members: Vec<&str> = nets.iter().flat_map(|net| ["--member", net]).collect();
    folder.train("vote", "--parser vote", &members);
    let guides: Vec<&str> = nets[..2].iter().flat_map(|net| ["--guide", net]).collect();
    folder.train("guided", "--parser arc-eager --cross-fitting 2", &guides);
    for model in ["vote", "guided"] {
        let parsed = folder.ok(&["parse", "-m", model, "test.conllu"]);
        fs::write(folder.0.join("parsed.conllu"), &parsed).unwrap();
        folder.ok(&["check", "parsed.conllu"]);
    }
}
