//! The models of a server, by name only: no request ever names a file.
//!
//! A [`Catalogue`] is what there is at one moment; a reload makes another one, and requests that
//! hold the old one end with it. Models of a folder are loaded when they are first asked for, and the
//! one that was not used for the longest time goes when there are too many.
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crossarc::model::Opening;
use crossarc::registry::{self, Kind};
use crossarc::{Info, Pipeline};

use crate::refusal::Refusal;

/// The ending of model files in a folder.
pub const MODEL_EXTENSION: &str = "crossarc";
/// Name of the model inside the program.
pub const ENGLISH: &str = "english-ewt";
/// Longest part of an unknown name that a message repeats, in characters.
const SHOWN: usize = 60;

/// Where models come from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Names with their files, in the order of the command line.
    pub files: Vec<(String, PathBuf)>,
    /// A folder of files `NAME.crossarc`.
    pub folder: Option<PathBuf>,
    /// Whether the English model inside the program is left out.
    pub without_english: bool,
    /// The model of requests that name none, if it is not the first one.
    pub default: Option<String>,
}

/// A model that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {message}", path = path.display())]
pub struct SourceError {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub message: String,
}

/// What a model can do.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "one for each component")]
pub struct Abilities {
    /// Splits text.
    pub tokenizer: bool,
    /// Finds tags and features.
    pub tagger: bool,
    /// Finds lemmas.
    pub lemmatizer: bool,
    /// Finds trees.
    pub parser: bool,
}

impl Abilities {
    fn of(info: &Info) -> Abilities {
        Abilities {
            tokenizer: info.tokenizer,
            tagger: info.tagger,
            lemmatizer: info.lemmatizer,
            parser: info.parser.is_some(),
        }
    }

    /// The names of `UDPipe`'s steps that the model can do.
    pub fn steps(self) -> Vec<&'static str> {
        let tagger = self.tagger || self.lemmatizer;
        let all = [(self.tokenizer, "tokenizer"), (tagger, "tagger"), (self.parser, "parser")];
        all.into_iter().filter_map(|(there, name)| there.then_some(name)).collect()
    }
}

/// One model.
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Where it comes from and under which licence it is.
    pub note: String,
    /// What it can do.
    pub abilities: Abilities,
    /// Name of its parser, if it has one.
    pub parser: Option<String>,
    /// Whether it can rank trees, by a beam if need be.
    pub ranks: bool,
    /// Nothing for the model inside the program.
    file: Option<PathBuf>,
    /// Models of a folder may leave the memory.
    stays: bool,
    loaded: Mutex<Option<Pipeline>>,
    used: AtomicU64,
}

impl Entry {
    fn open(name: &str, file: Option<&Path>, stays: bool) -> Result<Entry, SourceError> {
        let pipeline = open(file)?;
        let info = pipeline.info();
        Ok(Entry {
            name: name.to_owned(),
            abilities: Abilities::of(&info),
            ranks: ranks(&pipeline, usize::MAX),
            parser: info.parser,
            note: info.note,
            file: file.map(Path::to_owned),
            stays,
            loaded: Mutex::new(stays.then_some(pipeline)),
            used: AtomicU64::new(0),
        })
    }

