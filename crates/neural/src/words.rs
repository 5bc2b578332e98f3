//! A net that says of each word in context how well parts of classes fit it. A class, such as an analysis
//! `NOUN Case=Acc|Number=Plur`, is a set of parts: the whole, `NOUN`, `Case=Acc`, `Number=Plur`; its score
//! is the sum over them, so what is learned about an accusative helps every class that has one.
//!
//! ```
//! use neural::{Answer, Inputs, Options, Question, WordExample, WordMemory, train_words};
//! let text = "1\tIt\t_\tPRON\t_\t_\t_\t_\t_\t_\n2\trains\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n";
//! let sentences = conll::read_str(text, conll::ReadOptions::default()).unwrap();
//! // One question, two classes of one part each, which are both asked for.
//! let questions = [Question { classes: vec![vec![0], vec![1]], groups: vec![vec![0, 1]] }];
//! let answer = |class| Some(Answer { group: 0, class });
//! let example = WordExample { sentence: &sentences[0], answers: vec![vec![answer(0), answer(1)]] };
//! let options = Options { hidden: 8, epochs: 60, inputs: Inputs::letters(), ..Options::default() };
//! let model = train_words(&options, &[example], &questions, &mut |_, _, _| false).unwrap();
//! let scores = &model.score(&[&sentences[0]], &mut WordMemory::default())[0];
//! assert!(scores[0] > scores[1] && scores[3] > scores[2]);
//! ```
use conll::Sentence;
use nn::affine::Affine;
use nn::curves::cross_entropy;
use nn::packing::Packing;
use nn::parameters::Parameters;
use nn::seed::Rng;
use nn::table::{Table, TableGradient};
use serde::{Deserialize, Serialize};

use crate::context::{Context, ContextMemory, ContextShape, LAYERS, Lesson};
use crate::inputs::{Encoded, Encoder, Outside, Vocabulary, columns_of};
use crate::network::Gradients;
use crate::options::Options;
use crate::reading::Forms;
use crate::scorer::MOST_WORDS;
use crate::stored::{
    Facts, MOST_WEIGHTS, Precision, ReadError, read_weights, sections_of, without_rows,
};
use crate::training::{Progress, Pupil, TrainError, fit};

/// The most parts that a net scores.
const MOST_PARTS: usize = 1 << 16;
/// Sentences whose words are scored together.
const BATCH: usize = 32;
/// The name of its sections.
const NAME: &str = "words";

/// What is asked about each word.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The parts of each class; parts of all questions are numbered together.
    pub classes: Vec<Vec<u32>>,
    /// The classes among which one may be asked to choose.
    pub groups: Vec<Vec<u32>>,
}

/// The right class, and among which it is chosen.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The group.
    pub group: u32,
    /// The class, one of the group.
    pub class: u32,
}

/// A sentence with the answers to all questions for each of its words.
pub struct WordExample<'a> {
    /// The sentence.
    pub sentence: &'a Sentence,
    /// For each question an answer for each word, or nothing.
    pub answers: Vec<Vec<Option<Answer>>>,
}

/// Sizes of a net.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WordShape {
    context: ContextShape,
    parts: usize,
}

/// A trained net with the names of its rows.
#[derive(Clone, Debug)]
pub struct WordModel {
    encoder: Encoder,
    shape: WordShape,
    parameters: Parameters,
    context: Context,
    output: Affine,
}

/// Working memory, one per thread and model.
#[derive(Clone, Debug, Default)]
pub struct WordMemory {
    context: ContextMemory,
    forms: Forms,
    scores: Vec<f32>,
}

impl WordModel {
    fn new(encoder: Encoder, shape: WordShape, seed: u64) -> WordModel {
        let mut rng = Rng::fork(seed, 1, 0);
        let mut parameters = Parameters::default();
        let context = Context::new(&mut parameters, shape.context, &mut rng);
        let output = Affine::new(&mut parameters, "parts", context.width(), shape.parts);
        parameters.glorot(output.weights(), context.width(), shape.parts, &mut rng);
        WordModel { encoder, shape, parameters, context, output }
    }

    /// Parts that it scores.
    pub fn parts(&self) -> usize {
        self.shape.parts
    }

