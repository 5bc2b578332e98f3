//! The front door: [`Pipeline`] and the calls that need nothing else.
mod documents;
mod error;
mod pool;
mod session;
mod stream;

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use conll::{Reader, Sentence};
use serde::Serialize;

pub use self::documents::Documents;
pub use self::error::{Error, Result};
pub use self::session::{Session, SessionOptions};
use self::stream::{Job, SENTENCES_A_JOB};
pub use self::stream::{Stream, StreamOptions};
use crate::eval::{self, Evaluation, Settings};
use crate::model::{Bytes, Container, ModelError, Opening};
use crate::pipeline::{self, Components, Parts, PipelineOptions};
use crossarc_text::tokenize::abbreviations::Abbreviations;
use crossarc_text::tokenize::document::Blocks;
use crossarc_train::header::Header;
use crossarc_train::observer::Unobserved;

/// A model at work: from text to trees.
///
/// Clones share the model, and all threads may use one pipeline at the same time. A model file of a
/// parser alone is a pipeline too; then [`parse`](Pipeline::parse) fails with
/// [`Error::NoTokenizer`], and the other calls work.
///
/// ```
/// # fn model() -> Vec<u8> {
/// #     let word = |id, form, head, label, misc| format!("{id}\t{form}\t{form}\tX\t_\t_\t{head}\t{label}\t_\t{misc}\n");
/// #     let text = word(1, "Birds", 2, "nsubj", "_") + &word(2, "sing", 0, "root", "SpaceAfter=No") + &word(3, ".", 2, "punct", "_") + "\n";
/// #     let sentences = conll::read_str(&text.repeat(20), Default::default()).unwrap();
/// #     let mut config = crossarc::pipeline::PipelineOptions::default();
/// #     config.parser.epochs = 2;
/// #     crossarc::train(&sentences, &[], &config).unwrap().bytes().to_vec()
/// # }
/// use crossarc::{Pipeline, SessionOptions};
/// let pipeline = Pipeline::from_bytes(model())?;
/// let sentences = pipeline.parse("Birds sing. Birds sing.")?;
/// assert_eq!(sentences.len(), 2);
/// let sentence = pipeline.parse_words(&["Birds", "sing", "."])?;
/// assert_eq!(sentence.word(2).head(), Some(0));
///
/// let mut sentence = crossarc::SentenceBuilder::new().word("Birds").word("sing").build()?;
/// pipeline.annotate(&mut sentence)?;
/// assert_eq!(sentence.word(1).head(), Some(2));
///
/// let text = std::io::Cursor::new("Birds sing.\n\n".repeat(100));
/// assert_eq!(pipeline.stream(text).count(), 100);
///
/// let mut session = pipeline.session(SessionOptions { scores: true, ..Default::default() });
/// let sentence = session.parse_words(&["Birds", "sing"])?;
/// assert!(sentence.word(1).misc().starts_with("Score="));
/// assert!(pipeline.info().tokenizer);
/// # Ok::<(), crossarc::Error>(())
/// ```
#[derive(Clone)]
pub struct Pipeline {
    shared: Arc<Shared>,
}

struct Shared {
    components: Arc<Components>,
    bytes: Bytes,
    /// Sessions with default options that nobody uses now.
    idle: Mutex<Vec<Session>>,
}

/// What a pipeline knows about itself.
///
/// ```
/// # let text = "1\tBirds\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsing\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = conll::read_str(text, conll::ReadOptions::default())?;
/// # let options = crossarc::pipeline::PipelineOptions {
/// #     components: vec![crossarc::pipeline::Component::Parser], cross_fit: None, ..Default::default()
/// # };
/// # let pipeline = crossarc::train(&treebank, &[], &options)?;
/// let info = pipeline.info();
/// assert_eq!((info.tokenizer, info.labels.len()), (false, 2));
/// # Ok::<(), crossarc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Info {
    /// Size of the model in bytes.
    pub size: u64,
    /// Whether it splits text.
    pub tokenizer: bool,
    /// Whether it finds tags.
    pub tagger: bool,
    /// Whether it finds lemmas.
    pub lemmatizer: bool,
    /// Name of the parser, if it has one.
    pub parser: Option<String>,
    /// Width of the parser's beam.
    pub beam: Option<usize>,
    /// Labels of the trees.
    pub labels: Vec<String>,
    /// Labelled attachment score on the development set, in percent.
    pub dev_las: Option<f64>,
    /// Names of the training files.
    pub train: Vec<String>,
    /// Licence and source of the treebank.
    pub note: String,
}

