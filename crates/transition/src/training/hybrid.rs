//! A net beside weights of features: each learns alone, their scores are added.
//!
//! The two err in different places: weights know pairs of words and whole families, a net knows that words
//! are alike. By how much the scores of the net count is fitted on the development set.
use super::super::model::{BothScorers, StoredScorer, load};
use super::super::train::{Trained, train as train_one};
use crossarc_model::{Bytes, Container};
use crossarc_train::TrainError;
use crossarc_train::header::{Header, MoveScorerHeader};
use crossarc_train::material::Material;
use crossarc_train::observer::Observer;
use crossarc_train::options::{ScorerKind, TrainOptions};
use crossarc_train::parser::ParseOptions;
use crossarc_train::trial::Trial;

/// How much a logarithm of a probability may count beside scores of weights.
const SCALES: [f32; 8] = [1.0, 2.0, 4.0, 6.0, 9.0, 14.0, 20.0, 40.0];
/// The same if there is no development set to fit it on.
const DEFAULT_SCALE: f32 = 6.0;
/// The net.
const NET: ScorerKind = ScorerKind::Bilstm;

/// Trains weights and a net.
pub fn train(
    options: &TrainOptions,
    material: Material<'_>,
    dev: Material<'_>,
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    if options.checkpoint.is_some() {
        return Err(TrainError::NoCheckpoint { parser: "hybrid".to_owned() });
    }
    observer.part("weights of features");
    let linear = TrainOptions { scorer: ScorerKind::Linear, ..options.clone() };
    let linear = train_one(&linear, material, dev, observer)?;
    observer.part("net");
    let net = TrainOptions { scorer: NET, runs: 1, ..options.clone() };
    let net = train_one(&net, material, dev, observer)?;
    let differ = || TrainError::Combination("weights and net were not trained alike".to_owned());
    let moves = |header: &Header| header.transition().map(|header| header.moves.clone());
    let (StoredScorer::Linear(weights), StoredScorer::Net(scorer)) = (linear.weights, net.weights)
    else {
        return Err(differ());
    };
    if linear.header.labels != net.header.labels || moves(&linear.header) != moves(&net.header) {
        return Err(differ());
    }
    let both = BothScorers { linear: *weights, net: scorer, scale: DEFAULT_SCALE };
    let header = with_scale(&linear.header, DEFAULT_SCALE);
    let mut trained = Trained { header, weights: StoredScorer::Both(Box::new(both)) };
    fit_scale(&mut trained, dev, observer)?;
    Ok(trained)
}

/// The header of weights as that of weights and a net.
fn with_scale(header: &Header, scale: f32) -> Header {
    let mut header = header.clone();
    if let Some(transition) = header.transition_mut() {
        // What a beam may drop was found out for each alone.
        transition.beam_margin = None;
        if let MoveScorerHeader::Linear { net_scale, .. } = &mut transition.scorer {
            *net_scale = Some(scale);
        }
    }
    header
}

fn fit_scale(
    trained: &mut Trained,
    dev: Material<'_>,
    observer: &dyn Observer,
) -> Result<(), TrainError> {
    if dev.is_empty() {
        return Ok(());
    }
    let container = Container::from_bytes("trained".as_ref(), &Bytes::copy(&trained.to_bytes()))?;
    let mut best: Option<((f64, f64), f32)> = None;
    for scale in SCALES {
        if observer.should_stop() {
            break;
        }
        let header = with_scale(&trained.header, scale);
        let trial = Trial::new(load(&container, &header)?, &header)?;
        let scores = trial.scores(dev, &ParseOptions::default()).attachment();
        if best.is_none_or(|(known, _)| scores.1 > known.1) {
            best = Some((scores, scale));
        }
    }
    let Some((scores, scale)) = best else { return Ok(()) };
    trained.header = with_scale(&trained.header, scale);
    if let StoredScorer::Both(both) = &mut trained.weights {
        both.scale = scale;
    }
    trained.header.training.note_scores(scores);
    Ok(())
}
