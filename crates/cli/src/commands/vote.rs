//! `crossarc vote`
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use conll::{ReadOptions, Reader, Sentence};
use crossarc::combine::{Reparser, Search, Trust};
use crossarc::tree::{Labels, Node, RootPolicy, Tree};
use crossarc::treebank::{root_policy, tree_of, write_tree};

use crate::arguments::{Output, Quiet};

/// Combine the output of several parsers into one tree per sentence.
///
/// Every parser votes for its arcs; the tree with the most votes wins and is always valid. An arc
/// gets the label most voted for by those who built it, and of equals the file named first wins.
/// Everything but HEAD and DEPREL is taken from the first file.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc vote swap.conllu carreras.conllu covington.conllu -o voted.conllu\n  crossarc vote a.conllu b.conllu c.conllu --decoder eisner > projective.conllu\n  crossarc vote a.conllu b.conllu --weights 3,2 -o voted.conllu\n  crossarc vote a.conllu b.conllu c.conllu --weights tag \\\n      --gold dev.conllu --on a-dev.conllu b-dev.conllu c-dev.conllu -o voted.conllu\n      weighs each vote by how often the parser was right on words of the same tag\n\nExit codes: 0 written, 1 the files are bad or do not hold the same words, 2 wrong usage"
)]
pub struct Vote {
    /// The same sentences, parsed by different parsers
    #[arg(value_name = "FILE", required = true)]
    systems: Vec<PathBuf>,

    /// Among which trees the winner is sought
    #[arg(long, value_enum, default_value_t)]
    decoder: DecoderArgument,

    /// What a vote counts: `uniform`, `accuracy` or `tag` (both measured with --gold and --on), or
    /// a number for each file
    #[arg(long, value_name = "HOW", default_value = "uniform")]
    weights: Weights,

    /// Gold trees of held-out sentences, to measure what the parsers are worth
    #[arg(long, value_name = "FILE", requires = "on")]
    gold: Option<PathBuf>,

    /// The held-out sentences as the parsers see them, in the same order as the files
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "gold")]
    on: Vec<PathBuf>,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    quiet: Quiet,
}

/// Among which trees the winner is sought.
#[derive(Copy, Clone, Debug, Default, ValueEnum)]
enum DecoderArgument {
    /// All trees: maximum spanning tree
    #[default]
    Mst,
    /// Projective trees
    Eisner,
}

/// What a vote counts.
#[derive(Clone, Debug, PartialEq)]
enum Weights {
    Uniform,
    Accuracy,
    Tag,
    Given(Vec<f32>),
}

impl FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> Result<Weights, String> {
        match text {
            "uniform" => Ok(Weights::Uniform),
            "accuracy" => Ok(Weights::Accuracy),
            "tag" => Ok(Weights::Tag),
            numbers => {
                let parse =
                    |number: &str| {
                        number.trim().parse().ok().filter(|weight: &f32| {
                            weight.is_finite() && (0.0..=1e6).contains(weight)
                        })
                    };
                numbers.split(',').map(parse).collect::<Option<_>>().map(Weights::Given).ok_or_else(
                    || "expected uniform, accuracy, tag, or numbers such as 3,2,1".to_owned(),
                )
            }
        }
    }
}

