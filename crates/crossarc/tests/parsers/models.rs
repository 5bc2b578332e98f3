//! Model files: what is saved is what is loaded, and a damaged file is an error.
use conll::Sentence;

use super::{Folder, crossing, model, parsed, quick, text, trained};
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::header::{Header, MoveScorerHeader};
use crossarc::parser::ParseOptions;
use crossarc::train::{TrainOptions, attachment_scores};
use crossarc::transition::systems::SYSTEMS;
use crossarc::tree::RootPolicy;
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::root_rule::RootRule;
use crossarc::tree::treebank::unlabelled_tree_of;

/// The trainer measures its model in memory, a user measures the file.
#[test]
fn a_saved_model_parses_like_the_one_in_memory() {
    let folder = Folder::new("models-saved");
    let path = folder.0.join("model");
    let (sentences, dev, test) = (crossing(20, 40), crossing(21, 15), crossing(22, 15));
    for options in
        [quick("arc-hybrid", "dynamic"), TrainOptions { beam: 4, ..quick("swap", "lazy") }]
    {
        let in_memory = trained(&options, &sentences, &dev);
        in_memory.save(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), in_memory.to_bytes());
        let mapped = Model::open(&path).unwrap();
        let (uas, las) = attachment_scores(&mapped, &dev);
        let training = &in_memory.header().training;
        assert!((training.dev_uas.unwrap() - uas).abs() < 0.006, "{uas} {training:?}");
        assert!((training.dev_las.unwrap() - las).abs() < 0.006, "{las} {training:?}");
        let copied = Model::from_bytes(&in_memory.to_bytes()).unwrap();
        let scores = AnnotateOptions {
            parse: ParseOptions { confidences: true, ..Default::default() },
            ..Default::default()
        };
        let by_mapped = text(&parsed(&mapped, &test, &scores));
        assert_eq!(by_mapped, text(&parsed(&copied, &test, &scores)));
        assert_ne!(training.checksum, 0);
        assert_eq!(mapped.header.training.checksum, training.checksum);
    }
}

#[test]
fn a_truncated_model_is_an_error() {
    let bytes = trained(&quick("arc-standard", "static"), &crossing(23, 6), &[]).to_bytes();
    let offsets = (0..bytes.len()).filter(|at| *at < 200 || at % 97 == 0);
    for offset in offsets.chain(bytes.len() - 200..bytes.len() - 64) {
        assert!(Model::from_bytes(&bytes[..offset]).is_err(), "{offset} of {} bytes", bytes.len());
    }
}

/// Bits flip in the file: an error, or (in padding) the same parse.
#[test]
fn flipped_bits_are_errors_or_harmless() {
    let sentences = crossing(24, 6);
    let bytes = trained(&quick("swap", "lazy"), &sentences, &[]).to_bytes();
    let parse = |model: &Model| text(&parsed(model, &sentences, &AnnotateOptions::default()));
    let right = parse(&Model::from_bytes(&bytes).unwrap());
    let mut rng = Seed(25).rng();
    let mut refused = 0;
    for round in 0..1500 {
        let mut copy = bytes.clone();
        let within = if round % 2 == 0 { 4000 } else { copy.len() };
        let at = rng.below(within);
        copy[at] ^= 1 << rng.below(8);
        match Model::from_bytes(&copy) {
            Err(_) => refused += 1,
            Ok(model) => assert_eq!(parse(&model), right, "round {round}, byte {at}"),
        }
    }
    assert!(refused > 1300, "{refused}");
}

#[test]
fn a_model_of_another_version_is_refused() {
    let mut bytes = trained(&quick("arc-eager", "static"), &crossing(26, 4), &[]).to_bytes();
    bytes[8] = 77;
    let message = Model::from_bytes(&bytes).err().unwrap().to_string();
    assert!(message.contains("model format 77"), "{message}");
    assert!(message.contains("train the model again"), "{message}");
    let message = Model::from_bytes(b"# text = not a model\n").err().unwrap().to_string();
    assert!(message.contains("not a Crossarc model"), "{message}");
    let message = Model::open(std::env::temp_dir()).err().unwrap().to_string();
    assert!(message.contains("not a Crossarc model"), "{message}");
}

