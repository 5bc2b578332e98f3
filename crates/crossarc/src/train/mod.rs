//! The door to training: one call for all parsers.
//!
//! ```
//! use crossarc::train::{TrainOptions, Unobserved, defaults, train};
//! let text = "1\tBirds\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsing\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
//! let sentences = conll::read_str(text, conll::ReadOptions::default()).unwrap();
//! let options = TrainOptions { epochs: 3, ..defaults("eisner") };
//! let trained = train(&options, &sentences, &[], &Unobserved).unwrap();
//! assert_eq!(trained.header().parser, "eisner");
//! ```

mod choices;
mod default_parser;
mod gaps;

use std::path::Path;

use conll::Sentence;

use crossarc_train::course::{self, Weights};
use crossarc_train::known_forms::KnownForms;
use crossarc_train::material::Material;
use crossarc_train::options::ScorerKind;
use crossarc_train::trial::scores_of;

use crate::annotate::{AnnotateOptions, Annotator, Model};
use crate::calibrate;
use crate::combine;
use crate::nets;
use crate::punctuation::{self, Punctuation};
use crate::registry;
use crossarc_model::{Container, ModelError, SectionBytes};
use crossarc_train::header::Header;
pub use crossarc_train::{
    Observer, TrainError, TrainOptions, Unobserved, checkpoint, combination, graph_options,
    machine_options, material, observer, options,
};
use crossarc_transition::model::StoredScorer;
use crossarc_transition::system::TreeClass;
use crossarc_transition::systems::SYSTEMS;
use crossarc_tree::codec::pseudo_projective::Scheme;
use crossarc_tree::codec::{CodecChain, TreeCodecSpec};

pub use choices::{ChoiceError, Choices, named};
pub use crossarc_train::observer::{EpochSummary, Plan};
pub use crossarc_train::options::Checkpointing;
pub use default_parser::WORDS_FOR_NETS;
pub use gaps::{Filled, fill_gaps};

/// Version of everything that turns a treebank and options into a score. Whoever changes training,
/// features or search so that scores may change raises it, and what was kept of earlier versions (cells
/// of grids, their parts) is trained anew.
pub const LEARNING: u32 = 14;

/// New labels for crossing arcs that a parser of projective trees has unless told otherwise.
const NEW_LABELS: usize = 30;

/// True if this is the name of a graph parser.
pub fn is_graph_parser(parser: &str) -> bool {
    matches!(registry::find(parser), Ok(registry::Kind::Graph))
}

/// The text of a built-in feature set of a parser.
pub fn feature_set(parser: &str, name: &str) -> Option<&'static str> {
    if is_graph_parser(parser) {
        crossarc_graph::features::built_in(name)
    } else {
        crossarc_learn::templates::built_in(name)
    }
}

/// The names of the built-in feature sets of a parser.
pub fn feature_sets(parser: &str) -> Vec<&'static str> {
    let sets = if is_graph_parser(parser) {
        crossarc_graph::features::SETS
    } else {
        crossarc_learn::templates::SETS
    };
    sets.iter().map(|&(name, _)| name).collect()
}

/// The default options of a parser.
pub fn defaults(parser: &str) -> TrainOptions {
    let plain = TrainOptions::default();
    let features = feature_set(parser, &plain.feature_set).unwrap_or_default().to_owned();
    let mut systems = SYSTEMS.iter();
    let projective =
        systems.any(|entry| entry.system == parser && entry.covers == TreeClass::Projective);
    let codec = if projective {
        CodecChain {
            tree: TreeCodecSpec {
                scheme: Some(Scheme::Head),
                label_cap: Some(NEW_LABELS),
                ..TreeCodecSpec::default()
            },
            ..CodecChain::default()
        }
    } else {
        CodecChain::default()
    };
    TrainOptions { parser: parser.to_owned(), features, codec, ..plain }
}

/// Unlabelled and labelled attachment score of a model on gold sentences, in percent.
pub fn attachment_scores(model: &Model, gold: &[Sentence]) -> (f64, f64) {
    let annotator = || model.annotator(AnnotateOptions::default());
    let parse = |annotator: &mut Annotator<'_>, _: usize, gold: &Sentence| {
        let mut parsed = gold.clone();
        annotator.annotate(&mut parsed).is_ok().then_some(parsed)
    };
    scores_of(gold, annotator, parse).attachment()
}