    /// What family its parser is of.
    pub fn kind(&self) -> Option<&'static str> {
        self.parser.as_deref().map(|parser| match registry::find(parser) {
            Ok(Kind::Transition) => "transition",
            Ok(Kind::Graph) => "graph",
            _ => "other",
        })
    }

    fn in_memory(&self) -> bool {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Whether a model can rank the trees of a sentence with a beam of this width.
pub fn ranks(pipeline: &Pipeline, beam: usize) -> bool {
    let Some(parser) = &pipeline.components().parser else { return false };
    let header = &parser.header;
    let by_beam = header.transition().is_some() && beam > 1;
    (header.parser == "eisner" || by_beam) && header.codec.transformations.is_empty()
}

fn open(file: Option<&Path>) -> Result<Pipeline, SourceError> {
    match file {
        Some(path) => Pipeline::open_by(path, Opening::Read).map_err(|error| {
            let (told, named) = (error.to_string(), format!("{}: ", path.display()));
            let message = told.strip_prefix(&named).unwrap_or(&told).to_owned();
            SourceError { path: path.to_owned(), message }
        }),
        None => crossarc_english::pipeline().map_err(|error| SourceError {
            path: PathBuf::from("the model inside the program"),
            message: error.to_string(),
        }),
    }
}

/// All models at one moment.
pub struct Catalogue {
    entries: Vec<Arc<Entry>>,
    clock: AtomicU64,
    most_loaded: usize,
}

impl Catalogue {
    /// Opens all sources. Files of a folder that are no models are told by `warn` and left out.
    fn read(
        sources: &Sources,
        most_loaded: usize,
        warn: &mut dyn FnMut(String),
    ) -> Result<Catalogue, SourceError> {
        let mut entries: Vec<Arc<Entry>> = Vec::new();
        for (name, path) in &sources.files {
            entries.push(Arc::new(Entry::open(name, Some(path), true)?));
        }
        if let Some(folder) = &sources.folder {
            for (name, path) in models_of(folder)? {
                if entries.iter().any(|entry| entry.name == name) {
                    continue;
                }
                match Entry::open(&name, Some(&path), false) {
                    Ok(entry) => entries.push(Arc::new(entry)),
                    Err(error) => warn(format!("left out: {error}")),
                }
            }
        }
        if !sources.without_english && entries.iter().all(|entry| entry.name != ENGLISH) {
            entries.push(Arc::new(Entry::open(ENGLISH, None, true)?));
        }
        if let Some(default) = &sources.default {
            let missing = || SourceError {
                path: PathBuf::from(default),
                message: "there is no model of this name to be the default".to_owned(),
            };
            let at = place(&entries, default).ok_or_else(missing)?;
            entries[..=at].rotate_right(1);
        }
        Ok(Catalogue { entries, clock: AtomicU64::new(0), most_loaded: most_loaded.max(1) })
    }

    /// The models, the default one first.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// The model of a name, of a prefix of its name that ends before a hyphen, or the default one
    /// for the empty name.
    pub fn find(&self, name: &str) -> Result<Arc<Entry>, Refusal> {
        let found = if name.is_empty() {
            self.entries.first()
        } else {
            place(&self.entries, name).map(|at| &self.entries[at])
        };
        found.cloned().ok_or_else(|| {
            let shown: String = name.chars().take(SHOWN).collect();
            Refusal::bad(format!("Requested model '{shown}' does not exist."))
        })
    }

    /// The model itself, loaded if it must be. Blocks.
    pub fn pipeline(&self, entry: &Entry) -> Result<Pipeline, Refusal> {
        entry.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let mut loaded = entry.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = &*loaded {
            return Ok(pipeline.clone());
        }
        let pipeline = open(entry.file.as_deref()).map_err(|_| {
            Refusal::busy(format!("The model '{}' cannot be loaded now.", entry.name))
        })?;
        *loaded = Some(pipeline.clone());
        drop(loaded);
        self.drop_unused(&entry.name);
        Ok(pipeline)
    }

    fn drop_unused(&self, kept: &str) {
        let mut loaded: Vec<&Arc<Entry>> =
            self.entries.iter().filter(|entry| !entry.stays && entry.in_memory()).collect();
        loaded.sort_by_key(|entry| entry.used.load(Ordering::Relaxed));
        let surplus = loaded.len().saturating_sub(self.most_loaded);
        for entry in loaded.into_iter().filter(|entry| entry.name != kept).take(surplus) {
            *entry.loaded.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// How many models are in memory.
    pub fn loaded(&self) -> usize {
        self.entries.iter().filter(|entry| entry.in_memory()).count()
    }
}

/// Where the model of a name is, or else the first one of which it is an alias: a prefix that ends
/// before a hyphen.
fn place(entries: &[Arc<Entry>], name: &str) -> Option<usize> {
    let starts = |entry: &Arc<Entry>| {
        entry.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
    };
    let exact = entries.iter().position(|entry| entry.name == name);
    exact.or_else(|| entries.iter().position(starts))
}

/// Names and paths of the models in a folder, by name.
fn models_of(folder: &Path) -> Result<Vec<(String, PathBuf)>, SourceError> {
    let told =
        |error: std::io::Error| SourceError { path: folder.to_owned(), message: error.to_string() };
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).map_err(told)? {
        let path = file.map_err(told)?.path();
        let is_model = path.extension().is_some_and(|extension| extension == MODEL_EXTENSION);
        let name = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
        if let (Some(name), true) = (name, is_model && path.is_file()) {
            found.push((name, path));
        }
    }
    found.sort();
    Ok(found)
}

/// The catalogue that new requests get.
pub struct Models {
    sources: Sources,
    most_loaded: usize,
    now: RwLock<Arc<Catalogue>>,
}

impl Models {
    /// Opens all sources.
    pub fn open(
        sources: Sources,
        most_loaded: usize,
        warn: &mut dyn FnMut(String),
    ) -> Result<Models, SourceError> {
        let now = RwLock::new(Arc::new(Catalogue::read(&sources, most_loaded, warn)?));
        Ok(Models { sources, most_loaded, now })
    }

    /// What there is now.
    pub fn now(&self) -> Arc<Catalogue> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens all sources anew. After an error all is as before.
    pub fn reload(&self, warn: &mut dyn FnMut(String)) -> Result<usize, SourceError> {
        let fresh = Arc::new(Catalogue::read(&self.sources, self.most_loaded, warn)?);
        let number = fresh.entries.len();
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(number)
    }
}
