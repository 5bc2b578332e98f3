//! The official scorer's own test cases, and hand-worked ones.
use std::fmt::Write;

use super::*;

/// A sentence of tokens; "abc a b c" is the multiword token abc of the words a, b, c. The first
/// word is the root, all others hang on it.
fn file(tokens: &[&str]) -> String {
    let mut text = String::new();
    let mut words = 0;
    let mut word = |text: &mut String, form: &str| {
        words += 1;
        writeln!(text, "{words}\t{form}\t_\t_\t_\t_\t{}\tdep\t_\t_", u8::from(words > 1)).unwrap();
        words
    };
    let mut next = 1;
    for token in tokens {
        let mut parts = token.split(' ');
        let form = parts.next().unwrap();
        let inside: Vec<&str> = parts.collect();
        if inside.is_empty() {
            next = word(&mut text, form) + 1;
        } else {
            let last = next + inside.len() - 1;
            writeln!(text, "{next}-{last}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_").unwrap();
            for part in inside {
                next = word(&mut text, part) + 1;
            }
        }
    }
    text + "\n"
}

fn read(name: &str, text: &str, names: &mut Names) -> Result<Corpus, Error> {
    let mut reader = conll::Reader::from_bytes(name, text, conll::ReadOptions::default()).unwrap();
    Corpus::read(&mut reader, names, true)
}

fn score(gold: &str, system: &str) -> Result<Scores, Error> {
    let mut names = Names::default();
    let gold = read("gold.conllu", gold, &mut names)?;
    let system = read("system.conllu", system, &mut names)?;
    evaluate(&gold, &system, &mut names)
}

#[track_caller]
fn aligned_words(gold: &[&str], system: &[&str], expected: u64) {
    let words = score(&file(gold), &file(system)).unwrap().get(Metric::Words);
    assert_eq!(words.correct, expected, "{gold:?} {system:?}");
}

#[test]
fn equal_tokens() {
    aligned_words(&["a"], &["a"], 1);
    aligned_words(&["a", "b", "c"], &["a", "b", "c"], 3);
}

#[test]
fn equal_words_in_different_tokens() {
    aligned_words(&["abc a b c"], &["a", "b", "c"], 3);
    aligned_words(&["a", "bc b c", "d"], &["a", "b", "c", "d"], 4);
    aligned_words(&["abcd a b c d"], &["ab a b", "cd c d"], 4);
    aligned_words(&["abc a b c", "de d e"], &["a", "bcd b c d", "e"], 5);
}

#[test]
fn different_words() {
    aligned_words(&["abcd"], &["a", "b", "c", "d"], 0);
    aligned_words(&["abc", "d"], &["a", "b", "c", "d"], 1);
    aligned_words(&["a", "bc", "d"], &["a", "b", "c", "d"], 2);
    aligned_words(&["a", "bc b c", "d"], &["a", "b", "cd"], 2);
    aligned_words(&["abc a BX c", "def d EX f"], &["ab a b", "cd c d", "ef e f"], 4);
    aligned_words(&["ab a b", "cd bc d"], &["a", "bc", "d"], 2);
    aligned_words(&["a", "bc b c", "d"], &["ab AX BX", "cd CX a"], 1);
}

/// The scorer steps over one earlier word only, so words before a multiword token can be matched
/// with words inside it.
#[test]
fn earlier_words_may_enter_a_multiword_span() {
    aligned_words(&["abcd", "ef b x"], &["a", "b", "c", "d", "ef"], 1);
}

#[test]
fn case_and_spaces_do_not_matter_for_alignment() {
    let gold = "1-2\tΑΣ x\t_\t_\t_\t_\t_\t_\t_\t_\n1\tΑΣ\t_\t_\t_\t_\t0\troot\t_\t_\n2\tx\t_\t_\t_\t_\t1\tdep\t_\t_\n\n";
    let system = "1\tΑΣ\t_\t_\t_\t_\t0\troot\t_\t_\n2\tx\t_\t_\t_\t_\t1\tdep\t_\t_\n\n";
    assert_eq!(score(gold, system).unwrap().get(Metric::Words).correct, 2);
}

const GOLD: &str = "\
# sent_id = one
1\tThe\tthe\tDET\tDT\tDefinite=Def|PronType=Art\t2\tdet\t2:det\t_
2\tcats\tcat\tNOUN\tNNS\tNumber=Plur\t4\tnsubj:pass\t4:nsubj:pass|5:nsubj\t_
3\twere\tbe\tAUX\tVBD\tTense=Past\t4\taux:pass\t4:aux:pass\t_
4\tseen\tsee\tVERB\tVBN\t_\t0\troot\t0:root\t_
5\there\t_\tADV\tRB\tTypo=Yes\t4\tadvmod\t4:advmod\t_

";

