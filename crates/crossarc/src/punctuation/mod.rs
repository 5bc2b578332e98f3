//! Punctuation marks, attached again when the tree is finished.
//!
//! Where a comma belongs can be told from the tree around it, which a parser has not seen when it
//! decides about the comma: in Universal Dependencies a mark hangs on the unit that it sets off, as
//! high as it can without a crossing arc, before the conjunct that it separates, and both of a pair
//! hang on the same word (Nivre et al. 2020; Popel, Žabokrtský and Vojtek 2017 have such rules as a
//! program). Treebanks differ, so the rules are learned here: every mark is a gap between two
//! words, its candidates are the words that can be seen from the gap ([`gap`]), and a linear model
//! over labels, tags and forms around the gap ranks them. It learns from the trees of the treebank,
//! where the parser's errors are not, so the head that the parser has found gets a
//! *bonus*, which is fitted on the development set; where nothing is gained there, marks stay
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
//! let tree = crossarc::tree::treebank::tree_of(&wrong, &mut labels).unwrap();
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
use crossarc_learn::packed::TableFacts;
use crossarc_learn::packed_factors::PackedFactors;
use crossarc_learn::weights::LabelWeights;
use crossarc_model::{Container, ModelError};
use crossarc_tree::{Labels, Node, Tree};

/// The section of a model that holds it.
pub const SECTION: &str = "punctuation";
/// Bytes that it takes at most.
pub const MOST_BYTES: usize = 150_000;
/// The bonus if there is no development set to fit it on.
const USUAL_BONUS: f32 = 12.0;

/// Part of the header of a model.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
struct PunctuationHeader {
    bonus: f32,
    unit: f32,
    label_table: TableFacts,
}

/// What attaches punctuation marks.
#[derive(Clone, Debug)]
pub struct Punctuation {
    weights: PackedFactors,
    /// The bonus of the head that the parser has found.
    bonus: f32,
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
    /// The best candidate, the first of equals. `bonus` is added for the present head.
    fn best(
        &mut self,
        weights: &impl LabelWeights,
        bonus: f32,
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
                score[0] += bonus;
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
            let best = ranking.best(&self.weights, self.bonus, sight, mark);
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
        let header = PunctuationHeader { bonus: self.bonus, unit, label_table };
        Container::to_bytes(&header, &self.weights.sections().collect::<Vec<_>>())
    }

    /// What a model has, if it has any.
    pub(crate) fn load(model: &Container) -> Result<Option<Punctuation>, ModelError> {
        let Some(container) = model.nested(SECTION)? else { return Ok(None) };
        let PunctuationHeader { bonus, unit, label_table } = container.content()?;
        let weights = PackedFactors::load(&container, (unit, label_table), 1)?;
        Ok(Some(Punctuation { weights, bonus }))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crossarc_model::{Bytes, SectionBytes};
    use crossarc_tree::RootPolicy;
    use crossarc_tree::generate::{label_randomly, random_projective_tree, random_tree};
    use crossarc_tree::seed::{Rng, Seed};
    use crossarc_tree::treebank::tree_of;

    fn random_sentence(
        rng: &mut Rng,
        random_tree: fn(&mut Rng, usize, RootPolicy) -> Tree,
    ) -> Sentence {
        const FORMS: [&str; 8] = ["a", "b", ",", "(", ")", "\"", ".", "c"];
        let words = 1 + rng.below(12);
        let mut tree = random_tree(rng, words, RootPolicy::Single);
        label_randomly(rng, &mut tree, 4);
        let rows = tree.words().map(|word| {
            let form = FORMS[rng.below(FORMS.len())];
            let (head, label) = (tree.head(word).0, tree.label(word).0);
            format!("{}\t{form}\t_\tX\t_\t_\t{head}\tl{label}\t_\t_\n", word.0)
        });
        let text: String = rows.collect();
        conll::read_str(&(text + "\n"), conll::ReadOptions::default()).unwrap().remove(0)
    }

    /// Whatever it has learned, only free marks move, and the tree stays a tree with its root.
    #[test]
    fn only_marks_move_and_given_heads_stay() {
        let seed = 77;
        let mut rng = Seed(seed).rng();
        let lesson = |_| random_sentence(&mut rng, random_projective_tree);
        let lessons: Vec<Sentence> = (0..60).map(lesson).collect();
        let learned = learn(&lessons, 1).unwrap();
        let without_bonus = Punctuation { bonus: 0.0, ..learned };
        let container = Container::to_bytes(
            &"model",
            &[SectionBytes { name: SECTION, bytes: &without_bonus.to_bytes() }],
        );
        let path = Path::new("(memory)");
        let container = Container::from_bytes(path, &Bytes::copy(&container)).unwrap();
        let loaded = Punctuation::load(&container).unwrap().unwrap();
        let mut memory = PunctuationMemory::default();
        let mut moved = 0;
        for round in 0..300 {
            let sentence = random_sentence(&mut rng, random_tree);
            let mut labels = Labels::default();
            let tree = tree_of(&sentence, &mut labels).unwrap();
            let given: Vec<Option<Node>> =
                tree.heads().iter().map(|&head| rng.chance(0.3).then_some(head)).collect();
            let mut attach = |punctuation: &Punctuation| {
                punctuation.attach(&sentence, &labels, Some(&given), tree.clone(), &mut memory)
            };
            let attached = attach(&without_bonus);
            assert_eq!(attached, attach(&loaded), "seed {seed}, round {round}");
            let is_leaf = |word: Node| tree.words().all(|other| tree.head(other) != word);
            for word in tree.words().filter(|&word| attached.head(word) != tree.head(word)) {
                let form = sentence.word(word.index()).form();
                let free = is_leaf(word) && tree.head(word) != Node::ROOT;
                let is_mark = free && crossarc_eval::is_punctuation(form);
                assert!(is_mark && given[word.index()].is_none(), "seed {seed}, round {round}");
                moved += 1;
            }
            assert_eq!(attached.labels(), tree.labels(), "seed {seed}, round {round}");
            assert!(attached.obeys(RootPolicy::Single), "seed {seed}, round {round}");
        }
        assert!(moved > 50, "{moved} marks have moved");
    }

    #[test]
    fn without_marks_there_is_nothing_to_learn() {
        let text =
            "1\tBirds\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsing\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
        let sentences = conll::read_str(text, conll::ReadOptions::default()).unwrap();
        assert!(learn(&sentences, 1).is_none());
        assert!(learn(&[], 1).is_none());
    }
}