    /// Scores of all parts for each word, one word after the other, for each sentence; none for one that
    /// is too long. A sentence gets the same scores whatever it is batched with.
    pub fn score(&self, sentences: &[&Sentence], memory: &mut WordMemory) -> Vec<Vec<f32>> {
        let mut found = vec![Vec::new(); sentences.len()];
        let fits = |at: &usize| (1..=MOST_WORDS).contains(&sentences[*at].len());
        let mut order: Vec<usize> = (0..sentences.len()).filter(fits).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(sentences[at].len()));
        for batch in order.chunks(BATCH) {
            let WordMemory { context, forms, scores } = &mut *memory;
            context.packing =
                Packing::new(batch.iter().map(|&at| sentences[at].len() + 1).collect());
            let words = batch.iter().map(|&at| columns_of(sentences[at]));
            let values = self.parameters.values();
            forms.embed((&self.context, values), &self.encoder, words, context);
            self.context.forward(values, context, None);
            let rows = context.packing.rows();
            self.output.forward(values, context.result(), rows, scores);
            for (sentence, &at) in batch.iter().enumerate() {
                for token in 1..=sentences[at].len() {
                    let row = context.packing.row(sentence, token);
                    let row = &scores[row * self.shape.parts..][..self.shape.parts];
                    found[at].extend_from_slice(row);
                }
            }
        }
        found
    }

    /// What goes into a model file, by name.
    pub fn sections(&self) -> Vec<(String, Vec<u8>)> {
        let facts = (&self.encoder, self.shape, &[][..]);
        sections_of(NAME, facts, &self.parameters, &self.context, Precision::Exact)
    }

    /// A net from its sections; what it does not learn is kept apart.
    pub fn read<'a>(
        section: impl Fn(&str) -> Option<&'a [u8]>,
        outside: &Outside,
    ) -> Result<WordModel, ReadError> {
        let facts: Facts<WordShape> = Facts::read(NAME, &section)?;
        let shape = facts.shape;
        let fits = (1..=MOST_PARTS).contains(&shape.parts)
            && shape.parts.saturating_mul(shape.context.hidden) <= MOST_WEIGHTS / 2;
        if !fits || shape.context.layers != LAYERS {
            return Err(ReadError::Facts("no net has such sizes".to_owned()));
        }
        let outside = outside.for_shape(shape.context);
        let encoder = facts.encoder(shape.context, outside.clone())?;
        let small = WordShape { context: without_rows(shape.context), ..shape };
        let mut model = WordModel::new(encoder, small, 0);
        let WordModel { parameters, context, .. } = &mut model;
        read_weights(NAME, &section, shape.context, parameters, context)?;
        model.shape = shape;
        model.context.vectors = outside.vectors;
        Ok(model)
    }
}

/// A sentence as it is studied.
struct Student {
    encoded: Encoded,
    answers: Vec<Vec<Option<Answer>>>,
}

/// A net at school.
struct Learning<'a> {
    model: WordModel,
    students: Vec<Student>,
    questions: &'a [Question],
}

