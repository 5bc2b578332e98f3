//! Nets that choose, as a parser holds them: with the names of their rows, in sections of a model
//! file, and while they learn.
use nn::adam::{Adam, NotANumber, Schedule};
use nn::table::TableGradient;

use crate::choices::{ChoiceShape, Chooser, ChooserGradients, ChooserMemory, ChooserShape, Curve};
use crate::context::{ContextShape, Lesson};
use crate::inputs::{Columns, Encoder, Inputs, Outside, Vocabulary};
use crate::stack_lstm::StackShape;
use crate::stored::{
    Facts, MOST_LAYERS, MOST_WEIGHTS, Precision, ReadError, numbers, read_weights, sections_of,
    to_bytes, without_rows,
};

/// What may be chosen about nets that choose.
#[derive(Clone, PartialEq, Debug)]
pub struct ChooserOptions {
    /// What a net sees of a word.
    pub inputs: Inputs,
    /// Numbers of the vector of each source of a word.
    pub embedding: usize,
    /// Layers of memories that read the sentence; without any, words stand for themselves.
    pub layers: usize,
    /// States of a memory in one direction.
    pub memory: usize,
    /// Names of arcs, each in both directions, if a stack-LSTM is to read whole states.
    pub relations: Option<usize>,
    /// Size of the hidden layer of each kind of decision.
    pub hidden: Vec<usize>,
    /// The curve of hidden layers.
    pub curve: Curve,
    /// Rows for character n-grams.
    pub buckets: usize,
    /// Forms and lemmas that occur less often have no row.
    pub least_count: usize,
    /// Share of inputs, states and hidden numbers that are dropped.
    pub dropout: f32,
    /// The highest learning rate.
    pub rate: f32,
    /// Gradients longer than this are shortened to it.
    pub clip: f32,
    /// Words that are studied with the same weights.
    pub batch_words: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl ChooserOptions {
    /// Epochs for a treebank of so many words.
    pub fn epochs(words: usize) -> usize {
        let epochs = 20.0 * (20_000.0 / words.max(1) as f64).powf(0.4);
        (epochs.round() as usize).clamp(8, 30)
    }

    /// Words stand for themselves (Chen and Manning 2014).
    pub fn feed_forward() -> ChooserOptions {
        ChooserOptions {
            inputs: Inputs::default(),
            embedding: 64,
            layers: 0,
            memory: 1,
            relations: None,
            hidden: vec![200, 100],
            curve: Curve::Rectifier,
            buckets: 16_000,
            least_count: 2,
            dropout: 0.33,
            rate: 3e-3,
            clip: 5.0,
            batch_words: 300,
            seed: 1,
        }
    }

    /// Words in context (Kiperwasser and Goldberg 2016).
    pub fn bilstm() -> ChooserOptions {
        ChooserOptions {
            embedding: 100,
            layers: crate::context::LAYERS,
            memory: 150,
            hidden: vec![100, 100],
            ..ChooserOptions::feed_forward()
        }
    }

    /// States as memories read them (Dyer et al. 2015); the number of relations is still to be set.
    pub fn stack_lstm() -> ChooserOptions {
        ChooserOptions {
            embedding: 100,
            memory: 128,
            relations: Some(0),
            hidden: vec![100, 100],
            ..ChooserOptions::feed_forward()
        }
    }
}

/// One kind of decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Places of tokens.
    pub tokens: usize,
    /// Places of tokens with all that they have become the head of, for a stack-LSTM.
    pub nodes: usize,
    /// How many values each fact may have.
    pub facts: Vec<usize>,
    /// What is to be chosen from.
    pub classes: usize,
}

/// The name of its sections.
const NAME: &str = "chooser";
/// No kind of decision has more places, facts or classes.
const MOST_PLACES: usize = 1 << 16;

/// A net with the names of its rows.
#[derive(Clone, Debug)]
pub struct ChooserModel {
    encoder: Encoder,
    net: Chooser,
}

impl ChooserModel {
    /// Sizes.
    pub fn shape(&self) -> &ChooserShape {
        &self.net.shape
    }

    /// What it sees of a word.
    pub fn inputs(&self) -> Inputs {
        self.encoder.inputs
    }

    /// Numbers that were learned.
    pub fn weights(&self) -> usize {
        let tables = self.net.context.tables.iter().map(|table| table.values().len());
        self.net.parameters.values().len() + tables.sum::<usize>()
    }

