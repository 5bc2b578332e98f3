//! Choices as people make them.
use super::quoted::quoted_words;
use super::*;

#[test]
fn quotes_hold_words_together() {
    assert_eq!(quoted_words("swap  --beam 8"), ["swap", "--beam", "8"]);
    assert_eq!(
        quoted_words("vote --member 'swap --beam 8'"),
        ["vote", "--member", "swap --beam 8"]
    );
    assert_eq!(quoted_words("a'b c'd ''"), ["ab cd", ""]);
    assert!(quoted_words(" ").is_empty());
}

#[test]
fn silent_choices_are_those_of_the_other() {
    let mine =
        Choices::parse("default --epochs 5 --margin 0.1 --labels taxonomy --weights tag").unwrap();
    let theirs = Choices::parse("default --epochs 9 --partial --ignore-columns feats").unwrap();
    let both = mine.or(&theirs);
    assert_eq!((both.epochs, both.partial, both.margin), (Some(5), true, Some(0.1)));
    assert_eq!(both.labels, mine.labels);
    assert_eq!(
        both.describe(),
        r#"epochs=5, ignore-columns=["feats"], labels=taxonomy, margin=0.1, partial, weights=tag"#
    );
    assert_eq!(Choices::default().describe(), "");
    assert!(Choices::default().leaves_parser_open() && !both.leaves_parser_open());
}

#[test]
fn naming_the_default_changes_nothing() {
    let options = |text: &str| {
        let options = Choices::parse(text).unwrap().options("".as_ref()).unwrap();
        serde_json::to_value(options).unwrap()
    };
    let plain = options("default");
    let parser = plain["parser"].as_str().unwrap().to_owned();
    assert_eq!(options(&parser), plain);
    assert_eq!(options(&format!("{parser} --features rich --beam 1 --seed 1")), plain);
    assert_ne!(options(&format!("{parser} --codec none")), plain);
}

#[test]
fn what_does_not_fit_is_told() {
    let wrong = |text: &str| {
        let choices = Choices::parse(text);
        choices.and_then(|choices| choices.options("".as_ref())).unwrap_err().to_string()
    };
    assert!(wrong("arc-eagre").contains("did you mean `arc-eager`?"));
    assert!(wrong("swap beam").contains("expected an option"));
    assert!(wrong("swap --beam 0").contains("1 to 1000"));
    assert!(wrong("swap --update late").contains("expected `early` or `max-violation`"));
    assert!(wrong("swap --approximation -1").contains("off"));
    assert!(wrong("swap --cost 1").contains("--learner svm"));
    assert!(wrong("swap --weights tag").contains("--parser vote"));
    assert!(wrong("vote --member 'swap --beem 3'").starts_with("in `swap --beem 3`: "));
    assert!(wrong("swap --text a.txt").contains("go together"));
    assert!(wrong("swap --least-sure 0.5").contains("--taught"));
    assert!(wrong("swap --taught a.conllu --least-sure 2").contains("from 0 to 1"));
    assert!(wrong("swap --features none.txt").contains("neither a feature set"));
}
