//! Graph parsers with nets from the outside: trained, saved, loaded and used, on small generated treebanks.
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use conll::Sentence;
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::graph::decoders::DECODERS;
use crossarc::parser::ParseOptions;
use crossarc::train::options::{Checkpointing, NetOptions, ScorerKind};
use crossarc::train::{
    EpochSummary, Observer, TrainError, TrainOptions, Trained, Unobserved, defaults, train,
};
use crossarc::tree::RootPolicy;
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank};
use crossarc::tree::treebank::unlabelled_tree_of;

fn generated(seed: u64, sentences: usize) -> Vec<Sentence> {
    let roots = RootPolicy::Single;
    treebank(Seed(seed), &TreebankOptions { sentences, nonprojective: 0.1, vocabulary: 20, roots })
}

fn options(parser: &str, scorer: ScorerKind, net_epochs: usize) -> TrainOptions {
    let net = NetOptions { epochs: Some(net_epochs), hidden: Some(24), ..NetOptions::default() };
    TrainOptions { scorer, net, epochs: 3, punctuation: false, ..defaults(parser) }
}

fn trained(options: &TrainOptions, sentences: &[Sentence], dev: &[Sentence]) -> Trained {
    train(options, sentences, dev, &Unobserved).unwrap()
}

fn model(trained: &Trained) -> Model {
    Model::from_bytes(&trained.to_bytes()).unwrap()
}

fn parsed(model: &Model, sentences: &[Sentence], options: &AnnotateOptions) -> Vec<Sentence> {
    let mut sentences = sentences.to_vec();
    for outcome in model.annotator(options.clone()).annotate_all(&mut sentences) {
        outcome.unwrap();
    }
    sentences
}

fn right(gold: &[Sentence], parsed: &[Sentence]) -> f64 {
    let pairs = gold.iter().zip(parsed).flat_map(|(gold, one)| gold.words().zip(one.words()));
    let right: Vec<bool> =
        pairs.map(|(a, b)| a.head() == b.head() && a.deprel() == b.deprel()).collect();
    right.iter().filter(|&&right| right).count() as f64 / right.len() as f64
}

fn text(sentence: &Sentence) -> Vec<u8> {
    let mut text = Vec::new();
    sentence.write_to(&mut text).unwrap();
    text
}

#[test]
fn every_decoder_makes_trees_of_what_nets_say() {
    let (sentences, unseen) = (generated(1, 30), generated(2, 20));
    for parser in DECODERS {
        let trained = trained(&options(parser, ScorerKind::Biaffine, 30), &sentences, &[]);
        let model = model(&trained);
        assert_eq!(trained.header().net().unwrap().nets, 1);
        let found = parsed(&model, &sentences, &AnnotateOptions::default());
        assert!(right(&sentences, &found) > 0.35, "{parser}: {}", right(&sentences, &found));
        for sentence in parsed(&model, &unseen, &AnnotateOptions::default()) {
            let tree = unlabelled_tree_of(&sentence).unwrap();
            assert!(tree.obeys(RootPolicy::Single), "{parser}");
            for word in sentence.words() {
                assert_eq!(word.deprel() == "root", word.head() == Some(0), "{parser}");
            }
        }
    }
}

#[test]
fn a_sentence_gets_the_same_tree_whatever_it_is_batched_with() {
    let (sentences, unseen) = (generated(3, 30), generated(4, 90));
    for scorer in [ScorerKind::Biaffine, ScorerKind::Hybrid] {
        let model = model(&trained(&options("mst", scorer, 3), &sentences, &[]));
        let scores = ParseOptions { confidences: true, ..ParseOptions::default() };
        let options = AnnotateOptions { parse: scores, ..AnnotateOptions::default() };
        let together = parsed(&model, &unseen, &options);
        let mut annotator = model.annotator(options);
        for (sentence, expected) in unseen.iter().zip(&together) {
            let mut alone = sentence.clone();
            annotator.annotate(&mut alone).unwrap();
            assert_eq!(text(&alone), text(expected));
        }
    }
}

#[test]
fn training_gives_the_same_bytes_at_any_number_of_threads() {
    let (sentences, dev) = (generated(5, 20), generated(6, 10));
    let options = options("eisner", ScorerKind::Hybrid, 2);
    let bytes = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| trained(&options, &sentences, &dev).to_bytes())
    };
    assert!(bytes(1) == bytes(2));
}

#[test]
fn hybrids_know_what_both_parts_know() {
    let (sentences, dev) = (generated(7, 60), generated(8, 60));
    let las = |scorer| {
        let trained = trained(&options("carreras", scorer, 8), &sentences, &dev);
        (trained.header().training.dev_las.unwrap(), trained)
    };
    let (linear, _) = las(ScorerKind::Linear);
    let (both, trained) = las(ScorerKind::Hybrid);
    assert!(both >= linear, "{both} {linear}");
    let net = trained.header().net().unwrap();
    assert!(net.scale > 0.0 && trained.header().graph().unwrap().linear.is_some());
    let found = parsed(&model(&trained), &dev, &AnnotateOptions::default());
    assert!((100.0 * right(&dev, &found) - both).abs() < 0.01);
}

