#![cfg(unix)]
//! The book and README are true: their commands run, and their links lead somewhere.
//!
//! Blocks of `sh` run in the order of their chapter, in a folder of small generated treebanks and texts. A block of
//! `output` behind one is what it prints; `CROSSARC_BLESS=1` writes these anew. A block whose first line is
//! `# NAME.toml` or `# NAME.txt` is put into that file first. Commands that install things or wait for requests
//! are marked `norun`, and only those may be.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// What may be marked `norun`.
const NOT_RUN: [&str; 7] =
    ["cargo ", "pip ", "git ", "docker ", "curl ", "crossarc serve", "crossarc view"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn book() -> PathBuf {
    root().join("docs/book/src")
}

/// README and all chapters but those that the program writes.
fn chapters() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(book()).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "md"));
    found.push(root().join("README.md"));
    found.sort();
    found
}

/// A block of code: what stands behind the ticks, its text, and where it begins.
struct Block {
    info: String,
    text: String,
    line: usize,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(info) => {
                found.push(Block { info: info.into(), text: String::new(), line: number + 2 });
                inside = true;
            }
            None if inside => {
                let block = found.last_mut().unwrap();
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => {}
        }
    }
    found
}

/// `The child sees which dog the queen calls today .` and simpler sentences, some with crossing arcs.
fn treebank(first: usize, sentences: usize) -> String {
    let nouns = ["cat", "dog", "bird", "child", "queen", "fox", "letter", "song"];
    let verbs = ["sees", "likes", "hears", "calls", "finds"];
    let mut out = String::new();
    for number in first..first + sentences {
        let noun = |at: usize| nouns[(number * 7 + at * 5 + number / 8) % nouns.len()];
        let verb = verbs[number * 3 % verbs.len()];
        let simple = [
            ("the", "DET", 2, "det"),
            (noun(0), "NOUN", 3, "nsubj"),
            (verb, "VERB", 0, "root"),
            ("a", "DET", 5, "det"),
            (noun(1), "NOUN", 3, "obj"),
            (".", "PUNCT", 3, "punct"),
        ];
        // The arc from the first noun to the last crosses those of the verb.
        let crossing = [
            ("a", "DET", 2, "det"),
            (noun(0), "NOUN", 3, "nsubj"),
            (verb, "VERB", 0, "root"),
            ("today", "ADV", 3, "advmod"),
            ("about", "ADP", 6, "case"),
            (noun(1), "NOUN", 2, "nmod"),
            (".", "PUNCT", 3, "punct"),
        ];
        let rows: &[(&str, &str, u32, &str)] = if number % 5 == 2 { &crossing } else { &simple };
        let words: Vec<&str> = rows.iter().map(|row| row.0).collect();
        let text = words.join(" ").replace(" .", ".");
        let _ = writeln!(out, "# sent_id = s{number}\n# text = {text}");
        for (at, (form, tag, head, label)) in rows.iter().enumerate() {
            let space = if at + 2 == rows.len() { "SpaceAfter=No" } else { "_" };
            let _ = writeln!(
                out,
                "{}\t{form}\t{form}\t{tag}\t_\t_\t{head}\t{label}\t_\t{space}",
                at + 1
            );
        }
        out.push('\n');
    }
    out
}