/// Headers that fit their checksum but make no sense: as from another program.
#[test]
fn senseless_headers_are_refused() {
    let sentences = crossing(27, 4);
    let good = trained(&quick("arc-standard", "static"), &sentences, &[]);
    let refuse = |change: &dyn Fn(&mut Header)| {
        let mut bad = trained(&quick("arc-standard", "static"), &sentences, &[]);
        change(bad.header_mut());
        Model::from_bytes(&bad.to_bytes()).err().map(|error| error.to_string())
    };
    assert!(Model::from_bytes(&good.to_bytes()).is_ok());
    let message = refuse(&|bad| bad.parser = "psychic".to_owned()).unwrap();
    assert!(message.contains("unknown parser `psychic`"), "{message}");
    assert!(refuse(&|bad| bad.transition_mut().unwrap().moves.reverse()).is_some());
    assert!(refuse(&|bad| bad.labels.push(bad.labels[0].clone())).is_some());
    assert!(refuse(&|bad| bad.root_label = "psychic".to_owned()).is_some());
    assert!(
        refuse(&|bad| {
            let scorer = &mut bad.transition_mut().unwrap().scorer;
            let MoveScorerHeader::Linear { features, .. } = scorer else { panic!("not linear") };
            features.templates = "[moves]\npsychic\n".to_owned();
        })
        .is_some()
    );
    for name in ["", "a\tb", "a\nb"] {
        let message = refuse(&|bad| *bad.labels.last_mut().unwrap() = name.to_owned()).unwrap();
        assert!(message.contains("labels is empty"), "{message}");
    }
    // A rule by which words below others would get the label of roots.
    let rule = RootRule { usual: "root".to_owned(), ..RootRule::universal() };
    assert!(refuse(&|bad| bad.root_rule = Some(rule.clone())).unwrap().contains("contradicts"));
    let shortened = refuse(&|bad| {
        bad.labels.truncate(1);
        bad.root_label = bad.labels[0].clone();
    });
    // Weights of labels that do not exist any more are not looked at.
    assert_eq!(shortened, None);
    let mut wide = trained(&quick("arc-standard", "static"), &sentences, &[]);
    wide.header_mut().transition_mut().unwrap().beam = usize::MAX;
    let message = Model::from_bytes(&wide.to_bytes()).err().unwrap().to_string();
    assert!(message.contains("beam"), "{message}");
}

/// Whatever a header says of words without heads: parsing gives trees, unless it is asked not to.
#[test]
fn a_permissive_model_gives_whole_trees() {
    let (sentences, others) = (crossing(29, 20), crossing(30, 20));
    let mut left = 0;
    for entry in SYSTEMS {
        let plain = quick(entry.system, entry.oracle);
        let model = model(&TrainOptions { partial: true, epochs: 1, ..plain }, &sentences);
        for sentence in parsed(&model, &others, &AnnotateOptions::default()) {
            let tree = unlabelled_tree_of(&sentence).unwrap();
            assert!(tree.obeys(RootPolicy::Single), "{}: {sentence:?}", entry.system);
            assert!(sentence.words().all(|word| word.deprel() != "_"));
        }
        let asked = AnnotateOptions { headless: true, ..AnnotateOptions::default() };
        let parsed = parsed(&model, &others, &asked);
        left += parsed.iter().flat_map(Sentence::words).filter(|one| one.head().is_none()).count();
    }
    assert!(left > 0, "no system left a word without a head");
}

#[test]
fn a_header_of_another_shape_is_of_another_version() {
    // Eight bytes of magic, then version, length and checksum of the header.
    const PREFIX: usize = 20;
    let bytes = trained(&quick("arc-standard", "static"), &crossing(28, 4), &[]).to_bytes();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let header = String::from_utf8(bytes[PREFIX..PREFIX + length].to_vec()).unwrap();
    let header = header.replacen("\"parser\":", "\"parsed\":", 1);
    let mut other = bytes.clone();
    other[PREFIX..PREFIX + length].copy_from_slice(header.as_bytes());
    other[16..20].copy_from_slice(&crc32fast::hash(header.as_bytes()).to_le_bytes());
    let message = Model::from_bytes(&other).err().unwrap().to_string();
    assert!(message.contains("another version of crossarc"), "{message}");
    assert!(message.contains("missing field `parser`"), "{message}");
}

/// Beam search with a model trained for greedy search, and the other way round.
#[test]
fn the_width_of_the_beam_may_be_changed() {
    let sentences = crossing(28, 20);
    for options in
        [quick("arc-standard", "static"), TrainOptions { beam: 4, ..quick("swap", "lazy") }]
    {
        let model = model(&options, &sentences);
        for beam in [0, 1, 2, 16] {
            let options = AnnotateOptions {
                parse: ParseOptions { beam: Some(beam), ..Default::default() },
                ..Default::default()
            };
            for sentence in parsed(&model, &sentences, &options) {
                assert!(unlabelled_tree_of(&sentence).is_ok());
            }
        }
    }
}
