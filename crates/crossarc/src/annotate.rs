//! A model at work on sentences: columns in, heads and labels out, everything else untouched.
//!
//! The way of a sentence: the codec prepares it, its words become numbers, the parser builds a
//! tree, the codec restores the treebank's own kind of tree, punctuation marks are attached again,
//! and HEAD and DEPREL are written.
mod judging;

use std::collections::VecDeque;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use conll::{Column, Sentence};

use crate::combine::bundle::{Bundle, BundleWorker};
use crate::combine::guide::{Guide, GuideWorker};
use crate::nets::{self, NetWorker, Nets};
use crate::pipeline;
use crate::punctuation::{Punctuation, PunctuationMemory};
use crossarc_learn::features::guides::MOST_GUIDES;
use crossarc_learn::features::words::read_words;
use crossarc_learn::features::{ArcField, Guidance, Words};
use crossarc_model::{Bytes, Container, ModelError, Opening};
use crossarc_train::calibration::Origin;
use crossarc_train::header::Header;
use crossarc_train::insight::Insight;
use crossarc_train::parser::{Analysis, ParseOptions, Parser, Worker};
use crossarc_tree::codec::{CodecError, TreeCodec};
use crossarc_tree::treebank::{tree_of, write_tree};
use crossarc_tree::{Label, Labels, Node, RootPolicy, Tree};

pub use judging::Verdict;
pub(crate) use judging::{LABEL_ALONE, OTHER_HEAD};

/// Why a sentence cannot be annotated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnnotateError {
    /// The heads that should be kept contradict each other.
    #[error(
        "the given heads contain a cycle through word {word}: correct them or parse without keeping heads"
    )]
    GivenCycle {
        /// A word on the cycle.
        word: u32,
    },
    /// A head that should be kept is not in the sentence.
    #[error(
        "word {word} has head {head}, but there are {words} words: correct it or parse without keeping heads"
    )]
    GivenHead {
        /// The word.
        word: u32,
        /// Its head.
        head: u32,
        /// Words of the sentence.
        words: u32,
    },
}

/// A parser loaded from a model file.
pub struct Model {
    /// What the model knows about itself.
    pub header: Header,
    /// Size of the file in bytes.
    pub size: u64,
    engine: Engine,
    /// What attaches punctuation marks to a finished tree.
    punctuation: Option<Punctuation>,
    /// Labels of the treebank and of the codec.
    labels: Labels,
}

/// What finds trees.
enum Engine {
    Parser {
        parser: Box<dyn Parser>,
        tree_codec: Box<dyn TreeCodec>,
        guides: Vec<Guide>,
        nets: Option<Nets>,
    },
    Bundle(Bundle),
}

/// Models within models lie at most this deep.
pub const MOST_DEPTH: usize = 8;

/// What may be chosen when sentences are annotated.
#[derive(Clone, Debug, Default)]
pub struct AnnotateOptions {
    /// Passed on to the parser.
    pub parse: ParseOptions,
    /// Heads (and their labels) that are there already stay.
    pub keep_heads: bool,
    /// Words that a permissive system has found no head for stay without; otherwise every sentence gets a
    /// whole tree.
    pub headless: bool,
}

impl Model {
    /// Opens a model file by mapping it.
    pub fn open(path: impl AsRef<Path>) -> Result<Model, ModelError> {
        Model::open_by(path, Opening::Map)
    }

    /// Opens a model file.
    pub fn open_by(path: impl AsRef<Path>, opening: Opening) -> Result<Model, ModelError> {
        let path = path.as_ref();
        let container = Container::open_by(path, opening)?;
        let size = std::fs::metadata(path).map_or(0, |facts| facts.len());
        Model::load(&container, size)
    }

