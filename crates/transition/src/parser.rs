//! A trained transition parser behind the common door.
use super::confidence::confidences;
use super::insight;
use super::scorer::Scorer;
use super::searches::beam::{Beam, LabelScores};
use super::searches::greedy::Greedy;
use super::searches::{Constraint, Free, Given, MOST_BEAM};
use super::system::TransitionSystem;
use crossarc_learn::features::Words;
use crossarc_learn::state::{Arc, PartialTree};
use crossarc_train::insight::Insight;
use crossarc_train::parser::{Analysis, ParseOptions, Parser, Worker};
use crossarc_tree::{Label, Labels, Node, RootPolicy, Tree};

/// A system with a trained scorer.
#[derive(Clone, Debug)]
pub struct TransitionParser<S, M> {
    /// The system.
    pub system: S,
    /// Its scorer.
    pub scorer: M,
    /// Names of labels.
    pub labels: Labels,
    /// Label of words that the system leaves without a head.
    pub root_label: Label,
    /// How many words may hang on the root.
    pub roots: RootPolicy,
    /// Width of the beam that the scorer was trained for.
    pub beam: usize,
    /// By how much a hypothesis may be behind the best one before it is dropped.
    pub beam_margin: f32,
    /// Sentences are read from their last word to their first.
    pub right_to_left: bool,
    /// Scale of the scores, see [`super::confidence`].
    pub temperature: f32,
}

enum AnySearch<S: TransitionSystem, M: Scorer<S>> {
    Greedy(Greedy<S, M>),
    Beam(Beam<S, M>),
}

struct TransitionWorker<'p, S: TransitionSystem, M: Scorer<S>> {
    parser: &'p TransitionParser<S, M>,
    search: AnySearch<S, M>,
    derivation: Vec<(S::Move, Label)>,
    confidences: bool,
    mirror: Words,
}

impl<S: TransitionSystem, M: Scorer<S>> Parser for TransitionParser<S, M> {
    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn worker(&self, options: &ParseOptions) -> Box<dyn Worker + '_> {
        let width = options.beam.unwrap_or(self.beam).min(MOST_BEAM);
        let search = if self.beam > 1 {
            let margin = if options.exact { f32::INFINITY } else { self.beam_margin };
            AnySearch::Beam(Beam::new(width, LabelScores::Count).with_margin(margin))
        } else if width > 1 {
            AnySearch::Beam(Beam::new(width, LabelScores::Apart))
        } else {
            AnySearch::Greedy(Greedy::default())
        };
        Box::new(TransitionWorker {
            parser: self,
            search,
            derivation: Vec::new(),
            confidences: options.confidences,
            mirror: Words::default(),
        })
    }
}

impl<S: TransitionSystem, M: Scorer<S>> TransitionWorker<'_, S, M> {
    fn search(&mut self, words: &Words, constraint: &impl Constraint) -> Tree {
        let TransitionParser { system, scorer, .. } = self.parser;
        let partial = match &mut self.search {
            AnySearch::Greedy(greedy) => {
                greedy.parse(system, scorer, words, constraint);
                self.derivation.clear();
                self.derivation.extend_from_slice(greedy.derivation());
                greedy.partial()
            }
            AnySearch::Beam(beam) => {
                beam.parse(system, scorer, words, constraint);
                beam.best_derivation(&mut self.derivation);
                beam.partial()
            }
        };
        self.parser.finish(partial)
    }
}

impl<S: TransitionSystem, M: Scorer<S>> TransitionParser<S, M> {
    /// Parses sentences with known trees: how sure of each arc, and whether it was right.
    pub fn judge(&self, sentences: &[(Words, Tree)]) -> Vec<(f32, bool)> {
        let mut worker = self.worker(&ParseOptions { confidences: true, ..Default::default() });
        let mut judged = Vec::new();
        for (words, gold) in sentences {
            let Analysis { tree, confidences, .. } = worker.parse(words, None);
            judged.extend(gold.words().map(|word| {
                let right =
                    tree.head(word) == gold.head(word) && tree.label(word) == gold.label(word);
                (confidences[word.index()], right)
            }));
        }
        judged
    }

    /// By how much the winner of each sentence was behind on its way, at most.
    pub fn beam_margins(&self, sentences: &[Words]) -> Vec<f32> {
        let mut beam = Beam::new(self.beam, LabelScores::Count);
        let margin = |words: &Words| {
            let mirrored = self.right_to_left.then(|| words.mirrored());
            beam.parse(&self.system, &self.scorer, mirrored.as_ref().unwrap_or(words), &Free);
            beam.behind()
        };
        sentences.iter().map(margin).collect()
    }

    /// The tree of a partial one; systems build no cycles, and if one ever did, all words would
    /// hang on the first.
    fn finish(&self, partial: &PartialTree) -> Tree {
        partial
            .to_tree(self.root_label)
            .unwrap_or_else(|_| crossarc_tree::repair::flat(partial.len(), self.root_label))
    }
}

