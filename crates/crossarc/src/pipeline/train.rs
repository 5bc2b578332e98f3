//! Training all components of a pipeline by one call.
//!
//! The parser learns from tags and lemmas as the tagger predicts them for sentences it has not seen
//! (cross-fitting), for right ones would make it trust tags more than it should on new text.
use std::path::Path;

use conll::Sentence;

use super::{LEMMATIZER, PARSER, Parts, TAGGER, TOKENIZER};
use crate::annotate::Model;
use crate::combine::bundle::VOTE;
use crate::train::options::ScorerKind;
use crate::train::{ChoiceError, Choices, TrainError, TrainOptions};
use crossarc_model::{Container, ModelError, SectionBytes};

use crossarc_text::lemma::{Lemmatizer, LemmatizerMemory, LemmatizerOptions};
use crossarc_text::tag::{
    CrossFitOptions, TagNetOptions, Tagger, TaggerError, TaggerMemory, TaggerOptions,
    TaggerProgress, TaggerStep, cross_fitted,
};
use crossarc_text::tokenize::{SegmentationScore, TokenizerOptions};

/// A part of a pipeline that can be trained by itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Component {
    /// Tokens, sentences and tokens of several words.
    Tokenizer,
    /// Tags and features.
    Tagger,
    /// Lemmas.
    Lemmatizer,
    /// Trees.
    Parser,
    /// How far the scores of the parser that is there can be believed, found out on the development set.
    Calibration,
}

