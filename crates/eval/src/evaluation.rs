//! Reading gold and system files side by side and counting sentence by sentence.
use std::ops::AddAssign;

use conll::{Reader, Sentence};
use serde::{Deserialize, Serialize};

use super::attachment::{Arc, AttachmentCounts, Pair};
use super::difference::{Place, TextDifference};
use super::nonprojective::{NonprojectiveCounts, Shape};
use super::official::corpus::without_subtype;
use super::punctuation::Punctuation;
use crossarc_tree::TreeError;

/// What counts, and as equal to what.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Settings {
    /// Whether and which punctuation is left out.
    pub punctuation: Punctuation,
    /// Whether labels are compared without subtype: `nsubj:pass` as `nsubj`.
    pub ignore_subtypes: bool,
}

/// Why files cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] conll::Error),
    /// A sentence does not have the same words in both files.
    #[error("{0}")]
    TextsDiffer(Box<TextDifference>),
    /// A file has fewer sentences than the other.
    #[error(
        "{shorter} ends after {sentences} sentences, but {longer} goes on at line {line}; expected the same sentences in both"
    )]
    SentenceMissing {
        /// The file that ends.
        shorter: String,
        /// The file that goes on.
        longer: String,
        /// Number of sentences in the shorter file.
        sentences: usize,
        /// Where the longer file goes on.
        line: usize,
    },
    /// Heads that do not make a tree.
    #[error("{file}:{line}: sentence {sentence} is no tree: {problem}")]
    NoTree {
        /// The file.
        file: String,
        /// The first line of the sentence.
        line: usize,
        /// The number of the sentence, from 1.
        sentence: usize,
        /// What is wrong.
        problem: TreeError,
    },
    /// A gold word without head.
    #[error("{file}:{line}: the gold word `{form}` has no head, expected a number in column HEAD")]
    NoGoldHead {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The word.
        form: String,
    },
}

/// Counts of one sentence or, summed up, of many.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Heads, labels, exact matches.
    pub attachment: AttachmentCounts,
    /// Crossing arcs.
    pub nonprojective: NonprojectiveCounts,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.attachment += other.attachment;
        self.nonprojective += other.nonprojective;
    }
}

/// What a visitor of [`compare`] is shown: one sentence of one system.
#[derive(Copy, Clone)]
pub struct Scored<'a> {
    /// Which system, from 0.
    pub system: usize,
    /// Which sentence, from 0.
    pub sentence: usize,
    /// The gold sentence.
    pub gold: &'a Sentence,
    /// The sentence of the system.
    pub parsed: &'a Sentence,
    /// Both analyses, word by word.
    pub pair: Pair<'a>,
    /// The counts.
    pub counts: Counts,
}

/// The counts of one system: all sentences, and their sum.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Evaluation {
    /// The counts of each sentence.
    pub sentences: Vec<Counts>,
    /// Their sum.
    pub total: Counts,
}

impl Evaluation {
    /// Share of words with the right head.
    pub fn uas(&self) -> Option<f64> {
        self.total.attachment.uas()
    }

    /// Share of words with the right head and label.
    pub fn las(&self) -> Option<f64> {
        self.total.attachment.las()
    }
}

/// Counts all sentences of all systems and keeps the counts of each sentence.
///
/// ```
/// use crossarc_eval::{Settings, evaluate};
/// let file = |name: &str, label: &str| {
///     let text = format!(
///         "1\tcats\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\t_\t_\t_\t_\t0\t{label}\t_\t_\n\n"
///     );
///     conll::Reader::from_bytes(name, text, conll::ReadOptions::default()).unwrap()
/// };
/// let systems = &mut [file("system", "dep")];
/// let evaluations = evaluate(&mut file("gold", "root"), systems, Settings::default()).unwrap();
/// assert_eq!(evaluations[0].total.attachment.uas(), Some(1.0));
/// assert_eq!(evaluations[0].total.attachment.las(), Some(0.5));
/// ```
pub fn evaluate(
    gold: &mut Reader,
    systems: &mut [Reader],
    settings: Settings,
) -> Result<Vec<Evaluation>, Error> {
    let mut evaluations = vec![Evaluation::default(); systems.len()];
    compare(gold, systems, settings, |scored| {
        let evaluation = &mut evaluations[scored.system];
        evaluation.sentences.push(scored.counts);
        evaluation.total += scored.counts;
    })?;
    Ok(evaluations)
}

/// Counts sentences that are in memory. Messages call them `gold` and `system`.
pub fn evaluate_sentences(
    gold: &[Sentence],
    system: &[Sentence],
    settings: Settings,
) -> Result<Evaluation, Error> {
    let mut evaluation = Evaluation::default();
    let mut gold = Listed { name: "gold", sentences: gold.iter() };
    let mut systems = [Listed { name: "system", sentences: system.iter() }];
    compare(&mut gold, &mut systems, settings, |scored| {
        evaluation.sentences.push(scored.counts);
        evaluation.total += scored.counts;
    })?;
    Ok(evaluation)
}

