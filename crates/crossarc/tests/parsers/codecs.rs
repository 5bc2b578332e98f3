//! Every codec with every system: trained, used, valid.
use super::{crossing, parsed, projective, quick, trained};
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::parser::ParseOptions;
use crossarc::train::TrainOptions;
use crossarc::transition::systems::SYSTEMS;
use crossarc::tree::RootPolicy;
use crossarc::tree::codec::CodecChain;
use crossarc::tree::treebank::unlabelled_tree_of;

fn check(roots: RootPolicy) {
    let mut sentences = crossing(50, 6);
    if roots == RootPolicy::Several {
        sentences = projective(50, 6, roots);
    }
    let test = crossing(51, 6);
    let scores = AnnotateOptions {
        parse: ParseOptions { confidences: true, ..Default::default() },
        ..Default::default()
    };
    let names = CodecChain::available().into_iter().map(|name| vec![name]);
    let pairs =
        [vec!["punctuation", "pseudo-head"], vec!["split-sentences", "markers", "baseline"]];
    for names in names.chain(pairs) {
        for entry in SYSTEMS {
            let codec = CodecChain::named(&names).unwrap();
            let what = format!("{}/{} with {names:?}", entry.system, entry.oracle);
            let plain = quick(entry.system, entry.oracle);
            let trained = trained(&TrainOptions { codec, epochs: 1, ..plain }, &sentences, &[]);
            let model = Model::from_bytes(&trained.to_bytes()).unwrap();
            for sentence in parsed(&model, &test, &scores) {
                let tree = unlabelled_tree_of(&sentence);
                let tree = tree.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(tree.obeys(roots), "{what}: {:?}", tree.heads());
                assert!(sentence.words().all(|word| word.misc().contains("Score=")), "{what}");
                assert!(sentence.words().all(|word| word.deprel() != "_"), "{what}");
            }
        }
    }
}

#[test]
fn every_codec_with_every_system() {
    check(RootPolicy::Single);
}

#[test]
fn every_codec_with_every_system_and_several_roots() {
    check(RootPolicy::Several);
}
