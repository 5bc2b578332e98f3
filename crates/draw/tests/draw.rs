//! Pictures of small sentences, compared with the files beside this one.
//!
//! `CROSSARC_BLESS=1 cargo test -p crossarc-draw --test draw` writes the files anew; look at them.
use std::fmt::Write as _;
use std::path::Path;

use crossarc_draw::{
    Drawing, Highlight, Layout, Options, Word, displacy, dot, html, svg, terminal, tikz,
};
use crossarc_tree::RootPolicy;
use crossarc_tree::generate::random_tree;
use crossarc_tree::seed::Seed;

fn words(text: &str) -> Vec<Word> {
    text.split(' ')
        .map(|word| {
            let (form, tag) = word.rsplit_once('/').unwrap_or((word, ""));
            Word::new(form, tag)
        })
        .collect()
}

/// "A hearing is scheduled on the issue today ." as in Figure 1 of Nivre (2009).
fn hearing() -> Drawing {
    let text = "A/DET hearing/NOUN is/AUX scheduled/VERB on/ADP the/DET issue/NOUN today/ADV ./P";
    let labels = ["NMOD", "SBJ", "ROOT", "VG", "NMOD", "NMOD", "PC", "TMP", "P"];
    let heads = [2, 3, 0, 3, 2, 7, 5, 4, 3].map(Some);
    let annotation: Vec<_> = heads.into_iter().zip(labels).collect();
    Drawing::new("hearing", words(text), &annotation, Highlight::Crossing)
}

/// The same with three errors: two heads and one label.
fn hearing_parsed() -> Drawing {
    let labels = ["NMOD", "SBJ", "ROOT", "VG", "NMOD", "NMOD", "PC", "TMP", "P"];
    let gold: Vec<_> = [2, 3, 0, 3, 2, 7, 5, 4, 3].map(Some).into_iter().zip(labels).collect();
    let mut system = gold.clone();
    system[4] = (Some(4), "ADV");
    system[7] = (Some(3), "TMP");
    system[1] = (Some(3), "OBJ");
    let words = hearing().words().to_vec();
    Drawing::compare("hearing", words, &gold, &system, Highlight::Crossing)
}

/// "The children wrote a letter", written from right to left.
fn hebrew() -> Drawing {
    let annotation = [(Some(2), "nsubj"), (Some(0), "root"), (Some(2), "obj"), (Some(2), "punct")];
    let words = words("הילדים/NOUN כתבו/VERB מכתב/NOUN ./PUNCT");
    Drawing::new("hebrew", words, &annotation, Highlight::Crossing)
}

/// Wide characters, a combining mark and a word that is one.
fn wide() -> Drawing {
    let annotation = [
        (Some(3), "nsubj"),
        (Some(1), "case"),
        (Some(0), "root"),
        (Some(3), "dep"),
        (Some(3), "x"),
    ];
    let words = words("東京/PROPN は/ADP 広い/ADJ e\u{301}te\u{301}/X \u{301}/SYM");
    Drawing::new("wide", words, &annotation, Highlight::Crossing)
}

/// Words without a head, one without a label.
fn partial() -> Drawing {
    let annotation = [(Some(2), "det"), (None, "_"), (Some(2), "_"), (None, "_")];
    Drawing::new("partial", words("the old man sleeps"), &annotation, Highlight::Crossing)
}

/// What every format gives a meaning to.
fn special() -> Drawing {
    let forms = ["<b>&amp;", "\"\\n\"", "]]>", "100%_$#{}~^", "it's", "a\u{7}b", "]"];
    let words: Vec<Word> = forms.iter().map(|form| Word::new(*form, "<&\">")).collect();
    let labels = ["<&>", "\"", "\\N", "{}", "'", "\u{7}", "]"];
    let heads = [2, 0, 2, 3, 4, 5, 6].map(Some);
    let annotation: Vec<_> = heads.into_iter().zip(labels).collect();
    Drawing::new("<special> \"&\\", words, &annotation, Highlight::Crossing)
}