impl Component {
    /// All components with their names.
    pub const NAMES: [(&'static str, Component); 5] = [
        ("tokenizer", Component::Tokenizer),
        ("tagger", Component::Tagger),
        ("lemmatizer", Component::Lemmatizer),
        ("parser", Component::Parser),
        ("calibration", Component::Calibration),
    ];

    /// The components of a new pipeline. Calibration is part of training a parser.
    pub const ALL: [Component; 4] =
        [Component::Tokenizer, Component::Tagger, Component::Lemmatizer, Component::Parser];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// What may be chosen about training.
#[derive(Clone, Debug)]
pub struct PipelineOptions {
    /// Options of the tokenizer.
    pub tokenizer: TokenizerOptions,
    /// Options of the tagger.
    pub tagger: TaggerOptions,
    /// Options of the lemmatizer.
    pub lemmatizer: LemmatizerOptions,
    /// A net beside the tagger, if it is wanted.
    pub tagger_net: Option<TagNetOptions>,
    /// How the parser gets its tags; right ones if nothing.
    pub cross_fit: Option<CrossFitOptions>,
    /// Options of the parser.
    pub parser: TrainOptions,
    /// Sentences that a teacher has annotated: tagger and parser learn from them, too.
    pub taught: Vec<Sentence>,
    /// Bytes of all components together; each has its own limit if nothing.
    pub most_bytes: Option<usize>,
    /// The components to train.
    pub components: Vec<Component>,
}

/// The parser of treebanks in which crossing arcs are frequent, unless another one is asked for.
pub const PARSER_FOR_CROSSING_ARCS: &str = "carreras";

/// Non-projective arcs in a hundred that make them frequent.
const MANY_CROSSING_ARCS: usize = 2;

/// True if crossing arcs are so frequent in a treebank that a parser which finds them by itself is worth
/// its time.
pub fn has_many_crossing_arcs(sentences: &[Sentence]) -> bool {
    let words: usize = sentences.iter().map(Sentence::len).sum();
    let crossing: usize = sentences.iter().map(crossarc_train::trial::crossing_arcs).sum();
    crossing * 100 > words * MANY_CROSSING_ARCS
}

/// Runs of a parser whose weights are averaged, unless another number is asked for. Those of graph
/// parsers take longer.
pub fn usual_runs(parser: &str) -> usize {
    if crate::train::is_graph_parser(parser) { 2 } else { 4 }
}

/// Width of the beam of a transition parser that learns a perceptron, unless another one is asked for.
pub const PARSER_BEAM: usize = 8;

/// What the parser of a pipeline, or one alone, is trained with: what was chosen, and in a pipeline the
/// usual runs and beam where nothing was. Names of files are relative to `folder`.
pub fn parser_options(
    choices: &Choices,
    in_pipeline: bool,
    folder: &Path,
) -> Result<TrainOptions, ChoiceError> {
    let mut options = choices.options(folder)?;
    if in_pipeline {
        let nets = options.scorer != ScorerKind::Linear;
        let usual = if nets { 1 } else { usual_runs(&options.parser) };
        options.runs = choices.runs.unwrap_or(usual);
        // The tagger leaves no column empty.
        options.hidden_columns = choices.hidden_columns.unwrap_or(0.0);
        let searches = !crate::train::is_graph_parser(&options.parser) && options.parser != VOTE;
        if choices.beam.is_none() && !choices.fast && searches && options.svm.is_none() {
            options.beam = PARSER_BEAM;
        }
    }
    Ok(options)
}

impl Default for PipelineOptions {
    /// All components, with the default parser.
    fn default() -> PipelineOptions {
        PipelineOptions::new(TrainOptions::default())
    }
}

impl PipelineOptions {
    /// All components, with this parser.
    pub fn new(parser: TrainOptions) -> PipelineOptions {
        let seed = parser.seed;
        let mut cross_fit = CrossFitOptions { seed, ..CrossFitOptions::default() };
        cross_fit.tagger.both_directions = true;
        PipelineOptions {
            tokenizer: TokenizerOptions { seed, ..TokenizerOptions::default() },
            tagger: TaggerOptions { seed, both_directions: true, ..TaggerOptions::default() },
            lemmatizer: LemmatizerOptions::default(),
            tagger_net: None,
            cross_fit: Some(cross_fit),
            parser,
            taught: Vec::new(),
            most_bytes: None,
            components: Component::ALL.to_vec(),
        }
    }

    /// Limits the bytes of all components together. Few bytes are better spent on one direction of
    /// the tagger than on two.
    pub fn limit(&mut self, most_bytes: usize) {
        self.most_bytes = Some(most_bytes);
        self.tagger.both_directions = false;
        if let Some(cross_fit) = &mut self.cross_fit {
            cross_fit.tagger.both_directions = false;
        }
    }
}

/// Watches the training of a pipeline.
pub trait Observer: crossarc_train::Observer {
    /// Something begins or has ended.
    fn say(&self, _line: &str) {}
}

impl Observer for crossarc_train::Unobserved {}

/// Why a pipeline cannot be trained.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// Nothing to tag.
    #[error(transparent)]
    Tagger(#[from] TaggerError),
    /// The parser.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A component that should be kept cannot be read.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// What the components before the parser may have of a limited size, in percent.
const TOKENIZER_SHARE: usize = 5;
const TAGGER_SHARE: usize = 30;
const LEMMATIZER_SHARE: usize = 5;
/// Bytes of a feature of the tokenizer in its table.
const BYTES_A_FEATURE: usize = 13;
/// Bytes that the parser gets at least, however large the other components are.
const LEAST: usize = 1 << 20;

/// Trains the chosen components and puts them among the others. The tagger that is there already
/// tags the development set for the parser if it is not trained anew.
pub fn train(
    options: &PipelineOptions,
    mut parts: Parts,
    train: &[Sentence],
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Parts, PipelineError> {
    // Open until the end, so that it is read once and remembers what it said.
    let encoder = crate::nets::open_encoder(&options.parser.net)?;
    let share = |percent: usize| options.most_bytes.map(|all| all / 100 * percent);
    for component in &options.components {
        observer.say(&format!("{}:", component.name()));
        match component {
            Component::Tokenizer => {
                let score = |epoch: usize, score: SegmentationScore| {
                    let SegmentationScore { tokens, sentences } = score;
                    observer.say(&format!(
                        "epoch {epoch:>2}: dev tokens {tokens:.2} sentences {sentences:.2}"
                    ));
                };
                let mut chosen = options.tokenizer.clone();
                if let Some(most) = share(TOKENIZER_SHARE) {
                    chosen.most_features = chosen.most_features.min(most / BYTES_A_FEATURE);
                }
                let tokenizer = crossarc_text::tokenize::train(train, dev, &chosen, score);
                parts.put(TOKENIZER, tokenizer.to_bytes());
            }
            Component::Tagger => {
                let tell = |progress: TaggerProgress| {
                    let step = match progress.step {
                        TaggerStep::First => "first tags",
                        TaggerStep::Tags => "tags",
                        TaggerStep::Analyses => "features",
                    };
                    if let Some(dev) = progress.dev {
                        observer.say(&format!("epoch {:>2}: dev {step} {dev:.2}", progress.epoch));
                    }
                };
                let mut chosen = options.tagger.clone();
                chosen.most_bytes = share(TAGGER_SHARE).or(chosen.most_bytes);
                let train = [train, &options.taught[..]].concat();
                let mut tagger = Tagger::train(&train, dev, &chosen, &tell)?;
                if let Some(net) = &options.tagger_net {
                    let net = TagNetOptions { encoder: encoder.clone(), ..net.clone() };
                    tagger.train_net(&train, dev, &net, &mut |epoch, loss| {
                        observer.say(&format!("epoch {epoch:>2}: net, loss {loss:.3} a word"));
                        observer.should_stop()
                    })?;
                    if let Some(dev) = tagger.training().dev {
                        observer
                            .say(&format!("dev tags {:.2} features {:.2}", dev.upos, dev.feats));
                    }
                }
                parts.put(TAGGER, tagger.to_bytes());
            }
            Component::Lemmatizer => {
                let mut chosen = options.lemmatizer.clone();
                chosen.most_bytes = share(LEMMATIZER_SHARE).or(chosen.most_bytes);
                let lemmatizer = Lemmatizer::train(train, dev, &chosen);
                observer.say(&format!("dev lemmas {:.2}", lemmatizer.accuracy(dev)));
                let bytes = Container::to_bytes(&lemmatizer.header(), &lemmatizer.sections());
                parts.put(LEMMATIZER, bytes);
            }
            Component::Parser => {
                let (train, dev) = as_tagged(options, &parts, train, dev)?;
                let mut parser = options.parser.clone();
                if let Some(all) = options.most_bytes {
                    let others = parts.sections.iter().filter(|(name, _)| *name != PARSER);
                    let rest: usize = others.map(|(_, bytes)| bytes.len()).sum();
                    parser.most_bytes = Some(all.saturating_sub(rest).max(LEAST));
                }
                let mut trained = crate::train::train(&parser, &train, &dev, observer)?;
                let training = &mut trained.header_mut().training;
                training.train.clone_from(&parts.header.train);
                training.dev.clone_from(&parts.header.dev);
                training.note.clone_from(&parts.header.note);
                parts.put(PARSER, trained.to_bytes());
            }
            Component::Calibration => calibrate(options, &mut parts, dev)?,
        }
    }
    Ok(parts)
}

/// Fits what the scores of a parser are worth on sentences that it has not seen.
fn calibrate(
    options: &PipelineOptions,
    parts: &mut Parts,
    dev: &[Sentence],
) -> Result<(), PipelineError> {
    let Some(container) = parts.container(PARSER)? else { return Ok(()) };
    let dev = match options.cross_fit {
        Some(_) => tagged(parts, dev)?,
        None => dev.to_vec(),
    };
    let model = Model::load(&container, 0)?;
    let mut header = model.header.clone();
    header.calibration = Some(crate::calibrate::fit(&model, &dev));
    let mut sections = Vec::new();
    for name in container.names() {
        sections.push(SectionBytes { name, bytes: container.section(name)? });
    }
    parts.put(PARSER, Container::to_bytes(&header, &sections));
    Ok(())
}

/// Sentences as the parser will see them.
fn as_tagged(
    options: &PipelineOptions,
    parts: &Parts,
    train: &[Sentence],
    dev: &[Sentence],
) -> Result<(Vec<Sentence>, Vec<Sentence>), PipelineError> {
    let Some(cross_fit) = &options.cross_fit else {
        return Ok(([train, &options.taught[..]].concat(), dev.to_vec()));
    };
    // The teacher has not seen its text either.
    let train = [cross_fitted(train, cross_fit)?, options.taught.clone()].concat();
    Ok((train, tagged(parts, dev)?))
}

/// Development sentences with the tags and lemmas that the components find.
fn tagged(parts: &Parts, dev: &[Sentence]) -> Result<Vec<Sentence>, PipelineError> {
    let mut dev = dev.to_vec();
    if let Some(container) = parts.container(TAGGER)? {
        let tagger = Tagger::load(&container, container.content()?)?;
        let mut sentences: Vec<&mut Sentence> = dev.iter_mut().collect();
        tagger.tag_all(&mut sentences, &mut TaggerMemory::default());
    }
    if let Some(container) = parts.container(LEMMATIZER)? {
        let lemmatizer = Lemmatizer::load(&container, container.content()?)?;
        let mut memory = LemmatizerMemory::default();
        for sentence in &mut dev {
            lemmatizer.lemmatize(sentence, &mut memory);
        }
    }
    Ok(dev)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;
    use crossarc_tree::treebank::generate::{TreebankOptions, treebank};

    #[test]
    fn crossing_arcs_are_counted_by_share() {
        for (share, many) in [(0.0, false), (0.01, false), (0.04, true)] {
            let options = TreebankOptions { nonprojective: share, ..TreebankOptions::default() };
            assert_eq!(has_many_crossing_arcs(&treebank(Seed(5), &options)), many, "{share}");
        }
        assert!(!has_many_crossing_arcs(&[]));
    }

    #[test]
    fn graph_parsers_are_trained_less_often() {
        assert!(usual_runs(PARSER_FOR_CROSSING_ARCS) < usual_runs("arc-eager"));
    }
}