/// Where sentences come from, one after the other.
pub trait Source {
    /// The name that stands in messages.
    fn name(&self) -> &str;
    /// Fills the sentence with the next one; false at the end.
    fn read(&mut self, sentence: &mut Sentence) -> Result<bool, conll::Error>;
}

impl Source for Reader {
    fn name(&self) -> &str {
        Reader::name(self)
    }

    fn read(&mut self, sentence: &mut Sentence) -> Result<bool, conll::Error> {
        Reader::read(self, sentence)
    }
}

/// Sentences in memory.
struct Listed<'s> {
    name: &'static str,
    sentences: std::slice::Iter<'s, Sentence>,
}

impl Source for Listed<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn read(&mut self, sentence: &mut Sentence) -> Result<bool, conll::Error> {
        let next = self.sentences.next();
        Ok(next.map(|next| sentence.clone_from(next)).is_some())
    }
}

/// Reads all files side by side, one sentence at a time, and shows each system's sentence.
pub fn compare<S: Source>(
    gold: &mut S,
    systems: &mut [S],
    settings: Settings,
    mut visit: impl FnMut(Scored<'_>),
) -> Result<(), Error> {
    let mut gold_sentence = Sentence::default();
    let mut system_sentence = Sentence::default();
    let mut counted = Vec::new();
    for sentence in 0.. {
        let more = gold.read(&mut gold_sentence)?;
        let prepared = if more {
            counted.clear();
            counted.extend(
                gold_sentence
                    .words()
                    .map(|word| settings.punctuation.counts(word.form(), word.upos())),
            );
            let arcs = arcs(&gold_sentence, settings);
            if let Some(word) = gold_sentence.words().find(|word| word.head().is_none()) {
                return Err(Error::NoGoldHead {
                    file: gold.name().to_owned(),
                    line: word.line(),
                    form: word.form().to_owned(),
                });
            }
            let shape = shape(&arcs, gold.name(), &gold_sentence, sentence)?;
            Some((arcs, shape))
        } else {
            None
        };
        for (index, system) in systems.iter_mut().enumerate() {
            let system_more = system.read(&mut system_sentence)?;
            let (gold_arcs, gold_shape) = match (&prepared, system_more) {
                (None, false) => continue,
                (Some(prepared), true) => prepared,
                (None, true) => {
                    return Err(missing(gold.name(), system.name(), sentence, &system_sentence));
                }
                (Some(_), false) => {
                    return Err(missing(system.name(), gold.name(), sentence, &gold_sentence));
                }
            };
            check_text(gold.name(), &gold_sentence, system.name(), &system_sentence, sentence)?;
            let system_arcs = arcs(&system_sentence, settings);
            let pair = Pair::new(gold_arcs, &system_arcs, &counted);
            let attachment = AttachmentCounts::of(&pair);
            let same_heads = gold_arcs.iter().zip(&system_arcs).all(|(g, s)| g.head == s.head);
            let own_shape;
            let system_shape = if same_heads {
                gold_shape
            } else {
                own_shape = shape(&system_arcs, system.name(), &system_sentence, sentence)?;
                &own_shape
            };
            let nonprojective = NonprojectiveCounts::of(&pair, gold_shape, system_shape);
            visit(Scored {
                system: index,
                sentence,
                parsed: &system_sentence,
                gold: &gold_sentence,
                pair,
                counts: Counts { attachment, nonprojective },
            });
        }
        if !more {
            break;
        }
    }
    Ok(())
}

fn arcs(sentence: &Sentence, settings: Settings) -> Vec<Arc<'_>> {
    sentence
        .words()
        .map(|word| {
            let label = word.deprel();
            let label = if settings.ignore_subtypes { without_subtype(label) } else { label };
            Arc { head: word.head(), label }
        })
        .collect()
}

fn shape(arcs: &[Arc<'_>], file: &str, sentence: &Sentence, index: usize) -> Result<Shape, Error> {
    Shape::of(arcs).map_err(|problem| Error::NoTree {
        file: file.to_owned(),
        line: sentence.first_line(),
        sentence: index + 1,
        problem,
    })
}

fn missing(shorter: &str, longer: &str, sentences: usize, next: &Sentence) -> Error {
    Error::SentenceMissing {
        shorter: shorter.to_owned(),
        longer: longer.to_owned(),
        sentences,
        line: next.first_line(),
    }
}

fn check_text(
    gold_name: &str,
    gold: &Sentence,
    system_name: &str,
    system: &Sentence,
    index: usize,
) -> Result<(), Error> {
    let same = gold.words().zip(system.words()).take_while(|(g, s)| g.form() == s.form()).count();
    if same == gold.len() && same == system.len() {
        return Ok(());
    }
    let place = |file: &str, sentence: &Sentence| {
        let line = if sentence.is_empty() {
            sentence.first_line()
        } else {
            sentence.word((same + 1).min(sentence.len())).line()
        };
        Place::new(
            file,
            line,
            index + 1,
            sentence.comment_value("sent_id"),
            sentence.len(),
            same,
            |at| sentence.word(at + 1).form(),
        )
    };
    Err(Error::TextsDiffer(Box::new(TextDifference {
        gold: place(gold_name, gold),
        system: place(system_name, system),
    })))
}

#[cfg(test)]
mod tests;