    /// A model from memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, ModelError> {
        let path = PathBuf::from("(memory)");
        let container = Container::from_bytes(&path, &Bytes::copy(bytes))?;
        Model::load(&container, bytes.len() as u64)
    }

    pub(crate) fn load(container: &Container, size: u64) -> Result<Model, ModelError> {
        Model::load_nested(container, size, 0)
    }

    /// A model that lies so many models deep in others.
    pub(crate) fn load_nested(
        container: &Container,
        size: u64,
        depth: usize,
    ) -> Result<Model, ModelError> {
        if crossarc_train::checkpoint::is_checkpoint(container) {
            return Err(ModelError::Checkpoint { path: container.path().to_owned() });
        }
        if depth > MOST_DEPTH {
            return Err(container.damaged("too many models lie within each other"));
        }
        if let Some(parser) = container.nested(pipeline::PARSER)? {
            return Model::load_nested(&parser, size, depth + 1);
        }
        let header: Header = container.content()?;
        header.check().map_err(|what| container.damaged(what))?;
        let punctuation = Punctuation::load(container)?;
        if let Some(bundle) = header.bundle() {
            let bundle = Bundle::load(container, bundle, header.roots.into(), depth)?;
            return Ok(Model { size, punctuation, ..Model::of_bundle(header, bundle) });
        }
        let parser = match header.graph() {
            Some(graph) => crossarc_graph::model::load(container, &header, graph)?,
            None => crossarc_transition::model::load(container, &header)?,
        };
        let damaged = |error: CodecError| container.damaged(&error.to_string());
        if header.guides > MOST_GUIDES {
            return Err(container.damaged("it has too many guides"));
        }
        let guides = Guide::load_all(container, header.guides, depth)?;
        let nets = header.net().map(|net| Nets::load(container, net.nets, &header.labels));
        let nets = nets.transpose()?;
        let model = Model::with_advisers(header, parser, guides, nets).map_err(damaged)?;
        Ok(Model { size, punctuation, ..model })
    }

    fn with_advisers(
        header: Header,
        parser: Box<dyn Parser>,
        guides: Vec<Guide>,
        nets: Option<Nets>,
    ) -> Result<Model, CodecError> {
        let mut labels = parser.labels().clone();
        let tree_codec = header.codec.tree.bind(&mut labels)?;
        let engine = Engine::Parser { parser, tree_codec, guides, nets };
        Ok(Model { header, size: 0, engine, punctuation: None, labels })
    }

    /// A model of several.
    pub(crate) fn of_bundle(header: Header, bundle: Bundle) -> Model {
        let labels = bundle.labels().clone();
        Model { header, size: 0, engine: Engine::Bundle(bundle), punctuation: None, labels }
    }

    /// The labels of its trees.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// True if punctuation marks are attached again when a tree is finished.
    pub fn attaches_punctuation(&self) -> bool {
        self.punctuation.is_some()
    }

    /// Memory for one thread.
    pub fn annotator(&self, options: AnnotateOptions) -> Annotator<'_> {
        let working = match &self.engine {
            Engine::Parser { parser, tree_codec, guides, nets } => Working::Parser {
                worker: parser.worker(&options.parse),
                tree_codec: &**tree_codec,
                words: Box::default(),
                advisers: Advisers {
                    guides: guides.iter().map(|guide| guide.worker(options.keep_heads)).collect(),
                    nets: nets.as_ref().map(Nets::worker),
                    ahead: VecDeque::new(),
                },
                guidance: Guidance::default(),
                found: Box::default(),
            },
            Engine::Bundle(bundle) => Working::Bundle(Box::new(bundle.worker(&options))),
        };
        let memory = PunctuationMemory::default();
        Annotator {
            model: self,
            working,
            memory,
            given: Vec::new(),
            labelled: Vec::new(),
            origins: Vec::new(),
            uncalibrated: false,
            options,
        }
    }
}

/// One thread of a model.
pub struct Annotator<'m> {
    model: &'m Model,
    working: Working<'m>,
    memory: PunctuationMemory,
    given: Vec<Option<Node>>,
    /// Which words have a given head with a given label.
    labelled: Vec<bool>,
    /// How the arc above each node came about, if confidences are wanted.
    origins: Vec<Origin>,
    /// Confidences are what the parser says, not yet probabilities.
    uncalibrated: bool,
    options: AnnotateOptions,
}

