//! What a scorer of factors is: it chooses the arcs that are looked at, scores factors over them, and
//! gives the arcs of a finished tree their labels. Linear models over features are one
//! ([`super::linear`]), nets another, and both together a third ([`super::stored`]).
//!
//! ```
//! use crossarc_graph::decoders::Eisner;
//! use crossarc_graph::search::{Outcome, Search, Settings};
//! use crossarc_graph::scorer::{FactorScorer, Searched};
//! use crossarc_graph::{BestTree, Candidates, DecodeError, LabelSharing, Order, Scores};
//! use crossarc_learn::features::{Words, words::WordColumns};
//! use crossarc_tree::{Label, Node};
//!
//! /// Heads are next to their dependents if possible, on the left.
//! struct Nearby;
//!
//! impl FactorScorer for Nearby {
//!     type Memory = ();
//!     fn begin(&self, words: &Words, _: &Settings, _: Order, _: &mut (), arcs: &mut Candidates) {
//!         arcs.reset_to_all(words.len());
//!     }
//!     fn score(
//!         &self, sentence: Searched<'_>, order: Order, _: &mut (), scores: &mut Scores,
//!     ) -> Result<(), DecodeError> {
//!         let one = |_, _, labels: &mut Vec<Label>| labels.push(Label(0));
//!         scores.reset(order, LabelSharing::Shared, sentence.candidates, one)?;
//!         for arc in scores.arcs() {
//!             let (head, word) = (scores.head(arc).0, scores.dependent(arc).0);
//!             let distance = head.abs_diff(word) as f32 + if head > word { 0.5 } else { 0.0 };
//!             scores.arc_scores_mut(arc).fill(-distance);
//!         }
//!         Ok(())
//!     }
//!     fn label(
//!         &self, _: &Words, _: &Settings, _: &Scores, _: &mut (), _: &mut BestTree,
//!         _: &mut dyn FnMut(Node, &[f32]) -> Label,
//!     ) {}
//! }
//!
//! let word = WordColumns { form: "so", lemma: "_", upos: "_", xpos: "_", feats: "_" };
//! let mut words = Words::default();
//! words.fill([word; 4]);
//! let mut search = Search::<Eisner, Nearby>::default();
//! let settings = Settings::default();
//! search.prepare(&Nearby, &words, &settings);
//! assert_eq!(search.decode(&Nearby, &words, &settings), Ok(Outcome::Decoded));
//! let heads = [0, 0, 1, 2, 3].map(Node);
//! assert_eq!(search.best.heads[1..], heads[1..]);
//! ```
use super::candidates::Candidates;
use super::decoder::{BestTree, DecodeError};
use super::factors::Order;
use super::scores::Scores;
use super::search::Settings;
use crossarc_learn::features::Words;
use crossarc_tree::{Label, Node};

/// A sentence that is searched.
#[derive(Copy, Clone)]
pub struct Searched<'a> {
    /// Its words.
    pub words: &'a Words,
    /// How it is searched.
    pub settings: &'a Settings,
    /// The arcs that are looked at.
    pub candidates: &'a Candidates,
    /// Words whose only arc needs no score; an empty list if all need one.
    pub settled: &'a [bool],
}

impl Searched<'_> {
    /// True if the arc of this word is in every tree and its label is chosen later.
    #[inline]
    pub fn is_settled(&self, word: Node) -> bool {
        self.settled.get(word.index()) == Some(&true)
    }
}

/// Scores factors. Shared by all threads; what changes lives in the memory.
pub trait FactorScorer: Send + Sync {
    /// Working memory, one per thread.
    type Memory: Default + Send;

    /// Takes in a sentence and chooses the arcs to look at.
    fn begin(
        &self,
        words: &Words,
        settings: &Settings,
        order: Order,
        memory: &mut Self::Memory,
        candidates: &mut Candidates,
    );

    /// Scores all factors over the candidates up to an order.
    fn score(
        &self,
        sentence: Searched<'_>,
        order: Order,
        memory: &mut Self::Memory,
        scores: &mut Scores,
    ) -> Result<(), DecodeError>;

    /// Chooses the labels of a finished tree, if they are not chosen in the search: `choose` gets a word
    /// and the scores of all labels of its arc, and says which label it has from then on.
    fn label(
        &self,
        words: &Words,
        settings: &Settings,
        scores: &Scores,
        memory: &mut Self::Memory,
        best: &mut BestTree,
        choose: &mut dyn FnMut(Node, &[f32]) -> Label,
    );
}
