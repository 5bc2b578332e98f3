use super::*;

fn file(name: &str, text: &str) -> Reader {
    let options = conll::ReadOptions { check_trees: false, ..Default::default() };
    Reader::from_bytes(name, text, options).unwrap()
}

fn run(gold: &str, system: &str, settings: Settings) -> Result<Evaluation, Error> {
    let mut systems = [file("system.conllu", system)];
    evaluate(&mut file("gold.conllu", gold), &mut systems, settings).map(|mut all| all.remove(0))
}

const GOLD: &str = "\
# sent_id = first
1\tCats\t_\tNOUN\t_\t_\t2\tnsubj:pass\t_\t_
2\tsleep\t_\tVERB\t_\t_\t0\troot\t_\t_
3\t$\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_
4\t...\t_\tX\t_\t_\t2\tpunct\t_\t_

# sent_id = second
1\tYes\t_\tINTJ\t_\t_\t0\troot\t_\t_
2\t!\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_

";

#[test]
fn punctuation_rules_and_subtypes() {
    let system = GOLD.replace("2\tpunct", "1\tpunct").replace("nsubj:pass", "nsubj");
    let counts = |punctuation, ignore_subtypes| {
        let total = run(GOLD, &system, Settings { punctuation, ignore_subtypes }).unwrap().total;
        let counts = total.attachment;
        (counts.words, counts.heads, counts.labelled, counts.unlabelled_exact)
    };
    assert_eq!(counts(Punctuation::Counted, false), (6, 4, 3, 1));
    assert_eq!(counts(Punctuation::Counted, true), (6, 4, 4, 1));
    assert_eq!(counts(Punctuation::WithoutByForm, true), (4, 3, 3, 1)); // the symbol $ counts
    assert_eq!(counts(Punctuation::WithoutByTag, true), (4, 3, 3, 1)); // the X ... counts
}

#[test]
fn sentences_sum_up_to_the_total() {
    let system = GOLD.replace("1\tpunct", "0\tpunct");
    let evaluation = run(GOLD, &system, Settings::default()).unwrap();
    assert_eq!(evaluation.sentences.len(), 2);
    let mut sum = evaluation.sentences[0];
    sum += evaluation.sentences[1];
    assert_eq!(sum, evaluation.total);
    assert_eq!(evaluation.sentences[1].attachment.heads, 1);
}

#[test]
fn missing_heads_of_the_system_are_wrong_and_counted() {
    let system = GOLD.replace("2\tpunct", "_\tpunct");
    let total = run(GOLD, &system, Settings::default()).unwrap().total;
    assert_eq!(total.attachment.uas(), Some(4.0 / 6.0));
    assert_eq!(total.nonprojective.words_with_head(), Some(4.0 / 6.0));
    let message = run(&system, GOLD, Settings::default()).unwrap_err().to_string();
    assert!(message.starts_with("gold.conllu:4: the gold word `$` has no head"), "{message}");
}

#[test]
fn different_words_are_shown_with_their_places() {
    let message =
        run(GOLD, &GOLD.replace("Yes", "No"), Settings::default()).unwrap_err().to_string();
    assert!(message.contains("gold.conllu:8: sentence 2 (second):\n      ⟦Yes⟧ !"), "{message}");
    assert!(message.contains("system.conllu:8: sentence 2 (second):\n      ⟦No⟧ !"), "{message}");
    let without_last_word = GOLD.replace("2\t!\t_\tPUNCT\t_\t_\t1\tpunct\t_\t_\n", "");
    let message = run(GOLD, &without_last_word, Settings::default()).unwrap_err().to_string();
    assert!(message.contains("Yes ⟦nothing more⟧"), "{message}");
}

#[test]
fn different_numbers_of_sentences_are_told() {
    let first = &GOLD[..GOLD.find("# sent_id = second").unwrap()];
    let message = run(GOLD, first, Settings::default()).unwrap_err().to_string();
    assert!(
        message
            .starts_with("system.conllu ends after 1 sentences, but gold.conllu goes on at line 7"),
        "{message}"
    );
    let message = run(first, GOLD, Settings::default()).unwrap_err().to_string();
    assert!(message.starts_with("gold.conllu ends after 1 sentences"), "{message}");
}

#[test]
fn a_cycle_in_the_output_has_a_place() {
    let system = GOLD.replace("0\troot\t_\t_\n3", "1\troot\t_\t_\n3");
    let message = run(GOLD, &system, Settings::default()).unwrap_err().to_string();
    assert!(
        message.starts_with("system.conllu:1: sentence 1 is no tree: word 1 is on a cycle"),
        "{message}"
    );
}