/// One thread of what finds trees.
enum Working<'m> {
    Parser {
        worker: Box<dyn Worker + 'm>,
        tree_codec: &'m dyn TreeCodec,
        words: Box<Words>,
        advisers: Advisers<'m>,
        /// What they say, or what is said to be what they say.
        guidance: Guidance,
        /// The tree as the parser has built it, if confidences are wanted.
        found: Box<Tree>,
    },
    Bundle(Box<BundleWorker<'m>>),
}

/// Guides and nets, which look at a sentence before the parser does.
struct Advisers<'m> {
    guides: Vec<GuideWorker<'m>>,
    nets: Option<NetWorker<'m>>,
    /// What nets have said about the sentences that come next.
    ahead: VecDeque<Option<Arc<ArcField>>>,
}

/// What was done for a sentence.
#[derive(Copy, Clone, Debug, Default)]
pub struct Summary {
    /// Moves of a transition parser.
    pub steps: usize,
    /// True if the sentence was too large for the parser's own search.
    pub cheaper: bool,
    /// Whether all trees are proved to be the best ones under the scores of the model; nothing if the
    /// parser does not tell.
    pub proved: Option<bool>,
}

/// Takes in the words of a sentence with what guides and nets say about them.
fn read_guided(
    sentence: &Sentence,
    given: Option<&[Option<Node>]>,
    Advisers { guides, nets, ahead }: &mut Advisers<'_>,
    guidance: &mut Guidance,
    words: &mut Words,
) {
    read_words(sentence, words);
    if !guides.is_empty() {
        guidance.clear();
        for guide in guides {
            guide.advise(sentence, given, guidance);
        }
    }
    if let Some(nets) = nets {
        let field = ahead.pop_front();
        guidance.set_field(field.unwrap_or_else(|| nets.fields(&[sentence]).pop().flatten()));
    }
    words.set_guidance(guidance);
}