impl Pupil for Learning<'_> {
    type Memory = WordMemory;

    fn gradients(&self) -> Gradients {
        Gradients {
            dense: vec![0.0; self.model.parameters.values().len()],
            tables: self.model.context.tables.iter().map(TableGradient::new).collect(),
        }
    }

    fn weights(&mut self) -> (&mut Parameters, &mut [Table]) {
        (&mut self.model.parameters, &mut self.model.context.tables)
    }

    fn study(
        &self,
        batch: &[(usize, u64)],
        lesson: Lesson,
        memory: &mut WordMemory,
        gradients: &mut Gradients,
    ) -> f64 {
        let WordModel { parameters, context, output, shape, .. } = &self.model;
        let WordMemory { context: memory, scores, .. } = memory;
        let students: Vec<&Student> = batch.iter().map(|one| &self.students[one.0]).collect();
        let encoded: Vec<&Encoded> = students.iter().map(|student| &student.encoded).collect();
        let names: Vec<u64> = batch.iter().map(|one| one.1).collect();
        let packing = Packing::new(encoded.iter().map(|one| one.tokens()).collect());
        let masks = context.masks(&names, lesson, &packing);
        memory.packing = packing;
        let values = parameters.values();
        context.embed(values, &encoded, &masks, memory);
        context.forward(values, memory, Some(&masks));
        let rows = memory.packing.rows();
        output.forward(values, memory.result(), rows, scores);
        let mut slopes = vec![0.0; scores.len()];
        let mut loss = 0.0;
        let mut of_classes = Vec::new();
        for (sentence, student) in students.iter().enumerate() {
            for (question, answers) in self.questions.iter().zip(&student.answers) {
                for (at, answer) in answers.iter().enumerate() {
                    let Some(Answer { group, class }) = *answer else { continue };
                    let row = memory.packing.row(sentence, at + 1) * shape.parts;
                    let row = row..row + shape.parts;
                    let group = &question.groups[group as usize];
                    let Some(right) = group.iter().position(|&one| one == class) else { continue };
                    let (scores, slopes) = (&scores[row.clone()], &mut slopes[row]);
                    let parts = |class: u32| question.classes[class as usize].iter();
                    of_classes.clear();
                    of_classes.extend(group.iter().map(|&class| {
                        parts(class).map(|&part| scores[part as usize]).sum::<f32>()
                    }));
                    loss += f64::from(cross_entropy(&mut of_classes, right, lesson.weight));
                    for (&class, &slope) in group.iter().zip(&of_classes) {
                        for &part in parts(class) {
                            slopes[part as usize] += slope;
                        }
                    }
                }
            }
        }
        let Gradients { dense, tables } = gradients;
        let mut slope = vec![0.0; rows * context.width()];
        output.backward(values, memory.result(), &slopes, rows, dense, Some(&mut slope));
        context.backward(values, &encoded, &masks, slope, memory, (dense, tables));
        loss
    }
}

