//! The scorer of a finished graph parser: a linear model, nets whose scores stand beside the words
//! ([`crossarc_learn::features::ArcField`]), or both. Searches are compiled once for all three.
//!
//! With both, the logarithms of the nets' probabilities are added to the scores of factors, times a scale
//! that is fitted on held-out text: a linear model that knows pairs of words and whole families in a
//! tree, and nets that know which words are alike, make different errors.
use super::candidates::Candidates;
use super::decoder::{BestTree, DecodeError};
use super::factors::Order;
use super::linear::LinearMemory;
use super::model::PackedModel;
use super::scorer::{FactorScorer, Searched};
use super::scores::{LabelSharing, Scores};
use super::search::Settings;
use crossarc_learn::features::{ArcField, Words};
use crossarc_tree::{Label, Node};

/// Heads that nets find so many nats less probable than the best of their word are not looked at.
const LEAST: f32 = 6.0;
/// Beside a linear model they must be more probable.
const LEAST_BESIDE: f32 = 3.0;
/// What a net thinks of labels of an arc that it finds out of the question.
const UNLIKELY: f32 = -4.0;

/// A linear model, nets, or both.
#[derive(Clone, Debug)]
pub struct StoredScorer {
    /// The linear model.
    pub linear: Option<PackedModel>,
    /// The label of roots.
    pub root_label: Label,
}

impl StoredScorer {
    /// Adds to the candidates the heads that nets find probable.
    fn add_heads(&self, field: &ArcField, settings: &Settings, candidates: &mut Candidates) {
        let least = if self.linear.is_some() { LEAST_BESIDE } else { LEAST };
        let most = settings.pruning.map_or(usize::MAX, |pruning| pruning.most_heads);
        for word in (1..=field.words() as u32).map(Node) {
            let near = || field.heads(word).map(|head| (head, field.arc(head, word)));
            let best = near().fold(f32::NEG_INFINITY, |best, one| best.max(one.1));
            let probable = near().filter(|one| one.1 >= best - least).take(most);
            probable.for_each(|(head, _)| candidates.insert(head, word));
        }
    }
}

/// Adds what nets say to the scores of arcs and their labels.
fn add_field(field: &ArcField, scale: f32, sentence: Searched<'_>, scores: &mut Scores) {
    let in_search = sentence.settings.labels.in_search();
    let mut labels: Vec<Label> = Vec::new();
    for arc in scores.arcs() {
        let (head, dependent) = (scores.head(arc), scores.dependent(arc));
        let of_arc = field.arc(head, dependent);
        labels.clear();
        labels.extend_from_slice(scores.labels(arc));
        let of_labels = if in_search { field.labels(head, dependent) } else { None };
        for (label, score) in labels.iter().zip(scores.arc_scores_mut(arc)) {
            let of_label = match of_labels {
                Some(labels) => labels.get(label.index()).copied().unwrap_or(UNLIKELY),
                None if in_search => UNLIKELY,
                None => 0.0,
            };
            *score += scale * (of_arc + of_label);
        }
    }
}

impl FactorScorer for StoredScorer {
    type Memory = LinearMemory;

    fn begin(
        &self,
        words: &Words,
        settings: &Settings,
        order: Order,
        memory: &mut LinearMemory,
        candidates: &mut Candidates,
    ) {
        let field = words.guidance().field();
        match &self.linear {
            Some(linear) => linear.begin(words, settings, order, memory, candidates),
            None if settings.exact || settings.pruning.is_none() => {
                candidates.reset_to_all(words.len());
            }
            None => candidates.reset(words.len()),
        }
        if let Some(field) = field.filter(|_| settings.net_scale > 0.0) {
            self.add_heads(field, settings, candidates);
        }
    }

    fn score(
        &self,
        sentence: Searched<'_>,
        order: Order,
        memory: &mut LinearMemory,
        scores: &mut Scores,
    ) -> Result<(), DecodeError> {
        if let Some(linear) = &self.linear {
            linear.score(sentence, order, memory, scores)?;
        } else {
            let one = |_, _, labels: &mut Vec<Label>| labels.push(Label(0));
            scores.reset(order, LabelSharing::Shared, sentence.candidates, one)?;
        }
        let scale = sentence.settings.net_scale;
        if let Some(field) = sentence.words.guidance().field().filter(|_| scale > 0.0) {
            add_field(field, scale, sentence, scores);
        }
        Ok(())
    }

    fn label(
        &self,
        words: &Words,
        settings: &Settings,
        scores: &Scores,
        memory: &mut LinearMemory,
        best: &mut BestTree,
        choose: &mut dyn FnMut(Node, &[f32]) -> Label,
    ) {
        if let Some(linear) = &self.linear {
            linear.label(words, settings, scores, memory, best, choose);
            return;
        }
        for word in (1..best.heads.len() as u32).map(Node) {
            let field = words.guidance().field();
            let head = best.heads[word.index()];
            // Heads that were given may be out of the question: then the labels of the likeliest head.
            let likely = |field: &ArcField| {
                field.heads(word).max_by(|&a, &b| field.arc(a, word).total_cmp(&field.arc(b, word)))
            };
            let labels = field.and_then(|field| {
                field.labels(head, word).or_else(|| field.labels(likely(field)?, word))
            });
            let label = labels.map(|labels| choose(word, labels));
            best.labels[word.index()] = label.unwrap_or(self.root_label);
        }
    }
}
