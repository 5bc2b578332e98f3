//! A linear model over features of factors: the classical scorer of a graph parser. It prunes heads by
//! a cheap model of its own ([`super::head_model`]) and gives finished trees their labels by another
//! ([`super::labeller`]).
use super::batch::Batch;
use super::candidates::Candidates;
use super::decoder::{BestTree, DecodeError};
use super::edge_filter::{EdgeFilter, Reach};
use super::factors::Order;
use super::features::{Program, SentenceFeatures};
use super::head_model::{ArcView, HeadScratch};
use super::labeller::Labeller;
use super::scorer::{FactorScorer, Searched};
use super::scores::{LabelSharing, Scores, Slot};
use super::search::Settings;
use super::taxonomy::Taxonomy;
use crossarc_learn::features::{Attribute, Words};
use crossarc_learn::packed::PackedMoves;
use crossarc_learn::weights::LabelWeights;
use crossarc_tree::{Label, Node};

/// A linear model over factors, while it is trained or after it has been packed.
#[derive(Clone, Debug)]
pub struct FactorModel<F, N> {
    /// Features of factors.
    pub program: Program,
    /// Features of arcs of finished trees.
    pub label_program: crossarc_learn::templates::Program,
    /// Prunes heads.
    pub heads: PackedMoves,
    /// Weights of factors: class 0 for all labels, then one for each label, then one for each class
    /// of the taxonomy.
    pub factors: F,
    /// Weights for naming the arcs of finished trees.
    pub names: N,
    /// Number of labels.
    pub labels: usize,
    /// Classes of labels.
    pub taxonomy: Taxonomy,
    /// Labels an arc may have.
    pub filter: EdgeFilter,
    /// How far away heads are looked for.
    pub reach: Reach,
    /// The attribute that filter and reach look at.
    pub tag: Attribute,
}

impl<F, N> FactorModel<F, N> {
    /// What is known of arcs before they are scored.
    pub fn arc_view(&self) -> ArcView<'_> {
        ArcView { program: &self.program, reach: &self.reach, tag: self.tag }
    }

    /// Weights that a feature of an arc may have.
    pub fn classes(&self) -> usize {
        1 + self.labels + self.taxonomy.classes()
    }

    /// Stores the scores of a factor, from those of all classes or, if it knows no labels, of one.
    #[inline]
    fn put(&self, scores: &mut Scores, slot: Slot, classes: &[f32]) {
        let labelled = classes.len() > 1;
        scores.put(slot, |_, label| {
            let Some(label) = label.filter(|_| labelled) else { return classes[0] };
            let own = classes[0] + classes.get(1 + label.index()).copied().unwrap_or(0.0);
            if self.taxonomy.is_empty() {
                return own;
            }
            own + classes[1 + self.labels + self.taxonomy.class(label)]
        });
    }
}

/// Working memory, one per thread.
#[derive(Default)]
pub struct LinearMemory {
    /// The features of the sentence.
    pub features: SentenceFeatures,
    heads: HeadScratch,
    labeller: Labeller,
    tags: Vec<u32>,
    batch: Batch,
}

impl<F, N> FactorModel<F, N> {
    /// Takes in a sentence whose arcs to look at have been chosen before, with the first guess.
    pub fn begin_chosen(
        &self,
        words: &Words,
        order: Order,
        guess: &[Node],
        memory: &mut LinearMemory,
    ) {
        memory.features.prepare(&self.program, words, guess, order);
        self.read_tags(words, memory);
    }

    fn read_tags(&self, words: &Words, memory: &mut LinearMemory) {
        memory.tags.clear();
        let nodes = (0..=words.len() as u32).map(Node);
        memory.tags.extend(nodes.map(|node| words.value(node, self.tag)));
    }
}

impl<F: LabelWeights + Sync + Send, N: LabelWeights + Sync + Send> FactorScorer
    for FactorModel<F, N>
{
    type Memory = LinearMemory;

    fn begin(
        &self,
        words: &Words,
        settings: &Settings,
        order: Order,
        memory: &mut LinearMemory,
        candidates: &mut Candidates,
    ) {
        let LinearMemory { features, heads, .. } = memory;
        let guess =
            heads.choose(&self.heads, self.arc_view(), features, words, settings, candidates);
        features.prepare(&self.program, words, guess, order);
        self.read_tags(words, memory);
    }

    fn score(
        &self,
        sentence: Searched<'_>,
        order: Order,
        memory: &mut LinearMemory,
        scores: &mut Scores,
    ) -> Result<(), DecodeError> {
        let Searched { settings, candidates, .. } = sentence;
        let LinearMemory { features, batch, tags, heads, .. } = memory;
        if settings.labels.in_search() {
            scores.reset(order, settings.sharing, candidates, self.filter.of_tags(tags))?;
        } else {
            scores.reset(order, LabelSharing::Shared, candidates, |_, _, labels| {
                labels.push(Label(0));
            })?;
        }
        let finish = |batch: &mut Batch, scores: &mut Scores, classes| {
            batch.score(&self.factors, classes, |slot, of| self.put(scores, slot, of));
        };
        let classes = if settings.labels.in_search() { self.classes() } else { 1 };
        for arc in scores.arcs() {
            if sentence.is_settled(scores.dependent(arc)) {
                continue;
            }
            batch.push(scores.arc_slot(arc), |factor, out| {
                features.factor(&self.program, factor, out);
            });
            if batch.is_full() {
                finish(batch, scores, classes);
            }
        }
        finish(batch, scores, classes);
        let classes = if settings.sharing == LabelSharing::PerLabel { classes } else { 1 };
        for arc in scores.arcs() {
            for slot in scores.second_order_slots(arc) {
                batch.push(slot, |factor, out| features.factor(&self.program, factor, out));
            }
            if batch.is_full() {
                finish(batch, scores, classes);
            }
        }
        finish(batch, scores, classes);
        for &(head, dependent, price) in heads.prices() {
            if let Some(arc) = scores.find(head, dependent) {
                scores.arc_scores_mut(arc).iter_mut().for_each(|score| *score -= price);
            }
        }
        Ok(())
    }

    fn label(
        &self,
        words: &Words,
        settings: &Settings,
        in_search: &Scores,
        memory: &mut LinearMemory,
        best: &mut BestTree,
        choose: &mut dyn FnMut(Node, &[f32]) -> Label,
    ) {
        if !settings.labels.after_search() {
            return;
        }
        let BestTree { heads, labels, .. } = best;
        let trust = if settings.labels.twice() { settings.label_trust } else { 0.0 };
        memory.labeller.name(
            &self.label_program,
            &self.names,
            self.labels,
            words,
            heads,
            |word, _, scores| {
                if trust > 0.0
                    && let Some(of_search) = in_search.labels_in_tree(heads, word)
                {
                    let worst =
                        of_search.clone().fold(f32::INFINITY, |worst, one| worst.min(one.1));
                    for (label, score) in of_search {
                        scores[label.index()] += trust * (score - worst);
                    }
                }
                let label = choose(word, scores);
                labels[word.index()] = label;
                label
            },
        );
    }
}
