//! Training that is interrupted and goes on gives the model of a run without interruption.
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Folder, crossing, quick, trained};
use crossarc::annotate::Model;
use crossarc::train::train;
use crossarc::train::{
    Checkpointing, EpochSummary, Observer, TrainError, TrainOptions, Unobserved,
};

/// Stops training in the midst of an epoch.
struct StopIn {
    epoch: usize,
    now: AtomicUsize,
}

impl Observer for StopIn {
    fn begin_epoch(&self, epoch: usize) {
        self.now.store(epoch, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.now.load(Ordering::Relaxed) >= self.epoch
    }
}

/// Counts epochs.
#[derive(Default)]
struct Count(AtomicUsize);

impl Observer for Count {
    fn end_epoch(&self, summary: &EpochSummary) {
        self.0.fetch_add(1, Ordering::Relaxed);
        let report = summary.report;
        assert!(report.changes <= report.decisions, "more corrected than decided: {report:?}");
    }
}

#[test]
fn no_more_is_corrected_than_decided() {
    for beam in [1, 4] {
        let (options, count) =
            (TrainOptions { beam, ..quick("arc-eager", "dynamic") }, Count::default());
        train(&options, &crossing(33, 12), &[], &count).unwrap();
        assert!(count.0.into_inner() > 0);
    }
}

fn with(options: &TrainOptions, path: &Path, resume: bool) -> TrainOptions {
    let checkpoint = Some(Checkpointing { path: path.to_owned(), resume });
    TrainOptions { checkpoint, ..options.clone() }
}

fn check(name: &str, options: &TrainOptions) {
    let folder = Folder::new(&format!("checkpoint-{name}"));
    let path = folder.0.join("run");
    let sentences = crossing(3, 24);
    for dev in [&[][..], &crossing(4, 8)] {
        let whole = trained(options, &sentences, dev).to_bytes();
        for epoch in 2..=4 {
            let observer = StopIn { epoch, now: AtomicUsize::new(0) };
            train(&with(options, &path, false), &sentences, dev, &observer).unwrap();
            let count = Count::default();
            let resumed = train(&with(options, &path, true), &sentences, dev, &count).unwrap();
            assert!(whole == resumed.to_bytes(), "{name}, stopped in epoch {epoch}");
            assert_eq!(count.0.into_inner(), 5 - epoch, "{name}: epochs that were still to do");
        }
        let again = trained(&with(options, &path, true), &sentences, dev).to_bytes();
        assert!(whole == again, "{name}: from the checkpoint of a finished run");
    }
}

#[test]
fn resumed_training_gives_the_same_bytes() {
    check("greedy", &quick("arc-hybrid", "dynamic"));
    check("static", &quick("swap", "lazy"));
    check("beam", &TrainOptions { beam: 3, ..quick("arc-standard", "static") });
    check("runs", &TrainOptions { runs: 2, ..quick("swap", "lazy") });
    let graph = crossarc::train::defaults("eisner-sibling");
    check("graph", &TrainOptions { epochs: 4, runs: 2, ..graph });
}

#[test]
fn more_epochs_may_be_asked_for() {
    let folder = Folder::new("checkpoint-more");
    let path = folder.0.join("run");
    let sentences = crossing(3, 20);
    let short = TrainOptions { epochs: 2, ..quick("swap", "lazy") };
    for dev in [&[][..], &crossing(4, 8)] {
        trained(&with(&short, &path, false), &sentences, dev);
        let long = TrainOptions { epochs: 5, ..short.clone() };
        let resumed = trained(&with(&long, &path, true), &sentences, dev).to_bytes();
        assert!(resumed == trained(&long, &sentences, dev).to_bytes());
    }
}

#[test]
fn other_runs_are_refused() {
    let folder = Folder::new("checkpoint-other");
    let path = folder.0.join("run");
    let options = quick("arc-standard", "static");
    let (sentences, dev) = (crossing(5, 10), crossing(6, 4));
    trained(&with(&options, &path, false), &sentences, &dev).save(&folder.0.join("model")).unwrap();
    let refusal = |options: &TrainOptions, sentences, dev| match train(
        &with(options, &path, true),
        sentences,
        dev,
        &Unobserved,
    ) {
        Err(error @ TrainError::OtherCheckpoint { .. }) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("went on with another run"),
    };
    let other = TrainOptions { seed: 9, ..options.clone() };
    let message = refusal(&other, &sentences, &dev);
    assert!(message.contains("seed was 1, now it is 9"), "{message}");
    let message = refusal(&TrainOptions { beam: 2, ..options.clone() }, &sentences, &dev);
    assert!(message.contains("beam was 1, now it is 2"), "{message}");
    let message = refusal(&options, &sentences[1..], &dev);
    assert!(message.contains("training text"), "{message}");
    let message = refusal(&options, &sentences, &dev[1..]);
    assert!(message.contains("development text"), "{message}");
    let message = refusal(&quick("arc-hybrid", "static"), &sentences, &dev);
    assert!(message.contains("parser was arc-standard, now it is arc-hybrid"), "{message}");

    let message = Model::open(&path).err().unwrap().to_string();
    assert!(message.contains("a checkpoint of a training run, not a model"), "{message}");
    let model = with(&options, &folder.0.join("model"), true);
    let message = train(&model, &sentences, &dev, &Unobserved).err().unwrap().to_string();
    assert!(message.contains("a model, not a checkpoint"), "{message}");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = train(&with(&options, &path, true), &sentences, &dev, &Unobserved).err().unwrap();
    assert!(error.to_string().contains("damaged"), "{error}");
}
