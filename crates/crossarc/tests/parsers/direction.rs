//! Parsers that read sentences from their last word to their first.
use std::collections::BTreeSet;

use conll::{ReadOptions, Reader, Sentence};
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::parser::ParseOptions;
use crossarc::train::Unobserved;
use crossarc::train::{TrainError, TrainOptions, train};
use crossarc::tree::RootPolicy;

use crate::{model, projective, quick, text};

/// The sentences with their words in reverse order.
fn mirrored(sentences: &[Sentence]) -> Vec<Sentence> {
    let mut text = String::new();
    for sentence in sentences {
        let words = sentence.len() as u32;
        for (at, word) in (1usize..).zip((1..=sentence.len()).rev()) {
            let word = sentence.word(word);
            let head = word.head().map_or(0, |head| if head == 0 { 0 } else { words + 1 - head });
            let (form, lemma, upos) = (word.form(), word.lemma(), word.upos());
            let (xpos, feats, deprel) = (word.xpos(), word.feats(), word.deprel());
            let columns = [form, lemma, upos, xpos, feats, &head.to_string(), deprel, "_", "_"];
            text += &at.to_string();
            text += "\t";
            text += &columns.join("\t");
            text += "\n";
        }
        text += "\n";
    }
    read(text)
}

fn read(text: String) -> Vec<Sentence> {
    let reader = Reader::from_bytes("text", text.into_bytes(), ReadOptions::default()).unwrap();
    reader.map(Result::unwrap).collect()
}

/// A sentence that is its own mirror and has all labels, so that they get the same numbers.
fn palindrome(sentences: &[Sentence]) -> Vec<Sentence> {
    let words = sentences.iter().flat_map(Sentence::words);
    let labels: BTreeSet<&str> = words.map(|word| word.deprel()).filter(|&l| l != "root").collect();
    let around = labels.iter().chain(labels.iter().rev());
    let mut row: Vec<(usize, &str)> = around.map(|&label| (labels.len() + 1, label)).collect();
    row.insert(labels.len(), (0, "root"));
    let line = |(at, (head, label))| format!("{at}\tx\tx\tX\t_\t_\t{head}\t{label}\t_\t_\n");
    read((1..).zip(row).map(line).collect::<String>() + "\n")
}

fn parsed(model: &Model, sentences: &[Sentence]) -> Vec<Sentence> {
    crate::parsed(model, sentences, &AnnotateOptions::default())
}

fn trees(sentences: &[Sentence]) -> Vec<Vec<(Option<u32>, String)>> {
    let tree = |sentence: &Sentence| {
        sentence.words().map(|word| (word.head(), word.deprel().to_owned())).collect()
    };
    sentences.iter().map(tree).collect()
}

#[test]
fn reading_from_the_right_is_reading_the_mirror_from_the_left() {
    let treebank = projective(71, 60, RootPolicy::Single);
    let treebank = [palindrome(&treebank), treebank].concat();
    let test = projective(72, 20, RootPolicy::Single);
    for beam in [1, 4] {
        let options = TrainOptions { beam, ..quick("arc-eager", "static") };
        let backwards = TrainOptions { right_to_left: true, ..options.clone() };
        let of_mirror = parsed(&model(&options, &mirrored(&treebank)), &mirrored(&test));
        let from_right = parsed(&model(&backwards, &treebank), &test);
        assert_eq!(trees(&mirrored(&of_mirror)), trees(&from_right), "seeds 71 and 72");
        let from_left = parsed(&model(&options, &treebank), &test);
        assert_ne!(trees(&from_left), trees(&from_right));
    }
}

#[test]
fn given_heads_and_confidences_are_those_of_the_words() {
    let treebank = projective(73, 60, RootPolicy::Single);
    let options = TrainOptions { right_to_left: true, ..quick("arc-eager", "dynamic") };
    let backwards = model(&options, &treebank);
    assert!(backwards.header.transition().unwrap().right_to_left);
    let gold = projective(74, 20, RootPolicy::Single);
    let keep = AnnotateOptions { keep_heads: true, ..Default::default() };
    assert_eq!(text(&crate::parsed(&backwards, &gold, &keep)), text(&gold), "all heads were given");
    let parse = ParseOptions { confidences: true, ..Default::default() };
    let scored = crate::parsed(&backwards, &gold, &AnnotateOptions { parse, ..Default::default() });
    assert_eq!(trees(&parsed(&backwards, &gold)), trees(&scored));
    assert!(scored.iter().flat_map(Sentence::words).all(|word| word.misc().contains("Score=")));
}

#[test]
fn graph_parsers_have_no_direction() {
    let treebank = projective(75, 10, RootPolicy::Single);
    let options = TrainOptions { right_to_left: true, ..crossarc::train::defaults("eisner") };
    let error = train(&options, &treebank, &[], &Unobserved).err().unwrap();
    assert!(matches!(error, TrainError::NoDirection { .. }), "{error}");
}
