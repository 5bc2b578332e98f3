//! Punctuation marks, attached again when the tree is finished.
//!
//! Where a comma belongs can be told from the tree around it, which a parser has not seen when it
//! decides about the comma: in Universal Dependencies a mark hangs on the unit that it sets off, as
//! high as it can without a crossing arc, before the conjunct that it separates, and both of a pair
//! hang on the same word (Nivre et al. 2020; Popel, Žabokrtský and Vojtek 2017 have such rules as a
//! program). Treebanks differ, so the rules are learned here: every mark is a gap between two
//! words, its candidates are the words that can be seen from the gap ([`gap`]), and a linear model
//! over labels, tags and forms around the gap ranks them. It learns from the trees of the treebank,
//! where the parser's errors are not, so the head that the parser has found gets a bonus, its
//! *loyalty*, which is fitted on the development set; where nothing is gained there, marks stay
//! where they are.
//!
//! Only marks without dependents that do not hang on the root are moved, from one word to another:
//! the tree stays a tree with the same roots. Time is linear in the words of a sentence. Ranked
//! alternatives and confidences are the parser's own.
//!
//! ```
//! use crossarc::punctuation::{Punctuation, PunctuationMemory, learn};
//! use crossarc::tree::Labels;
//! let row = |id, form, tag, head, label| format!("{id}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n");
//! let sentence = |stop| {
//!     let rows = [row(1, "Dogs", "NOUN", 2, "nsubj"), row(2, "bark", "VERB", 0, "root"),
//!                 row(3, "loudly", "ADV", 2, "advmod"), row(4, ".", "PUNCT", stop, "punct")];
//!     conll::read_str(&(rows.concat() + "\n"), conll::ReadOptions::default()).unwrap().remove(0)
//! };
//! let punctuation = learn(&vec![sentence(2); 5], 1).unwrap();
//! let wrong = sentence(3);
//! let mut labels = Labels::default();
//! let tree = crossarc::treebank::tree_of(&wrong, &mut labels).unwrap();
//! let attached = punctuation.attach(&wrong, &labels, None, tree, &mut PunctuationMemory::default());
//! assert_eq!(attached.heads()[4].0, 2);
//! ```
pub mod gap;
mod train;

use conll::Sentence;
use serde::{Deserialize, Serialize};

use self::gap::{Candidate, Sight};
pub(crate) use self::train::fit;
pub use self::train::learn;
use crate::learn::packed::Facts;
use crate::learn::packed_factors::PackedFactors;
use crate::model::{Container, ModelError};
use crate::transition::scorer::LabelWeights;
use crate::tree::{Labels, Node, Tree};

/// The section of a model that holds it.
pub const SECTION: &str = "punctuation";
/// Bytes that it takes at most.
pub const MOST_BYTES: usize = 150_000;
/// The loyalty if there is no development set to fit it on.
const USUAL_LOYALTY: f32 = 12.0;

/// Part of the header of a model.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
struct PunctuationHeader {
    loyalty: f32,
    unit: f32,
    label_table: Facts,
}

/// What attaches punctuation marks.
#[derive(Clone, Debug)]
pub struct Punctuation {
    weights: PackedFactors,
    /// The bonus of the head that the parser has found.
    loyalty: f32,
}

/// Working memory, one per thread.
#[derive(Clone, Debug, Default)]
pub struct PunctuationMemory {
    sight: Sight,
    ranking: Ranking,
}

/// Working memory for the candidates of one mark.
#[derive(Clone, Debug, Default)]
struct Ranking {
    candidates: Vec<Candidate>,
    features: Vec<u64>,
    sums: Vec<i32>,
}

impl Ranking {
    /// The best candidate, the first of equals. `loyalty` is added for the present head.
    fn best(
        &mut self,
        weights: &impl LabelWeights,
        loyalty: f32,
        sight: &Sight,
        mark: usize,
    ) -> Option<Candidate> {
        let Ranking { candidates, features, sums } = self;
        candidates.clear();
        sight.candidates(mark, candidates);
        let mut best: Option<(f32, Candidate)> = None;
        for &candidate in &*candidates {
            features.clear();
            sight.features(mark, candidate, features);
            let mut score = [0.0];
            weights.add_to(features, sums, &mut score);
            if candidate.node == sight.head(mark) {
                score[0] += loyalty;
            }
            if best.is_none_or(|(most, _)| score[0] > most) {
                best = Some((score[0], candidate));
            }
        }
        best.map(|(_, candidate)| candidate)
    }
}

impl Punctuation {
    /// The tree with its marks attached again; heads that are given stay.
    #[must_use]
    pub fn attach(
        &self,
        sentence: &Sentence,
        labels: &Labels,
        given: Option<&[Option<Node>]>,
        tree: Tree,
        memory: &mut PunctuationMemory,
    ) -> Tree {
        let PunctuationMemory { sight, ranking } = memory;
        if !sight.look_at(sentence, &tree, labels, given) {
            return tree;
        }
        let mut moved = false;
        for mark in 1..=tree.len() {
            if !sight.is_mark(mark) {
                continue;
            }
            let best = ranking.best(&self.weights, self.loyalty, sight, mark);
            if let Some(best) = best.filter(|best| best.node != sight.head(mark)) {
                sight.attach(mark, best.node);
                moved = true;
            }
        }
        if !moved {
            return tree;
        }
        let arcs = tree.words().map(|word| (sight.node_above(word), tree.label(word)));
        Tree::new(arcs).unwrap_or(tree)
    }

    /// What goes into a model.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (unit, label_table) = self.weights.facts();
        let header = PunctuationHeader { loyalty: self.loyalty, unit, label_table };
        Container::to_bytes(&header, &self.weights.sections().collect::<Vec<_>>())
    }

    /// What a model has, if it has any.
    pub(crate) fn load(model: &Container) -> Result<Option<Punctuation>, ModelError> {
        let Some(container) = model.nested(SECTION)? else { return Ok(None) };
        let PunctuationHeader { loyalty, unit, label_table } = container.content()?;
        let weights = PackedFactors::load(&container, (unit, label_table), 1)?;
        Ok(Some(Punctuation { weights, loyalty }))
    }
}
