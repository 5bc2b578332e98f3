//! Several parsers together, from the outside: bundles that vote, parsers guided by others.
use conll::Sentence;
use crossarc::annotate::{AnnotateOptions, MOST_DEPTH, Model};
use crossarc::codec::CodecChain;
use crossarc::combine::bundle::assemble;
use crossarc::combine::{Search, VoteOptions, Weighing};
use crossarc::model::{Container, SectionBytes};
use crossarc::parser::ParseOptions;
use crossarc::pipeline::Pipeline;
use crossarc::seed::Seed;
use crossarc::train::{TrainOptions, feature_set, train};
use crossarc::transition::train::Unobserved;
use crossarc::tree::projectivity::is_projective;
use crossarc::treebank::generate::{TreebankOptions, treebank};
use crossarc::treebank::unlabelled_tree_of;

/// A treebank with crossing arcs.
fn crossing(seed: u64, sentences: usize) -> Vec<Sentence> {
    let options =
        TreebankOptions { sentences, nonprojective: 0.1, vocabulary: 20, ..Default::default() };
    treebank(Seed(seed), &options)
}

/// Options for quick training.
fn quick(parser: &str) -> TrainOptions {
    let plain = TrainOptions::for_parser(parser);
    let features = feature_set(parser, "nivre2008").map_or(plain.features, str::to_owned);
    TrainOptions { features, epochs: 3, ..plain }
}

fn bytes(options: &TrainOptions, sentences: &[Sentence]) -> Vec<u8> {
    train(options, sentences, &[], &Unobserved).unwrap().to_bytes()
}

fn named(models: &[Vec<u8>]) -> Vec<(String, f32, Vec<u8>)> {
    let named = models.iter().enumerate();
    named.map(|(at, bytes)| (format!("m{at}"), 1.0, bytes.clone())).collect()
}

fn parsed(model: &Model, sentences: &[Sentence], options: &AnnotateOptions) -> Vec<Sentence> {
    let mut annotator = model.annotator(options.clone());
    let mut sentences = sentences.to_vec();
    for sentence in &mut sentences {
        annotator.annotate(sentence).unwrap();
    }
    sentences
}

fn text(sentences: &[Sentence]) -> String {
    let mut text = Vec::new();
    for sentence in sentences {
        sentence.write_to(&mut text).unwrap();
    }
    String::from_utf8(text).unwrap()
}

/// Three models that differ in kind, codec and labels.
fn different() -> Vec<Vec<u8>> {
    let codec = CodecChain::named(["pseudo-head"]).unwrap();
    let transformed = CodecChain::named(["markers"]).unwrap();
    vec![
        bytes(&TrainOptions { codec, ..quick("arc-standard") }, &crossing(1, 60)),
        bytes(&TrainOptions { beam: 4, codec: transformed, ..quick("swap") }, &crossing(2, 60)),
        bytes(&quick("eisner"), &crossing(3, 60)),
    ]
}

#[test]
fn a_bundle_of_one_model_or_of_equals_is_that_model() {
    let one = bytes(&TrainOptions { beam: 3, ..quick("swap") }, &crossing(1, 60));
    let test = crossing(9, 40);
    let alone =
        text(&parsed(&Model::from_bytes(&one).unwrap(), &test, &AnnotateOptions::default()));
    for many in [1, 3] {
        for weighing in [Weighing::Uniform, Weighing::Accuracy, Weighing::Tag] {
            let vote = VoteOptions { weighing, confidences: true, ..VoteOptions::default() };
            let members = named(&vec![one.clone(); many]);
            let bundle = assemble(&members, &crossing(8, 20), vote).unwrap();
            let model = Model::from_bytes(&bundle.to_bytes()).unwrap();
            let together = text(&parsed(&model, &test, &AnnotateOptions::default()));
            assert_eq!(together, alone, "{many} {weighing:?}");
        }
    }
}

