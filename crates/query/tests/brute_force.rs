//! Random queries on random trees: the matcher finds what trying all assignments finds.
use std::fmt::Write as _;

use conll::Sentence;
use crossarc_query::Query;
use crossarc_tree::generate::random_tree;
use crossarc_tree::projectivity::{crossed_arcs, is_projective, nonprojective_arcs};
use crossarc_tree::seed::{Rng, Seed};
use crossarc_tree::structure::Structure;
use crossarc_tree::{Node, RootPolicy, Tree};

const NAMES: [&str; 4] = ["X", "Y", "Z", "W"];
const LABELS: [&str; 4] = ["nsubj", "nsubj:pass", "obj", "punct"];
const LEMMAS: [&str; 3] = ["go", "ungo", "a"];
const FEATS: [&str; 3] = ["_", "Case=Nom", "Case=Acc,Gen|Number=Sing"];

/// A sentence with what an answer needs, all of it found in another way than the matcher does.
struct Example {
    tree: Tree,
    structure: Structure,
    crossed: Vec<Node>,
    nonprojective: Vec<Node>,
    rows: Vec<[&'static str; 4]>,
    sentence: Sentence,
}

fn example(rng: &mut Rng) -> Example {
    let words = 1 + rng.below(6);
    let tree = random_tree(rng, words, RootPolicy::Several);
    let mut rows = Vec::new();
    let mut text = String::new();
    for word in tree.words() {
        let row = [
            LEMMAS[rng.below(3)],
            ["N", "V"][rng.below(2)],
            FEATS[rng.below(3)],
            LABELS[rng.below(4)],
        ];
        let [lemma, upos, feats, label] = row;
        let (id, head) = (word.0, tree.head(word).0);
        writeln!(text, "{id}\tw\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{label}\t_\t_").unwrap();
        rows.push(row);
    }
    text.push('\n');
    let options = conll::ReadOptions { roots: conll::Roots::Any, ..Default::default() };
    let sentence = conll::read_str(&text, options).unwrap().remove(0);
    Example {
        structure: Structure::new(&tree),
        crossed: crossed_arcs(&tree),
        nonprojective: nonprojective_arcs(&tree),
        tree,
        rows,
        sentence,
    }
}

type Check = Box<dyn Fn(&Example, &[u32]) -> bool>;

/// Part of a query as text, and what it means.
struct Part {
    text: String,
    means: Check,
}

fn part(text: String, means: impl Fn(&Example, &[u32]) -> bool + 'static) -> Part {
    Part { text, means: Box::new(means) }
}

fn row(example: &Example, word: u32) -> [&'static str; 4] {
    example.rows[word as usize - 1]
}

type LabelTest = (&'static str, fn(&str) -> bool);

fn label(rng: &mut Rng) -> LabelTest {
    let kinds: [LabelTest; 6] = [
        ("nsubj", |label| label == "nsubj"),
        ("nsubj:*", |label| label.starts_with("nsubj")),
        ("obj|punct", |label| label == "obj" || label == "punct"),
        ("!punct", |label| label != "punct"),
        ("/:/", |label| label.contains(':')),
        ("@object", |label| label == "obj"),
    ];
    kinds[rng.below(kinds.len())]
}

/// A condition on one node.
fn condition(rng: &mut Rng, node: usize) -> Part {
    let name = NAMES[node];
    match rng.below(8) {
        0 => part(format!("{name}[upos=V]"), move |e, at| row(e, at[node])[1] == "V"),
        1 => part(format!("{name}[lemma=/^un/]"), move |e, at| row(e, at[node])[0] == "ungo"),
        2 => part(format!("{name}[lemma!=go]"), move |e, at| row(e, at[node])[0] != "go"),
        3 => part(format!("{name}[Case=Gen]"), move |e, at| row(e, at[node])[2].contains("Gen")),
        4 => part(format!("{name}[!Number]"), move |e, at| !row(e, at[node])[2].contains("Number")),
        5 => part(format!("{name}[upos=V, deprel=obj]|[Case=Nom]"), move |e, at| {
            let row = row(e, at[node]);
            (row[1] == "V" && row[3] == "obj") || row[2] == "Case=Nom"
        }),
        6 => part(format!("{name}[id>2]"), move |_, at| at[node] > 2),
        _ => part(format!("depth({name}) < 3"), move |e, at| {
            let mut depth = 0;
            let mut word = Node(at[node]);
            while word != Node::ROOT {
                word = e.tree.head(word);
                depth += 1;
            }
            depth < 3
        }),
    }
}

/// A relation of two nodes.
fn relation(rng: &mut Rng, one: usize, other: usize) -> Part {
    let (x, y) = (NAMES[one], NAMES[other]);
    let (text, fits) = label(rng);
    let head = |e: &Example, word: u32| e.tree.head(Node(word)).0;
    let is_arc = move |e: &Example, above: u32, below: u32| {
        head(e, below) == above && fits(row(e, below)[3])
    };
    let not = rng.below(5) == 0;
    let sign = if not { "!" } else { "" };
    let turn = move |means: bool| means != not;
    match rng.below(14) {
        0..3 => part(format!("{x} {sign}-[{text}]-> {y}"), move |e, at| {
            turn(is_arc(e, at[one], at[other]))
        }),
        3 => part(format!("{y} {sign}<-[{text}]- {x}"), move |e, at| {
            turn(is_arc(e, at[one], at[other]))
        }),
        4 => part(format!("{x} {sign}-> {y}"), move |e, at| turn(head(e, at[other]) == at[one])),
        5 => part(format!("{x} {sign}-[{text}]- {y}"), move |e, at| {
            turn(is_arc(e, at[one], at[other]) || is_arc(e, at[other], at[one]))
        }),
        6 => part(format!("{x} {sign}->> {y}"), move |e, at| {
            turn(e.structure.dominates(Node(at[one]), Node(at[other])))
        }),
        7 => part(format!("{x} {sign}-[{text}]->> {y}"), move |e, at| {
            let mut word = at[other];
            while word != 0 && word != at[one] && fits(row(e, word)[3]) {
                word = head(e, word);
            }
            turn(word == at[one])
        }),
        8 => part(format!("{x} {sign}<< {y}"), move |_, at| turn(at[one] < at[other])),
        9 => part(format!("{x} {sign}< {y}"), move |_, at| turn(at[one] + 1 == at[other])),
        10 => {
            part(format!("distance({x}, {y}) >= 2"), move |_, at| at[one].abs_diff(at[other]) >= 2)
        }
        11 => part(format!("{x}.lemma = {y}.lemma"), move |e, at| {
            row(e, at[one])[0] == row(e, at[other])[0]
        }),
        12 => part(format!("{sign}crosses({x}, {y})"), move |e, at| {
            let ends = |word: u32| (word.min(head(e, word)), word.max(head(e, word)));
            let ((a, b), (c, d)) = (ends(at[one]), ends(at[other]));
            turn((a < c && c < b && b < d) || (c < a && a < d && d < b))
        }),
        _ => part(format!("size({x}) > children({y}) + 1"), move |e, at| {
            let children = e.structure.children(Node(at[other])).len();
            e.structure.size(Node(at[one])) > children + 1
        }),
    }
}

/// Something about a word's arc, or the sentence.
fn crossing(rng: &mut Rng, node: usize) -> Part {
    let name = NAMES[node];
    match rng.below(6) {
        0 => part(format!("crossing({name})"), move |e, at| e.crossed.contains(&Node(at[node]))),
        1 => part(format!("nonprojective({name})"), move |e, at| {
            e.nonprojective.contains(&Node(at[node]))
        }),
        2 => part("projective".to_owned(), |e, _| is_projective(&e.tree)),
        3 => part("!projective".to_owned(), |e, _| !is_projective(&e.tree)),
        4 => part(format!("ROOT -> {name}"), move |e, at| e.tree.head(Node(at[node])).0 == 0),
        _ => part("length > 3".to_owned(), |e, _| e.tree.len() > 3),
    }
}

fn parts(rng: &mut Rng, nodes: std::ops::Range<usize>, all: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    for node in nodes.clone() {
        if rng.below(2) == 0 {
            parts.push(condition(rng, node));
        }
        if all > 1 {
            let other = (node + 1 + rng.below(all - 1)) % all;
            let (one, other) = if rng.below(2) == 0 { (node, other) } else { (other, node) };
            parts.push(relation(rng, one, other));
        }
    }
    if rng.below(4) == 0 {
        let node = rng.below(all);
        parts.push(crossing(rng, node));
    }
    parts
}

/// Calls `each` with all ways to give different words to the nodes behind the first `known`.
fn assignments(words: u32, known: &[u32], nodes: usize, each: &mut dyn FnMut(&[u32])) {
    if known.len() == nodes {
        return each(known);
    }
    for word in (1..=words).filter(|word| !known.contains(word)) {
        assignments(words, &[known, &[word]].concat(), nodes, each);
    }
}

#[test]
fn the_matcher_finds_what_trying_everything_finds() {
    let seed = Seed(2025);
    let mut rng = seed.rng();
    let mut hits = 0;
    for round in 0..6000 {
        let nodes = 1 + rng.below(3);
        let main = parts(&mut rng, 0..nodes, nodes);
        let extra = rng.below(2);
        let inside = if extra == 0 { 0..nodes } else { nodes..nodes + extra };
        let without =
            if rng.below(3) == 0 { parts(&mut rng, inside, nodes + extra) } else { Vec::new() };
        // Named first, so that the order is known, and connected by nothing else.
        let mut text = NAMES[..nodes].join(", ");
        for part in &main {
            write!(text, ", {}", part.text).unwrap();
        }
        if !without.is_empty() {
            let inside: Vec<&str> = without.iter().map(|part| part.text.as_str()).collect();
            write!(text, " without {{ {} }}", inside.join("; ")).unwrap();
        }
        // What is not named in the block does not exist in it.
        let named = (nodes..nodes + extra)
            .all(|node| without.iter().any(|part| part.text.contains(NAMES[node])));
        if !named && !without.is_empty() {
            continue;
        }
        let query = Query::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let mut matcher = query.matcher();
        for _ in 0..4 {
            let example = example(&mut rng);
            let words = example.tree.len() as u32;
            let mut expected: Vec<Vec<u32>> = Vec::new();
            assignments(words, &[], nodes, &mut |at| {
                let holds = main.iter().all(|part| (part.means)(&example, at));
                let mut forbidden = false;
                if holds && !without.is_empty() {
                    assignments(words, at, nodes + extra, &mut |at| {
                        forbidden |= without.iter().all(|part| (part.means)(&example, at));
                    });
                }
                if holds && !forbidden {
                    expected.push(at.to_vec());
                }
            });
            hits += expected.len();
            let any = matcher.is_match(&example.sentence).unwrap();
            let found: Vec<Vec<u32>> =
                matcher.find(&example.sentence).unwrap().map(|at| at[..nodes].to_vec()).collect();
            assert_eq!(found, expected, "{seed:?} {round}: {text} on {:?}", example.tree);
            assert_eq!(any, !expected.is_empty(), "{text}");
        }
    }
    assert!(hits > 10_000, "too few matches to mean much: {hits}");
}