fn all() -> Vec<(&'static str, Drawing)> {
    vec![
        ("hearing", hearing()),
        ("hearing_parsed", hearing_parsed()),
        ("hebrew", hebrew()),
        ("wide", wide()),
        ("partial", partial()),
        ("special", special()),
    ]
}

fn options(layout: Layout) -> Options {
    Options { layout, ..Options::default() }
}

fn page(drawing: &Drawing) -> String {
    html::opening("a page", drawing.is_comparison())
        + &html::section(drawing, 1, &Options::picture())
        + html::CLOSING
}

fn compare_with_file(name: &str, drawn: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/draw").join(name);
    if std::env::var_os("CROSSARC_BLESS").is_some() {
        std::fs::write(&path, drawn).unwrap();
    }
    let expected = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; see the top of this file", path.display()));
    assert!(drawn == expected, "{name} should be\n{expected}\nbut is\n{drawn}");
}

#[test]
fn terminal_pictures_are_as_blessed() {
    for (name, drawing) in all() {
        let mut drawn = String::new();
        for layout in [Layout::Across, Layout::Down] {
            let _ = writeln!(drawn, "{}", terminal::render(&drawing, &options(layout)));
        }
        compare_with_file(&format!("{name}.txt"), &drawn);
    }
}

#[test]
fn other_outputs_are_as_blessed() {
    for (name, drawing) in [("hearing_parsed", hearing_parsed()), ("special", special())] {
        compare_with_file(&format!("{name}.svg"), &svg::render(&drawing, &Options::picture()));
        compare_with_file(&format!("{name}.dot"), &dot::render(&drawing));
        compare_with_file(&format!("{name}.tex"), &tikz::picture(&drawing));
        compare_with_file(&format!("{name}.json"), &displacy::value(&drawing).to_string());
    }
}

#[test]
fn colours_come_only_when_asked_for() {
    for (_, drawing) in all() {
        for layout in [Layout::Across, Layout::Down] {
            let plain = terminal::render(&drawing, &options(layout));
            let coloured = terminal::render(&drawing, &Options { colour: true, ..options(layout) });
            assert!(!plain.contains('\u{1b}'));
            let mut stripped = String::new();
            for (index, piece) in coloured.split('\u{1b}').enumerate() {
                let text = if index == 0 { piece } else { piece.split_once('m').unwrap().1 };
                stripped.push_str(text);
            }
            assert_eq!(stripped, plain);
        }
    }
    let coloured = terminal::render(&hearing(), &Options { colour: true, ..Options::default() });
    assert!(coloured.contains("\u{1b}[33m"));
}

#[test]
fn svg_and_html_are_well_formed_and_hold_every_word_and_label() {
    for (name, drawing) in all() {
        for layout in [Layout::Across, Layout::Down] {
            let picture = svg::render(&drawing, &Options { layout, ..Options::picture() });
            let page = page(&drawing);
            let page = page.strip_prefix("<!DOCTYPE html>").unwrap();
            for text in [picture.as_str(), page] {
                let document = roxmltree::Document::parse(text)
                    .unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
                let texts: Vec<&str> = document
                    .descendants()
                    .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
                    .filter_map(|node| node.text())
                    .collect();
                let clean = |text: &str| text.replace('\u{7}', "\u{FFFD}");
                for word in drawing.words() {
                    assert!(texts.contains(&&*clean(&word.form)), "{name}: {}", word.form);
                }
                for arc in drawing.arcs().iter().filter(|arc| !arc.label.is_empty()) {
                    assert!(texts.contains(&&*clean(&arc.label)), "{name}: {}", arc.label);
                }
                assert!(!text.contains("href=\"http") && !text.contains("src="), "{name}");
            }
        }
    }
}

