//! Nets beside a graph parser: they read sentences and say how probable each arc is, and each label
//! ([`ArcField`]); decoders make trees of that.
//!
//! A model holds one net or several; the scores of several are averaged, which for nets is better than
//! averaging weights. With a linear model beside them (`--scorer hybrid`) both are trained alone, and
//! how much the nets count is fitted on the development set.
mod checkpoint;

use std::collections::HashSet;
use std::sync::Arc;

use conll::Sentence;
use encoder::{Encoder, Reference};
use neural::{
    BiaffineModel, Example, Options, Outside, Precision, Saved, Scorer, Vectors, Verdict,
};
use rayon::prelude::*;

use checkpoint::{Keeper, NetBytes, beside};

use crate::train::{Observer, TrainError, TrainOptions, Trained};
use crossarc_learn::features::{ArcField, Guidance};
use crossarc_model::{Bytes, Container, ModelError, SectionBytes};
use crossarc_train::checkpoint::Fingerprint;
use crossarc_train::course::EpochReport;
use crossarc_train::material::Material;
use crossarc_train::observer::{EpochSummary, Plan};
use crossarc_train::options::NetOptions;
use crossarc_train::trial::Scored;
use crossarc_tree::{Labels, Node};

/// Nets of a model at most.
pub const MOST_NETS: usize = 16;
/// Sentences whose words are scored together.
pub(crate) const BATCH: usize = 32;
/// Words of the development set by which epochs of a net are judged, at most.
const JUDGED_WORDS: usize = 4_000;

/// The section of a net in a model file, from 0.
fn section(net: usize) -> String {
    format!("net {}", net + 1)
}

/// The section of the vectors of words that the nets share.
const VECTORS: &str = "vectors";
/// The first words of a file of vectors that are kept; beside those of the treebank.
const MOST_WORDS: usize = 100_000;

/// The nets of a model.
pub(crate) struct Nets {
    models: Vec<BiaffineModel>,
}

impl Nets {
    /// The nets in a model file, which must know the labels of the model.
    pub(crate) fn load(
        container: &Container,
        nets: usize,
        labels: &[String],
    ) -> Result<Nets, ModelError> {
        if !(1..=MOST_NETS).contains(&nets) {
            return Err(container.damaged("it has too many nets, or none"));
        }
        let vectors = match container.nested(VECTORS)? {
            None => None,
            Some(part) => {
                let section = |name: &str| part.section(name).ok().map(|bytes| &**bytes);
                let vectors = Vectors::from_sections(section);
                let wrong = || container.damaged("its vectors of words cannot be read");
                Some(Arc::new(vectors.ok_or_else(wrong)?))
            }
        };
        let encoder = Reference::load(container)?.map(|reference| reference.encoder);
        let outside = Outside { vectors, encoder };
        let load = |net| {
            let name = section(net);
            let part = container.nested(&name)?;
            let part =
                part.ok_or_else(|| container.damaged(&format!("section `{name}` is missing")))?;
            let model = read_net(&part, &outside)?;
            if model.labels() != labels {
                return Err(container.damaged("a net has other labels than the parser"));
            }
            Ok(model)
        };
        Ok(Nets { models: (0..nets).map(load).collect::<Result<_, _>>()? })
    }

    /// Memory for one thread.
    pub(crate) fn worker(&self) -> NetWorker<'_> {
        NetWorker { scorers: self.models.iter().map(Scorer::new).collect() }
    }

    /// What the nets say about sentences, on all cores.
    fn fields(&self, sentences: &[Sentence]) -> Vec<Guidance> {
        let of_chunk = |chunk: &[Sentence]| {
            let mut worker = self.worker();
            let sentences: Vec<&Sentence> = chunk.iter().collect();
            let guidance = |field| {
                let mut guidance = Guidance::default();
                guidance.set_field(field);
                guidance
            };
            worker.fields(&sentences).into_iter().map(guidance).collect::<Vec<_>>()
        };
        sentences.par_chunks(BATCH).flat_map_iter(of_chunk).collect()
    }
}

/// One thread of the nets of a model.
pub(crate) struct NetWorker<'m> {
    scorers: Vec<Scorer<'m>>,
}

