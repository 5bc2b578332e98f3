//! Several parsers together, from the outside: bundles that vote, parsers guided by others.
use conll::Sentence;
use crossarc::annotate::{AnnotateOptions, MOST_DEPTH, Model};
use crossarc::combine::bundle::{VOTE, assemble};
use crossarc::combine::training::cross_fit;
use crossarc::combine::{Combination, Search, VoteOptions, Weighing};
use crossarc::header::{BundleHeader, Header, Kind};
use crossarc::learn::features::Guidance;
use crossarc::model::{Container, SectionBytes};
use crossarc::parser::ParseOptions;
use crossarc::pipeline::Components;
use crossarc::train::{TrainOptions, feature_set, train};
use crossarc::train::{Unobserved, attachment_scores};
use crossarc::tree::codec::CodecChain;
use crossarc::tree::generate::random_tree;
use crossarc::tree::projectivity::is_projective;
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank};
use crossarc::tree::treebank::unlabelled_tree_of;
use crossarc::tree::{Node, RootPolicy};

/// A treebank with crossing arcs.
fn crossing(seed: u64, sentences: usize) -> Vec<Sentence> {
    let options =
        TreebankOptions { sentences, nonprojective: 0.1, vocabulary: 20, ..Default::default() };
    treebank(Seed(seed), &options)
}

/// Options for quick training.
fn quick(parser: &str) -> TrainOptions {
    let plain = crossarc::train::defaults(parser);
    let features = feature_set(parser, "nivre2008").map_or(plain.features, str::to_owned);
    TrainOptions { features, epochs: 2, ..plain }
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
        bytes(&TrainOptions { codec, ..quick("arc-standard") }, &crossing(1, 40)),
        bytes(&TrainOptions { beam: 4, codec: transformed, ..quick("swap") }, &crossing(2, 40)),
        bytes(&quick("eisner"), &crossing(3, 40)),
    ]
}

#[test]
fn a_bundle_of_one_model_or_of_equals_is_that_model() {
    let one = bytes(&TrainOptions { beam: 3, ..quick("swap") }, &crossing(1, 40));
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
    assert!(Components::from_bytes(&bundle).unwrap().parser.is_some());
    models.push(bundle);
    let nested = assemble(&named(&models), &[], VoteOptions::default()).unwrap();
    let model = Model::from_bytes(&nested.to_bytes()).unwrap();
    let test = crossing(9, 10);
    for sentence in parsed(&model, &test, &AnnotateOptions::default()) {
        assert!(unlabelled_tree_of(&sentence).is_ok());
    }
}

fn bundle(header: &mut Header) -> &mut BundleHeader {
    let Kind::Bundle(bundle) = &mut header.kind else { panic!("no bundle") };
    bundle
}

#[test]
fn bad_bundles_are_refused() {
    let one = bytes(&quick("swap"), &crossing(1, 20));
    let refused = |bytes: &[u8]| Model::from_bytes(bytes).err().map(|error| error.to_string());
    let good = assemble(&named(&[one.clone(), one.clone()]), &[], VoteOptions::default()).unwrap();
    let lost = Container::to_bytes(&good.header, &[]);
    assert!(refused(&lost).unwrap().contains("`member 1` is missing"));
    let mut none = good.header.clone();
    bundle(&mut none).members.clear();
    assert!(refused(&Container::to_bytes(&none, &[])).unwrap().contains("members"));
    let whole = good.to_bytes();
    for part in [10, 3, 2] {
        assert!(refused(&whole[..whole.len() / part]).is_some(), "a part of it: 1/{part}");
    }
    let mut deep = one;
    for _ in 0..=MOST_DEPTH {
        let mut header = good.header.clone();
        bundle(&mut header).members.truncate(1);
        deep = Container::to_bytes(&header, &[SectionBytes { name: "member 1", bytes: &deep }]);
    }
    assert!(refused(&deep).unwrap().contains("within each other"));
}