/// A trained model, ready to be saved or used.
pub enum Trained {
    /// A transition parser.
    Transition(Box<course::Trained<StoredScorer>>),
    /// A graph parser.
    Graph(Box<crossarc_graph::training::Trained>),
    /// Parts that were put together: parsers that work together, what attaches punctuation.
    Combined {
        /// What the model knows about itself.
        header: Box<Header>,
        /// What goes into the model, by name.
        sections: Vec<(String, Vec<u8>)>,
    },
}

impl Trained {
    /// What the model knows about itself.
    pub fn header(&self) -> &Header {
        match self {
            Trained::Transition(trained) => &trained.header,
            Trained::Graph(trained) => &trained.header,
            Trained::Combined { header, .. } => header,
        }
    }

    /// What the model knows about itself, to be completed.
    pub fn header_mut(&mut self) -> &mut Header {
        match self {
            Trained::Transition(trained) => &mut trained.header,
            Trained::Graph(trained) => &mut trained.header,
            Trained::Combined { header, .. } => header,
        }
    }

    fn sections(&self) -> Vec<SectionBytes<'_>> {
        match self {
            Trained::Transition(trained) => trained.weights.sections(),
            Trained::Graph(trained) => trained.weights.sections(),
            Trained::Combined { sections, .. } => {
                sections.iter().map(|(name, bytes)| SectionBytes { name, bytes }).collect()
            }
        }
    }

    /// Header and sections, to be put into a larger model.
    pub(crate) fn into_sections(self) -> (Header, Vec<(String, Vec<u8>)>) {
        let owned = |part: SectionBytes<'_>| (part.name.to_owned(), part.bytes.to_vec());
        let sections = self.sections().into_iter().map(owned).collect();
        (self.header().clone(), sections)
    }

    /// Writes the model file.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        Container::write(path, self.header(), &self.sections())
    }

    /// The model file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        Container::to_bytes(self.header(), &self.sections())
    }
}

/// Trains a parser. `dev` may be empty: then all epochs are run and the last one is kept.
pub fn train(
    options: &TrainOptions,
    sentences: &[Sentence],
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    let mut trained = train_uncalibrated(options, sentences, dev, observer)?;
    let forms = sentences.iter().flat_map(Sentence::words).map(|word| word.form());
    trained.header_mut().training.known_forms = Some(KnownForms::learn(forms));
    calibrated(trained, options, sentences, dev, observer)
}

/// Finds out what the confidences of a model are worth.
fn calibrated(
    mut trained: Trained,
    options: &TrainOptions,
    sentences: &[Sentence],
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    let few = sentences.len() < calibrate::LEAST_SENTENCES;
    // Nets take too long to be trained twice.
    let once = few || !options.hold_out || options.scorer != ScorerKind::Linear;
    if observer.should_stop() || dev.is_empty() && once {
        return Ok(trained);
    }
    let calibration = if dev.is_empty() {
        observer.part("the same on four fifths, to find out on the rest what scores are worth");
        let held = calibrate::held_out(sentences.len());
        let part = |wanted: bool| -> Vec<Sentence> {
            let those = sentences.iter().zip(&held).filter(|(_, held)| **held == wanted);
            those.map(|(sentence, _)| sentence.clone()).collect()
        };
        let options = TrainOptions { checkpoint: None, ..options.clone() };
        // What is left may be too little to learn from; the model is none the worse for it.
        let other = train_uncalibrated(&options, &part(false), &[], &Quietly(observer));
        let Ok(other) = other else { return Ok(trained) };
        let model = Model::from_bytes(&other.to_bytes())?;
        calibrate::fit(&model, &part(true)).of_held_out()
    } else {
        calibrate::fit(&Model::from_bytes(&trained.to_bytes())?, dev)
    };
    if calibration.arcs > 0 {
        trained.header_mut().calibration = Some(calibration);
    }
    Ok(trained)
}

