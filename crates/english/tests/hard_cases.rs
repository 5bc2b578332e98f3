//! Text that tokenizers get wrong: titles, references, addresses, numbers, headings, wrapped lines.
//!
//! The cases are hand-written, in `tests/hard_cases`. English ones are for the model inside with its own list
//! of abbreviations; those of other languages show what rules and a list do for a model that has never seen
//! the language.
use std::path::Path;

use crossarc::text::tokenize::layout::stretches;
use crossarc::text::tokenize::{Sentences, Tokenizer};
use crossarc::{Abbreviations, Pipeline};

/// The least share of cases that are right, in percent.
const GOAL: f64 = 97.0;

/// Tokens of a text, and whether a sentence ends with them.
type Tokens = Vec<(String, bool)>;

/// The text of a case and its tokens.
fn case(line: &str) -> (String, Tokens) {
    let line = line.replace("\\n", "\n");
    let mut tokens = Tokens::new();
    for sentence in line.split("||") {
        let of_sentence = sentence.split(['|', ' ', '\n']).filter(|token| !token.is_empty());
        tokens.extend(of_sentence.map(|token| (token.to_owned(), false)));
        if let Some(last) = tokens.last_mut() {
            last.1 = true;
        }
    }
    (line.replace('|', ""), tokens)
}

fn tokens(tokenizer: &Tokenizer, text: &str) -> Tokens {
    let mut parts = Vec::new();
    stretches(text, &mut parts);
    let mut segmenter = tokenizer.segmenter();
    let (mut spans, mut all) = (Vec::new(), Tokens::new());
    for part in parts {
        let part = &text[part.range];
        segmenter.segment(part, Sentences::Found, &mut spans);
        all.extend(spans.iter().map(|s| (part[s.start..s.end].to_owned(), s.ends_sentence)));
    }
    all
}

/// How many cases of a file are right, and how many there are; tells the wrong ones.
fn count(name: &str, pipeline: &Pipeline) -> (f64, f64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/hard_cases/{name}.txt"));
    let text = std::fs::read_to_string(path).unwrap();
    let tokenizer = pipeline.components().tokenizer.as_ref().unwrap();
    let (mut all, mut right) = (0.0, 0.0);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        let (text, gold) = case(line);
        let found = tokens(tokenizer, &text);
        all += 1.0;
        if found == gold {
            right += 1.0;
        } else {
            let word =
                |(token, ends): &(String, bool)| token.clone() + if *ends { " ||" } else { "" };
            let found: Vec<String> = found.iter().map(word).collect();
            println!("{line}\n    {}", found.join(" "));
        }
    }
    println!("{name}: {right} of {all} cases, {:.1} %\n", 100.0 * right / all);
    (right, all)
}

#[test]
fn most_cases_are_right() {
    let list = |path: String| -> Abbreviations {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        std::fs::read_to_string(path).unwrap().parse().unwrap()
    };
    let english = count("english", &crossarc_english::pipeline().unwrap());
    let (mut right, mut all) = english;
    for language in ["dutch", "french", "german", "hungarian", "italian", "spanish"] {
        let list = list(format!("tests/hard_cases/{language}.abbreviations.txt"));
        let bytes = crossarc_english::bytes().unwrap();
        let one = count(language, &Pipeline::from_bytes_with(bytes, &list).unwrap());
        right += one.0;
        all += one.1;
    }
    println!("{right} of {all} cases, {:.1} %", 100.0 * right / all);
    assert!(100.0 * english.0 >= GOAL * english.1, "English: {english:?}");
    assert!(100.0 * right >= GOAL * all, "all: {right} of {all}");
}