#[test]
fn members_of_all_kinds_vote_and_the_tree_is_valid() {
    let models = different();
    let (dev, test) = (crossing(8, 20), crossing(9, 40));
    for search in [Search::SpanningTree, Search::Projective] {
        for (confidences, k_best) in [(false, 1), (true, 1), (false, 4)] {
            let vote = VoteOptions { search, weighing: Weighing::Tag, confidences, k_best };
            let bundle = assemble(&named(&models), &dev, vote).unwrap();
            assert!(bundle.header.training.dev_las.is_some());
            let model = Model::from_bytes(&bundle.to_bytes()).unwrap();
            let options = AnnotateOptions {
                parse: ParseOptions { confidences: true, ..ParseOptions::default() },
                ..AnnotateOptions::default()
            };
            let first = parsed(&model, &test, &options);
            assert_eq!(text(&first), text(&parsed(&model, &test, &options)), "twice the same");
            for sentence in &first {
                let tree = unlabelled_tree_of(sentence).unwrap();
                assert!(search == Search::SpanningTree || is_projective(&tree), "{search:?}");
                for word in sentence.words() {
                    let score = word.misc().split('|').find_map(|part| part.strip_prefix("Score="));
                    let score: f32 = score.unwrap().parse().unwrap();
                    assert!((0.0..=1.0).contains(&score), "{score}");
                    assert_ne!(word.deprel(), "_");
                }
            }
        }
    }
}

#[test]
fn heads_that_are_given_stay() {
    let bundle = assemble(&named(&different()), &[], VoteOptions::default()).unwrap();
    let model = Model::from_bytes(&bundle.to_bytes()).unwrap();
    let mut given = crossing(10, 40);
    for sentence in &mut given {
        for word in (1..=sentence.len()).filter(|word| word % 3 != 0) {
            sentence.set_head(word, None);
            sentence.set(word, conll::Column::Deprel, "_");
        }
    }
    let options = AnnotateOptions { keep_heads: true, ..AnnotateOptions::default() };
    for (before, after) in given.iter().zip(parsed(&model, &given, &options)) {
        assert!(unlabelled_tree_of(&after).is_ok());
        for (before, after) in before.words().zip(after.words()) {
            if before.head().is_some() {
                assert_eq!((before.head(), before.deprel()), (after.head(), after.deprel()));
            }
        }
    }
}

#[test]
fn a_bundle_is_a_model_like_others_even_within_bundles() {
    let mut models = different();
    let bundle = assemble(&named(&models), &[], VoteOptions::default()).unwrap().to_bytes();
    assert!(Pipeline::from_bytes(&bundle).unwrap().parser.is_some());
    models.push(bundle);
    let nested = assemble(&named(&models), &[], VoteOptions::default()).unwrap();
    let model = Model::from_bytes(&nested.to_bytes()).unwrap();
    let test = crossing(9, 10);
    for sentence in parsed(&model, &test, &AnnotateOptions::default()) {
        assert!(unlabelled_tree_of(&sentence).is_ok());
    }
}

#[test]
fn bad_bundles_are_refused() {
    let one = bytes(&quick("swap"), &crossing(1, 20));
    let refused = |bytes: &[u8]| Model::from_bytes(bytes).err().map(|error| error.to_string());
    let good = assemble(&named(&[one.clone(), one.clone()]), &[], VoteOptions::default()).unwrap();
    let lost = Container::to_bytes(&good.header, &[]);
    assert!(refused(&lost).unwrap().contains("`member 1` is missing"));
    let mut none = good.header.clone();
    none.bundle.as_mut().unwrap().members.clear();
    assert!(refused(&Container::to_bytes(&none, &[])).unwrap().contains("members"));
    let whole = good.to_bytes();
    for part in [10, 3, 2] {
        assert!(refused(&whole[..whole.len() / part]).is_some(), "a part of it: 1/{part}");
    }
    let mut deep = one;
    for _ in 0..=MOST_DEPTH {
        let mut header = good.header.clone();
        header.bundle.as_mut().unwrap().members.truncate(1);
        deep = Container::to_bytes(&header, &[SectionBytes { name: "member 1", bytes: &deep }]);
    }
    assert!(refused(&deep).unwrap().contains("within each other"));
}