#[test]
fn a_file_against_itself_is_perfect() {
    let scores = score(GOLD, GOLD).unwrap();
    for metric in Metric::ALL {
        let score = scores.get(metric);
        assert_eq!((score.precision(), score.recall(), score.f1()), (1.0, 1.0, 1.0), "{metric:?}");
    }
    assert_eq!(scores.get(Metric::Elas).gold, 6);
    assert_eq!(scores.get(Metric::Clas).gold, 3);
}

#[test]
fn each_row_by_hand() {
    let system = GOLD
        .replace("nsubj:pass", "nsubj") // subtypes do not count, except in ELAS
        .replace("\tbe\t", "\twas\t") // a lemma
        .replace("Tense=Past", "Tense=Pres") // a feature of the function word "were"
        .replace("RB\tTypo=Yes", "XX\tTypo=No|Style=Coll") // features that are not universal
        .replace("here\t_", "here\tthere"); // gold has no lemma: any is right
    let scores = score(GOLD, &system).unwrap();
    let correct = |metric| scores.get(metric).correct;
    assert_eq!(correct(Metric::Upos), 5);
    assert_eq!(correct(Metric::Xpos), 4);
    assert_eq!(correct(Metric::Ufeats), 4);
    assert_eq!(correct(Metric::AllTags), 3);
    assert_eq!(correct(Metric::Lemmas), 4);
    assert_eq!((correct(Metric::Uas), correct(Metric::Las)), (5, 5));
    assert_eq!((correct(Metric::Clas), correct(Metric::Mlas), correct(Metric::Blex)), (3, 2, 3));
    assert_eq!((correct(Metric::Elas), correct(Metric::Eulas)), (5, 6));
}

#[test]
fn the_table_to_the_letter() {
    let system = "1\tThecats\tx\tX\tX\t_\t2\tdet\t_\t_\n2\tweren\ty\tX\tX\t_\t0\troot\t_\t_\n\n";
    let gold = "1\tThe\tx\tX\tX\t_\t2\tdet\t_\t_\n2\tcats\ty\tX\tX\t_\t0\troot\t_\t_\n3\tweren\ty\tX\tX\t_\t2\tdep\t_\t_\n\n";
    let table = score(gold, system).unwrap().table(false);
    let expected = "\
Metric     | Precision |    Recall |  F1 Score | AligndAcc
-----------+-----------+-----------+-----------+-----------
Tokens     |     50.00 |     33.33 |     40.00 |
Sentences  |    100.00 |    100.00 |    100.00 |
Words      |     50.00 |     33.33 |     40.00 |
UPOS       |     50.00 |     33.33 |     40.00 |    100.00
XPOS       |     50.00 |     33.33 |     40.00 |    100.00
UFeats     |     50.00 |     33.33 |     40.00 |    100.00
AllTags    |     50.00 |     33.33 |     40.00 |    100.00
Lemmas     |     50.00 |     33.33 |     40.00 |    100.00
UAS        |      0.00 |      0.00 |      0.00 |      0.00
LAS        |      0.00 |      0.00 |      0.00 |      0.00
CLAS       |      0.00 |      0.00 |      0.00 |      0.00
MLAS       |      0.00 |      0.00 |      0.00 |      0.00
BLEX       |      0.00 |      0.00 |      0.00 |      0.00
";
    assert_eq!(table, expected);
}

#[test]
fn percentages_round_half_to_even_as_in_python() {
    let score = |correct| Score { correct, gold: 32, system: 32, aligned: None };
    assert_eq!(format!("{:.2}", 100.0 * score(1).recall()), "3.12");
    assert_eq!(format!("{:.2}", 100.0 * score(3).recall()), "9.38");
}

#[test]
fn different_texts_are_shown_with_their_places() {
    let system = GOLD.replace("seen", "sewn");
    let message = score(GOLD, &system).unwrap_err().to_string();
    assert!(
        message.contains("gold.conllu:5: sentence 1 (one):\n      The cats were ⟦seen⟧ here"),
        "{message}"
    );
    assert!(
        message.contains("system.conllu:5: sentence 1 (one):\n      The cats were ⟦sewn⟧ here"),
        "{message}"
    );
    let shorter = file(&["The"]);
    let message = score(GOLD, &shorter).unwrap_err().to_string();
    assert!(
        message.contains("system.conllu:1: sentence 1:\n      The ⟦nothing more⟧"),
        "{message}"
    );
    assert!(
        message.contains("gold.conllu:3: sentence 1 (one):\n      The ⟦cats⟧ were"),
        "{message}"
    );
}

#[test]
fn bad_enhanced_dependencies_have_a_place() {
    let system = GOLD.replace("4:aux:pass", "9:aux:pass");
    let message = score(GOLD, &system).unwrap_err().to_string();
    assert!(
        message.starts_with("system.conllu:4: bad enhanced dependency `9:aux:pass`"),
        "{message}"
    );
}
