//! A model at work on sentences: columns in, heads and labels out, everything else untouched.
//!
//! The way of a sentence: the codec prepares it, its words become numbers, the parser builds a
//! tree, the codec restores the treebank's own kind of tree, and HEAD and DEPREL are written.
use std::fmt::Write;
use std::path::{Path, PathBuf};

use conll::{Column, Sentence};

use crate::codec::{CodecError, TreeCodec};
use crate::features::Words;
use crate::features::words::WordColumns;
use crate::graph;
use crate::model::header::Header;
use crate::model::{Bytes, Container, ModelError};
use crate::parser::{Analysis, ParseOptions, Parser, Worker};
use crate::pipeline;
use crate::transition;
use crate::tree::{Label, Labels, Node, RootPolicy, Tree};
use crate::treebank::write_tree;

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
    parser: Box<dyn Parser>,
    tree_codec: Box<dyn TreeCodec>,
    /// Labels of the treebank and of the codec.
    labels: Labels,
}

/// What may be chosen when sentences are annotated.
#[derive(Clone, Debug, Default)]
pub struct AnnotateOptions {
    /// Passed on to the parser.
    pub parse: ParseOptions,
    /// Heads (and their labels) that are there already stay.
    pub keep_heads: bool,
}

impl Model {
    /// Opens a model file.
    pub fn open(path: impl AsRef<Path>) -> Result<Model, ModelError> {
        let path = path.as_ref();
        let container = Container::open(path)?;
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
        if container.has_section(crate::train::checkpoint::SECTIONS[0]) {
            return Err(ModelError::Checkpoint { path: container.path().to_owned() });
        }
        if let Some(parser) = container.nested(pipeline::PARSER)? {
            return Model::load(&parser, size);
        }
        let header: Header = container.content()?;
        let parser = match &header.graph {
            Some(graph) => graph::model::load(container, &header, graph)?,
            None => transition::model::load(container, &header)?,
        };
        let mut labels = parser.labels().clone();
        let damaged = |error: CodecError| container.damaged(&error.to_string());
        let tree_codec = header.codec.tree.bind(&mut labels).map_err(damaged)?;
        Ok(Model { header, size, parser, tree_codec, labels })
    }

    /// A model of a parser that has just been trained.
    pub(crate) fn new(header: Header, parser: Box<dyn Parser>) -> Result<Model, CodecError> {
        let mut labels = parser.labels().clone();
        let tree_codec = header.codec.tree.bind(&mut labels)?;
        Ok(Model { header, size: 0, parser, tree_codec, labels })
    }

    /// Memory for one thread.
    pub fn annotator(&self, options: AnnotateOptions) -> Annotator<'_> {
        Annotator {
            model: self,
            worker: self.parser.worker(&options.parse),
            words: Words::default(),
            given: Vec::new(),
            options,
        }
    }
}

/// One thread of a model.
pub struct Annotator<'m> {
    model: &'m Model,
    worker: Box<dyn Worker + 'm>,
    words: Words,
    given: Vec<Option<Node>>,
    options: AnnotateOptions,
}

/// What was done for a sentence.
#[derive(Copy, Clone, Debug, Default)]
pub struct Summary {
    /// Moves of a transition parser.
    pub steps: usize,
    /// True if the sentence was too large for the parser's own search.
    pub cheaper: bool,
}

/// Takes in the words of a sentence.
pub fn read_words(sentence: &Sentence, words: &mut Words) {
    words.fill(sentence.words().map(|word| WordColumns {
        form: word.form(),
        lemma: word.lemma(),
        upos: word.upos(),
        xpos: word.xpos(),
        feats: word.feats(),
    }));
}