/// Trees at random, no word twice: there is nothing to be learned but by heart.
fn unlearnable(sentences: usize) -> Vec<Sentence> {
    let mut rng = Seed(77).rng();
    let mut lines = Vec::new();
    for sentence in 0..sentences {
        let tree = random_tree(&mut rng, 8, RootPolicy::Single);
        lines.extend(tree.words().map(|word| {
            let (id, head) = (word.0, tree.head(word).0);
            format!("{id}\tw{sentence}-{id}\t_\t_\t_\t_\t{head}\tx\t_\t_\n")
        }));
        lines.push("\n".to_owned());
    }
    let text = lines.concat();
    conll::read_str(&text, conll::ReadOptions::default()).unwrap()
}

/// Share of words whose head the guide has right.
fn right(guidance: &[Guidance], sentences: &[Sentence]) -> f64 {
    let (mut right, mut words) = (0usize, 0usize);
    for (guidance, sentence) in guidance.iter().zip(sentences) {
        for word in sentence.words() {
            let head = guidance.head(0, Node(word.id())).map(|head| head.0);
            right += usize::from(head == word.head());
            words += 1;
        }
    }
    right as f64 / words as f64
}

#[test]
fn cross_fitting_hides_what_a_guide_has_learned_by_heart() {
    let sentences = unlearnable(40);
    let guide = TrainOptions { epochs: 10, ..quick("mst") };
    let model = Model::from_bytes(&bytes(&guide, &sentences)).unwrap();
    let by_heart = parsed(&model, &sentences, &AnnotateOptions::default());
    let pairs = || sentences.iter().zip(&by_heart).flat_map(|(a, b)| a.words().zip(b.words()));
    let known = pairs().filter(|(gold, word)| gold.head() == word.head()).count() as f64;
    assert!(known / pairs().count() as f64 > 0.9, "the guide knows its own sentences by heart");
    let mut guidance = vec![Guidance::default(); sentences.len()];
    cross_fit(&guide, &sentences, 3, Seed(1), &Unobserved, &mut guidance).unwrap();
    let hidden = right(&guidance, &sentences);
    assert!(hidden < 0.4, "and none of those it is asked about: {hidden}");
    assert!(guidance.iter().all(|guidance| guidance.head(0, Node(8)).is_some()), "all are parsed");
}

fn stacked(parser: &TrainOptions, guides: &[TrainOptions]) -> TrainOptions {
    let combination = Combination { guides: guides.to_vec(), folds: 2, ..Combination::default() };
    TrainOptions { combination: Some(Box::new(combination)), ..parser.clone() }
}

#[test]
fn a_parser_follows_a_guide_that_knows_better() {
    // The stacked parser sees nothing of the words itself.
    let blind = "[moves]\nx0.nleft\n[labels]\nd.nleft\n".to_owned();
    let blind_graph = "[heads]\ndir\n[arcs]\ndir\n[labels]\nd.nleft\n".to_owned();
    let (sentences, test) = (crossing(1, 120), crossing(9, 40));
    let guide = quick("swap");
    let las = |options: &TrainOptions| {
        let model = Model::from_bytes(&bytes(options, &sentences)).unwrap();
        attachment_scores(&model, &test)
    };
    let alone = las(&guide);
    for (parser, right_to_left, features) in
        [("swap", false, &blind), ("arc-eager", true, &blind), ("mst", false, &blind_graph)]
    {
        let parser = TrainOptions { features: features.clone(), right_to_left, ..quick(parser) };
        let unguided = las(&parser);
        let guided = las(&stacked(&parser, std::slice::from_ref(&guide)));
        assert!(
            guided.1 > unguided.1 + 10.0 && guided.1 > alone.1 - 10.0,
            "{}: {unguided:?}, guided {guided:?}, guide {alone:?}",
            parser.parser
        );
    }
}

