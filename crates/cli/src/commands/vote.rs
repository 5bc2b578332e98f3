//! `crossarc vote`
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use conll::parallel::{Item, map_ordered};
use conll::{ReadOptions, Reader, Sentence};
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::combine::bundle::{MOST_MEMBERS, MOST_TREES, assemble};
use crossarc::combine::{Reparser, Search, Trust, VoteOptions, Weighing};
use crossarc::pipeline::{PARSER, Parts};
use crossarc::tree::treebank::root_rule::RootRule;
use crossarc::tree::treebank::{root_policy, tree_of, write_tree};
use crossarc::tree::{Labels, Node, RootPolicy, Tree};

use crate::arguments::{Inputs, Output, Quiet, Reading, Threads};

/// Combine several parsers into one tree per sentence: their output, or models.
///
/// Every parser votes for its arcs; the tree with the most votes wins and is always valid. An arc
/// gets the label most voted for by those who built it, and of equals the parser named first wins.
/// Of files everything but HEAD and DEPREL is taken from the first. With --model the models parse
/// the input themselves, or go into one bundle that every command takes like any other model.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc vote swap.conllu carreras.conllu covington.conllu -o voted.conllu\n  crossarc vote a.conllu b.conllu c.conllu --decoder eisner > projective.conllu\n  crossarc vote a.conllu b.conllu --weights 3,2 -o voted.conllu\n  crossarc vote a.conllu b.conllu c.conllu --weights tag \\\n      --gold dev.conllu --on a-dev.conllu b-dev.conllu c-dev.conllu -o voted.conllu\n      weighs each vote by how often the parser was right on words of the same tag\n  crossarc vote -m a.crossarc -m b.crossarc tagged.conllu -o voted.conllu\n  crossarc vote -m a.crossarc -m b.crossarc -m c.crossarc --weights tag --dev dev.conllu --bundle abc.crossarc\n  crossarc parse -m abc.crossarc tagged.conllu -o voted.conllu\n\nExit codes: 0 written, 1 the files are bad or do not hold the same words, 2 wrong usage"
)]
pub struct Vote {
    /// The same sentences, parsed by different parsers; with --model the sentences to parse
    #[arg(value_name = "FILE", required_unless_present = "models")]
    systems: Vec<PathBuf>,

    /// A model that takes part in the vote; to be repeated
    #[arg(long = "model", short, value_name = "MODEL", conflicts_with_all = ["gold", "on"])]
    models: Vec<PathBuf>,

    /// Do not parse, but write the models into one that votes
    #[arg(long, value_name = "MODEL", requires = "models", conflicts_with_all = ["systems", "output"])]
    bundle: Option<PathBuf>,

    /// Among which trees the winner is sought
    #[arg(long, value_enum, default_value_t)]
    decoder: DecoderArgument,

    /// What a vote counts: `uniform`, `accuracy` or `tag` (measured with --gold and --on, of models
    /// with --dev), or a number for each parser
    #[arg(long, value_name = "HOW", default_value = "uniform")]
    weights: Weights,

    /// Models: gold trees of held-out sentences, to measure what they are worth; may be repeated
    #[arg(long, value_name = "FILE", requires = "models")]
    dev: Vec<PathBuf>,

    /// Models: multiply a vote by how sure the model is of the arc
    #[arg(long, requires = "models")]
    confidences: bool,

    /// Models: share the vote of a model out among its N best trees, if it ranks trees
    #[arg(long, value_name = "N", requires = "models", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=MOST_TREES as i64))]
    kbest: u16,

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

    #[command(flatten)]
    threads: Threads,
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

impl DecoderArgument {
    fn search(self) -> Search {
        match self {
            DecoderArgument::Mst => Search::SpanningTree,
            DecoderArgument::Eisner => Search::Projective,
        }
    }
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
        if !self.models.is_empty() {
            return self.run_models();
        }
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
        let search = self.decoder.search();
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
            let rule = RootRule::learn(&sentences.now);
            let first = &mut sentences.now[0];
            write_tree(&tree, &labels, first);
            if let Some(rule) = rule {
                rule.apply(first, |_| false);
            }
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

    /// Models that parse the input together, or become one.
    fn run_models(&self) -> anyhow::Result<ExitCode> {
        let weighing = match &self.weights {
            Weights::Accuracy => Weighing::Accuracy,
            Weights::Tag => Weighing::Tag,
            Weights::Uniform | Weights::Given(_) => Weighing::Uniform,
        };
        ensure!(
            weighing == Weighing::Uniform || !self.dev.is_empty(),
            "--weights accuracy and tag are measured: give --dev FILE"
        );
        ensure!(self.models.len() <= MOST_MEMBERS, "at most {MOST_MEMBERS} models vote");
        if let Weights::Given(numbers) = &self.weights {
            let (given, models) = (numbers.len(), self.models.len());
            ensure!(given == models, "--weights has {given} numbers for {models} models");
        }
        rayon::ThreadPoolBuilder::new().num_threads(self.threads.count()).build_global()?;
        let reading = Reading { quiet: self.quiet, ..Reading::default() };
        let dev = if self.dev.is_empty() {
            Vec::new()
        } else {
            let options = ReadOptions { need_tree: true, ..reading.options() };
            let inputs = Inputs { files: self.dev.clone(), reading: reading.clone() };
            inputs.read_all(options)?.0
        };
        let mut members = Vec::new();
        for (at, path) in self.models.iter().enumerate() {
            let weight = match &self.weights {
                Weights::Given(numbers) => numbers[at],
                _ => 1.0,
            };
            let parser = Parts::open(path)?.sections.into_iter().find(|(name, _)| *name == PARSER);
            let (_, bytes) =
                parser.with_context(|| format!("{}: the model has no parser", path.display()))?;
            let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            members.push((name, weight, bytes));
        }
        let vote = VoteOptions {
            search: self.decoder.search(),
            weighing,
            confidences: self.confidences,
            k_best: usize::from(self.kbest),
        };
        let mut assembled = assemble(&members, &dev, vote)?;
        let name = |path: &PathBuf| {
            path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
        };
        assembled.header.training.dev = self.dev.iter().map(name).collect();
        if let Some(path) = &self.bundle {
            assembled.save(path)?;
            return Ok(ExitCode::SUCCESS);
        }
        let model = Model::from_bytes(&assembled.to_bytes())?;
        let mut out = self.output.create()?;
        let stdin = [PathBuf::from("-")];
        let inputs = if self.systems.is_empty() { &stdin[..] } else { &self.systems };
        for path in inputs {
            let mut reader = Reader::open(path, reading.options())?;
            map_ordered(
                &mut reader,
                self.threads.count(),
                || model.annotator(AnnotateOptions::default()),
                |annotator, item, chunk: &mut (Vec<u8>, Option<anyhow::Error>)| match item {
                    Item::Sentence(sentence) => {
                        if let Err(error) = annotator.annotate(sentence) {
                            chunk.1 = Some(error.into());
                        }
                        // Writing to memory cannot fail.
                        let _ = sentence.write_to(&mut chunk.0);
                    }
                    Item::Rejected { error, .. } => chunk.1 = Some(error.into()),
                },
                |(text, error)| -> anyhow::Result<()> {
                    error.map_or(Ok(()), Err)?;
                    Ok(out.write_all(&text)?)
                },
            )?;
            reading.warn(&reader);
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