impl Pipeline {
    /// Opens a model file, of a pipeline or of a parser alone, by mapping it.
    pub fn open(path: impl AsRef<Path>) -> Result<Pipeline> {
        Pipeline::open_by(path, Opening::Map)
    }

    /// Opens a model file, of a pipeline or of a parser alone. A mapped file must not be changed while the
    /// pipeline lives; one that was read may.
    pub fn open_by(path: impl AsRef<Path>, opening: Opening) -> Result<Pipeline> {
        Pipeline::open_with(path, opening, &Abbreviations::default())
    }

    /// As [`open_by`](Pipeline::open_by), with abbreviations besides those that the model knows.
    pub fn open_with(
        path: impl AsRef<Path>,
        opening: Opening,
        abbreviations: &Abbreviations,
    ) -> Result<Pipeline> {
        let path = path.as_ref();
        Pipeline::load(path, Container::bytes_of(path, opening)?, abbreviations)
    }

    /// A model from memory, which is not copied if it is aligned to eight bytes.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Pipeline> {
        Pipeline::from_bytes_with(bytes, &Abbreviations::default())
    }

    /// As [`from_bytes`](Pipeline::from_bytes), with abbreviations besides those that the model knows.
    pub fn from_bytes_with(
        bytes: impl Into<Cow<'static, [u8]>>,
        abbreviations: &Abbreviations,
    ) -> Result<Pipeline> {
        Pipeline::load(&PathBuf::from("(memory)"), Bytes::take(bytes.into()), abbreviations)
    }

    fn load(path: &Path, bytes: Bytes, abbreviations: &Abbreviations) -> Result<Pipeline> {
        let container = Container::from_bytes(path, &bytes)?;
        let mut components = Components::load(&container, bytes.len() as u64)?;
        if let Some(tokenizer) = &mut components.tokenizer {
            tokenizer.learn_abbreviations(abbreviations);
        }
        let components = Arc::new(components);
        let shared = Shared { components, bytes, idle: Mutex::default() };
        Ok(Pipeline { shared: Arc::new(shared) })
    }

    /// The model file.
    pub fn bytes(&self) -> &[u8] {
        &self.shared.bytes
    }

    /// Writes the model file, which is complete or absent.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let write = || -> io::Result<()> {
            let mut file = conll::AtomicFile::create(path)?;
            file.write_all(self.bytes())?;
            file.finish()
        };
        write().map_err(|source| ModelError::Io { path: path.to_owned(), source }.into())
    }

    /// Splits a text into sentences and words, and annotates them as far as the model can.
    pub fn parse(&self, text: &str) -> Result<Vec<Sentence>> {
        self.with_session(|session| session.parse(text))
    }

    /// Annotates the words of one sentence.
    pub fn parse_words<W: AsRef<str>>(&self, words: &[W]) -> Result<Sentence> {
        self.with_session(|session| session.parse_words(words))
    }

    /// Fills the columns of a sentence: tags and lemmas if there are none, heads and labels always.
    pub fn annotate(&self, sentence: &mut Sentence) -> Result<()> {
        self.with_session(|session| session.annotate(sentence))
    }

    /// Annotates a text of any size on all cores.
    pub fn stream(&self, text: impl Read + Send + 'static) -> Stream {
        self.stream_with(text, StreamOptions::default())
    }

    /// As [`stream`](Pipeline::stream), with options.
    pub fn stream_with(&self, text: impl Read + Send + 'static, options: StreamOptions) -> Stream {
        let mut blocks = Blocks::new(text, options.session.format.cut());
        let input = move || Ok(blocks.next_block()?.map(Job::Text));
        Stream::new(&self.shared.components, options, Box::new(input))
    }

    /// Annotates a treebank of any size on all cores. A bad sentence is an error in its place.
    pub fn stream_treebank(&self, mut reader: Reader, options: StreamOptions) -> Stream {
        let mut at_end = false;
        let input = move || {
            let mut sentences = Vec::new();
            while !at_end && sentences.len() < SENTENCES_A_JOB {
                let mut sentence = Sentence::default();
                match reader.read(&mut sentence) {
                    Ok(true) => sentences.push(Ok(sentence)),
                    Ok(false) => at_end = true,
                    Err(error) => {
                        at_end = !error.is_recoverable();
                        sentences.push(Err(error.into()));
                    }
                }
            }
            Ok((!sentences.is_empty()).then_some(Job::Sentences(sentences)))
        };
        Stream::new(&self.shared.components, options, Box::new(input))
    }

    /// Annotates many texts, each a document of its own, on several threads.
    pub fn documents(&self, options: StreamOptions) -> Documents {
        Documents::new(&self.shared.components, options)
    }

    /// A worker with its own memory and options.
    pub fn session(&self, options: SessionOptions) -> Session {
        Session::new(&self.shared.components, options)
    }

    /// What the model knows about itself.
    pub fn info(&self) -> Info {
        let components = self.components();
        let header = components.parser.as_ref().map(|parser| &parser.header);
        let own = &components.header;
        let training = header.map(|header| &header.training);
        let note = training.filter(|_| own.note.is_empty()).map_or(&own.note, |own| &own.note);
        let train = training.filter(|_| own.train.is_empty()).map_or(&own.train, |own| &own.train);
        Info {
            size: components.size,
            tokenizer: components.tokenizer.is_some(),
            tagger: components.tagger.is_some(),
            lemmatizer: components.lemmatizer.is_some(),
            parser: header.map(|header| header.parser.clone()),
            beam: header.map(Header::beam),
            labels: header.map_or_else(Vec::new, |header| header.labels.clone()),
            dev_las: training.and_then(|training| training.dev_las),
            train: train.clone(),
            note: note.clone(),
        }
    }

    /// The parts of the pipeline.
    pub fn components(&self) -> &Components {
        &self.shared.components
    }

    /// Lends a session with default options. One that panics is not used again.
    fn with_session<T>(&self, work: impl FnOnce(&mut Session) -> T) -> T {
        let idle = || self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let lent = idle().pop();
        let mut session = lent.unwrap_or_else(|| self.session(SessionOptions::default()));
        let outcome = work(&mut session);
        let most = thread::available_parallelism().map_or(1, usize::from);
        let mut idle = idle();
        if idle.len() < most {
            idle.push(session);
        }
        outcome
    }
}