impl<S: TransitionSystem, M: Scorer<S>> Worker for TransitionWorker<'_, S, M> {
    fn parse(&mut self, words: &Words, given: Option<&[Option<Node>]>) -> Analysis {
        if !self.parser.right_to_left {
            return self.parse_in_order(words, given);
        }
        let mut mirror = std::mem::take(&mut self.mirror);
        mirror.mirror_of(words);
        let given = given.map(|heads| mirrored_heads(heads, words.len()));
        let mut analysis = self.parse_in_order(&mirror, given.as_deref());
        self.mirror = mirror;
        let words = words.len() as u32;
        analysis.tree = analysis.tree.mirrored();
        analysis.headless = analysis.headless.iter().map(|word| word.mirrored(words)).collect();
        analysis.headless.reverse();
        if let Some(of_words) = analysis.confidences.get_mut(1..) {
            of_words.reverse();
        }
        analysis
    }

    fn sure_of(&mut self, words: &Words, tree: &Tree) -> Vec<f32> {
        if !self.parser.right_to_left {
            return self.sure_of_in_order(words, tree);
        }
        let mut sure = self.sure_of_in_order(&words.mirrored(), &tree.mirrored());
        if let Some(of_words) = sure.get_mut(1..) {
            of_words.reverse();
        }
        sure
    }

    fn best_trees(&mut self, words: &Words, most: usize) -> Vec<(Tree, f32)> {
        if !self.parser.right_to_left {
            return self.best_trees_in_order(words, most);
        }
        let trees = self.best_trees_in_order(&words.mirrored(), most).into_iter();
        trees.map(|(tree, score)| (tree.mirrored(), score)).collect()
    }

    fn insight(&mut self, words: &Words, follow: &[(String, Label)]) -> Option<Insight> {
        let mirror = self.parser.right_to_left.then(|| words.mirrored());
        let in_order = mirror.as_ref().unwrap_or(words);
        let TransitionParser { system, scorer, .. } = self.parser;
        let mut states = if follow.is_empty() {
            self.search(in_order, &Free);
            insight::replay(system, scorer, in_order, &self.derivation)
        } else {
            insight::follow(system, scorer, in_order, follow)
        };
        if mirror.is_some() {
            insight::mirror(&mut states, words.len() as u32);
        }
        Some(Insight::Moves(states))
    }
}

/// No move hangs a left-over word on the root: of it the parser is as sure as of the others on average.
fn share_with_leftover(sure: &mut [f32], left: &[Node]) {
    let words = sure.len().saturating_sub(1 + left.len());
    let is_left = |word: usize| left.binary_search(&Node(word as u32)).is_ok();
    let others = (1..sure.len()).filter(|&word| !is_left(word));
    let sum: f32 = others.map(|word| sure[word]).sum();
    for word in left {
        sure[word.index()] = if words == 0 { 1.0 } else { sum / words as f32 };
    }
}

/// Heads that must be kept, as the mirrored sentence has them.
fn mirrored_heads(heads: &[Option<Node>], words: usize) -> Vec<Option<Node>> {
    let nodes = std::iter::once(0).chain((1..=words).rev());
    let head_of = |node: usize| heads.get(node).copied().flatten();
    nodes.map(|node| head_of(node).map(|head| head.mirrored(words as u32))).collect()
}

impl<S: TransitionSystem, M: Scorer<S>> TransitionWorker<'_, S, M> {
    fn parse_in_order(&mut self, words: &Words, given: Option<&[Option<Node>]>) -> Analysis {
        let parser = self.parser;
        let mut tree = match given {
            None => self.search(words, &Free),
            Some(heads) => self.search(words, &Given(heads)),
        };
        let partial = match &self.search {
            AnySearch::Greedy(greedy) => greedy.partial(),
            AnySearch::Beam(beam) => beam.partial(),
        };
        let headless: Vec<Node> =
            tree.words().filter(|&word| partial.head(word).is_none()).collect();
        // A permissive system may end with words that have no head beside the one that has the root.
        if given.is_some() || (!headless.is_empty() && !tree.obeys(parser.roots)) {
            let heads = given.unwrap_or_default();
            tree = crossarc_tree::repair::enforce(&tree, heads, parser.roots, parser.root_label);
        }
        let confidences = if self.confidences {
            let TransitionParser { system, scorer, temperature, .. } = parser;
            let mut sure =
                confidences(system, scorer, words, &self.derivation, *temperature, |_, label| {
                    label
                });
            share_with_leftover(&mut sure, &headless);
            sure
        } else {
            Vec::new()
        };
        Analysis {
            tree,
            headless,
            confidences,
            steps: self.derivation.len(),
            cheaper: false,
            proved: None,
        }
    }

    /// How sure of the arcs of a tree on the way to it; of those that are not on the way, not at all.
    fn sure_of_in_order(&mut self, words: &Words, tree: &Tree) -> Vec<f32> {
        let given: Vec<Option<Node>> =
            std::iter::once(None).chain(tree.words().map(|word| Some(tree.head(word)))).collect();
        self.search(words, &Given(&given));
        let TransitionParser { system, scorer, temperature, .. } = self.parser;
        let label_of = |arc: Arc, found| {
            if tree.head(arc.dependent) == arc.head { tree.label(arc.dependent) } else { found }
        };
        let derivation = &self.derivation;
        let mut sure = confidences(system, scorer, words, derivation, *temperature, label_of);
        let partial = match &self.search {
            AnySearch::Greedy(greedy) => greedy.partial(),
            AnySearch::Beam(beam) => beam.partial(),
        };
        let mut left = Vec::new();
        for word in tree.words() {
            match partial.head(word) {
                None if tree.head(word) == Node::ROOT => left.push(word),
                Some(head) if head == tree.head(word) => {}
                _ => sure[word.index()] = 0.0,
            }
        }
        share_with_leftover(&mut sure, &left);
        sure
    }

    /// The trees in the beam, each with the score of its best derivation there.
    fn best_trees_in_order(&mut self, words: &Words, most: usize) -> Vec<(Tree, f32)> {
        self.search(words, &Free);
        let AnySearch::Beam(beam) = &self.search else { return Vec::new() };
        let mut trees: Vec<(Tree, f32)> = Vec::new();
        for (partial, score) in beam.ended() {
            let tree = self.parser.finish(partial);
            if trees.len() < most && trees.iter().all(|(known, _)| *known != tree) {
                trees.push((tree, score));
            }
        }
        trees
    }
}