/// Only passes on whether to stop.
struct Quietly<'o>(&'o dyn Observer);

impl Observer for Quietly<'_> {
    fn should_stop(&self) -> bool {
        self.0.should_stop()
    }
}

fn train_uncalibrated(
    options: &TrainOptions,
    sentences: &[Sentence],
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    registry::find(&options.parser)?;
    // Open until the end, so that it is read once and remembers what it said.
    let encoder = nets::open_encoder(&options.net)?;
    if let (Some(encoder), None, false) =
        (&encoder, &options.combination, options.scorer.scores_arcs())
    {
        return Err(TrainError::Encoder {
            folder: encoder.folder.clone(),
            error: "only the scorers biaffine and hybrid read one (`--scorer hybrid`)".to_owned(),
        });
    }
    let search = |options: &TrainOptions| match &options.combination {
        Some(combination) => {
            combine::training::train(options, combination, sentences, dev, observer)
        }
        None if options.scorer.scores_arcs()
            && (options.scorer == ScorerKind::Biaffine || is_graph_parser(&options.parser)) =>
        {
            check_alone(options)?;
            if !is_graph_parser(&options.parser) {
                return Err(TrainError::NoArcs { parser: options.parser.clone() });
            }
            nets::train(options, sentences, dev, observer)
        }
        None => train_alone(options, Material::plain(sentences), Material::plain(dev), observer),
    };
    let punctuation = Some(options)
        .filter(|options| options.punctuation && options.codec.transformations.is_empty())
        .and_then(|options| punctuation::learn(sentences, options.seed));
    let Some(punctuation) = punctuation else { return search(options) };
    let left = options.most_bytes.map(|most| most.saturating_sub(punctuation::MOST_BYTES));
    let trained = search(&TrainOptions { most_bytes: left, ..options.clone() })?;
    with_punctuation(trained, punctuation, dev, observer)
}

/// Puts what attaches punctuation into a model, if that is of use on the development set.
fn with_punctuation(
    trained: Trained,
    mut punctuation: Punctuation,
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    let mut scores = None;
    if !dev.is_empty() {
        let model = Model::from_bytes(&trained.to_bytes())?;
        let Some(fitted) = punctuation::fit(&punctuation, &model, dev) else { return Ok(trained) };
        let points = fitted.gain.map(|words| 100.0 * words as f64 / fitted.words.max(1) as f64);
        let training = &trained.header().training;
        scores = training.dev_uas.zip(training.dev_las);
        scores = scores.map(|(uas, las)| (uas + points[0], las + points[1]));
        punctuation = fitted.punctuation;
    }
    let (mut header, mut sections) = trained.into_sections();
    if let Some(scores) = scores {
        header.training.note_scores(scores);
        observer.punctuated(scores);
    }
    sections.push((punctuation::SECTION.to_owned(), punctuation.to_bytes()));
    Ok(Trained::Combined { header: Box::new(header), sections })
}

/// What graph parsers do not have must not be asked of them.
fn check_alone(options: &TrainOptions) -> Result<(), TrainError> {
    if !is_graph_parser(&options.parser) {
        return Ok(());
    }
    if options.completion {
        return Err(TrainError::CompletionWithoutBeam);
    }
    if options.svm.is_some() {
        return Err(TrainError::NoMachines { parser: options.parser.clone() });
    }
    if options.right_to_left {
        return Err(TrainError::NoDirection { parser: options.parser.clone() });
    }
    Ok(())
}

/// Trains one parser, which may know what guides say.
pub(crate) fn train_alone(
    options: &TrainOptions,
    material: Material<'_>,
    dev: Material<'_>,
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    if is_graph_parser(&options.parser) {
        check_alone(options)?;
        if options.scorer.scores_moves() {
            return Err(TrainError::NoMoves { parser: options.parser.clone() });
        }
        let trained = crossarc_graph::training::train(options, material, dev, observer)?;
        return Ok(Trained::Graph(Box::new(trained)));
    }
    let trained = crossarc_transition::train::train(options, material, dev, observer)?;
    Ok(Trained::Transition(Box::new(trained)))
}