/// Trains all components of a pipeline, or those that the options name. `dev` may be empty.
///
/// ```
/// use crossarc::pipeline::{Component, PipelineOptions};
/// let text = "1\tBirds\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsing\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// let train = conll::read_str(text, conll::ReadOptions::default())?;
/// let mut config = PipelineOptions { components: vec![Component::Parser], ..Default::default() };
/// config.cross_fit = None;
/// let pipeline = crossarc::train(&train, &[], &config)?;
/// assert!(matches!(pipeline.parse("Birds sing"), Err(crossarc::Error::NoTokenizer)));
/// # Ok::<(), crossarc::Error>(())
/// ```
pub fn train(train: &[Sentence], dev: &[Sentence], config: &PipelineOptions) -> Result<Pipeline> {
    let parts = pipeline::train(config, Parts::default(), train, dev, &Unobserved)?;
    Pipeline::from_bytes(parts.to_bytes())
}

/// Compares sentences with gold ones, word by word, punctuation included.
///
/// ```
/// let read = |label: &str| {
///     let text = format!("1\tcats\t_\t_\t_\t_\t2\t{label}\t_\t_\n2\tsleep\t_\t_\t_\t_\t0\troot\t_\t_\n\n");
///     conll::read_str(&text, conll::ReadOptions::default())
/// };
/// let evaluation = crossarc::evaluate(&read("nsubj")?, &read("obj")?)?;
/// assert_eq!((evaluation.uas(), evaluation.las()), (Some(1.0), Some(0.5)));
/// # Ok::<(), crossarc::Error>(())
/// ```
pub fn evaluate(gold: &[Sentence], system: &[Sentence]) -> Result<Evaluation> {
    Ok(eval::evaluate_sentences(gold, system, Settings::default())?)
}