impl Annotator<'_> {
    /// How many sentences it likes to get at once: nets are faster when they read several, and each gets
    /// the same tree as alone.
    pub fn batch(&self) -> usize {
        match &self.working {
            Working::Parser { advisers: Advisers { nets: Some(_), .. }, .. } => nets::BATCH,
            _ => 1,
        }
    }

    /// Parses sentences as [`Annotator::annotate`] does each of them.
    pub fn annotate_all(
        &mut self,
        sentences: &mut [Sentence],
    ) -> Vec<Result<Summary, AnnotateError>> {
        if let Working::Parser { advisers: Advisers { nets: Some(nets), ahead, .. }, .. } =
            &mut self.working
        {
            let read: Vec<&Sentence> = sentences.iter().collect();
            ahead.extend(nets.fields(&read));
        }
        let mut outcomes = Vec::with_capacity(sentences.len());
        for sentence in sentences {
            let left = self.ahead().map_or(0, |ahead| ahead.len());
            outcomes.push(self.annotate(sentence));
            // A sentence that was refused has not been looked at.
            if let Some(ahead) = self.ahead().filter(|ahead| ahead.len() == left) {
                ahead.pop_front();
            }
        }
        outcomes
    }

    fn ahead(&mut self) -> Option<&mut VecDeque<Option<Arc<ArcField>>>> {
        match &mut self.working {
            Working::Parser { advisers, .. } => Some(&mut advisers.ahead),
            Working::Bundle(_) => None,
        }
    }

    /// Parses a sentence and writes HEAD and DEPREL. After an error the sentence is as before.
    pub fn annotate(&mut self, sentence: &mut Sentence) -> Result<Summary, AnnotateError> {
        let given = self.options.keep_heads && self.read_given(sentence)?;
        let codec = &self.model.header.codec;
        if codec.transformations.is_empty() {
            let summary = self.annotate_part(sentence, given);
            self.fit_root_labels(sentence, given);
            return Ok(summary);
        }
        let mut summary = Summary::default();
        let mut parts = codec.prepare(sentence);
        let given_in_part = given && parts.len() == 1 && parts[0].len() == sentence.len();
        for part in &mut parts {
            let part = self.annotate_part(part, given_in_part);
            summary.steps += part.steps;
            summary.cheaper |= part.cheaper;
            summary.proved = match (summary.proved, part.proved) {
                (Some(one), Some(other)) => Some(one && other),
                (one, other) => one.or(other),
            };
        }
        let mut restored = codec.restore(sentence, &parts);
        if given {
            self.return_to_given(sentence, &mut restored);
        }
        *sentence = restored;
        self.fit_root_labels(sentence, given);
        Ok(summary)
    }

    /// Whatever was done before: labels fit heads, unless both were given.
    fn fit_root_labels(&self, sentence: &mut Sentence, given: bool) {
        self.model.header.fit_root_labels(sentence, |word| given && self.labelled[word]);
    }

    /// The best analyses of a sentence, best first, as copies of it with `# rank` and `# score`
    /// among their comments. Empty if the parser cannot rank trees, or if the model transforms
    /// sentences.
    pub fn alternatives(&mut self, sentence: &Sentence, most: usize) -> Vec<Sentence> {
        let trees = self.best_trees(sentence, most);
        let with_tree = |(rank, (tree, score)): (usize, (Tree, f32))| {
            let mut copy = sentence.clone();
            write_tree(&tree, &self.model.labels, &mut copy);
            self.model.header.fit_root_labels(&mut copy, |_| false);
            copy.set_comment("rank", &(rank + 1).to_string());
            copy.set_comment("score", &format!("{score:.4}"));
            copy
        };
        trees.into_iter().enumerate().map(with_tree).collect()
    }

    /// The best trees with their scores; none if the parser cannot rank trees, or if the model
    /// transforms sentences.
    fn best_trees(&mut self, sentence: &Sentence, most: usize) -> Vec<(Tree, f32)> {
        let codec = &self.model.header.codec;
        if !codec.transformations.is_empty() {
            return Vec::new();
        }
        let Working::Parser { worker, tree_codec, words, advisers, guidance, .. } =
            &mut self.working
        else {
            return Vec::new();
        };
        read_guided(sentence, None, advisers, guidance, words);
        let mut trees = worker.best_trees(words, most);
        if codec.tree.scheme.is_some() {
            for (tree, _) in &mut trees {
                *tree = tree_codec.decode(tree);
            }
        }
        trees
    }

    /// What the parser weighs for a sentence, with its labels; nothing if it cannot tell, or if the
    /// model transforms sentences. Moves are as in [`Worker::insight`], labels by name.
    pub fn insight(
        &mut self,
        sentence: &Sentence,
        follow: &[(String, String)],
    ) -> Option<(Insight, &Labels)> {
        if !self.model.header.codec.transformations.is_empty() {
            return None;
        }
        let Working::Parser { worker, words, advisers, guidance, .. } = &mut self.working else {
            return None;
        };
        let labels = &self.model.labels;
        let label = |name: &String| labels.get(name).unwrap_or_default();
        let follow: Vec<(String, Label)> =
            follow.iter().map(|(mv, name)| (mv.clone(), label(name))).collect();
        read_guided(sentence, None, advisers, guidance, words);
        Some((worker.insight(words, &follow)?, labels))
    }

    /// The best trees, each with its probability beside that of the best.
    pub(crate) fn ranked(&mut self, sentence: &Sentence, most: usize) -> Vec<(Tree, f32)> {
        let mut trees = self.best_trees(sentence, most);
        let best = trees.first().map_or(0.0, |(_, score)| *score);
        let temperature = self.model.header.temperature.max(f32::MIN_POSITIVE);
        for (_, score) in &mut trees {
            *score = ((*score - best) / temperature).exp().min(1.0);
        }
        trees
    }

    /// The tree of a sentence, which is left as it is, and its labels if they are not those of the
    /// model.
    pub(crate) fn analyse_whole(
        &mut self,
        sentence: &Sentence,
        given: Option<&[Option<Node>]>,
    ) -> (Analysis, Option<Labels>) {
        if self.model.header.codec.transformations.is_empty() {
            return (self.analyse(sentence, given), None);
        }
        let mut copy = sentence.clone();
        let Summary { steps, cheaper, proved } = self.annotate(&mut copy).unwrap_or_default();
        let mut labels = Labels::default();
        // What a codec restores is a tree; if it ever were none, all words would hang on the first.
        let tree = tree_of(&copy, &mut labels).unwrap_or_else(|_| {
            let label = labels.intern(&self.model.header.root_label).unwrap_or_default();
            crossarc_tree::repair::flat(sentence.len(), label)
        });
        let sure = |word: conll::Word<'_>| score_of(word.misc()).unwrap_or(0.0);
        let confidences = if self.options.parse.confidences {
            std::iter::once(0.0).chain(copy.words().map(sure)).collect()
        } else {
            Vec::new()
        };
        let headless = Vec::new();
        (Analysis { tree, headless, confidences, steps, cheaper, proved }, Some(labels))
    }

    /// The tree of a sentence as the treebank would have it, but for transformations.
    fn analyse(&mut self, sentence: &Sentence, given: Option<&[Option<Node>]>) -> Analysis {
        let mut analysis = self.search(sentence, given);
        let confidences = self.options.parse.confidences;
        let found = confidences.then(|| match &self.working {
            Working::Parser { found, .. } => (**found).clone(),
            Working::Bundle(_) => analysis.tree.clone(),
        });
        if let Some(punctuation) = &self.model.punctuation {
            let mut memory = std::mem::take(&mut self.memory);
            let labels = self.labels();
            analysis.tree = punctuation.attach(sentence, labels, given, analysis.tree, &mut memory);
            self.memory = memory;
        }
        if let Some(found) = found {
            self.note_origins(&found, &analysis);
            if !self.uncalibrated {
                for (said, &origin) in analysis.confidences.iter_mut().zip(&self.origins) {
                    *said = self.model.header.probability(origin, *said);
                }
            }
        }
        analysis
    }

    /// The tree as the parser and the codec have it.
    fn search(&mut self, sentence: &Sentence, given: Option<&[Option<Node>]>) -> Analysis {
        let root_label = self.root_label();
        match &mut self.working {
            Working::Bundle(worker) => worker.vote(sentence, given),
            Working::Parser { worker, tree_codec, words, advisers, guidance, found } => {
                read_guided(sentence, given, advisers, guidance, words);
                let mut analysis = worker.parse(words, given);
                if self.options.parse.confidences {
                    (**found).clone_from(&analysis.tree);
                }
                if self.model.header.codec.tree.scheme.is_some() {
                    analysis.tree = tree_codec.decode(&analysis.tree);
                    if let Some(heads) = given {
                        let roots = self.model.header.roots.into();
                        analysis.tree = crossarc_tree::repair::enforce(
                            &analysis.tree,
                            heads,
                            roots,
                            root_label,
                        );
                    }
                }
                analysis
            }
        }
    }

    /// The labels of the trees that it finds.
    fn labels(&self) -> &Labels {
        match &self.working {
            Working::Bundle(worker) => worker.labels(),
            Working::Parser { .. } => &self.model.labels,
        }
    }

    fn annotate_part(&mut self, sentence: &mut Sentence, given: bool) -> Summary {
        let heads = std::mem::take(&mut self.given);
        let Analysis { tree, headless, confidences, steps, cheaper, proved } =
            self.analyse(sentence, given.then_some(&heads[..]));
        self.given = heads;
        if given {
            self.write_beside_given(&tree, sentence);
        } else {
            write_tree(&tree, self.labels(), sentence);
        }
        let is_given = |word: Node| given && self.given[word.index()].is_some();
        if self.options.headless && self.model.header.is_partial() {
            leave_headless(sentence, headless.into_iter().filter(|&word| !is_given(word)));
        }
        if self.options.parse.confidences {
            for (word, confidence) in confidences.iter().enumerate().skip(1) {
                let sure = if is_given(Node(word as u32)) { 1.0 } else { *confidence };
                let digits = if self.uncalibrated { 7 } else { 3 };
                add_to_misc(sentence, word, sure.clamp(0.0, 1.0), digits);
            }
        }
        Summary { steps, cheaper, proved }
    }

    /// Heads that are there already; false if there are none.
    fn read_given(&mut self, sentence: &Sentence) -> Result<bool, AnnotateError> {
        self.given.clear();
        self.given.push(None);
        self.given.extend(sentence.words().map(|word| word.head().map(Node)));
        self.labelled.clear();
        self.labelled.push(false);
        let has_label = |word: conll::Word<'_>| word.head().is_some() && word.deprel() != "_";
        self.labelled.extend(sentence.words().map(has_label));
        let words = sentence.len() as u32;
        for (word, head) in self.given.iter().enumerate() {
            if let Some(Node(head)) = head.filter(|head| head.0 > words) {
                return Err(AnnotateError::GivenHead { word: word as u32, head, words });
            }
        }
        let mut walk_of = vec![0u32; self.given.len()];
        for start in 1..self.given.len() as u32 {
            let mut at = start;
            while at != 0 && walk_of[at as usize] == 0 {
                walk_of[at as usize] = start;
                at = self.given[at as usize].map_or(0, |head| head.0);
            }
            if at != 0 && walk_of[at as usize] == start {
                return Err(AnnotateError::GivenCycle { word: at });
            }
        }
        Ok(self.given.iter().any(Option::is_some))
    }

    /// Writes heads and labels where there were none.
    fn write_beside_given(&self, tree: &Tree, sentence: &mut Sentence) {
        for word in tree.words() {
            if self.given[word.index()].is_none() {
                sentence.set_head(word.index(), Some(tree.head(word).0));
            }
            if sentence.word(word.index()).deprel() == "_" {
                let name = self.labels().name(tree.label(word));
                sentence.set(word.index(), Column::Deprel, name);
            }
        }
    }

    /// Transformations may have moved given heads and renamed given labels: puts them back.
    fn return_to_given(&self, original: &Sentence, restored: &mut Sentence) {
        let heads = restored.words().map(|word| word.head().unwrap_or(0));
        let before = Tree::new(heads.map(|head| (Node(head), Label::default())));
        let Ok(before) = before else { return };
        let single = before.obeys(RootPolicy::Single);
        let roots = if single { self.model.header.roots.into() } else { RootPolicy::Several };
        let tree = crossarc_tree::repair::enforce(&before, &self.given, roots, Label::default());
        for word in tree.words() {
            let at = word.index();
            let is_headless = restored.word(at).head().is_none() && self.given[at].is_none();
            if !is_headless {
                restored.set_head(at, Some(tree.head(word).0));
            }
            let label = original.word(at).deprel();
            if label != "_" {
                restored.set(at, Column::Deprel, label);
            } else if tree.head(word) == Node::ROOT && before.head(word) != Node::ROOT {
                restored.set(at, Column::Deprel, &self.model.header.root_label);
            }
        }
    }

    fn root_label(&self) -> Label {
        self.model.labels.get(&self.model.header.root_label).unwrap_or_default()
    }
}

/// Takes heads and labels away from words that a permissive system has left without.
fn leave_headless(sentence: &mut Sentence, words: impl IntoIterator<Item = Node>) {
    for word in words {
        sentence.set_head(word.index(), None);
        sentence.set(word.index(), Column::Deprel, "_");
    }
}

/// The number behind `Score=`.
fn score_of(misc: &str) -> Option<f32> {
    misc.split('|').find_map(|part| part.strip_prefix("Score="))?.parse().ok()
}

/// Adds `Score=0.97` to MISC, in the place of another one.
pub(crate) fn set_score(sentence: &mut Sentence, word: usize, probability: f32) {
    add_to_misc(sentence, word, probability, 3);
}

/// The same with so many digits.
fn add_to_misc(sentence: &mut Sentence, word: usize, confidence: f32, digits: usize) {
    let old = sentence.word(word).misc();
    let kept = old.split('|').filter(|part| *part != "_" && !part.starts_with("Score="));
    let mut misc: String = kept.flat_map(|part| [part, "|"]).collect();
    // Writing to a string cannot fail.
    let _ = write!(misc, "Score={confidence:.digits$}");
    sentence.set(word, Column::Misc, &misc);
}