    /// Takes in a sentence.
    pub fn begin<'a>(
        &self,
        words: impl Iterator<Item = Columns<'a>> + Clone,
        memory: &mut ChooserMemory,
    ) {
        self.net.begin(&self.encoder, words, memory);
    }

    /// Scores all classes for what was asked.
    pub fn score(&self, kind: usize, memory: &mut ChooserMemory, scores: &mut [f32]) {
        self.net.score(kind, memory, scores);
    }

    /// What goes into a model file, by name.
    pub fn sections(&self, precision: Precision) -> Vec<(String, Vec<u8>)> {
        let ChooserModel { encoder, net } = self;
        let facts = (encoder, net.shape.clone(), &[][..]);
        sections_of(NAME, facts, &net.parameters, &net.context, precision)
    }

    /// A net from its sections.
    pub fn read<'a>(section: impl Fn(&str) -> Option<&'a [u8]>) -> Result<ChooserModel, ReadError> {
        let facts: Facts<ChooserShape> = Facts::read(NAME, &section)?;
        let shape = facts.shape.clone();
        let encoder = facts.encoder(shape.context, Outside::default())?;
        check_sizes(&shape)?;
        let context = without_rows(shape.context);
        let mut net = Chooser::new(ChooserShape { context, ..shape.clone() }, 0);
        let Chooser { parameters, context, .. } = &mut net;
        read_weights(NAME, &section, shape.context, parameters, context)?;
        net.shape = shape;
        Ok(ChooserModel { encoder, net })
    }
}

fn check_sizes(shape: &ChooserShape) -> Result<(), ReadError> {
    let ContextShape { embedding, layers, hidden, .. } = shape.context;
    let fits = |size: usize, most: usize| (1..=most).contains(&size);
    let mut good = fits(embedding, MOST_PLACES)
        && fits(hidden, MOST_PLACES)
        && layers <= MOST_LAYERS
        && shape.choices.len() <= MOST_PLACES;
    let wide = 3 * embedding.min(MOST_PLACES) + 2 * hidden.min(MOST_PLACES);
    let mut all = wide.saturating_mul(wide).saturating_mul(8 * layers.min(MOST_LAYERS));
    if let Some(StackShape { element, hidden, relations }) = shape.stack {
        good &= fits(element, MOST_PLACES) && fits(hidden, MOST_PLACES);
        good &= relations <= 2 * MOST_PLACES;
        let rows = (wide + 4 * element.min(MOST_PLACES)).saturating_add(relations);
        let columns = element.min(MOST_PLACES) + 16 * hidden.min(MOST_PLACES);
        all = all.saturating_add(rows.saturating_mul(columns));
    }
    for choice in &shape.choices {
        let facts = choice.facts.iter().fold(0_usize, |sum, &size| sum.saturating_add(size));
        good &= fits(choice.hidden, MOST_PLACES) && fits(choice.classes, MOST_PLACES);
        good &= choice.tokens.max(choice.nodes) <= MOST_PLACES && facts <= MOST_PLACES;
        let rows = wide.saturating_mul(choice.tokens).saturating_add(facts + choice.classes);
        all = all.saturating_add(rows.saturating_mul(choice.hidden));
    }
    if !good || all > MOST_WEIGHTS {
        return Err(ReadError::Facts("no net has such sizes".to_owned()));
    }
    Ok(())
}

/// A net while it is trained: with the moments of its weights.
#[derive(Clone, Debug)]
pub struct ChooserLearner {
    model: ChooserModel,
    adam: Adam,
    dropout: f32,
    weight: f32,
    seed: u64,
}

