//! Graph parsers from the outside: trained, saved, loaded and used, on small generated treebanks.
use conll::Sentence;
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::graph::decoders::DECODERS;
use crossarc::parser::{Approximate, ParseOptions};
use crossarc::train::Unobserved;
use crossarc::train::graph_options::GraphOptions;
use crossarc::train::graph_options::LabelWay;
use crossarc::train::{TrainError, TrainOptions, Trained, train};
use crossarc::tree::RootPolicy;
use crossarc::tree::projectivity::nonprojective_arcs;
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank};
use crossarc::tree::treebank::unlabelled_tree_of;

fn generated(seed: u64, sentences: usize, nonprojective: f64) -> Vec<Sentence> {
    let roots = RootPolicy::Single;
    treebank(Seed(seed), &TreebankOptions { sentences, nonprojective, vocabulary: 20, roots })
}

fn options(parser: &str) -> TrainOptions {
    TrainOptions { epochs: 10, ..crossarc::train::defaults(parser) }
}

fn trained(options: &TrainOptions, sentences: &[Sentence], dev: &[Sentence]) -> Trained {
    train(options, sentences, dev, &Unobserved).unwrap()
}

fn parsed(model: &Model, sentences: &[Sentence], options: &AnnotateOptions) -> Vec<Sentence> {
    let mut annotator = model.annotator(options.clone());
    let mut sentences = sentences.to_vec();
    for sentence in &mut sentences {
        annotator.annotate(sentence).unwrap();
    }
    sentences
}

/// Share of words with the right head and label.
fn score(gold: &[Sentence], parsed: &[Sentence]) -> f64 {
    let pairs = gold.iter().zip(parsed);
    let words = pairs.flat_map(|(gold, parsed)| gold.words().zip(parsed.words()));
    let right =
        words.map(|(gold, word)| gold.head() == word.head() && gold.deprel() == word.deprel());
    let right: Vec<bool> = right.collect();
    right.iter().filter(|right| **right).count() as f64 / right.len() as f64
}

fn text(sentences: &[Sentence]) -> Vec<u8> {
    let mut text = Vec::new();
    for sentence in sentences {
        sentence.write_to(&mut text).unwrap();
    }
    text
}

#[test]
fn a_small_treebank_is_learned_by_heart_and_survives_a_file() {
    let projective = generated(5, 12, 0.0);
    for parser in DECODERS {
        for (_, labels) in LabelWay::NAMES {
            let graph = GraphOptions { labels: Some(labels), ..GraphOptions::default() };
            let trained = trained(&TrainOptions { graph, ..options(parser) }, &projective, &[]);
            let bytes = trained.to_bytes();
            let model = Model::from_bytes(&bytes).unwrap();
            let parsed = parsed(&model, &projective, &AnnotateOptions::default());
            assert_eq!(score(&projective, &parsed), 1.0, "{parser}, labels {labels:?}");
        }
    }
}

#[test]
fn crossing_arcs_are_learned_by_approximation_and_by_spanning_trees() {
    let sentences = generated(6, 12, 0.2);
    for parser in ["mst", "carreras"] {
        let bytes = trained(&options(parser), &sentences, &[]).to_bytes();
        let model = Model::from_bytes(&bytes).unwrap();
        let found = parsed(&model, &sentences, &AnnotateOptions::default());
        assert!(score(&sentences, &found) > 0.97, "{parser}: {}", score(&sentences, &found));
        let crossing = |sentences: &[Sentence]| {
            let trees = sentences.iter().map(|sentence| unlabelled_tree_of(sentence).unwrap());
            trees.filter(|tree| !crossarc::tree::projectivity::is_projective(tree)).count()
        };
        assert!(crossing(&found) > 0, "{parser}");
        if parser == "carreras" {
            let approximation = Some(Approximate::Off);
            let off = ParseOptions { approximation, ..ParseOptions::default() };
            let off = AnnotateOptions { parse: off, ..AnnotateOptions::default() };
            assert_eq!(crossing(&parsed(&model, &sentences, &off)), 0);
        }
    }
}

