//! Pages in a real browser: Chromium opens them without a window, if there is one.
//!
//! `CROSSARC_CHROMIUM` names the program; otherwise it is looked for by its usual names. Where there
//! is none, the tests say that they are skipped.
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank_text};

/// Files of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let name = format!("crossarc-page-{test}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CROSSARC_CHROMIUM").map(PathBuf::from);
    let usual = ["chromium", "chromium-browser", "google-chrome", "chrome"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|program| {
        let silent = |command: &mut Command| {
            command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
        };
        silent(Command::new(program).arg("--version"))
    })
}

/// Opens a page with a script of the test at its end, and gives what that script wrote into
/// `<pre id="found">` and what the console said.
fn open(folder: &Folder, page: &Path, script: &str) -> Option<(serde_json::Value, String)> {
    let Some(program) = chromium() else {
        eprintln!("SKIPPED: no Chromium here; name one with CROSSARC_CHROMIUM");
        return None;
    };
    let html = std::fs::read_to_string(page).unwrap();
    let catch = "<script>window.problems=[];window.addEventListener('error',e=>window.problems.push(e.message));\
                 document.addEventListener('securitypolicyviolation',e=>window.problems.push(e.blockedURI));</script>";
    let probe = format!(
        "<script>setTimeout(() => {{ const found = (() => {{ {script} }})(); \
         found.problems = window.problems; \
         found.fetched = performance.getEntriesByType('resource').map(e => e.name); \
         const pre = document.createElement('pre'); pre.id = 'found'; \
         pre.textContent = JSON.stringify(found); document.body.append(pre); }}, 50);</script></body>"
    );
    let html = html.replacen("<head>", &format!("<head>{catch}"), 1).replace("</body>", &probe);
    let probed = folder.path("probed.html");
    std::fs::write(&probed, html).unwrap();
    let output = Command::new(program)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--v=0", "--virtual-time-budget=4000", "--dump-dom"])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1300,900"])
        .arg(format!("--user-data-dir={}", folder.path("profile").display()))
        .arg(format!("file://{}", probed.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = dom.split("<pre id=\"found\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let found =
        found.unwrap_or_else(|| panic!("the script did not end: {}", &dom[..dom.len().min(2000)]));
    let found = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let errors = String::from_utf8_lossy(&output.stderr);
    let console: Vec<&str> = errors.lines().filter(|line| line.contains("CONSOLE")).collect();
    Some((serde_json::from_str(&found).unwrap(), console.join("\n")))
}

fn crossarc(folder: &Folder, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_crossarc"))
        .current_dir(&folder.0)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Gold, and two systems: one that gets labels wrong, one that gets heads wrong.
fn treebanks(folder: &Folder) {
    let options = TreebankOptions { sentences: 60, nonprojective: 0.05, ..Default::default() };
    let text = treebank_text(Seed(9), &options);
    std::fs::write(folder.path("gold.conllu"), &text).unwrap();
    let change = |of: &dyn Fn(usize, &mut Vec<String>)| -> String {
        let mut out = String::new();
        for (number, line) in text.lines().enumerate() {
            let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
            if fields.len() == 10 {
                of(number, &mut fields);
            }
            out += &fields.join("\t");
            out.push('\n');
        }
        out
    };
    let labels = change(&|number, fields| {
        if number % 7 == 0 {
            "wrong".clone_into(&mut fields[7]);
        }
    });
    // Everything hangs on the first word, which is the root: all arcs but a few are wrong.
    let heads = change(&|_, fields| {
        let head = if fields[0] == "1" { "0" } else { "1" };
        head.clone_into(&mut fields[6]);
    });
    std::fs::write(folder.path("labels.conllu"), labels).unwrap();
    std::fs::write(folder.path("heads.conllu"), heads).unwrap();
}

#[test]
fn the_report_of_an_analysis_works() {
    let folder = Folder::new("analyze");
    treebanks(&folder);
    crossarc(
        &folder,
        &[
            "analyze",
            "gold.conllu",
            "labels.conllu",
            "heads.conllu",
            "-o",
            "report.html",
            "--quiet",
        ],
    );
    let html = std::fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"), "nothing is fetched");
    let script = r"
        const at = id => document.getElementById(id);
        const count = () => +at('count').textContent.split(' ')[0];
        const set = (id, value) => { at(id).value = value; at(id).dispatchEvent(new Event(at(id).tagName === 'SELECT' ? 'change' : 'input')); };
        const found = { plots: document.querySelectorAll('svg.plot').length,
            empty: [...document.querySelectorAll('svg.plot')].filter(p => p.querySelectorAll('rect,polyline,path').length === 0).length,
            figures: document.querySelectorAll('figure').length,
            tables: document.querySelectorAll('table').length,
            all: count() };
        found.arcs = document.querySelectorAll('#drawing path.arc').length;
        found.words = document.querySelectorAll('#drawing text.form').length;
        found.caption = at('caption').textContent;
        set('f-max', 8); found.short = count();
        found.longest = Math.max(...[...document.querySelectorAll('#list li')].map(li => +li.title.split(' ')[0]));
        set('f-max', ''); found.again = count();
        const wrong = [...at('f-label').options].find(o => o.text === 'wrong').value;
        set('f-label', wrong); found.labelled = count();
        set('f-system', '1'); found.otherLabelled = count(); set('f-label', '');
        found.heads = count();
        set('f-crossing', 'gold'); found.crossing = count();
        set('f-crossing', 'none'); found.uncrossed = count();
        set('f-crossing', ''); set('f-error', 'label'); found.labelOnly = count(); set('f-error', 'any');
        const items = document.querySelectorAll('#list li');
        items[3].click();
        found.second = at('caption').textContent;
        found.wrongArcs = document.querySelectorAll('#drawing g.wrong').length;
        found.missedArcs = document.querySelectorAll('#drawing g.missed').length;
        at('list').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown' }));
        found.third = at('caption').textContent;
        set('f-text', 'no such word anywhere'); found.none = count();
        return found;";
    let Some((found, console)) = open(&folder, &folder.path("report.html"), script) else { return };
    let number = |name: &str| found[name].as_i64().unwrap_or(-1);
    assert_eq!(found["problems"].as_array().map(Vec::len), Some(0), "{found}");
    assert_eq!(found["fetched"].as_array().map(Vec::len), Some(0), "{found}");
    assert!(console.is_empty(), "{console}");
    assert_eq!(number("plots"), number("figures"), "{found}");
    assert!(number("plots") >= 15 && number("empty") == 0 && number("tables") >= 16, "{found}");
    assert!(number("arcs") > 2 && number("words") > 2, "a sentence is drawn: {found}");
    assert!(
        0 < number("short") && number("short") < number("all") && number("longest") <= 8,
        "{found}"
    );
    assert_eq!(number("again"), number("all"), "{found}");
    assert!(number("labelled") > 0 && number("otherLabelled") == 0, "{found}");
    assert!(number("crossing") > 0, "{found}");
    assert_eq!(number("crossing") + number("uncrossed"), number("heads"), "{found}");
    assert!(number("labelOnly") < number("heads"), "{found}");
    assert!(number("wrongArcs") > 0 && number("missedArcs") > 0, "{found}");
    assert_ne!(found["caption"], found["second"]);
    assert_ne!(found["second"], found["third"]);
    assert_eq!(number("none"), 0, "{found}");
}

#[test]
fn the_report_of_a_comparison_works() {
    let folder = Folder::new("compare");
    for (name, seed, sentences) in [("train", 1, 60), ("dev", 2, 15), ("test", 3, 20)] {
        let options = TreebankOptions { sentences, vocabulary: 20, ..Default::default() };
        let text = treebank_text(Seed(seed), &options);
        std::fs::write(folder.path(&format!("bank-{name}.conllu")), text).unwrap();
    }
    let recipe = r#"
        title = "A page"
        running-time = true
        analyses = ["sentence-length", "part-of-speech"]
        [grid]
        treebanks = ["bank"]
        parsers = ["swap", "arc-eager"]
        features = ["nivre2008"]
        sizes = [20, 0]
        options = { epochs = 1 }
        [[table]]
        name = "curve"
        rows = ["parser"]
        columns = ["size"]
        measures = ["las"]
        significance = { test = "randomisation", correction = "holm" }
    "#;
    std::fs::write(folder.path("recipe.toml"), recipe).unwrap();
    crossarc(&folder, &["compare", "--recipe", "recipe.toml", "-o", "out", "--quiet"]);
    let script = r"
        const plots = [...document.querySelectorAll('svg.plot')];
        return { plots: plots.length, clouds: document.querySelectorAll('.cloud').length,
            empty: plots.filter(p => p.querySelectorAll('rect,polyline,path').length === 0).length,
            sections: document.querySelectorAll('section').length };";
    let page = folder.path("out/report.html");
    let Some((found, console)) = open(&folder, &page, script) else { return };
    assert_eq!(found["problems"].as_array().map(Vec::len), Some(0), "{found}");
    assert_eq!(found["fetched"].as_array().map(Vec::len), Some(0), "{found}");
    assert!(console.is_empty(), "{console}");
    assert_eq!(found["sections"], 5, "curve, running time, two analyses, all figures: {found}");
    // The curve, four clouds pairs, two lines of sentence length, one of parts of speech.
    assert_eq!((&found["plots"], &found["clouds"]), (&8.into(), &8.into()), "{found}");
    assert_eq!(found["empty"], 0);
}
