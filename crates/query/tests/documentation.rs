//! The page about the language tells the truth: its queries can be read, and match as often as it says.
use std::path::Path;

use crossarc_query::{CLASSES, Query};

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn queries_of_the_page_match_as_often_as_it_says() {
    let page = read("docs/book/src/query-language.md");
    let sentences =
        conll::read_str(&read("examples/queries.conllu"), conll::ReadOptions::default()).unwrap();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for block in page.split("```query\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            let (text, told) = line.rsplit_once("# ").unwrap();
            let (count, _) = told.split_once(':').unwrap();
            let query = Query::parse(text).unwrap_or_else(|error| panic!("{error}"));
            let mut matcher = query.matcher();
            let found: usize =
                sentences.iter().map(|sentence| matcher.find(sentence).unwrap().len()).sum();
            if count.parse() != Ok(found) {
                wrong.push(format!("{text}: {found}, the page says {count}"));
            }
            tried += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 40, "{tried}");
}

#[test]
fn the_page_names_all_classes() {
    let page = read("docs/book/src/query-language.md");
    for (name, _) in CLASSES {
        assert!(page.contains(&format!("`@{name}`")), "{name}");
    }
}

#[test]
fn errors_point_to_the_character() {
    let cases = [
        ("V[upso=VERB]", 3, "did you mean `upos`"),
        ("V[case=Nom]", 3, "feats.case"),
        ("V[upos=VERB", 2, "has no `]`"),
        ("V[upos=]", 8, "expected a value"),
        ("V -[nsubj-> S", 13, "expected `|` or `]`"),
        ("V -[@cor]-> S", 5, "@core"),
        ("V -> V", 5, "no relation to itself"),
        ("V -> ", 6, "expected a word"),
        ("V S", 3, "expected `,`"),
        ("X[lemma=/(/]", 9, "no regular expression"),
        ("X[form=\"a]", 8, "has no second one"),
        ("ROOT[upos=X]", 5, "no columns"),
        ("X -> ROOT", 3, "depends on nothing"),
        ("dist(X, Y) > 3", 1, "there are distance(X, Y)"),
        ("length", 7, "expected a comparison"),
        ("without", 8, "expected a word"),
        ("without { X", 9, "has no `}`"),
        ("é[upos=X], Y[id=a]", 17, "expected a number"),
        ("!X", 1, "stands before"),
    ];
    for (text, column, told) in cases {
        let error = Query::parse(text).expect_err(text);
        let shown = error.to_string();
        assert_eq!(error.column(), column, "{text}: {shown}");
        assert!(error.message().contains(told), "{text}: {shown}");
        let mark = shown.lines().last().unwrap();
        assert_eq!(mark.find('^'), Some(column + 1), "{shown}");
    }
    let second_line = Query::parse("X[upos=A],\nY[upos]=").unwrap_err();
    assert_eq!((second_line.line(), second_line.column()), (2, 8));
}

#[test]
fn any_text_is_read_or_refused() {
    let page = read("docs/book/src/query-language.md");
    let mut rng = crossarc_tree::seed::Seed(3).rng();
    let letters: Vec<char> =
        page.chars().filter(|c| !c.is_alphabetic()).chain("XYn".chars()).collect();
    for _ in 0..20_000 {
        let length = rng.below(14);
        let text: String = (0..length).map(|_| letters[rng.below(letters.len())]).collect();
        let _ = Query::parse(&text);
    }
    for end in 0..page.len() {
        if page.is_char_boundary(end) {
            let start = end.saturating_sub(40);
            let start = (start..=end).find(|&at| page.is_char_boundary(at)).unwrap();
            let _ = Query::parse(&page[start..end]);
        }
    }
}

#[test]
fn keys_name_words_of_the_query() {
    let query = Query::parse("V[upos=VERB] -[obj]-> O, [upos=DET]").unwrap();
    let text = "1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\tsees\tsee\tVERB\t_\tTense=Pres\t0\troot\t_\t_\n3\tit\tit\tPRON\t_\t_\t2\tobj\t_\tScore=0.5\n\n";
    let sentences = conll::read_str(text, conll::ReadOptions::default()).unwrap();
    let found = [2, 3, 1];
    for (key, value) in [
        ("V", "sees"),
        ("V.lemma", "see"),
        ("V.Tense", "Pres"),
        ("O.Tense", "_"),
        ("O.misc.Score", "0.5"),
        ("distance(V, O)", "1"),
        ("length", "3"),
        ("O.id - 1", "2"),
        ("meta.sent_id", "_"),
    ] {
        assert_eq!(query.key(key).unwrap().value(&sentences[0], &found), value, "{key}");
    }
    for (key, told) in [
        ("S.lemma", "it has V, O"),
        ("V.lema", "did you mean `lemma`"),
        ("V.lemma x", "nothing more"),
    ] {
        let error = query.key(key).unwrap_err();
        assert!(error.message().contains(told), "{key}: {error}");
    }
}
