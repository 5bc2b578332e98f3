//! All components in one model: from raw text to trees.
//!
//! A pipeline file is a container whose sections are containers: the tokenizer, the tagger, the
//! lemmatizer, and a parser exactly as `crossarc train` writes it alone. So each component can be
//! replaced without touching the others, and a file with a parser only is a pipeline too.
mod familiarity;
pub mod text;
pub mod train;

use std::path::{Path, PathBuf};

use conll::Sentence;
use serde::{Deserialize, Serialize};

use crate::annotate::{AnnotateError, AnnotateOptions, Annotator, Model, Summary};
use crossarc_model::{Bytes, Container, ModelError, Opening, SectionBytes};
use crossarc_text::lemma::{Lemmatizer, LemmatizerHeader, LemmatizerMemory};
use crossarc_text::tag::{Tagger, TaggerHeader, TaggerMemory};
use crossarc_text::tokenize::Tokenizer;
use crossarc_train::insight::Insight;
use crossarc_tree::Labels;
pub use familiarity::Familiarity;
pub use text::{TextError, TextFormat, TextOptions, TextProblem, TextWorker};
pub use train::{
    Component, Observer, PARSER_BEAM, PARSER_FOR_CROSSING_ARCS, PipelineError, PipelineOptions,
    has_many_crossing_arcs, parser_options, train, usual_runs,
};

/// Section of the tokenizer.
pub const TOKENIZER: &str = "pipeline tokenizer";
/// Section of the tagger.
pub const TAGGER: &str = "pipeline tagger";
/// Section of the lemmatizer.
pub const LEMMATIZER: &str = "pipeline lemmatizer";
/// Section of the parser.
pub const PARSER: &str = "pipeline parser";

/// What a pipeline knows about itself besides its components.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PipelineHeader {
    /// Names of the training files.
    pub train: Vec<String>,
    /// Names of the development files.
    pub dev: Vec<String>,
    /// Free text: licence and source of the treebank.
    pub note: String,
}

/// Which columns are filled.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Steps {
    /// Tags, features and lemmas; nothing if only where there are none.
    pub tag: Option<bool>,
    /// Heads and labels.
    pub parse: bool,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps { tag: None, parse: true }
    }
}

/// A model with all that is needed for its input, or less.
pub struct Components {
    /// What it knows about itself.
    pub header: PipelineHeader,
    /// Size of the file in bytes.
    pub size: u64,
    /// Splits text.
    pub tokenizer: Option<Tokenizer>,
    /// Finds tags.
    pub tagger: Option<Tagger>,
    /// Finds lemmas.
    pub lemmatizer: Option<Lemmatizer>,
    /// Finds trees.
    pub parser: Option<Model>,
}

impl Components {
    /// Opens a model file, of a pipeline or of a parser alone, by mapping it.
    pub fn open(path: impl AsRef<Path>) -> Result<Components, ModelError> {
        Components::open_by(path, Opening::Map)
    }

    /// Opens a model file, of a pipeline or of a parser alone.
    pub fn open_by(path: impl AsRef<Path>, opening: Opening) -> Result<Components, ModelError> {
        let path = path.as_ref();
        let container = Container::open_by(path, opening)?;
        let size = std::fs::metadata(path).map_or(0, |facts| facts.len());
        Components::load(&container, size)
    }

    /// A model from memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Components, ModelError> {
        let path = PathBuf::from("(memory)");
        let container = Container::from_bytes(&path, &Bytes::copy(bytes))?;
        Components::load(&container, bytes.len() as u64)
    }

    pub(crate) fn load(container: &Container, size: u64) -> Result<Components, ModelError> {
        let names = [TOKENIZER, TAGGER, LEMMATIZER, PARSER];
        if !names.iter().any(|name| container.has_section(name)) {
            let parser = Some(Model::load(container, size)?);
            let header = PipelineHeader::default();
            return Ok(Components {
                header,
                size,
                tokenizer: None,
                tagger: None,
                lemmatizer: None,
                parser,
            });
        }
        let tokenizer = container.nested(TOKENIZER)?;
        let tagger = container.nested(TAGGER)?;
        let lemmatizer = container.nested(LEMMATIZER)?;
        let parser = container.nested(PARSER)?;
        Ok(Components {
            header: container.content()?,
            size,
            tokenizer: tokenizer.map(|part| Tokenizer::load(&part)).transpose()?,
            tagger: tagger
                .map(|part| Tagger::load(&part, part.content::<TaggerHeader>()?))
                .transpose()?,
            lemmatizer: lemmatizer
                .map(|part| Lemmatizer::load(&part, part.content::<LemmatizerHeader>()?))
                .transpose()?,
            parser: parser.map(|part| Model::load(&part, size)).transpose()?,
        })
    }

    /// Memory for one thread that annotates sentences.
    pub fn worker(&self, steps: Steps, options: AnnotateOptions) -> PipelineWorker<'_> {
        let parser = self.parser.as_ref().filter(|_| steps.parse);
        PipelineWorker {
            pipeline: self,
            steps,
            tagger: TaggerMemory::default(),
            lemmatizer: LemmatizerMemory::default(),
            annotator: parser.map(|parser| parser.annotator(options)),
        }
    }
}