impl NetWorker<'_> {
    /// What the nets say about sentences, the same for each whatever stands beside it; nothing about
    /// one that is too long for a net.
    pub(crate) fn fields(&mut self, sentences: &[&Sentence]) -> Vec<Option<Arc<ArcField>>> {
        let mut found = Vec::with_capacity(sentences.len());
        for batch in sentences.chunks(BATCH) {
            let short: Vec<&Sentence> = batch
                .iter()
                .copied()
                .filter(|sentence| sentence.len() <= neural::MOST_WORDS)
                .collect();
            let mut of_nets: Vec<_> = self
                .scorers
                .iter_mut()
                .filter_map(|scorer| scorer.score(&short).ok())
                .map(Vec::into_iter)
                .collect();
            for sentence in batch {
                let scores: Vec<neural::ArcScores> = if sentence.len() > neural::MOST_WORDS {
                    Vec::new()
                } else {
                    of_nets.iter_mut().filter_map(Iterator::next).collect()
                };
                found.push((!scores.is_empty()).then(|| Arc::new(mean(&scores))));
            }
        }
        found
    }
}

/// The mean of what several nets say about a sentence.
fn mean(nets: &[neural::ArcScores]) -> ArcField {
    let share = 1.0 / nets.len() as f32;
    let mut arcs = nets[0].arcs().to_vec();
    for other in &nets[1..] {
        arcs.iter_mut().zip(other.arcs()).for_each(|(sum, one)| *sum += one);
    }
    for score in &mut arcs {
        *score *= share;
    }
    let mut of_arc = Vec::new();
    ArcField::new(nets[0].words(), &arcs, nets[0].label_count(), |head, dependent, sums| {
        for net in nets {
            net.labels(head, dependent, &mut of_arc);
            sums.iter_mut().zip(&of_arc).for_each(|(sum, one)| *sum += share * one);
        }
    })
}

/// Trains a graph parser with nets.
pub(crate) fn train(
    options: &TrainOptions,
    sentences: &[Sentence],
    dev: &[Sentence],
    observer: &dyn Observer,
) -> Result<Trained, TrainError> {
    if !options.codec.transformations.is_empty() {
        return Err(TrainError::Combination(
            "a parser with nets takes no codec that transforms sentences".to_owned(),
        ));
    }
    let mut labels = Labels::default();
    let examples = options.codec.clone().fit(sentences, &mut labels)?;
    let examples: Vec<Example<'_>> = examples
        .iter()
        .map(|example| Example {
            sentence: &example.sentence,
            heads: example.tree.words().map(|word| example.tree.head(word).0).collect(),
            labels: example
                .tree
                .words()
                .map(|word| u32::from(example.tree.label(word).0))
                .collect(),
        })
        .collect();
    let names: Vec<String> = labels.iter().map(|(_, name)| name.to_owned()).collect();
    let vectors = read_vectors(&options.net, sentences, dev)?.map(Arc::new);
    let reference = open_encoder(&options.net)?;
    let encoder = reference.as_ref().map(|reference| Arc::clone(&reference.encoder));
    let outside = Outside { vectors, encoder };
    let count = options.net.nets.unwrap_or(1).clamp(1, MOST_NETS);
    let mut nets = Nets { models: Vec::with_capacity(count) };
    let mut keeper = Keeper::new(options, || Fingerprint::of(options, "", sentences, dev))?;
    let mut bytes = keeper.as_mut().map_or(Vec::new(), |keeper| keeper.finished.clone());
    for net in 0..count {
        if net >= bytes.len() {
            observer.part(&format!("net {} of {count}", net + 1));
            let own = net_options(options, net, outside.clone());
            let watch = Watch::new(observer, dev, keeper.as_mut());
            bytes.push(train_net(&own, &examples, &names, watch)?);
            if let Some(keeper) = keeper.as_mut().filter(|_| !observer.should_stop()) {
                keeper.finished.clone_from(&bytes);
                keeper.keep(&Saved::default(), observer);
            }
        }
        // The net as it is in the model, with weights of few bits.
        let container = Container::from_bytes("net".as_ref(), &Bytes::copy(&bytes[net]))?;
        nets.models.push(read_net(&container, &outside)?);
        if observer.should_stop() {
            break;
        }
    }
    let options =
        &TrainOptions { checkpoint: beside(options.checkpoint.as_ref()), ..options.clone() };
    let guidance = nets.fields(dev);
    observer.part(&options.parser);
    let held_out = Material { sentences: dev, guidance: &guidance };
    let material = Material::plain(sentences);
    let mut trained = crossarc_graph::training::train(options, material, held_out, observer)?;
    if let Some(net) = trained.header.graph_mut().and_then(|graph| graph.net.as_mut()) {
        net.nets = nets.models.len();
    }
    let (header, mut sections) = Trained::Graph(Box::new(trained)).into_sections();
    sections.extend(bytes.into_iter().enumerate().map(|(at, bytes)| (section(at), bytes)));
    sections.extend(reference.iter().flat_map(Reference::sections));
    if let Some(vectors) = outside.vectors {
        let parts = vectors.sections();
        let parts = parts.iter().map(|(name, bytes)| SectionBytes { name, bytes });
        sections.push((VECTORS.to_owned(), Container::to_bytes(&(), &parts.collect::<Vec<_>>())));
    }
    Ok(Trained::Combined { header: Box::new(header), sections })
}