impl ChooserLearner {
    /// A net that has learned nothing, for the words of a treebank and so many steps.
    pub fn new<'a>(
        options: &ChooserOptions,
        words: impl Iterator<Item = Columns<'a>>,
        decisions: Vec<Decision>,
        steps: usize,
    ) -> ChooserLearner {
        let vocabulary = Vocabulary::of(words, options.inputs, options.least_count);
        let encoder =
            Encoder::new(options.inputs, vocabulary, options.buckets.max(1), Outside::default());
        let hidden = options.hidden.iter().copied().chain(std::iter::repeat(100));
        let choice = |(Decision { tokens, nodes, facts, classes }, hidden)| ChoiceShape {
            tokens,
            nodes,
            facts,
            hidden,
            classes,
        };
        let size = options.memory.max(1);
        let shape = ChooserShape {
            context: ContextShape {
                embedding: options.embedding.max(1),
                layers: options.layers.min(MOST_LAYERS),
                hidden: size,
                rows: encoder.rows(),
                vectors: 0,
                encoder: [0; 2],
            },
            choices: decisions.into_iter().zip(hidden).map(choice).collect(),
            curve: options.curve,
            stack: options.relations.map(|relations| StackShape {
                element: size,
                hidden: size,
                relations,
            }),
        };
        let net = Chooser::new(shape, options.seed);
        let schedule = Schedule { rate: options.rate, steps, warm_up: WARM_UP, clip: options.clip };
        let adam = Adam::new(schedule, &net.parameters, &net.context.tables);
        let model = ChooserModel { encoder, net };
        let weight = 1.0 / (DECISIONS * options.batch_words.max(1)) as f32;
        ChooserLearner { model, adam, dropout: options.dropout, weight, seed: options.seed }
    }

    /// The net as it is.
    pub fn model(&self) -> &ChooserModel {
        &self.model
    }

    /// Takes in sentences to be studied, each with its random numbers.
    pub fn open<'a, W: Iterator<Item = Columns<'a>>>(
        &self,
        sentences: impl Iterator<Item = (W, u64)>,
        memory: &mut ChooserMemory,
        gradients: &mut ChooserGradients,
    ) {
        let encode = |(words, seed)| (self.model.encoder.encode(words, true), seed);
        let lesson =
            Lesson { dropout: self.dropout, seed: self.seed, step: 0, weight: self.weight };
        self.model.net.open(sentences.map(encode).collect(), lesson, memory, gradients);
    }

    /// Turns to one of the sentences that were taken in.
    pub fn turn_to(&self, sentence: usize, memory: &mut ChooserMemory) {
        self.model.net.turn_to(sentence, memory);
    }

    /// What was asked last should be scored otherwise.
    pub fn change(
        &self,
        kind: usize,
        steps: &[(u16, f32)],
        memory: &mut ChooserMemory,
        gradients: &mut ChooserGradients,
    ) {
        self.model.net.change(kind, steps, memory, gradients);
    }

    /// All sentences have been studied.
    pub fn close(&self, memory: &mut ChooserMemory, gradients: &mut ChooserGradients) {
        self.model.net.close(memory, gradients);
    }

    /// One step down the sum of gradients, which become zero.
    pub fn apply<'g>(
        &mut self,
        mut gradients: impl Iterator<Item = &'g mut ChooserGradients>,
    ) -> Result<(), NotANumber> {
        let Some(sum) = gradients.next() else { return Ok(()) };
        for other in gradients {
            sum.dense.iter_mut().zip(&mut other.dense).for_each(|(sum, one)| {
                *sum += *one;
                *one = 0.0;
            });
            sum.tables.iter_mut().zip(&mut other.tables).for_each(|(sum, one)| sum.take(one));
        }
        let Chooser { parameters, context, .. } = &mut self.model.net;
        let done = self.adam.step(parameters, &sum.dense, &mut context.tables, &sum.tables);
        sum.dense.fill(0.0);
        sum.tables.iter_mut().for_each(TableGradient::clear);
        done
    }

    /// What is needed to go on, by name.
    pub fn to_sections(&self) -> Vec<(String, Vec<u8>)> {
        let (step, moments) = self.adam.state();
        let mut sections = self.model.sections(Precision::Exact);
        sections.push((STEP.to_owned(), (step as u64).to_le_bytes().to_vec()));
        let moments = moments.into_iter().enumerate();
        sections.extend(moments.map(|(at, numbers)| (moment_name(at), to_bytes(numbers))));
        sections
    }

    /// The same learner with what was written down.
    pub fn with_sections<'a>(
        &self,
        section: impl Fn(&str) -> Option<&'a [u8]>,
    ) -> Result<ChooserLearner, ReadError> {
        let model = ChooserModel::read(&section)?;
        if model.net.shape != self.model.net.shape {
            return Err(ReadError::Facts("it is of another net".to_owned()));
        }
        let get = |name: &str| section(name).ok_or_else(|| ReadError::Missing(name.to_owned()));
        let step = <[u8; 8]>::try_from(get(STEP)?).map_err(|_| ReadError::Size(STEP.to_owned()))?;
        let mut adam = self.adam.clone();
        let sizes: Vec<usize> = adam.state().1.iter().map(|numbers| numbers.len()).collect();
        let mut moments = Vec::new();
        for (at, len) in sizes.into_iter().enumerate() {
            let name = moment_name(at);
            moments.push(numbers(&name, get(&name)?, len)?);
        }
        adam.restore(u64::from_le_bytes(step) as usize, moments);
        Ok(ChooserLearner { model, adam, ..*self })
    }
}

/// The share of the steps in which the rate rises.
const WARM_UP: f32 = 0.05;
/// Decisions of a word, about.
const DECISIONS: usize = 3;
const STEP: &str = "adam.step";

fn moment_name(at: usize) -> String {
    format!("adam.moment{at}")
}