#[test]
fn rows_across_are_equally_wide_in_cells() {
    let picture = terminal::render(&wide(), &options(Layout::Across));
    let rows: Vec<&str> = picture.lines().collect();
    // Each arrow stands over its word, whose first cell is counted in columns.
    let column_of = |row: &str, what: &str| {
        let before = row.split(what).next().unwrap();
        unicode_width::UnicodeWidthStr::width(before)
    };
    let forms = rows[rows.len() - 2];
    let arrows = rows[rows.len() - 3];
    let mut at = 0;
    let arrow_columns: Vec<usize> = arrows
        .chars()
        .filter_map(|mark| {
            at += 1;
            (mark == '▼').then_some(at - 1)
        })
        .collect();
    for (form, arrow) in ["東京", "は", "広い"].iter().zip(arrow_columns) {
        let start = column_of(forms, form);
        let width = unicode_width::UnicodeWidthStr::width(*form);
        assert!((start.saturating_sub(1)..=start + width).contains(&arrow), "{form}\n{picture}");
    }
}

#[test]
fn empty_and_one_word_sentences() {
    let empty = Drawing::new("empty", vec![], &[], Highlight::Crossing);
    let one = Drawing::new("one", words("Stop/VERB"), &[(Some(0), "root")], Highlight::Crossing);
    for layout in [Layout::Auto, Layout::Across, Layout::Down] {
        assert_eq!(terminal::render(&empty, &options(layout)), "");
        assert!(terminal::render(&one, &options(layout)).contains("Stop"));
        for drawing in [&empty, &one] {
            let picture = svg::render(drawing, &Options { layout, ..Options::picture() });
            roxmltree::Document::parse(&picture).unwrap();
        }
    }
    for drawing in [&empty, &one] {
        roxmltree::Document::parse(page(drawing).strip_prefix("<!DOCTYPE html>").unwrap()).unwrap();
        assert!(dot::render(drawing).starts_with("digraph"));
        assert!(displacy::value(drawing).to_string().ends_with("\"arcs\":[]}"));
    }
    assert_eq!(tikz::picture(&empty), "");
    compare_with_file("one.txt", &terminal::render(&one, &Options::default()));
}

#[test]
fn long_sentences_are_drawn_in_every_layout() {
    let seed = Seed(1000);
    let mut rng = seed.rng();
    let random = random_tree(&mut rng, 1000, RootPolicy::Single);
    let chain: Vec<u32> = (0..1000).collect();
    let star = [vec![0], vec![1; 999]].concat();
    let nested: Vec<u32> =
        (1..=1000).map(|word| if word > 500 { 1001 - word } else { 0 }).collect();
    let random = random.heads()[1..].iter().map(|head| head.0).collect();
    for heads in [random, chain, star, nested] {
        let annotation: Vec<_> = heads.iter().map(|&head| (Some(head), "label")).collect();
        let words = vec![Word::new("word", "TAG"); heads.len()];
        let drawing = Drawing::new("long", words, &annotation, Highlight::Crossing);
        for layout in [Layout::Auto, Layout::Across, Layout::Down] {
            let text = terminal::render(&drawing, &options(layout));
            assert_eq!(text.matches("word").count(), 1000, "{seed:?} {layout:?}");
            let picture = svg::render(&drawing, &Options { layout, ..Options::picture() });
            assert_eq!(picture.matches("\"form\"").count(), 1000, "{seed:?} {layout:?}");
        }
    }
}

#[test]
fn labels_never_hide_each_other_or_a_line_of_another_arc() {
    let seed = Seed(77);
    let mut rng = seed.rng();
    for round in 0..200 {
        let tree = random_tree(&mut rng, 2 + round % 14, RootPolicy::Single);
        let labels: Vec<String> = tree.words().map(|word| format!("label{}x", word.0)).collect();
        let annotation: Vec<_> = tree
            .words()
            .map(|word| (Some(tree.head(word).0), &*labels[word.index() - 1]))
            .collect();
        let words = vec![Word::new("w", ""); tree.len()];
        let drawing = Drawing::new("", words, &annotation, Highlight::Crossing);
        let picture = terminal::render(&drawing, &options(Layout::Across));
        for label in &labels {
            assert!(picture.contains(label.as_str()), "{seed:?} {label}\n{picture}");
        }
        let arrows = picture.matches('▼').count();
        assert_eq!(arrows, tree.len(), "{seed:?}\n{picture}");
    }
}