impl Annotator<'_> {
    /// Parses a sentence and writes HEAD and DEPREL. After an error the sentence is as before.
    pub fn annotate(&mut self, sentence: &mut Sentence) -> Result<Summary, AnnotateError> {
        let given = self.options.keep_heads && self.read_given(sentence)?;
        let codec = &self.model.header.codec;
        if codec.transformations.is_empty() {
            return Ok(self.annotate_part(sentence, given));
        }
        let mut summary = Summary::default();
        let mut parts = codec.prepare(sentence);
        let given_in_part = given && parts.len() == 1 && parts[0].len() == sentence.len();
        for part in &mut parts {
            let part = self.annotate_part(part, given_in_part);
            summary.steps += part.steps;
            summary.cheaper |= part.cheaper;
        }
        let mut restored = codec.restore(sentence, &parts);
        if given {
            self.return_to_given(sentence, &mut restored);
        }
        *sentence = restored;
        Ok(summary)
    }

    /// The best analyses of a sentence, best first, as copies of it with `# rank` and `# score`
    /// among their comments. Empty if the parser cannot rank trees, or if the model transforms
    /// sentences.
    pub fn alternatives(&mut self, sentence: &Sentence, most: usize) -> Vec<Sentence> {
        if !self.model.header.codec.transformations.is_empty() {
            return Vec::new();
        }
        read_words(sentence, &mut self.words);
        let trees = self.worker.best_trees(&self.words, most);
        let with_tree = |(rank, (tree, score)): (usize, (Tree, f32))| {
            let mut copy = sentence.clone();
            let tree = match self.model.header.codec.tree.scheme {
                Some(_) => self.model.tree_codec.decode(&tree),
                None => tree,
            };
            write_tree(&tree, &self.model.labels, &mut copy);
            copy.set_comment("rank", &(rank + 1).to_string());
            copy.set_comment("score", &format!("{score:.4}"));
            copy
        };
        trees.into_iter().enumerate().map(with_tree).collect()
    }

    fn annotate_part(&mut self, sentence: &mut Sentence, given: bool) -> Summary {
        read_words(sentence, &mut self.words);
        let heads = given.then_some(&self.given[..]);
        let Analysis { mut tree, headless, confidences, steps, cheaper } =
            self.worker.parse(&self.words, heads);
        if self.model.header.codec.tree.scheme.is_some() {
            tree = self.model.tree_codec.decode(&tree);
            if let Some(heads) = heads {
                let roots = self.model.header.roots.into();
                tree = transition::repair::enforce(&tree, heads, roots, self.root_label());
            }
        }
        if given {
            self.write_beside_given(&tree, sentence);
        } else {
            write_tree(&tree, &self.model.labels, sentence);
        }
        let is_given = |word: Node| given && self.given[word.index()].is_some();
        if self.model.header.partial {
            for word in headless.into_iter().filter(|&word| !is_given(word)) {
                sentence.set_head(word.index(), None);
                sentence.set(word.index(), Column::Deprel, "_");
            }
        }
        if self.options.parse.confidences {
            for (word, confidence) in confidences.iter().enumerate().skip(1) {
                let sure = if is_given(Node(word as u32)) { 1.0 } else { *confidence };
                add_to_misc(sentence, word, sure.clamp(0.0, 1.0));
            }
        }
        Summary { steps, cheaper }
    }

    /// Heads that are there already; false if there are none.
    fn read_given(&mut self, sentence: &Sentence) -> Result<bool, AnnotateError> {
        self.given.clear();
        self.given.push(None);
        self.given.extend(sentence.words().map(|word| word.head().map(Node)));
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
                let name = self.model.labels.name(tree.label(word));
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
        let tree = transition::repair::enforce(&before, &self.given, roots, Label::default());
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

/// Adds `Score=0.97` to MISC.
fn add_to_misc(sentence: &mut Sentence, word: usize, confidence: f32) {
    let old = sentence.word(word).misc();
    let kept = old.split('|').filter(|part| *part != "_" && !part.starts_with("Score="));
    let mut misc: String = kept.flat_map(|part| [part, "|"]).collect();
    // Writing to a string cannot fail.
    let _ = write!(misc, "Score={confidence:.3}");
    sentence.set(word, Column::Misc, &misc);
}