#[test]
fn stacks_in_both_directions_with_several_guides() {
    let (sentences, test) = (crossing(1, 24), crossing(9, 8));
    let transition = TrainOptions { beam: 3, ..quick("swap") };
    let graph = quick("carreras");
    let codec = CodecChain::named(["pseudo-head"]).unwrap();
    let pseudo = TrainOptions { codec, ..quick("arc-eager") };
    let vote =
        Combination { members: vec![pseudo.clone(), quick("eisner")], ..Combination::default() };
    let vote = TrainOptions {
        parser: VOTE.to_owned(),
        combination: Some(Box::new(vote)),
        ..quick("swap")
    };
    for options in [
        stacked(&transition, std::slice::from_ref(&graph)),
        stacked(
            &TrainOptions { right_to_left: true, ..pseudo.clone() },
            std::slice::from_ref(&graph),
        ),
        stacked(&graph, std::slice::from_ref(&transition)),
        stacked(&pseudo, &[graph.clone(), transition.clone(), vote]),
        stacked(&transition, &[stacked(&graph, std::slice::from_ref(&pseudo))]),
    ] {
        let bytes = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| bytes(&options, &sentences))
        };
        let once = bytes(1);
        assert!(once == bytes(2), "the same bytes on one thread and on two: {}", options.parser);
        let model = Model::from_bytes(&once).unwrap();
        for sentence in parsed(&model, &test, &AnnotateOptions::default()) {
            assert!(unlabelled_tree_of(&sentence).is_ok());
        }
        let mut given = test.clone();
        for sentence in &mut given {
            for word in 2..=sentence.len() {
                sentence.set_head(word, None);
            }
        }
        let keep = AnnotateOptions { keep_heads: true, ..AnnotateOptions::default() };
        for (before, after) in given.iter().zip(parsed(&model, &given, &keep)) {
            assert_eq!(before.word(1).head(), after.word(1).head());
        }
    }
}

#[test]
fn combinations_that_make_no_sense_are_refused() {
    let sentences = crossing(1, 10);
    let swap = quick("swap");
    let refused = |options: &TrainOptions, part: &str| {
        let message = train(options, &sentences, &[], &Unobserved).err().unwrap().to_string();
        assert!(message.contains(part), "{message}");
    };
    let with = |parser: &str, combination: Combination| TrainOptions {
        parser: parser.to_owned(),
        combination: Some(Box::new(combination)),
        ..swap.clone()
    };
    refused(&with("vote", Combination::default()), "members");
    refused(&with("swap", Combination::default()), "guides");
    let guides = vec![swap.clone()];
    refused(&with("swap", Combination { guides, folds: 1, ..Combination::default() }), "folds");
    let guides = vec![swap.clone(); 9];
    refused(&with("swap", Combination { guides, ..Combination::default() }), "at most 6");
    let codec = CodecChain::named(["markers"]).unwrap();
    let transformed = TrainOptions { codec, ..stacked(&swap, std::slice::from_ref(&swap)) };
    refused(&transformed, "transforms");
}

#[test]
fn a_completion_model_learns_crossing_arcs_and_needs_a_beam() {
    let sentences = crossing(1, 30);
    let completed = TrainOptions { beam: 4, completion: true, epochs: 12, ..quick("swap") };
    let model = bytes(&completed, &sentences);
    let plain = bytes(&TrainOptions { completion: false, ..completed.clone() }, &sentences);
    assert!(model != plain, "factors make a difference");
    let model = Model::from_bytes(&model).unwrap();
    let (_, las) = attachment_scores(&model, &sentences);
    assert!(las > 95.0, "what was learned is known: {las}");
    assert!(model.header.features().unwrap().templates.contains("c0."), "factors are in the model");
    for (options, part) in [
        (TrainOptions { beam: 1, ..completed.clone() }, "a beam of 2"),
        (TrainOptions { completion: true, beam: 4, ..quick("mst") }, "a beam of 2"),
    ] {
        let message = train(&options, &sentences, &[], &Unobserved).err().unwrap().to_string();
        assert!(message.contains(part), "{message}");
    }
}