impl Vote {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let trust = self.measure()?;
        if let Weights::Given(numbers) = &self.weights {
            ensure!(
                numbers.len() == self.systems.len(),
                "--weights has {} numbers for {} files",
                numbers.len(),
                self.systems.len()
            );
        }
        let mut sentences = Aligned::open(&self.systems)?;
        let search = match self.decoder {
            DecoderArgument::Mst => Search::SpanningTree,
            DecoderArgument::Eisner => Search::Projective,
        };
        let mut single = Reparser::new(search, RootPolicy::Single);
        let mut several = Reparser::new(search, RootPolicy::Several);
        let mut labels = Labels::default();
        let mut out = self.output.create()?;
        while sentences.next()? {
            let trees = sentences.trees(&mut labels)?;
            let first = &mut sentences.now[0];
            let reparser = match root_policy(&trees) {
                RootPolicy::Single => &mut single,
                RootPolicy::Several => &mut several,
            };
            let weight = |system: usize, word: Node| self.weight(&trust, system, word, first);
            let Some(tree) = reparser.combine(&trees, weight) else {
                bail!("line {}: the files differ in the number of words", first.first_line());
            };
            write_tree(&tree, &labels, first);
            first.write_to(&mut out)?;
        }
        if !self.quiet.quiet {
            for warning in sentences.readers.iter().flat_map(Reader::warnings) {
                anstream::eprintln!("{warning}");
            }
        }
        out.finish()?;
        Ok(ExitCode::SUCCESS)
    }

    /// What the systems are worth on held-out sentences.
    fn measure(&self) -> anyhow::Result<Vec<Trust>> {
        let Some(gold) = &self.gold else {
            ensure!(
                !matches!(self.weights, Weights::Accuracy | Weights::Tag),
                "--weights accuracy and tag are measured: give --gold FILE and --on FILE..."
            );
            return Ok(Vec::new());
        };
        ensure!(
            self.on.len() == self.systems.len(),
            "--on needs one file for each of the {} parsers, in the same order",
            self.systems.len()
        );
        let files: Vec<PathBuf> = std::iter::once(gold).chain(&self.on).cloned().collect();
        let mut sentences = Aligned::open(&files)?;
        let mut trust = vec![Trust::default(); self.on.len()];
        while sentences.next()? {
            let (gold, systems) = sentences.now.split_at(1);
            for (trust, system) in trust.iter_mut().zip(systems) {
                for (gold, word) in gold[0].words().zip(system.words()) {
                    trust.observe(gold.upos(), gold.head() == word.head());
                }
            }
        }
        Ok(trust)
    }

    fn weight(&self, trust: &[Trust], system: usize, word: Node, sentence: &Sentence) -> f32 {
        let measured = trust.get(system);
        let weight = match &self.weights {
            Weights::Uniform => None,
            Weights::Accuracy => measured.and_then(Trust::accuracy),
            Weights::Tag => {
                measured.and_then(|trust| trust.accuracy_for(sentence.word(word.index()).upos()))
            }
            Weights::Given(numbers) => numbers.get(system).map(|&number| f64::from(number)),
        };
        weight.unwrap_or(1.0) as f32
    }
}

/// Files with the same words, read sentence by sentence side by side.
struct Aligned {
    readers: Vec<Reader>,
    names: Vec<PathBuf>,
    now: Vec<Sentence>,
}

impl Aligned {
    fn open(files: &[PathBuf]) -> anyhow::Result<Aligned> {
        let options = ReadOptions { need_tree: true, ..ReadOptions::default() };
        let open = |path: &PathBuf| Reader::open(path, options);
        let readers = files.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let now = vec![Sentence::default(); readers.len()];
        Ok(Aligned { readers, names: files.to_vec(), now })
    }

    /// Reads the next sentence of every file; false at their common end.
    fn next(&mut self) -> anyhow::Result<bool> {
        let mut read = Vec::with_capacity(self.readers.len());
        for (reader, sentence) in self.readers.iter_mut().zip(&mut self.now) {
            read.push(reader.read(sentence)?);
        }
        let (first, others) = self.now.split_at(1);
        for (at, other) in others.iter().enumerate() {
            let (one, two) = (self.names[0].display(), self.names[at + 1].display());
            ensure!(
                read[0] == read[at + 1],
                "{one} and {two} do not hold the same number of sentences"
            );
            let same = first[0].words().map(|word| word.form());
            ensure!(
                !read[0] || same.eq(other.words().map(|word| word.form())),
                "{one}:{} and {two}:{}: the sentences do not have the same words",
                first[0].first_line(),
                other.first_line()
            );
        }
        Ok(read.first().copied().unwrap_or(false))
    }

    fn trees(&self, labels: &mut Labels) -> anyhow::Result<Vec<Tree>> {
        let both = self.now.iter().zip(&self.names);
        both.map(|(sentence, name): (&Sentence, &PathBuf)| {
            let name: &Path = name;
            tree_of(sentence, labels).with_context(|| name.display().to_string())
        })
        .collect()
    }
}
