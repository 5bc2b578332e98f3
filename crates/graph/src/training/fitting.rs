//! What is fitted and measured on the development set when the weights have been learned: the
//! threshold of the approximation, the trust in labels of the search, the temperature of confidences, and what pruning costs.
use conll::Sentence;
use rayon::prelude::*;

use super::{Job, Trained, Trainee, round};
use crate::calibration::Calibration;
use crate::decoder::Marginals;
use crate::features::SentenceFeatures;
use crate::head_model::{FOLDS, HeadScratch};
use crate::model::{Temperatures, temperatures};
use crate::parser::Climber;
use crossarc_learn::features::{Guidance, Words};
use crossarc_learn::packed::PackedMoves;
use crossarc_train::TrainError;
use crossarc_train::calibration::fit_temperature;
use crossarc_train::header::{NetHeader, PruningLoss};
use crossarc_train::material::Material;
use crossarc_train::parser::ParseOptions;
use crossarc_train::trial::{CHUNK, Scored, add, crossing_arcs};
use crossarc_tree::Tree;
use crossarc_tree::projectivity::nonprojective_arcs;
use crossarc_tree::treebank::{tree_of, unlabelled_tree_of};

/// Thresholds of the approximation that are tried.
const THRESHOLDS: [f64; 10] = [0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0];
/// Degrees of trust in labels of the search that are tried.
const TRUSTS: [f32; 9] = [0.0, 10.0, 20.0, 30.0, 50.0, 80.0, 120.0, 200.0, 320.0];
/// Points of labelled attachment that make no difference.
const CHANCE: f64 = 0.15;
/// Sentences by which the temperature is judged.
const JUDGED: usize = 50;
/// Longer sentences are left out.
const LONGEST_JUDGED: usize = 60;
/// The unit of temperatures of the search that are tried.
const UNIT: f32 = 0.02;
/// The unit of temperatures of names.
const LABEL_UNIT: f32 = 0.5;
/// Words of the development set on which pruning is compared with the exact search, at most.
const EXACT_WORDS: usize = 2_000;
/// Longer sentences are left out of that comparison.
const LONGEST_EXACT: usize = 50;

/// How much scores of nets may count beside those of features.
const NET_SCALES: [f32; 9] = [0.05, 0.1, 0.15, 0.2, 0.3, 0.45, 0.7, 1.0, 1.5];
/// The same if there is no development set to fit it on.
const DEFAULT_NET_SCALE: f32 = 0.3;

