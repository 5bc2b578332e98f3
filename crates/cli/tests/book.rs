#![cfg(unix)]
//! The book and README are true: their commands run, and their links lead somewhere.
//!
//! Blocks of `sh` run in the order of their chapter, in a copy of `examples/book`. A block of `output` behind one is
//! what it prints, to the byte; `CROSSARC_BLESS=1` writes these anew. What a command prints must be shown, but for
//! blocks that are marked `unshown`: they print times, or much. A block whose first line is `# NAME.toml` or
//! `# NAME.txt` is put into that file first. Commands that install things or wait for requests are marked `norun`,
//! and only those may be. Blocks of `python` are run by the tests of the Python package.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// What may be marked `norun`.
const NOT_RUN: [&str; 8] =
    ["cargo ", "pip ", "git ", "docker ", "curl ", "cd ", "crossarc serve", "crossarc view"];

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

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A copy of the examples and what else the commands of a chapter read; they run in `examples/book`.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("crossarc-book-{name}-{}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        copy(&root().join("examples"), &folder.0.join("examples"));
        std::os::unix::fs::symlink(root().join("recipes"), folder.0.join("recipes")).unwrap();
        folder
    }

    fn here(&self) -> PathBuf {
        self.0.join("examples/book")
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.here().join(name), text).unwrap();
    }

    /// Runs a script; what it prints, or what it says when it fails.
    fn run(&self, script: &str) -> Result<String, String> {
        let program = Path::new(env!("CARGO_BIN_EXE_crossarc"));
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", script])
            .current_dir(self.here())
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
    let is_run =
        |line: &&str| !["cargo ", "pip ", "cd "].iter().any(|start| line.starts_with(start));
    text.lines().filter(is_run).collect::<Vec<_>>().join("\n")
}

/// Chapters that the tests of the Python package run.
const IN_PYTHON: [&str; 2] = ["python", "clusters"];

/// Runs a chapter; what is wrong with it.
fn study(path: &Path) -> Vec<String> {
    let name = path.file_stem().unwrap().to_str().unwrap();
    if IN_PYTHON.contains(&name) {
        return Vec::new();
    }
    let folder = Folder::new(name);
    let mut text = fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    let mut printed = String::new();
    let all = blocks(&text);
    for (index, block) in all.iter().enumerate() {
        let place = format!("{}:{}", path.display(), block.line);
        let mut info = block.info.split_whitespace();
        match (info.next().unwrap_or_default(), info.next()) {
            ("sh", how @ (None | Some("unshown"))) => match folder.run(&script(&block.text)) {
                Ok(output) => {
                    printed = output;
                    let is_shown = all.get(index + 1).is_some_and(|next| next.info == "output");
                    if is_shown == (printed.is_empty() || how.is_some()) {
                        wrong.push(format!("{place}: output is shown, or is not:\n{printed}"));
                    }
                }
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
    assert!(wrong.is_empty(), "{}\nCROSSARC_BLESS=1 writes outputs anew", wrong.join("\n"));
}

/// Commands in the text, which are not run.
#[test]
fn options_exist() {
    let folder = Folder::new("options");
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in chapters() {
        let text = fs::read_to_string(&path).unwrap();
        let spans = text.split('`').filter(|span| !span.contains('\n'));
        for span in spans.filter_map(|span| span.strip_prefix("crossarc ")) {
            // Options in quotes are of guides and members.
            let span: String = span.split('\'').step_by(2).collect();
            let mut words = span.split_whitespace();
            let command = words.next().unwrap_or_default().to_owned();
            if command.starts_with('-') || command.chars().any(char::is_uppercase) {
                continue;
            }
            let help = helps.entry(command.clone()).or_insert_with(|| {
                folder.run(&format!("crossarc {command} --help")).unwrap_or_default()
            });
            for option in words.filter(|word| word.starts_with("--")) {
                if !help.contains(option) {
                    wrong.push(format!("{}: crossarc {span}: {option}", path.display()));
                }
            }
            if help.is_empty() {
                wrong.push(format!("{}: crossarc {span}: no such command", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pictures_are_what_draw_draws() {
    let folder = Folder::new("pictures");
    let mut wrong = Vec::new();
    for entry in fs::read_dir(book().join("images")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_stem().unwrap().to_str().unwrap();
        let file = if name == "hearing" { "../hearing" } else { "crossing-arcs" };
        let command = format!("crossarc draw {file}.conllu --sentence {name} --to svg");
        let drawn = folder.run(&command).unwrap();
        if std::env::var_os("CROSSARC_BLESS").is_some() {
            fs::write(&entry, &drawn).unwrap();
        }
        if fs::read_to_string(&entry).unwrap() != drawn {
            wrong.push(format!("{}: {command}", entry.display()));
        }
    }
    assert!(wrong.is_empty(), "make these pictures anew:\n{}", wrong.join("\n"));
}

#[test]
fn links_and_paths_lead_somewhere() {
    let mut wrong = Vec::new();
    let mut linked = BTreeSet::new();
    let folders = [
        book(),
        book().join("commands"),
        root(),
        root().join("docs"),
        root().join("docs/results"),
        root().join("recipes"),
    ];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let pages = files.map(|entry| entry.unwrap().path());
    for path in pages.filter(|path| path.extension().is_some_and(|end| end == "md")) {
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
