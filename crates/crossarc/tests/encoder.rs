//! Nets on a pretrained encoder, from the outside: a small one with random weights, and generated
//! treebanks.
use std::path::{Path, PathBuf};

use conll::Sentence;
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::pipeline::{Components, Parts, PipelineOptions, Steps};
use crossarc::text::tag::TagNetOptions;
use crossarc::train::options::{NetOptions, ScorerKind};
use crossarc::train::{TrainOptions, Unobserved, defaults, train};
use crossarc::tree::RootPolicy;
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank};

fn generated(seed: u64, sentences: usize) -> Vec<Sentence> {
    let roots = RootPolicy::Single;
    treebank(Seed(seed), &TreebankOptions { sentences, nonprojective: 0.1, vocabulary: 20, roots })
}

/// A folder with an encoder.
fn folder(name: &str, seed: u64) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in encoder::FILES.iter().zip(encoder::testing::files(seed)) {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    folder
}

fn options(parser: &str, scorer: ScorerKind, encoder: Option<&Path>) -> TrainOptions {
    let net = NetOptions {
        epochs: Some(2),
        hidden: Some(12),
        encoder: encoder.map(Path::to_owned),
        ..NetOptions::default()
    };
    TrainOptions { scorer, net, epochs: 2, punctuation: false, ..defaults(parser) }
}

fn text(sentences: &[Sentence]) -> Vec<u8> {
    let mut text = Vec::new();
    for sentence in sentences {
        sentence.write_to(&mut text).unwrap();
    }
    text
}

fn parsed(bytes: &[u8], sentences: &[Sentence], batch: usize) -> Vec<u8> {
    let model = Model::from_bytes(bytes).unwrap();
    let mut sentences = sentences.to_vec();
    let mut annotator = model.annotator(AnnotateOptions::default());
    for chunk in sentences.chunks_mut(batch) {
        for outcome in annotator.annotate_all(chunk) {
            outcome.unwrap();
        }
    }
    text(&sentences)
}

#[test]
fn parsers_read_an_encoder_that_the_model_names_or_holds() {
    let folder = folder("encoder of a parser", 31);
    let (sentences, unseen) = (generated(1, 20), generated(2, 20));
    let trained = |options: &TrainOptions| {
        train(options, &sentences, &unseen, &Unobserved).map(|trained| trained.to_bytes())
    };
    let mut with = options("mst", ScorerKind::Biaffine, Some(&folder));
    let bytes = trained(&with).unwrap();
    let found = parsed(&bytes, &unseen, 1);
    assert!(found == parsed(&bytes, &unseen, 20), "whatever stands beside a sentence");
    assert!(bytes == trained(&with).unwrap(), "the same bytes");
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(bytes == one_thread.install(|| trained(&with)).unwrap(), "at any number of threads");
    let without = trained(&options("mst", ScorerKind::Biaffine, None)).unwrap();
    assert!(found != parsed(&without, &unseen, 20), "the encoder is read");
    with.net.encoder_inside = true;
    let inside = trained(&with).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(parsed(&inside, &unseen, 7) == found);
    let error = Model::from_bytes(&bytes).err().unwrap().to_string();
    assert!(error.contains("the model needs its encoder"), "{error}");
    let error = trained(&with).err().unwrap().to_string();
    assert!(error.contains("no encoder: ") && error.contains("config.json"), "{error}");
}

#[test]
fn linear_parsers_read_no_encoder() {
    let folder = folder("encoder of nobody", 32);
    let options = options("mst", ScorerKind::Linear, Some(&folder));
    let error = train(&options, &generated(3, 9), &[], &Unobserved).err().unwrap().to_string();
    assert!(error.ends_with("only the scorers biaffine and hybrid read one (`--scorer hybrid`)"));
}

#[test]
fn taggers_read_the_encoder_of_the_parser() {
    let folder = folder("encoder of a pipeline", 33);
    let (sentences, dev) = (generated(4, 30), generated(5, 10));
    let made = |encoder: Option<&Path>| {
        let parser = options("mst", ScorerKind::Biaffine, encoder);
        let net = TagNetOptions { hidden: 12, epochs: 3, ..TagNetOptions::default() };
        let options = PipelineOptions {
            tagger_net: Some(net),
            cross_fit: None,
            ..PipelineOptions::new(parser)
        };
        let parts = Parts::default();
        crossarc::pipeline::train(&options, parts, &sentences, &dev, &Unobserved).unwrap()
    };
    let bytes = made(Some(&folder)).to_bytes();
    assert!(bytes != made(None).to_bytes());
    let components = Components::from_bytes(&bytes).unwrap();
    let steps = Steps { tag: Some(true), parse: true };
    let mut worker = components.worker(steps, AnnotateOptions::default());
    let mut together = dev.clone();
    for outcome in worker.annotate_all(&mut together) {
        outcome.unwrap();
    }
    let mut alone = dev.clone();
    for sentence in &mut alone {
        worker.annotate(sentence).unwrap();
    }
    assert!(text(&together) == text(&alone));
    drop(worker);
    drop(components);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(Components::from_bytes(&bytes).is_err());
}
