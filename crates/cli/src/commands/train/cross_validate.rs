//! `crossarc train --cross-validate K`
use std::path::Path;

use conll::Sentence;
use crossarc::cross_validate::parsed;
use crossarc::eval::significance::{Share, bootstrap};
use crossarc::eval::{Counts, Settings, evaluate_sentences};
use crossarc::header::Calibration;
use crossarc::train::TrainOptions;
use crossarc::tree::seed::Seed;

use super::Terminal;

/// Samples of the bootstrap.
const SAMPLES: usize = 2000;

/// Parses every sentence with a parser that has not seen it, tells the scores and keeps the output.
pub fn run(
    options: &TrainOptions,
    sentences: &[Sentence],
    folds: usize,
    model: &Path,
    observer: &Terminal,
) -> anyhow::Result<Calibration> {
    anyhow::ensure!(
        sentences.len() >= folds,
        "--cross-validate {folds} needs at least {folds} sentences, there are {}",
        sentences.len()
    );
    let found = parsed(options, sentences, folds, observer)?;
    let parsed = &found.sentences;
    let path = model.with_extension("folds.conllu");
    let mut out = conll::AtomicFile::create(&path)?;
    for sentence in parsed {
        sentence.write_to(&mut out)?;
    }
    out.finish()?;
    let evaluation = evaluate_sentences(sentences, parsed, Settings::default())?;
    let interval = |share: fn(&Counts) -> Share| {
        let shares: Vec<Share> = evaluation.sentences.iter().map(share).collect();
        let none: Vec<Share> = shares.iter().map(|one| Share { part: 0, ..*one }).collect();
        bootstrap(&shares, &none, SAMPLES, 0.95, Seed(options.seed))
            .map_or_else(String::new, |found| {
                format!(" [{:.2}, {:.2}]", 100.0 * found.low, 100.0 * found.high)
            })
    };
    let percent = |share: Option<f64>| 100.0 * share.unwrap_or(0.0);
    anstream::eprintln!(
        "{folds} parts: UAS {:.2}{} LAS {:.2}{} (95 % intervals of a bootstrap over sentences); parsed sentences in {}",
        percent(evaluation.uas()),
        interval(Share::of_heads),
        percent(evaluation.las()),
        interval(Share::of_labelled),
        path.display()
    );
    Ok(found.calibration)
}
