//! Training and parsing from the outside, on small generated treebanks.
mod calibration;
mod checkpoint;
mod codecs;
mod determinism;
mod direction;
mod edge_cases;
mod given_heads;
mod machines;
mod models;
mod root_labels;
mod systems;

use conll::Sentence;
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::learn::templates::built_in;
use crossarc::train::Unobserved;
use crossarc::train::{TrainOptions, Trained, train};
use crossarc::tree::RootPolicy;
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank};

/// A treebank with crossing arcs.
fn crossing(seed: u64, sentences: usize) -> Vec<Sentence> {
    let options =
        TreebankOptions { sentences, nonprojective: 0.1, vocabulary: 20, ..Default::default() };
    treebank(Seed(seed), &options)
}

/// A treebank without.
fn projective(seed: u64, sentences: usize, roots: RootPolicy) -> Vec<Sentence> {
    let options = TreebankOptions { sentences, nonprojective: 0.0, vocabulary: 20, roots };
    treebank(Seed(seed), &options)
}

/// Options for quick training.
fn quick(parser: &str, oracle: &str) -> TrainOptions {
    TrainOptions {
        parser: parser.to_owned(),
        oracle: Some(oracle.to_owned()),
        features: built_in("nivre2008").unwrap().to_owned(),
        epochs: 4,
        ..TrainOptions::default()
    }
}

fn trained(options: &TrainOptions, sentences: &[Sentence], dev: &[Sentence]) -> Trained {
    train(options, sentences, dev, &Unobserved).unwrap()
}

fn model(options: &TrainOptions, sentences: &[Sentence]) -> Model {
    Model::from_bytes(&trained(options, sentences, &[]).to_bytes()).unwrap()
}

fn text(sentences: &[Sentence]) -> String {
    let mut text = Vec::new();
    for sentence in sentences {
        sentence.write_to(&mut text).unwrap();
    }
    String::from_utf8(text).unwrap()
}

/// The sentences as a model annotates them.
fn parsed(model: &Model, sentences: &[Sentence], options: &AnnotateOptions) -> Vec<Sentence> {
    let mut annotator = model.annotator(options.clone());
    let mut sentences = sentences.to_vec();
    for sentence in &mut sentences {
        annotator.annotate(sentence).unwrap();
    }
    sentences
}

/// A folder for one test, removed at its end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("crossarc-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