/// A folder with all that the commands of a chapter read.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("crossarc-book-{name}-{}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        fs::create_dir_all(folder.0.join("texts/more")).unwrap();
        let text = "The old woman sees a red bird. It sings, and she likes the song.\n\n\
                    Which city do you want to go to? She bought new books.\n";
        folder.file("train.conllu", &treebank(0, 80));
        folder.file("dev.conllu", &treebank(100, 20));
        folder.file("test.conllu", &treebank(200, 20));
        folder.file("pool.conllu", &treebank(300, 60));
        let gaps = treebank(400, 10).replace("\t2\tdet\t", "\t_\t_\t");
        folder.file("half.conllu", &(treebank(0, 40) + &gaps));
        folder.file("novel.txt", text);
        folder.file("texts/one.txt", text);
        folder.file("texts/more/two.txt", "She sees stars.\n");
        folder.file("sentences.txt", "She sees stars.\nBirds sing.\n");
        folder.file("news.jsonl", "{\"id\": \"a\", \"body\": \"She sees stars.\"}\n");
        folder.file("page.html", "<html><p>She sees <b>stars</b>.</p></html>\n");
        std::os::unix::fs::symlink(root().join("recipes"), folder.0.join("recipes")).unwrap();
        std::os::unix::fs::symlink(root().join("examples"), folder.0.join("examples")).unwrap();
        folder
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    /// Runs a script; what it prints, or what it says when it fails.
    fn run(&self, script: &str) -> Result<String, String> {
        let program = Path::new(env!("CARGO_BIN_EXE_crossarc"));
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .args(["-e", "-c", script])
            .current_dir(&self.0)
            .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
            .output()
            .unwrap();
        let [printed, said] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        if output.status.success() { Ok(printed) } else { Err(said) }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The lines of a block that are run: those that install, build or test are not.
fn script(text: &str) -> String {
    let text = text.replace("cargo run --release -- ", "crossarc ");
    let is_run = |line: &&str| !line.starts_with("cargo ") && !line.starts_with("pip ");
    text.lines().filter(is_run).collect::<Vec<_>>().join("\n")
}

/// Runs a chapter; what is wrong with it.
fn study(path: &Path) -> Vec<String> {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let folder = Folder::new(name);
    let mut text = fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    let mut printed = String::new();
    for block in blocks(&text.clone()) {
        let place = format!("{}:{}", path.display(), block.line);
        let mut info = block.info.split_whitespace();
        match (info.next().unwrap_or_default(), info.next()) {
            ("sh", None) => match folder.run(&script(&block.text)) {
                Ok(output) => printed = output,
                Err(said) => wrong.push(format!("{place}: {}{said}", block.text)),
            },
            ("sh", Some("norun")) => {
                let may = |line: &str| NOT_RUN.iter().any(|start| line.starts_with(start));
                // A comparison on a folder of treebanks takes hours.
                let may = |line: &str| may(line) || line.contains("--treebanks ud/");
                if !block.text.lines().all(may) {
                    wrong.push(format!("{place}: this can be run"));
                }
            }
            ("output", None) if std::env::var_os("CROSSARC_BLESS").is_some() => {
                text = text.replacen(
                    &format!("```output\n{}```", block.text),
                    &format!("```output\n{printed}```"),
                    1,
                );
                fs::write(path, &text).unwrap();
            }
            ("output", None) if block.text != printed => {
                wrong.push(format!("{place}: it prints\n{printed}"));
            }
            ("toml" | "text", None) => {
                let first = block.text.lines().next().unwrap_or_default();
                let file = first.strip_prefix("# ").filter(|name| !name.contains(' '));
                if let Some(file) = file.filter(|name| name.contains('.')) {
                    folder.file(file, &block.text);
                }
            }
            _ => {}
        }
    }
    wrong
}

#[test]
fn every_command_runs() {
    let left = Mutex::new(chapters());
    let wrong = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(path) = left.lock().unwrap().pop() else { return };
                    let found = study(&path);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn links_and_paths_lead_somewhere() {
    let mut wrong = Vec::new();
    let mut linked = BTreeSet::new();
    let commands = fs::read_dir(book().join("commands")).unwrap();
    let pages = chapters().into_iter().chain(commands.map(|entry| entry.unwrap().path()));
    for path in pages {
        let text = fs::read_to_string(&path).unwrap();
        let is_summary = path.ends_with("SUMMARY.md");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            if link.starts_with("http") || file.is_empty() {
                continue;
            }
            let target = path.parent().unwrap().join(file);
            if !target.exists() {
                wrong.push(format!("{}: {link}", path.display()));
            } else if is_summary {
                linked.insert(target.canonicalize().unwrap());
            }
        }
        let folders = ["crates/", "docs/", "examples/", "scripts/", "recipes/"];
        for span in text.split('`').filter(|span| folders.iter().any(|f| span.starts_with(f))) {
            if !span.contains(char::is_whitespace) && !root().join(span).exists() {
                wrong.push(format!("{}: {span}", path.display()));
            }
        }
    }
    for path in chapters() {
        let is_listed = path.ends_with("README.md") || path.ends_with("SUMMARY.md");
        if !is_listed && !linked.contains(&path.canonicalize().unwrap()) {
            wrong.push(format!("{}: not in SUMMARY.md", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_of_commands_are_what_the_program_says() {
    let read = |folder: &Path| -> BTreeMap<String, String> {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let name = |entry: &fs::DirEntry| entry.file_name().into_string().unwrap();
        files.map(|entry| (name(&entry), fs::read_to_string(entry.path()).unwrap())).collect()
    };
    let folder = Folder::new("pages");
    let pages = if std::env::var_os("CROSSARC_BLESS").is_some() {
        book().join("commands")
    } else {
        folder.0.join("pages")
    };
    folder.run(&format!("crossarc man --markdown {}", pages.display())).unwrap();
    let remedy = "crossarc man --markdown docs/book/src/commands";
    assert!(read(&pages) == read(&book().join("commands")), "make the pages anew: {remedy}");
}
