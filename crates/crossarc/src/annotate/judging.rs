//! What a model says about arcs, its own and those that a sentence has: how they came about, how probable
//! they are.
use conll::Sentence;

use super::{Annotator, Working, read_guided, score_of};
use crossarc_train::calibration::{Judged, Origin};
use crossarc_train::parser::Analysis;
use crossarc_tree::projectivity::nonprojective_arcs;
use crossarc_tree::{Node, Tree};

/// What a model says about an arc that a sentence has.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The probability that head and label are right.
    pub probability: f32,
    /// The head that the parser would choose.
    pub head: u32,
    /// The label that it would choose.
    pub label: String,
    /// How sure it is of them.
    pub sure: f32,
}

/// Where a parser cannot tell how probable an arc is that it has not built: the share of the doubt in its
/// own arc that goes to another label of the same head.
pub(crate) const LABEL_ALONE: f32 = 0.3;
/// The same for another head.
pub(crate) const OTHER_HEAD: f32 = 0.1;

impl Annotator<'_> {
    /// How the arcs of a finished tree came about, when the parser has found another one.
    pub(super) fn note_origins(&mut self, found: &Tree, analysis: &Analysis) {
        let tree = &analysis.tree;
        self.origins.clear();
        self.origins.resize(tree.len() + 1, Origin::Built);
        let graph = self.model.header.graph();
        if graph.is_some_and(|graph| graph.approximation.is_some()) {
            for word in nonprojective_arcs(tree) {
                self.origins[word.index()] = Origin::Crossing;
            }
        }
        for word in &analysis.headless {
            self.origins[word.index()] = Origin::Left;
        }
        for word in tree.words().filter(|&word| found.head(word) != tree.head(word)) {
            self.origins[word.index()] = Origin::Changed;
        }
    }

    /// Parses a sentence with a known tree: how its arcs came about, what the parser says of them, and
    /// whether head and label are right.
    pub(crate) fn judge(&mut self, gold: &Sentence) -> Vec<Judged> {
        let mut parsed = gold.clone();
        self.uncalibrated = true;
        let annotated = self.annotate(&mut parsed);
        self.uncalibrated = false;
        if annotated.is_err() {
            return Vec::new();
        }
        let has_origins = self.origins.len() == gold.len() + 1;
        let judged =
            gold.words().zip(parsed.words()).enumerate().filter_map(|(at, (gold, word))| {
                let right = gold.head()? == word.head()? && gold.deprel() == word.deprel();
                let origin = if has_origins { self.origins[at + 1] } else { Origin::Built };
                Some((origin, score_of(word.misc())?, right))
            });
        judged.collect()
    }

    /// How probable the heads and labels of a sentence are, beside what the parser would say. Words
    /// without a head are not judged. Needs confidences among the options.
    ///
    /// Of the arcs that it builds the parser says what its calibration makes of them. The doubt that is
    /// left goes to other arcs as the parser itself says: a calibration knows nothing of these, and where
    /// its curve is flat all of them would be alike. Of heads that its moves do not lead to a transition
    /// parser says nothing.
    pub fn verdicts(&mut self, annotated: &Sentence) -> Vec<Option<Verdict>> {
        let said = self.said_of(annotated);
        let knows_all_heads = self.model.header.transition().is_none();
        let mut parsed = annotated.clone();
        if self.annotate(&mut parsed).is_err() {
            return vec![None; annotated.len()];
        }
        let words = annotated.words().zip(parsed.words()).enumerate();
        let verdict = |(at, (gold, word)): (usize, (conll::Word<'_>, conll::Word<'_>))| {
            let sure = score_of(word.misc()).unwrap_or(0.5);
            let (head, label) = (word.head()?, word.deprel().to_owned());
            let said = said.get(at + 1).copied();
            let probability = match (gold.head()? == head, gold.deprel() == label) {
                (true, true) => sure,
                (true, false) => (1.0 - sure) * said.unwrap_or(LABEL_ALONE),
                (false, _) => {
                    let said = said.filter(|&said| knows_all_heads || said > 0.0);
                    (1.0 - sure) * said.unwrap_or(OTHER_HEAD)
                }
            };
            Some(Verdict { probability, head, label, sure })
        };
        words.map(verdict).collect()
    }

    /// What the parser says of the arcs that a sentence has, by node; nothing if it cannot tell.
    fn said_of(&mut self, annotated: &Sentence) -> Vec<f32> {
        let model = self.model;
        let codec = &model.header.codec;
        if !codec.transformations.is_empty() {
            return Vec::new();
        }
        let mut unknown = Vec::new();
        let mut arcs = Vec::with_capacity(annotated.len());
        for word in annotated.words() {
            let Some(head) = word.head() else { return Vec::new() };
            let label = model.labels.get(word.deprel());
            if label.is_none() {
                unknown.push(word.id() as usize);
            }
            arcs.push((Node(head), label.unwrap_or_default()));
        }
        let Ok(tree) = Tree::new(arcs) else { return Vec::new() };
        let mut said = match &mut self.working {
            Working::Bundle(worker) => return worker.sure_of(annotated),
            Working::Parser { worker, tree_codec, words, advisers, guidance, .. } => {
                read_guided(annotated, None, advisers, guidance, words);
                let encoded = codec.tree.scheme.map(|_| tree_codec.encode(&tree));
                worker.sure_of(words, encoded.as_ref().unwrap_or(&tree))
            }
        };
        for word in unknown {
            if let Some(said) = said.get_mut(word) {
                *said = 0.0;
            }
        }
        said
    }

    /// The same for a member of a bundle.
    pub(crate) fn sure_of_arcs(&mut self, annotated: &Sentence) -> Vec<f32> {
        let verdicts = self.verdicts(annotated).into_iter();
        let sure = verdicts.map(|verdict| verdict.map_or(0.0, |verdict| verdict.probability));
        std::iter::once(0.0).chain(sure).collect()
    }
}