/// The encoder that was asked for, which remembers what it says about the whole treebank.
pub(crate) fn open_encoder(options: &NetOptions) -> Result<Option<Reference>, TrainError> {
    let Some(folder) = &options.encoder else { return Ok(None) };
    let encoder = Encoder::open(folder).map_err(|error| TrainError::Encoder {
        folder: folder.clone(),
        error: error.to_string(),
    })?;
    encoder.remember(encoder::REMEMBERED_IN_TRAINING);
    Ok(Some(Reference { encoder, folder: folder.clone(), inside: options.encoder_inside }))
}

/// The vectors of words that were asked for: of frequent words, and of those in the treebank.
fn read_vectors(
    options: &NetOptions,
    train: &[Sentence],
    dev: &[Sentence],
) -> Result<Option<Vectors>, TrainError> {
    let Some(path) = &options.vectors else { return Ok(None) };
    let wrong = |error: String| TrainError::Vectors { path: path.clone(), error };
    let words = train.iter().chain(dev).flat_map(Sentence::words);
    let forms: HashSet<String> =
        words.flat_map(|word| [word.form().to_owned(), word.form().to_lowercase()]).collect();
    let input = conll::open_input(path).map_err(|error| wrong(error.to_string()))?;
    let vectors = Vectors::read(input, MOST_WORDS, |word| forms.contains(word));
    Ok(Some(vectors.map_err(|error| wrong(error.to_string()))?))
}

/// Options of a net.
fn net_options(options: &TrainOptions, net: usize, outside: Outside) -> Options {
    let NetOptions { epochs, hidden, dropout, .. } = &options.net;
    let plain = Options::default();
    let seed = options.seed.wrapping_add((net as u64) << 32);
    let mut inputs = plain.inputs;
    for column in &options.ignored_columns {
        match column.as_str() {
            "lemma" => inputs.lemma = false,
            "upos" => inputs.upos = false,
            "xpos" => inputs.xpos = false,
            "feats" => inputs.feats = false,
            _ => {}
        }
    }
    Options {
        inputs,
        outside,
        epochs: epochs.unwrap_or(plain.epochs),
        hidden: hidden.unwrap_or(plain.hidden),
        dropout: dropout.unwrap_or(plain.dropout),
        seed,
        ..plain
    }
}

/// A net in a container of its own.
fn read_net(container: &Container, outside: &Outside) -> Result<BiaffineModel, ModelError> {
    let section = |name: &str| container.section(name).ok().map(|bytes| &**bytes);
    BiaffineModel::read(section, outside).map_err(|error| container.damaged(&error.to_string()))
}