#[test]
fn several_nets_are_one_model_and_given_heads_stay() {
    let sentences = generated(9, 30);
    let mut options = options("mst", ScorerKind::Biaffine, 4);
    options.net.nets = Some(2);
    let trained = trained(&options, &sentences, &[]);
    assert_eq!(trained.header().net().unwrap().nets, 2);
    let model = model(&trained);
    let keep = AnnotateOptions { keep_heads: true, ..AnnotateOptions::default() };
    let mut annotator = model.annotator(keep);
    for gold in &sentences {
        let mut half = gold.clone();
        for word in (1..=gold.len()).step_by(2) {
            half.set_head(word, None);
            half.set(word, conll::Column::Deprel, "_");
        }
        annotator.annotate(&mut half).unwrap();
        for word in (2..=gold.len()).step_by(2) {
            assert_eq!(half.word(word).head(), gold.word(word).head());
        }
        assert!(unlabelled_tree_of(&half).is_ok());
    }
    assert!(model.annotator(AnnotateOptions::default()).alternatives(&sentences[0], 3).len() <= 3);
}

#[test]
fn vectors_of_words_are_read_kept_and_used() {
    let sentences = generated(10, 20);
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("words.vec");
    let forms: std::collections::BTreeSet<&str> =
        sentences.iter().flat_map(Sentence::words).map(|word| word.form()).collect();
    let lines = forms.iter().enumerate().map(|(at, form)| format!("{form} {} 0.5 1\n", at as f32));
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let mut options = options("mst", ScorerKind::Biaffine, 3);
    options.net = NetOptions { nets: Some(2), vectors: Some(path.clone()), ..options.net };
    let bytes = trained(&options, &sentences, &[]).to_bytes();
    options.net.vectors = None;
    let without = trained(&options, &sentences, &[]).to_bytes();
    std::fs::remove_file(&path).unwrap();
    let parse = |bytes: &[u8]| {
        let model = Model::from_bytes(bytes).unwrap();
        let found = parsed(&model, &sentences, &AnnotateOptions::default());
        found.iter().flat_map(text).collect::<Vec<u8>>()
    };
    assert_ne!(parse(&bytes), parse(&without));
    options.net.vectors = Some(path.clone());
    let error = train(&options, &sentences, &[], &Unobserved).err().unwrap().to_string();
    assert!(error.contains("words.vec"), "{error}");
    std::fs::write(&path, "a 1 2\nb 3\n").unwrap();
    let error = train(&options, &sentences, &[], &Unobserved).err().unwrap().to_string();
    assert!(error.ends_with("line 2: `b` has 1 numbers, those before have 2"), "{error}");
    std::fs::remove_file(&path).unwrap();
}

/// Ends training after so many epochs.
struct After(usize, AtomicUsize);

impl Observer for After {
    fn end_epoch(&self, _: &EpochSummary) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }

    fn should_stop(&self) -> bool {
        self.1.load(Ordering::SeqCst) >= self.0
    }
}

#[test]
fn an_interrupted_training_goes_on_as_if_nothing_had_been() {
    let (sentences, dev) = (generated(11, 20), generated(12, 10));
    let folder = std::env::temp_dir().join(format!("crossarc-nets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut plain = options("eisner", ScorerKind::Hybrid, 2);
    plain.net.nets = Some(2);
    let whole = trained(&plain, &sentences, &dev).to_bytes();
    // In the first net, in the second, and in the weights beside them.
    for epochs in [1, 3, 5] {
        let path = folder.join(format!("checkpoint-{epochs}"));
        let checkpoint = Some(Checkpointing { path, resume: true });
        let options = TrainOptions { checkpoint, ..plain.clone() };
        let _ = train(&options, &sentences, &dev, &After(epochs, AtomicUsize::new(0)));
        assert!(trained(&options, &sentences, &dev).to_bytes() == whole, "{epochs}");
        let other = TrainOptions { seed: 9, ..options };
        let error = train(&other, &sentences, &dev, &Unobserved).err().unwrap();
        assert!(matches!(error, TrainError::OtherCheckpoint { .. }), "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn nets_want_a_graph_parser() {
    let error =
        train(&options("swap", ScorerKind::Biaffine, 2), &generated(1, 5), &[], &Unobserved)
            .err()
            .unwrap();
    assert!(error.to_string().contains("graph parser"), "{error}");
}

#[test]
fn sentences_without_words_and_with_very_many_are_parsed() {
    let model = model(&trained(&options("mst", ScorerKind::Biaffine, 2), &generated(1, 10), &[]));
    let mut text = String::new();
    for word in 1..=2_100 {
        writeln!(text, "{word}\tw\t_\tX\t_\t_\t_\t_\t_\t_").unwrap();
    }
    text.push_str("\n1\tone\t_\tX\t_\t_\t_\t_\t_\t_\n\n");
    let sentences = conll::read_str(&text, conll::ReadOptions::default()).unwrap();
    let found = parsed(&model, &sentences, &AnnotateOptions::default());
    for sentence in found {
        assert!(unlabelled_tree_of(&sentence).unwrap().obeys(RootPolicy::Single));
    }
}