/// Trees that are named again keep their heads, and the more the labels of the search are trusted, the
/// more of them.
#[test]
fn with_more_trust_trees_keep_more_labels_of_the_search() {
    let (sentences, unseen) = (generated(16, 60, 0.1), generated(17, 200, 0.1));
    for parser in ["eisner-sibling", "carreras"] {
        let graph = GraphOptions { labels: Some(LabelWay::All), ..GraphOptions::default() };
        let quick = TrainOptions { epochs: 2, graph, punctuation: false, ..options(parser) };
        let mut trained = trained(&quick, &sentences, &[]);
        let mut found = |labels, label_trust| {
            let graph = trained.header_mut().graph_mut().unwrap();
            (graph.labels, graph.label_trust) = (labels, label_trust);
            let model = Model::from_bytes(&trained.to_bytes()).unwrap();
            parsed(&model, &unseen, &AnnotateOptions::default())
        };
        let of_search = found(LabelWay::Joint, 0.0);
        let kept = [0.0, 1e6].map(|trust| {
            let named = found(LabelWay::All, trust);
            let words = of_search.iter().zip(&named).flat_map(|(a, b)| a.words().zip(b.words()));
            assert!(words.clone().all(|(a, b)| a.head() == b.head()), "{parser}");
            words.filter(|(a, b)| a.deprel() == b.deprel()).count()
        });
        assert!(kept[0] < kept[1], "{parser}: {kept:?}");
    }
}

#[test]
fn labels_of_the_search_are_trusted_as_is_best_on_the_development_set() {
    let (sentences, dev) = (generated(14, 40, 0.0), generated(15, 60, 0.0));
    let quick = TrainOptions { epochs: 2, ..options("eisner") };
    let mut fitted = trained(&quick, &sentences, &dev);
    let trust = |trained: &Trained| trained.header().graph().unwrap().label_trust;
    let chosen = trust(&fitted);
    let las = fitted.header().training.dev_las;
    let mut las_by = |label_trust| {
        fitted.header_mut().graph_mut().unwrap().label_trust = label_trust;
        let model = Model::from_bytes(&fitted.to_bytes()).unwrap();
        let found = parsed(&model, &dev, &AnnotateOptions::default());
        (1e4 * score(&dev, &found)).round() / 1e2
    };
    assert_eq!(las, Some(las_by(chosen)));
    let tried = [0.0, 10.0, 20.0, 30.0, 50.0, 80.0, 120.0, 200.0].map(&mut las_by);
    assert!(tried.iter().all(|&other| Some(other) <= las), "{chosen}: {tried:?}");
    assert!(tried.iter().any(|&other| Some(other) < las), "nothing to choose: {tried:?}");
}

#[test]
fn the_threshold_of_the_approximation_is_the_lowest_good_one_on_the_development_set() {
    let (sentences, dev) = (generated(8, 40, 0.3), generated(9, 20, 0.3));
    let quick = TrainOptions { epochs: 3, ..options("carreras") };
    let without = trained(&quick, &sentences, &[]);
    assert_eq!(without.header().graph().unwrap().approximation, Some(0.1));
    let fitted = trained(&quick, &sentences, &dev);
    let model = Model::from_bytes(&fitted.to_bytes()).unwrap();
    let crossing = |sentences: &[Sentence]| -> usize {
        let trees = sentences.iter().map(|sentence| unlabelled_tree_of(sentence).unwrap());
        trees.map(|tree| nonprojective_arcs(&tree).len()).sum()
    };
    let figures = |approximation| {
        let parse = ParseOptions { approximation, ..ParseOptions::default() };
        let options = AnnotateOptions { parse, ..AnnotateOptions::default() };
        let found = parsed(&model, &dev, &options);
        ((1e4 * score(&dev, &found)).round() / 1e2, crossing(&found))
    };
    let chosen = figures(None);
    assert_eq!(fitted.header().training.dev_las, Some(chosen.0));
    let threshold = fitted.header().graph().unwrap().approximation.unwrap();
    let thresholds = [0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0];
    let tried = thresholds.map(|threshold| figures(Some(Approximate::Threshold(threshold))));
    let best = tried.iter().fold(0.0, |best, (las, _)| f64::max(best, *las));
    assert!(chosen.0 >= best - 0.16 && chosen.1 <= crossing(&dev), "{threshold}: {tried:?}");
    let mut lower = thresholds.iter().zip(&tried).take_while(|(lower, _)| **lower < threshold);
    assert!(
        lower.all(|(_, &(las, many))| las < best - 0.14 || many > crossing(&dev)),
        "{threshold}: {tried:?}"
    );
}

#[test]
fn the_same_bytes_on_one_thread_and_on_two() {
    let (sentences, dev) = (generated(1, 30, 0.1), generated(2, 8, 0.1));
    for parser in ["eisner", "carreras"] {
        let options = TrainOptions { epochs: 2, ..options(parser) };
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| trained(&options, &sentences, &dev).to_bytes())
        };
        let once = bytes(1);
        assert!(once == bytes(1), "{parser}: twice on one thread");
        assert!(once == bytes(2), "{parser}: on one thread and on two");
        let other = TrainOptions { seed: 2, ..options.clone() };
        assert!(once != trained(&other, &sentences, &dev).to_bytes(), "{parser}: the seed counts");
    }
}

