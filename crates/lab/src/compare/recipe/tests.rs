//! Recipes as people write them, mistakes included.
use super::*;

fn specs(text: &str) -> Vec<String> {
    let recipe = Recipe::parse(text).unwrap();
    let plans = recipe.plans(Path::new("."), None).unwrap();
    plans
        .iter()
        .map(|plan| {
            let Spec { treebank, parser, oracle, codec, beam, options, .. } = &plan.spec;
            format!("{treebank} {parser} {oracle} {codec} {beam} {options}").trim().to_owned()
        })
        .collect()
}

#[test]
fn lists_multiply_and_runs_are_added_treebank_by_treebank() {
    let found = specs(
        r#"
        title = "t"
        [grid]
        treebanks = ["a", "b"]
        parsers = ["arc-standard", "swap"]
        [[run]]
        parsers = ["swap"]
        oracles = ["default", "dynamic"]
        [[run]]
        parsers = ["swap"]
        treebanks = ["b"]
        codecs = ["none", ["markers", "pseudo-head"]]
        beams = [2]
        options = { epochs = 3, label-cap = 5, exploration = 0.5 }
        "#,
    );
    let options = "epochs=3, exploration=0.5, label-cap=5";
    assert_eq!(
        found,
        [
            "a arc-standard static baseline 1",
            "a swap lazy none 1",
            "a swap dynamic none 1",
            "b arc-standard static baseline 1",
            "b swap lazy none 1",
            "b swap dynamic none 1",
            &format!("b swap lazy none 2 {options}"),
            &format!("b swap lazy markers > pseudo-head 2 {options}"),
        ]
    );
}

#[test]
fn learners_have_their_features() {
    let recipe = Recipe::parse(
        "title='t'\n[grid]\ntreebanks=['a']\nparsers=['swap']\nlearners=['perceptron','svm']\noptions={cost=2.0,split-by='none'}",
    );
    let plans = recipe.unwrap().plans(Path::new("."), None).unwrap();
    let found: Vec<_> =
        plans.iter().map(|plan| (&plan.spec.learner[..], &plan.spec.features[..])).collect();
    assert_eq!(found, [("perceptron", "rich"), ("svm", "nivre2008")]);
    assert!(plans[0].options.svm.is_none());
    let machines = plans[1].options.svm.as_ref().unwrap();
    assert_eq!((machines.settings.cost, &machines.split_by), (2.0, &None));
}

#[test]
fn parts_guide_and_vote() {
    let text = "title='t'\n[part.graph]\nparser='carreras'\n[part.beam]\nparser='swap'\nbeam=8\nguides='graph'\n[grid]\ntreebanks=['a']\nseeds=[7]\n[[run]]\nparsers=['swap']\nguides=['none',['graph','beam']]\noptions={cross-fitting=3}\n[[run]]\nparsers=['vote']\nmembers=[['graph','beam']]\noptions={weights='tag'}";
    let plans = Recipe::parse(text).unwrap().plans(Path::new("."), None).unwrap();
    let with: Vec<&str> = plans.iter().map(|plan| plan.spec.with.as_str()).collect();
    assert_eq!(with, ["", "graph + beam", "graph + beam"]);
    assert!(plans[0].options.combination.is_none());
    let stack = plans[1].options.combination.as_ref().unwrap();
    assert_eq!((stack.folds, stack.guides.len(), stack.members.len()), (3, 2, 0));
    assert_eq!((stack.guides[1].beam, stack.guides[1].seed), (8, 7));
    let inner = stack.guides[1].combination.as_ref().unwrap();
    assert_eq!((&inner.guides[0].parser[..], inner.guides[0].seed), ("carreras", 7));
    let vote = plans[2].options.combination.as_ref().unwrap();
    assert_eq!((vote.guides.len(), vote.members.len()), (0, 2));
    assert_eq!(vote.vote.weighing, crossarc::combine::Weighing::Tag);
}

#[test]
fn all_oracles_of_a_parser() {
    let text = "title='t'\n[grid]\ntreebanks=['a']\nparsers=['swap','arc-hybrid']\noracles=['all']";
    assert_eq!(
        specs(text),
        [
            "a swap lazy none 1",
            "a swap eager none 1",
            "a swap dynamic none 1",
            "a arc-hybrid dynamic baseline 1",
            "a arc-hybrid static baseline 1",
        ]
    );
}

#[test]
fn mistakes_are_named() {
    let error = |text: &str| {
        let plans = Recipe::parse(&format!("title = 't'\n{text}"))
            .and_then(|recipe| recipe.plans(Path::new("."), None));
        plans.unwrap_err().to_string()
    };
    let on = "treebanks = ['a']";
    for (text, part) in [
        ("grud = 1".to_owned(), "grud"),
        ("[grid]\nparser = 'swap'".to_owned(), "parser"),
        (String::new(), "names no parser"),
        ("[grid]\nparsers = ['swap']".to_owned(), "no treebank"),
        (format!("[grid]\n{on}\nparsers = ['swop']"), "arc-standard"),
        (format!("[grid]\n{on}\nparsers = ['swap']\noracles = ['static']"), "lazy, eager"),
        (format!("[grid]\n{on}\nparsers = ['swap']\nfeatures = ['no.txt']"), "no.txt"),
        (format!("[grid]\n{on}\nparsers = ['swap']\ncodecs = ['zip']"), "zip"),
        (format!("[grid]\n{on}\nparsers = ['swap']\nlearners = ['knn']"), "knn"),
        (format!("[grid]\n{on}\nparsers = ['eisner']\nlearners = ['svm']"), "eisner"),
        (format!("[grid]\n{on}\nparsers = ['swap']\nbeams = [0]"), "beam"),
        (format!("[grid]\n{on}\nparsers = ['swap']\nguides = ['x']"), "[part.x]"),
        (format!("[grid]\n{on}\nparsers = ['vote']"), "members"),
        (
            format!(
                "[part.x]\nparser='swap'\nguides='x'\n[grid]\n{on}\nparsers = ['swap']\nguides = ['x']"
            ),
            "deep",
        ),
        (
            format!("[grid]\n{on}\nparsers = ['swap']\nseeds = {:?}", vec![1; MOST_CELLS + 1]),
            "more than",
        ),
        ("[[table]]\nname = '../x'\nrows = []\nmeasures = []".to_owned(), "../x"),
        ("[[table]]\nname = 'x'\nrows = []\nmeasures = ['mood']".to_owned(), "mood"),
    ] {
        let message = error(&text);
        assert!(message.contains(part), "{text}: {message}");
    }
}
