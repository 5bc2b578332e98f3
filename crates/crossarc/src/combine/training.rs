//! Training of parsers that work together: members of a vote, and stacks of a parser on its guides.
//!
//! **Stacking** (Nivre and McDonald 2008; Martins, Das, Smith and Xing 2008): a parser learns with
//! features over the trees of others, its guides ([`crossarc_learn::features::guides`]). It must learn how far
//! to trust them on sentences they have not been trained on, so the treebank is cut into folds, and
//! each fold is parsed by a guide trained on all others (cross-fitting). The guide that goes into
//! the model is then trained on everything; with a development set its best epoch is that of the
//! folds, too. Costs as many trainings of each guide as there are folds, and one more.
//!
//! Guides and members may be any parsers, combinations included.
use conll::Sentence;
use rayon::prelude::*;

use super::bundle::{VOTE, assemble};
use super::guide::{Guide, section};
use crate::annotate::Model;
use crate::train::{self, Observer, TrainError, TrainOptions, Trained, is_graph_parser};
use crossarc_learn::features::guides::{MOST_GUIDES, templates_for};
use crossarc_learn::features::{Guidance, hash};
use crossarc_train::checkpoint::checksum;
pub use crossarc_train::combination::{Combination, FOLDS, MOST_FOLDS};
use crossarc_train::material::Material;
use crossarc_train::options::ScorerKind;
use crossarc_tree::seed::Seed;

/// Options with guides or members.
pub(crate) fn train(
    options: &TrainOptions,
    combination: &Combination,
    sentences: &[Sentence],
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    let wrong = |what: String| Err(TrainError::Combination(what));
    if !(2..=MOST_FOLDS).contains(&combination.folds) {
        return wrong(format!("cross-fitting takes 2 to {MOST_FOLDS} folds"));
    }
    if options.parser == VOTE {
        if combination.members.is_empty() || !combination.guides.is_empty() {
            return wrong("a vote needs members and takes no guides".to_owned());
        }
        return train_vote(combination, sentences, dev, observer);
    }
    if combination.guides.is_empty() || !combination.members.is_empty() {
        return wrong("members vote: name the parser `vote`, or give guides instead".to_owned());
    }
    if combination.guides.len() > MOST_GUIDES {
        return wrong(format!("a parser has at most {MOST_GUIDES} guides"));
    }
    if !options.codec.transformations.is_empty() {
        return wrong(
            "a guided parser takes no codec that transforms sentences; its guides may".to_owned(),
        );
    }
    let hears = match options.scorer {
        ScorerKind::Linear => true,
        ScorerKind::Hybrid => !is_graph_parser(&options.parser),
        _ => false,
    };
    if !hears {
        return wrong(
            "a net does not hear what guides say: give guides to weights of features (no --scorer), or to a transition system with --scorer hybrid; nets may be guides themselves"
                .to_owned(),
        );
    }
    train_stack(options, combination, sentences, dev, observer)
}

fn train_vote(
    combination: &Combination,
    sentences: &[Sentence],
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    let mut members = Vec::with_capacity(combination.members.len());
    for (at, options) in combination.members.iter().enumerate() {
        observer.part(&format!("member {}: {}", at + 1, options.parser));
        members.push((name_of(options), 1.0, train_part(options, sentences, dev, observer)?));
    }
    let bundle = assemble(&members, dev, combination.vote)?;
    Ok(Trained::Combined { header: Box::new(bundle.header), sections: bundle.sections })
}

/// A short name for people.
fn name_of(options: &TrainOptions) -> String {
    let beam = if options.beam > 1 { format!(" beam {}", options.beam) } else { String::new() };
    let parts = options.combination.as_ref().map_or_else(String::new, |combination| {
        let parts = combination.guides.iter().chain(&combination.members).map(name_of);
        format!(" ({})", parts.collect::<Vec<_>>().join(", "))
    });
    format!("{}{beam}{parts}", options.parser)
}