#[test]
fn exact_search_given_heads_and_probabilities() {
    let sentences = generated(7, 15, 0.1);
    for parser in DECODERS {
        let bytes = trained(&TrainOptions { epochs: 3, ..options(parser) }, &sentences, &[]);
        let model = Model::from_bytes(&bytes.to_bytes()).unwrap();
        let exact = ParseOptions { exact: true, confidences: true, ..ParseOptions::default() };
        let exact = AnnotateOptions { parse: exact, ..AnnotateOptions::default() };
        for sentence in parsed(&model, &sentences, &exact) {
            unlabelled_tree_of(&sentence).unwrap();
            for word in sentence.words() {
                let score = word.misc().split('|').find_map(|part| part.strip_prefix("Score="));
                let score: f64 = score.unwrap().parse().unwrap();
                assert!((0.0..=1.0).contains(&score), "{parser}");
            }
        }
        // Every second head is given, and some of them cross.
        let mut halves = sentences.clone();
        for sentence in &mut halves {
            for word in (1..=sentence.len()).step_by(2) {
                sentence.set_head(word, None);
            }
        }
        let keep = AnnotateOptions { keep_heads: true, ..AnnotateOptions::default() };
        let found = parsed(&model, &halves, &keep);
        for (half, found) in halves.iter().zip(&found) {
            unlabelled_tree_of(found).unwrap();
            for (given, word) in half.words().zip(found.words()) {
                assert!(given.head().is_none() || given.head() == word.head(), "{parser}");
            }
        }
    }
}

/// Parsing leaves certain arcs without a score; ranking trees needs all scores.
#[test]
fn the_best_tree_is_the_first_of_the_ranked_ones() {
    let options = TrainOptions { epochs: 2, ..options("eisner") };
    let trained = trained(&options, &generated(23, 40, 0.0), &[]);
    let model = Model::from_bytes(&trained.to_bytes()).unwrap();
    let mut annotator = model.annotator(AnnotateOptions::default());
    for gold in generated(24, 60, 0.0) {
        let mut best = gold.clone();
        annotator.annotate(&mut best).unwrap();
        let first = annotator.alternatives(&gold, 1).remove(0);
        assert!(
            first
                .words()
                .map(|w| (w.head(), w.deprel()))
                .eq(best.words().map(|w| (w.head(), w.deprel())))
        );
    }
}

#[test]
fn long_sentences_unknown_words_and_no_words_get_a_tree() {
    let sentences = generated(8, 15, 0.1);
    let long: String = (1..=1200)
        .map(|word| format!("{word}\tneu{word}\t_\tX\t_\t_\t_\t_\t_\t_\n"))
        .chain(["\n".to_owned()])
        .collect();
    let mut inputs = conll::read_str(&long, conll::ReadOptions::default()).unwrap();
    inputs.extend(
        conll::read_str("1\tja\t_\t_\t_\t_\t_\t_\t_\t_\n\n", conll::ReadOptions::default())
            .unwrap(),
    );
    for parser in DECODERS {
        let bytes = trained(&TrainOptions { epochs: 2, ..options(parser) }, &sentences, &[]);
        let model = Model::from_bytes(&bytes.to_bytes()).unwrap();
        for sentence in parsed(&model, &inputs, &AnnotateOptions::default()) {
            unlabelled_tree_of(&sentence).unwrap();
        }
    }
}

#[test]
fn bad_options_and_bad_files_are_refused() {
    let sentences = generated(9, 5, 0.0);
    let refused = |options: &TrainOptions, sentences: &[Sentence]| {
        train(options, sentences, &[], &Unobserved).err().map(|error| error.to_string())
    };
    assert!(matches!(
        train(&options("eisner"), &[], &[], &Unobserved),
        Err(TrainError::NoSentence)
    ));
    let features = "[arcs]\nh.colour\n".to_owned();
    let message = refused(&TrainOptions { features, ..options("mst") }, &sentences).unwrap();
    assert!(message.contains("line 2"), "{message}");

    let bytes = trained(&TrainOptions { epochs: 1, ..options("carreras") }, &sentences, &[]);
    let bytes = bytes.to_bytes();
    let mut rng = Seed(3).rng();
    for round in 0..60 {
        let mut copy = bytes.clone();
        if round % 2 == 0 {
            copy.truncate(rng.below(bytes.len() - 64));
            assert!(Model::from_bytes(&copy).is_err(), "round {round}");
        } else {
            let at = rng.below(copy.len());
            copy[at] ^= 1 << rng.below(8);
            if let Ok(model) = Model::from_bytes(&copy) {
                let found = parsed(&model, &sentences, &AnnotateOptions::default());
                let whole = Model::from_bytes(&bytes).unwrap();
                let expected = parsed(&whole, &sentences, &AnnotateOptions::default());
                assert!(text(&found) == text(&expected), "round {round}: byte {at}");
            }
        }
    }
}