fn train_net(
    options: &Options,
    examples: &[Example<'_>],
    labels: &[String],
    mut watch: Watch<'_>,
) -> Result<NetBytes, TrainError> {
    watch.words = examples.iter().map(|example| example.sentence.len()).sum();
    let interrupted = watch.keeper.as_ref().and_then(|keeper| keeper.interrupted.as_ref());
    let epochs_done = interrupted.map_or(0, |saved| saved.epoch);
    watch.observer.begin(&Plan {
        sentences: examples.len(),
        words: watch.words,
        runs: 1,
        labels: labels.len(),
        epochs_done,
        ..Plan::default()
    });
    watch.observer.begin_epoch(epochs_done + 1);
    let model =
        neural::train(options, examples, labels, &mut watch).map_err(|error| match error {
            neural::TrainError::Nothing | neural::TrainError::Tree { .. } => TrainError::NoSentence,
            other => TrainError::Net(other.to_string()),
        })?;
    let parts = model.sections(Precision::Bytes);
    let parts = parts.iter().map(|(name, bytes)| SectionBytes { name, bytes });
    Ok(Container::to_bytes(&(), &parts.collect::<Vec<_>>()))
}

/// Passes on what happens while a net is trained.
struct Watch<'a> {
    observer: &'a dyn Observer,
    judged: Vec<Sentence>,
    words: usize,
    keeper: Option<&'a mut Keeper>,
}

impl<'a> Watch<'a> {
    fn new(
        observer: &'a dyn Observer,
        dev: &[Sentence],
        keeper: Option<&'a mut Keeper>,
    ) -> Watch<'a> {
        let mut words = 0;
        let judged = dev.iter().take_while(|sentence| {
            words += sentence.len();
            words <= JUDGED_WORDS
        });
        Watch { observer, judged: judged.cloned().collect(), words: 0, keeper }
    }
}

impl neural::Observer for Watch<'_> {
    fn studied(&mut self, sentences: usize) {
        self.observer.studied(sentences);
    }

    fn epoch(&mut self, epoch: usize, loss: f64, model: &BiaffineModel) -> Verdict {
        let dev = (!self.judged.is_empty()).then(|| by_word(model, &self.judged).attachment());
        let report = EpochReport { decisions: self.words, ..EpochReport::default() };
        let loss = Some(loss);
        self.observer.end_epoch(&EpochSummary { epoch, report, dev, loss, ..Default::default() });
        self.observer.begin_epoch(epoch + 1);
        // The rate falls to nothing: the last epoch is the best one.
        Verdict { best: false, stop: self.observer.should_stop() }
    }

    fn interrupted(&mut self) -> Option<Saved> {
        self.keeper.as_mut().and_then(|keeper| keeper.interrupted.take())
    }

    fn keep(&mut self, saved: &dyn Fn() -> Saved) {
        if let Some(keeper) = &self.keeper {
            keeper.keep(&saved(), self.observer);
        }
    }
}

/// How often the most probable head of a word is right, and its label: near what a decoder finds, and
/// cheap.
fn by_word(model: &BiaffineModel, gold: &[Sentence]) -> Scored {
    let of_chunk = |chunk: &[Sentence]| {
        let mut worker = NetWorker { scorers: vec![Scorer::new(model)] };
        let sentences: Vec<&Sentence> = chunk.iter().collect();
        let fields = worker.fields(&sentences);
        let mut sums = [0; 4];
        for (sentence, field) in chunk.iter().zip(&fields) {
            for (at, word) in sentence.words().enumerate() {
                let node = Node(at as u32 + 1);
                let best = field.as_ref().and_then(|field| {
                    let heads = field.heads(node);
                    let best =
                        heads.max_by(|&a, &b| field.arc(a, node).total_cmp(&field.arc(b, node)))?;
                    let label = crossarc_learn::weights::best_label(field.labels(best, node)?);
                    Some((best, label))
                });
                let head = best.is_some_and(|best| word.head() == Some(best.0.0));
                let label = best.and_then(|best| model.labels().get(best.1.index()));
                let both = head && label.is_some_and(|label| label == word.deprel());
                sums = crossarc_train::trial::add(sums, [1, head.into(), both.into(), 0]);
            }
        }
        sums
    };
    let sums = gold.par_chunks(BATCH).map(of_chunk);
    Scored::of(sums.reduce(|| [0; 4], crossarc_train::trial::add))
}