fn train_stack(
    options: &TrainOptions,
    combination: &Combination,
    sentences: &[Sentence],
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    let folds = combination.folds;
    let mut guidance = [vec![Guidance::default(); sentences.len()], Vec::new()];
    guidance[1].resize(dev.len(), Guidance::default());
    let mut guides = Vec::with_capacity(combination.guides.len());
    for (at, chosen) in combination.guides.iter().enumerate() {
        observer.part(&format!("guide {}: {}", at + 1, chosen.parser));
        let bytes = train_part(chosen, sentences, dev, observer)?;
        let model = Model::from_bytes(&bytes)?;
        let mut in_folds = chosen.clone();
        if !dev.is_empty() && chosen.combination.is_none() {
            in_folds.epochs = model.header.training.best_epoch.max(1);
        }
        let seed = Seed(options.seed);
        let [of_train, of_dev] = &mut guidance;
        cross_fit(&in_folds, sentences, folds, seed, observer, of_train)?;
        let guide = Guide::new(model);
        of_dev.par_chunks_mut(CHUNK).zip(dev.par_chunks(CHUNK)).for_each(|(guidance, dev)| {
            advise(&guide, dev.iter().zip(guidance));
        });
        guides.push((section(at), bytes));
    }
    observer.part(&options.parser);
    let added = if is_graph_parser(&options.parser) {
        crossarc_graph::features::GUIDED
    } else {
        crossarc_learn::templates::GUIDED
    };
    let features = format!("{}\n{}", options.features, templates_for(added, guides.len()));
    let own = TrainOptions { features, ..options.clone() };
    let [of_train, of_dev] = &guidance;
    let material = Material { sentences, guidance: of_train };
    let held_out = Material { sentences: dev, guidance: of_dev };
    let mut trained = train::train_alone(&own, material, held_out, observer)?;
    trained.header_mut().guides = guides.len();
    let (header, mut sections) = trained.into_sections();
    sections.extend(guides);
    Ok(Trained::Combined { header: Box::new(header), sections })
}

/// Sentences that one thread takes at a time.
const CHUNK: usize = 64;

fn advise<'s>(guide: &Guide, pairs: impl Iterator<Item = (&'s Sentence, &'s mut Guidance)>) {
    let mut worker = guide.worker(false);
    for (sentence, guidance) in pairs {
        worker.advise(sentence, None, guidance);
    }
}

/// A part as a model file, trained now unless the observer knows it. Punctuation is left to the whole.
pub fn train_part(
    options: &TrainOptions,
    sentences: &[Sentence],
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Vec<u8>, TrainError> {
    let options = &TrainOptions { punctuation: false, ..options.clone() };
    let key = format!(
        "{:016x}-{:08x}-{:08x}",
        hash::text(&format!("{} {options:?}", env!("CARGO_PKG_VERSION"))),
        checksum(sentences),
        checksum(dev)
    );
    if let Some(bytes) = observer.known_part(&key) {
        return Ok(bytes);
    }
    let trained = train::train(options, sentences, dev, observer)?;
    if observer.should_stop() {
        return Err(TrainError::CombinationStopped);
    }
    let bytes = trained.to_bytes();
    observer.keep_part(&key, &bytes);
    Ok(bytes)
}

/// Adds to the guidance of each sentence the tree of a guide that was trained without it: on all
/// folds but its own. In a treebank of a single sentence nothing is said about it.
pub fn cross_fit(
    guide: &TrainOptions,
    sentences: &[Sentence],
    folds: usize,
    seed: Seed,
    observer: &dyn Observer,
    guidance: &mut [Guidance],
) -> Result<(), TrainError> {
    let fold_of = seed.folds(sentences.len(), folds);
    for fold in 0..folds {
        let others: Vec<Sentence> = sentences
            .iter()
            .zip(&fold_of)
            .filter(|(_, of)| **of != fold)
            .map(|(sentence, _)| sentence.clone())
            .collect();
        if others.len() == sentences.len() || others.iter().all(Sentence::is_empty) {
            continue;
        }
        observer.part(&format!("fold {} of {folds}: {}", fold + 1, guide.parser));
        let bytes = train_part(guide, &others, &[], observer)?;
        let guide = Guide::new(Model::from_bytes(&bytes)?);
        let own = sentences.par_chunks(CHUNK).zip(guidance.par_chunks_mut(CHUNK));
        own.zip(fold_of.par_chunks(CHUNK)).for_each(|((sentences, guidance), fold_of)| {
            let all = sentences.iter().zip(guidance).zip(fold_of);
            advise(&guide, all.filter(|(_, of)| **of == fold).map(|(pair, _)| pair));
        });
    }
    Ok(())
}