/// One thread of a pipeline, for sentences whose words are known.
pub struct PipelineWorker<'p> {
    pipeline: &'p Components,
    steps: Steps,
    tagger: TaggerMemory,
    lemmatizer: LemmatizerMemory,
    annotator: Option<Annotator<'p>>,
}

impl PipelineWorker<'_> {
    /// Fills the columns that are wanted; the others stay as they are.
    pub fn annotate(&mut self, sentence: &mut Sentence) -> Result<Summary, AnnotateError> {
        self.tag(sentence);
        match &mut self.annotator {
            Some(annotator) => annotator.annotate(sentence),
            None => Ok(Summary::default()),
        }
    }

    /// Does with several sentences what [`PipelineWorker::annotate`] does with one.
    pub fn annotate_all(
        &mut self,
        sentences: &mut [Sentence],
    ) -> Vec<Result<Summary, AnnotateError>> {
        self.tag_all(&mut sentences.iter_mut().collect::<Vec<_>>());
        match &mut self.annotator {
            Some(annotator) => annotator.annotate_all(sentences),
            None => sentences.iter().map(|_| Ok(Summary::default())).collect(),
        }
    }

    /// How many sentences it likes to get at once.
    pub fn batch(&self) -> usize {
        self.annotator.as_ref().map_or(1, Annotator::batch)
    }

    /// The best analyses of a sentence, as [`Annotator::alternatives`] gives them.
    pub fn alternatives(&mut self, sentence: &mut Sentence, most: usize) -> Vec<Sentence> {
        self.tag(sentence);
        let annotator = self.annotator.as_mut();
        annotator.map_or_else(Vec::new, |annotator| annotator.alternatives(sentence, most))
    }

    /// What the parser weighs for a sentence, as [`Annotator::insight`].
    pub fn insight(
        &mut self,
        sentence: &mut Sentence,
        follow: &[(String, String)],
    ) -> Option<(Insight, &Labels)> {
        self.tag(sentence);
        self.annotator.as_mut()?.insight(sentence, follow)
    }

    fn tag(&mut self, sentence: &mut Sentence) {
        self.tag_all(&mut [sentence]);
    }

    fn tag_all(&mut self, sentences: &mut [&mut Sentence]) {
        let wanted = |is_filled: bool| self.steps.tag.unwrap_or(!is_filled);
        if let Some(tagger) = &self.pipeline.tagger {
            let untagged =
                sentences.iter_mut().map(|sentence| &mut **sentence).filter(|sentence| {
                    wanted(sentence.words().any(|word| word.upos() != "_" || word.xpos() != "_"))
                });
            tagger.tag_all(&mut untagged.collect::<Vec<_>>(), &mut self.tagger);
        }
        for sentence in sentences {
            let lemmatized = sentence.words().any(|word| word.lemma() != "_");
            if let (Some(lemmatizer), true) = (&self.pipeline.lemmatizer, wanted(lemmatized)) {
                lemmatizer.lemmatize(sentence, &mut self.lemmatizer);
            }
        }
    }
}

/// The components of a pipeline as bytes, on their way into a file.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// What the pipeline knows about itself.
    pub header: PipelineHeader,
    /// Sections with the name of their component.
    pub sections: Vec<(&'static str, Vec<u8>)>,
}

impl Parts {
    /// The components of a file, to be changed.
    pub fn open(path: &Path) -> Result<Parts, ModelError> {
        let container = Container::open(path)?;
        let mut parts = Parts::default();
        for name in [TOKENIZER, TAGGER, LEMMATIZER, PARSER] {
            if container.has_section(name) {
                parts.sections.push((name, container.section(name)?.to_vec()));
            }
        }
        if parts.sections.is_empty() {
            Model::load(&container, 0)?;
            let io_error = |source| ModelError::Io { path: path.to_owned(), source };
            parts.sections.push((PARSER, std::fs::read(path).map_err(io_error)?));
        } else {
            parts.header = container.content()?;
        }
        Ok(parts)
    }

    /// Puts a component in the place of the old one.
    pub fn put(&mut self, name: &'static str, bytes: Vec<u8>) {
        self.sections.retain(|(known, _)| *known != name);
        self.sections.push((name, bytes));
        let order = |name: &str| {
            [TOKENIZER, TAGGER, LEMMATIZER, PARSER].iter().position(|known| *known == name)
        };
        self.sections.sort_by_key(|(name, _)| order(name));
    }

    /// A component as it can be loaded, if it is there.
    pub(crate) fn container(&self, name: &str) -> Result<Option<Container>, ModelError> {
        let found = self.sections.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, bytes)| Container::from_bytes(Path::new(name), &Bytes::copy(bytes)))
            .transpose()
    }

    fn listed(&self) -> Vec<SectionBytes<'_>> {
        self.sections.iter().map(|(name, bytes)| SectionBytes { name, bytes }).collect()
    }

    /// Writes the model file.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        Container::write(path, &self.header, &self.listed())
    }

    /// The model file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        Container::to_bytes(&self.header, &self.listed())
    }
}
