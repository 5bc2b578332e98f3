//! One worker of a pipeline with its own memory.
use std::io::Cursor;
use std::sync::Arc;

use conll::Sentence;
use self_cell::self_cell;

use super::{Error, Result};
use crate::annotate::AnnotateOptions;
use crate::parser::{Approximate, ParseOptions};
use crate::pipeline::{Components, Steps, TextFormat, TextOptions, TextProblem, TextWorker};
use crossarc_text::tokenize::document::{Block, Blocks};
use crossarc_text::tokenize::write::TokenNotes;

/// What may be chosen for a [`Session`].
///
/// ```
/// let options = crossarc::SessionOptions { beam: Some(4), scores: true, ..Default::default() };
/// assert!(!options.keep_heads);
/// ```
#[derive(Copy, Clone, Debug, Default)]
pub struct SessionOptions {
    /// Width of the beam; what the model was trained for if nothing.
    pub beam: Option<usize>,
    /// Say in MISC how sure the parser is of each arc, as `Score=0.970`.
    pub scores: bool,
    /// Heads (and their labels) that are there already stay.
    pub keep_heads: bool,
    /// Look at all there is: a graph parser prunes no heads, a beam drops nothing that has a place in it.
    pub exact: bool,
    /// The non-projective approximation of a graph parser; as it was trained if nothing.
    pub approximation: Option<Approximate>,
    /// Which columns are filled.
    pub steps: Steps,
    /// What MISC says about tokens of a text.
    pub notes: TokenNotes,
    /// What is known about texts.
    pub format: TextFormat,
}

self_cell!(
    struct Working {
        owner: Arc<Components>,
        #[not_covariant]
        dependent: TextWorker,
    }
);

/// A worker of a [`Pipeline`](crate::Pipeline): it owns its memory, which every call uses again, and
/// may be kept in a pool, moved to other threads and held across `.await`.
///
/// ```
/// # let text = "1\tBirds\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsing\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = conll::read_str(text, conll::ReadOptions::default())?;
/// # let options = crossarc::pipeline::PipelineOptions {
/// #     components: vec![crossarc::pipeline::Component::Parser], cross_fit: None, ..Default::default()
/// # };
/// # let pipeline = crossarc::train(&treebank, &[], &options)?;
/// let options = crossarc::SessionOptions { scores: true, ..Default::default() };
/// let mut session = pipeline.session(options);
/// let sentence = session.parse_words(&["Birds", "sing"])?;
/// assert!(sentence.word(1).misc().starts_with("Score="));
/// # Ok::<(), crossarc::Error>(())
/// ```
pub struct Session {
    working: Working,
    format: TextFormat,
}

/// Comments that say where a sentence stands in its text.
#[derive(Default)]
pub(super) struct Numbering(u64);

impl Numbering {
    pub(super) fn number(&mut self, sentence: &mut Sentence, begins_paragraph: bool) {
        self.0 += 1;
        sentence.prepend_comment(&format!("sent_id = {}", self.0));
        if begins_paragraph {
            sentence.prepend_comment("newpar");
        }
        if self.0 == 1 {
            sentence.prepend_comment("newdoc");
        }
    }
}

impl Session {
    pub(super) fn new(components: &Arc<Components>, options: SessionOptions) -> Session {
        let SessionOptions { beam, scores, keep_heads, exact, approximation, .. } = options;
        let annotate = AnnotateOptions {
            parse: ParseOptions { beam, confidences: scores, exact, approximation },
            keep_heads,
            headless: false,
        };
        let text = TextOptions { format: options.format, notes: options.notes };
        let working = Working::new(Arc::clone(components), |components| {
            components.text_worker(options.steps, annotate, text, None)
        });
        Session { working, format: options.format }
    }

    /// Splits a text and annotates its sentences, as [`Pipeline::parse`](crate::Pipeline::parse).
    pub fn parse(&mut self, text: &str) -> Result<Vec<Sentence>> {
        let input = Cursor::new(text.as_bytes().to_vec());
        let mut blocks = Blocks::new(input, self.format.cut());
        let mut numbering = Numbering::default();
        let mut sentences = Vec::new();
        while let Some(block) = blocks.next_block()? {
            for (mut sentence, begins) in self.block(&block)? {
                numbering.number(&mut sentence, begins);
                sentences.push(sentence);
            }
        }
        Ok(sentences)
    }

    /// The sentences of a part of a text, and whether they begin a paragraph.
    pub(super) fn block(&mut self, block: &Block) -> Result<Vec<(Sentence, bool)>> {
        let needs_tokenizer = self.format.needs_tokenizer();
        if needs_tokenizer && self.working.borrow_owner().tokenizer.is_none() {
            return Err(Error::NoTokenizer);
        }
        let mut found = Vec::new();
        self.working.with_dependent_mut(|_, worker| {
            worker.sentences(block, &mut |sentence, begins| {
                found.push((std::mem::take(sentence), begins));
            })
        })?;
        Ok(found)
    }

    /// Annotates words, as [`Pipeline::parse_words`](crate::Pipeline::parse_words).
    pub fn parse_words<W: AsRef<str>>(&mut self, words: &[W]) -> Result<Sentence> {
        let forms = words.iter().map(AsRef::as_ref);
        let sentence = self.working.with_dependent_mut(|_, worker| worker.words(forms));
        sentence.map_err(|problem| match problem {
            TextProblem::Build(error) => error.into(),
            TextProblem::Annotate(error) => error.into(),
        })
    }

    /// Annotates a sentence, as [`Pipeline::annotate`](crate::Pipeline::annotate). After an error the
    /// tree of the sentence is as before.
    pub fn annotate(&mut self, sentence: &mut Sentence) -> Result<()> {
        Ok(self.working.with_dependent_mut(|_, worker| worker.annotate(sentence))?)
    }

    /// Annotates several sentences as [`Session::annotate`] does each of them; nets are faster that way.
    pub fn annotate_all(&mut self, sentences: &mut [Sentence]) -> Vec<Result<()>> {
        let outcomes = self.working.with_dependent_mut(|_, worker| worker.annotate_all(sentences));
        outcomes.into_iter().map(|outcome| Ok(outcome.map(drop)?)).collect()
    }

    /// The best trees of a sentence, best first, as copies of it with `# rank` and `# score`.
    pub fn best(&mut self, sentence: &Sentence, most: usize) -> Result<Vec<Sentence>> {
        let mut copy = sentence.clone();
        let best =
            self.working.with_dependent_mut(|_, worker| worker.alternatives(&mut copy, most));
        if best.is_empty() && most > 0 && !sentence.is_empty() {
            return Err(Error::NoRanking);
        }
        Ok(best)
    }
}
