//! Models of earlier versions, small ones that learned from a hand-written example: later programs load them
//! and parse as well with them, or refuse them with words that say what to do. Nothing in between.
//!
//! `CROSSARC_BLESS=1` adds those of this version that are not there yet.
use std::fs;
use std::path::{Path, PathBuf};

use conll::{ReadOptions, Sentence};
use crossarc::eval::{Settings, evaluate_sentences};
use crossarc::model::Opening;
use crossarc::pipeline::{Component, Parts, PipelineOptions, train};
use crossarc::train::{Choices, Unobserved};
use crossarc::{Pipeline, SessionOptions};

/// What is kept of each version: names, and options of `train`.
const KINDS: [(&str, &str); 6] = [
    ("arc-hybrid", "arc-hybrid --exploration 0.5 --epochs 5"),
    ("swap-beam", "swap --beam 4 --epochs 5 --codec pseudo-head"),
    ("machines", "arc-standard --learner svm --codec pseudo-head --features nivre2008"),
    ("eisner", "eisner --epochs 5"),
    ("mst", "mst --epochs 5"),
    ("carreras", "carreras --epochs 5"),
];

/// The most bytes of a model that is kept.
const MOST_BYTES: usize = 100_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept_models")
}

fn gold() -> Vec<Sentence> {
    let text = include_str!("../../../examples/hearing.conllu");
    conll::read_str(text, ReadOptions { need_tree: true, ..ReadOptions::default() }).unwrap()
}

fn keep_this_version() {
    for (name, options) in KINDS {
        let path = folder().join(format!("{}-{name}.crossarc", env!("CARGO_PKG_VERSION")));
        if path.exists() {
            continue;
        }
        let choices = Choices::parse(options).unwrap();
        let mut options = PipelineOptions::new(choices.options(Path::new("")).unwrap());
        options.components = vec![Component::Parser];
        options.cross_fit = None;
        let model = train(&options, Parts::default(), &gold(), &[], &Unobserved).unwrap();
        fs::write(path, model.to_bytes()).unwrap();
    }
}

#[test]
fn models_of_earlier_versions_are_loaded_or_refused_with_advice() {
    if std::env::var_os("CROSSARC_BLESS").is_some() {
        keep_this_version();
    }
    let gold = gold();
    let (mut loaded, mut refused) = (0, 0);
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(fs::metadata(&path).unwrap().len() <= MOST_BYTES as u64, "{name} is large");
        let pipeline = match Pipeline::open_by(&path, Opening::Read) {
            Ok(pipeline) => pipeline,
            Err(error) => {
                let told = error.to_string();
                let advises = ["train it again", "train the model again"];
                assert!(advises.iter().any(|words| told.contains(words)), "{name}: {told}");
                refused += 1;
                continue;
            }
        };
        let mut session = pipeline.session(SessionOptions::default());
        let mut parsed = gold.clone();
        for sentence in &mut parsed {
            session.annotate(sentence).unwrap();
        }
        let scores = evaluate_sentences(&gold, &parsed, Settings::default()).unwrap();
        // Every model knows what it learned from, but for the crossing arc where its parser builds none.
        assert!(scores.las().unwrap() > 0.8, "{name}: {:?}", scores.las());
        loaded += 1;
    }
    assert!(loaded + refused >= KINDS.len(), "{loaded} loaded, {refused} refused");
}
