//! A trained net at work: sentences in, scores out. The vectors of the letters of a form are
//! remembered.
use conll::Sentence;
use nn::packing::Packing;

use crate::inputs::columns_of;
use crate::model::BiaffineModel;
use crate::network::{Memory, gather, label_scores};
use crate::reading::Forms;

/// The most words of a sentence: each pair has a score.
pub const MOST_WORDS: usize = 2_000;

/// A sentence is too long to be scored.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{words} words, but a net takes at most {MOST_WORDS}: split the sentence")]
pub struct TooLong {
    /// Words of the sentence.
    pub words: usize,
}

/// Scores of a sentence.
#[derive(Clone, Debug, Default)]
pub struct ArcScores {
    size: usize,
    arcs: Vec<f32>,
    queries: Vec<f32>,
    heads: Vec<f32>,
    labels: usize,
}

impl ArcScores {
    /// Words.
    pub fn words(&self) -> usize {
        self.size.saturating_sub(1)
    }

    /// Labels.
    pub fn label_count(&self) -> usize {
        self.labels
    }

    /// A row for each token as dependent, a column for each as head, the root first. The row of the
    /// root and the diagonal mean nothing.
    pub fn arcs(&self) -> &[f32] {
        &self.arcs
    }

    /// The score of an arc.
    pub fn arc(&self, head: usize, dependent: usize) -> f32 {
        self.arcs[dependent * self.size + head]
    }

    /// The scores of all labels of an arc.
    pub fn labels(&self, head: usize, dependent: usize, scores: &mut Vec<f32>) {
        scores.clear();
        scores.resize(self.labels, 0.0);
        let width = self.heads.len() / self.size.max(1);
        let query = (width + 1) * self.labels;
        label_scores(
            &self.queries[dependent * query..][..query],
            &self.heads[head * width..][..width],
            scores,
        );
    }
}

/// One thread of a net.
pub struct Scorer<'m> {
    model: &'m BiaffineModel,
    memory: Memory,
    forms: Forms,
}

impl<'m> Scorer<'m> {
    /// With empty memory.
    pub fn new(model: &'m BiaffineModel) -> Scorer<'m> {
        let memory = Memory::default();
        Scorer { model, memory, forms: Forms::default() }
    }

    /// Scores of several sentences, which are the same to the bit as those of each alone. Several
    /// are faster.
    pub fn score(&mut self, sentences: &[&Sentence]) -> Result<Vec<ArcScores>, TooLong> {
        if let Some(long) = sentences.iter().find(|sentence| sentence.len() > MOST_WORDS) {
            return Err(TooLong { words: long.len() });
        }
        let mut order: Vec<usize> = (0..sentences.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(sentences[at].len()));
        self.memory.context.packing =
            Packing::new(order.iter().map(|&at| sentences[at].len() + 1).collect());
        let net = &self.model.network;
        let words = order.iter().map(|&at| columns_of(sentences[at]));
        let values = net.parameters.values();
        let context = (&net.context, values);
        self.forms.embed(context, &self.model.encoder, words, &mut self.memory.context);
        net.forward(&mut self.memory);
        let mut found = vec![ArcScores::default(); sentences.len()];
        let (mut queries, mut heads) = (Vec::new(), Vec::new());
        let (width, labels) = (net.shape.labels, net.shape.label_count);
        for (sentence, &at) in order.iter().enumerate() {
            let scores = &mut found[at];
            scores.size = sentences[at].len() + 1;
            scores.labels = labels;
            let rows = (&mut queries, &mut heads);
            net.arc_scores(&self.memory, sentence, rows, &mut scores.arcs);
            let Memory { context, roles, label_queries, .. } = &self.memory;
            let packing = &context.packing;
            gather(packing, sentence, label_queries, (width + 1) * labels, &mut scores.queries);
            gather(packing, sentence, &roles[2], width, &mut scores.heads);
        }
        Ok(found)
    }
}