/// Trains a net; sentences of more than [`MOST_WORDS`] words are left out. After each epoch `watch` gets
/// its number, the loss of a word and the net, and says whether training should end.
pub fn train_words(
    options: &Options,
    examples: &[WordExample<'_>],
    questions: &[Question],
    watch: &mut dyn FnMut(usize, f64, &WordModel) -> bool,
) -> Result<WordModel, TrainError> {
    let usable = |example: &&WordExample<'_>| (1..=MOST_WORDS).contains(&example.sentence.len());
    let examples: Vec<&WordExample<'_>> = examples.iter().filter(usable).collect();
    let words: usize = examples.iter().map(|example| example.sentence.len()).sum();
    if words == 0 {
        return Err(TrainError::Nothing);
    }
    let options = options.for_words(words);
    let columns = examples.iter().flat_map(|example| columns_of(example.sentence));
    let vocabulary = Vocabulary::of(columns, options.inputs, options.least_count);
    let outside = options.outside.clone();
    let encoder = Encoder::new(options.inputs, vocabulary, options.buckets.max(1), outside.clone());
    let sentences: Vec<&Sentence> = examples.iter().map(|example| example.sentence).collect();
    let students: Vec<Student> = examples
        .iter()
        .zip(encoder.encode_all(&sentences))
        .map(|(example, encoded)| Student { encoded, answers: example.answers.clone() })
        .collect();
    let parts = questions.iter().flat_map(|one| one.classes.iter().flatten());
    let shape = WordShape {
        context: ContextShape {
            embedding: options.embedding.max(1),
            layers: LAYERS,
            hidden: options.hidden.max(1),
            rows: encoder.rows(),
            vectors: outside.vector_width(),
            encoder: outside.encoder_shape(),
        },
        parts: parts.max().map_or(1, |&most| most as usize + 1),
    };
    let lengths: Vec<usize> = examples.iter().map(|example| example.sentence.len()).collect();
    let mut model = WordModel::new(encoder, shape, options.seed);
    model.context.vectors = outside.vectors;
    let mut learning = Learning { model, students, questions };
    fit(&mut learning, &lengths, &options, None, &mut |progress| match progress {
        Progress::Studied(_) | Progress::Standing(_) => false,
        Progress::Epoch(epoch, loss, learning) => watch(epoch, loss, &learning.model),
    })?;
    Ok(learning.model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::Inputs;

    const TEXT: &str = "1\tdogs\t_\t_\t_\t_\t_\t_\t_\t_\n2\tbark\t_\t_\t_\t_\t_\t_\t_\t_\n3\tloudly\t_\t_\t_\t_\t_\t_\t_\t_\n\n1\tcats\t_\t_\t_\t_\t_\t_\t_\t_\n2\tsleep\t_\t_\t_\t_\t_\t_\t_\t_\n\n";

    /// Two tags, and three analyses of which two belong to the first tag and share a part.
    fn questions() -> [Question; 2] {
        let tags = Question { classes: vec![vec![0], vec![1]], groups: vec![vec![0, 1]] };
        let classes = vec![vec![2, 5], vec![3, 5], vec![4]];
        [tags, Question { classes, groups: vec![vec![0, 1], vec![2]] }]
    }

    fn examples(sentences: &[Sentence]) -> Vec<WordExample<'_>> {
        let answer = |group, class| Some(Answer { group, class });
        let first = vec![
            vec![answer(0, 0), answer(0, 1), answer(0, 1)],
            vec![answer(0, 1), answer(1, 2), None],
        ];
        let second = vec![vec![answer(0, 0), answer(0, 1)], vec![answer(0, 0), answer(1, 2)]];
        sentences
            .iter()
            .zip([first, second])
            .map(|(sentence, answers)| WordExample { sentence, answers })
            .collect()
    }

    fn options() -> Options {
        Options {
            embedding: 3,
            hidden: 3,
            buckets: 9,
            least_count: 1,
            epochs: 2,
            dropout: 0.2,
            inputs: Inputs::letters(),
            ..Options::default()
        }
    }

    #[test]
    fn gradients_are_slopes() {
        let sentences = conll::read_str(TEXT, conll::ReadOptions::default()).unwrap();
        let (examples, questions) = (examples(&sentences), questions());
        let model = train_words(&options(), &examples, &questions, &mut |_, _, _| false).unwrap();
        let students = examples
            .iter()
            .map(|example| Student {
                encoded: model.encoder.encode(columns_of(example.sentence), true),
                answers: example.answers.clone(),
            })
            .collect();
        let mut learning = Learning { model, students, questions: &questions };
        let lesson = Lesson { dropout: 0.2, seed: 3, step: 7, weight: 0.3 };
        let batch = [(0, 0), (1, 1)];
        let loss = |learning: &Learning<'_>, gradients: &mut Gradients| {
            learning.study(&batch, lesson, &mut WordMemory::default(), gradients)
        };
        let mut gradients = learning.gradients();
        loss(&learning, &mut gradients);
        for (at, &claimed) in gradients.dense.iter().enumerate() {
            let slopes = [2e-3_f32, -4e-3].map(|step| {
                learning.weights().0.values_mut()[at] += step;
                let mut unused = learning.gradients();
                loss(&learning, &mut unused)
            });
            learning.weights().0.values_mut()[at] += 2e-3;
            let slope = (slopes[0] - slopes[1]) / 4e-3;
            let error = (slope - f64::from(claimed)).abs();
            assert!(error < 2e-3 * (1.0 + slope.abs()), "{at}: {claimed}, slope {slope}");
        }
    }

    #[test]
    fn answers_are_learned_and_kept_whatever_stands_beside_a_sentence() {
        let sentences = conll::read_str(TEXT, conll::ReadOptions::default()).unwrap();
        let (examples, questions) = (examples(&sentences), questions());
        let options = Options { epochs: 150, hidden: 12, embedding: 8, dropout: 0.0, ..options() };
        let mut last = f64::NAN;
        let model = train_words(&options, &examples, &questions, &mut |_, loss, _| {
            last = loss;
            false
        });
        let model = model.unwrap();
        assert!(last < 0.05, "{last}");
        let sections = model.sections();
        let find = |name: &str| {
            sections.iter().find(|(known, _)| known == name).map(|(_, bytes)| &bytes[..])
        };
        let kept = WordModel::read(find, &Outside::default()).unwrap();
        assert_eq!(kept.parts(), 6);
        let both: Vec<&Sentence> = sentences.iter().collect();
        let together = kept.score(&both, &mut WordMemory::default());
        for (sentence, scores) in both.iter().zip(&together) {
            let alone = model.score(&[sentence], &mut WordMemory::default());
            assert_eq!(&alone[0], scores);
        }
        assert!(together[0][0] > together[0][1] && together[0][3] > together[0][2]);
        let cut = |name: &str| find(name).map(|bytes| &bytes[..bytes.len() / 2]);
        assert!(WordModel::read(cut, &Outside::default()).is_err());
        assert!(WordModel::read(|_| None, &Outside::default()).is_err());
    }
}
