//! A parser measured while it is trained: with its codec, as it will be in the finished model.
use conll::Sentence;
use crossarc_learn::features::words::read_words;
use crossarc_learn::features::{Guidance, Words};
use crossarc_tree::Labels;
use crossarc_tree::codec::{CodecError, TreeCodec};
use crossarc_tree::projectivity::nonprojective_arcs;
use crossarc_tree::treebank::{unlabelled_tree_of, write_tree};
use rayon::prelude::*;

use crate::header::Header;
use crate::material::Material;
use crate::parser::{Analysis, ParseOptions, Parser, Worker};

/// Sentences that one thread takes at a time.
pub const CHUNK: usize = 64;

/// How well gold sentences are parsed.
#[derive(Copy, Clone, Debug)]
pub struct Scored {
    /// Unlabelled attachment score in percent.
    pub uas: f64,
    /// Labelled attachment score in percent.
    pub las: f64,
    /// Non-projective arcs that were found, right or wrong.
    pub nonprojective: usize,
}

/// Words, right heads, those with the right label, and non-projective arcs.
pub type Tally = [usize; 4];

impl Scored {
    /// From what was counted.
    pub fn of([words, heads, labels, nonprojective]: Tally) -> Scored {
        let percent = |part: usize| 100.0 * part as f64 / words.max(1) as f64;
        Scored { uas: percent(heads), las: percent(labels), nonprojective }
    }

    /// Unlabelled and labelled attachment score in percent.
    pub fn attachment(self) -> (f64, f64) {
        (self.uas, self.las)
    }
}

/// Adds what was counted.
pub fn add(one: Tally, other: Tally) -> Tally {
    std::array::from_fn(|index| one[index] + other[index])
}

/// Number of non-projective arcs of a sentence; none if it has no tree.
pub fn crossing_arcs(sentence: &Sentence) -> usize {
    unlabelled_tree_of(sentence).map_or(0, |tree| nonprojective_arcs(&tree).len())
}

/// Compares gold sentences with what `parse` makes of them; it gets memory of its thread, the number
/// of the sentence and the sentence, and gives nothing where it fails.
pub fn scores_of<W>(
    gold: &[Sentence],
    worker: impl Fn() -> W + Sync,
    parse: impl Fn(&mut W, usize, &Sentence) -> Option<Sentence> + Sync,
) -> Scored {
    let count = |worker: &mut W, number: usize, gold: &Sentence| {
        let Some(parsed) = parse(worker, number, gold) else { return [gold.len(), 0, 0, 0] };
        let crossing = crossing_arcs(&parsed);
        gold.words().zip(parsed.words()).fold([0, 0, 0, crossing], |sums, (gold, parsed)| {
            let head = gold.head() == parsed.head();
            let both = head && gold.deprel() == parsed.deprel();
            add(sums, [1, usize::from(head), usize::from(both), 0])
        })
    };
    let sums = gold.par_chunks(CHUNK).enumerate().map(|(number, chunk)| {
        let mut worker = worker();
        let numbered = (number * CHUNK..).zip(chunk);
        numbered.map(|(number, gold)| count(&mut worker, number, gold)).fold([0; 4], add)
    });
    Scored::of(sums.reduce(|| [0; 4], add))
}

/// A parser with its codec.
pub struct Trial {
    parser: Box<dyn Parser>,
    tree_codec: Box<dyn TreeCodec>,
    labels: Labels,
    header: Header,
}

impl Trial {
    /// The parser of a model with this header.
    pub fn new(parser: Box<dyn Parser>, header: &Header) -> Result<Trial, CodecError> {
        let mut labels = parser.labels().clone();
        let tree_codec = header.codec.tree.bind(&mut labels)?;
        Ok(Trial { parser, tree_codec, labels, header: header.clone() })
    }

    /// How well it parses gold sentences when it is told what its guides say.
    pub fn scores(&self, gold: Material<'_>, options: &ParseOptions) -> Scored {
        let none = Guidance::default();
        scores_of(
            gold.sentences,
            || (self.parser.worker(options), Words::default()),
            |(worker, words), number, sentence| {
                let guidance = gold.guidance.get(number).unwrap_or(&none);
                Some(self.parse(&mut **worker, words, guidance, sentence))
            },
        )
    }

    fn parse(
        &self,
        worker: &mut (dyn Worker + '_),
        words: &mut Words,
        guidance: &Guidance,
        sentence: &Sentence,
    ) -> Sentence {
        let codec = &self.header.codec;
        let mut parsed = if codec.transformations.is_empty() {
            let mut copy = sentence.clone();
            self.parse_part(worker, words, guidance, &mut copy);
            copy
        } else {
            let mut parts = codec.prepare(sentence);
            for part in &mut parts {
                self.parse_part(worker, words, guidance, part);
            }
            codec.restore(sentence, &parts)
        };
        self.header.fit_root_labels(&mut parsed, |_| false);
        parsed
    }

    fn parse_part(
        &self,
        worker: &mut (dyn Worker + '_),
        words: &mut Words,
        guidance: &Guidance,
        sentence: &mut Sentence,
    ) {
        read_words(sentence, words);
        words.set_guidance(guidance);
        let Analysis { mut tree, .. } = worker.parse(words, None);
        if self.header.codec.tree.scheme.is_some() {
            tree = self.tree_codec.decode(&tree);
        }
        write_tree(&tree, &self.labels, sentence);
    }
}