impl Job<'_> {
    /// Chooses how much the scores of nets count beside those of features.
    pub(super) fn fit_net_scale<D: Marginals + Default + 'static>(
        &self,
        trained: &mut Trained,
    ) -> Result<(), TrainError> {
        let set = |trained: &mut Trained, scale| {
            if let Some(graph) = trained.header.graph_mut() {
                graph.net = Some(NetHeader { nets: 0, scale });
            }
        };
        set(trained, DEFAULT_NET_SCALE);
        if self.dev.is_empty() {
            return Ok(());
        }
        let mut best = (f64::NEG_INFINITY, DEFAULT_NET_SCALE);
        for scale in NET_SCALES {
            if self.observer.should_stop() {
                break;
            }
            set(trained, scale);
            let las = self.trial::<D>(trained)?.scores(self.dev, &ParseOptions::default()).las;
            if las > best.0 {
                best = (las, scale);
            }
        }
        set(trained, best.1);
        self.note_scores::<D>(trained)
    }

    /// Chooses the lowest threshold of the approximation with which the development set is parsed as
    /// well as with any, up to [`CHANCE`], and with no more non-projective arcs than it has: most of
    /// those that cost nothing. Where they are rare, few moves are worth their risk.
    pub(super) fn fit_threshold<D: Marginals + Default + 'static>(
        &self,
        trained: &mut Trained,
    ) -> Result<(), TrainError> {
        let chosen = self.options.graph.approximation.is_some();
        if self.settings.approximation.is_none() || chosen || self.dev.is_empty() {
            return Ok(());
        }
        let tried = self.try_each::<D>(trained, |climber, words| climber.trees(words, &THRESHOLDS));
        let tried: Vec<(f64, Scored)> = THRESHOLDS.into_iter().zip(tried).collect();
        if self.observer.should_stop() {
            return Ok(());
        }
        let best = tried.iter().fold(0f64, |best, (_, scores)| best.max(scores.las));
        let many = self.dev.sentences.iter().map(crossing_arcs).sum();
        let good = |scores: &Scored| scores.las >= best - CHANCE && scores.nonprojective <= many;
        let chosen = tried.iter().find(|(_, scores)| good(scores));
        let chosen = chosen.or_else(|| tried.iter().find(|(_, scores)| scores.las >= best));
        let Some(&(threshold, _)) = chosen else { return Ok(()) };
        if let Some(graph) = trained.header.graph_mut() {
            graph.approximation = Some(threshold);
        }
        self.note_scores::<D>(trained)
    }

    /// Chooses how much scores of labels in the search count beside those of names.
    pub(super) fn fit_label_trust<D: Marginals + Default + 'static>(
        &self,
        trained: &mut Trained,
    ) -> Result<(), TrainError> {
        if !self.settings.labels.twice() || self.dev.is_empty() || self.observer.should_stop() {
            return Ok(());
        }
        let tried =
            self.try_each::<D>(trained, |climber, words| climber.trees_by_trust(words, &TRUSTS));
        let best = tried.iter().fold(0f64, |best, scores| best.max(scores.las));
        let found = TRUSTS.iter().zip(&tried).find(|(_, scores)| scores.las >= best);
        let (Some((&trust, _)), Some(graph)) = (found, trained.header.graph_mut()) else {
            return Ok(());
        };
        graph.label_trust = trust;
        self.note_scores::<D>(trained)
    }

    /// Measures the model on the development set with what has been fitted.
    pub(super) fn note_scores<D: Marginals + Default + 'static>(
        &self,
        trained: &mut Trained,
    ) -> Result<(), TrainError> {
        let scores = self.trial::<D>(trained)?.scores(self.dev, &ParseOptions::default());
        trained.header.training.note_scores(scores.attachment());
        Ok(())
    }

    /// Parses the development set, as transformations leave it, in several ways at once.
    fn try_each<D: Marginals + Default>(
        &self,
        trained: &Trained,
        trees: impl Fn(&mut Climber<'_, D>, &Words) -> Vec<Tree> + Sync,
    ) -> Vec<Scored> {
        let parser = self.parser::<D>(trained);
        let study = |(number, chunk): (usize, &[Sentence])| {
            let (mut climber, mut words) = (parser.climber(), Words::default());
            let mut sums = Vec::new();
            for (number, sentence) in (number * CHUNK..).zip(chunk) {
                for gold in self.codec.encode_gold(sentence) {
                    self.dev.read(number, &gold, &mut words);
                    let trees = trees(&mut climber, &words);
                    let counts = trees.iter().map(|tree| self.count(&gold, tree));
                    sums = add_all(sums, counts.collect());
                }
            }
            sums
        };
        let chunks = self.dev.sentences.par_chunks(CHUNK).enumerate();
        let sums = chunks.map(study).reduce(Vec::new, add_all);
        sums.into_iter().map(Scored::of).collect()
    }

    /// Words, right heads, those with the right label, and non-projective arcs of a tree.
    fn count(&self, gold: &Sentence, tree: &Tree) -> [usize; 4] {
        let crossing = nonprojective_arcs(tree).len();
        gold.words().zip(tree.words()).fold([0, 0, 0, crossing], |sums, (gold, word)| {
            let head = gold.head() == Some(tree.head(word).0);
            let both = head && gold.deprel() == self.labels.name(tree.label(word));
            add(sums, [1, usize::from(head), usize::from(both), 0])
        })
    }

    /// Fits pruning to the development set, or without one to the training sentences, each by the model
    /// that has not seen it; and tells what is kept.
    pub(super) fn calibrate(
        &mut self,
        model: &Trainee,
        unseen: &[PackedMoves],
    ) -> Option<PruningLoss> {
        let usual = self.settings.pruning?;
        let dev = self.dev;
        let read = |number, sentence| {
            Some((dev.words(number, sentence), unlabelled_tree_of(sentence).ok()?))
        };
        let sentences: Vec<(Words, Tree)> = dev
            .sentences
            .iter()
            .enumerate()
            .filter_map(|(number, sentence)| read(number, sentence))
            .collect();
        let folds = sentences.is_empty();
        let look = |(number, (words, tree)): (usize, &(Words, Tree))| {
            let mut calibration = Calibration::new(usual.most_heads);
            let (mut features, mut scratch) = <(SentenceFeatures, HeadScratch)>::default();
            let heads = if folds { &unseen[number % FOLDS] } else { &model.heads };
            let arc_view = model.arc_view();
            scratch.calibrate(heads, arc_view, &mut features, (words, tree), &mut calibration);
            calibration
        };
        let looked = if folds { &self.sentences } else { &sentences };
        let looked: Vec<Calibration> = looked.par_iter().enumerate().map(look).collect();
        let mut calibration = Calibration::new(usual.most_heads);
        for one in &looked {
            calibration.merge(one);
        }
        let chosen =
            self.options.graph.pruning.is_some_and(|pruning| pruning.least_share.is_some());
        let pruning = if chosen { usual } else { calibration.fit(usual) };
        self.settings.pruning = Some(pruning);
        let (gold, heads) = calibration.kept(pruning);
        let loss =
            PruningLoss { recall: round(100.0 * gold), heads: round(heads), folds, scores: None };
        (!calibration.is_empty()).then_some(loss)
    }

    /// Fits the scale of marginals to some sentences of the development set.
    pub(super) fn fit_temperature<D: Marginals + Default>(&self, trained: &mut Trained) {
        let mut labels = self.labels.clone();
        let tree_of = |sentence: &Sentence| tree_of(sentence, &mut labels).ok();
        let sample = self.dev.sample(JUDGED, LONGEST_JUDGED, tree_of);
        if sample.is_empty() {
            return;
        }
        let mut parser = self.parser::<D>(trained);
        let mut fitted = temperatures(&trained.header);
        fitted.search = UNIT
            * fit_temperature(|search| {
                parser.judge_heads(&sample, Temperatures { search: search * UNIT, ..fitted })
            });
        fitted.names = LABEL_UNIT
            * fit_temperature(|names| {
                parser.judge_labels(&sample, Temperatures { names: names * LABEL_UNIT, ..fitted })
            });
        trained.header.temperature = fitted.search;
        if let Some(graph) = trained.header.graph_mut() {
            graph.label_temperature = fitted.names;
        }
    }

    /// Parses some sentences of the development set with pruning and without.
    pub(super) fn compare_with_exact_search<D: Marginals + Default + 'static>(
        &self,
        trained: &mut Trained,
    ) -> Result<(), TrainError> {
        let Some(graph) = trained.header.graph() else { return Ok(()) };
        let Some(mut loss) = graph.pruning_loss.filter(|_| !self.observer.should_stop()) else {
            return Ok(());
        };
        let mut words = 0;
        let all = self.dev.sentences.iter().enumerate();
        let short = all.filter(|(_, sentence)| sentence.len() <= LONGEST_EXACT);
        let sample = short.take_while(|(_, sentence)| {
            words += sentence.len();
            words <= EXACT_WORDS
        });
        let (numbers, sample): (Vec<usize>, Vec<Sentence>) =
            sample.map(|(number, sentence)| (number, sentence.clone())).unzip();
        let guidance = numbers.iter().filter_map(|&number| self.dev.guidance.get(number).cloned());
        let guidance: Vec<Guidance> = guidance.collect();
        let words = sample.iter().map(Sentence::len).sum();
        let sample = Material { sentences: &sample, guidance: &guidance };
        let trial = self.trial::<D>(trained)?;
        let las = |exact| {
            let parse = ParseOptions { exact, ..ParseOptions::default() };
            round(trial.scores(sample, &parse).las)
        };
        loss.scores = (words > 0).then(|| (las(false), las(true), words));
        if let Some(graph) = trained.header.graph_mut() {
            graph.pruning_loss = Some(loss);
        }
        Ok(())
    }
}

/// Adds what was counted in several ways; nothing counted yet is an empty list.
fn add_all(sums: Vec<[usize; 4]>, more: Vec<[usize; 4]>) -> Vec<[usize; 4]> {
    if sums.is_empty() || more.is_empty() {
        return if sums.is_empty() { more } else { sums };
    }
    sums.into_iter().zip(more).map(|(one, other)| add(one, other)).collect()
}
